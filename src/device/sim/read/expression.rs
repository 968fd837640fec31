//! Expressions: from the flat pairs of the grammar to a tree with every name resolved.

use std::sync::Arc;

use pest::iterators::Pair;

use super::super::model::{Datum, Each, Expr, FieldId, Function, GlobalId, Life, LocalId, Operator, Query};
use super::grammar::Rule;
use super::scope::{Kind, Owner, Scope};
use super::{DEPTH_MAX, OPERANDS_MAX, Reader, span};
use crate::text::{Span, child, clip, no_character, part, parts, unescape};

/// Expression with its kind, depth and place.
pub(super) struct Worked {
    pub expr: Expr,
    pub kind: Kind,
    /// Depth of operators in each other.
    pub depth: usize,
    pub span: Span,
}

impl Worked {
    /// Returns the stand-in for an expression with mistakes.
    fn unknown(span: Span) -> Worked {
        Worked { expr: Expr::Value(Datum::None), kind: Kind::Unknown, depth: 1, span }
    }
}

/// Depth of an expression that is reported as too deep: the expressions around it are not reported again.
const TOO_DEEP: usize = 1 << 40;

/// Kinds that a function takes and gives.
struct Signature {
    name: &'static str,
    function: Function,
    takes: &'static [Kind],
    gives: Kind,
}

const SIGNATURES: [Signature; 12] = {
    use Kind::{Bool, Int, Text};
    const fn of(name: &'static str, function: Function, takes: &'static [Kind], gives: Kind) -> Signature {
        Signature { name, function, takes, gives }
    }
    [
        of("len", Function::Len, &[Text], Int),
        of("left", Function::Left, &[Text, Int], Text),
        of("lower", Function::Lower, &[Text], Text),
        of("upper", Function::Upper, &[Text], Text),
        of("trim", Function::Trim, &[Text], Text),
        of("contains", Function::Contains, &[Text, Text], Bool),
        of("starts", Function::Starts, &[Text, Text], Bool),
        of("number", Function::Number, &[Text], Int),
        of("min", Function::Min, &[Int, Int], Int),
        of("max", Function::Max, &[Int, Int], Int),
        of("abs", Function::Abs, &[Int], Int),
        of("random", Function::Random, &[Int, Int], Int),
    ]
};

/// Meaning of a name.
pub(super) enum Referent {
    Local { slot: LocalId, kind: Kind, is_settable: bool },
    Own(u32),
    Global(GlobalId),
}

impl<'a> Reader<'a> {
    /// Reads an expression. One with mistakes is `none`.
    pub(super) fn expression(&mut self, pair: Pair<'a, Rule>, scope: &mut Scope<'a>) -> Worked {
        let mut chains: Vec<Worked> = Vec::new();
        for chain in parts(&pair, Rule::chain) {
            let worked = self.chain(chain, scope);
            chains.push(worked);
        }
        // `a ? b : c ? d : e` is a list of questions with answers, and the answer otherwise.
        let mut worked = chains.pop().expect("the grammar gives an operand");
        while let (Some(then), Some(condition)) = (chains.pop(), chains.pop()) {
            let depth = condition.depth.max(then.depth).max(worked.depth) + 1;
            let span = condition.span.start..worked.span.end;
            let kind = then.kind.or(worked.kind);
            let expr = Expr::Choose(Box::new(condition.expr), Box::new(then.expr), Box::new(worked.expr));
            worked = self.bounded(Worked { expr, kind, depth, span }, scope);
        }
        worked
    }

    /// Reads the expression in a pair that has one, as after `toast`.
    pub(super) fn expression_in(&mut self, pair: &Pair<'a, Rule>, scope: &mut Scope<'a>) -> Worked {
        let inner = part(pair, Rule::expression);
        self.expression(inner, scope)
    }

    /// Returns the expression, or a stand-in if it is too deep.
    fn bounded(&mut self, worked: Worked, scope: &Scope<'a>) -> Worked {
        if worked.depth <= DEPTH_MAX {
            return worked;
        }
        let unknown = Worked { depth: TOO_DEEP, ..Worked::unknown(worked.span.clone()) };
        // An operator inside is reported already.
        if worked.depth > TOO_DEEP {
            return unknown;
        }
        let message = format!("operators may be nested {DEPTH_MAX} deep, and here they are deeper");
        self.mistake(scope, "E-too-deep", worked.span.clone(), message, "give parts of it a name with `let`");
        unknown
    }

