//! Kept runs: the formula of a run, its use to find the run again, and the text of a stored test.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use farlead::agent::PLANNER;
use farlead::device::Device;
use farlead::device::sim::{self, Sim, model::Model};
use farlead::gui::{
    Action, ActionTypes, Around, Atom, Bounds, Comparison, Constant, Direction, Key, Labeller, Nth, Op,
    Repertoire, Stroke, Target, ToldBy, Touch, TypedText, UserAction, offers,
};
use farlead::keep::{self, keep};
use farlead::ltl::{Automaton, Formula, Formulas, Labels, Monitor, Node, Permanent, ResidualId, Unit};
use farlead::objective::{self, Objective as _, Shaping, Verdict};
use farlead::rate::Rate;
use farlead::replay::{Missing, Player, Slack};
use farlead::rng::Seed;
use farlead::search::{Plan, search};
use farlead::situation::PhaseId;
use farlead::spec::{Expectation, Source, Spec, Style, parse};
use farlead::test_case::{
    Provenance, SetUpRun, Shared, TestCase, TestSetUp, TestStep, captured_expectation, captured_name, read,
};
use farlead::trace::{Step, Trace};
use proptest::prelude::*;

use crate::phone::model_of;
use crate::{ci, models};

/// A spec, the run found for it, and the test it is kept as.
struct Found {
    name: String,
    app: &'static str,
    spec: Spec,
    run: Trace,
    test: TestCase,
}

impl Found {
    fn captured(&self) -> &Spec {
        self.test.captured.as_ref().expect("a run as short as this has a formula")
    }
}

const SPECS: [(&str, &str); 9] = [
    ("chesswalk", "about"),
    ("chesswalk", "move"),
    ("chesswalk", "pause"),
    ("chesswalk", "remember"),
    ("chesswalk", "second_game"),
    ("chesswalk", "settings"),
    ("chesswalk", "sleep"),
    ("notes", "dummy_note"),
    ("notes", "palette"),
];

/// Returns all specs of the repository with the runs that `farlead check` finds and keeps for them.
fn all() -> &'static [Found] {
    static ALL: OnceLock<Vec<Found>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = Vec::new();
        for (app, file) in SPECS {
            let parsed = parse(&models::source(&format!("specs/{app}/{file}.ltl"))).file;
            all.extend(
                parsed
                    .specs
                    .iter()
                    .map(|spec| found(format!("{file}.{}", spec.name), app, spec, &parsed.actions)),
            );
        }
        assert_eq!(all.len(), 27, "the specs of the repository");
        all
    })
}

fn plan(spec: &Spec, actions: &[UserAction], seed: u64) -> Plan {
    let steps_max = spec.budget.steps_max.expect("these specs have budgets");
    Plan { steps_max, actions: actions.into(), seed: Seed(seed), ..Plan::new(&PLANNER) }
}

fn found(name: String, app: &'static str, spec: &Spec, actions: &[UserAction]) -> Found {
    let model = models::model(app, &[]);
    let mut device = Sim::new(model.clone(), Seed(1));
    let finding = search(&mut device, spec, &plan(spec, actions, 1), &mut |_| true).expect("the model runs");
    let settings = keep::Settings {
        minimise: Some(farlead::minimise::Settings::default()),
        confirm: 3,
        seed: Seed(1),
        jobs: 1,
        keeps_found: false,
        slack: Slack::default(),
        rules: Arc::default(),
        album: None,
    };
    let open = |seed| -> Box<dyn Device> { Box::new(Sim::new(model.clone(), seed)) };
    let run = finding.run.unwrap_or_else(|| panic!("{name} has a run"));
    let keeping = keep(&open, spec, &run, &settings, &|| true).expect("the model runs");
    assert!(keeping.confirmed.is_full(), "{name}: {:?}", keeping.confirmed);
    let test = TestCase {
        provenance: Provenance {
            app: vec!["--app".to_string(), format!("apps/{app}.app")],
            spec: format!("specs/{app}/{}.ltl", name.split('.').next().unwrap_or_default()),
            confirmed: keeping.confirmed,
            ..Provenance::default()
        },
        set_up: TestSetUp::Own(Vec::new()),
        steps: keeping.captured.steps,
        captured: keeping.captured.formula,
        oracle: spec.clone(),
        actions: keeping.captured.actions,
    };
    Found { name, app, spec: spec.clone(), run: keeping.run, test }
}

