//! Answers of commands, as their readers need them: the lines of recordings, and the programs in exports.

use super::*;
use crate::fixtures;

const ALL: [AndroidVersion; 7] = AndroidVersion::ALL;

fn start(phone: &mut Phone) {
    said(phone, "am start -n org.lamp/.Main");
}

#[test]
fn the_launcher_is_in_front_until_the_app_is_started() {
    let mut phone = lamp(AndroidVersion::default());
    assert_eq!(texts(&mut phone), ["Lamp"]);
    assert!(said(&mut phone, "dumpsys window").contains("com.android.launcher"));
    let ran = phone.shell("am start -W -n org.lamp/.Main", b"");
    let expected = "Starting: Intent { cmp=org.lamp/.Main }\nStatus: ok\nLaunchState: COLD\nActivity: org.lamp/.Main\n\
                    TotalTime: 500\nWaitTime: 503\nComplete\n";
    assert_eq!(String::from_utf8_lossy(&ran.stdout), expected);
    assert_eq!(texts(&mut phone)[0], "on");
    let again = phone.shell("am start -W -n org.lamp/.Main", b"");
    assert!(String::from_utf8_lossy(&again.stderr).contains("intent has been delivered"));
    said(&mut phone, "input keyevent HOME");
    let back = phone.shell("am start -W -n org.lamp/.Main 2>&1", b"");
    assert!(String::from_utf8_lossy(&back.stdout).contains("brought to the front"));
}

#[test]
fn what_cannot_be_started_is_said() {
    for (version, code) in [(AndroidVersion::V9, 0), (AndroidVersion::V13, 1)] {
        let mut phone = lamp(version);
        let ran = phone.shell("am start -n org.lamp/.None", b"");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(said, "Error type 3\nError: Activity class {org.lamp/org.lamp.None} does not exist.\n");
        assert_eq!(ran.code, code);
        let ran = phone.shell("am start -n org.lamp/.deep.Second", b"");
        assert!(String::from_utf8_lossy(&ran.stderr).contains("not exported"));
        let ran = phone.shell("am start -a android.intent.action.VIEW -d http://a.b", b"");
        assert!(String::from_utf8_lossy(&ran.stderr).contains("unable to resolve Intent"));
    }
}

#[test]
fn the_focus_is_found_where_each_version_says_it() {
    let full = "org.lamp/org.lamp.Main";
    for version in ALL {
        let mut phone = lamp(version);
        start(&mut phone);
        let windows = said(&mut phone, "dumpsys window windows");
        let displays = said(&mut phone, "dumpsys window displays");
        let whole = said(&mut phone, "dumpsys window");
        let focused = regex_of(r"mCurrentFocus=Window\{[0-9a-f]+ u0 ([^ }]+)\}");
        // The pattern with which clients of every version find an activity in a line.
        let app = regex_of(r"ActivityRecord\{\S+ u\d+ ([\w.]+)/([\w.$]+)\}? t\d+\}");
        let in_windows = version <= AndroidVersion::V9;
        assert_eq!(windows.contains("mCurrentFocus="), in_windows, "{version:?}");
        assert_eq!(displays.contains("mCurrentFocus="), !in_windows, "{version:?}");
        let place = if in_windows { &windows } else { &displays };
        assert_eq!(&focused.captures(place).expect("a focus")[1], full, "{version:?}");
        let record = app.captures(place).expect("an activity");
        assert_eq!((&record[1], &record[2]), ("org.lamp", ".Main"), "{version:?}");
        assert!(whole.contains("mFocusedApp=") && whole.contains("cur=1080x1920"), "{version:?}");
        let targets = ["imeControlTarget in display# 0 Window{", "mInputMethodTarget in display# 0 Window{"];
        assert_eq!(windows.contains(targets[0]), version >= AndroidVersion::V13, "{version:?}");
        assert_eq!(windows.contains(targets[1]), version == AndroidVersion::V11, "{version:?}");
        let activities = said(&mut phone, "dumpsys activity activities");
        let resumed = match version {
            AndroidVersion::V7 => "mFocusedActivity: ActivityRecord{",
            AndroidVersion::V8 | AndroidVersion::V9 | AndroidVersion::V10 | AndroidVersion::V11 => {
                "mResumedActivity: ActivityRecord{"
            }
            AndroidVersion::V13 | AndroidVersion::V16 => "topResumedActivity=ActivityRecord{",
        };
        let line = activities.lines().find(|line| line.contains(resumed)).expect("an activity");
        assert_eq!(&app.captures(line).expect("an activity")[2], ".Main", "{version:?}");
    }
}

