//! What a parameter can be: values as its type reads and shows them.

use super::super::time::Span;
use super::super::units::{Bytes, Rate};
use super::raw::{Raw, Refused};
use super::unit::{RATES, SIZES, TIMES, in_largest, with_unit};

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
        in_largest(self.ns().into(), &TIMES)
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
        in_largest(self.bps().into(), &RATES)
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
        in_largest(self.get().into(), &[("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20)])
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
}
