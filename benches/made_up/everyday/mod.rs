//! Made-up apps of everyday kinds: log-ins, forms, shops, settings and the like, each family by a maker of its own.
//!
//! The maker of an app also knows the goals that formulas ask for, and moves that reach them. A goal becomes a
//! formula of one level: *a* names what is seen, *b* also the types of the actions, and *c* every action. So the
//! three formulas of an app differ in what they ask for, not only in how much of the way they tell.

mod content;
mod draft;
mod entry;
mod places;
mod play;
mod trouble;

use farlead::spec::{Source, parse};

use super::{Asked, Family, MadeUp, chance, model};
use draft::Draft;
use play::Move;

/// Goal of a formula, and a way there.
struct Goal {
    /// Labels that hold one after the other, at different steps.
    labels: Vec<String>,
    /// Formulas that hold at every step.
    always: Vec<String>,
    moves: Vec<Move>,
}

impl Goal {
    fn new(labels: &[&str], moves: &[Move]) -> Goal {
        Goal {
            labels: labels.iter().map(|label| (*label).to_string()).collect(),
            always: Vec::new(),
            moves: moves.to_vec(),
        }
    }

    fn always(mut self, formula: &str) -> Goal {
        self.always.push(formula.to_string());
        self
    }

    /// Returns the formula of this level.
    fn formula(&self, level: char, draft: &mut Draft) -> String {
        let mut text = match level {
            'a' => self.by_states(draft),
            'b' => self.by_types(draft),
            _ => self.by_actions(),
        };
        for always in &self.always {
            text += &format!(" & G {always}");
        }
        text
    }

    fn by_states(&self, draft: &mut Draft) -> String {
        let eventually = if draft.coin() { "F" } else { "X F" };
        chain(&self.labels, |label, rest| match rest {
            "" => format!("{eventually}({label})"),
            rest => format!("{eventually}({label} & {rest})"),
        })
    }

    fn by_types(&self, draft: &mut Draft) -> String {
        let mut types: Vec<String> = self.moves.iter().map(Move::kind).collect();
        types.sort();
        types.dedup();
        let last = self.moves.last().expect("a way has moves").kind();
        if draft.coin() {
            return chain(&self.labels, |label, rest| match rest {
                "" => format!("X F({last} & {label})"),
                rest => format!("X F({label} & {rest})"),
            });
        }
        let left = types.join(" | ");
        chain(&self.labels, |label, rest| match rest {
            "" => format!("X(({left}) U ({label}))"),
            rest => format!("X(({left}) U ({label} & {rest}))"),
        })
    }

    fn by_actions(&self) -> String {
        let last = self.labels.last().expect("a goal has labels");
        let moves: Vec<String> = self.moves.iter().map(Move::label).collect();
        chain(&moves, |label, rest| match rest {
            "" => format!("X({label} & {last})"),
            rest => format!("X({label} & {rest})"),
        })
    }
}

/// Folds labels from the last one on.
fn chain(labels: &[String], link: impl Fn(&str, &str) -> String) -> String {
    labels.iter().rev().fold(String::new(), |rest, label| link(label, &rest))
}

/// A formula before it is known how many steps it takes.
struct Request {
    level: char,
    text: String,
    /// Steps allowed beyond those of a shortest run.
    spare: u32,
    moves: Vec<Move>,
}

/// Returns the text of the model of an app, and what is asked of it.
fn draw(family: Family, number: u64) -> (String, Vec<Request>) {
    let mut draft = Draft::new(chance(family, number, "model"));
    // Neighbours in a half differ in kind.
    let kind = number / 2;
    let goals = match family {
        Family::Login => entry::login(&mut draft, kind),
        Family::Code => entry::code(&mut draft, kind),
        Family::Form => entry::form(&mut draft),
        Family::Lock => entry::lock(&mut draft),
        Family::Counter => entry::counter(&mut draft, kind),
        Family::Maze => places::maze(&mut draft, kind),
        Family::Settings => places::settings(&mut draft),
        Family::List => places::list(&mut draft, kind),
        Family::Waiting => content::waiting(&mut draft, kind),
        Family::Cart => content::cart(&mut draft),
        Family::Notes => content::notes(&mut draft, kind),
        Family::Advert => trouble::advert(&mut draft, kind),
        Family::Fault => trouble::fault(&mut draft, kind),
        _ => panic!("{} is not of every day", family.name()),
    };
    let requests = "abc".chars().zip(goals).map(|(level, goal)| Request {
        level,
        text: goal.formula(level, &mut draft),
        spare: 2 + draft.below(5) as u32,
        moves: goal.moves,
    });
    let requests = requests.collect();
    (draft.finish(), requests)
}

/// Returns the text of the model of an app, which takes less time than the app.
pub fn text(family: Family, number: u64) -> String {
    draw(family, number).0
}

/// Returns the app of a family with this number.
pub fn make(family: Family, number: u64) -> MadeUp {
    let (text, requests) = draw(family, number);
    let model = model(&text);
    let asked = requests
        .into_iter()
        .map(|Request { level, text, spare, moves }| {
            let spec = parse(&Source::new("made-up.ltl", &*text)).file.specs.remove(0);
            let steps = play::play(&model, &spec, &moves).unwrap_or_else(|| {
                panic!("{} {number}: {moves:?} do not satisfy {text}", family.name());
            });
            let steps = play::shortest(&model, &spec, steps);
            // Nothing is left of a goal at hand, and few agents reach one that is farther.
            let is_fair = (3..=12).contains(&steps);
            assert!(is_fair, "{} {number}: {steps} steps satisfy {text}", family.name());
            Asked { level, text, spec, steps_max: steps + spare }
        })
        .collect();
    MadeUp { family, number, text, model, walk: Vec::new(), asked }
}
