//! Difference of two learned models, of two versions of an app: what is lost, what is new, what leads elsewhere.
//!
//! A run sees a part of an app, so what one run has seen and the other has not is a difference of the runs, as long as the
//! other may have missed it. Screens that are built alike are one *page*, as on the map. Pages of the two models are matched
//! if they are built alike, then by their activity and the share of actions that they have in common.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::map::Names;
use super::{LearnedModel, State};
use crate::gui::Identity;
use crate::sorted;

/// Least share of common actions of two pages that may be the same, in thousandths.
const ALIKE_MIN: u32 = 500;

/// Most comparisons of actions for the shares; pages beyond are matched if they are built alike.
const WORK_MAX: usize = 100_000_000;

/// Most pairs of pages for the shares, for the same reason.
const PAIRS_MAX: usize = 1_000_000;

/// Most pages like a page that are asked about an action.
const ALIKE_MAX: usize = 100;

/// Fewest screens of a page, in each run, that tell the app's own words from contents.
const SCREENS_MIN: usize = 3;

/// Most pairs of pages that the outcomes of an action are compared in; beyond, nothing is said of it.
const OUTCOMES_MAX: usize = 10_000;

/// Most texts that were typed, by which contents are told from the app's own words, and the fewest letters of one.
const TYPED_MAX: usize = 64;
const TYPED_CHARS_MIN: usize = 2;

/// Most names that an item or a list of what was missed holds.
const NAMES_MAX: usize = 20;

/// Difference of two models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ModelDiff {
    /// Package of the app.
    pub package: Arc<str>,
    /// The earlier version.
    pub old: Side,
    /// The later version.
    pub new: Side,
    /// Things of the old model that are gone.
    pub lost: Vec<Difference>,
    /// Actions that lead elsewhere.
    pub changed: Vec<Difference>,
    /// Things of the new model that were not there.
    pub gained: Vec<Difference>,
    /// Pages that were matched by likeness.
    pub alike: Vec<Alike>,
}

/// One of the two models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Side {
    /// Version of the app, as its makers call it.
    pub version: Arc<str>,
    /// Steps of the run.
    pub steps: u64,
    /// Number of pages.
    pub screens: usize,
    /// Things that the run of this model came to and that of the other may have missed.
    pub only: Missed,
}

/// Things that only one run came to, and that are no difference for all that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Missed {
    /// Number of pages that the other run did not reach.
    pub screens: usize,
    /// The first of these.
    pub names: Vec<String>,
    /// Number of actions of pages that both runs saw, and that the other did not try.
    pub actions: usize,
    /// The first of these.
    pub examples: Vec<String>,
}

/// Thing that was lost, gained or changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Difference {
    /// Activity that only one version declares.
    Activity {
        /// Its name, in full.
        activity: String,
    },
    /// Page.
    Screen {
        /// Its name.
        screen: String,
        /// Its activity, in full.
        activity: String,
        /// Ways that lead there.
        by: Vec<String>,
    },
    /// Widget, or actions of it.
    Widget {
        /// The widget, as actions print it.
        widget: String,
        /// Types of the actions.
        actions: Vec<String>,
        /// Activity, in full.
        activity: String,
        /// The first of the pages.
        screen: String,
        /// Number of pages.
        screens: usize,
    },
    /// Action that leads elsewhere.
    Way {
        /// The action, as it is printed.
        action: String,
        /// Activity, in full.
        activity: String,
        /// The first of the pages that offer it, by its old name.
        screen: String,
        /// Number of pages that offer it.
        screens: usize,
        /// Pages that it led to.
        old: Vec<String>,
        /// Pages that it leads to.
        new: Vec<String>,
    },
}

/// Pages that were matched by likeness.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Alike {
    /// Name of the old one.
    pub old: String,
    /// Name of the new one.
    pub new: String,
    /// Share of common actions, in percent.
    pub percent: u32,
}

