//! Rows: what a network reads of an offer, and of the screen around it.

use std::sync::Arc;

use super::super::goals::{Goal, Goals};
use super::super::groups::{Group, GroupsOfScreens, OfScreens};
use super::counts::{Ahead, Counts};
use super::words::{hash, push_word, words};
use crate::gui::{Action, Widget};
use crate::net::Entry;
use crate::recent::Recent;
use crate::rng::Rng;
use crate::situation::{ClassId, Habit, LabelingId, LookId, Offer, Outlook, PhaseId, Scene};

/// Most offers that are weighed in a choice, and most that are remembered of it.
const CHOICE_MAX: usize = 128;
const REMEMBERED_MAX: usize = 32;

/// Names whose words are kept in each half of their table: some 20 MB.
const NAMES_HALF: usize = 20_000;

/// Most words of a screen that are read.
const SCREEN_WORDS_MAX: usize = 64;

/// Ranges of inputs: one that is always there, words of names, words of typed texts, words of screens, then marks by hash.
const ALWAYS: u16 = 0;
const NAME: Range = Range { first: 1, count: 512 };
const TYPED: Range = NAME.then(64);
const SCREEN: Range = TYPED.then(256);
const ACTIVITY: Range = SCREEN.then(64);
const PHASE: Range = ACTIVITY.then(32);
const LOOK: Range = PHASE.then(32);
const KIND: Range = LOOK.then(32);
const WIDGET: Range = KIND.then(32);
const CLASS: Range = WIDGET.then(32);
const HABIT: Range = CLASS.then(8);
const NUMBER: Range = HABIT.then(NUMBERS as u16);
const AROUND: Range = NUMBER.then(4);

/// Number of all inputs.
pub const INPUTS: usize = AROUND.end() as usize;

/// Inputs that mean something in one run alone: numbers of phases, looks and classes.
pub const OF_ONE_RUN: [Range; 3] = [PHASE, LOOK, CLASS];

/// Numbers of a row; from `GOAL` on they tell what the objective says of the action, and the last one that it wins.
const NUMBERS: usize = 25;
const GOAL: usize = 19;
const WINS: usize = NUMBERS - 1;

/// Places of the phase and of its closeness among the inputs that all rows of a list have in common.
const PHASE_AT: usize = 2;
const CLOSENESS_AT: usize = 4;

/// Inputs that follow each other.
#[derive(Clone, Copy)]
pub struct Range {
    /// Number of the first one.
    pub first: u16,
    /// Number of them.
    pub count: u16,
}

impl Range {
    const fn end(self) -> u16 {
        self.first + self.count
    }

    /// Returns the range of `count` inputs behind it.
    const fn then(self, count: u16) -> Range {
        Range { first: self.end(), count }
    }

    /// Returns one of its inputs by a number that may be any.
    pub fn mark(self, number: u32) -> Entry {
        Entry { input: self.first + (number % u32::from(self.count)) as u16, value: 1.0 }
    }
}

/// Offer, as a network reads it.
#[derive(Clone, Debug)]
pub struct Row {
    words: Arc<[Entry]>,
    marks: [u16; 4],
    numbers: [f32; NUMBERS],
    /// Class of the action, and the conditions that share words with it.
    pub class: ClassId,
    hints: u64,
    /// Logarithm of its probability where nothing is known.
    pub log_prior: f32,
}

impl Row {
    /// Returns the inputs that are not zero.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        let marks = self.marks.iter().map(|&input| Entry { input, value: 1.0 });
        let numbers = (NUMBER.first..).zip(self.numbers).filter(|&(_, value)| value != 0.0);
        self.words.iter().copied().chain(marks).chain(numbers.map(|(input, value)| Entry { input, value }))
    }
}

/// Choice, as a network reads it: the rows of its offers, at least one.
#[derive(Clone, Debug)]
pub struct List {
    /// Inputs that all rows have in common.
    pub common: Arc<[Entry]>,
    /// Screen as the objective sees it.
    pub look: LookId,
    /// Rows, each of an offer.
    pub rows: Vec<Row>,
}

impl List {
    /// Returns the list without most of its rows if there are many; the one at `kept` stays. Returns its place, too.
    pub fn thinned(list: Arc<List>, kept: usize, rng: &mut Rng) -> (Arc<List>, usize) {
        if list.rows.len() <= REMEMBERED_MAX {
            return (list, kept);
        }
        let mut places: Vec<usize> = (0..list.rows.len()).collect();
        places.swap(0, kept);
        rng.draw_to_front(&mut places[1..], REMEMBERED_MAX - 1);
        let mut rows: Vec<Row> = places[..REMEMBERED_MAX].iter().map(|&at| list.rows[at].clone()).collect();
        normalise(&mut rows);
        (Arc::new(List { common: list.common.clone(), look: list.look, rows }), 0)
    }
}

