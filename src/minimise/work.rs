//! The delta debugging algorithm: tries, takes and takes back candidates.

use std::ops::Range;

use super::candidate::{Candidate, Needs, parts};
use super::mdp::{self, Policy};
use super::prior::{Prior, Seen};
use super::records::{Key, Records};
use super::schedule::{self, Rule, Schedule, Tally};
use super::{BeyondMdp, Check, Element, Minimised, Rate, Settings, Trial};

/// Runs of the original on an app that does not seem to vary: two that differ show that it varies, and a third
/// finds most variations that occur one time in three.
const FIRST_RUNS: u32 = 3;

/// Open candidates per run of a round; the others wait.
const WINDOW: usize = 4;
/// Fewest open candidates.
const WINDOW_MIN: usize = 16;

/// Most times that the final runs may take back a result that passed by luck; then the result stands as it is.
const STEPS_BACK_MAX: u32 = 5;

/// Most forms tried of an element, the simplest first.
const FORMS_MAX: u16 = 16;

/// Most elements of a run for trying it without every stretch of it.
const STRETCHED_MAX: usize = 32;

/// Most passing runs kept to go back to; beyond that, every other one is dropped.
const HISTORY_MAX: usize = 64;

const ORIGINAL_STAYS: &str = "the original is never dropped";

/// The reason to stop.
enum Halt<E> {
    /// The check asked to stop.
    Interrupted,
    /// One run decided so far, but the app turned out to vary.
    Varied,
    /// A run could not be tried.
    Failed(E),
}

pub(super) struct Work<'a, C: Check> {
    check: &'a mut C,
    settings: &'a Settings,
    /// The rule for shortened runs on an app that varies.
    strict: Rule,
    width: u32,
    records: Records,
    /// The runs that passed: the original first, the current one last.
    history: Vec<Vec<Element>>,
    needs: Needs,
    /// Number of times the rule must be met again by fresh runs before a candidate is taken.
    doubt: u32,
    prior: Prior,
    seen: Seen,
    /// Number of candidates seen at which the prior next changes.
    learns_at: u64,
    /// By the number of candidates less one.
    policies: [Option<Policy>; mdp::CANDIDATES_MAX],
    result: Minimised,
}

