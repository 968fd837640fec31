//! Arithmetic of the shell, between `$((` and `))`: integers of 32 bits, as in mksh.

/// Deepest nesting of brackets and signs.
const DEPTH_MAX: u32 = 50;

/// The binary operators by level, the weakest first; of two with the same start the longer one first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Returns the value of `text`, with the variables of `value`; nothing if the text is no expression.
pub(super) fn evaluate(text: &str, value: &dyn Fn(&str) -> String) -> Option<i32> {
    let mut sum = Sum { rest: text, value, depth: 0 };
    let number = sum.level(0)?;
    sum.rest.trim_start().is_empty().then_some(number)
}

struct Sum<'t> {
    rest: &'t str,
    value: &'t dyn Fn(&str) -> String,
    depth: u32,
}

impl<'t> Sum<'t> {
    fn level(&mut self, level: usize) -> Option<i32> {
        let Some(signs) = LEVELS.get(level) else { return self.single() };
        let mut left = self.level(level + 1)?;
        while let Some(sign) = self.sign(signs, level) {
            let right = self.level(level + 1)?;
            left = joined(sign, left, right)?;
        }
        Some(left)
    }

    /// Takes one of `signs`, unless it is the start of a longer operator of another level.
    fn sign(&mut self, signs: &[&'static str], level: usize) -> Option<&'static str> {
        self.rest = self.rest.trim_start();
        let sign = signs.iter().find(|sign| self.rest.starts_with(**sign))?;
        let mut others =
            LEVELS.iter().enumerate().filter(|(other, _)| *other != level).flat_map(|(_, all)| *all);
        if others.any(|other| other.len() > sign.len() && self.rest.starts_with(other)) {
            return None;
        }
        self.rest = &self.rest[sign.len()..];
        Some(sign)
    }

    fn single(&mut self) -> Option<i32> {
        // Each level of brackets is a recursion through all ten levels of operators.
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        self.rest = self.rest.trim_start();
        let mut letters = self.rest.chars();
        let number = match letters.next()? {
            '(' => {
                self.rest = letters.as_str();
                let inner = self.level(0)?;
                self.rest = self.rest.trim_start().strip_prefix(')')?;
                inner
            }
            sign @ ('-' | '+' | '!' | '~') => {
                self.rest = letters.as_str();
                let number = self.single()?;
                match sign {
                    '-' => number.wrapping_neg(),
                    '!' => i32::from(number == 0),
                    '~' => !number,
                    _ => number,
                }
            }
            '0'..='9' => number(self.word())?,
            _ => {
                let name = self.rest.strip_prefix('$').unwrap_or(self.rest);
                self.rest = name;
                let name = self.word();
                if name.is_empty() {
                    return None;
                }
                // An unset variable counts as 0, and a text that is no number is an error.
                let text = (self.value)(name);
                if text.is_empty() { 0 } else { number(text.trim())? }
            }
        };
        self.depth -= 1;
        Some(number)
    }

    fn word(&mut self) -> &'t str {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = self.rest.find(|letter| !is_part(letter)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }
}

fn number(text: &str) -> Option<i32> {
    let (digits, sign) = text.strip_prefix('-').map_or((text, 1), |digits| (digits, -1));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => digits.parse::<i64>(),
    };
    // Larger numbers lose their upper bits, as in mksh.
    Some((number.ok()?.wrapping_mul(sign)) as i32)
}

fn joined(sign: &str, left: i32, right: i32) -> Option<i32> {
    let is = i32::from;
    Some(match sign {
        "||" => is(left != 0 || right != 0),
        "&&" => is(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => is(left == right),
        "!=" => is(left != right),
        "<=" => is(left <= right),
        ">=" => is(left >= right),
        "<" => is(left < right),
        ">" => is(left > right),
        "<<" => left.wrapping_shl(right as u32),
        ">>" => left.wrapping_shr(right as u32),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        // A division by 0 ends the expression; the wrapping forms take the smallest number by -1.
        "/" if right != 0 => left.wrapping_div(right),
        "%" if right != 0 => left.wrapping_rem(right),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(text: &str) -> Option<i32> {
        evaluate(text, &|name| if name == "x" { "5".to_string() } else { String::new() })
    }

    #[test]
    fn sums_are_worked_out_as_shells_do() {
        for (text, expected) in [
            ("1 + 2*3", 7),
            ("(1+2)*3", 9),
            ("10 - 4 - 3", 3),
            ("7/2*2 + 7%4", 9),
            ("x+1", 6),
            ("$x * -x", -25),
            ("unset", 0),
            ("1 < 2 && 2 <= 2 || 0", 1),
            ("!x == 0", 1),
            ("1 << 4 | 1", 17),
            ("6 & 3 ^ 1", 3),
            ("0x1f", 31),
            ("~0", -1),
            ("2147483647 + 1", i32::MIN),
            ("-2147483648 / -1", i32::MIN),
        ] {
            assert_eq!(sum(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_sum_comes_to_nothing() {
        for text in ["", "1 +", "1 2", "(1", "1/0", "1%0", "é", "'1'", "99999999999999999999", "1=2"] {
            assert_eq!(sum(text), None, "{text}");
        }
        assert_eq!(sum(&"(".repeat(100_000)), None);
        assert_eq!(sum(&"-".repeat(100_000)), None);
    }
}
