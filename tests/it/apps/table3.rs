//! The specs of `specs/` on the models: the shortest runs that satisfy them, the residuals on the way, and the
//! specs that a corrected app cannot satisfy.

use std::collections::VecDeque;

use farlead::gui::Labeller;
use farlead::ltl::{Automaton, Labels, Permanent, ResidualId};
use farlead::spec::Spec;

use super::*;

/// A spec, ready to judge the steps of a phone.
struct Judge {
    automaton: Automaton,
    labeller: Labeller,
    steps_max: usize,
}

impl Judge {
    fn new(spec: &Spec) -> Judge {
        let automaton = Automaton::new(&spec.formulas, spec.formula);
        let labeller = Labeller::new(
            (0..).zip(automaton.atoms()).map(|(number, name)| (number, &spec.atoms[name])),
            spec.typed,
        );
        Judge { automaton, labeller, steps_max: spec.budget.steps_max.expect("a bound") as usize }
    }

    fn labels(&self, action: &Action, screen: &Screen) -> Labels {
        let mut labels = Labels::default();
        for atom in self.labeller.of_action(action).into_iter().chain(self.labeller.on_screen(screen)) {
            labels.insert(atom);
        }
        labels
    }

    fn step(&mut self, state: ResidualId, action: &Action, screen: &Screen) -> ResidualId {
        let labels = self.labels(action, screen);
        self.automaton.step(state, &labels)
    }
}

/// Returns the spec `name` of the file, and a phone with its app and these parameters.
fn load(file: &str, name: &str, set: &[(&str, &str)]) -> (Judge, Phone) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs").join(file);
    let text = std::fs::read_to_string(path).expect("a readable spec");
    let parsed = parse(&Source::new(file, text));
    let spec = parsed.file.specs.iter().find(|spec| spec.name == name).expect("a spec of the file");
    let app = format!("{}.app", file.split('/').next().expect("a folder"));
    (Judge::new(spec), start(&app, set, &parsed.file.actions))
}

fn first_action(phone: &Phone) -> Action {
    Action::Reinitialise(phone.sim.app().launchable[0].clone())
}

fn without_common_factor(over: u64, under: u64) -> String {
    let divisor =
        (1..=under).rev().find(|n| over.is_multiple_of(*n) && under.is_multiple_of(*n)).unwrap_or(1);
    match (over / divisor, under / divisor) {
        (over, 1) => over.to_string(),
        (over, under) => format!("{over}/{under}"),
    }
}

/// Checks that the steps after the start satisfy the formula exactly at their end, and the number of atoms left
/// before the first position and after each; these numbers determine the reward of a step.
#[track_caller]
fn check(file: &str, name: &str, steps: &[&str], atoms: &[u64], rewards: &str) {
    let (mut judge, mut phone) = load(file, name, &[]);
    let mut state =
        judge.automaton.step(ResidualId::START, &judge.labels(&first_action(&phone), phone.screen()));
    let mut found = vec![judge.automaton.atom_count(ResidualId::START), judge.automaton.atom_count(state)];
    for step in steps {
        assert_eq!(judge.automaton.permanent(state), Permanent::Open, "{file} {name}: before {step}");
        let action = action_of(&phone, step);
        phone.act(&action);
        state = judge.step(state, &action, phone.screen());
        found.push(judge.automaton.atom_count(state));
    }
    assert!(judge.automaton.is_satisfied(state), "{file} {name}: on\n{}", phone.shown());
    assert_eq!(found, atoms, "{file} {name}");
    let reward = |pair: &[u64]| match *pair {
        [_, 0] => "1".to_string(),
        [before, after] => without_common_factor(before.abs_diff(after), before + after),
        _ => unreachable!("windows of two"),
    };
    let found: Vec<String> = atoms.windows(2).map(reward).collect();
    assert_eq!(found.join(" "), rewards, "{file} {name}");
}

/// Returns the action of a step, see [`Phone::step`].
#[track_caller]
fn action_of(phone: &Phone, step: &str) -> Action {
    match step {
        "back" => Action::BACK,
        "pauseresume" => Action::PAUSE_RESUME,
        "idle" => Action::IDLE,
        "chessmove" => phone.offered(|action| matches!(action, Action::User { .. }), step),
        _ => phone
            .offered(|action| matches!(action, Action::Touch(Touch::Click, on) if is_called(on, step)), step),
    }
}

