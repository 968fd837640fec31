//! The shell: its words, its streams and its bounds.

use super::*;

#[track_caller]
fn check(line: &str, stdout: &str) {
    assert_eq!(said(&mut lamp(AndroidVersion::default()), line), stdout, "{line}");
}

#[track_caller]
fn check_all(line: &str, stdin: &str, expected: (&str, &str, u8)) {
    let ran = lamp(AndroidVersion::default()).shell(line, stdin.as_bytes());
    let (stdout, stderr) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!((&*stdout, &*stderr, ran.code), expected, "{line}");
}

#[test]
fn words_are_read_as_by_any_shell() {
    check("echo a  'b  c'\"d $HOME\" e\\ f", "a b  cd / e f\n");
    check("X=1; echo $X ${X}2 '$X' \"${Y:-none}\" $?", "1 12 $X none 0\n");
    check("echo '' \"\" | wc -c", "2\n");
    check("'input' 'keyevent' '3'; echo \"it's\" 'it'\\''s'", "it's it's\n");
    check("echo $(echo a; echo b) \"$(printf 'a\\nb')\"", "a b a\nb\n");
    check("i=0; while [ $i -lt 3 ]; do i=$((i+1)); done; echo $i $(( (i + 1) * 2 ))", "3 8\n");
    check("echo $((echo a); echo b)", "a b\n");
    check("echo `echo in`; # echo no", "in\n");
    check("for x in a b; do if [ $x = b ]; then echo $x; else echo no; fi; done", "no\nb\n");
    check("echo a; { echo b; echo c; } | head -n 1; (cd /data; pwd); pwd", "a\nb\n/data\n/\n");
    check("ANDROID_LOG_TAGS='' echo a; export ANDROID_LOG_TAGS=\"''\"; exec echo b; echo c", "a\nb\n");
    check("cd /sdcard; touch b.xml a.xml 'c d'; ls *.xml; ls '/sdcard'/c*", "a.xml\nb.xml\n/sdcard/c d\n");
}

#[test]
fn what_goes_to_one_place_stays_in_its_order() {
    let line = "echo a; echo b >&2; nosuch; echo c";
    let ran = lamp(AndroidVersion::default()).shell_joined(line, b"");
    let expected = "a\nb\n/system/bin/sh: nosuch: inaccessible or not found\nc\n";
    assert_eq!((&*String::from_utf8_lossy(&ran.stdout), &*ran.stderr), (expected, &b""[..]));
    check(&format!("{{ {line}; }} 2>&1"), expected);
    check(&format!("{{ {line}; }} >/sdcard/f 2>&1; cat /sdcard/f"), expected);
    check_all("{ echo a; echo b >&2; } 2>&1 >/sdcard/f; cat /sdcard/f", "", ("b\na\n", "", 0));
    let ran = lamp(AndroidVersion::default()).shell_joined("echo a >&2 | cat; echo b 2>/dev/null", b"");
    assert_eq!(&*ran.stdout, b"a\nb\n");
}

#[test]
fn commands_wait_for_each_other_and_say_how_they_ended() {
    check_all("false && echo a || echo b; echo $?", "", ("b\n0\n", "", 0));
    check_all("! true; echo $?; exit 3; echo no", "", ("1\n", "", 3));
    check_all("false; x=$?; echo $x; y=$(exit 3); echo $?; x=; echo $?", "", ("1\n3\n0\n", "", 0));
    check_all("false; echo X4EXIT:$?", "", ("X4EXIT:1\n", "", 0));
    check_all("cat", "in\n", ("in\n", "", 0));
    check_all("", "echo a\nfalse\n", ("a\n", "", 1));
    check_all("foo -x", "", ("", "/system/bin/sh: foo: inaccessible or not found\n", 127));
    check_all("(foo)2>/dev/null;/system/bin/echo a", "", ("a\n", "", 0));
    check_all("foo 2>&1 >/dev/null | grep -c found", "", ("1\n", "", 0));
    check_all("echo a >/sdcard/x; echo b >>/sdcard/x; cat </sdcard/x", "", ("a\nb\n", "", 0));
    check_all("cat /none", "", ("", "cat: /none: No such file or directory\n", 1));
    check_all("echo 'a", "", ("", "/system/bin/sh: no closing quote\n", 1));
    check_all("echo )", "", ("", "/system/bin/sh: syntax error: unexpected ')'\n", 1));
}

#[test]
fn an_old_shell_says_it_shorter() {
    let ran = lamp(AndroidVersion::V7).shell("foo", b"");
    assert_eq!(ran.stderr, b"/system/bin/sh: foo: not found\n");
}

