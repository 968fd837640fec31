//! Tools that filter and edit lines: `grep`, `sed`, `head` and their kin.

use regex::bytes::{Regex, RegexBuilder};

use super::io::{Io, OUTPUT_MAX, add, shown};
use super::system::Phone;
use super::tools::{options, read};

/// Largest compiled pattern, in bytes.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// Returns the lines of a text, without their line feeds.
fn lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    // The last line feed ends a line and starts none.
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let is_empty = bytes.is_empty();
    bytes.split(|byte| *byte == b'\n').filter(move |line| !is_empty || !line.is_empty())
}

/// Returns the bytes of the named files one after the other, or the input, with the exit code for missing files.
fn gathered(phone: &Phone, tool: &str, names: &[String], io: &mut Io) -> (Vec<u8>, u8) {
    if names.is_empty() {
        return (io.input.rest().to_vec(), 0);
    }
    let (mut all, mut code) = (Vec::new(), 0);
    for name in names {
        match read(phone, name, io) {
            Ok(bytes) => add(&mut all, &bytes),
            Err(error) => code = io.complain(&format!("{tool}: {}: {error}", shown(name))),
        }
    }
    (all, code)
}

/// Syntax of a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// Syntax of `grep` and `sed` without options: brackets and bars are operators only behind a backslash.
    Basic,
    /// Syntax of `egrep` and of `-E`.
    Extended,
}

/// Treatment of upper and lower case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Kept,
    Ignored,
}

/// Compiles a pattern, translated into the syntax of `regex`.
fn pattern(text: &str, syntax: Syntax, case: Case) -> Option<Regex> {
    let mut made = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if syntax == Syntax::Basic => match letters.next() {
                Some(sign @ ('(' | ')' | '{' | '}' | '|' | '+' | '?')) => made.push(sign),
                Some(other) => made.extend(['\\', other]),
                None => made.push_str("\\\\"),
            },
            '(' | ')' | '{' | '}' | '|' | '+' | '?' if syntax == Syntax::Basic => made.extend(['\\', letter]),
            // A star at the start has nothing to repeat and stands for itself.
            '*' if made.is_empty() => made.push_str("\\*"),
            letter => made.push(letter),
        }
    }
    RegexBuilder::new(&made)
        .case_insensitive(case == Case::Ignored)
        .size_limit(PATTERN_BYTES_MAX)
        .build()
        .ok()
}

/// `grep`, `egrep` and `fgrep`: the lines that fit a pattern.
pub(super) fn grep(phone: &Phone, name: &str, args: &[String], io: &mut Io) -> u8 {
    let (mut letters, mut patterns, mut words) = (String::new(), Vec::new(), Vec::new());
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        if word == "-e" {
            patterns.extend(rest.next().cloned());
        } else if word.len() > 1 && word.starts_with('-') && words.is_empty() {
            letters.push_str(&word[1..]);
        } else {
            words.push(word.clone());
        }
    }
    let has = |letter: char| letters.contains(letter);
    if patterns.is_empty() {
        if words.is_empty() {
            return io.complain("grep: no REGEX").max(2);
        }
        patterns.push(words.remove(0));
    }
    let is_extended = has('E') || name == "egrep";
    let case = if has('i') { Case::Ignored } else { Case::Kept };
    let mut made = Vec::new();
    // Lines of a pattern are alternatives.
    for text in patterns.iter().flat_map(|text| text.split('\n')) {
        let text = if has('F') || name == "fgrep" { regex::escape(text) } else { text.to_string() };
        // Whole words alone.
        let text = if has('w') { format!("\\b{text}\\b") } else { text };
        // The parts added around the text are in the syntax of `regex`, as extended patterns are.
        let is_extended = is_extended || has('F') || name == "fgrep" || has('w');
        match pattern(&text, if is_extended { Syntax::Extended } else { Syntax::Basic }, case) {
            Some(pattern) => made.push(pattern),
            None => return io.complain(&format!("grep: bad REGEX '{}'", shown(&text))).max(2),
        }
    }
    let is_named = words.len() > 1 && !has('h');
    let stdin = ["-".to_string()];
    let (mut found, mut code) = (0, 0);
    for file in if words.is_empty() { &stdin[..] } else { &words[..] } {
        let bytes = match read(phone, file, io) {
            Ok(bytes) => bytes,
            Err(error) => {
                // 1 says that no line fits; an error is 2.
                code = io.complain(&format!("grep: {}: {error}", shown(file))).max(2);
                continue;
            }
        };
        let prefix = if is_named { format!("{file}:") } else { String::new() };
        let mut here = 0;
        for (number, line) in lines(&bytes).enumerate() {
            if made.iter().any(|pattern| pattern.is_match(line)) == has('v') {
                continue;
            }
            here += 1;
            // These options need the number of lines alone.
            if has('q') || has('c') || has('l') {
                continue;
            }
            let number = if has('n') { format!("{}:", number + 1) } else { String::new() };
            let parts: Vec<&[u8]> = if has('o') {
                made.iter()
                    .flat_map(|pattern| pattern.find_iter(line))
                    .map(|found| found.as_bytes())
                    .collect()
            } else {
                vec![line]
            };
            for part in parts {
                io.write(format!("{prefix}{number}").as_bytes());
                io.write(part);
                io.write(b"\n");
            }
        }
        if has('c') {
            io.say(&format!("{prefix}{here}"));
        } else if has('l') && here > 0 {
            io.say(file);
        }
        found += here;
    }
    if code > 0 { code } else { u8::from(found == 0) }
}

