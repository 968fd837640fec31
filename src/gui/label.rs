//! Labels: the atoms that hold on screens and of actions, the same for every device.
//!
//! Tests are made once from atoms and used often; a screen is walked once for all of them.

use std::collections::BTreeSet;

use regex::Regex;

use super::action::Action;
use super::atom::{Atom, Comparison, Key, Op};
use super::constant::{Constant, Number, regex};
use super::element::{Element, short_activity, short_class};
use super::linked::{LinkedTest, TermTest};
use super::screen::{Flags, Screen, Widget};
use super::term::Term;
use super::typed::TypedText;

/// Finds those of some atoms that hold, by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Labeller {
    screens: Vec<(u32, ScreenTest)>,
    actions: Vec<(u32, Vec<Test>)>,
    /// Tests that look at more than the screen after a step, or than its action.
    steps: Vec<(u32, LinkedTest)>,
}

/// Reads the value of a term at each step.
#[derive(Clone, Debug)]
pub struct Reading(TermTest);

/// Tests a widget against all of some comparisons.
#[derive(Clone, Debug)]
pub struct WidgetTest {
    tests: Vec<Test>,
    /// True if no widget passes while it shows typed text.
    skips_typed: bool,
}

/// Tests an action against all of some comparisons.
#[derive(Clone, Debug)]
pub struct ActionTest {
    tests: Vec<Test>,
}

#[derive(Clone, Debug)]
enum ScreenTest {
    State(Vec<Test>),
    Widget(WidgetTest),
    Count {
        of: WidgetTest,
        op: Op,
        number: u64,
    },
    Checked(bool),
    /// Needs the tree around a widget, or a value of the screen.
    Linked(LinkedTest),
}

/// A comparison with its regular expression compiled.
#[derive(Clone, Debug)]
pub(super) struct Test {
    pub key: Key,
    pub op: Op,
    pub value: TestValue,
}

/// Right side of a comparison, ready to be compared with.
#[derive(Clone, Debug)]
pub(super) enum TestValue {
    Flag(bool),
    Text(String),
    Regex(Regex),
    Number(Number),
    /// Read from each step.
    Term(Box<TermTest>),
    /// Read from this step; none if there is no value.
    Values(Option<Vec<String>>),
}

/// A screen after a step, with the action and the screen before it as far as they are known.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// Screen before the action; none at the start of the app.
    pub before: Option<&'a Screen>,
    /// Action of the step.
    pub action: Option<&'a Action>,
    /// Screen after it.
    pub after: &'a Screen,
}

