//! Chunks, the parts of Android's binary files, and pools of strings in them.
//!
//! Whatever lengths the bytes claim, nothing is read beyond them, and a string is only decoded when it is
//! needed.

/// A part of a binary file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk<'b> {
    pub kind: u16,
    pub head_len: usize,
    /// All bytes of the chunk, the head included.
    pub bytes: &'b [u8],
    /// Its offset in the bytes that it was read from.
    pub at: usize,
}

/// Returns consecutive chunks in `bytes` from `at` on, up to the end or the first broken one.
pub(super) fn chunks(bytes: &[u8], mut at: usize) -> impl Iterator<Item = Chunk<'_>> {
    std::iter::from_fn(move || {
        let chunk = Chunk::read(bytes, at)?;
        at += chunk.bytes.len();
        Some(chunk)
    })
}

impl<'b> Chunk<'b> {
    const HEAD_LEN_MIN: usize = 8;

    /// Returns the chunk that starts at `at`; if its stated length exceeds `bytes`, it ends with them.
    pub fn read(bytes: &'b [u8], at: usize) -> Option<Chunk<'b>> {
        let (kind, head_len) = (u16_at(bytes, at)?, usize::from(u16_at(bytes, at + 2)?));
        // The reads above have shown that `at` lies within the bytes.
        let len = (u32_at(bytes, at + 4)? as usize).min(bytes.len() - at);
        // A chunk of length 0 would come again for ever.
        if head_len < Chunk::HEAD_LEN_MIN || len < head_len {
            return None;
        }
        Some(Chunk { kind, head_len, bytes: &bytes[at..at + len], at })
    }

    /// Returns the two-byte number at `at`.
    pub fn u16(&self, at: usize) -> Option<u16> {
        u16_at(self.bytes, at)
    }

    /// Returns the four-byte number at `at`.
    pub fn u32(&self, at: usize) -> Option<u32> {
        u32_at(self.bytes, at)
    }
}

/// Returns the two-byte number at `at`.
fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    // Any offset may stand in the file, so the sum could overflow.
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

/// Returns the four-byte number at `at`.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// A typed value: its type and four bytes, which may be the number of a string or of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub kind: u8,
    pub data: u32,
}

impl Value {
    pub const REFERENCE: u8 = 0x01;
    pub const STRING: u8 = 0x03;
    pub const BOOLEAN: u8 = 0x12;

    /// Returns the value at `at` of `chunk`. It starts with its own length, which is not needed.
    pub fn read(chunk: &Chunk<'_>, at: usize) -> Option<Value> {
        Some(Value { kind: *chunk.bytes.get(at.checked_add(3)?)?, data: chunk.u32(at.checked_add(4)?)? })
    }

    /// Returns the value as text, if it is a number.
    pub fn number(self) -> Option<String> {
        match self.kind {
            0x10 => Some((self.data as i32).to_string()),
            0x11 => Some(format!("0x{:x}", self.data)),
            _ => None,
        }
    }
}

/// A pool of strings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strings<'b> {
    chunk: Chunk<'b>,
    count: u32,
    start: usize,
    is_utf8: bool,
}

impl<'b> Strings<'b> {
    /// The kind of a chunk that is a pool of strings.
    pub const KIND: u16 = 0x0001;

    /// Most letters read of a string; names and labels are shorter.
    const LETTERS_MAX: usize = 1_000;

    pub fn read(chunk: Chunk<'b>) -> Option<Strings<'b>> {
        if chunk.kind != Strings::KIND {
            return None;
        }
        let is_utf8 = chunk.u32(16)? & 0x100 != 0;
        Some(Strings { chunk, count: chunk.u32(8)?, start: chunk.u32(20)? as usize, is_utf8 })
    }

    /// Returns the string with this number. Invalid letters become `�`; zeros at the end are removed.
    pub fn get(&self, number: u32) -> Option<String> {
        if number >= self.count {
            return None;
        }
        let offset = self.chunk.u32(self.chunk.head_len.checked_add(4 * number as usize)?)?;
        let at = self.start.checked_add(offset as usize)?;
        let text = if self.is_utf8 { self.utf8(at)? } else { self.utf16(at)? };
        Some(text.trim_end_matches('\0').to_string())
    }

    fn utf16(&self, at: usize) -> Option<String> {
        let first = self.chunk.u16(at)?;
        // The length of a string of more than 32,767 letters takes two numbers.
        let (len, at) = match first & 0x8000 {
            0 => (usize::from(first), at + 2),
            _ => (usize::from(first & 0x7fff) << 16 | usize::from(self.chunk.u16(at + 2)?), at + 4),
        };
        let letters = (0..len.min(Strings::LETTERS_MAX)).map_while(|nth| self.chunk.u16(at + 2 * nth));
        Some(char::decode_utf16(letters).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
    }

    fn utf8(&self, at: usize) -> Option<String> {
        // The length in UTF-16 comes first and is not needed.
        let (_, at) = self.short_len(at)?;
        let (len, at) = self.short_len(at)?;
        let rest = self.chunk.bytes.get(at..)?;
        let bytes = &rest[..len.min(rest.len()).min(Strings::LETTERS_MAX)];
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Returns a length of one byte or two, and the offset after it.
    fn short_len(&self, at: usize) -> Option<(usize, usize)> {
        let first = usize::from(*self.chunk.bytes.get(at)?);
        match first & 0x80 {
            0 => Some((first, at + 1)),
            _ => Some(((first & 0x7f) << 8 | usize::from(*self.chunk.bytes.get(at + 1)?), at + 2)),
        }
    }
}
