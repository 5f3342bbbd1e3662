//! Captures as frames: pcap (us and ns) and pcapng, in both byte orders, of link type 127 (radiotap). Streaming: one block at a
//! time is in memory. Nothing here trusts a length that it has read.

mod compressed;
mod dot11;
mod file;
mod ip;
mod packet;
mod radiotap;

pub use compressed::plain;
pub use file::{Failure, FileInfo, Raw, read};
pub use ip::{Held, ip_packets};

use crate::frame::Frame;

/// Fills in what an MPDU's own octets say, as far as they were kept.
pub(crate) fn mpdu(octets: &[u8], f: &mut Frame) {
    let _ = dot11::mpdu(octets, false, false, f);
}

/// One captured frame: `data` what was kept of it, `whole` how long it was on the wire (radiotap header included). None: so short, or
/// so damaged, that it is no frame.
pub fn frame(data: &[u8], whole: u32, time: u64) -> Option<Frame> {
    let mut f = Frame { time, ..Frame::EMPTY };
    let head = radiotap::header(data, &mut f)?;
    // No MPDU is longer than 16 bits can say; a length beyond is damage.
    f.len = (whole.saturating_sub(head.len as u32).min(u32::from(u16::MAX) - 4)) + if head.fcs { 0 } else { 4 };
    dot11::mpdu(&data[head.len..], head.pad, head.fcs, &mut f)?;
    Some(f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Mac, Phy, Transport};

    /// A header as ath9k's monitor interfaces give it: TSFT, flags, rate, channel, signal, RX flags; then a second presence word with
    /// signal and antenna of one chain. Laid out by hand after radiotap.org.
    const ATH9K: [u8; 36] = [
        0, 0, 36, 0, 0x2f, 0x40, 0, 0xa0, 0x20, 0x08, 0, 0, // version, length, two presence words
        0, 0, 0, 0, // to a multiple of eight
        0x40, 0xe2, 0x01, 0, 0, 0, 0, 0, // TSFT 123456
        0x10, 12, 0x3c, 0x14, 0x40, 0x01, 0xe4, 0, // FCS at end, 6 Mbit/s, 5180 MHz, OFDM 5 GHz, -28 dBm
        0, 0, 0xd8, 1, // RX flags; -40 dBm at antenna 1
    ];

    fn data(control: [u8; 2], behind: &[u8]) -> Vec<u8> {
        let mut b = vec![control[0], control[1], 0x30, 0];
        b.extend([[2; 6], [4; 6], [6; 6]].concat());
        b.extend([0x10, 0x27, 5, 0]); // number 625; QoS: TID 5
        b.extend(behind);
        b
    }

    /// LLC, IPv4 and UDP from 10.0.0.1:7 to 10.0.0.2:9 with four bytes.
    const UDP: [u8; 40] = [
        0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45, 0, 0, 32, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 7, 0, 9,
        0, 12, 0, 0, 1, 2, 3, 4,
    ];

    fn read(radiotap: &[u8], mpdu: &[u8]) -> Frame {
        let all = [radiotap, mpdu, &[0; 4]].concat();
        frame(&all, all.len() as u32, 7).unwrap()
    }

    #[test]
    fn ath9k() {
        let f = read(&ATH9K, &data([0x88, 1], &UDP));
        assert_eq!((f.tsft, f.phy, f.mhz, f.signal), (Some(123_456), Some(Phy::Legacy(12)), 5180, Some(-28)));
        assert_eq!((f.kind, f.tid, f.seq, f.from_ds, f.ta), (Kind::Data, Some(5), 625, Some(false), Some(Mac([4; 6]))));
        assert_eq!(f.len, 26 + 40 + 4);
        let p = f.packet.unwrap();
        assert_eq!((p.transport, p.ports, p.payload), (Transport::Udp, (7, 9), 4));
    }

    #[test]
    fn a_vendors_fields_are_passed_over() {
        // Flags in the first word; the vendor's word with three bytes; then radiotap again: signal.
        let mut h = vec![0, 0, 0, 0, 2, 0, 0, 0xc0, 0xff, 0xff, 0, 0xa0, 0x20, 0, 0, 0];
        h.extend([0x10, 0]); // flags; to a multiple of two
        h.extend([0, 0x11, 0x22, 1, 3, 0, 9, 9, 9]);
        h.push(0xce); // -50 dBm
        h[2] = h.len() as u8;
        let f = read(&h, &data([0x88, 1], &UDP));
        assert_eq!((f.signal, f.packet.is_some()), (Some(-50), true));
    }

    #[test]
    fn what_stands_between_header_and_body() {
        let plain = read(&ATH9K, &data([0x88, 1], &UDP)).packet;
        // HT Control, which the order bit announces.
        assert_eq!(read(&ATH9K, &data([0x88, 0x81], &[&[0; 4][..], &UDP].concat())).packet, plain);
        // Atheros pads the header to 32 bits, and says so.
        let mut padded = ATH9K;
        padded[24] |= 0x20;
        assert_eq!(read(&padded, &data([0x88, 1], &[&[0; 2][..], &UDP].concat())).packet, plain);
        // Encrypted: nothing inside is read.
        let f = read(&ATH9K, &data([0x88, 0x41], &UDP));
        assert_eq!((f.protected, f.packet), (true, None));
    }

    #[test]
    fn too_short_is_no_frame() {
        for n in 0..ATH9K.len() + 10 {
            let all = [&ATH9K[..], &data([0x88, 1], &UDP)].concat();
            assert_eq!(frame(&all[..n], 100, 0), None, "{n} bytes");
        }
    }
}
