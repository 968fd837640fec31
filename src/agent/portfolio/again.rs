//! Doing again what has brought nearer: an app that has made one note makes another one by the same steps.
//!
//! Where the objective wants a number of widgets, a step may bring it nearer without reaching it. Then the steps that led
//! there are done once more: the last one alone, then the last two, and so on, until the number comes nearer again. As the
//! agent may know better, this rests for more and more episodes while none is won.

use crate::gui::Flags;
use crate::situation::{LabelingId, PhaseId, Scene, Situation};

/// Most steps that are done again.
const STEPS_MAX: usize = 6;
/// Episodes in vain for which it rests one episode more.
const PATIENCE: u32 = 3;

/// Step that can be done again: an action by its name, and whether its widget was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    labeling: LabelingId,
    is_checked: bool,
}

impl Step {
    fn new(scene: &Scene, at: u16) -> Step {
        Step { labeling: scene.offers[usize::from(at)].labeling, is_checked: is_checked(scene, at) }
    }

    /// Returns true if the offer at `at` is this step.
    fn is(self, scene: &Scene, at: u16) -> bool {
        scene.offers[usize::from(at)].labeling == self.labeling && is_checked(scene, at) == self.is_checked
    }
}

fn is_checked(scene: &Scene, at: u16) -> bool {
    scene.widget(at).is_some_and(|widget| widget.flags.has(Flags::CHECKED))
}

/// Steps that have brought nearer, and those of them that are to be done.
#[derive(Clone, Debug)]
pub struct Again {
    /// Phase of the last step, and fewest widgets that were missing in it; none where no number is wanted.
    gap: Option<(PhaseId, u64)>,
    /// Steps of this episode since it came nearer.
    taken: Vec<Step>,
    /// Steps to the last time that it came nearer.
    helped: Vec<Step>,
    /// Number of the last of them that are done again now, and of those that were done; none if that is over.
    done: Option<(usize, usize)>,
    /// Number to begin with: that has helped before, or more than have taken away what was reached.
    length: usize,
    /// True if steps were done again in this episode.
    has_acted: bool,
    /// Episodes in which steps were done again, and those that are left to rest.
    episodes: u32,
    rests: u32,
}

impl Default for Again {
    fn default() -> Again {
        Again {
            gap: None,
            taken: Vec::new(),
            helped: Vec::new(),
            done: None,
            length: 1,
            has_acted: false,
            episodes: 0,
            rests: 0,
        }
    }
}

impl Again {
    /// Ends an episode.
    pub fn end(&mut self) {
        (self.gap, self.done) = (None, None);
        self.taken.clear();
        if std::mem::take(&mut self.has_acted) {
            self.episodes += 1;
            self.rests = self.episodes / PATIENCE;
        } else if self.rests > 0 {
            self.rests -= 1;
            // What has helped may hold more than it takes.
            self.length = 1;
        }
    }

    /// Takes in a step of the episode.
    pub fn note(&mut self, scene: &Scene, at: u16) {
        if self.gap.is_some() {
            self.taken.push(Step::new(scene, at));
        }
    }

    /// Returns the candidate by which a step is done again, where `gap` widgets are missing.
    pub fn next(&mut self, gap: Option<u64>, situation: &Situation<'_>) -> Option<u16> {
        let Some(gap) = gap else {
            (self.gap, self.done) = (None, None);
            self.taken.clear();
            return None;
        };
        let before = self.gap.map(|(_, least)| least);
        // Another phase may want another number.
        let is_other = self.gap.is_some_and(|(phase, least)| phase != situation.phase && gap > least);
        let least = before.filter(|_| !is_other).map_or(gap, |least| least.min(gap));
        self.gap = Some((situation.phase, least));
        if is_other {
            self.done = None;
            self.taken.clear();
        } else if before.is_some_and(|before| gap < before) {
            match self.done {
                Some((length, done)) if done == length => self.length = length,
                _ => {
                    let from = self.taken.len().saturating_sub(STEPS_MAX);
                    self.helped = self.taken.split_off(from);
                    self.length = self.length.min(self.helped.len());
                }
            }
            self.taken.clear();
            self.done = (gap > 0 && self.rests == 0).then_some((self.length, 0));
        } else if gap > least
            && let Some((length, _)) = self.done.take()
        {
            // What was reached is gone.
            self.length = length + 1;
        }
        self.step(situation)
    }

