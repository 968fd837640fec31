//! Effects: the reader of changes and gestures that handlers run.

use std::ops::RangeInclusive;
use std::sync::Arc;

use pest::iterators::Pair;

use super::super::model::{Does, Effect, Expr, Life, Operator, Variable, WindowId};
use super::expression::{Referent, Worked};
use super::grammar::Rule;
use super::items::ItemKind;
use super::scope::{Kind, Scope};
use super::{DEPTH_MAX, LOCALS_MAX, NODES_MAX, Reader, span};
use crate::text::{Span, child, clip, part, parts, time_unit};

/// Bounds of a time: a day is longer than any run.
const MS: RangeInclusive<u64> = 1..=86_400_000;

/// Variable to set, its present value, and the kind of that value.
pub(super) struct Target {
    pub variable: Variable,
    value: Expr,
    kind: Kind,
}

impl<'a> Reader<'a> {
    /// Reads effects, in braces or not.
    pub(super) fn effects(
        &mut self,
        pair: Pair<'a, Rule>,
        scope: &mut Scope<'a>,
        depth: usize,
    ) -> Arc<[Effect]> {
        match child(&pair, Rule::block) {
            Some(block) => self.block(block, scope, depth),
            None => self.block(pair, scope, depth),
        }
    }

    /// Reads effects. Names that they declare end with them.
    pub(super) fn block(
        &mut self,
        pair: Pair<'a, Rule>,
        scope: &mut Scope<'a>,
        depth: usize,
    ) -> Arc<[Effect]> {
        let mark = scope.mark();
        let mut effects = Vec::new();
        for pair in pair.into_inner() {
            if matches!(pair.as_rule(), Rule::open_brace | Rule::close_brace | Rule::semicolon) {
                continue;
            }
            self.count_node(&pair, scope);
            if self.is_full {
                break;
            }
            let at = span(&pair, scope.offset);
            if scope.locals().len() > LOCALS_MAX {
                let message = format!("{LOCALS_MAX} names may be known at a place, and here it is one more");
                self.error("E-too-large", at, message, "a name ends with the braces in which it is given");
                break;
            }
            // An effect with a mistake is left out: the model is not used.
            if let Some(does) = self.does(pair, scope, depth) {
                effects.push(Effect { does, span: at });
            }
        }
        scope.reset(mark);
        Arc::from(effects)
    }

