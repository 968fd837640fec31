//! `farlead model` as a user runs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use farlead::device::sim::apk::unpack_model;

use crate::apk::badging;
use crate::cli::{Ended, command, farlead, file};

const MODEL: &str = "\
app org.example.notes \"My <Notes>\" 1.0
param fixed = false
launch Main
activity Main .MainActivity {
    Button \"About\" enabled (!fixed) -> open About
    Button desc \"More\" -> show Menu
}
popup Menu { Button \"Close & \\\"go\\\"\" -> close }
dialog Sure { Button \"Yes\" -> close }
activity About .AboutActivity { Button \"Ask\" -> show Sure }
";

const MISTAKEN: &str = "app a.b \"A\" 1\nlaunch Main\nactivity Main .Main { Button \"B\" -> open Mian }\n";

fn model(name: &str, text: &str) -> String {
    file(name, text).to_str().expect("a path in letters").to_string()
}

/// Removes the folder of the files from the output.
fn shortened(mut ended: Ended) -> Ended {
    let folder = format!("{}/", file("any", "").parent().expect("a folder").display());
    ended.stdout = ended.stdout.replace(&folder, "");
    ended.stderr = ended.stderr.replace(&folder, "");
    ended
}

#[test]
fn check_says_mistakes_and_what_a_model_has() {
    let (good, bad) = (model("good.app", MODEL), model("bad.app", MISTAKEN));
    let ended = shortened(farlead(&["model", "check", &good, &bad], ""));
    assert_eq!((ended.code, &*ended.stderr), (3, ""));
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(
        lines[0],
        "good.app: org.example.notes \"My <Notes>\" 1.0: 2 activities, 1 dialog, 1 popup, 5 widgets, 1 parameter"
    );
    assert!(lines[1].starts_with("bad.app:3:42: error: "), "{}", ended.stdout);
    assert_eq!(lines.last(), Some(&"1 model in 2 files: 1 mistake, 0 warnings"));
    assert_eq!(farlead(&["model", "check", &good], "").code, 0);
}

#[test]
fn check_as_json_has_a_line_for_each_thing_it_says() {
    let (good, bad) = (model("good-json.app", MODEL), model("bad-json.app", MISTAKEN));
    let ended = shortened(farlead(&["model", "check", "--json", &good, &bad, "no-such.app"], ""));
    assert_eq!(ended.code, 3);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    let diagnostic = r#"{"event":"diagnostic","file":"bad-json.app","line":3,"column":42,"end_line":3,"end_column":46,"severity":"error","code":"#;
    assert!(lines[1].starts_with(diagnostic), "{}", lines[1]);
    assert_eq!(
        [&lines[..1], &lines[2..]].concat(),
        [
            r#"{"event":"model","file":"good-json.app","package":"org.example.notes","label":"My <Notes>","version":"1.0","launchable":["org.example.notes.MainActivity"],"activities":2,"dialogs":1,"popups":1,"widgets":5,"parameters":1}"#,
            r#"{"event":"unreadable","file":"no-such.app","message":"cannot read no-such.app: there is no such file"}"#,
            r#"{"event":"summary","files":3,"models":1,"errors":2,"warnings":0}"#,
        ]
    );
    assert!(ended.stderr.starts_with("farlead: cannot read no-such.app: "), "{}", ended.stderr);
}

#[test]
fn what_nothing_leads_to_is_a_warning_that_strict_counts() {
    let path = model("lost.app", &format!("{MODEL}activity Lost .Lost {{}}\n"));
    let ended = farlead(&["model", "check", &path], "");
    assert!(ended.code == 0 && ended.stdout.contains(": warning: "), "{}", ended.stdout);
    assert_eq!(farlead(&["model", "check", "--strict", &path], "").code, 3);
}

#[test]
fn bytes_that_are_no_text_are_a_mistake_with_a_place() {
    let path = file("latin.app", b"app a.b \"gr\xfc\xdf\" 1\n");
    let ended = shortened(farlead(&["model", "check", path.to_str().expect("a path in letters")], ""));
    assert_eq!(ended.code, 3);
    assert!(
        ended.stdout.starts_with("latin.app:1:12: error: the byte 0xfc is not UTF-8"),
        "{}",
        ended.stdout
    );
}

#[test]
fn draw_writes_graphviz_to_stdout() {
    let path = model("drawn.app", MODEL);
    let ended = farlead(&["model", "draw", &path], "");
    assert_eq!((ended.code, &*ended.stderr), (0, ""));
    let expected = [
        "digraph \"org.example.notes\" {",
        "label=\"My <Notes> 1.0\"",
        "[label=\"Main\\n.MainActivity\", style=\"bold\"]",
        "[label=\"Menu\\npopup\", style=\"rounded\"]",
        "[label=\"“About”\"];",
        "[label=\"“Close & \\\"go\\\"”\", style=dashed",
    ];
    for part in expected {
        assert!(ended.stdout.contains(part), "{part} in\n{}", ended.stdout);
    }
}

#[test]
fn draw_writes_files_that_other_programs_read() {
    let path = model("files.app", MODEL);
    let (svg, dot) = (file("files.svg", ""), file("files.dot", ""));
    let (svg, dot) = (svg.to_str().expect("a path"), dot.to_str().expect("a path"));
    let ended = farlead(&["model", "draw", &path, "--svg", svg, "--dot", dot], "");
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, "", ""));
    let text = fs::read_to_string(svg).expect("the picture");
    assert!(text.starts_with("<svg xmlns=") && text.contains("My &lt;Notes&gt; 1.0"), "{text}");
    let ended = farlead(&["model", "draw", &path, "--svg", "-"], "");
    assert_eq!((ended.code, &ended.stdout), (0, &text), "the same model gives the same picture");
    for (program, args) in [("xmllint", vec!["--noout", svg]), ("dot", vec!["-Tsvg", "-o", "/dev/null", dot])]
    {
        match Command::new(program).args(&args).output() {
            Ok(ended) => assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr)),
            Err(error) => eprintln!("skipped: {program} cannot be run: {error}"),
        }
    }
}