    fn chain(&mut self, pair: Pair<'a, Rule>, scope: &mut Scope<'a>) -> Worked {
        // Two stacks in place of recursion: a chain may have hundreds of thousands of operators.
        let mut operands: Vec<Worked> = Vec::new();
        let mut operators: Vec<(Operator, Span)> = Vec::new();
        let mut prefixes: Vec<(bool, Span)> = Vec::new();
        for part in pair.into_inner() {
            let at = span(&part, scope.offset);
            match part.as_rule() {
                Rule::prefix => prefixes.push((part.as_str().starts_with('!'), at)),
                Rule::infix => {
                    let operator = operator(part.as_str());
                    // Operators that bind alike group to the left.
                    while operators.last().is_some_and(|(before, _)| binding(*before) >= binding(operator)) {
                        let is_chain = self.is_chain(&operators, operator, &at, scope);
                        self.reduce(&mut operands, &mut operators, scope);
                        if let Some(worked) = operands.last_mut().filter(|_| is_chain) {
                            // This is reported, so nothing more is reported about its kind.
                            worked.kind = Kind::Unknown;
                        }
                    }
                    operators.push((operator, at));
                }
                _ => {
                    let mut worked = self.operand(part, scope);
                    while let Some((is_not, at)) = prefixes.pop() {
                        worked = self.prefixed(is_not, at, worked, scope);
                    }
                    operands.push(worked);
                }
            }
        }
        while !operators.is_empty() {
            self.reduce(&mut operands, &mut operators, scope);
        }
        operands.pop().expect("the grammar gives an operand")
    }

    /// Returns true, and reports it, if comparisons follow each other like `a < b < c`.
    fn is_chain(
        &mut self,
        operators: &[(Operator, Span)],
        next: Operator,
        at: &Span,
        scope: &Scope<'a>,
    ) -> bool {
        let is_comparison = |operator| binding(operator) == binding(Operator::Equal);
        let is_chain =
            is_comparison(next) && operators.last().is_some_and(|(before, _)| is_comparison(*before));
        if is_chain {
            let help = "join two comparisons with `&&`, or put one in brackets";
            self.mistake(scope, "E-comparison", at.clone(), "comparisons do not follow each other", help);
        }
        is_chain
    }

    fn prefixed(&mut self, is_not: bool, at: Span, worked: Worked, scope: &Scope<'a>) -> Worked {
        let span = at.start..worked.span.end;
        let depth = worked.depth + 1;
        if is_not {
            let expr = Expr::Not(Box::new(worked.expr));
            return self.bounded(Worked { expr, kind: Kind::Bool, depth, span }, scope);
        }
        self.expect_kind(&worked, Kind::Int, "`-` takes a number", scope);
        // `-1` stays a constant, which parameters need.
        let expr = match worked.expr {
            Expr::Value(Datum::Int(number)) => Expr::Value(Datum::Int(-number)),
            expr => Expr::Negate(Box::new(expr)),
        };
        self.bounded(Worked { expr, kind: Kind::Int, depth, span }, scope)
    }

    fn reduce(
        &mut self,
        operands: &mut Vec<Worked>,
        operators: &mut Vec<(Operator, Span)>,
        scope: &Scope<'a>,
    ) {
        let (operator, at) = operators.pop().expect("asked while there are operators");
        let right = operands.pop().expect("the grammar gives one more operand");
        let left = operands.pop().expect("the grammar gives one more operand");
        let kind = self.kind_of(operator, &at, &left, &right, scope);
        let span = left.span.start..right.span.end;
        let depth = left.depth.max(right.depth) + 1;
        let expr = Expr::Binary(operator, Box::new(left.expr), Box::new(right.expr));
        operands.push(self.bounded(Worked { expr, kind, depth, span }, scope));
    }

