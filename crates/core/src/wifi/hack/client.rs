//! A station's driver and NIC: what becomes of each TCP ACK that the stack hands down.
//!
//! ```text
//! TCP ACK --MORE DATA latched?--> compress --> chain --load--> NIC (ready) --next frame--> rides on the response
//!    |                               |           |                             kept until the AP says that it heard
//!    '---- no --> transmit queue <---'-----------'  not ready, or too late: natively (what never rode), or a flush (what did)
//! ```
//!
//! Stands for: thesis sections 3.3.3.1 (driver and NIC), 3.3.4 (retention). The bookkeeping is [`Station`]'s, the bytes are the codec's.
//! Differs: D1 one chain, for there is one AP; D2 a flush is one frame with the whole chain, not the ACKs natively, since the AP
//! must be able to tell what it has; D3 a response has room for [`Params::bytes`].

use super::fields::Flows;
use super::params::{Params, Policy};
use super::station::{Confirmation, Incoming, Station};
use crate::sim::{Kind, Owner, Packet, Span, Time};
use std::collections::VecDeque;
use wavetank_rohc::ack::LONGEST;
use wavetank_rohc::{Cid, Compressor, Outcome, Short};

/// ACKs in the chain at most: their numbers go with eight bits.
const CHAIN: usize = 240;
/// Native ACKs that the AP remembers a flow, and so may be on their way when one is built on: a Block Ack window.
pub(super) const NATIVES: usize = 64;
/// A native ACK that was handed down so many before one that is acknowledged has ended, however: Block Ack windows are 64.
const SETTLED: u64 = 128;
/// A flush that was not acknowledged for so many times the guard is taken for lost.
const FLUSH_PATIENCE: i64 = 4;

/// A compressed ACK and what it was.
#[derive(Clone, Copy, Debug)]
struct Entry {
    packet: Packet,
    bytes: Short,
    cid: Cid,
    epoch: u8,
    msn: u32,
    /// When the NIC has it.
    loaded: Time,
}

/// What an AP's frame says to the station, beside its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mark {
    /// The response to the frame before it was heard.
    pub heard: bool,
    /// ACKs could not be restored: begin anew, natively.
    pub repair: bool,
    /// More is queued for this station.
    pub more_data: bool,
}

/// What a station's ACKs did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// Pure ACKs that TCP handed down.
    pub acks: u64,
    /// ACKs that were compressed, and their bytes.
    pub compressed: u64,
    /// Bytes of those.
    pub compressed_bytes: u64,
    /// Bytes that rode, each time they did, and on how many responses.
    pub riding_bytes: u64,
    /// Responses with ACKs on them.
    pub responses: u64,
    /// ACKs that left the chain, for the transmit queue: no frame came that they could have ridden on.
    pub failures: u64,
    /// Frames that came before the NIC held the chain that was waiting.
    pub not_ready: u64,
    /// ACKs that would have waited but that the codec wants natively: they open or mend a context.
    pub repairs: u64,
    /// Flushes.
    pub flushes: u64,
    /// Of the responses, those so long that DIFS would not protect them from who does not hear them.
    pub beyond_difs: u64,
}

/// One station's side.
pub struct Client {
    par: Params,
    chain: Station<Entry>,
    rohc: Compressor,
    /// Native ACKs on their way: their number, and what they are.
    natives: VecDeque<(u64, Packet)>,
    handed: u64,
    /// When the chain's oldest has waited too long.
    pub deadline: Time,
    /// The flush on its way: up to where, since when.
    flushing: Option<(u64, Time)>,
    /// Packets for the transmit queue.
    pub back: Vec<Packet>,
    /// What happened.
    pub seen: Seen,
}

/// Where a packet goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sent {
    /// Down, as ever.
    Passes,
    /// Into the chain.
    Held,
}

