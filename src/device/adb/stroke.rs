//! Strokes of a finger that end slowly, as commands.

use super::Facts;
use crate::device::android::touch::{Pixel, REST_MS, slowing};

/// First API level where `input` is a command of the system server and answers in milliseconds. Before, each call starts a
/// Java VM, which takes 0.3 s and more: between two events the finger would rest so long that its touch became a long one.
const SDK_OF_MOTION: u32 = 30;

/// Shortest and longest duration of a swipe at an even speed. In between it takes a millisecond a pixel; the shortest is
/// less than a long touch, since a short swipe may stay within Android's touch slop.
const SWIPE_MS: std::ops::RangeInclusive<u64> = 300..=2_000;

/// Returns the commands that move a finger slowly from one pixel to another, and the time they take by themselves.
pub(super) fn stroke(facts: &Facts, from: Pixel, to: Pixel) -> (Vec<String>, u64) {
    let ((x, y), (to_x, to_y)) = (from, to);
    if facts.sdk < SDK_OF_MOTION {
        let pixels = u64::from(x.abs_diff(to_x).max(y.abs_diff(to_y)));
        let ms = pixels.clamp(*SWIPE_MS.start(), *SWIPE_MS.end());
        return (vec![format!("input swipe {x} {y} {to_x} {to_y} {ms}")], ms);
    }
    let mut lines = vec![format!("input motionevent DOWN {x} {y}")];
    lines.extend(slowing(from, to).map(|(x, y)| format!("input motionevent MOVE {x} {y}")));
    let mut takes_ms = 0;
    // In virtual time a rest would only make the app's clock differ from that of the simulator.
    if !facts.has_virtual_time {
        lines.push(format!("sleep 0.{REST_MS:03}"));
        takes_ms = REST_MS;
    }
    lines.push(format!("input motionevent UP {to_x} {to_y}"));
    (lines, takes_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(sdk: u32, has_virtual_time: bool) -> Facts {
        Facts { sdk, has_virtual_time, ..Facts::default() }
    }

    #[test]
    fn a_finger_comes_to_rest_where_it_is_lifted() {
        for (from, to) in [((10, 900), (10, 100)), ((700, 5), (-20, 5)), ((i32::MIN, 0), (i32::MAX, 0))] {
            let (lines, takes_ms) = stroke(&facts(30, false), from, to);
            assert_eq!(takes_ms, REST_MS);
            let ends = [&lines[lines.len() - 3], &lines[lines.len() - 2], &lines[lines.len() - 1]];
            let at = format!("{} {}", to.0, to.1);
            assert_eq!(
                ends,
                [
                    &format!("input motionevent MOVE {at}"),
                    "sleep 0.200",
                    &format!("input motionevent UP {at}")
                ]
            );
            let places: Vec<(i64, i64)> = lines
                .iter()
                .filter_map(|line| {
                    let mut words = line.strip_prefix("input motionevent ")?.split(' ').skip(1);
                    let mut number = || words.next()?.parse::<i64>().ok();
                    Some((number()?, number()?))
                })
                .collect();
            assert_eq!(places[0], (from.0.into(), from.1.into()));
            let steps: Vec<i64> = places
                .windows(2)
                .map(|pair| (pair[1].0 - pair[0].0).abs().max((pair[1].1 - pair[0].1).abs()))
                .collect();
            let slowing = &steps[2..];
            assert!(slowing.is_sorted_by(|before, after| before >= after), "{steps:?}");
        }
    }

    #[test]
    fn an_older_phone_gets_a_swipe_of_at_most_a_pixel_a_millisecond_unless_it_is_long() {
        let swipe = |length: i32| stroke(&facts(29, false), (3, 0), (3, length));
        assert_eq!(swipe(900), (vec!["input swipe 3 0 3 900 900".to_string()], 900));
        assert_eq!(swipe(10).1, 300, "shorter than a long touch");
        assert_eq!(swipe(i32::MAX).1, 2_000);
    }

    #[test]
    fn nothing_rests_where_time_is_virtual() {
        let (lines, takes_ms) = stroke(&facts(33, true), (0, 0), (0, 9));
        assert!(
            takes_ms == 0 && lines.iter().all(|line| line.starts_with("input motionevent ")),
            "{lines:?}"
        );
    }
}
