//! Small neural networks: layers with closed-form gradients, and the optimiser that trains them.
//!
//! The weights of a network are one list, in which each layer knows its place; gradients and moments lie alike. Each sum
//! has one order and no multiply-add is fused, so all machines give the same bits, with vector instructions and without.

mod adam;
mod bag;
mod conv;
mod dense;
mod matrix;
mod tanh;
#[cfg(test)]
mod tests;
mod wide;

pub use adam::{Adam, follow};
pub use bag::{Bag, Entry};
pub use conv::{Conv, Pooled, Texts};
pub use dense::{Dense, glorot, relu, relu_back};
pub use tanh::{tanh, tanh_back};

/// Returns the natural logarithms of the softmax of `scores`, at least one, each finite.
pub fn log_softmax(scores: &[f32]) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    let sum: f32 = scores.iter().map(|score| libm::expf(score - most)).sum();
    let log_sum = most + libm::logf(sum);
    scores.iter().map(|score| score - log_sum).collect()
}
