//! The network of an agent of DinoDroid as bytes, for another run.
//!
//! A file holds weights of its own shape alone: of the same variant, inputs and width of words.

use serde::{Deserialize, Serialize};

use super::Variant;
use super::learner::FURTHER;
use crate::agent::KeptError;
use crate::agent::weights::{self, wrong};

/// Version of the inputs: what they mean, and their order.
const FEATURES: u32 = 1;

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
    weights::write(&header, kept.network.iter().copied())
}

/// Returns the network of so many weights that `bytes` hold.
pub fn read(variant: Variant, width: u32, weights: usize, bytes: &[u8]) -> Result<Weights, KeptError> {
    let (header, body): (Header, _) = weights::line(bytes, "network")?;
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
    let network = weights::read(body, weights, header.most)?;
    Ok(Weights { network, most: header.most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let kept = Weights { network: vec![0.25, -1.5, f32::MIN_POSITIVE], most: 5.0 };
        let bytes = write(Variant::Quick, 64, &kept);
        assert_eq!(read(Variant::Quick, 64, 3, &bytes), Ok(kept.clone()));
        assert!(read(Variant::Letter, 64, 3, &bytes).is_err());
        assert!(read(Variant::Quick, 32, 3, &bytes).is_err());
        assert!(read(Variant::Quick, 64, 4, &bytes).is_err());
        for end in 0..bytes.len() {
            assert!(read(Variant::Quick, 64, 3, &bytes[..end]).is_err(), "{end}");
        }
        for odd in [f32::NAN, f32::INFINITY, 1e5] {
            let odd = Weights { network: vec![0.0, odd, 0.0], ..kept.clone() };
            assert!(read(Variant::Quick, 64, 3, &write(Variant::Quick, 64, &odd)).is_err(), "{odd:?}");
        }
    }
}
