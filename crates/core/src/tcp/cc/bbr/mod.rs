//! BBR v1: a model of the path, made of the largest recent delivery rate and the least recent RTT, sets pacing rate and window; loss does not.
//!
//! * bandwidth = the largest delivery rate of the last 10 round trips; min_rtt = the least RTT of the last 10 s;
//! * pacing rate = gain * bandwidth, less 1 %; window = gain * bandwidth * min_rtt, plus what ACKs aggregate, plus three skbs.
//!
//! ```text
//!  Startup (2.89, doubling) -> Drain (1/2.89) -> ProbeBw (1.25, 0.75, six times 1) <-> ProbeRtt (four segments for 200 ms, every 10 s)
//! ```
//! Startup ends when three round trips brought less than a quarter more bandwidth; Drain when what is in flight fits the path.
//!
//! The folder: `aggregation` (how far ACKs run ahead in bursts), `bandwidth` (delivery rates, full pipe), `policer` (long-term rate), `probe`
//! (gain cycle, ProbeRtt), `window` (window and pacing), `tuning` (what its relatives `bbr_dev`, `bbr_plus` and `bbrp` change). This file
//! has the modes and the order of things.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_bbr.c; Cardwell et al.: BBR (ACM Queue 2016). Kernel profiles change six things of it, each named in
//! profile/mod.rs: what it first was (4.14), the ACK-aggregation allowance (5.1), departure times (4.20; before, the rate was of whole IP packets
//! without the 1 %, and gains came with a change of mode), the two segments that a probe has more (5.4), whether an RTT that equals the least
//! counts as a new least (until 5.10), and where the first round trip ends (5.14).
//! Differs: D1 the random phase in which ProbeBw begins has a stream seeded by the connection's first sequence number. D2 the window had no
//! two segments more where a gain is above 1 before 4.18 and 4.14.67; here as then. D3 4.14's `tso_segs_goal` is that of the last ACK; here the rate's,
//! which only what begins anew after idleness changes in between. D4 `bbr_main` sees a client's SYN-ACK before `bbr_init`, its stamps all 0: if the
//! machine has been up for more than five minutes (and jiffies are above 0), it begins a ProbeRtt there, which leaves `app_limited` behind. Here
//! machines have just booted.

pub(super) mod aggregation;
mod bandwidth;
mod policer;
mod probe;
#[cfg(test)]
mod tests;
mod tuning;
pub(super) mod window;

use super::{BbrInfo, Control, Event, RateSample};
use crate::sim::{Auto, Stream, Streams};
use crate::tcp::minmax::Minmax;
use crate::tcp::profile::Profile;
use crate::tcp::tp::{CaState, INFINITE_SSTHRESH, Pacing, Tp};

use aggregation::Aggregation;
use policer::Policer;
pub(super) use tuning::{ProbeWindow, Tuning, is_a_bbr};

/// log2 of the scale of bandwidth, segments a microsecond. src: linux@6.12 net/ipv4/tcp_bbr.c BW_SCALE
pub(super) const BW_SCALE: u32 = 24;
/// One segment a microsecond. src: linux@6.12 net/ipv4/tcp_bbr.c BW_UNIT
pub(super) const BW_UNIT: u64 = 1 << BW_SCALE;
/// log2 of the scale of gains. src: linux@6.12 net/ipv4/tcp_bbr.c BBR_SCALE
pub(super) const SCALE: u32 = 8;
/// A gain of one. src: linux@6.12 net/ipv4/tcp_bbr.c BBR_UNIT
pub(super) const UNIT: u32 = 1 << SCALE;
/// Gain of Startup, 2/ln 2: the least that doubles the rate every round trip. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_high_gain
pub(super) const HIGH_GAIN: u32 = UNIT * 2_885 / 1_000 + 1;
/// Gain of Drain, its inverse. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_drain_gain
pub(super) const DRAIN_GAIN: u32 = UNIT * 1_000 / 2_885;
/// Gain of the window, for ACKs that come late or together. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_cwnd_gain
pub(super) const CWND_GAIN: u32 = UNIT * 2;
/// Phases of the gain cycle. src: linux@6.12 net/ipv4/tcp_bbr.c CYCLE_LEN
const CYCLE_LEN: usize = 8;
/// Pacing gains of the cycle. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_pacing_gain
const CYCLE: [u32; CYCLE_LEN] = [UNIT * 5 / 4, UNIT * 3 / 4, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT];

crate::params! {
    /// `[bbr]`: parts that can be left out. Its gains are BBR+'s to set.
    pub struct Params {
        /// The window allows for ACKs that come in bursts ("auto": from 5.1).
        extra_acked: Auto<bool> = Auto::Auto, src "linux@6.12 net/ipv4/tcp_bbr.c bbr_update_ack_aggregation; 5.1 (78dc70ebaa38)";
        /// A policer's rate is recognised and kept to.
        policer: bool = true, src "linux@6.12 net/ipv4/tcp_bbr.c bbr_lt_bw_sampling";
    }
}

