//! A floor of offices: where stations stand, and what the way between two places costs.
//!
//! Stands for: the thesis's test bed (section 5.9.1, Figure 5.13: one floor, an access point, a client S that stays, four clients moved to ten
//! placements; four of the five are active at a time: fifty topologies), as a distribution, not as that building. Path loss, shadowing and what is in
//! sight: TGn's channel model D, a typical office (V. Erceg et al., "TGn channel models", IEEE 802.11-03/940r4): free space to the
//! breakpoint, steeper beyond, a line of sight up to there only. The shadowing belongs to the place, as a sum of plane waves, so that a walker meets
//! it as somebody who stands there does. Noise is that of the channel's width, the loss of the first metre that of its band.
//! Differs: D1 no walls: they are the exponent and the shadowing; D2 what antennas, desks and bodies take is one number for all, in both bands; D3 who
//! crosses the breakpoint loses the line of sight, and finds the other shadowing, at once; D4 the shadowing's correlation is none of the literature's
//! (see [`CORRELATION`]): M. Gudmundson's ("Correlation model for shadow fading", Electronics Letters 27, 1991) is exp(-d / D).

use crate::phy::Band;
use crate::sim::{Stream, Streams};
use libm::{cos, log10, sqrt};

crate::params! {
    /// `[floor]`: the floor plan, calibrated on Table 5.3's column of Minstrel HT with FIFO (docs/channel.md).
    pub struct Params {
        /// Which of the fifty topologies the stations' places are taken from: five a placement. 0: none, SNRs are given.
        topology: u8 = 0, in 0 => 50, src "thesis 5.9.1";
        /// What the places and the shadowing are drawn from, apart from the run's seed; of 1 to 16 the one that calibrates best.
        layout: u32 = 7, src "calibrated: thesis table 5.3, Minstrel HT + FIFO";
        /// The floor's length, m.
        length_m: f64 = 65.6, in 5.0 => 500.0, unit "m", src "calibrated: thesis table 5.3, Minstrel HT + FIFO";
        /// Its depth, m.
        depth_m: f64 = 15.0, in 5.0 => 500.0, unit "m", src "this project: an office floor";
        /// Up to here a station is in sight of the access point, m.
        breakpoint_m: f64 = 10.0, in 1.0 => 100.0, unit "m", src "IEEE 802.11-03/940r4 table I, model D";
        /// Path loss exponent up to the breakpoint.
        near_exponent: f64 = 2.0, in 1.5 => 6.0, src "IEEE 802.11-03/940r4 table I";
        /// Path loss exponent beyond it.
        exponent: f64 = 3.5, in 1.5 => 6.0, src "IEEE 802.11-03/940r4 table I";
        /// Deviation of the shadowing up to the breakpoint, dB.
        near_shadow_db: f64 = 3.0, in 0.0 => 20.0, unit "dB", src "IEEE 802.11-03/940r4 table I, model D";
        /// Deviation of the shadowing beyond it, dB.
        shadow_db: f64 = 5.0, in 0.0 => 20.0, unit "dB", src "IEEE 802.11-03/940r4 table I, model D";
        /// Rician factor of the first tap in sight, dB; none out of sight.
        k_db: f64 = 3.0, in -40.0 => 60.0, unit "dB", src "IEEE 802.11-03/940r4 model D";
        /// What antennas, desks and bodies take of every link, dB.
        loss_db: f64 = 14.88, in 0.0 => 40.0, unit "dB", src "calibrated: thesis table 5.3, Minstrel HT + FIFO";
        /// A client is put where its SNR over 40 MHz at 5 GHz is at least this, dB: nobody puts one where the network does not reach.
        least_snr: f64 = 8.1, in -20.0 => 60.0, unit "dB", src "calibrated: thesis table 5.3, Minstrel HT + FIFO";
        /// And at least so far from the access point, m.
        least_m: f64 = 1.0, in 0.0 => 100.0, unit "m", src "this project";
        /// Transmit power, dBm.
        power_dbm: f64 = 14.0, in -10.0 => 30.0, unit "dBm", src "thesis 5.8.4";
        /// Noise over 40 MHz, receiver's figure included, dBm; over another width 10 log10(width / 40 MHz) more.
        noise_dbm: f64 = -91.0, in -110.0 => -60.0, unit "dBm", src "-174 dBm/Hz, 40 MHz, 7 dB";
        /// Walking speed of a hand-held station from S to E, m/s; 0: it stands.
        walk: f64 = 0.0, in 0.0 => 10.0, unit "m/s", src "thesis 5.9.6: about 40 s";
    }
}

