//! A run in steps, between which Python may answer Ctrl-C.

use pyo3::prelude::*;
use wavetank_core::net::World;
use wavetank_core::net::state::State;
use wavetank_core::sim::{Probe, Span, Time};

/// Runs a world to its end, and looks at it at these instants, ns, in order. Once a simulated second Python may answer Ctrl-C.
pub(crate) fn run<T: Probe + Send>(py: Python<'_>, world: &mut World<T>, at: &[u64]) -> PyResult<Vec<State>> {
    let mut seen = Vec::new();
    let mut now = Time::ZERO;
    let mut advance = |world: &mut World<T>, until: Time| {
        while now < until {
            now = (now + Span::from_s(1)).min(until);
            py.detach(|| world.advance(now));
            py.check_signals()?;
        }
        PyResult::Ok(())
    };
    for &ns in at {
        advance(world, Time::from_ns(ns))?;
        seen.push(world.state_at(Time::from_ns(ns)));
    }
    advance(world, world.end())?;
    Ok(seen)
}
