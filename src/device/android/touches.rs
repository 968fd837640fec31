//! Touch screens as the kernel knows them, and fingers on them: the texts of `getevent`.
//!
//! [`panels`] reads `getevent -lp`, and a [`Follower`] reads the stream of `getevent -lt`, with or without labels. It knows both
//! protocols of the kernel for several fingers, the one with slots and the one without, and screens that tell of one finger
//! alone. Its gestures are in the numbers of a panel; [`Panel::place`] has the pixels for them.

use std::collections::BTreeMap;

/// Most panels that are followed. Emulators have one for each display that they could have.
const PANELS_MAX: usize = 32;

/// Longest line that is read, in bytes. One of `getevent` has about a hundred.
const LINE_BYTES_MAX: usize = 400;

/// Most fingers that are told apart.
const FINGERS_MAX: usize = 16;

/// Codes of the kernel, from its `input-event-codes.h`, with the names that `getevent -l` prints.
const CODES: [(&str, u16, u16); 15] = [
    ("SYN_REPORT", SYN, REPORT),
    ("SYN_MT_REPORT", SYN, MT_REPORT),
    ("SYN_DROPPED", SYN, DROPPED),
    ("KEY_HOME", KEY, 0x66),
    ("KEY_MENU", KEY, 0x8b),
    ("KEY_BACK", KEY, 0x9e),
    ("KEY_HOMEPAGE", KEY, 0xac),
    ("BTN_TOUCH", KEY, BTN_TOUCH),
    ("ABS_X", ABS, X),
    ("ABS_Y", ABS, Y),
    ("ABS_MT_SLOT", ABS, SLOT),
    ("ABS_MT_POSITION_X", ABS, MT_X),
    ("ABS_MT_POSITION_Y", ABS, MT_Y),
    ("ABS_MT_TRACKING_ID", ABS, TRACKING_ID),
    ("ABS_MT_PRESSURE", ABS, 0x3a),
];

const SYN: u16 = 0;
const KEY: u16 = 1;
const ABS: u16 = 3;

const REPORT: u16 = 0;
const MT_REPORT: u16 = 2;
const DROPPED: u16 = 3;
const BTN_TOUCH: u16 = 0x14a;
const X: u16 = 0;
const Y: u16 = 1;
const SLOT: u16 = 0x2f;
const MT_X: u16 = 0x35;
const MT_Y: u16 = 0x36;
const TRACKING_ID: u16 = 0x39;

/// Lowest and highest number of an axis.
type Range = (i32, i32);

/// A touch screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// Path of its device.
    pub path: String,
    x: Range,
    y: Range,
    kind: Kind,
}

/// Way in which a panel tells of fingers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Each finger in a slot of its own: the kernel's protocol B.
    Slots,
    /// All fingers anew in each report: the kernel's protocol A.
    Lists,
    /// One finger.
    Single,
}

/// Turn of a display against its panel, in quarters, and its size as it is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turned {
    /// Quarter turns, 0 to 3, as Android counts rotations.
    pub quarters: u8,
    /// Width and height in pixels.
    pub size: (u32, u32),
}

impl Panel {
    /// Returns the pixel of a display for a point of the panel below it.
    pub fn place(&self, (x, y): (i32, i32), display: Turned) -> (i32, i32) {
        let (width, height) = display.size;
        // As Android's own reader of touches turns them.
        match display.quarters {
            1 => (scaled(y, self.y, width, false), scaled(x, self.x, height, true)),
            2 => (scaled(x, self.x, width, true), scaled(y, self.y, height, true)),
            3 => (scaled(y, self.y, width, true), scaled(x, self.x, height, false)),
            _ => (scaled(x, self.x, width, false), scaled(y, self.y, height, false)),
        }
    }
}