    /// Returns the kind of the value of an operator, and reports operands that make no sense.
    pub(super) fn kind_of(
        &mut self,
        operator: Operator,
        at: &Span,
        left: &Worked,
        right: &Worked,
        scope: &Scope<'a>,
    ) -> Kind {
        let kinds = [left.kind, right.kind];
        let mut clash = |message: String, help: &str| {
            self.mistake(scope, "E-kind", at.clone(), message, help);
            Kind::Unknown
        };
        let words = || format!("{} and {}", left.kind.words(), right.kind.words());
        match operator {
            Operator::Or | Operator::And => Kind::Bool,
            Operator::Else => left.kind.or(right.kind),
            Operator::Equal | Operator::NotEqual => {
                // Any value may be compared with `none`.
                if !kinds.contains(&Kind::None) && !left.kind.may_be(right.kind) {
                    clash(
                        format!("{} are never equal", words()),
                        "compare values of one kind; `number(t)` is the number in a text",
                    );
                }
                Kind::Bool
            }
            Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast => {
                let is_ordered = |kind| matches!(kind, Kind::Int | Kind::Text | Kind::Unknown);
                if !kinds.into_iter().all(is_ordered) || !left.kind.may_be(right.kind) {
                    clash(format!("{} have no order", words()), "numbers and texts have one");
                }
                Kind::Bool
            }
            Operator::Add => {
                let adds = |kind| matches!(kind, Kind::Int | Kind::Text | Kind::Unknown);
                if !kinds.into_iter().all(adds) {
                    return clash(
                        format!("{} cannot be added", words()),
                        "`+` adds numbers and joins texts; a value goes into a text as `\"{x}\"`",
                    );
                }
                match kinds {
                    [Kind::Int, Kind::Int] => Kind::Int,
                    kinds if kinds.contains(&Kind::Text) => Kind::Text,
                    _ => Kind::Unknown,
                }
            }
            Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder => {
                for side in [left, right] {
                    let sign = sign(operator);
                    self.expect_kind(side, Kind::Int, &format!("`{sign}` takes numbers"), scope);
                }
                Kind::Int
            }
        }
    }

    /// Reports a value that is known to be of another kind than `kind`.
    pub(super) fn expect_kind(&mut self, worked: &Worked, kind: Kind, wants: &str, scope: &Scope<'a>) {
        if !worked.kind.may_be(kind) {
            let message = format!("{wants}, and this is {}", worked.kind.words());
            let help = match (kind, worked.kind) {
                (Kind::Int, Kind::Text) => {
                    "`number(t)` is the number in a text, `len(t)` its length".to_string()
                }
                (Kind::Text, Kind::Int | Kind::Bool) => "a value goes into a text as `\"{x}\"`".to_string(),
                _ => format!("write {}", kind.words()),
            };
            self.mistake(scope, "E-kind", worked.span.clone(), message, help);
        }
    }

    fn operand(&mut self, pair: Pair<'a, Rule>, scope: &mut Scope<'a>) -> Worked {
        self.operands += 1;
        if self.operands > OPERANDS_MAX {
            self.too_large(span(&pair, scope.offset));
        }
        // Reported once. The rest would take as long again.
        if self.is_full {
            return Worked::unknown(span(&pair, scope.offset));
        }
        let whole = span(&pair, scope.offset);
        let mut parts = pair.into_inner();
        let first = parts.next().expect("the grammar gives what is before the dot");
        let mut worked = self.primary(first, scope);
        for field in parts.filter(|pair| pair.as_rule() == Rule::field) {
            worked = self.field_of(worked, &field, scope);
        }
        Worked { span: whole, ..worked }
    }

    /// Reports, once, a model that is too large.
    pub(super) fn too_large(&mut self, at: Span) {
        if !self.is_full {
            self.is_full = true;
            let message = "the model is too large once its parts are put in their places";
            let help = "show many alike with `for`; a part that uses others several times multiplies them";
            self.error("E-too-large", at, message, help);
        }
    }

