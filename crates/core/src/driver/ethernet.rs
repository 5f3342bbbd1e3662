//! An Ethernet device with a ring under BQL.
//!
//! Packets enter by [`Ethernet::xmit`] while [`Ethernet::can_take`]; when each will be through is known at once, and at that time
//! or later (see `net::port`) [`Ethernet::complete`] does the books. The device keeps of a packet what its books need, not the
//! packet. Stands for any driver that calls `netdev_tx_sent_queue` and `netdev_tx_completed_queue`.
//! Differs: D1 each frame completes alone, at the end of its gap on the wire: no interrupt
//! moderation on this side (reception: `host::nic`), no NAPI budget; BQL therefore sees completions of one frame and settles at about two. D2 the far end
//! gets the frame at that same instant (propagation is the link's). D3 no offloads: a packet is one frame.

use super::bql::{self, Dql};
use crate::sim::{Freed, Packet, Rate, Span, Time};
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

/// A packet in the ring.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// When the last bit of it and the gap behind it have left.
    pub done: Time,
    /// What is freed then.
    pub freed: Freed,
    bytes: u32,
}

/// An Ethernet device.
#[derive(Clone, Debug)]
pub struct Ethernet {
    rate: Rate,
    size: usize,
    ring: VecDeque<Sent>,
    /// When the first packet in the ring is through, or never.
    due: Time,
    /// When the last one that it was given is.
    busy_until: Time,
    dql: Option<Dql>,
    /// `__QUEUE_STATE_STACK_XOFF`
    stopped: bool,
}

impl Ethernet {
    /// A device with an empty ring.
    pub fn new(p: &Params, bql: &bql::Params) -> Ethernet {
        let size = p.ring as usize;
        let dql = p.bql.then(|| Dql::new(bql));
        Ethernet {
            rate: p.rate,
            size,
            ring: VecDeque::with_capacity(size.min(256)),
            due: Time::NEVER,
            busy_until: Time::ZERO,
            dql,
            stopped: false,
        }
    }
    /// Whether the queue above may hand down a packet: the ring has room and BQL has not stopped it.
    #[inline]
    pub fn can_take(&self) -> bool {
        !self.stopped && self.ring.len() < self.size
    }
    /// Time of so many bytes of a frame on the wire, with preamble, FCS, gap and padding.
    fn duration(&self, bytes: u32) -> Span {
        self.rate.time_for(u64::from(bytes).max(ZLEN) + WIRE)
    }
    /// Takes a packet and says when it will be through. The caller asked [`Ethernet::can_take`], and has completed whatever was due.
    pub fn xmit(&mut self, now: Time, p: &Packet) -> Time {
        debug_assert!(self.can_take() && self.due >= now);
        let bytes = p.eth_len();
        if let Some(d) = &mut self.dql {
            d.queued(bytes);
            self.stopped = d.avail() < 0; // netdev_tx_sent_queue
        }
        let done = self.busy_until.max(now) + self.duration(bytes);
        self.busy_until = done;
        self.due = self.due.min(done);
        self.ring.push_back(Sent { done, freed: p.into(), bytes });
        done
    }
    /// When the first packet in the ring is through, or never.
    #[inline]
    pub fn due(&self) -> Time {
        self.due
    }
    /// The first packet is through, at its time. The queue may be open again.
    pub fn complete(&mut self) -> Sent {
        let s = self.ring.pop_front().expect("a completion was due, so a packet is on the wire");
        self.due = self.ring.front().map_or(Time::NEVER, |s| s.done);
        if let Some(d) = &mut self.dql {
            d.completed(s.done, s.bytes);
            if d.avail() >= 0 {
                self.stopped = false; // netdev_tx_completed_queue
            }
        }
        s
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
        assert_eq!(e.xmit(Time::ZERO, &frame(0, 1448)), Time::from_ns(12_304));
        let mut ack = frame(1, 0);
        ack.headers = 40;
        assert_eq!(e.xmit(Time::from_ns(5), &ack), Time::from_ns(12_304 + 84 * 8), "40 + 14 bytes are padded to 60");
        assert_eq!((e.due(), e.complete().done), (Time::from_ns(12_304), Time::from_ns(12_304)));
        assert_eq!((e.complete().done, e.packets()), (Time::from_ns(12_976), 0));
        assert_eq!(e.xmit(Time::from_us(20), &ack), Time::from_ns(20_672), "an idle wire begins at once");
    }

    #[test]
    fn bql_keeps_the_wire_busy_with_a_short_ring() {
        let mut e = Ethernet::new(&Params::default(), &bql::Params::default());
        let (mut now, mut seq, mut idle, mut longest) = (Time::ZERO, 0, 0, 0);
        while seq < 10_000 {
            if e.packets() == 0 && seq > 100 {
                idle += 1;
            }
            while e.can_take() {
                e.xmit(now, &frame(seq, 1448));
                seq += 1;
            }
            longest = longest.max(e.packets());
            now = e.complete().done;
        }
        assert_eq!(idle, 0, "never starved once it has learned");
        assert!(longest <= 4, "and never more than four frames, not {longest}");
    }

    #[test]
    fn a_full_ring_stops_the_queue() {
        let mut e = Ethernet::new(&Params { bql: false, ring: 2, ..Params::default() }, &bql::Params::default());
        e.xmit(Time::ZERO, &frame(0, 0));
        assert!(e.can_take());
        e.xmit(Time::ZERO, &frame(1, 0));
        assert!(!e.can_take());
        e.complete();
        assert!(e.can_take());
    }
}
