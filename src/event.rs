//! What happens while something is looked for, told as it happens.

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
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
    },
}
