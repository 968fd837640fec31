//! The touch screen as the kernel tells of it: events, those who read them, and the finger that they tell of.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::gui::PressedKey;

/// Number of commands at most that run on and read events.
const READERS_MAX: usize = 256;

/// Most bytes that wait for one reader: events that come beyond are lost, as in the kernel.
const WAITING_MAX: usize = 64 * 1024;

/// Path of the touch screen.
pub(super) const DEVICE: &str = "/dev/input/event1";

/// Kinds of events, and names of their codes.
const KINDS: [(u16, &str); 3] = [(SYN, "EV_SYN"), (KEY, "EV_KEY"), (ABS, "EV_ABS")];
const CODES: [(u16, u16, &str); 12] = [
    (SYN, 0, "SYN_REPORT"),
    (SYN, 2, "SYN_MT_REPORT"),
    (KEY, MENU, "KEY_MENU"),
    (KEY, BACK, "KEY_BACK"),
    (KEY, HOME, "KEY_HOMEPAGE"),
    (KEY, BTN_TOUCH, "BTN_TOUCH"),
    (ABS, SLOT, "ABS_MT_SLOT"),
    (ABS, 0x30, "ABS_MT_TOUCH_MAJOR"),
    (ABS, X, "ABS_MT_POSITION_X"),
    (ABS, Y, "ABS_MT_POSITION_Y"),
    (ABS, TRACKING_ID, "ABS_MT_TRACKING_ID"),
    (ABS, 0x3a, "ABS_MT_PRESSURE"),
];

const SYN: u16 = 0;
const KEY: u16 = 1;
const ABS: u16 = 3;

const REPORT: u16 = 0;
const MENU: u16 = 0x8b;
const BACK: u16 = 0x9e;
const HOME: u16 = 0xac;
const BTN_TOUCH: u16 = 0x14a;
const SLOT: u16 = 0x2f;
const X: u16 = 0x35;
const Y: u16 = 0x36;
const TRACKING_ID: u16 = 0x39;

/// One event of the touch screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub kind: u16,
    pub code: u16,
    pub value: i32,
}

impl Event {
    /// Returns the key that it presses.
    pub fn pressed(self) -> Option<PressedKey> {
        match (self.kind, self.code, self.value) {
            (KEY, MENU, 1) => Some(PressedKey::Menu),
            (KEY, BACK, 1) => Some(PressedKey::Back),
            (KEY, HOME, 1) => Some(PressedKey::Home),
            _ => None,
        }
    }
}

/// Form of the lines of a `getevent`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// True for names in place of numbers: `-l`.
    pub has_names: bool,
    /// True for the time before each event: `-t`.
    pub has_times: bool,
    /// True for the device before each event, if none is chosen.
    pub has_path: bool,
    /// Number of events after which it ends: `-c`.
    pub count: Option<usize>,
}

impl Form {
    /// Returns an event as a line.
    fn line(self, Event { kind, code, value }: Event, at_ms: u64) -> String {
        let mut line = String::new();
        // Writing to a text never fails.
        if self.has_times {
            let _ = write!(line, "[{:8}.{:03}000] ", at_ms / 1_000, at_ms % 1_000);
        }
        if self.has_path {
            let _ = write!(line, "{DEVICE}: ");
        }
        if !self.has_names {
            let _ = writeln!(line, "{kind:04x} {code:04x} {value:08x}");
            return line;
        }
        let kind_name = KINDS.iter().find(|(other, _)| *other == kind).map(|(_, name)| *name);
        let code_name = CODES.iter().find(|(of, other, _)| (*of, *other) == (kind, code));
        let kind_shown = kind_name.map_or(format!("{kind:04x}"), str::to_string);
        let code_shown = code_name.map_or(format!("{code:04x}"), |(.., name)| name.to_string());
        let value_shown = match (kind, value) {
            (KEY, 0) => "UP".to_string(),
            (KEY, 1) => "DOWN".to_string(),
            _ => format!("{value:08x}"),
        };
        let _ = writeln!(line, "{kind_shown:<12} {code_shown:<20} {value_shown:<20}");
        line
    }
}

/// The commands that run on and read events, by their pids.
#[derive(Clone, Debug, Default)]
pub(super) struct Readers(BTreeMap<u32, Reader>);

#[derive(Clone, Debug)]
struct Reader {
    form: Form,
    waiting: Vec<u8>,
}

