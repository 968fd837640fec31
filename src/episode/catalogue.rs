//! The screens and actions met so far, numbered, with all that follows from them worked out once.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::abstraction::{Abstraction, AbstractionInfo, Counts, Numbering};
use crate::device::App;
use crate::gui::{
    Action, Argument, Flags, Habit, Identity, Key, Link, Outline, Repertoire, Screen, Target, Touch,
    for_each_code, habit, offers, short_activity,
};
use crate::learned_model::{NamedScreen, Naming};
use crate::ltl::Interval;
use crate::objective::Objective;
use crate::recent::{NumberSet, Recent};
use crate::situation::{
    self, ActionId, ActivityId, Labeling, LabelingId, LinkId, LookId, Offer, Scene, ScreenId, SpotId,
    StateId, Transition, View,
};

/// Bound on the widgets and offers of screens that are kept, about 50 MB; for other screens all is worked out again.
const KEPT_MAX: usize = 300_000;

/// Most actions of a screen that are offered: an app with more has no use for them all.
const OFFERS_MAX: usize = 20_000;

/// Most codes that are typed: each is another text for every field, and a clock or a feed shows a new one at each look.
const CODES_MAX: usize = 4;

// A table of the standard library doubles its room as it fills up; these fill the room that they have.

/// Screens told apart that were met last, in each half of their table: 13 MB. One that was not met for that long is new.
const SCREENS_HALF: usize = 225_000;

/// Tried offers in each half of their table: 14 MB.
const TRIED_HALF: usize = 450_000;

/// Most actions that are told apart, 9 MB, and most names of places and classes of widgets.
const ACTIONS_MAX: usize = 450_000;
const NAMES_MAX: usize = 100_000;

/// Most actions that are told apart whatever their widgets are called.
const SPOTS_MAX: usize = 200_000;

/// Screen and its actions: all that steps of the past are told by.
#[derive(Debug)]
pub struct Site {
    /// Number of the screen, told apart exactly.
    pub id: ScreenId,
    /// Screen itself; none before the app is started.
    pub screen: Option<Arc<Screen>>,
    /// Actions that it offers.
    pub actions: Arc<[Action]>,
    /// Screen as the objective sees it.
    pub look: LookId,
}

/// Screen, and all that follows from it for an objective.
#[derive(Debug)]
pub struct Entry {
    /// Screen and its actions.
    pub site: Arc<Site>,
    /// Actions in numbers, with the exact number of each.
    pub offers: Arc<[Offer]>,
    /// Link of the screen to the step before.
    pub link: LinkId,
    activity: ActivityId,
    /// Mark of its look.
    sign: u64,
    outline: Outline,
}

impl Entry {
    /// Returns the screen as abstractions see it.
    fn view(&self) -> View<'_> {
        View {
            screen_id: self.site.id,
            activity: self.activity,
            look: self.site.look,
            sign: self.sign,
            outline: &self.outline,
            offers: &self.offers,
            actions: &self.site.actions,
            screen: self.site.screen.as_deref(),
        }
    }
}

/// Encounter with a screen: the screen, and its state as states are numbered now.
#[derive(Debug)]
pub struct Encounter {
    /// Screen.
    pub entry: Arc<Entry>,
    /// Screen as agents see it, its offers as actions of the state.
    pub scene: Scene,
    /// Number of times that states had got other numbers when this was made.
    numbering: u32,
}

/// Encounter, and its news.
#[derive(Clone, Debug)]
pub struct Met {
    /// Encounter.
    pub encounter: Arc<Encounter>,
    /// True if its state is met for the first time in this search.
    pub is_new: bool,
}

