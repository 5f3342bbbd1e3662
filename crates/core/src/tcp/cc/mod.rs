//! Congestion controls: one file each, one line each in [`algorithms!`] below.
//!
//! Stands for: `struct tcp_congestion_ops` of Linux 6.12 include/net/tcp.h. A control sees [`Tp`] and nothing else of the socket. It is
//! dispatched by a match on an enum, never through a vtable. Adding one: write `cc/NAME.rs` with `Params` (by `params!`) and a type that
//! implements [`Control`], add `mod NAME;` and a line; schema, names, `[NAME]` and the test battery come with the line.

pub mod bbr;
pub mod bbr2;
pub mod bbr3;
pub mod bbr_dev;
pub mod bbr_plus;
pub mod bbrp;
pub mod bic;
pub mod cdg;
pub mod cubic;
pub mod dctcp;
pub mod highspeed;
pub mod htcp;
pub mod hybla;
pub mod hystart;
pub mod illinois;
pub mod lp;
pub mod nv;
pub mod reno;
pub mod scalable;
pub mod vegas;
pub mod veno;
pub mod westwood;
pub mod yeah;

#[cfg(test)]
mod battery;
#[cfg(test)]
mod driven;
/// CONTRIBUTING's worked example.
#[cfg(test)]
mod example;

use super::profile::Profile;
use super::rtx::Seg;
use super::tp::{CaState, Tp};

/// What happened, for a control. src: linux@6.12 include/net/tcp.h tcp_ca_event
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The first transmission when nothing is in flight.
    TxStart,
    /// The window restarts after idleness.
    CwndRestart,
    /// The reduction is complete.
    CompleteCwr,
    /// A timeout.
    Loss,
    /// A packet came without congestion mark.
    EcnNoCe,
    /// A packet came with congestion mark.
    EcnIsCe,
}

/// What an ACK tells about the rate of delivery. src: linux@6.12 include/net/tcp.h rate_sample
#[derive(Clone, Copy, Debug, Default)]
pub struct RateSample {
    /// `delivered_mstamp` when the reference segment was sent, microseconds; 0: no sample.
    pub prior_mstamp: u64,
    /// `delivered` when the reference segment was sent.
    pub prior_delivered: u32,
    /// `delivered_ce` when the reference segment was sent.
    pub prior_delivered_ce: u32,
    /// Segments delivered over the interval; -1: invalid.
    pub delivered: i32,
    /// Of these, with a congestion mark.
    pub delivered_ce: i32,
    /// Length of the interval, microseconds; -1: invalid.
    pub interval_us: i64,
    /// Its send phase, microseconds.
    pub snd_interval_us: u32,
    /// Its acknowledgement phase, microseconds.
    pub rcv_interval_us: u32,
    /// RTT of the last segment acknowledged, microseconds; -1: none.
    pub rtt_us: i64,
    /// Segments newly marked lost.
    pub losses: u32,
    /// Segments newly acknowledged or SACKed.
    pub acked_sacked: u32,
    /// Segments in flight before this ACK.
    pub prior_in_flight: u32,
    /// In flight when the reference segment was sent, itself included, segments (BBR v2's kernels).
    pub tx_in_flight: u32,
    /// `lost` when the reference segment was sent.
    pub prior_lost: u32,
    /// Marked lost since it was sent, segments (BBR v2's kernels).
    pub lost: u32,
    /// End of the reference segment.
    pub last_end_seq: u32,
    /// The application did not fill the pipe.
    pub is_app_limited: bool,
    /// The reference segment was retransmitted.
    pub is_retrans: bool,
    /// The ACK was likely delayed.
    pub is_ack_delayed: bool,
}

/// What an ACK acknowledged (`struct ack_sample`).
#[derive(Clone, Copy, Debug)]
pub struct AckSample {
    /// Segments.
    pub pkts_acked: u32,
    /// RTT of the last one, microseconds; negative: none.
    pub rtt_us: i64,
    /// Bytes in flight when it was sent.
    pub in_flight: u32,
}

