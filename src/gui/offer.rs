//! Offers: the actions that can be done on a screen, the same for every device.

use std::sync::Arc;

use super::action::{Action, Direction, Target};
use super::action_type::{DeviceAction, Stroke, Touch};
use super::label::WidgetTest;
use super::naming::Naming;
use super::rule::Rules;
use super::screen::{Flags, Screen, Widget};
use super::scroll::Scrolls;
use super::text_form::TextForm;
use super::user_action::UserAction;

/// Choices that a screen leaves open: texts, the user's actions, and rules.
#[derive(Clone, Debug, Default)]
pub struct Repertoire {
    /// Texts to type into fields, in this order.
    pub texts: Vec<Arc<str>>,
    /// Codes that the app has shown, to type into fields without a rule. They are offered after all other actions, so that
    /// those keep their places.
    pub codes: Vec<Arc<str>>,
    /// Those of the texts that an atom asks for by name, as the text of an action.
    pub asked: Vec<Arc<str>>,
    /// The user's actions, each with the test of the widgets that it is done on.
    pub user_actions: Vec<(Arc<UserAction>, WidgetTest)>,
    /// True if the network may be switched: that takes rights that few devices give, and it is slow.
    pub network: bool,
    /// Rules that restrict the offers.
    pub rules: Arc<Rules>,
    /// Kinds of action that the device has.
    pub capabilities: Capabilities,
}

/// Actions on the device itself that a device has; the screen offers all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// A bit for each, by its place in [`DeviceAction::ALL`].
    bits: u32,
}

impl Capabilities {
    /// The actions of phones.
    pub const PHONE: Capabilities = Capabilities::of(&[
        DeviceAction::Back,
        DeviceAction::Menu,
        DeviceAction::Rotate,
        DeviceAction::Network,
        DeviceAction::PauseResume,
        DeviceAction::Idle,
    ]);

    /// The actions of browsers.
    pub const BROWSER: Capabilities = Capabilities::of(&[
        DeviceAction::Back,
        DeviceAction::Forward,
        DeviceAction::Reload,
        DeviceAction::Resize,
        DeviceAction::Enter,
        DeviceAction::Escape,
    ]);

    /// No action: only what screens offer.
    pub const NONE: Capabilities = Capabilities { bits: 0 };

    const fn of(actions: &[DeviceAction]) -> Capabilities {
        let (mut bits, mut at) = (0, 0);
        // A constant takes no iterator.
        while at < actions.len() {
            bits |= 1 << actions[at] as u32;
            at += 1;
        }
        Capabilities { bits }
    }

    /// Returns the same with `action`.
    #[must_use]
    pub fn with(self, action: DeviceAction) -> Capabilities {
        Capabilities { bits: self.bits | 1 << action as u32 }
    }

    /// Returns the same without `action`.
    #[must_use]
    pub fn without(self, action: DeviceAction) -> Capabilities {
        Capabilities { bits: self.bits & !(1 << action as u32) }
    }

    /// Returns true if the device has `action`.
    pub fn has(self, action: DeviceAction) -> bool {
        self.bits >> action as u32 & 1 == 1
    }
}

impl Default for Capabilities {
    fn default() -> Capabilities {
        Capabilities::PHONE
    }
}

impl Repertoire {
    /// Returns a repertoire of these texts and actions; a text that comes twice is kept where it comes first.
    pub fn new<'a>(
        texts: impl IntoIterator<Item = &'a str>,
        user_actions: &[UserAction],
        network: bool,
    ) -> Repertoire {
        let mut kept: Vec<Arc<str>> = Vec::new();
        for text in texts {
            // Texts are few, so each is compared with all before it.
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

    /// Returns the texts for `widget`, which is at `object_id`: all that it takes and the `samples` of its page, or if rules are
    /// about it, theirs and those asked for by name.
    fn texts_for<'a>(
        &self,
        widget: &Widget,
        object_id: &str,
        samples: impl Iterator<Item = &'a Arc<str>>,
    ) -> Vec<Arc<str>> {
        let mut texts = self.rules.texts(widget, object_id);
        if texts.is_empty() {
            match TextForm::of(&widget.class) {
                Some(form) => {
                    texts.extend(self.texts.iter().filter(|text| form.takes(text)).cloned());
                    add(&mut texts, &mut form.samples().iter().map(|&text| Arc::from(text)));
                }
                None => texts.clone_from(&self.texts),
            }
            add(&mut texts, &mut samples.cloned());
            return texts;
        }
        add(&mut texts, &mut self.asked.iter().cloned());
        texts
    }
}