    /// Reads the part of an operand before its dots, or a simple value.
    pub(super) fn primary(&mut self, pair: Pair<'a, Rule>, scope: &mut Scope<'a>) -> Worked {
        let at = span(&pair, scope.offset);
        let of = |expr, kind| Worked { expr, kind, depth: 1, span: at.clone() };
        match pair.as_rule() {
            Rule::group => {
                let worked = self.expression_in(&pair, scope);
                Worked { span: at, ..worked }
            }
            Rule::number | Rule::signed => match pair.as_str().parse() {
                Ok(number) => of(Expr::Value(Datum::Int(number)), Kind::Int),
                Err(_) => {
                    // Digits alone: only their size can be wrong.
                    let message = format!("`{}` is too large a number", clip(pair.as_str()));
                    let help = format!("numbers go up to {}", i64::MAX);
                    self.mistake(scope, "E-number", at.clone(), message, help);
                    Worked::unknown(at)
                }
            },
            Rule::text => self.text(pair, scope),
            Rule::constant => {
                let constant = |expr| of(expr, Kind::Bool);
                let worked = match pair.as_str() {
                    "true" => return of(Expr::Value(Datum::Bool(true)), Kind::Bool),
                    "false" => return of(Expr::Value(Datum::Bool(false)), Kind::Bool),
                    "none" => return of(Expr::Value(Datum::None), Kind::None),
                    "portrait" => constant(Expr::Portrait),
                    "landscape" => constant(Expr::Landscape),
                    "network" => constant(Expr::Network),
                    "recreated" => constant(Expr::Recreated),
                    "result" => of(Expr::Result, Kind::Unknown),
                    _ => of(Expr::Now, Kind::Int),
                };
                self.check_not_at_start(pair.as_str(), &worked.span, scope);
                worked
            }
            Rule::call => self.call(pair, scope),
            Rule::simple_path | Rule::bare_path => self.operand(pair, scope),
            _ => self.name(&pair, scope),
        }
    }

    /// Reports an initial value that uses what is not there yet.
    fn check_not_at_start(&mut self, what: &str, at: &Span, scope: &Scope<'a>) {
        if scope.owner == Owner::Start {
            let message = format!("`{}` is not known when the app is installed", clip(what));
            self.mistake(
                scope,
                "E-constant",
                at.clone(),
                message,
                "a first value speaks of parameters alone",
            );
        }
    }

    fn name(&mut self, pair: &Pair<'a, Rule>, scope: &Scope<'a>) -> Worked {
        let at = span(pair, scope.offset);
        let of = |expr, kind| Worked { expr, kind, depth: 1, span: at.clone() };
        match self.referent(pair, scope) {
            Some(Referent::Local { slot, kind, .. }) => of(Expr::Local(slot), kind),
            Some(Referent::Own(own)) => of(Expr::Own(own), self.own_kinds[own as usize]),
            Some(Referent::Global(global)) => {
                let head = &self.declared.globals[global as usize];
                let kind = head.kind;
                if head.list.is_some() {
                    let name = clip(head.name);
                    let help = format!("write `count({name})`, or `find(x in {name} where ...)`");
                    self.mistake(
                        scope,
                        "E-list",
                        at.clone(),
                        format!("`{name}` is a list, and no value"),
                        help,
                    );
                    return Worked::unknown(at);
                }
                of(Expr::Global(global), kind)
            }
            None => Worked::unknown(at),
        }
    }

    /// Returns the meaning of a name, or reports that it has none.
    pub(super) fn referent(&mut self, pair: &Pair<'a, Rule>, scope: &Scope<'a>) -> Option<Referent> {
        let name = pair.as_str();
        // Names given inside hide those of the window and of the app.
        if let Some(local) = scope.local(name) {
            let (slot, kind, is_settable) = (local.slot, local.kind, local.is_settable);
            return Some(Referent::Local { slot, kind, is_settable });
        }
        let at = span(pair, scope.offset);
        if let Owner::Window { number, own: known } = scope.owner
            && let Some(&own) = self.declared.windows[number as usize].own_numbers.get(name)
        {
            // Initial values are evaluated in order: later variables have none yet.
            if own < known {
                self.uses.own(number, own);
                return Some(Referent::Own(own));
            }
            let help = "its first value is worked out later; move it up";
            self.mistake(scope, "E-order", at, format!("`{}` is declared below", clip(name)), help);
            return None;
        }
        if let Some(&global) = self.declared.global_numbers.get(name) {
            self.uses.global(global);
            // Other variables have no values yet when the app is installed.
            if scope.owner == Owner::Start && self.declared.globals[global as usize].life != Life::Param {
                self.check_not_at_start(name, &at, scope);
                return None;
            }
            return Some(Referent::Global(global));
        }
        if !scope.is_quiet && !self.declared.broken.contains(name) {
            self.unknown_name(name, at, scope);
        }
        None
    }

