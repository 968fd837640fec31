//! What is changed on a phone for a run, and put back after it.

use std::collections::BTreeMap;

use super::script::quote;

/// What was there before it was changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// By space and name; nothing for what was not set.
    settings: BTreeMap<(&'static str, &'static str), Option<String>>,
    /// Commands that undo what is no setting, in their order.
    undo: Vec<String>,
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
        let Kept { settings, undo, has_folder } = std::mem::take(self);
        let mut commands = undo;
        for ((space, name), value) in settings {
            commands.push(match value {
                Some(value) => format!("settings put {space} {name} {}", quote(&value)),
                None => format!("settings delete {space} {name} >/dev/null"),
            });
        }
        if has_folder {
            commands.push(format!("rm -rf {folder}"));
        }
        (!commands.is_empty()).then(|| commands.join("\n"))
    }
}
