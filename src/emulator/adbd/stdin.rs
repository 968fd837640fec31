//! Standard input of a command line, guessed from its words.
//!
//! A host does not announce that it sends no standard input, and an `exec:` stream cannot even announce its end. So a
//! command runs at once unless its words say that it reads. The same words tell which commands run on. These are guesses
//! about common commands, and no shell: running a line is for [`super::Backend::shell`].

/// Input that a command reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// No input: the command can run at once.
    Nothing,
    /// This number of bytes, as `install -S` announces.
    Exactly(u64),
    /// All input until the host announces its end.
    All,
}

/// Behaviour of a command behind its first output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The command ends.
    Ends,
    /// The command prints new log entries as they come.
    Follows,
}

/// A command without its operators and redirections.
#[derive(Debug, Default)]
struct Simple {
    words: Vec<String>,
    /// True if its input comes from a file, or from the command before it.
    is_fed: bool,
}

/// Commands that read all of standard input if they name no file, and commands that always do.
const READS_IF_ALONE: [&str; 12] =
    ["cat", "sh", "md5sum", "sha1sum", "sha256sum", "wc", "sort", "uniq", "base64", "xxd", "od", "gzip"];
const READS_ALWAYS: [&str; 3] = ["tee", "tr", "read"];

/// Flags of `logcat` with which it ends.
const LOGCAT_ENDS: [&str; 11] = ["-d", "-c", "-g", "-S", "-p", "-t", "-m", "-G", "-P", "-h", "-L"];

/// Returns the input that the command line `line` waits for.
pub(super) fn wanted(line: &str) -> Wanted {
    let commands = commands(line);
    let open = commands.iter().filter(|command| !command.is_fed);
    open.map(|command| wanted_by(bare(&command.words)))
        .find(|&wanted| wanted != Wanted::Nothing)
        .unwrap_or(Wanted::Nothing)
}

/// Returns the input that the service command with these arguments waits for.
pub(super) fn wanted_by_service(arguments: &[&str]) -> Wanted {
    match arguments {
        ["package", rest @ ..] => wanted_by_package(rest),
        ["content", "write", ..] => Wanted::All,
        _ => Wanted::Nothing,
    }
}

/// Returns the behaviour of the command line `line` behind its first output.
pub(super) fn ending(line: &str) -> Ending {
    let commands = commands(line);
    let Some((last, before)) = commands.split_last() else { return Ending::Ends };
    let words = bare(&last.words);
    match words.first().map(|word| name_of(word)) {
        // The wire runs the line again for each new entry, so the line may do nothing else.
        Some("logcat") if before.iter().all(only_exports) && !last.is_fed && follows(&words[1..]) => {
            Ending::Follows
        }
        _ => Ending::Ends,
    }
}

/// Returns the status of `exit`, if the line has nothing else: the status given, or the `last` one.
pub(super) fn exit_status(line: &str, last: u8) -> Option<u8> {
    let mut words = line.trim().trim_end_matches(';').split_whitespace();
    let (Some("exit"), status, None) = (words.next(), words.next(), words.next()) else { return None };
    match status {
        None => Some(last),
        // A shell keeps the lowest byte.
        Some(status) => status.parse::<i64>().ok().map(|status| status.to_le_bytes()[0]),
    }
}

/// Returns true if the line reboots the phone.
pub(super) fn is_reboot(line: &str) -> bool {
    let commands = commands(line);
    commands.iter().any(|command| bare(&command.words).first().is_some_and(|word| name_of(word) == "reboot"))
}

fn only_exports(command: &Simple) -> bool {
    command.words.first().is_none_or(|word| word == "export") || bare(&command.words).is_empty()
}

fn follows(flags: &[String]) -> bool {
    let ends = |flag: &String| {
        let short =
            LOGCAT_ENDS.iter().any(|end| flag == end || (flag.starts_with(end) && !flag.starts_with("--")));
        short || ["--clear", "--help", "--last", "--statistics", "--dump"].contains(&flag.as_str())
    };
    !flags.iter().any(ends)
}

