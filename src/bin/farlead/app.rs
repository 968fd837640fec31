//! The app that a command drives, as the command line names it.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use farlead::device::adb::{Recording, Reset};
use farlead::device::sim::{self, model::Model};
use farlead::device::webdriver::PageUrl;
use farlead::device::{
    self, App, AppSource, Attached, BoxedDevice, Cause, Device, DeviceUrl, LoadedModel, OpenError, Opened,
    Parameter, Pool, Request, Sealed, Secrets, Sim, writable_address,
};
use farlead::gui::{Action, Key, UserAction};
use farlead::replay::Captured;
use farlead::rng::Seed;
use farlead::search::Dictionary;
use farlead::setup::{self, Prepared, SetUpTest};
use farlead::spec::{ShownPlace, Spec, printable, shown_path};
use farlead::test_case::{Provenance, TestCase, TestSetUp};

use crate::progress::waiting;
use crate::project::Project;
use crate::protocol::Protocols;
use crate::sources::{self, Shell};
use crate::{Missing, Mistake, Usage};

/// Bytes that a simulator remembers in a run that is led by hand: nobody leads it through as many states as a search.
const BY_HAND_BYTES: usize = 2 << 20;

/// App, and the devices that it runs on.
#[derive(Clone, Debug, Args)]
pub struct AppArgs {
    /// App model, or model of FATE (.py, .json, MoML), to run on the embedded simulator
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["apk", "package", "url"])]
    app: Vec<PathBuf>,
    /// APK to install, once for each split; one with a packed model runs on the simulator
    #[arg(long, value_name = "APK", conflicts_with_all = ["package", "url"])]
    apk: Vec<PathBuf>,
    /// App that is already on the device
    #[arg(long, value_name = "NAME", conflicts_with = "url")]
    package: Option<String>,
    /// Page to open in a browser
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// `sim`, a device's serial number, `replay:FILE`, `replay-nearest:FILE`, `exec:PROGRAM`, for pages `chrome` or `firefox`, or the
    /// address of a WebDriver server: Appium for apps, else a browser's; may be repeated [default: sim for models, chrome for pages,
    /// else the only device]
    #[arg(long, value_name = "D")]
    device: Vec<String>,
    /// Way to start the app afresh for each episode
    #[arg(long, value_name = "HOW", value_enum, default_value_t = ResetName::Clear)]
    reset: ResetName,
    /// uiautomator2's u2.jar, which reads screens faster; see docs/devices.md
    #[arg(long, value_name = "FILE")]
    u2: Option<PathBuf>,
    /// Write all that the attached device is asked, and its answers; `--device replay:FILE` takes its place later,
    /// `--device replay-nearest:FILE` also in a run that differs a little
    #[arg(long, value_name = "FILE")]
    record_adb: Option<PathBuf>,
    /// Capabilities to ask a WebDriver server for, as one JSON object; they take the place of the usual ones
    #[arg(long, value_name = "FILE.json")]
    capabilities: Option<PathBuf>,
    /// Parameter of the model, like fixed=true, may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Sessions at each browser and server, if more than one is asked for.
    #[arg(skip)]
    sessions: Option<u32>,
}

/// Way to start an app afresh.
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

/// Kind of device that an app runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    Simulator,
    Browser,
    Program,
    Phone,
}

/// An app that is ready to run.
#[derive(Clone)]
pub struct OpenedApp {
    pool: Pool,
    /// Model that the simulator runs, if it takes part.
    model: Option<Arc<Model>>,
    /// Dictionary of that model, if it has one of its own.
    texts: Option<Arc<[String]>>,
    /// Protocols of what attached devices are asked to do.
    protocols: Protocols,
    set_up: Arc<[SetUpTest]>,
    /// Secrets that the app alone gets to see, if there are any.
    secrets: Option<Arc<Secrets>>,
    keeps_keyboard: bool,
}

