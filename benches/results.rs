//! Results of the agents on the paper's formulas and on made-up apps: the tables of docs/results.md.
//!
//! `cargo bench --bench results` prints all of them in Markdown, which takes a while. After `--`, `--only table3` (or `k12`,
//! `lost`, `rankings`, `made-up`, `crashes`, `fate`, `fate-clean`, `fate-deep`, `fate-speed`, `steered`, `learned`, `others`,
//! `every`, `ape`, `abstractions`, `exploring`, `dino`, `words`, `qbe`, `speed`) prints one, `--runs 5` sets the
//! number of runs and `--apps 2` the number of made-up apps. `fate`, `fate-clean` and `fate-speed` read FATE's models, which
//! are not shipped, from the folder that `FARLEAD_FATE` names. `--family login` leaves the other families of made-up apps
//! out, and may be given several times; `--family drawn` and `--family everyday` are nine and thirteen of them. `--choosing`
//! prints a line for each setting of the planner on the made-up apps that are reserved for choosing constants; `--half
//! choosing` prints the other table on these. `--agent tree` leaves other agents out, and may be given several times.
//! `--write FOLDER` writes the made-up apps and their formulas to files, for use with `farlead`. All figures other than
//! those of `speed`, `fate-speed` and `fate-deep`, and times and peaks of `exploring`, are the same on every machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use farlead::abstraction::{self, AbstractionInfo, LOOKS, PLACES};
use farlead::agent::{
    self, AGENTS, APE, AgentInfo, FARLEAD, FarleadSettings, Member, Members, PLANNER, PlannerSettings,
    RANDOM, Settings, TREE,
};
use farlead::device::{Device, Sim, sim};
use farlead::gui::UserAction;
use farlead::rng::Seed;
use farlead::search::{
    Compared, Contender, EPISODES_MAX, Plan, Rounds, Tally, Task, compare, mean, median, search,
};
use farlead::spec::{Source, Spec, parse};

use farlead::situation::Switches;
use made_up::{Family, Half, MadeUp, Names};
use models::Row;

mod abstractions;
mod dino;
mod exploring;
mod fate;
mod fate_clean;
mod fate_deep;
mod findings;
mod learned;
mod made_up;
#[path = "../tests/it/models.rs"]
#[allow(dead_code, reason = "tests use all of it")]
mod models;
mod peak;
mod steered;

/// The options on the command line.
struct Options {
    only: Option<String>,
    is_choosing: bool,
    write: Option<PathBuf>,
    /// Runs of each agent on each formula of the paper; `made_up_runs` for those of made-up apps.
    runs: u32,
    made_up_runs: u32,
    /// Runs of FATE's agents on each of its models.
    fate_runs: u32,
    /// Runs of its deep agents on each of them.
    fate_deep_runs: u32,
    /// Number of made-up apps of each family, and of all families where abstractions are compared.
    apps: u64,
    apps_in_all: usize,
    /// Steps of a run that explores.
    steps: u64,
    /// Families of made-up apps, in the order of all of them.
    families: Vec<Family>,
    /// Half of the made-up apps that the table is on.
    half: Half,
    /// Agents that take part; all of them if none is named.
    agents: Vec<String>,
}

