//! Automata with a clock: residuals that differ by the time that is left are one state.
//!
//! A bound of two seconds leaves twenty residuals after a step, which nobody could tell apart in a picture. A *family* has all
//! residuals that are alike once each rest of a bound is the most that can be left of it. What a step does in a family depends on
//! the time that has passed before it; the times at the edges are those of the member with the most time left.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::automaton::{Automaton, ResidualId, TooManyResiduals};
use super::formula::{Bound, Formula, Formulas, Node, Unit};
use super::meaning::{Class, Cube, Guard, Permanent};
use super::questions::{Graph, GraphEdge, labels_of};

/// Most residuals that are looked at.
const MEMBERS_MAX: usize = 2_000;

/// Cost limit of finding them: a tenth of a second or two.
const WORK_MAX: u64 = 400_000;

/// Time that passes before the steps of a [`GraphEdge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// At least the first time, and at most the second if there is one.
    Between {
        /// First time, in milliseconds.
        from_ms: u32,
        /// Last time; none if any longer one is the same.
        to_ms: Option<u32>,
        /// Times are multiples of this.
        quantum_ms: u32,
    },
    /// Less time is left than the state says, so that another step is possible.
    LessLeft,
}

/// In words: `at most 2s later`.
impl fmt::Display for Passed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Passed::Between { from_ms, to_ms, quantum_ms } = *self else {
            return out.write_str("with less time left");
        };
        let written = |ms: u32| Unit::Time.written(ms);
        // The end that is written shorter is the one that the formula names.
        let (more, least) = match from_ms.checked_sub(quantum_ms).map(written) {
            Some(before) if before.len() < written(from_ms).len() => ("more than ", before),
            Some(_) | None => ("", written(from_ms)),
        };
        let (less, most) = match to_ms.map(|to| (written(to), written(to.saturating_add(quantum_ms)))) {
            Some((to, after)) if after.len() < to.len() => ("less than ", after),
            Some((to, _)) => ("", to),
            None => ("", String::new()),
        };
        let or = |word: &'static str, other| if word.is_empty() { other } else { word };
        match to_ms {
            None if from_ms == 0 => out.write_str("at any time"),
            None => write!(out, "{}{least} later", or(more, "at least ")),
            Some(_) if from_ms == 0 => write!(out, "{}{most} later", or(less, "at most ")),
            Some(to_ms) if to_ms == from_ms => write!(out, "{} later", written(from_ms)),
            Some(_) => write!(out, "{more}{least} to {less}{most} later"),
        }
    }
}

/// Step to a family, and whether it begins anew there.
type Target = (usize, bool);

/// Labels of a step, none if they are too many to read.
type Cubes = Option<Vec<Cube>>;

/// Bounds in time, by what they are about: true if of a release.
type Bounds = BTreeMap<(bool, Formula, Formula), Vec<Bound>>;

/// The steps that are possible at a time, by their targets.
type Steps = BTreeMap<Target, Cubes>;

/// Steps that are possible from the first of these quanta of time to the last.
struct Zone {
    from: usize,
    to: usize,
    steps: Steps,
}

/// Residuals of a formula with a clock, and their families.
struct Families {
    /// One residual for each meaning, the start first.
    members: Vec<ResidualId>,
    /// By member: what it is after each quantum of time, until it stays the same.
    moments: Vec<Vec<ResidualId>>,
    /// By residual at a moment: the members that a step leads to.
    followers: BTreeMap<ResidualId, Vec<(usize, Cubes)>>,
    /// By member: its family.
    of_member: Vec<usize>,
    /// By family: the member with the most time left.
    longest: Vec<usize>,
}

impl Automaton {
    /// Returns the automaton with one state for each family, or `None` if it has more than `states_max`, or takes too much work.
    pub(super) fn graph_of_families(&mut self, states_max: usize) -> Option<Graph> {
        let families = self.families(states_max).ok()?;
        let quantum_ms = self.progression.formulas.quantum_ms();
        let mut edges = Vec::new();
        for family in 0..families.longest.len() {
            let zones = families.zones(families.longest[family]);
            let is_timed = zones.len() > 1;
            let times = |quanta: usize| quantum_ms.saturating_mul(quanta as u32);
            for (number, Zone { from, to, steps }) in zones.iter().enumerate() {
                let to_ms = (number + 1 < zones.len()).then(|| times(*to));
                for (&(to, begins_anew), cubes) in steps {
                    let passed = Passed::Between { from_ms: times(*from), to_ms, quantum_ms };
                    let passed = is_timed.then_some(passed);
                    edges.push(GraphEdge { from: family, to, cubes: cubes.clone(), passed, begins_anew });
                }
            }
            for ((to, _), cubes) in families.steps_with_less(family, &zones) {
                let passed = Some(Passed::LessLeft);
                edges.push(GraphEdge { from: family, to, cubes, passed, begins_anew: false });
            }
        }
        let states = families.longest.iter().map(|&member| families.members[member]).collect();
        Some(Graph { states, edges })
    }

