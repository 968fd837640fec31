//! The agent of APE: paths along a model of the app to what was never done.
//!
//! After Gu et al. (ICSE 2019) and the order of choices in APE's program. The model is of states and their actions, whatever
//! the abstraction that numbers them; once these have other numbers, the steps so far are learned anew.

mod acts;
mod graph;
mod path;
mod priority;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use self::acts::{Act, Acts};
use self::graph::{At, Edge, Graph};
use self::path::{Along, Hop, Search, shortest};
use self::priority::priority;
use super::Agent;
use crate::recent::Recent;
use crate::rng::Rng;
use crate::situation::{
    ActionId, ActivityId, Choice, Evidence, Explanation, Next, Offer, Origin, Outlook, Paths, Reason,
    Recollection, Rule, Scene, ScreenId, Situation, Summary, Transition,
};

/// Screens with actions in each half of their table: 12 MB where each has 50 actions.
const SCREENS_HALF: usize = 1_000;

/// Numbers of APE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApeSettings {
    /// Share of choices by priority, where all was done.
    pub epsilon: f64,
    /// Share of clicks on a field that type a text.
    pub texts: f64,
    /// Share of steps with any offer.
    pub fuzz: f64,
    /// Steps without a new state or transition until the app is started afresh.
    pub quiet: u32,
    /// Steps in the same state until the app is started afresh.
    pub still: u32,
    /// Fewest steps until the app is started afresh in any case.
    pub life_min: u32,
    /// Most steps until then.
    pub life_max: u32,
}

impl Default for ApeSettings {
    /// Returns the numbers of APE's program, without its fuzzing: that is off where agents are compared.
    fn default() -> ApeSettings {
        ApeSettings {
            epsilon: 0.05,
            texts: 0.8,
            fuzz: 0.0,
            quiet: 100,
            still: 50,
            life_min: 100,
            life_max: 300,
        }
    }
}

/// Path that was decided before.
#[derive(Clone, Debug)]
struct Walk {
    /// Hops still to be done, at least one.
    hops: VecDeque<Hop>,
    target: At,
}

/// Explores along a graph of states.
#[derive(Clone, Debug)]
pub struct Ape {
    settings: ApeSettings,
    graph: Graph,
    screens: Recent<ScreenId, Arc<Acts>>,
    walk: Option<Walk>,
    /// Activity to go back to, and the times that back may still be done for it.
    back_to: Option<(ActivityId, usize)>,
    /// Activities of the episode that lie behind each other, the last one in front.
    stack: Vec<ActivityId>,
    /// Ends of the last step.
    last: Option<(At, At)>,
    paths: Paths,
    reason: Option<Reason>,
    clock: Clock,
    /// True while steps of the past are learned anew.
    is_recalling: bool,
}

/// Steps of an episode that count towards a restart.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    steps: u32,
    /// Number of steps at which the app is started afresh in any case.
    life: u32,
    /// Changes of the graph so far, and the steps since the last one.
    changes: u64,
    quiet: u32,
    /// State, and the steps in it.
    at: Option<At>,
    still: u32,
}

/// Choices on a screen.
struct Here<'a> {
    at: At,
    activity: ActivityId,
    offers: &'a [Offer],
    acts: &'a Acts,
    /// Actions with an offer that is preferred.
    open: Vec<&'a Act>,
    is_candidate: &'a dyn Fn(u16) -> bool,
    steps_left: u32,
}

impl Here<'_> {
    /// Returns the action in a slot, if it can be chosen.
    fn act(&self, slot: u16) -> Option<&Act> {
        self.acts.get(slot).filter(|act| act.has_any(self.is_candidate))
    }

    fn back(&self) -> Option<&Act> {
        self.open.iter().copied().find(|act| act.is_back())
    }
}

impl Ape {
    /// Returns an agent that has seen nothing.
    pub fn new(settings: ApeSettings) -> Ape {
        Ape {
            settings,
            graph: Graph::default(),
            screens: Recent::new(SCREENS_HALF),
            walk: None,
            back_to: None,
            stack: Vec::new(),
            last: None,
            paths: Paths::default(),
            reason: None,
            clock: Clock::default(),
            is_recalling: false,
        }
    }

    fn acts(&mut self, scene: &Scene) -> Arc<Acts> {
        self.screens.get_or_insert_with(scene.screen_id, || Arc::new(Acts::new(scene)), drop).clone()
    }

