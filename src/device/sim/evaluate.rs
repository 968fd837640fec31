//! Expressions: computes their values in a state.
//!
//! Following the language, a meaningless expression is none; a [`Fault`] means that a bound is exceeded.

use std::ops::Range;
use std::sync::Arc;

use super::chance::{Chance, Odds};
use super::model::{Datum, Expr, FieldId, Function, Model, Operator, Query};
use super::state::State;
use crate::gui::Orientation;
use crate::text::Span;

/// Most characters of a text.
const TEXT_MAX: usize = 10_000;

/// Most numbers or records that a loop visits.
pub(super) const LOOP_MAX: i64 = 10_000;

/// Most work for an action or a screen: about a second's worth.
pub(super) const WORK_MAX: u64 = 20_000_000;

/// Largest distance between the ends of `random`.
const RANDOM_MAX: i64 = 1_000;

/// The reason a model cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub message: String,
    pub span: Option<Span>,
}

impl Fault {
    pub fn new(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), span: None }
    }

    /// Returns the fault with `span` as its place, unless it has one.
    pub fn at(self, span: &Span) -> Fault {
        Fault { span: self.span.or_else(|| Some(span.clone())), ..self }
    }
}

/// The resources that an evaluation uses: chance, clock, work.
#[derive(Debug)]
pub(super) struct Meter<'a> {
    pub chance: Chance<'a>,
    /// True if chance was drawn.
    pub has_drawn: bool,
    /// Milliseconds since the app was started afresh.
    pub now_ms: u64,
    /// True if the clock was read.
    pub has_read_clock: bool,
    /// Work left.
    pub work: u64,
    /// Buffer for building texts.
    text: String,
}

impl<'a> Meter<'a> {
    pub fn new(chance: Chance<'a>, now_ms: u64) -> Meter<'a> {
        Meter { chance, has_drawn: false, now_ms, has_read_clock: false, work: WORK_MAX, text: String::new() }
    }

    /// Returns the time as a value, and notes that the clock was read.
    fn now(&mut self) -> Datum {
        self.has_read_clock = true;
        Datum::Int(i64::try_from(self.now_ms).unwrap_or(i64::MAX))
    }

    pub fn work(&mut self, amount: usize) -> Result<(), Fault> {
        let left = self.work.checked_sub(amount as u64);
        self.work = left.ok_or_else(|| Fault::new("this takes too long to work out"))?;
        Ok(())
    }

    pub fn draw(&mut self, odds: Odds<'_>) -> Result<usize, Fault> {
        // A single possibility involves no chance, so the step stays certain and can be remembered.
        if let Some(choice) = odds.only() {
            return Ok(choice);
        }
        self.has_drawn = true;
        self.chance.draw(odds).ok_or_else(|| {
            Fault::new(
                "a screen would change each time it is looked at: `random` belongs to effects and variables",
            )
        })
    }
}

/// The meaning of names in an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub own: &'a [Datum],
    pub result: &'a Datum,
    pub is_recreated: bool,
    pub orientation: Orientation,
    /// True if names bound by queries may keep their last value, as nobody reads it again.
    pub leaves_traces: bool,
}

