//! The memo: states kept once, with their screens and the transitions between them.
//!
//! It saves work and changes no answer, so it may be dropped at any time.

use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::alike::Alike;
use super::caret::Edit;
use super::layout::TouchMap;
use super::model::WindowId;
use super::state::State;
use super::touch::Pixel;
use crate::device::Notice;
use crate::gui::{Identity, PressedKey, Screen};

/// Most states remembered.
const STATES_MAX: usize = 200_000;

/// Most bytes remembered, approximately, unless somebody says otherwise.
const BYTES_MAX: usize = 48 << 20;

/// Approximate bytes of a transition and of a widget on a screen.
const TRANSITION_BYTES: usize = 120;
const WIDGET_BYTES: usize = 180;

/// The elementary inputs to the phone, of which all actions consist.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Gesture {
    /// Starts the app after a fresh installation.
    Start(WindowId),
    Tap(Pixel),
    LongTap(Pixel),
    Swipe(Pixel, Pixel),
    Back,
    /// Puts the keyboard away, which takes no time.
    HideKeyboard,
    Menu,
    /// The home key, which leads to the launcher.
    Home,
    /// Puts letters at the caret of the focused field.
    Type(Arc<str>),
    /// Replaces the text of the focused field.
    Replace(Arc<str>),
    /// Presses another key this many times.
    Key(PressedKey, u32),
    /// Presses a key that edits the text of the focused field, this many times.
    Edit(Edit, u32),
    Rotate,
    Network,
    /// Brings the app to the front with an activity, or starts it.
    Front(WindowId),
    /// Brings the launcher to the front.
    Leave,
    /// Ends the app's process.
    Kill,
    /// Turns the display on or off.
    Light(bool),
    /// Lets time pass without input, after `quiet_ms` without any.
    Sleep {
        ms: u64,
        quiet_ms: u64,
    },
    /// A touch or a key that is lost.
    Lost,
    /// A spontaneous crash.
    Crash,
}

/// The result of a gesture.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    /// Number of the next state.
    pub to: u32,
    pub elapsed_ms: u64,
    pub notices: Arc<[Notice]>,
}

/// A shared state with its hash.
#[derive(Clone, Debug)]
pub(super) struct Known {
    hash: u64,
    /// Its approximate size in bytes.
    pub bytes: usize,
    pub state: Arc<State>,
}

impl Known {
    pub fn new(state: State) -> Known {
        Known { hash: FxBuildHasher.hash_one(&state), bytes: state.size(), state: Arc::new(state) }
    }
}

/// Numbered states, each kept once.
#[derive(Clone, Debug, Default)]
pub(super) struct States {
    list: Vec<Known>,
    /// The number of each state, by its hash; on a collision, by the next free key.
    numbers: HashMap<u64, u32, FxBuildHasher>,
    bytes: usize,
}

impl States {
    /// Returns the number of a state, and adds the state if it is new.
    pub fn intern(&mut self, known: Known) -> u32 {
        let mut key = known.hash;
        while let Some(&number) = self.numbers.get(&key) {
            let other = &self.list[number as usize].state;
            // Mostly both are one shared state, and comparing the pointers is enough.
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

/// The screen and the touch map of a state, as far as known and independent of the clock.
#[derive(Clone, Debug, Default)]
struct Looks {
    screen: Option<Arc<Screen>>,
    touch_map: Option<Arc<TouchMap>>,
}

/// Everything remembered: states, screens, touch maps, transitions.
#[derive(Clone, Debug)]
pub(super) struct Memo {
    states: States,
    looks: Vec<Looks>,
    /// Screens by their identity. States that look the same share one, so that others work out once what follows from it.
    screens: HashMap<Identity, Arc<Screen>, FxBuildHasher>,
    transitions: HashMap<(u32, Gesture), Transition, FxBuildHasher>,
    pub alike: Alike,
    bytes: usize,
    /// Most bytes remembered, approximately.
    bytes_max: usize,
}

impl Default for Memo {
    fn default() -> Memo {
        Memo::within(BYTES_MAX)
    }
}

impl Memo {
    /// Returns an empty memo of about so many bytes at most.
    pub fn within(bytes_max: usize) -> Memo {
        Memo {
            states: States::default(),
            looks: Vec::new(),
            screens: HashMap::default(),
            transitions: HashMap::default(),
            alike: Alike::default(),
            bytes: 0,
            bytes_max,
        }
    }

    /// Returns an empty memo of the same size at most.
    pub fn emptied(&self) -> Memo {
        Memo::within(self.bytes_max)
    }

    pub fn is_full(&self) -> bool {
        self.states.list.len() > STATES_MAX
            || self.bytes + self.states.bytes + self.alike.bytes() > self.bytes_max
    }

    pub fn intern(&mut self, known: Known) -> u32 {
        let number = self.states.intern(known);
        if self.looks.len() <= number as usize {
            self.looks.resize(number as usize + 1, Looks::default());
        }
        number
    }

    /// Returns the state with a number that this memo has given out.
    pub fn state(&self, number: u32) -> &Known {
        self.states.get(number).expect("the memo has handed the number out")
    }

    pub fn screen(&self, number: u32) -> Option<&Arc<Screen>> {
        self.looks.get(number as usize)?.screen.as_ref()
    }

    /// Remembers the screen of a state, and returns it as states that look the same share it.
    pub fn set_screen(&mut self, number: u32, screen: Arc<Screen>) -> Arc<Screen> {
        let known = self.screens.get(&screen.identity()).filter(|known| ***known == *screen).cloned();
        let screen = known.unwrap_or_else(|| {
            self.bytes += WIDGET_BYTES * screen.weight();
            self.screens.insert(screen.identity(), screen.clone());
            screen
        });
        self.looks[number as usize].screen = Some(screen.clone());
        screen
    }

    /// Remembers a screen that this memo has returned for another state, which looks the same.
    pub fn share_screen(&mut self, number: u32, screen: Arc<Screen>) {
        self.looks[number as usize].screen = Some(screen);
    }

    pub fn touch_map(&self, number: u32) -> Option<&Arc<TouchMap>> {
        self.looks.get(number as usize)?.touch_map.as_ref()
    }

    /// Remembers the touch map of a state, unless it is known.
    pub fn set_touch_map(&mut self, number: u32, touch_map: Arc<TouchMap>) {
        let place = &mut self.looks[number as usize].touch_map;
        if place.is_none() {
            self.bytes += touch_map.size();
            *place = Some(touch_map);
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
