//! Repeats: an app that has made one note makes another one by the same steps.
//!
//! An objective may want a number of widgets. A step may bring that number nearer without reaching it, and then the steps
//! before it are repeated: the last one alone, then the last two, and so on, until the number comes nearer repeats. The agent
//! may know better, so repeats rest for more and more episodes while no episode is won.

use crate::gui::Flags;
use crate::situation::{LabelingId, PhaseId, Scene, Situation};

/// Most steps that are done repeats.
const STEPS_MAX: usize = 6;
/// Episodes in vain for which it rests one episode more.
const PATIENCE: u32 = 3;

/// Step that can be done repeats: an action by its name, and whether its widget was checked.
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

/// Steps that have brought the number nearer, and their repeats.
#[derive(Clone, Debug)]
pub struct Repeats {
    /// Phase of the last step, and the least deviation in it; none where no number is wanted.
    least: Option<(PhaseId, u64)>,
    /// Steps of this episode since the number came nearer.
    taken: Vec<Step>,
    /// Steps before the number last came nearer.
    helped: Vec<Step>,
    /// Repeat that goes on: how many of the last of those steps it takes, and how many are done.
    running: Option<(usize, usize)>,
    /// Steps of the next repeat: as many as have helped before, or more than have taken away what was reached.
    length: usize,
    /// True if steps were repeated in this episode.
    has_acted: bool,
    /// Episodes with repeats so far.
    episodes: u32,
    /// Episodes that are left to rest.
    rests: u32,
}

impl Default for Repeats {
    fn default() -> Repeats {
        Repeats {
            least: None,
            taken: Vec::new(),
            helped: Vec::new(),
            running: None,
            length: 1,
            has_acted: false,
            episodes: 0,
            rests: 0,
        }
    }
}

impl Repeats {
    /// Ends an episode.
    pub fn end(&mut self) {
        self.start_over();
        if std::mem::take(&mut self.has_acted) {
            self.episodes += 1;
            self.rests = self.episodes / PATIENCE;
        } else if self.rests > 0 {
            self.rests -= 1;
            // The steps that have helped may hold more than it takes.
            self.length = 1;
        }
    }

    /// Takes in a step of the episode.
    pub fn note(&mut self, scene: &Scene, at: u16) {
        if self.least.is_some() {
            self.taken.push(Step::new(scene, at));
        }
    }

    /// Returns the candidate that repeats a step, given the [deviation](crate::situation::Outlook::deviation) now.
    pub fn next(&mut self, deviation: Option<u64>, situation: &Situation<'_>) -> Option<u16> {
        let Some(deviation) = deviation else {
            self.start_over();
            return None;
        };
        // Another phase may want another number.
        if self.least.is_some_and(|(phase, least)| phase != situation.phase && deviation > least) {
            self.start_over();
        }
        let before = self.least.map(|(_, least)| least);
        let least = before.map_or(deviation, |least| least.min(deviation));
        self.least = Some((situation.phase, least));
        if before.is_some_and(|before| deviation < before) {
            self.begin(deviation > 0);
        } else if deviation > least
            && let Some((length, _)) = self.running.take()
        {
            // What was reached is gone.
            self.length = length + 1;
        }
        self.step(situation)
    }

    fn start_over(&mut self) {
        (self.least, self.running) = (None, None);
        self.taken.clear();
    }

    /// Begins to repeat the steps by which the number has come nearer, if more is wanted.
    fn begin(&mut self, is_more_wanted: bool) {
        match self.running {
            Some((length, done)) if done == length => self.length = length,
            _ => {
                let from = self.taken.len().saturating_sub(STEPS_MAX);
                self.helped = self.taken.split_off(from);
                self.length = self.length.min(self.helped.len());
            }
        }
        self.taken.clear();
        self.running = (is_more_wanted && self.rests == 0).then_some((self.length, 0));
    }

    fn step(&mut self, situation: &Situation<'_>) -> Option<u16> {
        let (mut length, mut done) = self.running.take()?;
        if done == length {
            // The number has not come nearer.
            (length, done) = (length + 1, 0);
        }
        let left = situation.steps_left as usize;
        while length <= self.helped.len() && length - done <= left {
            let step = self.helped[self.helped.len() - length + done];
            let is_it = |&at: &u16| step.is(situation.scene, at);
            if let Some(at) = situation.candidates.iter().copied().find(is_it) {
                (self.running, self.has_acted) = (Some((length, done + 1)), true);
                return Some(at);
            }
            length += 1;
            if done > 0 {
                // The next repeat begins earlier.
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
    use crate::situation::Offer;

    fn scene() -> Scene {
        Scene {
            state: Default::default(),
            screen_id: Default::default(),
            activity: Default::default(),
            look: Default::default(),
            frame: 0,
            slots: 3,
            offers: (0..3).map(Offer::numbered).collect(),
            actions: Arc::from(vec![Action::BACK; 3]),
            screen: None,
        }
    }

    /// Takes these steps, and returns those that are repeated until the deviations are through.
    fn run(repeats: &mut Repeats, steps: &[u16], deviations: &[u64], steps_left: u32) -> Vec<u16> {
        let (scene, all) = (scene(), [0, 1, 2]);
        let phase = PhaseId::START;
        let situation = Situation { scene: &scene, phase, steps_left, candidates: &all, preferred: &all };
        let mut done = Vec::new();
        assert_eq!(repeats.next(Some(deviations[0]), &situation), None);
        steps.iter().for_each(|&at| repeats.note(&scene, at));
        for &deviation in &deviations[1..] {
            let Some(at) = repeats.next(Some(deviation), &situation) else { break };
            repeats.note(&scene, at);
            done.push(at);
        }
        repeats.end();
        done
    }

    #[test]
    fn the_steps_that_brought_nearer_are_repeated_the_last_alone_and_then_more() {
        let mut repeats = Repeats::default();
        // It takes the steps 0 and 1 to come nearer.
        assert_eq!(run(&mut repeats, &[2, 0, 1], &[3, 2, 2, 2, 1, 1, 0], 9), [1, 0, 1, 0, 1]);
        // Another episode knows how many it takes.
        assert_eq!(run(&mut repeats, &[2, 0, 1], &[3, 2, 2, 1], 9), [0, 1, 0]);
        // Steps that do not fit into the episode are not begun.
        assert_eq!(run(&mut repeats, &[2, 0, 1], &[3, 2], 1), [0; 0]);
    }

    #[test]
    fn what_takes_away_what_was_reached_is_given_up() {
        let mut repeats = Repeats::default();
        // The last step alone undoes itself, and its coming back is no news.
        assert_eq!(run(&mut repeats, &[0, 1], &[2, 1, 2, 1], 9), [1]);
        assert_eq!(run(&mut repeats, &[0, 1], &[2, 1, 1, 0], 9), [0, 1]);
        // While no episode is won, it rests for longer and longer.
        let acts = (0..40).filter(|_| !run(&mut repeats, &[0, 1], &[9, 8, 8], 9).is_empty()).count();
        assert!((8..20).contains(&acts), "{acts}");
    }
}
