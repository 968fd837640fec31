//! The run that events tell of: the source of every report.
//!
//! Events are checked as they come, so that a report may follow every number in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::event::{AppMap, Coverage, Event, FORMAT, Outcome, RunBegan, SpecBegan, SpecEnded, StateMap};
use crate::gui::{Picture, Screen};

/// Points of a curve, which is read at a glance; more are thinned out.
const POINTS_MAX: usize = 2_000;

/// Widgets of all screens together, some 100 MB; later screens are kept without widgets.
const WIDGETS_MAX: usize = 1_000_000;

/// A run of a command, built from its events.
///
/// ```
/// use farlead::event::{Event, FORMAT, RunBegan, SpecBegan};
/// use farlead::report::{Run, github};
///
/// let mut run = Run::new();
/// run.take(Event::RunBegan(RunBegan { format: FORMAT, ..RunBegan::default() }))?;
/// run.take(Event::SpecBegan(SpecBegan {
///     file: "notes.ltl".to_string(),
///     line: 3,
///     name: "saves".to_string(),
///     expectation: "possible".to_string(),
///     ..SpecBegan::default()
/// }))?;
/// run.take(Event::RunEnded { exit: 130 })?;
/// assert!(github(&run).starts_with("::error file=notes.ltl,line=3,title=possible \"saves\"%3A cut short::"));
/// # Ok::<(), farlead::report::EventError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Run {
    began: Option<RunBegan>,
    screens: Vec<Arc<Screen>>,
    /// Pictures of screens, by their numbers.
    pictures: BTreeMap<usize, Arc<Picture>>,
    /// Widgets of all screens.
    widgets: usize,
    specs: Vec<SpecReport>,
    coverage: Option<Coverage>,
    map: Option<AppMap>,
    exit: Option<u8>,
}

/// A spec and its result.
#[derive(Clone, Debug, Default)]
pub struct SpecReport {
    /// The spec, its formula and its budget.
    pub began: SpecBegan,
    /// Progress of the search.
    pub curve: Curve,
    /// Result; none if the run was cut short.
    pub ended: Option<SpecEnded>,
    /// Outcome in the run before, as machines read it, if it was another.
    pub was: Option<String>,
}

/// Progress of a search by episodes, evenly thinned out if there are many.
#[derive(Clone, Debug)]
pub struct Curve {
    points: Vec<Point>,
    last: Option<Point>,
    /// Distance between two kept episodes.
    stride: u32,
}

/// Progress of a search at the end of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Number of the episode, from 1.
    pub episode: u32,
    /// Steps on the device so far.
    pub steps: u64,
    /// Fewest steps left to the goal so far.
    pub closest: Option<u32>,
}

/// Class of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Result as the spec expects, and no fault besides.
    Passed,
    /// Result against the spec, or no result.
    Failed,
    /// Results that differ from run to run.
    Flaky,
    /// Fault of the device, the app or a file, so that nothing is known.
    Error,
    /// End of the run before there was a result.
    CutShort,
}

/// An event that cannot follow the events before it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// The first event is not `run_began`.
    #[error(
        "the first event is `{event}`, and events start with `run_began`; is the start of the file missing?"
    )]
    NotBegun {
        /// The first event.
        event: &'static str,
    },
    /// There are two first events, or an event after the last.
    #[error("`{event}` stands where none can: {why}; are there events of two runs?")]
    Misplaced {
        /// Name of the event.
        event: &'static str,
        /// Reason.
        why: &'static str,
    },
    /// The format is newer than this program.
    #[error(
        "the events have the format {format}, and this farlead reads {FORMAT} at most; a later one reads them"
    )]
    Format {
        /// Number of the format.
        format: u32,
    },
    /// Numbers skip or repeat one.
    #[error("{what} {found} comes where {expected} is next; is a line of the file missing?")]
    Number {
        /// Kind of the numbered item.
        what: &'static str,
        /// Its number.
        found: usize,
        /// The number that is next.
        expected: usize,
    },
    /// The event is about an item that no event announced.
    #[error("`{event}` speaks of {what} {number}, which was never announced; is a line of the file missing?")]
    Unknown {
        /// Name of the event.
        event: &'static str,
        /// Kind of the item.
        what: &'static str,
        /// Its number.
        number: usize,
    },
}

impl Run {
    /// Returns a run without events.
    pub fn new() -> Run {
        Run::default()
    }

