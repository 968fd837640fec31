//! Programs as devices: the example of docs/devices-exec.md drives a program for a terminal.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::ci;
use crate::cli::{command, ended, file};

const SPEC: &str = "possible \"it opens\" within 4 steps: F [text ~ vault is open]
never \"it breaks\" within 3 steps, 60 episodes: F [crashed = true]
";

/// Returns the example of the page as a file, if Python is there.
fn example() -> Option<String> {
    let page = fs::read_to_string("docs/devices-exec.md").expect("the page");
    let (_, rest) = page.split_once("```python\n").expect("an example");
    let (program, _) = rest.split_once("```").expect("its end");
    assert!(program.lines().filter(|line| !line.trim().is_empty()).count() <= 45, "the example has grown");
    let is_there = Command::new("python3").arg("--version").output().is_ok_and(|out| out.status.success());
    if !is_there {
        ci::skip("python3 is missing: install the Debian package python3");
        return None;
    }
    Some(file("device.py", program).display().to_string())
}

/// Returns the file called `name` below `folder`.
pub fn kept(folder: &Path, name: &str) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found = entries.filter_map(|path| match path.is_dir() {
        true => Some(kept(&path, name)).filter(|found| !found.is_empty()),
        false => path.ends_with(name).then(|| path.display().to_string()),
    });
    found.next().unwrap_or_default()
}

fn path_of_system(args: &[&str]) -> Command {
    let mut command = command(args);
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
    command
}

#[test]
fn the_example_of_the_page_finds_keeps_and_replays_a_run_of_a_terminal_program() {
    let Some(example) = example() else { return };
    let spec = file("vault.ltl", SPEC).display().to_string();
    let device = format!("exec:python3 {example} tests/devices/vault.sh");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("vault-{}", std::process::id()));
    let out = out.display().to_string();
    let checked = ended(&mut path_of_system(&["check", &spec, "--device", &device, "--out", &out]), "");
    let Some((opens, breaks)) = checked.stdout.split_once("never \"it breaks\": failed") else {
        panic!("{}{}", checked.stdout, checked.stderr)
    };
    assert!(opens.contains("possible \"it opens\": passed: a run of 3 steps"), "{opens}");
    assert!(breaks.contains("text \"name@example.com\" into"), "{breaks}");
    assert_eq!(checked.code, 1, "{}", checked.stderr);
    let kept = kept(Path::new(&out), "it opens.test.ltl");
    let again = ended(&mut path_of_system(&["replay", &kept, "--device", &device, "--out", &out]), "");
    assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);
    // A stored test starts no program, as anybody may have written it.
    let alone = ended(&mut path_of_system(&["replay", &kept, "--out", &out]), "");
    assert_eq!(alone.code, 2, "{}", alone.stdout);
    assert!(alone.stderr.contains("which app?"), "{}", alone.stderr);
    let looked = ended(&mut path_of_system(&["look", "--device", &device]), "");
    assert!(looked.stdout.contains("[text = the vault is shut]"), "{}{}", looked.stdout, looked.stderr);
    let _ = fs::remove_dir_all(out);
}

#[test]
fn a_program_that_is_no_device_ends_the_command_with_what_was_heard() {
    let spec = file("program.ltl", SPEC).display().to_string();
    for (device, expected) in [
        ("exec:false", "`false` ended with exit status: 1"),
        ("exec:/no/such/program a", "cannot start `/no/such/program a`"),
        ("exec:echo hello", "something else than a screen: hello"),
    ] {
        let checked = ended(&mut path_of_system(&["check", &spec, "--device", device]), "");
        assert_eq!(checked.code, 4, "{}", checked.stderr);
        assert!(checked.stderr.contains(expected), "{}", checked.stderr);
    }
    let app = ["check", &spec, "--device", "exec:false", "--package", "org.example"];
    let checked = ended(&mut path_of_system(&app), "");
    assert_eq!(checked.code, 2, "{}", checked.stderr);
    assert!(checked.stderr.contains("a program shows an app of its own"), "{}", checked.stderr);
}
