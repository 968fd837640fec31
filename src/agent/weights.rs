//! Weights as bytes: a line of JSON that says what they are, then each number in four bytes, the lowest first.
//!
//! The bytes come from outside. What the line must say is for the agent to judge.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::KeptError;

/// Most bytes of the line.
const LINE_MAX: usize = 1_000;

/// Largest weight and reward that are read: sums of them stay finite.
const WEIGHT_MAX: f32 = 1e4;
const REWARD_MAX: f64 = 1e12;

/// Returns the bytes of a line, and of the weights that follow it.
pub(super) fn write(line: &impl Serialize, weights: impl IntoIterator<Item = f32>) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(line).expect("names and numbers are JSON");
    bytes.push(b'\n');
    bytes.extend(weights.into_iter().flat_map(f32::to_le_bytes));
    bytes
}

/// Returns the line, and the bytes behind it. `what` names the weights in a message.
pub(super) fn line<'a, L: DeserializeOwned>(bytes: &'a [u8], what: &str) -> Result<(L, &'a [u8]), KeptError> {
    let Some(end) = bytes.iter().take(LINE_MAX).position(|&byte| byte == b'\n') else {
        return Err(wrong(format!("the line that describes the {what} is missing")));
    };
    let line = serde_json::from_slice(&bytes[..end]).map_err(|error| wrong(error.to_string()))?;
    Ok((line, &bytes[end + 1..]))
}

/// Returns `count` weights that `bytes` are, if they and the greatest reward `most` are sound numbers.
pub(super) fn read(bytes: &[u8], count: usize, most: f64) -> Result<Vec<f32>, KeptError> {
    let wanted = count * size_of::<f32>();
    if bytes.len() != wanted {
        return Err(wrong(format!(
            "{} bytes of weights are here, and {wanted} belong here: the file was cut or damaged",
            bytes.len()
        )));
    }
    let number = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let weights: Vec<f32> = bytes.chunks_exact(size_of::<f32>()).map(number).collect();
    let is_sound = |weight: &f32| weight.is_finite() && weight.abs() <= WEIGHT_MAX;
    if !weights.iter().all(is_sound) || !(0.0..=REWARD_MAX).contains(&most) {
        return Err(wrong("a number is infinite, none, or too large".to_string()));
    }
    Ok(weights)
}

/// Returns the error of such bytes, which have no second line.
pub(super) fn wrong(message: String) -> KeptError {
    KeptError { line: 1, message }
}
