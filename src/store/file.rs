//! One file, written whole or not at all.
//!
//! It is written beside the place it is for, under a name that ends in `.tmp`, and takes that place at once. Whoever
//! writes holds a lock on it, so that the next writer tells what a killed one has left from what another is at.

use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::disk::{Disk, Real};

/// How the name of a file begins while it is written, and how it ends.
const BESIDE: (&str, &str) = (".farlead-", ".tmp");

/// So many names are tried: more than there are writers.
const NAMES_MAX: usize = 1_000;

/// More links in a row lead in a circle; Linux follows as many.
const LINKS_MAX: usize = 40;

/// Why a file or folder could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {why}{}", path.display(), advice(why))]
pub struct WriteError {
    /// Which.
    pub path: PathBuf,
    /// What the system says.
    pub why: io::Error,
}

fn advice(why: &io::Error) -> &'static str {
    match why.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "; make room there, or write elsewhere",
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => "; may this user write there?",
        _ => "",
    }
}

/// Puts `bytes` in the file at `path`, whole or not at all.
///
/// What a link leads to is replaced, and not the link; who may do what with the file stays as it was; folders that are
/// missing are made. Whatever happens on the way, the file holds either what it held or `bytes`.
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

/// As [`write()`], on a disk of one's choice.
pub fn write_on(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let written = followed(path).and_then(|target| replace(disk, &target, bytes));
    written.map_err(|why| WriteError { path: path.to_path_buf(), why })
}

fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let permissions = permissions(path)?;
    let folder = folder(path);
    make_folders(disk, folder)?;
    sweep(disk, folder);
    let (beside, file) = create_beside(disk, folder)?;
    let written = fill(disk, &file, permissions, bytes).and_then(|()| disk.rename(&beside, path));
    if written.is_err() {
        // It is of no use, and what matters is why.
        let _ = disk.remove_file(&beside);
    }
    written.and_then(|()| disk.sync_folder(folder))
}

/// Writes all of a file, so that it outlasts a loss of power.
fn fill(disk: &dyn Disk, file: &File, permissions: Option<Permissions>, bytes: &[u8]) -> io::Result<()> {
    // First, as what is written may not be for everyone.
    if let Some(permissions) = permissions {
        disk.permit(file, permissions)?;
    }
    disk.write(file, bytes)?;
    disk.sync(file)
}

/// Who may do what with the file at `path`, if there is one; something else is not to be replaced.
fn permissions(path: &Path) -> io::Result<Option<Permissions>> {
    let refuse = |what| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    if path.file_name().is_none() {
        return refuse("this names no file");
    }
    match fs::metadata(path) {
        // A pipe or a device would be gone if a file took its place.
        Ok(found) if !found.is_file() => refuse("what is there is no file"),
        Ok(found) => Ok(Some(found.permissions())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Where the links at `path` lead, be there something or not.
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

/// The folder that the file at `path` lies in.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}

/// Makes the folder at `path`, and those it lies in, as far as they are missing.
pub(super) fn make_folders(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.is_dir();
    let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
    for path in missing.into_iter().rev() {
        match disk.make_folder(path) {
            // Someone else may have been first.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
            Err(error) => return Err(error),
            Ok(()) => disk.sync_folder(folder(path))?,
        }
    }
    Ok(())
}

/// Makes a file in `folder` that nobody takes for anything else, and locks it.
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
    Err(io::Error::other(format!("{NAMES_MAX} files are being written in {}", folder.display())))
}

/// Removes what killed writers have left in `folder`.
fn sweep(disk: &dyn Disk, folder: &Path) {
    // What cannot be removed now is met again at the next write, and is of no harm: no reader takes it for anything.
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

/// Whether a lock was to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// It is held now, until the file is closed.
    Had,
    /// Another holds it: a process that lives.
    Others,
    /// There are no locks on this file system.
    Unknown,
}

/// Locks `file`, if nobody else has.
pub(super) fn hold(file: &File) -> Hold {
    match file.try_lock() {
        Ok(()) => Hold::Had,
        Err(TryLockError::WouldBlock) => Hold::Others,
        Err(TryLockError::Error(_)) => Hold::Unknown,
    }
}

/// Locks the file at `path`, if nobody else has; nothing if there is no such file.
pub(super) fn hold_at(path: &Path) -> Option<(File, Hold)> {
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    // Some systems lock only what is opened to be written.
    let file = is_file.then(|| File::options().read(true).write(true).open(path).ok())??;
    let hold = hold(&file);
    Some((file, hold))
}

/// Locks `file`, just made at `path`, and says whether it is still there.
///
/// Before it was locked, another may have taken it for one that was left. Whoever removes a file holds its lock, so once
/// it is locked here and still there, nobody will.
pub(super) fn is_mine(file: &File, path: &Path) -> bool {
    hold(file) != Hold::Others && fs::symlink_metadata(path).is_ok()
}