/// Everything met so far.
pub struct Catalogue {
    launchable: Vec<Arc<str>>,
    repertoire: Repertoire,
    /// Start, before any screen.
    start: Option<Arc<Encounter>>,
    ids: Recent<Identity, ScreenId>,
    /// Number of the screen that got one last.
    last_id: u32,
    /// Encounters by the address of the screen and its link: a device that gives the same one again saves reading it.
    by_pointer: FxHashMap<(usize, LinkId), Arc<Encounter>>,
    actions: FxHashMap<ActionKey, u32>,
    /// Names of places and classes of widgets.
    names: FxHashMap<Arc<str>, u32>,
    spots: FxHashMap<SpotKey, u32>,
    activities: FxHashMap<(Arc<str>, Arc<str>), ActivityId>,
    labelings: Labelings,
    /// True if screens are taken apart, and habits and hints worked out.
    is_detailed: bool,
    info: &'static AbstractionInfo,
    abstraction: Box<dyn Abstraction>,
    /// Knowledge of an earlier run that the abstraction goes on with.
    naming: Option<Naming>,
    /// Encounters by screen, as far as they were asked for since states were numbered.
    encounters: FxHashMap<ScreenId, Arc<Encounter>>,
    /// Number of times that states have got other numbers.
    numbering: u32,
    /// Slots of the actions of states.
    slots: FxHashMap<StateId, FxHashMap<ActionId, u16>>,
    /// Entries by number, as far as they are kept.
    entries: BTreeMap<ScreenId, Arc<Entry>>,
    /// Weight of all that is kept, see [`KEPT_MAX`].
    kept: usize,
    /// Weight of all that was ever made.
    made: u64,
    /// Number of tries of each offer, and for those that are forgotten the number of offers by their tries.
    tried: Recent<(ScreenId, u16), u32>,
    forgotten_tries: BTreeMap<u32, usize>,
    /// Screens that were met, and not just recalled.
    met: NumberSet,
    /// States that were met or recalled.
    states_met: NumberSet,
    /// True if a screen offered more than is taken in.
    has_left_out: bool,
    /// Codes that screens have shown, and that are not offered yet.
    codes: Vec<Arc<str>>,
    /// True if a screen had a field.
    has_field: bool,
}

/// Exact identity of an action, wherever its widget lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ActionKey {
    labeling: LabelingId,
    /// Numbers of the names of its place and its class.
    object_id: u32,
    class: u32,
}

/// Identity of an action whatever its widget is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SpotKey {
    action_type: Arc<str>,
    object_id: Arc<str>,
    class: Arc<str>,
    id: Arc<str>,
    /// Typed text, or the direction.
    detail: Arc<str>,
}

/// Action of a screen, with true if its widget takes texts.
#[derive(Clone, Copy)]
struct Given<'a> {
    action: &'a Action,
    is_on_field: bool,
}

/// Parts of a [`Labeling`], of an action or of a labeling itself: looking one up takes no copy.
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

    fn is(&self, labeling: &Packed) -> bool {
        self.typed.is_some() == labeling.is_typed && self.all().eq(labeling.all())
    }

    /// Iterates over the type, the names, and the typed text if there is one.
    fn all(&self) -> impl Iterator<Item = &'a str> + use<'a, N> {
        std::iter::once(self.action_type).chain(self.names.clone()).chain(self.typed)
    }
}

fn parts_of_labeling(labeling: &Labeling) -> Parts<'_, impl Iterator<Item = &str> + Clone> {
    let names = labeling.names.iter().map(String::as_str);
    Parts { action_type: &labeling.action_type, names, typed: labeling.typed.as_deref() }
}

fn parts(action: &Action, is_on_field: bool) -> Parts<'_, impl Iterator<Item = &str> + Clone> {
    let names = names(action, is_on_field).into_iter().flatten().chain([detail(action)]);
    Parts { action_type: action.type_name(), names, typed: action.typed() }
}

/// Returns the names of the widget of an action. What stands in a field was typed, and is no name of it.
fn names(action: &Action, is_on_field: bool) -> Option<[&str; 3]> {
    let [text, desc, id] = action.target()?.names();
    Some(if is_on_field { ["", desc, id] } else { [text, desc, id] })
}

/// Returns the detail of an action besides its type, its widget and its typed text.
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

