//! The expressions of `%{ }%`: as much of Python as scripts use: assertions, assignments, `print`, arithmetic, comparisons in chains,
//! `and`, `or`, `not`, `if` ... `else`, tuples, calls of `int`, `abs`, `min`, `max`.

use super::known::meant;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use wavetank_core::tcp::FIELDS;

/// What a statement came to.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// It did something.
    Done,
    /// An assertion held.
    Held,
    /// It printed this.
    Printed(String),
    /// An assertion did not hold: its text, and the values of its names.
    Failed(String, String),
    /// It cannot be worked out: why.
    Unknown(String),
    /// It is no expression at all: what is wrong.
    Slip(String),
}

/// Why an expression has no value.
enum Trouble {
    /// It asks for what there is not here.
    Beyond(String),
    /// It is none.
    Slip(String),
}

impl From<String> for Trouble {
    fn from(why: String) -> Trouble {
        Trouble::Beyond(why)
    }
}

impl From<Trouble> for Outcome {
    fn from(t: Trouble) -> Outcome {
        match t {
            Trouble::Beyond(why) => Outcome::Unknown(why),
            Trouble::Slip(why) => Outcome::Slip(why),
        }
    }
}

fn slip<T>(why: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::Slip(why.into()))
}

/// A value.
#[derive(Clone, PartialEq, Debug)]
enum Value {
    Number(f64),
    Text(String),
    Tuple(Vec<Value>),
}

impl Value {
    fn truth(&self) -> bool {
        match self {
            Value::Number(n) => *n != 0.0,
            Value::Text(t) => !t.is_empty(),
            Value::Tuple(v) => !v.is_empty(),
        }
    }
    fn number(self) -> Result<f64, String> {
        match self {
            Value::Number(n) => Ok(n),
            Value::Text(t) => Err(format!("\"{t}\" is no number")),
            Value::Tuple(_) => Err("a tuple is no number".into()),
        }
    }
    fn show(&self) -> String {
        match self {
            Value::Number(n) => format!("{n}"),
            Value::Text(t) => t.clone(),
            Value::Tuple(v) => format!("({})", v.iter().map(Value::show).collect::<Vec<_>>().join(", ")),
        }
    }
    /// As Python orders them: of tuples the first pair that differs tells, else the length.
    fn order(&self, other: &Value) -> Result<Option<Ordering>, String> {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => Ok(a.partial_cmp(b)),
            (Value::Text(a), Value::Text(b)) => Ok(Some(a.cmp(b))),
            (Value::Tuple(a), Value::Tuple(b)) => match a.iter().zip(b).find(|(a, b)| a != b) {
                Some((a, b)) => a.order(b),
                None => Ok(Some(a.len().cmp(&b.len()))),
            },
            _ => Err("values of two kinds have no order".into()),
        }
    }
}

/// A name's value from outside: none is an unknown name, and the error says why it has no value.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<Result<f64, String>>;

/// Carries out statements, one outcome each. `names` are the script's own.
pub fn execute(code: &str, names: &mut BTreeMap<String, f64>, lookup: Lookup<'_>) -> Vec<Outcome> {
    statements(code).iter().map(|s| statement(s, names, lookup)).collect()
}

/// Splits at line ends and semicolons outside of brackets and strings.
fn statements(code: &str) -> Vec<String> {
    let joined = code.replace("\\\n", " ");
    let (mut out, mut now, mut depth, mut quote) = (Vec::new(), String::new(), 0i32, None);
    let mut comment = false;
    for c in joined.chars() {
        if comment && c != '\n' {
            continue;
        }
        comment = false;
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, '#') => {
                comment = true;
                continue;
            }
            (None, '\n' | ';') if depth <= 0 => {
                out.push(std::mem::take(&mut now));
                continue;
            }
            _ => {}
        }
        now.push(c);
    }
    out.push(now);
    out.iter().map(|s| s.trim().to_string()).filter(|s| !s.is_empty()).collect()
}

