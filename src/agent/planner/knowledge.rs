//! What is known of an app: the tree of histories, exact where tried, and what actions did in other histories.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::places::{PlaceId, Places};
use crate::agent::{ActivityId, Habit, Offer, Remark, Scene, ScreenId, SpotId};

/// A history: what was done and seen since the start.
pub type NodeId = u32;

/// The activities that lie behind the one in front, each with the place last seen of it.
pub type StackId = u32;

/// A history without the steps that changed nothing.
pub type CoreId = u32;

/// Some actions; of more than [`MARKS`] two may have the same mark.
pub type Marks = u128;

/// So many actions have a mark of their own: all but one, as all that were never done share the last.
const MARKS: u32 = Marks::BITS - 1;

/// The mark of an action that was never done.
const NEVER_DONE: Marks = 1 << MARKS;

/// No history that was come to.
pub const NO_CORE: CoreId = u32::MAX;

/// No activity.
pub const BOTTOM: StackId = u32::MAX;

/// The history of nothing.
pub const ROOT: NodeId = 0;

/// So many steps are remembered; then the older half is forgotten.
const STEPS_MAX: usize = 200_000;

/// So many details and offers of screens are remembered, some 80 MB; then the older half of all steps is forgotten.
const WEIGHT_MAX: usize = 3_000_000;

/// So many episodes are run once more, the likeliest first, before it is said that nothing is left to try: an app that
/// loses an action now and then may have lost the one that counted.
const CONFIRMED_MIN: u32 = 5;

/// And so many if what is left out of places differs in the same history: it may be that which counts.
const CONFIRMED_MIN_IF_VARIED: u32 = 30;

/// Looking for an activity, no more of those behind are looked at.
const STACK_MAX: usize = 16;

/// What is known of an app.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// What screens are taken for the same.
    pub places: Places,
    nodes: Vec<Node>,
    stacks: Vec<Activity>,
    stack_of: FxHashMap<Activity, StackId>,
    /// The cores one step longer.
    cores: FxHashMap<(CoreId, SpotId, PlaceId), CoreId>,
    /// By core and spot: what came of it in histories that differ in nothing that was seen.
    by_core: FxHashMap<(CoreId, SpotId), Arc<Tried>>,
    /// By place and spot: what came of it in different histories.
    here: FxHashMap<(PlaceId, SpotId), Arc<Tried>>,
    /// By activity and name: what came of it in different places.
    by_name: FxHashMap<(ActivityId, u32, bool), Arc<Tried>>,
    /// The marks of actions by activity and name, given in the order in which they were done first.
    marks: FxHashMap<(ActivityId, u32, bool), Marks>,
    log: Vec<Event>,
    /// Steps that were taken before in the same history, with the same outcome, and with another.
    pub repeats: u64,
    /// See [`Knowledge::repeats`].
    pub conflicts: u64,
    /// The episodes since all was tried out.
    confirmed: u32,
    /// Whether the same history has led to different screens of the same place.
    varies: bool,
    has_forgotten: bool,
    /// Whether places have other numbers than what is known goes by.
    is_stale: bool,
    /// With so many steps they may be given anew: each time costs as much as all steps so far.
    renewal: usize,
    at: NodeId,
    path: Vec<(NodeId, SpotId)>,
}

/// A history, and what was tried in it.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it leads.
    pub place: PlaceId,
    /// What was seen there first.
    screen: ScreenId,
    /// What lies behind.
    pub stack: StackId,
    /// The history without what changed nothing.
    pub core: CoreId,
    /// What was done in it that may have changed something that does not show.
    pub done: Marks,
    /// In the order of their spots.
    edges: Vec<Edge>,
    /// How many choices there have something left to try; `None` before the first choice.
    open: Option<u32>,
}

/// An action tried in a history.
#[derive(Clone, Debug)]
pub struct Edge {
    spot: SpotId,
    /// Where it led, and how often.
    pub outcomes: Vec<(NodeId, u32)>,
    /// Whether there is nothing more to try after it.
    pub is_used_up: bool,
}

/// What came of an action.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// And in how many different histories, or places.
    pub results: Vec<(Outcome, u32)>,
    /// What was done before it in any of them.
    pub done: Marks,
    /// And what in one of them without anything else.
    pub alone: Marks,
}

