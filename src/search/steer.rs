//! Steering: episodes of exploring that go towards the violation that came nearest.
//!
//! A course leads to the violation of one spec. It has an agent of its own, which sees that formula and learns every
//! episode, whoever led it. All courses together have a third of the episodes at most, and less while they bring nothing.

use super::{Plan, agent};
use crate::agent::Agent;
use crate::episode::{Catalogue, Episode, Side, Stage};
use crate::experience::Experience;
use crate::objective::{Formula, Shaping};
use crate::rng::Rng;
use crate::situation::Outlook;
use crate::spec::{Expectation, Spec};

/// Episodes that explore between two that are steered: at first, and at most.
const BETWEEN_MIN: u32 = 2;
const BETWEEN_MAX: u32 = 9;
/// Steered episodes without a result after which one more explores between two.
const PATIENCE: u32 = 8;
/// Factor on the promise of a course for each step that its violation is away.
const NEARER: f64 = 0.4;
/// Most courses that know the app at a time, as each knows all of it.
const COURSES_MAX: usize = 4;

/// Returns the objective of a course to the violation of `spec`; none if no course leads there.
pub fn aim(spec: &Spec) -> Option<Formula> {
    let is_forbidding = match spec.expectation {
        Expectation::Never | Expectation::Must => true,
        Expectation::Possible => false,
    };
    let formula = Formula::new(spec, Shaping::Atoms).until_faults();
    (is_forbidding && !formula.is_aimless()).then_some(formula)
}

/// Makes an empty catalogue for a course.
pub type Blank<'a> = &'a dyn Fn() -> Catalogue;

/// Course to the violation of a spec.
struct Course<'a> {
    /// Place of the spec among those that are watched.
    spec: usize,
    side: Side<'a>,
    /// Agent that knows the app, if this course was taken lately.
    agent: Option<Box<dyn Agent>>,
    rng: Rng,
    /// Episodes that its agent has not learned.
    unlearned: Experience,
    closest: Option<u32>,
    /// Episodes in all, and those since it came nearer.
    episodes: u32,
    fruitless: u32,
    /// Number of the steered episode that was its last.
    last: u32,
    /// True if every run was tried.
    is_exhausted: bool,
}

/// All courses, and their share in the episodes.
pub struct Steering<'a> {
    courses: Vec<Course<'a>>,
    /// Episodes that have explored since the last that was steered.
    explored: u32,
    /// Steered episodes in all, and those since one had a result.
    episodes: u32,
    fruitless: u32,
}

