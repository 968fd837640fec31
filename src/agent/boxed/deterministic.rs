//! DDPG and TD3 over a box, as in Stable Baselines 2: an actor without chance, and one critic or two with targets.

use super::network::{Form, Rows, Tape, Trained, grow_target};
use super::replay::{Batch, Observations, Observed, Space, States};
use super::sac::{errors, normal};
use super::settings::{BoxDdpg, BoxTd3};
use crate::net::follow;
use crate::rng::{Rng, Seed};

/// Greatest first weight of the outputs of DDPG.
const DDPG_LAST: f32 = 3e-3;

/// Network, and the target that follows it.
#[derive(Clone, Debug)]
pub struct Followed {
    pub network: Trained,
    pub target: Vec<f32>,
}

impl Followed {
    fn new(form: Form, rate: f64, rng: Rng) -> Followed {
        let network = Trained::new(form, rate, rng);
        Followed { target: network.weights.clone(), network }
    }

    fn grow(&mut self, marks: usize) {
        self.network.grow(marks);
        grow_target(&mut self.target, &self.network);
    }

    fn follow(&mut self, tau: f64) {
        follow(&mut self.target, &self.network.weights, tau as f32);
    }
}

/// Noise that smooths the actions of the target.
#[derive(Clone, Copy, Debug)]
struct Smoothing {
    deviation: f32,
    most: f32,
}

/// Actor and critics.
#[derive(Clone, Debug)]
pub struct Deterministic {
    space: Space,
    pub actor: Followed,
    pub critics: Vec<Followed>,
    discount: f32,
    tau: f64,
    smoothing: Option<Smoothing>,
    /// Updates of the critics from one of the actor and the targets to the next.
    delay: u32,
    noise: Rng,
    tape: Tape,
    critic_tape: Tape,
}

impl Deterministic {
    /// Returns DDPG that was trained on nothing: its critic joins the action at the second layer.
    pub fn ddpg(settings: &BoxDdpg, space: Space, seed: Seed) -> Deterministic {
        let Space { dimensions, marks, .. } = space;
        let numbers = space.numbers();
        let form = |late: usize, outputs: usize| Form {
            numbers,
            late,
            outputs,
            inputs: marks + numbers,
            last: Some(DDPG_LAST),
        };
        Deterministic {
            actor: Followed::new(form(0, dimensions), settings.actor_rate, seed.fork("actor")),
            critics: vec![Followed::new(form(dimensions, 1), settings.critic_rate, seed.fork("critic 1"))],
            discount: settings.discount as f32,
            tau: settings.tau,
            smoothing: None,
            delay: 1,
            noise: seed.fork("noise"),
            tape: Tape::default(),
            critic_tape: Tape::default(),
            space,
        }
    }

    /// Returns TD3 that was trained on nothing.
    pub fn td3(settings: &BoxTd3, space: Space, seed: Seed) -> Deterministic {
        let dimensions = space.dimensions;
        let network = |name: &str, form: Form| Followed::new(form, settings.rate, seed.fork(name));
        let smoothing = Smoothing { deviation: settings.noise as f32, most: settings.noise_clip as f32 };
        Deterministic {
            actor: network("actor", space.form(0, dimensions)),
            critics: ["critic 1", "critic 2"].map(|name| network(name, space.form(dimensions, 1))).into(),
            discount: settings.discount as f32,
            tau: settings.tau,
            smoothing: Some(smoothing),
            delay: settings.policy_delay.max(1),
            noise: seed.fork("noise"),
            tape: Tape::default(),
            critic_tape: Tape::default(),
            space,
        }
    }

    /// Returns all networks with their targets.
    pub fn all(&mut self) -> impl Iterator<Item = &mut Followed> {
        self.critics.iter_mut().chain([&mut self.actor])
    }

    /// Grows to `marks` marks.
    pub fn grow(&mut self, marks: usize) {
        self.all().for_each(|followed| followed.grow(marks));
    }

    /// Returns the action of the policy.
    pub fn act(&mut self, observed: &Observed) -> Vec<f32> {
        let one = Observations::one(observed, self.space);
        actions(&mut self.tape, &self.actor.network.form, &self.actor.network.weights, &one)
    }

