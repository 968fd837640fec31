//! The agent of FARLEAD-Android: two tables of values per decision, eligibility traces, and values of action labels.
//!
//! A decision is an action on a screen, while a certain residual is left. In the paper it is an action after a tail, the last
//! few actions and screens, whatever is left of the formula. Values are myopic: they say what a decision is worth by itself,
//! and shaping lets them say much. Every improvement of the paper can be switched off, so that its worth can be measured.

mod kept;

use rustc_hash::FxHashMap;

use super::{Agent, KeptError};
use crate::rng::Rng;
use crate::situation::{
    ActionId, Choice, Explanation, LabelingId, Labelings, Next, Origin, Outlook, PhaseId, Recollection,
    Situation, StateId, Summary, Transition,
};
use crate::sorted;

pub(super) use kept::merge;

/// Longest tail.
const TAIL_MAX: usize = 4;

/// Parameters that the paper leaves open, and switches of its improvements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FarleadSettings {
    /// Softmax temperature: its start, its decrease per episode, its floor.
    pub temperature: f64,
    /// See [`FarleadSettings::temperature`].
    pub temperature_step: f64,
    /// See [`FarleadSettings::temperature`].
    pub temperature_min: f64,
    /// Exploration rate: its start, its factor per episode, its floor.
    pub epsilon: f64,
    /// See [`FarleadSettings::epsilon`].
    pub epsilon_factor: f64,
    /// See [`FarleadSettings::epsilon`].
    pub epsilon_min: f64,
    /// Learning rate: its start, its factor per episode, its floor.
    pub eta: f64,
    /// See [`FarleadSettings::eta`].
    pub eta_factor: f64,
    /// See [`FarleadSettings::eta`].
    pub eta_min: f64,
    /// Decay of eligibility per step.
    pub lambda: f64,
    /// Eligibility below which a decision learns no more.
    pub eligibility_min: f64,
    /// Bound on the values of the first table, on both sides of 0.
    pub rho: f64,
    /// Share of the second table that stays when the first is learned.
    pub alpha: f64,
    /// Length of a tail in pairs of action and state, at most 4; without tails, the state alone counts.
    pub tail: usize,
    /// Values depend on the residual.
    pub residual: bool,
    /// A new decision starts from the value of its action's labels.
    pub action_labels: bool,
    /// There are two tables.
    pub double_q: bool,
    /// Decisions before the last learn too, by eligibility traces.
    pub traces: bool,
}

impl FarleadSettings {
    /// Few failures: the best of 400 settings on 24 made-up apps, chosen again on 24 others by failures. What a decision
    /// depends on was chosen on 40 more. The default.
    pub const FEW_FAILURES: FarleadSettings = FarleadSettings {
        temperature: 0.4,
        temperature_step: 0.01,
        temperature_min: 0.03,
        epsilon: 0.4,
        epsilon_factor: 0.997,
        epsilon_min: 0.02,
        eta: 0.7,
        eta_factor: 1.0,
        eta_min: 0.05,
        lambda: 0.05,
        eligibility_min: 0.01,
        rho: 0.5,
        alpha: 0.5,
        tail: 0,
        residual: true,
        action_labels: true,
        double_q: true,
        traces: true,
    };

    /// Few steps: chosen from the same settings by steps.
    pub const FEW_STEPS: FarleadSettings = FarleadSettings {
        temperature: 0.03,
        temperature_step: 0.01,
        temperature_min: 0.01,
        epsilon: 0.1,
        epsilon_factor: 1.0,
        epsilon_min: 0.02,
        eta: 0.4,
        eta_factor: 0.999,
        eta_min: 0.05,
        lambda: 0.1,
        eligibility_min: 0.01,
        rho: 2.0,
        ..FarleadSettings::FEW_FAILURES
    };

