//! Ways: the likeliest run through known effects to the objective, or to a place nearer to it, however deep.
//!
//! [Values](super::value) look at all that could happen, so they do not look far where much is known. A way takes one known
//! effect of each action and nothing else, and so it leads to what is many steps off. A history that was tried has its exact
//! effects here too: a way that has failed is no way any more.

use rustc_hash::FxHashMap;

use super::PlannerSettings;
use super::knowledge::{Effect, Knowledge, NodeId};
use super::value::{Memory, PATIENCE, unseen};
use crate::situation::{Offer, Outlook, PhaseId, Standing, StateId};

/// Most effects that are looked at for a way.
const EFFECTS_MAX: u32 = 20_000;
/// Doubt in a known effect, as a number of observations.
const DOUBT: f64 = 0.1;
/// Least chance of a way.
const CHANCE_MIN: f64 = 0.02;
/// Ways followed in vain after which the chance of the next is halved.
const PERSISTENCE: f64 = 8.0;

/// Place on a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Spot {
    /// History that occurred.
    Known(NodeId),
    /// State, reached in a way that was never tried.
    Guessed(StateId),
}

/// Place on a way, and how it was reached.
#[derive(Clone, Copy, Debug)]
struct Stop {
    spot: Spot,
    phase: PhaseId,
    chance: f64,
    /// Candidate that the way begins with.
    first: u16,
}

/// Search for the likeliest way, in one decision.
pub struct Ways<'a> {
    settings: PlannerSettings,
    knowledge: &'a Knowledge,
    outlook: &'a mut dyn Outlook,
    memory: &'a Memory,
    /// Steps that the objective is away from here at least.
    least: u32,
    /// First candidate and chance of the likeliest way so far.
    best: Option<(u16, f64)>,
    /// Most chance with which a place was reached so far.
    reached: FxHashMap<(Spot, PhaseId), f64>,
    /// Places to go on from.
    stops: Vec<Stop>,
    looked_at: u32,
}

