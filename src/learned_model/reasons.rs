//! Reasons for gaps: the likeliest one why an action was never done, and why an activity was never seen.
//!
//! They are worked out from what was seen alone, so they are likely and not certain.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::map::Kinds;
use super::{LearnedModel, Link, State};
use crate::event::Unreached;
use crate::gui;
use crate::sorted;

/// Clicks that led nowhere after which a form counts as one that refuses.
const REFUSALS_MIN: u64 = 2;

/// Fewest letters of a word that ties an activity to an action.
const LETTERS_MIN: usize = 4;

/// Words in the names of activities that say nothing.
const COMMON: [&str; 6] = ["activity", "main", "screen", "page", "view", "fragment"];

/// Most activities and actions that are explained.
const ACTIVITIES_MAX: usize = 200;
const ACTIONS_MAX: usize = 50;

/// Reason for a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A screen with fields has refused all texts: nothing came of its button.
    NeedsText {
        /// Button, with its screen.
        by: String,
        /// Times that it was pressed.
        times: u64,
    },
    /// The system asks for a permission.
    Permission,
    /// Another app comes to the front.
    AnotherApp {
        /// Its package.
        package: Arc<str>,
    },
    /// The app crashes before.
    CrashFirst {
        /// Action that leads to the crash, with its screen; none on the screen of the crash itself.
        by: Option<String>,
    },
    /// It was offered only where the steps of an episode were spent.
    LastSteps {
        /// Times that it was offered.
        offered: u64,
    },
    /// The app was started by it, and another screen came up each time.
    PassedBy {
        /// Times that it was started.
        times: u64,
    },
    /// Nothing that was seen leads there.
    NeverOffered,
    /// Other actions were done in place of it.
    BudgetShort {
        /// Times that it was offered.
        offered: u64,
        /// Action, with its screen, that is likely to lead there; none for an action itself.
        by: Option<String>,
    },
    /// Some actions that were never done may lead there.
    Untried {
        /// Number of these.
        actions: u64,
    },
}

impl Reason {
    /// Returns the reason as machines read it.
    pub fn name(&self) -> &'static str {
        match self {
            Reason::NeedsText { .. } => "needs_text",
            Reason::Permission => "permission",
            Reason::AnotherApp { .. } => "another_app",
            Reason::CrashFirst { .. } => "crash_first",
            Reason::LastSteps { .. } => "last_steps",
            Reason::PassedBy { .. } => "passed_by",
            Reason::NeverOffered => "never_offered",
            Reason::BudgetShort { .. } | Reason::Untried { .. } => "budget_short",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NeedsText { by, times } => {
                write!(out, "needs a text that was never accepted: {by} led nowhere in {times} tries")
            }
            Reason::Permission => write!(out, "the system asks for a permission before"),
            Reason::AnotherApp { package } => write!(out, "another app comes to the front: {package}"),
            Reason::CrashFirst { by: Some(by) } => write!(out, "a crash comes first, by {by}"),
            Reason::CrashFirst { by: None } => {
                write!(out, "the app has crashed there, and the episode is over")
            }
            Reason::LastSteps { offered } => {
                write!(out, "offered {offered}×, always at the last step of an episode")
            }
            Reason::PassedBy { times } => {
                write!(out, "the app was started by it {times}×, and went on to another screen at once")
            }
            Reason::NeverOffered => write!(out, "nothing that was seen leads there, and all of it was tried"),
            Reason::BudgetShort { offered, by: None } => {
                write!(out, "the budget was short: offered {offered}×")
            }
            Reason::BudgetShort { offered, by: Some(by) } => {
                write!(
                    out,
                    "the budget was short: {by} may lead there, and was offered {offered}× and never done"
                )
            }
            Reason::Untried { actions } => {
                write!(
                    out,
                    "the budget was short: any of {actions} clicks that were never done may lead there"
                )
            }
        }
    }
}

/// Action that a kind of screens offers and that was never done.
#[derive(Clone, Debug)]
pub(super) struct Gap {
    pub action: Arc<str>,
    pub offered: u64,
    pub reason: Reason,
}

