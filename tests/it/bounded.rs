//! Questions about formulas with as many residuals as subsets of their atoms: state machines, and conjunctions of rules.
//!
//! Small ones are compared with all label sets tried one by one, and large ones with the bound on work.

use std::collections::{BTreeMap, BTreeSet};

use farlead::ltl::{
    Automaton, Bound, Formula, Formulas, Labels, Permanent, ResidualId, Share, TooManyResiduals,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Most work of all questions below together: a second or two.
const WORK_MAX: u64 = 12_000_000;

fn disjunction(formulas: &mut Formulas, random: &mut ChaCha8Rng, labels: usize, steps: usize) -> Formula {
    let mut any = Vec::new();
    for _ in 0..steps {
        let [to, from] = [0, 1].map(|_| formulas.atom(&format!("s{}", random.random_range(0..labels))));
        let before = formulas.previous(from);
        any.push(formulas.and([to, before]));
    }
    formulas.or(any)
}

/// Returns `G N (p & Y q | ...)`: the steps that an app may take.
fn state_machine(random: &mut ChaCha8Rng, labels: usize, steps: usize) -> (Formulas, Formula) {
    let mut formulas = Formulas::new();
    let allowed = disjunction(&mut formulas, random, labels, steps);
    let next = formulas.weak_next(allowed);
    let formula = formulas.always(Bound::ANY, next);
    (formulas, formula)
}

/// Returns a conjunction of rules about atoms of a pool.
fn rules(random: &mut ChaCha8Rng, pool: usize, count: usize) -> (Formulas, Formula) {
    let mut formulas = Formulas::new();
    let mut all = Vec::new();
    for _ in 0..count {
        let [a, b] = [0, 1].map(|_| formulas.atom(&format!("a{}", random.random_range(0..pool))));
        let b = if random.random_bool(0.3) { !b } else { b };
        let then = match random.random_range(0..6) {
            0..3 => formulas.next(b),
            3 => formulas.weak_next(b),
            4 => formulas.eventually(Bound::steps(0, 2), b),
            _ => formulas.previous(b),
        };
        let rule = formulas.implies(a, then);
        all.push(match random.random_range(0..8) {
            0 => formulas.eventually(Bound::ANY, a),
            1 => rule,
            _ => formulas.always(Bound::ANY, rule),
        });
    }
    let formula = formulas.and(all);
    (formulas, formula)
}

/// States of an automaton with all steps between them, each label set tried.
struct Exact {
    states: Vec<ResidualId>,
    followers: Vec<Vec<usize>>,
}

impl Exact {
    fn new(automaton: &mut Automaton, atoms: usize) -> Exact {
        let mut exact = Exact { states: vec![ResidualId::START], followers: Vec::new() };
        let mut places = BTreeMap::from([(ResidualId::START, 0)]);
        while let Some(&state) = exact.states.get(exact.followers.len()) {
            let mut found = BTreeSet::new();
            for bits in 0..1 << atoms {
                let next = automaton.step(state, &Labels::from_bits(bits));
                found.insert(*places.entry(next).or_insert_with(|| {
                    exact.states.push(next);
                    exact.states.len() - 1
                }));
            }
            exact.followers.push(found.into_iter().collect());
        }
        exact
    }

    /// Returns for each state the fewest steps to one of `goals`; for the first, at least one.
    fn distances(&self, goals: &[bool]) -> Vec<Option<u32>> {
        let mut distances: Vec<Option<u32>> = goals.iter().map(|&is| is.then_some(0)).collect();
        distances[0] = None;
        loop {
            let mut is_same = true;
            for at in 0..distances.len() {
                let least = self.followers[at].iter().filter_map(|&next| distances[next]).min();
                let through = least.map(|steps| steps + 1);
                if through.is_some() && distances[at].is_none_or(|known| through < Some(known)) {
                    (distances[at], is_same) = (through, false);
                }
            }
            if is_same {
                return distances;
            }
        }
    }
}

/// Compares all questions with the states and steps of the automaton itself.
fn check_exactly((formulas, formula): (Formulas, Formula)) {
    let mut automaton = Automaton::new(&formulas, formula);
    let text = formulas.display(formula).to_string();
    let atoms = automaton.atoms().count();
    let exact = Exact::new(&mut automaton, atoms);
    let satisfied: Vec<bool> = exact.states.iter().map(|&state| automaton.is_satisfied(state)).collect();
    let unsatisfied: Vec<bool> = satisfied.iter().map(|is| !is).collect();
    let (to_satisfied, to_unsatisfied) = (exact.distances(&satisfied), exact.distances(&unsatisfied));
    let violated: Vec<bool> = to_satisfied.iter().map(Option::is_none).collect();
    let to_violated = exact.distances(&violated);
    for (at, &state) in exact.states.iter().enumerate() {
        let permanent = match (to_satisfied[at], to_unsatisfied[at]) {
            (None, _) => Permanent::Violated,
            (_, None) => Permanent::Satisfied,
            (Some(_), Some(_)) => Permanent::Open,
        };
        let residual = automaton.residual(state).to_string();
        assert_eq!(automaton.permanent(state), permanent, "{text}: {residual}");
        assert_eq!(automaton.steps_to_satisfaction(state), Ok(to_satisfied[at]), "{text}: {residual}");
        assert_eq!(automaton.steps_to_violation(state), Ok(to_violated[at]), "{text}: {residual}");
        let prediction = automaton.predict(state, &BTreeMap::new());
        let share = |of: &dyn Fn(usize) -> bool| {
            let (yes, no): (Vec<usize>, Vec<usize>) = exact.followers[at].iter().partition(|&&next| of(next));
            match (yes.is_empty(), no.is_empty()) {
                (true, _) => Share::None,
                (_, true) => Share::All,
                (false, false) => Share::Some,
            }
        };
        assert_eq!(prediction.satisfied, share(&|next| satisfied[next]), "{text}: {residual}");
        assert_eq!(prediction.violated, share(&|next| violated[next]), "{text}: {residual}");
    }
}

/// Asks all questions along a run, and returns the work that they took.
fn work_of(random: &mut ChaCha8Rng, (formulas, formula): (Formulas, Formula)) -> u64 {
    let mut automaton = Automaton::new(&formulas, formula);
    let atoms = automaton.atoms().count() as u32;
    let mut state = ResidualId::START;
    for _ in 0..4 {
        automaton.permanent(state);
        automaton.predict(state, &BTreeMap::new());
        for steps in [automaton.steps_to_satisfaction(state), automaton.steps_to_violation(state)] {
            assert!(matches!(steps, Ok(_) | Err(TooManyResiduals)));
        }
        let labels = (0..atoms).filter(|_| random.random_bool(0.5)).collect();
        state = automaton.step(state, &labels);
    }
    automaton.work()
}

#[test]
fn small_state_machines_are_judged_as_if_every_label_set_were_tried() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for steps in [2, 3, 4, 5, 6, 8, 10, 12] {
        check_exactly(state_machine(&mut random, 9, steps));
    }
    for steps in 2..10 {
        check_exactly(state_machine(&mut random, 4, steps));
    }
}

