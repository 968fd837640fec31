//! The planner: learns the app as it goes, and plans on what it has learned and on what the formula still wants.
//!
//! Every history is tried once at most while there are others that could win: what was tried in it is known exactly, and
//! of what was not the [values](value) are guesses. On an app that always answers alike, every run the formula leaves
//! alive comes up sooner or later, the likeliest first; when none is left, that is known.

mod knowledge;
mod places;
mod value;

use self::knowledge::{Knowledge, ROOT};
use self::value::{Memory, Valuation};
use super::{Agent, Lesson, LookId, Outlook, ScreenId, Situation};
use crate::rng::Rng;

/// How many actions are looked at for a decision: some microseconds for each with few steps left, and ten times as long
/// with many.
const BUDGET: u32 = 4_000;
/// And for each step left beyond the first.
const BUDGET_A_STEP: u32 = 1_000;

/// What the planner goes by besides what it has seen. Each ranking can be switched off, so that its worth can be
/// measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannerSettings {
    /// What actions do in most apps: back leads back, turning the device changes nothing.
    pub habits: bool,
    /// Words that what a widget is called shares with what the formula looks for.
    pub names: bool,
    /// What an action did on other screens of the activity.
    pub sharing: bool,
    /// Actions that the formula names come before others.
    pub naming: bool,
    /// What can be won still if what is hoped for does not come.
    pub survival: bool,
}

impl Default for PlannerSettings {
    fn default() -> PlannerSettings {
        PlannerSettings { habits: true, names: true, sharing: true, naming: true, survival: true }
    }
}

/// The agent that plans.
#[derive(Clone, Debug)]
pub struct Planner {
    settings: PlannerSettings,
    knowledge: Knowledge,
    memory: Memory,
    /// The labels of the screen before the start: none.
    blank: LookId,
    last: Option<Choice>,
}

/// What was chosen.
#[derive(Clone, Copy, Debug)]
struct Choice {
    from: ScreenId,
    at: u16,
    choices: u16,
}

impl Planner {
    /// Returns a planner that knows nothing yet.
    pub fn new(settings: PlannerSettings) -> Planner {
        let (knowledge, memory) = (Knowledge::default(), Memory::default());
        Planner { settings, knowledge, memory, blank: 0, last: None }
    }

    fn look(&mut self, situation: &Situation<'_>) {
        let Situation { scene, candidates, .. } = situation;
        self.knowledge.look(scene);
        self.knowledge.choices(candidates.len() as u16);
        if self.knowledge.at() == ROOT {
            self.blank = scene.look;
        }
    }

    fn take(&mut self, situation: &Situation<'_>, at: u16) {
        let Situation { scene, candidates, .. } = situation;
        self.last = Some(Choice { from: scene.screen, at, choices: candidates.len() as u16 });
    }
}

impl Agent for Planner {
    fn begin(&mut self) {
        self.knowledge.begin();
        self.last = None;
    }

    fn choose(&mut self, situation: &Situation<'_>, outlook: &mut dyn Outlook, rng: &mut Rng) -> u16 {
        self.look(situation);
        let Situation { scene, residual, steps_left, candidates, .. } = *situation;
        let offers = &scene.offers[..];
        let node = self.knowledge.at();
        let edge = |at: u16| self.knowledge.edge(node, offers[usize::from(at)].spot);
        let is_used_up = |at: u16| edge(at).is_some_and(|edge| edge.is_used_up);
        let open: Vec<u16> = candidates.iter().copied().filter(|&at| !is_used_up(at)).collect();
        let worths: Vec<f64>;
        let from = if self.knowledge.conflicts == 0 && open.is_empty() {
            // All was tried: what went furthest is asked again, until it is plain that the app answers alike.
            worths =
                candidates.iter().map(|&at| edge(at).map_or(0.0, |edge| f64::from(edge.height))).collect();
            candidates
        } else {
            let from = if self.knowledge.conflicts == 0 { &open[..] } else { candidates };
            let (settings, blank) = (self.settings, self.blank);
            let budget = BUDGET + BUDGET_A_STEP * steps_left.min(20);
            worths = Valuation::new(settings, &mut self.knowledge, outlook, &mut self.memory, blank)
                .worths(offers, from, residual, steps_left, budget);
            from
        };
        let best = worths.iter().copied().fold(0.0, f64::max);
        let equals: Vec<u16> =
            from.iter().zip(&worths).filter(|(_, worth)| **worth >= best).map(|(&at, _)| at).collect();
        let at = equals[rng.below(equals.len())];
        self.take(situation, at);
        at
    }

    fn learn(&mut self, lesson: &Lesson<'_>, _: &mut Rng) {
        if let Some(Choice { from, at, choices }) = self.last {
            self.knowledge.learn(from, at, choices, &lesson.scene, lesson.ends);
        }
    }

    fn note(&mut self, situation: &Situation<'_>, taken: u16) {
        self.look(situation);
        self.take(situation, taken);
    }

    fn learn_dead_end(&mut self, _: &mut Rng) {
        self.knowledge.dead_end();
    }

    fn is_exhausted(&self) -> bool {
        self.knowledge.is_exhausted()
    }
}
