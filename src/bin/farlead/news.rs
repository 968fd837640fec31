//! News of a search while it goes on, for a program that looks on: a file of JSON lines.
//!
//! Nobody could read all episodes, so the clock decides which of them are in it. No report is made of it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use farlead::gui::{Identity, Screen};
use farlead::learned_model::{LearnedModel, ModelApp};
use farlead::report::{Displays, map_of_screens_svg, screen_svg};
use farlead::search::StepsOf;
use farlead::store::ScreenNumbers;
use farlead::trace::Trace;
use serde_json::{Value, json};

use crate::Usage;
use crate::outputs::warn;
use crate::sources::refuse_to_overwrite;

/// Shortest pause between two lines about the same, unless the search has come nearer.
const PERIOD: Duration = Duration::from_millis(300);
/// Pauses in the time so far: in a long search they grow, so that the file does not.
const PAUSES: u32 = 200;
/// Pause between two maps; a large one, which takes long, comes more rarely.
const MAP_PERIOD: Duration = Duration::from_secs(2);
/// Pauses between maps, in times that one took.
const MAP_REST: u32 = 20;
/// Most screens that are drawn.
const SCREENS_MAX: usize = 1_000;
/// Most steps of an episode that are written: the last ones.
const STEPS_MAX: usize = 60;

/// File for the news.
#[derive(Clone, Debug, Args)]
pub struct NewsArgs {
    /// Write news of the search to FILE while it goes on, as JSON lines: episodes with pictures of their screens, counts, and the
    /// map of its screens
    #[arg(long, value_name = "FILE")]
    news: Option<PathBuf>,
}

impl NewsArgs {
    /// Begins the file, if there is to be one; `inputs` are not overwritten.
    pub fn begin<'a>(&self, inputs: impl IntoIterator<Item = &'a Path>) -> anyhow::Result<Option<News>> {
        let Some(path) = &self.news else { return Ok(None) };
        refuse_to_overwrite(path, inputs)?;
        let file = File::create(path)
            .map_err(|error| Usage::new(format!("cannot write {}: {error}", path.display())))?;
        Ok(Some(News { state: Mutex::new(State::new(file)) }))
    }
}

/// Returns the map of a model, with a screen of each kind as `screen_of` finds it.
pub fn map_svg(model: &LearnedModel, screen_of: impl Fn(&[usize]) -> Option<Arc<Screen>>) -> Option<String> {
    let (mut numbers, mut screens) = (ScreenNumbers::new(), Vec::new());
    let map = model.map().with_screens(|states| {
        let screen = screen_of(states)?;
        let (number, met) = numbers.number(&screen);
        if met.is_some() {
            screens.push(screen);
        }
        Some(number)
    });
    map_of_screens_svg(&map, &screens, &BTreeMap::new())
}

/// News that are written.
pub struct News {
    state: Mutex<State>,
}

struct State {
    /// None once it could not be written.
    file: Option<File>,
    begun: Instant,
    screens: ScreenNumbers,
    /// Of each subject the time of its last line, and how near its search had come.
    told: BTreeMap<String, (Instant, Option<u32>)>,
    /// Maps by the spec that is searched for.
    maps: BTreeMap<String, SpecMap>,
    /// Time from which on the next map may be drawn.
    next_map: Option<Instant>,
}

/// Screens and ways that a search for a spec has seen, for its map.
struct SpecMap {
    model: LearnedModel,
    screens: BTreeMap<Identity, Arc<Screen>>,
    steps: u64,
}

impl News {
    /// Tells of an episode of the search for the spec `name`: `counts` are its steps so far, and how near it has come.
    pub fn searched(
        &self,
        name: &str,
        episode: u32,
        (steps, closest): (u64, Option<u32>),
        trace: &dyn Fn() -> Trace,
    ) {
        self.tell(name, closest, |state| {
            let trace = state.trace(&trace());
            vec![
                json!({ "news": "episode", "spec": name, "episode": episode, "closest": closest, "run": trace }),
                json!({ "news": "counts", "spec": name, "episode": episode, "steps": steps, "closest": closest }),
            ]
        });
    }

