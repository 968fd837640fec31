//! A single file, written whole or not at all.
//!
//! The file is written beside its target, under a name that ends in `.tmp`, and then replaces the target
//! atomically. The writer holds a lock on it, so the next writer can tell the leftover of a killed process from
//! a file still in use.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::disk::{Disk, Real};
use crate::text::shown_path;

/// Start and end of the name of a file while it is written.
const BESIDE: (&str, &str) = (".farlead-", ".tmp");

/// Most names tried: more than there are writers at a time.
const NAMES_MAX: usize = 1_000;

/// Most links in a row, as on Linux; more are taken for a circle.
const LINKS_MAX: usize = 40;

/// A file or folder could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {why}{}", shown_path(path), advice(why))]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// The error of the system.
    pub why: io::Error,
}

fn advice(why: &io::Error) -> &'static str {
    match why.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "; make room there, or write elsewhere",
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => "; may this user write there?",
        _ => "",
    }
}

/// Replaces the content of the file at `path` with `bytes`, whole or not at all.
///
/// Follows links and replaces their target; keeps the file's permissions; creates missing folders. At every
/// moment the file holds either its old content or `bytes`.
///
/// ```no_run
/// use std::path::Path;
///
/// farlead::store::write(Path::new("farlead-tests/notes/save.test.ltl"), b"possible \"save\": F [text = saved]\n")?;
/// # Ok::<(), farlead::store::WriteError>(())
/// ```
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_on(&Real, path, bytes)
}

/// Writes as [`write()`] does, on the given disk.
pub fn write_on(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let batch = Batch::on(disk);
    let staged = batch.stage(path, bytes)?;
    batch.place(staged)?;
    batch.sync()
}

/// Many files, each written as [`write()`] does: several threads write them beside their places, and one names them in
/// order. What serves a whole folder is done once for all files in it.
#[derive(Debug)]
pub struct Batch<'a> {
    disk: &'a dyn Disk,
    /// Folders without leftovers of killed writers.
    swept: Mutex<BTreeSet<PathBuf>>,
    /// Folders with names that are not synced yet, each with the path of a file in it.
    unsynced: Mutex<BTreeMap<PathBuf, PathBuf>>,
}

/// A file that is written beside its place, and survives a loss of power there. Dropped, it is removed.
#[derive(Debug)]
pub struct Staged<'a> {
    disk: &'a dyn Disk,
    /// Path as it was given, for messages.
    path: PathBuf,
    /// The same without links.
    target: PathBuf,
    beside: PathBuf,
    /// Open, as it is locked as long as that.
    _file: File,
    is_placed: bool,
}

impl Batch<'_> {
    /// Returns a batch on the disk of this machine.
    pub fn new() -> Batch<'static> {
        Batch::on(&Real)
    }
}

impl Default for Batch<'_> {
    fn default() -> Self {
        Batch::new()
    }
}

impl<'a> Batch<'a> {
    /// Returns a batch on the given disk.
    pub fn on(disk: &'a dyn Disk) -> Batch<'a> {
        Batch { disk, swept: Mutex::default(), unsynced: Mutex::default() }
    }

    /// Writes `bytes` beside `path`, which stays as it is.
    pub fn stage(&self, path: &Path, bytes: &[u8]) -> Result<Staged<'a>, WriteError> {
        self.stage_beside(path, bytes).map_err(|why| WriteError { path: path.to_path_buf(), why })
    }

    fn stage_beside(&self, path: &Path, bytes: &[u8]) -> io::Result<Staged<'a>> {
        let disk = self.disk;
        let target = followed(path)?;
        let permissions = permissions(&target)?;
        let folder = folder(&target);
        make_folders(disk, folder)?;
        // Going through a folder for each of a thousand files takes longer than writing them.
        if held(&self.swept).insert(folder.to_path_buf()) {
            sweep(disk, folder);
        }
        let (beside, file) = create_beside(disk, folder)?;
        let filled = fill(disk, &file, permissions, bytes);
        let staged = Staged { disk, path: path.to_path_buf(), target, beside, _file: file, is_placed: false };
        filled.map(|()| staged)
    }

    /// Puts a staged file in its place.
    pub fn place(&self, mut staged: Staged<'a>) -> Result<(), WriteError> {
        let renamed = self.disk.rename(&staged.beside, &staged.target);
        renamed.map_err(|why| WriteError { path: staged.path.clone(), why })?;
        staged.is_placed = true;
        let folder = folder(&staged.target).to_path_buf();
        held(&self.unsynced).entry(folder).or_insert_with(|| staged.path.clone());
        Ok(())
    }

    /// Returns once all files in their places would stay there after a loss of power.
    pub fn sync(&self) -> Result<(), WriteError> {
        let unsynced = std::mem::take(&mut *held(&self.unsynced));
        let mut all = Ok(());
        for (folder, path) in unsynced {
            // The first error is the one to report, and the other folders are synced all the same.
            let synced = self.disk.sync_folder(&folder).map_err(|why| WriteError { path, why });
            all = all.and(synced);
        }
        all
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if !self.is_placed {
            // Without its place the file is useless, and a leftover is removed by the next writer.
            let _ = self.disk.remove_file(&self.beside);
        }
    }
}

