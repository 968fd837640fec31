//! What a screen offers: the actions that can be done on it, the same for every device.

use std::sync::Arc;

use super::action::{Action, Direction, Target};
use super::action_type::{DeviceAction, Stroke, Touch};
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
        Repertoire { texts: kept, asked: Vec::new(), user_actions, network, rules: Arc::default() }
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
            offers.push(Action::click(target()));
        }
        if enabled && widget.flags.has(Flags::LONG_CLICKABLE) {
            offers.push(Action::Touch(Touch::LongClick, target()));
        }
        if enabled && widget.flags.has(Flags::EDITABLE) {
            let texts = repertoire.texts_for(widget, object_id).into_iter();
            offers.extend(texts.map(|text| Action::Text { on: target(), text }));
        }
        if enabled && widget.flags.has(Flags::SCROLLABLE) {
            let ways = scroll_directions(&widget.class);
            offers.extend(ways.map(|towards| Action::Stroke(Stroke::Scroll, target(), towards)));
        }
        if enabled && is_slider(&widget.class) {
            let ways = [Direction::Left, Direction::Right];
            offers.extend(ways.map(|towards| Action::Stroke(Stroke::Swipe, target(), towards)));
        }
        for (action, on) in &repertoire.user_actions {
            if on.holds(widget, object_id) {
                offers.push(Action::User { action: action.clone(), on: target() });
            }
        }
    });
    let on_device = DeviceAction::ALL.iter().copied();
    let allowed = on_device.filter(|&action| action != DeviceAction::Network || repertoire.network);
    offers.extend(allowed.map(Action::Device));
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
