//! Reading a radiotap header: any number of presence words, radiotap and vendor namespaces.
//!
//! Stands for: radiotap.org, HE and L-SIG as linux@6.12 include/net/ieee80211_radiotap.h has them; D1 other fields from 22 (timestamp) on are
//! skipped, and what follows a TLV marker (bit 28) is not read.

use crate::frame::{Frame, Subframe};
use crate::he::{self, He, Tones};
use crate::phy::Phy;
use crate::write::fields::{AMPDU_IS_LAST, AMPDU_LAST_KNOWN, F_BAD_FCS, F_FCS, F_SHORT_PREAMBLE, field};
use crate::write::he_field::{DCM, DCM_KNOWN, EXTENDED, MCS_KNOWN, TRIGGERED, UNITS, WIDTH_KNOWN};

/// What the header says of itself.
pub(super) struct Header {
    /// Bytes of it.
    pub len: usize,
    /// The frame behind it has its FCS.
    pub fcs: bool,
    /// The 802.11 header behind it is padded to 32 bits.
    pub pad: bool,
    /// With the short preamble of HR/DSSS.
    short: bool,
}

/// Alignment and size of each field, by number.
const FIELDS: [(usize, usize); 28] = [
    (8, 8),
    (1, 1),
    (1, 1),
    (2, 4),
    (1, 2),
    (1, 1),
    (1, 1),
    (2, 2),
    (2, 2),
    (2, 2),
    (1, 1),
    (1, 1),
    (1, 1),
    (1, 1),
    (2, 2),
    (2, 2),
    (1, 1),
    (1, 1),
    (4, 8),
    (1, 3),
    (4, 8),
    (2, 12),
    (8, 12),
    (2, 12),
    (2, 12),
    (2, 6),
    (1, 1),
    (2, 4),
];
const F_DATAPAD: u8 = 0x20;
const NAMESPACE: u32 = 1 << 29;
const VENDOR: u32 = 1 << 30;
const MORE: u32 = 1 << 31;
/// Presence words that are read at most: more is damage.
const WORDS: usize = 64;

fn le16(b: &[u8]) -> u16 {
    u16::from_le_bytes([b[0], b[1]])
}

pub(super) fn header(data: &[u8], f: &mut Frame) -> Option<Header> {
    let fixed = data.get(..8)?;
    let len = usize::from(le16(&fixed[2..]));
    if fixed[0] != 0 || len < 8 || len > data.len() {
        return None;
    }
    let data = &data[..len];
    let word = |i: usize| data.get(4 + 4 * i..8 + 4 * i).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes")));
    let mut words = 1;
    while words < WORDS && word(words - 1)? & MORE != 0 {
        words += 1;
    }
    let mut h = Header { len, fcs: false, pad: false, short: false };
    let mut at = 4 + 4 * words;
    let mut seen = 0u32;
    let mut ours = true;
    for i in 0..words {
        let present = word(i)?;
        if ours {
            for bit in 0..28 {
                if present >> bit & 1 == 0 {
                    continue;
                }
                let (align, size) = FIELDS[bit as usize];
                at = at.next_multiple_of(align);
                let Some(value) = data.get(at..at + size) else { return Some(h) };
                at += size;
                // A field that comes again tells of one antenna.
                if seen >> bit & 1 == 0 {
                    take(bit, value, f, &mut h);
                }
                seen |= 1 << bit;
            }
            if present >> 28 & 1 != 0 {
                return Some(h);
            }
        }
        if present & VENDOR != 0 {
            at = at.next_multiple_of(2);
            let Some(v) = data.get(at..at + 6) else { return Some(h) };
            at += 6 + usize::from(le16(&v[4..]));
            ours = false;
        } else if present & NAMESPACE != 0 {
            ours = true;
        }
    }
    Some(h)
}

fn take(bit: u32, v: &[u8], f: &mut Frame, h: &mut Header) {
    match bit {
        field::TSFT => f.tsft = Some(u64::from_le_bytes(v.try_into().expect("eight bytes"))),
        field::FLAGS => {
            h.fcs = v[0] & F_FCS != 0;
            h.pad = v[0] & F_DATAPAD != 0;
            f.bad = v[0] & F_BAD_FCS != 0;
            h.short = v[0] & F_SHORT_PREAMBLE != 0;
        }
        // Flags have a lower number, so they have been read.
        field::RATE if v[0] != 0 && v[0] & 0x80 == 0 && f.phy.is_none() => f.phy = Phy::captured(v[0], h.short),
        field::CHANNEL => f.mhz = le16(v),
        field::DBM_SIGNAL => f.signal = Some(v[0] as i8),
        field::MCS if v[0] & 0x02 != 0 && v[2] < 32 => {
            let wide = v[0] & 0x01 != 0 && v[1] & 0x03 == 1;
            f.phy = Some(Phy::Ht(v[2], wide, v[0] & 0x04 != 0 && v[1] & 0x04 != 0));
        }
        field::AMPDU => {
            let flags = le16(&v[4..]);
            f.subframe = Some(Subframe {
                reference: u32::from_le_bytes(v[..4].try_into().expect("four bytes")),
                last: flags & AMPDU_LAST_KNOWN != 0 && flags & AMPDU_IS_LAST != 0,
            });
        }
        field::VHT => {
            let known = le16(v);
            let code = if known & 0x0040 != 0 { v[3] } else { 0 };
            let sgi = known & 0x0004 != 0 && v[2] & 0x04 != 0;
            f.phy = vht_mhz(code).and_then(|mhz| Phy::vht(v[4] >> 4, v[4] & 0x0f, mhz, sgi));
        }
        field::HE => f.phy = he(v).map(Phy::He),
        field::L_SIG if matches!(f.phy, Some(Phy::He(_))) && le16(v) & LENGTH_KNOWN != 0 => {
            f.l_sig_us = Some(he::by_l_sig_us(le16(&v[2..]) >> 4));
        }
        _ => {}
    }
}

