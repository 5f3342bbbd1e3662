//! Response frames: what answers a frame, how long it takes, and the room for what may ride on it.
//!
//! Stands for: 802.11-2020 10.6.6.5.2 (rate of a control response: the highest basic rate that is not above the rate, or
//! the non-HT reference rate, of the frame it answers), table 10-8 (non-HT reference rates), 9.3.1.2 ff. (frame sizes),
//! 9.3.1.8.2 (compressed Block Ack, 32 bytes; 802.11ax-2021: 56 with a bitmap of 256 bits).
//! At 2.4 GHz a frame of DSSS or CCK is answered by one, an OFDM frame by OFDM (same modulation class).
//! Differs: D1 responses are non-HT always (no HT Block Ack); D2 the basic rates of 802.11b are all up to the highest of them.

use crate::phy::{Band, Dsss, Hr, Mode, Ofdm, dsss, duration};
use crate::sim::Span;

/// Bytes of an RTS.
pub const RTS: u32 = 20;
/// Bytes of a CTS.
pub const CTS: u32 = 14;
/// Bytes of an ACK.
pub const ACK: u32 = 14;
/// Bytes of a compressed Block Ack.
pub const BLOCK_ACK: u32 = 32;
/// Bytes of one with a bitmap of 256 bits, which answers under an agreement of more than 64. src: 802.11ax-2021 table 9-30a
pub const WIDE_BLOCK_ACK: u32 = BLOCK_ACK + 24;
/// Bytes of a Block Ack request.
pub const BAR: u32 = 24;

/// What a response is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// To an RTS.
    Cts,
    /// To a single frame.
    Ack,
    /// To an A-MPDU or a BAR.
    BlockAck,
    /// The same with a bitmap of 256 bits.
    WideBlockAck,
}

impl Kind {
    /// Bytes of the plain frame.
    pub const fn bytes(self) -> u16 {
        match self {
            Kind::Cts => CTS as u16,
            Kind::Ack => ACK as u16,
            Kind::BlockAck => BLOCK_ACK as u16,
            Kind::WideBlockAck => WIDE_BLOCK_ACK as u16,
        }
    }
}

/// A response frame. `payload` opaque bytes ride behind it at its own rate (HACK); 0 is the plain frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Response {
    /// What it is.
    pub kind: Kind,
    /// Time on the air, payload included.
    pub duration: Span,
    /// Opaque bytes that ride on it.
    pub payload: u16,
}

/// What a BSS does at 2.4 GHz in frames of DSSS and CCK, and if it has 802.11b stations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Erp {
    /// The highest basic rate among theirs.
    pub basic: Dsss,
    /// Short preambles.
    pub short: bool,
    /// 802.11b stations are about.
    pub about: bool,
    /// Then OFDM frames are preceded by a CTS-to-self that these stations understand.
    pub protects: bool,
}

impl Default for Erp {
    fn default() -> Erp {
        Erp { basic: Dsss::R11, short: true, about: true, protects: true }
    }
}

impl Erp {
    /// How a protection frame is sent.
    pub const fn mode(self) -> Mode {
        Mode::Dsss(Hr { rate: self.basic, short: self.short })
    }
}

/// The basic rate set and what follows from it: with which rate what is answered, and how long that takes.
#[derive(Clone, Debug)]
pub struct Responses {
    band: Band,
    erp: Option<Erp>,
    /// By the rate of the frame that is answered: [`row`].
    rate: [Mode; ROWS],
    ack: [Span; ROWS],
    block_ack: [Span; ROWS],
    wide_block_ack: [Span; ROWS],
    eifs_less_difs: Span,
    rts: Option<Ofdm>,
}

const ROWS: usize = Ofdm::ALL.len() + Dsss::ALL.len();

/// The place of what answers a frame of `mode` in the tables.
const fn row(mode: Mode) -> usize {
    match mode {
        Mode::Dsss(h) => Ofdm::ALL.len() + h.rate as usize,
        m => reference_rate(m) as usize,
    }
}

/// The lowest mandatory rate of a band. src: 802.11-2020 16.3.3, 17.3.8.3, 18.4.4
pub const fn lowest(band: Band) -> Mode {
    match band {
        Band::Ghz2 => Mode::Dsss(Hr { rate: Dsss::R1, short: false }),
        Band::Ghz5 => Mode::Ofdm(Ofdm::R6),
    }
}

