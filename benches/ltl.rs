//! Time to follow formulas: cached and first-time progression, verdicts, growth.
//!
//! The bare table is the yardstick: a two-line loop over the same letters, in the same run.

use std::collections::BTreeMap;

use divan::Bencher;
use divan::counter::ItemsCount;
use farlead::ltl::{Automaton, Bound, Formula, Formulas, Labels, Monitor, Permanent, ResidualId};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    divan::main();
}

/// The paper's formulas A.a, E.b and G.b.
const FORMULAS: [&str; 3] = ["A.a", "E.b", "G.b"];

fn build(name: &str) -> (Formulas, Formula, usize) {
    let mut ltl = Formulas::new();
    let l = &mut ltl;
    let [main, about, settings, new, offline] =
        ["Main", "About", "Settings", "New", "Offline"].map(|value| l.atom(&format!("[activity ~ {value}]")));
    let [click, back, chessmove] =
        ["click", "back", "chessmove"].map(|value| l.atom(&format!("[actionType = {value}]")));
    let [checked, unchecked, moved] =
        ["[checked = true]", "[checked = false]", "[text ~ moved]"].map(|name| l.atom(name));
    let until = |l: &mut Formulas, a: &[Formula], b: &[Formula]| {
        let (a, b) = (l.and(a.iter().copied()), l.and(b.iter().copied()));
        l.until(Bound::ANY, a, b)
    };
    let formula = match name {
        "A.a" => {
            let back_again = until(l, &[about], &[main]);
            let then = l.next(back_again);
            until(l, &[main], &[about, then])
        }
        "E.b" => {
            let again = until(l, &[click, main], &[settings, unchecked]);
            let again = l.next(again);
            let leave = l.and([back, main, again]);
            let leave = l.next(leave);
            let change = until(l, &[click, settings, checked], &[unchecked, leave]);
            let change = l.next(change);
            until(l, &[click, main], &[settings, checked, change])
        }
        "G.b" => {
            let second = l.and([click, offline, moved]);
            let second = l.next(second);
            let renew = until(l, &[click], &[new, second]);
            let renew = l.next(renew);
            let first = l.and([chessmove, moved, renew]);
            let first = l.next(first);
            let play = l.and([click, offline, first]);
            let play = l.next(play);
            until(l, &[main, click], &[new, play])
        }
        _ => unreachable!("a formula of the list"),
    };
    let formula = l.next(formula);
    (ltl, formula, if name == "A.a" { 4 } else { 6 })
}

fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Returns random letters of episodes of at most `steps` steps. Half of the letters are drawn again until they
/// decide nothing, so that episodes have some length.
fn letters(automaton: &mut Automaton, steps: usize) -> Vec<u64> {
    letters_of(automaton, steps, 1)
}

fn letters_of(automaton: &mut Automaton, steps: usize, seed: u64) -> Vec<u64> {
    let atoms = automaton.atoms().count();
    let mut random = random(seed);
    let mut letters = Vec::new();
    let (mut state, mut length) = (ResidualId::START, 0);
    while letters.len() < 1 << 16 {
        let patient = random.random_bool(0.5);
        let (mut letter, mut next);
        let mut tries = 0;
        loop {
            letter = random.random_range(0..1u64 << atoms);
            next = automaton.step(state, &Labels::from_bits(letter));
            tries += 1;
            if !patient || tries > 50 || automaton.permanent(next) == Permanent::Open {
                break;
            }
        }
        letters.push(letter);
        length += 1;
        let ended = length == steps || automaton.permanent(next) != Permanent::Open;
        (state, length) = if ended { (ResidualId::START, 0) } else { (next, length) };
    }
    letters
}

/// Measures steps taken before, from label bits, with the verdict after each.
#[divan::bench(args = FORMULAS)]
fn cached_bits(bencher: Bencher, name: &str) {
    let (ltl, formula, steps) = build(name);
    let mut automaton = Automaton::new(&ltl, formula);
    let letters = letters(&mut automaton, steps);
    bencher.counter(ItemsCount::new(letters.len())).bench_local(|| {
        let (mut state, mut length, mut satisfied) = (ResidualId::START, 0, 0u32);
        for &letter in &letters {
            state = automaton.step(state, &Labels::from_bits(letter));
            length += 1;
            satisfied += u32::from(automaton.is_satisfied(state));
            if length == steps || automaton.permanent(state) != Permanent::Open {
                (state, length) = (ResidualId::START, 0);
            }
        }
        satisfied
    });
}

