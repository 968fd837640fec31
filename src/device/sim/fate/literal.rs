//! Literals of Python and JSON: one grammar, as a dictionary of one is nearly one of the other.
//!
//! `True`, `true`, `None` and `null`, both quotes, three quotes, commas at the end and comments are read. What a program
//! would have to run (names, calls, sums) is a mistake, and so are numbers that are not whole.

use super::quoted::Quoted;
use crate::text::{Diagnostic, Span, clip, no_character, too_deep};

/// Deepest nesting of lists and dictionaries; a model needs five.
const DEPTH_MAX: usize = 32;

/// Value with its place.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    pub value: Value,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i64),
    Text(Quoted),
    List(Vec<Literal>),
    /// Entries in the order of the text.
    Dict(Vec<(Quoted, Literal)>),
}

impl Value {
    /// Returns the value's kind, for people.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::None => "nothing",
            Value::Bool(_) => "true or false",
            Value::Int(_) => "a number",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Dict(_) => "a dictionary",
        }
    }
}

/// Reads `text`, which is one literal, perhaps with a name before it: `graph = {...}`.
pub(super) fn read(text: &str) -> Result<Literal, Diagnostic> {
    let mut reader = Reader { text, at: 0 };
    reader.skip_name();
    let literal = reader.literal(0)?;
    reader.skip_blanks();
    if reader.at < text.len() {
        let end = reader.word_end();
        let message = format!("`{}` stands behind the model", clip(&text[reader.at..end]));
        return Err(Diagnostic::error("E-literal", reader.at..end, message)
            .help("a model is one dictionary; leave the rest out"));
    }
    Ok(literal)
}

/// Returns the length of the blanks and comments that `text` starts with.
pub(super) fn blanks(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        let rest = &text[at..];
        if !rest.starts_with('#') {
            return at;
        }
        at += rest.find('\n').unwrap_or(rest.len());
    }
}

/// Returns the length of `NAME =` at the start of `text`, if it starts with that.
pub(super) fn assigned_name(text: &str) -> Option<usize> {
    let rest = text.trim_start_matches(is_word_char);
    let named = text.len() - rest.len();
    let value = rest.trim_start().strip_prefix('=')?;
    (named > 0 && !value.starts_with('=')).then_some(text.len() - value.len())
}

