//! Decides a spec on an app: searches for its run, minimises and confirms it, and words the outcome.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use farlead::device::{DeviceError, Sim};
use farlead::event::{Event, Outcome, Reached, SpecEnded};
use farlead::experience::Experience;
use farlead::gui::{ActionType, Atom, Constant, Key, Op, Screen, TypedText};
use farlead::keep::{self, Keeping, keep};
use farlead::objective::{Formula, Shaping};
use farlead::replay::{Player, violation};
use farlead::report::{shortened, step_text, to_type};
use farlead::rng::Seed;
use farlead::search::{
    Bounds, Exhausted, Finding, News as SearchNews, Plan, Reach, Stop, exhaust_from, search,
};
use farlead::setup::prepared_outcomes;
use farlead::spec::{Expectation, Judgement, Severity, Spec, printable};
use farlead::test_case::Provenance;
use farlead::trace::Trace;

use crate::app::OpenedApp;
use crate::explore::shown_learning;
use crate::lint::counted;
use crate::news::News;
use crate::progress::{interrupted_by, interrupted_exit};
use crate::{Exit, Missing, Mistake};

/// Of the actions that were never tried, so many are kept in results.
const NEVER_TRIED_MAX: usize = 50;

/// A map of more ways nobody reads.
const WAYS_MAX: usize = 200;

/// Most steps that are simulated to try everything before an agent searches: some tens of milliseconds.
const SIMULATED_MAX_AT_FIRST: u64 = 20_000;

/// Mean time of an episode from which on each of them is shown as progress.
const SLOW_EPISODE_S: f64 = 0.1;

/// Advice after a search that found nothing.
const TRY_EVERYTHING: &str = "or try everything, on a model: `--exhaustive`";

/// A spec to check, or one that cannot be.
#[derive(Clone)]
pub struct Task<'a> {
    /// The file, as the user has named it.
    pub file: &'a str,
    /// Spec to decide.
    pub spec: &'a Spec,
    /// Judgement of the spec without a device.
    pub judgement: &'a Judgement,
    /// The app, set up for it.
    pub app: OpenedApp,
    /// Plan of its search.
    pub plan: Plan,
    /// The formula of a stored test, which is looked for first.
    pub captured: Option<&'a Spec>,
}

/// Settings for all specs.
pub struct Asked<'a> {
    /// Share of exhaustive search.
    pub exhaustive: Exhaustive,
    /// Treatment of a run before it is kept.
    pub keep: keep::Settings,
    /// Set at Ctrl-C.
    pub interrupted: &'a AtomicBool,
    /// True if the steps of each episode are told.
    pub tells_steps: bool,
    /// News for a program that looks on.
    pub news: Option<&'a News>,
}

/// Share of exhaustive search in deciding a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhaustive {
    /// Agents alone search.
    Never,
    /// On a model everything is tried first, as long as that is cheap.
    First,
    /// Everything is tried, and no agent searches.
    Alone,
}

/// Told what is going on, for how many seconds already, and how much of the most it can take is done.
pub type Watch<'a> = &'a dyn Fn(&str, f64, f64);

/// A spec that is decided, or not.
pub struct Decided {
    /// Result for reports. Whoever numbers screens fills in its run and its map.
    pub ended: SpecEnded,
    /// True if it was decided by trying everything.
    pub is_exhaustive: bool,
    /// The run that decides it.
    pub run: Option<Trace>,
    /// The same made short and tried again, unless it is a stored test's.
    pub keeping: Option<Keeping>,
    /// The episodes of the search, as events.
    pub episodes: Vec<Event>,
    /// Bytes that the agent keeps for the next search.
    pub kept: Vec<u8>,
    /// Steps of the search.
    pub experience: Experience,
    /// Ways between the screens that it saw.
    pub ways: Vec<ScreenWay>,
    /// True if the experience before is of an app that answers otherwise.
    pub is_outdated: bool,
}

impl Decided {
    /// Returns what is decided by nothing but this.
    pub fn new(outcome: Outcome, why: impl Into<String>, exit: Exit) -> Decided {
        Decided {
            ended: SpecEnded::new(outcome, why, exit.code()),
            is_exhaustive: false,
            run: None,
            keeping: None,
            episodes: Vec::new(),
            kept: Vec::new(),
            experience: Experience::new(),
            ways: Vec::new(),
            is_outdated: false,
        }
    }