impl Options {
    fn read() -> Options {
        let mut options = Options {
            only: None,
            is_choosing: false,
            write: None,
            runs: 100,
            made_up_runs: 10,
            fate_runs: 1_000,
            fate_deep_runs: 60,
            apps: 10,
            apps_in_all: 32,
            steps: 600,
            families: Vec::new(),
            half: Half::Reporting,
            agents: Vec::new(),
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut value = || args.next().unwrap_or_else(|| panic!("what follows `{arg}`?"));
            match &*arg {
                "--only" => options.only = Some(value()),
                "--runs" => {
                    options.runs = value().parse().expect("a number");
                    (options.made_up_runs, options.fate_runs) = (options.runs, options.runs);
                    options.fate_deep_runs = options.runs;
                }
                "--write" => options.write = Some(value().into()),
                "--choosing" => options.is_choosing = true,
                "--apps" => {
                    options.apps = value().parse().expect("a number");
                    options.apps_in_all = options.apps as usize;
                }
                "--steps" => options.steps = value().parse().expect("a number"),
                "--half" => {
                    let name = value();
                    assert!(name == "choosing" || name == "reporting", "`{name}` is no half");
                    options.half = if name == "choosing" { Half::Choosing } else { Half::Reporting };
                }
                "--agent" => options.agents.push(value()),
                "--family" => options.families.extend(families(&value())),
                // `cargo test --benches` only checks that it starts.
                "--test" => {
                    let only = Some("table3".to_string());
                    options = Options { only, runs: 1, made_up_runs: 1, apps: 1, ..options };
                }
                "--bench" => {}
                _ => panic!(
                    "`{arg}` is no option; there are --only, --runs, --apps, --steps, --family, --half, --agent, --choosing and --write"
                ),
            }
        }
        let is_wanted = |family: &Family| options.families.is_empty() || options.families.contains(family);
        let families = Family::all().filter(is_wanted).collect();
        Options { families, ..options }
    }

    /// Returns true if the agent of this name takes part.
    fn takes(&self, agent: &str) -> bool {
        self.agents.is_empty() || self.agents.iter().any(|name| name == agent)
    }

    /// Returns the agents that take part.
    fn agents(&self) -> Vec<Contender> {
        agents().into_iter().filter(|agent| self.takes(&agent.name)).collect()
    }
}

/// Returns the families that this name stands for.
fn families(name: &str) -> Vec<Family> {
    match name {
        "drawn" => Family::DRAWN.into(),
        "everyday" => Family::EVERYDAY.into(),
        name => {
            let named: Vec<Family> = Family::all().filter(|family| family.name() == name).collect();
            assert!(!named.is_empty(), "no family is called `{name}`");
            named
        }
    }
}

type Print = fn(&Options);

const PARTS: [(&str, Print); 21] = [
    ("table3", table3),
    ("k12", k12),
    ("lost", lost),
    ("rankings", rankings),
    ("made-up", made_up),
    ("crashes", crashes),
    ("fate", |options| fate::table(options.fate_runs)),
    ("fate-speed", |options| fate::speed(options.runs)),
    ("fate-deep", |options| fate_deep::table(options.fate_deep_runs, &options.agents)),
    ("fate-clean", |options| fate_clean::table(options.runs, &|agent| options.takes(agent.name))),
    ("steered", |options| {
        steered::table(options.runs.min(30), options.half, &options.families, options.apps);
    }),
    ("learned", |options| {
        learned::table(options.runs.min(30), options.half, &options.families, options.apps);
    }),
    ("ape", ape),
    ("abstractions", abstractions),
    ("others", others),
    ("every", every),
    ("exploring", exploring::table),
    ("dino", |options| {
        let Options { half, families, apps_in_all, agents, .. } = options;
        dino::table(options.runs.min(30), *half, families, *apps_in_all, agents);
    }),
    ("words", |options| {
        let Options { half, families, apps_in_all, .. } = options;
        dino::words(options.made_up_runs, *half, families, *apps_in_all);
    }),
    ("qbe", |_| {
        made_up::qbe::train().iter().for_each(|row| println!("    {row:?},"));
    }),
    ("speed", speed),
];

fn main() {
    let options = Options::read();
    if let Ok(agent) = std::env::var(exploring::AGENT) {
        return exploring::process(&agent, &options);
    }
    if options.is_choosing {
        return choosing(&options);
    }
    if let Some(folder) = &options.write {
        return write(folder, &options);
    }
    let is_wanted = |name: &str| options.only.as_ref().is_none_or(|only| only == name);
    assert!(
        PARTS.iter().any(|(name, _)| is_wanted(name)),
        "there is {}",
        PARTS.map(|(name, _)| name).join(", ")
    );
    for (_, print) in PARTS.iter().filter(|(name, _)| is_wanted(name)) {
        print(&options);
    }
}

