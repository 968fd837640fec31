//! A run that is led by hand: what a person does to an app step by step, what they expect on the way, and the specs that
//! say so.
//!
//! A [`Studio`] drives one device and answers [`Request`]s. Its [`Run`] writes and judges specs without the device. It searches
//! and stores nothing: serving it to a page, and running commands on the specs that it writes, is for the shell.

mod draft;
mod hand;
mod message;
mod pictures;
mod remembered;
mod run;
#[cfg(test)]
mod tests;
mod walkthrough;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::device::{App, Device, DeviceError};
use crate::gui::{
    self, Action, Around, Atom, Flags, Marker, Op, Picture, Repertoire, Rules, Screen, Sought, UserAction,
    Widget, WidgetTest, atom_of_action, atoms_of_screen, offers, seek, short_activity,
};
use crate::replay::Slack;
use crate::report::Displays;
use crate::spec::{atom_in_words, printable};
use crate::trace::{Notice, Observation};

pub use hand::{Followed, NoStep};
pub use message::{
    CHARS_MAX, Form, JudgedSpec, JudgedStep, Reply, Request, SaidAtom, SaidBranch, SaidExpectation,
    SaidForbidden, SaidOffer, SaidScreen, SaidStep, SaidTerm, SaidTest, SaidTestStep, SaidValue, SaidWidget,
    View, When,
};
pub use pictures::Pictures;
pub use run::Run;
use run::{Expected, LedStep};
use walkthrough::Walkthrough;

/// Most steps of a run that is led by hand.
pub const STEPS_MAX: usize = 1_000;

/// Most runs left by stepping back that are kept.
const BRANCHES_MAX: usize = 20;

/// Most expectations.
const EXPECTED_MAX: usize = 200;

/// Most widgets of a screen that are shown: nobody tells more apart.
const WIDGETS_MAX: usize = 3_000;

/// Most steps of all branches together.
const BRANCH_STEPS_MAX: usize = 2_000;

/// Most atoms of a screen that are listed.
const ATOMS_MAX: usize = 200;

/// Reason why a request was not done.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The sender has seen another screen.
    #[error("the screen has changed meanwhile; look at it and try again")]
    Late,
    /// There is nothing of this number.
    #[error("there is no {what} {number}")]
    Unknown {
        /// Kind of thing.
        what: &'static str,
        /// Its number.
        number: usize,
    },
    /// The app has no such activity to start with.
    #[error("`{0}` is no activity that can be started")]
    Activity(String),
    /// A text is too long.
    #[error("a text has {CHARS_MAX} characters at most")]
    Long,
    /// There are too many of something.
    #[error("a run has {most} {what} at most")]
    Full {
        /// Kind of things.
        what: &'static str,
        /// Their number.
        most: usize,
    },
    /// An atom has a mistake.
    #[error("`{0}` is no atom; one is like [text = \"OK\"]")]
    Atom(String),
    /// An atom of one screen cannot speak of an action.
    #[error("{0} speaks of an action; what is expected never to happen, or of a screen, does not")]
    AboutAction(String),
    /// A value has this name already.
    #[error("a value is called `{0}` already; take another name")]
    Named(String),
    /// The value cannot be remembered.
    #[error(
        "`{name} = {term}` cannot be remembered: a name is one word that means nothing else, and a term is like text(id = title)"
    )]
    Term {
        /// Name of the value.
        name: String,
        /// Term as it was sent.
        term: String,
    },
    /// An expectation is compared with the value.
    #[error("an expectation is compared with `{0}`; remove that first")]
    Compared(String),
    /// An expectation about all runs cannot be compared with a value of this one.
    #[error("{0} is compared with a value of this run, so it can be expected of this run alone")]
    OfThisRun(String),
    /// The specs have a mistake.
    #[error("the specs have mistakes, so the run is not judged by them")]
    Specs,
    /// A step could not be done again.
    #[error("step {step}, {action}, cannot be done again: its widget is not there; the run ends before it")]
    Missing {
        /// Number of the step, from 0.
        step: usize,
        /// Action as it is printed.
        action: String,
    },
    /// No test is walked through.
    #[error("no test is walked through; open one and choose `Step by step`")]
    NoTest,
    /// The test has no further step.
    #[error("the test has no further step that can be done or left out")]
    AllDone,
    /// The widget of the next step is not there.
    #[error("step {step} of the test cannot be done; click the widget that it meant, or leave the step out")]
    Gone {
        /// Number of the step, from 0.
        step: usize,
    },
    /// The run does not do what the spec of the test speaks of.
    #[error(
        "this run does not reach what the spec of the test speaks of, so it cannot take the place of its steps"
    )]
    NotReached,
    /// The run has more steps than the spec of the test allows.
    #[error("this run has {steps} steps, and the spec of the test says within {most}")]
    TooLong {
        /// Its number of steps.
        steps: usize,
        /// Most steps.
        most: u32,
    },
    /// Somebody else uses the device.
    #[error("a command uses the device; wait until it ends, or stop it")]
    Busy,
    /// The device could not act or look.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// App that a person drives.
