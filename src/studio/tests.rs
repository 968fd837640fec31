//! Runs that are led by hand on the bundled apps: drafts, branches, expectations, and the law of drafts.

use std::sync::{Arc, Mutex, MutexGuard};

use proptest::prelude::*;

use super::pictures::PICTURES_SPARE;
use super::*;
use crate::device::sim::{self, Sim};
use crate::device::{App, Capabilities, Hand, HandGesture, HandKey, Place};
use crate::gui::{BUILTIN_TEXTS, Pixels, PressedKey};
use crate::replay::{Player, Replay, capture};
use crate::rng::Seed;
use crate::spec::{Source, Spec, lint};
use crate::test_case::{self, Provenance, TestCase, TestSetUp};
use crate::trace::Trace;

const NOTES: &str = include_str!("../../apps/notes.app");
const SHOP: &str = include_str!("../../apps/shop.app");
const FILES: &str = include_str!("../../apps/files.app");

fn device(model: &str) -> Box<dyn Device> {
    let read = sim::read(&Source::new("test.app", model.to_string()));
    Box::new(Sim::new(Arc::new(read.model.expect("a model without mistakes")), Seed(1)))
}

fn studio(model: &str) -> Studio {
    let mut studio = Studio::new(device(model), Repertoire::new(BUILTIN_TEXTS, &[], true));
    studio.answer(Request::Start { activity: None }).expect("the app starts");
    studio
}

fn view(studio: &mut Studio) -> View {
    match studio.answer(Request::View).expect("a view") {
        Reply::View(view) => *view,
        other => panic!("{other:?}"),
    }
}

fn screen(studio: &mut Studio) -> SaidScreen {
    view(studio).screen.expect("a screen")
}

/// Returns the request to do an offer.
fn done(screen: u64, offer: usize, text: Option<String>) -> Request {
    Request::Act { screen, offer, text, instead: false }
}

/// Does the offer whose label starts so.
fn act(studio: &mut Studio, label: &str, text: Option<&str>) {
    let screen = screen(studio);
    let offer = screen.offers.iter().position(|offer| offer.label.starts_with(label));
    let offer = offer.unwrap_or_else(|| panic!("no {label:?} among {:?}", screen.offers));
    studio.answer(done(screen.number, offer, text.map(str::to_string))).expect("it is done");
}

fn expect(studio: &mut Studio, step: usize, atom: &str, when: When) {
    let request = Request::Expect { step, atom: atom.to_string(), holds: true, when };
    studio.answer(request).expect("an expectation");
}

fn drafted(studio: &mut Studio, form: Form) -> String {
    studio.answer(Request::Name { name: "walk".to_string() }).expect("a name");
    studio.run().draft(form)
}

fn judged(studio: &mut Studio, text: &str) -> Vec<JudgedSpec> {
    let file = if text.starts_with("Feature") { "walk.feature" } else { "walk.ltl" };
    let specs = studio.run().specs(file, text).expect("specs without mistakes");
    specs.iter().map(|spec| studio.run().judge(spec)).collect()
}

/// Goes to the sketch of the notes.
fn at_the_sketch() -> Studio {
    let mut studio = studio(NOTES);
    for label in ["click \"OKAY\"", "click \"+\"", "click #fab_sketch"] {
        act(&mut studio, label, None);
    }
    studio
}

#[test]
fn expectations_become_a_spec_of_each_level_that_the_run_meets() {
    let mut studio = at_the_sketch();
    expect(&mut studio, 1, "[activity ~ Main]", When::Now);
    expect(&mut studio, 3, "[activity ~ Sketch]", When::Now);
    assert_eq!(
        drafted(&mut studio, Form::A),
        "possible \"walk\":\n    F ([activity ~ Main] & X F [activity ~ Sketch])\n"
    );
    assert_eq!(
        drafted(&mut studio, Form::B),
        "possible \"walk\":\n    F ([actionType = click] & [activity ~ Main] & X F ([actionType = click] & [activity ~ Sketch]))\n"
    );
    let exact = drafted(&mut studio, Form::C);
    assert!(exact.starts_with("possible \"walk\" within 4 steps:\n"), "{exact}");
    for form in [Form::A, Form::B, Form::C] {
        let text = drafted(&mut studio, form);
        assert_eq!(judged(&mut studio, &text)[0].at, Some(3), "{text}");
    }
    assert_eq!(
        drafted(&mut studio, Form::Scenario),
        "Feature: walk\n  Scenario: walk\n    Given the app is freshly started\n    When I click \"OKAY\"\n    \
         Then [activity ~ Main]\n    When I click \"+\"\n    And I click \"fab_sketch\"\n    \
         Then immediately [activity ~ Sketch]\n"
    );
}

