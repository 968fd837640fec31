//! The screens and actions met so far, numbered, with what follows from them worked out once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::agent::{ActionId, LabelingId, Offer, ScreenId};
use crate::device::App;
use crate::gui::{Action, Identity, Key, Repertoire, Screen, offers};
use crate::ltl::Labels;
use crate::reward::{ActionClass, Goal};

/// So many screens are kept with all that was worked out of them; of others it is worked out again.
const KEPT_MAX: usize = 20_000;

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
    pub ids: Vec<Offer>,
    /// The atoms that hold on it.
    pub labels: Labels,
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
    labelings: FxHashMap<Labeling, LabelingId>,
    /// By their numbers, as far as they are kept.
    entries: BTreeMap<ScreenId, (Arc<Screen>, Arc<Entry>)>,
    tried: FxHashSet<(ScreenId, u16)>,
}

/// What makes two actions the same, wherever their widgets lie.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ActionKey {
    labeling: LabelingId,
    object_id: Arc<str>,
    class: Arc<str>,
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

impl Labeling {
    fn of(action: &Action) -> Labeling {
        let names = match action.target() {
            Some(target) => target.names().map(str::to_string).to_vec(),
            None => Vec::new(),
        };
        let details = match action {
            Action::Reinitialise(_) | Action::Scroll { .. } | Action::Swipe { .. } => action.detail(),
            Action::Click(_)
            | Action::LongClick(_)
            | Action::Text { .. }
            | Action::Back
            | Action::Menu
            | Action::Rotate
            | Action::Network
            | Action::PauseResume
            | Action::Idle
            | Action::User { .. } => "",
        };
        let names = names.into_iter().chain([details.to_string()]).collect();
        Labeling {
            action_type: action.type_name().to_string(),
            names,
            typed: action.typed().map(str::to_string),
        }
    }
}

impl Catalogue {
    /// Returns a catalogue of nothing, for runs of `app` with what `repertoire` adds to its screens.
    pub fn new(app: &App, repertoire: Repertoire) -> Catalogue {
        Catalogue {
            launchable: app.launchable.clone(),
            repertoire,
            start: None,
            ids: FxHashMap::default(),
            by_pointer: FxHashMap::default(),
            actions: FxHashMap::default(),
            labelings: FxHashMap::default(),
            entries: BTreeMap::new(),
            tried: FxHashSet::default(),
        }
    }

    /// What is known before the app is started: it can be started.
    pub fn start(&mut self, goal: &mut Goal) -> Arc<Entry> {
        if let Some(start) = &self.start {
            return start.clone();
        }
        let actions = self.launchable.iter().cloned().map(Action::Reinitialise).collect();
        let start = Arc::new(self.entry(0, actions, Labels::default(), goal));
        self.start = Some(start.clone());
        start
    }

    /// Returns what is known of `screen`.
    #[inline]
    pub fn see(&mut self, screen: &Arc<Screen>, goal: &mut Goal) -> Arc<Entry> {
        match self.by_pointer.get(&(Arc::as_ptr(screen) as usize)) {
            Some((_, entry)) => entry.clone(),
            None => self.see_anew(screen, goal),
        }
    }

    #[cold]
    fn see_anew(&mut self, screen: &Arc<Screen>, goal: &mut Goal) -> Arc<Entry> {
        // The start has the number 0.
        let next = self.ids.len() as ScreenId + 1;
        let id = *self.ids.entry(screen.identity()).or_insert(next);
        let mut actions = offers(screen, &self.repertoire);
        actions.truncate(OFFERS_MAX);
        let labels = goal.screen_labels(screen);
        let entry = Arc::new(self.entry(id, actions, labels, goal));
        if self.by_pointer.len() >= KEPT_MAX {
            self.by_pointer.clear();
            self.entries.clear();
        }
        self.entries.entry(id).or_insert_with(|| (screen.clone(), entry.clone()));
        // The screen is kept with it, so that no other one can come to lie in the same place.
        self.by_pointer.insert(Arc::as_ptr(screen) as usize, (screen.clone(), entry.clone()));
        entry
    }

    fn entry(&mut self, id: ScreenId, actions: Vec<Action>, labels: Labels, goal: &mut Goal) -> Entry {
        let ids = actions.iter().map(|action| self.ids_of(action)).collect();
        let offers =
            actions.into_iter().map(|action| Place { class: goal.action_class(&action), action }).collect();
        Entry { id, offers, ids, labels }
    }

    fn ids_of(&mut self, action: &Action) -> Offer {
        let next = self.labelings.len() as LabelingId;
        let labeling = *self.labelings.entry(Labeling::of(action)).or_insert(next);
        let (object_id, class) = match action.target() {
            Some(target) => (target.object_id.clone(), target.class.clone()),
            None => Default::default(),
        };
        let next = self.actions.len() as ActionId;
        let action = *self.actions.entry(ActionKey { labeling, object_id, class }).or_insert(next);
        Offer { action, labeling }
    }

    /// Notes that the action at `at` was tried.
    #[inline]
    pub fn note_tried(&mut self, entry: &Entry, at: u16) {
        self.tried.insert((entry.id, at));
    }

    /// The labelings met so far, by their numbers.
    pub fn labelings(&self) -> Vec<&Labeling> {
        let mut all: Vec<(&Labeling, LabelingId)> =
            self.labelings.iter().map(|(key, &id)| (key, id)).collect();
        all.sort_by_key(|&(_, id)| id);
        all.into_iter().map(|(labeling, _)| labeling).collect()
    }

    /// Gives a number to a labeling that was met on another run.
    pub fn remember(&mut self, labeling: Labeling) -> LabelingId {
        let next = self.labelings.len() as LabelingId;
        *self.labelings.entry(labeling).or_insert(next)
    }

    /// The actions that were offered and never tried, screen by screen, as far as screens are kept.
    pub fn never_tried(&self) -> Vec<&Action> {
        let untried = |entry: &Entry| -> Vec<u16> {
            (0..entry.offers.len() as u16).filter(|&at| !self.tried.contains(&(entry.id, at))).collect()
        };
        self.entries
            .values()
            .flat_map(|(_, entry)| untried(entry).into_iter().map(|at| &entry.offers[usize::from(at)].action))
            .collect()
    }

    /// The words seen where atoms with `key` look, in alphabetical order, as far as screens are kept.
    pub fn words(&self, key: Key) -> BTreeSet<String> {
        let mut words = BTreeSet::new();
        // Of an app that shows new words all the time, some are enough.
        const WORDS_MAX: usize = 10_000;
        for (screen, entry) in self.entries.values() {
            if words.len() > WORDS_MAX {
                break;
            }
            match key {
                Key::Package => drop(words.insert(screen.package().to_string())),
                Key::Activity => words.extend(screen.activity().rsplit('.').next().map(str::to_string)),
                Key::Text => words.extend(screen.widgets().iter().map(|widget| widget.text.to_string())),
                Key::Desc => words.extend(screen.widgets().iter().map(|widget| widget.desc.to_string())),
                Key::Id => words.extend(screen.widgets().iter().map(|widget| widget.id_entry().to_string())),
                Key::ActionDetail => {
                    let details = entry.offers.iter().flat_map(|offer| offer.action.details());
                    words.extend(details.map(str::to_string));
                }
                _ => {}
            }
        }
        words.remove("");
        words
    }

    /// How many screens were met.
    pub fn screens(&self) -> usize {
        self.ids.len()
    }
}