    /// Adds the next event.
    ///
    /// An event that cannot follow the events before it leaves the run as it was.
    pub fn take(&mut self, event: Event) -> Result<(), EventError> {
        let name = name(&event);
        // Reports name the app, the device and the seed of the first event.
        if self.began.is_none() && name != "run_began" {
            return Err(EventError::NotBegun { event: name });
        }
        if self.exit.is_some() {
            return Err(EventError::Misplaced { event: name, why: "the run has ended" });
        }
        match event {
            Event::RunBegan(began) => self.begin(began),
            Event::ScreenMet { screen, seen } => self.meet(screen, seen),
            Event::ScreenPictured { screen, picture } => {
                are_known(name, "screen", [screen].into_iter(), self.screens.len())?;
                self.pictures.insert(screen, picture);
                Ok(())
            }
            Event::SpecBegan(began) => self.begin_spec(began),
            Event::EpisodeEnded { spec, episode, steps, closest } => {
                self.open_spec(name, spec)?.curve.add(Point { episode, steps, closest });
                Ok(())
            }
            Event::SpecEnded(ended) => self.end_spec(*ended),
            Event::Explored(coverage) => {
                self.coverage = Some(*coverage);
                Ok(())
            }
            Event::Mapped(map) => self.take_map(name, *map),
            Event::SpecChanged { spec, was } => match self.specs.get_mut(spec) {
                Some(spec) => {
                    spec.was = Some(was);
                    Ok(())
                }
                None => Err(EventError::Unknown { event: name, what: "spec", number: spec }),
            },
            Event::RunEnded { exit } => {
                self.exit = Some(exit);
                Ok(())
            }
        }
    }

    /// Returns the command, the app and the device; none before the first event.
    pub fn began(&self) -> Option<&RunBegan> {
        self.began.as_ref()
    }

    /// Returns the screens, by their numbers.
    pub fn screens(&self) -> &[Arc<Screen>] {
        &self.screens
    }

    /// Returns the pictures of screens, by the numbers of these.
    pub fn pictures(&self) -> &BTreeMap<usize, Arc<Picture>> {
        &self.pictures
    }

    /// Returns the specs, by their numbers.
    pub fn specs(&self) -> &[SpecReport] {
        &self.specs
    }

    /// Returns what exploring has seen, if the app was explored.
    pub fn coverage(&self) -> Option<&Coverage> {
        self.coverage.as_ref()
    }

    /// Returns the map of the app, if it was explored.
    pub fn map(&self) -> Option<&AppMap> {
        self.map.as_ref()
    }

    /// Returns the exit code; none if the run was cut short.
    pub fn exit(&self) -> Option<u8> {
        self.exit
    }

    /// Returns the numbers of the specs of each file, files in the order of their first specs.
    pub(super) fn files(&self) -> Vec<(&str, Vec<usize>)> {
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut files: Vec<(&str, Vec<usize>)> = Vec::new();
        for (number, spec) in self.specs.iter().enumerate() {
            let place = *places.entry(&spec.began.file).or_insert(files.len());
            if place == files.len() {
                files.push((&spec.began.file, Vec::new()));
            }
            files[place].1.push(number);
        }
        files
    }

    fn begin(&mut self, began: RunBegan) -> Result<(), EventError> {
        if self.began.is_some() {
            return Err(EventError::Misplaced { event: "run_began", why: "the run has begun" });
        }
        if began.format > FORMAT {
            return Err(EventError::Format { format: began.format });
        }
        self.began = Some(began);
        Ok(())
    }

    fn take_map(&mut self, event: &'static str, map: AppMap) -> Result<(), EventError> {
        are_known(event, "screen", map.kinds.iter().filter_map(|kind| kind.screen), self.screens.len())?;
        let of_paths = map.kinds.iter().flat_map(|kind| &kind.path).filter_map(|step| step.to);
        let of_ways = map.ways.iter().flat_map(|way| [way.from, way.to]);
        are_known(event, "kind", of_paths.chain(of_ways), map.kinds.len())?;
        if let Some(abstracted) = &map.abstracted {
            let StateMap { states, edges, .. } = &**abstracted;
            are_known(event, "screen", states.iter().filter_map(|state| state.screen), self.screens.len())?;
            let of_paths = states.iter().flat_map(|state| &state.path).filter_map(|step| step.to);
            let of_edges = edges.iter().flat_map(|edge| [edge.from, edge.to]);
            are_known(event, "state", of_paths.chain(of_edges), states.len())?;
        }
        self.map = Some(map);
        Ok(())
    }

    fn meet(&mut self, number: usize, seen: Arc<Screen>) -> Result<(), EventError> {
        is_next("screen", number, self.screens.len())?;
        let widgets = self.widgets + seen.widgets().len();
        if widgets <= WIDGETS_MAX {
            self.widgets = widgets;
            self.screens.push(seen);
        } else {
            // Reports still need the number of the screen, and its name.
            self.screens.push(Arc::new(seen.with_widgets(Vec::new())));
        }
        Ok(())
    }

