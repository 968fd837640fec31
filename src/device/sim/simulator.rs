//! The device itself: actions in, observations out, and all outcomes of an action for those who
//! search them through.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::chance::{Chance, Odds, Script};
use super::effects::{Base, Run, globals};
use super::evaluate::Fault;
use super::memo::{Gesture, Known, Memo, Shared, States, Transition};
use super::model::{Model, WindowId};
use super::render::render;
use super::state::{State, activity_names};
use crate::device::{App, Device, DeviceError, Notice, Observation};
use crate::gui::{self, Action, Bounds, PressedKey, Screen, UserAction};
use crate::rng::{Rng, Seed};

/// How long an action takes until the screen has settled.
const ACTION_MS: u64 = 500;

/// How long [`Action::Idle`] takes: longer than the display stays lit.
const IDLE_MS: u64 = 70_000;

/// How many bytes a state takes at most, about: texts in ten thousand records may be long.
const STATE_BYTES_MAX: usize = 16 << 20;

/// How many outcomes of an action are told apart at most.
const OUTCOMES_MAX: usize = 10_000;

/// An app model that runs: a phone with a virtual clock, on which nothing is left to chance but what
/// the seed says.
///
/// ```
/// use std::sync::Arc;
///
/// use farlead::device::{Device, Sim, sim::read};
/// use farlead::gui::{Action, Repertoire, offers};
/// use farlead::rng::Seed;
/// use farlead::spec::Source;
///
/// let text = "app org.example \"Example\" 1.0\nlaunch Main
///     activity Main .Main { own n = 0 Button \"{n}\" -> n += 1 }";
/// let model = read(&Source::new("example.app", text)).model.expect("no mistakes");
/// let mut sim = Sim::new(Arc::new(model), Seed(1));
/// let seen = sim.reset("org.example.Main")?;
/// let click = &offers(&seen.screen, &Repertoire::default())[0];
/// assert_eq!(click.to_string(), "click \"0\"");
/// let seen = sim.act(click)?;
/// assert_eq!(&*seen.screen.widgets()[0].text, "1");
/// assert_eq!(seen.at_ms, 1000);
/// assert_eq!(&**sim.act(&Action::Back)?.screen.package(), "com.android.launcher");
/// # Ok::<(), farlead::device::DeviceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sim {
    core: Core,
    rng: Rng,
    now: Moment,
}

/// A state that can be gone back to, see [`Sim::save`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Snapshot {
    /// The number of the state: where it is the same, the app looks and goes on the same, unless the
    /// model reads the clock ([`Sim::has_read_clock`]).
    pub state: u32,
    /// The device's clock.
    pub at_ms: u64,
}

/// What an action may lead to, see [`Sim::outcomes`].
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How likely it is; those of one action add up to 1.
    pub probability: f64,
    /// The state that it leads to.
    pub after: Snapshot,
    /// What is seen then.
    pub observation: Observation,
}

/// A state of the memo, and when it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Moment {
    state: u32,
    at_ms: u64,
}

/// All but the seed and the present.
#[derive(Clone, Debug)]
struct Core {
    model: Arc<Model>,
    app: App,
    /// The phone with the app just installed.
    fresh: Known,
    /// Why the app cannot be started, if so.
    fault: Option<Fault>,
    memo: Memo,
    saved: States,
    has_read_clock: bool,
    no_notices: Arc<[Notice]>,
    /// Whether anything is remembered; what is answered does not depend on it.
    is_memoised: bool,
}

impl Sim {
    /// Returns a phone with the app installed and not yet started, which takes its chance from `seed`.
    pub fn new(model: Arc<Model>, seed: Seed) -> Sim {
        // A variable that cannot be worked out is none; starting the app says why.
        let values = globals(&model, None);
        let fault = values.as_ref().err().cloned();
        let held = model.settings.display.by_nature();
        let fresh = Known::new(State::new(values.unwrap_or_default(), first(&model), held));
        let mut memo = Memo::default();
        let now = Moment { state: memo.intern(fresh.clone()), at_ms: 0 };
        let launchable = model.launchable.iter().map(|&window| activity_names(&model, window).1).collect();
        let app = App { package: model.package.clone(), version: model.version.clone(), launchable };
        let core = Core {
            model,
            app,
            fresh,
            fault,
            memo,
            saved: States::default(),
            has_read_clock: false,
            no_notices: Arc::default(),
            is_memoised: true,
        };
        Sim { core, rng: seed.fork("simulator"), now }
    }