fn regex_of(text: &str) -> regex::Regex {
    regex::Regex::new(text).expect("a pattern")
}

#[test]
fn a_dump_is_written_letter_by_letter_as_android_does() {
    let text = "app a.b \"A\" 1\ndisplay 480x800 240dpi\nlaunch Main\nactivity Main .Main {\n\
                Button #go \"<a> & \\\"b\\\" 'c'\\n\\u{e9}\\u{1f600}\\u{1}\" at 0,0 480,72\n\
                ImageButton at 0,72 72,144 -> finish\n}";
    let mut phone = Phone::new(model_of(text), Seed(1), AndroidVersion::V13);
    said(&mut phone, "am start -n a.b/.Main");
    let dumped = said(&mut phone, "uiautomator dump && cat /sdcard/window_dump.xml");
    let expected = "UI hierchary dumped to: /sdcard/window_dump.xml\n\
        <?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">\
        <node index=\"0\" text=\"&lt;a&gt; &amp; &quot;b&quot; 'c'&#10;é&#128512;.\" resource-id=\"a.b:id/go\" \
        class=\"android.widget.Button\" package=\"a.b\" content-desc=\"\" checkable=\"false\" checked=\"false\" \
        clickable=\"false\" enabled=\"true\" focusable=\"false\" focused=\"false\" scrollable=\"false\" \
        long-clickable=\"false\" password=\"false\" selected=\"false\" bounds=\"[0,0][480,72]\" />\
        <node NAF=\"true\" index=\"1\" text=\"\" resource-id=\"\" class=\"android.widget.ImageButton\" package=\"a.b\" \
        content-desc=\"\" checkable=\"false\" checked=\"false\" clickable=\"true\" enabled=\"true\" focusable=\"true\" \
        focused=\"false\" scrollable=\"false\" long-clickable=\"false\" password=\"false\" selected=\"false\" \
        bounds=\"[0,72][72,144]\" /></hierarchy>";
    assert_eq!(dumped, expected);
    let nowhere = said(&mut phone, "uiautomator dump /none/a.xml; ls /sdcard/window_dump.xml");
    assert!(nowhere.starts_with("UI hierchary dumped to: /none/a.xml\n"));
    assert!(said(&mut phone, "logcat -d").contains("failed to dump window to file"));
}

