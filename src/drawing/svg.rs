//! SVG: numbers, texts and how wide they are.

use unicode_width::UnicodeWidthChar;

/// Returns `number` with one digit after the point, or without one if that is 0.
pub fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_string)
}

/// Returns `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns `text` as XML can hold it.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ if char.is_control() => out.push('\u{fffd}'),
            _ => out.push(char),
        }
    }
    out
}

/// Returns the width of a text of this font size, at most, in the widest of the common fonts without serifs.
pub fn text_width(text: &str, size: f64) -> f64 {
    text.chars().map(|char| size * f64::from(em_hundredths(char)) / 100.0).sum()
}

/// Returns as much of `text` as `room` takes.
pub fn cut(text: &str, room: f64, size: f64) -> String {
    if text_width(text, size) <= room {
        return text.to_string();
    }
    let mut cut = String::new();
    // The sign of the cut needs room too.
    let mut left = room - text_width("…", size);
    for char in text.chars() {
        left -= size * f64::from(em_hundredths(char)) / 100.0;
        if left < 0.0 {
            break;
        }
        cut.push(char);
    }
    cut + "…"
}

fn em_hundredths(char: char) -> u32 {
    match char {
        'i' | 'j' | 'l' | '\'' => 28,
        'I' | 'J' | ' ' | '.' | ',' | ':' | ';' | '/' | '\\' | '|' => 34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '!' => 41,
        '“' | '”' | '"' | '_' | '*' | 's' | 'c' | 'z' | '?' => 55,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' | '—' => 100,
        '#' | '+' | '=' | '<' | '>' | '~' | '^' => 84,
        'a'..='z' | '0'..='9' | '{' | '}' => 64,
        'A'..='Z' | '&' => 79,
        _ => match char.width() {
            Some(0) | None => 0,
            Some(1) => 80,
            Some(_) => 110,
        },
    }
}
