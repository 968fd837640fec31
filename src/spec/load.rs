//! Files of texts and apps, read within a bound.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use crate::text::{Diagnostic, Source};

/// Size of the largest file that is read: that of a large app.
pub const FILE_BYTES_MAX: u64 = 512 << 20;

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
    /// The file is larger than any that is read.
    #[error("cannot read {path}: it is larger than {} MB", FILE_BYTES_MAX >> 20)]
    Large {
        /// The file.
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

/// Reads the file at `path`.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let unreadable = |source: io::Error| ReadError::Unreadable { path: path.display().to_string(), source };
    let mut bytes = Vec::new();
    // A device has no size and no end, so its size is no bound.
    let file = fs::File::open(path).map_err(unreadable)?;
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(ReadError::Large { path: path.display().to_string() });
    }
    Ok(bytes)
}

/// Reads the text in the file at `path`, in whatever language it is.
pub fn read_text(path: &Path) -> Result<Source, ReadError> {
    text_of(path, read_bytes(path)?)
}

/// Returns the text that `bytes` are, which were read from the file at `path`.
pub(crate) fn text_of(path: &Path, bytes: Vec<u8>) -> Result<Source, ReadError> {
    Source::from_bytes(path.display().to_string(), bytes).map_err(|not_text| {
        let Diagnostic { message, help, span, .. } = &not_text.diagnostic;
        let at = not_text.source.position(span.start);
        let help = help.as_deref().map(|help| format!("; {help}")).unwrap_or_default();
        ReadError::NotText {
            path: path.display().to_string(),
            line: at.line,
            column: at.column,
            message: format!("{message}{help}"),
        }
    })
}
