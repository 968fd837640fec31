//! The desk of the studio: files, editors, specs of the run so far, the command that runs, and the pages that look on.
//!
//! Nothing here needs the device, so the desk has a thread of its own, and goes on while a device does not answer. It hands on
//! what changes the run, as [`Work`].

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use farlead::device::HandNews;
use farlead::report::automaton_svg;
use farlead::spec::Spec;
use farlead::studio::{Form, Pictures, Run, Studio};
use serde::Deserialize;
use serde_json::{Value, json};

use super::devices;
use super::files::Files;
use super::job::{Change, Job, Said};
use super::news::ReadNews;
use super::wait::Wait;
use super::{Incoming, LOOKS, PROTOCOL, Wanted, unread};
use crate::outputs::automaton;
use crate::{Mistake, lsp, said_of};

/// Looks at files that change, one in so many.
const FILES_EVERY: u32 = 4;
/// Time after which a device that has not answered is told of, and the time between two times that it is, in seconds: who
/// listens hears each of them.
const SILENT: u64 = 2;
const SILENT_STILL: u64 = 5;

/// Event that needs the device, or changes the run.
pub enum Work {
    /// A page asks for something: its number, the id of its request, and the request.
    Asked(u64, Value, Value),
    /// The command has ended, with this exit code if no signal ended it.
    Ended(Option<i32>),
    /// A hand on the device has done something; the number is that of its following.
    Touched(u64, HandNews),
}

/// Request that needs no device, and leaves the run as it is.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum DeskRequest {
    /// Says the version of the messages that the page knows, and if it wants drawings of new screens with their views.
    Hello {
        version: u32,
        #[serde(default)]
        drawings: bool,
    },
    /// Lists the spec files and stored tests of the project.
    Files,
    /// Reads a file, and tells of its changes from now on.
    Open { file: String },
    /// Writes a file that was `was` before; none if it was not there.
    Save { file: String, text: String, was: Option<String> },
    /// A message of the language server protocol about a text that need not be saved.
    Editor { message: Value },
    /// Writes the spec of the run.
    Draft { form: Form },
    /// Judges the run by the specs in a text; the end of `file` says their language.
    Judge {
        text: String,
        #[serde(default)]
        file: String,
    },
    /// Draws the automata of the specs in a text, each with the way of the run.
    Draw {
        text: String,
        #[serde(default)]
        file: String,
    },
    /// Ends the command that runs.
    Stop,
    /// Lets the command rest, or go on.
    Pause { rests: bool },
}

/// Names of [`DeskRequest`]s, as `do` has them.
const DESK_REQUESTS: [&str; 10] =
    ["hello", "files", "open", "save", "editor", "draft", "judge", "draw", "stop", "pause"];

/// Page that is open.
struct Page {
    sender: SyncSender<String>,
    /// Number from which on it has not had the drawings; none if it wants none. Numbers of pictures grow, so each
    /// drawing is sent once.
    drawings_from: Option<usize>,
}

/// Files, the command that runs, the pages, and the run as the pages know it.
pub struct Desk {
    pub files: Files,
    pub job: Option<Job>,
    /// Lines and end of the last command, if there was one.
    pub said: Option<Said>,
    /// News of the last command.
    pub news: ReadNews,
    /// Report of the last command.
    report: PathBuf,
    pages: BTreeMap<u64, Page>,
    /// The run, as the pages know it.
    view: Value,
    run: Run,
    /// True if touches on the device can be followed, and if they are.
    follow: Value,
    pictures: Pictures,
    wait: Wait,
    /// Seconds that the device has not answered, as the pages know it.
    silent: Option<u64>,
}

/// Desk that the thread of the device shares.
#[derive(Clone)]
pub struct SharedDesk(Arc<Mutex<Desk>>);