    /// Returns that it was not decided because the device failed.
    pub fn of_error(error: &DeviceError) -> Decided {
        let mut decided = Decided::new(Outcome::Error, error.to_string(), exit_of_error(error));
        // A set-up that a test keeps may come from a file that is gone.
        if let DeviceError::SetUp { test, .. } = error
            && Path::new(test).is_file()
        {
            let replay = to_type("replay", test);
            decided.ended.advice.push(format!("see where it fails: `{replay}`"));
        }
        decided
    }

    /// Returns the name of the agent that decided it, for a search with `plan`.
    pub fn agent(&self, plan: &Plan) -> &'static str {
        if self.is_exhaustive { "exhaustive" } else { plan.agent.name }
    }

    /// Returns the origin of its test, for a search with `plan` on `app`; `to_type` opens the app again, and `spec` is the
    /// path of the spec's file.
    pub fn provenance(&self, plan: &Plan, app: &OpenedApp, to_type: Vec<String>, spec: String) -> Provenance {
        let known = app.app();
        let keeping = self.keeping.as_ref();
        Provenance {
            farlead: env!("CARGO_PKG_VERSION").to_string(),
            package: known.package.to_string(),
            version: known.version.to_string(),
            app: to_type,
            device: app.describe(),
            spec,
            agent: self.agent(plan).to_string(),
            seed: plan.seed.0,
            episodes: self.ended.episodes,
            steps: self.ended.steps,
            found_steps: keeping.map_or(0, |keeping| keeping.found_steps),
            confirmed: keeping.map_or_else(Default::default, |keeping| keeping.confirmed),
        }
    }

    /// Returns the exit code if this is the only spec.
    pub fn exit(&self) -> Exit {
        Exit::of_code(self.ended.exit)
    }
}

/// A way between two screens, the action, and the number of times.
type ScreenWay = (Arc<Screen>, Arc<Screen>, String, u64);

/// Returns the ways between the screens of `experience`, as far as there is room.
fn ways(experience: &Experience) -> Vec<ScreenWay> {
    let mut ways: Vec<ScreenWay> = Vec::new();
    for run in experience.runs() {
        for pair in run.steps.windows(2) {
            let [(_, from), (record, to)] = pair else { continue };
            let by = record.to_string();
            // There are few ways at most, so going through them is fast enough.
            let known = ways.iter().position(|(one, other, name, _)| {
                one.identity() == from.identity() && other.identity() == to.identity() && *name == by
            });
            match known {
                Some(at) => ways[at].3 += u64::from(run.times),
                None if ways.len() < WAYS_MAX => {
                    ways.push(((*from).clone(), (*to).clone(), by, u64::from(run.times)));
                }
                None => {}
            }
        }
    }
    ways
}

/// Decides the spec of `task`, as far as it can be.
pub fn decide(asked: &Asked<'_>, task: &Task<'_>, watch: Watch<'_>, tell: &dyn Fn(&str)) -> Decided {
    // Asked before a device is taken, as no run of any app can decide this spec.
    if let Some(why) = refusal(task) {
        return Decided::new(Outcome::Error, why, Exit::Broken);
    }
    if asked.interrupted.load(Ordering::Relaxed) {
        let why = format!("{} before it began", interrupted_by());
        return Decided::new(undecided(task.spec.expectation), why, interrupted_exit());
    }
    let mut decided = decide_somewhere(asked, task, watch, tell);
    decided.ways = ways(&decided.experience);
    if let Some(run) = &decided.run {
        decided.ended.why += of_typed_text(task.spec, run);
    }
    if task.plan.rules.forbid_some() && decided.run.is_none() && decided.ended.outcome != Outcome::Error {
        // A result about all runs holds only for the runs that the rules allow.
        decided.ended.why += "; actions that the rules of farlead.toml forbid were not tried";
    }
    decided
}

