//! Amounts: numbers and texts that the objective wants and that the app shows, and the actions that change them.
//!
//! A formula may want `Total: 21`. Where the app shows `Total: 0`, the amount is counted with: between two sights of it, the
//! steps of the episode have changed it, and a single one whose effect is not known must have done the rest. What is known of
//! the effects gives the shortest way to the number that is wanted, over places and values. What is not known yet is found
//! out: actions that were never done before a sight of the amount are done, and then the amount is looked at. A list that
//! counts its entries shows an amount from its first entry to its last one, and for an amount that no screen has shown yet other
//! numbers [stand in](stand_ins). A number beside a button that refuses is raised, as the button may be a [gate](gates).

mod effect;
mod gates;
mod known;
mod map;
mod stand_ins;
mod ways;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::gates::{Gate, Gates};
use self::known::{At, Done, Known};
use self::map::{DEVICE, Map, Name, PlaceId, Sight};
use self::stand_ins::StandIns;
use self::ways::{Spot, Ways};
use super::latest::Taken;
use super::shares::GUARD_EPISODES;
use crate::gui::ShownAmount;
use crate::rng::Rng;
use crate::situation::{
    AmountId, ClassId, LabelingId, Outlook, PhaseId, Scene, ScreenId, Situation, Standing, Want,
};

/// Most screens whose amounts are kept, and most amounts that are counted with at once.
const SCREENS_MAX: usize = 20_000;
const AT_ONCE_MAX: usize = 3;
/// Most pairs of a place and values that a way is looked for through.
const LOOKED_AT_MAX: usize = 20_000;
/// Most episodes in a row without news that it rests, and doubles each time.
const RESTS_MAX: u32 = 64;
/// Most tests of one event on one screen in an episode: more of them go to and fro.
const TESTED_MAX: u32 = 2;
/// Cost of an event that changed nothing to see, before it is tried for a hidden effect, of one that is no suspect where
/// others are, and of one whose like has a known effect.
const SHOWED_NOTHING: u32 = 6;
const NO_SUSPECT: u32 = 10;
const HAS_LIKE: u32 = 20;
/// Most numbers that are kept from screens before.
const TOLD_MAX: usize = 200;

/// Number that is counted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Counted {
    /// Amount of the objective.
    Wanted(AmountId),
    /// Number of another text, in place of an amount that was never seen.
    StandIn(u64),
}

/// Bounds of what is counted with.
#[derive(Clone, Copy, Debug)]
struct Target {
    of: Counted,
    least: i64,
    most: i64,
    /// Button that is to be there; none if the number itself is to be seen.
    gate: Option<Name>,
}

/// Aim of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The value that is wanted.
    Reach,
    /// The effect of an action.
    Test,
}

/// The member that counts.
#[derive(Clone, Debug, Default)]
pub struct Amounts {
    map: Map,
    list: BTreeMap<Counted, Known>,
    stand_ins: StandIns,
    gates: Gates,
    /// True while none of the amounts that are wanted was ever seen, so that other numbers stand in for them.
    seeks: bool,
    /// Amounts that each screen shows.
    shown: FxHashMap<ScreenId, Arc<[(AmountId, ShownAmount)]>>,
    /// Numbers told in this episode that nothing may have changed since.
    told: BTreeMap<u64, i64>,
    /// Events of this episode, and those that changed nothing to see.
    done: FxHashSet<Name>,
    vain: FxHashSet<(ScreenId, LabelingId)>,
    /// Times that each was done for a test in this episode.
    tested: FxHashMap<(ScreenId, LabelingId), u32>,
    /// True if something was learned in this episode.
    has_news: bool,
    /// Episodes so far, those in a row without news, and those that are left to rest.
    episodes: u32,
    idle: u32,
    rests: u32,
    /// Last screen of an episode, if it was not looked at yet.
    last: Option<Scene>,
    /// True once an episode has begun, until its first screen is looked at or its first step is learned.
    is_begun: bool,
}

