//! Gradients against finite differences, and networks that grow.

use super::deterministic::Deterministic;
use super::network::{Form, Marks, Rows, Tape, Trained};
use super::replay::{Batch, Observed, Space, States};
use super::sac::{self, Sac};
use super::settings::{BoxDdpg, BoxSac, BoxTd3};
use crate::rng::{Rng, Seed};

/// Returns the outputs of a network by definition, in numbers of twice the length.
fn plain(form: &Form, network: &[f64], rows: Rows<'_>, actions: &[f64]) -> Vec<Vec<f64>> {
    let width = 64;
    let second_inputs = width + form.late;
    let dense = |at: usize, row: &[f64], outputs: usize| -> Vec<f64> {
        let of = |output: usize| {
            let sum: f64 = row
                .iter()
                .enumerate()
                .map(|(nth, number)| number * network[at + nth * outputs + output])
                .sum();
            sum + network[at + row.len() * outputs + output]
        };
        (0..outputs).map(of).collect()
    };
    let relu = |row: Vec<f64>| -> Vec<f64> { row.into_iter().map(|number| number.max(0.0)).collect() };
    let last = second_inputs * width + width;
    let biases = last + width * form.outputs + form.outputs;
    let bag = biases + width;
    let dimensions = actions.len() / rows.marks.len();
    let row = |nth: usize| {
        let marks = &rows.marks[nth];
        let action = &actions[nth * dimensions..(nth + 1) * dimensions];
        let own = form.numbers - if form.late > 0 { 0 } else { dimensions };
        let mut numbers: Vec<f64> = (0..own).map(|at| f64::from(rows.numbers[nth * own + at])).collect();
        if form.late == 0 {
            numbers.extend_from_slice(action);
        }
        let first = (0..width).map(|output| {
            let by_number = numbers.iter().enumerate();
            let sum: f64 = by_number.map(|(at, number)| number * network[bag + at * width + output]).sum();
            let of_mark = |mark: &u16| network[bag + (form.numbers + usize::from(*mark)) * width + output];
            sum + marks.iter().map(of_mark).sum::<f64>() + network[biases + output]
        });
        let mut hidden = relu(first.collect());
        if form.late > 0 {
            hidden.extend_from_slice(action);
        }
        let hidden = relu(dense(0, &hidden, width));
        dense(last, &hidden, form.outputs)
    };
    (0..rows.marks.len()).map(row).collect()
}

/// Compares a gradient with finite differences of `loss`, at each seventh weight and where the gradient is large.
fn check_gradient(network: &Trained, loss: impl Fn(&[f64]) -> f64) {
    let mut weights: Vec<f64> = network.weights.iter().map(|&weight| weight.into()).collect();
    let by = 1e-6;
    let mut moving = 0;
    for at in (0..weights.len()).filter(|at| at % 7 == 0 || network.gradient[*at].abs() > 0.05) {
        let kept = weights[at];
        weights[at] = kept + by;
        let above = loss(&weights);
        weights[at] = kept - by;
        let below = loss(&weights);
        weights[at] = kept;
        let (expected, found) = ((above - below) / (2.0 * by), f64::from(network.gradient[at]));
        assert!((found - expected).abs() < 1e-4, "{at}: {found} and {expected}");
        moving += usize::from(expected.abs() > 1e-3);
    }
    assert!(moving > 10, "only {moving} weights have a gradient");
}

/// Batch of steps between screens with some of eight marks.
fn batch(space: Space, count: usize, rng: &mut Rng) -> Batch {
    let mut batch = Batch::default();
    // Some are equal.
    let observed = |rng: &mut Rng| {
        let kind = rng.below(3) as u16;
        Observed { marks: (0..8).filter(|mark| mark % 3 >= kind).collect(), time: rng.below(3) as f32 / 3.0 }
    };
    for nth in 0..count {
        batch.from.push(&observed(rng), space);
        batch.to.push(&observed(rng), space);
        batch.actions.extend((0..space.dimensions).map(|_| 2.0 * rng.unit() as f32 - 1.0));
        batch.rewards.push(2.0 * rng.unit() as f32 - 1.0);
        batch.goes_on.push(if nth % 3 == 0 { 0.0 } else { 1.0 });
    }
    batch
}

