//! Situations: the numbers in which agents, objectives and abstractions speak of a run.
//!
//! An [episode](crate::episode) turns screens and actions into these values once and hands them to each party. An agent
//! that learns tables reads the numbers alone; one that looks closer finds the screen and the actions behind references.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::gui::{Action, Outline, Screen, ShownAmount, Widget};

/// Declares a number of its own type, so that no other number takes its place by mistake.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Stands for no number at all.
            pub const NONE: $name = $name(u32::MAX);

            /// Returns the number as a place in a list.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// Screen, told apart by its identity; 0 is the time before the app is started.
    ScreenId
}
id! {
    /// Abstract state: the screens that an [abstraction](crate::abstraction) takes for the same.
    StateId
}
id! {
    /// Activity of a package.
    ActivityId
}
id! {
    /// Screens that an objective cannot tell apart: for a formula, those with the same labels.
    LookId
}
id! {
    /// Relations of a screen to the action and the screen before it, as an objective sees them; 0 where it sees none.
    LinkId
}
id! {
    /// Action of an abstract state.
    ActionId
}
id! {
    /// Actions of the same type, name and typed text, wherever they are offered.
    LabelingId
}
id! {
    /// Actions of the same type at the same place of the widget tree, whatever the widget is called.
    SpotId
}
id! {
    /// Actions that an objective cannot tell apart: for a formula, those with the same labels.
    ClassId
}
id! {
    /// Progress of an episode towards its objective: for a formula, the residual.
    PhaseId
}

id! {
    /// Number or text of a widget that an objective wants to have a certain value.
    AmountId
}

impl ClassId {
    /// Class of the actions that no condition of an [exploring](crate::objective::Exploration) objective names.
    pub const UNNAMED: ClassId = ClassId(0);
}

impl PhaseId {
    /// Phase of every objective before the first step.
    pub const START: PhaseId = PhaseId(0);
}

/// Action that a screen offers, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Action of the abstract state.
    pub action: ActionId,
    /// Place of that action among those of the abstract state; where states are screens, the place in the offers.
    pub slot: u16,
    /// Actions of the same name.
    pub labeling: LabelingId,
    /// Actions at the same place.
    pub spot: SpotId,
    /// Actions that are the same to the objective.
    pub class: ClassId,
    /// True if the widget has a text, a description or an id.
    pub has_name: bool,
    /// Conditions of the objective, of the first 64, that share a word with the widget.
    pub hints: u64,
    /// Effect of such an action in most apps.
    pub habit: Habit,
}

#[cfg(test)]
impl Offer {
    /// Returns an offer that differs from others in all its numbers.
    pub(crate) fn numbered(number: u16) -> Offer {
        Offer {
            action: ActionId(number.into()),
            slot: number,
            labeling: LabelingId(number.into()),
            spot: SpotId(number.into()),
            class: ClassId(0),
            has_name: true,
            hints: 0,
            habit: Habit::Any,
        }
    }
}

/// Effect of an action in most apps, in numbers; [`crate::gui::Habit`] has the screens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Habit {
    /// Anything.
    Any,
    /// The screen stays as it is.
    Stays,
    /// The screen stays as it is, as far as can be told before.
    MostlyStays,
    /// The screen before comes back.
    Back,
    /// The screen stays, and the objective sees it as this.
    Becomes(LookId),
}

/// Screen as an agent sees it.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Abstract state.
    pub state: StateId,
    /// Screen behind the state, told apart exactly.
    pub screen_id: ScreenId,
    /// Activity of the screen.
    pub activity: ActivityId,
    /// Screen as the objective sees it.
    pub look: LookId,
    /// Structure of the widget tree without its contents, 0 unless the agent [needs](crate::agent::Needs::details) it.
    pub frame: u64,
    /// Number of slots: each offer's slot lies below.
    pub slots: u16,
    /// Offers of the screen; the same screen has the same offers in the same order.
    pub offers: Arc<[Offer]>,
    /// Actions behind the offers, one for each.
    pub actions: Arc<[Action]>,
    /// Screen itself; none before the app is started.
    pub screen: Option<Arc<Screen>>,
}