/// Measures the same with letters that come for the first time: a processor learns the branches of those above by heart.
#[divan::bench(args = FORMULAS)]
fn cached_bits_fresh(bencher: Bencher, name: &str) {
    let (ltl, formula, steps) = build(name);
    let mut automaton = Automaton::new(&ltl, formula);
    // All states and steps are met before.
    letters(&mut automaton, steps);
    let mut drawing = automaton.clone();
    let mut seed = 1;
    bencher
        .counter(ItemsCount::new(1usize << 16))
        .with_inputs(|| {
            seed += 1;
            letters_of(&mut drawing, steps, seed)
        })
        .bench_local_refs(|letters| {
            let (mut state, mut length, mut satisfied) = (ResidualId::START, 0, 0u32);
            for &letter in letters.iter() {
                state = automaton.step(state, &Labels::from_bits(letter));
                length += 1;
                satisfied += u32::from(automaton.is_satisfied(state));
                if length == steps || automaton.permanent(state) != Permanent::Open {
                    (state, length) = (ResidualId::START, 0);
                }
            }
            satisfied
        });
}

/// Returns fresh letters of this number of atoms.
fn fresh_letters(atoms: usize, seed: u64) -> Vec<u64> {
    let mut random = random(seed);
    (0..1 << 16).map(|_| random.random_range(0..1u64 << atoms)).collect()
}

/// Measures steps of the formula with fresh letters, after so many rounds of others that few of them are new.
fn bench_fresh_letters(bencher: Bencher, (ltl, formula): (Formulas, Formula), rounds: u64) {
    let mut automaton = Automaton::new(&ltl, formula);
    let atoms = automaton.atoms().count();
    let run = |automaton: &mut Automaton, letters: &[u64]| {
        letters
            .iter()
            .fold(ResidualId::START, |state, &letter| automaton.step(state, &Labels::from_bits(letter)))
    };
    for seed in 0..rounds {
        run(&mut automaton, &fresh_letters(atoms, seed));
    }
    let mut seed = rounds;
    bencher
        .counter(ItemsCount::new(1usize << 16))
        .with_inputs(|| {
            seed += 1;
            fresh_letters(atoms, seed)
        })
        .bench_local_refs(|letters| run(&mut automaton, letters));
}

/// Returns `G F (a0 & a1 | a1 & a2 | ...)` over this number of atoms: no letter decides it.
fn pairs_of_atoms(atoms: usize) -> (Formulas, Formula) {
    let mut ltl = Formulas::new();
    let names: Vec<Formula> = (0..atoms).map(|n| ltl.atom(&format!("a{n:02}"))).collect();
    let pairs: Vec<Formula> = names.windows(2).map(|pair| ltl.and([pair[0], pair[1]])).collect();
    let any = ltl.or(pairs);
    let comes = ltl.eventually(Bound::ANY, any);
    let formula = ltl.always(Bound::ANY, comes);
    (ltl, formula)
}

/// Measures steps that depend on this number of atoms: from 9 atoms on, a state has blocks of followers in place of a row.
#[divan::bench(args = [8, 9, 12, 16, 24])]
fn cached_bits_of_atoms(bencher: Bencher, atoms: usize) {
    // Beyond 16 atoms nearly all letters are new. Up to 16, one letter of thirty leads to the state that is met least.
    bench_fresh_letters(bencher, pairs_of_atoms(atoms), if atoms > 16 { 1 } else { 400 });
}

/// Measures steps of `G F ((a0 <-> b0) & ... & (a7 <-> b7))`: the worst formula of 16 atoms, as no two blocks are alike.
#[divan::bench]
fn cached_bits_of_unlike_blocks(bencher: Bencher) {
    let mut ltl = Formulas::new();
    let pairs: Vec<Formula> = (0..8)
        .map(|n| {
            let [a, b] = ["a", "b"].map(|side| ltl.atom(&format!("{side}{n}")));
            ltl.iff(a, b)
        })
        .collect();
    let equal = ltl.and(pairs);
    let comes = ltl.eventually(Bound::ANY, equal);
    let formula = ltl.always(Bound::ANY, comes);
    // One letter of 256 leads to the state that is met least, and each of the 65,536 letters is to be met from there.
    bench_fresh_letters(bencher, (ltl, formula), 4_000);
}