/// A command of a script for `sed`.
enum Command {
    Substitute { pattern: Regex, with: Vec<u8>, is_global: bool, prints: bool },
    Delete,
    Print,
    Quit,
}

/// Address of a command: the lines that it is for.
enum Address {
    All,
    Line(usize),
    Last,
    Matching(Regex),
}

/// `sed`: edits lines by a script.
pub(super) fn sed(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (mut is_silent, mut syntax) = (false, Syntax::Basic);
    let (mut scripts, mut files) = (Vec::new(), Vec::new());
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-n" => is_silent = true,
            "-E" | "-r" => syntax = Syntax::Extended,
            "-e" => scripts.extend(rest.next().cloned()),
            "-ne" => {
                is_silent = true;
                scripts.extend(rest.next().cloned());
            }
            word if word.len() > 1 && word.starts_with('-') => {
                return io.complain(&format!("sed: unknown option '{}'", shown(word)));
            }
            word if scripts.is_empty() => scripts.push(word.to_string()),
            word => files.push(word.to_string()),
        }
    }
    let mut commands = Vec::new();
    for part in scripts.iter().flat_map(|script| split_commands(script)) {
        match command(&part, syntax) {
            Some(command) => commands.push(command),
            None => return io.complain(&format!("sed: bad pattern '{}'", shown(&part))),
        }
    }
    // All files are one stream: line numbers and `$` count through.
    let (bytes, code) = gathered(phone, "sed", &files, io);
    let count = lines(&bytes).count();
    for (at, line) in lines(&bytes).enumerate() {
        let (mut line, mut is_deleted, mut is_last) = (line.to_vec(), false, false);
        for (address, command) in &commands {
            let is_meant = match address {
                Address::All => true,
                Address::Line(number) => at + 1 == *number,
                Address::Last => at + 1 == count,
                Address::Matching(pattern) => pattern.is_match(&line),
            };
            if !is_meant || is_deleted {
                continue;
            }
            match command {
                Command::Delete => is_deleted = true,
                Command::Quit => is_last = true,
                Command::Print => {
                    io.write(&line);
                    io.write(b"\n");
                }
                Command::Substitute { pattern, with, is_global, prints } => {
                    if !pattern.is_match(&line) {
                        continue;
                    }
                    // For `regex` 0 means all.
                    let limit = usize::from(!is_global);
                    line = pattern.replacen(&line, limit, &with[..]).into_owned();
                    // `s/./&&/g` in a row doubles a line each time.
                    line.truncate(OUTPUT_MAX);
                    if *prints {
                        io.write(&line);
                        io.write(b"\n");
                    }
                }
            }
        }
        if !is_silent && !is_deleted {
            io.write(&line);
            io.write(b"\n");
        }
        if is_last {
            break;
        }
    }
    code
}

