//! Actions as commands of the phone's shell, each done once or not at all.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::look;
use super::script::{Mark, Script, quote};
use super::server::shown;
use super::stroke::stroke;
use super::{Adb, AdbError, Facts, LineError, Now, Reset, is_over_network};
use crate::device::android::app::{FLAGS, LAUNCHER, MAIN, complaint, is_in_app};
use crate::device::android::notices::log_len;
use crate::device::android::touch::{HOLD_MS, IDLE_S, SWIPE_MS, VIRTUAL_IDLE_S, may_be_under_keyboard};
use crate::device::android::typing::{has_key, pieces};
use crate::device::android::{power, rpc};
use crate::device::{Notice, Observation};
use crate::gui::{Action, Bounds, DeviceAction, Gesture, PressedKey, Stroke, Target, Touch};

/// Turns the display on and dismisses a lock that asks for nothing. Complaints of versions that cannot dismiss
/// it are discarded.
const WAKE: &str = "input keyevent 224; wm dismiss-keyguard >/dev/null 2>&1";

/// Prints whether the phone is locked.
const LOCK: &str = "dumpsys window policy 2>/dev/null";

/// Puts the keyboard away. The key would leave the screen if there were no keyboard.
pub(super) const HIDE_KEYBOARD: &str =
    "if dumpsys input_method 2>/dev/null | grep -q mInputShown=true; then input keyevent 4; fi";

/// Screen timeout during an idle and otherwise.
const IDLE_LIT_MS: u32 = 10_000;
const LIT_MS: u32 = 1_800_000;

/// Letters erased by one command, letters erased beyond those seen, and most letters erased.
const ERASED_AT_ONCE: usize = 100;
const ERASED_MORE: usize = 10;
const ERASED_MAX: usize = 10_000;

/// Most bytes of a shell command that every adb accepts: up to Android 6 a packet has 4,096 bytes.
const LINE_BYTES_MAX: usize = 3_900;

/// Tasks that share a folder; the folder before the last is removed with its contents.
const TASKS_IN_FOLDER: u64 = 500;

/// Most checks if a task that was begun is done.
const ASKS_MAX: u32 = 20;

/// Parts of an answer that show that a task is done.
const DONE: &str = "done";
const WHETHER_DONE: &str = "whether done";

/// The part with the server's answer to putting a text in a field.
const PUT: &str = "put";

/// The results of a finished task.
struct Done {
    /// The answer of its parts, if it has arrived.
    said: Option<Vec<u8>>,
    /// A look after it, if it has arrived.
    look: Option<Vec<u8>>,
}

/// Something to do on the phone exactly once.
struct Task {
    /// Its kind: tasks of a kind take about the same time.
    kind: &'static str,
    /// Its name in messages.
    name: String,
    /// Its parts, each with its name in the answer.
    parts: Vec<(&'static str, String)>,
    /// The time it takes by itself.
    takes: Duration,
}

impl Adb {
    /// Starts the app afresh and returns its first screen.
    pub(super) fn start_afresh(&mut self, activity: &str) -> Result<Observation, AdbError> {
        if !self.app.launchable.iter().any(|name| **name == *activity) {
            return Err(AdbError::Start {
                serial: self.serial().to_string(),
                activity: activity.to_string(),
                said: format!("there is `{}`", self.app.launchable.join("`, `")),
            });
        }
        // Read before the start, so that a crash during the start is seen.
        self.learn_moment()?;
        if self.options.reset == Reset::Reinstall {
            self.reinstall()?;
        }
        // If the start fails, the old screen must not count as the present one.
        self.now.screen = None;
        let task = self.start(activity);
        // The answer to a start is needed, so after a lost answer the app is started again.
        for _ in 0..=self.options.recoveries_max {
            let Done { said, look } = self.do_once(&task)?;
            if let Some(said) = said {
                self.note_start(activity, &said)?;
                return self.settle(look);
            }
        }
        let source = LineError::Lost { stdout: Vec::new(), why: None };
        Err(AdbError::Uncertain { serial: self.serial().to_string(), action: task.name, source })
    }

