//! Test data of our own, in `tests/it/fixtures`: small, so that a clean clone alone tests every reader.
//!
//! Recordings of real phones and the verdicts of other programs are larger and lie beside the repository, see
//! [`crate::shared`]. Each test that reads those has a sibling that reads these.

mod manifest;

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

pub use manifest::{BinaryManifest, Pool};

/// Returns the path of a fixture.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures").join(name)
}

/// Returns the text of a fixture.
pub fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the rows of a fixture of JSON lines.
pub fn rows(name: &str) -> Vec<serde_json::Value> {
    text(name).lines().map(|line| serde_json::from_str(line).expect("a row of JSON")).collect()
}

/// Returns an APK with this manifest and a file that farlead has no use for.
pub fn apk(manifest: &BinaryManifest) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let files = [("AndroidManifest.xml", manifest.bytes()), ("res/raw/licence.txt", b"free".to_vec())];
    for (name, bytes) in files {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).expect("a new file");
        archive.write_all(&bytes).expect("room in memory");
    }
    archive.finish().expect("a whole archive").into_inner()
}
