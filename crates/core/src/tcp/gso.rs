//! How software cuts a super-packet up.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_offload.c `tcp_gso_segment`.

use super::truesize;
use crate::sim::{Owner, Packet, flags};

/// `tcp_gso_segment`: cuts a super-packet into its segments. A packet of one segment comes out as it is. `room`: `None` where the device
/// gathers, so that the payload stays in pages; else each segment is copied behind that much room for headers
/// ([`head_room`](truesize::head_room)). The sum of their truesize replaces the super-packet's: tell the socket by [`Socket::on_gso`].
pub fn gso_segment(p: &Packet, room: Option<u32>) -> impl Iterator<Item = Packet> + use<> {
    let (whole, payload) = (p.truesize, p.payload);
    segments(p, move |part| truesize::cut(whole - payload, part, room))
}

/// The same of whatever a host sends: a socket's own ([`gso_segment`]), or what GRO merged and a router sends on, of which each segment weighs
/// what its frame weighed when it came.
pub fn segment(p: &Packet, room: Option<u32>) -> impl Iterator<Item = Packet> + use<> {
    segments(p, weigher(p, room))
}

/// Truesize of what [`segment`] makes of a super-packet, in all.
pub fn weight(p: &Packet, room: Option<u32>) -> u32 {
    let weigh = weigher(p, room);
    let (mss, others) = (u32::from(p.mss), u32::from(p.segs) - 1);
    others * weigh(mss) + weigh(p.payload - others * mss)
}

/// What a segment with so much payload weighs.
fn weigher(p: &Packet, room: Option<u32>) -> impl Fn(u32) -> u32 + use<> {
    let (own, whole, payload) = (p.owner != Owner::NONE, p.truesize, p.payload);
    let frame = whole / u32::from(p.segs.max(1));
    move |part| if own { truesize::cut(whole - payload, part, room) } else { frame }
}

fn segments<W: Fn(u32) -> u32>(p: &Packet, weigh: W) -> impl Iterator<Item = Packet> + use<W> {
    let p = *p;
    let segs = u32::from(p.segs.max(1));
    let mss = u32::from(p.mss);
    (0..segs).map(move |i| {
        if segs == 1 {
            return p;
        }
        let mut s = p;
        let last = i + 1 == segs;
        s.segs = 1;
        s.seq = p.seq.wrapping_add(i * mss);
        s.ident = p.ident.wrapping_add(i as u16);
        s.payload = if last { p.payload - mss * (segs - 1) } else { mss };
        s.truesize = weigh(s.payload);
        if !last {
            s.flags &= !(flags::FIN | flags::PSH);
        }
        if i > 0 {
            s.flags &= !flags::CWR;
        }
        s
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

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
