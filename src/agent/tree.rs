//! Tree search: every history is tried once, and nothing is learned beyond that.
//!
//! A node is a history: what was seen since the start, and by which actions. A candidate never tried in it comes
//! first, any of them; else one below which something is left to try. On an app that always answers alike, every run
//! the formula leaves alive comes up sooner or later, and when none is left, that is known.

use rustc_hash::FxHashMap;

use super::Agent;
use crate::rng::Rng;
use crate::situation::{
    Choice, Explanation, Next, Origin, Outlook, Recollection, Situation, StateId, Summary, Transition,
};

/// Approximate bytes of a tree after which an episode starts a new one, and of a history besides its branches.
const BYTES_MAX: usize = 64 << 20;
const NODE_BYTES: usize = 100;

/// Tree of histories, and the actions left to try in each.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    /// History after an action in a history, by the state seen then.
    followers: FxHashMap<(u32, u16, StateId), u32>,
    /// Current history.
    at: u32,
    /// Weight of all histories, see [`BYTES_MAX`].
    bytes: usize,
    /// Times that an action led elsewhere than before in the same history.
    surprises: u64,
    /// Histories and choices of this episode.
    path: Vec<(u32, u16)>,
    /// True if earlier episodes were forgotten for good.
    has_forgotten: bool,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// Branches by slot; empty before the first choice here.
    branches: Vec<Branch>,
    /// Number of branches with something left to try, of those that are candidates.
    open: u32,
    /// True once the candidates are known.
    is_known: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Branch {
    /// Ruled out by its labels.
    #[default]
    Out,
    Untried,
    /// Tried, with more to try after it.
    Open,
    /// Tried, with nothing more to try after it.
    UsedUp,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            nodes: vec![Node::default()],
            followers: FxHashMap::default(),
            bytes: 0,
            at: 0,
            surprises: 0,
            path: Vec::new(),
            has_forgotten: false,
        }
    }
}

impl Tree {
    fn node(&mut self, situation: &Situation<'_>) -> &mut Node {
        let offers = &situation.scene.offers[..];
        let node = &mut self.nodes[self.at as usize];
        node.is_known = true;
        for &at in situation.candidates {
            let slot = usize::from(offers[usize::from(at)].slot);
            if node.branches.len() <= slot {
                self.bytes += usize::from(situation.scene.slots) - node.branches.len();
                node.branches.resize(usize::from(situation.scene.slots), Branch::Out);
            }
            let branch = &mut node.branches[slot];
            if *branch == Branch::Out {
                *branch = Branch::Untried;
                node.open += 1;
            }
        }
        node
    }

    /// Marks the choice at the end of the path as used up, and those before it that have nothing else left to try.
    fn use_up(&mut self) {
        for &(history, taken) in self.path.iter().rev() {
            let node = &mut self.nodes[history as usize];
            let branch = &mut node.branches[usize::from(taken)];
            if *branch != Branch::UsedUp {
                *branch = Branch::UsedUp;
                node.open -= 1;
            }
            if node.open > 0 {
                break;
            }
        }
    }
}

fn slot(situation: &Situation<'_>, at: u16) -> u16 {
    situation.scene.offers[usize::from(at)].slot
}

impl Agent for Tree {
    fn begin(&mut self) {
        if self.bytes > BYTES_MAX {
            // A tree without some of its branches would say that all was tried.
            *self = Tree { surprises: self.surprises, has_forgotten: true, ..Tree::default() };
        }
        self.at = 0;
        self.path.clear();
    }

    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, rng: &mut Rng) -> Choice {
        let offers = &situation.scene.offers[..];
        let branches = &self.node(situation).branches[..];
        let of = |wanted: Branch| -> Vec<u16> {
            let among = |all: &[u16]| -> Vec<u16> {
                let is_wanted = |at: u16| branches[usize::from(offers[usize::from(at)].slot)] == wanted;
                all.iter().copied().filter(|&at| is_wanted(at)).collect()
            };
            // The others are tried once no preferred one is left.
            let preferred = among(situation.preferred);
            if preferred.is_empty() { among(situation.candidates) } else { preferred }
        };
        let untried = of(Branch::Untried);
        let open = if untried.is_empty() { of(Branch::Open) } else { untried };
        // An app that answers by chance may come to where all has been tried.
        let from = if open.is_empty() { situation.preferred } else { &open };
        Choice::Offer(from[rng.below(from.len())])
    }

    fn note(&mut self, situation: &Situation<'_>, _: u16, _: Origin) {
        self.node(situation);
    }

    fn learn(&mut self, transition: &Transition<'_>, _: &mut Rng) -> Explanation {
        let taken = slot(transition.from, transition.at);
        self.path.push((self.at, taken));
        let branch = &mut self.nodes[self.at as usize].branches[usize::from(taken)];
        let is_first_time = *branch == Branch::Untried;
        if is_first_time {
            *branch = Branch::Open;
        }
        if transition.next.ends() {
            self.use_up();
            return Explanation::default();
        }
        let next = self.nodes.len() as u32;
        self.at = *self.followers.entry((self.at, taken, transition.to.state)).or_insert(next);
        if self.at == next {
            self.surprises += u64::from(!is_first_time);
            self.nodes.push(Node::default());
            self.bytes += NODE_BYTES;
        }
        if matches!(transition.next, Next::DeadEnd) {
            self.use_up();
        }
        Explanation::default()
    }

    fn end(&mut self, _: Origin) -> Summary {
        let root = &self.nodes[0];
        let is_exhausted = root.is_known && root.open == 0 && self.surprises == 0 && !self.has_forgotten;
        Summary { surprises: self.surprises, is_exhausted }
    }

    fn forget(&mut self, recollection: Recollection) {
        let has_forgotten = self.has_forgotten || recollection == Recollection::Partial;
        *self = Tree { has_forgotten, ..Tree::default() };
    }
}
