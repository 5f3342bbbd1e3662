//! The SNR that a radio reports, and the effective SNR on its way back.

/// dB to a ratio.
pub fn linear(db: f64) -> f64 {
    libm::exp(db * (core::f64::consts::LN_10 / 10.0))
}

/// A ratio to dB; no power at all is minus infinity.
pub fn db(ratio: f64) -> f64 {
    10.0 * libm::log10(ratio)
}

/// The mean, in linear scale, of the SNR of the control and of the extension channel, in dB (section 5.6.2). At 20 MHz there is no extension.
pub fn mean_snr_db(control_db: f64, extension_db: Option<f64>) -> f64 {
    match extension_db {
        None => control_db,
        Some(e) => db(f64::midpoint(linear(control_db), linear(e))),
    }
}

/// An exponentially weighted mean; the first sample as it is. (Figure 5.12; the weight is not stated.)
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ewma {
    weight: f64,
    value: Option<f64>,
}

impl Ewma {
    /// The weight of AARC's SNR: 1/8.
    pub const SNR_WEIGHT: f64 = 0.125;
    /// `weight`: of a new sample, above 0 to 1.
    pub const fn new(weight: f64) -> Ewma {
        Ewma { weight, value: None }
    }
    /// Takes a sample; what the mean is now.
    pub fn add(&mut self, x: f64) -> f64 {
        let v = self.value.map_or(x, |v| v + self.weight * (x - v));
        self.value = Some(v);
        v
    }
    /// The mean, if there was a sample.
    pub const fn value(&self) -> Option<f64> {
        self.value
    }
}

/// An effective SNR as a Block Ack would carry it: nine bits, in tenths of a dB, 0 to 51.1. (Section 5.8.4 prints a scale of 1/100 and a
/// maximum of 51.2 dB, which only 1/10 gives in nine bits.)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FeedbackBits(u16);

impl FeedbackBits {
    /// Bits a spatial stream.
    pub const BITS: u32 = 9;
    /// Rounded to the nearest that can be carried.
    pub fn of_db(db: f64) -> FeedbackBits {
        FeedbackBits(libm::rint(10.0 * db).clamp(0.0, 511.0) as u16)
    }
    /// In 1/100 dB.
    pub const fn centi_db(self) -> i32 {
        self.0 as i32 * 10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_averaged_as_powers() {
        assert_eq!(mean_snr_db(20.0, None), 20.0);
        // (100 + 1000) / 2 = 550: 27.404 dB
        assert!((mean_snr_db(20.0, Some(30.0)) - 27.403_627).abs() < 1e-6);
    }

    #[test]
    fn ewma_by_hand() {
        let mut e = Ewma::new(0.125);
        assert_eq!((e.value(), e.add(20.0), e.add(28.0), e.add(28.0)), (None, 20.0, 21.0, 21.875));
    }

    #[test]
    fn nine_bits() {
        let c = |db| FeedbackBits::of_db(db).centi_db();
        assert_eq!([c(-3.0), c(0.04), c(12.34), c(51.1), c(80.0), c(f64::NEG_INFINITY)], [0, 0, 1230, 5110, 5110, 0]);
    }
}
