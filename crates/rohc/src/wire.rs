//! The packets on the air.
//!
//! ```text
//! byte 0   CID
//! byte 1   F E M M M M M M    format, epoch's low bit, master sequence number's six low bits
//! byte 2   CRC-8 over the original header and the epoch
//! F = 0:   A A A A V V E E    scaled acknowledgement number, TSval, TSecr (without timestamps: A eight bits)
//! F = 1:   0 A A A A A V V  V V V E E E E E                                (without timestamps: A fifteen bits)
//!          1 a a t t w x s    then, as said there: acknowledgement number, timestamps, window, extra, SACK
//!          1 1 1 1 1 0 0 0    epoch (1 byte), name of a native ACK (4 bytes), then `1 a a t t w x s` and so on
//! aa       0: 16 low bits; 1: 32 bits; 2: 32 bits and the stride (16); 3: scaled, 8 low bits
//! tt       0: none, or as before; 1: 8 low bits each; 2: 32 bits each
//! w        window, 16 bits
//! x        q i m m n n e c: q sequence number (32 bits) and i IP-ID (16 bits) follow; m the IP-ID's habit, n ECN, e ECE, c CWR
//! s        number of blocks, then for each its start from the acknowledgement number and its length, LEB128
//! ```
//! All numbers are big-endian. A packet's length follows from itself, so that packets can stand in a chain.

use crate::ack::{PureAck, Sack};
use crate::cid::Cid;
use crate::lsb;
use crate::state::{IpId, State};

/// Bits of the master sequence number in a packet.
pub const MSN_BITS: u32 = 6;
/// Bytes of the longest packet: 3 + opening 6 + 1 + 4 + 8 + 2 + 7 + SACK 41.
pub const LONGEST: usize = 72;
const OPEN: u8 = 0b1111_1000;

/// A packet's bytes.
#[derive(Clone, Copy)]
pub struct Short {
    len: u8,
    bytes: [u8; LONGEST],
}

impl Short {
    fn new() -> Short {
        Short { len: 0, bytes: [0; LONGEST] }
    }
    fn put(&mut self, bytes: &[u8]) {
        let at = usize::from(self.len);
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len() as u8;
    }
    fn leb128(&mut self, mut v: u32) {
        while v >= 0x80 {
            self.put(&[v as u8 | 0x80]);
            v >>= 7;
        }
        self.put(&[v as u8]);
    }
}