fn statement(text: &str, names: &mut BTreeMap<String, f64>, lookup: Lookup<'_>) -> Outcome {
    let mut p = match Parser::new(text, names, lookup) {
        Ok(p) => p,
        Err(e) => return e.into(),
    };
    if p.take("assert") {
        let from = p.at;
        return match p.expression() {
            Err(e) => e.into(),
            Ok(_) if p.sees("=") => Outcome::Slip("an assignment in an assertion: == compares".into()),
            Ok(_) if !p.ended() && !p.sees(",") => Outcome::Unknown(format!("not understood: {text}")),
            Ok(v) if v.truth() => Outcome::Held,
            Ok(_) => {
                let told: Vec<String> = p.tokens[from..p.at].to_vec();
                let mut seen: Vec<String> = Vec::new();
                for t in &told {
                    if let Ok(Value::Number(n)) = p.name(t) {
                        let one = format!("{t} = {n}");
                        if t.starts_with(|c: char| c.is_alphabetic()) && !seen.contains(&one) {
                            seen.push(one);
                        }
                    }
                }
                Outcome::Failed(told.join(" "), seen.join(", "))
            }
        };
    }
    if p.sees("print") {
        p.at += 1;
        let mut v = Vec::new();
        let paren = p.take("(");
        while !p.ended() && !p.sees(")") {
            match p.expression() {
                Ok(x) => v.push(x.show()),
                Err(e) => return e.into(),
            }
            p.take(",");
        }
        return if paren && !p.take(")") { Outcome::Unknown(text.into()) } else { Outcome::Printed(v.join(" ")) };
    }
    if p.tokens.len() > 2 && ["=", "+=", "-=", "*="].contains(&p.tokens[1].as_str()) {
        let (name, op) = (p.tokens[0].clone(), p.tokens[1].clone());
        p.at = 2;
        let old = names_or_zero(&p, &name);
        return match p.expression().and_then(|v| Ok(v.number()?)) {
            Ok(v) if p.ended() => {
                let v = match op.as_str() {
                    "+=" => old + v,
                    "-=" => old - v,
                    "*=" => old * v,
                    _ => v,
                };
                names.insert(name, v);
                Outcome::Done
            }
            Ok(_) => Outcome::Unknown(format!("not understood: {text}")),
            Err(e) => e.into(),
        };
    }
    Outcome::Unknown(format!("not understood: {text}"))
}

fn names_or_zero(p: &Parser<'_>, name: &str) -> f64 {
    p.names.get(name).copied().unwrap_or(0.0)
}

struct Parser<'a> {
    tokens: Vec<String>,
    at: usize,
    depth: u32,
    names: &'a BTreeMap<String, f64>,
    lookup: Lookup<'a>,
}

