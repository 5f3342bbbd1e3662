//! Generic receive offload: frames of one poll that follow each other in a TCP stream go up as one packet.
//!
//! Enters: frames in the order of the ring. Leaves: the same bytes, in order within a flow, in fewer packets.
//! Stands for: linux@6.12 net/core/gro.c dev_gro_receive, skb_gro_receive, napi_gro_flush; net/ipv4/tcp_offload.c tcp_gro_receive;
//! net/ipv4/af_inet.c inet_gro_receive. The rules are the same in 4.14 (net/core/dev.c).
//! Differs: D1 a last segment that is shorter goes up behind what it continues, in the same instant, instead of in it (a packet here is
//! whole segments); D2 one list of eight, as before 4.19; since then eight lists by hash, so that more than eight flows in one poll
//! do not push each other out; D3 what the application's batch of 5.4 on (`gro_normal_batch`) delays goes up at once.

use crate::sim::{Kind, Packet, Time, flags};
use std::collections::VecDeque;

/// Packets that are held at once. src: linux@6.12 net/core/gro.c MAX_GRO_SKBS
const MAX_HELD: usize = 8;
/// A merged packet stays below this with its headers, bytes. src: linux@6.12 include/linux/netdevice.h GRO_LEGACY_MAX_SIZE
const MAX_SIZE: u32 = 65_536;
/// A segment that goes up with what it was merged into, and alone if there is nothing.
/// src: linux@6.12 net/ipv4/tcp_offload.c tcp_gro_receive, out_check_final
const ENDS: u8 = flags::PSH | flags::SYN | flags::FIN;

/// What a poll holds back.
#[derive(Clone, Debug)]
pub struct Gro {
    /// Places in the ring, oldest first.
    held: Vec<usize>,
}

impl Default for Gro {
    fn default() -> Self {
        Gro { held: Vec::with_capacity(MAX_HELD) }
    }
}

impl Gro {
    /// One poll over the first `n` frames of `ring`, which leave it. `up` gets what goes up, and how many frames had been looked at then.
    /// Returns how many frames went into another packet.
    pub fn poll(&mut self, ring: &mut VecDeque<(Time, Packet)>, n: usize, mut up: impl FnMut(usize, &Packet)) -> u64 {
        if n == 1 {
            // Alone, whatever it is, it goes up when it has been looked at.
            up(1, &ring[0].1);
            ring.pop_front();
            return 0;
        }
        // A row: each frame is held against others of it. Few stand in the ring, and it is seldom one that goes round its end.
        let frames = &mut ring.make_contiguous()[..n];
        let mut merged = 0;
        for i in 0..n {
            merged += u64::from(self.receive(frames, i, &mut up));
        }
        self.held.iter().for_each(|&h| up(n, &frames[h].1));
        self.held.clear();
        ring.drain(..n);
        merged
    }

    /// Frame `i`. True: it is part of another packet now.
    #[inline]
    fn receive(&mut self, frames: &mut [(Time, Packet)], i: usize, up: &mut impl FnMut(usize, &Packet)) -> bool {
        let p = &frames[i].1;
        let (payload, truesize, ringed, ends) = (p.payload, p.truesize, p.ringed, p.flags & ENDS);
        if p.kind != Kind::Tcp {
            up(i + 1, p);
            return false;
        }
        let same_flow = |h: &Packet| h.flow == p.flow && h.src == p.src;
        if let Some(k) = self.held.iter().position(|&h| same_flow(&frames[h].1)) {
            let h = self.held[k];
            let merged = continues(&frames[h].1, p);
            if merged {
                let h = &mut frames[h].1;
                h.mss = payload as u16; // all its segments are of one size
                h.payload += payload;
                h.segs += 1;
                h.ringed = h.ringed.saturating_add(ringed);
                h.truesize += truesize;
                h.flags |= ends;
            }
            if !merged || ends != 0 {
                self.held.remove(k);
                up(i + 1, &frames[h].1);
            }
            if merged {
                return true;
            }
        }
        if payload == 0 || ends != 0 {
            up(i + 1, &frames[i].1);
            return false;
        }
        if self.held.len() == MAX_HELD {
            up(i + 1, &frames[self.held.remove(0)].1);
        }
        self.held.push(i);
        false
    }
}

