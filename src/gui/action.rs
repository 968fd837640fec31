//! What is done: actions as values, and what a screen offers of them.

use std::fmt;
use std::sync::Arc;

use super::atom::START_TYPE;
use super::label::WidgetTest;
use super::screen::{Bounds, Flags, Screen, Widget};
use super::user_action::UserAction;
use super::value::quote;

/// A way on the display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

impl Direction {
    /// All directions.
    pub const ALL: [Direction; 4] = [Direction::Up, Direction::Down, Direction::Left, Direction::Right];

    /// The direction as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Up => "up",
            Direction::Down => "down",
            Direction::Left => "left",
            Direction::Right => "right",
        }
    }
}

/// The widget an action is done on, as it was when the action was offered.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// Its place in the tree, see [`Screen::object_id`].
    pub object_id: Arc<str>,
    /// Its class in full.
    pub class: Arc<str>,
    /// Its resource id in full; may be empty.
    pub id: Arc<str>,
    /// Its text; may be empty.
    pub text: Arc<str>,
    /// Its content description; may be empty.
    pub desc: Arc<str>,
    /// Where it was seen.
    pub bounds: Bounds,
}

impl Target {
    fn new(widget: &Widget, object_id: &str) -> Target {
        Target {
            object_id: object_id.into(),
            class: widget.class.clone(),
            id: widget.id.clone(),
            text: widget.text.clone(),
            desc: widget.desc.clone(),
            bounds: widget.bounds,
        }
    }

    /// The entry name of its id: `save` of `org.notes:id/save`.
    pub fn id_entry(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or(&self.id)
    }

    /// Its text, its description and the entry name of its id.
    pub fn names(&self) -> [&str; 3] {
        [&self.text, &self.desc, self.id_entry()]
    }
}

/// Something that is done to an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Starts the app afresh, as after an installation, with this launchable activity in full.
    Reinitialise(Arc<str>),
    /// A short touch in the middle.
    Click(Target),
    /// A touch in the middle that is held.
    LongClick(Target),
    /// Puts `text` in place of what is in a field.
    Text {
        /// The field.
        on: Target,
        /// What it holds then.
        text: Arc<str>,
    },
    /// Shows what lies in this direction.
    Scroll {
        /// What is scrolled.
        on: Target,
        /// Where more is to be seen.
        towards: Direction,
    },
    /// A touch that moves across in this direction.
    Swipe {
        /// What is swiped.
        on: Target,
        /// Where the finger goes.
        towards: Direction,
    },
    /// The key back.
    Back,
    /// The key menu.
    Menu,
    /// Turns the device, and back the next time.
    Rotate,
    /// Connects the device to the network, or takes it off.
    Network,
    /// Home, and back to the app.
    PauseResume,
    /// Nothing, for longer than the display stays lit.
    Idle,
    /// An action of the user's own.
    User {
        /// What it is.
        action: Arc<UserAction>,
        /// Where it is done.
        on: Target,
    },
}

impl Action {
    /// Its type, as `actionType` compares it.
    pub fn type_name(&self) -> &str {
        match self {
            Action::Reinitialise(_) => START_TYPE,
            Action::Click(_) => "click",
            Action::LongClick(_) => "longclick",
            Action::Text { .. } => "text",
            Action::Scroll { .. } => "scroll",
            Action::Swipe { .. } => "swipe",
            Action::Back => "back",
            Action::Menu => "menu",
            Action::Rotate => "rotate",
            Action::Network => "network",
            Action::PauseResume => "pauseresume",
            Action::Idle => "idle",
            Action::User { action, .. } => &action.name,
        }
    }

    /// The widget it is done on.
    pub fn target(&self) -> Option<&Target> {
        match self {
            Action::Click(on)
            | Action::LongClick(on)
            | Action::Text { on, .. }
            | Action::Scroll { on, .. }
            | Action::Swipe { on, .. }
            | Action::User { on, .. } => Some(on),
            Action::Reinitialise(_)
            | Action::Back
            | Action::Menu
            | Action::Rotate
            | Action::Network
            | Action::PauseResume
            | Action::Idle => None,
        }
    }

    /// What is typed.
    pub fn typed(&self) -> Option<&str> {
        match self {
            Action::Text { text, .. } => Some(text),
            Action::Reinitialise(_)
            | Action::Click(_)
            | Action::LongClick(_)
            | Action::Scroll { .. }
            | Action::Swipe { .. }
            | Action::Back
            | Action::Menu
            | Action::Rotate
            | Action::Network
            | Action::PauseResume
            | Action::Idle
            | Action::User { .. } => None,
        }
    }

    /// What `actionDetail` compares: an atom holds if it does of any of these.
    pub fn details(&self) -> Vec<&str> {
        match self {
            Action::Reinitialise(activity) => vec![activity],
            Action::Text { text, .. } => vec![text],
            Action::Scroll { towards, .. } | Action::Swipe { towards, .. } => vec![towards.name()],
            Action::Click(on) | Action::LongClick(on) | Action::User { on, .. } => {
                on.names().into_iter().filter(|name| !name.is_empty()).collect()
            }
            Action::Back
            | Action::Menu
            | Action::Rotate
            | Action::Network
            | Action::PauseResume
            | Action::Idle => Vec::new(),
        }
    }

