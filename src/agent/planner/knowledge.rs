//! Knowledge of an app: the tree of histories, exact where tried, and the effects of actions in other histories.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::recent::NumberSet;
use crate::situation::{
    ActionId, ActivityId, Habit, LookId, Next, Offer, Recollection, Scene, ScreenId, StateId, StepChange,
    Transition,
};

/// History: the actions and states since the start.
pub type NodeId = u32;

/// Activities behind the one in front, each with its last state.
pub type StackId = u32;

/// History without the steps that changed nothing.
pub type CoreId = u32;

/// Set of actions, a bit each; beyond [`ACTIONS_TOLD_APART`] actions, two may share a bit.
pub type ActionSet = u128;

/// Number of actions with a bit of their own. All actions that were never done share the last bit.
const ACTIONS_TOLD_APART: u32 = ActionSet::BITS - 1;

/// Bit of an action that was never done.
const NEVER_DONE: ActionSet = 1 << ACTIONS_TOLD_APART;

/// No known core.
pub const NO_CORE: CoreId = u32::MAX;

/// No activity.
pub const BOTTOM: StackId = u32::MAX;

/// History before the first step.
pub const ROOT: NodeId = 0;

/// Episodes run once more, the likeliest first, before the planner reports that nothing is left to try: an app that
/// loses an action now and then may have lost the one that counted.
const CONFIRMED_MIN: u32 = 12;

/// The same where left-out details differ after the same steps: one of them may count.
const CONFIRMED_MIN_IF_VARIED: u32 = 30;

/// Most activities that are searched for one on the stack.
const STACK_MAX: usize = 16;

/// Most histories, where a state counts as one for each [`OFFERS_A_NODE`] of its offers: some 100 MB. An abstraction that
/// can refine keeps 100,000 steps at most, so its searches do not reach this.
const NODES_MAX: usize = 250_000;

/// Offers of a state that take as much room as a history.
const OFFERS_A_NODE: usize = 8;

/// Knowledge of an app.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// States that were seen, by their numbers.
    states: Vec<Option<StateFacts>>,
    /// Offers of these states.
    offers: usize,
    /// Screens that were seen.
    seen: NumberSet,
    nodes: Vec<Node>,
    stacks: Vec<Activity>,
    stack_of: FxHashMap<Activity, StackId>,
    /// Cores one step longer.
    cores: FxHashMap<(CoreId, ActionId, StateId), CoreId>,
    /// Effects by core and action: of histories that look alike.
    by_core: FxHashMap<(CoreId, ActionId), Arc<Effects>>,
    /// Effects by state and action, in different histories.
    here: FxHashMap<(StateId, ActionId), Arc<Effects>>,
    /// Effects by activity and name, in different states.
    by_name: FxHashMap<(ActivityId, u32, bool), Arc<Effects>>,
    /// Bits of actions by activity and name, in the order in which they were first done.
    marks: FxHashMap<(ActivityId, u32, bool), ActionSet>,
    /// Steps taken before after the same steps, with the same effect.
    pub repeats: u64,
    /// Steps taken before after the same steps, with another effect.
    pub conflicts: u64,
    /// Episodes since everything was tried.
    confirmed: u32,
    /// True if the same steps have led to different screens of the same state.
    varies: bool,
    /// True if earlier episodes were forgotten for good.
    has_forgotten: bool,
    at: NodeId,
    path: Vec<(NodeId, ActionId)>,
}

/// History, and the actions tried in it.
#[derive(Clone, Debug)]
pub struct Node {
    /// State that it leads to.
    pub place: StateId,
    /// First screen seen there.
    screen: ScreenId,
    /// Activities behind it.
    pub stack: StackId,
    pub core: CoreId,
    /// Actions in it that may have had a hidden effect.
    pub done: ActionSet,
    /// Tried actions, in order.
    edges: Vec<Edge>,
    /// Number of choices with something left to try; none before the first choice.
    open: Option<u32>,
}

