//! Forms that refuse, on small apps of each kind: exploring gets through them by itself, and tries nothing twice.

use std::collections::BTreeSet;
use std::sync::Arc;

use farlead::agent::PLANNER;
use farlead::device::sim::read;
use farlead::device::{App, Ask, Decorator, Device, DeviceError, Observation, Sim};
use farlead::gui::{Action, Flags};
use farlead::learned_model::LearnedModel;
use farlead::objective::Pays;
use farlead::rng::Seed;
use farlead::search::{Budget, Dictionary, Plan, explore, together};
use farlead::spec::Source;

/// Texts that are typed, none of which a field asks for by its name.
const TEXTS: [&str; 7] = ["ash", "birch", "cedar", "elm", "fir", "larch", "oak"];
const SEEDS: std::ops::RangeInclusive<u64> = 1..=6;

/// A device that writes down what is done.
struct Scribe {
    sim: Sim,
    /// Activity after each step.
    activities: Vec<String>,
    /// Numbers of the steps that start the app.
    starts: Vec<usize>,
    /// Texts of the fields at each click, and the id of the widget.
    clicks: Vec<(String, Vec<String>)>,
    fields: Vec<String>,
}

impl Decorator for Scribe {
    fn inner(&self) -> &dyn Device {
        &self.sim
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        &mut self.sim
    }

    fn app(&self) -> &App {
        self.sim.app()
    }

    fn ask(&mut self, ask: Ask<'_>) -> Result<Observation, DeviceError> {
        match ask {
            Ask::Look => return self.sim.look(),
            Ask::Reset(_) | Ask::Act(Action::Reinitialise(_)) => self.starts.push(self.activities.len()),
            Ask::Act(Action::Touch(_, on)) => {
                self.clicks.push((on.id_entry().to_string(), self.fields.clone()));
            }
            Ask::Act(_) => {}
        }
        let observation = ask.of(&mut self.sim)?;
        let widgets = observation.screen.widgets().iter();
        let fields = widgets.filter(|widget| widget.flags.has(Flags::EDITABLE));
        self.fields = fields.map(|field| field.text.to_string()).collect();
        self.activities.push(observation.screen.activity().to_string());
        Ok(observation)
    }
}

impl Scribe {
    /// Returns the number of steps until an activity whose name ends so, if it was seen.
    fn first(&self, activity: &str) -> Option<usize> {
        self.activities.iter().position(|own| own.ends_with(activity)).map(|at| at + 1)
    }
}

/// Lets the default agent explore the app `text` in episodes of so many steps.
fn explored(text: &str, seed: u64, episode: u32, steps: u64) -> Scribe {
    let read = read(&Source::new("form.app", text));
    let model = read.model.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics));
    let mut scribe = Scribe {
        sim: Sim::new(Arc::new(model), Seed(seed)),
        activities: Vec::new(),
        starts: Vec::new(),
        clicks: Vec::new(),
        fields: Vec::new(),
    };
    let texts = Dictionary { texts: TEXTS.map(String::from).into(), is_all: true };
    let plan = Plan { seed: Seed(seed), steps_max: episode, ..Plan::new(&PLANNER) };
    let budget = Budget {
        steps_max: steps,
        until_quiet: None,
        is_walk: false,
        pays: Pays::Novelty,
        keeps_steps: false,
        steers: true,
    };
    explore(&mut scribe, &[], together([], &texts), &plan, budget, LearnedModel::default(), &mut |_| true);
    scribe
}

