//! Made-up apps: what agents are measured on besides the apps of the repository, with which these share nothing but
//! the language.
//!
//! An app is made from its family, its number and how its widgets are called, and is the same at every call. It comes
//! with a formula for each of the levels a, b and c, made from a walk through it, so that each of them can be reached in
//! the steps it may take. Even numbers are there to choose constants on, odd ones to report.

#![allow(dead_code, reason = "each of the benches and tests that take these in uses a part of them")]

mod formulas;
mod models;
mod walk;

use std::sync::Arc;

use farlead::device::sim::{model::Model, read};
use farlead::device::{Device, Sim};
use farlead::gui::Action;
use farlead::objective::{Formula, Objective as _, Shaping, Verdict};
use farlead::rng::{Rng, Seed};
use farlead::situation::PhaseId;
use farlead::spec::{Source, Spec, Style, parse};

pub use walk::Step;

/// What is hard about an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// 5 to 8 activities with little on them.
    Small,
    /// 14 activities with about 30 widgets each, most of which lead nowhere.
    Large,
    /// 7 to 9 sub-goals.
    Long,
    /// Every look at a screen shows another text, so that hardly a screen is seen twice.
    Clock,
    /// Lists of 30 to 200 rows with something else in them at every visit, and counters of visits.
    Feed,
    /// The last activity is open only after something was done elsewhere, which does not show.
    Hidden,
    /// Adverts come up by chance in front of what was asked for, and buttons fail by chance.
    Chance,
    /// Half of what can be done crashes the app.
    Crash,
    /// Most of what can be done leads out of the app.
    Outside,
}

impl Family {
    pub const ALL: [Family; 9] = [
        Family::Small,
        Family::Large,
        Family::Long,
        Family::Clock,
        Family::Feed,
        Family::Hidden,
        Family::Chance,
        Family::Crash,
        Family::Outside,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Family::Small => "small",
            Family::Large => "large",
            Family::Long => "long",
            Family::Clock => "clock",
            Family::Feed => "feed",
            Family::Hidden => "hidden",
            Family::Chance => "chance",
            Family::Crash => "crash",
            Family::Outside => "outside",
        }
    }
}

/// How the widgets are called that something is done on. Formulas speak of activities, which keep their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Two in three of those that lead somewhere say where.
    Good,
    /// Nothing is said: no text, no description, and no id or one like `a17`.
    None,
    /// The same as good ones in a language that no formula speaks.
    Other,
}

/// Which apps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Those to choose constants on.
    Choosing,
    /// Those whose figures are reported.
    Reporting,
}

/// A made-up app and what is asked of it.
pub struct MadeUp {
    pub family: Family,
    pub number: u64,
    /// The text of its model.
    pub text: String,
    pub model: Arc<Model>,
    /// The walk that all formulas are made from, without the start.
    pub walk: Vec<Step>,
    /// A formula for each level.
    pub asked: Vec<Asked>,
}

/// A formula, and the steps it may take.
pub struct Asked {
    pub level: char,
    pub text: String,
    pub spec: Spec,
    pub steps_max: u32,
}

/// So many steps an episode has beyond the start and the walk.
const STEPS_SPARE: u32 = 2;

impl MadeUp {
    pub fn new(family: Family, number: u64, names: Names) -> MadeUp {
        let text = models::text(family, number, names);
        let source = Source::new("made-up.app", &*text);
        let read = read(&source);
        let model = Arc::new(read.model.unwrap_or_else(|| {
            panic!("{}", read.diagnostics.render(&source, Style::Plain));
        }));
        let walk = walk::walk(&model, family, number);
        let steps_max = walk.len() as u32 + 1 + STEPS_SPARE;
        let asked: Vec<Asked> = formulas::formulas(&walk, family, number)
            .into_iter()
            .map(|(level, text)| {
                let spec = parse(&Source::new("made-up.ltl", &*text)).file.specs.remove(0);
                Asked { level, text, spec, steps_max }
            })
            .collect();
        let made_up = MadeUp { family, number, text, model, walk, asked };
        for asked in &made_up.asked {
            let is_possible = made_up.steps_to(&asked.spec).is_some_and(|steps| steps <= steps_max);
            assert!(is_possible, "{} {number}: the walk does not satisfy {}", family.name(), asked.text);
        }
        made_up
    }

    /// After how many steps, the start included, the walk satisfies a formula.
    fn steps_to(&self, spec: &Spec) -> Option<u32> {
        let mut sim = Sim::new(self.model.clone(), Seed(1));
        let launched = sim.app().launchable[0].clone();
        let start = sim.reset(&launched).expect("the model runs").screen;
        let start = (Action::Reinitialise(launched), start);
        let rest = self.walk.iter().map(|step| (step.action.clone(), step.screen.clone()));
        let mut objective = Formula::new(spec, Shaping::Atoms);
        let mut phase = PhaseId::START;
        for (steps, (action, screen)) in (1..).zip(std::iter::once(start).chain(rest)) {
            let class = objective.class(&action);
            let labels = objective.screen_labels(&screen);
            phase = objective.after_labels(phase, class, &labels);
            match objective.assess(phase).verdict {
                Verdict::Won => return Some(steps),
                Verdict::Lost => return None,
                Verdict::Open => {}
            }
        }
        None
    }
}

/// The first `count` apps of a family that are in this half.
pub fn apps(family: Family, half: Half, count: u64, names: Names) -> Vec<MadeUp> {
    let first = u64::from(half == Half::Reporting);
    (0..count).map(|n| MadeUp::new(family, 2 * n + first, names)).collect()
}

/// The chance of one part of the making of an app.
fn chance(family: Family, number: u64, part: &str) -> Rng {
    Seed(number).fork(&format!("made-up {} {part}", family.name()))
}
