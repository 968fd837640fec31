//! Tests of atoms that look further than at one widget, one screen or one action: at the widgets around, at values that are
//! read from the step, and at the step before.

use super::atom::{Atom, Comparison, Key, Op, read_typed_text, speak_of_field};
use super::constant::{Constant, Number, quote};
use super::element::{Element, short_class};
use super::label::{Link, Subject, Test, TestValue, WidgetTest, compare};
use super::pattern::{Pattern, Relation};
use super::screen::{Context, Flags, Orientation, Screen, Widget};
use super::term::Term;
use super::typed::TypedText;

/// Test of an atom at a step.
#[derive(Clone, Debug)]
pub(super) enum LinkedTest {
    State(Vec<Test>),
    Action(Vec<Test>),
    Widget(PlacedTest),
    Compared { left: TermTest, op: Op, right: Box<Test> },
}

/// Test of widgets by themselves and by those around them.
#[derive(Clone, Debug)]
pub(super) struct PlacedTest {
    own: WidgetTest,
    /// True if typed text is no value of these widgets.
    hides_typed: bool,
    places: Vec<(Relation, PlacedTest)>,
}

/// A term with its patterns as tests.
pub(super) type TermTest = Term<PlacedTest>;

impl LinkedTest {
    /// Returns the test of `atom`, to which typed text is worth `typed`; nothing if one widget, one screen or one action
    /// decides it.
    pub fn new(atom: &Atom, typed: TypedText) -> Option<LinkedTest> {
        atom.is_linked().then(|| LinkedTest::of_any(atom, typed)).flatten()
    }

    /// Returns the test of `atom`, whatever it looks at; nothing for one that looks at all widgets at once.
    pub fn of_any(atom: &Atom, typed: TypedText) -> Option<LinkedTest> {
        let tests = |all: &[Comparison]| all.iter().map(|one| Test::new(one, typed)).collect();
        let pattern = |all: &[Comparison]| Pattern { comparisons: all.to_vec(), places: Vec::new() };
        match atom {
            Atom::State(all) => Some(LinkedTest::State(tests(all))),
            Atom::Action(all) => Some(LinkedTest::Action(tests(all))),
            Atom::Widget(all) => Some(LinkedTest::Widget(PlacedTest::new(&pattern(all), typed))),
            Atom::Count { of, op, number } => {
                let right = Constant::Number(Number::from(*number));
                Some(LinkedTest::compared(&Term::Count(Box::new(pattern(of))), *op, &right, typed))
            }
            Atom::Placed(pattern) => Some(LinkedTest::Widget(PlacedTest::new(pattern, typed))),
            Atom::Compared { left, op, right } => Some(LinkedTest::compared(left, *op, right, typed)),
            Atom::Checked(_) => None,
        }
    }

    fn compared(left: &Term, op: Op, right: &Constant, typed: TypedText) -> LinkedTest {
        // The key says nothing here: both sides are lists of texts.
        let right = Comparison { key: Key::Text, op, value: right.clone() };
        LinkedTest::Compared {
            left: TermTest::new(left, typed),
            op,
            right: Box::new(Test::new(&right, typed)),
        }
    }

