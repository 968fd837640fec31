//! Chance for the tests of formulas.

/// Returns a number below `count` from a row that is the same each time.
pub fn choose(state: &mut u64, count: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % count
}