/// Returns the number of `key`, its own as long as fewer than `most` have one. Later keys share the numbers, and agents
/// learn a little of one from another.
fn number<K: Clone + Eq + Hash>(numbers: &mut FxHashMap<K, u32>, key: &K, most: usize) -> u32 {
    if let Some(&known) = numbers.get(key) {
        return known;
    }
    if numbers.len() >= most {
        let mut hash = FxHasher::default();
        key.hash(&mut hash);
        return (hash.finish() % most as u64) as u32;
    }
    let next = numbers.len() as u32;
    numbers.insert(key.clone(), next);
    next
}

/// Labelings met so far, by their numbers.
#[derive(Debug, Default)]
struct Labelings {
    list: Vec<Packed>,
    /// Bytes of all of them, about.
    bytes: usize,
    /// Numbers by hash, or by one of the numbers after it where others share the hash.
    numbers: FxHashMap<u64, LabelingId>,
}

/// Labeling in little room, as an app may show new texts for ever: its parts behind each other, with their ends.
#[derive(Debug)]
struct Packed {
    text: Box<str>,
    ends: Box<[u32]>,
    is_typed: bool,
}

impl Packed {
    fn new<'a>(parts: &Parts<'a, impl Iterator<Item = &'a str> + Clone>) -> Packed {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for part in parts.all() {
            text += part;
            ends.push(text.len() as u32);
        }
        Packed { text: text.into(), ends: ends.into(), is_typed: parts.typed.is_some() }
    }

    /// Iterates over the type, the names, and the typed text if there is one.
    fn all(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends
            .iter()
            .map(move |&end| &self.text[std::mem::replace(&mut start, end as usize)..end as usize])
    }

    fn labeling(&self) -> Labeling {
        let mut all = self.all().map(str::to_string);
        let action_type = all.next().expect("a labeling has a type");
        let mut names: Vec<String> = all.collect();
        let typed = if self.is_typed { names.pop() } else { None };
        Labeling { action_type, names, typed }
    }
}

/// Most bytes of labelings that are told apart, some 200,000 of short names; and the bytes of one besides its text.
const LABELINGS_BYTES_MAX: usize = 32 << 20;
const LABELING_BYTES: usize = 120;

impl Labelings {
    fn number<'a>(&mut self, parts: &Parts<'a, impl Iterator<Item = &'a str> + Clone>) -> LabelingId {
        let mut key = parts.hash();
        while let Some(&number) = self.numbers.get(&key) {
            if parts.is(&self.list[number.index()]) {
                return number;
            }
            key = key.wrapping_add(1);
        }
        if self.bytes >= LABELINGS_BYTES_MAX {
            // Beyond, labelings share numbers: agents learn a little of one from another.
            return LabelingId((key % self.list.len() as u64) as u32);
        }
        let number = LabelingId(self.list.len() as u32);
        let labeling = Packed::new(parts);
        self.bytes += LABELING_BYTES + labeling.text.len();
        self.list.push(labeling);
        self.numbers.insert(key, number);
        number
    }
}

impl Catalogue {
    /// Returns an empty catalogue for runs of `app`, with what `repertoire` adds to its screens, and with states by
    /// `abstraction`. If it `is_detailed`, screens are taken apart, and habits and hints worked out.
    pub fn new(
        app: &App,
        repertoire: Repertoire,
        abstraction: &'static AbstractionInfo,
        is_detailed: bool,
    ) -> Catalogue {
        Catalogue {
            launchable: app.launchable.clone(),
            repertoire,
            start: None,
            ids: Recent::new(SCREENS_HALF),
            last_id: 0,
            by_pointer: FxHashMap::default(),
            actions: FxHashMap::default(),
            names: FxHashMap::default(),
            spots: FxHashMap::default(),
            activities: FxHashMap::default(),
            labelings: Labelings::default(),
            is_detailed: is_detailed || abstraction.needs_outline,
            info: abstraction,
            abstraction: (abstraction.make)(),
            naming: None,
            encounters: FxHashMap::default(),
            numbering: 0,
            slots: FxHashMap::default(),
            entries: BTreeMap::new(),
            kept: 0,
            made: 0,
            tried: Recent::new(TRIED_HALF),
            forgotten_tries: BTreeMap::new(),
            met: NumberSet::default(),
            states_met: NumberSet::default(),
            has_left_out: false,
            codes: Vec::new(),
            has_field: false,
        }
    }

