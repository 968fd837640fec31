//! Walks by chance, in which buttons and fields are drawn more often than keys.
//!
//! A page offers a dozen keys and gestures besides its own buttons, and a field takes many texts; drawn evenly, they would take
//! most of the steps. A text is sent as often as not, as pages do with it what they do once it is sent. A field that a step has
//! opened is used at once as a rule, as it closes with most other steps. Actions that a watched spec names come first in an
//! activity where they were not done yet.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::super::groups::groups;
use super::cover::worth;
use crate::gui::{Action, DeviceAction, Flags, Screen, Widget};
use crate::rng::Rng;
use crate::situation::{ActivityId, ClassId, Scene, Situation};

/// Chance that a text is sent right after it was typed.
const SENT: f64 = 0.5;
/// Chance that a field is used right after it was opened. This number and those below were chosen on `todos` of `tests/pages`
/// with faults; the other pages there report.
const USED: f64 = 0.8;
/// Weight of a text for a field, of emptying it, and of a key of the browser. A click has that of coverage.
const FILLING: f64 = 2.0;
const EMPTYING: f64 = 0.7;
const EMPTYING_OPENED: f64 = 3.0;
const EMPTYING_EMPTY: f64 = 0.1;
const KEY: f64 = 0.06;
/// Factor on the weight of an action that a spec names and that was not done yet in the activity.
const NAMED: f64 = 4.0;
/// Most activities and classes of actions that are remembered.
const DONE_MAX: usize = 10_000;

/// The member that walks.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// True if the last choice was a text.
    has_typed: bool,
    /// Screen of the last choice.
    before: Option<Arc<Screen>>,
    /// Classes of actions that were done, by activity.
    done: FxHashSet<(ActivityId, ClassId)>,
}

impl Walk {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.has_typed = false;
        self.before = None;
    }

    /// Draws a candidate: a kind of action on a widget by its weight, and one of this kind.
    pub fn next(&mut self, situation: &Situation<'_>, rng: &mut Rng) -> u16 {
        let scene = situation.scene;
        let at = self.draw(situation, rng);
        self.has_typed = matches!(scene.actions[usize::from(at)], Action::Text { .. });
        self.before = scene.screen.clone();
        if self.done.len() < DONE_MAX {
            self.done.insert((scene.activity, scene.offers[usize::from(at)].class));
        }
        at
    }

    fn draw(&self, situation: &Situation<'_>, rng: &mut Rng) -> u16 {
        let Situation { scene, candidates, .. } = *situation;
        let action = |at: u16| &scene.actions[usize::from(at)];
        let is_enter = |at: &u16| *action(*at) == Action::Device(DeviceAction::Enter);
        if self.has_typed
            && let Some(enter) = candidates.iter().copied().find(is_enter)
            && rng.unit() < SENT
        {
            return enter;
        }
        let of_opened = self.of_opened(scene, candidates);
        let is_used = !of_opened.is_empty() && rng.unit() < USED;
        let drawn_from = if is_used { of_opened } else { candidates.to_vec() };
        let mut kinds: Vec<Vec<u16>> = Vec::new();
        for kind in groups(&scene.actions, drawn_from.into_iter()).into_iter().flat_map(|group| group.kinds) {
            let (empties, fills) = kind.into_iter().partition(|&at| empties(action(at)));
            kinds.extend([empties, fills].into_iter().filter(|kind: &Vec<u16>| !kind.is_empty()));
        }
        let mut sum = 0.0;
        let sums: Vec<f64> = kinds
            .iter()
            .map(|kind| {
                let is_news = self.is_named_and_new(scene, kind[0]);
                sum += weight(scene, kind[0], is_used) * if is_news { NAMED } else { 1.0 };
                sum
            })
            .collect();
        let drawn = rng.unit() * sum;
        let kind = &kinds[sums.partition_point(|&sum| sum <= drawn).min(kinds.len() - 1)];
        kind[rng.below(kind.len())]
    }

    fn is_named_and_new(&self, scene: &Scene, at: u16) -> bool {
        let class = scene.offers[usize::from(at)].class;
        class != ClassId::UNNAMED && !self.done.contains(&(scene.activity, class))
    }

    /// Returns those of `candidates` that use a field which the last step has opened: its texts, and the keys it takes.
    fn of_opened(&self, scene: &Scene, candidates: &[u16]) -> Vec<u16> {
        let Some(before) = &self.before else { return Vec::new() };
        let is_alike = |one: &Widget, other: &Widget| {
            (&one.class, &one.id, &one.desc) == (&other.class, &other.id, &other.desc)
        };
        let is_opened = |field: &Widget| {
            field.flags.has(Flags::EDITABLE) && !before.widgets().iter().any(|other| is_alike(field, other))
        };
        if !scene.widgets().iter().any(is_opened) {
            return Vec::new();
        }
        let is_for_opened = |&at: &u16| match &scene.actions[usize::from(at)] {
            Action::Text { .. } => scene.widget(at).is_some_and(is_opened),
            Action::Device(DeviceAction::Enter | DeviceAction::Escape) => {
                scene.screen.as_ref().and_then(|screen| screen.focused_field()).is_some_and(is_opened)
            }
            Action::Device(_)
            | Action::Touch(..)
            | Action::Stroke(..)
            | Action::User { .. }
            | Action::Reinitialise(_) => false,
        };
        candidates.iter().copied().filter(is_for_opened).collect()
    }
}