/// Returns the names of the attributes of the first node of a dump.
fn attributes(xml: &str) -> Vec<String> {
    let start = xml.find("<node ").expect("a node");
    let node = &xml[start..start + xml[start..].find('>').expect("its end")];
    regex_of(r#"([-\w]+)=""#).captures_iter(node).map(|name| name[1].to_string()).collect()
}

#[track_caller]
fn check_attributes(recorded: &str, version: AndroidVersion) {
    let mut phone = lamp(version);
    start(&mut phone);
    assert_eq!(attributes(&said(&mut phone, "uiautomator dump /dev/tty")), attributes(recorded));
}

#[test]
fn attributes_come_in_the_order_of_dumps_of_our_own() {
    for (file, version) in [("shelf_api27.xml", AndroidVersion::V8), ("shelf_api36.xml", AndroidVersion::V16)]
    {
        check_attributes(&fixtures::text(&format!("android/ui/{file}")), version);
    }
}

#[test]
fn attributes_come_in_the_order_of_recordings() {
    for (file, version) in
        [("avc_launcher_api27.xml", AndroidVersion::V8), ("nora_home_api36.xml", AndroidVersion::V16)]
    {
        let Some(path) = crate::shared::path(&format!("android/ui/{file}")) else { continue };
        check_attributes(&std::fs::read_to_string(path).expect("a readable recording"), version);
        eprintln!("1 dump read");
    }
}

#[test]
fn what_is_typed_goes_where_the_focus_is() {
    let mut phone = lamp(AndroidVersion::default());
    start(&mut phone);
    tap(&mut phone, "name");
    said(&mut phone, "input text 'a%sb'; input keyevent 29 KEYCODE_B 7 62 67 67; input keyevent DEL");
    assert!(texts(&mut phone).contains(&"a ba".to_string()), "{:?}", texts(&mut phone));
    let ran = phone.shell("input text 'é'", b"");
    assert!(String::from_utf8_lossy(&ran.stderr).contains("NullPointerException"));
    assert!(lamp(AndroidVersion::V9).shell("input text a b", b"").code != 0);
}

#[test]
fn what_is_stored_outlives_a_stop_and_not_a_clear() {
    let mut phone = lamp(AndroidVersion::default());
    start(&mut phone);
    tap(&mut phone, "name");
    said(&mut phone, "input text oil");
    tap(&mut phone, "keep");
    assert_eq!(said(&mut phone, "am force-stop org.lamp; pidof org.lamp || echo gone"), "gone\n");
    assert_eq!(texts(&mut phone), ["Lamp"]);
    start(&mut phone);
    assert!(texts(&mut phone).contains(&"kept: oil".to_string()));
    assert_eq!(said(&mut phone, "pm clear org.lamp"), "Success\n");
    start(&mut phone);
    assert!(texts(&mut phone).contains(&"kept: nothing".to_string()));
    assert_eq!(phone.shell("pm clear org.none", b"").stdout, b"Failed\n");
}

#[test]
fn a_crash_is_in_the_log_and_over_the_launcher() {
    let mut phone = lamp(AndroidVersion::default());
    start(&mut phone);
    let pid = said(&mut phone, "pidof org.lamp").trim().to_string();
    assert_eq!(said(&mut phone, "logcat -b crash -d"), "");
    tap(&mut phone, "crash");
    let log = said(&mut phone, "logcat -b crash -d -v threadtime");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[0], "--------- beginning of crash");
    assert!(lines[1].ends_with("E AndroidRuntime: FATAL EXCEPTION: main"), "{log}");
    assert!(lines[2].ends_with(&format!("E AndroidRuntime: Process: org.lamp, PID: {pid}")), "{log}");
    assert!(lines[3].ends_with("E AndroidRuntime: java.lang.IllegalStateException: broken"), "{log}");
    assert!(lines[4].ends_with("E AndroidRuntime: \tat org.lamp.Main.onClick(Main.java:7)"), "{log}");
    assert!(said(&mut phone, "dumpsys window").contains("Application Error: org.lamp"));
    assert_eq!(phone.shell("pidof org.lamp", b"").code, 1);
    assert_eq!(said(&mut phone, "logcat -b crash -c; logcat -b crash -d"), "");
    tap(&mut phone, "OK");
    assert_eq!(texts(&mut phone), ["Lamp"]);
}

#[test]
fn an_app_that_hangs_is_said_to() {
    let mut phone = lamp(AndroidVersion::default());
    start(&mut phone);
    tap(&mut phone, "hang");
    assert!(said(&mut phone, "dumpsys window").contains("Application Not Responding: org.lamp"));
    assert!(said(&mut phone, "logcat -d -s ActivityManager:E").contains("ANR in org.lamp (org.lamp/.Main)"));
    assert_eq!(said(&mut phone, "logcat -b crash -d"), "");
    tap(&mut phone, "Wait");
    assert_eq!(texts(&mut phone)[0], "on");
}

