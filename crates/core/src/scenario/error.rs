//! A refused scenario, in words: what was wrong, where, what was expected, what is near.

use core::fmt;

/// Why a scenario was refused. Displays as one message for people.
#[derive(Clone, PartialEq, Debug)]
pub struct ScenarioError {
    /// File, or "--set", or what else the text came from.
    pub file: String,
    /// Line in it, from 1; 0 if there is none.
    pub line: usize,
    /// The dotted key, if one is to blame.
    pub key: String,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
    /// The nearest valid name.
    pub near: Option<String>,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": ")?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        write!(f, "{}", self.found)?;
        // Before what is expected: names may be many.
        if let Some(n) = &self.near {
            write!(f, " (did you mean \"{n}\"?)")?;
        }
        write!(f, "; expected {}", self.expected)
    }
}

impl core::error::Error for ScenarioError {}
