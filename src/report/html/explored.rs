//! Coverage of an explored app: sentences, curves over steps, and the activities.

use std::fmt::Write as _;

use super::super::coverage;
use super::super::words::{escape, grouped, line};
use super::curve::chart;
use crate::event::{Coverage, Lesson};
use crate::sorted;

/// Most points of a curve, which is read at a glance, and most activities in the table.
const POINTS_MAX: usize = 300;
const ACTIVITIES_MAX: usize = 500;

/// Most activities and actions that were never reached, in the table.
const GAPS_MAX: usize = 250;

/// Returns the section on coverage.
pub fn section(explored: &Coverage) -> String {
    let mut html =
        String::from("<section class=\"spec\" id=\"coverage\"><h2>Coverage</h2><ul class=\"facts-list\">");
    for sentence in coverage::sentences(explored) {
        let _ = write!(html, "<li><bdi>{}</bdi></li>", escape(&sentence));
    }
    html += "</ul><div class=\"charts\">";
    let stride = explored.curve.len().div_ceil(POINTS_MAX).max(1);
    let last = explored.curve.len().saturating_sub(1);
    for (title, column) in [("Activities", 1), ("Screens", 2), ("Actions done", 3)] {
        let kept = explored.curve.iter().enumerate().filter(|(at, _)| at % stride == 0 || *at == last);
        let points: Vec<(f64, f64)> =
            kept.map(|(_, point)| (point[0] as f64, point[column] as f64)).collect();
        html += &chart(title, &points, "step", explored.steps as f64, true);
    }
    html += &learning(explored);
    html += "</div><div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"activities\"><table><thead><tr>\
             <th>Activity</th><th class=\"number\">First seen at step</th></tr></thead><tbody>";
    let mut by_step: Vec<(u64, &str)> =
        explored.activities.iter().map(|(name, step)| (*step, &**name)).collect();
    sorted::by(&mut by_step, Ord::cmp);
    let mut seen: Vec<(&str, String)> =
        by_step.into_iter().map(|(step, name)| (name, grouped(step))).collect();
    seen.extend(explored.unseen.iter().flatten().map(|name| (&**name, "never".to_string())));
    for (name, step) in seen.iter().take(ACTIVITIES_MAX) {
        let name = escape(&line(name, 200));
        let _ = write!(html, "<tr><td><bdi>{name}</bdi></td><td class=\"number\">{step}</td></tr>");
    }
    html += "</tbody></table></div>";
    let gaps = coverage::gaps(explored, GAPS_MAX);
    if !gaps.is_empty() {
        html += "<details class=\"part\" open><summary><h3>Never reached</h3></summary><div class=\"table\" tabindex=\"0\" role=\"region\" \
                 aria-label=\"never reached\"><table><thead><tr><th>Activity or action</th><th>On</th><th>Likeliest reason</th></tr></thead><tbody>";
        for [what, on, because] in gaps {
            let [what, on, because] = [what, on, because].map(|text| escape(&text));
            let _ = write!(
                html,
                "<tr><td><code>{what}</code></td><td><bdi>{on}</bdi></td><td><bdi>{because}</bdi></td></tr>"
            );
        }
        html += "</tbody></table></div></details>";
    }
    html + "</section>\n"
}

/// Returns the charts of the learning; nothing of an agent without networks.
fn learning(explored: &Coverage) -> String {
    let points = |number: &dyn Fn(&Lesson) -> Option<f64>| -> Vec<(f64, f64)> {
        explored.learning.iter().filter_map(|lesson| Some((lesson.steps as f64, number(lesson)?))).collect()
    };
    let charts = [
        ("Loss of the critic", points(&|lesson| Some(lesson.loss))),
        ("Entropy, random choice = 1", points(&|lesson| lesson.entropy)),
    ];
    let drawn = charts.iter().filter(|(_, points)| points.len() > 1);
    drawn.map(|(title, points)| chart(title, points, "step", explored.steps as f64, false)).collect()
}