#[test]
fn the_log_has_the_forms_of_recordings() {
    let patterns = [
        ("brief", r"^[VDIWEF]/.{8,}\(\s*\d+\): "),
        ("process", r"^[VDIWEF]\(\s*\d+\) .*  \(.*\)$"),
        ("tag", r"^[VDIWEF]/.{8,}: "),
        ("threadtime", r"^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +\d+ +\d+ [VDIWEF] .{8,}: "),
        ("time", r"^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [VDIWEF]/.{8,}\(\s*\d+\): "),
    ];
    let mut phone = lamp(AndroidVersion::default());
    start(&mut phone);
    for (format, pattern) in patterns {
        let pattern = regex_of(pattern);
        let all_fit = |text: &str| {
            text.lines().filter(|line| !line.starts_with("---")).all(|line| pattern.is_match(line))
        };
        let log = said(&mut phone, &format!("logcat -d -v {format}"));
        assert!(log.lines().count() > 2 && all_fit(&log), "{format}: {log}");
        assert!(all_fit(&fixtures::text(&format!("android/logcat/format_{format}.txt"))), "{format}");
        if let Some(path) = crate::shared::path(&format!("android/logcat/format_{format}.txt")) {
            let recorded = std::fs::read_to_string(path).expect("a readable recording");
            assert!(all_fit(recorded.lines().take(20).collect::<Vec<_>>().join("\n").as_str()), "{format}");
            eprintln!("1 log read");
        }
    }
    assert_eq!(said(&mut phone, "logcat -d -t 1 -v raw | wc -l"), "2\n");
    assert_eq!(said(&mut phone, "logcat -d '*:S'"), "");
}

#[test]
fn the_phone_is_held_lit_and_connected_as_it_is_told() {
    let mut phone = lamp(AndroidVersion::default());
    start(&mut phone);
    said(&mut phone, "settings put system user_rotation 1");
    assert_eq!(dump(&mut phone).0, 0, "the sensor says otherwise");
    said(&mut phone, "'settings' 'put' 'system' 'accelerometer_rotation' '0'");
    assert_eq!(dump(&mut phone).0, 1);
    assert!(said(&mut phone, "dumpsys window").contains(" cur=1920x1080 "));
    assert!(said(&mut phone, "dumpsys display").contains("orientation=1, "));
    said(&mut phone, "settings put system user_rotation 0");
    assert_eq!(dump(&mut phone).0, 0);
    said(&mut phone, "input keyevent 223; input tap 540 100");
    assert!(said(&mut phone, "dumpsys power").contains("mWakefulness=Asleep"));
    said(&mut phone, "input keyevent 26");
    assert!(said(&mut phone, "dumpsys power").contains("mWakefulness=Awake"));
    assert_eq!(
        said(&mut phone, "settings get global airplane_mode_on; settings get global none"),
        "0\nnull\n"
    );
    said(&mut phone, "cmd connectivity airplane-mode enable");
    assert_eq!(
        said(&mut phone, "settings get global airplane_mode_on; cmd connectivity airplane-mode"),
        "1\nenabled\n"
    );
    assert_eq!(
        said(&mut phone, "wm size 720x1280; wm size"),
        "Physical size: 1080x1920\nOverride size: 720x1280\n"
    );
    assert!(dump(&mut phone).1.iter().all(|node| !node.value("bounds").contains("1080")));
    assert_eq!(said(&mut phone, "wm size reset; wm density"), "Physical density: 420\n");
}

