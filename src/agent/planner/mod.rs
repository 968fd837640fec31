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
use super::{Agent, Ground, Habit, Lesson, LookId, Offer, Outlook, Reason, Remark, ScreenId, Situation};
use crate::rng::Rng;

/// How many actions are looked at for each depth that is tried, a fraction of a microsecond each: below a millisecond
/// with few steps left, below ten with twenty. What does not show is found by looking from where it is done to where it
/// counts, and the ways there multiply with the steps.
const BUDGET: u32 = 1_000;
/// And for the square of the steps left: 50 and 100 make no difference that can be measured on the made-up apps that are
/// there for choosing.
const BUDGET_A_SQUARE: u32 = 75;
/// With more steps left there is no more time.
const SQUARED_MAX: u32 = 20;

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
    reason: Option<Reason>,
    remark: Option<Remark>,
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
        Planner { settings, knowledge, memory, blank: 0, last: None, reason: None, remark: None }
    }

    fn look(&mut self, situation: &Situation<'_>) {
        let Situation { scene, candidates, .. } = situation;
        self.knowledge.look(scene);
        self.knowledge.choices(candidates.len() as u16);
        if self.knowledge.at() == ROOT {
            self.blank = scene.look;
        }
    }

    /// What is known of an offer in the history of now.
    fn ground(&self, offer: &Offer) -> Ground {
        let Planner { knowledge, settings, .. } = self;
        let node = knowledge.node(knowledge.at());
        let activity = knowledge.places.get(node.place).activity;
        if knowledge.is_tried_out() {
            Ground::Again
        } else if let Some(edge) = knowledge.edge(knowledge.at(), offer.spot) {
            Ground::Walked(edge.outcomes.iter().map(|(_, times)| times).sum())
        } else if let Some(tried) = knowledge.by_core(node.core, offer) {
            Ground::AlikeRuns(tried.times())
        } else if let Some(tried) = knowledge.here(node.place, offer) {
            Ground::OtherRuns(tried.times())
        } else if let Some(tried) = knowledge.by_name(activity, offer).filter(|_| settings.sharing) {
            Ground::OtherPlaces(tried.times())
        } else if settings.habits && offer.habit != Habit::Any {
            Ground::Habit(offer.habit)
        } else {
            Ground::Unknown
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
        self.memory.visit(scene.activity, residual);
        let offers = &scene.offers[..];
        let node = self.knowledge.at();
        let edge = |at: u16| self.knowledge.edge(node, offers[usize::from(at)].spot);
        let is_used_up = |at: u16| edge(at).is_some_and(|edge| edge.is_used_up);
        let open: Vec<u16> = candidates.iter().copied().filter(|&at| !is_used_up(at)).collect();
        // If all was tried, the likeliest is tried again until it is plain that the app answers alike.
        let from = if self.knowledge.conflicts == 0 && !open.is_empty() { &open[..] } else { candidates };
        let (settings, blank) = (self.settings, self.blank);
        let budget = BUDGET + BUDGET_A_SQUARE * steps_left.min(SQUARED_MAX).pow(2);
        let worths = Valuation::new(settings, &mut self.knowledge, outlook, &mut self.memory, blank)
            .worths(offers, from, residual, steps_left, budget);
        let best = worths.iter().copied().fold(0.0, f64::max);
        let equals: Vec<u16> =
            from.iter().zip(&worths).filter(|(_, worth)| **worth >= best).map(|(&at, _)| at).collect();
        let at = equals[rng.below(equals.len())];
        let offer = &offers[usize::from(at)];
        self.reason = Some(Reason {
            ground: self.ground(offer),
            chance: best,
            choices: from.len(),
            hinted: if self.settings.names { offer.hints } else { 0 },
        });
        self.take(situation, at);
        at
    }

    fn learn(&mut self, lesson: &Lesson<'_>, _: &mut Rng) {
        if let Some(Choice { from, at, choices }) = self.last {
            self.remark = Some(self.knowledge.learn(from, at, choices, &lesson.scene, lesson.ends));
        }
    }

    fn note(&mut self, situation: &Situation<'_>, taken: u16) {
        self.look(situation);
        let choices = situation.candidates.len();
        self.reason = Some(Reason { ground: Ground::Wins, chance: 1.0, choices, hinted: 0 });
        self.take(situation, taken);
    }

    fn learn_dead_end(&mut self, _: &mut Rng) {
        self.knowledge.dead_end();
    }

    fn reason(&self) -> Option<Reason> {
        self.reason
    }

    fn remark(&self) -> Option<Remark> {
        self.remark
    }

    fn surprises(&self) -> u64 {
        self.knowledge.conflicts
    }

    fn is_exhausted(&self) -> bool {
        self.knowledge.is_exhausted()
    }
}