impl OpenedApp {
    fn new(mut opened: Opened, secrets: Option<Arc<Secrets>>, shell: &Shell) -> OpenedApp {
        // Sealed before anything can record it.
        if let Some(secrets) = &secrets {
            opened.seal(secrets);
        }
        if let Some(loaded) = &opened.model {
            warn_of(loaded, shell);
        }
        let model = opened.model.as_ref().map(|loaded| loaded.model.clone());
        let texts = opened.model.as_ref().and_then(|loaded| loaded.texts.clone());
        let protocols = Protocols::default();
        for warning in opened.attached.iter().flat_map(|one| &one.warnings).filter(|_| !shell.quiet) {
            // A closed stderr leaves nobody to tell, so a failed write is no error.
            let _ = writeln!(io::stderr(), "farlead: warning: {}", printable(warning));
        }
        // A simulator does the same again from its seed, so only attached devices have a protocol.
        let recorded = |Attached { name, device, warnings }: Attached| {
            let device = Box::new(protocols.of(&name, device));
            Attached { name, device, warnings }
        };
        opened.attached = opened.attached.into_iter().map(recorded).collect();
        OpenedApp {
            pool: opened.into_pool(),
            model,
            texts,
            protocols,
            set_up: Arc::default(),
            secrets,
            keeps_keyboard: false,
        }
    }

    /// Returns the same app, which is set up by `tests` whenever it is started.
    pub fn with_set_up(&self, tests: &[SetUpTest]) -> OpenedApp {
        OpenedApp { set_up: tests.into(), ..self.clone() }
    }

    /// Returns the same app for runs of `specs`: a keyboard that one of them speaks of stays where it comes up.
    pub fn for_specs<'s>(&self, specs: impl IntoIterator<Item = &'s Spec>) -> OpenedApp {
        let keeps_keyboard =
            specs.into_iter().any(|spec| spec.atoms.values().any(|atom| atom.mentions(Key::Keyboard)));
        OpenedApp { keeps_keyboard, ..self.clone() }
    }

    /// Returns its set-up as a test keeps it, and adds the user's actions in it to `actions`, those of the test.
    pub fn kept_set_up(&self, actions: &mut Vec<UserAction>) -> TestSetUp {
        TestSetUp::Own(setup::kept(&self.set_up, actions))
    }

    /// Returns the test of a run that `captured` describes, for `spec`.
    pub fn test(&self, spec: &Spec, captured: &Captured, provenance: Provenance) -> TestCase {
        let mut actions = captured.actions.clone();
        TestCase {
            set_up: self.kept_set_up(&mut actions),
            provenance,
            steps: captured.steps.clone(),
            captured: captured.formula.clone(),
            oracle: spec.clone(),
            actions,
        }
    }

    /// Returns the tests that set it up.
    pub fn set_up(&self) -> &[SetUpTest] {
        &self.set_up
    }

    /// Returns the actions that set it up, as they are printed.
    pub fn set_up_actions(&self) -> Vec<String> {
        let steps = self.set_up.iter().flat_map(SetUpTest::steps);
        steps.map(|step| step.action.to_string()).collect()
    }

    /// Refuses an app if the rules of `project` leave no activity to start it with.
    pub fn check_rules(&self, project: &Project) -> Result<(), Mistake> {
        // Asked of a device, as set-up leaves only one activity to launch.
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

    /// Returns a device for a run, until it is dropped. One that is made for the run takes all its chance from `seed`;
    /// where all are attached, this waits until one is free.
    pub fn device(&self, seed: Seed) -> Box<dyn Device> {
        let mut device = self.pool.lend(seed);
        device.keep_keyboard(self.keeps_keyboard);
        self.prepared(device)
    }

    /// Returns a device as [`OpenedApp::device`] does, for a run that is led by hand.
    pub fn device_by_hand(&self, seed: Seed) -> Box<dyn Device> {
        match self.simulator(seed) {
            Some(simulator) => self.prepared(Box::new(simulator.remembering(BY_HAND_BYTES))),
            None => self.device(seed),
        }
    }

    /// Returns a device that is set up whenever it is started.
    fn prepared(&self, device: Box<dyn Device>) -> Box<dyn Device> {
        if self.set_up.is_empty() { device } else { Box::new(Prepared::new(device, &self.set_up)) }
    }

    /// Returns a simulator that is not set up and takes all its chance from `seed`, if one takes part.
    pub fn simulator(&self, seed: Seed) -> Option<Sim> {
        self.model.as_ref().map(|model| {
            let mut simulator = Sim::new(model.clone(), seed).sealed(self.secrets.clone());
            simulator.keep_keyboard(self.keeps_keyboard);
            simulator
        })
    }

    /// Writes protocols of what attached devices do below `folder` from now on.
    pub fn record_to(&self, folder: &Path) {
        self.protocols.write_to(folder);
    }

    /// Returns the texts to type: those that the `user` names, else those of the model's own dictionary.
    pub fn dictionary(&self, user: Option<Vec<String>>) -> Dictionary {
        match (user, &self.texts) {
            (None, Some(texts)) => Dictionary { texts: texts.to_vec(), is_all: true },
            (user, _) => Dictionary { texts: user.unwrap_or_default(), is_all: false },
        }
    }

    /// Returns true if it runs on attached devices, which are as many as they are.
    pub fn is_on_devices(&self) -> bool {
        self.pool.has_attached()
    }

    /// Returns true if the app is a model, and time is virtual.
    pub fn is_model(&self) -> bool {
        self.model.is_some()
    }

    /// Returns how many runs go on at a time, where `jobs` are asked for.
    pub fn jobs(&self, jobs: usize) -> usize {
        self.pool.jobs(jobs)
    }

    /// Returns true if work that failed with a device can be done on another.
    pub fn has_another(&self) -> bool {
        self.pool.is_alive()
    }

    /// Returns the app's package, version and activities.
    pub fn app(&self) -> App {
        self.pool.app().clone()
    }

    /// Returns all places that the app may show; none if that is not known.
    pub fn shown_places(&self) -> Option<Vec<ShownPlace>> {
        self.model.as_ref().map(|model| sim::shown_places(model))
    }

    /// Describes the app, its devices and its set-up, in a line for people.
    pub fn describe(&self) -> String {
        setup::described(self.pool.describe().to_string(), self.set_up.iter())
    }
}

