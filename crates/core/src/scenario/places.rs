//! Where each key of a scenario was set, for messages that point there.

use super::error::ScenarioError;
use std::collections::BTreeMap;

/// Where each key was set: (file, line).
pub(super) type Places = BTreeMap<String, (String, usize)>;

/// An error that points to where `key` was set, or to the file if it was not.
pub(super) fn refuse(places: &Places, path: &str, key: &str, found: &str, expected: &str) -> ScenarioError {
    let (file, line) = places.get(key).cloned().unwrap_or_else(|| (path.into(), 0));
    ScenarioError { file, line, key: key.into(), found: found.into(), expected: expected.into(), near: None }
}
