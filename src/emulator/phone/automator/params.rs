//! Parameters of a JSON-RPC call.

use serde_json::Value;

use super::failure::Failure;
use super::selector::Selector;

/// Longest wait: ten minutes of virtual time.
const WAIT_MS_MAX: u64 = 600_000;

/// Parameters of a call, read by their places.
#[derive(Clone, Copy)]
pub(super) struct Params<'a>(pub &'a [Value]);

impl Params<'_> {
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Returns a number without its fraction.
    pub fn int(self, at: usize) -> Result<i32, Failure> {
        let number = self.0.get(at).and_then(Value::as_f64).ok_or(Failure::Params)?;
        // JSON does not tell integers from fractions, and clients send both.
        Ok(number.clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i32)
    }

    pub fn point(self, at: usize) -> Result<(i32, i32), Failure> {
        Ok((self.int(at)?, self.int(at + 1)?))
    }

    pub fn flag(self, at: usize) -> Result<bool, Failure> {
        self.0.get(at).and_then(Value::as_bool).ok_or(Failure::Params)
    }

    /// Returns a text, or nothing for null.
    pub fn text(self, at: usize) -> Result<Option<String>, Failure> {
        match self.0.get(at) {
            Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other @ (Value::Number(_) | Value::Bool(_))) => Ok(Some(other.to_string())),
            Some(Value::Array(_) | Value::Object(_)) | None => Err(Failure::Params),
        }
    }

    pub fn word(self, at: usize) -> Result<String, Failure> {
        self.text(at)?.ok_or(Failure::Params)
    }

    pub fn selector(self, at: usize) -> Result<Selector, Failure> {
        Selector::read(self.0.get(at).ok_or(Failure::Params)?)
    }

    pub fn has_selector(self) -> bool {
        self.0.first().is_some_and(Value::is_object)
    }

    pub fn wait_ms(self, at: usize) -> Result<u64, Failure> {
        Ok(u64::try_from(self.int(at)?).unwrap_or(0).min(WAIT_MS_MAX))
    }
}
