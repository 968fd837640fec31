//! A formula as objective: to satisfy it, or to violate it for good.
//!
//! Phases are residuals, numbered by the automaton. Labels and residuals are worked out once each: the loop of an
//! episode asks for the same few again and again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::kept::KeptValues;
use super::{Judgement, Moment, Objective, Report, Verdict};
use crate::gui::{
    Action, Amount, Atom, Comparison, Constant, Hints, Key, Labeller, Link, Op, Quota, Screen, ShownAmount,
    TypedText, nearest,
};
use crate::ltl::{
    self, Automaton, Duties, Duty, Follower, Formulas, Interval, Labels, Permanent, ResidualId, Share, reward,
};
use crate::situation::{
    AmountId, ClassId, Forecast, LinkId, LookId, Origin, Outlook, PhaseId, Standing, Subgoal, Want,
};
use crate::sorted;
use crate::spec::{Expectation, Spec};

/// Formula of a spec, as the objective of runs.
#[derive(Clone, Debug)]
pub struct Formula {
    automaton: Automaton,
    /// Names of the atoms, by their numbers; atoms of residuals with kept values have numbers too.
    names: Vec<Arc<str>>,
    /// Number of the formula's own atoms.
    conditions: usize,
    /// Atoms with a name that the spec declares, by their numbers.
    atoms: Vec<(u32, Atom)>,
    labeller: Labeller,
    /// Values in place of kept names.
    kept: KeptValues,
    /// Labeller to which typed text counts, where that may differ.
    credulous: Option<Labeller>,
    /// Atoms that typed text alone met on some screen.
    met_by_typed: BTreeSet<u32>,
    shaping: Shaping,
    /// True if the formula is to be violated.
    is_violation: bool,
    /// True if runs end where the app crashes or does not respond.
    ends_at_faults: bool,
    assessments: Vec<Option<Assessment>>,
    /// Distinct sets of action labels, by class.
    classes: Vec<Labels>,
    class_of: FxHashMap<Labels, ClassId>,
    forecasts: FxHashMap<(PhaseId, ClassId), Forecast>,
    hints: Hints,
    /// Atoms that want a number of widgets.
    quotas: Vec<(u32, Quota)>,
    /// Those of them, by their places, that are wanted next, by phase: one of these groups.
    wanted_quotas: FxHashMap<PhaseId, Arc<[Vec<usize>]>>,
    /// Atoms that want a number or a text in place of another one, and those of them that are wanted next.
    amounts: Vec<(u32, Amount)>,
    wanted_amounts: FxHashMap<PhaseId, Arc<[Vec<Want>]>>,
    /// Keys that the atoms read.
    keys: BTreeSet<Key>,
    /// Atoms about the activity.
    activities: BTreeSet<u32>,
    /// Pairs of atoms that hold together on no screen of most apps, as they name different activities.
    rivals: Vec<(u32, u32)>,
    /// Distinct sets of labels that need more than one screen, with the time between the screens, by link.
    links: Vec<Labels>,
    link_of: FxHashMap<Labels, LinkId>,
    /// Distinct sets of screen labels, with the time since the screen before, by look.
    looks: Vec<Labels>,
    look_of: FxHashMap<Labels, LookId>,
    followers: FxHashMap<PhaseId, Arc<[Follower]>>,
    subgoals: FxHashMap<(PhaseId, ClassId, LookId), Arc<[Subgoal]>>,
    /// Steps on the device by actions of each class, and to screens of each look.
    class_steps: Vec<u64>,
    look_steps: Vec<u64>,
    /// Phase closest to the objective on the device: its distance, its N, and itself.
    closest: Option<(u32, u64, PhaseId)>,
}

/// Reward of a step that does not end a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shaping {
    /// Zero.
    None,
    /// Change in the number of atoms left, as in the paper.
    Atoms,
    /// Decrease of the distance.
    Distance,
}

