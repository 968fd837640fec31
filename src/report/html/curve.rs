//! Charts of a search by episodes: the distance to the goal, and the steps of an episode.

use super::super::run::{Curve, Point};
use super::super::words::counted;
use crate::drawing::chart::{curve, shown};

/// Returns the charts of a search.
pub fn section(search: &Curve) -> String {
    let points = search.points();
    let Some(last) = points.last() else {
        return "<p class=\"quiet\">No episodes were reported.</p>".to_string();
    };
    // A single point makes no curve.
    if points.len() == 1 {
        let steps = counted(last.steps, "step");
        return format!("<p class=\"quiet\">It took one episode, {steps} on the device.</p>");
    }
    let mut html = format!(
        "<p class=\"quiet\">{}, {} on the device.</p><div class=\"charts\">",
        counted(last.episode, "episode"),
        counted(last.steps, "step")
    );
    let closest: Vec<(f64, f64)> = points
        .iter()
        .filter_map(|point| Some((f64::from(point.episode), f64::from(point.closest?))))
        .collect();
    if closest.is_empty() {
        html += "<p class=\"quiet\">How near it came to the goal is not known.</p>";
    } else {
        // The fewest steps so far hold until an episode comes nearer, so the line has no slopes.
        html += &chart("Fewest steps left to the goal", &closest, "episode", f64::from(last.episode), true);
    }
    html += &chart("Steps of an episode", &lengths(&points), "episode", f64::from(last.episode), false);
    html += "</div>";
    html
}

/// Returns the mean number of steps of the episodes between two points.
fn lengths(points: &[Point]) -> Vec<(f64, f64)> {
    let mut before = Point { episode: 0, steps: 0, closest: None };
    let mut lengths = Vec::new();
    for &point in points {
        // Episodes of a damaged file may go backwards or stand still.
        let episodes = point.episode.saturating_sub(before.episode).max(1);
        let steps = point.steps.saturating_sub(before.steps);
        lengths.push((f64::from(point.episode), steps as f64 / f64::from(episodes)));
        before = point;
    }
    lengths
}

/// Returns a chart of points over episodes, or over another `unit`, from the first to number `end`. A value that only falls,
/// or only grows, is drawn in steps.
pub fn chart(title: &str, points: &[(f64, f64)], unit: &str, end: f64, is_stepped: bool) -> String {
    let most = points.iter().map(|&(_, value)| value).fold(0.0, f64::max);
    let last = points.last().map_or(0.0, |&(_, value)| value);
    // A screen reader tells the two numbers that a look at the curve gives.
    let about = format!("{title}: {} at the end, {} at most", shown(last), shown(most));
    let svg = curve(&about, points, unit, end, is_stepped);
    format!("<figure><figcaption>{title}</figcaption>{svg}</figure>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_of_any_points_is_drawn() {
        let mut curve = Curve::default();
        assert!(section(&curve).contains("No episodes"));
        for point in [
            Point { episode: 1, steps: 5, closest: Some(3) },
            Point { episode: 2, steps: 11, closest: Some(1) },
            Point { episode: u32::MAX, steps: u64::MAX, closest: Some(u32::MAX) },
            Point { episode: 1, steps: 0, closest: None },
        ] {
            curve.add(point);
            let html = section(&curve);
            assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
        }
    }
}
