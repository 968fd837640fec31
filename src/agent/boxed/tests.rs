//! The agents on a screen of their own: what they learn, what they remember, and how much of it.

use super::learner::Networks;
use super::network::Trained;
use super::replay::Replay;
use super::*;
use crate::agent::tests::{self, scene};
use crate::gui::Widget;
use crate::situation::PhaseId;

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
    tests::buttons((0..count).map(|at| format!("button {at}")))
}

/// The six agents, with small and frequent updates, as tests run without vector instructions.
fn agents() -> Vec<Boxed> {
    let sac = BoxSac { batch: 8, starts: 30, train_freq: 2, rate: 5e-3, ..BoxSac::FATE };
    let ddpg = BoxDdpg {
        batch: 8,
        nb_rollout_steps: 10,
        nb_train_steps: 3,
        actor_rate: 1e-3,
        critic_rate: 1e-2,
        random_exploration: 0.3,
        ..BoxDdpg::FATE
    };
    let td3 = BoxTd3 {
        batch: 8,
        starts: 30,
        train_freq: 10,
        gradient_steps: 3,
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
            let steps = 200;
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
        (0..60).map(|_| step(&mut agent, &scene, &mut rng, reward, Next::Truncated)).collect()
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
    let space = Space { is_timed: false, dimensions: 2, marks: 8 };
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
