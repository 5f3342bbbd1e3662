//! A radiotap header. Stands for: radiotap.org, fields TSFT, Flags, Rate, Channel, dBm antenna signal, TX flags, MCS, A-MPDU status,
//! VHT, HE.

use super::he_field;
use crate::frame::Frame;
use crate::phy::Phy;

/// Field numbers of the presence word.
pub(crate) mod field {
    pub const TSFT: u32 = 0;
    pub const FLAGS: u32 = 1;
    pub const RATE: u32 = 2;
    pub const CHANNEL: u32 = 3;
    pub const DBM_SIGNAL: u32 = 5;
    pub const TX_FLAGS: u32 = 15;
    pub const MCS: u32 = 19;
    pub const AMPDU: u32 = 20;
    pub const VHT: u32 = 21;
    pub const HE: u32 = 23;
    pub const L_SIG: u32 = 27;
}
/// Flags: the short preamble; the frame has its FCS; the FCS did not hold.
pub(crate) const F_SHORT_PREAMBLE: u8 = 0x02;
/// See `F_SHORT_PREAMBLE`.
pub(crate) const F_FCS: u8 = 0x10;
/// See `F_SHORT_PREAMBLE`.
pub(crate) const F_BAD_FCS: u8 = 0x40;
/// A-MPDU status: "last" is known; this is it.
pub(crate) const AMPDU_LAST_KNOWN: u16 = 0x0004;
/// See `AMPDU_LAST_KNOWN`.
pub(crate) const AMPDU_IS_LAST: u16 = 0x0008;
/// TX flags: no acknowledgement came.
const TX_FAIL: u16 = 0x0001;

/// VHT bandwidth codes of the widths without a side.
const VHT_BANDWIDTH: [(u16, u8); 4] = [(20, 0), (40, 1), (80, 4), (160, 11)];

/// Appends the header. `sent`: the capture is its sender's, and whether it was acknowledged.
pub fn radiotap(f: &Frame, sent: Option<bool>, out: &mut Vec<u8>) {
    let begin = out.len();
    out.extend([0; 8]);
    let mut present = 0u32;
    let align = |out: &mut Vec<u8>, n: usize| out.resize(begin + (out.len() - begin).next_multiple_of(n), 0);
    if let Some(t) = f.tsft {
        present |= 1 << field::TSFT;
        out.extend(t.to_le_bytes());
    }
    present |= 1 << field::FLAGS;
    let short = matches!(f.phy, Some(Phy::Dsss(_, true)));
    out.push(F_FCS | if f.bad { F_BAD_FCS } else { 0 } | if short { F_SHORT_PREAMBLE } else { 0 });
    if let Some(Phy::Dsss(r, _) | Phy::Ofdm(r)) = f.phy {
        present |= 1 << field::RATE;
        out.push(r);
    }
    if f.mhz != 0 {
        present |= 1 << field::CHANNEL;
        align(out, 2);
        out.extend(f.mhz.to_le_bytes());
        let flags: u16 = if f.mhz < 3000 { 0x0400 | 0x0080 } else { 0x0040 | 0x0100 };
        out.extend(flags.to_le_bytes());
    }
    if let Some(dbm) = f.signal {
        present |= 1 << field::DBM_SIGNAL;
        out.push(dbm as u8);
    }
    if let Some(acked) = sent {
        present |= 1 << field::TX_FLAGS;
        align(out, 2);
        out.extend(if acked { 0 } else { TX_FAIL }.to_le_bytes());
    }
    if let Some(Phy::Ht(mcs, mhz40, sgi)) = f.phy {
        present |= 1 << field::MCS;
        // All is known: bandwidth, MCS, guard interval, mixed format, BCC, no STBC, no extension streams.
        out.extend([0x7f, u8::from(mhz40) | u8::from(sgi) << 2, mcs]);
    }
    if let Some(s) = f.subframe {
        present |= 1 << field::AMPDU;
        align(out, 4);
        out.extend(s.reference.to_le_bytes());
        out.extend((AMPDU_LAST_KNOWN | if s.last { AMPDU_IS_LAST } else { 0 }).to_le_bytes());
        out.extend([0, 0]);
    }
    if let Some(Phy::Vht(mcs, nss, mhz, sgi)) = f.phy {
        present |= 1 << field::VHT;
        align(out, 2);
        let code = VHT_BANDWIDTH.iter().find(|b| b.0 == mhz).map_or(0, |b| b.1);
        // Known: no STBC, guard interval, not beamformed, bandwidth.
        out.extend([0x65, 0, u8::from(sgi) << 2, code, mcs << 4 | nss, 0, 0, 0, 0, 0, 0, 0]);
    }
    if let Some(Phy::He(h)) = f.phy {
        present |= 1 << field::HE;
        align(out, 2);
        out.extend(he_field::field(h));
    }
    let len = (out.len() - begin) as u16;
    out[begin + 2..begin + 4].copy_from_slice(&len.to_le_bytes());
    out[begin + 4..begin + 8].copy_from_slice(&present.to_le_bytes());
}
