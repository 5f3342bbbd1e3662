//! Parameters: one struct an algorithm, from which schema, validation, `explain` and the docs are made.
//!
//! [`crate::params!`] declares a struct whose fields each carry a default, a range, a source and (as their doc comment) a
//! description. Raw integers enter here and nowhere else.

use super::time::Span;
use super::units::{Bytes, Rate};

/// A value as a scenario file has it.
#[derive(Clone, PartialEq, Debug)]
pub enum Raw {
    /// A whole number, of any 64-bit kind and beyond, so that messages show it as it was given.
    Int(i128),
    /// A number with a point.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
    /// Text: a name, or a number with its unit.
    Text(String),
}

/// Why a value was refused: what was expected, in a person's words.
#[derive(Clone, PartialEq, Debug)]
pub struct Refused {
    /// What was expected ("a time such as \"5 ms\"").
    pub expected: String,
    /// The nearest valid name, where names are what is expected.
    pub near: Option<String>,
}

impl Refused {
    /// Expected this.
    pub fn expected(what: impl Into<String>) -> Refused {
        Refused { expected: what.into(), near: None }
    }
    /// Expected one of these names, and got `got`.
    pub fn one_of(names: &[&str], got: &str) -> Refused {
        Refused { expected: format!("one of {}", names.join(", ")), near: nearest(got, names.iter().copied()) }
    }
}

/// The name in `names` that is nearest to `got`, if any is near.
///
/// Capitals count for nothing. A name of one or two letters is near to nothing but itself: half of such a name is any other. What is near
/// is alike, and has few slips (of three letters one, of more every third at most), or the one is how the other begins.
pub fn nearest<'a>(got: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let got = got.to_lowercase();
    names
        .map(|n| (n.to_lowercase(), n))
        .filter(|(small, n)| n.len() > 2 || *small == got)
        .filter(|(small, _)| {
            let slips = strsim::osa_distance(&got, small);
            slips <= (got.chars().count() / 3).max(1) || begins(small, &got) || begins(&got, small)
        })
        .map(|(small, n)| {
            (strsim::jaro_winkler(&got, &small).max(if swapped(&got, &small) { 0.9 } else { 0.0 }), small, n)
        })
        .map(|(alike, small, n)| (if released(&small, &got) { 1.0 } else { alike }, n))
        .filter(|x| x.0 > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|x| x.1.to_string())
}

/// Whether two neighbouring letters changed places and no more: of three letters that leaves little that is alike.
fn swapped(a: &str, b: &str) -> bool {
    strsim::osa_distance(a, b) == 1 && strsim::levenshtein(a, b) == 2
}

/// Whether a name is a release of that version: of 6.1 6.1.192 is, 6.12 is not.
fn released(name: &str, of: &str) -> bool {
    of.ends_with(|c: char| c.is_ascii_digit()) && name.strip_prefix(of).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether a name begins with another one of three letters or more.
fn begins(name: &str, with: &str) -> bool {
    with.len() > 2 && name.starts_with(with)
}

/// A type that a parameter can have.
pub trait Value: Sized {
    /// What kind of thing it is, for `explain` and messages ("time", "count", ...).
    const UNIT: &'static str;
    /// The same as readers are told it: of a list, what is in it.
    fn unit() -> &'static str {
        Self::UNIT
    }
    /// Reads it.
    fn read(raw: &Raw) -> Result<Self, Refused>;
    /// Writes it as a scenario file would have it (text without quotes).
    fn show(&self) -> String;
    /// The names that it can take, where it is a choice.
    fn names() -> &'static [&'static str] {
        &[]
    }
    /// What it can be besides: "off", "auto".
    fn words() -> Vec<&'static str> {
        vec![]
    }
    /// Whether it is "off", which no range excludes.
    fn is_off(&self) -> bool {
        false
    }
}

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