/// Returns the names of the atoms of `spec` that hold at `step`.
fn labels<'a>(spec: &'a Spec, step: &Step) -> Vec<&'a str> {
    let atoms: Vec<(&str, &Atom)> = spec.atoms.iter().map(|(name, atom)| (&**name, atom)).collect();
    let labeller = Labeller::new((0..).zip(atoms.iter().map(|(_, atom)| *atom)), spec.typed);
    let held: BTreeSet<u32> =
        &labeller.on_screen(&step.observation.screen) | &labeller.of_action(&step.action);
    held.into_iter().map(|atom| atoms[atom as usize].0).collect()
}

/// Returns the atoms that a chain of `now & X next` demands at each of its steps, with their values.
fn steps_of(spec: &Spec) -> Vec<Vec<(&Atom, bool)>> {
    let Spec { formulas, atoms, .. } = spec;
    let mut steps = Vec::new();
    let mut next = Some(spec.formula);
    while let Some(formula) = next.take() {
        let members = match formulas.node(formula) {
            Node::And(members) if !formula.is_negated() => formulas.members(members).to_vec(),
            _ => vec![formula],
        };
        let mut now = Vec::new();
        for member in members {
            match formulas.node(member) {
                Node::Atom(atom) => now.push((&atoms[formulas.name(atom)], !member.is_negated())),
                Node::Next(after) if !member.is_negated() && next.is_none() => next = Some(after),
                // A bound in time repeats what a later step says.
                Node::Until(bound, ..) if !member.is_negated() && bound.unit == Unit::Time => {}
                other => panic!("{other:?} is no part of a run"),
            }
        }
        steps.push(now);
    }
    steps
}

#[test]
fn a_run_satisfies_its_formula_at_its_last_step_and_not_before() {
    for found in all() {
        let captured = found.captured();
        let mut monitor = Monitor::new(&captured.formulas, captured.formula);
        let last = found.run.steps.len() - 1;
        for (number, step) in found.run.steps.iter().enumerate() {
            let progress = monitor.step(labels(captured, step));
            assert_eq!(progress.satisfied, number == last, "{} at step {number}", found.name);
        }
        assert_eq!(captured.budget.steps_max, Some(last as u32 + 1), "{}", found.name);
    }
}

#[test]
fn the_formula_of_a_run_names_the_type_and_the_detail_of_every_action() {
    for found in all() {
        let asked = steps_of(found.captured());
        assert_eq!(asked.len(), found.run.steps.len(), "{}", found.name);
        for (step, asked) in found.run.steps.iter().zip(asked) {
            let action = asked.iter().find(|(atom, holds)| *holds && atom.mentions(Key::ActionType));
            let (atom, _) = action.unwrap_or_else(|| panic!("{}: {} is not named", found.name, step.action));
            assert!(atom.mentions_action_type(step.action.type_name()), "{}: {atom}", found.name);
            let has_detail = !step.action.detail().trim().is_empty();
            assert_eq!(atom.mentions(Key::ActionDetail), has_detail, "{}: {atom}", found.name);
            // If the widget has no name, or shares it with others, its place identifies it.
            let is_told = has_detail || step.action.target().is_none() || atom.mentions(Key::ActionObjectId);
            assert!(is_told, "{}: {atom}", found.name);
        }
    }
}

/// Returns laws about atoms that hold for every app: implications, and atoms that exclude each other.
fn laws(formulas: &mut Formulas, atoms: &BTreeMap<&str, &Atom>, oracle: &Spec) -> Vec<Formula> {
    let goal = objective::Formula::new(oracle, Shaping::Atoms);
    let number = |name: &str| goal.conditions().iter().position(|known| &**known == name);
    let mut laws = Vec::new();
    for (&name, &one) in atoms {
        for (&other_name, &other) in atoms {
            let (a, b) = (formulas.atom(name), formulas.atom(other_name));
            let labels: Labels =
                [number(name), number(other_name)].into_iter().flatten().map(|at| at as u32).collect();
            // In no known app are two activities in front at once.
            if name < other_name && (one.excludes(other) || goal.is_impossible(&labels)) {
                let both = formulas.and([a, b]);
                laws.push(!both);
            }
            if name != other_name && implies(one, other) {
                laws.push(formulas.implies(a, b));
            }
        }
    }
    laws
}

/// Returns true if every action that meets `one` meets `other`: each comparison of `other` follows from one of
/// the same key.
fn implies(one: &Atom, other: &Atom) -> bool {
    let (Atom::Action(one), Atom::Action(other)) = (one, other) else { return false };
    let follows = |asked: &Comparison| {
        one.iter().any(|known| match (&known.value, &asked.value) {
            (Constant::Text(text), Constant::Text(part))
                if known.key == asked.key && known.op == Op::Equal =>
            {
                match asked.op {
                    Op::Equal => text == part,
                    Op::Contains => text.contains(part.as_str()),
                    _ => false,
                }
            }
            _ => known == asked,
        })
    };
    other.iter().all(follows)
}