impl Tried {
    /// Adds what came of an action once more. What is read while values are worked out is shared.
    fn add(this: &mut Arc<Tried>, outcome: Outcome, done: Marks) {
        let this = Arc::make_mut(this);
        this.add_done(done);
        let results = &mut this.results;
        match results.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, times)) => *times += 1,
            None => results.push((outcome, 1)),
        }
    }

    fn add_done(&mut self, done: Marks) {
        self.done |= done;
        if done.is_power_of_two() {
            self.alone |= done;
        }
    }

    /// How sure it is that the same comes of it again.
    pub fn sure(&self, doubt: f64) -> f64 {
        let times = f64::from(self.times());
        times / (times + doubt)
    }

    /// In how many histories, or places.
    pub fn times(&self) -> u32 {
        self.results.iter().map(|(_, times)| times).sum()
    }
}

/// Where an action leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Nothing changes that matters.
    Same,
    /// The place is built as before, with other labels.
    Look(u32),
    /// To the activity behind.
    Behind,
    /// To this place.
    To(PlaceId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Activity {
    activity: ActivityId,
    place: PlaceId,
    below: StackId,
}

/// What happened, as it is remembered.
#[derive(Clone, Copy, Debug)]
struct Event {
    from: ScreenId,
    at: u16,
    /// How many choices there were.
    choices: u16,
    to: ScreenId,
    /// Whether it is the first of an episode.
    is_first: bool,
    ends: bool,
}

impl Default for Knowledge {
    fn default() -> Knowledge {
        let root = Node {
            place: PlaceId::MAX,
            screen: 0,
            stack: BOTTOM,
            core: 0,
            done: 0,
            edges: Vec::new(),
            open: None,
        };
        Knowledge {
            places: Places::default(),
            nodes: vec![root],
            stacks: Vec::new(),
            stack_of: FxHashMap::default(),
            cores: FxHashMap::default(),
            by_core: FxHashMap::default(),
            here: FxHashMap::default(),
            by_name: FxHashMap::default(),
            marks: FxHashMap::default(),
            log: Vec::new(),
            repeats: 0,
            conflicts: 0,
            confirmed: 0,
            varies: false,
            has_forgotten: false,
            is_stale: false,
            renewal: 0,
            at: ROOT,
            path: Vec::new(),
        }
    }
}

impl Knowledge {
    /// An episode begins.
    pub fn begin(&mut self) {
        self.at = ROOT;
        self.path.clear();
    }

    /// The history of now.
    pub fn at(&self) -> NodeId {
        self.at
    }

    /// What is known of a history.
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node as usize]
    }

    /// What came of an action in a history, if it was tried.
    pub fn edge(&self, node: NodeId, spot: SpotId) -> Option<&Edge> {
        let edges = &self.nodes[node as usize].edges;
        edges.binary_search_by_key(&spot, |edge| edge.spot).ok().map(|at| &edges[at])
    }

    /// What came of an action in histories that differ in nothing that was seen.
    pub fn by_core(&self, core: CoreId, offer: &Offer) -> Option<&Arc<Tried>> {
        self.by_core.get(&(core, offer.spot))
    }

    /// The core after `core` when an action has led to `place`, if there was such a history.
    pub fn core_after(&self, core: CoreId, offer: &Offer, place: PlaceId) -> CoreId {
        self.cores.get(&(core, offer.spot, place)).copied().unwrap_or(NO_CORE)
    }

    /// What came of an action in a place.
    pub fn here(&self, place: PlaceId, offer: &Offer) -> Option<&Arc<Tried>> {
        self.here.get(&(place, offer.spot))
    }

    /// What came of actions of the same name in places of the activity.
    pub fn by_name(&self, activity: ActivityId, offer: &Offer) -> Option<&Arc<Tried>> {
        self.by_name.get(&name(activity, offer))
    }

    /// The mark of an action that stays in the activity, if it may have changed something that does not show; `shows` says
    /// whether it changed something that does.
    pub fn mark(&self, activity: ActivityId, offer: &Offer, shows: bool) -> Marks {
        if !may_hide(offer, shows) {
            return 0;
        }
        self.marks.get(&name(activity, offer)).copied().unwrap_or(NEVER_DONE)
    }

    /// The stack without the activity in front, and the place that is seen then.
    pub fn behind(&self, stack: StackId) -> Option<(StackId, PlaceId)> {
        let below = self.stacks.get(stack as usize)?.below;
        self.stacks.get(below as usize).map(|activity| (below, activity.place))
    }

    /// The stack after `stack` when `place` is seen.
    pub fn stack_at(&mut self, stack: StackId, place: PlaceId) -> StackId {
        let activity = self.places.get(place).activity;
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

    /// How many stacks there are.
    pub fn stacks(&self) -> usize {
        self.stacks.len()
    }

    /// Forgets the stacks that came up since there were so many: those of ways that were only thought of.
    pub fn forget_stacks(&mut self, kept: usize) {
        for stack in self.stacks.drain(kept..) {
            self.stack_of.remove(&stack);
        }
    }

    /// How much what was seen in a history is worth in doubt, in times it was seen: nothing as long as the app always
    /// answers alike.
    pub fn unsteadiness(&self) -> f64 {
        if self.conflicts == 0 {
            return 0.0;
        }
        (4.0 * self.conflicts as f64 / (self.conflicts + self.repeats) as f64).min(1.0)
    }

    /// Whether all that can be tried was, on an app that answered alike whenever it was asked again.
    pub fn is_exhausted(&self) -> bool {
        let confirmed_min = if self.varies { CONFIRMED_MIN_IF_VARIED } else { CONFIRMED_MIN };
        self.is_tried_out() && self.confirmed >= confirmed_min
    }

    /// Whether every history was tried, as far as is known.
    pub fn is_tried_out(&self) -> bool {
        self.nodes[ROOT as usize].open == Some(0) && self.conflicts == 0 && !self.has_forgotten
    }

    /// A screen is seen where the history of now leads.
    pub fn look(&mut self, scene: &Scene<'_>) {
        self.is_stale |= self.places.see(scene);
        if self.at == ROOT {
            self.nodes[ROOT as usize].place = self.places.of(scene.screen);
        }
    }

    /// There are so many choices now.
    pub fn choices(&mut self, choices: u16) {
        self.nodes[self.at as usize].open.get_or_insert(u32::from(choices));
    }

    /// The last action led to where every choice loses.
    pub fn dead_end(&mut self) {
        if let Some(last) = self.log.last_mut() {
            last.ends = true;
        }
        self.use_up();
    }

    /// A step was taken: the offer at `at` of the screen `from`, one of so many choices.
    pub fn learn(&mut self, from: ScreenId, at: u16, choices: u16, to: &Scene<'_>, ends: bool) -> Remark {
        let is_first = self.at == ROOT;
        let is_new = !self.places.has_seen(to.screen);
        self.is_stale |= self.places.see(to);
        self.log.push(Event { from, at, choices, to: to.screen, is_first, ends });
        if self.log.len() > STEPS_MAX || self.places.weight() > WEIGHT_MAX {
            return self.forget();
        }
        if self.is_stale && self.log.len() >= self.renewal {
            return self.learn_anew();
        }
        match self.take_in(self.log[self.log.len() - 1]) {
            Remark::NewWay if is_new => Remark::NewScreen,
            remark => {
                self.is_stale |= remark == Remark::Otherwise && self.places.doubt(from);
                remark
            }
        }
    }

    fn take_in(&mut self, event: Event) -> Remark {
        if event.is_first {
            self.begin();
            self.confirmed += u32::from(self.is_tried_out());
        }
        self.choices(event.choices);
        let place = self.places.of(event.to);
        let from_place = self.places.of(event.from);
        let offer = self.places.offer(event.from, event.at).expect("what was taken was offered");
        let from = self.at;
        self.nodes[from as usize].place = from_place;
        self.path.push((from, offer.spot));
        let stack = self.stack_at(self.nodes[from as usize].stack, place);
        let next = self.nodes.len() as NodeId;
        let edges = &mut self.nodes[from as usize].edges;
        let found = edges.binary_search_by_key(&offer.spot, |edge| edge.spot);
        let at = found.unwrap_or_else(|at| {
            edges.insert(at, Edge { spot: offer.spot, outcomes: Vec::new(), is_used_up: false });
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
                false => *self.cores.entry((core, offer.spot, place)).or_insert(longer),
            };
            let activity = self.places.get(from_place).activity;
            let stays = from != ROOT && self.places.get(place).activity == activity;
            let mark = if stays { self.give_mark(activity, &offer, place != from_place) } else { 0 };
            let done = self.nodes[from as usize].done | mark;
            self.nodes.push(Node {
                place,
                screen: event.to,
                stack,
                core,
                done,
                edges: Vec::new(),
                open: None,
            });
            self.note(from, from_place, &offer, place);
        }
        self.varies |= self.node(self.at).screen != event.to;
        let remark = match (is_tried, known) {
            (false, _) if event.to == event.from => Remark::Stays,
            (false, _) if place == from_place => Remark::Details,
            (false, _) => Remark::NewWay,
            (true, Some(_)) => {
                self.repeats += u64::from(!event.is_first);
                Remark::AsKnown
            }
            (true, None) => {
                self.conflicts += 1;
                Remark::Otherwise
            }
        };
        if event.ends {
            self.use_up();
        }
        remark
    }

    /// The mark of an action that was done, a new one if it has none.
    fn give_mark(&mut self, activity: ActivityId, offer: &Offer, shows: bool) -> Marks {
        if !may_hide(offer, shows) {
            return 0;
        }
        let nth = self.marks.len() as u32;
        *self.marks.entry(name(activity, offer)).or_insert(1 << (nth % MARKS))
    }

    /// Notes what came of `offer` for other histories: it was not known of this one.
    fn note(&mut self, from: NodeId, from_place: PlaceId, offer: &Offer, place: PlaceId) {
        if from == ROOT {
            return;
        }
        let (before, after) = (self.places.get(from_place), self.places.get(place));
        let behind = self.behind(self.nodes[from as usize].stack);
        let outcome = if before.frame == after.frame && before.look == after.look {
            Outcome::Same
        } else if before.frame == after.frame {
            Outcome::Look(after.look)
        } else if behind.is_some_and(|(_, place)| self.places.get(place).activity == after.activity) {
            Outcome::Behind
        } else {
            Outcome::To(place)
        };
        let activity = before.activity;
        let exact = if place == from_place { Outcome::Same } else { Outcome::To(place) };
        let Node { core, done, .. } = self.nodes[from as usize];
        Tried::add(self.by_core.entry((core, offer.spot)).or_default(), exact, done);
        let tried = self.here.entry((from_place, offer.spot)).or_default();
        let is_new_here = tried.results.iter().all(|(known, _)| *known != exact);
        Tried::add(tried, exact, done);
        let named = self.by_name.entry(name(activity, offer)).or_default();
        if is_new_here {
            Tried::add(named, outcome, done);
        } else {
            Arc::make_mut(named).add_done(done);
        }
    }

    /// There is nothing more to try after the last step; nor may there be after those before it then.
    fn use_up(&mut self) {
        for &(node, spot) in self.path.iter().rev() {
            let node = &mut self.nodes[node as usize];
            let at = node.edges.binary_search_by_key(&spot, |edge| edge.spot).expect("it was taken");
            // What was seen to lead elsewhere too is used up if all that is.
            if !node.edges[at].is_used_up {
                node.edges[at].is_used_up = true;
                node.open = node.open.map(|open| open.saturating_sub(1));
            }
            if node.open != Some(0) {
                break;
            }
        }
    }

    /// Takes in all that is remembered once more, as places have other numbers; returns what the last step taught.
    fn learn_anew(&mut self) -> Remark {
        let kept: FxHashSet<ScreenId> = self.log.iter().flat_map(|event| [event.from, event.to]).collect();
        self.places.renumber(|screen| kept.contains(&screen));
        let fresh = Knowledge {
            places: std::mem::take(&mut self.places),
            has_forgotten: self.has_forgotten,
            renewal: self.log.len() + self.log.len() / 8 + 8,
            log: std::mem::take(&mut self.log),
            ..Knowledge::default()
        };
        *self = fresh;
        let mut last = Remark::AsKnown;
        for at in 0..self.log.len() {
            last = self.take_in(self.log[at]);
        }
        last
    }

    /// Forgets the older half of all steps, up to the start of an episode.
    fn forget(&mut self) -> Remark {
        let half = self.log.len() / 2;
        let from = (half..self.log.len()).find(|&at| self.log[at].is_first).unwrap_or(self.log.len() - 1);
        // An episode that is longer than all that can be remembered goes on as if it had just begun.
        self.log.drain(..from);
        self.log[0].is_first = true;
        self.has_forgotten = true;
        self.learn_anew()
    }
}

