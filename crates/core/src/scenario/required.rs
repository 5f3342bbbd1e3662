//! What a scenario must have.

use super::error::ScenarioError;
use super::places::{MISSING, Places, refuse};

/// Keys without which a file says too little, by section: what they would be otherwise is nobody's to know.
pub(super) const REQUIRED: [(&str, &str); 2] = [("", "name"), ("topology", "kind")];

/// Whether those are there.
pub(super) fn check(places: &Places, path: &str) -> Result<(), ScenarioError> {
    let missing = |key: &str, expected: &str| Err(refuse(places, path, key, MISSING, expected));
    if !places.contains_key("name") {
        return missing("name", "a short name for results, such as name = \"upload\"");
    }
    if !places.contains_key("topology.kind") {
        return missing("topology.kind", "[topology] with kind = \"wired\" or \"wifi\"");
    }
    Ok(())
}