#[test]
fn whatever_run_satisfies_the_formula_does_what_the_spec_asks_for() {
    for found in all() {
        let (captured, oracle) = (found.captured(), &found.spec);
        let mut formulas = Formulas::new();
        let run = formulas.import(&captured.formulas, captured.formula);
        let goal = formulas.import(&oracle.formulas, oracle.formula);
        let atoms: BTreeMap<&str, &Atom> =
            captured.atoms.iter().chain(&oracle.atoms).map(|(name, atom)| (&**name, atom)).collect();
        let laws = laws(&mut formulas, &atoms, oracle);
        let laws = formulas.and(laws);
        let lawful = formulas.always(farlead::ltl::Bound::ANY, laws);
        let counter = formulas.and([run, lawful, !goal]);
        let mut automaton = Automaton::new(&formulas, counter);
        let verdict = automaton.permanent(ResidualId::START);
        assert_eq!(verdict, Permanent::Violated, "{}:\n{captured}", found.name);
        // Some run satisfies both; otherwise the verdict above would be about nothing.
        let both = formulas.and([run, lawful, goal]);
        assert_ne!(
            Automaton::new(&formulas, both).permanent(ResidualId::START),
            Permanent::Violated,
            "{}",
            found.name
        );
    }
}

/// Returns all subsets of these atoms.
fn subsets(atoms: &[u32]) -> Vec<Vec<u32>> {
    atoms.iter().fold(vec![Vec::new()], |sets, &atom| {
        sets.into_iter().flat_map(|set| [set.clone(), [&set[..], &[atom]].concat()]).collect()
    })
}

#[test]
fn what_a_step_sees_decides_what_is_left_of_the_spec_after_it() {
    let mut moved = 0;
    for found in all() {
        let mut goal = objective::Formula::new(&found.spec, Shaping::Atoms);
        let number = |name: &str, goal: &objective::Formula| {
            goal.conditions().iter().position(|known| &**known == name).expect("an atom of the spec") as u32
        };
        let of_screen: Vec<u32> = found
            .spec
            .atoms
            .iter()
            .filter(|(_, atom)| !atom.is_action())
            .map(|(name, _)| number(name, &goal))
            .collect();
        let mut state = PhaseId::START;
        for (at, (step, kept)) in found.run.steps.iter().zip(&found.test.steps).enumerate() {
            let class = goal.class(&step.action);
            let after = goal.after_labels(state, class, &goal.screen_labels(&step.observation.screen));
            if after != state {
                moved += 1;
                let sees: BTreeMap<u32, bool> = kept
                    .sees
                    .iter()
                    .map(|(atom, holds)| (number(&atom.to_string(), &goal), *holds))
                    .collect();
                let agrees = |set: &Vec<u32>| sees.iter().all(|(atom, holds)| set.contains(atom) == *holds);
                for set in subsets(&of_screen).into_iter().filter(agrees) {
                    let labels: Labels = set.into_iter().collect();
                    if goal.is_impossible(&labels) {
                        continue;
                    }
                    let could_be = goal.after_labels(state, class, &labels);
                    let is_won = goal.assess(could_be).verdict == Verdict::Won;
                    assert!(could_be == after || is_won, "{} at step {at}: {:?}", found.name, kept.sees);
                }
            }
            state = after;
        }
        assert_eq!(goal.assess(state).verdict, Verdict::Won, "{}", found.name);
    }
    assert!(moved >= all().len() * 2, "{moved} steps change what is left");
}

/// Returns the number of seeds that do not find the run of a stored test in their first episode.
fn misses(found: &Found, model: &Arc<Model>, seeds: u64) -> u64 {
    let captured = found.captured();
    let is_miss = |seed: &u64| {
        let mut device = Sim::new(model.clone(), Seed(*seed));
        let plan = plan(captured, &found.test.actions, *seed);
        let finding = search(&mut device, captured, &plan, &mut |_| true).expect("the model runs");
        finding.run.is_none() || finding.episodes != 1
    };
    (1..=seeds).filter(is_miss).count() as u64
}

#[track_caller]
fn is_found_again(display: &str, model: impl Fn(&str) -> Arc<Model>) {
    let models: BTreeMap<&str, Arc<Model>> = ["chesswalk", "notes"].map(|app| (app, model(app))).into();
    // Of ten seeds all must find the run.
    let seeds = ci::cases(40, 10);
    for found in all() {
        let misses = misses(found, &models[found.app], seeds);
        assert!(misses * 100 <= seeds, "{} on {display}: {misses} of {seeds} seeds", found.name);
    }
}