fn wide(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|&number| number.into()).collect()
}

/// Returns the outputs of a network with one output.
fn worths(form: &Form, network: &[f64], states: &States, actions: &[f64]) -> Vec<f64> {
    plain(form, network, states.all.rows(), actions).into_iter().map(|outputs| outputs[0]).collect()
}

fn mean(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Returns the mean of squared errors from r + gamma (1 - d) ahead.
fn critic_loss(batch: &Batch, worths: &[f64], ahead: &[f64]) -> f64 {
    let wanted = batch.rewards.iter().zip(&batch.goes_on).zip(ahead);
    let wanted =
        wanted.map(|((reward, goes_on), ahead)| f64::from(*reward) + f64::from(*goes_on) * 0.99 * ahead);
    mean(worths.iter().zip(wanted).map(|(worth, wanted)| (worth - wanted) * (worth - wanted)))
}

const SPACES: [Space; 2] =
    [Space { is_timed: false, dimensions: 2, marks: 8 }, Space { is_timed: true, dimensions: 3, marks: 8 }];

/// Moves all weights off their start, so that no unit is dead and no output tiny.
fn stir(network: &mut Trained, rng: &mut Rng) {
    network.weights.iter_mut().for_each(|weight| *weight += 0.1 * (2.0 * rng.unit() as f32 - 1.0));
}

#[test]
fn gradients_of_soft_actor_critic_are_those_of_finite_differences() {
    for (space, count) in SPACES.into_iter().flat_map(|space| [(space, 1), (space, 5)]) {
        let mut rng = Seed(3).fork("test");
        let mut sac = Sac::new(&BoxSac::FATE, space, Seed(5));
        sac.grow(8);
        sac.networks().for_each(|network| stir(network, &mut rng));
        let batch = batch(space, count, &mut rng);
        let noise: Vec<f32> = batch.actions.iter().map(|_| sac::normal(&mut rng)).collect();
        sac.gradients(&batch, noise.clone());
        let (dimensions, alpha) = (space.dimensions, 1.0);
        // Squashed gaussian actions, and the logarithms of their densities.
        let drawn = |actor: &[f64]| {
            let outputs = plain(&sac.actor.form, actor, batch.from.all.rows(), &[]);
            let (mut actions, mut logs) = (Vec::new(), Vec::new());
            for (row, noise) in outputs.iter().zip(noise.chunks(dimensions)) {
                let mut log = 0.0;
                for at in 0..dimensions {
                    let (noise, deviation) = (f64::from(noise[at]), row[dimensions + at].exp());
                    let action = (row[at] + deviation * noise).tanh();
                    let density = (-0.5 * noise * noise).exp() / deviation / std::f64::consts::TAU.sqrt();
                    log += density.ln() - (1.0 - action * action + 1e-6).ln();
                    actions.push(action);
                }
                logs.push(log);
            }
            (actions, logs)
        };
        let [one, other] = [&sac.critics[0], &sac.critics[1]].map(|critic| wide(&critic.weights));
        let critic = sac.critics[0].form;
        check_gradient(&sac.actor, |actor| {
            let (actions, logs) = drawn(actor);
            let worths = worths(&critic, &one, &batch.from, &actions);
            mean(logs.iter().zip(worths).map(|(log, worth)| alpha * log - worth))
        });
        let (actions, logs) = drawn(&wide(&sac.actor.weights));
        let ahead = worths(&sac.value.form, &wide(&sac.target), &batch.to, &[]);
        for network in &sac.critics {
            check_gradient(network, |weights| {
                0.5 * critic_loss(
                    &batch,
                    &worths(&critic, weights, &batch.from, &wide(&batch.actions)),
                    &ahead,
                )
            });
        }
        let least = worths(&critic, &one, &batch.from, &actions)
            .into_iter()
            .zip(worths(&critic, &other, &batch.from, &actions))
            .map(|(one, other)| one.min(other));
        let soft: Vec<f64> = least.zip(&logs).map(|(worth, log)| worth - alpha * log).collect();
        check_gradient(&sac.value, |value| {
            let worths = worths(&sac.value.form, value, &batch.from, &[]);
            0.5 * mean(worths.iter().zip(&soft).map(|(worth, soft)| (worth - soft) * (worth - soft)))
        });
        let expected = -mean(logs.iter().map(|log| log - dimensions as f64));
        assert!((f64::from(sac.by_log_alpha[0]) - expected).abs() < 1e-4);
    }
}

#[test]
fn gradients_of_deterministic_agents_are_those_of_finite_differences() {
    for (space, count) in SPACES.into_iter().flat_map(|space| [(space, 1), (space, 5)]) {
        let td3 = Deterministic::td3(&BoxTd3 { noise: 0.0, ..BoxTd3::FATE }, space, Seed(5));
        for mut agent in [Deterministic::ddpg(&BoxDdpg::FATE, space, Seed(5)), td3] {
            let mut rng = Seed(3).fork("test");
            agent.grow(8);
            agent.all().for_each(|followed| stir(&mut followed.network, &mut rng));
            let batch = batch(space, count, &mut rng);
            agent.critic_gradients(&batch);
            agent.actor_gradient(&batch.from);
            let actions = |network: &[f64], states: &States| -> Vec<f64> {
                let outputs = plain(&agent.actor.network.form, network, states.all.rows(), &[]);
                outputs.iter().flatten().map(|output| output.tanh()).collect()
            };
            let form = agent.critics[0].network.form;
            let ahead_actions = actions(&wide(&agent.actor.target), &batch.to);
            let mut ahead = vec![f64::INFINITY; count];
            for critic in &agent.critics {
                let worths = worths(&form, &wide(&critic.target), &batch.to, &ahead_actions);
                ahead.iter_mut().zip(worths).for_each(|(ahead, worth)| *ahead = ahead.min(worth));
            }
            for critic in &agent.critics {
                check_gradient(&critic.network, |weights| {
                    let worths = worths(&form, weights, &batch.from, &wide(&batch.actions));
                    critic_loss(&batch, &worths, &ahead)
                });
            }
            let critic = wide(&agent.critics[0].network.weights);
            check_gradient(&agent.actor.network, |actor| {
                -mean(worths(&form, &critic, &batch.from, &actions(actor, &batch.from)))
            });
        }
    }
}

#[test]
fn a_network_that_grows_learns_what_one_of_full_size_would() {
    let form = Form { numbers: 1, late: 2, outputs: 1, inputs: 9, last: None };
    let train = |network: &mut Trained, marks: &[u16], times: usize| {
        let marks = [Marks::from(marks)];
        for _ in 0..times {
            let mut tape = Tape::default();
            let rows = Rows { marks: &marks, numbers: &[0.5], late: &[0.1, 0.2] };
            tape.forward(&form, &network.weights, rows);
            tape.backward(network, rows, &[1.0]);
            network.step();
        }
    };
    let [mut grown, mut full] = [(); 2].map(|()| Trained::new(form, 1e-2, Seed(1).fork("test")));
    full.grow(5);
    grown.grow(2);
    for network in [&mut grown, &mut full] {
        train(network, &[0, 1], 9);
        network.grow(5);
        train(network, &[1, 4], 9);
    }
    assert_eq!(grown.weights, full.weights);
}

fn hash(weights: &[f32]) -> u64 {
    let bytes = weights.iter().flat_map(|weight| weight.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn weights_after_forty_updates_have_the_same_bits_on_every_machine() {
    let space = SPACES[1];
    let mut sac = Sac::new(&BoxSac::FATE, space, Seed(5));
    let mut ddpg = Deterministic::ddpg(&BoxDdpg::FATE, space, Seed(5));
    let mut td3 = Deterministic::td3(&BoxTd3::FATE, space, Seed(5));
    sac.grow(8);
    [&mut ddpg, &mut td3].into_iter().for_each(|agent| agent.grow(8));
    let mut rng = Seed(3).fork("test");
    for number in 0..40 {
        let batch = batch(space, 9, &mut rng);
        sac.update(&batch, number);
        ddpg.update(&batch, number);
        td3.update(&batch, number);
    }
    let found = [&sac.actor, &ddpg.actor.network, &td3.actor.network].map(|network| hash(&network.weights));
    assert_eq!(found, [12_309_791_755_829_357_397, 8_770_155_139_836_332_018, 5_109_929_712_799_529_150]);
}