    fn families(&mut self, states_max: usize) -> Result<Families, TooManyResiduals> {
        let mut families = Families {
            members: vec![ResidualId::START],
            moments: Vec::new(),
            followers: BTreeMap::new(),
            of_member: Vec::new(),
            longest: Vec::new(),
        };
        let most = self.most_left();
        let mut of_class: BTreeMap<Class, usize> = BTreeMap::new();
        let mut met: BTreeMap<Class, ResidualId> = BTreeMap::new();
        let mut of_spelling: BTreeMap<Formula, usize> = BTreeMap::new();
        self.keep_meaning_in_bounds();
        let (begin, meaning) = (self.work(), self.work_before);
        let mut next = 0;
        while next < families.members.len() {
            let member = families.members[next];
            let moments = self.moments(member, &mut met)?;
            for &moment in &moments {
                if families.followers.contains_key(&moment) {
                    continue;
                }
                let guards = self.guards(moment, states_max)?;
                // Classes are numbers of one meaning.
                if self.work_before != meaning || self.work() - begin > WORK_MAX {
                    return Err(TooManyResiduals);
                }
                let mut followers = Vec::with_capacity(guards.len());
                for Guard { way, cubes, .. } in guards {
                    let follower = self.step(moment, &labels_of(&way));
                    let follower = self.without_implied(follower);
                    let new = families.members.len();
                    let to = *of_class.entry(self.class_of_state(follower)?).or_insert(new);
                    if to == new {
                        families.members.push(follower);
                    }
                    followers.push((to, cubes));
                }
                families.followers.insert(moment, followers);
            }
            // The start has a family of its own at first, as no time passes before the first step.
            let family = match self.spelling_of_family(member, &most) {
                _ if next == 0 => 0,
                spelling => {
                    let new = families.longest.len();
                    *of_spelling.entry(spelling).or_insert(new)
                }
            };
            if family == families.longest.len() {
                families.longest.push(next);
            } else if moments.len() > families.moments[families.longest[family]].len() {
                families.longest[family] = next;
            }
            families.of_member.push(family);
            families.moments.push(moments);
            if families.members.len() > MEMBERS_MAX || families.longest.len() > states_max {
                return Err(TooManyResiduals);
            }
            next += 1;
        }
        if let Some(family) = self.family_like_start(&families) {
            families.join_start_to(family);
        }
        Ok(families)
    }

    /// Returns the family that behaves like the start as long as no time passes, if it is spelled alike.
    fn family_like_start(&self, families: &Families) -> Option<usize> {
        let start = self.residual(ResidualId::START).to_string();
        let first = families.first_steps(0);
        (1..families.longest.len()).find(|&family| {
            let longest = families.longest[family];
            let steps = families.first_steps(longest);
            let can_be_read = first.values().chain(steps.values()).all(Option::is_some);
            can_be_read
                && are_alike(&first, &steps, false)
                && self.residual(families.members[longest]).to_string() == start
        })
    }

    /// Returns what `state` is after each quantum of time before the next step, until it stays the same. Of residuals with one
    /// meaning it takes the one that was `met` first.
    fn moments(
        &mut self,
        state: ResidualId,
        met: &mut BTreeMap<Class, ResidualId>,
    ) -> Result<Vec<ResidualId>, TooManyResiduals> {
        let quantum_ms = self.progression.formulas.quantum_ms();
        let has_keep = self.kept.is_some();
        let mut moments: Vec<ResidualId> = Vec::new();
        let (mut next, mut last) = (state, None);
        while moments.len() <= MEMBERS_MAX {
            let class = self.class_of_state(next)?;
            if last == Some(class) {
                return Ok(moments);
            }
            last = Some(class);
            // Residuals with other values have one meaning, and labels of their own.
            let is_own = has_keep || next == ResidualId::START;
            let moment = if is_own { next } else { *met.entry(class).or_insert(next) };
            moments.push(moment);
            next = self.wait(moment, quantum_ms);
        }
        Err(TooManyResiduals)
    }