impl ModelDiff {
    /// Returns the difference of two models, of the same app.
    pub fn new(old: &LearnedModel, new: &LearnedModel) -> ModelDiff {
        let mut words = Words::new([old, new]);
        let [old_pages, new_pages] = [old, new].map(|model| Pages::new(model, &mut words));
        let matching = Matching::new(&old_pages, &new_pages);
        let elsewhere = matching.elsewhere(&words, (&old_pages, &new_pages));
        let mirrored = matching.mirrored(new_pages.list.len());
        let partner = |(page, label): &(usize, Arc<str>)| Some((matching.partners[*page]?, label.clone()));
        let elsewhere_back = sorted::set(elsewhere.iter().filter_map(partner));
        let forth = Half::new(&words, (&old_pages, &new_pages), &matching, &elsewhere);
        let back = Half::new(&words, (&new_pages, &old_pages), &mirrored, &elsewhere_back);
        let side = |model: &LearnedModel, pages: &Pages, half: &Half| Side {
            version: model.app.version.clone(),
            steps: model.steps,
            screens: pages.list.len(),
            only: half.missed.clone(),
        };
        let mut alike: Vec<Alike> = matching
            .pairs()
            .map(|(one, two)| (&old_pages.list[one], &new_pages.list[two]))
            .filter(|(one, two)| one.kind != two.kind)
            .map(|(one, two)| Alike {
                old: one.name.clone(),
                new: two.name.clone(),
                percent: share(&one.usual, &two.usual) / 10,
            })
            .collect();
        sorted::by(&mut alike, Ord::cmp);
        ModelDiff {
            package: old.app.package.clone(),
            old: side(old, &old_pages, &forth),
            new: side(new, &new_pages, &back),
            lost: lost(old, new, forth.lost),
            changed: changed(&old_pages, &new_pages, &matching, &elsewhere),
            gained: lost(new, old, back.lost),
            alike,
        }
    }
}

/// Returns what `one` has and `other` has not: activities, before what else was found.
fn lost(one: &LearnedModel, other: &LearnedModel, found: Vec<Difference>) -> Vec<Difference> {
    // A run on a phone may not know what the app declares.
    let is_known = !other.app.activities.is_empty();
    let declared: BTreeSet<&Arc<str>> = sorted::set(other.app.activities.iter());
    let gone: BTreeSet<&Arc<str>> =
        sorted::set(one.app.activities.iter().filter(|name| is_known && !declared.contains(name)));
    let gone = gone.into_iter().map(|name| Difference::Activity { activity: name.to_string() });
    gone.chain(found).collect()
}

/// Action of a page, without what was typed: its type and direction, and its widget.
type Word = u32;

/// Words of both models: numbers for actions as they are printed and for what they do to which widget.
#[derive(Default)]
struct Words {
    numbers: FxHashMap<Box<str>, Word>,
    list: Vec<WordInfo>,
    /// Texts that were typed.
    typed: BTreeSet<String>,
}

struct WordInfo {
    /// Type and direction.
    does: String,
    /// Widget, as it is printed; empty for the device.
    widget: String,
    /// True if it shows what was typed, and so tells nothing of the app.
    is_content: bool,
}

/// Returns the action, what it types, and its widget.
fn parts(label: &str) -> (String, Option<&str>, &str) {
    if let Some(rest) = label.strip_prefix("text ")
        && let Some((typed, widget)) = rest.split_once(" into ")
    {
        return ("text".to_string(), Some(typed), widget);
    }
    if let Some((does, widget)) = label.split_once(" on ")
        && !does.contains(['"', '#'])
    {
        return (does.to_string(), None, widget);
    }
    let (does, widget) = label.split_once(' ').unwrap_or((label, ""));
    (does.to_string(), None, widget)
}

/// Returns what an action does to which widget, without numbers: those of clocks, prices and counters change.
fn key(does: &str, widget: &str) -> String {
    let mut key = format!("{does} ");
    for char in widget.chars() {
        match char {
            '0'..='9' if key.ends_with('0') => {}
            '0'..='9' => key.push('0'),
            _ => key.push(char),
        }
    }
    key
}

