//! Facts of an APK without a model: the first element of its manifest, for whoever needs no more.
//!
//! A phone lists an app by these, also where the rest of its manifest is in no form that [`super::Manifest`] reads.

use std::io::Cursor;

use super::chunk::{Chunk, Strings, chunks};
use crate::device::android::archive::{Archive, MANIFEST_PATH};

/// Longest part of a manifest that is read: its first element is at the front.
const BYTES_MAX: usize = 4 << 20;

/// Package and version of an app.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub package: String,
    pub version: String,
    pub version_code: u32,
}

impl Facts {
    /// Returns the facts of an APK; nothing if they cannot be read.
    pub fn read(apk: &[u8]) -> Option<Facts> {
        let mut archive = Archive::open(Cursor::new(apk)).ok()?;
        first_element(&archive.entry(MANIFEST_PATH, BYTES_MAX).ok()??)
    }
}

fn first_element(xml: &[u8]) -> Option<Facts> {
    const HEADER_LEN: usize = 8;
    let mut strings = None;
    for chunk in chunks(xml, HEADER_LEN) {
        match chunk.kind {
            Strings::KIND => strings = Strings::read(chunk),
            super::START_TAG => return element(&chunk, &strings?),
            _ => {}
        }
    }
    None
}

fn element(chunk: &Chunk<'_>, strings: &Strings<'_>) -> Option<Facts> {
    let (start, size, count) = (chunk.u16(24)?, chunk.u16(26)?, chunk.u16(28)?);
    let mut facts = Facts::default();
    for nth in 0..usize::from(count) {
        // Some packers write a size of 0; an attribute has five numbers.
        let at = 16 + usize::from(start) + nth * usize::from(size.max(20));
        let name = strings.get(chunk.u32(at + 4)?)?;
        let value = chunk.u32(at + 16)?;
        match name.as_str() {
            "package" => facts.package = strings.get(chunk.u32(at + 8)?)?,
            "versionName" => facts.version = strings.get(value).unwrap_or_default(),
            "versionCode" => facts.version_code = value,
            _ => {}
        }
    }
    // The package becomes a path on the phone, so no other character may be in it.
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_');
    let is_package =
        !facts.package.is_empty() && facts.package.len() < 256 && facts.package.chars().all(is_name);
    is_package.then_some(facts)
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
        assert_eq!(Facts::read(&apk), Some(expected));
        assert_eq!(Facts::read(b"PK"), None);
    }

    #[test]
    fn a_broken_manifest_says_nothing() {
        for length in 0..60 {
            assert_eq!(first_element(&vec![0xff; length]), None);
            assert_eq!(first_element(&vec![0; length]), None);
        }
    }
}
