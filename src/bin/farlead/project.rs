//! farlead.toml: the defaults of a project's commands.

mod language;
mod prompts;

use std::env;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use farlead::device::Secrets;
use farlead::device::android::prompt::Prompts;
use farlead::gui::{Rules, UserAction};
use farlead::replay::Slack;
use farlead::spec::{Source, shown_path};
use farlead::store;
use serde::Deserialize;
use toml::Spanned;

use crate::Mistake;
use crate::agents::AgentName;
use crate::sources;

const FILE_NAME: &str = "farlead.toml";

/// Size of the largest farlead.toml that is read.
const BYTES_MAX: usize = 1 << 20;

/// Most texts of a dictionary: each is tried in every field.
pub const TEXTS_MAX: usize = 1_000;

/// Largest slack: a bound so long says little.
const SLACK_MAX: f64 = 100.0;

/// Most set-up tests: more would take longer than the episodes after them.
const SET_UP_MAX: usize = 20;

/// The defaults of the project that the current folder is in; paths are from its folder.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The folder it is in; empty if that is the current one.
    pub folder: PathBuf,
    /// As `--app`.
    pub app: Option<PathBuf>,
    /// As `--apk`.
    pub apk: Option<PathBuf>,
    /// As `--package`.
    pub package: Option<String>,
    /// As `--url`.
    pub url: Option<String>,
    /// As `--capabilities`.
    pub capabilities: Option<PathBuf>,
    /// As `--device`, given once or several times.
    pub devices: Vec<String>,
    /// As `--set`, given several times.
    pub set: Vec<String>,
    /// Texts to type into fields, or as `--texts`.
    pub texts: Option<Texts>,
    /// As `--agent`.
    pub agent: Option<AgentName>,
    /// As `--episodes`, for specs that do not say it themselves.
    pub episodes: Option<u32>,
    /// As `--steps`, for specs that do not say it themselves.
    pub steps: Option<u32>,
    /// As `--seed`.
    pub seed: Option<u64>,
    /// `false` is as `--no-screenshots`.
    pub screenshots: Option<bool>,
    /// Slack of the bounds in time of a captured formula.
    pub slack: Slack,
    /// Stored tests that run before each episode.
    pub set_up: Vec<SetUpFile>,
    /// Actions that every file of specs knows.
    pub actions: Vec<UserAction>,
    /// Actions that agents never do, and texts that they type into certain fields.
    pub rules: Arc<Rules>,
    /// Prompts of the system that devices answer.
    pub prompts: Prompts,
    /// The file itself, if there is one.
    pub source: Option<Source>,
    /// Secrets that the app alone gets to see, once they are read from the environment.
    pub secrets: Option<Arc<Secrets>>,
}

/// A dictionary.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "`texts` is the path of a file or a list of texts")]
pub enum Texts {
    /// A file with a text a line.
    File(PathBuf),
    /// The texts.
    All(Vec<String>),
}

/// A stored test that runs before each episode, and its place in farlead.toml.
#[derive(Clone, Debug)]
pub struct SetUpFile {
    /// The file.
    pub path: PathBuf,
    /// The place in farlead.toml, as `farlead.toml:3:10`.
    pub place: String,
}

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Written {
    app: Option<PathBuf>,
    apk: Option<PathBuf>,
    package: Option<String>,
    url: Option<String>,
    capabilities: Option<PathBuf>,
    device: Option<String>,
    devices: Option<Vec<String>>,
    set: Vec<String>,
    texts: Option<Texts>,
    agent: Option<AgentName>,
    episodes: Option<u32>,
    steps: Option<u32>,
    seed: Option<u64>,
    screenshots: Option<bool>,
    slack: Option<f64>,
    setup: Vec<Spanned<PathBuf>>,
    action: Vec<language::WrittenAction>,
    rule: Vec<Spanned<language::WrittenRule>>,
    prompt: Vec<Spanned<prompts::WrittenPrompt>>,
}

impl Project {
    /// Reads the farlead.toml of the current folder, else that of the nearest folder above it that has one.
    pub fn find() -> anyhow::Result<Project> {
        // A deleted current folder has no project.
        let Ok(folder) = env::current_dir() else { return Ok(Project::default()) };
        match above(&folder) {
            // Paths from the current folder are shown without it, as people type them.
            Some(found) if found == folder => Project::read(Path::new("")),
            Some(found) => Project::read(found),
            None => Ok(Project::default()),
        }
    }

    /// Reads the farlead.toml beside the file at `path`, else that of the nearest folder above it that has one.
    pub fn of_file(path: &Path) -> anyhow::Result<Project> {
        path.parent().and_then(above).map_or_else(|| Ok(Project::default()), Project::read)
    }

    /// Adds a rule with these fields to the project's farlead.toml, or makes one in its folder.
    pub fn add_rule(&self, fields: &[(&str, &str)]) -> anyhow::Result<()> {
        let path = self.folder.join(FILE_NAME);
        let before =
            if path.exists() { sources::read_text(&path)?.text().to_string() } else { String::new() };
        // A table of an array may stand behind anything else.
        let gap = if before.is_empty() {
            ""
        } else if before.ends_with('\n') {
            "\n"
        } else {
            "\n\n"
        };
        let lines = fields.iter().map(|(key, value)| format!("{key} = {}\n", in_toml(value)));
        let after = [&before, gap, "[[rule]]\n", &lines.collect::<String>()].concat();
        store::write(&path, after.as_bytes())?;
        if let Err(mistake) = Project::read(&self.folder) {
            if before.is_empty() {
                fs::remove_file(&path)?;
            } else {
                store::write(&path, before.as_bytes())?;
            }
            return Err(mistake);
        }
        Ok(())
    }