    fn step(&mut self, situation: &Situation<'_>) -> Option<u16> {
        let (mut length, mut done) = self.done.take()?;
        if done == length {
            // It has not come nearer.
            (length, done) = (length + 1, 0);
        }
        let left = situation.steps_left as usize;
        while length <= self.helped.len() && length - done <= left {
            let step = self.helped[self.helped.len() - length + done];
            let is_it = |&at: &u16| step.is(situation.scene, at);
            if let Some(at) = situation.candidates.iter().copied().find(is_it) {
                (self.done, self.has_acted) = (Some((length, done + 1)), true);
                return Some(at);
            }
            length += 1;
            if done > 0 {
                // Another time it begins with more.
                self.length = length;
                break;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gui::Action;
    use crate::situation::{Habit, Offer, PhaseId};

    fn scene() -> Scene {
        let offer = |at: u16| Offer {
            action: Default::default(),
            slot: at,
            labeling: LabelingId(at.into()),
            spot: Default::default(),
            class: Default::default(),
            has_name: true,
            hints: 0,
            habit: Habit::Any,
        };
        Scene {
            state: Default::default(),
            screen_id: Default::default(),
            activity: Default::default(),
            look: Default::default(),
            frame: 0,
            slots: 3,
            offers: (0..3).map(offer).collect(),
            actions: Arc::from(vec![Action::BACK; 3]),
            screen: None,
        }
    }

    /// Takes these steps, and returns those that are done again until the gaps are through.
    fn run(again: &mut Again, steps: &[u16], gaps: &[u64], steps_left: u32) -> Vec<u16> {
        let (scene, all) = (scene(), [0, 1, 2]);
        let phase = PhaseId::START;
        let situation = Situation { scene: &scene, phase, steps_left, candidates: &all, preferred: &all };
        let mut done = Vec::new();
        assert_eq!(again.next(Some(gaps[0]), &situation), None);
        steps.iter().for_each(|&at| again.note(&scene, at));
        for &gap in &gaps[1..] {
            let Some(at) = again.next(Some(gap), &situation) else { break };
            again.note(&scene, at);
            done.push(at);
        }
        again.end();
        done
    }

    #[test]
    fn the_steps_that_brought_nearer_are_done_again_the_last_alone_and_then_more() {
        let mut again = Again::default();
        // It takes the steps 0 and 1 to come nearer.
        assert_eq!(run(&mut again, &[2, 0, 1], &[3, 2, 2, 2, 1, 1, 0], 9), [1, 0, 1, 0, 1]);
        // Another episode knows how many it takes.
        assert_eq!(run(&mut again, &[2, 0, 1], &[3, 2, 2, 1], 9), [0, 1, 0]);
        // Steps that do not fit into the episode are not begun.
        assert_eq!(run(&mut again, &[2, 0, 1], &[3, 2], 1), [0; 0]);
    }

    #[test]
    fn what_takes_away_what_was_reached_is_given_up() {
        let mut again = Again::default();
        // The last step alone undoes itself, and its coming back is no news.
        assert_eq!(run(&mut again, &[0, 1], &[2, 1, 2, 1], 9), [1]);
        assert_eq!(run(&mut again, &[0, 1], &[2, 1, 1, 0], 9), [0, 1]);
        // While no episode is won, it rests for longer and longer.
        let acts = (0..40).filter(|_| !run(&mut again, &[0, 1], &[9, 8, 8], 9).is_empty()).count();
        assert!((8..20).contains(&acts), "{acts}");
    }
}
