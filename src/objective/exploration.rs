//! Exploration: to see what an app has, and where it fails, with no other aim.
//!
//! An episode is over where the app crashes or does not respond. Nothing else is ever reached or lost. Specs that are watched
//! meanwhile tell actions apart, and change no reward.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::{Judgement, Moment, Objective, Report, Verdict};
use crate::gui::{
    Action, Atom, Element, Flags, Key, Labeller, Screen, Target, TypedText, Widget, WidgetTest, is_text_field,
};
use crate::situation::{ClassId, LinkId, LookId, PhaseId};
use crate::spec::Spec;

/// Rewards of exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pays {
    /// Rewards for news of the whole run: an activity or a crash 1, a state 0.3; a step outside of the app -0.1.
    #[default]
    Novelty,
    /// Those of ARES: an activity that is new in the episode or a crash 1000, a step outside of the app -100, a change to
    /// an activity of the episode 0, an action that means nothing -50, anything else -1.
    Ares,
    /// Those of FATE: as [`Ares`](Pays::Ares) has them, but an action that means nothing -30, and staying in an activity -1
    /// only until the first move of the episode, 0 after it.
    Fate,
    /// Those of DinoDroid, with what a phone shows in place of lines of code: 5 for the first time that an event is done, a
    /// new state, activity, crash or way between two activities, -2 for anything else.
    Dino,
}

/// Reward of a state that is new in the run, and of a step outside of the app.
const NEW_STATE: f64 = 0.3;
const OUTSIDE: f64 = -0.1;

/// ARES's rewards.
const ARES_NEW: f64 = 1_000.0;
const ARES_OUTSIDE: f64 = -100.0;
const ARES_STAYS: f64 = -1.0;
const ARES_NOTHING: f64 = -50.0;
const FATE_NOTHING: f64 = -30.0;

/// DinoDroid's rewards.
const DINO_NEW: f64 = 5.0;
const DINO_OLD: f64 = -2.0;

/// Progress of an episode for all rewards but those for novelty: the activity in front, and, for ARES and FATE, those of the
/// episode.
type Visited = (LookId, BTreeSet<LookId>);

/// Screens that are the same to this objective.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Kind {
    activity: Arc<str>,
    is_outside: bool,
    /// Identity of the crash, empty if it is not known; none if the app runs.
    fault: Option<Arc<str>>,
}

/// The objective of exploring.
#[derive(Clone, Debug)]
pub struct Exploration {
    pays: Pays,
    package: Arc<str>,
    /// Conditions of watched specs on actions.
    labeller: Labeller,
    /// Their conditions on widgets, which a text may make a field meet.
    wanted: Vec<(u32, WidgetTest)>,
    class_of: BTreeMap<BTreeSet<u32>, ClassId>,
    kinds: Vec<Option<Kind>>,
    look_of: FxHashMap<Kind, LookId>,
    /// Looks on the device so far.
    seen: BTreeSet<LookId>,
    /// Events and ways between activities so far, by hash, if they pay.
    done: FxHashSet<u64>,
    visited: Vec<Visited>,
    phase_of: BTreeMap<Visited, PhaseId>,
    /// Phases after steps, by the phase before and the look after.
    after: FxHashMap<(PhaseId, LookId), PhaseId>,
}

impl Exploration {
    /// Returns the objective of exploring the app `package`.
    pub fn new(package: Arc<str>, pays: Pays) -> Exploration {
        let start = (LookId(0), BTreeSet::new());
        Exploration {
            pays,
            package,
            labeller: Labeller::default(),
            wanted: Vec::new(),
            class_of: BTreeMap::from([(BTreeSet::new(), ClassId::UNNAMED)]),
            kinds: vec![None],
            look_of: FxHashMap::default(),
            seen: BTreeSet::new(),
            done: FxHashSet::default(),
            visited: vec![start.clone()],
            phase_of: BTreeMap::from([(start, PhaseId::START)]),
            after: FxHashMap::default(),
        }
    }

