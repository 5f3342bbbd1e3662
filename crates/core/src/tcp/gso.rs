//! How software cuts a super-packet up.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_offload.c `tcp_gso_segment`.

use super::truesize;
use crate::sim::{FlowId, Kind, NodeId, Owner, Packet, flags};

/// `tcp_gso_segment`: cuts a super-packet into its segments. A packet of one segment comes out as it is. `room`: `None` where the device
/// gathers, so that the payload stays in pages; else each segment is copied behind that much room for headers
/// ([`head_room`](truesize::head_room)). The sum of their truesize replaces the super-packet's: tell the socket by [`Socket::on_gso`].
pub fn gso_segment(p: &Packet, room: Option<u32>) -> Segments {
    Segments::of(p, Weigher::own(p, room))
}

/// The same of whatever a host sends: a socket's own ([`gso_segment`]), or what GRO merged and a router sends on, of which each segment weighs
/// what its frame weighed when it came.
#[inline]
pub fn segment(p: &Packet, room: Option<u32>) -> Segments {
    Segments::of(p, Weigher::of(p, room))
}

/// Truesize of what [`segment`] makes of a super-packet, in all.
pub fn weight(p: &Packet, room: Option<u32>) -> u32 {
    let weigher = Weigher::of(p, room);
    let (mss, others) = (u32::from(p.mss), u32::from(p.segs) - 1);
    others * weigher.weigh(mss) + weigher.weigh(p.payload - others * mss)
}

/// What segments weigh.
#[derive(Clone, Copy, Debug)]
enum Weigher {
    /// A socket's own, cut off an skb that weighs so much without payload.
    Own { head: u32, room: Option<u32> },
    /// Frames that came and were merged.
    Frames(u32),
}

impl Weigher {
    const fn own(p: &Packet, room: Option<u32>) -> Weigher {
        Weigher::Own { head: p.truesize - p.payload, room }
    }
    #[inline]
    fn of(p: &Packet, room: Option<u32>) -> Weigher {
        if p.owner != Owner::NONE {
            Weigher::own(p, room)
        } else {
            Weigher::Frames(p.truesize / u32::from(p.segs.max(1)))
        }
    }
    /// What a segment with so much payload weighs.
    #[inline]
    const fn weigh(self, payload: u32) -> u32 {
        match self {
            Weigher::Own { head, room } => truesize::cut(head, payload, room),
            Weigher::Frames(frame) => frame,
        }
    }
}

/// What is left of a super-packet that is cut up: each segment is made when it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Segments {
    whole: Packet,
    weigher: Weigher,
    /// The next one's number, and how many there are.
    next: u16,
    segs: u16,
}

impl Segments {
    /// None.
    pub const fn none() -> Segments {
        let whole = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(0));
        Segments { whole, weigher: Weigher::Frames(0), next: 0, segs: 0 }
    }
    #[inline]
    const fn of(p: &Packet, weigher: Weigher) -> Segments {
        Segments { whole: *p, weigher, next: 0, segs: if p.segs == 0 { 1 } else { p.segs } }
    }
}

impl Iterator for Segments {
    type Item = Packet;
    #[inline]
    fn next(&mut self) -> Option<Packet> {
        if self.next == self.segs {
            return None;
        }
        let (i, mut s) = (self.next, self.whole);
        self.next += 1;
        if self.segs == 1 {
            return Some(s);
        }
        let (mss, last) = (u32::from(s.mss), self.next == self.segs);
        s.segs = 1;
        s.seq = s.seq.wrapping_add(u32::from(i) * mss);
        s.ident = s.ident.wrapping_add(i);
        s.payload = if last { s.payload - u32::from(i) * mss } else { mss };
        s.truesize = self.weigher.weigh(s.payload);
        if !last {
            s.flags &= !(flags::FIN | flags::PSH);
        }
        if i > 0 {
            s.flags &= !flags::CWR;
        }
        Some(s)
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::from(self.segs - self.next);
        (left, Some(left))
    }
}
impl ExactSizeIterator for Segments {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_segments_are_the_super_packet() {
        let mut p = Packet::blank(Kind::Tcp, FlowId(1), NodeId(0), NodeId(1));
        (p.seq, p.payload, p.segs, p.headers) = (u32::MAX - 1447, 3 * 1448 + 100, 4, 52);
        p.mss = 1448;
        p.truesize = 896 + p.payload;
        p.flags = flags::ACK | flags::PSH | flags::CWR;
        let v: Vec<Packet> = gso_segment(&p, None).collect();
        assert_eq!(v.iter().map(|s| s.seq).collect::<Vec<_>>(), [u32::MAX - 1447, 0, 1448, 2896]);
        assert_eq!(v.iter().map(|s| s.payload).collect::<Vec<_>>(), [1448, 1448, 1448, 100]);
        assert!(v.iter().all(|s| s.segs == 1 && s.truesize == 896 + s.payload));
        assert_eq!(v.iter().map(|s| s.flags & flags::PSH).sum::<u8>(), flags::PSH);
        assert_eq!(v[3].flags & flags::PSH, flags::PSH);
        assert_eq!((v[0].flags & flags::CWR, v[1].flags & flags::CWR), (flags::CWR, 0));
        // On a device that cannot gather every segment is copied into 4096 bytes.
        assert!(gso_segment(&p, Some(320)).take(3).all(|s| s.truesize == 4352));
    }
    #[test]
    fn the_weight_is_that_of_the_segments() {
        let mut p = Packet::blank(Kind::Tcp, FlowId(1), NodeId(0), NodeId(1));
        (p.payload, p.segs, p.mss, p.truesize) = (3 * 1448 + 100, 4, 1448, 896 + 3 * 1448 + 100);
        for owner in [Owner(3), Owner::NONE] {
            p.owner = owner;
            for room in [None, Some(320)] {
                assert_eq!(weight(&p, room), segment(&p, room).map(|s| s.truesize).sum(), "{owner:?} {room:?}");
            }
        }
    }
}