impl Labeller {
    /// Returns the labeller of `atoms`, each with its number, to which typed text is worth `typed`.
    pub fn new<'a>(atoms: impl IntoIterator<Item = (u32, &'a Atom)>, typed: TypedText) -> Labeller {
        let mut labeller = Labeller::default();
        for (number, atom) in atoms {
            if let Some(test) = LinkedTest::new(atom, typed) {
                match atom.is_about_step() {
                    true => labeller.steps.push((number, test)),
                    false => labeller.screens.push((number, ScreenTest::Linked(test))),
                }
                continue;
            }
            let skips_typed = typed == TypedText::IsNoEvidence && atom.reads_typed_text();
            let of_widget = |all: &[Comparison]| WidgetTest { tests: tests(all), skips_typed };
            let test = match atom {
                Atom::Action(all) => {
                    labeller.actions.push((number, tests(all)));
                    continue;
                }
                Atom::State(all) => ScreenTest::State(tests(all)),
                Atom::Widget(all) => ScreenTest::Widget(of_widget(all)),
                Atom::Count { of, op, number } => {
                    ScreenTest::Count { of: of_widget(of), op: *op, number: *number }
                }
                Atom::Checked(checked) => ScreenTest::Checked(*checked),
                Atom::Placed(_) | Atom::Compared { .. } => unreachable!("these have a test of their own"),
            };
            labeller.screens.push((number, test));
        }
        labeller
    }

    /// Adds an atom that is looked for at whole steps, whatever it looks at.
    pub fn add_to_steps(&mut self, number: u32, atom: &Atom, typed: TypedText) {
        let test = LinkedTest::of_any(atom, typed).expect("a kept value stands in a comparison");
        self.steps.push((number, test));
    }

    /// Returns the numbers of the atoms about actions.
    pub fn action_atoms(&self) -> impl Iterator<Item = u32> {
        self.actions.iter().map(|&(number, _)| number)
    }

    /// Returns true if the atom with the number `atom` is about actions.
    pub fn is_about_action(&self, atom: u32) -> bool {
        self.actions.iter().any(|&(number, _)| number == atom)
    }

    /// Returns true if marks of typed text change which atoms hold.
    pub fn heeds_typed(&self) -> bool {
        let on_screen = self.screens.iter().any(|(_, test)| match test {
            ScreenTest::Widget(test) | ScreenTest::Count { of: test, .. } => test.skips_typed,
            ScreenTest::Linked(test) => test.heeds_typed(),
            ScreenTest::State(_) | ScreenTest::Checked(_) => false,
        });
        on_screen || self.steps.iter().any(|(_, test)| test.heeds_typed())
    }

    /// Returns true if some atoms look at more than the screen after a step, or than its action.
    pub fn has_links(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Returns the atoms that hold at a step and look at more than the screen after it, or than its action.
    pub fn of_link(&self, link: Link<'_>) -> BTreeSet<u32> {
        self.steps.iter().filter(|(_, test)| test.holds(link)).map(|&(number, _)| number).collect()
    }

    /// Returns all atoms that hold at a step.
    pub fn of_step(&self, before: Option<&Screen>, action: &Action, after: &Screen) -> BTreeSet<u32> {
        let mut all = self.on_screen(after);
        all.append(&mut self.of_action(action));
        all.append(&mut self.of_link(Link { before, action: Some(action), after }));
        all
    }

    /// Returns the atoms that hold on `screen`.
    pub fn on_screen(&self, screen: &Screen) -> BTreeSet<u32> {
        let mut counts = vec![0_u64; self.screens.len()];
        let (mut checkable, mut checked) = (false, false);
        // Other atoms are about the screen as a whole, and need no walk.
        let of_widgets: Vec<(usize, &WidgetTest)> = self
            .screens
            .iter()
            .enumerate()
            .filter_map(|(at, (_, test))| match test {
                ScreenTest::Widget(test) | ScreenTest::Count { of: test, .. } => Some((at, test)),
                ScreenTest::State(_) | ScreenTest::Checked(_) | ScreenTest::Linked(_) => None,
            })
            .collect();
        let mut see = |widget: &Widget, object_id: &str| {
            // The tree also has widgets that are scrolled away or covered; a user does not see them.
            if !widget.is_visible() {
                return;
            }
            checkable |= widget.flags.has(Flags::CHECKABLE);
            checked |= widget.flags.has(Flags::CHECKED);
            for (at, test) in &of_widgets {
                counts[*at] += u64::from(test.holds(widget, object_id));
            }
        };
        // Object ids are written node by node, so they are made only if a test needs them.
        if of_widgets.iter().any(|(_, test)| test.needs_object_id()) {
            screen.for_each_object(|_, widget, object_id| see(widget, object_id));
        } else {
            screen.widgets().iter().for_each(|widget| see(widget, ""));
        }
        let holds = |(test, count): (&ScreenTest, u64)| match test {
            ScreenTest::State(all) => all.iter().all(|test| test.holds(Subject::Screen(screen))),
            ScreenTest::Widget(_) => count > 0,
            ScreenTest::Count { op, number, .. } => op.holds(Number::from(count), Number::from(*number)),
            ScreenTest::Checked(true) => checked,
            ScreenTest::Checked(false) => checkable && !checked,
            ScreenTest::Linked(test) => test.holds(Link { before: None, action: None, after: screen }),
        };
        self.screens
            .iter()
            .zip(counts)
            .filter(|((_, test), count)| holds((test, *count)))
            .map(|((number, _), _)| *number)
            .collect()
    }

    /// Returns the atoms that hold of `action`.
    pub fn of_action(&self, action: &Action) -> BTreeSet<u32> {
        let holds = |all: &[Test]| all.iter().all(|test| test.holds(Subject::Action(action)));
        self.actions.iter().filter(|(_, all)| holds(all)).map(|&(number, _)| number).collect()
    }
}

impl Reading {
    /// Returns the reading of `term`, to which typed text is worth `typed`.
    pub fn new(term: &Term, typed: TypedText) -> Reading {
        Reading(TermTest::new(term, typed))
    }

    /// Returns the values at a step; none if there is no value.
    pub fn values(&self, link: Link<'_>) -> Option<Vec<String>> {
        self.0.values(link)
    }
}

impl WidgetTest {
    /// Returns the test of `atom` on a widget; nothing if it is of another kind. It finds a widget and proves nothing,
    /// so typed text counts.
    pub fn new(atom: &Atom) -> Option<WidgetTest> {
        match atom {
            Atom::Widget(all) => Some(WidgetTest { tests: tests(all), skips_typed: false }),
            Atom::Count { .. }
            | Atom::State(_)
            | Atom::Action(_)
            | Atom::Checked(_)
            | Atom::Placed(_)
            | Atom::Compared { .. } => None,
        }
    }

    /// Returns the test of widgets that meet all of `tests`.
    pub(super) fn of(tests: Vec<Test>, skips_typed: bool) -> WidgetTest {
        WidgetTest { tests, skips_typed }
    }

