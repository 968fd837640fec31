//! Events of a page: the actions of a widget of one kind, and those of the device.
//!
//! All texts for a field are one event, and so are the directions of a scroll; which of them is done is drawn.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::groups::{OfScreens, groups};
use super::words::{Text, hash};
use crate::gui::{Action, Flags, Target, Widget, is_text_field};
use crate::situation::{ClassId, Scene};

/// Actions on the device that DinoDroid does at times, aside from its events.
const OF_SYSTEM: [&str; 4] = ["rotate", "network", "pauseresume", "idle"];

/// Most offers of a screen whose events are kept.
const KEPT_MAX: usize = 1_000;

/// Event of a page.
#[derive(Clone, Debug)]
pub struct Event {
    /// Events that count as one, on whatever page of an activity: those of the same kind and the same text.
    pub vertex: u64,
    /// Places of the offers that it stands for; at least one, and in order.
    pub places: Arc<[u16]>,
    /// Words of the event.
    pub text: Arc<Text>,
    /// True if it is an action of the system.
    pub is_of_system: bool,
}

/// Maker of events.
#[derive(Clone, Debug, Default)]
pub struct Events {
    screens: OfScreens<Vec<Event>>,
    /// True if actions that differ to the objective are events of their own.
    splits: bool,
}

impl Events {
    /// Returns a maker of events, which `splits` those whose actions differ to the objective.
    pub fn new(splits: bool) -> Events {
        Events { splits, ..Events::default() }
    }

    /// Returns the events of all offers of a screen.
    pub fn of(&mut self, scene: &Scene) -> Arc<Vec<Event>> {
        let splits = self.splits;
        match scene.offers.len() <= KEPT_MAX {
            true => self.screens.get(scene, |scene| events(scene, splits)),
            false => Arc::new(events(scene, splits)),
        }
    }
}

fn events(scene: &Scene, splits: bool) -> Vec<Event> {
    let groups = groups(&scene.actions, 0..scene.offers.len() as u16);
    let page = page(scene);
    let mut events: Vec<Event> = Vec::new();
    // The same text may be in each row of a list.
    let mut times: FxHashMap<u64, u64> = FxHashMap::default();
    for kind in groups.iter().flat_map(|group| &group.kinds) {
        for places in parts(scene, kind, splits) {
            let first = usize::from(places[0]);
            let (offer, action) = (&scene.offers[first], &scene.actions[first]);
            let text = text_of(action);
            // Widgets without words are told apart by their places.
            let spot = if text.is_empty() { offer.spot.0 } else { 0 };
            let class = if splits { offer.class.0 } else { 0 };
            let numbers = [page, text.hash, (u64::from(spot) << 32) | u64::from(class)];
            let alike = hash_of(numbers) ^ hash(action.type_name().bytes());
            let nth = times.entry(alike).or_insert(0);
            *nth += 1;
            events.push(Event {
                vertex: hash_of([alike, *nth]),
                places: places.into(),
                text: Arc::new(text),
                is_of_system: OF_SYSTEM.contains(&action.type_name()),
            });
        }
    }
    events
}

/// Returns the places of a kind in the parts that are events of their own.
fn parts(scene: &Scene, kind: &[u16], splits: bool) -> Vec<Vec<u16>> {
    if !splits {
        return vec![kind.to_vec()];
    }
    let mut parts: Vec<Vec<u16>> = Vec::new();
    let mut of_class: FxHashMap<ClassId, usize> = FxHashMap::default();
    for &at in kind {
        let part = *of_class.entry(scene.offers[usize::from(at)].class).or_insert(parts.len());
        if part == parts.len() {
            parts.push(Vec::new());
        }
        parts[part].push(at);
    }
    parts
}

fn hash_of<const N: usize>(numbers: [u64; N]) -> u64 {
    hash(numbers.into_iter().flat_map(u64::to_le_bytes))
}

/// Returns the number of the pages whose events are compared: those of an activity, and those of a dialog by its first
/// words, as two dialogs of an activity may both have an *OK*.
fn page(scene: &Scene) -> u64 {
    let activity = scene.screen.as_ref().map_or(&[][..], |screen| screen.activity().as_bytes());
    let widgets = scene.widgets();
    let is_inset = widgets.first().is_some_and(|root| root.bounds.left > 0);
    let says = |widget: &&Widget| !widget.text.is_empty() && !widget.flags.has(Flags::CLICKABLE);
    let title =
        widgets.iter().filter(|_| is_inset).find(says).map_or(&[][..], |widget| widget.text.as_bytes());
    hash(activity.iter().chain(b"\0").chain(title).copied())
}

/// Returns the words of an event: those of its widget, or of the action itself.
fn text_of(action: &Action) -> Text {
    match (action.target(), action) {
        (Some(target), Action::Touch(..) | Action::Text { .. } | Action::User { .. }) => text_on(target),
        (None, _) | (Some(_), _) => Text::of_name(action.type_name()),
    }
}

fn text_on(target: &Target) -> Text {
    // The text of a field is what was typed.
    let is_field = is_text_field(&target.class);
    let [text, desc, id] = target.names();
    let texts = [if is_field { "" } else { text }, desc].into_iter().map(Text::of_text);
    texts.chain([Text::of_name(id)]).find(|text| !text.is_empty()).unwrap_or_else(|| Text::of_text(""))
}