#[test]
fn a_stored_run_is_found_again_in_the_first_episode() {
    is_found_again("its own display", |app| models::model(app, &[]));
}

#[test]
fn a_stored_run_is_found_again_on_displays_of_other_sizes() {
    // Upright ones: in landscape the notes app leaves names out, as the original app does.
    for (width, height, dpi) in [("1440", "2960", "560"), ("240", "320", "120"), ("800", "1280", "160")] {
        let set = [("sim.width", width), ("sim.height", height), ("sim.dpi", dpi)];
        is_found_again(&format!("{width}x{height}"), |app| models::model(app, &set));
    }
}

#[test]
fn a_stored_run_is_found_again_where_widgets_lie_elsewhere_on_the_display() {
    for display in ["1080x1920 420dpi", "600x960 160dpi", "800x1280 240dpi"] {
        is_found_again(display, |app| {
            let text = models::source(&format!("apps/{app}.app")).text().replace("480x800 240dpi", display);
            assert!(text.contains(display), "{app} says its display");
            Arc::new(sim::read(&Source::new("other.app", text)).model.expect("a sound model"))
        });
    }
}

#[track_caller]
fn read_sound(text: &str) -> TestCase {
    let source = Source::new("kept.test.ltl", text);
    let read = read(&source);
    let said = read.diagnostics.render(&source, Style::Plain);
    read.test.unwrap_or_else(|| panic!("{said}{text}"))
}

#[test]
fn a_stored_test_is_read_as_it_was_written_and_written_as_it_was_read() {
    for found in all() {
        let text = found.test.to_string();
        let again = read_sound(&text);
        assert_eq!(again, found.test, "{}", found.name);
        assert_eq!(again.to_string(), text, "{}", found.name);
        // Read from a file of specs, the formula is the same.
        assert_eq!(again.captured.as_ref(), Some(found.captured()));
    }
}

const ABOUT: &str = r#"farlead test 3
# Do its steps again with `farlead replay`, find it anew with `farlead check`.

from
    farlead "0.1.0"
    package "cz.hejl.chesswalk"
    version "1.5.2"
    app "--app" "apps/chesswalk.app"
    device "sim"
    spec "specs/chesswalk/about.ltl"
    agent "planner"
    seed 1
    episodes 1
    steps 3
    found 3
    confirmed 3 of 3

steps
    0 reinitialise "cz.hejl.chesswalk.MainActivity"
    1 click
        id "cz.hejl.chesswalk:id/btAbout"
        text "About"
        class "android.widget.Button"
        path 0:0:0:0:4
        bounds 97,633 382,705
        beside "Play Online, Play Offline, Settings"
        told by id and words
        sees [activity ~ About]
    2 back
        sees [activity ~ Main]

specs

possible "c, as found" within 3 steps:
    [actionType = reinitialise, actionDetail = cz.hejl.chesswalk.MainActivity] then
    [actionType = click, actionDetail = About] & [activity ~ About] then
    [actionType = back] & [activity ~ Main]

possible "c" within 4 steps, 500 episodes:
    X ([actionDetail ~ About] & [actionType = click] & [activity ~ About] & X ([actionType = back] U [activity ~ Main]))
"#;

#[test]
fn a_stored_test_reads_like_this() {
    let found = all().iter().find(|found| found.name == "about.c").expect("a spec of the repository");
    let provenance = read_sound(ABOUT).provenance;
    let test = TestCase { provenance, ..found.test.clone() };
    assert_eq!(test.to_string(), ABOUT);
}

#[track_caller]
fn refused(from: &str, to: &str, said: &str) {
    assert!(from.is_empty() || ABOUT.matches(from).count() >= 1, "{from} is in the test");
    let text = if from.is_empty() { to.to_string() } else { ABOUT.replacen(from, to, 1) };
    let source = Source::new("a.test.ltl", text);
    let read = read(&source);
    let shown = read.diagnostics.render(&source, Style::Plain);
    let first: Vec<String> = shown
        .lines()
        .filter_map(|line| line.strip_prefix("a.test.ltl:"))
        .map(|line| line.replacen(" error:", "", 1))
        .collect();
    assert_eq!(first.join("\n"), said, "{shown}");
    assert!(read.test.is_none(), "{shown}");
}

#[test]
fn a_test_of_a_later_format_is_refused() {
    for later in ["4", "10", "99999999999999999999"] {
        refused(
            "farlead test 3",
            &format!("farlead test {later}"),
            &format!("1:14: this is a test of format {later}, and this farlead reads formats up to 3"),
        );
    }
}

