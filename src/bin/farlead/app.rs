//! The app that a command drives, as the command line names it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use farlead::device::adb::{Adb, AdbError, Client, Jar, Options, Reset, Subject};
use farlead::device::sim::model::Model;
use farlead::device::sim::{self, Sim};
use farlead::device::{App, Device, Pool};
use farlead::gui::Action;
use farlead::rng::Seed;
use farlead::setup::{self, Prepared, SetUpTest};
use farlead::spec::{Diagnostics, Source};
use farlead::test_case::TestCase;

use crate::devices;
use crate::project::Project;
use crate::protocol::Protocols;
use crate::sources::{self, Shell};
use crate::{Missing, Mistake, Usage};

/// Which app, and on what.
#[derive(Clone, Debug, Args)]
pub struct AppArgs {
    /// An app model, run by the embedded simulator
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["apk", "package"])]
    app: Option<PathBuf>,
    /// An app as it is installed, again for each of its splits; one made by `farlead model pack` carries its model
    /// and needs no device
    #[arg(long, value_name = "APK", conflicts_with = "package")]
    apk: Vec<PathBuf>,
    /// An app that is on the device already
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
    /// What to run it on: `sim`, the embedded simulator, or the serial number of a device; may be given several
    /// times [default: sim for models, else ANDROID_SERIAL or the only device]
    #[arg(long, value_name = "D")]
    device: Vec<String>,
    /// How an app on a device is had afresh at the start of each episode: its data cleared, installed again, or
    /// just started again
    #[arg(long, value_name = "HOW", value_enum, default_value_t = ResetName::Clear)]
    reset: ResetName,
    /// uiautomator2's u2.jar, by which a device is looked at faster than by `uiautomator dump`, and texts are put in
    /// fields that no key types; docs/devices.md says where to get it
    #[arg(long, value_name = "FILE")]
    u2: Option<PathBuf>,
    /// A parameter of the model, like fixed=true; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

/// What the embedded simulator is called among devices.
const SIMULATOR: &str = "sim";

/// How an app is had afresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ResetName {
    Clear,
    Reinstall,
    Restart,
}

impl ResetName {
    fn reset(self) -> Reset {
        match self {
            ResetName::Clear => Reset::Clear,
            ResetName::Reinstall => Reset::Reinstall,
            ResetName::Restart => Reset::Restart,
        }
    }
}

/// An app that is ready to run.
#[derive(Clone)]
pub struct OpenedApp {
    place: Place,
    set_up: Arc<[SetUpTest]>,
}

/// What an app runs on.
#[derive(Clone)]
enum Place {
    /// The embedded simulator.
    Simulator(Arc<Model>),
    /// Devices, of which something is said in a line, and the protocols of what is done on them.
    Devices(Pool, String, Protocols),
}

impl OpenedApp {
    fn simulated(model: Arc<Model>) -> OpenedApp {
        OpenedApp { place: Place::Simulator(model), set_up: Arc::default() }
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

    /// Returns a device for a run of it. A simulator has all its chance from `seed`; of others it waits until one is
    /// free, and it is free again when what is returned is dropped.
    pub fn device(&self, seed: Seed) -> Box<dyn Device> {
        let device: Box<dyn Device> = match &self.place {
            Place::Simulator(model) => Box::new(Sim::new(model.clone(), seed)),
            Place::Devices(pool, ..) => pool.lend(),
        };
        if self.set_up.is_empty() { device } else { Box::new(Prepared::new(device, &self.set_up)) }
    }

    /// Returns a simulator of it that is not set up, all its chance from `seed`, if it runs on one.
    pub fn simulator(&self, seed: Seed) -> Option<Sim> {
        match &self.place {
            Place::Simulator(model) => Some(Sim::new(model.clone(), seed)),
            Place::Devices(..) => None,
        }
    }

    /// Has what is done on devices written down below `folder`.
    pub fn record_to(&self, folder: &Path) {
        if let Place::Devices(_, _, protocols) = &self.place {
            protocols.write_to(folder);
        }
    }

    /// Whether it runs on devices, which are as many as they are.
    pub fn is_on_devices(&self) -> bool {
        matches!(self.place, Place::Devices(..))
    }

    /// How many runs go on at a time, where `jobs` are asked for.
    pub fn jobs(&self, jobs: usize) -> usize {
        match &self.place {
            Place::Simulator(_) => jobs,
            Place::Devices(pool, ..) => pool.alive().clamp(1, jobs.max(1)),
        }
    }

    /// Whether work that failed with a device can be done on another.
    pub fn has_another(&self) -> bool {
        matches!(&self.place, Place::Devices(pool, ..) if pool.alive() > 0)
    }

    /// What is known of it.
    pub fn app(&self) -> App {
        match &self.place {
            Place::Simulator(model) => Sim::new(model.clone(), Seed::default()).app().clone(),
            Place::Devices(pool, ..) => pool.app().clone(),
        }
    }

    /// What runs, in a line.
    pub fn describe(&self) -> String {
        let device = match &self.place {
            Place::Simulator(model) => Sim::new(model.clone(), Seed::default()).describe(),
            Place::Devices(_, said, _) => said.clone(),
        };
        setup::described(device, self.set_up.iter())
    }
}

impl AppArgs {
    /// Returns the app that is asked for here, else by `project`, or what to type so that there is one.
    pub fn open(&self, project: &Project, shell: &Shell) -> anyhow::Result<OpenedApp> {
        if self.is_said() {
            // A model runs in the simulator, whatever devices the project names for its own app.
            let device = if self.app.is_some() { self.device.clone() } else { self.device_or(project) };
            let app = AppArgs { device, ..self.clone() };
            return app.open_with(&[], "", shell);
        }
        let Project { app, apk, package, set, .. } = project.clone();
        let of_project =
            AppArgs { app, apk: apk.into_iter().collect(), package, ..self.without_app(project) };
        of_project.open_with(&set, "farlead.toml", shell)
    }