    /// Returns the present, to be gone back to with [`Sim::restore`]; chance is no part of it.
    pub fn save(&mut self) -> Snapshot {
        self.core.save(self.now)
    }

    /// Goes back to a state that this device has saved.
    pub fn restore(&mut self, snapshot: Snapshot) {
        if let Some(known) = self.core.saved.get(snapshot.state) {
            let state = self.core.memo.intern(known.clone());
            self.now = Moment { state, at_ms: snapshot.at_ms };
        }
    }

    /// Returns all that `action` may lead to from here, and stays here.
    ///
    /// Of outcomes that cannot be told apart there is one. `None` if chance has more than 10,000 ways.
    pub fn outcomes(&mut self, action: &Action) -> Result<Option<Vec<Outcome>>, DeviceError> {
        match gesture(action) {
            Some(gesture) => {
                self.make_room();
                self.core.outcomes(self.now, &gesture)
            }
            None => self.start_outcomes(action.detail()),
        }
    }

    /// Returns all that starting the app afresh with the launchable `activity` may lead to.
    pub fn start_outcomes(&mut self, activity: &str) -> Result<Option<Vec<Outcome>>, DeviceError> {
        self.make_room();
        let (from, gesture) = self.core.start(activity)?;
        self.core.outcomes(from, &gesture)
    }

    /// Returns the screen of a state that this device has saved, and stays here.
    pub fn look(&mut self, snapshot: Snapshot) -> Result<Arc<Screen>, DeviceError> {
        self.make_room();
        let Some(known) = self.core.saved.get(snapshot.state) else {
            return self.core.observation(self.now, self.core.no_notices.clone()).map(|seen| seen.screen);
        };
        let state = self.core.memo.intern(known.clone());
        let moment = Moment { state, at_ms: snapshot.at_ms };
        Ok(self.core.observation(moment, self.core.no_notices.clone())?.screen)
    }

    /// How many bytes the states take that this device has saved, about.
    pub fn saved_bytes(&self) -> usize {
        self.core.saved.bytes()
    }

    /// Whether anything that was done or seen up to now depends on the clock.
    pub fn has_read_clock(&self) -> bool {
        self.core.has_read_clock
    }

    pub(super) fn model(&self) -> &Arc<Model> {
        &self.core.model
    }

    pub(super) fn clock_ms(&self) -> u64 {
        self.now.at_ms
    }

    pub(super) fn state(&self) -> &State {
        &self.core.memo.state(self.now.state).state
    }

    /// Puts another model in place that differs in its settings alone.
    pub(super) fn set_model(&mut self, model: Arc<Model>) {
        let present = self.core.memo.state(self.now.state).clone();
        self.core.model = model;
        self.core.memo = Memo::default();
        self.now.state = self.core.memo.intern(present);
    }

    /// Has the app as after an installation; the phone is held as it was, and chance goes on.
    pub(super) fn renew(&mut self) {
        self.make_room();
        let State { orientation, has_network, is_lit, .. } = *self.state();
        let fresh = State::clone(&self.core.fresh.state);
        let state = State { orientation, has_network, is_lit, ..fresh };
        self.now = Moment { state: self.core.memo.intern(Known::new(state)), at_ms: 0 };
    }

    /// Starts the app, which has not run since its installation, with a launchable activity, by how the phone is
    /// held now.
    pub(super) fn start_here(&mut self, window: WindowId) -> Result<Observation, DeviceError> {
        if let Some(fault) = &self.core.fault {
            return Err(self.core.error(fault));
        }
        self.now.at_ms = 0;
        self.step_from_here(Gesture::Start(window))
    }

    pub(super) fn look_here(&mut self) -> Result<Arc<Screen>, DeviceError> {
        self.make_room();
        self.core.observation(self.now, self.core.no_notices.clone()).map(|seen| seen.screen)
    }

    /// Remembers nothing from now on.
    #[cfg(test)]
    pub(super) fn forget_everything(&mut self) {
        self.core.is_memoised = false;
    }

    pub(super) fn step_from_here(&mut self, gesture: Gesture) -> Result<Observation, DeviceError> {
        self.make_room();
        self.step(self.now, gesture)
    }