impl Words {
    fn new(models: [&LearnedModel; 2]) -> Words {
        let labels = models.into_iter().flat_map(|model| model.labels.all());
        let typed = labels.filter_map(|label| parts(label).1).map(|typed| typed.trim_matches('"'));
        let mut typed: BTreeSet<String> =
            sorted::set(typed.filter(|typed| typed.chars().count() >= TYPED_CHARS_MIN).map(str::to_string));
        while typed.len() > TYPED_MAX {
            typed.pop_last();
        }
        Words { typed, ..Words::default() }
    }

    fn number(&mut self, label: &str) -> Word {
        let (does, _, widget) = parts(label);
        let key = key(&does, widget);
        if let Some(&known) = self.numbers.get(&*key) {
            return known;
        }
        let is_content = self.typed.iter().any(|typed| widget.contains(&**typed));
        let number = self.list.len() as Word;
        self.list.push(WordInfo { does, widget: widget.to_string(), is_content });
        self.numbers.insert(key.into(), number);
        number
    }

    fn known(&self, label: &str) -> Option<Word> {
        let (does, _, widget) = parts(label);
        self.numbers.get(&*key(&does, widget)).copied()
    }

    fn get(&self, word: Word) -> &WordInfo {
        &self.list[word as usize]
    }
}

/// Screens of a model that are built alike.
struct Page {
    name: String,
    /// Name of its first screen.
    first: Arc<str>,
    package: Arc<str>,
    activity: Arc<str>,
    fault: (Option<Arc<str>>, bool),
    kind: u64,
    /// Identities of its screens, in order; the first orders pages whatever their numbers are.
    identities: BTreeSet<Identity>,
    /// Actions on widgets that any of its screens offers, and those that half of them offer, in the order of their numbers.
    offered: FxHashSet<Word>,
    usual: Vec<Word>,
    /// True if texts can be typed there.
    has_fields: bool,
    /// Actions that were done, as they are printed, with the pages after them.
    done: BTreeMap<Arc<str>, BTreeSet<usize>>,
    /// Every word that was done.
    done_words: FxHashSet<Word>,
}

/// Pages of a model.
struct Pages {
    list: Vec<Page>,
    starts: BTreeMap<Arc<str>, BTreeSet<usize>>,
}

impl Pages {
    fn new(model: &LearnedModel, words: &mut Words) -> Pages {
        let (mut numbers, mut of) = (FxHashMap::default(), Vec::new());
        let mut states: Vec<Vec<usize>> = Vec::new();
        for (number, state) in model.states().iter().enumerate() {
            let next = states.len();
            let page = *numbers.entry((state.kind, fault(state))).or_insert(next);
            if page == next {
                states.push(Vec::new());
            }
            of.push(page);
            states[page].push(number);
        }
        let of_label: Vec<Word> = model.labels.all().map(|label| words.number(label)).collect();
        let mut names = Names::default();
        let mut list: Vec<Page> =
            states.iter().map(|states| page(model, states, words, &of_label, &mut names)).collect();
        for link in model.links() {
            let label = model.states()[link.from].offers[link.at].label;
            let page = &mut list[of[link.from]];
            page.done_words.insert(of_label[label as usize]);
            page.done.entry(model.labels.get(label).into()).or_default().insert(of[link.to]);
        }
        let mut starts: BTreeMap<Arc<str>, BTreeSet<usize>> = BTreeMap::new();
        for start in model.starts() {
            starts.entry(start.by).or_default().insert(of[start.to]);
        }
        Pages { list, starts }
    }
}

fn fault(state: &State) -> (Option<Arc<str>>, bool) {
    (state.crash.clone(), state.is_anr)
}