impl core::ops::Deref for Short {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl core::fmt::Debug for Short {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Where a packet says it belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Head {
    pub cid: Cid,
    pub epoch_bit: u8,
    pub msn_low: u32,
    pub crc: u8,
}

/// What an opening packet names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Opening {
    pub epoch: u8,
    pub name: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ack {
    /// The bits of formats 0 and `0...`: how many for the number depends on whether the flow has timestamps.
    Packed {
        bits: u32,
        with_ts: [u32; 3],
    },
    Scaled8(u8),
    Low16(u16),
    Full(u32),
    Stride(u32, u16),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Times {
    Same,
    Low8(u8, u8),
    Full(u32, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Extra {
    seq: Option<u32>,
    ip_id: Option<u16>,
    habit: IpId,
    ecn: u8,
    ece: bool,
    cwr: bool,
}

/// A packet taken apart; nothing of it is believed yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Packet {
    pub head: Head,
    pub opening: Option<Opening>,
    ack: Ack,
    times: Times,
    window: Option<u16>,
    extra: Option<Extra>,
    /// Starts from the acknowledgement number, and lengths.
    sack: Sack,
}

fn scaled(ack: u32, stride: u16) -> (u32, u32) {
    let stride = u32::from(stride);
    (ack / stride, ack % stride)
}

/// Whether the scaled number's `bits` tell it apart for every reference.
fn scales(s: &State, refs: &[State], bits: u32) -> bool {
    s.stride != 0 && {
        let (n, rest) = scaled(s.ack.ack, s.stride);
        refs.iter().all(|r| {
            let (m, other) = scaled(r.ack.ack, s.stride);
            r.stride == s.stride && other == rest && n >= m && lsb::fits(n, m, bits)
        })
    }
}

fn times_fit(s: &State, refs: &[State], bits: u32) -> bool {
    let Some((val, ecr)) = s.ack.ts else { return true };
    refs.iter().all(|r| r.ack.ts.is_some_and(|(v, e)| lsb::fits(val, v, bits) && lsb::fits(ecr, e, bits)))
}

/// Codes `s` against all of `refs` (newest last).
pub(crate) fn encode(s: &State, refs: &[State], epoch: u8, cid: Cid, crc: u8, opening: Option<Opening>) -> Short {
    let a = &s.ack;
    let extra_needed = refs.iter().any(|r| {
        let b = &r.ack;
        (b.seq, b.tos & 3, b.ece, b.cwr) != (a.seq, a.tos & 3, a.ece, a.cwr)
            || r.ip_id != s.ip_id
            || r.expected_ip_id(s.msn) != Some(a.ip_id)
    });
    let window_needed = refs.iter().any(|r| r.ack.window != a.window);
    let head = |format: u8| [cid.0, format << 7 | (epoch & 1) << 6 | (s.msn & 63) as u8, crc];
    let mut out = Short::new();
    if opening.is_none() && !extra_needed && !window_needed && a.sack.blocks().is_empty() {
        let n = if s.stride == 0 { 0 } else { scaled(a.ack, s.stride).0 };
        if let Some((val, ecr)) = a.ts {
            if scales(s, refs, 4) && times_fit(s, refs, 2) {
                out.put(&head(0));
                out.put(&[((n & 15) << 4 | (val & 3) << 2 | (ecr & 3)) as u8]);
                return out;
            }
            if scales(s, refs, 5) && times_fit(s, refs, 5) {
                out.put(&head(1));
                out.put(&(((n & 31) << 10 | (val & 31) << 5 | (ecr & 31)) as u16).to_be_bytes());
                return out;
            }
        } else if scales(s, refs, 8) {
            out.put(&head(0));
            out.put(&[n as u8]);
            return out;
        } else if scales(s, refs, 15) {
            out.put(&head(1));
            out.put(&((n & 0x7fff) as u16).to_be_bytes());
            return out;
        }
    }
    out.put(&head(1));
    if let Some(o) = opening {
        out.put(&[OPEN, o.epoch]);
        out.put(&o.name.to_be_bytes());
    }
    let ack = if scales(s, refs, 8) {
        Ack::Scaled8(scaled(a.ack, s.stride).0 as u8)
    } else if refs.iter().any(|r| r.stride != s.stride) {
        Ack::Stride(a.ack, s.stride)
    } else if refs.iter().all(|r| lsb::fits(a.ack, r.ack.ack, 16)) {
        Ack::Low16(a.ack as u16)
    } else {
        Ack::Full(a.ack)
    };
    let times = match a.ts {
        Some(ts) if refs.iter().any(|r| r.ack.ts != Some(ts)) => {
            if times_fit(s, refs, 8) {
                Times::Low8(ts.0 as u8, ts.1 as u8)
            } else {
                Times::Full(ts.0, ts.1)
            }
        }
        _ => Times::Same,
    };
    let aa = match ack {
        Ack::Low16(_) => 0,
        Ack::Full(_) => 1,
        Ack::Stride(..) => 2,
        Ack::Scaled8(_) | Ack::Packed { .. } => 3,
    };
    let tt = match times {
        Times::Same => 0,
        Times::Low8(..) => 1,
        Times::Full(..) => 2,
    };
    let sacks = a.sack.blocks();
    let flag = u8::from;
    out.put(&[0x80 | aa << 5 | tt << 3 | flag(window_needed) << 2 | flag(extra_needed) << 1 | flag(!sacks.is_empty())]);
    match ack {
        Ack::Scaled8(n) => out.put(&[n]),
        Ack::Low16(n) => out.put(&n.to_be_bytes()),
        Ack::Full(n) => out.put(&n.to_be_bytes()),
        Ack::Stride(n, stride) => {
            out.put(&n.to_be_bytes());
            out.put(&stride.to_be_bytes());
        }
        Ack::Packed { .. } => {}
    }
    match times {
        Times::Same => {}
        Times::Low8(v, e) => out.put(&[v, e]),
        Times::Full(v, e) => {
            out.put(&v.to_be_bytes());
            out.put(&e.to_be_bytes());
        }
    }
    if window_needed {
        out.put(&a.window.to_be_bytes());
    }
    if extra_needed {
        let seq = refs.iter().any(|r| r.ack.seq != a.seq);
        let id = refs.iter().any(|r| r.ip_id != s.ip_id || r.expected_ip_id(s.msn) != Some(a.ip_id));
        let ecn = a.tos & 3;
        out.put(&[flag(seq) << 7 | flag(id) << 6 | s.ip_id.bits() << 4 | ecn << 2 | flag(a.ece) << 1 | flag(a.cwr)]);
        if seq {
            out.put(&a.seq.to_be_bytes());
        }
        if id {
            out.put(&a.ip_id.to_be_bytes());
        }
    }
    if !sacks.is_empty() {
        out.put(&[sacks.len() as u8]);
        for (start, end) in sacks {
            out.leb128(start.wrapping_sub(a.ack));
            out.leb128(end.wrapping_sub(*start));
        }
    }
    out
}

/// Reads on, never past the end.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }
    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|b| b[0])
    }
    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_be_bytes)
    }
    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_be_bytes)
    }
    fn leb128(&mut self) -> Option<u32> {
        let mut v = 0u32;
        for shift in (0..35).step_by(7) {
            let b = self.u8()?;
            if shift == 28 && b > 15 {
                return None;
            }
            v |= u32::from(b & 0x7f) << shift;
            if b < 0x80 {
                return Some(v);
            }
        }
        None
    }
}