/// Whether `p` is the next segment of `h`: same acknowledgement, window and options, the next byte, the next IP identification, the same size.
fn continues(h: &Packet, p: &Packet) -> bool {
    let same_header = h.ack == p.ack
        && h.wnd == p.wnd
        && h.headers == p.headers
        && (h.tsval, h.tsecr) == (p.tsval, p.tsecr)
        && h.n_sack == p.n_sack
        && h.sack[..usize::from(h.n_sack)] == p.sack[..usize::from(p.n_sack)]
        && (h.dscp, h.ecn) == (p.dscp, p.ecn)
        && (h.flags ^ p.flags) & !(ENDS | flags::CWR) == 0
        && p.flags & flags::CWR == 0;
    let mss = h.payload / u32::from(h.segs);
    same_header
        && p.ident == h.ident.wrapping_add(h.segs) // src: linux@6.12 include/net/gro.h inet_gro_flush; a Linux sender counts
        && p.payload == mss
        && p.segs == 1
        && h.seq.wrapping_add(h.payload) == p.seq
        && h.payload + p.payload + u32::from(h.headers) < MAX_SIZE
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Ecn, FlowId, NodeId};

    fn seg(flow: u16, n: u32) -> Packet {
        let mut p = Packet::blank(Kind::Tcp, FlowId(flow), NodeId(0), NodeId(1));
        (p.seq, p.payload, p.headers, p.flags, p.truesize) = (n * 1448, 1448, 52, flags::ACK, 2304);
        (p.wnd, p.tsval, p.ident) = (65_535, 7, n as u16);
        p
    }

    /// Runs one poll: what came up, each after how many frames, and how many frames were merged.
    fn run(frames: &[Packet]) -> (Vec<(usize, Packet)>, u64) {
        let mut ring: VecDeque<(Time, Packet)> = frames.iter().map(|p| (Time::ZERO, *p)).collect();
        let mut up = Vec::new();
        let merged = Gro::default().poll(&mut ring, frames.len(), |n, p| up.push((n, *p)));
        assert!(ring.is_empty());
        (up, merged)
    }
    /// The same as (flow, sequence number in segments, segments).
    fn poll(frames: &[Packet]) -> Vec<(u16, u32, u16)> {
        run(frames).0.iter().map(|(_, p)| (p.flow.0, p.seq / 1448, p.segs)).collect()
    }

    #[test]
    fn a_run_of_one_flow_is_one_packet() {
        let frames: Vec<Packet> = (0..5).map(|n| seg(0, n)).collect();
        let (up, merged) = run(&frames);
        assert_eq!((merged, up.len()), (4, 1), "the first is held, four join it");
        let (after, p) = up[0];
        assert_eq!((after, p.segs, p.payload, p.truesize), (5, 5, 5 * 1448, 5 * 2304));
    }

    #[test]
    fn flows_that_alternate_are_merged_each_on_its_own() {
        let frames: Vec<Packet> = (0..6).map(|n| seg(n as u16 % 2, n / 2)).collect();
        assert_eq!(poll(&frames), [(0, 0, 3), (1, 0, 3)]);
    }

    #[test]
    fn whatever_differs_ends_the_packet() {
        let change: [fn(&mut Packet); 8] = [
            |p| p.ack += 1,
            |p| p.wnd -= 1,
            |p| p.tsval += 1,
            |p| (p.n_sack, p.sack[0]) = (1, (1, 2)),
            |p| p.ecn = Ecn::Ce,
            |p| p.flags |= flags::CWR,
            |p| p.seq += 1448,
            |p| p.ident += 1, // sent again, or after something else
        ];
        for (i, f) in change.iter().enumerate() {
            let mut frames: Vec<Packet> = (0..3).map(|n| seg(0, n)).collect();
            f(&mut frames[1]);
            assert_eq!(poll(&frames)[0], (0, 0, 1), "change {i}: the first segment goes up alone");
        }
    }

    #[test]
    fn a_push_takes_its_packet_up_at_once() {
        let mut frames: Vec<Packet> = (0..4).map(|n| seg(0, n)).collect();
        frames[1].flags |= flags::PSH;
        let (after, p) = run(&frames).0[0];
        assert_eq!((after, p.segs, p.flags & flags::PSH), (2, 2, flags::PSH));
        assert_eq!(poll(&frames), [(0, 0, 2), (0, 2, 2)]);
        frames[0].flags |= flags::PSH;
        assert_eq!(poll(&frames)[..2], [(0, 0, 1), (0, 1, 1)], "alone, it is not held");
    }

    #[test]
    fn pure_acks_and_pings_are_not_held_and_acks_release_their_flow() {
        let mut ack = seg(0, 1);
        ack.payload = 0;
        let ping = Packet::blank(Kind::EchoRequest, FlowId(9), NodeId(0), NodeId(1));
        assert_eq!(poll(&[ack, ack]), [(0, 1, 1), (0, 1, 1)]);
        assert_eq!(poll(&[seg(0, 0), ping, seg(0, 1)]), [(9, 0, 1), (0, 0, 2)], "a ping overtakes what is held");
        assert_eq!(poll(&[seg(0, 0), ack, seg(0, 1)]), [(0, 0, 1), (0, 1, 1), (0, 1, 1)]);
    }

    #[test]
    fn the_ninth_flow_pushes_the_oldest_out_and_64_kib_is_full() {
        let frames: Vec<Packet> = (0..9).map(|f| seg(f, 0)).collect();
        assert_eq!(poll(&frames)[0], (0, 0, 1));
        let frames: Vec<Packet> = (0..50).map(|n| seg(0, n)).collect();
        assert_eq!(poll(&frames), [(0, 0, 45), (0, 45, 5)], "45 x 1448 + 52 is 65212, one more is too much");
    }
}
