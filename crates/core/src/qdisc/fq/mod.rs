//! Fair queueing by socket that holds each packet until its time: what enforces TCP's pacing.
//!
//! Stands for Linux net/sched/sch_fq.c: [`since_6_7`] with bands and a fast path, [`before_6_7`] without, which paces by itself before 4.20.
//! Differs, in both: D1 no `maxrate`, no rates of sockets that are not TCP's. D2 flows are never collected, so one idle for over
//! 3 s keeps its credit. D3 the refill delay is counted in nanoseconds, not jiffies. D4 the watchdog always takes its whole slack; Linux's
//! fires early if another timer of the host fires within it. D5 a pure ACK that is charged to nobody has a flow of its own beside its socket's.
//! D6 the hash (see `skb`).

pub mod before_6_7;
pub mod since_6_7;
#[cfg(test)]
mod vectors;

use super::pool::{Link, Linked, List, NIL};
use super::skb::{hash, set_ce};
use super::{Discipline, Setup, Told};
use crate::sim::{Bin, Named, Owner, Packet, Span, Time, Verdict};
use before_6_7::Before6_7;
use since_6_7::Since6_7;

crate::params! {
    /// What a user sets of `fq`.
    pub struct Params {
        /// Packets held at most: by each band, before 6.7 by all.
        limit: u32 = 10_000, in 1 => 10_000_000, src "linux@6.12 net/sched/sch_fq.c fq_init";
        /// Packets that a flow holds at most.
        flow_limit: u32 = 100, in 1 => 10_000_000, src "linux@6.12 net/sched/sch_fq.c fq_init";
        /// Bytes that a flow sends in its turn.
        quantum: u32 = 3028, in 256 => 1_048_576, unit "bytes", src "linux@6.12 net/sched/sch_fq.c fq_init: two MTUs";
        /// Bytes that a new flow sends in its first turn.
        initial_quantum: u32 = 15_140, in 0 => 1_048_576, unit "bytes", src "linux@6.12 net/sched/sch_fq.c fq_init: ten MTUs";
        /// A flow idle for longer has a whole quantum again.
        refill_delay: Span = Span::from_ms(40), in Span::ZERO => Span::from_s(100), src "linux@6.12 net/sched/sch_fq.c fq_init";
        /// Marks packets that can be marked and leave later than this after they were due, but for those of the fast path. From 5.0 on.
        ce_threshold: Option<Span> = None, in Some(Span::ZERO) => Some(Span::from_s(1000)), src "linux@6.12 net/sched/sch_fq.c fq_dequeue";
        /// How far ahead a departure time may be; beyond, the packet is dropped. From 5.8 on.
        horizon: Span = Span::from_s(10), in Span::from_us(1) => Span::from_s(1000), src "linux@6.12 net/sched/sch_fq.c fq_init";
        /// How late the watchdog may be. From 5.8 on.
        timer_slack: Span = Span::from_us(10), in Span::ZERO => Span::from_s(1), src "linux@6.12 net/sched/sch_fq.c fq_init";
        /// Packets without a socket hash to this many flows (a power of two).
        orphan_flows: u32 = 1024, in 1 => 65_536, src "linux@6.12 net/sched/sch_fq.c fq_init: orphan_mask";
    }
}

/// Which kernel's it is, as far as they differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Age {
    /// It paces by itself, by its sockets' rates (before 4.20).
    Paces,
    /// It keeps departure times (4.20 to 5.7).
    Keeps,
    /// And has a horizon and a slack (5.8 to 6.6).
    Bounds,
    /// And three bands and a fast path (from 6.7 on).
    #[default]
    Bands,
}

/// What a flow is but for its band.
#[derive(Clone, Debug)]
struct Flow {
    list: List,
    link: Link,
    credit: i32,
    band: u8,
    /// When it was emptied, if it is on no list (`age`).
    detached: Option<Time>,
    time_next_packet: Time,
}

impl Linked for Flow {
    fn link(&mut self) -> &mut Link {
        &mut self.link
    }
}

/// The flows, by socket, and by hash where there is none.
#[derive(Clone, Debug)]
struct Flows {
    seed: u32,
    initial_quantum: i32,
    all: Vec<Flow>,
    of_socket: Vec<u32>,
    of_hash: Vec<u32>,
}

