//! The map of pages: what can be clicked on each, what came of it, and the ways between them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::super::forms::is_submitting;
use super::super::inputs::{Input, inputs, is_box, is_field};
use super::Step;
use super::blanks::{Blank, Filling, Form, Keys};
use super::pad::{Echo, Key, Pad, keys};
use crate::gui::{Action, DeviceAction, Flags, Screen, Touch, Widget, by_fit, is_button, misfits};
use crate::situation::{ActivityId, LabelingId, Scene};

/// Number of a page, and of an event of it.
pub type PageId = u32;
pub type EventId = u16;

/// Most pages, most events of a page (a page with more is a list), and most that are done on pages of other apps.
const PAGES_MAX: usize = 2_000;
const EVENTS_MAX: usize = 40;
const EVENTS_OUTSIDE_MAX: usize = 6;
/// Most blanks of a form, boxes beside them, and texts of a field.
const FIELDS_MAX: usize = 4;
const BOXES_MAX: usize = 3;
const TEXTS_MAX: usize = 40;
/// Most buttons that are clicked with each filling.
const BUTTONS_MAX: usize = 12;
/// Most buttons that may take in a word of a pad, and times that a key leads nowhere for each time that it leads on.
const TAKING_IN_MAX: usize = 2;
const KEY_STAYS: u32 = 2;
/// Most pages on the way to anything.
const LOOKED_AT_MAX: usize = 300;
/// Most pages that an event is known to have led to, and most answers of it that are told apart.
const LED_TO_MAX: usize = 6;
const ANSWERS_MAX: usize = 8;
/// Most effects that are told apart in an episode, and before an event.
const EFFECTS_MAX: usize = 64;

/// Cost of going back where nobody has, and of acting in another app, in steps: mostly that shows nothing.
const BACK: u32 = 6;
const OUTSIDE: u32 = 8;
/// Cost of an event that was refused, before it is done again.
const AGAIN: u32 = 2;
/// Cost of an event that was refused and is known to need another before it.
const BLOCKED: u32 = 10;
/// Most times that an event is done which leads nowhere for no known reason.
const REFUSED_MAX: u32 = 10;
/// Most steps that an event is thought to take, as it is refused at times.
const USUAL_MAX: u32 = 8;

/// Event of a page.
pub type Place = (PageId, EventId);

/// Something that can be clicked on a page, and what came of it.
#[derive(Clone, Debug)]
struct Event {
    labeling: LabelingId,
    is_back: bool,
    /// True if it looks like the end of a form.
    is_submitting: bool,
    /// True if the page was seen without it the last time.
    is_absent: bool,
    times: u32,
    /// Times that the page stayed.
    stays: u32,
    /// Pages that it led to, the latest last.
    to: Vec<PageId>,
    /// Answers on a page that stayed.
    answers: Vec<u64>,
    /// Time of this episode at which it was done last.
    done: Option<u32>,
    /// True if that changed nothing.
    is_refused: bool,
    /// True if it was ever refused.
    has_refused: bool,
    /// Effects before it, with which it was refused.
    tested: Vec<Place>,
    /// Effects, each of which came before it whenever it led on.
    needs: Vec<Place>,
    key: Key,
}

/// Page, and what is known of it.
#[derive(Clone, Debug)]
struct Page {
    is_outside: bool,
    /// Times that it was come to from another page.
    visits: u32,
    activity: ActivityId,
    events: Vec<Event>,
    form: Option<Form>,
    pad: Pad,
    /// True if a button is shown that cannot be clicked.
    has_disabled: bool,
}

/// Screen, as a sight of a page.
#[derive(Clone, Debug)]
pub struct Sight {
    /// The page.
    pub page: PageId,
    clicks: Vec<(u16, EventId)>,
    blanks: Vec<Seen>,
    has_disabled: bool,
}

/// Blank as a screen shows it.
#[derive(Clone, Debug)]
struct Seen {
    /// Offers that make each entry.
    offers: Vec<Option<u16>>,
    shown: Arc<str>,
    /// Entry that it shows.
    entry: Option<u8>,
}

impl Sight {
    /// Returns the offer of an event, if it is there.
    pub fn place(&self, event: EventId) -> Option<u16> {
        self.clicks.iter().find(|(_, own)| *own == event).map(|&(at, _)| at)
    }