/// Prints the 25 formulas of the paper with their own K, one by one and by level.
fn table3(options: &Options) {
    let rows = models::table3();
    let contenders = options.agents();
    let tallies = measure("table3", &of_paper(&rows, &[], None), &contenders, options.runs);
    heading("Table 3 of the paper", "formula", &contenders);
    for (row, tallies) in rows.iter().zip(&tallies) {
        line(&row.name(), tallies, full);
    }
    for (name, tallies) in by_level(&rows, &tallies) {
        line(&name, &tallies, full);
    }
    println!();
}

/// Prints the same with 12 steps for all formulas.
fn k12(options: &Options) {
    let rows = models::table3();
    let contenders = options.agents();
    let tallies = measure("k12", &of_paper(&rows, &[], Some(12)), &contenders, options.runs);
    heading("12 steps for all", "level", &contenders);
    for (name, tallies) in by_level(&rows, &tallies) {
        line(&name, &tallies, full);
    }
    println!();
}

/// Prints the same with lost actions.
fn lost(options: &Options) {
    let rows = models::table3();
    let contenders = options.agents();
    heading("Actions that are lost", "lost", &contenders);
    for percent in ["5", "15"] {
        let cases = of_paper(&rows, &[("sim.lose", percent)], None);
        let tallies = measure(&format!("lost {percent} %"), &cases, &contenders, options.runs);
        for (name, tallies) in by_level(&rows, &tallies) {
            line(&format!("{percent} %, {name}"), &tallies, full);
        }
    }
    println!();
}

/// Prints the effect of each of the planner's rankings on the paper's formulas.
fn rankings(options: &Options) {
    let rows = models::table3();
    let contenders = planners();
    let tallies = measure("rankings", &of_paper(&rows, &[], None), &contenders, options.runs);
    println!("### Rankings of the planner\n\n| planner | a | b | c |\n| --- | --- | --- | --- |");
    let levels = by_level(&rows, &tallies);
    for (at, contender) in contenders.iter().enumerate() {
        row(&contender.name, levels.iter().map(|(_, tallies)| full(&tallies[at])));
    }
    println!();
}

/// Prints results on the made-up apps that no constant was chosen on: all agents with good names; the planner
/// also without reading them, with no names, and with names in another language.
fn made_up(options: &Options) {
    let contenders = options.agents();
    let on_others: Vec<(Contender, Names)> =
        [("planner, no names", Names::None), ("planner, other names", Names::Other)]
            .into_iter()
            .filter(|(name, _)| options.takes(name))
            .map(|(name, names)| (planner(name, PlannerSettings::default()), names))
            .collect();
    let others = on_others.iter().map(|(agent, _)| agent.clone());
    heading("Made-up apps", "family", &contenders.iter().cloned().chain(others).collect::<Vec<_>>());
    for &family in &options.families {
        let tallies = |names, contenders: &[Contender]| {
            let apps = made_up::apps(family, options.half, options.apps, names);
            of_apps(&format!("{} {names:?}", family.name()), &apps, contenders, options.made_up_runs)
        };
        let good = tallies(Names::Good, &contenders);
        let others = on_others
            .iter()
            .map(|&(ref agent, names)| {
                family.names().contains(&names).then(|| tallies(names, std::slice::from_ref(agent)))
            })
            .collect::<Vec<_>>();
        for (level, (name, tallies_of_good)) in good.iter().enumerate() {
            let mut cells: Vec<String> = tallies_of_good.iter().map(brief).collect();
            cells.extend(others.iter().map(|other| match other {
                Some(other) => brief(&other[level].1[0]),
                None => "-".to_string(),
            }));
            row(&format!("{} {name}", family.name()), cells.into_iter());
        }
    }
    println!();
}

