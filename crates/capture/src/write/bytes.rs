//! The bytes of an MPDU: 802.11-2020 9.2, 9.3 (frame formats). What it carries is [`packet`]'s.

use super::{amsdu, beacon, packet};
use crate::frame::{Frame, Kind, Msdu};
use wavetank_core::wifi::response;

/// QoS data's.
const HEADER: usize = 26;

/// Appends the first `most` bytes of the MPDU with these MSDUs, if it is an A-MSDU; answers how many bytes it has in all.
pub fn mpdu(f: &Frame, msdus: &[Msdu], most: usize, out: &mut Vec<u8>) -> usize {
    let begin = out.len();
    header(f, out);
    if f.kind == Kind::Data && f.protected {
        // The CCMP header: packet number 0, extended IV, key 0. src: 802.11-2016 12.5.3.2
        out.extend([0, 0, 0, 0x20, 0, 0, 0, 0]);
    }
    if let (Kind::Data, Some(p)) = (f.kind, &f.packet) {
        packet::llc(p, out);
    }
    amsdu::body(msdus, most, out);
    if let Some(told) = &f.told {
        beacon::body(told, f, out);
    }
    let whole = f.len as usize;
    let before_fcs = whole.saturating_sub(4).max(out.len() - begin);
    if most >= whole {
        out.resize(begin + before_fcs, 0);
        let fcs = crc32fast::hash(&out[begin..]) ^ if f.bad { u32::MAX } else { 0 };
        out.extend(fcs.to_le_bytes());
    } else {
        out.resize(begin + most, 0);
    }
    whole
}

/// Whether the first `most` bytes of an A-MSDU in the clear lack headers of its MSDUs.
pub fn cuts(f: &Frame, msdus: &[Msdu], most: usize) -> bool {
    let Some(a) = f.amsdu.filter(|_| !f.protected) else { return false };
    a.unread > 0 || HEADER + amsdu::headers(msdus) > most
}

/// Appends the MPDU's first `most` bytes, of which these were kept: without MIC and FCS, or less. Answers how many it has in all.
pub fn kept(f: &Frame, octets: &[u8], most: usize, out: &mut Vec<u8>) -> usize {
    let (begin, whole) = (out.len(), f.len as usize);
    let mic = if f.protected { 8 } else { 0 };
    if octets.len() + mic + 4 < whole {
        out.extend(&octets[..octets.len().min(most)]);
        return whole;
    }
    out.extend(&octets[..octets.len().min(whole - 4)]);
    out.resize(begin + whole - 4, 0);
    let fcs = crc32fast::hash(&out[begin..]) ^ if f.bad { u32::MAX } else { 0 };
    out.extend(fcs.to_le_bytes());
    out.truncate(begin + most.min(whole));
    whole
}

fn header(f: &Frame, out: &mut Vec<u8>) {
    let (kind, sub) = match f.kind {
        Kind::Data | Kind::Null => (2, if f.tid.is_some() { 8 } else { 0 } | if f.kind == Kind::Null { 4 } else { 0 }),
        Kind::Bar => (1, 8),
        Kind::BlockAck => (1, 9),
        Kind::Rts => (1, 11),
        Kind::Cts => (1, 12),
        Kind::Ack => (1, 13),
        Kind::Beacon => (0, 8),
        Kind::Management | Kind::Other => (0, 15),
    };
    let ds = match f.from_ds {
        Some(false) => 1,
        Some(true) => 2,
        None => 0,
    };
    out.push(kind << 2 | sub << 4);
    out.push(ds | u8::from(f.retry) << 3 | u8::from(f.protected) << 6);
    out.extend(f.nav.to_le_bytes());
    out.extend(f.ra.0);
    if let Some(ta) = f.ta {
        out.extend(ta.0);
    }
    match f.kind {
        Kind::Data | Kind::Null => {
            out.extend(f.far.0);
            out.extend((f.seq << 4).to_le_bytes());
            if let Some(tid) = f.tid {
                out.extend([tid | if f.amsdu.is_some() { 0x80 } else { 0 }, 0]);
            }
        }
        Kind::Beacon => {
            out.extend(f.far.0);
            out.extend((f.seq << 4).to_le_bytes());
        }
        Kind::Bar | Kind::BlockAck => {
            // Compressed bitmap; the acknowledgement policy is normal.
            let control = 0x0004 | u16::from(f.tid.unwrap_or(0)) << 12;
            out.extend(control.to_le_bytes());
            // The fragment number says how long the bitmap is. src: 802.11ax-2021 table 9-30a
            let wide = f.kind == Kind::BlockAck && f.len >= response::WIDE_BLOCK_ACK;
            out.extend((f.seq << 4 | if wide { 4 } else { 0 }).to_le_bytes());
            if f.kind == Kind::BlockAck {
                f.block_ack.words()[..if wide { 4 } else { 1 }].iter().for_each(|w| out.extend(w.to_le_bytes()));
            }
        }
        _ => {}
    }
}
