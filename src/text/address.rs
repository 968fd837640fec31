//! Users and keys in addresses, as in `http://user:key@host/`, which are sent and never written.

use std::borrow::Cow;

/// Letters in place of a user and a key that are not written.
pub const HIDDEN: &str = "***";

/// Returns `address` as it may be written. User and key are hidden, unless the key is the name of a variable of the environment,
/// as in `http://user:${KEY}@host/`.
pub fn writable_address(address: &str) -> Cow<'_, str> {
    match secret_of(address) {
        Some(secret) if variable_of(key_of(secret)).is_none() => {
            Cow::Owned(address.replacen(&format!("{secret}@"), &format!("{HIDDEN}@"), 1))
        }
        Some(_) | None => Cow::Borrowed(address),
    }
}

/// Returns what looks like an address without anything that may be a user or a key.
pub(crate) fn without_what_may_be_secret(text: &str) -> String {
    let (scheme, rest) = text.split_once("://").map_or(("", text), |(scheme, rest)| (scheme, rest));
    let Some((_, rest)) = rest.rsplit_once('@') else { return text.to_string() };
    let mark = if scheme.is_empty() { "" } else { "://" };
    format!("{scheme}{mark}{HIDDEN}@{rest}")
}

/// Returns the user and the key in an address, as it has them.
pub(crate) fn secret_of(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    authority.rsplit_once('@').map(|(secret, _)| secret)
}

/// Returns an address without user and key.
pub(crate) fn without_secret(address: &str) -> String {
    match secret_of(address) {
        Some(secret) => address.replacen(&format!("{secret}@"), "", 1),
        None => address.to_string(),
    }
}

/// Returns the key of `user:key`, or all of it if it has no user.
pub(crate) fn key_of(secret: &str) -> &str {
    secret.split_once(':').map_or(secret, |(_, key)| key)
}

/// Returns the name of the variable that `part` stands for, if it is like `${NAME}`.
pub(crate) fn variable_of(part: &str) -> Option<&str> {
    let name = part.strip_prefix("${")?.strip_suffix('}')?;
    let is_named = name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
        && name.starts_with(|char: char| !char.is_ascii_digit());
    is_named.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_and_a_key_are_written_only_if_the_key_is_a_name() {
        for (address, written) in [
            ("http://localhost:8000/a@b", "http://localhost:8000/a@b"),
            ("http://anna:k3y@host/a", "http://***@host/a"),
            ("http://k3y@host", "http://***@host"),
            ("http://anna:k@y@host?a=b@c", "http://***@host?a=b@c"),
            ("http://${USER}:k3y@host/", "http://***@host/"),
            ("http://anna:${KEY}x@host/", "http://***@host/"),
            ("http://anna:${1}@host/", "http://***@host/"),
            ("http://anna:${KEY}@host/", "http://anna:${KEY}@host/"),
            ("http://${TOKEN}@host/", "http://${TOKEN}@host/"),
            ("chrome", "chrome"),
        ] {
            assert_eq!(writable_address(address), written);
            // What is hidden stays as it is.
            assert_eq!(writable_address(&writable_address(address)), written);
        }
    }

    #[test]
    fn nothing_before_a_sign_of_a_key_is_shown_of_what_is_no_address() {
        for (text, shown) in [
            ("anna:k3y@host", "***@host"),
            ("ftp://anna:k3y@host/", "ftp://***@host/"),
            ("http://anna:k/e@y@host/", "http://***@host/"),
            ("localhost:8000", "localhost:8000"),
        ] {
            assert_eq!(without_what_may_be_secret(text), shown);
        }
    }
}
