//! The paper's 25 formulas on the models of its two apps: results that can be reached at all, that chance alone
//! must reach, and that the agent of FARLEAD-Android reaches.

use std::collections::BTreeMap;

use farlead::abstraction::LOOKS;
use farlead::agent::{AgentInfo, FARLEAD, RANDOM};
use farlead::device::sim::Sim;
use farlead::device::{Device, sim};
use farlead::episode::Catalogue;
use farlead::gui::{Action, UserAction};
use farlead::objective::{Formula, Moment, Objective as _, Seen, Shaping, Verdict};
use farlead::rng::Seed;
use farlead::search::{Contender, Plan, Rounds, Task, compare, exhaust, repertoire};
use farlead::situation::{LinkId, PhaseId, Switches};
use farlead::spec::{Spec, parse};

use crate::models::{self, Row};

const EPISODES_MAX: u32 = 500;
const RUNS: u32 = 100;

fn plan(agent: &'static AgentInfo) -> Plan {
    let paper = Switches { prediction: true, sure_actions: false, restart_hopeless: false };
    let switches = if agent.name == RANDOM.name { agent.switches } else { paper };
    Plan { switches, episodes_max: EPISODES_MAX, ..Plan::new(agent) }
}

/// Returns the failures and steps of 100 runs.
fn runs(row: &Row, agent: &'static AgentInfo) -> farlead::search::Tally {
    let model = models::model(row.app, &[]);
    let device = |seed| -> Box<dyn Device> { Box::new(Sim::new(model.clone(), seed)) };
    let task =
        Task { spec: &row.spec, actions: &row.actions, steps_max: row.steps_max, episodes_max: EPISODES_MAX };
    let contender = Contender { name: agent.name.to_string(), plan: plan(agent) };
    let tallies = compare(
        &[task],
        &[contender],
        Rounds { runs: RUNS, seed: Seed(1), jobs: 2 },
        &device,
        &|| false,
        &mut |_| (),
    );
    tallies.expect("the model runs").expect("nobody stops it").remove(0).remove(0)
}

fn shortest(
    app: &str,
    set: &[(&str, &str)],
    spec: &Spec,
    actions: &[UserAction],
    steps_max: u32,
) -> Option<usize> {
    let mut simulator = models::simulator(app, set, 1);
    let found = exhaust(&mut simulator, spec, repertoire(spec, actions, []), steps_max, &mut |_, _| true);
    let found = found.expect("the model runs");
    assert!(!found.is_too_large && !found.is_interrupted);
    found.run.map(|run| run.steps.len())
}

#[test]
fn shortest_runs_are_as_long_as_by_the_sheet() {
    for row in models::table3() {
        let expected = match row.letter {
            'C' | 'D' => 2,
            'A' | 'B' => 3,
            'F' => 4,
            'E' | 'H' | 'I' => 5,
            'G' => 6,
            letter => panic!("no specification is called {letter}"),
        };
        assert_eq!(
            shortest(row.app, &[], &row.spec, &row.actions, row.steps_max),
            Some(expected),
            "{}",
            row.name()
        );
    }
}

#[test]
fn corrected_apps_leave_no_run_where_the_formula_asks_for_the_bug() {
    for row in models::table3() {
        let name = row.name();
        let found = shortest(row.app, &[("fixed", "true")], &row.spec, &row.actions, row.steps_max);
        let is_gone = matches!(name.as_str(), "G.b" | "G.c" | "D.b" | "D.c" | "H.a" | "H.b" | "H.c");
        assert_eq!(found.is_none(), is_gone, "{name}");
    }
}

#[test]
fn a_dummy_note_made_by_back_is_gone_from_the_corrected_app() {
    let path = "specs/notes/dummy_note.ltl";
    let file = parse(&models::source(path)).file;
    let of_back: Vec<&Spec> = file.specs.iter().filter(|spec| spec.name.ends_with("_back")).collect();
    assert!(!of_back.is_empty(), "{path} has the forms that say `back`");
    for spec in of_back {
        assert_eq!(shortest("notes", &[], spec, &file.actions, 6), Some(5), "{}", spec.name);
        assert_eq!(shortest("notes", &[("fixed", "true")], spec, &file.actions, 6), None, "{}", spec.name);
    }
}

/// Returns the probability of each action where a widget is chosen first, then a kind of action, then its text; an action on
/// no widget counts as a widget.
fn shares(actions: &[Action]) -> Vec<f64> {
    let mut widgets: Vec<Vec<Vec<usize>>> = Vec::new();
    for (at, action) in actions.iter().enumerate() {
        let widget = |other: usize| actions[other].target().map(|target| &target.object_id);
        let of_widget = |of: &&mut Vec<Vec<usize>>| widget(at).is_some() && widget(of[0][0]) == widget(at);
        match widgets.iter_mut().find(of_widget) {
            Some(kinds) => {
                let name = action.type_name();
                match kinds.iter_mut().find(|kind| actions[kind[0]].type_name() == name) {
                    Some(kind) => kind.push(at),
                    None => kinds.push(vec![at]),
                }
            }
            None => widgets.push(vec![vec![at]]),
        }
    }
    let mut shares = vec![0.0; actions.len()];
    for kinds in &widgets {
        for kind in kinds {
            let ways = widgets.len() * kinds.len() * kind.len();
            kind.iter().for_each(|&at| shares[at] = 1.0 / ways as f64);
        }
    }
    shares
}

