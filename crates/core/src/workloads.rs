//! The standard workloads of the benchmark, as scenarios: `bench`, the allocation test and the golden digests share them.

use crate::scenario::{self, Scenario, Source};

/// A workload.
pub struct Workload {
    /// Its name.
    pub name: &'static str,
    /// Its scenario, TOML.
    pub text: &'static str,
}

/// All, in the order of the benchmark.
pub const ALL: [Workload; 3] = [
    Workload { name: "ath9k-upload", text: include_str!("../workloads/ath9k-upload.toml") },
    Workload { name: "down-14", text: include_str!("../workloads/down-14.toml") },
    Workload { name: "rrul", text: include_str!("../workloads/rrul.toml") },
];

impl Workload {
    /// The scenario, with overrides.
    pub fn scenario(&self, overrides: &[(&str, &str)]) -> Scenario {
        let set: Vec<_> = overrides.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        scenario::read(&Source { path: self.name, text: self.text }, &set)
            .unwrap_or_else(|e| panic!("a shipped workload is wrong: {e}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_loads() {
        for w in ALL {
            assert_eq!(w.scenario(&[]).name, w.name);
        }
    }
}