pub struct Studio {
    /// Device; none while somebody else uses it.
    device: Option<Box<dyn Device>>,
    described: String,
    app: App,
    repertoire: Repertoire,
    marker: Marker,
    run: Run,
    offers: Vec<Action>,
    /// Actions that the last screen would offer, and the rule that forbids each.
    forbidden: Vec<(Action, Arc<str>)>,
    /// Runs that were left by stepping back.
    branches: Vec<Run>,
    /// Test that is walked through.
    test: Option<Walkthrough>,
    pictures: Pictures,
    /// Number of the screen that is shown.
    number: u64,
    /// True while the last step is a text that a hand types.
    is_typing: bool,
}

impl Studio {
    /// Returns a studio on `device`, where nothing has been done yet.
    pub fn new(device: Box<dyn Device>, repertoire: Repertoire) -> Studio {
        let repertoire = Repertoire { capabilities: device.capabilities(), ..repertoire };
        let given = repertoire.user_actions.iter().map(|(action, _)| UserAction::clone(action)).collect();
        Studio {
            described: printable(&device.describe()).to_string(),
            app: device.app().clone(),
            device: Some(device),
            repertoire,
            marker: Marker::default(),
            run: Run::new(given),
            offers: Vec::new(),
            forbidden: Vec::new(),
            branches: Vec::new(),
            test: None,
            pictures: Pictures::default(),
            number: 0,
            is_typing: false,
        }
    }

    /// Writes bounds in time with this slack from now on.
    pub fn allow(&mut self, slack: Slack) {
        self.run.slack = slack;
    }

    /// Offers no more than `rules` allow from now on.
    pub fn rule(&mut self, rules: Arc<Rules>) {
        self.repertoire.rules = rules;
        self.show();
    }

    /// Returns the package of the app.
    pub fn package(&self) -> &str {
        &self.app.package
    }

    /// Returns true while the device is given away.
    pub fn is_away(&self) -> bool {
        self.device.is_none()
    }

    /// Drives `device` from now on, in place of one that was given away or lost; the next request is a start.
    pub fn give(&mut self, device: Box<dyn Device>) {
        self.described = printable(&device.describe()).to_string();
        self.app = device.app().clone();
        self.device = Some(device);
    }

    /// Gives the device away; the run stays, and nothing can be done until [`Studio::resume`].
    pub fn release(&mut self) {
        self.device = None;
    }

    /// Does the run again on `device`, which takes the place of the one that was given away.
    pub fn resume(&mut self, device: Box<dyn Device>) -> Result<(), Refusal> {
        self.give(device);
        let way = std::mem::take(&mut self.run.steps);
        self.offers.clear();
        self.marker = Marker::default();
        self.redo(&way)
    }

