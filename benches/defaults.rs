//! Where the defaults of agents come from: made-up apps, each agent with each switch turned over.
//!
//! `cargo bench --bench defaults` prints failures and mean steps at the three levels of formulas. The apps share
//! nothing with those in `apps/` but the language: activities linked at random, some links open only after something
//! else was done, two in three of them named after where they lead, and widgets that lead nowhere.

use std::sync::Arc;

use farlead::agent::FarleadSettings;
use farlead::device::Device;
use farlead::device::sim::{Sim, read};
use farlead::episode::Switches;
use farlead::reward::Shaping;
use farlead::rng::{Rng, Seed};
use farlead::search::{AgentKind, Contender, Plan, Rounds, Tally, Task, compare, mean};
use farlead::spec::{Source, parse};

const APPS: u64 = 24;
const RUNS: u32 = 10;
const EPISODES_MAX: u32 = 500;

fn main() {
    // `cargo test --benches` only wants to know that it starts.
    let apps = if std::env::args().any(|arg| arg == "--test") { 1 } else { APPS };
    let contenders = contenders();
    let mut totals = vec![[(); 3].map(|()| Tally::default()); contenders.len()];
    for app in 0..apps {
        let made_up = MadeUp::new(app);
        for (level, spec) in made_up.specs().iter().enumerate() {
            let of_app = run(&made_up, spec, &contenders);
            totals.iter_mut().zip(of_app).for_each(|(total, tally)| total[level].add(&tally));
        }
    }
    println!("{:40} {:>20} {:>20} {:>20}", "failures, mean steps", "a", "b", "c");
    for (contender, levels) in contenders.iter().zip(&totals) {
        let cell = |tally: &Tally| format!("{} {:.1}", tally.failures, mean(&tally.steps));
        let [a, b, c] = levels.each_ref().map(cell);
        println!("{:40} {a:>20} {b:>20} {c:>20}", contender.name);
    }
}

fn contenders() -> Vec<Contender> {
    let mut contenders = Vec::new();
    for agent in AgentKind::ALL {
        for (name, sure_actions, restart_hopeless) in [
            ("", false, false),
            (" +sure-actions", true, false),
            (" +restart", false, true),
            (" +both", true, true),
        ] {
            let mut settings = vec![("", FarleadSettings::FEW_FAILURES)];
            if agent == AgentKind::Farlead {
                settings.push((" few-steps", FarleadSettings::FEW_STEPS));
                settings.push((" -tails", FarleadSettings { tail: 0, ..FarleadSettings::FEW_FAILURES }));
            }
            for (setting, farlead) in settings {
                let switches = Switches {
                    shaping: Shaping::Atoms,
                    prediction: agent != AgentKind::Random,
                    sure_actions,
                    restart_hopeless,
                };
                let plan = Plan { farlead, switches, ..Plan::new(agent) };
                contenders.push(Contender { name: format!("{}{setting}{name}", agent.name()), plan });
            }
        }
    }
    contenders
}

fn run(made_up: &MadeUp, spec: &str, contenders: &[Contender]) -> Vec<Tally> {
    let model = read(&Source::new("made-up.app", made_up.model())).model.expect("a model without mistakes");
    let model = Arc::new(model);
    let file = parse(&Source::new("made-up.ltl", spec)).file;
    let task = Task {
        spec: &file.specs[0],
        actions: &Arc::default(),
        steps_max: made_up.way.len() as u32 + 3,
        episodes_max: EPISODES_MAX,
    };
    let device = |seed| -> Box<dyn Device> { Box::new(Sim::new(model.clone(), seed)) };
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let tallies = compare(
        &[task],
        contenders,
        Rounds { runs: RUNS, seed: Seed(1), jobs },
        &device,
        &|| false,
        &mut |_, _| (),
    );
    tallies.expect("the model runs").expect("nobody stops it").remove(0)
}

/// A made-up app, and a way through it.
struct MadeUp {
    links: Vec<Vec<Link>>,
    /// The activities and links from the first activity on.
    way: Vec<(usize, usize)>,
}

