//! Sums by which it is known whether a file is the one that is meant, and whether it has arrived.

use md5::Md5;
use sha2::{Digest as _, Sha256};

/// The MD5 sum of some bytes, in hexadecimal digits.
pub(crate) fn md5(bytes: &[u8]) -> String {
    in_digits(&Md5::digest(bytes))
}

/// The SHA-256 sum of some bytes, in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    in_digits(&Sha256::digest(bytes))
}

fn in_digits(sum: &[u8]) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standards() {
        // From RFC 1321 and FIPS 180-4's examples.
        assert_eq!(md5(b"message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
