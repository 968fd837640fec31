//! The agent on a screen of its own: what it learns, what it remembers, and how much of it.

use super::memory::After;
use super::*;
use crate::agent::tests::{NAMES, buttons, scene};
use crate::situation::{ClassId, LabelingList, LookId, Offer, PhaseId, Subgoal};

/// Small updates, as tests run without vector instructions.
fn small() -> DeepSettings {
    DeepSettings { batch: 8, rate: 3e-3, ..DeepSettings::SAC }
}

/// Step of a test: chooses, and learns from what comes of it.
fn step(agent: &mut Deep, scene: &Scene, rng: &mut Rng, reward: impl Fn(u16) -> f64, ends: bool) -> u16 {
    let all: Vec<u16> = (0..scene.offers.len() as u16).collect();
    let situation =
        Situation { scene, phase: PhaseId::START, steps_left: 9, candidates: &all, preferred: &all };
    let Choice::Offer(at) = agent.choose(&situation, None, rng) else { panic!("it chooses always") };
    let reward = reward(at);
    let next = if reward > 0.0 || ends { Next::Terminal } else { Next::Choice(&situation) };
    let is_over = next.ends();
    let phase = PhaseId::START;
    agent.learn(&Transition { from: &situation, at, reward, elapsed_ms: None, to: scene, phase, next }, rng);
    if is_over {
        agent.end(Origin::Device);
        agent.begin();
    }
    at
}

#[test]
fn it_learns_the_one_button_of_twenty_that_leads_on() {
    let scene = scene(1, buttons(NAMES.map(String::from)));
    for seed in 1..=6 {
        let good = (seed * 7 % 20) as u16;
        let (mut agent, mut rng) = (Deep::new(Method::Sac, small()), Seed(seed).fork("agent"));
        let mut shares = Vec::new();
        agent.begin();
        for _ in 0..3 {
            let taken = (0..200)
                .filter(|_| {
                    step(&mut agent, &scene, &mut rng, |at| f64::from(u8::from(at == good)), false) == good
                })
                .count();
            shares.push(taken as f64 / 200.0);
        }
        assert!(shares[2] > 0.3, "seed {seed}: one of {} offers in {shares:?}", scene.offers.len());
    }
}

#[test]
fn the_same_seed_makes_the_same_choices_on_every_machine() {
    let scene = scene(1, buttons(NAMES.map(String::from)));
    let run = |seed: u64| -> Vec<u16> {
        let (mut agent, mut rng) = (Deep::new(Method::Sac, small()), Seed(seed).fork("agent"));
        (0..200)
            .map(|_| step(&mut agent, &scene, &mut rng, |at| f64::from(u8::from(at == 3)), false))
            .collect()
    };
    let sum = |taken: &[u16]| words::hash(taken.iter().flat_map(|at| at.to_le_bytes()));
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
    assert_eq!(sum(&run(1)), 2_619_593_987, "choices after 80 updates depend on every bit of the weights");
}

#[test]
fn any_number_of_offers_is_weighed_within_bounds() {
    for count in [0, 1, 2, 200, 5_000] {
        let scene = scene(1, buttons((0..count).map(|number| format!("row {number}"))));
        let (mut agent, mut rng) = (Deep::new(Method::Sac, small()), Seed(1).fork("agent"));
        let mut taken = std::collections::BTreeSet::new();
        for _ in 0..80 {
            taken.insert(step(&mut agent, &scene, &mut rng, |_| 0.0, false));
        }
        assert!(taken.iter().all(|&at| usize::from(at) < scene.offers.len()));
        assert!(count < 200 || taken.len() > 60, "{count}: {taken:?}");
        let learner = agent.learner.expect("it has learned");
        for memory in learner.memories() {
            let rows = &memory.list.rows;
            assert!(rows.len() <= 32 && memory.row < rows.len());
            let sum: f32 = rows.iter().map(|row| row.log_prior.exp()).sum();
            assert!((sum - 1.0).abs() < 1e-3, "{sum}");
        }
    }
}

