//! Flows whose server is farther away: what it sends waits, each flow's packets by a time of their own, before they come to the way that
//! all share.
//!
//! Stands for a `netem delay` of its own for each flow, above the server's device, with room for everything: linux@6.12
//! net/sched/sch_netem.c netem_enqueue (`skb_orphan_partial`: the socket has its memory back at once). Nothing is lost or overtaken here.

use super::event::{Event, Events};
use crate::sim::{Kind, Lane, NodeId, Packet, Span, Time};
use std::collections::VecDeque;

/// The flows of one server that are farther away than others.
#[derive(Clone, Default)]
pub(super) struct Far {
    server: NodeId,
    /// By flow: how much farther, and what is under way, the first to come first.
    flows: Vec<(Span, VecDeque<(Time, Packet)>)>,
}

impl Far {
    /// `delays`: of each flow of the run. None: all are equally far.
    pub(super) fn new(server: NodeId, delays: impl Iterator<Item = Option<Span>>) -> Option<Box<Far>> {
        let flows: Vec<_> = delays.map(|d| (d.unwrap_or(Span::ZERO), VecDeque::new())).collect();
        flows.iter().any(|f| f.0 > Span::ZERO).then(|| Box::new(Far { server, flows }))
    }

    /// Who they belong to.
    pub(super) const fn server(&self) -> NodeId {
        self.server
    }

    /// Whether what `node` sends as `p` has farther to go.
    pub(super) fn holds(&self, node: NodeId, p: &Packet) -> bool {
        let delay = self.flows.get(usize::from(p.flow.0)).map_or(Span::ZERO, |f| f.0);
        node == self.server && p.kind == Kind::Tcp && delay > Span::ZERO
    }

    /// Takes a packet that it [holds](Far::holds).
    pub(super) fn take(&mut self, now: Time, p: Packet, q: &mut Events) {
        let (delay, held) = &mut self.flows[usize::from(p.flow.0)];
        let at = now + *delay;
        if held.is_empty() {
            q.push(at, Lane::Watchdog, Event::Far(p.flow.0));
        }
        held.push_back((at, p));
    }

    /// The packet of `flow` that has come so far.
    pub(super) fn give(&mut self, flow: u16, q: &mut Events) -> Option<Packet> {
        let (_, held) = &mut self.flows[usize::from(flow)];
        let (_, p) = held.pop_front()?;
        if let Some(&(at, _)) = held.front() {
            q.push(at, Lane::Watchdog, Event::Far(flow));
        }
        Some(p)
    }

    /// Packets that it holds.
    pub(super) fn held(&self) -> u64 {
        self.flows.iter().map(|f| f.1.len() as u64).sum()
    }
}
