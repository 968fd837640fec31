//! A formula as something to reach: each step turned into a verdict and a reward.
//!
//! The screens and actions that lead there are for an [episode](crate::episode) to bring. What is worked out here of
//! labels and residuals is worked out once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::gui::{Action, Atom, Comparison, Constant, Hints, Key, Labeller, Op, Screen};
use crate::ltl::{Automaton, Follower, Labels, Permanent, Share, State, reward};
use crate::spec::{Expectation, Spec};

/// What a run is to reach for a spec.
#[derive(Clone, Debug)]
pub struct Goal {
    automaton: Automaton,
    atoms: Vec<Arc<str>>,
    labeller: Labeller,
    is_violation: bool,
    standings: Vec<Option<Standing>>,
    /// The distinct sets of action labels.
    classes: Vec<Labels>,
    class_of: FxHashMap<Labels, ActionClass>,
    forecasts: FxHashMap<(State, ActionClass), Forecast>,
    hints: Hints,
    /// What the atoms look at.
    keys: BTreeSet<Key>,
    /// The atoms about the activity.
    activities: BTreeSet<u32>,
    /// Atoms about screens that hold together on no screen of most apps: other activities.
    rivals: Vec<(u32, u32)>,
    /// The distinct sets of labels of screens.
    looks: Vec<Labels>,
    look_of: FxHashMap<Labels, Look>,
    followers: FxHashMap<State, Arc<[Follower]>>,
    wishes: FxHashMap<(State, ActionClass, Look), Arc<[Wish]>>,
}

/// Actions that have the same labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionClass(pub u32);

/// Screens that have the same labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Look(pub u32);

/// What a step could lead to at best, if the screen changes as is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// What would be left of the formula then.
    pub state: State,
    /// What is known of that.
    pub standing: Standing,
    /// Of the first 64 atoms, those that would have to come to hold.
    pub gained: u64,
    /// How many atoms would have to change.
    pub changes: u32,
    /// Whether it takes another activity.
    pub moves: bool,
}

/// What a step that does not end a run is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shaping {
    /// Nothing.
    None,
    /// How much the number of atoms left changes, as in the paper.
    Atoms,
    /// How much nearer it comes to the goal.
    Distance,
}

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The goal is reached.
    Won,
    /// It can still be reached.
    Open,
    /// It cannot be reached any more.
    Lost,
}

/// What is known of a residual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// How a run that has come to it stands.
    pub verdict: Verdict,
    /// N, the number of its atoms.
    pub atoms: u64,
    /// The fewest steps from here to the goal, whatever the app, 0 if there are too many residuals to tell; `None` if
    /// there is no way.
    pub distance: Option<u32>,
}

/// What an action's labels alone say of the step it will make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forecast {
    /// It reaches the goal.
    Wins,
    /// It does not lose.
    Sure,
    /// Anything.
    Open,
    /// It loses.
    Loses,
}

impl Goal {
    /// Returns what runs are to reach for `spec`: to satisfy its formula, or to violate it for good if it is a `must`.
    pub fn new(spec: &Spec) -> Goal {
        let automaton = Automaton::new(&spec.formulas, spec.formula);
        let atoms: Vec<Arc<str>> = automaton.atoms().map(Into::into).collect();
        let known: Vec<(u32, &Atom)> =
            (0..).zip(&atoms).filter_map(|(number, name)| Some((number, spec.atoms.get(&**name)?))).collect();
        Goal {
            labeller: Labeller::new(known.iter().copied()),
            hints: Hints::new(known.iter().copied()),
            keys: known.iter().flat_map(|(_, atom)| keys(atom)).collect(),
            rivals: rivals(&known),
            activities: known
                .iter()
                .filter(|(_, atom)| keys(atom).iter().any(|key| [Key::Activity, Key::Package].contains(key)))
                .map(|&(number, _)| number)
                .collect(),
            automaton,
            atoms,
            is_violation: spec.expectation == Expectation::Must,
            standings: Vec::new(),
            classes: Vec::new(),
            class_of: FxHashMap::default(),
            forecasts: FxHashMap::default(),
            looks: Vec::new(),
            look_of: FxHashMap::default(),
            followers: FxHashMap::default(),
            wishes: FxHashMap::default(),
        }
    }

