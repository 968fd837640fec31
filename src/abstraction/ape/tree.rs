//! Decision trees: the reducer that names each widget.
//!
//! A node has a reducer, and a branch of it leads those widgets further whose name under that reducer is the branch's
//! selector. Trees only grow, each from another by one branch, and are kept: coarsening goes back to an earlier one.

use rustc_hash::FxHashMap;

use super::lattice::{Gui, NO_WIDGET, Part, name};
use crate::learned_model::{Reducer, STARTS};

/// First tree of an abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The type of widgets that take actions, and nothing of all others.
    Ape,
    /// The parent alone of rows of lists, else index and parent.
    Stoat,
    /// Class and resource id.
    ResourceId,
    /// Parent and index.
    ParentIndex,
    /// As [`Ape`](Start::Ape), with parent and index too of widgets with actions that are no rows of lists.
    Lists,
}

/// Number of nodes of a first tree, one for each class of widgets that starts tell apart.
const START_NODES: u16 = STARTS as u16;

impl Start {
    /// Returns the node at which the way of a widget begins.
    fn node(part: &Part) -> Node {
        Node(u16::from(part.actions != 0) + 2 * u16::from(part.is_row))
    }

    /// Returns the reducer of a node that a way begins at.
    fn reducer(self, Node(node): Node) -> Reducer {
        let (takes_actions, is_row) = (node % 2 == 1, node / 2 == 1);
        let place = Reducer::INDEX.with(Reducer::PARENT);
        match self {
            Start::Ape | Start::Lists if !takes_actions => Reducer::NOTHING,
            Start::Lists if !is_row => Reducer::TYPE.with(place),
            Start::Ape | Start::Lists | Start::ResourceId => Reducer::TYPE,
            Start::Stoat if is_row => Reducer::PARENT,
            Start::Stoat | Start::ParentIndex => place,
        }
    }
}

/// Number of a tree; 0 is the first one. A tree has a greater number than the one it grew from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeId(pub u32);

impl TreeId {
    pub const FIRST: TreeId = TreeId(0);
}

/// Number of a node in its tree and in all that grow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u16);

impl Node {
    /// Returns its number.
    pub fn number(self) -> u16 {
        self.0
    }

    /// Returns the node of a tree's number.
    pub fn new(number: u16) -> Node {
        Node(number)
    }

    /// Returns true if ways begin at it.
    pub fn is_start(self) -> bool {
        self.0 < START_NODES
    }
}

/// Branch to a new node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Branch {
    /// Node that it begins at.
    pub at: Node,
    /// Name of the widgets that it leads further.
    pub selector: u64,
    /// Reducer of its node; finer than the one of the node it begins at.
    pub reducer: Reducer,
}

/// Name of a widget, and the node that gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    pub name: u64,
    pub node: Node,
}

/// All trees so far.
#[derive(Clone, Debug)]
pub struct Forest {
    start: Start,
    trees: Vec<Tree>,
    grown: FxHashMap<(TreeId, Branch), TreeId>,
}

#[derive(Clone, Debug, Default)]
struct Tree {
    /// Tree that it grew from, and its last branch; none for the first tree.
    growth: Option<(TreeId, Branch)>,
    /// Reducers of the nodes beyond those of the start.
    reducers: Vec<Reducer>,
    branches: FxHashMap<(Node, u64), Node>,
}

impl Forest {
    /// Returns the first tree alone.
    pub fn new(start: Start) -> Forest {
        Forest { start, trees: vec![Tree::default()], grown: FxHashMap::default() }
    }

    /// Returns the reducers of the first tree.
    pub fn starts(&self) -> [Reducer; STARTS] {
        std::array::from_fn(|node| self.start.reducer(Node(node as u16)))
    }

    /// Returns the branches by which all trees but the first grew, in their order, each with the tree it grew from.
    pub fn growths(&self) -> impl Iterator<Item = (TreeId, Branch)> {
        self.trees.iter().filter_map(|tree| tree.growth)
    }

    /// Returns the tree with one more branch.
    pub fn grow(&mut self, id: TreeId, branch: Branch) -> TreeId {
        if let Some(&known) = self.grown.get(&(id, branch)) {
            return known;
        }
        let mut tree = self.tree(id).clone();
        let node = Node(START_NODES + tree.reducers.len() as u16);
        tree.reducers.push(branch.reducer);
        tree.branches.insert((branch.at, branch.selector), node);
        tree.growth = Some((id, branch));
        let grown = TreeId(self.trees.len() as u32);
        self.trees.push(tree);
        self.grown.insert((id, branch), grown);
        grown
    }

    /// Returns the tree that this one grew from, and its last branch.
    pub fn growth(&self, id: TreeId) -> Option<(TreeId, Branch)> {
        self.tree(id).growth
    }

    /// Returns the most primitives of a reducer of this tree.
    pub fn primitives(&self, id: TreeId) -> u32 {
        let starts = (0..START_NODES).map(|node| self.start.reducer(Node(node)));
        let all = starts.chain(self.tree(id).reducers.iter().copied());
        all.map(Reducer::primitives).max().unwrap_or(0)
    }

    /// Returns the reducer of a node.
    pub fn reducer(&self, id: TreeId, node: Node) -> Reducer {
        match node.0.checked_sub(START_NODES) {
            None => self.start.reducer(node),
            Some(at) => self.tree(id).reducers[usize::from(at)],
        }
    }

    fn tree(&self, id: TreeId) -> &Tree {
        &self.trees[id.0 as usize]
    }

    /// Returns the names of all widgets, by the tree and one more branch if there is one.
    pub fn names(&self, id: TreeId, more: Option<&Branch>, gui: &Gui) -> Vec<Named> {
        let tree = self.tree(id);
        let mut names: Vec<Named> = Vec::with_capacity(gui.parts.len());
        for part in &gui.parts {
            let parent = if part.parent == NO_WIDGET { 0 } else { names[part.parent as usize].name };
            let mut node = Start::node(part);
            let told = loop {
                let told = name(self.reducer(id, node), part, parent);
                match (tree.branches.get(&(node, told)), more) {
                    (Some(&next), _) => node = next,
                    (None, Some(branch)) if (branch.at, branch.selector) == (node, told) => {
                        // The new node has no branches yet.
                        node = Node(START_NODES + tree.reducers.len() as u16);
                        break name(branch.reducer, part, parent);
                    }
                    (None, _) => break told,
                }
            };
            names.push(Named { name: told, node });
        }
        names
    }
}
