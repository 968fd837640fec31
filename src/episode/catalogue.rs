//! The screens and actions met so far, numbered, with what follows from them worked out once.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::agent::{self, ActionId, ActivityId, LabelingId, Offer, Scene, ScreenId, SpotId};
use crate::device::App;
use crate::gui::{
    Action, Argument, Habit, Identity, Key, Outline, Repertoire, Screen, Target, Touch, habit, offers,
};
use crate::ltl::Labels;
use crate::reward::{ActionClass, Goal, Look};

/// So many widgets and offers of screens are kept, about 100 MB; of other screens all is worked out again.
const KEPT_MAX: usize = 600_000;

/// More actions than this on one screen are not offered: an app with more has no use for them all.
const OFFERS_MAX: usize = 20_000;

/// What is known of a screen.
#[derive(Debug)]
pub struct Entry {
    /// Its number.
    pub id: ScreenId,
    /// What it offers.
    pub offers: Vec<Place>,
    /// The same by numbers.
    pub ids: Arc<[Offer]>,
    /// The atoms that hold on it.
    pub labels: Labels,
    /// The same as a number.
    pub look: Look,
    activity: ActivityId,
    outline: Outline,
}

impl Entry {
    /// The screen as agents see it.
    pub fn scene(&self) -> Scene<'_> {
        Scene {
            screen: self.id,
            activity: self.activity,
            look: self.look.0,
            frame: self.outline.frame,
            contents: &self.outline.contents,
            offers: &self.ids,
        }
    }
}

/// An action that a screen offers.
#[derive(Clone, Debug)]
pub struct Place {
    /// What it is.
    pub action: Action,
    /// What its labels are.
    pub class: ActionClass,
}

/// Everything met so far.
#[derive(Debug)]
pub struct Catalogue {
    launchable: Vec<Arc<str>>,
    repertoire: Repertoire,
    /// The start, before any screen.
    start: Option<Arc<Entry>>,
    ids: FxHashMap<Identity, ScreenId>,
    /// By the very screen: a device that gives the same one again saves reading it.
    by_pointer: FxHashMap<usize, (Arc<Screen>, Arc<Entry>)>,
    actions: FxHashMap<ActionKey, ActionId>,
    spots: FxHashMap<SpotKey, SpotId>,
    activities: FxHashMap<(Arc<str>, Arc<str>), ActivityId>,
    labelings: Labelings,
    /// Whether screens are taken apart, and habits and hints worked out.
    is_detailed: bool,
    /// By their numbers, as far as they are kept.
    entries: BTreeMap<ScreenId, (Arc<Screen>, Arc<Entry>)>,
    /// How much is kept, see [`KEPT_MAX`].
    kept: usize,
    tried: FxHashSet<(ScreenId, u16)>,
    /// The screens that were met, and not just recalled.
    met: FxHashSet<ScreenId>,
    /// Whether a screen offered more than is taken in.
    has_left_out: bool,
}

/// What makes two actions the same, wherever their widgets lie.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ActionKey {
    labeling: LabelingId,
    object_id: Arc<str>,
    class: Arc<str>,
}

/// What makes two actions the same, whatever their widgets are called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SpotKey {
    action_type: Arc<str>,
    object_id: Arc<str>,
    class: Arc<str>,
    id: Arc<str>,
    /// What is typed, or the direction.
    detail: Arc<str>,
}

/// What makes two actions alike, wherever they are offered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Labeling {
    /// The type.
    pub action_type: String,
    /// What the widget is called: its text, its description and the entry name of its id; else the action's detail.
    pub names: Vec<String>,
    /// What is typed.
    pub typed: Option<String>,
}

/// The parts of a [`Labeling`] as an action has them, or a labeling itself: to look one up takes no copy.
#[derive(Clone, Copy)]
struct Parts<'a, N> {
    action_type: &'a str,
    names: N,
    typed: Option<&'a str>,
}

impl<'a, N: Iterator<Item = &'a str> + Clone> Parts<'a, N> {
    fn hash(&self) -> u64 {
        let mut hash = FxHasher::default();
        self.action_type.hash(&mut hash);
        self.names.clone().for_each(|name| name.hash(&mut hash));
        self.typed.hash(&mut hash);
        hash.finish()
    }

    fn is(&self, labeling: &Labeling) -> bool {
        self.action_type == labeling.action_type
            && self.typed == labeling.typed.as_deref()
            && self.names.clone().eq(labeling.names.iter().map(String::as_str))
    }

    fn to_labeling(&self) -> Labeling {
        Labeling {
            action_type: self.action_type.to_string(),
            names: self.names.clone().map(str::to_string).collect(),
            typed: self.typed.map(str::to_string),
        }
    }
}

impl Labeling {
    fn parts(&self) -> Parts<'_, impl Iterator<Item = &str> + Clone> {
        let names = self.names.iter().map(String::as_str);
        Parts { action_type: &self.action_type, names, typed: self.typed.as_deref() }
    }
}

fn parts(action: &Action) -> Parts<'_, impl Iterator<Item = &str> + Clone> {
    let names = action.target().map(Target::names).into_iter().flatten().chain([detail(action)]);
    Parts { action_type: action.type_name(), names, typed: action.typed() }
}