    /// Returns the encounter before the app is started: it can be started.
    pub fn start(&mut self, objective: &mut dyn Objective) -> Arc<Encounter> {
        let entry = match &self.start {
            Some(start) if start.numbering == self.numbering => return start.clone(),
            Some(start) => start.entry.clone(),
            None => {
                let mut actions = self.launchable.iter().cloned().map(Action::Reinitialise).collect();
                self.repertoire.rules.leave_out(&mut actions);
                Arc::new(self.entry(ScreenId::default(), (None, LinkId::default()), actions, objective))
            }
        };
        let start = self.encounter(&entry);
        self.start = Some(start.clone());
        start
    }

    /// Returns the encounter with `screen`, which has this link to the step before. Screens with other links are told apart.
    #[inline]
    pub fn see(&mut self, screen: &Arc<Screen>, link: LinkId, objective: &mut dyn Objective) -> Met {
        match self.by_pointer.get(&(Arc::as_ptr(screen) as usize, link)) {
            Some(encounter) if encounter.numbering == self.numbering => {
                Met { encounter: encounter.clone(), is_new: false }
            }
            Some(_) | None => self.see_anew(screen, link, objective),
        }
    }

    #[cold]
    fn see_anew(&mut self, screen: &Arc<Screen>, link: LinkId, objective: &mut dyn Objective) -> Met {
        let met = self.recall(screen, link, objective);
        self.met.insert(met.encounter.entry.site.id.0);
        met
    }

    /// Returns the encounter with a screen that was seen on another run: it does not count as met.
    #[cold]
    pub fn recall(&mut self, screen: &Arc<Screen>, link: LinkId, objective: &mut dyn Objective) -> Met {
        let entry = self.read(screen, link, objective);
        let is_new = !self.encounters.contains_key(&entry.site.id);
        let encounter = self.encounter_at(screen, &entry);
        let is_new = is_new && self.states_met.insert(encounter.scene.state.0);
        Met { encounter, is_new }
    }

    /// Returns the encounter with a screen of a step that is learned once more; its state does not count as met.
    pub fn relearn(
        &mut self,
        screen: &Arc<Screen>,
        link: LinkId,
        objective: &mut dyn Objective,
    ) -> Arc<Encounter> {
        let entry = self.read(screen, link, objective);
        self.encounter_at(screen, &entry)
    }

    /// Takes notice that the state of an encounter was met before states were numbered as they are.
    pub fn note_met(&mut self, encounter: &Encounter) {
        self.states_met.insert(encounter.scene.state.0);
    }

    fn encounter_at(&mut self, screen: &Arc<Screen>, entry: &Arc<Entry>) -> Arc<Encounter> {
        let encounter = self.encounter(entry);
        // The entry holds the screen, so that no other one can come to lie at the same address.
        self.by_pointer.insert((Arc::as_ptr(screen) as usize, entry.link), encounter.clone());
        encounter
    }

    /// Returns all that follows from a screen.
    fn read(&mut self, screen: &Arc<Screen>, link: LinkId, objective: &mut dyn Objective) -> Arc<Entry> {
        match self.by_pointer.get(&(Arc::as_ptr(screen) as usize, link)) {
            Some(known) => known.entry.clone(),
            None => self.read_anew(screen, link, objective),
        }
    }

    fn read_anew(&mut self, screen: &Arc<Screen>, link: LinkId, objective: &mut dyn Objective) -> Arc<Entry> {
        let last_id = &mut self.last_id;
        let next = || {
            // The start has the number 0.
            *last_id += 1;
            ScreenId(*last_id)
        };
        let id = *self.ids.get_or_insert_with(screen.identity().linked(link.0), next, drop);
        self.note_codes(screen);
        let (actions, has_left_out) = self.actions(screen);
        self.has_left_out |= has_left_out;
        let entry = Arc::new(self.entry(id, (Some(screen), link), actions, objective));
        // A screen without widgets takes some room too.
        let weight = 8 + screen.weight() + 2 * entry.offers.len();
        self.kept += weight;
        self.made += weight as u64;
        if self.kept > KEPT_MAX {
            self.drop_screens();
        }
        self.entries.entry(id).or_insert_with(|| entry.clone());
        entry
    }

