//! The display: its size, density and rotation.

use super::values;

/// The display as `dumpsys window displays` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Display {
    /// Width and height in pixels, in the natural orientation.
    pub size: (u32, u32),
    /// Pixels per inch.
    pub dpi: u32,
    /// Width and height in the current orientation.
    pub size_now: (u32, u32),
}

/// Returns the first display that `dumpsys window displays` names, which is the built-in one.
///
/// ```
/// use farlead::device::android::display::display;
///
/// let said = "    init=1080x2424 420dpi base=720x1280 320dpi cur=1280x720 app=1280x720 rng=720x680-1280x1240";
/// let display = display(said).expect("a display");
/// assert_eq!((display.size, display.dpi, display.size_now), ((720, 1280), 320, (1280, 720)));
/// ```
pub fn display(text: &str) -> Option<Display> {
    let line = text.lines().find(|line| line.trim_start().starts_with("init=") && line.contains("cur="))?;
    // `base` is there if someone has changed the size or the density.
    let (_, held) = line.split_once("base=").or_else(|| line.split_once("init="))?;
    let mut words = held.split_whitespace();
    let size = pair(words.next()?)?;
    let dpi = words.next()?.strip_suffix("dpi")?.parse().ok()?;
    let size_now = values(line, "cur").find_map(pair)?;
    Some(Display { size, dpi, size_now })
}

/// Returns width and height in the natural orientation, from `wm size`; an override takes precedence.
pub fn size(text: &str) -> Option<(u32, u32)> {
    set_or_physical(text, "size").and_then(pair)
}

/// Returns the pixels per inch, from `wm density`; an override takes precedence.
pub fn density(text: &str) -> Option<u32> {
    set_or_physical(text, "density")?.parse().ok().filter(|&dpi| dpi > 0)
}

/// Returns the rotation of the display in quarter turns, 0 to 3, from `dumpsys window` or its parts, `dumpsys
/// display` or `dumpsys input`.
pub fn rotation(text: &str) -> Option<u8> {
    ["mCurrentRotation", "mRotation", "SurfaceOrientation", "orientation"]
        .iter()
        .find_map(|name| values(text, name).find_map(quarter_turns))
}

fn set_or_physical<'t>(text: &'t str, what: &str) -> Option<&'t str> {
    let of = |kind: &str| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == format!("{kind} {what}")).then(|| value.trim())
        })
    };
    of("Override").or_else(|| of("Physical"))
}

/// Returns the numbers on both sides of the `x`, as in `1080x1920`.
pub(in crate::device) fn pair(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once('x')?;
    let (width, height) = (width.parse().ok()?, height.parse().ok()?);
    (width > 0 && height > 0).then_some((width, height))
}

fn quarter_turns(text: &str) -> Option<u8> {
    match text.strip_prefix("ROTATION_") {
        Some(degrees) => match degrees {
            "0" => Some(0),
            "90" => Some(1),
            "180" => Some(2),
            "270" => Some(3),
            _ => None,
        },
        None => text.parse().ok().filter(|&turns| turns < 4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_someone_has_set_goes_first() {
        assert_eq!(size("Physical size: 1080x2340\nOverride size: 720x1280\n"), Some((720, 1280)));
        assert_eq!(size("Physical size: 1080x2340\r\n"), Some((1080, 2340)));
        assert_eq!(density("Physical density: 440\nOverride density: 320"), Some(320));
        assert_eq!(size("Physical size: 0x0"), None);
        assert_eq!(density("cmd: Can't find service: window"), None);
    }

    #[test]
    fn a_display_has_its_size_by_nature_and_its_size_now() {
        let said = "  Display: mDisplayId=0\n    init=1080x1920 420dpi cur=1920x1080 app=1920x1008 rng=1080x1008-1920x1848";
        let expected = Display { size: (1080, 1920), dpi: 420, size_now: (1920, 1080) };
        assert_eq!(display(said), Some(expected));
        assert_eq!(display("init=1080x1920 dpi cur=1x1"), None);
    }

    #[test]
    fn rotation_is_said_in_degrees_or_in_turns() {
        for (text, expected) in [
            ("mCurrentRotation=ROTATION_270 mUserRotation=ROTATION_0", Some(3)),
            ("  mRotation=1 mAltOrientation=false", Some(1)),
            ("      SurfaceOrientation: 2", Some(2)),
            ("DisplayViewport{valid=true, displayId=0, orientation=1, logicalFrame=Rect(0, 0", Some(1)),
            ("mRotation=7", None),
            ("", None),
        ] {
            assert_eq!(rotation(text), expected, "{text}");
        }
    }
}
