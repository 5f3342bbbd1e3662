// SPDX-License-Identifier: GPL-2.0
//! Just enough JSON to write: objects and arrays of numbers and names that need no escaping.

pub fn object(pairs: &[(&str, String)]) -> String {
    let inner: Vec<String> = pairs.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
    format!("{{{}}}", inner.join(","))
}

pub fn array(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
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