const TIMES: [(&str, i128); 4] = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
const RATES: [(&str, i128); 4] = [("bit/s", 1), ("kbit/s", 1_000), ("Mbit/s", 1_000_000), ("Gbit/s", 1_000_000_000)];
const SIZES: [(&str, i128); 7] = [
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

fn with_unit(raw: &Raw, units: &[(&str, i128)], expected: &str) -> Result<i128, Refused> {
    let refuse = || Refused::expected(expected);
    let Raw::Text(t) = raw else { return Err(refuse()) };
    let (v, frac, unit) = number_and_unit(t).ok_or_else(refuse)?;
    let factor = units.iter().find(|u| u.0 == unit).ok_or_else(refuse)?.1;
    exact(v, frac, factor).ok_or_else(|| Refused::expected(format!("{expected}, without a remainder")))
}

impl Value for Span {
    const UNIT: &'static str = "time";
    fn read(raw: &Raw) -> Result<Self, Refused> {
        if matches!(raw, Raw::Int(0)) {
            return Ok(Span::ZERO);
        }
        let ns = with_unit(raw, &TIMES, "a time with its unit, such as \"5 ms\" (ns, us, ms, s)")?;
        i64::try_from(ns).map(Span::from_ns).map_err(|_| Refused::expected("a time below 292 years"))
    }
    fn show(&self) -> String {
        let ns = self.ns();
        for (u, f) in [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)] {
            if ns != 0 && ns % f == 0 {
                return format!("{} {u}", ns / f);
            }
        }
        format!("{ns} ns")
    }
}

impl Value for Rate {
    const UNIT: &'static str = "rate";
    fn read(raw: &Raw) -> Result<Self, Refused> {
        let bps =
            with_unit(raw, &RATES, "a rate with its unit, such as \"100 Mbit/s\" (bit/s, kbit/s, Mbit/s, Gbit/s)")?;
        let bps = u64::try_from(bps).ok().filter(|&b| b > 0);
        bps.map(Rate::from_bps).ok_or_else(|| Refused::expected("a rate above zero"))
    }
    fn show(&self) -> String {
        let b = self.bps();
        for (u, f) in [("Gbit/s", 1_000_000_000), ("Mbit/s", 1_000_000), ("kbit/s", 1_000)] {
            if b != 0 && b % f == 0 {
                return format!("{} {u}", b / f);
            }
        }
        format!("{b} bit/s")
    }
}

impl Value for Bytes {
    const UNIT: &'static str = "bytes";
    fn read(raw: &Raw) -> Result<Self, Refused> {
        const EXPECT: &str = "a size with its unit, such as \"128 KiB\" (B, kB, MB, KiB, MiB)";
        let n = match raw {
            Raw::Int(n) => *n,
            _ => with_unit(raw, &SIZES, EXPECT)?,
        };
        u64::try_from(n).map(Bytes::new).map_err(|_| Refused::expected("a size that is not negative"))
    }
    fn show(&self) -> String {
        let n = self.get();
        for (u, f) in [("MiB", 1 << 20), ("KiB", 1 << 10)] {
            if n != 0 && n % f == 0 {
                return format!("{} {u}", n / f);
            }
        }
        format!("{n} B")
    }
}

macro_rules! whole {
    ($($t:ty),*) => {$(
        impl Value for $t {
            const UNIT: &'static str = "count";
            fn read(raw: &Raw) -> Result<Self, Refused> {
                let refuse = || Refused::expected(format!("a whole number from {} to {}", <$t>::MIN, <$t>::MAX));
                match raw {
                    Raw::Int(n) => <$t>::try_from(*n).map_err(|_| refuse()),
                    _ => Err(refuse()),
                }
            }
            fn show(&self) -> String {
                self.to_string()
            }
        }
    )*};
}
whole!(u8, u16, u32, u64, i64);

