//! Terms and places of atoms, and kept values, against a plain definition over trees of nodes, written from docs/language.md, on random
//! screens.

use std::path::{Path, PathBuf};

use farlead::gui::{
    Action, Bounds, Context, DeviceAction, Flags, Hierarchy, Labeller, Link, Screen, TypedText, Widget,
};
use farlead::ltl::{Formulas, Interval};
use farlead::objective::{Formula, Objective as _, Shaping, Verdict};
use farlead::situation::PhaseId;
use farlead::spec::{Source, parse, read_atom};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::pointwise::{Choices as _, Shape, Step, Words, formula_in, holds, random_tree};
use crate::progression::Random;
use crate::{ci, fixtures, shared};

/// Widget with those in it.
struct Node {
    class: &'static str,
    text: &'static str,
    is_visible: bool,
    is_typed: bool,
    inside: Vec<Node>,
}

fn pick<T: Copy>(random: &mut ChaCha8Rng, of: &[T]) -> T {
    of[random.random_range(0..of.len())]
}

fn nodes(random: &mut ChaCha8Rng, depth: u32) -> Vec<Node> {
    let count = if depth == 0 { 0 } else { random.random_range(0..4) };
    let node = |_| Node {
        class: pick(random, &["Row", "Box"]),
        text: pick(random, &["a", "b", "2 left", " 3 "]),
        is_visible: random.random_range(0..6) > 0,
        is_typed: random.random_range(0..6) == 0,
        inside: nodes(random, depth - 1),
    };
    (0..count).map(node).collect()
}

fn widgets(nodes: &[Node], depth: u16, all: &mut Vec<Widget>) {
    for node in nodes {
        let right = i32::from(node.is_visible);
        all.push(Widget {
            depth,
            class: node.class.into(),
            text: node.text.into(),
            bounds: Bounds { left: 0, top: 0, right, bottom: right },
            flags: Flags::default().set(Flags::TYPED, node.is_typed),
            ..Widget::default()
        });
        widgets(&node.inside, depth + 1, all);
    }
}

/// Description of widgets: a text or a class, and a relation to others.
#[derive(Clone, Debug)]
struct Like {
    text: Option<&'static str>,
    class: Option<&'static str>,
    place: Option<(&'static str, Box<Like>)>,
}

impl Like {
    fn random(random: &mut ChaCha8Rng, depth: u32) -> Like {
        let text = (random.random_range(0..2) == 0).then(|| pick(random, &["a", "b"]));
        let class = (text.is_none() || random.random_range(0..3) == 0).then(|| pick(random, &["Row", "Box"]));
        let has_place = depth > 0 && random.random_range(0..2) == 0;
        let place = has_place
            .then(|| (pick(random, &["in", "has", "beside"]), Box::new(Like::random(random, depth - 1))));
        Like { text, class, place }
    }

    fn written(&self) -> String {
        let text = self.text.map(|text| format!("text = {text}"));
        let class = self.class.map(|class| format!("class = {class}"));
        let place = self.place.as_ref().map(|(word, like)| format!("{word}({})", like.written()));
        text.into_iter().chain(class).chain(place).collect::<Vec<_>>().join(", ")
    }

    /// `above` has the way down to the node, the nearest last, each with its place among its siblings.
    fn is(&self, node: &Node, above: &[&Node], siblings: &[Node], at: usize) -> bool {
        let is_shown = node.is_visible;
        // Typed text is no evidence, unless the class tells the field.
        let has_text = |text: &str| node.text == text && (!node.is_typed || self.class.is_some());
        let has_others = |(word, like): &(&'static str, Box<Like>)| match *word {
            "in" => (0..above.len()).any(|up| {
                // Where an ancestor stands itself is found again from the top.
                let (way, ancestor) = (&above[..up], above[up]);
                let parent = way.last().map(|parent| &parent.inside[..]);
                like.is_at(ancestor, way, parent)
            }),
            "has" => has_below(like, node, above),
            _ => siblings
                .iter()
                .enumerate()
                .any(|(other, sibling)| other != at && like.is(sibling, above, siblings, other)),
        };
        is_shown
            && self.text.is_none_or(has_text)
            && self.class.is_none_or(|class| node.class == class)
            && self.place.as_ref().is_none_or(has_others)
    }

