//! Nearest of some known words, for "did you mean".

/// Returns the word of `known` that `typed` most likely misspells; letter case matters least.
pub(crate) fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A text longer than any word of ours misspells none of them, and the distance takes quadratic time.
    const LENGTH_MAX: usize = 60;
    let letters = |word: &str| -> Vec<char> {
        word.chars().take(LENGTH_MAX + 1).flat_map(char::to_lowercase).collect()
    };
    let typed_letters = letters(typed);
    if typed_letters.len() > LENGTH_MAX {
        return None;
    }
    // One mistake in a word of three letters, two in one of five: with more it is another word.
    let slips_max = (typed_letters.len() + 1) / 3;
    known
        .into_iter()
        // A letter has at most four bytes; this rules most words out before the slow comparison.
        .filter(|word| word.len().abs_diff(typed.len()) <= 4 * slips_max)
        .filter_map(|word| {
            let slips = slips(&typed_letters, &letters(word));
            (slips <= slips_max).then_some((slips, word))
        })
        .min_by_key(|&(slips, _)| slips)
        .map(|(_, word)| word)
}

/// Returns the number of letters to change, add, remove or swap with their neighbour to get from `a` to `b`.
fn slips(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let mut least = (above[j] + usize::from(x != y)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        // A swap of two letters looks two rows back.
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, known: &[&str], expected: Option<&str>) {
        assert_eq!(nearest(typed, known.iter().copied()), expected);
    }

    #[test]
    fn a_slip_finds_its_word() {
        check("activty", &["actionType", "activity", "text"], Some("activity"));
        check("mian", &["about", "main"], Some("main"));
        check("AND", &["and", "or"], Some("and"));
        check("tru", &["true", "false"], Some("true"));
    }

    #[test]
    fn another_word_is_no_slip() {
        check("settings", &["main", "about"], None);
        check("x", &["y"], None);
        check("", &["y"], None);
    }

    #[test]
    fn the_nearest_wins_and_among_equals_the_first() {
        check("cat", &["bat", "cart", "car"], Some("bat"));
        check("main", &["mian", "main"], Some("main"));
    }
}