impl<'a, C: Check> Work<'a, C> {
    pub fn new(check: &'a mut C, length: usize, settings: &'a Settings) -> Work<'a, C> {
        let runs = settings.runs.clamp(1, 1_000);
        Work {
            check,
            settings,
            strict: Rule { passes: settings.passes.clamp(1, runs), runs },
            width: settings.width.clamp(1, 10_000) as u32,
            records: Records::default(),
            history: vec![(0..length).map(|at| Element { at, form: 0 }).collect()],
            needs: Needs::new(length),
            doubt: u32::from(settings.additions.steps_back),
            prior: settings.prior.clone(),
            seen: Seen::default(),
            learns_at: 16,
            policies: Default::default(),
            result: Minimised {
                kept: Vec::new(),
                original: Rate::default(),
                has_original_passed: false,
                rate: Rate::default(),
                rounds: 0,
                runs: 0,
                is_one_minimal: false,
                has_varied: false,
                is_interrupted: false,
                steps_back: 0,
                beyond_mdp: None,
                prior: settings.prior.clone(),
            },
        }
    }

    pub fn run(mut self) -> Result<Minimised, C::Error> {
        match self.minimise() {
            Ok(()) | Err(Halt::Varied) => {}
            Err(Halt::Interrupted) => self.result.is_interrupted = true,
            Err(Halt::Failed(error)) => return Err(error),
        }
        self.result.kept = self.current().to_vec();
        self.result.prior = self.prior;
        Ok(self.result)
    }

    fn minimise(&mut self) -> Result<(), Halt<C::Error>> {
        self.try_original()?;
        while self.result.has_original_passed {
            match self.shorten() {
                Ok(true) => return Ok(()),
                Ok(false) => {
                    self.drop_current();
                    self.step_back()?;
                }
                Err(Halt::Varied) => self.step_back()?,
                Err(halt) => return Err(halt),
            }
        }
        Ok(())
    }

    /// Decides whether the original passes, and continues with what was really done if that was the same in all
    /// its runs.
    fn try_original(&mut self) -> Result<(), Halt<C::Error>> {
        let key = Key::of(self.current());
        loop {
            let tally = self.records.tally(key);
            self.result.original = Rate { passes: tally.passes, runs: tally.runs() };
            let first = if self.is_sure() { FIRST_RUNS.min(self.strict.passes) } else { self.strict.runs };
            let is_first_done = self.is_sure() && tally.fails == 0 && tally.passes >= first;
            let verdict = tally.verdict(self.strict);
            if is_first_done || verdict.is_some() {
                self.result.has_original_passed = is_first_done || verdict == Some(true);
                break;
            }
            let left = if tally.fails == 0 { first - tally.passes } else { tally.left(self.strict) };
            let all = self.current().to_vec();
            match self.round(&[(all, key, left.min(self.width))]) {
                // If it varied, the loop goes on under the strict rule.
                Ok(()) | Err(Halt::Varied) => {}
                Err(halt) => return Err(halt),
            }
        }
        if self.result.has_original_passed && self.history.len() == 1 {
            let all = self.current().to_vec();
            self.accept(all)?;
        }
        Ok(())
    }

    /// Makes the current run as short and simple as possible and measures the result. Returns true if fresh
    /// runs confirm it.
    fn shorten(&mut self) -> Result<bool, Halt<C::Error>> {
        self.result.is_one_minimal = false;
        self.result.rate = Rate::default();
        self.reduce()?;
        loop {
            self.simplify()?;
            // Single elements come last: nothing may change after they have decided 1-minimality.
            if self.leave_out_stretch()? {
                continue;
            }
            if !self.leave_out_single()? {
                break;
            }
        }
        let kept = self.current().to_vec();
        let rate = self.fresh(&kept, self.settings.final_runs, None)?;
        self.result.rate = rate;
        self.result.is_one_minimal = true;
        let share = u64::from(rate.passes) * u64::from(self.strict.runs);
        let is_enough = share >= u64::from(self.strict.passes) * u64::from(rate.runs);
        let may_step = self.settings.additions.steps_back && self.result.steps_back < STEPS_BACK_MAX;
        // Before the original there is no run to go back to.
        if is_enough || !may_step || self.history.len() == 1 {
            return Ok(true);
        }
        self.doubt += 1;
        Ok(false)
    }

    /// Runs delta debugging proper: parts alone, complements, smaller parts.
    fn reduce(&mut self) -> Result<(), Halt<C::Error>> {
        let mut count = 2;
        loop {
            let length = self.current().len();
            if length < 2 {
                return Ok(());
            }
            count = count.clamp(2, length);
            let parts: Vec<Range<usize>> = parts(length, count).collect();
            let alone = parts.iter().cloned().map(Candidate::Part).collect();
            if self.take_one(alone)? {
                count = 2;
            // Of two parts, leaving out one is keeping the other alone, which was tried just now.
            } else if count > 2 && self.leave_out(parts, self.rule())? {
                // So that the parts keep about the same size.
                count = (self.current().len() * count).div_ceil(length);
            } else if count < length {
                count *= 2;
            } else {
                return Ok(());
            }
        }
    }

    /// Takes the first candidate that passes, if there is one.
    fn take_one(&mut self, candidates: Vec<Candidate>) -> Result<bool, Halt<C::Error>> {
        loop {
            let passing = self.passing(&candidates, self.rule())?;
            let Some(&first) = passing.first() else { return Ok(false) };
            let kept = candidates[first].of(self.current()).into_owned();
            // A candidate that fresh runs did not confirm is banned from here on, so the next turn tries
            // another.
            if self.accept(kept)? {
                return Ok(true);
            }
        }
    }

    /// Leaves out one of these parts if the rest passes, or several at once.
    fn leave_out(&mut self, mut parts: Vec<Range<usize>>, rule: Rule) -> Result<bool, Halt<C::Error>> {
        if self.settings.additions.likelier {
            self.needs.sort(self.current(), &mut parts);
        }
        let candidates: Vec<Candidate> = parts.iter().cloned().map(Candidate::Rest).collect();
        loop {
            let passing = self.passing(&candidates, rule)?;
            let Some(&first) = passing.first() else { return Ok(false) };
            if self.settings.additions.merged && passing.len() > 1 {
                // Parts that can go one by one can often go together, which saves a round for each.
                let is_left = |at: &usize| !passing.iter().any(|&part| parts[part].contains(at));
                let merged = (0..self.current().len()).filter(is_left).map(|at| self.current()[at]).collect();
                let merged = Candidate::Other(merged);
                if !self.passing(std::slice::from_ref(&merged), rule)?.is_empty()
                    && self.accept(merged.of(self.current()).into_owned())?
                {
                    return Ok(true);
                }
            }
            let kept = candidates[first].of(self.current()).into_owned();
            if self.accept(kept)? {
                return Ok(true);
            }
        }
    }

    /// Leaves out single elements until none can be left out, always decided under the strict rule. Returns
    /// true if it left out any.
    fn leave_out_single(&mut self) -> Result<bool, Halt<C::Error>> {
        let mut has_left_out = false;
        loop {
            let length = self.current().len();
            // Only the full number of runs may claim 1-minimality.
            if !self.leave_out(parts(length, length).collect(), self.strict)? {
                return Ok(has_left_out);
            }
            has_left_out = true;
        }
    }

    /// Leaves out a few elements in a row that cannot go one by one, like a way there and back. Returns true if
    /// it left out any.
    fn leave_out_stretch(&mut self) -> Result<bool, Halt<C::Error>> {
        let length = self.current().len();
        if !self.settings.additions.stretches || length > STRETCHED_MAX {
            return Ok(false);
        }
        let from = |start: usize| (start + 2..=length).map(move |end| start..end);
        self.leave_out((0..length).flat_map(from).collect(), self.rule())
    }

    /// Puts each element into its simplest form that passes.
    fn simplify(&mut self) -> Result<(), Halt<C::Error>> {
        let mut place = 0;
        while let Some(&Element { at, form }) = self.current().get(place) {
            let forms = self.check.forms(at);
            let simpler = (form.max(forms.saturating_sub(FORMS_MAX)) + 1..=forms).rev();
            let candidates: Vec<Candidate> = simpler
                .map(|form| {
                    let mut kept = self.current().to_vec();
                    kept[place].form = form;
                    Candidate::Other(kept)
                })
                .collect();
            // A simpler form may skip elements, which moves later ones to this place.
            let is_taken = !candidates.is_empty() && self.take_one(candidates)?;
            if !is_taken {
                place += 1;
            }
        }
        Ok(())
    }

    /// Tries candidates until one passes or none can, and returns those that pass.
    fn passing(&mut self, candidates: &[Candidate], rule: Rule) -> Result<Vec<usize>, Halt<C::Error>> {
        let mut waiting = candidates.iter().enumerate();
        let mut open: Vec<(usize, Key)> = Vec::new();
        let window = (WINDOW * self.width as usize).max(WINDOW_MIN);
        loop {
            let mut passing = Vec::new();
            while open.len() < window && passing.is_empty() {
                let Some((at, candidate)) = waiting.next() else { break };
                let key = Key::of(&candidate.of(self.current()));
                // A verdict that is known already costs no run.
                match self.records.verdict(key, rule) {
                    Some(true) => passing.push(at),
                    Some(false) => {}
                    None => open.push((at, key)),
                }
            }
            if !passing.is_empty() || open.is_empty() {
                return Ok(passing);
            }
            self.try_some(candidates, &open, rule)?;
            let mut undecided = Vec::new();
            for (at, key) in open {
                match self.records.verdict(key, rule) {
                    Some(true) => passing.push(at),
                    Some(false) => {
                        let current = self.history.last().expect(ORIGINAL_STAYS);
                        self.needs.failed(current, &candidates[at].of(current));
                    }
                    None => undecided.push((at, key)),
                }
            }
            open = undecided;
            if !passing.is_empty() {
                return Ok(passing);
            }
        }
    }

    /// Runs one round of undecided candidates.
    fn try_some(
        &mut self,
        candidates: &[Candidate],
        open: &[(usize, Key)],
        rule: Rule,
    ) -> Result<(), Halt<C::Error>> {
        let tallies: Vec<Tally> = open.iter().map(|&(_, key)| self.records.tally(key)).collect();
        let shares = self.share_out(&tallies, rule);
        let tried: Vec<(Vec<Element>, Key, u32)> = open
            .iter()
            .zip(shares)
            .filter(|&(_, runs)| runs > 0)
            .map(|(&(at, key), runs)| (candidates[at].of(self.current()).into_owned(), key, runs))
            .collect();
        self.round(&tried)?;
        if rule.runs > 1 {
            for (_, key, _) in tried {
                self.learn_prior(self.records.tally(key), rule);
            }
        }
        Ok(())
    }

    fn share_out(&mut self, tallies: &[Tally], rule: Rule) -> Vec<u32> {
        // With one run each there is nothing to choose.
        if self.settings.schedule == Schedule::Mdp && rule.runs > 1 {
            let width = self.width as usize;
            let slot = self.policies.get_mut(tallies.len() - 1);
            let policy = slot.and_then(|slot| {
                if slot.is_none() {
                    *slot = Policy::new(tallies.len(), width, rule, &self.prior);
                }
                slot.as_ref()
            });
            if let Some(policy) = policy {
                return policy.choose(tallies);
            }
            let beyond = self.result.beyond_mdp.get_or_insert(BeyondMdp {
                candidates: 0,
                width,
                runs: rule.runs,
                rounds: 0,
            });
            beyond.candidates = beyond.candidates.max(tallies.len());
            beyond.rounds += 1;
        }
        schedule::share_out(self.settings.schedule, tallies, rule, self.width)
    }

    fn learn_prior(&mut self, tally: Tally, rule: Rule) {
        if !self.settings.learns_prior || tally.verdict(rule).is_none() {
            return;
        }
        self.seen.add(&self.settings.prior, tally);
        if self.seen.count >= self.learns_at {
            // Each change makes all policies be computed again. Doubling keeps that rare.
            self.learns_at *= 2;
            self.prior = self.settings.prior.learned(&self.seen);
            self.policies = Default::default();
        }
    }

    /// Tries each of these the given number of times, and records the results.
    fn round(&mut self, tried: &[(Vec<Element>, Key, u32)]) -> Result<(), Halt<C::Error>> {
        if !self.check.goes_on() {
            return Err(Halt::Interrupted);
        }
        let mut trials = Vec::new();
        let mut keys = Vec::new();
        for (kept, key, runs) in tried {
            // Each run gets a number of its own; with the same number it would repeat the same chance.
            let number = self.records.number(*key);
            for run in 0..*runs {
                trials.push(Trial { kept, number: number + run });
                keys.push(*key);
            }
        }
        let answers = self.check.round(&trials).map_err(Halt::Failed)?;
        assert_eq!(answers.len(), trials.len(), "a check answers each trial once");
        self.result.rounds += 1;
        self.result.runs += trials.len() as u64;
        let was_sure = self.is_sure();
        for ((trial, key), mut answer) in trials.iter().zip(keys).zip(answers) {
            if !self.settings.additions.done || !is_subsequence(&answer.done, trial.kept) {
                answer.done = trial.kept.to_vec();
            }
            if self.records.add(key, &answer) {
                self.vary();
            } else if self.is_sure() && answer.done.len() < trial.kept.len() {
                // On an app that does not vary, the elements really done would have given the same result
                // alone.
                self.records.imply(Key::of(&answer.done), answer.passed);
            }
        }
        if was_sure && !self.is_sure() { Err(Halt::Varied) } else { Ok(()) }
    }

    /// Runs `kept` again `runs` times, whatever its earlier results, or until `rule` decides.
    fn fresh(&mut self, kept: &[Element], runs: u32, rule: Option<Rule>) -> Result<Rate, Halt<C::Error>> {
        let key = Key::of(kept);
        let before = self.records.tally(key);
        let mut tally = Tally::default();
        while tally.runs() < runs && rule.is_none_or(|rule| tally.verdict(rule).is_none()) {
            let now = (runs - tally.runs()).min(self.width);
            self.round(&[(kept.to_vec(), key, now)])?;
            let after = self.records.tally(key);
            tally = Tally { passes: after.passes - before.passes, fails: after.fails - before.fails };
            // It passed before and fails now, so the app varies.
            if self.is_sure() && tally.fails > 0 {
                self.vary();
                return Err(Halt::Varied);
            }
        }
        Ok(Rate { passes: tally.passes, runs: tally.runs() })
    }

    /// Goes back to the last run that passes in fresh runs, in the end to the original.
    fn step_back(&mut self) -> Result<(), Halt<C::Error>> {
        while self.history.len() > 1 {
            let kept = self.current().to_vec();
            if self.is_confirmed(&kept)? {
                return Ok(());
            }
            self.drop_current();
        }
        self.try_original()
    }

    fn drop_current(&mut self) {
        let key = Key::of(self.current());
        self.records.ban(key);
        self.history.pop();
        self.result.steps_back += 1;
    }

    /// Takes `kept` as the current run if fresh runs confirm it as far as there is doubt. If all its passing
    /// runs did the same, takes what they did: elements they skipped would be skipped again. Returns true if
    /// the current run changed.
    fn accept(&mut self, kept: Vec<Element>) -> Result<bool, Halt<C::Error>> {
        if kept != self.current() && !self.is_confirmed(&kept)? {
            return Ok(false);
        }
        let done = self.records.done(Key::of(&kept)).map(<[Element]>::to_vec);
        // A run that was taken back must not return this way.
        let done = done.filter(|done| !self.records.is_banned(Key::of(done))).unwrap_or(kept);
        let is_taken = done != self.current();
        if is_taken {
            self.push(done);
        }
        Ok(is_taken)
    }

    /// Returns true unless fresh runs refute that `kept` passes.
    fn is_confirmed(&mut self, kept: &[Element]) -> Result<bool, Halt<C::Error>> {
        let key = Key::of(kept);
        if self.records.is_banned(key) {
            return Ok(false);
        }
        // Without doubt this is zero, and zero runs confirm.
        let times = if self.is_sure() { 0 } else { self.doubt };
        let rule = Rule { passes: self.strict.passes * times, runs: self.strict.runs * times };
        let rate = self.fresh(kept, rule.runs, Some(rule))?;
        let is_confirmed = rate.passes >= rule.passes;
        if !is_confirmed {
            self.records.ban(key);
        }
        Ok(is_confirmed)
    }

    fn push(&mut self, kept: Vec<Element>) {
        if self.history.len() == HISTORY_MAX {
            let mut at = 0;
            self.history.retain(|_| {
                at += 1;
                // Keeps the first, the original.
                at % 2 == 1
            });
        }
        self.history.push(kept);
    }

    fn vary(&mut self) {
        self.result.has_varied = true;
        self.records.drop_implied();
    }

    /// Returns true if one run decides.
    fn is_sure(&self) -> bool {
        self.settings.additions.one_run && !self.result.has_varied
    }

    fn rule(&self) -> Rule {
        if self.is_sure() { Rule { passes: 1, runs: 1 } } else { self.strict }
    }

    fn current(&self) -> &[Element] {
        self.history.last().expect(ORIGINAL_STAYS)
    }
}

fn is_subsequence(part: &[Element], all: &[Element]) -> bool {
    let mut all = all.iter();
    part.iter().all(|element| all.any(|other| other == element))
}