    /// Returns true if the atom holds at the step.
    pub fn holds(&self, link: Link<'_>) -> bool {
        let all = |tests: &[Test], subject: Subject<'_>| {
            tests.iter().all(|test| test.resolved(link).holds(subject))
        };
        match self {
            LinkedTest::State(tests) => all(tests, Subject::Screen(link.after)),
            LinkedTest::Action(tests) => {
                link.action.is_some_and(|action| all(tests, Subject::Action(action)))
            }
            LinkedTest::Widget(test) => test.on(link).contains(&true),
            LinkedTest::Compared { left, op, right } => {
                let left = left.values(link);
                match right.resolved(link).value {
                    TestValue::Values(right) => compare(left.as_deref(), *op, right.as_deref()),
                    TestValue::Text(text) => compare(left.as_deref(), *op, Some(&[text])),
                    TestValue::Number(number) => compare(left.as_deref(), *op, Some(&[number.to_string()])),
                    TestValue::Flag(flag) => compare(left.as_deref(), *op, Some(&[flag.to_string()])),
                    TestValue::Regex(regex) => match left.as_deref() {
                        Some([text]) => regex.is_match(text),
                        Some(_) | None => false,
                    },
                    TestValue::Term(_) => unreachable!("the value has just been read"),
                }
            }
        }
    }

    /// Returns true if marks of typed text change whether it holds.
    pub fn heeds_typed(&self) -> bool {
        let any = |tests: &[Test]| tests.iter().any(Test::heeds_typed);
        match self {
            LinkedTest::State(tests) | LinkedTest::Action(tests) => any(tests),
            LinkedTest::Widget(test) => test.heeds_typed(),
            LinkedTest::Compared { left, right, .. } => left.heeds_typed() || right.heeds_typed(),
        }
    }
}

impl Test {
    /// Returns the test with its value read from the step.
    fn resolved(&self, link: Link<'_>) -> Test {
        let value = match &self.value {
            TestValue::Term(term) => TestValue::Values(term.values(link)),
            value => value.clone(),
        };
        Test { value, ..*self }
    }

    fn heeds_typed(&self) -> bool {
        matches!(&self.value, TestValue::Term(term) if term.heeds_typed())
    }
}

impl PlacedTest {
    fn new(pattern: &Pattern, typed: TypedText) -> PlacedTest {
        let is_no_evidence = typed == TypedText::IsNoEvidence;
        let Pattern { comparisons, places } = pattern;
        let tests = comparisons.iter().map(|one| Test::new(one, typed)).collect();
        PlacedTest {
            own: WidgetTest::of(tests, is_no_evidence && read_typed_text(comparisons)),
            hides_typed: is_no_evidence && !speak_of_field(comparisons),
            places: places
                .iter()
                .map(|(relation, place)| (*relation, PlacedTest::new(place, typed)))
                .collect(),
        }
    }

    fn heeds_typed(&self) -> bool {
        self.own.skips_typed()
            || self.own.tests().iter().any(Test::heeds_typed)
            || self.places.iter().any(|(_, place)| place.heeds_typed())
    }

    /// Tells of each widget of the screen after the step whether it is meant.
    fn on(&self, link: Link<'_>) -> Vec<bool> {
        let widgets = link.after.widgets();
        let tests = self.own.tests().iter().map(|test| test.resolved(link)).collect();
        let own = WidgetTest::of(tests, self.own.skips_typed());
        let mut meant: Vec<bool> = Vec::with_capacity(widgets.len());
        let mut see = |widget: &Widget, object_id: &str| {
            meant.push(widget.is_visible() && own.holds(widget, object_id));
        };
        if own.needs_object_id() {
            link.after.for_each_object(|_, widget, object_id| see(widget, object_id));
        } else {
            widgets.iter().for_each(|widget| see(widget, ""));
        }
        for (relation, place) in &self.places {
            let others = place.on(link);
            let has = match relation {
                Relation::In => above(widgets, &others),
                Relation::Has => below(widgets, &others),
                Relation::Beside => beside(widgets, &others),
            };
            meant.iter_mut().zip(has).for_each(|(is_meant, has)| *is_meant &= has);
        }
        meant
    }
}

/// Tells of each widget whether one of those above it is in `marked`.
fn above(widgets: &[Widget], marked: &[bool]) -> Vec<bool> {
    // For each depth of the way down to the widget: true if the widget there or one above it is marked.
    let mut way: Vec<bool> = Vec::new();
    let tell = |(widget, is_marked): (&Widget, &bool)| {
        way.truncate(usize::from(widget.depth));
        let is_below = way.last().copied().unwrap_or(false);
        way.push(is_below || *is_marked);
        is_below
    };
    widgets.iter().zip(marked).map(tell).collect()
}

