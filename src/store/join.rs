//! Joins the runs of several machines: their events become those of one run.
//!
//! The specs of shards come in the order in which one machine had checked them, and those of other runs one run after the
//! other. Screens that look alike get one number.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::runs::ScreenNumbers;
use crate::event::{AppMap, Coverage, Event, FORMAT, RunBegan, Shard, SpecBegan, SpecEnded};
use crate::gui::{Picture, Screen};
use crate::sorted;

/// Most missing shards that are listed: a file may speak of any number.
const MISSING_MAX: usize = 20;

/// Runs as one run.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    /// Events, without the last.
    pub events: Vec<Event>,
    /// Exit code of each run that counts; none if it was cut short.
    pub exits: Vec<Option<u8>>,
    /// Runs by their places that do not count, as another one is of the same shard.
    pub left_out: Vec<(usize, Shard)>,
    /// Shards that no run is of, as far as they are listed.
    pub missing: Vec<Shard>,
    /// True if there was more than one coverage, of which no sum can be made.
    pub lacks_coverage: bool,
}

/// Run, as its events tell it.
#[derive(Default)]
struct Told {
    began: RunBegan,
    screens: Vec<Arc<Screen>>,
    pictures: BTreeMap<usize, Arc<Picture>>,
    specs: Vec<ToldSpec>,
    coverage: Option<Box<Coverage>>,
    map: Option<Box<AppMap>>,
    exit: Option<u8>,
}

/// Spec, as events tell of it.
#[derive(Default)]
struct ToldSpec {
    began: SpecBegan,
    episodes: Vec<Event>,
    ended: Option<Box<SpecEnded>>,
    was: Option<String>,
}

/// Joins `runs`, each as its events: in the order of [`Event`]s, as [`read`](super::read()) checks it.
pub fn join(runs: Vec<Vec<Event>>) -> Joined {
    let told: Vec<Told> = runs.into_iter().map(tell).collect();
    let mut joined = Joined::default();
    let chosen = chosen(&told, &mut joined);
    let mut told: Vec<Told> =
        told.into_iter().enumerate().filter(|(at, _)| chosen.contains(at)).map(|(_, run)| run).collect();
    let known: BTreeSet<Shard> = told.iter().filter_map(|run| run.began.shard).collect();
    let all = known.iter().map(|shard| shard.of).collect::<BTreeSet<usize>>();
    let all = all.into_iter().flat_map(|of| (1..=of).map(move |part| Shard { part, of }));
    joined.missing = all.filter(|shard| !known.contains(shard)).take(MISSING_MAX).collect();
    joined.exits = told.iter().map(|run| run.exit).collect();
    joined.lacks_coverage = told.iter().filter(|run| run.coverage.is_some()).count() > 1;
    joined.events.push(Event::RunBegan(began(&told)));
    let mut numbers = ScreenNumbers::new();
    let mut pictured = BTreeSet::new();
    for (spec, (run, at)) in in_order(&told).into_iter().enumerate() {
        let own = std::mem::take(&mut told[run].specs[at]);
        let Told { screens, pictures, .. } = &told[run];
        let events = &mut joined.events;
        events.push(Event::SpecBegan(SpecBegan { spec, ..own.began }));
        for event in own.episodes {
            if let Event::EpisodeEnded { spec: _, episode, steps, closest } = event {
                events.push(Event::EpisodeEnded { spec, episode, steps, closest });
            }
        }
        if let Some(mut ended) = own.ended {
            ended.spec = spec;
            let of_run = ended.run.iter_mut().map(|step| &mut step.screen);
            let of_map = ended.map.iter_mut().flat_map(|way| [&mut way.from, &mut way.to]);
            for screen in of_run.chain(of_map) {
                let (number, met) = numbers.number(&screens[*screen]);
                events.extend(met);
                if let Some(picture) = pictures.get(screen)
                    && pictured.insert(number)
                {
                    events.push(Event::ScreenPictured { screen: number, picture: picture.clone() });
                }
                *screen = number;
            }
            events.push(Event::SpecEnded(ended));
        }
        events.extend(own.was.map(|was| Event::SpecChanged { spec, was }));
    }
    if let Some(run) = told.iter_mut().find(|run| run.coverage.is_some() && !joined.lacks_coverage) {
        joined.events.extend(run.coverage.take().map(Event::Explored));
        if let Some(mut map) = run.map.take() {
            let of_kinds = map.kinds.iter_mut().map(|kind| &mut kind.screen);
            let states = map.abstracted.iter_mut().flat_map(|abstracted| &mut abstracted.states);
            for screen in of_kinds.chain(states.map(|state| &mut state.screen)).flatten() {
                let (number, met) = numbers.number(&run.screens[*screen]);
                joined.events.extend(met);
                *screen = number;
            }
            joined.events.push(Event::Mapped(map));
        }
    }
    joined
}

