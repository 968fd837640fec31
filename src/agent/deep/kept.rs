//! Networks of a deep agent over offers as bytes, for another run.
//!
//! A file holds weights of its own shape alone: of the same method, inputs and layers.

use serde::{Deserialize, Serialize};

use super::Method;
use super::rows;
use super::scorer::{WEIGHTS, without};
use crate::agent::KeptError;
use crate::agent::weights::{self, wrong};

/// Version of the inputs: what they mean, and their order. Any change of `rows.rs` or `scorer.rs` counts.
const FEATURES: u32 = 1;

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
    let mut networks = kept.networks.clone();
    for network in &mut networks {
        rows::OF_ONE_RUN.iter().for_each(|range| without(network, *range));
    }
    weights::write(&header, networks.into_iter().flatten())
}

/// Returns the weights that `bytes` hold for this method.
pub fn read(method: Method, bytes: &[u8]) -> Result<Weights, KeptError> {
    let (header, body): (Header, _) = weights::line(bytes, "networks")?;
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
    let all = weights::read(body, expected.0 * expected.1, header.most)?;
    let networks = all.chunks_exact(WEIGHTS).map(<[f32]>::to_vec).collect();
    Ok(Weights { networks, most: header.most })
}
