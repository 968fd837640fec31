//! Folders of runs: a number for each, its events a line at a time, and the oldest dropped.
//!
//! A folder is ours if its name is a number and there is a file `lock` in it, on which whoever writes the run holds a
//! lock: so no other process drops it, and what a killed one has left is known. All else is left alone.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::{Disk, Real};
use super::file::{Hold, WriteError, hold_at, is_mine, make_folders, write_on};
use super::order::{Fault, Order};
use crate::event::Event;
use crate::gui::{Bounds, Identity, Screen};

/// The file in the folder of a run that holds its events.
pub const EVENTS_FILE: &str = "events.jsonl";

/// So many runs are kept unless someone says otherwise.
pub const KEEP: usize = 20;

/// What a folder has that was made here.
const LOCK_FILE: &str = "lock";

/// Where runs lie, from the folder of the project: what farlead keeps for itself, and the runs in it.
const FOLDERS: [&str; 2] = [".farlead", "runs"];

/// The largest number of a run; nobody runs so often.
const NUMBER_MAX: u32 = 999_999_999;

/// Why a run was not written.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The disk did not take it.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// It is no event that can come next; the run can go on without it.
    #[error("cannot add to {}: {fault}", path.display())]
    Event {
        /// The file with the events.
        path: PathBuf,
        /// What is wrong with the event.
        fault: Fault,
    },
    /// An event before it could not be written.
    #[error("cannot add to {}: an event before it could not be written", path.display())]
    Stopped {
        /// The file with the events.
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
    /// Returns the runs in `.farlead/runs` below the folder `project`; nothing is made yet.
    pub fn new(project: &Path) -> Runs {
        Runs::on(Arc::new(Real), project)
    }

    /// As [`Runs::new`], on a disk of one's choice.
    pub fn on(disk: Arc<dyn Disk>, project: &Path) -> Runs {
        Runs { folder: FOLDERS.iter().fold(project.to_path_buf(), |folder, name| folder.join(name)), disk }
    }

    /// The folder in which they lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folders of all runs that have begun, the oldest first.
    pub fn list(&self) -> io::Result<Vec<PathBuf>> {
        let folders = self.numbers()?.into_iter().map(|number| self.folder_of(number));
        Ok(folders.filter(|folder| is_ours(folder) && has_begun(folder)).collect())
    }

    /// Makes the folder of a new run, under the number after the last, and drops the oldest runs so that with it `keep` are
    /// left. A run that is being written is not dropped, and neither is what cannot be removed.
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
        // Before the folder of runs, so that it is not forgotten if this process ends here.
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

    /// Makes the folder of the run `number`, unless another has taken it.
    fn try_run(&self, number: u32, folder: &Path) -> io::Result<Option<RunWriter>> {
        match self.disk.make_folder(folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            made => made?,
        }
        let lock_path = folder.join(LOCK_FILE);
        let lock = match self.disk.create(&lock_path) {
            // Another took the empty folder for one that was left, and yet another may have made it anew.
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
            // What matters is why; what is left here is swept at the next run.
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
            is_stopped: false,
        }))
    }

    fn make_events(&self, folder: &Path) -> io::Result<File> {
        let events = self.disk.create(&folder.join(EVENTS_FILE))?;
        self.disk.sync_folder(folder)?;
        self.disk.sync_folder(&self.folder)?;
        Ok(events)
    }

    /// Drops the oldest of the runs before `newest`, and what killed processes have left.
    fn drop_old(&self, newest: u32, keep: usize) {
        // The runs there are do not depend on whether the old ones go now or at the next run.
        let Ok(numbers) = self.numbers() else { return };
        let mut kept = 1;
        for number in numbers.into_iter().rev().filter(|&number| number != newest) {
            let folder = self.folder_of(number);
            if !is_folder(&folder) {
                continue;
            }
            if !is_ours(&folder) {
                // A process that was killed may have left it, if nothing is in it; else this fails.
                let _ = self.disk.remove_folder(&folder);
            } else if has_begun(&folder) && kept < keep {
                kept += 1;
            } else if let Some((_lock, hold)) = hold_at(&folder.join(LOCK_FILE)) {
                // Where there are no locks, one that has not begun may be about to.
                if hold == Hold::Had || (hold == Hold::Unknown && has_begun(&folder)) {
                    let _ = self.remove(&folder);
                }
            }
        }
    }

    /// Removes the folder of a run: its events first, without which it is none, and last what says that it is ours.
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

    /// The numbers that are taken, in their order.
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

/// The number that `name` is, if it is written as we do.
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

/// Whether there is anything of a run's events.
fn has_begun(folder: &Path) -> bool {
    fs::metadata(folder.join(EVENTS_FILE)).is_ok_and(|found| found.len() > 0)
}

/// A run that is being written. It is locked until this is dropped.
#[derive(Debug)]
pub struct RunWriter {
    number: u32,
    folder: PathBuf,
    path: PathBuf,
    events: File,
    _lock: File,
    disk: Arc<dyn Disk>,
    order: Order,
    is_stopped: bool,
}

impl RunWriter {
    /// The number of the run.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes `event` behind those before it; the first is [`Event::RunBegan`].
    ///
    /// Once this returns, the event outlasts the end of the process, and once a spec or the run is over, a loss of power.
    /// After the disk has failed, nothing more is written: what was written before can be read.
    pub fn add(&mut self, event: &Event) -> Result<(), RunError> {
        if self.is_stopped {
            return Err(RunError::Stopped { path: self.path.clone() });
        }
        let mut line = serde_json::to_vec(event).expect("texts and numbers are JSON");
        line.push(b'\n');
        self.order
            .admit(event, line.len())
            .map_err(|fault| RunError::Event { path: self.path.clone(), fault })?;
        self.put(event, &line).map_err(|why| {
            self.is_stopped = true;
            WriteError { path: self.path.clone(), why }.into()
        })
    }

    fn put(&self, event: &Event, line: &[u8]) -> io::Result<()> {
        self.disk.write(&self.events, line)?;
        match event {
            Event::SpecEnded(_) | Event::RunEnded { .. } => self.disk.sync(&self.events),
            Event::RunBegan(_)
            | Event::ScreenMet { .. }
            | Event::SpecBegan(_)
            | Event::EpisodeEnded { .. } => Ok(()),
        }
    }
}

/// The numbers of a run's screens: by what they look like and where their widgets lie.
#[derive(Clone, Debug, Default)]
pub struct ScreenNumbers {
    numbers: BTreeMap<Identity, BTreeMap<Box<[Bounds]>, usize>>,
    next: usize,
}

impl ScreenNumbers {
    /// Returns no numbers.
    pub fn new() -> ScreenNumbers {
        ScreenNumbers::default()
    }

    /// Returns the number of `screen`, and what is to be told if it is new.
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

    /// How many there are.
    pub fn count(&self) -> usize {
        self.next
    }
}