/// Prints what exploring finds on abstractions that learn and on those that stay as they are.
fn ape(options: &Options) {
    let named = |name: &String| agent::find(name).unwrap_or_else(|| panic!("no agent is called `{name}`"));
    let agents: Vec<&AgentInfo> = match &options.agents[..] {
        [] => vec![&APE],
        names => names.iter().map(named).collect(),
    };
    for agent in agents {
        let Options { half, families, apps_in_all, .. } = options;
        abstractions::table(agent, options.runs.min(30), *half, families, *apps_in_all);
    }
}

/// Prints the tables on formulas for agents that search, each on several abstractions.
fn abstractions(options: &Options) {
    let on = |agent: &'static AgentInfo, abstraction: &'static AbstractionInfo| Contender {
        name: format!("{} on {}", agent.name, abstraction.name),
        plan: Plan { abstraction, ..Plan::new(agent) },
    };
    let all = [
        on(&FARLEAD, &LOOKS),
        on(&FARLEAD, &abstraction::APE),
        on(&PLANNER, &PLACES),
        on(&PLANNER, &abstraction::APE),
    ];
    let is_wanted = |one: &Contender| {
        options.agents.is_empty() || options.agents.iter().any(|name| *name == one.plan.agent.name)
    };
    let contenders: Vec<Contender> = all.into_iter().filter(is_wanted).collect();
    let rows = models::table3();
    heading("Abstractions under agents that search", "formulas, level", &contenders);
    let tallies = measure("table3", &of_paper(&rows, &[], None), &contenders, options.runs);
    for (name, tallies) in by_level(&rows, &tallies) {
        line(&format!("Table 3, {name}"), &tallies, brief);
    }
    for &family in &options.families {
        let apps = made_up::apps(family, options.half, options.apps, Names::Good);
        for (level, tallies) in of_apps(family.name(), &apps, &contenders, options.made_up_runs) {
            line(&format!("{} {level}", family.name()), &tallies, brief);
        }
    }
    println!();
}

/// Prints the tables above for all other agents, by level alone.
fn others(options: &Options) {
    let named =
        |agent: &&'static AgentInfo| Contender { name: agent.name.to_string(), plan: Plan::new(agent) };
    let is_wanted = |agent: &Contender| options.agents.is_empty() || options.agents.contains(&agent.name);
    let has_column = |agent: &&&AgentInfo| ["planner", "farlead", "tree", "random"].contains(&agent.name);
    let contenders: Vec<Contender> =
        AGENTS.iter().filter(|agent| !has_column(agent)).map(named).filter(is_wanted).collect();
    let runs = options.runs.min(30);
    let rows = models::table3();
    heading("All other agents", "formulas, level", &contenders);
    for (part, set, steps_max) in [
        ("Table 3", &[][..], None),
        ("K = 12", &[], Some(12)),
        ("5 % lost", &[("sim.lose", "5")], None),
        ("15 % lost", &[("sim.lose", "15")], None),
    ] {
        let tallies = measure(part, &of_paper(&rows, set, steps_max), &contenders, runs);
        for (name, tallies) in by_level(&rows, &tallies) {
            line(&format!("{part}, {name}"), &tallies, brief);
        }
    }
    for (part, families, apps, runs) in
        [("made-up, nine families", &Family::DRAWN[..], 10, 1), ("everyday", &Family::EVERYDAY, 3, 1)]
    {
        let mut all = vec![vec![Tally::default(); contenders.len()]; 3];
        for &family in families {
            let apps = made_up::apps(family, options.half, options.apps.min(apps), Names::Good);
            let of_family = of_apps(family.name(), &apps, &contenders, runs);
            for (all, (_, tallies)) in all.iter_mut().zip(&of_family) {
                all.iter_mut().zip(tallies).for_each(|(all, tally)| all.add(tally));
            }
        }
        for (level, tallies) in ['a', 'b', 'c'].iter().zip(&all) {
            line(&format!("{part}, all {level}"), tallies, brief);
        }
    }
    println!();
}

