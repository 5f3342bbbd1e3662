//! BBR v2: BBR whose model has bounds that losses move: how much may be in flight (`inflight_hi`, slow; `inflight_lo`, of this cycle) and at
//! what rate (`bw_lo`).
//!
//! * bandwidth = min(the largest delivery rate of the last two cycles, `bw_lo`); min_rtt = the least RTT of 10 s, dips every 5 s;
//! * window = min(2 * bandwidth * min_rtt + what ACKs aggregate, bounds of the phase), at least three skbs;
//! * a probe that loses over 2 % sets `inflight_hi` to what was in flight; one that does not raises it, faster every round trip;
//! * a loss outside a probe cuts `bw_lo` and `inflight_lo` by 30 %, but not below what was just delivered.
//!
//! ```text
//!  Startup -> Drain -> [ Down (0.75) -> Cruise (1) -> Refill (1) -> Up (1.25) ] <-> ProbeRtt (half of the product for 200 ms)
//! ```
//! A cycle lasts two to three seconds, or as many round trips as Reno would need, 63 at most.
//!
//! The folder: `bounds` (what losses do), `cycle` (ProbeBw's phases and ProbeRtt), `window` (pacing, window, skbs), `tuning` (what BBR v3 changes).
//! This file has the modes and the order of things.
//!
//! Stands for: net/ipv4/tcp_bbr2.c of google/bbr, branch v2alpha (commit 0487ade55081), written from its behaviour, with what that branch changes in
//! TCP: what was in flight and lost when a segment was sent (sender/delivery_rate.rs), and word of each lost segment
//! (input/sack.rs).
//! Differs: D1 no ECN response: the alpha leaves it off (`bbr_ecn_enable`), since it needs marks of DCTCP's kind. D2 no shortcut past the model
//! for ACKs of an application that sends little. D3 its receiver half (`fast_ack_mode`) is absent. D4 random numbers have a stream seeded by the
//! connection's first sequence number. D5 the part of an skb's size that shrinks with the RTT came to the alpha in 2021, after the papers' 5.4;
//! by default it is the profile's (`tso_rtt_shift`). D6 what was in flight when a segment was sent saturates at 65535 segments.

mod bounds;
mod cycle;
#[cfg(test)]
mod tests;
mod tuning;
mod window;

use super::bbr::aggregation::{Aggregation, EXTRA_ACKED_RTTS};
use super::bbr::{BW_UNIT, UNIT, info, window as v1};
use super::{BbrInfo, Control, Event, RateSample};
use crate::sim::{Auto, Stream, Streams};
use crate::tcp::profile::Profile;
use crate::tcp::rtx::Seg;
use crate::tcp::seq::before;
use crate::tcp::tp::{CaState, INFINITE_SSTHRESH, Pacing, Tp};

pub(super) use tuning::Tuning;

/// No bound. src: google/bbr@v2alpha net/ipv4/tcp_bbr2.c ~0U
const NONE: u32 = u32::MAX;

