//! Moves through an app, as its maker knows them, and the runs that they give on the simulator.

use std::sync::Arc;

use farlead::device::sim::{SimOutcome, model::Model};
use farlead::device::{Device as _, Sim};
use farlead::gui::{Action, Direction, Repertoire, Touch, offers};
use farlead::objective::{Formula, Objective as _, Shaping, Verdict};
use farlead::rng::Seed;
use farlead::search::{exhaust, repertoire};
use farlead::situation::PhaseId;
use farlead::spec::Spec;

/// An action, by a name of its widget: the text, the description or the id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    Click(String),
    LongClick(String),
    /// Field and text.
    Type(String, String),
    Scroll(Direction),
    Swipe(String, Direction),
    Device(Action),
}

impl Move {
    pub fn click(name: &str) -> Move {
        Move::Click(name.to_string())
    }

    pub fn text(field: &str, text: &str) -> Move {
        Move::Type(field.to_string(), text.to_string())
    }

    pub const BACK: Move = Move::Device(Action::BACK);
    pub const IDLE: Move = Move::Device(Action::IDLE);
    pub const ROTATE: Move = Move::Device(Action::ROTATE);

    fn fits(&self, action: &Action) -> bool {
        let is_on = |name: &str| action.target().is_some_and(|on| on.names().contains(&name));
        match (self, action) {
            (Move::Click(name), Action::Touch(Touch::Click, _))
            | (Move::LongClick(name), Action::Touch(Touch::LongClick, _)) => is_on(name),
            (Move::Type(field, typed), Action::Text { text, .. }) => is_on(field) && **text == **typed,
            (Move::Scroll(towards), Action::Stroke(..)) => {
                action.type_name() == "scroll" && action.detail() == towards.name()
            }
            (Move::Swipe(name, towards), Action::Stroke(..)) => {
                action.type_name() == "swipe" && is_on(name) && action.detail() == towards.name()
            }
            (Move::Device(_), Action::Device(_)) => self.type_name() == action.type_name(),
            _ => false,
        }
    }

    fn type_name(&self) -> &str {
        match self {
            Move::Click(_) => "click",
            Move::LongClick(_) => "longclick",
            Move::Type(..) => "text",
            Move::Scroll(_) => "scroll",
            Move::Swipe(..) => "swipe",
            Move::Device(action) => action.type_name(),
        }
    }

    fn typed(&self) -> Option<Arc<str>> {
        if let Move::Type(_, text) = self { Some(text.as_str().into()) } else { None }
    }

    /// Returns the formula for the type of the action.
    pub fn kind(&self) -> String {
        format!("[actionType = {}]", self.type_name())
    }

    /// Returns the formula for the action.
    pub fn label(&self) -> String {
        match self {
            Move::Click(detail) | Move::LongClick(detail) | Move::Type(_, detail) => {
                format!("{} & [actionDetail = \"{detail}\"]", self.kind())
            }
            Move::Scroll(towards) | Move::Swipe(_, towards) => {
                format!("{} & [actionDetail = {}]", self.kind(), towards.name())
            }
            Move::Device(_) => self.kind(),
        }
    }
}

/// Most thousands of pairs of state and phase that the search for a shortest run follows: making an app must not take
/// longer than measuring on it.
const THOUSANDS_MAX: u32 = 3;
/// Depth before the known run's end from which more than a thousand pairs are worth their time.
const DEPTH_LEFT: u32 = 2;

/// Returns the number of steps, the start included, after which these moves satisfy a formula if chance is kind.
pub fn play(model: &Arc<Model>, spec: &Spec, moves: &[Move]) -> Option<u32> {
    let mut sim = Sim::new(model.clone(), Seed(1));
    let launched = sim.app().launchable[0].clone();
    let start = Action::Reinitialise(launched.clone());
    let outcomes = sim.start_outcomes(&launched).expect("the model runs")?;
    let objective = Formula::new(spec, Shaping::Atoms);
    let mut repertoire = repertoire(spec, &[], []);
    // A code that the app shows is offered once it was seen, and the moves may come without the look at it.
    repertoire.codes =
        moves.iter().filter_map(Move::typed).filter(|text| !repertoire.texts.contains(text)).collect();
    let mut player = Player { sim, objective, repertoire, moves };
    player.go_on(PhaseId::START, &start, outcomes, 0)
}

struct Player<'a> {
    sim: Sim,
    objective: Formula,
    repertoire: Repertoire,
    moves: &'a [Move],
}

impl Player<'_> {
    /// Follows each outcome of an action that was done after `done` moves.
    fn go_on(
        &mut self,
        phase: PhaseId,
        action: &Action,
        outcomes: Vec<SimOutcome>,
        done: usize,
    ) -> Option<u32> {
        for SimOutcome { after, observation, .. } in outcomes {
            let class = self.objective.class(action);
            let labels = self.objective.screen_labels(&observation.screen);
            let next = self.objective.after_labels(phase, class, &labels);
            match self.objective.assess(next).verdict {
                Verdict::Won => return Some(done as u32 + 1),
                Verdict::Lost => continue,
                Verdict::Open => {}
            }
            let Some(wanted) = self.moves.get(done) else { continue };
            for action in offers(&observation.screen, &self.repertoire) {
                if !wanted.fits(&action) {
                    continue;
                }
                self.sim.restore(after);
                let outcomes = self.sim.outcomes(&action).expect("the model runs").unwrap_or_default();
                if let Some(steps) = self.go_on(next, &action, outcomes, done + 1) {
                    return Some(steps);
                }
            }
        }
        None
    }
}

/// Returns the number of steps of a shortest run, or `known` where none is found in the time there is.
pub fn shortest(model: &Arc<Model>, spec: &Spec, known: u32) -> u32 {
    let mut sim = Sim::new(model.clone(), Seed(1));
    let mut thousands = 0;
    let found = exhaust(&mut sim, spec, repertoire(spec, &[], []), known, &mut |depth, _| {
        // Nothing has been followed at the first call.
        let goes_on = thousands == 0 || (thousands < THOUSANDS_MAX && depth + DEPTH_LEFT >= known);
        thousands += 1;
        goes_on
    });
    found.expect("the model runs").run.map_or(known, |run| run.steps.len() as u32)
}
