//! Calls and their arguments: `write(4, ..., 1000) = 1000`.

use super::super::scan::Scan;
use super::super::script::{Arg, Call};
use super::{Expected, number, word};

pub(super) fn call(s: &mut Scan<'_>) -> Result<Call, Expected> {
    const RESULT: &str = "what the call returns: = NUMBER, or = ?, with an errno such as EAGAIN";
    let mut until = None;
    if s.eat("...") {
        s.space(false);
        until = Some(s.seconds().ok_or("the time at which the call returns")?);
        s.space(false);
    }
    let name = word(s);
    if name.is_empty() || !s.eat("(") {
        return Err("a packet (< or >), a call such as write(4, ..., 1000) = 1000, %{ }% or `commands`".into());
    }
    let mut args = Vec::new();
    s.space(true);
    if !s.eat(")") {
        loop {
            let wrong = || format!("argument {} of {name}", args.len() + 1);
            let one = arg(s, 0).ok_or_else(wrong)?;
            args.push(one);
            s.space(true);
            match s.next() {
                b',' => s.space(true),
                b')' => break,
                _ => return Err(format!("a comma or ) behind argument {} of {name}", args.len())),
            }
        }
    }
    s.space(true);
    if !s.eat("=") {
        return Err(RESULT.into());
    }
    s.space(false);
    let returns = if s.eat("?") {
        None
    } else if s.eat("0x") {
        Some(i64::from_str_radix(&word(s), 16).map_err(|_| RESULT)?)
    } else {
        let sign = if s.eat("-") { -1 } else { 1 };
        Some(sign * number::<i64>(s, RESULT)?)
    };
    s.space(false);
    let errno = Some(word(s)).filter(|w| !w.is_empty());
    s.space(false);
    if s.eat("(") {
        s.until(")").ok_or("a note with its )")?;
    }
    s.space(false);
    if !matches!(s.peek(), b'\n' | 0) {
        return Err(RESULT.into());
    }
    Ok(Call { until, name, args, returns, errno })
}

/// `events=POLLIN`, `msg_iov(1)=[...]`, or an argument without a name.
fn field(s: &mut Scan<'_>, depth: u32) -> Option<(String, Arg)> {
    let mark = s.mark();
    let name = word(s);
    if s.eat("(") {
        s.until(")")?;
    }
    s.space(true);
    if name.is_empty() || !s.eat("=") {
        s.reset(mark);
        return Some((String::new(), arg(s, depth)?));
    }
    s.space(true);
    Some((name, arg(s, depth)?))
}

/// What is deeper than this is no argument.
const DEEPEST: u32 = 20;

fn arg(s: &mut Scan<'_>, depth: u32) -> Option<Arg> {
    if depth > DEEPEST {
        return None;
    }
    match s.peek() {
        b'.' => s.eat("...").then_some(Arg::Dots),
        b'"' => {
            s.next();
            Some(Arg::Text(s.until("\"")?))
        }
        b'[' => {
            s.next();
            s.space(true);
            let mut v = Vec::new();
            while !s.eat("]") {
                v.push(arg(s, depth + 1)?);
                s.space(true);
                s.eat(",");
                s.space(true);
                if s.ended() {
                    return None;
                }
            }
            Some(Arg::List(v))
        }
        b'{' => {
            s.next();
            s.space(true);
            let mut fields = Vec::new();
            while !s.eat("}") {
                fields.push(field(s, depth + 1)?);
                s.space(true);
                if !s.eat(",") && s.peek() != b'}' {
                    return None;
                }
                s.space(true);
            }
            Some(Arg::Struct(fields))
        }
        b'0'..=b'9' | b'-' => {
            let sign = if s.eat("-") { -1 } else { 1 };
            if s.eat("0x") {
                return Some(Arg::Number(sign * i64::from_str_radix(&word(s), 16).ok()?));
            }
            Some(Arg::Number(sign * s.number()?))
        }
        _ => {
            let mut names = Vec::new();
            loop {
                let w = word(s);
                if w.is_empty() {
                    return None;
                }
                names.push(w);
                s.space(true);
                if !s.eat("|") {
                    break;
                }
                s.space(true);
            }
            Some(Arg::Names(names))
        }
    }
}
