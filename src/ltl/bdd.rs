//! Boolean functions, each kept once: reduced ordered binary decision diagrams (BDDs) with negated edges.
//!
//! Two edges are equal exactly if their functions are. Nothing here is recursive, so ten thousand variables
//! need no deeper stack than two.

use super::table::{Unique, hash_of};

/// A function: a node and a negation flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Edge(u32);

impl Edge {
    pub const TRUE: Edge = Edge(0);
    pub const FALSE: Edge = Edge(1);

    pub fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn negated_if(self, negate: bool) -> Edge {
        Edge(self.0 ^ u32::from(negate))
    }

    pub fn bare(self) -> Edge {
        Edge(self.0 & !1)
    }

    pub fn is_constant(self) -> bool {
        self.0 <= 1
    }
}

impl std::ops::Not for Edge {
    type Output = Edge;

    fn not(self) -> Edge {
        self.negated_if(true)
    }
}

/// The variable of the constant, ordered behind all others.
const NO_VARIABLE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    /// Never negated, so that a function and its negation share their nodes.
    high: Edge,
    low: Edge,
}

/// A store of functions.
#[derive(Clone, Debug)]
pub(super) struct Bdd {
    nodes: Vec<Node>,
    unique: Unique,
    /// Cache of conjunctions, found by hash; a later entry replaces an earlier one.
    conjunctions: Vec<(Edge, Edge, Edge)>,
    /// Number of conjunctions computed so far: the cost of questions.
    work: u64,
    /// Limit of `work` at which a computation gives up.
    work_max: u64,
    is_exhausted: bool,
    tasks: Vec<Task>,
    results: Vec<Edge>,
}

#[derive(Clone, Copy, Debug)]
enum Task {
    Conjoin(Edge, Edge),
    Join { f: Edge, g: Edge, variable: u32 },
}

impl Bdd {
    pub fn new() -> Bdd {
        let top = Node { variable: NO_VARIABLE, high: Edge::TRUE, low: Edge::TRUE };
        Bdd {
            nodes: vec![top],
            unique: Unique::default(),
            conjunctions: vec![(Edge::FALSE, Edge::FALSE, Edge::FALSE); 1 << 9],
            work: 0,
            work_max: u64::MAX,
            is_exhausted: false,
            tasks: Vec::new(),
            results: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn work(&self) -> u64 {
        self.work
    }

    /// Adds `work` done with the functions elsewhere.
    pub fn spend(&mut self, work: u64) {
        self.work += work;
    }

    /// Sets the limit: give up after `more` further conjunctions.
    pub fn allow(&mut self, more: u64) {
        self.work_max = self.work + more;
    }

    /// Returns true if a computation gave up; all results since then are meaningless.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// Returns the variable that decides `f` first; for a constant, a number behind all variables.
    pub fn variable(&self, f: Edge) -> u32 {
        self.nodes[f.index()].variable
    }

    /// Returns `f` with its first variable set to true, and set to false.
    pub fn branches(&self, f: Edge) -> (Edge, Edge) {
        let node = self.nodes[f.index()];
        (node.high.negated_if(f.is_negated()), node.low.negated_if(f.is_negated()))
    }

    /// Returns `f` with `variable` set to true, and set to false; no variable before it may be in `f`.
    pub fn branches_at(&self, f: Edge, variable: u32) -> (Edge, Edge) {
        if self.variable(f) == variable { self.branches(f) } else { (f, f) }
    }

    /// Returns the function that is the value of `variable`.
    pub fn literal(&mut self, variable: u32) -> Edge {
        self.node(variable, Edge::TRUE, Edge::FALSE)
    }

    pub fn and(&mut self, f: Edge, g: Edge) -> Edge {
        self.tasks.push(Task::Conjoin(f, g));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Conjoin(f, g) => {
                    if let Some(known) = self.known(f, g) {
                        self.results.push(known);
                        continue;
                    }
                    self.work += 1;
                    if self.work > self.work_max || self.is_exhausted {
                        // Any edge would do as the result: callers ask `is_exhausted` before they use it.
                        self.is_exhausted = true;
                        self.tasks.clear();
                        self.results.clear();
                        return Edge::TRUE;
                    }
                    let variable = self.variable(f).min(self.variable(g));
                    let (f_high, f_low) = self.branches_at(f, variable);
                    let (g_high, g_low) = self.branches_at(g, variable);
                    // Tasks run last in, first out: high, low, then the join, which pops low first.
                    self.tasks.push(Task::Join { f, g, variable });
                    self.tasks.push(Task::Conjoin(f_low, g_low));
                    self.tasks.push(Task::Conjoin(f_high, g_high));
                }
                Task::Join { f, g, variable } => {
                    let low = self.results.pop().expect("a result for the low branch");
                    let high = self.results.pop().expect("a result for the high branch");
                    let joined = self.node(variable, high, low);
                    let at = self.place_of(f, g);
                    self.conjunctions[at] = (f.min(g), f.max(g), joined);
                    self.results.push(joined);
                }
            }
        }
        self.results.pop().expect("a result for the whole")
    }

    pub fn or(&mut self, f: Edge, g: Edge) -> Edge {
        // A negation is free, so conjunction is the only operation that needs tasks and a cache.
        !self.and(!f, !g)
    }