    /// The names of the formula's atoms, by their numbers.
    pub fn atoms(&self) -> &[Arc<str>] {
        &self.atoms
    }

    /// Returns the labels of `screen`.
    pub fn screen_labels(&self, screen: &Screen) -> Labels {
        self.labeller.on_screen(screen).into_iter().collect()
    }

    /// Returns the number of a set of labels of screens.
    pub fn look(&mut self, labels: &Labels) -> Look {
        if let Some(&known) = self.look_of.get(labels) {
            return known;
        }
        let look = Look(self.looks.len() as u32);
        self.looks.push(labels.clone());
        self.look_of.insert(labels.clone(), look);
        look
    }

    /// Whether `labels` hold together on no screen: two of them exclude each other, or are other activities.
    pub fn is_impossible(&self, labels: &Labels) -> bool {
        let held: BTreeSet<u32> = labels.iter().collect();
        self.rivals.iter().any(|(one, other)| held.contains(one) && held.contains(other))
    }

    /// Whether an atom looks at `key`.
    pub fn looks_at(&self, key: Key) -> bool {
        self.keys.contains(&key)
    }

    /// Returns the atoms, of the first 64, that share a word with what `action` is done on.
    pub fn hints(&self, action: &Action) -> u64 {
        self.hints.of(action).collect::<Labels>().bits()
    }

    /// Returns the class of `action`.
    pub fn action_class(&mut self, action: &Action) -> ActionClass {
        let labels = self.labeller.of_action(action).into_iter().collect();
        self.class_with(labels)
    }

    /// Returns the class of actions that have these labels and no others.
    pub fn class_with(&mut self, labels: Labels) -> ActionClass {
        if let Some(&known) = self.class_of.get(&labels) {
            return known;
        }
        let class = ActionClass(self.classes.len() as u32);
        self.classes.push(labels.clone());
        self.class_of.insert(labels, class);
        class
    }

    /// How many classes of actions were met so far.
    pub fn classes(&self) -> u32 {
        self.classes.len() as u32
    }

    /// The labels of the actions of `class`.
    pub fn action_labels(&self, class: ActionClass) -> &Labels {
        &self.classes[class.0 as usize]
    }

    /// Returns what is left of `state` after a step by an action of `class` to a screen with `screen_labels`.
    #[inline]
    pub fn step(&mut self, state: State, class: ActionClass, screen_labels: &Labels) -> State {
        let labels = self.classes[class.0 as usize].union(screen_labels);
        self.automaton.step(state, &labels)
    }

    /// Returns what is left of `state` after a step by an action of `class` to a screen of `look`.
    #[inline]
    pub fn step_to(&mut self, state: State, class: ActionClass, look: Look) -> State {
        let labels = self.classes[class.0 as usize].union(&self.looks[look.0 as usize]);
        self.automaton.step(state, &labels)
    }

    /// Returns what a step by an action of `class` from a screen of `look` could lead to at best: the nearest to the
    /// goal first, and of those the ones that take the fewest changes.
    pub fn wishes(&mut self, state: State, class: ActionClass, look: Look) -> Arc<[Wish]> {
        match self.wishes.get(&(state, class, look)) {
            Some(known) => known.clone(),
            None => self.wishes_anew(state, class, look),
        }
    }

