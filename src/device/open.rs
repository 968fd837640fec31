//! Opening devices: an app and its devices as a user names them, ready to run.
//!
//! Flags, files of settings and stored tests all come down to a [`Request`]. Where each part of it was written is for the
//! shell to know, and so are exit codes, for which an [`OpenError`] has a [`Cause`].

use std::fmt;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(feature = "webdriver")]
use std::thread;

#[cfg(feature = "adb")]
use super::adb::{Adb, Client, Jar, Line, Options, Recorder, Replayed, Server};
use super::adb::{AdbError, JarError, Order, Recording, Reset, Subject, TranscriptError};
#[cfg(feature = "webdriver")]
use super::adb::{declared, read_apks};
use super::android::prompt::Prompts;
use super::exec::{Exec, ExecError};
use super::pool::{BoxedDevice, Maker, Pool};
use super::secret::{Sealed, Secrets};
use super::sim::model::Model;
use super::sim::{self, Sim, apk};
use super::webdriver::{Browser, PageUrl, Place, WebDriverError};
#[cfg(feature = "webdriver")]
use super::webdriver::{
    CapabilitiesError, Options as BrowserOptions, Phone, PhoneApp, PhoneError, PhoneOptions, ServerStatus,
    Web,
};
use crate::spec::{Diagnostics, ReadError, Source, read_bytes, read_text, text_of};
use crate::text::{shown_path, without_secret};

/// A device as `--device` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceUrl {
    /// The embedded simulator.
    Simulator,
    /// An attached device, by the serial number or address that adb lists.
    Serial(String),
    /// The device of a transcript, in place of an attached one.
    Replay(PathBuf, Order),
    /// A program with its arguments, which answers as a device.
    Program(String),
    /// A browser at its driver on this machine, or a WebDriver server at an address: of browsers for a page, else of phones.
    Browser(Place),
}

/// Starts of the names of transcripts, and the order in which each answers.
const REPLAYS: [(&str, Order); 2] = [("replay:", Order::Strict), ("replay-nearest:", Order::Nearest)];

/// Start of the names of programs.
const PROGRAM: &str = "exec:";

impl DeviceUrl {
    /// Reads a name: `sim` is the simulator, `replay:FILE` and `replay-nearest:FILE` are transcripts, `exec:PROGRAM` is a
    /// program, `chrome` and `firefox` are browsers, addresses are WebDriver servers, and any other name is a serial number.
    pub fn parse(name: &str) -> DeviceUrl {
        if let Some(command) = name.strip_prefix(PROGRAM) {
            return DeviceUrl::Program(command.to_string());
        }
        if let Some(browser) = Browser::ALL.into_iter().find(|browser| browser.name() == name) {
            return DeviceUrl::Browser(Place::Here(browser));
        }
        if name.starts_with("http://") || name.starts_with("https://") {
            return DeviceUrl::Browser(Place::At(name.to_string()));
        }
        let replay = REPLAYS.iter().find_map(|(start, order)| Some((name.strip_prefix(start)?, *order)));
        match replay {
            Some((path, order)) => DeviceUrl::Replay(path.into(), order),
            None if name == "sim" => DeviceUrl::Simulator,
            None => DeviceUrl::Serial(name.to_string()),
        }
    }

    /// Returns the serial number of an attached device.
    pub fn serial(&self) -> Option<&str> {
        match self {
            DeviceUrl::Simulator | DeviceUrl::Replay(..) | DeviceUrl::Program(_) | DeviceUrl::Browser(_) => {
                None
            }
            DeviceUrl::Serial(serial) => Some(serial),
        }
    }

    /// Returns true if it is asked for capabilities.
    pub fn takes_capabilities(&self) -> bool {
        match self {
            DeviceUrl::Browser(_) => true,
            DeviceUrl::Simulator | DeviceUrl::Serial(_) | DeviceUrl::Replay(..) | DeviceUrl::Program(_) => {
                false
            }
        }
    }

    /// Returns the address of a WebDriver server, with user and key if it has them.
    fn address(&self) -> Option<&str> {
        match self {
            DeviceUrl::Browser(Place::At(address)) => Some(address),
            DeviceUrl::Simulator
            | DeviceUrl::Serial(_)
            | DeviceUrl::Replay(..)
            | DeviceUrl::Program(_)
            | DeviceUrl::Browser(Place::Here(_)) => None,
        }
    }
}

impl fmt::Display for DeviceUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceUrl::Simulator => out.write_str("sim"),
            DeviceUrl::Serial(serial) => out.write_str(serial),
            DeviceUrl::Replay(path, order) => {
                let start = REPLAYS.iter().find(|(_, other)| other == order).map_or("", |(start, _)| start);
                write!(out, "{start}{}", path.display())
            }
            DeviceUrl::Program(command) => write!(out, "{PROGRAM}{command}"),
            DeviceUrl::Browser(Place::Here(browser)) => out.write_str(browser.name()),
            DeviceUrl::Browser(Place::At(address)) => out.write_str(&without_secret(address)),
        }
    }
}

/// Origin of an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppSource {
    /// The file of an app model.
    Model(PathBuf),
    /// The base APK and those it is split into; a single one may carry a model.
    Apks(Vec<PathBuf>),
    /// Package of an app that is installed.
    Package(String),
    /// A page, in a browser.
    Page(PageUrl),
    /// Whatever the program shows that is the device.
    Program,
}

/// Parameter of a model, to be set before the model runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name and value, like `fixed=true`.
    pub text: String,
    /// File that sets it, named in messages; none if the user does on the command line.
    pub origin: Option<String>,
}

