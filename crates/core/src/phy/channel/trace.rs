//! A channel written down, for the real kernel's virtual radio, which has no floating point: every link's state, step by step.
//!
//! Stands for: the format of linux/radio/air/channel.c. Little-endian: "WTCHAN3\n", links (u32), steps (u32), ns of a step (u64), sub-carriers (u32), 802.11b's
//! rates (u32; 0, or at 2.4 GHz 4); each link: from and to (u16; 0 is the access point, station `i` is `i + 1`), MCSs (u16), widths (u16), and by step the reported SNR of the
//! control and of the extension half (i16, 1/100 dB), by mode `-log2` of the probability that an octet arrives, times 2^32 (u32), and pairs (real,
//! imaginary; i16) of the reported CSI. Modes are the link's from MCS 0, over all streams, at its whole width, then over 20 MHz of 40, then 802.11a's eight
//! and 802.11b's.
//! Differs: D1 the state at a step's start holds for all of it; D2 one report a step, however many PPDUs it has.

use super::{Channel, Way};
use crate::phy::{Dsss, Hr, Mode, Ofdm};
use crate::sim::{Span, Time};

/// What is written down.
#[derive(Clone, Debug)]
pub struct Trace<'a> {
    /// What losses are wanted of, beside those of 802.11a's rates: of each station's link, both ways.
    pub modes: &'a [LinkModes],
    /// Time between steps.
    pub step: Span,
    /// How long.
    pub span: Span,
    /// Whether reports of CSI are wanted, beside the SNR.
    pub csi: bool,
    /// Whether losses of 802.11b's rates are.
    pub dsss: bool,
}

impl Trace<'_> {
    fn dsss(&self) -> &'static [Dsss] {
        if self.dsss { &Dsss::ALL } else { &[] }
    }
}

/// The modes of one link that losses are wanted of.
#[derive(Clone, Debug)]
pub struct LinkModes {
    /// By MCS, as many at each width; what the standard lacks loses everything.
    pub modes: Vec<Option<Mode>>,
    /// How many widths those have.
    pub widths: u16,
}

impl LinkModes {
    /// Bytes of a step.
    fn step_bytes(&self, subcarriers: usize, dsss: usize) -> usize {
        4 + 4 * (self.modes.len() + Ofdm::ALL.len() + dsss) + 4 * subcarriers
    }
}

impl Channel {
    /// Writes the channel down. It is at its end afterwards.
    pub fn trace(mut self, t: &Trace<'_>) -> Vec<u8> {
        let steps = (t.span.ns().div_euclid(t.step.ns()) + 1) as usize;
        let subcarriers = if t.csi { super::subcarriers(self.mhz) } else { 0 };
        let links = 2 * self.links.len();
        let each: Vec<usize> = t.modes.iter().map(|m| m.step_bytes(subcarriers, t.dsss().len())).collect();
        // Times do not go back, so all links are written at once, each to its part.
        let mut parts: Vec<Vec<u8>> = (0..links).map(|k| Vec::with_capacity(steps * each[k / 2])).collect();
        for i in 0..steps as i64 {
            let now = Time::ZERO + t.step * i;
            for station in 0..self.links.len() {
                for (way, part) in [Way::Down, Way::Up].into_iter().zip(&mut parts[2 * station..]) {
                    self.write_step(now, station, way, t, part);
                }
            }
        }
        let mut out = Vec::with_capacity(32 + parts.iter().map(|part| 8 + part.len()).sum::<usize>());
        out.extend_from_slice(b"WTCHAN3\n");
        out.extend_from_slice(&(links as u32).to_le_bytes());
        out.extend_from_slice(&(steps as u32).to_le_bytes());
        out.extend_from_slice(&(t.step.ns() as u64).to_le_bytes());
        out.extend_from_slice(&(subcarriers as u32).to_le_bytes());
        out.extend_from_slice(&(t.dsss().len() as u32).to_le_bytes());
        for (k, part) in parts.iter().enumerate() {
            let station = k as u16 / 2 + 1;
            let (from, to) = if k % 2 == 0 { (0, station) } else { (station, 0) };
            let of = &t.modes[k / 2];
            out.extend(
                [from, to, of.modes.len() as u16 / of.widths, of.widths].iter().flat_map(|v: &u16| v.to_le_bytes()),
            );
            out.extend_from_slice(part);
        }
        out
    }
    fn write_step(&mut self, now: Time, station: usize, way: Way, t: &Trace<'_>, out: &mut Vec<u8>) {
        let modes = t.modes[station].modes.iter().copied().chain(Ofdm::ALL.map(|r| Some(Mode::Ofdm(r))));
        let modes = modes.chain(t.dsss().iter().map(|&rate| Some(Mode::Dsss(Hr { rate, short: false }))));
        let losses =
            modes.map(|m| m.map_or(u32::MAX, |m| exponent(self.per_octet(now, station, way, m)))).collect::<Vec<_>>();
        self.feedback(now, station, way);
        let (snr, csi) = self.last_report(station, way);
        out.extend(snr.iter().flat_map(|db| ((db * 100.0) as i16).to_le_bytes()));
        out.extend(losses.iter().flat_map(|l| l.to_le_bytes()));
        if t.csi {
            out.extend(csi.iter().flat_map(|v| v.to_le_bytes()));
        }
    }
}

