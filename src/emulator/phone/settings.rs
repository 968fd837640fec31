//! Settings: names and values in three namespaces, as Android's settings provider keeps them.

use std::collections::BTreeMap;

use super::io::cut;

pub(super) const NAMESPACES: [&str; 3] = ["system", "secure", "global"];

/// Number of settings at most.
const SETTINGS_MAX: usize = 1_000;

/// Longest value, in bytes.
const VALUE_MAX: usize = 10_000;

/// The settings of a phone.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// By namespace and key.
    values: BTreeMap<(String, String), String>,
}

impl Default for Settings {
    /// Returns the settings of a new phone.
    fn default() -> Settings {
        let initial = [
            ("system", "accelerometer_rotation", "1"),
            ("system", "font_scale", "1.0"),
            ("system", "screen_brightness", "102"),
            ("system", "screen_off_timeout", "60000"),
            ("system", "user_rotation", "0"),
            ("secure", "android_id", "0123456789abcdef"),
            ("secure", "default_input_method", "com.android.inputmethod.latin/.LatinIME"),
            ("secure", "enabled_input_methods", "com.android.inputmethod.latin/.LatinIME"),
            ("secure", "show_ime_with_hard_keyboard", "0"),
            ("global", "adb_enabled", "1"),
            ("global", "airplane_mode_on", "0"),
            ("global", "animator_duration_scale", "1"),
            ("global", "device_name", "Farlead Sim"),
            ("global", "transition_animation_scale", "1"),
            ("global", "wifi_on", "1"),
            ("global", "window_animation_scale", "1"),
        ];
        let owned = |(namespace, key, value): (&str, &str, &str)| {
            ((namespace.to_string(), key.to_string()), value.to_string())
        };
        Settings { values: initial.into_iter().map(owned).collect() }
    }
}

impl Settings {
    pub fn get(&self, namespace: &str, key: &str) -> Option<&str> {
        self.values.get(&(namespace.to_string(), key.to_string())).map(String::as_str)
    }

    /// Sets a value, or removes it; returns false if there is no room for another setting.
    pub fn set(&mut self, namespace: &str, key: &str, value: Option<&str>) -> bool {
        let place = (namespace.to_string(), key.to_string());
        let Some(value) = value else {
            self.values.remove(&place);
            return true;
        };
        // A value that exists can always change.
        if self.values.len() >= SETTINGS_MAX && !self.values.contains_key(&place) {
            return false;
        }
        self.values.insert(place, cut(value, VALUE_MAX).to_string());
        true
    }

    /// Returns keys and values of a namespace, in the order of keys.
    pub fn of<'s>(&'s self, namespace: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
        let own = self.values.iter().filter(move |((other, _), _)| other == namespace);
        own.map(|((_, key), value)| (key.as_str(), value.as_str()))
    }
}
