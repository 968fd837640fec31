//! The live line on stderr, if stderr is a terminal, and the ends of a run from outside: signals and `--wall-timeout`.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use unicode_width::UnicodeWidthChar as _;

use crate::Exit;

/// Pause before the line is written anew.
const PERIOD: Duration = Duration::from_millis(100);

/// A line that shows progress.
#[derive(Debug)]
pub struct Progress {
    /// Time of its start, and of the last writing; none if nobody looks.
    times: Option<Mutex<(Instant, Instant)>>,
}

impl Progress {
    /// Returns a line that is written if `wanted` and stderr is a terminal.
    pub fn new(wanted: bool) -> Progress {
        let now = Instant::now();
        Progress { times: (wanted && io::stderr().is_terminal()).then(|| Mutex::new((now, now))) }
    }

    /// Writes the line that `line` makes of the seconds since the start, but not too often.
    pub fn say(&self, line: impl FnOnce(f64) -> String) {
        let Some(times) = &self.times else { return };
        // Another thread is writing the line; waiting for it would slow the search down.
        let Ok(mut times) = times.try_lock() else { return };
        let now = Instant::now();
        if now.duration_since(times.1) < PERIOD {
            return;
        }
        times.1 = now;
        // The last column stays free, as some terminals break the line once it is filled.
        let columns =
            terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| width.0).saturating_sub(1);
        let text = cut(&line(now.duration_since(times.0).as_secs_f64()), columns.into());
        // A closed stderr leaves nobody to tell, so a failed write is no error.
        let _ = write!(io::stderr(), "\r\u{1b}[2K{text}");
        let _ = io::stderr().flush();
    }

    /// Takes the line away, before something else is written.
    pub fn clear(&self) {
        if self.times.is_some() {
            let _ = write!(io::stderr(), "\r\u{1b}[2K");
        }
    }
}

/// Returns the start of `text` that takes at most `columns` of a terminal.
fn cut(text: &str, columns: usize) -> String {
    let mut taken = 0;
    let fits = |char: &char| {
        taken += char.width().unwrap_or(0);
        taken <= columns
    };
    text.chars().take_while(fits).collect()
}

/// Counts of specs or tests that are decided, for the live line.
#[derive(Debug, Default)]
pub struct Ticks {
    passed: AtomicUsize,
    others: AtomicUsize,
}

impl Ticks {
    /// Adds a decided spec.
    pub fn add(&self, has_passed: bool) {
        let count = if has_passed { &self.passed } else { &self.others };
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns `12 ✓ 1 ✗ of 25 specs`.
    pub fn of(&self, all: usize, what: &str) -> String {
        let (passed, others) = (self.passed.load(Ordering::Relaxed), self.others.load(Ordering::Relaxed));
        let others = if others > 0 { format!(" {others} \u{2717}") } else { String::new() };
        format!("{passed} \u{2713}{others} of {all} {what}")
    }
}

/// Pause before somebody is told that a device lets them wait.
const PATIENCE: Duration = Duration::from_secs(3);

/// Does `work`, and says in a line that it waits for `what` if that takes long.
pub fn waiting<T>(wanted: bool, what: &str, work: impl FnOnce() -> T) -> T {
    let (done, is_done) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) && wanted {
                // A closed stderr leaves nobody to tell, so a failed write is no error.
                let _ = writeln!(io::stderr(), "farlead: waiting for {what} to answer");
            }
        });
        let result = work();
        // The other side ends with this, even if it has nothing to say.
        drop(done);
        result
    })
}

/// Signals that end a run, as far as the system has them: Ctrl-C, a shutdown, and the end of the terminal.
#[cfg(unix)]
const ENDING: [i32; 3] = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const ENDING: [i32; 2] = [SIGINT, SIGTERM];

/// Number of the signal that came, 0 before.
static SIGNAL: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// Time after the first signal in which another one is the same: `timeout` sends each to the program and to its group.
const SAME_SIGNAL: Duration = Duration::from_millis(500);
/// Time between two looks for the first signal.
const LOOKS: Duration = Duration::from_millis(100);

