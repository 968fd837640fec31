//! Formulas: from the flat pairs of the grammar to [`Formula`]. Operators bind here, and those that need brackets beside
//! each other are found here.
//!
//! The size of a formula is counted with `let`s and bounds of past operators written out, before anything of that size is
//! made.

use std::iter::Peekable;

use pest::iterators::{Pair, Pairs};

use super::grammar::Rule;
use super::items::{NESTING_MAX, OPERATORS_MAX, too_deep, too_many_operators};
use crate::ltl::{Bound, Formula, Formulas, Unit};
use crate::text::{Diagnostic, Span, clip, span};

/// Largest step that a bound may name.
pub(super) const STEP_MAX: u32 = 1_000_000;

/// Longest time of a bound, in milliseconds: an hour.
pub const TIME_MAX_MS: u32 = 3_600_000;

/// Longest time to whose multiples a spec has times rounded down.
pub(super) const QUANTUM_MAX_MS: u32 = 60_000;

/// Formula as it was read, with its size as it is written.
#[derive(Clone, Debug)]
pub(super) struct Lowered {
    pub formula: Formula,
    /// Number of operators, written out. A part has at most [`OPERATORS_MAX`] of them by its `let`s and bounds, and there
    /// are at most a million parts: sums and products do not overflow.
    pub operators: u64,
    /// Depth of nesting, written out.
    pub nesting: u64,
    span: Span,
    top: Top,
}

/// Top operator of a formula, as far as the operators beside it need to know it.
#[derive(Clone, Debug)]
enum Top {
    /// Name, atom, constant, or formula in brackets.
    Operand,
    Not,
    /// Temporal prefix, with the first byte of its operand.
    Prefixed(usize),
    /// `left U left U last`.
    Until(Vec<(Bound, Formula)>, Formula),
    Infix,
}

impl Lowered {
    /// Returns `formula`, which is this one below a prefix that starts at `start` and reaches to the end of its group, so that
    /// no operand follows.
    fn below_a_prefix(self, formula: Formula, start: usize) -> Lowered {
        Lowered {
            formula,
            operators: self.operators + 1,
            nesting: self.nesting + 1,
            top: Top::Prefixed(self.span.start),
            span: start..self.span.end,
        }
    }

    /// Returns the formula with its operators and nesting, as they count where its name is used.
    pub fn used_by_name(&self) -> (Formula, u64, u64) {
        let brackets = match self.top {
            Top::Operand | Top::Not | Top::Prefixed(_) => 0,
            // In the place of its name, this needs brackets.
            Top::Until(..) | Top::Infix => 1,
        };
        (self.formula, self.operators, self.nesting + brackets)
    }
}

/// Operands of a formula.
pub(super) trait Operands {
    /// Returns the formula, operators and nesting of a name, or reports why there is none.
    fn name(&mut self, name: &str, span: Span) -> Option<(Formula, u64, u64)>;
    /// Returns the formula of a bracket, or reports its mistakes.
    fn atom(&mut self, atom: Pair<'_, Rule>) -> Option<Formula>;
    /// Reads the name that a pair `keep` keeps and the term of its value, and reports their mistakes; the name is known to
    /// the brackets from now on.
    fn open_keep(&mut self, keep: Pair<'_, Rule>) -> Option<String>;
    /// Ends the part of the formula in which the last kept name is known. Returns the mistake if no bracket has it.
    fn close_keep(&mut self) -> Option<Diagnostic>;
    fn formulas(&mut self) -> &mut Formulas;
    fn add(&mut self, diagnostic: Diagnostic);
}

/// Returns the formula of the pair `expression`, `None` if it has mistakes.
///
/// `text` is the source, in which the parsed item starts at `offset`. Without `may_make` mistakes are reported, and no
/// formula is made.
pub(super) fn lower(
    expression: Pair<'_, Rule>,
    text: &str,
    offset: usize,
    operands: &mut dyn Operands,
    may_make: bool,
) -> Option<Lowered> {
    // Recursion is bounded: the nesting of the item was measured before it was parsed.
    let mut reader = Reader { text, offset, operands, is_spoiled: false, may_make };
    let lowered = reader.expression(expression);
    if reader.is_spoiled || !may_make {
        return None;
    }
    // `let`s are written out only now: the scan of the item could not count them.
    if lowered.operators > OPERATORS_MAX {
        operands.add(too_many_operators(lowered.span));
        return None;
    }
    if lowered.nesting > NESTING_MAX {
        operands.add(too_deep(lowered.span));
        return None;
    }
    Some(lowered)
}

type Tokens<'i> = Peekable<Pairs<'i, Rule>>;

struct Reader<'a> {
    text: &'a str,
    offset: usize,
    operands: &'a mut dyn Operands,
    /// True after a mistake. The rest is still read, for its own mistakes.
    is_spoiled: bool,
    may_make: bool,
}

impl Reader<'_> {
    fn formulas(&mut self) -> &mut Formulas {
        self.operands.formulas()
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        self.is_spoiled = true;
        self.operands.add(diagnostic);
    }

    fn expression(&mut self, expression: Pair<'_, Rule>) -> Lowered {
        self.then_level(&mut expression.into_inner().peekable())
    }