    /// The first of [`Action::details`], which is what is printed; may be empty.
    pub fn detail(&self) -> &str {
        self.details().first().copied().unwrap_or_default()
    }
}

impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.type_name())?;
        match self {
            Action::Reinitialise(activity) => write!(out, " {activity}"),
            Action::Text { on, text } => write!(out, " {} into {}", quote(text), Named(on)),
            Action::Scroll { on, towards } | Action::Swipe { on, towards } => {
                write!(out, " {} on {}", towards.name(), Named(on))
            }
            Action::Click(on) | Action::LongClick(on) => write!(out, " {}", Named(on)),
            Action::User { on, .. } => write!(out, " on {}", Named(on)),
            Action::Back
            | Action::Menu
            | Action::Rotate
            | Action::Network
            | Action::PauseResume
            | Action::Idle => Ok(()),
        }
    }
}

/// A widget as people tell it from others: by its text, its description, its id, or its class and place.
struct Named<'a>(&'a Target);

impl fmt::Display for Named<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Target { object_id, class, text, desc, .. } = self.0;
        if !text.trim().is_empty() {
            write!(out, "{}", quote(text))
        } else if !desc.trim().is_empty() {
            write!(out, "{}", quote(desc))
        } else if !self.0.id.is_empty() {
            write!(out, "#{}", self.0.id_entry())
        } else {
            write!(out, "{} {object_id}", class.rsplit('.').next().unwrap_or(class))
        }
    }
}

/// What is offered beyond what a screen says by itself.
#[derive(Clone, Debug, Default)]
pub struct Repertoire {
    /// What is typed into fields, in this order.
    pub texts: Vec<Arc<str>>,
    /// The user's actions, and on what they are done.
    pub user_actions: Vec<(Arc<UserAction>, WidgetTest)>,
    /// Whether the network is switched: that takes rights few devices give, and is dear.
    pub network: bool,
}

impl Repertoire {
    /// Returns a repertoire of these texts and actions; of texts that are there twice, the first is kept.
    pub fn new<'a>(
        texts: impl IntoIterator<Item = &'a str>,
        user_actions: &[UserAction],
        network: bool,
    ) -> Repertoire {
        let mut kept: Vec<Arc<str>> = Vec::new();
        for text in texts {
            if !kept.iter().any(|other| **other == *text) {
                kept.push(text.into());
            }
        }
        let user_actions = user_actions
            .iter()
            .filter_map(|action| Some((Arc::new(action.clone()), WidgetTest::new(&action.on)?)))
            .collect();
        Repertoire { texts: kept, user_actions, network }
    }
}

/// What is typed where nobody says what: a word, a number, an address, nothing, and a sentence.
pub const BUILTIN_TEXTS: [&str; 5] = ["abc", "42", "name@example.com", "", "a few words, and 1 more"];

/// Returns the actions that `screen` offers, in the order of its widgets and those of the device last.
///
/// Step 0 has one kind of action alone, [`Action::Reinitialise`], and it is not offered later.
pub fn offers(screen: &Screen, repertoire: &Repertoire) -> Vec<Action> {
    let mut offers = Vec::new();
    screen.for_each_object(|_, widget, object_id| {
        if !widget.is_visible() {
            return;
        }
        // Most widgets offer nothing, and what several actions are done on is made once.
        let mut made: Option<Target> = None;
        let mut target = || made.get_or_insert_with(|| Target::new(widget, object_id)).clone();
        let enabled = widget.flags.has(Flags::ENABLED);
        if enabled && widget.flags.has(Flags::CLICKABLE) {
            offers.push(Action::Click(target()));
        }
        if enabled && widget.flags.has(Flags::LONG_CLICKABLE) {
            offers.push(Action::LongClick(target()));
        }
        if enabled && widget.flags.has(Flags::EDITABLE) {
            offers.extend(
                repertoire.texts.iter().map(|text| Action::Text { on: target(), text: text.clone() }),
            );
        }
        if enabled && widget.flags.has(Flags::SCROLLABLE) {
            offers.extend(
                scroll_directions(&widget.class).map(|towards| Action::Scroll { on: target(), towards }),
            );
        }
        if enabled && is_slider(&widget.class) {
            let ways = [Direction::Left, Direction::Right];
            offers.extend(ways.map(|towards| Action::Swipe { on: target(), towards }));
        }
        for (action, on) in &repertoire.user_actions {
            if on.holds(widget, object_id) {
                offers.push(Action::User { action: action.clone(), on: target() });
            }
        }
    });
    offers.extend([Action::Back, Action::Menu, Action::Rotate]);
    if repertoire.network {
        offers.push(Action::Network);
    }
    offers.extend([Action::PauseResume, Action::Idle]);
    offers
}

/// Android's dump says that something scrolls and not which way; its class does.
fn scroll_directions(class: &str) -> [Direction; 2] {
    if class.contains("Horizontal") || class.ends_with("ViewPager") || class.ends_with("Gallery") {
        [Direction::Left, Direction::Right]
    } else {
        [Direction::Up, Direction::Down]
    }
}

fn is_slider(class: &str) -> bool {
    class.ends_with("SeekBar") || class.ends_with("Slider")
}
