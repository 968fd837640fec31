//! The hyperbolic tangent between layers.

/// Replaces numbers by their hyperbolic tangents.
pub fn tanh(numbers: &mut [f32]) {
    numbers.iter_mut().for_each(|number| *number = libm::tanhf(*number));
}

/// Turns the gradient of the results of [`tanh`] into that of its numbers.
pub fn tanh_back(results: &[f32], gradient: &mut [f32]) {
    for (result, gradient) in results.iter().zip(gradient) {
        *gradient *= 1.0 - result * result;
    }
}