    /// Returns the actions that a screen offers, and true if some are left out.
    fn actions(&self, screen: &Screen) -> (Vec<Action>, bool) {
        let mut actions = offers(screen, &self.repertoire);
        let has_left_out = actions.len() > OFFERS_MAX;
        actions.truncate(OFFERS_MAX);
        (actions, has_left_out)
    }

    /// Returns the site that `screen`, with this number and look, had while the same texts were offered as now.
    pub fn site(&self, id: ScreenId, screen: Arc<Screen>, look: LookId) -> Arc<Site> {
        let (actions, _) = self.actions(&screen);
        Arc::new(Site { id, screen: Some(screen), actions: actions.into(), look })
    }

    /// Returns the weight of all sites that were made so far; their screens may be gone since.
    pub fn made(&self) -> u64 {
        self.made
    }

    fn drop_screens(&mut self) {
        self.by_pointer.clear();
        self.entries.clear();
        self.encounters.clear();
        self.kept = 0;
    }

    fn note_codes(&mut self, screen: &Screen) {
        self.has_field |= screen.widgets().iter().any(|widget| widget.flags.has(Flags::EDITABLE));
        let Repertoire { texts, codes, .. } = &self.repertoire;
        // A feed shows new texts for ever.
        if codes.len() + self.codes.len() >= CODES_MAX {
            return;
        }
        for_each_code(screen, &mut |code| {
            let mut known = texts.iter().chain(codes).chain(&self.codes);
            if codes.len() + self.codes.len() < CODES_MAX && !known.any(|text| **text == *code) {
                self.codes.push(code.into());
            }
        });
    }

    /// Offers the codes that screens have shown since the last time to every field from now on. Returns true if there are
    /// any: then screens offer more than before, and states have other numbers.
    pub fn learn_codes(&mut self) -> bool {
        let is_any = self.has_field && !self.codes.is_empty();
        if is_any {
            self.repertoire.codes.append(&mut self.codes);
            self.drop_screens();
            self.renumber();
        }
        is_any
    }

    /// Returns the number of texts that are typed into fields without a rule.
    pub fn texts(&self) -> usize {
        self.repertoire.texts.len()
    }

    /// Returns the codes that are offered.
    pub fn codes(&self) -> &[Arc<str>] {
        &self.repertoire.codes
    }

    /// Returns the encounter with the screen of an entry, its state as it is numbered now.
    pub fn encounter(&mut self, entry: &Arc<Entry>) -> Arc<Encounter> {
        match self.encounters.get(&entry.site.id) {
            // Screens that look the same may be several values; an encounter is with one of them.
            Some(known) if Arc::ptr_eq(&known.entry, entry) => known.clone(),
            Some(_) | None => self.encounter_anew(entry),
        }
    }

    #[cold]
    fn encounter_anew(&mut self, entry: &Arc<Entry>) -> Arc<Encounter> {
        let view = entry.view();
        let state = self.abstraction.state(&view);
        let (offers, slots) = if self.info.is_exact {
            (entry.offers.clone(), entry.offers.len() as u16)
        } else {
            self.abstract_offers(state, &view)
        };
        let scene = Scene {
            state,
            screen_id: entry.site.id,
            activity: entry.activity,
            look: entry.site.look,
            frame: entry.outline.frame,
            slots,
            offers,
            actions: entry.site.actions.clone(),
            screen: entry.site.screen.clone(),
        };
        let encounter = Arc::new(Encounter { entry: entry.clone(), scene, numbering: self.numbering });
        self.encounters.insert(encounter.entry.site.id, encounter.clone());
        encounter
    }