    /// Tells of an episode of exploring; `counts` are those of all that was seen.
    pub fn explored(&self, episode: u32, counts: Value, trace: &dyn Fn() -> Trace) {
        self.tell("", None, |state| {
            let trace = state.trace(&trace());
            vec![
                json!({ "news": "episode", "spec": null, "episode": episode, "closest": null, "run": trace }),
                json!({ "news": "counts", "spec": null, "episode": episode, "explored": counts }),
            ]
        });
    }

    /// Takes in the steps of an episode of the search for the spec `name`, and tells the map of what it has seen from time to
    /// time.
    pub fn take_in(&self, name: &str, steps_of: StepsOf<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let SpecMap { model, screens, steps } = state.maps.entry(name.to_string()).or_insert_with(|| {
            SpecMap { model: LearnedModel::new(ModelApp::default()), screens: BTreeMap::new(), steps: 0 }
        });
        steps_of(&mut |taken| {
            *steps += 1;
            model.add_step(*steps, &taken.seen());
            let screen = &taken.observation().screen;
            if screens.len() < SCREENS_MAX {
                screens.entry(screen.identity()).or_insert_with(|| screen.clone());
            }
        });
        state.map(Some(name), |state| {
            let SpecMap { model, screens, .. } = &state.maps[name];
            map_svg(model, |states| {
                states.iter().find_map(|&at| screens.get(&model.states()[at].identity).cloned())
            })
        });
    }

    /// Tells the map that `draw` makes of an exploration, from time to time.
    pub fn mapped(&self, draw: impl FnOnce() -> Option<String>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.map(None, |_| draw());
    }

    /// Writes what `lines` makes of a subject, unless it was told of just before and has come no nearer.
    fn tell(&self, subject: &str, closest: Option<u32>, lines: impl FnOnce(&mut State) -> Vec<Value>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some((last, nearest)) = state.told.get(subject) {
            let is_nearer = closest.is_some_and(|closest| nearest.is_none_or(|nearest| closest < nearest));
            let pause = PERIOD.max(now.duration_since(state.begun) / PAUSES);
            if now.duration_since(*last) < pause && !is_nearer {
                return;
            }
        }
        state.told.insert(subject.to_string(), (now, closest));
        let lines = lines(&mut state);
        state.write(&lines);
    }
}

impl State {
    fn new(file: File) -> State {
        State {
            file: Some(file),
            begun: Instant::now(),
            screens: ScreenNumbers::new(),
            told: BTreeMap::new(),
            maps: BTreeMap::new(),
            next_map: None,
        }
    }

    /// Writes the map that `draw` makes, unless one was written just before.
    fn map(&mut self, spec: Option<&str>, draw: impl FnOnce(&State) -> Option<String>) {
        let begun = Instant::now();
        if *self.next_map.get_or_insert(begun + MAP_PERIOD) > begun {
            return;
        }
        if let Some(svg) = draw(self) {
            self.write(&[json!({ "news": "map", "spec": spec, "svg": svg })]);
        }
        self.next_map = Some(Instant::now() + MAP_PERIOD.max(MAP_REST * begun.elapsed()));
    }

    /// Returns the last steps of a run, after the new screens were written.
    fn trace(&mut self, trace: &Trace) -> Value {
        let left_out = trace.steps.len().saturating_sub(STEPS_MAX);
        let steps: Vec<Value> = trace.steps[left_out..]
            .iter()
            .map(|step| {
                let screen = &step.observation.screen;
                let (number, met) = self.screens.number(screen);
                if met.is_some() && number < SCREENS_MAX {
                    let canvas = Displays::of([&**screen].into_iter(), [].into_iter()).canvas(screen);
                    let svg = screen_svg(screen, None, canvas);
                    self.write(&[json!({ "news": "screen", "number": number, "svg": svg })]);
                }
                json!({
                    "action": step.action.to_string(),
                    "screen": (number < SCREENS_MAX).then_some(number),
                    "labels": step.labels,
                    "why": step.why,
                    "left": step.remaining,
                })
            })
            .collect();
        json!({ "left_out": left_out, "steps": steps })
    }

    fn write(&mut self, lines: &[Value]) {
        let Some(file) = &mut self.file else { return };
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        if let Err(error) = file.write_all(text.as_bytes()) {
            warn(&format!("cannot write news any further: {error}"));
            self.file = None;
        }
    }
}
