//! A stored test that is walked through: its steps are done one after another, each beside what was expected, and a step
//! that cannot be done any more is mended by hand.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::message::{Reply, SaidTest, SaidTestStep};
use super::run::LedStep;
use super::{Refusal, STEPS_MAX, Studio, said_action, sides};
use crate::device::Device;
use crate::gui::{Action, Gap, Near, Sought, seek};
use crate::rate::Rate;
use crate::replay::{Gone, capture, may_scroll_on, scroll_on, unseen};
use crate::setup::{SetUpTest, kept};
use crate::spec::printable;
use crate::test_case::{Provenance, TestCase, TestSetUp, TestStep};
use crate::trace::Trace;

/// Test, and what the person has changed of it.
pub(super) struct Walkthrough {
    file: String,
    test: TestCase,
    /// Steps that are not to be done.
    left_out: BTreeSet<usize>,
    /// Steps that are done otherwise than the test says.
    otherwise: BTreeSet<usize>,
}

impl Walkthrough {
    /// Returns the number of the first step that is neither done by `steps` nor left out; behind the last one if there is none.
    fn next(&self, steps: &[Arc<LedStep>]) -> usize {
        let after = steps.iter().filter_map(|step| step.of).max().map_or(0, |last| last + 1);
        (after..).find(|number| !self.left_out.contains(number)).unwrap_or(after)
    }

    /// Forgets what was changed behind the last step that `steps` do.
    pub(super) fn forget_behind(&mut self, steps: &[Arc<LedStep>]) {
        let last = steps.iter().filter_map(|step| step.of).max();
        let is_before = |number: &usize| last.is_some_and(|last| *number <= last);
        self.left_out.retain(is_before);
        self.otherwise.retain(is_before);
    }
}

/// Next step of a test on the screen that is shown.
enum Next {
    /// All steps are done.
    Nothing,
    /// It can be done.
    Ready(Action),
    /// Its widget may come into view if the scroll before goes on.
    OutOfView(Option<Near>),
    /// It cannot be done; the nearest widget, if there is one.
    Missing(Option<Near>),
}

impl Studio {
    /// Walks through the `test` in a file on `device`, which sets the app up as the test wants it; its first step starts the app.
    pub fn walk_through(
        &mut self,
        device: Box<dyn Device>,
        file: &str,
        test: TestCase,
    ) -> Result<(), Refusal> {
        self.leave();
        self.give(device);
        self.forget_numbers();
        let (file, left_out, otherwise) = (file.to_string(), BTreeSet::new(), BTreeSet::new());
        self.test = Some(Walkthrough { file, test, left_out, otherwise });
        self.next_of_test()
    }

    /// Leaves the test, and starts the app afresh on `device`.
    pub fn leave_test(&mut self, device: Box<dyn Device>) -> Result<(), Refusal> {
        self.test = None;
        self.leave();
        self.forget_numbers();
        self.give(device);
        self.start(None)
    }

    /// Forgets which steps of a test the runs that were left do: they are no steps of another test.
    fn forget_numbers(&mut self) {
        let steps = self.branches.iter_mut().flat_map(|branch| &mut branch.steps);
        steps.for_each(|step| Arc::make_mut(step).of = None);
    }

    /// Begins the test again from its start.
    pub(super) fn restart_test(&mut self) -> Result<(), Refusal> {
        self.leave();
        if let Some(walk) = &mut self.test {
            walk.forget_behind(&self.run.steps);
        }
        self.next_of_test()
    }

    fn test(&self) -> Result<&Walkthrough, Refusal> {
        self.test.as_ref().ok_or(Refusal::NoTest)
    }

    /// Does the next step of the test.
    pub(super) fn next_of_test(&mut self) -> Result<(), Refusal> {
        let walk = self.test()?;
        let (number, next) = (walk.next(&self.run.steps), self.next_step(walk));
        self.check_room()?;
        let action = match next {
            Next::Nothing => return Err(Refusal::AllDone),
            Next::Ready(action) => action,
            Next::OutOfView(near) => match self.scrolled(number, near)? {
                Sought::Found(action) => action,
                Sought::Missing(_) => return Err(Refusal::Gone { step: number }),
            },
            Next::Missing(_) => return Err(Refusal::Gone { step: number }),
        };
        self.perform(action)?;
        self.is_of(number);
        Ok(())
    }

