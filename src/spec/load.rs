//! Files of texts and apps, read within a bound.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use crate::gui::nearest;
use crate::text::{Diagnostic, Source, shown_path};

/// Size of the largest file that is read: that of a large app.
pub const FILE_BYTES_MAX: u64 = 512 << 20;

/// Size of the largest text that is read: that of the longest stored tests, and of what an agent keeps.
const TEXT_BYTES_MAX: u64 = 64 << 20;

/// Reason why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system did not let us.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// There is no such file, or no such folder.
    #[error("cannot read {path}: there is no such {what}{}", did_you_mean(near.as_deref()))]
    Absent {
        /// The file.
        path: String,
        /// File or folder.
        what: &'static str,
        /// Its nearest neighbour by name.
        near: Option<String>,
    },
    /// The file is larger than any that is read.
    #[error("cannot read {path}: it is larger than {} MB", most >> 20)]
    Large {
        /// The file.
        path: String,
        /// Most bytes that are read of such a file.
        most: u64,
    },
    /// The path is that of a terminal, a disk, or another device.
    #[error("cannot read {path}: it is a device of the system, and no file")]
    NoFile {
        /// The path.
        path: String,
    },
    /// The file is no text.
    #[error("{path}:{line}:{column}: {message}")]
    NotText {
        /// The file.
        path: String,
        /// Line of the first byte that is no text, from 1.
        line: usize,
        /// Its column, from 1.
        column: usize,
        /// The mistake, and what to do.
        message: String,
    },
}

fn did_you_mean(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

/// Reads the file at `path`.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    read_within(path, FILE_BYTES_MAX)
}

/// Reads the text in the file at `path`, in whatever language it is.
pub fn read_text(path: &Path) -> Result<Source, ReadError> {
    text_of(path, read_text_bytes(path)?)
}

/// Reads the file at `path`, which should hold a text.
pub fn read_text_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    read_within(path, TEXT_BYTES_MAX)
}

fn read_within(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let unreadable = |source: io::Error| unreadable(path, source);
    let file = fs::File::open(path).map_err(unreadable)?;
    let found = file.metadata().map_err(unreadable)?;
    if is_device(&found) {
        return Err(ReadError::NoFile { path: shown_path(path) });
    }
    // A pipe has no size in its metadata, and a file may grow, so the reading itself is bounded too.
    let mut bytes = Vec::new();
    if found.len() <= most {
        file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    }
    if found.len().max(bytes.len() as u64) > most {
        return Err(ReadError::Large { path: shown_path(path), most });
    }
    Ok(bytes)
}

/// Returns the error that there was in reading the file at `path`.
pub fn unreadable(path: &Path, source: io::Error) -> ReadError {
    if source.kind() != io::ErrorKind::NotFound {
        return ReadError::Unreadable { path: shown_path(path), source };
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let what = if folder.is_dir() { "file" } else { "folder" };
    ReadError::Absent { path: shown_path(path), what, near: neighbour(folder, path) }
}

/// Returns the path of the entry of `folder` whose name is nearest to that of `path`.
fn neighbour(folder: &Path, path: &Path) -> Option<String> {
    // A folder with more entries is nobody's work.
    const ENTRIES_MAX: usize = 10_000;
    let entries = fs::read_dir(folder).ok()?.take(ENTRIES_MAX).filter_map(Result::ok);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    // A system lists entries in any order.
    names.sort();
    let near = nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(shown_path(&path.with_file_name(near)))
}

/// Returns true for a terminal, a disk and the like, which may have no end.
fn is_device(found: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        found.file_type().is_char_device() || found.file_type().is_block_device()
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        false
    }
}

/// Returns the text that `bytes` are, which were read from the file at `path`.
pub(crate) fn text_of(path: &Path, bytes: Vec<u8>) -> Result<Source, ReadError> {
    Source::from_bytes(path.display().to_string(), bytes).map_err(|not_text| {
        let Diagnostic { message, help, span, .. } = &not_text.diagnostic;
        let at = not_text.source.position(span.start);
        let help = help.as_deref().map(|help| format!("; {help}")).unwrap_or_default();
        ReadError::NotText {
            path: shown_path(path),
            line: at.line,
            column: at.column,
            message: format!("{message}{help}"),
        }
    })
}
