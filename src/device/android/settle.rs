//! Settling of a phone: prompts of the system in front of the app are answered, and the keyboard is put away.

use super::glance::Looked;
use super::prompt::Press;
use crate::device::{Notice, Observation};

/// Most tries to put the keyboard away in a step.
const HIDES_MAX: u32 = 3;

/// Most prompts of the system that are answered in a step.
const PROMPTS_MAX: usize = 8;

/// Fate of the keyboard of a phone.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::device) struct Keyboard {
    /// True if it stays wherever it comes up.
    pub is_kept: bool,
    /// True if it stays in spite of all tries.
    is_stuck: bool,
}

impl Keyboard {
    /// Returns true if it is up and to be put away.
    fn is_in_the_way(self, looked: &Looked) -> bool {
        let context = looked.screen.context();
        context.keyboard && context.screen_on && !self.is_kept && !self.is_stuck
    }
}

/// A phone that is looked at after each thing done to it.
pub(in crate::device) trait Settles {
    /// Reason why the phone could not look or act.
    type Error;

    /// Presses a button of a prompt, and looks.
    fn press(&mut self, press: &Press) -> Result<Looked, Self::Error>;

    /// Puts the keyboard away if it is still up, and looks.
    fn hide_keyboard(&mut self) -> Result<Looked, Self::Error>;

    /// Returns what becomes of its keyboard.
    fn keyboard(&mut self) -> &mut Keyboard;

    /// Remembers a look and turns it into an observation.
    fn observed(&mut self, looked: Looked) -> Observation;
}

/// Answers the prompts of the system in front of the app, puts the keyboard away, and returns what is seen in the end.
pub(in crate::device) fn settle<P: Settles>(
    phone: &mut P,
    mut looked: Looked,
) -> Result<Observation, P::Error> {
    let mut answered: Vec<Notice> = Vec::new();
    let mut last: Option<Press> = None;
    let mut hides = 0;
    loop {
        // A prompt that the button does not close is left to the test.
        let press = looked.press.take().filter(|press| last.as_ref() != Some(press));
        // The notices of these looks are read again, as they count as known only once they are observed.
        looked = match press {
            Some(press) if answered.len() < PROMPTS_MAX => {
                answered.push(Notice::Prompt(press.shown.as_str().into()));
                let looked = phone.press(&press)?;
                last = Some(press);
                looked
            }
            // A keyboard that comes up late, or just now, may miss a key.
            _ if phone.keyboard().is_in_the_way(&looked) && hides < HIDES_MAX => {
                hides += 1;
                phone.hide_keyboard()?
            }
            _ => break,
        };
    }
    // Some keyboards are shown all the time, and each try costs a look.
    let keyboard = phone.keyboard();
    keyboard.is_stuck |= hides == HIDES_MAX && keyboard.is_in_the_way(&looked);
    let mut observation = phone.observed(looked);
    if !answered.is_empty() {
        observation.notices = answered.into_iter().chain(observation.notices.iter().cloned()).collect();
    }
    Ok(observation)
}