/// `exp(-n x)` as `2^(-n l / 2^32)`: l, saturated.
fn exponent(x: f64) -> u32 {
    (x * core::f64::consts::LOG2_E * 4_294_967_296.0).min(f64::from(u32::MAX)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::channel::{End, Params, floor};
    use crate::phy::{Band, Ht};
    use crate::sim::Streams;

    #[test]
    fn a_trace_is_the_channel() {
        let par = Params { power_step: Span::from_ms(4), doppler: 10.0, ..Params::default() };
        let ends = [("a", 20.0), ("b", 10.0)].map(|(n, snr)| End { name: n.into(), snr: Some(snr) });
        let make = || Channel::new(&par, &floor::Params::default(), &ends, (40, Band::Ghz5), 1, &Streams::new(7));
        let modes: Vec<Mode> = (0..8).map(|m| Mode::Ht(Ht::new(m, true, true).unwrap())).collect();
        let link = LinkModes { modes: modes.iter().copied().map(Some).collect(), widths: 1 };
        let t = Trace {
            modes: &[link.clone(), link],
            step: Span::from_ms(2),
            span: Span::from_ms(100),
            csi: true,
            dsss: false,
        };
        let bytes = make().trace(&t);
        let each = 4 + 32 + 32 + 4 * 114;
        assert_eq!(bytes.len(), 32 + 4 * (8 + 51 * each));
        // Station b, upwards: the fourth link. An octet at MCS 3 in step 40.
        let at = 32 + 3 * (8 + 51 * each);
        assert_eq!(bytes[at..at + 4], [2, 0, 0, 0]);
        let at = at + 8 + 40 * each + 4 + 4 * 3;
        let l = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let x = make().per_octet(Time::ZERO + Span::from_ms(80), 1, Way::Up, modes[3]);
        assert_eq!(l, exponent(x));
        let p = (-1538.0 * f64::from(l) / 4_294_967_296.0).exp2();
        assert!((p - libm::exp(-1538.0 * x)).abs() < 1e-6, "{p}");
        assert_eq!(exponent(100.0), u32::MAX);
        // 802.11b's four rates stand behind 802.11a's, the last of them 11 Mbit/s.
        let bytes = make().trace(&Trace { dsss: true, csi: false, ..t });
        let each = 4 + 32 + 32 + 16;
        assert_eq!((bytes.len(), bytes[28]), (32 + 4 * (8 + 51 * each), 4));
        let at = 32 + 3 * (8 + 51 * each) + 8 + 41 * each - 4;
        let x = make().per_octet(
            Time::ZERO + Span::from_ms(80),
            1,
            Way::Up,
            Mode::Dsss(Hr { rate: Dsss::R11, short: false }),
        );
        assert_eq!(u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()), exponent(x));
    }
}
