//! Base64.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes bytes, in lines of `width` letters unless that is 0.
pub(super) fn base64(bytes: &[u8], width: usize) -> Vec<u8> {
    let mut letters = Vec::with_capacity(bytes.len() / 3 * 4 + 8);
    for chunk in bytes.chunks(3) {
        let three = [chunk[0], chunk.get(1).copied().unwrap_or(0), chunk.get(2).copied().unwrap_or(0)];
        let number = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for place in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * place)) as usize & 63];
            // A chunk of one byte fills two letters, of two bytes three.
            letters.push(if place <= chunk.len() { letter } else { b'=' });
        }
    }
    if width == 0 {
        return letters;
    }
    letters.chunks(width).flat_map(|line| line.iter().copied().chain([b'\n'])).collect()
}

/// Decodes letters; other bytes are ignored.
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
            // Only the bits that are left stay, so that the number cannot overflow.
            number &= (1 << bits) - 1;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

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