#[cfg(test)]
impl Scene {
    /// Returns a scene that offers these actions, each different from all others.
    pub(crate) fn numbered(actions: Vec<Action>, screen: Option<Screen>) -> Scene {
        let offers = (0..actions.len() as u16).map(Offer::numbered).collect();
        Scene {
            state: StateId(0),
            screen_id: ScreenId(0),
            activity: ActivityId(0),
            look: LookId(0),
            frame: 0,
            slots: actions.len() as u16,
            offers,
            actions: Arc::from(actions),
            screen: screen.map(Arc::new),
        }
    }
}

impl Scene {
    /// Returns the widgets of the screen; none before the app is started.
    pub fn widgets(&self) -> &[Widget] {
        self.screen.as_ref().map_or(&[], |screen| screen.widgets())
    }

    /// Returns true if it is a page in a browser, or the start of one.
    pub fn is_page(&self) -> bool {
        match &self.screen {
            Some(screen) => screen.is_page(),
            // A page starts at a path, and an app in a class.
            None => self
                .actions
                .iter()
                .any(|action| matches!(action, Action::Reinitialise(at) if at.starts_with('/'))),
        }
    }

    /// Returns the widget that the offer at `at` acts on.
    pub fn widget(&self, at: u16) -> Option<&Widget> {
        let target = self.actions.get(usize::from(at))?.target()?;
        let (screen, mut found) = (self.screen.as_deref()?, None);
        screen.for_each_object(|place, _, object_id| {
            if *object_id == *target.object_id {
                found = Some(place);
            }
        });
        Some(&screen.widgets()[found?])
    }
}

/// Screen as an abstraction sees it, before it has a state.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Screen, told apart exactly.
    pub screen_id: ScreenId,
    /// Activity of the screen.
    pub activity: ActivityId,
    /// Screen as the objective sees it.
    pub look: LookId,
    /// Mark of that look: as far as the objective can tell, the same in every run.
    pub sign: u64,
    /// Structure and contents apart; empty unless asked for.
    pub outline: &'a Outline,
    /// Offers, with the exact number of each action.
    pub offers: &'a [Offer],
    /// Actions behind the offers, one for each.
    pub actions: &'a [Action],
    /// Screen itself; none before the app is started.
    pub screen: Option<&'a Screen>,
}

/// Choice that an agent has.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Screen at the time.
    pub scene: &'a Scene,
    /// Progress towards the objective so far.
    pub phase: PhaseId,
    /// Steps that the episode has left, this one included.
    pub steps_left: u32,
    /// Places in the offers that may be chosen, in order; the objective rules out the others by their labels.
    pub candidates: &'a [u16],
    /// Candidates to choose from this time; at least one.
    pub preferred: &'a [u16],
}

/// Choice of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The action at this place of the offers.
    Offer(u16),
    /// An action that means nothing on this screen. The device does nothing, and the step is spent.
    Nothing {
        /// True if only the run loses the step, and the episode has as many left as before.
        is_free: bool,
    },
    /// None: the episode ends here, so that the app is started afresh. An episode without a step costs one of the run.
    Restart,
}

/// Step from one situation to the next, and its reward.
#[derive(Clone, Copy, Debug)]
pub struct Transition<'a> {
    /// Situation before the step.
    pub from: &'a Situation<'a>,
    /// Place of the action among the offers.
    pub at: u16,
    /// Reward of the step.
    pub reward: f64,
    /// Time that passed on the device's clock; unknown of recalled steps.
    pub elapsed_ms: Option<u64>,
    /// Screen after the step.
    pub to: &'a Scene,
    /// Progress after the step.
    pub phase: PhaseId,
    /// Continuation of the episode.
    pub next: Next<'a>,
}

