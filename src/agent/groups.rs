//! Groups of offers: the actions of each widget, kind by kind.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::gui::{Action, Target};
use crate::recent::Recent;
use crate::situation::{Scene, ScreenId};

/// Screens with groups in each half of their table: 50 MB where each has 50 widgets.
const SCREENS_HALF: usize = 4_000;

/// Actions of a widget, or one that is done on none.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Places of the offers, by kind of action; no kind is empty.
    pub kinds: Vec<Vec<u16>>,
}

impl Group {
    /// Returns the widget; none of an action that is done on none.
    pub fn target<'a>(&self, actions: &'a [Action]) -> Option<&'a Target> {
        actions[usize::from(self.kinds[0][0])].target()
    }
}

/// Returns the groups of the actions at `places`, in the order of their first ones.
pub(super) fn groups(actions: &[Action], places: impl Iterator<Item = u16>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut of_widget: FxHashMap<&str, usize> = FxHashMap::default();
    for place in places {
        let action = &actions[usize::from(place)];
        let next = groups.len();
        let at = match action.target() {
            Some(target) => *of_widget.entry(&target.object_id).or_insert(next),
            None => next,
        };
        if at == next {
            groups.push(Group { kinds: Vec::new() });
        }
        let kinds = &mut groups[at].kinds;
        let is_alike = |kind: &&mut Vec<u16>| actions[usize::from(kind[0])].type_name() == action.type_name();
        match kinds.iter_mut().find(is_alike) {
            Some(kind) => kind.push(place),
            None => kinds.push(vec![place]),
        }
    }
    groups
}

/// What follows from the offers of a screen, worked out once a screen.
#[derive(Clone, Debug)]
pub(super) struct OfScreens<T> {
    known: Recent<ScreenId, Arc<T>>,
}

impl<T> Default for OfScreens<T> {
    fn default() -> OfScreens<T> {
        OfScreens { known: Recent::new(SCREENS_HALF) }
    }
}

impl<T> OfScreens<T> {
    /// Returns what `make` makes of the screen of `scene`.
    pub fn get(&mut self, scene: &Scene, make: impl FnOnce(&Scene) -> T) -> Arc<T> {
        self.known.get_or_insert_with(scene.screen_id, || Arc::new(make(scene)), drop).clone()
    }
}
