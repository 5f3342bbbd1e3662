//! A scenario file as TOML: its keys, where they stand, and what to say of what is none.

use super::error::ScenarioError;
use super::sections::dotted;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where a text comes from, for messages.
pub struct Source<'a> {
    /// The path, as the user gave it.
    pub path: &'a str,
    /// The text.
    pub text: &'a str,
}

/// Its tables.
///
/// Errors: it is no TOML.
pub(super) fn parse<'a>(src: &Source<'a>) -> Result<Spanned<DeTable<'a>>, ScenarioError> {
    DeTable::parse(src.text).map_err(|e| {
        let line = e.span().map_or(0, |sp| line_of(src.text, sp.start));
        let of =
            src.text.lines().nth(line.wrapping_sub(1)).filter(|_| e.message() != "duplicate key").and_then(as_toml);
        ScenarioError {
            file: src.path.into(),
            line,
            key: String::new(),
            found: format!("not TOML: {}", e.message()),
            expected: match of {
                Some(v) => format!("{v}, as TOML has it"),
                None if e.message() == "duplicate key" => "each key, and each section, once".into(),
                None => "a scenario file (TOML 1.0)".into(),
            },
            near: None,
        }
    })
}

/// The single value of a line as TOML has it, where it is none of TOML's: `.05`, `True`, a text without its quotes.
fn as_toml(line: &str) -> Option<String> {
    let (_, value) = line.split_once('=')?;
    let t = value.split('#').next()?.trim();
    let (sign, digits) = t.strip_prefix(['+', '-']).map_or(("", t), |rest| (&t[..1], rest));
    let number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && t.parse::<f64>().is_ok();
    if t.eq_ignore_ascii_case("true") || t.eq_ignore_ascii_case("false") {
        Some(t.to_lowercase())
    } else if number && digits.starts_with('.') {
        Some(format!("{sign}0{digits}"))
    } else if number && t.ends_with('.') {
        Some(format!("{t}0"))
    } else {
        let plain = |c: char| c.is_ascii_alphanumeric() || " ./-_%".contains(c);
        (!number && t.starts_with(|c: char| c.is_ascii_alphanumeric()) && t.chars().all(plain))
            .then(|| format!("\"{t}\""))
    }
}

/// The keys that a text names, with their sections.
///
/// Errors: it is no TOML.
pub fn given(src: &Source) -> Result<Vec<String>, ScenarioError> {
    let mut out = Vec::new();
    for (key, value) in parse(src)?.get_ref() {
        match value.get_ref() {
            DeValue::Table(t) => out.extend(t.keys().map(|k| dotted(key.get_ref(), k.get_ref()))),
            _ => out.push(key.get_ref().to_string()),
        }
    }
    Ok(out)
}

/// The line of a place in a text, from 1.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|b| **b == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::testing::WIRED;

    fn refused(text: &str) -> ScenarioError {
        parse(&Source { path: "a.toml", text }).unwrap_err()
    }

    #[test]
    fn a_value_that_is_none_of_tomls_is_shown_as_it_would_be() {
        for (given, shown) in [
            ("loss = .05", "0.05"),
            ("loss = -.05", "-0.05"),
            ("loss = 1.", "1.0"),
            ("delay = 10 ms # each way", "\"10 ms\""),
            ("loss = 5%", "\"5%\""),
            ("distribution = normal", "\"normal\""),
            ("ecn = True", "true"),
        ] {
            let e = refused(&format!("{WIRED}[netem]\n{given}\n"));
            assert_eq!((e.line, e.expected), (7, format!("{shown}, as TOML has it")), "{given}");
        }
        for given in ["delay = \"10 ms", "loss = [", "loss = 05"] {
            let e = refused(&format!("{WIRED}[netem]\n{given}\n"));
            assert_eq!(e.expected, "a scenario file (TOML 1.0)", "{given}");
        }
    }

    #[test]
    fn what_is_there_twice_is_told_as_that() {
        for twice in ["rate = \"9 Mbit/s\"", "[htb]", "[topology]"] {
            let e = refused(&format!("{WIRED}{twice}\n"));
            assert_eq!((e.line, e.expected.as_str()), (6, "each key, and each section, once"), "{twice}");
        }
    }

    #[test]
    fn broken_toml_has_a_line() {
        let e = refused("name = \"x\"\n[topology\n");
        assert!(e.found.contains("not TOML") && e.line == 2, "{e}");
    }
}
