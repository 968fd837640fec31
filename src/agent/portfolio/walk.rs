//! Walks by chance, in which buttons and fields are drawn more often than keys.
//!
//! A page offers a dozen keys and gestures besides its own buttons, and a field takes many texts; drawn evenly, they would take
//! most of the steps. A text is sent as often as not, as pages do with it what they do once it is sent.

use super::super::groups::groups;
use super::cover::worth;
use crate::gui::{Action, DeviceAction};
use crate::rng::Rng;
use crate::situation::{Scene, Situation};

/// Chance that a text is sent right after it was typed.
const SENT: f64 = 0.5;
/// Weight of a text for a field, of emptying it, and of a key of the browser. A click has that of coverage.
const FILLING: f64 = 2.0;
const EMPTYING: f64 = 0.7;
const KEY: f64 = 0.06;

/// The member that walks.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// True if the last choice was a text.
    has_typed: bool,
}

impl Walk {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.has_typed = false;
    }

    /// Draws a candidate: a kind of action on a widget by its weight, and one of this kind.
    pub fn next(&mut self, situation: &Situation<'_>, rng: &mut Rng) -> u16 {
        let Situation { scene, candidates, .. } = *situation;
        let action = |at: u16| &scene.actions[usize::from(at)];
        let is_enter = |at: &u16| *action(*at) == Action::Device(DeviceAction::Enter);
        if std::mem::take(&mut self.has_typed)
            && let Some(enter) = candidates.iter().copied().find(is_enter)
            && rng.unit() < SENT
        {
            return enter;
        }
        let mut kinds: Vec<Vec<u16>> = Vec::new();
        for kind in
            groups(&scene.actions, candidates.iter().copied()).into_iter().flat_map(|group| group.kinds)
        {
            let (empties, fills) = kind.into_iter().partition(|&at| empties(action(at)));
            kinds.extend([empties, fills].into_iter().filter(|kind: &Vec<u16>| !kind.is_empty()));
        }
        let mut sum = 0.0;
        let sums: Vec<f64> = kinds
            .iter()
            .map(|kind| {
                sum += weight(scene, kind[0]);
                sum
            })
            .collect();
        let drawn = rng.unit() * sum;
        let kind = &kinds[sums.partition_point(|&sum| sum <= drawn).min(kinds.len() - 1)];
        let at = kind[rng.below(kind.len())];
        self.has_typed = matches!(action(at), Action::Text { .. });
        at
    }
}

fn empties(action: &Action) -> bool {
    matches!(action, Action::Text { text, .. } if text.is_empty())
}

fn weight(scene: &Scene, at: u16) -> f64 {
    match &scene.actions[usize::from(at)] {
        action if empties(action) => EMPTYING,
        Action::Text { .. } => FILLING,
        Action::Device(DeviceAction::Enter) => worth(scene, at),
        Action::Device(_) => KEY,
        Action::Touch(..) | Action::User { .. } | Action::Stroke(..) | Action::Reinitialise(_) => {
            worth(scene, at)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gui::{Bounds, Target, Touch};
    use crate::rng::Seed;
    use crate::situation::{Offer, PhaseId};

    #[test]
    fn buttons_come_before_keys_and_half_of_the_texts_are_sent() {
        let on =
            |id: &str| Target { object_id: id.into(), bounds: Bounds::new(0, 0, 9, 9), ..Target::default() };
        let text = |text: &str| Action::Text { on: on("field"), text: text.into() };
        let mut actions =
            vec![Action::Touch(Touch::Click, on("button")), text(""), text("a"), text("b"), text("c")];
        let keys = [DeviceAction::Enter, DeviceAction::Back, DeviceAction::Forward, DeviceAction::Reload];
        actions.extend(keys.map(Action::Device));
        let scene = Scene {
            state: Default::default(),
            screen_id: Default::default(),
            activity: Default::default(),
            look: Default::default(),
            frame: 0,
            slots: 9,
            offers: (0..actions.len() as u16).map(Offer::numbered).collect(),
            actions: Arc::from(actions),
            screen: None,
        };
        let all: Vec<u16> = (0..9).collect();
        let situation = Situation {
            scene: &scene,
            phase: PhaseId::START,
            steps_left: 9,
            candidates: &all,
            preferred: &all,
        };
        let (mut walk, mut rng) = (Walk::default(), Seed(1).fork("walk"));
        let drawn: Vec<u16> = (0..4_000).map(|_| walk.next(&situation, &mut rng)).collect();
        let count = |is_it: &dyn Fn(u16) -> bool| drawn.iter().filter(|&&at| is_it(at)).count();
        assert!(count(&|at| at == 0) > 4 * count(&|at| at > 5), "a button before three keys");
        assert!(count(&|at| (2..5).contains(&at)) > 2 * count(&|at| at == 1), "filling before emptying");
        let pairs = drawn.windows(2).filter(|pair| (1..5).contains(&pair[0]));
        let (texts, sent) =
            pairs.fold((0, 0), |(texts, sent), pair| (texts + 1, sent + u32::from(pair[1] == 5)));
        assert!((50..75).contains(&(sent * 100 / texts)), "{sent} of {texts} are sent");
        let some: Vec<u16> = vec![7, 8];
        let fewer = Situation { candidates: &some, ..situation };
        assert!((0..100).all(|_| some.contains(&walk.next(&fewer, &mut rng))));
    }
}
