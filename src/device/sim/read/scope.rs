//! Names known at a place, and the kinds of their values.

use super::super::model::{GlobalId, LocalId};

/// Kind of a value, as far as it is known before the app runs. A value of any kind may turn out to be `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Unknown,
    None,
    Bool,
    Int,
    Text,
    /// Record of this list.
    Record(GlobalId),
}

impl Kind {
    /// Returns the kind in words.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Unknown => "a value",
            Kind::None => "`none`",
            Kind::Bool => "true or false",
            Kind::Int => "a number",
            Kind::Text => "a text",
            Kind::Record(_) => "a record",
        }
    }

    /// Returns the kind of a variable whose initial value is of this kind.
    pub fn of_variable(self) -> Kind {
        // `none` says nothing about the values that the variable gets later.
        if self == Kind::None { Kind::Unknown } else { self }
    }

    /// Returns true if a value of this kind may be of the `other` kind too.
    pub fn may_be(self, other: Kind) -> bool {
        self == other || self == Kind::Unknown || other == Kind::Unknown
    }

    /// Returns the kind of a value that is of one kind or the other.
    pub fn or(self, other: Kind) -> Kind {
        match (self, other) {
            // A value of any kind may be `none`, so the other kind says more.
            (Kind::None, kind) | (kind, Kind::None) => kind,
            (first, second) if first == second => first,
            _ => Kind::Unknown,
        }
    }
}

/// Owner of the names that are known besides those of the whole app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Initial values of the app's variables: parameters alone are known.
    Start,
    /// The first `own` variables of a window.
    Window {
        number: u32,
        own: u32,
    },
    Part,
    Procedure,
}

/// Name for a value.
#[derive(Clone, Debug)]
pub(super) struct Local<'a> {
    pub name: &'a str,
    pub slot: LocalId,
    pub kind: Kind,
    /// True if effects may give it another value.
    pub is_settable: bool,
}

/// Names known at a place.
#[derive(Clone, Debug)]
pub(super) struct Scope<'a> {
    /// First byte of the item around the place.
    pub offset: usize,
    pub owner: Owner,
    /// True if mistakes are reported already.
    pub is_quiet: bool,
    /// True in the look of a screen, which chance has no part in.
    pub is_look: bool,
    locals: Vec<Local<'a>>,
    /// First free slot.
    slot_next: LocalId,
    pub slots_max: LocalId,
}

/// State of a scope to go back to when names end.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    locals: usize,
    slot_next: LocalId,
}

impl<'a> Scope<'a> {
    /// Returns a scope without locals.
    pub fn new(offset: usize, owner: Owner) -> Scope<'a> {
        Scope {
            offset,
            owner,
            is_quiet: false,
            is_look: false,
            locals: Vec::new(),
            slot_next: 0,
            slots_max: 0,
        }
    }

    /// Returns the scope of a part that is put in at this place. The names here are unknown in the part, and keep their
    /// slots.
    pub fn of_part(&self, offset: usize) -> Scope<'a> {
        Scope {
            offset,
            owner: Owner::Part,
            is_quiet: true,
            is_look: self.is_look,
            locals: Vec::new(),
            slot_next: self.slot_next,
            slots_max: self.slots_max,
        }
    }

    /// Returns a scope with the names of this one, after the slots of `inner`.
    pub fn within(&self, inner: &Scope<'a>) -> Scope<'a> {
        Scope { slot_next: inner.slot_next, slots_max: inner.slots_max, ..self.clone() }
    }

    /// Notes the slots that `inner` took.
    pub fn leave(&mut self, inner: &Scope<'a>) {
        self.slots_max = self.slots_max.max(inner.slots_max);
    }

    /// Keeps `slots` free for names that are added later.
    pub fn skip(&mut self, slots: u32) {
        self.slot_next += slots;
        self.slots_max = self.slots_max.max(self.slot_next);
    }

    /// Adds a name, and returns its slot.
    pub fn add(&mut self, name: &'a str, kind: Kind, is_settable: bool) -> LocalId {
        let slot = self.slot_next;
        self.slot_next += 1;
        self.slots_max = self.slots_max.max(self.slot_next);
        self.locals.push(Local { name, slot, kind, is_settable });
        slot
    }

    pub fn mark(&self) -> Mark {
        Mark { locals: self.locals.len(), slot_next: self.slot_next }
    }

    /// Forgets the names since `mark`.
    pub fn reset(&mut self, mark: Mark) {
        self.locals.truncate(mark.locals);
        self.slot_next = mark.slot_next;
    }

    /// Returns the local of that name, the innermost if there are several.
    pub fn local(&self, name: &str) -> Option<&Local<'a>> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    pub fn locals(&self) -> impl ExactSizeIterator<Item = &'a str> + Clone {
        self.locals.iter().map(|local| local.name)
    }
}