/// What an action says besides its type, its widget and what is typed.
fn detail(action: &Action) -> &str {
    match action.argument() {
        Argument::Activity(activity) => activity,
        Argument::Towards(towards) => towards.name(),
        Argument::None | Argument::Text(_) | Argument::Own(_) => "",
    }
}

impl SpotKey {
    fn new(action: &Action) -> SpotKey {
        let (object_id, class, id) = match action.target() {
            Some(target) => (target.object_id.clone(), target.class.clone(), target.id.clone()),
            None => Default::default(),
        };
        let detail = action.typed().unwrap_or(detail(action)).into();
        SpotKey { action_type: action.type_name().into(), object_id, class, id, detail }
    }
}

/// The labelings met so far, by their numbers.
#[derive(Debug, Default)]
struct Labelings {
    list: Vec<Labeling>,
    /// By the hash, or one of the numbers that follow it where others share it.
    numbers: FxHashMap<u64, LabelingId>,
}

/// So many labelings are told apart; each takes a hundred bytes or more.
const LABELINGS_MAX: usize = 300_000;

impl Labelings {
    fn number<'a>(&mut self, parts: &Parts<'a, impl Iterator<Item = &'a str> + Clone>) -> LabelingId {
        let mut key = parts.hash();
        while let Some(&number) = self.numbers.get(&key) {
            if parts.is(&self.list[number as usize]) {
                return number;
            }
            key = key.wrapping_add(1);
        }
        if self.list.len() >= LABELINGS_MAX {
            // Beyond, they share numbers with others: agents learn a little of one from another.
            return (key % LABELINGS_MAX as u64) as LabelingId;
        }
        let number = self.list.len() as LabelingId;
        self.list.push(parts.to_labeling());
        self.numbers.insert(key, number);
        number
    }
}

impl Catalogue {
    /// Returns a catalogue of nothing, for runs of `app` with what `repertoire` adds to its screens. If it `is_detailed`,
    /// screens are taken apart, and habits and hints worked out.
    pub fn new(app: &App, repertoire: Repertoire, is_detailed: bool) -> Catalogue {
        Catalogue {
            launchable: app.launchable.clone(),
            repertoire,
            start: None,
            ids: FxHashMap::default(),
            by_pointer: FxHashMap::default(),
            actions: FxHashMap::default(),
            spots: FxHashMap::default(),
            activities: FxHashMap::default(),
            labelings: Labelings::default(),
            is_detailed,
            entries: BTreeMap::new(),
            kept: 0,
            tried: FxHashSet::default(),
            met: FxHashSet::default(),
            has_left_out: false,
        }
    }

    /// What is known before the app is started: it can be started.
    pub fn start(&mut self, goal: &mut Goal) -> Arc<Entry> {
        if let Some(start) = &self.start {
            return start.clone();
        }
        let mut actions = self.launchable.iter().cloned().map(Action::Reinitialise).collect();
        self.repertoire.rules.leave_out(&mut actions);
        let start = Arc::new(self.entry(0, None, actions, Labels::default(), goal));
        self.start = Some(start.clone());
        start
    }

    /// Returns what is known of `screen`.
    #[inline]
    pub fn see(&mut self, screen: &Arc<Screen>, goal: &mut Goal) -> Arc<Entry> {
        match self.by_pointer.get(&(Arc::as_ptr(screen) as usize)) {
            Some((_, entry)) => entry.clone(),
            None => {
                let entry = self.recall(screen, goal);
                self.met.insert(entry.id);
                entry
            }
        }
    }

    /// Returns what is known of a screen that was seen on another run: it does not count as met.
    #[cold]
    pub fn recall(&mut self, screen: &Arc<Screen>, goal: &mut Goal) -> Arc<Entry> {
        // The start has the number 0.
        let next = self.ids.len() as ScreenId + 1;
        let id = *self.ids.entry(screen.identity()).or_insert(next);
        let mut actions = offers(screen, &self.repertoire);
        self.has_left_out |= actions.len() > OFFERS_MAX;
        actions.truncate(OFFERS_MAX);
        let labels = goal.screen_labels(screen);
        let entry = Arc::new(self.entry(id, Some(screen), actions, labels, goal));
        // A screen without widgets takes some room too.
        self.kept += 8 + screen.widgets().len() + 2 * entry.offers.len();
        if self.kept > KEPT_MAX {
            self.by_pointer.clear();
            self.entries.clear();
            self.kept = 0;
        }
        self.entries.entry(id).or_insert_with(|| (screen.clone(), entry.clone()));
        // The screen is kept with it, so that no other one can come to lie in the same place.
        self.by_pointer.insert(Arc::as_ptr(screen) as usize, (screen.clone(), entry.clone()));
        entry
    }

