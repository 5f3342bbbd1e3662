//! What is known of a rate: its statistics, and until when it is barred. Integers, as in the kernel's half.

use super::Params;
use crate::sim::{Span, Time};

/// What the equations are given, in the units of the integers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    pkt_bits: u64,
    overhead_ns: u64,
    window: u32,
}

impl Tuning {
    pub fn new(p: &Params) -> Tuning {
        Tuning { pkt_bits: 8 * u64::from(p.pkt_bytes), overhead_ns: p.overhead.ns() as u64, window: p.window.into() }
    }
}

/// A rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    kbps: u32,
    /// Frames that its last tries sent.
    pub sent: u32,
    /// Of these, frames that failed.
    pub failed: u32,
    /// Frames a unit, 8 fractional bits; 0: nothing known.
    pub avg: u32,
    /// Failed probes since the last that succeeded, up to the maximum.
    pub b: u8,
    /// Not probed before.
    pub barred_until: Time,
    /// What feedback said when it was barred.
    pub reference: Option<i32>,
    /// Feedback has lifted the bar.
    pub forced: bool,
}

impl Known {
    /// A rate of so many kbit/s, of which nothing is known.
    pub const fn new(kbps: u32) -> Known {
        Known { kbps, sent: 0, failed: 0, avg: 0, b: 0, barred_until: Time::ZERO, reference: None, forced: false }
    }
    /// Its statistics are reset; its back-off is none of them.
    pub fn forget(&mut self) {
        (self.sent, self.failed, self.avg) = (0, 0, 0);
    }
    /// Its counts are of a channel that feedback says is no more.
    pub fn forget_counts(&mut self) {
        (self.sent, self.failed) = (0, 0);
    }
    /// A unit was tried at it.
    pub(super) fn add(&mut self, frames: u16, failed: u16, t: &Tuning) {
        if self.sent >= t.window {
            (self.sent, self.failed) = (self.sent / 2, self.failed / 2);
        }
        self.sent += u32::from(frames);
        self.failed += u32::from(failed);
        let frames = u32::from(frames) << 8;
        self.avg = if self.avg == 0 { frames } else { (3 * self.avg + frames) / 4 };
    }
    /// Equation 5.5, kbit/s; `avg` of another rate stands in if nothing is known of this one.
    pub(super) fn throughput(&self, avg: u32, t: &Tuning) -> u64 {
        let avg = u64::from(if self.avg == 0 { avg } else { self.avg });
        let phy = u64::from(self.kbps);
        let tx = avg * (t.pkt_bits * 1_000_000 / 256) / phy;
        let full = phy * tx / (t.overhead_ns + tx);
        if self.sent == 0 { full } else { full * u64::from(self.sent - self.failed) / u64::from(self.sent) }
    }
    /// Equation 5.1: not probed for 2^b ms, and longer the next time.
    pub(super) fn bar(&mut self, now: Time, reference: Option<i32>, max_b: u8) {
        self.barred_until = now + Span::from_ms(1 << self.b);
        self.b = (self.b + 1).min(max_b);
        self.reference = reference;
        self.forced = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: i64) -> Time {
        Time::ZERO + Span::from_ms(n)
    }

    /// By hand: 32 frames at 135 Mbit/s: 8192 * 37500000 / 135000 = 2275555 ns; 135000 * 2275555 / (117500 + 2275555) = 128371 kbit/s; 8 of 32
    /// failed: 96278.
    #[test]
    fn equation_5_5() {
        let t = Tuning::new(&Params::default());
        let mut k = Known::new(135_000);
        assert_eq!(k.throughput(8192, &t), 128_371, "nothing known: without losses, the other's size");
        k.add(32, 8, &t);
        assert_eq!((k.avg, k.throughput(0, &t)), (8192, 96_278));
        k.add(16, 0, &t);
        assert_eq!((k.avg, k.sent, k.failed), ((3 * 8192 + 4096) / 4, 48, 8));
        k.bar(ms(10), None, 5);
        k.forget();
        assert_eq!((k.throughput(8192, &t), k.b, k.barred_until), (128_371, 1, ms(11)), "the back-off stays");
    }

    #[test]
    fn counts_are_halved_and_bars_grow() {
        let t = Tuning::new(&Params::default());
        let mut k = Known::new(30_000);
        (0..8).for_each(|_| k.add(32, 16, &t));
        assert_eq!((k.sent, k.failed), (256, 128));
        k.add(32, 0, &t);
        assert_eq!((k.sent, k.failed), (160, 64));
        let bars: Vec<i64> = (0..7)
            .map(|_| {
                k.bar(ms(10), None, 5);
                (k.barred_until - ms(10)).us() / 1000
            })
            .collect();
        assert_eq!(bars, [1, 2, 4, 8, 16, 32, 32]);
    }
}
