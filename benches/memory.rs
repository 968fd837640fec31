//! Peak memory of searches on apps that show new screens for ever, by agent.
//!
//! `cargo bench --bench memory` prints a table: each cell is a process of its own, as a peak is that of a process. Steps
//! behind `--`, as in `-- 10000 20000`, take the place of the usual ones, `--episodes 100` sets the steps of an episode, and
//! names of apps and agents, as in `-- feed random`, leave out the others. The planner, which takes milliseconds a step here,
//! has a tenth of the steps, and of an episode's.

use std::process::Command;
use std::sync::Arc;

use farlead::agent::{AGENTS, AgentInfo, PLANNER};
use farlead::device::Sim;
use farlead::device::sim::{self, model::Model};
use farlead::search::{Plan, search};
use farlead::spec::{Source, Spec, parse};

use peak::peak_mb;

mod peak;

/// Steps of an episode, unless someone says otherwise.
const EPISODE: u32 = 100;

/// Steps of the searches whose peaks are compared.
const STEPS: [u32; 2] = [100_000, 1_000_000];

/// Variable that tells a process which cell it is: app, agent, steps, steps of an episode.
const ROW: &str = "FARLEAD_BENCH_MEMORY";

/// Name of an app, and the function that writes its model.
type App = (&'static str, fn() -> String);

/// Apps whose screens never come twice.
const APPS: [App; 3] = [("feed", feed), ("posts", posts), ("clock", clock)];

fn main() {
    if let Ok(row) = std::env::var(ROW) {
        return run(&row);
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` only checks that it starts.
    let is_test = words.iter().any(|word| word == "--test");
    let episode = words.iter().position(|word| word == "--episodes").and_then(|at| words.get(at + 1));
    let episode = episode.and_then(|steps| steps.parse().ok()).unwrap_or(EPISODE);
    let said: Vec<u32> = (0..words.len())
        .filter(|&at| at == 0 || words[at - 1] != "--episodes")
        .filter_map(|at| words[at].parse().ok())
        .collect();
    let steps = match &said[..] {
        _ if is_test => &[EPISODE][..],
        [] => &STEPS,
        said => said,
    };
    let is_meant = |names: &mut dyn Iterator<Item = &'static str>, name: &str| {
        let mut named = names.filter(|name| words.iter().any(|word| word == name)).peekable();
        named.peek().is_none() || named.any(|other| other == name)
    };
    let heads: String = steps.iter().map(|steps| format!(" {steps} steps, MB |")).collect();
    println!(
        "Episodes of {episode} steps.\n\n| app, agent |{heads}\n| --- |{}",
        " --- |".repeat(steps.len())
    );
    for (app, _) in
        APPS.into_iter().filter(|(app, _)| is_meant(&mut APPS.into_iter().map(|(app, _)| app), app))
    {
        for agent in AGENTS {
            if !is_meant(&mut AGENTS.into_iter().map(|agent| agent.name), agent.name) {
                continue;
            }
            let peaks: String =
                steps.iter().map(|steps| format!(" {} |", peak(app, agent, *steps, episode))).collect();
            println!("| {app}, {} |{peaks}", agent.name);
        }
    }
}

/// Returns the peak of a search in a process of its own, in MB.
fn peak(app: &str, agent: &AgentInfo, steps: u32, episode: u32) -> String {
    let own = std::env::current_exe().expect("the path of this program");
    let share = |steps: u32| if agent.name == PLANNER.name { (steps / 10).max(EPISODE) } else { steps };
    let row = format!("{app} {} {} {}", agent.name, share(steps), share(episode).min(share(steps)));
    let output = Command::new(own).env(ROW, row).output().expect("this program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

fn run(row: &str) {
    let parts: Vec<&str> = row.split(' ').collect();
    let [app, agent, steps, episode] = parts[..] else { panic!("a cell has four parts: {row}") };
    let (_, text) = APPS.into_iter().find(|(name, _)| *name == app).expect("an app");
    let agent = AGENTS.into_iter().find(|info| info.name == agent).expect("an agent");
    let number = |text: &str| text.parse::<u32>().expect("a number of steps");
    let (steps, steps_max) = (number(steps), number(episode));
    let model: Arc<Model> =
        Arc::new(sim::read(&Source::new("bench.app", text())).model.expect("a model without mistakes"));
    let spec: Spec =
        parse(&Source::new("bench.ltl", "F ([activity ~ Main] & [text = nowhere])")).file.specs.remove(0);
    let plan = Plan { steps_max, episodes_max: steps / steps_max, persists: true, ..Plan::new(agent) };
    let finding =
        search(&mut Sim::new(model, plan.seed), &spec, &plan, &mut |_| true).expect("the model runs");
    assert!(finding.run.is_none() && finding.steps >= u64::from(steps) / 2, "{} steps", finding.steps);
    println!("{}", peak_mb().map_or_else(|| "unknown".to_string(), |mb| mb.to_string()));
}

/// Returns a feed of 50 buttons, all with new texts after each step.
fn feed() -> String {
    feed_of("")
}

/// Returns a feed whose texts have some 800 letters.
fn posts() -> String {
    feed_of(&" and more".repeat(90))
}

/// Returns a feed whose texts end with `more`.
fn feed_of(more: &str) -> String {
    let button = |number: u32| {
        format!("    Button #b{number} \"Post {number} of {{seen}}{more}\" tall 60 -> fresh()\n")
    };
    let buttons: String = (0..50).map(button).collect();
    format!(
        "app org.feed \"Feed\" 1\ndisplay 480x4000 160dpi\nsession seen = 0\nlaunch Main\n\
         activity Main .MainActivity {{\n    on create: fresh()\n{buttons}}}\n\
         def fresh() {{ seen = random(0, 999) * 1000000 + random(0, 999) * 1000 + random(0, 999) }}\n"
    )
}

/// Returns a clock that ticks beside a few buttons, and starts at any time.
fn clock() -> String {
    "app org.clock \"Clock\" 1
display 480x800 160dpi
session clock = 0
launch Main, Other
activity Main .MainActivity {
    on create: clock = random(0, 999) * 1000000 + random(0, 999) * 1000
    every 1s: clock += 1
    TextView #clock \"{clock} s\" tall 60
    Button #start \"Start\" tall 60
    Button #stop \"Stop\" tall 60
    Button #other \"Other\" tall 60 -> open Other
}
activity Other .OtherActivity {
    Button #nothing \"Nothing\" tall 60
    TextView #clock \"{clock} s\" tall 60
}
"
    .to_string()
}
