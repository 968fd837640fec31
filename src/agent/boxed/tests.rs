//! Gradients against finite differences, and the agents on a screen of their own.

use super::deterministic::Deterministic;
use super::learner::Networks;
use super::network::{Form, Rows, Tape, Trained};
use super::replay::{Batch, Replay, States};
use super::sac::{self, Sac};
use super::*;
use crate::agent::tests::scene;
use crate::gui::{Bounds, Flags, Widget};
use crate::situation::PhaseId;

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

/// Compares a gradient with finite differences of `loss`, at each seventh weight and at all that have a gradient of size.
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

#[test]
fn an_index_comes_back_from_its_number() {
    for count in [1, 2, 3, 22, 1_000] {
        for nth in 0..count {
            let back = index(number(nth, count), count);
            assert!(back == nth || back + 1 == nth, "{nth} of {count}: {back}");
        }
        // The last index takes the very end of the range.
        assert_eq!((index(-1.0, count), index(1.0, count)), (0, count - 1));
        assert!(count < 3 || index(0.99, count) < count - 1);
        assert_eq!(index(f32::NAN, count), 0);
    }
}

fn buttons(count: usize) -> Vec<Widget> {
    let button = |at: usize| Widget {
        class: "android.widget.Button".into(),
        text: format!("button {at}").into(),
        bounds: Bounds::new(0, at as i32, 100, at as i32 + 1),
        flags: Flags::ENABLED.set(Flags::CLICKABLE, true),
        ..Widget::default()
    };
    (0..count).map(button).collect()
}

/// The six agents, with small and frequent updates, as tests run without vector instructions.
fn agents() -> Vec<Boxed> {
    let sac = BoxSac { batch: 16, starts: 30, train_freq: 2, rate: 3e-3, ..BoxSac::FATE };
    let ddpg = BoxDdpg {
        batch: 16,
        nb_rollout_steps: 10,
        nb_train_steps: 5,
        actor_rate: 3e-3,
        critic_rate: 1e-2,
        random_exploration: 0.3,
        ..BoxDdpg::FATE
    };
    let td3 = BoxTd3 {
        batch: 16,
        starts: 30,
        train_freq: 10,
        gradient_steps: 5,
        rate: 3e-3,
        random_exploration: 0.3,
        ..BoxTd3::FATE
    };
    [Letter::Ares, Letter::Fate]
        .into_iter()
        .flat_map(|letter| {
            [Boxed::sac(letter, 3, sac), Boxed::ddpg(letter, 3, ddpg), Boxed::td3(letter, 3, td3)]
        })
        .collect()
}

/// Step of a test: chooses, and learns from what comes of it.
fn step(
    agent: &mut Boxed,
    scene: &Scene,
    rng: &mut Rng,
    reward: impl Fn(Choice) -> f64,
    next: Next<'_>,
) -> Choice {
    let all: Vec<u16> = (0..scene.offers.len() as u16).collect();
    let situation =
        Situation { scene, phase: PhaseId::START, steps_left: 9, candidates: &all, preferred: &all };
    let choice = agent.choose(&situation, None, rng);
    let reward = reward(choice);
    match choice {
        Choice::Offer(at) => {
            let phase = PhaseId::START;
            let transition =
                Transition { from: &situation, at, reward, elapsed_ms: None, to: scene, phase, next };
            agent.learn(&transition, rng);
        }
        Choice::Nothing { .. } => agent.learn_nothing(&situation, reward),
        Choice::Restart => panic!("it never starts afresh"),
    }
    choice
}

