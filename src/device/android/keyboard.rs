//! The keyboard: shown or hidden.

use super::values;

/// Returns true if the keyboard is shown, from `dumpsys input_method`.
///
/// ```
/// use farlead::device::android::keyboard::is_shown;
///
/// assert_eq!(is_shown("  mShowRequested=true mShowExplicitlyRequested=false mInputShown=true"), Some(true));
/// ```
pub fn is_shown(text: &str) -> Option<bool> {
    // The first name is the system's knowledge, the second the keyboard's own belief.
    ["mInputShown", "mIsInputViewShown"].iter().find_map(|name| {
        let said: Vec<bool> = values(text, name).filter_map(|value| value.parse().ok()).collect();
        (!said.is_empty()).then(|| said.contains(&true))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_knows_goes_before_what_the_keyboard_thinks() {
        assert_eq!(is_shown("mIsInputViewShown=true\nmInputShown=false"), Some(false));
        assert_eq!(is_shown("mIsInputViewShown=true"), Some(true));
        assert_eq!(is_shown("Can't find service: input_method"), None);
    }
}