    /// Returns the same objective, which tells apart the actions that conditions of these specs name, and the texts after which
    /// a field of a page meets one.
    pub fn watching<'a>(self, specs: impl IntoIterator<Item = &'a Spec>) -> Exploration {
        let atoms: Vec<(u32, &Atom)> =
            (0..).zip(specs.into_iter().flat_map(|spec| spec.atoms.values())).collect();
        let test = |&(number, atom): &(u32, &Atom)| Some((number, WidgetTest::new(atom)?));
        let wanted = atoms.iter().filter_map(test).collect();
        Exploration { labeller: Labeller::new(atoms, TypedText::Counts), wanted, ..self }
    }

    /// Returns the numbers of the conditions that the field `on` of a page meets once it has `text`, and does not meet now.
    fn met_by(&self, on: &Target, text: &Arc<str>) -> Vec<u32> {
        if Element::of(&on.class).is_none() {
            return Vec::new();
        }
        let field = |text: &Arc<str>| Widget {
            depth: 0,
            class: on.class.clone(),
            id: on.id.clone(),
            text: text.clone(),
            desc: on.desc.clone(),
            bounds: on.bounds,
            flags: Flags::EDITABLE.set(Flags::ENABLED, true).set(Flags::FOCUSED, true),
        };
        let (before, after) = (field(&on.text), field(text));
        let is_met = |test: &WidgetTest, field: &Widget| test.holds(field, &on.object_id);
        let news = self.wanted.iter().filter(|(_, test)| is_met(test, &after) && !is_met(test, &before));
        news.map(|&(number, _)| number).collect()
    }

    /// Returns the phase after a step to `look`.
    fn after(&mut self, from: PhaseId, look: LookId) -> PhaseId {
        if self.pays == Pays::Novelty {
            return PhaseId::START;
        }
        if let Some(&known) = self.after.get(&(from, look)) {
            return known;
        }
        let mut visited = self.visited[from.index()].clone();
        visited.0 = look;
        if self.pays != Pays::Dino {
            visited.1.insert(look);
        }
        let next = PhaseId(self.visited.len() as u32);
        let phase = *self.phase_of.entry(visited.clone()).or_insert(next);
        if phase == next {
            self.visited.push(visited);
        }
        self.after.insert((from, look), phase);
        phase
    }
}

impl Objective for Exploration {
    fn look(&mut self, screen: Option<&Screen>, _: LinkId) -> LookId {
        let Some(screen) = screen else { return LookId(0) };
        let context = screen.context();
        let fault = (context.crashed || context.anr).then(|| screen.crash().cloned().unwrap_or_default());
        let is_outside = *screen.package() != self.package;
        let kind = Kind { activity: screen.activity().clone(), is_outside, fault };
        let next = LookId(self.kinds.len() as u32);
        let look = *self.look_of.entry(kind.clone()).or_insert(next);
        if look == next {
            self.kinds.push(Some(kind));
        }
        look
    }

    fn sign(&self, look: LookId) -> u64 {
        let mut hasher = FxHasher::default();
        self.kinds[look.index()].hash(&mut hasher);
        hasher.finish()
    }

    fn class(&mut self, action: &Action) -> ClassId {
        let next = ClassId(self.class_of.len() as u32);
        let mut labels = self.labeller.of_action(action);
        if let Action::Text { on, text } = action {
            labels.extend(self.met_by(on, text));
        }
        *self.class_of.entry(labels).or_insert(next)
    }

