//! Readers of real phones' texts: every recording gives the value that is known for it.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::Command;

use farlead::device::android::focus::{Dialog, Focus, focus};
use farlead::device::android::log::{Kind, Trouble, dropped, entries, identity, troubles};
use farlead::device::android::manifest::{Manifest, ManifestError};
use farlead::device::android::{display, keyboard, power};
use farlead::emulator::phone::AndroidVersion;

use crate::fixtures::{self, BinaryManifest, Pool};
use crate::{phone, shared};

fn read(name: &str) -> Option<String> {
    let bytes = fs::read(shared::path(&format!("android/{name}"))?).expect("a readable file");
    eprintln!("1 file read: {name}");
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the text of a file of our own.
fn own(name: &str) -> String {
    fixtures::text(&format!("android/{name}.txt"))
}

#[track_caller]
fn check_focus(name: &str, package: &str, activity: &str) -> Option<Focus> {
    let found = focus(&read(&format!("dumpsys/{name}.txt"))?).unwrap_or_else(|| panic!("{name}: no focus"));
    assert_eq!((&*found.package, &*found.activity), (package, activity), "{name}");
    Some(found)
}

#[test]
fn the_focus_of_each_recording_is_found() {
    let settings = "com.android.settings";
    for api in [26, 28, 29, 31, 33, 35, 36] {
        check_focus(&format!("window_windows_api{api}"), settings, "com.android.settings.Settings");
    }
    check_focus("window_windows_api25", "com.example.testapp", "com.example.testapp.MainActivity");
    check_focus(
        "window_displays_two_displays_focus_on_second",
        "eu.niko.smart.universal",
        "crc648a3abc16689e594e.MainActivity",
    );
    check_focus(
        "androidtv_focus_differs_from_app",
        "tunein.player",
        "tunein.ui.leanback.ui.activities.TvHomeActivity",
    );
    check_focus(
        "activity_two_resumed_lines",
        settings,
        "com.android.settings.homepage.SettingsHomepageActivity",
    );
    check_focus("activity_activities_api24_synthetic", "com.example.app", "com.example.app.MainActivity");
    check_focus("activity_starter_androidtv", "com.sony.dtv.tvx", "com.sony.dtv.tvx.MainActivity");
    if let Some(found) =
        check_focus("window_windows_dialog_anr", "com.example.app", "com.example.app.MainActivity")
    {
        assert_eq!(found.dialog, Some(Dialog { is_crash: false, process: "com.example.app".into() }));
    }
    for name in ["window_partial_jellybean", "package_lufthansa"] {
        let Some(text) = read(&format!("dumpsys/{name}.txt")) else { continue };
        assert_eq!(focus(&text), None, "{name}");
    }
}

#[test]
fn focus_screen_and_rotation_of_our_own_texts_are_read() {
    for (name, activity) in [
        ("window_api29", "org.example.shelf.Main"),
        ("window_displays", "org.example.shelf.deep.Row"),
        ("activities", "org.example.shelf.deep.Row"),
        ("window_dialog_anr", "org.example.shelf.Main"),
    ] {
        let found = focus(&own(&format!("dumpsys/{name}"))).unwrap_or_else(|| panic!("{name}: no focus"));
        assert_eq!((&*found.package, &*found.activity), ("org.example.shelf", activity), "{name}");
        let dialog = Dialog { is_crash: false, process: "org.example.shelf".into() };
        assert_eq!(found.dialog, (name == "window_dialog_anr").then_some(dialog), "{name}");
    }
    assert_eq!(focus(&own("dumpsys/package")), None);
    assert_eq!(focus(&own("dumpsys/power")), None);
    assert_eq!(power::is_lit(&own("dumpsys/power")), Some(false));
    assert_eq!(display::rotation(&own("dumpsys/window_api29")), Some(1));
    let shown = display::display(&own("dumpsys/window_displays")).expect("a display");
    assert_eq!((shown.size, shown.dpi), ((480, 800), 240));
}

#[test]
fn screen_and_rotation_of_each_recording_are_read() {
    let Some(text) = read("dumpsys/window_partial_jellybean.txt") else { return };
    assert_eq!(power::is_lit(&text), Some(true));
    for (api, turns) in [(26, 0), (28, 3), (29, 0), (31, 0)] {
        let text = read(&format!("dumpsys/window_windows_api{api}.txt")).expect("it is there");
        assert_eq!(display::rotation(&text), Some(turns), "{api}");
    }
}

/// Readers of real phones' texts also read what the simulated phone prints in the formats of each version.
#[test]
fn what_the_simulated_phone_says_is_read_in_every_version() {
    for version in AndroidVersion::ALL {
        let mut phone = phone::lamp(version);
        let mut said = |line: &str| String::from_utf8(phone.shell(line, b"").stdout).expect("text");
        let parts = [
            "dumpsys window displays; dumpsys window windows",
            "dumpsys window",
            "dumpsys activity activities",
        ];
        for (line, package, activity) in [
            ("am start -n org.lamp/.Main", "org.lamp", "org.lamp.Main"),
            ("input keyevent HOME", "com.android.launcher", "com.android.launcher2.Launcher"),
        ] {
            said(line);
            for part in parts {
                let found = focus(&said(part)).unwrap_or_else(|| panic!("{version:?}: {part}"));
                assert_eq!((&*found.package, &*found.activity), (package, activity), "{version:?}: {part}");
                assert_eq!(found.dialog, None, "{version:?}: {part}");
            }
        }
        assert_eq!(power::is_lit(&said("dumpsys power")), Some(true), "{version:?}");
        assert_eq!(power::is_lit(&said("dumpsys display")), Some(true), "{version:?}");
        assert_eq!(power::is_locked(&said("dumpsys window policy")), Some(false), "{version:?}");
        let size = display::size(&said("wm size")).expect("a size");
        let dpi = display::density(&said("wm density")).expect("a density");
        let shown = display::display(&said("dumpsys window displays")).expect("a display");
        assert_eq!((shown.size, shown.dpi, shown.size_now), (size, dpi, size), "{version:?}");
        assert_eq!(keyboard::is_shown(&said("dumpsys input_method")), Some(false), "{version:?}");
        for line in ["dumpsys window displays", "dumpsys display", "dumpsys input"] {
            assert_eq!(display::rotation(&said(line)), Some(0), "{version:?}: {line}");
        }
        said("settings put system accelerometer_rotation 0; settings put system user_rotation 1");
        assert_eq!(display::rotation(&said("dumpsys window displays")), Some(1), "{version:?}");
        said("input keyevent SLEEP");
        assert_eq!(power::is_lit(&said("dumpsys power")), Some(false), "{version:?}");
    }
}

#[test]
fn crashes_and_hangs_of_the_simulated_phone_are_found_in_every_version() {
    for version in AndroidVersion::ALL {
        for (button, kind, said_of_it) in
            [("crash", Kind::Java, "broken"), ("hang", Kind::Anr, "Input dispatching timed out")]
        {
            let mut phone = phone::lamp(version);
            phone.shell("am start -n org.lamp/.Main", b"");
            phone::tap(&mut phone, button);
            let mut said = |line: &str| String::from_utf8(phone.shell(line, b"").stdout).expect("text");
            let found = troubles(&said("logcat -d -b all"));
            assert_eq!(found.len(), 1, "{version:?}: {found:?}");
            assert_eq!((found[0].kind, &*found[0].message), (kind, said_of_it), "{version:?}");
            assert!(found[0].is_of("org.lamp"), "{version:?}: {found:?}");
            for format in ["brief", "long", "process", "raw", "tag", "thread", "threadtime", "time"] {
                let again = troubles(&said(&format!("logcat -d -b all -v {format}")));
                assert_eq!(again.first().map(|one| one.stack), Some(found[0].stack), "{version:?}: {format}");
            }
            let front = focus(&said("dumpsys window")).expect("a focus");
            let dialog = Dialog { is_crash: kind == Kind::Java, process: "org.lamp".into() };
            assert_eq!((front.dialog, &*front.activity), (Some(dialog), "org.lamp.Main"), "{version:?}");
        }
    }
}

/// Returns a crash as the tables of tests write it.
fn short(trouble: &Trouble) -> (Kind, &str, Option<u32>, &str) {
    (trouble.kind, &trouble.process, trouble.pid, &trouble.exception)
}

#[test]
fn the_lines_of_logs_of_our_own_are_read() {
    for name in ["brief", "process", "tag", "threadtime", "time"] {
        let text = own(&format!("logcat/format_{name}"));
        let found: Vec<(Option<&str>, &str)> =
            entries(&text).map(|entry| (entry.tag, entry.message)).collect();
        let expected =
            [(Some("shelfd"), "Two rows read"), (Some("Sync"), "no network, trying again"), (Some("a"), "")];
        assert_eq!(found, expected, "{name}");
        let pids: Vec<Option<u32>> = entries(&text).map(|entry| entry.pid).collect();
        let expected = if name == "tag" { [None; 3] } else { [Some(410), Some(512), Some(7)] };
        assert_eq!(pids, expected, "{name}");
    }
    let odd = own("logcat/odd_tags");
    let tags: Vec<&str> = entries(&odd).filter_map(|entry| entry.tag).collect();
    assert_eq!(tags, ["a,b", "(open", "", "Empty"]);
    let long = own("logcat/format_long");
    let found: Vec<(Option<&str>, Option<u32>, &str)> =
        entries(&long).map(|entry| (entry.tag, entry.pid, entry.message)).collect();
    let (one, other) = ((Some("shelfd"), Some(410)), (Some("Sync"), Some(512)));
    let expected = [(one, "Two rows read"), (other, "no network,"), (other, "trying again")];
    assert_eq!(found, expected.map(|((tag, pid), message)| (tag, pid, message)));
}

#[test]
fn the_lines_of_each_recording_are_read() {
    for name in ["brief", "process", "tag", "threadtime", "time"] {
        let Some(text) = read(&format!("logcat/format_{name}.txt")) else { return };
        let found: Vec<(Option<&str>, &str)> =
            entries(&text).map(|entry| (entry.tag, entry.message)).collect();
        let expected = [
            (Some("lowmemorykiller"), "Using psi monitors for memory pressure detection"),
            (Some("lowmemorykiller"), "Process polling is supported"),
            (Some("auditd"), "type=2000 audit(0.0:1): state=initialized audit_enabled=0 res=1"),
        ];
        assert_eq!(found, expected, "{name}");
        let pids: Vec<Option<u32>> = entries(&text).map(|entry| entry.pid).collect();
        let expected = if name == "tag" { [None; 3] } else { [Some(188), Some(188), Some(187)] };
        assert_eq!(pids, expected, "{name}");
    }
    let tricky = read("logcat/tricky_tags.txt").expect("it is there");
    let tags: Vec<&str> = entries(&tricky).filter_map(|entry| entry.tag).collect();
    let expected = [
        "Comma,Tag",
        "p/RegexishButInvalid(/",
        "RegexishButInvalid(",
        "/RegexishButInvalid(/",
        "`WifiProJNI",
        "",
        "BlankMessage",
        "`QosMonitor`",
    ];
    assert_eq!(tags, expected);
    let huawei = read("logcat/huawei_p10_log_snippet.txt").expect("it is there");
    assert_eq!(entries(&huawei).filter(|entry| entry.tag.is_some()).count(), 4);
    let long = read("logcat/emulator_api31_long.txt").expect("it is there");
    assert!(entries(&long).all(|entry| entry.tag.is_some() && entry.pid.is_some()));
    let heads = long.lines().filter(|line| line.starts_with("[ 03-25")).count();
    assert!(heads > 30 && entries(&long).count() >= heads, "{heads}");
}

#[test]
fn the_crashes_of_logs_of_our_own_are_found() {
    let text = own("logcat/crash");
    let found = troubles(&text);
    let expected = [
        (Kind::Java, "org.example.shelf", Some(4410), "java.lang.RuntimeException"),
        (Kind::Java, "org.example.player", Some(5120), "java.lang.IllegalStateException"),
    ];
    assert_eq!(found.iter().map(short).collect::<Vec<_>>(), expected);
    assert_eq!((&*found[0].message, &*found[1].message), ("Unable to start the row", "stopped"));
    assert!(found[0].trace.contains("Caused by: java.lang.ArithmeticException"), "{}", found[0].trace);
    // Lines of the source do not identify a crash, and functions do.
    assert_eq!(troubles(&text.replace("Main.java:31", "Main.java:99"))[0].stack, found[0].stack);
    assert_ne!(troubles(&text.replace("Main.open", "Main.close"))[0].stack, found[0].stack);
    let identities: Vec<_> = found.iter().map(|one| identity(one, &one.process)).collect();
    let expected = [
        "java.lang.ArithmeticException at org.example.shelf.Rows.count",
        "java.lang.IllegalStateException at org.example.player.Player.run",
    ];
    assert_eq!(identities, expected.map(|text| Some(text.to_string())));
    let text = own("logcat/anr");
    let found = troubles(&text);
    assert_eq!(identity(&found[0], "org.example.shelf"), None);
    let expected =
        [(Kind::Anr, "org.example.shelf", Some(4410), ""), (Kind::Anr, "org.example.player", Some(5120), "")];
    assert_eq!(found.iter().map(short).collect::<Vec<_>>(), expected);
    assert_eq!(found[0].message, "Input dispatching timed out (no window has focus)");
    assert!(found[0].is_of("org.example.shelf") && !found[0].is_of("org.example.player"));
    for quiet in ["format_time", "format_long", "odd_tags"] {
        assert_eq!(troubles(&own(&format!("logcat/{quiet}"))), [], "{quiet}");
    }
}

#[test]
fn what_a_drop_box_of_our_own_kept_is_found() {
    let found = dropped(&own("logcat/dropbox_crash"));
    let expected = [
        (Kind::Java, "org.example.shelf", Some(4410), "java.lang.RuntimeException"),
        (Kind::Java, "org.example.player", Some(5120), "java.lang.SecurityException"),
    ];
    assert_eq!(found.iter().map(short).collect::<Vec<_>>(), expected);
    assert_eq!(found[0].time, "2026-04-05 06:07:10");
    let found = dropped(&own("logcat/dropbox_anr"));
    let expected = [(Kind::Anr, "org.example.shelf", Some(4410), "")];
    assert_eq!(found.iter().map(short).collect::<Vec<_>>(), expected);
    assert!(found[0].message.starts_with("Input dispatching timed out"), "{}", found[0].message);
    let found = dropped(&own("logcat/tombstone"));
    let expected = [(Kind::Native, "org.example.shelf", Some(4410), "SIGSEGV")];
    assert_eq!(found.iter().map(short).collect::<Vec<_>>(), expected);
    assert!(found[0].trace.contains("#00 pc 0000000000000b10"), "{}", found[0].trace);
    let crash = "SIGSEGV at librows.so!count < libart.so!invoke";
    assert_eq!(identity(&found[0], "org.example.shelf").as_deref(), Some(crash));
}

#[test]
fn the_crashes_of_each_recording_are_found() {
    let Some(text) = read("logcat/android_runtime_crash.txt") else { return };
    let found = troubles(&text);
    let expected = (Kind::Java, "com.example.app", Some(12345), "java.lang.RuntimeException");
    assert_eq!(found.iter().map(short).collect::<Vec<_>>(), [expected]);
    assert!(found[0].message.starts_with("Unable to start activity ComponentInfo{com.example.app/"));
    assert!(found[0].trace.contains("Caused by: java.lang.NullPointerException"));
    assert_eq!(
        troubles(&text.replace("MainActivity.java:10", "MainActivity.java:99"))[0].stack,
        found[0].stack
    );
    assert_ne!(troubles(&text.replace("performCreate", "other"))[0].stack, found[0].stack);
    let crash = "java.lang.NullPointerException at com.example.app.MainActivity.onCreate";
    assert_eq!(identity(&found[0], "com.example.app").as_deref(), Some(crash));

    let found = troubles(&read("logcat/multiple_android_runtime_crashes.txt").expect("it is there"));
    let expected = [
        (Kind::Java, "com.example.app", Some(12345), "java.lang.RuntimeException"),
        (Kind::Java, "com.another.app", Some(54321), "java.lang.IllegalStateException"),
    ];
    assert_eq!(found.iter().map(short).collect::<Vec<_>>(), expected);
    assert_eq!(found[1].message, "Another crash");

    let found = troubles(&read("logcat/anr_crash.txt").expect("it is there"));
    let expected =
        [(Kind::Anr, "com.app.anr", Some(12345), ""), (Kind::Anr, "com.app.anr2", Some(67890), "")];
    assert_eq!(found.iter().map(short).collect::<Vec<_>>(), expected);
    assert_eq!(found[1].message, "Test ANR reason 2");
    assert!(found[0].is_of("com.app.anr") && !found[0].is_of("com.app.anr2"));

    let found = troubles(&read("logcat/anr_real_api27_emulator.txt").expect("it is there"));
    assert_eq!(
        found.iter().map(short).collect::<Vec<_>>(),
        [(Kind::Anr, "name.mlopatkin.shuttle", Some(18535), "")]
    );
    assert!(found[0].message.starts_with("Input dispatching timed out (Waiting because no window has focus"));

    for quiet in ["emulator_api31_long", "huawei_p10_log_snippet", "tricky_tags", "format_time"] {
        assert_eq!(troubles(&read(&format!("logcat/{quiet}.txt")).expect("it is there")), [], "{quiet}");
    }
}

#[test]
fn what_the_drop_box_kept_is_found() {
    let Some(text) = read("logcat/dropbox_data_app_crash.txt") else { return };
    let found = dropped(&text);
    let expected = [
        (Kind::Java, "com.test.app.jetpack", Some(9667), "java.lang.RuntimeException"),
        (Kind::Java, "com.test.app.jetpack1", Some(2816), "java.lang.SecurityException"),
    ];
    assert_eq!(found.iter().map(short).collect::<Vec<_>>(), expected);
    assert_eq!(found[0].time, "2025-10-24 16:33:24");
    let crash = "java.lang.RuntimeException at com.test.app.jetpack.CrashActivity.onCreate";
    assert_eq!(identity(&found[0], "com.test.app.jetpack").as_deref(), Some(crash));

    let found = dropped(&read("logcat/dropbox_data_app_anr.txt").expect("it is there"));
    let expected =
        [(Kind::Anr, "com.test.app.anr", Some(4251), ""), (Kind::Anr, "com.test.app.anr2", Some(6718), "")];
    assert_eq!(found.iter().map(short).collect::<Vec<_>>(), expected);
    assert!(found[0].message.starts_with("Broadcast of Intent"));

    let found = dropped(&read("logcat/dropbox_system_tombstone.txt").expect("it is there"));
    let crasher = (Kind::Native, "com.test.app.nativecrasher", Some(4220), "SIGSEGV");
    assert_eq!(short(&found[0]), crasher);
    assert!(found[0].trace.contains("#00 pc 00000611"));
    let crash = identity(&found[0], "com.test.app.nativecrasher").expect("an identity");
    assert!(crash.starts_with("SIGSEGV at libcrasher.so!Java_com_google_android_"), "{crash}");
    assert!(
        crash.ends_with(
            "_crash < libart.so!art_quick_generic_jni_trampoline < libart.so!art_quick_invoke_stub"
        )
    );
    assert!(found.iter().all(|one| one.kind == Kind::Native && !one.process.is_empty()));
}

fn manifest(path: &Path) -> Result<Manifest, ManifestError> {
    Manifest::read(Cursor::new(fs::read(path).expect("a readable file")))
}

#[test]
fn manifests_of_our_own_say_what_was_written() {
    let usual = BinaryManifest::default();
    let expected = Manifest {
        package: "org.example.shelf".into(),
        version: "2.0".into(),
        version_code: "7".into(),
        label: "Shelf".into(),
        launchable: vec!["org.example.shelf.Main".into()],
        activities: vec!["org.example.shelf.Main".into(), "org.example.shelf.deep.Row".into()],
        aliases: vec![],
        is_test_only: false,
    };
    assert_eq!(Manifest::read(Cursor::new(fixtures::apk(&usual))).expect("a manifest"), expected);
    // As other tools write them; Android accepts them.
    for odd in [
        BinaryManifest { pool: Pool::Utf8, ..usual.clone() },
        BinaryManifest { pool: Pool::Unterminated, ..usual.clone() },
        BinaryManifest { extra_length: 1_000, ..usual.clone() },
        BinaryManifest { attributes_start: 24, ..usual.clone() },
        BinaryManifest { package: "org.example.shelf\0\0", ..usual.clone() },
    ] {
        assert_eq!(Manifest::of_binary(&odd.bytes(), b"").expect("a manifest"), expected, "{odd:?}");
    }
    let test = BinaryManifest { is_test_only: true, label: "本棚", ..usual.clone() };
    let read = Manifest::of_binary(&test.bytes(), b"").expect("a manifest");
    assert_eq!((read.is_test_only, &*read.label), (true, "本棚"));
    let split = BinaryManifest { split: "config.en", ..usual };
    match Manifest::of_binary(&split.bytes(), b"") {
        Err(ManifestError::Split { package, split }) => {
            assert_eq!((&*package, &*split), ("org.example.shelf", "config.en"));
        }
        other => panic!("{other:?}"),
    }
    let fake = Manifest::read(Cursor::new(b"no archive"));
    assert!(matches!(fake, Err(ManifestError::Apk(_))), "{fake:?}");
}

#[test]
fn the_manifests_of_apks_say_what_aapt_says() {
    let Some(folder) = shared::path("android/apk") else { return };
    let text = fs::read_to_string(folder.join("expected_aapt.json")).expect("a readable file");
    let expected: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for (name, expected) in expected.as_object().expect("an object") {
        let read = manifest(&folder.join(name));
        let value = |key: &str| expected[key].as_str().unwrap_or_default().to_string();
        if !value("split").is_empty() {
            match read {
                Err(ManifestError::Split { package, split }) => {
                    assert_eq!((package, split), (value("package"), value("split")), "{name}");
                }
                other => panic!("{name}: {other:?}"),
            }
            continue;
        }
        let read = read.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read.package, value("package"), "{name}");
        assert_eq!(read.version, value("version_name"), "{name}");
        assert_eq!(read.version_code, value("version_code"), "{name}");
        assert_eq!(read.label, value("label"), "{name}");
        let launchable: Vec<&str> = expected["launchable"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|one| one.as_str())
            .collect();
        assert_eq!(read.launchable, launchable, "{name}");
        assert!(read.launchable.iter().all(|one| read.activities.contains(one)), "{name}");
        assert_eq!(read.is_test_only, expected["testonly"].as_bool().unwrap_or(false), "{name}");
    }
    eprintln!("{} APKs read", expected.as_object().map_or(0, serde_json::Map::len));
    let fake = manifest(&folder.join("adam-sample-fake.apk"));
    assert!(matches!(fake, Err(ManifestError::Apk(_))), "{fake:?}");
}