fn wanted_by(words: &[String]) -> Wanted {
    let Some((name, rest)) = words.split_first() else { return Wanted::Nothing };
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let operands = rest.iter().filter(|word| **word == "-" || !word.starts_with('-'));
    let is_alone = operands.clone().all(|word| *word == "-");
    match name_of(name) {
        "pm" => wanted_by_package(&rest),
        "cmd" => wanted_by_service(&rest),
        "content" if rest.first() == Some(&"write") => Wanted::All,
        // The first operand is the pattern, so a file would be the second.
        "grep" if operands.count() <= 1 && !rest.contains(&"--help") => Wanted::All,
        "dd" if !rest.iter().any(|word| word.starts_with("if=")) => Wanted::All,
        name if READS_ALWAYS.contains(&name) => Wanted::All,
        // The commands come from the argument, not from the input.
        "sh" if rest.contains(&"-c") => Wanted::Nothing,
        name if READS_IF_ALONE.contains(&name) && is_alone && !rest.contains(&"--help") => Wanted::All,
        _ => Wanted::Nothing,
    }
}

fn wanted_by_package(words: &[&str]) -> Wanted {
    let (Some(&("install" | "install-write")), Some(rest)) = (words.first(), words.get(1..)) else {
        return Wanted::Nothing;
    };
    // An APK on the phone is read from there.
    if rest.iter().any(|word| word.starts_with('/')) {
        return Wanted::Nothing;
    }
    let size = rest.iter().position(|word| *word == "-S").and_then(|at| rest.get(at + 1));
    match size.and_then(|size| size.parse().ok()) {
        Some(0) => Wanted::Nothing,
        Some(size) => Wanted::Exactly(size),
        None if rest.contains(&"-") => Wanted::All,
        None => Wanted::Nothing,
    }
}

/// Returns the name of a tool without its folder.
fn name_of(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Returns the words without the ones that only prepare a command: assignments, `exec`, `timeout 5`, the tool box's name.
fn bare(words: &[String]) -> &[String] {
    let mut words = words;
    while let Some((first, rest)) = words.split_first() {
        words = match name_of(first) {
            "exec" | "toybox" | "busybox" | "nohup" => rest,
            // The word behind it is the time, and no command.
            "timeout" => rest.get(1..).unwrap_or_default(),
            _ if is_assignment(first) => rest,
            _ => break,
        };
    }
    words
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// Splits a line into its commands.
fn commands(line: &str) -> Vec<Simple> {
    let mut commands = vec![Simple::default()];
    // True if the next word is a file behind `<` or `>`, and no word of the command.
    let mut is_file = false;
    for token in tokens(line) {
        let command = commands.last_mut().expect("there is one from the start");
        match token {
            Token::Word(_) if is_file => is_file = false,
            Token::Word(word) => command.words.push(word),
            Token::From => (command.is_fed, is_file) = (true, true),
            Token::Into => is_file = true,
            Token::Pipe => commands.push(Simple { words: Vec::new(), is_fed: true }),
            Token::End => commands.push(Simple::default()),
        }
    }
    // A line may end in an operator or have two in a row.
    commands.retain(|command| !command.words.is_empty());
    commands
}

enum Token {
    Word(String),
    From,
    Into,
    Pipe,
    End,
}

fn tokens(line: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\'' => word.get_or_insert_default().extend(chars.by_ref().take_while(|&char| char != '\'')),
            '"' => in_quotes(&mut chars, word.get_or_insert_default()),
            '\\' => word.get_or_insert_default().extend(chars.next()),
            ' ' | '\t' | '\r' => tokens.extend(word.take().map(Token::Word)),
            '<' | '>' | '|' | '&' | ';' | '\n' | '(' | ')' => {
                let number = word.take();
                // In `2>file` the number names a stream and is no word of the command.
                let is_number = |word: &String| word.chars().all(|char| char.is_ascii_digit());
                tokens.extend(number.filter(|word| char != '>' || !is_number(word)).map(Token::Word));
                tokens.push(operator(char, &mut chars));
            }
            char => word.get_or_insert_default().push(char),
        }
    }
    tokens.extend(word.map(Token::Word));
    tokens
}

