//! Names of widgets under reducers, and screens in numbers.
//!
//! A widget is known by its attributes and those of all widgets it lies in. A reducer keeps some of them; the more
//! primitives it has, the finer it is. A name is a number, by a hash that is the same on every machine and in every run.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::gui::{Action, Argument, Screen, Widget};
use crate::learned_model::Reducer;
use crate::situation::View;

/// Letters of a text that are told apart, as in APE's program.
const LETTERS_MAX: usize = 8;

/// Returns the name of a widget under a reducer, in a parent of this name.
pub fn name(reducer: Reducer, part: &Part, parent: u64) -> u64 {
    let mut hasher = FxHasher::default();
    // Widgets that take other actions never share a name.
    (reducer, part.actions).hash(&mut hasher);
    let attributes = [
        (Reducer::TYPE, part.of_type),
        (Reducer::INDEX, u64::from(part.index)),
        (Reducer::PARENT, parent),
        (Reducer::TEXT, part.text),
        (Reducer::ANCESTOR, part.ancestors),
    ];
    for (primitive, attribute) in attributes {
        if reducer.has(primitive) {
            attribute.hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Widget in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Place of the parent among the parts; [`NO_WIDGET`] for a top node.
    pub parent: u32,
    /// Place among the siblings.
    pub index: u32,
    /// Actions that it takes; 0 for none.
    pub actions: u32,
    pub is_visible: bool,
    /// True if it lies in a list, directly.
    pub is_row: bool,
    pub of_type: u64,
    pub text: u64,
    /// Types from the top node down to the parent.
    pub ancestors: u64,
    /// Place in the tree, the same for all rows of a list.
    pub place: u64,
    /// True if it has a text or a description.
    pub has_text: bool,
}

/// No widget: the action is one on the device, or a widget has no parent.
pub const NO_WIDGET: u32 = u32::MAX;

/// Action as done: on a widget, unless it is one on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Deed {
    /// Place of the widget among the parts, or [`NO_WIDGET`].
    pub widget: u32,
    /// Type of the action, with its text or direction.
    pub kind: u32,
}

/// Screen in numbers: a tree of widgets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gui {
    /// Screens of other windows, or that the objective tells apart, are never the same state.
    pub window: u64,
    /// Widgets, each before those in it.
    pub parts: Box<[Part]>,
    /// Actions, one for each offer.
    pub deeds: Box<[Deed]>,
}

impl Gui {
    /// Returns a screen in numbers.
    pub fn new(view: &View<'_>) -> Gui {
        // An app whose dialog of a crash is in front takes no actions of its own. A dark display does: the device lights it
        // before each action.
        let front = view.screen.map(|screen| {
            let context = screen.context();
            (context.crashed, context.anr)
        });
        // Numbers of activities and looks differ from run to run; what a run has learned serves the next one.
        let name = view.screen.map(|screen| (&**screen.package(), &**screen.activity()));
        let window = hash(&(name, view.sign, front));
        let mut parts = view.screen.map_or_else(Vec::new, parts);
        let mut widgets: FxHashMap<&str, u32> = FxHashMap::default();
        let targets = view.actions.iter().filter_map(Action::target);
        widgets.extend(targets.map(|target| (&*target.object_id, NO_WIDGET)));
        if let Some(screen) = view.screen {
            screen.for_each_object(|at, _, object_id| {
                if let Some(widget) = widgets.get_mut(object_id) {
                    *widget = at as u32;
                }
            });
        }
        let deeds = view.actions.iter().map(|action| {
            let target = action.target().and_then(|target| widgets.get(&*target.object_id));
            Deed { widget: target.copied().unwrap_or(NO_WIDGET), kind: kind(action) }
        });
        let deeds: Box<[Deed]> = deeds.collect();
        // The texts that are offered change as codes are learned, and a field takes text whichever they are.
        let taken = deeds.iter().zip(view.actions).map(|(deed, action)| (deed.widget, bits(action)));
        for (widget, bits) in taken.collect::<BTreeSet<_>>() {
            if let Some(part) = parts.get_mut(widget as usize) {
                // The order of the offers makes no difference, and 0 stands for none.
                part.actions = part.actions.wrapping_add(bits | 1);
            }
        }
        Gui { window, parts: parts.into(), deeds }
    }
}

/// Returns the number of an action whatever its widget.
pub fn kind(action: &Action) -> u32 {
    let detail = match action.argument() {
        Argument::Activity(text) | Argument::Text(text) => &**text,
        Argument::Towards(towards) => towards.name(),
        Argument::None | Argument::Own(_) => "",
    };
    hash(&(action.type_name(), detail)) as u32
}

/// Returns the number of an action whatever its widget and its text.
fn bits(action: &Action) -> u32 {
    match action.argument() {
        Argument::Text(_) => hash(&(action.type_name(), "")) as u32,
        Argument::Activity(_) | Argument::Towards(_) | Argument::None | Argument::Own(_) => kind(action),
    }
}

fn parts(screen: &Screen) -> Vec<Part> {
    // For each widget that this one lies in: its place among the parts, and the number of its children so far.
    let mut way: Vec<(u32, u32)> = Vec::new();
    let mut tops = 0;
    let mut parts: Vec<Part> = Vec::with_capacity(screen.widgets().len());
    for (at, widget) in (0..).zip(screen.widgets()) {
        way.truncate(usize::from(widget.depth));
        let (parent, count) = match way.last_mut() {
            Some((parent, count)) => (*parent, count),
            None => (NO_WIDGET, &mut tops),
        };
        let index = std::mem::replace(count, *count + 1);
        let above = parts.get(parent as usize);
        let is_row = parent != NO_WIDGET && is_list(&screen.widgets()[parent as usize]);
        let of_type = hash(&(&*widget.class, &*widget.id));
        let ancestors = above.map_or(0, |above| hash(&(above.ancestors, above.of_type)));
        let nth = if is_row { 0 } else { index };
        let above_place = above.map_or_else(|| hash(&**screen.activity()), |above| above.place);
        let place = hash(&(above_place, nth, of_type));
        parts.push(Part {
            parent,
            index,
            actions: 0,
            is_visible: widget.is_visible(),
            is_row,
            of_type,
            text: hash(&(start(&widget.text), start(&widget.desc))),
            ancestors,
            place,
            has_text: !(widget.text.is_empty() && widget.desc.is_empty()),
        });
        way.push((at, 0));
    }
    parts
}

/// Returns the part of a text that is told apart.
fn start(text: &str) -> &str {
    text.char_indices().nth(LETTERS_MAX).map_or(text, |(end, _)| &text[..end])
}

fn is_list(widget: &Widget) -> bool {
    ["RecyclerView", "ListView", "GridView", "ViewPager"].iter().any(|end| widget.class.ends_with(end))
}

/// Returns a hash that is the same on every machine.
pub fn hash(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}
