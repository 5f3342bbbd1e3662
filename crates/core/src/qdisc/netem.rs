//! A fixed delay: every packet leaves `delay` after it came.
//!
//! Stands for: Linux 6.12 net/sched/sch_netem.c with `delay` and `limit` only. Differs: D1 no jitter, loss, duplication,
//! reordering, corruption, rate or slots. D2 `skb_orphan_partial` is `net`'s: [`Discipline::orphans`] says when a packet
//! is to be freed from its socket before it is handed in (with a delay: always, but for pure ACKs).

use super::{Discipline, Setup, Told};
use crate::sim::{Bin, Packet, Place, Reason, Span, Time, Verdict};
use std::collections::VecDeque;

crate::params! {
    /// What a user sets of `netem`.
    pub struct Params {
        /// Delay of every packet.
        delay: Span = Span::ZERO, in Span::ZERO => Span::from_s(100), src "linux@6.12 net/sched/sch_netem.c netem_init: no delay";
        /// Packets that the queue holds at most; later ones are dropped.
        limit: u32 = 1000, in 1 => 10_000_000, src "iproute2 tc/q_netem.c netem_parse_opt";
    }
}

/// A delay line.
#[derive(Clone, Debug)]
pub struct Netem {
    delay: Span,
    limit: usize,
    q: VecDeque<Packet>,
    bytes: u64,
    dropped: u64,
    /// Packets that stand before it.
    parked: usize,
}

impl Discipline for Netem {
    type Params = Params;
    const TIMED: bool = true;
    fn build(setup: &Setup, _seed: u32) -> Self {
        let Params { delay, limit } = setup.netem;
        Netem { delay, limit: limit as usize, q: VecDeque::new(), bytes: 0, dropped: 0, parked: 0 }
    }
    #[inline]
    fn enqueue(&mut self, now: Time, mut p: Packet, bin: &mut impl Bin) -> Verdict {
        if self.q.len() + self.parked >= self.limit {
            self.dropped += 1;
            bin.drop(p, Place::Qdisc, Reason::Overlimit);
            return Verdict::Drop;
        }
        p.enqueued = now;
        self.bytes += u64::from(p.eth_len());
        self.q.push_back(p);
        Verdict::Ok
    }
    #[inline]
    fn dequeue(&mut self, now: Time, _bin: &mut impl Bin) -> Option<Packet> {
        if self.q.front()?.enqueued + self.delay > now {
            return None;
        }
        let p = self.q.pop_front()?;
        self.bytes -= u64::from(p.eth_len());
        Some(p)
    }
    fn park(&mut self, packets: u32, _bytes: u64) {
        self.parked = packets as usize;
    }
    #[inline]
    fn wake_at(&self, _now: Time) -> Option<Time> {
        self.q.front().map(|p| p.enqueued + self.delay)
    }
    /// src: linux@6.12 net/core/sock.c `skb_orphan_partial`
    fn orphans(&self, p: &Packet) -> bool {
        self.delay > Span::ZERO && !p.is_pure_ack()
    }
    fn packets(&self) -> u32 {
        self.q.len() as u32
    }
    fn bytes(&self) -> u64 {
        self.bytes
    }
    fn dropped(&self) -> u64 {
        self.dropped
    }
    fn told(&self) -> Told {
        let options = vec![("limit", self.limit as u64), ("delay", self.delay.us() as u64)];
        Told { options, ..Told::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::battery::packet;
    use super::*;

    #[test]
    fn leaves_at_the_nanosecond() {
        let mut setup = Setup::default();
        (setup.netem.delay, setup.netem.limit) = (Span::from_ms(10), 2);
        let (mut q, mut bin) = (Netem::build(&setup, 0), Vec::new());
        let t = Time::from_us(3);
        assert_eq!(q.enqueue(t, packet(0, 0, 0), &mut bin), Verdict::Ok);
        assert_eq!(q.enqueue(t + Span::from_ns(1), packet(0, 1, 0), &mut bin), Verdict::Ok);
        assert_eq!(q.enqueue(t, packet(0, 2, 0), &mut bin), Verdict::Drop);
        assert_eq!(q.wake_at(t), Some(t + Span::from_ms(10)));
        assert!(q.dequeue(t + Span::from_ns(9_999_999), &mut bin).is_none());
        assert_eq!(q.dequeue(t + Span::from_ms(10), &mut bin).map(|p| p.seq), Some(0));
        assert_eq!(q.wake_at(t), Some(t + Span::from_ns(10_000_001)));
    }
}