impl AppArgs {
    /// Returns these flags for so many sessions at each browser and server, if someone says how many.
    pub fn with_sessions(&self, jobs: Option<u32>) -> AppArgs {
        AppArgs { sessions: jobs, ..self.clone() }
    }

    /// Returns these flags on other devices.
    fn on(&self, devices: Vec<String>) -> AppArgs {
        AppArgs { device: devices, ..self.clone() }
    }

    /// Returns these flags on devices that a person has picked, without capabilities that none of them takes.
    pub fn on_picked(&self, devices: Vec<String>) -> AppArgs {
        let takes_capabilities = devices.iter().any(|name| DeviceUrl::parse(name).takes_capabilities());
        let capabilities = self.capabilities.clone().filter(|_| takes_capabilities);
        AppArgs { capabilities, ..self.on(devices) }
    }

    /// Returns the devices that are named here, else those of `project` for its own app.
    pub fn devices(&self, project: &Project) -> Vec<String> {
        // A model runs in the simulator, whatever devices the project names for its own app.
        if self.app.is_empty() { self.device_or(project) } else { self.device.clone() }
    }

    /// Returns the kind of device that the app runs on.
    pub fn runner(&self, project: &Project) -> Runner {
        let is_own = self.is_said();
        if self.has_program() {
            Runner::Program
        } else if self.url.is_some() || (!is_own && project.url.is_some()) {
            Runner::Browser
        } else if !self.app.is_empty() || (!is_own && project.app.is_some()) {
            Runner::Simulator
        } else {
            Runner::Phone
        }
    }

    /// Opens the app that is named here, else the one of `project`; without either the error says what to type.
    pub fn open(&self, project: &Project, shell: &Shell) -> anyhow::Result<OpenedApp> {
        if self.is_said() {
            let app = self.on(self.devices(project));
            return app.open_with(&[], "", project, shell);
        }
        let Project { app, apk, package, url, set, .. } = project.clone();
        let of_project = AppArgs {
            app: app.into_iter().collect(),
            apk: apk.into_iter().collect(),
            package,
            url,
            ..self.without_app(project)
        };
        of_project.open_with(&set, "farlead.toml", project, shell)
    }

    /// Returns these flags for each of the models that they name, or as they are if they name none.
    pub fn each(&self) -> Vec<AppArgs> {
        match &self.app[..] {
            [] => vec![self.clone()],
            all => all.iter().map(|app| AppArgs { app: vec![app.clone()], ..self.clone() }).collect(),
        }
    }