    /// Learns from some steps; the actor and the targets each `delay` steps.
    pub fn update(&mut self, batch: &Batch, number: u64) {
        self.critic_gradients(batch);
        let is_due = number.is_multiple_of(self.delay.into());
        if is_due {
            self.actor_gradient(&batch.from);
            self.actor.network.step();
        }
        self.critics.iter_mut().for_each(|critic| critic.network.step());
        if is_due {
            let tau = self.tau;
            self.all().for_each(|followed| followed.follow(tau));
        }
    }

    /// Works the gradients of the critics out.
    pub fn critic_gradients(&mut self, batch: &Batch) {
        let (form, to) = (self.actor.network.form, &batch.to);
        let distinct = actions(&mut self.tape, &form, &self.actor.target, &to.distinct);
        let ahead = match self.smoothing {
            // Equal screens have equal actions, and so equal worths.
            None => to.spread(&self.least(&to.distinct, &distinct), 1),
            Some(Smoothing { deviation, most }) => {
                let mut actions = to.spread(&distinct, self.space.dimensions);
                for action in &mut actions {
                    let noise = (deviation * normal(&mut self.noise)).clamp(-most, most);
                    *action = (*action + noise).clamp(-1.0, 1.0);
                }
                self.least(&to.all, &actions)
            }
        };
        let wanted = batch.wanted(&ahead, self.discount);
        let from = &batch.from.all;
        for critic in &mut self.critics {
            let form = critic.network.form;
            let numbers = numbers(&form, from, &batch.actions, self.space);
            let rows = rows(&form, from, &numbers, &batch.actions);
            self.tape.forward(&form, &critic.network.weights, rows);
            let by_output = errors(&self.tape.outputs, &wanted, 2.0);
            self.tape.backward(&mut critic.network, rows, &by_output);
        }
    }

    /// Returns the least worth of each action, as the targets of the critics hold.
    fn least(&mut self, observations: &Observations, actions: &[f32]) -> Vec<f32> {
        let mut least = vec![f32::INFINITY; observations.marks.len()];
        for critic in &self.critics {
            let form = critic.network.form;
            let numbers = numbers(&form, observations, actions, self.space);
            self.tape.forward(&form, &critic.target, rows(&form, observations, &numbers, actions));
            least.iter_mut().zip(&self.tape.outputs).for_each(|(least, other)| *least = least.min(*other));
        }
        least
    }

    /// Works the gradient of the actor out, which ascends the first critic.
    pub fn actor_gradient(&mut self, from: &States) {
        let (actor, distinct) = (&mut self.actor.network, &from.distinct);
        let actions = actions(&mut self.tape, &actor.form, &actor.weights, distinct);
        let critic = &self.critics[0].network;
        let numbers = numbers(&critic.form, distinct, &actions, self.space);
        let rows = rows(&critic.form, distinct, &numbers, &actions);
        self.critic_tape.forward(&critic.form, &critic.weights, rows);
        let count = from.all.marks.len();
        let each = from.gathered(&vec![-1.0 / count as f32; count], 1);
        let dimensions = self.space.dimensions;
        let mut by_output =
            self.critic_tape.backward_numbers(&critic.form, &critic.weights, &each, dimensions);
        by_output.iter_mut().zip(&actions).for_each(|(by, action)| *by *= 1.0 - action * action);
        self.tape.backward(actor, distinct.rows(), &by_output);
    }
}

/// Returns the actions of an actor, and leaves the tape as it has written it.
fn actions(tape: &mut Tape, form: &Form, network: &[f32], observations: &Observations) -> Vec<f32> {
    tape.forward(form, network, observations.rows());
    tape.outputs.iter().map(|&output| libm::tanhf(output)).collect()
}

/// Returns the numbers that a critic takes beside the marks.
fn numbers(form: &Form, observations: &Observations, actions: &[f32], space: Space) -> Vec<f32> {
    if form.late > 0 { observations.times.clone() } else { observations.with(actions, space.dimensions) }
}

/// Returns the rows that a critic takes.
fn rows<'a>(form: &Form, observations: &'a Observations, numbers: &'a [f32], actions: &'a [f32]) -> Rows<'a> {
    Rows { marks: &observations.marks, numbers, late: if form.late > 0 { actions } else { &[] } }
}