/// Splits a script into its commands, which `;` separates outside of patterns.
fn split_commands(script: &str) -> Vec<String> {
    let mut commands = vec![String::new()];
    let mut sign: Option<(char, u32)> = None;
    let mut letters = script.chars();
    while let Some(letter) = letters.next() {
        let last = commands.last_mut().expect("there is one from the start");
        match (&mut sign, letter) {
            (_, '\\') => {
                last.push(letter);
                last.extend(letters.next());
            }
            (None, ';' | '\n') => commands.push(String::new()),
            // Behind `s` any sign may separate pattern and replacement.
            (None, 's') => {
                last.push(letter);
                if let Some(next) = letters.next() {
                    last.push(next);
                    sign = Some((next, 2));
                }
            }
            (None, '/') => {
                last.push(letter);
                sign = Some(('/', 1));
            }
            (Some((end, left)), letter) if letter == *end => {
                last.push(letter);
                *left -= 1;
                if *left == 0 {
                    sign = None;
                }
            }
            (_, letter) => last.push(letter),
        }
    }
    commands.retain(|command| !command.trim().is_empty());
    commands
}

fn command(text: &str, syntax: Syntax) -> Option<(Address, Command)> {
    let text = text.trim();
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (address, text) = if digits > 0 {
        (Address::Line(text[..digits].parse().ok()?), &text[digits..])
    } else if let Some(rest) = text.strip_prefix('$') {
        (Address::Last, rest)
    } else if let Some(rest) = text.strip_prefix('/') {
        let end = unquoted(rest, '/')?;
        (Address::Matching(pattern(&rest[..end], syntax, Case::Kept)?), &rest[end + 1..])
    } else {
        (Address::All, text)
    };
    let command = match text.trim() {
        "d" => Command::Delete,
        "p" => Command::Print,
        "q" => Command::Quit,
        text => {
            let rest = text.strip_prefix('s')?;
            // Any sign separates pattern and replacement, as in `s|a|b|`.
            let sign = rest.chars().next()?;
            let rest = &rest[sign.len_utf8()..];
            let middle = unquoted(rest, sign)?;
            let after = &rest[middle + sign.len_utf8()..];
            let end = unquoted(after, sign)?;
            let flags = &after[end + sign.len_utf8()..];
            // The separator needs its backslash for `sed` alone.
            let source = rest[..middle].replace(&format!("\\{sign}"), &sign.to_string());
            let case = if flags.contains(['i', 'I']) { Case::Ignored } else { Case::Kept };
            Command::Substitute {
                pattern: pattern(&source, syntax, case)?,
                with: replacement(&after[..end]),
                is_global: flags.contains('g'),
                prints: flags.contains('p'),
            }
        }
    };
    Some((address, command))
}

/// Returns the place of the first `sign` without a backslash before it.
fn unquoted(text: &str, sign: char) -> Option<usize> {
    let mut is_quoted = false;
    text.char_indices().find_map(|(at, letter)| {
        let is_it = !is_quoted && letter == sign;
        is_quoted = !is_quoted && letter == '\\';
        is_it.then_some(at)
    })
}

/// Translates a replacement into the syntax of `regex`.
fn replacement(text: &str) -> Vec<u8> {
    let mut made = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            // A dollar means something to `regex` and nothing to `sed`.
            '$' => made.push_str("$$"),
            '&' => made.push_str("${0}"),
            '\\' => match letters.next() {
                Some(digit @ '0'..='9') => made.push_str(&format!("${{{digit}}}")),
                Some('n') => made.push('\n'),
                Some('t') => made.push('\t'),
                Some(other) => made.push(other),
                None => made.push('\\'),
            },
            letter => made.push(letter),
        }
    }
    made.into_bytes()
}

/// `head` and `tail`: the first or last lines or bytes.
pub(super) fn ends(phone: &Phone, name: &str, args: &[String], io: &mut Io) -> u8 {
    let (mut count, mut is_bytes, mut is_from) = (10, false, false);
    let mut files = Vec::new();
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        let number = match word.as_str() {
            "-n" | "-c" => {
                is_bytes = word == "-c";
                rest.next().map_or("", String::as_str)
            }
            "-f" | "-F" | "-q" => continue,
            word if word.len() > 1 && word.starts_with('-') => {
                is_bytes = word.starts_with("-c");
                word[1..].trim_start_matches(['n', 'c'])
            }
            _ => {
                files.push(word.clone());
                continue;
            }
        };
        is_from = number.starts_with('+');
        count = match number.trim_start_matches('+').parse::<usize>() {
            Ok(count) => count,
            Err(_) => return io.complain(&format!("{name}: not integer: {}", shown(number))),
        };
    }
    // Bytes of several files count as one stream, without the headings that `head` prints for each.
    let (bytes, code) = gathered(phone, name, &files, io);
    if is_bytes {
        // `tail -c +N` starts at byte N, counted from 1.
        let part = match name {
            "head" => &bytes[..count.min(bytes.len())],
            _ if is_from => &bytes[count.saturating_sub(1).min(bytes.len())..],
            _ => &bytes[bytes.len().saturating_sub(count)..],
        };
        io.write(part);
        return code;
    }
    let all = lines(&bytes).count();
    // `tail -n +N` starts at line N, counted from 1.
    let (skipped, taken) = match name {
        "head" => (0, count),
        _ if is_from => (count.saturating_sub(1), all),
        _ => (all.saturating_sub(count), count),
    };
    for line in lines(&bytes).skip(skipped).take(taken) {
        io.write(line);
        io.write(b"\n");
    }
    code
}

