//! A step that is remembered, for networks to learn from more than once.

use std::sync::Arc;

use super::rows::List;

/// Most steps that are remembered: some 20 MB where each has 30 offers.
pub const MEMORY_MAX: usize = 4_000;

/// Step that is remembered.
#[derive(Clone, Debug)]
pub struct Memory {
    pub list: Arc<List>,
    /// Row of the choice.
    pub row: usize,
    pub reward: f64,
    pub after: After,
}

/// Continuation of a step.
#[derive(Clone, Debug)]
pub enum After {
    /// The next choice.
    Choice(Arc<List>),
    /// None.
    End,
}
