//! The made-up apps on which benches measure agents.

use farlead::device::Sim;
use farlead::device::sim::read;
use farlead::rng::Seed;
use farlead::search::{exhaust, repertoire};
use farlead::spec::{Source, judge};

use generator::{Family, Half, MadeUp, Names, apps, everyday};

#[path = "../../benches/made_up/mod.rs"]
mod generator;

const ALL_NAMES: [Names; 3] = [Names::Good, Names::None, Names::Other];

/// Returns an app of each half of a family. Making an app already checks that each formula can be satisfied.
fn some(family: Family, names: Names) -> impl Iterator<Item = MadeUp> {
    [Half::Choosing, Half::Reporting].into_iter().flat_map(move |half| apps(family, half, 1, names))
}

#[test]
fn nothing_is_wrong_with_models_and_formulas() {
    for family in Family::all() {
        for &names in family.names() {
            for MadeUp { number, text, asked, .. } in some(family, names) {
                let name = format!("{} {number} {names:?}", family.name());
                let read = read(&Source::new("made-up.app", &*text));
                assert_eq!((read.diagnostics.errors(), read.diagnostics.warnings()), (0, 0), "{name}");
                for one in asked {
                    assert!(judge(&one.spec).diagnostics.is_empty(), "{name}: {}", one.text);
                }
            }
        }
    }
}

#[test]
fn the_table_of_qbe_is_the_one_that_its_training_prints() {
    assert_eq!(generator::qbe::train(), farlead::agent::Qbe::table());
}

#[test]
fn an_app_is_the_same_at_every_call_and_under_other_names_in_all_else() {
    for family in Family::all().filter(|family| !family.is_everyday()) {
        let way = |app: &MadeUp| -> Vec<(String, String)> {
            app.walk
                .iter()
                .map(|step| (step.action.type_name().to_string(), step.screen.activity().to_string()))
                .collect()
        };
        let [good, none, other] = ALL_NAMES.map(|names| MadeUp::new(family, 3, names));
        let again = MadeUp::new(family, 3, Names::Good);
        let texts = |app: &MadeUp| app.asked.iter().map(|one| one.text.clone()).collect::<Vec<_>>();
        assert_eq!((&good.text, texts(&good)), (&again.text, texts(&again)));
        for app in [&none, &other] {
            assert_ne!(good.text, app.text);
            assert_eq!(way(&good), way(app), "{}", family.name());
            assert_eq!(texts(&good)[..2], texts(app)[..2], "{}", family.name());
        }
    }
}

#[test]
fn an_everyday_app_is_the_same_at_every_call_and_another_under_each_number() {
    let shown = |app: MadeUp| -> (String, Vec<(String, u32)>) {
        (app.text, app.asked.into_iter().map(|one| (one.text, one.steps_max)).collect())
    };
    for family in Family::EVERYDAY {
        let [one, again] = [3, 3].map(|number| shown(MadeUp::new(family, number, Names::Good)));
        assert_eq!(one, again, "{}", family.name());
        let mut texts: Vec<String> = (0..10).map(|number| everyday::text(family, number)).collect();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), 10, "{}", family.name());
    }
}

#[test]
fn exhaustive_search_finds_what_is_asked_of_small_apps() {
    for made_up in some(Family::Small, Names::Good) {
        for asked in &made_up.asked {
            let mut sim = Sim::new(made_up.model.clone(), Seed(1));
            let offered = repertoire(&asked.spec, &[], []);
            let found = exhaust(&mut sim, &asked.spec, offered, asked.steps_max, &mut |_, _| true);
            let steps = found.expect("the model runs").run.map(|run| run.steps.len());
            let shown = format!("{} {}: {}", made_up.number, asked.level, asked.text);
            assert!(steps.is_some_and(|steps| steps as u32 <= asked.steps_max), "{shown}");
        }
    }
}
