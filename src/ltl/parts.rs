//! A conjunction judged part by part: parts that share no atom depend on each other only by the length of a trace.
//!
//! Rules like `G (a -> X b)` have a few residuals each, and together as many as the product of these numbers. So each part
//! gets a [`Profile`] of its own, and a question about the whole is answered from the profiles. Where the lengths matter in
//! another way than "from some length on, all", the parts answer nothing.

use std::collections::BTreeMap;

use super::formula::{Bound, Formula, Formulas, Node};
use super::meaning::{Allowance, Class, Meaning, TooMany};

/// Most residuals of a part.
const CLASSES_MAX: usize = 1_000;

/// Greatest length of a trace that a profile tells apart.
const LENGTH_MAX: u32 = 63;

/// Stands for the clock among the numbers of atoms.
const CLOCK: u32 = u32::MAX;

/// What can follow a residual, as far as a whole with other parts depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Profile {
    /// Bit *n* is set if some trace of *n* further steps satisfies the residual.
    lengths: u64,
    /// True if every trace satisfies it.
    is_sure: bool,
    /// True if every trace of at least one further step satisfies it.
    is_sure_later: bool,
    /// True if no trace satisfies it, and if no trace of at least one further step does.
    is_violated: bool,
    is_violated_later: bool,
    /// Fewest steps to a residual that no trace satisfies; the second counts from 1.
    to_violation: Option<u32>,
    to_violation_later: Option<u32>,
    /// True if of all that can follow, each residual is violated for good, or is satisfied by some trace of each length from
    /// [`LENGTH_MAX`] on, or a lower one.
    is_tame: bool,
}

impl Profile {
    /// Returns the lengths of traces that satisfy the residual; without 0 if `at_start`, as a trace has at least one step.
    pub fn lengths(&self, at_start: bool) -> u64 {
        if at_start { self.lengths & !1 } else { self.lengths }
    }

    pub fn is_sure(&self, at_start: bool) -> bool {
        if at_start { self.is_sure_later } else { self.is_sure }
    }

    pub fn is_violated(&self, at_start: bool) -> bool {
        if at_start { self.is_violated_later } else { self.is_violated }
    }

    pub fn to_violation(self, at_start: bool) -> Option<u32> {
        if at_start { self.to_violation_later } else { self.to_violation }
    }

    pub fn is_tame(&self) -> bool {
        self.is_tame
    }
}