/// Returns a flag that becomes true at Ctrl-C, SIGTERM or SIGHUP; one more of them ends the program at once.
pub fn interruption() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let ends_at_once = Arc::new(AtomicBool::new(false));
    for signal in ENDING {
        let installed = flag::register_conditional_shutdown(signal, exit_code(signal), ends_at_once.clone())
            .and_then(|_| flag::register_usize(signal, SIGNAL.clone(), signal as usize))
            .and_then(|_| flag::register(signal, interrupted.clone()));
        if let Err(error) = installed {
            // Without a handler, the signal ends the program at once.
            let _ = writeln!(io::stderr(), "farlead: signal {signal} will lose what was found: {error}");
        }
    }
    let first = interrupted.clone();
    // The thread ends with the program, which may never be interrupted.
    thread::spawn(move || {
        while !first.load(Ordering::Relaxed) {
            thread::sleep(LOOKS);
        }
        thread::sleep(SAME_SIGNAL);
        ends_at_once.store(true, Ordering::Relaxed);
    });
    interrupted
}

/// True once the time of `--wall-timeout` is up.
static IS_LATE: AtomicBool = AtomicBool::new(false);

/// Time that a command may take on this computer's clock.
#[derive(Clone, Copy, Debug, Args)]
pub struct WallArgs {
    /// Most time for the whole command on this computer's clock; farlead then reports what it found
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    wall_timeout: Option<u64>,
}

impl WallArgs {
    /// Sets `interrupted` once the time is up, if there is a limit.
    pub fn limit(self, interrupted: &Arc<AtomicBool>) {
        let Some(ms) = self.wall_timeout else { return };
        let interrupted = interrupted.clone();
        // The thread ends with the program, which may be done long before.
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(ms));
            IS_LATE.store(true, Ordering::Relaxed);
            interrupted.store(true, Ordering::Relaxed);
        });
    }
}

/// Returns true if `--wall-timeout` has ended the run, and no signal.
fn is_late() -> bool {
    SIGNAL.load(Ordering::Relaxed) == 0 && IS_LATE.load(Ordering::Relaxed)
}

/// Returns the exit of a run that was ended early: time is a budget, and a signal is none.
pub fn interrupted_exit() -> Exit {
    if is_late() { Exit::Failed } else { Exit::Interrupted }
}

/// Returns how the run was ended early; goes on with `after 12 episodes`.
pub fn interrupted_by() -> &'static str {
    if is_late() { "stopped by --wall-timeout" } else { "interrupted" }
}

/// Reads a time like `90s`.
pub fn duration_ms(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|char: char| char.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => 1,
        "s" => 1_000,
        "min" => 60_000,
        "h" => 3_600_000,
        // Without a known unit the product is 0, which is refused below.
        _ => 0,
    };
    let number: Option<u64> = digits.parse().ok();
    match number.and_then(|number| number.checked_mul(factor)) {
        Some(ms) if ms > 0 => Ok(ms),
        Some(_) | None => Err("it is like 90s, 20min or 2h".to_string()),
    }
}

/// Returns a time as [`duration_ms`] reads it.
pub fn shown_duration(ms: u64) -> String {
    match ms {
        ms if ms.is_multiple_of(60_000) => format!("{}min", ms / 60_000),
        ms if ms.is_multiple_of(1_000) => format!("{}s", ms / 1_000),
        ms => format!("{ms}ms"),
    }
}

/// Returns the exit code after the signal that came: 130 for Ctrl-C, and if there was none.
pub fn interrupted_code() -> u8 {
    match SIGNAL.load(Ordering::Relaxed) {
        0 => exit_code(SIGINT) as u8,
        signal => exit_code(signal as i32) as u8,
    }
}

/// Returns the exit code that shells give a program that a signal ended.
fn exit_code(signal: i32) -> i32 {
    128 + signal
}

/// Returns the time that is left if the work goes on as before, like `12 s` or `3 min`.
pub fn left(done: f64, whole: f64, seconds: f64) -> String {
    if done <= 0.0 {
        return "some time".to_string();
    }
    let left = seconds * (whole - done).max(0.0) / done;
    if left < 90.0 { format!("{left:.0} s") } else { format!("{:.0} min", left / 60.0) }
}
