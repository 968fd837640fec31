//! Faults of the pages in `tests/pages` that `farlead explore` finds within 100 actions, in jsdom in place of a browser.
//!
//! `npm install --prefix FOLDER jsdom@22.1.0`, then `FARLEAD_TEST_NPM=FOLDER cargo bench --bench pages` prints a table in
//! Markdown: the runs in which the rule of a fault failed, and those in which another rule did. After `--`, `--seeds 31 70`
//! sets the first and the last seed, and `todos:7 vdom:2` leave other faults out; `todos:0` is the page without a fault.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

use farlead::search::in_order;
use serde_json::Value;

/// Actions of a run, in one episode as on a page in a browser.
const BUDGET: &str = "100";

/// Faults that are hardest to find, and pages without one.
const FAULTS: [(&str, u32); 8] = [
    ("todos", 7),
    ("todos", 9),
    ("todos", 11),
    ("todos", 12),
    ("vdom", 2),
    ("routes", 4),
    ("todos", 0),
    ("vdom", 0),
];

/// Findings of a run: true if the rule of the fault failed, and if another did.
struct Run {
    is_found: bool,
    has_other: bool,
    seconds: f64,
}

fn main() {
    let (mut seeds, mut faults, mut is_test) = (1..=20, Vec::new(), false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|arg| arg.parse().ok()).expect("a seed follows");
        match &*arg {
            "--bench" => {}
            "--seeds" => seeds = number()..=number(),
            // Only checks a run of a fault that is found at each seed.
            "--test" => (seeds, faults, is_test) = (1..=1, vec![("vdom".to_string(), 1)], true),
            fault => {
                let (page, number) = fault.split_once(':').expect("a fault is `PAGE:NUMBER`");
                faults.push((page.to_string(), number.parse().expect("a number")));
            }
        }
    }
    if faults.is_empty() {
        faults = FAULTS.map(|(page, number)| (page.to_string(), number)).into();
    }
    let seeds: Vec<u64> = seeds.collect();
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    println!("{jobs} cores\n\n| fault | found | runs | another rule | s a run |\n|---|--:|--:|--:|--:|");
    for (page, number) in &faults {
        let (mut found, mut others, mut seconds) = (0, 0, 0.0);
        in_order(
            jobs,
            seeds.len(),
            |at| run(page, *number, seeds[at]),
            |_, run: Run| {
                found += usize::from(run.is_found);
                others += usize::from(run.has_other);
                seconds += run.seconds;
            },
        );
        let all = seeds.len();
        assert!(!is_test || found == all, "the fault was not found");
        println!("| `{page}` {number} | {found} | {all} | {others} | {:.1} |", seconds / all as f64);
    }
}

/// Explores a page with a fault, and reads which rules failed.
fn run(page: &str, fault: u32, seed: u64) -> Run {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept =
        std::env::temp_dir().join(format!("farlead-pages-{}-{page}-{fault}-{seed}", std::process::id()));
    let begun = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_farlead"))
        .args(["explore", &format!("tests/pages/{page}.ltl"), "--device"])
        .arg(format!("exec:node benches/pages/device.js tests/pages/{page}.html?fault={fault}"))
        .args(["--budget", BUDGET, "--steps", BUDGET, "--seed", &seed.to_string(), "--out"])
        .arg(&kept)
        .args(["--no-minimize", "--confirm", "1", "--no-screenshots", "--json"])
        .current_dir(root)
        .output()
        .expect("farlead starts");
    let code = output.status.code();
    // Some rule failed, was not reached, or the app crashed.
    let is_over = matches!(code, Some(0 | 1 | 5 | 6));
    assert!(is_over, "exit {code:?}: {}", String::from_utf8_lossy(&output.stderr));
    let seconds = begun.elapsed().as_secs_f64();
    // The folder is missing if nothing was kept.
    let _ = std::fs::remove_dir_all(&kept);
    let failed = failed(&String::from_utf8_lossy(&output.stdout));
    let number = format!("{fault:02} ");
    let is_found = failed.iter().any(|rule| rule.starts_with(&number));
    let has_other = failed.iter().any(|rule| !rule.starts_with(&number));
    Run { is_found, has_other, seconds }
}

/// Returns the names of the rules that failed.
fn failed(results: &str) -> BTreeSet<String> {
    let events = results.lines().filter_map(|line| serde_json::from_str(line).ok());
    let results = events.filter(|event: &Value| event["event"] == "result");
    let failed = results.filter(|result| {
        result["outcome"].as_str().is_some_and(|outcome| ["failed", "flaky", "crashed"].contains(&outcome))
    });
    failed.filter_map(|result| result["spec"].as_str().map(str::to_string)).collect()
}