/// What it is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// Doubles its rate every round trip.
    Startup,
    /// Takes out the queue that Startup made.
    Drain,
    /// Cycles its gain around the bandwidth.
    ProbeBw,
    /// Keeps four segments in flight to see the least RTT.
    ProbeRtt,
}

/// BBR.
#[derive(Clone, Debug)]
pub struct Bbr {
    t: Tuning,
    profile: &'static Profile,
    random: Stream,
    mode: Mode,
    /// Present gain of the pacing rate, in 1/256.
    pacing_gain: u32,
    /// Present gain of the window, in 1/256.
    cwnd_gain: u32,

    /// Largest delivery rate of the last round trips, segments a microsecond << 24.
    bw: Minmax,
    /// Round trips.
    rtt_cnt: u32,
    /// `delivered` at the end of this round trip.
    next_rtt_delivered: u32,
    /// This ACK begins a round trip.
    round_start: bool,
    /// Bandwidth that a round trip must exceed by a quarter for the pipe not to be full.
    full_bw: u32,
    /// Round trips that did not.
    full_bw_cnt: u8,
    /// The pipe is full: Startup is over.
    full_bw_reached: bool,
    aggregation: Aggregation,
    policer: Policer,

    /// Least RTT of the last ten seconds, microseconds.
    min_rtt_us: u32,
    /// When it was seen, jiffies.
    min_rtt_stamp: u32,
    /// When ProbeRtt ends, jiffies.
    probe_rtt_done: Option<u32>,
    /// ProbeRtt lasted a round trip.
    probe_rtt_round_done: bool,
    /// Beginning of the present phase of the cycle, microseconds.
    cycle_mstamp: u64,
    /// Present phase.
    cycle_idx: usize,
    /// Length of a cycle that drains to its target, least RTTs.
    cycle_len: u32,

    /// Recovery state at the last ACK.
    prev_ca_state: CaState,
    /// First round trip of a recovery: a segment out for a segment in.
    packet_conservation: bool,
    /// Window before recovery or ProbeRtt, segments.
    prior_cwnd: u32,
    /// It is due again (4.14).
    restore_cwnd: bool,
    /// Sending begins again after the application was silent.
    idle_restart: bool,
    /// An RTT was measured.
    has_seen_rtt: bool,
}

impl Bbr {
    /// Starts (`bbr_init`).
    pub fn new(p: &Params, profile: &'static Profile, tp: &mut Tp) -> Bbr {
        let t = Tuning {
            extra_acked: p.extra_acked.or(profile.bbr_extra_acked),
            policer: p.policer,
            ..Tuning::of(profile)
        };
        Bbr::tuned(t, profile, tp)
    }

    /// Starts with these gains and rules.
    pub(super) fn tuned(t: Tuning, profile: &'static Profile, tp: &mut Tp) -> Bbr {
        if !profile.bbr_first {
            tp.snd_ssthresh = INFINITE_SSTHRESH;
        }
        let mut b = Bbr {
            t,
            profile,
            random: Streams::new(u64::from(tp.snd_una)).get("tcp", "bbr cycle"),
            mode: Mode::Startup,
            pacing_gain: 0,
            cwnd_gain: 0,
            bw: Minmax::new(0, 0),
            rtt_cnt: 0,
            next_rtt_delivered: if profile.bbr_round_from_start { tp.delivered } else { 0 },
            round_start: false,
            full_bw: 0,
            full_bw_cnt: 0,
            full_bw_reached: false,
            aggregation: Aggregation::new(tp),
            policer: Policer::new(tp),
            min_rtt_us: tp.min_rtt_us(),
            min_rtt_stamp: tp.clock.j32(),
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            cycle_mstamp: 0,
            cycle_idx: 0,
            cycle_len: 0,
            prev_ca_state: CaState::Open,
            packet_conservation: false,
            prior_cwnd: 0,
            restore_cwnd: false,
            idle_restart: false,
            has_seen_rtt: false,
        };
        b.change_gains();
        b.first_pacing_rate(tp);
        if tp.pacing_status == Pacing::None {
            tp.pacing_status = Pacing::Needed;
        }
        b
    }

    /// Largest recent bandwidth (`bbr_max_bw`).
    #[inline]
    fn max_bw(&self) -> u32 {
        self.bw.get()
    }

    /// The bandwidth believed in (`bbr_bw`).
    #[inline]
    fn bandwidth(&self) -> u32 {
        self.policer.rate().unwrap_or(self.max_bw())
    }

