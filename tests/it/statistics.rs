//! Statistics against SciPy and statsmodels, on 200 random tables with ties and failed runs.

use std::cmp::Ordering;

use farlead::rng::Seed;
use farlead::statistics::{
    FAILED, Observed, Size, Tested, a12, a12_interval, friedman, holm, log_rank, mann_whitney, wilcoxon,
};
use serde_json::Value;

use crate::fixtures;

/// Steps after which a run is cut off.
const BUDGET: f64 = 1_000.0;

fn numbers(row: &Value) -> Vec<f64> {
    row.as_array().expect("numbers").iter().map(|value| value.as_f64().unwrap_or(FAILED)).collect()
}

#[track_caller]
fn check(what: &str, number: usize, found: f64, expected: &Value) {
    let expected = expected.as_f64().expect("a number");
    let is_near = (found - expected).abs() <= 1e-9 * expected.abs().max(1e-3);
    assert!(is_near, "{what} of table {number}: {found} and not {expected}");
}

#[track_caller]
fn check_tested(what: &str, number: usize, found: Option<Tested>, expected: &Value) {
    let found = found.expect("values");
    check(what, number, found.statistic, &expected[0]);
    check(what, number, found.p, &expected[1]);
}

fn observed(values: &[f64]) -> Vec<Observed> {
    values.iter().map(|&value| Observed { time: value.min(BUDGET), is_censored: value > BUDGET }).collect()
}

#[test]
fn statistics_are_those_of_scipy() {
    let rows = fixtures::rows("statistics/tables.jsonl");
    assert_eq!(rows.len(), 200);
    for (number, row) in rows.iter().enumerate() {
        let (one, other) = (numbers(&row["one"]), numbers(&row["other"]));
        let pairs: Vec<(f64, f64)> = one.iter().copied().zip(other.iter().copied()).collect();
        check_tested("wilcoxon", number, wilcoxon(&pairs), &row["wilcoxon"]);
        check_tested("mann_whitney", number, mann_whitney(&one, &other), &row["mann_whitney"]);
        let larger = a12(&one, &other).expect("values");
        check("a12", number, larger, &row["a12"]);
        let first = mann_whitney(&one, &other).expect("values").first;
        assert_eq!(first, larger.total_cmp(&0.5), "table {number}");
        match row.get("log_rank") {
            Some(Value::Null) => assert_eq!(log_rank(&observed(&one), &observed(&other)), None),
            Some(expected) => {
                check_tested("log_rank", number, log_rank(&observed(&one), &observed(&other)), expected)
            }
            None => {}
        }
        let Some(table) = row.get("table") else { continue };
        let table: Vec<Vec<f64>> = table.as_array().expect("rows").iter().map(numbers).collect();
        let compared = friedman(&table).expect("five tasks");
        if let Some(expected) = row.get("friedman") {
            check("friedman", number, compared.statistic, &expected[0]);
            check("friedman", number, compared.p, &expected[1]);
        }
        check("nemenyi", number, compared.nemenyi(0, 1).expect("two agents"), &row["nemenyi"]);
        let corrected = holm(&numbers(&row["family"]));
        for (found, expected) in corrected.iter().zip(row["holm"].as_array().expect("numbers")) {
            check("holm", number, *found, expected);
        }
    }
}

/// Returns the probability by trying all signs, or all choices of the first sample.
fn by_all(statistic: impl Fn(u32) -> Option<f64>, count: u32) -> f64 {
    let all: Vec<f64> = (0..1u32 << count).filter_map(statistic).collect();
    let (middle, least) = (all.iter().sum::<f64>() / all.len() as f64, all[0]);
    let far = all.iter().filter(|value| (*value - middle).abs() >= (least - middle).abs() - 1e-9).count();
    far as f64 / all.len() as f64
}