    fn begin_spec(&mut self, began: SpecBegan) -> Result<(), EventError> {
        is_next("spec", began.spec, self.specs.len())?;
        // Events may come from a file: reports index with these numbers.
        if let Some(automaton) = &began.automaton {
            let ends = automaton.ways.iter().flat_map(|way| [way.from, way.to]);
            are_known("spec_began", "residual", ends, automaton.residuals.len())?;
        }
        self.specs.push(SpecReport { began, ..SpecReport::default() });
        Ok(())
    }

    fn end_spec(&mut self, ended: SpecEnded) -> Result<(), EventError> {
        let screens = self.screens.len();
        let spec = self.open_spec("spec_ended", ended.spec)?;
        let of_run = ended.run.iter().map(|step| step.screen);
        let of_map = ended.map.iter().flat_map(|way| [way.from, way.to]);
        are_known("spec_ended", "screen", of_run.chain(of_map), screens)?;
        spec.ended = Some(ended);
        Ok(())
    }

    /// Returns the spec of this number, which must have begun and not ended.
    fn open_spec(&mut self, event: &'static str, number: usize) -> Result<&mut SpecReport, EventError> {
        match self.specs.get_mut(number) {
            None => Err(EventError::Unknown { event, what: "spec", number }),
            Some(spec) if spec.ended.is_some() => {
                Err(EventError::Misplaced { event, why: "the spec has ended" })
            }
            Some(spec) => Ok(spec),
        }
    }
}

fn name(event: &Event) -> &'static str {
    match event {
        Event::RunBegan(_) => "run_began",
        Event::ScreenMet { .. } => "screen_met",
        Event::ScreenPictured { .. } => "screen_pictured",
        Event::SpecBegan(_) => "spec_began",
        Event::EpisodeEnded { .. } => "episode_ended",
        Event::SpecEnded(_) => "spec_ended",
        Event::Explored(_) => "explored",
        Event::Mapped(_) => "mapped",
        Event::SpecChanged { .. } => "spec_changed",
        Event::RunEnded { .. } => "run_ended",
    }
}

fn is_next(what: &'static str, found: usize, expected: usize) -> Result<(), EventError> {
    if found == expected { Ok(()) } else { Err(EventError::Number { what, found, expected }) }
}

fn are_known(
    event: &'static str,
    what: &'static str,
    mut numbers: impl Iterator<Item = usize>,
    count: usize,
) -> Result<(), EventError> {
    match numbers.find(|&number| number >= count) {
        Some(number) => Err(EventError::Unknown { event, what, number }),
        None => Ok(()),
    }
}

impl SpecReport {
    /// Returns the class of the result.
    pub fn standing(&self) -> Standing {
        // Exit codes of the command line: a file with mistakes, the environment, a bug of farlead.
        const ERRORS: [u8; 3] = [3, 4, 70];
        let Some(ended) = &self.ended else { return Standing::CutShort };
        match ended.outcome {
            Outcome::Error => Standing::Error,
            // The outcome may be known and the device lost after it, with a run that nobody could confirm.
            _ if ERRORS.contains(&ended.exit) => Standing::Error,
            Outcome::Passed if ended.exit == 0 => Standing::Passed,
            Outcome::Flaky => Standing::Flaky,
            Outcome::Passed | Outcome::Failed | Outcome::Diverged | Outcome::NotFound | Outcome::Untested => {
                Standing::Failed
            }
        }
    }
}

impl Default for Curve {
    fn default() -> Curve {
        Curve { points: Vec::new(), last: None, stride: 1 }
    }
}

impl Curve {
    /// Adds the point of the next episode.
    pub fn add(&mut self, point: Point) {
        // Kept apart, so that the curve ends where the search did.
        self.last = Some(point);
        if !point.episode.is_multiple_of(self.stride) {
            return;
        }
        self.points.push(point);
        if self.points.len() > POINTS_MAX {
            self.stride = self.stride.saturating_mul(2);
            let stride = self.stride;
            self.points.retain(|kept| kept.episode.is_multiple_of(stride));
            // No search gives all its episodes one number, but a damaged file may, and `retain` keeps them all.
            self.points.truncate(POINTS_MAX);
        }
    }