/// An app to be opened, and the devices to open it on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The app.
    pub app: AppSource,
    /// Devices that share the work. If there are none, the simulator runs an app that carries a model, and another app
    /// runs on the device that the environment names, or on the only one.
    pub devices: Vec<DeviceUrl>,
    /// Parameters of the model, in the order in which they are set.
    pub parameters: Vec<Parameter>,
    /// Way in which an attached device starts the app afresh.
    pub reset: Reset,
    /// File of uiautomator2's server, by which attached devices are looked at.
    pub u2: Option<PathBuf>,
    /// Prompts of the system that an attached device answers.
    pub prompts: Prompts,
    /// Transcript that is written of the only attached device.
    pub recording: Option<Recording>,
    /// File of the capabilities that a WebDriver server is asked for.
    pub capabilities: Option<PathBuf>,
    /// Sessions at each browser and each WebDriver server.
    pub sessions: usize,
}

impl Request {
    /// Returns a request for `app` on the devices that are there without a name.
    pub fn new(app: AppSource) -> Request {
        let reset = Reset::default();
        Request {
            app,
            devices: Vec::new(),
            parameters: Vec::new(),
            reset,
            u2: None,
            prompts: Prompts::default(),
            recording: None,
            capabilities: None,
            sessions: 1,
        }
    }

    /// Returns true if a device of it is asked for capabilities.
    pub fn takes_capabilities(&self) -> bool {
        // A page without a device is opened in a browser.
        let is_page = matches!(self.app, AppSource::Page(_));
        is_page || self.devices.iter().any(DeviceUrl::takes_capabilities)
    }

    fn refuse_capabilities(&self) -> Result<(), OpenError> {
        match &self.capabilities {
            Some(path) if !self.takes_capabilities() => {
                Err(OpenError::CapabilitiesOfNone { path: path.clone(), devices: self.devices.clone() })
            }
            Some(_) | None => Ok(()),
        }
    }

    fn refuse_u2(&self) -> Result<(), OpenError> {
        match &self.u2 {
            None => Ok(()),
            Some(path) => Err(OpenError::U2OfSimulator { path: path.clone() }),
        }
    }

    /// Refuses choices that have no meaning for pages and programs.
    fn refuse_what_phones_take(&self) -> Result<(), OpenError> {
        if self.recording.is_some() {
            return Err(OpenError::RecordingOfOne { devices: 0 });
        }
        self.refuse_u2()?;
        self.refuse_parameters()
    }

    fn refuse_parameters(&self) -> Result<(), OpenError> {
        // A user on the command line sees that flag first.
        let own = self.parameters.iter().find(|parameter| parameter.origin.is_none());
        match own.or(self.parameters.first()) {
            None => Ok(()),
            Some(Parameter { text, .. }) => Err(OpenError::ParameterOfDevice { parameter: text.clone() }),
        }
    }
}

/// Party that can mend an [`OpenError`]'s cause, by which commands choose their exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The request asks for the impossible.
    Request,
    /// A file is missing or broken.
    File,
    /// A device or program is missing, or does not answer.
    Environment,
}