/// Makes the priors of some rows sum to one.
fn normalise(rows: &mut [Row]) {
    let sum: f32 = rows.iter().map(|row| libm::expf(row.log_prior)).sum();
    let log_sum = libm::logf(sum);
    rows.iter_mut().for_each(|row| row.log_prior -= log_sum);
}

/// Returns the numbers of a row from [`GOAL`] on, but for the last.
fn goal_numbers(goal: Goal, hints: u64) -> [f32; WINS - GOAL] {
    [flag(hints & goal.gained != 0), goal.stays, goal.best, goal.ease, flag(goal.moves)]
}

/// Maker of rows.
#[derive(Clone, Debug)]
pub struct Rows {
    names: Recent<LabelingId, Arc<[Entry]>>,
    screens: OfScreens<Arc<[Entry]>>,
    groups: GroupsOfScreens,
    goals: Goals,
}

impl Default for Rows {
    fn default() -> Rows {
        Rows {
            names: Recent::new(NAMES_HALF),
            screens: OfScreens::default(),
            groups: GroupsOfScreens::default(),
            goals: Goals::default(),
        }
    }
}

/// Moment of a choice.
#[derive(Clone, Copy, Debug)]
pub struct Now<'a> {
    /// Screen at the time.
    pub scene: &'a Scene,
    /// Progress so far.
    pub phase: PhaseId,
    /// Steps that the episode has left.
    pub steps_left: u32,
}

impl Rows {
    /// Returns the list of the offers at `places`, and these places. Of very many, some are drawn.
    pub fn list(
        &mut self,
        now: Now<'_>,
        places: &[u16],
        counts: &Counts,
        outlook: Option<&mut dyn Outlook>,
        rng: &mut Rng,
    ) -> (Arc<List>, Vec<u16>) {
        let Now { scene, phase, .. } = now;
        let mut shares = shares(&self.groups.get(scene, places));
        rng.keep_some(&mut shares, CHOICE_MAX);
        if let Some(outlook) = outlook {
            let classes = shares.iter().map(|&(at, _)| scene.offers[usize::from(at)].class);
            self.goals.look_ahead(phase, scene.look, classes, outlook);
        }
        let mut rows: Vec<Row> = shares.iter().map(|&(at, share)| self.row(now, at, share, counts)).collect();
        normalise(&mut rows);
        let list = List { common: self.common(now, places.len(), counts), look: scene.look, rows };
        (Arc::new(list), shares.into_iter().map(|(at, _)| at).collect())
    }

    /// Returns the list of one offer that is known to win.
    pub fn of_winner(&mut self, now: Now<'_>, at: u16, counts: &Counts) -> List {
        let mut row = self.row(now, at, 1.0, counts);
        row.numbers[WINS] = 1.0;
        List { common: self.common(now, 1, counts), look: now.scene.look, rows: vec![row] }
    }

    /// Returns a list as it would be in another phase, without the actions that lose there whatever comes; none if all do.
    /// The action at `kept` stays, and its place is returned, too.
    pub fn in_phase(
        &mut self,
        list: &List,
        kept: Option<usize>,
        phase: PhaseId,
        outlook: &mut dyn Outlook,
    ) -> Option<(Arc<List>, usize)> {
        let look = list.look;
        self.goals.look_ahead(phase, look, list.rows.iter().map(|row| row.class), outlook);
        let (mut rows, mut place) = (Vec::with_capacity(list.rows.len()), 0);
        for (at, row) in list.rows.iter().enumerate() {
            let goal = self.goals.of(phase, row.class, look);
            if Some(at) == kept {
                place = rows.len();
            } else if goal.loses {
                continue;
            }
            let mut row = row.clone();
            row.numbers[GOAL..WINS].copy_from_slice(&goal_numbers(goal, row.hints));
            row.numbers[WINS] = 0.0;
            rows.push(row);
        }
        if rows.is_empty() {
            return None;
        }
        normalise(&mut rows);
        let mut common = list.common.to_vec();
        common[PHASE_AT] = PHASE.mark(phase.0);
        common[CLOSENESS_AT].value = self.goals.closeness(phase);
        Some((Arc::new(List { common: common.into(), look, rows }), place))
    }

    fn row(&mut self, now: Now<'_>, at: u16, share: f32, counts: &Counts) -> Row {
        let Now { scene, phase, .. } = now;
        let (offer, action) = (&scene.offers[usize::from(at)], &scene.actions[usize::from(at)]);
        let class = action.target().map_or("", |target| &target.class);
        let words = self.names.get_or_insert_with(offer.labeling, || words_of(action), drop).clone();
        let marks = [
            KIND.mark(hash(action.type_name().bytes())),
            WIDGET.mark(hash(class.bytes())),
            CLASS.mark(offer.class.0),
            HABIT.mark(habit(offer.habit)),
        ];
        let goal = self.goals.of(phase, offer.class, scene.look);
        Row {
            words,
            marks: marks.map(|mark| mark.input),
            numbers: numbers(scene, offer, goal, counts),
            class: offer.class,
            hints: offer.hints,
            log_prior: libm::logf(share),
        }
    }

