//! Stacks: numbers that identify a fault, whatever the build and the run.

use std::borrow::Cow;
use std::hash::Hasher as _;

use rustc_hash::FxHasher;

/// Returns a number for the calls of a Java trace and the classes of its exceptions. It ignores messages, line
/// numbers, numbers of lambdas and generated classes, and addresses.
pub(super) fn java<'t>(lines: impl IntoIterator<Item = &'t str>) -> u64 {
    let parts = lines.into_iter().filter_map(|line| {
        let line = line.trim();
        let line =
            ["Caused by: ", "Suppressed: "].iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
        match line.strip_prefix("at ") {
            Some(call) => Some(without_build(call.split('(').next().unwrap_or(call))),
            // These calls were already seen: a cause repeats the end of the trace around it.
            None if line.starts_with("...") => None,
            None => exception_class(line).map(str::to_string),
        }
    });
    number(parts)
}

/// Returns a number for the calls of a native backtrace: of each, the library and, if known, the function.
pub(super) fn native<'t>(lines: impl IntoIterator<Item = &'t str>) -> u64 {
    let parts = lines.into_iter().filter_map(|line| {
        let (library, function) = native_parts(line)?;
        Some(format!("{}!{}", without_numbers(library), without_build(function)))
    });
    number(parts)
}

/// Returns a line of a native backtrace as `libnotes.so!save`, or the library alone if the function is unknown.
pub(super) fn native_call(line: &str) -> Option<String> {
    let (library, function) = native_parts(line)?;
    // The name of memory without a file is its address.
    let library = if library.contains("anon") { "anonymous" } else { library };
    Some(if function.is_empty() { library.to_string() } else { format!("{library}!{function}") })
}

/// Returns the library and the function of a line of a native backtrace; an unknown function is empty.
fn native_parts(line: &str) -> Option<(&str, &str)> {
    // `#00 pc 00000611  /data/app/x-1==/lib/x86/libcrasher.so (Java_org_notes_crash+49) (BuildId: ..)`
    let (_, rest) = line.trim().strip_prefix('#')?.split_once(" pc ")?;
    let (_, place) = rest.trim_start().split_once(' ')?;
    let mut parts = place.trim_start().split(" (");
    let path = parts.next().unwrap_or_default();
    // There may be details of the build before the function, or in its place.
    let function = parts.find(|part| !part.starts_with("BuildId") && !part.starts_with("offset"));
    let function = function.and_then(|part| part.split(['+', ')']).next()).unwrap_or_default();
    Some((path.rsplit('/').next().unwrap_or(path), function))
}

/// Returns a number for a message, ignoring the numbers in it.
pub(super) fn message(text: &str) -> u64 {
    number([without_numbers(text)])
}

/// Returns the class named by a line like `java.lang.IllegalStateException: why`.
pub(super) fn exception_class(line: &str) -> Option<&str> {
    let class = line.split_once(": ").map_or(line, |(class, _)| class).trim_end_matches(':');
    let is_class = |char: char| char.is_alphanumeric() || "._$".contains(char);
    let starts = class.chars().next().is_some_and(char::is_alphabetic);
    (starts && class.contains('.') && !class.ends_with('.') && class.chars().all(is_class)).then_some(class)
}

fn number(parts: impl IntoIterator<Item = String>) -> u64 {
    let mut hasher = FxHasher::default();
    for part in parts {
        hasher.write(part.as_bytes());
        // Without a separator, different calls could give the same bytes.
        hasher.write_u8(b'\n');
    }
    hasher.finish()
}

/// Returns a call without the parts that change with the build: `Main$$ExternalSyntheticLambda3.run`,
/// `-$$Lambda$Main$k2_x8.run`, `Main.lambda$onCreate$7`.
fn without_build(call: &str) -> String {
    without_numbers(&without_words(call))
}

