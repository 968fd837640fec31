//! Knowledge of a learner as a run leaves it, and as the next one goes on with it.

use super::refine::Learner;
use super::tree::{Branch, Node, TreeId};
use crate::learned_model::{Barred, GrownTree, NOTES_MAX, Naming};
use crate::sorted;

impl Learner {
    /// Returns all that another run needs to go on, for an abstraction of this name.
    pub fn naming(&self, abstraction: &str) -> Naming {
        let Learner { model, refinements, barred, unexplained, unsplit, .. } = self;
        let tree = |(from, branch): (TreeId, Branch)| GrownTree {
            from: from.0,
            at: branch.at.number(),
            selector: branch.selector,
            reducer: branch.reducer,
            like: None,
        };
        let refined = model.refined.iter().map(|(state, tree)| ((*state).into(), tree.0));
        let bars = barred.iter().map(|((state, (at, selector)), reducers)| Barred {
            state: (*state).into(),
            at: at.number(),
            selector: *selector,
            reducers: reducers.clone(),
        });
        let unexplained = unexplained.iter().map(|(state, (name, kind))| ((*state).into(), *name, *kind));
        let unsplit = unsplit.iter().map(|(state, name)| ((*state).into(), *name));
        let mut noise = model.texts.noise();
        noise.truncate(NOTES_MAX);
        Naming {
            abstraction: abstraction.into(),
            starts: model.forest.starts(),
            trees: model.forest.growths().map(tree).collect(),
            refined: sorted(refined),
            refinements: *refinements,
            barred: sorted(bars),
            unexplained: sorted(unexplained),
            unsplit: sorted(unsplit),
            noise,
        }
    }

    /// Goes on with the knowledge of another learner; nothing has been seen yet.
    pub fn go_on(&mut self, from: &Naming) {
        for GrownTree { from, at, selector, reducer, .. } in &from.trees {
            let branch = Branch { at: Node::new(*at), selector: *selector, reducer: *reducer };
            self.model.forest.grow(TreeId(*from), branch);
        }
        self.model.refined.extend(from.refined.iter().map(|(state, tree)| ((*state).into(), TreeId(*tree))));
        self.refinements = from.refinements;
        for Barred { state, at, selector, reducers } in &from.barred {
            let key = ((*state).into(), (Node::new(*at), *selector));
            self.barred.entry(key).or_default().extend(reducers);
        }
        self.unexplained
            .extend(from.unexplained.iter().map(|(state, name, kind)| ((*state).into(), (*name, *kind))));
        self.unsplit.extend(from.unsplit.iter().map(|(state, name)| ((*state).into(), *name)));
        from.noise.iter().for_each(|place| self.model.texts.know(*place));
    }
}

/// Returns notes in order, as far as they have room; tables have none.
fn sorted<T: Ord>(notes: impl Iterator<Item = T>) -> Vec<T> {
    let mut notes: Vec<T> = notes.collect();
    sorted::by(&mut notes, Ord::cmp);
    notes.truncate(NOTES_MAX);
    notes
}
