//! 802.11b and its company: what a DSSS or CCK frame is on the air, and what 802.11g does beside such stations.
//!
//! Stands for: 802.11-2020 clause 15 and 16 (HR/DSSS): long PLCP preamble and header 144 + 48 us at 1 Mbit/s, short 72 us at 1 and
//! 24 us at 2 Mbit/s; table 16-4 (slot 20 us, SIFS 10 us, aCWmin 31); 18.4.4 (ERP: CWmin 15; slot 9 us, or 20 us where a station
//! without short slots is associated); 10.27 (ERP protection by CTS-to-self at a DSSS rate).
//! The simulated BSS sends so to and from 802.11b stations ([`Mode::Dsss`](super::Mode)).

use crate::sim::Span;

/// A rate of DSSS or CCK.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Dsss {
    /// DBPSK, Barker.
    R1,
    /// DQPSK, Barker.
    R2,
    /// CCK.
    R5_5,
    /// CCK.
    R11,
}

impl Dsss {
    /// All, slowest first.
    pub const ALL: [Dsss; 4] = [Dsss::R1, Dsss::R2, Dsss::R5_5, Dsss::R11];
    /// Bits a second.
    pub const fn bps(self) -> u64 {
        [1_000_000, 2_000_000, 5_500_000, 11_000_000][self as usize]
    }
    /// The rate of so many bits a second, if there is one.
    pub fn from_bps(bps: u64) -> Option<Dsss> {
        Dsss::ALL.into_iter().find(|r| r.bps() == bps)
    }
}

/// How an 802.11b frame is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hr {
    /// Its rate.
    pub rate: Dsss,
    /// With the short preamble, which 1 Mbit/s does not have.
    pub short: bool,
}

impl Hr {
    /// On the air.
    pub fn frame(self, bytes: u32) -> Span {
        frame(self.rate, bytes, self.short)
    }
    /// Preamble and header.
    pub fn plcp(self) -> Span {
        plcp(self.short && self.rate > Dsss::R1)
    }
}

/// Slot, SIFS and mean backoff where a BSS's rules are 802.11b's.
pub const SLOT: Span = Span::from_us(20);
/// Short interframe space.
pub const SIFS: Span = Span::from_us(10);
/// aCWmin.
pub const CW_MIN: u16 = 31;

/// PLCP preamble and header.
pub const fn plcp(short: bool) -> Span {
    Span::from_us(if short { 96 } else { 192 })
}

/// Duration of a frame of `bytes` at `rate`, rounded up to a microsecond. 1 Mbit/s has the long preamble only.
pub fn frame(rate: Dsss, bytes: u32, short: bool) -> Span {
    let us = (u64::from(bytes) * 8_000_000).div_ceil(rate.bps());
    plcp(short && rate > Dsss::R1) + Span::from_us(us as i64)
}

/// What ERP protection puts before an OFDM frame: CTS-to-self (14 bytes) at `rate`, and SIFS.
pub fn cts_to_self(rate: Dsss, short: bool) -> Span {
    frame(rate, 14, short) + SIFS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 1500 bytes at 11 Mbit/s are 12000 / 11 = 1090.9 us, up to 1091; an ACK 112 / 11 = 10.2, up to 11.
    #[test]
    fn frames() {
        assert_eq!(frame(Dsss::R11, 1500, false), Span::from_us(192 + 1091));
        assert_eq!(frame(Dsss::R11, 14, true), Span::from_us(96 + 11));
        assert_eq!(frame(Dsss::R1, 14, true), Span::from_us(192 + 112), "1 Mbit/s has no short preamble");
        assert_eq!(frame(Dsss::R2, 14, true), Span::from_us(96 + 56));
        assert_eq!(cts_to_self(Dsss::R11, true), Span::from_us(96 + 11 + 10));
    }
}
