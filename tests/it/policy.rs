//! Policies: trained on some apps, used on others, and refused where they do not fit.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::{Ended, command, ended, farlead};

/// Returns an empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("policy").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path").to_string()
}

/// Trains on two apps for some steps each.
fn train(policy: &Path, agent: &str) -> Ended {
    let (path, apps) = (text(policy), ["--app", "apps/shop.app", "--app", "apps/files.app"]);
    let args = ["explore", "--train", "--agent", agent, "--budget", "60", "--policy", &path];
    farlead(&[&args[..], &apps].concat(), "")
}

fn explore(policy: &Path, agent: &str, out: &Path) -> Ended {
    let (policy, out) = (text(policy), text(out));
    let args = ["explore", "--app", "apps/notes.app", "--budget", "60", "--agent", agent, "--out", &out];
    farlead(&[&args[..], &["--policy", &policy]].concat(), "")
}

#[test]
fn a_policy_of_two_apps_is_used_on_a_third_and_is_the_same_each_time() {
    let folder = folder("used");
    let [one, two] = ["one", "two"].map(|name| folder.join(name).with_extension("policy"));
    let trained = train(&one, "ddpg");
    assert_eq!((trained.code, train(&two, "ddpg").code), (0, 0), "{}", trained.stderr);
    assert!(trained.stdout.contains("org.example.shop"), "{}", trained.stdout);
    assert!(
        trained.stdout.ends_with("policy of ddpg, trained for 120 steps on 2 apps\n"),
        "{}",
        trained.stdout
    );
    let bytes = |path: &Path| fs::read(path).expect("a policy");
    assert_eq!(bytes(&one), bytes(&two));
    let out = |name: &str| folder.join(name);
    let used = explore(&one, "ddpg", &out("a"));
    assert_eq!(used.code, 0, "{}", used.stderr);
    assert!(used.stdout.contains("explored by ddpg: 60 steps"), "{}", used.stdout);
    let args = ["check", "specs/notes/palette.ltl", "--app", "apps/notes.app", "--only", "c"];
    let more = ["--agent", "ddpg", "--no-exhaustive", "--policy", &text(&one), "--out", &text(&out("b"))];
    let checked = farlead(&[&args[..], &more].concat(), "");
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    // Training goes on from a policy that is there.
    assert_eq!(train(&one, "ddpg").code, 0);
    assert_ne!(bytes(&one), bytes(&two));
    assert!(fs::read_to_string(&one).expect("a policy").contains("\"steps\":240"));
}

#[test]
fn the_shipped_policy_is_used_by_its_agent_and_is_no_file_to_train() {
    let folder = folder("shipped");
    let shipped = Path::new("shipped");
    let used = explore(shipped, "ddpg", &folder.join("a"));
    assert_eq!(used.code, 0, "{}", used.stderr);
    let alone = ["explore", "--app", "apps/notes.app", "--budget", "60", "--agent", "ddpg", "--out"];
    let alone = farlead(&[&alone[..], &[&text(&folder.join("b"))]].concat(), "");
    assert_ne!(used.stdout, alone.stdout);
    let other = explore(shipped, "sac", &folder.join("c"));
    assert_eq!(other.code, 3);
    assert!(other.stderr.contains("shipped is a policy of the agent ddpg"), "{}", other.stderr);
    let trained = train(shipped, "ddpg");
    assert_eq!(trained.code, 2);
    assert!(trained.stderr.contains("choose another name"), "{}", trained.stderr);
}

#[test]
fn agents_of_a_comparison_start_from_policies_of_their_own() {
    let folder = folder("compared");
    let policy = folder.join("one.policy");
    assert_eq!(train(&policy, "td3").code, 0);
    let agents = format!("td3;td3:policy={}", text(&policy));
    let args = ["compare", "--app", "apps/shop.app", "--runs", "1", "--budget", "30", "--agents", &agents];
    let compared = farlead(&args, "");
    assert_eq!(compared.code, 0, "{}", compared.stderr);
    assert!(compared.stdout.contains("td3:policy="), "{}", compared.stdout);
}

#[test]
fn a_policy_that_does_not_fit_is_refused_with_its_reason() {
    let folder = folder("refused");
    let policy = folder.join("one.policy");
    assert_eq!(train(&policy, "ddpg").code, 0);
    let refused = |agent: &str, code: i32, message: &str| {
        let ended = explore(&policy, agent, &folder.join("out"));
        assert_eq!((ended.code, ended.stdout.as_str()), (code, ""), "{}", ended.stderr);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    };
    refused("sac", 3, "is a policy of the agent ddpg, and the agent here is sac; say `--agent ddpg`");
    let whole = fs::read_to_string(&policy).expect("a policy");
    fs::write(&policy, whole.replacen("\"version\":1", "\"version\":9", 1)).expect("a file");
    refused("ddpg", 3, "one.policy:1: version 9 is not known");
    fs::write(&policy, &whole[..whole.len() / 2]).expect("a file");
    refused("ddpg", 3, "one.policy:2: the networks are missing or damaged");
    fs::remove_file(&policy).expect("it was there");
    refused("ddpg", 3, "one.policy");
    assert!(!folder.join("out").exists(), "nothing ran");
}

#[test]
fn training_says_what_it_cannot_do() {
    let folder = folder("unfit");
    let policy = folder.join("one.policy");
    let ended = train(&policy, "least");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("least learns nothing that helps on another app"), "{}", ended.stderr);
    assert!(!policy.exists());
    let args = ["explore", "--app", "apps/shop.app", "--app", "apps/files.app", "--budget", "10"];
    let ended = farlead(&args, "");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("this command takes one `--app`"), "{}", ended.stderr);
}

#[test]
fn training_keeps_the_rules_that_exploring_keeps() {
    let folder = folder("rules");
    fs::write(folder.join("farlead.toml"), "[[rule]]\nnever = '[actionType = reinitialise]'\n")
        .expect("a file");
    let app = text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("apps/shop.app"));
    for mode in [&["--train", "--policy", "one.policy"][..], &[]] {
        let args = ["explore", "--app", &app, "--agent", "ddpg", "--budget", "10"];
        let ended = ended(command(&[&args[..], mode].concat()).current_dir(&folder), "");
        assert_eq!((ended.code, ended.stdout.as_str()), (3, ""), "{mode:?}: {}", ended.stderr);
        let message = "the rules of farlead.toml leave nothing to start the app with";
        assert!(ended.stderr.contains(message), "{mode:?}: {}", ended.stderr);
    }
    assert!(!folder.join("one.policy").exists());
}