impl Node {
    /// Returns a history without steps, of which no state is known.
    fn nowhere() -> Node {
        Node {
            place: StateId::NONE,
            screen: ScreenId::default(),
            stack: BOTTOM,
            core: 0,
            done: 0,
            edges: Vec::new(),
            open: None,
        }
    }
}

/// Action tried in a history.
#[derive(Clone, Debug)]
pub struct Edge {
    action: ActionId,
    /// Histories that it led to, each with the number of times.
    pub outcomes: Vec<(NodeId, u32)>,
    /// True if nothing is left to try after it.
    pub is_used_up: bool,
}

/// Effects of an action.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Effects, each with the number of histories, or of states, that showed it.
    pub results: Vec<(Effect, u32)>,
    /// Actions done before it in any of them.
    pub done: ActionSet,
    /// Actions done before it in one of them, without any other.
    pub alone: ActionSet,
}

impl Effects {
    /// Adds an effect. Values are worked out on a shared copy, so a change makes a new one.
    fn add(this: &mut Arc<Effects>, outcome: Effect, done: ActionSet) {
        let this = Arc::make_mut(this);
        this.add_done(done);
        let results = &mut this.results;
        match results.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, times)) => *times += 1,
            None => results.push((outcome, 1)),
        }
    }

    fn add_done(&mut self, done: ActionSet) {
        self.done |= done;
        if done.is_power_of_two() {
            self.alone |= done;
        }
    }

    /// Returns the confidence that the same effect comes again.
    pub fn sure(&self, doubt: f64) -> f64 {
        let times = f64::from(self.times());
        times / (times + doubt)
    }

    /// Returns the number of histories, or of states.
    pub fn times(&self) -> u32 {
        self.results.iter().map(|(_, times)| times).sum()
    }
}

