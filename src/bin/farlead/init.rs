//! `farlead init`: writes the first files of a project.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use farlead::device::android::manifest::Manifest;
use farlead::device::sim::apk;
use farlead::sorted;
use farlead::spec::{self, printable, shown_path};
use farlead::store;

use crate::app::{self, model_at};
use crate::log_in::LogIn;
use crate::sources::{self, Shell};
use crate::stdout::out;
use crate::{Exit, Missing, Mistake};

/// Start a project: write farlead.toml, specs, and a workflow for GitHub.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead init
  farlead init shop --app shop.app       specs that reach each activity of the app
  farlead init --apk app-debug.apk

It writes farlead.toml, specs/first.ltl, specs/first.feature, .github/workflows/farlead.yml,
specs/reach.ltl where it knows the activities of the app, and setup/login.ltl where it finds a log-in.
If one of them exists already, it writes nothing.

Exit codes: 0 written; 2 command line; 3 a file exists already, or the app has mistakes; 4 the disk.")]
pub struct InitArgs {
    /// Folder of the project, created if missing
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// App model, or model of FATE (.py, .json, MoML), to run on the embedded simulator
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["apk", "package"])]
    app: Option<PathBuf>,
    /// APK to install
    #[arg(long, value_name = "APK", conflicts_with = "package")]
    apk: Option<PathBuf>,
    /// App that is already on the device
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
}

/// A file to write: its path from the folder of the project, and its text.
type Starter = (&'static str, String);

pub fn run(args: &InitArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let (launchable, others) = args.activities(shell)?;
    let log_in = args.log_in(&launchable, &others);
    let folder = args.folder();
    let mut paths =
        vec!["farlead.toml", "specs/first.ltl", "specs/first.feature", ".github/workflows/farlead.yml"];
    if log_in.is_some() {
        // Apart from the specs, as it needs the credentials, which nobody has given yet.
        paths.push("setup/login.ltl");
    }
    if !launchable.is_empty() || !others.is_empty() {
        paths.push("specs/reach.ltl");
    }
    refuse_to_overwrite(&folder, &paths)?;
    // Noted before anything is made, as these folders go again if a file cannot be written.
    let made = made_folders(&folder, &paths);
    let written = fs::create_dir_all(&folder)
        .map_err(|error| Missing::new(format!("cannot make {}: {error}", shown_path(&args.folder))))
        .and_then(|()| {
            let starters = paths
                .iter()
                .map(|path| (*path, args.starter(path, &launchable, &others, log_in.as_ref())))
                .collect();
            write_all(&folder, starters)
        });
    if let Err(error) = written {
        // Innermost folder first; `remove_dir` fails on a folder with content, so older files stay.
        made.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
        return Err(error.into());
    }
    if !shell.quiet {
        say(args, &paths, log_in.as_ref())?;
    }
    Ok(Exit::Passed)
}

impl InitArgs {
    /// Returns the folder; empty if it is the current one.
    fn folder(&self) -> PathBuf {
        // Paths are shown to people, who have not typed the dot of the default.
        self.folder.strip_prefix(".").map_or_else(|_| self.folder.clone(), Path::to_path_buf)
    }

    /// Returns the app's activities by their full names: those that can be started from outside, and the others. Both are
    /// empty if the app is not known.
    fn activities(&self, shell: &Shell) -> anyhow::Result<(Vec<String>, Vec<String>)> {
        let (launchable, mut activities) = match (&self.app, &self.apk) {
            (Some(path), _) => {
                let manifest = apk::Manifest::of(&*model_at(path, &[], shell)?);
                (manifest.launchable, manifest.activities)
            }
            (None, Some(path)) => {
                let manifest = Manifest::read(io::Cursor::new(sources::read_bytes(path)?))
                    .map_err(|error| Mistake::new(format!("{}: {error}", shown_path(path))))?;
                (manifest.launchable, manifest.activities)
            }
            (None, None) => Default::default(),
        };
        // Activities that can be started are among all activities, and each gets one spec.
        let mut seen = sorted::set(launchable.iter().cloned());
        activities.retain(|activity| seen.insert(activity.clone()));
        Ok((launchable, activities))
    }

    /// Returns the log-in screen of the app: on a model by a short search, else by the names of activities.
    fn log_in(&self, launchable: &[String], others: &[String]) -> Option<LogIn> {
        let model = self.app.as_deref().or(self.apk.as_deref());
        let names = || LogIn::of_names(&[launchable, others].concat());
        model.and_then(LogIn::of_model).or_else(names)
    }

    fn starter(
        &self,
        path: &str,
        launchable: &[String],
        others: &[String],
        log_in: Option<&LogIn>,
    ) -> String {
        match path {
            "farlead.toml" => self.project() + &log_in.map_or_else(String::new, LogIn::settings),
            "setup/login.ltl" => log_in.map_or_else(String::new, LogIn::spec),
            "specs/first.ltl" => FIRST.to_string(),
            "specs/first.feature" => FEATURE.to_string(),
            "specs/reach.ltl" => spec::reach(launchable, others),
            _ => WORKFLOW.to_string(),
        }
    }

    /// Returns the text of farlead.toml.
    fn project(&self) -> String {
        let app = match (&self.app, &self.apk, &self.package) {
            (Some(path), _, _) => format!("app = {}", toml_text(&app::from(&self.folder(), path))),
            (None, Some(path), _) => format!("apk = {}", toml_text(&app::from(&self.folder(), path))),
            (None, None, Some(name)) => format!("package = {}", toml_text(name)),
            (None, None, None) => "# app = \"apps/notes.app\"".to_string(),
        };
        PROJECT.replace("APP", &app)
    }
}

/// Refuses to write if one of `paths` is there already.
fn refuse_to_overwrite(folder: &Path, paths: &[&str]) -> Result<(), Mistake> {
    // A link that leads nowhere counts as there, as writing would follow it.
    let is_there = |path: &&&str| folder.join(path).symlink_metadata().is_ok();
    let there: Vec<String> =
        paths.iter().filter(is_there).map(|path| shown_path(&folder.join(path))).collect();
    match &there[..] {
        [] => Ok(()),
        [one] => Err(Mistake::new(format!(
            "{one} is there already, and nothing is written; move it away, or give another folder"
        ))),
        several => Err(Mistake::new(format!(
            "{} are there already, and nothing is written; move them away, or give another folder",
            several.join(", ")
        ))),
    }
}

/// Returns the folders that are missing for `paths`, outer ones first.
fn made_folders(folder: &Path, paths: &[&str]) -> Vec<PathBuf> {
    let files = paths.iter().map(|path| folder.join(path));
    // In this order a folder comes before those in it.
    let above = |file: PathBuf| file.ancestors().skip(1).map(Path::to_path_buf).collect::<Vec<_>>();
    let folders = sorted::set(files.flat_map(above));
    folders.into_iter().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()).collect()
}