    fn step(&mut self, from: Moment, gesture: Gesture) -> Result<Observation, DeviceError> {
        let (now, notices) = self.core.step(from, gesture, Chance::Drawn(&mut self.rng))?;
        let observation = self.core.observation(now, notices)?;
        self.now = now;
        Ok(observation)
    }

    /// Forgets all but the present if too much is remembered.
    fn make_room(&mut self) {
        if self.core.memo.is_full() || !self.core.is_memoised {
            let present = self.core.memo.state(self.now.state).clone();
            self.core.memo = Memo::default();
            self.now.state = self.core.memo.intern(present);
        }
    }
}

impl Device for Sim {
    fn describe(&self) -> String {
        let Model { name, label, version, .. } = &*self.core.model;
        format!("simulator of {label} {version} ({name})")
    }

    fn app(&self) -> &App {
        &self.core.app
    }

    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        self.make_room();
        let (from, gesture) = self.core.start(activity)?;
        self.step(from, gesture)
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        match gesture(action) {
            Some(gesture) => {
                self.make_room();
                self.step(self.now, gesture)
            }
            None => self.reset(action.detail()),
        }
    }
}

impl Core {
    /// The moment at which an app is started afresh, and how.
    fn start(&mut self, activity: &str) -> Result<(Moment, Gesture), DeviceError> {
        let at = self.app.launchable.iter().position(|name| **name == *activity).ok_or_else(|| {
            let launchable = self.app.launchable.join("`, `");
            self.error(&Fault::new(format!("`{activity}` cannot be launched; there is `{launchable}`")))
        })?;
        if let Some(fault) = &self.fault {
            return Err(self.error(fault));
        }
        let state = self.memo.intern(self.fresh.clone());
        Ok((Moment { state, at_ms: 0 }, Gesture::Start(self.model.launchable[at])))
    }

    /// Does an action, with what comes up by chance before and after it.
    fn step(
        &mut self,
        from: Moment,
        mut gesture: Gesture,
        mut chance: Chance<'_>,
    ) -> Result<(Moment, Arc<[Notice]>), DeviceError> {
        let settings = self.model.settings;
        let is_action = is_action(&gesture);
        // An idle does nothing that could be lost.
        let can_be_lost = !matches!(gesture, Gesture::Idle | Gesture::Sleep { .. });
        if is_action && can_be_lost && comes_up(settings.lose_percent, &mut chance) {
            gesture = Gesture::Lost;
        }
        let done = self.perform(from, gesture, chance.lend())?;
        let now = Moment { state: done.to, at_ms: from.at_ms.saturating_add(done.elapsed_ms) };
        let state = &self.memo.state(now.state).state;
        let can_crash = is_action && state.is_in_front && state.system.is_none();
        if !can_crash || !comes_up(settings.crash_percent, &mut chance) {
            return Ok((now, done.notices));
        }
        let crashed = self.perform(now, Gesture::Crash, chance)?;
        let notices = done.notices.iter().chain(&*crashed.notices).cloned().collect();
        Ok((Moment { state: crashed.to, ..now }, notices))
    }

    fn perform(
        &mut self,
        from: Moment,
        gesture: Gesture,
        chance: Chance<'_>,
    ) -> Result<Transition, DeviceError> {
        let key = (from.state, gesture);
        if let Some(known) = self.memo.transition(&key) {
            return Ok(known.clone());
        }
        let model = self.model.clone();
        let state = self.memo.state(from.state).state.clone();
        let mut run = Run::new(&model, State::clone(&state), chance, from.at_ms);
        let ground = self.memo.ground(from.state).cloned();
        run.base = self.is_memoised.then_some(Base { state, ground });
        perform(&mut run, &key.1).map_err(|fault| self.error(&fault))?;
        if let Some(Base { ground: Some(ground), .. }) = run.base {
            self.memo.set_ground(from.state, ground);
        }
        let is_certain = !run.meter.has_drawn && !run.meter.has_read_clock;
        self.has_read_clock |= run.meter.has_read_clock;
        let elapsed_ms = run.meter.now_ms.saturating_sub(from.at_ms);
        let notices = if run.notices.is_empty() { self.no_notices.clone() } else { run.notices.into() };
        let mut state = run.state;
        state.tidy();
        let known = Known::new(state);
        if known.bytes > STATE_BYTES_MAX {
            let message = format!("the app keeps more than {} MB", STATE_BYTES_MAX >> 20);
            return Err(self.error(&Fault::new(message)));
        }
        let transition = Transition { to: self.memo.intern(known), elapsed_ms, notices };
        if is_certain && self.is_memoised {
            self.memo.set_transition(key, transition.clone());
        }
        Ok(transition)
    }

