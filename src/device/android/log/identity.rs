//! Identities: the words that tell one crash of an app from another, whatever the build and the run.

use super::block::{Kind, Trouble};
use super::stack;

/// Calls that an identity names.
const CALLS_MAX: usize = 3;

/// Most characters of an identity; three calls of long names have about 300.
const CHARS_MAX: usize = 600;

/// Starts of the packages that come with Android, Java and Kotlin.
const PLATFORM: [&str; 11] = [
    "android.",
    "androidx.",
    "com.android.",
    "com.google.android.",
    "dalvik.",
    "java.",
    "javax.",
    "kotlin.",
    "kotlinx.",
    "libcore.",
    "sun.",
];

/// Returns the identity of a crash: `java.lang.IllegalStateException at org.notes.Next.save < org.notes.Next.onClick`; of a
/// signal, its name and the functions; `died` if the process was gone without a trace. A hang has none.
pub fn identity(trouble: &Trouble, package: &str) -> Option<String> {
    match trouble.kind {
        Kind::Java => Some(of_trace(&trouble.trace, package)),
        Kind::Native => {
            let calls = trouble.trace.lines().filter_map(stack::native_call).take(CALLS_MAX);
            Some(joined(Some(&trouble.exception), &calls.collect::<Vec<_>>()))
        }
        Kind::Died => Some("died".to_string()),
        Kind::Anr => None,
    }
}

/// Returns the identity of the crash with this Java trace: the class of the exception and the first calls of the app's own
/// package. A cause counts before what it caused, if it has such calls.
///
/// ```
/// use farlead::device::android::log::of_trace;
///
/// let trace = "java.lang.RuntimeException: Unable to start activity\n\
///              \tat android.app.ActivityThread.main(ActivityThread.java:7356)\n\
///              Caused by: java.lang.IllegalStateException: row 5\n\
///              \tat java.util.Objects.requireNonNull(Objects.java:228)\n\
///              \tat org.notes.Next.save(Next.java:31)\n\
///              \tat org.notes.Next.lambda$onCreate$0(Next.java:12)";
/// let expected = "java.lang.IllegalStateException at org.notes.Next.save < org.notes.Next.lambda$onCreate$";
/// assert_eq!(of_trace(trace, "org.notes"), expected);
/// ```
pub fn of_trace(trace: &str, package: &str) -> String {
    let parts = parts(trace);
    let is_own = |call: &str| call.strip_prefix(package).is_some_and(|rest| rest.starts_with('.'));
    let is_of_app = |call: &str| !PLATFORM.iter().any(|start| call.starts_with(start));
    // An app may have its code under another name than its package; and some crashes touch no code of the app.
    let deepest = |is_meant: &dyn Fn(&str) -> bool| {
        parts.iter().rev().find_map(|part| {
            let calls = part.calls.iter().filter(|call| is_meant(call)).take(CALLS_MAX);
            let calls: Vec<String> = calls.map(|call| lasting(call)).collect();
            (!calls.is_empty()).then_some((part.class, calls))
        })
    };
    let found = deepest(&is_own).or_else(|| deepest(&is_of_app)).or_else(|| deepest(&|_| true));
    let (class, calls) = found.unwrap_or_else(|| (parts.first().and_then(|part| part.class), Vec::new()));
    joined(class, &calls)
}

fn joined(what: Option<&str>, calls: &[String]) -> String {
    let calls = calls.join(" < ");
    let text = match what.filter(|what| !what.is_empty()) {
        Some(what) if calls.is_empty() => what.to_string(),
        Some(what) => format!("{what} at {calls}"),
        None if calls.is_empty() => "unknown".to_string(),
        None => calls,
    };
    text.chars().take(CHARS_MAX).collect()
}

/// An exception of a trace, and its calls.
#[derive(Default)]
struct Part<'t> {
    class: Option<&'t str>,
    calls: Vec<&'t str>,
}

/// Returns the exception of a trace, and then its causes.
fn parts(trace: &str) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut is_suppressed = false;
    for line in trace.lines().map(str::trim) {
        if let Some(cause) = line.strip_prefix("Caused by: ") {
            is_suppressed = false;
            parts.push(Part { class: stack::exception_class(cause), ..Part::default() });
        } else if line.starts_with("Suppressed: ") {
            // It came up while the exception was on its way, and is not the reason.
            is_suppressed = true;
        } else if let Some(call) = line.strip_prefix("at ") {
            let call = call.split('(').next().unwrap_or(call).trim();
            if let Some(part) = parts.last_mut().filter(|_| !is_suppressed && !call.is_empty()) {
                part.calls.push(call);
            }
        } else if parts.is_empty() {
            parts
                .push(Part { class: stack::exception_class(line).or_else(|| word(line)), ..Part::default() });
        }
    }
    parts
}

