//! Resources: values of numbers in an app's table, `resources.arsc`.

use std::collections::BTreeMap;

use super::chunk::{Chunk, Strings, Value, chunks};

const TABLE: u16 = 0x0002;
const PACKAGE: u16 = 0x0200;
const TYPE: u16 = 0x0201;

/// Most references followed in a row: a resource may stand for another one.
const REFERENCES_MAX: usize = 20;

/// Most resources looked up; a manifest names some ten, and each is looked up once.
const LOOKUPS_MAX: usize = 50;

/// Most lists of values, more than any table has for all its types and configurations.
const PLACES_MAX: usize = 100_000;

/// An app's table of resources.
pub(super) struct Resources<'b> {
    strings: Option<Strings<'b>>,
    /// Each list of values: its package, its type, and the chunk with the values.
    places: Vec<(u32, u8, Chunk<'b>)>,
    found: BTreeMap<u32, Option<Value>>,
}

impl<'b> Resources<'b> {
    /// Returns the table in `bytes`; a broken one has no resources.
    pub fn read(bytes: &'b [u8]) -> Resources<'b> {
        let mut resources = Resources { strings: None, places: Vec::new(), found: BTreeMap::new() };
        let Some(table) = Chunk::read(bytes, 0).filter(|table| table.kind == TABLE) else { return resources };
        for chunk in chunks(table.bytes, table.head_len) {
            match chunk.kind {
                Strings::KIND if resources.strings.is_none() => resources.strings = Strings::read(chunk),
                PACKAGE => resources.add(&chunk),
                _ => {}
            }
        }
        resources
    }

    /// Adds the lists of values of a package.
    fn add(&mut self, package: &Chunk<'b>) {
        let id = package.u32(8).unwrap_or(0);
        for chunk in chunks(package.bytes, package.head_len).filter(|chunk| chunk.kind == TYPE) {
            if let Some(&of_type) = chunk.bytes.get(8)
                && self.places.len() < PLACES_MAX
            {
                self.places.push((id, of_type, chunk));
            }
        }
    }

    /// Follows references to the value at their end. Returns `value` itself if it is none, and `None` for an
    /// endless chain.
    pub fn resolved(&mut self, mut value: Value) -> Option<Value> {
        for _ in 0..REFERENCES_MAX {
            if value.kind != Value::REFERENCE {
                return Some(value);
            }
            value = self.value(value.data)?;
        }
        None
    }

    /// Returns the text of a value in the table.
    pub fn text(&self, value: Value) -> Option<String> {
        if value.kind != Value::STRING {
            return value.number();
        }
        self.strings.as_ref()?.get(value.data)
    }

    fn value(&mut self, id: u32) -> Option<Value> {
        if let Some(found) = self.found.get(&id) {
            return *found;
        }
        if self.found.len() == LOOKUPS_MAX {
            return None;
        }
        let found = self.looked_up(id);
        self.found.insert(id, found);
        found
    }

    /// Returns the value for the default language and display.
    fn looked_up(&self, id: u32) -> Option<Value> {
        let (package_id, type_id, entry) = (id >> 24, (id >> 16 & 0xff) as u8, id & 0xffff);
        let mut best: Option<(Fit, Value)> = None;
        for (package, of_type, chunk) in &self.places {
            if (*package, *of_type) != (package_id, type_id) {
                continue;
            }
            let Some(value) = value_in(chunk, entry) else { continue };
            let fit = fit(chunk);
            if best.is_none_or(|(best, _)| fit > best) {
                best = Some((fit, value));
            }
        }
        best.map(|(_, value)| value)
    }
}

/// The fit of a configuration when none is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    OtherLanguage,
    English,
    NoLanguage,
    Default,
}

fn fit(chunk: &Chunk<'_>) -> Fit {
    const CONFIGURATION: usize = 20;
    let len = chunk.u32(CONFIGURATION).unwrap_or(0) as usize;
    let end = CONFIGURATION.saturating_add(len).min(chunk.head_len).min(chunk.bytes.len());
    // The configuration starts with its own length, then comes the phone company, then language and country.
    let said = chunk.bytes.get(CONFIGURATION + 4..end).unwrap_or_default();
    match said.get(4..6) {
        _ if said.iter().all(|&byte| byte == 0) => Fit::Default,
        Some([0, 0]) => Fit::NoLanguage,
        Some(b"en") => Fit::English,
        _ => Fit::OtherLanguage,
    }
}

/// Returns the value of an entry of a type, if it has one that is no list.
fn value_in(chunk: &Chunk<'_>, entry: u32) -> Option<Value> {
    const IS_SPARSE: u8 = 1;
    const HAS_SHORT_OFFSETS: u8 = 2;
    let flags = *chunk.bytes.get(9)?;
    let (count, start) = (chunk.u32(12)?, chunk.u32(16)? as usize);
    let offset = if flags & IS_SPARSE != 0 {
        // Pairs of an entry and a quarter of its offset.
        (0..count as usize)
            .map(|nth| chunk.head_len + 4 * nth)
            .map_while(|at| chunk.u32(at))
            .find_map(|pair| (pair & 0xffff == entry).then_some((pair >> 16) as usize * 4))?
    } else if entry >= count {
        return None;
    } else if flags & HAS_SHORT_OFFSETS != 0 {
        match chunk.u16(chunk.head_len + 2 * entry as usize)? {
            // The largest offset marks an entry without a value.
            u16::MAX => return None,
            quarter => usize::from(quarter) * 4,
        }
    } else {
        match chunk.u32(chunk.head_len + 4 * entry as usize)? {
            u32::MAX => return None,
            offset => offset as usize,
        }
    };
    let at = start.checked_add(offset)?;
    let (len, flags) = (usize::from(chunk.u16(at)?), chunk.u16(at.checked_add(2)?)?);
    const IS_LIST: u16 = 1;
    const IS_COMPACT: u16 = 8;
    // A compact entry has its value's type in place of further flags.
    if flags & IS_COMPACT != 0 {
        return Some(Value { kind: (flags >> 8) as u8, data: chunk.u32(at.checked_add(4)?)? });
    }
    if flags & IS_LIST != 0 {
        return None;
    }
    Value::read(chunk, at.checked_add(len)?)
}