    fn then_level(&mut self, tokens: &mut Tokens<'_>) -> Lowered {
        // `then` groups to the right: what follows is said of the step after.
        let mut units = self.chain(tokens, Rule::then, Reader::iff_level);
        let mut last = units.pop().expect("a chain has a member");
        while let Some(left) = units.pop() {
            last = self.then(left, last);
        }
        last
    }

    /// Joins `left then right`: `right` starts one step after the last step of `left`.
    fn then(&mut self, left: Lowered, right: Lowered) -> Lowered {
        // One operator is the `&`, the other the `X`.
        let size = (left.operators + right.operators + 2, right.nesting + 2);
        let nesting = left.nesting.max(size.1);
        let span = left.span.start..right.span.end;
        let formulas = self.formulas();
        let next = formulas.next(right.formula);
        let formula = match left.top {
            // `a U b then c` is `a U (b & X c)`: `b` holds at the last step of the left side.
            Top::Until(lefts, last) => {
                let mut formula = formulas.and([last, next]);
                for (bound, left) in lefts.into_iter().rev() {
                    formula = formulas.until(bound, left, formula);
                }
                formula
            }
            Top::Operand | Top::Not | Top::Prefixed(_) | Top::Infix => formulas.and([left.formula, next]),
        };
        Lowered { formula, operators: size.0, nesting, span, top: Top::Infix }
    }

    fn iff_level(&mut self, tokens: &mut Tokens<'_>) -> Lowered {
        let sides = self.chain(tokens, Rule::iff, Reader::implies_level);
        // People read `a <-> b <-> c` as "all are equal", which it is not.
        if let [one, two, three, ..] = &sides[..] {
            let (one, two, three) = (self.said(&one.span), self.said(&two.span), self.said(&three.span));
            let help = format!("write `({one} <-> {two}) <-> {three}` or `{one} <-> ({two} <-> {three})`");
            let span = sides[0].span.start..sides[sides.len() - 1].span.end;
            self.error(
                Diagnostic::error("E-mixed-operators", span, "`<->` in a row needs brackets").help(help),
            );
        }
        self.fold(sides, |formulas, sides| {
            sides.iter().copied().reduce(|a, b| formulas.iff(a, b)).expect("a chain has a member")
        })
    }

    fn implies_level(&mut self, tokens: &mut Tokens<'_>) -> Lowered {
        let sides = self.chain(tokens, Rule::implies, Reader::or_level);
        // `a -> b -> c` is `!a | !b | c`. One set of members keeps a long chain cheap.
        self.fold(sides, |formulas, sides| {
            let (last, conditions) = sides.split_last().expect("a chain has a member");
            formulas.or(conditions.iter().map(|&condition| !condition).chain([*last]))
        })
    }

    fn or_level(&mut self, tokens: &mut Tokens<'_>) -> Lowered {
        let sides = self.chain(tokens, Rule::or, Reader::and_level);
        self.fold(sides, |formulas, sides| formulas.or(sides.iter().copied()))
    }

    fn and_level(&mut self, tokens: &mut Tokens<'_>) -> Lowered {
        let sides = self.chain(tokens, Rule::and, Reader::until_level);
        self.fold(sides, |formulas, sides| formulas.and(sides.iter().copied()))
    }