    fn observation(&mut self, now: Moment, notices: Arc<[Notice]>) -> Result<Observation, DeviceError> {
        let screen = match self.memo.screen(now.state) {
            Some(screen) => screen.clone(),
            None => self.screen(now)?,
        };
        Ok(Observation { screen, at_ms: now.at_ms, notices })
    }

    fn screen(&mut self, now: Moment) -> Result<Arc<Screen>, DeviceError> {
        let state = &self.memo.state(now.state).state;
        let rendered = render(&self.model, state, now.at_ms).map_err(|fault| self.error(&fault))?;
        let screen = Arc::new(rendered.screen);
        self.has_read_clock |= rendered.has_read_clock;
        if !rendered.has_read_clock && self.is_memoised {
            self.memo.set_screen(now.state, screen.clone());
        }
        if let Some(ground) = rendered.ground.filter(|_| self.is_memoised) {
            self.memo.set_ground(now.state, Arc::new(ground));
        }
        Ok(screen)
    }

    fn save(&mut self, moment: Moment) -> Snapshot {
        let known = self.memo.state(moment.state).clone();
        Snapshot { state: self.saved.intern(known), at_ms: moment.at_ms }
    }

    fn outcomes(&mut self, from: Moment, gesture: &Gesture) -> Result<Option<Vec<Outcome>>, DeviceError> {
        type Told = (Moment, Arc<[Notice]>);
        let mut found: Vec<(Told, f64)> = Vec::new();
        let mut places: HashMap<Told, usize, FxBuildHasher> = HashMap::default();
        let mut script = Script::default();
        for tried in 1.. {
            if tried > OUTCOMES_MAX {
                return Ok(None);
            }
            script.rewind();
            let told = self.step(from, gesture.clone(), Chance::Scripted(&mut script))?;
            let place = *places.entry(told.clone()).or_insert_with(|| {
                found.push((told, 0.0));
                found.len() - 1
            });
            found[place].1 += script.probability();
            if !script.advance() {
                break;
            }
        }
        let outcome = |((moment, notices), probability)| {
            let observation = self.observation(moment, notices)?;
            Ok(Outcome { probability, after: self.save(moment), observation })
        };
        found.into_iter().map(outcome).collect::<Result<Vec<Outcome>, DeviceError>>().map(Some)
    }

    fn error(&self, fault: &Fault) -> DeviceError {
        let source = &self.model.source;
        let place = fault.place.as_ref().filter(|place| source.text().is_char_boundary(place.start));
        let message = match place.map(|place| source.position(place.start)) {
            Some(at) => format!("line {}, column {}: {}", at.line, at.column, fault.message),
            None => fault.message.clone(),
        };
        DeviceError::Model { model: self.model.name.clone(), message }
    }
}

/// Whether something is done that may be lost, and after which the app may crash, by the settings of the model.
///
/// What a hand does in several goes is one action: a touch and the letters that follow it, home and back.
fn is_action(gesture: &Gesture) -> bool {
    match gesture {
        Gesture::Start(_) | Gesture::Type(_) | Gesture::Key(..) | Gesture::Kill | Gesture::Light(_) => false,
        Gesture::Sleep { ms, .. } => *ms >= IDLE_MS,
        Gesture::Tap(_)
        | Gesture::LongTap(_)
        | Gesture::Swipe(..)
        | Gesture::Text(..)
        | Gesture::Back
        | Gesture::Menu
        | Gesture::Rotate
        | Gesture::Network
        | Gesture::PauseResume
        | Gesture::Idle
        | Gesture::User(..)
        | Gesture::Front(_)
        | Gesture::Lost
        | Gesture::Crash => true,
    }
}

fn first(model: &Model) -> WindowId {
    model.launchable.first().copied().unwrap_or(0)
}

fn comes_up(percent: u32, chance: &mut Chance<'_>) -> bool {
    let percent = percent.min(100);
    let odds = [percent, 100 - percent];
    let odds = Odds::Shares(&odds);
    odds.only().or_else(|| chance.draw(odds)) == Some(0)
}

