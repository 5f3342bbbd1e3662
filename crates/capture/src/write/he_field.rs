//! Radiotap's HE field: six words. Stands for: radiotap.org, HE; linux@6.12 include/net/ieee80211_radiotap.h. Differs: D1 of what is for, or from, several
//! users HE MU and HE TB are told, without their users; D2 no BSS of the model has a color; D3 no pre-FEC padding factor, no TXOP, no spatial reuse.

use crate::he::{He, Tones};

/// Resource units by their codes, which follow those of the channels (20 MHz: 0, 40, 80, 160).
pub(crate) const UNITS: [u16; 7] = [26, 52, 106, 242, 484, 996, 1992];

// The first word: the format, and what is known of the others.
/// The format of the extended range. The single user's is below; those above are for, or from, several users.
pub(crate) const EXTENDED: u16 = 1;
const MULTI_USER: u16 = 2;
pub(crate) const TRIGGERED: u16 = 3;
const COLOR_KNOWN: u16 = 0x0004;
pub(crate) const MCS_KNOWN: u16 = 0x0020;
pub(crate) const DCM_KNOWN: u16 = 0x0040;
const CODING_KNOWN: u16 = 0x0080;
const STBC_KNOWN: u16 = 0x0200;
pub(crate) const WIDTH_KNOWN: u16 = 0x4000;
const DOPPLER_KNOWN: u16 = 0x8000;
// The second: more of the same.
const GI_KNOWN: u16 = 0x0002;
const LTFS_KNOWN: u16 = 0x0004;
const BEAMFORMED_KNOWN: u16 = 0x0010;
// The third.
pub(crate) const DCM: u16 = 0x1000;
const LDPC: u16 = 0x2000;

/// The field.
pub(super) fn field(h: He) -> [u8; 12] {
    let mut words = [0u16; 6];
    words[0] = match h {
        He { triggered: true, .. } => TRIGGERED,
        He { multi_user: true, .. } => MULTI_USER,
        He { extended: true, .. } => EXTENDED,
        _ => 0,
    };
    // No STBC, no Doppler, not beamformed.
    words[0] |= MCS_KNOWN | DCM_KNOWN | STBC_KNOWN | WIDTH_KNOWN | DOPPLER_KNOWN;
    words[1] = GI_KNOWN | BEAMFORMED_KNOWN;
    words[2] = u16::from(h.mcs) << 8 | if h.dcm { DCM } else { 0 };
    let code = match h.tones {
        Tones::Channel(mhz) => (mhz / 20).checked_ilog2().unwrap_or(0),
        Tones::Unit(n) => 4 + UNITS.iter().position(|u| *u == n).unwrap_or(0) as u32,
    };
    words[4] = code as u16 | (h.gi.trailing_zeros() << 4 | (h.ltf.trailing_zeros() + 1) << 6) as u16;
    words[5] = u16::from(h.streams);
    if !h.multi_user {
        words[1] |= LTFS_KNOWN;
        words[4] |= u16::from(h.streams.div_ceil(2) - u8::from(h.streams == 1)) << 8;
    }
    if let Some(model) = h.model() {
        words[0] |= COLOR_KNOWN | CODING_KNOWN;
        words[2] |= if model.ldpc() { LDPC } else { 0 };
    }
    let mut out = [0; 12];
    for (to, w) in out.chunks_exact_mut(2).zip(words) {
        to.copy_from_slice(&w.to_le_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn he(mcs: u8, streams: u8, tones: Tones) -> He {
        He { mcs, streams, tones, gi: 1, ltf: 2, dcm: false, multi_user: false, triggered: false, extended: false }
    }

    /// Laid out by hand after radiotap.org: the codes of LTF symbols are 0 to 4 for 1, 2, 4, 6, 8.
    #[test]
    fn by_hand() {
        let words = |h| {
            let f = field(h);
            core::array::from_fn::<u16, 6, _>(|i| u16::from_le_bytes([f[2 * i], f[2 * i + 1]]))
        };
        // HE SU; color, MCS, DCM, coding, STBC, width, Doppler known; guard interval, LTFs, beamforming known; MCS 11, LDPC; 80 MHz, 0.8 us, 2x,
        // two LTFs; two streams.
        assert_eq!(words(he(11, 2, Tones::Channel(80))), [0xc2e4, 0x0016, 0x2b00, 0, 0x0182, 2]);
        // BCC; 20 MHz, 3.2 us, 4x, four LTFs for three streams.
        let slow = He { gi: 4, ltf: 4, ..he(0, 3, Tones::Channel(20)) };
        assert_eq!(words(slow), [0xc2e4, 0x0016, 0, 0, 0x02e0, 3]);
        let ltfs = [1, 2, 3, 4, 5, 6, 7, 8].map(|n| words(he(0, n, Tones::Channel(160)))[4] >> 8);
        assert_eq!(ltfs, [0, 1, 2, 2, 3, 3, 4, 4]);
        // HE MU; neither color nor coding nor LTFs known; DCM; 106 tones.
        let part = He { multi_user: true, dcm: true, ..he(1, 1, Tones::Unit(106)) };
        assert_eq!(words(part), [0xc262, 0x0012, 0x1100, 0, 0x0086, 1]);
    }
}