    /// Reads members with `operator` between them.
    fn chain(
        &mut self,
        tokens: &mut Tokens<'_>,
        operator: Rule,
        member: fn(&mut Self, &mut Tokens<'_>) -> Lowered,
    ) -> Vec<Lowered> {
        let mut members = vec![member(self, tokens)];
        while tokens.next_if(|token| token.as_rule() == operator).is_some() {
            members.push(member(self, tokens));
        }
        members
    }

    /// Returns one formula made of `members`. A single member stays as it is.
    fn fold(
        &mut self,
        mut members: Vec<Lowered>,
        make: impl FnOnce(&mut Formulas, &[Formula]) -> Formula,
    ) -> Lowered {
        if members.len() == 1 {
            return members.remove(0);
        }
        let parts: Vec<Formula> = members.iter().map(|member| member.formula).collect();
        // Between n members stand n - 1 operators.
        let operators = members.iter().map(|member| member.operators + 1).sum::<u64>() - 1;
        // Sets compare their members, which takes time in proportion to their size. A formula that will be refused is not
        // made.
        let is_bearable = self.may_make && operators <= OPERATORS_MAX;
        Lowered {
            formula: if is_bearable { make(self.formulas(), &parts) } else { parts[0] },
            operators,
            nesting: members.iter().map(|member| member.nesting).max().expect("a chain has a member"),
            span: members[0].span.start..members[members.len() - 1].span.end,
            top: Top::Infix,
        }
    }

    fn until_level(&mut self, tokens: &mut Tokens<'_>) -> Lowered {
        let mut links: Vec<Link<'_>> = Vec::new();
        let mut last = self.prefix_level(tokens);
        while let Some(operator) = tokens.next_if(|token| is_until_kin(token.as_rule())) {
            let bound = self.bound(tokens).map_or(Bound::ANY, |(bound, _)| bound);
            links.push(Link { left: last, operator, bound });
            last = self.prefix_level(tokens);
        }
        if links.is_empty() {
            return last;
        }
        self.check_same(&links, &last);
        self.warn_of_prefixes(&links, &last);

        let span = links[0].left.span.start..last.span.end;
        // A `then` goes into the last operand of a row of untils, and of no other operator.
        let top = if links[0].operator.as_rule() == Rule::until {
            Top::Until(links.iter().map(|link| (link.bound, link.left.formula)).collect(), last.formula)
        } else {
            Top::Infix
        };
        let mut whole = Lowered { span, top, ..last };
        while let Some(link) = links.pop() {
            self.join(link, &mut whole);
        }
        whole
    }

    /// Joins a link and the formula on its right.
    fn join(&mut self, Link { left, operator, bound }: Link<'_>, right: &mut Lowered) {
        let (f, g) = (left.formula, right.formula);
        let formulas = self.formulas();
        let formula = match operator.as_rule() {
            Rule::until => formulas.until(bound, f, g),
            Rule::release => formulas.release(bound, f, g),
            Rule::weak_until => formulas.weak_until(bound, f, g),
            Rule::strong_release => formulas.strong_release(bound, f, g),
            _ => {
                let bound = self.past_bound(&operator, bound);
                return self.since(&left, &operator, bound, right);
            }
        };
        right.formula = formula;
        right.operators = right.operators + left.operators + 1;
        right.nesting = right.nesting.max(left.nesting);
    }

    /// Writes out `f S[2..4] g` as `f & Y (f & Y (g | f & Y (g | f & Y g)))`.
    fn since(&mut self, left: &Lowered, operator: &Pair<'_, Rule>, bound: Bound, right: &mut Lowered) {
        self.check_past_of_kept(operator, &[left.formula, right.formula]);
        let (f, g) = (left.formula, right.formula);
        let from = u64::from(bound.from);
        let (alternatives, unbounded) = match bound.to {
            Bound::NO_END => (0, 1),
            to => (u64::from(to - bound.from), 0),
        };
        // Counted before anything is made: a bound may name a million steps.
        let operators = (left.operators + 3) * alternatives
            + right.operators * (alternatives + 1)
            + (left.operators + 2) * from
            + (left.operators + 1) * unbounded;
        let nesting = left.nesting.max(right.nesting) + alternatives + from;
        if !self.is_bearable(operators, nesting, span(operator, self.offset)) {
            return;
        }
        let formulas = self.formulas();
        let mut formula = if unbounded == 1 { formulas.since(f, g) } else { g };
        for _ in 0..alternatives {
            let previous = formulas.previous(formula);
            let earlier = formulas.and([f, previous]);
            formula = formulas.or([g, earlier]);
        }
        for _ in 0..from {
            let previous = formulas.previous(formula);
            formula = formulas.and([f, previous]);
        }
        (right.formula, right.operators, right.nesting) = (formula, operators, nesting);
    }

    /// Writes out `O[2..4] f` as `Y Y (f | Y (f | Y f))`.
    fn once(&mut self, operator: Span, bound: Bound, right: &mut Lowered) {
        let from = u64::from(bound.from);
        let (alternatives, unbounded) = match bound.to {
            Bound::NO_END => (0, 1),
            to => (u64::from(to - bound.from), 0),
        };
        let operators = right.operators * (alternatives + 1) + alternatives * 2 + from + unbounded;
        let nesting = right.nesting + alternatives;
        if !self.is_bearable(operators, nesting, operator) {
            return;
        }
        let f = right.formula;
        let formulas = self.formulas();
        let mut formula = if unbounded == 1 { formulas.once(f) } else { f };
        for _ in 0..alternatives {
            let previous = formulas.previous(formula);
            formula = formulas.or([f, previous]);
        }
        for _ in 0..from {
            formula = formulas.previous(formula);
        }
        (right.formula, right.operators, right.nesting) = (formula, operators, nesting);
    }

    /// Returns true if a formula of this size may be made, and reports a formula that is too large.
    fn is_bearable(&mut self, operators: u64, nesting: u64, span: Span) -> bool {
        // Nothing is made any more: the file is too large, which is reported once.
        if !self.may_make {
            return false;
        }
        if operators > OPERATORS_MAX {
            let written_out = "the bound of a past operator is written out, and counts as what it becomes";
            self.error(too_many_operators(span).help(written_out));
        } else if nesting > NESTING_MAX {
            let written_out = "the bound of a past operator is written out, one level for each step";
            self.error(too_deep(span).help(written_out));
        } else {
            return true;
        }
        false
    }

    /// Reports two different operators that bind alike and stand side by side without brackets.
    fn check_same(&mut self, links: &[Link<'_>], last: &Lowered) {
        let differs = |pair: &[Link<'_>]| pair[0].operator.as_rule() != pair[1].operator.as_rule();
        let Some(at) = links.windows(2).position(differs) else { return };
        let third = links.get(at + 2).map_or(last, |link| &link.left);
        let (one, two) = (&links[at].left.span, &links[at + 1].left.span);
        let (first, second) = (self.said(&(one.end..two.start)), self.said(&(two.end..third.span.start)));
        let (a, b, c) = (self.said(one), self.said(two), self.said(&third.span));
        let help = format!("write `({a} {first} {b}) {second} {c}` or `{a} {first} ({b} {second} {c})`");
        let (x, y) = (links[at].operator.as_str(), links[at + 1].operator.as_str());
        let message = format!("`{x}` and `{y}` bind alike, so that this can be read in two ways");
        let span = one.start..third.span.end;
        self.error(Diagnostic::error("E-mixed-operators", span, message).help(help));
    }

    /// Warns of `X a U b`, which looks like `X (a U b)` and is `(X a) U b`.
    fn warn_of_prefixes(&mut self, links: &[Link<'_>], last: &Lowered) {
        for (at, link) in links.iter().enumerate() {
            let Top::Prefixed(operand_start) = link.left.top else { continue };
            let left = &link.left.span;
            let rest = links.get(at + 1).map_or(last, |link| &link.left).span.start;
            let prefix = self.said(&(left.start..operand_start));
            let operand = self.said(&(operand_start..left.end));
            let operator = self.said(&(left.end..rest));
            let rest = self.said(&(rest..last.span.end));
            let message = format!("this is read as `({prefix} {operand}) {operator} {rest}`");
            let help = format!("write that, or else `{prefix} ({operand} {operator} {rest})`");
            let span = left.start..last.span.end;
            self.operands.add(Diagnostic::warning("W-prefix-before-until", span, message).help(help));
        }
    }

    fn prefix_level(&mut self, tokens: &mut Tokens<'_>) -> Lowered {
        let mut prefixes = Vec::new();
        let mut whole = loop {
            let token = tokens.next().expect("the grammar gives an operand");
            let at = span(&token, self.offset);
            match token.as_rule() {
                Rule::next_to_end => {
                    let rest = self.then_level(tokens);
                    let formula = self.formulas().next(rest.formula);
                    break rest.below_a_prefix(formula, at.start);
                }
                Rule::keep => {
                    let text = self.operands.open_keep(token);
                    let rest = self.then_level(tokens);
                    if let Some(unused) = self.operands.close_keep() {
                        self.operands.add(unused);
                    }
                    self.is_spoiled |= text.is_none();
                    let formula = text.map_or(rest.formula, |text| self.formulas().keep(&text, rest.formula));
                    break rest.below_a_prefix(formula, at.start);
                }
                Rule::group => {
                    let inside = token.into_inner().next().expect("a bracket has an inside");
                    let inside = self.expression(inside);
                    break Lowered { nesting: inside.nesting + 1, span: at, top: Top::Operand, ..inside };
                }
                Rule::atom => break self.operand(at, |operands| Some((operands.atom(token)?, 0, 0))),
                Rule::name => {
                    break self.operand(at.clone(), |operands| operands.name(token.as_str(), at));
                }
                Rule::constant => {
                    let word = token.into_inner().next().expect("a constant is a word");
                    let is_true = word.as_rule() == Rule::true_word;
                    let formula = if is_true { Formula::TRUE } else { Formula::FALSE };
                    break self.operand(at, |_| Some((formula, 0, 0)));
                }
                _ => {
                    let bound = self.bound(tokens);
                    prefixes.push((token, bound));
                }
            }
        };
        let operand_start = whole.span.start;
        let is_temporal = prefixes.iter().any(|(prefix, _)| prefix.as_rule() != Rule::not);
        if let Some((first, _)) = prefixes.first() {
            whole.span.start = span(first, self.offset).start;
            whole.top = if is_temporal { Top::Prefixed(operand_start) } else { Top::Not };
        }
        // The prefix next to the operand binds first.
        for (prefix, bound) in prefixes.into_iter().rev() {
            self.apply(&prefix, bound, &mut whole);
        }
        whole
    }

    fn operand(
        &mut self,
        span: Span,
        read: impl FnOnce(&mut dyn Operands) -> Option<(Formula, u64, u64)>,
    ) -> Lowered {
        let (formula, operators, nesting) = read(self.operands).unwrap_or_else(|| {
            self.is_spoiled = true;
            // Something must stand here, so that the rest is read for its own mistakes.
            (Formula::TRUE, 0, 0)
        });
        Lowered { formula, operators, nesting, span, top: Top::Operand }
    }

    /// Puts a prefix operator before `right`.
    fn apply(&mut self, prefix: &Pair<'_, Rule>, bound: Option<(Bound, Span)>, right: &mut Lowered) {
        let f = right.formula;
        let any = bound.as_ref().map_or(Bound::ANY, |(bound, _)| *bound);
        if matches!(prefix.as_rule(), Rule::once | Rule::historically | Rule::previous) {
            self.check_past_of_kept(prefix, &[f]);
        }
        let formula = match prefix.as_rule() {
            Rule::not => !f,
            Rule::eventually => self.formulas().eventually(any, f),
            Rule::always => self.formulas().always(any, f),
            Rule::once => {
                let any = self.past_bound(prefix, any);
                return self.once(span(prefix, self.offset), any, right);
            }
            Rule::historically => {
                let any = self.past_bound(prefix, any);
                // `H f` is `!O !f`.
                right.formula = !f;
                self.once(span(prefix, self.offset), any, right);
                right.formula = !right.formula;
                return;
            }
            Rule::previous if any.unit != Unit::Step => {
                self.past_bound(prefix, any);
                self.formulas().previous(f)
            }
            step @ (Rule::next | Rule::weak_next | Rule::previous) => {
                if let Some((_, at)) = bound {
                    let several = match step {
                        Rule::next => "F",
                        Rule::weak_next => "G",
                        _ => "O",
                    };
                    let sign = prefix.as_str();
                    // The formula is read on without the bound, for mistakes further on.
                    let help = format!("repeat it (`{sign} {sign}`), or write `{several}{}`", self.said(&at));
                    let message = format!("`{sign}` speaks of one step and takes no bound");
                    self.error(Diagnostic::error("E-bound", at, message).help(help));
                }
                match step {
                    Rule::next => self.formulas().next(f),
                    Rule::weak_next => self.formulas().weak_next(f),
                    _ => self.formulas().previous(f),
                }
            }
            other => unreachable!("{other:?} is no prefix"),
        };
        right.formula = formula;
        right.operators += 1;
    }

    /// Reads the bound that follows an operator, if one does.
    fn bound(&mut self, tokens: &mut Tokens<'_>) -> Option<(Bound, Span)> {
        let pair = tokens.next_if(|token| token.as_rule() == Rule::bound)?;
        let at = span(&pair, self.offset);
        let mut relation = None;
        let mut numbers = Vec::new();
        let mut units = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::number => {
                    let (number, unit) = self.limit(&part)?;
                    numbers.push(number);
                    units.push(unit);
                }
                rule @ (Rule::at_most | Rule::at_least | Rule::exactly) => relation = Some(rule),
                _ => {}
            }
        }
        let unit = units[0];
        if units.iter().any(|&other| other != unit) {
            let message = "one end of the bound counts steps and the other time";
            let help = "give both ends a unit, as in `[2s..5s]`, or none";
            self.error(Diagnostic::error("E-bound", at, message).help(help));
            return None;
        }
        let (from, to) = match (relation, &numbers[..]) {
            (Some(Rule::at_most), &[to]) => (0, to),
            (Some(Rule::at_least), &[from]) => (from, Bound::NO_END),
            (Some(_), &[step]) => (step, step),
            (_, numbers) => (numbers[0], numbers[1]),
        };
        let bound = Bound { from, to, unit };
        if bound.from > bound.to {
            let (from, to) = (unit.written(from), unit.written(to));
            let message = format!("the bound ends at {to} before it starts at {from}");
            let help = format!("write `[{to}..{from}]`");
            self.error(Diagnostic::error("E-bound", at, message).help(help));
            return None;
        }
        Some((bound, at))
    }

    /// Reads one end of a bound: a number of steps, or a time.
    fn limit(&mut self, number: &Pair<'_, Rule>) -> Option<(u32, Unit)> {
        let written = number.as_str();
        let at = span(number, self.offset);
        let name = written.trim_start_matches(|char: char| char.is_ascii_digit());
        let digits = &written[..written.len() - name.len()];
        let (scale, unit, most) = match name {
            "" => (1, Unit::Step, STEP_MAX),
            "ms" => (1, Unit::Time, TIME_MAX_MS),
            "s" => (1000, Unit::Time, TIME_MAX_MS),
            _ => {
                let message = format!("`{}` is no number of steps and no time", clip(written));
                let digits = clip(digits);
                let help = format!("`{digits}` counts steps, `{digits}s` seconds, `{digits}ms` milliseconds");
                self.error(Diagnostic::error("E-bound", at, message).help(help));
                return None;
            }
        };
        let read = digits.parse().ok().and_then(|number: u32| number.checked_mul(scale));
        let limit = read.filter(|&limit| limit <= most);
        if limit.is_none() {
            let what = if unit == Unit::Step { "step " } else { "" };
            let message = format!("a bound goes up to {what}{}", unit.written(most));
            let help = "leave the bound out to speak of all steps";
            self.error(Diagnostic::error("E-bound", at, message).help(help));
        }
        Some((limit?, unit))
    }

    /// Reports a bound in time on an operator about the past, and returns the bound without it.
    fn past_bound(&mut self, operator: &Pair<'_, Rule>, bound: Bound) -> Bound {
        if bound.unit == Unit::Step {
            return bound;
        }
        let message = format!("`{}` looks back, and takes no bound in time", operator.as_str());
        let help = "count steps, as in `O[<=3]`, or look forward: `F[<=10s]`, `G[<=10s]`";
        let at = span(operator, self.offset);
        self.error(Diagnostic::error("E-time-bound", at, message).help(help));
        Bound::ANY
    }

    /// Reports a kept value below an operator about the past.
    fn check_past_of_kept(&mut self, operator: &Pair<'_, Rule>, parts: &[Formula]) {
        if parts.iter().all(|&part| !self.formulas().names_kept(part)) {
            return;
        }
        let message =
            format!("`{}` looks back, and a kept value is known from its step on", operator.as_str());
        let help = "look forward from the `keep`, or keep `prev` of a value";
        let at = span(operator, self.offset);
        self.error(Diagnostic::error("E-keep", at, message).help(help));
    }

    /// Returns the text at `span` in one line.
    fn said(&self, span: &Span) -> String {
        // Help repeats what fits a line: comments and line breaks are left out.
        let lines = self.text[span.clone()].lines().take(20).map(|line| {
            // A `#` inside a bracket belongs to a value.
            let is_comment =
                |&(at, _): &(usize, &str)| line[..at].matches('[').count() == line[..at].matches(']').count();
            line.match_indices('#').find(is_comment).map_or(line, |(at, _)| &line[..at])
        });
        clip(&lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" "))
    }
}

/// Operator of the until family, with the formula on its left.
struct Link<'i> {
    left: Lowered,
    operator: Pair<'i, Rule>,
    bound: Bound,
}

