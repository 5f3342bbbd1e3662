//! What the subjects share: a scenario's text with keys set, and a run to its end in which no packet is lost sight of.

use wavetank_core::net::{Outcome, World};
use wavetank_core::scenario::{Scenario, Source, read};
use wavetank_core::sim::Time;

/// The text's scenario with these keys set; panics with the message that a user would read.
pub(crate) fn scenario(text: &str, set: &[(&str, &str)]) -> Scenario {
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    read(&Source { path: "here", text }, &set).unwrap_or_else(|e| panic!("{e}"))
}

/// Packets that were made in its run, each of which is accounted for, and what came of it.
pub(crate) fn counted(s: &Scenario) -> (u64, Outcome) {
    let mut world = World::new(s).unwrap();
    world.run_until(Time::NEVER);
    assert_eq!(world.unaccounted(), 0, "packets are lost sight of");
    (world.packets_made(), world.finish())
}
