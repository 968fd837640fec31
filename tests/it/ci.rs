//! Continuous integration: there tests are thorough, and skip nothing for a missing program.

/// Returns whether the environment says so, as GitHub and others do.
pub fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

/// Reports that a test is skipped since something is missing; in CI this fails the test.
pub fn skip(what: &str) {
    assert!(!is_ci(), "{what}");
    eprintln!("skipped: {what}");
}

/// Returns the first number in CI, and elsewhere the second: the cases of a test that takes long.
pub fn cases<T>(in_ci: T, elsewhere: T) -> T {
    if is_ci() { in_ci } else { elsewhere }
}
