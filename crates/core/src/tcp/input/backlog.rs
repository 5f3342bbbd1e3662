//! What comes for a socket while a program owns it: it waits until that lets go, and what follows one another is merged.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_ipv4.c `tcp_add_backlog`; net/core/sock.c `__release_sock`.
//! Differs: D1 no limit (`sk_rcvqueues_full`: twice the buffer and more, which the window keeps from being reached); D2 frames that lie in a driver's
//! buffers (without `rx_pages`) are not merged, whatever tail room these have.

use crate::sim::{Packet, flags};
use crate::tcp::seq::before;
use crate::tcp::socket::Socket;
use std::collections::VecDeque;

/// The backlog of a socket.
#[derive(Clone, Debug, Default)]
pub struct Backlog {
    waiting: VecDeque<Packet>,
    /// So many of the first are being taken: nothing is put behind them any more.
    taken: usize,
    /// Page fragments in the last one.
    frags: u32,
}

impl Backlog {
    /// A packet comes for a socket that is owned. True: it is merged into the one before it.
    pub fn add(&mut self, p: &Packet, socket: &Socket) -> bool {
        let frags = socket.rcv.pieces(p.seq, p.payload);
        if self.waiting.len() > self.taken && socket.profile.coalesces_backlog {
            let tail = self.waiting.back_mut().expect("one is waiting");
            // What carries nothing takes no room.
            let room = p.payload == 0 || socket.rcv.takes_fragments(self.frags + frags);
            if room && coalesces(tail, p) {
                self.frags += frags;
                merge(tail, p);
                return true;
            }
        }
        self.frags = frags;
        self.waiting.push_back(*p);
        false
    }

    /// The next that its owner takes, of those that were there when it began with them, before it looks for more.
    pub fn take(&mut self) -> Option<Packet> {
        if self.taken == 0 {
            self.taken = self.waiting.len();
        }
        self.taken = self.taken.saturating_sub(1);
        self.waiting.pop_front()
    }

    /// Nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

/// Whether `p` may follow `tail` in its skb: the next byte, the same DSCP and ECN field, the same options to the bit.
fn coalesces(tail: &Packet, p: &Packet) -> bool {
    let (either, both) = (tail.flags | p.flags, tail.flags & p.flags);
    let alone = flags::SYN | flags::RST;
    let n = usize::from(tail.n_sack);
    tail.seq.wrapping_add(tail.payload).wrapping_add(u32::from(tail.flags & flags::FIN != 0)) == p.seq
        && (tail.dscp, tail.ecn) == (p.dscp, p.ecn)
        && either & alone == 0
        && both & flags::ACK != 0
        && (tail.flags ^ p.flags) & (flags::ECE | flags::CWR) == 0
        && (tail.tsval, tail.tsecr, tail.n_sack) == (p.tsval, p.tsecr, p.n_sack)
        && tail.sack[..n] == p.sack[..n]
}

fn merge(tail: &mut Packet, p: &Packet) {
    let mss = |p: &Packet| if p.segs > 1 { p.mss } else { p.payload as u16 };
    tail.mss = mss(tail).max(mss(p));
    tail.segs = tail.segs.saturating_add(p.segs);
    tail.payload += p.payload;
    if !before(p.ack, tail.ack) {
        (tail.ack, tail.wnd) = (p.ack, p.wnd);
    }
    tail.flags |= p.flags;
    tail.ends_ampdu |= p.ends_ampdu;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};
    use crate::tcp::cc::Cc;
    use crate::tcp::profile::{Profile, V4_19, V6_12};
    use crate::tcp::tests::pair::sender;

    fn segment(i: u32) -> Packet {
        let mut p = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        (p.seq, p.payload, p.flags, p.tsval, p.ack, p.wnd) = (i * 1448, 1448, flags::ACK, 7, 1, 100 + i);
        p
    }

    fn receiver(profile: &'static Profile) -> Socket {
        let mut s = sender(Cc::Reno, profile);
        (s.rcv.per_buffer, s.rcv.advmss, s.rcv.pages) = (17, 1448, true);
        s
    }

    #[test]
    fn what_follows_is_merged_up_to_seventeen_fragments() {
        let (mut b, s) = (Backlog::default(), receiver(&V6_12));
        let merged = (0..20).filter(|&i| b.add(&segment(i), &s)).count();
        assert_eq!(merged, 18, "in two");
        let first = b.take().unwrap();
        assert_eq!((first.payload, first.segs, first.mss, first.wnd), (17 * 1448, 17, 1448, 116));
        assert!(!b.add(&segment(20), &s), "nothing is put behind what is being taken");
        assert!(b.add(&segment(21), &s));
        assert_eq!([b.take(), b.take(), b.take()].map(|p| p.map_or(0, |p| p.segs)), [3, 2, 0]);
    }

    #[test]
    fn what_tells_something_else_is_not_merged() {
        let s = receiver(&V6_12);
        let other: [fn(&mut Packet); 6] = [
            |p| p.seq += 1,
            |p| p.tsval = 8,
            |p| p.flags |= flags::ECE,
            |p| (p.n_sack, p.sack[0]) = (1, (9, 10)),
            |p| p.dscp = 46,
            |p| p.flags |= flags::RST,
        ];
        for change in other {
            let (mut b, mut p) = (Backlog::default(), segment(1));
            change(&mut p);
            assert!(!b.add(&segment(0), &s) && !b.add(&p, &s), "{p:?}");
        }
    }

    #[test]
    fn acknowledgements_become_the_last_of_them() {
        let (mut b, s) = (Backlog::default(), receiver(&V6_12));
        for (ack, wnd) in [(10, 5), (30, 6), (20, 7)] {
            let mut p = segment(0);
            (p.payload, p.ack, p.wnd) = (0, ack, wnd);
            b.add(&p, &s);
        }
        let p = b.take().unwrap();
        assert_eq!((p.ack, p.wnd, p.payload, b.is_empty()), (30, 6, 0, true));
    }

    #[test]
    fn before_5_0_each_waits_for_itself() {
        let (mut b, s) = (Backlog::default(), receiver(&V4_19));
        assert!((0..3).all(|i| !b.add(&segment(i), &s)));
    }
}
