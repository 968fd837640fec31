//! farlead as others see it: the binary as a user runs it, the library by its public face.

mod apk;
mod cli;
mod docs;
mod model;
mod pointwise;
mod progression;
mod shared;
mod tidy;
mod vectors;