    fn unknown_name(&mut self, name: &str, at: Span, scope: &Scope<'a>) {
        if self.is_enough("E-unknown-name", &at) {
            return;
        }
        let windows = self.declared.windows.clone();
        // Most likely a variable of a window was meant, which parts and `def`s do not know.
        let owner = match scope.owner {
            Owner::Part => Some("part"),
            Owner::Procedure => Some("def"),
            Owner::Window { .. } | Owner::Start => None,
        };
        if let Some(owner) = owner
            && let Some(window) = windows.iter().find(|window| window.own_numbers.get(name).is_some())
        {
            let message =
                format!("`{}` belongs to {}, and is not known in a {owner}", clip(name), clip(window.name));
            let help = match owner {
                "part" => "hand its value over as a parameter, or set it in the `content`",
                _ => "hand its value over as a parameter, or declare it with `session`",
            };
            self.error("E-own", at, message, help);
            return;
        }
        let own: Vec<&str> = match scope.owner {
            Owner::Window { number, .. } => windows[number as usize].own.iter().map(|own| own.name).collect(),
            Owner::Start | Owner::Part | Owner::Procedure => Vec::new(),
        };
        let globals: Vec<&str> = self.declared.globals.iter().map(|global| global.name).collect();
        let known = scope.locals().chain(own.iter().copied()).chain(globals.iter().copied());
        let is_start = scope.owner == Owner::Start;
        let help = self.near(name, known, |known| match known {
            [] if is_start => "declare it: `param x = 3`".to_string(),
            [] => "declare it: `session x = 0`, or `own x = 0` in an activity".to_string(),
            known => format!("known here are {}", known.join(", ")),
        });
        let help = match self.declared.procedure_numbers.get(name).is_some() {
            true => "it is a `def`, which has no value: it stands where effects do".to_string(),
            false => help,
        };
        self.error("E-unknown-name", at, format!("there is no variable `{}`", clip(name)), help);
    }

    pub(super) fn field_of(&mut self, record: Worked, field: &Pair<'a, Rule>, scope: &Scope<'a>) -> Worked {
        let at = span(field, scope.offset);
        let whole = record.span.start..at.end;
        let depth = record.depth + 1;
        let is_record = matches!(record.kind, Kind::Record(_) | Kind::Unknown);
        if !is_record {
            let message = format!("{} has no fields", record.kind.words());
            let help = "records have: what `for` and `find` go through";
            self.mistake(scope, "E-kind", at, message, help);
            return Worked::unknown(whole);
        }
        if field.as_str() == "index" {
            let expr = Expr::Index(Box::new(record.expr));
            return self.bounded(Worked { expr, kind: Kind::Int, depth, span: whole }, scope);
        }
        match self.field(field, record.kind, scope) {
            Some(number) => {
                let expr = Expr::Field(Box::new(record.expr), number);
                self.bounded(Worked { expr, kind: Kind::Unknown, depth, span: whole }, scope)
            }
            None => Worked::unknown(whole),
        }
    }