/// Tells of each widget whether one of those below it is in `marked`.
fn below(widgets: &[Widget], marked: &[bool]) -> Vec<bool> {
    let mut has = vec![false; widgets.len()];
    // For each depth: true if a marked widget of that depth or deeper was met since the last widget above that depth.
    let mut open: Vec<bool> = Vec::new();
    for at in (0..widgets.len()).rev() {
        let depth = usize::from(widgets[at].depth);
        open.resize(open.len().max(depth + 2), false);
        has[at] = open[depth + 1..].contains(&true);
        open.truncate(depth + 1);
        open[depth] |= has[at] || marked[at];
    }
    has
}

/// Tells of each widget whether another one below the same parent is in `marked`.
fn beside(widgets: &[Widget], marked: &[bool]) -> Vec<bool> {
    // Families of siblings, in the order of their first members: the number of marked ones.
    let mut families: Vec<u32> = Vec::new();
    let mut family_of = Vec::with_capacity(widgets.len());
    // Family of the children of each widget on the way down; the first one is of those without a parent.
    let mut way: Vec<Option<usize>> = vec![None];
    for (widget, is_marked) in widgets.iter().zip(marked) {
        // A tree from outside may leave out depths.
        let depth = usize::from(widget.depth).min(way.len() - 1);
        way.truncate(depth + 1);
        let family = *way[depth].get_or_insert_with(|| {
            families.push(0);
            families.len() - 1
        });
        families[family] += u32::from(*is_marked);
        family_of.push(family);
        way.push(None);
    }
    family_of
        .iter()
        .zip(marked)
        .map(|(&family, is_marked)| families[family] > u32::from(*is_marked))
        .collect()
}

impl TermTest {
    /// Returns the term with its patterns as tests.
    pub fn new(term: &Term, typed: TypedText) -> TermTest {
        term.map(&|pattern: &Pattern| PlacedTest::new(pattern, typed))
    }

    fn heeds_typed(&self) -> bool {
        self.has(&|part| match part {
            Term::Each(key, of) => (*key == Key::Text && of.hides_typed) || of.heeds_typed(),
            Term::Count(of) => of.heeds_typed(),
            _ => false,
        })
    }

    /// Returns the values of a term that reads nothing; none if there is no value.
    pub fn known_values(&self) -> Option<Vec<String>> {
        let nothing = Screen::new("", "", Context::default(), Vec::new());
        self.values(Link { before: None, action: None, after: &nothing })
    }

    /// Returns the values at a step; none if there is no value.
    pub fn values(&self, link: Link<'_>) -> Option<Vec<String>> {
        match self {
            Term::Each(key, of) => {
                let meant = of.on(link);
                let mut values = Vec::new();
                link.after.for_each_object(|at, widget, object_id| {
                    let is_hidden = *key == Key::Text && of.hides_typed && widget.flags.has(Flags::TYPED);
                    if meant[at] && !is_hidden {
                        values.push(of_widget(*key, widget, object_id));
                    }
                });
                Some(values)
            }
            Term::Count(of) => {
                let count = of.on(link).into_iter().filter(|is_meant| *is_meant).count();
                Some(vec![count.to_string()])
            }
            Term::Of(key) => of_step(*key, link).map(|value| vec![value]),
            Term::Number(number) => Some(vec![number.to_string()]),
            Term::Text(text) => Some(vec![text.clone()]),
            Term::Joined(all) => {
                let parts: Option<Vec<String>> = all.iter().map(|part| part.text(link)).collect();
                Some(vec![parts?.concat()])
            }
            Term::Sum(left, right) => {
                let (left, right) = (left.number(link)?, right.number(link)?);
                Some(vec![left.plus(right).to_string()])
            }
            Term::Difference(left, right) => {
                let (left, right) = (left.number(link)?, right.number(link)?);
                Some(vec![left.minus(right).to_string()])
            }
            Term::Trimmed(of) => Some(vec![of.text(link)?.trim().to_string()]),
            Term::FirstNumber(of) => Some(vec![Number::first_in(&of.text(link)?)?.to_string()]),
            Term::Kept(_, of) => of.values(link),
            Term::Values(values) => values.clone(),
            Term::Before(of) => of.values(Link { before: None, action: None, after: link.before? }),
        }
    }

