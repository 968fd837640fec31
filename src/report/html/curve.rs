//! Charts of a search by episodes: the distance to the goal, and the steps of an episode.

use std::fmt::Write as _;

use super::super::run::{Curve, Point};
use super::super::words::{counted, escape, grouped};
use crate::drawing::svg::short;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 150.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 26.0;

/// Returns the charts of a search.
pub fn section(curve: &Curve) -> String {
    let points = curve.points();
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
    let top = nice(most);
    let x = |episode: f64| {
        LEFT + (WIDTH - LEFT - RIGHT) * ((episode - 1.0) / (end - 1.0).max(1.0)).clamp(0.0, 1.0)
    };
    let y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - (value / top).clamp(0.0, 1.0));
    let last = points.last().map_or(0.0, |&(_, value)| value);
    // A screen reader tells the two numbers that a look at the curve gives.
    let about = format!("{title}: {} at the end, {} at most", shown(last), shown(most));
    let mut svg = format!(
        "<figure><figcaption>{title}</figcaption><svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        escape(&about)
    );
    for share in [0.0, 0.5, 1.0] {
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{} {1}H{2}\"/><text class=\"axis\" x=\"{3}\" y=\"{4}\" text-anchor=\"end\">{5}</text>",
            short(LEFT),
            short(y(top * share)),
            short(WIDTH - RIGHT),
            short(LEFT - 5.0),
            short(y(top * share) + 4.0),
            shown(top * share)
        );
    }
    let mut path = String::new();
    for (at, &(episode, value)) in points.iter().enumerate() {
        let (across, down) = (short(x(episode)), short(y(value)));
        let _ = match (at, is_stepped) {
            (0, _) => write!(path, "M{across} {down}"),
            (_, true) => write!(path, "H{across}V{down}"),
            (_, false) => write!(path, "L{across} {down}"),
        };
    }
    let _ = write!(svg, "<path class=\"curve\" d=\"{path}\"/>");
    if let Some(&(episode, value)) = points.last() {
        let _ = write!(
            svg,
            "<circle class=\"curve-end\" cx=\"{}\" cy=\"{}\" r=\"3.5\"/>",
            short(x(episode)),
            short(y(value))
        );
    }
    let _ = write!(
        svg,
        "<text class=\"axis\" x=\"{}\" y=\"{3}\">{unit} 1</text><text class=\"axis\" x=\"{}\" y=\"{3}\" text-anchor=\"end\">{}</text></svg></figure>",
        short(LEFT),
        short(WIDTH - RIGHT),
        grouped(end as u64),
        short(HEIGHT - 8.0)
    );
    svg
}

/// Returns the next even number, or the next one of few digits, so that its half is easily read too.
fn nice(most: f64) -> f64 {
    let mut step = 1.0;
    while step * 20.0 < most {
        step *= 10.0;
    }
    (2.0 * step) * (most / (2.0 * step)).ceil().max(1.0)
}

fn shown(value: f64) -> String {
    if value.fract() == 0.0 { grouped(value as u64) } else { format!("{value:.1}") }
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

    #[test]
    fn the_top_of_an_axis_is_easily_halved() {
        assert_eq!(
            [0.0, 1.0, 3.0, 5.0, 17.0, 23.0, 100.0, 1234.0].map(nice),
            [2.0, 2.0, 4.0, 6.0, 18.0, 40.0, 100.0, 1400.0]
        );
    }
}