#[test]
fn what_is_to_hold_always_or_never_is_a_scenario_of_its_own() {
    let mut studio = at_the_sketch();
    expect(&mut studio, 1, "[screen = on]", When::FromNowOn);
    expect(&mut studio, 3, "[crashed = true]", When::Never);
    let text = drafted(&mut studio, Form::Scenario);
    assert_eq!(
        text,
        "Feature: walk\n  Scenario: walk, rule 1\n    Given the app is freshly started\n    When I click \"OKAY\"\n    \
         Then always [screen = on]\n\n  Scenario: walk, rule 2\n    Given the app is freshly started\n    \
         Then never [crashed = true]\n"
    );
    let linted = lint(&Source::new("walk.feature", text));
    assert_eq!(linted.diagnostics.errors(), 0, "{:?}", linted.diagnostics);
}

#[test]
fn what_must_never_happen_is_a_spec_of_its_own() {
    let mut studio = at_the_sketch();
    expect(&mut studio, 3, "[crashed = true]", When::Never);
    let text = drafted(&mut studio, Form::A);
    assert_eq!(text, "never \"walk, never\": F [crashed = true]\n");
    assert_eq!(judged(&mut studio, &text)[0].at, None);
    expect(&mut studio, 2, "[activity ~ Sketch]", When::Never);
    let said = view(&mut studio).expected;
    assert_eq!(
        said.iter().map(|one| (one.is_met, &*one.why)).collect::<Vec<_>>(),
        [(false, "step 3: it holds"), (true, "")]
    );
}

#[test]
fn stepping_back_does_the_run_again_and_keeps_the_rest_as_a_branch() {
    let mut studio = at_the_sketch();
    let before = view(&mut studio);
    studio.answer(Request::BackTo { step: 1 }).expect("a run again");
    let back = view(&mut studio);
    assert_eq!(back.steps.len(), 2);
    assert_eq!(back.branches.iter().map(|branch| branch.steps).collect::<Vec<_>>(), [4]);
    studio.answer(Request::Branch { number: 0 }).expect("a run again");
    let again = view(&mut studio);
    let said =
        |view: &View| serde_json::to_string(&(&view.steps, &view.screen.as_ref().map(|one| &one.widgets)));
    assert_eq!(said(&again).expect("a text"), said(&before).expect("a text"));
    studio.answer(Request::ForgetBranch { number: 0 }).expect("a branch");
    assert!(view(&mut studio).branches.is_empty());
}

#[test]
fn a_request_about_a_screen_that_is_gone_is_refused() {
    let mut studio = studio(NOTES);
    let number = screen(&mut studio).number;
    act(&mut studio, "click \"OKAY\"", None);
    for request in [done(number, 0, None), Request::Widget { screen: number, at: 0 }] {
        assert!(matches!(studio.answer(request), Err(Refusal::Late)));
    }
}

#[test]
fn typed_text_is_no_evidence_and_the_view_says_so() {
    let mut studio = studio(NOTES);
    for label in ["click \"OKAY\"", "click \"+\"", "click #fab_text"] {
        act(&mut studio, label, None);
    }
    act(&mut studio, "type into", Some("milk"));
    let last = view(&mut studio).steps.len() - 1;
    expect(&mut studio, last, "[text = milk]", When::Now);
    let said = view(&mut studio).expected;
    assert!(!said[0].is_met);
    assert_eq!(said[0].why, format!("step {last}: text that the run typed is no evidence"));
}

#[test]
fn a_device_that_is_given_away_is_taken_back_with_the_run() {
    let mut studio = at_the_sketch();
    let before = view(&mut studio);
    studio.release();
    assert!(view(&mut studio).is_away);
    assert!(matches!(studio.answer(Request::Look), Err(Refusal::Busy)));
    studio.resume(device(NOTES)).expect("the run again");
    let after = view(&mut studio);
    assert_eq!(after.steps.len(), before.steps.len());
    assert_eq!(after.screen.map(|screen| screen.activity), before.screen.map(|screen| screen.activity));
}

