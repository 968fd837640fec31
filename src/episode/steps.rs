//! The steps of an episode, which may have any number of new screens: long rows of them are packed.
//!
//! A run that reaches the objective is kept with all of its screens, and nobody knows before the end which one does. So
//! the screens of the latest steps stay as they are, and those of the steps before take a few per cent of their room
//! until somebody asks for them.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::catalogue::{Catalogue, Site};
use crate::gui::{Action, PackedScreens, Picture, Screen};
use crate::learned_model::SeenStep;
use crate::situation::{ClassId, Explanation, LookId, PhaseId, ScreenId};
use crate::trace::{Notice, Observation};

/// Weight of the screens that are made before the steps are packed, about 15 MB; ordinary episodes have less.
const OPEN_MAX: u64 = 100_000;

/// Step of an episode, in the form that costs least while most episodes are thrown away.
#[derive(Clone, Debug)]
pub struct Taken {
    pub(super) from: Arc<Site>,
    pub(super) at: u16,
    pub(super) class: ClassId,
    pub(super) number: u32,
    pub(super) observation: Observation,
    pub(super) to: Arc<Site>,
    pub(super) phase: PhaseId,
    pub(super) reward: f64,
    /// Explanation of the agent; few agents give any.
    pub(super) explanation: Option<Box<Explanation>>,
}

impl Taken {
    /// Returns the action.
    pub fn action(&self) -> &Action {
        &self.from.actions[usize::from(self.at)]
    }

    /// Returns its number in the episode, from 1; choices of nothing have numbers too.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the step as learned models count it.
    pub fn seen(&self) -> SeenStep<'_> {
        SeenStep {
            from: self.from.screen.as_deref().map(|screen| (screen, &*self.from.actions)),
            action: self.action(),
            at: self.at,
            to: (&self.observation.screen, &self.to.actions),
        }
    }

    /// Returns the screen after it.
    pub fn observation(&self) -> &Observation {
        &self.observation
    }
}

/// Steps in order.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    packed: Vec<Chunk>,
    open: Vec<Taken>,
    /// Weight of the sites that had been made when the open steps began.
    made: u64,
    length: usize,
    /// Number for the actions, and the screens they were done on.
    way: u64,
}

/// Steps in a row without their screens, and these packed.
#[derive(Clone, Debug)]
struct Chunk {
    /// Site before the first step.
    from: Arc<Site>,
    screens: PackedScreens,
    steps: Vec<Bare>,
}

/// Step without its screen.
#[derive(Clone, Debug)]
struct Bare {
    at: u16,
    class: ClassId,
    number: u32,
    to: ScreenId,
    look: LookId,
    phase: PhaseId,
    reward: f64,
    at_ms: u64,
    /// All that few steps have.
    more: Option<Box<More>>,
}

/// Parts that few steps have.
#[derive(Clone, Debug)]
struct More {
    notices: Arc<[Notice]>,
    picture: Option<Arc<Picture>>,
    explanation: Option<Box<Explanation>>,
}

impl Steps {
    /// Returns no steps, with room for some. Sites of this weight were made before them.
    pub fn new(room: usize, made: u64) -> Steps {
        Steps { open: Vec::with_capacity(room), made, ..Steps::default() }
    }

    /// Adds a step, after which sites of the weight `made` are made in all.
    #[inline]
    pub fn push(&mut self, taken: Taken, made: u64) {
        let mut hasher = FxHasher::default();
        (self.way, taken.from.id, taken.at).hash(&mut hasher);
        self.way = hasher.finish();
        self.length += 1;
        self.open.push(taken);
        if made - self.made > OPEN_MAX {
            self.pack();
            self.made = made;
        }
    }

    #[cold]
    fn pack(&mut self) {
        let Some(first) = self.open.first() else { return };
        let from = first.from.clone();
        let screens = PackedScreens::new(self.open.iter().map(|taken| &taken.observation.screen));
        let steps = self.open.drain(..).map(Bare::new).collect();
        self.packed.push(Chunk { from, screens, steps });
    }

    /// Returns their number.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns a number for the actions, and the screens they were done on.
    pub fn way(&self) -> u64 {
        self.way
    }

    /// Unpacks all steps, under the same condition as [`Steps::rows`].
    pub fn unpack(&mut self, catalogue: &Catalogue) {
        let mut all: Vec<Taken> = self.packed.drain(..).flat_map(|chunk| chunk.unpack(catalogue)).collect();
        all.append(&mut self.open);
        self.open = all;
    }

    /// Iterates over the steps in rows, in order. The texts that `catalogue` offers must be those of the time when the
    /// steps were taken.
    pub fn rows<'a>(&'a self, catalogue: &'a Catalogue) -> impl Iterator<Item = Cow<'a, [Taken]>> {
        let unpacked = self.packed.iter().map(|chunk| Cow::Owned(chunk.unpack(catalogue)));
        unpacked.chain((!self.open.is_empty()).then_some(Cow::Borrowed(&self.open[..])))
    }
}

impl Chunk {
    fn unpack(&self, catalogue: &Catalogue) -> Vec<Taken> {
        let mut from = self.from.clone();
        let screens = self.screens.unpack();
        let steps = self.steps.iter().zip(screens);
        steps.map(|(bare, screen)| bare.taken(&mut from, screen, catalogue)).collect()
    }
}

impl Bare {
    fn new(taken: Taken) -> Bare {
        let Taken { from: _, at, class, number, observation, to, phase, reward, explanation } = taken;
        let Observation { screen: _, at_ms, notices, picture } = observation;
        let has_more = !notices.is_empty() || picture.is_some() || explanation.is_some();
        let more = has_more.then(|| Box::new(More { notices, picture, explanation }));
        Bare { at, class, number, to: to.id, look: to.look, phase, reward, at_ms, more }
    }

    /// Returns the step from the site `from` to `screen`, whose site takes the place of `from`.
    fn taken(&self, from: &mut Arc<Site>, screen: Arc<Screen>, catalogue: &Catalogue) -> Taken {
        // Neighbours that are one screen have one site.
        let is_same = from.screen.as_ref().is_some_and(|before| Arc::ptr_eq(before, &screen));
        let to = match is_same {
            true => from.clone(),
            false => catalogue.site(self.to, screen.clone(), self.look),
        };
        let (notices, picture, explanation) = match self.more.as_deref() {
            Some(More { notices, picture, explanation }) => {
                (notices.clone(), picture.clone(), explanation.clone())
            }
            None => Default::default(),
        };
        Taken {
            from: std::mem::replace(from, to.clone()),
            at: self.at,
            class: self.class,
            number: self.number,
            observation: Observation { screen, at_ms: self.at_ms, notices, picture },
            to,
            phase: self.phase,
            reward: self.reward,
            explanation,
        }
    }
}