#[test]
fn an_end_is_told_from_a_cut() {
    let scene = scene(1, buttons(["one", "two"].map(String::from)));
    let all: Vec<u16> = (0..scene.offers.len() as u16).collect();
    let situation =
        Situation { scene: &scene, phase: PhaseId::START, steps_left: 1, candidates: &all, preferred: &all };
    let after = |reward: f64, next: Next<'_>| {
        let (mut agent, mut rng) = (Deep::new(Method::Sac, small()), Seed(1).fork("agent"));
        let phase = PhaseId::START;
        let Choice::Offer(at) = agent.choose(&situation, None, &mut rng) else { panic!("a choice") };
        let transition =
            Transition { from: &situation, at, reward, elapsed_ms: None, to: &scene, phase, next };
        agent.learn(&transition, &mut rng);
        agent.end(Origin::Device);
        agent.begin();
        let learner = agent.learner.expect("it has chosen");
        learner.memories().iter().map(|memory| matches!(memory.after, After::End)).collect::<Vec<_>>()
    };
    assert_eq!(after(0.0, Next::Terminal), [true]);
    assert_eq!(after(0.0, Next::DeadEnd), [true]);
    assert_eq!(after(0.0, Next::Truncated), [false], "the app would go on");
    // Nobody knows what comes next, or what the reward is.
    assert!(after(0.0, Next::Unknown).is_empty());
    assert!(after(f64::NAN, Next::Terminal).is_empty());
    assert!(after(f64::INFINITY, Next::Terminal).is_empty());
}

#[test]
fn rewards_of_any_size_leave_the_networks_finite() {
    let scene = scene(1, buttons(NAMES.map(String::from)));
    for size in [1e-300, 1.0, 1e300] {
        let (mut agent, mut rng) = (Deep::new(Method::Sac, small()), Seed(1).fork("agent"));
        for nth in 0..200 {
            let reward = |at: u16| if at.is_multiple_of(2) { -size } else { 0.0 };
            step(&mut agent, &scene, &mut rng, reward, nth % 7 == 0);
        }
        assert!(agent.learner.expect("it has learned").is_finite(), "{size}");
    }
}

#[test]
fn what_was_learned_outlives_other_numbers_of_states() {
    let scene = scene(1, buttons(NAMES.map(String::from)));
    let (mut agent, mut rng) = (Deep::new(Method::Sac, small()), Seed(1).fork("agent"));
    for _ in 0..100 {
        step(&mut agent, &scene, &mut rng, |_| 0.0, false);
    }
    let remembered = agent.learner.as_ref().expect("it has learned").memories().len();
    assert_eq!(agent.counts.visits(scene.state), 100);
    agent.forget(Recollection::Whole);
    assert_eq!(agent.counts.visits(scene.state), 0);
    // Steps of the past are counted, and not remembered twice.
    let all: Vec<u16> = (0..scene.offers.len() as u16).collect();
    let situation =
        Situation { scene: &scene, phase: PhaseId::START, steps_left: 9, candidates: &all, preferred: &all };
    for _ in 0..5 {
        agent.note(&situation, 2, Origin::Experience);
        let (phase, next) = (PhaseId::START, Next::Choice(&situation));
        let transition =
            Transition { from: &situation, at: 2, reward: 0.0, elapsed_ms: None, to: &scene, phase, next };
        agent.learn(&transition, &mut rng);
    }
    assert_eq!(agent.counts.visits(scene.state), 5);
    assert_eq!(agent.learner.as_ref().expect("it has learned").memories().len(), remembered);
    step(&mut agent, &scene, &mut rng, |_| 1.0, true);
    assert_eq!(agent.learner.as_ref().expect("it has learned").memories().len(), remembered + 1);
}

/// Returns an agent that has learned a little on buttons with these names.
fn trained(method: Method, names: &[&str]) -> Deep {
    let scene = scene(1, buttons(names.iter().map(|name| name.to_string())));
    let (mut agent, mut rng) = (Deep::new(method, small()), Seed(1).fork("agent"));
    for _ in 0..40 {
        step(&mut agent, &scene, &mut rng, |at| f64::from(u8::from(at == 3)), false);
    }
    agent
}

#[test]
fn another_run_starts_from_the_same_weights() {
    for method in [Method::Sac, Method::Ddpg, Method::Td3] {
        let bytes = trained(method, &NAMES).save(&LabelingList::default());
        let mut next = Deep::new(method, small());
        next.load(&bytes, &mut LabelingList::default()).expect("its own bytes");
        assert_eq!(next.save(&LabelingList::default()), bytes, "{method:?}");
        let scene = scene(1, buttons(NAMES.map(String::from)));
        step(&mut next, &scene, &mut Seed(2).fork("agent"), |_| 0.0, false);
        assert_eq!(next.save(&LabelingList::default()), bytes, "one step trains nothing yet");
    }
}

