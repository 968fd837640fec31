//! The syntax of the phone's shell: a line in, commands out.
//!
//! It is the common part of mksh and all other shells, as far as clients use it. Running the commands is for
//! [`super::shell`].

/// Deepest nesting of brackets, braces and substitutions.
const DEPTH_MAX: u32 = 50;

/// Commands, each with the condition on the one before it.
pub(super) type List = Vec<(Joint, Pipeline)>;

/// Condition on the command before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    Always,
    /// After `&&`.
    And,
    /// After `||`.
    Or,
}

/// Commands, each with the output of the one before as its input.
#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    pub is_negated: bool,
    /// True if `&` follows: the shell does not wait for it.
    pub is_behind: bool,
    pub stages: Vec<Stage>,
}

/// A command with its redirections.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub command: Command,
    pub redirects: Vec<Redirect>,
}

#[derive(Clone, Debug)]
pub(super) enum Command {
    Simple {
        sets: Vec<(String, Word)>,
        words: Vec<Word>,
    },
    /// `{ ...; }`
    Group(List),
    /// `( ... )`
    Apart(List),
    If {
        arms: Vec<(List, List)>,
        otherwise: Option<List>,
    },
    Loop {
        is_until: bool,
        condition: List,
        body: List,
    },
    For {
        name: String,
        words: Vec<Word>,
        body: List,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Redirect {
    pub stream: u8,
    pub to: Target,
}

#[derive(Clone, Debug)]
pub(super) enum Target {
    /// `< file`
    From(Word),
    /// `> file`, `>> file`
    File { word: Word, is_added: bool },
    /// `>& 1`
    Stream(u8),
}

/// A word: parts that are joined.
pub(super) type Word = Vec<Part>;

/// Quotes around a part of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    /// No quotes: blanks split the word, and patterns name files.
    Bare,
    Quoted,
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Literal text.
    Text { text: String, quoting: Quoting },
    /// `$name`, with its replacement if the variable is empty or unset.
    Variable { name: String, otherwise: Option<String>, quoting: Quoting },
    /// `$( ... )`
    Output { list: List, quoting: Quoting },
    /// `$(( ... ))`
    Sum { text: String, quoting: Quoting },
}

/// Reason why a line is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SyntaxError {
    #[error("syntax error: unexpected '{0}'")]
    Unexpected(String),
    #[error("syntax error: unexpected EOF")]
    End,
    #[error("no closing quote")]
    Quote,
    #[error("bad substitution")]
    Substitution,
    #[error("too deeply nested")]
    Deep,
}

/// Parses a text into commands.
pub(super) fn parse(text: &str) -> Result<List, SyntaxError> {
    let mut parser = Parser { letters: text.chars().collect(), at: 0, depth: 0 };
    let list = parser.list(&[])?;
    match parser.peek() {
        None => Ok(list),
        Some(letter) => Err(SyntaxError::Unexpected(letter.to_string())),
    }
}

/// Reserved words at the start of a command.
const RESERVED: [&str; 12] =
    ["then", "elif", "else", "fi", "do", "done", "}", "if", "while", "until", "for", "{"];

