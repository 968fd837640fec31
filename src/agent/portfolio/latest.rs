//! The latest step, for members that know all steps before it.
//!
//! States get other numbers now and then, and the past is learned once more. Nothing that these members keep speaks of states,
//! so they know all of it, but for its last step.

use crate::situation::{Next, Scene, Transition};

/// Step that was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    pub from: Scene,
    pub at: u16,
    pub to: Scene,
    /// True if nothing can be done after it.
    pub is_end: bool,
    /// True if the episode ends with it.
    pub is_last: bool,
}

impl Taken {
    /// Returns the step of `transition`.
    pub fn of(transition: &Transition<'_>) -> Taken {
        Taken {
            from: transition.from.scene.clone(),
            at: transition.at,
            to: transition.to.clone(),
            is_end: matches!(transition.next, Next::Terminal | Next::DeadEnd),
            is_last: transition.next.ends(),
        }
    }
}

/// The latest step while the past is learned once more, and none at other times.
#[derive(Clone, Debug, Default)]
pub struct Latest(Option<Option<Box<Taken>>>);

impl Latest {
    /// States have other numbers from now on.
    pub fn forget(&mut self) {
        self.0 = Some(None);
    }

    /// Returns true if the past is learned once more.
    pub fn is_past(&self) -> bool {
        self.0.is_some()
    }

    /// Returns `taken` back if it is new; the past is kept here.
    pub fn pass(&mut self, taken: Taken) -> Option<Taken> {
        match &mut self.0 {
            Some(latest) => {
                *latest = Some(Box::new(taken));
                None
            }
            None => Some(taken),
        }
    }

    /// Returns the last step of the past, once that was learned.
    pub fn settle(&mut self) -> Option<Taken> {
        self.0.take().flatten().map(|taken| *taken)
    }
}