#[test]
fn numbers_in_a_comment_are_no_format() {
    let test = read_sound(ABOUT);
    assert!(read_sound(&format!("# the test 9 of 12\n\n{ABOUT}")).is_same(&test));
}

#[test]
fn what_is_missing_is_said() {
    let frame = "1:1: there is no line `specs` with the specs after it";
    refused("", "", frame);
    refused("", &ABOUT[..ABOUT.find("specs\n\n").expect("the line")], frame);
    let two = "32:1: after `specs` come the formula of the run and the spec it was found for";
    let none = format!("1:1: there is no spec here\n{two}");
    refused(&ABOUT[ABOUT.find("possible \"c, as").expect("a formula")..], "", &none);
    refused("specs\n", "specs\n\npossible \"more\": F [text = a]\n", two);
    refused(&ABOUT[ABOUT.find("possible \"c\" within").expect("a spec")..], "", two);
    let steps = ABOUT.find("    0 reinit").expect("steps")..ABOUT.find("\nspecs\n").expect("specs");
    refused(&ABOUT[steps], "", "17:1: a test has a step at least, its start");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let unexpected = |at: &str| format!("{at}: this is not how a test goes on here");
    for (from, to, at) in [
        ("farlead test 3", "farlead tests 3", "1:13"),
        ("farlead test 3", "farlead test 3.5", "1:15"),
        ("\"sim\"", "\"sim", "9:12"),
        ("        path 0:0:0:0:4\n", "        path 0:x\n", "24:15"),
        ("        sees [activity ~ About]\n", "        sees activity\n", "28:14"),
    ] {
        refused(from, to, &unexpected(at));
    }
    let keys = "farlead, package, version, app, device, spec, agent, seed, episodes, steps, found, confirmed";
    refused("    seed 1\n", "    sede 1\n", &format!("12:5: `sede` is not known; there is {keys}"));
    refused("    seed 1\n", "    seed 1\n    seed 1\n", "13:5: `seed` is said twice");
    refused("    seed 1\n", "    seed \"1\"\n", "12:5: this is no value of `seed`");
    refused("seed 1\n", "seed 99999999999999999999\n", "12:10: `99999999999999999999` is out of range");
    refused("farlead test 3", "farlead test 0", "1:14: the formats are 1 to 3");
    refused("confirmed 3 of 3", "confirmed 4 of 3", "16:15: more of them passed than were tried");
    refused("\"sim\"", "\"si\\u{d800}m\"", "9:12: `\\u{d800}` is no character");
    refused("97,633 382,705", "97,633 382,99999999999", "25:27: `99999999999` is out of range");
    refused("sees [activity ~ About]", "sees [activty ~ About]", "28:14: `[activty ~ About]` is no atom");
}

#[test]
fn what_is_no_step_is_said_with_its_place() {
    refused("    1 click", "    3 click", "20:5: steps are numbered from 0; this is step 1");
    let both = "20:7: a step on a widget has both `beside` and `told by`, or neither";
    refused("        told by id and words\n", "", both);
    refused(
        "told by id and words",
        "told by place 3 of 2",
        "27:23: this is no place among two widgets or more",
    );
    refused("    1 click", "    1 clack", "20:7: `clack` is no action like this");
    refused("    1 click", "    1 click \"About\"", "20:7: `click` is no action like this");
    refused("    2 back\n", "    2 back\n        id \"x\"\n", "29:7: `back` is no action like this");
    let start = "step 0, and no other, is `reinitialise`";
    refused("    2 back\n", "    2 reinitialise \"x.Main\"\n", &format!("29:7: {start}"));
    refused(
        "    0 reinitialise \"cz.hejl.chesswalk.MainActivity\"\n",
        "    0 back\n",
        &format!("19:7: {start}"),
    );
}

#[test]
fn what_is_wrong_with_the_specs_of_a_test_is_said_as_of_any_others() {
    refused(
        "possible \"c\" within",
        "possible \"d\" within",
        "34:1: \"c, as found\" is not the formula of a run of \"d\": that is called \"d, as found\" and expects the same",
    );
    refused(
        "[actionType = back] & [activity ~ Main]\n",
        "[actionType = bakc] & [activity ~ Main]\n",
        "37:19: there is no action type `bakc`",
    );
    refused("X ([actionDetail", "X [actionDetail", "40:119: this `)` has no `(` before it");
}

#[test]
fn a_test_without_a_formula_has_its_oracle_alone() {
    let (start, end) = (ABOUT.find("possible \"c, as"), ABOUT.find("possible \"c\""));
    let text = ABOUT[..start.expect("a formula")].to_string() + &ABOUT[end.expect("an oracle")..];
    let test = read_sound(&text);
    assert_eq!((test.captured.as_ref(), &*test.oracle.name), (None, "c"));
    assert_eq!(test.to_string(), text);
}

