//! Keeping: minimises a run that was found, confirms it, and captures it as a test.
//!
//! The caller hands in a function that opens a device, so each try has a fresh app and its own chance. The
//! result depends on the run and the seed, and neither on the order of tries nor on threads.

use std::sync::{Arc, Mutex};

use crate::device::{Album, Device, DeviceError, Pictured, references};
use crate::gui::{Action, Atom, Rules, Touch};
use crate::minimise::{Check, Element, Minimised, Trial, TrialResult, minimise};
use crate::rate::Rate;
use crate::replay::{Captured, Missing, Played, Player, Slack, capture};
use crate::rng::Seed;
use crate::search::in_order;
use crate::spec::Spec;
use crate::trace::{Step, Trace};

/// Opens a device with the app on it; all its chance comes from the seed.
pub type Opener<'a> = &'a (dyn Fn(Seed) -> Box<dyn Device> + Sync);

/// Settings of [`keep`].
#[derive(Clone, Debug)]
pub struct Settings {
    /// Settings of minimising; `None` keeps all steps.
    pub minimise: Option<crate::minimise::Settings>,
    /// Number of runs that confirm the result.
    pub confirm: u32,
    /// The seed of all chance.
    pub seed: Seed,
    /// Number of devices used at a time.
    pub jobs: usize,
    /// True if the run as found is captured too.
    pub keeps_found: bool,
    /// Slack of the bounds in time of a captured formula.
    pub slack: Slack,
    /// Actions that are never done while minimising and confirming.
    pub rules: Arc<Rules>,
    /// Album for pictures of the confirming runs, if they are to be taken.
    pub album: Option<Album>,
}

/// A run as it is kept.
#[derive(Clone, Debug)]
pub struct Keeping {
    /// The run after minimising.
    pub run: Trace,
    /// Number of steps of the run as found.
    pub found_steps: usize,
    /// The result of minimising, if it was asked for.
    pub minimised: Option<Minimised>,
    /// Rate of the confirming runs.
    pub confirmed: Rate,
    /// The steps and the formula of `run`.
    pub captured: Captured,
    /// The steps and the formula of the run as found, if asked for.
    pub found: Option<Captured>,
    /// True if it was stopped before the end.
    pub is_interrupted: bool,
}

impl Keeping {
    /// Returns `run` unchanged, for devices on which nothing can be tried again.
    pub fn as_found(spec: &Spec, run: &Trace, settings: &Settings) -> Keeping {
        Keeping {
            captured: capture(spec, run, settings.slack),
            found: settings.keeps_found.then(|| capture(spec, run, settings.slack)),
            found_steps: run.steps.len(),
            is_interrupted: false,
            minimised: None,
            confirmed: Rate::default(),
            run: run.clone(),
        }
    }
}

/// Most tries to see the shortened run once, if no confirming runs are asked for.
const TRIES_MAX: u32 = 10;