#[test]
fn draw_and_pack_refuse_models_with_mistakes() {
    let path = model("refused.app", MISTAKEN);
    for args in [["model", "draw", &path], ["model", "pack", &path]] {
        let ended = shortened(farlead(&args, ""));
        assert_eq!((ended.code, &*ended.stdout), (3, ""));
        assert!(ended.stderr.starts_with("refused.app:3:42: error: "), "{}", ended.stderr);
    }
    let ended = farlead(&["model", "draw", "no-such.app"], "");
    assert_eq!(ended.code, 3);
    assert!(ended.stderr.starts_with("farlead: cannot read no-such.app: "), "{}", ended.stderr);
}

#[test]
fn what_cannot_be_written_is_said() {
    let path = model("unwritable.app", MODEL);
    let draw: &[&str] = &["model", "draw", &path, "--svg", "Cargo.lock/a.svg"];
    for args in [draw, &["model", "pack", &path, "-o", "Cargo.lock/a.apk", "--force"]] {
        let ended = farlead(args, "");
        assert_eq!(ended.code, 4);
        assert!(ended.stderr.starts_with("farlead: cannot write Cargo.lock/a."), "{}", ended.stderr);
    }
}

/// Returns an empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("model").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for a test");
    folder
}

#[test]
fn pack_writes_an_apk_that_aapt_reads_and_that_carries_the_model() {
    let folder = folder("packed");
    fs::write(folder.join("my.notes.app"), MODEL).expect("a model");
    let ended = command(&["model", "pack", "my.notes.app"]).current_dir(&folder).output().expect("a run");
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
    assert_eq!(ended.status.code(), Some(0));
    let apk = folder.join("my.notes.apk");
    let bytes = fs::read(&apk).expect("the APK");
    assert_eq!(
        String::from_utf8_lossy(&ended.stdout),
        format!("my.notes.apk: org.example.notes \"My <Notes>\" 1.0: {} bytes\n", bytes.len())
    );
    let model = unpack_model(std::io::Cursor::new(&bytes)).expect("an APK");
    assert_eq!(model.as_deref(), Some(MODEL));
    if let Some(said) = badging(&apk) {
        for part in [
            "package: name='org.example.notes' versionCode='1' versionName='1.0'\n",
            "\napplication-label:'My <Notes>'\n",
            "\nlaunchable-activity: name='org.example.notes.MainActivity'  label='My <Notes>' ",
        ] {
            assert!(said.contains(part), "{part} in\n{said}");
        }
    }
    // Packed again, the model overwrites its own file with the same bytes.
    let ended = command(&["model", "pack", "my.notes.app"]).current_dir(&folder).output().expect("a run");
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(fs::read(&apk).expect("the APK"), bytes);
}

#[test]
fn pack_overwrites_nothing_that_others_made() {
    let folder = folder("kept");
    let (path, apk) = (model("kept.app", MODEL), folder.join("kept.apk"));
    fs::write(&apk, "somebody's work").expect("a file");
    let output = apk.to_str().expect("a path in letters");
    let ended = farlead(&["model", "pack", &path, "-o", output], "");
    assert_eq!(ended.code, 2);
    assert_eq!(
        ended.stderr,
        format!(
            "farlead: {output} is there already, and is no packed model; --force overwrites it, -o names another file\n"
        )
    );
    assert_eq!(fs::read_to_string(&apk).expect("the file"), "somebody's work");
    assert_eq!(farlead(&["model", "pack", &path, "-o", output, "--force"], "").code, 0);
    assert!(fs::read(&apk).expect("the APK").starts_with(b"PK"));
}