/// Assessment of a residual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// Verdict on a run that has come to it.
    pub verdict: Verdict,
    /// N, the number of its atoms.
    pub atoms: u64,
    /// Fewest steps from here to the objective, whatever the app; 0 if there are too many residuals to tell, `None` if
    /// there is no way.
    pub distance: Option<u32>,
}

impl Assessment {
    fn standing(self) -> Standing {
        match (self.verdict, self.distance) {
            (Verdict::Won, _) => Standing::Won,
            (Verdict::Open, Some(distance)) => Standing::Open(distance),
            (Verdict::Lost, _) | (Verdict::Open, None) => Standing::Lost,
        }
    }
}

impl Formula {
    /// Returns the objective of `spec`: runs that satisfy its formula, or that violate it for good if it is a `must`.
    pub fn new(spec: &Spec, shaping: Shaping) -> Formula {
        let automaton = Automaton::new(&spec.formulas, spec.formula);
        let names: Vec<Arc<str>> = automaton.atoms().map(Into::into).collect();
        let known: Vec<(u32, &Atom)> =
            (0..).zip(&names).filter_map(|(number, name)| Some((number, spec.atoms.get(&**name)?))).collect();
        let kept = KeptValues::new(&automaton, &known, spec.typed);
        let labeller = Labeller::new(known.iter().copied(), spec.typed);
        Formula {
            credulous: labeller
                .heeds_typed()
                .then(|| Labeller::new(known.iter().copied(), TypedText::Counts)),
            met_by_typed: BTreeSet::new(),
            labeller,
            hints: Hints::new(known.iter().copied()),
            quotas: known
                .iter()
                .filter_map(|(number, atom)| Some((*number, Quota::of(atom, spec.typed)?)))
                .collect(),
            wanted_quotas: FxHashMap::default(),
            amounts: known
                .iter()
                .filter_map(|(number, atom)| Some((*number, Amount::of(atom, spec.typed)?)))
                .collect(),
            wanted_amounts: FxHashMap::default(),
            keys: known.iter().flat_map(|(_, atom)| atom.keys()).collect(),
            rivals: rivals(&known),
            activities: known
                .iter()
                .filter(|(_, atom)| atom.mentions(Key::Activity) || atom.mentions(Key::Package))
                .map(|&(number, _)| number)
                .collect(),
            atoms: known.iter().map(|&(number, atom)| (number, atom.clone())).collect(),
            kept,
            automaton,
            conditions: names.len(),
            names,
            shaping,
            is_violation: spec.expectation == Expectation::Must,
            ends_at_faults: false,
            assessments: Vec::new(),
            classes: Vec::new(),
            class_of: FxHashMap::default(),
            forecasts: FxHashMap::default(),
            links: vec![Labels::default()],
            link_of: FxHashMap::from_iter([(Labels::default(), LinkId::default())]),
            looks: Vec::new(),
            look_of: FxHashMap::default(),
            class_steps: Vec::new(),
            look_steps: Vec::new(),
            followers: FxHashMap::default(),
            subgoals: FxHashMap::default(),
            closest: None,
        }
    }

    /// Returns the same objective, lost where the app crashes or does not respond short of it: exploring goes no further.
    pub fn until_faults(self) -> Formula {
        Formula { ends_at_faults: true, ..self }
    }

    /// Forgets what was counted, for another search. All that is known of the formula stays, and changes no answer.
    pub fn count_anew(&mut self) {
        self.class_steps.fill(0);
        self.look_steps.fill(0);
        self.closest = None;
        self.met_by_typed.clear();
    }

    /// Returns the labels of `screen`, without those that need the step before.
    pub fn screen_labels(&self, screen: &Screen) -> Labels {
        self.labeller.on_screen(screen).into_iter().collect()
    }

