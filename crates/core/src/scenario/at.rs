//! A key where somebody set it, for what is to be said of it.

use super::error::ScenarioError;
use super::sections::dotted;

/// A key where somebody set it.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    /// The file, or what stands for it (`--set`).
    pub(super) file: &'a str,
    /// The line, from 1; 0: there are none.
    pub(super) line: usize,
    /// The section; empty for the keys above all.
    pub(super) section: &'a str,
    /// The key, without it.
    pub(super) key: &'a str,
}

impl At<'_> {
    /// What is wrong with it.
    pub(super) fn error(&self, found: impl Into<String>, expected: impl Into<String>) -> ScenarioError {
        let (found, expected) = (found.into(), expected.into());
        ScenarioError {
            file: self.file.into(),
            line: self.line,
            key: dotted(self.section, self.key),
            found,
            expected,
            near: None,
        }
    }
}
