//! The phone's shell: runs what [`super::syntax`] reads.
//!
//! All is bounded: commands, their output, their depth, and the time they let pass.

use std::collections::BTreeMap;

use super::arithmetic::evaluate;
use super::files::FileError;
use super::io::{Input, Io, add, cut};
use super::syntax::{Command, Joint, List, Part, Pipeline, Redirect, Stage, Target, Word, parse};
use super::{Phone, Ran, automator, commands};

/// How many commands a line runs at most.
const COMMANDS_MAX: u32 = 10_000;

/// How much virtual time a line takes at most: a day.
const TIME_MS_MAX: u64 = 86_400_000;

/// How many bytes the commands of a line read and write at most, again and again counted.
const BYTES_MAX: usize = 256 << 20;

/// How many bytes all that a command is called with has at most.
const WORDS_BYTES_MAX: usize = 1 << 20;

/// How deep shells stand in each other at most.
const SHELLS_MAX: u32 = 10;

/// How many variables there are at most.
const VARIABLES_MAX: usize = 1_000;

/// The process of a command that nobody waited for and that has ended.
const ENDED_PID: u32 = 5_001;

/// Runs a script from the start; what it complains of may be among what it prints.
pub(super) fn run(phone: &mut Phone, script: &str, stdin: &[u8], is_joined: bool) -> Ran {
    let mut shell = Shell::new(phone);
    let mut io = Io { is_joined, ..Io::new(Input::new(stdin), "/".to_string()) };
    let code = shell.script(script, &mut io);
    Ran { stdout: io.out, stderr: io.err, code }
}

/// A shell at work.
pub(super) struct Shell<'p> {
    pub phone: &'p mut Phone,
    variables: BTreeMap<String, String>,
    status: u8,
    /// The process of the last command with `&` behind it.
    behind: String,
    commands_left: u32,
    bytes_left: usize,
    time_left_ms: u64,
    shells: u32,
    /// Whether nothing more is run.
    is_over: bool,
    /// How often loops are still to be left, and whether the last one goes on.
    leaves: u32,
    goes_on: bool,
    /// Whether the time that a command had is over.
    is_timed_out: bool,
}