/// Returns the words to add to a result whose `run` meets `spec` by text that the run itself has typed, else none.
pub fn of_typed_text(spec: &Spec, run: &Trace) -> &'static str {
    let is_won = |typed: TypedText| Player::new(&Spec { typed, ..spec.clone() }).is_won(run);
    match spec.typed {
        TypedText::Counts if is_won(TypedText::Counts) && !is_won(TypedText::IsNoEvidence) => {
            "; this rests on text that the run itself typed"
        }
        TypedText::Counts | TypedText::IsNoEvidence => "",
    }
}

/// Decides it on a device; on another, from the start, if that one is lost.
fn decide_somewhere(asked: &Asked<'_>, task: &Task<'_>, watch: Watch<'_>, tell: &dyn Fn(&str)) -> Decided {
    loop {
        let decided = match (task.captured, asked.exhaustive) {
            // Everything is tried anyway, so the run of a stored test needs no search of its own.
            (_, Exhaustive::Alone) => {
                decide_exhaustively(asked, task, watch).and_then(|decided| kept(asked, task, decided))
            }
            (Some(captured), _) => decide_stored(asked, task, captured, watch, tell),
            (None, _) => decide_anew(asked, task, watch, tell),
        };
        match decided {
            Ok(decided) => return decided,
            Err(error) if error.is_lost() && task.app.has_another() => {
                let name = printable(&task.spec.name);
                tell(&format!("farlead: {error}; another device goes on with {name:?}\n"));
            }
            Err(error) => return Decided::of_error(&error),
        }
    }
}

/// Returns the exit code of a run whose device failed.
pub fn exit_of_error(error: &DeviceError) -> Exit {
    match error {
        DeviceError::Model { .. } => Exit::Broken,
        DeviceError::Lost { .. }
        | DeviceError::Refused { .. }
        | DeviceError::SetUp { .. }
        | DeviceError::Faulty { .. }
        | DeviceError::NoneLeft { .. } => Exit::Environment,
    }
}

/// Returns the error of a command whose device failed.
pub fn failed(error: &DeviceError) -> anyhow::Error {
    match exit_of_error(error) {
        Exit::Environment => Missing::new(error.to_string()).into(),
        _ => Mistake::new(error.to_string()).into(),
    }
}

/// Looks for the run of a stored test by its own formula; where that is not to be had, for any run of its spec.
fn decide_stored(
    asked: &Asked<'_>,
    task: &Task<'_>,
    captured: &Spec,
    watch: Watch<'_>,
    tell: &dyn Fn(&str),
) -> Result<Decided, DeviceError> {
    // The formula names each action, so a deterministic app needs one episode; chance may need more.
    const EPISODES_MAX: u32 = 20;
    let steps_max = captured.budget.steps_max.unwrap_or(task.plan.steps_max);
    let plan = Plan {
        steps_max,
        episodes_max: EPISODES_MAX.min(task.plan.episodes_max),
        persists: false,
        ..task.plan.clone()
    };
    let first = decide_by_search(asked, task, captured, &plan, watch, tell)?;
    // The captured formula only leads to the run; the spec decides if the run is right.
    let is_met = first.run.as_ref().is_some_and(|run| Player::new(task.spec).is_won(run));
    if is_met || first.exit() == Exit::Interrupted {
        return Ok(first);
    }
    // The second search knows what the first has done, and need not do it again.
    let plan = Plan { experience: Arc::new(first.experience.clone()), ..task.plan.clone() };
    let second = decide_by_search(asked, task, task.spec, &plan, watch, tell)?;
    let mut decided = kept(asked, task, second)?;
    let is_found = decided.run.is_some();
    decided.ended.why = match (task.spec.expectation, is_found) {
        (_, true) => format!("the run of the test did not come again; another: {}", decided.ended.why),
        (Expectation::Possible | Expectation::Never | Expectation::Must, false) => {
            format!("the run of the test did not come again, and no other was found: {}", decided.ended.why)
        }
    };
    decided.ended.steps += first.ended.steps;
    decided.ended.episodes += first.ended.episodes;
    decided.ended.device_ms += first.ended.device_ms;
    decided.is_outdated |= first.is_outdated;
    decided.experience.merge(&first.experience);
    Ok(decided)
}

/// Makes the run of `decided` short, if there is one, and tries it again.
fn kept(asked: &Asked<'_>, task: &Task<'_>, mut decided: Decided) -> Result<Decided, DeviceError> {
    keep_run(asked, &task.app, task.spec, &mut decided)?;
    Ok(decided)
}

