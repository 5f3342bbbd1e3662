//! What BBR's model comes to: pacing rate and window.
//!
//! Stands for: `bbr_bw_to_pacing_rate`, `bbr_set_pacing_rate`, `bbr_bdp`, `bbr_quantization_budget`, `bbr_packets_in_net_at_edt`,
//! `bbr_set_cwnd`.

use super::probe::CWND_MIN;
use super::{BW_SCALE, BW_UNIT, Bbr, Mode, SCALE, UNIT};
use crate::tcp::cc::RateSample;
use crate::tcp::tp::{CaState, Pacing, Tp};

/// How much slower than the bandwidth the pacing rate is, percent. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_pacing_margin_percent
const MARGIN_PERCENT: u64 = 1;
/// Rate below which an skb is one segment, bytes a second. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_min_tso_rate
const MIN_TSO_RATE: u64 = 1_200_000 >> 3;
/// Largest skb in the window's budget, bytes: 64 KiB less `MAX_TCP_HEADER`. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_tso_segs_goal
pub(in super::super) const GSO_MAX: u64 = 65_536 - 1 - 320;
/// Skbs in the window's budget: in the qdisc, in the device, at the receiver. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_quantization_budget
pub(in super::super) const BUDGET_SKBS: u32 = 3;
/// Initial window, segments. src: linux@6.12 include/net/tcp.h TCP_INIT_CWND
const INIT_CWND: u32 = 10;

/// A bandwidth (segments a microsecond << 24) and a gain as bytes a second (`bbr_rate_bytes_per_sec`).
pub(in super::super) fn rate(tp: &Tp, bw: u32, gain: u32) -> u64 {
    bytes_per_sec(tp.mss_cache, bw, gain, MARGIN_PERCENT)
}

/// The same of segments of so many `bytes`, less `margin` percent.
fn bytes_per_sec(bytes: u32, bw: u32, gain: u32, margin: u64) -> u64 {
    let r = (u64::from(bw) * u64::from(bytes)).wrapping_mul(u64::from(gain)) >> SCALE;
    r.wrapping_mul(1_000_000 / 100 * (100 - margin)) >> BW_SCALE
}

/// A window a round trip, one of a millisecond where none was seen yet; says whether one was.
pub(in super::super) fn first_bw(tp: &Tp, seen: &mut bool) -> u32 {
    let rtt_us = if tp.srtt_us != 0 {
        *seen = true;
        (tp.srtt_us >> 3).max(1)
    } else {
        1_000
    };
    (u64::from(tp.snd_cwnd) * BW_UNIT / u64::from(rtt_us)) as u32
}

/// Least segments an skb (`bbr_min_tso_segs`).
pub(in super::super) fn min_tso_segs(tp: &Tp) -> u32 {
    if tp.pacing_rate < MIN_TSO_RATE { 1 } else { 2 }
}

/// Bandwidth times least RTT times a gain, segments, rounded up; without an RTT, `unknown` (`bbr_bdp`).
#[inline]
pub(in super::super) fn bdp(bw: u32, min_rtt_us: u32, gain: u32, unknown: u32) -> u32 {
    if min_rtt_us == u32::MAX {
        return unknown;
    }
    let w = u64::from(bw) * u64::from(min_rtt_us);
    (((w.wrapping_mul(u64::from(gain)) >> SCALE) + BW_UNIT - 1) >> BW_SCALE) as u32
}

impl Bbr {
    /// `bbr_init_pacing_rate_from_rtt`: the first window a round trip, at Startup's gain.
    pub(super) fn first_pacing_rate(&mut self, tp: &mut Tp) {
        let bw = first_bw(tp, &mut self.has_seen_rtt);
        tp.pacing_rate = self.pace(self.rate(tp, bw, self.t.startup)).min(tp.max_pacing_rate);
    }

    /// `bbr_set_pacing_rate`: Startup never slows down.
    pub(super) fn set_pacing_rate(&mut self, tp: &mut Tp, bw: u32, gain: u32) {
        let rate = self.pace(self.rate(tp, bw, gain)).min(tp.max_pacing_rate);
        if !self.has_seen_rtt && tp.srtt_us != 0 {
            self.first_pacing_rate(tp);
        }
        if self.full_bw_reached || rate > tp.pacing_rate {
            tp.pacing_rate = rate;
        }
    }

    /// `bbr_rate_bytes_per_sec` of the profile. Before 4.20 there is no margin: the headers below IP that an `fq` counts make one, for
    /// the rate is that of whole IP packets; of 4.18 and 4.19, where the socket's own timer paces, it is the payload's.
    #[inline]
    pub(super) fn rate(&self, tp: &Tp, bw: u32, gain: u32) -> u64 {
        if self.profile.edt {
            rate(tp, bw, gain)
        } else if self.profile.bbr_gross_by_timer || tp.pacing_status != Pacing::Needed {
            bytes_per_sec(tp.mss_cache + tp.header_len, bw, gain, 0)
        } else {
            bytes_per_sec(tp.mss_cache, bw, gain, 0)
        }
    }

    /// BBR+: a part of the rate that BBR asks for.
    #[inline]
    fn pace(&self, rate: u64) -> u64 {
        if self.t.pace_percent == 100 {
            rate
        } else {
            (rate.saturating_mul(u64::from(self.t.pace_percent)) / 100).max(1)
        }
    }

