//! The error queue: what a program is told of its sends, in the order in which it happened.
//!
//! Stands for: Linux 6.12 `sk->sk_error_queue`; net/core/skbuff.c `__skb_complete_tx_timestamp`, `__msg_zerocopy_callback`,
//! `skb_zerocopy_notify_extend`. Differs: D1 notices cost nothing of the receive buffer; D2 of one skb with several sends the notices of those
//! that went without a copy may come before its time stamp.

use super::stamps::{Stamps, Step};
use super::zerocopy::Zerocopy;
use crate::sim::Time;
use crate::tcp::seq::before;
use std::collections::VecDeque;

/// What is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice {
    /// Sends without a copy are through, from the first to the last number.
    Through(u32, u32),
    /// A byte has come so far, then (`SCM_TIMESTAMPING`).
    Stamp(Step, u32, Time),
}

/// A packet has come to a step below the socket.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    /// When.
    pub at: Time,
    /// Which.
    pub step: Step,
    /// Its first sequence number, and one past the last of its payload.
    pub range: (u32, u32),
    /// It is a retransmission.
    pub again: bool,
}

/// The queue, and what it is made of.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Sends without a copy.
    pub zerocopy: Zerocopy,
    /// Time stamps.
    pub stamps: Stamps,
    queue: VecDeque<Notice>,
    /// How often somebody was woken for it (`sk_error_report`).
    pub reports: u32,
}

impl Told {
    /// Everything up to `snd_una` is acknowledged.
    pub fn acked(&mut self, now: Time, snd_una: u32) {
        loop {
            let (end, key) = (self.zerocopy.first_through(snd_una), self.stamps.first_acked(snd_una));
            match (end, key) {
                (None, None) => return,
                (Some(end), key) if key.is_none_or(|k| !before(k, end)) => {
                    let id = self.zerocopy.forget();
                    self.through(id);
                }
                (_, Some(key)) => {
                    if self.stamps.forget() {
                        self.stamp(Step::Acked, key, now);
                    }
                }
                (Some(_), None) => unreachable!("without a key it is the first"),
            }
        }
    }
    /// A packet has come to a step below.
    pub fn left(&mut self, l: &Left) {
        if let Some(key) = self.stamps.reached(l.step, l.range.0, l.range.1, l.again) {
            self.stamp(l.step, key, l.at);
        }
    }
    fn stamp(&mut self, step: Step, key: u32, at: Time) {
        self.queue.push_back(Notice::Stamp(step, self.stamps.number(key), at));
        self.reports += 1;
    }
    /// A notice that was not read, and is the last, grows.
    fn through(&mut self, id: u32) {
        match self.queue.back_mut() {
            Some(Notice::Through(_, last)) if last.wrapping_add(1) == id => *last = id,
            _ => self.queue.push_back(Notice::Through(id, id)),
        }
        self.reports += 1;
    }
    /// Whether there is a notice.
    pub fn any(&self) -> bool {
        !self.queue.is_empty()
    }
    /// Takes the oldest notice.
    pub fn take(&mut self) -> Option<Notice> {
        self.queue.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::super::stamps::sof;
    use super::*;

    #[test]
    fn notices_grow_until_they_are_read() {
        let mut t = Told::default();
        for end in [u32::MAX - 10, 5, 100] {
            t.zerocopy.sent(end);
        }
        t.acked(Time::ZERO, u32::MAX - 11);
        assert!(!t.any());
        t.acked(Time::ZERO, u32::MAX - 10);
        t.acked(Time::ZERO, 6);
        assert_eq!((t.reports, t.take(), t.take()), (2, Some(Notice::Through(0, 1)), None));
        t.acked(Time::ZERO, 200);
        assert_eq!(t.take(), Some(Notice::Through(2, 2)));
    }

    #[test]
    fn a_time_stamp_stands_between_what_is_through() {
        let mut t = Told::default();
        assert!(t.stamps.set(sof::TX_ACK | sof::TX_SCHED | sof::OPT_ID, true, 0, 0));
        for end in [100, 200] {
            t.zerocopy.sent(end);
            t.stamps.wrote(end - 100, end, false);
        }
        let at = Time::from_ms(1);
        t.left(&Left { at, step: Step::Queued, range: (0, 200), again: false });
        t.acked(at, 200);
        let all: Vec<Notice> = std::iter::from_fn(|| t.take()).collect();
        let stamp = |step, n| Notice::Stamp(step, n, at);
        assert_eq!(
            all,
            [
                stamp(Step::Queued, 99),
                stamp(Step::Acked, 99),
                Notice::Through(0, 0),
                stamp(Step::Acked, 199),
                Notice::Through(1, 1)
            ]
        );
    }
}