    /// `bbr_check_drain`.
    fn check_drain(&mut self, tp: &mut Tp) {
        if self.mode == Mode::Startup && self.full_bw_reached {
            self.mode = Mode::Drain;
            self.change_gains();
            if !self.profile.bbr_first {
                tp.snd_ssthresh = self.inflight(tp, self.max_bw(), UNIT);
            }
        }
        if self.mode == Mode::Drain && self.in_network(tp, tp.in_flight()) <= self.inflight(tp, self.max_bw(), UNIT) {
            self.enter_probe_bw(tp);
        }
    }

    /// `bbr_reset_mode`.
    fn leave_probe_rtt(&mut self, tp: &Tp) {
        if self.full_bw_reached {
            self.enter_probe_bw(tp);
        } else {
            self.mode = Mode::Startup;
            self.change_gains();
        }
    }

    /// Before 4.20 a change of mode or phase brings its gains along, and what else sets them holds until the next.
    fn change_gains(&mut self) {
        if !self.profile.edt {
            self.set_gains();
        }
    }

    /// `bbr_update_gains`.
    fn set_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (self.t.startup, self.t.startup_cwnd),
            Mode::Drain => (self.t.drain, self.t.startup_cwnd),
            Mode::ProbeBw if self.policer.rate().is_some() => (UNIT, self.t.cwnd),
            Mode::ProbeBw => (self.t.cycle[self.cycle_idx], self.t.probe_window(self.cycle_idx)),
            Mode::ProbeRtt => (UNIT, UNIT),
        };
    }

    /// `bbr_save_cwnd`.
    fn save_cwnd(&mut self, tp: &Tp) {
        let good = self.prev_ca_state < CaState::Recovery && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if good { tp.snd_cwnd } else { self.prior_cwnd.max(tp.snd_cwnd) };
    }
}

impl Control for Bbr {
    fn has_cong_control(&self) -> bool {
        true
    }

    /// `bbr_main`.
    fn cong_control(&mut self, tp: &mut Tp, rs: &RateSample) {
        self.update_bandwidth(tp, rs);
        if self.t.extra_acked {
            let bw = self.bandwidth();
            self.aggregation.update(tp, rs, bw, self.round_start, self.t.extra_acked_rtts);
        }
        self.update_cycle(tp, rs);
        self.check_full_pipe(rs);
        self.check_drain(tp);
        self.update_min_rtt(tp, rs);
        if self.profile.edt {
            self.set_gains();
        }
        let bw = self.bandwidth();
        self.set_pacing_rate(tp, bw, self.pacing_gain);
        self.set_cwnd(tp, rs, bw, self.cwnd_gain);
    }

    fn cong_avoid(&mut self, _: &mut Tp, _: u32, _: u32) {}

    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        self.save_cwnd(tp);
        if self.profile.bbr_first { INFINITE_SSTHRESH } else { tp.snd_ssthresh }
    }

    fn undo_cwnd(&mut self, tp: &mut Tp) -> u32 {
        self.full_bw = 0;
        self.full_bw_cnt = 0;
        self.policer.reset(tp);
        tp.snd_cwnd
    }

    fn set_state(&mut self, tp: &mut Tp, new: CaState) {
        if new == CaState::Loss {
            self.prev_ca_state = CaState::Loss;
            self.full_bw = 0;
            // A timeout ends a round trip.
            self.round_start = true;
            self.sample_policer(tp, &RateSample { losses: 1, ..RateSample::default() });
        }
    }

    fn event(&mut self, tp: &mut Tp, event: Event) {
        if event != Event::TxStart || tp.app_limited == 0 {
            return;
        }
        self.idle_restart = true;
        self.aggregation.begin_epoch(tp.clock.us);
        if self.mode == Mode::ProbeBw {
            let bw = self.bandwidth();
            self.set_pacing_rate(tp, bw, UNIT);
        } else if self.mode == Mode::ProbeRtt && !self.profile.bbr_first {
            self.check_probe_rtt_done(tp);
        }
    }

    /// `bbr_main` has seen a client's SYN-ACK, and `bbr_init` leaves its gains.
    fn go_on(&mut self, before: &Bbr) {
        (self.pacing_gain, self.cwnd_gain) = (before.pacing_gain, before.cwnd_gain);
    }

    fn min_tso_segs(&self, tp: &Tp) -> Option<u32> {
        Some(window::min_tso_segs(tp))
    }
    fn sndbuf_expand(&self) -> u32 {
        3
    }
    fn bbr_info(&self, tp: &Tp) -> Option<BbrInfo> {
        Some(info(tp, self.bandwidth(), self.min_rtt_us, (self.pacing_gain, self.cwnd_gain)))
    }
}

/// `bbr_get_info`; `bw`: segments a microsecond << 24.
pub(super) fn info(tp: &Tp, bw: u32, min_rtt_us: u32, (pacing_gain, cwnd_gain): (u32, u32)) -> BbrInfo {
    let bw = (u64::from(bw) * u64::from(tp.mss_cache) * 1_000_000) >> BW_SCALE;
    BbrInfo { bw, min_rtt_us, pacing_gain, cwnd_gain }
}
