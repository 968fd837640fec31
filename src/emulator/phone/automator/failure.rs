//! Result of a call: a value, or the error that the client gets.

use serde_json::Value;

use crate::device::DeviceError;

/// Reason why a call has no value.
pub(super) enum Failure {
    /// There is no method of this name.
    Method,
    /// The method has other parameters.
    Params,
    /// The method threw an exception of this class, with this message.
    Thrown(&'static str, String),
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Failure {
        Failure::Thrown("java.lang.RuntimeException", error.to_string())
    }
}

/// Result of a call.
pub(super) type Answer = Result<Value, Failure>;
