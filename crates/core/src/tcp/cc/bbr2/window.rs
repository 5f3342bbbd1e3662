//! What BBR v2's model comes to: pacing rate, window, size of an skb.
//!
//! Stands for: google/bbr@v2alpha net/ipv4/tcp_bbr2.c `bbr_set_pacing_rate`, `bbr_tso_segs_generic`, `bbr_quantization_budget`, `bbr_set_cwnd`,
//! `bbr_packets_in_net_at_edt`.

use super::super::bbr::{BW_SCALE, UNIT};
use super::{Bbr2, Mode, Phase, v1};
use crate::tcp::tp::Tp;

/// Least window, segments. src: google/bbr@v2alpha net/ipv4/tcp_bbr2.c bbr_cwnd_min_target
pub(super) const CWND_MIN: u32 = 4;
/// `GSO_MAX_SIZE` of its kernels, bytes. src: linux@5.13 include/linux/netdevice.h
const GSO_MAX_SIZE: u64 = 65_536;
/// What an skb's size leaves for headers, and one. src: google/bbr@v2alpha net/ipv4/tcp_bbr2.c bbr_tso_segs_generic
const HEADERS: u64 = GSO_MAX_SIZE - v1::GSO_MAX;

impl Bbr2 {
    /// The first window a round trip, at Startup's gain.
    pub(super) fn first_pacing_rate(&mut self, tp: &mut Tp) {
        let bw = v1::first_bw(tp, &mut self.has_seen_rtt);
        tp.pacing_rate = v1::rate(tp, bw, self.t.startup).max(1).min(tp.max_pacing_rate);
    }

    /// Startup never slows down.
    pub(super) fn set_pacing_rate(&mut self, tp: &mut Tp, bw: u32, gain: u32) {
        let rate = v1::rate(tp, bw, gain).max(1).min(tp.max_pacing_rate);
        if !self.has_seen_rtt && tp.srtt_us != 0 {
            self.first_pacing_rate(tp);
        }
        if self.full_bw_reached || rate > tp.pacing_rate {
            tp.pacing_rate = rate;
        }
    }

    /// Segments an skb: what is paced in the time that the shift says, and more where the peer is near.
    pub(super) fn skb_segs(&self, tp: &Tp, mss: u32, gso_max_size: u64) -> u32 {
        let mut bytes = tp.pacing_rate >> tp.pacing_shift;
        if let Some(shift) = self.t.tso_rtt_shift {
            let r = self.min_rtt_us >> shift;
            if r < u32::BITS {
                bytes += GSO_MAX_SIZE >> r;
            }
        }
        let least = if self.t.min_tso_by_rate { v1::min_tso_segs(tp) } else { tp.min_tso_segs };
        ((bytes.min(gso_max_size.saturating_sub(HEADERS)) as u32) / mss.max(1)).max(least)
    }

    fn bdp(&self, bw: u32, gain: u32) -> u32 {
        v1::bdp(bw, self.min_rtt_us, gain, self.init_cwnd)
    }

    /// At least three skbs, and two segments more in a probe.
    fn budget(&self, tp: &Tp, cwnd: u32) -> u32 {
        let cwnd = cwnd.max(v1::BUDGET_SKBS * self.skb_segs(tp, tp.mss_cache, GSO_MAX_SIZE)).max(CWND_MIN);
        if self.mode == Mode::ProbeBw && self.phase == Phase::Up { cwnd + 2 } else { cwnd }
    }

    /// What should be in flight.
    pub(super) fn inflight(&self, tp: &Tp, bw: u32, gain: u32) -> u32 {
        self.budget(tp, self.bdp(bw, gain))
    }

    /// How many of `in_flight` segments will still be out when the next one departs.
    pub(super) fn in_network(&self, tp: &Tp, in_flight: u32) -> u32 {
        let us = tp.wstamp_ns.saturating_sub(tp.clock.ns) / 1_000;
        let delivered = (u64::from(self.bandwidth()).wrapping_mul(us) >> BW_SCALE) as u32;
        let goal = self.skb_segs(tp, tp.mss_cache, GSO_MAX_SIZE);
        let then = if self.pacing_gain > UNIT { in_flight + goal } else { in_flight };
        then.saturating_sub(delivered)
    }

    /// The window in a dip.
    pub(super) fn dip_cwnd(&self) -> u32 {
        if self.t.probe_rtt_cwnd == 0 {
            CWND_MIN
        } else {
            self.bdp(self.bandwidth(), self.t.probe_rtt_cwnd).max(CWND_MIN)
        }
    }

    /// `bbr_set_cwnd`.
    pub(super) fn set_cwnd(&mut self, tp: &mut Tp, acked: u32, bw: u32, gain: u32) {
        let mut cwnd = tp.snd_cwnd;
        if acked > 0 {
            let target = self.budget(tp, self.bdp(bw, gain).saturating_add(self.aggregation.cwnd(self.bandwidth())));
            if self.full_bw_reached {
                cwnd = (cwnd + acked).min(target);
            } else if cwnd < target || cwnd < 2 * self.init_cwnd {
                cwnd += acked;
            }
            cwnd = cwnd.max(CWND_MIN);
        }
        tp.snd_cwnd = cwnd.min(tp.snd_cwnd_clamp);
        if self.mode == Mode::ProbeRtt {
            tp.snd_cwnd = tp.snd_cwnd.min(self.dip_cwnd());
        }
    }
}
