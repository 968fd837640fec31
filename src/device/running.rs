//! Programs that farlead starts: each is ended when its owner is done with it.

use std::io;
use std::process::{Child, Command, ExitStatus};

/// A program that runs until this is dropped.
pub(super) struct Running(pub Child);

impl Running {
    /// Starts `command` in a group of its own, so that Ctrl-C reaches farlead alone, which ends its work first.
    pub fn start(command: &mut Command) -> io::Result<Running> {
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            command.process_group(0);
        }
        command.spawn().map(Running)
    }

    /// Returns the status of the program if it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().ok().flatten()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Nobody can receive an error here, and a program that has ended needs no end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