/// Prints Table 3 by level for every agent, one in a row.
fn every(options: &Options) {
    println!("### Every agent on Table 3\n\n| agent | runs | a | b | c |\n| --- | --- | --- | --- | --- |");
    let rows = models::table3();
    let cases = of_paper(&rows, &[], None);
    for info in AGENTS.into_iter().filter(|info| options.takes(info.name)) {
        let runs = if exploring::is_slow(info) { options.runs.min(2) } else { options.runs.min(10) };
        let contender = Contender { name: info.name.to_string(), plan: Plan::new(info) };
        let tallies = measure(info.name, &cases, &[contender], runs);
        let levels = by_level(&rows, &tallies);
        let cells = levels.iter().map(|(_, tallies)| full(&tallies[0]));
        row(info.name, std::iter::once(runs.to_string()).chain(cells));
    }
    println!();
}

/// Prints failures on ten apps with a planted crash each, which nothing on their screens speaks of.
fn crashes(options: &Options) {
    const EPISODES: u32 = 200;
    const RUNS: u32 = 50;
    let wanted = options.agents();
    let contenders: Vec<Contender> = match options.agents.is_empty() {
        true => wanted.into_iter().filter(|agent| ["planner", "random"].contains(&&*agent.name)).collect(),
        false => wanted,
    };
    let spec = parse(&Source::new("crash.ltl", "F [crashed = true]")).file.specs.remove(0);
    heading("Crashes that nothing speaks of", "app, K", &contenders);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/crashes");
    for name in CRASHES {
        let text = std::fs::read_to_string(folder.join(format!("{name}.app"))).expect("a model");
        let model = sim::read(&Source::new(format!("{name}.app"), text)).model;
        let model = Arc::new(model.expect("a model without mistakes"));
        for steps_max in [6, 10, 30] {
            let mut case = Case::new(model.clone(), &spec, Arc::default(), steps_max);
            case.episodes_max = EPISODES;
            let tallies = measure(name, &[case], &contenders, options.runs.min(RUNS));
            line(&format!("{name}, {steps_max}"), &tallies[0], brief);
        }
    }
    println!();
}

/// Models with a planted crash, by the fewest steps to it: 5, 5, 5, 5, 6, 6, 7, 7, 9 and 12.
const CRASHES: [&str; 10] =
    ["save", "photo", "list", "refresh", "session", "filter", "twice", "stack", "switches", "wizard"];

/// Prints a line for each setting of the planner on the made-up apps for choosing: failures and mean steps by
/// level and by family, and the geometric mean, in which hard apps count as much as others.
fn choosing(options: &Options) {
    let contenders = planners();
    let mut by_level = vec![vec![Tally::default(); 3]; contenders.len()];
    let mut by_family = vec![vec![Tally::default(); options.families.len()]; contenders.len()];
    for (at, &family) in options.families.iter().enumerate() {
        let apps = made_up::apps(family, Half::Choosing, options.apps, Names::Good);
        let of_family = of_apps(family.name(), &apps, &contenders, options.made_up_runs);
        for (level, (_, tallies)) in of_family.iter().enumerate() {
            for (contender, tally) in tallies.iter().enumerate() {
                by_level[contender][level].add(tally);
                by_family[contender][at].add(tally);
            }
        }
    }
    let table_line = |name: &str, cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>11}")).collect();
        println!("{name:18}{}", cells.concat());
    };
    let families = options.families.iter().map(|family| family.name().to_string());
    table_line("", ["a", "b", "c", "geometric"].map(String::from).into_iter().chain(families).collect());
    for ((contender, levels), families) in contenders.iter().zip(&by_level).zip(&by_family) {
        let cell = |tally: &Tally| format!("{} {:.1}", tally.failures(), mean(&tally.steps));
        let steps: Vec<f64> = levels.iter().flat_map(|tally| &tally.steps).map(|&n| n as f64).collect();
        let geometric = (steps.iter().map(|steps| steps.ln()).sum::<f64>() / steps.len() as f64).exp();
        let mut cells: Vec<String> = levels.iter().map(cell).collect();
        cells.push(format!("{geometric:.2}"));
        cells.extend(families.iter().map(cell));
        table_line(&contender.name, cells);
    }
}

