//! Weights as bytes: a line of JSON that says what they are, then each number in four bytes.
//!
//! A file holds weights of its own shape alone: of the same variant, inputs and width of words.

use serde::{Deserialize, Serialize};

use super::Variant;
use super::learner::FURTHER;
use crate::agent::KeptError;

/// Version of the inputs: what they mean, and their order.
const FEATURES: u32 = 1;

/// Largest weight and reward that are read: sums of them stay finite.
const WEIGHT_MAX: f32 = 1e4;
const REWARD_MAX: f64 = 1e12;

/// Network that another run may start from.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Its weights.
    pub network: Vec<f32>,
    /// Greatest reward of the run.
    pub most: f64,
}

/// First line.
#[derive(PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    agent: String,
    features: u32,
    further: usize,
    width: u32,
    weights: usize,
    most: f64,
}

/// Returns the bytes of a network whose words have `width` numbers.
pub fn write(variant: Variant, width: u32, kept: &Weights) -> Vec<u8> {
    let header = Header {
        agent: variant.name().to_string(),
        features: FEATURES,
        further: FURTHER,
        width,
        weights: kept.network.len(),
        most: kept.most,
    };
    let mut bytes = serde_json::to_vec(&header).expect("names and numbers are JSON");
    bytes.push(b'\n');
    bytes.extend(kept.network.iter().flat_map(|weight| weight.to_le_bytes()));
    bytes
}

/// Returns the network of so many weights that `bytes` hold.
pub fn read(variant: Variant, width: u32, weights: usize, bytes: &[u8]) -> Result<Weights, KeptError> {
    let wrong = |message: String| KeptError { line: 1, message };
    let end = bytes.iter().take(1_000).position(|&byte| byte == b'\n');
    let Some(end) = end else {
        return Err(wrong("the line that describes the network is missing".to_string()));
    };
    let header: Header = serde_json::from_slice(&bytes[..end]).map_err(|error| wrong(error.to_string()))?;
    if header.agent != variant.name() {
        return Err(wrong(format!("this is a network of `{}`, not of `{}`", header.agent, variant.name())));
    }
    if (header.features, header.further) != (FEATURES, FURTHER) {
        return Err(wrong(format!(
            "this network reads inputs of version {}, and this program has version {FEATURES}; train it anew",
            header.features
        )));
    }
    if (header.width, header.weights) != (width, weights) {
        return Err(wrong(format!(
            "a network of {} weights for words of {} numbers does not fit: this agent has {weights} and {width}",
            header.weights, header.width
        )));
    }
    let body = &bytes[end + 1..];
    if body.len() != weights * size_of::<f32>() {
        return Err(wrong(format!(
            "{} bytes of weights are here, and {} belong here: the file was cut or damaged",
            body.len(),
            weights * size_of::<f32>()
        )));
    }
    let number = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let network: Vec<f32> = body.chunks_exact(size_of::<f32>()).map(number).collect();
    let is_sound = |weight: &f32| weight.is_finite() && weight.abs() <= WEIGHT_MAX;
    if !network.iter().all(is_sound) || !(0.0..=REWARD_MAX).contains(&header.most) {
        return Err(wrong("a number is infinite, none, or too large".to_string()));
    }
    Ok(Weights { network, most: header.most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let kept = Weights { network: vec![0.25, -1.5, f32::MIN_POSITIVE], most: 5.0 };
        let bytes = write(Variant::Better, 64, &kept);
        assert_eq!(read(Variant::Better, 64, 3, &bytes), Ok(kept.clone()));
        assert!(read(Variant::Letter, 64, 3, &bytes).is_err());
        assert!(read(Variant::Better, 32, 3, &bytes).is_err());
        assert!(read(Variant::Better, 64, 4, &bytes).is_err());
        for end in 0..bytes.len() {
            assert!(read(Variant::Better, 64, 3, &bytes[..end]).is_err(), "{end}");
        }
        for odd in [f32::NAN, f32::INFINITY, 1e5] {
            let odd = Weights { network: vec![0.0, odd, 0.0], ..kept.clone() };
            assert!(read(Variant::Better, 64, 3, &write(Variant::Better, 64, &odd)).is_err(), "{odd:?}");
        }
    }
}