#[test]
fn a_step_without_a_line_of_its_widget_is_written_without_it() {
    for line in ["path 0:0:0:0:4", "bounds 97,633 382,705", "class \"android.widget.Button\""] {
        let test = read_sound(&ABOUT.replacen(line, &format!("# {line}"), 1));
        assert_eq!(read_sound(&test.to_string()), test, "{line}");
    }
}

#[test]
fn lines_that_end_otherwise_and_blanks_at_their_ends_change_nothing() {
    let test = read_sound(ABOUT);
    for other in [ABOUT.replace('\n', "\r\n"), ABOUT.replace('\n', "  \n"), ABOUT.replace("    ", "\t")] {
        assert!(read_sound(&other).is_same(&test), "{other}");
    }
}

#[test]
fn a_test_that_is_cut_short_anywhere_gets_an_answer() {
    let moves = all().iter().find(|found| found.name == "move.c").expect("a spec of the repository");
    for whole in [ABOUT, &moves.test.to_string()] {
        // Cuts at each byte; outside CI at fewer places.
        let stride = ci::cases(1, 7);
        for end in (0..whole.len()).step_by(stride) {
            let source = Source::new("cut.test.ltl", &whole[..end]);
            let read = read(&source);
            let shown = read.diagnostics.render(&source, Style::Plain);
            assert_eq!(read.test.is_none(), !shown.is_empty(), "{}\n{shown}", &whole[..end]);
        }
    }
}

/// Generates texts with everything that turns pages around.
fn hostile() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        "\"",
        "\\",
        "\n",
        "\r\n",
        "\t",
        "\u{0}",
        "\u{1b}[31m",
        "<",
        "&",
        "]",
        "[",
        "#",
        "specs",
        "\nspecs\n",
        "/",
        "~",
        "=",
        ",",
        ")",
        "\u{202e}",
        "\u{feff}",
        "\u{2028}",
        "\u{85}",
        "e\u{301}",
        "\u{1f600}",
        " ",
        "a",
        "steps",
    ]);
    prop_oneof![
        3 => prop::collection::vec(nasty, 0..8).prop_map(|parts| parts.concat()),
        1 => any::<String>(),
        1 => "[a-z]{300,400}",
    ]
}

fn target() -> impl Strategy<Value = Target> {
    let path = prop::collection::vec(0..30_u32, 1..6)
        .prop_map(|path| path.iter().map(ToString::to_string).collect::<Vec<_>>().join(":"));
    let edges = (any::<i32>(), any::<i32>(), any::<i32>(), any::<i32>());
    (path, hostile(), hostile(), hostile(), hostile(), hostile(), edges).prop_map(
        |(path, class, id, text, desc, below, (left, top, right, bottom))| Target {
            object_id: path.into(),
            class: class.into(),
            id: id.into(),
            text: text.into(),
            desc: desc.into(),
            below: below.into(),
            bounds: Bounds::new(left, top, right, bottom),
            is_cut: false,
        },
    )
}

fn atom() -> impl Strategy<Value = Atom> {
    let key = prop::sample::select(vec![Key::Text, Key::Desc, Key::Id, Key::Activity, Key::Package]);
    let op = prop::sample::select(vec![Op::Equal, Op::NotEqual, Op::Contains]);
    (key, op, hostile()).prop_filter_map("an atom that may be written", |(key, op, text)| {
        let comparison = Comparison::new(key, op, Constant::Text(text), ActionTypes::Any).ok()?;
        Atom::new(vec![comparison]).ok()
    })
}

const ZAP: &str = "action zap on [id = board]: tap 50% 12.5%, text \"a \\u{202e}\\\\\", key back, wait 300ms";

/// Returns a user action.
fn zap() -> UserAction {
    let parsed = parse(&Source::new("zap.ltl", ZAP));
    parsed.file.actions.into_iter().next().expect("an action")
}

fn action() -> impl Strategy<Value = Action> {
    let towards = || prop::sample::select(Direction::ALL.to_vec());
    prop_oneof![
        target().prop_map(Action::click),
        target().prop_map(|on| Action::Touch(Touch::LongClick, on)),
        (target(), hostile()).prop_map(|(on, text)| Action::Text { on, text: text.into() }),
        (target(), towards()).prop_map(|(on, towards)| Action::Stroke(Stroke::Scroll, on, towards)),
        (target(), towards()).prop_map(|(on, towards)| Action::Stroke(Stroke::Swipe, on, towards)),
        target().prop_map(|on| Action::User { action: Arc::new(zap()), on }),
        prop::sample::select(vec![
            Action::BACK,
            Action::MENU,
            Action::ROTATE,
            Action::NETWORK,
            Action::PAUSE_RESUME,
            Action::IDLE,
        ]),
    ]
}

