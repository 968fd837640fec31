//! Android's Monkey: events by chance at points of the display, most of which come to nothing.
//!
//! The mix is that of `adb shell monkey` without options. What no action of farlead stands for (the trackball, moves of
//! the focus, pinches, volume, letters, the flip of a keyboard) does nothing and costs a step, as it costs the Monkey an
//! event.

use super::Agent;
use crate::gui::{Action, Bounds, DeviceAction, Direction, Flags, Orientation, Screen, Stroke, Touch};
use crate::rng::Rng;
use crate::situation::{Choice, Outlook, Scene, Situation};

/// Event of the Monkey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Touch,
    /// A finger that moves.
    Motion,
    Trackball,
    /// A move of the focus.
    Nav,
    /// Menu, or a press on what has the focus.
    MajorNav,
    SysKey,
    /// A start of the app, which is there already.
    AppSwitch,
    /// Any key.
    Any,
    /// The flip of a keyboard.
    Flip,
    /// Two fingers.
    Pinch,
}

/// Shares of the events, in percent: the defaults of Android's `MonkeySourceRandom`, as it scales them to 100.
const MIX: [(Event, usize); 10] = [
    (Event::Touch, 15),
    (Event::Motion, 10),
    (Event::Trackball, 15),
    (Event::Nav, 25),
    (Event::MajorNav, 15),
    (Event::SysKey, 2),
    (Event::AppSwitch, 2),
    (Event::Any, 13),
    (Event::Flip, 1),
    (Event::Pinch, 2),
];

/// Keys of the events for the system: home, back, call, end of call, volume up, down, mute, and mute.
const SYS_KEYS: usize = 8;

/// Number of key codes of Android, from 1 on.
const KEY_CODES: usize = 288;

/// Key codes that farlead has an action for.
const KEY_HOME: usize = 3;
const KEY_BACK: usize = 4;
const KEY_CENTRE: usize = 23;
const KEY_MENU: usize = 82;

/// Width and height of a display held upright, as long as no screen has shown more.
const DISPLAY: (i32, i32) = (1080, 1920);

/// Draws an event, and does what it comes to.
#[derive(Clone, Debug)]
pub struct Monkey {
    throttle_ms: u32,
    /// Right and bottom edge of the display, held upright and on its side.
    displays: [(i32, i32); 2],
}

impl Agent for Monkey {
    fn throttle_ms(&self) -> u32 {
        self.throttle_ms
    }

    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, rng: &mut Rng) -> Choice {
        let Situation { scene, candidates, preferred, .. } = *situation;
        let Some(screen) = &scene.screen else {
            // The Monkey starts the app by any of its launchers.
            return Choice::Offer(preferred[rng.below(preferred.len())]);
        };
        let display = self.display(screen);
        let at = match event(rng) {
            Event::Touch => touch(scene, point(display, rng)),
            Event::Motion => motion(scene, point(display, rng), point(display, rng)),
            Event::MajorNav if rng.coin() => key(scene, KEY_MENU),
            Event::MajorNav => key(scene, KEY_CENTRE),
            Event::SysKey => match rng.below(SYS_KEYS) {
                0 => key(scene, KEY_HOME),
                1 => key(scene, KEY_BACK),
                _ => None,
            },
            Event::Any => key(scene, 1 + rng.below(KEY_CODES)),
            Event::Trackball | Event::Nav | Event::AppSwitch | Event::Flip | Event::Pinch => None,
        };
        match at.filter(|at| candidates.len() == scene.offers.len() || candidates.contains(at)) {
            Some(at) => Choice::Offer(at),
            None => Choice::Nothing { is_free: false },
        }
    }
}

impl Monkey {
    /// Returns a Monkey that waits `throttle_ms` after each event, as Android's does with `--throttle`.
    pub fn new(throttle_ms: u32) -> Monkey {
        Monkey { throttle_ms, displays: [DISPLAY, (DISPLAY.1, DISPLAY.0)] }
    }

    /// Returns the size of the display: the farthest edges that were seen.
    fn display(&mut self, screen: &Screen) -> (i32, i32) {
        let (width, height) = &mut self.displays[match screen.context().orientation {
            Orientation::Portrait => 0,
            Orientation::Landscape => 1,
        }];
        // A list may hold more than is in view, the root of a screen does not.
        if let Some(Bounds { right, bottom, .. }) = screen.widgets().first().map(|root| root.bounds) {
            (*width, *height) = ((*width).max(right), (*height).max(bottom));
        }
        (*width, *height)
    }
}

fn event(rng: &mut Rng) -> Event {
    let mut left = rng.below(MIX.iter().map(|(_, share)| share).sum());
    for (event, share) in MIX {
        if left < share {
            return event;
        }
        left -= share;
    }
    Event::Pinch
}

fn point((width, height): (i32, i32), rng: &mut Rng) -> (i32, i32) {
    (rng.below(width as usize) as i32, rng.below(height as usize) as i32)
}

/// Returns the place of the last action that `is_it`: the topmost of widgets that lie above each other.
fn last(scene: &Scene, is_it: impl Fn(&Action) -> bool) -> Option<u16> {
    scene.actions.iter().rposition(is_it).map(|at| at as u16)
}

fn contains(action: &Action, (x, y): (i32, i32)) -> bool {
    action.target().is_some_and(|on| on.bounds.contains(x, y))
}

/// Returns the click of the topmost widget below a point that takes one.
fn touch(scene: &Scene, at: (i32, i32)) -> Option<u16> {
    last(scene, |action| matches!(action, Action::Touch(Touch::Click, _)) && contains(action, at))
}

/// Returns the stroke over the topmost widget below the start that takes one in this direction.
fn motion(scene: &Scene, from: (i32, i32), to: (i32, i32)) -> Option<u16> {
    let finger = Direction::between(from, to);
    // To scroll towards a side, the finger moves to the opposite one.
    let shown = finger.opposite();
    last(scene, |action| match action {
        Action::Stroke(Stroke::Scroll, _, towards) => *towards == shown && contains(action, from),
        Action::Stroke(Stroke::Swipe, _, towards) => *towards == finger && contains(action, from),
        _ => false,
    })
}

/// Returns the action that a key comes to.
fn key(scene: &Scene, code: usize) -> Option<u16> {
    let device = |wanted| last(scene, |action| *action == Action::Device(wanted));
    match code {
        // The Monkey keeps others from coming to the front, so the app comes back.
        KEY_HOME => device(DeviceAction::PauseResume),
        KEY_BACK => device(DeviceAction::Back),
        KEY_MENU => device(DeviceAction::Menu),
        KEY_CENTRE => {
            let widgets = scene.widgets();
            let focused = widgets.iter().find(|widget| widget.flags.has(Flags::FOCUSED))?;
            last(scene, |action| match action {
                Action::Touch(Touch::Click, on) => on.bounds == focused.bounds && on.id == focused.id,
                _ => false,
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    #[test]
    fn the_mix_is_that_of_android() {
        assert_eq!(MIX.iter().map(|(_, share)| share).sum::<usize>(), 100);
        let (mut rng, mut seen) = (Seed(3).fork("test"), [0_i32; 10]);
        for _ in 0..100_000 {
            let drawn = event(&mut rng);
            seen[MIX.iter().position(|(event, _)| *event == drawn).expect("one of the mix")] += 1;
        }
        for ((event, share), times) in MIX.iter().zip(seen) {
            // Six standard deviations of the most common event.
            assert!((times - *share as i32 * 1_000).abs() < 830, "{event:?}: {times}");
        }
    }
}
