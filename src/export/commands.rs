//! Commands: a stored test as a list of what to do and what to expect, which every format prints in its own words.
//!
//! State of the device is tracked here, so that a printer needs none: the orientation, the network, whether the display is
//! dark, and the activity that was started last.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::locate::{IsSame, Known, Locator};
use super::on_page::{Answer, PageCommand, answered, is_answer, is_entry, is_of_page};
use super::page::one_line;
use crate::device::references;
use crate::gui::{
    Action, Argument, Atom, Comparison, Constant, DeviceAction, Direction, Gesture, Key, Op, Percent, Point,
    PressedKey, Stroke, Target, Touch,
};
use crate::test_case::{Shared, TestCase, TestSetUp, TestStep};

/// Characters of the title of a step; more of a widget's text says no more.
const TITLE_CHARS_MAX: usize = 100;

/// A test as commands.
pub(super) struct Script<'a> {
    /// Package of the app, fit for a program.
    pub package: String,
    /// Sentences about the test as a whole that no format can keep to.
    pub remarks: Vec<String>,
    /// True if the test turns the device, which so starts and ends upright.
    pub turns: bool,
    /// True if the test switches the network, which so starts and ends on.
    pub switches_network: bool,
    /// True if the test leaves the device alone until its display is dark.
    pub idles: bool,
    pub steps: Vec<Step<'a>>,
}

/// A step of a test.
pub(super) struct Step<'a> {
    /// `step 3, click "OK"`.
    pub title: String,
    /// The answer to the dialog of the browser that the commands open.
    pub dialog: Option<Answer<'a>>,
    /// True if a dialog of the browser is in front after the step.
    pub is_covered: bool,
    pub commands: Vec<Command<'a>>,
    pub expects: Vec<Expect<'a>>,
}

/// One thing to do.
#[derive(Clone, Debug)]
pub(super) enum Command<'a> {
    /// Forgets the crashes so far, as the step expects or forbids a new one.
    ForgetCrashes,
    /// Lights the display.
    Wake,
    /// Starts the app afresh, as after an installation.
    Launch(Activity),
    /// Touches a widget for a short time; in its middle unless it says where.
    Tap {
        on: Widget<'a>,
        at: Option<Point>,
    },
    /// Touches a widget and holds it; in its middle unless it says where.
    LongTap {
        on: Widget<'a>,
        at: Option<Point>,
    },
    /// Puts a text in place of that of a field.
    Fill {
        on: Widget<'a>,
        text: &'a str,
    },
    /// Shows more of a widget in this direction.
    Scroll {
        on: Widget<'a>,
        towards: Direction,
    },
    /// Moves a finger from the middle of a widget in this direction.
    Swipe {
        on: Widget<'a>,
        towards: Direction,
    },
    /// Moves a finger between two points of a widget.
    Drag {
        on: Widget<'a>,
        from: Point,
        to: Point,
    },
    /// Types a text into the field that has the focus.
    Type(&'a str),
    Press(PressedKey),
    /// Goes back by the key or the gesture of the device.
    Back,
    /// Turns the device to the left, or upright again.
    Turn {
        is_upright: bool,
    },
    /// Switches the network on or off.
    SwitchNetwork {
        is_on: bool,
    },
    /// Goes to the launcher, and back to the app where it was.
    LeaveAndReturn {
        activity: String,
    },
    /// Does nothing until the display is dark.
    Idle,
    /// Does nothing for some time.
    Wait {
        ms: u32,
    },
    /// Does what a page in a browser can do, and an app on a phone cannot.
    OnPage(PageCommand<'a>),
    /// Leaves the action out, for a reason that the export has to name.
    Refuse(&'static str),
}

/// The activity of a launch.
#[derive(Clone, Debug)]
pub(super) struct Activity {
    /// Name as the test has it.
    pub name: String,
    /// Name, fit for a program.
    pub safe: String,
}

/// The widget of a command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widget<'a> {
    /// The widget as it was when the test was found.
    pub target: &'a Target,
    /// The names that tell it apart.
    pub locator: Locator<'a>,
    /// The names that other widgets of its screen have too.
    pub shared: Shared,
}

/// One thing to check after a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expect<'a> {
    pub atom: &'a Atom,
    pub of: Subject<'a>,
    pub holds: bool,
}