impl SharedDesk {
    /// Returns a desk with the files of a project, whose commands write `report`, and with what `studio` has seen.
    pub fn new(files: Files, report: PathBuf, studio: &Studio, wait: Wait) -> SharedDesk {
        SharedDesk(Arc::new(Mutex::new(Desk {
            files,
            job: None,
            said: None,
            news: ReadNews::default(),
            report,
            pages: BTreeMap::new(),
            view: Value::Null,
            run: studio.run().clone(),
            follow: Value::Null,
            pictures: studio.pictures(),
            wait,
            silent: None,
        })))
    }

    /// Locks it for a moment: nobody does anything slow meanwhile.
    pub fn lock(&self) -> MutexGuard<'_, Desk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves the desk on a thread of its own: takes `incoming`, and hands on what is for the device.
    pub fn serve(&self, incoming: Receiver<Incoming>, work: Sender<Work>) {
        let clerk = Clerk { desk: self.clone(), editors: BTreeMap::new(), work };
        thread::spawn(move || clerk.serve(&incoming));
    }
}

impl Desk {
    /// Tells a page.
    pub fn tell(&mut self, page: u64, message: &Value) {
        self.send(page, message.to_string());
    }

    /// Tells all pages.
    pub fn tell_all(&mut self, message: &Value) {
        let text = message.to_string();
        let pages: Vec<u64> = self.pages.keys().copied().collect();
        pages.into_iter().for_each(|page| self.send(page, text.clone()));
    }

    fn send(&mut self, page: u64, text: String) {
        let Some(one) = self.pages.get(&page) else { return };
        // A page that takes nothing any more is let go.
        if one.sender.try_send(text).is_err() {
            self.pages.remove(&page);
        }
    }

    /// Shows the run to all pages, with its last picture.
    pub fn show(&mut self, view: Value, run: Run) {
        self.tell_drawing(&view);
        self.tell_all(&json!({ "event": "view", "view": view }));
        (self.view, self.run) = (view, run);
    }

    /// Tells the drawing of the last screen to the pages that want it and have not had it.
    fn tell_drawing(&mut self, view: &Value) {
        let last = view["steps"].as_array().and_then(|steps| steps.last());
        let number = last.and_then(|step| step["picture"].as_u64()).and_then(|number| number.try_into().ok());
        let Some(number) = number else { return };
        let lacks = |page: &Page| page.drawings_from.is_some_and(|from| from <= number);
        let lacking: Vec<u64> =
            self.pages.iter().filter(|(_, page)| lacks(page)).map(|(&page, _)| page).collect();
        if lacking.is_empty() {
            return;
        }
        let Some(svg) = self.pictures.drawing(number) else { return };
        let message = json!({ "event": "drawing", "number": number, "svg": svg });
        for page in lacking {
            self.tell(page, &message);
            if let Some(page) = self.pages.get_mut(&page) {
                page.drawings_from = Some(number + 1);
            }
        }
    }

    /// Tells whether touches on the device can be followed and are, and why they are no longer.
    pub fn tell_follow(&mut self, can: bool, on: bool, why: Option<&str>) {
        self.follow = json!({ "can": can, "on": on });
        self.tell_all(&json!({ "event": "follow", "can": can, "on": on, "why": why }));
    }

    /// Tells what the command that runs has written since the last call.
    pub fn tell_news(&mut self) {
        for news in self.news.read() {
            self.tell_all(&json!({ "event": "news", "news": news }));
        }
    }

    /// Tells the list of files.
    pub fn tell_files(&mut self) {
        let files = self.files.list_again();
        self.tell_all(&json!({ "event": "files", "files": files }));
    }

    fn tell_changed_files(&mut self) {
        for (file, text) in self.files.changed() {
            self.tell_all(&json!({ "event": "file", "file": file, "text": text }));
        }
        if let Some(files) = self.files.changed_list() {
            self.tell_all(&json!({ "event": "files", "files": files }));
        }
    }

