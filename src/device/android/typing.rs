//! Text that the shell command `input text` can type.

/// Most letters typed at once: fields with word completion were seen to mix up the letters of longer pieces.
const PIECE_LEN: usize = 50;

/// Returns true if a key types `letter`: a phone's keys are those of ASCII, and `input` knows no other way.
pub fn has_key(letter: char) -> bool {
    (' '..='~').contains(&letter)
}

/// Returns `line` in pieces that are typed literally: `%s` would become a space, so its two letters go into two
/// pieces.
pub fn pieces(line: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for letter in line.chars() {
        match pieces.last_mut() {
            Some(last) if last.len() < PIECE_LEN && !(last.ends_with('%') && letter == 's') => {
                last.push(letter);
            }
            Some(_) | None => pieces.push(letter.to_string()),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_short_and_have_no_sign_for_a_space() {
        assert_eq!(pieces(""), [""; 0]);
        assert_eq!(pieces("100%s of it"), ["100%", "s of it"]);
        let long = "a b".repeat(40);
        let found = pieces(&long);
        assert_eq!(found.concat(), long);
        assert!(found.iter().all(|piece| piece.len() <= 50), "{found:?}");
    }

    #[test]
    fn keys_are_those_of_ascii() {
        assert!(" az09~".chars().all(has_key));
        assert!(!"\n\té日".chars().any(has_key));
    }
}