#[test]
fn they_learn_the_buttons_that_pay() {
    let scene = scene(1, buttons(9));
    // The last three of the nine, by the widget that is touched.
    let pays = |choice: Choice| match choice {
        Choice::Offer(at) => {
            let action = &scene.actions[usize::from(at)];
            let text = action.target().map(|target| target.text.to_string()).unwrap_or_default();
            ["button 6", "button 7", "button 8"].contains(&text.as_str())
        }
        Choice::Nothing { .. } | Choice::Restart => false,
    };
    for mut agent in agents() {
        let mut rng = Seed(2).fork("agent");
        let mut shares = Vec::new();
        for _ in 0..3 {
            let steps = 400;
            let taken = (0..steps).filter(|_| {
                let reward = |choice| if pays(choice) { 100.0 } else { 0.0 };
                pays(step(&mut agent, &scene, &mut rng, reward, Next::Terminal))
            });
            shares.push(taken.count() as f64 / f64::from(steps));
        }
        assert!(shares[2] > 0.5, "{:?} of {:?}: {shares:?}", agent.kind, agent.letter);
    }
}

#[test]
fn the_same_seed_makes_the_same_choices() {
    let scene = scene(1, buttons(9));
    let run = |agent: &Boxed, seed: u64| -> Vec<Choice> {
        let (mut agent, mut rng) = (agent.clone(), Seed(seed).fork("agent"));
        let reward = |choice| if choice == Choice::Offer(0) { 100.0 } else { -30.0 };
        (0..150).map(|_| step(&mut agent, &scene, &mut rng, reward, Next::Truncated)).collect()
    };
    for agent in agents() {
        assert_eq!(run(&agent, 1), run(&agent, 1));
        assert_ne!(run(&agent, 1), run(&agent, 2));
    }
}

#[test]
fn any_number_of_widgets_and_any_reward_leave_the_networks_finite() {
    for (count, reward) in [(0, 0.0), (1, 1e300), (200, -1e300), (3_000, 1e-300), (3, f64::NAN)] {
        let scene = scene(1, buttons(count));
        for mut agent in agents() {
            let mut rng = Seed(1).fork("agent");
            for _ in 0..60 {
                step(&mut agent, &scene, &mut rng, |_| reward, Next::Truncated);
            }
            let learner = agent.learner.expect("it has chosen");
            assert!(agent.inputs.of.len() <= MARKS_MAX);
            assert_eq!(learner.replay.memories().len(), if reward.is_nan() { 0 } else { 60 });
            let is_finite = match learner.networks {
                Networks::Sac(mut sac) => is_finite(sac.networks()),
                Networks::Deterministic(mut networks) => {
                    is_finite(networks.all().map(|followed| &mut followed.network))
                }
            };
            assert!(is_finite, "{count} {reward}");
        }
    }
}

fn is_finite<'a>(mut networks: impl Iterator<Item = &'a mut Trained>) -> bool {
    networks.all(|network| network.weights.iter().all(|weight| weight.is_finite()))
}

#[test]
fn an_end_is_told_from_a_cut() {
    let scene = scene(1, buttons(2));
    for (next, expected) in [(Next::Terminal, true), (Next::DeadEnd, true), (Next::Truncated, false)] {
        for mut agent in agents() {
            let mut rng = Seed(1).fork("agent");
            while step(&mut agent, &scene, &mut rng, |_| 0.0, next) == (Choice::Nothing { is_free: true }) {}
            let learner = agent.learner.expect("it has chosen");
            let memories = learner.replay.memories();
            let (last, nothings) = memories.split_last().expect("a step");
            assert_eq!(last.is_terminal, expected);
            assert!(nothings.iter().all(|memory| !memory.is_terminal), "nothing is no end");
        }
    }
}

#[test]
fn a_buffer_forgets_its_oldest_steps() {
    let observed = || Observed { marks: [0_u16].into(), time: 1.0 };
    let mut replay = Replay::new(3, Seed(1).fork("test"));
    let space = SPACES[0];
    assert!(replay.draw(1, space).is_none());
    for nth in 0..5_u16 {
        let (from, to) = (observed(), observed());
        replay.remember(Memory { from, action: [0.0; 3], reward: f32::from(nth), to, is_terminal: false });
    }
    let mut kept: Vec<f32> = replay.memories().iter().map(|memory| memory.reward).collect();
    kept.sort_by(f32::total_cmp);
    assert_eq!(kept, [2.0, 3.0, 4.0]);
    assert_eq!(replay.draw(3, space).expect("enough").actions.len(), 3 * space.dimensions);
}
