//! Which way the packets of each node go to each other.

use super::bss::StaIx;
use crate::sim::NodeId;

/// The way to the next hop.
#[derive(Clone, Copy, Debug)]
pub(super) enum Route {
    /// There is none.
    None,
    /// Out of a wired port.
    Port(u16),
    /// Over the air, from one station to another.
    Air(StaIx, StaIx),
}

/// All of them, one row behind the other: every packet asks at every hop.
pub(super) struct Routes {
    routes: Vec<Route>,
    nodes: usize,
}

impl Routes {
    /// Of `rows[node][destination]`.
    pub(super) fn new(rows: &[Vec<Route>]) -> Routes {
        debug_assert!(rows.iter().all(|r| r.len() == rows.len()));
        Routes { routes: rows.concat(), nodes: rows.len() }
    }
    /// From `node` towards `destination`.
    #[inline]
    pub(super) fn way(&self, node: NodeId, destination: NodeId) -> Route {
        self.routes[usize::from(node.0) * self.nodes + usize::from(destination.0)]
    }
}