    fn step(&mut self, from: PhaseId, moment: &Moment<'_>) -> Judgement {
        let next = self.after(from, moment.look);
        let is_new = self.seen.insert(moment.look);
        let kind = self.kinds[moment.look.index()].as_ref();
        let is_faulty = kind.is_some_and(|kind| kind.fault.is_some());
        let is_outside = kind.is_some_and(|kind| kind.is_outside);
        let (front, before) = &self.visited[from.index()];
        let is_first = self.pays == Pays::Dino && {
            let is_first = self.done.insert(event(*front, moment.action));
            self.done.insert(hash([*front, moment.look].map(|look| look.0.to_le_bytes()).as_flattened()))
                || is_first
        };
        let reward = match self.pays {
            Pays::Novelty if is_outside && !is_faulty => OUTSIDE,
            Pays::Novelty if is_new => 1.0,
            Pays::Novelty if moment.is_new => NEW_STATE,
            Pays::Novelty => 0.0,
            Pays::Ares | Pays::Fate if is_faulty => ARES_NEW,
            Pays::Ares | Pays::Fate if is_outside => ARES_OUTSIDE,
            Pays::Ares | Pays::Fate if !before.contains(&moment.look) => ARES_NEW,
            Pays::Ares | Pays::Fate if *front != moment.look => 0.0,
            // FATE notes the last activity only when it changes.
            Pays::Fate if before.len() > 1 => 0.0,
            Pays::Ares | Pays::Fate => ARES_STAYS,
            Pays::Dino if is_first || is_new || moment.is_new => DINO_NEW,
            Pays::Dino => DINO_OLD,
        };
        let verdict = if is_faulty { Verdict::Won } else { Verdict::Open };
        Judgement { next, verdict, reward, distance: Some(0) }
    }

    fn reward_of_nothing(&self) -> f64 {
        match self.pays {
            Pays::Novelty => 0.0,
            Pays::Ares => ARES_NOTHING,
            Pays::Fate => FATE_NOTHING,
            Pays::Dino => DINO_OLD,
        }
    }

    fn reads(&self, key: Key) -> bool {
        [Key::Activity, Key::Crashed, Key::Crash, Key::Anr].contains(&key)
    }

    fn labels(&self, _: PhaseId, _: ClassId, _: LookId) -> Vec<Arc<str>> {
        Vec::new()
    }

    fn conditions(&self) -> &[Arc<str>] {
        &[]
    }

    fn remaining(&self, _: PhaseId) -> String {
        "true".to_string()
    }

    fn closest(&self) -> Option<u32> {
        None
    }

    fn report(&self, _: &dyn Fn(Key) -> BTreeSet<String>) -> Report {
        Report::default()
    }
}

/// Returns the number of an event: what is done, and the name of the widget that it is done on, in an activity. The text of a
/// field is what was typed, and no name.
fn event(front: LookId, action: &Action) -> u64 {
    let mut bytes = front.0.to_le_bytes().to_vec();
    bytes.extend(action.type_name().bytes());
    if let Some(target) = action.target() {
        let [text, desc, id] = target.names();
        let names = [if is_text_field(&target.class) { "" } else { text }, desc, id];
        let place = if names.iter().all(|name| name.is_empty()) { &*target.object_id } else { "" };
        for part in names.into_iter().chain([place]) {
            bytes.push(0);
            bytes.extend(part.bytes());
        }
    }
    hash(&bytes)
}

