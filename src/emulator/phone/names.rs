//! Names of apps and their activities, as Android writes them.

pub(super) use crate::device::sim::LAUNCHER;

/// Returns `package/.Class`, or `package/full.Class` for a class of another package.
pub(super) fn short_name(package: &str, class: &str) -> String {
    match class.strip_prefix(package) {
        Some(rest) if rest.starts_with('.') => format!("{package}/{rest}"),
        _ => format!("{package}/{class}"),
    }
}

/// Returns package and full class of `package/.Class`.
pub(super) fn component(text: &str) -> Option<(String, String)> {
    let (package, class) = text.split_once('/')?;
    let full = if class.starts_with('.') { format!("{package}{class}") } else { class.to_string() };
    Some((package.to_string(), full))
}