fn is_until_kin(rule: Rule) -> bool {
    matches!(rule, Rule::until | Rule::release | Rule::weak_until | Rule::strong_release | Rule::since)
}

#[cfg(test)]
mod tests {
    use crate::spec::{Names, Severity, Source, parse, parse_formula};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let source = Source::new("-e", text);
        let read = parse_formula(&source, Names::Any);
        let mistakes: Vec<_> =
            read.diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
        assert!(mistakes.is_empty(), "{text}: {mistakes:?}");
        assert_eq!(read.formulas.display(read.formula.expect(text)).to_string(), expected, "{text}");
    }

    /// Checks that both texts are one formula.
    #[track_caller]
    fn check_same(text: &str, other: &str) {
        let read = parse_formula(&Source::new("-e", other), Names::Any);
        check(text, &read.formulas.display(read.formula.expect(other)).to_string());
    }

    #[track_caller]
    fn check_mistake(text: &str, code: &str, underlined: &str, help: &str) {
        let source = Source::new("-e", text);
        let read = parse_formula(&source, Names::Any);
        let mistake = read.diagnostics.iter().next().expect(text);
        assert_eq!((mistake.code, &text[mistake.span.clone()]), (code, underlined), "{mistake:?}");
        assert!(
            mistake.message.contains(help) || mistake.help.as_deref().unwrap_or_default().contains(help),
            "{mistake:?}"
        );
        assert_eq!(read.formula.is_none(), mistake.severity == Severity::Error);
    }

    #[test]
    fn operators_bind_from_prefixes_to_then() {
        check_same("!a U b", "(!a) U b");
        check_same("a U b & c", "(a U b) & c");
        check_same("a & b | c", "(a & b) | c");
        check_same("a | b -> c", "(a | b) -> c");
        check_same("a -> b <-> c", "(a -> b) <-> c");
        check_same("a -> b -> c", "a -> (b -> c)");
        check_same("a U b U c", "a U (b U c)");
        check_same("a U[<=3] b U c", "a U[<=3] (b U c)");
        check_same("a S b S c", "a S (b S c)");
        check_same("a <-> b then c", "(a <-> b) & X c");
        check_same("! X F G a", "!(X (F (G a)))");
    }

    #[test]
    fn every_spelling_of_an_operator_is_read() {
        for (spelling, plain) in [
            ("not a", "!a"),
            ("¬a", "!a"),
            ("a and b", "a & b"),
            ("a ∧ b", "a & b"),
            ("a or b", "a | b"),
            ("a ∨ b", "a | b"),
            ("a implies b", "a -> b"),
            ("a → b", "a -> b"),
            ("a iff b", "a <-> b"),
            ("a ↔ b", "a <-> b"),
            ("next a", "X a"),
            ("○ a", "X a"),
            ("○a", "X a"),
            ("weak next a", "N a"),
            ("weak \t\n next a", "N a"),
            ("a until b", "a U b"),
            ("a 𝒰 b", "a U b"),
            ("a release b", "a R b"),
            ("a weak until b", "a W b"),
            ("a weak   until b", "a W b"),
            ("eventually a", "F a"),
            ("◇a", "F a"),
            ("always a", "G a"),
            ("□ a", "G a"),
            ("previously a", "Y a"),
            ("once a", "O a"),
            ("historically a", "H a"),
            ("a since b", "a S b"),
            ("⊤ U a", "true U a"),
            ("a & ⊥", "a & false"),
            ("eventually[<=5] a", "F[<=5] a"),
            ("□[≤5] a", "G[<=5] a"),
            ("a until[≥2] b", "a U[>=2] b"),
            ("a weak until[<=2] b", "a W[<=2] b"),
        ] {
            check_same(spelling, plain);
        }
        check("a M b", "a M b");
        check("X[text ~ a]", "X [text ~ a]");
        check("F(a)", "F a");
        check("Xa & Fa & nexta", "Fa & Xa & nexta");
    }

    #[test]
    fn bounds_are_read_on_all_that_look_ahead() {
        check("F[<=5] a", "F[<=5] a");
        check("G[>=2] a", "G[>=2] a");
        check("F[=3] a", "F[3..3] a");
        check("F[ 2 .. 5 ] a", "F[2..5] a");
        check("F[>=0] a", "F a");
        for operator in ["U", "R", "W", "M"] {
            check(&format!("a {operator}[2..5] b"), &format!("a {operator}[2..5] b"));
        }
        check("F[<=1000000] a", "F[<=1000000] a");
    }

    #[test]
    fn bounds_in_time_are_read_on_all_that_look_ahead() {
        check("F[<=10s] a", "F[<=10s] a");
        check("F[<=2000ms] a", "F[<=2s] a");
        check("G[ 500ms .. 2s ] a", "G[500ms..2s] a");
        check("F[=3s] a", "F[3s..3s] a");
        check("G[>=2s] a", "G[>=2s] a");
        check("F[>=0s] a", "F a");
        check("eventually[≤5s] a", "F[<=5s] a");
        for operator in ["U", "R", "W", "M"] {
            check(&format!("a {operator}[2s..5s] b"), &format!("a {operator}[2s..5s] b"));
        }
        check("F[<=3600s] a", "F[<=3600s] a");
    }

    #[test]
    fn a_keep_reaches_to_the_end() {
        check("keep t = activity: a & b", "keep t = activity: a & b");
        check(
            "a & keep t = count(text = x): F [text = {t}]",
            "a & (keep t = count(text = x): F [text = {t}])",
        );
        check("(keep t = activity: [text = {t}]) & a", "a & (keep t = activity: [text = {t}])");
        check("keep t = activity: !X [text = {t}]", "keep t = activity: N ![text = {t}]");
        check("!keep t = activity: [text = {t}]", "keep t = activity: ![text = {t}]");
        check("keep & a", "a & keep");
        // A name has one term in a formula, and a term may have several names.
        check(
            "(keep t = activity: X [text = {t}]) & (keep t = package: X [text = {t}])",
            "(keep t2 = package: X [text = {t2}]) & (keep t = activity: X [text = {t}])",
        );
        check(
            "keep t = prev text(id = a) : [text = \"{t} {number(t) + 1}\"]",
            "keep t = prev text(id = a): [text = \"{t} {number(t) + 1}\"]",
        );
        check(
            "[text = {list(\"a, }\", \"b\")}] & [text = {nothing}]",
            "[text = {list(\"a, }\", \"b\")}] & [text = {nothing}]",
        );
    }

    #[test]
    fn a_keep_says_what_it_lacks() {
        check_mistake("keep t = activity: O [text = {t}]", "E-keep", "O", "look forward");
        check_mistake("keep t = activity: a S [text = {t}]", "E-keep", "S", "look forward");
        check_mistake(
            "keep t = activity: keep u = number(t): [text = {u}]",
            "E-keep",
            "number(t)",
            "put the names together",
        );
        check_mistake("keep t = activity: [text = {prev t}]", "E-term", "t", "leave `prev` out");
        check_mistake("keep text = activity: a", "E-reserved", "text", "another name");
        check_mistake("keep t = activity: a", "W-unused", "t", "`{t}`");
        check_mistake("keep t = text: a", "E-term", "text", "text(id = title)");
        check_mistake("keep t = count(a): [text = {t}]", "E-term", "a", "a `let` of one bracket");
        check_mistake("(keep t = activity: [text = {t}]) & [text = {t}]", "E-unknown-key", "t", "known keys");
        let kept = |word: &str| format!("keep t = activity: [text = {{t}}] & F [text = {{{word}}}]");
        check_mistake(&kept("tt"), "E-unknown-key", "tt", "did you mean `t`?");
        check_mistake(
            &kept("activty"),
            "E-unknown-key",
            "activty",
            "kept here: `t`; did you mean `activity`?",
        );
        let misspelt = Source::new("-e", "keep t = activity: F [text = {tt}]");
        let found = parse_formula(&misspelt, Names::Any).diagnostics;
        assert_eq!(found.iter().map(|found| found.code).collect::<Vec<_>>(), ["E-unknown-key"]);
        check_mistake(&kept("tpye"), "E-unknown-key", "tpye", "kept here: `t`; known keys: ");
        let many: Vec<String> = (0..40).map(|at| format!("keep t{at} = count(text = a{at}): X")).collect();
        let uses: Vec<String> = (0..40).map(|at| format!("[text = {{t{at}}}]")).collect();
        check_mistake(
            &format!("{} ({})", many.join(" "), uses.join(" & ")),
            "E-too-large",
            "t32",
            "split the file",
        );
    }

    #[test]
    fn bounds_of_the_past_are_written_out() {
        check_same("O[<=2] a", "a | Y (a | Y a)");
        check_same("O[=2] a", "Y Y a");
        check_same("O[1..2] a", "Y (a | Y a)");
        check_same("O[>=2] a", "Y Y O a");
        check_same("H[<=2] a", "!(!a | Y (!a | Y !a))");
        check_same("a S[<=1] b", "b | a & Y b");
        check_same("a S[1..2] b", "a & Y (b | a & Y b)");
        check_same("a S[>=1] b", "a & Y (a S b)");
        check_same("once[<=1] a", "a | Y a");
    }

    #[test]
    fn a_bound_must_make_sense() {
        check_mistake("F[5..2] a", "E-bound", "[5..2]", "[2..5]");
        check_mistake("F[<=1000001] a", "E-bound", "1000001", "up to step 1000000");
        check_mistake("F[<=99999999999999999999] a", "E-bound", "99999999999999999999", "up to step 1000000");
        check_mistake("O[<=10s] a", "E-time-bound", "O", "no bound in time");
        check_mistake("H[<=10s] a", "E-time-bound", "H", "no bound in time");
        check_mistake("a S[<=10s] b", "E-time-bound", "S", "no bound in time");
        check_mistake("Y[<=10s] a", "E-time-bound", "Y", "no bound in time");
        check_mistake("G[1..2s] a", "E-bound", "[1..2s]", "counts steps and the other time");
        check_mistake("F[<=2min] a", "E-bound", "2min", "no time");
        check_mistake("F[<=3601s] a", "E-bound", "3601s", "up to 3600s");
        check_mistake("F[5s..200ms] a", "E-bound", "[5s..200ms]", "ends at 200ms before it starts at 5s");
        check_mistake("F[<=10x] a", "E-bound", "10x", "`10`");
        check_mistake("X[=3] a", "E-bound", "[=3]", "`F[=3]`");
        check_mistake("N[<=3] a", "E-bound", "[<=3]", "`G[<=3]`");
        check_mistake("Y[=3] a", "E-bound", "[=3]", "`O[=3]`");
        check_mistake("O[<=501] a", "E-too-deep", "O", "written out");
        check_mistake("O[=10001] a", "E-too-large", "O", "written out");
        check_mistake(
            "(a & a U a & X b & X X X b) S[<=499] (!!!!!!!!!!!!!!!!!!!!b)",
            "E-too-large",
            "S",
            "written out",
        );
    }

    #[test]
    fn two_operators_that_bind_alike_need_brackets() {
        check_mistake("a U b R c", "E-mixed-operators", "a U b R c", "`(a U b) R c` or `a U (b R c)`");
        check_mistake(
            "a U b U[<=2] c since d",
            "E-mixed-operators",
            "b U[<=2] c since d",
            "`(b U[<=2] c) since d`",
        );
        check_mistake(
            "a <-> b # why\n <-> c",
            "E-mixed-operators",
            "a <-> b # why\n <-> c",
            "`(a <-> b) <-> c` or `a <-> (b <-> c)`",
        );
        check_same("a weak until b W c", "a W (b W c)");
        check_same("a U (b R c)", "a U (b R c)");
    }

    #[test]
    fn a_prefix_directly_left_of_an_until_is_doubted() {
        check_mistake("X a U b", "W-prefix-before-until", "X a U b", "`X (a U b)`");
        check_mistake("a U F[<=2] b U c", "W-prefix-before-until", "F[<=2] b U c", "`F[<=2] (b U c)`");
        check_mistake("next a until b", "W-prefix-before-until", "next a until b", "`(next a) until b`");
        check_mistake("!X a S b", "W-prefix-before-until", "!X a S b", "`!X (a S b)`");
        for text in ["!a U b", "(X a) U b", "a U X b", "X (a U b)"] {
            let read = parse_formula(&Source::new("-e", text), Names::Any);
            assert_eq!(read.diagnostics.warnings(), 0, "{text}");
        }
    }

    #[test]
    fn then_starts_at_the_next_step() {
        check_same("a then b", "a & X b");
        check_same("a then b then c", "a & X (b & X c)");
        check_same("a until b then c", "a U (b & X c)");
        check_same("a U[<=2] b then c", "a U[<=2] (b & X c)");
        check_same("a until b until c then d", "a U (b U (c & X d))");
        check_same("(a until b) then c", "(a U b) & X c");
        check_same("a & b until c then d", "a & (b U c) & X d");
        check_same("a weak until b then c", "(a W b) & X c");
        check_same("main until about then about until main", "main U (about & X (about U main))");
    }

    #[test]
    fn next_with_a_colon_reaches_to_the_end() {
        check_same("next: main until about then about until main", "X (main U (about & X (about U main)))");
        check_same("next: a & b", "X (a & b)");
        check_same("(next: a -> b) & c", "X (a -> b) & c");
        check_same("a & next: b | c then d", "a & X ((b | c) & X d)");
        check_same("!next: a & b", "!X (a & b)");
        check_same("next : X: a | b", "X X (a | b)");
    }

    #[test]
    fn the_longest_chains_and_deepest_brackets_pass_in_any_thread() {
        let work = || {
            for text in [
                format!("{}a", "a U ".repeat(10_000)),
                format!("{}a", "!".repeat(10_000)),
                format!("{}a", "X ".repeat(10_000)),
                format!("{}a", "a -> ".repeat(10_000)),
                format!("{}a", "a & X b | ".repeat(3_333)),
                format!("{}a{}", "(".repeat(500), ")".repeat(500)),
                format!("{}a{}", "X (a U ".repeat(500), ")".repeat(500)),
                format!("{}a", "next: ".repeat(500)),
                format!("{}a", "a until b then ".repeat(250)),
                "O[<=500] a".to_string(),
            ] {
                let read = parse_formula(&Source::new("-e", text), Names::Any);
                assert_eq!(read.diagnostics.errors(), 0);
                assert!(read.formula.is_some());
            }
        };
        let small = std::thread::Builder::new().stack_size(128 << 10);
        small.spawn(work).expect("a thread").join().expect("no overflow");
    }

    #[test]
    fn a_let_counts_as_what_it_stands_for() {
        let doubled = |count: u32| -> String {
            let lets: String =
                (1..count).map(|at| format!("let a{at} = a{} & X a{}\n", at - 1, at - 1)).collect();
            format!("let a0 = [text = a]\n{lets}never: a{}", count - 1)
        };
        assert_eq!(parse(&Source::new("a.ltl", doubled(13))).diagnostics.errors(), 0);
        let parsed = parse(&Source::new("a.ltl", doubled(60)));
        let found: Vec<_> = parsed.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!(found, ["E-too-large"]);

        let nested = |count: u32| -> String {
            let lets: String =
                (1..count).map(|at| format!("let a{at} = a{} U [text = b]\n", at - 1)).collect();
            format!("let a0 = [text = a]\n{lets}never: a{}", count - 1)
        };
        assert_eq!(parse(&Source::new("a.ltl", nested(500))).diagnostics.errors(), 0);
        let parsed = parse(&Source::new("a.ltl", nested(600)));
        let found: Vec<_> = parsed.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!(found, ["E-too-deep"]);
    }
}