    /// Returns the kept points, and the last of all.
    pub fn points(&self) -> Vec<Point> {
        let mut points = self.points.clone();
        // The last point may be among the kept ones already.
        points.extend(self.last.filter(|last| points.last() != Some(last)));
        points
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::event::{Automaton, Residual, Way};

    /// A run of these events.
    pub fn run(events: impl IntoIterator<Item = Event>) -> Run {
        let mut run = Run::new();
        for event in events {
            run.take(event).expect("events in their order");
        }
        run
    }

    /// Returns the event that every run starts with.
    pub fn began() -> Event {
        Event::RunBegan(RunBegan { format: FORMAT, command: "check".to_string(), ..RunBegan::default() })
    }

    /// The start of a spec.
    pub fn spec(number: usize, file: &str, name: &str) -> Event {
        Event::SpecBegan(SpecBegan {
            spec: number,
            file: file.to_string(),
            line: 3,
            name: name.to_string(),
            expectation: "possible".to_string(),
            formula: "F a".to_string(),
            ..SpecBegan::default()
        })
    }

    /// The end of a spec.
    pub fn end(number: usize, outcome: Outcome, why: &str) -> Event {
        let exit = if outcome == Outcome::Passed { 0 } else { 1 };
        Event::SpecEnded(Box::new(SpecEnded { spec: number, ..SpecEnded::new(outcome, why, exit) }))
    }

    #[track_caller]
    fn refused(events: &[Event], part: &str) {
        let (last, before) = events.split_last().expect("an event");
        let mut run = run(before.to_vec());
        let error = run.take(last.clone()).expect_err("an event out of place").to_string();
        assert!(error.contains(part), "{error}");
    }

    fn episode(spec: usize) -> Event {
        Event::EpisodeEnded { spec, episode: 1, steps: 1, closest: None }
    }

    #[test]
    fn events_about_what_was_never_announced_are_refused() {
        refused(&[episode(0)], "the first event is `episode_ended`");
        refused(&[began(), began()], "the run has begun");
        refused(&[began(), episode(0)], "speaks of spec 0, which was never announced");
        refused(&[began(), spec(1, "a", "b")], "spec 1 comes where 0 is next");
        refused(&[began(), end(3, Outcome::Passed, "")], "speaks of spec 3");
        let both = [began(), spec(0, "a", "b"), end(0, Outcome::Passed, ""), end(0, Outcome::Passed, "")];
        refused(&both, "the spec has ended");
        refused(&[began(), Event::RunEnded { exit: 0 }, spec(0, "a", "b")], "the run has ended");
        let later = Event::RunBegan(RunBegan { format: FORMAT + 1, ..RunBegan::default() });
        refused(&[later], "have the format 5");
    }

    #[test]
    fn numbers_within_events_are_checked_too() {
        let mut ended = SpecEnded::new(Outcome::Passed, "", 0);
        ended.map = vec![Way { from: 0, to: 1, ..Way::default() }];
        refused(&[began(), spec(0, "a", "b"), Event::SpecEnded(Box::new(ended))], "speaks of screen 0");
        let automaton = Automaton {
            residuals: vec![Residual::default()],
            ways: vec![Way { from: 0, to: 7, ..Way::default() }],
        };
        let with = SpecBegan { automaton: Some(automaton), ..SpecBegan::default() };
        refused(&[began(), Event::SpecBegan(with)], "speaks of residual 7");
    }

    #[test]
    fn a_long_curve_is_thinned_out_evenly_and_keeps_its_end() {
        let mut curve = Curve::default();
        for episode in 1..=100_001 {
            curve.add(Point { episode, steps: u64::from(episode) * 4, closest: None });
        }
        let points = curve.points();
        assert!(points.len() <= POINTS_MAX + 1, "{}", points.len());
        assert_eq!(points.last().map(|point| point.episode), Some(100_001));
        let gaps: Vec<u32> = points.windows(2).map(|two| two[1].episode - two[0].episode).collect();
        assert!(gaps[..gaps.len() - 1].iter().all(|&gap| gap == 64), "{gaps:?}");
        for _ in 0..3 * POINTS_MAX {
            curve.add(Point { episode: 0, steps: 0, closest: None });
        }
        assert!(curve.points().len() <= POINTS_MAX + 1);
    }

    #[test]
    fn widgets_are_kept_as_long_as_there_is_room() {
        use crate::gui::{Context, Widget};
        let screen =
            |count| Arc::new(Screen::new("p", "p.A", Context::default(), vec![Widget::default(); count]));
        let met = |number| Event::ScreenMet { screen: number, seen: screen(90_000) };
        let run = run([began()].into_iter().chain((0..20).map(met)));
        let counts: Vec<usize> = run.screens().iter().map(|screen| screen.widgets().len()).collect();
        assert_eq!(counts.iter().sum::<usize>(), 11 * 90_000);
        assert_eq!((counts.len(), counts[19]), (20, 0));
    }

    #[test]
    fn how_a_spec_counts_follows_from_its_outcome_and_its_code() {
        let standing = |outcome, exit| {
            let ended = Some(SpecEnded::new(outcome, "", exit));
            SpecReport { ended, ..SpecReport::default() }.standing()
        };
        assert_eq!(standing(Outcome::Passed, 0), Standing::Passed);
        assert_eq!(standing(Outcome::Passed, 6), Standing::Failed);
        assert_eq!(standing(Outcome::Flaky, 5), Standing::Flaky);
        assert_eq!(standing(Outcome::NotFound, 4), Standing::Error);
        assert_eq!(standing(Outcome::Error, 3), Standing::Error);
        assert_eq!(SpecReport::default().standing(), Standing::CutShort);
    }
}
