//! Lines of a recorded trace as they come in, read in place.
//!
//! Finding lines and labels is a walk from stop to stop of a [block](Block), and nothing of a line is copied.

use std::io::{self, Read};

use super::LINE_MAX;
use super::blocks::{Block, Blocks, Reader};

/// Byte order mark, which some editors put before a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reader of the lines of a trace.
///
/// ```
/// let mut lines = farlead::trace::Lines::new(&b"[\"a\"]\n{\"at\": 1250, \"labels\": [\"b\", \"c\"]}"[..]);
/// let mut seen = Vec::new();
/// while let Some(line) = lines.next()? {
///     let at_ms = line.read_plain(|label| {
///         seen.push(String::from_utf8_lossy(label.text()).into_owned());
///         true
///     });
///     seen.push(format!("{at_ms:?}"));
/// }
/// assert_eq!(seen, ["a", "Some(None)", "b", "c", "Some(Some(1250))"]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Lines<R> {
    blocks: Blocks<R>,
    /// Block that the next line is in, and its start there.
    block: Block,
    from: usize,
    /// Number of the first stop of the next line.
    first: usize,
    is_begun: bool,
}

impl<R: Read + Send + 'static> Lines<R> {
    /// Returns a reader before the first line of `input`, which a thread reads ahead.
    pub fn ahead(input: R) -> Lines<R> {
        Lines::of(Blocks::ahead(input))
    }
}

impl<R: Read> Lines<R> {
    /// Returns a reader before the first line of `input`.
    pub fn new(input: R) -> Lines<R> {
        Lines::of(Blocks::Here(Reader::new(input)))
    }

    fn of(blocks: Blocks<R>) -> Lines<R> {
        Lines { blocks, block: Block::default(), from: 0, first: 0, is_begun: false }
    }

    /// Returns true if the next line has come, so that nobody waits for it.
    pub fn has_next(&self) -> bool {
        self.from < self.block.to || self.blocks.has_next()
    }

    /// Returns the next line, without its end and the blanks around it. Of a line longer than [`LINE_MAX`] it is a part that
    /// is too long as well.
    #[expect(clippy::should_implement_trait, reason = "a line is good until the next")]
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        if self.from == self.block.to {
            (self.from, self.first) = (0, 0);
            let used = std::mem::take(&mut self.block);
            let Some(block) = self.blocks.next(used)? else { return Ok(None) };
            self.block = block;
        }
        let Block { bytes, to: all, stops } = &self.block;
        let left = &stops[self.first..];
        let end = left.iter().position(|&stop| bytes[stop as usize] == b'\n').unwrap_or(left.len());
        let to = left.get(end).map_or(*all, |&stop| stop as usize);
        if !std::mem::replace(&mut self.is_begun, true) && bytes[self.from..to].starts_with(BYTE_ORDER_MARK) {
            self.from += BYTE_ORDER_MARK.len();
        }
        let line = Line { bytes, from: self.from, to, stops: &left[..end] };
        self.from = (to + 1).min(*all);
        self.first = (self.first + end + 1).min(stops.len());
        Ok(Some(line.trimmed()))
    }
}

/// Line of a trace.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The bytes around the line.
    bytes: &'a [u8],
    from: usize,
    to: usize,
    /// Places of its stops.
    stops: &'a [u32],
}