    /// Scrolls on as a replay does until the widget of the step `number` is in view.
    fn scrolled(&mut self, number: usize, near: Option<Near>) -> Result<Sought, Refusal> {
        let (missing, begun) = (Sought::Missing(near), self.run.steps.len());
        let Some(last) = self.run.steps.last() else { return Ok(missing) };
        let (screen, before) = (last.observation.screen.clone(), last.action.clone());
        let wanted = self.test()?.test.steps[number].clone();
        let rules = self.repertoire.rules.clone();
        let sought = self.on_device(|studio, device| {
            let seek = |screen: &_| seek(screen, &wanted.action, wanted.around.as_ref());
            scroll_on(screen, &before, missing, seek, |action| {
                if rules.forbid(&action) || studio.run.steps.len() >= STEPS_MAX {
                    return Ok(None);
                }
                studio.done(device, action)?;
                Ok(studio.run.steps.last().map(|last| last.observation.screen.clone()))
            })
        });
        self.run.steps[begun..].iter_mut().for_each(|step| Arc::make_mut(step).is_scrolled_on = true);
        sought
    }

    /// Takes the start of a run that was not led through the test as that of the test, if one is walked through.
    pub(super) fn begins_test(&mut self) {
        if let (Some(_), Some(first)) = (&self.test, self.run.steps.first_mut().map(Arc::make_mut)) {
            first.of = Some(0);
        }
    }

    /// Marks the last step of the run as the step `number` of the test.
    fn is_of(&mut self, number: usize) {
        if let Some(last) = self.run.last_mut() {
            last.of = Some(number);
        }
    }

    fn next_step(&self, walk: &Walkthrough) -> Next {
        let number = walk.next(&self.run.steps);
        let Some(step) = walk.test.steps.get(number) else { return Next::Nothing };
        let Some(last) = self.run.steps.last() else { return Next::Ready(step.action.clone()) };
        let sought = seek(&last.observation.screen, &step.action, step.around.as_ref());
        // Where a scroll has gone on already, it has been to both ends.
        let may_scroll = !last.is_scrolled_on && may_scroll_on(&last.action, &sought);
        match sought {
            // A rule forbids the action. Its widget is there, so it is the nearest one itself.
            Sought::Found(action) if self.repertoire.rules.forbid(&action) => {
                Next::Missing(action.target().map(|on| Near { on: on.clone(), gap: Gap::TakesNone }))
            }
            Sought::Found(action) => Next::Ready(action),
            Sought::Missing(near) if may_scroll => Next::OutOfView(near),
            Sought::Missing(near) => Next::Missing(near),
        }
    }

    /// Does not do the next step of the test.
    pub(super) fn leave_out(&mut self) -> Result<(), Refusal> {
        let (steps, walk) = (&self.run.steps, self.test.as_mut().ok_or(Refusal::NoTest)?);
        let number = walk.next(steps);
        // Without its start a run has no screen.
        if number == 0 || number >= walk.test.steps.len() {
            return Err(Refusal::AllDone);
        }
        walk.left_out.insert(number);
        self.number += 1;
        Ok(())
    }

    /// Does `offer` in place of the next step of the test, with the text that the step types.
    pub(super) fn act_instead(&mut self, offer: Action, text: Option<String>) -> Result<(), Refusal> {
        let walk = self.test()?;
        let number = walk.next(&self.run.steps);
        let recorded = walk.test.steps.get(number).ok_or(Refusal::AllDone)?.action.clone();
        let action = match (offer, text) {
            (Action::Text { on, .. }, Some(text)) => Action::Text { on, text: text.into() },
            (Action::Text { on, text }, None) => {
                let text = recorded.typed().map_or(text, Into::into);
                Action::Text { on, text }
            }
            (other, _) => other,
        };
        self.perform(action)?;
        self.is_of(number);
        if let Some(walk) = &mut self.test {
            walk.otherwise.insert(number);
        }
        Ok(())
    }