/// Effect of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// None that matters.
    Same,
    /// The same structure, with other labels.
    Look(LookId),
    /// The activity behind comes to the front.
    Behind,
    /// This state.
    To(StateId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Activity {
    activity: ActivityId,
    place: StateId,
    below: StackId,
}

/// State as it was seen first.
#[derive(Clone, Debug)]
pub struct StateFacts {
    /// Activity of its screens.
    pub activity: ActivityId,
    /// Look of its screens.
    pub look: LookId,
    /// Structure of that screen.
    pub frame: u64,
    /// Offers of that screen.
    pub offers: Arc<[Offer]>,
}

impl Default for Knowledge {
    fn default() -> Knowledge {
        Knowledge {
            states: Vec::new(),
            offers: 0,
            seen: NumberSet::default(),
            nodes: vec![Node::nowhere()],
            stacks: Vec::new(),
            stack_of: FxHashMap::default(),
            cores: FxHashMap::default(),
            by_core: FxHashMap::default(),
            here: FxHashMap::default(),
            by_name: FxHashMap::default(),
            marks: FxHashMap::default(),
            repeats: 0,
            conflicts: 0,
            confirmed: 0,
            varies: false,
            has_forgotten: false,
            at: ROOT,
            path: Vec::new(),
        }
    }
}

impl Knowledge {
    /// Begins an episode.
    pub fn begin(&mut self) {
        if self.nodes.len() + self.offers / OFFERS_A_NODE > NODES_MAX {
            self.forget(Recollection::Partial);
        }
        self.at = ROOT;
        self.path.clear();
    }

    /// Begins an episode at a history of which the first steps are forgotten: no other leads there.
    pub fn begin_amid(&mut self) {
        self.begin();
        self.at = self.nodes.len() as NodeId;
        let longer = self.cores.len() as CoreId + 1;
        let core = *self.cores.entry((NO_CORE, ActionId::default(), StateId::NONE)).or_insert(longer);
        self.nodes.push(Node { core, ..Node::nowhere() });
    }

    /// Returns the current history.
    pub fn at(&self) -> NodeId {
        self.at
    }

    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node as usize]
    }

    /// Returns the effects of an action in a history, if it was tried there.
    pub fn edge(&self, node: NodeId, action: ActionId) -> Option<&Edge> {
        let edges = &self.nodes[node as usize].edges;
        edges.binary_search_by_key(&action, |edge| edge.action).ok().map(|at| &edges[at])
    }

    /// Returns the effects of an action in histories that look alike.
    pub fn by_core(&self, core: CoreId, offer: &Offer) -> Option<&Arc<Effects>> {
        self.by_core.get(&(core, offer.action))
    }

    /// Returns the core after an action that leads from `core` to `place`, if such a history is known.
    pub fn core_after(&self, core: CoreId, offer: &Offer, place: StateId) -> CoreId {
        self.cores.get(&(core, offer.action, place)).copied().unwrap_or(NO_CORE)
    }

    /// Returns the effects of an action in a state.
    pub fn here(&self, place: StateId, offer: &Offer) -> Option<&Arc<Effects>> {
        self.here.get(&(place, offer.action))
    }

    /// Returns the effects of actions of the same name in states of the activity.
    pub fn by_name(&self, activity: ActivityId, offer: &Offer) -> Option<&Arc<Effects>> {
        self.by_name.get(&name(activity, offer))
    }

    /// Returns the effects of an action in a state; if there are none and names are shared, those of its like in the activity.
    pub fn here_or_by_name(&self, place: StateId, offer: &Offer, shares: bool) -> Option<&Arc<Effects>> {
        let named = || self.by_name(self.state(place).activity, offer).filter(|_| shares);
        self.here(place, offer).or_else(named)
    }

    /// Returns the bit of an action that stays in the activity and may have a hidden effect; `shows` is true if it
    /// also has a visible one.
    pub fn mark(&self, activity: ActivityId, offer: &Offer, shows: bool) -> ActionSet {
        if !may_hide(offer, shows) {
            return 0;
        }
        self.marks.get(&name(activity, offer)).copied().unwrap_or(NEVER_DONE)
    }

    /// Returns the stack without the activity in front, and the state that appears then.
    pub fn behind(&self, stack: StackId) -> Option<(StackId, StateId)> {
        let below = self.stacks.get(stack as usize)?.below;
        self.stacks.get(below as usize).map(|activity| (below, activity.place))
    }

    /// Returns the stack after `stack` once `place` appears.
    pub fn stack_at(&mut self, stack: StackId, place: StateId) -> StackId {
        let activity = self.state(place).activity;
        let mut below = stack;
        let mut looked = stack;
        for _ in 0..STACK_MAX {
            let Some(known) = self.stacks.get(looked as usize) else { break };
            if known.activity == activity {
                below = known.below;
                break;
            }
            looked = known.below;
        }
        let top = Activity { activity, place, below };
        let next = self.stacks.len() as StackId;
        let known = *self.stack_of.entry(top).or_insert(next);
        if known == next {
            self.stacks.push(top);
        }
        known
    }

    /// Returns the number of stacks.
    pub fn stacks(&self) -> usize {
        self.stacks.len()
    }

    /// Forgets the stacks beyond the first `kept`: those of ways that were only imagined.
    pub fn forget_stacks(&mut self, kept: usize) {
        for stack in self.stacks.drain(kept..) {
            self.stack_of.remove(&stack);
        }
    }

    /// Returns the doubt in an observed effect, as a number of observations; 0 as long as the app always answers
    /// alike.
    pub fn unsteadiness(&self) -> f64 {
        if self.conflicts == 0 {
            return 0.0;
        }
        (4.0 * self.conflicts as f64 / (self.conflicts + self.repeats) as f64).min(1.0)
    }

    /// Returns true if everything was tried, on an app that answered alike whenever it was asked again.
    pub fn is_exhausted(&self) -> bool {
        let confirmed_min = if self.varies { CONFIRMED_MIN_IF_VARIED } else { CONFIRMED_MIN };
        self.is_tried_out() && self.confirmed >= confirmed_min
    }

    /// Returns true if every known history was tried.
    pub fn is_tried_out(&self) -> bool {
        self.nodes[ROOT as usize].open == Some(0) && self.conflicts == 0 && !self.has_forgotten
    }

    /// Returns a state that was seen.
    pub fn state(&self, state: StateId) -> &StateFacts {
        self.states[state.index()].as_ref().expect("a state is seen before it is asked for")
    }

    /// Takes notice of the screen that the current history leads to.
    pub fn look(&mut self, scene: &Scene) {
        self.see(scene);
        if self.at == ROOT {
            self.nodes[ROOT as usize].place = scene.state;
        }
    }

    /// Takes notice of a screen; returns true if it was never seen before.
    fn see(&mut self, scene: &Scene) -> bool {
        let at = scene.state.index();
        if self.states.len() <= at {
            self.states.resize(at + 1, None);
        }
        let Scene { activity, look, frame, ref offers, .. } = *scene;
        if self.states[at].is_none() {
            self.offers += offers.len();
            self.states[at] = Some(StateFacts { activity, look, frame, offers: offers.clone() });
        }
        self.seen.insert(scene.screen_id.0)
    }

    /// Sets the number of choices in the current history.
    pub fn choices(&mut self, choices: u16) {
        self.nodes[self.at as usize].open.get_or_insert(u32::from(choices));
    }

    /// Learns a step, and returns its news.
    pub fn learn(&mut self, transition: &Transition<'_>) -> StepChange {
        let is_new = self.see(transition.to);
        match self.take_in(transition) {
            StepChange::NewWay if is_new => StepChange::NewScreen,
            change => change,
        }
    }

    fn take_in(&mut self, transition: &Transition<'_>) -> StepChange {
        let Transition { from: before, to, .. } = transition;
        let is_first = self.at == ROOT;
        if is_first {
            self.confirmed += u32::from(self.is_tried_out());
        }
        self.choices(before.candidates.len() as u16);
        let (from_place, place) = (before.scene.state, to.state);
        let offer = before.scene.offers[usize::from(transition.at)];
        let from = self.at;
        self.nodes[from as usize].place = from_place;
        self.path.push((from, offer.action));
        let stack = self.stack_at(self.nodes[from as usize].stack, place);
        let next = self.nodes.len() as NodeId;
        let edges = &mut self.nodes[from as usize].edges;
        let found = edges.binary_search_by_key(&offer.action, |edge| edge.action);
        let at = found.unwrap_or_else(|at| {
            // Most histories have one continuation, and most actions one outcome.
            if edges.is_empty() {
                edges.reserve_exact(1);
            }
            let outcomes = Vec::with_capacity(1);
            edges.insert(at, Edge { action: offer.action, outcomes, is_used_up: false });
            at
        });
        let places =
            self.nodes[from as usize].edges[at].outcomes.iter().map(|&(node, _)| self.node(node).place);
        let known = places.clone().position(|other| other == place);
        let is_tried = places.len() > 0;
        let outcomes = &mut self.nodes[from as usize].edges[at].outcomes;
        self.at = match known {
            Some(at) => {
                outcomes[at].1 += 1;
                outcomes[at].0
            }
            None => {
                outcomes.push((next, 1));
                next
            }
        };
        if self.at == next {
            let core = self.nodes[from as usize].core;
            let longer = self.cores.len() as CoreId + 1;
            let core = match place == from_place {
                true => core,
                false => *self.cores.entry((core, offer.action, place)).or_insert(longer),
            };
            let activity = self.state(from_place).activity;
            let stays = from != ROOT && self.state(place).activity == activity;
            let mark = if stays { self.give_mark(activity, &offer, place != from_place) } else { 0 };
            let done = self.nodes[from as usize].done | mark;
            self.nodes.push(Node {
                place,
                screen: to.screen_id,
                stack,
                core,
                done,
                edges: Vec::new(),
                open: None,
            });
            self.note(from, from_place, &offer, place);
        }
        self.varies |= self.node(self.at).screen != to.screen_id;
        let change = match (is_tried, known) {
            (false, _) if to.screen_id == before.scene.screen_id => StepChange::Stays,
            (false, _) if place == from_place => StepChange::Details,
            (false, _) => StepChange::NewWay,
            (true, Some(_)) => {
                self.repeats += u64::from(!is_first);
                StepChange::AsKnown
            }
            (true, None) => {
                self.conflicts += 1;
                StepChange::Otherwise
            }
        };
        if transition.next.ends() || matches!(transition.next, Next::DeadEnd) {
            self.use_up();
        }
        change
    }

    /// Returns the bit of an action that was done, a new one if it has none.
    fn give_mark(&mut self, activity: ActivityId, offer: &Offer, shows: bool) -> ActionSet {
        if !may_hide(offer, shows) {
            return 0;
        }
        let nth = self.marks.len() as u32;
        *self.marks.entry(name(activity, offer)).or_insert(1 << (nth % ACTIONS_TOLD_APART))
    }

    /// Records the effect of `offer`, which was new in this history, for other histories.
    fn note(&mut self, from: NodeId, from_place: StateId, offer: &Offer, place: StateId) {
        if from == ROOT {
            return;
        }
        let (before, after) = (self.state(from_place), self.state(place));
        let behind = self.behind(self.nodes[from as usize].stack);
        let outcome = if before.frame == after.frame && before.look == after.look {
            Effect::Same
        } else if before.frame == after.frame {
            Effect::Look(after.look)
        } else if behind.is_some_and(|(_, place)| self.state(place).activity == after.activity) {
            Effect::Behind
        } else {
            Effect::To(place)
        };
        let activity = before.activity;
        let exact = if place == from_place { Effect::Same } else { Effect::To(place) };
        let Node { core, done, .. } = self.nodes[from as usize];
        Effects::add(self.by_core.entry((core, offer.action)).or_default(), exact, done);
        let tried = self.here.entry((from_place, offer.action)).or_default();
        let is_new_here = tried.results.iter().all(|(known, _)| *known != exact);
        Effects::add(tried, exact, done);
        let named = self.by_name.entry(name(activity, offer)).or_default();
        if is_new_here {
            Effects::add(named, outcome, done);
        } else {
            Arc::make_mut(named).add_done(done);
        }
    }

    /// Learns the effect of a step in a history that no run of this search comes to.
    pub fn learn_aside(&mut self, transition: &Transition<'_>) {
        let Transition { from: before, to, .. } = transition;
        self.see(before.scene);
        self.see(to);
        let (from_place, place) = (before.scene.state, to.state);
        let offer = before.scene.offers[usize::from(transition.at)];
        let (facts, after) = (self.state(from_place), self.state(place));
        let activity = facts.activity;
        let outcome = if facts.frame == after.frame && facts.look == after.look {
            Effect::Same
        } else if facts.frame == after.frame {
            Effect::Look(after.look)
        } else if offer.habit == Habit::Back && activity != after.activity {
            Effect::Behind
        } else {
            Effect::To(place)
        };
        let exact = if place == from_place { Effect::Same } else { Effect::To(place) };
        let tried = self.here.entry((from_place, offer.action)).or_default();
        let is_new_here = tried.results.iter().all(|(known, _)| *known != exact);
        Effects::add(tried, exact, 0);
        if is_new_here {
            Effects::add(self.by_name.entry(name(activity, &offer)).or_default(), outcome, 0);
        }
    }

    /// Marks the last step as used up, and the steps before it that have nothing else left to try.
    fn use_up(&mut self) {
        for &(node, action) in self.path.iter().rev() {
            let node = &mut self.nodes[node as usize];
            let at = node.edges.binary_search_by_key(&action, |edge| edge.action).expect("it was taken");
            // An action with several effects is used up once all of them are.
            if !node.edges[at].is_used_up {
                node.edges[at].is_used_up = true;
                node.open = node.open.map(|open| open.saturating_sub(1));
            }
            if node.open != Some(0) {
                break;
            }
        }
    }

    /// Forgets everything but which screens were seen.
    pub fn forget(&mut self, recollection: Recollection) {
        *self = Knowledge {
            seen: std::mem::take(&mut self.seen),
            has_forgotten: self.has_forgotten || recollection == Recollection::Partial,
            ..Knowledge::default()
        };
    }
}

