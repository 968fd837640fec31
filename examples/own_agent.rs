//! An agent of one's own: it takes the action of a state that it has taken least often.
//!
//! `cargo run --example own_agent`

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use farlead::agent::{Agent, AgentInfo, Needs, newest};
use farlead::device::sim::{Sim, read};
use farlead::rng::Rng;
use farlead::search::{Plan, search};
use farlead::situation::{ActionId, Choice, Outlook, Situation, StateId, Switches};
use farlead::spec::{Source, parse};

#[derive(Default)]
struct Least {
    taken: BTreeMap<(StateId, ActionId), u32>,
}

impl Agent for Least {
    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, rng: &mut Rng) -> Choice {
        let scene = situation.scene;
        let key = |at: u16| (scene.state, scene.offers[usize::from(at)].action);
        let times = |at: u16| self.taken.get(&key(at)).copied().unwrap_or(0);
        let least = situation.preferred.iter().map(|&at| times(at)).min().unwrap_or(0);
        let rarest: Vec<u16> = situation.preferred.iter().copied().filter(|&at| times(at) == least).collect();
        let at = rarest[rng.below(rarest.len())];
        *self.taken.entry(key(at)).or_insert(0) += 1;
        Choice::Offer(at)
    }
}

static LEAST: AgentInfo = AgentInfo {
    name: "least",
    about: "The action of a state that was taken least often",
    switches: Switches { prediction: true, sure_actions: false, restart_hopeless: true },
    own_switches: &[],
    knobs: &[],
    abstraction: "looks",
    needs: Needs { details: false, experience: false },
    make: |_| Box::new(Least::default()),
    merge: newest,
};

const APP: &str = r#"app org.lock "Lock" 1
launch Main
activity Main .Main {
    own right = 0
    TextView "{right} of 3 digits are right"
    Button "1" -> right = right == 1 ? 2 : 0
    Button "2" -> right = right == 2 ? 3 : 0
    Button "4" -> right = right == 0 ? 1 : 0
}
"#;

/// Runs the example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let model = read(&Source::new("lock.app", APP)).model.ok_or("the model has mistakes")?;
    let file = parse(&Source::new("lock.ltl", "possible \"open\": F [text ~ \"3 of 3\"]")).file;
    let plan = Plan { steps_max: 10, ..Plan::new(&LEAST) };
    let mut device = Sim::new(Arc::new(model), plan.seed);
    let finding = search(&mut device, &file.specs[0], &plan, &mut |_| true)?;
    for (number, step) in finding.run.ok_or("no run was found")?.steps.iter().enumerate() {
        println!("{number}. {}", step.action);
    }
    println!("found in {} episodes, {} steps", finding.episodes, finding.steps);
    Ok(())
}
