//! Parameters: one struct an algorithm, from which schema, validation, `explain` and the docs are made.
//!
//! [`crate::params!`] declares a struct whose fields each carry a default, a range, a source and (as their doc comment) a
//! description. Raw integers enter here and nowhere else.

mod basis;
mod declared;
mod near;
mod raw;
mod unit;
mod value;

pub use declared::{take, take_in};
pub use near::nearest;
pub use raw::{Raw, Refused};
pub use value::Value;

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
    /// Where the default comes from; its first word may say on what that rests ([`Param::basis`]).
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
    (@set ($slot:expr) $t:ty, $raw:expr, $unit:expr) => { $crate::sim::params::take::<$t>(&mut $slot, $raw, $unit) };
    (@set ($slot:expr) $t:ty, $raw:expr, $unit:expr, $default:expr, $lo:expr, $hi:expr) => {
        $crate::sim::params::take_in::<$t>(&mut $slot, $raw, $unit, &$default, (&$lo, &$hi))
    };
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
                vec![ $( $crate::sim::params::Param::of::<$t>(
                    stringify!($f), &[$($doc),+], &$default, &[$($lo, $hi)?], [$($unit)?].first().copied(), $src,
                ), )* ]
            }
            #[allow(unused_variables)]
            fn set(&mut self, key: &str, raw: &$crate::sim::params::Raw) -> Option<Result<(), $crate::sim::params::Refused>> {
                match key {
                    $( stringify!($f) => Some($crate::params!(@set (self.$f) $t, raw, concat!($($unit)?) $(, $default, $lo, $hi)?)), )*
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
            flows: crate::sim::auto::Auto<u16> = crate::sim::auto::Auto::Auto, in crate::sim::auto::Auto::Set(0) => crate::sim::auto::Auto::Set(256), src "here";
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
}
