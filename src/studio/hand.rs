//! Steps that a hand makes on the device itself: from a place on the display to what the screen before offers there.

use std::fmt;
use std::sync::Arc;

use super::{Refusal, Studio, photograph, short_enough};
use crate::device::{Hand, HandGesture, HandKey, Place};
use crate::gui::{
    Action, DeviceAction, Direction, Flags, Picture, Screen, Stroke, Target, Touch, Widget, short_activity,
};
use crate::trace::Observation;

/// Fate of a gesture of the hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// A step of the run.
    Step,
    /// Part of another step, as a touch that puts the caret into a field.
    Part,
    /// No step, for this reason.
    Not(NoStep),
}

/// Reason why a gesture of the hand is no step. Printed as a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoStep {
    /// The run has not begun.
    Early,
    /// Nothing there takes this type of action.
    Nothing {
        /// Type of action, in words.
        what: &'static str,
        /// Place that was touched.
        at: Place,
    },
    /// The screen does not offer a key, or a rule forbids it.
    NoKey(&'static str),
    /// It leaves the app.
    Leaves,
    /// It has several fingers.
    Several,
    /// It is on the bar of the system.
    Bar,
    /// A key of the keyboard led elsewhere.
    KeyLed(String),
    /// A field hides what is typed.
    Hidden,
}

impl fmt::Display for NoStep {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoStep::Early => out.write_str("The touch is no step: start the app first."),
            NoStep::Nothing { what, at: (x, y) } => {
                write!(out, "The {what} at {x}, {y} is no step: no widget there offers it.")
            }
            NoStep::NoKey(key) => write!(out, "The key {key} is no step: the screen does not offer it."),
            NoStep::Leaves => out.write_str(
                "Going home is no step. Come back to the app, or use pauseresume on the page, which does both.",
            ),
            NoStep::Several => out.write_str("A touch of several fingers is no step: farlead has no such action."),
            NoStep::Bar => out.write_str(
                "A touch of the system's bar is no step: its keys are not told apart. Use back on the page.",
            ),
            NoStep::KeyLed(activity) => write!(
                out,
                "A key of the keyboard led to {activity}, which is no step: farlead does not press such keys on a phone."
            ),
            NoStep::Hidden => out.write_str(
                "The text of this field is hidden, so typing it by hand is no step. Type it on the page.",
            ),
        }
    }
}

impl Studio {
    /// Returns the hand of a person on the device; `None` if nobody could follow one there, or the device is away.
    pub fn hand(&self) -> Option<Box<dyn Hand>> {
        self.device.as_ref()?.hand()
    }

    /// Returns true if the last screen shows the soft keyboard.
    pub fn shows_keyboard(&self) -> bool {
        self.run.steps.last().is_some_and(|last| last.observation.screen.context().keyboard)
    }

    /// Adds what a hand has done on the device to the run, and looks at the screen that it has led to.
    ///
    /// The gesture is sought on the last screen of the run: the smallest widget at its place that offers such an action. One
    /// that is no step leaves the run as it is, apart from its last screen, which is looked at again.
    pub fn follow(&mut self, gesture: HandGesture) -> Result<Followed, Refusal> {
        let Some(last) = self.run.steps.last() else { return Ok(Followed::Not(NoStep::Early)) };
        let before = last.observation.screen.clone();
        // The look comes first, as a gesture that is no step may change the screen as well.
        let device = self.device.as_mut().ok_or(Refusal::Busy)?;
        let seen = device.look()?;
        let photograph = photograph(&mut **device);
        if matches!(gesture, HandGesture::Typing(_))
            && (before.context().keyboard || self.typed_field(&seen.screen).is_some())
        {
            return self.type_by_hand(&before, seen, photograph);
        }
        self.is_typing = false;
        match self.action_of(gesture) {
            Ok(action) if is_part(&action, &before, &seen.screen) => {
                self.see_again(seen, photograph);
                Ok(Followed::Part)
            }
            Ok(action) => {
                self.check_room()?;
                self.add(action, seen, photograph);
                Ok(Followed::Step)
            }
            Err(why) => {
                self.see_again(seen, photograph);
                Ok(Followed::Not(why))
            }
        }
    }

    /// Returns the action that the last screen offers for a gesture.
    fn action_of(&self, gesture: HandGesture) -> Result<Action, NoStep> {
        let click = |action: &Action| matches!(action, Action::Touch(Touch::Click, _));
        let fills = |action: &Action| matches!(action, Action::Text { .. });
        let long = |action: &Action| matches!(action, Action::Touch(Touch::LongClick, _));
        match gesture {
            // A touch where no keyboard was has brought it up.
            HandGesture::Tap(at) | HandGesture::Typing(at) => self
                .offer_at(at, &|action| click(action) || fills(action))
                .ok_or(NoStep::Nothing { what: "tap", at }),
            // Android clicks if nobody takes the long touch.
            HandGesture::Hold(at) => self
                .offer_at(at, &long)
                .or_else(|| self.offer_at(at, &click))
                .ok_or(NoStep::Nothing { what: "long touch", at }),
            HandGesture::Swipe { from, to } => {
                let way = Direction::between(from, to);
                let is_it = |action: &Action| match action {
                    // Showing what lies below moves the finger up.
                    Action::Stroke(Stroke::Scroll, _, towards) => *towards == way.opposite(),
                    Action::Stroke(Stroke::Swipe, _, towards) => *towards == way,
                    Action::Reinitialise(_)
                    | Action::Touch(..)
                    | Action::Text { .. }
                    | Action::Device(_)
                    | Action::User { .. } => false,
                };
                self.offer_at(from, &is_it).ok_or(NoStep::Nothing { what: "swipe", at: from })
            }
            HandGesture::Key(HandKey::Back) => self.key(DeviceAction::Back),
            HandGesture::Key(HandKey::Menu) => self.key(DeviceAction::Menu),
            HandGesture::Key(HandKey::Home) => Err(NoStep::Leaves),
            HandGesture::Bar => Err(NoStep::Bar),
            HandGesture::Several => Err(NoStep::Several),
        }
    }

