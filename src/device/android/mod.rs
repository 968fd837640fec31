//! Android's own words: parsers for the texts of `dumpsys`, `wm` and `logcat` and for the manifests of apps,
//! and the limits of its shell.
//!
//! Everything here is a function from printed text to its meaning, across versions of Android and habits of
//! makers. A missing fact is `None`; nothing is guessed. Asking a device for the texts is left to the device.

pub(super) mod app;
pub mod archive;
pub mod display;
pub mod focus;
pub(super) mod glance;
pub mod keyboard;
pub mod log;
pub mod manifest;
pub(super) mod notices;
pub mod power;
pub mod prompt;
pub mod rpc;
pub(super) mod settle;
pub(super) mod touch;
pub mod touches;
pub mod typing;
pub mod window;

/// Returns the values after `name` and `=` or `:`, each up to the next gap, wherever the name stands by itself
/// in `text`.
fn values<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(name).filter_map(move |(at, _)| {
        let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '.';
        // The end of a longer name, as in `mOtherShown`, does not count.
        if text[..at].chars().next_back().is_some_and(is_part) {
            return None;
        }
        let rest = &text[at + name.len()..];
        let rest =
            rest.strip_prefix('=').or_else(|| rest.strip_prefix(": ")).or_else(|| rest.strip_prefix(':'))?;
        let end =
            rest.find(|char: char| char.is_whitespace() || ",;})]".contains(char)).unwrap_or(rest.len());
        Some(&rest[..end])
    })
}

/// Returns the first value of `name` that is `true` or `false`.
fn flag(text: &str, name: &str) -> Option<bool> {
    values(text, name).find_map(|value| value.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_behind_its_whole_name() {
        let text = "mOtherShown=true mShown=false, a.mShown=x mShown: {b} mShownNot=1\nmShown=";
        assert_eq!(values(text, "mShown").collect::<Vec<_>>(), ["false", "{b", ""]);
        assert_eq!(flag(text, "mShown"), Some(false));
        assert_eq!(flag(text, "mHidden"), None);
    }
}
