//! Expressions: computes their values in a state.
//!
//! Following the language, a meaningless expression is none; a [`Fault`] means that a bound is exceeded.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::chance::{Chance, Odds};
use super::model::{Expr, FieldId, Function, Model, Operator, Query, Value};
use super::state::State;
use crate::gui::Orientation;
use crate::text::Span;

/// Most characters of a text.
const TEXT_MAX: usize = 10_000;

/// Most numbers or records that a loop visits.
pub(super) const LOOP_MAX: i64 = 10_000;

/// Most work for an action or a screen: about a second's worth.
pub(super) const WORK_MAX: u64 = 20_000_000;

/// Most distance between the ends of `random`.
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
    fn now(&mut self) -> Value {
        self.has_read_clock = true;
        Value::Int(i64::try_from(self.now_ms).unwrap_or(i64::MAX))
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
    pub own: &'a [Value],
    pub result: &'a Value,
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
    pub fn value(&self, expr: &Expr, locals: &mut [Value], meter: &mut Meter<'_>) -> Result<Value, Fault> {
        meter.work(1)?;
        match expr {
            Expr::Value(value) => Ok(value.clone()),
            Expr::Global(global) => Ok(self.state.global(*global)),
            Expr::Own(own) => Ok(self.known(self.own.get(*own as usize))),
            Expr::Local(local) => Ok(self.known(locals.get(*local as usize))),
            Expr::Field(record, field) => self.field(record, *field, locals, meter),
            Expr::Index(record) => self.index(record, locals, meter),
            Expr::Portrait => Ok(Value::Bool(self.orientation == Orientation::Portrait)),
            Expr::Landscape => Ok(Value::Bool(self.orientation == Orientation::Landscape)),
            Expr::Network => Ok(Value::Bool(self.state.has_network)),
            Expr::Recreated => Ok(Value::Bool(self.is_recreated)),
            Expr::Result => Ok(self.state.known(self.result)),
            Expr::Now => Ok(meter.now()),
            Expr::Not(inner) => self.value(inner, locals, meter).map(|value| Value::Bool(!is_true(&value))),
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
        locals: &mut [Value],
        meter: &mut Meter<'_>,
    ) -> Result<Value, Fault> {
        let record = self.value(record, locals, meter)?;
        Ok(self.state.field(self.model, &record, field))
    }

    fn index(&self, record: &Expr, locals: &mut [Value], meter: &mut Meter<'_>) -> Result<Value, Fault> {
        let Value::Record(list, number) = self.value(record, locals, meter)? else {
            return Ok(Value::None);
        };
        let index = self.state.list(list).and_then(|list| list.find(number));
        Ok(index.map_or(Value::None, |index| Value::Int(index as i64)))
    }

    fn text(&self, parts: &[Expr], locals: &mut [Value], meter: &mut Meter<'_>) -> Result<Value, Fault> {
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
        locals: &mut [Value],
        meter: &mut Meter<'_>,
    ) -> Result<Value, Fault> {
        let mut worth = Vec::with_capacity(values.len());
        for value in values {
            worth.push(self.value(value, locals, meter)?);
        }
        call(function, &worth, meter)
    }

    fn count(&self, query: &Query, locals: &mut [Value], meter: &mut Meter<'_>) -> Result<Value, Fault> {
        let found = self.matching(query, locals, meter, false)?;
        Ok(Value::Int(found.len() as i64))
    }

    fn find(&self, query: &Query, locals: &mut [Value], meter: &mut Meter<'_>) -> Result<Value, Fault> {
        let found = match query.by {
            Some(_) => self.records(query, locals, meter)?,
            None => self.matching(query, locals, meter, true)?,
        };
        Ok(found.into_iter().next().unwrap_or_default())
    }

    /// Returns true if `condition` holds or is absent.
    pub fn holds(
        &self,
        condition: Option<&Expr>,
        locals: &mut [Value],
        meter: &mut Meter<'_>,
    ) -> Result<bool, Fault> {
        condition.map_or(Ok(true), |condition| Ok(is_true(&self.value(condition, locals, meter)?)))
    }

    /// Returns the records that match a query, in its order.
    pub fn records(
        &self,
        query: &Query,
        locals: &mut [Value],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Value>, Fault> {
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
        // Both sorts are stable: records with equal keys keep the order of the list.
        if query.is_descending {
            keyed.sort_by(|(left, _), (right, _)| Reverse(left).cmp(&Reverse(right)));
        } else {
            keyed.sort_by(|(left, _), (right, _)| left.cmp(right));
        }
        Ok(keyed.into_iter().map(|(_, record)| record).collect())
    }

    fn matching(
        &self,
        query: &Query,
        locals: &mut [Value],
        meter: &mut Meter<'_>,
        first_only: bool,
    ) -> Result<Vec<Value>, Fault> {
        let before = self.kept(query, locals);
        let mut found = Vec::new();
        for record in self.state.list(query.list).map_or(&[][..], |list| &list.records) {
            meter.work(1)?;
            let record = Value::Record(query.list, record.number);
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
    fn kept(&self, query: &Query, locals: &[Value]) -> Option<Value> {
        if self.leaves_traces { None } else { locals.get(query.local as usize).cloned() }
    }

    /// Returns the numbers that a loop visits.
    pub fn ends(
        &self,
        from: &Expr,
        to: &Expr,
        locals: &mut [Value],
        meter: &mut Meter<'_>,
    ) -> Result<Range<i64>, Fault> {
        let ends = (self.value(from, locals, meter)?, self.value(to, locals, meter)?);
        let (Value::Int(from), Value::Int(to)) = ends else { return Ok(0..0) };
        if to.saturating_sub(from) >= LOOP_MAX {
            return Err(Fault::new(format!("{from}..{to} are more than {LOOP_MAX} numbers")));
        }
        Ok(from..to.saturating_add(1))
    }

    fn known(&self, value: Option<&Value>) -> Value {
        value.map_or(Value::None, |value| self.state.known(value))
    }

    fn binary(
        &self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        locals: &mut [Value],
        meter: &mut Meter<'_>,
    ) -> Result<Value, Fault> {
        let left = self.value(left, locals, meter)?;
        let is_decided = match operator {
            Operator::And => !is_true(&left),
            Operator::Or => is_true(&left),
            Operator::Else => left != Value::None && !is_empty_text(&left),
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
fn combined(operator: Operator, left: &Value, right: Value, meter: &mut Meter<'_>) -> Result<Value, Fault> {
    Ok(match operator {
        Operator::And | Operator::Or => Value::Bool(is_true(&right)),
        Operator::Else => right,
        Operator::Equal => Value::Bool(*left == right),
        Operator::NotEqual => Value::Bool(*left != right),
        Operator::Less => compared(left, &right, |left, right| left < right),
        Operator::AtMost => compared(left, &right, |left, right| left <= right),
        Operator::Greater => compared(left, &right, |left, right| left > right),
        Operator::AtLeast => compared(left, &right, |left, right| left >= right),
        Operator::Add => match (left, &right) {
            (Value::Int(left), Value::Int(right)) => Value::Int(left.saturating_add(*right)),
            (Value::Text(_), Value::Text(_) | Value::Int(_)) | (Value::Int(_), Value::Text(_)) => {
                let mut text = String::new();
                append(&mut text, left);
                append(&mut text, &right);
                meter.work(text.len() / 4)?;
                measured(&text)?
            }
            _ => Value::None,
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
pub(super) fn is_true(value: &Value) -> bool {
    match value {
        Value::None => false,
        Value::Bool(is_true) => *is_true,
        Value::Int(number) => *number != 0,
        Value::Text(text) => !text.is_empty(),
        Value::Record(..) => true,
    }
}

/// Returns the text that shows a value.
pub(super) fn shown(value: Value) -> Arc<str> {
    match value {
        Value::Text(text) => text,
        value => {
            let mut text = String::new();
            append(&mut text, &value);
            text.into()
        }
    }
}

/// Returns `text` as a value, unless it is too long.
pub(super) fn measured(text: &str) -> Result<Value, Fault> {
    // Bytes first: only a text with many bytes can have many characters, and counting them is slow.
    if text.len() > TEXT_MAX && text.chars().count() > TEXT_MAX {
        return Err(Fault::new(format!("a text has more than {TEXT_MAX} characters")));
    }
    Ok(Value::Text(text.into()))
}

pub(super) fn set(locals: &mut [Value], local: u32, value: Value) {
    if let Some(place) = locals.get_mut(local as usize) {
        *place = value;
    }
}

fn is_empty_text(value: &Value) -> bool {
    matches!(value, Value::Text(text) if text.is_empty())
}

fn append(text: &mut String, value: &Value) {
    match value {
        Value::None | Value::Record(..) => {}
        Value::Bool(is_true) => text.push_str(if *is_true { "true" } else { "false" }),
        Value::Int(number) => append_number(text, *number),
        Value::Text(other) => text.push_str(other),
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

fn negated(value: &Value) -> Value {
    match value {
        Value::Int(number) => Value::Int(number.saturating_neg()),
        Value::None | Value::Bool(_) | Value::Text(_) | Value::Record(..) => Value::None,
    }
}

fn compared(left: &Value, right: &Value, holds: fn(&Value, &Value) -> bool) -> Value {
    match (left, right) {
        (Value::Int(_), Value::Int(_)) | (Value::Text(_), Value::Text(_)) => Value::Bool(holds(left, right)),
        _ => Value::None,
    }
}

fn numbers(left: &Value, right: &Value, result: fn(i64, i64) -> Option<i64>) -> Value {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => result(*left, *right).map_or(Value::None, Value::Int),
        _ => Value::None,
    }
}

fn call(function: Function, values: &[Value], meter: &mut Meter<'_>) -> Result<Value, Fault> {
    let first = values.first().unwrap_or(&Value::None);
    let second = values.get(1).unwrap_or(&Value::None);
    if let Value::Text(text) = first {
        meter.work(text.len() / 4)?;
    }
    Ok(match (function, first, second) {
        (Function::Len, Value::Text(text), _) => Value::Int(text.chars().count() as i64),
        // A negative length takes no letters.
        (Function::Left, Value::Text(text), Value::Int(len)) => {
            Value::Text(text.chars().take(usize::try_from(*len).unwrap_or(0)).collect::<String>().into())
        }
        (Function::Lower, Value::Text(text), _) => measured(&text.to_lowercase())?,
        (Function::Upper, Value::Text(text), _) => measured(&text.to_uppercase())?,
        (Function::Trim, Value::Text(text), _) => Value::Text(text.trim().into()),
        (Function::Contains, Value::Text(text), Value::Text(part)) => Value::Bool(text.contains(&**part)),
        (Function::Starts, Value::Text(text), Value::Text(part)) => Value::Bool(text.starts_with(&**part)),
        (Function::Number, Value::Int(number), _) => Value::Int(*number),
        (Function::Number, Value::Text(text), _) => text.trim().parse().map_or(Value::None, Value::Int),
        (Function::Min, Value::Int(left), Value::Int(right)) => Value::Int(*left.min(right)),
        (Function::Max, Value::Int(left), Value::Int(right)) => Value::Int(*left.max(right)),
        (Function::Abs, Value::Int(number), _) => Value::Int(number.saturating_abs()),
        (Function::Random, Value::Int(from), Value::Int(to)) if from <= to => {
            let apart = to.saturating_sub(*from);
            if apart > RANDOM_MAX {
                return Err(Fault::new(format!("{from} and {to} are more than {RANDOM_MAX} apart")));
            }
            Value::Int(from.saturating_add(meter.draw(Odds::Even(apart as usize + 1))? as i64))
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
        ) => Value::None,
    })
}
