//! The agent of FARLEAD-Android: two tables of values per decision, eligibility traces, and values of action labels.
//!
//! A decision is a tail (the last few actions and screens) with an action. Values are myopic: they say what a decision
//! is worth by itself, and shaping lets them say much. Every improvement of the paper can be switched off, so that its
//! worth can be measured.

use rustc_hash::FxHashMap;

use super::{ActionId, Agent, LabelingId, Lesson, Outlook, ResidualId, ScreenId, Situation};
use crate::rng::Rng;

/// The longest tail that is kept.
const TAIL_MAX: usize = 4;

/// What the paper leaves open, and which of its improvements are on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FarleadSettings {
    /// How evenly is chosen among values: at first, less after each episode, and at least.
    pub temperature: f64,
    /// See [`FarleadSettings::temperature`].
    pub temperature_step: f64,
    /// See [`FarleadSettings::temperature`].
    pub temperature_min: f64,
    /// How often values do not count: at first, by what it is multiplied after each episode, and at least.
    pub epsilon: f64,
    /// See [`FarleadSettings::epsilon`].
    pub epsilon_factor: f64,
    /// See [`FarleadSettings::epsilon`].
    pub epsilon_min: f64,
    /// How much of a difference is learned: at first, by what it is multiplied after each episode, and at least.
    pub eta: f64,
    /// See [`FarleadSettings::eta`].
    pub eta_factor: f64,
    /// See [`FarleadSettings::eta`].
    pub eta_min: f64,
    /// How much of a decision's eligibility is left a step later.
    pub lambda: f64,
    /// What is less eligible is not learned.
    pub eligibility_min: f64,
    /// No value of the first table is further from 0.
    pub rho: f64,
    /// How much of the second table stays when the first is learned.
    pub alpha: f64,
    /// How many pairs of action and screen make a tail, at most 4; without tails, the screen alone counts.
    pub tail: usize,
    /// Whether values depend on what is left of the formula.
    pub residual: bool,
    /// Whether a decision starts from what its action's labels are worth.
    pub action_labels: bool,
    /// Whether there are two tables, and not one.
    pub double_q: bool,
    /// Whether decisions before the last are learned.
    pub traces: bool,
}

impl FarleadSettings {
    /// Few failures: the best of 400 settings on 24 made-up apps, chosen again on 24 others by failures. The default.
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
        tail: 1,
        residual: false,
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
}

impl Default for FarleadSettings {
    fn default() -> FarleadSettings {
        FarleadSettings::FEW_FAILURES
    }
}

/// What was learned that can be of use on another run: what actions with these labels are worth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knowledge {
    /// By labelings, in the order of their numbers: what both tables say, the first table first.
    pub labelings: Vec<(LabelingId, [f64; 2])>,
}

/// The last pairs of action and screen, the latest first; what is not there yet is `u32::MAX`.
type Tail = [(ActionId, ScreenId); TAIL_MAX];

const NOTHING: (ActionId, ScreenId) = (u32::MAX, u32::MAX);

/// The agent of FARLEAD-Android.
#[derive(Clone, Debug)]
pub struct Farlead {
    settings: FarleadSettings,
    temperature: f64,
    epsilon: f64,
    eta: f64,
    /// The rows of decisions by their tails, and by what is left of the formula if that counts.
    rows: FxHashMap<(Tail, ResidualId), u32>,
    decisions: Vec<Vec<Values>>,
    labelings: Vec<Values>,
    /// Whether the tables have changed places.
    swapped: bool,
    /// The last decision.
    last: Option<Decision>,
    /// The decisions of the episode that can still be learned.
    eligible: Vec<Eligible>,
    tail: Tail,
    last_action: ActionId,
    weights: Vec<f64>,
}