    /// Tells if the command that runs rests.
    fn tell_rest(&mut self, rests: bool) {
        if let Some(said) = &mut self.said {
            said.rests = rests;
        }
        self.tell_all(&json!({ "event": "paused", "rests": rests }));
    }

    /// Tells how long the device has not answered, if that is long, and when it has.
    pub fn tell_silence(&mut self) {
        let waited = self.wait.waited().map(|waited| waited.as_secs()).filter(|&seconds| seconds >= SILENT);
        let silent = waited.map(|seconds| (seconds / SILENT_STILL * SILENT_STILL).max(SILENT));
        if silent != self.silent {
            self.silent = silent;
            self.tell_all(&json!({ "event": "silent", "seconds": silent }));
        }
    }

    fn running(&self) -> Result<&Job, Mistake> {
        self.job.as_ref().ok_or_else(|| Mistake::new("no command runs".to_string()))
    }

    /// Says what there is, to a page that wants drawings or not.
    fn hello(&mut self, page: u64, drawings: bool) -> Value {
        if let Some(page) = self.pages.get_mut(&page) {
            page.drawings_from = drawings.then_some(0);
        }
        let view = self.view.clone();
        self.tell_drawing(&view);
        if self.silent.is_some() {
            self.tell(page, &json!({ "event": "silent", "seconds": self.silent }));
        }
        json!({
            "version": PROTOCOL,
            "farlead": env!("CARGO_PKG_VERSION"),
            "job": self.job.as_ref().map(|job| &job.shown),
            "last": self.said.as_ref().map(Said::shown),
            "news": self.news.said(),
            "view": view,
            "files": self.files.list(),
            "follow": self.follow,
        })
    }
}

/// Thread of the desk.
struct Clerk {
    desk: SharedDesk,
    /// Editors of the pages. What they say of a text takes its time, in which the desk is not locked.
    editors: BTreeMap<u64, lsp::Server>,
    work: Sender<Work>,
}

impl Clerk {
    fn serve(mut self, incoming: &Receiver<Incoming>) {
        let (mut looks, mut last) = (0, Instant::now());
        loop {
            match incoming.recv_timeout(LOOKS) {
                Ok(incoming) => self.take(incoming),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if last.elapsed() >= LOOKS {
                last = Instant::now();
                looks += 1;
                let mut desk = self.desk.lock();
                desk.tell_news();
                desk.tell_silence();
                if looks % FILES_EVERY == 0 {
                    desk.tell_changed_files();
                }
            }
        }
    }

    fn take(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Joined(number, sender) => {
                self.editors.insert(number, lsp::Server::ready());
                self.desk.lock().pages.insert(number, Page { sender, drawings_from: None });
            }
            Incoming::Left(number) => {
                self.editors.remove(&number);
                self.desk.lock().pages.remove(&number);
            }
            Incoming::Said(number, text) => self.hear(number, &text),
            Incoming::Wanted(wanted, answer) => self.fetch(wanted, answer),
            Incoming::Changed(Change::Lines(stream, text)) => {
                let mut desk = self.desk.lock();
                if let Some(said) = &mut desk.said {
                    said.add(stream, &text);
                }
                desk.tell_all(&json!({ "event": "lines", "stream": stream.name(), "text": text }));
            }
            Incoming::Changed(Change::Ended(code)) => self.hand_on(Work::Ended(code)),
            Incoming::Touched(number, news) => self.hand_on(Work::Touched(number, news)),
        }
    }

    fn hand_on(&self, work: Work) {
        // The other side ends with the program.
        let _ = self.work.send(work);
    }

