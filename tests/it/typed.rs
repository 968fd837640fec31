//! Typed text is no evidence: made-up apps with fields, and the marks of typed text worked out slowly from whole runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use farlead::agent::PLANNER;
use farlead::device::sim::model::Model;
use farlead::device::{Device, Sim, sim};
use farlead::gui::{Action, Flags, Labeller, Screen, TypedText, Widget};
use farlead::keep::{self, keep};
use farlead::ltl::{Automaton, Labels, ResidualId};
use farlead::minimise;
use farlead::replay::{Player, Replay, Slack, capture};
use farlead::rng::{Rng, Seed};
use farlead::search::{Dictionary, Plan, exhaust, repertoire, search};
use farlead::spec::{Source, Spec, parse};
use farlead::test_case::read;
use farlead::trace::Trace;

const STEPS_MAX: u32 = 5;

fn model(text: &str) -> Arc<Model> {
    let source = Source::new("typed.app", text);
    let read = sim::read(&source);
    Arc::new(read.model.unwrap_or_else(|| {
        panic!("{}\n{text}", read.diagnostics.render(&source, farlead::spec::Style::Plain))
    }))
}

fn spec(text: &str) -> Spec {
    parse(&Source::new("typed.ltl", text)).file.specs.pop().unwrap_or_else(|| panic!("{text}"))
}

/// Returns one of `all`.
fn one_of<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.below(all.len())]
}

/// Returns an app whose fields keep, change, copy or lose what is typed.
fn made_up(rng: &mut Rng) -> String {
    let mut text = "app org.example.typed \"Typed\" 1.0\nlaunch Main\nstored kept = \"\"\n".to_string();
    let effects = [
        "",
        " { on text: shown = a }",
        " { on text: a = upper(a) }",
        " { on text: a = left(a, 2) }",
        " { on text: { shown = left(a, 1); a = \"\" } }",
        " { on text: wrong = true }",
    ];
    let effect = one_of(rng, &effects);
    text += "activity Main .Main {\n    own a = \"\", b = \"x\", shown = \"\", wrong = false\n";
    text += one_of(rng, &["", "    TextView \"no\" when wrong\n"]);
    text += &format!("    EditText #one edits a{effect}\n");
    text += one_of(rng, &["", "    EditText #two edits b\n", "    EditText #two edits kept\n"]);
    text += one_of(rng, &["", "    TextView \"{shown}\"\n", "    TextView \"Hello {a}\"\n"]);
    for button in [
        "    Button \"copy\" -> shown = a\n",
        "    Button \"keep\" -> kept = a\n",
        "    Button \"swap\" -> { b = a; a = \"\" }\n",
        "    Button \"open\" -> open Second\n",
        "    Button \"ask\" -> show Ask\n",
    ] {
        if rng.below(2) == 0 {
            text += button;
        }
    }
    text += "}\nactivity Second .Second {\n    EditText #name edits kept\n";
    text += one_of(rng, &["", "    TextView \"{kept}\"\n"]);
    text += "}\ndialog Ask {\n    own c = \"\"\n    EditText #ask edits c\n    Button \"ok\" -> { kept = c; close }\n}\n";
    text
}

/// Formulas about texts, each with true if its atoms on texts speak of the field, as far as typed text is concerned.
const FORMULAS: [(&str, bool); 12] = [
    ("F [text = ab]", false),
    ("F [text ~ AB]", false),
    ("X F ([text ~ a] & [activity ~ Main])", false),
    ("F [count(text ~ ab) >= 2]", false),
    ("F ([activity ~ Second] & [text ~ ab])", false),
    ("F ([actionType = text] & X [text = ab])", false),
    ("F ([actionType = text] & ![text ~ ab] & [actionText = ab])", false),
    ("F ([text = ab] & Y [text = ab])", false),
    ("F ([actionType = text] & G ![text = x])", false),
    ("F [class = EditText, text = ab]", true),
    ("F [id ~ one, text ~ ab]", true),
    ("F [focused = true, text = ab]", true),
];

/// The place of a field, which stays the same while its window is open.
fn place(screen: &Screen, at: usize) -> String {
    let widget = &screen.widgets()[at];
    if widget.id.is_empty() { screen.object_id(at) } else { widget.id.to_string() }
}

fn window(screen: &Screen) -> (String, String) {
    (screen.package().to_string(), screen.activity().to_string())
}

/// Returns the text of the field at `place`, if the screen has it.
fn text_at<'a>(screen: &'a Screen, sought: &str) -> Option<&'a str> {
    let is_it = |&at: &usize| screen.widgets()[at].flags.has(Flags::EDITABLE) && place(screen, at) == sought;
    (0..screen.widgets().len()).find(is_it).map(|at| &*screen.widgets()[at].text)
}