impl Client {
    /// Of a station that has just associated.
    pub fn new(par: &Params) -> Client {
        Client {
            par: *par,
            chain: Station::new(Confirmation::Marked),
            rohc: Compressor::in_order(CHAIN as u32, NATIVES),
            natives: VecDeque::with_capacity(256),
            handed: 0,
            deadline: Time::NEVER,
            flushing: None,
            back: Vec::with_capacity(CHAIN),
            seen: Seen::default(),
        }
    }
    /// The stack hands `p` down.
    pub fn sent(&mut self, now: Time, p: &Packet, flows: &Flows) -> Sent {
        if p.kind != Kind::Tcp || !p.is_pure_ack() {
            return Sent::Passes;
        }
        self.seen.acks += 1;
        let hold = match self.par.policy {
            Policy::Off | Policy::Native | Policy::Opportunistic => false,
            Policy::Timer => true,
            Policy::MoreData => self.chain.more_data(),
        };
        if hold { self.hold(now, p, flows) } else { self.goes_natively(p, flows) }
    }
    fn goes_natively(&mut self, p: &Packet, flows: &Flows) -> Sent {
        if !self.par.policy.rides() {
            return Sent::Passes;
        }
        let mut bytes = [0; LONGEST];
        if let Some(n) = flows.of(p).and_then(|f| f.write(p, &mut bytes)) {
            self.rohc.native(&bytes[..n]);
            self.note_native(p);
        }
        Sent::Passes
    }
    fn note_native(&mut self, p: &Packet) {
        self.handed += 1;
        self.natives.push_back((self.handed, *p));
    }
    fn hold(&mut self, now: Time, p: &Packet, flows: &Flows) -> Sent {
        let mut bytes = [0; LONGEST];
        if self.chain.len() >= CHAIN {
            return self.goes_natively(p, flows);
        }
        let Some(n) = flows.of(p).and_then(|f| f.write(p, &mut bytes)) else { return Sent::Passes };
        match self.rohc.compress(&bytes[..n]) {
            Outcome::Native(_) => {
                self.seen.repairs += 1;
                self.note_native(p);
                Sent::Passes
            }
            Outcome::Ride(r) => {
                self.seen.compressed += 1;
                self.seen.compressed_bytes += r.bytes.len() as u64;
                let loaded = now + self.par.load;
                let packet = Packet { owner: Owner::NONE, ..*p };
                let e = Entry { packet, bytes: r.bytes, cid: r.cid, epoch: r.epoch, msn: r.msn, loaded };
                self.chain.hold(e);
                let patience = self.patience();
                self.deadline = self.deadline.min(now + patience);
                Sent::Held
            }
        }
    }
    /// A frame of the AP is answered now. What rides is put behind `air`: the low byte of the first one's number, then all of them.
    pub fn answer(&mut self, now: Time, mark: Mark, repeats: bool, air: &mut Vec<u8>, flows: &Flows) {
        // What the driver has loaded by now.
        let ready = self.chain.unconfirmed().1.skip(self.chain.in_nic()).take_while(|e| e.loaded <= now).count();
        let end = self.chain.confirmed() + (self.chain.in_nic() + ready) as u64;
        self.chain.loaded(end);
        let waiting = self.chain.end() > self.chain.confirmed() + self.chain.in_nic() as u64;
        self.seen.not_ready += u64::from(waiting);
        let mut left = usize::from(self.par.bytes) - 1;
        let (rohc, incoming) = (&mut self.rohc, Incoming { heard: mark.heard, repeats, more_data: mark.more_data });
        let fits = |e: &Entry| {
            let fits = e.bytes.len() <= left;
            left -= if fits { e.bytes.len() } else { 0 };
            fits
        };
        let riding = self.chain.ppdu(incoming, fits, |e| rohc.confirm(e.cid, e.epoch, e.msn));
        if riding.end > riding.first {
            air.push(riding.first as u8);
            let n = (riding.end - riding.first) as usize;
            self.chain.unconfirmed().1.take(n).for_each(|e| air.extend_from_slice(&e.bytes));
            self.seen.riding_bytes += air.len() as u64;
            self.seen.responses += 1;
        }
        if mark.repair {
            self.rohc.abandon_all();
        }
        if mark.repair || self.par.policy == Policy::MoreData && !mark.more_data {
            self.take_back(flows);
        }
        self.deadline = self.due(now);
    }
    fn patience(&self) -> Span {
        if self.par.policy == Policy::Timer && self.chain.fresh().is_some() { self.par.timer } else { self.par.guard }
    }
    /// When the chain has waited too long: what has not ridden since it came, what has since the last response.
    fn due(&self, now: Time) -> Time {
        match self.chain.fresh() {
            Some(e) => (e.loaded - self.par.load + self.patience()).min(now + self.par.guard),
            None if self.chain.is_empty() => Time::NEVER,
            None => now + self.par.guard,
        }
    }
    /// What has not ridden goes natively.
    fn take_back(&mut self, flows: &Flows) {
        let Client { chain, rohc, back, seen, natives, handed, .. } = self;
        chain.take_back(|e| {
            // The other side will not see it: what comes after cannot build on it.
            rohc.take_back(e.cid, e.epoch, e.msn);
            let mut bytes = [0; LONGEST];
            if let Some(n) = flows.of(&e.packet).and_then(|f| f.write(&e.packet, &mut bytes)) {
                rohc.native(&bytes[..n]);
            }
            *handed += 1;
            natives.push_back((*handed, e.packet));
            back.push(e.packet);
            seen.failures += 1;
        });
    }
    /// Nothing came for too long.
    pub fn timer(&mut self, now: Time, node: crate::sim::NodeId, ap: crate::sim::NodeId, flows: &Flows) {
        if now < self.deadline {
            return;
        }
        let fresh = self.chain.fresh().is_some();
        self.take_back(flows);
        self.deadline = if self.chain.is_empty() { Time::NEVER } else { now + self.par.guard };
        let waits = self.flushing.is_some_and(|(_, since)| now < since + self.par.guard * FLUSH_PATIENCE);
        if self.chain.is_empty() || waits || fresh && self.par.policy == Policy::Timer {
            return; // the explicit timer is for what has not ridden
        }
        let end = self.chain.flush();
        let bytes = 1 + self.chain.unconfirmed().1.map(|e| e.bytes.len() as u32).sum::<u32>();
        let flow = self.chain.unconfirmed().1.next().map_or_else(Default::default, |e| e.packet.flow);
        let p = Packet::blank(Kind::Chain, flow, node, ap);
        self.back.push(Packet { born: now, seq: end as u32, payload: bytes, truesize: 768, ..p });
        self.flushing = Some((end, now));
        self.seen.flushes += 1;
    }
    /// What a flush that arrives now holds, behind `air`. Empty: all of it is confirmed meanwhile.
    pub fn flush(&self, p: &Packet, air: &mut Vec<u8>) {
        let (first, entries) = self.chain.unconfirmed();
        let n = (p.seq.wrapping_sub(first as u32) as i32).max(0) as usize;
        if n > 0 {
            air.push(first as u8);
            entries.take(n).for_each(|e| air.extend_from_slice(&e.bytes));
        }
    }
    /// A packet of ours was acknowledged on the air, or (`!arrived`) came to an end otherwise.
    pub fn ended(&mut self, p: &Packet, arrived: bool, flows: &Flows) {
        if p.kind == Kind::Chain {
            if self.flushing.is_some_and(|(end, _)| end as u32 == p.seq) {
                let (end, _) = self.flushing.take().expect("it is there");
                if arrived {
                    let rohc = &mut self.rohc;
                    self.chain.flushed(end, |e| rohc.confirm(e.cid, e.epoch, e.msn));
                    if self.chain.is_empty() {
                        self.deadline = Time::NEVER;
                    }
                }
            }
            return;
        }
        if !p.is_pure_ack() || !self.par.policy.rides() {
            return;
        }
        let Some(i) = self.natives.iter().position(|(_, n)| (n.flow, n.ident) == (p.flow, p.ident)) else { return };
        let (number, p) = self.natives.remove(i).expect("it was just found");
        self.native_done(&p, arrived, flows);
        while arrived && self.natives.front().is_some_and(|(n, _)| n + SETTLED < number) {
            let (_, p) = self.natives.pop_front().expect("it is there");
            self.native_done(&p, false, flows);
        }
    }
    fn native_done(&mut self, p: &Packet, arrived: bool, flows: &Flows) {
        let mut bytes = [0; LONGEST];
        if let Some(n) = flows.of(p).and_then(|f| f.write(p, &mut bytes)) {
            self.rohc.native_done(&bytes[..n], arrived);
        }
    }
    /// The number of the chain's first, and the packets from there on.
    pub fn kept(&self) -> (u64, u64) {
        (self.chain.confirmed(), self.chain.end())
    }
    /// Opportunistic: a native ACK that waits in the transmit queue. True: it is in the chain now, at once in the NIC.
    pub fn seize(&mut self, now: Time, p: &Packet, flows: &Flows) -> bool {
        let mut bytes = [0; LONGEST];
        let Some(n) = flows.of(p).and_then(|f| f.write(p, &mut bytes)) else { return false };
        if self.chain.len() >= CHAIN {
            return false;
        }
        let Some(i) = self.natives.iter().position(|(_, n)| (n.flow, n.ident) == (p.flow, p.ident)) else {
            return false;
        };
        // It is not on its way any more; unless the codec wants it to be, and then counts it again.
        self.rohc.native_done(&bytes[..n], false);
        let Outcome::Ride(r) = self.rohc.compress(&bytes[..n]) else { return false };
        self.natives.remove(i);
        self.seen.compressed += 1;
        self.seen.compressed_bytes += r.bytes.len() as u64;
        let packet = Packet { owner: Owner::NONE, ..*p };
        self.chain.hold(Entry { packet, bytes: r.bytes, cid: r.cid, epoch: r.epoch, msn: r.msn, loaded: now });
        true
    }
}
