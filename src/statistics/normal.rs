//! Tails of distributions.

use std::f64::consts::{PI, SQRT_2};

/// Returns the probability that a normal variable is above `z`.
pub(super) fn above(z: f64) -> f64 {
    libm::erfc(z / SQRT_2) / 2.0
}

/// Returns the probability that a normal variable is at least as far from 0 as `z`.
pub(super) fn beyond(z: f64) -> f64 {
    libm::erfc(z.abs() / SQRT_2).min(1.0)
}

/// Returns the probability that a chi-squared variable with these `degrees` of freedom is above `x`.
pub(super) fn chi_squared_above(x: f64, degrees: usize) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    // Both sums have a closed form, in steps of two degrees.
    let half = x / 2.0;
    let (mut sum, mut degree, mut term) = if degrees.is_multiple_of(2) {
        let first = libm::exp(-half);
        (first, 2, first)
    } else {
        let first = libm::exp(-half) * libm::sqrt(half / PI) * 2.0;
        (libm::erfc(libm::sqrt(half)), 1, first / half * 0.5)
    };
    while degree < degrees {
        term *= x / degree as f64;
        sum += term;
        degree += 2;
    }
    sum.clamp(0.0, 1.0)
}

/// Returns the probability that the range of `count` normal variables is above `q`.
pub(super) fn range_above(q: f64, count: usize) -> f64 {
    if q <= 0.0 {
        return 1.0;
    }
    // Simpson's rule over where the largest lies; beyond, its density is below 1e-17.
    const FROM: f64 = -9.0;
    const TO: f64 = 9.0;
    const STEPS: usize = 3_600;
    let width = (TO - FROM) / STEPS as f64;
    // The largest lies at `z`, and all others between it and `q` below it.
    let density = |z: f64| {
        let within = above(z - q) - above(z);
        let others = (1..count).fold(1.0, |product, _| product * within);
        libm::exp(-z * z / 2.0) / libm::sqrt(2.0 * PI) * others
    };
    let mut sum = 0.0;
    for step in 0..=STEPS {
        let weight = match step {
            0 | STEPS => 1.0,
            step if step % 2 == 1 => 4.0,
            _ => 2.0,
        };
        sum += weight * density(FROM + width * step as f64);
    }
    let below = count as f64 * sum * width / 3.0;
    (1.0 - below).clamp(0.0, 1.0)
}
