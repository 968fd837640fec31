//! The archive of sights, each something that a screen shows in a phase of the objective, and the shortest known way to
//! each.
//!
//! A sight is a text, a mark, a look or a structure, and not a whole screen: a counter that nobody has seen at 7 is news, and
//! its 6 with another box ticked is none. Counts send an episode to a sight that was rarely seen, by the way that led
//! there before, and then to actions that were rarely done at it (go-explore).

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::yields::Yields;
use crate::gui::{Flags, Outline};
use crate::recent::Recent;
use crate::rng::Rng;
use crate::situation::{
    ActionId, LabelingId, Outlook, PhaseId, Scene, ScreenId, Situation, StateId, Transition,
};

/// States and actions since the start.
pub type Way = Vec<(StateId, ActionId)>;

/// Most sights that are kept, screens whose sights are kept, and most steps of a way.
const SIGHTS_MAX: usize = 20_000;
const SCREENS_MAX: usize = 20_000;
pub const WAY_MAX: usize = 60;
/// Tried actions of sights and of states, in each half of their tables: 10 MB.
const TRIED_HALF: usize = 100_000;
/// Most sights of a screen: more texts are a list, and its first ones tell enough.
const ON_SCREEN_MAX: usize = 60;

/// Factor on the promise of a sight for each step that the objective needs beyond: progress is rare, and worth many visits.
const NEARER: f64 = 0.4;
/// Factor for each step of the way, which is spent before anything new can be tried.
const FARTHER: f64 = 0.9;

/// Sight in a phase.
#[derive(Clone, Debug)]
struct Sight {
    phase: PhaseId,
    visits: u32,
    /// Episodes that were sent here.
    sent: u32,
    way: Way,
}

/// Sights met so far.
#[derive(Clone, Debug)]
pub struct Archive {
    list: Vec<Sight>,
    numbers: FxHashMap<(u64, PhaseId), u32>,
    /// Sights of each screen.
    shown: FxHashMap<ScreenId, Arc<[u64]>>,
    /// Times that an action was done at a sight, in any phase.
    tries: Recent<(u64, LabelingId), u32>,
    /// Actions done in each state.
    done: Recent<(StateId, ActionId), ()>,
    yields: Yields,
    /// Steps of this episode so far.
    trail: Way,
}

impl Default for Archive {
    fn default() -> Archive {
        Archive {
            list: Vec::new(),
            numbers: FxHashMap::default(),
            shown: FxHashMap::default(),
            tries: Recent::new(TRIED_HALF),
            done: Recent::new(TRIED_HALF),
            yields: Yields::default(),
            trail: Way::new(),
        }
    }
}