/// Makes the run of `decided` short, if there is one, and tries it again on `app`. After an error `decided` is as before.
pub fn keep_run(
    asked: &Asked<'_>,
    app: &OpenedApp,
    spec: &Spec,
    decided: &mut Decided,
) -> Result<(), DeviceError> {
    let Some(run) = &decided.run else { return Ok(()) };
    let open = |seed: Seed| app.device(seed);
    let goes_on = || !asked.interrupted.load(Ordering::Relaxed);
    let keeping = match keep(&open, spec, run, &asked.keep, &goes_on) {
        // The run survives the loss of its device: keep it unminimised.
        Err(error) if error.is_lost() && !app.has_another() => {
            decided.ended.exit = Exit::of_code(decided.ended.exit).and(exit_of_error(&error)).code();
            decided
                .ended
                .advice
                .push(format!("the run is kept as it was found, neither shrunk nor reproduced: {error}"));
            decided.ended.violation = violation(spec, run);
            decided.keeping = Some(Keeping::as_found(spec, run, &asked.keep));
            return Ok(());
        }
        kept => kept?,
    };
    let rate = keeping.confirmed;
    decided.ended.found_steps = Some(keeping.found_steps);
    decided.ended.confirmed = (rate.runs > 0).then_some(rate);
    if rate.runs > 0 && !rate.is_full() {
        decided.ended.outcome = Outcome::Flaky;
        decided.ended.exit = Exit::of_code(decided.ended.exit).and(Exit::Flaky).code();
        decided.ended.advice.push(format!(
            "the run came again {} of {} times; see where it differs: `farlead replay --times 20` with the kept test",
            rate.passes, rate.runs
        ));
    }
    // A spec that speaks of crashes judges them itself.
    let asks_for_crashes = spec.atoms.values().any(Atom::mentions_crash);
    if !asks_for_crashes && keeping.run.steps.iter().any(|step| step.observation.screen.context().crashed) {
        decided.ended.exit = Exit::of_code(decided.ended.exit).and(Exit::Crash).code();
        decided.ended.advice.push(
            "the app crashes on this run, and the spec does not speak of crashes; add `& G ![crashed = true]` to find a run without one"
                .to_string(),
        );
    }
    // The run is kept, but neither as short nor as often reproduced as asked.
    if keeping.is_interrupted {
        decided.ended.exit = interrupted_exit().code();
    }
    decided.ended.violation = violation(spec, &keeping.run);
    decided.run = Some(keeping.run.clone());
    decided.keeping = Some(keeping);
    Ok(())
}

/// Returns the reason why a spec cannot be checked on any app.
fn refusal(task: &Task<'_>) -> Option<String> {
    if errors(task.judgement) > 0 {
        return Some("the spec has mistakes".to_string());
    }
    if let Some(label) = task.spec.labels().first() {
        return Some(format!(
            "no screen carries a label like `{label}`; say what is seen, as in `[text ~ {label}]`"
        ));
    }
    // An action with mistakes is not declared, so its specs would wait for an action that nobody offers.
    let known = |name: &str| {
        ActionType::parse(name).is_some() || task.plan.actions.iter().any(|action| action.name == name)
    };
    let actions = task.spec.atoms.values().filter_map(|atom| match atom {
        Atom::Action(all) => Some(all),
        Atom::Widget(_)
        | Atom::Count { .. }
        | Atom::State(_)
        | Atom::Checked(_)
        | Atom::Placed(_)
        | Atom::Compared { .. } => None,
    });
    actions.flatten().find_map(|comparison| match (comparison.key, &comparison.value) {
        (Key::ActionType, Constant::Text(name)) if comparison.op == Op::Equal && !known(name) => {
            Some(format!("the action `{name}` has mistakes"))
        }
        _ => None,
    })
}

/// Returns the number of mistakes of a spec.
pub fn errors(judgement: &Judgement) -> usize {
    judgement.diagnostics.iter().filter(|found| found.severity == Severity::Error).count()
}