fn nth() -> impl Strategy<Value = Nth> {
    (2..9_u32, 0..9_u32).prop_map(|(of, at)| Nth { number: at % of + 1, of })
}

fn shared() -> impl Strategy<Value = Shared> {
    let nth = || prop::option::of(nth());
    (nth(), nth(), nth(), nth()).prop_map(|(id, text, desc, all)| Shared { id, text, desc, all })
}

fn around() -> impl Strategy<Value = Option<Around>> {
    let told_by = prop_oneof![
        Just(ToldBy::Id),
        Just(ToldBy::Names),
        Just(ToldBy::Beside),
        nth().prop_map(ToldBy::Place)
    ];
    let around = (hostile(), told_by, any::<bool>()).prop_map(|(beside, told_by, has_own_words)| Around {
        beside: beside.into(),
        told_by,
        has_own_words,
    });
    prop::option::of(around)
}

/// Returns a step; only one with a widget has names to share, and surroundings.
fn later_step(
    (action, shared, around, sees): (Action, Shared, Option<Around>, Vec<(Atom, bool)>),
) -> TestStep {
    let has_widget = action.target().is_some();
    let shared = if has_widget { shared } else { Shared::default() };
    TestStep { action, shared, around: around.filter(|_| has_widget), sees }
}

fn steps() -> impl Strategy<Value = Vec<TestStep>> {
    let sees = || prop::collection::vec((atom(), any::<bool>()), 0..3);
    let start = (hostile(), sees()).prop_map(|(activity, sees)| TestStep {
        action: Action::Reinitialise(activity.into()),
        shared: Shared::default(),
        around: None,
        sees,
    });
    let later = (action(), shared(), around(), sees()).prop_map(later_step);
    (start, prop::collection::vec(later, 0..6)).prop_map(|(start, later)| [vec![start], later].concat())
}

/// A set-up that lacks the start of its runs, which is that of the test.
#[derive(Clone, Debug)]
struct Unstarted(Option<Vec<(String, bool, Vec<TestStep>)>>);

impl Unstarted {
    /// Returns the set-up of a test with these steps.
    fn after(self, steps: &[TestStep]) -> TestSetUp {
        let Some(runs) = self.0 else { return TestSetUp::OfProject };
        let run = |(name, counts, later): (String, bool, Vec<TestStep>)| SetUpRun {
            name,
            typed: if counts { TypedText::Counts } else { TypedText::IsNoEvidence },
            steps: [vec![steps[0].clone()], later].concat(),
        };
        TestSetUp::Own(runs.into_iter().map(run).collect())
    }
}

fn set_up() -> impl Strategy<Value = Unstarted> {
    let sees = || prop::collection::vec((atom(), any::<bool>()), 0..3);
    let later = || (action(), shared(), around(), sees()).prop_map(later_step);
    let run = (hostile(), any::<bool>(), prop::collection::vec(later(), 0..4));
    prop::option::weighted(0.8, prop::collection::vec(run, 0..4)).prop_map(Unstarted)
}

fn provenance() -> impl Strategy<Value = Provenance> {
    let texts = prop::collection::vec(hostile(), 6);
    let numbers = (any::<u64>(), any::<u32>(), any::<u64>(), any::<usize>(), any::<u32>(), any::<u32>());
    (texts, prop::collection::vec(hostile(), 0..4), numbers).prop_map(
        |(texts, app, (seed, episodes, steps, found_steps, one, other))| {
            let [farlead, package, version, device, spec, agent] =
                <[String; 6]>::try_from(texts).expect("six texts");
            let confirmed = Rate { passes: one.min(other), runs: one.max(other) };
            Provenance {
                farlead,
                package,
                version,
                app,
                device,
                spec,
                agent,
                seed,
                episodes,
                steps,
                found_steps,
                confirmed,
            }
        },
    )
}

/// Returns a spec with this name and these atoms, if a file can express both.
fn spec(name: &str, expectation: Expectation, atoms: &[Atom]) -> Option<Spec> {
    let chain: Vec<String> = atoms.iter().map(|atom| format!("!{atom} & [actionType = zap]")).collect();
    let text =
        format!("{ZAP}\n{} {} within 9 steps: {}", expectation.word(), quoted(name), chain.join(" then "));
    parse(&Source::new("spec.ltl", text)).file.specs.pop()
}