#[test]
fn a_run_that_cannot_be_done_again_ends_before_the_step_and_keeps_what_is_expected() {
    let app = |button: &str| {
        format!(
            "app org.example \"Example\" 1.0\nlaunch Main\nactivity Main .Main {{\n    {button}\n}}\n\
             activity Other .Other {{\n    TextView #text \"Other\"\n}}\n"
        )
    };
    let mut studio = studio(&app("Button #next \"Next\" -> open Other"));
    act(&mut studio, "click \"Next\"", None);
    expect(&mut studio, 1, "[text = Other]", When::Now);
    let error = studio.resume(device(&app("TextView #text \"Main\""))).expect_err("the button is gone");
    assert_eq!(
        error.to_string(),
        "step 1, click \"Next\", cannot be done again: its widget is not there; the run ends before it"
    );
    let view = view(&mut studio);
    assert_eq!(view.steps.len(), 1);
    assert_eq!(view.expected[0].why, "the run ends before step 1");
    for form in [Form::A, Form::B, Form::C, Form::Scenario] {
        drafted(&mut studio, form);
    }
}

fn remember(studio: &mut Studio, step: usize, name: &str, term: &str) -> Result<Reply, Refusal> {
    studio.answer(Request::Remember { step, name: name.to_string(), term: term.to_string() })
}

/// Returns the atoms and the terms of the widget that is called so, as they are written.
fn menu(studio: &mut Studio, name: &str) -> (Vec<String>, Vec<(String, String)>) {
    let screen = screen(studio);
    let at =
        screen.widgets.iter().find(|widget| widget.name == name || widget.id == name).expect("a widget").at;
    match studio.answer(Request::Widget { screen: screen.number, at }).expect("atoms") {
        Reply::Atoms { atoms, terms } => (
            atoms.into_iter().map(|one| one.atom).collect(),
            terms.into_iter().map(|one| (one.term, one.value)).collect(),
        ),
        other => panic!("{other:?}"),
    }
}

const COUNTER: &str = "app org.example \"Counter\" 1.0\nlaunch Main\nactivity Main .Main {\n    own n = 3\n    \
                       TextView #count \"{n}\"\n    Button #more \"More\" -> n = n + 2\n    \
                       Button #see \"See\" -> open See\n}\n\
                       activity See .See {\n    TextView #title \"Title\"\n}\n";

#[test]
fn a_value_is_remembered_and_later_ones_are_compared_with_it() {
    let mut studio = studio(COUNTER);
    let (_, terms) = menu(&mut studio, "count");
    assert!(terms.contains(&("text(id = count)".to_string(), "3".to_string())), "{terms:?}");
    remember(&mut studio, 0, "before", "text(id = count)").expect("a value");
    act(&mut studio, "click \"More\"", None);
    let (atoms, _) = menu(&mut studio, "count");
    assert_eq!(
        atoms[..2],
        ["[text(id = count) = {before}]".to_string(), "[text(id = count) = {before + 2}]".to_string()]
    );
    expect(&mut studio, 1, "[text(id = count) = {before + 2}]", When::Now);
    expect(&mut studio, 1, "[text(id = count) = {before}]", When::Now);
    let said = view(&mut studio);
    assert_eq!(said.expected.iter().map(|one| one.is_met).collect::<Vec<_>>(), [true, false]);
    assert_eq!(said.remembered[0].value, "3");
    let used = studio.answer(Request::ForgetValue { number: 0 }).expect_err("it is used");
    assert_eq!(used.to_string(), "an expectation is compared with `before`; remove that first");
    studio.answer(Request::Forget { number: 1 }).expect("an expectation");
    let text = drafted(&mut studio, Form::A);
    assert_eq!(
        text,
        "possible \"walk\":\n    F ([activity = Main] & keep before = text(id = count): X F [text(id = count) = {before + 2}])\n"
    );
    for form in [Form::A, Form::B, Form::C, Form::Scenario] {
        let text = drafted(&mut studio, form);
        assert_eq!(judged(&mut studio, &text)[0].at, Some(1), "{text}");
    }
    studio.answer(Request::BackTo { step: 0 }).expect("a run again");
    assert_eq!(view(&mut studio).remembered.len(), 1);
    studio.answer(Request::ForgetValue { number: 0 }).expect("nothing uses it");
    // What a value is compared with goes with a run that is left.
    studio.answer(Request::Branch { number: 0 }).expect("a run again");
    let said = view(&mut studio);
    assert_eq!((said.remembered.len(), said.expected.len(), &*said.name), (1, 1, "walk"));
}