/// Minimises `run`, which satisfies `spec`, and confirms the result.
///
/// # Errors
///
/// Returns the first error of the device.
pub fn keep(
    open: Opener<'_>,
    spec: &Spec,
    run: &Trace,
    settings: &Settings,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<Keeping, DeviceError> {
    let actions: Vec<&Action> = run.steps.iter().map(|step| &step.action).collect();
    let asks_for_crashes = spec.atoms.values().any(Atom::mentions_crash);
    let crash = if asks_for_crashes { crash(run) } else { None };
    let mut reruns = Reruns::new(open, spec, (&actions, crash), settings, goes_on);
    let minimised = match &settings.minimise {
        Some(how) if actions.len() > 1 => Some(minimise(&mut reruns, actions.len() - 1, how)?),
        Some(_) | None => None,
    };
    let kept: Vec<Element> = match &minimised {
        Some(minimised) => minimised.kept.clone(),
        None => (0..actions.len().saturating_sub(1)).map(|at| Element { at, form: 0 }).collect(),
    };
    let short = reruns.actions(&kept);
    let mut confirmed = Rate::default();
    let mut again = None;
    for number in 0..if settings.confirm == 0 { TRIES_MAX } else { settings.confirm } {
        if (settings.confirm == 0 && again.is_some()) || !goes_on() {
            break;
        }
        let device = open(settings.seed.derived(&format!("confirm {number}")));
        let mut device = Pictured::filling(device, settings.album.as_ref());
        let played = reruns.players[0].get_mut().expect("nobody has panicked").play(
            &mut *device,
            &short,
            Missing::Stop,
        )?;
        let is_same = reruns.is_same(&played);
        if settings.confirm > 0 {
            confirmed.runs += 1;
            confirmed.passes += u32::from(is_same);
        }
        if is_same && again.is_none() {
            again = Some(played);
        }
    }
    let found = run;
    // A run that never succeeded again is kept as it was found.
    let run = again.map_or_else(|| run.clone(), |played| explained(played, &kept, run));
    Ok(Keeping {
        captured: capture(spec, &run, settings.slack),
        found: settings.keeps_found.then(|| capture(spec, found, settings.slack)),
        found_steps: actions.len(),
        is_interrupted: !goes_on(),
        minimised,
        confirmed,
        run,
    })
}

/// Returns the identity of the last crash of `run`, if there is one.
fn crash(run: &Trace) -> Option<Arc<str>> {
    run.steps.iter().rev().find_map(|step| step.observation.screen.crash().cloned())
}

/// Returns the played trace with the reasons from the run it repeats.
fn explained(played: Played, kept: &[Element], run: &Trace) -> Trace {
    // Played actions count the start as 0; elements of minimising count from the step after it.
    let found = |done: usize| match done {
        0 => run.steps.first(),
        later => kept.get(later - 1).and_then(|kept| run.steps.get(kept.at + 1)),
    };
    let steps = played.trace.steps.into_iter().zip(&played.done).map(|(step, &done)| {
        let found = found(done);
        Step {
            why: found.and_then(|found| found.why.clone()),
            learned: found.and_then(|found| found.learned.clone()),
            ..step
        }
    });
    Trace { steps: steps.collect() }
}

/// Tries shortened runs on fresh devices.
struct Reruns<'a> {
    open: Opener<'a>,
    start: Action,
    /// Each action after the start in all its forms, the original first.
    forms: Vec<Vec<Action>>,
    /// Identity of the crash that the run shows and the spec asks for: a run with another one is another run.
    crash: Option<Arc<str>>,
    players: Vec<Mutex<Player>>,
    seed: Seed,
    goes_on: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Reruns<'a> {
    fn new(
        open: Opener<'a>,
        spec: &Spec,
        (actions, crash): (&[&Action], Option<Arc<str>>),
        settings: &Settings,
        goes_on: &'a (dyn Fn() -> bool + Sync),
    ) -> Reruns<'a> {
        Reruns {
            open,
            start: actions[0].clone(),
            forms: actions[1..].iter().map(|action| forms(action, &settings.rules)).collect(),
            crash,
            players: (0..settings.jobs.max(1))
                .map(|_| Mutex::new(Player::within(spec, settings.rules.clone())))
                .collect(),
            seed: settings.seed,
            goes_on,
        }
    }

    /// Returns true if a run did what the original one does, with the same crash.
    fn is_same(&self, played: &Played) -> bool {
        played.is_won && (self.crash.is_none() || crash(&played.trace) == self.crash)
    }

    /// Returns the actions of a shortened run, the start included.
    fn actions(&self, kept: &[Element]) -> Vec<Action> {
        let later = kept.iter().map(|kept| self.forms[kept.at][usize::from(kept.form)].clone());
        std::iter::once(self.start.clone()).chain(later).collect()
    }

    fn attempt(&self, trial: &Trial<'_>) -> Result<TrialResult, DeviceError> {
        let actions = self.actions(trial.kept);
        // Named by the trial alone, so that threads and their order change no chance.
        let seed = self.seed.derived(&format!("try {} of {:?}", trial.number, trial.kept));
        let mut device = (self.open)(seed);
        let mut player = self
            .players
            .iter()
            .find_map(|player| player.try_lock().ok())
            .expect("there are as many players as threads");
        let played = player.play(&mut *device, &actions, Missing::Skip)?;
        let done = played.done.iter().filter(|&&done| done > 0).map(|&done| trial.kept[done - 1]);
        Ok(TrialResult { passed: self.is_same(&played), done: done.collect() })
    }
}

impl Check for Reruns<'_> {
    type Error = DeviceError;

    fn round(&mut self, trials: &[Trial<'_>]) -> Result<Vec<TrialResult>, DeviceError> {
        let mut all = Vec::with_capacity(trials.len());
        let attempt = |number: usize| self.attempt(&trials[number]);
        // One device or one trial needs no threads.
        if self.players.len() == 1 || trials.len() == 1 {
            all.extend((0..trials.len()).map(attempt));
        } else {
            in_order(self.players.len(), trials.len(), attempt, |_, tried| all.push(tried));
        }
        all.into_iter().collect()
    }

    fn goes_on(&mut self) -> bool {
        (self.goes_on)()
    }

    fn forms(&self, at: usize) -> u16 {
        self.forms[at].len() as u16 - 1
    }
}

/// Returns the action and then the simpler ones that `rules` let replace it, the simplest last.
fn forms(action: &Action, rules: &Rules) -> Vec<Action> {
    let mut forms = vec![action.clone()];
    if let Action::Touch(Touch::LongClick | Touch::DoubleClick, on) = action {
        forms.push(Action::click(on.clone()));
    }
    // A rule prescribes this text, so no shorter one is tried.
    if let Action::Text { on, text } = action
        && !rules.say(text)
        // Half of a secret's name is no secret.
        && references(text).is_empty()
    {
        let letters = text.chars().count();
        let lengths = [letters / 2, 1].into_iter().filter(|&length| 0 < length && length < letters);
        let mut shorter: Vec<String> = lengths.map(|length| text.chars().take(length).collect()).collect();
        // Half of two or three letters is the single letter again.
        shorter.dedup();
        forms.extend(shorter.into_iter().map(|text| Action::Text { on: on.clone(), text: text.into() }));
    }
    let mut simpler = forms.split_off(1);
    rules.leave_out(&mut simpler);
    forms.extend(simpler);
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Rule, Target};
    use crate::spec::{Source, parse_action, parse_rule};

    #[test]
    fn what_rules_forbid_takes_the_place_of_nothing() {
        let on = Target { text: "Log out".into(), ..Target::default() };
        let held = Action::Touch(Touch::LongClick, on.clone());
        let typed = Action::Text { on, text: "name@example.com".into() };
        assert_eq!((forms(&held, &Rules::default()).len(), forms(&typed, &Rules::default()).len()), (2, 3));
        let never = parse_rule(&Source::new("rule", "[actionType = click]"), &[]).0.expect("a rule");
        let into =
            parse_action(&Source::new("rule", "action a on [text ~ g]: wait 0s")).0.expect("an action").on;
        let rules = Rules::new(&[Rule::Never(never), Rule::Type { text: "name@example.com".into(), into }]);
        assert_eq!(forms(&held, &rules), [held]);
        assert_eq!(forms(&typed, &rules), [typed]);
    }
}
