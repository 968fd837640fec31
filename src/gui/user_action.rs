//! User actions: a few gestures that the user declares, done on a widget as one action.

use std::fmt;

use super::atom::Atom;
use super::constant::quote;
use super::screen::Bounds;

/// An action that the user declares, offered where a widget matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserAction {
    /// Name, which is also its action type.
    pub name: String,
    /// Widgets that it is done on; always [`Atom::Widget`].
    pub on: Atom,
    /// Gestures, done in this order.
    pub gestures: Vec<Gesture>,
}

/// A part of a user action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gesture {
    /// A short touch.
    Tap(Point),
    /// A touch that is held.
    LongTap(Point),
    /// A touch that moves.
    Swipe {
        /// Start of the touch.
        from: Point,
        /// End of the touch.
        to: Point,
    },
    /// Letters to type.
    Text(String),
    /// A key to press and let go.
    Key(PressedKey),
    /// A wait.
    Wait {
        /// Length in milliseconds.
        ms: u32,
    },
}

/// Longest wait within a user action, ten minutes.
pub const WAIT_MS_MAX: u32 = 600_000;

/// A point of a widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Distance from the left.
    pub x: Percent,
    /// Distance from the top.
    pub y: Percent,
}

/// A part of a width or height, 0 to 100 percent, kept exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent {
    thousandths: u32,
}

impl Point {
    /// Returns the pixel on a widget with these bounds.
    pub fn on(self, bounds: Bounds) -> (i32, i32) {
        // 100 % is the last pixel: the right and the bottom edge lie outside.
        let place = |start: i32, end: i32, offset: u32| {
            start.saturating_add(offset as i32).min(end.saturating_sub(1))
        };
        (
            place(bounds.left, bounds.right, self.x.of(bounds.width())),
            place(bounds.top, bounds.bottom, self.y.of(bounds.height())),
        )
    }
}

impl Percent {
    /// Returns the percentage that `text` says, with at most three digits after the point.
    pub fn parse(text: &str) -> Option<Percent> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_digits =
            |text: &str| (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        // Padded to three digits, so that the `5` of `0.5` is 500.
        let thousandths =
            whole.parse::<u32>().ok()? * 1000 + format!("{fraction:0<3}").parse::<u32>().ok()?;
        (thousandths <= 100_000).then_some(Percent { thousandths })
    }

    /// Returns this part of `length`, rounded down.
    pub fn of(self, length: u32) -> u32 {
        (u64::from(length) * u64::from(self.thousandths) / 100_000) as u32
    }
}

/// A key that a gesture can press.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those on the keys")]
pub enum PressedKey {
    Back,
    Enter,
    Home,
    Menu,
    Tab,
    Delete,
    Search,
    Escape,
    Up,
    Down,
    Left,
    Right,
}

impl PressedKey {
    /// All keys.
    pub const ALL: [PressedKey; 12] = [
        PressedKey::Back,
        PressedKey::Enter,
        PressedKey::Home,
        PressedKey::Menu,
        PressedKey::Tab,
        PressedKey::Delete,
        PressedKey::Search,
        PressedKey::Escape,
        PressedKey::Up,
        PressedKey::Down,
        PressedKey::Left,
        PressedKey::Right,
    ];

    /// Returns the key as it is written.
    pub fn name(self) -> &'static str {
        match self {
            PressedKey::Back => "back",
            PressedKey::Enter => "enter",
            PressedKey::Home => "home",
            PressedKey::Menu => "menu",
            PressedKey::Tab => "tab",
            PressedKey::Delete => "delete",
            PressedKey::Search => "search",
            PressedKey::Escape => "escape",
            PressedKey::Up => "up",
            PressedKey::Down => "down",
            PressedKey::Left => "left",
            PressedKey::Right => "right",
        }
    }

    /// Returns the number that Android has for it.
    pub const fn code(self) -> u32 {
        match self {
            PressedKey::Back => 4,
            PressedKey::Enter => 66,
            PressedKey::Home => 3,
            PressedKey::Menu => 82,
            PressedKey::Tab => 61,
            PressedKey::Delete => 67,
            PressedKey::Search => 84,
            PressedKey::Escape => 111,
            PressedKey::Up => 19,
            PressedKey::Down => 20,
            PressedKey::Left => 21,
            PressedKey::Right => 22,
        }
    }

    /// Returns the key written `name`.
    pub fn parse(name: &str) -> Option<PressedKey> {
        PressedKey::ALL.into_iter().find(|key| key.name() == name)
    }
}

impl fmt::Display for UserAction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "action {} on {}:", self.name, self.on)?;
        for (at, gesture) in self.gestures.iter().enumerate() {
            write!(out, "{} {gesture}", if at > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Display for Gesture {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gesture::Tap(at) => write!(out, "tap {at}"),
            Gesture::LongTap(at) => write!(out, "longtap {at}"),
            Gesture::Swipe { from, to } => write!(out, "swipe {from} to {to}"),
            Gesture::Text(text) => write!(out, "text {}", quote(text)),
            Gesture::Key(key) => write!(out, "key {}", key.name()),
            Gesture::Wait { ms } if ms % 1000 == 0 => write!(out, "wait {}s", ms / 1000),
            Gesture::Wait { ms } => write!(out, "wait {ms}ms"),
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.x, self.y)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.thousandths / 1000)?;
        match self.thousandths % 1000 {
            0 => out.write_str("%"),
            fraction => write!(out, ".{}%", format!("{fraction:03}").trim_end_matches('0')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_exact_and_end_at_a_hundred() {
        for (text, expected) in [("56", "56%"), ("56.50", "56.5%"), ("100", "100%"), ("0.125", "0.125%")] {
            assert_eq!(Percent::parse(text).expect(text).to_string(), expected);
        }
        for text in ["100.001", "101", "-1", "1.2345", "1e1", "", ".5", "5."] {
            assert_eq!(Percent::parse(text), None, "{text}");
        }
        assert_eq!(Percent::parse("12.5").expect("a percentage").of(480), 60);
    }

    #[test]
    fn every_key_is_read_by_its_name() {
        for key in PressedKey::ALL {
            assert_eq!(PressedKey::parse(key.name()), Some(key));
        }
    }
}
