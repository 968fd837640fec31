//! Folders of runs: each has a number and a file of events, written line by line; the oldest are removed.
//!
//! A folder is ours if its name is a number and it has a file `lock`. The writer of a run holds a lock on that
//! file, so no other process removes the folder, and leftovers of killed processes are recognised. Other
//! folders are left alone.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::{Disk, Real};
use super::file::{Hold, WriteError, hold_at, is_mine, make_folders, write_on};
use super::order::{Order, OrderError};
use crate::event::Event;
use crate::gui::{Bounds, Identity, Screen};
use crate::text::shown_path;

/// The file of events in the folder of a run.
pub const EVENTS_FILE: &str = "events.jsonl";

/// Default number of runs kept.
pub const KEEP: usize = 20;

/// The file that marks a folder of ours.
const LOCK_FILE: &str = "lock";

/// The path of the runs in a project: farlead's own folder, and the runs in it.
const FOLDERS: [&str; 2] = [".farlead", "runs"];

/// The largest number of a run, far beyond real use.
const NUMBER_MAX: u32 = 999_999_999;

/// The reason a run was not written.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The disk failed.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The event cannot come next; the run can go on without it.
    #[error("cannot add to {}: {fault}", shown_path(path))]
    Event {
        /// The file of events.
        path: PathBuf,
        /// The fault of the event.
        fault: OrderError,
    },
    /// An earlier event could not be written.
    #[error("cannot add to {}: an event before it could not be written", shown_path(path))]
    Stopped {
        /// The file of events.
        path: PathBuf,
    },
}

/// The runs of a project.
#[derive(Clone, Debug)]
pub struct Runs {
    folder: PathBuf,
    disk: Arc<dyn Disk>,
}

impl Runs {
    /// Returns the runs in `.farlead/runs` below the folder `project`; creates nothing.
    pub fn new(project: &Path) -> Runs {
        Runs::on(Arc::new(Real), project)
    }

    /// Returns the runs as [`Runs::new`] does, on the given disk.
    pub fn on(disk: Arc<dyn Disk>, project: &Path) -> Runs {
        Runs { folder: FOLDERS.iter().fold(project.to_path_buf(), |folder, name| folder.join(name)), disk }
    }

    /// Returns the folder of all runs.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folders of all runs that have begun, the oldest first.
    pub fn list(&self) -> io::Result<Vec<PathBuf>> {
        let folders = self.numbers()?.into_iter().map(|number| self.folder_of(number));
        Ok(folders.filter(|folder| is_ours(folder) && has_begun(folder)).collect())
    }

    /// Creates the folder of a new run, numbered after the last, and removes the oldest runs so that `keep` are
    /// left with the new one. Runs being written, and runs that cannot be removed, stay.
    pub fn begin(&self, keep: usize) -> Result<RunWriter, WriteError> {
        self.make_folder()?;
        let writer = self.make_run()?;
        self.drop_old(writer.number, keep);
        Ok(writer)
    }

    fn make_folder(&self) -> Result<(), WriteError> {
        if self.folder.is_dir() {
            return Ok(());
        }
        let above = self.folder.parent().expect("a folder of two names");
        let failed = |why| WriteError { path: self.folder.clone(), why };
        make_folders(&*self.disk, above).map_err(failed)?;
        // Before the folder of runs, so that it exists even if this process ends here.
        let ignored = above.join(".gitignore");
        if fs::symlink_metadata(&ignored).is_err() {
            write_on(&*self.disk, &ignored, b"*\n")?;
        }
        make_folders(&*self.disk, &self.folder).map_err(failed)
    }

    fn make_run(&self) -> Result<RunWriter, WriteError> {
        let failed = |path: &Path, why| WriteError { path: path.to_path_buf(), why };
        let numbers = self.numbers().map_err(|why| failed(&self.folder, why))?;
        for number in numbers.last().map_or(1, |last| last + 1)..=NUMBER_MAX {
            let folder = self.folder_of(number);
            if let Some(writer) = self.try_run(number, &folder).map_err(|why| failed(&folder, why))? {
                return Ok(writer);
            }
        }
        let why = format!("there is a run {NUMBER_MAX}, and no number after it; remove it");
        Err(failed(&self.folder, io::Error::other(why)))
    }

