//! Reducers: the parts of a widget that its name in an abstraction tells.

use std::fmt;

use crate::sorted;

/// Set of primitives; the empty one tells nothing but the actions that a widget takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reducer(u8);

/// Primitives by their names.
const PRIMITIVES: [(Reducer, &str); 5] = [
    (Reducer::TYPE, "TYPE"),
    (Reducer::INDEX, "INDEX"),
    (Reducer::PARENT, "PARENT"),
    (Reducer::TEXT, "TEXT"),
    (Reducer::ANCESTOR, "ANCESTOR"),
];

/// Name of the empty set.
const NOTHING: &str = "nothing";

/// Mark between two primitives.
const AND: &str = " + ";

impl Reducer {
    /// Nothing.
    pub const NOTHING: Reducer = Reducer(0);
    /// Class and resource id.
    pub const TYPE: Reducer = Reducer(1);
    /// Place among the siblings.
    pub const INDEX: Reducer = Reducer(1 << 1);
    /// Name of the parent.
    pub const PARENT: Reducer = Reducer(1 << 2);
    /// Text and description.
    pub const TEXT: Reducer = Reducer(1 << 3);
    /// Types of all widgets that it lies in.
    pub const ANCESTOR: Reducer = Reducer(1 << 4);

    /// Number of reducers.
    const COUNT: u8 = 1 << 5;

    /// Returns the reducer with the primitives of both.
    pub const fn with(self, other: Reducer) -> Reducer {
        Reducer(self.0 | other.0)
    }

    /// Returns true if it has all primitives of `other`.
    pub fn has(self, other: Reducer) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns true if it has all primitives of `other`, and more.
    pub fn is_finer(self, other: Reducer) -> bool {
        self != other && self.has(other)
    }

    /// Returns the number of its primitives.
    pub fn primitives(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the reducers that are finer than this one, the coarsest first.
    pub fn finer(self) -> Vec<Reducer> {
        let mut finer: Vec<Reducer> =
            (0..Reducer::COUNT).map(Reducer).filter(|one| one.is_finer(self)).collect();
        sorted::by_key(&mut finer, |one| (one.primitives(), *one));
        finer
    }

    /// Returns the reducer that is printed so.
    ///
    /// ```
    /// use farlead::learned_model::Reducer;
    ///
    /// let both = Reducer::TYPE.with(Reducer::TEXT);
    /// assert_eq!(both.to_string(), "TYPE + TEXT");
    /// assert_eq!(Reducer::parse("TYPE + TEXT"), Some(both));
    /// assert_eq!(Reducer::parse("TEXT + TYPE"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Reducer> {
        (0..Reducer::COUNT).map(Reducer).find(|one| one.to_string() == text)
    }
}

impl fmt::Display for Reducer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Reducer::NOTHING {
            return out.write_str(NOTHING);
        }
        let names = PRIMITIVES.iter().filter(|(primitive, _)| self.has(*primitive)).map(|(_, name)| *name);
        for (at, name) in names.enumerate() {
            if at > 0 {
                out.write_str(AND)?;
            }
            out.write_str(name)?;
        }
        Ok(())
    }
}
