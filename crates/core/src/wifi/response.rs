//! Response frames: what answers a frame, how long it takes, and the room for what may ride on it.
//!
//! Stands for: 802.11-2020 10.6.6.5.2 (rate of a control response: the highest basic rate that is not above the rate, or
//! the non-HT reference rate, of the frame it answers), table 10-8 (non-HT reference rates), 9.3.1.2 ff. (frame sizes),
//! 9.3.1.8.2 (compressed Block Ack, 32 bytes).
//! Differs: D1 responses are non-HT always (no HT Block Ack); D2 the basic rate set is of OFDM rates.

use crate::phy::{Band, Mode, Ofdm, duration};
use crate::sim::Span;

/// Bytes of an RTS.
pub const RTS: u32 = 20;
/// Bytes of a CTS.
pub const CTS: u32 = 14;
/// Bytes of an ACK.
pub const ACK: u32 = 14;
/// Bytes of a compressed Block Ack.
pub const BLOCK_ACK: u32 = 32;
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
}

impl Kind {
    /// Bytes of the plain frame.
    pub const fn bytes(self) -> u16 {
        match self {
            Kind::Cts => CTS as u16,
            Kind::Ack => ACK as u16,
            Kind::BlockAck => BLOCK_ACK as u16,
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
    pub payload: u8,
}

/// The basic rate set and what follows from it: with which rate what is answered, and how long that takes.
#[derive(Clone, Debug)]
pub struct Responses {
    band: Band,
    /// By the rate of the frame that is answered.
    rate: [Ofdm; 8],
    ack: [Span; 8],
    block_ack: [Span; 8],
    eifs_less_difs: Span,
}

/// The rate that bounds the rate of a response to `mode`. src: 802.11-2020 table 10-8
pub const fn reference_rate(mode: Mode) -> Ofdm {
    match mode {
        Mode::Ofdm(r) => r,
        Mode::Ht(h) => match h.mcs() % 8 {
            0 => Ofdm::R6,
            1 => Ofdm::R12,
            2 => Ofdm::R18,
            3 => Ofdm::R24,
            4 => Ofdm::R36,
            5 => Ofdm::R48,
            _ => Ofdm::R54,
        },
        // 256-QAM's reference is 54 Mbit/s as well.
        Mode::Vht(v) => match v.mcs() {
            0 => Ofdm::R6,
            1 => Ofdm::R12,
            2 => Ofdm::R18,
            3 => Ofdm::R24,
            4 => Ofdm::R36,
            5 => Ofdm::R48,
            _ => Ofdm::R54,
        },
    }
}

impl Responses {
    /// Of a BSS with these basic rates. An empty set stands for the mandatory 6, 12 and 24 Mbit/s.
    pub fn new(band: Band, basic: &[Ofdm]) -> Responses {
        let basic = if basic.is_empty() { &[Ofdm::R6, Ofdm::R12, Ofdm::R24] } else { basic };
        // src: 802.11-2020 10.6.6.5.2: no basic rate at or below it: the highest mandatory rate at or below it
        let answer = |r: Ofdm| {
            let best = |set: &[Ofdm]| set.iter().copied().filter(|&b| b <= r).max();
            best(basic).or(best(&[Ofdm::R6, Ofdm::R12, Ofdm::R24])).unwrap_or(Ofdm::R6)
        };
        let rate = Ofdm::ALL.map(answer);
        Responses {
            band,
            rate,
            ack: rate.map(|r| duration::non_ht(r, ACK, band)),
            block_ack: rate.map(|r| duration::non_ht(r, BLOCK_ACK, band)),
            // src: 802.11-2020 10.3.7: EIFS = SIFS + ACK at the lowest mandatory rate + DIFS
            eifs_less_difs: band.sifs() + duration::non_ht(Ofdm::R6, ACK, band),
        }
    }
    /// The rate of what answers a frame of this mode.
    pub fn rate(&self, to: Mode) -> Ofdm {
        self.rate[reference_rate(to) as usize]
    }
    /// What answers a frame of this mode, with `payload` bytes riding on it.
    pub fn answer(&self, kind: Kind, to: Mode, payload: u8) -> Response {
        let i = reference_rate(to) as usize;
        let duration = match (kind, payload) {
            (Kind::BlockAck, 0) => self.block_ack[i],
            (_, 0) => self.ack[i], // a CTS is as long as an ACK
            (Kind::BlockAck, n) => duration::non_ht(self.rate[i], BLOCK_ACK + u32::from(n), self.band),
            (_, n) => duration::non_ht(self.rate[i], ACK + u32::from(n), self.band),
        };
        Response { kind, duration, payload }
    }
    /// EIFS - DIFS: what is waited longer after a frame that could not be decoded.
    pub const fn eifs_less_difs(&self) -> Span {
        self.eifs_less_difs
    }
    /// How long after the end of a frame its sender knows that nothing answers.
    /// src: 802.11-2020 10.3.2.11: aSIFSTime + aSlotTime + aRxPHYStartDelay
    pub fn timeout(&self) -> Span {
        self.band.sifs() + self.band.slot() + duration::RX_PHY_START_DELAY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Ht;

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
        assert_eq!(r.timeout(), Span::from_us(45));
    }

    /// src: thesis table 3.1: T_DACK 22.6 us at 12 Mbit/s is the ACK's bits alone; 4 bytes more are 2.67 us of bits.
    #[test]
    fn what_rides_costs_whole_symbols() {
        let r = Responses::new(Band::Ghz5, &[Ofdm::R12]);
        let m = Mode::Ofdm(Ofdm::R54);
        assert_eq!(r.answer(Kind::Ack, m, 0).duration, Span::from_us(32)); // 134 bits / 48 -> 3
        assert_eq!(r.answer(Kind::Ack, m, 4).duration, Span::from_us(36)); // 166 bits / 48 -> 4
    }
}