    /// Returns the app that is asked for here, else the one a stored test was found on, else that of `project`.
    pub fn open_for(&self, test: &TestCase, project: &Project, shell: &Shell) -> anyhow::Result<OpenedApp> {
        if self.is_said() || test.provenance.app.is_empty() {
            return self.open(project, shell);
        }
        let mut of_test = AppArgs { set: Vec::new(), ..self.without_app(project) };
        for pair in test.provenance.app.chunks(2) {
            match pair {
                [flag, path] if flag == "--app" => of_test.app = Some(below(&project.folder, path)),
                [flag, path] if flag == "--apk" => of_test.apk.push(below(&project.folder, path)),
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
        for path in of_test.app.iter().chain(&of_test.apk) {
            // Reading a pipe could block for ever.
            if !path.is_file() {
                let message = format!(
                    "cannot read {}, the app that the test was found on; say another with `--app`",
                    path.display()
                );
                return Err(Mistake::new(message).into());
            }
        }
        // `--set` of the command line comes last, so that it wins.
        let of_test_set = std::mem::replace(&mut of_test.set, self.set.clone());
        of_test.open_with(&of_test_set, "the stored test", shell)
    }

    /// Returns the device whose screen is looked at as it is, or nothing if it is the simulator's that is meant.
    pub fn device_to_look_at(&self, project: &Project) -> anyhow::Result<Option<Adb>> {
        let devices = self.device_or(project);
        let is_on_device = devices.iter().any(|device| device != SIMULATOR);
        let (app, apk) = match self.is_said() {
            true => (&self.app, &self.apk[..]),
            false => (&project.app, project.apk.as_slice()),
        };
        let is_simulated = !devices.is_empty() && !is_on_device
            || (app.is_some() && self.device.is_empty())
            || match apk {
                [path] if !is_on_device => unpacked(path, sources::read_bytes(path)?)?.is_some(),
                _ => false,
            };
        if is_simulated {
            self.refuse_u2()?;
            return Ok(None);
        }
        let serial = match &devices[..] {
            [] => std::env::var("ANDROID_SERIAL").ok().filter(|serial| !serial.is_empty()),
            [serial] => Some(serial.clone()),
            [first, ..] => {
                let said_by = if self.device.is_empty() { "farlead.toml names" } else { "`--device` names" };
                let message = format!(
                    "one device is looked at, and {said_by} {}; say which, like `farlead look --device {first}`",
                    devices.join(", ")
                );
                return Err(Usage::new(message).into());
            }
        };
        let options = self.options()?;
        let server = devices::server().map_err(or_simulated)?;
        let missing = |error: AdbError| Missing::new(error.to_string());
        let serial = server.choose(serial.as_deref()).map_err(unchosen)?.serial;
        let line = Box::new(Client::new(server, &serial));
        Ok(Some(Adb::to_look(line, options).map_err(missing)?))
    }

    /// The devices that are asked for here, else by `project`.
    fn device_or(&self, project: &Project) -> Vec<String> {
        if self.device.is_empty() { project.devices.clone() } else { self.device.clone() }
    }

    /// What is said here besides which app.
    fn without_app(&self, project: &Project) -> AppArgs {
        let (device, set) = (self.device_or(project), self.set.clone());
        AppArgs { app: None, apk: Vec::new(), package: None, device, set, ..self.clone() }
    }

    /// How devices are used.
    fn options(&self) -> Result<Options, Mistake> {
        let u2 = self.u2.as_deref().map(Jar::read).transpose();
        let u2 = u2.map_err(|error| Mistake::new(error.to_string()))?;
        Ok(Options { reset: self.reset.reset(), u2, ..Options::default() })
    }

    /// Says no to a server for devices where the app runs in the simulator.
    fn refuse_u2(&self) -> Result<(), Usage> {
        match &self.u2 {
            None => Ok(()),
            Some(path) => {
                let message = format!(
                    "`--u2 {}` is for looking at a device, and this app runs in the simulator; leave it out, or name a device \
                     with `--device`",
                    path.display()
                );
                Err(Usage::new(message))
            }
        }
    }

    /// Whether an app is named.
    pub fn is_said(&self) -> bool {
        self.app.is_some() || !self.apk.is_empty() || self.package.is_some()
    }

    /// Returns what to type so that the app of this command runs again, from the folder of the project.
    pub fn to_type(&self, project: &Project) -> Vec<String> {
        let own = self.is_said();
        let (app, apk, package) = if own {
            (&self.app, &self.apk[..], &self.package)
        } else {
            (&project.app, project.apk.as_slice(), &project.package)
        };
        let path = |path: &PathBuf| from(&project.folder, path);
        let app = app.iter().map(|app| ["--app".to_string(), path(app)]);
        let apk = apk.iter().map(|apk| ["--apk".to_string(), path(apk)]);
        let package = package.iter().map(|package| ["--package".to_string(), package.clone()]);
        let of_project = project.set.iter().filter(|_| !own);
        let set = of_project.chain(&self.set).map(|set| ["--set".to_string(), set.clone()]);
        app.chain(apk).chain(package).chain(set).flatten().collect()
    }

    /// `set` is said by `origin`, and comes before what the command line sets.
    fn open_with(&self, set: &[String], origin: &str, shell: &Shell) -> anyhow::Result<OpenedApp> {
        let is_on_device = self.device.iter().any(|device| device != SIMULATOR);
        if let Some(path) = &self.app {
            if is_on_device {
                let message = format!(
                    "a model runs in the simulator alone, so `--device {}` cannot be; `farlead sim {}` shows it as a device, \
                     and `farlead model pack` makes an apk of it",
                    self.device.join(" --device "),
                    path.display()
                );
                return Err(Usage::new(message).into());
            }
            self.refuse_u2()?;
            let source = sources::read_text(path)?;
            return Ok(OpenedApp::simulated(opened(source, (set, origin), &self.set, shell)?));
        }
        if let ([path], false) = (&self.apk[..], is_on_device)
            && let Some(source) = unpacked(path, sources::read_bytes(path)?)?
        {
            self.refuse_u2()?;
            return Ok(OpenedApp::simulated(opened(source, (set, origin), &self.set, shell)?));
        }
        let subject = match (&self.apk[..], &self.package) {
            ([], Some(package)) => Subject::Package(package.clone()),
            ([], None) => {
                let message = "which app? Give a model with `--app apps/chesswalk.app`, an apk with `--apk notes.apk`, or one \
                               on a device with `--package org.example`";
                return Err(Usage::new(message.to_string()).into());
            }
            (paths, _) => Subject::Apks(paths.to_vec()),
        };
        if let Some(set) = self.set.first().or(set.first()) {
            let message =
                format!("`--set {set}` is for a parameter of a model, and this app runs on a device");
            return Err(Usage::new(message).into());
        }
        if self.device.iter().any(|device| device == SIMULATOR) {
            let message = "the simulator runs models, and this app has none; give one with `--app MODEL`, or an apk that carries \
                           one, which `farlead model pack MODEL` makes";
            return Err(Missing::new(message.to_string()).into());
        }
        on_devices(&self.device, &subject, &self.options()?)
    }
}

/// Why none of the devices there are is the one that is meant.
fn unchosen(error: AdbError) -> Missing {
    let message = Missing::new(error.to_string());
    if matches!(error, AdbError::NoDevice) { or_simulated(message) } else { message }
}

/// What can be done without a device too.
fn or_simulated(error: Missing) -> Missing {
    Missing::new(format!("{error}. Without a device, the simulator runs a model: `--app MODEL`"))
}

/// Has the app ready on each of the devices that are named, or on the only one there is.
fn on_devices(named: &[String], subject: &Subject, options: &Options) -> anyhow::Result<OpenedApp> {
    let missing = |error: AdbError| Missing::new(error.to_string());
    let server = devices::server().map_err(or_simulated)?;
    let wanted: Vec<Option<String>> = match named {
        [] => vec![std::env::var("ANDROID_SERIAL").ok().filter(|serial| !serial.is_empty())],
        named => named.iter().cloned().map(Some).collect(),
    };
    let mut opened: Vec<Adb> = Vec::new();
    for serial in wanted {
        let serial = server.choose(serial.as_deref()).map_err(unchosen)?.serial;
        // A device that is named twice would otherwise disturb itself.
        if opened.iter().all(|device| device.serial() != serial) {
            opened.push(Adb::open(&server, &serial, subject, options.clone()).map_err(missing)?);
        }
    }
    let names = opened.iter().map(Adb::describe).collect::<Vec<_>>().join("; ");
    let said = opened.first().map_or(String::new(), |device| {
        let App { package, version, .. } = device.app();
        format!("{package} {version} on {names}")
    });
    let protocols = Protocols::default();
    let recorded = |device: Adb| -> Box<dyn Device + Send> {
        let serial = device.serial().to_string();
        Box::new(protocols.of(&serial, device))
    };
    let pool = Pool::new(opened.into_iter().map(recorded).collect());
    Ok(OpenedApp { place: Place::Devices(pool, said, protocols), set_up: Arc::default() })
}

/// Returns the model at `path`, or the one that the apk there carries.
pub fn model_at(path: &Path, set: &[String], shell: &Shell) -> anyhow::Result<Arc<Model>> {
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
) -> anyhow::Result<Arc<Model>> {
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
    Ok(Arc::new(model))
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