/// Returns what `events` tell.
fn tell(events: Vec<Event>) -> Told {
    let mut told = Told::default();
    for event in events {
        match event {
            Event::RunBegan(began) => told.began = began,
            Event::ScreenMet { screen: _, seen } => told.screens.push(seen),
            Event::ScreenPictured { screen, picture } => {
                told.pictures.insert(screen, picture);
            }
            Event::SpecBegan(began) => told.specs.push(ToldSpec { began, ..ToldSpec::default() }),
            Event::EpisodeEnded { spec, .. } => told.specs[spec].episodes.push(event),
            Event::SpecEnded(ended) => {
                let spec = ended.spec;
                told.specs[spec].ended = Some(ended);
            }
            Event::Explored(coverage) => told.coverage = Some(coverage),
            Event::Mapped(map) => told.map = Some(map),
            Event::SpecChanged { spec, was } => told.specs[spec].was = Some(was),
            Event::RunEnded { exit } => told.exit = Some(exit),
        }
    }
    told
}

/// Returns the places of the runs that count: of those of one shard the one with the most results, and of several such the
/// last.
fn chosen(told: &[Told], joined: &mut Joined) -> BTreeSet<usize> {
    let results = |at: usize| told[at].specs.iter().filter(|spec| spec.ended.is_some()).count();
    let mut chosen = BTreeSet::new();
    let mut of_shards: BTreeMap<Shard, usize> = BTreeMap::new();
    for (at, run) in told.iter().enumerate() {
        let Some(shard) = run.began.shard else {
            chosen.insert(at);
            continue;
        };
        let other = of_shards.insert(shard, at);
        if let Some(other) = other {
            let (best, worse) = if results(other) > results(at) { (other, at) } else { (at, other) };
            of_shards.insert(shard, best);
            joined.left_out.push((worse, shard));
        }
    }
    chosen.extend(of_shards.into_values());
    chosen
}

/// Returns the beginning of the joined run. It belongs to a shard only if a part of a larger run was joined alone.
fn began(told: &[Told]) -> RunBegan {
    let all = |of: fn(&RunBegan) -> &str, between: &str| {
        let mut words: Vec<&str> = Vec::new();
        for run in told {
            let word = of(&run.began);
            if !word.is_empty() && !words.contains(&word) {
                words.push(word);
            }
        }
        words.join(between)
    };
    let shards: BTreeSet<Option<Shard>> = told.iter().map(|run| run.began.shard).collect();
    let only = shards.into_iter().next().flatten().filter(|_| told.len() == 1);
    RunBegan {
        format: FORMAT,
        farlead: all(|began| &began.farlead, ", "),
        command: all(|began| &began.command, ", "),
        device: all(|began| &began.device, "; "),
        package: all(|began| &began.package, ", "),
        version: all(|began| &began.version, ", "),
        seed: told.first().map_or(0, |run| run.began.seed),
        shard: only,
    }
}

