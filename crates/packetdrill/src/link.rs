//! The device below the socket: a tun device that takes every packet at once, as packetdrill's does, or with the qdisc that a script puts
//! on it: `fq`, which keeps departure times, or `tbf`, which keeps a rate and so makes TCP Small Queues work.
//!
//! Stands for: Linux 6.12 drivers/net/tun.c `tun_net_xmit` (it orphans what it takes), net/sched/sch_tbf.c, net/sched/sch_fq.c for one
//! flow. Differs: D1 no timers' slack.

use std::collections::VecDeque;
use wavetank_core::sim::{Freed, Lower, Packet, Rate, Time, Verdict};
use wavetank_core::tcp::gso_segment;

/// What stands above the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Qdisc {
    /// Nothing that holds packets.
    #[default]
    None,
    /// A queue without room (`pfifo limit 0`): it refuses everything.
    Full,
    /// `fq`.
    Fq,
    /// `tbf`: a rate, the bucket's bytes, the queue's.
    Tbf(Rate, u32, u32),
}

/// The device.
#[derive(Debug)]
pub struct Link {
    qdisc: Qdisc,
    queue: VecDeque<Packet>,
    backlog: u32,
    /// Tokens, nanoseconds of the rate, as they were at `stamp`.
    tokens: i64,
    stamp: Time,
    next: Time,
    refused: Vec<Packet>,
    /// Truesize of super-packets that were cut, and of what they were cut into.
    pub cut: Vec<(u32, u32)>,
}

impl Link {
    /// A device under `qdisc`.
    pub fn new(qdisc: Qdisc) -> Link {
        let tokens = match qdisc {
            Qdisc::Tbf(r, burst, _) => r.time_for(u64::from(burst)).ns(),
            _ => 0,
        };
        Link {
            qdisc,
            queue: VecDeque::new(),
            backlog: 0,
            tokens,
            stamp: Time::ZERO,
            next: Time::NEVER,
            refused: Vec::new(),
            cut: Vec::new(),
        }
    }
    /// Whether `fq` stands here.
    pub fn is_fq(&self) -> bool {
        self.qdisc == Qdisc::Fq
    }
    /// Whether what is handed down is at the tun device at once, which orphans it.
    pub fn orphans(&self) -> bool {
        self.qdisc == Qdisc::None
    }
    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
    /// When it has something to do next.
    pub fn next(&self) -> Time {
        self.next
    }
    /// Lets out what may leave now: packets, and what was freed without leaving.
    pub fn run(&mut self, now: Time) -> (Vec<Packet>, Vec<Freed>) {
        let lost = self.refused.drain(..).map(|p| Freed::from(&p)).collect();
        let mut out = Vec::new();
        self.next = Time::NEVER;
        while let Some(&p) = self.queue.front() {
            let at = match self.qdisc {
                Qdisc::None | Qdisc::Full => now,
                Qdisc::Fq => p.born,
                Qdisc::Tbf(rate, burst, _) => {
                    let full = rate.time_for(u64::from(burst)).ns();
                    let have = (self.tokens + (now - self.stamp).ns()).min(full);
                    let left = have - rate.time_for(u64::from(p.ip_len())).ns();
                    if left >= 0 {
                        (self.tokens, self.stamp) = (left, now);
                        now
                    } else {
                        Time::from_ns(now.ns() + left.unsigned_abs())
                    }
                }
            };
            if at > now {
                self.next = at;
                break;
            }
            self.backlog -= p.ip_len();
            out.push(p);
            self.queue.pop_front();
        }
        (out, lost)
    }
}

impl Lower for Link {
    fn xmit(&mut self, _now: Time, p: Packet) -> Verdict {
        if self.qdisc == Qdisc::Full {
            self.refused.push(p);
            return Verdict::Drop;
        }
        let Qdisc::Tbf(_, burst, limit) = self.qdisc else {
            self.backlog += p.ip_len();
            self.queue.push_back(p);
            return if self.orphans() { Verdict::Orphaned } else { Verdict::Ok };
        };
        if self.backlog + p.ip_len() > limit {
            self.refused.push(p);
            return Verdict::Drop;
        }
        self.backlog += p.ip_len();
        if p.ip_len() <= burst || p.segs == 1 {
            self.queue.push_back(p);
        } else {
            let parts = self.queue.len();
            self.queue.extend(gso_segment(&p, true));
            self.cut.push((p.truesize, self.queue.range(parts..).map(|s| s.truesize).sum()));
        }
        Verdict::Ok
    }
}