    pub(super) fn tests(&self) -> &[Test] {
        &self.tests
    }

    pub(super) fn skips_typed(&self) -> bool {
        self.skips_typed
    }

    /// Returns true if `widget`, which is at `object_id`, passes.
    pub fn holds(&self, widget: &Widget, object_id: &str) -> bool {
        if self.skips_typed && widget.flags.has(Flags::TYPED) {
            return false;
        }
        self.tests.iter().all(|test| test.holds(Subject::Widget(widget, object_id)))
    }

    /// Returns true if the place of a widget in the tree is looked at.
    pub(super) fn needs_object_id(&self) -> bool {
        self.tests.iter().any(|test| test.key == Key::ObjectId)
    }
}

impl ActionTest {
    /// Returns the test of `atom` on an action; nothing if it is of another kind.
    pub fn new(atom: &Atom) -> Option<ActionTest> {
        match atom {
            Atom::Action(all) if atom.is_action() => Some(ActionTest { tests: tests(all) }),
            Atom::Widget(_)
            | Atom::Count { .. }
            | Atom::State(_)
            | Atom::Action(_)
            | Atom::Checked(_)
            | Atom::Placed(_)
            | Atom::Compared { .. } => None,
        }
    }

    /// Returns true if `action` passes.
    pub fn holds(&self, action: &Action) -> bool {
        self.tests.iter().all(|test| test.holds(Subject::Action(action)))
    }
}

fn tests(all: &[Comparison]) -> Vec<Test> {
    all.iter().map(|one| Test::new(one, TypedText::Counts)).collect()
}

