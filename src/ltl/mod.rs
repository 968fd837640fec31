//! Linear temporal logic over finite traces: formulas, and what is left of them as steps are seen.
//!
//! [`Formulas`] holds formulas, each once; [`Automaton`] says what a step leaves of one, and
//! [`Monitor`] follows it along a trace. Which labels a step has is for others to say: here they
//! are names.
//!
//! A trace has a first step and a last. `X f` at the last is false (the strong next), its weak
//! kin `N f` is true, and `f U g` needs `g` at or before the last.

mod automaton;
mod bdd;
mod display;
mod formula;
mod labels;
mod meaning;
mod monitor;
mod progress;
mod table;

pub use automaton::{Automaton, Follower, Graph, GraphEdge, State, TooManyResiduals};
pub use display::Display;
pub use formula::{Atom, Bound, Formula, Formulas, Members, Node};
pub use labels::Labels;
pub use meaning::{Assumption, Cube, Permanent, Prediction, RESIDUALS_MAX, Share};
pub use monitor::{Monitor, Progress, reward};
