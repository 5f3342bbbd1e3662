//! What a host's CPU does to a received packet: one at a time, each for a while.
//!
//! Enters: packets that a device hands up. Leaves: the same packets, in order, later. A receiver that takes an A-MPDU apart
//! packet by packet sends its TCP ACKs one by one, so that the first ones reach the driver alone or in twos.
//! Stands for: linux@6.12 net/core/dev.c __netif_receive_skb_core up to tcp_v4_rcv, with what a CPU takes for it.
//! Differs: D1 one CPU a host, and sending costs nothing of it; D2 the cost is the same for every packet; D3 no GRO (none
//! of ath9k and ath9k_htc feed NAPI's).

use crate::params;
use crate::sim::{Owner, Packet, Span, Time};
use std::collections::VecDeque;

params! {
    /// What processing one received packet costs, from the driver to the socket and back down with an ACK.
    pub struct Params {
        /// Timer ticks a second (`CONFIG_HZ`) of every host.
        hz: u32 = 300, in 100 => 1000, src "Arch Linux's kernel configuration: CONFIG_HZ_300";
        /// On a station.
        sta_rx: Span = Span::from_us(4), in Span::ZERO => Span::from_ms(10), src "calibrated: order of a desktop CPU's per-packet cost without GRO";
        /// On the AP or router.
        ap_rx: Span = Span::from_us(4), in Span::ZERO => Span::from_ms(10), src "calibrated: as sta_rx";
        /// On the server.
        server_rx: Span = Span::from_us(2), in Span::ZERO => Span::from_ms(10), src "calibrated: order of a server CPU's per-packet cost";
    }
}

/// A host's receive path.
#[derive(Debug)]
pub struct Host {
    /// What waits, and when the host is done with it: known on arrival, since packets are taken in turn.
    ring: VecDeque<(Time, Packet)>,
    cost: Span,
    busy_until: Time,
    /// The wired port that is the only way to this host. What leaves that port can be announced before it arrives: nothing
    /// can come in between.
    pub wire: Option<u16>,
}

impl Host {
    /// A host that takes `cost` for a packet.
    pub fn new(cost: Span) -> Host {
        Host { ring: VecDeque::with_capacity(256), cost, busy_until: Time::ZERO, wire: None }
    }

    /// The same, behind this wired port alone.
    pub fn behind(mut self, port: u16) -> Host {
        self.wire = Some(port);
        self
    }

    /// A device hands `p` up at `at`, which is not before any earlier packet's. The instant at which the host is done with it, if
    /// it is the only one waiting: the caller then calls [`Host::take`]. `owner` is charged for it from now on.
    #[inline]
    pub fn arrive(&mut self, at: Time, p: &Packet, owner: Owner) -> Option<Time> {
        self.busy_until = self.busy_until.max(at) + self.cost;
        self.ring.push_back((self.busy_until, *p));
        self.ring.back_mut().expect("it was just put there").1.owner = owner;
        (self.ring.len() == 1).then_some(self.busy_until)
    }

    /// The packet that is done, and when the next will be.
    #[inline]
    pub fn take(&mut self) -> (Packet, Option<Time>) {
        let (_, p) = self.ring.pop_front().expect("the host is called once a packet");
        (p, self.ring.front().map(|w| w.0))
    }

    /// Packets that wait.
    pub fn held(&self) -> usize {
        self.ring.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    #[test]
    fn packets_of_one_aggregate_come_out_one_by_one() {
        let mut h = Host::new(Span::from_us(4));
        let p = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        let t = Time::from_us(100);
        assert_eq!(h.arrive(t, &p, Owner::NONE), Some(Time::from_us(104)));
        assert_eq!(h.arrive(t, &p, Owner::NONE), None);
        assert_eq!(h.take().1, Some(Time::from_us(108)));
        assert_eq!(h.take().1, None);
        assert_eq!(h.arrive(Time::from_us(110), &p, Owner::NONE), Some(Time::from_us(114)));
    }
}