/// Continuation of an episode after a step.
#[derive(Clone, Copy, Debug)]
pub enum Next<'a> {
    /// Another choice, with its own candidates; at least one.
    Choice(&'a Situation<'a>),
    /// Every action loses by its labels alone.
    DeadEnd,
    /// The objective is reached or out of reach.
    Terminal,
    /// The episode is cut off here: its steps are spent, or someone stopped it.
    Truncated,
    /// The recollection ends here; more can be tried from this screen.
    Unknown,
}

impl Next<'_> {
    /// Returns true if the episode ends with this step.
    pub fn ends(&self) -> bool {
        match self {
            Next::Terminal | Next::Truncated => true,
            Next::Choice(_) | Next::DeadEnd | Next::Unknown => false,
        }
    }
}

/// Source of the steps that an agent learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Done on the device now.
    Device,
    /// Recalled from experience.
    Experience,
}

/// Distance of an episode to its objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Reached.
    Won,
    /// Open, at least this many steps away.
    Open(u32),
    /// Out of reach.
    Lost,
}

impl Standing {
    /// Returns the fewest steps that are missing, if there are so many `left`; none where the objective is reached or lost.
    pub fn missing(self, left: u32) -> Option<u32> {
        match self {
            Standing::Open(least) if least <= left && left > 0 => Some(least),
            Standing::Open(_) | Standing::Won | Standing::Lost => None,
        }
    }
}

/// Best outcome of a step: a phase, and the changes on the screen that lead there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subgoal {
    /// Phase after such a step.
    pub phase: PhaseId,
    /// Standing in that phase.
    pub standing: Standing,
    /// Conditions, of the first 64, that must come to hold.
    pub gained: u64,
    /// Number of conditions that must change.
    pub changes: u32,
    /// True if it takes another activity.
    pub moves: bool,
}

/// Amount that an objective wants, within bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Want {
    /// The amount.
    pub amount: AmountId,
    /// Least value that will do.
    pub least: i64,
    /// Greatest value that will do.
    pub most: i64,
}

/// Model of an objective: the outcome of steps nobody has taken yet.
pub trait Outlook {
    /// Returns the phase after a step by an action of `class` to a screen of `look`.
    fn after(&mut self, phase: PhaseId, class: ClassId, look: LookId) -> PhaseId;

    /// Returns the standing in `phase`.
    fn standing(&mut self, phase: PhaseId) -> Standing;

    /// Returns the reward of a step from one phase to another, wherever it is done.
    fn reward(&mut self, _from: PhaseId, _to: PhaseId) -> f64 {
        0.0
    }

    /// Returns the number of action classes met so far; they are numbered from 0.
    fn classes(&self) -> u32;

    /// Appends the best outcomes of a step by an action of `class` from a screen of `look`, the nearest first.
    fn subgoals(&mut self, phase: PhaseId, class: ClassId, look: LookId, subgoals: &mut Vec<Subgoal>);

    /// Returns how many widgets `screen` has too few or too many for the next step of the objective; none if that step takes
    /// no number of widgets.
    fn deviation(&mut self, _phase: PhaseId, _screen: &Screen) -> Option<u64> {
        None
    }

    /// Returns the amounts that `screen` shows, each with its number.
    fn shown_amounts(&mut self, _screen: &Screen) -> Vec<(AmountId, ShownAmount)> {
        Vec::new()
    }

    /// Returns the amounts that the next step of the objective wants; each of these groups suffices, and none is empty.
    fn wanted_amounts(&mut self, _phase: PhaseId) -> Arc<[Vec<Want>]> {
        Arc::new([])
    }

    /// Returns true if no step short of the last can be told to come nearer, and no name hints at it: then all there is to
    /// do is to explore.
    fn is_aimless(&self) -> bool {
        false
    }
}

