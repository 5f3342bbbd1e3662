//! HE modulations (802.11ax) and how long such a PPDU takes.
//!
//! Stands for: IEEE 802.11ax-2021 27.3.11.5 (L-SIG), 27.3.11.10 (HE-LTF), 27.4.3 (TXTIME), 27.5 (MCSs, data subcarriers). PPDUs of a
//! single user over the whole channel are the model's own ([`wavetank_core::phy::He`]), the others are read from captures alone.
//! Differs: D1 those others have no packet extension (0 to 16 us), the model's have what a receiver that wants 16 us of padding gets; no extra symbol of
//! LDPC; where the capture has the L-SIG field, that tells; D2 no STBC, no Doppler midambles; D3 of a PPDU for several users (MU, TB) one user's part alone.

use serde::Serialize;
use wavetank_core::phy::he::CODING;
use wavetank_core::phy::{self, Band, Gi, Mode, Width};

/// What carries the data: a whole channel, or a resource unit of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub enum Tones {
    /// MHz.
    Channel(u16),
    /// Subcarriers.
    Unit(u16),
}

/// An HE modulation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct He {
    /// 0 to 11.
    pub mcs: u8,
    /// Space-time streams.
    pub streams: u8,
    /// Width.
    pub tones: Tones,
    /// Guard interval in units of 0.8 us: 1, 2, 4.
    pub gi: u8,
    /// HE-LTF symbols of 3.2 us times this, without their guard interval: 1, 2, 4.
    pub ltf: u8,
    /// Dual carrier modulation.
    pub dcm: bool,
    /// Of a PPDU for, or from, several users.
    pub multi_user: bool,
    /// Of these, from one of several whom a trigger lets send at once (HE TB).
    pub triggered: bool,
    /// The extended range format.
    pub extended: bool,
}

impl From<phy::He> for He {
    fn from(h: phy::He) -> He {
        He {
            mcs: h.mcs(),
            streams: h.streams() as u8,
            tones: Tones::Channel(h.width.mhz().into()),
            gi: 1 << h.gi as u8,
            ltf: h.gi.ltf(),
            dcm: false,
            multi_user: false,
            triggered: false,
            extended: false,
        }
    }
}

/// SERVICE.
const SERVICE: u64 = 16;

impl He {
    /// None if there is no such modulation.
    pub fn checked(self) -> Option<He> {
        let known = usize::from(self.mcs) < CODING.len() && (1..=8).contains(&self.streams) && self.data_tones() > 0;
        (known && matches!(self.gi, 1 | 2 | 4) && matches!(self.ltf, 1 | 2 | 4)).then_some(self)
    }

    /// What the model calls it; none of what no model sends.
    pub fn model(self) -> Option<phy::He> {
        let Tones::Channel(mhz) = self.tones else { return None };
        let gi = Gi::ALL.iter().copied().find(|gi| 1 << *gi as u8 == self.gi)?;
        let he = phy::He::new(self.mcs, self.streams, Width::from_mhz(mhz.try_into().ok()?)?, gi)?;
        (He::from(he) == self).then_some(he)
    }

    /// Data subcarriers. src: 802.11ax-2021 27.5
    const fn data_tones(self) -> u32 {
        match self.tones {
            Tones::Unit(26) => 24,
            Tones::Unit(52) => 48,
            Tones::Unit(106) => 102,
            Tones::Channel(20) | Tones::Unit(242) => 234,
            Tones::Channel(40) | Tones::Unit(484) => 468,
            Tones::Channel(80) | Tones::Unit(996) => 980,
            Tones::Channel(160) | Tones::Unit(1992) => 1960,
            _ => 0,
        }
    }
    /// Data bits a symbol.
    fn bits_per_symbol(self) -> u64 {
        let (bits, n, of) = CODING[usize::from(self.mcs)];
        let tones = if self.dcm { self.data_tones() / 2 } else { self.data_tones() };
        u64::from(tones * u32::from(self.streams) * bits * n / of)
    }
    const fn symbol_ns(self) -> u64 {
        12_800 + 800 * self.gi as u64
    }

    /// Bits a second.
    pub fn rate_bps(self) -> u64 {
        if let Some(he) = self.model() {
            return he.rate().bps();
        }
        self.bits_per_symbol() * 1_000_000_000 / self.symbol_ns()
    }
    /// From the first bit of the preamble to the first bit of the PSDU, ns: L-STF to RL-SIG, HE-SIG-A, HE-STF, HE-LTFs. Without the HE-SIG-B of
    /// a PPDU for several.
    pub fn preamble_ns(self) -> u64 {
        let sig_a = if self.extended { 16_000 } else { 8_000 };
        let ltfs = if self.streams > 2 { self.streams.next_multiple_of(2) } else { self.streams };
        24_000 + sig_a + 4_000 + u64::from(ltfs) * (3_200 * u64::from(self.ltf) + 800 * u64::from(self.gi))
    }
    /// A PPDU of `psdu` bytes, ns, without signal extension.
    pub fn duration_ns(self, psdu: u32) -> u64 {
        if let Some(he) = self.model() {
            return phy::ppdu(Mode::He(he), psdu, Band::Ghz5).ns() as u64;
        }
        self.preamble_ns() + (SERVICE + 8 * u64::from(psdu)).div_ceil(self.bits_per_symbol().max(1)) * self.symbol_ns()
    }
}