#[test]
fn weights_that_do_not_fit_are_refused_with_the_reason() {
    let bytes = trained(Method::Ddpg, &NAMES).save(&LabelingList::default());
    let refusal = |method: Method, bytes: &[u8]| {
        let error = Deep::new(method, small()).load(bytes, &mut LabelingList::default());
        error.expect_err("it is refused").message
    };
    assert_eq!(refusal(Method::Td3, &bytes), "these are networks of `ddpg`, not of `td3`");
    let text = |from: &str, to: &str| {
        let end = bytes.iter().position(|&byte| byte == b'\n').expect("a first line");
        let line = String::from_utf8(bytes[..end].to_vec()).expect("text");
        assert!(line.contains(from), "{line}");
        [line.replace(from, to).as_bytes(), &bytes[end..]].concat()
    };
    assert!(refusal(Method::Ddpg, &text("\"features\":1", "\"features\":0")).contains("version 0"));
    assert!(refusal(Method::Ddpg, &text("\"networks\":1", "\"networks\":2")).contains("do not fit"));
    assert!(refusal(Method::Ddpg, &bytes[..bytes.len() - 1]).contains("cut or damaged"));
    assert!(refusal(Method::Ddpg, b"weights").contains("is missing"));
    let mut infinite = bytes.clone();
    let last = infinite.len() - 4;
    infinite[last..].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert_eq!(refusal(Method::Ddpg, &infinite), "a number is infinite, none, or too large");
}

/// Formula that is two steps away, where the offer at `good` of each phase leads on.
struct Stairs {
    good: [ClassId; 2],
}

impl Outlook for Stairs {
    fn after(&mut self, PhaseId(phase): PhaseId, class: ClassId, _: LookId) -> PhaseId {
        let leads_on = self.good.get(phase as usize) == Some(&class);
        PhaseId(phase + u32::from(leads_on))
    }

    fn standing(&mut self, PhaseId(phase): PhaseId) -> Standing {
        if phase >= 2 { Standing::Won } else { Standing::Open(2 - phase) }
    }

    fn reward(&mut self, PhaseId(from): PhaseId, PhaseId(to): PhaseId) -> f64 {
        if to >= 2 { 1.0 } else { 0.1 * f64::from(to - from) }
    }

    fn classes(&self) -> u32 {
        20
    }

    fn subgoals(&mut self, _: PhaseId, _: ClassId, _: LookId, _: &mut Vec<Subgoal>) {}
}

#[test]
fn each_step_is_learned_under_the_other_residuals_too() {
    let mut scene = scene(1, buttons(NAMES.map(String::from)));
    let offers = scene.offers.iter().zip(0..).map(|(offer, at)| Offer { class: ClassId(at), ..*offer });
    scene.offers = offers.collect();
    let all: Vec<u16> = (0..scene.offers.len() as u16).collect();
    let mut stairs = Stairs { good: [ClassId(3), ClassId(5)] };
    let settings = DeepSettings { residuals: 8, ..small() };
    let (mut agent, mut rng) = (Deep::new(Method::Sac, settings), Seed(1).fork("agent"));
    let mut taken = Vec::new();
    for phase in [0, 1, 0, 0, 1, 1].map(PhaseId) {
        let situation = Situation { scene: &scene, phase, steps_left: 9, candidates: &all, preferred: &all };
        let choice = agent.choose(&situation, Some(&mut stairs), &mut rng);
        let Choice::Offer(at) = choice else { panic!("it chooses always") };
        let after = stairs.after(phase, ClassId(at.into()), scene.look);
        let reward = stairs.reward(phase, after);
        let next = Next::Choice(&situation);
        let transition =
            Transition { from: &situation, at, reward, elapsed_ms: None, to: &scene, phase: after, next };
        agent.learn(&transition, &mut rng);
        taken.push((phase, ClassId(at.into())));
    }
    let learner = agent.learner.expect("it has learned");
    // The last step waits for the next choice.
    let mut expected = Vec::new();
    for (nth, &(phase, class)) in taken[..5].iter().enumerate() {
        let mut of_phase = |phase: PhaseId| {
            let after = stairs.after(phase, class, scene.look);
            let ends = stairs.standing(after) == Standing::Won;
            expected.push((class, stairs.reward(phase, after), ends));
        };
        of_phase(phase);
        // The phase 1 is not known yet when the first step is learned.
        if nth > 0 {
            of_phase(PhaseId(1 - phase.0));
        }
    }
    let found: Vec<(ClassId, f64, bool)> = learner
        .memories()
        .iter()
        .map(|memory| {
            let class = memory.list.rows[memory.row].class;
            (class, memory.reward, matches!(memory.after, After::End))
        })
        .collect();
    assert_eq!(found, expected);
}
