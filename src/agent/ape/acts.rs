//! Model actions: the offers of a screen that are one action of its state.

use rustc_hash::FxHashMap;

use super::priority::Kind;
use crate::gui::{Action, DeviceAction, Direction, Flags, Stroke, Touch, Widget};
use crate::rng::Rng;
use crate::situation::{ActionId, Scene};

/// Most texts of a field that are typed.
const TEXTS_MAX: usize = 2_000;

/// Action of a state, on a screen: the widgets that it can be done on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// Place among the actions of the state.
    pub slot: u16,
    /// Number that states have in common.
    pub id: ActionId,
    pub kind: Kind,
    /// True if it is done on a widget.
    pub is_on_widget: bool,
    /// Ways to do it, at least one.
    pub ways: Vec<Way>,
}

/// Widget that an action can be done on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// Place of the offer; none of a field that takes texts alone.
    pub plain: Option<u16>,
    /// Places of the offers that type a text in place of it.
    pub texts: Vec<u16>,
    /// True if it is a field that has the focus, and nobody has typed into it.
    pub waits_for_text: bool,
}

/// Actions of a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acts {
    /// Actions, in the order of their first offers.
    pub all: Vec<Act>,
    /// Slot of the action behind each offer.
    pub slots: Vec<u16>,
}

impl Acts {
    /// Returns the actions of a screen. A text is no action of its own: it is what a click on its field comes to.
    pub fn new(scene: &Scene) -> Acts {
        let mut acts = Acts { all: Vec::new(), slots: vec![0; scene.offers.len()] };
        let mut numbers: FxHashMap<u16, usize> = FxHashMap::default();
        // Ways of fields by their objects: the number of the action, and the place among its ways.
        let mut fields: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
        // Clicks come first, so that texts find the one on their field.
        let is_text = |at: usize| scene.actions[at].typed().is_some();
        for at in (0..scene.offers.len()).filter(|&at| !is_text(at)) {
            let number = acts.number(scene, at, &mut numbers);
            let Act { kind, ways, .. } = &mut acts.all[number];
            ways.push(Way { plain: Some(at as u16), ..Way::default() });
            if let Some(target) = scene.actions[at].target().filter(|_| *kind == Kind::Click) {
                fields.insert(&target.object_id, (number, ways.len() - 1));
            }
            acts.slots[at] = scene.offers[at].slot;
        }
        let focused = focused(scene);
        for at in (0..scene.offers.len()).filter(|&at| is_text(at)) {
            let Some(target) = scene.actions[at].target() else { continue };
            let (number, nth) = match fields.get(&*target.object_id) {
                Some(&known) => known,
                None => {
                    let number = acts.number(scene, at, &mut numbers);
                    acts.all[number].ways.push(Way::default());
                    let place = (number, acts.all[number].ways.len() - 1);
                    fields.insert(&target.object_id, place);
                    place
                }
            };
            let act = &mut acts.all[number];
            acts.slots[at] = act.slot;
            let way = &mut act.ways[nth];
            way.waits_for_text |= focused.contains(&&*target.object_id);
            if way.texts.len() < TEXTS_MAX {
                way.texts.push(at as u16);
            }
        }
        acts
    }

    /// Returns the number of the action in the slot of the offer at `at`.
    fn number(&mut self, scene: &Scene, at: usize, numbers: &mut FxHashMap<u16, usize>) -> usize {
        let (offer, action) = (&scene.offers[at], &scene.actions[at]);
        let next = self.all.len();
        let number = *numbers.entry(offer.slot).or_insert(next);
        if number == next {
            self.all.push(Act {
                slot: offer.slot,
                id: offer.action,
                kind: Kind::of(action),
                is_on_widget: action.target().is_some(),
                ways: Vec::new(),
            });
        }
        number
    }

    /// Returns the action in this slot.
    pub fn get(&self, slot: u16) -> Option<&Act> {
        self.all.iter().find(|act| act.slot == slot)
    }
}

/// Returns the objects of fields that have the focus, and that nobody has typed into.
fn focused(scene: &Scene) -> Vec<&str> {
    let waits = |widget: &Widget| widget.flags.has(Flags::FOCUSED) && !widget.flags.has(Flags::TYPED);
    let Some(screen) = scene.screen.as_deref().filter(|screen| screen.widgets().iter().any(waits)) else {
        return Vec::new();
    };
    let mut places: Vec<String> = Vec::new();
    screen.for_each_object(|_, widget, object_id| {
        if waits(widget) {
            places.push(object_id.to_string());
        }
    });
    let targets = scene.actions.iter().filter_map(Action::target).map(|target| &*target.object_id);
    targets.filter(|object_id| places.iter().any(|place| place == object_id)).collect()
}

impl Act {
    /// Iterates over the places of its offers.
    pub fn offers(&self) -> impl Iterator<Item = u16> {
        self.ways.iter().flat_map(|way| way.plain.iter().chain(&way.texts).copied())
    }

    /// Returns true if one of its offers `is_open`.
    pub fn has_any(&self, is_open: &dyn Fn(u16) -> bool) -> bool {
        self.ways.iter().any(|way| way.has_any(is_open))
    }

    /// Returns true if it is the key back.
    pub fn is_back(&self) -> bool {
        self.kind == Kind::Back
    }

    /// Draws one of its open offers: a widget, each as likely; and on a field a text in the share `texts`.
    pub fn draw(&self, is_open: &dyn Fn(u16) -> bool, texts: f64, rng: &mut Rng) -> Option<u16> {
        let open = || self.ways.iter().filter(|way| way.has_any(is_open));
        let way = open().nth(rng.below(open().count().max(1)))?;
        let typed = || way.texts.iter().copied().filter(|&at| is_open(at));
        let plain = way.plain.filter(|&at| is_open(at));
        let count = typed().count();
        if count > 0 && (plain.is_none() || rng.unit() < texts) {
            return typed().nth(rng.below(count));
        }
        plain
    }
}

impl Way {
    fn has_any(&self, is_open: &dyn Fn(u16) -> bool) -> bool {
        self.plain.iter().chain(&self.texts).any(|&at| is_open(at))
    }
}

impl Kind {
    /// Returns the kind of an action.
    fn of(action: &Action) -> Kind {
        match action {
            Action::Touch(Touch::Click, _) | Action::Text { .. } => Kind::Click,
            Action::Touch(Touch::LongClick, _) => Kind::LongClick,
            // To scroll towards a side, the finger moves to the opposite one.
            Action::Stroke(Stroke::Scroll, _, Direction::Down)
            | Action::Stroke(Stroke::Swipe, _, Direction::Up) => Kind::BottomToTop,
            Action::Stroke(Stroke::Scroll, _, Direction::Up)
            | Action::Stroke(Stroke::Swipe, _, Direction::Down) => Kind::TopToBottom,
            Action::Stroke(Stroke::Scroll, _, Direction::Left)
            | Action::Stroke(Stroke::Swipe, _, Direction::Right) => Kind::LeftToRight,
            Action::Stroke(Stroke::Scroll, _, Direction::Right)
            | Action::Stroke(Stroke::Swipe, _, Direction::Left) => Kind::RightToLeft,
            Action::Device(DeviceAction::Back) => Kind::Back,
            Action::Device(DeviceAction::Menu) => Kind::Menu,
            Action::Touch(Touch::DoubleClick | Touch::Hover, _)
            | Action::Device(_)
            | Action::Reinitialise(_)
            | Action::User { .. } => Kind::Other,
        }
    }
}
