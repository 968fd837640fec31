//! The device itself: actions in, observations out, and for exhaustive search all outcomes of an action.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::chance::{Chance, Odds, Script};
use super::crash::traced;
use super::effects::{Base, Run, globals};
use super::evaluate::Fault;
use super::gestures::{self, IDLE_MS};
use super::layout::TouchMap;
use super::memo::{Gesture, Known, Memo, States, Transition};
use super::model::{Model, WindowId, WindowKind};
use super::render::render;
use super::state::{State, activity_names};
use crate::device::{App, Capabilities, Device, DeviceError, Hand, Notice, Observation, Secrets};
use crate::gui::{Action, Pixels, PressedKey, Screen};
use crate::rng::{Rng, Seed};

/// Time that a touch takes until the screen has settled.
const TOUCH_MS: u64 = 500;

/// Most bytes of a state, approximately: ten thousand records may hold long texts.
const STATE_BYTES_MAX: usize = 16 << 20;

/// Most outcomes of an action that are told apart.
const OUTCOMES_MAX: usize = 10_000;

/// A simulated phone that runs an app model, with a virtual clock and with all chance from the seed.
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
    /// True if the last touch was lost; needed when an action is done gesture by gesture.
    is_touch_lost: bool,
}

/// A state to go back to, see [`Sim::save`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Snapshot {
    /// Number of the state. Equal numbers mean that the app looks and behaves the same, unless the model reads
    /// the clock ([`Sim::has_read_clock`]).
    pub state: u32,
    /// The device's clock.
    pub at_ms: u64,
}

/// A possible result of an action, see [`Sim::outcomes`].
#[derive(Clone, Debug)]
pub struct SimOutcome {
    /// Its probability; those of one action add up to 1.
    pub probability: f64,
    /// The state after it.
    pub after: Snapshot,
    /// The observation after it.
    pub observation: Observation,
}

/// A state of the memo and the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Moment {
    state: u32,
    at_ms: u64,
}

/// The progress of an action: where its gestures have led so far.
#[derive(Debug)]
struct Progress {
    now: Moment,
    notices: Arc<[Notice]>,
    /// True if the last touch was lost; text typed after it is lost with it.
    is_touch_lost: bool,
}

/// Everything but the chance and the present.
#[derive(Clone, Debug)]
struct Core {
    model: Arc<Model>,
    app: App,
    /// The phone with the app just installed.
    fresh: Known,
    /// The reason the app cannot be started, if there is one.
    fault: Option<Fault>,
    memo: Memo,
    saved: States,
    has_read_clock: bool,
    no_notices: Arc<[Notice]>,
    /// Secrets that the app alone gets to see, if there are any.
    secrets: Option<Arc<Secrets>>,
    /// True if anything is remembered; answers do not depend on it.
    is_memoised: bool,
    /// True if a keyboard that comes up stays.
    keeps_keyboard: bool,
}

impl Sim {
    /// Returns a phone with the app installed but not yet started, which takes its chance from `seed`.
    pub fn new(model: Arc<Model>, seed: Seed) -> Sim {
        // A variable without a valid initial value is none; starting the app reports why.
        let values = globals(&model, None);
        let fault = values.as_ref().err().cloned();
        let held = model.settings.display.by_nature();
        let fresh = Known::new(State::new(values.unwrap_or_default(), first(&model), held));
        let mut memo = Memo::default();
        let now = Moment { state: memo.intern(fresh.clone()), at_ms: 0 };
        let launchable = model.launchable.iter().map(|&window| activity_names(&model, window).1).collect();
        let windows = 0..model.windows.len() as WindowId;
        let is_own = |window: &WindowId| {
            let kind = &model.windows[*window as usize].kind;
            matches!(kind, WindowKind::Activity { package, .. } if *package == model.package)
        };
        let activities = windows.filter(is_own).map(|window| activity_names(&model, window).1).collect();
        let (package, version) = (model.package.clone(), model.version.clone());
        let app = App { package, version, launchable, activities };
        let core = Core {
            model,
            app,
            fresh,
            fault,
            memo,
            saved: States::default(),
            has_read_clock: false,
            no_notices: Arc::default(),
            secrets: None,
            is_memoised: true,
            keeps_keyboard: false,
        };
        Sim { core, rng: seed.fork("simulator"), now, is_touch_lost: false }
    }