/// Returns an app whose first page has these fields, opens `Home` if `guard` holds, and else does what `refuses` says; so many
/// buttons do nothing.
fn form(fields: &[&str], guard: &str, refuses: &str, dead: usize) -> String {
    let stored: String = fields.iter().map(|field| format!("stored {field} = \"\"\n")).collect();
    let edits: String =
        fields.iter().map(|field| format!("    EditText #e_{field} edits {field}\n")).collect();
    let dead: String = (0..dead).map(|number| format!("    Button #d{number} -> {{}}\n")).collect();
    format!(
        "app org.form \"Form\" 1\n{stored}stored message = \"\"\nlaunch Door\n\
         activity Door .Door {{\n{edits}    Button #b -> if {guard} {{ open Home; finish }} else {{ {refuses} }}\n\
         {dead}    TextView #said \"{{message}}\" when (message)\n}}\n\
         dialog Wrong {{\n    TextView \"Not so\"\n    Button #again -> close\n}}\n\
         activity Home .Home {{\n    TextView \"Home\"\n    Button #further -> open Inner\n}}\n\
         stored inner = \"\"\n\
         activity Inner .Inner {{\n    EditText #e_two edits inner\n\
         \x20   Button #open -> if inner == \"larch\" {{ open Last }}\n}}\n\
         activity Last .Last {{ TextView \"Last\" }}\n"
    )
}

/// Steps that may be spent besides a sweep: all else on the page is done once, and again with a new answer.
fn besides(dead: usize) -> usize {
    20 + 4 * dead
}

/// Checks that `text` opens its first page within so many steps, whatever the seed.
fn check(text: &str, most: usize) {
    for seed in SEEDS {
        let scribe = explored(text, seed, 3_000, most as u64 + 50);
        let first = scribe.first("Home");
        assert!(first.is_some_and(|step| step <= most), "seed {seed}: {first:?}, not {most}\n{text}");
    }
}

#[test]
fn a_form_is_opened_within_all_its_fillings_whichever_button_takes_them_in() {
    let texts = TEXTS.len();
    for dead in [0, 3] {
        let clicks = 1 + dead;
        let most = |fillings: usize| fillings * (1 + clicks) + besides(dead);
        check(&form(&["one"], "one == \"fir\"", "", dead), most(texts));
        let two = form(&["one", "two"], "one == \"oak\" && two == \"larch\"", "", dead);
        check(&two, most(texts * texts));
    }
    let three = form(&["one", "two", "three"], "one == \"fir\" && two == \"elm\" && three == \"oak\"", "", 0);
    check(&three, 2 * texts.pow(3) + besides(0));
}

#[test]
fn no_filling_is_tried_twice_while_another_is_left() {
    let text = form(&["one", "two"], "one == \"never\"", "", 1);
    for seed in SEEDS {
        let scribe = explored(&text, seed, 3_000, 150);
        let both =
            |(id, fields): &&(String, Vec<String>)| id == "b" && fields.iter().all(|text| !text.is_empty());
        let tried: Vec<&Vec<String>> = scribe.clicks.iter().filter(both).map(|(_, fields)| fields).collect();
        let different: BTreeSet<&Vec<String>> = tried.iter().copied().collect();
        assert!(tried.len() >= 40, "seed {seed}: {}", tried.len());
        assert_eq!(different.len(), tried.len(), "seed {seed}: {tried:?}");
    }
}

#[test]
fn a_message_or_a_dialog_after_a_refusal_is_no_other_page() {
    let guard = "one == \"oak\" && two == \"larch\"";
    let pairs = TEXTS.len() * TEXTS.len();
    check(&form(&["one", "two"], guard, "message = \"No\"", 0), 2 * pairs + besides(0));
    check(&form(&["one", "two"], guard, "show Wrong", 0), 3 * pairs + besides(0));
    // A page that empties its fields costs a text more for each pair.
    check(&form(&["one", "two"], guard, "one = \"\"; two = \"\"", 0), 3 * pairs + besides(0));
}

#[test]
fn an_answer_of_its_own_shows_which_field_is_right() {
    let guard = "one == \"oak\" && two == \"larch\"";
    let refuses = "if one == \"oak\" { message = \"Wrong password\" } else { message = \"Unknown user\" }";
    let text = form(&["one", "two"], guard, refuses, 0);
    let steps: usize =
        SEEDS.map(|seed| explored(&text, seed, 3_000, 200).first("Home").expect("it is opened")).sum();
    let blind: usize = TEXTS.len() * TEXTS.len();
    assert!(steps / SEEDS.count() < blind, "on average as many steps as half of the pairs take: {steps}");
}

