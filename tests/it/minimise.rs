//! Minimised runs of an app on the simulator.

use farlead::gui::Action;
use farlead::minimise::{Minimised, Schedule, Settings, minimise};

#[path = "minimise/app.rs"]
mod app;

use app::{Leads, runs, true_rate};

fn names(leads: &Leads, found: &Minimised) -> Vec<String> {
    let name = |action: &Action| action.to_string();
    found.kept.iter().map(|kept| name(&leads.forms[kept.at][usize::from(kept.form)])).collect()
}

#[test]
fn five_hundred_random_actions_become_the_few_that_count() {
    for mut leads in runs(0, 500, 2) {
        let found = minimise(&mut leads, 500, &Settings::default()).expect("the model runs");
        assert!(found.is_one_minimal && !found.has_varied, "{found:?}");
        assert!(found.kept.len() <= 10, "{:?}", names(&leads, &found));
        assert_eq!(true_rate(&leads, &found.kept, 1), 1.0);
    }
}

#[test]
fn a_dialog_that_comes_by_chance_is_answered_in_what_is_left() {
    for mut leads in runs(30, 300, 1) {
        for schedule in [Schedule::Heuristic, Schedule::Mdp] {
            let settings = Settings { schedule, width: 4, ..Settings::default() };
            let found = minimise(&mut leads, 300, &settings).expect("the model runs");
            assert!(found.has_varied && found.is_one_minimal, "{found:?}");
            assert!(true_rate(&leads, &found.kept, 200) > 0.7, "{:?}", names(&leads, &found));
            assert!(found.kept.len() <= 20, "{:?}", names(&leads, &found));
        }
    }
}