    /// Returns the same phone, where the app alone gets to see `secrets`.
    #[must_use]
    pub fn sealed(mut self, secrets: Option<Arc<Secrets>>) -> Sim {
        self.core.secrets = secrets;
        self
    }

    /// Returns the same phone, which remembers about `bytes_max` bytes of what it has worked out, in place of 48 MB. Answers do
    /// not depend on it: a search comes to most states again, and is slower with less; a run that is led by hand is not.
    #[must_use]
    pub fn remembering(mut self, bytes_max: usize) -> Sim {
        self.forget(Memo::within(bytes_max));
        self
    }

    /// Returns the present, for [`Sim::restore`]; chance is not part of it.
    pub fn save(&mut self) -> Snapshot {
        self.core.save(self.now)
    }

    /// Goes back to a state that this device has saved.
    pub fn restore(&mut self, snapshot: Snapshot) {
        if let Some(known) = self.core.saved.get(snapshot.state) {
            // The memo may have been emptied since the state was saved.
            let state = self.core.memo.intern(known.clone());
            self.now = Moment { state, at_ms: snapshot.at_ms };
        }
    }

    /// Returns all possible results of `action` from here, and stays here.
    ///
    /// Equal results are merged. Returns `None` if chance has more than 10,000 ways.
    pub fn outcomes(&mut self, action: &Action) -> Result<Option<Vec<SimOutcome>>, DeviceError> {
        if let Action::Reinitialise(activity) = action {
            return self.start_outcomes(activity);
        }
        // Made before the action, because its outcomes then hold numbers of the memo.
        self.make_room();
        let now = self.now;
        self.core.outcomes(|core, chance| core.act(now, action, chance))
    }

    /// Returns all possible results of a fresh start with the launchable `activity`.
    pub fn start_outcomes(&mut self, activity: &str) -> Result<Option<Vec<SimOutcome>>, DeviceError> {
        self.make_room();
        let (from, gesture) = self.core.start(self.now, activity)?;
        self.core.outcomes(|core, chance| {
            let mut progress = core.go_all(core.progress(from), [gesture.clone()], chance)?;
            core.put_keyboard_away(&mut progress, chance)?;
            Ok(progress)
        })
    }

    /// Returns the screen of a state that this device has saved, and stays here.
    pub fn screen_at(&mut self, snapshot: Snapshot) -> Result<Arc<Screen>, DeviceError> {
        self.make_room();
        let Some(known) = self.core.saved.get(snapshot.state) else {
            return self.core.observation(self.now, self.core.no_notices.clone()).map(|seen| seen.screen);
        };
        let state = self.core.memo.intern(known.clone());
        let moment = Moment { state, at_ms: snapshot.at_ms };
        Ok(self.core.observation(moment, self.core.no_notices.clone())?.screen)
    }

    /// Returns the approximate size in bytes of all saved states.
    pub fn saved_bytes(&self) -> usize {
        self.core.saved.bytes()
    }

    /// Returns true if anything done or seen so far depends on the clock.
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

    /// Replaces the model by one that differs only in its settings.
    pub(super) fn set_model(&mut self, model: Arc<Model>) {
        // The memo depends on the settings.
        self.core.model = model;
        self.forget(self.core.memo.emptied());
    }

    /// Resets the app to a fresh installation; the phone's orientation stays, and chance goes on.
    pub(super) fn renew(&mut self) {
        self.make_room();
        // These belong to the phone, and installing an app does not change them.
        let State { orientation, has_network, is_lit, .. } = *self.state();
        let fresh = State::clone(&self.core.fresh.state);
        let state = State { orientation, has_network, is_lit, ..fresh };
        self.now = Moment { state: self.core.memo.intern(Known::new(state)), at_ms: 0 };
    }

    /// Starts an app that has not run since its installation, in the orientation in which the phone is held.
    pub(super) fn start_here(&mut self, window: WindowId) -> Result<Observation, DeviceError> {
        if let Some(fault) = &self.core.fault {
            return Err(self.core.error(fault));
        }
        self.now.at_ms = 0;
        self.go_from_here([Gesture::Start(window)])
    }

    /// Stops remembering.
    #[cfg(test)]
    pub(super) fn forget_everything(&mut self) {
        self.core.is_memoised = false;
    }

    pub(super) fn set_touch_lost(&mut self, is_lost: bool) {
        self.is_touch_lost = is_lost;
    }

