//! Windows of the system over the app: the soft keyboard, and the bar with the keys of the system.

use crate::gui::Bounds;

/// Returns the pixels that the soft keyboard covers on a display of this size, from `dumpsys window windows`. A keyboard that
/// is hidden keeps its window.
///
/// ```
/// use farlead::device::android::window::keyboard;
///
/// let said = "  Window #1 Window{1 u0 InputMethod}:\n    touchable region=SkRegion((0,700,500,1000))\n";
/// assert_eq!(keyboard(said, (500, 1000)).map(|bounds| bounds.top), Some(700));
/// ```
pub fn keyboard(text: &str, size: (u32, u32)) -> Option<Bounds> {
    let window = section(text, "InputMethod")?;
    let region = region(window);
    // Without a region of its own, the window has the keys below its insets.
    let inset = corners(window, "mGivenContentInsets");
    let below = frame(window)
        .zip(inset)
        .map(|(frame, inset)| Bounds { top: frame.top.saturating_add(inset.top), ..frame });
    region.or(below).filter(|&bounds| is_part(bounds, size))
}

/// Returns the pixels of the bar with the keys of the system, from `dumpsys window windows`.
pub fn bar(text: &str, (width, height): (u32, u32)) -> Option<Bounds> {
    let bar = frame(section(text, "NavigationBar0").or_else(|| section(text, "NavigationBar"))?)?;
    // A bar is narrow; a window over the whole display tells nothing.
    let is_narrow = bar.height() < height / 4 || bar.width() < width / 4;
    (is_narrow && !bar.is_empty()).then_some(bar)
}

/// Returns true if the bounds are a part of the display, and not all of it.
fn is_part(bounds: Bounds, (width, height): (u32, u32)) -> bool {
    !bounds.is_empty() && (bounds.width() < width || bounds.height() < height)
}

/// Returns the lines about the window of this title.
fn section<'t>(text: &'t str, title: &str) -> Option<&'t str> {
    let end = format!(" {title}}}:");
    let head = text.lines().find(|line| line.trim_start().starts_with("Window #") && line.ends_with(&end))?;
    let (_, rest) = text.split_once(head)?;
    let next = rest.find("\n  Window #").unwrap_or(rest.len());
    Some(&rest[..next])
}

/// Returns the frame of a window, named differently up to Android 10.
fn frame(window: &str) -> Option<Bounds> {
    corners(window, "frame").or_else(|| corners(window, "mFrame"))
}

/// Returns the bounds around `touchable region=SkRegion((0,1517,1080,2274)(..))`.
fn region(window: &str) -> Option<Bounds> {
    let (_, rest) = window.split_once("touchable region=SkRegion(")?;
    let parts = rest.lines().next()?.split(['(', ')']).filter_map(|part| numbers(part.split(',')));
    parts.map(bounds).reduce(|all, one| Bounds {
        left: all.left.min(one.left),
        top: all.top.min(one.top),
        right: all.right.max(one.right),
        bottom: all.bottom.max(one.bottom),
    })
}

/// Returns the bounds after a name that stands by itself, as in `mFrame=[0,63][1080,2400]`.
fn corners(window: &str, name: &str) -> Option<Bounds> {
    let is_whole = |at: usize| window[..at].ends_with(char::is_whitespace);
    let (at, _) = window.match_indices(&format!("{name}=[")).find(|&(at, _)| is_whole(at))?;
    let (_, rest) = window[at..].split_once('=')?;
    let value = rest.split_whitespace().next()?;
    let pairs = value.trim_matches(['[', ']']).split("][");
    numbers(pairs.flat_map(|pair| pair.split(','))).map(bounds)
}

fn numbers<'t>(words: impl Iterator<Item = &'t str>) -> Option<[i32; 4]> {
    let numbers: Vec<i32> = words.map(|word| word.trim().parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

fn bounds([left, top, right, bottom]: [i32; 4]) -> Bounds {
    Bounds { left, top, right, bottom }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyboard_lies_where_it_can_be_touched_or_below_its_insets() {
        let head = "  Window #0 Window{1 u0 InputMethod}:\n";
        let next = "\n  Window #1 Window{2 u0 StatusBar}:\n    touchable region=SkRegion((0,0,1,1))\n";
        for (window, expected) in [
            ("    touchable region=SkRegion((0,1500,1080,2000)(0,2000,900,2274))", Some((1500, 2274))),
            (
                "    mGivenContentInsets=[0,1400][0,0] mGiven\n    mFrame=[0,63][1080,2400] last=[0,0][0,0]",
                Some((1463, 2400)),
            ),
            (
                "    mGivenContentInsets=[0,0][0,0] mGiven\n    Frames: parent=[0,0][9,9] frame=[0,0][1080,2400]",
                None,
            ),
            ("    touchable region=SkRegion()\n    mFrame=[0,x][1080,2400]", None),
        ] {
            let found = keyboard(&format!("{head}{window}{next}"), (1080, 2400));
            assert_eq!(found.map(|bounds| (bounds.top, bounds.bottom)), expected, "{window}");
        }
        assert_eq!(keyboard(next, (1080, 2400)), None);
    }

    #[test]
    fn a_bar_is_narrow() {
        let said = |frame: &str| {
            format!("  Window #4 Window{{8 u0 NavigationBar0}}:\n    Frames: frame={frame} last=[0,0][0,0]\n")
        };
        let size = (1080, 2400);
        assert_eq!(bar(&said("[0,2274][1080,2400]"), size).map(|bounds| bounds.top), Some(2274));
        assert_eq!(bar(&said("[0,0][1080,2400]"), size), None);
        assert_eq!(bar("", size), None);
    }
}