/// What an action comes down to; nothing for one that starts the app.
fn gesture(action: &Action) -> Option<Gesture> {
    Some(match action {
        Action::Reinitialise(_) => return None,
        Action::Click(on) => Gesture::Tap(on.bounds.centre()),
        Action::LongClick(on) => Gesture::LongTap(on.bounds.centre()),
        Action::Text { on, text } => Gesture::Text(on.bounds.centre(), text.clone()),
        Action::Scroll { on, towards } => {
            let (start, end) = towards.across(on.bounds);
            Gesture::Swipe(end, start)
        }
        Action::Swipe { on, towards } => Gesture::Swipe(on.bounds.centre(), towards.across(on.bounds).1),
        Action::Back => Gesture::Back,
        Action::Menu => Gesture::Menu,
        Action::Rotate => Gesture::Rotate,
        Action::Network => Gesture::Network,
        Action::PauseResume => Gesture::PauseResume,
        Action::Idle => Gesture::Idle,
        Action::User { action, on } => Gesture::User(Shared(action.clone()), on.bounds),
    })
}

fn perform(run: &mut Run<'_>, gesture: &Gesture) -> Result<(), Fault> {
    let mut takes_ms = ACTION_MS;
    match gesture {
        Gesture::Start(window) => {
            run.state.launched = *window;
            run.start(*window)?;
            run.settle()?;
        }
        Gesture::Tap(at) => run.tap(*at)?,
        Gesture::LongTap(at) => run.long_tap(*at)?,
        Gesture::Swipe(from, to) => run.swipe(*from, *to)?,
        Gesture::Text(at, text) => run.replace_text(*at, text)?,
        Gesture::Back => run.key(PressedKey::Back)?,
        Gesture::Menu => run.key(PressedKey::Menu)?,
        Gesture::Rotate => run.rotate()?,
        Gesture::Network => run.switch_network()?,
        Gesture::PauseResume => run.pause_and_resume()?,
        Gesture::Idle => takes_ms = IDLE_MS,
        Gesture::User(Shared(action), bounds) => user_action(run, action, *bounds)?,
        Gesture::Front(window) => {
            run.bring_up(*window)?;
            run.settle()?;
        }
        Gesture::Type(text) => run.type_text(text)?,
        Gesture::Key(key, times) => {
            for _ in 0..*times {
                run.key(*key)?;
            }
        }
        Gesture::Kill => {
            run.state.system = None;
            run.end_process()?;
            run.settle()?;
        }
        Gesture::Light(true) => run.wake()?,
        Gesture::Light(false) => {
            run.state.is_lit = false;
            run.settle()?;
        }
        Gesture::Sleep { quiet_ms, .. } => run.quiet_ms = *quiet_ms,
        Gesture::Lost => {}
        Gesture::Crash => {
            let top = run.state.top().map(|top| run.state.stack[top].instance.number);
            run.crash("java.lang.RuntimeException: sim.crash".into(), top.unwrap_or(u32::MAX));
            return run.settle();
        }
    }
    if let Gesture::Sleep { ms, .. } = gesture {
        // So long a sleep is an idle.
        let lag_ms = if is_action(gesture) { run.model.settings.lag_ms } else { 0 };
        return run.pass(ms.saturating_add(lag_ms));
    }
    // A touch takes the time, and what follows it none: so both together take as long as one action.
    if !is_action(gesture) && !matches!(gesture, Gesture::Start(_)) {
        return run.pass(0);
    }
    run.pass(takes_ms.saturating_add(run.model.settings.lag_ms))
}

fn user_action(run: &mut Run<'_>, action: &UserAction, bounds: Bounds) -> Result<(), Fault> {
    for gesture in &action.gestures {
        match gesture {
            gui::Gesture::Tap(at) => run.tap(at.on(bounds))?,
            gui::Gesture::LongTap(at) => run.long_tap(at.on(bounds))?,
            gui::Gesture::Swipe { from, to } => run.swipe(from.on(bounds), to.on(bounds))?,
            gui::Gesture::Text(text) => run.type_text(text)?,
            gui::Gesture::Key(key) => run.key(*key)?,
            gui::Gesture::Wait { ms } => run.pass(u64::from(*ms))?,
        }
    }
    Ok(())
}
