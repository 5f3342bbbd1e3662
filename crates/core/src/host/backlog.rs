//! What a veth pair hands to a host's CPU in one instant: so many packets a round of softirqs, and between rounds its tasklets run.
//!
//! Enters: a packet's arrival. Leaves: whether it goes up now, or how many of those that wait do when the next round begins.
//! Stands for: linux@6.12 net/core/dev.c `process_backlog` (64 packets a poll, `dev_rx_weight`), `net_rx_action` (polls until
//! `netdev_budget`, 300 packets, is spent), kernel/softirq.c `handle_softirqs`: what is left waits until tasklets have run.
//! It matters where a burst finds a queue nearly full: a driver's worker or tasklet takes packets out of it in the middle of the burst.
//! Differs: D1 no limit (`netdev_max_backlog`); D2 rounds go on until nothing is left (in Linux `ksoftirqd` goes on after ten).

use crate::sim::Time;
use std::collections::VecDeque;

/// Packets of a poll.
const WEIGHT: u32 = 64;
/// Packets after which no further poll begins.
const BUDGET: u32 = 300;
/// Packets of a round.
const ROUND: u32 = BUDGET.div_ceil(WEIGHT) * WEIGHT;

/// The backlog of a host's CPU.
#[derive(Clone, Debug, Default)]
pub struct Backlog {
    /// When the latest packet came.
    at: Time,
    /// Packets of that instant's round that have gone up.
    served: u32,
    /// The ports of those that wait for the next one.
    waiting: VecDeque<u16>,
}

/// When a packet goes up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Now.
    Now,
    /// In the next round: call [`Backlog::next_round`] when tasklets have run.
    Next,
    /// With or after others that wait.
    Behind,
}

impl Backlog {
    /// A packet has come out of `port`.
    #[inline]
    pub fn arrive(&mut self, now: Time, port: u16) -> Turn {
        if now != self.at {
            (self.at, self.served) = (now, 0);
        }
        if self.served < ROUND {
            self.served += 1;
            return Turn::Now;
        }
        self.waiting.push_back(port);
        if self.waiting.len() == 1 { Turn::Next } else { Turn::Behind }
    }

    /// The next round begins: the ports of its first packets, which then arrive anew, in this order. True: others wait for one more.
    pub fn next_round(&mut self, mut arrives: impl FnMut(u16)) -> bool {
        self.served = 0;
        let n = self.waiting.len().min(ROUND as usize);
        self.waiting.drain(..n).for_each(&mut arrives);
        !self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_five_polls_and_order_is_kept() {
        let (mut b, now) = (Backlog::default(), Time::from_us(7));
        let turns: Vec<_> = (0..700).map(|i| b.arrive(now, i)).collect();
        assert_eq!(turns.iter().filter(|t| **t == Turn::Now).count(), 320);
        assert_eq!((turns[319], turns[320], turns[321]), (Turn::Now, Turn::Next, Turn::Behind));
        let mut came = vec![];
        assert!(b.next_round(|i| came.push(i)), "60 wait for the third round");
        assert_eq!(came, (320..640).collect::<Vec<_>>());
        assert!(came.iter().all(|&i| b.arrive(now, i) == Turn::Now));
        assert_eq!(b.arrive(now, 700), Turn::Behind, "behind the 60");
    }

    #[test]
    fn another_instant_has_a_round_of_its_own() {
        let mut b = Backlog::default();
        (0..320).for_each(|i| assert_eq!(b.arrive(Time::ZERO, i), Turn::Now));
        assert_eq!(b.arrive(Time::from_us(1), 0), Turn::Now);
    }
}
