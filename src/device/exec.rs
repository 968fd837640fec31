//! Any program as a device: it reads what to do as JSON lines, and answers with screens.
//!
//! `docs/devices-exec.md` is all that the writer of such a program needs.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::running::Running;
use super::{App, Capabilities, Device, DeviceError, Hand, Observation, said};
use crate::gui::{Action, ActionRecord, DeviceAction, Pixels, Screen, samples_by_rules};

/// Longest answer, in bytes.
const LINE_MAX: u64 = 16_000_000;

/// Most lines of the standard error that are kept for a message.
const ERROR_LINES_MAX: usize = 3;

/// Time in which a program answers.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// A program as a device; it is ended when this is dropped.
pub struct Exec {
    name: String,
    running: Running,
    input: ChildStdin,
    answers: Receiver<Heard>,
    errors: Arc<Mutex<VecDeque<String>>>,
    app: App,
    capabilities: Capabilities,
    began: Instant,
    now: Option<Arc<Screen>>,
}

/// The reason why a program cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The program cannot be started.
    #[error("cannot start `{program}`: {why}")]
    NoProgram {
        /// The command.
        program: String,
        /// The reason.
        why: String,
    },
    /// The program has ended.
    #[error("`{program}` ended{how}")]
    Ended {
        /// The command.
        program: String,
        /// Its status, and the last lines of its standard error.
        how: String,
    },
    /// The program does not answer.
    #[error("`{program}` did not answer within {} s", .within.as_secs())]
    Silent {
        /// The command.
        program: String,
        /// Time that it had.
        within: Duration,
    },
    /// The answer is no screen.
    #[error(
        "`{program}` answered with something else than a screen: {why}; an answer is one line like `{{\"screen\": {{..}}}}`, see \
         docs/devices-exec.md"
    )]
    Garbled {
        /// The command.
        program: String,
        /// The answer, and the mistake in it.
        why: String,
    },
    /// The program says that it cannot go on.
    #[error("`{program}` says: {said}")]
    Said {
        /// The command.
        program: String,
        /// Its message.
        said: String,
    },
}

impl From<ExecError> for DeviceError {
    fn from(error: ExecError) -> DeviceError {
        DeviceError::Lost { source: error.into() }
    }
}

/// A line of the program's, or the end of them.
enum Heard {
    Line(String),
    TooLong,
    NotText,
}

/// A line to the program.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Request<'a> {
    /// The name of the activity to start with; none the first time.
    Reset(Option<&'a str>),
    Act(Act),
}

#[derive(Serialize)]
struct Act {
    #[serde(flatten)]
    action: ActionRecord,
    /// Middle of the widget.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<(i32, i32)>,
}

/// A line of the program's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    screen: Option<Screen>,
    error: Option<String>,
    /// Rules of the fields of the screen, see [`samples_by_rules`].
    #[serde(default)]
    fields: String,
    /// Milliseconds since the start, if the program has a clock of its own.
    at: Option<u64>,
    /// Of the first answer: version, activities to start with, and types of actions on the device itself.
    version: Option<Arc<str>>,
    #[serde(default)]
    launchable: Vec<Arc<str>>,
    #[serde(default)]
    actions: Vec<String>,
}