    fn entry(
        &mut self,
        id: ScreenId,
        screen: Option<&Screen>,
        actions: Vec<Action>,
        labels: Labels,
        goal: &mut Goal,
    ) -> Entry {
        let ids: Arc<[Offer]> =
            actions.iter().map(|action| self.offer(screen, action, &labels, goal)).collect();
        let next = self.activities.len() as ActivityId;
        let name = screen.map(|screen| (screen.package().clone(), screen.activity().clone()));
        let activity = *self.activities.entry(name.unwrap_or_default()).or_insert(next);
        let outline = screen.filter(|_| self.is_detailed).map(Outline::new).unwrap_or_default();
        let offers = actions.into_iter().zip(&*ids);
        let offers =
            offers.map(|(action, offer)| Place { class: ActionClass(offer.class), action }).collect();
        Entry { id, offers, ids, look: goal.look(&labels), labels, activity, outline }
    }

    /// `here` are the labels of `screen`.
    fn offer(&mut self, screen: Option<&Screen>, action: &Action, here: &Labels, goal: &mut Goal) -> Offer {
        let labeling = self.labelings.number(&parts(action));
        let (object_id, class) = match action.target() {
            Some(target) => (target.object_id.clone(), target.class.clone()),
            None => Default::default(),
        };
        let next = self.actions.len() as ActionId;
        let id = *self.actions.entry(ActionKey { labeling, object_id, class }).or_insert(next);
        let mut offer = Offer {
            action: id,
            labeling,
            spot: 0,
            class: goal.action_class(action).0,
            has_name: false,
            hints: 0,
            habit: agent::Habit::Any,
        };
        if self.is_detailed {
            let spot = SpotKey::new(action);
            let next = self.spots.len() as SpotId;
            offer.spot = *self.spots.entry(spot).or_insert(next);
            let names = action.target().map(Target::names);
            offer.has_name = names.is_none_or(|names| names.iter().any(|name| !name.is_empty()));
            offer.hints = goal.hints(action);
        }
        if let Some(screen) = screen.filter(|_| self.is_detailed) {
            offer.habit = match habit(screen, action, &|key| goal.looks_at(key)) {
                Habit::Any => agent::Habit::Any,
                Habit::Stays => agent::Habit::Stays,
                Habit::MostlyStays => agent::Habit::MostlyStays,
                Habit::Back => agent::Habit::Back,
                Habit::Becomes(screen) => {
                    let labels = goal.screen_labels(&screen);
                    match action {
                        // What changes nothing by itself may change more than itself.
                        Action::Touch(Touch::Click, _) if labels == *here => agent::Habit::Any,
                        Action::Text { .. } if labels == *here => agent::Habit::MostlyStays,
                        _ if labels == *here => agent::Habit::Stays,
                        _ => agent::Habit::Becomes(goal.look(&labels).0),
                    }
                }
            };
        }
        offer
    }

    /// Notes that the action at `at` was tried.
    #[inline]
    pub fn note_tried(&mut self, entry: &Entry, at: u16) {
        self.tried.insert((entry.id, at));
    }

    /// The labelings met so far, by their numbers.
    pub fn labelings(&self) -> Vec<&Labeling> {
        self.labelings.list.iter().collect()
    }

    /// Gives a number to a labeling that was met on another run.
    pub fn remember(&mut self, labeling: Labeling) -> LabelingId {
        self.labelings.number(&labeling.parts())
    }

    /// The actions that were offered and never tried, screen by screen, as far as screens are kept.
    pub fn never_tried(&self) -> Vec<&Action> {
        let untried = |entry: &Entry| -> Vec<u16> {
            (0..entry.offers.len() as u16).filter(|&at| !self.tried.contains(&(entry.id, at))).collect()
        };
        self.entries
            .values()
            .filter(|(_, entry)| self.met.contains(&entry.id))
            .flat_map(|(_, entry)| untried(entry).into_iter().map(|at| &entry.offers[usize::from(at)].action))
            .collect()
    }

    /// The words seen where atoms with `key` look, in alphabetical order, as far as screens are kept.
    pub fn words(&self, key: Key) -> BTreeSet<String> {
        // Most words are on many screens, so that a copy is made of each at the end alone.
        let mut words: FxHashSet<&str> = FxHashSet::default();
        // Of an app that shows new words all the time, some are enough.
        const WORDS_MAX: usize = 10_000;
        for (screen, entry) in self.entries.values().filter(|(_, entry)| self.met.contains(&entry.id)) {
            if words.len() > WORDS_MAX {
                break;
            }
            match key {
                Key::Package => drop(words.insert(screen.package())),
                Key::Activity => words.extend(screen.activity().rsplit('.').next()),
                Key::Text => words.extend(screen.widgets().iter().map(|widget| &*widget.text)),
                Key::Desc => words.extend(screen.widgets().iter().map(|widget| &*widget.desc)),
                Key::Id => words.extend(screen.widgets().iter().map(|widget| widget.id_entry())),
                Key::ActionDetail => {
                    words.extend(entry.offers.iter().flat_map(|offer| offer.action.details()));
                }
                _ => {}
            }
        }
        words.remove("");
        words.into_iter().map(str::to_string).collect()
    }

    /// How many screens were met.
    pub fn screens(&self) -> usize {
        self.met.len()
    }

    /// Whether a screen offered more actions than are looked at.
    pub fn has_left_out(&self) -> bool {
        self.has_left_out
    }
}