/// The rate that bounds the rate of a response to an OFDM, HT, VHT or HE `mode`. src: 802.11-2020 and 802.11ax-2021 table 10-8
const fn reference_rate(mode: Mode) -> Ofdm {
    let mcs = match mode {
        Mode::Dsss(_) => 0,
        Mode::Ofdm(r) => return r,
        Mode::Ht(h) => h.mcs() % 8,
        // The reference of 256-QAM and 1024-QAM is 54 Mbit/s as well.
        Mode::Vht(v) => v.mcs(),
        Mode::He(h) => h.mcs(),
    };
    match mcs {
        0 => Ofdm::R6,
        1 => Ofdm::R12,
        2 => Ofdm::R18,
        3 => Ofdm::R24,
        4 => Ofdm::R36,
        5 => Ofdm::R48,
        _ => Ofdm::R54,
    }
}

impl Responses {
    /// Of a BSS with these basic rates. An empty set stands for the mandatory 6, 12 and 24 Mbit/s.
    pub fn new(band: Band, basic: &[Ofdm]) -> Responses {
        Responses::beside(band, basic, None)
    }
    /// The same where frames of DSSS and CCK are, and perhaps 802.11b stations.
    pub fn beside(band: Band, basic: &[Ofdm], erp: Option<Erp>) -> Responses {
        let basic = if basic.is_empty() { &[Ofdm::R6, Ofdm::R12, Ofdm::R24] } else { basic };
        // src: 802.11-2020 10.6.6.5.2: no basic rate at or below it: the highest mandatory rate at or below it
        let answer = |r: Ofdm| {
            let best = |set: &[Ofdm]| set.iter().copied().filter(|&b| b <= r).max();
            best(basic).or(best(&[Ofdm::R6, Ofdm::R12, Ofdm::R24])).unwrap_or(Ofdm::R6)
        };
        let rate = core::array::from_fn(|i| match Ofdm::ALL.get(i) {
            Some(&r) => Mode::Ofdm(answer(r)),
            None => {
                let r = Dsss::ALL[i - Ofdm::ALL.len()];
                let rate = erp.map_or(r, |e| e.basic.min(r));
                Mode::Dsss(Hr { rate, short: rate > Dsss::R1 && erp.is_some_and(|e| e.short) })
            }
        });
        // src: 802.11-2020 10.3.7: EIFS = SIFS + ACK at the lowest mandatory rate + DIFS; ath9k/ar9003_2p2_initvals.h, register 0x10b0: 92 us at
        // 5 GHz, 362 at 2.4
        Responses {
            band,
            erp,
            rate,
            ack: rate.map(|m| duration::ppdu(m, ACK, band)),
            block_ack: rate.map(|m| duration::ppdu(m, BLOCK_ACK, band)),
            wide_block_ack: rate.map(|m| duration::ppdu(m, WIDE_BLOCK_ACK, band)),
            eifs_less_difs: band.sifs() + duration::ppdu(lowest(band), ACK, band),
            rts: None,
        }
    }
    /// From now on every RTS goes at `rate`, whatever it protects.
    pub const fn set_rts_rate(&mut self, rate: Ofdm) {
        self.rts = Some(rate);
    }
    /// How an RTS in front of a frame of this mode is sent: at the highest basic rate that is not above the frame's reference rate, or
    /// at one that 802.11b stations understand.
    pub fn rts_rate(&self, before: Mode) -> Mode {
        match (self.rts, self.erp()) {
            (_, Some(e)) if e.protects && !matches!(before, Mode::Dsss(_)) => e.mode(),
            (Some(r), _) => Mode::Ofdm(r),
            _ => self.rate(before),
        }
    }
    /// The lowest rate that the band's stations must have.
    pub const fn lowest(&self) -> Mode {
        lowest(self.band)
    }
    /// How what answers a frame of this mode is sent.
    pub const fn rate(&self, to: Mode) -> Mode {
        self.rate[row(to)]
    }
    /// Where the BSS has 802.11b stations.
    pub fn erp(&self) -> Option<Erp> {
        self.erp.filter(|e| e.about)
    }
    /// The slot time: the long one where a station knows no other. src: 802.11-2020 18.4.5
    pub fn slot(&self) -> Span {
        if self.erp().is_some() { dsss::SLOT } else { self.band.slot() }
    }
    /// What answers a frame of this mode, with `payload` bytes riding on it.
    pub fn answer(&self, kind: Kind, to: Mode, payload: u16) -> Response {
        let i = row(to);
        let duration = match (kind, payload) {
            (Kind::BlockAck, 0) => self.block_ack[i],
            (Kind::WideBlockAck, 0) => self.wide_block_ack[i],
            (_, 0) => self.ack[i], // a CTS is as long as an ACK
            (_, n) => duration::ppdu(self.rate[i], u32::from(kind.bytes() + n), self.band),
        };
        Response { kind, duration, payload }
    }
    /// EIFS - DIFS: what is waited longer after a frame that could not be decoded.
    pub const fn eifs_less_difs(&self) -> Span {
        self.eifs_less_difs
    }
    /// How long after the end of a frame of this mode its sender knows that nothing answers.
    /// src: 802.11-2020 10.3.2.11: aSIFSTime + aSlotTime + aRxPHYStartDelay
    pub fn timeout(&self, to: Mode) -> Span {
        let start = match self.rate(to) {
            Mode::Dsss(h) => h.plcp(),
            _ => duration::RX_PHY_START_DELAY,
        };
        self.band.sifs() + self.slot() + start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Gi, He, Ht, Width};

