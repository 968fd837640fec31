//! Minimising as a whole, held against trying everything.

use std::collections::BTreeMap;
use std::convert::Infallible;

use proptest::prelude::*;

use super::*;
use crate::rng::Seed;

/// A check that passes with a probability that depends only on the elements kept.
struct Chancy<F> {
    passes: F,
    seed: u64,
    /// Passes and runs, by the elements kept.
    seen: BTreeMap<Vec<Element>, (u32, u32)>,
    rounds_left: u32,
    forms: u16,
    most: usize,
}

impl<F: Fn(&[Element]) -> f64> Chancy<F> {
    fn new(passes: F) -> Chancy<F> {
        Chancy { passes, seed: 1, seen: BTreeMap::new(), rounds_left: u32::MAX, forms: 0, most: 0 }
    }
}

impl<F: Fn(&[Element]) -> f64> Check for Chancy<F> {
    type Error = Infallible;

    fn round(&mut self, trials: &[Trial<'_>]) -> Result<Vec<TrialResult>, Infallible> {
        self.rounds_left -= 1;
        self.most = self.most.max(trials.len());
        let try_it = |trial: &Trial<'_>| {
            let name = format!("{:?} {}", trial.kept, trial.number);
            let passed = Seed(self.seed).fork(&name).unit() < (self.passes)(trial.kept);
            let (passes, runs) = self.seen.entry(trial.kept.to_vec()).or_default();
            assert_eq!(*runs, trial.number, "each number is that of one run");
            *passes += u32::from(passed);
            *runs += 1;
            TrialResult { passed, done: trial.kept.to_vec() }
        };
        Ok(trials.iter().map(try_it).collect())
    }

    fn goes_on(&mut self) -> bool {
        self.rounds_left > 0
    }

    fn forms(&self, _: usize) -> u16 {
        self.forms
    }
}

fn mask(kept: &[Element]) -> u32 {
    kept.iter().map(|kept| 1 << kept.at).sum()
}

fn places(kept: &[Element]) -> Vec<usize> {
    kept.iter().map(|kept| kept.at).collect()
}

fn needs(needed: &'static [usize]) -> impl Fn(&[Element]) -> f64 {
    |kept| f64::from(u8::from(needed.iter().all(|at| kept.iter().any(|kept| kept.at == *at))))
}