/// What both tables say; which is the first is for [`Farlead::swapped`] to say.
#[derive(Clone, Copy, Debug, Default)]
struct Values {
    q: [f64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decision {
    row: u32,
    at: u16,
    labeling: LabelingId,
}

#[derive(Clone, Copy, Debug)]
struct Eligible {
    decision: Decision,
    e: f64,
}

impl Farlead {
    /// Returns an agent that knows nothing but `knowledge`.
    pub fn new(settings: FarleadSettings, knowledge: &Knowledge) -> Farlead {
        let mut farlead = Farlead {
            settings,
            temperature: settings.temperature,
            epsilon: settings.epsilon,
            eta: settings.eta,
            rows: FxHashMap::default(),
            decisions: Vec::new(),
            labelings: Vec::new(),
            swapped: false,
            last: None,
            eligible: Vec::new(),
            tail: [NOTHING; TAIL_MAX],
            last_action: u32::MAX,
            weights: Vec::new(),
        };
        for &(labeling, known) in &knowledge.labelings {
            // What comes from a file may be anything; what is learned is within these bounds.
            farlead.labeling(labeling).q = known.map(|q| q.clamp(-settings.rho, settings.rho));
        }
        farlead
    }

    fn labeling(&mut self, labeling: LabelingId) -> &mut Values {
        let place = labeling as usize;
        if self.labelings.len() <= place {
            self.labelings.resize(place + 1, Values::default());
        }
        &mut self.labelings[place]
    }

    /// The row of the decisions at the tail that ends in `situation`.
    fn row(&mut self, situation: &Situation<'_>) -> u32 {
        let length = self.settings.tail.min(TAIL_MAX);
        if length == 0 {
            // Without tails it makes no difference how a screen was reached.
            self.tail[0] = (u32::MAX, situation.scene.screen);
        } else {
            self.tail.copy_within(..TAIL_MAX - 1, 1);
            self.tail[0] = (self.last_action, situation.scene.screen);
            self.tail[length..].fill(NOTHING);
        }
        let residual = if self.settings.residual { situation.residual } else { ResidualId::MAX };
        if let Some(&row) = self.rows.get(&(self.tail, residual)) {
            return row;
        }
        let mut values = vec![Values::default(); situation.scene.offers.len()];
        if self.settings.action_labels {
            for (value, offer) in values.iter_mut().zip(situation.scene.offers.iter()) {
                *value = *self.labeling(offer.labeling);
            }
        }
        let row = self.decisions.len() as u32;
        self.decisions.push(values);
        self.rows.insert((self.tail, residual), row);
        row
    }

    fn take(&mut self, situation: &Situation<'_>, row: u32, at: u16) {
        let offer = situation.scene.offers[usize::from(at)];
        self.last_action = offer.action;
        self.last = Some(Decision { row, at, labeling: offer.labeling });
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
        // One difference, that of the last decision, serves all that are eligible.
        let difference = reward - self.decisions[last.row as usize][usize::from(last.at)].q[first];
        let labels_difference = reward - self.labeling(last.labeling).q[first];
        let eligible = std::mem::take(&mut self.eligible);
        for &Eligible { decision: Decision { row, at, labeling }, e } in &eligible {
            learn(&mut self.decisions[row as usize][usize::from(at)], difference, e);
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
        self.last_action = u32::MAX;
    }

    fn choose(&mut self, situation: &Situation<'_>, _: &mut dyn Outlook, rng: &mut Rng) -> u16 {
        let row = self.row(situation);
        let candidates = situation.preferred;
        let values = &self.decisions[row as usize];
        let sum = |at: u16| -> f64 { values[usize::from(at)].q.iter().sum() };
        let best = candidates.iter().map(|&at| sum(at)).fold(f64::MIN, f64::max);
        self.weights.clear();
        // The same in every machine's last bit: the library of the system may differ there.
        let weigh = |at: &u16| libm::exp((sum(*at) - best) / (2.0 * self.temperature));
        self.weights.extend(candidates.iter().map(weigh));
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
        chosen
    }

    fn learn(&mut self, lesson: &Lesson<'_>, rng: &mut Rng) {
        self.update(lesson.reward, rng);
    }

    fn note(&mut self, situation: &Situation<'_>, taken: u16) {
        let row = self.row(situation);
        self.take(situation, row, taken);
    }

    fn learn_dead_end(&mut self, rng: &mut Rng) {
        self.update(-1.0, rng);
    }

    fn end(&mut self) {
        let settings = &self.settings;
        self.temperature = (self.temperature - settings.temperature_step).max(settings.temperature_min);
        self.epsilon = (self.epsilon * settings.epsilon_factor).max(settings.epsilon_min);
        self.eta = (self.eta * settings.eta_factor).max(settings.eta_min);
    }

    fn knowledge(&self) -> Knowledge {
        let (first, second) = (usize::from(self.swapped), usize::from(!self.swapped));
        let known = (0..).zip(&self.labelings).filter(|(_, values)| values.q != [0.0; 2]);
        let labelings =
            known.map(|(labeling, values)| (labeling, [values.q[first], values.q[second]])).collect();
        Knowledge { labelings }
    }
}