    /// Does a request and returns the answer.
    pub fn answer(&mut self, request: Request) -> Result<Reply, Refusal> {
        match request {
            Request::View => {}
            Request::Start { activity } => self.start(activity.as_deref())?,
            Request::Act { screen, offer, text, instead } => self.act(screen, offer, text, instead)?,
            Request::Look => self.look()?,
            Request::BackTo { step } => self.back_to(step)?,
            Request::Branch { number } => self.take_branch(number)?,
            Request::ForgetBranch { number } => {
                known("branch", number, self.branches.len())?;
                self.branches.remove(number);
            }
            Request::Widget { screen, at } => return self.atoms_of(screen, at),
            Request::Expect { step, atom, holds, when } => self.expect(step, &atom, holds, when)?,
            Request::Forget { number } => {
                known("expectation", number, self.run.expected.len())?;
                self.run.expected.remove(number);
            }
            Request::Remember { step, name, term } => self.run.remember(step, &name, &term)?,
            Request::ForgetValue { number } => self.run.forget_value(number)?,
            Request::Name { name } => self.run.name = short_enough(&name)?.trim().to_string(),
            Request::NextOfTest => self.next_of_test()?,
            Request::LeaveOut => self.leave_out()?,
            Request::Mended => return self.mended(),
        }
        Ok(Reply::View(Box::new(self.view())))
    }

    /// Returns the run so far, by which specs are written and judged while a request waits for the device, too.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Returns all pictures, to be shown while a request waits for the device, too.
    pub fn pictures(&self) -> Pictures {
        self.pictures.clone()
    }

    fn start(&mut self, activity: Option<&str>) -> Result<(), Refusal> {
        if self.test.is_some() {
            return self.restart_test();
        }
        let launchable = &self.app.launchable;
        let found = match activity {
            Some(name) => launchable.iter().find(|one| ***one == *name),
            None => launchable.first(),
        };
        let named = || Refusal::Activity(printable(activity.unwrap_or_default()).to_string());
        let activity = found.cloned().ok_or_else(named)?;
        self.leave();
        self.perform(Action::Reinitialise(activity))
    }

    fn act(&mut self, screen: u64, offer: usize, text: Option<String>, instead: bool) -> Result<(), Refusal> {
        self.check_screen(screen)?;
        known("action", offer, self.offers.len())?;
        self.check_room()?;
        text.as_deref().map(short_enough).transpose()?;
        let offer = self.offers[offer].clone();
        if instead {
            return self.act_instead(offer, text);
        }
        self.perform(match (offer, text) {
            (Action::Text { on, .. }, Some(text)) => Action::Text { on, text: text.into() },
            (action, _) => action,
        })
    }

    /// Lends the device to `work`.
    fn on_device<T>(
        &mut self,
        work: impl FnOnce(&mut Studio, &mut dyn Device) -> Result<T, DeviceError>,
    ) -> Result<T, Refusal> {
        let mut device = self.device.take().ok_or(Refusal::Busy)?;
        let result = work(self, &mut *device);
        self.device = Some(device);
        Ok(result?)
    }

    /// Does `action` as the next step of the run.
    fn perform(&mut self, action: Action) -> Result<(), Refusal> {
        self.on_device(|studio, device| studio.done(device, action))
    }

    fn done(&mut self, device: &mut dyn Device, action: Action) -> Result<(), DeviceError> {
        let seen = device.act(&action)?;
        self.is_typing = false;
        self.add(action, seen, photograph(device));
        Ok(())
    }

    /// Adds a step that was done, and the screen that it has led to.
    fn add(&mut self, action: Action, seen: Observation, photograph: Option<Arc<Picture>>) {
        let before = self.run.steps.last().map(|last| last.observation.screen.clone());
        let around = before.as_ref().and_then(|screen| Around::of(screen, &action));
        let screen = self.marker.mark(before.as_ref(), &action, seen.screen);
        let picture = self.picture_of(&screen, photograph);
        let observation = Observation { screen, ..seen };
        let step = LedStep { action, around, observation, picture, of: None, is_scrolled_on: false };
        self.run.steps.push(Arc::new(step));
        self.show();
    }

    fn look(&mut self) -> Result<(), Refusal> {
        let device = self.device.as_mut().ok_or(Refusal::Busy)?;
        if !self.run.steps.is_empty() {
            let seen = device.look()?;
            let photograph = photograph(&mut **device);
            self.see_again(seen, photograph);
        }
        Ok(())
    }

    /// Takes in what the last screen has become by itself.
    fn see_again(&mut self, seen: Observation, photograph: Option<Arc<Picture>>) {
        let Some(last) = self.run.last_mut() else { return };
        // A mark of typed text belongs to the step that typed it.
        let places: Vec<usize> = last.observation.screen.typed_at().collect();
        let is_same = seen.screen.widgets().len() == last.observation.screen.widgets().len();
        let screen = if is_same { self.marker.marked(seen.screen, places) } else { seen.screen };
        last.observation = Observation { screen: screen.clone(), ..seen };
        let picture = self.picture_of(&screen, photograph);
        if let Some(last) = self.run.last_mut() {
            last.picture = picture;
        }
        self.show();
    }

