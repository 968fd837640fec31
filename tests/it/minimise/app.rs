//! A small shop that asks for an address by chance, and runs of it to shorten.

use std::sync::Arc;

use farlead::device::sim::{self, model::Model};
use farlead::device::{Device, DeviceError, Sim};
use farlead::gui::{Action, BUILTIN_TEXTS, Repertoire, Screen, Touch, offers};
use farlead::minimise::{Check, Element, Trial, TrialResult};
use farlead::rng::{Rng, Seed};
use farlead::spec::Source;

/// The screen that a run must reach.
const GOAL: &str = "Thanks";

/// Returns the shop; this percentage of catalogues and of items opens with the dialog in front.
pub fn shop(percent: u32) -> Arc<Model> {
    let text = format!(
        r#"app org.shop "Shop" 1
        launch Main
        stored bought = 0
        session seen = 0

        def maybe_ask {{ chance {{ {percent}% {{ show Address }} }} }}

        dialog Address {{
            TextView "Where do you live?"
            Button "Later" -> close
            Button "Here" -> seen += 1; close
        }}

        activity Main .Main {{
            own likes = 0
            Button "Catalogue" -> open Catalogue
            Button "Help" -> open Help
            Button "Settings" -> open Settings
            Button "Like {{likes % 3}}" -> likes += 1
        }}
        activity Help .Help {{
            own page = 0
            Button "Next" -> page = (page + 1) % 4
            TextView "Page {{page}}"
        }}
        activity Settings .Settings {{
            own dark = false, loud = false
            CheckBox "Dark" checked dark -> dark = !dark
            CheckBox "Loud" checked loud -> loud = !loud
        }}
        activity Catalogue .Catalogue {{
            on create: maybe_ask()
            for i in 1..5 {{ Button "Item {{i}}" -> open Item(i) }}
        }}
        activity Item .Item (i) {{
            own stars = 0
            on create: maybe_ask()
            TextView "Item {{i}}"
            Button "Star" -> stars = (stars + 1) % 6
            when i == 3 {{ Button "Buy" -> open Cart }}
        }}
        activity Cart .Cart {{
            own name = ""
            EditText #name hint "Name" edits name
            Button "Pay" enabled (name != "") -> open Thanks
        }}
        activity Thanks .Thanks {{ TextView "Thank you" }}"#
    );
    let source = Source::new("shop.app", text);
    let read = sim::read(&source);
    Arc::new(read.model.unwrap_or_else(|| {
        panic!("{}", read.diagnostics.render(&source, farlead::spec::Style::Plain));
    }))
}

/// Returns random actions, each one among the offers at its time.
pub fn random_run(model: &Arc<Model>, length: usize, seed: u64) -> Vec<Action> {
    let mut rng = Seed(seed).fork("run");
    let mut sim = Sim::new(model.clone(), Seed(seed));
    let mut screen = start(&mut sim).expect("the model runs");
    let repertoire = Repertoire::new(BUILTIN_TEXTS, &[], false);
    (0..length)
        .map(|_| {
            let action = any(&offers(&screen, &repertoire), &mut rng);
            screen = sim.act(&action).expect("the model runs").screen;
            action
        })
        .collect()
}

fn any(actions: &[Action], rng: &mut Rng) -> Action {
    actions[rng.below(actions.len())].clone()
}

fn start(sim: &mut Sim) -> Result<Arc<Screen>, DeviceError> {
    let launched = sim.app().launchable[0].clone();
    Ok(sim.reset(&launched)?.screen)
}

/// A check: do the actions lead to the goal?
pub struct Leads {
    pub model: Arc<Model>,
    /// Each action in its forms, the original first and then ever simpler ones.
    pub forms: Vec<Vec<Action>>,
    pub seed: u64,
}

impl Leads {
    pub fn new(model: &Arc<Model>, run: Vec<Action>) -> Leads {
        Leads { model: model.clone(), forms: run.into_iter().map(forms).collect(), seed: 1 }
    }

    /// Returns true if the kept actions lead to the goal, in a run with chance that no check uses.
    fn leads(&self, kept: &[Element], run: u32) -> bool {
        self.run(&Trial { kept, number: 1_000_000 + run }).expect("the model runs").passed
    }

    fn run(&self, trial: &Trial<'_>) -> Result<TrialResult, DeviceError> {
        // Chance depends only on the kept elements and the number of the trial.
        let drawn = trial.kept.iter().fold(u64::from(trial.number), |hash, kept| {
            (hash.rotate_left(9) ^ kept.at as u64 ^ (u64::from(kept.form) << 40))
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        let mut sim = Sim::new(self.model.clone(), Seed(drawn ^ self.seed));
        let repertoire = Repertoire::new(BUILTIN_TEXTS, &[], false);
        let mut screen = start(&mut sim)?;
        let mut done = Vec::new();
        for kept in trial.kept {
            let action = &self.forms[kept.at][usize::from(kept.form)];
            if is_offered(action, &offers(&screen, &repertoire)) {
                screen = sim.act(action)?.screen;
                done.push(*kept);
            }
            if screen.activity().ends_with(GOAL) {
                return Ok(TrialResult { passed: true, done });
            }
        }
        Ok(TrialResult { passed: false, done })
    }
}

impl Check for Leads {
    type Error = DeviceError;

    fn round(&mut self, trials: &[Trial<'_>]) -> Result<Vec<TrialResult>, DeviceError> {
        trials.iter().map(|trial| self.run(trial)).collect()
    }

    fn goes_on(&mut self) -> bool {
        true
    }

    fn forms(&self, at: usize) -> u16 {
        self.forms[at].len() as u16 - 1
    }
}

/// Returns a text in ever fewer letters, or a click for a long click.
fn forms(action: Action) -> Vec<Action> {
    let simpler: Vec<Action> = match &action {
        Action::Text { on, text } => {
            let letters = text.chars().count();
            let shorter = |letters: usize| Action::Text {
                on: on.clone(),
                text: text.chars().take(letters).collect::<String>().into(),
            };
            let halves =
                std::iter::successors(Some(letters / 2), |&letters| (letters > 0).then_some(letters / 2));
            if letters > 0 { halves.map(shorter).collect() } else { Vec::new() }
        }
        Action::Touch(Touch::LongClick, on) => vec![Action::click(on.clone())],
        _ => Vec::new(),
    };
    [vec![action], simpler].concat()
}

/// Returns true if an action can be done; a field takes any text.
fn is_offered(action: &Action, offered: &[Action]) -> bool {
    offered.iter().any(|other| match (action, other) {
        (Action::Text { on, .. }, Action::Text { on: other, .. }) => on.object_id == other.object_id,
        _ => action == other,
    })
}

/// Returns the rate at which the kept actions lead to the goal, from runs that decided nothing.
pub fn true_rate(leads: &Leads, kept: &[Element], runs: u32) -> f64 {
    (0..runs).filter(|&run| leads.leads(kept, run)).count() as f64 / f64::from(runs)
}

/// Returns random runs of `length` actions that lead to the goal in at least 49 of 50 tries.
pub fn runs(percent: u32, length: usize, count: usize) -> Vec<Leads> {
    let model = shop(percent);
    let all: Vec<Element> = (0..length).map(|at| Element { at, form: 0 }).collect();
    // Most runs never do, so the second failure ends the tries.
    let is_sure = |leads: &Leads| (0..50).filter(|&run| !leads.leads(&all, run)).nth(1).is_none();
    (1..)
        .map(|seed| Leads::new(&model, random_run(&model, length, seed)))
        .filter(is_sure)
        .take(count)
        .collect()
}
