//! DinoDroid's agents against chance and against the least done, on made-up apps: what exploring finds, what is chosen, and
//! what words are worth.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::Instant;

use farlead::agent::{Agent, AgentInfo, DINO, DINO2, Dino, DinoSettings, Kept, KeptError, LEAST, RANDOM};
use farlead::gui::Action;
use farlead::rng::{Rng, Seed};
use farlead::search::{Explored, Plan, in_order};
use farlead::situation::{
    Choice, Explanation, Labelings, Origin, Outlook, Recollection, Scene, Situation, StateId, Summary,
    Transition,
};
use farlead::statistics::{a12, holm};

use crate::findings::{self, mean, paired, share};
use crate::made_up::{Family, Half, MadeUp, Names, of_each};

/// Steps of a run, those at which it is looked at, and those of an episode.
const STEPS: u64 = 2_000;
const LOOKED_AT: [u64; 2] = [600, STEPS];
const EPISODE: u32 = 30;

/// Actions on the device that are no events of DinoDroid.
const OF_SYSTEM: [&str; 4] = ["rotate", "network", "pauseresume", "idle"];

/// Agents in the tables, each watched.
static AGENTS: [&AgentInfo; 4] = [
    &AgentInfo { make: |settings| Watching::over((RANDOM.make)(settings)), ..RANDOM },
    &AgentInfo { make: |settings| Watching::over((LEAST.make)(settings)), ..LEAST },
    &AgentInfo { make: |settings| Watching::over((DINO.make)(settings)), ..DINO },
    &AgentInfo { make: |settings| Watching::over((DINO2.make)(settings)), ..DINO2 },
];

/// Findings of a run: the step of each activity and of each crash, counts of its choices, and its time.
struct Run {
    activities: BTreeMap<String, u64>,
    crashes: BTreeMap<String, u64>,
    choices: Choices,
    seconds: f64,
}

/// Choices between what was never done and what was, and between what leads to the never done and what does not.
#[derive(Clone, Copy, Debug, Default)]
struct Choices {
    /// Such choices, and those that took the never done.
    mixed: u64,
    fresh: u64,
    /// Choices among events that were done as often, and those that took one with something never done behind it.
    even: u64,
    towards: u64,
}

/// Runs on an app by agent, and for each by seed.
type Runs = Vec<Vec<Run>>;

/// Prints what the agents find on `count` made-up apps of these families, as many of each as can be.
pub fn table(runs: u32, half: Half, families: &[Family], count: usize, wanted: &[String]) {
    let is_wanted = |agent: &&&AgentInfo| wanted.is_empty() || wanted.iter().any(|name| name == agent.name);
    let agents: Vec<&AgentInfo> = AGENTS.iter().filter(is_wanted).copied().collect();
    println!("### DinoDroid's agents: {runs} runs of {STEPS} steps on {count} apps each\n");
    let good = all_runs(&of_each(half, families, count, Names::Good), &agents, runs as usize);
    for steps in LOOKED_AT {
        println!(
            "| after {steps} steps |{} |",
            agents.iter().map(|agent| format!(" {} |", agent.name)).collect::<String>()
        );
        println!("|---|{}", "--:|".repeat(agents.len()));
        print_share("activities, % of those that any run saw", &good, |run| &run.activities, steps);
        print_share("crashes, % of those that any run met", &good, |run| &run.crashes, steps);
        println!();
    }
    println!("| |{}", agents.iter().map(|agent| format!(" {} |", agent.name)).collect::<String>());
    println!("|---|{}", "--:|".repeat(agents.len()));
    let sum = |agent: usize, of: fn(&Choices) -> u64| -> u64 {
        good.iter().flat_map(|app| &app[agent]).map(|run| of(&run.choices)).sum()
    };
    let portion = |of: fn(&Choices) -> u64, all: fn(&Choices) -> u64| {
        (0..agents.len())
            .map(|agent| {
                let all = sum(agent, all);
                format!("{:.1} of {all}", 100.0 * sum(agent, of) as f64 / all.max(1) as f64)
            })
            .collect::<Vec<String>>()
            .join(" | ")
    };
    println!("| never done taken, % of choices with both | {} |", portion(|c| c.fresh, |c| c.mixed));
    println!("| towards the never done, % of even choices | {} |", portion(|c| c.towards, |c| c.even));
    let seconds = (0..agents.len()).map(|agent| {
        let all: Vec<f64> = good.iter().flat_map(|app| &app[agent]).map(|run| run.seconds).collect();
        format!("{:.2}", all.iter().sum::<f64>() / all.len() as f64 * 1_000.0 / STEPS as f64)
    });
    println!("| ms a step | {} |\n", seconds.collect::<Vec<String>>().join(" | "));
}

