//! Reports: the results of a command, for machines and for people.
//!
//! A [`Run`] gathers events, as they happen or from a file of them; each report is a text made from it alone: [`junit`]
//! for tools that show tests, [`markdown`] for the summary of a build, [`github`] for annotations beside the code, and
//! [`html`] for people who want to see what happened. The same events make the same bytes. Texts from outside may have any
//! length and any content: they are cut and escaped.

mod compared;
mod coverage;
mod github;
mod html;
mod json;
mod junit;
mod markdown;
mod model_diff;
mod run;
mod text;
mod words;

pub use crate::drawing::chart::Mark;
pub use compared::{Compared, Panel, compared_html};
pub use github::github;
pub use html::{
    COLOURS, Canvas, Displays, automaton_svg, html, map_html, map_of_screens_svg, map_svg, model_diff_html,
    picture_svg, screen_svg,
};
pub use json::{explored_json, json, spec_json, summary_json};
pub use junit::junit;
pub use markdown::markdown;
pub use model_diff::model_diff_text;
pub use run::{Curve, EventError, Point, Run, SpecReport, Standing};
pub use text::{Wanted, explored_text, shortened, spec_text, step_text, summary_text, text};
pub use words::{command as to_type, in_shell, kind, rate};