    /// Works out what the last screen offers.
    fn show(&mut self) {
        self.number += 1;
        let Some(last) = self.run.steps.last() else { return };
        let screen = &last.observation.screen;
        let rules = &self.repertoire.rules;
        let all = Repertoire { rules: rules.without_never().into(), ..self.repertoire.clone() };
        let (mut forbidden, mut offers): (Vec<Action>, Vec<Action>) =
            offers(screen, &all).into_iter().partition(|action| rules.forbid(action));
        keep_a_text_each(&mut offers);
        keep_a_text_each(&mut forbidden);
        let ruled = |action: Action| rules.forbidding(&action).cloned().map(|rule| (action, rule));
        self.forbidden = forbidden.into_iter().filter_map(ruled).collect();
        self.offers = offers;
    }

    /// Returns the number of a picture, which is kept from now on.
    fn picture_of(&mut self, screen: &Arc<Screen>, photograph: Option<Arc<Picture>>) -> usize {
        self.pictures.number_of(screen, photograph, self.run.steps.iter().map(|step| step.picture))
    }

    fn back_to(&mut self, step: usize) -> Result<(), Refusal> {
        known("step", step, self.run.steps.len())?;
        let way = self.run.steps[..=step].to_vec();
        let kept: Vec<Expected> = self
            .run
            .expected
            .iter()
            .filter(|one| one.step <= step || one.when == When::Never)
            .cloned()
            .collect();
        let remembered = self.run.remembered.clone();
        self.leave();
        (self.run.expected, self.run.remembered) = (kept, remembered);
        self.run.forget_values_behind(step);
        if let Some(walk) = &mut self.test {
            walk.forget_behind(&way);
        }
        self.redo(&way)
    }

    fn take_branch(&mut self, number: usize) -> Result<(), Refusal> {
        known("branch", number, self.branches.len())?;
        let Run { name, steps, expected, remembered, .. } = self.branches.remove(number);
        self.leave();
        (self.run.name, self.run.expected, self.run.remembered) = (name, expected, remembered);
        self.redo(&steps)?;
        self.begins_test();
        Ok(())
    }

    /// Keeps the run as a branch, if it is more than a start, and begins another.
    fn leave(&mut self) {
        let left = self.run.begin();
        if left.steps.len() > 1 {
            self.branches.push(left);
            let steps = |branches: &[Run]| branches.iter().map(|branch| branch.steps.len()).sum::<usize>();
            while self.branches.len() > BRANCHES_MAX || steps(&self.branches) > BRANCH_STEPS_MAX {
                self.branches.remove(0);
            }
        }
        self.offers.clear();
        self.marker = Marker::default();
        self.number += 1;
        self.is_typing = false;
    }

    fn redo(&mut self, way: &[Arc<LedStep>]) -> Result<(), Refusal> {
        for (number, step) in way.iter().enumerate() {
            let action = match self.run.steps.last() {
                None => step.action.clone(),
                Some(last) => match seek(&last.observation.screen, &step.action, step.around.as_ref()) {
                    Sought::Found(action) => action,
                    Sought::Missing(_) => {
                        return Err(Refusal::Missing { step: number, action: said_action(&step.action) });
                    }
                },
            };
            self.perform(action)?;
            if let Some(last) = self.run.last_mut() {
                (last.of, last.is_scrolled_on) = (step.of, step.is_scrolled_on);
            }
        }
        Ok(())
    }

    fn expect(&mut self, step: usize, atom: &str, holds: bool, when: When) -> Result<(), Refusal> {
        known("step", step, self.run.steps.len())?;
        let text = short_enough(atom)?;
        let atom = self.run.atom_at(step, text).ok_or_else(|| Refusal::Atom(printable(text).to_string()))?;
        if when == When::Never && !atom.kept().is_empty() {
            return Err(Refusal::OfThisRun(atom.to_string()));
        }
        if atom.is_action() && when != When::Now {
            return Err(Refusal::AboutAction(atom.to_string()));
        }
        if self.run.expected.len() >= EXPECTED_MAX {
            return Err(Refusal::Full { what: "expectations", most: EXPECTED_MAX });
        }
        self.run.expected.push(Expected { step, atom, holds, when });
        self.run.expected.sort_by_key(|one| one.step);
        Ok(())
    }