fn settings() -> impl Strategy<Value = Settings> {
    let rule = (1_u32..8).prop_flat_map(|runs| (Just(runs), 1..=runs));
    let switches = prop::array::uniform6(any::<bool>());
    (0..4_usize, 1..20_usize, rule, switches).prop_map(|(schedule, width, (runs, passes), on)| Settings {
        schedule: Schedule::ALL[schedule],
        width,
        runs,
        passes,
        final_runs: 5,
        additions: Additions {
            one_run: on[0],
            done: on[1],
            likelier: on[2],
            merged: on[3],
            stretches: on[4],
            steps_back: on[5],
        },
        ..Settings::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn without_chance_what_is_left_passes_and_no_element_of_it_can_go(
        length in 1_usize..9,
        truth in prop::collection::vec(any::<bool>(), 256),
        is_monotone in any::<bool>(),
        settings in settings(),
    ) {
        let all = (1_u32 << length) - 1;
        let truth: Vec<bool> = (0..=all)
            .map(|mask| {
                let below = (0..=mask).any(|part| part & mask == part && truth[part as usize] && part % 3 == 0);
                mask == all || if is_monotone { below } else { truth[mask as usize] }
            })
            .collect();
        let mut check = Chancy::new(|kept: &[Element]| f64::from(u8::from(truth[mask(kept) as usize])));
        let found = minimise(&mut check, length, &settings).unwrap();
        let left = mask(&found.kept);
        prop_assert!(truth[left as usize]);
        for at in places(&found.kept) {
            prop_assert!(!truth[(left & !(1 << at)) as usize], "without {} too", at);
        }
        prop_assert!(found.has_original_passed && found.is_one_minimal && !found.is_interrupted);
        prop_assert_eq!((found.steps_back, found.has_varied), (0, false));
        prop_assert_eq!(found.rate, Rate { passes: 5, runs: 5 });
        if is_monotone {
            // Then no subset of a 1-minimal run passes.
            let shorter = (0..left).any(|part| part & left == part && truth[part as usize]);
            prop_assert!(!shorter);
        }
        prop_assert!(check.most <= settings.width);
    }

    #[test]
    fn what_is_taken_passed_and_nothing_is_run_more_often_than_it_takes(
        length in 1_usize..8,
        chances in prop::collection::vec(0..=4_u8, 256),
        seed in any::<u64>(),
        settings in settings(),
    ) {
        let chance = |kept: &[Element]| f64::from(chances[mask(kept) as usize]) / 4.0;
        let mut check = Chancy { seed, ..Chancy::new(chance) };
        let settings = Settings {
            final_runs: 0,
            additions: Additions { steps_back: false, one_run: false, ..settings.additions },
            ..settings
        };
        let found = minimise(&mut check, length, &settings).unwrap();
        for (kept, &(_, runs)) in &check.seen {
            prop_assert!(runs <= settings.runs, "{:?} had {} runs", kept, runs);
        }
        let seen = |kept: &[Element]| check.seen.get(kept).copied().unwrap_or_default();
        if found.has_original_passed {
            prop_assert!(seen(&found.kept).0 >= settings.passes);
            for without in 0..found.kept.len() {
                let mut kept = found.kept.clone();
                kept.remove(without);
                let (passes, runs) = seen(&kept);
                prop_assert!(runs - passes > settings.runs - settings.passes);
            }
        } else {
            prop_assert_eq!(found.kept.len(), length);
        }
    }

    #[test]
    fn the_same_check_gives_the_same_result(seed in any::<u64>(), settings in settings()) {
        let run = || {
            let chance = |kept: &[Element]| if kept.iter().any(|kept| kept.at == 7) { 0.8 } else { 0.1 };
            minimise(&mut Chancy { seed, ..Chancy::new(chance) }, 20, &settings).unwrap()
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn stopped_anywhere_it_returns_what_passed_by_then(rounds_left in 0_u32..40, settings in settings()) {
        let mut check = Chancy { rounds_left, ..Chancy::new(needs(&[3, 11, 12])) };
        let found = minimise(&mut check, 20, &settings).unwrap();
        for at in [3, 11, 12] {
            prop_assert!(places(&found.kept).contains(&at));
        }
        prop_assert!(found.is_interrupted || found.kept.len() == 3);
        prop_assert!(found.rounds <= u64::from(rounds_left));
    }
}

#[test]
fn a_short_run_that_never_varies_takes_few_runs() {
    let mut check = Chancy::new(needs(&[0, 2, 3, 4]));
    let found = minimise(&mut check, 5, &Settings::default()).unwrap();
    assert_eq!(places(&found.kept), [0, 2, 3, 4]);
    assert_eq!((found.runs, found.original), (34, Rate { passes: 3, runs: 3 }));
}

#[test]
fn an_original_that_does_not_pass_is_kept_as_it_is() {
    let mut check = Chancy::new(|_: &[Element]| 0.0);
    let found = minimise(&mut check, 5, &Settings::default()).unwrap();
    assert!(!found.has_original_passed && !found.is_one_minimal);
    assert_eq!((places(&found.kept), found.original), (vec![0, 1, 2, 3, 4], Rate { passes: 0, runs: 2 }));
}

#[test]
fn nothing_is_left_of_what_passes_by_itself() {
    let found = minimise(&mut Chancy::new(|_: &[Element]| 1.0), 9, &Settings::default()).unwrap();
    assert!(found.kept.is_empty() && found.is_one_minimal);
    let found = minimise(&mut Chancy::new(|_: &[Element]| 1.0), 0, &Settings::default()).unwrap();
    assert!(found.kept.is_empty() && found.is_one_minimal);
}

#[test]
fn what_is_left_takes_its_simplest_form() {
    // The element 2 must not go beyond its second form.
    let passes = |kept: &[Element]| {
        let form = |at: usize| kept.iter().find(|kept| kept.at == at).map(|kept| kept.form);
        f64::from(u8::from(form(1).is_some() && form(2).is_some_and(|form| form <= 2)))
    };
    let mut check = Chancy { forms: 5, ..Chancy::new(passes) };
    let found = minimise(&mut check, 4, &Settings::default()).unwrap();
    assert_eq!(found.kept, [Element { at: 1, form: 5 }, Element { at: 2, form: 2 }]);
    assert!(found.is_one_minimal);
}

#[test]
fn a_difference_makes_all_that_one_run_decided_be_decided_anew() {
    // Without the element 1 it passes seven times in ten, which a single run often takes for always.
    let chance = |kept: &[Element]| {
        let has = |at: usize| kept.iter().any(|kept| kept.at == at);
        if !has(2) {
            0.0
        } else if has(1) {
            1.0
        } else {
            0.7
        }
    };
    for seed in 0..40 {
        let mut check = Chancy { seed, ..Chancy::new(chance) };
        let settings = Settings { runs: 20, passes: 19, final_runs: 20, ..Settings::default() };
        let found = minimise(&mut check, 30, &settings).unwrap();
        assert_eq!(places(&found.kept), [1, 2], "seed {seed}");
        assert_eq!(found.rate, Rate { passes: 20, runs: 20 });
    }
}