impl Scope<'_> {
    /// Returns the value of `expr`.
    ///
    /// Operators nest up to 200 deep, inside effects that nest as deep. Each kind has a function of its own, so
    /// that frames stay small and a thread's stack is enough.
    pub fn value(&self, expr: &Expr, locals: &mut [Datum], meter: &mut Meter<'_>) -> Result<Datum, Fault> {
        meter.work(1)?;
        match expr {
            Expr::Value(value) => Ok(value.clone()),
            Expr::Global(global) => Ok(self.state.global(*global)),
            Expr::Own(own) => Ok(self.known(self.own.get(*own as usize))),
            Expr::Local(local) => Ok(self.known(locals.get(*local as usize))),
            Expr::Field(record, field) => self.field(record, *field, locals, meter),
            Expr::Index(record) => self.index(record, locals, meter),
            Expr::Portrait => Ok(Datum::Bool(self.orientation == Orientation::Portrait)),
            Expr::Landscape => Ok(Datum::Bool(self.orientation == Orientation::Landscape)),
            Expr::Network => Ok(Datum::Bool(self.state.has_network)),
            Expr::Recreated => Ok(Datum::Bool(self.is_recreated)),
            Expr::Result => Ok(self.state.known(self.result)),
            Expr::Now => Ok(meter.now()),
            Expr::Not(inner) => self.value(inner, locals, meter).map(|value| Datum::Bool(!is_true(&value))),
            Expr::Negate(inner) => self.value(inner, locals, meter).map(|value| negated(&value)),
            Expr::Binary(operator, left, right) => self.binary(*operator, left, right, locals, meter),
            Expr::Choose(condition, then, otherwise) => match self.holds(Some(condition), locals, meter) {
                Ok(true) => self.value(then, locals, meter),
                Ok(false) => self.value(otherwise, locals, meter),
                Err(fault) => Err(fault),
            },
            Expr::Text(parts) => self.text(parts, locals, meter),
            Expr::Call(function, values) => self.call(*function, values, locals, meter),
            Expr::Count(query) => self.count(query, locals, meter),
            Expr::Find(query) => self.find(query, locals, meter),
        }
    }

    fn field(
        &self,
        record: &Expr,
        field: FieldId,
        locals: &mut [Datum],
        meter: &mut Meter<'_>,
    ) -> Result<Datum, Fault> {
        let record = self.value(record, locals, meter)?;
        Ok(self.state.field(self.model, &record, field))
    }

    fn index(&self, record: &Expr, locals: &mut [Datum], meter: &mut Meter<'_>) -> Result<Datum, Fault> {
        let Datum::Record(list, number) = self.value(record, locals, meter)? else {
            return Ok(Datum::None);
        };
        let index = self.state.list(list).and_then(|list| list.find(number));
        Ok(index.map_or(Datum::None, |index| Datum::Int(index as i64)))
    }

    fn text(&self, parts: &[Expr], locals: &mut [Datum], meter: &mut Meter<'_>) -> Result<Datum, Fault> {
        // The buffer is reused; a text inside this text takes an empty one meanwhile.
        let mut text = std::mem::take(&mut meter.text);
        text.clear();
        for part in parts {
            append(&mut text, &self.value(part, locals, meter)?);
        }
        // Copying a text takes time by its length, so it counts as work.
        meter.work(text.len() / 4)?;
        let value = measured(&text);
        meter.text = text;
        value
    }

    fn call(
        &self,
        function: Function,
        values: &[Expr],
        locals: &mut [Datum],
        meter: &mut Meter<'_>,
    ) -> Result<Datum, Fault> {
        let mut worth = Vec::with_capacity(values.len());
        for value in values {
            worth.push(self.value(value, locals, meter)?);
        }
        call(function, &worth, meter)
    }

    fn count(&self, query: &Query, locals: &mut [Datum], meter: &mut Meter<'_>) -> Result<Datum, Fault> {
        let found = self.matching(query, locals, meter, false)?;
        Ok(Datum::Int(found.len() as i64))
    }

    fn find(&self, query: &Query, locals: &mut [Datum], meter: &mut Meter<'_>) -> Result<Datum, Fault> {
        let found = match query.by {
            Some(_) => self.records(query, locals, meter)?,
            // Without an order, the first match is the one that counts.
            None => self.matching(query, locals, meter, true)?,
        };
        Ok(found.into_iter().next().unwrap_or_default())
    }

    /// Returns true if `condition` holds or is absent.
    pub fn holds(
        &self,
        condition: Option<&Expr>,
        locals: &mut [Datum],
        meter: &mut Meter<'_>,
    ) -> Result<bool, Fault> {
        condition.map_or(Ok(true), |condition| Ok(is_true(&self.value(condition, locals, meter)?)))
    }

    /// Returns the records that match a query, in its order.
    pub fn records(
        &self,
        query: &Query,
        locals: &mut [Datum],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Datum>, Fault> {
        let before = self.kept(query, locals);
        let found = self.matching(query, locals, meter, false)?;
        let Some(by) = &query.by else { return Ok(found) };
        let mut keyed = Vec::with_capacity(found.len());
        for record in found {
            set(locals, query.local, record.clone());
            keyed.push((self.value(by, locals, meter)?, record));
        }
        if let Some(before) = before {
            set(locals, query.local, before);
        }
        // The sort is stable: records with equal keys keep the order of the list.
        keyed.sort_by(
            |(left, _), (right, _)| {
                if query.is_descending { right.cmp(left) } else { left.cmp(right) }
            },
        );
        Ok(keyed.into_iter().map(|(_, record)| record).collect())
    }

    fn matching(
        &self,
        query: &Query,
        locals: &mut [Datum],
        meter: &mut Meter<'_>,
        first_only: bool,
    ) -> Result<Vec<Datum>, Fault> {
        let before = self.kept(query, locals);
        let mut found = Vec::new();
        for record in self.state.list(query.list).map_or(&[][..], |list| &list.records) {
            meter.work(1)?;
            let record = Datum::Record(query.list, record.number);
            set(locals, query.local, record.clone());
            if self.holds(query.condition.as_ref(), locals, meter)? {
                found.push(record);
                if first_only {
                    break;
                }
            }
        }
        if let Some(before) = before {
            set(locals, query.local, before);
        }
        Ok(found)
    }

    /// Returns the value to restore after a query has used its name, if it must be restored.
    fn kept(&self, query: &Query, locals: &[Datum]) -> Option<Datum> {
        if self.leaves_traces { None } else { locals.get(query.local as usize).cloned() }
    }

    /// Returns the numbers that a loop visits.
    pub fn ends(
        &self,
        from: &Expr,
        to: &Expr,
        locals: &mut [Datum],
        meter: &mut Meter<'_>,
    ) -> Result<Range<i64>, Fault> {
        let ends = (self.value(from, locals, meter)?, self.value(to, locals, meter)?);
        // Following the language, ends that are no numbers give no numbers.
        let (Datum::Int(from), Datum::Int(to)) = ends else { return Ok(0..0) };
        if to.saturating_sub(from) >= LOOP_MAX {
            return Err(Fault::new(format!("{from}..{to} are more than {LOOP_MAX} numbers")));
        }
        Ok(from..to.saturating_add(1))
    }

    fn known(&self, value: Option<&Datum>) -> Datum {
        value.map_or(Datum::None, |value| self.state.known(value))
    }

    fn binary(
        &self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        locals: &mut [Datum],
        meter: &mut Meter<'_>,
    ) -> Result<Datum, Fault> {
        let left = self.value(left, locals, meter)?;
        let is_decided = match operator {
            Operator::And => !is_true(&left),
            Operator::Or => is_true(&left),
            Operator::Else => left != Datum::None && !is_empty_text(&left),
            Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::AtMost
            | Operator::Greater
            | Operator::AtLeast
            | Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide
            | Operator::Remainder => false,
        };
        // A right side that does not matter is not computed, so it draws no chance either.
        let right = if is_decided { left.clone() } else { self.value(right, locals, meter)? };
        combined(operator, &left, right, meter)
    }
}