    #[cold]
    fn wishes_anew(&mut self, state: State, class: ActionClass, look: Look) -> Arc<[Wish]> {
        // There are never more that differ in what is to be done for them.
        const WISHES_MAX: usize = 12;
        let mut wishes = Vec::new();
        for follower in self.followers(state).iter() {
            let standing = self.standing(follower.state);
            if standing.verdict == Verdict::Lost || standing.distance.is_none() {
                continue;
            }
            let least = follower.cubes.iter().filter_map(|cube| self.changes(cube, class, look)).min();
            if let Some((changes, moves, gained)) = least {
                wishes.push(Wish { state: follower.state, standing, gained, changes, moves });
            }
        }
        wishes.sort_by_key(|wish| (wish.standing.distance, wish.changes, wish.state));
        wishes.truncate(WISHES_MAX);
        let wishes: Arc<[Wish]> = wishes.into();
        self.wishes.insert((state, class, look), wishes.clone());
        wishes
    }

    /// How many atoms must change for `cube` to hold after an action of `class` on a screen of `look`, whether that takes
    /// another activity, and which atoms must come to hold; nothing if that cannot be, as far as can be guessed.
    fn changes(&self, cube: &[(u32, bool)], class: ActionClass, look: Look) -> Option<(u32, bool, u64)> {
        let (class, look) = (&self.classes[class.0 as usize], &self.looks[look.0 as usize]);
        let (mut gained, mut lost) = (Labels::default(), Vec::new());
        for &(atom, holds) in cube {
            let is_action = self.labeller.is_about_action(atom);
            if is_action && class.contains(atom) != holds {
                return None;
            }
            match (is_action || look.contains(atom) == holds, holds) {
                (true, _) => {}
                (false, true) => gained.insert(atom),
                (false, false) => lost.push(atom),
            }
        }
        let wanted = |atom: u32| cube.contains(&(atom, true));
        if self.rivals.iter().any(|&(one, two)| wanted(one) && wanted(two)) {
            return None;
        }
        // What goes when its rival comes takes no change of its own.
        let goes_by_itself = |atom: u32| {
            let rivals = |&(one, two): &(u32, u32)| {
                (one == atom && gained.contains(two)) || (two == atom && gained.contains(one))
            };
            self.rivals.iter().any(rivals)
        };
        lost.retain(|&atom| !goes_by_itself(atom));
        let moves = gained.iter().any(|atom| self.activities.contains(&atom));
        Some(((gained.iter().count() + lost.len()) as u32, moves, gained.bits()))
    }

    fn followers(&mut self, state: State) -> Arc<[Follower]> {
        if let Some(known) = self.followers.get(&state) {
            return known.clone();
        }
        let found =
            if self.can_ask() { self.automaton.followers(state).unwrap_or_default() } else { Vec::new() };
        let found: Arc<[Follower]> = found.into();
        self.followers.insert(state, found.clone());
        found
    }

    /// Returns what is known of `state`.
    #[inline]
    pub fn standing(&mut self, state: State) -> Standing {
        match self.standings.get(state.number() as usize) {
            Some(Some(known)) => *known,
            Some(None) | None => self.standing_anew(state),
        }
    }

    #[cold]
    fn standing_anew(&mut self, state: State) -> Standing {
        let can_ask = self.can_ask();
        let permanent = if can_ask { self.automaton.permanent(state) } else { Permanent::Open };
        let verdict = match (self.is_violation, permanent) {
            (false, Permanent::Violated) | (true, Permanent::Satisfied) => Verdict::Lost,
            (true, Permanent::Violated) => Verdict::Won,
            // Before the first step there is no trace that could satisfy anything.
            (false, _) if state != State::START && self.automaton.is_satisfied(state) => Verdict::Won,
            (false, Permanent::Satisfied | Permanent::Open) | (true, Permanent::Open) => Verdict::Open,
        };
        let distance = match self.is_violation {
            _ if !can_ask => Ok(Some(0)),
            true => self.automaton.steps_to_violation(state),
            false => self.automaton.steps_to_satisfaction(state),
        };
        let atoms = self.automaton.atom_count(state);
        let standing = Standing { verdict, atoms, distance: distance.unwrap_or(Some(0)) };
        let place = state.number() as usize;
        if self.standings.len() <= place {
            self.standings.resize(place + 1, None);
        }
        self.standings[place] = Some(standing);
        standing
    }

