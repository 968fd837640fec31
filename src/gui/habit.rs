//! Habits: the effect of an action in most apps, before anybody has tried it in this one.

use super::action::Action;
use super::action_type::{ActionType, DeviceAction, Touch, Usual};
use super::atom::Key;
use super::element::{is_radio, is_switch};
use super::screen::{Context, Flags, Screen, Widget};

/// Effect of an action in most apps.
#[derive(Clone, Debug, PartialEq)]
pub enum Habit {
    /// Unknown.
    Any,
    /// The screen stays as it is.
    Stays,
    /// The screen stays as it is, apart from what cannot be known before.
    MostlyStays,
    /// The screen before comes back.
    Back,
    /// The screen becomes this one.
    Becomes(Box<Screen>),
}

/// Largest screen on which the change of a single widget is worked out.
const WIDGETS_MAX: usize = 1_000;

/// Returns the effect of `action` on `screen` in most apps; a change that no key of `keys` sees is no change.
pub fn habit(screen: &Screen, action: &Action, keys: &dyn Fn(Key) -> bool) -> Habit {
    match action {
        Action::Text { on, text } if keys(Key::Text) => {
            with(screen, &on.object_id, Habit::MostlyStays, |field| {
                field.text = text.clone();
                field.flags = field.flags.set(Flags::TYPED, true);
            })
        }
        Action::Touch(Touch::Click, on) if is_switch(&on.class) && keys(Key::Checked) => {
            with(screen, &on.object_id, Habit::Any, |switch| {
                // A click on a chosen radio button leaves it chosen.
                let checked = !switch.flags.has(Flags::CHECKED) || is_radio(&switch.class);
                switch.flags = switch.flags.set(Flags::CHECKED, checked);
            })
        }
        // Nothing sees the check mark here, but other parts of the screen may follow it.
        Action::Touch(Touch::Click, on) if is_switch(&on.class) => Habit::MostlyStays,
        // Without a text there is nothing to send.
        Action::Device(DeviceAction::Enter)
            if screen.focused_field().is_none_or(|field| field.text.is_empty()) =>
        {
            Habit::MostlyStays
        }
        Action::Reinitialise(_)
        | Action::Touch(..)
        | Action::Text { .. }
        | Action::Stroke(..)
        | Action::Device(_)
        | Action::User { .. } => {
            // Nothing is known of an action that the user has declared.
            usually(screen, action.builtin_type().map_or(Usual::Any, ActionType::usual), keys)
        }
    }
}

/// Returns the effect `usual` on `screen`; a change that no key of `keys` sees is no change.
fn usually(screen: &Screen, usual: Usual, keys: &dyn Fn(Key) -> bool) -> Habit {
    let context = screen.context();
    let in_context = |key: Key, context: Context| {
        if keys(key) { Habit::Becomes(Box::new(screen.in_context(context))) } else { Habit::Stays }
    };
    match usual {
        Usual::Any => Habit::Any,
        Usual::Stays => Habit::Stays,
        Usual::MostlyStays => Habit::MostlyStays,
        Usual::Back => Habit::Back,
        Usual::Turns => {
            in_context(Key::Orientation, Context { orientation: context.orientation.turned(), ..context })
        }
        Usual::SwitchesNetwork => in_context(Key::Network, Context { network: !context.network, ..context }),
        Usual::GoesDark => in_context(Key::Screen, Context { screen_on: false, ..context }),
    }
}

/// Returns the screen with the widget at `object_id` changed, or `otherwise` if it has no such widget or too many.
fn with(screen: &Screen, object_id: &str, otherwise: Habit, change: impl FnOnce(&mut Widget)) -> Habit {
    // Copying a large screen for each guess would take too long.
    if screen.widgets().len() > WIDGETS_MAX {
        return otherwise;
    }
    let mut place = None;
    screen.for_each_object(|at, _, id| {
        if id == object_id {
            place = Some(at);
        }
    });
    let Some(place) = place else { return otherwise };
    let mut widgets = screen.widgets().to_vec();
    change(&mut widgets[place]);
    let changed = screen.with_widgets(widgets);
    Habit::Becomes(Box::new(changed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Orientation, Target};

    #[test]
    fn a_field_shows_what_is_typed_and_that_it_was_typed() {
        let field = Widget { flags: Flags::EDITABLE, ..Widget::default() };
        let screen = Screen::new("p", "p.A", Context::default(), vec![field.clone()]);
        let typing = Action::Text { on: Target::new(&field, "0", "".into()), text: "abc".into() };
        let Habit::Becomes(typed) = habit(&screen, &typing, &|_| true) else { panic!("it is a field") };
        let field = &typed.widgets()[0];
        assert!(&*field.text == "abc" && field.flags.has(Flags::TYPED), "no evidence is expected of it");
    }

    #[test]
    fn what_a_switch_and_the_display_become_is_known_where_it_matters() {
        let switch = Widget { class: "android.widget.CheckBox".into(), ..Widget::default() };
        let screen = Screen::new("p", "p.A", Context::default(), vec![switch.clone()]);
        let click = Action::click(Target::new(&switch, "0", "".into()));
        let Habit::Becomes(ticked) = habit(&screen, &click, &|_| true) else { panic!("it is a switch") };
        assert!(ticked.widgets()[0].flags.has(Flags::CHECKED));
        assert_eq!(habit(&screen, &click, &|_| false), Habit::MostlyStays);
        let Habit::Becomes(turned) = habit(&screen, &Action::ROTATE, &|_| true) else { panic!("it turns") };
        assert_eq!(turned.context().orientation, Orientation::Landscape);
        assert_eq!(habit(&screen, &Action::ROTATE, &|key| key == Key::Screen), Habit::Stays);
        assert_eq!(habit(&screen, &Action::BACK, &|_| true), Habit::Back);
    }
}