    #[test]
    fn rates_and_durations() {
        let r = Responses::new(Band::Ghz5, &[]);
        let ht = |m| Mode::Ht(Ht::new(m, true, true).unwrap());
        assert_eq!(r.answer(Kind::BlockAck, ht(0), 0).duration, Span::from_us(68), "6 Mbit/s");
        assert_eq!(
            r.answer(Kind::BlockAck, ht(2), 0).duration,
            Span::from_us(44),
            "12 Mbit/s below the reference of 18"
        );
        assert_eq!(r.answer(Kind::BlockAck, ht(15), 0).duration, Span::from_us(32), "24 Mbit/s");
        assert_eq!(r.answer(Kind::Ack, Mode::Ofdm(Ofdm::R54), 0).duration, Span::from_us(28));
        assert_eq!(r.eifs_less_difs(), Span::from_us(60));
        assert_eq!(Responses::new(Band::Ghz2, &[]).eifs_less_difs(), Span::from_us(10 + 304), "an ACK at 1 Mbit/s");
        assert_eq!(r.timeout(ht(0)), Span::from_us(45));
        let he = |m| Mode::He(He::new(m, 2, Width::Mhz80, Gi::Us0_8).unwrap());
        assert_eq!([0, 2, 3, 11].map(|m| r.rate(he(m))), [Ofdm::R6, Ofdm::R12, Ofdm::R24, Ofdm::R24].map(Mode::Ofdm));
        let all = Responses::new(Band::Ghz5, &Ofdm::ALL);
        assert_eq!([5, 9, 10].map(|m| all.rate(he(m))), [Ofdm::R48, Ofdm::R54, Ofdm::R54].map(Mode::Ofdm));
    }

    /// src: thesis table 3.1: T_DACK 22.6 us at 12 Mbit/s is the ACK's bits alone; 4 bytes more are 2.67 us of bits.
    #[test]
    fn what_rides_costs_whole_symbols() {
        let r = Responses::new(Band::Ghz5, &[Ofdm::R12]);
        let m = Mode::Ofdm(Ofdm::R54);
        assert_eq!(r.answer(Kind::Ack, m, 0).duration, Span::from_us(32)); // 134 bits / 48 -> 3
        assert_eq!(r.answer(Kind::Ack, m, 4).duration, Span::from_us(36)); // 166 bits / 48 -> 4
    }

    /// By hand: an ACK of 14 bytes takes 112 us at 1 Mbit/s and 10.2, so 11 us at 11, behind 192 or 96 us.
    #[test]
    fn beside_802_11b_stations() {
        let r = Responses::beside(Band::Ghz2, &[], Some(Erp { protects: false, ..Erp::default() }));
        let b = |rate| Mode::Dsss(Hr { rate, short: true });
        assert_eq!(r.answer(Kind::Ack, b(Dsss::R11), 0).duration, Span::from_us(96 + 11));
        assert_eq!(r.answer(Kind::Ack, b(Dsss::R1), 0).duration, Span::from_us(192 + 112));
        assert_eq!(r.answer(Kind::Ack, Mode::Ofdm(Ofdm::R54), 0).duration, Span::from_us(28 + 6), "OFDM answers OFDM");
        assert_eq!(r.slot(), Span::from_us(20));
        assert_eq!(r.eifs_less_difs(), Span::from_us(10 + 304));
        assert_eq!(r.timeout(b(Dsss::R11)), Span::from_us(10 + 20 + 96));
        let low = Responses::beside(Band::Ghz2, &[], Some(Erp { basic: Dsss::R2, protects: false, ..Erp::default() }));
        assert_eq!(
            low.answer(Kind::Ack, b(Dsss::R11), 0).duration,
            Span::from_us(96 + 56),
            "2 Mbit/s is the highest basic rate"
        );
        // Where none is about, a CCK frame is answered so, too, but slots are short, and nothing is protected.
        let none = Responses::beside(Band::Ghz2, &[], Some(Erp { basic: Dsss::R2, about: false, ..Erp::default() }));
        assert_eq!(none.answer(Kind::Ack, b(Dsss::R11), 0).duration, Span::from_us(96 + 56));
        assert_eq!(none.timeout(b(Dsss::R11)), Span::from_us(10 + 9 + 96));
        assert_eq!((none.erp(), none.rts_rate(Mode::Ofdm(Ofdm::R54))), (None, Mode::Ofdm(Ofdm::R24)));
    }
}
