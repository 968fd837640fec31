//! Authentication: the exchange of tokens, signatures and keys before a host is in.
//!
//! The exchange is acted as on a phone whose user presses "allow" at once and ticks "always", and it keeps nobody out: a
//! signature is not verified, and counts as soon as any key was allowed. The address listened on must keep strangers
//! away.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Demand of a phone on a host that connects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Auth {
    /// No demand: every host is in at once.
    #[default]
    Open,
    /// A key, as a phone with a screen lock asks for; the key is allowed when it is shown.
    Ask,
}

/// Answer to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The host is in.
    Welcome,
    /// The host must sign a token.
    Token,
    /// The packet means nothing here.
    Nothing,
}

/// Token to be signed; as no signature is verified, it need not be random.
pub(super) const TOKEN: [u8; 20] = *b"farlead sim's token.";

/// Kind of an AUTH packet that carries a token.
pub(super) const KIND_TOKEN: u32 = 1;
const KIND_SIGNATURE: u32 = 2;
const KIND_KEY: u32 = 3;

/// Authentication of one connection.
#[derive(Debug)]
pub(super) struct Gate {
    auth: Auth,
    /// True if the user has allowed a key, on any connection.
    allowed: Arc<AtomicBool>,
    has_asked: bool,
}

impl Gate {
    /// Returns a closed gate; the gates of a server share `allowed`.
    pub(super) fn new(auth: Auth, allowed: Arc<AtomicBool>) -> Gate {
        Gate { auth, allowed, has_asked: false }
    }

    /// Takes the greeting of a host.
    pub(super) fn knock(&mut self) -> Answer {
        match self.auth {
            Auth::Open => Answer::Welcome,
            Auth::Ask => {
                self.has_asked = true;
                Answer::Token
            }
        }
    }

    /// Takes a signature or a key.
    pub(super) fn show(&mut self, kind: u32, payload: &[u8]) -> Answer {
        // Without a token there was nothing to sign.
        if !self.has_asked || payload.is_empty() {
            return Answer::Nothing;
        }
        match kind {
            KIND_SIGNATURE if self.allowed.load(Ordering::Relaxed) => Answer::Welcome,
            // A host answers another token with its next key, and shows a key when it has no more.
            KIND_SIGNATURE => Answer::Token,
            KIND_KEY => {
                self.allowed.store(true, Ordering::Relaxed);
                Answer::Welcome
            }
            _ => Answer::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_phone_asks_nothing() {
        assert_eq!(Gate::new(Auth::Open, Arc::default()).knock(), Answer::Welcome);
    }

    #[test]
    fn a_key_is_allowed_and_known_from_then_on() {
        let allowed = Arc::new(AtomicBool::new(false));
        let mut gate = Gate::new(Auth::Ask, allowed.clone());
        assert_eq!(gate.knock(), Answer::Token);
        assert_eq!(gate.show(KIND_SIGNATURE, &[7; 256]), Answer::Token);
        assert_eq!(gate.show(KIND_KEY, b"QUJD me@here\0"), Answer::Welcome);
        let mut again = Gate::new(Auth::Ask, allowed);
        assert_eq!(again.knock(), Answer::Token);
        assert_eq!(again.show(KIND_SIGNATURE, &[7; 256]), Answer::Welcome);
    }

    #[test]
    fn what_was_not_asked_for_opens_nothing() {
        let mut gate = Gate::new(Auth::Ask, Arc::default());
        assert_eq!(gate.show(KIND_KEY, b"QUJD"), Answer::Nothing);
        gate.knock();
        assert_eq!(gate.show(KIND_KEY, b""), Answer::Nothing);
        assert_eq!(gate.show(9, b"QUJD"), Answer::Nothing);
    }
}