    /// Returns what a step from `before` to `after` is worth.
    #[inline]
    pub fn reward(&mut self, before: State, after: State, shaping: Shaping) -> f64 {
        let from = self.standing(before);
        let to = self.standing(after);
        match (to.verdict, shaping) {
            (Verdict::Won, _) => 1.0,
            (Verdict::Lost, _) => -1.0,
            (Verdict::Open, Shaping::None) => 0.0,
            (Verdict::Open, Shaping::Atoms) => reward(false, Permanent::Open, from.atoms, to.atoms),
            (Verdict::Open, Shaping::Distance) => match (from.distance, to.distance) {
                (Some(from), Some(to)) if to < from => f64::from(from - to) / f64::from(from + to),
                _ => 0.0,
            },
        }
    }

    /// Returns what the labels of `class` alone say of a step from `state`.
    #[inline]
    pub fn forecast(&mut self, state: State, class: ActionClass) -> Forecast {
        match self.forecasts.get(&(state, class)) {
            Some(&known) => known,
            None => self.forecast_anew(state, class),
        }
    }

    #[cold]
    fn forecast_anew(&mut self, state: State, class: ActionClass) -> Forecast {
        let labels = &self.classes[class.0 as usize];
        let known: BTreeMap<u32, bool> =
            self.labeller.action_atoms().map(|atom| (atom, labels.contains(atom))).collect();
        if !self.can_ask() {
            return Forecast::Open;
        }
        let prediction = self.automaton.predict(state, &known);
        let forecast = if self.is_violation {
            // That no step can lose is not known of a formula that is to be violated: what is satisfied at a step may
            // be violated at the next.
            match prediction.violated {
                Share::All => Forecast::Wins,
                Share::Some | Share::None => Forecast::Open,
            }
        } else {
            match (prediction.violated, prediction.satisfied) {
                (_, Share::All) => Forecast::Wins,
                (Share::All, _) => Forecast::Loses,
                (Share::None, _) => Forecast::Sure,
                (Share::Some, _) => Forecast::Open,
            }
        };
        self.forecasts.insert((state, class), forecast);
        forecast
    }

    /// Whether there is still work to spend on what can follow; without, whatever is not plain stays open.
    fn can_ask(&self) -> bool {
        // Some seconds; no formula that a person writes comes near.
        const WORK_MAX: u64 = 5_000_000;
        self.automaton.work() < WORK_MAX
    }

    /// Returns what is left of the formula in `state`, as it is written in a spec.
    pub fn residual(&self, state: State) -> String {
        self.automaton.residual(state).to_string()
    }
}

fn keys(atom: &Atom) -> Vec<Key> {
    match atom {
        Atom::Widget(all) | Atom::State(all) | Atom::Action(all) | Atom::Count { of: all, .. } => {
            all.iter().map(|comparison| comparison.key).collect()
        }
        Atom::Checked(_) => vec![Key::Checked],
    }
}

/// The pairs of atoms that exclude each other, or name activities of which neither can be the other by its name.
fn rivals(atoms: &[(u32, &Atom)]) -> Vec<(u32, u32)> {
    let activity = |atom: &Atom| match atom {
        Atom::State(all) => match &all[..] {
            [
                Comparison { key: Key::Activity, op: Op::Equal | Op::Contains, value: Constant::Text(name) },
            ] => Some(name.clone()),
            _ => None,
        },
        Atom::Widget(_) | Atom::Count { .. } | Atom::Action(_) | Atom::Checked(_) => None,
    };
    let are_rivals = |one: &Atom, two: &Atom| match (activity(one), activity(two)) {
        (Some(one), Some(two)) => !one.contains(&two) && !two.contains(&one),
        _ => one.excludes(two),
    };
    let mut rivals = Vec::new();
    for (at, (number, atom)) in atoms.iter().enumerate() {
        let others = atoms[at + 1..].iter().filter(|(_, other)| are_rivals(atom, other));
        rivals.extend(others.map(|(other, _)| (*number, *other)));
    }
    rivals
}