impl<'a> Line<'a> {
    /// Returns the bytes of the line.
    pub fn text(self) -> &'a [u8] {
        &self.bytes[self.from..self.to]
    }

    fn trimmed(self) -> Line<'a> {
        let from = self.to - self.text().trim_ascii_start().len();
        let to = (self.from + self.text().trim_ascii_end().len()).max(from);
        let mut stops = self.stops;
        // Some blanks are stops.
        while let [stop, rest @ ..] = stops
            && (*stop as usize) < from
        {
            stops = rest;
        }
        while let [rest @ .., stop] = stops
            && *stop as usize >= to
        {
            stops = rest;
        }
        Line { from, to, stops, ..self }
    }

    /// Reads plain labels, and calls `see` with each: a list of texts without escapes, or an object that has one as `labels`,
    /// its time as `at`, and else only texts and whole numbers. Returns the time, or none for any other line and once `see`
    /// returns false; [`read_line`](super::read_line) says what such a line is.
    #[inline]
    pub fn read_plain(self, mut see: impl FnMut(Label<'a>) -> bool) -> Option<Option<u64>> {
        if self.to - self.from > LINE_MAX {
            return None;
        }
        let mut plain = Plain { line: self };
        let mut at_ms = None;
        match plain.sign()? {
            b'[' => plain.labels(&mut see)?,
            b'{' => {
                let mut has_labels = false;
                loop {
                    let key = if plain.sign()? == b'"' { plain.text()?.text() } else { return None };
                    match (key, plain.sign()?) {
                        (b"at", b':') if at_ms.is_none() => at_ms = Some(plain.number()?),
                        (b"labels", b':') if !has_labels && plain.sign()? == b'[' => {
                            plain.labels(&mut see)?;
                            has_labels = true;
                        }
                        (b"at" | b"labels" | b"keep", _) => return None,
                        (key, b':') if key.is_ascii() => plain.skip()?,
                        _ => return None,
                    }
                    match plain.sign()? {
                        b',' => {}
                        b'}' if has_labels => break,
                        _ => return None,
                    }
                }
            }
            _ => return None,
        }
        plain.skip_spaces();
        plain.rest().is_empty().then_some(at_ms)
    }

    /// Returns the time of a line that begins with it as programs write it, `{"at":1250,` or `{"at": 1250,`, and the line from
    /// the comma behind it on; none for any other line.
    ///
    /// Lines that differ in nothing else have one rest, and the rest of a step begins with no bracket as other steps do.
    pub fn cut_time(self) -> Option<(u64, &'a [u8])> {
        let rest = self.text().strip_prefix(br#"{"at":"#)?;
        let (at_ms, rest) = number(rest.strip_prefix(b" ").unwrap_or(rest))?;
        rest.starts_with(b",").then_some((at_ms, rest))
    }
}

/// Label in a line.
#[derive(Clone, Copy, Debug)]
pub struct Label<'a> {
    /// The bytes around the label.
    bytes: &'a [u8],
    from: usize,
    to: usize,
}

impl<'a> Label<'a> {
    /// Returns the bytes of the label.
    #[inline]
    pub fn text(self) -> &'a [u8] {
        &self.bytes[self.from..self.to]
    }

    /// Returns the label in a form that takes little time to look up, if it is short.
    #[inline]
    pub fn short(self) -> Option<ShortLabel> {
        // Bytes that follow in the line stand in place of a copy.
        ShortLabel::in_front(self.bytes[self.from..].first_chunk()?, self.to - self.from)
    }
}

/// Label of at most 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortLabel {
    /// Its bytes, and zeros behind them: no label that is read in place has any.
    low: u128,
    high: u128,
}

/// Bytes of half a short label.
const WORD: usize = 16;

/// Masks of the lowest 0 to 16 bytes.
const LOW_BYTES: [u128; WORD + 1] = {
    let mut masks = [0; WORD + 1];
    let mut at = 1;
    while at <= WORD {
        masks[at] = masks[at - 1] << 8 | 0xFF;
        at += 1;
    }
    masks
};

impl ShortLabel {
    /// Returns the label with these bytes, if it is short and has no zero in it.
    pub fn of(label: &[u8]) -> Option<ShortLabel> {
        let mut bytes = [0; 2 * WORD];
        bytes.get_mut(..label.len())?.copy_from_slice(label);
        if label.contains(&0) { None } else { ShortLabel::in_front(&bytes, label.len()) }
    }