/// Returns the pixel, out of `pixels`, for a number of an axis, counted from its other end if `is_turned`.
fn scaled(at: i32, (low, high): Range, pixels: u32, is_turned: bool) -> i32 {
    let at = at.clamp(low, high);
    let way = if is_turned { i64::from(high) - i64::from(at) } else { i64::from(at) - i64::from(low) };
    // At most 32 bits times 32 bits, and less than `pixels` once it is divided.
    let steps = i64::from(high) - i64::from(low) + 1;
    i32::try_from(way * i64::from(pixels) / steps).unwrap_or(i32::MAX)
}

/// Returns the touch screens that `getevent -p` or `getevent -lp` lists.
///
/// ```
/// use farlead::device::android::touches::{Turned, panels};
///
/// let said = "add device 1: /dev/input/event2\n  name:     \"touch\"\n  events:\n    \
///             ABS (0003): ABS_MT_POSITION_X     : value 0, min 0, max 4095, fuzz 0, flat 0, resolution 0\n                \
///             ABS_MT_POSITION_Y     : value 0, min 0, max 8191, fuzz 0, flat 0, resolution 0\n";
/// let [panel] = &panels(said)[..] else { panic!("one panel") };
/// assert_eq!(panel.place((2048, 4096), Turned { quarters: 0, size: (1080, 2400) }), (540, 1200));
/// ```
pub fn panels(text: &str) -> Vec<Panel> {
    let mut panels = Vec::new();
    let mut device: Option<Device> = None;
    for line in text.lines() {
        let line = line.trim();
        if let Some((_, path)) = line.strip_prefix("add device ").and_then(|rest| rest.split_once(": ")) {
            panels.extend(device.take().and_then(Device::panel));
            device = Some(Device { path: path.trim().to_string(), ..Device::default() });
            continue;
        }
        let Some(device) = &mut device else { continue };
        // A touchpad moves a pointer.
        device.is_pad |= line == "INPUT_PROP_POINTER" || line == "0000" && device.has_props;
        device.has_props |= line == "input props:";
        if line.starts_with("KEY (0001):") {
            device.reads_keys = true;
        } else if line.contains(" (00") && line.contains("):") {
            device.reads_keys = false;
        }
        device.has_touch |=
            device.reads_keys && line.split_whitespace().any(|word| word == "BTN_TOUCH" || word == "014a");
        if let Some((code, range)) = axis(line) {
            device.axes.insert(code, range);
        }
    }
    panels.extend(device.and_then(Device::panel));
    panels.truncate(PANELS_MAX);
    panels
}

/// A device of input that is being read.
#[derive(Default)]
struct Device {
    path: String,
    /// Ranges of its axes by their codes.
    axes: BTreeMap<u16, Range>,
    has_touch: bool,
    is_pad: bool,
    has_props: bool,
    reads_keys: bool,
}

impl Device {
    fn panel(self) -> Option<Panel> {
        let both = |x: u16, y: u16| self.axes.get(&x).copied().zip(self.axes.get(&y).copied());
        let (kind, (x, y)) = match both(MT_X, MT_Y) {
            Some(ranges) if self.axes.contains_key(&SLOT) => (Kind::Slots, ranges),
            Some(ranges) => (Kind::Lists, ranges),
            None => (Kind::Single, both(X, Y).filter(|_| self.has_touch)?),
        };
        let is_wide = x.0 < x.1 && y.0 < y.1;
        (is_wide && !self.is_pad).then_some(Panel { path: self.path, x, y, kind })
    }
}

/// Reads a line about an axis: `ABS_MT_POSITION_X : value 0, min 0, max 4095, fuzz 0`.
fn axis(line: &str) -> Option<(u16, Range)> {
    let (before, after) = line.split_once(" : value ").or_else(|| line.split_once(": value "))?;
    let code = code(before.split_whitespace().next_back()?, ABS)?;
    let number = |name: &str| {
        let (_, rest) = after.split_once(name)?;
        rest.split([',', ' ']).next()?.parse().ok()
    };
    Some((code, (number("min ")?, number("max ")?)))
}

