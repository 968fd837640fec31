//! farlead as others see it: the binary as a user runs it, the library by its public face.

mod pointwise;
mod progression;