    /// Returns the label of this length in front of other bytes.
    #[inline]
    fn in_front(bytes: &[u8; 2 * WORD], len: usize) -> Option<ShortLabel> {
        let (words, _) = bytes.as_chunks::<WORD>();
        let low = LOW_BYTES[len.min(WORD)] & u128::from_le_bytes(words[0]);
        let high = LOW_BYTES.get(len.saturating_sub(WORD))? & u128::from_le_bytes(words[1]);
        Some(ShortLabel { low, high })
    }

    /// Returns a number whose highest bits depend on all bytes.
    #[inline]
    fn hash(&self) -> u64 {
        let both = self.low ^ self.high.rotate_left(41);
        let bits = both as u64 ^ ((both >> 64) as u64).rotate_left(23);
        // The multiplier of Fibonacci hashing: 2^64 by the golden ratio.
        bits.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// Values by short labels, in a table that is mostly empty: nearly every label stands in the first place looked at, so a
/// processor foresees the way through ever-new sets of labels.
#[derive(Debug)]
pub struct ShortLabels<T> {
    slots: Vec<Option<(ShortLabel, T)>>,
    len: usize,
}

impl<T> Default for ShortLabels<T> {
    fn default() -> ShortLabels<T> {
        ShortLabels { slots: empty_slots(1 << 10), len: 0 }
    }
}

impl<T> ShortLabels<T> {
    /// Slots for each label, at least.
    const SPARSITY: usize = 8;

    /// Returns the number of labels.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no labels.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the value of `label`.
    #[inline]
    pub fn get(&self, label: ShortLabel) -> Option<&T> {
        self.slots[self.place(label)].as_ref().map(|(_, value)| value)
    }

    /// Gives a value to `label`.
    pub fn insert(&mut self, label: ShortLabel, value: T) {
        if (self.len + 1) * Self::SPARSITY > self.slots.len() {
            let wider = empty_slots(self.slots.len() * 2);
            for slot in std::mem::replace(&mut self.slots, wider).into_iter().flatten() {
                let place = self.place(slot.0);
                self.slots[place] = Some(slot);
            }
        }
        let place = self.place(label);
        self.len += usize::from(self.slots[place].is_none());
        self.slots[place] = Some((label, value));
    }

    /// Forgets all labels.
    pub fn clear(&mut self) {
        self.slots.fill_with(|| None);
        self.len = 0;
    }

    /// Returns the slot of `label`, or the empty one where it belongs.
    #[inline]
    fn place(&self, label: ShortLabel) -> usize {
        let last = self.slots.len() - 1;
        let mut place = (label.hash() >> (64 - self.slots.len().trailing_zeros())) as usize;
        while let Some((other, _)) = &self.slots[place & last]
            // One comparison: which of the two halves differs cannot be foreseen.
            && (other.low ^ label.low) | (other.high ^ label.high) != 0
        {
            place += 1;
        }
        place & last
    }
}

fn empty_slots<T>(count: usize) -> Vec<Option<T>> {
    std::iter::repeat_with(|| None).take(count).collect()
}

/// Returns the place of the first byte from `at` on that is no space, at the zeros behind the input if there is no other.
#[inline]
fn behind_spaces(bytes: &[u8], mut at: usize) -> usize {
    while bytes[at] == b' ' {
        at += 1;
    }
    at
}

/// Rest of a line of plain labels.
struct Plain<'a> {
    line: Line<'a>,
}

impl<'a> Plain<'a> {
    #[inline]
    fn rest(&self) -> &'a [u8] {
        self.line.text()
    }

    #[inline]
    fn skip_spaces(&mut self) {
        let spaces = self.rest().iter().take_while(|&&byte| byte == b' ').count();
        self.line.from += spaces;
    }

    /// Returns the next byte that is no space.
    #[inline]
    fn sign(&mut self) -> Option<u8> {
        self.skip_spaces();
        let byte = *self.rest().first()?;
        self.line.from += 1;
        Some(byte)
    }

