//! The app that a command drives, as the command line names it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use farlead::device::sim::model::Model;
use farlead::device::sim::{self, Sim};
use farlead::device::{App, Device};
use farlead::gui::Action;
use farlead::rng::Seed;
use farlead::setup::{Prepared, SetUpTest};
use farlead::spec::{Diagnostics, Source};
use farlead::test_case::TestCase;

use crate::project::Project;
use crate::sources::{self, Shell};
use crate::{Missing, Mistake, Usage};

/// Which app, and on what.
#[derive(Clone, Debug, Args)]
pub struct AppArgs {
    /// An app model, run by the embedded simulator
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["apk", "package"])]
    app: Option<PathBuf>,
    /// An app as it is installed; one made by `farlead model pack` carries its model and needs no device
    #[arg(long, value_name = "APK", conflicts_with = "package")]
    apk: Option<PathBuf>,
    /// An app that is on the device already
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
    /// What to run it on: `sim`, the embedded simulator
    #[arg(long, value_name = "D")]
    device: Option<String>,
    /// A parameter of the model, like fixed=true; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

/// An app model that is ready to run.
#[derive(Clone, Debug)]
pub struct OpenedApp {
    model: Arc<Model>,
    set_up: Arc<[SetUpTest]>,
}

impl OpenedApp {
    /// Returns the app at `path`: a model, or an apk that carries one.
    pub fn at(path: &Path, set: &[String], shell: &Shell) -> anyhow::Result<OpenedApp> {
        let bytes = sources::read_bytes(path)?;
        let source = if bytes.starts_with(b"PK") {
            unpacked(path, bytes)?.ok_or_else(|| {
                let message = format!(
                    "{} carries no model, so there is nothing to simulate; one is packed by `farlead model pack MODEL`",
                    path.display()
                );
                Mistake::new(message)
            })?
        } else {
            sources::read_text(path)?
        };
        opened(source, (&[], ""), set, shell)
    }

    /// Returns the same app, which is set up by `tests` whenever it is started.
    pub fn with_set_up(&self, tests: &[SetUpTest]) -> OpenedApp {
        OpenedApp { set_up: tests.into(), ..self.clone() }
    }

    /// The tests that set it up.
    pub fn set_up(&self) -> &[SetUpTest] {
        &self.set_up
    }

    /// Says no if the rules of `project` leave no activity to start it with.
    pub fn check_rules(&self, project: &Project) -> Result<(), Mistake> {
        let launchable = self.device(Seed::default()).app().launchable.clone();
        let is_forbidden =
            |activity: &Arc<str>| project.rules.forbid(&Action::Reinitialise(activity.clone()));
        if !launchable.iter().all(is_forbidden) {
            return Ok(());
        }
        let message = format!(
            "the rules of farlead.toml leave nothing to start the app with: it launches {}; name the type of the action in \
             each, as in `[actionType = click, ...]`",
            launchable.join(", ")
        );
        Err(Mistake::new(message))
    }

    /// Returns a device with it, all its chance from `seed`.
    pub fn device(&self, seed: Seed) -> Box<dyn Device> {
        let device = Box::new(self.simulator(seed));
        if self.set_up.is_empty() { device } else { Box::new(Prepared::new(device, &self.set_up)) }
    }

    /// Returns a simulator of it that is not set up, all its chance from `seed`.
    pub fn simulator(&self, seed: Seed) -> Sim {
        Sim::new(self.model.clone(), seed)
    }

    /// The model that runs.
    pub fn model(&self) -> Arc<Model> {
        self.model.clone()
    }

    /// What is known of it.
    pub fn app(&self) -> App {
        self.simulator(Seed::default()).app().clone()
    }

    /// What runs, in a line.
    pub fn describe(&self) -> String {
        self.device(Seed::default()).describe()
    }
}

impl AppArgs {
    /// Returns the app that is asked for here, else by `project`, or what to type so that there is one.
    pub fn open(&self, project: &Project, shell: &Shell) -> anyhow::Result<OpenedApp> {
        if self.is_said() {
            let app = AppArgs { device: self.device_or(project), ..self.clone() };
            return app.open_with(&[], "", shell);
        }
        let Project { app, apk, package, set, .. } = project.clone();
        let device = self.device_or(project);
        let of_project = AppArgs { app, apk, package, device, set: self.set.clone() };
        of_project.open_with(&set, "farlead.toml", shell)
    }

    /// Returns the app that is asked for here, else the one a stored test was found on, else that of `project`.
    pub fn open_for(&self, test: &TestCase, project: &Project, shell: &Shell) -> anyhow::Result<OpenedApp> {
        if self.is_said() || test.provenance.app.is_empty() {
            return self.open(project, shell);
        }
        let mut of_test =
            AppArgs { app: None, apk: None, package: None, device: self.device_or(project), set: Vec::new() };
        for pair in test.provenance.app.chunks(2) {
            match pair {
                [flag, path] if flag == "--app" => of_test.app = Some(below(&project.folder, path)),
                [flag, path] if flag == "--apk" => of_test.apk = Some(below(&project.folder, path)),
                [flag, name] if flag == "--package" => of_test.package = Some(name.clone()),
                [flag, set] if flag == "--set" => of_test.set.push(set.clone()),
                other => {
                    let message = format!(
                        "a stored test says its app by {}, which is no flag for one",
                        other.join(" ")
                    );
                    return Err(Mistake::new(message).into());
                }
            }
        }
        for path in [&of_test.app, &of_test.apk].into_iter().flatten() {
            // A pipe that a test names may never give anything.
            if !path.is_file() {
                let message = format!(
                    "cannot read {}, the app that the test was found on; say another with `--app`",
                    path.display()
                );
                return Err(Mistake::new(message).into());
            }
        }
        // What is set here comes last.
        let of_test_set = std::mem::replace(&mut of_test.set, self.set.clone());
        of_test.open_with(&of_test_set, "the stored test", shell)
    }

