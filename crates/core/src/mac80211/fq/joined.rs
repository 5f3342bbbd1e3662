//! A-MSDUs that mac80211 builds where packets wait, for drivers that ask for it (TX_AMSDU): a packet that finds another of its flow at the end of
//! the queue goes with it, and is no packet of the queue's own.
//!
//! Enters: a packet, and where the last one of its flow is ([`Joined::add`]). Leaves: what has joined one that was taken off ([`Joined::next`]).
//! Stands for: linux@6.12 net/mac80211/tx.c ieee80211_amsdu_aggregate, ieee80211_amsdu_prepare_head. As there, bytes count, and memory and the
//! time that CoDel looks at are the first one's.
//! Differs: D1 no limit of pieces (`max_tx_fragments`, 22 of iwlwifi: eleven segments of TCP, more than the model puts into an A-MSDU).

use crate::qdisc::pool::{List, Pool};
use crate::sim::Packet;
use crate::wifi::amsdu::SUBFRAME_HEADER;

/// LLC and SNAP, of which the type stands in the packet's Ethernet header, bytes.
const LLC_SNAP: u32 = 8;
/// An Ethernet header.
const ETHERNET: u32 = 14;

/// What an A-MSDU may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Most {
    /// Bytes: `skb->len` of the first and of what comes, without what joining adds (`max_amsdu_len`).
    pub bytes: u32,
    /// MSDUs.
    pub msdus: u8,
}

/// Behind one packet: those that have joined it, and the bytes that they have added.
#[derive(Clone, Copy, Debug, Default)]
struct Behind {
    members: List,
    bytes: u32,
}

/// By place in the pool; empty where nothing has ever joined.
#[derive(Clone, Debug, Default)]
pub(super) struct Joined {
    behind: Vec<Behind>,
    packets: u32,
}

impl Joined {
    /// Bytes that have joined what stands at `i`.
    #[inline]
    pub fn bytes(&self, i: u32) -> u32 {
        self.behind.get(i as usize).map_or(0, |b| b.bytes)
    }
    /// Packets that stand with another.
    pub const fn packets(&self) -> u32 {
        self.packets
    }
    /// Puts `p` to the packet at `at`, which has `len` bytes with what has joined it, `header` of them in front of its IP packet. Answers how many bytes
    /// that adds; nothing: they do not go together.
    pub fn add(&mut self, pool: &mut Pool, at: u32, len: u32, header: u32, p: &Packet, most: Most) -> Option<u32> {
        if pool.get(at).segs > 1 || ETHERNET + p.ip_len() + len > most.bytes {
            return None;
        }
        if self.behind.len() <= at as usize {
            self.behind.resize(at as usize + 1, Behind::default());
        }
        let behind = &mut self.behind[at as usize];
        if behind.members.len() + 2 > u32::from(most.msdus) {
            return None;
        }
        let first = if behind.members.is_empty() { SUBFRAME_HEADER } else { 0 };
        let subframes = len + first - (header - LLC_SNAP);
        let padding = subframes.next_multiple_of(4) - subframes;
        let added = first + padding + SUBFRAME_HEADER + LLC_SNAP + p.ip_len();
        behind.bytes += added;
        self.packets += 1;
        pool.put(&mut behind.members, p, p.enqueued);
        Some(added)
    }
    /// The next of those that have joined the packet at `i`, which was taken off its flow and stands in the pool still. All are to be taken.
    #[inline]
    pub fn next(&mut self, pool: &mut Pool, i: u32) -> Option<Packet> {
        let behind = self.behind.get_mut(i as usize)?;
        behind.bytes = 0;
        let p = pool.pop(&mut behind.members)?;
        self.packets -= 1;
        Some(p)
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac80211::fq::Fq;
    use crate::mac80211::profile::Pays;
    use crate::sim::{FlowId, Kind, NodeId, Time};

    const MOST: Most = Most { bytes: 7_991, msdus: 7 };

    fn packet(seq: u32, ip_len: u32) -> Packet {
        let blank = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(1));
        Packet { seq, payload: ip_len - 28, headers: 28, truesize: 2_304, ..blank }
    }
    fn put(fq: &mut Fq, p: &Packet) {
        if !fq.join(0, 3, p, MOST) {
            fq.enqueue(0, 3, p, Time::ZERO, |_, _| ());
        }
    }
    /// Sequence numbers of what is taken off at once, and the bytes that the flow has left.
    fn take(fq: &mut Fq) -> (Vec<u32>, u32) {
        let Some(i) = fq.dequeue(0, |fq, flow| fq.pop(flow)) else { return (vec![], 0) };
        let mut out = vec![fq.pool.get(i).seq];
        out.extend(core::iter::from_fn(|| fq.next_joined(i)).map(|p| p.seq));
        fq.pool.release(i);
        (out, fq.flows[3].backlog)
    }

    /// By hand, with 34 bytes in front: 1534; the second makes it 1534 + 14 + 2 (of 1522 to 1524) + 1522 = 3072, each further one 1524 more. 6120 and 1514 are
    /// within 7991, 7644 and 1514 are not: five.
    #[test]
    fn five_full_packets() {
        let mut fq = Fq::new(16, 1, 300, 8_192, 1 << 24, Pays::Half, 34);
        (0..7).for_each(|n| put(&mut fq, &packet(n, 1_500)));
        assert_eq!((fq.packets, fq.joined(), fq.memory), (2, 5, 2 * 2_304));
        assert_eq!(fq.flows[3].backlog, 7_644 + 3_072);
        assert_eq!(take(&mut fq), (vec![0, 1, 2, 3, 4], 3_072));
        assert_eq!(fq.tins[0].tx_bytes, 7_644);
        put(&mut fq, &packet(7, 200));
        assert_eq!(take(&mut fq), (vec![5, 6, 7], 0));
        assert_eq!((fq.packets, fq.joined(), fq.memory, fq.tins[0].bytes), (0, 0, 0, 0));
        put(&mut fq, &packet(8, 1_500));
        assert_eq!(take(&mut fq), (vec![8], 0), "the place has forgotten who stood there");
    }

    #[test]
    fn a_super_packet_stays_alone() {
        let mut fq = Fq::new(16, 1, 300, 8_192, 1 << 24, Pays::Half, 34);
        let whole = Packet { segs: 4, mss: 1_448, ..packet(0, 4 * 1_448 + 52) };
        fq.enqueue(0, 3, &whole, Time::ZERO, |_, _| ());
        assert!(!fq.join(0, 3, &packet(1, 100), MOST));
        assert_eq!(fq.flows[3].backlog, 4 * 1_448 + 52 + 34, "headers count once");
    }

    /// What the fattest flow loses it loses with what has joined it.
    #[test]
    fn a_dropped_packet_takes_its_own_with_it() {
        let mut fq = Fq::new(16, 1, 300, 1, 1 << 24, Pays::Half, 34);
        (0..5).for_each(|n| put(&mut fq, &packet(n, 1_500)));
        let mut dropped = vec![];
        fq.enqueue(0, 4, &packet(9, 100), Time::ZERO, |p, _| dropped.push(p.seq));
        dropped.sort_unstable();
        assert_eq!((dropped, fq.packets, fq.joined()), (vec![0, 1, 2, 3, 4], 1, 0));
    }
}