/// Measures steps of `G F (Y Y Y Y Y a & (c0 & c1 | c1 & c2 | ...))`: 12 atoms, and 64 states that remember five steps.
#[divan::bench]
fn cached_bits_of_many_states(bencher: Bencher) {
    let mut ltl = Formulas::new();
    let a = ltl.atom("a");
    let before = (0..5).fold(a, |before, _| ltl.previous(before));
    let names: Vec<Formula> = (0..11).map(|n| ltl.atom(&format!("c{n}"))).collect();
    let pairs: Vec<Formula> = names.windows(2).map(|pair| ltl.and([pair[0], pair[1]])).collect();
    let any = ltl.or(pairs);
    let both = ltl.and([before, any]);
    let comes = ltl.eventually(Bound::ANY, both);
    let formula = ltl.always(Bound::ANY, comes);
    bench_fresh_letters(bencher, (ltl, formula), 400);
}

/// Measures the same letters with a bare row of 65,536 followers, each look-up waiting for the one before.
#[divan::bench]
fn bare_row_of_16_atoms(bencher: Bencher) {
    let row = divan::black_box(vec![1u32; 1 << 17]);
    let mut seed = 0;
    bencher
        .counter(ItemsCount::new(1usize << 16))
        .with_inputs(|| {
            seed += 1;
            fresh_letters(16, seed)
        })
        .bench_local_refs(|letters| {
            letters.iter().fold(0, |state, &letter| row[(state as usize) << 16 | letter as usize])
        });
}

/// Measures the same steps with a bare table.
#[divan::bench(args = FORMULAS)]
fn bare_table(bencher: Bencher, name: &str) {
    let (ltl, formula, steps) = build(name);
    let mut automaton = Automaton::new(&ltl, formula);
    let letters = letters(&mut automaton, steps);
    let atoms = automaton.atoms().count();
    let mut states = vec![ResidualId::START];
    let mut table: Vec<u16> = Vec::new();
    let mut next = 0;
    while next < states.len() {
        for letter in 0..1u64 << atoms {
            let follower = automaton.step(states[next], &Labels::from_bits(letter));
            let at = states.iter().position(|&known| known == follower).unwrap_or_else(|| {
                states.push(follower);
                states.len() - 1
            });
            table.push(at as u16);
        }
        next += 1;
    }
    let verdicts: Vec<(bool, bool)> = states
        .iter()
        .map(|&state| (automaton.is_satisfied(state), automaton.permanent(state) != Permanent::Open))
        .collect();
    bencher.counter(ItemsCount::new(letters.len())).bench_local(|| {
        let (mut state, mut length, mut satisfied) = (0usize, 0, 0u32);
        for &letter in &letters {
            state = usize::from(table[state << atoms | letter as usize]);
            length += 1;
            satisfied += u32::from(verdicts[state].0);
            if length == steps || verdicts[state].1 {
                (state, length) = (0, 0);
            }
        }
        satisfied
    });
}

/// Measures steps taken before, from slices of label names.
#[divan::bench(args = FORMULAS)]
fn cached_names(bencher: Bencher, name: &str) {
    let (ltl, formula, steps) = build(name);
    let mut automaton = Automaton::new(&ltl, formula);
    let letters = letters(&mut automaton, steps);
    let names: Vec<String> = automaton.atoms().map(str::to_owned).collect();
    let named: Vec<Vec<&str>> = letters
        .iter()
        .map(|letter| {
            names
                .iter()
                .enumerate()
                .filter(|(at, _)| letter >> at & 1 == 1)
                .map(|(_, name)| &**name)
                .collect()
        })
        .collect();
    bencher.counter(ItemsCount::new(letters.len())).bench_local(|| {
        let (mut state, mut length, mut satisfied) = (ResidualId::START, 0, 0u32);
        for names in &named {
            let labels = automaton.labels(names.iter().copied());
            state = automaton.step(state, &labels);
            length += 1;
            satisfied += u32::from(automaton.is_satisfied(state));
            if length == steps || automaton.permanent(state) != Permanent::Open {
                (state, length) = (ResidualId::START, 0);
            }
        }
        satisfied
    });
}

