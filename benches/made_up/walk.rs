//! Walks through made-up apps, which formulas are made from.
//!
//! A walk is done on the simulator: whatever it meets can be met. It goes on where something new comes up, and takes
//! back what leads nowhere.

use std::collections::BTreeSet;
use std::sync::Arc;

use farlead::device::sim::model::Model;
use farlead::device::{Device, Sim};
use farlead::gui::{Action, BUILTIN_TEXTS, Repertoire, Screen, Touch, offers};
use farlead::rng::{Rng, Seed};

use super::{Family, chance};

/// What was done, and what it led to.
#[derive(Clone, Debug)]
pub struct Step {
    pub action: Action,
    pub screen: Arc<Screen>,
    /// The activities before and after, by the word that formulas use.
    pub from: String,
    pub to: String,
    /// A sign that came up for the first time.
    pub sign: Option<String>,
}

impl Step {
    /// Whether nothing came of it that can be seen from afar.
    pub fn is_blind(&self) -> bool {
        self.from == self.to && self.sign.is_none()
    }
}

/// So often a walk is begun again that leads nowhere.
const WALKS_MAX: usize = 20_000;
/// So many actions are tried at each step of it.
const TRIES_MAX: usize = 200;
const STEPS_MAX: usize = 12;
/// Of so many walks to what is hidden the shortest is taken.
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

    /// How willingly a step is taken that `does` something.
    fn weight(&self, step: &Step, does: bool) -> f64 {
        let context = step.screen.context();
        if context.crashed || context.anr || !context.screen_on || &**step.screen.package() == LAUNCHER {
            return 0.0;
        }
        // What nobody asked for is no part of a way.
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
            // What is hidden begins with something of which nothing can be seen.
            Family::Hidden => 0.2,
            _ => 0.03,
        }
    }
}

const LAUNCHER: &str = "com.android.launcher";

/// What an activity is called in formulas.
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
