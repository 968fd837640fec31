//! The planner: learns the app as it goes, and plans on what it has learned and on what the formula still wants.
//!
//! Every history is tried once at most while there are others that could win: what was tried in it is known exactly, and
//! of what was not the [values](value) are guesses. On an app that always answers alike, every run the formula leaves
//! alive comes up sooner or later, the likeliest first; when none is left, that is known.

mod knowledge;
mod value;
mod ways;

use self::knowledge::{Knowledge, ROOT};
use self::value::{Memory, Valuation};
use self::ways::Ways;
use super::Agent;
use crate::rng::Rng;
use crate::situation::{
    Blind, Choice, Evidence, Explanation, Habit, LookId, Offer, Origin, Outlook, Reason, Recollection,
    Situation, Summary, Transition,
};

/// Actions looked at for each depth that is tried, a fraction of a microsecond each: below a millisecond a decision with
/// few steps left, below ten with twenty. A hidden effect is found by looking from where it is caused to where it counts,
/// and the ways between multiply with the steps.
const BUDGET: u32 = 1_000;
/// More of them for the square of the steps left: 50 and 100 make no difference that can be measured on the made-up apps
/// of the choosing half.
const BUDGET_A_SQUARE: u32 = 75;
/// Episodes with the whole budget; later ones get less, as deep plans have not helped until then. A search that finds
/// nothing spends its time on the device, and not on plans.
const EPISODES_WHOLE: u32 = 30;
/// Least part of the budget, as a divisor.
const BUDGET_DIVISOR_MAX: u32 = 20;
/// Steps left beyond which the budget grows no more.
const SQUARED_MAX: u32 = 20;

/// Rankings of the planner besides what it has seen. Each can be switched off, so that its worth can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannerSettings {
    /// Effects of actions in most apps: back leads back, turning the device changes nothing.
    pub habits: bool,
    /// Words that a widget's name shares with the formula.
    pub names: bool,
    /// Effects of an action on other screens of the activity.
    pub sharing: bool,
    /// Actions that the formula names come before others.
    pub naming: bool,
    /// Chances that remain if a subgoal is not met.
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
    /// Look of the time before the start, on which nothing holds.
    blank: LookId,
    /// Reason for the last choice.
    reason: Option<Reason>,
    /// Number of episodes that were planned.
    planned: u32,
    /// True if a known way was followed in this episode, and the number of episodes in which one was, in vain.
    has_way: bool,
    ways_failed: u32,
}

impl Planner {
    /// Returns a planner that knows nothing yet, and plans as after `planned` episodes.
    pub fn new(settings: PlannerSettings, planned: u32) -> Planner {
        let (knowledge, memory) = (Knowledge::default(), Memory::default());
        Planner {
            settings,
            knowledge,
            memory,
            blank: LookId::default(),
            reason: None,
            planned,
            has_way: false,
            ways_failed: 0,
        }
    }

    /// Takes notice of a situation, whoever chooses in it.
    pub fn look(&mut self, situation: &Situation<'_>) {
        let Situation { scene, candidates, .. } = situation;
        self.knowledge.look(scene);
        self.knowledge.choices(candidates.len() as u16);
        if self.knowledge.at() == ROOT {
            self.blank = scene.look;
        }
    }

    /// Returns true if every known history was tried.
    pub fn is_tried_out(&self) -> bool {
        self.knowledge.is_tried_out()
    }

    /// Returns true if, besides, the app answered alike whenever it was asked again.
    pub fn is_exhausted(&self) -> bool {
        self.knowledge.is_exhausted()
    }

    /// Returns the candidates with something left to try after them in the current history; all of them if there is
    /// none, or if the app does not always answer alike.
    pub fn open(&self, situation: &Situation<'_>) -> Vec<u16> {
        let Situation { scene, candidates, .. } = *situation;
        let node = self.knowledge.at();
        let edge = |at: u16| self.knowledge.edge(node, scene.offers[usize::from(at)].action);
        let is_used_up = |at: u16| edge(at).is_some_and(|edge| edge.is_used_up);
        let open: Vec<u16> = candidates.iter().copied().filter(|&at| !is_used_up(at)).collect();
        // If all was tried, the likeliest is tried again until it is plain that the app answers alike.
        if self.knowledge.conflicts == 0 && !open.is_empty() { open } else { candidates.to_vec() }
    }

    /// Returns true if nothing is known of an action here, nor of its like in the activity.
    pub fn is_unknown(&self, offer: &Offer) -> bool {
        let place = self.knowledge.node(self.knowledge.at()).place;
        self.knowledge.here_or_by_name(place, offer, true).is_none()
    }

