//! The body of a beacon: 802.11-2020 9.3.3.2 (order), 9.4.1 and 9.4.2 (fields, elements), WMM 1.2 2.2.2.
//!
//! What it tells is the model's: band, channel, 802.11n, ac and ax, WMM. Capabilities beyond those are zeros.

use crate::frame::Frame;
use wavetank_core::phy::Band;
use wavetank_core::wifi::beacon::Told;

const NAME: &[u8] = b"wavetank";

fn element(out: &mut Vec<u8>, number: u8, body: &[u8]) {
    out.extend([number, body.len() as u8]);
    out.extend(body);
}

/// The channel that has its centre there. src: 802.11-2020 17.3.8.4.2, 15.4.4.3
fn channel(mhz: u16, band: Band) -> u8 {
    match band {
        Band::Ghz2 => (mhz.saturating_sub(2407) / 5) as u8,
        Band::Ghz5 => (mhz.saturating_sub(5000) / 5) as u8,
    }
}

/// Appends it.
pub(super) fn body(told: &Told, f: &Frame, out: &mut Vec<u8>) {
    let ghz2 = told.band == Band::Ghz2;
    let channel = channel(f.mhz, told.band);
    out.extend(f.tsft.unwrap_or(0).to_le_bytes());
    out.extend(told.interval.to_le_bytes());
    let privacy = u16::from(told.encryption.is_on()) << 4;
    let short_slots = u16::from(!told.dsss[0]) << 10;
    out.extend((0x0001 | short_slots | privacy).to_le_bytes()); // an access point
    element(out, 0, NAME);
    // Units of 500 kbit/s; the upper bit: basic.
    if told.dsss[1] {
        element(out, 1, &[0x82, 0x84, 0x8b, 0x96]);
    } else if ghz2 {
        element(out, 1, &[0x82, 0x84, 0x8b, 0x96, 12, 18, 24, 36]);
    } else {
        element(out, 1, &[0x8c, 18, 0x98, 36, 0xb0, 72, 96, 108]);
    }
    element(out, 3, &[channel]);
    element(out, 5, &[0, 2, 0, 0]);
    if ghz2 && !told.dsss[1] {
        element(out, 42, &[if told.dsss[0] { 3 } else { 0 }]); // stations of 802.11b are there, and others protect themselves
        element(out, 50, &[48, 72, 96, 108]);
    }
    if told.ht {
        element(out, 45, &[0; 26]);
        let mut operation = [0; 22];
        operation[0] = channel;
        element(out, 61, &operation);
    }
    if told.encryption.is_on() {
        // Version 1; CCMP for group and pairs; a pre-shared key.
        let ccmp = [0, 0x0f, 0xac, 4];
        let rsn = [&[1, 0][..], &ccmp, &[1, 0], &ccmp, &[1, 0, 0, 0x0f, 0xac, 2, 0, 0]].concat();
        element(out, 48, &rsn);
    }
    element(out, 127, &[0; 8]);
    if told.vht {
        element(out, 191, &[0; 12]);
        element(out, 192, &[0; 5]);
    }
    if told.he {
        // Element 255, told apart by its first byte (802.11ax-2021 9.4.2.248 ff.).
        for (extension, bytes) in [(35, 21), (36, 6), (39, 1), (38, 13)] {
            let mut body = vec![0; bytes + 1];
            body[0] = extension;
            element(out, 255, &body);
        }
    }
    if told.qos {
        // Best effort, background, video, voice: AIFSN and number, ECWmin and ECWmax, TXOP limit.
        let mut wmm = vec![0x00, 0x50, 0xf2, 0x02, 0x01, 0x01, 0x00, 0x00];
        wmm.extend([0x03, 0xa4, 0, 0, 0x27, 0xa4, 0, 0, 0x42, 0x43, 0x5e, 0, 0x62, 0x32, 0x2f, 0]);
        element(out, 221, &wmm);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_core::phy::Ofdm;
    use wavetank_core::wifi::Encryption;

    #[test]
    fn as_long_as_it_is_on_the_air() {
        for bits in 0..256 {
            let is = |i| bits >> i & 1 != 0;
            let band = if is(0) { Band::Ghz2 } else { Band::Ghz5 };
            let told = Told {
                band,
                ht: is(1),
                vht: is(2),
                he: is(5),
                qos: is(3),
                dsss: [is(6), is(7)],
                basic: Ofdm::R6,
                interval: 100,
                encryption: if is(4) { Encryption::Ccmp } else { Encryption::None },
            };
            let mut out = Vec::new();
            body(&told, &Frame::EMPTY, &mut out);
            assert_eq!(out.len() as u32 + 24 + 4, told.bytes(), "{told:?}");
        }
    }
}