/// An action of a kind of screens.
#[derive(Clone, Debug, Default)]
struct Tally {
    /// Times that a screen with it was seen, and times that something was done there.
    offered: u64,
    choices: u64,
    done: u64,
    /// Times that it led to the very same screen.
    unchanged: u64,
    /// Screens after it, with the times.
    to: BTreeMap<usize, u64>,
}

/// All actions of all kinds.
pub(super) struct Gaps<'m> {
    model: &'m LearnedModel,
    kinds: &'m Kinds,
    actions: Vec<BTreeMap<&'m str, Tally>>,
    /// Fields of each kind, as actions name them.
    fields: Vec<BTreeSet<&'m str>>,
}

impl<'m> Gaps<'m> {
    pub fn new(model: &'m LearnedModel, kinds: &'m Kinds, links: &[Link]) -> Gaps<'m> {
        let mut actions: Vec<BTreeMap<&str, Tally>> = vec![BTreeMap::new(); kinds.states.len()];
        for (number, state) in model.states().iter().enumerate() {
            let choices = model.offers(number).fold(0_u64, |sum, (_, times)| sum.saturating_add(times));
            for (label, times) in model.offers(number) {
                let tally = actions[kinds.of[number]].entry(label).or_default();
                tally.offered = tally.offered.saturating_add(state.seen);
                tally.choices = tally.choices.saturating_add(choices);
                tally.done = tally.done.saturating_add(times);
            }
        }
        for link in links {
            let label = model.offer(link.from, link.at);
            let tally = actions[kinds.of[link.from]].entry(label).or_default();
            if link.from == link.to {
                tally.unchanged = tally.unchanged.saturating_add(link.times);
            }
            let times = tally.to.entry(link.to).or_insert(0);
            *times = times.saturating_add(link.times);
        }
        let fields = actions.iter().map(|all| {
            let texts = all.keys().copied().filter(|label| label.starts_with("text "));
            texts.filter_map(|label| label.rsplit_once(" into ")).map(|(_, field)| field).collect()
        });
        Gaps { model, kinds, fields: fields.collect(), actions }
    }

    /// Returns the number of different actions that a kind offers.
    pub fn offered(&self, kind: usize) -> u64 {
        self.actions[kind].len() as u64
    }

    /// Returns the actions of a kind that were never done, those that were offered most often first.
    pub fn never_done(&self, kind: usize) -> Vec<Gap> {
        let gap = |(label, tally): (&&str, &Tally)| Gap {
            action: (*label).into(),
            offered: tally.offered,
            reason: self.reason(kind, tally),
        };
        let never = self.actions[kind].iter().filter(|(_, tally)| tally.done == 0);
        let mut gaps: Vec<Gap> = never.map(gap).collect();
        sorted::by(&mut gaps, |one, other| {
            other.offered.cmp(&one.offered).then(one.action.cmp(&other.action))
        });
        gaps
    }

    fn first(&self, kind: usize) -> &State {
        &self.model.states()[self.kinds.states[kind][0]]
    }

    /// Returns why an action of a kind was never done.
    fn reason(&self, kind: usize, tally: &Tally) -> Reason {
        let state = self.first(kind);
        match () {
            () if is_fault(state) => Reason::CrashFirst { by: None },
            () if is_permission(&state.package) => Reason::Permission,
            () if state.package != self.model.app.package => {
                Reason::AnotherApp { package: state.package.clone() }
            }
            () if tally.choices == 0 => Reason::LastSteps { offered: tally.offered },
            () => Reason::BudgetShort { offered: tally.offered, by: None },
        }
    }

    /// Returns true if all steps by an action led to screens that are so.
    fn all_lead(&self, tally: &Tally, is: impl Fn(&State) -> bool) -> bool {
        !tally.to.is_empty() && tally.to.keys().all(|&to| is(&self.model.states()[to]))
    }

    fn on(&self, label: &str, kind: usize) -> String {
        format!("{label} on {}", self.first(kind).name)
    }

    /// Returns the reason that the outcomes of an action give for not leading anywhere else.
    fn obstacle(&self, kind: usize, label: &str, tally: &Tally) -> Option<Reason> {
        if self.all_lead(tally, is_fault) {
            return Some(Reason::CrashFirst { by: Some(self.on(label, kind)) });
        }
        if self.all_lead(tally, |to| is_permission(&to.package)) {
            return Some(Reason::Permission);
        }
        if self.all_lead(tally, |to| to.package != self.model.app.package) {
            let to = tally.to.keys().next().map(|&to| self.model.states()[to].package.clone());
            return to.map(|package| Reason::AnotherApp { package });
        }
        self.refusal(kind, label, tally)
    }

    /// Returns that a form has refused, if the action is a button of one.
    fn refusal(&self, kind: usize, label: &str, tally: &Tally) -> Option<Reason> {
        let stays = tally.to.keys().all(|to| self.kinds.of[*to] == kind);
        // A form may say once what is wrong; a button that adds something changes the screen each time.
        let stays = stays && tally.unchanged.saturating_mul(2) >= tally.done;
        let is_refusal = self.is_button(kind, label)
            && stays
            && tally.done >= REFUSALS_MIN
            && !self.fields[kind].is_empty();
        is_refusal.then(|| Reason::NeedsText { by: self.on(label, kind), times: tally.done })
    }

    /// Returns true for a click on anything but a field.
    fn is_button(&self, kind: usize, label: &str) -> bool {
        label.strip_prefix("click ").is_some_and(|on| !self.fields[kind].contains(on))
    }

    /// Returns the actions that were never done on any screen of their activity, each with the kind that offered it most
    /// often.
    fn never_done_anywhere(&self) -> impl Iterator<Item = (usize, &'m str, &Tally)> {
        let mut tallies: BTreeMap<(&str, &'m str), (usize, &Tally)> = BTreeMap::new();
        for (kind, label, tally) in self.all() {
            let best = tallies.entry((&*self.first(kind).activity, label)).or_insert((kind, tally));
            // Whatever was done somewhere stays so.
            if best.1.done == 0 && (tally.done > 0 || best.1.offered < tally.offered) {
                *best = (kind, tally);
            }
        }
        let never = tallies.into_iter().filter(|(_, (_, tally))| tally.done == 0);
        never.map(|((_, label), (kind, tally))| (kind, label, tally))
    }

    fn all(&self) -> impl Iterator<Item = (usize, &'m str, &Tally)> {
        let of_kind = |(kind, all)| {
            let all: &BTreeMap<&'m str, Tally> = all;
            all.iter().map(move |(label, tally)| (kind, *label, tally))
        };
        self.actions.iter().enumerate().flat_map(of_kind)
    }

    /// Returns why an activity was never seen.
    fn of_activity(&self, activity: &str, general: &Reason) -> Reason {
        let start = format!("reinitialise {activity}");
        let times = self.model.starts().iter().filter(|one| *one.by == *start).map(|one| one.times).sum();
        if times > 0 {
            return Reason::PassedBy { times };
        }
        let wanted = words(crate::gui::short_activity(activity));
        let mut near: Vec<(usize, &str, &Tally)> = self
            .all()
            .filter(|(_, label, _)| !label.starts_with("text ") && are_near(&wanted, label))
            .collect();
        sorted::by_key(&mut near, |(kind, label, tally)| (std::cmp::Reverse(tally.offered), *kind, *label));
        // What was never done is the likeliest way; what was done and led nowhere comes next.
        let untried = near.iter().find(|(_, _, tally)| tally.done == 0);
        if let Some((kind, label, tally)) = untried {
            return match self.reason(*kind, tally) {
                Reason::BudgetShort { offered, .. } => {
                    Reason::BudgetShort { offered, by: Some(self.on(label, *kind)) }
                }
                other => other,
            };
        }
        let obstacle = near.iter().find_map(|(kind, label, tally)| self.obstacle(*kind, label, tally));
        obstacle.unwrap_or_else(|| general.clone())
    }

    /// Returns the reason that holds for whatever was never seen.
    fn general(&self) -> Reason {
        let mut best: Option<((u8, usize, u64), Reason)> = None;
        let mut untried = 0;
        for (kind, label, tally) in self.all() {
            let state = self.first(kind);
            if state.package != self.model.app.package || is_fault(state) {
                continue;
            }
            let is_button = self.is_button(kind, label);
            untried += u64::from(is_button && tally.done == 0);
            let Some(reason) = self.obstacle(kind, label, tally) else { continue };
            let rank = match reason {
                Reason::NeedsText { .. } if label.contains('"') => 4,
                Reason::Permission => 3,
                Reason::CrashFirst { .. } => 1,
                _ => 0,
            };
            // Of forms, the one that asks for most is the likeliest to hide something.
            let rank = (rank, self.fields[kind].len(), tally.done);
            if best.as_ref().is_none_or(|(known, _)| *known < rank) {
                best = Some((rank, reason));
            }
        }
        match best {
            // A crash or another app is in the way of what lies behind it alone, and a button may lead anywhere.
            Some(((rank, ..), reason)) if rank >= 3 || untried == 0 => reason,
            _ if untried > 0 => Reason::Untried { actions: untried },
            _ => Reason::NeverOffered,
        }
    }
}