#[test]
fn exact_tests_count_all_ways() {
    let mut rng = Seed(4).fork("statistics");
    for round in 0..60 {
        let pairs: Vec<(f64, f64)> =
            (0..2 + round % 9).map(|_| (rng.below(9) as f64, rng.below(9) as f64 + 0.5)).collect();
        let sums = |signs: u32| {
            let by: Vec<f64> = pairs.iter().map(|(one, other)| one - other).collect();
            let rank = |value: f64| {
                let below = by.iter().filter(|other| other.abs() < value.abs()).count() as f64;
                let like = by.iter().filter(|other| other.abs() == value.abs()).count() as f64;
                below + (like + 1.0) / 2.0
            };
            // Without a sign turned, these are the differences as they are.
            let is_positive = |at: usize| (by[at] > 0.0) != (signs >> at & 1 == 1);
            Some((0..by.len()).filter(|&at| is_positive(at)).map(|at| rank(by[at])).sum::<f64>())
        };
        let expected = by_all(sums, pairs.len() as u32);
        let found = wilcoxon(&pairs).expect("pairs");
        // A sum of ranks and that of its opposite signs are all ranks together.
        let first = sums(0).expect("a sum").total_cmp(&sums((1 << pairs.len()) - 1).expect("a sum"));
        assert_eq!(found.first, first, "{pairs:?}");
        assert!(found.is_exact && (found.p - expected).abs() < 1e-12, "{pairs:?}: {found:?}, {expected}");
    }
    for round in 0..60usize {
        let (n, m) = (1 + round % 5, 1 + round / 5 % 5);
        // No two are alike: the fractions differ.
        let value = |at: usize, rng: &mut farlead::rng::Rng| rng.below(20) as f64 + at as f64 / 100.0;
        let all: Vec<f64> = (0..n + m).map(|at| value(at, &mut rng)).collect();
        let mask = (1u32 << n) - 1;
        let won = |choice: u32| {
            // The sample as it is comes first.
            let choice = choice ^ mask;
            let is_first = |at: &usize| choice >> at & 1 == 1;
            (choice.count_ones() as usize == n).then(|| {
                let (first, second): (Vec<usize>, Vec<usize>) = (0..n + m).partition(is_first);
                let wins = first.iter().flat_map(|&one| second.iter().map(move |&other| (one, other)));
                wins.filter(|&(one, other)| all[one] > all[other]).count() as f64
            })
        };
        let expected = by_all(won, (n + m) as u32);
        let found = mann_whitney(&all[..n], &all[n..]).expect("values");
        assert!(found.is_exact && (found.p - expected).abs() < 1e-12, "{all:?} {n}: {found:?}, {expected}");
    }
}

#[test]
fn failed_runs_rank_above_all_others_and_are_alike() {
    let (fast, failed) = ([1.0, 2.0, 3.0], [FAILED; 3]);
    assert_eq!(a12(&failed, &fast), Some(1.0));
    assert_eq!(a12(&failed, &failed), Some(0.5));
    let pairs = |one: &[f64], other: &[f64]| -> Vec<(f64, f64)> {
        one.iter().copied().zip(other.iter().copied()).collect()
    };
    assert_eq!(wilcoxon(&pairs(&failed, &failed)).expect("pairs").p, 1.0);
    assert_eq!(wilcoxon(&pairs(&fast, &failed)).expect("pairs").p, 0.25);
    assert_eq!(mann_whitney(&failed, &failed).expect("values").p, 1.0);
    assert_eq!(log_rank(&observed(&failed), &observed(&failed)), None);
    assert_eq!(log_rank(&observed(&fast), &observed(&failed)).expect("values").first, Ordering::Less);
}

#[test]
fn what_has_no_values_is_not_tested() {
    assert_eq!(wilcoxon(&[]), None);
    assert_eq!(wilcoxon(&[(f64::NAN, 1.0)]), None);
    assert_eq!(mann_whitney(&[], &[1.0]), None);
    assert_eq!(a12(&[1.0], &[]), None);
    assert_eq!(a12_interval(&[], &[1.0], 10, &mut Seed(1).fork("draws")), None);
    assert_eq!(log_rank(&[], &observed(&[1.0])), None);
    assert_eq!(friedman(&vec![vec![1.0, 2.0]; 4]), None);
    assert_eq!(friedman(&[vec![1.0, 2.0], vec![1.0], vec![1.0], vec![1.0], vec![1.0]]), None);
    assert_eq!(friedman(&vec![vec![1.0, 1.0]; 5]).map(|all| all.p), Some(1.0));
    assert!(holm(&[]).is_empty());
}

#[test]
fn sizes_of_effects_have_their_letters_on_both_sides() {
    for (a12, letter) in
        [(0.5, 'N'), (0.55, 'N'), (0.56, 'S'), (0.64, 'M'), (0.71, 'L'), (1.0, 'L'), (0.4, 'S'), (0.2, 'L')]
    {
        assert_eq!(Size::of(a12).letter(), letter, "{a12}");
    }
}

#[test]
fn an_interval_comes_from_its_seed_and_holds_most_means() {
    let mut rng = Seed(9).fork("samples");
    let mut held = 0;
    for round in 0..200 {
        // Both samples are of one kind, so the true value is a half.
        let mut sample = || -> Vec<f64> { (0..40).map(|_| rng.below(30) as f64).collect() };
        let (one, other) = (sample(), sample());
        let (low, high) = a12_interval(&one, &other, 400, &mut Seed(round).fork("draws")).expect("values");
        assert_eq!(Some((low, high)), a12_interval(&one, &other, 400, &mut Seed(round).fork("draws")));
        let middle = a12(&one, &other).expect("values");
        assert!(low <= middle && middle <= high, "{low} {middle} {high}");
        held += u32::from(low <= 0.5 && 0.5 <= high);
    }
    // 190 are expected, with a deviation of 3.
    assert!((178..=199).contains(&held), "{held}");
}