/// The subject of an atom that a screen can answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject<'a> {
    State(&'a [Comparison]),
    Widget(&'a [Comparison]),
    Count {
        of: &'a [Comparison],
        op: Op,
        number: u64,
    },
    Checked(bool),
    /// Widgets around a widget, or values of the step.
    Linked,
}

/// Returns the points of a widget between which a finger swipes: from the middle to a tenth before the edge.
pub(super) fn swiped(towards: Direction) -> (Point, Point) {
    let point = |x: &str, y: &str| {
        let percent = |number: &str| Percent::parse(number).expect("a percentage");
        Point { x: percent(x), y: percent(y) }
    };
    let end = match towards {
        Direction::Up => point("50", "10"),
        Direction::Down => point("50", "90"),
        Direction::Left => point("10", "50"),
        Direction::Right => point("90", "50"),
    };
    (point("50", "50"), end)
}

impl Expect<'_> {
    /// Returns the expectation as a formula says it.
    pub fn shown(&self) -> String {
        format!("{}{}", if self.holds { "" } else { "!" }, self.atom)
    }

    /// Returns the note that no tool can check it.
    pub fn unchecked(&self) -> String {
        format!("{} reads more than one widget, so it is not checked", self.shown())
    }
}

impl<'a> Script<'a> {
    /// Returns the commands of `test`, where two names are taken for one if `is_same` says so.
    pub fn new(test: &'a TestCase, is_same: IsSame) -> Script<'a> {
        let is_page = is_of_page(test);
        let package = android_name(&test.provenance.package);
        let mut remarks = remarks(test);
        if !is_page && (package != test.provenance.package || package.is_empty()) {
            remarks.push(format!(
                "`{}` is no name of a package, so this cannot run as it is",
                test.provenance.package
            ));
        }
        let does = |action: &Action| test.steps.iter().any(|step| step.action == *action);
        let mut reader = Reader { known: Known::new(test, is_same), device: Device::default(), is_page };
        Script {
            package,
            remarks,
            turns: does(&Action::ROTATE),
            switches_network: does(&Action::NETWORK),
            idles: does(&Action::IDLE),
            steps: (0..test.steps.len()).map(|at| reader.step(at, &test.steps)).collect(),
        }
    }

    /// Returns the activity of the first launch.
    pub fn launched(&self) -> Option<&Activity> {
        self.steps
            .iter()
            .flat_map(|step| &step.commands)
            .find_map(|command| if let Command::Launch(activity) = command { Some(activity) } else { None })
    }
}

/// Returns what cannot be kept to of the test as a whole.
fn remarks(test: &TestCase) -> Vec<String> {
    let mut remarks = Vec::new();
    if test.provenance.is_flaky() {
        let rate = test.provenance.confirmed;
        remarks.push(format!(
            "the run did it again {} of {} times only, and so will this",
            rate.passes, rate.runs
        ));
    }
    let mut seen = test.steps.iter().flat_map(|step| &step.sees);
    if seen.any(|(atom, _)| atom.mentions(Key::Crash)) {
        remarks.push(
            "only farlead tells one crash from another, so any crash counts where the test names one".into(),
        );
    }
    let mut seen = test.steps.iter().flat_map(|step| &step.sees);
    if seen.any(|(atom, _)| is_reported(atom)) {
        remarks.push(
            "farlead alone reads the console and the status of answers, so they are not checked".into(),
        );
    }
    let labels = test.oracle.labels();
    if !labels.is_empty() {
        let names: Vec<&str> = labels.into_iter().collect();
        remarks.push(format!("no screen carries the labels {}, so they are not checked", names.join(", ")));
    }
    // No export has the value, and each tool gets its secrets in another way.
    let typed = test.steps.iter().filter_map(|step| match step.action.argument() {
        Argument::Text(text) => Some(references(text)),
        Argument::None | Argument::Activity(_) | Argument::Towards(_) | Argument::Own(_) => None,
    });
    let names: BTreeSet<&str> =
        typed.flatten().filter(|found| !found.is_escaped).map(|found| found.name).collect();
    if !names.is_empty() && test.set_up != TestSetUp::OfProject {
        let names: Vec<&str> = names.into_iter().collect();
        remarks.push(format!(
            "the test types or sees secrets of the environment ({}), and this has their names alone: put in the values as your \
             tool takes them",
            names.join(", ")
        ));
    }
    remarks
}

impl Activity {
    fn new(name: &str) -> Activity {
        Activity { name: name.to_string(), safe: android_name(name) }
    }

    /// Returns a sentence about a name that Android would not take.
    pub fn remark(&self) -> Option<String> {
        let is_fit = self.safe == self.name && !self.safe.is_empty();
        (!is_fit).then(|| format!("`{}` is no name of an activity, so this cannot run as it is", self.name))
    }
}

/// Returns the characters of `name` that packages and classes of Android may have.
fn android_name(name: &str) -> String {
    name.chars().filter(|&char| char.is_ascii_alphanumeric() || "._$".contains(char)).collect()
}

/// State of the device after the commands so far.
#[derive(Default)]
struct Device {
    /// The activity that was started last.
    activity: String,
    is_turned: bool,
    is_off_network: bool,
    is_dark: bool,
    is_narrow: bool,
}

/// Reads steps in their order.
struct Reader<'a> {
    known: Known<'a>,
    device: Device,
    is_page: bool,
}