impl Readers {
    /// Adds a reader.
    pub fn start(&mut self, pid: u32, form: Form) {
        // A client that lost its streams cannot fill the memory.
        while self.0.len() >= READERS_MAX {
            self.0.pop_first();
        }
        self.0.insert(pid, Reader { form, waiting: Vec::new() });
    }

    /// Tells all readers of an event.
    pub fn tell(&mut self, event: Event, at_ms: u64) {
        for reader in self.0.values_mut().filter(|reader| reader.form.count != Some(0)) {
            let line = reader.form.line(event, at_ms);
            if reader.waiting.len() + line.len() <= WAITING_MAX {
                reader.waiting.extend(line.into_bytes());
            }
            reader.form.count = reader.form.count.map(|count| count - 1);
        }
    }

    /// Takes what a reader has not printed yet.
    pub fn take(&mut self, pid: u32) -> Vec<u8> {
        self.0.get_mut(&pid).map(|reader| std::mem::take(&mut reader.waiting)).unwrap_or_default()
    }

    /// Returns true if a reader waits for more events.
    pub fn runs(&self, pid: u32) -> bool {
        self.0.get(&pid).is_some_and(|reader| reader.form.count != Some(0))
    }

    /// Ends a reader; returns true if it was there.
    pub fn end(&mut self, pid: u32) -> bool {
        self.0.remove(&pid).is_some()
    }

    /// Ends all readers.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// A touch that has ended: the points of the panel where it began and ended, and how long it lasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lifted {
    pub from: (i32, i32),
    pub to: (i32, i32),
    pub ms: u64,
}

/// The finger that events tell of. Fingers in other slots than the first touch nothing here.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Finger {
    is_elsewhere: bool,
    is_down: bool,
    at: (i32, i32),
    /// Point and time where it came down.
    begun: Option<((i32, i32), u64)>,
}

impl Finger {
    /// Takes an event; returns the touch that it ends.
    pub fn take(&mut self, Event { kind, code, value }: Event, now_ms: u64) -> Option<Lifted> {
        match (kind, code) {
            (ABS, SLOT) => self.is_elsewhere = value != 0,
            (ABS, X) if !self.is_elsewhere => self.at.0 = value,
            (ABS, Y) if !self.is_elsewhere => self.at.1 = value,
            (ABS, TRACKING_ID) if !self.is_elsewhere => self.is_down = value >= 0,
            (KEY, BTN_TOUCH) => self.is_down = value != 0,
            (SYN, REPORT) if self.is_down => {
                self.begun.get_or_insert((self.at, now_ms));
            }
            (SYN, REPORT) => {
                let (from, since) = self.begun.take()?;
                return Some(Lifted { from, to: self.at, ms: now_ms.saturating_sub(since) });
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_told_in_the_form_that_its_reader_asks_for() {
        let mut readers = Readers::default();
        let form = Form { has_names: true, has_times: true, has_path: true, count: None };
        readers.start(1, form);
        readers.start(2, Form { count: Some(1), ..Form::default() });
        readers.tell(Event { kind: KEY, code: BTN_TOUCH, value: 1 }, 1_234_567);
        readers.tell(Event { kind: ABS, code: TRACKING_ID, value: -1 }, 1_234_567);
        let named = String::from_utf8(readers.take(1)).expect("a text");
        assert_eq!(
            named,
            "[    1234.567000] /dev/input/event1: EV_KEY       BTN_TOUCH            DOWN                \n\
             [    1234.567000] /dev/input/event1: EV_ABS       ABS_MT_TRACKING_ID   ffffffff            \n"
        );
        assert_eq!(readers.take(2), b"0001 014a 00000001\n");
        assert!(readers.runs(1) && !readers.runs(2));
        assert!(readers.take(1).is_empty());
    }

    #[test]
    fn a_touch_lasts_from_its_first_report_to_the_one_without_it() {
        let mut finger = Finger::default();
        let mut take = |kind, code, value, now_ms| finger.take(Event { kind, code, value }, now_ms);
        for (code, value) in [(TRACKING_ID, 7), (X, 10), (Y, 20)] {
            assert_eq!(take(ABS, code, value, 0), None);
        }
        assert_eq!(take(SYN, REPORT, 0, 100), None);
        assert_eq!(take(ABS, X, 30, 400), None);
        assert_eq!(take(SYN, REPORT, 0, 400), None);
        assert_eq!(take(ABS, TRACKING_ID, -1, 700), None);
        let lifted = Lifted { from: (10, 20), to: (30, 20), ms: 600 };
        assert_eq!(take(SYN, REPORT, 0, 700), Some(lifted));
        assert_eq!(take(SYN, REPORT, 0, 800), None);
    }
}
