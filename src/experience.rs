//! Experience: the actions and screens of episodes, kept to serve other specs and other runs.
//!
//! It speaks of no formula, so that every spec can learn from it: a tree of histories, each a row of action records
//! and the screens they led to since the start of the app. It is bounded; beyond its bounds known histories stay, and
//! no new one is taken in.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::gui::{Action, ActionRecord, Identity, Screen};

/// Most histories.
pub const HISTORIES_MAX: usize = 100_000;

/// Most widgets on all screens, some 30 MB.
pub const WIDGETS_MAX: usize = 200_000;

/// Most bytes of all texts, of screens and action records: a file stays small enough to be read again.
pub const BYTES_MAX: usize = 32 << 20;

/// Most steps of all episodes.
pub const STEPS_MAX: u64 = 100_000;

/// Number up to which equal episodes are counted.
pub const TIMES_MAX: u32 = 16;

/// Histories of actions and screens, with the number of episodes that ended in each.
#[derive(Clone, Debug, Default)]
pub struct Experience {
    /// Each after the one it continues.
    histories: Vec<History>,
    /// Histories by the history before, the action record and the screen.
    numbers: BTreeMap<(Option<u32>, u32, u32), u32>,
    records: Vec<Arc<ActionRecord>>,
    record_numbers: BTreeMap<Arc<ActionRecord>, u32>,
    screens: Vec<Arc<Screen>>,
    screen_numbers: BTreeMap<Identity, u32>,
    /// Present size, see [`WIDGETS_MAX`], [`BYTES_MAX`] and [`STEPS_MAX`].
    widgets: usize,
    bytes: usize,
    steps: u64,
    is_full: bool,
    is_old: bool,
}

/// History: one more step than the one before.
#[derive(Clone, Copy, Debug)]
struct History {
    before: Option<u32>,
    record: u32,
    screen: u32,
    length: u32,
    times: u32,
}

/// Place in an experience of an episode that is taken in step by step.
#[derive(Debug)]
pub struct Growing {
    at: Option<u32>,
    is_cut: bool,
}

/// Steps since the start, and the number of episodes that took them.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// Action records and the screens after them.
    pub steps: Vec<(&'a ActionRecord, &'a Arc<Screen>)>,
    /// Number of episodes.
    pub times: u32,
}

/// History as an element of a row, after the one it continues.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// Place in the row of the history before; none at the first step.
    pub before: Option<usize>,
    /// Action record of the last step.
    pub record: &'a ActionRecord,
    /// Screen after it.
    pub screen: &'a Arc<Screen>,
    /// Number of episodes that ended here.
    pub times: u32,
}

impl Experience {
    /// Returns an empty experience.
    pub fn new() -> Experience {
        Experience::default()
    }