    /// Creates the folder of the run `number`, unless another process has taken it.
    fn try_run(&self, number: u32, folder: &Path) -> io::Result<Option<RunWriter>> {
        match self.disk.make_folder(folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            made => made?,
        }
        let lock_path = folder.join(LOCK_FILE);
        let lock = match self.disk.create(&lock_path) {
            // Another process took the empty folder for a leftover and removed it; a third may have created it
            // again.
            Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::AlreadyExists].contains(&error.kind()) => {
                return Ok(None);
            }
            Err(error) => {
                let _ = self.disk.remove_folder(folder);
                return Err(error);
            }
            Ok(lock) if !is_mine(&lock, &lock_path) => return Ok(None),
            Ok(lock) => lock,
        };
        let made = self.make_events(folder);
        if made.is_err() {
            // The first error is the one to report; the next run removes what is left here.
            let _ = self.remove(folder);
        }
        Ok(Some(RunWriter {
            number,
            folder: folder.to_path_buf(),
            path: folder.join(EVENTS_FILE),
            events: made?,
            _lock: lock,
            disk: self.disk.clone(),
            order: Order::default(),
            is_unsynced: false,
            is_stopped: false,
        }))
    }

    fn make_events(&self, folder: &Path) -> io::Result<File> {
        let events = self.disk.create(&folder.join(EVENTS_FILE))?;
        // A synced file is lost with a folder whose own name was not synced.
        self.disk.sync_folder(folder)?;
        self.disk.sync_folder(&self.folder)?;
        Ok(events)
    }

    /// Removes the oldest runs before `newest`, and leftovers of killed processes.
    fn drop_old(&self, newest: u32, keep: usize) {
        // Failing to clean up is no error: the old runs can go at the next run.
        let Ok(numbers) = self.numbers() else { return };
        let mut kept = 1;
        for number in numbers.into_iter().rev().filter(|&number| number != newest) {
            let folder = self.folder_of(number);
            if !is_folder(&folder) {
                continue;
            }
            if !is_ours(&folder) {
                // An empty folder is the leftover of a killed process. A folder with something in it is not
                // ours, and this call fails.
                let _ = self.disk.remove_folder(&folder);
            } else if has_begun(&folder) && kept < keep {
                kept += 1;
            } else if let Some((_lock, hold)) = hold_at(&folder.join(LOCK_FILE)) {
                // Without locks, a run that has not begun may be about to.
                if hold == Hold::Had || (hold == Hold::Unknown && has_begun(&folder)) {
                    let _ = self.remove(&folder);
                }
            }
        }
    }

    /// Removes the folder of a run: first its events, without which it is no run, and last the mark that it is
    /// ours.
    fn remove(&self, folder: &Path) -> io::Result<()> {
        let events = folder.join(EVENTS_FILE);
        if fs::symlink_metadata(&events).is_ok() {
            self.disk.remove_file(&events)?;
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if is_folder(&path) {
                self.disk.remove_tree(&path)?;
            } else if path.file_name().is_some_and(|name| name != LOCK_FILE) {
                self.disk.remove_file(&path)?;
            }
        }
        self.disk.remove_file(&folder.join(LOCK_FILE))?;
        self.disk.remove_folder(folder)
    }

    /// Returns the numbers in use, sorted.
    fn numbers(&self) -> io::Result<Vec<u32>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut numbers = Vec::new();
        for entry in entries {
            numbers.extend(entry?.file_name().to_str().and_then(number_of));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn folder_of(&self, number: u32) -> PathBuf {
        self.folder.join(name_of(number))
    }
}

fn name_of(number: u32) -> String {
    format!("{number:04}")
}