#[test]
fn what_cannot_be_remembered_or_compared_is_refused_in_words() {
    let mut studio = studio(COUNTER);
    let refused = |studio: &mut Studio, name: &str, term: &str| {
        remember(studio, 0, name, term).expect_err("it is refused").to_string()
    };
    let how = "a name is one word that means nothing else, and a term is like text(id = title)";
    for (name, term) in
        [("two words", "text(id = count)"), ("n", "text("), ("n", "3: F [text = a] & keep m = 4")]
    {
        assert_eq!(
            refused(&mut studio, name, term),
            format!("`{name} = {term}` cannot be remembered: {how}")
        );
    }
    remember(&mut studio, 0, "n", "count(class = Button)").expect("a value");
    assert_eq!(refused(&mut studio, "n", "activity"), "a value is called `n` already; take another name");
    let never = Request::Expect { step: 0, atom: "[text = {n}]".to_string(), holds: true, when: When::Never };
    assert_eq!(
        studio.answer(never).expect_err("it is refused").to_string(),
        "[text = {n}] is compared with a value of this run, so it can be expected of this run alone"
    );
    let unknown = Request::Expect { step: 0, atom: "[text = {m}]".to_string(), holds: true, when: When::Now };
    assert!(matches!(studio.answer(unknown), Err(Refusal::Atom(_))));
}

/// Returns an app with a form, behind a button that reads `first` and leads to the screen `between`.
fn forms(first: &str, id: &str, between: &str) -> String {
    format!(
        "app org.example \"Forms\" 1.0\nlaunch Main\nactivity Main .Main {{\n    \
         Button {id} {first:?} -> open {between}\n    Button #help \"Help\" -> open Help\n}}\n\
         activity Help .Help {{\n    TextView \"Help\"\n}}\n\
         activity News .News {{\n    Button #on \"Continue\" -> open Form\n}}\n\
         activity Form .Form {{\n    own text = \"\"\n    EditText #field edits text\n    Button #send \"Send\" -> open End\n}}\n\
         activity End .End {{\n    TextView \"Sent\"\n}}\n"
    )
}

/// Returns the test that a run by hand through the first form makes.
fn form_test() -> TestCase {
    let mut studio = studio(&forms("Start", "#start", "Form"));
    act(&mut studio, "click \"Start\"", None);
    act(&mut studio, "type into", Some("milk"));
    act(&mut studio, "click \"Send\"", None);
    let text = "possible \"it is sent\": F ([activity ~ Form] & X F [text = Sent])\n";
    let spec = studio.run().specs("forms.ltl", text).expect("a spec").remove(0);
    case(&studio, spec)
}

/// Returns the test of a run by hand that reaches what a spec asks for.
fn case(studio: &Studio, spec: Spec) -> TestCase {
    let steps = studio.run().judged(&spec).into_iter().map(|one| one.step).collect();
    let captured = capture(&spec, &Trace { steps }, Slack::default());
    TestCase {
        provenance: Provenance { package: "org.example".to_string(), ..Provenance::default() },
        set_up: TestSetUp::Own(Vec::new()),
        steps: captured.steps,
        captured: captured.formula,
        oracle: spec,
        actions: captured.actions,
    }
}

/// Begins to walk through the test on an app.
fn walked(app: &str) -> Studio {
    let mut studio = studio(app);
    studio.walk_through(device(app), "forms.test.ltl", form_test()).expect("the app starts");
    studio
}

fn test(studio: &mut Studio) -> SaidTest {
    view(studio).test.expect("a test")
}

/// Does the offer whose label starts so in place of the next step.
fn act_instead(studio: &mut Studio, label: &str) {
    let screen = screen(studio);
    let offer = screen.offers.iter().position(|offer| offer.label.starts_with(label)).expect("an offer");
    let request = Request::Act { screen: screen.number, offer, text: None, instead: true };
    studio.answer(request).expect("it is done");
}

/// Checks that what was mended is a test whose run comes again on `app`, and returns it.
fn mended(studio: &mut Studio, app: &str) -> TestCase {
    let text = match studio.answer(Request::Mended).expect("a test") {
        Reply::Test { text } => text,
        other => panic!("{other:?}"),
    };
    let read = test_case::read(&Source::new("mended.test.ltl", text.clone()));
    let test = read.test.unwrap_or_else(|| panic!("{:?}", read.diagnostics));
    assert_eq!(test.to_string(), text);
    let (replay, _) = Player::new(&test.oracle).replay(&mut *device(app), &test.steps).expect("a replay");
    assert_eq!(replay, Replay::Reproduced);
    test
}

#[test]
fn a_test_that_holds_is_walked_through_to_its_end() {
    let mut studio = walked(&forms("Start", "#start", "Form"));
    for step in 1..4 {
        assert_eq!((test(&mut studio).next, test(&mut studio).why), (Some(step), String::new()));
        studio.answer(Request::NextOfTest).expect("the next step");
    }
    let said = test(&mut studio);
    assert_eq!((said.next, said.is_reached, said.is_changed), (None, true, false));
    assert!(said.steps.iter().all(|step| step.differs.is_empty()), "{said:?}");
    assert!(matches!(studio.answer(Request::NextOfTest), Err(Refusal::AllDone)));
    assert!(mended(&mut studio, &forms("Start", "#start", "Form")).is_same(&form_test()));
}