#[test]
fn an_app_that_was_packed_is_installed_in_every_way() {
    let text = LAMP.replace("\"on\"", "\"switch\"");
    let model = model_of(&text);
    let apk = pack(&Manifest::of(&model), &text).expect("a small model");
    let length = apk.len();
    let is_new = |phone: &mut Phone| {
        start(phone);
        texts(phone)[0] == "switch"
    };
    let mut phone = lamp(AndroidVersion::default());
    let ran = phone.abb(&["package", "install", "-r", "-g", "-t", "-S", &length.to_string()], &apk);
    assert_eq!((&*ran.stdout, ran.code), (&b"Success\n"[..], 0));
    assert!(is_new(&mut phone));
    let mut phone = lamp(AndroidVersion::default());
    phone.write("/data/local/tmp/a.apk", 0o644, 0, &apk).expect("room");
    assert_eq!(said(&mut phone, "pm 'install' '-r' '/data/local/tmp/a.apk'"), "Success\n");
    assert!(is_new(&mut phone));
    let mut phone = lamp(AndroidVersion::default());
    assert_eq!(
        said(&mut phone, &format!("cmd package install-create -S {length} '-r'")),
        "Success: created install session [1234]\n"
    );
    let ran = phone.shell(&format!("cmd package install-write -S {length} 1234 base.apk -"), &apk);
    assert_eq!(ran.stdout, format!("Success: streamed {length} bytes\n").into_bytes());
    assert_eq!(said(&mut phone, "cmd package install-commit 1234"), "Success\n");
    assert!(is_new(&mut phone));
    assert_eq!(said(&mut phone, "cmd package 'uninstall' 'org.lamp'; pm list packages -3"), "Success\n");
    assert_eq!(texts(&mut phone), [""; 0]);
    assert_eq!(phone.shell("monkey -p org.lamp -c android.intent.category.LAUNCHER 1", b"").code, 252);
    let ran = phone.abb(&["package", "install", "-S", "3"], b"abc");
    assert!(ran.stdout.starts_with(b"Failure [INSTALL_PARSE_FAILED_NOT_APK: "));
}

#[track_caller]
fn check_installed(apk: &[u8], package: &str) {
    let mut phone = lamp(AndroidVersion::default());
    let ran = phone.abb(&["package", "install", "-S", &apk.len().to_string()], apk);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "Success\n");
    assert_eq!(said(&mut phone, &format!("pm list packages -3 {package}")), format!("package:{package}\n"));
}

#[test]
fn an_app_of_our_own_that_was_not_packed_is_installed_and_listed() {
    check_installed(&fixtures::apk(&fixtures::BinaryManifest::default()), "org.example.shelf");
}

#[test]
fn the_apps_of_others_are_installed_and_listed() {
    for (file, package) in [
        ("adam-app-debug.apk", "com.example"),
        ("appium-uiautomator2-server-debug-androidTest.apk", "io.appium.uiautomator2.server.test"),
    ] {
        let Some(path) = crate::shared::path(&format!("android/apk/{file}")) else { continue };
        check_installed(&std::fs::read(path).expect("a readable file"), package);
        eprintln!("1 APK read");
    }
}

#[test]
fn packages_are_told_with_their_paths_versions_and_activities() {
    let mut phone = lamp(AndroidVersion::default());
    assert_eq!(
        said(&mut phone, "pm list packages -3 -f"),
        "package:/data/app/org.lamp-1/base.apk=org.lamp\n"
    );
    assert_eq!(said(&mut phone, "pm path org.lamp"), "package:/data/app/org.lamp-1/base.apk\n");
    assert_eq!(phone.shell("pm path org.none", b"").code, 1);
    let resolved =
        said(&mut phone, "cmd package resolve-activity --brief -c android.intent.category.LAUNCHER org.lamp");
    assert_eq!(resolved.lines().last(), Some("org.lamp/.Main"));
    let dumped = said(&mut phone, "dumpsys package org.lamp");
    assert!(
        dumped.contains("versionName=1.5")
            && dumped.contains("org.lamp/.Main filter")
            && dumped.contains("granted=true")
    );
    assert!(
        said(&mut phone, "monkey -p org.lamp -c android.intent.category.LAUNCHER 1")
            .contains("Events injected: 1")
    );
    assert_eq!(said(&mut phone, "getprop ro.build.version.sdk; getprop none"), "33\n\n");
    assert!(said(&mut phone, "getprop").contains("[sys.boot_completed]: [1]\n"));
}

