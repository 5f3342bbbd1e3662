//! BBR+: BBR v1 with every gain a parameter, and its pacing rate as a part of what BBR asks for.
//!
//! `pacing rate = pace * gain * bandwidth`; gains as in bbr. With its defaults it is BBR.
//!
//! Stands for: the patch of Hard Times (section VI-E), by which BBR's pacing rate doubles and triples as `tcp_pacing_*_ratio` make it for the
//! others, which BBR ignores.
//! Differs: D1 the paper gives only the probing phase's gains (1.25, 2.5, 3.75) and says that the rate doubles; `pace` therefore multiplies the
//! rate in every phase, while BBR's decisions (what is a probe, how much should be in flight) see the gain alone. D2 the gain of the six
//! phases that neither probe nor drain stays 1: BBR knows them by it.

use super::bbr::{Bbr, Tuning, UNIT, is_a_bbr};
use crate::tcp::profile::Profile;
use crate::tcp::tp::Tp;

crate::params! {
    /// `[bbr-plus]`. Gains are in 1/256.
    pub struct Params {
        /// Percent of BBR's pacing rate that is paced.
        pace: u32 = 100, in 1 => 1_000, unit "%", src "Hard Times section VI-E: 1p, 2p, 3p";
        /// Pacing gain of Startup.
        startup_gain: u32 = 739, in 257 => 2_047, src "linux@6.12 net/ipv4/tcp_bbr.c bbr_high_gain";
        /// Window's gain in Startup and Drain.
        startup_cwnd_gain: u32 = 739, in 257 => 2_047, src "linux@6.12 net/ipv4/tcp_bbr.c bbr_high_gain";
        /// Pacing gain of Drain.
        drain_gain: u32 = 88, in 1 => 256, src "linux@6.12 net/ipv4/tcp_bbr.c bbr_drain_gain";
        /// Window's gain in ProbeBW.
        cwnd_gain: u32 = 512, in 256 => 2_047, src "linux@6.12 net/ipv4/tcp_bbr.c bbr_cwnd_gain";
        /// Pacing gain of the phase that probes.
        probe_gain: u32 = 320, in 257 => 2_047, src "linux@6.12 net/ipv4/tcp_bbr.c bbr_pacing_gain";
        /// Pacing gain of the phase that drains.
        drain_phase_gain: u32 = 192, in 1 => 255, src "linux@6.12 net/ipv4/tcp_bbr.c bbr_pacing_gain";
    }
}

/// BBR+.
#[derive(Clone, Debug)]
pub struct BbrPlus(Bbr);

impl BbrPlus {
    /// Starts.
    pub fn new(p: &Params, profile: &'static Profile, tp: &mut Tp) -> BbrPlus {
        BbrPlus(Bbr::tuned(tuning(p, profile), profile, tp))
    }
}

fn tuning(p: &Params, profile: &Profile) -> Tuning {
    let c = UNIT;
    Tuning {
        startup: p.startup_gain,
        startup_cwnd: p.startup_cwnd_gain,
        drain: p.drain_gain,
        cwnd: p.cwnd_gain,
        cycle: [p.probe_gain, p.drain_phase_gain, c, c, c, c, c, c],
        pace_percent: p.pace,
        ..Tuning::of(profile)
    }
}

is_a_bbr!(BbrPlus);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::V5_4;

    #[test]
    fn its_defaults_are_bbr() {
        let (p, b) = (tuning(&Params::default(), &V5_4), Tuning::of(&V5_4));
        assert_eq!(
            (p.startup, p.startup_cwnd, p.drain, p.cwnd, p.cycle),
            (b.startup, b.startup_cwnd, b.drain, b.cwnd, b.cycle)
        );
        assert_eq!((p.pace_percent, p.extra_acked), (100, b.extra_acked));
    }

    #[test]
    fn twice_the_pace_is_twice_the_first_rate() {
        let rate = |pace| {
            let mut tp = Tp::new(1_000, 0);
            (tp.mss_cache, tp.srtt_us) = (1_448, 8_000);
            BbrPlus::new(&Params { pace, ..Params::default() }, &V5_4, &mut tp);
            tp.pacing_rate
        };
        assert_eq!(rate(200), 2 * rate(100));
    }
}
