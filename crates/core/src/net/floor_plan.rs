//! The floor of a scenario, as [`World`](super::World)'s channel has it: its noise is that of the channel's width, its path loss that of the band.

use super::air;
use crate::phy::channel::floor::Floor;
use crate::scenario::Scenario;

/// The floor plan. A message where the air cannot be.
pub fn floor_plan(s: &Scenario) -> Result<Floor, String> {
    Ok(air::config(s)?.floor())
}
