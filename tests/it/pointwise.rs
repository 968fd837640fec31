//! The meaning of a formula over a whole trace, written straight from the definition: slow, and sharing nothing
//! with the engine but the operators' names. Also random formulas and traces.

use farlead::ltl::{Bound, Formula, Formulas, Unit};

/// A formula as it is written, before any normal form.
#[derive(Clone, Debug)]
pub enum Tree {
    True,
    False,
    /// One of `a`, `b`, `c`, ...
    Atom(u8),
    Not(Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    Implies(Box<Tree>, Box<Tree>),
    Iff(Box<Tree>, Box<Tree>),
    Next(Box<Tree>),
    WeakNext(Box<Tree>),
    Until(Bound, Box<Tree>, Box<Tree>),
    Release(Bound, Box<Tree>, Box<Tree>),
    WeakUntil(Bound, Box<Tree>, Box<Tree>),
    StrongRelease(Bound, Box<Tree>, Box<Tree>),
    Eventually(Bound, Box<Tree>),
    Always(Bound, Box<Tree>),
    Previous(Box<Tree>),
    Since(Box<Tree>, Box<Tree>),
    Once(Box<Tree>),
    Historically(Box<Tree>),
    /// Keeps the value of a variable as a name, which has a number.
    Keep(Name, Box<Tree>),
    /// True where the first variable has the sum of kept values.
    Is(Vec<Name>),
}

/// A kept name, with the variable whose value it keeps.
pub type Name = (u8, u8);

/// Step of a trace: a set of atoms, its time, and the values of two variables.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub atoms: u64,
    pub at_ms: u32,
    pub variables: [u8; 2],
}

/// Returns `trace` with its times floored to a multiple of `quantum_ms`, as [`holds`] is to see them.
pub fn floored(trace: &[Step], quantum_ms: u32) -> Vec<Step> {
    let floored = |step: &Step| Step { at_ms: step.at_ms - step.at_ms % quantum_ms, ..*step };
    trace.iter().map(floored).collect()
}

/// Values of the kept names, by their numbers.
type Values = [u8; 4];

/// Returns true if `trace` satisfies `tree` at position `k`.
pub fn holds(tree: &Tree, trace: &[Step], k: usize) -> bool {
    holds_with(tree, trace, k, Values::default())
}

fn holds_with(tree: &Tree, trace: &[Step], k: usize, values: Values) -> bool {
    let holds = |tree: &Tree, trace: &[Step], k: usize| holds_with(tree, trace, k, values);
    let last = trace.len() - 1;
    let passed = |bound: &Bound, j: usize| match bound.unit {
        Unit::Step => (j - k) as u32,
        Unit::Time | Unit::Rest => trace[j].at_ms - trace[k].at_ms,
    };
    // The steps up to the end of the bound, and of these the ones that count.
    let until_end =
        |bound: &Bound| -> Vec<usize> { (k..=last).filter(|&j| passed(bound, j) <= bound.to).collect() };
    let within = |bound: &Bound| -> Vec<usize> {
        until_end(bound).into_iter().filter(|&j| passed(bound, j) >= bound.from).collect()
    };
    let until = |bound: &Bound, f: &Tree, g: &Tree| {
        within(bound).into_iter().any(|j| holds(g, trace, j) && (k..j).all(|i| holds(f, trace, i)))
    };
    let release = |bound: &Bound, f: &Tree, g: &Tree| {
        within(bound).into_iter().all(|j| holds(g, trace, j) || (k..j).any(|i| holds(f, trace, i)))
    };
    match tree {
        Tree::True => true,
        Tree::False => false,
        Tree::Atom(atom) => trace[k].atoms >> atom & 1 == 1,
        Tree::Not(f) => !holds(f, trace, k),
        Tree::And(f, g) => holds(f, trace, k) && holds(g, trace, k),
        Tree::Or(f, g) => holds(f, trace, k) || holds(g, trace, k),
        Tree::Implies(f, g) => !holds(f, trace, k) || holds(g, trace, k),
        Tree::Iff(f, g) => holds(f, trace, k) == holds(g, trace, k),
        Tree::Next(f) => k < last && holds(f, trace, k + 1),
        Tree::WeakNext(f) => k == last || holds(f, trace, k + 1),
        Tree::Until(bound, f, g) => until(bound, f, g),
        Tree::Release(bound, f, g) => release(bound, f, g),
        Tree::WeakUntil(bound, f, g) => {
            until(bound, f, g) || until_end(bound).into_iter().all(|i| holds(f, trace, i))
        }
        Tree::StrongRelease(bound, f, g) => {
            release(bound, f, g) && until_end(bound).into_iter().any(|i| holds(f, trace, i))
        }
        Tree::Eventually(bound, f) => within(bound).into_iter().any(|j| holds(f, trace, j)),
        Tree::Always(bound, f) => within(bound).into_iter().all(|j| holds(f, trace, j)),
        Tree::Previous(f) => k > 0 && holds(f, trace, k - 1),
        Tree::Since(f, g) => (0..=k).any(|j| holds(g, trace, j) && (j + 1..=k).all(|i| holds(f, trace, i))),
        Tree::Once(f) => (0..=k).any(|j| holds(f, trace, j)),
        Tree::Historically(f) => (0..=k).all(|j| holds(f, trace, j)),
        Tree::Keep((name, variable), f) => {
            let mut values = values;
            values[usize::from(*name)] = trace[k].variables[usize::from(*variable)];
            holds_with(f, trace, k, values)
        }
        Tree::Is(names) => {
            let sum = names.iter().map(|&(name, _)| values[usize::from(name)]).sum::<u8>();
            trace[k].variables[0] == sum
        }
    }
}