/// Returns what `mutex` guards. A set of paths is whole even if a thread panicked while it held the lock.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a whole file, so that it survives a loss of power.
fn fill(disk: &dyn Disk, file: &File, permissions: Option<Permissions>, bytes: &[u8]) -> io::Result<()> {
    // Permissions first, as the content may not be for everyone.
    if let Some(permissions) = permissions {
        disk.permit(file, permissions)?;
    }
    disk.write(file, bytes)?;
    disk.sync(file)
}

/// Returns the permissions of the file at `path`, if there is one; fails if something else is there.
fn permissions(path: &Path) -> io::Result<Option<Permissions>> {
    let refuse = |what| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    if path.file_name().is_none() {
        return refuse("this names no file");
    }
    match fs::metadata(path) {
        // Replacing a pipe or a device by a file would destroy it.
        Ok(found) if !found.is_file() => refuse("what is there is no file"),
        Ok(found) => Ok(Some(found.permissions())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Follows the links at `path` to their end, whether or not something exists there.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&path) {
            Ok(target) => path = folder(&path).join(target),
            // It is no link.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("these are more than {LINKS_MAX} links in a row"),
    ))
}

/// Returns the folder of the file at `path`.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}

/// Creates the folder at `path` and its parents, as far as they are missing.
pub(super) fn make_folders(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.is_dir();
    // One by one, so that each new name can be synced in its parent.
    let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
    for path in missing.into_iter().rev() {
        match disk.make_folder(path) {
            // Another process may have been first.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
            Err(error) => return Err(error),
            Ok(()) => disk.sync_folder(folder(path))?,
        }
    }
    Ok(())
}

/// Creates a file in `folder` under a free temporary name, and locks it.
fn create_beside(disk: &dyn Disk, folder: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    for _ in 0..NAMES_MAX {
        let (start, end) = BESIDE;
        let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = folder.join(format!("{start}{process}-{number}{end}"));
        match disk.create(&path) {
            Ok(file) if is_mine(&file, &path) => return Ok((path, file)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!("{NAMES_MAX} files are being written in {}", shown_path(folder))))
}

/// Removes the leftovers of killed writers in `folder`.
fn sweep(disk: &dyn Disk, folder: &Path) {
    // A leftover that cannot be removed now is found again at the next write. It does no harm: no reader opens
    // it.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_left =
            name.to_str().is_some_and(|name| name.starts_with(BESIDE.0) && name.ends_with(BESIDE.1));
        if is_left && let Some((_file, Hold::Had)) = hold_at(&entry.path()) {
            let _ = disk.remove_file(&entry.path());
        }
    }
}

/// The result of trying to lock a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// This process holds the lock until the file is closed.
    Had,
    /// Another live process holds the lock.
    Others,
    /// The file system has no locks.
    Unknown,
}

/// Locks `file`, unless another process has.
pub(super) fn hold(file: &File) -> Hold {
    match file.try_lock() {
        Ok(()) => Hold::Had,
        Err(TryLockError::WouldBlock) => Hold::Others,
        Err(TryLockError::Error(_)) => Hold::Unknown,
    }
}

/// Locks the file at `path`, unless another process has; returns `None` if there is no file.
pub(super) fn hold_at(path: &Path) -> Option<(File, Hold)> {
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    // Some systems only lock files opened for writing.
    let file = is_file.then(|| File::options().read(true).write(true).open(path).ok())??;
    let hold = hold(&file);
    Some((file, hold))
}

/// Locks `file`, just created at `path`, and returns true if it is still there.
///
/// Between creation and lock, another process may have taken the file for a leftover and removed it. A process
/// only removes a file whose lock it holds: once this one is locked and still there, it stays.
pub(super) fn is_mine(file: &File, path: &Path) -> bool {
    hold(file) != Hold::Others && fs::symlink_metadata(path).is_ok()
}