impl Flows {
    fn new(params: &Params, seed: u32) -> Flows {
        Flows {
            seed,
            initial_quantum: params.initial_quantum as i32,
            all: Vec::new(),
            of_socket: Vec::new(),
            of_hash: vec![NIL; params.orphan_flows.next_power_of_two() as usize],
        }
    }

    /// The packet's flow, made if there is none, and whether it was. src: `fq_classify`
    fn classify(&mut self, now: Time, p: &Packet) -> (usize, bool) {
        let slot = if p.owner == Owner::NONE {
            let mask = self.of_hash.len() as u32 - 1;
            &mut self.of_hash[(hash(self.seed, p) & mask) as usize]
        } else {
            let i = usize::from(p.owner.0);
            if i >= self.of_socket.len() {
                self.of_socket.resize(i + 1, NIL);
            }
            &mut self.of_socket[i]
        };
        let new = *slot == NIL;
        if new {
            *slot = self.all.len() as u32;
            self.all.push(Flow {
                list: List::default(),
                link: Link::default(),
                credit: self.initial_quantum,
                band: 0,
                detached: Some(now),
                time_next_packet: Time::ZERO,
            });
        }
        (*slot as usize, new)
    }
}

/// How it is set; `bounds`: it has a slack and a horizon. src: `fq_dump`
fn options(p: &Params, bounds: bool) -> Named {
    let mut named: Named = vec![
        ("limit", p.limit.into()),
        ("flow_limit", p.flow_limit.into()),
        ("orphan_mask", u64::from(p.orphan_flows.next_power_of_two()) - 1),
        ("quantum", p.quantum.into()),
        ("initial_quantum", p.initial_quantum.into()),
        ("refill_delay", p.refill_delay.us() as u64),
    ];
    named.extend(p.ce_threshold.map(|t| ("ce_threshold", t.us() as u64)));
    if bounds {
        named.extend([("timer_slack_ns", p.timer_slack.ns() as u64), ("horizon", p.horizon.us() as u64)]);
    }
    named
}

/// Marks what leaves later than the threshold after it was due; whether it did. What cannot be marked counts, too. src: `fq_dequeue`
fn mark_late(threshold: Option<Span>, late: Span, p: &mut Packet) -> bool {
    let marks = threshold.is_some_and(|t| late > t);
    if marks {
        set_ce(p);
    }
    marks
}

/// As the kernel of the scenario has it.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // a handful of them in a run
pub enum Fq {
    /// See [`Age::Bands`].
    Since6_7(Since6_7),
    /// See the other ages.
    Before6_7(Before6_7),
}

/// Hands a call on.
macro_rules! either {
    ($self:ident, $q:ident => $call:expr) => {
        match $self {
            Fq::Since6_7($q) => $call,
            Fq::Before6_7($q) => $call,
        }
    };
}

impl Discipline for Fq {
    type Params = Params;
    const TIMED: bool = true;
    fn build(setup: &Setup, seed: u32) -> Self {
        match setup.old.fq {
            Age::Bands => Fq::Since6_7(Since6_7::new(setup.fq, seed)),
            age => Fq::Before6_7(Before6_7::new(setup.fq, age, seed)),
        }
    }
    fn enqueue(&mut self, now: Time, p: Packet, bin: &mut impl Bin) -> Verdict {
        either!(self, q => q.enqueue(now, p, bin))
    }
    fn dequeue(&mut self, now: Time, _bin: &mut impl Bin) -> Option<Packet> {
        either!(self, q => q.dequeue(now))
    }
    fn wake_at(&self, _now: Time) -> Option<Time> {
        either!(self, q => q.wake_at())
    }
    /// A band's limit is of its own packets.
    fn park(&mut self, packets: u32, _bytes: u64) {
        if let Fq::Before6_7(q) = self {
            q.park(packets);
        }
    }
    fn paced(&mut self, owner: Owner, rate: u64) {
        if let Fq::Before6_7(q) = self {
            q.paced(owner, rate);
        }
    }
    fn packets(&self) -> u32 {
        either!(self, q => q.packets())
    }
    fn bytes(&self) -> u64 {
        either!(self, q => q.bytes())
    }
    fn dropped(&self) -> u64 {
        either!(self, q => q.dropped())
    }
    fn told(&self) -> Told {
        either!(self, q => q.told())
    }
}