    fn see(&mut self, situation: &Situation<'_>) -> At {
        let Situation { scene, candidates, .. } = *situation;
        let acts = self.acts(scene);
        let is_candidate = |at: u16| candidates.binary_search(&at).is_ok();
        let is_all = candidates.len() == scene.offers.len();
        self.graph.see(scene, &acts, (!is_all).then_some(&is_candidate))
    }

    /// Forgets states and their actions.
    fn clear(&mut self) {
        self.graph = Graph::default();
        self.screens.clear();
        (self.walk, self.back_to, self.last) = (None, None, None);
        self.clock.at = None;
    }

    /// Returns true if it is time to start the app afresh.
    fn is_time_over(&mut self, at: At, rng: &mut Rng) -> bool {
        let ApeSettings { quiet, still, life_min, life_max, .. } = self.settings;
        let clock = &mut self.clock;
        if clock.steps == 0 {
            let range = life_max.saturating_sub(life_min) as usize;
            clock.life = life_min.saturating_add(rng.below(range + 1) as u32);
        }
        clock.steps = clock.steps.saturating_add(1);
        let count = |is_same: bool, steps: u32| if is_same { steps.saturating_add(1) } else { 0 };
        clock.quiet = count(clock.changes == self.graph.changes, clock.quiet);
        clock.still = count(clock.at == Some(at), clock.still);
        (clock.changes, clock.at) = (self.graph.changes, Some(at));
        clock.steps > clock.life || clock.quiet >= quiet || clock.still >= still
    }

    /// Returns the first choice that a rule gives, by the slot of its action.
    fn decide(&mut self, here: &Here<'_>, rng: &mut Rng) -> (Rule, u16) {
        if let Some(slot) = self.go_on(here) {
            return (Rule::Path, slot);
        }
        if let Some(slot) = self.go_back(here) {
            return (Rule::BackTo, slot);
        }
        if let Some(slot) = self.close_loop(here) {
            return (Rule::Loop, slot);
        }
        let open = |act: &&Act| !act.is_back() && self.visits(here.at, act) == 0;
        let never_done: Vec<&Act> = here.open.iter().copied().filter(open).collect();
        if !never_done.is_empty() {
            return (Rule::Open, self.by_priority(here.at, &never_done, rng));
        }
        if let Some(slot) = self.forward(here) {
            return (Rule::Forward, slot);
        }
        if let Some(choice) = self.visit_trivial_activity(here) {
            return choice;
        }
        if let Some(slot) = self.backward(here) {
            return (Rule::Backward, slot);
        }
        if rng.unit() < self.settings.epsilon {
            return (Rule::Priority, self.by_priority(here.at, &here.open, rng));
        }
        let least = here.open.iter().map(|act| self.visits(here.at, act)).min();
        let least_done = |act: &&Act| Some(self.visits(here.at, act)) == least;
        let least_done: Vec<&Act> = here.open.iter().copied().filter(least_done).collect();
        (Rule::Least, self.by_priority(here.at, &least_done, rng))
    }

    fn visits(&self, at: At, act: &Act) -> u32 {
        self.graph.state(at).act(act.slot).map_or(0, |known| known.visits)
    }

    /// Draws one of some actions, at least one, by their priorities.
    fn by_priority(&self, at: At, acts: &[&Act], rng: &mut Rng) -> u16 {
        let share = |act: &Act| priority(&self.graph.standing(at, act.slot, act.ways.len() as u32));
        let shares: Vec<u64> = acts.iter().map(|act| share(act)).collect();
        let mut left = rng.below(shares.iter().sum::<u64>() as usize) as u64;
        for (act, share) in acts.iter().zip(shares) {
            if left < share {
                return act.slot;
            }
            left -= share;
        }
        acts[acts.len() - 1].slot
    }

    /// Goes on along the path that was decided.
    fn go_on(&mut self, here: &Here<'_>) -> Option<u16> {
        let hop = self.walk.as_ref()?.hops.front().copied()?;
        if hop.from == here.at && here.act(hop.slot).is_some() {
            return Some(hop.slot);
        }
        self.miss();
        None
    }

    /// Drops the path, which has led elsewhere.
    fn miss(&mut self) {
        if let Some(walk) = self.walk.take() {
            self.paths.missed += 1;
            self.graph.detach(walk.target);
        }
    }

    /// Goes back towards the activity that was decided.
    fn go_back(&mut self, here: &Here<'_>) -> Option<u16> {
        let (activity, times) = self.back_to.take()?;
        if times == 0 || activity == here.activity || !self.stack.contains(&activity) {
            return None;
        }
        let back = here.back()?;
        self.back_to = Some((activity, times - 1));
        Some(back.slot)
    }