/// Returns a text in quotes, with every character as an escape.
fn quoted(text: &str) -> String {
    let escaped: String = text.chars().map(|char| format!("\\u{{{:x}}}", u32::from(char))).collect();
    format!("\"{escaped}\"")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ci::cases(400, 64)))]

    #[test]
    fn any_test_is_read_as_it_was_written(
        provenance in provenance(),
        set_up in set_up(),
        steps in steps(),
        name in hostile(),
        atoms in prop::collection::vec(atom(), 1..4),
        expectation in prop::sample::select(Expectation::ALL.to_vec()),
        has_formula in any::<bool>(),
    ) {
        let oracle = spec(&name, expectation, &atoms);
        prop_assume!(oracle.is_some());
        let oracle = oracle.expect("it was assumed");
        let as_found = || spec(&captured_name(&oracle), captured_expectation(&oracle), &atoms);
        let captured = has_formula.then(as_found).flatten();
        let test = TestCase { provenance, set_up: set_up.after(&steps), steps, captured, oracle, actions: vec![zap()] };
        let text = test.to_string();
        let source = Source::new("any.test.ltl", text.clone());
        let read = read(&source);
        prop_assert!(read.test.is_some(), "{}", read.diagnostics.render(&source, Style::Plain));
        let again = read.test.expect("it was asserted");
        prop_assert_eq!(&again, &test, "{}", text);
        prop_assert_eq!(again.to_string(), text.as_str());
        prop_assert!(!text.chars().any(|char| char.is_control() && char != '\n'));
    }

    #[test]
    fn any_text_gets_an_answer(text in hostile(), at in 0..ABOUT.len()) {
        let text = ABOUT[..at].to_string() + &text + &ABOUT[at..];
        let source = Source::new("any.test.ltl", text);
        let read = read(&source);
        prop_assert_eq!(read.test.is_none(), read.diagnostics.errors() > 0);
        if let Some(test) = read.test {
            let again = farlead::test_case::read(&Source::new("again.test.ltl", test.to_string()));
            prop_assert_eq!(again.test, Some(test));
        }
    }
}

/// An app that crashes in one way at once, and in another after a detour.
const TWO_CRASHES: &str = "\
app org.two \"Two\" 1
launch Main
session armed = false
activity Main .Main {
    Button \"Arm\" -> armed = true
    Button \"Wait\" -> armed = armed
    Button \"Go\" -> if armed { crash \"a.Late: {armed}\" } else { crash \"a.Early\" }
}
";

#[test]
fn a_run_that_is_made_shorter_ends_in_the_same_crash() {
    let model = model_of(TWO_CRASHES);
    let open = |seed| -> Box<dyn Device> { Box::new(Sim::new(model.clone(), seed)) };
    let parsed = parse(&Source::new("two.ltl", "never \"no crash\" within 9 steps: F [crashed = true]"));
    let spec = &parsed.file.specs[0];
    for (names, kept, crash) in [
        (&["Wait", "Arm", "Wait", "Go"][..], &["Arm", "Go"][..], "a.Late at org.two.Main.crash"),
        (&["Wait", "Wait", "Go"], &["Go"], "a.Early at org.two.Main.crash-2"),
    ] {
        let mut device = open(Seed(1));
        let mut actions = vec![Action::Reinitialise("org.two.Main".into())];
        let first = device.reset("org.two.Main").expect("a screen");
        for name in names {
            let offered = offers(&first.screen, &Repertoire::default());
            actions.extend(offered.into_iter().find(|action| action.detail() == *name));
        }
        let run = Player::new(spec).play(&mut *device, &actions, Missing::Stop).expect("the model runs");
        assert!(run.is_won, "{names:?}");
        let settings = keep::Settings {
            minimise: Some(farlead::minimise::Settings::default()),
            confirm: 2,
            seed: Seed(1),
            jobs: 1,
            keeps_found: false,
            slack: Slack::default(),
            rules: Arc::default(),
            album: None,
        };
        let keeping = keep(&open, spec, &run.trace, &settings, &|| true).expect("the model runs");
        let steps = &keeping.captured.steps;
        assert_eq!(steps.iter().skip(1).map(|step| step.action.detail()).collect::<Vec<_>>(), kept);
        let sees: Vec<String> = steps[kept.len()].sees.iter().map(|(atom, _)| atom.to_string()).collect();
        assert_eq!(sees, ["[crashed = true]".to_string(), format!("[crash = {crash}]")]);
        assert!(keeping.confirmed.is_full());
        let formula = keeping.captured.formula.expect("a short run has a formula");
        assert!(formula.atoms.contains_key(&*format!("[crash = {crash}]")));
    }
}