/// Steps of a run where the worth of words is measured, and of a run of the training before.
const WORD_STEPS: u64 = 300;

/// The agent, and the same without words.
static READERS: [&AgentInfo; 2] = [
    &DINO2,
    &AgentInfo {
        make: |settings| {
            Box::new(Dino::quick(DinoSettings { width: 0, ..settings.dino2 }, settings.run_steps))
        },
        ..DINO2
    },
];

/// Prints what words are worth, on apps with names and on the same apps with codes in their place, to an agent that was not
/// trained, and to one that was, on the apps of the other half with such names.
pub fn words(runs: u32, half: Half, families: &[Family], count: usize) {
    let drawn: Vec<Family> = families.iter().copied().filter(|family| !family.is_everyday()).collect();
    let other = if half == Half::Reporting { Half::Choosing } else { Half::Reporting };
    println!("### Words for `dino2`: {runs} runs of {WORD_STEPS} steps on {count} apps\n");
    println!(
        "| texts | training | with words | without | gain, points | A12, p |\n|---|---|--:|--:|--:|--:|"
    );
    let cases = [
        ("names", Names::Good, "none", false),
        ("names", Names::Good, "other half", true),
        ("codes", Names::None, "none", false),
        ("codes", Names::None, "other half", true),
    ];
    let found = cases.map(|(texts, names, training, is_trained)| {
        let apps = of_each(half, &drawn, count, names);
        let before = if is_trained { of_each(other, &drawn, count, names) } else { Vec::new() };
        let found = READERS.map(|agent| read_by(agent, &apps, &before, runs));
        eprintln!("words: {texts}, training {training}, is done");
        found
    });
    // Apps have the same activities whatever their names.
    let known: Vec<usize> = (0..count)
        .map(|app| {
            let runs = found.iter().flatten().flat_map(|apps| &apps[app]);
            runs.flat_map(|run| run.activities.keys()).collect::<BTreeSet<&String>>().len()
        })
        .collect();
    let shares = found.map(|both| {
        both.map(|apps| {
            let of_app = |(runs, &known): (&Vec<Run>, &usize)| {
                mean_share(runs, known, |run| &run.activities, WORD_STEPS)
            };
            apps.iter().zip(&known).map(of_app).collect::<Vec<f64>>()
        })
    });
    let tested = shares.iter().map(|[with, without]| paired(with, without).p);
    let corrected = holm(&tested.collect::<Vec<f64>>());
    for (((texts, _, training, _), [with, without]), p) in cases.iter().zip(&shares).zip(corrected) {
        let (ours, others) = (mean(with), mean(without));
        let effect = a12(with, without).unwrap_or(0.5);
        println!(
            "| {texts} | {training} | {ours:.1} | {others:.1} | {:+.1} | {effect:.2}, {p:.3} |",
            ours - others
        );
    }
    println!();
}

/// Returns the runs of an agent on some apps, each from the weights that it has after training.
fn read_by(agent: &'static AgentInfo, apps: &[MadeUp], training: &[MadeUp], runs: u32) -> Vec<Vec<Run>> {
    let mut kept = Kept::default();
    for app in training {
        let explored = explored(app, Plan { kept, ..Plan::new(agent) }, WORD_STEPS);
        kept = Kept::new(agent, &explored.kept).expect("weights of its own");
    }
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let run_on = |app: &MadeUp| -> Vec<Run> {
        let mut found = Vec::new();
        let run = |number: usize| {
            let seed = Seed(1 + number as u64);
            Run::of(&explored(app, Plan { seed, kept: kept.clone(), ..Plan::new(agent) }, WORD_STEPS), 0.0)
        };
        in_order(jobs, runs as usize, run, |_, run| found.push(run));
        found
    };
    apps.iter().map(run_on).collect()
}

