//! TCP Small Queues: how much of a socket's data may wait below it, counted in truesize, in every variant that the papers compare.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_small_queue_check`, `tcp_wfree`; the
//! fixed limits of hard-times figure 6 and bbrp figure 5; CoTSQ (cotsq, Equation 1) as its authors' kernel tree has it
//! (github.com/kronat/linux@12fa68798233, net/ipv4/tcp_output.c `tcp_small_queue_check` and ip-sysctl.txt):
//! `tcp_limit_output_ms` x (`sk_pacing_rate` >> 10), at least `tcp_limit_output_pkt` x truesize, at most `tcp_limit_output_bytes`,
//! negative: off; what is below the socket is compared in truesize.
//! Differs: D1 pure ACKs are not charged (Linux charges 2 bytes each and frees them without waking anybody). D2 that tree is of 4.15 to
//! 4.16, the paper's kernel is 4.14.14: who passes a full small queue is the profile's.

use crate::sim::Time;
use crate::tcp::config::{Params, Tsq as Mode};
use crate::tcp::profile::{Exempt, Profile};
use crate::tcp::rtx::Rtx;
use crate::tcp::tp::{Pacing, Tp};
use crate::tcp::truesize::SkbCost;

/// Rounds of softirqs, after which the rest is ksoftirqd's. src: linux@6.12 kernel/softirq.c
const MAX_SOFTIRQ_RESTART: u32 = 10;

/// What the small queue remembers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tsq {
    /// Truesize of the skbs below the socket (`sk_wmem_alloc` without its base of 1).
    wmem: u32,
    /// Something was held back.
    throttled: bool,
    /// The tasklet is scheduled.
    queued: bool,
    /// So it is since something was freed within a call that sends.
    wakes: bool,
    /// When the tasklet last ran, and how often in that instant.
    ran: (Time, u32),
}

impl Tsq {
    /// Truesize below the socket (`sk_wmem_alloc_get`).
    #[inline]
    pub const fn wmem_alloc(&self) -> u32 {
        self.wmem
    }
    /// An skb goes down.
    #[inline]
    pub fn charge(&mut self, truesize: u32) {
        self.wmem += truesize;
    }
    /// Something is held back: the next freed skb schedules the tasklet.
    pub fn throttle(&mut self) {
        self.throttled = true;
    }

    /// `tcp_small_queue_check`'s comparison: whether so much is below the socket.
    #[inline]
    pub const fn reached(&self, limit: u64) -> bool {
        // sk_wmem_alloc has a base of 1, so that exactly the limit is too much.
        self.wmem as u64 >= limit
    }
    /// A super-packet below was cut into segments whose truesize sums up differently (`tcp_gso_segment`).
    pub fn recharge(&mut self, super_packet: u32, segments: u32) {
        self.wmem = (self.wmem + segments).saturating_sub(super_packet);
    }
    /// `tcp_wfree`: an skb was freed. True: the tasklet is scheduled.
    #[inline]
    pub fn free(&mut self, truesize: u32) -> bool {
        debug_assert!(self.wmem >= truesize, "more freed than charged");
        self.wmem = self.wmem.saturating_sub(truesize);
        if !self.throttled || self.queued {
            return false;
        }
        self.throttled = false;
        self.queued = true;
        true
    }
    /// The same within a call that sends: [`Tsq::wakes_after`] tells of the tasklet. A tasklet that is refused what it sends, and had to hold
    /// a retransmission back before, would wake itself for ever: softirqs that have come round so often are left to ksoftirqd, which wakes
    /// nobody while anything is below the socket.
    pub fn free_within(&mut self, now: Time, truesize: u32) {
        if self.ran == (now, MAX_SOFTIRQ_RESTART) {
            self.wmem -= truesize;
        } else {
            self.wakes |= self.free(truesize);
        }
    }
    /// Whether what was freed within the last call scheduled the tasklet.
    pub fn wakes_after(&mut self) -> bool {
        core::mem::take(&mut self.wakes)
    }
    /// The tasklet runs.
    pub fn runs(&mut self, now: Time) {
        self.queued = false;
        self.ran = (now, if self.ran.0 == now { (self.ran.1 + 1).min(MAX_SOFTIRQ_RESTART) } else { 1 });
    }
}

/// The limit for an skb of this truesize, bytes. None: there is none. `cap`: `tcp_limit_output_bytes`.
#[inline]
pub fn limit(tp: &Tp, p: &Params, profile: &Profile, cost: &SkbCost, cap: u64, truesize: u32) -> Option<u64> {
    match p.tsq {
        Mode::Kernel if profile.limit_is_least => Some((tp.pacing_rate >> 10).max(cap)),
        Mode::Kernel => {
            let limit = (tp.pacing_rate >> tp.pacing_shift).max(2 * u64::from(truesize));
            if tp.pacing_status == Pacing::None || !profile.paced_unlimited {
                Some(limit.min(cap))
            } else {
                Some(limit)
            }
        }
        Mode::Cotsq => {
            let ms = (tp.pacing_rate >> 10).saturating_mul(u64::from(p.tsq_ms));
            let pkts = u64::from(p.tsq_pkts) * u64::from(truesize);
            p.tsq_bytes.map(|b| b.get().min(ms.max(pkts)))
        }
        Mode::Packets => Some(u64::from(p.tsq_pkts) * u64::from(cost.of(tp.mss_cache))),
        Mode::Bytes => p.tsq_bytes.map(|b| b.get()),
        Mode::Off => None,
    }
}

/// Whether an skb passes although the limit is reached; `again`: the segment, if it is a retransmission.
#[inline]
pub fn exempt(profile: &Profile, rtx: &Rtx, again: Option<u32>) -> bool {
    match (profile.exempt, again) {
        (Exempt::Nobody, _) => false,
        (Exempt::Empty, _) => rtx.is_empty(),
        (Exempt::EmptyOrSingle, _) | (Exempt::FirstOrSecond, None) => rtx.at_most_one_skb(),
        (Exempt::FirstOrSecond, Some(id)) => id.wrapping_sub(rtx.first()) < 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::cc::Cc;
    use crate::tcp::profile::{V3_18, V4_14};
    use crate::tcp::tests::pair::sender;

    #[test]
    fn a_tasklet_that_is_refused_does_not_wake_itself_for_ever() {
        let mut t = Tsq::default();
        t.charge(4_000);
        let mut round = |at| {
            t.runs(at);
            t.throttle();
            t.charge(2_000);
            t.free_within(at, 2_000);
            assert_eq!(t.wmem_alloc(), 4_000);
            t.wakes_after()
        };
        let (now, later) = (Time::from_ms(3), Time::from_ms(4));
        assert_eq!((0..20).take_while(|_| round(now)).count(), 9);
        assert!(round(later));
    }

    #[test]
    fn before_3_19_the_limit_is_the_least() {
        // A millisecond at 10 and at 400 Mbyte/s against 128 KiB and 256 KiB.
        for (profile, rate, bytes) in [
            (&V3_18, 10_240_000, 131_072),
            (&V3_18, 409_600_000, 400_000),
            (&V4_14, 10_240_000, 10_000),
            (&V4_14, 409_600_000, 262_144),
        ] {
            let mut s = sender(Cc::Reno, profile);
            s.tp.pacing_rate = rate;
            let cap = u64::from(profile.limit_output_bytes);
            assert_eq!(limit(&s.tp, &s.params, profile, &s.cost, cap, 2_304), Some(bytes), "{}", profile.name);
        }
    }
}
