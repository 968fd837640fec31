//! Action types: one table of their names and usual effects, by the shape of what an action carries.
//!
//! Reading, writing and comparing actions goes by shapes alone. So a new type that carries what others carry is a row
//! here, its gestures in `device::sim` and `device::adb`, and its commands in `export`. An action on the device is then
//! offered on every screen; for one on a widget, [`offers`](super::offers) says which widgets offer it.

/// Type of the action at step 0, and of no other.
pub const START_TYPE: &str = "reinitialise";

/// Type of the action that replaces the text of a field.
pub(super) const TEXT_TYPE: &str = "text";

/// An action type that farlead knows by itself: its shape, and which one of that shape it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionType {
    /// A start, with an activity.
    Start,
    /// On a widget.
    Touch(Touch),
    /// On a widget, with a text.
    Text,
    /// On a widget, with a direction.
    Stroke(Stroke),
    /// On no widget.
    Device(DeviceAction),
}

/// Usual effect of an action, before anybody has tried it in an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usual {
    /// Nothing is known.
    Any,
    /// The screen stays as it is.
    Stays,
    /// The screen stays as it is, apart from what cannot be known before.
    MostlyStays,
    /// The screen before comes back.
    Back,
    /// The display turns.
    Turns,
    /// The network is switched.
    SwitchesNetwork,
    /// The display goes dark.
    GoesDark,
}

/// Declares the action types of one shape, a row each: the member, its name and its usual effect.
macro_rules! action_types {
    ($(#[$about:meta])* $shape:ident { $($(#[$row_about:meta])* $member:ident $name:literal $usual:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $shape {
            $($(#[$row_about])* $member,)*
        }

        impl $shape {
            /// All of this shape, in the order in which they are offered and printed.
            pub const ALL: &[$shape] = &[$($shape::$member,)*];

            /// Returns its name, as `actionType` compares it.
            pub fn name(self) -> &'static str {
                match self {
                    $($shape::$member => $name,)*
                }
            }

            pub(super) fn usual(self) -> Usual {
                match self {
                    $($shape::$member => Usual::$usual,)*
                }
            }
        }
    };
}

action_types! {
    /// A touch in the middle of a widget.
    Touch {
        /// A short touch.
        Click "click" Any,
        /// A touch that is held.
        LongClick "longclick" MostlyStays,
        /// Two short touches in a row.
        DoubleClick "doubleclick" MostlyStays,
        /// The mouse is moved there and presses nothing.
        Hover "hover" MostlyStays,
    }
}

action_types! {
    /// A touch that moves across a widget.
    Stroke {
        /// Shows what lies in the direction.
        Scroll "scroll" MostlyStays,
        /// The finger goes in the direction.
        Swipe "swipe" MostlyStays,
    }
}

action_types! {
    /// An action on the device, whatever its screen shows.
    DeviceAction {
        /// The key back.
        Back "back" Back,
        /// The key menu.
        Menu "menu" Stays,
        /// Turns the device, and back the next time.
        Rotate "rotate" Turns,
        /// Connects the device to the network, or takes it off.
        Network "network" SwitchesNetwork,
        /// Goes home, and back to the app.
        PauseResume "pauseresume" Stays,
        /// Waits for longer than the display stays lit.
        Idle "idle" GoesDark,
        /// The screen that the last back has left, as browsers have it.
        Forward "forward" MostlyStays,
        /// Loads the page anew.
        Reload "reload" MostlyStays,
        /// Makes the window as narrow as a phone, and as wide as before the next time.
        Resize "resize" MostlyStays,
        /// The key enter, in the field that has the focus.
        Enter "enter" Any,
        /// The key escape, in the field that has the focus.
        Escape "escape" MostlyStays,
    }
}

impl ActionType {
    /// All types, in the order in which messages list them.
    pub fn all() -> impl Iterator<Item = ActionType> + Clone {
        let touches = Touch::ALL.iter().map(|&touch| ActionType::Touch(touch));
        let strokes = Stroke::ALL.iter().map(|&stroke| ActionType::Stroke(stroke));
        let on_device = DeviceAction::ALL.iter().map(|&action| ActionType::Device(action));
        std::iter::once(ActionType::Start)
            .chain(touches)
            .chain([ActionType::Text])
            .chain(strokes)
            .chain(on_device)
    }

    /// Returns its name, as `actionType` compares it.
    pub fn name(self) -> &'static str {
        match self {
            ActionType::Start => START_TYPE,
            ActionType::Touch(touch) => touch.name(),
            ActionType::Text => TEXT_TYPE,
            ActionType::Stroke(stroke) => stroke.name(),
            ActionType::Device(action) => action.name(),
        }
    }

    /// Returns the type called `name`; any other name is for the user's own actions.
    pub fn parse(name: &str) -> Option<ActionType> {
        // Only reading asks, and twelve names are searched as fast as a table.
        ActionType::all().find(|known| known.name() == name)
    }

    /// Returns what most apps do.
    pub(super) fn usual(self) -> Usual {
        match self {
            ActionType::Start => Usual::Any,
            ActionType::Touch(touch) => touch.usual(),
            ActionType::Text => Usual::MostlyStays,
            ActionType::Stroke(stroke) => stroke.usual(),
            ActionType::Device(action) => action.usual(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_read_by_a_name_of_its_own() {
        for known in ActionType::all() {
            assert_eq!(ActionType::parse(known.name()), Some(known));
        }
        assert_eq!(ActionType::parse("chessmove"), None);
    }
}
