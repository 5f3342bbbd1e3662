//! BBRp: BBR that probes for bandwidth at a rate and with a window that an aggregating link needs to show it.
//!
//! ```text
//! pacing_gain = [bbrp_pace / 4, 3/4, 1, 1, 1, 1, 1, 1]
//! while the phase's gain is above 1:  cwnd = bw * min_rtt * cwnd_gain * pacing_gain
//! ```
//! With `bbrp_pace` 5 it is BBR.
//!
//! Stands for: BBRp (IEEE Access 2020), Algorithm 1 and section IV, on the kernel of the profile (the paper's: 4.19, without BBR's allowance for
//! ACK aggregation).
//! Differs: D1 the paper writes the window of the probing phase as bw * min_rtt * pacing_gain; taken at its word that is less than BBR's two
//! bandwidth-delay products, and no probe. Here the gain multiplies BBR's window. D2 for `bbrp_pace` up to 5 the window is BBR's, since
//! the paper says that it then falls back to BBR.

use super::bbr::{Bbr, ProbeWindow, Tuning, UNIT, is_a_bbr};
use crate::tcp::profile::Profile;
use crate::tcp::tp::Tp;

/// `bbrp_pace` with which it is BBR. src: bbrp section IV
const BBR_PACE: u32 = 5;

crate::params! {
    /// `[bbrp]`.
    pub struct Params {
        /// Gain of the first phase of ProbeBW, in quarters; 5 is BBR.
        bbrp_pace: u32 = 6, in 4 => 40, src "bbrp section IV: 6 in all tests";
    }
}

/// BBRp.
#[derive(Clone, Debug)]
pub struct Bbrp(Bbr);

impl Bbrp {
    /// Starts.
    pub fn new(p: &Params, profile: &'static Profile, tp: &mut Tp) -> Bbrp {
        Bbrp(Bbr::tuned(tuning(p, profile), profile, tp))
    }
}

fn tuning(p: &Params, profile: &Profile) -> Tuning {
    let mut t = Tuning::of(profile);
    t.cycle[0] = UNIT * p.bbrp_pace / 4;
    if p.bbrp_pace > BBR_PACE {
        t.probe_window = ProbeWindow::Scaled;
    }
    t
}

is_a_bbr!(Bbrp);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::V4_19;

    #[test]
    fn probes_at_one_and_a_half_and_three_products() {
        let t = tuning(&Params::default(), &V4_19);
        assert_eq!(t.cycle, [384, 192, 256, 256, 256, 256, 256, 256]);
        assert_eq!((t.probe_window(0), t.probe_window(1), t.probe_window(2)), (768, 512, 512));
        assert!(!t.extra_acked, "4.19 has no allowance");
    }

    #[test]
    fn five_is_bbr() {
        let t = tuning(&Params { bbrp_pace: 5 }, &V4_19);
        assert_eq!((t.cycle[0], t.probe_window(0)), (320, 512));
    }
}
