//! Groups of offers: the actions of each widget, kind by kind.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::gui::{Action, Target};
use crate::recent::Recent;
use crate::situation::{Scene, ScreenId};

/// Screens with groups in each half of their table: 12 MB where each has 50 widgets.
const SCREENS_HALF: usize = 1_000;

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

/// Findings about the offers of a screen, worked out once a screen.
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

/// Groups of offers of each screen, worked out once where all offers are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupsOfScreens {
    screens: OfScreens<Vec<Group>>,
}

impl GroupsOfScreens {
    /// Returns the groups of the offers at `places`, each of which is one of the scene's.
    pub fn get(&mut self, scene: &Scene, places: &[u16]) -> Arc<Vec<Group>> {
        if places.len() < scene.offers.len() {
            return Arc::new(groups(&scene.actions, places.iter().copied()));
        }
        self.screens.get(scene, |scene| groups(&scene.actions, 0..scene.offers.len() as u16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Direction, Stroke, Touch};

    fn on(object_id: &str) -> Target {
        Target { object_id: object_id.into(), ..Target::default() }
    }

    fn text(object_id: &str, text: &str) -> Action {
        Action::Text { on: on(object_id), text: text.into() }
    }

    #[test]
    fn a_widget_is_one_group_wherever_its_actions_lie() {
        let actions = [
            Action::click(on("0")),
            text("0", "a"),
            text("0", "b"),
            Action::click(on("1")),
            Action::Touch(Touch::LongClick, on("1")),
            Action::Stroke(Stroke::Scroll, on("2"), Direction::Up),
            Action::Stroke(Stroke::Scroll, on("2"), Direction::Down),
            Action::BACK,
            Action::ROTATE,
            // A code comes after all else.
            text("0", "1234"),
        ];
        let kinds = |places: &[u16]| -> Vec<Vec<Vec<u16>>> {
            groups(&actions, places.iter().copied()).into_iter().map(|group| group.kinds).collect()
        };
        let expected = vec![
            vec![vec![0], vec![1, 2, 9]],
            vec![vec![3], vec![4]],
            vec![vec![5, 6]],
            vec![vec![7]],
            vec![vec![8]],
        ];
        assert_eq!(kinds(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), expected);
        assert_eq!(kinds(&[2, 4]), [vec![vec![2]], vec![vec![4]]]);
        assert_eq!(kinds(&[]).len(), 0);
    }
}
