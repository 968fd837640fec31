//! Difference of two learned models as a page, which needs no script and no other file.

use std::fmt::Write as _;

use super::super::model_diff::{Part, missed, sentence};
use super::super::words::{counted, escape, grouped, line};
use super::{STYLE, opening};
use crate::learned_model::{Difference, ModelDiff, Side};

/// Nothing but the style of the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Items of a part on the page.
const SHOWN_MAX: usize = 2_000;

const DIFF_STYLE: &str = "
.d-list { margin: 12px 0 0; padding: 0; list-style: none; }
.d-list li { padding: 9px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.d-list small { display: block; color: var(--soft); }
.spec.gained { border-left-color: var(--accent); }
.spec.changed { border-left-color: var(--warn); }
.badge.changed { background: var(--warn-soft); color: var(--warn); }
.badge.gained { background: var(--accent-soft); color: var(--accent); }
@media print { .spec { break-inside: auto; } .d-list li { break-inside: avoid; } }
";

/// Returns the difference as a page of HTML.
pub fn model_diff_html(diff: &ModelDiff) -> String {
    let app = escape(&line(&diff.package, 200));
    let title = format!("{app}: {}", escape(&short_versions(diff)));
    let mut page = opening(&title, POLICY, "", &[STYLE, DIFF_STYLE]);
    let _ = write!(
        page,
        "<main>\n<header class=\"top\"><p class=\"brand\">farlead model diff</p><h1><bdi>{app}</bdi></h1><p><bdi>{}</bdi></p><dl class=\"facts\">",
        escape(&short_versions(diff))
    );
    for (name, side) in [("old run", &diff.old), ("new run", &diff.new)] {
        let _ = write!(page, "<div><dt>{name}</dt><dd>{}</dd></div>", seen(side));
    }
    page += "</dl><ul class=\"counts\">";
    for part in Part::ALL {
        let count = part.of(diff).len() as u64;
        let class = if count == 0 { "" } else { class(part) };
        let _ =
            write!(page, "<li><span class=\"badge {class}\">{} {}</span></li>", grouped(count), part.title());
    }
    page += "</ul></header>\n";
    if Part::ALL.iter().all(|part| part.of(diff).is_empty()) {
        page += "<p>No difference was found.</p>\n";
    }
    for part in Part::ALL {
        page += &section(part, part.of(diff));
    }
    page += &alike(diff);
    page += &only(diff);
    page + "</main>\n</body>\n</html>\n"
}

fn short_versions(diff: &ModelDiff) -> String {
    let [old, new] = [&diff.old, &diff.new].map(|side| line(&side.version, 80));
    format!("{old} → {new}")
}

fn seen(side: &Side) -> String {
    format!("{} in {}", counted(side.screens as u64, "screen"), counted(side.steps, "step"))
}

fn class(part: Part) -> &'static str {
    match part {
        Part::Lost => "failed",
        Part::Changed => "changed",
        Part::Gained => "gained",
    }
}

fn section(part: Part, all: &[Difference]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let title = match part {
        Part::Lost => "Lost",
        Part::Changed => "Leads elsewhere",
        Part::Gained => "Gained",
    };
    let mut html = format!("<section class=\"spec {}\"><h2>{title}</h2><ul class=\"d-list\">", class(part));
    for difference in all.iter().take(SHOWN_MAX) {
        let (what, more) = sentence(difference, part);
        let more = more.trim_start_matches([':', ' ']);
        let activity = match difference {
            Difference::Activity { .. } => String::new(),
            Difference::Screen { activity, .. }
            | Difference::Widget { activity, .. }
            | Difference::Way { activity, .. } => {
                format!("<small><bdi>{}</bdi></small>", escape(&line(activity, 200)))
            }
        };
        let _ = write!(
            html,
            "<li><code><bdi>{}</bdi></code> <bdi>{}</bdi>{activity}</li>",
            escape(&what),
            escape(more)
        );
    }
    if all.len() > SHOWN_MAX {
        let _ = write!(html, "<li>and {} more</li>", grouped((all.len() - SHOWN_MAX) as u64));
    }
    html + "</ul></section>\n"
}

fn alike(diff: &ModelDiff) -> String {
    if diff.alike.is_empty() {
        return String::new();
    }
    let mut html = String::from(
        "<section class=\"spec\"><h2>Matched by likeness</h2><p class=\"quiet\">These screens are built another way than \
         before, and share most of their actions.</p><ul class=\"d-list\">",
    );
    for pair in diff.alike.iter().take(SHOWN_MAX) {
        let [old, new] = [&pair.old, &pair.new].map(|name| escape(&line(name, 200)));
        let _ = write!(
            html,
            "<li><bdi>{old}</bdi> → <bdi>{new}</bdi><small>{} % of the actions in common</small></li>",
            pair.percent
        );
    }
    html + "</ul></section>\n"
}

fn only(diff: &ModelDiff) -> String {
    let runs = [("old", &diff.old), ("new", &diff.new)];
    let missed: Vec<String> = runs
        .into_iter()
        .filter_map(|(run, side)| {
            Some(format!("<li>Only the {run} run came to <bdi>{}</bdi>.</li>", escape(&missed(&side.only)?)))
        })
        .collect();
    if missed.is_empty() {
        return String::new();
    }
    format!(
        "<section class=\"spec\"><h2>Seen in one run</h2><p class=\"quiet\">The other run may have missed it, so it is no \
         difference for all that is known.</p><ul class=\"d-list\">{}</ul></section>\n",
        missed.concat()
    )
}