    /// Few failures, with decisions as in the paper: they depend on a tail and not on the residual.
    pub const OF_PAPER: FarleadSettings =
        FarleadSettings { tail: 1, residual: false, ..FarleadSettings::FEW_FAILURES };
}

impl Default for FarleadSettings {
    fn default() -> FarleadSettings {
        FarleadSettings::FEW_FAILURES
    }
}

/// Most values of decisions that are kept from episode to episode, 40 MB, and the weight of a row besides its values.
const WEIGHT_MAX: usize = 2_500_000;
const ROW_WEIGHT: usize = 8;

/// Last pairs of action and state, the latest first; [`NOTHING`] stands for a pair before the start.
type Tail = [(ActionId, StateId); TAIL_MAX];

const NOTHING: (ActionId, StateId) = (ActionId::NONE, StateId::NONE);

/// The agent of FARLEAD-Android.
#[derive(Clone, Debug)]
pub struct Farlead {
    settings: FarleadSettings,
    temperature: f64,
    epsilon: f64,
    eta: f64,
    /// Rows of decisions by tail, and by phase if that counts.
    rows: FxHashMap<(Tail, PhaseId), u32>,
    /// Values of each row, by slot.
    decisions: Vec<Vec<Values>>,
    /// Episode that used each row last.
    used: Vec<u32>,
    /// Number of this episode.
    episode: u32,
    /// Weight of all rows, see [`WEIGHT_MAX`].
    weight: usize,
    labelings: Vec<Values>,
    /// Values of labelings as they were loaded.
    loaded: Vec<Values>,
    /// True if the tables have changed places.
    swapped: bool,
    last: Option<Decision>,
    /// Decisions of the episode that still learn.
    eligible: Vec<Eligible>,
    tail: Tail,
    last_action: ActionId,
    weights: Vec<f64>,
}

