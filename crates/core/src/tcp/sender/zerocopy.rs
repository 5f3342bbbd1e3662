//! Sends without a copy: which of them are through, so that the program may use their memory again.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp.c `MSG_ZEROCOPY`; net/core/skbuff.c `msg_zerocopy_realloc`. Differs: D1 devices below copy, as a tun
//! device does.

use crate::tcp::seq::after;
use std::collections::VecDeque;

/// The sends without a copy, counted from 0.
#[derive(Clone, Debug, Default)]
pub struct Zerocopy {
    next: u32,
    /// Where each send that is not through ends, and its number.
    pending: VecDeque<(u32, u32)>,
    /// Where skbs end since they take no more buffers, in order, of the send under way.
    pub cuts: VecDeque<u32>,
}

impl Zerocopy {
    /// A send that ends at `end` went into the queue.
    pub fn sent(&mut self, end: u32) {
        self.pending.push_back((end, self.next));
        self.next = self.next.wrapping_add(1);
    }
    /// Some are not through.
    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }
    /// Where the first send ends, if it is through.
    pub fn first_through(&self, snd_una: u32) -> Option<u32> {
        self.pending.front().map(|p| p.0).filter(|end| !after(*end, snd_una))
    }
    /// Forgets it: its number.
    pub fn forget(&mut self) -> u32 {
        self.pending.pop_front().map_or(0, |p| p.1)
    }
}
