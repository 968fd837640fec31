//! Exploring by any agents on the same made-up apps: the activities and crashes that each finds, how soon, and the cost of a
//! step.
//!
//! Each agent has a process of its own, as a peak of memory is that of a process. This process explores all apps with all
//! seeds, and prints its findings for the one that makes the tables.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use farlead::agent::{
    self, AGENTS, ARES_TD3, Agent, AgentInfo, DINO, DINO2, KeptError, LEAST, PLANNER, RANDOM,
};
use farlead::device::sim;
use farlead::rng::{Rng, Seed};
use farlead::search::{Plan, in_order};
use farlead::situation::{
    Choice, Explanation, Labelings, Learning, Origin, Outlook, Paths, Recollection, Situation, Summary,
    Transition,
};
use farlead::spec::Source;
use farlead::statistics::{a12, holm};

use crate::Options;
use crate::findings::{explored, mean, paired, pays, share};
use crate::made_up::{self, Names};
use crate::peak::peak_mb;

/// Steps of an episode.
const EPISODE: u32 = 30;

/// Share of the activities that any run saw, at which the time to as many activities is taken.
const SHARE: f64 = 0.9;

/// Agents whose steps take milliseconds, and their most runs on an app unless they are named.
static SLOW: [&AgentInfo; 3] = [&ARES_TD3, &DINO, &DINO2];
const SLOW_RUNS_MAX: u32 = 1;

/// Agents that score each offer, beside those of the same method that emit numbers.
const PAIRS: [(&str, &str); 3] = [("sac", "ares-sac"), ("ddpg", "ares-ddpg"), ("td3", "ares-td3")];

/// Variable that tells a process its agent.
pub const AGENT: &str = "FARLEAD_BENCH_EXPLORING";

/// Sign between the models that the process reads.
const BETWEEN: &str = "\0";

/// Step at which a run saw each thing first.
type Firsts = BTreeMap<String, u64>;

/// Activities and crashes that a run saw.
#[derive(Clone, Debug, Default)]
struct Run {
    activities: Firsts,
    crashes: Firsts,
}

/// Kind of things that runs see.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    of: fn(&Run) -> &Firsts,
}

const ACTIVITIES: Kind = Kind { name: "activities", of: |run| &run.activities };
const CRASHES: Kind = Kind { name: "crashes", of: |run| &run.crashes };

/// Findings of an agent.
struct Found {
    info: &'static AgentInfo,
    /// Runs by app.
    runs: Vec<Vec<Run>>,
    /// Time of a step, and the agent's own part of it.
    us: f64,
    own_us: f64,
    peak_mb: String,
}

/// Prints the tables for the agents that take part.
pub fn table(options: &Options) {
    let infos = std::iter::once(&RANDOM).chain(AGENTS.into_iter().filter(|info| info.name != RANDOM.name));
    let infos: Vec<&'static AgentInfo> = infos.filter(|info| options.takes(info.name)).collect();
    let apps = made_up::of_each(options.half, &options.families, options.apps_in_all, Names::Good);
    let texts = apps.into_iter().map(|app| app.text).collect::<Vec<String>>().join(BETWEEN);
    let mut all = Vec::new();
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    in_order(jobs, infos.len(), |at| found(infos[at], options, &texts), |_, found| all.push(found));
    for kind in [ACTIVITIES, CRASHES] {
        seen(&all, kind, options.steps);
    }
    costs(&all, options.steps);
}

/// Returns for each app the number of things of a kind that any run of any agent saw: agents see the same apps.
fn known(found: &[Found], kind: Kind) -> Vec<usize> {
    let apps = found.first().map_or(0, |found| found.runs.len());
    let of_app = |app: usize| {
        let runs = found.iter().flat_map(|found| &found.runs[app]);
        runs.flat_map(|run| (kind.of)(run).keys()).collect::<BTreeSet<&String>>().len()
    };
    (0..apps).map(of_app).collect()
}