/// What BBR tells beside `TCP_INFO`. src: linux@6.12 include/uapi/linux/inet_diag.h struct tcp_bbr_info; net/ipv4/tcp_bbr.c bbr_get_info
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BbrInfo {
    /// The bandwidth that it believes in, bytes a second.
    pub bw: u64,
    /// Least RTT of the last ten seconds, microseconds; `u32::MAX`: none yet.
    pub min_rtt_us: u32,
    /// Gain of the pacing rate, in 1/256.
    pub pacing_gain: u32,
    /// Gain of the window, in 1/256.
    pub cwnd_gain: u32,
}

/// What [`Control::in_ack`] is told of an ACK (`enum tcp_ca_ack_event_flags`), and what counts for a duplicate's bytes.
#[derive(Clone, Copy, Debug)]
pub struct InAck {
    /// Header prediction did not take it (`CA_ACK_SLOWPATH`).
    pub slow_path: bool,
    /// It moved the window (`CA_ACK_WIN_UPDATE`).
    pub window: bool,
    /// It has ECE (`CA_ACK_ECE`).
    pub ece: bool,
    /// Segment size that the peer seems to use (`icsk_ack.rcv_mss`), bytes.
    pub rcv_mss: u32,
}

impl InAck {
    /// One that header prediction took, or not, and that moves the window.
    #[cfg(test)]
    pub const fn plain(slow_path: bool) -> InAck {
        InAck { slow_path, window: true, ece: false, rcv_mss: 1_448 }
    }
}

/// A congestion control. What a control does not have keeps Linux's default.
pub trait Control {
    /// A window after a loss (`ssthresh`), segments.
    fn ssthresh(&mut self, tp: &mut Tp) -> u32;
    /// Grows the window for `acked` segments (`cong_avoid`).
    fn cong_avoid(&mut self, tp: &mut Tp, ack: u32, acked: u32);
    /// Whether growth has ended in a reduction that the control wants by itself (`tcp_enter_cwr`): asked after each [`Control::cong_avoid`].
    fn wants_cwr(&mut self) -> bool {
        false
    }
    /// The recovery state changes to `new` (`set_state`); `tp.ca_state` is still the old one.
    fn set_state(&mut self, _tp: &mut Tp, _new: CaState) {}
    /// Something happened (`cwnd_event`).
    fn event(&mut self, _tp: &mut Tp, _event: Event) {}
    /// An ACK came, before it is judged (`in_ack_event`).
    fn in_ack(&mut self, _tp: &mut Tp, _ack: InAck) {}
    /// Timestamps of the ACK, before [`Control::pkts_acked`] (`rx_opt.rcv_tsval`, `rcv_tsecr`); 0: none.
    fn timestamps(&mut self, _tsval: u32, _tsecr: u32) {}
    /// Segments were acknowledged (`pkts_acked`).
    fn pkts_acked(&mut self, _tp: &mut Tp, _sample: &AckSample) {}
    /// The window to return to when a reduction was a mistake (`undo_cwnd`), segments.
    fn undo_cwnd(&mut self, tp: &mut Tp) -> u32 {
        tp.snd_cwnd.max(tp.prior_cwnd)
    }
    /// A segment was marked lost (`skb_marked_lost` of BBR v2's kernels).
    fn seg_lost(&mut self, _tp: &mut Tp, _seg: &Seg) {}
    /// Segments a GSO skb, where the control decides all of it (`tso_segs` of BBR v2's kernels).
    fn tso_segs(&self, _tp: &Tp, _mss: u32, _gso_max_size: u32) -> Option<u32> {
        None
    }
    /// Smallest GSO skb, segments (`min_tso_segs`).
    fn min_tso_segs(&self, _tp: &Tp) -> Option<u32> {
        None
    }
    /// Send buffer in windows (`sndbuf_expand`).
    fn sndbuf_expand(&self) -> u32 {
        2
    }
    /// What a client's SYN-ACK left, for it is judged as any ACK before the control is initialised, and not all is (tcp_rcv_synsent_state_process).
    fn go_on(&mut self, _before: &Self)
    where
        Self: Sized,
    {
    }
    /// Whether [`Control::in_ack`] counts packets, those that bring data and acknowledge nothing among them.
    fn hears_acks(&self) -> bool {
        false
    }
    /// Whether it sets window and pacing rate itself, by [`Control::cong_control`].
    fn has_cong_control(&self) -> bool {
        false
    }
    /// Sets window and pacing rate after each ACK.
    fn cong_control(&mut self, _tp: &mut Tp, _rs: &RateSample) {}
    /// What it tells of itself, if it is of BBR's family (`get_info`).
    fn bbr_info(&self, _tp: &Tp) -> Option<BbrInfo> {
        None
    }
}