impl Exec {
    /// Starts the program that `command` names, with its arguments; blanks stand between them.
    pub fn start(command: &str) -> Result<Exec, ExecError> {
        let no_program = |why: String| ExecError::NoProgram { program: command.to_string(), why };
        let mut words = command.split_whitespace();
        let program = words.next().ok_or_else(|| no_program("it has no name".to_string()))?;
        let mut command_line = Command::new(program);
        command_line.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Running::start(&mut command_line).map_err(|error| no_program(error.to_string()))?;
        let child = &mut running.0;
        let input = child.stdin.take().expect("its input is piped");
        let output = child.stdout.take().expect("its output is piped");
        let error_output = child.stderr.take().expect("its errors are piped");
        let errors = Arc::new(Mutex::new(VecDeque::new()));
        let mut exec = Exec {
            name: command.to_string(),
            running,
            input,
            answers: lines(output),
            errors: errors.clone(),
            app: App {
                package: Arc::default(),
                version: Arc::default(),
                launchable: Vec::new(),
                activities: Vec::new(),
            },
            capabilities: Capabilities::NONE,
            began: Instant::now(),
            now: None,
        };
        // Read to their end, so that the program never waits for a reader.
        thread::spawn(move || {
            for line in BufReader::new(error_output).lines().map_while(Result::ok) {
                let mut errors = errors.lock().unwrap_or_else(PoisonError::into_inner);
                errors.push_back(said(&line));
                if errors.len() > ERROR_LINES_MAX {
                    errors.pop_front();
                }
            }
        });
        let answer = exec.ask(&Request::Reset(None))?;
        let known = |name: &String| DeviceAction::ALL.iter().copied().find(|action| action.name() == name);
        for name in &answer.actions {
            let action = known(name).ok_or_else(|| {
                let names: Vec<&str> = DeviceAction::ALL.iter().map(|action| action.name()).collect();
                exec.garbled(format!(
                    "there is no action `{name}` on a device; known are {}",
                    names.join(" ")
                ))
            })?;
            exec.capabilities = exec.capabilities.with(action);
        }
        let screen = exec.screen(answer.screen, &answer.fields, answer.error)?;
        exec.app.package = screen.package().clone();
        exec.app.version = answer.version.unwrap_or_default();
        exec.app.launchable = answer.launchable;
        if exec.app.launchable.is_empty() {
            exec.app.launchable.push(screen.activity().clone());
        }
        exec.now = Some(screen);
        Ok(exec)
    }

    fn ask(&mut self, request: &Request<'_>) -> Result<Answer, ExecError> {
        let line = serde_json::to_string(request).expect("a request is text and numbers");
        // A program that has ended takes no request, and may have said why before it ended.
        let _ = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        match self.answers.recv_timeout(ANSWER_WITHIN) {
            Ok(Heard::Line(line)) => {
                let answer = serde_json::from_str::<Answer>(&line);
                answer.map_err(|error| self.garbled(format!("{} ({error})", said(&line))))
            }
            Ok(Heard::TooLong) => Err(self.garbled(format!("a line of more than {LINE_MAX} bytes"))),
            Ok(Heard::NotText) => Err(self.garbled("bytes that are no UTF-8".to_string())),
            Err(RecvTimeoutError::Timeout) => {
                Err(ExecError::Silent { program: self.name.clone(), within: ANSWER_WITHIN })
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    fn garbled(&self, why: String) -> ExecError {
        ExecError::Garbled { program: self.name.clone(), why }
    }

    fn ended(&mut self) -> ExecError {
        // Its output ends a moment before it does.
        let waited = Instant::now();
        let mut status = None;
        while status.is_none() && waited.elapsed() < Duration::from_secs(1) {
            status = self.running.ended();
            thread::sleep(Duration::from_millis(10));
        }
        let mut how = status.map_or_else(String::new, |status| format!(" with {status}"));
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        if !errors.is_empty() {
            how = format!("{how}, and said: {}", errors.iter().cloned().collect::<Vec<_>>().join(" / "));
        }
        ExecError::Ended { program: self.name.clone(), how }
    }

    fn screen(
        &self,
        screen: Option<Screen>,
        fields: &str,
        error: Option<String>,
    ) -> Result<Arc<Screen>, ExecError> {
        match (screen, error) {
            (_, Some(text)) => Err(ExecError::Said { program: self.name.clone(), said: said(&text) }),
            (Some(screen), None) => {
                let samples = samples_by_rules(screen.widgets(), fields);
                let all = [screen.all_samples(), &samples].concat();
                Ok(Arc::new(screen.with_samples(all)))
            }
            (None, None) => Err(self.garbled("there is neither a `screen` nor an `error`".to_string())),
        }
    }

    fn observe(&mut self, request: &Request<'_>) -> Result<Observation, ExecError> {
        let answer = self.ask(request)?;
        let screen = self.screen(answer.screen, &answer.fields, answer.error)?;
        self.now = Some(screen.clone());
        let at_ms = answer.at.unwrap_or_else(|| self.began.elapsed().as_millis() as u64);
        Ok(Observation { screen, at_ms, notices: Arc::default(), picture: None })
    }
}

impl Device for Exec {
    fn describe(&self) -> String {
        format!("exec:{}", self.name)
    }

    fn app(&self) -> &App {
        &self.app
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn look(&mut self) -> Result<Observation, DeviceError> {
        match self.now.clone() {
            Some(screen) => {
                let at_ms = self.began.elapsed().as_millis() as u64;
                Ok(Observation { screen, at_ms, notices: Arc::default(), picture: None })
            }
            None => Ok(self.observe(&Request::Reset(None))?),
        }
    }

    fn keep_keyboard(&mut self, _: bool) {}

    fn picture(&mut self) -> Option<Pixels> {
        None
    }

    fn hand(&self) -> Option<Box<dyn Hand>> {
        None
    }

    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        self.began = Instant::now();
        Ok(self.observe(&Request::Reset(Some(activity)))?)
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        if let Action::Reinitialise(activity) = action {
            return self.reset(activity);
        }
        let at = action.target().map(|on| on.bounds.centre());
        Ok(self.observe(&Request::Act(Act { action: ActionRecord::new(action), at }))?)
    }
}

/// Returns the lines of `output`, as they come.
fn lines(output: impl Read + Send + 'static) -> Receiver<Heard> {
    let (tell, heard) = mpsc::channel();
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let mut bytes = Vec::new();
            let read = (&mut output).take(LINE_MAX + 1).read_until(b'\n', &mut bytes);
            if !matches!(read, Ok(1..)) {
                return;
            }
            let is_long = bytes.len() as u64 > LINE_MAX;
            let line = match String::from_utf8(bytes) {
                _ if is_long => Heard::TooLong,
                Ok(line) if line.trim().is_empty() => continue,
                Ok(line) => Heard::Line(line),
                Err(_) => Heard::NotText,
            };
            if tell.send(line).is_err() || is_long {
                return;
            }
        }
    });
    heard
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(command: &str, expected: &str) {
        let Err(error) = Exec::start(command) else { panic!("it starts") };
        let message = error.to_string();
        assert!(message.contains(expected), "{message}");
    }