    /// Does gestures one after another, as by hand.
    pub(super) fn go_from_here<const N: usize>(
        &mut self,
        gestures: [Gesture; N],
    ) -> Result<Observation, DeviceError> {
        self.make_room();
        let progress = Progress { is_touch_lost: self.is_touch_lost, ..self.core.progress(self.now) };
        let progress = self.core.go_all(progress, gestures, &mut Chance::Drawn(&mut self.rng))?;
        self.is_touch_lost = progress.is_touch_lost;
        self.arrive(progress)
    }

    fn arrive(&mut self, progress: Progress) -> Result<Observation, DeviceError> {
        // The screen is made first: if that fails, the device stays where it was.
        let observation = self.core.observation(progress.now, progress.notices)?;
        self.now = progress.now;
        Ok(observation)
    }

    /// Forgets all but the present if too much is remembered.
    fn make_room(&mut self) {
        if self.core.memo.is_full() || !self.core.is_memoised {
            self.forget(self.core.memo.emptied());
        }
    }

    /// Puts an empty memo in the place of the one there is; the present state alone is kept.
    fn forget(&mut self, empty: Memo) {
        let present = self.core.memo.state(self.now.state).clone();
        self.core.memo = empty;
        self.now.state = self.core.memo.intern(present);
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

    fn capabilities(&self) -> Capabilities {
        match self.core.model.settings.has_device_actions {
            true => Capabilities::PHONE,
            false => Capabilities::NONE,
        }
    }

    fn look(&mut self) -> Result<Observation, DeviceError> {
        self.make_room();
        self.core.observation(self.now, self.core.no_notices.clone())
    }

    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        self.make_room();
        let (from, gesture) = self.core.start(self.now, activity)?;
        let progress = self.core.progress(from);
        let mut chance = Chance::Drawn(&mut self.rng);
        let mut progress = self.core.go_all(progress, [gesture], &mut chance)?;
        self.core.put_keyboard_away(&mut progress, &mut chance)?;
        self.arrive(progress)
    }

    fn keep_keyboard(&mut self, keeps: bool) {
        self.core.keeps_keyboard = keeps;
    }

    fn picture(&mut self) -> Option<Pixels> {
        None
    }

    fn hand(&self) -> Option<Box<dyn Hand>> {
        None
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        if let Action::Reinitialise(activity) = action {
            return self.reset(activity);
        }
        self.make_room();
        let progress = self.core.act(self.now, action, &mut Chance::Drawn(&mut self.rng))?;
        self.arrive(progress)
    }
}

impl Core {
    /// Returns the moment and the gesture of a fresh start.
    fn start(&mut self, now: Moment, activity: &str) -> Result<(Moment, Gesture), DeviceError> {
        let at = self.app.launchable.iter().position(|name| **name == *activity).ok_or_else(|| {
            let launchable = self.app.launchable.join("`, `");
            self.error(&Fault::new(format!("`{activity}` cannot be launched; there is `{launchable}`")))
        })?;
        if let Some(fault) = &self.fault {
            return Err(self.error(fault));
        }
        let fresh = self.started(&now)?;
        let state = self.memo.intern(fresh);
        Ok((Moment { state, at_ms: 0 }, Gesture::Start(self.model.launchable[at])))
    }

    /// Returns the phone as a fresh start finds it.
    fn started(&self, now: &Moment) -> Result<Known, DeviceError> {
        if !self.model.settings.keeps_stored {
            return Ok(self.fresh.clone());
        }
        let before = &self.memo.state(now.state).state.globals;
        let kept = globals(&self.model, Some(before)).map_err(|fault| self.error(&fault))?;
        Ok(Known::new(State { globals: kept, ..State::clone(&self.fresh.state) }))
    }

    /// Returns the progress before the first gesture.
    fn progress(&self, from: Moment) -> Progress {
        Progress { now: from, notices: self.no_notices.clone(), is_touch_lost: false }
    }

    /// Does an action that does not start the app.
    fn act(
        &mut self,
        from: Moment,
        action: &Action,
        chance: &mut Chance<'_>,
    ) -> Result<Progress, DeviceError> {
        let before = self.memo.state(from.state).state.clone();
        let mut progress = self.progress(from);
        let secrets = self.secrets.clone();
        let action = secrets.as_ref().map_or(Cow::Borrowed(action), |secrets| secrets.reveal(action));
        gestures::each(&action, &before, |gesture| self.go(&mut progress, gesture, chance))?;
        self.put_keyboard_away(&mut progress, chance)?;
        Ok(progress)
    }

