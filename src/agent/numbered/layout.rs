//! Layout of numbers on a screen: widgets, texts and ways to touch, as ARES and FATE count them.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::agent::groups::{Group, groups};
use crate::gui::{Action, DeviceAction, Target};
use crate::rng::Rng;
use crate::situation::{ActivityId, Choice, Scene, Situation};

/// Program whose numbers an agent emits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// ARES: actions on the device, then widgets; a text; click or long click, or a direction.
    Ares,
    /// FATE: widgets; a text.
    Fate,
}

/// Most values that a table keeps, 64 MB; then all are forgotten.
pub const CELLS_MAX: usize = 8_000_000;

/// Numbers that a screen has, each below its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Widgets, actions on the device, and one number that means nothing.
    pub firsts: usize,
    /// Texts that a field takes.
    pub texts: usize,
    /// Ways to touch a widget.
    pub ways: usize,
}

impl Shape {
    /// Returns the number of choices.
    pub fn cells(self) -> usize {
        self.firsts * self.texts * self.ways
    }

    /// Returns the place of a choice among all.
    pub fn place(self, first: usize, text: usize, way: usize) -> usize {
        (first * self.texts + text) * self.ways + way
    }

    /// Returns the numbers at a place: widget, text and way.
    pub fn parts(self, place: usize) -> [usize; 3] {
        [place / self.ways / self.texts, place / self.ways % self.texts, place % self.ways]
    }

    /// Draws numbers, each as likely, and returns their place.
    pub fn draw(self, rng: &mut Rng) -> usize {
        let (first, text) = (rng.below(self.firsts), rng.below(self.texts));
        let way = if self.ways > 1 { rng.below(self.ways) } else { 0 };
        self.place(first, text, way)
    }
}

/// Meaning of the numbers on a screen.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The screen as the agent observes it.
    pub observation: u64,
    /// Marks of the screen in the vector that a network observes: its activity, then its widgets.
    pub marks: Vec<u64>,
    /// Bounds of its numbers.
    pub shape: Shape,
    /// Meaning of each first number, without the last one.
    things: Vec<Thing>,
}

/// Meaning of a first number.
#[derive(Clone, Debug)]
enum Thing {
    /// Field, with the places of its texts.
    Texts(Vec<u16>),
    /// Anything else, with the places of the ways to do it.
    Ways(Vec<u16>),
}

impl Layout {
    /// Returns the layout of the screen of `scene`.
    pub fn new(letter: Letter, texts: usize, scene: &Scene) -> Layout {
        let actions = &scene.actions[..];
        let groups = groups(actions, 0..actions.len() as u16);
        let widgets = groups.iter().filter(|group| group.target(actions).is_some());
        let of_widgets = widgets.clone().map(|group| thing(group, actions));
        let (things, names): (Vec<Thing>, Vec<u64>) = match letter {
            // A block of marks for each activity, one a widget.
            Letter::Fate => {
                let things: Vec<Thing> = of_widgets.collect();
                let names = (0..things.len()).map(|nth| hash((scene.activity, nth as u64))).collect();
                (things, names)
            }
            Letter::Ares => {
                let on_device = ON_DEVICE.iter().filter_map(|wanted| {
                    let at = actions.iter().position(|action| *action == Action::Device(*wanted))?;
                    Some(Thing::Ways(vec![at as u16]))
                });
                let targets = widgets.filter_map(|group| group.target(actions));
                let names = targets.map(|target| name(scene.activity, target)).collect();
                (on_device.chain(of_widgets).collect(), names)
            }
        };
        let observation = match letter {
            // A function of the activity alone.
            Letter::Fate => u64::from(scene.activity.0),
            Letter::Ares => observed(scene.activity, names.clone()),
        };
        let marks = std::iter::once(hash(scene.activity)).chain(names).collect();
        let ways = match letter {
            Letter::Ares => 2,
            Letter::Fate => 1,
        };
        let firsts = things.len() + 1;
        // A row of the table holds a value for each number; only a huge dictionary on a huge screen has more texts.
        let texts = texts.min(CELLS_MAX / firsts / ways).max(1);
        Layout { observation, marks, shape: Shape { firsts, texts, ways }, things }
    }

    /// Returns the choice that the numbers at `place` mean: nothing where they mean no candidate.
    pub fn choice(&self, place: usize, situation: &Situation<'_>) -> Choice {
        let Situation { scene, candidates, .. } = *situation;
        let is_candidate = |at: &u16| candidates.len() == scene.offers.len() || candidates.contains(at);
        match self.meaning(place).filter(is_candidate) {
            Some(at) => Choice::Offer(at),
            None => Choice::Nothing { is_free: true },
        }
    }

    /// Returns the offer that the numbers at `place` mean, if they mean any.
    pub fn meaning(&self, place: usize) -> Option<u16> {
        let [first, text, way] = self.shape.parts(place);
        match self.things.get(first)? {
            Thing::Texts(places) => places.get(text).copied(),
            Thing::Ways(places) => places.get(way).or(places.first()).copied(),
        }
    }
}

/// Actions of ARES on the device itself, in its order.
const ON_DEVICE: [DeviceAction; 3] = [DeviceAction::Network, DeviceAction::Rotate, DeviceAction::Menu];

/// Returns the meaning of a widget: a field takes texts, anything else touches before strokes.
fn thing(group: &Group, actions: &[Action]) -> Thing {
    let kind = |is_it: &dyn Fn(&Action) -> bool| -> Vec<u16> {
        let kinds = group.kinds.iter().filter(|kind| is_it(&actions[usize::from(kind[0])]));
        kinds.flatten().copied().collect()
    };
    let texts = kind(&|action| action.typed().is_some());
    if !texts.is_empty() {
        return Thing::Texts(texts);
    }
    let touches = kind(&|action| matches!(action, Action::Touch(..)));
    Thing::Ways(if touches.is_empty() { group.kinds.concat() } else { touches })
}

/// Returns the activity and the set of widgets that are there, as a number.
fn observed(activity: ActivityId, mut names: Vec<u64>) -> u64 {
    names.sort_unstable();
    names.dedup();
    hash((activity, names))
}

/// Returns the name of a widget as a number: its id, else its description, else its activity, class and text.
fn name(activity: ActivityId, widget: &Target) -> u64 {
    if !widget.id.is_empty() {
        hash((0, &widget.id))
    } else if !widget.desc.is_empty() {
        hash((1, &widget.desc))
    } else {
        hash((2, activity, &widget.class, &widget.text))
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