    /// Refuses a step beyond the most.
    fn check_room(&self) -> Result<(), Refusal> {
        if self.run.steps.len() < STEPS_MAX {
            Ok(())
        } else {
            Err(Refusal::Full { what: "steps", most: STEPS_MAX })
        }
    }

    fn check_screen(&self, number: u64) -> Result<(), Refusal> {
        if number == self.number { Ok(()) } else { Err(Refusal::Late) }
    }

    fn view(&self) -> View {
        let displays = self.pictures.displays();
        View {
            device: self.described.clone(),
            is_away: self.device.is_none(),
            launchable: self.app.launchable.iter().map(ToString::to_string).collect(),
            steps: self.run.steps.iter().map(|step| Studio::said_step(step)).collect(),
            screen: self.run.steps.last().map(|last| self.said_screen(&last.observation.screen, displays)),
            expected: self.run.expected.iter().map(|one| self.run.said_expectation(one)).collect(),
            remembered: self.run.remembered.iter().map(|one| self.run.said_value(one)).collect(),
            name: self.run.name.clone(),
            branches: self.branches.iter().map(said_branch).collect(),
            test: self.said_test(),
        }
    }

    fn said_step(step: &LedStep) -> SaidStep {
        let LedStep { action, observation, picture, .. } = step;
        let screen = &observation.screen;
        SaidStep {
            action: said_action(action),
            picture: *picture,
            activity: printable(short_activity(screen.activity())).to_string(),
            at_ms: observation.at_ms,
            crashed: screen.context().crashed,
            notices: observation.notices.iter().map(said_notice).collect(),
            on: action.target().map(|on| sides(on.bounds)),
        }
    }

    fn said_screen(&self, screen: &Screen, displays: Displays) -> SaidScreen {
        let (width, height) = displays.canvas(screen).display();
        let mut places = BTreeMap::<String, Vec<usize>>::new();
        for (number, offer) in self.offers.iter().enumerate() {
            if let Some(on) = offer.target() {
                places.entry(on.object_id.to_string()).or_default().push(number);
            }
        }
        let targets = self.forbidden.iter().filter_map(|(action, _)| action.target());
        let ruled: BTreeSet<&str> = targets.map(|on| &*on.object_id).collect();
        let mut ruled_at = BTreeMap::<String, usize>::new();
        let mut widgets = Vec::new();
        screen.for_each_object(|at, widget, object_id| {
            if ruled.contains(object_id) {
                ruled_at.insert(object_id.to_string(), at);
            }
            if widget.is_visible() && widgets.len() < WIDGETS_MAX {
                let offers = places.get(object_id).cloned().unwrap_or_default();
                let first = offers.first().and_then(|&first| self.offers[first].target());
                // A widget without a name of its own is called by the words below it.
                let name = first.map_or(widget.name(), |on| {
                    on.names().into_iter().find(|name| !name.trim().is_empty()).unwrap_or_default()
                });
                widgets.push(said_widget(at, widget, name, offers));
            }
        });
        SaidScreen {
            number: self.number,
            package: screen.package().to_string(),
            activity: screen.activity().to_string(),
            width,
            height,
            widgets,
            offers: self.offers.iter().map(said_offer).collect(),
            forbidden: self
                .forbidden
                .iter()
                .map(|(action, rule)| {
                    let at = action.target().and_then(|on| ruled_at.get(&*on.object_id).copied());
                    let SaidOffer { action_type, label, .. } = said_offer(action);
                    SaidForbidden { at, action_type, label, rule: printable(rule).to_string() }
                })
                .collect(),
            atoms: atoms_of_screen(screen).iter().take(ATOMS_MAX).map(|one| said_atom(&one.atom)).collect(),
        }
    }
}