/// Writes the made-up apps, each with a file of its formulas.
fn write(folder: &Path, options: &Options) {
    std::fs::create_dir_all(folder).expect("a folder that can be made");
    for half in [Half::Choosing, Half::Reporting] {
        for &family in &options.families {
            let apps = |&names| made_up::apps(family, half, options.apps, names);
            for (names, app) in
                family.names().iter().flat_map(|names| apps(names).into_iter().map(move |app| (names, app)))
            {
                let name = format!("{}_{}_{names:?}", app.family.name(), app.number).to_lowercase();
                let specs = app.asked.iter().map(|asked| {
                    format!("possible \"{}\" within {} steps: {}\n", asked.level, asked.steps_max, asked.text)
                });
                let write = |extension: &str, text: &str| {
                    std::fs::write(folder.join(format!("{name}.{extension}")), text).expect("a file");
                };
                write("app", &app.text);
                write("ltl", &specs.collect::<String>());
            }
        }
    }
}

/// Prints the time of a whole step: screen, labels, choice, learning. These are the only figures that depend on
/// the machine.
fn speed(options: &Options) {
    const WIDGETS: [usize; 4] = [10, 100, 1_000, 5_000];
    let contenders = options.agents();
    heading("Time of a step, in µs", "K", &contenders);
    let never = "X([activity ~ Main] U ([activity ~ About] & X([activity ~ About] U [text = never])))";
    let model = models::model("chesswalk", &[]);
    for steps_max in [4, 6, 12, 20] {
        let cells = contenders.iter().map(|contender| us_a_step(&model, never, steps_max, &contender.plan));
        row(&format!("K = {steps_max}"), cells);
    }
    for widgets in WIDGETS {
        let model = sim::read(&Source::new("wide.app", wide(widgets))).model;
        let model = Arc::new(model.expect("a model without mistakes"));
        let never = "F([text = \"page 21\"] & F [text ~ never])";
        let cells = contenders.iter().map(|contender| us_a_step(&model, never, 6, &contender.plan));
        row(&format!("K = 6, {widgets} widgets"), cells);
    }
    println!();
}

