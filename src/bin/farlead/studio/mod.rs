//! `farlead studio`: a page in the browser on which an app is driven by hand, specs are clicked together, and commands run.
//!
//! The library's [`farlead::studio`] leads the run; specs are lint like in an editor; searching, replaying and storing are the
//! commands of this program, started as a user would type them. One thread owns the device and takes what changes the run in turn;
//! the [`desk`] has all that needs no device, and goes on while one does not answer.

mod desk;
mod devices;
mod files;
mod hand;
mod job;
mod news;
mod wait;
mod web;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel};
use std::time::Duration;

use clap::Args;
use farlead::device::{Device, HandNews};
use farlead::gui::{BUILTIN_TEXTS, Repertoire};
use farlead::rng::Seed;
use farlead::setup::SetUpTest;
use farlead::studio::{Refusal, Request, Studio};
use farlead::test_case::{self, TestCase};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::{AppArgs, OpenedApp};
use crate::progress::interruption;
use crate::project::Project;
use crate::replay::chance_of;
use crate::secrets::SecretTexts;
use crate::set_up::{SetUpArgs, SetUps};
use crate::sources::{self, Shell};
use crate::stdout::out;
use crate::{Exit, Missing, Mistake, said_of, say};
use desk::{SharedDesk, Work, answer_of};
use devices::Devices;
use files::Files;
use hand::FollowedHand;
use job::{Change, Job, Said};
use news::ReadNews;
use wait::Wait;
use web::Web;

/// Version of the messages; docs/studio-protocol.md has them.
const PROTOCOL: u32 = 2;
/// Pause between two looks at files and signals.
const LOOKS: Duration = Duration::from_millis(250);
/// Report of the last command, below the folder of the project.
const REPORT: &str = ".farlead/studio/report.html";
/// News of the last command.
const NEWS: &str = ".farlead/studio/news.jsonl";

/// Open a page in the browser: drive the app, click specs together, watch searches.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead studio --app apps/notes.app             a model, in the simulator
  farlead studio --package org.example.notes      an app on the only phone
  farlead studio --url http://localhost:8000/     a page, in Chrome

stdout has the address to open once the page is there, with a token: the studio lets in whoever
knows it, from this machine alone. A command that was started on the page runs on when the page is
closed. Specs are saved as files below the folder of the project. See docs/studio.md.

It runs until Ctrl-C. Exit codes: 2 command line; 3 the app cannot be read; 4 no device, or the
port is taken.")]
pub struct StudioArgs {
    /// Port to listen on; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 15600)]
    port: u16,
    /// Seed of all chance [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten, next_help_heading = "App")]
    app: AppArgs,
    #[command(flatten, next_help_heading = "App")]
    set_up: SetUpArgs,
}