/// Values in both tables; [`Farlead::swapped`] tells which is the first.
#[derive(Clone, Copy, Debug, Default)]
struct Values {
    q: [f64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decision {
    row: u32,
    slot: u16,
    labeling: LabelingId,
}

#[derive(Clone, Copy, Debug)]
struct Eligible {
    decision: Decision,
    e: f64,
}

impl Farlead {
    /// Returns an agent that knows nothing.
    pub fn new(settings: FarleadSettings) -> Farlead {
        Farlead {
            settings,
            temperature: settings.temperature,
            epsilon: settings.epsilon,
            eta: settings.eta,
            rows: FxHashMap::default(),
            decisions: Vec::new(),
            used: Vec::new(),
            episode: 0,
            weight: 0,
            labelings: Vec::new(),
            loaded: Vec::new(),
            swapped: false,
            last: None,
            eligible: Vec::new(),
            tail: [NOTHING; TAIL_MAX],
            last_action: ActionId::NONE,
            weights: Vec::new(),
        }
    }

    fn labeling(&mut self, labeling: LabelingId) -> &mut Values {
        let place = labeling.index();
        if self.labelings.len() <= place {
            self.labelings.resize(place + 1, Values::default());
        }
        &mut self.labelings[place]
    }

    /// Returns the row of the decisions at the tail that ends in `situation`.
    fn row(&mut self, situation: &Situation<'_>) -> u32 {
        let length = self.settings.tail.min(TAIL_MAX);
        if length == 0 {
            // Without tails it makes no difference how a state was reached.
            self.tail[0] = (ActionId::NONE, situation.scene.state);
        } else {
            self.tail.copy_within(..TAIL_MAX - 1, 1);
            self.tail[0] = (self.last_action, situation.scene.state);
            self.tail[length..].fill(NOTHING);
        }
        let phase = if self.settings.residual { situation.phase } else { PhaseId::NONE };
        let next = self.decisions.len() as u32;
        let row = *self.rows.entry((self.tail, phase)).or_insert(next);
        if row == next {
            self.decisions.push(Vec::new());
            self.used.push(0);
            self.weight += ROW_WEIGHT;
        }
        self.used[row as usize] = self.episode;
        self.extend(row, situation);
        row
    }

    /// Gives a value to each slot that has none: all of them in a new row, later those that another screen of the same
    /// state adds.
    fn extend(&mut self, row: u32, situation: &Situation<'_>) {
        let known = self.decisions[row as usize].len();
        if known >= usize::from(situation.scene.slots) {
            return;
        }
        self.decisions[row as usize].resize(usize::from(situation.scene.slots), Values::default());
        self.weight += usize::from(situation.scene.slots) - known;
        if !self.settings.action_labels {
            return;
        }
        for offer in situation.scene.offers.iter().filter(|offer| usize::from(offer.slot) >= known) {
            let start = *self.labeling(offer.labeling);
            self.decisions[row as usize][usize::from(offer.slot)] = start;
        }
    }

    /// Keeps the rows that were used last, up to half of the bound.
    fn forget_oldest(&mut self) {
        let weigh = |values: &Vec<Values>| ROW_WEIGHT + values.len();
        let mut latest: Vec<usize> = (0..self.decisions.len()).collect();
        // Of rows used in the same episode, the newer ones stay.
        sorted::by_key(&mut latest, |&row| std::cmp::Reverse((self.used[row], row)));
        let mut weight = 0;
        latest.retain(|&row| {
            weight += weigh(&self.decisions[row]);
            weight <= WEIGHT_MAX / 2
        });
        latest.sort_unstable();
        let mut numbers = vec![None; self.decisions.len()];
        (0..).zip(&latest).for_each(|(number, &row)| numbers[row] = Some(number));
        self.rows.retain(|_, row| match numbers[*row as usize] {
            Some(number) => {
                *row = number;
                true
            }
            None => false,
        });
        self.rows.shrink_to_fit();
        self.decisions = latest.iter().map(|&row| std::mem::take(&mut self.decisions[row])).collect();
        self.used = latest.iter().map(|&row| self.used[row]).collect();
        self.weight = self.decisions.iter().map(weigh).sum();
    }

    fn take(&mut self, situation: &Situation<'_>, row: u32, at: u16) {
        let offer = situation.scene.offers[usize::from(at)];
        self.last_action = offer.action;
        self.last = Some(Decision { row, slot: offer.slot, labeling: offer.labeling });
    }

    fn update(&mut self, reward: f64, rng: &mut Rng) {
        let FarleadSettings { rho, alpha, eligibility_min, lambda, double_q, traces, .. } = self.settings;
        let first = usize::from(self.swapped);
        let eta = self.eta;
        let learn = |values: &mut Values, difference: f64, e: f64| {
            let q1 = (values.q[first] + eta * difference * e).clamp(-rho, rho);
            values.q[first] = q1;
            let q2 = &mut values.q[1 - first];
            *q2 = if double_q { (1.0 - alpha) * q1 + alpha * *q2 } else { q1 };
        };
        let Some(last) = self.last else { return };
        match self.eligible.iter_mut().find(|eligible| eligible.decision == last) {
            Some(eligible) => eligible.e += 1.0,
            None => self.eligible.push(Eligible { decision: last, e: 1.0 }),
        }
        // The error of the last decision serves all that are eligible.
        let difference = reward - self.decisions[last.row as usize][usize::from(last.slot)].q[first];
        let labels_difference = reward - self.labeling(last.labeling).q[first];
        let eligible = std::mem::take(&mut self.eligible);
        for &Eligible { decision: Decision { row, slot, labeling }, e } in &eligible {
            learn(&mut self.decisions[row as usize][usize::from(slot)], difference, e);
            learn(self.labeling(labeling), labels_difference, e);
        }
        self.eligible = eligible;
        if traces {
            self.eligible.iter_mut().for_each(|eligible| eligible.e *= lambda);
            self.eligible.retain(|eligible| eligible.e >= eligibility_min);
        } else {
            self.eligible.clear();
        }
        self.swapped = (double_q && rng.coin()) != self.swapped;
    }
}

impl Agent for Farlead {
    fn begin(&mut self) {
        self.last = None;
        self.eligible.clear();
        self.tail = [NOTHING; TAIL_MAX];
        self.last_action = ActionId::NONE;
        self.episode = self.episode.saturating_add(1);
        // Between episodes nothing else holds the number of a row.
        if self.weight > WEIGHT_MAX {
            self.forget_oldest();
        }
    }

    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, rng: &mut Rng) -> Choice {
        let row = self.row(situation);
        let candidates = situation.preferred;
        let (values, offers) = (&self.decisions[row as usize], &situation.scene.offers[..]);
        let sum = |at: u16| -> f64 { values[usize::from(offers[usize::from(at)].slot)].q.iter().sum() };
        self.weights.resize(candidates.len(), 0.0);
        let mut best = f64::MIN;
        for (weight, &at) in self.weights.iter_mut().zip(candidates) {
            *weight = sum(at);
            best = best.max(*weight);
        }
        for weight in &mut self.weights {
            // The system's library may differ from machine to machine in the last bit.
            *weight = libm::exp((*weight - best) / (2.0 * self.temperature));
        }
        let whole: f64 = self.weights.iter().sum();
        let evenly = self.epsilon / candidates.len() as f64;
        let mut left = rng.unit();
        let mut chosen = candidates[candidates.len() - 1];
        for (&at, weight) in candidates.iter().zip(&self.weights) {
            left -= (1.0 - self.epsilon) * weight / whole + evenly;
            if left < 0.0 {
                chosen = at;
                break;
            }
        }
        self.take(situation, row, chosen);
        Choice::Offer(chosen)
    }

    fn note(&mut self, situation: &Situation<'_>, taken: u16, _: Origin) {
        let row = self.row(situation);
        self.take(situation, row, taken);
    }

    fn learn(&mut self, transition: &Transition<'_>, rng: &mut Rng) -> Explanation {
        self.update(transition.reward, rng);
        if matches!(transition.next, Next::DeadEnd) {
            // The paper's prediction: a choice after which every action loses learns once more.
            self.update(-1.0, rng);
        }
        Explanation::default()
    }

    fn end(&mut self, origin: Origin) -> Summary {
        if origin == Origin::Device {
            let settings = &self.settings;
            self.temperature = (self.temperature - settings.temperature_step).max(settings.temperature_min);
            self.epsilon = (self.epsilon * settings.epsilon_factor).max(settings.epsilon_min);
            self.eta = (self.eta * settings.eta_factor).max(settings.eta_min);
        }
        Summary::default()
    }

    fn forget(&mut self, _: Recollection) {
        self.rows.clear();
        self.decisions.clear();
        self.used.clear();
        self.weight = 0;
        // Labelings are no states, but the recollection would teach them everything once more.
        self.labelings.clone_from(&self.loaded);
        self.swapped = false;
        self.begin();
    }

    fn save(&self, labelings: &dyn Labelings) -> Vec<u8> {
        let (first, second) = (usize::from(self.swapped), usize::from(!self.swapped));
        let known = (0..).zip(&self.labelings).filter(|(_, values)| values.q != [0.0; 2]);
        kept::write(known.filter_map(|(number, values)| {
            Some((labelings.labeling(LabelingId(number))?, [values.q[first], values.q[second]]))
        }))
    }

    fn load(&mut self, kept: &[u8], labelings: &mut dyn Labelings) -> Result<(), KeptError> {
        let rho = self.settings.rho;
        for (labeling, known) in kept::read(kept)? {
            // Bytes from outside may hold any number; learned values lie within these bounds.
            let q = known.map(|q| q.clamp(-rho, rho));
            let number = labelings.number(labeling);
            self.labeling(number).q = q;
        }
        self.loaded.clone_from(&self.labelings);
        Ok(())
    }
}