#[test]
fn a_step_whose_widget_is_gone_is_mended_by_the_one_that_it_meant() {
    let app = forms("Begin", "#begin", "Form");
    let mut studio = walked(&app);
    let said = test(&mut studio);
    assert_eq!(
        said.why,
        "click \"Start\" cannot be done: its widget is not there; the nearest widget is \"Begin\""
    );
    assert!(said.nearest_at.is_some());
    let refused = studio.answer(Request::NextOfTest).expect_err("it cannot be done");
    assert_eq!(
        refused.to_string(),
        "step 1 of the test cannot be done; click the widget that it meant, or leave the step out"
    );
    act_instead(&mut studio, "click \"Begin\"");
    assert!(matches!(studio.answer(Request::Mended), Err(Refusal::NotReached)));
    for _ in 2..4 {
        studio.answer(Request::NextOfTest).expect("the next step");
    }
    let said = test(&mut studio);
    assert_eq!((said.is_reached, said.is_changed), (true, true));
    let test = mended(&mut studio, &app);
    assert_eq!(test.steps[1].action.to_string(), "click \"Begin\"");
    assert_eq!(test.steps[2].action, form_test().steps[2].action);
}

#[test]
fn a_step_is_put_before_the_next_one_and_stepping_back_takes_it_out() {
    let app = forms("Start", "#start", "News");
    let mut studio = walked(&app);
    studio.answer(Request::NextOfTest).expect("the start button is there");
    let said = test(&mut studio);
    assert_eq!(said.why, "text \"milk\" into #field cannot be done: its widget is not there");
    assert_eq!(said.steps[1].differs, "[activity ~ Form]");
    act(&mut studio, "click \"Continue\"", None);
    assert_eq!((test(&mut studio).next, test(&mut studio).why), (Some(2), String::new()));
    studio.answer(Request::BackTo { step: 1 }).expect("a run again");
    assert_eq!((test(&mut studio).next, test(&mut studio).is_changed), (Some(2), false));
    act(&mut studio, "click \"Continue\"", None);
    for _ in 2..4 {
        studio.answer(Request::NextOfTest).expect("the next step");
    }
    assert_eq!(mended(&mut studio, &app).steps.len(), 5);
}

#[test]
fn a_step_is_left_out_and_starting_again_takes_it_back() {
    let app = forms("Start", "#start", "Form");
    let mut studio = walked(&app);
    studio.answer(Request::NextOfTest).expect("the next step");
    studio.answer(Request::LeaveOut).expect("the text is left out");
    let said = test(&mut studio);
    assert!(said.steps[2].is_left_out && said.is_changed);
    studio.answer(Request::NextOfTest).expect("the next step");
    assert_eq!(mended(&mut studio, &app).steps.len(), 3);
    studio.answer(Request::Start { activity: None }).expect("a start");
    let said = test(&mut studio);
    assert_eq!((said.next, said.is_changed), (Some(1), false));
    studio.leave_test(device(&app)).expect("a start");
    assert!(view(&mut studio).test.is_none());
    assert!(matches!(studio.answer(Request::LeaveOut), Err(Refusal::NoTest)));
}

/// Returns a test that scrolls a list and clicks its row `Row 30`, and the list with `before` rows before it.
fn list_test(before: usize) -> (TestCase, String) {
    let list = |before: usize| {
        let rows: String = (0..before)
            .map(|row| format!("        TextView tall 120 \"More {row}\"\n"))
            .chain((0..40).map(|row| format!("        Button tall 120 \"Row {row}\" -> open End\n")))
            .collect();
        format!(
            "app org.example \"List\" 1.0\nlaunch Main\nactivity Main .Main {{\n    ScrollView #list at 0,0 480,800 \
             scrolls {{\n{rows}    }}\n}}\nactivity End .End {{\n    TextView \"End\"\n}}\n"
        )
    };
    let mut studio = studio(&list(0));
    for _ in 0..8 {
        let label = screen(&mut studio).offers.into_iter().map(|offer| offer.label);
        let row = label.into_iter().find(|label| label.starts_with("click \"Row 30\""));
        match row {
            Some(label) => {
                act(&mut studio, &label, None);
                break;
            }
            None => act(&mut studio, "scroll down", None),
        }
    }
    let spec =
        studio.run().specs("list.ltl", "possible \"end\": F [text = End]\n").expect("a spec").remove(0);
    (case(&studio, spec), list(before))
}