    /// Returns the atoms that have been looked for so far, with their numbers; the values of `binding`, see
    /// [`Labels::with_binding`], take the place of kept names.
    pub fn atoms_with(&self, binding: u32) -> Vec<(u32, Atom)> {
        let own = self.atoms.iter().cloned();
        let others = self.kept.looked_for().iter().cloned();
        let with_values = |(number, atom): (u32, Atom)| {
            let name = self.automaton.name_with_values(number, binding);
            (number, self.kept.atom(name).cloned().unwrap_or(atom))
        };
        own.chain(others).map(with_values).collect()
    }

    /// Returns the labels of the screen after a step, with those that need the step before. `interval` has the times of both.
    pub fn labels_after(&mut self, link: Link<'_>, interval: Interval) -> Labels {
        let linked = self.linked_labels(link, interval);
        self.screen_labels(link.after).union(&linked)
    }

    /// Returns the labels of a step that need more than the screen after it, with its time and the values it keeps.
    fn linked_labels(&mut self, link: Link<'_>, interval: Interval) -> Labels {
        let binding = self.kept.bind(&mut self.automaton, link);
        self.learn_atoms();
        let labels: Labels = self.labeller.of_link(link).into_iter().collect();
        labels.after(self.told_apart_ms(link, interval)).with_binding(binding)
    }

    /// Looks from now on for the atoms with kept values that residuals have met.
    fn learn_atoms(&mut self) {
        let new = self.kept.look_for_more(&self.automaton);
        for (number, atom) in &self.kept.looked_for()[new..] {
            for at in self.names.len() as u32..=*number {
                self.names.push(self.automaton.atom_name(at).into());
            }
            self.labeller.add_to_steps(*number, atom, self.kept.typed());
            if let Some(credulous) = &mut self.credulous {
                credulous.add_to_steps(*number, atom, TypedText::Counts);
            }
        }
    }

    /// Returns the duties that the last of these steps violates, see [`Duties`]: each as a formula of
    /// [`Formula::formulas`]. Where no duty does it alone, the second is what the step had to keep as a whole.
    pub fn violated_duties<'a>(
        &mut self,
        steps: impl IntoIterator<Item = (Link<'a>, Interval)>,
    ) -> (Vec<Duty>, ltl::Formula) {
        let (mut duties, mut last) = (Duties::default(), Labels::default());
        for (link, interval) in steps {
            let of_action = link.action.map(|action| self.labeller.of_action(action)).unwrap_or_default();
            last = self.labels_after(link, interval).union(&of_action.into_iter().collect());
            duties.step(&mut self.automaton, &last);
        }
        let violated = duties.violated(&mut self.automaton, &last);
        (violated, duties.whole(&self.automaton))
    }

    /// Returns the store of the formula and its residuals.
    pub fn formulas(&self) -> &Formulas {
        self.automaton.formulas()
    }

    /// Returns true if a bound in time runs in `phase`.
    pub fn is_timed(&self, phase: PhaseId) -> bool {
        self.automaton.is_timed(ResidualId::from_number(phase.0))
    }

    /// Returns the time between the screens of a link, as far as the formula can tell times apart.
    fn told_apart_ms(&self, link: Link<'_>, interval: Interval) -> u32 {
        // The time before the first step counts for nothing.
        link.before.map_or(0, |_| self.automaton.told_apart_ms(interval))
    }

    /// Returns the look of screens with these labels and no others.
    pub fn look_with(&mut self, labels: &Labels) -> LookId {
        if let Some(&known) = self.look_of.get(labels) {
            return known;
        }
        let look = LookId(self.looks.len() as u32);
        self.looks.push(labels.clone());
        self.look_steps.push(0);
        self.look_of.insert(labels.clone(), look);
        look
    }

    /// Returns true if `labels` hold together on no screen: two of them exclude each other, or name different activities.
    pub fn is_impossible(&self, labels: &Labels) -> bool {
        let held: BTreeSet<u32> = labels.iter().collect();
        self.rivals.iter().any(|(one, other)| held.contains(one) && held.contains(other))
    }