impl Archive {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.trail.clear();
    }

    /// Begins an episode whose first steps are forgotten. It has more steps than any way, so none of its steps is on one.
    pub fn begin_amid(&mut self) {
        self.trail = vec![(StateId::NONE, ActionId::default()); WAY_MAX + 1];
    }

    /// Returns the steps of this episode so far.
    pub fn trail(&self) -> &Way {
        &self.trail
    }

    /// Returns the yields of actions.
    pub fn yields(&self) -> &Yields {
        &self.yields
    }

    /// Counts a step; returns true if it showed a sight for the first time.
    pub fn learn(&mut self, transition: &Transition<'_>) -> bool {
        let scene = transition.from.scene;
        let offer = scene.offers[usize::from(transition.at)];
        let rarest = self.rarest(scene, transition.from.phase);
        *self.tries.get_or_insert_with((rarest, offer.labeling), || 0, drop) += 1;
        self.trail.push((scene.state, offer.action));
        let mut is_new = false;
        for &sight in &*self.sights(transition.to) {
            let key = (sight, transition.phase);
            let next = self.list.len() as u32;
            let number = match self.numbers.get(&key) {
                Some(&known) => known,
                None if self.list.len() >= SIGHTS_MAX => continue,
                None => {
                    self.numbers.insert(key, next);
                    self.list.push(Sight { phase: transition.phase, visits: 0, sent: 0, way: Way::new() });
                    is_new = true;
                    next
                }
            };
            let sight = &mut self.list[number as usize];
            sight.visits += 1;
            let is_shorter = sight.way.is_empty() || self.trail.len() < sight.way.len();
            if is_shorter && self.trail.len() <= WAY_MAX {
                sight.way.clone_from(&self.trail);
            }
        }
        // Steps that were done before bring nothing as a rule, so they say little about the action.
        let mut is_first = false;
        self.done.get_or_insert_with((scene.state, offer.action), || is_first = true, drop);
        if is_first {
            self.yields.learn(&scene.actions[usize::from(transition.at)], offer.labeling, is_new);
        }
        is_new
    }

    /// Returns the sights of `scene`.
    fn sights(&mut self, scene: &Scene) -> Arc<[u64]> {
        if let Some(known) = self.shown.get(&scene.screen_id) {
            return known.clone();
        }
        if self.shown.len() >= SCREENS_MAX {
            self.shown.clear();
        }
        let number = |parts: &dyn Fn(&mut FxHasher)| {
            let mut hasher = FxHasher::default();
            scene.activity.hash(&mut hasher);
            parts(&mut hasher);
            hasher.finish()
        };
        let mut sights = vec![
            number(&|hasher| (1, scene.look).hash(hasher)),
            number(&|hasher| (2, structure(scene)).hash(hasher)),
        ];
        for widget in scene.widgets().iter().filter(|widget| widget.is_visible()) {
            let is_marked = widget.flags.has(Flags::CHECKED) || widget.flags.has(Flags::SELECTED);
            if sights.len() < ON_SCREEN_MAX && (is_marked || !widget.text.is_empty()) {
                sights.push(number(&|hasher| (&widget.id, &widget.text, is_marked).hash(hasher)));
            }
        }
        sights.sort_unstable();
        sights.dedup();
        let sights: Arc<[u64]> = sights.into();
        self.shown.insert(scene.screen_id, sights.clone());
        sights
    }

    /// Returns the sight of `scene` that was seen least in this phase.
    fn rarest(&mut self, scene: &Scene, phase: PhaseId) -> u64 {
        let sights = self.sights(scene);
        let visits = |sight: u64| {
            let number = self.numbers.get(&(sight, phase));
            number.map_or(0, |&number| self.list[number as usize].visits)
        };
        sights.iter().copied().min_by_key(|&sight| visits(sight)).unwrap_or(0)
    }

    /// Returns the way to a sight to be sent to with this many steps: likelier one that was rarely seen, and is near the
    /// objective. Empty if there is none.
    pub fn send(&mut self, steps: u32, outlook: &mut dyn Outlook, rng: &mut Rng) -> Way {
        let promises: Vec<f64> = self.list.iter().map(|sight| promise(sight, steps, outlook)).collect();
        if promises.iter().all(|&promise| promise <= 0.0) {
            return Way::new();
        }
        let at = rng.by_weight(promises);
        self.list[at].sent += 1;
        self.list[at].way.clone()
    }

    /// Returns the next choice on `way`, if this episode has kept to it and the action is a candidate.
    pub fn follow(&self, way: &[(StateId, ActionId)], situation: &Situation<'_>) -> Option<u16> {
        let (state, action) = *way.get(self.trail.len())?;
        let is_on_way = self.trail[..] == way[..self.trail.len()] && state == situation.scene.state;
        let is_it = |at: &&u16| situation.scene.offers[usize::from(**at)].action == action;
        situation.candidates.iter().filter(|_| is_on_way).find(is_it).copied()
    }

    /// Returns a candidate that was rarely done at what is seen here, and has brought news elsewhere; of several, any.
    pub fn least(&mut self, situation: &Situation<'_>, rng: &mut Rng) -> u16 {
        let scene = situation.scene;
        let rarest = self.rarest(scene, situation.phase);
        let worths: Vec<f64> = situation
            .candidates
            .iter()
            .map(|&at| {
                let labeling = scene.offers[usize::from(at)].labeling;
                let tries = self.tries.peek(&(rarest, labeling)).copied().unwrap_or(0);
                self.yields.of(scene, at) / f64::from(1 + tries)
            })
            .collect();
        let best = worths.iter().copied().fold(0.0, f64::max);
        let candidates = situation.candidates.iter().zip(&worths);
        let equals: Vec<u16> = candidates.filter(|(_, worth)| **worth >= best).map(|(&at, _)| at).collect();
        equals[rng.below(equals.len())]
    }
}

/// Returns the structure of a screen in its usual context: turning the device, and waiting until it goes dark, would be news on
/// each page.
fn structure(scene: &Scene) -> u64 {
    let Some(screen) = &scene.screen else { return scene.frame };
    let usual = screen.context().usual();
    if screen.context() == usual { scene.frame } else { Outline::new(&screen.in_context(usual)).frame }
}

/// Returns the worth of being sent to `sight` with this many steps.
fn promise(sight: &Sight, steps: u32, outlook: &mut dyn Outlook) -> f64 {
    let left = steps.saturating_sub(sight.way.len() as u32);
    let Some(least) = outlook.standing(sight.phase).missing(left) else { return 0.0 };
    // Powers by multiplication have the same bits on every machine.
    let power = |base: f64, times: u32| (0..times.min(60)).fold(1.0, |product, _| product * base);
    let near = power(NEARER, least) * power(FARTHER, sight.way.len() as u32);
    near / (f64::from(1 + sight.sent) * f64::from(1 + sight.visits).sqrt())
}
