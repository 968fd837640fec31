//! Archives: the zip file that an APK is, read with bounds on everything it claims.

use std::io::{self, Read, Seek, SeekFrom};

use zip::ZipArchive;
use zip::result::ZipError;

/// Path of the manifest in an APK.
pub(in crate::device) const MANIFEST_PATH: &str = "AndroidManifest.xml";

/// Path of the table of resources in an APK.
pub(in crate::device) const RESOURCES_PATH: &str = "resources.arsc";

/// Bytes read from a file at most. A directory of 100,000 entries takes some 10 MB; a longer one leads in circles.
const READ_BYTES_MAX: u64 = 256_000_000;

/// Reason why a file is no APK, or cannot be read as one.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file is something else.
    #[error("this is no APK: {reason}")]
    NotApk {
        /// Missing part.
        reason: &'static str,
    },
    /// The file starts as an APK and is broken.
    #[error("this APK is broken: {reason}")]
    Broken {
        /// Fault found.
        reason: String,
    },
    /// A file in it is packed in a way that is not read here.
    #[error("cannot unpack it: {reason}")]
    Unsupported {
        /// Name of the way.
        reason: &'static str,
    },
    /// The file cannot be read.
    #[error("cannot read: {0}")]
    Unreadable(#[source] io::Error),
}

/// An open APK: a zip file with a manifest in it.
pub(in crate::device) struct Archive<R> {
    zip: ZipArchive<Bounded<R>>,
}

impl<R: Read + Seek> Archive<R> {
    /// Opens an APK; the bytes may be anything.
    pub fn open(mut apk: R) -> Result<Archive<R>, ArchiveError> {
        // `zip` would also take an archive behind other bytes, which Android does not install.
        let mut magic = [0; 2];
        match apk.read_exact(&mut magic) {
            Ok(()) if magic == *b"PK" => {}
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                return Err(ArchiveError::Unreadable(error));
            }
            _ => return Err(ArchiveError::NotApk { reason: "it is no zip file" }),
        }
        let zip = ZipArchive::new(Bounded { inner: apk, left: READ_BYTES_MAX }).map_err(archive_error)?;
        if zip.index_for_name(MANIFEST_PATH).is_none() {
            return Err(ArchiveError::NotApk { reason: "it is a zip file without AndroidManifest.xml" });
        }
        Ok(Archive { zip })
    }

    /// Returns the bytes of the file at `path`, if there is one: `bytes_max` and one more if there are more.
    pub fn entry(&mut self, path: &str, bytes_max: usize) -> Result<Option<Vec<u8>>, ArchiveError> {
        let entry = match self.zip.by_name(path) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(archive_error(error)),
        };
        // The size in the header is a claim; what is unpacked is counted.
        let mut bytes = Vec::new();
        entry
            .take(bytes_max as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| archive_error(ZipError::Io(error)))?;
        Ok(Some(bytes))
    }
}

/// Returns the error in the words of an APK.
pub(in crate::device) fn archive_error(error: ZipError) -> ArchiveError {
    match error {
        // `zip` reports a file that ends too early, and a wrong checksum, as errors of input and output.
        ZipError::Io(error) => match error.kind() {
            io::ErrorKind::UnexpectedEof => ArchiveError::Broken { reason: "it ends too early".to_string() },
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other => {
                ArchiveError::Broken { reason: error.to_string() }
            }
            _ => ArchiveError::Unreadable(error),
        },
        ZipError::UnsupportedArchive(reason) => ArchiveError::Unsupported { reason },
        ZipError::InvalidArchive(reason) => ArchiveError::Broken { reason: reason.into_owned() },
        other => ArchiveError::Broken { reason: other.to_string() },
    }
}

/// A reader with a budget: in a hostile file each place where it might end can lead to the same long directory.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A read of one byte costs a call all the same.
        const CALL_COST: u64 = 64;
        let Some(left) = self.left.checked_sub(CALL_COST + buffer.len() as u64) else {
            return Err(io::Error::other("its directory leads in circles"));
        };
        self.left = left;
        self.inner.read(buffer)
    }
}

impl<R: Seek> Seek for Bounded<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}
