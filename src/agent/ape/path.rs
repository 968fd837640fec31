//! Paths: the shortest ways from state to state along transitions that can be counted on.

use std::collections::VecDeque;

use super::graph::{At, Edge, Graph};
use super::priority::Kind;

/// Most states that one path is looked for among.
const STATES_MAX: usize = 2_000;

/// Step of a path: the action in `slot` of `from` leads to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    pub from: At,
    pub slot: u16,
    pub to: At,
}

/// Actions that a path may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// Any.
    All,
    /// All but the key back.
    Forward,
    /// The key back alone.
    Back,
}

impl Along {
    fn has(self, kind: Kind) -> bool {
        match self {
            Along::All => true,
            Along::Forward => kind != Kind::Back,
            Along::Back => kind == Kind::Back,
        }
    }
}

/// Search for a path.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// State that it begins at, and its transitions that it can begin with, by the slots of their actions.
    pub from: At,
    pub is_first: &'a dyn Fn(u16, &Edge) -> bool,
    pub along: Along,
    /// Most steps.
    pub steps_max: u32,
}

/// Returns the shortest strong path from a state to another that `is_target`; of those as short, the one by the first
/// actions.
pub fn shortest(
    graph: &Graph,
    Search { from, is_first, along, steps_max }: Search<'_>,
    is_target: &dyn Fn(At) -> bool,
) -> Option<Vec<Hop>> {
    let mut reached: Vec<Option<Hop>> = vec![None; graph.states.len()];
    let mut seen = vec![false; graph.states.len()];
    seen[from.0 as usize] = true;
    let mut open = VecDeque::from([(from, 0)]);
    let mut looked_at = 0;
    while let Some((at, length)) = open.pop_front() {
        looked_at += 1;
        if length >= steps_max || looked_at > STATES_MAX {
            break;
        }
        for (slot, known) in graph.state(at).acts() {
            if !along.has(known.kind) {
                continue;
            }
            let can_be_done = |edge: &Edge| if at == from { is_first(slot, edge) } else { !known.is_shut };
            for edge in known.edges.iter().filter(|edge| edge.is_strong() && can_be_done(edge)) {
                let to = edge.to;
                if std::mem::replace(&mut seen[to.0 as usize], true) {
                    continue;
                }
                reached[to.0 as usize] = Some(Hop { from: at, slot, to });
                if is_target(to) {
                    return Some(back_to(from, to, &reached));
                }
                open.push_back((to, length + 1));
            }
        }
    }
    None
}

/// Returns the hops that have led from `from` to `to`.
fn back_to(from: At, to: At, reached: &[Option<Hop>]) -> Vec<Hop> {
    let (mut hops, mut at) = (Vec::new(), to);
    while let Some(hop) = reached[at.0 as usize].filter(|_| at != from) {
        hops.push(hop);
        at = hop.from;
    }
    hops.reverse();
    hops
}