impl<'a> Parser<'a> {
    fn new(text: &str, names: &'a BTreeMap<String, f64>, lookup: Lookup<'a>) -> Result<Self, Trouble> {
        Ok(Parser { tokens: tokens(text)?, at: 0, depth: 0, names, lookup })
    }
    fn ended(&self) -> bool {
        self.at >= self.tokens.len()
    }
    fn sees(&self, t: &str) -> bool {
        self.tokens.get(self.at).is_some_and(|x| x == t)
    }
    fn take(&mut self, t: &str) -> bool {
        let there = self.sees(t);
        self.at += usize::from(there);
        there
    }
    /// `A if B else C`, or what is no such.
    fn expression(&mut self) -> Result<Value, Trouble> {
        self.depth += 1;
        if self.depth > 50 {
            return Err("too deep".to_string().into());
        }
        let mut v = self.or()?;
        if self.take("if") {
            let chosen = self.or()?.truth();
            if !self.take("else") {
                return slip("an if without its else");
            }
            let other = self.expression()?;
            v = if chosen { v } else { other };
        }
        self.depth -= 1;
        Ok(v)
    }
    fn or(&mut self) -> Result<Value, Trouble> {
        let mut v = self.and()?;
        while self.take("or") {
            let w = self.and()?;
            v = if v.truth() { v } else { w };
        }
        Ok(v)
    }
    fn and(&mut self) -> Result<Value, Trouble> {
        let mut v = self.not()?;
        while self.take("and") {
            let w = self.not()?;
            v = if v.truth() { w } else { v };
        }
        Ok(v)
    }
    fn not(&mut self) -> Result<Value, Trouble> {
        let mut odd = false;
        while self.take("not") {
            odd = !odd;
        }
        let v = self.comparison()?;
        Ok(if odd { Value::Number(f64::from(u8::from(!v.truth()))) } else { v })
    }
    fn comparison(&mut self) -> Result<Value, Trouble> {
        let mut left = self.sum()?;
        let mut truth = None;
        while let Some(op) = self.tokens.get(self.at).cloned() {
            if !["==", "!=", "<", ">", "<=", ">="].contains(&op.as_str()) {
                break;
            }
            self.at += 1;
            let right = self.sum()?;
            let holds = match op.as_str() {
                "==" => left == right,
                "!=" => left != right,
                "<" => left.order(&right)? == Some(Ordering::Less),
                ">" => left.order(&right)? == Some(Ordering::Greater),
                "<=" => left.order(&right)?.is_some_and(Ordering::is_le),
                _ => left.order(&right)?.is_some_and(Ordering::is_ge),
            };
            truth = Some(truth.unwrap_or(true) && holds);
            left = right;
        }
        Ok(truth.map_or(left, |t| Value::Number(f64::from(u8::from(t)))))
    }
    fn sum(&mut self) -> Result<Value, Trouble> {
        let mut v = self.product()?;
        loop {
            let plus = self.take("+");
            if !plus && !self.take("-") {
                return Ok(v);
            }
            let (a, b) = (v.number()?, self.product()?.number()?);
            v = Value::Number(if plus { a + b } else { a - b });
        }
    }
    fn product(&mut self) -> Result<Value, Trouble> {
        let mut v = self.unary()?;
        loop {
            let op = match self.tokens.get(self.at).map(String::as_str) {
                Some(o @ ("*" | "/" | "//" | "%" | "&")) => o.to_string(),
                _ => return Ok(v),
            };
            self.at += 1;
            let w = self.unary()?;
            if let (Value::Text(t), "%") = (&v, op.as_str()) {
                // A message: its numbers are put behind.
                v = Value::Text(format!("{t} {}", w.show()));
                continue;
            }
            let (a, b) = (v.number()?, w.number()?);
            v = Value::Number(match op.as_str() {
                "*" => a * b,
                "/" => a / b,
                "//" => (a / b).floor(),
                "&" => ((a as i64) & (b as i64)) as f64,
                _ => a - b * (a / b).floor(),
            });
        }
    }
    fn unary(&mut self) -> Result<Value, Trouble> {
        if self.take("-") {
            return Ok(Value::Number(-self.atom()?.number()?));
        }
        self.atom()
    }
    fn atom(&mut self) -> Result<Value, Trouble> {
        let Some(t) = self.tokens.get(self.at).cloned() else { return slip("an expression ends too early") };
        self.at += 1;
        if t == "(" {
            return self.bracket();
        }
        if let Some(s) = t.strip_prefix('\'') {
            return Ok(Value::Text(s.to_string()));
        }
        if self.sees("(") {
            self.at += 1;
            let mut v = Vec::new();
            while !self.take(")") {
                v.push(self.expression()?.number()?);
                if !self.take(",") && !self.sees(")") {
                    return slip(format!("{t}( is not closed"));
                }
            }
            let first = *v.first().ok_or_else(|| format!("{t}() of nothing"))?;
            let n = match t.as_str() {
                "int" => first.trunc(),
                "abs" => first.abs(),
                "min" => v.iter().copied().fold(first, f64::min),
                "max" => v.iter().copied().fold(first, f64::max),
                _ => return Err(format!("no function {t}").into()),
            };
            return Ok(Value::Number(n));
        }
        self.name(&t)
    }
    /// After `(`: a value, or a tuple.
    fn bracket(&mut self) -> Result<Value, Trouble> {
        let (mut v, mut tuple) = (Vec::new(), self.sees(")"));
        while !self.take(")") {
            v.push(self.expression()?);
            let comma = self.take(",");
            tuple |= comma;
            if !comma && !self.sees(")") {
                return slip("a bracket is not closed");
            }
        }
        match v.pop() {
            Some(only) if !tuple => Ok(only),
            last => {
                v.extend(last);
                Ok(Value::Tuple(v))
            }
        }
    }
    fn name(&self, t: &str) -> Result<Value, Trouble> {
        let n = if t.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            match t.strip_prefix("0x") {
                Some(h) => i64::from_str_radix(h, 16).ok().map(|n| n as f64),
                None => t.parse().ok(),
            }
            .ok_or_else(|| format!("\"{t}\" is no number"))?
        } else if let Some(n) = self.names.get(t) {
            *n
        } else {
            match t {
                "True" => 1.0,
                "False" => 0.0,
                _ => {
                    // What has this beginning is a field of TCP_INFO; any other may be of Python.
                    let none = || match t.starts_with("tcpi_") {
                        true => Trouble::Slip(format!("no name {t}{}", meant("", t, &FIELDS))),
                        false => Trouble::Beyond(format!("no name {t}")),
                    };
                    (self.lookup)(t).ok_or_else(none)??
                }
            }
        };
        Ok(Value::Number(n))
    }
}

