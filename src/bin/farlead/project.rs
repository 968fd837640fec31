//! farlead.toml: what a project's commands take for granted.

use std::env;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::Mistake;
use crate::agents::AgentName;
use crate::sources;

const FILE_NAME: &str = "farlead.toml";

/// The defaults of the project that the current folder is in; paths are from its folder.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Project {
    /// The folder it is in; empty if that is the current one.
    #[serde(skip)]
    pub folder: PathBuf,
    /// As `--app`.
    pub app: Option<PathBuf>,
    /// As `--apk`.
    pub apk: Option<PathBuf>,
    /// As `--package`.
    pub package: Option<String>,
    /// As `--set`, given several times.
    pub set: Vec<String>,
    /// As `--texts`.
    pub texts: Option<PathBuf>,
    /// As `--agent`.
    pub agent: Option<AgentName>,
    /// As `--episodes`, for specs that do not say it themselves.
    pub episodes: Option<u32>,
    /// As `--steps`, for specs that do not say it themselves.
    pub steps: Option<u32>,
    /// As `--seed`.
    pub seed: Option<u64>,
}

impl Project {
    /// Returns what the farlead.toml of the current folder says, or of the nearest folder above it that has one.
    pub fn find() -> anyhow::Result<Project> {
        // Without a current folder there is no project either.
        let Ok(folder) = env::current_dir() else { return Ok(Project::default()) };
        match folder.ancestors().find(|folder| folder.join(FILE_NAME).is_file()) {
            Some(found) if found == folder => Project::read(Path::new("")),
            Some(found) => Project::read(found),
            None => Ok(Project::default()),
        }
    }

    fn read(folder: &Path) -> anyhow::Result<Project> {
        let path = folder.join(FILE_NAME);
        let source = sources::read_text(&path)?;
        let mut project: Project = toml::from_str(source.text()).map_err(|error| {
            let place = error.span().map(|span| source.position(span.start.min(source.text().len())));
            let place = place.map_or(String::new(), |at| format!("{}:{}:", at.line, at.column));
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            Mistake::new(format!("{}:{place} {message}", path.display()))
        })?;
        for (key, number) in [("episodes", project.episodes), ("steps", project.steps)] {
            if number == Some(0) {
                let message =
                    format!("{}: `{key} = 0` leaves nothing to try; it is at least 1", path.display());
                return Err(Mistake::new(message).into());
            }
        }
        let apps = [project.app.is_some(), project.apk.is_some(), project.package.is_some()];
        if apps.into_iter().filter(|is_there| *is_there).count() > 1 {
            let message = format!("{}: `app`, `apk` and `package` name three apps; keep one", path.display());
            return Err(Mistake::new(message).into());
        }
        for path in [&mut project.app, &mut project.apk, &mut project.texts].into_iter().flatten() {
            *path = folder.join(&*path);
        }
        project.folder = folder.to_path_buf();
        Ok(project)
    }
}