    /// Opens another model as the app that is named here is opened.
    pub fn open_model(&self, model: &Path, project: &Project, shell: &Shell) -> anyhow::Result<OpenedApp> {
        let of_model = AppArgs {
            app: vec![model.to_path_buf()],
            apk: Vec::new(),
            package: None,
            url: None,
            ..self.clone()
        };
        of_model.open(project, shell)
    }

    /// Opens the app that is named here, else the one that a stored test was found on, else that of `project`.
    pub fn open_for(&self, test: &TestCase, project: &Project, shell: &Shell) -> anyhow::Result<OpenedApp> {
        if self.is_said() || test.provenance.app.is_empty() {
            return self.open(project, shell);
        }
        let mut of_test = AppArgs { set: Vec::new(), ..self.without_app(project) };
        for pair in test.provenance.app.chunks(2) {
            match pair {
                [flag, path] if flag == "--app" => of_test.app.push(below(&project.folder, path)),
                [flag, path] if flag == "--apk" => of_test.apk.push(below(&project.folder, path)),
                [flag, name] if flag == "--package" => of_test.package = Some(name.clone()),
                [flag, url] if flag == "--url" => of_test.url = Some(of_project(url, project).to_string()),
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
                    shown_path(path)
                );
                return Err(Mistake::new(message).into());
            }
        }
        if let Some(path) = of_test.app.first()
            && !sim::is_model(sources::read_text(path)?.text())
        {
            // A test may name any file, and its lines are nobody's business then.
            let path = shown_path(path);
            let message = format!(
                "{path}, the app that the test was found on, is no model of an app; say another with `--app`"
            );
            return Err(Mistake::new(message).into());
        }
        // `--set` of the command line comes last, so that it wins.
        let of_test_set = std::mem::replace(&mut of_test.set, self.set.clone());
        of_test.open_with(&of_test_set, "the stored test", project, shell)
    }

    /// Returns the attached device whose screen is looked at as it is, or nothing if the simulator is meant.
    pub fn device_to_look_at(&self, project: &Project, shell: &Shell) -> anyhow::Result<Option<BoxedDevice>> {
        let devices = self.device_or(project);
        // A page is opened as for a run; nothing is in front of a browser that has just been started.
        if self.url.is_some() || self.has_program() || (!self.is_said() && project.url.is_some()) {
            return Ok(None);
        }
        let is_on_device = devices.iter().any(|device| DeviceUrl::parse(device) != DeviceUrl::Simulator);
        // An app on the command line takes the place of the project's, whatever kind each of them is.
        let (app, apk) = match self.is_said() {
            true => (self.app.first(), &self.apk[..]),
            false => (project.app.as_ref(), project.apk.as_slice()),
        };
        let refused = |error: OpenError| refused(error, shell);
        // An apk may carry a model, which the simulator runs unless a device is named.
        let is_simulated = !devices.is_empty() && !is_on_device
            || (app.is_some() && self.device.is_empty())
            || match apk {
                [path] if !is_on_device => device::carried_model(path).map_err(refused)?.is_some(),
                _ => false,
            };
        if is_simulated {
            if self.record_adb.is_some() {
                return Err(refused(OpenError::RecordingOfOne { devices: 0 }));
            }
            return match (&self.u2, &self.capabilities) {
                (Some(path), _) => Err(refused(OpenError::U2OfSimulator { path: path.clone() })),
                (None, Some(path)) => {
                    let devices = devices.iter().map(|device| DeviceUrl::parse(device)).collect();
                    Err(refused(OpenError::CapabilitiesOfNone { path: path.clone(), devices }))
                }
                (None, None) => Ok(None),
            };
        }
        let serial = match &devices[..] {
            [] => None,
            [serial] => Some(&**serial),
            [first, ..] => {
                let said_by = if self.device.is_empty() { "farlead.toml names" } else { "`--device` names" };
                let message = format!(
                    "one device is looked at, and {said_by} {}; say which, like `farlead look --device {first}`",
                    devices.join(", ")
                );
                return Err(Usage::new(message).into());
            }
        };
        let recording = self.recording(project);
        let takes_capabilities = serial.is_some_and(|serial| DeviceUrl::parse(serial).takes_capabilities());
        let of_project = project.capabilities.as_ref().filter(|_| takes_capabilities);
        let capabilities = self.capabilities.as_ref().or(of_project);
        let device = device::open_to_look(
            serial,
            self.u2.as_deref(),
            recording.as_ref(),
            capabilities.map(PathBuf::as_path),
            &variable,
        );
        let device = device.map_err(refused)?;
        Ok(Some(match &project.secrets {
            Some(secrets) => Box::new(Sealed::new(device, secrets.clone())),
            None => device,
        }))
    }

    /// Returns the devices that are named here, else those of `project`.
    fn device_or(&self, project: &Project) -> Vec<String> {
        if self.device.is_empty() { project.devices.clone() } else { self.device.clone() }
    }

    /// Returns the transcript to write, if there is one.
    fn recording(&self, project: &Project) -> Option<Recording> {
        let path = self.record_adb.clone()?;
        Some(Recording { path, secrets: project.secrets.clone() })
    }

    /// Returns the same flags without those for an app.
    fn without_app(&self, project: &Project) -> AppArgs {
        let (device, set) = (self.device_or(project), self.set.clone());
        AppArgs { app: Vec::new(), apk: Vec::new(), package: None, url: None, device, set, ..self.clone() }
    }

    /// Returns true if an app is named; a program that is a device names its own.
    pub fn is_said(&self) -> bool {
        !self.app.is_empty()
            || !self.apk.is_empty()
            || self.package.is_some()
            || self.url.is_some()
            || self.has_program()
    }

    /// Returns true if a program is the device.
    fn has_program(&self) -> bool {
        self.device.iter().any(|name| matches!(DeviceUrl::parse(name), DeviceUrl::Program(_)))
    }

    /// Returns what to type so that the app of this command runs again, from the folder of the project.
    pub fn to_type(&self, project: &Project) -> Vec<String> {
        let own = self.is_said();
        let (app, apk, package, url) = if own {
            (self.app.first(), &self.apk[..], &self.package, &self.url)
        } else {
            (project.app.as_ref(), project.apk.as_slice(), &project.package, &project.url)
        };
        // Paths in a test are from the folder of the project, so that it can be replayed from any folder.
        let path = |path: &PathBuf| from(&project.folder, path);
        let app = app.iter().map(|app| ["--app".to_string(), path(app)]);
        let apk = apk.iter().map(|apk| ["--apk".to_string(), path(apk)]);
        let package = package.iter().map(|package| ["--package".to_string(), package.clone()]);
        let url = url.iter().map(|url| ["--url".to_string(), writable_address(url).into_owned()]);
        // The parameters of farlead.toml are for its own app.
        let of_project = project.set.iter().filter(|_| !own);
        let set = of_project.chain(&self.set).map(|set| ["--set".to_string(), set.clone()]);
        app.chain(apk).chain(package).chain(url).chain(set).flatten().collect()
    }

    /// Returns these flags as they are typed.
    pub fn flags(&self) -> Vec<OsString> {
        let paths = |flag: &'static str, paths: &[PathBuf]| -> Vec<OsString> {
            paths.iter().flat_map(|path| [flag.into(), path.clone().into_os_string()]).collect()
        };
        let texts = |flag: &'static str, texts: &[String]| -> Vec<OsString> {
            texts.iter().flat_map(|text| [flag.into(), text.into()]).collect()
        };
        let reset = Some(self.reset).filter(|&reset| reset != ResetName::Clear);
        let reset =
            reset.and_then(|reset| reset.to_possible_value()).map(|value| value.get_name().to_string());
        [
            paths("--app", &self.app),
            paths("--apk", &self.apk),
            texts("--package", self.package.as_slice()),
            texts("--url", self.url.as_slice()),
            texts("--device", &self.device),
            texts("--reset", reset.as_slice()),
            paths("--u2", self.u2.as_slice()),
            paths("--capabilities", self.capabilities.as_slice()),
            texts("--set", &self.set),
        ]
        .concat()
    }

    /// Opens the app; `set` are parameters from the file `origin`, which come before those of the command line.
    fn open_with(
        &self,
        set: &[String],
        origin: &str,
        project: &Project,
        shell: &Shell,
    ) -> anyhow::Result<OpenedApp> {
        let app = match (self.app.first(), &self.apk[..], &self.package, &self.url) {
            (Some(_), ..) if self.app.len() > 1 => {
                let message = "this command takes one `--app`; `explore --train` takes several";
                return Err(Usage::new(message.to_string()).into());
            }
            (Some(path), ..) => AppSource::Model(path.clone()),
            (None, [], Some(package), _) => AppSource::Package(package.clone()),
            (None, [], None, Some(url)) => {
                AppSource::Page(PageUrl::parse(url).map_err(|error| Usage::new(error.to_string()))?)
            }
            (None, [], None, None) if self.has_program() => AppSource::Program,
            (None, [], None, None) => {
                let message = "which app? Give a model with `--app apps/chesswalk.app`, an apk with `--apk notes.apk`, one on a \
                               device with `--package org.example`, or a page with `--url http://localhost:8000/`";
                return Err(Usage::new(message.to_string()).into());
            }
            (None, paths, ..) => AppSource::Apks(paths.to_vec()),
        };
        let written =
            set.iter().map(|text| Parameter { text: text.clone(), origin: Some(origin.to_string()) });
        let mut request = Request {
            app,
            devices: self.device.iter().map(|name| DeviceUrl::parse(name)).collect(),
            parameters: written.chain(parameters(&self.set)).collect(),
            reset: self.reset.reset(),
            u2: self.u2.clone(),
            prompts: project.prompts.clone(),
            recording: self.recording(project),
            capabilities: self.capabilities.clone(),
            sessions: self.sessions.unwrap_or(1) as usize,
        };
        // Those of farlead.toml are for its own device, which the command line may replace.
        if request.capabilities.is_none() && request.takes_capabilities() {
            request.capabilities = project.capabilities.clone();
        }
        // A model is opened at once; a device may let one wait, or be dead.
        let is_attached = self.app.is_empty();
        let opened = waiting(is_attached && !shell.quiet, "the device", || device::open(&request, &variable));
        let opened = opened.map_err(|error| refused(error, shell))?;
        Ok(OpenedApp::new(opened, project.secrets.clone(), shell))
    }
}