fn page(model: &LearnedModel, states: &[usize], words: &Words, of_label: &[Word], names: &mut Names) -> Page {
    let all = model.states();
    let first = &all[states[0]];
    let mut counts: FxHashMap<Word, usize> = FxHashMap::default();
    let mut has_fields = false;
    for &state in states {
        let on_state: FxHashSet<Word> =
            all[state].offers.iter().map(|offer| of_label[offer.label as usize]).collect();
        for word in on_state {
            has_fields |= words.get(word).does == "text";
            *counts.entry(word).or_default() += 1;
        }
    }
    counts.retain(|word, _| !words.get(*word).widget.is_empty() && !words.get(*word).is_content);
    let mut usual: Vec<Word> =
        counts.iter().filter(|(_, count)| **count * 2 >= states.len()).map(|(word, _)| *word).collect();
    usual.sort_unstable();
    let name = match &first.crash {
        Some(crash) if !crash.is_empty() => format!("{}: {crash}", names.unlike_others(first)),
        _ => names.unlike_others(first),
    };
    Page {
        name,
        first: first.name.clone(),
        package: first.package.clone(),
        activity: first.activity.clone(),
        fault: fault(first),
        kind: first.kind,
        identities: sorted::set(states.iter().map(|&state| all[state].identity)),
        offered: counts.into_keys().collect(),
        usual,
        has_fields,
        done: BTreeMap::new(),
        done_words: FxHashSet::default(),
    }
}

/// Returns the share of the actions of two pages that both have, in thousandths.
fn share(one: &[Word], other: &[Word]) -> u32 {
    let (mut at, mut common) = (0, 0);
    for word in one {
        while other.get(at).is_some_and(|other| other < word) {
            at += 1;
        }
        common += usize::from(other.get(at) == Some(word));
    }
    let all = one.len() + other.len() - common;
    // Pages on which nothing can be done have their activity alone.
    (common * 1_000).checked_div(all).map_or(1_000, |share| share as u32)
}

impl Page {
    /// Returns true if the two may be the same page in a run's passing states: they are of one activity, with one name.
    fn is_namesake(&self, other: &Page) -> bool {
        let of = |page: &Page| {
            (page.package.clone(), page.activity.clone(), page.first.clone(), page.fault.clone())
        };
        of(self) == of(other)
    }
}

/// Pages of two models that are taken for the same.
struct Matching {
    /// Partner of each page of the first model.
    partners: Vec<Option<usize>>,
    /// Pages of the second model that each of the first is so alike that any may stand for it.
    alike: Vec<BTreeSet<usize>>,
}