/// Returns the FNV-1a hash of some bytes.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Context, DeviceAction};
    use crate::objective::Seen;
    use crate::spec::Source;

    /// Rewards of steps to these activities of `p`, and whether the last one ends the episode.
    fn rewards(pays: Pays, steps: &[(&str, &str, bool)]) -> (Vec<f64>, bool) {
        let mut objective = Exploration::new("p".into(), pays);
        let (mut phase, mut rewards, mut ends) = (PhaseId::START, Vec::new(), false);
        for &(package, activity, crashed) in steps {
            let context = Context { crashed, ..Context::default() };
            let screen = Screen::new(package, activity, context, Vec::new());
            let (action, look) =
                (Action::Device(DeviceAction::Back), objective.look(Some(&screen), LinkId::default()));
            let class = objective.class(&action);
            let seen = Seen::Recalled(&screen);
            let judgement =
                objective.step(phase, &Moment { action: &action, class, seen, look, is_new: false });
            phase = judgement.next;
            ends = judgement.verdict == Verdict::Won;
            rewards.push(judgement.reward);
        }
        (rewards, ends)
    }

    #[test]
    fn novelty_pays_once_a_run() {
        let steps =
            [("p", "A", false), ("p", "B", false), ("p", "A", false), ("q", "C", false), ("p", "A", true)];
        assert_eq!(rewards(Pays::Novelty, &steps), (vec![1.0, 1.0, 0.0, -0.1, 1.0], true));
    }

    #[test]
    fn staying_costs_nothing_after_the_first_move_if_fate_pays() {
        let steps =
            [("p", "A", false), ("p", "A", false), ("p", "B", false), ("p", "B", false), ("p", "A", false)];
        assert_eq!(rewards(Pays::Fate, &steps), (vec![1000.0, -1.0, 1000.0, 0.0, 0.0], false));
        let back = [("p", "A", false), ("p", "B", false), ("p", "A", false), ("p", "A", false)];
        assert_eq!(rewards(Pays::Fate, &back), (vec![1000.0, 1000.0, 0.0, 0.0], false));
    }

    #[test]
    fn dinodroid_is_paid_for_events_and_ways_that_are_new() {
        // The key back in A, the way to B, the key back in B, the way to A, and nothing more.
        let steps = [("p", "A", false), ("p", "A", false), ("p", "A", false), ("p", "B", false)];
        let more = [("p", "A", false), ("p", "B", false), ("p", "A", false), ("p", "C", true)];
        let (rewards, ends) = rewards(Pays::Dino, &[steps, more].concat());
        assert_eq!(rewards, [5.0, 5.0, -2.0, 5.0, 5.0, -2.0, -2.0, 5.0]);
        assert!(ends);
    }

    #[test]
    fn an_action_that_means_nothing_pays_what_its_makers_say() {
        let pays = |pays| Exploration::new("p".into(), pays).reward_of_nothing();
        assert_eq!([Pays::Novelty, Pays::Ares, Pays::Fate, Pays::Dino].map(pays), [0.0, -50.0, -30.0, -2.0]);
    }

    #[test]
    fn actions_are_told_apart_by_the_specs_that_are_watched() {
        let [one, other, plain] = [DeviceAction::Enter, DeviceAction::Reload, DeviceAction::Back];
        let text =
            "never \"a\": F [actionType = enter]\nmust \"b\": G N ([actionType = reload] -> [text = A])";
        let specs = crate::spec::parse(&Source::new("a.ltl", text)).file.specs;
        assert_eq!(specs.len(), 2);
        let mut blind = Exploration::new("p".into(), Pays::Novelty);
        let mut watching = blind.clone().watching(&specs);
        let [one, other, plain] = [one, other, plain].map(Action::Device);
        for action in [&one, &other, &plain] {
            assert_eq!(blind.class(action), ClassId::UNNAMED);
        }
        let classes = [&one, &other, &plain].map(|action| watching.class(action));
        assert_eq!(classes[2], ClassId::UNNAMED);
        assert_eq!(BTreeSet::from(classes).len(), 3, "{classes:?}");
    }

    #[test]
    fn texts_are_told_apart_by_what_watched_specs_ask_of_a_field_of_a_page() {
        let specs =
            crate::spec::parse(&Source::new("a.ltl", "never \"a\": F [id = age, text = 121]")).file.specs;
        let mut objective = Exploration::new("p".into(), Pays::Novelty).watching(&specs);
        let mut class = |class: &str, id: &str, before: &str, text: &str| {
            let on = Target { class: class.into(), id: id.into(), text: before.into(), ..Target::default() };
            objective.class(&Action::Text { on, text: text.into() })
        };
        let element = "input spinbutton";
        assert_ne!(class(element, "age", "", "121"), ClassId::UNNAMED);
        assert_eq!(class(element, "age", "", "12"), ClassId::UNNAMED);
        assert_eq!(class(element, "age", "121", "121"), ClassId::UNNAMED);
        assert_eq!(class(element, "name", "", "121"), ClassId::UNNAMED);
        assert_eq!(class("android.widget.EditText", "age", "", "121"), ClassId::UNNAMED);
    }

    #[test]
    fn ares_pays_for_activities_of_the_episode() {
        let steps =
            [("p", "A", false), ("p", "B", false), ("p", "A", false), ("p", "A", false), ("q", "C", false)];
        assert_eq!(rewards(Pays::Ares, &steps), (vec![1000.0, 1000.0, 0.0, -1.0, -100.0], false));
    }
}