/// Declares every congestion control: `Name = "name" in module`.
macro_rules! algorithms {
    ($( $(#[$doc:meta])* $v:ident = $name:literal in $m:ident ),* $(,)?) => {
        $crate::choices! {
            /// A congestion control, by name.
            pub enum Cc { $( $(#[$doc])* $v = $name ),* }
        }

        /// `[NAME]` of every congestion control.
        #[derive(Clone, Copy, PartialEq, Debug, Default)]
        pub struct Tunables { $( $(#[$doc])* pub $m: $m::Params ),* }

        impl Tunables {
            /// The schema of every section, by the control's name.
            pub fn schemas() -> Vec<(&'static str, Vec<$crate::sim::params::Param>)> {
                use $crate::sim::params::Schema;
                vec![ $( ($name, $m::Params::schema()) ),* ]
            }
            /// Every section's keys with their present values.
            pub fn values(&self) -> Vec<(&'static str, &'static str, String)> {
                use $crate::sim::params::Schema;
                let mut all = Vec::new();
                $( all.extend(self.$m.values().into_iter().map(|(k, v)| ($name, k, v))); )*
                all
            }
            /// Sets a key of a control's section. `None`: there is no such section or key.
            pub fn set(
                &mut self,
                section: &str,
                key: &str,
                raw: &$crate::sim::params::Raw,
            ) -> Option<Result<(), $crate::sim::params::Refused>> {
                use $crate::sim::params::Schema;
                match section {
                    $( $name => self.$m.set(key, raw), )*
                    _ => None,
                }
            }
        }

        /// A congestion control at work.
        #[derive(Clone, Debug)]
        pub enum Algorithm { $( $(#[$doc])* $v($m::$v) ),* }

        impl Algorithm {
            /// Starts `which` on a connection that is just established, or under way: no reduction before it is undone
            /// (`tcp_init_congestion_control`).
            pub fn new(which: Cc, tunables: &Tunables, profile: &'static Profile, tp: &mut Tp) -> Algorithm {
                tp.prior_ssthresh = 0;
                match which { $( Cc::$v => Algorithm::$v($m::$v::new(&tunables.$m, profile, tp)) ),* }
            }
        }

        impl Control for Algorithm {
            #[inline]
            fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
                match self { $( Algorithm::$v(a) => a.ssthresh(tp) ),* }
            }
            #[inline]
            fn cong_avoid(&mut self, tp: &mut Tp, ack: u32, acked: u32) {
                match self { $( Algorithm::$v(a) => a.cong_avoid(tp, ack, acked) ),* }
            }
            #[inline]
            fn wants_cwr(&mut self) -> bool {
                match self { $( Algorithm::$v(a) => a.wants_cwr() ),* }
            }
            #[inline]
            fn set_state(&mut self, tp: &mut Tp, new: CaState) {
                match self { $( Algorithm::$v(a) => a.set_state(tp, new) ),* }
            }
            #[inline]
            fn event(&mut self, tp: &mut Tp, event: Event) {
                match self { $( Algorithm::$v(a) => a.event(tp, event) ),* }
            }
            #[inline]
            fn in_ack(&mut self, tp: &mut Tp, ack: InAck) {
                match self { $( Algorithm::$v(a) => a.in_ack(tp, ack) ),* }
            }
            #[inline]
            fn timestamps(&mut self, tsval: u32, tsecr: u32) {
                match self { $( Algorithm::$v(a) => a.timestamps(tsval, tsecr) ),* }
            }
            #[inline]
            fn pkts_acked(&mut self, tp: &mut Tp, sample: &AckSample) {
                match self { $( Algorithm::$v(a) => a.pkts_acked(tp, sample) ),* }
            }
            #[inline]
            fn undo_cwnd(&mut self, tp: &mut Tp) -> u32 {
                match self { $( Algorithm::$v(a) => a.undo_cwnd(tp) ),* }
            }
            #[inline]
            fn seg_lost(&mut self, tp: &mut Tp, seg: &Seg) {
                match self { $( Algorithm::$v(a) => a.seg_lost(tp, seg) ),* }
            }
            #[inline]
            fn tso_segs(&self, tp: &Tp, mss: u32, gso_max_size: u32) -> Option<u32> {
                match self { $( Algorithm::$v(a) => a.tso_segs(tp, mss, gso_max_size) ),* }
            }
            #[inline]
            fn min_tso_segs(&self, tp: &Tp) -> Option<u32> {
                match self { $( Algorithm::$v(a) => a.min_tso_segs(tp) ),* }
            }
            #[inline]
            fn sndbuf_expand(&self) -> u32 {
                match self { $( Algorithm::$v(a) => a.sndbuf_expand() ),* }
            }
            fn go_on(&mut self, before: &Algorithm) {
                match (self, before) {
                    $( (Algorithm::$v(a), Algorithm::$v(b)) => a.go_on(b), )*
                    _ => {}
                }
            }
            #[inline]
            fn hears_acks(&self) -> bool {
                match self { $( Algorithm::$v(a) => a.hears_acks() ),* }
            }
            #[inline]
            fn has_cong_control(&self) -> bool {
                match self { $( Algorithm::$v(a) => a.has_cong_control() ),* }
            }
            #[inline]
            fn cong_control(&mut self, tp: &mut Tp, rs: &RateSample) {
                match self { $( Algorithm::$v(a) => a.cong_control(tp, rs) ),* }
            }
            fn bbr_info(&self, tp: &Tp) -> Option<BbrInfo> {
                match self { $( Algorithm::$v(a) => a.bbr_info(tp) ),* }
            }
        }
    };
}

algorithms! {
    /// NewReno.
    Reno = "reno" in reno,
    /// CUBIC with HyStart.
    Cubic = "cubic" in cubic,
    /// Vegas.
    Vegas = "vegas" in vegas,
    /// BBR v1.
    Bbr = "bbr" in bbr,
    /// YeAH.
    Yeah = "yeah" in yeah,
    /// HighSpeed.
    Highspeed = "highspeed" in highspeed,
    /// New Vegas (Linux's `tcp_nv`).
    Nv = "nv" in nv,
    /// Westwood+.
    Westwood = "westwood" in westwood,
    /// Veno.
    Veno = "veno" in veno,
    /// Hybla.
    Hybla = "hybla" in hybla,
    /// BIC.
    Bic = "bic" in bic,
    /// H-TCP.
    Htcp = "htcp" in htcp,
    /// Illinois.
    Illinois = "illinois" in illinois,
    /// Scalable.
    Scalable = "scalable" in scalable,
    /// DCTCP.
    Dctcp = "dctcp" in dctcp,
    /// CDG: CAIA delay gradient.
    Cdg = "cdg" in cdg,
    /// TCP-LP: low priority.
    Lp = "lp" in lp,
    /// BBR-DEV: BBR with the Wi-Fi patches of 2018.
    BbrDev = "bbr-dev" in bbr_dev,
    /// BBR+: BBR with tunable gains.
    BbrPlus = "bbr-plus" in bbr_plus,
    /// BBRp.
    Bbrp = "bbrp" in bbrp,
    /// BBR v2.
    Bbr2 = "bbr2" in bbr2,
    /// BBR v3.
    Bbr3 = "bbr3" in bbr3,
}

impl Cc {
    /// It goes by how many packets are marked: its connections ask for ECN, all that they send can be marked, and their receivers echo
    /// each mark (`TCP_CONG_NEEDS_ECN`).
    #[inline]
    pub const fn needs_ecn(self) -> bool {
        matches!(self, Cc::Dctcp)
    }
}

/// Slow start: one segment an acknowledged segment, up to ssthresh; the acknowledged segments that are left over.
/// src: linux@6.12 net/ipv4/tcp_cong.c tcp_slow_start
pub fn slow_start(tp: &mut Tp, acked: u32) -> u32 {
    if tp.counts_acks {
        tp.snd_cwnd = tp.snd_cwnd.saturating_add(acked).min(tp.snd_ssthresh.saturating_add(1)).min(tp.snd_cwnd_clamp);
        return 0;
    }
    let cwnd = tp.snd_cwnd.saturating_add(acked).min(tp.snd_ssthresh);
    let left = acked - (cwnd - tp.snd_cwnd);
    tp.snd_cwnd = cwnd.min(tp.snd_cwnd_clamp);
    left
}

/// What an ACK of `acked` segments is worth above ssthresh, once slow start has had its part. Before 5.7 some controls took it for one
/// segment there, and for none where it ended slow start.
pub fn beyond_slow_start(tp: &mut Tp, acked: u32, stretch_acks: bool) -> u32 {
    match (tp.in_slow_start(), stretch_acks) {
        (true, true) => slow_start(tp, acked),
        (true, false) => {
            slow_start(tp, acked);
            0
        }
        (false, true) => acked,
        (false, false) => acked.min(1),
    }
}

/// Additive increase: one segment every `w` acknowledged. src: linux@6.12 net/ipv4/tcp_cong.c tcp_cong_avoid_ai
pub fn additive_increase(tp: &mut Tp, w: u32, acked: u32) {
    let w = w.max(1);
    if tp.counts_acks {
        // src: linux@3.18 net/ipv4/tcp_cong.c tcp_cong_avoid_ai
        if tp.snd_cwnd_cnt < w {
            tp.snd_cwnd_cnt += acked.min(1);
        } else {
            tp.snd_cwnd_cnt = 0;
            tp.snd_cwnd = (tp.snd_cwnd + 1).min(tp.snd_cwnd_clamp);
        }
        return;
    }
    // Credit from a time of larger `w` is spent gently.
    if tp.snd_cwnd_cnt >= w {
        tp.snd_cwnd_cnt = 0;
        tp.snd_cwnd += 1;
    }
    tp.snd_cwnd_cnt += acked;
    if tp.snd_cwnd_cnt >= w {
        let delta = tp.snd_cwnd_cnt / w;
        tp.snd_cwnd_cnt -= delta * w;
        tp.snd_cwnd += delta;
    }
    tp.snd_cwnd = tp.snd_cwnd.min(tp.snd_cwnd_clamp);
}

/// Reno's window after a loss: half. src: linux@6.12 net/ipv4/tcp_cong.c tcp_reno_ssthresh
pub fn reno_ssthresh(tp: &Tp) -> u32 {
    (tp.snd_cwnd >> 1).max(2)
}

/// Reno's growth. src: linux@6.12 net/ipv4/tcp_cong.c tcp_reno_cong_avoid
pub fn reno_cong_avoid(tp: &mut Tp, mut acked: u32) {
    if !tp.cwnd_limits() {
        return;
    }
    if tp.in_slow_start() {
        acked = slow_start(tp, acked);
        if acked == 0 {
            return;
        }
    }
    additive_increase(tp, tp.snd_cwnd, acked);
}