fn exit_of(outcome: Outcome, is_interrupted: bool) -> Exit {
    match outcome {
        Outcome::Passed if !is_interrupted => Exit::Passed,
        _ if is_interrupted => interrupted_exit(),
        Outcome::Error => Exit::Broken,
        Outcome::Flaky => Exit::Flaky,
        Outcome::Diverged => Exit::Flaky,
        Outcome::Passed | Outcome::Failed | Outcome::NotFound | Outcome::Untested => Exit::Failed,
    }
}

fn decide_by_search(
    asked: &Asked<'_>,
    task: &Task<'_>,
    spec: &Spec,
    plan: &Plan,
    watch: Watch<'_>,
    tell: &dyn Fn(&str),
) -> Result<Decided, DeviceError> {
    let mut device = task.app.device(plan.seed);
    let begun = Instant::now();
    let episodes_max = plan.episodes_max;
    let mut episodes = Vec::new();
    let finding = search(&mut *device, spec, plan, &mut |news| {
        let is_stopped = asked.interrupted.load(Ordering::Relaxed);
        let SearchNews::EpisodeEnded { episode, steps, device_ms, closest, trace, steps_of, learning } = news
        else {
            return !is_stopped;
        };
        if asked.tells_steps {
            tell(&told(spec, *episode, &trace()));
        }
        if let Some(news) = asked.news {
            news.searched(&spec.name, *episode, (*steps, *closest), trace);
            news.take_in(&spec.name, steps_of);
        }
        // The curve of a report needs about a thousand points, and more of the first episodes.
        if episode.is_power_of_two() || episode % (episodes_max / 1_000).max(1) == 0 {
            episodes.push(Event::EpisodeEnded {
                spec: 0,
                episode: *episode,
                steps: *steps,
                closest: *closest,
            });
        }
        let seconds = begun.elapsed().as_secs_f64();
        let of_time = plan.timeout_ms.map_or(0.0, |most| *device_ms as f64 / most as f64);
        // The budget that is spent first ends the search.
        let share = (f64::from(*episode) / f64::from(episodes_max)).max(of_time);
        // Formatting a line for each episode would slow a fast search down.
        if episode % 16 == 1 || seconds > f64::from(*episode) * SLOW_EPISODE_S {
            let closest = closest.map_or(String::new(), |steps| format!(", at best {steps} to go"));
            let rate = *steps as f64 / seconds.max(1e-6);
            let learning = learning.filter(|_| asked.tells_steps).map(shown_learning).unwrap_or_default();
            let places = usize::from(rate < 10.0);
            let line =
                format!("episode {episode}/{episodes_max}{closest}{learning}, {rate:.places$} steps/s");
            watch(&line, seconds, share);
        }
        !is_stopped
    })?;
    Ok(Decided { episodes, ..judged(task, spec, plan, finding) })
}

/// The steps of an episode, and why each was taken.
fn told(spec: &Spec, episode: u32, trace: &Trace) -> String {
    let steps = trace
        .steps
        .iter()
        .enumerate()
        .map(|(number, step)| step_text(number, &farlead::event::StepTaken::new(step, 0), true));
    format!("{}, episode {episode}\n", printable(&spec.name)) + &steps.collect::<String>()
}