    /// Reads the phone's time, from which on the log is read.
    fn learn_moment(&mut self) -> Result<(), AdbError> {
        let answer = self.ask("asking for its clock", "date '+%m-%d %H:%M:%S'")?;
        let said = String::from_utf8_lossy(&answer.stdout);
        let moment = said.trim();
        let is_moment = moment.len() == 14
            && moment.chars().all(|letter| letter.is_ascii_digit() || "-: ".contains(letter));
        // Without a valid time all of the log is read; notices that are already in it are skipped by number.
        self.now.log_since = if is_moment { format!("{moment}.000") } else { "01-01 00:00:00.000".into() };
        Ok(())
    }

    fn start(&mut self, activity: &str) -> Task {
        let (package, user) = (quote(&self.app.package), self.facts.user_flag());
        let mut clear = format!("am force-stop{user} {package}\n");
        if self.options.reset == Reset::Clear {
            clear.push_str(&format!("pm clear{user} {package}\n"));
            // Clearing revokes the permissions that were granted at the installation.
            for permission in &self.permissions {
                clear.push_str(&format!("pm grant{user} {package} {} >/dev/null\n", quote(permission)));
            }
        }
        let mut hold = format!("{WAKE}\n");
        // The last action may have ended unheard, so the orientation is set back in any case.
        hold.push_str(&format!("{}\n", self.facts.put_setting("system", "user_rotation", 0)));
        // An action has changed the network, the only change that a command undoes.
        if self.changes.has_undo() {
            hold.push_str(&network(&self.facts, self.facts.has_network));
        }
        hold.push_str("input keyevent 3");
        let parts = vec![
            ("clear", clear),
            ("hold", hold),
            // Counted before the start: the log is read from a full second on, which may hold older notices.
            ("old log", look::log(&self.now.log_since)),
            ("start clock", look::CLOCK.to_string()),
            ("start", started(&self.app.package, activity, &user)),
            ("lock", LOCK.to_string()),
        ];
        Task { kind: "start", name: format!("start {activity}"), parts, takes: Duration::from_secs(20) }
    }

    /// Takes in the phone's answer to a start.
    fn note_start(&mut self, activity: &str, said: &[u8]) -> Result<(), AdbError> {
        let parts = self.mark.parts(said);
        let serial = self.serial().to_string();
        let cleared = parts.text("clear");
        if self.options.reset == Reset::Clear && !cleared.lines().any(|line| line.trim() == "Success") {
            let package = self.app.package.to_string();
            return Err(AdbError::Clear { serial, package, said: shown(&cleared) });
        }
        if let Some(said) = complaint(&parts.text("start")).map(shown) {
            return Err(AdbError::Start { serial, activity: activity.to_string(), said });
        }
        if power::is_locked(&parts.text("lock")) == Some(true) && self.stays_locked()? {
            return Err(AdbError::Locked { serial });
        }
        let (clock_ms, log_len) =
            (look::clock_ms(&parts.text("start clock")), log_len(&parts.text("old log"), &self.app.package));
        self.now.started_ms = clock_ms.unwrap_or(0);
        self.now.log_known = log_len;
        self.now.launched = activity.into();
        (self.now.is_turned, self.now.is_off_network) = (false, !self.facts.has_network);
        Ok(())
    }

