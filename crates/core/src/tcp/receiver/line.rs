//! The receive queue skb by skb, where a program may read a part of it: what comes from a tun device.
//!
//! Stands for: `sk_receive_queue` of Linux 6.12 as net/ipv4/tcp.c `tcp_recvmsg_locked` walks it: a look at the reader's rate after each skb, and
//! memory freed of those that were read whole (`tcp_eat_recv_skb`); net/core/skbuff.c `skb_try_coalesce` of heads that hand on no page fragments.

use super::ofo::Skb;
use crate::tcp::seq::after;
use std::collections::VecDeque;

/// The skbs that wait.
#[derive(Clone, Debug, Default)]
pub struct Line {
    skbs: VecDeque<Skb>,
    /// Segments that were sent when the last one joined: until another was, packetdrill's packet socket has a copy of it (`skb_cloned`).
    then: u64,
    /// Segments sent until now.
    sent: u64,
    /// Bytes of the headers of the packet that is looked at.
    headers: u32,
}

impl Line {
    /// A packet is looked at, behind so many bytes of headers, when so many segments were sent.
    pub fn hears(&mut self, headers: u32, sent: u64) {
        (self.headers, self.sent) = (headers, sent);
    }
    /// Of the packet that is looked at.
    pub const fn headers(&self) -> u32 {
        self.headers
    }
    /// An skb joins.
    pub fn push(&mut self, skb: Skb) {
        self.skbs.push_back(skb);
        self.then = self.sent;
    }
    /// `tcp_try_coalesce`: [`seq`, `end`) is put behind the last one, if that has room in its head, and no one else has a copy of it.
    pub fn takes(&mut self, seq: u32, end: u32, bytes: u32) -> bool {
        let cloned = self.then == self.sent;
        let Some(last) = self.skbs.back_mut().filter(|s| s.end == seq && !cloned && bytes <= s.room) else {
            return false;
        };
        (last.end, last.room) = (end, last.room - bytes);
        true
    }
    /// All was read.
    pub fn clear(&mut self) {
        self.skbs.clear();
    }
    /// Up to where one look takes what is wanted up to `end`: the first skb's end at most.
    pub fn first(&self, end: u32) -> u32 {
        self.skbs.front().map_or(end, |s| if after(s.end, end) { end } else { s.end })
    }
    /// What lies below `read` leaves. The memory that stays.
    pub fn read(&mut self, read: u32) -> u32 {
        while self.skbs.front().is_some_and(|s| !after(s.end, read)) {
            self.skbs.pop_front();
        }
        self.memory()
    }
    /// The last one is a copy of the kernel's own, which nobody else has.
    pub fn is_new(&mut self) {
        self.then = u64::MAX;
    }
    /// What they take.
    pub fn memory(&self) -> u32 {
        self.skbs.iter().map(|s| s.mem).sum()
    }
    /// To collapse them.
    pub fn skbs(&mut self) -> &mut VecDeque<Skb> {
        &mut self.skbs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skb(seq: u32, end: u32) -> Skb {
        Skb { seq, end, mem: 2_304, tail: 1, skbs: 1, room: 612 }
    }

    #[test]
    fn what_is_read_whole_is_freed() {
        let mut l = Line::default();
        l.push(skb(0, 1_000));
        l.push(skb(1_000, 2_000));
        assert_eq!((l.first(1_500), l.first(400)), (1_000, 400));
        assert_eq!(l.read(999), 4_608);
        assert_eq!(l.read(1_500), 2_304);
        assert_eq!(l.first(2_000), 2_000);
        assert_eq!(l.read(2_000), 0);
    }

    /// 2048 bytes of head hold what is charged for sharing (320), room in front (64), headers (52) and 1000 bytes: 612 are left.
    #[test]
    fn a_short_one_fits_behind_the_last_once_its_copy_is_gone() {
        let mut l = Line::default();
        l.hears(52, 7);
        l.push(skb(0, 1_000));
        assert!(!l.takes(1_000, 1_100, 100), "the packet socket has a copy");
        l.hears(52, 8);
        assert!(!l.takes(1_100, 1_200, 100), "it does not follow");
        assert!(!l.takes(1_000, 1_613, 613));
        assert!(l.takes(1_000, 1_600, 600));
        assert!(!l.takes(1_600, 1_613, 13), "12 are left");
        assert_eq!((l.memory(), l.first(5_000)), (2_304, 1_600));
    }
}