/// How long a PPDU is that has this LENGTH in its L-SIG, us: in steps of 4 us. src: 802.11ax-2021 27.3.11.5
pub const fn by_l_sig_us(length: u16) -> u16 {
    20 + 4 * (length + 3).div_ceil(3)
}

impl core::fmt::Display for He {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let format = match self {
            He { triggered: true, .. } => " TB",
            He { multi_user: true, .. } => " MU",
            _ => "",
        };
        write!(f, "HE{format} MCS {} x{}, ", self.mcs, self.streams)?;
        match self.tones {
            Tones::Channel(mhz) => write!(f, "{mhz} MHz")?,
            Tones::Unit(n) => write!(f, "{n} tones")?,
        }
        write!(f, ", GI {:.1} us", f64::from(self.gi) * 0.8)?;
        if self.dcm { f.write_str(", DCM") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn he(mcs: u8, streams: u8, tones: Tones, gi: u8) -> He {
        He { mcs, streams, tones, gi, ltf: 2, dcm: false, multi_user: false, triggered: false, extended: false }
    }

    /// src: 802.11ax-2021 27.5; in 100 kbit/s, as they are printed there
    #[test]
    fn rates_of_the_standards_tables() {
        for (of, tenths) in [
            (he(0, 1, Tones::Unit(26), 4), 8),
            (he(11, 1, Tones::Unit(26), 1), 147),
            (he(7, 1, Tones::Unit(106), 1), 375),
            (he(0, 1, Tones::Channel(20), 1), 86),
            (he(11, 1, Tones::Channel(20), 1), 1434),
            (he(11, 2, Tones::Channel(80), 1), 12010),
            (he(9, 1, Tones::Channel(80), 2), 4537),
            (he(11, 2, Tones::Channel(160), 1), 24020),
            (he(5, 3, Tones::Channel(40), 4), 3510),
        ] {
            assert_eq!((of.rate_bps() + 50_000) / 100_000, tenths, "{of}");
        }
        assert_eq!(He { dcm: true, ..he(0, 1, Tones::Channel(20), 1) }.rate_bps(), 4_264_705, "4.3 Mbit/s");
        assert!(he(12, 1, Tones::Channel(20), 1).checked().is_none());
        assert!(he(0, 1, Tones::Channel(60), 1).checked().is_none());
    }

    /// Both know the same preambles; what no model sends is none's.
    #[test]
    fn the_models() {
        for &gi in Gi::ALL {
            for h in (1..=8).flat_map(|n| Width::ALL.map(|w| phy::He::new(11, n, w, gi).unwrap())) {
                let ours = He::from(h);
                assert_eq!((ours.checked(), ours.model()), (Some(ours), Some(h)));
                assert_eq!(ours.preamble_ns(), phy::he_preamble(h.streams(), h.gi).ns() as u64);
            }
        }
        let he = he(0, 1, Tones::Channel(20), 1);
        let others = [
            He { dcm: true, ..he },
            He { multi_user: true, ..he },
            He { extended: true, ..he },
            He { ltf: 4, ..he },
            He { tones: Tones::Unit(242), ..he },
        ];
        assert!(he.model().is_some() && others.iter().all(|h| h.model().is_none()));
    }

    /// By hand: two streams have two HE-LTFs of 6.4 and 0.8 us: 24 + 8 + 4 + 14.4 us. 30,000 bytes are 240,016 bits, 15 symbols of 16,333 bits; 11,354
    /// in the last are three of its segments of 4,000: 12 us of packet extension. With 4x HE-LTFs no model's, so without.
    #[test]
    fn durations() {
        let fast = he(11, 2, Tones::Channel(80), 1);
        assert_eq!(fast.preamble_ns(), 50_400);
        assert_eq!(fast.duration_ns(30_000), 50_400 + 15 * 13_600 + 12_000);
        assert_eq!(He { ltf: 4, ..fast }.duration_ns(30_000), 24_000 + 12_000 + 2 * 13_600 + 15 * 13_600);
        assert_eq!(
            He { extended: true, ..he(0, 1, Tones::Channel(20), 1) }.preamble_ns(),
            24_000 + 16_000 + 4_000 + 7_200
        );
        // 254.4 us are 256 in L-SIG: 59 times 3 less 3, less 2 of HE's own.
        assert_eq!(by_l_sig_us(59 * 3 - 3 - 2), 256);
        assert_eq!(by_l_sig_us(59 * 3 - 3 - 1), 256);
    }
}
