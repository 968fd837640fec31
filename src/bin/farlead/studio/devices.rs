//! Devices: all that an app of the studio could run on, the one that is driven, and those that commands use.

use farlead::device::adb::{Listed, Server, glimpse};
use farlead::report::picture_svg;
use farlead::spec::printable;
use serde::Serialize;

use crate::Mistake;
use crate::app::{AppArgs, Runner};
use crate::project::Project;

/// Devices that a person has picked.
#[derive(Debug, Default)]
pub struct Devices {
    /// Device that is driven; none leaves it to the command line.
    driven: Option<String>,
    /// Devices that commands use; none leaves it to the one that is driven.
    shared: Option<Vec<String>>,
}

/// Device, for the page.
#[derive(Debug, Serialize)]
pub struct SaidDevice {
    /// Name, as `--device` takes it.
    name: String,
    /// State in words.
    state: String,
    /// Model in words; may be empty.
    model: String,
    /// True if it can be used.
    is_ready: bool,
    /// True if it is the one that is driven.
    is_driven: bool,
    /// True if commands use it.
    is_shared: bool,
    /// True if its screen can be shown while somebody drives it.
    has_picture: bool,
}

impl Devices {
    /// Returns the flags for the device that is driven.
    pub fn of_studio(&self, args: &AppArgs, project: &Project) -> AppArgs {
        match self.driven(args, project) {
            Some(name) => args.on_picked(vec![name]),
            None => args.clone(),
        }
    }

    /// Returns the flags for the devices of a command.
    pub fn of_commands(&self, args: &AppArgs, project: &Project) -> AppArgs {
        match &self.shared {
            Some(names) => args.on_picked(names.clone()),
            None if self.driven.is_some() => self.of_studio(args, project),
            None => args.clone(),
        }
    }

    /// Returns true if commands use the device that is driven.
    pub fn share_the_driven(&self, args: &AppArgs, project: &Project) -> bool {
        match (&self.shared, self.driven(args, project)) {
            (Some(names), Some(driven)) => names.contains(&driven),
            (_, _) => true,
        }
    }

    /// Returns the device that is driven, if it is known by name.
    fn driven(&self, args: &AppArgs, project: &Project) -> Option<String> {
        // Of several on the command line the first is.
        self.driven.clone().or_else(|| args.devices(project).into_iter().next())
    }

    /// Lists all devices that the app could run on.
    pub fn list(&self, args: &AppArgs, project: &Project) -> Result<Vec<SaidDevice>, Mistake> {
        let given = args.devices(project);
        let known = |name: &str, state: &str| Listing {
            name: name.to_string(),
            state: state.to_string(),
            ..Listing::default()
        };
        let mut all: Vec<Listing> = match args.runner(project) {
            Runner::Simulator => vec![known("sim", "ready")],
            Runner::Browser => vec![known("chrome", "a browser"), known("firefox", "a browser")],
            Runner::Program => Vec::new(),
            Runner::Phone => {
                let server = Server::running(|name| std::env::var(name).ok());
                let listed = server.and_then(|server| server.devices());
                let listed = listed.map_err(|error| Mistake::new(error.to_string()))?;
                listed.iter().map(Listing::of_phone).collect()
            }
        };
        for name in given {
            if !all.iter().any(|one| one.name == name) {
                all.push(known(&name, "named on the command line"));
            }
        }
        // Without a name it is the only one that is ready.
        let only =
            || Some(all.iter().filter(|one| one.is_ready())).filter(|ready| ready.clone().count() == 1);
        let driven = self.driven(args, project).or_else(|| Some(only()?.next()?.name.clone()));
        let shared = self.of_commands(args, project).devices(project);
        let said = all.iter().map(|one| {
            let is_driven = driven.as_ref() == Some(&one.name);
            SaidDevice {
                is_ready: one.is_ready(),
                is_driven,
                is_shared: if shared.is_empty() { is_driven } else { shared.contains(&one.name) },
                has_picture: one.is_phone && one.is_ready() && project.screenshots != Some(false),
                name: one.name.clone(),
                state: printable(&one.state).to_string(),
                model: printable(&one.model).to_string(),
            }
        });
        Ok(said.collect())
    }

    /// Drives `name` from now on.
    pub fn drive(&mut self, name: &str, args: &AppArgs, project: &Project) -> Result<(), Mistake> {
        self.check(&[name.to_string()], args, project)?;
        self.driven = Some(name.to_string());
        Ok(())
    }

    /// Gives commands these devices from now on.
    pub fn share(&mut self, names: Vec<String>, args: &AppArgs, project: &Project) -> Result<(), Mistake> {
        self.check(&names, args, project)?;
        self.shared = Some(names).filter(|names| !names.is_empty());
        Ok(())
    }

    /// Refuses what is not on the list: a page must not start any program as a device.
    fn check(&self, names: &[String], args: &AppArgs, project: &Project) -> Result<(), Mistake> {
        let all = self.list(args, project)?;
        match names.iter().find(|name| !all.iter().any(|one| one.name == **name && one.is_ready)) {
            Some(name) => Err(Mistake::new(format!("{name:?} is no device that can be used now"))),
            None => Ok(()),
        }
    }
}

/// Device as it was found.
#[derive(Default)]
struct Listing {
    name: String,
    state: String,
    model: String,
    is_phone: bool,
}

impl Listing {
    fn of_phone(Listed { serial, state, model }: &Listed) -> Listing {
        Listing {
            name: serial.clone(),
            state: state.to_string(),
            model: model.as_deref().unwrap_or_default().replace('_', " "),
            is_phone: true,
        }
    }

    fn is_ready(&self) -> bool {
        !self.is_phone || self.state == farlead::device::adb::DeviceState::Device.to_string()
    }
}

/// Returns the picture of a phone as it is now, as SVG.
pub fn picture(name: &str) -> Option<String> {
    let server = Server::running(|name| std::env::var(name).ok()).ok()?;
    // A name from a page is no reason to ask for a phone that is not there.
    let is_there = server.devices().ok()?.iter().any(|one| one.serial == name);
    let picture = is_there.then(|| glimpse(&server, name)).flatten()?;
    Some(picture_svg(&picture))
}