/// Returns the places of the fields that show typed text at step `now`, from all steps up to there: some step has typed
/// the text, and since then its window has shown the field with that very text.
fn typed_at(trace: &Trace, now: usize) -> BTreeSet<String> {
    let screen = |step: usize| &*trace.steps[step].observation.screen;
    let mut all = BTreeSet::new();
    for then in 1..=now {
        let Action::Text { on, text } = &trace.steps[then].action else { continue };
        let before = screen(then - 1);
        let at = (0..before.widgets().len()).find(|&at| before.object_id(at) == *on.object_id);
        let field = place(before, at.expect("the field that was typed into"));
        let Some(shown) = text_at(screen(then), &field) else { continue };
        let is_as_typed = shown == &**text;
        // A field that takes some letters alone shows a part; the app may have had that text before.
        let is_part = !shown.is_empty() && text.contains(shown) && text_at(before, &field) != Some(shown);
        let has_stayed = (then - 1..=now).all(|step| window(screen(step)) == window(screen(then)))
            && (then..=now).all(|step| text_at(screen(step), &field) == Some(shown));
        if (is_as_typed || is_part) && has_stayed {
            all.insert(field);
        }
    }
    all
}

/// Returns true if `trace` satisfies the formula of `spec`, where fields with typed text are not there for its atoms on
/// texts.
fn is_satisfied(spec: &Spec, trace: &Trace, counts: bool) -> bool {
    let mut automaton = Automaton::new(&spec.formulas, spec.formula);
    let names: Vec<String> = automaton.atoms().map(str::to_string).collect();
    let atoms = || (0..).zip(&names).map(|(number, name)| (number, &spec.atoms[name]));
    let labeller = Labeller::new(atoms(), TypedText::Counts);
    let mut state = ResidualId::START;
    for (now, step) in trace.steps.iter().enumerate() {
        let screen = step.observation.screen.with_typed(&[]);
        let typed = if counts { BTreeSet::new() } else { typed_at(trace, now) };
        let seen: Vec<Widget> = (0..screen.widgets().len())
            .filter(|&at| !typed.contains(&place(&screen, at)))
            .map(|at| screen.widgets()[at].clone())
            .collect();
        let rest = Screen::new(screen.package().clone(), screen.activity().clone(), screen.context(), seen);
        let labels: Labels =
            labeller.on_screen(&rest).into_iter().chain(labeller.of_action(&step.action)).collect();
        state = automaton.step(state, &labels);
    }
    automaton.is_satisfied(state)
}

fn settings() -> keep::Settings {
    keep::Settings {
        minimise: Some(minimise::Settings::default()),
        confirm: 2,
        seed: Seed(1),
        jobs: 1,
        keeps_found: false,
        slack: Slack::default(),
        rules: Arc::default(),
        album: None,
    }
}

/// Looks for a run of `spec` in all ways, and passes each that is accepted to `check`. Returns the length of a shortest
/// run.
fn accepted(model: &Arc<Model>, spec: &Spec, check: &dyn Fn(&str, &Trace)) -> Option<usize> {
    let mut sim = Sim::new(model.clone(), Seed(1));
    let offered = repertoire(spec, &[], []);
    let all = exhaust(&mut sim, spec, offered, STEPS_MAX, &mut |_, _| true).expect("the model runs");
    assert!(!all.is_too_large && !all.is_interrupted);
    let plan = Plan { steps_max: STEPS_MAX, episodes_max: 60, seed: Seed(3), ..Plan::new(&PLANNER) };
    let mut sim = Sim::new(model.clone(), Seed(1));
    let found = search(&mut sim, spec, &plan, &mut |_| true).expect("the model runs").run;
    assert!(
        all.run.is_some() || found.is_none(),
        "a search finds what exhaustive search proves not to be there"
    );
    for (how, run) in [("exhaustive", &all.run), ("search", &found)] {
        let Some(run) = run else { continue };
        check(how, run);
        let open = |seed| -> Box<dyn Device> { Box::new(Sim::new(model.clone(), seed)) };
        let kept = keep(&open, spec, run, &settings(), &|| true).expect("the model runs");
        assert!(kept.confirmed.is_full());
        check("minimised", &kept.run);
        let steps = capture(spec, &kept.run, Slack::default()).steps;
        let again = Player::new(spec).replay(&mut Sim::new(model.clone(), Seed(1)), &steps);
        let (replay, trace) = again.expect("the model runs");
        assert_eq!(replay, Replay::Reproduced);
        check("replayed", &trace);
    }
    all.run.map(|run| run.steps.len())
}

