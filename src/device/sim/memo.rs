//! What is remembered: states are kept once, with their screens and where gestures lead from them.
//!
//! It saves work and changes no answer: it may be forgotten at any time.

use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::layout::Ground;
use super::model::WindowId;
use super::state::State;
use super::touch::Pixel;
use crate::device::Notice;
use crate::gui::{PressedKey, Screen};

/// How many states are remembered at most.
const STATES_MAX: usize = 200_000;

/// How many bytes are remembered, about.
const BYTES_MAX: usize = 100 << 20;

/// About what a transition takes, and a widget of a screen.
const TRANSITION_BYTES: usize = 120;
const WIDGET_BYTES: usize = 180;

/// What is done to the phone: all that actions come down to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Gesture {
    /// Starts the app from a fresh installation.
    Start(WindowId),
    Tap(Pixel),
    LongTap(Pixel),
    Swipe(Pixel, Pixel),
    Back,
    Menu,
    /// The key that leads to the launcher.
    Home,
    /// Letters for the field that has the focus.
    Type(Arc<str>),
    /// A text for the field that has the focus, in place of what is in it.
    Replace(Arc<str>),
    /// Another key, so many times.
    Key(PressedKey, u32),
    Rotate,
    Network,
    /// Brings the app to the front with an activity, or starts it.
    Front(WindowId),
    /// Brings the launcher to the front.
    Leave,
    /// The end of the app's process.
    Kill,
    /// Lights the display, or puts it out.
    Light(bool),
    /// Nobody does anything, after so long in which nobody did.
    Sleep {
        ms: u64,
        quiet_ms: u64,
    },
    /// A touch or a key that was lost.
    Lost,
    /// A crash out of the blue.
    Crash,
}

/// Where a gesture leads.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    /// The number of the state.
    pub to: u32,
    pub elapsed_ms: u64,
    pub notices: Arc<[Notice]>,
}

/// A state with its hash, shared.
#[derive(Clone, Debug)]
pub(super) struct Known {
    hash: u64,
    /// About how many bytes it takes.
    pub bytes: usize,
    pub state: Arc<State>,
}

impl Known {
    pub fn new(state: State) -> Known {
        Known { hash: FxBuildHasher.hash_one(&state), bytes: state.size(), state: Arc::new(state) }
    }
}

/// States, each kept once and known by its number.
#[derive(Clone, Debug, Default)]
pub(super) struct States {
    list: Vec<Known>,
    /// By the hash, or one of the numbers that follow it where others share it.
    numbers: HashMap<u64, u32, FxBuildHasher>,
    bytes: usize,
}

impl States {
    /// Returns the number of a state.
    pub fn intern(&mut self, known: Known) -> u32 {
        let mut key = known.hash;
        while let Some(&number) = self.numbers.get(&key) {
            let other = &self.list[number as usize].state;
            if Arc::ptr_eq(other, &known.state) || **other == *known.state {
                return number;
            }
            key = key.wrapping_add(1);
        }
        let number = self.list.len() as u32;
        self.numbers.insert(key, number);
        self.bytes += known.bytes;
        self.list.push(known);
        number
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn get(&self, number: u32) -> Option<&Known> {
        self.list.get(number as usize)
    }
}

/// What is seen of a state, and what touches meet in it, as far as that is known and does not change with
/// the clock.
#[derive(Clone, Debug, Default)]
struct Looks {
    screen: Option<Arc<Screen>>,
    ground: Option<Arc<Ground>>,
}

/// States with all that is known of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Memo {
    states: States,
    looks: Vec<Looks>,
    transitions: HashMap<(u32, Gesture), Transition, FxBuildHasher>,
    bytes: usize,
}

impl Memo {
    pub fn is_full(&self) -> bool {
        self.states.list.len() > STATES_MAX || self.bytes + self.states.bytes > BYTES_MAX
    }

    pub fn intern(&mut self, known: Known) -> u32 {
        let number = self.states.intern(known);
        if self.looks.len() <= number as usize {
            self.looks.resize(number as usize + 1, Looks::default());
        }
        number
    }

    /// The state with a number that was handed out since the memo was made.
    pub fn state(&self, number: u32) -> &Known {
        self.states.get(number).expect("the memo has handed the number out")
    }

    pub fn screen(&self, number: u32) -> Option<&Arc<Screen>> {
        self.looks.get(number as usize)?.screen.as_ref()
    }

    pub fn set_screen(&mut self, number: u32, screen: Arc<Screen>) {
        self.bytes += WIDGET_BYTES * screen.widgets().len();
        self.looks[number as usize].screen = Some(screen);
    }

    pub fn ground(&self, number: u32) -> Option<&Arc<Ground>> {
        self.looks.get(number as usize)?.ground.as_ref()
    }

    /// Notes what touches meet in a state, unless that is known.
    pub fn set_ground(&mut self, number: u32, ground: Arc<Ground>) {
        let place = &mut self.looks[number as usize].ground;
        if place.is_none() {
            self.bytes += ground.size();
            *place = Some(ground);
        }
    }

    pub fn transition(&self, from: &(u32, Gesture)) -> Option<&Transition> {
        self.transitions.get(from)
    }

    pub fn set_transition(&mut self, from: (u32, Gesture), transition: Transition) {
        self.bytes += TRANSITION_BYTES;
        self.transitions.insert(from, transition);
    }
}
