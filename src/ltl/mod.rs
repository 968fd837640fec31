//! Linear temporal logic over finite traces: formulas, and their residuals as steps are seen.
//!
//! [`Formulas`] holds formulas, each once; [`Automaton`] computes the residual after a step, and [`Monitor`]
//! follows a formula along a trace. Labels are only names here; other modules decide which of them a step has.
//!
//! A trace has a first step and a last. At the last step `X f` is false (the strong next) and its dual `N f` is
//! true; `f U g` needs `g` at or before the last step.

mod automaton;
mod bdd;
mod display;
mod duty;
mod families;
mod formula;
mod keep;
mod labels;
mod meaning;
mod monitor;
mod parts;
mod progress;
mod questions;
#[cfg(test)]
mod random;
mod sat;
mod table;
mod unrolled;

pub use automaton::{Automaton, ResidualId, TooManyResiduals};
pub use display::Display;
pub use duty::{Duties, Duty};
pub use families::Passed;
pub use formula::{
    Atom, Bound, Formula, Formulas, Interval, KEEPS_MAX, Keep, Members, Node, QUANTUM_MS, Unit,
};
pub use labels::Labels;
pub use meaning::{Assumption, Cube, Permanent, Prediction, RESIDUALS_MAX, Share};
pub use monitor::{Monitor, Progress, reward};
pub use questions::{Follower, Graph, GraphEdge};
