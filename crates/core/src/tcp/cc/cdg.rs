//! CDG: gives way when round trips get longer from one to the next, before anything is lost; losses that come without a queue are tolerated.
//!
//! Once a round trip the change of its least and of its largest RTT joins the changes of the last `window` rounds. Where their sum `g` is positive
//! the window shrinks to `backoff_beta` of itself with probability `1 - exp(-g * backoff_factor)`: most likely where a queue grows. Against flows
//! that fill it anyway two heuristics help: after `use_ineff` reductions in a row that did not shorten the round trip there are none
//! until it gets shorter, and a shadow window remembers what the reductions by delay have cost, so that a loss halves that.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_cdg.c (from 4.2 on); Hayes, Armitage: Revisiting TCP congestion control using delay gradients (Networking
//! 2011). Before 5.0 the ACK train has a clock of its own, which shows the same in virtual time. Differs: D1 chance is a stream seeded by the connection's first sequence
//! number; D2 there is memory for the window of gradients.

mod exp;
mod hystart;

#[cfg(test)]
mod vectors;

use super::{AckSample, Control, Event, reno_cong_avoid};
use crate::sim::{Stream, Streams};
use crate::tcp::profile::Profile;
use crate::tcp::seq::after;
use crate::tcp::tp::Tp;
use exp::nexp;
use hystart::Train;

/// Scale of `backoff_beta`.
const BETA_SCALE: u32 = 1_024;
/// A sum of gradients that low says that a reduction had an effect, microseconds. src: linux@6.12 net/ipv4/tcp_cdg.c tcp_cdg_grad
const EFFECTUAL_US: i32 = -32;
/// What `use_tolerance` takes for no change, microseconds. src: the same
const SMALL_US: i32 = 64;
/// ACKs that the filter of delayed ones remembers. src: linux@6.12 net/ipv4/tcp_cdg.c tcp_cdg_acked
const MOST_DELAYED: u8 = 5;

crate::params! {
    /// `[cdg]`: the module's parameters.
    pub struct Params {
        /// Round trips that a gradient is taken over: a power of two.
        window: u16 = 8, in 1 => 256, unit "round trips", src "linux@6.12 net/ipv4/tcp_cdg.c";
        /// Window that a reduction by delay leaves, in 1/1024 of what it was.
        backoff_beta: u32 = 724, in 0 => 1_024, src "linux@6.12 net/ipv4/tcp_cdg.c";
        /// Scale of the probability of a reduction: 1000/(G * window) of the paper's G.
        backoff_factor: u32 = 42, src "linux@6.12 net/ipv4/tcp_cdg.c";
        /// HyStart's detectors: 0 none, 1 ACK train, 2 delay, 3 both.
        hystart_detect: u8 = 3, in 0 => 3, src "linux@6.12 net/ipv4/tcp_cdg.c";
        /// Reductions without effect after which there are no more until the round trip gets shorter; 0: there always are.
        use_ineff: u32 = 5, src "linux@6.12 net/ipv4/tcp_cdg.c";
        /// A loss halves the window that there would be without reductions by delay.
        use_shadow: bool = true, src "linux@6.12 net/ipv4/tcp_cdg.c";
        /// A loss where no queue was seen leaves the window as it is.
        use_tolerance: bool = false, src "linux@6.12 net/ipv4/tcp_cdg.c";
    }
}

/// A least and a largest value, microseconds (`struct cdg_minmax`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Minmax {
    min: i32,
    max: i32,
}

impl Minmax {
    /// Something was measured (`v64`).
    fn is_some(self) -> bool {
        self != Minmax::default()
    }
    /// `min_not_zero`, and the largest.
    fn take(&mut self, rtt: i32) {
        self.min = if self.min == 0 { rtt } else { self.min.min(rtt) };
        self.max = self.max.max(rtt);
    }
}

/// What is believed of the queue (`enum cdg_state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Unknown,
    NonFull,
    Full,
    /// The reduction under way is for the delay.
    Backoff,
}

/// What begins anew where the window restarts (`CA_EVENT_CWND_RESTART`), gradients apart.
#[derive(Clone, Debug, Default)]
struct Seen {
    rtt: Minmax,
    rtt_prev: Minmax,
    gsum: Minmax,
    gfilled: bool,
    tail: u8,
    state: State,
    delack: u8,
    rtt_seq: u32,
    /// Window without reductions by delay, segments.
    shadow_wnd: u32,
    backoff_cnt: u16,
    train: Train,
}

/// CDG.
#[derive(Clone, Debug)]
pub struct Cdg {
    p: Params,
    gradients: Box<[Minmax]>,
    s: Seen,
    random: Stream,
    /// The socket shall reduce its window: asked once, after growth.
    reduces: bool,
}

impl Cdg {
    /// Starts.
    pub fn new(p: &Params, _: &'static Profile, tp: &mut Tp) -> Cdg {
        Cdg {
            p: *p,
            gradients: vec![Minmax::default(); if p.window > 1 { p.window.into() } else { 0 }].into(),
            s: Seen { rtt_seq: tp.snd_nxt, shadow_wnd: tp.snd_cwnd, ..Seen::default() },
            random: Streams::new(u64::from(tp.snd_una)).get("tcp", "cdg backoff"),
            reduces: false,
        }
    }

