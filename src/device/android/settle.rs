//! Settling of a phone: prompts of the system in front of the app are answered, and the keyboard is put away.

use super::glance::Looked;
use super::prompt::Press;
use crate::device::{Notice, Observation};

/// Most tries to put the keyboard away in a step.
const HIDES_MAX: u32 = 3;

/// Most prompts of the system that are answered in a step.
const PROMPTS_MAX: usize = 8;

/// A phone that is looked at after each thing done to it.
pub(in crate::device) trait Settles {
    /// Reason why the phone could not look or act.
    type Error;

    /// Presses a button of a prompt, and looks.
    fn press(&mut self, press: &Press) -> Result<Looked, Self::Error>;

    /// Puts the keyboard away if it is still up, and looks.
    fn hide_keyboard(&mut self) -> Result<Looked, Self::Error>;

    /// Returns true if the keyboard is up and to be put away.
    fn hides_keyboard(&self, looked: &Looked) -> bool;

    /// Notes that the keyboard stays in spite of all tries.
    fn note_stuck_keyboard(&mut self);

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
            _ if phone.hides_keyboard(&looked) && hides < HIDES_MAX => {
                hides += 1;
                phone.hide_keyboard()?
            }
            _ => break,
        };
    }
    // Some keyboards are shown all the time, and each try costs a look.
    if hides == HIDES_MAX && phone.hides_keyboard(&looked) {
        phone.note_stuck_keyboard();
    }
    let mut observation = phone.observed(looked);
    if !answered.is_empty() {
        observation.notices = answered.into_iter().chain(observation.notices.iter().cloned()).collect();
    }
    Ok(observation)
}