crate::params! {
    /// `[bbr2]`. Gains and shares are in 1/256.
    pub struct Params {
        /// Pacing gain of Startup.
        startup_gain: u32 = 739, in 257 => 2_047, src "google/bbr@v2alpha tcp_bbr2.c bbr_high_gain";
        /// Pacing gain of Drain.
        drain_gain: u32 = 88, in 1 => 256, src "google/bbr@v2alpha tcp_bbr2.c bbr_drain_gain";
        /// Window's gain in ProbeBW.
        cwnd_gain: u32 = 512, in 256 => 2_047, src "google/bbr@v2alpha tcp_bbr2.c bbr_cwnd_gain";
        /// Pacing gain of the phase that probes.
        up_gain: u32 = 320, in 257 => 1_023, src "google/bbr@v2alpha tcp_bbr2.c bbr_pacing_gain";
        /// Pacing gain of the phase that drains.
        down_gain: u32 = 192, in 1 => 255, src "google/bbr@v2alpha tcp_bbr2.c bbr_pacing_gain";
        /// In flight, as a multiple of the product, at which a probe ends.
        probe_inflight_gain: u32 = 320, in 256 => 511, src "google/bbr@v2alpha tcp_bbr2.c bbr_bw_probe_pif_gain";
        /// Share that a loss takes from the lower bounds.
        beta: u32 = 76, in 0 => 255, src "google/bbr@v2alpha tcp_bbr2.c bbr_beta: 30 %";
        /// Share lost that says that a probe went too far.
        loss_thresh: u32 = 5, in 0 => 255, src "google/bbr@v2alpha tcp_bbr2.c bbr_loss_thresh: 2 %";
        /// Losses in a round trip that end Startup, if the share is exceeded too; 0: never.
        full_loss_count: u32 = 8, in 0 => 15, src "google/bbr@v2alpha tcp_bbr2.c bbr_full_loss_cnt";
        /// Share of `inflight_hi` that is left to others while it cruises.
        headroom: u32 = 38, in 0 => 255, src "google/bbr@v2alpha tcp_bbr2.c bbr_inflight_headroom: 15 %";
        /// Least time from probe to probe, milliseconds.
        probe_base_ms: u32 = 2_000, in 0 => 67_000, unit "ms", src "google/bbr@v2alpha tcp_bbr2.c bbr_bw_probe_base_us";
        /// What is drawn and added to it, milliseconds.
        probe_rand_ms: u32 = 1_000, in 1 => 67_000, unit "ms", src "google/bbr@v2alpha tcp_bbr2.c bbr_bw_probe_rand_us";
        /// Most round trips from probe to probe.
        probe_max_rounds: u32 = 63, in 1 => 255, src "google/bbr@v2alpha tcp_bbr2.c bbr_bw_probe_max_rounds";
        /// Time from dip to dip, milliseconds.
        probe_rtt_win_ms: u32 = 5_000, in 1 => 10_000, unit "ms", src "google/bbr@v2alpha tcp_bbr2.c bbr_probe_rtt_win_ms";
        /// Window in a dip, as a part of the product; 0: four segments.
        probe_rtt_cwnd_gain: u32 = 128, in 0 => 255, src "google/bbr@v2alpha tcp_bbr2.c bbr_probe_rtt_cwnd_gain";
        /// An skb's size has 64 KiB more, halved with every 2^this microseconds of least RTT; off: nothing ("auto": 9 where the kernel does so).
        tso_rtt_shift: Auto<Option<u8>> = Auto::Auto, src "google/bbr@v2alpha tcp_bbr2.c bbr_tso_rtt_shift";
    }
}

/// What it is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// Doubles its rate every round trip.
    Startup,
    /// Takes out the queue that Startup made.
    Drain,
    /// Cycles.
    ProbeBw,
    /// Dips, to see the least RTT.
    ProbeRtt,
}

/// Phases of ProbeBw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Raises what is in flight.
    Up,
    /// Takes it back.
    Down,
    /// Keeps it.
    Cruise,
    /// Fills the path before it probes.
    Refill,
}

/// What the ACKs that come now tell of a probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Acks {
    /// Nothing.
    Init,
    /// Of the path being filled.
    Refilling,
    /// Not yet of the probe that began.
    ProbeStarting,
    /// Of the probe.
    ProbeFeedback,
    /// Still of the probe that ended.
    ProbeStopping,
}

/// BBR v2.
#[derive(Clone, Debug)]
pub struct Bbr2 {
    t: Tuning,
    random: Stream,
    mode: Mode,
    phase: Phase,
    acks: Acks,
    /// Present gain of the pacing rate, in 1/256.
    pacing_gain: u32,
    /// Present gain of the window, in 1/256.
    cwnd_gain: u32,

    /// Largest delivery rate of the last cycle and of this, segments a microsecond << 24.
    max_bw: [u32; 2],
    /// Lower bound on the rate, likewise.
    bw_lo: u32,
    /// Largest rate of this round trip, likewise.
    bw_latest: u32,
    /// The rate of this ACK's sample, likewise.
    sample_bw: u32,
    /// Lower bound on what is in flight, segments.
    inflight_lo: u32,
    /// Upper bound, segments.
    inflight_hi: u32,
    /// Most delivered in this round trip, segments.
    inflight_latest: u32,
    /// The three bounds before the last recovery.
    undo: [u32; 3],

