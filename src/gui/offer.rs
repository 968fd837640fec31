//! What a screen offers: the actions that can be done on it, the same for every device.

use std::sync::Arc;

use super::action::{Action, Direction, Target};
use super::label::WidgetTest;
use super::rule::Rules;
use super::screen::{Flags, Screen, Widget};
use super::user_action::UserAction;

/// What is offered beyond what a screen says by itself.
#[derive(Clone, Debug, Default)]
pub struct Repertoire {
    /// What is typed into fields, in this order.
    pub texts: Vec<Arc<str>>,
    /// Those of them that are asked for by name, as the text of an action.
    pub asked: Vec<Arc<str>>,
    /// The user's actions, and on what they are done.
    pub user_actions: Vec<(Arc<UserAction>, WidgetTest)>,
    /// Whether the network is switched: that takes rights few devices give, and is dear.
    pub network: bool,
    /// What is never offered, and what is typed into certain fields alone.
    pub rules: Arc<Rules>,
    /// Kinds of action that the device has.
    pub capabilities: Capabilities,
}

/// Kinds of action that a device has besides those on widgets, which the screen itself offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the actions")]
pub struct Capabilities {
    pub back: bool,
    pub menu: bool,
    pub rotate: bool,
    pub network: bool,
    pub pause_resume: bool,
    pub idle: bool,
}

impl Capabilities {
    /// All kinds, as phones have them.
    pub const ALL: Capabilities =
        Capabilities { back: true, menu: true, rotate: true, network: true, pause_resume: true, idle: true };

    /// Returns the actions of these kinds, in the order in which they are offered.
    fn actions(self) -> impl Iterator<Item = Action> {
        let Capabilities { back, menu, rotate, network, pause_resume, idle } = self;
        let all = [
            (back, Action::Back),
            (menu, Action::Menu),
            (rotate, Action::Rotate),
            (network, Action::Network),
            (pause_resume, Action::PauseResume),
            (idle, Action::Idle),
        ];
        all.into_iter().filter_map(|(is_there, action)| is_there.then_some(action))
    }
}

impl Default for Capabilities {
    fn default() -> Capabilities {
        Capabilities::ALL
    }
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
        Repertoire { texts: kept, user_actions, network, ..Repertoire::default() }
    }

    /// Returns what is typed into `widget`, which is at `object_id`: all texts, or if rules say what, that and what is asked
    /// for by name.
    fn texts_for(&self, widget: &Widget, object_id: &str) -> Vec<Arc<str>> {
        let mut texts = self.rules.texts(widget, object_id);
        if texts.is_empty() {
            return self.texts.clone();
        }
        for text in &self.asked {
            if !texts.contains(text) {
                texts.push(text.clone());
            }
        }
        texts
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
            let texts = repertoire.texts_for(widget, object_id).into_iter();
            offers.extend(texts.map(|text| Action::Text { on: target(), text }));
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
    let capabilities = repertoire.capabilities;
    let network = capabilities.network && repertoire.network;
    offers.extend(Capabilities { network, ..capabilities }.actions());
    repertoire.rules.leave_out(&mut offers);
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
