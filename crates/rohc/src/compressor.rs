//! The sending side (the station).

use alloc::boxed::Box;

use crate::ack::{NotPure, PureAck, flow_of};
use crate::cid::{Cid, Cids, FiveTuple};
use crate::crc8::crc8;
use crate::decompressor::NATIVES;
use crate::state::{self, IpId, State, WINDOW, Window, name};
use crate::wire::{self, Opening, Short};

/// How many packets of a flow may be on their way, unconfirmed. With [`crate::state::WINDOW`] states and six bits of
/// sequence number, none of them can be taken for another, even if all are lost but one.
pub const UNCONFIRMED: u32 = 48;
/// Strides below this (bytes) are the ends of writes, not segments.
const LEAST_STRIDE: u32 = 256;
/// A CID goes to another flow when its own has been silent for so many packets.
const IDLE: u64 = 4096;

/// A compressed ACK.
#[derive(Clone, Debug)]
pub struct Ride {
    /// Its bytes.
    pub bytes: Short,
    /// Its context.
    pub cid: Cid,
    /// Its context's epoch.
    pub epoch: u8,
    /// Its number in the epoch, to confirm it by.
    pub msn: u32,
}

/// Why a packet goes natively.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Native {
    /// It is not a pure ACK.
    NotPure(NotPure),
    /// Its CID belongs to another flow.
    Collision,
    /// No native ACK of the flow is known to have arrived.
    NoContext,
    /// Too many are unconfirmed; the context is closed.
    Unconfirmed,
    /// A part of the header changed that compressed packets do not carry; the context is closed.
    Changed,
}

/// What to do with a packet.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Send these bytes on a response.
    Ride(Ride),
    /// Send it as it is; tell [`Compressor::native_done`] what became of it.
    Native(Native),
}

#[derive(Clone, Copy)]
struct Open {
    name: u32,
    refs: Window,
    confirmed: u32,
}

struct Context {
    flow: FiveTuple,
    used: u64,
    /// The newest native ACK that has arrived.
    ground: Option<PureAck>,
    /// Natives on their way.
    out: u32,
    open: Option<Open>,
}

#[derive(Default)]
struct Slot {
    /// Outlives a flow, so that the other side can order contexts.
    epoch: u8,
    context: Option<Context>,
}

/// Compresses a station's ACKs.
pub struct Compressor {
    slots: Box<[Slot; 256]>,
    cids: Cids,
    clock: u64,
    limits: Limits,
}

/// What the link allows.
#[derive(Clone, Copy)]
struct Limits {
    /// Packets of a flow that may be unconfirmed.
    unconfirmed: u32,
    /// Natives that the other side remembers.
    natives: usize,
    /// Against how many of the last states a packet is coded: as many less one may be lost before it.
    window: usize,
}

impl Default for Compressor {
    fn default() -> Self {
        Self::new()
    }
}