    /// `tcp_cdg_grad`: by how much round trips have become longer over the window, microseconds times `window`.
    fn grad(&mut self) -> i32 {
        let (s, window) = (&mut self.s, i32::from(self.p.window));
        let mut g = Minmax { min: s.rtt.min.wrapping_sub(s.rtt_prev.min), max: s.rtt.max.wrapping_sub(s.rtt_prev.max) };
        if let Some(oldest) = self.gradients.get_mut(usize::from(s.tail)) {
            s.gsum.min = s.gsum.min.wrapping_add(g.min.wrapping_sub(oldest.min));
            s.gsum.max = s.gsum.max.wrapping_add(g.max.wrapping_sub(oldest.max));
            *oldest = g;
            s.tail = ((u16::from(s.tail) + 1) & (self.p.window - 1)) as u8;
            g = s.gsum;
        }
        let mut grad = if g.min > 0 { g.min } else { g.max };
        // What the window does not have yet is taken as what it has.
        if !s.gfilled {
            if s.tail == 0 {
                s.gfilled = true;
            } else {
                grad = grad.wrapping_mul(window) / i32::from(s.tail);
            }
        }
        if g.min <= EFFECTUAL_US || g.max <= EFFECTUAL_US {
            s.backoff_cnt = 0;
        }
        if self.p.use_tolerance {
            let (min, max) = (div_round_closest(g.min, SMALL_US), div_round_closest(g.max, SMALL_US));
            if min > 0 && max <= 0 {
                s.state = State::Full;
            } else if (min > 0 && max > 0) || max < 0 {
                s.state = State::NonFull;
            }
        }
        grad
    }

    /// `tcp_cdg_backoff`: whether the window is reduced for such a gradient.
    fn backs_off(&mut self, tp: &Tp, grad: u32) -> bool {
        let s = &mut self.s;
        if self.random.bits() as u32 <= nexp(grad.wrapping_mul(self.p.backoff_factor)) {
            return false;
        }
        if self.p.use_ineff > 0 {
            s.backoff_cnt = s.backoff_cnt.wrapping_add(1);
            if u32::from(s.backoff_cnt) > self.p.use_ineff {
                return false;
            }
        }
        s.shadow_wnd = s.shadow_wnd.max(tp.snd_cwnd);
        s.state = State::Backoff;
        self.reduces = true;
        true
    }

    /// A round trip is over: its gradient, 0 where the one before was not measured.
    fn round(&mut self, tp: &Tp) -> i32 {
        let grad = if self.s.rtt_prev.is_some() { self.grad() } else { 0 };
        let s = &mut self.s;
        s.rtt_seq = tp.snd_nxt;
        s.rtt_prev = core::mem::take(&mut s.rtt);
        s.train.next_round();
        grad
    }
}

/// `DIV_ROUND_CLOSEST`.
fn div_round_closest(x: i32, by: i32) -> i32 {
    let half = if x > 0 { by / 2 } else { -by / 2 };
    x.wrapping_add(half) / by
}

impl Control for Cdg {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        let (s, cwnd) = (&mut self.s, tp.snd_cwnd);
        if s.state == State::Backoff {
            return (cwnd.wrapping_mul(self.p.backoff_beta.min(BETA_SCALE)) / BETA_SCALE).max(2);
        }
        if s.state == State::NonFull && self.p.use_tolerance {
            return cwnd;
        }
        s.shadow_wnd = (s.shadow_wnd >> 1).min(cwnd);
        let shadow = if self.p.use_shadow { s.shadow_wnd } else { 0 };
        shadow.max(cwnd >> 1).max(2)
    }

    fn cong_avoid(&mut self, tp: &mut Tp, ack: u32, acked: u32) {
        if tp.in_slow_start()
            && self.p.hystart_detect > 0
            && self.s.train.ends(tp, self.s.rtt.min, self.p.hystart_detect)
        {
            tp.snd_ssthresh = tp.snd_cwnd;
        }
        if after(ack, self.s.rtt_seq) && self.s.rtt.is_some() {
            let grad = self.round(tp);
            if grad > 0 && self.backs_off(tp, grad as u32) {
                return;
            }
        }
        if !tp.cwnd_limits() {
            self.s.shadow_wnd = self.s.shadow_wnd.min(tp.snd_cwnd);
            return;
        }
        let before = tp.snd_cwnd;
        reno_cong_avoid(tp, acked);
        let grown = self.s.shadow_wnd.wrapping_add(tp.snd_cwnd.wrapping_sub(before));
        self.s.shadow_wnd = self.s.shadow_wnd.max(grown);
    }

    fn wants_cwr(&mut self) -> bool {
        core::mem::take(&mut self.reduces)
    }

    fn pkts_acked(&mut self, tp: &mut Tp, sample: &AckSample) {
        if sample.rtt_us <= 0 {
            return;
        }
        let (s, rtt) = (&mut self.s, sample.rtt_us as i32);
        // A delayed ACK only tells that the round trip is no longer than that.
        if tp.sacked_out == 0 {
            if sample.pkts_acked == 1 && s.delack > 0 {
                s.rtt.min = s.rtt.min.min(rtt);
                s.delack -= 1;
                return;
            }
            if sample.pkts_acked > 1 && s.delack < MOST_DELAYED {
                s.delack += 1;
            }
        }
        s.rtt.take(rtt);
    }

    fn event(&mut self, tp: &mut Tp, event: Event) {
        match event {
            Event::CwndRestart => {
                self.gradients.fill(Minmax::default());
                self.s = Seen { rtt_seq: tp.snd_nxt, shadow_wnd: tp.snd_cwnd, ..Seen::default() };
            }
            Event::CompleteCwr => {
                let s = &mut self.s;
                s.state = State::Unknown;
                s.rtt_seq = tp.snd_nxt;
                s.rtt_prev = core::mem::take(&mut s.rtt);
            }
            _ => {}
        }
    }
}
