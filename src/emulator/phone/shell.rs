//! The phone's shell: runs what [`super::syntax`] reads.
//!
//! Bounds hold for everything: commands, output, depth, and virtual time.

use std::collections::BTreeMap;

use super::arithmetic::evaluate;
use super::files::FileError;
use super::io::{Input, Io, STDIN_MAX, add, cut, shown};
use super::syntax::{Command, Joint, List, Part, Pipeline, Quoting, Redirect, Stage, Target, Word, parse};
use super::system::Phone;
use super::{automator, commands};
use crate::emulator::adbd::Ran;

/// Number of commands of a line at most.
const COMMANDS_MAX: u32 = 10_000;

/// Virtual time of a line at most: a day.
const TIME_MS_MAX: u64 = 86_400_000;

/// Bytes that the commands of a line read and write at most, counted each time.
const BYTES_MAX: usize = 256 << 20;

/// Bytes of all words of a command at most.
const WORDS_BYTES_MAX: usize = 1 << 20;

/// Deepest nesting of shells.
const SHELLS_MAX: u32 = 10;

/// Number of variables at most.
const VARIABLES_MAX: usize = 1_000;

/// Pid of a background command, which has always ended already.
const ENDED_PID: u32 = 5_001;

/// Destination of a command's two outputs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outputs {
    Apart,
    /// All output goes to one stream, in its order.
    Joined,
}

impl Phone {
    /// Runs a line of the shell. An empty line stands for the script in `stdin`.
    pub fn shell(&mut self, line: &str, stdin: &[u8]) -> Ran {
        self.run_line(line, stdin, Outputs::Apart)
    }

    /// Runs a line of the shell with both outputs in one stream: all output is in `stdout`, in its order.
    pub fn shell_joined(&mut self, line: &str, stdin: &[u8]) -> Ran {
        self.run_line(line, stdin, Outputs::Joined)
    }

    fn run_line(&mut self, line: &str, stdin: &[u8], outputs: Outputs) -> Ran {
        let stdin = &stdin[..stdin.len().min(STDIN_MAX)];
        // A touch that was lost in one line does not take the keys of the next.
        self.sim().forget_lost_touch();
        let (script, stdin) = match line.trim().is_empty() {
            true => (String::from_utf8_lossy(stdin), &[][..]),
            false => (line.into(), stdin),
        };
        let is_joined = outputs == Outputs::Joined;
        let mut io = Io { is_joined, ..Io::new(Input::new(stdin), "/".to_string()) };
        let code = Shell::new(self).script(&script, &mut io);
        Ran { stdout: io.out, stderr: io.err, code }
    }
}

/// A running shell.
struct Shell<'p> {
    phone: &'p mut Phone,
    variables: BTreeMap<String, String>,
    status: u8,
    /// Pid of the last background command, for `$!`.
    behind: String,
    commands_left: u32,
    bytes_left: usize,
    time_left_ms: u64,
    shells: u32,
    /// True if no further command runs.
    is_over: bool,
    /// Number of loops still to be left by `break` or `continue`.
    leaves: u32,
    /// True if the last of them continues with its next turn.
    goes_on: bool,
    /// True if the time of `timeout` is over.
    is_timed_out: bool,
}

/// Destination of a stream.
#[derive(Clone, PartialEq, Eq)]
enum Sink {
    Out,
    Err,
    File(String),
}