    /// Returns the event behind an offer.
    pub fn event(&self, at: u16) -> Option<EventId> {
        self.clicks.iter().find(|(own, _)| *own == at).map(|&(_, event)| event)
    }

    /// Returns the offer that makes an entry.
    pub fn entry(&self, blank: usize, entry: u8) -> Option<u16> {
        self.blanks.get(blank)?.offers.get(usize::from(entry)).copied().flatten()
    }

    /// Returns the blank and the entry that an offer makes.
    pub fn typed(&self, at: u16) -> Option<(usize, u8)> {
        self.blanks.iter().enumerate().find_map(|(blank, seen)| {
            let entry = seen.offers.iter().position(|own| *own == Some(at))?;
            Some((blank, entry as u8))
        })
    }
}

impl Event {
    /// Returns true if it has led nowhere, and was not tried often.
    fn is_shut(&self) -> bool {
        self.has_refused && self.to.is_empty() && self.times <= REFUSED_MAX
    }

    fn new(labeling: LabelingId, action: &Action) -> Event {
        let names = action.target().map(|on| on.names());
        Event {
            labeling,
            is_back: matches!(action, Action::Device(_)),
            is_submitting: names.is_some_and(|names| is_submitting(&names)),
            is_absent: false,
            times: 0,
            stays: 0,
            to: Vec::new(),
            answers: Vec::new(),
            done: None,
            is_refused: false,
            has_refused: false,
            tested: Vec::new(),
            needs: Vec::new(),
            key: Key::new(&names.unwrap_or_default()),
        }
    }
}

/// Page within reach, the cost of the way there, and its first step; none where the way starts.
pub type Way = (PageId, u32, Option<Step>);

/// Outcome of a click.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// True if nobody had done it before, or it led to a page where it had not led before.
    pub is_first: bool,
    /// True if the page stays, with an answer unlike those before.
    pub is_new_answer: bool,
    /// Page that it led to for the first time, or again where it has led on before.
    pub led_to: Option<PageId>,
}

/// Entry that was made, and what its blank showed afterwards.
type Made = (u8, Arc<str>);

/// Pages and events met so far.
#[derive(Clone, Debug, Default)]
pub struct Map {
    numbers: FxHashMap<u64, PageId>,
    pages: Vec<Page>,
    /// Package of the app.
    package: Option<Arc<str>>,
    /// Events of this episode that changed nothing to see, or took in a filling, with the time of the latest.
    effects: Vec<(Place, u32)>,
    clock: u32,
    /// Entries that were made on the present page.
    made: Option<(PageId, Vec<Option<Made>>)>,
}