/// Applies an operator. If the left side has decided, `right` is a copy of it.
fn combined(operator: Operator, left: &Datum, right: Datum, meter: &mut Meter<'_>) -> Result<Datum, Fault> {
    Ok(match operator {
        Operator::And | Operator::Or => Datum::Bool(is_true(&right)),
        Operator::Else => right,
        Operator::Equal => Datum::Bool(*left == right),
        Operator::NotEqual => Datum::Bool(*left != right),
        Operator::Less => compared(left, &right, |left, right| left < right),
        Operator::AtMost => compared(left, &right, |left, right| left <= right),
        Operator::Greater => compared(left, &right, |left, right| left > right),
        Operator::AtLeast => compared(left, &right, |left, right| left >= right),
        Operator::Add => match (left, &right) {
            // Sums stop at the ends of their range, so that no model can overflow them.
            (Datum::Int(left), Datum::Int(right)) => Datum::Int(left.saturating_add(*right)),
            (Datum::Text(_), Datum::Text(_) | Datum::Int(_)) | (Datum::Int(_), Datum::Text(_)) => {
                let mut text = String::new();
                append(&mut text, left);
                append(&mut text, &right);
                meter.work(text.len() / 4)?;
                measured(&text)?
            }
            _ => Datum::None,
        },
        Operator::Subtract => numbers(left, &right, |left, right| Some(left.saturating_sub(right))),
        Operator::Multiply => numbers(left, &right, |left, right| Some(left.saturating_mul(right))),
        Operator::Divide => {
            numbers(left, &right, |left, right| (right != 0).then(|| left.saturating_div(right)))
        }
        // Wraps, because `i64::MIN % -1` overflows.
        Operator::Remainder => {
            numbers(left, &right, |left, right| (right != 0).then(|| left.wrapping_rem(right)))
        }
    })
}

/// Returns true if a value counts as true.
pub(super) fn is_true(value: &Datum) -> bool {
    match value {
        Datum::None => false,
        Datum::Bool(is_true) => *is_true,
        Datum::Int(number) => *number != 0,
        Datum::Text(text) => !text.is_empty(),
        Datum::Record(..) => true,
    }
}

/// Returns the text that shows a value.
pub(super) fn shown(value: Datum) -> Arc<str> {
    match value {
        Datum::Text(text) => text,
        value => {
            let mut text = String::new();
            append(&mut text, &value);
            text.into()
        }
    }
}

/// Returns `text` as a value, unless it is too long.
pub(super) fn measured(text: &str) -> Result<Datum, Fault> {
    // Bytes first: only a text with many bytes can have many characters, and counting them is slow.
    if text.len() > TEXT_MAX && text.chars().count() > TEXT_MAX {
        return Err(Fault::new(format!("a text has more than {TEXT_MAX} characters")));
    }
    Ok(Datum::Text(text.into()))
}

