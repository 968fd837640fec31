//! Tree search: every history is tried once, and nothing is learned beyond that.
//!
//! A node is a history: what was seen since the start, and by which actions. A candidate never tried in it comes
//! first, any of them; else one below which something is left to try. On an app that always answers alike, every run
//! the formula leaves alive comes up sooner or later, and when none is left, that is known.

use rustc_hash::FxHashMap;

use super::{Agent, Lesson, Outlook, ScreenId, Situation};
use crate::rng::Rng;

/// The tree of histories and what is left to try in it.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The history after an action in a history, by what was seen then.
    followers: FxHashMap<(u32, u16, ScreenId), u32>,
    /// The history now, and the choice made in it.
    at: u32,
    taken: u16,
    /// How often an action led elsewhere than before in the same history.
    surprises: u64,
    /// The histories and choices of this episode.
    path: Vec<(u32, u16)>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// Of each offer; empty before the first choice here.
    offers: Vec<Branch>,
    /// How many offers have something left to try, of those that are candidates.
    open: u32,
    /// Whether it is known what is to be tried here.
    is_known: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Branch {
    /// It loses, as its labels say.
    #[default]
    Out,
    Untried,
    /// It was tried, and there is more to try after it.
    Open,
    /// There is nothing more to try after it.
    UsedUp,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            nodes: vec![Node::default()],
            followers: FxHashMap::default(),
            at: 0,
            taken: 0,
            surprises: 0,
            path: Vec::new(),
        }
    }
}

impl Tree {
    fn node(&mut self, situation: &Situation<'_>) -> &mut Node {
        let node = &mut self.nodes[self.at as usize];
        if !node.is_known {
            node.offers = vec![Branch::Out; situation.scene.offers.len()];
            node.is_known = true;
        }
        for &at in situation.candidates {
            let branch = &mut node.offers[usize::from(at)];
            if *branch == Branch::Out {
                *branch = Branch::Untried;
                node.open += 1;
            }
        }
        node
    }

    /// The choice at the end of `self.path` leads nowhere any more; nor may those before it then.
    fn use_up(&mut self) {
        for &(history, taken) in self.path.iter().rev() {
            let node = &mut self.nodes[history as usize];
            let branch = &mut node.offers[usize::from(taken)];
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

impl Agent for Tree {
    fn begin(&mut self) {
        self.at = 0;
        self.path.clear();
    }

    fn choose(&mut self, situation: &Situation<'_>, _: &mut dyn Outlook, rng: &mut Rng) -> u16 {
        let node = self.node(situation);
        let of = |wanted: Branch| -> Vec<u16> {
            let among = |all: &[u16]| -> Vec<u16> {
                all.iter().copied().filter(|&at| node.offers[usize::from(at)] == wanted).collect()
            };
            // The others are tried once none that is preferred is left.
            let preferred = among(situation.preferred);
            if preferred.is_empty() { among(situation.candidates) } else { preferred }
        };
        let untried = of(Branch::Untried);
        let open = if untried.is_empty() { of(Branch::Open) } else { untried };
        // An app that answers by chance may come to where all has been tried.
        let from = if open.is_empty() { situation.preferred } else { &open };
        self.taken = from[rng.below(from.len())];
        self.taken
    }

    fn learn(&mut self, lesson: &Lesson<'_>, _: &mut Rng) {
        self.path.push((self.at, self.taken));
        let branch = &mut self.nodes[self.at as usize].offers[usize::from(self.taken)];
        let is_first_time = *branch == Branch::Untried;
        if is_first_time {
            *branch = Branch::Open;
        }
        if lesson.ends {
            self.use_up();
            return;
        }
        let next = self.nodes.len() as u32;
        self.at = *self.followers.entry((self.at, self.taken, lesson.scene.screen)).or_insert(next);
        if self.at == next {
            self.surprises += u64::from(!is_first_time);
            self.nodes.push(Node::default());
        }
    }

    fn note(&mut self, situation: &Situation<'_>, taken: u16) {
        self.node(situation);
        self.taken = taken;
    }

    fn learn_dead_end(&mut self, _: &mut Rng) {
        self.use_up();
    }

    fn is_exhausted(&self) -> bool {
        self.nodes[0].is_known && self.nodes[0].open == 0 && self.surprises == 0
    }

    fn surprises(&self) -> u64 {
        self.surprises
    }
}