fn is_word_char(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at += blanks(self.rest());
    }

    fn skip_name(&mut self) {
        self.skip_blanks();
        self.at += assigned_name(self.rest()).unwrap_or(0);
    }

    /// Returns the end of the word or sign here.
    fn word_end(&self) -> usize {
        let rest = self.rest();
        let word = rest.len() - rest.trim_start_matches(is_word_char).len();
        let sign = rest.chars().next().map_or(0, char::len_utf8);
        self.at + word.max(sign)
    }

    fn mistake(&self, message: &str, help: &str) -> Diagnostic {
        let end = self.word_end();
        let found = match self.rest().chars().next() {
            None => "the text ends".to_string(),
            Some(_) => format!("`{}` stands", clip(&self.text[self.at..end])),
        };
        Diagnostic::error("E-literal", self.at..end, format!("{found} where {message}")).help(help)
    }

    fn literal(&mut self, depth: usize) -> Result<Literal, Diagnostic> {
        self.skip_blanks();
        let start = self.at;
        let value = match self.rest().chars().next() {
            Some('{' | '[') if depth == DEPTH_MAX => {
                return Err(too_deep(start..start + 1, "lists and dictionaries", DEPTH_MAX));
            }
            Some('{') => Value::Dict(self.entries(depth)?),
            Some('[') => Value::List(self.values(depth)?),
            Some('"' | '\'') => Value::Text(self.quoted()?),
            Some('-' | '+' | '0'..='9') => Value::Int(self.number()?),
            _ => self.constant()?,
        };
        Ok(Literal { value, span: start..self.at })
    }

    fn constant(&mut self) -> Result<Value, Diagnostic> {
        let end = self.word_end();
        let value = match &self.text[self.at..end] {
            "True" | "true" => Value::Bool(true),
            "False" | "false" => Value::Bool(false),
            "None" | "null" => Value::None,
            _ => {
                let help = "values are texts, whole numbers, True, False, None, lists and dictionaries";
                return Err(self.mistake("a value is needed", help));
            }
        };
        self.at = end;
        Ok(value)
    }

    fn entries(&mut self, depth: usize) -> Result<Vec<(Quoted, Literal)>, Diagnostic> {
        let mut entries = Vec::new();
        self.items('}', |reader| {
            if !reader.rest().starts_with(['"', '\'']) {
                return Err(reader.mistake("a key is needed", "keys are texts, like \"nodes\""));
            }
            let key = reader.quoted()?;
            reader.skip_blanks();
            if !reader.rest().starts_with(':') {
                return Err(reader.mistake("`:` is needed", "an entry is like \"node_id\": \"login\""));
            }
            reader.at += 1;
            entries.push((key, reader.literal(depth + 1)?));
            Ok(())
        })?;
        Ok(entries)
    }

    fn values(&mut self, depth: usize) -> Result<Vec<Literal>, Diagnostic> {
        let mut values = Vec::new();
        self.items(']', |reader| {
            values.push(reader.literal(depth + 1)?);
            Ok(())
        })?;
        Ok(values)
    }

    /// Reads items up to `close`, with a comma between two and perhaps behind the last.
    fn items(
        &mut self,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let open = self.at;
        self.at += 1;
        loop {
            self.skip_blanks();
            if self.rest().starts_with(close) {
                self.at += 1;
                return Ok(());
            }
            if self.rest().is_empty() {
                let message = format!("this `{}` is never closed", &self.text[open..=open]);
                return Err(Diagnostic::error("E-bracket", open..open + 1, message)
                    .help(format!("close it with `{close}`")));
            }
            item(self)?;
            self.skip_blanks();
            if self.rest().starts_with(',') {
                self.at += 1;
            } else if !self.rest().is_empty() && !self.rest().starts_with(close) {
                return Err(self.mistake(&format!("`,` or `{close}` is needed"), "a comma parts two values"));
            }
        }
    }

    fn number(&mut self) -> Result<i64, Diagnostic> {
        let rest = self.rest();
        let length = rest.len()
            - rest.trim_start_matches(|char: char| is_word_char(char) || "+-.".contains(char)).len();
        let span = self.at..self.at + length;
        let written = &self.text[span.clone()];
        // The smallest number has no opposite, so it could not be written again.
        let number = written.parse().ok().filter(|&number: &i64| number != i64::MIN);
        let number = number.ok_or_else(|| {
            Diagnostic::error(
                "E-number",
                span.clone(),
                format!("`{}` is no whole number of 63 bits", clip(written)),
            )
            .help("numbers are like 0, 12 or -3")
        })?;
        self.at = span.end;
        Ok(number)
    }

    fn quoted(&mut self) -> Result<Quoted, Diagnostic> {
        let start = self.at;
        let quote = &self.rest()[..1];
        let three = quote.repeat(3);
        // `''` is an empty text, and `'''` opens one over several lines.
        let is_long = self.rest().starts_with(&three);
        let close = if is_long { three } else { quote.to_string() };
        self.at += close.len();
        let mut quoted = Quoted::new(self.at);
        loop {
            let at = self.at;
            if self.rest().starts_with(&close) {
                self.at += close.len();
                return Ok(quoted.at(start..self.at));
            }
            match self.rest().chars().next() {
                Some('\\') => {
                    if let Some(char) = self.escape()? {
                        quoted.push(char, at, self.at);
                    }
                }
                Some(char) if char != '\n' || is_long => {
                    self.at += char.len_utf8();
                    quoted.push(char, at, self.at);
                }
                Some(_) | None => {
                    return Err(Diagnostic::error(
                        "E-quote",
                        start..start + close.len(),
                        "this quote is never closed",
                    )
                    .help(format!("close it with `{close}`; a line end in a text is written `\\n`")));
                }
            }
        }
    }

    /// Reads an escape; one of a line end stands for nothing.
    fn escape(&mut self) -> Result<Option<char>, Diagnostic> {
        let start = self.at;
        let named = self.rest()[1..].chars().next();
        self.at += 1 + named.map_or(0, char::len_utf8);
        let char = match named {
            Some('\n') => return Ok(None),
            Some(same @ ('\\' | '\'' | '"' | '/')) => same,
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('x') => self.coded(start, 2)?,
            Some('u') => self.coded(start, 4)?,
            Some('U') => self.coded(start, 8)?,
            Some(_) | None => {
                let message = format!("`{}` is no escape", clip(&self.text[start..self.at]));
                return Err(Diagnostic::error("E-escape", start..self.at, message)
                    .help("escapes are \\n, \\r, \\t, \\b, \\f, \\\\, \\', \\\", \\/, \\x41, \\u0041 and \\U0001f600"));
            }
        };
        Ok(Some(char))
    }

    /// Reads the digits of an escape that starts at `start`; two of `\u` may be the halves of one character.
    fn coded(&mut self, start: usize, digits: usize) -> Result<char, Diagnostic> {
        let first = self.digits(digits);
        let code = match first {
            Some(high @ 0xd800..=0xdbff) if self.rest().starts_with("\\u") => {
                self.at += 2;
                match self.digits(4) {
                    Some(low @ 0xdc00..=0xdfff) => Some(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)),
                    Some(_) | None => None,
                }
            }
            first => first,
        };
        let end = self.at;
        code.and_then(char::from_u32).ok_or_else(|| no_character(&self.text[start..end], start..end))
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        let digits = self.rest().get(..count)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let code = u32::from_str_radix(digits, 16).ok();
        self.at += count;
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a literal in one form, for comparison.
    fn shown(literal: &Literal) -> String {
        match &literal.value {
            Value::None => "null".to_string(),
            Value::Bool(bool) => bool.to_string(),
            Value::Int(int) => int.to_string(),
            Value::Text(text) => format!("{:?}", text.text()),
            Value::List(all) => format!("[{}]", all.iter().map(shown).collect::<Vec<_>>().join(",")),
            Value::Dict(all) => {
                let entry = |(key, value): &(Quoted, Literal)| format!("{:?}:{}", key.text(), shown(value));
                format!("{{{}}}", all.iter().map(entry).collect::<Vec<_>>().join(","))
            }
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        match read(text) {
            Ok(literal) => assert_eq!(shown(&literal), expected),
            Err(mistake) => {
                assert_eq!(format!("{} {:?}: {}", mistake.code, mistake.span, mistake.message), expected)
            }
        }
    }

    #[test]
    fn python_and_json_are_read_alike() {
        check("{\"a\": [true, null, -3]}", "{\"a\":[true,null,-3]}");
        check("{'a': [True, None, -3,],} # that is all", "{\"a\":[true,null,-3]}");
        check("# a model\ngraph = {'a' : False}\n", "{\"a\":false}");
        check("[]", "[]");
        check("''", "\"\"");
        check("'''it's\ntwo lines'''", "\"it's\\ntwo lines\"");
    }

    #[test]
    fn escapes_are_read_as_both_languages_have_them() {
        check(r#""\"\\\/\n\u0041\x42\U0001f600\ud83d\ude00""#, "\"\\\"\\\\/\\nAB😀😀\"");
        check("'a\\\nb'", "\"ab\"");
        for text in [r"'\ud800'", r"'\u00'", r"'\ud83d\u0041'", r"'\U00110000'"] {
            assert_eq!(read(text).expect_err("no character").code, "E-escape", "{text}");
        }
    }

    #[test]
    fn mistakes_have_their_place() {
        check("{'a' 1}", "E-literal 5..6: `1` stands where `:` is needed");
        check("{a: 1}", "E-literal 1..2: `a` stands where a key is needed");
        check("[1 2]", "E-literal 3..4: `2` stands where `,` or `]` is needed");
        check("[1, (2)]", "E-literal 4..5: `(` stands where a value is needed");
        check("[1", "E-bracket 0..1: this `[` is never closed");
        check("['a", "E-quote 1..2: this quote is never closed");
        check("[1.5]", "E-number 1..4: `1.5` is no whole number of 63 bits");
        check("[9223372036854775808]", "E-number 1..20: `9223372036854775808` is no whole number of 63 bits");
        check("{} {}", "E-literal 3..4: `{` stands behind the model");
        check("", "E-literal 0..0: the text ends where a value is needed");
        check(r"'\q'", "E-escape 1..3: `\\q` is no escape");
    }

    #[test]
    fn deep_nesting_is_a_mistake() {
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&deep(DEPTH_MAX)).is_ok());
        assert_eq!(read(&deep(100_000)).expect_err("too deep").code, "E-too-deep");
    }

    #[test]
    fn a_byte_of_a_text_knows_its_place() {
        let Value::Text(text) = read(r#"  "a\"b""#).expect("a text").value else { panic!("a text") };
        assert_eq!((text.span(), text.span_of(1..2), text.span_of(2..3)), (2..8, 4..6, 6..7));
    }
}
