//! Surroundings: what is around the widget of a recorded action, and tells it from widgets that look the same.

use std::sync::Arc;

use super::action::{Action, Argument, Target};
use super::action_type::Stroke;
use super::element::is_text_field;
use super::naming::Naming;
use super::offer::{Repertoire, offers};
use super::screen::Screen;
use crate::sorted;

/// Surroundings of a widget on the screen that an action was done on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Around {
    /// Words nearest to the widget and outside of it; may be empty.
    pub beside: Arc<str>,
    /// Part that tells it from the other widgets that the same action could be done on.
    pub told_by: ToldBy,
    /// True if its text and description alone tell it from those too, whatever its id.
    pub has_own_words: bool,
}

/// Part that tells a widget from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToldBy {
    /// Its id: no other widget has it.
    Id,
    /// All its names together: no other widget has them.
    Names,
    /// The words beside it: it has no name, or others have the same.
    Beside,
    /// Its place among others with the same names and the same words beside them, from the top down and from left to
    /// right.
    Place(Nth),
}

/// A place among several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nth {
    /// Number, from 1.
    pub number: u32,
    /// Number of all of them, at least 2.
    pub of: u32,
}

/// A widget that an action can be done on.
pub(super) struct Candidate<'a> {
    on: &'a Target,
    beside: Arc<str>,
}

/// Returns the same action on each widget of `screen` that offers it.
pub(super) fn candidates(screen: &Screen, action: &Action) -> Vec<Action> {
    let own = match action.argument() {
        Argument::Own(own) => std::slice::from_ref(&**own),
        Argument::None | Argument::Activity(_) | Argument::Text(_) | Argument::Towards(_) => &[],
    };
    // The repertoire of today may lack the recorded text and user action.
    let mut all = offers(screen, &Repertoire::new(action.typed(), own, false));
    if let Action::Stroke(Stroke::Scroll, _, towards) = action {
        // The directions on offer follow from the children seen now. The recorded one may do nothing here, and is no other
        // step.
        for offer in &mut all {
            if let Action::Stroke(Stroke::Scroll, _, way) = offer {
                *way = *towards;
            }
        }
        all.dedup();
    }
    all.retain(|offer| {
        offer.target().is_some()
            && offer.type_name() == action.type_name()
            && offer.argument() == action.argument()
    });
    all
}

/// Returns the widgets of `actions`, which `screen` offers, with the words beside them.
pub(super) fn with_surroundings<'a>(screen: &Screen, actions: &'a [Action]) -> Vec<Candidate<'a>> {
    let naming = Naming::new(screen);
    let mut targets = actions.iter().filter_map(Action::target).peekable();
    let mut all = Vec::new();
    screen.for_each_object(|at, _, object_id| {
        // Offers are in the order of the tree.
        if let Some(on) = targets.next_if(|on| *on.object_id == *object_id) {
            all.push(Candidate { on, beside: naming.beside(at) });
        }
    });
    all
}

impl Around {
    /// Returns the surroundings of the widget of `action` on `screen`; nothing if the screen does not offer the action.
    pub fn of(screen: &Screen, action: &Action) -> Option<Around> {
        let on = action.target()?;
        let candidates = candidates(screen, action);
        let all = with_surroundings(screen, &candidates);
        let own = all.iter().position(|one| one.on.object_id == on.object_id)?;
        let beside = all[own].beside.clone();
        let has_id = |one: &&Candidate<'_>| one.on.id == on.id;
        let has_own_words = !is_wordless(on) && only(with_words(on, &all)).is_some();
        if !on.id.is_empty() && all.iter().filter(has_id).count() == 1 {
            return Some(Around { beside, told_by: ToldBy::Id, has_own_words });
        }
        let alike = alike(on, &all);
        let same = in_place(alike.iter().copied().filter(|&at| all[at].beside == beside), &all);
        let told_by = match (alike.len(), same.len()) {
            (1, _) if !is_nameless(on) => ToldBy::Names,
            (_, 1) => ToldBy::Beside,
            (_, of) => {
                let number = same.iter().position(|&at| at == own)?;
                ToldBy::Place(Nth { number: number as u32 + 1, of: of as u32 })
            }
        };
        Some(Around { beside, told_by, has_own_words })
    }

    /// Returns the number of the widget of `recorded` in `all`; nothing rather than a widget that may be another.
    pub(super) fn find(&self, recorded: &Target, all: &[Candidate<'_>]) -> Option<usize> {
        let by_id: Vec<usize> = match self.told_by {
            ToldBy::Id => (0..all.len()).filter(|&at| all[at].on.id == recorded.id).collect(),
            ToldBy::Names | ToldBy::Beside | ToldBy::Place(_) => Vec::new(),
        };
        // Its id stays, whatever it says now.
        if let [only] = by_id[..] {
            return Some(only);
        }
        let alike = alike(recorded, all);
        let near = alike.iter().copied().filter(|&at| all[at].beside == self.beside);
        match (self.told_by, &alike[..]) {
            (ToldBy::Id | ToldBy::Names, [only]) => Some(*only),
            // It has got another id, lost its own, or has other words in it.
            (ToldBy::Id | ToldBy::Names, []) if by_id.is_empty() => {
                if self.has_own_words {
                    only(with_words(recorded, all))
                } else {
                    None
                }
            }
            // Others have the same names, so the words beside it decide.
            (ToldBy::Id | ToldBy::Names | ToldBy::Beside, _) => only(near),
            // With one more or one less of them, nobody knows which of them was meant.
            (ToldBy::Place(Nth { number, of }), _) => {
                let same = in_place(near, all);
                if same.len() == of as usize { same.get(number as usize - 1).copied() } else { None }
            }
        }
    }
}

/// Returns the numbers of those in `all` that have the text and the description of `recorded`.
fn with_words(recorded: &Target, all: &[Candidate<'_>]) -> impl Iterator<Item = usize> {
    let has_words = |one: &Candidate<'_>| one.on.text == recorded.text && one.on.desc == recorded.desc;
    all.iter().enumerate().filter(move |(_, one)| has_words(one)).map(|(at, _)| at)
}

/// Returns true if neither the text nor the description may tell a widget from others.
fn is_wordless(on: &Target) -> bool {
    is_text_field(&on.class) || (on.text.is_empty() && on.desc.is_empty())
}

/// Returns the numbers of those in `all` that have the names of `recorded`.
fn alike(recorded: &Target, all: &[Candidate<'_>]) -> Vec<usize> {
    let is_nameless = is_nameless(recorded);
    let is_alike = |on: &Target| names(on) == names(recorded) && (!is_nameless || on.class == recorded.class);
    (0..all.len()).filter(|&at| is_alike(all[at].on)).collect()
}

/// Returns the names that stay while the widget is the same: the text of a field changes as one types.
fn names(on: &Target) -> [&str; 4] {
    [&on.id, if is_text_field(&on.class) { "" } else { &on.text }, &on.desc, &on.below]
}

fn is_nameless(on: &Target) -> bool {
    names(on).iter().all(|name| name.is_empty())
}

/// Returns the numbers of widgets in the order of their places on the display.
fn in_place(numbers: impl Iterator<Item = usize>, all: &[Candidate<'_>]) -> Vec<usize> {
    let mut numbers: Vec<usize> = numbers.collect();
    // The sort is stable, so widgets that cover each other stay in the order of the tree.
    sorted::by_key(&mut numbers, |&at| (all[at].on.bounds.top, all[at].on.bounds.left));
    numbers
}

fn only(mut of: impl Iterator<Item = usize>) -> Option<usize> {
    let first = of.next();
    first.filter(|_| of.next().is_none())
}