/// The width that a VHT bandwidth code means; of those with a side (40 MHz of 80, 20 of 160 and so on) what is used, not what it is part of.
/// src: radiotap.org, VHT; wireshark@4.0 packet-ieee80211-radiotap.c
const fn vht_mhz(code: u8) -> Option<u16> {
    match code {
        0 | 2 | 3 | 7..=10 | 18..=25 => Some(20),
        1 | 5 | 6 | 14..=17 => Some(40),
        4 | 12 | 13 => Some(80),
        11 => Some(160),
        _ => None,
    }
}

/// L-SIG's data 1.
const LENGTH_KNOWN: u16 = 0x0002;

/// What radiotap tells of an HE PPDU; none without its MCS and width.
fn he(v: &[u8]) -> Option<He> {
    let data = |i: usize| le16(&v[2 * i - 2..]);
    let (known, signal, width) = (data(1), data(3), data(5));
    if known & (MCS_KNOWN | WIDTH_KNOWN) != MCS_KNOWN | WIDTH_KNOWN {
        return None;
    }
    let tones = match width & 0x0f {
        code @ 0..=3 => Tones::Channel(20 << code),
        code => Tones::Unit(*UNITS.get(usize::from(code) - 4)?),
    };
    let format = known & 3;
    let gi = (width >> 4 & 3) as u8;
    let he = He {
        mcs: (signal >> 8 & 0x0f) as u8,
        // A driver that does not tell means one.
        streams: ((data(6) & 0x0f) as u8).max(1),
        tones,
        gi: 1 << gi,
        // Unknown: the shortest that goes with each guard interval, of those in use.
        ltf: match width >> 6 & 3 {
            0 if gi == 2 => 4,
            0 => 2,
            code => 1 << (code - 1),
        },
        dcm: known & DCM_KNOWN != 0 && signal & DCM != 0,
        multi_user: format > EXTENDED,
        triggered: format == TRIGGERED,
        extended: format == EXTENDED,
    };
    he.checked()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(bit: u32, v: &[u8]) -> Option<Phy> {
        let mut f = Frame::EMPTY;
        take(bit, v, &mut f, &mut Header { len: 0, fcs: false, pad: false, short: false });
        f.phy
    }

    /// As tshark prints the codes: 20 MHz, 40, its lower and upper 20; 80, its lower and upper 40, four of 20; 160 and its parts.
    #[test]
    fn widths_of_vht() {
        let mhz = |code| match taken(field::VHT, &[0x44, 0, 0, code, 0x71, 0, 0, 0, 0, 0, 0, 0]) {
            Some(Phy::Vht(7, 1, mhz, false)) => mhz,
            _ => 0,
        };
        assert_eq!([0, 1, 2, 3].map(mhz), [20, 40, 20, 20]);
        assert_eq!([4, 5, 6, 7, 8, 9, 10].map(mhz), [80, 40, 40, 20, 20, 20, 20]);
        assert_eq!([11, 12, 13, 14, 15, 16, 17].map(mhz), [160, 80, 80, 40, 40, 40, 40]);
        assert!((18..=25).all(|code| mhz(code) == 20));
        assert!((26..=255).all(|code| mhz(code) == 0), "there are none");
    }

    /// PBCC's 22 and 33 Mbit/s, OFDM's of half and quarter channels, and what no standard has.
    #[test]
    fn rates_that_nobody_models_are_unknown() {
        assert!([1, 6, 7, 9, 44, 66, 127].iter().all(|&r| taken(field::RATE, &[r]).is_none()));
        assert_eq!(
            [11, 12, 108].map(|r| taken(field::RATE, &[r]).map(Phy::rate_bps)),
            [5_500_000, 6_000_000, 54_000_000].map(Some)
        );
    }

    #[test]
    fn formats_of_he() {
        let of = |format: u8| match taken(field::HE, &[format | 0x20, 0x40, 0, 0, 0, 5, 0, 0, 2, 0, 1, 0]) {
            Some(Phy::He(h)) => (h.multi_user, h.triggered, h.to_string()[..5].to_string()),
            _ => panic!("it is HE"),
        };
        assert_eq!([0, 1].map(|f| of(f).0), [false; 2]);
        assert_eq!(of(2), (true, false, "HE MU".into()));
        assert_eq!(of(3), (true, true, "HE TB".into()));
    }
}
