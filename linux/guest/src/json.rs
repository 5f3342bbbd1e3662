// SPDX-License-Identifier: GPL-2.0
//! Just enough JSON to write: objects and arrays of numbers and names that need no escaping, and text.

use std::fmt::Write;

pub fn object(pairs: &[(&str, String)]) -> String {
    let inner: Vec<String> = pairs.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
    format!("{{{}}}", inner.join(","))
}

pub fn array(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}

/// Text of any kind.
pub fn text(s: &str) -> String {
    let mut out = String::from("\"");
    for c in s.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out + "\""
}

/// A number with at most `digits` decimals and no trailing zeros (but one decimal at least).
pub fn number(v: f64, digits: usize) -> String {
    let s = format!("{v:.digits$}");
    if !s.contains('.') {
        return s;
    }
    let t = s.trim_end_matches('0');
    if t.ends_with('.') {
        format!("{t}0")
    } else {
        t.into()
    }
}