/// Thing that a comparison is about.
#[derive(Clone, Copy)]
pub(super) enum Subject<'a> {
    /// A widget and its object id.
    Widget(&'a Widget, &'a str),
    Screen(&'a Screen),
    Action(&'a Action),
}

impl Test {
    /// Returns the test of a comparison, to whose terms typed text is worth `typed`.
    pub fn new(comparison: &Comparison, typed: TypedText) -> Test {
        let value = match &comparison.value {
            Constant::Flag(flag) => TestValue::Flag(*flag),
            Constant::Text(text) => TestValue::Text(text.clone()),
            Constant::Number(number) => TestValue::Number(*number),
            Constant::Regex(text) => {
                TestValue::Regex(regex(text).expect("an atom's regular expression has been read before"))
            }
            Constant::Term(term) => TestValue::Term(Box::new(TermTest::new(term, typed))),
        };
        Test { key: comparison.key, op: comparison.op, value }
    }

    pub fn holds(&self, of: Subject<'_>) -> bool {
        let on = |is_on: bool| if is_on { "on" } else { "off" };
        match (self.key, of) {
            (Key::Text, Subject::Widget(widget, _)) => self.text(&widget.text),
            (Key::Desc, Subject::Widget(widget, _)) => self.text(&widget.desc),
            (Key::Id, Subject::Widget(widget, _)) => self.names([&widget.id, widget.id_entry()]),
            (Key::ObjectId, Subject::Widget(_, object_id)) => self.text(object_id),
            (Key::Class, Subject::Widget(widget, _)) => match Element::of(&widget.class) {
                Some(element) => self.names(element.classes()),
                None => self.names([&widget.class, short_class(&widget.class)]),
            },
            // A view of Android has neither, so `!=` alone holds of it.
            (Key::Tag, Subject::Widget(widget, _)) => {
                self.names(Element::of(&widget.class).map(|element| element.tag))
            }
            (Key::Role, Subject::Widget(widget, _)) => {
                self.names(Element::of(&widget.class).and_then(|element| element.role))
            }
            (Key::Name, Subject::Widget(widget, _)) => self.text(widget.name()),
            (Key::Checked, Subject::Widget(widget, _)) => self.flag(widget.flags.has(Flags::CHECKED)),
            (Key::Enabled, Subject::Widget(widget, _)) => self.flag(widget.flags.has(Flags::ENABLED)),
            (Key::Focused, Subject::Widget(widget, _)) => self.flag(widget.flags.has(Flags::FOCUSED)),
            (Key::Selected, Subject::Widget(widget, _)) => self.flag(widget.flags.has(Flags::SELECTED)),
            (Key::Password, Subject::Widget(widget, _)) => self.flag(widget.flags.has(Flags::PASSWORD)),
            (Key::Scrollable, Subject::Widget(widget, _)) => self.flag(widget.flags.has(Flags::SCROLLABLE)),
            (Key::Package, Subject::Screen(screen)) => self.text(screen.package()),
            (Key::Activity, Subject::Screen(screen)) => self.activity(screen),
            (Key::Screen, Subject::Screen(screen)) => self.text(on(screen.context().screen_on)),
            (Key::Orientation, Subject::Screen(screen)) => self.text(screen.context().orientation.name()),
            (Key::Network, Subject::Screen(screen)) => self.text(on(screen.context().network)),
            (Key::Crashed, Subject::Screen(screen)) => self.flag(screen.context().crashed),
            // Without a crash there is no text, so `!=` alone holds of it.
            (Key::Crash, Subject::Screen(screen)) => self.names(screen.crash().map(|crash| &**crash)),
            (Key::Anr, Subject::Screen(screen)) => self.flag(screen.context().anr),
            (Key::Keyboard, Subject::Screen(screen)) => self.flag(screen.context().keyboard),
            // Without a report there is neither, so `!=` alone holds.
            (Key::Console, Subject::Screen(screen)) => self.names(screen.console().map(|console| &**console)),
            (Key::Status, Subject::Screen(screen)) => {
                self.names(screen.status().map(|status| status.to_string()).as_deref())
            }
            (Key::ActionType, Subject::Action(action)) => self.text(action.type_name()),
            (Key::ActionDetail, Subject::Action(action)) => self.names(action.details()),
            (Key::ActionObjectId, Subject::Action(action)) => {
                // Without a widget there is no path, so `!=` alone holds of it.
                self.names(action.target().map(|target| &*target.object_id))
            }
            (Key::ActionText, Subject::Action(action)) => self.names(action.typed()),
            // An atom is about one kind of thing, so its tests meet no other.
            (_, Subject::Widget(..) | Subject::Screen(_) | Subject::Action(_)) => false,
        }
    }

    /// Compares the names of the activity: the same class has a full name and, within its package, short ones.
    fn activity(&self, screen: &Screen) -> bool {
        let (package, full) = (&**screen.package(), &**screen.activity());
        // Android shortens `org.notes.Main` to `.Main` in manifests and to `org.notes/.Main` in components.
        let relative = full.strip_prefix(package).filter(|rest| rest.starts_with('.'));
        let component = format!("{package}/{}", relative.unwrap_or(full));
        self.names([full, relative.unwrap_or(full), short_activity(full), &component])
    }

    fn flag(&self, is_set: bool) -> bool {
        match &self.value {
            TestValue::Flag(flag) => (*flag == is_set) == (self.op == Op::Equal),
            TestValue::Values(_) => self.text(if is_set { "true" } else { "false" }),
            TestValue::Text(_) | TestValue::Regex(_) | TestValue::Number(_) | TestValue::Term(_) => false,
        }
    }

    fn text(&self, text: &str) -> bool {
        match (&self.value, self.op) {
            (TestValue::Text(value), Op::Equal) => value == text,
            (TestValue::Text(value), Op::NotEqual) => value != text,
            (TestValue::Text(value), Op::Contains) => text.contains(value),
            (TestValue::Regex(value), Op::Contains) => value.is_match(text),
            (TestValue::Number(value), op) => {
                // Apps pad numbers with blanks.
                Number::parse(text.trim()).is_some_and(|number| op.holds(number, *value))
            }
            (TestValue::Values(values), op) => compare(Some(&[text]), op, values.as_deref()),
            (TestValue::Flag(_) | TestValue::Text(_) | TestValue::Regex(_) | TestValue::Term(_), _) => false,
        }
    }

    /// Compares several names of one thing: one of them is enough, but `!=` must hold of all.
    fn names<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> bool {
        let mut names = names.into_iter();
        match self.op {
            Op::NotEqual => names.all(|name| self.text(name)),
            Op::Equal | Op::Contains | Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => {
                names.any(|name| self.text(name))
            }
        }
    }
}

/// Compares two lists; a list that is not there differs from everything. Operators other than `=` and `!=` need one value on
/// each side.
pub(super) fn compare<L: AsRef<str>, R: AsRef<str>>(left: Option<&[L]>, op: Op, right: Option<&[R]>) -> bool {
    let (Some(left), Some(right)) = (left, right) else { return op == Op::NotEqual };
    let is_equal = || left.iter().map(AsRef::as_ref).eq(right.iter().map(AsRef::as_ref));
    match (op, left, right) {
        (Op::Equal, ..) => is_equal(),
        (Op::NotEqual, ..) => !is_equal(),
        (Op::Contains, [left], [right]) => left.as_ref().contains(right.as_ref()),
        (Op::Less | Op::AtMost | Op::Greater | Op::AtLeast, [left], [right]) => {
            let number = |text: &str| Number::parse(text.trim());
            match (number(left.as_ref()), number(right.as_ref())) {
                (Some(left), Some(right)) => op.holds(left, right),
                _ => false,
            }
        }
        (Op::Contains | Op::Less | Op::AtMost | Op::Greater | Op::AtLeast, ..) => false,
    }
}