    /// The device that is asked for here, else by `project`.
    fn device_or(&self, project: &Project) -> Option<String> {
        self.device.as_ref().or(project.devices.first()).cloned()
    }

    /// Whether an app is named.
    pub fn is_said(&self) -> bool {
        self.app.is_some() || self.apk.is_some() || self.package.is_some()
    }

    /// Returns what to type so that the app of this command runs again, from the folder of the project.
    pub fn to_type(&self, project: &Project) -> Vec<String> {
        let own = self.is_said();
        let (app, apk, package) = if own {
            (&self.app, &self.apk, &self.package)
        } else {
            (&project.app, &project.apk, &project.package)
        };
        let path = |path: &PathBuf| from(&project.folder, path);
        let app = app.as_ref().map(|app| ["--app".to_string(), path(app)]);
        let apk = apk.as_ref().map(|apk| ["--apk".to_string(), path(apk)]);
        let package = package.as_ref().map(|package| ["--package".to_string(), package.clone()]);
        let of_project = project.set.iter().filter(|_| !own);
        let set = of_project.chain(&self.set).map(|set| ["--set".to_string(), set.clone()]);
        [app, apk, package].into_iter().flatten().chain(set).flatten().collect()
    }

    /// `set` is said by `origin`, and comes before what the command line sets.
    fn open_with(&self, set: &[String], origin: &str, shell: &Shell) -> anyhow::Result<OpenedApp> {
        if let Some(device) = self.device.as_ref().filter(|device| *device != "sim") {
            let message = format!("there is no device `{device}`; there is `sim`, the embedded simulator");
            return Err(Missing::new(message).into());
        }
        if let Some(path) = &self.app {
            let source = sources::read_text(path)?;
            return opened(source, (set, origin), &self.set, shell);
        }
        if let Some(path) = &self.apk {
            return match unpacked(path, sources::read_bytes(path)?)? {
                Some(source) => opened(source, (set, origin), &self.set, shell),
                None => Err(Missing::new(format!(
                    "{} carries no model, and there is no device to install it on; give a model with `--app MODEL`, or make an \
                     apk that carries one with `farlead model pack MODEL`",
                    path.display()
                ))
                .into()),
            };
        }
        if let Some(package) = &self.package {
            return Err(Missing::new(format!(
                "there is no device that `{package}` could be on; give a model with `--app MODEL`, run by the simulator"
            ))
            .into());
        }
        Err(Usage::new(
            "which app? Give a model with `--app apps/chesswalk.app`, or an apk with `--apk notes.apk`"
                .into(),
        )
        .into())
    }
}

/// The text of the model that the apk at `path` carries, if it carries one.
fn unpacked(path: &Path, bytes: Vec<u8>) -> Result<Option<Source>, Mistake> {
    let text = sim::apk::unpack_model(std::io::Cursor::new(bytes))
        .map_err(|error| Mistake::new(format!("{}: {error}", path.display())))?;
    let name = format!("{}:{}", path.display(), sim::apk::MODEL_PATH);
    Ok(text.map(|text| Source::new(name, text)))
}

/// What is set `before` is said by someone else, who is named with it.
fn opened(
    source: Source,
    (before, origin): (&[String], &str),
    set: &[String],
    shell: &Shell,
) -> anyhow::Result<OpenedApp> {
    let sim::Read { model, diagnostics } = sim::read(&source);
    let Some(mut model) = model else {
        return Err(sources::refuse(&source, &diagnostics, shell).into());
    };
    for set in before {
        set_parameter(&mut model, set).map_err(|message| Mistake::new(format!("{origin}: {message}")))?;
    }
    for set in set {
        set_parameter(&mut model, set).map_err(Usage::new)?;
    }
    warn_once(&source, &diagnostics, shell);
    Ok(OpenedApp { model: Arc::new(model), set_up: Arc::default() })
}

/// A path from the folder of a project, as it is from the current one.
fn below(folder: &Path, path: &str) -> PathBuf {
    let there = folder.join(path);
    if there.exists() { there } else { PathBuf::from(path) }
}

/// A path as it is from the folder of a project.
pub fn from(folder: &Path, path: &Path) -> String {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (Ok(path), Ok(folder)) = (path.canonicalize(), folder.canonicalize()) else {
        return path.display().to_string();
    };
    let shared = path.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(shared).map(|_| std::path::Component::ParentDir);
    let way: PathBuf = up.chain(path.components().skip(shared)).collect();
    way.display().to_string()
}

fn set_parameter(model: &mut Model, set: &str) -> Result<(), String> {
    match set.split_once('=') {
        Some((name, value)) => model.set(name.trim(), value.trim()).map_err(|error| error.to_string()),
        None => Err(format!("`{set}` has no value; a parameter is set like `--set fixed=true`")),
    }
}

fn warn_once(source: &Source, diagnostics: &Diagnostics, shell: &Shell) {
    if !shell.quiet {
        sources::warn(source, diagnostics, shell);
    }
}
