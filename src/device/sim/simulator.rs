//! The device itself: actions in, observations out, and all outcomes of an action for those who
//! search them through.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::chance::{Chance, Odds, Script};
use super::effects::{Base, Run, globals};
use super::evaluate::Fault;
use super::gestures::{self, IDLE_MS};
use super::memo::{Gesture, Known, Memo, States, Transition};
use super::model::{Model, WindowId};
use super::render::render;
use super::state::{State, activity_names};
use crate::device::{App, Device, DeviceError, Notice, Observation};
use crate::gui::{Action, PressedKey, Screen};
use crate::rng::{Rng, Seed};

/// How long a touch takes until the screen has settled.
const TOUCH_MS: u64 = 500;

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
/// assert_eq!(&**sim.act(&Action::BACK)?.screen.package(), "com.android.launcher");
/// # Ok::<(), farlead::device::DeviceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sim {
    core: Core,
    rng: Rng,
    now: Moment,
    /// Whether the last touch was lost, for those who do an action gesture by gesture.
    is_touch_lost: bool,
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

/// Gestures on their way.
#[derive(Debug)]
struct Way {
    now: Moment,
    notices: Arc<[Notice]>,
    /// Whether the last touch was lost: what is typed behind it is lost with it.
    is_touch_lost: bool,
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
        Sim { core, rng: seed.fork("simulator"), now, is_touch_lost: false }
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
        if let Action::Reinitialise(activity) = action {
            return self.start_outcomes(activity);
        }
        self.make_room();
        let now = self.now;
        self.core.outcomes(|core, chance| core.act(now, action, chance))
    }

    /// Returns all that starting the app afresh with the launchable `activity` may lead to.
    pub fn start_outcomes(&mut self, activity: &str) -> Result<Option<Vec<Outcome>>, DeviceError> {
        self.make_room();
        let (from, gesture) = self.core.start(activity)?;
        self.core.outcomes(|core, chance| core.go_all(core.way(from), [gesture.clone()], chance))
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
        self.go_from_here([Gesture::Start(window)])
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

    pub(super) fn set_touch_lost(&mut self, is_lost: bool) {
        self.is_touch_lost = is_lost;
    }

    /// Does gestures as a hand does them, one after the other.
    pub(super) fn go_from_here<const N: usize>(
        &mut self,
        gestures: [Gesture; N],
    ) -> Result<Observation, DeviceError> {
        self.make_room();
        let way = Way { is_touch_lost: self.is_touch_lost, ..self.core.way(self.now) };
        let way = self.core.go_all(way, gestures, &mut Chance::Drawn(&mut self.rng))?;
        self.is_touch_lost = way.is_touch_lost;
        self.arrive(way)
    }

    fn arrive(&mut self, way: Way) -> Result<Observation, DeviceError> {
        let observation = self.core.observation(way.now, way.notices)?;
        self.now = way.now;
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
        let way = self.core.way(from);
        let way = self.core.go_all(way, [gesture], &mut Chance::Drawn(&mut self.rng))?;
        self.arrive(way)
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        if let Action::Reinitialise(activity) = action {
            return self.reset(activity);
        }
        self.make_room();
        let way = self.core.act(self.now, action, &mut Chance::Drawn(&mut self.rng))?;
        self.arrive(way)
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

    /// No gesture yet.
    fn way(&self, from: Moment) -> Way {
        Way { now: from, notices: self.no_notices.clone(), is_touch_lost: false }
    }

    /// Does an action that does not start the app.
    fn act(&mut self, from: Moment, action: &Action, chance: &mut Chance<'_>) -> Result<Way, DeviceError> {
        let before = self.memo.state(from.state).state.clone();
        let mut way = self.way(from);
        gestures::each(action, &before, |gesture| self.go(&mut way, gesture, chance))?;
        Ok(way)
    }

    fn go_all<const N: usize>(
        &mut self,
        mut way: Way,
        gestures: [Gesture; N],
        chance: &mut Chance<'_>,
    ) -> Result<Way, DeviceError> {
        gestures.into_iter().try_for_each(|gesture| self.go(&mut way, gesture, chance))?;
        Ok(way)
    }

    /// Does a gesture, with what comes up by chance before and after it.
    fn go(&mut self, way: &mut Way, gesture: Gesture, chance: &mut Chance<'_>) -> Result<(), DeviceError> {
        let settings = self.model.settings;
        let state = &self.memo.state(way.now.state).state;
        let Some(mut gesture) = taken(gesture, state, way.is_touch_lost) else { return Ok(()) };
        let (is_touch, can_crash) = (is_touch(&gesture), can_be_followed_by_crash(&gesture));
        let is_lost = can_be_lost(&gesture, state) && comes_up(settings.lose_percent, chance);
        if is_lost {
            gesture = Gesture::Lost;
        }
        if is_touch {
            way.is_touch_lost = is_lost;
        }
        self.go_on(way, gesture, chance)?;
        let state = &self.memo.state(way.now.state).state;
        let can_crash = can_crash && state.is_in_front && state.system.is_none();
        if can_crash && comes_up(settings.crash_percent, chance) {
            self.go_on(way, Gesture::Crash, chance)?;
        }
        Ok(())
    }

    fn go_on(&mut self, way: &mut Way, gesture: Gesture, chance: &mut Chance<'_>) -> Result<(), DeviceError> {
        let done = self.perform(way.now, gesture, chance.lend())?;
        way.now = Moment { state: done.to, at_ms: way.now.at_ms.saturating_add(done.elapsed_ms) };
        way.notices = match (&*way.notices, &*done.notices) {
            (_, []) => way.notices.clone(),
            ([], _) => done.notices,
            (before, after) => before.iter().chain(after).cloned().collect(),
        };
        Ok(())
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

    fn outcomes(
        &mut self,
        act: impl Fn(&mut Core, &mut Chance<'_>) -> Result<Way, DeviceError>,
    ) -> Result<Option<Vec<Outcome>>, DeviceError> {
        type Told = (Moment, Arc<[Notice]>);
        let mut found: Vec<(Told, f64)> = Vec::new();
        let mut places: HashMap<Told, usize, FxBuildHasher> = HashMap::default();
        let mut script = Script::default();
        for tried in 1.. {
            if tried > OUTCOMES_MAX {
                return Ok(None);
            }
            script.rewind();
            let way = act(self, &mut Chance::Scripted(&mut script))?;
            let told = (way.now, way.notices);
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
        let span = fault.span.as_ref().filter(|span| source.text().is_char_boundary(span.start));
        let message = match span.map(|span| source.position(span.start)) {
            Some(at) => format!("line {}, column {}: {}", at.line, at.column, fault.message),
            None => fault.message.clone(),
        };
        DeviceError::Model { model: self.model.name.clone(), message }
    }
}

/// What becomes of a gesture: a dark display takes no touch and no key, but home lights it; what is typed behind a touch
/// that was lost goes nowhere, and an activity that is in front already is not brought there.
fn taken(gesture: Gesture, state: &State, is_touch_lost: bool) -> Option<Gesture> {
    match &gesture {
        Gesture::Home if !state.is_lit => Some(Gesture::Light(true)),
        Gesture::Tap(_) | Gesture::LongTap(_) | Gesture::Swipe(..) | Gesture::Back | Gesture::Menu => {
            state.is_lit.then_some(gesture)
        }
        Gesture::Type(_) | Gesture::Replace(_) | Gesture::Key(..) => {
            (state.is_lit && !is_touch_lost).then_some(gesture)
        }
        Gesture::Front(window) => {
            let in_front = state.top().filter(|_| state.is_in_front);
            let is_there = in_front.is_some_and(|top| state.stack[top].instance.window == *window);
            (!is_there).then_some(gesture)
        }
        Gesture::Start(_)
        | Gesture::Home
        | Gesture::Rotate
        | Gesture::Network
        | Gesture::Leave
        | Gesture::Kill
        | Gesture::Light(_)
        | Gesture::Sleep { .. }
        | Gesture::Lost
        | Gesture::Crash => Some(gesture),
    }
}

fn is_touch(gesture: &Gesture) -> bool {
    matches!(gesture, Gesture::Tap(_) | Gesture::LongTap(_) | Gesture::Swipe(..))
}

/// Whether something is done that may be lost by the settings of the model: a touch or a key.
///
/// What the system is told to do is not lost, and what is typed goes with the touch before it.
fn can_be_lost(gesture: &Gesture, state: &State) -> bool {
    match gesture {
        Gesture::Tap(_) | Gesture::LongTap(_) | Gesture::Swipe(..) | Gesture::Back | Gesture::Menu => true,
        // In the launcher it does nothing that could be lost.
        Gesture::Home => state.is_in_front,
        Gesture::Start(_)
        | Gesture::Type(_)
        | Gesture::Replace(_)
        | Gesture::Key(..)
        | Gesture::Rotate
        | Gesture::Network
        | Gesture::Front(_)
        | Gesture::Leave
        | Gesture::Kill
        | Gesture::Light(_)
        | Gesture::Sleep { .. }
        | Gesture::Lost
        | Gesture::Crash => false,
    }
}

/// Whether something is done after which the app may crash by the settings of the model.
fn can_be_followed_by_crash(gesture: &Gesture) -> bool {
    match gesture {
        Gesture::Tap(_)
        | Gesture::LongTap(_)
        | Gesture::Swipe(..)
        | Gesture::Back
        | Gesture::Menu
        | Gesture::Home
        | Gesture::Rotate
        | Gesture::Network
        | Gesture::Front(_) => true,
        // So long a sleep is an idle.
        Gesture::Sleep { ms, .. } => *ms >= IDLE_MS,
        Gesture::Start(_)
        | Gesture::Type(_)
        | Gesture::Replace(_)
        | Gesture::Key(..)
        | Gesture::Leave
        | Gesture::Kill
        | Gesture::Light(_)
        | Gesture::Lost
        | Gesture::Crash => false,
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

fn perform(run: &mut Run<'_>, gesture: &Gesture) -> Result<(), Fault> {
    match gesture {
        Gesture::Start(window) => {
            run.state.launched = *window;
            run.start(*window)?;
            run.settle()?;
        }
        Gesture::Tap(at) => run.tap(*at)?,
        Gesture::LongTap(at) => run.long_tap(*at)?,
        Gesture::Swipe(from, to) => run.swipe(*from, *to)?,
        Gesture::Back => run.key(PressedKey::Back)?,
        Gesture::Menu => run.key(PressedKey::Menu)?,
        Gesture::Home | Gesture::Leave => run.key(PressedKey::Home)?,
        Gesture::Type(text) => run.type_text(text)?,
        Gesture::Replace(text) => run.replace_text(text)?,
        Gesture::Key(key, times) => {
            for _ in 0..*times {
                run.key(*key)?;
            }
        }
        Gesture::Rotate => run.rotate()?,
        Gesture::Network => run.switch_network()?,
        Gesture::Front(window) => {
            run.bring_up(*window)?;
            run.settle()?;
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
    run.pass(takes_ms(gesture, run.model.settings.lag_ms))
}

/// How long a gesture takes until the screen has settled.
///
/// A touch takes the time and what is typed behind it none, and home none before the app is brought back: so each
/// action takes as long as one touch.
fn takes_ms(gesture: &Gesture, lag_ms: u64) -> u64 {
    match gesture {
        Gesture::Start(_)
        | Gesture::Tap(_)
        | Gesture::LongTap(_)
        | Gesture::Swipe(..)
        | Gesture::Back
        | Gesture::Menu
        | Gesture::Rotate
        | Gesture::Network
        | Gesture::Front(_)
        | Gesture::Lost => TOUCH_MS.saturating_add(lag_ms),
        Gesture::Sleep { ms, .. } if *ms >= IDLE_MS => ms.saturating_add(lag_ms),
        Gesture::Sleep { ms, .. } => *ms,
        Gesture::Home
        | Gesture::Leave
        | Gesture::Type(_)
        | Gesture::Replace(_)
        | Gesture::Key(..)
        | Gesture::Kill
        | Gesture::Light(_)
        | Gesture::Crash => 0,
    }
}
