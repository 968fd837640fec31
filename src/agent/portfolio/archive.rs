//! The archive of cells, each a state with a phase of the objective, and the shortest known way to each.
//!
//! Counts of visits and tries send an episode to a cell that was rarely seen, by the way that led there before, and then
//! to what was tried least there (go-explore).

use rustc_hash::FxHashMap;

use crate::rng::Rng;
use crate::situation::{ActionId, Outlook, PhaseId, Situation, Standing, StateId, Transition};

/// States and actions since the start.
pub type Way = Vec<(StateId, ActionId)>;

/// Most cells that are kept, and most steps of a way.
const CELLS_MAX: usize = 20_000;
pub const WAY_MAX: usize = 60;

/// Factor on the promise of a cell for each step that the objective needs beyond.
const NEARER: f64 = 0.7;
/// Factor for a cell at which every action was tried.
const TRIED_OUT: f64 = 0.2;

/// State with a phase of the objective.
#[derive(Clone, Debug)]
struct Cell {
    state: StateId,
    phase: PhaseId,
    visits: u32,
    /// Episodes that were sent here.
    sent: u32,
    way: Way,
}

/// Tries of the actions of a state, by slot.
#[derive(Clone, Debug, Default)]
struct Tries {
    slots: u16,
    tried: u16,
    times: Vec<u32>,
}

/// Cells met so far.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    list: Vec<Cell>,
    numbers: FxHashMap<(StateId, PhaseId), u32>,
    tries: FxHashMap<StateId, Tries>,
    /// Steps of this episode so far.
    trail: Way,
}

impl Archive {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.trail.clear();
    }

    /// Returns the steps of this episode so far.
    pub fn trail(&self) -> &Way {
        &self.trail
    }

    /// Counts a step; returns true if it led to a cell for the first time.
    pub fn learn(&mut self, transition: &Transition<'_>) -> bool {
        let scene = transition.from.scene;
        let offer = scene.offers[usize::from(transition.at)];
        let tries = self.tries.entry(scene.state).or_default();
        tries.slots = tries.slots.max(scene.slots);
        let slot = usize::from(offer.slot);
        if tries.times.len() <= slot {
            tries.times.resize(usize::from(scene.slots).max(slot + 1), 0);
        }
        tries.tried += u16::from(tries.times[slot] == 0);
        tries.times[slot] += 1;
        self.trail.push((scene.state, offer.action));
        let key = (transition.to.state, transition.phase);
        let next = self.list.len() as u32;
        let number = match self.numbers.get(&key) {
            Some(&known) => known,
            None if self.list.len() >= CELLS_MAX => return false,
            None => {
                self.numbers.insert(key, next);
                let (state, phase) = key;
                self.list.push(Cell { state, phase, visits: 0, sent: 0, way: Vec::new() });
                next
            }
        };
        let cell = &mut self.list[number as usize];
        cell.visits += 1;
        let is_shorter = cell.way.is_empty() || self.trail.len() < cell.way.len();
        if is_shorter && self.trail.len() <= WAY_MAX {
            cell.way.clone_from(&self.trail);
        }
        number == next
    }

    /// Returns the way to a cell to be sent to with this many steps: likelier one that was rarely seen, has untried
    /// actions, and is near the objective. Empty if there is none.
    pub fn send(&mut self, steps: u32, outlook: &mut dyn Outlook, rng: &mut Rng) -> Way {
        let mut sum = 0.0;
        let sums: Vec<f64> = self
            .list
            .iter()
            .map(|cell| {
                sum += self.promise(cell, steps, outlook);
                sum
            })
            .collect();
        if sum <= 0.0 {
            return Vec::new();
        }
        let drawn = rng.unit() * sum;
        let at = sums.partition_point(|&sum| sum <= drawn).min(self.list.len() - 1);
        self.list[at].sent += 1;
        self.list[at].way.clone()
    }

    fn promise(&self, cell: &Cell, steps: u32, outlook: &mut dyn Outlook) -> f64 {
        let left = steps.saturating_sub(cell.way.len() as u32);
        let least = match outlook.standing(cell.phase) {
            Standing::Open(least) if least <= left && left > 0 => least,
            Standing::Open(_) | Standing::Won | Standing::Lost => return 0.0,
        };
        let is_tried_out = self.tries.get(&cell.state).is_some_and(|tries| tries.tried >= tries.slots);
        // Powers by multiplication have the same bits on every machine.
        let near = (0..least.min(30)).fold(1.0, |product, _| product * NEARER);
        let sent = f64::from(1 + cell.sent);
        let open = if is_tried_out { TRIED_OUT } else { 1.0 };
        near * open / (sent * sent * f64::from(1 + cell.visits))
    }

    /// Returns the next choice on `way`, if this episode has kept to it and the action is a candidate.
    pub fn follow(&self, way: &[(StateId, ActionId)], situation: &Situation<'_>) -> Option<u16> {
        let (state, action) = *way.get(self.trail.len())?;
        let is_on_way = self.trail[..] == way[..self.trail.len()] && state == situation.scene.state;
        let is_it = |at: &&u16| situation.scene.offers[usize::from(**at)].action == action;
        situation.candidates.iter().filter(|_| is_on_way).find(is_it).copied()
    }

    /// Returns a candidate that was tried least in this state; of several, any.
    pub fn least(&self, situation: &Situation<'_>, rng: &mut Rng) -> u16 {
        let offers = &situation.scene.offers[..];
        let tries = self.tries.get(&situation.scene.state);
        let times = |at: u16| {
            let slot = usize::from(offers[usize::from(at)].slot);
            tries.and_then(|tries| tries.times.get(slot)).copied().unwrap_or(0)
        };
        let fewest = situation.candidates.iter().map(|&at| times(at)).min().unwrap_or(0);
        let equals: Vec<u16> =
            situation.candidates.iter().copied().filter(|&at| times(at) == fewest).collect();
        equals[rng.below(equals.len())]
    }
}