    fn key(&self, key: DeviceAction) -> Result<Action, NoStep> {
        let action = Action::Device(key);
        if self.offers.contains(&action) { Ok(action) } else { Err(NoStep::NoKey(key.name())) }
    }

    /// Returns the offer of the smallest widget at a place; of two of one size, that of the one which is drawn later.
    fn offer_at(&self, (x, y): Place, is_it: &dyn Fn(&Action) -> bool) -> Option<Action> {
        let size = |on: &Target| u64::from(on.bounds.width()) * u64::from(on.bounds.height());
        let there = self.offers.iter().filter(|offer| is_it(offer)).filter_map(|offer| {
            let on = offer.target().filter(|on| on.bounds.contains(x, y))?;
            Some((size(on), offer))
        });
        there.reduce(|best, one| if one.0 <= best.0 { one } else { best }).map(|(_, offer)| offer.clone())
    }

    /// Takes a touch of the soft keyboard: the text that a field has now is that of one step, however many keys it took.
    fn type_by_hand(
        &mut self,
        before: &Screen,
        seen: Observation,
        photograph: Option<Arc<Picture>>,
    ) -> Result<Followed, Refusal> {
        let Some((on, text)) = self.typed_field(&seen.screen) else {
            let led = NoStep::KeyLed(short_activity(seen.screen.activity()).to_string());
            let is_elsewhere = !is_same_window(before, &seen.screen);
            self.is_typing &= !is_elsewhere;
            self.see_again(seen, photograph);
            return Ok(if is_elsewhere { Followed::Not(led) } else { Followed::Part });
        };
        let Some(text) = text else {
            self.see_again(seen, photograph);
            return Ok(Followed::Not(NoStep::Hidden));
        };
        let text: Arc<str> = short_enough(&text)?.into();
        let grows = self.is_typing
            && self.run.steps.last().is_some_and(|last| {
                matches!(&last.action, Action::Text { on: field, .. } if field.object_id == on.object_id)
            });
        // The field is that of the screen before the first key.
        let on = if grows {
            let first = self.run.steps.pop();
            first.and_then(|first| first.action.target().cloned()).unwrap_or(on)
        } else {
            self.check_room()?;
            on
        };
        self.add(Action::Text { on, text }, seen, photograph);
        self.is_typing = true;
        Ok(Followed::Step)
    }

    /// Returns the field of the last screen that shows another text on `after`, the one with the focus first, and its text;
    /// the text is missing if the field hides it.
    fn typed_field(&self, after: &Screen) -> Option<(Target, Option<String>)> {
        let fields = self.offers.iter().filter_map(|offer| match offer {
            Action::Text { on, .. } => Some(on),
            Action::Reinitialise(_)
            | Action::Touch(..)
            | Action::Stroke(..)
            | Action::Device(_)
            | Action::User { .. } => None,
        });
        let mut typed: Vec<(bool, Target, Option<String>)> = Vec::new();
        for on in fields {
            let Some(now) = widget_at(after, on).filter(|now| now.text != on.text) else { continue };
            let text = (!now.flags.has(Flags::PASSWORD)).then(|| now.text.to_string());
            typed.push((now.flags.has(Flags::FOCUSED), on.clone(), text));
        }
        typed.sort_by_key(|(is_focused, ..)| !is_focused);
        typed.into_iter().next().map(|(_, on, text)| (on, text))
    }
}

/// Returns the field of `screen` that is where `on` was.
fn widget_at(screen: &Screen, on: &Target) -> Option<Widget> {
    let mut found = None;
    screen.for_each_object(|_, widget, object_id| {
        if *object_id == *on.object_id && *widget.class == *on.class && *widget.id == *on.id {
            found = Some(widget.clone());
        }
    });
    found
}

/// Returns true if an action by hand only prepares another one: a touch puts the caret into a field, and back puts the keyboard
/// away. farlead does both by itself.
fn is_part(action: &Action, before: &Screen, after: &Screen) -> bool {
    match action {
        Action::Text { .. } => true,
        Action::Touch(_, on) => {
            is_same_window(before, after)
                && widget_at(after, on).is_some_and(|field| field.flags.has(Flags::EDITABLE))
        }
        Action::Device(DeviceAction::Back) => {
            before.context().keyboard && !after.context().keyboard && is_same_window(before, after)
        }
        Action::Reinitialise(_) | Action::Stroke(..) | Action::Device(_) | Action::User { .. } => false,
    }
}

fn is_same_window(before: &Screen, after: &Screen) -> bool {
    before.package() == after.package() && before.activity() == after.activity()
}
