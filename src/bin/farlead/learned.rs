//! The file of `--learned`: read before anything runs, extended at the end, never lost in between. And what exploring
//! leaves in the folder of its run: the learned model, and beside it the experience in a file of `--learned`.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use farlead::device::App;
use farlead::learned::{Learned, LearnedApp};
use farlead::learned_model::LearnedModel;
use farlead::spec::{printable, shown_path};
use farlead::store::{self, Runs};

use crate::sources::{self, BYTES_MAX, Shell};
use crate::{Missing, Mistake};

/// Files in the folder of a run of exploring: the learned model, and the experience.
pub const MODEL_FILE: &str = "model.json";
pub const EXPERIENCE_FILE: &str = "model.learned";

/// Most bytes of the start of a file, which tells a learned model.
const START_BYTES_MAX: u64 = 100;

/// Returns the path of the file of `--learned` that `path` stands for: the folder of a run of exploring, or the learned
/// model in it, stand for the experience there.
pub fn place(path: &Path) -> PathBuf {
    if path.is_dir() && path.join(MODEL_FILE).is_file() {
        path.join(EXPERIENCE_FILE)
    } else if is_model(path) {
        path.with_extension("learned")
    } else {
        path.to_path_buf()
    }
}

/// Returns true if the file at `path` starts as a learned model does.
fn is_model(path: &Path) -> bool {
    // Opening a pipe could block for ever.
    if !path.is_file() {
        return false;
    }
    let mut start = Vec::new();
    let file = fs::File::open(path);
    let is_read = file.is_ok_and(|file| file.take(START_BYTES_MAX).read_to_end(&mut start).is_ok());
    let start = String::from_utf8_lossy(&start);
    is_read && start.split_whitespace().collect::<String>().starts_with("{\"farlead\":\"model\"")
}

/// Returns the learned model at `path`, a file or the folder of a run.
pub fn read_model_alone(path: &Path) -> anyhow::Result<LearnedModel> {
    let file = if path.is_dir() { path.join(MODEL_FILE) } else { path.to_path_buf() };
    let source = sources::read_text(&file)?;
    let mistaken = |message: String| Mistake::new(format!("{}: {message}", shown_path(&file)));
    Ok(LearnedModel::read(source.text()).map_err(mistaken)?)
}

/// Returns the learned model at `path`, a file or the folder of a run, and the experience beside it.
pub fn read_model(path: &Path, app: &App, shell: &Shell) -> anyhow::Result<(LearnedModel, Learned)> {
    let file = if path.is_dir() { path.join(MODEL_FILE) } else { path.to_path_buf() };
    let model = read_model_alone(path)?;
    if model.app.package != app.package {
        let message = format!(
            "{} was learned of the app {}, and this is {}; give a run of this app",
            shown_path(&file),
            model.app.package,
            app.package
        );
        return Err(Mistake::new(message).into());
    }
    let beside = file.with_extension("learned");
    if fs::symlink_metadata(&beside).is_err() && !shell.quiet {
        crate::outputs::warn(&format!(
            "there is no {} beside the model, so the agent starts from nothing",
            shown_path(&beside)
        ));
    }
    Ok((model, read(&beside, app, shell)?))
}

/// Returns what the file at `path` holds of `app`, nothing if there is none yet.
pub fn read(path: &Path, app: &App, shell: &Shell) -> anyhow::Result<Learned> {
    let path = &place(path);
    let this = LearnedApp { package: app.package.clone(), version: app.version.clone() };
    if fs::symlink_metadata(path).is_err() {
        let folder = folder(path);
        // A new file there would take the number of a later run.
        if path.ancestors().skip(1).any(|above| above.ends_with(Runs::new(Path::new("")).folder())) {
            let message = format!(
                "there is no {}: farlead removes the oldest runs; name a run that is there, or a file of your own, which \
                 no run removes",
                shown_path(path)
            );
            return Err(Missing::new(message).into());
        }
        // Said now, as it would be a pity to hear it after a long search.
        if !folder.is_dir() {
            let message =
                format!("cannot write {}: there is no folder {}", shown_path(path), shown_path(&folder));
            return Err(Missing::new(message).into());
        }
        return Ok(Learned { app: Some(this), ..Learned::default() });
    }
    // Writing renames a file into place, which would replace a pipe or a device.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(Mistake::new(format!("cannot read {}: it is no file", shown_path(path))).into());
    }
    let source = sources::read_text(path)?;
    let mut learned = Learned::read(source.text())
        .map_err(|mistake| Mistake::new(format!("{}:{mistake}", shown_path(path))))?;
    // Files of the first release name no app, and fit any.
    if let Some(known) = &learned.app {
        if known.package != this.package {
            let message = format!(
                "{} was learned of the app {}, and this is {}; give another file, which is made if there is none",
                shown_path(path),
                known.package,
                this.package
            );
            return Err(Mistake::new(message).into());
        }
        if known.version != this.version && !shell.quiet {
            let message = format!(
                "{} was learned of version {} of the app, and this is {}; what has changed is learned anew",
                shown_path(path),
                known.version,
                this.version
            );
            // A closed stderr leaves nobody to tell, so a failed write is no error.
            let _ = writeln!(io::stderr(), "farlead: warning: {}", printable(&message));
        }
    }
    // The next run compares with the version that was seen last.
    learned.app = Some(this);
    Ok(learned)
}

/// Puts `learned` in the file at `path`, whole or not at all.
pub fn write(path: &Path, learned: &Learned) -> anyhow::Result<()> {
    let path = &place(path);
    let text = learned.to_text();
    if text.len() as u64 > BYTES_MAX {
        let why = format!("it would be larger than {} MB, the most that is read", BYTES_MAX >> 20);
        return Err(Missing::new(format!("cannot write {}: {why}", shown_path(path))).into());
    }
    store::write(path, text.as_bytes()).map_err(|error| Missing::new(error.to_string()))?;
    Ok(())
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        Some(_) | None => PathBuf::from("."),
    }
}
