//! Changes to a phone during a run, and how to undo them.

use std::collections::BTreeMap;

use super::script::quote;

/// Start of the path of every run's folder on a phone, and the note in it with the commands that undo the run's
/// changes.
pub(super) const FOLDERS: &str = "/data/local/tmp/farlead-";
pub(super) const NOTE: &str = "put-back";

/// Returns the command that ends uiautomator2's server, if it was started from this folder.
pub(super) fn end_of_server(folder: &str) -> String {
    // That process may have ended long ago, and its number may belong to another one now.
    format!(
        "p=$(cat {folder}/u2.pid 2>/dev/null) && grep -q com.wetest.uia2 /proc/$p/cmdline 2>/dev/null && kill $p; \
         rmdir /data/local/tmp/u2 2>/dev/null"
    )
}

/// The changes made to a phone, with what was there before.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// Flag that names the user whose settings these are, with a blank before it; may be empty.
    user: String,
    /// Old values by namespace and name; `None` for a setting without a value.
    settings: BTreeMap<(&'static str, &'static str), Option<String>>,
    /// Commands that undo other changes, in their order.
    undo: Vec<String>,
    /// True if uiautomator2's server may be running.
    has_server: bool,
    has_folder: bool,
}

impl Changes {
    /// Returns no changes yet, to a phone on which `user` is the flag that names the user in front.
    pub fn of_user(user: &str) -> Changes {
        Changes { user: user.to_string(), ..Changes::default() }
    }

    /// Notes the old value of a setting, as printed by `settings get`; the first call for a setting counts.
    pub fn setting(&mut self, space: &'static str, name: &'static str, value: &str) {
        let value = (value != "null").then(|| value.to_string());
        self.settings.entry((space, name)).or_insert(value);
    }

    /// Notes that there is a folder to remove.
    pub fn folder(&mut self) {
        self.has_folder = true;
    }

    /// Notes that there is a server to end.
    pub fn server(&mut self) {
        self.has_server = true;
    }

    /// Notes a command that undoes a change; each command once.
    pub fn undo(&mut self, command: &str) {
        if !self.undo.iter().any(|other| other == command) {
            self.undo.push(command.to_string());
        }
    }

    /// Returns true if there is anything to undo besides settings.
    pub fn has_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Returns the commands that undo all changes, and forgets the changes; `None` if there are none.
    pub fn take_back(&mut self, folder: &str) -> Option<String> {
        let commands = self.commands(folder);
        *self = Changes::default();
        (!commands.is_empty()).then(|| commands.join("\n"))
    }

    /// Returns a command that leaves a note on the phone of how to undo all changes, in case this process
    /// cannot do it.
    pub fn note(&self, folder: &str) -> String {
        let lines: Vec<String> = self.commands(folder).iter().map(|line| quote(line)).collect();
        let lines = lines
            .iter()
            .enumerate()
            .map(|(at, line)| format!("echo {line} {} {folder}/{NOTE}", if at == 0 { ">" } else { ">>" }));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn commands(&self, folder: &str) -> Vec<String> {
        let Changes { user, settings, undo, has_server, has_folder } = self;
        let mut commands: Vec<String> = has_server.then(|| end_of_server(folder)).into_iter().collect();
        commands.extend(undo.iter().flat_map(|command| command.lines().map(str::to_string)));
        for ((space, name), value) in settings {
            commands.push(match value {
                Some(value) => format!("settings put{user} {space} {name} {}", quote(value)),
                // There was no value, so any value put back would be a change.
                None => format!("settings delete{user} {space} {name} >/dev/null"),
            });
        }
        // Last, because the folder holds the note and the number of the server's process.
        if *has_folder {
            commands.push(format!("rm -rf {folder}"));
        }
        commands
    }
}