/// Keeps one text for each field: the person says what to type.
fn keep_a_text_each(offers: &mut Vec<Action>) {
    let mut typed: Vec<Arc<str>> = Vec::new();
    offers.retain(|offer| match offer {
        Action::Text { on, .. } if typed.contains(&on.object_id) => false,
        Action::Text { on, .. } => {
            typed.push(on.object_id.clone());
            true
        }
        Action::Reinitialise(_)
        | Action::Touch(..)
        | Action::Stroke(..)
        | Action::Device(_)
        | Action::User { .. } => true,
    });
}

/// Returns the atom that counts the widgets that `atom` holds of, if there are several.
fn counted(atom: &Atom, screen: &Screen) -> Option<Atom> {
    let Atom::Widget(of) = atom else { return None };
    let [_] = &of[..] else { return None };
    let test = WidgetTest::new(atom)?;
    let mut number = 0;
    screen.for_each_object(|_, widget, object_id| {
        number += u64::from(widget.is_visible() && test.holds(widget, object_id));
    });
    (number > 1).then(|| Atom::Count { of: of.clone(), op: Op::Equal, number })
}

/// Returns a photograph of the screen that `device` has shown last, if it takes one.
fn photograph(device: &mut dyn Device) -> Option<Arc<Picture>> {
    device.picture().map(|pixels| Arc::new(pixels.picture()))
}

fn known(what: &'static str, number: usize, count: usize) -> Result<(), Refusal> {
    if number < count { Ok(()) } else { Err(Refusal::Unknown { what, number }) }
}

fn short_enough(text: &str) -> Result<&str, Refusal> {
    if text.chars().nth(CHARS_MAX).is_some() { Err(Refusal::Long) } else { Ok(text) }
}

fn said_atom(atom: &Atom) -> SaidAtom {
    SaidAtom { atom: atom.to_string(), words: atom_in_words(atom) }
}

fn said_action(action: &Action) -> String {
    let said = match action {
        Action::Reinitialise(activity) => format!("start {}", short_activity(activity)),
        Action::Touch(..)
        | Action::Text { .. }
        | Action::Stroke(..)
        | Action::Device(_)
        | Action::User { .. } => action.to_string(),
    };
    printable(&said).to_string()
}

fn said_branch(branch: &Run) -> SaidBranch {
    let last = branch.steps.last().map(|last| said_action(&last.action));
    SaidBranch { name: branch.name.clone(), steps: branch.steps.len(), last: last.unwrap_or_default() }
}

fn said_notice(notice: &Notice) -> String {
    let (what, text) = match notice {
        Notice::Toast(text) => ("", text),
        Notice::Crash(text) => ("crash: ", text),
        Notice::Anr(text) => ("does not respond: ", text),
        Notice::Prompt(text) => ("prompt: ", text),
        Notice::Field(text) => ("letters that stayed: ", text),
    };
    format!("{what}{}", printable(text))
}

fn said_offer(offer: &Action) -> SaidOffer {
    let (label, named) = match offer {
        // The person chooses the text.
        Action::Text { on, .. } => {
            (format!("type into {on}"), Action::Text { on: on.clone(), text: Arc::default() })
        }
        other => (other.to_string(), other.clone()),
    };
    SaidOffer {
        action_type: offer.type_name().to_string(),
        label: printable(&label).to_string(),
        atom: atom_of_action(&named).map(|atom| atom.to_string()),
        types: offer.typed().is_some(),
    }
}

fn said_widget(at: usize, widget: &Widget, name: &str, offers: Vec<usize>) -> SaidWidget {
    let class = widget.class.rsplit('.').next().unwrap_or_default();
    // Whoever looks over a shoulder need not read a password.
    let name = if widget.flags.has(Flags::PASSWORD) { widget.id_entry() } else { name };
    SaidWidget {
        at,
        depth: widget.depth,
        class: class.to_string(),
        name: name.chars().take(CHARS_MAX).collect(),
        id: widget.id_entry().to_string(),
        bounds: sides(widget.bounds),
        offers,
        checked: widget.flags.has(Flags::CHECKED),
        enabled: widget.flags.has(Flags::ENABLED),
    }
}

fn sides(bounds: gui::Bounds) -> [i32; 4] {
    [bounds.left, bounds.top, bounds.right, bounds.bottom]
}
