//! Weights as bytes: a line of JSON that says what they are, then each number in four bytes.
//!
//! A file holds weights of its own shape alone: of the same method, inputs and layers.

use serde::{Deserialize, Serialize};

use super::Method;
use super::rows;
use super::scorer::{WEIGHTS, without};
use crate::agent::KeptError;

/// Version of the inputs: what they mean, and their order. Any change of `rows.rs` or `scorer.rs` counts.
const FEATURES: u32 = 1;

/// Largest weight and reward that are read: sums of them stay finite.
const WEIGHT_MAX: f32 = 1e4;
const REWARD_MAX: f64 = 1e12;

/// Networks that another run may start from.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The actor, if the method has one, then the critics.
    pub networks: Vec<Vec<f32>>,
    /// Greatest reward or loss of the run.
    pub most: f64,
}

/// First line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    method: String,
    features: u32,
    networks: usize,
    weights: usize,
    most: f64,
}

/// Returns the bytes of some weights, without those that only the run itself can use.
pub fn write(method: Method, kept: &Weights) -> Vec<u8> {
    let header = Header {
        method: method.name().to_string(),
        features: FEATURES,
        networks: method.networks(),
        weights: WEIGHTS,
        most: kept.most,
    };
    let mut bytes = serde_json::to_vec(&header).expect("names and numbers are JSON");
    bytes.push(b'\n');
    for mut network in kept.networks.iter().cloned() {
        rows::OF_ONE_RUN.iter().for_each(|range| without(&mut network, *range));
        bytes.extend(network.iter().flat_map(|weight| weight.to_le_bytes()));
    }
    bytes
}

/// Returns the weights that `bytes` hold for this method.
pub fn read(method: Method, bytes: &[u8]) -> Result<Weights, KeptError> {
    let wrong = |message: String| KeptError { line: 1, message };
    let end = bytes.iter().take(1_000).position(|&byte| byte == b'\n');
    let Some(end) = end else {
        return Err(wrong("the line that describes the networks is missing".to_string()));
    };
    let header: Header = serde_json::from_slice(&bytes[..end]).map_err(|error| wrong(error.to_string()))?;
    if header.method != method.name() {
        return Err(wrong(format!("these are networks of `{}`, not of `{}`", header.method, method.name())));
    }
    if header.features != FEATURES {
        return Err(wrong(format!(
            "these networks read inputs of version {}, and this program has version {FEATURES}; train them anew",
            header.features
        )));
    }
    let expected = (method.networks(), WEIGHTS);
    if (header.networks, header.weights) != expected {
        return Err(wrong(format!(
            "{} networks of {} weights do not fit: this program has {} of {}; train them anew",
            header.networks, header.weights, expected.0, expected.1
        )));
    }
    let body = &bytes[end + 1..];
    if body.len() != expected.0 * expected.1 * size_of::<f32>() {
        return Err(wrong(format!(
            "{} bytes of weights are here, and {} belong here: the file was cut or damaged",
            body.len(),
            expected.0 * expected.1 * size_of::<f32>()
        )));
    }
    let number = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let all: Vec<f32> = body.chunks_exact(size_of::<f32>()).map(number).collect();
    let is_sound = |weight: &f32| weight.is_finite() && weight.abs() <= WEIGHT_MAX;
    if !all.iter().all(is_sound) || !(0.0..=REWARD_MAX).contains(&header.most) {
        return Err(wrong("a number is infinite, none, or too large".to_string()));
    }
    let networks = all.chunks_exact(WEIGHTS).map(<[f32]>::to_vec).collect();
    Ok(Weights { networks, most: header.most })
}
