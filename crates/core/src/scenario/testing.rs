//! What the tests of this folder read.

use super::{Scenario, ScenarioError, Source, read};

pub(super) const WIRED: &str = "name = \"x\"\n[topology]\nkind = \"wired\"\n[htb]\nrate = \"100 Mbit/s\"\n";

pub(super) fn parse(text: &str) -> Result<Scenario, ScenarioError> {
    read(&Source { path: "a.toml", text }, &[])
}