/// Returns the parts of `formula` that share no atom, if there are several; each is a conjunction again.
pub(super) fn parts(formulas: &mut Formulas, formula: Formula) -> Vec<Formula> {
    let members = members(formulas, formula);
    if members.len() < 2 {
        return Vec::new();
    }
    // Groups are joined as an atom shows that they are one; a group that was joined to another is left empty.
    let mut groups: Vec<Vec<Formula>> = Vec::new();
    let mut group_of: BTreeMap<u32, usize> = BTreeMap::new();
    for member in members {
        let mut atoms: Vec<u32> = formulas.atoms(member).into_iter().map(|atom| atom.0).collect();
        // Parts with bounds in time share the clock.
        atoms.extend(formulas.has_time(member).then_some(CLOCK));
        let mut joined: Vec<usize> = atoms.iter().filter_map(|atom| group_of.get(atom).copied()).collect();
        joined.sort_unstable();
        joined.dedup();
        let at = joined.first().copied().unwrap_or(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(member);
        for &other in joined.iter().skip(1) {
            let moved = std::mem::take(&mut groups[other]);
            groups[at].extend(moved);
        }
        if joined.len() > 1 {
            group_of.values_mut().filter(|group| joined.contains(group)).for_each(|group| *group = at);
        }
        group_of.extend(atoms.iter().map(|&atom| (atom, at)));
    }
    groups.retain(|group| !group.is_empty());
    if groups.len() < 2 {
        return Vec::new();
    }
    groups.into_iter().map(|group| formulas.and(group)).collect()
}

/// Returns the formulas whose conjunction `formula` is, also those under a `G`.
pub(super) fn members(formulas: &mut Formulas, formula: Formula) -> Vec<Formula> {
    let mut found = Vec::new();
    let mut open: Vec<(Formula, Option<Bound>)> = vec![(formula, None)];
    while let Some((formula, always)) = open.pop() {
        match (formulas.node(formula), formula.is_negated()) {
            (Node::And(members), false) => {
                open.extend(formulas.members(members).iter().rev().map(|&member| (member, always)));
            }
            (Node::Until(bound, Formula::TRUE, f), true) if always.is_none() && f != Formula::TRUE => {
                open.push((!f, Some(bound)));
            }
            _ => found.push(always.map_or(formula, |bound| formulas.always(bound, formula))),
        }
    }
    found
}

impl Meaning {
    /// Returns the profile of `root`.
    pub fn profile(
        &mut self,
        formulas: &mut Formulas,
        root: Class,
        allowance: &mut Allowance,
    ) -> Result<Profile, TooMany> {
        if let Some((known, cost)) = self.known_profile(root) {
            self.charge(allowance, cost)?;
            return Ok(known);
        }
        let before = *allowance;
        let mut classes = vec![root];
        let mut places = BTreeMap::from([(root, 0)]);
        let mut followers: Vec<Vec<usize>> = Vec::new();
        while let Some(&class) = classes.get(followers.len()) {
            let mut found = Vec::new();
            let later = self.all_waited(formulas, class, allowance)?;
            for class in std::iter::once(class).chain(later) {
                found.extend(self.followers_within(formulas, class, allowance)?);
            }
            found.sort_unstable();
            found.dedup();
            let found = found.into_iter().map(|follower| {
                *places.entry(follower).or_insert_with(|| {
                    classes.push(follower);
                    classes.len() - 1
                })
            });
            followers.push(found.collect());
            if classes.len() > CLASSES_MAX {
                return Err(TooMany);
            }
        }
        let graph = Graph {
            is_satisfied: classes.iter().map(|&class| self.is_satisfied(class)).collect(),
            followers,
            passes: 0,
        };
        let (profile, passes) = graph.profile();
        self.charge(allowance, passes)?;
        self.keep_profile(root, profile, before.spent_to(allowance));
        Ok(profile)
    }
}

/// The residuals of a part, by their numbers; the first is asked about.
struct Graph {
    is_satisfied: Vec<bool>,
    followers: Vec<Vec<usize>>,
    passes: u64,
}

impl Graph {
    fn profile(mut self) -> (Profile, u64) {
        let all = 0..self.followers.len();
        let no: Vec<bool> = self.is_satisfied.iter().map(|is| !is).collect();
        // Fewest steps to a satisfied residual, and to one that is not.
        let to_satisfied = self.distances(&self.is_satisfied.clone());
        let to_unsatisfied = self.distances(&no);
        let violated: Vec<bool> = to_satisfied.iter().map(Option::is_none).collect();
        let to_violated = self.distances(&violated);
        let steady = self.steady();
        let to_steady = self.distances(&steady);
        let is_tame =
            all.clone().all(|at| violated[at] || to_steady[at].is_some_and(|steps| steps <= LENGTH_MAX));
        let longest = to_steady.iter().flatten().copied().max().unwrap_or(0).min(LENGTH_MAX);
        let mut lengths: Vec<u64> = self.is_satisfied.iter().map(|&is| u64::from(is)).collect();
        for _ in 0..longest {
            let next = all.clone().map(|at| {
                let later = self.followers[at].iter().fold(0, |bits, &follower| bits | lengths[follower]);
                u64::from(self.is_satisfied[at]) | later << 1
            });
            lengths = next.collect();
            self.passes += self.followers.len() as u64;
        }
        // From the first steady residual on, every length is met.
        let from_steady = to_steady[0].filter(|&steps| steps <= LENGTH_MAX).map_or(0, |steps| !0 << steps);
        let later = |distances: &[Option<u32>]| {
            self.followers[0].iter().filter_map(|&follower| distances[follower]).min().map(|steps| steps + 1)
        };
        let profile = Profile {
            lengths: lengths[0] | from_steady,
            is_sure: to_unsatisfied[0].is_none(),
            is_sure_later: later(&to_unsatisfied).is_none(),
            is_violated: violated[0],
            is_violated_later: later(&to_satisfied).is_none(),
            to_violation: to_violated[0],
            to_violation_later: later(&to_violated),
            is_tame,
        };
        (profile, self.passes)
    }

    /// Returns the satisfied residuals from which a trace can go on for ever by satisfied residuals alone.
    fn steady(&mut self) -> Vec<bool> {
        let mut steady = self.is_satisfied.clone();
        loop {
            self.passes += self.followers.len() as u64;
            let mut is_same = true;
            for at in 0..steady.len() {
                if steady[at] && !self.followers[at].iter().any(|&follower| steady[follower]) {
                    (steady[at], is_same) = (false, false);
                }
            }
            if is_same {
                return steady;
            }
        }
    }

    /// Returns for each residual the fewest steps to one of `goals`, if there are any.
    fn distances(&mut self, goals: &[bool]) -> Vec<Option<u32>> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); goals.len()];
        for (at, followers) in self.followers.iter().enumerate() {
            followers.iter().for_each(|&follower| before[follower].push(at));
        }
        let mut distances: Vec<Option<u32>> = goals.iter().map(|&is| is.then_some(0)).collect();
        let mut layer: Vec<usize> = (0..goals.len()).filter(|&at| goals[at]).collect();
        let mut next = 0;
        while let Some(&at) = layer.get(next) {
            next += 1;
            self.passes += 1;
            for &earlier in &before[at] {
                if distances[earlier].is_none() {
                    distances[earlier] = distances[at].map(|steps| steps + 1);
                    layer.push(earlier);
                }
            }
        }
        distances
    }
}
