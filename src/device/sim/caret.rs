//! The caret of a field: the place in its text where letters go, and the keys that move it.

/// Width of a letter, in pixels of the display.
const LETTER_WIDTH: i64 = 16;

/// The place of a caret, which the field that was touched last keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Caret {
    /// Number of letters behind it. Counted from the end, as most texts are written there.
    pub behind: u32,
    /// True if all letters are selected: the next one takes their place.
    pub selects_all: bool,
}

/// A key that edits the text of a field, and that a model has no action for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Edit {
    /// Deletes the letter behind the caret.
    DeleteForward,
    /// Moves the caret to the end of its line.
    LineEnd,
    /// Selects all letters.
    SelectAll,
}

/// The text of a field while it is edited.
pub(super) struct Written {
    letters: Vec<char>,
    /// Number of letters before the caret.
    at: usize,
    selects_all: bool,
    /// Most letters of a line; a longer text wraps.
    per_line: usize,
}

impl Written {
    /// Returns `text` with its caret, in a field that is `width` pixels wide; one without a width has a single line.
    pub fn new(text: &str, caret: Caret, width: Option<i64>) -> Written {
        let letters: Vec<char> = text.chars().collect();
        // The app may have changed the text since the caret was set.
        let at = letters.len().saturating_sub(caret.behind as usize);
        let per_line = width.map_or(usize::MAX, |width| (width / LETTER_WIDTH).max(1) as usize);
        Written { letters, at, selects_all: caret.selects_all, per_line }
    }

    /// Returns the text.
    pub fn text(&self) -> String {
        self.letters.iter().collect()
    }

    /// Returns the caret.
    pub fn caret(&self) -> Caret {
        Caret { behind: (self.letters.len() - self.at) as u32, selects_all: self.selects_all }
    }

    /// Puts the caret where the field is touched: `x` and `y` are the distances from its top left corner, and `height` is
    /// its own. Each line has an equal share of the height.
    pub fn touch(&mut self, (x, y): (i64, i64), height: i64) {
        self.selects_all = false;
        let lines = (self.letters.len().div_ceil(self.per_line)).max(1);
        let line = (y.max(0) * lines as i64 / height.max(1)).min(lines as i64 - 1) as usize;
        // A text of one line has room for as many letters as an address has numbers.
        let start = if line == 0 { 0 } else { line * self.per_line };
        let column = (x.max(0) / LETTER_WIDTH) as usize;
        self.at = (start + column.min(self.per_line)).min(self.letters.len());
    }

    /// Puts `text` at the caret, or in the place of what is selected.
    pub fn put(&mut self, text: &str) {
        self.delete_selected();
        let added: Vec<char> = text.chars().collect();
        let count = added.len();
        self.letters.splice(self.at..self.at, added);
        self.at += count;
    }

    /// Deletes the letter before the caret, or what is selected; returns true if there was any.
    pub fn delete(&mut self) -> bool {
        if self.delete_selected() {
            return true;
        }
        let Some(at) = self.at.checked_sub(1) else { return false };
        self.at = at;
        self.letters.remove(at);
        true
    }

    /// Presses a key; returns true if the text is another then.
    pub fn press(&mut self, key: Edit) -> bool {
        match key {
            Edit::SelectAll => self.selects_all = !self.letters.is_empty(),
            Edit::DeleteForward if self.delete_selected() => return true,
            Edit::DeleteForward if self.at < self.letters.len() => {
                self.letters.remove(self.at);
                return true;
            }
            Edit::DeleteForward => {}
            Edit::LineEnd => {
                self.selects_all = false;
                let end = (self.at / self.per_line).saturating_add(1).saturating_mul(self.per_line);
                // The caret behind the last letter of a full line stands at the start of the next one, except at the end.
                let is_at_end = self.at == self.letters.len();
                self.at = if is_at_end { self.at } else { (end - 1).min(self.letters.len()) };
            }
        }
        false
    }

    fn delete_selected(&mut self) -> bool {
        if !self.selects_all {
            return false;
        }
        (self.selects_all, self.at) = (false, 0);
        self.letters.clear();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field of ten letters a line.
    fn field(text: &str, behind: u32) -> Written {
        Written::new(text, Caret { behind, selects_all: false }, Some(10 * LETTER_WIDTH))
    }

    #[test]
    fn a_touch_puts_the_caret_between_letters_and_behind_a_short_text() {
        let touched = |text: &str, x: i64, y: i64| {
            let mut field = field(text, 0);
            field.touch((x, y), 60);
            field.at
        };
        // The middle of the field.
        assert_eq!(touched("abc", 80, 30), 3);
        assert_eq!(touched("abcdefgh", 80, 30), 5);
        assert_eq!(touched("abcdefgh", 0, 0), 0);
        // Of three lines, the middle one.
        assert_eq!(touched("abcdefghijklmnopqrstuvwxyz", 80, 30), 15);
        assert_eq!(touched("", 80, 30), 0);
    }

    #[test]
    fn the_end_key_goes_to_the_end_of_the_line_alone() {
        let mut field = field("abcdefghijklmnopqrstuvwxyz", 24);
        field.press(Edit::LineEnd);
        field.put("-");
        assert_eq!(field.text(), "abcdefghi-jklmnopqrstuvwxyz");
        let mut short = Written::new("abc", Caret { behind: 2, selects_all: false }, None);
        short.press(Edit::LineEnd);
        short.put("-");
        assert_eq!(short.text(), "abc-");
    }

    #[test]
    fn deleting_on_both_sides_of_the_caret_or_all_that_is_selected_empties_a_field() {
        let text = "abcdefghijklmnopqrstuvwxyz";
        let mut field = field(text, 10);
        assert_eq!((0..26).filter(|_| field.delete()).count(), 16);
        assert_eq!(field.text(), "qrstuvwxyz");
        assert_eq!((0..26).filter(|_| field.press(Edit::DeleteForward)).count(), 10);
        assert_eq!((field.text(), field.caret()), (String::new(), Caret::default()));
        let mut field = self::field(text, 10);
        field.press(Edit::SelectAll);
        assert!(field.caret().selects_all);
        field.put("z");
        assert_eq!((field.text(), field.caret()), ("z".to_string(), Caret::default()));
    }

    #[test]
    fn a_text_that_the_app_has_made_shorter_keeps_the_caret_within_it() {
        let mut field = field("ab", 7);
        field.put("c");
        assert_eq!(field.text(), "cab");
    }
}
