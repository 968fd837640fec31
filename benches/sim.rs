//! Speed of the simulator: repeated steps, new steps, and walks that compute the offers of each screen.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use farlead::device::sim::{Sim, read};
use farlead::device::{Device, Observation};
use farlead::gui::{Action, Repertoire, Touch, offers};
use farlead::rng::Seed;
use farlead::spec::Source;

fn main() {
    divan::main();
}

/// Apps with few widgets, with many on one screen, and with a running clock, so that states hardly ever recur.
const MODELS: [&str; 3] = ["small", "wide", "ticking"];

const START: &str = "org.example.Main";

fn model(name: &str) -> String {
    let activity = match name {
        "small" => {
            "stored notes = list(name)
            activity Main .Main {
                own fab = false
                TextView \"{count(notes)} notes\" tall 60
                ListView #list scrolls {
                    for n in notes { LinearLayout -> open Editor(n) { TextView #name (n.name) } }
                }
                Button #add \"+\" -> fab = !fab
                when fab { Button \"new\" -> fab = false; open Editor(none) }
                Button \"clear\" -> clear notes
            }
            activity Editor .Editor (note) {
                own name = note.name or \"\"
                EditText #name hint \"Name\" edits name
                Button \"Cancel\" -> name = \"\"; finish
                on pause when name && note: note.name = name
                on pause when name && !note && count(notes) < 3: add notes(name: name)
            }"
        }
        "wide" => {
            "session n = 0
            activity Main .Main {
                for i in 1..50 { LinearLayout across tall 16 {
                    for j in 1..99 { Button \"{i * j % 10}\" enabled (i != j) -> n = (n + j) % 10 }
                } }
            }"
        }
        "ticking" => {
            "session n = 0
            activity Main .Main { every 1s: n += 1 TextView \"{n}\" Button \"go\" -> open Second }
            activity Second .Second { TextView \"{n}\" Button \"ok\" -> finish }"
        }
        _ => unreachable!("a model of the list"),
    };
    format!("app org.example \"Example\" 1.0\ndisplay 480x800 240dpi\nlaunch Main\n{activity}")
}

fn sim(name: &str) -> Sim {
    let read = read(&Source::new(name, model(name)));
    Sim::new(Arc::new(read.model.expect("a model without mistakes")), Seed(1))
}

fn repertoire() -> Repertoire {
    Repertoire::new(["abc", "42", ""], &[], false)
}

/// Walks at random, with a fresh start every 20 steps, and returns the actions.
fn walk(sim: &mut Sim, steps: usize) -> Vec<Action> {
    let repertoire = repertoire();
    let mut rng = Seed(1).fork("walk");
    let mut actions = vec![Action::Reinitialise(START.into())];
    let mut seen = start(sim);
    while actions.len() < steps {
        let action = if actions.len() % 20 == 0 {
            Action::Reinitialise(START.into())
        } else {
            let mut offered = offers(&seen.screen, &repertoire);
            offered.swap_remove(rng.below(offered.len()))
        };
        seen = sim.act(&action).expect("a model that runs");
        actions.push(action);
    }
    actions
}

fn start(sim: &mut Sim) -> Observation {
    sim.reset(START).expect("a model that runs")
}

/// Measures repeated steps: each costs a look-up.
#[divan::bench(args = ["small", "wide"], sample_count = 10)]
fn again(bencher: Bencher, name: &str) {
    let mut sim = sim(name);
    let actions = walk(&mut sim, 2_000);
    bencher.counter(ItemsCount::new(actions.len())).bench_local(|| {
        let mut widgets = 0;
        for action in &actions {
            widgets += sim.act(action).expect("a model that runs").screen.widgets().len();
        }
        widgets
    });
}

/// Measures new steps: each is computed and drawn.
#[divan::bench(args = MODELS, sample_count = 10)]
fn first_time(bencher: Bencher, name: &str) {
    let actions = walk(&mut sim(name), if name == "wide" { 100 } else { 2_000 });
    bencher.counter(ItemsCount::new(actions.len())).with_inputs(|| sim(name)).bench_local_values(
        |mut sim| {
            let mut widgets = 0;
            for action in &actions {
                widgets += sim.act(action).expect("a model that runs").screen.widgets().len();
            }
            widgets
        },
    );
}

/// Measures new steps from known screens of nearly 5,000 widgets, with every button: to new states and to known
/// ones.
#[divan::bench(sample_count = 10)]
fn never_taken(bencher: Bencher) {
    let repertoire = repertoire();
    let known = || {
        let mut sim = sim("wide");
        // This button adds 3 of 10, and so leads through all states.
        let next = offers(&start(&mut sim).screen, &repertoire).swap_remove(1);
        let mut states = vec![sim.save()];
        for _ in 1..10 {
            sim.act(&next).expect("a model that runs");
            states.push(sim.save());
        }
        (sim, states)
    };
    let (mut sim, states) = known();
    let actions = offers(&start(&mut sim).screen, &repertoire);
    let clicks: Vec<Action> = actions
        .into_iter()
        .filter(|action| matches!(action, Action::Touch(Touch::Click, _)))
        .skip(1)
        .step_by(9)
        .collect();
    bencher.counter(ItemsCount::new(clicks.len() * states.len())).with_inputs(known).bench_local_values(
        |(mut sim, states)| {
            let mut widgets = 0;
            for &state in &states {
                for click in &clicks {
                    sim.restore(state);
                    widgets += sim.act(click).expect("a model that runs").screen.widgets().len();
                }
            }
            widgets
        },
    );
}

/// Measures new screens of nearly 5,000 widgets.
#[divan::bench(sample_count = 10)]
fn new_screens(bencher: Bencher) {
    let repertoire = repertoire();
    // This button adds 3 of 10, and so leads through all states.
    let click = offers(&start(&mut sim("wide")).screen, &repertoire).swap_remove(1);
    bencher
        .counter(ItemsCount::new(9_usize))
        .with_inputs(|| {
            let mut sim = sim("wide");
            start(&mut sim);
            sim
        })
        .bench_local_values(|mut sim| {
            let mut widgets = 0;
            for _ in 0..9 {
                widgets += sim.act(&click).expect("a model that runs").screen.widgets().len();
            }
            // Returned, so that dropping it is not measured.
            (widgets, sim)
        });
}

/// Measures walks that compute the offers of each screen, as an agent without memory does.
#[divan::bench(args = MODELS, sample_count = 10)]
fn with_offers(bencher: Bencher, name: &str) {
    let steps = if name == "wide" { 100 } else { 2_000 };
    let mut sim = sim(name);
    bencher.counter(ItemsCount::new(steps)).bench_local(|| walk(&mut sim, steps).len());
}

/// Measures all outcomes of repeated actions, as exhaustive search asks for them.
#[divan::bench(sample_count = 10)]
fn outcomes(bencher: Bencher) {
    let mut sim = sim("small");
    let actions = walk(&mut sim, 2_000);
    bencher.counter(ItemsCount::new(actions.len())).bench_local(|| {
        let mut found = 0;
        for action in &actions {
            let outcomes = sim.outcomes(action).expect("a model that runs").expect("few outcomes");
            found += outcomes.len();
            sim.restore(outcomes[0].after);
        }
        found
    });
}
