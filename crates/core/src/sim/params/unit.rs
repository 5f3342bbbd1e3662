//! Numbers with a unit, as people write them: "5 ms", "6.5 Mbit/s", "128KiB". Read exactly, as decimal fractions.

use super::raw::{Raw, Refused};

/// "5 ms" -> (5.0 as exact milli-units, "ms"): number and unit, separated or not. The number is read as a decimal
/// fraction with up to nine digits, so that "0.1 ms" is exact.
fn number_and_unit(text: &str) -> Option<(i128, u32, &str)> {
    let t = text.trim();
    let end = t.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-' || c == '_')).unwrap_or(t.len());
    let (num, unit) = (t[..end].replace('_', ""), t[end..].trim());
    let (neg, num) = num.strip_prefix('-').map_or((false, num.as_str()), |n| (true, n));
    let (whole, frac) = num.split_once('.').unwrap_or((num, ""));
    if frac.len() > 9 || whole.len() > 15 || num.is_empty() || num.ends_with('.') {
        return None;
    }
    let v: i128 = format!("{whole}{frac}").parse().ok()?;
    Some((if neg { -v } else { v }, frac.len() as u32, unit))
}

/// Scales `v / 10^frac` by `factor`; none if the result is not whole.
fn exact(v: i128, frac: u32, factor: i128) -> Option<i128> {
    let scaled = v.checked_mul(factor)?;
    let d = 10_i128.pow(frac);
    (scaled % d == 0).then_some(scaled / d)
}

pub(super) const TIMES: [(&str, i128); 4] = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
pub(super) const RATES: [(&str, i128); 4] =
    [("bit/s", 1), ("kbit/s", 1_000), ("Mbit/s", 1_000_000), ("Gbit/s", 1_000_000_000)];
pub(super) const SIZES: [(&str, i128); 7] = [
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
];

/// The bare number that a plain number with a unit of its own is written as with that unit: "4 ms" is 4 of `tcp.tsq_ms`, and so is
/// "4000 us". What is no such text stays as it is.
pub fn bare(raw: &Raw, own: &str) -> Raw {
    let scaled = |t: &str| {
        let (v, frac, unit) = number_and_unit(t)?;
        let of = |units: &[(&str, i128)], name: &str| units.iter().find(|u| u.0 == name).map(|u| u.1);
        let size = |name: &str| if name == "bytes" { Some(1) } else { of(&SIZES, name) };
        let factors = (of(&TIMES, unit).zip(of(&TIMES, own)))
            .or_else(|| of(&RATES, unit).zip(of(&RATES, own)))
            .or_else(|| size(unit).zip(size(own)))
            .or_else(|| (unit == own).then_some((1, 1)));
        let (from, to) = factors.filter(|_| !own.is_empty())?;
        let (n, d) = (v.checked_mul(from)?, to.checked_mul(10_i128.pow(frac))?);
        Some(if n % d == 0 { Raw::Int(n / d) } else { Raw::Float(n as f64 / d as f64) })
    };
    match raw {
        Raw::Text(t) => scaled(t).unwrap_or_else(|| raw.clone()),
        _ => raw.clone(),
    }
}

/// Reads a number with one of these units, as so many of the unit whose factor is 1.
pub(super) fn with_unit(raw: &Raw, units: &[(&str, i128)], expected: &str) -> Result<i128, Refused> {
    let refuse = || Refused::expected(expected);
    let Raw::Text(t) = raw else { return Err(refuse()) };
    let (v, frac, unit) = number_and_unit(t).ok_or_else(refuse)?;
    let factor = units.iter().find(|u| u.0 == unit).ok_or_else(refuse)?.1;
    exact(v, frac, factor).ok_or_else(|| Refused::expected(format!("{expected}, without a remainder")))
}

/// Shows a number in the largest of these units, smallest first, in which it is whole; nothing in the smallest.
pub(super) fn in_largest(n: i128, units: &[(&str, i128)]) -> String {
    let whole = units.iter().rev().find(|&&(_, f)| n != 0 && n % f == 0);
    let (unit, factor) = whole.unwrap_or(&units[0]);
    format!("{} {unit}", n / factor)
}