fn empties(action: &Action) -> bool {
    matches!(action, Action::Text { text, .. } if text.is_empty())
}

fn weight(scene: &Scene, at: u16, is_opened: bool) -> f64 {
    let is_empty = |at: u16| scene.widget(at).is_some_and(|field| field.text.is_empty());
    match &scene.actions[usize::from(at)] {
        action if empties(action) && is_empty(at) => EMPTYING_EMPTY,
        action if empties(action) && is_opened => EMPTYING_OPENED,
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
    use super::*;
    use crate::gui::{Bounds, Context, Target, Touch};
    use crate::rng::Seed;
    use crate::situation::{Offer, PhaseId};

    fn scene(actions: Vec<Action>, screen: Option<Screen>) -> Scene {
        Scene {
            state: Default::default(),
            screen_id: Default::default(),
            activity: Default::default(),
            look: Default::default(),
            frame: 0,
            slots: actions.len() as u16,
            offers: (0..actions.len() as u16).map(Offer::numbered).collect(),
            actions: Arc::from(actions),
            screen: screen.map(Arc::new),
        }
    }

    /// Counts the choices of 1,000 walks at the last of these screens, each with its actions.
    fn choices(scenes: &[&Scene]) -> Vec<usize> {
        let mut counts = vec![0; scenes.last().expect("a screen").actions.len()];
        for walk in 0..1_000 {
            let (mut rng, mut at) = (Seed(walk).fork("walk"), 0);
            let mut walk = Walk::default();
            for scene in scenes {
                let all: Vec<u16> = (0..scene.slots).collect();
                let (candidates, preferred) = (&all[..], &all[..]);
                let phase = PhaseId::START;
                at = walk.next(&Situation { scene, phase, steps_left: 9, candidates, preferred }, &mut rng);
            }
            counts[usize::from(at)] += 1;
        }
        counts
    }

    #[test]
    fn a_field_that_was_opened_is_used_at_once() {
        let widget = |class: &str, text: &str, flags: Flags| Widget {
            depth: 0,
            class: class.into(),
            id: "".into(),
            text: text.into(),
            desc: "".into(),
            bounds: Bounds::new(0, 0, 9, 9),
            flags: flags.set(Flags::ENABLED, true),
        };
        let rows: Vec<Widget> = (0..4).map(|_| widget("Row", "a", Flags::CLICKABLE)).collect();
        let field = widget("Field", "a", Flags::EDITABLE.set(Flags::FOCUSED, true));
        let screen = |widgets: Vec<Widget>| Screen::new("p", "A", Context::default(), widgets);
        let (closed, opened) = (screen(rows.clone()), screen([rows, vec![field]].concat()));
        let on = |place: u32| Target { object_id: place.to_string().into(), ..Target::default() };
        let clicks = || (0..4).map(|place| Action::Touch(Touch::Click, on(place)));
        let text = |text: &str| Action::Text { on: on(4), text: text.into() };
        let uses = [text(""), text("b"), Action::Device(DeviceAction::Enter)];
        let before = scene(clicks().collect(), Some(closed));
        let after = scene(clicks().chain(uses).collect(), Some(opened));
        let uses = |counts: Vec<usize>| counts[4..].iter().sum::<usize>();
        let (anew, later) = (uses(choices(&[&before, &after])), uses(choices(&[&after, &after])));
        assert!(anew > 850, "{anew} of 1,000 use a field that was opened");
        assert!(later < 750, "{later} of 1,000 use a field that was there");
    }

    #[test]
    fn actions_that_a_spec_names_come_first_where_they_are_new() {
        let on = |id: &str| Target { object_id: id.into(), ..Target::default() };
        let clicks = (0..10).map(|at: u8| Action::Touch(Touch::Click, on(&at.to_string())));
        let plain = scene(clicks.collect(), None);
        let mut offers = plain.offers.to_vec();
        offers[3].class = ClassId(1);
        let named = Scene { offers: offers.into(), ..plain.clone() };
        let (first, without) = (choices(&[&named])[3], choices(&[&plain])[3]);
        assert!(first > 2 * without, "{first} of 1,000 in place of {without}");
        // After a hundred steps on the same screen it was done.
        let later = choices(&vec![&named; 100])[3];
        assert!(later < 2 * without, "{later} of 1,000 in place of {without}");
    }

    #[test]
    fn buttons_come_before_keys_and_half_of_the_texts_are_sent() {
        let on =
            |id: &str| Target { object_id: id.into(), bounds: Bounds::new(0, 0, 9, 9), ..Target::default() };
        let text = |text: &str| Action::Text { on: on("field"), text: text.into() };
        let mut actions =
            vec![Action::Touch(Touch::Click, on("button")), text(""), text("a"), text("b"), text("c")];
        let keys = [DeviceAction::Enter, DeviceAction::Back, DeviceAction::Forward, DeviceAction::Reload];
        actions.extend(keys.map(Action::Device));
        let scene = scene(actions, None);
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
