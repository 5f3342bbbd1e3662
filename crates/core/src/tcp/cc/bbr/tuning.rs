//! What BBR v1's relatives change of it: gains, and four rules.

use super::aggregation::EXTRA_ACKED_RTTS;
use super::{CWND_GAIN, CYCLE, CYCLE_LEN, DRAIN_GAIN, HIGH_GAIN, SCALE, UNIT};
use crate::tcp::profile::Profile;

/// What the window does in the phase that probes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProbeWindow {
    /// Its gain is that of every phase.
    Same,
    /// Its gain is multiplied by the phase's pacing gain.
    Scaled,
}

/// Gains, in 1/256, and rules.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Pacing gain of Startup.
    pub startup: u32,
    /// Window's gain in Startup and Drain.
    pub startup_cwnd: u32,
    /// Pacing gain of Drain.
    pub drain: u32,
    /// Window's gain in ProbeBw.
    pub cwnd: u32,
    /// Pacing gains of the cycle.
    pub cycle: [u32; CYCLE_LEN],
    /// Window in the phase that probes.
    pub probe_window: ProbeWindow,
    /// Percent of the pacing rate.
    pub pace_percent: u32,
    /// The window allows for ACK aggregation.
    pub extra_acked: bool,
    /// Half of the window of aggregation, round trips.
    pub extra_acked_rtts: u8,
    /// The long-term rate.
    pub policer: bool,
    /// The cycle drains as long as the queue lasts.
    pub drain_to_target: bool,
}

impl Tuning {
    /// Linux's.
    pub const fn of(profile: &Profile) -> Tuning {
        Tuning {
            startup: HIGH_GAIN,
            startup_cwnd: HIGH_GAIN,
            drain: DRAIN_GAIN,
            cwnd: CWND_GAIN,
            cycle: CYCLE,
            probe_window: ProbeWindow::Same,
            pace_percent: 100,
            extra_acked: profile.bbr_extra_acked,
            extra_acked_rtts: EXTRA_ACKED_RTTS,
            policer: true,
            drain_to_target: false,
        }
    }
    /// The window's gain in a phase of the cycle.
    #[inline]
    pub const fn probe_window(&self, idx: usize) -> u32 {
        match self.probe_window {
            ProbeWindow::Scaled if self.cycle[idx] > UNIT => (self.cwnd * self.cycle[idx]) >> SCALE,
            _ => self.cwnd,
        }
    }
}

/// Makes a control of a type that is a tuned BBR.
macro_rules! is_a_bbr {
    ($name:ident) => {
        impl $crate::tcp::cc::Control for $name {
            fn has_cong_control(&self) -> bool {
                self.0.has_cong_control()
            }
            fn cong_control(&mut self, tp: &mut $crate::tcp::tp::Tp, rs: &$crate::tcp::cc::RateSample) {
                self.0.cong_control(tp, rs);
            }
            fn cong_avoid(&mut self, tp: &mut $crate::tcp::tp::Tp, ack: u32, acked: u32) {
                self.0.cong_avoid(tp, ack, acked);
            }
            fn ssthresh(&mut self, tp: &mut $crate::tcp::tp::Tp) -> u32 {
                self.0.ssthresh(tp)
            }
            fn undo_cwnd(&mut self, tp: &mut $crate::tcp::tp::Tp) -> u32 {
                self.0.undo_cwnd(tp)
            }
            fn set_state(&mut self, tp: &mut $crate::tcp::tp::Tp, new: $crate::tcp::tp::CaState) {
                self.0.set_state(tp, new);
            }
            fn event(&mut self, tp: &mut $crate::tcp::tp::Tp, event: $crate::tcp::cc::Event) {
                self.0.event(tp, event);
            }
            fn go_on(&mut self, before: &$name) {
                self.0.go_on(&before.0);
            }
            fn min_tso_segs(&self, tp: &$crate::tcp::tp::Tp) -> Option<u32> {
                self.0.min_tso_segs(tp)
            }
            fn sndbuf_expand(&self) -> u32 {
                self.0.sndbuf_expand()
            }
            fn bbr_info(&self, tp: &$crate::tcp::tp::Tp) -> Option<$crate::tcp::cc::BbrInfo> {
                self.0.bbr_info(tp)
            }
        }
    };
}
pub(in super::super) use is_a_bbr;
