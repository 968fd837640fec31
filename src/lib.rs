//! farlead finds the run of an Android app that satisfies a temporal formula, makes it short, proves
//! it by replay and keeps it as a regression test.
//!
//! What is there so far needs no device: [`spec`] reads what people write, [`ltl`] says what a
//! formula still asks for as steps are seen, [`trace`] reads steps that were recorded.
//!
//! | Word | Means |
//! |---|---|
//! | *formula* | what is asked of a trace; its *atoms* are about single steps |
//! | *label* | an atom that holds at a step |
//! | *step* | an action and the screen it led to, with their labels |
//! | *trace* | steps in a row; the first starts the app |
//! | *residual* | what a formula still asks for after a step |
//! | *verdict* | whether a trace satisfies a formula if it ends here, and whether that is for good |
//! | *spec* | a named formula with what is expected of it, and a budget |
//! | *witness* | a trace that satisfies a formula |

pub mod agent;
pub mod device;
pub mod episode;
pub mod event;
pub mod gui;
pub mod ltl;
pub mod reward;
pub mod rng;
pub mod search;
pub mod spec;
pub mod trace;