/// Returns an app with `widgets` widgets on every screen, a tenth of them buttons.
fn wide(widgets: usize) -> String {
    format!(
        "app org.wide \"Wide\" 1
         launch Main
         activity Main .Main {{
             own page = 0
             TextView \"page {{page}}\"
             for i in 1..{} {{ TextView \"text {{i}}\" at 0,0 9,9 }}
             for i in 1..{} {{ Button \"button {{i}}\" at (i),20 (i + 1),40 -> page = (page + i) % 20 }}
         }}",
        widgets * 9 / 10,
        widgets / 10
    )
}

fn us_a_step(model: &Arc<sim::model::Model>, never: &str, steps_max: u32, plan: &Plan) -> String {
    let spec = parse(&Source::new("never.ltl", never)).file.specs.remove(0);
    let (begun, mut steps) = (Instant::now(), 0);
    for seed in 1.. {
        let plan = Plan { steps_max, episodes_max: 100, seed: Seed(seed), ..plan.clone() };
        let mut device = Sim::new(model.clone(), plan.seed);
        steps += search(&mut device, &spec, &plan, &mut |_| true).expect("the model runs").steps;
        // Long enough for three significant digits.
        if begun.elapsed().as_secs_f64() > 0.3 {
            break;
        }
    }
    format!("{:.1}", begun.elapsed().as_secs_f64() * 1e6 / steps as f64)
}

/// Returns the agents with their defaults, and FARLEAD-Android's agent as published.
fn agents() -> Vec<Contender> {
    let named = |name: &str, plan: Plan| Contender { name: name.to_string(), plan };
    let of_paper = Switches { sure_actions: false, restart_hopeless: false, ..FARLEAD.switches };
    let decides = Settings { farlead: FarleadSettings::OF_PAPER, ..Settings::default() };
    let alone = |member| Settings { members: Members::of([member]), ..Settings::default() };
    vec![
        planner("planner", PlannerSettings::default()),
        named("plan alone", Plan { settings: alone(Member::Plan), ..Plan::new(&PLANNER) }),
        named("least alone", Plan { settings: alone(Member::Least), ..Plan::new(&PLANNER) }),
        planner("planner, names unread", PlannerSettings { names: false, ..PlannerSettings::default() }),
        named("farlead, as published", Plan { settings: decides, switches: of_paper, ..Plan::new(&FARLEAD) }),
        named("farlead", Plan::new(&FARLEAD)),
        named("tree", Plan::new(&TREE)),
        named("random", Plan::new(&RANDOM)),
    ]
}

fn planner(name: &str, planner: PlannerSettings) -> Contender {
    let settings = Settings { planner, ..Settings::default() };
    Contender { name: name.to_string(), plan: Plan { settings, ..Plan::new(&PLANNER) } }
}

/// Returns the planner with all rankings, without each one, with each one alone, and with none.
fn planners() -> Vec<Contender> {
    type Set = fn(&mut PlannerSettings, bool);
    const RANKINGS: [(&str, Set); 5] = [
        ("habits", |settings, is_on| settings.habits = is_on),
        ("names", |settings, is_on| settings.names = is_on),
        ("sharing", |settings, is_on| settings.sharing = is_on),
        ("naming", |settings, is_on| settings.naming = is_on),
        ("survival", |settings, is_on| settings.survival = is_on),
    ];
    let all = PlannerSettings::default();
    let mut none = all;
    RANKINGS.iter().for_each(|(_, set)| set(&mut none, false));
    let but = |settings: PlannerSettings, set: Set, is_on| {
        let mut settings = settings;
        set(&mut settings, is_on);
        settings
    };
    let without = RANKINGS.map(|(name, set)| planner(&format!("without {name}"), but(all, set, false)));
    let alone = RANKINGS.map(|(name, set)| planner(&format!("{name} alone"), but(none, set, true)));
    [vec![planner("all", all)], without.into(), alone.into(), vec![planner("none", none)]].concat()
}

/// A formula, an app, and the limit of steps in an episode.
struct Case<'a> {
    model: Arc<sim::model::Model>,
    spec: &'a Spec,
    actions: Arc<[UserAction]>,
    steps_max: u32,
    episodes_max: u32,
}

impl<'a> Case<'a> {
    fn new(
        model: Arc<sim::model::Model>,
        spec: &'a Spec,
        actions: Arc<[UserAction]>,
        steps_max: u32,
    ) -> Case<'a> {
        Case { model, spec, actions, steps_max, episodes_max: EPISODES_MAX }
    }
}

/// Returns the paper's formulas on their apps with these settings, and with this K if given.
fn of_paper<'a>(rows: &'a [Row], set: &[(&str, &str)], steps_max: Option<u32>) -> Vec<Case<'a>> {
    let apps = ["chesswalk", "notes"].map(|name| (name, models::model(name, set)));
    let model = |row: &Row| apps.iter().find(|(name, _)| *name == row.app).expect("an app").1.clone();
    rows.iter()
        .map(|row| {
            let steps_max = steps_max.unwrap_or(row.steps_max);
            Case::new(model(row), &row.spec, row.actions.clone(), steps_max)
        })
        .collect()
}