fn judged(task: &Task<'_>, spec: &Spec, plan: &Plan, finding: Finding) -> Decided {
    let Finding {
        stop,
        steps_max,
        episodes,
        steps,
        device_ms,
        run,
        mut reach,
        kept,
        experience,
        is_outdated,
    } = finding;
    if stop == Stop::Exhausted {
        // The remaining untried actions belong to last steps, or to ways that the formula rules out.
        reach.never_tried.clear();
    }
    let held: Vec<u64> = reach.report.held.iter().map(|(_, times)| *times).collect();
    // An interrupted search gives no outcome, not even for a `never`.
    let outcome = match stop {
        Stop::Interrupted => undecided(spec.expectation),
        Stop::Found | Stop::Exhausted | Stop::EpisodesSpent | Stop::TimeSpent => {
            Outcome::of(spec.expectation, run.is_some(), false, &held)
        }
    };
    let spent = format!("{}, {}", counted(episodes as usize, "episode"), counted_steps(steps));
    let why = match (&run, stop) {
        (Some(run), _) => format!("{}, found in {spent}", found(spec.expectation, run)),
        (None, Stop::Exhausted) => format!(
            "{}, if the app always answers alike; tried in {spent}",
            none_within(spec.expectation, steps_max)
        ),
        // A spent budget would suggest a larger one, which hardly helps once everything was tried.
        (None, Stop::EpisodesSpent | Stop::TimeSpent | Stop::Found)
            if reach.never_tried.is_empty() && reach.screens > 0 =>
        {
            let ways = counted(reach.ways, "order");
            format!(
                "{} in {spent}; every action on every screen met was tried, in {ways}",
                none(spec.expectation)
            )
        }
        (None, Stop::TimeSpent) => format!("{} in {spent}; the time is spent", none(spec.expectation)),
        (None, Stop::Interrupted) => format!("{} after {spent}", interrupted_by()),
        (None, Stop::EpisodesSpent | Stop::Found) => {
            format!("{} in {spent}; the budget is spent", none(spec.expectation))
        }
    };
    let why = match run {
        None if steps_max > plan.steps_max => format!(
            "{why}; runs grew from {} to {steps_max} steps, as new screens still came up at their ends",
            plan.steps_max
        ),
        _ => why,
    };
    let exit = exit_of(outcome, stop == Stop::Interrupted);
    let mut decided = Decided::new(outcome, why, exit);
    decided.ended.advice = if run.is_none() { advice(task, stop, steps_max, &reach) } else { Vec::new() };
    decided.ended.episodes = episodes;
    decided.ended.steps = steps;
    decided.ended.device_ms = device_ms;
    decided.ended.reach = Some(Reached {
        quiet: reach.quiet.map(|quiet| (quiet, episodes)),
        ..reached(task.spec.expectation, &reach)
    });
    Decided { run, kept, experience, is_outdated, ..decided }
}

/// Returns the outcome of a search that was interrupted before it found a run.
fn undecided(expectation: Expectation) -> Outcome {
    match expectation {
        Expectation::Possible => Outcome::NotFound,
        Expectation::Never | Expectation::Must => Outcome::Untested,
    }
}

/// Describes the run that decides a spec.
fn found(expectation: Expectation, run: &Trace) -> String {
    let run = format!("a run of {}", counted(run.steps.len(), "step"));
    match expectation {
        Expectation::Possible => run,
        Expectation::Never => format!("{run} does what must never happen"),
        Expectation::Must => format!("{run} violates it"),
    }
}

/// Returns that no run of at most `steps_max` steps decides a spec.
fn none_within(expectation: Expectation, steps_max: u32) -> String {
    let steps = counted(steps_max as usize, "step");
    match expectation {
        Expectation::Possible => format!("no run of {steps} or fewer satisfies it"),
        Expectation::Never => format!("no run of {steps} or fewer does what must never happen"),
        Expectation::Must => format!("no run of {steps} or fewer violates it"),
    }
}

/// Returns the start of the reason why a search without a run ended; it goes on with `in 500 episodes`.
fn none(expectation: Expectation) -> &'static str {
    match expectation {
        Expectation::Possible => "no run",
        Expectation::Never | Expectation::Must => "no violation",
    }
}

fn reached(expectation: Expectation, reach: &Reach) -> Reached {
    // Of a `possible` nobody asks how rare a fault would be.
    let (tried_count, tries_median) =
        if expectation == Expectation::Possible { (0, 0) } else { reach.tried() };
    Reached {
        held: reach.report.held.clone(),
        hints: reach.report.hints.clone(),
        closest: reach.report.closest.clone(),
        screens: reach.screens,
        starts: reach.starts,
        starts_crashed: reach.starts_crashed,
        never_tried: reach.never_tried.iter().take(NEVER_TRIED_MAX).map(ToString::to_string).collect(),
        never_tried_count: reach.never_tried.len(),
        tried_count,
        tries_median,
        surprises: reach.surprises,
        quiet: None,
    }
}