/// Where an output goes.
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

    /// Runs a text.
    fn script(&mut self, script: &str, io: &mut Io) -> u8 {
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
                // Each runs in a shell of its own.
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
            // All but a server has ended by now. A server goes on when the stream ends that has started it.
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
                    // All of a file that grows is written anew.
                    let size = self.phone.files.stat(path).map_or(0, |stat| stat.size);
                    self.charge(usize::try_from(size).unwrap_or(usize::MAX));
                }
            }
        }
    }

    /// Notes where a stream goes; a stream to be read is given back.
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

    /// Runs the body of a loop once; `false` if the loop is over.
    fn goes_round(&mut self, body: &List, io: &mut Io) -> bool {
        // An empty turn costs too, so that no loop goes on for ever.
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

    /// Counts bytes that were read or written; a line that has moved too many runs nothing more.
    fn charge(&mut self, bytes: usize) {
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
        if self.bytes_left == 0 {
            self.commands_left = 0;
        }
    }

    fn set(&mut self, name: &str, value: String) {
        let mut value = value;
        let length = cut(&value, WORDS_BYTES_MAX).len();
        value.truncate(length);
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
            // `x=$?` is what the command before it said, and `x=$(...)` says what that in it does.
            let runs = |word: &Word| word.iter().any(|part| matches!(part, Part::Output { .. }));
            if words.is_empty() && !sets.iter().any(|(_, word)| runs(word)) {
                self.status = 0;
            }
            values.into_iter().for_each(|(name, value)| self.set(&name, value));
            return;
        }
        if args.iter().map(String::len).sum::<usize>() > WORDS_BYTES_MAX {
            self.status =
                io.complain(&format!("/system/bin/sh: {}: Argument list too long", shown(&args[0])));
            return;
        }
        // What is set before a command is known to it alone.
        let outside = if values.is_empty() { None } else { Some(self.variables.clone()) };
        values.into_iter().for_each(|(name, value)| self.set(&name, value));
        self.status = self.run(&args, before, io);
        self.charge(std::mem::take(&mut io.moved));
        if let Some(outside) = outside {
            self.variables = outside;
        }
    }

    /// Runs a command that is called by these words.
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
            _ if commands::starts_classes(name) => {
                let class_path = self.variables.get("CLASSPATH").map(String::as_str);
                automator::app_process(self.phone, class_path, rest, io)
            }
            _ => commands::run(self.phone, name, rest, io),
        }
    }

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
        let options = options + usize::from(rest.first().is_some_and(|word| word == "-s" || word == "-k"));
        let Some((limit, command)) = rest.get(options..).and_then(|rest| rest.split_first()) else {
            return io.complain("timeout: Needs 2 arguments");
        };
        let Some(limit_ms) = duration_ms(limit).filter(|_| !command.is_empty()) else {
            return io.complain(&format!("timeout: bad time '{}'", shown(limit)));
        };
        let outer_ms = self.time_left_ms;
        self.time_left_ms = if limit_ms == 0 { outer_ms } else { limit_ms.min(outer_ms) };
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

    /// A shell in this one.
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

    fn each_of_input(&mut self, rest: &[String], io: &mut Io) -> u8 {
        let said = String::from_utf8_lossy(io.input.take(WORDS_BYTES_MAX)).into_owned();
        let mut words = if rest.is_empty() { vec!["echo".to_string()] } else { rest.to_vec() };
        words.extend(said.split_whitespace().map(str::to_string));
        self.run(&words, 0, io)
    }

    /// One word, as it is after everything was put in.
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
                inner.out.truncate(WORDS_BYTES_MAX);
                let said = String::from_utf8_lossy(&inner.out).into_owned();
                said.trim_end_matches('\n').to_string()
            }
        }
    }

    fn variable(&self, name: &str) -> String {
        match name {
            "?" => self.status.to_string(),
            "$" => "5000".to_string(),
            "!" => self.behind.clone(),
            "#" => "0".to_string(),
            "0" => "/system/bin/sh".to_string(),
            "PWD" => "/".to_string(),
            "RANDOM" => "4".to_string(),
            name => self.variables.get(name).cloned().unwrap_or_default(),
        }
    }

    /// The words that a word becomes: split where it is not quoted, and with names of files for patterns.
    fn expand(&mut self, word: &Word, io: &mut Io, words: &mut Vec<String>) {
        // Letters, and whether a pattern or a blank among them means itself.
        let mut made: Vec<(String, String)> = Vec::new();
        let mut is_open = false;
        let room = WORDS_BYTES_MAX.saturating_sub(words.iter().map(String::len).sum());
        for part in word {
            let (is_quoted, is_split) = match part {
                Part::Text { is_quoted, .. } => (*is_quoted, false),
                Part::Variable { is_quoted, .. }
                | Part::Output { is_quoted, .. }
                | Part::Sum { is_quoted, .. } => (*is_quoted, !is_quoted),
            };
            let text = self.part(part, io);
            let text = cut(&text, room);
            if !is_split {
                if !is_open {
                    made.push(Default::default());
                    is_open = true;
                }
                extend(made.last_mut(), text, is_quoted);
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
                    extend(made.last_mut(), piece, false);
                }
            }
        }
        for (text, pattern) in made {
            let found = self.files_like(&text, &pattern, io);
            if found.is_empty() { words.push(text) } else { words.extend(found) }
        }
    }

    /// The files that a pattern means; none if it is no pattern.
    fn files_like(&self, text: &str, pattern: &str, io: &Io) -> Vec<String> {
        let has_sign = pattern.replace("\\*", "").replace("\\?", "").contains(['*', '?']);
        if !has_sign || text.len() > 4_096 {
            return Vec::new();
        }
        let at = pattern.find(['*', '?']).and_then(|at| pattern[..at].rfind('/'));
        let folder = at.map_or("", |at| &pattern[..=at]);
        let whole = format!("{}/{}", io.path(folder).trim_end_matches('/'), &pattern[folder.len()..]);
        let parts: Vec<String> = whole[1..].split('/').map(str::to_string).collect();
        let root = io.path(folder);
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

fn extend(word: Option<&mut (String, String)>, text: &str, is_quoted: bool) {
    let Some((plain, pattern)) = word else { return };
    plain.push_str(text);
    for letter in text.chars() {
        if is_quoted && matches!(letter, '*' | '?' | '\\') {
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

/// How long a time is that is given in seconds, or with a unit behind it.
pub(super) fn duration_ms(word: &str) -> Option<u64> {
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

/// A word as it may stand in a message.
pub(super) fn shown(word: &str) -> &str {
    cut(word, 200)
}

/// The last part of a path.
pub(super) fn base_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    trimmed.rsplit('/').next().unwrap_or(trimmed)
}