impl Map {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.effects.clear();
        self.clock = 0;
        self.made = None;
        for event in self.pages.iter_mut().flat_map(|page| &mut page.events) {
            event.done = None;
            event.is_refused = false;
        }
    }

    /// Returns true if a form has led on with some filling only.
    pub fn has_gate(&self) -> bool {
        (0..self.pages.len() as PageId).any(|page| self.accepted(page).is_some())
    }

    /// Returns the filling and the clicks that have led on from a page, if it takes certain ones, and the page that they led to.
    pub fn accepted(&self, page: PageId) -> Option<(Filling, &[EventId], PageId)> {
        let Page { form, pad, .. } = self.page(page);
        let filled = form.as_ref().and_then(Form::accepted);
        let filled = filled.map(|accepted| (accepted.filling.clone(), &accepted.clicks[..], accepted.to));
        filled.or_else(|| pad.accepted.as_ref().map(|(clicks, to)| (Filling::new(), &clicks[..], *to)))
    }

    /// Returns the next clicks on the pad of a page where nothing else was left undone; none if it has no pad.
    pub fn word(&self, page: PageId) -> Option<Vec<EventId>> {
        let Page { events, form, pad, is_outside, .. } = self.page(page);
        let is_done = |event: &Event| event.is_back || event.is_absent || event.times > 0;
        if form.is_some() || *is_outside || pad.accepted.is_some() || !events.iter().all(is_done) {
            return None;
        }
        let keys = self.keys(page);
        let mut clicks = pad.word(&keys)?;
        let is_taking_in =
            |event: &EventId| events[usize::from(*event)].is_submitting && !keys.contains(event);
        clicks.extend(self.refusing(page).into_iter().filter(is_taking_in).take(TAKING_IN_MAX));
        Some(clicks)
    }

    /// Returns the events of a page that are keys of a pad.
    fn keys(&self, page: PageId) -> Vec<EventId> {
        let events = (0..).zip(&self.page(page).events);
        // A key that has led on by chance is one all the same.
        let staying = events
            .filter(|(_, event)| !event.is_back && event.stays > KEY_STAYS * (event.times - event.stays));
        keys(staying.map(|(number, event)| (number, &event.key)))
    }

    /// Returns the pad of a page, with the keys that are known by now.
    pub fn pad_mut(&mut self, page: PageId) -> &mut Pad {
        let keys = self.keys(page);
        let pad = &mut self.pages[page as usize].pad;
        pad.set_keys(keys);
        pad
    }

    /// Notes that the next word of a page was refused; where one had led on before, words go on.
    pub fn refuse_word(&mut self, page: PageId) {
        let pad = self.pad_mut(page);
        if pad.accepted.take().is_none() {
            pad.refuse();
        }
    }

    /// Returns true if words of a pad are left.
    pub fn has_pad(&self) -> bool {
        (0..self.pages.len() as PageId).any(|page| self.word(page).is_some())
    }

    /// Returns the number of times that a page was come to.
    pub fn visits(&self, page: PageId) -> u32 {
        self.page(page).visits
    }

    /// Returns true if nothing is known yet, something was never done, or a form is in the way.
    pub fn has_work(&self, keys: &Keys) -> bool {
        let all = 0..self.pages.len() as PageId;
        self.pages.is_empty()
            || all.into_iter().any(|page| {
                let is_fresh = |event: &Event| event.times == 0 && !event.is_absent && !event.is_back;
                let own = &self.pages[page as usize];
                !own.is_outside && own.events.iter().any(is_fresh)
                    || self.accepted(page).is_some()
                    || self.word(page).is_some()
                    || self.likely(page, keys).is_some()
                    || self.swept(page).is_some()
            })
    }

    fn page(&self, page: PageId) -> &Page {
        &self.pages[page as usize]
    }

    /// Returns the form of a page.
    pub fn form(&self, page: PageId) -> Option<&Form> {
        self.page(page).form.as_ref()
    }

    /// Returns the form of a page, to note what was tried.
    pub fn form_mut(&mut self, page: PageId) -> Option<&mut Form> {
        self.pages[page as usize].form.as_mut()
    }

    /// Takes notice of what a page shows now.
    pub fn look(&mut self, sight: &Sight) {
        let page = &mut self.pages[sight.page as usize];
        page.has_disabled = sight.has_disabled;
        for (number, event) in (0..).zip(&mut page.events) {
            event.is_absent = sight.place(number).is_none();
        }
        if self.made.as_ref().is_some_and(|(made, _)| *made != sight.page) {
            self.made = None;
        }
    }

    /// Returns the entry that each blank of the page has now.
    pub fn held(&self, sight: &Sight) -> Vec<Option<u8>> {
        let made = self.made.as_ref().filter(|(page, _)| *page == sight.page);
        let held = |(blank, seen): (usize, &Seen)| {
            // A field may hide its text, or show it in another way; what it showed after it was typed tells.
            let made = made.and_then(|(_, made)| made[blank].as_ref());
            match made {
                Some((entry, shown)) if *shown == seen.shown => Some(*entry),
                Some(_) | None => seen.entry,
            }
        };
        sight.blanks.iter().enumerate().map(held).collect()
    }

    /// Learns that an entry was made.
    pub fn type_in(&mut self, from: &Sight, blank: usize, entry: u8, to: Option<&Sight>) {
        let Some(to) = to.filter(|to| to.page == from.page) else {
            self.made = None;
            return;
        };
        let is_tick = self.form(from.page).is_some_and(|form| matches!(form.blanks[blank], Blank::Tick));
        if is_tick {
            return;
        }
        let (page, mut made) = match self.made.take() {
            Some((page, made)) if page == from.page => (page, made),
            Some(_) | None => (from.page, vec![None; from.blanks.len()]),
        };
        made[blank] = Some((entry, to.blanks[blank].shown.clone()));
        self.made = Some((page, made));
    }

    /// Learns a step that is no event.
    pub fn leave(&mut self, to: Option<&Sight>) {
        if self.made.as_ref().is_some_and(|(made, _)| to.is_none_or(|to| to.page != *made)) {
            self.made = None;
        }
    }

    /// Learns what came of a click: `is_same` if it changed nothing, else where it led, and what it `said`.
    pub fn learn(
        &mut self,
        from: &Sight,
        event: EventId,
        is_same: bool,
        to: Option<&Sight>,
        said: &[u64],
        echo: Option<Echo>,
    ) -> Outcome {
        self.clock += 1;
        let (clock, place) = (self.clock, (from.page, event));
        let is_first = self.page(from.page).events[usize::from(event)].times == 0;
        let mut outcome = Outcome { is_first, ..Outcome::default() };
        let before = self.page(from.page).events[usize::from(event)].to.iter().copied();
        let refusals: Vec<PageId> = before.filter(|&to| self.is_message(to, from.page)).collect();
        let effects: Vec<(Place, u32)> =
            self.effects.iter().copied().filter(|(own, _)| *own != place).collect();
        let own = &mut self.pages[from.page as usize].events[usize::from(event)];
        own.times += 1;
        let since = own.done.filter(|_| own.is_refused).unwrap_or(0);
        own.done = Some(clock);
        let stays = to.is_some_and(|to| to.page == from.page);
        if stays {
            own.stays += 1;
            echo.into_iter().for_each(|echo| own.key.hear(echo));
            own.is_refused = is_same;
            own.has_refused |= is_same;
            for (effect, _) in effects {
                if own.tested.len() < EFFECTS_MAX && !own.tested.contains(&effect) {
                    own.tested.push(effect);
                }
            }
            let mut hasher = FxHasher::default();
            said.hash(&mut hasher);
            let answer = hasher.finish();
            if !own.answers.contains(&answer) && own.answers.len() < ANSWERS_MAX {
                outcome.is_new_answer = !own.answers.is_empty();
                own.answers.push(answer);
            }
            self.affect(place);
            return outcome;
        }
        own.is_refused = false;
        let is_effect = own.has_refused;
        if let Some(to) = to {
            if !refusals.contains(&to.page) {
                outcome.led_to = Some(to.page);
            }
            outcome.is_first |= !own.to.contains(&to.page);
            own.to.retain(|known| *known != to.page);
            own.to.push(to.page);
            if own.to.len() > LED_TO_MAX {
                own.to.remove(0);
            }
        }
        let needed: Vec<Place> =
            effects.iter().filter(|(_, at)| *at >= since).map(|(effect, _)| *effect).collect();
        let is_both = |effect: &&Place| needed.contains(effect);
        let both: Vec<Place> = own.needs.iter().filter(is_both).copied().collect();
        own.needs = if both.is_empty() { needed } else { both };
        if let Some(to) = to {
            self.pages[to.page as usize].visits += 1;
        }
        self.made = None;
        if is_effect {
            self.affect(place);
        }
        outcome
    }

    /// Notes that an event was done, which may have an effect that nothing shows.
    fn affect(&mut self, place: Place) {
        let clock = self.clock;
        if let Some((_, at)) = self.effects.iter_mut().find(|(own, _)| *own == place) {
            *at = clock;
        } else if self.effects.len() < EFFECTS_MAX {
            self.effects.push((place, clock));
        }
    }

    /// Returns true if `page` only says something about `form` and leads back there.
    fn is_message(&self, page: PageId, form: PageId) -> bool {
        let (own, form_page) = (self.page(page), self.page(form));
        let mut clicks = own.events.iter().filter(|event| !event.is_back);
        own.form.is_none()
            && own.activity == form_page.activity
            && (1..=2).contains(&clicks.clone().count())
            && clicks.all(|event| event.to.iter().all(|&to| to == form))
            && clicks_done(&own.events)
    }

    /// Returns the buttons of a page that have led nowhere so far.
    pub fn refusing(&self, page: PageId) -> Vec<EventId> {
        let own = self.page(page);
        let is_refusing = |event: &Event| {
            !event.is_back
                && !event.is_absent
                && event.times > 0
                && event.to.iter().all(|&to| self.is_message(to, page))
                && event.answers.len() as u32 <= 2 + event.stays / 4
        };
        let all = (0..).zip(&own.events).filter(|(_, event)| is_refusing(event));
        let all: Vec<(EventId, &Event)> = all.collect();
        let has_submitting = all.iter().any(|(_, event)| event.is_submitting);
        let wanted = all.into_iter().filter(|(_, event)| event.is_submitting || !has_submitting);
        wanted.map(|(number, _)| number).take(BUTTONS_MAX).collect()
    }

    /// Returns true if the form of a page keeps something shut.
    pub fn is_shut(&self, page: PageId) -> bool {
        let Page { form, has_disabled, .. } = self.page(page);
        let is_open = form.as_ref().is_none_or(|form| form.accepted().is_some());
        !is_open && (*has_disabled || !self.refusing(page).is_empty())
    }

    /// Returns the cost of a likely filling of a page that keeps something shut.
    pub fn likely(&self, page: PageId, keys: &Keys) -> Option<u32> {
        let form = self.form(page)?;
        let is_it = self.is_shut(page) && form.likely(keys).is_some();
        is_it.then(|| (form.blanks.len() + self.refusing(page).len()) as u32)
    }

    /// Returns the number of fillings of a page that keeps something shut, if some were not tried.
    pub fn swept(&self, page: PageId) -> Option<u64> {
        let form = self.form(page).filter(|form| form.has_next())?;
        self.is_shut(page).then(|| form.size())
    }

    /// Returns the events of a page that were never done, or refused before something else was done, or may have refused, and
    /// the cost of each.
    pub fn open(&self, page: PageId) -> impl Iterator<Item = (EventId, u32)> {
        let Page { events, is_outside, form, .. } = self.page(page);
        let outside = if *is_outside { OUTSIDE } else { 0 };
        // A sweep does them again by itself.
        let is_swept = form.as_ref().is_some_and(Form::has_next) && self.is_shut(page);
        let cost = move |event: &Event, place: Place| {
            if event.is_absent {
                return None;
            }
            if event.times == 0 {
                return Some(1 + outside + if event.is_back { BACK } else { 0 });
            }
            // It may have said why it refuses: then it changes nothing when it is done once more.
            if event.is_submitting && form.is_none() && (event.times, event.stays) == (1, 1) {
                return Some(1 + AGAIN + outside);
            }
            let is_new = |(effect, at): &(Place, u32)| {
                *effect != place && event.done.is_none_or(|done| *at > done) && !event.tested.contains(effect)
            };
            let is_again = !is_swept && event.has_refused && event.to.is_empty() && !event.is_back;
            (is_again && self.effects.iter().any(is_new)).then_some(1 + AGAIN + outside)
        };
        (0..).zip(events).filter_map(move |(number, event)| Some((number, cost(event, (page, number))?)))
    }

    /// Returns the events of a page that are refused as far as is known, for no known reason, and could be done after
    /// something else now; each with the number of times.
    pub fn refused(&self, page: PageId) -> impl Iterator<Item = (EventId, u32)> {
        let is_since = |event: &Event| {
            let is_it = |(_, at): &(Place, u32)| event.done.is_none_or(|done| *at > done);
            self.effects.iter().any(is_it)
        };
        let is_it = move |event: &Event| {
            let is_blocked = event.is_refused && event.needs.is_empty();
            let is_worth_it = event.times <= REFUSED_MAX + event.to.len() as u32 * REFUSED_MAX
                && !event.is_back
                && !event.is_absent;
            (event.is_shut() || is_blocked) && is_worth_it && is_since(event)
        };
        let events = (0..).zip(&self.page(page).events);
        events.filter(move |(_, event)| is_it(event)).map(|(number, event)| (number, event.times))
    }

    /// Returns the pages within reach with the cost of the way to each, and its first step; none where it starts.
    pub fn ways(&self, from: PageId, steps: u32) -> Vec<Way> {
        self.find_ways(from, steps, true)
    }

    fn find_ways(&self, from: PageId, steps: u32, through_blocked: bool) -> Vec<Way> {
        let mut costs: FxHashMap<PageId, u32> = FxHashMap::from_iter([(from, 0)]);
        let mut firsts: Vec<Option<Step>> = vec![None];
        let mut waiting = BinaryHeap::from([Reverse((0_u32, from, 0_usize))]);
        let (mut ways, mut over) = (Vec::new(), FxHashSet::default());
        while let Some(Reverse((cost, page, first))) = waiting.pop() {
            if ways.len() >= LOOKED_AT_MAX || !over.insert(page) {
                continue;
            }
            ways.push((page, cost, firsts[first]));
            let mut reach = |to: PageId, more: u32, step: Step| {
                let cost = cost.saturating_add(more);
                if cost <= steps && costs.get(&to).is_none_or(|least| *least > cost) {
                    costs.insert(to, cost);
                    // What is blocked is unblocked before anything else, as that may be done elsewhere.
                    let first = if matches!(step, Step::Unblock(..)) { None } else { firsts[first] };
                    firsts.push(Some(first.unwrap_or(step)));
                    waiting.push(Reverse((cost, to, firsts.len() - 1)));
                }
            };
            let own = self.page(page);
            if let Some((filling, clicks, to)) = self.accepted(page) {
                reach(to, (filling.len() + clicks.len()) as u32, Step::Accepted);
            }
            for (number, event) in (0..).zip(&own.events) {
                let Some(&to) = event.to.last().filter(|_| !event.is_absent) else { continue };
                if self.is_gate((page, number)) {
                    continue;
                }
                // An event that is refused often is a poor way.
                let passes = (event.times - event.stays).max(1);
                let usual = event.times.div_ceil(passes).min(USUAL_MAX);
                if !event.is_refused || self.is_unblocked(event) {
                    reach(to, usual, Step::Click(number));
                } else if through_blocked && !event.needs.is_empty() {
                    reach(to, usual + BLOCKED, Step::Unblock((page, number)));
                }
            }
        }
        ways
    }

    /// Returns true if the event leads on with some filling only.
    fn is_gate(&self, (page, event): Place) -> bool {
        self.accepted(page).is_some_and(|(_, clicks, _)| clicks.last() == Some(&event))
    }

    /// Returns true if something that an event needs was done since it was refused.
    fn is_unblocked(&self, event: &Event) -> bool {
        let is_since = |(effect, at): &(Place, u32)| {
            event.needs.contains(effect) && event.done.is_none_or(|done| *at > done)
        };
        self.effects.iter().any(is_since)
    }

    /// Returns the first step to something that a blocked event needs: what was not done in this episode, then the nearest.
    pub fn unblock(&self, (page, event): Place, from: PageId, steps: u32) -> Option<Step> {
        let ways = self.find_ways(from, steps, false);
        let needs = &self.page(page).events[usize::from(event)].needs;
        let nearest = needs.iter().filter_map(|&need| {
            let &(_, cost, first) = ways.iter().find(|(page, ..)| *page == need.0)?;
            let done = self.effects.iter().find(|(effect, _)| *effect == need).map_or(0, |(_, at)| *at);
            let here = if self.is_gate(need) { Step::Accepted } else { Step::Click(need.1) };
            Some((done, cost, first.unwrap_or(here)))
        });
        nearest.min_by_key(|&(done, cost, _)| (done, cost)).map(|(.., step)| step)
    }

    /// Returns the sight that `screen` is; none if there is no room for its page.
    pub fn read(&mut self, scene: &Scene, screen: &Screen) -> Option<Sight> {
        let package = self.package.get_or_insert_with(|| screen.package().clone());
        let is_outside = *package != *screen.package();
        let mut parts = inputs(screen);
        let fields = parts.iter().filter(|part| is_field(part.widget)).count();
        // Many boxes are settings, and no part of what is sent.
        let has_boxes = parts.len() - fields <= BOXES_MAX;
        let has_form = (1..=FIELDS_MAX).contains(&fields) && !is_outside;
        parts.retain(|part| has_form && (is_field(part.widget) || has_boxes));
        let (mut texts, mut clicks) = (vec![Vec::new(); parts.len()], Vec::new());
        for (at, action) in (0_u16..).zip(scene.actions.iter()) {
            let blank =
                action.target().and_then(|on| parts.iter().position(|part| *part.object_id == *on.object_id));
            match (action, blank) {
                (Action::Text { text, .. }, Some(blank)) => texts[blank].push((at, text.clone())),
                (Action::Touch(Touch::Click, _), Some(blank)) if is_box(parts[blank].widget) => {
                    texts[blank].push((at, Arc::default()));
                }
                (Action::Touch(Touch::Click | Touch::DoubleClick, _) | Action::User { .. }, None) => {
                    clicks.push((at, action))
                }
                (Action::Device(DeviceAction::Back | DeviceAction::Enter), _) => clicks.push((at, action)),
                _ => {}
            }
        }
        let mut key = FxHasher::default();
        if has_form {
            scene.activity.hash(&mut key);
            parts.iter().for_each(|part| (&part.widget.id, is_box(part.widget)).hash(&mut key));
            // Pages of one activity may have blanks without names; their buttons tell them apart.
            let buttons =
                screen.widgets().iter().filter(|widget| widget.is_visible() && is_plain_button(widget));
            buttons.for_each(|widget| {
                let name = if widget.id.is_empty() { &widget.text } else { &widget.id };
                name.hash(&mut key);
            });
        } else {
            scene.frame.hash(&mut key);
        }
        let next = self.pages.len() as PageId;
        let page = match self.numbers.get(&key.finish()) {
            Some(&known) => known,
            None if self.pages.len() >= PAGES_MAX => return None,
            None => {
                let blanks = parts.iter().zip(&texts).map(|(part, texts)| blank(part, texts));
                let form = has_form.then(|| Form::new(blanks.collect()));
                let (activity, events) = (scene.activity, Vec::new());
                self.pages.push(Page {
                    is_outside,
                    visits: 0,
                    activity,
                    events,
                    form,
                    pad: Pad::default(),
                    has_disabled: false,
                });
                self.numbers.insert(key.finish(), next);
                next
            }
        };
        let own = &mut self.pages[page as usize];
        let most = if is_outside { EVENTS_OUTSIDE_MAX } else { EVENTS_MAX };
        let mut events = Vec::new();
        for (at, action) in clicks {
            let labeling = scene.offers[usize::from(at)].labeling;
            let known = own.events.iter().position(|event| event.labeling == labeling);
            let number = match known {
                Some(known) => known,
                None if own.events.len() >= most && !matches!(action, Action::Device(_)) => continue,
                None => {
                    own.events.push(Event::new(labeling, action));
                    own.events.len() - 1
                }
            };
            events.push((at, number as EventId));
        }
        let form = own.form.as_ref();
        let blanks = form.map_or(&[][..], |form| &form.blanks).iter().zip(&parts).zip(&texts);
        let blanks = blanks.map(|((blank, part), texts)| seen(blank, part.widget, texts)).collect();
        let is_disabled = |widget: &Widget| is_plain_button(widget) && !widget.flags.has(Flags::ENABLED);
        let has_disabled = screen.widgets().iter().any(|widget| widget.is_visible() && is_disabled(widget));
        Some(Sight { page, clicks: events, blanks, has_disabled })
    }
}

