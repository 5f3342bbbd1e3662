//! What a user sets of `netem`: `tc`'s options.

use super::distribution::Distribution;
use crate::sim::{Rate, Span};

crate::params! {
    /// What a user sets of `netem`.
    pub struct Params {
        /// Delay of every packet. In a wired topology netem stands at the server, on the way back: what the client sends meets none of `[netem]`.
        delay: Span = Span::ZERO, in Span::ZERO => Span::from_s(100), src "linux@6.12 net/sched/sch_netem.c netem_init: no delay";
        /// How far a packet's own delay is from `delay`, as `distribution` has it: evenly from so much less to so much more, or by tables whose standard deviation this is (Pareto's, cut off, have 0.82 of it); who has less overtakes.
        jitter: Span = Span::ZERO, in Span::ZERO => Span::from_s(2), src "linux@6.12 net/sched/sch_netem.c tabledist";
        /// How much each delay's random number is the one before; needs a `jitter`. It also makes delays crowd around their mean.
        delay_correlation: f64 = 0.0, in 0.0 => 1.0, src "linux@6.12 net/sched/sch_netem.c get_crandom";
        /// How delays spread; needs a `delay` and a `jitter`, but for `uniform`.
        distribution: Distribution = Distribution::Uniform, src "linux@6.12 net/sched/sch_netem.c tabledist; iproute2 tc/q_netem.c get_distribution";
        /// Probability that a packet is lost: what would be one frame, or a super-packet whole.
        loss: f64 = 0.0, in 0.0 => 1.0, src "linux@6.12 net/sched/sch_netem.c loss_event: CLG_RANDOM";
        /// How much each loss's random number is the one before; needs a `loss`. Fewer are lost then than `loss` says, where that is below a half: the numbers crowd around the middle.
        loss_correlation: f64 = 0.0, in 0.0 => 1.0, src "linux@6.12 net/sched/sch_netem.c get_crandom";
        /// Gilbert's and Elliott's channel instead of `loss`: probability, packet by packet, that it turns bad.
        gemodel_p: Option<f64> = None, in Some(0.0) => Some(1.0), src "linux@6.12 net/sched/sch_netem.c loss_gilb_ell";
        /// Probability that it turns good again.
        gemodel_r: f64 = 1.0, in 0.0 => 1.0, src "iproute2 tc/q_netem.c netem_parse_opt";
        /// Probability that a packet is lost while it is bad (1-h).
        gemodel_1h: f64 = 1.0, in 0.0 => 1.0, src "iproute2 tc/q_netem.c netem_parse_opt";
        /// Probability that a packet is lost while it is good (1-k).
        gemodel_1k: f64 = 0.0, in 0.0 => 1.0, src "iproute2 tc/q_netem.c netem_parse_opt";
        /// What would be lost is marked "congestion experienced" instead, if its transport is capable of ECN; needs a `loss` or a `gemodel_p`.
        ecn: bool = false, src "linux@6.12 net/sched/sch_netem.c netem_enqueue";
        /// Probability that a packet comes twice: a second one goes through all of this before it, but is not doubled again.
        duplicate: f64 = 0.0, in 0.0 => 1.0, src "linux@6.12 net/sched/sch_netem.c netem_enqueue";
        /// How much the random number of each such is the one before; needs a `duplicate`.
        duplicate_correlation: f64 = 0.0, in 0.0 => 1.0, src "linux@6.12 net/sched/sch_netem.c get_crandom";
        /// Probability that a packet has no delay, and so overtakes those that have one; needs a `delay`.
        reorder: f64 = 0.0, in 0.0 => 1.0, src "linux@6.12 net/sched/sch_netem.c netem_enqueue: get_crandom(&q->reorder_cor)";
        /// How much the random number of each such is the one before; needs a `reorder`.
        reorder_correlation: f64 = 0.0, in 0.0 => 1.0, src "linux@6.12 net/sched/sch_netem.c get_crandom";
        /// Only after so many less one that were delayed may one overtake.
        gap: u32 = 1, in 1 => 1_000_000, src "iproute2 tc/q_netem.c netem_parse_opt: 1, with `reorder`";
        /// Rate of the link: each packet leaves so long after the last one in the queue, or after its delay if that is later.
        rate: Option<Rate> = None, in Some(Rate::from_kbit(8)) => Some(Rate::from_mbit(100_000)), src "linux@6.12 net/sched/sch_netem.c netem_enqueue, packet_time_ns";
        /// Bytes that `rate` counts for each packet beyond its Ethernet frame without FCS (below zero: fewer); a super-packet has them once. Needs a `rate`.
        rate_overhead: i64 = 0, in -14 => 256, unit "bytes", src "linux@6.12 net/sched/sch_netem.c packet_time_ns";
        /// Packets that the queue holds at most; later ones are dropped.
        limit: u32 = 1000, in 1 => 10_000_000, src "iproute2 tc/q_netem.c netem_parse_opt";
    }
}

impl Params {
    /// Whether anything happens to a packet.
    pub fn alters(&self) -> bool {
        self.delays() || self.loss > 0.0 || self.gemodel_p.is_some() || self.duplicate > 0.0
    }
    /// Whether a packet may have to wait. src: linux@6.12 net/sched/sch_netem.c netem_enqueue: q->latency || q->jitter || q->rate
    pub fn delays(&self) -> bool {
        self.delay + self.jitter > Span::ZERO || self.rate.is_some()
    }
}
