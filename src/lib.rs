//! farlead finds the run of an Android app that satisfies a temporal formula, makes it short, proves
//! it by replay and keeps it as a regression test.
//!
//! [`spec`] reads what people write, [`ltl`] says what a formula still asks for as steps are seen, [`device`]
//! runs an app, [`agent`] picks what is done to it, and [`search`] brings them together.
//!
//! ```
//! use std::sync::Arc;
//!
//! use farlead::device::sim::{Sim, read};
//! use farlead::search::{AgentKind, Plan, search};
//! use farlead::spec::{Source, parse};
//!
//! let app = "app org.lamp \"Lamp\" 1
//!     launch Main
//!     activity Main .Main {
//!         own lit = false
//!         Button (lit ? \"off\" : \"on\") -> lit = !lit
//!     }";
//! let model = read(&Source::new("lamp.app", app)).model.expect("a model without mistakes");
//! let file = parse(&Source::new("lamp.ltl", "possible \"light\": F [text = off]")).file;
//! let plan = Plan { steps_max: 4, actions: file.actions.clone().into(), ..Plan::new(AgentKind::Farlead) };
//! let mut device = Sim::new(Arc::new(model), plan.seed);
//! let finding = search(&mut device, &file.specs[0], &plan, &mut |_| true)?;
//! let run = finding.run.expect("there is such a run");
//! assert_eq!(run.steps.last().expect("a step").action.to_string(), "click \"on\"");
//! # Ok::<(), farlead::device::DeviceError>(())
//! ```
//!
//! The features `cli` (the command line) and `adb` (devices through a server of adb, `device::adb::Client`) are on unless
//! `default-features = false` is said; without them there is less to build.
//!
//! | Word | Means |
//! |---|---|
//! | *formula* | what is asked of a trace; its *atoms* are about single steps |
//! | *label* | an atom that holds at a step |
//! | *step* | an action and the screen it led to, with their labels |
//! | *trace* | steps in a row; the first starts the app |
//! | *screen* | what is seen: package, activity, widgets, and what surrounds them |
//! | *action* | what is done: a click, back, text into a field, ... |
//! | *observation* | a screen, and when it was seen |
//! | *action record* | an action as it is remembered, compared and written: its widget counts, wherever that lies |
//! | *episode* | steps from a fresh start of the app to where nothing more is to be had |
//! | *experience* | the action records and screens of episodes, of no formula, so that every spec can learn from them |
//! | *decision* | a choice of an action after the last few screens, its *tail* |
//! | *residual* | what a formula still asks for after a step |
//! | *verdict* | whether a trace satisfies a formula if it ends here, and whether that is for good |
//! | *spec* | a named formula with what is expected of it, and a budget |
//! | *witness* | a trace that satisfies a formula |
//! | *test case* | a run that was found, made short and tried again, as it is kept |

pub mod agent;
pub mod device;
pub mod episode;
pub mod event;
pub mod experience;
pub mod export;
pub mod gui;
pub mod keep;
pub mod learned;
pub mod ltl;
pub mod minimise;
pub mod rate;
pub mod replay;
pub mod report;
pub mod reward;
pub mod rng;
pub mod search;
pub mod setup;
pub mod spec;
pub mod store;
pub mod test_case;
pub mod trace;
