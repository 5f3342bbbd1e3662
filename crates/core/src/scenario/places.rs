//! Where each key of a scenario was set, for messages that point there.

use super::error::ScenarioError;
use std::collections::BTreeMap;

/// Where each key was set: (file, line).
pub(super) type Places = BTreeMap<String, (String, usize)>;

/// What is found where a key is not there.
pub(super) const MISSING: &str = "the key is missing";

/// An error that points to where `key` was set, or to the file if it was not: then it says that the value is the default.
pub(super) fn refuse(places: &Places, path: &str, key: &str, found: &str, expected: &str) -> ScenarioError {
    let (file, line) = places.get(key).cloned().unwrap_or_else(|| (path.into(), 0));
    let is_section = !key.contains('.');
    let found = if places.contains_key(key) || found == MISSING || is_section {
        found.into()
    } else {
        format!("its default, {found}")
    };
    ScenarioError { file, line, key: key.into(), found, expected: expected.into(), near: None }
}
