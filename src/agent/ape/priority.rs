//! Priorities of actions, in the numbers of APE's program.

/// Kind of action, as far as priorities tell them apart; strokes by the way of the finger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    Click,
    LongClick,
    BottomToTop,
    TopToBottom,
    LeftToRight,
    RightToLeft,
    Back,
    Menu,
    #[default]
    Other,
}

/// Facts about an action that its priority depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    pub kind: Kind,
    /// Number of widgets that it stands for.
    pub widgets: u32,
    pub is_visited: bool,
    pub is_saturated: bool,
    /// Transitions to saturated states.
    pub to_saturated: u32,
    /// Transitions to other states of the same activity.
    pub to_open_alike: u32,
    /// Weak transitions, where there are several.
    pub weak: u32,
}

/// Worth of a kind, in units of the others.
fn base(kind: Kind) -> i64 {
    match kind {
        Kind::Click => 4,
        Kind::BottomToTop | Kind::LeftToRight => 3,
        Kind::LongClick | Kind::TopToBottom | Kind::RightToLeft => 2,
        Kind::Back | Kind::Menu | Kind::Other => 1,
    }
}

const SCALE: i64 = 8;
const UNVISITED: i64 = 20;
const UNVISITED_KEY: i64 = 5;
const WIDGETS_MAX: u32 = 5;
const TRANSITION: i64 = 10;

/// Returns the priority of an action: its share in a draw.
pub fn priority(of: &Standing) -> u64 {
    let base = base(of.kind);
    let mut priority = SCALE * base;
    if !of.is_visited {
        priority += if matches!(of.kind, Kind::Back | Kind::Menu) { UNVISITED_KEY } else { UNVISITED };
    }
    if !of.is_saturated {
        priority += i64::from(of.widgets.min(WIDGETS_MAX)) * base;
    }
    priority += TRANSITION * (i64::from(of.to_open_alike) + i64::from(of.weak) - i64::from(of.to_saturated));
    priority.max(1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_add_up_as_in_the_program() {
        let click = Standing { kind: Kind::Click, widgets: 1, ..Standing::default() };
        let done = Standing { is_visited: true, is_saturated: true, ..click };
        for (standing, expected) in [
            // 8 x 4, and 20 as it was never done, and 1 x 4 as it is not saturated.
            (click, 56),
            (Standing { widgets: 3, ..click }, 64),
            (Standing { widgets: 9, ..click }, 72),
            (Standing { is_visited: true, ..click }, 36),
            (done, 32),
            (Standing { kind: Kind::LongClick, ..done }, 16),
            (Standing { kind: Kind::BottomToTop, ..done }, 24),
            (Standing { kind: Kind::TopToBottom, ..done }, 16),
            (Standing { kind: Kind::LeftToRight, ..done }, 24),
            (Standing { kind: Kind::RightToLeft, ..done }, 16),
            (Standing { kind: Kind::Other, ..done }, 8),
            (Standing { kind: Kind::Back, ..click }, 14),
            (Standing { kind: Kind::Menu, ..click }, 14),
            (Standing { kind: Kind::Other, ..click }, 29),
            (Standing { to_saturated: 1, ..done }, 22),
            (Standing { to_open_alike: 1, ..done }, 42),
            (Standing { weak: 2, ..done }, 52),
            (Standing { to_saturated: 9, ..done }, 1),
        ] {
            assert_eq!(priority(&standing), expected, "{standing:?}");
        }
    }
}