impl Packet {
    /// Takes the first packet of a chain apart; returns what follows it. None: not one of ours, or cut short.
    pub fn parse(bytes: &[u8]) -> Option<(Packet, &[u8])> {
        let mut r = Reader(bytes);
        let [cid, order, crc] = r.take()?;
        let head = Head { cid: Cid(cid), epoch_bit: order >> 6 & 1, msn_low: u32::from(order & 63), crc };
        let plain = |ack| Packet {
            head,
            opening: None,
            ack,
            times: Times::Same,
            window: None,
            extra: None,
            sack: Sack::default(),
        };
        let first = r.u8()?;
        if order >> 7 == 0 {
            let b = u32::from(first);
            return Some((plain(Ack::Packed { bits: b, with_ts: [4, 2, 2] }), r.0));
        }
        if first >> 7 == 0 {
            let bits = u32::from(first) << 8 | u32::from(r.u8()?);
            return Some((plain(Ack::Packed { bits, with_ts: [5, 5, 5] }), r.0));
        }
        let (opening, flags) = if first == OPEN {
            let opening = Opening { epoch: r.u8()?, name: r.u32()? };
            (Some(opening), r.u8()?)
        } else {
            (None, first)
        };
        if flags >> 7 == 0 {
            return None;
        }
        let ack = match flags >> 5 & 3 {
            0 => Ack::Low16(r.u16()?),
            1 => Ack::Full(r.u32()?),
            2 => Ack::Stride(r.u32()?, r.u16()?),
            _ => Ack::Scaled8(r.u8()?),
        };
        let times = match flags >> 3 & 3 {
            0 => Times::Same,
            1 => Times::Low8(r.u8()?, r.u8()?),
            2 => Times::Full(r.u32()?, r.u32()?),
            _ => return None,
        };
        let window = if flags & 4 != 0 { Some(r.u16()?) } else { None };
        let extra = if flags & 2 != 0 {
            let x = r.u8()?;
            Some(Extra {
                seq: if x & 0x80 != 0 { Some(r.u32()?) } else { None },
                ip_id: if x & 0x40 != 0 { Some(r.u16()?) } else { None },
                habit: IpId::from_bits(x >> 4 & 3)?,
                ecn: x >> 2 & 3,
                ece: x & 2 != 0,
                cwr: x & 1 != 0,
            })
        } else {
            None
        };
        let mut blocks = [(0, 0); 4];
        let mut n = 0;
        if flags & 1 != 0 {
            n = usize::from(r.u8()?);
            for block in blocks.get_mut(..n).filter(|b| !b.is_empty())? {
                *block = (r.leb128()?, r.leb128()?);
            }
        }
        let sack = Sack::new(&blocks[..n])?;
        Some((Packet { head, opening, ack, times, window, extra, sack }, r.0))
    }
    /// The ACK that it stands for, to one who holds `reference`. None: it does not fit the flow.
    pub fn decode(&self, reference: &State, msn: u32) -> Option<State> {
        let old = &reference.ack;
        let mut stride = reference.stride;
        let unscale = |low: u32, bits: u32| {
            if stride == 0 {
                return None;
            }
            let (m, rest) = scaled(old.ack, stride);
            lsb::decode(low, m, bits).checked_mul(u32::from(stride))?.checked_add(rest)
        };
        let mut ts = match (self.times, old.ts) {
            (Times::Same, ts) => ts,
            (Times::Low8(v, e), Some((val, ecr))) => {
                Some((lsb::decode(u32::from(v), val, 8), lsb::decode(u32::from(e), ecr, 8)))
            }
            (Times::Full(v, e), Some(_)) => Some((v, e)),
            (_, None) => return None,
        };
        let ack = match self.ack {
            Ack::Packed { bits, with_ts: [a, v, e] } => match &mut ts {
                Some((val, ecr)) => {
                    *val = lsb::decode(bits >> e & ((1 << v) - 1), *val, v);
                    *ecr = lsb::decode(bits & ((1 << e) - 1), *ecr, e);
                    unscale(bits >> (v + e), a)?
                }
                None => unscale(bits, a + v + e)?,
            },
            Ack::Scaled8(low) => unscale(u32::from(low), 8)?,
            Ack::Low16(low) => lsb::decode(u32::from(low), old.ack, 16),
            Ack::Full(n) => n,
            Ack::Stride(n, new) => {
                stride = new;
                n
            }
        };
        let (mut habit, mut seq, mut tos, mut ece, mut cwr) = (reference.ip_id, old.seq, old.tos, old.ece, old.cwr);
        let mut sent_id = None;
        if let Some(x) = &self.extra {
            habit = x.habit;
            seq = x.seq.unwrap_or(seq);
            tos = tos & !3 | x.ecn;
            (ece, cwr) = (x.ece, x.cwr);
            sent_id = x.ip_id;
        }
        let ip_id = match sent_id {
            Some(id) => id,
            None => reference.expected_ip_id(msn)?,
        };
        let mut blocks = [(0, 0); 4];
        let n = self.sack.blocks().len();
        for (block, &(start, len)) in blocks.iter_mut().zip(self.sack.blocks()) {
            let start = ack.wrapping_add(start);
            *block = (start, start.wrapping_add(len));
        }
        let sack = Sack::new(&blocks[..n])?;
        let window = self.window.unwrap_or(old.window);
        let ack = PureAck { ip_id, seq, ack, tos, ece, cwr, window, ts, sack, ..*old };
        Some(State { msn, ack, stride, ip_id: habit })
    }
}
