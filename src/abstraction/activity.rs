//! Activity: a screen is its activity, as ARES and FATE see an app.

use super::Abstraction;
use crate::situation::{StateId, View};

/// The abstraction that sees activities alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Activity;

impl Abstraction for Activity {
    fn state(&mut self, view: &View<'_>) -> StateId {
        StateId(view.activity.0)
    }
}
