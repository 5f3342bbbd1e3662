//! Reading an MPDU's header. Stands for: 802.11-2020 9.2.4 (fields), 9.3 (formats).
//!
//! D1 of an A-MSDU the first MSDU is read alone; D2 control wrappers and management frames are counted, not read; D3 a Block Ack
//! other than the compressed one with 64 or 256 bits has no bitmap here.

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
        (0, 8) => Kind::Beacon,
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
                    // Of 256 bits, where the fragment number says so (802.11ax-2021, compressed BlockAck variant).
                    let words = if start & 0x06 == 0x04 { 4 } else { 1 };
                    for (word, v) in
                        f.bitmap.iter_mut().zip(b.get(20..).unwrap_or_default().chunks_exact(8)).take(words)
                    {
                        *word = u64::from_le_bytes(v.try_into().expect("eight bytes"));
                    }
                }
            }
        }
        Kind::Beacon | Kind::Management => {
            f.ta = mac(b, 10);
            if let (Some(far), Some(seq)) = (mac(b, 16), le16(b, 22)) {
                (f.far, f.seq) = (far, seq >> 4);
            }
        }
        Kind::Data | Kind::Null => data(b, sub, flags, pad, f),
        _ => {}
    }
    Some(())
}

/// Where a data frame's body begins, what its sequence control says, and of QoS data the control field.
struct Head {
    seq: u16,
    qos: Option<u16>,
    body: usize,
}

fn head(b: &[u8], sub: u8, flags: u8, pad: bool) -> Option<Head> {
    let seq = le16(b, 22)?;
    let mut body = if flags & 3 == 3 { 30 } else { 24 };
    let mut qos = None;
    if sub & 8 != 0 {
        qos = Some(le16(b, body)?);
        body += 2;
        if flags & 0x80 != 0 {
            body += 4; // HT Control
        }
    }
    if pad {
        body = body.next_multiple_of(4);
    }
    Some(Head { seq, qos, body })
}

/// An A-MSDU is in the body. src: 802.11-2020 9.2.4.5.9
const AMSDU: u16 = 0x80;

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
    let Some(h) = head(b, sub, flags, pad) else { return };
    f.tid = h.qos.map(|q| (q & 0x0f) as u8);
    if f.kind == Kind::Null || f.protected || f.bad || h.seq & 0x0f != 0 {
        return;
    }
    let first = if h.qos.is_some_and(|q| q & AMSDU != 0) { h.body + 14 } else { h.body };
    if let Some(body) = b.get(first..) {
        f.packet = packet::llc(body);
    }
}

/// Each MSDU (LLC and what follows, as much as was kept) of a data frame that is neither encrypted nor a fragment.
pub(super) fn msdus<'a>(b: &'a [u8], pad: bool, mut each: impl FnMut(&'a [u8])) {
    let Some(&[control, flags]) = b.first_chunk::<2>() else { return };
    // data, with a body
    if control & 0x0c != 8 || control >> 4 & 4 != 0 || flags & 0x40 != 0 {
        return;
    }
    let Some(h) = head(b, control >> 4, flags, pad).filter(|h| h.seq & 0x0f == 0 && flags & 4 == 0) else { return };
    let Some(mut body) = b.get(h.body..) else { return };
    if h.qos.is_none_or(|q| q & AMSDU == 0) {
        return each(body);
    }
    // Subframes: two addresses, length, MSDU, up to three bytes of padding. src: 802.11-2020 9.3.2.2.2
    while let Some((start, rest)) = body.split_at_checked(14) {
        let len = usize::from(u16::from_be_bytes([start[12], start[13]]));
        if len == 0 {
            return;
        }
        each(&rest[..len.min(rest.len())]);
        let Some(next) = rest.get((14 + len).next_multiple_of(4) - 14..) else { return };
        body = next;
    }
}