    /// Answers a message of a page, or hands it on.
    fn hear(&mut self, page: u64, text: &str) {
        let read = serde_json::from_str(text);
        let mut message: Value = match read {
            Ok(message) => message,
            Err(error) => {
                let answer = json!({ "id": null, "error": format!("this is no JSON: {error}") });
                self.desk.lock().tell(page, &answer);
                return;
            }
        };
        let id = message.as_object_mut().and_then(|fields| fields.remove("id")).unwrap_or_default();
        let name = message.get("do").and_then(Value::as_str).unwrap_or_default();
        if !DESK_REQUESTS.contains(&name) {
            self.hand_on(Work::Asked(page, id, message));
            return;
        }
        let done = self.done(page, message);
        self.desk.lock().tell(page, &answer_of(id, done));
    }

    fn done(&mut self, page: u64, message: Value) -> anyhow::Result<Value> {
        Ok(match DeskRequest::deserialize(message).map_err(unread)? {
            DeskRequest::Hello { version, drawings } => {
                if version != PROTOCOL {
                    let message = format!("this studio speaks version {PROTOCOL}; reload the page");
                    return Err(Mistake::new(message).into());
                }
                self.desk.lock().hello(page, drawings)
            }
            DeskRequest::Files => json!({ "files": self.desk.lock().files.list() }),
            DeskRequest::Open { file } => json!({ "text": self.desk.lock().files.read(&file)? }),
            DeskRequest::Save { file, text, was } => {
                let mut desk = self.desk.lock();
                desk.files.write(&file, &text, was.as_deref())?;
                desk.tell_files();
                json!({})
            }
            DeskRequest::Editor { message } => {
                let editor = self.editors.get_mut(&page);
                let editor = editor.ok_or_else(|| Mistake::new("the page is gone".to_string()))?;
                json!({ "messages": editor.answer(message) })
            }
            DeskRequest::Draft { form } => json!({ "text": self.run().draft(form) }),
            DeskRequest::Judge { text, file } => {
                let run = self.run();
                let specs = run.specs(&file, &text)?;
                json!({ "specs": specs.iter().map(|spec| run.judge(spec)).collect::<Vec<_>>() })
            }
            DeskRequest::Draw { text, file } => {
                let run = self.run();
                let drawn = |spec: &Spec| {
                    let judged = run.judge(spec);
                    let left = judged.steps.iter().map(|step| &*step.left);
                    automaton(spec).and_then(|automaton| automaton_svg(&automaton, left))
                };
                let specs = run.specs(&file, &text)?;
                json!({ "drawings": specs.iter().map(drawn).collect::<Vec<_>>() })
            }
            DeskRequest::Stop => {
                let mut desk = self.desk.lock();
                desk.running()?.stop();
                desk.tell_rest(false);
                json!({})
            }
            DeskRequest::Pause { rests } => {
                let mut desk = self.desk.lock();
                desk.running()?.pause(rests);
                desk.tell_rest(rests);
                json!({})
            }
        })
    }

    /// Returns the run, as the pages know it. Judging it takes its time, in which the desk is not locked.
    fn run(&self) -> Run {
        self.desk.lock().run.clone()
    }

    /// Fetches a document.
    fn fetch(&self, wanted: Wanted, answer: Sender<Option<String>>) {
        let document = match wanted {
            Wanted::Picture(number) => {
                let pictures = self.desk.lock().pictures.clone();
                pictures.svg(number)
            }
            Wanted::Report => {
                let report = self.desk.lock().report.clone();
                std::fs::read_to_string(report).ok()
            }
            Wanted::Screen(number) => self.desk.lock().news.screen(number),
            Wanted::Map => self.desk.lock().news.map(),
            Wanted::Device(name) => {
                // A phone may take its time, and others go on meanwhile.
                thread::spawn(move || answer.send(devices::picture(&name)));
                return;
            }
        };
        // A browser that has gone away wants nothing any more.
        let _ = answer.send(document);
    }
}

/// Returns the message that answers the request of this id.
pub fn answer_of(id: Value, done: anyhow::Result<Value>) -> Value {
    match done {
        Ok(result) => json!({ "id": id, "result": result }),
        Err(error) => json!({ "id": id, "error": said_of(&error) }),
    }
}