impl<'a> Reader<'a> {
    fn step(&mut self, at: usize, steps: &'a [TestStep]) -> Step<'a> {
        let step = &steps[at];
        let after = if self.is_page { &steps[at + 1..] } else { &[] };
        let is_answer = self.is_page && is_answer(&step.action);
        let dialog = if is_answer { None } else { answered(after) };
        let mut commands = Vec::new();
        // The log of the device may still hold a crash of an earlier run.
        if step.sees.iter().any(|(atom, _)| atom.mentions_crash()) {
            commands.push(Command::ForgetCrashes);
        }
        // No touch reaches an app in the dark.
        if std::mem::take(&mut self.device.is_dark) {
            commands.push(Command::Wake);
        }
        if is_answer {
            commands.push(Command::OnPage(PageCommand::Answered));
        } else {
            self.act(step, &mut commands);
        }
        Step {
            title: format!("step {at}, {}", one_line(&step.action.to_string(), TITLE_CHARS_MAX)),
            is_covered: answered(after).is_some(),
            dialog,
            commands,
            expects: step.sees.iter().filter_map(|(atom, holds)| expect(&step.sees, atom, *holds)).collect(),
        }
    }

    /// Adds the commands of the action of `step`.
    fn act(&mut self, step: &'a TestStep, commands: &mut Vec<Command<'a>>) {
        match &step.action {
            Action::User { action, .. } if action.gestures.is_empty() => {
                commands.push(Command::Refuse("nothing does this outside farlead, so the step is left out"));
            }
            Action::User { action, on } => {
                let on = self.widget(on, step.shared);
                commands.extend(action.gestures.iter().map(|gesture| gesture_on(gesture, on)));
            }
            Action::Reinitialise(name) => {
                let activity = Activity::new(name);
                // Kept for a later step that leaves the app and comes back to this activity.
                self.device.activity.clone_from(&activity.safe);
                commands.push(Command::Launch(activity));
            }
            Action::Touch(Touch::Click, on) if is_entry(on) => {
                commands.push(Command::OnPage(PageCommand::Choose(self.touched(on, step.shared))));
            }
            Action::Touch(Touch::Click, on) => {
                commands.push(Command::Tap { on: self.touched(on, step.shared), at: None })
            }
            Action::Touch(Touch::LongClick, on) => {
                commands.push(Command::LongTap { on: self.touched(on, step.shared), at: None });
            }
            Action::Touch(Touch::DoubleClick, on) if self.is_page => {
                commands.push(Command::OnPage(PageCommand::DoubleClick(self.touched(on, step.shared))));
            }
            Action::Touch(Touch::DoubleClick, on) => {
                let tap = |on| Command::Tap { on, at: None };
                commands.push(tap(self.touched(on, step.shared)));
                commands.push(tap(self.touched(on, step.shared)));
            }
            Action::Touch(Touch::Hover, on) => {
                commands.push(Command::OnPage(PageCommand::Hover(self.touched(on, step.shared))));
            }
            Action::Text { on, text } => {
                commands.push(Command::Fill { on: self.widget(on, step.shared), text })
            }
            Action::Stroke(Stroke::Scroll, on, towards) => {
                commands.push(Command::Scroll { on: self.widget(on, step.shared), towards: *towards });
            }
            Action::Stroke(Stroke::Swipe, on, towards) => {
                commands.push(Command::Swipe { on: self.widget(on, step.shared), towards: *towards });
            }
            Action::Device(action) => commands.push(self.on_device(*action)),
        }
    }

    fn widget(&self, on: &'a Target, shared: Shared) -> Widget<'a> {
        Widget { target: on, locator: self.known.locate(on, shared), shared }
    }

    fn touched(&self, on: &'a Target, shared: Shared) -> Widget<'a> {
        Widget { target: on, locator: self.known.locate_touched(on, shared), shared }
    }

    fn on_device(&mut self, action: DeviceAction) -> Command<'a> {
        let device = &mut self.device;
        match action {
            DeviceAction::Back => Command::Back,
            DeviceAction::Menu => Command::Press(PressedKey::Menu),
            DeviceAction::Rotate => {
                device.is_turned = !device.is_turned;
                Command::Turn { is_upright: !device.is_turned }
            }
            DeviceAction::Network => {
                device.is_off_network = !device.is_off_network;
                Command::SwitchNetwork { is_on: !device.is_off_network }
            }
            DeviceAction::PauseResume => Command::LeaveAndReturn { activity: device.activity.clone() },
            DeviceAction::Idle => {
                device.is_dark = true;
                Command::Idle
            }
            DeviceAction::Enter => Command::Press(PressedKey::Enter),
            DeviceAction::Escape => Command::Press(PressedKey::Escape),
            DeviceAction::Forward => Command::OnPage(PageCommand::Forward),
            DeviceAction::Reload => Command::OnPage(PageCommand::Reload),
            DeviceAction::Resize => {
                device.is_narrow = !device.is_narrow;
                Command::OnPage(PageCommand::Resize { is_narrow: device.is_narrow })
            }
        }
    }
}

fn gesture_on<'a>(gesture: &'a Gesture, on: Widget<'a>) -> Command<'a> {
    match gesture {
        Gesture::Tap(at) => Command::Tap { on, at: Some(*at) },
        Gesture::LongTap(at) => Command::LongTap { on, at: Some(*at) },
        Gesture::Swipe { from, to } => Command::Drag { on, from: *from, to: *to },
        Gesture::Text(text) => Command::Type(text),
        Gesture::Key(key) => Command::Press(*key),
        Gesture::Wait { ms } => Command::Wait { ms: *ms },
    }
}

/// Any crash.
static CRASHED: LazyLock<Atom> = LazyLock::new(|| {
    Atom::State(vec![Comparison { key: Key::Crashed, op: Op::Equal, value: Constant::Flag(true) }])
});

/// Returns true if the atom is about what a page reports.
fn is_reported(atom: &Atom) -> bool {
    atom.mentions(Key::Console) || atom.mentions(Key::Status)
}

/// Returns the check of one atom of `sees`. Atoms about the action need none, as the commands do it.
fn expect<'a>(sees: &'a [(Atom, bool)], atom: &'a Atom, holds: bool) -> Option<Expect<'a>> {
    let of = match atom {
        Atom::Action(_) => return None,
        atom if is_reported(atom) => return None,
        atom if atom.is_linked() => Subject::Linked,
        // A tool that cannot tell crashes apart can still see that there is one.
        Atom::State(all) if atom.mentions(Key::Crash) => {
            let is_one = holds && all.iter().any(|one| one.key == Key::Crash && one.op != Op::NotEqual);
            let is_new = !sees.contains(&(CRASHED.clone(), true));
            return if is_one && is_new { expect(sees, &CRASHED, true) } else { None };
        }
        Atom::State(all) => Subject::State(all),
        Atom::Widget(all) => Subject::Widget(all),
        Atom::Count { of, op, number } => Subject::Count { of, op: *op, number: *number },
        Atom::Checked(is_checked) => Subject::Checked(*is_checked),
        Atom::Placed(_) | Atom::Compared { .. } => Subject::Linked,
    };
    Some(Expect { atom, of, holds })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gui::UserAction;
    use crate::spec::{Source, parse};

    /// The commands of a test with these actions, in words of Rust, a step each.
    fn commands(actions: Vec<Action>) -> Vec<String> {
        let oracle = parse(&Source::new("s.ltl", "possible \"a\": X [text = a]")).file.specs.remove(0);
        let test = TestCase {
            provenance: Default::default(),
            set_up: crate::test_case::TestSetUp::Own(Vec::new()),
            steps: actions
                .into_iter()
                .map(|action| TestStep { action, shared: Shared::default(), around: None, sees: Vec::new() })
                .collect(),
            captured: None,
            oracle,
            actions: Vec::new(),
        };
        let script = Script::new(&test, |one, two| one == two);
        script.steps.iter().map(|step| format!("{:?}", step.commands)).collect()
    }

    #[test]
    fn a_dark_display_is_lit_before_the_next_step() {
        let found = commands(vec![Action::IDLE, Action::IDLE, Action::ROTATE, Action::ROTATE]);
        let expected =
            ["[Idle]", "[Wake, Idle]", "[Wake, Turn { is_upright: false }]", "[Turn { is_upright: true }]"];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_app_is_left_for_the_activity_that_was_started_last() {
        let start = |name: &str| Action::Reinitialise(name.into());
        let found = commands(vec![start("a.One"), start("a.Two; x"), Action::PAUSE_RESUME]);
        assert_eq!(found[2], "[LeaveAndReturn { activity: \"a.Twox\" }]");
    }

    #[test]
    fn an_action_without_gestures_is_refused() {
        let nothing = UserAction { name: "rest".into(), on: Atom::Checked(true), gestures: Vec::new() };
        let found = commands(vec![Action::User { action: Arc::new(nothing), on: Target::default() }]);
        assert_eq!(found, ["[Refuse(\"nothing does this outside farlead, so the step is left out\")]"]);
    }
}