/// Returns the run and the place in it of each spec, in the order of the joined run.
fn in_order(told: &[Told]) -> Vec<(usize, usize)> {
    let mut firsts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut places = Vec::new();
    for (run, one) in told.iter().enumerate() {
        for at in 0..one.specs.len() {
            let (group, place) = match one.began.shard {
                // One machine gives every n-th spec to this shard.
                Some(Shard { part, of }) => {
                    let place = at.saturating_mul(of).saturating_add(part);
                    (*firsts.entry(of).or_insert(run), place)
                }
                None => (run, at),
            };
            places.push((group, place, run, at));
        }
    }
    sorted::by_key(&mut places, |&place| place);
    places.into_iter().map(|(_, _, run, at)| (run, at)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::order::Order;
    use super::*;
    use crate::event::{Outcome, Way};
    use crate::gui::{Context, Widget};

    fn screen(text: &str) -> Arc<Screen> {
        let widget = Widget { text: text.into(), ..Widget::default() };
        Arc::new(Screen::new("org.notes", "org.notes.Main", Context::default(), vec![widget]))
    }

    /// Returns a run with these specs, each with one screen on its map; the last one has no result in a run cut short.
    fn run(shard: Option<&str>, specs: &[&str], exit: Option<u8>) -> Vec<Event> {
        let shard = shard.map(|text| Shard::parse(text).expect("a shard"));
        let mut events =
            vec![Event::RunBegan(RunBegan { format: FORMAT, seed: 1, shard, ..RunBegan::default() })];
        for (at, name) in specs.iter().enumerate() {
            let began = SpecBegan { spec: at, name: name.to_string(), ..SpecBegan::default() };
            events.push(Event::ScreenMet { screen: at, seen: screen(name) });
            events.push(Event::SpecBegan(began));
            if exit.is_some() || at + 1 < specs.len() {
                let map = vec![Way { from: at, to: at, ..Way::default() }];
                let ended = SpecEnded { spec: at, map, ..SpecEnded::new(Outcome::Passed, "", 0) };
                events.push(Event::SpecEnded(Box::new(ended)));
            }
        }
        events.extend(exit.map(|exit| Event::RunEnded { exit }));
        events
    }

    fn names(joined: &Joined) -> Vec<&str> {
        let specs = joined.events.iter().filter_map(|event| match event {
            Event::SpecBegan(began) => Some(&*began.name),
            _ => None,
        });
        specs.collect()
    }

    #[test]
    fn specs_of_shards_come_in_the_order_of_one_machine_and_keep_their_screens() {
        let joined =
            join(vec![run(Some("2/2"), &["b", "d"], Some(0)), run(Some("1/2"), &["a", "c", "a"], Some(1))]);
        assert_eq!(names(&joined), ["a", "b", "c", "d", "a"]);
        assert_eq!(joined.exits, [Some(0), Some(1)]);
        assert!(joined.missing.is_empty() && joined.left_out.is_empty());
        let mut order = Order::default();
        joined.events.iter().for_each(|event| order.admit(event, 0).expect("events in their order"));
        let Told { screens, specs, .. } = tell(joined.events);
        assert_eq!(screens.len(), 4, "the screen of `a` is one");
        for spec in specs {
            let shown = &screens[spec.ended.expect("a result").map[0].from];
            assert_eq!(*shown.widgets()[0].text, *spec.began.name);
        }
    }

    #[test]
    fn a_missing_shard_is_named_and_of_two_runs_of_one_the_fuller_counts() {
        let cut_short = run(Some("1/3"), &["a", "d"], None);
        let joined =
            join(vec![run(Some("1/3"), &["a", "d"], Some(0)), cut_short, run(Some("3/3"), &["c"], Some(0))]);
        assert_eq!(names(&joined), ["a", "c", "d"]);
        let shard = |text| Shard::parse(text).expect("a shard");
        assert_eq!(joined.left_out, [(1, shard("1/3"))]);
        assert_eq!(joined.missing, [shard("2/3")]);
        let many = join(vec![run(Some(&format!("1/{}", usize::MAX)), &["a", "b"], Some(0))]);
        assert_eq!(many.missing.len(), MISSING_MAX);
    }

    #[test]
    fn runs_that_are_no_shards_follow_each_other() {
        let joined = join(vec![run(None, &["a", "b"], Some(0)), run(None, &["a"], None)]);
        assert_eq!(names(&joined), ["a", "b", "a"]);
        assert_eq!(joined.exits, [Some(0), None]);
    }
}