#[test]
fn the_known_runs_satisfy_the_specs_of_chesswalk() {
    let about = ["About", "back"];
    check("chesswalk/about.ltl", "a", &about, &[4, 4, 2, 0], "0 1/3 1");
    check("chesswalk/about.ltl", "b", &about, &[5, 5, 2, 0], "0 3/7 1");
    check("chesswalk/about.ltl", "c", &about, &[5, 5, 2, 0], "0 3/7 1");
    let settings = ["Settings", "back"];
    check("chesswalk/settings.ltl", "a", &settings, &[4, 4, 2, 0], "0 1/3 1");
    check("chesswalk/settings.ltl", "b", &settings, &[5, 5, 2, 0], "0 3/7 1");
    check("chesswalk/settings.ltl", "c", &settings, &[5, 5, 2, 0], "0 3/7 1");
    check("chesswalk/pause.ltl", "b", &["pauseresume"], &[2, 2, 0], "0 1");
    check("chesswalk/sleep.ltl", "a", &["idle"], &[1, 1, 0], "0 1");
    check("chesswalk/sleep.ltl", "b", &["idle"], &[2, 2, 0], "0 1");
    let remember = ["Settings", "  Auto login", "back", "Settings"];
    check("chesswalk/remember.ltl", "a", &remember, &[9, 9, 6, 3, 2, 0], "0 1/5 1/3 1/5 1");
    check("chesswalk/remember.ltl", "b", &remember, &[14, 14, 10, 6, 4, 0], "0 1/6 1/4 1/5 1");
    check("chesswalk/remember.ltl", "c", &remember, &[8, 8, 6, 3, 2, 0], "0 1/7 1/3 1/5 1");
    let a_move = ["Play Offline", "Play", "chessmove"];
    check("chesswalk/move.ltl", "a", &a_move, &[3, 3, 2, 1, 0], "0 1/5 1/3 1");
    check("chesswalk/move.ltl", "a", &["Play Offline", "back", "chessmove"], &[3, 3, 2, 1, 0], "0 1/5 1/3 1");
    check("chesswalk/move.ltl", "b", &a_move, &[6, 6, 4, 2, 0], "0 1/5 1/3 1");
    check("chesswalk/move.ltl", "c", &a_move, &[4, 4, 3, 2, 0], "0 1/7 1/5 1");
    let second_game = ["Play Offline", "Play", "chessmove", "New game", "Play"];
    check("chesswalk/second_game.ltl", "a", &second_game, &[11, 11, 9, 7, 12, 3, 0], "0 1/10 1/8 5/19 3/5 1");
    check("chesswalk/second_game.ltl", "b", &second_game, &[12, 12, 9, 7, 5, 8, 0], "0 1/7 1/8 1/6 3/13 1");
    check("chesswalk/second_game.ltl", "c", &second_game, &[6, 6, 5, 4, 3, 2, 0], "0 1/11 1/9 1/7 1/5 1");
}

#[test]
fn the_known_runs_satisfy_the_specs_of_notes() {
    let palette = ["OKAY", "+", "fab_sketch", "colorSelector"];
    check("notes/palette.ltl", "a", &palette, &[9, 9, 7, 12, 3, 0], "0 1/8 5/19 3/5 1");
    check("notes/palette.ltl", "b", &palette, &[13, 13, 10, 17, 4, 0], "0 3/23 7/27 13/21 1");
    check("notes/palette.ltl", "c", &palette, &[10, 10, 8, 6, 4, 0], "0 1/9 1/7 1/5 1");
    check("notes/palette.ltl", "c_ids", &palette, &[10, 10, 8, 6, 4, 0], "0 1/9 1/7 1/5 1");
    for leaving in ["back", "pauseresume", "Save", "Navigate up"] {
        let note = ["OKAY", "+", "fab_text", leaving];
        check("notes/dummy_note.ltl", "b", &note, &[7, 7, 7, 11, 2, 0], "0 0 2/9 9/13 1");
        check("notes/dummy_note.ltl", "c", &note, &[8, 8, 6, 4, 2, 0], "0 1/7 1/5 1/3 1");
        check("notes/dummy_note.ltl", "c_ids", &note, &[8, 8, 6, 4, 2, 0], "0 1/7 1/5 1/3 1");
    }
}