/// Returns true if an action may have a hidden effect: in most apps it has one, or it had a visible one here.
fn may_hide(offer: &Offer, shows: bool) -> bool {
    match offer.habit {
        Habit::Any | Habit::Becomes(_) => true,
        Habit::MostlyStays => shows,
        Habit::Stays | Habit::Back => false,
    }
}

/// Returns the key of an action on other screens: its name, or else its place.
fn name(activity: ActivityId, offer: &Offer) -> (ActivityId, u32, bool) {
    if offer.has_name { (activity, offer.labeling.0, true) } else { (activity, offer.action.0, false) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::situation::{LabelingId, PhaseId, Situation};

    /// Screens by their numbers, each a state of an activity of its own, with two offers.
    struct App {
        offers: Arc<[Offer]>,
    }

    impl App {
        fn new() -> App {
            App { offers: Arc::new([0, 1].map(Offer::numbered)) }
        }

        fn scene(&self, screen: u32) -> Scene {
            Scene {
                state: StateId(screen),
                screen_id: ScreenId(screen),
                activity: ActivityId(screen),
                look: LookId(0),
                frame: u64::from(screen),
                slots: 2,
                offers: self.offers.clone(),
                actions: Arc::default(),
                screen: None,
            }
        }

        fn step(&self, knowledge: &mut Knowledge, from: u32, at: u16, to: u32, ends: bool) -> StepChange {
            // The start offers one choice, all else two.
            let candidates: &[u16] = if from == 0 { &[0] } else { &[0, 1] };
            let (scene, phase) = (&self.scene(from), PhaseId::START);
            let from = &Situation { scene, phase, steps_left: 9, candidates, preferred: candidates };
            let to = &self.scene(to);
            let next = if ends { Next::Terminal } else { Next::Unknown };
            knowledge.look(scene);
            knowledge.learn(&Transition { from, at, reward: 0.0, elapsed_ms: None, to, phase, next })
        }

        /// Runs an episode: the start, and then these choices of two with the screens they lead to.
        fn run(&self, knowledge: &mut Knowledge, steps: &[(u16, u32)]) -> StepChange {
            knowledge.begin();
            let mut change = self.step(knowledge, 0, 0, 1, steps.is_empty());
            let mut from = 1;
            for (nth, &(at, to)) in steps.iter().enumerate() {
                change = self.step(knowledge, from, at, to, nth + 1 == steps.len());
                from = to;
            }
            change
        }
    }

    #[test]
    fn what_was_tried_is_used_up_and_then_confirmed() {
        let (app, mut knowledge) = (App::new(), Knowledge::default());
        assert_eq!(app.run(&mut knowledge, &[(0, 2)]), StepChange::NewScreen);
        assert!(!knowledge.is_tried_out());
        assert_eq!(app.run(&mut knowledge, &[(1, 1)]), StepChange::Stays);
        assert!(knowledge.is_tried_out() && !knowledge.is_exhausted());
        for _ in 0..CONFIRMED_MIN {
            assert_eq!(app.run(&mut knowledge, &[(0, 2)]), StepChange::AsKnown);
        }
        assert!(knowledge.is_exhausted());
        assert_eq!(app.run(&mut knowledge, &[(0, 3)]), StepChange::Otherwise);
        assert!(!knowledge.is_exhausted(), "it was said of an app that answers alike");
    }

    #[test]
    fn what_lies_behind_is_what_was_seen_last_of_it() {
        let (app, mut knowledge) = (App::new(), Knowledge::default());
        app.run(&mut knowledge, &[(0, 2), (0, 3), (1, 2)]);
        let stack = knowledge.node(knowledge.at()).stack;
        // The third was left, and the second is in front of the first.
        let (below, behind) = knowledge.behind(stack).expect("something is behind");
        assert_eq!(behind, StateId(1));
        assert_eq!(knowledge.behind(below), None);
    }

    #[test]
    fn what_changes_nothing_is_no_part_of_the_core() {
        let (app, mut knowledge) = (App::new(), Knowledge::default());
        app.run(&mut knowledge, &[(0, 1), (1, 2)]);
        let after_both = knowledge.node(knowledge.at()).core;
        app.run(&mut knowledge, &[(1, 2)]);
        assert_eq!(knowledge.node(knowledge.at()).core, after_both);
    }

    #[test]
    fn actions_have_marks_of_their_own_as_long_as_there_are_some() {
        let (app, mut knowledge) = (App::new(), Knowledge::default());
        let offer = |nth| Offer { labeling: LabelingId(nth), ..app.offers[0] };
        let activity = ActivityId(0);
        let mut all = knowledge.mark(activity, &offer(0), false);
        assert_eq!(all, NEVER_DONE);
        for nth in 0..ACTIONS_TOLD_APART {
            let mark = knowledge.give_mark(activity, &offer(nth), false);
            assert!(mark.is_power_of_two() && all & mark == 0, "{nth}");
            assert_eq!(knowledge.mark(activity, &offer(nth), false), mark);
            all |= mark;
        }
        assert_eq!((all, all.count_ones()), (ActionSet::MAX, 128));
        assert_eq!(
            knowledge.give_mark(activity, &offer(ACTIONS_TOLD_APART), false),
            knowledge.mark(activity, &offer(0), false)
        );
        let still = Offer { habit: Habit::Stays, ..offer(0) };
        assert_eq!(knowledge.give_mark(activity, &still, true), 0);
    }

    #[test]
    fn what_was_done_with_others_was_not_done_alone() {
        let mut tried = Effects::default();
        tried.add_done(0b11);
        assert_eq!((tried.done, tried.alone), (0b11, 0));
        tried.add_done(0b10);
        assert_eq!((tried.done, tried.alone), (0b11, 0b10));
    }

    #[test]
    fn learning_anew_comes_to_the_same() {
        let (app, mut knowledge) = (App::new(), Knowledge::default());
        let learn = |knowledge: &mut Knowledge| {
            for steps in [&[(0, 2), (1, 3)][..], &[(1, 1), (0, 2)], &[(0, 2), (0, 2)]] {
                app.run(knowledge, steps);
            }
        };
        let shown = |knowledge: &Knowledge| {
            (knowledge.nodes.len(), knowledge.repeats, knowledge.conflicts, knowledge.at)
        };
        learn(&mut knowledge);
        let before = shown(&knowledge);
        knowledge.forget(Recollection::Whole);
        learn(&mut knowledge);
        assert_eq!(shown(&knowledge), before);
    }

    #[test]
    fn histories_beyond_the_bound_are_forgotten() {
        let (app, mut knowledge) = (App::new(), Knowledge::default());
        let (mut screens, mut has_forgotten) = (1.., false);
        for _ in 0..30 {
            let steps: Vec<(u16, u32)> = screens.by_ref().skip(1).take(10_000).map(|to| (0, to)).collect();
            let before = knowledge.nodes.len();
            assert_eq!(app.run(&mut knowledge, &steps), StepChange::NewScreen);
            has_forgotten |= knowledge.nodes.len() < before;
            assert!(knowledge.nodes.len() <= NODES_MAX + steps.len() + 1);
        }
        assert!(has_forgotten && !knowledge.is_tried_out());
    }

    #[test]
    fn nothing_is_called_exhausted_once_some_is_forgotten_for_good() {
        let (app, mut knowledge) = (App::new(), Knowledge::default());
        let learn = |knowledge: &mut Knowledge| {
            app.run(knowledge, &[(0, 2)]);
            app.run(knowledge, &[(1, 2)]);
        };
        learn(&mut knowledge);
        assert!(knowledge.is_tried_out());
        for recollection in [Recollection::Partial, Recollection::Whole] {
            knowledge.forget(recollection);
            learn(&mut knowledge);
            assert!(!knowledge.is_tried_out(), "{recollection:?}");
        }
    }
}