    fn is_at(&self, node: &Node, above: &[&Node], siblings: Option<&[Node]>) -> bool {
        let siblings = siblings.unwrap_or_else(|| TOP.with(|top| top.get()));
        let at =
            siblings.iter().position(|sibling| std::ptr::eq(sibling, node)).expect("a sibling of itself");
        self.is(node, above, siblings, at)
    }
}

fn has_below(like: &Like, node: &Node, above: &[&Node]) -> bool {
    let way: Vec<&Node> = above.iter().copied().chain([node]).collect();
    let inside = node.inside.iter().enumerate();
    inside
        .into_iter()
        .any(|(at, child)| like.is(child, &way, &node.inside, at) || has_below(like, child, &way))
}

thread_local! {
    /// Top nodes of the tree at hand.
    static TOP: std::cell::Cell<&'static [Node]> = const { std::cell::Cell::new(&[]) };
}

/// Nodes that are meant, in the order of the tree.
fn meant<'a>(like: &Like, nodes: &'a [Node], above: &[&'a Node], found: &mut Vec<&'a Node>) {
    for (at, node) in nodes.iter().enumerate() {
        if like.is(node, above, nodes, at) {
            found.push(node);
        }
        let way: Vec<&Node> = above.iter().copied().chain([node]).collect();
        meant(like, &node.inside, &way, found);
    }
}

fn all_meant(like: &Like, top: &'static [Node]) -> Vec<&'static Node> {
    TOP.with(|known| known.set(top));
    let mut found = Vec::new();
    meant(like, top, &[], &mut found);
    found
}

/// Texts of the widgets that are meant; one that the run has typed is none, unless the class tells the field.
fn texts(like: &Like, top: &'static [Node]) -> Vec<&'static str> {
    let is_told = |node: &&Node| !node.is_typed || like.class.is_some();
    all_meant(like, top).into_iter().filter(is_told).map(|node| node.text).collect()
}

fn screen(top: &[Node]) -> Screen {
    let mut all = Vec::new();
    widgets(top, 0, &mut all);
    Screen::new("p", "p.A", Context::default(), all)
}

/// Checks an atom against its value.
#[track_caller]
fn check(written: &str, expected: bool, before: Option<&Screen>, after: &Screen) {
    let atom = read_atom(written).unwrap_or_else(|| panic!("{written}"));
    assert_eq!(read_atom(&atom.to_string()), Some(atom.clone()), "{written}");
    let labeller = Labeller::new([(0, &atom)], TypedText::IsNoEvidence);
    let held = labeller.of_step(before, &Action::Device(DeviceAction::Back), after);
    assert_eq!(held.contains(&0), expected, "{written} {before:?} {after:?}");
}

#[test]
fn terms_and_places_mean_what_the_docs_say() {
    for seed in 0..ci::cases(2_000, 1_000) {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        // Leaked, as the slow definition walks the tree by references; a test ends soon.
        let [before, after]: [&'static [Node]; 2] = [(); 2].map(|()| &*nodes(random, 3).leak());
        let (one, other) = (Like::random(random, 2), Like::random(random, 2));
        let [first, second] = [before, after].map(screen);
        let (left, right) = (one.written(), other.written());
        let (count, count_before) = (all_meant(&one, after).len(), all_meant(&one, before).len());
        let step = |written: String, expected: bool| check(&written, expected, Some(&first), &second);

        if one.text.is_some() || one.class != Some("Box") {
            step(format!("[{left}]"), count > 0);
        }
        step(format!("[count({left}) >= 2]"), count >= 2);
        step(format!("[count({left}) = {{count({right})}}]"), count == all_meant(&other, after).len());
        step(format!("[count({left}) > {{prev count({left})}}]"), count > count_before);
        step(format!("[count({left}) = {{prev count({left}) + 1}}]"), count == count_before + 1);
        step(format!("[text({left}) = {{prev text({right})}}]"), texts(&one, after) == texts(&other, before));
        step(format!("[text({left}) != {{text({right})}}]"), texts(&one, after) != texts(&other, after));
        let all = texts(&one, after);
        step(format!("[text({left}) ~ left]"), matches!(&all[..], [text] if text.contains("left")));
        let number = match &all[..] {
            ["2 left"] => Some(2),
            [" 3 "] => Some(3),
            _ => None,
        };
        step(
            format!("[count({right}) = {{number(text({left}))}}]"),
            number == Some(all_meant(&other, after).len()),
        );
        let trimmed = matches!(&all[..], [text] if text.trim() == "3");
        step(format!("[text({left}) = {{trim(text({left}))}}]"), !trimmed && all.len() == 1);
        // Some widget of any kind shows the number.
        let any = Like { text: None, class: Some("Row"), place: None };
        let shown = texts(&any, after).contains(&&*format!("{count} left"));
        step(format!("[class = Row, text = \"{{count({left})}} left\"]"), shown);
        // Nothing comes before the start.
        check(&format!("[count({left}) = {{prev count({left})}}]"), false, None, &second);
        check(&format!("[count({left}) != {{prev count({left})}}]"), true, None, &second);
    }
}

/// Returns true if the steps at `screens` satisfy `formula` once they end.
fn is_satisfied(formula: &str, screens: &[Screen]) -> bool {
    let read = parse(&Source::new("x.ltl", format!("possible \"x\": {formula}")));
    assert_eq!(read.diagnostics.errors(), 0, "{formula}");
    let spec = &read.file.specs[0];
    let printed = format!("possible \"x\": {}", spec.formulas.display(spec.formula));
    let again = parse(&Source::new("y.ltl", printed));
    let again = &again.file.specs[0];
    assert_eq!(
        again.formulas.display(again.formula).to_string(),
        spec.formulas.display(spec.formula).to_string()
    );
    let mut objective = Formula::new(spec, Shaping::None);
    let action = Action::Device(DeviceAction::Back);
    let (mut phase, mut before) = (PhaseId::START, None);
    for after in screens {
        let labels =
            objective.labels_after(Link { before, action: Some(&action), after }, Interval::default());
        let class = objective.class(&action);
        phase = objective.after_labels(phase, class, &labels);
        before = Some(after);
    }
    objective.assess(phase).verdict == Verdict::Won
}

#[test]
fn kept_values_mean_what_the_docs_say() {
    for seed in 0..ci::cases(1_000, 400) {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let count = random.random_range(1..6);
        let tops: Vec<&'static [Node]> = (0..count).map(|_| &*nodes(random, 2).leak()).collect();
        let screens: Vec<Screen> = tops.iter().map(|top| screen(top)).collect();
        let (one, other) = (Like::random(random, 1), Like::random(random, 1));
        let (left, right) = (one.written(), other.written());
        let steps = || 0..tops.len();
        let step = |formula: String, expected: bool| {
            assert_eq!(is_satisfied(&formula, &screens), expected, "{formula} {screens:?}");
        };
        let number = |like: &Like, at: usize| all_meant(like, tops[at]).len();
        let later = |at: usize| at..tops.len();

        let comes_again =
            steps().any(|i| later(i + 1).any(|j| texts(&one, tops[i]) == texts(&other, tops[j])));
        step(format!("F (keep t = text({left}): X F [text({right}) = {{t}}])"), comes_again);
        let grows = steps().all(|i| i + 1 == tops.len() || number(&one, i + 1) >= number(&one, i));
        step(format!("G (keep n = count({left}): N [count({left}) >= {{n}}])"), grows);
        let adds_up = steps().any(|i| {
            later(i).any(|j| {
                let is_one_more = number(&one, j) == number(&one, i) + 1;
                let sum = number(&one, i) + number(&other, j);
                is_one_more && later(j).any(|k| number(&one, k) == sum)
            })
        });
        step(
            format!(
                "F keep n = count({left}): F ([count({left}) = {{n + 1}}] & (keep m = count({right}): F [count({left}) = {{n + m}}]))"
            ),
            adds_up,
        );
        // Before the start there is no value, and nothing is equal to it.
        let differs = steps().all(|i| {
            let kept = i.checked_sub(1).map(|before| texts(&one, tops[before]));
            later(i + 1).all(|j| kept.as_ref() != Some(&texts(&one, tops[j])))
        });
        step(format!("G keep t = prev text({left}): N G [text({left}) != {{t}}]"), differs);
        // Widgets that have a kept text are counted.
        let one_of_it = steps().any(|i| match &texts(&one, tops[i])[..] {
            [kept] => {
                let like = Like { text: Some(kept), class: None, place: None };
                later(i).any(|j| all_meant(&like, tops[j]).iter().filter(|node| !node.is_typed).count() == 1)
            }
            _ => false,
        });
        step(format!("F keep t = text({left}): F [count(text = {{t}}) = 1]"), one_of_it);
        // A text in a longer one.
        let any = Like { text: None, class: Some("Row"), place: None };
        let shown = steps().any(|i| {
            let text = format!("{} left", number(&one, i));
            later(i).any(|j| texts(&any, tops[j]).contains(&&*text))
        });
        step(format!("F keep n = count({left}): F [class = Row, text = \"{{n}} left\"]"), shown);
    }
}

/// Returns the screens in a folder of recorded dumps.
fn recorded(folder: &Path) -> Vec<Screen> {
    let files = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    let read = |file: &PathBuf| Hierarchy::read(&std::fs::read(file).expect("a readable file")).ok();
    files.iter().filter_map(read).map(|dump| dump.into_screen("p", "p.A", Context::default())).collect()
}

/// Classes whose numbers are the variables, and classes whose presence the atoms tell.
const COUNTED: [&str; 2] = ["TextView", "ImageView"];
const PRESENT: [&str; 2] = ["Button", "EditText"];

/// Random formulas in the language of specs.
const SPEC: Words = Words {
    atom: |atom| format!("[class = {}]", PRESENT[usize::from(atom)]),
    kept: |(name, variable)| format!("n{name}{variable} = count(class = {})", COUNTED[usize::from(variable)]),
    is: |names| {
        let sum: Vec<String> = names.iter().map(|(name, variable)| format!("n{name}{variable}")).collect();
        format!("[count(class = {}) = {{{}}}]", COUNTED[0], sum.join(" + "))
    },
};

fn step_of(screen: &Screen) -> Step {
    let of_class = |class: &str| {
        let is_of = |widget: &&Widget| widget.is_visible() && widget.class.rsplit('.').next() == Some(class);
        screen.widgets().iter().filter(is_of).count()
    };
    let atoms = (0..).zip(PRESENT).map(|(bit, class)| u64::from(of_class(class) > 0) << bit).sum();
    let variables = COUNTED.map(|class| u8::try_from(of_class(class)).expect("few widgets"));
    Step { atoms, at_ms: 0, variables }
}

/// Checks random formulas that keep numbers on random runs through `screens`.
fn check_runs_through(screens: &[Screen]) {
    let screens: Vec<&Screen> = screens.iter().filter(|screen| screen.widgets().len() < 80).collect();
    let mut satisfied = 0;
    for seed in 0..ci::cases(1_000, 300) {
        let mut random = Random(ChaCha8Rng::seed_from_u64(seed));
        let shape = Shape {
            operators: 2 + random.choose(10),
            atoms: 2,
            past: random.choose(3) == 0,
            bounds: random.choose(3) == 0,
            clock: false,
            values: true,
        };
        let tree = random_tree(&mut random, shape);
        // A few screens that come again.
        let some: Vec<&Screen> =
            (0..3).map(|_| screens[random.choose(screens.len() as u32) as usize]).collect();
        let run: Vec<Screen> =
            (0..1 + random.choose(6)).map(|_| some[random.choose(3) as usize].clone()).collect();
        let steps: Vec<Step> = run.iter().map(step_of).collect();
        let mut formulas = Formulas::new();
        let formula = formula_in(&tree, &mut formulas, &SPEC);
        let written = formulas.display(formula).to_string();
        let expected = holds(&tree, &steps, 0);
        satisfied += u32::from(expected);
        assert_eq!(is_satisfied(&written, &run), expected, "{written} {steps:?}");
    }
    assert!(satisfied > 20, "{satisfied}");
}

#[test]
fn kept_values_mean_the_same_on_recorded_screens() {
    check_runs_through(&recorded(&fixtures::path("android/ui")));
    if let Some(folder) = shared::path("android/ui") {
        check_runs_through(&recorded(&folder));
    }
}