fn all_runs(apps: &[MadeUp], agents: &[&'static AgentInfo], runs: usize) -> Vec<Runs> {
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let mut all = Vec::new();
    for app in apps {
        let mut found: Runs = agents.iter().map(|_| Vec::new()).collect();
        let run = |number: usize| one_run(app, agents[number / runs], Seed(1 + (number % runs) as u64));
        in_order(jobs, agents.len() * runs, run, |number, run| found[number / runs].push(run));
        eprintln!("{} {}", app.family.name(), app.number);
        all.push(found);
    }
    all
}

fn one_run(app: &MadeUp, agent: &'static AgentInfo, seed: Seed) -> Run {
    let begun = Instant::now();
    let explored = explored(app, Plan { seed, ..Plan::new(agent) }, STEPS);
    Run::of(&explored, begun.elapsed().as_secs_f64())
}

/// Explores an app by a plan, in episodes of the usual length.
fn explored(app: &MadeUp, plan: Plan, steps_max: u64) -> Explored {
    let pays = findings::pays(plan.agent.name);
    findings::explored(&app.model, &Plan { steps_max: EPISODE, ..plan }, steps_max, pays)
}

impl Run {
    /// Returns the findings of a run that took so long; its choices are those that a watched agent keeps.
    fn of(explored: &Explored, seconds: f64) -> Run {
        let activities =
            explored.model.activities.iter().map(|(name, &first)| (name.to_string(), first)).collect();
        let crashes =
            explored.faults.iter().map(|fault| (fault.identity.to_string(), fault.first_step)).collect();
        Run { activities, crashes, choices: Choices::read(&explored.kept), seconds }
    }
}

/// Returns the mean share of `all` things that these runs found within some steps, in percent.
fn mean_share(runs: &[Run], all: usize, of: fn(&Run) -> &BTreeMap<String, u64>, steps: u64) -> f64 {
    mean(&runs.iter().map(|run| share(of(run).values().copied(), all, steps)).collect::<Vec<f64>>())
}

/// Prints the mean share of the things found on all apps, with `+` or `-` where it differs from that of the first agent, and
/// the chance that an app gives more than it does under that one.
fn print_share(name: &str, found: &[Runs], of: fn(&Run) -> &BTreeMap<String, u64>, steps: u64) {
    let mut by_agent: Vec<Vec<f64>> = found.first().map_or(Vec::new(), |app| vec![Vec::new(); app.len()]);
    for app in found {
        let all: BTreeSet<&String> = app.iter().flatten().flat_map(|run| of(run).keys()).collect();
        if !all.is_empty() {
            for (shares, runs) in by_agent.iter_mut().zip(app) {
                shares.push(mean_share(runs, all.len(), of, steps));
            }
        }
    }
    let Some((base, rest)) = by_agent.split_first().filter(|(base, _)| !base.is_empty()) else { return };
    let tested: Vec<_> = rest.iter().map(|shares| paired(shares, base)).collect();
    let corrected = holm(&tested.iter().map(|tested| tested.p).collect::<Vec<f64>>());
    let mut cells = vec![format!("{:.1}", mean(base))];
    for ((shares, tested), p) in rest.iter().zip(&tested).zip(corrected) {
        let mark = match p < 0.05 {
            true if tested.first.is_gt() => " +",
            true => " -",
            false => "",
        };
        let effect = a12(shares, base).unwrap_or(0.5);
        cells.push(format!("{:.1}{mark} ({effect:.2}, p {p:.3})", mean(shares)));
    }
    println!("| {name}, {} apps | {} |", base.len(), cells.join(" | "));
}

impl Choices {
    fn read(bytes: &[u8]) -> Choices {
        let text = String::from_utf8_lossy(bytes);
        let mut numbers = text.split(' ').map(|word| word.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        Choices { mixed: next(), fresh: next(), even: next(), towards: next() }
    }
}

/// Agent whose choices are counted. An event is an action of a type on a widget of a name, in an activity.
struct Watching {
    agent: Box<dyn Agent>,
    times: BTreeMap<String, u32>,
    /// Events of each page, and the pages that each event led to.
    pages: BTreeMap<StateId, Vec<String>>,
    to: BTreeMap<String, BTreeSet<StateId>>,
    choices: Choices,
}

impl Watching {
    fn over(agent: Box<dyn Agent>) -> Box<dyn Agent> {
        let choices = Choices::default();
        Box::new(Watching {
            agent,
            times: BTreeMap::new(),
            pages: BTreeMap::new(),
            to: BTreeMap::new(),
            choices,
        })
    }

    fn times(&self, event: &str) -> u32 {
        self.times.get(event).copied().unwrap_or(0)
    }

    fn leads_on(&self, event: &str) -> bool {
        let pages = self.to.get(event).into_iter().flatten();
        pages.filter_map(|page| self.pages.get(page)).flatten().any(|event| self.times(event) == 0)
    }

    fn watch(&mut self, situation: &Situation<'_>, choice: Choice) {
        let Choice::Offer(at) = choice else { return };
        let (scene, all) = (situation.scene, events(situation.scene));
        self.pages.insert(scene.state, all.iter().cloned().collect());
        let chosen = event(scene, at);
        if scene.screen.is_none() || !all.contains(&chosen) || all.len() < 2 {
            return;
        }
        let done: Vec<u32> = all.iter().map(|event| self.times(event)).collect();
        let never = done.iter().filter(|&&times| times == 0).count();
        if never > 0 && never < done.len() {
            self.choices.mixed += 1;
            self.choices.fresh += u64::from(self.times(&chosen) == 0);
        }
        if never == 0 && done.iter().all(|times| *times == done[0]) {
            let on = all.iter().filter(|event| self.leads_on(event)).count();
            if on > 0 && on < all.len() {
                self.choices.even += 1;
                self.choices.towards += u64::from(self.leads_on(&chosen));
            }
        }
    }
}

fn events(scene: &Scene) -> BTreeSet<String> {
    let is_event = |at: &u16| !OF_SYSTEM.contains(&scene.actions[usize::from(*at)].type_name());
    (0..scene.offers.len() as u16).filter(is_event).map(|at| event(scene, at)).collect()
}

fn event(scene: &Scene, at: u16) -> String {
    let action: &Action = &scene.actions[usize::from(at)];
    let activity = scene.screen.as_ref().map_or("", |screen| screen.activity());
    let name = action.target().map_or(String::new(), |target| {
        let [text, desc, id] = target.names();
        let text = if target.class.ends_with("EditText") { "" } else { text };
        let names = format!("{text}/{desc}/{id}");
        if names == "//" { target.object_id.to_string() } else { names }
    });
    format!("{activity}/{}/{name}", action.type_name())
}

impl Agent for Watching {
    fn begin(&mut self) {
        self.agent.begin();
    }

    fn choose(
        &mut self,
        situation: &Situation<'_>,
        outlook: Option<&mut dyn Outlook>,
        rng: &mut Rng,
    ) -> Choice {
        let choice = self.agent.choose(situation, outlook, rng);
        self.watch(situation, choice);
        choice
    }

    fn note(&mut self, situation: &Situation<'_>, taken: u16, origin: Origin) {
        self.agent.note(situation, taken, origin);
    }

    fn learn(&mut self, transition: &Transition<'_>, rng: &mut Rng) -> Explanation {
        let event = event(transition.from.scene, transition.at);
        self.to.entry(event.clone()).or_default().insert(transition.to.state);
        *self.times.entry(event).or_insert(0) += 1;
        self.pages.insert(transition.to.state, events(transition.to).into_iter().collect());
        self.agent.learn(transition, rng)
    }

    fn end(&mut self, origin: Origin) -> Summary {
        self.agent.end(origin)
    }

    fn forget(&mut self, recollection: Recollection) {
        self.agent.forget(recollection);
    }

    fn save(&self, _: &dyn Labelings) -> Vec<u8> {
        let Choices { mixed, fresh, even, towards } = self.choices;
        format!("{mixed} {fresh} {even} {towards}").into_bytes()
    }

    fn load(&mut self, _: &[u8], _: &mut dyn Labelings) -> Result<(), KeptError> {
        Ok(())
    }
}