/// Whether an action may have changed something that does not show: not if it changes nothing in most apps, and did not.
fn may_hide(offer: &Offer, shows: bool) -> bool {
    match offer.habit {
        Habit::Any | Habit::Becomes(_) => true,
        Habit::MostlyStays => shows,
        Habit::Stays | Habit::Back => false,
    }
}

/// What an action is known by on other screens: its name, or else where it is.
fn name(activity: ActivityId, offer: &Offer) -> (ActivityId, u32, bool) {
    if offer.has_name { (activity, offer.labeling, true) } else { (activity, offer.action, false) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Screens by their numbers, each of an activity of its own, with two offers.
    struct App {
        offers: Arc<[Offer]>,
    }

    impl App {
        fn new() -> App {
            let offer = |spot| Offer {
                action: spot,
                labeling: spot,
                spot,
                class: 0,
                has_name: true,
                hints: 0,
                habit: Habit::Any,
            };
            App { offers: Arc::new([offer(0), offer(1)]) }
        }

        fn scene(&self, screen: ScreenId) -> Scene<'_> {
            let contents = &[];
            Scene {
                screen,
                activity: screen,
                look: 0,
                frame: u64::from(screen),
                contents,
                offers: &self.offers,
            }
        }

        /// An episode: the start, of one choice, and then these choices of two and where they lead.
        fn run(&self, knowledge: &mut Knowledge, steps: &[(u16, ScreenId)]) -> Remark {
            knowledge.begin();
            knowledge.look(&self.scene(0));
            let mut remark = knowledge.learn(0, 0, 1, &self.scene(1), steps.is_empty());
            let mut from = 1;
            for (nth, &(at, to)) in steps.iter().enumerate() {
                remark = knowledge.learn(from, at, 2, &self.scene(to), nth + 1 == steps.len());
                from = to;
            }
            remark
        }
    }

    #[test]
    fn what_was_tried_is_used_up_and_then_confirmed() {
        let (app, mut knowledge) = (App::new(), Knowledge::default());
        assert_eq!(app.run(&mut knowledge, &[(0, 2)]), Remark::NewScreen);
        assert!(!knowledge.is_tried_out());
        assert_eq!(app.run(&mut knowledge, &[(1, 1)]), Remark::Stays);
        assert!(knowledge.is_tried_out() && !knowledge.is_exhausted());
        for _ in 0..CONFIRMED_MIN {
            assert_eq!(app.run(&mut knowledge, &[(0, 2)]), Remark::AsKnown);
        }
        assert!(knowledge.is_exhausted());
        assert_eq!(app.run(&mut knowledge, &[(0, 3)]), Remark::Otherwise);
        assert!(!knowledge.is_exhausted(), "it was said of an app that answers alike");
    }

    #[test]
    fn what_lies_behind_is_what_was_seen_last_of_it() {
        let (app, mut knowledge) = (App::new(), Knowledge::default());
        app.run(&mut knowledge, &[(0, 2), (0, 3), (1, 2)]);
        let place = |knowledge: &mut Knowledge, screen| knowledge.places.of(screen);
        let stack = knowledge.node(knowledge.at()).stack;
        // The third was left, and the second is in front of the first.
        let (below, behind) = knowledge.behind(stack).expect("something is behind");
        assert_eq!(behind, place(&mut knowledge, 1));
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
        let offer = |nth| Offer { labeling: nth, ..app.offers[0] };
        let mut all = knowledge.mark(0, &offer(0), false);
        assert_eq!(all, NEVER_DONE);
        for nth in 0..MARKS {
            let mark = knowledge.give_mark(0, &offer(nth), false);
            assert!(mark.is_power_of_two() && all & mark == 0, "{nth}");
            assert_eq!(knowledge.mark(0, &offer(nth), false), mark);
            all |= mark;
        }
        assert_eq!((all, all.count_ones()), (Marks::MAX, 128));
        assert_eq!(knowledge.give_mark(0, &offer(MARKS), false), knowledge.mark(0, &offer(0), false));
        let still = Offer { habit: Habit::Stays, ..offer(0) };
        assert_eq!(knowledge.give_mark(0, &still, true), 0);
    }

    #[test]
    fn what_was_done_with_others_was_not_done_alone() {
        let mut tried = Tried::default();
        tried.add_done(0b11);
        assert_eq!((tried.done, tried.alone), (0b11, 0));
        tried.add_done(0b10);
        assert_eq!((tried.done, tried.alone), (0b11, 0b10));
    }

    #[test]
    fn learning_anew_comes_to_the_same() {
        let (app, mut knowledge) = (App::new(), Knowledge::default());
        for steps in [&[(0, 2), (1, 3)][..], &[(1, 1), (0, 2)], &[(0, 2), (0, 2)]] {
            app.run(&mut knowledge, steps);
        }
        let before = (knowledge.nodes.len(), knowledge.repeats, knowledge.conflicts, knowledge.at);
        knowledge.learn_anew();
        assert_eq!((knowledge.nodes.len(), knowledge.repeats, knowledge.conflicts, knowledge.at), before);
    }

    #[test]
    fn the_older_half_is_forgotten_and_then_nothing_is_called_exhausted() {
        let (app, mut knowledge) = (App::new(), Knowledge::default());
        app.run(&mut knowledge, &[(0, 2)]);
        app.run(&mut knowledge, &[(1, 2)]);
        assert!(knowledge.is_tried_out());
        knowledge.forget();
        assert_eq!(knowledge.log.len(), 2);
        assert!(!knowledge.is_tried_out());
    }
}