    fn abstract_offers(&mut self, state: StateId, view: &View<'_>) -> (Arc<[Offer]>, u16) {
        let slots = self.slots.entry(state).or_default();
        let actions = self.abstraction.actions(state, view);
        let offers = view.offers.iter().zip(actions).map(|(offer, action)| {
            // One number is left for the count of slots; beyond, actions share the last slot.
            let next = slots.len().min(usize::from(u16::MAX) - 1) as u16;
            let slot = *slots.entry(action).or_insert(next);
            Offer { action, slot, ..*offer }
        });
        let offers: Arc<[Offer]> = offers.collect();
        (offers, slots.len().min(usize::from(u16::MAX)) as u16)
    }

    /// Shows the abstraction a step, and tells whether states keep their numbers.
    pub fn observe(&mut self, transition: &Transition<'_>) -> Numbering {
        let numbering = self.abstraction.observe(transition);
        if numbering == Numbering::Refined {
            self.renumber();
        }
        numbering
    }

    /// Tells the abstraction that the same steps have led elsewhere than before from `from`.
    pub fn contradict(&mut self, from: &Scene) {
        self.abstraction.contradict(from);
    }

    /// Has the abstraction forget all screens but those that `is_kept`, of the latest `steps`.
    pub fn retain(&mut self, steps: usize, is_kept: &dyn Fn(ScreenId) -> bool) {
        self.abstraction.retain(steps, is_kept);
        self.renumber();
    }

    /// Shows the abstraction a step of an earlier run, and tells whether states keep their numbers.
    pub fn observe_old(&mut self, transition: &Transition<'_>) -> Numbering {
        let numbering = self.abstraction.recall(transition);
        if numbering == Numbering::Refined {
            self.renumber();
        }
        numbering
    }

    /// Starts over with an abstraction that has seen nothing.
    pub fn abstract_anew(&mut self) {
        self.abstraction = (self.info.make)();
        if let Some(naming) = &self.naming {
            self.abstraction.go_on(naming);
        }
        self.renumber();
    }

    /// Has the abstraction go on with what an earlier run has learned, if it was one of this name. Nothing has been seen yet.
    pub fn go_on(&mut self, naming: &Naming) {
        if *naming.abstraction == *self.info.name {
            self.naming = Some(naming.clone());
            self.abstract_anew();
        }
    }

    /// Returns all that another run needs to go on with the abstraction, if it names widgets.
    pub fn naming(&self) -> Option<Naming> {
        self.abstraction.naming(self.info.name)
    }

    /// Returns a screen with its actions as the abstraction names it now, if it names widgets.
    pub fn named(
        &mut self,
        screen: &Arc<Screen>,
        objective: &mut dyn Objective,
    ) -> Option<(Arc<Site>, NamedScreen)> {
        let entry = self.read(screen, LinkId::default(), objective);
        Some((entry.site.clone(), self.abstraction.named(&entry.view())?))
    }

    fn renumber(&mut self) {
        self.numbering += 1;
        self.encounters.clear();
        self.slots.clear();
        self.states_met = NumberSet::default();
    }

    /// Returns the size of the model of states, if one is learned.
    pub fn counts(&self) -> Option<Counts> {
        self.abstraction.counts()
    }

    /// Returns true if states may get other numbers.
    pub fn can_refine(&self) -> bool {
        self.info.can_refine
    }

