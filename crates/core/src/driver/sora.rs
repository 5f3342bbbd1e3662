//! SoRa: the thesis's software radio, which sends frames one by one and answers late.
//!
//! A transmission takes two calls to the radio board, and a call waits until the one before it is through; so link-layer
//! acknowledgements leave tens of microseconds after SIFS, some so late that their sender has given them up. The MAC's timeout is
//! longer for it, and each acknowledgement carries the low bit of the sequence number that it answers, so that a late one is
//! never taken for that of the next frame.
//!
//! Stands for: thesis sections 3.4.1, 3.4.2, figure 3.7. The turnaround there is from the end of the data to the acknowledgement's
//! time stamp, which is taken behind its preamble: SIFS and 20 us, and what is [`Params`]' here. Frames go by DCF; queues and retries
//! are [`ath9k`](super::ath9k)'s without aggregation.
//! Differs: D1 the acknowledgement's delay does not depend on what the board does just then; D2 the medium waits for a late
//! one; D3 without that bit ([`Params::numbered`] off) whatever comes too late is taken for the answer to what its receiver has on the air
//! next: of a frame sent again for that frame's, whose own answer is then under way when the next frame is sent. That one meets the
//! answer on the air, is lost, and passes for acknowledged (section 3.4.2). How often answers pile up behind each other is not stated; D4 no
//! automatic gain control, no distance.

use crate::sim::{Span, Stream};

crate::params! {
    /// A SoRa radio: how much later than SIFS its acknowledgements leave. Between the quantiles the delay is uniform.
    pub struct Params {
        /// The least.
        least: Span = Span::from_us(6), in Span::ZERO => Span::from_ms(10), src "assumed: what is left below the median";
        /// The median.
        median: Span = Span::from_us(19), in Span::ZERO => Span::from_ms(10), src "thesis section 3.4.2: 55 us of turnaround, less 36";
        /// Four of five are not later.
        p80: Span = Span::from_us(40), in Span::ZERO => Span::from_ms(10), src "calibrated: a mean turnaround of 72 us, thesis section 3.4.2";
        /// 99 of 100 are not later: those that the timeout lets through.
        p99: Span = Span::from_us(156), in Span::ZERO => Span::from_ms(10), src "thesis table 3.2: 1 % of UDP frames are sent again";
        /// The latest.
        worst: Span = Span::from_us(260), in Span::ZERO => Span::from_ms(10), src "assumed: the tail of figure 3.7";
        /// Acknowledgements carry the low bit of the sequence number that they answer. Without it a late one is taken for the next frame's.
        numbered: bool = true, src "thesis section 3.4.2: the platform's mending";
        /// How long after a frame's end an acknowledgement is waited for, its preamble included.
        timeout: Span = Span::from_us(192), in Span::from_us(45) => Span::from_ms(10), src "thesis section 3.4.2, footnote 4";
    }
}

/// SIFS and a preamble: what the turnaround is without delay.
const BARE: Span = Span::from_us(36);

/// How late a station's responses are.
#[derive(Clone, Copy, Debug)]
pub struct Late {
    quantiles: [(u32, Span); 5],
    /// A late one is known as what it is.
    pub numbered: bool,
}

impl Late {
    /// Of a radio.
    pub fn new(p: &Params) -> Late {
        let quantiles = [(0, p.least), (500_000, p.median), (800_000, p.p80), (990_000, p.p99), (1_000_000, p.worst)];
        Late { quantiles, numbered: p.numbered }
    }
    /// One response's.
    pub fn sample(&self, rng: &mut Stream) -> Span {
        self.at(rng.below(1_000_000))
    }
    fn at(&self, millionths: u32) -> Span {
        let q = &self.quantiles;
        let i = q.windows(2).position(|w| millionths < w[1].0).unwrap_or(q.len() - 2);
        let ((low, from), (high, to)) = (q[i], q[i + 1]);
        from + (to - from) * i64::from(millionths - low) / i64::from(high - low)
    }
    /// From a frame's end to its acknowledgement behind the preamble, us, at a quantile.
    pub fn turnaround(&self, quantile: f64) -> f64 {
        (self.at((quantile.clamp(0.0, 1.0) * 1e6) as u32) + BARE).ns() as f64 / 1e3
    }
}

impl Params {
    /// How much later than SIFS an acknowledgement may begin.
    pub fn patience(&self) -> Span {
        (self.timeout - BARE).max(Span::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Streams;

    #[test]
    fn turnarounds_are_the_thesis_s() {
        let (p, mut rng) = (Params::default(), Streams::new(1).get("sta1", "sora/llack"));
        let late = Late::new(&p);
        let mut all: Vec<Span> = (0..100_000).map(|_| late.sample(&mut rng) + BARE).collect();
        all.sort_unstable();
        let mean = all.iter().copied().fold(Span::ZERO, |a, b| a + b) / all.len() as i64;
        assert!((all[50_000] - Span::from_us(55)).ns().abs() < 500, "{:?}", all[50_000]);
        assert!((mean - Span::from_us(72)).ns().abs() < 1_000, "{mean:?}");
        let beyond = all.iter().filter(|&&t| t > p.timeout).count();
        assert!((900..1_100).contains(&beyond), "{beyond} of 100000 beyond the timeout");
    }
}