const WAVES: usize = 32;
/// What the waves' lengths are drawn by, m: `2 pi` turns a metre are `tan(1.2 u) / CORRELATION`, a half-Cauchy number that ends at 2.57. In one direction an
/// unbounded one would give the correlation `exp(-d / CORRELATION)`; here it is a wave's length and the direction is drawn, too, so the shadowing reaches further: 0.98, 0.93,
/// 0.76, 0.58, 0.44 and 0.31 at 1, 2, 4, 6, 8 and 12 m on average over layouts (to 1/e in 9.6 m), where Gudmundson's over 4 m has 0.78, 0.61, 0.37, 0.22, 0.14 and 0.05.
/// As the floor was calibrated with it, it stays (docs/channel.md).
const CORRELATION: f64 = 4.0;
/// Path loss at 1 m, 5.77 GHz: 20 log10(4 pi f / c).
const AT_1M: f64 = 47.67;
/// The width that `noise_dbm` is of, MHz.
const NOISE_MHZ: f64 = 40.0;

/// How much less the first metre takes than at 5.77 GHz, dB. src: 2.437 GHz, channel 6, for the whole band
fn lower_band(band: Band) -> f64 {
    match band {
        Band::Ghz5 => 0.0,
        Band::Ghz2 => 20.0 * log10(5.77 / 2.437),
    }
}

/// Places that are tried for a client; a floor where none of them will do has the last.
const DRAWS: usize = 1000;

/// A place on the floor, m.
pub type Place = (f64, f64);

/// The floor.
#[derive(Clone, Debug)]
pub struct Floor {
    par: Params,
    /// SNR beyond that of 40 MHz at 5 GHz, dB.
    more_db: f64,
    ap: Place,
    /// By wave: its vector in turns a metre, its phase.
    waves: [(f64, f64, f64); WAVES],
}

