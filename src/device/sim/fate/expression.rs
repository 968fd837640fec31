//! Guards and assignments: what a transition asks for and does, in Python's words or in Ptolemy's.
//!
//! The two differ in how tightly `&` binds: in Python tighter than `==`, in Ptolemy less tightly. What each name stands for
//! is for [`graph`](super::graph) to say.

use std::ops::Range;

use super::quoted::Quoted;
use crate::text::{Diagnostic, Span, clip, is_word_char};

/// Most words and signs in a guard or a line of assignments; it bounds how deep an expression is.
const TOKENS_MAX: usize = 400;

/// Language of guards and assignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Python,
    Ptolemy,
}

/// Expression with its place in the source.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub node: Node,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Bool(bool),
    Int(i64),
    Text(String),
    Name(String),
    Not(Box<Tree>),
    Binary(Operator, Box<Tree>, Box<Tree>),
}

/// Binary operator, from loose to tight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Add,
    Subtract,
}

/// Value given to a variable.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub name: String,
    /// Place of the name.
    pub span: Span,
    pub value: Tree,
}

/// Reads a guard.
pub(super) fn guard(text: &Quoted, dialect: Dialect) -> Result<Tree, Diagnostic> {
    let mut parser = Parser::new(text, 0..text.text().len(), dialect)?;
    let tree = parser.expression()?;
    parser
        .end("an operator or the end is needed", "a guard is like `(product > 0) & (login_check == True)`")?;
    Ok(tree)
}

/// Reads assignments, which line ends or `;` part.
pub(super) fn assignments(text: &Quoted, dialect: Dialect) -> Result<Vec<Assignment>, Diagnostic> {
    let mut all = Vec::new();
    for line in lines(text.text()) {
        let mut parser = Parser::new(text, line, dialect)?;
        if parser.next().is_some() {
            all.push(parser.assignment()?);
        }
    }
    Ok(all)
}

/// Returns the lines of `text`; signs within quotes part nothing.
fn lines(text: &str) -> Vec<Range<usize>> {
    let (mut lines, mut start, mut quote) = (Vec::new(), 0, None);
    let mut is_escaped = false;
    for (at, char) in text.char_indices() {
        match (quote, char) {
            (_, '\n') | (None, ';') => {
                lines.push(start..at);
                (start, quote) = (at + 1, None);
            }
            (Some(_), _) if is_escaped => {}
            (Some(open), _) if open == char => quote = None,
            (None, '"' | '\'') => quote = Some(char),
            _ => {}
        }
        is_escaped = char == '\\' && !is_escaped;
    }
    lines.push(start..text.len());
    lines
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Int(i64),
    Text(String),
    Sign(&'static str),
}

/// Signs, those first that begin with others.
const SIGNS: [&str; 17] =
    ["==", "!=", "<=", ">=", "&&", "||", "<", ">", "&", "|", "!", "=", "+", "-", "(", ")", "*"];

struct Parser<'a> {
    text: &'a Quoted,
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    /// End of what is read.
    end: usize,
    dialect: Dialect,
}

impl<'a> Parser<'a> {
    fn new(text: &'a Quoted, line: Range<usize>, dialect: Dialect) -> Result<Parser<'a>, Diagnostic> {
        let mut parser = Parser { text, tokens: Vec::new(), at: 0, end: line.end, dialect };
        let mut at = line.start;
        loop {
            let rest = &text.text()[at..line.end];
            at += rest.len() - rest.trim_start().len();
            let rest = &text.text()[at..line.end];
            if rest.is_empty() {
                return Ok(parser);
            }
            if parser.tokens.len() == TOKENS_MAX {
                let message =
                    format!("a guard or an assignment may have {TOKENS_MAX} words, and this has more");
                return Err(Diagnostic::error("E-too-large", text.span_of(at..line.end), message));
            }
            let (token, length) = parser.token(rest, at)?;
            parser.tokens.push((token, at..at + length));
            at += length;
        }
    }

    fn token(&self, rest: &str, at: usize) -> Result<(Token, usize), Diagnostic> {
        let first = rest.chars().next().unwrap_or_default();
        if first == '"' || first == '\'' {
            return self.quoted(rest, first, at);
        }
        let word = rest.len() - rest.trim_start_matches(is_word_char).len();
        if word == 0 {
            if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                return Ok((Token::Sign(sign), sign.len()));
            }
            let place = self.text.span_of(at..at + first.len_utf8());
            return Err(
                Diagnostic::error("E-expression", place, format!("`{first}` means nothing here")).help(WORDS)
            );
        }
        let written = &rest[..word];
        if !first.is_ascii_digit() {
            return Ok((Token::Word(written.to_string()), word));
        }
        let place = self.text.span_of(at..at + word);
        let number = written.parse().map_err(|_| {
            Diagnostic::error("E-number", place, format!("`{}` is no whole number of 63 bits", clip(written)))
                .help("numbers are like 0 or 12")
        })?;
        Ok((Token::Int(number), word))
    }

