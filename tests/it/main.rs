//! farlead as others see it: the binary as a user runs it, the library by its public face.

mod apps;
mod cli;
mod docs;
mod pointwise;
mod progression;
mod shared;
mod tidy;
mod vectors;