    /// What aggregation adds to the window, segments; nothing in Startup (`bbr_ack_aggregation_cwnd`).
    fn aggregation_cwnd(&self) -> u32 {
        if self.full_bw_reached { self.aggregation.cwnd(self.bandwidth()) } else { 0 }
    }

    /// Bandwidth times least RTT times a gain, segments, rounded up (`bbr_bdp`).
    fn bdp(&self, bw: u32, gain: u32) -> u32 {
        bdp(bw, self.min_rtt_us, gain, INIT_CWND)
    }

    /// Segments an skb at the present rate (`bbr_tso_segs_goal`); of 4.14 one that the card takes (`bbr_set_tso_segs_goal`).
    fn tso_segs_goal(&self, tp: &Tp) -> u32 {
        let most = if self.profile.bbr_first { u64::from(tp.gso_payload) } else { GSO_MAX };
        let bytes = (tp.pacing_rate >> tp.pacing_shift).min(most) as u32;
        (bytes / tp.mss_cache).max(min_tso_segs(tp)).min(0x7f)
    }

    /// Three skbs more, an even number, and two more where bandwidth is probed, or, before 5.4, where a gain is above 1
    /// (`bbr_quantization_budget`).
    fn budget(&self, tp: &Tp, cwnd: u32, gain: u32) -> u32 {
        let even = cwnd.wrapping_add(BUDGET_SKBS * self.tso_segs_goal(tp) + 1) & !1;
        let probes = if self.profile.bbr_probe_budget { self.cycle_idx == 0 } else { gain > UNIT };
        if self.mode == Mode::ProbeBw && probes { even + 2 } else { even }
    }

    /// What should be in flight (`bbr_inflight`).
    pub(super) fn inflight(&self, tp: &Tp, bw: u32, gain: u32) -> u32 {
        self.target(tp, self.bdp(bw, gain), gain)
    }

    /// `budget`, or, before 5.1, the first window where no RTT is known (`bbr_target_cwnd`, parted into `bbr_bdp` and this then).
    fn target(&self, tp: &Tp, cwnd: u32, gain: u32) -> u32 {
        if self.min_rtt_us == u32::MAX && !self.profile.edt { INIT_CWND } else { self.budget(tp, cwnd, gain) }
    }

    /// How many of `in_flight` segments will still be out when the next one departs (`bbr_packets_in_net_at_edt`; from 4.20).
    pub(super) fn in_network(&self, tp: &Tp, in_flight: u32) -> u32 {
        if !self.profile.edt {
            return in_flight;
        }
        let us = tp.wstamp_ns.saturating_sub(tp.clock.ns) / 1_000;
        let delivered = (u64::from(self.bandwidth()).wrapping_mul(us) >> BW_SCALE) as u32;
        let then = if self.pacing_gain > UNIT { in_flight + self.tso_segs_goal(tp) } else { in_flight };
        then.saturating_sub(delivered)
    }

    /// `bbr_set_cwnd`.
    pub(super) fn set_cwnd(&mut self, tp: &mut Tp, rs: &RateSample, bw: u32, gain: u32) {
        let acked = rs.acked_sacked;
        if acked == 0 && self.profile.bbr_first {
            return;
        }
        let mut cwnd = tp.snd_cwnd;
        if acked > 0 && !self.recover_or_restore(tp, rs, &mut cwnd) {
            let target = self.target(tp, self.bdp(bw, gain).wrapping_add(self.aggregation_cwnd()), gain);
            if self.full_bw_reached {
                cwnd = (cwnd + acked).min(target);
            } else if cwnd < target || tp.delivered < INIT_CWND {
                cwnd += acked;
            }
            cwnd = cwnd.max(CWND_MIN);
        }
        tp.snd_cwnd = cwnd.min(tp.snd_cwnd_clamp);
        if self.mode == Mode::ProbeRtt {
            tp.snd_cwnd = tp.snd_cwnd.min(CWND_MIN);
        }
    }

    /// `bbr_set_cwnd_to_recover_or_restore`. True: packets are conserved.
    fn recover_or_restore(&mut self, tp: &Tp, rs: &RateSample, cwnd: &mut u32) -> bool {
        let (prev, state) = (self.prev_ca_state, tp.ca_state);
        if rs.losses > 0 {
            *cwnd = (i64::from(*cwnd) - i64::from(rs.losses)).max(1) as u32;
        }
        if state == CaState::Recovery && prev != CaState::Recovery {
            self.packet_conservation = true;
            self.next_rtt_delivered = tp.delivered;
            *cwnd = tp.in_flight() + rs.acked_sacked;
        } else if prev >= CaState::Recovery && state < CaState::Recovery {
            *cwnd = (*cwnd).max(self.prior_cwnd);
            self.packet_conservation = false;
        }
        self.prev_ca_state = state;
        if core::mem::take(&mut self.restore_cwnd) {
            *cwnd = (*cwnd).max(self.prior_cwnd);
        }
        if self.packet_conservation {
            *cwnd = (*cwnd).max(tp.in_flight() + rs.acked_sacked);
        }
        self.packet_conservation
    }
}