impl Value for f64 {
    const UNIT: &'static str = "number";
    fn read(raw: &Raw) -> Result<Self, Refused> {
        match raw {
            Raw::Float(x) if x.is_finite() => Ok(*x),
            Raw::Int(n) => Ok(*n as f64),
            _ => Err(Refused::expected("a number")),
        }
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

impl Value for bool {
    const UNIT: &'static str = "switch";
    fn read(raw: &Raw) -> Result<Self, Refused> {
        match raw {
            Raw::Bool(b) => Ok(*b),
            _ => Err(Refused::expected("true or false")),
        }
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

/// A parameter that can be `"off"`.
impl<T: Value> Value for Option<T> {
    const UNIT: &'static str = T::UNIT;
    fn read(raw: &Raw) -> Result<Self, Refused> {
        match raw {
            Raw::Text(t) if t == "off" => Ok(None),
            _ => T::read(raw).map(Some).map_err(|r| Refused { expected: format!("{}, or \"off\"", r.expected), ..r }),
        }
    }
    fn show(&self) -> String {
        self.as_ref().map_or_else(|| "off".into(), Value::show)
    }
    fn names() -> &'static [&'static str] {
        T::names()
    }
    fn words() -> Vec<&'static str> {
        [T::words(), vec!["off"]].concat()
    }
    fn is_off(&self) -> bool {
        self.is_none()
    }
}

/// One row of the schema.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// The key inside its section.
    pub key: &'static str,
    /// Kind of value: time, rate, bytes, count, number, switch, name.
    pub kind: &'static str,
    /// The unit of a plain number that has one (ms, bytes, dB, ...); of a list what is in it; else the kind again.
    pub unit: &'static str,
    /// The default, as a scenario file would have it.
    pub default: String,
    /// The range, in words; empty where every value of the type is allowed.
    pub range: String,
    /// What it is.
    pub doc: String,
    /// Where the default comes from.
    pub source: &'static str,
}

/// A struct of parameters.
pub trait Schema: Default {
    /// One row a parameter, in the order of declaration.
    fn schema() -> Vec<Param>;
    /// Sets one. `None`: there is no such key.
    fn set(&mut self, key: &str, raw: &Raw) -> Option<Result<(), Refused>>;
    /// Every key with its present value.
    fn values(&self) -> Vec<(&'static str, String)>;
}

/// Checks a range and says in words what it is.
pub fn in_range<T: Value + PartialOrd>(v: &T, lo: &T, hi: &T, unit: &str) -> Result<(), Refused> {
    if !v.is_off() && (v < lo || v > hi) { Err(outside(lo, hi, unit)) } else { Ok(()) }
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
pub fn beyond<T: Value + PartialOrd>(e: Refused, raw: &Raw, lo: &T, hi: &T, unit: &str) -> Refused {
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

/// Declares a struct of parameters:
///
/// ```
/// use wavetank_core::{params, sim::Span};
/// params! {
///     /// What a user sets of CoDel.
///     pub struct Params {
///         /// Sojourn that is tolerated.
///         target: Span = Span::from_ms(5), in Span::from_us(1) => Span::from_s(10), src "rfc8289#4.2";
///         /// Marks instead of dropping.
///         ecn: bool = true, src "linux@6.12 net/sched/sch_fq_codel.c fq_codel_init";
///     }
/// }
/// assert_eq!(Params::default().target, Span::from_ms(5));
/// ```
///
/// A value out of the range is refused by `set`; `in` may be left out. A plain number that has a unit says so before its source,
/// `unit "ms"`, and can then be given with it.
#[macro_export]
macro_rules! params {
    ($(#[$m:meta])* pub struct $name:ident {
        $( $(#[doc = $doc:literal])+ $f:ident : $t:ty = $default:expr $(, in $lo:expr => $hi:expr)? $(, unit $unit:literal)? , src $src:literal ; )*
    }) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct $name { $( $(#[doc = $doc])+ pub $f: $t, )* }
        impl Default for $name {
            fn default() -> Self { $name { $( $f: $default, )* } }
        }
        impl $crate::sim::params::Schema for $name {
            fn schema() -> Vec<$crate::sim::params::Param> {
                #[allow(unused_imports)]
                use $crate::sim::params::Value;
                vec![ $( $crate::sim::params::Param {
                    key: stringify!($f),
                    kind: <$t as Value>::UNIT,
                    unit: {
                        #[allow(unused_mut, unused_assignments)]
                        let mut unit = <$t as Value>::unit();
                        $( unit = $unit; )?
                        unit
                    },
                    default: { let d: $t = $default; Value::show(&d) },
                    range: {
                        #[allow(unused_mut, unused_assignments)]
                        let mut r = <$t as Value>::names().join(" | ");
                        $( let (lo, hi): ($t, $t) = ($lo, $hi); r = format!("{} to {}", Value::show(&lo), Value::show(&hi)); )?
                        r
                    },
                    doc: [$($doc),+].iter().map(|l| l.trim()).collect::<Vec<_>>().join(" "),
                    source: $src,
                }, )* ]
            }
            #[allow(unused_variables, unused_imports)]
            fn set(&mut self, key: &str, raw: &$crate::sim::params::Raw) -> Option<Result<(), $crate::sim::params::Refused>> {
                #[allow(unused_imports)]
                use $crate::sim::params::Value;
                match key {
                    $( stringify!($f) => Some((|| {
                        let unit = "";
                        $( let unit = $unit; )?
                        let raw = &$crate::sim::params::bare(raw, unit);
                        let v = <$t as Value>::read(raw);
                        $( let v = v.map_err(|e| $crate::sim::params::beyond::<$t>(e, raw, &$lo, &$hi, unit)); )?
                        let v = v?;
                        // The default is allowed whatever the range.
                        $( if v != $default { $crate::sim::params::in_range::<$t>(&v, &$lo, &$hi, unit)?; } )?
                        self.$f = v;
                        Ok(())
                    })()), )*
                    _ => None,
                }
            }
            fn values(&self) -> Vec<(&'static str, String)> {
                #[allow(unused_imports)]
                use $crate::sim::params::Value;
                vec![ $( (stringify!($f), Value::show(&self.$f)), )* ]
            }
        }
    };
}

/// Declares an enum whose variants have names in scenario files:
///
/// ```
/// wavetank_core::choices! {
///     /// Where the bottleneck is.
///     pub enum Bottleneck {
///         /// On the sender.
///         Local = "local",
///         /// On the router.
///         Remote = "remote",
///     }
/// }
/// assert_eq!(Bottleneck::Local.name(), "local");
/// ```
#[macro_export]
macro_rules! choices {
    ($(#[$m:meta])* pub enum $name:ident { $( $(#[$vm:meta])* $v:ident = $text:literal ),* $(,)? }) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $( $(#[$vm])* $v ),* }
        impl $name {
            /// Every choice.
            pub const ALL: &'static [$name] = &[ $( $name::$v ),* ];
            /// The name in scenario files.
            pub const fn name(self) -> &'static str { match self { $( $name::$v => $text ),* } }
        }
        impl $crate::sim::params::Value for $name {
            const UNIT: &'static str = "name";
            fn read(raw: &$crate::sim::params::Raw) -> Result<Self, $crate::sim::params::Refused> {
                use $crate::sim::params::{Raw, Refused};
                match raw {
                    Raw::Text(t) => $name::ALL.iter().copied().find(|v| v.name() == t)
                        .ok_or_else(|| Refused::one_of(<$name as $crate::sim::params::Value>::names(), t)),
                    _ => Err(Refused::one_of(<$name as $crate::sim::params::Value>::names(), "")),
                }
            }
            fn show(&self) -> String { self.name().to_string() }
            fn names() -> &'static [&'static str] { &[ $( $text ),* ] }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(s: &str) -> Raw {
        Raw::Text(s.into())
    }

    #[test]
    fn units_are_read_exactly() {
        assert_eq!(Span::read(&text("0.1 ms")), Ok(Span::from_us(100)));
        assert_eq!(Span::read(&text("5ms")), Ok(Span::from_ms(5)));
        assert_eq!(
            Span::read(&text(".5 ms")),
            Ok(Span::from_us(500)),
            "as people write it; TOML's own numbers may not"
        );
        assert!(Span::read(&text(". ms")).is_err() && Span::read(&text("-. ms")).is_err());
        assert_eq!(Rate::read(&text("150 Mbit/s")), Ok(Rate::from_mbit(150)));
        assert_eq!(Rate::read(&text("6.5 Mbit/s")), Ok(Rate::from_kbit(6_500)));
        assert_eq!(Bytes::read(&text("128 KiB")), Ok(Bytes::from_kib(128)));
        assert_eq!(Option::<Span>::read(&text("off")), Ok(None));
    }

    #[test]
    fn wrong_units_are_refused_in_words() {
        assert!(Span::read(&text("5 Mbit/s")).unwrap_err().expected.contains("5 ms"));
        assert!(Span::read(&Raw::Int(5)).is_err(), "a time without its unit");
        assert!(Span::read(&text("0.5 ns")).unwrap_err().expected.contains("remainder"));
        assert!(u8::read(&Raw::Int(300)).unwrap_err().expected.contains("255"));
    }

    crate::params! {
        /// Plain numbers.
        pub struct Plain {
            /// One with a unit.
            span_ms: u32 = 6, in 0 => 1_000, unit "ms", src "here";
            /// One of bytes, that can be off.
            bytes: Option<u32> = None, in Some(1) => Some(65_535), unit "bytes", src "here";
            /// One with a point.
            level: f64 = 1.0, in 0.0 => 40.0, unit "dB", src "here";
            /// One that is left to something else.
            flows: super::super::auto::Auto<u16> = super::super::auto::Auto::Auto, in super::super::auto::Auto::Set(0) => super::super::auto::Auto::Set(256), src "here";
        }
    }

    #[test]
    fn a_plain_number_can_have_its_unit() {
        assert_eq!(
            Plain::schema().iter().map(|p| (p.kind, p.unit)).collect::<Vec<_>>(),
            [("count", "ms"), ("count", "bytes"), ("number", "dB"), ("count", "count")]
        );
        let set = |key, raw| {
            let mut p = Plain::default();
            p.set(key, &raw).unwrap().map(|()| p.values().into_iter().find(|v| v.0 == key).unwrap().1)
        };
        for (key, given, found) in [
            ("span_ms", "4 ms", "4"),
            ("span_ms", "0.004 s", "4"),
            ("bytes", "2 KiB", "2048"),
            ("bytes", "1500 bytes", "1500"),
            ("bytes", "off", "off"),
            ("level", "3.5 dB", "3.5"),
        ] {
            assert_eq!(set(key, text(given)).as_deref(), Ok(found), "{key} {given}");
        }
        for (key, given, expected) in [
            ("span_ms", text("4 MiB"), "a whole number of ms from 0 to 1000"),
            ("span_ms", text("1500 us"), "a whole number of ms from 0 to 1000"),
            ("span_ms", Raw::Float(1e20), "a whole number of ms from 0 to 1000"),
            ("bytes", Raw::Int(1 << 40), "a whole number of bytes from 1 to 65535, or \"off\""),
            ("level", text("3 dBm"), "a number of dB from 0 to 40"),
            ("flows", Raw::Int(-1), "a whole number from 0 to 256, or \"auto\""),
            ("flows", text("4 ms"), "a whole number from 0 to 256, or \"auto\""),
            ("flows", Raw::Bool(true), "a whole number from 0 to 256, or \"auto\""),
            ("span_ms", text("4"), "a whole number of ms from 0 to 1000, without quotes"),
            ("level", text("4.5"), "a number of dB from 0 to 40, without quotes"),
        ] {
            assert_eq!(set(key, given).unwrap_err().expected, expected);
        }
        let near = |key, given| set(key, text(given)).unwrap_err().near;
        assert_eq!(near("level", "2.9%").as_deref(), Some("0.029"));
        assert_eq!(near("level", "2,5").as_deref(), Some("2.5"));
        assert_eq!(near("level", "5000 %"), None, "beyond what it may be");
        assert_eq!(near("span_ms", "50 %"), None, "no share");
        assert_eq!(near("level", "much"), None);
    }

    #[test]
    fn what_is_near() {
        let near = |got, names: &[&'static str]| nearest(got, names.iter().copied());
        assert_eq!(near("fixed_msc", &["fixed_mhz", "fixed_mcs"]).as_deref(), Some("fixed_mcs"));
        assert_eq!(near("CUBIC", &["reno", "cubic"]).as_deref(), Some("cubic"));
        assert_eq!(near("ax", &["a", "n", "ac"]), None, "half of it is any");
        assert_eq!(near("foo", &["floor", "fq", "host"]), None, "another word");
        assert_eq!(near("rat", &["rate", "leaf"]).as_deref(), Some("rate"));
        assert_eq!(near("tsq", &["tsq_ms", "cc"]).as_deref(), Some("tsq_ms"), "how it begins");
        assert_eq!(near("tolerence_usces", &["tolerance_usecs"]).as_deref(), Some("tolerance_usecs"));
        assert_eq!(near("AC", &["a", "n", "ac"]).as_deref(), Some("ac"));
        assert_eq!(near("6.1", &["6.1.192", "6.12"]).as_deref(), Some("6.1.192"), "a release of it");
        assert_eq!(near("5.1", &["5.10", "5.10.262"]).as_deref(), Some("5.10"));
    }
}