    /// Waits for a lock that asks for nothing to go away; returns true if it stays.
    fn stays_locked(&mut self) -> Result<bool, AdbError> {
        for _ in 0..self.options.looks_max {
            std::thread::sleep(self.options.pause);
            let answer = self.ask("asking whether it is locked", LOCK)?;
            if power::is_locked(&String::from_utf8_lossy(&answer.stdout)) != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does an action other than the start, and returns the screen it settled on. A text is typed once more if letters from
    /// before stay in its field, and those that stay then are noticed.
    pub(super) fn perform(&mut self, action: &Action) -> Result<Observation, AdbError> {
        let seen = self.perform_once(action)?;
        let Action::Text { on, text } = action else { return Ok(seen) };
        let Some((now, _)) = left_over(on, text, &seen) else { return Ok(seen) };
        let again = self.perform_once(&Action::Text { on: now, text: text.clone() })?;
        let stays = left_over(on, text, &again).map(|(_, left)| Notice::Field(left.into()));
        let notices = seen.notices.iter().chain(&*again.notices).cloned().chain(stays).collect();
        Ok(Observation { notices, ..again })
    }

    fn perform_once(&mut self, action: &Action) -> Result<Observation, AdbError> {
        let serial = self.serial().to_string();
        let name = action.to_string();
        let has_server = self.options.u2.is_some();
        let commands = commands(action, &self.app.package, &self.facts, &self.now, &serial, has_server)
            .map_err(|why| AdbError::Impossible { serial: serial.clone(), action: name.clone(), why })?;
        // The note stands before the action in the same command, so that a run killed in between can be
        // undone.
        let note = self.note_changes(action);
        let takes = Duration::from_millis(commands.takes_ms);
        let mut act = format!("{note}{}", commands.lines.join("\n"));
        // In the same command, as a text mostly brings the keyboard up, and another look would take seconds.
        if matches!(action, Action::Text { .. }) && !self.keyboard.is_kept && commands.put.is_none() {
            act.push('\n');
            act.push_str(HIDE_KEYBOARD);
        }
        let mut task = Task { kind: "act", name: name.clone(), parts: vec![("act", act)], takes };
        if let Some(text) = &commands.put {
            task.parts.push((PUT, self.push_text(text)?));
        }
        let Done { said, mut look } = self.do_once(&task)?;
        let complaint =
            said.as_ref().and_then(|said| complaint(&self.mark.parts(said).text("act")).map(shown));
        if let Some(said) = complaint {
            return Err(AdbError::Action { serial, action: name, said });
        }
        if let (Some(said), true) = (said, commands.put.is_some()) {
            look = self.ensure_put(task, said, look)?;
        }
        // Noted only here, because an action that the phone refused has changed nothing.
        self.now.is_turned ^= *action == Action::ROTATE;
        self.now.is_off_network ^= *action == Action::NETWORK;
        self.settle(look)
    }

    /// Does a command once, and returns the look after it.
    pub(super) fn do_command(&mut self, name: &str, command: String) -> Result<Option<Vec<u8>>, AdbError> {
        let parts = vec![("act", command)];
        Ok(self.do_once(&Task { kind: "act", name: name.to_string(), parts, takes: Duration::ZERO })?.look)
    }

    /// Makes sure that a text was put in a field, and tries once more if the server had ended. Returns the look
    /// after it.
    fn ensure_put(
        &mut self,
        mut task: Task,
        said: Vec<u8>,
        look: Option<Vec<u8>>,
    ) -> Result<Option<Vec<u8>>, AdbError> {
        let was_put = |mark: &Mark, said: &[u8]| rpc::result::<bool>(mark.parts(said).bytes(PUT));
        let mut is_put = was_put(&self.mark, &said);
        let mut look = look;
        if is_put.as_ref().is_err_and(rpc::RpcError::is_over) {
            self.start_server()?;
            // The first part was done, and must not be done twice.
            task.parts.retain(|(name, _)| *name == PUT);
            let done = self.do_once(&task)?;
            look = done.look;
            // Without an answer the text counts as put; the look shows the field in any case.
            is_put = done.said.map_or(Ok(true), |said| was_put(&self.mark, &said));
        }
        let said = match is_put {
            Ok(true) => return Ok(look),
            Ok(false) => "the field does not take it".to_string(),
            Err(error) => error.to_string(),
        };
        Err(AdbError::Action { serial: self.serial().to_string(), action: task.name, said })
    }

    /// Notes how to undo the effect of an action on the phone; returns the command that notes it there.
    fn note_changes(&mut self, action: &Action) -> String {
        if *action == Action::NETWORK {
            // Back to the state found at first, which is not always the opposite of the present one.
            let back = network(&self.facts, self.facts.has_network);
            self.changes.undo(back.trim_end());
            return format!("{}\n", self.changes.note(&self.folder()));
        }
        String::new()
    }

    /// Does a task once.
    ///
    /// The phone claims the number of the task before it does it. If no answer comes, the same is sent again,
    /// and the phone does the task if it has not; so the task is done once, whatever happens to the line.
    fn do_once(&mut self, task: &Task) -> Result<Done, AdbError> {
        // The number is used up even if the task fails, because the phone may have claimed it.
        self.task += 1;
        let (line, done) = self.claimed(task);
        let line = self.as_file_if_long(line)?;
        // With virtual time, the answer comes at once.
        let takes = if self.facts.has_virtual_time { Duration::ZERO } else { task.takes };
        let limit = self.patience.limit(task.kind, self.options.answer);
        let mut within = limit + takes;
        let mut last = None;
        for _ in 0..=self.options.recoveries_max {
            let begun = Instant::now();
            let (stdout, is_whole) = match self.line.shell(&line, within) {
                Ok(answer) => {
                    self.patience.took(task.kind, begun.elapsed().saturating_sub(takes));
                    (answer.stdout, true)
                }
                Err(error) if error.is_passing() => {
                    // A command that is slow and not stalled needs the time that it did not get.
                    within = self.options.answer + takes;
                    let stdout = error.partial().to_vec();
                    self.recover(&task.name)?;
                    last = Some(error);
                    (stdout, false)
                }
                Err(error) => return Err(self.error(&task.name, error)),
            };
            let parts = self.mark.parts(&stdout);
            // A later part has begun, so the task is done.
            if parts.has(DONE) {
                return Ok(Done { look: is_whole.then(|| stdout.clone()), said: Some(stdout) });
            }
            // An earlier copy of the command has claimed the number, and its answer is lost.
            if is_whole && parts.text(WHETHER_DONE).trim() == "yes" {
                return Ok(Done { look: Some(stdout), said: None });
            }
            if is_whole {
                // The command that claimed the number may still be at work.
                if self.comes_to_be_done(&done, self.options.answer - limit)? {
                    return Ok(Done { look: None, said: None });
                }
                // It was claimed and never finished, so sending it again would change nothing.
                break;
            }
        }
        let source = last.unwrap_or(LineError::Lost { stdout: Vec::new(), why: None });
        Err(AdbError::Uncertain { serial: self.serial().to_string(), action: task.name.clone(), source })
    }

    /// Returns the command that does a task unless it is claimed, and then looks; and the folder that marks it
    /// as done.
    fn claimed(&self, task: &Task) -> (String, String) {
        let (claim, done, prepare) = self.claim();
        let mut script = Script::new(&self.mark);
        script.part("claim", &format!("{prepare}if mkdir {claim} 2>/dev/null; then"));
        for (name, commands) in &task.parts {
            script.part(name, &format!("{{ {commands}\n}} 2>&1"));
        }
        script.part(DONE, &format!("mkdir {done}\nfi"));
        script.part(WHETHER_DONE, &format!("[ -d {done} ] && echo yes"));
        (self.with_look(script), done)
    }

    /// Returns a command for `line`. One too long for an old adb is written to a file on the phone, which is
    /// run.
    fn as_file_if_long(&mut self, line: String) -> Result<String, AdbError> {
        if line.len() <= LINE_BYTES_MAX {
            return Ok(line);
        }
        // In the folder of its task, so that it is removed with it.
        let file = format!("{}/{}/{}.sh", self.folder(), self.task / TASKS_IN_FOLDER, self.task);
        self.push("writing a long command", &line.into_bytes().into(), &file)?;
        Ok(format!("sh {file}"))
    }

    /// Waits for a task begun by a command whose answer is lost; the wait for that answer was shorter by `cut` than the
    /// longest.
    fn comes_to_be_done(&mut self, done: &str, cut: Duration) -> Result<bool, AdbError> {
        // Without pauses only time on the phone passes, which asking takes anyway.
        let pauses = cut.as_millis().checked_div(self.options.pause.as_millis()).unwrap_or(0);
        for _ in 0..u128::from(ASKS_MAX) + pauses {
            let answer =
                self.ask("asking whether something is done", &format!("[ -d {done} ] && echo yes"))?;
            if String::from_utf8_lossy(&answer.stdout).trim() == "yes" {
                return Ok(true);
            }
            std::thread::sleep(self.options.pause);
        }
        Ok(false)
    }

    /// Returns the folders that mark the present task as begun and as done, and the commands that make room for
    /// them.
    fn claim(&self) -> (String, String, String) {
        let (number, age) = (self.task, self.task / TASKS_IN_FOLDER);
        let folder = self.folder();
        let claim = format!("{folder}/{age}/{number}");
        let done = format!("{claim}/done");
        // The first folder exists from the beginning.
        let prepare = if number.is_multiple_of(TASKS_IN_FOLDER) {
            // The last folder stays, because a late copy of a command may still arrive.
            let old = age.checked_sub(2).map(|old| format!("rm -rf {folder}/{old}\n")).unwrap_or_default();
            format!("mkdir {folder}/{age} 2>/dev/null\n{old}")
        } else {
            String::new()
        };
        (claim, done, prepare)
    }
}

/// Commands, and the time they take by themselves.
#[derive(Debug, Default, PartialEq, Eq)]
struct Commands {
    lines: Vec<String>,
    /// Text that uiautomator2's server then puts in the focused field, in place of its content.
    put: Option<Arc<str>>,
    takes_ms: u64,
}

impl Commands {
    fn run(&mut self, line: String) {
        self.lines.push(line);
    }

    fn tap(&mut self, (x, y): (i32, i32)) {
        self.run(format!("input tap {x} {y}"));
    }

    fn hold(&mut self, (x, y): (i32, i32)) {
        // `input` has no long press, but a stroke that does not move is one.
        self.run(format!("input swipe {x} {y} {x} {y} {HOLD_MS}"));
        self.takes_ms += u64::from(HOLD_MS);
    }

    fn swipe(&mut self, (x, y): (i32, i32), (to_x, to_y): (i32, i32)) {
        self.run(format!("input swipe {x} {y} {to_x} {to_y} {SWIPE_MS}"));
        self.takes_ms += u64::from(SWIPE_MS);
    }

    fn stroke(&mut self, facts: &Facts, from: (i32, i32), to: (i32, i32)) {
        let (lines, takes_ms) = stroke(facts, from, to);
        self.lines.extend(lines);
        self.takes_ms += takes_ms;
    }

    fn key(&mut self, code: u32) {
        self.run(format!("input keyevent {code}"));
    }

    fn wait_s(&mut self, seconds: u32) {
        self.run(format!("sleep {seconds}"));
        self.takes_ms += u64::from(seconds) * 1_000;
    }

    /// Empties the focused field: all that Ctrl+A selects, and then this many letters on either side of the cursor, as not
    /// every field knows that key.
    fn erase(&mut self, facts: &Facts, letters: usize) {
        const END: u32 = 123;
        const DELETE: u32 = 67;
        const FORWARD_DELETE: u32 = 112;
        if facts.sdk >= SDK_OF_COMBINATIONS {
            self.run(SELECT_ALL.to_string());
            self.key(DELETE);
        }
        // A tap puts the cursor anywhere in the text. The key goes to the end of its line alone, so that of a text of several
        // lines some letters may be behind it.
        self.key(END);
        for key in [DELETE, FORWARD_DELETE] {
            let mut left = letters.min(ERASED_MAX);
            while left > 0 {
                let now = left.min(ERASED_AT_ONCE);
                self.run(format!("input keyevent{}", format!(" {key}").repeat(now)));
                left -= now;
            }
        }
    }

    /// Types letters into the focused field.
    fn type_text(&mut self, text: &str) -> Result<(), String> {
        if let Some(other) = without_key(text) {
            return Err(format!(
                "no key of a phone types `{}` (U+{:04X}), and `input` presses keys",
                other.escape_debug(),
                u32::from(other)
            ));
        }
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.key(PressedKey::Enter.code());
            }
            for piece in pieces(line) {
                // `input` takes a space as the end of its argument, and types one for `%s`.
                self.run(format!("input text {}", quote(&piece.replace(' ', "%s"))));
            }
        }
        Ok(())
    }
}

/// Returns the first letter that no key types.
fn without_key(text: &str) -> Option<char> {
    text.chars().find(|&letter| !has_key(letter) && letter != '\n')
}

/// Returns the commands that do `action`, or the reason none can.
fn commands(
    action: &Action,
    package: &str,
    facts: &Facts,
    now: &Now,
    serial: &str,
    has_server: bool,
) -> Result<Commands, String> {
    let mut commands = Commands::default();
    // A touch on a dark display at most lights it. An idle leaves it dark.
    let is_dark = now.screen.as_ref().is_some_and(|screen| !screen.context().screen_on);
    if is_dark && *action != Action::IDLE {
        commands.run(WAKE.to_string());
    }
    let is_keyboard_up = now.screen.as_ref().is_some_and(|screen| screen.context().keyboard);
    // The action leaves the screen, and a keyboard would take the first press.
    let is_back = *action == Action::BACK;
    let is_covered = action
        .target()
        .zip(now.screen.as_deref())
        .is_some_and(|(on, screen)| may_be_under_keyboard(on.bounds, facts.size, screen));
    if is_keyboard_up && (is_back || is_covered) {
        commands.run(HIDE_KEYBOARD.to_string());
    }
    match action {
        // Starts are done by `start_afresh`.
        Action::Reinitialise(_) => {}
        Action::Touch(Touch::Click, on) => commands.tap(on.bounds.centre()),
        Action::Touch(Touch::LongClick, on) => commands.hold(on.bounds.centre()),
        Action::Touch(Touch::DoubleClick, on) => {
            commands.tap(on.bounds.centre());
            commands.tap(on.bounds.centre());
        }
        Action::Text { on, text } if has_server && without_key(text).is_some() => {
            commands.tap(on.bounds.centre());
            commands.put = Some(text.clone());
        }
        Action::Text { on, text } => {
            commands.tap(on.bounds.centre());
            // The field may hold more than was seen: an app may fill it when it is shown again.
            let more = if is_dark { ERASED_AT_ONCE } else { ERASED_MORE };
            commands.erase(facts, on.text.chars().count() + more);
            commands.type_text(text).map_err(|why| format!("{why}; --u2 FILE has it put there otherwise"))?;
        }
        Action::Stroke(Stroke::Scroll, on, towards) => {
            // To scroll towards a side, the finger moves to the opposite one.
            let (start, end) = towards.across(on.bounds);
            commands.stroke(facts, end, start);
        }
        Action::Stroke(Stroke::Swipe, on, towards) => {
            commands.stroke(facts, on.bounds.centre(), towards.across(on.bounds).1);
        }
        Action::Device(DeviceAction::Back) => commands.key(PressedKey::Back.code()),
        Action::Device(DeviceAction::Menu) => commands.key(PressedKey::Menu.code()),
        Action::Device(DeviceAction::Rotate) => {
            commands.run(facts.put_setting("system", "user_rotation", u8::from(!now.is_turned)));
        }
        Action::Device(DeviceAction::Network) => commands.run(switch(facts, now, serial)?),
        Action::Device(DeviceAction::PauseResume) => {
            // Outside the app there is nothing to pause, and a start would be another action.
            if now.screen.as_ref().is_some_and(|screen| is_in_app(screen, &facts.home)) {
                commands.key(PressedKey::Home.code());
                commands.run(started(package, &now.launched, &facts.user_flag()));
            }
        }
        Action::Device(DeviceAction::Idle) => idle(&mut commands, facts),
        Action::Device(DeviceAction::Enter) => commands.key(PressedKey::Enter.code()),
        Action::Device(DeviceAction::Escape) => commands.key(PressedKey::Escape.code()),
        // A phone has neither a mouse nor a window, and no key for these.
        Action::Touch(Touch::Hover, _)
        | Action::Device(DeviceAction::Forward | DeviceAction::Reload | DeviceAction::Resize) => {}
        Action::User { action, on } => {
            for gesture in &action.gestures {
                do_gesture(&mut commands, gesture, on.bounds)?;
            }
        }
    }
    Ok(commands)
}

fn do_gesture(commands: &mut Commands, gesture: &Gesture, on: Bounds) -> Result<(), String> {
    match gesture {
        Gesture::Tap(at) => commands.tap(at.on(on)),
        Gesture::LongTap(at) => commands.hold(at.on(on)),
        Gesture::Swipe { from, to } => commands.swipe(from.on(on), to.on(on)),
        Gesture::Text(text) => commands.type_text(text)?,
        Gesture::Key(key) => commands.key(key.code()),
        Gesture::Wait { ms } => {
            commands.run(format!("sleep {}.{:03}", ms / 1_000, ms % 1_000));
            commands.takes_ms += u64::from(*ms);
        }
    }
    Ok(())
}

fn idle(commands: &mut Commands, facts: &Facts) {
    if facts.has_virtual_time {
        return commands.wait_s(VIRTUAL_IDLE_S);
    }
    // During a run the display would otherwise stay lit for half an hour.
    commands.run(facts.put_setting("system", "screen_off_timeout", IDLE_LIT_MS));
    commands.wait_s(IDLE_S);
    commands.run(facts.put_setting("system", "screen_off_timeout", LIT_MS));
}

/// Returns the command that starts an activity as the launcher does: a running one comes to the front
/// unchanged. `user` is the flag that names the user in front.
fn started(package: &str, activity: &str, user: &str) -> String {
    let component = quote(&format!("{package}/{activity}"));
    format!("am start -W{user} -a {MAIN} -c {LAUNCHER} -f {FLAGS} -n {component}")
}

/// Returns the command that switches the phone's network off, or on again.
fn switch(facts: &Facts, now: &Now, serial: &str) -> Result<String, String> {
    if is_over_network(serial) {
        return Err("adb reaches it over the network that would be switched off; use a cable".to_string());
    }
    Ok(network(facts, now.is_off_network))
}

/// Returns the field `on` after `typed` was typed into it, with the letters from before that it still shows; `None` if there
/// are none.
fn left_over(on: &Target, typed: &str, seen: &Observation) -> Option<(Target, String)> {
    let mut now = None;
    seen.screen.for_each_object(|_, widget, object_id| {
        if *object_id == *on.object_id && *widget.class == *on.class && *widget.id == *on.id {
            now = Some(Target::new(widget, object_id, "".into()));
        }
    });
    let now = now?;
    let left = letters_left(&on.text, typed, &now.text)?;
    Some((now, left))
}

/// Returns the letters around `typed` in the text `after`, if they were at the edges of the text `before`. An app may put some
/// there by itself, like the sign of a currency.
fn letters_left(before: &str, typed: &str, after: &str) -> Option<String> {
    let (start, end) = after.split_once(typed).filter(|_| !typed.is_empty())?;
    let is_left = after != typed
        && before.starts_with(start)
        && before.ends_with(end)
        && before.len() >= start.len() + end.len();
    is_left.then(|| format!("{start}{end}"))
}

/// From Android 12 on `input` presses keys together.
const SDK_OF_COMBINATIONS: u32 = 31;

/// Presses Ctrl+A.
const SELECT_ALL: &str = "input keycombination 113 29";

/// From Android 11 on the shell may switch airplane mode.
const SDK_OF_AIRPLANE_MODE: u32 = 30;

fn network(facts: &Facts, is_on: bool) -> String {
    if facts.sdk >= SDK_OF_AIRPLANE_MODE {
        let word = if is_on { "disable" } else { "enable" };
        return format!("cmd connectivity airplane-mode {word}\n");
    }
    // On older versions the shell may not switch airplane mode, but each network by itself.
    let word = if is_on { "enable" } else { "disable" };
    format!("svc wifi {word}\nsvc data {word}\n")
}
