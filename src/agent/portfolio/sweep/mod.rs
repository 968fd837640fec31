//! Sweeps: what was never done comes first, and where a button refuses, the texts of the page are tried one by one.
//!
//! Pages are screens by their structure, or by their blanks where they have any, so that a message or a typed text makes
//! no other page. The map of pages, and of what was clicked from one to the next, gives the ways. A click that changes
//! nothing has refused: it is done again after something else that changed nothing to see, and where the page has blanks,
//! their fillings are swept, each once. Where it has a [pad], the words of its keys are. Which button takes them in shows by
//! itself, when it leads on.

mod blanks;
mod map;
mod pad;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use self::blanks::{Filling, Keys};
use self::map::{EventId, Map, PageId, Place, Sight};
use super::latest::Taken;
use crate::rng::Rng;
use crate::situation::{Scene, ScreenId, Situation};

/// Most screens whose pages are kept.
const SIGHTS_MAX: usize = 5_000;
/// Steps in a row that bring nothing, after which the episode is left to others; and those before which refused clicks are
/// done again for no known reason, as a part of the episode.
const PATIENCE: u32 = 40;
const PATIENCE_REFUSED: u32 = 4;

/// Cost of a word on a pad: more than that of an event that was never done, and less than that of one that was refused.
const WORD: u32 = 2;

/// Attempt at the blanks of a page that is going on.
#[derive(Clone, Debug)]
struct Attempt {
    page: PageId,
    filling: Filling,
    /// Buttons to click, and how many of them were.
    clicks: Vec<EventId>,
    clicked: usize,
    /// True from a click until its outcome is known.
    is_sent: bool,
}

/// Aim of the next steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// A click, at the end of a way.
    Click(EventId),
    /// A likely filling of the blanks.
    Likely,
    /// The next filling of the sweep.
    Sweep,
    /// The next word on the keys of a pad.
    Word,
}

/// First step of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The aim is here.
    Here(Aim),
    Click(EventId),
    /// The filling that has led on before.
    Accepted,
    /// Something that this event needs, which is refused now.
    Unblock(Place),
}

/// The member that sweeps.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    map: Map,
    sights: FxHashMap<ScreenId, Option<Arc<Sight>>>,
    keys: Keys,
    attempt: Option<Attempt>,
    /// Steps since something was done that was worth it.
    idle: u32,
    /// Steps of the episode, as it began.
    steps: u32,
    /// True once nothing was left to do within reach.
    is_over: bool,
    /// Page where the episode is left to others, once it was chosen; none after it was reached.
    last: Option<Option<PageId>>,
}