    /// Begins a path.
    fn begin_path(&mut self, hops: Vec<Hop>) -> Option<u16> {
        let (first, last) = (hops.first()?.slot, hops.last()?.to);
        self.walk = Some(Walk { hops: hops.into(), target: last });
        self.paths.decided += 1;
        Some(first)
    }

    /// Returns the shortest path along some actions to a state that `is_target`, with a step left behind it.
    fn path(&self, here: &Here<'_>, along: Along, is_target: &dyn Fn(At) -> bool) -> Option<Vec<Hop>> {
        let is_first = |slot: u16, edge: &Edge| self.is_first(here, slot, edge);
        let steps_max = here.steps_left.saturating_sub(1);
        let search = Search { from: here.at, is_first: &is_first, along, steps_max };
        shortest(&self.graph, search, &|at| !self.graph.state(at).is_detached && is_target(at))
    }

    /// Returns true if a path can begin with this transition. What has led on a single time may do so no more once its widget has
    /// another name, and the key back leads to the activity behind.
    fn is_first(&self, here: &Here<'_>, slot: u16, edge: &Edge) -> bool {
        let Some(act) = here.act(slot) else { return false };
        if act.is_back() {
            let to = self.graph.state(edge.to).activity;
            let behind = self.stack.iter().rev().nth(1);
            return to == here.activity || behind.is_none_or(|&activity| to == activity);
        }
        let is_same = |at: u16| (here.is_candidate)(at) && edge.is_by_name(&here.offers[usize::from(at)]);
        edge.hits > 1 || act.offers().any(is_same)
    }

    fn offered(&self, here: &Here<'_>) -> FxHashSet<ActionId> {
        self.graph.state(here.at).acts().map(|(_, known)| known.id).collect()
    }

    /// Explores what hangs together with the state before, if that was visited less, before it is left.
    fn close_loop(&mut self, here: &Here<'_>) -> Option<u16> {
        let (before, _) = self.last?;
        let graph = &self.graph;
        let (this, that) = (graph.state(here.at), graph.state(before));
        let is_colder = if this.activity == that.activity {
            that.visits < this.visits
        } else {
            graph.activities[&that.activity].visits < graph.activities[&this.activity].visits
        };
        if before == here.at || !is_colder || (that.is_dialog() && that.is_saturated()) {
            return None;
        }
        let mut hops = self.path(here, Along::Forward, &|at| at == before)?;
        let any = |_: u16, _: &Edge| true;
        let search = Search { from: before, is_first: &any, along: Along::Forward, steps_max: u32::MAX };
        shortest(graph, search, &|at| at == here.at)?;
        let offered = self.offered(here);
        let is_greedy = |hop: &Hop| {
            let state = graph.state(hop.to);
            !state.is_detached && state.is_greedy(&offered)
        };
        let greedy = (0..hops.len()).filter(|&at| is_greedy(&hops[at]));
        let coldest = greedy.min_by_key(|&at| graph.state(hops[at].to).visits)?;
        hops.truncate(coldest + 1);
        self.begin_path(hops)
    }

    /// Begins the shortest path without back to a state with something that was never done.
    fn forward(&mut self, here: &Here<'_>) -> Option<u16> {
        let offered = self.offered(here);
        let hops = self.path(here, Along::Forward, &|at| self.graph.state(at).is_greedy(&offered))?;
        self.begin_path(hops)
    }

    /// Goes to an activity that was hardly visited, or back to it.
    fn visit_trivial_activity(&mut self, here: &Here<'_>) -> Option<(Rule, u16)> {
        let trivial = self.graph.trivial_activities();
        if trivial.is_empty() {
            return None;
        }
        let is_target = |at: At| {
            let state = self.graph.state(at);
            trivial.contains(&state.activity) && state.is_open()
        };
        if let Some(hops) = self.path(here, Along::All, &is_target) {
            return Some((Rule::Activity, self.begin_path(hops)?));
        }
        let behind = self.stack.iter().rev().skip(1).position(|activity| trivial.contains(activity))?;
        let activity = self.stack[self.stack.len() - 2 - behind];
        let back = here.back()?;
        // An activity may take a few of them to leave.
        self.back_to = Some((activity, 2 * behind + 2));
        Some((Rule::BackTo, back.slot))
    }

    /// Goes back, if that was never done here, or along the shortest path of backs to something that was never done, or to
    /// an entry of the app.
    fn backward(&mut self, here: &Here<'_>) -> Option<u16> {
        if let Some(back) = here.back().filter(|back| self.visits(here.at, back) == 0) {
            return Some(back.slot);
        }
        let offered = self.offered(here);
        let is_target = |at: At| {
            let state = self.graph.state(at);
            state.is_entry || state.is_greedy(&offered)
        };
        let hops = self.path(here, Along::Back, &is_target)?;
        self.begin_path(hops)
    }