    /// Returns the class of actions with these labels and no others.
    pub fn class_with(&mut self, labels: Labels) -> ClassId {
        if let Some(&known) = self.class_of.get(&labels) {
            return known;
        }
        let class = ClassId(self.classes.len() as u32);
        self.classes.push(labels.clone());
        self.class_steps.push(0);
        self.class_of.insert(labels, class);
        class
    }

    /// Returns the labels of the actions of `class`.
    pub fn action_labels(&self, class: ClassId) -> &Labels {
        &self.classes[class.index()]
    }

    /// Returns the phase after a step by an action of `class` to a screen with `screen_labels`.
    #[inline]
    pub fn after_labels(&mut self, phase: PhaseId, class: ClassId, screen_labels: &Labels) -> PhaseId {
        let labels = self.classes[class.index()].union(screen_labels);
        PhaseId(self.automaton.step(ResidualId::from_number(phase.0), &labels).number())
    }

    /// Returns the phase after a step by an action of `class` to a screen of `look`.
    #[inline]
    fn after_look(&mut self, phase: PhaseId, class: ClassId, look: LookId) -> PhaseId {
        let labels = self.classes[class.index()].union(&self.looks[look.index()]);
        PhaseId(self.automaton.step(ResidualId::from_number(phase.0), &labels).number())
    }

    #[cold]
    fn subgoals_anew(&mut self, phase: PhaseId, class: ClassId, look: LookId) -> Arc<[Subgoal]> {
        // More never differ in what must change for them.
        const SUBGOALS_MAX: usize = 12;
        let mut found = Vec::new();
        for follower in self.followers(phase).iter() {
            let phase = PhaseId(follower.state.number());
            let assessment = self.assess(phase);
            if assessment.verdict == Verdict::Lost || assessment.distance.is_none() {
                continue;
            }
            let least = follower.cubes.iter().filter_map(|cube| self.changes(cube, class, look)).min();
            if let Some((changes, moves, gained)) = least {
                let subgoal = Subgoal { phase, standing: assessment.standing(), gained, changes, moves };
                found.push((assessment.distance, subgoal));
            }
        }
        sorted::by_key(&mut found, |(distance, subgoal)| (*distance, subgoal.changes, subgoal.phase));
        found.truncate(SUBGOALS_MAX);
        let subgoals: Arc<[Subgoal]> = found.into_iter().map(|(_, subgoal)| subgoal).collect();
        self.subgoals.insert((phase, class, look), subgoals.clone());
        subgoals
    }