pub(super) fn set(locals: &mut [Datum], local: u32, value: Datum) {
    if let Some(place) = locals.get_mut(local as usize) {
        *place = value;
    }
}

fn is_empty_text(value: &Datum) -> bool {
    matches!(value, Datum::Text(text) if text.is_empty())
}

fn append(text: &mut String, value: &Datum) {
    match value {
        Datum::None | Datum::Record(..) => {}
        Datum::Bool(is_true) => text.push_str(if *is_true { "true" } else { "false" }),
        Datum::Int(number) => append_number(text, *number),
        Datum::Text(other) => text.push_str(other),
    }
}

/// Appends a number. Faster than the formatter, and numbers are most of what is shown.
fn append_number(text: &mut String, number: i64) {
    if number < 0 {
        text.push('-');
    }
    let mut left = number.unsigned_abs();
    // The number of digits of 2^64.
    let mut digits = ['0'; 20];
    let mut from = digits.len();
    loop {
        from -= 1;
        digits[from] = char::from(b'0' + (left % 10) as u8);
        left /= 10;
        if left == 0 {
            break;
        }
    }
    text.extend(&digits[from..]);
}

fn negated(value: &Datum) -> Datum {
    match value {
        Datum::Int(number) => Datum::Int(number.saturating_neg()),
        Datum::None | Datum::Bool(_) | Datum::Text(_) | Datum::Record(..) => Datum::None,
    }
}

fn compared(left: &Datum, right: &Datum, holds: fn(&Datum, &Datum) -> bool) -> Datum {
    match (left, right) {
        (Datum::Int(_), Datum::Int(_)) | (Datum::Text(_), Datum::Text(_)) => Datum::Bool(holds(left, right)),
        _ => Datum::None,
    }
}

fn numbers(left: &Datum, right: &Datum, result: fn(i64, i64) -> Option<i64>) -> Datum {
    match (left, right) {
        (Datum::Int(left), Datum::Int(right)) => result(*left, *right).map_or(Datum::None, Datum::Int),
        _ => Datum::None,
    }
}

fn call(function: Function, values: &[Datum], meter: &mut Meter<'_>) -> Result<Datum, Fault> {
    let first = values.first().unwrap_or(&Datum::None);
    let second = values.get(1).unwrap_or(&Datum::None);
    if let Datum::Text(text) = first {
        meter.work(text.len() / 4)?;
    }
    Ok(match (function, first, second) {
        (Function::Len, Datum::Text(text), _) => Datum::Int(text.chars().count() as i64),
        // A negative length takes no letters.
        (Function::Left, Datum::Text(text), Datum::Int(len)) => {
            Datum::Text(text.chars().take(usize::try_from(*len).unwrap_or(0)).collect::<String>().into())
        }
        (Function::Lower, Datum::Text(text), _) => measured(&text.to_lowercase())?,
        (Function::Upper, Datum::Text(text), _) => measured(&text.to_uppercase())?,
        (Function::Trim, Datum::Text(text), _) => Datum::Text(text.trim().into()),
        (Function::Contains, Datum::Text(text), Datum::Text(part)) => Datum::Bool(text.contains(&**part)),
        (Function::Starts, Datum::Text(text), Datum::Text(part)) => Datum::Bool(text.starts_with(&**part)),
        (Function::Number, Datum::Int(number), _) => Datum::Int(*number),
        (Function::Number, Datum::Text(text), _) => text.trim().parse().map_or(Datum::None, Datum::Int),
        (Function::Min, Datum::Int(left), Datum::Int(right)) => Datum::Int(*left.min(right)),
        (Function::Max, Datum::Int(left), Datum::Int(right)) => Datum::Int(*left.max(right)),
        (Function::Abs, Datum::Int(number), _) => Datum::Int(number.saturating_abs()),
        (Function::Random, Datum::Int(from), Datum::Int(to)) if from <= to => {
            let apart = to.saturating_sub(*from);
            if apart > RANDOM_MAX {
                return Err(Fault::new(format!("{from} and {to} are more than {RANDOM_MAX} apart")));
            }
            Datum::Int(from.saturating_add(meter.draw(Odds::Even(apart as usize + 1))? as i64))
        }
        (
            Function::Len
            | Function::Left
            | Function::Lower
            | Function::Upper
            | Function::Trim
            | Function::Contains
            | Function::Starts
            | Function::Number
            | Function::Min
            | Function::Max
            | Function::Abs
            | Function::Random,
            _,
            _,
        ) => Datum::None,
    })
}