/// Returns the code that a word names or writes in hexadecimal digits.
fn code(word: &str, kind: u16) -> Option<u16> {
    let named = CODES.iter().find(|(name, of, _)| *name == word && *of == kind).map(|(_, _, code)| *code);
    named.or_else(|| u16::from_str_radix(word, 16).ok())
}

/// An event as a line tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Event<'l> {
    /// Time in milliseconds; none if the line has none.
    at_ms: Option<u64>,
    /// Path of its device; none if only one is listened to.
    path: Option<&'l str>,
    kind: u16,
    code: u16,
    value: i32,
}

/// Reads `[   28.047829] /dev/input/event1: EV_KEY       BTN_TOUCH            DOWN`, or the same in numbers.
fn event(line: &str) -> Option<Event<'_>> {
    let mut rest = line.trim();
    let mut at_ms = None;
    if let Some((time, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let (seconds, parts) = time.trim().split_once('.').unwrap_or((time.trim(), "0"));
        let micros: u64 = parts.get(..6).unwrap_or(parts).parse().ok()?;
        at_ms = Some(seconds.parse::<u64>().ok()?.checked_mul(1_000)?.checked_add(micros / 1_000)?);
        rest = after.trim_start();
    }
    let mut path = None;
    if rest.starts_with('/') {
        let (before, after) = rest.split_once(": ")?;
        path = Some(before);
        rest = after;
    }
    let mut words = rest.split_whitespace();
    let kind = match words.next()? {
        "EV_SYN" => SYN,
        "EV_KEY" => KEY,
        "EV_ABS" => ABS,
        word => u16::from_str_radix(word, 16).ok()?,
    };
    let code = code(words.next()?, kind)?;
    let value = match words.next()? {
        "DOWN" => 1,
        "UP" => 0,
        "REPEAT" => 2,
        // The kernel's numbers are signed, and printed as if they were not.
        word => u32::from_str_radix(word, 16).ok()?.cast_signed(),
    };
    Some(Event { at_ms, path, kind, code, value })
}

/// Key beside a display, or on its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum PanelKey {
    Back,
    Home,
    Menu,
}

/// Touch of a panel from its first finger to its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Number of its panel among those given.
    pub panel: usize,
    /// Point where the first finger came down.
    pub from: (i32, i32),
    /// Point where it was seen last.
    pub to: (i32, i32),
    /// Points of the corners around its way: the lowest numbers, and the highest.
    pub around: [(i32, i32); 2],
    /// Duration in milliseconds; 0 if the stream tells no times.
    pub ms: u64,
    /// True if several fingers took part.
    pub has_several: bool,
}

/// News of fingers and keys in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// A finger has come down where none was.
    Down,
    /// The last finger has been lifted.
    Up(Touched),
    /// A key was pressed.
    Pressed(PanelKey),
}

/// Reader of the stream of `getevent`, whatever the pieces in which it comes.
#[derive(Clone, Debug)]
pub struct Follower {
    panels: Vec<(String, Fingers)>,
    /// Line that has begun.
    line: Vec<u8>,
    /// True if the rest of the line is left out, as it is too long.
    is_long: bool,
    now_ms: u64,
}

impl Follower {
    /// Returns a follower of these panels, on which no finger is.
    pub fn new(panels: &[Panel]) -> Follower {
        let panels = panels.iter().map(|panel| (panel.path.clone(), Fingers::new(panel.kind))).collect();
        Follower { panels, line: Vec::new(), is_long: false, now_ms: 0 }
    }

    /// Reads the next bytes of the stream and returns what their lines tell.
    pub fn read(&mut self, bytes: &[u8]) -> Vec<Told> {
        let mut told = Vec::new();
        for &byte in bytes {
            if byte != b'\n' {
                self.is_long |= self.line.len() >= LINE_BYTES_MAX;
                if !self.is_long {
                    self.line.push(byte);
                }
                continue;
            }
            let line = std::mem::take(&mut self.line);
            if !std::mem::take(&mut self.is_long)
                && let Some(event) = std::str::from_utf8(&line).ok().and_then(event)
            {
                told.extend(self.take(event));
            }
        }
        told
    }