/// Returns the number that `name` stands for, if it is written as [`name_of`] does.
fn number_of(name: &str) -> Option<u32> {
    let number = name.parse().ok()?;
    (number <= NUMBER_MAX && name_of(number) == name).then_some(number)
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

fn is_ours(folder: &Path) -> bool {
    is_folder(folder)
        && fs::symlink_metadata(folder.join(LOCK_FILE)).is_ok_and(|found| found.is_file() && found.len() == 0)
}

/// Returns true if the run has any event.
fn has_begun(folder: &Path) -> bool {
    fs::metadata(folder.join(EVENTS_FILE)).is_ok_and(|found| found.len() > 0)
}

/// A run being written. It stays locked until this is dropped.
#[derive(Debug)]
pub struct RunWriter {
    number: u32,
    folder: PathBuf,
    path: PathBuf,
    events: File,
    _lock: File,
    disk: Arc<dyn Disk>,
    order: Order,
    /// True if a result was written since the last sync.
    is_unsynced: bool,
    is_stopped: bool,
}

impl RunWriter {
    /// Returns the number of the run.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the folder of the run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Appends `event`; the first must be [`Event::RunBegan`].
    ///
    /// After this returns, the event survives the end of the process; after [`RunWriter::sync`] or the end of the
    /// run, also a loss of power. Once the disk has failed, nothing more is written, and all earlier events stay
    /// readable.
    pub fn add(&mut self, event: &Event) -> Result<(), RunError> {
        if self.is_stopped {
            return Err(RunError::Stopped { path: self.path.clone() });
        }
        let mut line = serde_json::to_vec(event).expect("texts and numbers are JSON");
        line.push(b'\n');
        self.order
            .admit(event, line.len())
            .map_err(|fault| RunError::Event { path: self.path.clone(), fault })?;
        // A torn line may end the file after a failure; another line behind it would make the file invalid.
        self.disk.write(&self.events, &line).map_err(|why| self.stop(why))?;
        match event {
            Event::SpecEnded(_) | Event::Explored(_) => self.is_unsynced = true,
            Event::RunEnded { .. } => {
                self.is_unsynced = true;
                self.sync()?;
            }
            Event::RunBegan(_)
            | Event::ScreenMet { .. }
            | Event::ScreenPictured { .. }
            | Event::Mapped(_)
            | Event::SpecBegan(_)
            | Event::EpisodeEnded { .. }
            | Event::SpecChanged { .. } => {}
        }
        Ok(())
    }

    /// Returns once all results so far would survive a loss of power. A sync is slow: where results come one after
    /// the other, one sync serves several of them.
    pub fn sync(&mut self) -> Result<(), RunError> {
        if self.is_stopped || !self.is_unsynced {
            return Ok(());
        }
        self.is_unsynced = false;
        self.disk.sync(&self.events).map_err(|why| self.stop(why))
    }

    fn stop(&mut self, why: io::Error) -> RunError {
        self.is_stopped = true;
        WriteError { path: self.path.clone(), why }.into()
    }
}

/// Numbers for the screens of a run, by appearance and widget bounds.
#[derive(Clone, Debug, Default)]
pub struct ScreenNumbers {
    numbers: BTreeMap<Identity, BTreeMap<Box<[Bounds]>, usize>>,
    next: usize,
}

impl ScreenNumbers {
    /// Returns an empty table.
    pub fn new() -> ScreenNumbers {
        ScreenNumbers::default()
    }

    /// Returns the number of `screen`, and the event that defines it if it is new.
    pub fn number(&mut self, screen: &Arc<Screen>) -> (usize, Option<Event>) {
        let bounds: Box<[Bounds]> = screen.widgets().iter().map(|widget| widget.bounds).collect();
        let next = self.next;
        let number = *self.numbers.entry(screen.identity()).or_default().entry(bounds).or_insert(next);
        if number < next {
            return (number, None);
        }
        self.next += 1;
        (number, Some(Event::ScreenMet { screen: number, seen: screen.clone() }))
    }

    /// Returns the number of screens.
    pub fn count(&self) -> usize {
        self.next
    }
}