/// Prints the things of a kind that agents saw, as shares of those that any run saw, and tests of the differences.
fn seen(found: &[Found], kind: Kind, steps: u64) {
    let known = known(found, kind);
    let apps = known.iter().filter(|&&count| count > 0).count();
    let Some((base, rest)) = found.split_first().filter(|_| apps > 0) else { return };
    let looked_at = [steps / 2, steps];
    let named = |name: &str| found.iter().find(|found| found.info.name == name);
    let pairs = PAIRS.iter().filter_map(|(one, other)| Some((named(one)?, named(other)?)));
    let pairs: Vec<(&Found, &Found)> = rest.iter().map(|one| (one, base)).chain(pairs).collect();
    let shares = |found: &Found, steps: u64| shares(found, kind, &known, steps);
    let samples: Vec<(Vec<f64>, Vec<f64>)> = pairs
        .iter()
        .flat_map(|(one, other)| looked_at.map(|steps| (shares(one, steps), shares(other, steps))))
        .collect();
    let tested = samples.iter().map(|(one, other)| paired(one, other).p);
    let corrected = holm(&tested.collect::<Vec<f64>>());
    let compared = |at: usize| {
        let (one, other) = &samples[at];
        format!("{:.2}, {:.3}", a12(one, other).unwrap_or(0.5), corrected[at])
    };
    println!("### Exploring: {} on {apps} apps, % of those that any run saw\n", kind.name);
    let heads = looked_at.map(|steps| format!("after {steps} steps | A12, p against {}", base.info.name));
    println!("| agent | runs | {} | {} |", heads.join(" | "), kind.name);
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for (nth, one) in found.iter().enumerate() {
        let cells: Vec<String> = (0..looked_at.len())
            .map(|at| {
                let share = mean(&shares(one, looked_at[at]));
                let test = nth.checked_sub(1).map(|nth| compared(nth * looked_at.len() + at));
                format!("{share:.1} | {}", test.unwrap_or_default())
            })
            .collect();
        let counts: Vec<f64> = one.runs.iter().flatten().map(|run| (kind.of)(run).len() as f64).collect();
        println!(
            "| {} | {} | {} | {:.2} |",
            one.info.name,
            one.runs[0].len(),
            cells.join(" | "),
            mean(&counts)
        );
    }
    let heads = looked_at.map(|steps| format!("after {steps} steps, points | A12, p"));
    println!("\n| one against the other | {} |\n|---|--:|--:|--:|--:|", heads.join(" | "));
    for (nth, (one, other)) in pairs.iter().enumerate().skip(rest.len()) {
        let cells = (0..looked_at.len()).map(|at| {
            let at = nth * looked_at.len() + at;
            let (ones, others) = &samples[at];
            format!("{:+.1} | {}", mean(ones) - mean(others), compared(at))
        });
        let names = format!("{} against {}", one.info.name, other.info.name);
        println!("| {names} | {} |", cells.collect::<Vec<String>>().join(" | "));
    }
    println!("\nHolm's correction is over all {} tests.\n", corrected.len());
}

