//! Linear temporal logic over finite traces: formulas, and what is left of them as steps are seen.

mod display;
mod formula;
mod table;

pub use formula::{Atom, Bound, Formula, Formulas, Members, Node};