    fn quoted(&self, rest: &str, quote: char, at: usize) -> Result<(Token, usize), Diagnostic> {
        let (mut text, mut is_escaped) = (String::new(), false);
        for (place, char) in rest.char_indices().skip(1) {
            match char {
                '\\' if !is_escaped => {
                    is_escaped = true;
                    continue;
                }
                'n' if is_escaped => text.push('\n'),
                't' if is_escaped => text.push('\t'),
                '\\' | '"' | '\'' if is_escaped => text.push(char),
                _ if is_escaped => {
                    let place = self.text.span_of(at + place - 1..at + place + char.len_utf8());
                    return Err(Diagnostic::error("E-escape", place, format!("`\\{char}` is no escape"))
                        .help("escapes are \\n, \\t, \\\\, \\' and \\\""));
                }
                _ if char == quote => return Ok((Token::Text(text), place + 1)),
                _ => text.push(char),
            }
            is_escaped = false;
        }
        let place = self.text.span_of(at..at + 1);
        Err(Diagnostic::error("E-quote", place, "this quote is never closed")
            .help(format!("close it with `{quote}`")))
    }

    fn next(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    /// Returns the bytes of the next word or sign.
    fn place(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(self.end..self.end, |(_, place)| place.clone())
    }

    /// Takes the next token if it is one of these signs or words.
    fn take(&mut self, wanted: &[&str]) -> bool {
        let is_next = match self.next() {
            Some(Token::Sign(sign)) => wanted.contains(sign),
            Some(Token::Word(word)) => wanted.contains(&word.as_str()),
            Some(Token::Int(_) | Token::Text(_)) | None => false,
        };
        self.at += usize::from(is_next);
        is_next
    }

    fn mistake(&self, wanted: &str, help: &str) -> Diagnostic {
        let place = self.place();
        let found = match &self.text.text()[place.clone()] {
            "" => "the text ends".to_string(),
            found => format!("`{}` stands", clip(found)),
        };
        Diagnostic::error("E-expression", self.text.span_of(place), format!("{found} where {wanted}"))
            .help(help)
    }

    fn end(&self, wanted: &str, help: &str) -> Result<(), Diagnostic> {
        if self.at == self.tokens.len() { Ok(()) } else { Err(self.mistake(wanted, help)) }
    }

    fn assignment(&mut self) -> Result<Assignment, Diagnostic> {
        let help = "an assignment is like `x = True`, `x = input_text` or `x = x + 1`";
        let place = self.place();
        let Some(Token::Word(name)) = self.next().cloned() else {
            return Err(self.mistake("a variable is needed", help));
        };
        self.at += 1;
        if !self.take(&["="]) {
            return Err(self.mistake("`=` is needed", help));
        }
        let value = self.expression()?;
        self.end("an operator or the end is needed", help)?;
        Ok(Assignment { name, span: self.text.span_of(place), value })
    }

    fn expression(&mut self) -> Result<Tree, Diagnostic> {
        self.chain(&["or", "||"], Operator::Or, Parser::conjunction)
    }

    fn conjunction(&mut self) -> Result<Tree, Diagnostic> {
        self.chain(&["and", "&&"], Operator::And, Parser::negation)
    }

    /// Reads operands of `signs`, as many as follow each other.
    fn chain(
        &mut self,
        signs: &[&str],
        operator: Operator,
        operand: fn(&mut Self) -> Result<Tree, Diagnostic>,
    ) -> Result<Tree, Diagnostic> {
        let mut left = operand(self)?;
        while self.take(signs) {
            let right = operand(self)?;
            left = binary(operator, left, right);
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Tree, Diagnostic> {
        let start = self.place().start;
        if self.take(&["not"]) {
            let operand = self.negation()?;
            return Ok(self.not(start, operand));
        }
        match self.dialect {
            Dialect::Python => self.comparison(),
            Dialect::Ptolemy => self.chain(&["&"], Operator::And, Parser::comparison),
        }
    }

    fn not(&self, start: usize, operand: Tree) -> Tree {
        let span = self.text.span_of(start..start).start..operand.span.end;
        Tree { node: Node::Not(Box::new(operand)), span }
    }

    fn comparison(&mut self) -> Result<Tree, Diagnostic> {
        let left = self.compared()?;
        let Some(operator) = self.comparing() else { return Ok(left) };
        let right = self.compared()?;
        let again = self.at;
        if self.comparing().is_some() {
            self.at = again;
            // Python reads a chain as its links joined by `and`, other languages from left to right.
            return Err(self.mistake(
                "one comparison has ended",
                "join two comparisons by `and`, or put one in brackets",
            ));
        }
        Ok(binary(operator, left, right))
    }

    fn comparing(&mut self) -> Option<Operator> {
        const ALL: [(&str, Operator); 6] = [
            ("==", Operator::Equal),
            ("!=", Operator::NotEqual),
            ("<", Operator::Less),
            ("<=", Operator::AtMost),
            (">", Operator::Greater),
            (">=", Operator::AtLeast),
        ];
        ALL.iter().find(|(sign, _)| self.take(&[sign])).map(|&(_, operator)| operator)
    }

    /// Reads a side of a comparison.
    fn compared(&mut self) -> Result<Tree, Diagnostic> {
        match self.dialect {
            Dialect::Python => self.chain(&["&"], Operator::And, Parser::sum),
            Dialect::Ptolemy => self.sum(),
        }
    }

    fn sum(&mut self) -> Result<Tree, Diagnostic> {
        let mut left = self.operand()?;
        loop {
            let operator = if self.take(&["+"]) {
                Operator::Add
            } else if self.take(&["-"]) {
                Operator::Subtract
            } else {
                return Ok(left);
            };
            let right = self.operand()?;
            left = binary(operator, left, right);
        }
    }

    fn operand(&mut self) -> Result<Tree, Diagnostic> {
        let place = self.place();
        let span = self.text.span_of(place.clone());
        if self.take(&["!"]) {
            let operand = self.operand()?;
            return Ok(self.not(place.start, operand));
        }
        if self.take(&["-"]) {
            return match self.next() {
                Some(&Token::Int(number)) => {
                    let end = self.text.span_of(self.place()).end;
                    self.at += 1;
                    Ok(Tree { node: Node::Int(-number), span: span.start..end })
                }
                Some(_) | None => Err(self.mistake("a number is needed", WORDS)),
            };
        }
        if self.take(&["("]) {
            let within = self.expression()?;
            if !self.take(&[")"]) {
                return Err(self.mistake("`)` is needed", "each `(` has its `)`"));
            }
            return Ok(within);
        }
        let node = match self.next() {
            Some(Token::Int(number)) => Node::Int(*number),
            Some(Token::Text(text)) => Node::Text(text.clone()),
            Some(Token::Word(word)) => match word.as_str() {
                "True" | "true" => Node::Bool(true),
                "False" | "false" => Node::Bool(false),
                "and" | "or" | "not" => return Err(self.mistake("a value is needed", WORDS)),
                _ => Node::Name(word.clone()),
            },
            Some(Token::Sign(_)) | None => return Err(self.mistake("a value is needed", WORDS)),
        };
        self.at += 1;
        Ok(Tree { node, span })
    }
}

const WORDS: &str = "values are variables, whole numbers, True, False and texts in quotes; operators are \
                     == != < <= > >= + - & and or not";

fn binary(operator: Operator, left: Tree, right: Tree) -> Tree {
    let span = left.span.start..right.span.end;
    Tree { node: Node::Binary(operator, Box::new(left), Box::new(right)), span }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str) -> Quoted {
        let mut quoted = Quoted::new(0);
        for (at, char) in text.char_indices() {
            quoted.push(char, at, at + char.len_utf8());
        }
        quoted.at(0..text.len())
    }

    /// Writes an expression with all brackets.
    fn shown(tree: &Tree) -> String {
        match &tree.node {
            Node::Bool(bool) => bool.to_string(),
            Node::Int(int) => int.to_string(),
            Node::Text(text) => format!("{text:?}"),
            Node::Name(name) => name.clone(),
            Node::Not(operand) => format!("not({})", shown(operand)),
            Node::Binary(operator, left, right) => format!("{operator:?}({}, {})", shown(left), shown(right)),
        }
    }

    fn said(mistake: &Diagnostic) -> String {
        format!("{:?}: {}", mistake.span, mistake.message)
    }

    #[track_caller]
    fn check(text: &str, dialect: Dialect, expected: &str) {
        match guard(&quoted(text), dialect) {
            Ok(tree) => assert_eq!(shown(&tree), expected),
            Err(mistake) => assert_eq!(said(&mistake), expected),
        }
    }

    #[test]
    fn operators_bind_as_in_python() {
        check("(a==b) & (c == \"x\")", Dialect::Python, "And(Equal(a, b), Equal(c, \"x\"))");
        check("a & b == c", Dialect::Python, "Equal(And(a, b), c)");
        check("a == b & c", Dialect::Python, "Equal(a, And(b, c))");
        check("not a == b and c or d", Dialect::Python, "Or(And(not(Equal(a, b)), c), d)");
        check("n - 1 - m >= -2", Dialect::Python, "AtLeast(Subtract(Subtract(n, 1), m), -2)");
        check(
            "a != True and b < 3 and c <= 4",
            Dialect::Python,
            "And(And(NotEqual(a, true), Less(b, 3)), AtMost(c, 4))",
        );
    }

    #[test]
    fn operators_bind_as_in_ptolemy() {
        check("a == b & c == d", Dialect::Ptolemy, "And(Equal(a, b), Equal(c, d))");
        check("a==b && !c || true", Dialect::Ptolemy, "Or(And(Equal(a, b), not(c)), true)");
    }

    #[test]
    fn mistakes_have_their_place() {
        check("a == b == c", Dialect::Python, "7..9: `==` stands where one comparison has ended");
        check("a = b", Dialect::Python, "2..3: `=` stands where an operator or the end is needed");
        check("(a", Dialect::Python, "2..2: the text ends where `)` is needed");
        check("a and", Dialect::Python, "5..5: the text ends where a value is needed");
        check("a ^ b", Dialect::Python, "2..3: `^` means nothing here");
        check("a == 'b", Dialect::Python, "5..6: this quote is never closed");
        check(
            "a > 9223372036854775808",
            Dialect::Python,
            "4..23: `9223372036854775808` is no whole number of 63 bits",
        );
        check("", Dialect::Python, "0..0: the text ends where a value is needed");
    }

    #[test]
    fn a_long_expression_is_a_mistake_and_a_deep_one_is_read() {
        let deep = format!("{}a{}", "(".repeat(190), ")".repeat(190));
        check(&deep, Dialect::Python, "a");
        assert_eq!(
            guard(&quoted(&"!".repeat(100_000)), Dialect::Ptolemy).expect_err("too long").code,
            "E-too-large"
        );
    }

    #[test]
    fn assignments_are_parted_by_lines_and_semicolons() {
        for text in ["a = True\nb=\"x;y\"; c = c + 1;\n", "a=true;b = 'x;y'\n\nc = c+1"] {
            let all = assignments(&quoted(text), Dialect::Ptolemy).expect("assignments");
            let all: Vec<String> =
                all.iter().map(|one| format!("{}={}", one.name, shown(&one.value))).collect();
            assert_eq!(all, ["a=true", "b=\"x;y\"", "c=Add(c, 1)"]);
        }
        for (text, expected) in [
            ("a", "1..1: the text ends where `=` is needed"),
            ("a += 1", "2..3: `+` stands where `=` is needed"),
            ("1 = a", "0..1: `1` stands where a variable is needed"),
            ("a = 1 b = 2", "6..7: `b` stands where an operator or the end is needed"),
        ] {
            assert_eq!(said(&assignments(&quoted(text), Dialect::Python).expect_err("a mistake")), expected);
        }
    }
}
