//! A live line on stderr, if stderr is a terminal, and Ctrl-C.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often the line is written anew.
const PERIOD: Duration = Duration::from_millis(100);

/// A line that says how far the work is.
#[derive(Debug)]
pub struct Progress {
    /// When it began and when it was last written; none if nobody looks.
    times: Option<Mutex<(Instant, Instant)>>,
}

impl Progress {
    /// Returns a line that is written if `wanted` and stderr is a terminal.
    pub fn new(wanted: bool) -> Progress {
        let now = Instant::now();
        Progress { times: (wanted && io::stderr().is_terminal()).then(|| Mutex::new((now, now))) }
    }

    /// Writes what `line` says, given the seconds since the start; not too often.
    pub fn say(&self, line: impl FnOnce(f64) -> String) {
        let Some(times) = &self.times else { return };
        // Another thread is writing the line; waiting for it would slow the search down.
        let Ok(mut times) = times.try_lock() else { return };
        let now = Instant::now();
        if now.duration_since(times.1) < PERIOD {
            return;
        }
        times.1 = now;
        let text: String = line(now.duration_since(times.0).as_secs_f64()).chars().take(100).collect();
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

/// Returns what becomes true at Ctrl-C; at a second one the program ends at once.
pub fn interruption() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = interrupted.clone();
    let installed = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    if let Err(error) = installed {
        // Without the handler, Ctrl-C ends the program at once.
        let _ = writeln!(io::stderr(), "farlead: Ctrl-C will lose what was found: {error}");
    }
    interrupted
}

/// `12 s`, `3 min`: how long something will still take, if it goes on as it did.
pub fn left(done: f64, whole: f64, seconds: f64) -> String {
    if done <= 0.0 {
        return "some time".to_string();
    }
    let left = seconds * (whole - done).max(0.0) / done;
    if left < 90.0 { format!("{left:.0} s") } else { format!("{:.0} min", left / 60.0) }
}
