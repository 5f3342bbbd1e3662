//! Reading an MPDU's header. Stands for: 802.11-2020 9.2.4 (fields), 9.3 (formats).
//!
//! D1 control wrappers and management frames are counted, not read.

use super::amsdu::Subframes;
use super::{cut, packet};
use crate::block_ack::{BlockAck, le16};
use crate::frame::{AckPolicy, Amsdu, Frame, Kind, Mac, Msdu, Transport};

/// The frame's parts, as far as they were kept, of one whose length is known. `pad`: the header is padded. An A-MSDU's MSDUs go to `msdus`.
pub(super) fn mpdu(b: &[u8], pad: bool, f: &mut Frame, msdus: &mut Vec<Msdu>) -> Option<()> {
    header(b, f)?;
    if f.kind == Kind::Data && !f.bad {
        // More than the FCS, which some captures have and some have not.
        let short = b.len() + FCS < f.len as usize;
        match body(b, pad, f.len) {
            Some(Body::Msdu(msdu)) if !f.protected => {
                f.packet = packet::llc(msdu);
                f.cut = short && cut::within_headers(msdu, f.packet.as_ref());
            }
            Some(Body::Amsdu(all)) if f.protected => f.amsdu = Some(Amsdu { msdus: 0, unread: all.left() as u16 }),
            Some(Body::Amsdu(all)) => {
                let first = all.clone().next();
                f.amsdu = Some(amsdu(all, msdus));
                let packet = msdus.first().and_then(|m| m.packet.as_ref());
                f.cut = short && first.is_none_or(|s| cut::within_headers(s.kept, packet));
            }
            // Not even its own header is there.
            None => f.cut = short && !f.protected && header_is_cut(b),
            _ => {}
        }
    }
    Some(())
}

/// What stands in front of its body.
pub(super) fn header(b: &[u8], f: &mut Frame) -> Option<()> {
    let (&[control, flags], nav) = (b.first_chunk::<2>()?, le16(b, 2)?);
    f.nav = nav;
    f.retry = flags & 0x08 != 0;
    f.protected = flags & 0x40 != 0;
    f.ra = Mac::at(b, 4)?;
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
        Kind::Rts => f.ta = Mac::at(b, 10),
        Kind::Bar | Kind::BlockAck => {
            f.ta = Mac::at(b, 10);
            if let (Some(ctl), Some(start)) = (le16(b, 16), le16(b, 18)) {
                // src: 802.11-2020 table 9-33: type 2 is compressed
                if ctl >> 1 & 0x0f == 2 {
                    f.tid = Some((ctl >> 12) as u8);
                    f.seq = start >> 4;
                }
            }
            if f.kind == Kind::BlockAck {
                let len = (f.len as usize).saturating_sub(FCS + BLOCK_ACK);
                f.block_ack = BlockAck::read(b.get(BLOCK_ACK..).unwrap_or_default(), len);
            }
        }
        Kind::Beacon | Kind::Management => {
            f.ta = Mac::at(b, 10);
            if let (Some(far), Some(seq)) = (Mac::at(b, 16), le16(b, 22)) {
                (f.far, f.seq) = (far, seq >> 4);
            }
        }
        Kind::Data | Kind::Null => data(b, sub, flags, f),
        _ => {}
    }
    Some(())
}

fn data(b: &[u8], sub: u8, flags: u8, f: &mut Frame) {
    f.ta = Mac::at(b, 10);
    f.from_ds = match flags & 3 {
        1 => Some(false),
        2 => Some(true),
        _ => None,
    };
    let (Some(far), Some(seq)) = (Mac::at(b, 16), le16(b, 22)) else { return };
    f.far = far;
    f.seq = seq >> 4;
    if let Some(qos) = head(b, sub, flags).and_then(|h| h.qos) {
        f.tid = Some((qos & 0x0f) as u8);
        f.policy = [AckPolicy::Now, AckPolicy::Never, AckPolicy::Within, AckPolicy::Later][usize::from(qos >> 5 & 3)];
    }
}

/// Where a data frame's body begins, what its sequence control says, and of QoS data the control field.
struct Head {
    seq: u16,
    qos: Option<u16>,
    body: usize,
}

fn head(b: &[u8], sub: u8, flags: u8) -> Option<Head> {
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
    Some(Head { seq, qos, body })
}

/// An A-MSDU is in the body. src: 802.11-2020 9.2.4.5.9
const AMSDU: u16 = 0x80;
const FCS: usize = 4;
/// Where a Block Ack's control field stands.
const BLOCK_ACK: usize = 16;

/// Whether the body's begin is beyond what was kept.
fn header_is_cut(b: &[u8]) -> bool {
    b.first_chunk::<2>().is_none_or(|&[control, flags]| head(b, control >> 4, flags).is_none_or(|h| b.len() < h.body))
}

enum Body<'a> {
    /// LLC and what follows, as much as was kept.
    Msdu(&'a [u8]),
    Amsdu(Subframes<'a>),
}

/// The body of a data frame of `len` bytes that is no fragment but the first.
fn body(b: &[u8], pad: bool, len: u32) -> Option<Body<'_>> {
    let &[control, flags] = b.first_chunk::<2>()?;
    // data, with a body
    if control & 0x4c != 8 {
        return None;
    }
    let h = head(b, control >> 4, flags).filter(|h| h.seq & 0x0f == 0)?;
    let begin = if pad { h.body.next_multiple_of(4) } else { h.body };
    if h.qos.is_none_or(|q| q & AMSDU == 0) {
        return b.get(begin..).map(Body::Msdu);
    }
    let len = (len as usize).saturating_sub(begin + FCS);
    Some(Body::Amsdu(Subframes::new(b.get(begin..).unwrap_or_default(), len)))
}

fn amsdu(mut all: Subframes<'_>, msdus: &mut Vec<Msdu>) -> Amsdu {
    let mut told = Amsdu { msdus: 0, unread: 0 };
    for s in all.by_ref() {
        let packet = packet::llc(s.kept);
        // Its own headers were cut.
        if s.kept.len() < usize::from(s.len) && packet.is_none_or(|p| matches!(p.transport, Transport::Other(_))) {
            told.unread += s.len;
        }
        told.msdus += 1;
        msdus.push(Msdu { da: s.da, sa: s.sa, len: s.len, packet });
    }
    told.unread += all.left() as u16;
    told
}

/// Each MSDU (LLC and what follows, as much as was kept) of a data frame of `len` bytes that is neither encrypted nor a fragment.
pub(super) fn msdus<'a>(b: &'a [u8], pad: bool, len: u32, mut each: impl FnMut(&'a [u8])) {
    if b.get(1).is_none_or(|flags| flags & 0x44 != 0) {
        return;
    }
    match body(b, pad, len) {
        Some(Body::Msdu(msdu)) => each(msdu),
        Some(Body::Amsdu(all)) => all.for_each(|s| each(s.kept)),
        None => {}
    }
}