/// Returns the name of an exception without its package, as app models have it.
fn word(line: &str) -> Option<&str> {
    let word = line.split(':').next().unwrap_or(line);
    let is_exception = word.ends_with("Exception") || word.ends_with("Error");
    (is_exception && word.chars().all(char::is_alphanumeric)).then_some(word)
}

/// Returns a call without the numbers that the compiler gave to what has no name: `Main$1.run`, `Main.lambda$onCreate$7`.
fn lasting(call: &str) -> String {
    let mut lasting = String::with_capacity(call.len());
    for letter in stack::without_words(call).chars() {
        let is_generated = lasting.ends_with('$') || lasting.ends_with("Lambda");
        if !(is_generated && letter.is_ascii_digit()) {
            lasting.push(letter);
        }
    }
    lasting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(trace: &str, expected: &str) {
        assert_eq!(of_trace(trace, "org.notes"), expected);
    }

    #[test]
    fn the_first_three_calls_of_the_app_count() {
        check(
            "java.lang.IllegalStateException: row 5: full\n\tat android.os.Looper.loop(Looper.java:1)\n\tat org.notes.A.a(A.java:1)\n\
             \tat org.notesother.B.b(B.java:2)\n\tat org.notes.A.b(A.java:3)\n\tat org.notes.A.c(A.java:4)\n\tat org.notes.A.d(A.java:5)",
            "java.lang.IllegalStateException at org.notes.A.a < org.notes.A.b < org.notes.A.c",
        );
    }

    #[test]
    fn without_calls_of_the_package_those_of_other_code_count() {
        check("a.B\n\tat android.a.B.c(B.java:1)\n\tat org.lib.D.e(D.java:1)", "a.B at org.lib.D.e");
        check("a.B: x\n\tat android.a.B.c(B.java:1)", "a.B at android.a.B.c");
        check("a.B: x", "a.B");
        check("NullPointerException", "NullPointerException");
        // A message may differ from run to run.
        check("no disk\n\tat org.notes.A.a(A.java:1)", "org.notes.A.a");
        check("", "unknown");
        check("no disk\n\tat (A.java:1)", "unknown");
    }

    #[test]
    fn a_cause_counts_and_what_was_suppressed_does_not() {
        let wrapped = "java.lang.RuntimeException: Unable to start\n\tat org.notes.A.outer(A.java:1)\nCaused by: java.io.IOException: no\n\
                       \tat org.notes.A.inner(A.java:2)\n\tSuppressed: java.lang.Error\n\t\tat org.notes.A.close(A.java:3)\n";
        check(wrapped, "java.io.IOException at org.notes.A.inner");
        let errno = format!(
            "{wrapped}Caused by: android.system.ErrnoException: open\n\tat libcore.io.Linux.open(Native)\n\t... 3 more"
        );
        check(&errno, "java.io.IOException at org.notes.A.inner");
    }

    #[test]
    fn another_build_has_the_same_identity() {
        for (call, expected) in [
            ("Main$1.run(Main.java:7)", "Main$.run"),
            ("Main$$ExternalSyntheticLambda12.run(Unknown Source:2)", "Main$$ExternalSyntheticLambda.run"),
            ("Main.lambda$onCreate$7(Main.java:1)", "Main.lambda$onCreate$"),
            ("-$$Lambda$Main$QqZ-9.onClick(Unknown Source:2)", "-$$Lambda$Main.onClick"),
            ("Main$$Lambda$14/0x7f3a.run(Main.java:1)", "Main$$Lambda$.run"),
            ("Base64.decode2(Base64.java:1)", "Base64.decode2"),
        ] {
            check(&format!("a.B: x\n\tat org.notes.{call}"), &format!("a.B at org.notes.{expected}"));
        }
    }

    #[test]
    fn an_identity_is_short() {
        let long = format!("a.B\n\tat org.notes.{}(A.java:1)", "x".repeat(5_000));
        assert_eq!(of_trace(&long, "org.notes").chars().count(), CHARS_MAX);
    }
}