impl Matching {
    fn new(old: &Pages, new: &Pages) -> Matching {
        type Key<'a> = (&'a str, &'a str, &'a (Option<Arc<str>>, bool));
        let mut groups: BTreeMap<Key<'_>, [Vec<usize>; 2]> = BTreeMap::new();
        for (side, pages) in [old, new].into_iter().enumerate() {
            for (number, page) in pages.list.iter().enumerate() {
                let key = (&*page.package, &*page.activity, &page.fault);
                groups.entry(key).or_default()[side].push(number);
            }
        }
        let (mut work, mut pairs_left) = (WORK_MAX, PAIRS_MAX);
        let mut pairs = Vec::new();
        for [olds, news] in groups.values() {
            let size = |pages: &Pages, numbers: &[usize]| -> usize {
                numbers.iter().map(|&page| pages.list[page].usual.len() + 1).sum()
            };
            let cost = olds.len() * size(new, news) + news.len() * size(old, olds);
            let has_room = cost <= work && olds.len() * news.len() <= pairs_left;
            if has_room {
                work -= cost;
                pairs_left -= olds.len() * news.len();
            }
            let of_kind: FxHashMap<u64, usize> =
                news.iter().map(|&page| (new.list[page].kind, page)).collect();
            for &one in olds {
                let page = &old.list[one];
                let same: Vec<usize> = of_kind.get(&page.kind).copied().into_iter().collect();
                for &two in if has_room { news } else { &same } {
                    let other = &new.list[two];
                    let (is_same, share) = (page.kind == other.kind, share(&page.usual, &other.usual));
                    if is_same || share >= ALIKE_MIN {
                        let rank = Reverse((is_same, share, page.name == other.name));
                        let (first, other) = (page.identities.first(), other.identities.first());
                        let ends = (first.min(other), first.max(other));
                        pairs.push((rank, ends, one, two));
                    }
                }
            }
        }
        // The order does not depend on which model is first, so the matching is the same from either side.
        sorted::by(&mut pairs, Ord::cmp);
        let mut matching =
            Matching { partners: vec![None; old.list.len()], alike: vec![BTreeSet::new(); old.list.len()] };
        let mut taken = FxHashSet::default();
        for (.., one, two) in pairs {
            matching.alike[one].insert(two);
            if matching.partners[one].is_none() && !taken.contains(&two) {
                matching.partners[one] = Some(two);
                taken.insert(two);
            }
        }
        matching
    }

    /// Returns the matching from the other side, whose model has `count` pages.
    fn mirrored(&self, count: usize) -> Matching {
        let mut mirrored = Matching { partners: vec![None; count], alike: vec![BTreeSet::new(); count] };
        for (one, two) in self.pairs() {
            mirrored.partners[two] = Some(one);
        }
        for (one, alike) in self.alike.iter().enumerate() {
            for &two in alike {
                mirrored.alike[two].insert(one);
            }
        }
        mirrored
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.partners.iter().enumerate().filter_map(|(one, two)| Some((one, (*two)?)))
    }

    /// Returns the actions of pages of the first model that lead elsewhere in the second.
    fn elsewhere(&self, words: &Words, sides: (&Pages, &Pages)) -> BTreeSet<(usize, Arc<str>)> {
        let (old, new) = sides;
        let back = self.mirrored(new.list.len());
        let mut elsewhere = BTreeSet::new();
        for (one, two) in self.pairs() {
            let (page, other) = (&old.list[one], &new.list[two]);
            // What is typed into a form decides what its buttons do; the runs have typed different texts.
            let is_form = page.has_fields || other.has_fields;
            for (label, old_to) in &page.done {
                let Some(new_to) = other.done.get(label) else { continue };
                let stays = old_to.contains(&one) || new_to.contains(&two);
                let is_content = words.known(label).is_none_or(|word| words.get(word).is_content);
                // Where the key back leads depends on how the page was reached.
                if (is_form && stays)
                    || is_content
                    || &**label == "back"
                    || !self.are_others(sides, old_to, new_to)
                {
                    continue;
                }
                // Where the action leads on pages like these tells whether the app decides by what it keeps.
                let of = |pages: &Pages, like: &BTreeSet<usize>| -> BTreeSet<usize> {
                    let like = like.iter().take(ALIKE_MAX);
                    sorted::set(like.filter_map(|page| pages.list[*page].done.get(label)).flatten().copied())
                };
                if self.are_others(sides, &of(old, &back.alike[two]), &of(new, &self.alike[one])) {
                    elsewhere.insert((one, label.clone()));
                }
            }
        }
        elsewhere
    }

    /// Returns true if none of the pages `one` may be any of the pages `two`.
    fn are_others(&self, (old, new): (&Pages, &Pages), one: &BTreeSet<usize>, two: &BTreeSet<usize>) -> bool {
        let may_be = |one: usize, two: usize| {
            self.alike[one].contains(&two) || old.list[one].is_namesake(&new.list[two])
        };
        one.len() * two.len() <= OUTCOMES_MAX
            && !one.iter().any(|one| two.iter().any(|two| may_be(*one, *two)))
    }
}

/// What one model has and the other has not.
struct Half {
    lost: Vec<Difference>,
    missed: Missed,
}