#[test]
fn no_run_that_is_accepted_rests_on_typed_text() {
    let mut rng = Seed(5).fork("typed");
    let (mut found, mut differ) = (0, 0);
    for _ in 0..8 {
        let text = made_up(&mut rng);
        let model = model(&text);
        for (formula, speaks_of_field) in FORMULAS {
            let plain = spec(&format!("possible: {formula}"));
            let counting = spec(&format!("possible typed counts: {formula}"));
            let check = |is_counting: bool| {
                let (plain, text) = (&plain, &text);
                move |how: &str, run: &Trace| {
                    let steps: Vec<String> = run.steps.iter().map(|step| step.action.to_string()).collect();
                    assert!(is_satisfied(plain, run, is_counting), "{how} {formula} {steps:#?}\n{text}");
                }
            };
            let short = accepted(&model, &plain, &check(speaks_of_field));
            let short_counting = accepted(&model, &counting, &check(true));
            found += usize::from(short.is_some());
            differ += usize::from(short != short_counting);
            if speaks_of_field {
                assert_eq!(short, short_counting, "{formula}\n{text}");
            }
        }
    }
    // Without these the law would say little.
    assert!(found > 20 && differ > 8, "{found} {differ}");
}

const SHOP: &str = "\
app org.example.shop \"Shop\" 1.0
launch Main
activity Main .Main {
    own mail = \"\", greeted = \"\"
    EditText #mail hint \"E-mail\" edits mail
    TextView \"Hello {greeted}\" when greeted
    Button \"Greet\" -> greeted = mail
    Button \"Save\" -> open Saved(mail)
}
activity Saved .Saved (mail) {
    TextView \"{mail}\"
}
";

#[test]
fn the_minimiser_brings_no_typed_text_back() {
    let model = model(SHOP);
    // Without the rule, typing alone would be a shorter run.
    for (formula, steps) in
        [("F [text ~ Hello ab]", 3), ("F [text = ab]", 3), ("F [class = EditText, text = ab]", 2)]
    {
        let asked = spec(&format!("possible: {formula}"));
        let check = |how: &str, run: &Trace| assert!(run.steps.len() >= steps, "{how} {formula}");
        let texts = if formula.contains("Hello") { vec!["ab".to_string()] } else { Vec::new() };
        let plan = Plan {
            steps_max: 6,
            texts: Dictionary { texts, is_all: false },
            seed: Seed(2),
            ..Plan::new(&PLANNER)
        };
        let mut sim = Sim::new(model.clone(), Seed(1));
        let run = search(&mut sim, &asked, &plan, &mut |_| true).expect("the model runs").run.expect(formula);
        check("search", &run);
        let open = |seed| -> Box<dyn Device> { Box::new(Sim::new(model.clone(), seed)) };
        let kept = keep(&open, &asked, &run, &settings(), &|| true).expect("the model runs");
        assert_eq!(kept.run.steps.len(), steps, "{formula}");
    }
}

#[test]
fn an_old_test_is_judged_as_it_was_and_a_new_one_by_its_clause() {
    let model = model(SHOP);
    let test = |form: u32, clause: &str| {
        let text = format!(
            "farlead test {form}\nfrom\n package \"org.example.shop\"\nsteps\n 0 reinitialise \"org.example.shop.Main\"\n \
             1 text \"ab\"\n  id \"org.example.shop:id/mail\"\n  class \"android.widget.EditText\"\n  path 0\n  bounds 0,0 9,9\n\
             specs\npossible \"p\"{clause}: F [text = ab]\n"
        );
        let read = read(&Source::new("p.test.ltl", text));
        read.test.unwrap_or_else(|| panic!("{:?}", read.diagnostics))
    };
    for (form, clause, holds) in
        [(1, "", true), (2, "", false), (2, " typed counts", true), (1, " typed counts", true)]
    {
        let test = test(form, clause);
        let player = || Player::new(&test.oracle);
        let replayed =
            player().replay(&mut Sim::new(model.clone(), Seed(1)), &test.steps).expect("it runs").0;
        assert_eq!(replayed == Replay::Reproduced, holds, "{form} {clause:?}: {replayed:?}");
        let again = farlead::test_case::read(&Source::new("p.test.ltl", test.to_string())).test;
        assert_eq!(again.as_ref(), Some(&test));
        assert!(
            test.to_string().contains("typed counts") == holds
                && test.to_string().starts_with("farlead test 3\n")
        );
    }
}

#[test]
fn a_captured_formula_says_the_clause_of_its_spec() {
    let model = model(SHOP);
    for clause in ["", " typed counts"] {
        let asked = spec(&format!("possible \"p\"{clause}: F [text ~ ab]"));
        let plan = Plan { steps_max: 5, ..Plan::new(&PLANNER) };
        let mut sim = Sim::new(model.clone(), Seed(1));
        let run = search(&mut sim, &asked, &plan, &mut |_| true).expect("the model runs").run.expect("a run");
        let captured = capture(&asked, &run, Slack::default()).formula.expect("it is short");
        assert_eq!(captured.typed, asked.typed);
        assert!(Player::new(&captured).is_won(&run));
    }
}