    /// Returns the test with the steps of the run in place of its own, if the run does what the spec of the test asks for.
    pub(super) fn mended(&self) -> Result<Reply, Refusal> {
        let TestCase { provenance, set_up, oracle, .. } = &self.test()?.test;
        let judged = self.run.judged(oracle);
        if !judged.last().is_some_and(|last| last.is_won) {
            return Err(Refusal::NotReached);
        }
        let trace = Trace { steps: judged.into_iter().map(|one| one.step).collect() };
        if let Some(most) = oracle.budget.steps_max.filter(|&most| trace.steps.len() > most as usize) {
            return Err(Refusal::TooLong { steps: trace.steps.len(), most });
        }
        let captured = capture(oracle, &trace, self.run.slack);
        let mut actions = captured.actions;
        let set_up = match set_up {
            TestSetUp::OfProject => TestSetUp::OfProject,
            TestSetUp::Own(runs) => {
                let runs: Vec<SetUpTest> = runs.iter().cloned().map(SetUpTest::Kept).collect();
                TestSetUp::Own(kept(&runs, &mut actions))
            }
        };
        let provenance = Provenance {
            farlead: env!("CARGO_PKG_VERSION").to_string(),
            version: self.app.version.to_string(),
            device: self.described.clone(),
            // Nobody has done these steps again yet.
            confirmed: Rate::default(),
            ..provenance.clone()
        };
        let test = TestCase {
            provenance,
            set_up,
            steps: captured.steps,
            captured: captured.formula,
            oracle: oracle.clone(),
            actions,
        };
        Ok(Reply::Test { text: test.to_string() })
    }

    pub(super) fn said_test(&self) -> Option<SaidTest> {
        let walk = self.test.as_ref()?;
        let TestCase { steps, oracle, .. } = &walk.test;
        let next = walk.next(&self.run.steps);
        let (why, nearest_at) = match self.next_step(walk) {
            Next::Nothing | Next::Ready(_) | Next::OutOfView(_) => (String::new(), None),
            Next::Missing(near) => {
                let gone = Gone::of(&steps[next], near.as_ref());
                (said_gone(&gone), gone.nearest_at.map(sides))
            }
        };
        let judged = self.run.judged(oracle);
        let is_own = |step: &Arc<LedStep>| step.of.is_none() && !step.is_scrolled_on;
        let last = judged.last();
        let said_step = |(number, step): (usize, &_)| self.said_test_step(walk, number, step);
        Some(SaidTest {
            file: walk.file.clone(),
            name: oracle.name.clone(),
            expectation: oracle.expectation.word(),
            steps: steps.iter().enumerate().map(said_step).collect(),
            next: Some(next).filter(|&next| next < steps.len()),
            why,
            nearest_at,
            is_changed: !walk.left_out.is_empty()
                || !walk.otherwise.is_empty()
                || self.run.steps.iter().any(is_own),
            is_reached: last.is_some_and(|last| last.is_won),
            left: last.map(|last| last.step.remaining.to_string()).unwrap_or_default(),
        })
    }

    fn said_test_step(&self, walk: &Walkthrough, number: usize, step: &TestStep) -> SaidTestStep {
        let done = self.run.steps.iter().position(|led| led.of == Some(number));
        let differs = done.and_then(|at| {
            let before = at.checked_sub(1).map(|before| &*self.run.steps[before].observation.screen);
            let LedStep { action, observation, .. } = &*self.run.steps[at];
            unseen(step, (before, action, observation), walk.test.oracle.typed)
        });
        let sees = step.sees.iter().map(|(atom, holds)| format!("{}{atom}", if *holds { "" } else { "!" }));
        SaidTestStep {
            action: said_action(&step.action),
            action_type: step.action.type_name().to_string(),
            sees: sees.collect(),
            on: step.action.target().map(|on| sides(on.bounds)),
            step: done,
            differs: differs.unwrap_or_default(),
            is_left_out: walk.left_out.contains(&number),
        }
    }
}

fn said_gone(gone: &Gone) -> String {
    let Gone { expected, nearest, .. } = gone;
    let near = nearest.as_ref().map_or(String::new(), |nearest| format!("; the nearest widget is {nearest}"));
    printable(&format!("{expected} cannot be done: its widget is not there{near}")).to_string()
}
