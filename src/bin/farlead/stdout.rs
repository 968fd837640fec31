//! Standard output whose reader may go away.
//!
//! In `farlead lint specs | head` the reader closes the pipe before the end. The rest of the output is lost then, and
//! nothing else: the work goes on, and its exit code is that of the whole work.

use std::io::{self, StdoutLock, Write};

/// Standard output; once the reader has closed it, writing succeeds and does nothing.
#[derive(Debug)]
pub struct Out {
    stdout: StdoutLock<'static>,
    is_closed: bool,
}

/// Returns the standard output.
pub fn out() -> Out {
    Out { stdout: io::stdout().lock(), is_closed: false }
}

impl Out {
    /// Returns true if the reader is known to have closed it.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn unless_closed<T>(&mut self, done: io::Result<T>, instead: T) -> io::Result<T> {
        match done {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(instead)
            }
            done => done,
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed {
            return Ok(bytes.len());
        }
        let done = self.stdout.write(bytes);
        self.unless_closed(done, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        let done = self.stdout.flush();
        self.unless_closed(done, ())
    }
}