/// Looks up a variable of the environment.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Parameters that the command line sets.
fn parameters(set: &[String]) -> impl Iterator<Item = Parameter> {
    set.iter().map(|text| Parameter { text: text.clone(), origin: None })
}

/// Returns the error of a command whose app was not opened.
fn refused(error: OpenError, shell: &Shell) -> anyhow::Error {
    let message = error.to_string();
    match (error.cause(), error) {
        // The mistakes of a model are shown in their lines, which a message alone would lose.
        (_, OpenError::Model(broken)) => sources::refuse(&broken.source, &broken.diagnostics, shell).into(),
        (Cause::Request, _) => Usage::new(message).into(),
        (Cause::File, _) => Mistake::new(message).into(),
        (Cause::Environment, _) => Missing::new(message).into(),
    }
}

/// Returns the model at `path`, or the one that the apk there carries.
pub fn model_at(path: &Path, set: &[String], shell: &Shell) -> anyhow::Result<Arc<Model>> {
    let set: Vec<Parameter> = parameters(set).collect();
    let loaded = device::load_model(path, &set).map_err(|error| refused(error, shell))?;
    warn_of(&loaded, shell);
    Ok(loaded.model)
}

fn warn_of(loaded: &LoadedModel, shell: &Shell) {
    if !shell.quiet {
        sources::warn(&loaded.source, &loaded.diagnostics, shell);
    }
}

/// Returns the address of the page of `project` if a stored test has the same without user and key, else that of the test.
fn of_project<'a>(url: &'a str, project: &'a Project) -> &'a str {
    let own = project.url.as_deref().filter(|own| writable_address(own) == url);
    own.unwrap_or(url)
}

/// Turns a path from the folder of a project into one from the current folder.
fn below(folder: &Path, path: &str) -> PathBuf {
    let there = folder.join(path);
    // `from` keeps a path as it was typed if it cannot resolve it; then it is from the current folder.
    if there.exists() { there } else { PathBuf::from(path) }
}

/// Turns a path from the current folder into one from the folder of a project.
pub fn from(folder: &Path, path: &Path) -> String {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // Links are resolved first, as `..` behind a link leads to another folder.
    let (Ok(path), Ok(folder)) = (path.canonicalize(), folder.canonicalize()) else {
        return path.display().to_string();
    };
    let shared = path.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(shared).map(|_| std::path::Component::ParentDir);
    let way: PathBuf = up.chain(path.components().skip(shared)).collect();
    way.display().to_string()
}