/// Returns advice where nothing was found.
fn advice(task: &Task<'_>, stop: Stop, steps_max: u32, reach: &Reach) -> Vec<String> {
    let episodes_max = task.plan.episodes_max;
    let mut advice = hints(reach);
    // For a `never` or a `must` finding nothing is good news.
    if task.spec.expectation != Expectation::Possible {
        return advice;
    }
    match stop {
        Stop::Exhausted => {
            advice.push(format!("give runs more steps: `--steps {}`", steps_max.saturating_mul(2)));
        }
        Stop::TimeSpent => advice.push("give it more time: `--timeout`".to_string()),
        Stop::EpisodesSpent => {
            advice.push(format!("try longer: `--episodes {}`", episodes_max.saturating_mul(10)));
            let more = steps_max.saturating_add(steps_max.div_ceil(2));
            advice.push(format!("or with more steps: `--steps {more}`"));
            advice.push(TRY_EVERYTHING.to_string());
        }
        Stop::Interrupted | Stop::Found => {}
    }
    advice
}

/// Returns hints on atoms that never held, from the words seen.
fn hints(reach: &Reach) -> Vec<String> {
    reach.report.hints.iter().map(|(atom, hint)| format!("{} never held: {hint}", shortened(atom))).collect()
}

fn counted_steps(steps: u64) -> String {
    if steps == 1 { "1 step".to_string() } else { format!("{steps} steps") }
}

/// Decides a spec that has no test: by trying everything where that is cheap, else by the search of an agent.
fn decide_anew(
    asked: &Asked<'_>,
    task: &Task<'_>,
    watch: Watch<'_>,
    tell: &dyn Fn(&str),
) -> Result<Decided, DeviceError> {
    let (mut is_known, mut was_too_large) = (false, false);
    if asked.exhaustive == Exhaustive::First
        // A set-up may fail in one of the outcomes of chance alone; the search reports the faults that it meets itself.
        && let Ok(Some(exhausted)) = try_everything_cheaply(asked, task, watch)
    {
        (is_known, was_too_large) = (exhausted.run.is_some(), exhausted.is_too_large);
        let is_decided = match (&exhausted.run, task.spec.expectation) {
            // This run comes from the agent, so that it is the same on every device.
            (Some(_), Expectation::Possible) => false,
            (Some(_), Expectation::Never | Expectation::Must) => true,
            (None, _) => !was_too_large,
        };
        if is_decided {
            return kept(asked, task, judged_exhaustively(task, exhausted));
        }
    }
    // There is a run, so the agent may not conclude from an app that seems to answer alike that there is none.
    let plan = Plan { persists: task.plan.persists || is_known, ..task.plan.clone() };
    let mut decided = decide_by_search(asked, task, task.spec, &plan, watch, tell)?;
    if decided.run.is_none() && decided.exit() != Exit::Interrupted {
        // What has been learned by trying everything says more than the advice to try it.
        if is_known || was_too_large {
            decided.ended.advice.retain(|advice| advice != TRY_EVERYTHING);
        }
        let advice = match (is_known, was_too_large) {
            (true, _) => Some(
                "trying everything has shown that there is a run; `--exhaustive` finds and keeps it"
                    .to_string(),
            ),
            (false, true) => Some(format!(
                "trying everything takes more than {SIMULATED_MAX_AT_FIRST} simulated steps; `--exhaustive` tries to the end"
            )),
            (false, false) => None,
        };
        decided.ended.advice.extend(advice);
    }
    kept(asked, task, decided)
}

fn decide_exhaustively(asked: &Asked<'_>, task: &Task<'_>, watch: Watch<'_>) -> Result<Decided, DeviceError> {
    let bounds = Bounds { steps_max: task.plan.steps_max, simulated_max: u64::MAX };
    let mut objective = Formula::new(task.spec, Shaping::Atoms);
    let Some(exhausted) = try_everything(asked, task, &mut objective, bounds, watch)? else {
        let why =
            "only the simulator can try everything; leave `--exhaustive` out, or give a model with `--app`";
        return Ok(Decided::new(Outcome::Error, why, Exit::Usage));
    };
    let is_open = exhausted.run.is_none() && (exhausted.is_too_large || exhausted.is_interrupted);
    let mut decided = judged_exhaustively(task, exhausted);
    if is_open {
        decided.ended.advice.push(format!(
            "give runs fewer steps than {} with `--steps`, or search without `--exhaustive`",
            task.plan.steps_max
        ));
    }
    Ok(decided)
}