/// Outlook of an objective that cannot look ahead: everything stays open.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl Outlook for Blind {
    fn after(&mut self, phase: PhaseId, _: ClassId, _: LookId) -> PhaseId {
        phase
    }

    fn standing(&mut self, _: PhaseId) -> Standing {
        Standing::Open(1)
    }

    fn classes(&self) -> u32 {
        0
    }

    fn subgoals(&mut self, _: PhaseId, _: ClassId, _: LookId, _: &mut Vec<Subgoal>) {}

    fn is_aimless(&self) -> bool {
        true
    }
}

/// Outcome of a step that the labels of its action alone foretell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forecast {
    /// Reaches the objective.
    Wins,
    /// Does not lose.
    Sure,
    /// Unknown.
    Open,
    /// Loses.
    Loses,
}

/// Explanation of a step: the reason for it, and its lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Explanation {
    /// Reason for the choice, if the agent weighed it.
    pub reason: Option<Reason>,
    /// News that the step brought, if the agent keeps track.
    pub change: Option<StepChange>,
}

/// Reason for a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reason {
    /// Evidence behind the estimate.
    pub evidence: Evidence,
    /// Estimated chance to reach the objective in the steps left.
    pub chance: f64,
    /// Number of actions it was chosen from.
    pub choices: usize,
    /// Conditions, of the first 64, that the widget's name hints at.
    pub hinted: u64,
    /// Turn that begins with this choice, if the agent has members.
    pub turn: Option<Turn>,
}

/// Turn of a member of an agent: an episode that it leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Name of the member.
    pub member: &'static str,
    /// Reason why it has this episode.
    pub cause: TurnCause,
}

/// Reason why a member has its turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TurnCause {
    /// It has the first episodes.
    First,
    /// It has every second one of the first episodes.
    Second,
    /// The app shows another number or text in place of one that the objective wants.
    Wanted,
    /// This share of its latest steps brought something new.
    News(f64),
    /// Everything was tried, and it does the likeliest runs again.
    Again,
}

/// Knowledge of an action before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Its labels alone reach the objective.
    Wins,
    /// Done this often after the same steps.
    Walked(u32),
    /// Done this often after steps that looked the same.
    AlikeRuns(u32),
    /// Done in the same place in this many other runs.
    OtherRuns(u32),
    /// Done, under its name, in this many other places of the activity.
    OtherPlaces(u32),
    /// Known of such actions in most apps.
    Habit(Habit),
    /// None.
    Unknown,
    /// All was tried: done again, to see whether the app answers alike.
    Again,
    /// Chosen as a step of the known way to something that was rarely seen.
    WayToRare,
    /// Chosen as a step of filling a form.
    Form,
    /// Chosen as a step to what was never done, or of trying the texts of a form that refuses, each once.
    Swept,
    /// Chosen as a step to a click that was never done at its place, and whose like leads to ever other places.
    Surveyed,
    /// Chosen as a step of a way that ended in vain, or of a detour on it.
    Detoured,
    /// Chosen as a step to an action after another, which were rarely done in this order.
    Pair,
    /// Chosen as one of those that were rarely done at what is seen here.
    LeastTried,
    /// Chosen as a repeat of a step that has brought the objective nearer.
    Repeated,
    /// Chosen as a step to a number or text that is wanted, by what actions change.
    Counted,
    /// Chosen to find out whether an action changes such a number or text.
    Tested,
    /// Chosen by chance.
    Chance,
    /// Chosen by a rule of APE.
    Rule(Rule),
}

/// Rule by which APE makes a choice: the first that gives one, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// A step of the path decided before.
    Path,
    /// Back to an activity that was hardly visited.
    BackTo,
    /// A connected part is explored before it is left.
    Loop,
    /// An action that was never done here.
    Open,
    /// The first step of a path to a state with such an action.
    Forward,
    /// The first step of a path to an activity that was hardly visited.
    Activity,
    /// The key back, never done here, or the first step of a path back.
    Backward,
    /// The action that was done least.
    Least,
    /// Any action by its priority.
    Priority,
    /// A text for the field that waits for it.
    Text,
    /// Any offer.
    Fuzz,
}