/// Names of atoms and kept values in formulas.
pub struct Words {
    pub atom: fn(u8) -> String,
    /// Name and term of a kept value.
    pub kept: fn(Name) -> String,
    /// The first variable has the sum of these values.
    pub is: fn(&[Name]) -> String,
}

/// The letters of the alphabet, and signs for the rest.
const LETTERS: Words = Words {
    atom: |atom| char::from(b'a' + atom).to_string(),
    kept,
    is: |names| {
        let names: Vec<String> = names.iter().map(|&name| kept(name)).collect();
        format!("={{{}}}", names.join("}+{"))
    },
};

/// Returns `tree` as a formula of `formulas`.
pub fn formula(tree: &Tree, formulas: &mut Formulas) -> Formula {
    formula_in(tree, formulas, &LETTERS)
}

/// Returns `tree` as a formula of `formulas`, in these words.
pub fn formula_in(tree: &Tree, formulas: &mut Formulas, words: &Words) -> Formula {
    let mut of = |tree: &Tree| formula_in(tree, formulas, words);
    match tree {
        Tree::True => Formula::TRUE,
        Tree::False => Formula::FALSE,
        Tree::Atom(atom) => formulas.atom(&(words.atom)(*atom)),
        Tree::Not(f) => !of(f),
        Tree::And(f, g) => {
            let both = [of(f), of(g)];
            formulas.and(both)
        }
        Tree::Or(f, g) => {
            let either = [of(f), of(g)];
            formulas.or(either)
        }
        Tree::Implies(f, g) => {
            let (f, g) = (of(f), of(g));
            formulas.implies(f, g)
        }
        Tree::Iff(f, g) => {
            let (f, g) = (of(f), of(g));
            formulas.iff(f, g)
        }
        Tree::Next(f) => {
            let f = of(f);
            formulas.next(f)
        }
        Tree::WeakNext(f) => {
            let f = of(f);
            formulas.weak_next(f)
        }
        Tree::Until(bound, f, g) => {
            let (f, g) = (of(f), of(g));
            formulas.until(*bound, f, g)
        }
        Tree::Release(bound, f, g) => {
            let (f, g) = (of(f), of(g));
            formulas.release(*bound, f, g)
        }
        Tree::WeakUntil(bound, f, g) => {
            let (f, g) = (of(f), of(g));
            formulas.weak_until(*bound, f, g)
        }
        Tree::StrongRelease(bound, f, g) => {
            let (f, g) = (of(f), of(g));
            formulas.strong_release(*bound, f, g)
        }
        Tree::Eventually(bound, f) => {
            let f = of(f);
            formulas.eventually(*bound, f)
        }
        Tree::Always(bound, f) => {
            let f = of(f);
            formulas.always(*bound, f)
        }
        Tree::Previous(f) => {
            let f = of(f);
            formulas.previous(f)
        }
        Tree::Since(f, g) => {
            let (f, g) = (of(f), of(g));
            formulas.since(f, g)
        }
        Tree::Keep(name, f) => {
            let f = of(f);
            formulas.keep(&(words.kept)(*name), f)
        }
        Tree::Is(names) => {
            let kept: Vec<String> = names.iter().map(|&name| (words.kept)(name)).collect();
            let kept: Vec<&str> = kept.iter().map(String::as_str).collect();
            formulas.atom_of_kept(&(words.is)(names), &kept)
        }
        Tree::Once(f) => {
            let f = of(f);
            formulas.once(f)
        }
        Tree::Historically(f) => {
            let f = of(f);
            formulas.historically(f)
        }
    }
}