    fn put_keyboard_away(
        &mut self,
        progress: &mut Progress,
        chance: &mut Chance<'_>,
    ) -> Result<(), DeviceError> {
        let is_up = self.memo.state(progress.now.state).state.has_keyboard;
        if is_up && !self.keeps_keyboard { self.go(progress, Gesture::HideKeyboard, chance) } else { Ok(()) }
    }

    fn go_all<const N: usize>(
        &mut self,
        mut progress: Progress,
        gestures: [Gesture; N],
        chance: &mut Chance<'_>,
    ) -> Result<Progress, DeviceError> {
        gestures.into_iter().try_for_each(|gesture| self.go(&mut progress, gesture, chance))?;
        Ok(progress)
    }

    /// Does a gesture, with the chance events before and after it.
    fn go(
        &mut self,
        progress: &mut Progress,
        gesture: Gesture,
        chance: &mut Chance<'_>,
    ) -> Result<(), DeviceError> {
        let settings = self.model.settings;
        let state = &self.memo.state(progress.now.state).state;
        // As on Android, the first press only closes the keyboard.
        let gesture = match gesture {
            Gesture::Back if state.has_keyboard => Gesture::HideKeyboard,
            other => other,
        };
        let Some(mut gesture) = taken(gesture, state, progress.is_touch_lost) else { return Ok(()) };
        let (is_touch, can_crash) = (is_touch(&gesture), can_be_followed_by_crash(&gesture));
        // Other gestures draw nothing here, so they leave later draws as they are.
        let is_lost = can_be_lost(&gesture, state) && comes_up(settings.lose_percent, chance);
        if is_lost {
            gesture = Gesture::Lost;
        }
        if is_touch {
            progress.is_touch_lost = is_lost;
        }
        self.go_on(progress, gesture, chance)?;
        let state = &self.memo.state(progress.now.state).state;
        // Elsewhere, a crash of the app would go unseen.
        let can_crash = can_crash && state.is_in_front && state.system.is_none();
        if can_crash && comes_up(settings.crash_percent, chance) {
            self.go_on(progress, Gesture::Crash, chance)?;
        }
        Ok(())
    }

    fn go_on(
        &mut self,
        progress: &mut Progress,
        gesture: Gesture,
        chance: &mut Chance<'_>,
    ) -> Result<(), DeviceError> {
        let done = self.perform(progress.now, gesture, chance.lend())?;
        progress.now = Moment { state: done.to, at_ms: progress.now.at_ms.saturating_add(done.elapsed_ms) };
        // Mostly there are no new ones, and then nothing is copied.
        progress.notices = match (&*progress.notices, &*done.notices) {
            (_, []) => progress.notices.clone(),
            ([], _) => done.notices,
            (before, after) => before.iter().chain(after).cloned().collect(),
        };
        Ok(())
    }

    #[inline]
    fn perform(
        &mut self,
        from: Moment,
        gesture: Gesture,
        chance: Chance<'_>,
    ) -> Result<Transition, DeviceError> {
        let key = (from.state, gesture);
        match self.memo.transition(&key) {
            Some(known) => Ok(known.clone()),
            None => self.perform_anew(from, key, chance),
        }
    }

