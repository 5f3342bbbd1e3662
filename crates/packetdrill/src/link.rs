//! The device below the socket: a tun device that takes every packet at once, as packetdrill's does, or with the qdisc that a script puts
//! on it: `fq`, which keeps departure times, or `tbf`, which keeps a rate and so makes TCP Small Queues work.
//!
//! Stands for: Linux 6.12 drivers/net/tun.c `tun_net_xmit` (it orphans what it takes), net/sched/sch_tbf.c, net/sched/sch_fq.c for one
//! flow. Differs: D1 no timers' slack.

use std::collections::VecDeque;
use wavetank_core::sim::{Freed, Lower, Packet, Rate, Time, Verdict};
use wavetank_core::tcp::{Left, Step, gso_segment};

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
    /// Packets, and whether the tun device has orphaned them already.
    queue: VecDeque<(Packet, bool)>,
    backlog: u32,
    /// Tokens, nanoseconds of the rate, as they were at `stamp`.
    tokens: i64,
    stamp: Time,
    next: Time,
    /// Truesize of what the last call refused, or let go of at once.
    freed: u32,
    /// What was handed down, and what left for the device (`__dev_queue_xmit`, `skb_tx_timestamp`), until the socket is told.
    pub log: Vec<Left>,
    /// Super-packets that the discipline has cut up, until the socket is told.
    pub cut: Vec<Freed>,
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
            freed: 0,
            log: Vec::new(),
            cut: Vec::new(),
        }
    }
    /// Whether `fq` stands here.
    pub fn is_fq(&self) -> bool {
        self.qdisc == Qdisc::Fq
    }
    /// Whether what is handed down now is at the tun device at once, which orphans it.
    fn orphans(&self, now: Time, p: &Packet) -> bool {
        let past = self.queue.back().is_none_or(|q| q.1);
        match self.qdisc {
            Qdisc::None => true,
            Qdisc::Fq => past && p.born <= now,
            _ => false,
        }
    }
    fn note(&mut self, at: Time, step: Step, p: &Packet) {
        if p.payload > 0 {
            let range = (p.seq, p.seq.wrapping_add(p.payload));
            self.log.push(Left { at, step, range, again: p.retransmission });
        }
    }
    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
    /// When it has something to do next.
    pub fn next(&self) -> Time {
        self.next
    }
    /// Lets out what may leave now: packets, and what was freed, whether it left or not.
    pub fn run(&mut self, now: Time) -> (Vec<Packet>, Vec<Freed>) {
        let (mut out, mut freed) = (Vec::new(), Vec::new());
        self.next = Time::NEVER;
        while let Some(&(p, orphaned)) = self.queue.front() {
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
            if !orphaned {
                self.note(now, Step::Sent, &p);
            }
            out.push(p);
            // The socket knew of what was orphaned when it handed it down.
            freed.push(Freed { truesize: if orphaned { 0 } else { p.truesize }, ..(&p).into() });
            self.queue.pop_front();
        }
        (out, freed)
    }
}

impl Lower for Link {
    fn xmit(&mut self, now: Time, p: &Packet) -> Verdict {
        let p = *p;
        self.note(now, Step::Queued, &p);
        if self.qdisc == Qdisc::Full {
            self.freed += p.truesize;
            return Verdict::Drop;
        }
        let Qdisc::Tbf(_, burst, limit) = self.qdisc else {
            self.backlog += p.ip_len();
            let orphaned = self.orphans(now, &p);
            if orphaned {
                self.note(now, Step::Sent, &p);
                self.freed += p.truesize;
            }
            self.queue.push_back((p, orphaned));
            return Verdict::Ok;
        };
        if self.backlog + p.ip_len() > limit {
            self.freed += p.truesize;
            return Verdict::Drop;
        }
        self.backlog += p.ip_len();
        if p.ip_len() <= burst || p.segs == 1 {
            self.queue.push_back((p, false));
        } else {
            let parts = self.queue.len();
            self.queue.extend(gso_segment(&p, None).map(|s| (s, false)));
            self.cut.push(Freed::cut(&p, self.queue.range(parts..).map(|s| s.0.truesize).sum(), false));
        }
        Verdict::Ok
    }
    fn freed(&mut self) -> u32 {
        std::mem::take(&mut self.freed)
    }
}