impl<'a> Ways<'a> {
    pub fn new(
        settings: PlannerSettings,
        knowledge: &'a Knowledge,
        outlook: &'a mut dyn Outlook,
        memory: &'a Memory,
    ) -> Ways<'a> {
        let (best, reached, stops) = (None, FxHashMap::default(), Vec::new());
        Ways { settings, knowledge, outlook, memory, least: 0, best, reached, stops, looked_at: 0 }
    }

    /// Returns the candidate that the likeliest way of at most `steps` steps begins with, and the chance of the way, once
    /// `failed` ways were followed in vain.
    pub fn best(
        mut self,
        offers: &[Offer],
        candidates: &[u16],
        phase: PhaseId,
        steps: u32,
        failed: u32,
    ) -> Option<(u16, f64)> {
        if let Standing::Open(least) = self.outlook.standing(phase) {
            self.least = least;
        }
        let spot = Spot::Known(self.knowledge.at());
        for &first in candidates {
            let here = Stop { spot, phase, chance: 1.0, first };
            self.go_on(here, &offers[usize::from(first)], steps.saturating_sub(1));
        }
        for left in (0..steps.saturating_sub(1)).rev() {
            for stop in std::mem::take(&mut self.stops) {
                let is_beaten =
                    self.reached.get(&(stop.spot, stop.phase)).is_some_and(|&most| most > stop.chance);
                if is_beaten || !self.may_be_best(stop.chance) || self.looked_at > EFFECTS_MAX {
                    continue;
                }
                let offers = self.knowledge.state(self.place(stop.spot)).offers.clone();
                offers.iter().for_each(|offer| self.go_on(stop, offer, left));
            }
        }
        let trust = PERSISTENCE / (PERSISTENCE + f64::from(failed));
        self.best.map(|(first, chance)| (first, chance * trust))
    }

    fn place(&self, spot: Spot) -> StateId {
        match spot {
            Spot::Known(node) => self.knowledge.node(node).place,
            Spot::Guessed(place) => place,
        }
    }

    fn may_be_best(&self, chance: f64) -> bool {
        chance > self.best.map_or(CHANCE_MIN, |(_, most)| most)
    }

    /// Goes on from `stop` by the known effects of an action, with `left` steps after it.
    fn go_on(&mut self, stop: Stop, offer: &Offer, left: u32) {
        let knowledge = self.knowledge;
        if let Spot::Known(node) = stop.spot
            && let Some(edge) = knowledge.edge(node, offer.action)
        {
            if edge.is_used_up && knowledge.conflicts == 0 {
                return;
            }
            let times: u32 = edge.outcomes.iter().map(|(_, times)| times).sum();
            for &(next, count) in &edge.outcomes {
                self.reach(stop, offer, Spot::Known(next), f64::from(count) / f64::from(times), left);
            }
            return;
        }
        let place = self.place(stop.spot);
        let Some(tried) = knowledge.here_or_by_name(place, offer, self.settings.sharing) else { return };
        let sure = tried.sure(DOUBT + knowledge.unsteadiness()) / f64::from(tried.times());
        for &(effect, count) in &tried.results {
            let next = match effect {
                Effect::Same => place,
                Effect::To(next) => next,
                // No state is known that has this look, or lies behind here.
                Effect::Look(_) | Effect::Behind => continue,
            };
            self.reach(stop, offer, Spot::Guessed(next), sure * f64::from(count), left);
        }
    }

    /// Takes in that the action at `stop` leads to `spot` with this chance.
    fn reach(&mut self, stop: Stop, offer: &Offer, spot: Spot, chance: f64, left: u32) {
        self.looked_at += 1;
        let chance = stop.chance * chance * PATIENCE;
        if !self.may_be_best(chance) {
            return;
        }
        let facts = self.knowledge.state(self.place(spot));
        let phase = self.outlook.after(stop.phase, offer.class, facts.look);
        let worth = match self.outlook.standing(phase) {
            Standing::Won => chance,
            Standing::Open(least) if least <= left => {
                let known = self.reached.entry((spot, phase)).or_insert(0.0);
                if *known >= chance {
                    return;
                }
                *known = chance;
                self.stops.push(Stop { spot, phase, chance, first: stop.first });
                if least >= self.least {
                    return;
                }
                chance * unseen(least) * self.memory.freshness(facts.activity, phase)
            }
            Standing::Open(_) | Standing::Lost => return,
        };
        if self.may_be_best(worth) {
            self.best = Some((stop.first, worth));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::situation::{
        ActivityId, ClassId, LookId, Next, Scene, ScreenId, Situation, Subgoal, Transition,
    };

    /// Look that wins.
    const GOAL: LookId = LookId(9);

    /// Wins on the look [`GOAL`].
    struct Goal;

    impl Outlook for Goal {
        fn after(&mut self, _: PhaseId, _: ClassId, look: LookId) -> PhaseId {
            PhaseId(u32::from(look == GOAL))
        }

        fn standing(&mut self, phase: PhaseId) -> Standing {
            if phase == PhaseId(1) { Standing::Won } else { Standing::Open(1) }
        }

        fn classes(&self) -> u32 {
            0
        }

        fn subgoals(&mut self, _: PhaseId, _: ClassId, _: LookId, _: &mut Vec<Subgoal>) {}
    }

    /// Screen with this number and two offers.
    fn scene(number: u32, look: LookId) -> Scene {
        Scene {
            state: StateId(number),
            screen_id: ScreenId(number),
            activity: ActivityId(number),
            look,
            frame: u64::from(number),
            slots: 2,
            offers: Arc::new([0, 1].map(Offer::numbered)),
            actions: Arc::default(),
            screen: None,
        }
    }

    /// Learns a run from the start: of each step the offer, the number of the screen after it, and its look.
    fn learn(knowledge: &mut Knowledge, steps: &[(u16, u32, LookId)]) {
        knowledge.begin();
        let mut from = scene(0, LookId(0));
        for &(at, number, look) in steps {
            let to = scene(number, look);
            knowledge.look(&from);
            let situation = Situation {
                scene: &from,
                phase: PhaseId::START,
                steps_left: 9,
                candidates: &[0, 1],
                preferred: &[0, 1],
            };
            let (reward, elapsed_ms, phase, next) = (0.0, None, PhaseId::START, Next::Unknown);
            knowledge.learn(&Transition { from: &situation, at, reward, elapsed_ms, to: &to, phase, next });
            from = to;
        }
    }

    /// Returns the best way after this run of `steps` more steps.
    fn way(knowledge: &mut Knowledge, run: &[(u16, u32, LookId)], steps: u32) -> Option<(u16, f64)> {
        learn(knowledge, run);
        let at = scene(run.last().expect("a step").1, LookId(0));
        let memory = Memory::default();
        Ways::new(PlannerSettings::default(), knowledge, &mut Goal, &memory).best(
            &at.offers,
            &[0, 1],
            PhaseId::START,
            steps,
            0,
        )
    }

    const PLAIN: LookId = LookId(0);

    #[test]
    fn a_way_joins_what_different_runs_have_shown() {
        let mut knowledge = Knowledge::default();
        // From 1 to 2 in one run; from 2 on, by another way, to the goal in the other.
        learn(&mut knowledge, &[(0, 1, PLAIN), (1, 2, PLAIN), (0, 2, PLAIN)]);
        learn(&mut knowledge, &[(1, 5, PLAIN), (0, 2, PLAIN), (1, 3, PLAIN), (1, 4, GOAL)]);
        let (first, chance) = way(&mut knowledge, &[(0, 1, PLAIN)], 3).expect("a way");
        assert_eq!(first, 1);
        assert!((0.5..1.0).contains(&chance), "{chance}");
        assert_eq!(way(&mut knowledge, &[(0, 1, PLAIN)], 2), None, "it takes three steps");
    }

    #[test]
    fn a_way_that_came_out_otherwise_is_none_any_more() {
        let mut knowledge = Knowledge::default();
        learn(&mut knowledge, &[(1, 5, PLAIN), (0, 2, PLAIN), (1, 4, GOAL)]);
        let before = [(0, 1, PLAIN), (1, 2, PLAIN)];
        assert!(way(&mut knowledge, &before, 1).is_some_and(|(first, _)| first == 1));
        // After this history the same action leads elsewhere.
        learn(&mut knowledge, &[(0, 1, PLAIN), (1, 2, PLAIN), (1, 6, PLAIN)]);
        assert_eq!(way(&mut knowledge, &before, 1), None);
    }

    #[test]
    fn ways_that_were_followed_in_vain_are_trusted_less() {
        let mut knowledge = Knowledge::default();
        learn(&mut knowledge, &[(0, 1, PLAIN), (1, 4, GOAL)]);
        learn(&mut knowledge, &[(0, 1, PLAIN)]);
        let chance = |failed| {
            let (offers, memory) = (scene(1, PLAIN).offers, Memory::default());
            Ways::new(PlannerSettings::default(), &knowledge, &mut Goal, &memory)
                .best(&offers, &[0, 1], PhaseId::START, 1, failed)
                .map_or(0.0, |(_, chance)| chance)
        };
        assert_eq!(chance(PERSISTENCE as u32), chance(0) / 2.0);
    }
}