/// Writes all files, or none.
fn write_all(folder: &Path, starters: Vec<Starter>) -> Result<(), Missing> {
    let mut written: Vec<PathBuf> = Vec::new();
    for (path, text) in starters {
        let path = folder.join(path);
        if let Err(error) = store::write(&path, text.as_bytes()) {
            // All of these files are new, so removing them loses nothing.
            written.iter().for_each(|path| drop(fs::remove_file(path)));
            return Err(Missing::new(error.to_string()));
        }
        written.push(path);
    }
    Ok(())
}

fn say(args: &InitArgs, paths: &[&str], log_in: Option<&LogIn>) -> io::Result<()> {
    let mut out = out();
    let folder = args.folder();
    for path in paths {
        let what = match *path {
            "farlead.toml" => "the settings of the project",
            "setup/login.ltl" => "a spec that logs in, to set the app up",
            "specs/first.ltl" => "two specs that suit any app, and how to write more",
            "specs/first.feature" => "a scenario in plain words, and how to write more",
            "specs/reach.ltl" => "a spec for each activity",
            _ => "checks and replays on GitHub",
        };
        writeln!(out, "{}: {what}", shown_path(&folder.join(path)))?;
    }
    if let Some(LogIn { activity, .. }) = log_in {
        writeln!(out, "{} asks for a log-in; farlead.toml says how to give it", printable(activity))?;
    }
    let has_app = args.app.is_some() || args.apk.is_some() || args.package.is_some();
    let where_to = match folder.display().to_string() {
        here if here.is_empty() => String::new(),
        there => format!(" in {}", printable(&there)),
    };
    if has_app {
        writeln!(out, "next{where_to}: `farlead check specs`")
    } else {
        writeln!(out, "next{where_to}: name the app in farlead.toml, then `farlead check specs`")
    }
}