/// Prints the time of a step, the memory, and the steps to the same number of activities.
fn costs(found: &[Found], steps_max: u64) {
    let known = known(found, ACTIVITIES);
    let seconds = |name: &str| {
        let found = found.iter().find(|found| found.info.name == name)?;
        Some(mean(&steps_to_share(found, &known, steps_max).0))
    };
    let bases = [PLANNER.name, LEAST.name].map(|name| (name, seconds(name)));
    println!("### Costs of exploring on {} apps\n", known.len());
    println!(
        "| agent | a step, µs | of it the agent | peak, MB | steps to {:.0} % of the activities | runs that do not come to it, % | {} |",
        100.0 * SHARE,
        bases.map(|(name, _)| format!("saved against {name}, steps")).join(" | ")
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for found in found {
        let (steps, never) = steps_to_share(found, &known, steps_max);
        let steps = mean(&steps);
        let saved =
            bases.map(|(_, base)| base.map_or("-".to_string(), |base| format!("{:+.0}", base - steps)));
        println!(
            "| {} | {:.1} | {:.1} | {} | {steps:.0} | {:.0} | {} |",
            found.info.name,
            found.us,
            found.own_us,
            found.peak_mb,
            mean(&never),
            saved.join(" | ")
        );
    }
    println!();
}

/// Returns, for each app that has things of a kind, the mean share of them that the runs saw within some steps, in percent.
fn shares(found: &Found, kind: Kind, known: &[usize], steps: u64) -> Vec<f64> {
    let of_app = |(runs, known): (&Vec<Run>, &usize)| {
        let shares = runs.iter().map(|run| share((kind.of)(run).values().copied(), *known, steps));
        mean(&shares.collect::<Vec<f64>>())
    };
    found.runs.iter().zip(known).filter(|(_, known)| **known > 0).map(of_app).collect()
}

/// Returns, for each app, the mean number of steps to a share of its activities, where a run that never comes to it counts
/// with all of its steps, and the percentage of these.
fn steps_to_share(found: &Found, known: &[usize], steps_max: u64) -> (Vec<f64>, Vec<f64>) {
    let of_app = |(runs, known): (&Vec<Run>, &usize)| {
        let wanted = ((SHARE * *known as f64) as usize).max(1);
        let steps: Vec<Option<u64>> = runs
            .iter()
            .map(|run| {
                let mut firsts: Vec<u64> = run.activities.values().copied().collect();
                firsts.sort_unstable();
                firsts.get(wanted - 1).copied()
            })
            .collect();
        let counted: Vec<f64> = steps.iter().map(|steps| steps.unwrap_or(steps_max) as f64).collect();
        let never: Vec<f64> = steps.iter().map(|steps| f64::from(u8::from(steps.is_none()))).collect();
        (mean(&counted), 100.0 * mean(&never))
    };
    found.runs.iter().zip(known).map(of_app).unzip()
}

/// Returns the findings of an agent, by a process of its own.
fn found(info: &'static AgentInfo, options: &Options, texts: &str) -> Found {
    let own = std::env::current_exe().expect("the path of this program");
    let mut process = Command::new(own);
    process.args(std::env::args().skip(1)).env(AGENT, info.name);
    let mut process =
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("this program starts");
    // The process reads all of it before it says anything.
    process.stdin.take().expect("a pipe").write_all(texts.as_bytes()).expect("a reader");
    let output = process.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{} fails", info.name);
    eprintln!("exploring: {} is done", info.name);
    let said = String::from_utf8(output.stdout).expect("text");
    let (lines, last) = said.trim_end().rsplit_once('\n').expect("a line for each run, and one more");
    let runs: Vec<Run> = lines.lines().map(read).collect();
    let runs = runs.chunks(runs_of(info, options) as usize).map(<[Run]>::to_vec).collect();
    let [us, own_us, peak_mb] = last.split(' ').collect::<Vec<&str>>()[..] else { panic!("{last}") };
    let number = |text: &str| text.parse().expect("a number");
    Found { info, runs, us: number(us), own_us: number(own_us), peak_mb: peak_mb.to_string() }
}

/// Returns the number of an agent's runs on an app.
fn runs_of(info: &AgentInfo, options: &Options) -> u32 {
    // Whoever names an agent waits for it.
    if is_slow(info) && options.agents.is_empty() {
        options.made_up_runs.min(SLOW_RUNS_MAX)
    } else {
        options.made_up_runs
    }
}

/// Returns true if a step of this agent takes milliseconds.
pub fn is_slow(info: &AgentInfo) -> bool {
    SLOW.iter().any(|slow| slow.name == info.name)
}

/// Explores all apps by the agent of this name, and prints a line for each run, and one for their time and memory. Making apps
/// takes more memory than exploring them, so their models come in on its input.
pub fn process(name: &str, options: &Options) {
    let info = agent::find(name).expect("an agent");
    TIMED.set(info).expect("one agent");
    let make: fn(&agent::Settings) -> Box<dyn Agent> = |settings| {
        let info = TIMED.get().expect("an agent");
        Box::new(Timed((info.make)(settings)))
    };
    let timed: &'static AgentInfo = Box::leak(Box::new(AgentInfo { make, ..*info }));
    let pays = pays(name);
    let (mut steps, mut time) = (0, Duration::ZERO);
    let texts = std::io::read_to_string(std::io::stdin()).expect("models");
    for text in texts.split(BETWEEN) {
        let model = sim::read(&Source::new("made-up.app", text)).model;
        let model = Arc::new(model.expect("a model without mistakes"));
        for seed in 1..=u64::from(runs_of(info, options)) {
            let plan = Plan { seed: Seed(seed), steps_max: EPISODE, ..Plan::new(timed) };
            let begun = Instant::now();
            let explored = explored(&model, &plan, options.steps, pays);
            time += begun.elapsed();
            steps += explored.steps;
            let seen = explored.model.activities.iter().map(|(name, first)| format!("{name}:{first}"));
            let met = explored.faults.iter().map(|fault| {
                let name = fault.identity.to_string().replace(' ', "_");
                format!("{CRASHED}{name}:{}", fault.first_step)
            });
            println!("{}", seen.chain(met).collect::<Vec<String>>().join(" "));
        }
    }
    let own = Duration::from_nanos(OWN_NS.load(Ordering::Relaxed));
    let us_a_step = |time: Duration| time.as_secs_f64() * 1e6 / steps as f64;
    let peak = peak_mb().map_or_else(|| "unknown".to_string(), |mb| mb.to_string());
    println!("{} {} {peak}", us_a_step(time), us_a_step(own));
}

/// Sign before a crash in the line of a run.
const CRASHED: char = '!';

/// Reads the line of a run.
fn read(line: &str) -> Run {
    let mut run = Run::default();
    for word in line.split_whitespace() {
        let (name, first) = word.rsplit_once(':').expect("something seen and its step");
        let (of, name) = match name.strip_prefix(CRASHED) {
            Some(name) => (&mut run.crashes, name),
            None => (&mut run.activities, name),
        };
        of.insert(name.to_string(), first.parse().expect("a step"));
    }
    run
}

/// Agent of this process, and the time that it took.
static TIMED: OnceLock<&'static AgentInfo> = OnceLock::new();
static OWN_NS: AtomicU64 = AtomicU64::new(0);

/// Agent whose own time is taken.
struct Timed(Box<dyn Agent>);

impl Timed {
    /// Takes the time of what the agent does.
    fn time<T>(&mut self, does: impl FnOnce(&mut dyn Agent) -> T) -> T {
        let begun = Instant::now();
        let done = does(&mut *self.0);
        OWN_NS.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
        done
    }
}

impl Agent for Timed {
    fn begin(&mut self) {
        self.time(|agent| agent.begin());
    }

    fn begin_amid(&mut self) {
        self.time(|agent| agent.begin_amid());
    }

    fn choose(
        &mut self,
        situation: &Situation<'_>,
        outlook: Option<&mut dyn Outlook>,
        rng: &mut Rng,
    ) -> Choice {
        self.time(|agent| agent.choose(situation, outlook, rng))
    }

    fn throttle_ms(&self) -> u32 {
        self.0.throttle_ms()
    }

    fn note(&mut self, situation: &Situation<'_>, taken: u16, origin: Origin) {
        self.time(|agent| agent.note(situation, taken, origin));
    }

    fn learn(&mut self, transition: &Transition<'_>, rng: &mut Rng) -> Explanation {
        self.time(|agent| agent.learn(transition, rng))
    }

    fn learn_aside(&mut self, transition: &Transition<'_>) {
        self.time(|agent| agent.learn_aside(transition));
    }

    fn learn_nothing(&mut self, situation: &Situation<'_>, reward: f64) {
        self.time(|agent| agent.learn_nothing(situation, reward));
    }

    fn end(&mut self, origin: Origin) -> Summary {
        self.time(|agent| agent.end(origin))
    }

    fn paths(&self) -> Option<Paths> {
        self.0.paths()
    }

    fn learning(&self) -> Option<Learning> {
        self.0.learning()
    }

    fn forget(&mut self, recollection: Recollection) {
        self.time(|agent| agent.forget(recollection));
    }

    fn save(&self, labelings: &dyn Labelings) -> Vec<u8> {
        self.0.save(labelings)
    }

    fn load(&mut self, kept: &[u8], labelings: &mut dyn Labelings) -> Result<(), KeptError> {
        self.0.load(kept, labelings)
    }
}