    /// Returns how many atoms must change for `cube` to hold after an action of `class` on a screen of `look`, true if
    /// that takes another activity, and the atoms that must come to hold; none if the cube cannot hold, as far as can be
    /// guessed.
    fn changes(&self, cube: &[(u32, bool)], class: ClassId, look: LookId) -> Option<(u32, bool, u64)> {
        let (class, look) = (&self.classes[class.index()], &self.looks[look.index()]);
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
        // An atom that ends to hold when its rival comes takes no change of its own.
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

    fn followers(&mut self, phase: PhaseId) -> Arc<[Follower]> {
        if let Some(known) = self.followers.get(&phase) {
            return known.clone();
        }
        let state = ResidualId::from_number(phase.0);
        let found =
            if self.can_ask() { self.automaton.followers(state).unwrap_or_default() } else { Vec::new() };
        let found: Arc<[Follower]> = found.into();
        self.followers.insert(phase, found.clone());
        found
    }

    /// Returns the cubes of literals, each of which brings the objective nearest by one step.
    fn nearest_cubes(&mut self, phase: PhaseId) -> Vec<Vec<(u32, bool)>> {
        let mut nearest: Option<u32> = None;
        let mut wanted: Vec<Vec<(u32, bool)>> = Vec::new();
        for follower in self.followers(phase).iter() {
            let assessment = self.assess(PhaseId(follower.state.number()));
            let (Verdict::Won | Verdict::Open, Some(distance)) = (assessment.verdict, assessment.distance)
            else {
                continue;
            };
            if nearest.is_none_or(|nearest| distance < nearest) {
                (nearest, wanted) = (Some(distance), Vec::new());
            }
            if nearest == Some(distance) {
                wanted.extend(follower.cubes.iter().map(|cube| cube.to_vec()));
            }
        }
        wanted
    }

    #[cold]
    fn want_quotas(&mut self, phase: PhaseId) -> Arc<[Vec<usize>]> {
        let cubes = self.nearest_cubes(phase);
        let of_cube = |cube: &Vec<(u32, bool)>| -> Vec<usize> {
            let is_wanted = |at: &usize| cube.contains(&(self.quotas[*at].0, true));
            (0..self.quotas.len()).filter(is_wanted).collect()
        };
        let wanted: Vec<Vec<usize>> = cubes.iter().map(of_cube).collect();
        // Where one way wants no number, none is missing.
        let has_other = wanted.iter().any(Vec::is_empty);
        let wanted: Arc<[Vec<usize>]> = if has_other { Arc::new([]) } else { wanted.into() };
        self.wanted_quotas.insert(phase, wanted.clone());
        wanted
    }

    #[cold]
    fn want_amounts(&mut self, phase: PhaseId) -> Arc<[Vec<Want>]> {
        let cubes = self.nearest_cubes(phase);
        let of_cube = |cube: &Vec<(u32, bool)>| -> Vec<Want> {
            let wanted = self.amounts.iter().filter(|(atom, _)| cube.contains(&(*atom, true)));
            let want = |(atom, amount): &(u32, Amount)| {
                let (least, most) = amount.bounds();
                Want { amount: AmountId(*atom), least, most }
            };
            wanted.map(want).collect()
        };
        let groups = cubes.iter().map(of_cube).filter(|group| !group.is_empty());
        let wanted: Arc<[Vec<Want>]> = groups.collect();
        self.wanted_amounts.insert(phase, wanted.clone());
        wanted
    }

    /// Returns the assessment of `phase`.
    #[inline]
    pub fn assess(&mut self, phase: PhaseId) -> Assessment {
        match self.assessments.get(phase.index()) {
            Some(Some(known)) => *known,
            Some(None) | None => self.assess_anew(phase),
        }
    }

    #[cold]
    fn assess_anew(&mut self, phase: PhaseId) -> Assessment {
        let state = ResidualId::from_number(phase.0);
        let can_ask = self.can_ask();
        let permanent = if can_ask { self.automaton.permanent(state) } else { Permanent::Open };
        let verdict = match (self.is_violation, permanent) {
            (false, Permanent::Violated) | (true, Permanent::Satisfied) => Verdict::Lost,
            (true, Permanent::Violated) => Verdict::Won,
            // Before the first step there is no trace that could satisfy anything.
            (false, _) if state != ResidualId::START && self.automaton.is_satisfied(state) => Verdict::Won,
            (false, Permanent::Satisfied | Permanent::Open) | (true, Permanent::Open) => Verdict::Open,
        };
        let distance = match self.is_violation {
            _ if !can_ask => Ok(Some(0)),
            true => self.automaton.steps_to_violation(state),
            false => self.automaton.steps_to_satisfaction(state),
        };
        let atoms = self.automaton.atom_count(state);
        let assessment = Assessment { verdict, atoms, distance: distance.unwrap_or(Some(0)) };
        if self.assessments.len() <= phase.index() {
            self.assessments.resize(phase.index() + 1, None);
        }
        self.assessments[phase.index()] = Some(assessment);
        assessment
    }

    /// Returns the reward of a step between residuals with these assessments.
    #[inline]
    fn reward_between(&self, from: Assessment, to: Assessment) -> f64 {
        match (to.verdict, self.shaping) {
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

    #[cold]
    fn forecast_anew(&mut self, phase: PhaseId, class: ClassId) -> Forecast {
        let labels = &self.classes[class.index()];
        let known: BTreeMap<u32, bool> =
            sorted::map(self.labeller.action_atoms().map(|atom| (atom, labels.contains(atom))));
        if !self.can_ask() {
            return Forecast::Open;
        }
        let prediction = self.automaton.predict(ResidualId::from_number(phase.0), &known);
        let forecast = if self.is_violation {
            // No step is sure not to lose: a formula that is satisfied now may be violated at the next step.
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
        self.forecasts.insert((phase, class), forecast);
        forecast
    }

    /// Returns true while there is work left to spend on what can follow; without, all that is not plain stays open.
    fn can_ask(&self) -> bool {
        // A second or two; no formula that a person writes comes near.
        const WORK_MAX: u64 = 5_000_000;
        self.automaton.work() < WORK_MAX
    }

    /// Counts a step on the device.
    fn count(&mut self, class: ClassId, look: LookId, after: PhaseId, assessment: Assessment) {
        self.class_steps[class.index()] += 1;
        self.look_steps[look.index()] += 1;
        let Assessment { verdict, atoms, distance } = assessment;
        if let (Some(distance), Verdict::Open | Verdict::Won) = (distance, verdict)
            && self.closest.is_none_or(|(least, fewest, _)| (distance, atoms) < (least, fewest))
        {
            self.closest = Some((distance, atoms, after));
        }
    }

    /// Returns the number of steps on the device at which each atom held.
    fn held(&self) -> Vec<u64> {
        let mut held = vec![0; self.names.len()];
        let classes = self.classes.iter().zip(&self.class_steps);
        for (labels, steps) in classes.chain(self.looks.iter().zip(&self.look_steps)) {
            for atom in labels.iter() {
                held[atom as usize] += steps;
            }
        }
        held
    }

    /// Returns, for atoms that never held and ask for a word, the nearest word seen where they look, or else some of the
    /// activities, ids or names that were seen.
    fn word_hints(&self, held: &[u64], words: &dyn Fn(Key) -> BTreeSet<String>) -> Vec<(String, String)> {
        // Nobody reads a longer list.
        const WORDS_MAX: usize = 8;
        let hint = |atom: &Atom| {
            let (Atom::State(all) | Atom::Widget(all) | Atom::Action(all)) = atom else { return None };
            let sought = all.iter().filter(|one| one.key != Key::ActionType).find_map(|one| {
                let Comparison { key, op: op @ (Op::Equal | Op::Contains), value: Constant::Text(text) } =
                    one
                else {
                    return None;
                };
                let words = words(*key);
                let has =
                    |word: &String| if *op == Op::Equal { word == text } else { word.contains(&**text) };
                // A word that is there is not the reason why the atom never held.
                (!words.iter().any(has)).then_some((*key, text, words))
            });
            let (key, text, words) = sought?;
            let kind = match key {
                Key::Activity => "activities",
                Key::Id => "ids",
                Key::ActionDetail => "names",
                _ => "",
            };
            match nearest(text, words.iter().map(String::as_str)) {
                Some(near) => Some(format!("the nearest that was seen is {near:?}")),
                None if !kind.is_empty() && !words.is_empty() => {
                    let more = if words.len() > WORDS_MAX { ", .." } else { "" };
                    let some: Vec<String> = words.iter().take(WORDS_MAX).cloned().collect();
                    Some(format!("the {kind} seen are {}{more}", some.join(", ")))
                }
                None => None,
            }
        };
        let of_typed = |number: u32| {
            self.met_by_typed.contains(&number).then(|| {
                "only text that the run typed met it, and that is no evidence unless the spec says `typed counts`"
                    .to_string()
            })
        };
        self.atoms
            .iter()
            .filter(|(number, _)| held[*number as usize] == 0)
            .filter_map(|(number, atom)| {
                let all: Vec<String> = hint(atom).into_iter().chain(of_typed(*number)).collect();
                (!all.is_empty()).then(|| (self.names[*number as usize].to_string(), all.join("; ")))
            })
            .collect()
    }
}

impl Objective for Formula {
    fn link(&mut self, link: Link<'_>, interval: Interval) -> LinkId {
        if !self.labeller.has_links() && self.told_apart_ms(link, interval) == 0 {
            return LinkId::default();
        }
        let labels = self.linked_labels(link, interval);
        if let (true, Some(credulous)) = (link.after.has_typed(), &self.credulous) {
            let would_hold = credulous.of_link(link).into_iter();
            self.met_by_typed.extend(would_hold.filter(|&atom| !labels.contains(atom)));
        }
        let next = LinkId(self.links.len() as u32);
        let known = *self.link_of.entry(labels.clone()).or_insert(next);
        if known == next {
            self.links.push(labels);
        }
        known
    }

    fn look(&mut self, screen: Option<&Screen>, link: LinkId) -> LookId {
        let labels = screen.map(|screen| self.screen_labels(screen)).unwrap_or_default();
        let labels = labels.union(&self.links[link.index()]);
        if let (Some(screen), Some(credulous)) = (screen.filter(|screen| screen.has_typed()), &self.credulous)
        {
            let would_hold = credulous.on_screen(screen).into_iter();
            self.met_by_typed.extend(would_hold.filter(|&atom| !labels.contains(atom)));
        }
        self.look_with(&labels)
    }

    fn clock_period_ms(&self) -> Option<u64> {
        self.automaton.has_time().then(|| self.formulas().quantum_ms().into())
    }

    fn class(&mut self, action: &Action) -> ClassId {
        let labels = self.labeller.of_action(action).into_iter().collect();
        self.class_with(labels)
    }

    fn step(&mut self, from: PhaseId, moment: &Moment<'_>) -> Judgement {
        let next = self.after_look(from, moment.class, moment.look);
        let (before, after) = (self.assess(from), self.assess(next));
        if moment.seen.origin() == Origin::Device {
            self.count(moment.class, moment.look, next, after);
        }
        let Assessment { verdict, distance, .. } = after;
        let context = moment.seen.screen().context();
        if self.ends_at_faults && verdict == Verdict::Open && (context.crashed || context.anr) {
            return Judgement { next, verdict: Verdict::Lost, reward: -1.0, distance: None };
        }
        Judgement { next, verdict, reward: self.reward_between(before, after), distance }
    }

    #[inline]
    fn forecast(&mut self, from: PhaseId, class: ClassId) -> Forecast {
        match self.forecasts.get(&(from, class)) {
            Some(&known) => known,
            None => self.forecast_anew(from, class),
        }
    }

    fn outlook(&mut self) -> Option<&mut dyn Outlook> {
        Some(self)
    }

    fn hints(&self, actions: &[Action]) -> Vec<u64> {
        let bits = |hints: Vec<u32>| hints.into_iter().collect::<Labels>().bits();
        self.hints.of(actions).into_iter().map(bits).collect()
    }

    fn reads(&self, key: Key) -> bool {
        self.keys.contains(&key)
    }

    fn heeds_typed(&self) -> bool {
        self.labeller.heeds_typed()
    }

    fn labels(&self, from: PhaseId, class: ClassId, look: LookId) -> Vec<Arc<str>> {
        let labels = self.classes[class.index()].union(&self.looks[look.index()]);
        // Values that other runs kept, or none yet, say nothing of this step.
        let asked = |atom: u32| self.automaton.asks_for(ResidualId::from_number(from.0), atom);
        let is_said =
            |atom: &u32| !self.kept.has_name(*atom) && ((*atom as usize) < self.conditions || asked(*atom));
        labels.iter().filter(is_said).map(|atom| self.names[atom as usize].clone()).collect()
    }

    fn conditions(&self) -> &[Arc<str>] {
        &self.names[..self.conditions]
    }

    fn remaining(&self, phase: PhaseId) -> String {
        self.automaton.residual(ResidualId::from_number(phase.0)).to_string()
    }

    fn closest(&self) -> Option<u32> {
        self.closest.map(|(distance, _, _)| distance)
    }

    fn report(&self, words: &dyn Fn(Key) -> BTreeSet<String>) -> Report {
        let (names, held) = (self.conditions().iter().map(|name| name.to_string()), self.held());
        Report {
            hints: self.word_hints(&held, words),
            held: (0..)
                .zip(names.zip(held))
                .filter(|(number, _)| !self.kept.has_name(*number))
                .map(|(_, held)| held)
                .collect(),
            closest: self.closest.map(|(distance, _, phase)| (self.remaining(phase), distance)),
        }
    }
}

impl Outlook for Formula {
    fn after(&mut self, phase: PhaseId, class: ClassId, look: LookId) -> PhaseId {
        self.after_look(phase, class, look)
    }

    fn standing(&mut self, phase: PhaseId) -> Standing {
        self.assess(phase).standing()
    }

    fn reward(&mut self, from: PhaseId, to: PhaseId) -> f64 {
        let (from, to) = (self.assess(from), self.assess(to));
        self.reward_between(from, to)
    }

    fn deviation(&mut self, phase: PhaseId, screen: &Screen) -> Option<u64> {
        if self.quotas.is_empty() {
            return None;
        }
        let wanted = match self.wanted_quotas.get(&phase) {
            Some(known) => known.clone(),
            None => self.want_quotas(phase),
        };
        let deviation =
            |group: &Vec<usize>| group.iter().map(|&at| self.quotas[at].1.deviation(screen)).sum();
        wanted.iter().map(deviation).min()
    }

    fn shown_amounts(&mut self, screen: &Screen) -> Vec<(AmountId, ShownAmount)> {
        let shown = |(atom, amount): &(u32, Amount)| Some((AmountId(*atom), amount.shown(screen)?));
        self.amounts.iter().filter_map(shown).collect()
    }

    fn wanted_amounts(&mut self, phase: PhaseId) -> Arc<[Vec<Want>]> {
        if self.amounts.is_empty() {
            return Arc::default();
        }
        match self.wanted_amounts.get(&phase) {
            Some(known) => known.clone(),
            None => self.want_amounts(phase),
        }
    }

    fn classes(&self) -> u32 {
        self.classes.len() as u32
    }

    fn is_aimless(&self) -> bool {
        // No widget is called like a crash or a message, and no screen is nearer to one.
        let reported = [Key::Crashed, Key::Crash, Key::Anr, Key::Console, Key::Status];
        self.keys.iter().all(|key| reported.contains(key))
    }

    fn subgoals(&mut self, phase: PhaseId, class: ClassId, look: LookId, subgoals: &mut Vec<Subgoal>) {
        match self.subgoals.get(&(phase, class, look)) {
            Some(known) => subgoals.extend_from_slice(known),
            None => subgoals.extend_from_slice(&self.subgoals_anew(phase, class, look)),
        }
    }
}

/// Returns the pairs of atoms that exclude each other, or name two activities that cannot be one by their names.
fn rivals(atoms: &[(u32, &Atom)]) -> Vec<(u32, u32)> {
    let activity = |atom: &Atom| match atom {
        Atom::State(all) => match &all[..] {
            [
                Comparison { key: Key::Activity, op: Op::Equal | Op::Contains, value: Constant::Text(name) },
            ] => Some(name.clone()),
            _ => None,
        },
        Atom::Widget(_)
        | Atom::Count { .. }
        | Atom::Action(_)
        | Atom::Checked(_)
        | Atom::Placed(_)
        | Atom::Compared { .. } => None,
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
