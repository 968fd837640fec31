//! The file `model.json`: one JSON object, with a state or a transition on each line.
//!
//! `docs/formats.md` shows its keys. Everything is measured before it is kept, and nothing is mended silently.

use std::sync::Arc;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::states_file::{AbstractionForm, push_abstraction};
use super::{
    ACTIVITIES_MAX, CURVE_MAX, FAULTS_MAX, KnownFault, Labels, LearnedModel, LeftOut, ModelApp, OFFERS_MAX,
    Offer, Point, STATES_MAX, State, TRANSITIONS_MAX,
};
use crate::gui::Identity;
use crate::sorted;

/// Version of the format that is written. Version 1 had no abstraction.
pub const VERSION: u64 = 2;

/// Kind of file, as the first key calls it.
const KIND: &str = "model";

/// The keys that say what the file is; a later version may have any others.
#[derive(Deserialize)]
struct Header {
    farlead: String,
    version: u64,
}

/// The whole file as it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    #[serde(rename = "farlead")]
    _kind: IgnoredAny,
    #[serde(rename = "version")]
    _version: IgnoredAny,
    app: AppForm,
    run: RunForm,
    activities: Vec<(Arc<str>, u64)>,
    crashes: Vec<FaultForm>,
    curve: Vec<[u64; 5]>,
    left_out: LeftOutForm,
    states: Vec<StateForm>,
    starts: Vec<StartForm>,
    transitions: Vec<TransitionForm>,
    /// Left out where no abstraction names widgets.
    #[serde(default)]
    abstraction: Option<AbstractionForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AppForm {
    package: Arc<str>,
    version: Arc<str>,
    /// Activities that it declares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    activities: Vec<Arc<str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunForm {
    episodes: u32,
    steps: u64,
    device_ms: u64,
    last_new: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultForm {
    crash: Arc<str>,
    #[serde(default, skip_serializing_if = "is_default")]
    anr: bool,
    times: u64,
    step: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOutForm {
    states: usize,
    done: usize,
    transitions: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateForm {
    state: usize,
    /// In hexadecimal digits, as JSON's numbers are too short.
    id: String,
    kind: String,
    name: Arc<str>,
    /// Left out if it is that of the app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    package: Option<Arc<str>>,
    activity: Arc<str>,
    seen: u64,
    step: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crash: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "is_default")]
    anr: bool,
    actions: Vec<(Arc<str>, u32)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StartForm {
    by: Arc<str>,
    to: usize,
    times: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TransitionForm {
    from: usize,
    /// Place of the action among those of the state.
    at: usize,
    by: Arc<str>,
    to: usize,
    times: u32,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl LearnedModel {
    /// Returns the text of the file, the same for the same model.
    pub fn to_text(&self) -> String {
        let ModelApp { package, version, activities } = &self.app;
        let app = AppForm {
            package: package.clone(),
            version: version.clone(),
            activities: activities.iter().take(ACTIVITIES_MAX).cloned().collect(),
        };
        let LearnedModel { episodes, steps, device_ms, last_new, .. } = *self;
        let left_out = self.left_out();
        let mut text = format!("{{\"farlead\":\"{KIND}\",\"version\":{VERSION},\n");
        push(&mut text, "app", &app);
        push(&mut text, "run", &RunForm { episodes, steps, device_ms, last_new });
        push_list(&mut text, "activities", self.activities.iter());
        push_list(&mut text, "crashes", self.faults.iter().map(fault_form));
        push(&mut text, "curve", &self.curve.iter().map(numbers).collect::<Vec<_>>());
        let LeftOut { states, done, transitions } = left_out;
        push(&mut text, "left_out", &LeftOutForm { states, done, transitions });
        let states = self.states.iter().enumerate();
        push_list(&mut text, "states", states.map(|(number, state)| self.state_form(number, state)));
        let starts = self.starts();
        push_list(
            &mut text,
            "starts",
            starts.iter().map(|start| StartForm { by: start.by.clone(), to: start.to, times: start.times }),
        );
        let transitions = self.links().into_iter().map(|link| TransitionForm {
            from: link.from,
            at: link.at,
            by: self.offer(link.from, link.at).into(),
            to: link.to,
            times: link.times as u32,
        });
        push_list(&mut text, "transitions", transitions);
        if let Some(abstraction) = &self.abstraction {
            push_abstraction(&mut text, abstraction);
        }
        // The last key has a comma too many.
        text.truncate(text.len() - ",\n".len());
        text + "}\n"
    }

    fn state_form(&self, number: usize, state: &State) -> StateForm {
        StateForm {
            state: number,
            id: format!("{:032x}", state.identity.0),
            kind: format!("{:016x}", state.kind),
            name: state.name.clone(),
            package: (state.package != self.app.package).then(|| state.package.clone()),
            activity: state.activity.clone(),
            seen: state.seen,
            step: state.first_step,
            crash: state.crash.clone(),
            anr: state.is_anr,
            actions: self.offers(number).map(|(label, times)| (label.into(), times as u32)).collect(),
        }
    }

    /// Returns the model that `text` holds, or the reason why it is none.
    ///
    /// ```
    /// use farlead::learned_model::LearnedModel;
    ///
    /// let text = LearnedModel::default().to_text();
    /// assert_eq!(LearnedModel::read(&text).expect("what was written").to_text(), text);
    /// assert!(LearnedModel::read("[]").is_err());
    /// ```
    pub fn read(text: &str) -> Result<LearnedModel, String> {
        let unknown = |error: serde_json::Error| unknown(&error.to_string());
        let Header { farlead, version } = serde_json::from_str(text).map_err(unknown)?;
        if farlead != KIND {
            return Err(self::unknown(&format!("this is `{}`, and no model", farlead.escape_default())));
        }
        if version > VERSION {
            return Err(format!(
                "this is version {version} of the format, and this farlead reads version {VERSION}: use a newer farlead, or \
                 another file"
            ));
        }
        let form: Form = serde_json::from_str(text).map_err(unknown)?;
        form.model(text.len()).map_err(|message| self::unknown(&message))
    }
}

fn unknown(what: &str) -> String {
    format!("{what}; was this file written by `farlead explore`?")
}

fn fault_form(fault: &KnownFault) -> FaultForm {
    FaultForm { crash: fault.identity.clone(), anr: fault.is_anr, times: fault.times, step: fault.first_step }
}

fn numbers(point: &Point) -> [u64; 5] {
    let Point { steps, activities, screens, done, transitions } = *point;
    [steps, activities as u64, screens as u64, done as u64, transitions as u64]
}

pub(super) fn push(text: &mut String, key: &str, value: &impl Serialize) {
    *text += &format!("\"{key}\":{},\n", json(value));
}

pub(super) fn push_list<T: Serialize>(text: &mut String, key: &str, items: impl Iterator<Item = T>) {
    *text += &format!("\"{key}\":[");
    for (at, item) in items.enumerate() {
        text.push_str(if at == 0 { "\n" } else { ",\n" });
        *text += &json(&item);
    }
    *text += "],\n";
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and numbers are JSON")
}

impl Form {
    /// Returns the model of a file of this many bytes.
    fn model(self, bytes: usize) -> Result<LearnedModel, String> {
        let Form { app, run, activities, crashes, curve, left_out, .. } = self;
        within("activities", app.activities.len().max(activities.len()), ACTIVITIES_MAX)?;
        within("crashes", crashes.len(), FAULTS_MAX)?;
        within("points of the curve", curve.len(), CURVE_MAX + 1)?;
        within("states", self.states.len(), STATES_MAX)?;
        within("transitions", self.transitions.len(), TRANSITIONS_MAX)?;
        // Counts of two runs are added, and must not overflow.
        let far = u64::MAX / 4;
        if run.steps > far || run.device_ms > far || left_out.all().iter().any(|&count| count as u64 > far) {
            return Err("a count is beyond all that can be".to_string());
        }
        let mut model = LearnedModel {
            app: ModelApp { package: app.package, version: app.version, activities: app.activities },
            episodes: run.episodes,
            steps: run.steps,
            device_ms: run.device_ms,
            last_new: run.last_new.min(run.steps),
            activities: sorted::map(activities),
            left_out: LeftOut {
                states: left_out.states,
                done: left_out.done,
                transitions: left_out.transitions,
            },
            ..LearnedModel::default()
        };
        for FaultForm { crash, anr, times, step } in crashes {
            if model.has_fault(&crash, anr) {
                return Err(format!("the crash {crash:?} is said twice"));
            }
            model.add_fault(&crash, anr, times.min(far), step);
        }
        for [steps, activities, screens, done, transitions] in curve {
            let last = model.curve.last().map_or(0, |point| point.steps);
            if steps < last || steps > run.steps {
                return Err(format!("the curve goes from step {last} to step {steps} of {}", run.steps));
            }
            let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
            let (activities, screens) = (count(activities), count(screens));
            let (done, transitions) = (count(done), count(transitions));
            model.curve.push(Point { steps, activities, screens, done, transitions });
        }
        for state in self.states {
            model.push_state(state)?;
        }
        for StartForm { by, to, times } in self.starts {
            let label = model.labels.number(&by);
            let start = (label, model.known(to)?);
            if times == 0 || times > far || model.starts.insert(start, times).is_some() {
                return Err(format!("the start {by:?} to state {to} is said twice, or never happened"));
            }
        }
        for transition in self.transitions {
            model.push_transition(&transition)?;
        }
        model.abstraction =
            self.abstraction.map(|form| form.abstraction(model.states.len()).map(Box::new)).transpose()?;
        // The abstraction is written anew at the end of each run.
        let mut again = String::new();
        if let Some(abstraction) = &model.abstraction {
            push_abstraction(&mut again, abstraction);
        }
        model.bytes = bytes.saturating_sub(again.len());
        Ok(model)
    }
}

impl LeftOutForm {
    fn all(&self) -> [usize; 3] {
        [self.states, self.done, self.transitions]
    }
}

pub(super) fn within(what: &str, count: usize, most: usize) -> Result<(), String> {
    if count > most { Err(format!("these are {count} {what}, and at most {most} are kept")) } else { Ok(()) }
}

/// Returns the number that `digits` are in the form that is written, `count` digits long.
pub(super) fn hexadecimal(digits: &str, count: usize) -> Option<u128> {
    let is_written =
        digits.len() == count && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_written.then(|| u128::from_str_radix(digits, 16).ok()).flatten()
}

impl LearnedModel {
    fn known(&self, state: usize) -> Result<u32, String> {
        if state < self.states.len() { Ok(state as u32) } else { Err(format!("there is no state {state}")) }
    }

    fn push_state(&mut self, form: StateForm) -> Result<(), String> {
        let number = self.states.len();
        if form.state != number {
            return Err(format!("this is state {}, and state {number} is next", form.state));
        }
        let identity = hexadecimal(&form.id, 32).map(Identity);
        let kind = hexadecimal(&form.kind, 16).and_then(|kind| u64::try_from(kind).ok());
        let (Some(identity), Some(kind)) = (identity, kind) else {
            return Err(format!("state {number} has an `id` or a `kind` that is none"));
        };
        self.offers += form.actions.len();
        within("actions", self.offers, OFFERS_MAX)?;
        within("actions of a state", form.actions.len(), usize::from(u16::MAX))?;
        let labels: &mut Labels = &mut self.labels;
        let offers: Vec<Offer> = form
            .actions
            .iter()
            .map(|(label, times)| Offer { label: labels.number(label), times: *times })
            .collect();
        self.done += offers.iter().filter(|offer| offer.times > 0).count();
        if self.numbers.insert(identity, number as u32).is_some() {
            return Err(format!("state {number} has the `id` of one before it"));
        }
        self.states.push(State {
            identity,
            kind,
            name: form.name,
            package: form.package.unwrap_or_else(|| self.app.package.clone()),
            activity: form.activity,
            seen: form.seen.min(u64::MAX / 4),
            first_step: form.step,
            crash: form.crash,
            is_anr: form.anr,
            offers,
            placed: 0,
            places: None,
        });
        Ok(())
    }

    fn push_transition(&mut self, form: &TransitionForm) -> Result<(), String> {
        let TransitionForm { from, at, by, to, times } = form;
        let (state, to) = (self.known(*from)?, self.known(*to)?);
        let offer = self.states[*from].offers.get(*at);
        let Some(offer) = offer.filter(|offer| self.labels.get(offer.label) == &**by) else {
            return Err(format!("state {from} has no action {at} that is {by:?}"));
        };
        if *times == 0 || offer.times == 0 {
            return Err(format!("a transition from state {from} by {by:?} was never taken"));
        }
        match self.transitions.insert((state, *at as u16, to), *times) {
            Some(_) => Err(format!("a transition from state {from} by {by:?} to state {to} is said twice")),
            None => Ok(()),
        }
    }
}