#[test]
fn a_scroll_goes_on_until_the_widget_is_in_view_and_changes_no_test() {
    let (case, app) = list_test(20);
    let mut studio = studio(&app);
    studio.walk_through(device(&app), "list.test.ltl", case.clone()).expect("the app starts");
    while test(&mut studio).next.is_some() {
        assert_eq!(test(&mut studio).why, "");
        studio.answer(Request::NextOfTest).expect("the next step");
    }
    let said = test(&mut studio);
    assert_eq!((said.is_reached, said.is_changed), (true, false));
    assert!(view(&mut studio).steps.len() > case.steps.len(), "it scrolled on");
}

#[test]
fn a_run_of_another_test_does_no_step_of_this_one() {
    let app = forms("Start", "#start", "Form");
    let mut studio = walked(&app);
    studio.answer(Request::NextOfTest).expect("the next step");
    studio.walk_through(device(&app), "other.test.ltl", form_test()).expect("the app starts");
    assert_eq!(view(&mut studio).branches.len(), 1);
    studio.answer(Request::Branch { number: 0 }).expect("a run again");
    let said = test(&mut studio);
    assert_eq!((said.next, said.is_changed), (Some(1), true));
}

#[test]
fn a_long_session_keeps_few_pictures() {
    let mut studio = studio(SHOP);
    for round in 0..40 {
        for choice in 0..30 {
            let now = screen(&mut studio);
            let offer = (7 * choice + round) % now.offers.len();
            studio.answer(done(now.number, offer, Some(format!("{round} {choice}")))).expect("done");
        }
        studio.answer(Request::Start { activity: None }).expect("the app starts");
        assert!(studio.pictures.len() <= STEPS_MAX + PICTURES_SPARE, "{}", studio.pictures.len());
        assert!(studio.branches.len() <= BRANCHES_MAX);
    }
}

#[test]
fn pictures_stand_alone_and_are_made_once() {
    let mut studio = at_the_sketch();
    let numbers: Vec<usize> = view(&mut studio).steps.iter().map(|step| step.picture).collect();
    assert_eq!(numbers, [0, 1, 2, 3]);
    act(&mut studio, "back", None);
    let back = view(&mut studio);
    let svg = studio.pictures().svg(back.steps[4].picture).expect("a picture");
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>"), "{svg}");
    assert!(studio.pictures().svg(99).is_none());
}

/// A simulated phone that a hand touches while the studio drives it.
#[derive(Clone)]
struct Touched {
    sim: Arc<Mutex<Sim>>,
    app: App,
}

impl Touched {
    fn new(model: &str) -> Touched {
        let read = sim::read(&Source::new("test.app", model.to_string()));
        let sim = Sim::new(Arc::new(read.model.expect("a model without mistakes")), Seed(1));
        Touched { app: sim.app().clone(), sim: Arc::new(Mutex::new(sim)) }
    }

    fn sim(&self) -> MutexGuard<'_, Sim> {
        self.sim.lock().expect("a phone")
    }
}

impl Device for Touched {
    fn describe(&self) -> String {
        self.sim().describe()
    }

    fn app(&self) -> &App {
        &self.app
    }

    fn capabilities(&self) -> Capabilities {
        self.sim().capabilities()
    }

    fn look(&mut self) -> Result<Observation, DeviceError> {
        self.sim().look()
    }

    fn keep_keyboard(&mut self, keeps: bool) {
        self.sim().keep_keyboard(keeps);
    }

    fn picture(&mut self) -> Option<Pixels> {
        None
    }

    fn hand(&self) -> Option<Box<dyn Hand>> {
        None
    }

    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        self.sim().reset(activity)
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        self.sim().act(action)
    }
}

/// A studio, and the phone below it.
struct ByHand {
    studio: Studio,
    phone: Touched,
}

impl ByHand {
    fn new(model: &str) -> ByHand {
        let phone = Touched::new(model);
        let mut studio = Studio::new(Box::new(phone.clone()), Repertoire::new(BUILTIN_TEXTS, &[], true));
        studio.answer(Request::Start { activity: None }).expect("the app starts");
        ByHand { studio, phone }
    }

    /// Returns the middle of the widget whose offer starts with `label`.
    fn middle(&mut self, label: &str) -> Place {
        let found = self.studio.offers.iter().find(|offer| offer.to_string().starts_with(label));
        let found = found.unwrap_or_else(|| panic!("no {label} among {:?}", self.studio.offers));
        found.target().expect("a widget").bounds.centre()
    }