impl Amounts {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.is_begun = true;
    }

    /// Forgets the episode before, once its last screen was looked at.
    fn start_over(&mut self) {
        if std::mem::take(&mut self.is_begun) {
            self.last = None;
            self.list.values_mut().for_each(Known::begin);
            self.map.begin();
            self.told.clear();
            self.done.clear();
            self.vain.clear();
            self.tested.clear();
            self.gates.begin();
        }
    }

    /// Ends an episode, which was its own or another member's.
    pub fn end(&mut self, is_own: bool) {
        self.episodes += 1;
        self.rests = self.rests.saturating_sub(1);
        if std::mem::take(&mut self.has_news) {
            (self.idle, self.rests) = (0, 0);
        } else if is_own {
            self.idle += 1;
            self.rests = (1 << self.idle.min(10)).min(RESTS_MAX);
        }
    }

    /// Returns true if an amount was seen, or a number that stands in for it, and an episode for it may bring something.
    pub fn has_work(&self) -> bool {
        let gates = if self.episodes < GUARD_EPISODES { Vec::new() } else { self.gates.open() };
        let counts = |of: &Counted| match of {
            Counted::Wanted(_) => true,
            Counted::StandIn(text) => self.seeks || gates.iter().any(|gate| gate.text == *text),
        };
        self.rests == 0 && self.list.iter().any(|(of, amount)| counts(of) && !amount.seen_at.is_empty())
    }

    fn is_seen(&self, want: &Want) -> bool {
        self.list.get(&Counted::Wanted(want.amount)).is_some_and(|amount| !amount.seen_at.is_empty())
    }

    /// Returns true if other numbers can stand in for what this group wants.
    fn is_sought(&self, group: &[Want]) -> bool {
        let [want] = group else { return false };
        !self.is_seen(want) && StandIns::can_replace(want)
    }

    /// Learns a step.
    pub fn learn(&mut self, taken: &Taken) {
        let Taken { from: scene, at, to, is_last, .. } = taken;
        let is_answered = gates::is_answered(taken);
        if self.list.is_empty() && !self.counts_all() && !is_answered {
            return;
        }
        self.start_over();
        let labeling = scene.offers[usize::from(*at)].labeling;
        let is_changed = scene.screen_id != to.screen_id;
        if !is_changed {
            self.vain.insert((scene.screen_id, labeling));
        }
        if let (Some(from), Some(next)) = (self.map.sight(scene), self.map.sight(to)) {
            let has_moved = self.map.learn(from.place, labeling, next.place, is_changed);
            let event = self.at(from.place, labeling);
            self.has_news |=
                self.gates.learn(event.name, has_moved, is_answered, &from.numbers, &next.numbers);
            self.done.insert(event.name);
            let done = Done { event, has_moved };
            for amount in self.list.values_mut() {
                amount.add(done);
            }
            if !has_moved {
                self.told.clear();
            }
        }
        self.last = is_last.then(|| to.clone());
    }

    /// Returns true if other numbers count than those of the objective.
    fn counts_all(&self) -> bool {
        self.seeks || self.gates.has_any()
    }

    /// Takes notice of the amounts on the screen, and of those that are wanted.
    pub fn look(&mut self, scene: &Scene, phase: PhaseId, outlook: &mut dyn Outlook) {
        let groups = outlook.wanted_amounts(phase);
        // Before the first step nothing may be wanted yet.
        if !groups.is_empty() {
            self.seeks = groups.iter().all(|group| self.is_sought(group));
        }
        if let Some(last) = self.last.take() {
            self.take_in(&last, outlook);
        }
        self.start_over();
        self.take_in(scene, outlook);
    }

    fn take_in(&mut self, scene: &Scene, outlook: &mut dyn Outlook) {
        let Some(screen) = scene.screen.as_deref() else { return };
        let shown = match self.shown.get(&scene.screen_id) {
            Some(known) => known.clone(),
            None => {
                if self.shown.len() >= SCREENS_MAX {
                    self.shown.clear();
                }
                let shown: Arc<[(AmountId, ShownAmount)]> = outlook.shown_amounts(screen).into();
                self.shown.insert(scene.screen_id, shown.clone());
                shown
            }
        };
        for (amount, _) in shown.iter() {
            self.list.entry(Counted::Wanted(*amount)).or_default();
        }
        if self.list.is_empty() && !self.counts_all() {
            return;
        }
        let Some(sight) = self.map.sight(scene) else { return };
        let Sight { place, numbers } = &*sight;
        let counts_all = self.counts_all();
        for &(text, number) in numbers.iter().filter(|_| counts_all) {
            if self.stand_ins.see(text, number) {
                self.list.entry(Counted::StandIn(text)).or_default();
            }
        }
        for (of, amount) in &mut self.list {
            let own = match of {
                Counted::Wanted(id) => {
                    let own = shown.iter().find(|(shown, _)| shown == id);
                    own.map(|(_, ShownAmount { value, span, .. })| (*value, *span))
                }
                Counted::StandIn(text) => {
                    numbers.iter().find(|(own, _)| own == text).map(|(_, value)| (*value, 0))
                }
            };
            if let Some((value, span)) = own {
                amount.seen_at.insert(*place, span);
                amount.places.insert(*place);
                // Nothing is the same as a number that only stands in.
                let is_elsewhere = |text: &u64| {
                    matches!(of, Counted::Wanted(_)) && numbers.iter().all(|(own, _)| own != text)
                };
                for (text, number) in self.told.iter().filter(|(text, _)| is_elsewhere(text)) {
                    amount.compare(*text, *number, value);
                }
                self.has_news |= amount.settle(value);
            } else if let Some((_, value)) = numbers.iter().find(|(text, _)| amount.is_same(*text)) {
                amount.places.insert(*place);
                self.has_news |= amount.settle(*value);
            }
        }
        for &(text, number) in numbers {
            if self.told.len() < TOLD_MAX || self.told.contains_key(&text) {
                self.told.insert(text, number);
            }
        }
    }

    /// Returns the next choice, and its aim; none if no amount is wanted now that was ever seen, or nothing can be done for it
    /// in the steps left.
    pub fn next(
        &mut self,
        situation: &Situation<'_>,
        outlook: &mut dyn Outlook,
        rng: &mut Rng,
    ) -> Option<(u16, Aim)> {
        let Situation { scene, phase, steps_left, .. } = *situation;
        let sight = self.map.sight(scene)?;
        let here = sight.place;
        let open = self.gates.now(outlook.standing(phase).missing(steps_left));
        let groups = outlook.wanted_amounts(phase);
        // A list shows the entry that is wanted: what is left is to take it.
        if groups.iter().any(|group| self.is_in_row(group, scene)) {
            return None;
        }
        let mut allowed = Allowed { phase, scene, outlook, classes: FxHashMap::default() };
        let (targets, mut wants) = self.targets(&groups);
        // A number stands where it is wanted for another: what is left is to go on from here.
        let is_there = |target: &Target| {
            let amount = &self.list[&target.of];
            let is_it = |value: i64| (target.least..=target.most).contains(&value);
            amount.seen_at.contains_key(&here) && amount.estimate().is_some_and(is_it)
        };
        if self.seeks && targets.iter().flatten().any(is_there) {
            return None;
        }
        for group in &targets {
            if let Some(at) = self.reach(group, here, situation, &mut allowed) {
                return Some((at, Aim::Reach));
            }
        }
        // What changes an amount is looked for while nothing is known to, whatever other amounts still hide.
        wants.sort_by_key(|id| self.list.get(id).map(Known::progress));
        for id in wants {
            let Some(amount) = self.list.get_mut(&id).filter(|amount| !amount.seen_at.is_empty()) else {
                continue;
            };
            amount.looks += u32::from(amount.wants_base());
            let at = self.test(&self.list[&id], here, situation, &mut allowed, rng);
            if let Some(at) = at.filter(|&at| self.may_test(scene, at)) {
                return Some((at, Aim::Test));
            }
        }
        let next = self.pass(&open, &sight, situation, &mut allowed, rng);
        if next.is_none() && !open.is_empty() {
            self.gates.give_up();
        }
        next
    }

    /// Returns the next step to one of these gates, or to what raises the number beside it.
    fn pass(
        &mut self,
        gates: &[Gate],
        sight: &Sight,
        situation: &Situation<'_>,
        allowed: &mut Allowed<'_>,
        rng: &mut Rng,
    ) -> Option<(u16, Aim)> {
        let here = sight.place;
        for gate in gates {
            let shown = sight.numbers.iter().find(|(text, _)| *text == gate.text);
            let is_enough = shown.is_some_and(|(_, value)| *value >= gate.least());
            if is_enough && let Some(at) = self.gate_here(gate.name, here, situation, allowed) {
                return Some((at, Aim::Reach));
            }
            let of = Counted::StandIn(gate.text);
            if !self.list.contains_key(&of) {
                continue;
            }
            let target = Target { of, least: gate.least(), most: i64::MAX, gate: Some(gate.name) };
            if let Some(at) = self.reach(&[target], here, situation, allowed) {
                return Some((at, Aim::Reach));
            }
            let at = self.test(&self.list[&of], here, situation, allowed, rng);
            if let Some(at) = at.filter(|&at| self.may_test(situation.scene, at)) {
                return Some((at, Aim::Test));
            }
        }
        None
    }

    /// Returns the choice that is a click on this gate, if it is here.
    fn gate_here(
        &self,
        name: Name,
        here: PlaceId,
        situation: &Situation<'_>,
        allowed: &mut Allowed<'_>,
    ) -> Option<u16> {
        let event = self.map.event(here, name)?;
        self.offer(situation, event.labeling).filter(|_| allowed.allows(event.class))
    }

    /// Counts a test; returns false if it was done too often in this episode.
    fn may_test(&mut self, scene: &Scene, at: u16) -> bool {
        let key = (scene.screen_id, scene.offers[usize::from(at)].labeling);
        let times = self.tested.entry(key).or_insert(0);
        *times += 1;
        *times <= TESTED_MAX
    }

    /// Returns the amounts to reach, group by group, and those whose changes are to be found out.
    fn targets(&self, groups: &[Vec<Want>]) -> (Vec<Vec<Target>>, Vec<Counted>) {
        let target = |of: Counted, want: &Want| Target { of, least: want.least, most: want.most, gate: None };
        if self.seeks {
            let stand_ins: Vec<Counted> = self.stand_ins.ranked().into_iter().map(Counted::StandIn).collect();
            let wants = groups.iter().flatten();
            let targets = wants.flat_map(|want| stand_ins.iter().map(|&of| vec![target(of, want)])).collect();
            return (targets, stand_ins.into_iter().take(1).collect());
        }
        let own = |want: &Want| Counted::Wanted(want.amount);
        let is_whole =
            |group: &&Vec<Want>| group.len() <= AT_ONCE_MAX && group.iter().all(|want| self.is_seen(want));
        let of_group = |group: &Vec<Want>| group.iter().map(|want| target(own(want), want)).collect();
        let targets = groups.iter().filter(is_whole).map(of_group).collect();
        (targets, groups.iter().flatten().map(own).collect())
    }

    /// Returns true if the screen shows each of the amounts as it is wanted, one in a row of others.
    fn is_in_row(&self, group: &[Want], scene: &Scene) -> bool {
        let Some(shown) = self.shown.get(&scene.screen_id) else { return false };
        let of = |want: &Want| shown.iter().find(|(id, _)| *id == want.amount).map(|(_, shown)| shown);
        group.iter().all(|want| of(want).is_some_and(|shown| shown.is_wanted))
            && group.iter().any(|want| of(want).is_some_and(|shown| shown.span > 0))
    }

    /// Returns the first step of a shortest way to a place that shows the amounts as they are wanted.
    fn reach(
        &self,
        group: &[Target],
        here: PlaceId,
        situation: &Situation<'_>,
        allowed: &mut Allowed<'_>,
    ) -> Option<u16> {
        type Values = [i64; AT_ONCE_MAX];
        let amounts: Vec<&Known> = group.iter().map(|want| &self.list[&want.of]).collect();
        let mut values: Values = [0; AT_ONCE_MAX];
        for (value, amount) in values.iter_mut().zip(&amounts) {
            *value = amount.estimate()?;
        }
        let is_it = |place: PlaceId, values: &Values| {
            group.iter().zip(&amounts).zip(values).all(|((want, amount), value)| {
                let is_shown = |span: &i64| *value <= want.most && value.saturating_add(*span) >= want.least;
                match want.gate {
                    None => amount.seen_at.get(&place).is_some_and(is_shown),
                    Some(gate) => is_shown(&0) && self.map.event(place, gate).is_some(),
                }
            })
        };
        let mut ways = Ways::new(&self.map, here);
        let mut seen: FxHashSet<(PlaceId, Values)> = FxHashSet::from_iter([(here, values)]);
        let mut open: VecDeque<(usize, Values)> = VecDeque::from([(ways.start(), values)]);
        while let Some((spot, values)) = open.pop_front() {
            let Spot { place, steps, first, .. } = ways.spot(spot);
            if steps >= situation.steps_left || seen.len() > LOOKED_AT_MAX {
                continue;
            }
            for event in &self.map.place(place).events {
                if !allowed.allows(event.class) {
                    continue;
                }
                let mut after = values;
                for (value, amount) in after.iter_mut().zip(&amounts) {
                    *value = amount.after(self.at(place, event.labeling), *value);
                }
                let is_vain = after == values && self.is_vain(situation.scene, event.labeling);
                let offer = || self.offer(situation, event.labeling).filter(|_| !is_vain);
                let Some(first) = first.or_else(offer) else { continue };
                for to in ways.after(spot, event, first) {
                    if is_it(ways.spot(to).place, &after) {
                        return Some(first);
                    }
                    if seen.insert((ways.spot(to).place, after)) {
                        open.push_back((to, after));
                    }
                }
            }
        }
        None
    }

    /// Returns the first step to the nearest event whose effect on the amount is not known, or to a place that shows the
    /// amount after such events.
    fn test(
        &self,
        amount: &Known,
        here: PlaceId,
        situation: &Situation<'_>,
        allowed: &mut Allowed<'_>,
        rng: &mut Rng,
    ) -> Option<u16> {
        let far = self.distances(amount, allowed);
        let is_pending = amount.since.iter().any(|done| !amount.is_known(done));
        let has_suspect = amount.since.iter().any(|done| amount.suspects.contains(&done.event));
        let must_look = is_pending && has_suspect || amount.wants_base();
        let mut best: (u32, Vec<u16>) = (u32::MAX, Vec::new());
        let mut weigh = |cost: u32, at: u16| {
            if cost < best.0 {
                best = (cost, Vec::new());
            }
            if cost == best.0 {
                best.1.push(at);
            }
        };
        let mut ways = Ways::new(&self.map, here);
        let mut seen = FxHashSet::from_iter([here]);
        let mut open: VecDeque<usize> = VecDeque::from([ways.start()]);
        while let Some(spot) = open.pop_front() {
            let Spot { place, steps, first, .. } = ways.spot(spot);
            if must_look || is_pending && steps > 0 {
                break;
            }
            for event in &self.map.place(place).events {
                let own = self.at(place, event.labeling);
                let is_vain = self.is_vain(situation.scene, event.labeling);
                let offer = || self.offer(situation, event.labeling).filter(|_| !is_vain);
                let Some(first) = first.or_else(offer).filter(|_| allowed.allows(event.class)) else {
                    continue;
                };
                // A switch that is pressed twice is as before.
                let is_done = self.done.contains(&own.name);
                let is_suspect = amount.suspects.contains(&own);
                let to = ways.after(spot, event, first);
                let leads_on = ways.leads_on(place, to.clone());
                // What hardly ever changes a number is no reason to put off the look at it.
                let is_worth = event.cost < DEVICE || !is_pending;
                if (!leads_on || is_suspect) && amount.is_open(own) && !is_done && is_worth {
                    // An event that nobody has done may lead elsewhere, and then it takes one more step to come back.
                    let (back, more) = match to.clone().next_back() {
                        Some(to) => (ways.distance(to, &far), 1),
                        None => (ways.distance(spot, &far), 2),
                    };
                    let shows_nothing = event.times > 0 && !event.has_changed;
                    let cost = event.cost
                        + if shows_nothing { SHOWED_NOTHING } else { 0 }
                        + if is_suspect || amount.suspects.is_empty() { 0 } else { NO_SUSPECT }
                        + if is_suspect || !amount.has_like(own) { 0 } else { HAS_LIKE };
                    if let Some(back) = back.filter(|back| steps + more + back <= situation.steps_left) {
                        weigh(steps + more + back + cost, first);
                    }
                }
                for to in to {
                    if steps + 1 < situation.steps_left && seen.insert(ways.spot(to).place) {
                        open.push_back(to);
                    }
                }
            }
        }
        let (_, equals) = best;
        if !equals.is_empty() {
            return Some(equals[rng.below(equals.len())]);
        }
        // What was done is looked at.
        (is_pending || must_look).then(|| self.step_to(amount, here, &far, situation, allowed)).flatten()
    }

    /// Returns the first step of a shortest way to a place that shows the amount.
    fn step_to(
        &self,
        amount: &Known,
        here: PlaceId,
        far: &[Option<u32>],
        situation: &Situation<'_>,
        allowed: &mut Allowed<'_>,
    ) -> Option<u16> {
        let mut ways = Ways::new(&self.map, here);
        let from_here = ways.distance(ways.start(), far);
        let mut best: Option<(u32, u16)> = None;
        for event in &self.map.place(here).events {
            let Some(at) = self.offer(situation, event.labeling) else { continue };
            let to = ways.after(ways.start(), event, at);
            let leads_on = ways.leads_on(here, to.clone());
            let is_sure = leads_on || !amount.is_open(self.at(here, event.labeling));
            let is_vain = self.is_vain(situation.scene, event.labeling);
            let left = to.filter_map(|to| ways.distance(to, far)).min();
            let leads_nearer = |left: &u32| from_here.is_none_or(|here| *left < here);
            let left = left.filter(|left| *left < situation.steps_left).filter(leads_nearer);
            if let Some(left) = left.filter(|_| is_sure && !is_vain)
                && allowed.allows(event.class)
                && best.is_none_or(|(least, _)| left < least)
            {
                best = Some((left, at));
            }
        }
        best.map(|(_, at)| at)
    }

    /// Returns the number of steps from each place to one that shows the amount, by what leads on.
    fn distances(&self, amount: &Known, allowed: &mut Allowed<'_>) -> Vec<Option<u32>> {
        let places = self.map.places();
        let mut before: Vec<Vec<PlaceId>> = vec![Vec::new(); places.len()];
        for (from, place) in (0..).zip(places) {
            for event in place.events.iter().filter(|event| allowed.allows(event.class)) {
                for &to in self.map.led_to(from, event) {
                    before[to as usize].push(from);
                }
            }
        }
        let mut far: Vec<Option<u32>> = vec![None; places.len()];
        let all = 0..places.len() as PlaceId;
        let mut open: VecDeque<PlaceId> = all.filter(|place| amount.places.contains(place)).collect();
        open.iter().for_each(|&place| far[place as usize] = Some(0));
        while let Some(place) = open.pop_front() {
            let next = far[place as usize].map(|steps| steps + 1);
            for &from in &before[place as usize] {
                if far[from as usize].is_none() {
                    far[from as usize] = next;
                    open.push_back(from);
                }
            }
        }
        far
    }

    fn at(&self, place: PlaceId, labeling: LabelingId) -> At {
        At { place, name: self.map.name(place, labeling) }
    }

    fn offer(&self, situation: &Situation<'_>, labeling: LabelingId) -> Option<u16> {
        let is_it = |at: &&u16| situation.scene.offers[usize::from(**at)].labeling == labeling;
        situation.candidates.iter().find(is_it).copied()
    }

    /// Returns true if the event changed nothing on this screen before in the episode.
    fn is_vain(&self, scene: &Scene, labeling: LabelingId) -> bool {
        self.vain.contains(&(scene.screen_id, labeling))
    }
}

/// Classes of actions after which the objective stays within reach.
struct Allowed<'a> {
    phase: PhaseId,
    scene: &'a Scene,
    outlook: &'a mut dyn Outlook,
    classes: FxHashMap<ClassId, bool>,
}

impl Allowed<'_> {
    fn allows(&mut self, class: ClassId) -> bool {
        let Allowed { phase, scene, outlook, classes } = self;
        *classes.entry(class).or_insert_with(|| {
            let after = outlook.after(*phase, class, scene.look);
            outlook.standing(after) != Standing::Lost
        })
    }
}