    /// Returns the field of that name, or reports that the list of the record has none, if the list is known.
    pub(super) fn field(&mut self, field: &Pair<'a, Rule>, of: Kind, scope: &Scope<'a>) -> Option<FieldId> {
        let name = field.as_str();
        let number = self.declared.field_numbers.get(name).copied();
        let list = match of {
            Kind::Record(list) => Some(list),
            Kind::Unknown | Kind::None | Kind::Bool | Kind::Int | Kind::Text => None,
        };
        let listed = list.map(|list| self.declared.globals[list as usize].list.clone().unwrap_or_default());
        let is_known = match (&listed, number) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(listed), Some(number)) => listed.contains(&number),
        };
        if is_known {
            return number;
        }
        let at = span(field, scope.offset);
        // A broken item may declare a list with this field.
        let is_said = scope.is_quiet || list.is_none() && self.declared.broken.contains(name);
        if is_said || self.is_enough("E-unknown-field", &at) {
            return None;
        }
        let known: Vec<Arc<str>> = match listed {
            Some(listed) => {
                listed.iter().map(|&field| self.declared.fields[field as usize].clone()).collect()
            }
            None => self.declared.fields.clone(),
        };
        let of = list.map_or(String::new(), |list| {
            format!(" in `{}`", clip(self.declared.globals[list as usize].name))
        });
        let help = self.near(name, known.iter().map(|name| &**name), |known| match known {
            [] => "fields are declared with their list: `stored notes = list(name)`".to_string(),
            known => format!("fields are {}", known.join(", ")),
        });
        self.error("E-unknown-field", at, format!("there is no field `{}`{of}", clip(name)), help);
        None
    }

    fn call(&mut self, pair: Pair<'a, Rule>, scope: &mut Scope<'a>) -> Worked {
        let at = span(&pair, scope.offset);
        let name = part(&pair, Rule::name);
        let name_at = span(&name, scope.offset);
        if let Some(query) = child(&pair, Rule::query) {
            let mark = scope.mark();
            let query = self.query(query, scope);
            scope.reset(mark);
            let Some((query, depth)) = query else { return Worked::unknown(at) };
            let record = Kind::Record(query.list);
            let mut of = |expr, kind| self.bounded(Worked { expr, kind, depth, span: at.clone() }, scope);
            return match name.as_str() {
                "count" => of(Expr::Count(Box::new(query)), Kind::Int),
                "find" => of(Expr::Find(Box::new(query)), record),
                _ => {
                    let message = format!("`{}` does not go through a list", clip(name.as_str()));
                    let help = "`count(x in list where ...)` and `find(x in list where ...)` do";
                    self.mistake(scope, "E-unknown-function", name_at, message, help);
                    Worked::unknown(at)
                }
            };
        }
        let arguments = part(&pair, Rule::arguments);
        // `count(notes)` stands for `count(n in notes)`.
        if name.as_str() == "count" {
            return self.count_all(&arguments, at, scope);
        }
        if name.as_str() == "find" {
            let help = "write `find(x in list where ...)`";
            self.mistake(scope, "E-list", at.clone(), "`find` goes through a list", help);
            return Worked::unknown(at);
        }
        let Some(signature) = SIGNATURES.iter().find(|signature| signature.name == name.as_str()) else {
            self.unknown_function(name.as_str(), name_at, scope);
            return Worked::unknown(at);
        };
        let takes: Vec<&str> = signature.takes.iter().map(|kind| kind.words()).collect();
        let count = parts(&arguments, Rule::expression).count();
        self.count_fits(signature.name, &takes, count, &at, scope);
        if signature.function == Function::Random {
            self.check_not_at_start("random", &at, scope);
            // A screen is drawn from the state alone, whenever it is looked at.
            if scope.is_look {
                let message = "the look of a screen cannot be left to chance";
                let help = "set a variable by chance in `on create`, and show that";
                self.mistake(scope, "E-chance", at.clone(), message, help);
            }
        }
        let mut depth = 1;
        let mut values = Vec::new();
        // As many as both have: a wrong number is reported above.
        let expressions = parts(&arguments, Rule::expression);
        for (expression, &takes) in expressions.zip(signature.takes) {
            let value = self.expression(expression, scope);
            let wants = format!("`{}` takes {} here", signature.name, takes.words());
            self.expect_kind(&value, takes, &wants, scope);
            depth = depth.max(value.depth + 1);
            values.push(value.expr);
        }
        let expr = Expr::Call(signature.function, values);
        self.bounded(Worked { expr, kind: signature.gives, depth, span: at }, scope)
    }

    /// Reads `count(notes)`.
    fn count_all(&mut self, arguments: &Pair<'a, Rule>, at: Span, scope: &mut Scope<'a>) -> Worked {
        let written = arguments.as_str().trim_start_matches('(').trim_end().trim_end_matches(')').trim();
        let list = self.declared.global_numbers.get(written).copied();
        let list = list.filter(|&list| self.declared.globals[list as usize].list.is_some());
        let Some(list) = list.filter(|_| scope.local(written).is_none()) else {
            let at = span(arguments, scope.offset);
            if !self.declared.broken.contains(written) && !scope.is_quiet && !self.is_enough("E-list", &at) {
                let lists = self.lists();
                let help = self.near(written, lists.iter().copied(), |known| match known {
                    [] => "declare one: `stored notes = list(name)`".to_string(),
                    known => format!("lists are {}", known.join(", ")),
                });
                let message = format!("`count` takes a list, and `{}` is none", clip(written));
                self.error("E-list", at, message, help);
            }
            return Worked::unknown(span(arguments, scope.offset));
        };
        self.uses.global(list);
        // The query needs a slot for its record, which has no name.
        let mark = scope.mark();
        let local = scope.add("", Kind::Record(list), false);
        scope.reset(mark);
        let query = Query { list, local, condition: None, by: None, is_descending: false };
        Worked { expr: Expr::Count(Box::new(query)), kind: Kind::Int, depth: 1, span: at }
    }

    fn lists(&self) -> Vec<&'a str> {
        let lists = self.declared.globals.iter().filter(|global| global.list.is_some());
        lists.map(|global| global.name).collect()
    }

    fn unknown_function(&mut self, name: &str, at: Span, scope: &Scope<'a>) {
        let message = format!("there is no function `{}`", clip(name));
        let help = if self.declared.procedure_numbers.get(name).is_some() {
            "it is a `def`, which has no value: it stands where effects do".to_string()
        } else if name == "list" {
            "a list is declared with its fields: `stored notes = list(name)`".to_string()
        } else {
            let known = SIGNATURES.iter().map(|signature| signature.name).chain(["count", "find"]);
            self.near(name, known.clone(), |_| {
                format!("functions are {}", known.clone().collect::<Vec<_>>().join(", "))
            })
        };
        self.mistake(scope, "E-unknown-function", at, message, help);
    }

    /// Reports too many or too few values for the parameters `takes`.
    pub(super) fn count_fits(
        &mut self,
        name: &str,
        takes: &[&str],
        count: usize,
        at: &Span,
        scope: &Scope<'a>,
    ) {
        if count != takes.len() {
            let number = match takes.len() {
                0 => "nothing".to_string(),
                1 => "one value".to_string(),
                number => format!("{number} values"),
            };
            let gets = if count == 0 { "nothing".to_string() } else { count.to_string() };
            let message = format!("`{}` takes {number}, and here it gets {gets}", clip(name));
            let help = format!("it is `{}({})`", clip(name), clip(&takes.join(", ")));
            self.mistake(scope, "E-arguments", at.clone(), message, help);
        }
    }

    /// Reads `n in notes where E by E`. From here on `n` is known.
    fn query(&mut self, pair: Pair<'a, Rule>, scope: &mut Scope<'a>) -> Option<(Query, usize)> {
        let mut names = parts(&pair, Rule::name);
        let name = names.next().expect("the grammar gives a name");
        let list = names.next().expect("the grammar gives a list");
        self.records(name.as_str(), &list, &pair, scope)
    }

    /// Returns the list of that name, or reports that there is none.
    pub(super) fn list(&mut self, pair: &Pair<'a, Rule>, scope: &Scope<'a>) -> Option<GlobalId> {
        let name = pair.as_str();
        let at = span(pair, scope.offset);
        let global = self.declared.global_numbers.get(name).copied();
        if let Some(global) = global {
            self.uses.global(global);
            if scope.local(name).is_none() && self.declared.globals[global as usize].list.is_some() {
                self.check_not_at_start(name, &at, scope);
                return Some(global);
            }
        }
        if scope.is_quiet || self.declared.broken.contains(name) || self.is_enough("E-list", &at) {
            return None;
        }
        let lists = self.lists();
        let help = self.near(name, lists.iter().copied(), |known| match known {
            [] => "declare one: `stored notes = list(name)`".to_string(),
            known => format!("lists are {}", known.join(", ")),
        });
        let message = match global.is_some() || scope.local(name).is_some() {
            true => format!("`{}` is no list", clip(name)),
            false => format!("there is no list `{}`", clip(name)),
        };
        self.error("E-list", at, message, help);
        None
    }

    /// Returns a query of a list, with the depth of its operators.
    fn records(
        &mut self,
        name: &'a str,
        list: &Pair<'a, Rule>,
        clauses: &Pair<'a, Rule>,
        scope: &mut Scope<'a>,
    ) -> Option<(Query, usize)> {
        let list = self.list(list, scope);
        // The name is known even if the list is not, so that its uses are not reported too.
        let local = scope.add(name, list.map_or(Kind::Unknown, Kind::Record), false);
        let condition = child(clauses, Rule::where_clause).map(|clause| self.expression_in(&clause, scope));
        let by_clause = child(clauses, Rule::by_clause);
        let is_descending =
            by_clause.as_ref().is_some_and(|clause| child(clause, Rule::descending).is_some());
        let by = by_clause.map(|clause| self.expression_in(&clause, scope));
        let depth = [&condition, &by].into_iter().flatten().map(|worked| worked.depth).max().unwrap_or(0) + 1;
        let (condition, by) = (condition.map(|worked| worked.expr), by.map(|worked| worked.expr));
        list.map(|list| (Query { list, local, condition, by, is_descending }, depth))
    }

    /// Reads the values that a `for` goes through. From here on its name is known.
    pub(super) fn each(&mut self, pair: &Pair<'a, Rule>, scope: &mut Scope<'a>) -> Option<(LocalId, Each)> {
        let name = part(pair, Rule::name).as_str();
        if let Some(records) = child(pair, Rule::records) {
            let list = part(&records, Rule::name);
            let (query, _) = self.records(name, &list, &records, scope)?;
            return Some((query.local, Each::Records(query)));
        }
        let numbers = part(pair, Rule::numbers);
        let mut ends = parts(&numbers, Rule::expression);
        let mut end = || {
            let end = self.expression(ends.next().expect("the grammar gives two ends"), scope);
            self.expect_kind(&end, Kind::Int, "`..` goes from number to number", scope);
            end.expr
        };
        let (from, to) = (end(), end());
        // The simulator goes no further. Ends that are no plain numbers are known only there.
        const NUMBERS_MAX: i64 = 10_000;
        if let (Expr::Value(Datum::Int(first)), Expr::Value(Datum::Int(last))) = (&from, &to)
            && last.saturating_sub(*first) >= NUMBERS_MAX
        {
            let at = span(pair, scope.offset);
            let message = format!("these are more than {NUMBERS_MAX} numbers");
            self.mistake(scope, "E-number", at, message, "take fewer");
        }
        // After the ends, which do not know the name.
        let local = scope.add(name, Kind::Int, false);
        Some((local, Each::Numbers { from, to }))
    }

    /// Reads a text with values in it.
    fn text(&mut self, pair: Pair<'a, Rule>, scope: &mut Scope<'a>) -> Worked {
        let at = span(&pair, scope.offset);
        let mut parts: Vec<Expr> = Vec::new();
        let mut plain = String::new();
        let mut depth = 1;
        let take = |plain: &mut String| Expr::Value(Datum::Text(Arc::from(std::mem::take(plain))));
        for part in pair.into_inner() {
            match part.as_rule() {
                // Plain pieces are joined, so that a text without values is one constant.
                Rule::raw => plain.push_str(part.as_str()),
                Rule::doubled => plain.push_str(&part.as_str()[1..]),
                Rule::escape => plain.extend(self.escaped(&part, scope)),
                Rule::hole => {
                    let value = self.expression_in(&part, scope);
                    if !plain.is_empty() {
                        parts.push(take(&mut plain));
                    }
                    depth = depth.max(value.depth + 1);
                    parts.push(value.expr);
                }
                _ => {}
            }
        }
        let expr = if parts.is_empty() {
            take(&mut plain)
        } else {
            if !plain.is_empty() {
                parts.push(take(&mut plain));
            }
            Expr::Text(parts)
        };
        self.bounded(Worked { expr, kind: Kind::Text, depth, span: at }, scope)
    }

    /// Returns the text of a pair that has no values in it.
    pub(super) fn literal(&mut self, pair: Pair<'a, Rule>, scope: &Scope<'a>) -> Option<Arc<str>> {
        match self.text(pair, &mut scope.clone()).expr {
            Expr::Value(Datum::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn escaped(&mut self, pair: &Pair<'a, Rule>, scope: &Scope<'a>) -> Option<char> {
        let char = unescape(pair.as_str());
        if char.is_none() && !scope.is_quiet {
            self.report(no_character(pair.as_str(), span(pair, scope.offset)));
        }
        char
    }
}

fn operator(sign: &str) -> Operator {
    match sign {
        "||" => Operator::Or,
        "&&" => Operator::And,
        "==" => Operator::Equal,
        "!=" => Operator::NotEqual,
        "<" => Operator::Less,
        "<=" => Operator::AtMost,
        ">" => Operator::Greater,
        ">=" => Operator::AtLeast,
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "%" => Operator::Remainder,
        _ => Operator::Else,
    }
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Or => "||",
        Operator::And => "&&",
        Operator::Else => "or",
        Operator::Equal => "==",
        Operator::NotEqual => "!=",
        Operator::Less => "<",
        Operator::AtMost => "<=",
        Operator::Greater => ">",
        Operator::AtLeast => ">=",
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Remainder => "%",
    }
}

/// Returns the binding strength of an operator.
fn binding(operator: Operator) -> u8 {
    match operator {
        Operator::Or => 1,
        Operator::And => 2,
        Operator::Equal
        | Operator::NotEqual
        | Operator::Less
        | Operator::AtMost
        | Operator::Greater
        | Operator::AtLeast => 3,
        Operator::Else => 4,
        Operator::Add | Operator::Subtract => 5,
        Operator::Multiply | Operator::Divide | Operator::Remainder => 6,
    }
}