    #[test]
    fn a_program_that_is_no_device_gets_a_message_with_what_was_heard() {
        check_error("", "it has no name");
        check_error("/no/such/program", "cannot start `/no/such/program`");
        check_error("false", "ended with exit status: 1");
        check_error("ls /no/such/folder", "and said: ");
        check_error("echo hello", "something else than a screen: hello");
        check_error("echo {\"error\":\"no_terminal\"}", "says: no_terminal");
        check_error("echo {}", "neither a `screen` nor an `error`");
        check_error("head -c 1000 /dev/urandom", "`head -c 1000 /dev/urandom`");
        check_error(
            "echo {\"screen\":{\"package\":\"a\",\"activity\":\"b\",\"widgets\":[]},\"actions\":[\"fly\"]}",
            "there is no action `fly`",
        );
    }

    #[test]
    fn fields_get_texts_by_their_rules_and_the_texts_that_the_program_names() {
        let widgets = "[{\"flags\":[\"editable\"]}]";
        let screen = format!(
            "{{\"package\":\"a\",\"activity\":\"b\",\"widgets\":{widgets},\"samples\":\"0\\u0020AB-1\"}}"
        );
        let rule = "0\\u0020pattern\\u0020[0-9]{5}";
        let mut device =
            Exec::start(&format!("yes {{\"screen\":{screen},\"fields\":\"{rule}\"}}")).expect("it starts");
        let screen = device.look().expect("a screen").screen;
        assert!(screen.samples(0).map(|sample| &**sample).eq(["AB-1", "11111"]));
    }

    #[test]
    fn the_first_answer_says_what_the_app_is() {
        // The same line answers everything that is asked.
        let screen =
            "{\"screen\":{\"package\":\"a\",\"activity\":\"b\",\"widgets\":[]},\"actions\":[\"back\"]}";
        let mut device = Exec::start(&format!("yes {screen}")).expect("it starts");
        assert_eq!((&*device.app().package, &*device.app().launchable[0]), ("a", "b"));
        assert!(
            device.capabilities().has(DeviceAction::Back) && !device.capabilities().has(DeviceAction::Menu)
        );
        assert_eq!(device.reset("b").expect("an answer").screen, device.look().expect("a screen").screen);
    }
}