/// Returns the blank that an input is, with the texts that fit it best.
fn blank(input: &Input<'_>, texts: &[(u16, Arc<str>)]) -> Blank {
    let Input { widget, samples, .. } = input;
    if is_box(widget) {
        return Blank::Tick;
    }
    let mut name = FxHasher::default();
    (widget.id_entry(), &widget.desc).hash(&mut name);
    let all: Vec<Arc<str>> = texts.iter().map(|(_, text)| text.clone()).collect();
    let best = by_fit(widget, samples, &all).into_iter().take(TEXTS_MAX);
    let texts: Vec<Arc<str>> = best.map(|at| all[at].clone()).collect();
    let misfits = misfits(widget, samples, &texts);
    Blank::Field(name.finish(), texts, misfits)
}

/// Returns `blank` as `widget` shows it.
fn seen(blank: &Blank, widget: &Widget, offers: &[(u16, Arc<str>)]) -> Seen {
    let shown = widget.text.clone();
    match blank {
        Blank::Tick => {
            let entry = Some(u8::from(!widget.flags.has(Flags::CHECKED)));
            // The same click makes both marks.
            Seen { offers: vec![offers.first().map(|&(at, _)| at); 2], shown, entry }
        }
        Blank::Field(_, texts, _) => {
            let offer = |text: &Arc<str>| offers.iter().find(|(_, own)| own == text).map(|&(at, _)| at);
            let entry = texts.iter().position(|text| *text == shown).map(|at| at as u8);
            Seen { offers: texts.iter().map(offer).collect(), shown, entry }
        }
    }
}

fn is_plain_button(widget: &Widget) -> bool {
    is_button(&widget.class) && !widget.flags.has(Flags::CHECKABLE)
}

/// Returns true if all events other than going back were done.
fn clicks_done(events: &[Event]) -> bool {
    events.iter().all(|event| event.is_back || event.times > 0)
}
