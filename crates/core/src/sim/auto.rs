//! A parameter that something else decides unless it is set: the kernel profile, the driver, the standard.

use super::params::{Raw, Refused, Value};

/// A value that is left to something else unless it is set: `"auto"`, or a value.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub enum Auto<T> {
    /// What that says.
    #[default]
    Auto,
    /// This.
    Set(T),
}

impl<T> Auto<T> {
    /// The value, or `auto`.
    pub fn or(self, auto: T) -> T {
        match self {
            Auto::Auto => auto,
            Auto::Set(v) => v,
        }
    }
}

impl<T: Value> Value for Auto<T> {
    const UNIT: &'static str = T::UNIT;
    fn read(raw: &Raw) -> Result<Self, Refused> {
        match raw {
            Raw::Text(t) if t == "auto" => Ok(Auto::Auto),
            _ => T::read(raw)
                .map(Auto::Set)
                .map_err(|r| Refused { expected: format!("{}, or \"auto\"", r.expected), ..r }),
        }
    }
    fn show(&self) -> String {
        match self {
            Auto::Auto => "auto".into(),
            Auto::Set(v) => v.show(),
        }
    }
    fn words() -> Vec<&'static str> {
        [T::words(), vec!["auto"]].concat()
    }
}