    /// Returns the one value at a step; none if there are more or fewer.
    fn text(&self, link: Link<'_>) -> Option<String> {
        let mut values = self.values(link)?;
        if values.len() == 1 { values.pop() } else { None }
    }

    fn number(&self, link: Link<'_>) -> Option<Number> {
        Number::parse(self.text(link)?.trim())
    }
}

/// Returns the values of `term` on `screen`, as a person reads them.
pub(super) fn values(term: &Term, screen: &Screen) -> String {
    let link = Link { before: None, action: None, after: screen };
    let values = TermTest::new(term, TypedText::Counts).values(link);
    let quoted = |values: Vec<String>| values.iter().map(|text| quote(text)).collect::<Vec<_>>().join(", ");
    match values {
        None => "nothing".to_string(),
        Some(values) if values.is_empty() => "an empty list".to_string(),
        Some(values) => quoted(values),
    }
}

fn of_widget(key: Key, widget: &Widget, object_id: &str) -> String {
    let flag = |flag: Flags| widget.flags.has(flag).to_string();
    match key {
        Key::Text => widget.text.to_string(),
        Key::Desc => widget.desc.to_string(),
        Key::Id => widget.id_entry().to_string(),
        Key::ObjectId => object_id.to_string(),
        Key::Class => match Element::of(&widget.class) {
            Some(element) => element.classes().collect::<Vec<_>>().join(" "),
            None => short_class(&widget.class).to_string(),
        },
        Key::Tag => Element::of(&widget.class).map_or("", |element| element.tag).to_string(),
        Key::Role => Element::of(&widget.class).and_then(|element| element.role).unwrap_or("").to_string(),
        Key::Name => widget.name().to_string(),
        Key::Checked => flag(Flags::CHECKED),
        Key::Enabled => flag(Flags::ENABLED),
        Key::Focused => flag(Flags::FOCUSED),
        Key::Selected => flag(Flags::SELECTED),
        Key::Password => flag(Flags::PASSWORD),
        Key::Scrollable => flag(Flags::SCROLLABLE),
        // The reader of a term takes keys of widgets alone here.
        _ => String::new(),
    }
}

fn of_step(key: Key, link: Link<'_>) -> Option<String> {
    let (screen, context) = (link.after, link.after.context());
    let on = |is_on: bool| if is_on { "on" } else { "off" };
    match key {
        Key::Package => Some(screen.package().to_string()),
        Key::Activity => Some(screen.activity().to_string()),
        Key::Screen => Some(on(context.screen_on).to_string()),
        Key::Network => Some(on(context.network).to_string()),
        Key::Orientation => Some(match context.orientation {
            Orientation::Portrait => "portrait".to_string(),
            Orientation::Landscape => "landscape".to_string(),
        }),
        Key::Crashed => Some(context.crashed.to_string()),
        Key::Crash => screen.crash().map(|crash| crash.to_string()),
        Key::Anr => Some(context.anr.to_string()),
        Key::Keyboard => Some(context.keyboard.to_string()),
        Key::Console => screen.console().map(|console| console.to_string()),
        Key::Status => screen.status().map(|status| status.to_string()),
        Key::ActionType => Some(link.action?.type_name().to_string()),
        Key::ActionDetail => {
            let all = link.action?.details();
            all.into_iter().find(|detail| !detail.is_empty()).map(str::to_string)
        }
        Key::ActionObjectId => Some(link.action?.target()?.object_id.to_string()),
        Key::ActionText => link.action?.typed().map(str::to_string),
        // The reader of a term takes keys of screens and actions alone here.
        _ => None,
    }
}