    /// Returns the text up to the next quote, if it has no escape and no control character.
    #[inline]
    fn text(&mut self) -> Option<Label<'a>> {
        let Line { bytes, from, stops, .. } = self.line;
        let [open, close, rest @ ..] = stops else { return None };
        let to = *close as usize;
        // A blank between two signs may be a stop, and is left to other readers.
        if *open as usize + 1 != from || bytes[to] != b'"' {
            return None;
        }
        (self.line.from, self.line.stops) = (to + 1, rest);
        Some(Label { bytes, from, to })
    }

    /// Calls `see` with each text of a list, behind its bracket.
    #[inline]
    fn labels(&mut self, see: &mut impl FnMut(Label<'a>) -> bool) -> Option<()> {
        // In registers: most of a line is labels.
        let Line { bytes, mut from, to, mut stops } = self.line;
        let mut is_behind_comma = false;
        loop {
            from = behind_spaces(bytes, from);
            let [open, close, rest @ ..] = stops else { break };
            let (open, close) = (*open as usize, *close as usize);
            if open != from {
                break;
            }
            let label = Label { bytes, from: open + 1, to: close };
            if bytes[open] != b'"' || bytes[close] != b'"' || !see(label) {
                return None;
            }
            stops = rest;
            from = behind_spaces(bytes, close + 1);
            is_behind_comma = bytes[from] == b',';
            if !is_behind_comma {
                break;
            }
            from += 1;
        }
        // A list that goes on behind the line is not closed in it.
        let is_closed = from < to && bytes[from] == b']' && !is_behind_comma;
        self.line = Line { bytes, from: from + 1, to, stops };
        is_closed.then_some(())
    }

    /// Steps over a text in ASCII or a whole number.
    fn skip(&mut self) -> Option<()> {
        self.skip_spaces();
        if self.rest().starts_with(b"\"") {
            self.line.from += 1;
            return self.text()?.text().is_ascii().then_some(());
        }
        self.number().map(|_| ())
    }

    fn number(&mut self) -> Option<u64> {
        self.skip_spaces();
        let (number, rest) = number(self.rest())?;
        self.line.from = self.line.to - rest.len();
        Some(number)
    }
}

