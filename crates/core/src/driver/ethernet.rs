//! An Ethernet device with a ring under BQL, and a veth-like device without a rate.
//!
//! Packets enter by [`Ethernet::xmit`] while [`Ethernet::can_take`]; each leaves by [`Ethernet::complete`] at the time
//! that was asked for. Stands for any driver that calls `netdev_tx_sent_queue` and `netdev_tx_completed_queue`, and for
//! drivers/net/veth.c. Differs: D1 each frame completes alone, at the end of its gap on the wire: no interrupt
//! moderation, no NAPI budget; BQL therefore sees completions of one frame and settles at about two. D2 the far end
//! gets the frame at that same instant (propagation is the link's). D3 no offloads: a packet is one frame.

use super::bql::{self, Dql};
use crate::sim::{Packet, Rate, Span, Time};
use std::collections::VecDeque;

crate::params! {
    /// What a user sets of an Ethernet device.
    pub struct Params {
        /// Bit rate of the wire.
        rate: Rate = Rate::from_mbit(1000), in Rate::from_mbit(1) => Rate::from_mbit(400_000), src "IEEE 802.3 clause 40: 1000BASE-T";
        /// Frames that the transmit ring holds.
        ring: u32 = 256, in 1 => 65_536, src "linux@6.12 drivers/net/ethernet/intel/e1000e/e1000.h E1000_DEFAULT_TXD";
        /// Byte queue limits.
        bql: bool = true, src "linux@6.12 net/core/dev.c, CONFIG_BQL";
    }
}

/// Bytes on the wire besides the frame: preamble and delimiter 8, FCS 4, gap 12. src: IEEE 802.3 clauses 3, 4
const WIRE: u64 = 24;
/// The least frame, without FCS. src: linux@6.12 include/uapi/linux/if_ether.h ETH_ZLEN
const ZLEN: u64 = 60;

/// An Ethernet device.
#[derive(Clone, Debug)]
pub struct Ethernet {
    rate: Rate,
    size: usize,
    ring: VecDeque<Packet>,
    dql: Option<Dql>,
    /// `__QUEUE_STATE_STACK_XOFF`
    stopped: bool,
}

impl Ethernet {
    /// A device with an empty ring.
    pub fn new(p: &Params, bql: &bql::Params) -> Ethernet {
        let size = p.ring as usize;
        let dql = p.bql.then(|| Dql::new(bql));
        Ethernet { rate: p.rate, size, ring: VecDeque::with_capacity(size.min(256)), dql, stopped: false }
    }
    /// Whether the queue above may hand down a packet: the ring has room and BQL has not stopped it.
    #[inline]
    pub fn can_take(&self) -> bool {
        !self.stopped && self.ring.len() < self.size
    }
    /// Time of a packet on the wire, with preamble, FCS, gap and padding.
    pub fn duration(&self, p: &Packet) -> Span {
        self.rate.time_for(u64::from(p.eth_len()).max(ZLEN) + WIRE)
    }
    /// Takes a packet; says when it is done if the wire was idle. The caller asked [`Ethernet::can_take`].
    pub fn xmit(&mut self, now: Time, p: Packet) -> Option<Time> {
        debug_assert!(self.can_take());
        if let Some(d) = &mut self.dql {
            d.queued(p.eth_len());
            self.stopped = d.avail() < 0; // netdev_tx_sent_queue
        }
        let idle = self.ring.is_empty();
        let done = now + self.duration(&p);
        self.ring.push_back(p);
        idle.then_some(done)
    }
    /// The first packet is done: gives it, and says when the next one will be. The queue may be open again.
    pub fn complete(&mut self, now: Time) -> (Packet, Option<Time>) {
        let p = self.ring.pop_front().expect("a completion was scheduled, so a packet is on the wire");
        if let Some(d) = &mut self.dql {
            d.completed(now, p.eth_len());
            if d.avail() >= 0 {
                self.stopped = false; // netdev_tx_completed_queue
            }
        }
        (p, self.ring.front().map(|n| now + self.duration(n)))
    }
    /// Packets in the ring.
    pub fn packets(&self) -> u32 {
        self.ring.len() as u32
    }
    /// BQL's present limit in bytes, if it is on.
    pub fn bql_limit(&self) -> Option<u32> {
        self.dql.as_ref().map(Dql::limit)
    }
}

/// A pair of virtual devices: what is handed to one end comes out at the other in the same instant, still charged to
/// its socket. src: linux@6.12 drivers/net/veth.c `veth_xmit`
#[derive(Clone, Copy, Default, Debug)]
pub struct Veth {
    /// Packets that went through.
    pub packets: u64,
}

impl Veth {
    /// Always: a veth has no ring.
    pub const fn can_take(&self) -> bool {
        true
    }
    /// Gives the packet to the other end.
    pub fn xmit(&mut self, p: Packet) -> Packet {
        self.packets += 1;
        p
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    fn frame(seq: u32, payload: u32) -> Packet {
        let mut p = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        (p.seq, p.payload, p.headers) = (seq, payload, 52);
        p
    }

    #[test]
    fn a_full_frame_takes_1538_bytes_and_a_bare_ack_84() {
        let mut e = Ethernet::new(&Params { bql: false, ..Params::default() }, &bql::Params::default());
        assert_eq!(e.xmit(Time::ZERO, frame(0, 1448)), Some(Time::from_ns(12_304)));
        let mut ack = frame(1, 0);
        ack.headers = 40;
        assert_eq!(e.xmit(Time::from_ns(5), ack), None, "the wire is busy");
        let (p, next) = e.complete(Time::from_ns(12_304));
        assert_eq!((p.seq, next), (0, Some(Time::from_ns(12_304 + 84 * 8))), "40 + 14 bytes are padded to 60");
        assert_eq!((e.complete(Time::from_ns(12_976)).1, e.packets()), (None, 0));
    }

    #[test]
    fn bql_keeps_the_wire_busy_with_a_short_ring() {
        let mut e = Ethernet::new(&Params::default(), &bql::Params::default());
        let (mut now, mut seq, mut idle, mut longest) = (Time::ZERO, 0, 0, 0);
        let mut due = None;
        while seq < 10_000 {
            if e.packets() == 0 && seq > 100 {
                idle += 1;
            }
            while e.can_take() {
                due = e.xmit(now, frame(seq, 1448)).or(due);
                seq += 1;
            }
            longest = longest.max(e.packets());
            now = due.expect("something is on the wire");
            due = e.complete(now).1;
        }
        assert_eq!(idle, 0, "never starved once it has learned");
        assert!(longest <= 4, "and never more than four frames, not {longest}");
    }

    #[test]
    fn a_full_ring_stops_the_queue() {
        let mut e = Ethernet::new(&Params { bql: false, ring: 2, ..Params::default() }, &bql::Params::default());
        e.xmit(Time::ZERO, frame(0, 0));
        assert!(e.can_take());
        e.xmit(Time::ZERO, frame(1, 0));
        assert!(!e.can_take());
        e.complete(Time::from_us(1));
        assert!(e.can_take());
    }
}
