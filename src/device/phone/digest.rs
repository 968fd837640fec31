//! Sums and letters for bytes: MD5, by which clients know whether a file has arrived, and base 64.

/// The MD5 sum of some bytes, in hexadecimal digits.
pub(super) fn md5(bytes: &[u8]) -> String {
    const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let mut sum: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut padded = bytes[bytes.len() / 64 * 64..].to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend_from_slice(&(bytes.len() as u64).wrapping_mul(8).to_le_bytes());
    for block in bytes[..bytes.len() / 64 * 64].chunks(64).chain(padded.chunks(64)) {
        let mut word = [0_u32; 16];
        for (word, bytes) in word.iter_mut().zip(block.chunks(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        let [mut a, mut b, mut c, mut d] = sum;
        for step in 0..64 {
            let (mixed, at) = match step / 16 {
                0 => ((b & c) | (!b & d), step),
                1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
                2 => (b ^ c ^ d, (3 * step + 5) % 16),
                _ => (c ^ (b | !d), 7 * step % 16),
            };
            // The constants are the sine's digits, by the definition of the sum.
            let constant = (libm::sin(step as f64 + 1.0).abs() * 4_294_967_296.0) as u32;
            let turned = a.wrapping_add(mixed).wrapping_add(constant).wrapping_add(word[at]);
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(turned.rotate_left(TURNS[step / 16][step % 4]));
        }
        for (sum, part) in sum.iter_mut().zip([a, b, c, d]) {
            *sum = sum.wrapping_add(part);
        }
    }
    sum.iter().flat_map(|part| part.to_le_bytes()).map(|byte| format!("{byte:02x}")).collect()
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Some bytes as letters, in lines of `width` unless that is 0.
pub(super) fn base64(bytes: &[u8], width: usize) -> Vec<u8> {
    let mut letters = Vec::with_capacity(bytes.len() / 3 * 4 + 8);
    for chunk in bytes.chunks(3) {
        let three = [chunk[0], chunk.get(1).copied().unwrap_or(0), chunk.get(2).copied().unwrap_or(0)];
        let number = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for place in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * place)) as usize & 63];
            letters.push(if place <= chunk.len() { letter } else { b'=' });
        }
    }
    if width == 0 {
        return letters;
    }
    letters.chunks(width).flat_map(|line| line.iter().copied().chain([b'\n'])).collect()
}

/// The bytes that letters stand for; what is no letter is passed over.
pub(super) fn from_base64(letters: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3);
    let (mut number, mut bits) = (0_u32, 0);
    for letter in letters {
        let Some(place) = LETTERS.iter().position(|other| other == letter) else { continue };
        number = number << 6 | place as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((number >> bits) as u8);
            number &= (1 << bits) - 1;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standard() {
        // From RFC 1321.
        assert_eq!(md5(b""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(md5(b"message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
        let digits = "1234567890".repeat(8);
        assert_eq!(md5(digits.as_bytes()), "57edf4a22be3c955ac49da2e2107b67a");
    }

    #[test]
    fn letters_stand_for_bytes() {
        // From RFC 4648.
        for (bytes, letters) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes.as_bytes(), 0), letters.as_bytes());
            assert_eq!(from_base64(letters.as_bytes()), bytes.as_bytes());
        }
    }
}
