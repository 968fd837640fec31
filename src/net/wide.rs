//! Wide vector instructions where the machine has them.

use fearless_simd::{Level, Simd};

/// Does `work` with AVX2 if the machine has it. What is to gain from it must be inlined into `work`.
///
/// The order of sums stays, and nothing is fused, so the results have the same bits with and without.
#[inline(always)]
pub fn wide<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = Level::new().as_avx2() {
        return avx2.vectorize(work);
    }
    work()
}