    /// Returns the state of the same meaning without what the rest of a bound says that another rest says already: one second for
    /// `f` is more than two. There would be a residual for each set of rests.
    fn without_implied(&mut self, state: ResidualId) -> ResidualId {
        let residual = self.states[state.index()].residual;
        let whole = self.progression.formulas.mapped(residual.formula, |formulas, part, of| {
            let whole = formulas.rebuilt(part, of);
            let Node::And(members) = formulas.node(whole) else { return whole };
            let members = formulas.members(members).to_vec();
            let kept = strongest(formulas, &members);
            formulas.and(kept).negated_if(whole.is_negated())
        });
        if whole == residual.formula {
            return state;
        }
        let residual = self.progression.with_memory(whole, residual.memory);
        self.state_of(residual)
    }

    /// Returns the bounds in time of the formula.
    fn most_left(&self) -> Bounds {
        let formulas = &self.progression.formulas;
        let mut bounds = Bounds::new();
        for part in formulas.parts(self.formula) {
            if let Some((is_release, bound, a, b)) = formulas.bounded(part)
                && bound.unit == Unit::Time
            {
                bounds.entry((is_release, a, b)).or_default().push(bound);
            }
        }
        bounds
    }

    /// Returns the residual at `state` with the most time that can be left in place of each rest.
    fn spelling_of_family(&mut self, state: ResidualId, most: &Bounds) -> Formula {
        match self.permanent(state) {
            Permanent::Satisfied => return Formula::TRUE,
            Permanent::Violated => return Formula::FALSE,
            Permanent::Open => {}
        }
        let spelled = self.states[state.index()].spelled;
        // With a value in place of a kept name, it is about something that the formula does not have.
        let all: Vec<Bound> = most.values().flatten().copied().collect();
        let with_most = |bound: Bound, about| most_of(bound, most.get(&about).unwrap_or(&all));
        self.progression.formulas.mapped(spelled, |formulas, part, of| match formulas.bounded(part) {
            Some((false, bound, a, b)) if bound.unit == Unit::Rest => {
                formulas.until(with_most(bound, (false, a, b)), a, b)
            }
            Some((true, bound, a, b)) if bound.unit == Unit::Rest => {
                formulas.strong_release(with_most(bound, (true, a, b)), a, b)
            }
            Some(_) | None => formulas.rebuilt(part, of),
        })
    }
}

impl Families {
    /// Returns the steps that are possible from `member` once so many quanta of time have passed.
    fn steps(&self, member: usize, quanta: usize) -> Steps {
        let family = self.of_member[member];
        let mut steps = Steps::new();
        for (to, cubes) in &self.followers[&self.moments[member][quanta]] {
            let is_loop = self.of_member[*to] == family;
            let begins_anew =
                quanta > 0 && is_loop && *to == self.longest[family] && self.moments[*to].len() > 1;
            add(&mut steps, (self.of_member[*to], begins_anew), cubes.clone());
        }
        steps.values_mut().flatten().for_each(merge);
        steps
    }

    /// Returns the steps that are possible from `member` before any time has passed, by the members that they lead to.
    fn first_steps(&self, member: usize) -> Steps {
        let mut steps = Steps::new();
        for (to, cubes) in &self.followers[&self.moments[member][0]] {
            add(&mut steps, (*to, false), cubes.clone());
        }
        steps
    }

    /// Makes the start one of `family`, which comes first then.
    fn join_start_to(&mut self, family: usize) {
        self.longest[0] = self.longest.remove(family);
        for of in &mut self.of_member {
            *of = match (*of).cmp(&family) {
                Ordering::Less => *of,
                Ordering::Equal => 0,
                Ordering::Greater => *of - 1,
            };
        }
    }