    /// Takes in an episode: its actions since the start, each with the screen after it. Steps without room are left
    /// off its end.
    pub fn add<'a>(&mut self, episode: impl IntoIterator<Item = (&'a Action, &'a Arc<Screen>)>) {
        let mut growing = self.begin();
        for (action, screen) in episode {
            self.go_on(&mut growing, action, screen);
        }
        self.finish(growing);
    }

    /// Begins an episode that is taken in step by step.
    pub fn begin(&self) -> Growing {
        Growing { at: None, is_cut: false }
    }

    /// Takes in the next step of an episode, unless there was no room for it or for one before it.
    pub fn go_on(&mut self, growing: &mut Growing, action: &Action, screen: &Arc<Screen>) {
        if growing.is_cut {
            return;
        }
        match self.follow(growing.at, ActionRecord::new(action), screen) {
            Some(next) => growing.at = Some(next),
            None => growing.is_cut = true,
        }
    }

    /// Ends an episode.
    pub fn finish(&mut self, growing: Growing) {
        if let Some(at) = growing.at {
            self.end(at, 1);
        }
    }

    /// Takes in all of `other`.
    pub fn merge(&mut self, other: &Experience) {
        self.is_old |= other.is_old;
        let mut places: Vec<Option<u32>> = Vec::with_capacity(other.histories.len());
        for history in &other.histories {
            let before = history.before.map(|before| places[before as usize]);
            // A history whose beginning was not taken in is not taken in either.
            let place = match before {
                Some(None) => None,
                Some(Some(before)) => {
                    let place = self.follow_known(Some(before), other, history);
                    if place.is_none() {
                        self.end(before, history.times.max(1));
                    }
                    place
                }
                None => self.follow_known(None, other, history),
            };
            if let Some(place) = place {
                self.end(place, history.times);
            }
            places.push(place);
        }
    }

    fn follow_known(&mut self, before: Option<u32>, other: &Experience, history: &History) -> Option<u32> {
        let record = other.records[history.record as usize].clone();
        self.follow(before, record, &other.screens[history.screen as usize])
    }

    /// Takes in one history of a row, which continues the one at `before`; returns its place, unless there is no room
    /// for it.
    pub fn link(
        &mut self,
        before: Option<usize>,
        record: ActionRecord,
        screen: &Arc<Screen>,
        times: u32,
    ) -> Option<usize> {
        let before = before.map(|before| before as u32);
        debug_assert!(before.is_none_or(|before| (before as usize) < self.histories.len()));
        let at = self.follow(before, record, screen)?;
        self.end(at, times);
        Some(at as usize)
    }

    /// Returns the history that continues `before` with this step; none if it is new and there is no room for it.
    fn follow(
        &mut self,
        before: Option<u32>,
        record: impl Into<Arc<ActionRecord>>,
        screen: &Arc<Screen>,
    ) -> Option<u32> {
        let record = record.into();
        let known_record = self.record_numbers.get(&record).copied();
        let known_screen = self.screen_numbers.get(&screen.identity()).copied();
        if let (Some(record), Some(screen)) = (known_record, known_screen)
            && let Some(&known) = self.numbers.get(&(before, record, screen))
        {
            return Some(known);
        }
        let (widgets, bytes) = if known_screen.is_some() { (0, 0) } else { size(screen) };
        let widgets = self.widgets + widgets;
        let bytes = self.bytes + bytes + record.bytes();
        self.is_full |= self.histories.len() >= HISTORIES_MAX || widgets > WIDGETS_MAX || bytes > BYTES_MAX;
        if self.is_full {
            return None;
        }
        (self.widgets, self.bytes) = (widgets, bytes);
        let record = known_record.unwrap_or_else(|| {
            let number = self.records.len() as u32;
            self.records.push(record.clone());
            self.record_numbers.insert(record, number);
            number
        });
        let screen = known_screen.unwrap_or_else(|| {
            let number = self.screens.len() as u32;
            self.screens.push(screen.clone());
            self.screen_numbers.insert(screen.identity(), number);
            number
        });
        let length = before.map_or(0, |before| self.histories[before as usize].length) + 1;
        let number = self.histories.len() as u32;
        self.histories.push(History { before, record, screen, length, times: 0 });
        self.numbers.insert((before, record, screen), number);
        Some(number)
    }

    /// Counts `times` episodes that ended with this history, up to the bound.
    fn end(&mut self, at: u32, times: u32) {
        let history = &mut self.histories[at as usize];
        let times = times.min(TIMES_MAX - history.times);
        let steps = self.steps + u64::from(times) * u64::from(history.length);
        if steps > STEPS_MAX {
            self.is_full = true;
        } else {
            history.times += times;
            self.steps = steps;
        }
    }

    /// Returns true if it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.histories.is_empty()
    }

    /// Returns true if something found no room; from then on nothing new is taken in.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns true if some of it is of another run: the app may have changed since, so what was tried then is worth
    /// another try once nothing else is left.
    pub fn is_old(&self) -> bool {
        self.is_old
    }

    /// Marks it as that of another run.
    #[must_use]
    pub fn grown_old(self) -> Experience {
        Experience { is_old: true, ..self }
    }

    /// Returns the steps of all its episodes.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the episodes, equal ones as one, in an order that does not depend on the order in which they came.
    pub fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let ends = self.in_order().into_iter().filter(|&(number, _)| self.histories[number].times > 0);
        ends.map(|(number, _)| self.run(number))
    }

    fn run(&self, number: usize) -> Run<'_> {
        let history = &self.histories[number];
        let mut steps = Vec::with_capacity(history.length as usize);
        let mut at = Some(history);
        while let Some(history) = at {
            steps.push((&*self.records[history.record as usize], &self.screens[history.screen as usize]));
            at = history.before.map(|before| &self.histories[before as usize]);
        }
        steps.reverse();
        Run { steps, times: history.times }
    }

    /// Returns all histories in a row, in an order that does not depend on the order in which they came.
    pub fn links(&self) -> impl Iterator<Item = Link<'_>> {
        let link = |(number, before): (usize, Option<usize>)| {
            let history = &self.histories[number];
            Link {
                before,
                record: &self.records[history.record as usize],
                screen: &self.screens[history.screen as usize],
                times: history.times,
            }
        };
        self.in_order().into_iter().map(link)
    }

    /// Returns the numbers of all histories, each followed by its continuations in the order of their action records
    /// and then of their screens; with each the place in this row of the one before it.
    fn in_order(&self) -> Vec<(usize, Option<usize>)> {
        let ranks = |numbers: &mut dyn Iterator<Item = &u32>, count: usize| {
            let mut ranks = vec![0; count];
            (0_u32..).zip(numbers).for_each(|(rank, &number)| ranks[number as usize] = rank);
            ranks
        };
        let records = ranks(&mut self.record_numbers.values(), self.records.len());
        let screens = ranks(&mut self.screen_numbers.values(), self.screens.len());
        // Continuations of each history, the last first, as they are taken from the end of a list.
        let mut following: BTreeMap<Option<u32>, Vec<(u32, u32, u32)>> = BTreeMap::new();
        for (&(before, record, screen), &number) in &self.numbers {
            let rank = (records[record as usize], screens[screen as usize], number);
            following.entry(before).or_default().push(rank);
        }
        let mut row: Vec<(usize, Option<usize>)> = Vec::with_capacity(self.histories.len());
        let mut waiting: Vec<(u32, Option<usize>)> = Vec::new();
        let mut wait =
            |before: Option<u32>, place: Option<usize>, waiting: &mut Vec<(u32, Option<usize>)>| {
                let mut all = following.remove(&before).unwrap_or_default();
                all.sort_unstable_by(|one, other| other.cmp(one));
                waiting.extend(all.into_iter().map(|(_, _, number)| (number, place)));
            };
        wait(None, None, &mut waiting);
        while let Some((number, before)) = waiting.pop() {
            row.push((number as usize, before));
            wait(Some(number), Some(row.len() - 1), &mut waiting);
        }
        row
    }
}