/// Returns a text as TOML writes it.
fn toml_text(text: &str) -> String {
    let mut written = String::from("\"");
    for char in text.chars() {
        match char {
            // Paths of Windows have backslashes.
            '"' | '\\' => written.extend(['\\', char]),
            char if char.is_control() => {
                let _ = write!(written, "\\u{:04X}", u32::from(char));
            }
            char => written.push(char),
        }
    }
    written + "\""
}

const PROJECT: &str = r#"# Settings of farlead for this folder and those below it. Flags come before them.

# The app: a model (app), an apk (apk), or what is on the device already (package).
APP

# Where it runs: `sim`, the embedded simulator, or what `adb devices` lists. Several share the work.
# device = "emulator-5554"
# devices = ["emulator-5554", "emulator-5556"]

# What is typed into fields, besides what specs say and a few of farlead's own.
# texts = ["milk", "2 eggs"]

# Stored tests that are done before each episode, such as to log in. To make one, write its spec and run
# `farlead check setup/login.ltl`.
# setup = ["farlead-tests/setup/login/log in.test.ltl"]

# What is never done. Single quotes take the double ones inside.
# [[rule]]
# never = '[actionType = click, actionDetail = "Log out"]'

# What alone is typed into certain fields.
# [[rule]]
# type = "ann@example.com"
# into = '[id = email]'

# An action of your own: where it is offered, and what it does there.
# [[action]]
# name = "unlock"
# on = '[id ~ pattern]'
# does = 'swipe 20% 20% to 80% 80%'
"#;

const FIRST: &str = r#"# Specs say what an app must be able to do, and what it must never do. `farlead check` finds the run that
# decides each, `farlead lint` mistakes in them, `farlead explain` says them in words.

# `possible`: there is a run that satisfies the formula. `F` is "at some step".
possible "the app starts": F [crashed = false]

# `never`: no run may satisfy the formula. This one looks for crashes in 500 episodes of at most 15 steps; on a device it ends
# after 30 minutes (`farlead check --timeout 2h` gives it more).
never "a crash" within 15 steps: F [crashed = true]

# What more can be said; take the `#` away and put in what your app shows.
#
# A widget on the screen, after a click on another:
# possible "save": F ([actionType = click, actionDetail = Save] & [text ~ saved])
#
# One screen after the other, the last one the first again:
# let main = [activity ~ Main]
# let settings = [activity ~ Settings]
# possible "there and back" within 6 steps: F (main then settings then main)
"#;

const FEATURE: &str = r#"# Scenarios in plain words. farlead knows the sentences, so no steps need to be defined, and it finds the way to what they
# name, so what is in between may be left out. `farlead words` lists the sentences.
Feature: First steps

  Scenario: the app shows itself
    Given the app is freshly started
    Then the screen is on

  # What more can be said; take the `#` away and put in what your app shows.
  #
  # Scenario: a note is saved
  #   When I type "Milk"
  #   And I click "Save"
  #   Then I see "saved"
  #
  # Scenario: no crash from the settings
  #   Given I am on "Settings"
  #   Then the app must never crash
"#;

const WORKFLOW: &str = r#"# Checks and replays on GitHub, if it lies in .github/workflows at the root of the repository.
# If the project is in a folder below, say so with `defaults: {run: {working-directory: ...}}`.
name: farlead

on: [push, pull_request]

jobs:
  farlead:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Install
        run: cargo install farlead --locked
      - name: Find mistakes in specs
        run: farlead lint specs --strict
      # The tests that are kept, done again. Until `farlead check` has made some and they are committed,
      # there are none.
      - name: Replay the tests
        if: ${{ hashFiles('farlead-tests/**/*.test.ltl') != '' }}
        run: farlead replay farlead-tests --junit farlead-replay.xml --html farlead-replay.html --github
      # Every spec, whether it has a test or not. A device or emulator is needed unless the app is a model.
      - name: Check the specs
        if: ${{ !cancelled() }}
        run: farlead check specs --junit farlead-check.xml --html farlead-check.html --github
      - name: Keep the reports
        if: ${{ !cancelled() }}
        uses: actions/upload-artifact@v4
        with:
          name: farlead
          path: |
            farlead-*.xml
            farlead-*.html
"#;
