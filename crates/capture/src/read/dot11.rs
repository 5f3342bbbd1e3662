//! Reading an MPDU's header. Stands for: 802.11-2020 9.2.4 (fields), 9.3 (formats).
//!
//! D1 of an A-MSDU the first MSDU is read alone; D2 control wrappers and management frames are counted, not read; D3 a Block Ack
//! other than the compressed one with 64 bits has no bitmap here.

use super::packet;
use crate::frame::{Frame, Kind, Mac};

fn mac(b: &[u8], at: usize) -> Option<Mac> {
    Some(Mac(b.get(at..at + 6)?.try_into().expect("six bytes")))
}
fn le16(b: &[u8], at: usize) -> Option<u16> {
    b.get(at..at + 2).map(|v| u16::from_le_bytes([v[0], v[1]]))
}

/// The frame's parts, as far as they were kept. `pad`: the header is padded; `fcs`: the last four bytes of the whole are the FCS.
pub(super) fn mpdu(b: &[u8], pad: bool, _fcs: bool, f: &mut Frame) -> Option<()> {
    let (&[control, flags], nav) = (b.first_chunk::<2>()?, le16(b, 2)?);
    f.nav = nav;
    f.retry = flags & 0x08 != 0;
    f.protected = flags & 0x40 != 0;
    f.ra = mac(b, 4)?;
    let sub = control >> 4;
    f.kind = match (control >> 2 & 3, sub) {
        (0, _) => Kind::Management,
        (1, 8) => Kind::Bar,
        (1, 9) => Kind::BlockAck,
        (1, 11) => Kind::Rts,
        (1, 12) => Kind::Cts,
        (1, 13) => Kind::Ack,
        (2, s) if s & 4 != 0 => Kind::Null,
        (2, _) => Kind::Data,
        _ => Kind::Other,
    };
    match f.kind {
        Kind::Rts => f.ta = mac(b, 10),
        Kind::Bar | Kind::BlockAck => {
            f.ta = mac(b, 10);
            if let (Some(ctl), Some(start)) = (le16(b, 16), le16(b, 18)) {
                // src: 802.11-2020 table 9-33: type 2 is compressed
                if ctl >> 1 & 0x0f == 2 {
                    f.tid = Some((ctl >> 12) as u8);
                    f.seq = start >> 4;
                    f.bitmap = b.get(20..28).map_or(0, |v| u64::from_le_bytes(v.try_into().expect("eight bytes")));
                }
            }
        }
        Kind::Management => f.ta = mac(b, 10),
        Kind::Data | Kind::Null => data(b, sub, flags, pad, f),
        _ => {}
    }
    Some(())
}

fn data(b: &[u8], sub: u8, flags: u8, pad: bool, f: &mut Frame) {
    f.ta = mac(b, 10);
    f.from_ds = match flags & 3 {
        1 => Some(false),
        2 => Some(true),
        _ => None,
    };
    let (Some(far), Some(seq)) = (mac(b, 16), le16(b, 22)) else { return };
    f.far = far;
    f.seq = seq >> 4;
    let mut at = if flags & 3 == 3 { 30 } else { 24 };
    let mut amsdu = false;
    if sub & 8 != 0 {
        let Some(qos) = le16(b, at) else { return };
        f.tid = Some((qos & 0x0f) as u8);
        amsdu = qos & 0x80 != 0;
        at += 2;
        if flags & 0x80 != 0 {
            at += 4; // HT Control
        }
    }
    if pad {
        at = at.next_multiple_of(4);
    }
    if f.kind == Kind::Null || f.protected || f.bad || seq & 0x0f != 0 {
        return;
    }
    if amsdu {
        at += 14;
    }
    if let Some(body) = b.get(at..) {
        f.packet = packet::llc(body);
    }
}