    pub fn iff(&mut self, f: Edge, g: Edge) -> Edge {
        self.choose(f, g, !g)
    }

    /// Returns `then` where `condition` holds, and `otherwise` elsewhere.
    pub fn choose(&mut self, condition: Edge, then: Edge, otherwise: Edge) -> Edge {
        let yes = self.and(condition, then);
        let no = self.and(!condition, otherwise);
        self.or(yes, no)
    }

    /// Returns the value of `f` if all variables are false.
    pub fn value_at_none(&self, f: Edge) -> bool {
        let mut f = f;
        while !f.is_constant() {
            f = self.branches(f).1;
        }
        f == Edge::TRUE
    }

    /// Returns the nodes of `all`, parts before wholes, without negations and constants.
    pub fn nodes_below(&self, all: &[Edge]) -> Vec<Edge> {
        let mut seen = std::collections::BTreeSet::new();
        let mut open: Vec<Edge> = all.to_vec();
        while let Some(edge) = open.pop() {
            if !edge.is_constant() && seen.insert(edge.bare()) {
                let (high, low) = self.branches(edge);
                open.extend([high, low]);
            }
        }
        // A node is made after its branches, so ascending indexes give parts before wholes.
        seen.into_iter().collect()
    }

    /// Returns the function that branches on `variable`, which comes before all variables of its branches.
    pub fn node(&mut self, variable: u32, high: Edge, low: Edge) -> Edge {
        // A node that decides nothing is left out, so that equal functions have equal edges.
        if high == low {
            return high;
        }
        // A negation moves from the high edge to the result, so a function has one form only.
        let negate = high.is_negated();
        let node = Node { variable, high: high.negated_if(negate), low: low.negated_if(negate) };
        let hash = hash_of(&node);
        let index = match self.unique.find(hash, |index| self.nodes[index as usize] == node) {
            Some(index) => index,
            None => {
                let index = self.nodes.len() as u32;
                self.nodes.push(node);
                self.unique.insert(hash, index);
                self.keep_cache_in_proportion();
                index
            }
        };
        Edge(index << 1).negated_if(negate)
    }

    fn known(&self, f: Edge, g: Edge) -> Option<Edge> {
        if f == g || g == Edge::TRUE {
            Some(f)
        } else if f == Edge::TRUE {
            Some(g)
        } else if f == !g || f == Edge::FALSE || g == Edge::FALSE {
            Some(Edge::FALSE)
        } else {
            let (first, second, result) = self.conjunctions[self.place_of(f, g)];
            ((first, second) == (f.min(g), f.max(g))).then_some(result)
        }
    }

    fn place_of(&self, f: Edge, g: Edge) -> usize {
        // Conjunction is symmetric: both orders share an entry.
        let key = u64::from(f.min(g).0) << 32 | u64::from(f.max(g).0);
        (hash_of(&key) >> 32) as usize & (self.conjunctions.len() - 1)
    }

    fn keep_cache_in_proportion(&mut self) {
        // Dropping entries costs work, never answers; a million entries are 12 MB.
        if self.nodes.len() > self.conjunctions.len() && self.conjunctions.len() < 1 << 20 {
            let size = self.conjunctions.len() * 4;
            self.conjunctions = vec![(Edge::FALSE, Edge::FALSE, Edge::FALSE); size];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bdd: &Bdd, f: Edge, assignment: u32) -> bool {
        let mut f = f;
        while !f.is_constant() {
            let (high, low) = bdd.branches(f);
            f = if assignment >> bdd.variable(f) & 1 == 1 { high } else { low };
        }
        f == Edge::TRUE
    }

    #[test]
    fn functions_of_three_variables_are_equal_exactly_if_their_tables_are() {
        let mut bdd = Bdd::new();
        let mut known: Vec<(u32, Edge)> = (0..3)
            .map(|variable| {
                let f = bdd.literal(variable);
                ((0..8).filter(|row| row >> variable & 1 == 1).map(|row| 1 << row).sum(), f)
            })
            .collect();
        for round in 0..2000usize {
            let (a, f) = known[round * 7 % known.len()];
            let (b, g) = known[round * 13 % known.len()];
            let (table, h) = match round % 3 {
                0 => (a & b, bdd.and(f, g)),
                1 => (!a & 0xff, !f),
                _ => (!(a ^ b) & 0xff, bdd.iff(f, g)),
            };
            assert!((0..8).all(|row| value(&bdd, h, row) == (table >> row & 1 == 1)));
            for &(other, edge) in &known {
                assert_eq!(other == table, edge == h);
            }
            if known.len() < 200 && !known.contains(&(table, h)) {
                known.push((table, h));
            }
        }
    }

    #[test]
    fn a_conjunction_of_ten_thousand_variables_needs_no_deep_stack() {
        let mut bdd = Bdd::new();
        let mut all = Edge::TRUE;
        for variable in (0..10_000).rev() {
            let literal = bdd.literal(variable);
            all = bdd.and(literal, all);
        }
        let again = bdd.and(all, !Edge::FALSE);
        assert_eq!(bdd.nodes_below(&[again]).len(), 10_000);
    }
}
