//! Rendering: makes a screen of the window in front, or of one of the system's own.

use std::sync::Arc;

use super::evaluate::Fault;
use super::layout::{Purpose, Scene, Stretch, TouchMap, scene};
use super::model::{Model, WindowId, WindowKind};
use super::state::{Instance, State, Trouble, activity_names};
use crate::gui::{Bounds, Context, Flags, Orientation, Screen, Widget};

/// A screen; if the clock was read, it may differ later although the state is the same.
#[derive(Debug)]
pub(super) struct Rendered {
    pub screen: Screen,
    pub has_read_clock: bool,
    /// The touch map, if the window is the app's and the map does not depend on the clock.
    pub touch_map: Option<TouchMap>,
}

/// Package and activity of the launcher.
pub(crate) const LAUNCHER: (&str, &str) = ("com.android.launcher", "com.android.launcher2.Launcher");

/// Package of the system's own dialogs.
const SYSTEM: &str = "android";

/// Returns all places that an app of this model may show, as package and activity.
pub fn shown_places(model: &Model) -> Vec<(String, String)> {
    let windows = 0..model.windows.len() as WindowId;
    let mut places = vec![(LAUNCHER.0.to_string(), LAUNCHER.1.to_string())];
    for window in windows {
        if let WindowKind::Activity { .. } = &model.windows[window as usize].kind {
            let (package, activity) = activity_names(model, window);
            // A dialog of the system lies over an activity and bears its name.
            places.push((SYSTEM.to_string(), activity.to_string()));
            places.push((package.to_string(), activity.to_string()));
        }
    }
    places
}

/// The window in front.
#[derive(Clone, Copy, Debug)]
pub(super) enum Front<'s> {
    /// A window of the app.
    Window {
        /// The window itself.
        instance: &'s Instance,
        /// The number of the activity that it is or lies over.
        activity: u32,
    },
    /// The launcher, or a system dialog.
    System,
}

/// The effect of touching a widget of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Press {
    /// Brings the app to the front, or starts it.
    Start,
    /// Ends the app, if it still runs.
    End,
    /// Gives the app more time.
    Wait,
}

/// Returns the window in front.
pub(super) fn front(state: &State) -> Front<'_> {
    match state.top().filter(|_| state.is_in_front && state.system.is_none()) {
        None => Front::System,
        Some(top) => {
            let activity = &state.stack[top];
            let instance = activity.over.last().unwrap_or(&activity.instance);
            Front::Window { instance, activity: activity.instance.number }
        }
    }
}

/// Lays out the app's window in front; returns `None` if the system's is in front.
pub(super) fn front_scene(
    model: &Model,
    state: &State,
    now_ms: u64,
    purpose: Purpose,
) -> Result<Option<Scene>, Fault> {
    match front(state) {
        Front::System => Ok(None),
        Front::Window { instance, .. } => scene(model, state, instance, now_ms, purpose).map(Some),
    }
}

/// Renders `state`.
pub(super) fn render(model: &Model, state: &State, now_ms: u64) -> Result<Rendered, Fault> {
    let context = Context {
        screen_on: state.is_lit,
        orientation: state.shown_orientation(),
        network: state.has_network,
        crashed: state.system.as_ref().is_some_and(|system| system.trouble == Trouble::Crash),
        anr: state.system.as_ref().is_some_and(|system| system.trouble == Trouble::Anr),
        keyboard: state.has_keyboard,
    };
    let crash = state.system.as_ref().and_then(|system| system.crash.clone());
    let Some(scene) = front_scene(model, state, now_ms, Purpose::Seen)? else {
        let widgets = system_widgets(model, state).into_iter().map(|(widget, _)| widget).collect();
        let (package, activity): (Arc<str>, Arc<str>) = match &state.system {
            Some(system) => (SYSTEM.into(), activity_names(model, system.window).1),
            None => (LAUNCHER.0.into(), LAUNCHER.1.into()),
        };
        return Ok(Rendered {
            screen: Screen::new(package, activity, context, widgets).with_crash(crash),
            has_read_clock: false,
            touch_map: None,
        });
    };
    let window = state.top().map_or(0, |top| state.stack[top].instance.window);
    let (package, activity) = activity_names(model, window);
    Ok(Rendered {
        screen: Screen::new(package, activity, context, scene.widgets),
        has_read_clock: scene.has_read_clock || scene.texts_have_read_clock,
        // A touch map that depends on the clock is not to be remembered.
        touch_map: (!scene.has_read_clock).then_some(scene.touch_map),
    })
}

/// Returns true if a dialog or popup stays open when touched outside.
pub(super) fn is_modal(kind: &WindowKind) -> bool {
    match kind {
        WindowKind::Activity { .. } => true,
        WindowKind::Dialog { is_modal } | WindowKind::Popup { is_modal } => *is_modal,
    }
}

/// Returns the widgets of the launcher with the app's icon, or of the dialog about a crash or a hang.
pub(super) fn system_widgets(model: &Model, state: &State) -> Vec<(Widget, Option<Press>)> {
    let orientation: Orientation = state.shown_orientation();
    let display = Stretch::new(model, orientation).display();
    let (width, height) = (display.right, display.bottom);
    // In twentieths of the display.
    let part = |left: i32, top: i32, right: i32, bottom: i32| {
        Bounds::new(width / 20 * left, height / 20 * top, width / 20 * right, height / 20 * bottom)
    };
    let still = Flags::default().set(Flags::ENABLED, true);
    let widget = |depth: u16, class: &str, id: &str, text: &str, bounds: Bounds| Widget {
        depth,
        class: class.into(),
        id: id.into(),
        text: text.into(),
        desc: "".into(),
        bounds,
        flags: still,
    };
    let button = |mut widget: Widget, press: Press| {
        widget.flags = still.set(Flags::CLICKABLE, true);
        (widget, Some(press))
    };
    let Some(system) = &state.system else {
        let icon = widget(1, "android.widget.TextView", "", &model.label, part(8, 9, 12, 12));
        return vec![
            (widget(0, "android.widget.FrameLayout", "", "", display), None),
            button(icon, Press::Start),
        ];
    };
    let message = match system.trouble {
        Trouble::Crash => format!("Unfortunately, {} has stopped.", model.label),
        Trouble::Anr => format!("{} isn't responding.\n\nDo you want to close it?", model.label),
    };
    let class = "android.widget.Button";
    let mut widgets = vec![
        (widget(0, "android.widget.FrameLayout", "", "", part(2, 7, 18, 13)), None),
        (widget(1, "android.widget.TextView", "android:id/message", &message, part(2, 7, 18, 11)), None),
    ];
    match system.trouble {
        Trouble::Crash => {
            let ok = widget(1, class, "android:id/button1", "OK", part(2, 11, 18, 13));
            widgets.push(button(ok, Press::End));
        }
        Trouble::Anr => {
            let wait = widget(1, class, "android:id/button2", "Wait", part(2, 11, 10, 13));
            let ok = widget(1, class, "android:id/button1", "OK", part(10, 11, 18, 13));
            widgets.extend([button(wait, Press::Wait), button(ok, Press::End)]);
        }
    }
    widgets
}
