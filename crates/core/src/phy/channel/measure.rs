//! What a receiver reports of a PPDU, as the Atheros hardware does: CSI of 10-bit parts against an unknown reference, SNR in whole dB that jitters; and
//! what the CSI daemon makes of it.
//!
//! Stands for: thesis sections 5.6.1, 5.6.2, 5.8.4 and Figures 5.7, 5.12.
//! Differs: D1 the estimate's noise is that of one training symbol (variance 1 / SNR), the sum of four uniform numbers; D2 the reference is
//! uniform over `reference_spread`, the SNR's jitter over `snr_jitter`.

use super::Params;
use crate::sim::Stream;
use wavetank_csi::{Ewma, db, effective_db, linear, mean_snr_db};

/// Effective SNR and SNR, 1/100 dB.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Feedback {
    /// Effective SNR for BPSK, QPSK, 16-QAM, 64-QAM.
    pub esnr: [i16; 4],
    /// The smoothed SNR.
    pub snr: i16,
}

/// What the largest part stands at before the reference's spread: 511 / sqrt(2), 3 dB below the largest of 10 bits, so that half of the default spread of
/// 3 dB is left above it.
const FULL: f32 = 360.0;
/// The largest part of 10 bits.
const LARGEST: f32 = 511.0;

/// The receiver of one direction, with its daemon.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    rng: Stream,
    ewma: Ewma,
    snr: [f64; 2],
    csi: Vec<i16>,
}

fn centi(db: f64) -> i16 {
    (db * 100.0).clamp(-32_768.0, 32_767.0) as i16
}

impl Receiver {
    pub fn new(rng: Stream) -> Receiver {
        Receiver { rng, ewma: Ewma::new(Ewma::SNR_WEIGHT), snr: [0.0; 2], csi: Vec::with_capacity(2 * 484) }
    }
    /// A PPDU came at `snr_db` over sub-carriers with these gains.
    pub fn take(&mut self, par: &Params, mhz: u8, snr_db: f64, gain: &[(f32, f32)]) -> Feedback {
        let snr = linear(snr_db);
        let noise = (0.5 / snr).min(1e3) as f32;
        // Four uniform numbers of 16 bits have deviation 65536 / sqrt(3).
        let scale = noise.sqrt() * 1.732_050_8 / 65_536.0;
        let reference = par.reference_spread * (self.rng.unit() - 0.5);
        let largest = gain.iter().fold(0.0_f32, |m, (a, b)| m.max(a.abs()).max(b.abs())).max(1e-6);
        let amplitude = FULL / largest * linear(reference / 2.0) as f32;
        self.csi.clear();
        for &(re, im) in gain {
            for part in [re, im] {
                let bits = self.rng.bits();
                let four = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
                let x = (part + (four as f32 - 131_070.0) * scale) * amplitude;
                self.csi.push(libm::rintf(x.clamp(-LARGEST - 1.0, LARGEST)) as i16);
            }
        }
        let half = gain.len() / 2;
        let mut told = |part: &[(f32, f32)]| {
            let power = part.iter().map(|(a, b)| f64::from(a * a + b * b)).sum::<f64>() / part.len() as f64;
            let jitter = par.snr_jitter * (self.rng.unit() - 0.5);
            libm::rint(db(power * snr).max(-20.0) + jitter)
        };
        self.snr = if mhz == 20 { [told(gain); 2] } else { [told(&gain[..half]), told(&gain[half..])] };
        let mean = mean_snr_db(self.snr[0], (mhz > 20).then_some(self.snr[1]));
        let smooth = self.ewma.add(mean);
        let esnr = effective_db(&self.csi, smooth).unwrap_or([smooth; 4]);
        Feedback { esnr: esnr.map(centi), snr: centi(smooth) }
    }
    pub fn last(&self) -> ([f64; 2], &[i16]) {
        (self.snr, &self.csi)
    }
}