    /// Returns the zones of `member`: the times between which its steps are the same.
    fn zones(&self, member: usize) -> Vec<Zone> {
        let mut zones: Vec<Zone> = Vec::new();
        for quanta in 0..self.moments[member].len() {
            let steps = self.steps(member, quanta);
            match zones.last_mut() {
                Some(zone) if are_alike(&zone.steps, &steps, zone.to > 0) => {
                    // At once nothing tells whether time begins anew.
                    if zone.to == 0 {
                        zone.steps = steps;
                    }
                    zone.to = quanta;
                }
                Some(_) | None => zones.push(Zone { from: quanta, to: quanta, steps }),
            }
        }
        zones
    }

    /// Returns the steps of the other members of `family` that are in none of `zones`.
    fn steps_with_less(&self, family: usize, zones: &[Zone]) -> Steps {
        let mut more = Steps::new();
        let mut met: BTreeSet<(ResidualId, bool)> = BTreeSet::new();
        for member in (0..self.members.len()).filter(|&member| self.of_member[member] == family) {
            for quanta in 0..self.moments[member].len() {
                if !met.insert((self.moments[member][quanta], quanta > 0)) {
                    continue;
                }
                let steps = self.steps(member, quanta);
                let is_alike = |zone: &Zone| are_alike(&zone.steps, &steps, quanta > 0 && zone.to > 0);
                if zones.iter().any(is_alike) {
                    continue;
                }
                for ((to, _), cubes) in steps {
                    add(&mut more, (to, false), cubes);
                }
            }
        }
        more.values_mut().flatten().for_each(merge);
        more
    }
}

/// Adds steps to a target with these labels.
fn add(steps: &mut Steps, target: Target, cubes: Cubes) {
    let entry = steps.entry(target).or_insert_with(|| Some(Vec::new()));
    match (entry.as_mut(), cubes) {
        (Some(all), Some(more)) => all.extend(more),
        (Some(_), None) => *entry = None,
        (None, _) => {}
    }
}

/// Returns the members of a conjunction without those that ask for the same as another, with another rest, and for less.
fn strongest(formulas: &Formulas, members: &[Formula]) -> Vec<Formula> {
    let rest = |member: Formula| {
        let (is_release, bound, a, b) = formulas.bounded(member)?;
        let is_rest = (bound.from, bound.unit) == (0, Unit::Rest);
        is_rest.then_some(((is_release, member.is_negated(), a, b), bound.to))
    };
    let is_implied = |member: &Formula| {
        let Some((about, to)) = rest(*member) else { return false };
        // A negated one asks for the whole time, so more of it is more.
        let is_less = |other: u32| if member.is_negated() { other > to } else { other < to };
        members.iter().filter_map(|&other| rest(other)).any(|(same, other)| same == about && is_less(other))
    };
    members.iter().copied().filter(|member| !is_implied(member)).collect()
}

/// Returns the bound of which `rest` is what is left, with the most that can be left of it.
fn most_of(rest: Bound, bounds: &[Bound]) -> Bound {
    let left = bounds.iter().filter_map(|bound| {
        let to_end = |to: u32| if to == Bound::NO_END { to } else { to - bound.from };
        let (from, to) = match rest.from {
            0 => (0, to_end(bound.to)),
            _ => (bound.from, bound.to),
        };
        (from >= rest.from && to >= rest.to).then_some(Bound { from, to, unit: Unit::Rest })
    });
    left.min_by_key(|bound| (bound.to, bound.from)).unwrap_or(rest)
}

/// Returns true if the same labels lead to the same targets; without `tells_anew`, to the same families.
fn are_alike(one: &Steps, other: &Steps, tells_anew: bool) -> bool {
    let key = |target: &Target| (target.0, tells_anew && target.1);
    let keys = |steps: &Steps| -> BTreeSet<Target> { steps.keys().map(key).collect() };
    // Both have every set of labels once, so they are alike if no set has another target.
    keys(one) == keys(other)
        && one.iter().all(|(to, cubes)| {
            other.iter().filter(|(there, _)| key(to) != key(there)).all(|(_, more)| match (cubes, more) {
                (Some(cubes), Some(more)) => {
                    cubes.iter().all(|cube| more.iter().all(|other| are_apart(cube, other)))
                }
                // Too many to read, and so to compare.
                (_, _) => true,
            })
        })
}

/// Returns true if no set of labels is in both cubes.
fn are_apart(one: &Cube, other: &Cube) -> bool {
    one.iter().any(|&(atom, holds)| other.contains(&(atom, !holds)))
}