impl Floor {
    /// The floor plan of these parameters, for a channel `mhz` wide in `band`.
    pub fn new(par: &Params, mhz: u8, band: Band) -> Floor {
        let mut rng = Streams::new(par.layout.into()).get("floor", "shadowing");
        let tau = core::f64::consts::TAU;
        let waves = core::array::from_fn(|_| {
            let (angle, u) = (rng.unit(), rng.unit());
            let k = libm::tan(u * 1.2) / (tau * CORRELATION);
            (k * cos(tau * angle), k * libm::sin(tau * angle), rng.unit())
        });
        let more_db = lower_band(band) - 10.0 * log10(f64::from(mhz) / NOISE_MHZ);
        Floor { par: *par, more_db, ap: (par.length_m * 0.3, par.depth_m * 0.5), waves }
    }
    /// Where the access point stands.
    pub fn access_point(&self) -> Place {
        self.ap
    }
    /// Mean SNR at a place, dB.
    pub fn snr_db(&self, place: Place) -> f64 {
        self.over_40_mhz(place) + self.more_db
    }
    /// Over 40 MHz at 5 GHz.
    fn over_40_mhz(&self, (x, y): Place) -> f64 {
        let d = sqrt((x - self.ap.0) * (x - self.ap.0) + (y - self.ap.1) * (y - self.ap.1)).max(1.0);
        let tau = core::f64::consts::TAU;
        let wave: f64 = self.waves.iter().map(|(a, b, p)| cos(tau * (a * x + b * y + p))).sum();
        let p = &self.par;
        let deviation = if self.in_sight((x, y)) { p.near_shadow_db } else { p.shadow_db };
        let shadow = deviation * sqrt(2.0 / WAVES as f64) * wave;
        let beyond = (d / p.breakpoint_m).max(1.0);
        let loss = AT_1M + 10.0 * (p.near_exponent * log10(d / beyond) + p.exponent * log10(beyond)) + p.loss_db;
        p.power_dbm - loss + shadow - p.noise_dbm
    }
    /// Whether nothing stands between that place and the access point.
    pub fn in_sight(&self, (x, y): Place) -> bool {
        (x - self.ap.0).powi(2) + (y - self.ap.1).powi(2) <= self.par.breakpoint_m.powi(2)
    }
    /// The name of the place where active station `i` (0 to 3) of the topology stands.
    fn name(&self, i: usize) -> String {
        let n = usize::from(self.par.topology.max(1) - 1);
        let (placement, without) = (n / 5, n % 5);
        match if i < without { i } else { i + 1 } {
            0 => "S".into(),
            k => format!("placement {placement}, client {k}"),
        }
    }
    /// What the multipath of that place is drawn from, if the station is on the floor and stands.
    pub(super) fn multipath(&self, i: usize) -> Option<Stream> {
        let stands = self.par.topology > 0 && !self.walks();
        stands.then(|| Streams::new(self.par.layout.into()).get("floor multipath", &self.name(i)))
    }
    /// Where it stands: nobody moves it for another width or band.
    pub fn place(&self, i: usize) -> Place {
        let mut rng = Streams::new(self.par.layout.into()).get("floor", &self.name(i));
        let mut draw = || (self.par.length_m * rng.unit(), self.par.depth_m * rng.unit());
        let near = |p: Place| sqrt((p.0 - self.ap.0).powi(2) + (p.1 - self.ap.1).powi(2)) < self.par.least_m;
        let mut place = draw();
        for _ in 0..DRAWS {
            if self.over_40_mhz(place) >= self.par.least_snr && !near(place) {
                break;
            }
            place = draw();
        }
        place
    }
    /// Where the walker is after so many seconds: from near the access point along the floor to its far end, and then there.
    pub fn walker(&self, seconds: f64) -> Place {
        let (from, to) = (self.ap.0 + 2.0, self.par.length_m);
        ((from + self.par.walk * seconds).min(to), self.ap.1 + 2.0)
    }
    /// Whether a station walks.
    pub fn walks(&self) -> bool {
        self.par.walk > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floor(topology: u8) -> Floor {
        Floor::new(&Params { topology, ..Params::default() }, 40, Band::Ghz5)
    }

    #[test]
    fn a_placement_leaves_each_client_out_once() {
        let all = |t| [0, 1, 2, 3].map(|i| floor(t).place(i));
        let (first, second) = (all(1), all(2));
        assert_ne!(first[0], second[0], "S is left out of the first");
        assert_eq!(first[1..], second[1..], "and the first client of the second");
        assert_eq!(all(2)[0], all(50)[0], "S stays");
        assert_ne!(all(5)[2], all(10)[2], "others do not");
    }

    #[test]
    fn loss_by_distance_and_shadow_by_place() {
        let par = Params { loss_db: 6.0, length_m: 40.0, depth_m: 15.0, ..Params::default() };
        let f = Floor::new(&Params { near_shadow_db: 0.0, shadow_db: 0.0, ..par }, 40, Band::Ghz5);
        // 14 - 47.67 - 20 log10(10) - 6 + 91 = 31.33, and 35 log10(2) = 10.536 less at twice the distance
        assert!((f.snr_db((f.ap.0 + 10.0, f.ap.1)) - 31.33).abs() < 1e-9);
        assert!((f.snr_db((f.ap.0 + 20.0, f.ap.1)) - 20.794).abs() < 1e-3);
        assert!(f.in_sight((f.ap.0, f.ap.1 + 7.0)) && !f.in_sight((f.ap.0 + 10.1, f.ap.1)));
        // Half the noise at half the width; 20 log10(2.437 / 5.77) = -7.487 of the first metre at 2.4 GHz.
        let at = |mhz, band| Floor::new(&f.par, mhz, band).snr_db((f.ap.0 + 10.0, f.ap.1));
        assert!((at(20, Band::Ghz5) - 34.3403).abs() < 1e-4 && (at(160, Band::Ghz5) - 25.3094).abs() < 1e-4);
        assert!((at(40, Band::Ghz2) - 38.8164).abs() < 1e-4);
        let places = |mhz, band| [0, 1, 2, 3].map(|i| Floor::new(&Params { topology: 7, ..par }, mhz, band).place(i));
        assert_eq!(places(40, Band::Ghz5), places(160, Band::Ghz2), "nobody moves");
        let g = Floor::new(&par, 40, Band::Ghz5);
        let (a, b) = (g.snr_db((20.0, 7.5)), g.snr_db((20.2, 7.5)));
        assert!((a - b).abs() < 3.0, "near places are alike: {a} {b}");
        let x: Vec<f64> = (0..4000)
            .map(|i| (f64::from(i % 80) * 0.5, f64::from(i / 80) * 0.3))
            .map(|p| g.snr_db(p) - f.snr_db(p))
            .collect();
        let sd = (x.iter().map(|v| v * v).sum::<f64>() / x.len() as f64).sqrt();
        assert!((1.5..5.0).contains(&sd), "{sd}");
    }
}