/// Packages as `aapt` reads them; it calls the last file corrupt, which Android accepts.
#[test]
fn odd_manifests_are_read_as_aapt_reads_them() {
    let Some(folder) = shared::path("android/axml") else { return };
    for (name, package, version) in [
        ("AndroidManifest", "org.t0t0.androguard.TC", "1.0"),
        ("AndroidManifest-Chinese", "com.hotel", "1.7.2"),
        ("AndroidManifestNonZeroStyle", "co.download.video", "1.0"),
        ("AndroidManifestNullbytes", "com.ditc.automobilityxxxxxxxxxxxx", "0.0"),
        ("AndroidManifestTextChunksXML", "com.tslstudio.tsladsudoku", "3.58"),
        ("AndroidManifestUTF8Strings", "com.easylocker.bbottles.zt", "1.2.1"),
        ("AndroidManifest_StringNotTerminated", "com.swampy.sexpos", "1.62"),
        ("AndroidManifestWrongFilesize", "com.swampy.sexpos", "1.62"),
    ] {
        let bytes = fs::read(folder.join(format!("{name}.xml"))).expect("a readable file");
        let read = Manifest::of_binary(&bytes, b"").unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((&*read.package, &*read.version), (package, version), "{name}");
        assert!(!read.launchable.is_empty(), "{name}: {read:?}");
        eprintln!("1 manifest read: {name}");
    }
}

#[test]
fn our_own_apks_are_read_as_aapt_reads_them() {
    let model = phone::bundled("chesswalk.app");
    let packed = farlead::device::sim::apk::Manifest::of(&model);
    let apk = farlead::device::sim::apk::pack(&packed, "app").expect("an APK");
    let read = Manifest::read(Cursor::new(&apk)).expect("a manifest");
    assert_eq!(read.launchable, packed.launchable);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("manifest");
    fs::create_dir_all(&folder).expect("a folder for tests");
    let path = folder.join("chesswalk.apk");
    fs::write(&path, apk).expect("a file for a test");
    let Ok(ended) = Command::new("aapt").args(["dump", "badging"]).arg(&path).output() else {
        eprintln!("skipped: aapt cannot be run");
        return;
    };
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    for class in &read.launchable {
        assert!(said.contains(&format!("launchable-activity: name='{class}'")), "{said}");
    }
    assert!(said.contains(&format!("application-label:'{}'", read.label)), "{said}");
}