/// Returns the length of the shortest runs that satisfy the spec within its bound, and their number. Tries
/// every run that the formula does not rule out.
fn shortest(judge: &mut Judge, mut phone: Phone) -> Option<(usize, usize)> {
    let state = judge.automaton.step(ResidualId::START, &judge.labels(&first_action(&phone), phone.screen()));
    let mut alive = VecDeque::from([(1, state, phone.sim.save(), phone.seen.screen.clone())]);
    let mut found: Option<(usize, usize)> = None;
    while let Some((length, state, snapshot, screen)) = alive.pop_front() {
        if found.is_some_and(|(shortest, _)| length > shortest) {
            break;
        }
        if judge.automaton.is_satisfied(state) {
            let (_, runs) = found.unwrap_or((length, 0));
            found = Some((length, runs + 1));
        }
        let left = judge.automaton.steps_to_satisfaction(state).expect("a small formula");
        let is_hopeless = left.is_none_or(|left| length + left as usize > judge.steps_max);
        if is_hopeless || found.is_some() {
            continue;
        }
        for action in offers(&screen, &phone.repertoire) {
            phone.sim.restore(snapshot);
            phone.act(&action);
            let state = judge.step(state, &action, phone.screen());
            if judge.automaton.permanent(state) != Permanent::Violated {
                alive.push_back((length + 1, state, phone.sim.save(), phone.seen.screen.clone()));
            }
        }
    }
    found
}

#[track_caller]
fn check_shortest(file: &str, name: &str, set: &[(&str, &str)], expected: Option<(usize, usize)>) {
    let (mut judge, phone) = load(file, name, set);
    assert_eq!(shortest(&mut judge, phone), expected, "{file} {name} with {set:?}");
}

#[test]
fn no_shorter_runs_satisfy_the_specs() {
    for (file, names, expected) in [
        ("chesswalk/about.ltl", &["a", "b", "c"][..], (3, 1)),
        ("chesswalk/settings.ltl", &["a", "b", "c"], (3, 1)),
        ("chesswalk/pause.ltl", &["b"], (2, 1)),
        ("chesswalk/sleep.ltl", &["a", "b"], (2, 1)),
        ("chesswalk/remember.ltl", &["a", "b", "c"], (5, 1)),
        ("chesswalk/move.ltl", &["a"], (4, 2)),
        ("chesswalk/move.ltl", &["b", "c"], (4, 1)),
        ("chesswalk/second_game.ltl", &["a"], (6, 4)),
        ("chesswalk/second_game.ltl", &["b", "c"], (6, 1)),
        ("notes/palette.ltl", &["a", "b"], (5, 2)),
        ("notes/palette.ltl", &["c", "c_ids"], (5, 1)),
        ("notes/dummy_note.ltl", &["b", "c", "c_ids"], (5, 4)),
    ] {
        for name in names {
            check_shortest(file, name, &[], Some(expected));
        }
    }
}

#[test]
fn a_corrected_app_does_not_satisfy_what_asks_for_a_bug() {
    for (parameter, file, names) in [
        ("fixed_stale_line", "chesswalk/second_game.ltl", &["b", "c"][..]),
        ("fixed_sleeps", "chesswalk/sleep.ltl", &["b"]),
        ("fixed_black_missing", "notes/palette.ltl", &["a", "b", "c", "c_ids"]),
    ] {
        for name in names {
            check_shortest(file, name, &[("fixed", "true")], None);
            check_shortest(file, name, &[(parameter, "true")], None);
        }
    }
}

#[test]
fn a_corrected_app_satisfies_what_the_bug_is_not_needed_for() {
    let set = [("fixed", "true")];
    // Back from the second New game screen leads to the first game, whichever way it was started.
    check_shortest("chesswalk/second_game.ltl", "a", &set, Some((6, 2)));
    // By `Save`, `Navigate up` and a pause.
    for name in ["b", "c", "c_ids"] {
        check_shortest("notes/dummy_note.ltl", name, &set, Some((5, 3)));
    }
}

#[test]
fn a_note_that_back_alone_may_leave_behind_needs_the_bug() {
    let text = "possible \"back\" within 6 steps:
        X(([activity ~ Main] & [actionType = click]) U ([text ~ New text]
            & X(([actionType = click] & [activity ~ TextNote])
            & X([actionType = back] U ([text ~ Note 1] & [actionType = back])))))";
    let parsed = parse(&Source::new("back.ltl", text));
    let spec = &parsed.file.specs[0];
    assert_eq!(shortest(&mut Judge::new(spec), start("notes.app", &[], &[])), Some((5, 1)));
    for parameter in ["fixed", "fixed_back_saves"] {
        let corrected = start("notes.app", &[(parameter, "true")], &[]);
        assert_eq!(shortest(&mut Judge::new(spec), corrected), None);
    }
}