impl Half {
    /// Compares `here` with `there`; `closed` has the actions of pages here that lead elsewhere there.
    fn new(
        words: &Words,
        (here, there): (&Pages, &Pages),
        matching: &Matching,
        closed: &BTreeSet<(usize, Arc<str>)>,
    ) -> Half {
        let gone = gone(here, there, matching);
        let is_open = |page: usize, label: &Arc<str>| {
            let is_gone = words.known(label).is_some_and(|word| gone.contains(&(page, word)));
            !is_gone && !closed.contains(&(page, label.clone()))
        };
        // Pages that the other run may have missed: a way there is left that it did not try, or that leads to several pages.
        let mut missed = vec![false; here.list.len()];
        let mut ways_to: BTreeMap<usize, Vec<(usize, &Arc<str>)>> = BTreeMap::new();
        let mut open = VecDeque::new();
        for (label, to) in &here.starts {
            let is_same = there
                .starts
                .get(label)
                .is_none_or(|there_to| !matching.are_others((here, there), to, there_to));
            open.extend(to.iter().copied().filter(|_| is_same));
        }
        for (from, page) in here.list.iter().enumerate() {
            for (label, to) in &page.done {
                let others = to.iter().filter(|to| **to != from);
                others.for_each(|to| ways_to.entry(*to).or_default().push((from, label)));
                if matching.partners[from].is_some() && is_open(from, label) {
                    open.extend(to);
                }
            }
        }
        let is_start = |page: usize| here.starts.values().any(|to| to.contains(&page));
        let without = (0..here.list.len()).filter(|page| !ways_to.contains_key(page) && !is_start(*page));
        open.extend(without);
        // The same page may have another look in passing.
        let names: FxHashSet<(&str, &str)> =
            there.list.iter().map(|page| (&*page.activity, &*page.first)).collect();
        let has_namesake = |page: &Page| names.contains(&(&*page.activity, &*page.first));
        open.extend((0..here.list.len()).filter(|page| has_namesake(&here.list[*page])));
        while let Some(page) = open.pop_front() {
            if matching.partners[page].is_none() && !std::mem::replace(&mut missed[page], true) {
                open.extend(here.list[page].done.values().flatten());
            }
        }
        let unmatched = (0..here.list.len()).filter(|page| matching.partners[*page].is_none());
        let (missed, without): (Vec<usize>, Vec<usize>) = unmatched.partition(|page| missed[*page]);
        let starts = |page: usize| {
            let leads = here.starts.iter().filter(move |(_, to)| to.contains(&page));
            leads.map(|(label, _)| label.to_string())
        };
        let mut lost: Vec<Difference> = without
            .into_iter()
            .map(|page| Difference::Screen {
                screen: here.list[page].name.clone(),
                activity: here.list[page].activity.to_string(),
                by: starts(page)
                    .chain(
                        ways_to
                            .get(&page)
                            .into_iter()
                            .flatten()
                            .map(|(from, label)| on(label, &here.list[*from])),
                    )
                    .take(NAMES_MAX)
                    .collect(),
            })
            .collect();
        lost.extend(widgets(words, here, &gone));
        sorted::by(&mut lost, Ord::cmp);
        Half { lost, missed: self::missed(words, (here, there), matching, &missed) }
    }
}

fn on(label: &str, page: &Page) -> String {
    format!("{label} on {}", page.name)
}

/// Returns the actions that pages, and most pages like these, usually offer here, and that none offers there.
fn gone(here: &Pages, there: &Pages, matching: &Matching) -> BTreeSet<(usize, Word)> {
    let back = matching.mirrored(there.list.len());
    let mut gone = BTreeSet::new();
    for (one, two) in matching.pairs() {
        let (page, other) = (&here.list[one], &there.list[two]);
        let [screens, other_screens] = [page, other].map(|page| page.identities.len());
        // Where the same widgets say something else, few screens do not tell the app's own words from contents; and
        // where some of the screens are the very same, the others differ in contents.
        let may_be_contents = page.kind == other.kind && screens.min(other_screens) < SCREENS_MIN;
        if may_be_contents || !page.identities.is_disjoint(&other.identities) {
            continue;
        }
        // An action that few pages of this look offer comes and goes.
        let like: Vec<&Page> = back.alike[two].iter().take(ALIKE_MAX).map(|page| &here.list[*page]).collect();
        let is_usual = |word: &&Word| {
            let count = like.iter().filter(|page| page.offered.contains(word)).count();
            count * 2 >= like.len()
        };
        let is_nowhere = |word: &&Word| {
            let mut alike = matching.alike[one].iter().take(ALIKE_MAX);
            !alike.any(|other| there.list[*other].offered.contains(word))
        };
        let missing = page.usual.iter().filter(|word| !other.offered.contains(word));
        gone.extend(missing.filter(is_usual).filter(is_nowhere).map(|word| (one, *word)));
    }
    gone
}