    fn explain(&mut self, evidence: Evidence, choices: usize) {
        self.reason = Some(Reason { evidence, chance: 0.0, choices, hinted: 0, turn: None });
    }
}

impl Agent for Ape {
    fn begin(&mut self) {
        self.stack.clear();
        self.last = None;
        if !self.is_recalling {
            (self.walk, self.back_to) = (None, None);
            self.clock = Clock::default();
        }
    }

    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, rng: &mut Rng) -> Choice {
        self.is_recalling = false;
        if self.graph.is_full() {
            self.clear();
        }
        let Situation { scene, candidates, preferred, steps_left, .. } = *situation;
        let at = self.see(situation);
        if scene.screen.is_some() && self.is_time_over(at, rng) {
            return Choice::Restart;
        }
        let acts = self.acts(scene);
        let is_preferred =
            |at: u16| preferred.len() == scene.offers.len() || preferred.binary_search(&at).is_ok();
        let is_candidate =
            |at: u16| candidates.len() == scene.offers.len() || candidates.binary_search(&at).is_ok();
        if self.settings.fuzz > 0.0 && rng.unit() < self.settings.fuzz {
            self.walk = None;
            self.explain(Evidence::Rule(Rule::Fuzz), preferred.len());
            return Choice::Offer(preferred[rng.below(preferred.len())]);
        }
        let open: Vec<&Act> = acts.all.iter().filter(|act| act.has_any(&is_preferred)).collect();
        let texts = || acts.all.iter().flat_map(|act| &act.ways).filter(|way| way.waits_for_text);
        let texts = || texts().flat_map(|way| way.texts.iter().copied()).filter(|&at| is_preferred(at));
        let count = texts().count();
        if count > 0 && self.walk.is_none() && rng.unit() < self.settings.texts {
            self.explain(Evidence::Rule(Rule::Text), count);
            return Choice::Offer(texts().nth(rng.below(count)).unwrap_or(preferred[0]));
        }
        let choices = open.len();
        let Scene { activity, ref offers, .. } = *scene;
        let here = Here { at, activity, offers, acts: &acts, open, is_candidate: &is_candidate, steps_left };
        let (rule, slot) = self.decide(&here, rng);
        self.explain(Evidence::Rule(rule), choices);
        let act = acts.get(slot).expect("an action of the screen");
        let is_on_path = self.walk.is_some();
        let drawn =
            act.draw(if is_on_path { &is_candidate } else { &is_preferred }, self.settings.texts, rng);
        Choice::Offer(drawn.unwrap_or(preferred[0]))
    }

    fn note(&mut self, _: &Situation<'_>, _: u16, origin: Origin) {
        if origin == Origin::Device {
            self.walk = None;
            self.explain(Evidence::Wins, 1);
        }
    }

    fn learn(&mut self, transition: &Transition<'_>, _: &mut Rng) -> Explanation {
        let from = self.see(transition.from);
        let slot = self.acts(transition.from.scene).slots[usize::from(transition.at)];
        let to = match &transition.next {
            Next::Choice(next) => self.see(next),
            Next::DeadEnd | Next::Terminal | Next::Truncated | Next::Unknown => {
                let acts = self.acts(transition.to);
                self.graph.see(transition.to, &acts, None)
            }
        };
        let offer = &transition.from.scene.offers[usize::from(transition.at)];
        self.graph.learn(from, slot, offer, to);
        if transition.from.scene.screen.is_none() {
            self.graph.note_entry(to);
        }
        self.last = Some((from, to));
        let activity = transition.to.activity;
        match self.stack.iter().position(|one| *one == activity) {
            Some(known) => self.stack.truncate(known + 1),
            None => self.stack.push(activity),
        }
        if let Some(walk) = &mut self.walk {
            match walk.hops.pop_front() {
                Some(hop) if hop.to == to => {
                    if walk.hops.is_empty() {
                        self.walk = None;
                        self.paths.arrived += 1;
                    }
                }
                Some(_) | None => self.miss(),
            }
        }
        Explanation { reason: self.reason, change: None }
    }

    fn end(&mut self, origin: Origin) -> Summary {
        self.is_recalling &= origin == Origin::Experience;
        Summary::default()
    }

    fn paths(&self) -> Option<Paths> {
        Some(self.paths)
    }

    fn forget(&mut self, _: Recollection) {
        self.clear();
        self.is_recalling = true;
    }
}
