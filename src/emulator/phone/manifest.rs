//! Whose an APK is that carries no model: the few facts of its manifest that `pm` asks for.
//!
//! Android's binary XML is read as far as the first element, and no byte of it is believed.

use std::io::{Cursor, Read as _};

use zip::ZipArchive;

/// How long a manifest is at most.
const MANIFEST_BYTES_MAX: u64 = 4 << 20;

/// What `manifest` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub package: String,
    pub version: String,
    pub version_code: u32,
}

/// Reads the manifest of an APK; nothing if there is none that can be read.
pub(super) fn facts(apk: &[u8]) -> Option<Facts> {
    let mut zip = ZipArchive::new(Cursor::new(apk)).ok()?;
    let entry = zip.by_name("AndroidManifest.xml").ok()?;
    let mut bytes = Vec::new();
    entry.take(MANIFEST_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    first_element(&bytes)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes([two[0], two[1]]))
}

fn first_element(bytes: &[u8]) -> Option<Facts> {
    let mut at = 8;
    let mut strings: &[u8] = &[];
    loop {
        let size = number(bytes, at + 4)? as usize;
        let chunk = bytes.get(at..at.checked_add(size)?).filter(|chunk| chunk.len() >= 8)?;
        match short(bytes, at)? {
            0x0001 => strings = chunk,
            0x0102 => return element(chunk, strings),
            _ => {}
        }
        at += size;
    }
}

fn element(chunk: &[u8], strings: &[u8]) -> Option<Facts> {
    let (start, size, count) = (short(chunk, 24)?, short(chunk, 26)?, short(chunk, 28)?);
    let mut facts = Facts::default();
    for nth in 0..usize::from(count) {
        let at = 16 + usize::from(start) + nth * usize::from(size.max(20));
        let name = text(strings, number(chunk, at + 4)?)?;
        let value = number(chunk, at + 16)?;
        match name.as_str() {
            "package" => facts.package = text(strings, number(chunk, at + 8)?)?,
            "versionName" => facts.version = text(strings, value).unwrap_or_default(),
            "versionCode" => facts.version_code = value,
            _ => {}
        }
    }
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_');
    (!facts.package.is_empty() && facts.package.len() < 256 && facts.package.chars().all(is_name))
        .then_some(facts)
}

/// A text of the pool.
fn text(pool: &[u8], nth: u32) -> Option<String> {
    let (count, flags, start) = (number(pool, 8)?, number(pool, 16)?, number(pool, 20)?);
    if nth >= count {
        return None;
    }
    let offset = number(pool, 28_usize.checked_add(4 * nth as usize)?)?;
    let mut at = (start as usize).checked_add(offset as usize)?;
    if flags & 0x100 != 0 {
        // Two lengths, in letters and in bytes, each in one byte or two.
        for is_last in [false, true] {
            let first = *pool.get(at)?;
            let second = *pool.get(at + 1)?;
            let (length, width) = match first & 0x80 {
                0 => (usize::from(first), 1),
                _ => (usize::from(first & 0x7f) << 8 | usize::from(second), 2),
            };
            at += width;
            if is_last {
                return Some(String::from_utf8_lossy(pool.get(at..at.checked_add(length)?)?).into_owned());
            }
        }
        return None;
    }
    let length = usize::from(short(pool, at)?);
    let units = pool.get(at + 2..(at + 2).checked_add(2 * length)?)?;
    let units: Vec<u16> = units.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
    Some(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::sim::apk::{Manifest, pack};

    #[test]
    fn a_manifest_says_whose_it_is() {
        let manifest = Manifest {
            package: "org.a.b".into(),
            version: "1.2 é".into(),
            version_code: 7,
            label: "A".into(),
            launchable: vec!["org.a.b.Main".into()],
            activities: Vec::new(),
        };
        let apk = pack(&manifest, "").expect("small");
        let expected = Facts { package: "org.a.b".into(), version: "1.2 é".into(), version_code: 7 };
        assert_eq!(facts(&apk), Some(expected));
        assert_eq!(facts(b"PK"), None);
    }

    #[test]
    fn a_broken_manifest_says_nothing() {
        for length in 0..60 {
            assert_eq!(first_element(&vec![0xff; length]), None);
            assert_eq!(first_element(&vec![0; length]), None);
        }
    }
}
