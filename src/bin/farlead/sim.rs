//! `farlead sim`: serves a simulated app on a simulated phone to clients of adb.

use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use clap::Args;
use farlead::device::{Device, Sim};
use farlead::emulator::adbd::{Auth, Server, Settings};
use farlead::emulator::phone::{AndroidVersion, Faults, Phone};
use farlead::rng::Seed;

use crate::app::model_at;
use crate::sources::Shell;
use crate::stdout::out;
use crate::{Exit, Missing, Usage, say};

/// The ports on which an adb server looks for emulators by itself.
const PORTS_OF_EMULATORS: std::ops::RangeInclusive<u16> = 5555..=5585;

/// Serve a simulated app as an Android device over the adb protocol.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead sim apps/notes.app                            then: adb connect 127.0.0.1:15555
  farlead sim notes.apk --listen 127.0.0.1:0            on any free port
  farlead sim apps/notes.app --android 9 --seed 7
  farlead sim apps/notes.app --faults null-root=20%,drop

The app is installed and the launcher in front; `adb shell am start` starts it. Time on the device is
virtual: `sleep` answers at once. What chance does depends on the seed and on what is done, not on who
looks. Faults: drop, stall, slow-dump, no-idle, null-root, truncated, offline, wrong-focus,
double-close, and all; each with a rate like =5% or =0.05, or the usual one.

Once it listens, stdout has the line `listening on HOST:PORT`. It runs until Ctrl-C.

Exit codes: 2 command line; 3 the app cannot be read; 4 the address cannot be listened on.")]
pub struct SimArgs {
    /// App model, model of FATE, or APK with a packed model
    #[arg(value_name = "APP")]
    app: PathBuf,
    /// Address to listen on; port 0 takes a free port
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:15555")]
    listen: String,
    /// Seed of all chance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Android version to imitate: 7, 8, 9, 10, 11, 13 or 16
    #[arg(long, value_name = "VERSION", default_value = "13", value_parser = android)]
    android: AndroidVersion,
    /// Faults to inject, and how often
    #[arg(long, value_name = "LIST", default_value = "")]
    faults: String,
    /// Ask hosts for a key, and allow it, as a phone whose user presses "allow"
    #[arg(long)]
    auth: bool,
    /// Speak adb as before Android 7: without features and exit codes
    #[arg(long)]
    old_adb: bool,
    /// Parameter of the model, like fixed=true, may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

fn android(name: &str) -> Result<AndroidVersion, String> {
    AndroidVersion::parse(name).ok_or_else(|| {
        let names = AndroidVersion::ALL.map(AndroidVersion::release).join(", ");
        format!("its formats are not known; those of {names} are")
    })
}

pub fn run(args: &SimArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let seed = Seed(args.seed);
    let faults = Faults::parse(&args.faults, seed).map_err(|error| Usage::new(error.to_string()))?;
    let address = address(&args.listen)?;
    let model = model_at(&args.app, &args.set, shell)?;
    let described = Sim::new(model.clone(), seed).describe();
    let mut phone = Phone::new(model, seed, args.android).with_faults(faults);
    if args.old_adb {
        phone = phone.with_old_adb();
    }
    let settings = Settings { auth: if args.auth { Auth::Ask } else { Auth::Open }, ..Settings::default() };
    let server = Server::start(address, Arc::new(Mutex::new(phone)), settings)
        .map_err(|error| Missing::new(format!("{:#}; port 0 takes a free one", anyhow::Error::new(error))))?;
    let address = server.address();
    if !shell.quiet {
        warn(address, &described);
    }
    let mut stdout = out();
    writeln!(stdout, "listening on {address}")?;
    // Scripts wait for this line, so it must not stay in a buffer.
    stdout.flush()?;
    // This thread never ends, and would hold the lock for ever.
    drop(stdout);
    // The server works in threads of its own until Ctrl-C.
    loop {
        thread::park();
    }
}

fn warn(address: SocketAddr, app: &str) {
    say(&format!("{app}; connect with `adb connect {address}`"));
    if !address.ip().is_loopback() {
        say(&format!("anyone who reaches {address} can use this device, without a password"));
    }
    if PORTS_OF_EMULATORS.contains(&address.port()) {
        say(&format!(
            "an adb server takes port {} for an emulator of its own; one outside 5555 to 5585 is seen once only",
            address.port()
        ));
    }
}

/// Returns the address to listen on: a host and a port, or a port of this machine.
fn address(listen: &str) -> Result<SocketAddr, Usage> {
    let full = match listen.strip_prefix(':').unwrap_or(listen).parse::<u16>() {
        // A port alone stands for the loopback address, which no other machine can reach.
        Ok(port) => format!("127.0.0.1:{port}"),
        Err(_) => listen.to_string(),
    };
    let found = full.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| {
        Usage::new(format!(
            "cannot listen on `{listen}`, which is no address of a port; one is like 127.0.0.1:15555"
        ))
    })
}
