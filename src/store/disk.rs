//! The calls that change a disk, so that a test can make each of them fail.
//!
//! Reading goes straight to the standard library, as a failed read changes nothing.

use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A disk that can be changed.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Creates the file at `path`, which must not exist.
    fn create(&self, path: &Path) -> io::Result<File>;
    /// Appends `bytes` to `file`.
    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()>;
    /// Sets the permissions of `file`.
    fn permit(&self, file: &File, permissions: Permissions) -> io::Result<()>;
    /// Returns once the bytes written to `file` would survive a loss of power.
    fn sync(&self, file: &File) -> io::Result<()>;
    /// Replaces the file at `to` by the one at `from`, atomically.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes the file or link at `path`.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Creates the folder at `path`, which must not exist.
    fn make_folder(&self, path: &Path) -> io::Result<()>;
    /// Removes the folder at `path`, which must be empty.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Removes the folder at `path` and everything in it; targets of links in it stay.
    fn remove_tree(&self, path: &Path) -> io::Result<()>;
    /// Returns once the names in the folder at `path` would survive a loss of power.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// The disk of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Real;

impl Disk for Real {
    fn create(&self, path: &Path) -> io::Result<File> {
        File::options().read(true).write(true).create_new(true).open(path)
    }

    fn write(&self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    fn permit(&self, file: &File, permissions: Permissions) -> io::Result<()> {
        file.set_permissions(permissions)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn remove_tree(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }

    /// Does nothing on systems that cannot open a folder as a file, and on file systems that do not support it.
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        if cfg!(not(unix)) {
            return Ok(());
        }
        match File::open(path)?.sync_all() {
            Err(error)
                if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) =>
            {
                Ok(())
            }
            synced => synced,
        }
    }
}

/// The disk of this machine, failing on purpose at one call; a write that fails writes half.
#[derive(Debug)]
pub struct Faulty {
    fails_at: usize,
    is_for_good: bool,
    calls: AtomicUsize,
}

impl Faulty {
    /// Returns a disk that fails at the call `fails_at`, counted from 0, and works again after it.
    pub fn once(fails_at: usize) -> Faulty {
        Faulty { fails_at, is_for_good: false, calls: AtomicUsize::new(0) }
    }

    /// Returns a disk that fails at the call `fails_at` and at all later ones, so that no clean-up succeeds
    /// either.
    pub fn for_good(fails_at: usize) -> Faulty {
        Faulty { is_for_good: true, ..Faulty::once(fails_at) }
    }

    /// Returns true if the call at which it fails has been made.
    pub fn has_failed(&self) -> bool {
        self.calls.load(Ordering::Relaxed) > self.fails_at
    }

    fn call(&self) -> io::Result<()> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        if call == self.fails_at || (self.is_for_good && call > self.fails_at) {
            let message = format!("this disk fails on purpose at call {call}");
            return Err(io::Error::new(io::ErrorKind::StorageFull, message));
        }
        Ok(())
    }
}

impl Disk for Faulty {
    fn create(&self, path: &Path) -> io::Result<File> {
        self.call().and_then(|()| Real.create(path))
    }

    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        if let Err(error) = self.call() {
            // A disk that fills up writes a part too, and readers must cope with it.
            Real.write(file, &bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        Real.write(file, bytes)
    }

    fn permit(&self, file: &File, permissions: Permissions) -> io::Result<()> {
        self.call().and_then(|()| Real.permit(file, permissions))
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.call().and_then(|()| Real.sync(file))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call().and_then(|()| Real.rename(from, to))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.call().and_then(|()| Real.remove_file(path))
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.call().and_then(|()| Real.make_folder(path))
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.call().and_then(|()| Real.remove_folder(path))
    }

    fn remove_tree(&self, path: &Path) -> io::Result<()> {
        self.call().and_then(|()| Real.remove_tree(path))
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.call().and_then(|()| Real.sync_folder(path))
    }
}
