//! Words of names and of texts.

/// Returns the words of some letters, in lower case: letters and digits, with an end where a capital follows a letter that
/// is small.
pub(crate) fn words(letters: impl IntoIterator<Item = char>, is_small: impl Fn(char) -> bool) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut is_open, mut was_small) = (false, false);
    for letter in letters {
        let is_part = letter.is_alphanumeric();
        if is_part {
            if !is_open || (was_small && letter.is_uppercase()) {
                words.push(String::new());
            }
            words.last_mut().expect("one was pushed").extend(letter.to_lowercase());
        }
        (is_open, was_small) = (is_part, is_small(letter));
    }
    words
}