/// Words, numbers, operators; a string is a quote and its text.
fn tokens(text: &str) -> Result<Vec<String>, Trouble> {
    let c: Vec<char> = text.chars().collect();
    let (mut out, mut i) = (Vec::new(), 0);
    while i < c.len() {
        let two: String = c[i..c.len().min(i + 2)].iter().collect();
        if c[i].is_whitespace() {
            i += 1;
        } else if c[i] == '\'' || c[i] == '"' {
            let end = (i + 1..c.len())
                .find(|&j| c[j] == c[i])
                .ok_or_else(|| Trouble::Slip("a string without its end".into()))?;
            out.push(format!("'{}", c[i + 1..end].iter().collect::<String>()));
            i = end + 1;
        } else if c[i].is_alphanumeric() || c[i] == '_' || c[i] == '.' {
            let end =
                (i..c.len()).find(|&j| !(c[j].is_alphanumeric() || c[j] == '_' || c[j] == '.')).unwrap_or(c.len());
            out.push(c[i..end].iter().collect());
            i = end;
        } else if ["==", "!=", "<=", ">=", "//", "+=", "-=", "*="].contains(&two.as_str()) {
            out.push(two);
            i += 2;
        } else if "+-*/%()<>=,&".contains(c[i]) {
            out.push(c[i].to_string());
            i += 1;
        } else {
            return Err(format!("not understood: {}", c[i]).into());
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(code: &str) -> Vec<Outcome> {
        let look = |n: &str| match n {
            "tcpi_snd_cwnd" => Some(Ok(10.0)),
            "tcpi_busy_time" => Some(Err("not kept".to_string())),
            _ => None,
        };
        execute(code, &mut BTreeMap::new(), &look)
    }

    #[test]
    fn assertions_hold_or_tell_the_values() {
        assert_eq!(go("assert tcpi_snd_cwnd == 10, 'cwnd=%d' % tcpi_snd_cwnd"), [Outcome::Held]);
        assert_eq!(go("assert 9 < tcpi_snd_cwnd <= 10 and not tcpi_snd_cwnd % 2"), [Outcome::Held]);
        assert_eq!(
            go("assert tcpi_snd_cwnd == 11, tcpi_snd_cwnd"),
            [Outcome::Failed("tcpi_snd_cwnd == 11".into(), "tcpi_snd_cwnd = 10".into())]
        );
        assert_eq!(
            go("assert (tcpi_snd_cwnd & 2) != 0; assert abs(3 - 10 // 2) == max(1, 2)"),
            [Outcome::Held, Outcome::Held]
        );
    }

    #[test]
    fn conditions_and_tuples() {
        for held in [
            "assert (tcpi_snd_cwnd == 10 if 2 & 2 else False)",
            "assert False if tcpi_snd_cwnd > 10 else True, 'x'",
            "assert (1 if 0 else 0 if 0 else 3) == 3",
            "assert (tcpi_snd_cwnd, 0) == (10, 0) != (10,) != 10",
            "assert (1, 2) < (1, 3) <= (1, 3, 0) and (2,) > (1, 9) and 'a' < 'b'",
            "assert (1)",
            "assert (0,)",
        ] {
            assert_eq!(go(held), [Outcome::Held], "{held}");
        }
        for (failed, told) in [
            ("assert (tcpi_snd_cwnd, 1) == (10, 0)", "( tcpi_snd_cwnd , 1 ) == ( 10 , 0 )"),
            ("assert (True if 0 else tcpi_snd_cwnd == 9)", "( True if 0 else tcpi_snd_cwnd == 9 )"),
            ("assert ()", "( )"),
        ] {
            let [Outcome::Failed(expected, _)] = &go(failed)[..] else { panic!("{failed}") };
            assert_eq!(expected, told);
        }
        assert!(matches!(go("assert (1 if 1)")[..], [Outcome::Slip(_)]));
        assert!(matches!(go("assert (1,) < 2")[..], [Outcome::Unknown(_)]));
        let deep = format!("assert 1{}", " if 1 else 1".repeat(999));
        assert!(matches!(go(&deep)[..], [Outcome::Unknown(_)]));
    }

    #[test]
    fn names_numbers_and_prints() {
        let o = go("cwnd = 5\ncwnd += 5 # five more\nassert cwnd == tcpi_snd_cwnd\nprint(cwnd, 'x')");
        assert_eq!(o, [Outcome::Done, Outcome::Done, Outcome::Held, Outcome::Printed("10 x".into())]);
    }

    #[test]
    fn what_cannot_be_known_is_not_held() {
        for code in ["assert tcpi_busy_time == 0", "assert foo", "import os", "assert 1 1"] {
            assert!(matches!(go(code)[..], [Outcome::Unknown(_)]), "{code}");
        }
        for code in [
            "assert",
            "assert (1",
            "assert tcpi_snd_cwnd == ",
            "assert tcpi_snd_cwnd = = 10",
            "x = min(1",
            "assert 'a == 1",
        ] {
            assert!(matches!(go(code)[..], [Outcome::Slip(_)]), "{code}");
        }
        assert_eq!(
            go("assert tcpi_sdn_cwnd == 1"),
            [Outcome::Slip("no name tcpi_sdn_cwnd; did you mean \"tcpi_snd_cwnd\"?".into())]
        );
        assert_eq!(go("assert tcpi_snd_cwnd == "), [Outcome::Slip("an expression ends too early".into())]);
    }
}
