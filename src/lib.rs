//! farlead finds the run of an Android app that satisfies a temporal formula.

pub mod gui;
pub mod ltl;
pub mod spec;