/// Returns a whole number at the start of `text`, written as JSON has it, and what is behind it.
#[inline]
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    // More digits may be too large a number.
    const DIGITS_MAX: usize = 19;
    let len = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(len);
    if digits.is_empty() || len > DIGITS_MAX || digits[0] == b'0' && len > 1 {
        return None;
    }
    Some((digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')), rest))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, ErrorKind};
    use std::sync::mpsc::{Sender, channel};

    use super::*;
    use crate::trace::blocks::CHUNK;
    use crate::trace::read_line;

    /// Input that comes in pieces of this many bytes.
    struct Pieces(Cursor<Vec<u8>>, usize);

    impl Pieces {
        fn new(text: &[u8], len: usize) -> Pieces {
            Pieces(Cursor::new(text.to_vec()), len)
        }
    }

    impl Read for Pieces {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let len = self.1.min(to.len());
            self.0.read(&mut to[..len])
        }
    }

    fn all(mut lines: Lines<Pieces>) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        while let Some(line) = lines.next().expect("a text") {
            found.push(line.text().to_vec());
        }
        found
    }

    /// Reads a line that may be plain, and ends before others that close it.
    fn plain(line: &[u8]) -> Option<(Option<u64>, Vec<Vec<u8>>)> {
        let mut lines = Lines::new(line);
        let (mut labels, mut shorts) = (Vec::new(), Vec::new());
        let line = lines.next().expect("a text")?;
        let at_ms = line.read_plain(|label| {
            labels.push(label.text().to_vec());
            shorts.push(label.short());
            true
        })?;
        let expected: Vec<Option<ShortLabel>> = labels.iter().map(|label| ShortLabel::of(label)).collect();
        assert_eq!(shorts, expected);
        Some((at_ms, labels))
    }

    #[test]
    fn lines_are_the_same_in_pieces_of_any_length() {
        let long = format!("[\"{}\"]", "x\ty ".repeat(40_000));
        let texts = [
            "",
            "\n",
            "[]",
            "[\"a\"]\n\n  [\"b\"] \t\r\n{\"at\":1}\u{c}",
            "\u{feff}[\"a\"]\n\u{feff}[\"b\"]\n",
            "\u{feff}",
            &format!("[\"a\"]\n{long}\n[\"b\"]"),
        ];
        for text in texts {
            let body = text.strip_prefix('\u{feff}').unwrap_or(text);
            let mut expected: Vec<&[u8]> = body.as_bytes().split(|&byte| byte == b'\n').collect();
            expected.pop_if(|last| last.is_empty() && text != "\u{feff}");
            let expected: Vec<&[u8]> = expected.into_iter().map(<[u8]>::trim_ascii).collect();
            for len in [1, 3, 64, 1_000, usize::MAX] {
                let pieces = || Pieces::new(text.as_bytes(), len);
                assert_eq!(all(Lines::new(pieces())), expected, "{len}");
                assert_eq!(all(Lines::ahead(pieces())), expected, "{len}");
            }
        }
    }

    #[test]
    fn a_line_is_here_once_its_end_has_come() {
        let mut lines = Lines::new(Pieces::new(b"[]\n[]\n[", 4));
        assert!(!lines.has_next());
        lines.next().expect("a text");
        assert!(!lines.has_next());
        lines.next().expect("a text");
        assert!(!lines.has_next());
        assert_eq!(lines.next().expect("a text").map(|line| line.text().to_vec()), Some(b"[".to_vec()));
        assert!(lines.next().expect("a text").is_none());
    }

    #[test]
    fn an_input_that_fails_says_so_after_its_lines() {
        struct Failing(bool);
        impl Read for Failing {
            fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
                if std::mem::replace(&mut self.0, true) {
                    return Err(ErrorKind::Other.into());
                }
                to[..4].copy_from_slice(b"[]\n[");
                Ok(4)
            }
        }
        for mut lines in [Lines::new(Failing(false)), Lines::ahead(Failing(false))] {
            assert_eq!(lines.next().expect("a text").map(|line| line.text().to_vec()), Some(b"[]".to_vec()));
            assert!(lines.next().is_err());
        }
    }

    #[test]
    fn lines_that_nobody_takes_are_read_no_more() {
        let (sender, receiver) = channel();
        struct Endless {
            _here: Sender<()>,
        }
        impl Read for Endless {
            fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
                to.fill(b'\n');
                Ok(to.len())
            }
        }
        let mut lines = Lines::ahead(Endless { _here: sender });
        assert!(lines.next().expect("a text").is_some());
        drop(lines);
        // The thread ends, and its input with it.
        assert!(receiver.recv().is_err());
    }

    #[test]
    fn a_line_without_an_end_is_not_read_to_its_end() {
        let found = Lines::new(io::repeat(b'a')).next().expect("a text").expect("a line").text().len();
        assert!(found > LINE_MAX && found < 2 * LINE_MAX + CHUNK, "{found}");
    }

    #[test]
    fn a_line_of_plain_labels_is_the_step_that_any_reader_finds() {
        let lines = [
            r#"["a", "[text ~ b]"]"#,
            " [ ]\r",
            r#"["","a"  ,  "0123456789abcdef","0123456789abcdefg" ]"#,
            r#"["0123456789abcdef0123456789abcdef","0123456789abcdef0123456789abcdefg"]"#,
            r#"{"at":1250,"labels":["a"]}"#,
            r#"{ "labels" : [ "a" , "ä" ] , "at" : 0 }"#,
            r#"{"at":9999999999999999999,"labels":[]}"#,
            r#"{"step": 3, "labels": ["a"], "app": "x", "step": 4}"#,
        ];
        for line in lines {
            let (at_ms, labels) = plain(line.as_bytes()).expect("a plain line");
            let labels: Vec<String> =
                labels.into_iter().map(|label| String::from_utf8(label).unwrap()).collect();
            let step = read_line(line.as_bytes()).unwrap();
            assert_eq!((at_ms, labels), (step.at_ms, step.labels), "{line}");
        }
        let others = [
            r#"["\u0061"]"#,
            "[\"a\tb\"]",
            "[\"a\",\t\"b\"]",
            r#"["a",]"#,
            r#"["a" "b"]"#,
            r#"[,"a"]"#,
            r#"["a"] 1"#,
            r#"["a"]]"#,
            "[\x0c]",
            r#"["a""#,
            r#"["a"#,
            r#"["a","#,
            "[",
            r#"[1]"#,
            r#"[1,"a"]"#,
            r#"{"at":1}"#,
            r#"{"at":01,"labels":[]}"#,
            r#"{"at":1.0,"labels":[]}"#,
            r#"{"at":-1,"labels":[]}"#,
            r#"{"at":1,"at":1,"labels":[]}"#,
            r#"{"labels":[],"labels":[]}"#,
            r#"{"labels":[],"step":-1}"#,
            r#"{"labels":[],"step":1.0}"#,
            r#"{"labels":[],"app":"\n"}"#,
            r#"{"labels":[],"keep":1}"#,
            r#"{"labels":[],}"#,
            "{}",
            "",
        ];
        for line in others {
            assert_eq!(plain(line.as_bytes()), None, "{line}");
            // The next line may begin with signs that would close this one.
            for behind in ["\n]", "\n\"]", "\n,\"b\"]", "  \n]}"] {
                assert_eq!(plain(format!("{line}{behind}").as_bytes()), None, "{line}");
            }
        }
        let mut lines = Lines::new(&br#"["a"]"#[..]);
        let line = lines.next().expect("a text").expect("a line");
        assert_eq!(line.read_plain(|label| label.text() != b"a"), None);
    }

    #[test]
    fn a_time_in_front_is_cut_off() {
        let cut = |line: &[u8]| {
            let mut lines = Lines::new(line);
            let line = lines.next().expect("a text").expect("a line");
            line.cut_time().map(|(at_ms, rest)| (at_ms, rest.to_vec()))
        };
        assert_eq!(cut(br#"{"at":12,"labels":[]}"#), Some((12, br#","labels":[]}"#.to_vec())));
        assert_eq!(cut(br#"{"at": 12, "x":1}"#), Some((12, br#", "x":1}"#.to_vec())));
        for line in [
            &br#"{"at":12}"#[..],
            br#"{ "at" : 12 , "x":1}"#,
            br#"{"labels":[],"at":12}"#,
            br#"["at",12,"#,
            br#"{"at":1.5,"#,
        ] {
            assert_eq!(cut(line), None);
        }
    }

    #[test]
    fn short_labels_have_their_values_however_many_they_are() {
        let mut table = ShortLabels::default();
        let label = |number: u32| ShortLabel::of(format!("[text = {number}]").as_bytes()).expect("a label");
        for number in 0..3_000 {
            assert_eq!(table.get(label(number)), None);
            table.insert(label(number), number);
            table.insert(label(0), number);
        }
        assert_eq!((table.len(), table.get(label(0))), (3_000, Some(&2_999)));
        assert!((1..3_000).all(|number| table.get(label(number)) == Some(&number)));
        table.clear();
        assert!(table.is_empty() && table.get(label(7)).is_none());
        assert_eq!(ShortLabel::of(b"a\0"), None);
        assert_eq!(ShortLabel::of(&[b'a'; 33]), None);
    }
}