#[test]
fn lines_are_chosen_and_changed() {
    check("printf 'a1\\nb2\\n' | grep -v a", "b2\n");
    check("printf 'aab\\nb\\n' | sed 's/a\\(b\\)/<\\1>/;2d'", "a<b>\n");
    check(
        "printf 'mCurrentFocus=x cur=10x20 \\n' | sed -n 's/.*[^a-z]cur=\\([0-9]*\\)x\\([0-9]*\\).*/\\1 \\2/p'",
        "10 20\n",
    );
    check(
        "printf 'a b\\n' | cut -d ' ' -f 2; printf 'b\\na\\nb\\n' | sort -u; echo ab | tr a-b xy | tail -c 3",
        "b\na\nb\nxy\n",
    );
    check(
        "echo -n abc > /data/local/tmp/f; md5sum -b /data/local/tmp/f; base64 /data/local/tmp/f",
        "900150983cd24fb0d6963f7d28e17f72\nYWJj\n",
    );
}

#[test]
fn time_is_virtual_and_passes_at_once() {
    let mut phone = lamp(AndroidVersion::default());
    let before: u64 = said(&mut phone, "date +%s").trim().parse().expect("a number");
    let after: u64 = said(&mut phone, "sleep 3600; date +%s").trim().parse().expect("a number");
    assert_eq!(after - before, 3600);
    assert_eq!(
        phone.shell("timeout 2 sleep 5; echo $?; date +%s", b"").stdout,
        format!("124\n{}\n", after + 2).as_bytes()
    );
    assert!(said(&mut phone, "dumpsys power").contains("mWakefulness=Asleep"));
}

#[test]
fn nothing_goes_on_for_ever() {
    for line in [
        "while true; do :; done",
        "while true; do sleep 100; done",
        "x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done",
        "while cat /dev/zero; do echo aaaaaaaaaaaaaaaaaa; done",
        "echo 'sh /sdcard/a; sh /sdcard/a' > /sdcard/a; sh /sdcard/a",
        "logcat",
    ] {
        let ran = lamp(AndroidVersion::default()).shell(line, b"");
        assert!(ran.stdout.len() <= 16 << 20, "{line}");
    }
    let deep = format!("{}echo{}", "$(".repeat(5_000), ")".repeat(5_000));
    assert_ne!(lamp(AndroidVersion::default()).shell(&deep, b"").code, 0);
    let deep = "{ ".repeat(100_000);
    assert_ne!(lamp(AndroidVersion::default()).shell(&deep, b"").code, 0);
}

fn word() -> impl Strategy<Value = String> {
    const KNOWN: [&str; 115] = [
        "am",
        "start",
        "-W",
        "-n",
        "org.lamp/.Main",
        "pm",
        "clear",
        "org.lamp",
        "install",
        "-S",
        "10",
        "input",
        "tap",
        "540",
        "700",
        "swipe",
        "text",
        "keyevent",
        "67",
        "4",
        "3",
        "uiautomator",
        "dump",
        "/dev/tty",
        "--compressed",
        "dumpsys",
        "window",
        "activity",
        "activities",
        "settings",
        "put",
        "system",
        "user_rotation",
        "1",
        "global",
        "accelerometer_rotation",
        "0",
        "wm",
        "size",
        "720x1280",
        "logcat",
        "-d",
        "-v",
        "long",
        "sleep",
        "70",
        "uninstall",
        ";",
        "&&",
        "||",
        "|",
        ">",
        "<",
        "2>&1",
        "$?",
        "$(",
        ")",
        "{",
        "}",
        "if",
        "then",
        "fi",
        "while",
        "do",
        "done",
        "'",
        "\"",
        "\\",
        "`",
        "$X",
        "X=1",
        "cat",
        "ls",
        "/sdcard",
        "*",
        "rm",
        "-rf",
        "cd",
        "grep",
        "sed",
        "s/a/b/",
        "for",
        "in",
        "screencap",
        "install-create",
        "install-write",
        "1234",
        "base",
        "-",
        "install-commit",
        "cmd",
        "package",
        "svc",
        "wifi",
        "disable",
        "connectivity",
        "airplane-mode",
        "enable",
        "monkey",
        "-p",
        "-c",
        "find",
        "printf",
        "%s",
        "head",
        "tail",
        "-c",
        "timeout",
        "xargs",
        "date",
        "+%s%q",
        "content",
        "insert",
        "--uri",
        "content://settings/system",
    ];
    prop_oneof![6 => proptest::sample::select(&KNOWN[..]).prop_map(str::to_string), 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_line_ends_and_the_phone_goes_on(words in prop::collection::vec(word(), 0..20), stdin in any::<Vec<u8>>()) {
        let mut phone = lamp(AndroidVersion::default());
        let line = words.join(" ");
        let first = phone.clone().shell(&line, &stdin);
        prop_assert_eq!(&phone.shell(&line, &stdin), &first);
        prop_assert!(first.stdout.len() <= 16 << 20 && first.stderr.len() <= 16 << 20);
        let ran = phone.shell("uiautomator dump /dev/tty", b"");
        prop_assert!(ran.stdout.starts_with(b"<?xml"));
    }
}