impl Sweep {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.give_up();
        self.map.begin();
        (self.idle, self.steps, self.is_over, self.last) = (0, 0, false, None);
    }

    /// Returns true if there may be something to do: nothing is known yet, or something is open.
    pub fn has_work(&self) -> bool {
        self.map.has_work(&self.keys)
    }

    /// Returns true if words of a pad are left to be tried.
    pub fn has_pad(&self) -> bool {
        self.map.has_pad()
    }

    /// Leaves an attempt that is not over.
    fn give_up(&mut self) {
        if let Some(Attempt { page, filling, .. }) = self.attempt.take()
            && let Some(form) = self.map.form_mut(page)
        {
            form.leave(filling);
        }
    }

    /// Returns the next choice; none if nothing is within reach.
    pub fn next(&mut self, situation: &Situation<'_>, rng: &mut Rng) -> Option<u16> {
        if let [only] = situation.candidates {
            return Some(*only);
        }
        let sight = self.sight(situation.scene)?;
        self.steps = self.steps.max(situation.steps_left);
        self.map.look(&sight);
        self.map.pad_mut(sight.page);
        // A loop, as an attempt may have nothing left to do, and each one is made once.
        for _ in 0..8 {
            if self.attempt.as_ref().is_some_and(|attempt| attempt.page == sight.page) {
                let at = self.go_on(&sight);
                if let Some(at) = at.filter(|at| situation.candidates.contains(at)) {
                    return Some(at);
                }
                self.finish();
            }
            let aim = match self.is_over {
                false => self.aim(&sight, situation.steps_left, rng),
                true => None,
            };
            self.is_over |= aim.is_none();
            let step = match aim.or_else(|| self.escort(&sight, situation.steps_left, rng))? {
                Step::Unblock(event) => self.map.unblock(event, sight.page, situation.steps_left)?,
                step => step,
            };
            match step {
                Step::Unblock(_) => return None,
                Step::Here(Aim::Click(event)) | Step::Click(event) => {
                    let at = sight.place(event);
                    return at.filter(|at| situation.candidates.contains(at));
                }
                Step::Accepted => {
                    let (filling, clicks, _) = self.map.accepted(sight.page)?;
                    let clicks = clicks.to_vec();
                    self.start(sight.page, filling, clicks);
                }
                Step::Here(Aim::Likely) => {
                    let filling = self.map.form(sight.page)?.likely(&self.keys)?;
                    self.start(sight.page, filling, self.map.refusing(sight.page));
                }
                Step::Here(Aim::Word) => {
                    self.map.pad_mut(sight.page).shuffle(rng);
                    let clicks = self.map.word(sight.page)?;
                    self.start(sight.page, Filling::new(), clicks);
                }
                Step::Here(Aim::Sweep) => {
                    if let Some(filling) = self.map.form_mut(sight.page)?.next(rng) {
                        self.start(sight.page, filling, self.map.refusing(sight.page));
                    }
                }
            }
        }
        None
    }

    fn start(&mut self, page: PageId, filling: Filling, clicks: Vec<EventId>) {
        self.give_up();
        self.attempt = Some(Attempt { page, filling, clicks, clicked: 0, is_sent: false });
    }

    /// Ends an attempt whose clicks were all refused.
    fn finish(&mut self) {
        let Some(Attempt { page, filling, clicks, .. }) = self.attempt.take() else { return };
        self.idle = 0;
        match self.map.form_mut(page) {
            Some(form) => form.refuse(filling, clicks),
            None => self.map.refuse_word(page),
        }
    }

    /// Returns the next choice of the attempt on its page: an entry that is missing, or the next click.
    fn go_on(&mut self, sight: &Sight) -> Option<u16> {
        let held = self.map.held(sight);
        let attempt = self.attempt.as_mut()?;
        for (blank, &entry) in attempt.filling.iter().enumerate() {
            if held[blank] != Some(entry) {
                return sight.entry(blank, entry);
            }
        }
        while let Some(&event) = attempt.clicks.get(attempt.clicked) {
            attempt.clicked += 1;
            if let Some(at) = sight.place(event) {
                attempt.is_sent = true;
                return Some(at);
            }
        }
        None
    }

    /// Returns the first step to a page that was seldom come to, which is chosen once an episode: whoever goes on there would
    /// not get through the forms on the way.
    fn escort(&mut self, sight: &Sight, steps: u32, rng: &mut Rng) -> Option<Step> {
        if !self.map.has_gate() {
            return None;
        }
        let ways = self.map.ways(sight.page, steps / 2);
        if self.last.is_none() {
            let visits = |page: PageId| self.map.visits(page);
            let least = ways.iter().map(|&(page, ..)| visits(page)).min().unwrap_or(0);
            let least: Vec<PageId> =
                ways.iter().map(|&(page, ..)| page).filter(|&page| visits(page) == least).collect();
            self.last = Some(least.get(rng.below(least.len().max(1))).copied());
            self.idle = 0;
        }
        // An app that changes on the way may keep the page out of reach.
        self.last = Some(self.last.flatten().filter(|&page| page != sight.page && self.idle <= PATIENCE));
        let last = self.last??;
        ways.into_iter().find(|&(page, ..)| page == last).and_then(|(.., first)| first)
    }

    /// Returns the first step to the nearest thing that is worth to be done, within so many steps.
    fn aim(&mut self, sight: &Sight, steps: u32, rng: &mut Rng) -> Option<Step> {
        if self.idle > PATIENCE {
            return None;
        }
        let ways = self.map.ways(sight.page, steps);
        // Of what is as near, any.
        let (mut least, mut equals) = (u32::MAX, Vec::new());
        let mut weigh = |cost: u32, step: Step| {
            if cost < least && cost <= steps {
                least = cost;
                equals.clear();
            }
            if cost == least {
                equals.push(step);
            }
        };
        for &(page, distance, first) in &ways {
            let step = |aim: Aim| first.unwrap_or(Step::Here(aim));
            for (event, cost) in self.map.open(page) {
                weigh(distance.saturating_add(cost), step(Aim::Click(event)));
            }
            // What was never done comes first, and what was refused after other steps comes later.
            if let Some(word) = self.map.word(page)
                && distance.saturating_add(word.len() as u32) <= steps
            {
                weigh(distance + WORD, step(Aim::Word));
            }
            if let Some(cost) = self.map.likely(page, &self.keys) {
                weigh(distance.saturating_add(cost), step(Aim::Likely));
            }
        }
        if !equals.is_empty() {
            return Some(equals[rng.below(equals.len())]);
        }
        // Small forms come first: they cost least if that is not what the app asks for.
        let sizes = ways.iter().filter(|(_, distance, _)| *distance < steps);
        let sizes = sizes.filter_map(|&(page, _, first)| Some((self.map.swept(page)?, first)));
        if let Some((_, first)) = sizes.min_by_key(|(size, _)| *size) {
            return Some(first.unwrap_or(Step::Here(Aim::Sweep)));
        }
        if self.idle > (self.steps / PATIENCE_REFUSED).min(PATIENCE) {
            return None;
        }
        // An event may need several others before it, and none of some in between.
        let (mut least, mut equals) = (u32::MAX, Vec::new());
        for &(page, distance, first) in &ways {
            for (event, times) in self.map.refused(page) {
                let cost = distance + times;
                if cost < least && distance < steps {
                    least = cost;
                    equals.clear();
                }
                if cost == least {
                    equals.push(first.unwrap_or(Step::Here(Aim::Click(event))));
                }
            }
        }
        (!equals.is_empty()).then(|| equals[rng.below(equals.len())])
    }

    /// Learns a step.
    pub fn learn(&mut self, taken: &Taken) {
        let Taken { from: scene, at, to, is_end, .. } = taken;
        let is_same = to.state == scene.state || to.screen_id == scene.screen_id;
        let said = super::forms::said(scene, to);
        self.idle += 1;
        let echo = (!is_end).then(|| pad::echo(scene, *at, to));
        let to = self.sight(to).filter(|_| !is_end);
        let Some(from) = self.sight(scene) else { return };
        if let Some((blank, entry)) = from.typed(*at) {
            self.map.type_in(&from, blank, entry, to.as_deref());
            return;
        }
        let Some(event) = from.event(*at) else {
            self.map.leave(to.as_deref());
            return;
        };
        let is_sent = self.attempt.as_mut().is_some_and(|attempt| std::mem::take(&mut attempt.is_sent));
        let aside = (!is_sent).then(|| self.map.held(&from).into_iter().collect()).flatten();
        let has_refused = aside.is_some() && self.map.refusing(from.page).contains(&event);
        let outcome = self.map.learn(&from, event, is_same, to.as_deref(), &said, echo);
        if outcome.is_first {
            self.idle = 0;
        }
        let Some(attempt) = self.attempt.as_ref().filter(|_| is_sent) else {
            if let Some(filling) = aside {
                self.learn_aside((from.page, event), filling, has_refused, outcome.led_to);
            }
            return;
        };
        // The sweep itself is worth its steps.
        self.idle = 0;
        let Some(form) = self.map.form_mut(attempt.page) else {
            if let Some(to) = outcome.led_to {
                let clicks = attempt.clicks[..attempt.clicked].to_vec();
                self.map.pad_mut(attempt.page).accepted = Some((clicks, to));
                self.attempt = None;
            }
            return;
        };
        if outcome.is_new_answer {
            form.answered(&attempt.filling);
        }
        if let Some(to) = outcome.led_to {
            form.accept(&attempt.filling, &attempt.clicks[..attempt.clicked], to, &mut self.keys);
            self.attempt = None;
        }
    }

    /// Learns a click that belongs to no attempt, on a page with this filling, and the page that it led to, if it led on; where
    /// the button `has_refused` before, the filling has led on.
    fn learn_aside(
        &mut self,
        (page, event): Place,
        filling: Filling,
        has_refused: bool,
        led_to: Option<PageId>,
    ) {
        let refusing = self.map.refusing(page);
        let is_refused = self.map.is_shut(page) && refusing.contains(&event);
        let Some(form) = self.map.form_mut(page) else { return };
        match led_to {
            Some(to) if has_refused => form.accept(&filling, &[event], to, &mut self.keys),
            None if is_refused => form.click(filling, event, &refusing),
            Some(_) | None => {}
        }
    }

    /// Returns what `scene` shows, read once; none before the app is started.
    fn sight(&mut self, scene: &Scene) -> Option<Arc<Sight>> {
        if let Some(known) = self.sights.get(&scene.screen_id) {
            return known.clone();
        }
        if self.sights.len() >= SIGHTS_MAX {
            self.sights.clear();
        }
        let sight = scene.screen.as_ref().and_then(|screen| self.map.read(scene, screen)).map(Arc::new);
        self.sights.insert(scene.screen_id, sight.clone());
        sight
    }
}