struct Link {
    to: usize,
    name: String,
    /// Open only once the switch of this activity is on.
    needs: Option<usize>,
}

const NAMES: [&str; 14] = [
    "Main", "Account", "Basket", "Camera", "Detail", "Export", "Folder", "Gallery", "Help", "Inbox",
    "Journal", "Keys", "Library", "Map",
];

impl MadeUp {
    fn new(number: u64) -> MadeUp {
        let mut rng = Seed(number).fork("made-up app");
        let activities = 6 + rng.below(NAMES.len() - 6);
        let mut links: Vec<Vec<Link>> = (0..activities).map(|_| Vec::new()).collect();
        for to in 1..activities {
            let from = rng.below(to);
            links[from].push(MadeUp::link(to, None, &mut rng));
        }
        for _ in 0..activities {
            let (from, to) = (rng.below(activities), rng.below(activities));
            let needs = rng.coin().then(|| rng.below(activities));
            links[from].push(MadeUp::link(to, needs, &mut rng));
        }
        // As far as links lead that are always open, three at most, and no activity twice in a row.
        let mut way = Vec::new();
        let mut at = 0;
        while way.len() < 3 {
            let open: Vec<usize> = (0..links[at].len())
                .filter(|&n| links[at][n].needs.is_none() && links[at][n].to != at)
                .collect();
            if open.is_empty() {
                break;
            }
            let taken = open[rng.below(open.len())];
            way.push((at, taken));
            at = links[at][taken].to;
        }
        MadeUp { links, way }
    }

    fn link(to: usize, needs: Option<usize>, rng: &mut Rng) -> Link {
        let name = if rng.below(3) < 2 { NAMES[to].to_string() } else { format!("Item {}", rng.below(100)) };
        Link { to, name, needs }
    }

    fn model(&self) -> String {
        let mut text = String::from("app org.madeup \"Made up\" 1\nlaunch Main\n");
        for at in 0..self.links.len() {
            text += &format!("session switch_{at} = false\n");
        }
        for (at, links) in self.links.iter().enumerate() {
            let name = NAMES[at];
            text += &format!("activity {name} .{name}Activity {{\n    TextView \"You are here: {at}\"\n");
            text += &format!("    CheckBox \"Switch\" checked switch_{at} -> switch_{at} = !switch_{at}\n");
            for Link { to, name, needs } in links {
                let opens = format!("open {}", NAMES[*to]);
                let effect =
                    needs.map_or(opens.clone(), |switch| format!("if switch_{switch} {{ {opens} }}"));
                text += &format!("    Button \"{name}\" -> {effect}\n");
            }
            for nothing in 0..at % 4 {
                text += &format!("    Button \"Nothing {nothing}\" clickable\n");
            }
            text += "}\n";
        }
        text
    }

    /// The way as formulas of the levels a, b and c; the last two then go back by the key.
    fn specs(&self) -> [String; 3] {
        let activity = |at: usize| format!("[activity ~ {}Activity]", NAMES[at]);
        let to = |&(at, taken): &(usize, usize)| self.links[at][taken].to;
        let Some(last) = self.way.last() else { return [(); 3].map(|()| "F [activity ~ Main]".to_string()) };
        let and_back = format!("{} & X([actionType = back] U {})", activity(to(last)), activity(last.0));
        let chain = |end: &str, left: &dyn Fn(usize) -> String| {
            let mut formula = format!("{} U ({end})", left(last.0));
            for step in self.way.iter().rev().skip(1) {
                formula = format!("{} U ({} & X({formula}))", left(step.0), activity(to(step)));
            }
            format!("X({formula})")
        };
        let mut named = String::new();
        for step in self.way.iter().rev() {
            let name = &self.links[step.0][step.1].name;
            let click = format!("[actionType = click] & [actionDetail = \"{name}\"]");
            named = if named.is_empty() {
                format!("X({click} & {and_back})")
            } else {
                format!("X({click} & {} & {named})", activity(to(step)))
            };
        }
        let a = chain(&activity(to(last)), &activity);
        let b = chain(&and_back, &|at| format!("({} & [actionType = click])", activity(at)));
        [a, b, named]
    }
}