/// Tries everything as long as that is cheap; nothing if the app is no model.
fn try_everything_cheaply(
    asked: &Asked<'_>,
    task: &Task<'_>,
    watch: Watch<'_>,
) -> Result<Option<Exhausted>, DeviceError> {
    let Plan { steps_max, steps_limit, .. } = task.plan;
    let bounds = Bounds { steps_max, simulated_max: SIMULATED_MAX_AT_FIRST };
    let mut objective = Formula::new(task.spec, Shaping::Atoms);
    let first = try_everything(asked, task, &mut objective, bounds, watch)?;
    let (Some(steps_max), Some(exhausted)) = (steps_limit, &first) else { return Ok(first) };
    if exhausted.run.is_some() || exhausted.is_too_large || exhausted.is_interrupted {
        return Ok(first);
    }
    // Nobody said how long a run may be, so a proof is worth more if it is about longer ones.
    let simulated_max = SIMULATED_MAX_AT_FIRST.saturating_sub(exhausted.steps);
    let bounds = Bounds { steps_max, simulated_max };
    let longer = try_everything(asked, task, &mut objective, bounds, watch)?;
    let is_worth_more =
        |longer: &Exhausted| longer.run.is_some() || !longer.is_too_large && !longer.is_interrupted;
    Ok(if longer.as_ref().is_some_and(is_worth_more) { longer } else { first })
}

/// Tries everything within `bounds`; nothing if the app is no model.
fn try_everything(
    asked: &Asked<'_>,
    task: &Task<'_>,
    objective: &mut Formula,
    bounds: Bounds,
    watch: Watch<'_>,
) -> Result<Option<Exhausted>, DeviceError> {
    let Some(mut simulator) = task.app.simulator(task.plan.seed) else { return Ok(None) };
    let set_up = task.app.set_up();
    let starts = |sim: &mut Sim, activity: &str| match set_up.first() {
        Some(first) if first.starts() == activity => prepared_outcomes(sim, activity, set_up),
        // Set-up leads from one activity only, so the others are no starts.
        Some(_) => Ok(Some(Vec::new())),
        None => sim.start_outcomes(activity),
    };
    let offered = task.plan.offered(task.spec);
    let begun = Instant::now();
    let steps_max = bounds.steps_max;
    exhaust_from(&starts, &mut simulator, objective, offered, bounds, &mut |depth, pairs| {
        let line = format!("runs of {depth} steps, {pairs} states");
        watch(&line, begun.elapsed().as_secs_f64(), f64::from(depth) / f64::from(steps_max));
        !asked.interrupted.load(Ordering::Relaxed)
    })
    .map(Some)
}

/// Judges the spec of `task` by what came of trying everything.
fn judged_exhaustively(task: &Task<'_>, exhausted: Exhausted) -> Decided {
    let Exhausted { run, is_too_large, is_interrupted, steps_max, steps, mut reach } = exhausted;
    let held: Vec<u64> = reach.report.held.iter().map(|(_, times)| *times).collect();
    let is_proven = run.is_none() && !is_too_large && !is_interrupted;
    if is_proven {
        // The remaining untried actions would be one step too many, and a proof needs no other evidence.
        reach.never_tried.clear();
        reach.tries.clear();
    }
    let outcome = match run {
        None if is_interrupted => undecided(task.spec.expectation),
        _ => Outcome::of(task.spec.expectation, run.is_some(), is_proven, &held),
    };
    let spent = counted_steps(steps);
    let expectation = task.spec.expectation;
    let why = match &run {
        // An action with too many outcomes to follow may hide a shorter run.
        Some(run) if is_too_large => format!("{}, found in {spent}", found(expectation, run)),
        Some(run) => {
            format!("{}, found by trying everything in {spent}; no run is shorter", found(expectation, run))
        }
        None if is_proven => {
            format!("{}, proven by trying everything in {spent}", none_within(expectation, steps_max))
        }
        None if is_interrupted => format!("{} after {spent}", interrupted_by()),
        None => format!("{} in {spent}; there is too much to try", none(expectation)),
    };
    let mut decided = Decided::new(outcome, why, exit_of(outcome, is_interrupted));
    decided.ended.advice = hints(&reach);
    decided.ended.steps = steps;
    decided.ended.reach = Some(reached(task.spec.expectation, &reach));
    Decided { run, is_exhaustive: true, ..decided }
}