    /// `delivered` at the end of this round trip.
    next_rtt_delivered: u32,
    /// This ACK begins a round trip.
    round_start: bool,
    /// `delivered` at the end of this round trip of losses.
    loss_round_delivered: u32,
    /// This ACK begins one.
    loss_round_start: bool,
    /// Something was lost in it.
    loss_in_round: bool,
    /// ACKs that brought losses in this round trip of Startup.
    loss_events: u32,

    /// Bandwidth that must be exceeded by a quarter for the pipe not to be full.
    full_bw: u32,
    /// Round trips in which it was not.
    full_bw_cnt: u8,
    /// The present probe found no more (v3).
    full_bw_now: bool,
    /// Startup is over.
    full_bw_reached: bool,
    aggregation: Aggregation,

    /// Round trips since the last probe.
    rounds_since_probe: u32,
    /// Time to the next, microseconds.
    probe_wait_us: u64,
    /// Beginning of the phase, microseconds.
    cycle_mstamp: u64,
    /// Samples that come now are of a probe.
    probe_samples: bool,
    /// The last probe lost too much.
    probe_too_high: bool,
    /// It ended where the one before had lost too much.
    stopped_risky: bool,
    /// Round trips in which the probe raised `inflight_hi`.
    up_rounds: u32,
    /// Acknowledged segments that raise `inflight_hi` by one.
    up_count: u32,
    /// Acknowledged since.
    up_acks: u32,

    /// Least RTT of ten seconds, microseconds.
    min_rtt_us: u32,
    /// When it was seen, jiffies.
    min_rtt_stamp: u32,
    /// Least RTT since the last dip, microseconds.
    probe_rtt_min_us: u32,
    /// When it was seen, jiffies.
    probe_rtt_min_stamp: u32,
    /// When ProbeRtt ends, jiffies.
    probe_rtt_done: Option<u32>,
    /// ProbeRtt lasted a round trip.
    probe_rtt_round_done: bool,

    prev_ca_state: CaState,
    /// Window before recovery or ProbeRtt, segments.
    prior_cwnd: u32,
    /// First window, segments.
    init_cwnd: u32,
    /// Sending begins again after the application was silent.
    idle_restart: bool,
    /// An RTT was measured.
    has_seen_rtt: bool,
}

impl Bbr2 {
    /// Starts (`bbr2_init`).
    pub fn new(p: &Params, profile: &'static Profile, tp: &mut Tp) -> Bbr2 {
        Bbr2::tuned(Tuning::v2(p, profile), tp)
    }

    /// Starts with these gains and rules.
    pub(super) fn tuned(t: Tuning, tp: &mut Tp) -> Bbr2 {
        tp.snd_ssthresh = INFINITE_SSTHRESH;
        let (now, least) = (tp.clock.j32(), tp.min_rtt_us());
        let mut b = Bbr2 {
            t,
            random: Streams::new(u64::from(tp.snd_una)).get("tcp", "bbr2 probe"),
            mode: Mode::Startup,
            phase: Phase::Up,
            acks: Acks::Init,
            pacing_gain: t.startup,
            cwnd_gain: t.startup_cwnd,
            max_bw: [0; 2],
            bw_lo: NONE,
            bw_latest: 0,
            sample_bw: 0,
            inflight_lo: NONE,
            inflight_hi: NONE,
            inflight_latest: 0,
            undo: [0; 3],
            next_rtt_delivered: tp.delivered,
            round_start: false,
            loss_round_delivered: tp.delivered.wrapping_add(1),
            loss_round_start: false,
            loss_in_round: false,
            loss_events: 0,
            full_bw: 0,
            full_bw_cnt: 0,
            full_bw_now: false,
            full_bw_reached: false,
            aggregation: Aggregation::new(tp),
            rounds_since_probe: 0,
            probe_wait_us: 0,
            cycle_mstamp: 0,
            probe_samples: false,
            probe_too_high: false,
            stopped_risky: false,
            up_rounds: 0,
            up_count: NONE,
            up_acks: 0,
            min_rtt_us: least,
            min_rtt_stamp: now,
            probe_rtt_min_us: least,
            probe_rtt_min_stamp: now,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            prev_ca_state: CaState::Open,
            prior_cwnd: tp.prior_cwnd,
            init_cwnd: tp.snd_cwnd.min(0x7f),
            idle_restart: false,
            has_seen_rtt: false,
        };
        b.first_pacing_rate(tp);
        if tp.pacing_status == Pacing::None {
            tp.pacing_status = Pacing::Needed;
        }
        b
    }