impl Compressor {
    /// Of a station that has just associated.
    pub fn new() -> Compressor {
        Compressor {
            slots: state::each(),
            cids: Cids::new(),
            clock: 0,
            limits: Limits { unconfirmed: UNCONFIRMED, natives: NATIVES, window: WINDOW },
        }
    }
    /// For a link that keeps order, numbers what it carries and drops what it carried before (TCP/HACK's chain, whose receiver
    /// passes over what it has by [`skip`](crate::Decompressor::skip)). There the packets' own six bits of number tell nothing
    /// apart, and as many may be unconfirmed as the link itself allows. The other side remembers `natives` a context
    /// ([`Decompressor::remembering`](crate::Decompressor::remembering)). Each packet is decoded right after the one before it, so it
    /// is coded against that alone.
    pub fn in_order(unconfirmed: u32, natives: usize) -> Compressor {
        Compressor { limits: Limits { unconfirmed, natives, window: 1 }, ..Compressor::new() }
    }
    /// What to do with a packet that begins with its IPv4 header.
    pub fn compress(&mut self, packet: &[u8]) -> Outcome {
        self.clock += 1;
        let ack = match PureAck::parse(packet) {
            Ok(ack) => ack,
            Err(why) => return Outcome::Native(Native::NotPure(why)),
        };
        let limits = self.limits;
        let Some((cid, epoch, context)) = self.context(&ack.flow) else { return Outcome::Native(Native::Collision) };
        match context.ride(&ack, packet, cid, epoch, limits) {
            Ok(ride) => Outcome::Ride(ride),
            Err(why) => {
                context.out += 1;
                Outcome::Native(why)
            }
        }
    }
    /// A packet goes natively, since the sender wants it so. See [`Compressor::native_done`].
    pub fn native(&mut self, packet: &[u8]) {
        self.clock += 1;
        let Ok(ack) = PureAck::parse(packet) else { return };
        if let Some((_, _, context)) = self.context(&ack.flow) {
            context.out += 1;
        }
    }
    /// The context of a flow, new if need be; none if its CID is another flow's.
    fn context(&mut self, flow: &FiveTuple) -> Option<(Cid, &mut u8, &mut Context)> {
        let cid = self.cids.of(flow);
        let slot = &mut self.slots[usize::from(cid.0)];
        if let Some(c) = slot.context.as_ref().filter(|c| c.flow != *flow) {
            if self.clock - c.used < IDLE || c.out > 0 {
                return None;
            }
            slot.context = None;
        }
        let context = slot.context.get_or_insert(Context { flow: *flow, used: 0, ground: None, out: 0, open: None });
        context.used = self.clock;
        Some((cid, &mut slot.epoch, context))
    }
    /// A packet that was to go natively has arrived, or was given up. Call it for each, in the order of arrival.
    pub fn native_done(&mut self, packet: &[u8], arrived: bool) {
        let Some(flow) = flow_of(packet) else { return };
        let cid = self.cids.of(&flow);
        let slot = &mut self.slots[usize::from(cid.0)];
        let Some(context) = slot.context.as_mut().filter(|c| c.flow == flow) else { return };
        let Ok(ack) = PureAck::parse(packet) else { return };
        context.out = context.out.saturating_sub(1);
        if arrived {
            context.ground = Some(ack);
        }
    }
    /// The other side has restored this packet, hence also knows all that are coded against it.
    pub fn confirm(&mut self, cid: Cid, epoch: u8, msn: u32) {
        let slot = &mut self.slots[usize::from(cid.0)];
        if let Some(open) = slot.context.as_mut().filter(|_| slot.epoch == epoch).and_then(|c| c.open.as_mut()) {
            if msn <= open.refs.newest().msn {
                open.confirmed = open.confirmed.max(msn);
            }
        }
    }
    /// Packets of this context may never arrive: it is closed, and the flow goes natively until a native ACK has arrived.
    pub fn abandon(&mut self, cid: Cid) {
        if let Some(c) = &mut self.slots[usize::from(cid.0)].context {
            c.close();
        }
    }
    /// A compressed packet was never sent, nor any after it: its context is closed, and if it was the first of its epoch, the other side
    /// has not heard of that, and its number is given again. (Epochs that only the sender knew would make the next look old.)
    pub fn take_back(&mut self, cid: Cid, epoch: u8, msn: u32) {
        let slot = &mut self.slots[usize::from(cid.0)];
        if let Some(c) = &mut slot.context {
            c.close();
        }
        if msn == 1 && slot.epoch == epoch {
            slot.epoch = epoch.wrapping_sub(1);
        }
    }
    /// [`Compressor::abandon`] for every context.
    pub fn abandon_all(&mut self) {
        self.slots.iter_mut().filter_map(|s| s.context.as_mut()).for_each(Context::close);
    }
}

impl Context {
    fn close(&mut self) {
        self.open = None;
        self.ground = None;
    }
    fn ride(&mut self, ack: &PureAck, packet: &[u8], cid: Cid, epoch: &mut u8, limits: Limits) -> Result<Ride, Native> {
        if let Some(open) = &self.open {
            let newest = open.refs.newest();
            if !newest.ack.same_static(ack) {
                self.close();
                return Err(Native::Changed);
            }
            if newest.msn - open.confirmed >= limits.unconfirmed {
                self.close();
                return Err(Native::Unconfirmed);
            }
        } else {
            // Natives on their way push others out of the receiver's memory.
            let ground = self
                .ground
                .filter(|g| (self.out as usize) < limits.natives && g.same_static(ack))
                .ok_or(Native::NoContext)?;
            let mut bytes = [0; crate::ack::LONGEST];
            let n = ground.write(&mut bytes);
            *epoch = epoch.wrapping_add(1);
            self.open = Some(Open { name: name(&bytes[..n]), refs: Window::new(State::ground(ground)), confirmed: 0 });
        }
        let Some(open) = &mut self.open else { return Err(Native::NoContext) };
        let newest = *open.refs.newest();
        let msn = newest.msn + 1;
        let state = State { msn, ack: *ack, stride: stride(&newest, ack), ip_id: habit(&newest, ack) };
        let crc = crc8(crc8(0xff, packet), &[*epoch]);
        let opening = (open.confirmed == 0).then_some(Opening { epoch: *epoch, name: open.name });
        let bytes = wire::encode(&state, open.refs.last(limits.window), *epoch, cid, crc, opening);
        open.refs.push(state);
        Ok(Ride { bytes, cid, epoch: *epoch, msn })
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The step in which this flow's acknowledgement numbers seem to grow.
fn stride(newest: &State, ack: &PureAck) -> u16 {
    let step = ack.ack.wrapping_sub(newest.ack.ack);
    let old = u32::from(newest.stride);
    if step == 0 || step > 1 << 16 || old != 0 && step % old == 0 {
        return newest.stride;
    }
    let new = gcd(old, step);
    u16::try_from(new).ok().filter(|_| new >= LEAST_STRIDE).unwrap_or(newest.stride)
}

fn habit(newest: &State, ack: &PureAck) -> IpId {
    match ack.ip_id.wrapping_sub(newest.ack.ip_id) {
        0 => IpId::Stays,
        1 => IpId::Counts,
        _ => newest.ip_id,
    }
}
