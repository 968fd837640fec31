//! Abstractions: which screens are the same state, and which actions the same action of it.
//!
//! An abstraction sees screens and steps, and neither rewards nor formulas. It may find, as steps are observed, that it
//! has taken too much or too little for the same; then states have other numbers, and agents learn anew from what was
//! done so far.

mod activity;
mod ape;
mod looks;
mod places;

use crate::learned_model::{NamedScreen, Naming};
use crate::situation::{ActionId, Scene, ScreenId, StateId, Transition, View};

pub use activity::Activity;
pub use ape::{Ape, Change, Frozen, Start};
pub use looks::Looks;
pub use places::Places;

/// Partition of screens into states, and of offers into actions.
pub trait Abstraction: Send {
    /// Returns the state of a screen.
    fn state(&mut self, view: &View<'_>) -> StateId;

    /// Returns the actions of `state` behind the offers of a screen, whose own numbers tell actions apart exactly.
    fn actions(&mut self, _state: StateId, view: &View<'_>) -> Vec<ActionId> {
        view.offers.iter().map(|offer| offer.action).collect()
    }

    /// Observes a step, and tells whether states keep their numbers.
    fn observe(&mut self, _transition: &Transition<'_>) -> Numbering {
        Numbering::Same
    }

    /// Observes a step of an earlier run. An abstraction that goes on from what that run has learned learns nothing new
    /// from it.
    fn recall(&mut self, transition: &Transition<'_>) -> Numbering {
        self.observe(transition)
    }

    /// Returns a screen as it names it now, if it names widgets by decision trees.
    fn named(&self, _view: &View<'_>) -> Option<NamedScreen> {
        None
    }

    /// Returns all that another run needs to go on with it, under the name that it has there.
    fn naming(&self, _abstraction: &str) -> Option<Naming> {
        None
    }

    /// Goes on from what another of its kind has learned; called before anything is seen.
    fn go_on(&mut self, _from: &Naming) {}

    /// Takes notice that the same steps have led elsewhere than before from `from`: screens of that state may differ in
    /// something that counts.
    fn contradict(&mut self, _from: &Scene) {}

    /// Returns the size of its model, if it learns one.
    fn counts(&self) -> Option<Counts> {
        None
    }

    /// Forgets all screens but those that `is_kept`, of the latest steps, whose number is given; states have other
    /// numbers then.
    fn retain(&mut self, _steps: usize, _is_kept: &dyn Fn(ScreenId) -> bool) {}
}

/// Size of a model of states, and the changes that have led to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// States.
    pub states: usize,
    /// Times that a state came to be told apart further.
    pub refinements: usize,
    /// Times that this was taken back.
    pub coarsenings: usize,
}

/// Answer to an observed step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// States keep their numbers.
    Same,
    /// States have other numbers from now on.
    Refined,
}

/// Abstraction under its name.
#[derive(Debug)]
pub struct AbstractionInfo {
    /// Name on the command line.
    pub name: &'static str,
    /// Description in a line of help.
    pub about: &'static str,
    /// True if each screen is a state of its own.
    pub is_exact: bool,
    /// True if it reads the structure and the contents of screens.
    pub needs_outline: bool,
    /// True if states may get other numbers; the steps so far are kept for that.
    pub can_refine: bool,
    /// Makes an abstraction that has seen nothing yet.
    pub make: fn() -> Box<dyn Abstraction>,
}

/// All abstractions of the program, the finest first.
pub static ABSTRACTIONS: [&AbstractionInfo; 13] = [
    &LOOKS,
    &PLACES,
    &APE,
    &APE_STOAT,
    &APE_RESOURCE_ID,
    &APE_PARENT_INDEX,
    &APE_LISTS,
    &APE_FROZEN,
    &APE_STOAT_FROZEN,
    &APE_RESOURCE_ID_FROZEN,
    &APE_PARENT_INDEX_FROZEN,
    &APE_LISTS_FROZEN,
    &ACTIVITY,
];

/// Screens told apart exactly.
pub static LOOKS: AbstractionInfo = AbstractionInfo {
    name: "looks",
    about: "Each screen that looks different is a state of its own",
    is_exact: true,
    needs_outline: false,
    can_refine: false,
    make: || Box::new(Looks),
};

/// Screens told apart by the details that matter.
pub static PLACES: AbstractionInfo = AbstractionInfo {
    name: "places",
    about: "Details that change all the time are left out, unless they prove to matter",
    is_exact: false,
    needs_outline: true,
    can_refine: true,
    make: || Box::new(Places::default()),
};

/// Declares the abstraction of APE with a first tree, as it learns, and as it stays as it is.
macro_rules! ape {
    ($learns:ident, $stays:ident, $name:literal, $frozen:literal, $start:expr, $about:literal) => {
        #[doc = $about]
        pub static $learns: AbstractionInfo = AbstractionInfo {
            name: $name,
            about: $about,
            is_exact: false,
            needs_outline: false,
            can_refine: true,
            make: || Box::new(Ape::new($start)),
        };

        #[doc = concat!("As `", $name, "`, and it stays so")]
        pub static $stays: AbstractionInfo = AbstractionInfo {
            name: $frozen,
            about: concat!("As `", $name, "` at first, and it stays so"),
            is_exact: false,
            needs_outline: false,
            can_refine: false,
            make: || Box::new(Frozen::new($start)),
        };
    };
}

ape!(
    APE,
    APE_FROZEN,
    "ape",
    "ape:freeze",
    Start::Ape,
    "Widgets told apart as the model of the app demands, at first actions by their type"
);
ape!(
    APE_STOAT,
    APE_STOAT_FROZEN,
    "ape:stoat",
    "ape:stoat,freeze",
    Start::Stoat,
    "The same, at first by index and parent, and rows of lists by their list"
);
ape!(
    APE_RESOURCE_ID,
    APE_RESOURCE_ID_FROZEN,
    "ape:resourceid",
    "ape:resourceid,freeze",
    Start::ResourceId,
    "The same, at first by class and resource id"
);
ape!(
    APE_PARENT_INDEX,
    APE_PARENT_INDEX_FROZEN,
    "ape:parentindex",
    "ape:parentindex,freeze",
    Start::ParentIndex,
    "The same, at first by index and parent"
);
ape!(
    APE_LISTS,
    APE_LISTS_FROZEN,
    "ape:lists",
    "ape:lists,freeze",
    Start::Lists,
    "The same, at first actions by their type, and outside of lists by index and parent too"
);

/// Screens told apart by their activity alone.
pub static ACTIVITY: AbstractionInfo = AbstractionInfo {
    name: "activity",
    about: "The activity alone, as ARES and FATE see an app",
    is_exact: false,
    needs_outline: false,
    can_refine: false,
    make: || Box::new(Activity),
};

/// Returns the abstraction of this name; `+` may stand for the marks in it, which mean something else in a sweep.
pub fn find(name: &str) -> Option<&'static AbstractionInfo> {
    let joined = |name: &str| name.replace([':', ','], "+");
    ABSTRACTIONS.into_iter().find(|info| joined(info.name) == joined(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_abstraction_is_found_by_its_name_and_by_the_one_that_a_sweep_can_take() {
        for info in ABSTRACTIONS {
            assert!(find(info.name).is_some_and(|found| std::ptr::eq(found, info)), "{}", info.name);
        }
        assert!(find("ape+stoat+freeze").is_some_and(|found| found.name == "ape:stoat,freeze"));
        assert!(find("ape+freeze").is_some_and(|found| found.name == "ape:freeze" && !found.can_refine));
        assert!(find("ape:").is_none() && find("ape:freeze,stoat").is_none());
    }
}