    fn take(&mut self, event: Event<'_>) -> Option<Told> {
        self.now_ms = event.at_ms.unwrap_or(self.now_ms);
        if event.kind == KEY && event.code != BTN_TOUCH {
            // A key that is held repeats, and counts once.
            return (event.value == 1).then(|| key(event.code)).flatten().map(Told::Pressed);
        }
        // Without a path there is only one.
        let found = |(path, _): &(String, Fingers)| event.path.is_none_or(|of| of == path);
        let panel = self.panels.iter().position(found)?;
        self.panels[panel].1.take(event, self.now_ms, panel)
    }
}

fn key(code: u16) -> Option<PanelKey> {
    match code {
        0x9e => Some(PanelKey::Back),
        0x66 | 0xac => Some(PanelKey::Home),
        0x8b => Some(PanelKey::Menu),
        _ => None,
    }
}

/// A finger: a coordinate that the kernel has not told since the start is not known.
#[derive(Clone, Copy, Debug, Default)]
struct Finger {
    is_down: bool,
    x: Option<i32>,
    y: Option<i32>,
}

impl Finger {
    fn point(self) -> Option<(i32, i32)> {
        self.x.zip(self.y)
    }
}

/// The fingers on a panel.
#[derive(Clone, Debug)]
struct Fingers {
    kind: Kind,
    /// Fingers by their slots; of a panel without slots, the first is the one that is being told of.
    slots: [Finger; FINGERS_MAX],
    /// Slot that is being told of; none beyond those that are told apart.
    slot: Option<usize>,
    /// Points of this report, of a panel without slots.
    listed: Vec<(i32, i32)>,
    /// True if this report lists fingers, even if there is none.
    has_list: bool,
    /// State of `BTN_TOUCH`; none until the panel has told it.
    touch: Option<bool>,
    /// Touch that has begun, and the time when it did.
    begun: Option<(Touched, u64)>,
}

impl Fingers {
    fn new(kind: Kind) -> Fingers {
        Fingers {
            kind,
            slots: [Finger::default(); FINGERS_MAX],
            slot: Some(0),
            listed: Vec::new(),
            has_list: false,
            touch: None,
            begun: None,
        }
    }

    fn take(&mut self, event: Event<'_>, now_ms: u64, panel: usize) -> Option<Told> {
        let Event { kind, code, value, .. } = event;
        let is_single = self.kind == Kind::Single;
        match (kind, code) {
            (ABS, SLOT) => self.slot = usize::try_from(value).ok().filter(|&slot| slot < FINGERS_MAX),
            (ABS, TRACKING_ID) if self.kind == Kind::Slots => {
                if let Some(finger) = self.finger() {
                    finger.is_down = value >= 0;
                }
            }
            (ABS, MT_X) if !is_single => self.set(|finger| finger.x = Some(value)),
            (ABS, MT_Y) if !is_single => self.set(|finger| finger.y = Some(value)),
            (ABS, X) if is_single => self.set(|finger| finger.x = Some(value)),
            (ABS, Y) if is_single => self.set(|finger| finger.y = Some(value)),
            (KEY, BTN_TOUCH) => self.touch = Some(value != 0),
            (SYN, MT_REPORT) if self.kind == Kind::Lists => {
                self.has_list = true;
                let listed = std::mem::take(&mut self.slots[0]).point();
                self.listed.extend(listed.filter(|_| self.listed.len() < FINGERS_MAX));
            }
            // The kernel has dropped events, so nobody knows what the fingers do.
            (SYN, DROPPED) => *self = Fingers::new(self.kind),
            (SYN, REPORT) => return self.report(now_ms, panel),
            _ => {}
        }
        None
    }

    fn finger(&mut self) -> Option<&mut Finger> {
        // Only panels with slots have more than one.
        let slot = if self.kind == Kind::Slots { self.slot } else { Some(0) };
        slot.map(|slot| &mut self.slots[slot])
    }