struct Parser {
    letters: Vec<char>,
    at: usize,
    depth: u32,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn is_next(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(offset, letter)| self.letters.get(self.at + offset) == Some(&letter))
    }

    fn take(&mut self, text: &str) -> bool {
        let is_next = self.is_next(text);
        if is_next {
            self.at += text.chars().count();
        }
        is_next
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.is_next("\\\n") => self.at += 2,
                Some('#') => {
                    while self.peek().is_some_and(|letter| letter != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    fn skip_lines(&mut self) {
        self.skip_blanks();
        while self.peek() == Some('\n') {
            self.at += 1;
            self.skip_blanks();
        }
    }

    /// Parses commands up to one of the words `ends`, a closing bracket, or the end.
    fn list(&mut self, ends: &[&str]) -> Result<List, SyntaxError> {
        self.depth += 1;
        // Substitutions parse their text in a parser of its own, which inherits the depth.
        if self.depth > DEPTH_MAX {
            return Err(SyntaxError::Deep);
        }
        let mut list = List::new();
        let mut joint = Joint::Always;
        loop {
            self.skip_lines();
            let is_end = match self.peek() {
                None | Some(')') => true,
                Some(_) => self.reserved().is_some_and(|word| ends.contains(&word)),
            };
            if is_end {
                // `&&` and `||` need a command behind them.
                if joint != Joint::Always {
                    return Err(SyntaxError::End);
                }
                break;
            }
            let mut pipeline = self.pipeline()?;
            self.skip_blanks();
            // `&` ends the command like `;`, so it is only looked at here and taken below.
            pipeline.is_behind = self.peek() == Some('&') && !self.is_next("&&");
            list.push((joint, pipeline));
            joint = if self.take("&&") {
                Joint::And
            } else if self.take("||") {
                Joint::Or
            } else {
                match self.peek() {
                    None | Some(')') => break,
                    Some(';' | '&' | '\n') => self.at += 1,
                    Some(letter) => return Err(SyntaxError::Unexpected(letter.to_string())),
                }
                Joint::Always
            };
        }
        self.depth -= 1;
        Ok(list)
    }

    fn pipeline(&mut self) -> Result<Pipeline, SyntaxError> {
        self.skip_blanks();
        let mut is_negated = false;
        // A `!` without a blank behind it belongs to a word.
        while self.is_next("! ") {
            self.at += 2;
            is_negated = !is_negated;
            self.skip_blanks();
        }
        let mut stages = vec![self.stage()?];
        loop {
            self.skip_blanks();
            if self.peek() != Some('|') || self.is_next("||") {
                return Ok(Pipeline { is_negated, is_behind: false, stages });
            }
            self.at += 1;
            self.skip_lines();
            stages.push(self.stage()?);
        }
    }

    /// Returns the reserved word that is next, if it stands alone.
    fn reserved(&self) -> Option<&'static str> {
        RESERVED.into_iter().find(|word| {
            // `done.txt` is no `done`.
            let after = self.letters.get(self.at + word.chars().count());
            self.is_next(word) && after.is_none_or(|&letter| " \t\r\n;&|()<>".contains(letter))
        })
    }

    fn expect(&mut self, word: &'static str) -> Result<(), SyntaxError> {
        self.skip_lines();
        if self.reserved() == Some(word) {
            self.at += word.chars().count();
            return Ok(());
        }
        Err(self.unexpected())
    }

    fn unexpected(&self) -> SyntaxError {
        self.peek().map_or(SyntaxError::End, |letter| SyntaxError::Unexpected(letter.to_string()))
    }

    fn stage(&mut self) -> Result<Stage, SyntaxError> {
        self.skip_blanks();
        let command = match self.peek() {
            Some('(') => {
                self.at += 1;
                let list = self.list(&[])?;
                if !self.take(")") {
                    return Err(self.unexpected());
                }
                Command::Apart(list)
            }
            Some(_) => match self.reserved() {
                None => return self.simple(),
                Some(word) => {
                    self.at += word.chars().count();
                    self.compound(word)?
                }
            },
            None => return Err(SyntaxError::End),
        };
        let mut redirects = Vec::new();
        // A compound command has its redirections behind it, a simple one anywhere.
        while let Some(redirect) = self.redirect()? {
            redirects.push(redirect);
        }
        Ok(Stage { command, redirects })
    }

    fn compound(&mut self, word: &str) -> Result<Command, SyntaxError> {
        match word {
            "{" => {
                let list = self.list(&["}"])?;
                self.expect("}")?;
                Ok(Command::Group(list))
            }
            "if" => self.choice(),
            "while" | "until" => {
                let condition = self.list(&["do"])?;
                let body = self.body()?;
                Ok(Command::Loop { is_until: word == "until", condition, body })
            }
            "for" => self.each(),
            other => Err(SyntaxError::Unexpected(other.to_string())),
        }
    }

    fn choice(&mut self) -> Result<Command, SyntaxError> {
        let mut arms = Vec::new();
        loop {
            let condition = self.list(&["then"])?;
            self.expect("then")?;
            arms.push((condition, self.list(&["elif", "else", "fi"])?));
            match self.reserved() {
                Some("elif") => self.at += 4,
                Some("else") => {
                    self.at += 4;
                    let otherwise = self.list(&["fi"])?;
                    self.expect("fi")?;
                    return Ok(Command::If { arms, otherwise: Some(otherwise) });
                }
                _ => {
                    self.expect("fi")?;
                    return Ok(Command::If { arms, otherwise: None });
                }
            }
        }
    }

    fn body(&mut self) -> Result<List, SyntaxError> {
        self.expect("do")?;
        let body = self.list(&["done"])?;
        self.expect("done")?;
        Ok(body)
    }

    fn each(&mut self) -> Result<Command, SyntaxError> {
        self.skip_blanks();
        let name = self.name();
        self.skip_blanks();
        let mut words = Vec::new();
        if name.is_empty() {
            return Err(self.unexpected());
        }
        // Without `in` a loop goes over the arguments of the script, and there are none.
        if self.take("in") {
            self.skip_blanks();
            while let Some(word) = self.word()? {
                words.push(word);
                self.skip_blanks();
            }
        }
        if self.peek() == Some(';') {
            self.at += 1;
        }
        Ok(Command::For { name, words, body: self.body()? })
    }

    fn simple(&mut self) -> Result<Stage, SyntaxError> {
        let (mut sets, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if words.is_empty()
                && let Some(name) = self.set_name()
            {
                sets.push((name, self.word()?.unwrap_or_default()));
                continue;
            }
            match self.word()? {
                Some(word) => words.push(word),
                None => break,
            }
        }
        if words.is_empty() && sets.is_empty() && redirects.is_empty() {
            return Err(self.unexpected());
        }
        Ok(Stage { command: Command::Simple { sets, words }, redirects })
    }

    /// Takes `name=`, if that is next.
    fn set_name(&mut self) -> Option<String> {
        let start = self.at;
        let name = self.name();
        if !name.is_empty() && self.take("=") {
            return Some(name);
        }
        self.at = start;
        None
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(letter) = self.peek() {
            let is_first = name.is_empty();
            if letter == '_' || letter.is_ascii_alphabetic() || (!is_first && letter.is_ascii_digit()) {
                name.push(letter);
                self.at += 1;
            } else {
                break;
            }
        }
        name
    }

    fn redirect(&mut self) -> Result<Option<Redirect>, SyntaxError> {
        self.skip_blanks();
        // A digit right before the sign names the stream: `2>file`.
        let digit = self.peek().and_then(|letter| letter.to_digit(10));
        let sign = if digit.is_some() { self.letters.get(self.at + 1) } else { self.letters.get(self.at) };
        let Some(&sign @ ('<' | '>')) = sign else { return Ok(None) };
        self.at += 1 + usize::from(digit.is_some());
        let stream = digit.map_or(u8::from(sign == '>'), |digit| digit as u8);
        let is_added = sign == '>' && self.take(">");
        if self.take("&") {
            let to = self.peek().and_then(|letter| letter.to_digit(10)).ok_or_else(|| self.unexpected())?;
            self.at += 1;
            return Ok(Some(Redirect { stream, to: Target::Stream(to as u8) }));
        }
        // `>|` overwrites, as `>` does here.
        if sign == '>' {
            self.take("|");
        }
        self.skip_blanks();
        let word = self.word()?.ok_or_else(|| self.unexpected())?;
        let to = if sign == '<' { Target::From(word) } else { Target::File { word, is_added } };
        Ok(Some(Redirect { stream, to }))
    }

    /// Parses the next word, if there is one.
    fn word(&mut self) -> Result<Option<Word>, SyntaxError> {
        let mut word = Word::new();
        let mut plain = String::new();
        let start = self.at;
        let flush = |plain: &mut String, word: &mut Word| {
            if !plain.is_empty() {
                word.push(Part::Text { text: std::mem::take(plain), quoting: Quoting::Bare });
            }
        };
        while let Some(letter) = self.peek() {
            match letter {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\\' => {
                    self.at += 1;
                    if let Some(next) = self.peek() {
                        self.at += 1;
                        if next != '\n' {
                            flush(&mut plain, &mut word);
                            word.push(Part::Text { text: next.to_string(), quoting: Quoting::Quoted });
                        }
                    }
                }
                // In single quotes nothing has a meaning, the backslash included.
                '\'' => {
                    flush(&mut plain, &mut word);
                    self.at += 1;
                    let length = self.letters[self.at..].iter().position(|&letter| letter == '\'');
                    let end = self.at + length.ok_or(SyntaxError::Quote)?;
                    let text = self.letters[self.at..end].iter().collect();
                    word.push(Part::Text { text, quoting: Quoting::Quoted });
                    self.at = end + 1;
                }
                '"' => {
                    flush(&mut plain, &mut word);
                    self.at += 1;
                    self.quoted(&mut word)?;
                }
                '$' => {
                    flush(&mut plain, &mut word);
                    let part = self.dollar(Quoting::Bare)?;
                    word.push(part);
                }
                '`' => {
                    flush(&mut plain, &mut word);
                    let part = self.backticks(Quoting::Bare)?;
                    word.push(part);
                }
                letter => {
                    plain.push(letter);
                    self.at += 1;
                }
            }
        }
        flush(&mut plain, &mut word);
        Ok((self.at > start).then_some(word))
    }

    fn quoted(&mut self, word: &mut Word) -> Result<(), SyntaxError> {
        let mut text = String::new();
        // `""` is a word, an empty one.
        let mut is_empty = true;
        loop {
            match self.peek().ok_or(SyntaxError::Quote)? {
                '"' => {
                    self.at += 1;
                    break;
                }
                '\\' => {
                    self.at += 1;
                    match self.peek().ok_or(SyntaxError::Quote)? {
                        // In quotes a backslash quotes only these; before others it stays.
                        letter @ ('$' | '`' | '"' | '\\') => text.push(letter),
                        '\n' => {}
                        letter => text.extend(['\\', letter]),
                    }
                    self.at += 1;
                }
                sign @ ('$' | '`') => {
                    if !text.is_empty() {
                        word.push(Part::Text { text: std::mem::take(&mut text), quoting: Quoting::Quoted });
                    }
                    is_empty = false;
                    let part = if sign == '$' {
                        self.dollar(Quoting::Quoted)
                    } else {
                        self.backticks(Quoting::Quoted)
                    }?;
                    word.push(part);
                }
                letter => {
                    text.push(letter);
                    self.at += 1;
                }
            }
        }
        if is_empty || !text.is_empty() {
            word.push(Part::Text { text, quoting: Quoting::Quoted });
        }
        Ok(())
    }

    fn backticks(&mut self, quoting: Quoting) -> Result<Part, SyntaxError> {
        self.at += 1;
        // Backticks do not nest, so the next one closes.
        let length = self.letters[self.at..].iter().position(|&letter| letter == '`');
        let end = self.at + length.ok_or(SyntaxError::Quote)?;
        let letters = self.letters[self.at..end].to_vec();
        self.at = end + 1;
        let mut inner = Parser { letters, at: 0, depth: self.depth };
        let list = inner.list(&[])?;
        match inner.peek() {
            None => Ok(Part::Output { list, quoting }),
            Some(_) => Err(inner.unexpected()),
        }
    }

    fn dollar(&mut self, quoting: Quoting) -> Result<Part, SyntaxError> {
        self.at += 1;
        let variable = |name: String| Part::Variable { name, otherwise: None, quoting };
        match self.peek() {
            Some('(') => {
                // Two brackets may also open a subshell within a substitution.
                if let Some(text) = self.sum() {
                    return Ok(Part::Sum { text, quoting });
                }
                self.at += 1;
                let list = self.list(&[])?;
                if !self.take(")") {
                    return Err(self.unexpected());
                }
                Ok(Part::Output { list, quoting })
            }
            Some('{') => {
                self.at += 1;
                let name = match self.peek() {
                    Some(sign @ ('?' | '$' | '#' | '0')) => {
                        self.at += 1;
                        sign.to_string()
                    }
                    _ => self.name(),
                };
                // Of the forms of a substitution clients use this one.
                let otherwise = if self.take(":-") { Some(self.up_to_brace()) } else { None };
                if name.is_empty() || !self.take("}") {
                    return Err(SyntaxError::Substitution);
                }
                Ok(Part::Variable { name, otherwise, quoting })
            }
            Some(sign @ ('?' | '$' | '#' | '@' | '*' | '!' | '0'..='9')) => {
                self.at += 1;
                Ok(variable(sign.to_string()))
            }
            _ => {
                let name = self.name();
                // A dollar without a name stands for itself.
                if name.is_empty() {
                    return Ok(Part::Text { text: "$".to_string(), quoting: Quoting::Quoted });
                }
                Ok(variable(name))
            }
        }
    }

    /// Takes an arithmetic expression in its double brackets, if there is one.
    fn sum(&mut self) -> Option<String> {
        let inner = self.letters[self.at..].strip_prefix(&['(', '('])?;
        let mut open = 0_usize;
        for (length, pair) in inner.windows(2).enumerate() {
            match pair {
                [')', ')'] if open == 0 => {
                    self.at += length + 4;
                    return Some(inner[..length].iter().collect());
                }
                // One bracket alone closes what `((` opened: then it was no expression.
                [')', _] => open = open.checked_sub(1)?,
                ['(', _] => open += 1,
                _ => {}
            }
        }
        None
    }

    fn up_to_brace(&mut self) -> String {
        let mut text = String::new();
        while let Some(letter) = self.peek().filter(|&letter| letter != '}') {
            text.push(letter);
            self.at += 1;
        }
        text
    }
}
