//! The spec files of a project, as the studio lists, reads and writes them: nothing outside of the project's folder, and no
//! other kind of file.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use farlead::{spec, store};

use crate::Mistake;
use crate::sources::BYTES_MAX;

/// Most files that are listed.
const FILES_MAX: usize = 2_000;
/// Deepest folder that is listed.
const DEPTH_MAX: usize = 6;
/// Looks at all folders take one part in so many of the time.
const LOOKS_PART: u32 = 50;

/// Spec files below a folder.
pub struct Files {
    /// Folder; empty if it is the current one.
    root: PathBuf,
    /// Files that a page shows, and how they were when they were read last.
    watched: BTreeMap<String, Option<State>>,
    /// Names that the pages know.
    listed: Vec<String>,
    /// Time of the last look at all folders for changes, and how long it took.
    looked: Option<(Instant, Duration)>,
}

/// Signs by which a changed file is told.
type State = (SystemTime, u64);

impl Files {
    /// Returns the files below `folder`; an empty one is the current one.
    pub fn below(folder: &Path) -> Files {
        Files { root: folder.to_path_buf(), watched: BTreeMap::new(), listed: Vec::new(), looked: None }
    }

    /// Returns the path of a file for the commands of farlead.
    pub fn path(&self, name: &str) -> Result<PathBuf, Mistake> {
        let path = Path::new(name);
        // What is hidden belongs to other programs, and is not listed.
        let is_shown = |part: &OsStr| !part.as_encoded_bytes().starts_with(b".");
        let is_plain =
            path.components().all(|part| matches!(part, Component::Normal(part) if is_shown(part)));
        let is_spec = path.extension().is_some_and(|end| end == "ltl" || end == "feature");
        if !is_plain || !is_spec || name.contains('\\') {
            let message = format!("{name:?} is no file that the studio may use: one is like specs/notes.ltl");
            return Err(Mistake::new(message));
        }
        let path = self.root.join(path);
        // A link may lead out of the project, whether there is something at its end or not.
        let there = path.ancestors().find(|at| named(at).symlink_metadata().is_ok()).unwrap_or(&self.root);
        let real = |path: &Path| named(path).canonicalize().ok();
        if !real(there).zip(real(&self.root)).is_some_and(|(there, root)| there.starts_with(root)) {
            return Err(Mistake::new(format!("{name:?} leads out of the project, or to nothing")));
        }
        Ok(path)
    }

    /// Returns the names of all spec files and stored tests.
    pub fn list(&self) -> Vec<String> {
        let mut names = Vec::new();
        list_into(named(&self.root), "", 0, &mut names);
        names.sort();
        names
    }

    /// Returns the text of a file, which is watched from now on.
    pub fn read(&mut self, name: &str) -> Result<String, Mistake> {
        let path = self.path(name)?;
        let text = text_of(&path)?;
        self.watched.insert(name.to_string(), state(&path));
        Ok(text)
    }

    /// Writes a file, unless somebody else has written it since it was `was`; none is for a file that is not there.
    pub fn write(&mut self, name: &str, text: &str, was: Option<&str>) -> Result<(), Mistake> {
        let path = self.path(name)?;
        if text.len() as u64 > BYTES_MAX {
            return Err(Mistake::new(format!("{name} would be longer than {BYTES_MAX} bytes")));
        }
        // A file that is no text is the user's as well.
        let there = if path.exists() { Some(text_of(&path)?) } else { None };
        match (&there, was) {
            (None, None) => {}
            (Some(there), Some(was)) if *there == was => {}
            (Some(_), None) => {
                return Err(Mistake::new(format!("{name} is there already; open it, or take another name")));
            }
            (Some(_) | None, Some(_)) => {
                let message =
                    format!("{name} has changed on disk meanwhile; open it again, nothing was written");
                return Err(Mistake::new(message));
            }
        }
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).map_err(|error| error.to_string());
        written
            .and_then(|()| store::write(&path, text.as_bytes()).map_err(|error| error.to_string()))
            .map_err(|error| Mistake::new(format!("cannot write {name}: {error}")))?;
        self.watched.insert(name.to_string(), state(&path));
        Ok(())
    }

    /// Returns the watched files that somebody else has changed, with their texts; none for one that is gone, or has become
    /// a link out of the project.
    pub fn changed(&mut self) -> Vec<(String, Option<String>)> {
        let names: Vec<String> = self.watched.keys().cloned().collect();
        let mut changed = Vec::new();
        for name in names {
            let path = self.path(&name).ok();
            let now = path.as_deref().and_then(state);
            if self.watched.insert(name.clone(), now) != Some(now) {
                changed.push((name, path.and_then(|path| text_of(&path).ok())));
            }
        }
        changed
    }

    /// Returns the names of all spec files and stored tests, against which later changes are told.
    pub fn list_again(&mut self) -> Vec<String> {
        self.listed = self.list();
        self.listed.clone()
    }

    /// Returns the list of files if it is another than the last one, and if looking again takes little of the time.
    pub fn changed_list(&mut self) -> Option<Vec<String>> {
        if self.looked.is_some_and(|(at, took)| at.elapsed() < took * LOOKS_PART) {
            return None;
        }
        let began = Instant::now();
        let before = std::mem::take(&mut self.listed);
        let now = self.list_again();
        self.looked = Some((Instant::now(), began.elapsed()));
        (now != before).then_some(now)
    }
}

fn text_of(path: &Path) -> Result<String, Mistake> {
    let read = spec::read_text(path).map_err(|error| Mistake::new(error.to_string()))?;
    Ok(read.text().to_string())
}

/// Returns a folder by a name that the system knows.
fn named(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

fn state(path: &Path) -> Option<State> {
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

fn list_into(folder: &Path, before: &str, depth: usize, names: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Ok(kind) = entry.file_type() else { continue };
        // Hidden folders, and what builds leave behind, have no specs of the user's.
        if names.len() >= FILES_MAX || name.starts_with('.') || name == "target" || name == "node_modules" {
            continue;
        }
        let shown = if before.is_empty() { name.clone() } else { format!("{before}/{name}") };
        if kind.is_dir() && depth < DEPTH_MAX {
            list_into(&entry.path(), &shown, depth + 1, names);
        } else if kind.is_file() && (name.ends_with(".ltl") || name.ends_with(".feature")) {
            names.push(shown);
        }
    }
}
