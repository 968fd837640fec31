//! Texts that were written with escapes, which still know where each of their bytes stood.

use std::ops::Range;

use crate::text::Span;

/// Text as it is meant, and the place of each of its bytes in the source.
#[derive(Clone, Debug, Default)]
pub(super) struct Quoted {
    text: String,
    /// Place of each byte, then the place where the text ends.
    places: Vec<u32>,
    /// Place of the whole, with its quotes.
    span: Span,
}

impl Quoted {
    /// Returns an empty text, whose first byte is at `start`.
    pub fn new(start: usize) -> Quoted {
        Quoted { text: String::new(), places: vec![start as u32], span: start..start }
    }

    /// Adds the character that stands from `at` to `end`.
    pub fn push(&mut self, char: char, at: usize, end: usize) {
        // The last place was that of the end.
        self.places.pop();
        self.text.push(char);
        self.places.extend(std::iter::repeat_n(at as u32, char.len_utf8()));
        self.places.push(end as u32);
    }

    /// Returns the text, which with its quotes stands at `span`.
    #[must_use]
    pub fn at(self, span: Span) -> Quoted {
        Quoted { span, ..self }
    }

    /// Returns the text as it is meant.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the place of the whole, with its quotes.
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// Returns the place of these bytes of the text.
    pub fn span_of(&self, bytes: Range<usize>) -> Span {
        let place = |at: usize| self.places.get(at).map_or(self.span.end, |&place| place as usize);
        place(bytes.start)..place(bytes.end)
    }
}
