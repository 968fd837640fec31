//! An app on a phone: the names of its activities, the intent of its start, and whether it is in front.

use crate::gui::Screen;

/// Action, category and flags of the intent by which a launcher starts an app: a new task, reset if needed.
pub(in crate::device) const MAIN: &str = "android.intent.action.MAIN";
pub(in crate::device) const LAUNCHER: &str = "android.intent.category.LAUNCHER";
pub(in crate::device) const FLAGS: &str = "0x10200000";

/// Returns the full class name of `package/.Class`, if it belongs to this package.
pub(in crate::device) fn class(component: &str, package: &str) -> Option<String> {
    let (owner, class) = component.trim().split_once('/')?;
    let is_name = |letter: char| letter.is_alphanumeric() || "._$".contains(letter);
    if owner != package || class.is_empty() || !class.chars().all(is_name) {
        return None;
    }
    Some(if class.starts_with('.') { format!("{package}{class}") } else { class.to_string() })
}

/// Returns the first line in which a command complains, if there is one.
///
/// The exit status does not help: up to Android 10 it is always 0.
pub(in crate::device) fn complaint(said: &str) -> Option<&str> {
    let is_complaint = |line: &&str| {
        line.starts_with("Error")
            || line.starts_with("java.")
            || line.starts_with("Exception occurred")
            || line.starts_with("Killed")
            || line.contains("not found")
            || line.contains("Permission Denial")
    };
    said.lines().map(str::trim).find(is_complaint)
}

/// Returns true if the app is in front, not the launcher `home` or a system dialog.
pub(in crate::device) fn is_in_app(screen: &Screen, home: &str) -> bool {
    let context = screen.context();
    **screen.package() != *home && !context.crashed && !context.anr
}
