//! Made-up apps: measure agents on other apps than those of the repository, which share only the language with
//! them.
//!
//! An app is determined by its family, its number and the kind of its names. It comes with a formula for each
//! of the levels a, b and c, each of which can be satisfied within its limit of steps. Nine families and [`Family::Vast`]
//! are drawn by one maker, which makes the formulas from a walk; those of [`everyday`] are by makers of their own.
//! Even numbers are for choosing constants, odd ones for reporting.

#![allow(dead_code, reason = "each of the benches and tests that take these in uses a part of them")]

pub mod everyday;
mod formulas;
mod models;
#[allow(dead_code, reason = "one of several programs trains it")]
pub mod qbe;
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

/// The difficulty of an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// 5 to 8 activities with few widgets.
    Small,
    /// 14 activities with about 30 widgets each, most of them without effect.
    Large,
    /// 7 to 9 sub-goals.
    Long,
    /// A text differs at every look, so that hardly any screen recurs.
    Clock,
    /// Lists of 30 to 200 rows that change at every visit, and counters of visits.
    Feed,
    /// The last activity only opens after an action elsewhere that shows no effect.
    Hidden,
    /// By chance, adverts open in place of what was asked for, and buttons fail.
    Chance,
    /// Half of the actions crash the app.
    Crash,
    /// Most of the actions lead out of the app.
    Outside,
    /// A log-in with user and password, and a profile behind it.
    Login,
    /// A code that is shown in one place and asked for in another.
    Code,
    /// Fields that are checked, a choice in a dialog, and a box to tick.
    Form,
    /// A lock of three or four digits.
    Lock,
    /// Counters, calculators, steppers and sliders, with a number to reach.
    Counter,
    /// A grid with walls, of which only the own place is seen.
    Maze,
    /// Content that takes seconds to come, and at times goes again.
    Waiting,
    /// A shop with a cart and a least order.
    Cart,
    /// A tree of 15 to 40 screens, with switches that show elsewhere.
    Settings,
    /// 100 to 300 items.
    List,
    /// Entries that are added, removed and restored.
    Notes,
    /// Adverts and questions come up by chance.
    Advert,
    /// Crashes after certain actions, at a rotation, and by chance.
    Fault,
    /// 20 activities, most of them far from the start, with ways that a switch elsewhere opens, rows that come and go above
    /// the widgets, and crashes in the depth.
    Vast,
}

impl Family {
    /// The families of one maker, which draws screens and ways between them.
    pub const DRAWN: [Family; 9] = [
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

    /// The families of everyday kinds, which have good names alone.
    pub const EVERYDAY: [Family; 13] = [
        Family::Login,
        Family::Code,
        Family::Form,
        Family::Lock,
        Family::Counter,
        Family::Maze,
        Family::Waiting,
        Family::Cart,
        Family::Settings,
        Family::List,
        Family::Notes,
        Family::Advert,
        Family::Fault,
    ];

    /// Returns all families. The one with most activities, for exploring, comes last.
    pub fn all() -> impl Iterator<Item = Family> {
        Family::DRAWN.into_iter().chain(Family::EVERYDAY).chain([Family::Vast])
    }

    pub fn is_everyday(self) -> bool {
        Family::EVERYDAY.contains(&self)
    }

    /// Returns the kinds of names that the apps of this family come with.
    pub fn names(self) -> &'static [Names] {
        if self.is_everyday() { &[Names::Good] } else { &[Names::Good, Names::None, Names::Other] }
    }

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
            Family::Login => "login",
            Family::Code => "code",
            Family::Form => "form",
            Family::Lock => "lock",
            Family::Counter => "counter",
            Family::Maze => "maze",
            Family::Waiting => "waiting",
            Family::Cart => "cart",
            Family::Settings => "settings",
            Family::List => "list",
            Family::Notes => "notes",
            Family::Advert => "advert",
            Family::Fault => "fault",
            Family::Vast => "vast",
        }
    }
}

/// The kind of names of useful widgets. Activities keep their names, because formulas use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Two in three widgets that lead somewhere say where.
    Good,
    /// No text, no description, and no id or one like `a17`.
    None,
    /// Good names in a language that no formula uses.
    Other,
}

/// A half of the apps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The apps for choosing constants.
    Choosing,
    /// The apps for reported figures.
    Reporting,
}

/// A made-up app and its formulas.
pub struct MadeUp {
    pub family: Family,
    pub number: u64,
    /// The text of its model.
    pub text: String,
    pub model: Arc<Model>,
    /// The walk from which the formulas are made, without the start; empty for everyday families.
    pub walk: Vec<Step>,
    /// One formula for each level.
    pub asked: Vec<Asked>,
}

/// A formula and its limit of steps.
pub struct Asked {
    pub level: char,
    pub text: String,
    pub spec: Spec,
    pub steps_max: u32,
}

/// Steps allowed in an episode beyond the start and the walk.
const STEPS_SPARE: u32 = 2;

impl MadeUp {
    pub fn new(family: Family, number: u64, names: Names) -> MadeUp {
        if family.is_everyday() {
            assert_eq!(names, Names::Good, "{} has good names alone", family.name());
            return everyday::make(family, number);
        }
        let text = models::text(family, number, names);
        let model = model(&text);
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

    /// Returns the number of steps, the start included, after which the walk satisfies a formula.
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

/// Reads the text of a model, which has no mistakes.
fn model(text: &str) -> Arc<Model> {
    let source = Source::new("made-up.app", text);
    let read = read(&source);
    Arc::new(read.model.unwrap_or_else(|| panic!("{}", read.diagnostics.render(&source, Style::Plain))))
}

/// Returns the first `count` apps of a family in this half.
pub fn apps(family: Family, half: Half, count: u64, names: Names) -> Vec<MadeUp> {
    let first = u64::from(half == Half::Reporting);
    (0..count).map(|n| MadeUp::new(family, 2 * n + first, names)).collect()
}

/// Returns `count` apps of this half: the first of each family, then the second of each, and so on.
pub fn of_each(half: Half, families: &[Family], count: usize, names: Names) -> Vec<MadeUp> {
    let first = u64::from(half == Half::Reporting);
    let each = (0..).flat_map(|nth| families.iter().map(move |&family| (family, 2 * nth + first)));
    each.take(count).map(|(family, number)| MadeUp::new(family, number, names)).collect()
}

/// Returns the chance for one part of making an app.
fn chance(family: Family, number: u64, part: &str) -> Rng {
    Seed(number).fork(&format!("made-up {} {part}", family.name()))
}
