//! The receiving side (the AP).

use crate::ack::{LONGEST, PureAck};
use crate::cid::Cid;
use crate::crc8::crc8;
use crate::state::{self, State, WINDOW, name};
use crate::wire::{MSN_BITS, Packet};
use alloc::boxed::Box;
use alloc::collections::VecDeque;

/// Native ACKs remembered a CID: as many as may still be on their way when one of them is built on.
pub(crate) const NATIVES: usize = 16;

/// A restored header.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    len: u8,
    bytes: [u8; LONGEST],
}

impl Header {
    pub(crate) fn of(ack: &PureAck) -> Header {
        let mut bytes = [0; LONGEST];
        let len = ack.write(&mut bytes) as u8;
        Header { len, bytes }
    }
}

impl core::ops::Deref for Header {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// Why a packet was not restored. Nothing is delivered then, and no context is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// Not a packet of this format, or cut short: nothing after it in the chain can be read.
    Malformed,
    /// No context, or of another epoch, or it builds on a native ACK that never came.
    NoContext,
    /// It came before (a repeated chain), or is older than what came.
    Seen,
    /// Too many before it are missing.
    Gap,
    /// The CRC does not match: it was damaged, or the contexts differ.
    Crc,
}

/// A restored ACK and where its context stands now.
#[derive(Clone, Copy, Debug)]
pub struct Restored {
    /// Its context.
    pub cid: Cid,
    /// Its context's epoch.
    pub epoch: u8,
    /// Its number in the epoch.
    pub msn: u32,
    /// The packet, bit for bit.
    pub header: Header,
}

struct Context {
    epoch: u8,
    newest: State,
}

#[derive(Default)]
struct Slot {
    natives: VecDeque<(u32, PureAck)>,
    context: Option<Context>,
}

/// Restores ACKs from chains of compressed ones. One for each station that sends.
pub struct Decompressor {
    slots: Box<[Slot; 256]>,
    natives: usize,
}

impl Default for Decompressor {
    fn default() -> Self {
        Self::new()
    }
}

/// How far `msn_low` is ahead of `newest`; negative: behind.
fn ahead(msn_low: u32, newest: u32) -> i32 {
    const SPAN: i32 = 1 << MSN_BITS;
    let d = (msn_low as i32 - newest as i32).rem_euclid(SPAN);
    // A sender is at most 48 ahead; what looks further ahead is behind.
    if d > 48 { d - SPAN } else { d }
}

impl Decompressor {
    /// Of a station that has just associated.
    pub fn new() -> Decompressor {
        Decompressor { slots: state::each(), natives: NATIVES }
    }
    /// The same, with so many native ACKs remembered a CID.
    pub fn remembering(natives: usize) -> Decompressor {
        Decompressor { natives, ..Decompressor::new() }
    }
    /// Closes every context: the next packets must open theirs. What is older must not come again.
    pub fn close_all(&mut self) {
        self.slots.iter_mut().for_each(|s| s.context = None);
    }
    /// A packet of the station that came natively. Only pure ACKs are remembered.
    pub fn native(&mut self, packet: &[u8]) {
        let Ok(ack) = PureAck::parse(packet) else { return };
        let natives = &mut self.slots[usize::from(ack.flow.cid().0)].natives;
        if natives.len() == self.natives {
            natives.pop_front();
        }
        natives.push_back((name(packet), ack));
    }
    /// The first packet of a chain, and what follows it. After [`Refused::Malformed`] nothing can be read.
    pub fn next<'a>(&mut self, chain: &'a [u8]) -> (Result<Restored, Refused>, &'a [u8]) {
        let Some((packet, rest)) = Packet::parse(chain) else { return (Err(Refused::Malformed), &[]) };
        (self.packet(&packet), rest)
    }
    /// What follows the first packet of a chain, which is not looked into. None: it cannot be read.
    pub fn skip(chain: &[u8]) -> Option<&[u8]> {
        Packet::parse(chain).map(|(_, rest)| rest)
    }
    fn packet(&mut self, p: &Packet) -> Result<Restored, Refused> {
        let slot = &mut self.slots[usize::from(p.head.cid.0)];
        let ground;
        let (epoch, reference) = match (p.opening, &slot.context) {
            (Some(o), Some(c)) if o.epoch == c.epoch => (c.epoch, &c.newest),
            (Some(o), Some(c)) if o.epoch.wrapping_sub(c.epoch) > 127 => return Err(Refused::Seen),
            (Some(o), _) => {
                let found = slot.natives.iter().rev().find(|(n, _)| *n == o.name).ok_or(Refused::NoContext)?;
                ground = State::ground(found.1);
                (o.epoch, &ground)
            }
            (None, Some(c)) if c.epoch & 1 == p.head.epoch_bit => (c.epoch, &c.newest),
            (None, _) => return Err(Refused::NoContext),
        };
        let d = ahead(p.head.msn_low, reference.msn & 63);
        if d <= 0 {
            return Err(Refused::Seen);
        }
        if d > WINDOW as i32 {
            return Err(Refused::Gap);
        }
        let state = p.decode(reference, reference.msn + d as u32).ok_or(Refused::Crc)?;
        let header = Header::of(&state.ack);
        if crc8(crc8(0xff, &header), &[epoch]) != p.head.crc {
            return Err(Refused::Crc);
        }
        slot.context = Some(Context { epoch, newest: state });
        Ok(Restored { cid: p.head.cid, epoch, msn: state.msn, header })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(ahead(1, 0), 1);
        assert_eq!(ahead(2, 62), 4);
        assert_eq!(ahead(62, 2), -4);
        assert_eq!(ahead(48, 0), 48);
        assert_eq!(ahead(49, 0), -15);
    }
}