/// Returns actions of pages by their widgets.
fn widgets(words: &Words, here: &Pages, gone: &BTreeSet<(usize, Word)>) -> Vec<Difference> {
    #[derive(Default)]
    struct Gone<'a> {
        actions: BTreeSet<&'a str>,
        pages: BTreeSet<usize>,
    }
    let mut by_widget: BTreeMap<(&str, &str), Gone<'_>> = BTreeMap::new();
    for (page, word) in gone {
        let WordInfo { does, widget, .. } = words.get(*word);
        let gone = by_widget.entry((&here.list[*page].activity, widget)).or_default();
        gone.actions.insert(does);
        gone.pages.insert(*page);
    }
    let difference = |((activity, widget), gone): ((&str, &str), Gone<'_>)| Difference::Widget {
        widget: widget.to_string(),
        actions: gone.actions.into_iter().map(str::to_string).collect(),
        activity: activity.to_string(),
        screen: gone.pages.first().map_or(String::new(), |page| here.list[*page].name.clone()),
        screens: gone.pages.len(),
    };
    by_widget.into_iter().map(difference).collect()
}

fn missed(words: &Words, (here, there): (&Pages, &Pages), matching: &Matching, pages: &[usize]) -> Missed {
    let mut untried = BTreeSet::new();
    for (one, two) in matching.pairs() {
        let (page, other) = (&here.list[one], &there.list[two]);
        let not_done = page.done_words.iter().filter(|word| !other.done_words.contains(word));
        untried.extend(not_done.filter(|word| other.offered.contains(word)).map(|word| (one, *word)));
    }
    let example = |(page, word): &(usize, Word)| {
        let WordInfo { does, widget, .. } = words.get(*word);
        on(&format!("{does} {widget}"), &here.list[*page])
    };
    let mut examples: Vec<String> = untried.iter().map(example).collect();
    // Words have their numbers from whichever model was read first.
    examples.sort();
    examples.truncate(NAMES_MAX);
    Missed {
        screens: pages.len(),
        names: pages.iter().take(NAMES_MAX).map(|page| here.list[*page].name.clone()).collect(),
        actions: untried.len(),
        examples,
    }
}

/// Returns the actions that lead elsewhere, those of an activity that are printed alike as one.
fn changed(
    old: &Pages,
    new: &Pages,
    matching: &Matching,
    all: &BTreeSet<(usize, Arc<str>)>,
) -> Vec<Difference> {
    #[derive(Default)]
    struct Outcomes<'a> {
        pages: BTreeSet<usize>,
        old: BTreeSet<&'a str>,
        new: BTreeSet<&'a str>,
    }
    let mut by_action: BTreeMap<(&str, &str), Outcomes<'_>> = BTreeMap::new();
    for (page, label) in all {
        let Some(other) = matching.partners[*page] else { continue };
        let outcomes = by_action.entry((label, &old.list[*page].activity)).or_default();
        let names = |pages, page: usize| -> BTreeSet<&str> {
            let pages: &Pages = pages;
            let to = pages.list[page].done.get(label);
            to.into_iter().flatten().map(|to| &*pages.list[*to].name).collect()
        };
        outcomes.pages.insert(*page);
        outcomes.old.extend(names(old, *page));
        outcomes.new.extend(names(new, other));
    }
    let texts = |names: BTreeSet<&str>| names.into_iter().take(NAMES_MAX).map(str::to_string).collect();
    let difference = |((action, activity), outcomes): ((&str, &str), Outcomes<'_>)| Difference::Way {
        action: action.to_string(),
        activity: activity.to_string(),
        screen: outcomes.pages.first().map_or(String::new(), |page| old.list[*page].name.clone()),
        screens: outcomes.pages.len(),
        old: texts(outcomes.old),
        new: texts(outcomes.new),
    };
    by_action.into_iter().map(difference).collect()
}