    /// Largest rate of one to two cycles (`bbr_max_bw`).
    #[inline]
    fn max_bw(&self) -> u32 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// The bandwidth believed in (`bbr_bw`).
    #[inline]
    fn bandwidth(&self) -> u32 {
        self.max_bw().min(self.bw_lo)
    }

    /// In a phase that looks for more (`bbr2_is_probing_bandwidth`).
    fn probes(&self) -> bool {
        self.mode == Mode::Startup || (self.mode == Mode::ProbeBw && matches!(self.phase, Phase::Up | Phase::Refill))
    }

    /// `bbr_update_round_start`, `bbr_calculate_bw_sample`.
    fn take_sample(&mut self, tp: &Tp, rs: &RateSample) {
        self.round_start = rs.interval_us > 0 && !before(rs.prior_delivered, self.next_rtt_delivered);
        if self.round_start {
            self.next_rtt_delivered = tp.delivered;
            self.rounds_since_probe = (self.rounds_since_probe + 1).min(0xff);
        }
        self.sample_bw = 0;
        if rs.interval_us > 0 && rs.delivered >= 0 {
            self.sample_bw = (rs.delivered as u64 * BW_UNIT).div_ceil(rs.interval_us as u64) as u32;
        }
    }

    /// `bbr_check_full_bw_reached`. v3 begins its count anew at any ACK that shows growth, and in every probe.
    fn check_full_pipe(&mut self, rs: &RateSample) {
        let known = if self.t.plateau { self.full_bw_now } else { self.full_bw_reached || !self.round_start };
        if known || rs.is_app_limited {
            return;
        }
        let bw = if self.t.plateau { self.sample_bw } else { self.max_bw() };
        if bw >= ((u64::from(self.full_bw) * u64::from(FULL_BW_THRESH)) / u64::from(UNIT)) as u32 {
            self.reset_full_bw();
            self.full_bw = bw;
            return;
        }
        if !self.round_start {
            return;
        }
        self.full_bw_cnt += 1;
        self.full_bw_now = self.full_bw_cnt >= FULL_BW_CNT;
        self.full_bw_reached |= self.full_bw_now;
    }

    fn reset_full_bw(&mut self) {
        (self.full_bw, self.full_bw_cnt, self.full_bw_now) = (0, 0, false);
    }

    /// `bbr2_check_drain`.
    fn check_drain(&mut self, tp: &mut Tp) {
        if self.mode == Mode::Startup && self.full_bw_reached {
            self.mode = Mode::Drain;
            tp.snd_ssthresh = self.inflight(tp, self.max_bw(), UNIT);
            self.reset_congestion_signals();
        }
        if self.mode == Mode::Drain && self.in_network(tp, tp.in_flight()) <= self.inflight(tp, self.max_bw(), UNIT) {
            self.mode = Mode::ProbeBw;
            self.start_down(tp);
        }
    }

    /// `bbr_update_gains`.
    fn set_gains(&mut self) {
        let t = &self.t;
        (self.pacing_gain, self.cwnd_gain) = match (self.mode, self.phase) {
            (Mode::Startup, _) => (t.startup, t.startup_cwnd),
            (Mode::Drain, _) => (t.drain, t.startup_cwnd),
            (Mode::ProbeBw, Phase::Up) => (t.up, t.cwnd + t.up_cwnd),
            (Mode::ProbeBw, Phase::Down) => (t.down, t.cwnd),
            (Mode::ProbeBw, _) => (UNIT, t.cwnd),
            (Mode::ProbeRtt, _) => (UNIT, UNIT),
        };
    }