fn in_quotes(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, word: &mut String) {
    while let Some(char) = chars.next() {
        match char {
            '"' => return,
            '\\' => word.extend(chars.next()),
            char => word.push(char),
        }
    }
}

fn operator(first: char, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Token {
    let is_twice = chars.next_if_eq(&first).is_some();
    match first {
        '<' => Token::From,
        '>' => {
            chars.next_if_eq(&'&');
            Token::Into
        }
        '|' if !is_twice => Token::Pipe,
        _ => Token::End,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_read_are_waited_for() {
        for (line, expected) in [
            ("echo hi", Wanted::Nothing),
            ("cat", Wanted::All),
            ("cat > /sdcard/f", Wanted::All),
            ("cat /sdcard/f", Wanted::Nothing),
            ("cat < /sdcard/f", Wanted::Nothing),
            ("cat -", Wanted::All),
            ("rm '/data/local/tmp/a b.apk' </dev/null", Wanted::Nothing),
            ("pm list packages | grep x | wc -l", Wanted::Nothing),
            ("grep x", Wanted::All),
            ("grep x /f 2>/dev/null", Wanted::Nothing),
            ("/system/bin/toybox md5sum", Wanted::All),
            ("md5sum 2>&1 /f", Wanted::Nothing),
            ("A=1 exec sh", Wanted::All),
            ("sh -c 'cat /f'", Wanted::Nothing),
            ("dd of=/f bs=1", Wanted::All),
            ("cmd package install -r -S 4970", Wanted::Exactly(4970)),
            ("cmd package 'install' '-S' '12'", Wanted::Exactly(12)),
            ("cmd package install-create -S 9940", Wanted::Nothing),
            ("pm install-write -S 4970 1234 tiny.apk -", Wanted::Exactly(4970)),
            ("pm install-write -S 4970 1234 tiny.apk /data/local/tmp/a", Wanted::Nothing),
            ("pm 'install' '-r' '/data/local/tmp/tiny.apk'", Wanted::Nothing),
            ("pm install -S 99999999999999999999999", Wanted::Nothing),
            ("timeout 5 cat", Wanted::All),
            ("timeout", Wanted::Nothing),
            ("'", Wanted::Nothing),
            ("\\", Wanted::Nothing),
            ("", Wanted::Nothing),
        ] {
            assert_eq!(wanted(line), expected, "{line}");
        }
    }

    #[test]
    fn what_runs_on_is_known_by_its_words() {
        for (line, expected) in [
            ("logcat", Ending::Follows),
            ("export ANDROID_LOG_TAGS=\"''\"; exec logcat '-b' 'crash'", Ending::Follows),
            ("ANDROID_LOG_TAGS='' logcat -v brief *:E", Ending::Follows),
            ("export ANDROID_LOG_TAGS=\"''\"; exec logcat '-b' 'crash' '-d'", Ending::Ends),
            ("logcat -t100", Ending::Ends),
            ("logcat -c", Ending::Ends),
            ("input tap 1 1; logcat", Ending::Ends),
            ("logcat | grep x", Ending::Ends),
            ("", Ending::Ends),
        ] {
            assert_eq!(ending(line), expected, "{line}");
        }
    }

    #[test]
    fn an_exit_says_with_what() {
        for (line, expected) in [
            ("exit", Some(7)),
            (" exit 3; ", Some(3)),
            ("exit 256", Some(0)),
            ("exit -1", Some(255)),
            ("exit x", None),
            ("echo exit", None),
        ] {
            assert_eq!(exit_status(line, 7), expected, "{line}");
        }
    }

    #[test]
    fn a_reboot_is_seen_among_other_commands() {
        assert!(is_reboot("svc power stayon true; /system/bin/reboot -p"));
        assert!(!is_reboot("echo reboot"));
    }
}