/// Returns a random formula with this number of operators over four atoms.
fn random_formula(operators: u32, seed: u64) -> (Formulas, Formula) {
    fn tree(l: &mut Formulas, random: &mut ChaCha8Rng, operators: u32) -> Formula {
        if operators == 0 {
            let atom = ["a", "b", "c", "d"][random.random_range(0..4)];
            return l.atom(atom);
        }
        let kind = random.random_range(0..10);
        let left = if kind < 4 { operators - 1 } else { random.random_range(0..operators) };
        let f = tree(l, random, left);
        let mut g = |l: &mut Formulas| tree(l, random, operators - 1 - left);
        match kind {
            0 => !f,
            1 => l.next(f),
            2 => l.eventually(Bound::ANY, f),
            3 => l.always(Bound::ANY, f),
            4 | 5 => {
                let g = g(l);
                l.and([f, g])
            }
            6 | 7 => {
                let g = g(l);
                l.or([f, g])
            }
            8 => {
                let g = g(l);
                l.until(Bound::ANY, f, g)
            }
            _ => {
                let g = g(l);
                l.release(Bound::ANY, f, g)
            }
        }
    }
    let mut ltl = Formulas::new();
    let formula = tree(&mut ltl, &mut random(seed), operators);
    (ltl, formula)
}

/// Measures a hundred steps with random labels through each of fifty formulas, each time with a new automaton:
/// every residual is met for the first time. One item is one residual.
#[divan::bench(args = [5, 15, 40])]
fn first_time(bencher: Bencher, operators: u32) {
    let formulas: Vec<(Formulas, Formula)> =
        (0..50).map(|seed| random_formula(operators, seed)).filter(|(_, f)| *f != Formula::TRUE).collect();
    let run = |automaton: &mut Automaton, seed: u64| {
        let mut random = random(seed);
        let mut state = ResidualId::START;
        let mut met = 0u64;
        for _ in 0..100 {
            let next = automaton.step(state, &Labels::from_bits(random.random_range(0..16)));
            met += u64::from(next != state);
            state = next;
        }
        met
    };
    let residuals: usize = formulas
        .iter()
        .zip(0..)
        .map(|((ltl, formula), seed)| {
            let mut automaton = Automaton::new(ltl, *formula);
            run(&mut automaton, seed);
            automaton.states_met()
        })
        .sum();
    bencher
        .counter(ItemsCount::new(residuals))
        .with_inputs(|| {
            formulas.iter().map(|(ltl, formula)| Automaton::new(ltl, *formula)).collect::<Vec<_>>()
        })
        .bench_local_values(|mut automata| {
            for (automaton, seed) in automata.iter_mut().zip(0..) {
                run(automaton, seed);
            }
            automata
        });
}

/// Measures the residuals of one of the paper's formulas, met for the first time. One item is one residual.
#[divan::bench(args = FORMULAS)]
fn first_time_paper(bencher: Bencher, name: &str) {
    let (ltl, formula, steps) = build(name);
    let mut known = Automaton::new(&ltl, formula);
    letters(&mut known, steps);
    let letters = letters(&mut known, steps);
    let run = |automaton: &mut Automaton| {
        let (mut state, mut length) = (ResidualId::START, 0);
        for &letter in letters.iter().take(200) {
            state = automaton.step(state, &Labels::from_bits(letter));
            length += 1;
            if length == steps {
                (state, length) = (ResidualId::START, 0);
            }
        }
    };
    let mut once = Automaton::new(&ltl, formula);
    run(&mut once);
    bencher
        .counter(ItemsCount::new(once.states_met()))
        .with_inputs(|| Automaton::new(&ltl, formula))
        .bench_local_refs(run);
}

/// Measures satisfiability and the permanent verdict before the first step, with a new automaton.
#[divan::bench(args = FORMULAS)]
fn verdict_from_nothing(bencher: Bencher, name: &str) {
    let (ltl, formula, _) = build(name);
    bencher.bench_local(|| Automaton::new(&ltl, formula).permanent(ResidualId::START));
}

/// Measures the same, and the length of a shortest witness.
#[divan::bench(args = FORMULAS)]
fn shortest_witness(bencher: Bencher, name: &str) {
    let (ltl, formula, _) = build(name);
    bencher.bench_local(|| Automaton::new(&ltl, formula).steps_to_satisfaction(ResidualId::START));
}