impl<'a> Steering<'a> {
    /// Returns the courses to these aims, each of the spec at its place.
    pub fn new(
        aims: impl IntoIterator<Item = (usize, &'a mut Formula)>,
        plan: &Plan,
        blank: Blank<'_>,
    ) -> Self {
        let course = |(spec, formula): (usize, &'a mut Formula)| Course {
            spec,
            side: Side::new(formula, blank()),
            agent: None,
            rng: plan.seed.fork(&format!("course {spec}")),
            unlearned: Experience::new(),
            closest: None,
            episodes: 0,
            fruitless: 0,
            last: 0,
            is_exhausted: false,
        };
        Steering { courses: aims.into_iter().map(course).collect(), explored: 0, episodes: 0, fruitless: 0 }
    }

    /// Returns the number of episodes that were steered towards the spec at this place.
    pub fn episodes(&self, spec: usize) -> u32 {
        self.courses.iter().find(|course| course.spec == spec).map_or(0, |course| course.episodes)
    }

    /// Returns the course that the next episode belongs to; none if it explores. `closest` has the fewest steps that each
    /// spec was away from its violation, and nothing for those whose violation was found.
    pub fn next(&mut self, closest: &dyn Fn(usize) -> Option<u32>) -> Option<usize> {
        let between = BETWEEN_MIN + (self.fruitless / PATIENCE).min(BETWEEN_MAX - BETWEEN_MIN);
        let mut best: Option<(usize, f64)> = None;
        for (at, course) in self.courses.iter_mut().enumerate().filter(|(_, course)| !course.is_exhausted) {
            let Some(steps) = closest(course.spec) else { continue };
            if course.closest.is_none_or(|least| steps < least) {
                (course.closest, course.fruitless) = (Some(steps), 0);
            }
            // Powers by multiplication have the same bits on every machine.
            let near = (0..steps.min(60)).fold(1.0, |product, _| product * NEARER);
            let promise = near / f64::from(1 + course.fruitless);
            if best.is_none_or(|(_, most)| promise > most) {
                best = Some((at, promise));
            }
        }
        if self.explored < between || best.is_none() {
            self.explored += 1;
            return None;
        }
        self.explored = 0;
        best.map(|(at, _)| at)
    }

    /// Runs `run` with the stage set for the course at `at`, whose agent has learned `experience`, all of this run so far,
    /// by then. Returns its result.
    pub fn take<T>(
        &mut self,
        at: usize,
        stage: &mut Stage<'a>,
        (plan, experience): (&Plan, &Experience),
        blank: Blank<'_>,
        run: impl FnOnce(&mut Stage<'a>, &mut dyn Agent, &mut Rng) -> T,
    ) -> T {
        self.episodes += 1;
        self.make_room(at, blank);
        let Course { side, agent: kept, rng, unlearned, episodes, fruitless, last, .. } =
            &mut self.courses[at];
        (*episodes, *fruitless, *last) = (*episodes + 1, *fruitless + 1, self.episodes);
        stage.exchange(side);
        let mut guide = match kept.take() {
            Some(mut guide) => {
                stage.recall(&mut *guide, unlearned);
                guide
            }
            None => taught(stage, plan, experience),
        };
        *unlearned = Experience::new();
        if stage.learn_codes() {
            stage.start_over();
            guide = taught(stage, plan, experience);
        }
        let result = run(stage, &mut *guide, rng);
        *kept = Some(guide);
        stage.exchange(side);
        result
    }

    /// Takes in an episode that belonged to the course at `at`, if to any, and its result.
    pub fn learn(&mut self, at: Option<usize>, stage: &Stage<'_>, episode: &Episode, is_result: bool) {
        if let Some(at) = at {
            self.fruitless = if is_result { 0 } else { self.fruitless + 1 };
            // Nothing to do at the start is nothing to do at all.
            self.courses[at].is_exhausted = episode.summary.is_exhausted || episode.steps.is_empty();
        }
        let others = self.courses.iter_mut().enumerate().filter(|(other, _)| Some(*other) != at);
        for (_, course) in others.filter(|(_, course)| course.agent.is_some()) {
            remember(&mut course.unlearned, stage, episode);
        }
    }

    /// Has the course that was not taken for the longest time forget, unless there is room for the one at `at`.
    fn make_room(&mut self, at: usize, blank: Blank<'_>) {
        let is_known = |course: &&mut Course<'_>| course.agent.is_some();
        let knows = self.courses[at].agent.is_some();
        if knows || self.courses.iter_mut().filter(is_known).count() < COURSES_MAX {
            return;
        }
        if let Some(oldest) = self.courses.iter_mut().filter(is_known).min_by_key(|course| course.last) {
            oldest.agent = None;
            oldest.unlearned = Experience::new();
            oldest.side.forget(blank());
        }
    }
}

/// Returns a new agent that has learned the past.
fn taught(stage: &mut Stage<'_>, plan: &Plan, experience: &Experience) -> Box<dyn Agent> {
    let mut guide = agent(plan, 0, stage.catalogue_mut());
    stage.recall(&mut *guide, &plan.experience);
    stage.recall(&mut *guide, experience);
    guide
}

/// Adds an episode to `experience`.
pub fn remember(experience: &mut Experience, stage: &Stage<'_>, episode: &Episode) {
    let mut history = experience.begin();
    for row in stage.rows(episode) {
        for taken in &*row {
            experience.go_on(&mut history, taken.action(), &taken.observation().screen);
        }
    }
    experience.finish(history);
}