    fn tap(&mut self, label: &str) -> Followed {
        let at = self.middle(label);
        self.phone.sim().tap(at).expect("a tap");
        self.studio.follow(HandGesture::Tap(at)).expect("a look")
    }

    fn types(&mut self, text: &str) -> Followed {
        self.phone.sim().type_text(text).expect("keys");
        self.studio.follow(HandGesture::Typing((0, 0))).expect("a look")
    }

    fn steps(&mut self) -> Vec<String> {
        view(&mut self.studio).steps.into_iter().skip(1).map(|step| step.action).collect()
    }
}

#[test]
fn touches_by_hand_become_the_steps_that_the_screen_offered() {
    let mut hand = ByHand::new(NOTES);
    for label in ["click \"OKAY\"", "click \"+\"", "click #fab_text"] {
        assert_eq!(hand.tap(label), Followed::Step, "{label}");
    }
    assert_eq!(hand.tap("text"), Followed::Part, "a field only takes the caret");
    for part in ["mi", "lk"] {
        assert_eq!(hand.types(part), Followed::Step);
    }
    assert_eq!(
        hand.studio.follow(HandGesture::Typing((0, 0))).expect("a look"),
        Followed::Part,
        "a key like shift"
    );
    assert_eq!(hand.types("y"), Followed::Step);
    let steps = hand.steps();
    assert_eq!(steps[..3], ["click \"OKAY\"", "click \"+\"", "click #fab_text"]);
    assert!(steps.len() == 4 && steps[3].starts_with("text \"milky\" into"), "{steps:?}");
    // The same run by farlead itself shows the same, and its draft is met.
    let by_hand = view(&mut hand.studio);
    let text = drafted(&mut hand.studio, Form::C);
    assert_eq!(judged(&mut hand.studio, &text)[0].at, Some(4), "{text}");
    hand.studio.answer(Request::BackTo { step: 4 }).expect("the run again");
    let again = view(&mut hand.studio);
    let shown = |view: &View| view.screen.as_ref().map(|screen| screen.activity.clone());
    assert_eq!((again.steps.len(), shown(&again)), (5, shown(&by_hand)));
}

#[test]
fn a_touch_that_brings_the_keyboard_up_is_no_typing() {
    let mut hand = ByHand::new(NOTES);
    hand.tap("click \"OKAY\"");
    hand.tap("click \"+\"");
    let at = hand.middle("click #fab_text");
    hand.phone.sim().tap(at).expect("a tap");
    // By the time that the phone was asked, the keyboard was up.
    assert_eq!(hand.studio.follow(HandGesture::Typing(at)).expect("a look"), Followed::Step);
    assert_eq!(hand.steps()[2], "click #fab_text");
    assert!(hand.studio.shows_keyboard());
}

#[test]
fn two_runs_of_typing_with_a_touch_between_are_two_steps() {
    let mut hand = ByHand::new(NOTES);
    for label in ["click \"OKAY\"", "click \"+\"", "click #fab_text"] {
        hand.tap(label);
    }
    hand.types("a");
    hand.phone.sim().press(PressedKey::Back, 1).expect("a key");
    let back = hand.studio.follow(HandGesture::Key(HandKey::Back)).expect("a look");
    assert_eq!(back, Followed::Part, "back puts the keyboard away");
    hand.types("b");
    let steps = hand.steps();
    assert_eq!(steps.len(), 5, "{steps:?}");
    hand.phone.sim().press(PressedKey::Back, 1).expect("a key");
    assert_eq!(hand.studio.follow(HandGesture::Key(HandKey::Back)).expect("a look"), Followed::Step);
    assert_eq!(hand.steps()[5], "back");
}

const LIST: &str = "app org.example \"Example\" 1.0\nlaunch Main\nactivity Main .Main {\n    own taps = 0\n    own holds = 0\n    \
                    FrameLayout #row at 0,100 480,400 -> taps += 1 {\n        TextView \"taps {taps}\" at 0,100 480,200\n        \
                    Button \"Hold\" at 0,200 200,300 -> taps += 1 { on longclick: holds += 1 }\n    }\n    \
                    SeekBar #level at 0,500 480,600\n    TextView \"holds {holds}\" at 0,600 480,700\n}\n";