    /// Counts a widget, an effect, or a form around them.
    pub(super) fn count_node(&mut self, pair: &Pair<'a, Rule>, scope: &Scope<'a>) {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            self.too_large(span(pair, scope.offset));
        }
    }

    fn does(&mut self, pair: Pair<'a, Rule>, scope: &mut Scope<'a>, depth: usize) -> Option<Does> {
        let does = match pair.as_rule() {
            Rule::set => return self.set(&pair, scope),
            Rule::let_effect => {
                let name = part(&pair, Rule::name);
                let value = self.expression_in(&pair, scope);
                let local = scope.add(name.as_str(), value.kind.of_variable(), true);
                Does::Let { local, value: value.expr }
            }
            Rule::add => return self.add(&pair, scope),
            Rule::remove => {
                let record = self.expression_in(&pair, scope);
                if !matches!(record.kind, Kind::Record(_) | Kind::Unknown) {
                    let message = format!("`remove` takes a record, and this is {}", record.kind.words());
                    self.mistake(
                        scope,
                        "E-kind",
                        record.span,
                        message,
                        "records have: what `for` goes through",
                    );
                }
                Does::Remove { record: record.expr }
            }
            Rule::clear => {
                let list = part(&pair, Rule::name);
                Does::Clear { list: self.list(&list, scope)? }
            }
            Rule::open_window => return self.open(&pair, scope),
            Rule::show => {
                let (window, values) = self.opened(&pair, scope)?;
                Does::Show { window, values }
            }
            Rule::finish => {
                let with = child(&pair, Rule::expression).map(|with| self.expression(with, scope).expr);
                Does::Finish { with }
            }
            Rule::close_window => Does::Close,
            Rule::leave => Does::Leave,
            Rule::toast => Does::Toast { text: self.expression_in(&pair, scope).expr },
            Rule::wait => Does::Wait { ms: self.duration(&pair, scope) },
            Rule::keyboard => Does::Keyboard,
            Rule::crash => {
                self.crashes.insert(span(&pair, scope.offset).start);
                Does::Crash { trace: self.expression_in(&pair, scope).expr }
            }
            Rule::anr => Does::Anr { reason: self.expression_in(&pair, scope).expr },
            Rule::after => {
                let ms = self.duration(&pair, scope);
                let block = part(&pair, Rule::block);
                Does::After { ms, effects: self.block(block, scope, depth + 1) }
            }
            Rule::chance => self.chance(pair, scope, depth),
            Rule::if_form => return self.if_form(pair, scope, depth),
            Rule::for_form => {
                let mark = scope.mark();
                let each = part(&pair, Rule::each);
                let each = self.each(&each, scope);
                let block = part(&pair, Rule::block);
                let effects = self.block(block, scope, depth + 1);
                scope.reset(mark);
                let (local, each) = each?;
                Does::For { local, each, effects }
            }
            _ => return self.call_procedure(&pair, scope),
        };
        Some(does)
    }

    fn set(&mut self, pair: &Pair<'a, Rule>, scope: &mut Scope<'a>) -> Option<Does> {
        let path = part(pair, Rule::path);
        let assign = part(pair, Rule::assign);
        // The value is read even if the variable is unknown, for its own mistakes.
        let target = self.variable(path, "set", scope);
        let value = self.expression_in(pair, scope);
        let Target { variable, value: current, kind } = target?;
        let sign = assign.as_str().trim();
        if sign == "=" {
            // Any variable can be set to `none`.
            if value.kind != Kind::None {
                let wants = format!("the variable is {}", kind.words());
                self.expect_kind(&value, kind, &wants, scope);
            }
            return Some(Does::Set { variable, value: value.expr });
        }
        let operator = if sign == "+=" { Operator::Add } else { Operator::Subtract };
        let at = span(&assign, scope.offset);
        // `x += 1` is read as `x = x + 1`.
        let current = Worked { expr: current, kind, depth: 1, span: at.clone() };
        let gives = self.kind_of(operator, &at, &current, &value, scope);
        if !gives.may_be(kind) {
            let message = format!("the variable is {}, and this makes it {}", kind.words(), gives.words());
            self.mistake(scope, "E-kind", at, message, "set it with `=`");
        }
        let current = current.expr;
        let value = Expr::Binary(operator, Box::new(current), Box::new(value.expr));
        Some(Does::Set { variable, value })
    }

    /// Returns the variable of a path that is set or typed into, or reports why it cannot be.
    pub(super) fn variable(
        &mut self,
        path: Pair<'a, Rule>,
        verb: &str,
        scope: &mut Scope<'a>,
    ) -> Option<Target> {
        let whole = span(&path, scope.offset);
        let name = part(&path, Rule::name);
        let mut fields: Vec<Pair<'a, Rule>> = parts(&path, Rule::field).collect();
        // A path with a dot sets a field of a record.
        if let Some(last) = fields.pop() {
            if last.as_str() == "index" {
                let help = "the place of a record follows from when it was added";
                self.mistake(scope, "E-set", whole, "an `index` cannot be set", help);
                return None;
            }
            // All fields but the last are read; the last one is set.
            let mut record = self.primary(name, scope);
            for field in fields {
                record = self.field_of(record, &field, scope);
            }
            let field_of = self.field_of(record, &last, scope);
            let Expr::Field(record, field) = field_of.expr else { return None };
            let value = Expr::Field(record.clone(), field);
            return Some(Target { variable: Variable::Field(*record, field), value, kind: Kind::Unknown });
        }
        match self.referent(&name, scope)? {
            Referent::Local { slot, kind, is_settable } => {
                if !is_settable || verb != "set" {
                    let message =
                        format!("`{}` is a name for a value, and cannot be {verb}", clip(name.as_str()));
                    let help = "a variable can: `own x = 0`, or a field of a record";
                    self.mistake(scope, "E-set", whole, message, help);
                    return None;
                }
                Some(Target { variable: Variable::Local(slot), value: Expr::Local(slot), kind })
            }
            Referent::Own(own) => {
                let kind = self.own_kinds[own as usize];
                Some(Target { variable: Variable::Own(own), value: Expr::Own(own), kind })
            }
            Referent::Global(global) => {
                let head = &self.declared.globals[global as usize];
                let (name, kind) = (clip(head.name), head.kind);
                let refused = if head.life == Life::Param {
                    Some((
                        "is a parameter",
                        format!("say it with `--set {name}=...`, or make it `session {name} = ...`"),
                    ))
                } else if head.list.is_some() {
                    Some((
                        "is a list",
                        format!("change it with `add {name}(...)`, `remove` and `clear {name}`"),
                    ))
                } else {
                    None
                };
                if let Some((what, help)) = refused {
                    self.mistake(
                        scope,
                        "E-set",
                        whole,
                        format!("`{name}` {what}, and cannot be {verb}"),
                        help,
                    );
                    return None;
                }
                Some(Target { variable: Variable::Global(global), value: Expr::Global(global), kind })
            }
        }
    }

    fn add(&mut self, pair: &Pair<'a, Rule>, scope: &mut Scope<'a>) -> Option<Does> {
        let list = part(pair, Rule::name);
        let list = self.list(&list, scope);
        let mut values = Vec::new();
        let of = list.map_or(Kind::Unknown, Kind::Record);
        let named = child(pair, Rule::named_values);
        for value in named.iter().flat_map(|named| parts(named, Rule::named_value)) {
            let name = part(&value, Rule::field);
            // Fields of an unknown list are not reported too.
            let field = if list.is_some() { self.field(&name, of, scope) } else { None };
            let worked = self.expression_in(&value, scope);
            let Some(field) = field else { continue };
            if values.iter().any(|&(known, _)| known == field) {
                let message = format!("the field `{}` is given twice", clip(name.as_str()));
                self.mistake(scope, "E-duplicate", span(&name, scope.offset), message, "leave one out");
                continue;
            }
            values.push((field, worked.expr));
        }
        let local = child(pair, Rule::as_name).map(|name| {
            let name = part(&name, Rule::name);
            scope.add(name.as_str(), of, false)
        });
        Some(Does::Add { list: list?, values, local })
    }

    fn open(&mut self, pair: &Pair<'a, Rule>, scope: &mut Scope<'a>) -> Option<Does> {
        let opened = self.opened(pair, scope);
        let afresh = child(pair, Rule::afresh).is_some();
        let request = child(pair, Rule::request).map(|request| {
            let name = part(&request, Rule::name);
            // Every result must be waited for, which is checked after all items are read.
            self.uses.ask(name.as_str(), span(&name, scope.offset));
            self.request(name.as_str())
        });
        let (window, values) = opened?;
        Some(Does::Open { window, values, afresh, request })
    }

    /// Returns the number of a request.
    pub(super) fn request(&mut self, name: &'a str) -> u32 {
        let next = self.requests.len() as u32;
        let number = *self.request_numbers.entry(name).or_insert(next);
        if number == next {
            self.requests.push(Arc::from(name));
        }
        number
    }

    /// Returns the window after `open` or `show`, with the values it gets.
    fn opened(&mut self, pair: &Pair<'a, Rule>, scope: &mut Scope<'a>) -> Option<(WindowId, Vec<Expr>)> {
        let name = part(pair, Rule::name);
        let at = span(&name, scope.offset);
        let arguments = child(pair, Rule::arguments);
        let values = arguments.map_or(Vec::new(), |arguments| self.values(&arguments, scope));
        let Some(&window) = self.declared.window_numbers.get(name.as_str()) else {
            self.unknown_window(name.as_str(), at, scope.is_quiet);
            return None;
        };
        let head = self.declared.windows[window as usize].clone();
        let is_show = pair.as_rule() == Rule::show;
        if is_show == (head.kind == ItemKind::Activity) {
            let (what, help) = match is_show {
                true => ("an activity", "open"),
                false => ("no activity", "show"),
            };
            let name = clip(head.name);
            self.mistake(
                scope,
                "E-window",
                at.clone(),
                format!("`{name}` is {what}"),
                format!("write `{help} {name}`"),
            );
        }
        self.uses.open(window);
        // The first variables of a window are its parameters.
        let takes = head.own.iter().take(head.parameters as usize);
        let takes: Vec<&str> = takes.map(|own| own.name).collect();
        self.count_fits(head.name, &takes, values.len(), &at, scope);
        Some((window, values))
    }

    /// Returns the values in brackets.
    pub(super) fn values(&mut self, arguments: &Pair<'a, Rule>, scope: &mut Scope<'a>) -> Vec<Expr> {
        let expressions = parts(arguments, Rule::expression);
        expressions.map(|expression| self.expression(expression, scope).expr).collect()
    }

    /// Returns the milliseconds in a pair that has a duration.
    pub(super) fn duration(&mut self, pair: &Pair<'a, Rule>, scope: &Scope<'a>) -> u64 {
        let duration = part(pair, Rule::duration);
        let written = duration.as_str();
        let time = time_unit(written);
        let ms = time.and_then(|(number, unit_ms)| number.parse::<u64>().ok()?.checked_mul(unit_ms));
        ms.filter(|ms| MS.contains(ms)).unwrap_or_else(|| {
            let message = match time {
                Some(_) => format!("`{}` is not between a millisecond and a day", clip(written)),
                None => format!("`{}` is no time", clip(written)),
            };
            self.mistake(
                scope,
                "E-time",
                span(&duration, scope.offset),
                message,
                "a time is like `300ms` or `2s`",
            );
            *MS.start()
        })
    }

    fn chance(&mut self, pair: Pair<'a, Rule>, scope: &mut Scope<'a>, depth: usize) -> Does {
        // In thousandths of a percent.
        const WHOLE: u32 = 100_000;
        let whole = span(&pair, scope.offset);
        let mut branches = Vec::new();
        let mut rest = WHOLE;
        let mut share = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::share => share = Some(self.share(&part, scope)),
                Rule::block => {
                    let at = span(&part, scope.offset);
                    let effects = self.block(part, scope, depth + 1);
                    let Some(share) = share.take() else {
                        branches.push((rest, effects));
                        rest = 0;
                        continue;
                    };
                    if share > rest {
                        let message = "the shares add up to more than 100%";
                        self.mistake(scope, "E-chance", whole.start..at.start, message, "make them smaller");
                    }
                    rest = rest.saturating_sub(share);
                    branches.push((share, effects));
                }
                _ => {}
            }
        }
        // Shares below 100% leave a chance that nothing is done.
        if rest > 0 {
            branches.push((rest, Arc::from([])));
        }
        Does::Chance { branches }
    }

    /// Returns a share in thousandths of a percent.
    fn share(&mut self, pair: &Pair<'a, Rule>, scope: &Scope<'a>) -> u32 {
        let written = pair.as_str().trim_end_matches('%');
        let (whole, decimals) = written.split_once('.').unwrap_or((written, ""));
        // Digits in place of a float, so that shares add up exactly.
        let share = (decimals.len() <= 3)
            .then(|| format!("{whole}{decimals:0<3}").parse().ok())
            .flatten()
            .filter(|share| *share <= 100_000);
        share.unwrap_or_else(|| {
            let message = format!("`{}` is no share", clip(pair.as_str()));
            let help = "a share is from 0% to 100%, with up to three decimals";
            self.mistake(scope, "E-chance", span(pair, scope.offset), message, help);
            0
        })
    }

    fn if_form(&mut self, pair: Pair<'a, Rule>, scope: &mut Scope<'a>, depth: usize) -> Option<Does> {
        let mut conditions: Vec<(Expr, Span)> = Vec::new();
        let mut blocks = Vec::new();
        let at = span(&pair, scope.offset);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::expression => {
                    let condition = self.expression(part, scope);
                    conditions.push((condition.expr, condition.span));
                }
                Rule::block => {
                    let effects = self.block(part, scope, depth + conditions.len());
                    blocks.push(effects);
                }
                _ => {}
            }
        }
        if depth + conditions.len() > DEPTH_MAX {
            self.too_deep(at, scope);
            return None;
        }
        let mut otherwise: Arc<[Effect]> = Arc::from([]);
        if blocks.len() > conditions.len() {
            // One block more than conditions: the last is the `else`.
            otherwise = blocks.pop().expect("there are more than none");
        }
        // From the last `else if` back: each form is the `else` of the one before.
        let mut does = None;
        while let (Some((condition, span)), Some(then)) = (conditions.pop(), blocks.pop()) {
            does = Some(Does::If { condition, then, otherwise });
            otherwise = match does.take_if(|_| !conditions.is_empty()) {
                Some(does) => Arc::from([Effect { does, span }]),
                None => Arc::from([]),
            };
        }
        does
    }

    /// Reports forms that are nested too deep.
    pub(super) fn too_deep(&mut self, at: Span, scope: &Scope<'a>) {
        let message = format!(
            "what stands in each other may do so {DEPTH_MAX} deep, parts put in, and here it is deeper"
        );
        let help = "use fewer parts in parts, `let`s and `else`s in each other";
        // Parts put in each other this deep multiply: nothing more is read.
        if scope.is_quiet {
            self.is_full = true;
        }
        self.error("E-too-deep", at, message, help);
    }

    fn call_procedure(&mut self, pair: &Pair<'a, Rule>, scope: &mut Scope<'a>) -> Option<Does> {
        let name = part(pair, Rule::name);
        let at = span(&name, scope.offset);
        let values = child(pair, Rule::arguments).map(|arguments| self.values(&arguments, scope));
        let Some(&procedure) = self.declared.procedure_numbers.get(name.as_str()) else {
            let is_said = scope.is_quiet || self.declared.broken.contains(name.as_str());
            if !is_said && !self.is_enough("E-unknown-def", &at) {
                let procedures: Vec<&str> = self.declared.procedures.iter().map(|known| known.name).collect();
                let help = self.near(name.as_str(), procedures.iter().copied(), |known| match known {
                    [] => format!("declare it: `{}`", ItemKind::Def.example()),
                    known => format!("there are {}", known.join(", ")),
                });
                let message = format!("there is no def `{}`", clip(name.as_str()));
                self.error("E-unknown-def", at, message, help);
            }
            return None;
        };
        let Some(values) = values else {
            self.mistake(scope, "E-arguments", at, "a `def` takes values", "write `save(a, b)`");
            return None;
        };
        let head = self.declared.procedures[procedure as usize].clone();
        self.uses.call(procedure);
        let takes: Vec<&str> = head.parameters.iter().map(|&(name, _)| name).collect();
        self.count_fits(head.name, &takes, values.len(), &at, scope);
        Some(Does::Call { procedure, values })
    }
}