/// Returns the text of a kept name: its number and its variable.
fn kept((name, variable): Name) -> String {
    format!("{name}={variable}")
}

/// A stream of choices: random numbers in tests, the input in fuzzing.
pub trait Choices {
    /// Returns a number below `count`.
    fn choose(&mut self, count: u32) -> u32;
}

/// The shape of the formulas that [`random_tree`] makes.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub operators: u32,
    pub atoms: u32,
    pub past: bool,
    pub bounds: bool,
    /// True if some bounds are in time.
    pub clock: bool,
    /// True if some values are kept.
    pub values: bool,
}

/// Returns a tree with at most `shape.operators` operators.
pub fn random_tree(choices: &mut impl Choices, shape: Shape) -> Tree {
    random_tree_below(choices, shape, &[])
}

/// Returns a tree that stands where `names` are kept.
fn random_tree_below(choices: &mut impl Choices, shape: Shape, names: &[Name]) -> Tree {
    if shape.values && shape.operators > 0 && choices.choose(5) == 0 {
        let kept = (choices.choose(2) as u8, choices.choose(2) as u8);
        let mut below: Vec<Name> = names.iter().copied().filter(|name| name.0 != kept.0).collect();
        below.push(kept);
        let shape = Shape { operators: shape.operators - 1, ..shape };
        return Tree::Keep(kept, Box::new(random_tree_below(choices, shape, &below)));
    }
    if shape.operators == 0 && !names.is_empty() && choices.choose(3) > 0 {
        let mut all = names.to_vec();
        if choices.choose(3) > 0 {
            all = vec![all[choices.choose(all.len() as u32) as usize]];
        }
        return Tree::Is(all);
    }
    if shape.operators == 0 {
        return match choices.choose(16) {
            0 => Tree::True,
            1 => Tree::False,
            _ => Tree::Atom(choices.choose(shape.atoms) as u8),
        };
    }
    let kinds = if shape.past { 19 } else { 15 };
    let kind = choices.choose(kinds);
    let bound = if shape.bounds { random_bound(choices, shape.clock) } else { Bound::ANY };
    let is_unary = matches!(kind, 0 | 1 | 2 | 3 | 4 | 15 | 16 | 17);
    let left = if is_unary { shape.operators - 1 } else { choices.choose(shape.operators) };
    // A kept name does not stand below a past operator.
    let names = if kind < 15 { names } else { &[] };
    let below = |choices: &mut _, operators| {
        Box::new(random_tree_below(choices, Shape { operators, ..shape }, names))
    };
    let f = below(choices, left);
    let mut g = || below(choices, shape.operators - 1 - left);
    match kind {
        0 => Tree::Not(f),
        1 => Tree::Next(f),
        2 => Tree::WeakNext(f),
        3 => Tree::Eventually(bound, f),
        4 => Tree::Always(bound, f),
        5 | 6 => Tree::And(f, g()),
        7 | 8 => Tree::Or(f, g()),
        9 => Tree::Implies(f, g()),
        10 => Tree::Iff(f, g()),
        11 => Tree::Until(bound, f, g()),
        12 => Tree::Release(bound, f, g()),
        13 => Tree::WeakUntil(bound, f, g()),
        14 => Tree::StrongRelease(bound, f, g()),
        15 => Tree::Previous(f),
        16 => Tree::Once(f),
        17 => Tree::Historically(f),
        _ => Tree::Since(f, g()),
    }
}

fn random_bound(choices: &mut impl Choices, clock: bool) -> Bound {
    if clock && choices.choose(2) == 0 {
        // Half of them lie between two times of steps.
        let from = choices.choose(6) * 50;
        let to = if choices.choose(4) == 0 { Bound::NO_END } else { from + choices.choose(8) * 50 };
        return Bound::time(from, to);
    }
    match choices.choose(6) {
        0 => Bound::steps(0, choices.choose(4)),
        1 => {
            let from = choices.choose(4);
            Bound::steps(from, from + choices.choose(4))
        }
        2 => Bound::steps(choices.choose(4), Bound::NO_END),
        _ => Bound::ANY,
    }
}