#[test]
fn the_smallest_widget_that_offers_the_action_is_meant() {
    let mut hand = ByHand::new(LIST);
    for (gesture, expected) in [
        (HandGesture::Tap((100, 150)), "click \"taps 0\""),
        (HandGesture::Tap((100, 250)), "click \"Hold\""),
        (HandGesture::Hold((100, 250)), "longclick \"Hold\""),
        (HandGesture::Hold((300, 150)), "click \"taps 0\""),
        (HandGesture::Swipe { from: (50, 550), to: (400, 560) }, "swipe right on #level"),
        (HandGesture::Key(HandKey::Menu), "menu"),
    ] {
        assert_eq!(hand.studio.follow(gesture).expect("a look"), Followed::Step, "{gesture:?}");
        assert_eq!(hand.steps().last().map(String::as_str), Some(expected));
    }
}

#[test]
fn a_list_scrolls_against_the_finger() {
    let rows = "ListView #list at 0,100 480,400 scrolls { for i in 1..30 { TextView \"row {i}\" tall 50 } }";
    let mut hand = ByHand::new(&format!(
        "app org.example \"Example\" 1.0\nlaunch Main\nactivity Main .Main {{\n    {rows}\n}}\n"
    ));
    let up = HandGesture::Swipe { from: (100, 350), to: (120, 150) };
    hand.phone.sim().swipe((100, 350), (120, 150)).expect("a swipe");
    assert_eq!(hand.studio.follow(up).expect("a look"), Followed::Step);
    assert_eq!(hand.steps(), ["scroll down on #list"]);
}

#[test]
fn a_gesture_without_a_meaning_is_told_in_a_sentence_and_is_no_step() {
    let mut hand = ByHand::new(LIST);
    for (gesture, expected) in [
        (HandGesture::Tap((100, 650)), "The tap at 100, 650 is no step: no widget there offers it."),
        (
            HandGesture::Swipe { from: (100, 250), to: (100, 50) },
            "The swipe at 100, 250 is no step: no widget there offers it.",
        ),
        (HandGesture::Several, "A touch of several fingers is no step: farlead has no such action."),
    ] {
        let Followed::Not(why) = hand.studio.follow(gesture).expect("a look") else { panic!("{gesture:?}") };
        assert_eq!(why.to_string(), expected);
    }
    for gesture in [HandGesture::Bar, HandGesture::Key(HandKey::Home)] {
        assert!(matches!(hand.studio.follow(gesture), Ok(Followed::Not(_))));
    }
    assert!(hand.steps().is_empty());
    hand.studio.release();
    assert!(matches!(hand.studio.follow(HandGesture::Bar), Err(Refusal::Busy)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    /// The law of drafts: whatever a person does and expects, the specs are read without a mistake, and the run meets them.
    #[test]
    fn each_draft_is_met_by_the_run_that_it_was_made_of(
        app in 0..3_usize,
        choices in prop::collection::vec((0..1_000_usize, 0..1_000_usize, any::<bool>()), 1..8),
    ) {
        let mut studio = studio([NOTES, SHOP, FILES][app]);
        for (choice, which, expects) in choices {
            let now = screen(&mut studio);
            if now.offers.is_empty() {
                break;
            }
            let offer = choice % now.offers.len();
            studio.answer(done(now.number, offer, None)).expect("it is done");
            let view = view(&mut studio);
            let seen = view.screen.expect("a screen");
            let step = view.steps.len() - 1;
            if which % 5 == 0 && remember(&mut studio, step, &format!("v{step}"), "text(class = TextView)").is_ok() {
                let then = format!("[text(class = TextView) = {{v{}}}]", which % (step + 1));
                let _ = studio.answer(Request::Expect { step, atom: then, holds: true, when: When::Now });
                if super::tests::view(&mut studio).expected.last().is_some_and(|one| !one.is_met) {
                    let number = super::tests::view(&mut studio).expected.len() - 1;
                    studio.answer(Request::Forget { number }).expect("it was there");
                }
            }
            if expects && !seen.atoms.is_empty() {
                let atom = &seen.atoms[which % seen.atoms.len()].atom;
                expect(&mut studio, view.steps.len() - 1, atom, When::Now);
                // Text that the run has typed is no evidence, and a person is told.
                if !super::tests::view(&mut studio).expected.last().expect("it").is_met {
                    let number = super::tests::view(&mut studio).expected.len() - 1;
                    studio.answer(Request::Forget { number }).expect("it was there");
                }
            }
        }
        for form in [Form::A, Form::B, Form::C, Form::Scenario] {
            let text = drafted(&mut studio, form);
            let judged = judged(&mut studio, &text);
            prop_assert_eq!(judged.len(), 1);
            prop_assert!(judged[0].at.is_some(), "{}", text);
        }
    }
}
