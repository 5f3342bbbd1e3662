//! The receive queue skb by skb, where a program may read a part of it: what comes from a tun device.
//!
//! Stands for: `sk_receive_queue` of Linux 6.12 as net/ipv4/tcp.c `tcp_recvmsg_locked` walks it: a look at the reader's rate after each skb, and
//! memory freed of those that were read whole (`tcp_eat_recv_skb`).
//! Differs: D1 what was collapsed (`collapse.rs`) is not followed: a part that is read frees the same part of the memory then.

use crate::tcp::seq::after;
use std::collections::VecDeque;

/// The skbs that wait, by where each ends, with its truesize.
#[derive(Clone, Debug, Default)]
pub struct Line(VecDeque<(u32, u32)>);

impl Line {
    /// An skb joins.
    pub fn push(&mut self, end: u32, mem: u32) {
        self.0.push_back((end, mem));
    }
    /// All was read.
    pub fn clear(&mut self) {
        self.0.clear();
    }
    /// Up to where one look takes what is wanted up to `end`: the first skb's end at most.
    pub fn first(&self, end: u32) -> u32 {
        self.0.front().map_or(end, |&(e, _)| if after(e, end) { end } else { e })
    }
    /// What lies below `read` leaves. The memory that stays, of `memory`; none, if that is not what these took.
    pub fn read(&mut self, read: u32, memory: u32) -> Option<u32> {
        let known = self.0.iter().map(|s| s.1).sum::<u32>() == memory;
        while self.0.front().is_some_and(|s| !after(s.0, read)) {
            self.0.pop_front();
        }
        known.then(|| self.0.iter().map(|s| s.1).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_whole_is_freed() {
        let mut l = Line::default();
        l.push(1_000, 2_304);
        l.push(2_000, 2_304);
        assert_eq!((l.first(1_500), l.first(400)), (1_000, 400));
        assert_eq!(l.read(999, 4_608), Some(4_608));
        assert_eq!(l.read(1_500, 4_608), Some(2_304));
        assert_eq!(l.first(2_000), 2_000);
        assert_eq!(l.read(2_000, 2_000), None, "it was collapsed");
    }
}
