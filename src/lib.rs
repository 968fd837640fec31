//! farlead finds the run of an Android app that satisfies a temporal formula, makes it short, proves
//! it by replay and keeps it as a regression test.
//!
//! [`spec`] reads specs, [`ltl`] progresses formulas, [`device`] runs an app, [`agent`] chooses actions, [`objective`] judges
//! and rewards steps, [`abstraction`] says which screens are the same state, and [`search`] brings them together.
//!
//! ```
//! use std::sync::Arc;
//!
//! use farlead::device::sim::{Sim, read};
//! use farlead::agent::FARLEAD;
//! use farlead::search::{Plan, search};
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
//! let plan = Plan { steps_max: 4, actions: file.actions.clone().into(), ..Plan::new(&FARLEAD) };
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
//! One idea has one word, in code, specs and reports alike.
//!
//! | Word | Means |
//! |---|---|
//! | *formula* | condition on a trace; its *atoms* speak of single steps |
//! | *label* | an atom that holds at a step |
//! | *step* | an action and the screen after it, with their labels |
//! | *trace* | steps in a row; the first starts the app |
//! | *screen* | package, activity, widgets, and what surrounds them, at one moment |
//! | *action* | one thing done to an app: a click, back, text into a field, ... |
//! | *action record* | an action as it is remembered: its widget, wherever that lies |
//! | *observation* | a screen with its time on the device's clock |
//! | *offer* | an action that a screen offers, in numbers |
//! | *episode* | steps from a fresh start of the app to an end |
//! | *experience* | the action records and screens of episodes, of no formula, so that every spec can learn from them |
//! | *policy* | networks of an agent that were trained on some apps, for use on others |
//! | *learned model* | the screens of an app that were seen, what they offer, and the transitions between them, counted |
//! | *objective* | aim of a run: turns each step into a verdict and a reward; a formula is one |
//! | *phase* | progress of an episode towards its objective; of a formula, the residual |
//! | *residual* | the rest of a formula after a step |
//! | *verdict* | the objective is reached, open, or out of reach |
//! | *outlook* | model of an objective: the phase after steps nobody has taken yet |
//! | *abstraction* | partition of screens into *states*, and of offers into actions of a state |
//! | *agent* | chooser of actions, which may learn from transitions |
//! | *situation* | screen, phase and candidates of a choice |
//! | *transition* | a situation, an action, its reward, and the next situation |
//! | *decision* | a choice of an action after the last few screens, its *tail* |
//! | *spec* | a named formula with its expectation and its budget |
//! | *witness* | a trace that satisfies a formula |
//! | *test case* | a run that was found, minimised and confirmed, as it is kept; a *stored test* is its file |
//! | *set-up* | steps before each episode, such as a log-in |
//! | *outcome* | result of a spec or a stored test: one of the next seven |
//! | *passed* | a `possible` has its run; a `never` or `must` no violation |
//! | *failed* | a `never` or `must` is violated; a `possible` has provably no run, or that of its stored test did not come again |
//! | *not found* | the budget is spent without a run; there may be one |
//! | *untested* | no violation, and hardly anything that the spec guards against was seen |
//! | *diverged* | a step of a stored test could not be done |
//! | *flaky* | the same run comes again only sometimes |
//! | *error* | farlead could not look |
//! | *reproduced* | done again with the same result, as in *reproduced 3 of 3* |
//! | *shrunk* | made shorter by minimising, as in *shrunk from 11 steps to 7* |
//! | *duty* | a part of a formula that holds from a step on, and that a violation breaks |

pub mod abstraction;
pub mod agent;
pub mod deflated;
pub mod device;
mod drawing;
pub mod emulator;
pub mod episode;
pub mod event;
pub mod experience;
pub mod export;
pub mod gui;
pub mod keep;
pub mod learned;
pub mod learned_model;
pub mod ltl;
pub mod minimise;
mod net;
pub mod objective;
pub mod policy;
pub mod rate;
mod recent;
pub mod replay;
pub mod report;
pub mod rng;
pub mod search;
pub mod setup;
pub mod situation;
pub mod sorted;
pub mod spec;
pub mod statistics;
pub mod store;
pub mod studio;
pub mod test_case;
mod text;
pub mod trace;
