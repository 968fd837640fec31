//! What is seen: the window in front as a screen, or one of the system's own.

use std::sync::Arc;

use super::evaluate::Fault;
use super::layout::{Ground, Purpose, Scene, Stretch, scene};
use super::model::{Model, WindowKind};
use super::state::{Instance, State, Trouble, activity_names};
use crate::gui::{Bounds, Context, Flags, Orientation, Screen, Widget};

/// A screen, and whether it may be another one later without the state being another one.
#[derive(Debug)]
pub(super) struct Rendered {
    pub screen: Screen,
    pub has_read_clock: bool,
    /// What touches meet, if that stays as it is and the window is the app's.
    pub ground: Option<Ground>,
}

/// What is in front.
#[derive(Clone, Copy, Debug)]
pub(super) enum Front<'s> {
    /// A window of the app.
    Window {
        /// The window itself.
        instance: &'s Instance,
        /// The number of the activity that it is, or is over.
        activity: u32,
    },
    /// The launcher, or a dialog of the system.
    System,
}

/// What a touch of a widget of the system does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Press {
    /// Brings the app to the front, or starts it.
    Start,
    /// Ends the app, if it is still there.
    End,
    /// Leaves the app time.
    Wait,
}

/// Says what is in front.
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

/// Lays out the app's window in front; nothing if the system's is.
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

/// Returns what is seen of `state`.
pub(super) fn render(model: &Model, state: &State, now_ms: u64) -> Result<Rendered, Fault> {
    let context = Context {
        screen_on: state.is_lit,
        orientation: state.shown_orientation(),
        network: state.has_network,
        crashed: state.system.is_some_and(|system| system.trouble == Trouble::Crash),
        anr: state.system.is_some_and(|system| system.trouble == Trouble::Anr),
    };
    let Some(scene) = front_scene(model, state, now_ms, Purpose::Seen)? else {
        let widgets = system_widgets(model, state).into_iter().map(|(widget, _)| widget).collect();
        let (package, activity): (Arc<str>, Arc<str>) = match state.system {
            Some(system) => ("android".into(), activity_names(model, system.window).1),
            None => ("com.android.launcher".into(), "com.android.launcher2.Launcher".into()),
        };
        return Ok(Rendered {
            screen: Screen::new(package, activity, context, widgets),
            has_read_clock: false,
            ground: None,
        });
    };
    let window = state.top().map_or(0, |top| state.stack[top].instance.window);
    let (package, activity) = activity_names(model, window);
    Ok(Rendered {
        screen: Screen::new(package, activity, context, scene.widgets),
        has_read_clock: scene.has_read_clock || scene.texts_have_read_clock,
        ground: (!scene.has_read_clock).then_some(scene.ground),
    })
}

/// Whether a touch outside of a dialog or popup leaves it open.
pub(super) fn is_modal(kind: &WindowKind) -> bool {
    match kind {
        WindowKind::Activity { .. } => true,
        WindowKind::Dialog { is_modal } | WindowKind::Popup { is_modal } => *is_modal,
    }
}

/// The launcher with the app's icon, or the dialog that says that the app crashed or hangs.
pub(super) fn system_widgets(model: &Model, state: &State) -> Vec<(Widget, Option<Press>)> {
    let orientation: Orientation = state.shown_orientation();
    let display = Stretch::new(model, orientation).display();
    let (width, height) = (display.right, display.bottom);
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
    let Some(system) = state.system else {
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
