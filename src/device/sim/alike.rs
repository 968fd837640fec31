//! States that look alike: those whose window in front shows the same, whatever else the app remembers.
//!
//! An app keeps variables that few of its windows show, so many states share a look. Their screens and touch maps are
//! worked out once. The memo of states has those whose looks read records or the clock.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, Hasher as _};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::layout::TouchMap;
use super::model::{Datum, Each, Expr, GlobalId, Model, Node, Variable, Widget, WindowId};
use super::render::{Front, front};
use super::state::{Focus, Slot, State, size_of_values};
use crate::gui::{Orientation, Screen};

/// Most screens of a look: they differ in the focus and in what is around the window.
const SCREENS_MAX: usize = 64;

/// Looks met so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Alike {
    looks: Vec<Known>,
    /// Place of each look by its hash; on a collision, by the next free key.
    places: HashMap<u64, u32, FxBuildHasher>,
    /// For each window the variables of the app that its look reads; none if it reads more than those.
    reads: Vec<Option<Option<Box<[GlobalId]>>>>,
    bytes: usize,
}

/// Look with its touch map and its screens, as far as they are known.
#[derive(Clone, Debug)]
struct Known {
    window: WindowId,
    own: Box<[Datum]>,
    scrolls: Box<[(u32, i64)]>,
    orientation: Orientation,
    has_network: bool,
    values: Box<[Slot]>,
    touch_map: Option<Arc<TouchMap>>,
    screens: Vec<(Around, Arc<Screen>)>,
}

/// All that a screen depends on besides the look of its window.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Around {
    /// Activity in front, or below the window.
    activity: WindowId,
    /// Field with the focus, wherever its caret is.
    focus: Option<(usize, Box<[Datum]>)>,
    is_lit: bool,
    has_keyboard: bool,
}

impl Alike {
    /// Returns the place of the look of `state`; none if it may read more than is compared here.
    pub fn place(&mut self, model: &Model, state: &State) -> Option<usize> {
        let Front::Window { instance, .. } = front(state) else { return None };
        let reads = self.reads_of(model, instance.window)?;
        // A record that was removed counts as none, so it stands for more than its number.
        let is_plain = |value: &Datum| !matches!(value, Datum::Record(..));
        let values = || reads.iter().filter_map(|&global| state.globals.get(global as usize));
        let is_value = |slot: &Slot| matches!(slot, Slot::Value(value) if is_plain(value));
        if !instance.own.iter().all(is_plain) || !values().all(is_value) {
            return None;
        }
        let orientation = state.shown_orientation();
        let mut hasher = FxBuildHasher.build_hasher();
        (instance.window, orientation, state.has_network).hash(&mut hasher);
        (&instance.own, &instance.scrolls).hash(&mut hasher);
        values().for_each(|value| value.hash(&mut hasher));
        let mut key = hasher.finish();
        while let Some(&place) = self.places.get(&key) {
            let known = &self.looks[place as usize];
            let is_same = known.window == instance.window
                && known.orientation == orientation
                && known.has_network == state.has_network
                && *known.own == *instance.own
                && *known.scrolls == *instance.scrolls
                && known.values.iter().eq(values());
            if is_same {
                return Some(place as usize);
            }
            key = key.wrapping_add(1);
        }
        let known = Known {
            window: instance.window,
            own: instance.own.clone().into(),
            scrolls: instance.scrolls.clone().into(),
            orientation,
            has_network: state.has_network,
            values: values().cloned().collect(),
            touch_map: None,
            screens: Vec::new(),
        };
        let plain = known.values.iter().map(|slot| match slot {
            Slot::Value(value) => size_of_values(std::slice::from_ref(value)),
            Slot::List(_) => 0,
        });
        self.bytes += 200 + size_of_values(&known.own) + plain.sum::<usize>();
        let place = self.looks.len();
        self.places.insert(key, place as u32);
        self.looks.push(known);
        Some(place)
    }

    /// Returns the touch map of a look.
    pub fn touch_map(&self, place: usize) -> Option<&Arc<TouchMap>> {
        self.looks[place].touch_map.as_ref()
    }

    /// Remembers the touch map of a look.
    pub fn set_touch_map(&mut self, place: usize, touch_map: Arc<TouchMap>) {
        self.looks[place].touch_map = Some(touch_map);
    }

    /// Returns the screen of `state`, which has this look.
    pub fn screen(&self, place: usize, state: &State) -> Option<&Arc<Screen>> {
        let screens = &self.looks[place].screens;
        screens.iter().find(|(around, _)| around.is(state)).map(|(_, screen)| screen)
    }

    /// Remembers the screen of `state`, which has this look.
    pub fn set_screen(&mut self, place: usize, state: &State, screen: Arc<Screen>) {
        let screens = &mut self.looks[place].screens;
        if screens.len() < SCREENS_MAX
            && let Some(around) = Around::new(state)
        {
            self.bytes += 100;
            screens.push((around, screen));
        }
    }