impl<'p> Shell<'p> {
    fn new(phone: &'p mut Phone) -> Shell<'p> {
        let set = [
            ("PATH", "/product/bin:/apex/com.android.runtime/bin:/system/bin:/system/xbin:/vendor/bin"),
            ("HOME", "/"),
            ("USER", "shell"),
            ("SHELL", "/bin/sh"),
            ("HOSTNAME", "sim"),
            ("TMPDIR", "/data/local/tmp"),
            ("EXTERNAL_STORAGE", "/sdcard"),
            ("ANDROID_ROOT", "/system"),
            ("ANDROID_DATA", "/data"),
        ];
        let variables = set.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        Shell {
            phone,
            variables,
            status: 0,
            behind: String::new(),
            commands_left: COMMANDS_MAX,
            bytes_left: BYTES_MAX,
            time_left_ms: TIME_MS_MAX,
            shells: 0,
            is_over: false,
            leaves: 0,
            goes_on: false,
            is_timed_out: false,
        }
    }

    /// Runs a script and returns its status.
    fn script(&mut self, script: &str, io: &mut Io) -> u8 {
        // A script may call itself.
        if self.shells >= SHELLS_MAX {
            return io.complain("/system/bin/sh: too many shells in each other");
        }
        self.shells += 1;
        match parse(script) {
            Ok(list) => self.list(&list, io),
            Err(error) => self.status = io.complain(&format!("/system/bin/sh: {error}")),
        }
        self.shells -= 1;
        self.status
    }

    fn list(&mut self, list: &List, io: &mut Io) {
        for (joint, pipeline) in list {
            let is_due = match joint {
                Joint::Always => true,
                Joint::And => self.status == 0,
                Joint::Or => self.status != 0,
            };
            if self.is_over || self.leaves > 0 || self.is_timed_out {
                return;
            }
            if is_due {
                self.pipeline(pipeline, io);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, io: &mut Io) {
        if let [only] = &pipeline.stages[..] {
            self.stage(only, io);
        } else {
            let mut input = std::mem::take(&mut io.input);
            for (at, stage) in pipeline.stages.iter().enumerate() {
                let is_last = at + 1 == pipeline.stages.len();
                let mut inner = Io { is_joined: is_last && io.is_joined, ..io.inner(input) };
                // Each stage runs in a shell of its own: its variables and its `exit` end with it.
                let variables = self.variables.clone();
                self.stage(stage, &mut inner);
                self.variables = variables;
                self.is_over = false;
                io.write_err(&inner.err);
                input = Input::from(std::sync::Arc::from(inner.out));
                if is_last {
                    add(&mut io.out, input.rest());
                }
            }
        }
        if pipeline.is_negated {
            self.status = u8::from(self.status == 0);
        }
        if pipeline.is_behind {
            // Every command but a server has ended by now. A background server outlives its stream, so the wire must not
            // learn of it.
            self.behind = self.phone.take_server().unwrap_or(ENDED_PID).to_string();
            self.status = 0;
        }
    }

    fn stage(&mut self, stage: &Stage, io: &mut Io) {
        if stage.redirects.is_empty() {
            return self.command(&stage.command, io);
        }
        let input = std::mem::take(&mut io.input);
        let mut inner = io.inner(input);
        let mut sinks = [Sink::Out, Sink::Err];
        let mut has_own_input = false;
        let mut kept = Input::default();
        for redirect in &stage.redirects {
            match self.redirect(redirect, &mut sinks, io) {
                Ok(None) => {}
                Ok(Some(input)) => {
                    let before = std::mem::replace(&mut inner.input, input);
                    // The first redirection replaces the input of the whole line, which comes back behind this command.
                    if !has_own_input {
                        kept = before;
                    }
                    has_own_input = true;
                }
                Err((path, error)) => {
                    let said = match error {
                        FileError::Missing if matches!(redirect.to, Target::From(_)) => {
                            format!("/system/bin/sh: can't open {path}: {error}")
                        }
                        error => format!("/system/bin/sh: can't create {path}: {error}"),
                    };
                    self.status = io.complain(&said);
                    io.input = if has_own_input { kept } else { inner.input };
                    return;
                }
            }
        }
        // Without a redirection of output both streams stay as they are.
        let goes_on = sinks == [Sink::Out, Sink::Err];
        inner.is_joined = sinks[0] == sinks[1] || (goes_on && io.is_joined);
        self.command(&stage.command, &mut inner);
        io.folder = inner.folder;
        io.input = if has_own_input { kept } else { inner.input };
        for (bytes, sink) in [(inner.out, &sinks[0]), (inner.err, &sinks[1])] {
            match sink {
                Sink::Out => add(&mut io.out, &bytes),
                Sink::Err => io.write_err(&bytes),
                Sink::File(path) => {
                    let now_s = self.phone.now_s();
                    if let Err(error) = self.phone.files.append(path, now_s, &bytes) {
                        io.complain(&format!("/system/bin/sh: can't create {path}: {error}"));
                    }
                    // Appending rewrites the whole file, so the line pays for its whole size.
                    let size = self.phone.files.stat(path).map_or(0, |stat| stat.size);
                    self.charge(usize::try_from(size).unwrap_or(usize::MAX));
                }
            }
        }
    }

    /// Applies a redirection of output to `sinks`, and returns the new input of one of input.
    fn redirect(
        &mut self,
        redirect: &Redirect,
        sinks: &mut [Sink; 2],
        io: &mut Io,
    ) -> Result<Option<Input>, (String, FileError)> {
        match &redirect.to {
            Target::From(word) => {
                let name = self.word(word, io);
                let path = io.path(&name);
                let bytes = self.phone.files.read(&path).map_err(|error| (path, error))?;
                self.charge(bytes.len());
                return Ok(Some(Input::from(bytes)));
            }
            Target::Stream(to) => {
                // `2>&1` means the present target of stream 1, so the order of redirections counts.
                let sink = if *to == 2 { sinks[1].clone() } else { sinks[0].clone() };
                sinks[usize::from(redirect.stream == 2)] = sink;
            }
            Target::File { word, is_added } => {
                let name = self.word(word, io);
                let path = io.path(&name);
                let now_s = self.phone.now_s();
                let files = &mut self.phone.files;
                let made = if *is_added {
                    files.append(&path, now_s, &[])
                } else {
                    files.write(&path, 0o644, now_s, std::sync::Arc::default())
                };
                made.map_err(|error| (path.clone(), error))?;
                sinks[usize::from(redirect.stream == 2)] = Sink::File(path);
            }
        }
        Ok(None)
    }

    fn command(&mut self, command: &Command, io: &mut Io) {
        let Some(left) = self.commands_left.checked_sub(1) else {
            if !self.is_over {
                io.complain("/system/bin/sh: killed: this takes too long");
            }
            (self.status, self.is_over) = (137, true);
            return;
        };
        self.commands_left = left;
        match command {
            Command::Simple { sets, words } => self.simple(sets, words, io),
            Command::Group(list) => self.list(list, io),
            Command::Apart(list) => {
                let (variables, folder) = (self.variables.clone(), io.folder.clone());
                self.list(list, io);
                (self.variables, io.folder) = (variables, folder);
                // `exit` ends the subshell alone; a spent budget ends the line.
                self.is_over &= self.commands_left == 0;
            }
            Command::If { arms, otherwise } => {
                for (condition, body) in arms {
                    self.list(condition, io);
                    if self.status == 0 || self.is_over {
                        return self.list(body, io);
                    }
                }
                self.status = 0;
                if let Some(otherwise) = otherwise {
                    self.list(otherwise, io);
                }
            }
            Command::Loop { is_until, condition, body } => {
                let mut status = 0;
                loop {
                    self.list(condition, io);
                    if (self.status == 0) == *is_until || !self.goes_round(body, io) {
                        break;
                    }
                    status = self.status;
                }
                self.status = status;
            }
            Command::For { name, words, body } => {
                let mut each = Vec::new();
                words.iter().for_each(|word| self.expand(word, io, &mut each));
                self.status = 0;
                for word in each {
                    self.set(name, word);
                    if !self.goes_round(body, io) {
                        break;
                    }
                }
            }
        }
    }

    /// Runs the body of a loop once; returns true if the loop goes on.
    fn goes_round(&mut self, body: &List, io: &mut Io) -> bool {
        // An empty turn costs a command too, so that every loop ends.
        self.commands_left = self.commands_left.saturating_sub(1);
        if self.commands_left == 0 {
            self.is_over = true;
        }
        self.list(body, io);
        if self.leaves > 0 {
            self.leaves -= 1;
            return self.leaves == 0 && std::mem::take(&mut self.goes_on);
        }
        !self.is_over && !self.is_timed_out
    }

    /// Charges bytes read or written to the line; beyond its limit no further command runs.
    fn charge(&mut self, bytes: usize) {
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
        if self.bytes_left == 0 {
            self.commands_left = 0;
        }
    }

    fn set(&mut self, name: &str, value: String) {
        let mut value = value;
        // Cut at a character, as the value stays text.
        let length = cut(&value, WORDS_BYTES_MAX).len();
        value.truncate(length);
        // All variables together are bounded: each stage of a pipe copies them.
        let bytes: usize = self.variables.values().map(String::len).sum();
        let is_known = self.variables.contains_key(name);
        if bytes + value.len() <= 4 * WORDS_BYTES_MAX && (is_known || self.variables.len() < VARIABLES_MAX) {
            self.variables.insert(name.to_string(), value);
        }
    }

    fn simple(&mut self, sets: &[(String, Word)], words: &[Word], io: &mut Io) {
        let mut args = Vec::new();
        let before = self.status;
        words.iter().for_each(|word| self.expand(word, io, &mut args));
        let values: Vec<(String, String)> =
            sets.iter().map(|(name, word)| (name.clone(), self.word(word, io))).collect();
        if args.is_empty() {
            // `x=$?` reads the status of the command before it, and `x=$(...)` keeps the status of its own command.
            let runs = |word: &Word| word.iter().any(|part| matches!(part, Part::Output { .. }));
            if words.is_empty() && !sets.iter().any(|(_, word)| runs(word)) {
                self.status = 0;
            }
            values.into_iter().for_each(|(name, value)| self.set(&name, value));
            return;
        }
        // As Linux refuses it with `E2BIG`.
        if args.iter().map(String::len).sum::<usize>() > WORDS_BYTES_MAX {
            self.status =
                io.complain(&format!("/system/bin/sh: {}: Argument list too long", shown(&args[0])));
            return;
        }
        // An assignment before a command holds for that command alone.
        let outside = if values.is_empty() { None } else { Some(self.variables.clone()) };
        values.into_iter().for_each(|(name, value)| self.set(&name, value));
        self.status = self.run(&args, before, io);
        self.charge(std::mem::take(&mut io.moved));
        if let Some(outside) = outside {
            self.variables = outside;
        }
    }

    /// Runs the command of these words; `before` is the status of the one before it.
    fn run(&mut self, args: &[String], before: u8, io: &mut Io) -> u8 {
        let Some((name, rest)) = args.split_first() else { return 0 };
        match name.as_str() {
            ":" => 0,
            "exit" => {
                self.is_over = true;
                rest.first().and_then(|code| code.parse::<i64>().ok()).map_or(before, |code| code as u8)
            }
            "break" | "continue" => {
                self.leaves = rest.first().and_then(|times| times.parse().ok()).unwrap_or(1).clamp(1, 50);
                self.goes_on = name == "continue";
                0
            }
            // `exec` without a command only redirects.
            "exec" if rest.is_empty() => 0,
            "exec" => {
                let code = self.run(rest, before, io);
                self.is_over = true;
                code
            }
            "cd" => self.change_folder(rest, io),
            "export" | "readonly" | "local" | "set" | "unset" | "umask" | "trap" | "ulimit" | "wait" => {
                self.declare(name, rest)
            }
            "eval" => self.script(&rest.join(" "), io),
            "command" | "nohup" | "nice" | "toybox" | "time" | "builtin" if !rest.is_empty() => {
                let rest = if name == "command" && rest[0] == "-v" {
                    return which(self.phone, &rest[1..], io);
                } else {
                    rest
                };
                self.run(rest, before, io)
            }
            "timeout" => self.timeout(rest, io),
            "sleep" | "usleep" => self.sleep(name, rest, io),
            "sh" | "/system/bin/sh" => self.inner(rest, io),
            "xargs" => self.each_of_input(rest, io),
            "which" => which(self.phone, rest, io),
            // It needs a variable of the shell, so it is no entry of the table.
            _ if commands::starts_classes(name) => {
                let class_path = self.variables.get("CLASSPATH").map(String::as_str);
                automator::app_process(self.phone, class_path, rest, io)
            }
            _ => commands::run(self.phone, name, rest, io),
        }
    }

    /// `cd`
    fn change_folder(&mut self, rest: &[String], io: &mut Io) -> u8 {
        let to = rest.first().map_or("/", String::as_str);
        let path = io.path(to);
        match self.phone.files.stat(&path) {
            Some(stat) if stat.is_folder() => {
                io.folder = path;
                0
            }
            Some(_) => io.complain(&format!("/system/bin/sh: cd: {to}: Not a directory")).max(2),
            None => io.complain(&format!("/system/bin/sh: cd: {to}: No such file or directory")).max(2),
        }
    }

    fn declare(&mut self, name: &str, rest: &[String]) -> u8 {
        for word in rest {
            match (name, word.split_once('=')) {
                ("unset", _) => {
                    self.variables.remove(word);
                }
                ("export" | "readonly" | "local", Some((name, value))) => {
                    self.set(name, value.to_string());
                }
                _ => {}
            }
        }
        0
    }

    fn timeout(&mut self, rest: &[String], io: &mut Io) -> u8 {
        let options = rest.iter().take_while(|word| word.starts_with('-')).count();
        // `-s` and `-k` have a value.
        let options = options + usize::from(rest.first().is_some_and(|word| word == "-s" || word == "-k"));
        let Some((limit, command)) = rest.get(options..).and_then(|rest| rest.split_first()) else {
            return io.complain("timeout: Needs 2 arguments");
        };
        let Some(limit_ms) = duration_ms(limit).filter(|_| !command.is_empty()) else {
            return io.complain(&format!("timeout: bad time '{}'", shown(limit)));
        };
        let outer_ms = self.time_left_ms;
        self.time_left_ms = if limit_ms == 0 { outer_ms } else { limit_ms.min(outer_ms) };
        // The inner command has a time of its own; the outer one pays for what it took.
        let given_ms = self.time_left_ms;
        let code = self.run(command, 0, io);
        let taken_ms = given_ms - self.time_left_ms;
        self.time_left_ms = outer_ms - taken_ms;
        if std::mem::take(&mut self.is_timed_out) { 124 } else { code }
    }

    fn sleep(&mut self, name: &str, rest: &[String], io: &mut Io) -> u8 {
        let Some(word) = rest.first() else {
            return io.complain(&format!("{name}: Needs 1 argument"));
        };
        let ms = match name {
            "usleep" => word.parse::<u64>().ok().map(|micros| micros / 1000),
            _ => rest.iter().map(|word| duration_ms(word)).sum(),
        };
        let Some(ms) = ms else {
            return io.complain(&format!("{name}: bad time '{}'", shown(word)));
        };
        let slept_ms = ms.min(self.time_left_ms);
        self.is_timed_out = slept_ms < ms;
        self.time_left_ms -= slept_ms;
        match self.phone.sleep(slept_ms) {
            Ok(()) => 0,
            Err(error) => io.complain(&error.to_string()),
        }
    }

    /// `sh`: runs a script in a shell within this one.
    fn inner(&mut self, rest: &[String], io: &mut Io) -> u8 {
        let script = match rest {
            [] => String::from_utf8_lossy(io.input.rest()).into_owned(),
            [option, script, ..] if option.starts_with('-') && option.contains('c') => script.clone(),
            [file, ..] => match self.phone.files.read(&io.path(file)) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(error) => {
                    io.complain(&format!("/system/bin/sh: can't open {file}: {error}"));
                    return 127;
                }
            },
        };
        let (variables, folder) = (self.variables.clone(), io.folder.clone());
        let code = self.script(&script, io);
        (self.variables, io.folder) = (variables, folder);
        self.is_over = self.commands_left == 0;
        code
    }

    /// `xargs`: runs a command once, with the words of the input behind its own.
    fn each_of_input(&mut self, rest: &[String], io: &mut Io) -> u8 {
        // A real `xargs` splits a long input into several commands; clients send a few words.
        let said = String::from_utf8_lossy(io.input.take(WORDS_BYTES_MAX)).into_owned();
        let mut words = if rest.is_empty() { vec!["echo".to_string()] } else { rest.to_vec() };
        words.extend(said.split_whitespace().map(str::to_string));
        self.run(&words, 0, io)
    }

    /// Returns a word with its substitutions, without splitting.
    fn word(&mut self, word: &Word, io: &mut Io) -> String {
        let mut text = String::new();
        for part in word {
            text.push_str(&self.part(part, io));
            let length = cut(&text, WORDS_BYTES_MAX).len();
            text.truncate(length);
        }
        text
    }

    fn part(&mut self, part: &Part, io: &mut Io) -> String {
        match part {
            Part::Text { text, .. } => text.clone(),
            Part::Variable { name, otherwise, .. } => match (self.variable(name), otherwise) {
                (value, Some(otherwise)) if value.is_empty() => otherwise.clone(),
                (value, _) => value,
            },
            Part::Sum { text, .. } => match evaluate(text, &|name| self.variable(name)) {
                Some(number) => number.to_string(),
                None => {
                    io.complain(&format!("/system/bin/sh: {}: unexpected token", shown(text)));
                    self.status = 1;
                    String::new()
                }
            },
            Part::Output { list, .. } => {
                let mut inner = Io { is_joined: false, ..io.inner(Input::default()) };
                let variables = self.variables.clone();
                self.list(list, &mut inner);
                self.variables = variables;
                self.is_over &= self.commands_left == 0;
                io.write_err(&inner.err);
                // Substitutions in a loop would double a word each time.
                inner.out.truncate(WORDS_BYTES_MAX);
                let said = String::from_utf8_lossy(&inner.out).into_owned();
                said.trim_end_matches('\n').to_string()
            }
        }
    }

    fn variable(&self, name: &str) -> String {
        match name {
            "?" => self.status.to_string(),
            // The same at every run.
            "$" => "5000".to_string(),
            "!" => self.behind.clone(),
            "#" => "0".to_string(),
            "0" => "/system/bin/sh".to_string(),
            "PWD" => "/".to_string(),
            "RANDOM" => "4".to_string(),
            name => self.variables.get(name).cloned().unwrap_or_default(),
        }
    }

    /// Appends the words that a word expands to: split where it is not quoted, with file names in place of patterns.
    fn expand(&mut self, word: &Word, io: &mut Io, words: &mut Vec<String>) {
        // Each word as plain text, and as a pattern in which backslashes quote.
        let mut made: Vec<(String, String)> = Vec::new();
        let mut is_open = false;
        let room = WORDS_BYTES_MAX.saturating_sub(words.iter().map(String::len).sum());
        for part in word {
            let (quoting, is_split) = match part {
                Part::Text { quoting, .. } => (*quoting, false),
                Part::Variable { quoting, .. } | Part::Output { quoting, .. } | Part::Sum { quoting, .. } => {
                    (*quoting, *quoting == Quoting::Bare)
                }
            };
            let text = self.part(part, io);
            let text = cut(&text, room);
            if !is_split {
                if !is_open {
                    made.push(Default::default());
                    is_open = true;
                }
                extend(made.last_mut(), text, quoting);
                continue;
            }
            for (at, piece) in text.split([' ', '\t', '\n']).enumerate() {
                if at > 0 {
                    is_open = false;
                }
                if !piece.is_empty() {
                    if !is_open {
                        made.push(Default::default());
                        is_open = true;
                    }
                    extend(made.last_mut(), piece, Quoting::Bare);
                }
            }
        }
        for (text, pattern) in made {
            let found = self.files_like(&text, &pattern, io);
            if found.is_empty() { words.push(text) } else { words.extend(found) }
        }
    }

    /// Returns the files that fit a pattern; none if the text has no pattern sign.
    fn files_like(&self, text: &str, pattern: &str, io: &Io) -> Vec<String> {
        let has_sign = pattern.replace("\\*", "").replace("\\?", "").contains(['*', '?']);
        // No path is longer than 4,096 bytes.
        if !has_sign || text.len() > 4_096 {
            return Vec::new();
        }
        let at = pattern.find(['*', '?']).and_then(|at| pattern[..at].rfind('/'));
        let folder = at.map_or("", |at| &pattern[..=at]);
        let whole = format!("{}/{}", io.path(folder).trim_end_matches('/'), &pattern[folder.len()..]);
        let parts: Vec<String> = whole[1..].split('/').map(str::to_string).collect();
        let root = io.path(folder);
        // The pattern is matched from the root, and the names come back as the word spelled their folder.
        let found = self.phone.files.matching(&parts);
        found
            .into_iter()
            .filter_map(|path| {
                let rest = path.strip_prefix(root.trim_end_matches('/'))?;
                Some(format!("{folder}{}", rest.trim_start_matches('/')))
            })
            .collect()
    }
}

fn extend(word: Option<&mut (String, String)>, text: &str, quoting: Quoting) {
    let Some((plain, pattern)) = word else { return };
    plain.push_str(text);
    for letter in text.chars() {
        if quoting == Quoting::Quoted && matches!(letter, '*' | '?' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
}

fn which(phone: &Phone, names: &[String], io: &mut Io) -> u8 {
    let mut code = 0;
    for name in names {
        let bare = name.rsplit('/').next().unwrap_or(name);
        if commands::is_known(bare, phone.version) {
            io.say(&format!("/system/bin/{bare}"));
        } else {
            code = 1;
        }
    }
    code
}

/// Reads a duration in seconds, or with a unit.
fn duration_ms(word: &str) -> Option<u64> {
    let (number, factor) = match word.char_indices().last()? {
        (at, 's') => (&word[..at], 1_000.0),
        (at, 'm') => (&word[..at], 60_000.0),
        (at, 'h') => (&word[..at], 3_600_000.0),
        (at, 'd') => (&word[..at], 86_400_000.0),
        _ => (word, 1_000.0),
    };
    let seconds: f64 = number.parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then(|| (seconds * factor).min(1e15) as u64)
}
