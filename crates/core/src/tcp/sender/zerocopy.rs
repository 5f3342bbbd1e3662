//! What a program that sends without a copy is told: which of its sends are through, so that it may use their memory again.
//!
//! Stands for: Linux 6.12 net/core/skbuff.c `__msg_zerocopy_callback`, `skb_zerocopy_notify_extend`; net/ipv4/tcp.c `MSG_ZEROCOPY`.
//! Differs: D1 what a send is told is found when the program looks, not in the instant in which the last of it is acknowledged. D2 devices below
//! copy, as a tun device does.

use crate::tcp::seq::after;
use std::collections::VecDeque;

/// The sends without a copy, counted from 0.
#[derive(Clone, Debug, Default)]
pub struct Zerocopy {
    next: u32,
    /// Where each send that is not through ends, and its number.
    pending: VecDeque<(u32, u32)>,
    /// Numbers of those that are, first and last, as the error queue has them.
    notices: VecDeque<(u32, u32)>,
}

impl Zerocopy {
    /// A send that ends at `end` went into the queue.
    pub fn sent(&mut self, end: u32) {
        self.pending.push_back((end, self.next));
        self.next = self.next.wrapping_add(1);
    }
    /// Everything up to `snd_una` is acknowledged. A notice that was not read grows.
    pub fn acked(&mut self, snd_una: u32) {
        while let Some(&(_, id)) = self.pending.front().filter(|p| !after(p.0, snd_una)) {
            self.pending.pop_front();
            match self.notices.back_mut() {
                Some(n) if n.1.wrapping_add(1) == id => n.1 = id,
                _ => self.notices.push_back((id, id)),
            }
        }
    }
    /// The last number that there is a notice of, if there is a notice.
    pub fn newest(&self) -> Option<u32> {
        self.notices.back().map(|n| n.1)
    }
    /// Takes the oldest notice.
    pub fn take(&mut self) -> Option<(u32, u32)> {
        self.notices.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_grow_until_they_are_read() {
        let mut z = Zerocopy::default();
        for end in [u32::MAX - 10, 5, 100] {
            z.sent(end);
        }
        z.acked(u32::MAX - 11);
        assert_eq!(z.newest(), None);
        z.acked(u32::MAX - 10);
        z.acked(6);
        assert_eq!((z.newest(), z.take(), z.take()), (Some(1), Some((0, 1)), None));
        z.acked(200);
        assert_eq!(z.take(), Some((2, 2)));
    }
}
