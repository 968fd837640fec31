//! What happens while something is looked for, told as it happens.

use crate::trace::Trace;

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// An episode goes on.
    Working {
        /// Which, from 1.
        episode: u32,
        /// The steps on the device in the episodes before.
        steps: u64,
    },
    /// An episode is over.
    EpisodeEnded {
        /// Which, from 1.
        episode: u32,
        /// The steps on the device so far, in all episodes.
        steps: u64,
        /// The fewest steps that were left to the goal so far, whatever the app.
        closest: Option<u32>,
        /// Its steps, if they were asked for.
        trace: Option<Trace>,
    },
}
