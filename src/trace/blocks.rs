//! Blocks of whole lines as they come in, each with its *stops*: the bytes at which a text or a line can end.
//!
//! The input is looked through once, 64 bytes in one go. A thread of its own may do so ahead, while the lines before are
//! followed.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::LINE_MAX;

/// Bytes that are looked through in one go. As many stand behind the input, zeros that nothing is read into: a walk ends there.
const PIECE: usize = 64;

/// Bytes that are asked for at once.
pub const CHUNK: usize = 1 << 16;

/// Blocks that are read ahead and wait.
const WAITING_MAX: usize = 2;

/// Lines that have come to their ends, and what stands behind them.
#[derive(Debug, Default)]
pub struct Block {
    /// The lines, other bytes, and zeros; empty before anything was read.
    pub bytes: Vec<u8>,
    /// End of the lines.
    pub to: usize,
    /// Places of their stops.
    pub stops: Vec<u32>,
}

impl Block {
    /// Finds the stops from the end of what had come to the new one.
    fn look_through(&mut self, to: usize) {
        for start in (self.to..to).step_by(PIECE) {
            let piece = self.bytes[start..].first_chunk().expect("a piece stands behind what has come");
            let mut stops = stops_of(piece);
            if to - start < PIECE {
                stops &= (1 << (to - start)) - 1;
            }
            while stops != 0 {
                self.stops.push(start as u32 + stops.trailing_zeros());
                stops &= stops - 1;
            }
        }
        self.to = to;
    }

    /// Takes as many bytes as fit of `from`.
    fn take(&mut self, from: &mut impl Read) -> io::Result<usize> {
        if self.to + PIECE == self.bytes.len() {
            self.bytes.resize(self.to * 2 + PIECE, 0);
        }
        let room = self.bytes.len() - PIECE;
        let read = loop {
            match from.read(&mut self.bytes[self.to..room]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.look_through(self.to + read);
        Ok(read)
    }
}

/// Returns the bits of the bytes that are a quote, a backslash or a control character.
fn stops_of(piece: &[u8; PIECE]) -> u64 {
    // The compiler compares sixteen bytes at once, if nothing depends on one of them.
    let stops = piece.map(|byte| u8::from((byte == b'"') | (byte == b'\\') | (byte < b' ')));
    let (words, _) = stops.as_chunks::<8>();
    words.iter().rev().fold(0, |bits, word| {
        // The product has the lowest bits of the eight bytes in its highest byte.
        bits << 8 | u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

/// Reader of blocks.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    /// Line that has come in part.
    begun: Vec<u8>,
}

impl<R: Read> Reader<R> {
    pub fn new(input: R) -> Reader<R> {
        Reader { input, begun: Vec::new() }
    }

    /// Returns the next block, in place of one that is `used`; none at the end of the input. A last line may have no end. Of a
    /// line longer than [`LINE_MAX`] the block has a part that is too long as well.
    fn next(&mut self, used: Block) -> io::Result<Option<Block>> {
        let mut block = used;
        let begun = self.begun.len();
        let room = begun + CHUNK + PIECE;
        block.bytes.resize(block.bytes.len().max(room), 0);
        block.bytes[..begun].copy_from_slice(&self.begun);
        self.begun.clear();
        block.stops.clear();
        block.to = 0;
        block.look_through(begun);
        loop {
            let known = block.stops.len();
            let is_ended = block.take(&mut self.input)? == 0;
            let new = &block.stops[known..];
            if let Some(last) = new.iter().rposition(|&stop| block.bytes[stop as usize] == b'\n') {
                let end = new[last] as usize + 1;
                self.begun.extend_from_slice(&block.bytes[end..block.to]);
                block.stops.truncate(known + last + 1);
                block.to = end;
                return Ok(Some(block));
            }
            // A file without line ends must not fill the memory.
            if is_ended || block.to > LINE_MAX {
                return Ok((block.to > 0).then_some(block));
            }
        }
    }
}

/// Blocks that come one after the other.
#[derive(Debug)]
pub enum Blocks<R> {
    /// They are read when they are asked for.
    Here(Reader<R>),
    /// They are read ahead.
    Ahead(Taker),
}

impl<R: Read> Blocks<R> {
    /// Returns the next block in place of one that is `used`; none at the end.
    pub fn next(&mut self, used: Block) -> io::Result<Option<Block>> {
        match self {
            Blocks::Here(reader) => reader.next(used),
            Blocks::Ahead(taker) => taker.next(used),
        }
    }

    /// Returns true if nobody waits for the next block.
    pub fn has_next(&self) -> bool {
        match self {
            Blocks::Here(_) => false,
            Blocks::Ahead(taker) => !taker.0.queue().full.is_empty(),
        }
    }
}

impl<R: Read + Send + 'static> Blocks<R> {
    /// Returns the blocks of `input`, which a thread reads ahead.
    pub fn ahead(input: R) -> Blocks<R> {
        let shared = Arc::new(Shared::default());
        let giver = Giver(Arc::clone(&shared));
        thread::spawn(move || giver.give_all(Reader::new(input)));
        Blocks::Ahead(Taker(shared))
    }
}

/// Blocks on the way from one thread to another; channels would take ten times as much of the program.
#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    /// Blocks that were read.
    full: VecDeque<io::Result<Block>>,
    /// Blocks whose memory is used again.
    used: Vec<Block>,
    /// True once one of the two threads has left.
    is_over: bool,
}

impl Shared {
    /// Returns the queue. Whoever panics leaves it whole.
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while `is_early` holds and both threads are there.
    fn wait(&self, is_early: impl Fn(&Queue) -> bool) -> MutexGuard<'_, Queue> {
        let waits = |queue: &mut Queue| is_early(queue) && !queue.is_over;
        self.changed.wait_while(self.queue(), waits).unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self) {
        self.queue().is_over = true;
        self.changed.notify_all();
    }
}

/// End of the queue where blocks come in.
#[derive(Debug)]
struct Giver(Arc<Shared>);

impl Giver {
    /// Reads all blocks, as long as somebody takes them.
    fn give_all(self, mut reader: Reader<impl Read>) {
        loop {
            let used = self.0.queue().used.pop();
            let Some(next) = reader.next(used.unwrap_or_default()).transpose() else { return };
            let is_last = next.is_err();
            let mut queue = self.0.wait(|queue| queue.full.len() >= WAITING_MAX);
            if queue.is_over {
                return;
            }
            queue.full.push_back(next);
            self.0.changed.notify_all();
            if is_last {
                return;
            }
        }
    }
}

impl Drop for Giver {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// End of the queue where blocks are taken.
#[derive(Debug)]
pub struct Taker(Arc<Shared>);

impl Taker {
    fn next(&self, used: Block) -> io::Result<Option<Block>> {
        self.0.queue().used.push(used);
        let next = self.0.wait(|queue| queue.full.is_empty()).full.pop_front();
        self.0.changed.notify_all();
        next.transpose()
    }
}

impl Drop for Taker {
    fn drop(&mut self) {
        self.0.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_a_stop_or_none_wherever_it_stands() {
        for stop in 0..=u8::MAX {
            for at in 0..PIECE {
                let mut piece =
                    *b"a!#[]^\x7f\x80\xff\x20zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz";
                (piece[at], piece[(at + 9) % PIECE]) = (stop, b'\\');
                let bits = piece
                    .iter()
                    .zip(0..)
                    .map(|(&byte, at)| u64::from(byte == b'"' || byte == b'\\' || byte < b' ') << at);
                assert_eq!(stops_of(&piece), bits.sum::<u64>(), "{piece:?}");
            }
        }
    }
}
