//! What [`crate::params!`] makes of a declared parameter: its row of the schema, and how it is set. Functions of the type alone, so
//! that some forty are compiled, not one for each of four hundred keys.

use super::raw::{Raw, Refused};
use super::unit::bare;
use super::{Param, Value};

impl Param {
    /// The row of a key of type `T`. `range` is its lowest and highest value, or empty; `unit` that of a plain number that has one.
    #[inline(never)]
    pub fn of<T: Value>(
        key: &'static str,
        doc: &[&str],
        default: &T,
        range: &[T],
        unit: Option<&'static str>,
        source: &'static str,
    ) -> Param {
        let range = match range {
            [lo, hi] => format!("{} to {}", lo.show(), hi.show()),
            _ => T::names().join(" | "),
        };
        let doc = doc.iter().map(|l| l.trim()).collect::<Vec<_>>().join(" ");
        Param { key, kind: T::UNIT, unit: unit.unwrap_or_else(T::unit), default: default.show(), range, doc, source }
    }
}

/// Sets a key that may have every value of its type.
#[inline(never)]
pub fn take<T: Value>(slot: &mut T, raw: &Raw, unit: &str) -> Result<(), Refused> {
    *slot = T::read(&bare(raw, unit))?;
    Ok(())
}

/// Sets a key that has a range; its default is allowed, whatever that is, and "off", which no range excludes.
#[inline(never)]
pub fn take_in<T: Value + PartialOrd>(
    slot: &mut T,
    raw: &Raw,
    unit: &str,
    default: &T,
    (lo, hi): (&T, &T),
) -> Result<(), Refused> {
    let raw = &bare(raw, unit);
    let v = T::read(raw).map_err(|e| beyond(e, raw, lo, hi, unit))?;
    if v != *default && !v.is_off() && (v < *lo || v > *hi) {
        return Err(outside(lo, hi, unit));
    }
    *slot = v;
    Ok(())
}

fn outside<T: Value>(lo: &T, hi: &T, unit: &str) -> Refused {
    let what = match T::UNIT {
        "bytes" => "size",
        "count" => "whole number",
        other => other,
    };
    let of = if unit.is_empty() { String::new() } else { format!(" of {unit}") };
    let or: String = T::words().iter().map(|w| format!(", or \"{w}\"")).collect();
    Refused::expected(format!("a {what}{of} from {} to {}{or}", lo.show(), hi.show()))
}

/// Why `raw` could not be read: a number that its type cannot hold, one with another unit than its own, and what is no number at
/// all is refused by the parameter's range, not by the type's.
fn beyond<T: Value + PartialOrd>(e: Refused, raw: &Raw, lo: &T, hi: &T, unit: &str) -> Refused {
    match (raw, T::UNIT) {
        (Raw::Text(t), "count" | "number") => written_otherwise(t, lo, hi, outside(lo, hi, unit)),
        (_, "count" | "number") | (Raw::Int(_) | Raw::Float(_), "bytes") => outside(lo, hi, unit),
        _ => e,
    }
}

/// A text that means a number of the range, as people write some elsewhere: in quotes, "5 %" (`tc`), "0,05".
fn written_otherwise<T: Value + PartialOrd>(text: &str, lo: &T, hi: &T, e: Refused) -> Refused {
    let there = |t: &str| {
        let of = t.parse().map(Raw::Int).or_else(|_| t.parse().map(Raw::Float)).ok()?;
        T::read(&of).ok().filter(|v| v >= lo && v <= hi).map(|v| v.show())
    };
    let t = text.trim();
    if there(t).is_some() {
        return Refused { expected: format!("{}, without quotes", e.expected), ..e };
    }
    let share = t.strip_suffix('%').filter(|_| T::UNIT == "number").map(|n| format!("{}e-2", n.trim()));
    Refused { near: there(&share.unwrap_or_else(|| t.replace(',', "."))), ..e }
}