/// Course of the learning of networks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Learning {
    /// Updates so far.
    pub updates: u64,
    /// Mean of the squared errors of the last critic, over the latest updates.
    pub loss: f64,
    /// Entropy of the policy as a share of that of a random choice, over the latest updates, if there is a policy.
    pub entropy: Option<f64>,
}

impl Learning {
    /// Share of the latest update in the means.
    const LATEST: f64 = 0.02;

    /// Takes in the loss of one more update.
    pub fn add_update(&mut self, loss: f64) {
        self.updates += 1;
        self.loss += self.share() * (loss - self.loss);
    }

    /// Takes in the entropy of the latest update.
    pub fn add_entropy(&mut self, entropy: f64) {
        let before = self.entropy.unwrap_or_default();
        self.entropy = Some(before + self.share() * (entropy - before));
    }

    /// Returns the share of the latest update: the means are of all updates first, and forget later.
    fn share(&self) -> f64 {
        Learning::LATEST.max(1.0 / self.updates as f64)
    }
}

/// Counts of the paths that an agent has decided on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// Paths so far. Some were cut off: the episode ended, or states got other numbers.
    pub decided: u64,
    /// Paths that ended where they should.
    pub arrived: u64,
    /// Paths that led elsewhere, or whose next action was not offered.
    pub missed: u64,
}

/// News that a step brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepChange {
    /// A screen never seen before.
    NewScreen,
    /// A known screen, by a new way.
    NewWay,
    /// No change on the screen.
    Stays,
    /// No change but in details that the abstraction leaves out.
    Details,
    /// The same as before after the same steps.
    AsKnown,
    /// Something else than before after the same steps: the app does not always answer alike.
    Otherwise,
}

/// Summary of what an agent knows at the end of an episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Times that the app answered otherwise than before to the same actions since its start.
    pub surprises: u64,
    /// True if everything that can be tried was, provided that the app always answers alike.
    pub is_exhausted: bool,
}

/// Share of the past that an agent relearns after it has forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recollection {
    /// Every episode so far.
    Whole,
    /// The latest episodes; the oldest were dropped for want of room.
    Partial,
}

/// Additions to the loop of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Leaves out actions that lose by their labels, and takes one that wins.
    pub prediction: bool,
    /// Prefers actions that cannot lose by their labels.
    pub sure_actions: bool,
    /// Ends an episode as soon as the objective needs more steps than are left.
    pub restart_hopeless: bool,
}

/// Type, name and typed text that actions have in common, wherever they are offered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Labeling {
    /// Type of the action.
    pub action_type: String,
    /// Text, description and id entry of the widget, then the detail of the action.
    pub names: Vec<String>,
    /// Text that is typed.
    pub typed: Option<String>,
}

/// Numbers of labelings: an agent writes down labelings, as numbers differ from run to run.
pub trait Labelings {
    /// Returns the number of `labeling`, a new one if it has none.
    fn number(&mut self, labeling: Labeling) -> LabelingId;

    /// Returns the labeling with this number.
    fn labeling(&self, number: LabelingId) -> Option<Labeling>;
}

/// Labelings outside a search, numbered in the order they are asked for.
#[derive(Clone, Debug, Default)]
pub struct LabelingList {
    list: Vec<Labeling>,
    numbers: BTreeMap<Labeling, LabelingId>,
}

impl Labelings for LabelingList {
    fn number(&mut self, labeling: Labeling) -> LabelingId {
        let next = LabelingId(self.list.len() as u32);
        let number = *self.numbers.entry(labeling.clone()).or_insert(next);
        if number == next {
            self.list.push(labeling);
        }
        number
    }

    fn labeling(&self, number: LabelingId) -> Option<Labeling> {
        self.list.get(number.index()).cloned()
    }
}