    /// `bbr_save_cwnd`.
    fn save_cwnd(&mut self, tp: &Tp) {
        let good = self.prev_ca_state < CaState::Recovery && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if good { tp.snd_cwnd } else { self.prior_cwnd.max(tp.snd_cwnd) };
    }
}

/// Growth of bandwidth that says that the pipe is not full. src: google/bbr@v2alpha net/ipv4/tcp_bbr2.c bbr_full_bw_thresh
const FULL_BW_THRESH: u32 = UNIT * 5 / 4;
/// Round trips without it that say that it is. src: google/bbr@v2alpha net/ipv4/tcp_bbr2.c bbr_full_bw_cnt
const FULL_BW_CNT: u8 = 3;

impl Control for Bbr2 {
    fn has_cong_control(&self) -> bool {
        true
    }

    /// `bbr2_main`.
    fn cong_control(&mut self, tp: &mut Tp, rs: &RateSample) {
        self.take_sample(tp, rs);
        self.update_congestion_signals(tp, rs);
        let bw = self.bandwidth();
        let rtts = if self.full_bw_reached { EXTRA_ACKED_RTTS } else { 1 };
        self.aggregation.update(tp, rs, bw, self.round_start, rtts);
        self.check_startup_loss(tp, rs);
        self.check_full_pipe(rs);
        self.check_drain(tp);
        self.update_cycle(tp, rs);
        self.update_min_rtt(tp, rs);
        self.set_gains();
        let bw = self.bandwidth();
        self.set_pacing_rate(tp, bw, self.pacing_gain);
        self.set_cwnd(tp, rs.acked_sacked, bw, self.cwnd_gain);
        self.bound_cwnd(tp);
        if self.t.latest_stays && self.loss_round_start {
            self.forget_latest(rs);
        }
        self.prev_ca_state = tp.ca_state;
    }

    fn cong_avoid(&mut self, _: &mut Tp, _: u32, _: u32) {}

    fn seg_lost(&mut self, tp: &mut Tp, s: &Seg) {
        self.note_lost(tp, s);
    }

    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        self.save_cwnd(tp);
        self.undo = [self.bw_lo, self.inflight_lo, self.inflight_hi];
        tp.snd_ssthresh
    }

    fn undo_cwnd(&mut self, _: &mut Tp) -> u32 {
        self.reset_full_bw();
        self.loss_in_round = false;
        self.bw_lo = self.bw_lo.max(self.undo[0]);
        self.inflight_lo = self.inflight_lo.max(self.undo[1]);
        self.inflight_hi = self.inflight_hi.max(self.undo[2]);
        self.prior_cwnd.max(1)
    }

    fn set_state(&mut self, tp: &mut Tp, new: CaState) {
        if new == CaState::Loss {
            self.prev_ca_state = CaState::Loss;
            self.reset_full_bw();
            if !self.probes() && self.inflight_lo == NONE {
                // The window has been cut already: the bound begins where it was.
                let now = if self.t.timeout_window { tp.snd_cwnd } else { 0 };
                self.inflight_lo = now.max(self.prior_cwnd);
            }
        } else if self.prev_ca_state == CaState::Loss {
            tp.snd_cwnd = tp.snd_cwnd.max(self.prior_cwnd);
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
        } else if self.mode == Mode::ProbeRtt {
            self.check_probe_rtt_done(tp);
        }
    }

    fn tso_segs(&self, tp: &Tp, mss: u32, gso_max_size: u32) -> Option<u32> {
        let most = if self.t.gso_payload { tp.gso_payload } else { gso_max_size };
        Some(self.skb_segs(tp, mss, u64::from(most)))
    }
    fn sndbuf_expand(&self) -> u32 {
        3
    }
    fn bbr_info(&self, tp: &Tp) -> Option<BbrInfo> {
        Some(info(tp, self.bandwidth(), self.min_rtt_us, (self.pacing_gain, self.cwnd_gain)))
    }
}