    #[cold]
    fn perform_anew(
        &mut self,
        from: Moment,
        key: (u32, Gesture),
        chance: Chance<'_>,
    ) -> Result<Transition, DeviceError> {
        let model = self.model.clone();
        let state = self.memo.state(from.state).state.clone();
        let mut run = Run::new(&model, State::clone(&state), chance, from.at_ms);
        let touch_map = self.touch_map(from.state, &key.1);
        run.base = self.is_memoised.then_some(Base { state, touch_map });
        perform(&mut run, &key.1).map_err(|fault| self.error(&fault))?;
        if let Some(Base { touch_map: Some(touch_map), .. }) = run.base {
            self.memo.set_touch_map(from.state, touch_map);
        }
        // A step with chance or the clock in it may lead elsewhere next time, so it is not remembered.
        let is_certain = !run.meter.has_drawn && !run.meter.has_read_clock;
        self.has_read_clock |= run.meter.has_read_clock;
        let elapsed_ms = run.meter.now_ms.saturating_sub(from.at_ms);
        let notices = if run.notices.is_empty() { self.no_notices.clone() } else { run.notices.into() };
        let mut state = run.state;
        // Tidied states are equal more often, so fewer are kept.
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

    /// Returns the touch map of a state as far as it is known, and `gesture` needs it.
    fn touch_map(&mut self, state: u32, gesture: &Gesture) -> Option<Arc<TouchMap>> {
        if let Some(known) = self.memo.touch_map(state) {
            return Some(known.clone());
        }
        let needs_it = is_touch(gesture)
            || matches!(gesture, Gesture::Type(_) | Gesture::Replace(_) | Gesture::Edit(..));
        if !needs_it || !self.is_memoised {
            return None;
        }
        let shared = self.memo.state(state).state.clone();
        let look = self.memo.alike.place(&self.model, &shared)?;
        self.memo.alike.touch_map(look).cloned()
    }

    fn observation(&mut self, now: Moment, notices: Arc<[Notice]>) -> Result<Observation, DeviceError> {
        let screen = match self.memo.screen(now.state) {
            Some(screen) => screen.clone(),
            None => self.screen(now)?,
        };
        let notices = self.secrets.as_ref().map_or(notices.clone(), |secrets| secrets.hide_in(&notices));
        Ok(Observation { screen, at_ms: now.at_ms, notices, picture: None })
    }

    fn screen(&mut self, now: Moment) -> Result<Arc<Screen>, DeviceError> {
        let state = self.memo.state(now.state).state.clone();
        let look = self.is_memoised.then(|| self.memo.alike.place(&self.model, &state)).flatten();
        if let Some(look) = look
            && let Some(screen) = self.memo.alike.screen(look, &state).cloned()
        {
            if let Some(touch_map) = self.memo.alike.touch_map(look).cloned() {
                self.memo.set_touch_map(now.state, touch_map);
            }
            self.memo.share_screen(now.state, screen.clone());
            return Ok(screen);
        }
        let rendered = render(&self.model, &state, now.at_ms).map_err(|fault| self.error(&fault))?;
        let mut screen = Arc::new(rendered.screen);
        if let Some(secrets) = &self.secrets {
            screen = secrets.hide_on(&screen);
        }
        self.has_read_clock |= rendered.has_read_clock;
        if !rendered.has_read_clock && self.is_memoised {
            screen = self.memo.set_screen(now.state, screen);
            if let Some(look) = look {
                self.memo.alike.set_screen(look, &state, screen.clone());
            }
        }
        if let Some(touch_map) = rendered.touch_map.filter(|_| self.is_memoised) {
            let touch_map = Arc::new(touch_map);
            if let Some(look) = look {
                self.memo.alike.set_touch_map(look, touch_map.clone());
            }
            self.memo.set_touch_map(now.state, touch_map);
        }
        Ok(screen)
    }

    fn save(&mut self, moment: Moment) -> Snapshot {
        let known = self.memo.state(moment.state).clone();
        Snapshot { state: self.saved.intern(known), at_ms: moment.at_ms }
    }

    fn outcomes(
        &mut self,
        act: impl Fn(&mut Core, &mut Chance<'_>) -> Result<Progress, DeviceError>,
    ) -> Result<Option<Vec<SimOutcome>>, DeviceError> {
        type Told = (Moment, Arc<[Notice]>);
        // A list beside the map keeps the outcomes in an order that does not depend on hashes.
        let mut found: Vec<(Told, f64)> = Vec::new();
        let mut places: HashMap<Told, usize, FxBuildHasher> = HashMap::default();
        let mut script = Script::default();
        for tried in 1.. {
            if tried > OUTCOMES_MAX {
                return Ok(None);
            }
            script.rewind();
            let progress = act(self, &mut Chance::Scripted(&mut script))?;
            let told = (progress.now, progress.notices);
            let place = *places.entry(told.clone()).or_insert_with(|| {
                found.push((told, 0.0));
                found.len() - 1
            });
            found[place].1 += script.probability();
            if !script.advance() {
                break;
            }
        }
        // Screens are made last, one for each result and not for each way to it.
        let outcome = |((moment, notices), probability)| {
            let observation = self.observation(moment, notices)?;
            Ok(SimOutcome { probability, after: self.save(moment), observation })
        };
        found.into_iter().map(outcome).collect::<Result<Vec<SimOutcome>, DeviceError>>().map(Some)
    }

    fn error(&self, fault: &Fault) -> DeviceError {
        let source = &self.model.source;
        let span = fault.span.as_ref().filter(|span| source.text().is_char_boundary(span.start));
        let message = match span.map(|span| source.position(span.start)) {
            Some(at) => format!("line {}, column {}: {}", at.line, at.column, fault.message),
            None => fault.message.clone(),
        };
        let error = DeviceError::Model { model: self.model.name.clone(), message };
        match &self.secrets {
            Some(secrets) => secrets.hide_error(error),
            None => error,
        }
    }
}

/// Returns the gesture as the phone takes it, if it does. A dark display ignores touches and keys, but home
/// lights it; text after a lost touch is ignored; an activity already in front is not brought there.
fn taken(gesture: Gesture, state: &State, is_touch_lost: bool) -> Option<Gesture> {
    match &gesture {
        Gesture::Home if !state.is_lit => Some(Gesture::Light(true)),
        Gesture::Tap(_)
        | Gesture::LongTap(_)
        | Gesture::Swipe(..)
        | Gesture::Back
        | Gesture::HideKeyboard
        | Gesture::Menu => state.is_lit.then_some(gesture),
        Gesture::Type(_) | Gesture::Replace(_) | Gesture::Key(..) | Gesture::Edit(..) => {
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

/// Returns true if the model's settings can make this gesture get lost: a touch or a key.
///
/// Commands to the system are never lost, and text shares the fate of the touch before it.
fn can_be_lost(gesture: &Gesture, state: &State) -> bool {
    match gesture {
        Gesture::Tap(_) | Gesture::LongTap(_) | Gesture::Swipe(..) | Gesture::Back | Gesture::Menu => true,
        // In the launcher the home key does nothing that could be lost.
        Gesture::Home => state.is_in_front,
        Gesture::Start(_)
        | Gesture::HideKeyboard
        | Gesture::Type(_)
        | Gesture::Replace(_)
        | Gesture::Key(..)
        | Gesture::Edit(..)
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

/// Returns true if the model's settings can make the app crash after this gesture.
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
        // A sleep of this length is the action *idle*.
        Gesture::Sleep { ms, .. } => *ms >= IDLE_MS,
        Gesture::Start(_)
        | Gesture::HideKeyboard
        | Gesture::Type(_)
        | Gesture::Replace(_)
        | Gesture::Key(..)
        | Gesture::Edit(..)
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
    // A larger share would leave less than nothing for the other one.
    let percent = percent.min(100);
    let odds = [percent, 100 - percent];
    // 0 % and 100 % draw nothing, so they leave later draws as they are.
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
        Gesture::HideKeyboard => run.state.has_keyboard = false,
        Gesture::Menu => run.key(PressedKey::Menu)?,
        Gesture::Home | Gesture::Leave => run.key(PressedKey::Home)?,
        Gesture::Type(text) => run.type_text(text)?,
        Gesture::Replace(text) => run.replace_text(text)?,
        Gesture::Key(key, times) => {
            for _ in 0..*times {
                run.key(*key)?;
            }
        }
        Gesture::Edit(key, times) => run.edit_text(*key, *times)?,
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
        // Time passes all the same.
        Gesture::Lost => {}
        Gesture::Crash => {
            let top = run.state.top().map(|top| run.state.stack[top].instance.number);
            let site = format!("{}.Chance.crash(sim.crash)", run.model.package);
            let trace = traced("java.lang.RuntimeException: sim.crash", &site);
            run.crash(trace, top.unwrap_or(u32::MAX));
            // It takes no time of its own.
            return run.settle();
        }
    }
    run.pass(takes_ms(gesture, run.model.settings.lag_ms))
}

/// Returns the time that a gesture takes until the screen has settled.
///
/// Each action takes as long as one touch: text after a touch takes no time of its own, and neither does home
/// before the app is brought back.
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
        Gesture::HideKeyboard
        | Gesture::Home
        | Gesture::Leave
        | Gesture::Type(_)
        | Gesture::Replace(_)
        | Gesture::Key(..)
        | Gesture::Edit(..)
        | Gesture::Kill
        | Gesture::Light(_)
        | Gesture::Crash => 0,
    }
}