/// `wc`: counts lines, words and bytes.
pub(super) fn wc(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (letters, files) = options(args);
    let (bytes, code) = gathered(phone, "wc", files, io);
    let counts = [
        ('l', bytes.iter().filter(|byte| **byte == b'\n').count()),
        ('w', bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()),
        ('c', bytes.len()),
    ];
    let asked: Vec<String> = counts
        .iter()
        .filter(|(letter, _)| letters.is_empty() || letters.contains(*letter))
        .map(|(_, count)| count.to_string())
        .collect();
    // One total for all files, under the first name.
    let name = files.first().map(|name| format!(" {name}")).unwrap_or_default();
    io.say(&format!("{}{name}", asked.join(" ")));
    code
}

/// `cut`: fields of each line.
pub(super) fn cut(_phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let value = |letter: &str| {
        args.iter().enumerate().find_map(|(at, word)| {
            let rest = word.strip_prefix(letter)?;
            if rest.is_empty() { args.get(at + 1).cloned() } else { Some(rest.to_string()) }
        })
    };
    let sign = value("-d").and_then(|sign| sign.bytes().next()).unwrap_or(b'\t');
    let Some(fields) = value("-f") else { return io.complain("cut: Needs -f") };
    let wanted: Vec<usize> = fields.split(',').filter_map(|field| field.parse().ok()).collect();
    let input = io.input.rest().to_vec();
    for line in lines(&input) {
        let parts: Vec<&[u8]> = line.split(|byte| *byte == sign).collect();
        // Fields count from 1; a missing one is left out.
        let chosen: Vec<&[u8]> =
            wanted.iter().filter_map(|&field| parts.get(field.checked_sub(1)?).copied()).collect();
        io.write(&chosen.join(&sign));
        io.write(b"\n");
    }
    0
}

/// `tr`: replaces or deletes bytes.
pub(super) fn tr(_phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (letters, words) = options(args);
    let set = |word: &str| {
        let plain = word.replace("\\r", "\r").replace("\\n", "\n").replace("\\t", "\t").into_bytes();
        let mut all = Vec::new();
        let mut rest = &plain[..];
        while let [first, after @ ..] = rest {
            rest = match after {
                [b'-', last, more @ ..] if first <= last => {
                    all.extend(*first..=*last);
                    more
                }
                after => {
                    all.push(*first);
                    after
                }
            };
        }
        all
    };
    let Some(from) = words.first().map(|word| set(word)) else { return io.complain("tr: Needs 1 argument") };
    let to = words.get(1).map(|word| set(word)).unwrap_or_default();
    let input = io.input.rest().to_vec();
    let made: Vec<u8> = input
        .into_iter()
        .filter_map(|byte| match from.iter().position(|other| *other == byte) {
            None => Some(byte),
            Some(_) if letters.contains('d') => None,
            // Beyond the second set its last byte stands for the rest.
            Some(at) => Some(to.get(at).or(to.last()).copied().unwrap_or(byte)),
        })
        .collect();
    io.write(&made);
    0
}

/// `sort` and `uniq`.
pub(super) fn sorted(name: &str, args: &[String], io: &mut Io) -> u8 {
    let (letters, _) = options(args);
    let input = io.input.rest().to_vec();
    let mut all: Vec<&[u8]> = lines(&input).collect();
    if name == "sort" {
        // By bytes, as in the locale of the shell.
        all.sort_unstable();
        if letters.contains('r') {
            all.reverse();
        }
    }
    // Equal lines stand next to each other once they are sorted.
    if name == "uniq" || letters.contains('u') {
        all.dedup();
    }
    for line in all {
        io.write(line);
        io.write(b"\n");
    }
    0
}
