//! Values as a scenario file has them, and why one is refused.

use super::near::nearest;

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