pub fn run(args: &StudioArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let mut project = Project::find()?;
    let set_ups = args.set_up.read(&project, shell)?;
    let mut secrets = SecretTexts::of(&project)?;
    set_ups.add_to(&mut secrets);
    project.secrets = secrets.read()?;
    let interrupted = interruption();
    let web = Web::listen(args.port).map_err(|error| {
        Missing::new(format!("cannot listen on port {}: {error}; `--port 0` takes a free one", args.port))
    })?;
    let mut host = Host::open(args, (project, set_ups), shell, web.sender())?;
    let url = web.url();
    let (sender, work) = channel();
    host.desk.serve(web.into_incoming(), sender);
    {
        let mut stdout = out();
        writeln!(stdout, "studio at {url}")?;
        // Whoever starts it waits for this line, so it must not stay in a buffer.
        stdout.flush()?;
    }
    while !interrupted.load(Ordering::Relaxed) {
        match work.recv_timeout(LOOKS) {
            Ok(work) => host.take(work),
            Err(RecvTimeoutError::Timeout) => host.rest(),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    host.end(&work);
    Ok(Exit::Interrupted)
}

/// Event that somebody outside has caused.
enum Incoming {
    /// A page was opened; the sender takes messages to it.
    Joined(u64, SyncSender<String>),
    /// A page sent a message.
    Said(u64, String),
    /// A page was closed.
    Left(u64),
    /// A browser wants a document.
    Wanted(Wanted, Sender<Option<String>>),
    /// The command that runs has changed.
    Changed(Change),
    /// A hand on the device has done something; the number is that of its following.
    Touched(u64, HandNews),
}

/// Document that is not the same at all times.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    /// Picture of this number.
    Picture(usize),
    /// Report of the last command, as HTML.
    Report,
    /// Screen of this number in the news of the last command.
    Screen(usize),
    /// Map in the news of the last command.
    Map,
    /// Screen of the phone of this name, as it is now.
    Device(String),
}

/// Request of a page about commands, devices and tests, besides those about the run.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum ProjectRequest {
    /// Adds a rule to farlead.toml: an action that is never done.
    Never { atom: String },
    /// Adds a rule to farlead.toml: the text to type into a field.
    TypeHere { atom: String, text: String },
    /// Starts `farlead check`.
    Check {
        file: String,
        #[serde(default)]
        only: Option<String>,
    },
    /// Starts `farlead explore`.
    Explore {
        #[serde(default)]
        files: Vec<String>,
        #[serde(default)]
        budget: Option<u32>,
    },
    /// Starts `farlead replay`.
    Replay { file: String },
    /// Starts `farlead minimize`, which makes a stored test short and confirms it.
    Confirm { file: String },
    /// Walks through a stored test.
    WalkThrough { file: String },
    /// Leaves the test that is walked through.
    LeaveTest,
    /// Lists the devices that the app could run on.
    Devices,
    /// Drives another device from now on; the run is done again there.
    Drive { device: String },
    /// Gives commands these devices from now on.
    Share { devices: Vec<String> },
    /// Follows a hand on the device, or no longer.
    Follow { on: bool },
}

/// Names of [`ProjectRequest`]s, as `do` has them.
const PROJECT_REQUESTS: [&str; 12] = [
    "never",
    "type-here",
    "check",
    "explore",
    "replay",
    "confirm",
    "walk-through",
    "leave-test",
    "devices",
    "drive",
    "share",
    "follow",
];

/// Reports that a command can write for the studio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reports {
    Nothing,
    Html,
    HtmlAndNews,
}

/// The app, its device, and the project.
struct Host<'a> {
    args: &'a StudioArgs,
    shell: &'a Shell,
    project: Project,
    set_ups: SetUps,
    /// Test that is walked through, if one is.
    walked: Option<Walked>,
    devices: Devices,
    /// None while a command uses the devices.
    app: Option<OpenedApp>,
    studio: Studio,
    /// Hand on the device.
    hand: FollowedHand,
    /// Files, pages and the command that runs.
    desk: SharedDesk,
    wait: Wait,
    sender: Sender<Incoming>,
}

/// Stored test that is walked through, and the tests that set its app up.
#[derive(Clone)]
struct Walked {
    test: TestCase,
    set_up: Vec<SetUpTest>,
}