#[test]
fn a_picture_is_a_png_of_the_display() {
    let mut phone = lamp(AndroidVersion::default());
    start(&mut phone);
    let png = phone.shell("screencap -p", b"").stdout;
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&png[16..24], &[0, 0, 4, 56, 0, 0, 7, 128], "1080x1920");
    let rows = unpacked(&png);
    let raw = phone.shell("screencap", b"").stdout;
    assert!(
        rows.chunks(1 + 1080 * 4).zip(raw[16..].chunks(1080 * 4)).all(|(row, pixels)| row[1..] == *pixels)
    );
    assert_eq!(rows.len(), 1920 * (1 + 1080 * 4));
    assert_eq!(raw.len(), 16 + 1080 * 1920 * 4);
    let picture = phone.framebuffer();
    assert_eq!((picture.width, picture.height, &picture.rgba[..]), (1080, 1920, &raw[16..]));
    assert!(picture.rgba.chunks(4).any(|pixel| pixel[0] < 50));
}

/// Returns the rows of a PNG, each after its filter byte; checks all chunks and their checksums.
fn unpacked(png: &[u8]) -> Vec<u8> {
    let (mut at, mut packed, mut names) = (8, Vec::new(), Vec::new());
    while at < png.len() {
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
        let end = at + 8 + number(at) as usize;
        let mut sum = flate2::Crc::new();
        sum.update(&png[at + 4..end]);
        assert_eq!(sum.sum(), number(end));
        names.push(&png[at + 4..at + 8]);
        if png[at + 4..at + 8] == *b"IDAT" {
            packed.extend_from_slice(&png[at + 8..end]);
        }
        at = end + 4;
    }
    assert_eq!(names, [b"IHDR", b"IDAT", b"IEND"]);
    let mut rows = Vec::new();
    let mut reader = flate2::read::ZlibDecoder::new(&packed[..]);
    std::io::Read::read_to_end(&mut reader, &mut rows).expect("a whole stream");
    rows
}

#[test]
fn looks_change_nothing_and_draw_no_chance() {
    let text = "app a.b \"A\" 1\nlaunch Main\nactivity Main .Main { own n = 0 Button \"{n}\" -> n = random(0, 999) }";
    let run = |looks: &str| -> Vec<String> {
        let mut phone = Phone::new(model_of(text), Seed(5), AndroidVersion::default());
        said(&mut phone, "am start -n a.b/.Main");
        (0..8)
            .map(|_| {
                said(&mut phone, "input tap 540 50");
                said(&mut phone, looks);
                texts(&mut phone).concat()
            })
            .collect()
    };
    let plain = run("true");
    assert_eq!(
        plain,
        run(
            "uiautomator dump; dumpsys window >/dev/null; logcat -d >/dev/null; screencap /sdcard/a; sleep 1"
        )
    );
    assert!(plain.iter().collect::<std::collections::BTreeSet<_>>().len() > 4);
}

#[test]
fn a_reboot_ends_apps_and_keeps_files() {
    let mut phone = lamp(AndroidVersion::default());
    start(&mut phone);
    said(&mut phone, "echo a > /sdcard/a; input keyevent SLEEP");
    phone.reboot();
    assert_eq!(texts(&mut phone), ["Lamp"]);
    assert_eq!(said(&mut phone, "cat /sdcard/a; pidof org.lamp || echo none"), "a\nnone\n");
    assert_eq!(phone.read("/sdcard/a").as_deref(), Ok(&b"a\n"[..]));
    assert!(phone.list("/sdcard").expect("a folder").iter().any(|(name, _)| name == "a"));
    assert!(phone.stat("/sdcard").expect("a folder").is_folder());
}