impl LearnedModel {
    /// Returns what was never reached, each with its likeliest reason: activities that were never seen, then actions
    /// that were never done in their activity, those that were offered most often first; and for each reason the number
    /// of these actions.
    pub fn unreached(&self) -> (Vec<Unreached>, Vec<(String, u64)>) {
        let kinds = Kinds::new(self, false);
        let links = self.links();
        let gaps = Gaps::new(self, &kinds, &links);
        let general = gaps.general();
        let unseen = self.app.activities.iter().filter(|name| !self.activities.contains_key(&***name));
        let mut all: Vec<Unreached> = unseen
            .take(ACTIVITIES_MAX)
            .map(|activity| {
                let reason = gaps.of_activity(activity, &general);
                Unreached {
                    activity: Some(activity.to_string()),
                    action: None,
                    on: None,
                    reason: reason.name().to_string(),
                    because: reason.to_string(),
                }
            })
            .collect();
        let mut never: Vec<(usize, &str, &Tally)> = gaps.never_done_anywhere().collect();
        let mut counts = BTreeMap::new();
        for (kind, _, tally) in &never {
            *counts.entry(gaps.reason(*kind, tally).name().to_string()).or_insert(0) += 1;
        }
        sorted::by_key(&mut never, |(kind, label, tally)| (std::cmp::Reverse(tally.offered), *kind, *label));
        all.extend(never.into_iter().take(ACTIONS_MAX).map(|(kind, label, tally)| {
            let reason = gaps.reason(kind, tally);
            Unreached {
                activity: None,
                action: Some(label.to_string()),
                on: Some(gaps.first(kind).name.to_string()),
                reason: reason.name().to_string(),
                because: reason.to_string(),
            }
        }));
        (all, counts.into_iter().collect())
    }
}

fn is_fault(state: &State) -> bool {
    state.crash.is_some() || state.is_anr
}

/// Returns true for the packages in which Android asks for a permission.
fn is_permission(package: &str) -> bool {
    ["permissioncontroller", "packageinstaller"].iter().any(|name| package.ends_with(name))
}

/// Returns the words of a name, in small letters: `EditNote_form` has three.
fn words(name: &str) -> Vec<String> {
    let mut words = gui::words(name.chars().take(200), char::is_lowercase);
    words.retain(|word| word.chars().count() >= LETTERS_MIN && !COMMON.contains(&&**word));
    words
}

/// Returns true if an action names one of these words, or one that starts like it.
fn are_near(wanted: &[String], label: &str) -> bool {
    // The type of the action is no name.
    let Some((_, on)) = label.split_once(' ') else { return false };
    let said = words(on);
    wanted
        .iter()
        .any(|word| said.iter().any(|other| other.starts_with(&**word) || word.starts_with(&**other)))
}