/// Returns the exact probability that an episode of random actions satisfies the formula.
fn chance_of_success(row: &Row) -> f64 {
    let mut simulator = models::simulator(row.app, &[], 1);
    let mut objective = Formula::new(&row.spec, Shaping::Atoms);
    let offered = repertoire(&row.spec, &row.actions, []);
    let mut catalogue = Catalogue::new(simulator.app(), offered, &LOOKS, false);
    let start = catalogue.start(&mut objective);
    let mut won = 0.0;
    // The possible pairs of app state and residual, each with its probability and the offers of its screen.
    let mut there = BTreeMap::new();
    let mut next = BTreeMap::new();
    for depth in 0..row.steps_max {
        let pairs: Vec<_> = if depth == 0 {
            vec![(None, PhaseId::START, 1.0, start.clone())]
        } else {
            std::mem::take(&mut there)
                .into_iter()
                .map(|((snapshot, state), (share, entry))| (Some(snapshot), state, share, entry))
                .collect()
        };
        for (snapshot, phase, share, here) in pairs {
            let entry = here.entry.clone();
            let shares = shares(&entry.site.actions);
            for ((action, offer), part) in entry.site.actions.iter().zip(&*entry.offers).zip(shares) {
                let each = share * part;
                let outcomes = match (&snapshot, action) {
                    (None, Action::Reinitialise(activity)) => simulator.start_outcomes(activity),
                    (Some(snapshot), action) => {
                        simulator.restore(*snapshot);
                        simulator.outcomes(action)
                    }
                    (None, action) => panic!("{action} before the start"),
                };
                for sim::SimOutcome { probability, after, observation } in
                    outcomes.expect("the model runs").expect("few outcomes")
                {
                    let to = catalogue.see(&observation.screen, LinkId::default(), &mut objective).encounter;
                    let seen = Seen::Recalled(&observation.screen);
                    let moment =
                        Moment { action, class: offer.class, seen, look: to.entry.site.look, is_new: false };
                    let judgement = objective.step(phase, &moment);
                    match judgement.verdict {
                        Verdict::Won => won += each * probability,
                        Verdict::Lost => {}
                        Verdict::Open => {
                            next.entry((after, judgement.next)).or_insert((0.0, to)).0 += each * probability;
                        }
                    }
                }
            }
        }
        std::mem::swap(&mut there, &mut next);
    }
    won
}

/// Returns the central 99.9 % range of the number of successes in `RUNS` at this probability.
fn expected_range(chance: f64) -> (u32, u32) {
    let log_choose = |k: u32| -> f64 { (0..k).map(|i| (f64::from(RUNS - i) / f64::from(k - i)).ln()).sum() };
    let of = |k: u32| -> f64 {
        if chance <= 0.0 || chance >= 1.0 {
            return f64::from(u8::from((chance >= 1.0) == (k == RUNS) && (chance <= 0.0) == (k == 0)));
        }
        (log_choose(k) + f64::from(k) * chance.ln() + f64::from(RUNS - k) * (1.0 - chance).ln()).exp()
    };
    let mut below = 0.0;
    let (mut low, mut high) = (None, RUNS);
    for k in 0..=RUNS {
        below += of(k);
        if low.is_none() && below > 0.0005 {
            low = Some(k);
        }
        if below >= 0.9995 {
            high = k;
            break;
        }
    }
    (low.unwrap_or(RUNS), high)
}

#[test]
fn random_runs_fail_as_often_as_the_model_says_they_must() {
    for row in models::table3() {
        let p = chance_of_success(&row);
        let (low, high) = expected_range((1.0 - p).powi(EPISODES_MAX as i32));
        let failures = runs(&row, &RANDOM).failures();
        assert!(
            (low..=high).contains(&failures),
            "{}: p = {p:.2e}, {failures} not in {low}..={high}",
            row.name()
        );
    }
}

#[test]
fn the_agent_of_farlead_android_reaches_what_it_is_known_for() {
    let mut by_level: BTreeMap<char, (u32, Vec<u64>)> = BTreeMap::new();
    for row in models::table3() {
        let tally = runs(&row, &FARLEAD);
        let is_at_once = matches!(row.name().as_str(), "F.c" | "E.c" | "G.c" | "C.b" | "C.c" | "D.b" | "D.c");
        if is_at_once {
            assert!(tally.episodes.iter().all(|&episodes| episodes == 1), "{}", row.name());
        }
        let (failures, steps) = by_level.entry(row.level).or_default();
        *failures += tally.failures();
        steps.extend(tally.steps);
    }
    for (level, failures_max, low, high) in
        [('a', 12, 200.0, 300.0), ('b', 3, 100.0, 200.0), ('c', 0, 15.0, 20.0)]
    {
        let (failures, steps) = &by_level[&level];
        let mean = farlead::search::mean(steps);
        assert!(*failures <= failures_max, "level {level}: {failures} failures of {}", steps.len());
        assert!((low..=high).contains(&mean), "level {level}: {mean:.1} steps on average");
    }
}