/// Returns the number of widgets of `screen`, and of bytes of its texts.
pub(crate) fn size(screen: &Screen) -> (usize, usize) {
    let of_widgets = screen
        .widgets()
        .iter()
        .map(|widget| widget.class.len() + widget.id.len() + widget.text.len() + widget.desc.len());
    let bytes: usize = of_widgets.sum();
    (screen.widgets().len(), bytes + screen.package().len() + screen.activity().len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gui::{Context, Target, Widget};

    fn screen(text: &str) -> Arc<Screen> {
        let widget = Widget { text: text.into(), ..Widget::default() };
        Arc::new(Screen::new("p", "p.A", Context::default(), vec![widget]))
    }

    fn click(text: &str) -> Action {
        Action::click(Target { object_id: "0".into(), text: text.into(), ..Target::default() })
    }

    /// Returns an episode of clicks: each letter is a widget and the screen after the click on it.
    fn episode(letters: &str) -> Vec<(Action, Arc<Screen>)> {
        letters.chars().map(|letter| (click(&letter.to_string()), screen(&letter.to_string()))).collect()
    }

    fn add(experience: &mut Experience, letters: &str) {
        experience.add(episode(letters).iter().map(|(action, screen)| (action, screen)));
    }

    fn of(episodes: &[&str]) -> Experience {
        let mut experience = Experience::new();
        episodes.iter().for_each(|letters| add(&mut experience, letters));
        experience
    }

    /// Returns the runs by their letters, with their numbers.
    fn shown(experience: &Experience) -> Vec<(String, u32)> {
        let letters =
            |run: &Run<'_>| run.steps.iter().map(|(_, screen)| &*screen.widgets()[0].text).collect();
        experience.runs().map(|run| (letters(&run), run.times)).collect()
    }

    #[track_caller]
    fn check(episodes: &[&str], expected: &[(&str, u32)], steps: u64) {
        let experience = of(episodes);
        let expected: Vec<(String, u32)> =
            expected.iter().map(|(letters, times)| (letters.to_string(), *times)).collect();
        assert_eq!((shown(&experience), experience.steps()), (expected, steps));
    }

    #[test]
    fn episodes_that_went_alike_are_one_run() {
        check(&[], &[], 0);
        check(&[""], &[], 0);
        check(&["b", "ab", "a", "ab"], &[("a", 1), ("ab", 2), ("b", 1)], 6);
        check(&["ab"; 20], &[("ab", TIMES_MAX)], 2 * u64::from(TIMES_MAX));
    }

    #[test]
    fn the_same_action_may_lead_to_several_screens() {
        let mut experience = Experience::new();
        for seen in ["x", "y"] {
            experience.add([(&click("a"), &screen(seen))]);
        }
        assert_eq!(experience.runs().count(), 2);
        assert_eq!(experience.links().count(), 2);
    }

    #[test]
    fn a_screen_that_looks_the_same_is_kept_once() {
        let mut experience = Experience::new();
        experience.add([(&click("a"), &screen("x")), (&click("a"), &screen("x"))]);
        let run = experience.runs().next().expect("a run");
        assert!(Arc::ptr_eq(run.steps[0].1, run.steps[1].1));
    }

    #[test]
    fn what_is_beyond_the_bounds_is_left_out_and_what_is_known_stays() {
        let mut experience = of(&["ab"]);
        let wide = Screen::new("p", "p.A", Context::default(), vec![Widget::default(); WIDGETS_MAX / 10]);
        // There is room for nine of them.
        for number in 0..10 {
            let more = Widget { text: number.to_string().into(), ..Widget::default() };
            let widgets = wide.widgets()[1..].iter().cloned().chain([more]).collect();
            let wide = Arc::new(Screen::new("p", "p.A", Context::default(), widgets));
            assert!(!experience.is_full(), "{number}");
            experience.add([(&click("a"), &screen("a")), (&click("w"), &wide)]);
        }
        assert!(experience.is_full());
        let known = experience.links().count();
        add(&mut experience, "ac");
        add(&mut experience, "ab");
        assert_eq!(experience.links().count(), known);
        assert!(shown(&experience).contains(&("ab".to_string(), 2)));
    }

    #[test]
    fn a_long_text_is_too_much() {
        let mut experience = Experience::new();
        experience.add([(&click("a"), &screen(&"x".repeat(BYTES_MAX + 1)))]);
        assert!(experience.is_empty() && experience.is_full());
    }

    #[test]
    fn long_and_many_episodes_take_no_recursion_and_end_somewhere() {
        let (action, screen) = (click("a"), screen("a"));
        let mut experience = Experience::new();
        experience.add(std::iter::repeat_n((&action, &screen), HISTORIES_MAX + 5));
        assert!(experience.is_full());
        assert_eq!((experience.runs().count(), experience.steps()), (1, HISTORIES_MAX as u64));
        let mut merged = of(&["b"]);
        merged.merge(&experience);
        assert_eq!(merged.links().count(), HISTORIES_MAX);
        assert!(merged.is_full() && merged.steps() <= STEPS_MAX);
        let mut often = Experience::new();
        for _ in 0..8 {
            often.add(std::iter::repeat_n((&action, &screen), STEPS_MAX as usize / 5));
        }
        assert!(often.is_full());
        assert_eq!(often.runs().next().expect("a run").times, 5);
    }

    proptest! {
        #[test]
        fn what_is_merged_is_as_if_it_had_been_taken_in(
            first in prop::collection::vec("[abc]{0,5}", 0..8),
            second in prop::collection::vec("[abc]{0,5}", 0..8),
        ) {
            let list = |all: &[String]| of(&all.iter().map(String::as_str).collect::<Vec<_>>());
            let (one, other) = (list(&first), list(&second));
            let all = list(&[first, second].concat());
            for (mut into, from) in [(one.clone(), &other), (other.clone(), &one)] {
                into.merge(from);
                prop_assert_eq!(shown(&into), shown(&all));
                prop_assert_eq!(into.steps(), all.steps());
                prop_assert_eq!(into.links().count(), all.links().count());
            }
        }
    }
}