    /// Returns the inputs that all offers of a screen have in common.
    fn common(&mut self, now: Now<'_>, places: usize, counts: &Counts) -> Arc<[Entry]> {
        let Now { scene, phase, steps_left } = now;
        let words = self.screens.get(scene, words_on);
        let numbers = [
            self.goals.closeness(phase),
            steps_left.min(50) as f32 / 50.0,
            logarithm(places as f32) / 5.0,
            root(counts.visits(scene.state)),
        ];
        let numbers = (AROUND.first..).zip(numbers).map(|(input, value)| Entry { input, value });
        let activity = scene.screen.as_ref().map_or(0, |screen| hash(screen.activity().bytes()));
        let marks = [
            Entry { input: ALWAYS, value: 1.0 },
            ACTIVITY.mark(activity),
            PHASE.mark(phase.0),
            LOOK.mark(scene.look.0),
        ];
        marks.into_iter().chain(numbers).chain(words.iter().copied()).collect()
    }
}

/// Returns the places of these groups with their probabilities where nothing is known: a widget, then a kind of action,
/// then its text or direction, each as likely.
fn shares(groups: &[Group]) -> Vec<(u16, f32)> {
    let mut all = Vec::new();
    for group in groups {
        for kind in &group.kinds {
            let share = 1.0 / (groups.len() as f32 * group.kinds.len() as f32 * kind.len() as f32);
            all.extend(kind.iter().map(|&at| (at, share)));
        }
    }
    all
}

fn habit(habit: Habit) -> u32 {
    match habit {
        Habit::Any => 0,
        Habit::Stays => 1,
        Habit::MostlyStays => 2,
        Habit::Back => 3,
        Habit::Becomes(_) => 4,
    }
}

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

fn logarithm(count: f32) -> f32 {
    libm::logf(1.0 + count)
}

fn root(count: u32) -> f32 {
    1.0 / (1.0 + count as f32).sqrt()
}

fn numbers(scene: &Scene, offer: &Offer, goal: Goal, counts: &Counts) -> [f32; NUMBERS] {
    let known = counts.known(scene.state, offer);
    let [near, next, far] = known.ahead.unwrap_or_default();
    let share = |part: f32, ahead: Ahead| if ahead.all > 0.0 { part / ahead.all } else { 0.0 };
    let goal = goal_numbers(goal, offer.hints);
    [
        flag(known.times == 0),
        root(known.times),
        logarithm(known.times as f32) / 4.0,
        flag(known.of_name == 0),
        root(known.of_name),
        logarithm(known.of_name as f32) / 4.0,
        flag(known.in_episode[0]),
        flag(known.in_episode[1]),
        flag(known.ahead.is_none()),
        flag(known.stays),
        logarithm(near.never) / 3.0,
        share(near.never, near),
        share(near.once, near),
        logarithm(next.never) / 4.0,
        share(next.never, next),
        share(next.once, next),
        logarithm(far.never) / 5.0,
        share(far.never, far),
        flag(offer.hints != 0),
        goal[0],
        goal[1],
        goal[2],
        goal[3],
        goal[4],
        0.0,
    ]
}

/// Returns the words of an action: those of its widget, or of itself, and those that it types.
fn words_of(action: &Action) -> Arc<[Entry]> {
    let mut entries = Vec::new();
    match action.target() {
        Some(target) => {
            for name in target.names() {
                words(name).for_each(|word| push_word(&word, NAME, &mut entries));
            }
        }
        None => push_word(action.type_name(), NAME, &mut entries),
    }
    if let Some(typed) = action.typed() {
        words(typed).for_each(|word| push_word(&word, TYPED, &mut entries));
    }
    entries.into()
}

/// Returns the words on a screen, each once.
fn words_on(scene: &Scene) -> Arc<[Entry]> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut see = |text: &str| {
        words(text).for_each(|word| {
            let entry = SCREEN.mark(hash(word.bytes()));
            if entries.len() < SCREEN_WORDS_MAX && entries.iter().all(|one| one.input != entry.input) {
                entries.push(entry);
            }
        });
    };
    for widget in scene.widgets().iter().filter(|widget| widget.is_visible()).take(10 * SCREEN_WORDS_MAX) {
        let Widget { text, desc, .. } = widget;
        see(text);
        see(desc);
    }
    let length = (entries.len().max(1) as f32).sqrt();
    entries.iter_mut().for_each(|entry| entry.value /= length);
    entries.into()
}