    /// Returns the evidence on an offer in the current history.
    fn evidence(&self, offer: &Offer) -> Evidence {
        let Planner { knowledge, settings, .. } = self;
        let node = knowledge.node(knowledge.at());
        let activity = knowledge.state(node.place).activity;
        if knowledge.is_tried_out() {
            Evidence::Again
        } else if let Some(edge) = knowledge.edge(knowledge.at(), offer.action) {
            Evidence::Walked(edge.outcomes.iter().map(|(_, times)| times).sum())
        } else if let Some(tried) = knowledge.by_core(node.core, offer) {
            Evidence::AlikeRuns(tried.times())
        } else if let Some(tried) = knowledge.here(node.place, offer) {
            Evidence::OtherRuns(tried.times())
        } else if let Some(tried) = knowledge.by_name(activity, offer).filter(|_| settings.sharing) {
            Evidence::OtherPlaces(tried.times())
        } else if settings.habits && offer.habit != Habit::Any {
            Evidence::Habit(offer.habit)
        } else {
            Evidence::Unknown
        }
    }
}

impl Agent for Planner {
    fn begin(&mut self) {
        self.knowledge.begin();
    }

    fn begin_amid(&mut self) {
        self.knowledge.begin_amid();
    }

    fn choose(
        &mut self,
        situation: &Situation<'_>,
        outlook: Option<&mut dyn Outlook>,
        rng: &mut Rng,
    ) -> Choice {
        self.look(situation);
        let Situation { scene, phase, steps_left, .. } = *situation;
        self.memory.visit(scene.activity, phase);
        let offers = &scene.offers[..];
        let from = &self.open(situation)[..];
        let (settings, blank) = (self.settings, self.blank);
        self.planned += u32::from(self.knowledge.at() == ROOT);
        let whole = BUDGET + BUDGET_A_SQUARE * steps_left.min(SQUARED_MAX).pow(2);
        let budget = whole / (self.planned / EPISODES_WHOLE).clamp(1, BUDGET_DIVISOR_MAX);
        let mut blind = Blind;
        let outlook = outlook.unwrap_or(&mut blind);
        let mut valuation = Valuation::new(settings, &mut self.knowledge, outlook, &mut self.memory, blank);
        let worths = valuation.worths(offers, from, phase, steps_left, budget);
        let is_whole = valuation.is_whole();
        let mut best = worths.iter().copied().fold(0.0, f64::max);
        let equals: Vec<u16> =
            from.iter().zip(&worths).filter(|(_, worth)| **worth >= best).map(|(&at, _)| at).collect();
        let mut at = equals[rng.below(equals.len())];
        // Values that do not see the end may miss a way that is known.
        if !is_whole {
            let way = Ways::new(settings, &self.knowledge, outlook, &self.memory).best(
                offers,
                from,
                phase,
                steps_left,
                self.ways_failed,
            );
            if let Some((first, chance)) = way.filter(|&(_, chance)| chance > best) {
                (at, best) = (first, chance);
                self.has_way = true;
            }
        }
        let offer = &offers[usize::from(at)];
        self.reason = Some(Reason {
            evidence: self.evidence(offer),
            chance: best,
            choices: from.len(),
            hinted: if self.settings.names { offer.hints } else { 0 },
            turn: None,
        });
        Choice::Offer(at)
    }

    fn note(&mut self, situation: &Situation<'_>, _: u16, origin: Origin) {
        self.look(situation);
        if origin == Origin::Device {
            let choices = situation.candidates.len();
            let evidence = Evidence::Wins;
            self.reason = Some(Reason { evidence, chance: 1.0, choices, hinted: 0, turn: None });
        }
    }

    fn learn(&mut self, transition: &Transition<'_>, _: &mut Rng) -> Explanation {
        let change = self.knowledge.learn(transition);
        Explanation { reason: self.reason, change: Some(change) }
    }

    fn learn_aside(&mut self, transition: &Transition<'_>) {
        self.knowledge.learn_aside(transition);
    }

    fn end(&mut self, origin: Origin) -> Summary {
        if origin == Origin::Device {
            self.ways_failed += u32::from(std::mem::take(&mut self.has_way));
        }
        Summary { surprises: self.knowledge.conflicts, is_exhausted: self.knowledge.is_exhausted() }
    }

    fn forget(&mut self, recollection: Recollection) {
        self.knowledge.forget(recollection);
    }
}