    /// Returns their approximate size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn reads_of(&mut self, model: &Model, window: WindowId) -> Option<Box<[GlobalId]>> {
        let at = window as usize;
        if self.reads.len() <= at {
            self.reads.resize(at + 1, None);
        }
        self.reads[at].get_or_insert_with(|| reads(model, window)).clone()
    }
}

impl Around {
    fn new(state: &State) -> Option<Around> {
        let Front::Window { instance, .. } = front(state) else { return None };
        let focus = instance.focus.as_ref();
        Some(Around {
            activity: activity(state),
            focus: focus.map(|Focus { widget, items, .. }| (*widget, items.clone().into())),
            is_lit: state.is_lit,
            has_keyboard: state.has_keyboard,
        })
    }

    fn is(&self, state: &State) -> bool {
        let Front::Window { instance, .. } = front(state) else { return false };
        let focus = instance.focus.as_ref().map(|focus| (focus.widget, &*focus.items));
        self.activity == activity(state)
            && self.focus.as_ref().map(|(widget, items)| (*widget, &**items)) == focus
            && self.is_lit == state.is_lit
            && self.has_keyboard == state.has_keyboard
    }
}

/// Returns the window of the activity in front.
fn activity(state: &State) -> WindowId {
    state.top().map_or(0, |top| state.stack[top].instance.window)
}

/// Returns the variables of the app that the look of `window` reads; none if it reads records or the clock.
fn reads(model: &Model, window: WindowId) -> Option<Box<[GlobalId]>> {
    let mut reads = Vec::new();
    let nodes = &model.windows.get(window as usize)?.nodes;
    if !nodes.iter().all(|node| of_node(node, &mut reads)) {
        return None;
    }
    reads.sort_unstable();
    reads.dedup();
    Some(reads.into())
}

/// Adds what a node reads; returns false if it reads records or the clock.
fn of_node(node: &Node, reads: &mut Vec<GlobalId>) -> bool {
    match node {
        Node::Widget(widget) => of_widget(widget, reads),
        Node::When { condition, then, otherwise } => {
            of(condition, reads) && then.iter().chain(otherwise).all(|node| of_node(node, reads))
        }
        Node::For { local: _, each, body } => {
            let is_plain = match each {
                Each::Records(_) => false,
                Each::Numbers { from, to } => of(from, reads) && of(to, reads),
            };
            is_plain && body.iter().all(|node| of_node(node, reads))
        }
        Node::Let { local: _, value, body } => {
            of(value, reads) && body.iter().all(|node| of_node(node, reads))
        }
    }
}

fn of_widget(widget: &Widget, reads: &mut Vec<GlobalId>) -> bool {
    // Handlers run after a touch, and change the state.
    let Widget {
        class: _,
        id: _,
        text,
        desc,
        hint,
        bounds,
        wide,
        tall,
        is_across: _,
        scroll: _,
        clickable,
        longclickable,
        checkable,
        checked,
        enabled,
        selected,
        password,
        edits,
        is_solid: _,
        condition,
        on_click: _,
        on_longclick: _,
        on_tap: _,
        on_swipe: _,
        on_text: _,
        nodes,
        span: _,
    } = widget;
    let all = [
        text,
        desc,
        hint,
        wide,
        tall,
        clickable,
        longclickable,
        checkable,
        checked,
        enabled,
        selected,
        password,
        condition,
    ];
    let edits = match edits {
        Some(Variable::Global(global)) => {
            reads.push(*global);
            true
        }
        Some(Variable::Field(..)) => false,
        Some(Variable::Own(_) | Variable::Local(_)) | None => true,
    };
    edits
        && all.into_iter().flatten().all(|expr| of(expr, reads))
        && bounds.iter().flat_map(|bounds| &**bounds).all(|expr| of(expr, reads))
        && nodes.iter().all(|node| of_node(node, reads))
}

fn of(expr: &Expr, reads: &mut Vec<GlobalId>) -> bool {
    match expr {
        Expr::Global(global) => {
            reads.push(*global);
            true
        }
        Expr::Value(_)
        | Expr::Own(_)
        | Expr::Local(_)
        | Expr::Portrait
        | Expr::Landscape
        | Expr::Network
        | Expr::Recreated
        | Expr::Result => true,
        Expr::Field(..) | Expr::Index(_) | Expr::Now | Expr::Count(_) | Expr::Find(_) => false,
        Expr::Not(operand) | Expr::Negate(operand) => of(operand, reads),
        Expr::Binary(_, left, right) => of(left, reads) && of(right, reads),
        Expr::Choose(condition, then, otherwise) => {
            of(condition, reads) && of(then, reads) && of(otherwise, reads)
        }
        Expr::Text(parts) | Expr::Call(_, parts) => parts.iter().all(|part| of(part, reads)),
    }
}