/// Measures the prediction of a step after the start, with only the labels of the action known.
#[divan::bench(args = FORMULAS)]
fn prediction(bencher: Bencher, name: &str) {
    let (ltl, formula, _) = build(name);
    let mut automaton = Automaton::new(&ltl, formula);
    let actions: Vec<u32> = automaton
        .atoms()
        .zip(0..)
        .filter(|(name, _)| name.starts_with("[action"))
        .map(|(_, at)| at)
        .collect();
    let known: BTreeMap<u32, bool> = actions.into_iter().map(|at| (at, at % 2 == 0)).collect();
    let state = automaton.step(ResidualId::START, &Labels::default());
    bencher.bench_local(|| automaton.predict(state, &known));
}

/// Measures the permanent verdict of random formulas, with new automata.
#[divan::bench(args = [5, 15, 40])]
fn random_verdict_from_nothing(bencher: Bencher, operators: u32) {
    let formulas: Vec<(Formulas, Formula)> = (0..50).map(|seed| random_formula(operators, seed)).collect();
    bencher.counter(ItemsCount::new(formulas.len())).bench_local(|| {
        formulas
            .iter()
            .filter(|(ltl, formula)| {
                Automaton::new(ltl, *formula).permanent(ResidualId::START) == Permanent::Open
            })
            .count()
    });
}

/// Measures a monitor on a long trace: the time of a step must not grow with the number of steps.
#[divan::bench(args = [10_000, 1_000_000, 10_000_000], sample_count = 3, sample_size = 1)]
fn long_trace(bencher: Bencher, steps: usize) {
    let (ltl, formula, _) = build("G.b");
    let mut automaton = Automaton::new(&ltl, formula);
    let letters = letters(&mut automaton, 6);
    bencher.counter(ItemsCount::new(steps)).bench_local(|| {
        let mut monitor = Monitor::new(&ltl, formula);
        letters
            .iter()
            .cycle()
            .take(steps)
            .filter(|&&bits| monitor.step_labels(&Labels::from_bits(bits)).satisfied)
            .count()
    });
}

/// Returns `G N (p0 & Y q0 | ...)` with this number of disjuncts.
fn state_machine(disjuncts: usize) -> (Formulas, Formula) {
    let mut ltl = Formulas::new();
    let mut any = Vec::new();
    for n in 0..disjuncts {
        let [to, from] = ["p", "q"].map(|side| ltl.atom(&format!("{side}{n}")));
        let before = ltl.previous(from);
        any.push(ltl.and([to, before]));
    }
    let any = ltl.or(any);
    let next = ltl.weak_next(any);
    let formula = ltl.always(Bound::ANY, next);
    (ltl, formula)
}

/// Returns `G (a0 -> X b0) & G (a1 -> X b1) & ...` with this number of rules.
fn rules(count: usize) -> (Formulas, Formula) {
    let mut ltl = Formulas::new();
    let mut all = Vec::new();
    for n in 0..count {
        let [a, b] = ["a", "b"].map(|side| ltl.atom(&format!("{side}{n}")));
        let then = ltl.next(b);
        let rule = ltl.implies(a, then);
        all.push(ltl.always(Bound::ANY, rule));
    }
    let formula = ltl.and(all);
    (ltl, formula)
}

/// Asks what `lint` asks of a `must`.
fn judge((ltl, formula): &(Formulas, Formula)) -> Option<u32> {
    let mut automaton = Automaton::new(ltl, *formula);
    automaton.permanent(ResidualId::START);
    automaton.predict(ResidualId::START, &BTreeMap::new());
    automaton.steps_to_violation(ResidualId::START).ok().flatten()
}

/// Measures the questions about state machines, whose residuals are as many as subsets of the disjuncts.
#[divan::bench(args = [6, 10, 20, 40], sample_count = 10, sample_size = 1)]
fn judged_state_machine(bencher: Bencher, disjuncts: usize) {
    let machine = state_machine(disjuncts);
    bencher.bench_local(|| judge(&machine));
}

/// Measures the questions about conjunctions of rules that share no atom.
#[divan::bench(args = [4, 10, 20, 40], sample_count = 10, sample_size = 1)]
fn judged_rules(bencher: Bencher, count: usize) {
    let rules = rules(count);
    bencher.bench_local(|| judge(&rules));
}