/// Returns a call without the arbitrary word in the name of a generated class.
pub(super) fn without_words(call: &str) -> Cow<'_, str> {
    const GENERATED: &str = "$$Lambda$";
    let Some(at) = call.find(GENERATED) else { return Cow::Borrowed(call) };
    let (class, rest) = (&call[..at], &call[at + GENERATED.len()..]);
    // Next come a class and an arbitrary word, or a number and an address.
    let method = rest.rsplit_once('.').map_or("", |(_, method)| method);
    let of_class = rest.split(['$', '/', '.']).next().unwrap_or_default();
    Cow::Owned(format!("{class}{GENERATED}{of_class}.{method}"))
}

/// Replaces each number in `text`, decimal or hexadecimal, by `#`.
fn without_numbers(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let hexadecimal = rest.strip_prefix("0x").map_or(0, |digits| {
            let len = digits.bytes().take_while(u8::is_ascii_hexdigit).count();
            if len == 0 { 0 } else { len + 2 }
        });
        let len = hexadecimal.max(rest.bytes().take_while(u8::is_ascii_digit).count());
        if len > 0 {
            made.push('#');
            rest = &rest[len..];
        } else {
            made.push(char);
            rest = &rest[char.len_utf8()..];
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_same(one: &str, other: &str) {
        assert_eq!(java(one.lines()), java(other.lines()), "{one}\n{other}");
    }

    #[test]
    fn another_build_has_the_same_stack() {
        check_same(
            "java.lang.IllegalStateException: row 5\n\tat org.notes.Main.onCreate(Main.java:10)\n\t... 11 more",
            "java.lang.IllegalStateException: row 7\n\tat org.notes.Main.onCreate(Main.kt:12)\n\t... 12 more",
        );
        for (one, other) in [
            (
                "Main$$ExternalSyntheticLambda3.run(D8$$SyntheticClass)",
                "Main$$ExternalSyntheticLambda12.run(Unknown Source:0)",
            ),
            ("-$$Lambda$Main$k2_x8.onClick(lambda:1)", "-$$Lambda$Main$QqZ-9.onClick(Unknown Source:2)"),
            ("Main.lambda$onCreate$7(Main.java:1)", "Main.lambda$onCreate$11(Main.java:1)"),
            ("Main$$Lambda$14/0x7f3a.run(Main.java:1)", "Main$$Lambda$9/0x11.run(Main.java:2)"),
        ] {
            check_same(&format!("\tat org.notes.{one}"), &format!("\tat org.notes.{other}"));
        }
    }

    #[test]
    fn another_fault_has_another_stack() {
        let stack = |text: &str| java(text.lines());
        let base = stack("a.B: x\n\tat c.D.e(D.java:1)");
        assert_ne!(base, stack("a.C: x\n\tat c.D.e(D.java:1)"));
        assert_ne!(base, stack("a.B: x\n\tat c.D.f(D.java:1)"));
        assert_ne!(base, stack("a.B: x\n\tat c.D.e(D.java:1)\nCaused by: f.G"));
    }

    #[test]
    fn addresses_are_no_part_of_a_native_stack() {
        let one = "    #00 pc 00000611  /data/app/a-x==/lib/x86/libc.so (Java_a_crash+49)\n    #01 pc 0063ece7  /system/lib/libart.so";
        let other = "#00 pc 00000000000aa  /data/app/a-y==/lib/arm64/libc.so (Java_a_crash+7) (BuildId: 0ab)\n#01 pc 11  /apex/lib64/libart.so (BuildId: cd)";
        assert_eq!(native(one.lines()), native(other.lines()));
        assert_ne!(native(one.lines()), native(one.replace("crash", "other").lines()));
    }

    #[test]
    fn numbers_in_a_message_do_not_count() {
        assert_eq!(message("waited 5001ms for 0x7fa1"), message("waited 10ms for 0xbb"));
        assert_ne!(message("input"), message("broadcast"));
    }
}