    fn read(folder: &Path) -> anyhow::Result<Project> {
        let path = folder.join(FILE_NAME);
        let source = sources::read_text(&path)?;
        if source.text().len() > BYTES_MAX {
            let message = format!("{}: it is larger than {} MB", shown_path(&path), BYTES_MAX >> 20);
            return Err(Mistake::new(message).into());
        }
        let written: Written = toml::from_str(source.text()).map_err(|error| {
            let place = error.span().map(|span| source.position(span.start.min(source.text().len())));
            let place = place.map_or(String::new(), |at| format!("{}:{}:", at.line, at.column));
            // The parser may say it in several lines; a mistake of ours takes one.
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            Mistake::new(format!("{}:{place} {message}", shown_path(&path)))
        })?;
        if let Some(mistake) = written.mistake() {
            return Err(Mistake::new(format!("{}: {mistake}", shown_path(&path))).into());
        }
        let (actions, rules) = language::read(&source, &written.action, &written.rule)?;
        let below = |path: PathBuf| folder.join(path);
        Ok(Project {
            app: written.app.map(below),
            apk: written.apk.map(below),
            package: written.package,
            url: written.url,
            capabilities: written.capabilities.map(below),
            devices: written.devices.unwrap_or_else(|| written.device.into_iter().collect()),
            set: written.set,
            texts: written.texts.map(|texts| match texts {
                Texts::File(path) => Texts::File(below(path)),
                Texts::All(all) => Texts::All(all),
            }),
            agent: written.agent,
            episodes: written.episodes,
            steps: written.steps,
            seed: written.seed,
            screenshots: written.screenshots,
            slack: written.slack.map_or_else(Slack::default, |share| Slack((share * 100.0).round() as u32)),
            set_up: written
                .setup
                .into_iter()
                .map(|path| SetUpFile { place: place(&source, path.span()), path: below(path.into_inner()) })
                .collect(),
            actions,
            rules: Rules::new(&rules).into(),
            prompts: prompts::read(&source, &written.prompt)?,
            folder: folder.to_path_buf(),
            source: Some(source),
            secrets: None,
        })
    }
}

/// Returns a text as TOML writes it: in single quotes if it can be, as atoms have double ones.
fn in_toml(text: &str) -> String {
    if !text.contains('\'') && !text.chars().any(char::is_control) {
        return format!("'{text}'");
    }
    let escaped = text.chars().map(|char| match char {
        '"' | '\\' => format!("\\{char}"),
        char if char.is_control() => format!("\\u{:04X}", u32::from(char)),
        char => char.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// Returns `folder`, or the nearest folder above it, that has a farlead.toml.
fn above(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(FILE_NAME).is_file())
}

impl Written {
    /// Returns a mistake in values that can be read, if there is one.
    fn mistake(&self) -> Option<String> {
        for (key, number) in [("episodes", self.episodes), ("steps", self.steps)] {
            if number == Some(0) {
                return Some(format!("`{key} = 0` leaves nothing to try; it is at least 1"));
            }
        }
        if self.slack.is_some_and(|share| !(0.0..=SLACK_MAX).contains(&share)) {
            return Some(format!(
                "`slack` is the share by which a bound in time is longer than the time measured, from 0 to {SLACK_MAX}: 0.5 is half of it"
            ));
        }
        // On the command line clap refuses two apps; nothing does that for a file.
        let apps = [self.app.is_some(), self.apk.is_some(), self.package.is_some(), self.url.is_some()];
        if apps.into_iter().filter(|is_there| *is_there).count() > 1 {
            return Some("`app`, `apk`, `package` and `url` each name an app; keep one".to_string());
        }
        if self.device.is_some() && self.devices.is_some() {
            return Some("`device` and `devices` say the same thing; keep one".to_string());
        }
        match &self.texts {
            Some(Texts::All(all)) if all.len() > TEXTS_MAX => {
                return Some(too_many("texts", all.len(), TEXTS_MAX));
            }
            Some(Texts::All(_) | Texts::File(_)) | None => {}
        }
        let lists = [
            ("setup", self.setup.len(), SET_UP_MAX),
            ("action", self.action.len(), language::ACTIONS_MAX),
            ("rule", self.rule.len(), language::RULES_MAX),
            ("prompt", self.prompt.len(), prompts::PROMPTS_MAX),
        ];
        lists.into_iter().find(|(_, len, most)| len > most).map(|(key, len, most)| too_many(key, len, most))
    }
}

fn too_many(key: &str, len: usize, most: usize) -> String {
    format!("`{key}` has {len} entries, and {most} are the most")
}

/// A place in farlead.toml, for people.
fn place(source: &Source, at: Range<usize>) -> String {
    let position = source.position(at.start.min(source.text().len()));
    format!("{}:{}:{}", source.name(), position.line, position.column)
}
