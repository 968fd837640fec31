//! Test data beside the repository, read in place. A test that needs missing data reports it and passes.

use std::path::{Path, PathBuf};

/// Returns the path of `name` in the data beside the repository, or says on stderr that it is missing.
pub fn path(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: ../shared/data/{name} is not there");
    None
}

/// Returns the rows of the JSON lines file `name`.
pub fn rows(name: &str) -> Option<Vec<serde_json::Value>> {
    let text = std::fs::read_to_string(path(name)?).expect("a readable file");
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a row of JSON")).collect())
}