    fn set(&mut self, set: impl FnOnce(&mut Finger)) {
        if let Some(finger) = self.finger() {
            set(finger);
        }
    }

    /// Takes in a report as a whole.
    fn report(&mut self, now_ms: u64, panel: usize) -> Option<Told> {
        let (count, point) = match self.kind {
            Kind::Slots => {
                let down = || self.slots.iter().filter(|finger| finger.is_down);
                (down().count(), down().find_map(|finger| finger.point()))
            }
            Kind::Lists => {
                let listed = std::mem::take(&mut self.listed);
                // A report about a key lists no fingers, and those that are down stay.
                if !std::mem::take(&mut self.has_list) && self.touch != Some(false) {
                    return None;
                }
                let count = if self.touch == Some(false) { 0 } else { listed.len() };
                (count, listed.first().copied())
            }
            Kind::Single => (usize::from(self.touch == Some(true)), self.slots[0].point()),
        };
        match (&mut self.begun, point.filter(|_| count > 0)) {
            (None, Some(from)) => {
                let around = [from, from];
                let touched = Touched { panel, from, to: from, around, ms: 0, has_several: count > 1 };
                self.begun = Some((touched, now_ms));
                Some(Told::Down)
            }
            (Some((touched, _)), Some((x, y))) => {
                // The finger that is told first may be lifted before the last.
                if !touched.has_several {
                    touched.to = (x, y);
                }
                let [low, high] = &mut touched.around;
                (*low, *high) = ((low.0.min(x), low.1.min(y)), (high.0.max(x), high.1.max(y)));
                touched.has_several |= count > 1;
                None
            }
            (Some(_), None) => {
                let (touched, since) = self.begun.take()?;
                Some(Told::Up(Touched { ms: now_ms.saturating_sub(since), ..touched }))
            }
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: &str = "add device 1: /dev/input/event0
  name:     \"gpio-keys\"
  events:
    KEY (0001): KEY_VOLUMEDOWN        KEY_POWER
  input props:
    <none>
add device 2: /dev/input/event2
  name:     \"fts_ts\"
  events:
    KEY (0001): KEY_BACK              BTN_TOUCH
    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_X     : value 0, min 0, max 10799, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_Y     : value 0, min 0, max 23999, fuzz 0, flat 0, resolution 0
                ABS_MT_TRACKING_ID    : value 0, min 0, max 65535, fuzz 0, flat 0, resolution 0
  input props:
    INPUT_PROP_DIRECT
add device 3: /dev/input/event3
  name:     \"touchpad\"
  events:
    ABS (0003): ABS_MT_POSITION_X     : value 0, min 0, max 99, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_Y     : value 0, min 0, max 99, fuzz 0, flat 0, resolution 0
  input props:
    INPUT_PROP_POINTER
";

    const LISTS: &str = "add device 1: /dev/input/event1
  events:
    ABS (0003): 0030  : value 0, min 0, max 255, fuzz 0, flat 0, resolution 0
                0035  : value 0, min 0, max 479, fuzz 0, flat 0, resolution 0
                0036  : value 0, min 0, max 799, fuzz 0, flat 0, resolution 0
";

    const SINGLE: &str = "add device 4: /dev/input/event4
  events:
    KEY (0001): 014a
    ABS (0003): 0000  : value 0, min -100, max 99, fuzz 0, flat 0, resolution 0
                0001  : value 0, min 0, max 199, fuzz 0, flat 0, resolution 0
";

    fn follower(listed: &str) -> Follower {
        Follower::new(&panels(listed))
    }

    fn touched(from: (i32, i32), to: (i32, i32), ms: u64) -> Touched {
        let low = (from.0.min(to.0), from.1.min(to.1));
        let high = (from.0.max(to.0), from.1.max(to.1));
        Touched { panel: 0, from, to, around: [low, high], ms, has_several: false }
    }

    /// Reads `lines` as a whole and byte by byte.
    #[track_caller]
    fn check(listed: &str, lines: &str, expected: &[Told]) {
        assert_eq!(follower(listed).read(lines.as_bytes()), expected);
        let mut slow = follower(listed);
        let told: Vec<Told> = lines.bytes().flat_map(|byte| slow.read(&[byte])).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn touch_screens_are_told_from_keys_and_touchpads() {
        let found = panels(SLOTS);
        assert_eq!(found.iter().map(|panel| &*panel.path).collect::<Vec<_>>(), ["/dev/input/event2"]);
        assert_eq!((found[0].x, found[0].kind), ((0, 10_799), Kind::Slots));
        assert_eq!(panels(LISTS)[0].kind, Kind::Lists);
        assert_eq!((panels(SINGLE)[0].kind, panels(SINGLE)[0].x), (Kind::Single, (-100, 99)));
        let without_touch = SINGLE.replace("014a", "0072");
        assert!(panels(&without_touch).is_empty(), "a joystick has these axes, too");
    }

    #[test]
    fn a_touch_in_a_slot_lasts_from_its_first_report_to_its_last() {
        check(
            SLOTS,
            "[   10.000000] /dev/input/event2: EV_ABS       ABS_MT_TRACKING_ID   00000010            \n\
             [   10.000000] /dev/input/event2: EV_ABS       ABS_MT_POSITION_X    00000064            \n\
             [   10.000000] /dev/input/event2: EV_ABS       ABS_MT_POSITION_Y    000000c8            \n\
             [   10.000000] /dev/input/event2: EV_KEY       BTN_TOUCH            DOWN                \n\
             [   10.000000] /dev/input/event2: EV_SYN       SYN_REPORT           00000000             rate 40\r\n\
             [   10.100000] /dev/input/event2: EV_ABS       ABS_MT_POSITION_Y    000000ca            \n\
             [   10.100000] /dev/input/event2: EV_SYN       SYN_REPORT           00000000            \n\
             [   10.250999] /dev/input/event2: EV_ABS       ABS_MT_TRACKING_ID   ffffffff            \n\
             [   10.250999] /dev/input/event2: EV_KEY       BTN_TOUCH            UP                  \n\
             [   10.250999] /dev/input/event2: EV_SYN       SYN_REPORT           00000000            \n",
            &[Told::Down, Told::Up(touched((100, 200), (100, 202), 250))],
        );
    }

    #[test]
    fn the_next_touch_of_a_slot_tells_only_what_is_new() {
        let lines = "EV_ABS ABS_MT_TRACKING_ID 1\nEV_ABS ABS_MT_POSITION_X a\nEV_ABS ABS_MT_POSITION_Y b\nEV_SYN SYN_REPORT 0\n\
                     EV_ABS ABS_MT_TRACKING_ID ffffffff\nEV_SYN SYN_REPORT 0\n\
                     EV_ABS ABS_MT_TRACKING_ID 2\nEV_ABS ABS_MT_POSITION_X c\nEV_SYN SYN_REPORT 0\n\
                     EV_ABS ABS_MT_TRACKING_ID ffffffff\nEV_SYN SYN_REPORT 0\n";
        let first = Told::Up(touched((10, 11), (10, 11), 0));
        check(SLOTS, lines, &[Told::Down, first, Told::Down, Told::Up(touched((12, 11), (12, 11), 0))]);
    }

    #[test]
    fn fingers_that_are_down_together_are_one_touch_of_several() {
        let lines = "0003 002f 00000000\n0003 0039 00000001\n0003 0035 0000000a\n0003 0036 0000000a\n0000 0000 00000000\n\
                     0003 002f 00000001\n0003 0039 00000002\n0003 0035 0000000f\n0003 0036 0000000f\n0000 0000 00000000\n\
                     0003 002f 00000000\n0003 0039 ffffffff\n0000 0000 00000000\n\
                     0003 002f 00000001\n0003 0039 ffffffff\n0000 0000 00000000\n";
        let told = follower(SLOTS).read(lines.as_bytes());
        let [Told::Down, Told::Up(touched)] = told[..] else { panic!("{told:?}") };
        assert!(touched.has_several);
        assert_eq!(touched.to, (10, 10));
    }

    #[test]
    fn a_list_of_fingers_that_is_empty_ends_the_touch() {
        let lines = "[ 1.000000] 0003 0035 00000005\n[ 1.000000] 0003 0036 00000006\n[ 1.000000] 0000 0002 00000000\n\
                     [ 1.000000] 0000 0000 00000000\n[ 1.010000] 0001 008b 00000001\n[ 1.010000] 0000 0000 00000000\n\
                     [ 1.600000] 0003 0035 00000007\n[ 1.600000] 0003 0036 00000006\n[ 1.600000] 0000 0002 00000000\n\
                     [ 1.600000] 0000 0000 00000000\n\
                     [ 1.700000] 0000 0002 00000000\n[ 1.700000] 0000 0000 00000000\n";
        let expected = [Told::Down, Told::Pressed(PanelKey::Menu), Told::Up(touched((5, 6), (7, 6), 700))];
        check(LISTS, lines, &expected);
    }

    #[test]
    fn a_screen_for_one_finger_has_a_button_for_it() {
        let lines = "0003 0000 ffffff9c\n0003 0001 00000064\n0001 014a 00000001\n0000 0000 00000000\n\
                     0003 0000 00000063\n0000 0000 00000000\n0001 014a 00000000\n0000 0000 00000000\n";
        check(SINGLE, lines, &[Told::Down, Told::Up(touched((-100, 100), (99, 100), 0))]);
    }

    #[test]
    fn a_key_counts_once_however_long_it_is_held() {
        let lines = "[ 1.0] /dev/input/event0: EV_KEY KEY_BACK DOWN\n[ 1.5] /dev/input/event0: EV_KEY KEY_BACK REPEAT\n\
                     [ 2.0] /dev/input/event0: EV_KEY KEY_BACK UP\n[ 3.0] /dev/input/event0: EV_KEY KEY_HOMEPAGE DOWN\n\
                     [ 3.0] /dev/input/event0: EV_KEY KEY_POWER DOWN\n";
        check(SLOTS, lines, &[Told::Pressed(PanelKey::Back), Told::Pressed(PanelKey::Home)]);
    }

    #[test]
    fn events_that_the_kernel_dropped_end_the_touch_untold() {
        let down = "0003 0039 1\n0003 0035 1\n0003 0036 1\n0000 0000 0\n";
        let lines = format!("{down}0000 0003 0\n0003 0039 ffffffff\n0000 0000 0\n");
        check(SLOTS, &lines, &[Told::Down]);
    }

    #[test]
    fn long_and_broken_lines_are_left_out() {
        let down = "0003 0039 1\n0003 0035 1\n0003 0036 1\n0000 0000 0\n";
        let long = format!("0003 0039 {}\n", "f".repeat(1_000));
        let lines = format!("{long}\u{0}\n[99999999999999999999.1] 0000 0000 0\n[\n]: \n/dev\n0003\n{down}");
        check(SLOTS, &lines, &[Told::Down]);
    }

    #[test]
    fn points_turn_with_the_display() {
        let panel = &panels(SLOTS)[0];
        for (quarters, size, expected) in [
            (0, (1080, 2400), (100, 300)),
            (1, (2400, 1080), (300, 979)),
            (2, (1080, 2400), (979, 2099)),
            (3, (2400, 1080), (2099, 100)),
        ] {
            assert_eq!(panel.place((1_000, 3_000), Turned { quarters, size }), expected, "{quarters}");
        }
        let upright = Turned { quarters: 0, size: (1080, 2400) };
        assert_eq!(panel.place((i32::MIN, i32::MAX), upright), (0, 2399));
    }
}