/// Reason why an app was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A model is to run on an attached device.
    #[error(
        "a model runs in the simulator alone, so `--device {}` cannot be; `farlead sim {}` shows it as a device, and `farlead \
         model pack` makes an apk of it",
        joined(devices),
        shown_path(path)
    )]
    ModelOnDevice {
        /// Devices of the request.
        devices: Vec<DeviceUrl>,
        /// File of the model.
        path: PathBuf,
    },
    /// The simulator is to run an app without a model.
    #[error(
        "the simulator runs models, and this app has none; give one with `--app MODEL`, or an apk that carries one, which \
         `farlead model pack MODEL` makes"
    )]
    NoModel,
    /// An APK is to be simulated and carries no model.
    #[error(
        "{} carries no model, so there is nothing to simulate; one is packed by `farlead model pack MODEL`",
        shown_path(path)
    )]
    NothingToSimulate {
        /// File of the APK.
        path: PathBuf,
    },
    /// The simulator is to be looked at by a server for devices.
    #[error(
        "`--u2 {}` is for looking at a device, and this app runs in the simulator; leave it out, or name a device with \
         `--device`",
        shown_path(path)
    )]
    U2OfSimulator {
        /// File of the server.
        path: PathBuf,
    },
    /// Capabilities are to be asked of devices that have none.
    #[error(
        "`--capabilities {}` is for a browser or a server of Appium, and {}; leave it out, or name one, like `--device \
         http://127.0.0.1:4723`",
        shown_path(path),
        match &devices[..] {
            [] => "no `--device` names one".to_string(),
            [device] => format!("`--device {device}` is none"),
            devices => format!("`--device {}` are none", joined(devices)),
        }
    )]
    CapabilitiesOfNone {
        /// File of the capabilities.
        path: PathBuf,
        /// Devices of the request.
        devices: Vec<DeviceUrl>,
    },
    /// A model's parameter is set for an app on an attached device.
    #[error("`--set {parameter}` is for a parameter of a model, and this app runs on a device")]
    ParameterOfDevice {
        /// The parameter.
        parameter: String,
    },
    /// A parameter cannot be set.
    #[error("{}{message}", .origin.as_ref().map(|origin| format!("{origin}: ")).unwrap_or_default())]
    Parameter {
        /// File that sets it; none if the user does.
        origin: Option<String>,
        /// The mistake.
        message: String,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file is no APK.
    #[error("{}: {source}", shown_path(path))]
    Apk {
        /// The file.
        path: PathBuf,
        /// The mistake in it.
        source: apk::ApkError,
    },
    /// A model has mistakes.
    #[error("the model {} has mistakes", .0.source.name())]
    Model(Box<BrokenModel>),
    /// The server for looking at devices cannot be used.
    #[error(transparent)]
    U2(#[from] JarError),
    /// No device is there at all.
    #[error("{source}. Without a device, the simulator runs a model: `--app MODEL`")]
    NoDevice {
        /// adb's reason.
        source: AdbError,
    },
    /// A transcript is to be written of nothing, or of several devices.
    #[error("`--record-adb` writes what one attached device is asked, and there {}", match devices {
        0 => "is none".to_string(),
        devices => format!("are {devices}"),
    })]
    RecordingOfOne {
        /// Number of attached devices.
        devices: usize,
    },
    /// A transcript cannot be written or read.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// A device cannot be opened.
    #[error(transparent)]
    Adb(#[from] AdbError),
    /// A page is to be opened on what is no browser.
    #[error(
        "a page is opened in a browser, and `--device {device}` is none; leave it out, or name one like `--device chrome`"
    )]
    PageOnDevice {
        /// The device.
        device: DeviceUrl,
    },
    /// The user and the key of a page are hidden, as stored tests have them.
    #[error(
        "{origin} needs a user and a key, which stored tests do not keep; give the address with them, as in \
          `--url {}`, or name variables of the environment in the line `app` of the test, as in `{}`",
        with_user_and_key(origin, "USER:KEY"),
        with_user_and_key(origin, "${PAGE_USER}:${PAGE_KEY}")
    )]
    HiddenKey {
        /// Origin of the page.
        origin: String,
    },
    /// The address of a page names a variable that has no value.
    #[error(
        "the environment variable {name}, which the address of {origin} names, is not set or is empty; set it, as in `export \
         {name}=...`"
    )]
    NoVariable {
        /// Name of the variable.
        name: String,
        /// Origin of the page.
        origin: String,
    },
    /// An app other than a page is to run in a browser.
    #[error(
        "`--device {device}` is a browser, and shows pages; name one with `--url http://localhost:8000/`"
    )]
    AppInBrowser {
        /// The browser.
        device: DeviceUrl,
    },
    /// A choice for devices that adb reaches is made for a server of phones.
    #[error(
        "`{flag}` is for devices that adb reaches, and `--device {device}` is a server of Appium; leave it out"
    )]
    FlagOfAdb {
        /// The choice.
        flag: &'static str,
        /// The server.
        device: DeviceUrl,
    },
    /// An app is to run on a program.
    #[error("a program shows an app of its own, so `--device {program}` cannot be with another app")]
    AppOnProgram {
        /// The program.
        program: DeviceUrl,
    },
    /// No program is named.
    #[error("which program? Name it with `--device exec:PROGRAM`")]
    NoProgram,
    /// Programs and another device are to share the work.
    #[error(
        "programs show an app of their own, which `--device {device}` cannot share; leave one of them out"
    )]
    AmongPrograms {
        /// The other device.
        device: DeviceUrl,
    },
    /// A program cannot be used.
    #[error(transparent)]
    Program(#[from] ExecError),
    /// A browser cannot be opened.
    #[error(transparent)]
    Browser(#[from] WebDriverError),
    /// A phone behind a server of Appium cannot be opened.
    #[cfg(feature = "webdriver")]
    #[error(transparent)]
    Phone(#[from] PhoneError),
    /// The file of capabilities cannot be used.
    #[cfg(feature = "webdriver")]
    #[error(transparent)]
    Capabilities(#[from] CapabilitiesError),
    /// This build reaches no WebDriver server.
    #[cfg(not(feature = "webdriver"))]
    #[error(
        "no browser and no server of Appium can be used: farlead was built without its feature `webdriver`"
    )]
    NoBrowsers,
    /// This build reaches no attached device.
    #[cfg(not(feature = "adb"))]
    #[error("no attached device can be reached: farlead was built without its feature `adb`")]
    NoFeature,
}

/// A model that has mistakes.
#[derive(Debug)]
pub struct BrokenModel {
    /// Text of the model.
    pub source: Source,
    /// All mistakes in it.
    pub diagnostics: Diagnostics,
}

impl OpenError {
    /// Returns the party that can mend the cause.
    pub fn cause(&self) -> Cause {
        match self {
            OpenError::ModelOnDevice { .. }
            | OpenError::U2OfSimulator { .. }
            | OpenError::CapabilitiesOfNone { .. }
            | OpenError::ParameterOfDevice { .. }
            | OpenError::RecordingOfOne { .. }
            | OpenError::PageOnDevice { .. }
            | OpenError::AppOnProgram { .. }
            | OpenError::NoProgram
            | OpenError::AmongPrograms { .. }
            | OpenError::AppInBrowser { .. }
            | OpenError::FlagOfAdb { .. }
            | OpenError::Parameter { origin: None, .. } => Cause::Request,
            OpenError::NothingToSimulate { .. }
            | OpenError::HiddenKey { .. }
            | OpenError::NoVariable { .. }
            | OpenError::Parameter { origin: Some(_), .. }
            | OpenError::Read(_)
            | OpenError::Apk { .. }
            | OpenError::Model(_)
            | OpenError::Transcript(_)
            | OpenError::U2(_) => Cause::File,
            OpenError::NoModel
            | OpenError::NoDevice { .. }
            | OpenError::Adb(_)
            | OpenError::Program(_)
            | OpenError::Browser(_) => Cause::Environment,
            #[cfg(feature = "webdriver")]
            OpenError::Phone(PhoneError::NoApk) => Cause::Request,
            #[cfg(feature = "webdriver")]
            OpenError::Phone(_) => Cause::Environment,
            #[cfg(feature = "webdriver")]
            OpenError::Capabilities(_) => Cause::File,
            #[cfg(not(feature = "webdriver"))]
            OpenError::NoBrowsers => Cause::Environment,
            #[cfg(not(feature = "adb"))]
            OpenError::NoFeature => Cause::Environment,
        }
    }
}

/// A model that is ready to run.
#[derive(Clone, Debug)]
pub struct LoadedModel {
    /// The model, its parameters set.
    pub model: Arc<Model>,
    /// Text of the model.
    pub source: Source,
    /// Warnings about it.
    pub diagnostics: Diagnostics,
    /// Texts of its own dictionary, as models of [FATE](sim::fate) have one.
    pub texts: Option<Arc<[String]>>,
}

/// An attached device with the app on it.
pub struct Attached {
    /// Serial number or address.
    pub name: String,
    /// The device.
    pub device: BoxedDevice,
    /// Warnings for the user before the first run, each a sentence.
    pub warnings: Vec<String>,
}

/// An app that is open on all devices of a request.
pub struct Opened {
    /// Attached devices, in the order of the request.
    pub attached: Vec<Attached>,
    /// Model that the simulator runs, if it takes part.
    pub model: Option<LoadedModel>,
    /// Secrets that the app alone gets to see, if there are any.
    pub secrets: Option<Arc<Secrets>>,
}

impl Opened {
    /// Keeps `secrets` to the app on all devices.
    pub fn seal(&mut self, secrets: &Arc<Secrets>) {
        let sealed = |Attached { name, device, warnings }| {
            let device = Box::new(Sealed::new(device, secrets.clone()));
            Attached { name, device, warnings }
        };
        self.attached = std::mem::take(&mut self.attached).into_iter().map(sealed).collect();
        self.secrets = Some(secrets.clone());
    }

    /// Returns the pool that lends the devices.
    pub fn into_pool(self) -> Pool {
        let maker = self.model.map(|LoadedModel { model, .. }| -> Maker {
            let secrets = self.secrets.clone();
            Arc::new(move |seed| Box::new(Sim::new(model.clone(), seed).sealed(secrets.clone())))
        });
        Pool::new(self.attached.into_iter().map(|one| one.device).collect(), maker)
    }
}

/// Opens the app of `request` on its devices. `variable` looks up a variable of the environment.
pub fn open(request: &Request, variable: &dyn Fn(&str) -> Option<String>) -> Result<Opened, OpenError> {
    request.refuse_capabilities()?;
    if let Some(program) = request.devices.iter().find(|device| matches!(device, DeviceUrl::Program(_))) {
        if request.app != AppSource::Program {
            return Err(OpenError::AppOnProgram { program: program.clone() });
        }
        request.refuse_what_phones_take()?;
        return Ok(Opened { attached: open_programs(&request.devices)?, model: None, secrets: None });
    }
    if let AppSource::Page(url) = &request.app {
        request.refuse_what_phones_take()?;
        let attached = open_page(&revealed(url, variable)?, request)?;
        return Ok(Opened { attached, model: None, secrets: None });
    }
    let is_browser = |device: &&DeviceUrl| matches!(device, DeviceUrl::Browser(Place::Here(_)));
    if let Some(device) = request.devices.iter().find(is_browser) {
        return Err(OpenError::AppInBrowser { device: device.clone() });
    }
    let names_simulator = request.devices.contains(&DeviceUrl::Simulator);
    let names_attached = request.devices.iter().any(|device| *device != DeviceUrl::Simulator);
    if request.recording.is_some() && matches!(request.app, AppSource::Model(_)) {
        return Err(OpenError::RecordingOfOne { devices: 0 });
    }
    // A model that an APK carries is simulated unless only attached devices are named.
    let may_simulate = names_simulator || !names_attached;
    let (subject, carried) = match &request.app {
        AppSource::Model(path) if names_attached => {
            return Err(OpenError::ModelOnDevice { devices: request.devices.clone(), path: path.clone() });
        }
        AppSource::Model(path) => {
            request.refuse_u2()?;
            return simulated(read_text(path)?, Some(path), request);
        }
        AppSource::Apks(paths) => {
            // A model describes a whole app, so one that is split carries none.
            let carried = match &paths[..] {
                [path] if may_simulate => carried_model(path)?,
                _ => None,
            };
            (Subject::Apks(paths.clone()), carried)
        }
        AppSource::Package(package) => (Subject::Package(package.clone()), None),
        AppSource::Program => return Err(OpenError::NoProgram),
        AppSource::Page(_) => unreachable!("a page is opened before"),
    };
    match carried {
        Some(_) if !names_attached && request.recording.is_some() => {
            Err(OpenError::RecordingOfOne { devices: 0 })
        }
        Some(source) if !names_attached => {
            request.refuse_u2()?;
            simulated(source, None, request)
        }
        carried => {
            // Attached devices take no parameters, and all devices must run the same app.
            request.refuse_parameters()?;
            let model = match carried {
                Some(source) => Some(loaded(source, None, &[])?),
                None if names_simulator => return Err(OpenError::NoModel),
                None => None,
            };
            Ok(Opened { attached: attach(request, &subject, variable)?, model, secrets: None })
        }
    }
}

/// Starts the programs that `devices` are.
fn open_programs(devices: &[DeviceUrl]) -> Result<Vec<Attached>, OpenError> {
    let started = devices.iter().map(|device| match device {
        DeviceUrl::Program(command) => {
            let device: BoxedDevice = Box::new(Exec::start(command)?);
            Ok(Attached { name: device.describe(), device, warnings: Vec::new() })
        }
        DeviceUrl::Simulator | DeviceUrl::Serial(_) | DeviceUrl::Replay(..) | DeviceUrl::Browser(_) => {
            Err(OpenError::AmongPrograms { device: device.clone() })
        }
    });
    started.collect()
}

/// Returns `url` with the values of the variables that its user and key name.
fn revealed(url: &PageUrl, variable: &dyn Fn(&str) -> Option<String>) -> Result<PageUrl, OpenError> {
    let origin = || url.origin.clone();
    let secret = match &url.secret {
        Some(secret) if secret.is_hidden() => return Err(OpenError::HiddenKey { origin: origin() }),
        Some(secret) => Some(secret.revealed(variable)),
        None => None,
    };
    let secret = secret.transpose().map_err(|name| OpenError::NoVariable { name, origin: origin() })?;
    Ok(PageUrl { secret, ..url.clone() })
}

/// Returns the address of an origin with a user and a key.
fn with_user_and_key(origin: &str, secret: &str) -> String {
    format!("{}/", origin.replacen("://", &format!("://{secret}@"), 1))
}

/// Opens a page in the browsers of `request`, in Chrome if it has none.
#[cfg(feature = "webdriver")]
fn open_page(url: &PageUrl, request: &Request) -> Result<Vec<Attached>, OpenError> {
    let options = BrowserOptions::with_capabilities(request.capabilities.as_deref())?;
    let usual = [DeviceUrl::Browser(Place::Here(Browser::Chrome))];
    let devices = if request.devices.is_empty() { &usual } else { &request.devices[..] };
    let mut attached = Vec::new();
    for device in devices {
        let DeviceUrl::Browser(place) = device else {
            return Err(OpenError::PageOnDevice { device: device.clone() });
        };
        let open = || Ok((Box::new(Web::open(place, url, &options)?) as BoxedDevice, Vec::new()));
        attached.extend(open_sessions(place, request.sessions, open)?);
    }
    Ok(attached)
}

#[cfg(not(feature = "webdriver"))]
fn open_page(_: &PageUrl, _: &Request) -> Result<Vec<Attached>, OpenError> {
    Err(OpenError::NoBrowsers)
}

/// Opens so many sessions at `place` at a time, by `open`, which returns a device and its warnings. A server that has fewer
/// slots is asked for as many as it has; one session is enough to go on.
#[cfg(feature = "webdriver")]
fn open_sessions(
    place: &Place,
    wanted: usize,
    open: impl Fn() -> Result<(BoxedDevice, Vec<String>), OpenError> + Sync,
) -> Result<Vec<Attached>, OpenError> {
    let slots = match place {
        // A server that is not there says so when a session is opened.
        Place::At(address) if wanted > 1 => ServerStatus::ask(address).ok().and_then(|status| status.slots),
        Place::At(_) | Place::Here(_) => None,
    };
    let asked = slots.map_or(wanted, |slots| wanted.min(slots.max(1)));
    let opened: Vec<Result<_, OpenError>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..asked).map(|_| scope.spawn(&open)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic within a session")).collect()
    });
    let (mut attached, mut failed) = (Vec::new(), None);
    for one in opened {
        match one {
            Ok((device, warnings)) => attached.push(Attached { name: device.describe(), device, warnings }),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    let count = attached.len();
    let Some(first) = attached.first_mut() else {
        return Err(failed.expect("at least one session was asked for"));
    };
    if let Some(error) = failed {
        first.warnings.push(format!("{count} of {asked} sessions began: {error}"));
    } else if asked < wanted {
        first.warnings.push(format!("{asked} of {wanted} sessions began, as the server has no more slots"));
    }
    Ok(attached)
}

/// Opens an attached device to look at whatever it shows: no app is installed, started or set. That is the device `name`, else
/// the one that the environment names, else the only one. No app can be started on it.
pub fn open_to_look(
    name: Option<&str>,
    u2: Option<&Path>,
    recording: Option<&Recording>,
    capabilities: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<BoxedDevice, OpenError> {
    let device = name.map(DeviceUrl::parse);
    if let Some(path) = capabilities
        && !device.as_ref().is_some_and(DeviceUrl::takes_capabilities)
    {
        let devices = device.into_iter().collect();
        return Err(OpenError::CapabilitiesOfNone { path: path.to_path_buf(), devices });
    }
    match device {
        Some(DeviceUrl::Browser(Place::At(address))) => {
            refuse_flags_of_adb(u2, recording, &address)?;
            look_by_appium(&address, capabilities)
        }
        Some(device @ DeviceUrl::Browser(Place::Here(_))) => Err(OpenError::AppInBrowser { device }),
        Some(DeviceUrl::Simulator | DeviceUrl::Serial(_) | DeviceUrl::Replay(..) | DeviceUrl::Program(_))
        | None => look_by_adb(name, u2, recording, variable),
    }
}

/// Refuses choices that a server of Appium does not take.
fn refuse_flags_of_adb(
    u2: Option<&Path>,
    recording: Option<&Recording>,
    address: &str,
) -> Result<(), OpenError> {
    let flag = match (u2, recording) {
        (None, None) => return Ok(()),
        (Some(_), _) => "--u2",
        (None, Some(_)) => "--record-adb",
    };
    Err(OpenError::FlagOfAdb { flag, device: DeviceUrl::Browser(Place::At(address.to_string())) })
}

#[cfg(feature = "webdriver")]
fn look_by_appium(address: &str, capabilities: Option<&Path>) -> Result<BoxedDevice, OpenError> {
    let server = BrowserOptions::with_capabilities(capabilities)?;
    Ok(Box::new(Phone::to_look(address, PhoneOptions { server, ..PhoneOptions::default() })?))
}

#[cfg(not(feature = "webdriver"))]
fn look_by_appium(_: &str, _: Option<&Path>) -> Result<BoxedDevice, OpenError> {
    Err(OpenError::NoBrowsers)
}

#[cfg(feature = "adb")]
fn look_by_adb(
    serial: Option<&str>,
    u2: Option<&Path>,
    recording: Option<&Recording>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<BoxedDevice, OpenError> {
    let options = Options { u2: u2.map(Jar::read).transpose()?, ..Options::default() };
    if let Some(DeviceUrl::Replay(path, order)) = serial.map(DeviceUrl::parse) {
        let line = recorded(Box::new(Replayed::in_order(&path, order)?), recording)?;
        return Ok(Box::new(Adb::to_look(line, options)?));
    }
    let server = server(variable)?;
    let serial = serial.map(str::to_string).or_else(|| usual_serial(variable));
    let serial = chosen(&server, serial.as_deref())?;
    let line = recorded(Box::new(Client::new(server, &serial)), recording)?;
    Ok(Box::new(Adb::to_look(line, options)?))
}

#[cfg(not(feature = "adb"))]
fn look_by_adb(
    _: Option<&str>,
    _: Option<&Path>,
    _: Option<&Recording>,
    _: &dyn Fn(&str) -> Option<String>,
) -> Result<BoxedDevice, OpenError> {
    Err(OpenError::NoFeature)
}

/// Loads the model at `path`, or the one that the APK there carries.
pub fn load_model(path: &Path, parameters: &[Parameter]) -> Result<LoadedModel, OpenError> {
    let bytes = read_bytes(path)?;
    // A zip file begins with these letters, and no model does.
    if bytes.starts_with(b"PK") {
        let carried = carried_in(path, bytes)?;
        let source = carried.ok_or_else(|| OpenError::NothingToSimulate { path: path.to_path_buf() })?;
        return loaded(source, None, parameters);
    }
    loaded(text_of(path, bytes)?, Some(path), parameters)
}

/// Returns the text of the model that the APK at `path` carries, if it carries one.
pub fn carried_model(path: &Path) -> Result<Option<Source>, OpenError> {
    carried_in(path, read_bytes(path)?)
}

fn carried_in(path: &Path, bytes: Vec<u8>) -> Result<Option<Source>, OpenError> {
    let text = apk::unpack_model(Cursor::new(bytes))
        .map_err(|source| OpenError::Apk { path: path.to_path_buf(), source })?;
    let name = format!("{}:{}", path.display(), apk::MODEL_PATH);
    Ok(text.map(|text| Source::new(name, text)))
}

fn simulated(source: Source, path: Option<&Path>, request: &Request) -> Result<Opened, OpenError> {
    let model = loaded(source, path, &request.parameters)?;
    Ok(Opened { attached: Vec::new(), model: Some(model), secrets: None })
}

/// Loads the model that `source` is; `path` is its file, unless an APK carries it.
fn loaded(source: Source, path: Option<&Path>, parameters: &[Parameter]) -> Result<LoadedModel, OpenError> {
    let is_fate = sim::fate::is_fate(source.text());
    let mut options = sim::fate::Options::default();
    let mut others = Vec::new();
    for parameter in parameters {
        let (name, value) = parsed(parameter)?;
        if is_fate && sim::fate::Options::is_named(name) {
            options.set(name, value).map_err(|error| refused(parameter, error.to_string()))?;
        } else {
            others.push(parameter);
        }
    }
    let sim::Read { model, diagnostics } =
        if is_fate { sim::fate::read(&source, options) } else { sim::read(&source) };
    let Some(mut model) = model else {
        return Err(OpenError::Model(Box::new(BrokenModel { source, diagnostics })));
    };
    for parameter in others {
        let (name, value) = parsed(parameter)?;
        model.set(name, value).map_err(|error| refused(parameter, error.to_string()))?;
    }
    let dictionary = path.filter(|_| is_fate).map(|path| path.with_file_name(sim::fate::DICTIONARY));
    let texts = match dictionary.filter(|path| path.is_file()) {
        Some(path) => Some(options.texts(read_text(&path)?.text()).into()),
        None => None,
    };
    Ok(LoadedModel { model: Arc::new(model), source, diagnostics, texts })
}

/// Returns the name and the value of a parameter.
fn parsed(parameter: &Parameter) -> Result<(&str, &str), OpenError> {
    let Some((name, value)) = parameter.text.split_once('=') else {
        let message =
            format!("`{}` has no value; a parameter is set like `--set fixed=true`", parameter.text);
        return Err(refused(parameter, message));
    };
    Ok((name.trim(), value.trim()))
}

fn refused(parameter: &Parameter, message: String) -> OpenError {
    OpenError::Parameter { origin: parameter.origin.clone(), message }
}

/// Has the app ready on each attached device that is named, or on the one that is meant without a name.
fn attach(
    request: &Request,
    subject: &Subject,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Attached>, OpenError> {
    let wanted: Vec<&DeviceUrl> =
        request.devices.iter().filter(|device| **device != DeviceUrl::Simulator).collect();
    let addresses: Vec<&str> = wanted.iter().filter_map(|device| device.address()).collect();
    if let Some(address) = addresses.first() {
        refuse_flags_of_adb(request.u2.as_deref(), request.recording.as_ref(), address)?;
    }
    let mut by_appium = attach_by_appium(request, subject, &addresses)?.into_iter();
    let by_adb: Vec<&DeviceUrl> =
        wanted.iter().copied().filter(|device| device.address().is_none()).collect();
    if by_adb.is_empty() && !addresses.is_empty() {
        return Ok(by_appium.collect());
    }
    let mut by_adb = attach_by_adb(request, subject, &by_adb, variable)?;
    by_adb.extend(&mut by_appium);
    Ok(by_adb)
}

/// Has the app ready on a phone of each server of Appium at these addresses.
#[cfg(feature = "webdriver")]
fn attach_by_appium(
    request: &Request,
    subject: &Subject,
    addresses: &[&str],
) -> Result<Vec<Attached>, OpenError> {
    if addresses.is_empty() {
        return Ok(Vec::new());
    }
    let options = PhoneOptions {
        server: BrowserOptions::with_capabilities(request.capabilities.as_deref())?,
        reset: request.reset,
        prompts: request.prompts.clone(),
        ..PhoneOptions::default()
    };
    // Files are read before any session is opened.
    let app = match subject {
        Subject::Package(package) => PhoneApp { package: package.clone(), ..PhoneApp::default() },
        Subject::Apks(paths) => {
            let (manifest, _) = read_apks(paths)?;
            PhoneApp {
                package: manifest.package.clone(),
                version: manifest.version.clone(),
                launchable: manifest.launchable.clone(),
                // The server has another current folder.
                apks: paths
                    .iter()
                    .map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()))
                    .collect(),
                activities: declared(manifest),
            }
        }
    };
    let mut attached = Vec::new();
    for address in addresses {
        let open = || {
            let device = Phone::open(address, &app, options.clone())?;
            let warnings = device.warnings();
            Ok((Box::new(device) as BoxedDevice, warnings))
        };
        attached.extend(open_sessions(&Place::At(address.to_string()), request.sessions, open)?);
    }
    Ok(attached)
}

#[cfg(not(feature = "webdriver"))]
fn attach_by_appium(_: &Request, _: &Subject, addresses: &[&str]) -> Result<Vec<Attached>, OpenError> {
    if addresses.is_empty() { Ok(Vec::new()) } else { Err(OpenError::NoBrowsers) }
}

/// Has the app ready on the `named` devices that adb reaches, or on the one that is meant without a name.
#[cfg(feature = "adb")]
fn attach_by_adb(
    request: &Request,
    subject: &Subject,
    named: &[&DeviceUrl],
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Attached>, OpenError> {
    // Files are read before any device is touched.
    let u2 = request.u2.as_deref().map(Jar::read).transpose()?;
    let options =
        Options { reset: request.reset, u2, prompts: request.prompts.clone(), ..Options::default() };
    let mut wanted: Vec<Option<&DeviceUrl>> = named.iter().copied().map(Some).collect();
    if wanted.is_empty() {
        wanted.push(None);
    }
    if request.recording.is_some() && wanted.len() > 1 {
        return Err(OpenError::RecordingOfOne { devices: wanted.len() });
    }
    let usual = usual_serial(variable);
    let mut attached: Vec<Attached> = Vec::new();
    for device in wanted {
        let (name, line): (String, Box<dyn Line>) = match device {
            // A transcript needs no server.
            Some(replay @ DeviceUrl::Replay(path, order)) => {
                (replay.to_string(), Box::new(Replayed::in_order(path, *order)?))
            }
            _ => {
                let server = server(variable)?;
                let name = chosen(&server, device.and_then(DeviceUrl::serial).or(usual.as_deref()))?;
                let line = Box::new(Client::new(server, &name));
                (name, line)
            }
        };
        // Two loans of the same device would disturb each other.
        if attached.iter().all(|one| one.name != name) {
            let line = recorded(line, request.recording.as_ref())?;
            let device = Adb::on(line, subject, options.clone())?;
            let warnings = device.warnings();
            attached.push(Attached { name, device: Box::new(device), warnings });
        }
    }
    Ok(attached)
}

/// Returns `line`, recorded if it is to be.
#[cfg(feature = "adb")]
fn recorded(line: Box<dyn Line>, recording: Option<&Recording>) -> Result<Box<dyn Line>, OpenError> {
    Ok(match recording {
        Some(recording) => Box::new(Recorder::new(line, recording)?),
        None => line,
    })
}

#[cfg(not(feature = "adb"))]
fn attach_by_adb(
    _: &Request,
    _: &Subject,
    _: &[&DeviceUrl],
    _: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Attached>, OpenError> {
    Err(OpenError::NoFeature)
}

#[cfg(feature = "adb")]
fn server(variable: &dyn Fn(&str) -> Option<String>) -> Result<Server, OpenError> {
    Server::running(variable).map_err(|error| OpenError::NoDevice { source: error.into() })
}

/// Returns the serial number of the device that is meant.
#[cfg(feature = "adb")]
fn chosen(server: &Server, serial: Option<&str>) -> Result<String, OpenError> {
    match server.choose(serial) {
        Ok(listed) => Ok(listed.serial),
        Err(source @ AdbError::NoDevice) => Err(OpenError::NoDevice { source }),
        Err(error) => Err(error.into()),
    }
}

/// Returns the serial number that the environment names, as it does for `adb`.
#[cfg(feature = "adb")]
fn usual_serial(variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    variable("ANDROID_SERIAL").filter(|serial| !serial.is_empty())
}

fn joined(devices: &[DeviceUrl]) -> String {
    devices.iter().map(DeviceUrl::to_string).collect::<Vec<_>>().join(" --device ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    const NOTES: &str = "apps/notes.app";

    fn request(app: AppSource, devices: &[&str]) -> Request {
        let devices = devices.iter().map(|name| DeviceUrl::parse(name)).collect();
        Request { devices, ..Request::new(app) }
    }

    #[track_caller]
    fn check_refused(request: &Request, cause: Cause, start: &str) {
        let Err(error) = open(request, &|_| None) else { panic!("it is opened") };
        assert_eq!(error.cause(), cause);
        assert!(error.to_string().starts_with(start), "{error}");
    }

    #[test]
    fn names_of_devices_are_read_and_written() {
        for (name, url) in [
            ("sim", DeviceUrl::Simulator),
            ("emulator-5554", DeviceUrl::Serial("emulator-5554".into())),
            ("replay:a/b.jsonl", DeviceUrl::Replay("a/b.jsonl".into(), Order::Strict)),
            ("replay-nearest:a/b.jsonl", DeviceUrl::Replay("a/b.jsonl".into(), Order::Nearest)),
            ("http://127.0.0.1:4444", DeviceUrl::Browser(Place::At("http://127.0.0.1:4444".into()))),
            ("chrome", DeviceUrl::Browser(Place::Here(Browser::Chrome))),
            ("exec:./device a", DeviceUrl::Program("./device a".into())),
        ] {
            assert_eq!(DeviceUrl::parse(name), url);
            assert_eq!(url.to_string(), name);
        }
    }

    #[test]
    fn a_model_is_opened_in_the_simulator() {
        let model = AppSource::Model(NOTES.into());
        for devices in [&[][..], &["sim"], &["sim", "sim"]] {
            let opened = open(&request(model.clone(), devices), &|_| None).expect("a model without mistakes");
            assert!(opened.attached.is_empty());
            let pool = opened.into_pool();
            assert_eq!((pool.jobs(7), pool.has_attached()), (7, false));
            let mut device = pool.lend(Seed(1));
            let launchable = pool.app().launchable[0].clone();
            let first = device.reset(&launchable).expect("it starts");
            assert_eq!(device.look().expect("a screen").screen, first.screen);
        }
    }

    #[test]
    fn a_refusal_names_its_cause() {
        let model = AppSource::Model(NOTES.into());
        let phone = AppSource::Package("org.example".into());
        let message = "a model runs in the simulator alone, so `--device sim --device a` cannot be; `farlead sim apps/notes.app`";
        check_refused(&request(model.clone(), &["sim", "a"]), Cause::Request, message);
        check_refused(&request(phone.clone(), &["sim"]), Cause::Environment, "the simulator runs models");
        let u2 = Some("u2.jar".into());
        let with_u2 = Request { u2, ..request(model.clone(), &[]) };
        check_refused(&with_u2, Cause::Request, "`--u2 u2.jar` is for looking at a device");
        for (app, devices, is_none) in [
            (model.clone(), &[][..], "and no `--device` names one; leave it out"),
            (phone.clone(), &["a"], "and `--device a` is none; leave it out"),
            (phone.clone(), &["a", "replay:b"], "and `--device a --device replay:b` are none; leave it out"),
            (AppSource::Program, &["exec:a"], "and `--device exec:a` is none; leave it out"),
        ] {
            let asking = Request { capabilities: Some("a.json".into()), ..request(app, devices) };
            let message =
                format!("`--capabilities a.json` is for a browser or a server of Appium, {is_none}");
            check_refused(&asking, Cause::Request, &message);
        }
        let parameter = |origin: Option<&str>| {
            let origin = origin.map(str::to_string);
            vec![Parameter { text: "fixed".into(), origin }]
        };
        let set = Request { parameters: parameter(None), ..request(phone, &[]) };
        check_refused(&set, Cause::Request, "`--set fixed` is for a parameter of a model");
        let set = Request { parameters: parameter(None), ..request(model.clone(), &[]) };
        check_refused(&set, Cause::Request, "`fixed` has no value");
        let set = Request { parameters: parameter(Some("farlead.toml")), ..set };
        check_refused(&set, Cause::File, "farlead.toml: `fixed` has no value");
        check_refused(&request(AppSource::Model("no.app".into()), &[]), Cause::File, "cannot read no.app: ");
        let apk = AppSource::Apks(vec![NOTES.into()]);
        check_refused(&request(apk, &[]), Cause::File, "apps/notes.app: ");
        let page = |url: &str| AppSource::Page(PageUrl::parse(url).expect("an address"));
        let message = "http://host needs a user and a key, which stored tests do not keep";
        check_refused(&request(page("http://***@host/a"), &[]), Cause::File, message);
        let message =
            "the environment variable KEY, which the address of http://host names, is not set or is empty";
        check_refused(&request(page("http://anna:${KEY}@host/a"), &[]), Cause::File, message);
    }

    #[cfg(feature = "adb")]
    #[test]
    fn an_apk_that_carries_a_model_is_shared_by_the_simulator_and_phones() {
        let model = load_model(NOTES.as_ref(), &[]).expect("a model without mistakes");
        let packed = apk::pack(&apk::Manifest::of(&model.model), model.source.text()).expect("an apk");
        let path = std::env::temp_dir().join(format!("farlead-open-{}.apk", std::process::id()));
        std::fs::write(&path, packed).expect("a file");
        let opened = open(&request(AppSource::Apks(vec![path.clone()]), &["sim"]), &|_| None);
        assert!(opened.is_ok_and(|opened| opened.attached.is_empty() && opened.model.is_some()));
        // Nothing keeps the two from working together until the phone is looked for.
        let variable = |name: &str| (name == "ADB_SERVER_SOCKET").then(|| "nonsense".to_string());
        let mixed = open(&request(AppSource::Apks(vec![path.clone()]), &["sim", "a"]), &variable);
        assert!(matches!(mixed, Err(OpenError::NoDevice { .. })));
        std::fs::remove_file(path).expect("a file");
    }

    #[cfg(feature = "adb")]
    #[test]
    fn without_a_server_of_adb_the_simulator_is_named() {
        let app = AppSource::Package("org.example".into());
        let variable = |name: &str| (name == "ADB_SERVER_SOCKET").then(|| "nonsense".to_string());
        let Err(error) = open(&request(app, &["a"]), &variable) else { panic!("it is opened") };
        assert_eq!(error.cause(), Cause::Environment);
        assert!(error.to_string().ends_with(". Without a device, the simulator runs a model: `--app MODEL`"));
    }
}
