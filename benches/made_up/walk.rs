//! Walks through made-up apps, from which formulas are made.
//!
//! A walk runs on the simulator, so everything it meets can be reached. It continues after steps with a new
//! result, and takes back steps without one.

use std::collections::BTreeSet;
use std::sync::Arc;

use farlead::device::sim::model::Model;
use farlead::device::{Device, Sim};
use farlead::gui::{Action, BUILTIN_TEXTS, Repertoire, Screen, Touch, offers};
use farlead::rng::{Rng, Seed};

use super::{Family, chance};

/// An action and its result.
#[derive(Clone, Debug)]
pub struct Step {
    pub action: Action,
    pub screen: Arc<Screen>,
    /// Activities before and after, by the word used in formulas.
    pub from: String,
    pub to: String,
    /// A sign seen for the first time.
    pub sign: Option<String>,
}

impl Step {
    /// Returns true if it had no visible result.
    pub fn is_blind(&self) -> bool {
        self.from == self.to && self.sign.is_none()
    }
}

/// Most walks tried.
const WALKS_MAX: usize = 20_000;
/// Most actions tried at each step.
const TRIES_MAX: usize = 200;
const STEPS_MAX: usize = 12;
/// Number of walks to a hidden activity, of which the shortest is used.
const HIDDEN_WALKS: usize = 24;

pub fn walk(model: &Arc<Model>, family: Family, number: u64) -> Vec<Step> {
    let mut rng = chance(family, number, "walk");
    let sub_goals = match family {
        Family::Long => 7 + rng.below(3),
        _ => 3 + rng.below(2),
    };
    let mut sim = Sim::new(model.clone(), Seed(number));
    let walks = if family == Family::Hidden { HIDDEN_WALKS } else { 1 };
    (0..WALKS_MAX)
        .filter_map(|_| Walk { family, sub_goals, steps: Vec::new() }.run(&mut sim, &mut rng))
        .take(walks)
        .min_by_key(Vec::len)
        .unwrap_or_else(|| panic!("{} {number} has no way through it", family.name()))
}

struct Walk {
    family: Family,
    sub_goals: usize,
    steps: Vec<Step>,
}

impl Walk {
    fn run(mut self, sim: &mut Sim, rng: &mut Rng) -> Option<Vec<Step>> {
        let repertoire = Repertoire::new(BUILTIN_TEXTS, &[], false);
        let launched = sim.app().launchable[0].clone();
        let mut screen = sim.reset(&launched).expect("the model runs").screen;
        let mut known: BTreeSet<String> = signs(&screen).collect();
        while !self.is_done() {
            let offers = offers(&screen, &repertoire);
            let before = sim.save();
            let mut taken = None;
            for _ in 0..TRIES_MAX {
                sim.restore(before);
                let action = offers[rng.below(offers.len())].clone();
                let seen = sim.act(&action).expect("the model runs").screen;
                let sign = signs(&seen).find(|sign| !known.contains(sign));
                let step = Step { action, from: word(&screen), to: word(&seen), sign, screen: seen };
                if rng.unit() < self.weight(&step, sim.save().state != before.state) {
                    taken = Some(step);
                    break;
                }
            }
            let step = taken?;
            known.extend(signs(&step.screen));
            screen = step.screen.clone();
            self.steps.push(step);
            if self.steps.len() > STEPS_MAX {
                return None;
            }
        }
        Some(self.steps)
    }

    fn is_done(&self) -> bool {
        match self.family {
            Family::Hidden => self.steps.last().is_some_and(|step| step.to == "Vault"),
            _ => self.steps.iter().filter(|step| !step.is_blind()).count() == self.sub_goals,
        }
    }

    /// Returns the probability of taking a step; `does` is true if it changed the state.
    fn weight(&self, step: &Step, does: bool) -> f64 {
        let context = step.screen.context();
        if context.crashed || context.anr || !context.screen_on || &**step.screen.package() == LAUNCHER {
            return 0.0;
        }
        // Adverts come up by chance, so a formula cannot count on them.
        if step.screen.widgets().iter().any(|widget| matches!(&*widget.text, "Buy now" | "Rate us")) {
            return 0.0;
        }
        if step.from != step.to {
            let was_there = self.steps.iter().any(|other| other.to == step.to || other.from == step.to);
            return if was_there { 0.2 } else { 1.0 };
        }
        if step.sign.is_some() {
            return 0.5;
        }
        let is_touch =
            matches!(step.action, Action::Touch(Touch::Click, _) | Action::Touch(Touch::LongClick, _));
        let after_blind = self.steps.last().is_some_and(Step::is_blind);
        match self.family {
            Family::Long => 0.0,
            _ if !does || !is_touch || after_blind => 0.0,
            // The way to a hidden activity begins with an action without visible result.
            Family::Hidden => 0.2,
            _ => 0.03,
        }
    }
}

const LAUNCHER: &str = "com.android.launcher";

/// Returns the word for an activity in formulas.
fn word(screen: &Screen) -> String {
    let class = screen.activity().rsplit('.').next().unwrap_or_default();
    class.strip_suffix("Activity").unwrap_or(class).to_string()
}

fn signs(screen: &Screen) -> impl Iterator<Item = String> {
    screen
        .widgets()
        .iter()
        .filter(|widget| widget.text.starts_with("Sign ") && widget.text.ends_with(" is on"))
        .map(|widget| widget.text.to_string())
}
