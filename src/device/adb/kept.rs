//! What is changed on a phone for a run, and put back after it.

use std::collections::BTreeMap;

use super::script::quote;

/// What the folders of all runs on a phone start with, and the note in one of how all is put back.
pub(super) const FOLDERS: &str = "/data/local/tmp/farlead-";
pub(super) const NOTE: &str = "put-back";

/// Returns the command that ends uiautomator2's server, if it is the one that was started from this folder.
pub(super) fn end_of_server(folder: &str) -> String {
    // Whose number it was may have ended long ago, and another have it.
    format!(
        "p=$(cat {folder}/u2.pid 2>/dev/null) && grep -q com.wetest.uia2 /proc/$p/cmdline 2>/dev/null && kill $p; \
         rmdir /data/local/tmp/u2 2>/dev/null"
    )
}

/// What was there before it was changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// By space and name; nothing for what was not set.
    settings: BTreeMap<(&'static str, &'static str), Option<String>>,
    /// Commands that undo what is no setting, in their order.
    undo: Vec<String>,
    /// Whether uiautomator2's server runs, or may.
    has_server: bool,
    has_folder: bool,
}

impl Kept {
    /// Notes what a setting was, as `settings get` says it; the first time counts.
    pub fn setting(&mut self, space: &'static str, name: &'static str, value: &str) {
        let value = (value != "null").then(|| value.to_string());
        self.settings.entry((space, name)).or_insert(value);
    }

    /// Notes that there is a folder to be removed.
    pub fn folder(&mut self) {
        self.has_folder = true;
    }

    /// Notes that there is a server to be ended.
    pub fn server(&mut self) {
        self.has_server = true;
    }

    /// Notes a command that undoes what is done now, once.
    pub fn undo(&mut self, command: &str) {
        if !self.undo.iter().any(|other| other == command) {
            self.undo.push(command.to_string());
        }
    }

    /// Whether there is anything to undo that is no setting.
    pub fn has_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Returns the commands that put all back, and forgets it; nothing if nothing was changed.
    pub fn take_back(&mut self, folder: &str) -> Option<String> {
        let commands = self.commands(folder);
        *self = Kept::default();
        (!commands.is_empty()).then(|| commands.join("\n"))
    }

    /// Returns a command that leaves a note on the phone of how all is put back, in case nobody is there to do it.
    pub fn note(&self, folder: &str) -> String {
        let lines: Vec<String> = self.commands(folder).iter().map(|line| quote(line)).collect();
        let lines = lines
            .iter()
            .enumerate()
            .map(|(at, line)| format!("echo {line} {} {folder}/{NOTE}", if at == 0 { ">" } else { ">>" }));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn commands(&self, folder: &str) -> Vec<String> {
        let Kept { settings, undo, has_server, has_folder } = self;
        let mut commands: Vec<String> = has_server.then(|| end_of_server(folder)).into_iter().collect();
        commands.extend(undo.iter().flat_map(|command| command.lines().map(str::to_string)));
        for ((space, name), value) in settings {
            commands.push(match value {
                Some(value) => format!("settings put {space} {name} {}", quote(value)),
                None => format!("settings delete {space} {name} >/dev/null"),
            });
        }
        if *has_folder {
            commands.push(format!("rm -rf {folder}"));
        }
        commands
    }
}
