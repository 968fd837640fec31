//! Texts that the build has packed, so that the program is smaller.

use std::io;

use flate2::read::DeflateDecoder;

/// Returns the text that `build.rs` has packed.
pub fn text(packed: &[u8]) -> String {
    io::read_to_string(DeflateDecoder::new(packed)).expect("a text that the build has packed")
}
