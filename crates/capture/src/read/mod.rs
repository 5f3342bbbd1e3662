//! Captures as frames: pcap (us and ns) and pcapng, in both byte orders, of link type 127 (radiotap). Streaming: one block at a
//! time is in memory. Nothing here trusts a length that it has read.

mod amsdu;
mod compressed;
mod cut;
mod dot11;
mod file;
mod ip;
mod packet;
mod radiotap;

pub use compressed::plain;
pub use file::{Failure, FileInfo, Raw, read};
pub use ip::{Held, ip_packets};

use crate::frame::{Frame, Msdu};

/// Fills in what an MPDU's own octets say, as far as they were kept, of a frame whose length is known; an A-MSDU's MSDUs go to `msdus`.
pub(crate) fn mpdu(octets: &[u8], f: &mut Frame, msdus: &mut Vec<Msdu>) {
    let _ = dot11::mpdu(octets, false, f, msdus);
}

/// Bytes of an MPDU of which a capture has `whole` behind `head`. No MPDU is longer than 16 bits can say; a length beyond is damage.
fn mpdu_len(whole: u32, head: usize, fcs: bool) -> u32 {
    whole.saturating_sub(head as u32).min(u32::from(u16::MAX) - 4) + if fcs { 0 } else { 4 }
}

/// One captured frame: `data` what was kept of it, `whole` how long it was on the wire (radiotap header included). None: so short, or
/// so damaged, that it is no frame. If it is an A-MSDU, `msdus` gets what of it can be read, else nothing.
pub fn frame(data: &[u8], whole: u32, time: u64, msdus: &mut Vec<Msdu>) -> Option<Frame> {
    msdus.clear();
    let mut f = Frame { time, ..Frame::EMPTY };
    let head = radiotap::header(data, &mut f)?;
    f.len = mpdu_len(whole, head.len, head.fcs);
    dot11::mpdu(&data[head.len..], head.pad, &mut f, msdus)?;
    Some(f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Amsdu, Kind, Mac, Phy, Transport};

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
        frame(&all, all.len() as u32, 7, &mut Vec::new()).unwrap()
    }

    #[test]
    fn ath9k() {
        let f = read(&ATH9K, &data([0x88, 1], &UDP));
        assert_eq!((f.tsft, f.phy, f.mhz, f.signal), (Some(123_456), Some(Phy::Ofdm(12)), 5180, Some(-28)));
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

    /// Subframes around MSDUs, padded to four bytes but the last.
    fn amsdu(msdus: &[&[u8]]) -> Vec<u8> {
        let mut b = Vec::new();
        for m in msdus {
            b.resize(b.len().next_multiple_of(4), 0);
            b.extend([[8; 6], [9; 6]].concat());
            b.extend((m.len() as u16).to_be_bytes());
            b.extend(*m);
        }
        b
    }

    /// QoS data whose control field says that an A-MSDU is in it.
    fn amsdu_data(control: [u8; 2], between: &[u8], msdus: &[&[u8]]) -> Vec<u8> {
        let mut b = data(control, &[between, &amsdu(msdus)].concat());
        b[24] |= 0x80;
        b
    }

    /// LLC, IPv4 and ICMP's echo request 3 of 10.0.0.1 to 10.0.0.2; a byte of payload, so that the subframe is padded.
    const ECHO: [u8; 37] = [
        0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45, 0, 0, 29, 0, 1, 0, 0, 64, 1, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 8, 0, 0, 0, 0,
        5, 0, 3, 1,
    ];
    /// What is no IP: 802.1X.
    const EAPOL: [u8; 12] = [0xaa, 0xaa, 3, 0, 0, 0, 0x88, 0x8e, 1, 2, 3, 4];

    fn read_all(radiotap: &[u8], mpdu: &[u8]) -> (Frame, Vec<Msdu>) {
        let (all, mut msdus) = ([radiotap, mpdu, &[0; 4]].concat(), Vec::new());
        (frame(&all, all.len() as u32, 7, &mut msdus).unwrap(), msdus)
    }

    #[test]
    fn every_msdu_of_an_amsdu() {
        let all: [&[u8]; 4] = [&UDP, &ECHO, &EAPOL, &UDP];
        let (f, msdus) = read_all(&ATH9K, &amsdu_data([0x88, 1], &[], &all));
        assert_eq!((f.amsdu, f.packet), (Some(Amsdu { msdus: 4, unread: 0 }), None));
        let transports: Vec<_> = msdus.iter().map(|m| m.packet.map(|p| (p.transport, p.payload))).collect();
        let (udp, echo) = ((Transport::Udp, 4), (Transport::Echo(true, 5, 3), 1));
        assert_eq!(transports, [Some(udp), Some(echo), None, Some(udp)]);
        assert_eq!(msdus.iter().map(|m| m.len).collect::<Vec<_>>(), [40, 37, 12, 40]);
        assert!(msdus.iter().all(|m| (m.da, m.sa) == (Mac([8; 6]), Mac([9; 6]))));
        // HT Control, and a header that is padded to 32 bits.
        assert_eq!(read_all(&ATH9K, &amsdu_data([0x88, 0x81], &[0; 4], &all)).1, msdus);
        let mut padded = ATH9K;
        padded[24] |= 0x20;
        assert_eq!(read_all(&padded, &amsdu_data([0x88, 1], &[0; 2], &all)).1, msdus);
        // Encrypted: how long it is, and nothing inside.
        let (f, none) = read_all(&ATH9K, &amsdu_data([0x88, 0x41], &[0; 8], &all));
        assert_eq!((f.amsdu, none), (Some(Amsdu { msdus: 0, unread: 198 }), vec![]));
        // A frame behind it has none of its MSDUs.
        let (mut msdus, plain) = (msdus, [&ATH9K[..], &data([0x88, 1], &UDP), &[0; 4]].concat());
        assert!(frame(&plain, plain.len() as u32, 7, &mut msdus).is_some() && msdus.is_empty());
    }

    #[test]
    fn of_an_amsdu_that_is_cut_what_is_there() {
        let whole = [&ATH9K[..], &amsdu_data([0x88, 1], &[], &[&UDP, &ECHO, &UDP]), &[0; 4]].concat();
        let begin = ATH9K.len() + 26;
        let read = |kept: usize| {
            let mut msdus = Vec::new();
            let f = frame(&whole[..begin + kept], whole.len() as u32, 7, &mut msdus).unwrap();
            assert_eq!(usize::from(f.amsdu.unwrap().msdus), msdus.len());
            (
                msdus.iter().filter(|m| m.packet.is_some_and(|p| p.ports.0 == 7)).count(),
                msdus.len(),
                f.amsdu.unwrap().unread,
            )
        };
        // Subframes begin at 0, 56 and 108, and end at 162; UDP's ports are there with 32 bytes of the 40.
        assert_eq!([read(0), read(13)], [(0, 0, 162); 2]);
        assert_eq!(read(14), (0, 1, 40 + 106), "its length, and nothing of it");
        assert_eq!(read(14 + 32), (1, 1, 106), "its headers");
        assert_eq!(read(107), (1, 2, 54));
        assert_eq!([read(108 + 14), read(108 + 14 + 31)], [(1, 3, 40); 2], "all lengths are there");
        assert_eq!([read(108 + 14 + 32), read(162)], [(2, 3, 0); 2]);
    }

    #[test]
    fn headers_that_are_cut() {
        // LLC and IPv4 of 20 bytes, TCP of 20 and its time stamps, four bytes of data.
        let mut tcp =
            vec![0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45, 0, 0, 56, 0, 1, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        tcp.extend([0, 7, 0, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0x80, 0x10, 0, 9, 0, 0, 0, 0]);
        tcp.extend([1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4]);
        let cut = |mpdu: &[u8], kept: usize| {
            let whole = [&ATH9K[..], mpdu, &[0; 4]].concat();
            let f = frame(&whole[..(ATH9K.len() + kept).min(whole.len())], whole.len() as u32, 7, &mut Vec::new());
            f.map(|f| (f.cut, f.packet.map(|p| matches!(p.transport, Transport::Tcp { .. }))))
        };
        let plain = data([0x88, 1], &tcp);
        let body = 26;
        for kept in 24..body + 28 {
            assert!(cut(&plain, kept).unwrap().0, "{kept} bytes");
        }
        assert_eq!(cut(&plain, body + 28 + 19), Some((true, Some(false))), "no acknowledgement number's flags");
        assert_eq!(cut(&plain, body + 28 + 20), Some((true, Some(true))), "no time stamps");
        assert_eq!(cut(&plain, body + 28 + 32), Some((false, Some(true))), "its data alone");
        assert_eq!(cut(&plain, body + 28 + 36), Some((false, Some(true))), "the FCS alone");
        // What nobody reads, and what is no IP, is not missing.
        assert_eq!(cut(&data([0x88, 0x41], &tcp), body + 4), Some((false, None)));
        assert_eq!(cut(&data([0x88, 1], &EAPOL), body + 8), Some((false, None)));
        assert!(cut(&data([0x88, 1], &UDP), body + 28 + 2).unwrap().0);
        assert!(!cut(&data([0x88, 1], &UDP), body + 28 + 8).unwrap().0);
        // A fragment that is not the first has no header; a packet that is shorter than its header is damaged, and whole.
        tcp[8 + 7] = 9;
        assert!(!cut(&data([0x88, 1], &tcp), body + 28 + 4).unwrap().0);
        assert!(!cut(&data([0x88, 1], &tcp[..40]), 1000).unwrap().0);
        tcp[8 + 7] = 0;
        assert!(!cut(&data([0x88, 1], &tcp[..40]), 1000).unwrap().0);
        // Of an A-MSDU the first MSDU's.
        let both = amsdu_data([0x88, 1], &[], &[&tcp, &tcp]);
        assert_eq!([13, 14 + 28 + 10, 14 + 28 + 32].map(|k| cut(&both, body + k).unwrap().0), [true, true, false]);
    }

    #[test]
    fn too_short_is_no_frame() {
        for n in 0..ATH9K.len() + 10 {
            let all = [&ATH9K[..], &data([0x88, 1], &UDP)].concat();
            assert_eq!(frame(&all[..n], 100, 0, &mut Vec::new()), None, "{n} bytes");
        }
    }
}
