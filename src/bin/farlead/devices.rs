//! `farlead devices`: lists connected devices and their states.

use std::io::Write;

use clap::Args;
use farlead::device::adb::{DeviceState, Listed, Server};
use farlead::spec::printable;
use serde::Serialize;

use crate::sources::Shell;
use crate::stdout::out;
use crate::{Exit, Missing};

/// List the connected devices.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead devices
  farlead devices --json      one JSON object a line: {\"serial\":..,\"state\":..,\"model\":..}

The embedded simulator needs no device: `--app MODEL`. Where a device cannot be used, `farlead doctor`
says what to do.

Exit codes: 0 at least one can be used; 4 none can, or there is no adb.")]
pub struct DevicesArgs {
    /// Write JSON, one object a line
    #[arg(long)]
    json: bool,
}

/// A line of the list.
#[derive(Serialize)]
struct Line<'l> {
    serial: &'l str,
    state: String,
    model: Option<&'l str>,
}

pub fn run(args: &DevicesArgs, _: &Shell) -> anyhow::Result<Exit> {
    let server = Server::running(|name| std::env::var(name).ok());
    let listed = server.and_then(|server| server.devices());
    let listed = listed.map_err(|error| Missing::new(error.to_string()))?;
    let mut out = out();
    for Listed { serial, state, model } in &listed {
        if args.json {
            let line = Line { serial, state: state.to_string(), model: model.as_deref() };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
        } else {
            let model = model.as_ref().map_or(String::new(), |model| format!("  {}", printable(model)));
            // A device chooses its names itself, and they must not steer the terminal.
            writeln!(out, "{}  {}{model}", printable(serial), printable(&state.to_string()))?;
        }
    }
    if listed.iter().any(|one| one.state == DeviceState::Device) {
        return Ok(Exit::Passed);
    }
    if listed.is_empty() && !args.json {
        writeln!(
            out,
            "no device is connected; plug one in with USB debugging allowed, start an emulator, or `adb connect HOST:PORT`"
        )?;
    }
    Ok(Exit::Environment)
}