/// Adds those of `more` that are not among `texts`, which are few.
#[inline(never)]
fn add(texts: &mut Vec<Arc<str>>, more: &mut dyn Iterator<Item = Arc<str>>) {
    for text in more {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
}

/// Texts typed by default: a word, a number, an address, nothing, and a sentence.
pub const BUILTIN_TEXTS: [&str; 5] = ["abc", "42", "name@example.com", "", "a few words, and 1 more"];

/// Returns the actions that `screen` offers, in the order of its widgets; those on the device come last.
///
/// [`Action::Reinitialise`] is done at step 0 alone and never offered here.
pub fn offers(screen: &Screen, repertoire: &Repertoire) -> Vec<Action> {
    let mut offers = Vec::new();
    let naming = Naming::new(screen);
    let mut scrolls = Scrolls::new(screen.widgets());
    screen.for_each_object(|at, widget, object_id| {
        if !widget.is_visible() {
            return;
        }
        // Most widgets offer nothing, so a target is made on first use and shared by the actions of its widget.
        let mut made: Option<Target> = None;
        let mut target =
            || made.get_or_insert_with(|| Target::new(widget, object_id, naming.below(at))).clone();
        let enabled = widget.flags.has(Flags::ENABLED);
        if enabled && widget.flags.has(Flags::CLICKABLE) {
            offers.push(Action::click(target()));
        }
        if enabled && widget.flags.has(Flags::LONG_CLICKABLE) {
            offers.push(Action::Touch(Touch::LongClick, target()));
        }
        if enabled && widget.flags.has(Flags::DOUBLE_CLICKABLE) {
            offers.push(Action::Touch(Touch::DoubleClick, target()));
        }
        if enabled && widget.flags.has(Flags::HOVERABLE) {
            offers.push(Action::Touch(Touch::Hover, target()));
        }
        if enabled && widget.flags.has(Flags::EDITABLE) {
            let texts = repertoire.texts_for(widget, object_id, screen.samples(at)).into_iter();
            offers.extend(texts.map(|text| Action::Text { on: target(), text }));
        }
        if enabled && widget.flags.has(Flags::SCROLLABLE) {
            // The words in a list are its contents, and change as it scrolls.
            let list = Target { below: Arc::default(), ..target() };
            let ways = scrolls.directions(at).iter();
            offers.extend(ways.map(|&towards| Action::Stroke(Stroke::Scroll, list.clone(), towards)));
        }
        if enabled && (is_slider(&widget.class) || widget.flags.has(Flags::SLIDES)) {
            let ways = [Direction::Left, Direction::Right];
            offers.extend(ways.map(|towards| Action::Stroke(Stroke::Swipe, target(), towards)));
        }
        for (action, on) in &repertoire.user_actions {
            // Here the user decides, so the widget may even be disabled.
            if on.holds(widget, object_id) {
                offers.push(Action::User { action: action.clone(), on: target() });
            }
        }
    });
    let on_device = DeviceAction::ALL.iter().copied();
    let capabilities = repertoire.capabilities;
    let is_for_field = |action| matches!(action, DeviceAction::Enter | DeviceAction::Escape);
    let allowed = on_device
        .filter(|&action| action != DeviceAction::Network || repertoire.network)
        .filter(|&action| capabilities.has(action))
        // Last, as a phone has no such action and its screens need no look for a field.
        .filter(|&action| !is_for_field(action) || screen.focused_field().is_some());
    offers.extend(allowed.map(Action::Device));
    if !repertoire.codes.is_empty() {
        offer_codes(screen, &naming, repertoire, &mut offers);
    }
    // Last, because rules are about whole actions.
    repertoire.rules.leave_out(&mut offers);
    offers
}

fn offer_codes(screen: &Screen, naming: &Naming<'_>, repertoire: &Repertoire, offers: &mut Vec<Action>) {
    screen.for_each_object(|at, widget, object_id| {
        let takes_text = widget.is_visible() && widget.flags.has(Flags::ENABLED.set(Flags::EDITABLE, true));
        if takes_text && repertoire.rules.texts(widget, object_id).is_empty() {
            let on = Target::new(widget, object_id, naming.below(at));
            offers.extend(
                repertoire.codes.iter().map(|text| Action::Text { on: on.clone(), text: text.clone() }),
            );
        }
    });
}

fn is_slider(class: &str) -> bool {
    class.ends_with("SeekBar") || class.ends_with("Slider")
}
