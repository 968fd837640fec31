//! The machine of the tests: its programs and ports. In continuous integration tests are thorough, and skip nothing for a missing
//! program.

use std::net::TcpListener;
use std::path::PathBuf;

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

/// Returns the program called `name` in the path.
pub fn program(name: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Returns a port that is free now.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port()
}