#[test]
fn a_button_that_is_disabled_and_a_box_that_must_be_ticked_are_swept_too() {
    let pairs = TEXTS.len() * TEXTS.len();
    let guard = "one == \"oak\" && two == \"larch\"";
    let disabled = form(&["one", "two"], guard, "", 0)
        .replace("Button #b ->", &format!("Button #b enabled ({guard}) ->"));
    check(&disabled, pairs + 2 * TEXTS.len() + besides(0));
    let ticked = form(&["one"], "one == \"fir\" && agreed", "", 0)
        .replace(
            "    Button #b",
            "    CheckBox #agree \"I agree\" checked agreed -> agreed = !agreed\n    Button #b",
        )
        .replace("stored message", "stored agreed = false\nstored message");
    check(&ticked, 2 * TEXTS.len() + besides(1));
}

#[test]
fn what_has_worked_is_used_again_at_once_and_tried_first_elsewhere() {
    let text = form(&["one", "two"], "one == \"oak\" && two == \"larch\"", "", 1);
    for seed in SEEDS {
        let scribe = explored(&text, seed, 200, 600);
        let home = scribe.first("Home").expect("it is opened");
        let last = scribe.first("Last").expect("the password opens the inner page");
        // Two texts have worked, and each takes a text and a click.
        assert!(last <= home + 20, "seed {seed}: {home}, {last}");
        for &start in
            scribe.starts.iter().filter(|&&start| start > home && start + 20 < scribe.activities.len())
        {
            let again = scribe.activities[start..].iter().position(|own| own.ends_with("Home"));
            assert!(again.is_some_and(|steps| steps <= 6), "seed {seed}: {start}, {again:?}");
        }
    }
}

#[test]
fn what_refuses_for_another_reason_is_done_again_after_something_else() {
    let text = "app org.cart \"Cart\" 1\nstored product = 0\nlaunch Shop\n\
        activity Shop .Shop {\n    Button #cart -> if product > 0 { open Cart }\n    Button #view -> open View\n}\n\
        activity View .View {\n    Button #put -> product = product + 1\n    Button #back -> finish\n}\n\
        activity Cart .Cart {\n    Button #drop -> if product > 0 { product = product - 1 }\n\
        \x20   Button #pay -> if product > 1 { open Paid }\n    Button #shop -> finish\n}\n\
        activity Paid .Paid { TextView \"Paid\" }\n";
    for seed in SEEDS {
        let scribe = explored(text, seed, 300, 600);
        assert!(scribe.first("Cart").is_some_and(|step| step <= 30), "seed {seed}");
        assert!(scribe.first("Paid").is_some(), "seed {seed}");
    }
}

#[test]
fn what_says_why_it_refuses_is_done_again_after_something_else() {
    let kinds = ["Lamp", "Chair", "Table", "Sofa"];
    let numbers: String = kinds.map(|kind| format!("session n_{kind} = 0\n")).concat();
    let links = kinds.map(|kind| format!("    TextView \"{kind}\" -> open {kind}\n")).concat();
    let pages: String = kinds
        .map(|kind| {
            format!(
                "activity {kind} .{kind} {{\n    Button \"Put in\" -> n_{kind} = n_{kind} + 1\n    Button \"Like\" -> {{}}\n\
                 \x20   Button \"Share\" -> open About\n    Button \"Print\" -> {{}}\n}}\n"
            )
        })
        .concat();
    let all = kinds.map(|kind| format!("n_{kind} > 0")).join(" && ");
    let text = format!(
        "app org.till \"Till\" 1\n{numbers}launch Shop\nactivity Shop .Shop {{\n{links}    Button \"Cart\" -> open Cart\n}}\n\
         {pages}activity About .About {{ TextView \"About\" }}\n\
         activity Cart .Cart {{\n    own said = \"\"\n    TextView (said)\n\
         \x20   Button \"Check out\" -> if {all} {{ open Paid }} else {{ said = \"One of each, please\" }}\n}}\n\
         activity Paid .Paid {{ TextView \"Paid\" }}\n"
    );
    for seed in SEEDS {
        let first = explored(&text, seed, 300, 300).first("Paid");
        assert!(first.is_some_and(|step| step <= 200), "seed {seed}: {first:?}");
    }
}