    fn entry(
        &mut self,
        id: ScreenId,
        (screen, link): (Option<&Arc<Screen>>, LinkId),
        actions: Vec<Action>,
        objective: &mut dyn Objective,
    ) -> Entry {
        let look = objective.look(screen.map(|screen| &**screen), link);
        let typed = actions.iter().filter(|action| action.typed().is_some()).filter_map(Action::target);
        let fields: FxHashSet<&str> = typed.map(|field| &*field.object_id).collect();
        let is_on_field =
            |action: &Action| action.target().is_some_and(|target| fields.contains(&*target.object_id));
        let offers = (0..).zip(&actions).map(|(slot, action)| {
            let given = Given { action, is_on_field: is_on_field(action) };
            self.offer(screen.map(|screen| &**screen), slot, given, look, objective)
        });
        let mut offers: Vec<Offer> = offers.collect();
        if self.is_detailed {
            for (offer, hints) in offers.iter_mut().zip(objective.hints(&actions)) {
                offer.hints = hints;
            }
        }
        let offers: Arc<[Offer]> = offers.into();
        let next = ActivityId(self.activities.len() as u32);
        let name = screen.map(|screen| (screen.package().clone(), screen.activity().clone()));
        let activity = *self.activities.entry(name.unwrap_or_default()).or_insert(next);
        let outline = screen.filter(|_| self.is_detailed).map(|screen| Outline::new(screen));
        Entry {
            site: Arc::new(Site { id, screen: screen.cloned(), actions: actions.into(), look }),
            offers,
            link,
            activity,
            sign: objective.sign(look),
            outline: outline.unwrap_or_default(),
        }
    }

    /// Returns the offer of `action` on `screen`, which the objective sees as `here`.
    fn offer(
        &mut self,
        screen: Option<&Screen>,
        slot: u16,
        Given { action, is_on_field }: Given<'_>,
        here: LookId,
        objective: &mut dyn Objective,
    ) -> Offer {
        let labeling = self.labelings.number(&parts(action, is_on_field));
        let (object_id, class) = match action.target() {
            Some(Target { object_id, class, .. }) => {
                (number(&mut self.names, object_id, NAMES_MAX), number(&mut self.names, class, NAMES_MAX))
            }
            // No name of a widget has this number.
            None => (u32::MAX, u32::MAX),
        };
        let key = ActionKey { labeling, object_id, class };
        let mut offer = Offer {
            action: ActionId(number(&mut self.actions, &key, ACTIONS_MAX)),
            slot,
            labeling,
            spot: SpotId::default(),
            class: objective.class(action),
            has_name: false,
            hints: 0,
            habit: situation::Habit::Any,
        };
        if self.is_detailed {
            let spot = SpotKey::new(action);
            offer.spot = SpotId(number(&mut self.spots, &spot, SPOTS_MAX));
            let names = names(action, is_on_field);
            offer.has_name = names.is_none_or(|names| names.iter().any(|name| !name.is_empty()));
        }
        if let Some(screen) = screen.filter(|_| self.is_detailed) {
            offer.habit = match habit(screen, action, &|key| objective.reads(key)) {
                Habit::Any => situation::Habit::Any,
                Habit::Stays => situation::Habit::Stays,
                Habit::MostlyStays => situation::Habit::MostlyStays,
                Habit::Back => situation::Habit::Back,
                Habit::Becomes(after) => {
                    let link = Link { before: Some(screen), action: Some(action), after: &after };
                    let link = objective.link(link, Interval::default());
                    let look = objective.look(Some(&after), link);
                    match action {
                        // An action without an effect of its own may change more than itself.
                        Action::Touch(Touch::Click, _) if look == here => situation::Habit::Any,
                        Action::Text { .. } if look == here => situation::Habit::MostlyStays,
                        _ if look == here => situation::Habit::Stays,
                        _ => situation::Habit::Becomes(look),
                    }
                }
            };
        }
        offer
    }

    /// Notes that the action at `at` was tried.
    #[inline]
    pub fn note_tried(&mut self, entry: &Entry, at: u16) {
        let forgotten = &mut self.forgotten_tries;
        let forget = |(_, tries)| *forgotten.entry(tries).or_insert(0) += 1;
        *self.tried.get_or_insert_with((entry.site.id, at), || 0, forget) += 1;
    }

    /// Returns the actions that were offered and never tried, screen by screen, as far as screens are kept.
    pub fn never_tried(&self) -> Vec<&Action> {
        let untried = |entry: &Entry| -> Vec<u16> {
            (0..entry.site.actions.len() as u16)
                .filter(|&at| self.tried.peek(&(entry.site.id, at)).is_none())
                .collect()
        };
        self.entries
            .values()
            .filter(|entry| self.met.contains(entry.site.id.0))
            .flat_map(|entry| untried(entry).into_iter().map(|at| &entry.site.actions[usize::from(at)]))
            .collect()
    }

