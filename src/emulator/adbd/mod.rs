//! The wire of a phone: the device side of the adb protocol over TCP.
//!
//! A [`Server`] listens and gives each connection a [`link::Link`], which answers packets with packets. Commands, files
//! and the screen are for the [`Backend`] behind it; nothing here knows apps. Input is bounded and never trusted: a host
//! that breaks the protocol is closed.

pub mod auth;
mod backend;
#[cfg(test)]
mod fake;
mod held;
mod http;
pub mod link;
pub mod packet;
mod reverse;
mod server;
mod service;
mod session;
mod shell_protocol;
mod stdin;
mod sync;

pub use auth::Auth;
pub use backend::{Backend, FileStat, Ran, Shared, WireFault};
pub use held::Budget;
pub use server::{Server, ServerError, Settings};