/// Makes one cube of two that differ in one label, and leaves out those that are in others.
fn merge(cubes: &mut Vec<Cube>) {
    loop {
        let mut pairs = (0..cubes.len()).flat_map(|one| (0..one).map(move |other| (other, one)));
        let found = pairs.find_map(|(one, other)| Some((one, other, merged(&cubes[one], &cubes[other])?)));
        let Some((one, other, whole)) = found else { return };
        cubes.remove(other);
        cubes[one] = whole;
    }
}

/// Returns the cube that has the labels of both, and no others, if there is one.
fn merged(one: &Cube, other: &Cube) -> Option<Cube> {
    let is_in = |small: &Cube, large: &Cube| large.iter().all(|literal| small.contains(literal));
    if is_in(one, other) {
        return Some(other.clone());
    }
    if is_in(other, one) {
        return Some(one.clone());
    }
    let differs = |literal: &&(u32, bool)| !other.contains(literal);
    let mut different = one.iter().filter(differs);
    let (&(atom, holds), None) = (different.next()?, different.next()) else { return None };
    let whole: Cube = one.iter().filter(|literal| literal.0 != atom).copied().collect();
    let is_opposite = other.contains(&(atom, !holds)) && other.len() == one.len();
    is_opposite.then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::super::labels::Labels;
    use super::super::random::choose;
    use super::*;

    /// Returns the automaton of `formula` in text: each state, and below it its steps.
    fn drawn(formulas: &Formulas, formula: Formula) -> String {
        let mut automaton = Automaton::new(formulas, formula);
        let graph = automaton.graph(20).expect("few states");
        let mut text = String::new();
        for (at, &state) in graph.states.iter().enumerate() {
            text += &format!("{at} {}\n", automaton.residual(state));
            for edge in graph.edges.iter().filter(|edge| edge.from == at) {
                let passed = edge.passed.map_or(String::new(), |passed| format!("{passed}: "));
                let literal = |&(atom, holds): &(u32, bool)| {
                    format!("{}{}", if holds { "" } else { "!" }, automaton.atom_name(atom))
                };
                let cube = |cube: &Cube| cube.iter().map(literal).collect::<Vec<_>>().join(" ");
                let cubes = edge.cubes.iter().flatten().map(cube).collect::<Vec<_>>().join(" or ");
                let anew = if edge.begins_anew { ", anew" } else { "" };
                text += &format!("  {} {passed}{cubes}{anew}\n", edge.to);
            }
        }
        text
    }

    #[test]
    fn residuals_that_differ_by_the_time_left_are_one_state() {
        let mut ltl = Formulas::new();
        let (a, b) = (ltl.atom("a"), ltl.atom("b"));
        let soon = ltl.eventually(Bound::time(0, 2_000), b);
        assert_eq!(
            drawn(&ltl, soon),
            "0 F[<=2s] b\n  0 at most 2s later: !b\n  1 at most 2s later: b\n  2 more than 2s later: \n1 true\n  1 \n\
             2 false\n  2 \n"
        );
        // One answer is asked for at a time, however many questions there were.
        let answer = ltl.implies(a, soon);
        let answers = ltl.always(Bound::ANY, answer);
        let text = drawn(&ltl, answers);
        assert_eq!(text.lines().filter(|line| !line.starts_with(' ')).count(), 3, "{text}");
        assert!(text.contains("  1 at most 2s later: !b\n"), "{text}");
        let window = ltl.eventually(Bound::time(2_000, 5_000), b);
        let text = drawn(&ltl, window);
        let window = "0 F[2s..5s] b\n  0 less than 2s later: \n  1 2s to 5s later: !b\n  2 2s to 5s later: b\n  \
                      3 more than 5s later: \n1 F[<=3s] b\n";
        assert!(text.contains(window), "{text}");
    }

    #[test]
    fn times_are_written_as_the_formula_has_them() {
        for (from_ms, to_ms, expected) in [
            (0, Some(2_000), "at most 2s later"),
            (0, Some(1_900), "less than 2s later"),
            (2_000, Some(5_000), "2s to 5s later"),
            (2_000, Some(4_900), "2s to less than 5s later"),
            (2_100, Some(5_000), "more than 2s to 5s later"),
            (2_100, None, "more than 2s later"),
            (2_000, None, "at least 2s later"),
            (300, Some(300), "300ms later"),
            (0, None, "at any time"),
        ] {
            assert_eq!(Passed::Between { from_ms, to_ms, quantum_ms: 100 }.to_string(), expected);
        }
    }

    fn random(formulas: &mut Formulas, state: &mut u64, operators: u64) -> Formula {
        if operators == 0 {
            return formulas.atom(["a", "b"][choose(state, 2) as usize]);
        }
        let from = [0, 0, 100, 200][choose(state, 4) as usize];
        let bound = Bound::time(from, from + 100 * choose(state, 4) as u32);
        let bound = if choose(state, 3) == 0 { Bound::ANY } else { bound };
        let kind = choose(state, 8);
        let left = if kind < 4 { operators - 1 } else { choose(state, operators) };
        let f = random(formulas, state, left);
        if kind < 4 {
            return match kind {
                0 => !f,
                1 => formulas.next(f),
                2 => formulas.eventually(bound, f),
                _ => formulas.always(bound, f),
            };
        }
        let g = random(formulas, state, operators - 1 - left);
        match kind {
            4 => formulas.and([f, g]),
            5 => formulas.or([f, g]),
            6 => formulas.until(bound, f, g),
            _ => formulas.strong_release(bound, f, g),
        }
    }

    /// Checks each step from the member of each family that stands for it against the steps of the automaton, and random runs.
    #[test]
    fn each_step_and_time_has_one_edge_to_a_state_of_the_same_verdict() {
        let (mut random_state, mut found) = (11, 0);
        for round in 0..1_500 {
            let mut formulas = Formulas::new();
            let formula = random(&mut formulas, &mut random_state, 1 + round % 6);
            if !formulas.has_time(formula) {
                continue;
            }
            let mut automaton = Automaton::new(&formulas, formula);
            let Some(graph) = automaton.graph(60) else { continue };
            found += 1;
            let holds = |edge: &GraphEdge, letter: u64| {
                let is_in =
                    |cube: &Cube| cube.iter().all(|&(atom, holds)| (letter >> atom & 1 == 1) == holds);
                edge.cubes.iter().flatten().any(is_in)
            };
            let letters = 1 << automaton.atoms().count();
            for (at, &state) in graph.states.iter().enumerate() {
                for (quanta, letter) in
                    (0..9).flat_map(|quanta| (0..letters).map(move |letter| (quanta, letter)))
                {
                    let ms = 100 * quanta;
                    let is_then = |edge: &&GraphEdge| match edge.passed {
                        None => true,
                        Some(Passed::Between { from_ms, to_ms, .. }) => {
                            from_ms <= ms && to_ms.is_none_or(|to| ms <= to)
                        }
                        Some(Passed::LessLeft) => false,
                    };
                    let edges: Vec<&GraphEdge> = graph.edges.iter().filter(|edge| edge.from == at).collect();
                    let now: Vec<_> =
                        edges.into_iter().filter(is_then).filter(|edge| holds(edge, letter)).collect();
                    let targets: BTreeSet<usize> = now.iter().map(|edge| edge.to).collect();
                    let text = || format!("{} at {at}, {ms} ms, {letter:b}", formulas.display(formula));
                    assert_eq!(targets.len(), 1, "{}", text());
                    let next = automaton.step(state, &Labels::from_bits(letter).after(ms));
                    let to = graph.states[now[0].to];
                    assert_eq!(automaton.is_satisfied(next), automaton.is_satisfied(to), "{}", text());
                    assert_eq!(automaton.permanent(next), automaton.permanent(to), "{}", text());
                }
            }
            let (mut state, mut at) = (ResidualId::START, BTreeSet::from([0]));
            for _ in 0..12 {
                let letter = choose(&mut random_state, letters);
                let elapsed = 100 * choose(&mut random_state, 4) as u32;
                state = automaton.step(state, &Labels::from_bits(letter).after(elapsed));
                let edges = graph.edges.iter().filter(|edge| at.contains(&edge.from) && holds(edge, letter));
                let verdict = automaton.is_satisfied(state);
                at = edges
                    .map(|edge| edge.to)
                    .filter(|&to| automaton.is_satisfied(graph.states[to]) == verdict)
                    .collect();
                assert!(!at.is_empty(), "{}", formulas.display(formula));
            }
        }
        assert!(found > 500, "{found}");
    }
}