    /// Returns the number of offers that were tried, by their number of tries.
    pub fn tries(&self) -> BTreeMap<u32, usize> {
        let mut tries = self.forgotten_tries.clone();
        self.tried.values().for_each(|&times| *tries.entry(times).or_insert(0) += 1);
        tries
    }

    /// Returns the words seen where conditions with `key` look, in alphabetical order, as far as screens are kept.
    pub fn words(&self, key: Key) -> BTreeSet<String> {
        // Most words are on many screens, so each is copied at the end alone.
        let mut words: FxHashSet<&str> = FxHashSet::default();
        // An app that shows new words all the time has enough with some.
        const WORDS_MAX: usize = 10_000;
        for entry in self.entries.values().filter(|entry| self.met.contains(entry.site.id.0)) {
            if words.len() > WORDS_MAX {
                break;
            }
            let Some(screen) = &entry.site.screen else { continue };
            match key {
                Key::Package => drop(words.insert(screen.package())),
                Key::Activity => drop(words.insert(short_activity(screen.activity()))),
                // Typed text is the run's own word, and would hide the app's that is nearest.
                Key::Text => words.extend(
                    screen
                        .widgets()
                        .iter()
                        .filter(|widget| !widget.flags.has(Flags::TYPED))
                        .map(|widget| &*widget.text),
                ),
                Key::Desc => words.extend(screen.widgets().iter().map(|widget| &*widget.desc)),
                Key::Id => words.extend(screen.widgets().iter().map(|widget| widget.id_entry())),
                Key::ActionDetail => words.extend(entry.site.actions.iter().flat_map(Action::details)),
                _ => {}
            }
        }
        words.remove("");
        words.into_iter().map(str::to_string).collect()
    }

    /// Returns the number of screens that were met.
    pub fn screens(&self) -> usize {
        self.met.len()
    }

    /// Returns true if a screen offered more actions than are looked at.
    pub fn has_left_out(&self) -> bool {
        self.has_left_out
    }
}

impl situation::Labelings for Catalogue {
    fn number(&mut self, labeling: Labeling) -> LabelingId {
        self.labelings.number(&parts_of_labeling(&labeling))
    }

    fn labeling(&self, number: LabelingId) -> Option<Labeling> {
        self.labelings.list.get(number.index()).map(Packed::labeling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_a_field_is_no_name_of_it() {
        let mut labelings = Labelings::default();
        let mut number = |text: &str, is_on_field: bool| {
            let desc = "Title".into();
            let on = Target { text: text.into(), desc, ..Target::default() };
            labelings.number(&parts(&Action::click(on), is_on_field))
        };
        assert_eq!(number("Milk", true), number("Bread", true));
        assert_ne!(number("Milk", false), number("Bread", false));
    }

    #[test]
    fn long_names_take_bounded_room_and_known_ones_keep_their_numbers() {
        let mut labelings = Labelings::default();
        let name = |number: usize| format!("{number} {}", "x".repeat(1 << 20));
        let labeling = |number: usize| Labeling {
            action_type: "click".to_string(),
            names: vec![name(number)],
            typed: None,
        };
        let numbers: Vec<LabelingId> =
            (0..40).map(|at| labelings.number(&parts_of_labeling(&labeling(at)))).collect();
        let kept: usize = labelings.list.iter().map(|labeling| labeling.text.len()).sum();
        assert!(kept < LABELINGS_BYTES_MAX + (2 << 20), "{kept}");
        let known = labelings.list.len();
        assert!((20..40).contains(&known), "{known}");
        assert_eq!(numbers[..known], (0..known as u32).map(LabelingId).collect::<Vec<_>>());
        assert!(numbers[known..].iter().all(|number| number.index() < known));
        for (at, &number) in numbers.iter().enumerate() {
            assert_eq!(labelings.number(&parts_of_labeling(&labeling(at))), number);
        }
    }
}