#[test]
fn small_conjunctions_are_judged_as_if_every_label_set_were_tried() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for round in 0..60 {
        check_exactly(rules(&mut random, 10, 2 + round % 5));
    }
    // More atoms than residuals are listed of at once.
    for _ in 0..20 {
        check_exactly(rules(&mut random, 10, 8));
    }
}

#[test]
fn a_state_machine_of_any_size_is_answered_within_a_bound() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for steps in (2..=30).step_by(2) {
        let machine = state_machine(&mut random, 2 * steps, steps);
        let work = work_of(&mut random, machine);
        assert!(work < WORK_MAX, "{steps}: {work}");
    }
    let machine = state_machine(&mut random, 62, 106);
    let work = work_of(&mut random, machine);
    assert!(work < WORK_MAX, "{work}");
}

#[test]
fn a_conjunction_of_any_size_is_answered_within_a_bound() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    for count in [2].into_iter().chain((4..=40).step_by(4)) {
        for pool in [count / 2 + 1, 2 * count, 20 * count] {
            let conjunction = rules(&mut random, pool, count);
            let work = work_of(&mut random, conjunction);
            assert!(work < WORK_MAX, "{count} of {pool}: {work}");
        }
    }
}

#[test]
fn large_state_machines_and_conjunctions_of_rules_have_their_shortest_violation() {
    let mut formulas = Formulas::new();
    let mut any = Vec::new();
    for n in 0..40 {
        let [to, from] = ["p", "q"].map(|side| formulas.atom(&format!("{side}{n}")));
        let before = formulas.previous(from);
        any.push(formulas.and([to, before]));
    }
    let allowed = formulas.or(any);
    let next = formulas.weak_next(allowed);
    let machine = formulas.always(Bound::ANY, next);
    let mut all = Vec::new();
    for n in 0..40 {
        let [a, b] = ["a", "b"].map(|side| formulas.atom(&format!("{side}{n}")));
        let then = formulas.next(b);
        let rule = formulas.implies(a, then);
        all.push(formulas.always(Bound::ANY, rule));
    }
    let rules = formulas.and(all);
    let mut all = Vec::new();
    for n in 0..40 {
        let [a, b] = [n, n + 1].map(|at| formulas.atom(&format!("c{at}")));
        let then = formulas.next(b);
        let rule = formulas.implies(a, then);
        all.push(formulas.always(Bound::ANY, rule));
    }
    // Each rule shares an atom with the one before.
    let chain = formulas.and(all);
    for formula in [machine, rules, chain] {
        let mut automaton = Automaton::new(&formulas, formula);
        assert_eq!(automaton.permanent(ResidualId::START), Permanent::Open);
        assert_eq!(automaton.steps_to_violation(ResidualId::START), Ok(Some(2)));
        assert_eq!(automaton.steps_to_satisfaction(ResidualId::START), Ok(Some(1)));
        assert!(automaton.work() < 1_500_000, "{}", automaton.work());
    }
}
