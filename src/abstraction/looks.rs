//! Looks: each screen that looks different is a state of its own.

use super::Abstraction;
use crate::situation::{StateId, View};

/// The exact abstraction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looks;

impl Abstraction for Looks {
    fn state(&mut self, view: &View<'_>) -> StateId {
        StateId(view.screen_id.0)
    }
}