/// Lets each contender search each case `runs` times, and returns the tallies case by case.
fn measure(part: &str, cases: &[Case<'_>], contenders: &[Contender], runs: u32) -> Vec<Vec<Tally>> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut done, mut told) = (0, 0);
    let mut tallies = Vec::new();
    // A comparison has one device, so it takes neighbouring cases with the same app.
    for of_app in cases.chunk_by(|one, next| Arc::ptr_eq(&one.model, &next.model)) {
        let tasks: Vec<Task<'_>> = of_app
            .iter()
            .map(|case| Task {
                spec: case.spec,
                actions: &case.actions,
                steps_max: case.steps_max,
                episodes_max: case.episodes_max,
            })
            .collect();
        let device = |seed| -> Box<dyn Device> { Box::new(Sim::new(of_app[0].model.clone(), seed)) };
        let found = compare(
            &tasks,
            contenders,
            Rounds { runs, seed: Seed(1), jobs },
            &device,
            &|| false,
            &mut |&Compared { done: runs_done, .. }| {
                let share = (done + runs_done) * 10 / (cases.len() * contenders.len() * runs as usize);
                if share > told {
                    told = share;
                    eprintln!("{part}: {told}0 %");
                }
            },
        );
        tallies.extend(found.expect("the model runs").expect("nobody stops it"));
        done += tasks.len() * contenders.len() * runs as usize;
    }
    tallies
}

/// Returns the sum of the tallies of each level.
fn by_level(rows: &[Row], tallies: &[Vec<Tally>]) -> Vec<(String, Vec<Tally>)> {
    let levels = rows.iter().map(|row| row.level).zip(tallies);
    let levels: Vec<(char, &Vec<Tally>)> = levels.collect();
    ['a', 'b', 'c'].map(|level| (format!("all {level}"), together(level, &levels))).into()
}

fn together(level: char, tallies: &[(char, &Vec<Tally>)]) -> Vec<Tally> {
    let mut all = vec![Tally::default(); tallies[0].1.len()];
    for (_, tallies) in tallies.iter().filter(|(other, _)| *other == level) {
        all.iter_mut().zip(*tallies).for_each(|(all, tally)| all.add(tally));
    }
    all
}

/// Returns the sum of the tallies of each level on made-up apps.
fn of_apps(part: &str, apps: &[MadeUp], contenders: &[Contender], runs: u32) -> Vec<(char, Vec<Tally>)> {
    let none: Arc<[UserAction]> = Arc::default();
    let asked = || apps.iter().flat_map(|app| app.asked.iter().map(move |asked| (app, asked)));
    let cases: Vec<Case<'_>> = asked()
        .map(|(app, asked)| Case::new(app.model.clone(), &asked.spec, none.clone(), asked.steps_max))
        .collect();
    let tallies = measure(part, &cases, contenders, runs);
    let levels: Vec<(char, &Vec<Tally>)> = asked().map(|(_, asked)| asked.level).zip(&tallies).collect();
    ['a', 'b', 'c'].map(|level| (level, together(level, &levels))).into()
}

fn heading(title: &str, first: &str, contenders: &[Contender]) {
    println!("### {title}\n");
    row(first, contenders.iter().map(|contender| contender.name.clone()));
    row("---", contenders.iter().map(|_| "---".to_string()));
}

fn line(name: &str, tallies: &[Tally], cell: fn(&Tally) -> String) {
    row(name, tallies.iter().map(cell));
}

fn row(name: &str, cells: impl Iterator<Item = String>) {
    println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
}

/// Formats failures in bold, if there are any; mean, median and most steps; mean episodes.
fn full(tally: &Tally) -> String {
    let most = tally.steps.iter().max().unwrap_or(&0);
    let (steps, episodes) = (mean(&tally.steps), mean(&tally.episodes));
    format!("{}{steps:.1} / {:.0} / {most}, {episodes:.1}", failures(tally), median(&tally.steps))
}

/// Formats failures in bold, if there are any, and mean steps.
fn brief(tally: &Tally) -> String {
    format!("{}{:.1}", failures(tally), mean(&tally.steps))
}

fn failures(tally: &Tally) -> String {
    if tally.failures() == 0 { String::new() } else { format!("**{}** ", tally.failures()) }
}