impl<'a> Host<'a> {
    fn open(
        args: &'a StudioArgs,
        (project, set_ups): (Project, SetUps),
        shell: &'a Shell,
        sender: Sender<Incoming>,
    ) -> anyhow::Result<Host<'a>> {
        let devices = Devices::default();
        let app = devices.of_studio(&args.app, &project).open(&project, shell)?;
        set_ups.check_app(&app.app())?;
        let app = app.with_set_up(set_ups.all());
        let wait = Wait::default();
        let repertoire = Repertoire::new(BUILTIN_TEXTS, &project.actions, true);
        let repertoire = Repertoire { rules: project.rules.clone(), ..repertoire };
        let mut studio = Studio::new(wait.on(app.device_by_hand(seed(args, &project))), repertoire);
        studio.allow(project.slack);
        let files = Files::below(&project.folder);
        let desk = SharedDesk::new(files, project.folder.join(REPORT), &studio, wait.clone());
        let mut host = Host {
            args,
            shell,
            project,
            set_ups,
            walked: None,
            devices,
            app: Some(app),
            studio,
            hand: FollowedHand::default(),
            desk,
            wait,
            sender,
        };
        if let Err(refusal) = host.studio.answer(Request::Start { activity: None }) {
            say(&format!("{refusal}; the page can try again"));
        }
        host.tell_follow(None);
        host.tell_view()?;
        Ok(host)
    }

    fn take(&mut self, work: Work) {
        match work {
            Work::Asked(page, id, message) => {
                // What was typed by hand comes before what the page wants next.
                self.rest();
                let answer = answer_of(id, self.done(message));
                let mut desk = self.desk.lock();
                desk.tell_silence();
                desk.tell(page, &answer);
            }
            Work::Ended(code) => self.end_command(code),
            Work::Touched(number, news) => self.take_touch(number, news),
        }
    }

    fn done(&mut self, message: Value) -> anyhow::Result<Value> {
        if !message.is_object() {
            let message = "this request cannot be read: it is no object, like {\"id\":1,\"do\":\"view\"}";
            return Err(Mistake::new(message.to_string()).into());
        }
        let name = message.get("do").and_then(Value::as_str).unwrap_or_default();
        if PROJECT_REQUESTS.contains(&name) {
            let request = ProjectRequest::deserialize(message).map_err(unread)?;
            return self.answer_about_project(request);
        }
        let request = Request::deserialize(message).map_err(unread)?;
        let changes = request.changes();
        let is_start = matches!(request, Request::Start { .. });
        if is_start && self.studio.is_away() && !self.runs_command() {
            // The device was lost; it may be there again.
            let device = self.open_device()?;
            self.studio.give(device);
            self.tell_follow(None);
        }
        match self.studio.answer(request) {
            Ok(reply) => {
                let reply = serde_json::to_value(reply)?;
                // The reply to a request that changes the run is its view.
                if changes {
                    self.show(reply.clone());
                }
                Ok(reply)
            }
            Err(refusal) => {
                self.let_go_if_lost(&refusal);
                // A request that fails half-way has changed the run, too.
                if changes {
                    self.tell_view()?;
                }
                Err(refusal.into())
            }
        }
    }

    /// Lets go of a device that is lost.
    fn let_go_if_lost(&mut self, refusal: &Refusal) {
        if matches!(refusal, Refusal::Device(error) if error.is_lost()) {
            self.end_following(None);
            self.studio.release();
            self.app = None;
        }
    }

    fn answer_about_project(&mut self, request: ProjectRequest) -> anyhow::Result<Value> {
        Ok(match request {
            ProjectRequest::Never { atom } => self.rule(&[("never", &atom)])?,
            ProjectRequest::TypeHere { atom, text } => self.rule(&[("type", &text), ("into", &atom)])?,
            ProjectRequest::Check { file, only } => {
                let path = self.path(&file)?;
                let only = only.into_iter().flat_map(|only| ["--only".to_string(), only]).map(OsString::from);
                let args = ["check".into(), path.into_os_string()].into_iter().chain(only);
                self.start(args.collect(), Reports::HtmlAndNews)?
            }
            ProjectRequest::Explore { files, budget } => {
                let mut args: Vec<OsString> = vec!["explore".into()];
                for file in files {
                    args.push(self.path(&file)?.into_os_string());
                }
                args.extend(["--budget".into(), budget.unwrap_or(1_000).to_string().into()]);
                self.start(args, Reports::HtmlAndNews)?
            }
            ProjectRequest::Replay { file } => {
                let path = self.path(&file)?;
                self.start(vec!["replay".into(), path.into_os_string()], Reports::Html)?
            }
            ProjectRequest::Confirm { file } => {
                let path = self.path(&file)?;
                self.start(
                    vec!["minimize".into(), path.into_os_string(), "--update".into()],
                    Reports::Nothing,
                )?
            }
            ProjectRequest::WalkThrough { file } => self.walk_through(&file)?,
            ProjectRequest::LeaveTest => self.leave_test()?,
            ProjectRequest::Devices => {
                json!({ "devices": self.devices.list(&self.args.app, &self.project)? })
            }
            ProjectRequest::Drive { device } => {
                // It may be one that the command uses.
                if self.runs_command() {
                    let message = "a command runs; wait until it ends, or stop it, to drive another device";
                    return Err(Mistake::new(message.to_string()).into());
                }
                self.devices.drive(&device, &self.args.app, &self.project)?;
                let device = self.reopen_device()?;
                let resumed = self.studio.resume(device);
                self.tell_follow(None);
                self.tell_view()?;
                resumed?;
                json!({})
            }
            ProjectRequest::Share { devices } => {
                self.devices.share(devices, &self.args.app, &self.project)?;
                json!({})
            }
            ProjectRequest::Follow { on } => self.follow(on)?,
        })
    }

    /// Adds a rule to farlead.toml, which holds for the studio as well from now on.
    fn rule(&mut self, fields: &[(&str, &str)]) -> anyhow::Result<Value> {
        self.project.add_rule(fields)?;
        let secrets = self.project.secrets.take();
        self.project = Project { secrets, ..Project::find()? };
        self.studio.rule(self.project.rules.clone());
        self.tell_view()?;
        Ok(json!({}))
    }

    /// Opens the app, set up as the project says, or as the test that is walked through wants it.
    fn open_device(&mut self) -> anyhow::Result<Box<dyn Device>> {
        let args = self.devices.of_studio(&self.args.app, &self.project);
        let app = self.wait.during(|| args.open(&self.project, self.shell))?;
        let (app, seed) = match &self.walked {
            // As `farlead replay` does it the first time.
            Some(Walked { test, set_up }) => {
                let seed = self.args.seed.unwrap_or(test.provenance.seed);
                (app.with_set_up(set_up).for_specs([&test.oracle]), chance_of(Seed(seed), 0))
            }
            None => (app.with_set_up(self.set_ups.all()), seed(self.args, &self.project)),
        };
        let device = self.wait.on(app.device_by_hand(seed));
        self.app = Some(app);
        Ok(device)
    }

    /// Lets go of the app, and opens it anew.
    fn reopen_device(&mut self) -> anyhow::Result<Box<dyn Device>> {
        if self.runs_command() && self.app.is_none() {
            return Err(Refusal::Busy.into());
        }
        self.end_following(None);
        self.studio.release();
        self.app = None;
        let opened = self.open_device();
        if opened.is_err() {
            // Pages are to see that there is no device.
            self.tell_view()?;
        }
        opened
    }

    fn walk_through(&mut self, file: &str) -> anyhow::Result<Value> {
        let path = self.path(file)?;
        let source = sources::read_text(&path)?;
        let read = test_case::read(&source);
        let Some(test) = read.test else {
            let message =
                format!("{file} is no stored test, or has mistakes; `farlead lint {file}` lists them");
            return Err(Mistake::new(message).into());
        };
        let package = &test.provenance.package;
        let own = self.studio.package();
        if !package.is_empty() && *package != *own {
            return Err(Mistake::new(format!("the test is of the app {package}, and this is {own}")).into());
        }
        let mut secrets = SecretTexts::of(&self.project)?;
        self.set_ups.add_to(&mut secrets);
        secrets.add_test(&source, &test);
        self.project.secrets = secrets.read()?;
        let set_up = self.set_ups.for_test(&path, &test).tests;
        let before = self.walked.replace(Walked { test: test.clone(), set_up });
        let opened = self.reopen_device();
        if opened.is_err() {
            self.walked = before;
        }
        let begun = self.studio.walk_through(opened?, file, test);
        self.tell_follow(None);
        self.tell_view()?;
        begun?;
        Ok(json!({}))
    }

    fn leave_test(&mut self) -> anyhow::Result<Value> {
        self.walked = None;
        let device = self.reopen_device()?;
        let begun = self.studio.leave_test(device);
        self.tell_follow(None);
        self.tell_view()?;
        begun?;
        Ok(json!({}))
    }

    fn tell_view(&mut self) -> anyhow::Result<()> {
        let view = serde_json::to_value(self.studio.answer(Request::View)?)?;
        self.show(view);
        Ok(())
    }

    fn show(&mut self, view: Value) {
        self.desk.lock().show(view, self.studio.run().clone());
    }

    fn runs_command(&self) -> bool {
        self.desk.lock().job.is_some()
    }

    /// Returns the path of a file for the commands of farlead.
    fn path(&self, file: &str) -> Result<PathBuf, Mistake> {
        self.desk.lock().files.path(file)
    }

    fn report(&self) -> PathBuf {
        self.project.folder.join(REPORT)
    }

    /// Returns the flags by which a command reports to the studio.
    fn reports(&self, reports: Reports) -> Vec<OsString> {
        let (report, news) = (self.report(), self.project.folder.join(NEWS));
        // What the command before has written is nothing of this one.
        for file in [&report, &news] {
            let _ = std::fs::remove_file(file);
        }
        let html = ["--json".into(), "--html".into(), report.into_os_string()];
        let news = ["--news".into(), news.into_os_string()];
        match reports {
            Reports::Nothing => Vec::new(),
            Reports::Html => html.into(),
            Reports::HtmlAndNews => html.into_iter().chain(news).collect(),
        }
    }

    /// Starts a command on the app of the studio, which can write these reports.
    fn start(&mut self, mut args: Vec<OsString>, reports: Reports) -> anyhow::Result<Value> {
        if self.runs_command() {
            let message = "a command runs already; wait until it ends, or stop it";
            return Err(Mistake::new(message.to_string()).into());
        }
        if let Some(folder) = self.report().parent() {
            std::fs::create_dir_all(folder)?;
        }
        args.extend(self.devices.of_commands(&self.args.app, &self.project).flags());
        args.extend(self.args.set_up.flags());
        args.extend(self.args.seed.iter().flat_map(|seed| ["--seed".into(), seed.to_string().into()]));
        let shown = job::shown(&args);
        args.extend(self.reports(reports));
        let takes_it = self.devices.share_the_driven(&self.args.app, &self.project);
        if takes_it && self.app.as_ref().is_some_and(OpenedApp::is_on_devices) {
            // One at a time drives a device.
            self.end_following(None);
            self.studio.release();
            self.app = None;
        }
        {
            // Its first lines wait until all know of it.
            let mut desk = self.desk.lock();
            desk.news = ReadNews::new(self.project.folder.join(NEWS));
            desk.job = Some(Job::start(args, shown.clone(), &self.sender)?);
            desk.said = Some(Said::of(shown.clone()));
            desk.tell_all(&json!({ "event": "job", "command": shown }));
        }
        self.tell_view()?;
        Ok(json!({ "command": shown }))
    }

    fn end_command(&mut self, code: Option<i32>) {
        {
            let mut desk = self.desk.lock();
            desk.tell_news();
            desk.job = None;
        }
        let has_report = self.report().exists();
        let lost = self.take_back().err().map(|error| said_of(&error));
        let ended = json!({ "event": "ended", "code": code, "report": has_report, "lost": lost });
        {
            let mut desk = self.desk.lock();
            desk.tell_all(&ended);
            if let Some(said) = &mut desk.said {
                said.ended = Some(ended);
            }
            desk.tell_files();
        }
        // A view needs no device.
        let _ = self.tell_view();
    }

    /// Takes the device back from a command, and does the run again.
    fn take_back(&mut self) -> anyhow::Result<()> {
        if self.app.is_none() {
            let device = self.open_device()?;
            let resumed = self.studio.resume(device);
            self.tell_follow(None);
            resumed?;
        }
        Ok(())
    }

    /// Stops the command that runs, and waits for its end.
    fn end(mut self, work: &Receiver<Work>) {
        let runs = self.runs_command();
        if let Some(job) = &self.desk.lock().job {
            job.stop();
        }
        while runs && matches!(work.recv(), Ok(Work::Asked(..) | Work::Touched(..))) {}
        self.studio.release();
    }
}

fn seed(args: &StudioArgs, project: &Project) -> Seed {
    args.seed.or(project.seed).map(Seed).unwrap_or_default()
}

fn unread(error: serde_json::Error) -> Mistake {
    Mistake::new(format!("this request cannot be read: {error}"))
}
