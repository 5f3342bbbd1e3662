//! A station's driver and NIC (`wavetank_hack::Client`), in the model's packets and times.

use super::fields::Flows;
use super::params::{Params, Policy};
use crate::sim::{Kind, NodeId, Owner, Packet, Time};
use wavetank_hack::{Headers, NEVER, Rules, Waits};
use wavetank_rohc::ack::LONGEST;

pub use wavetank_hack::{Mark, Seen};

impl Headers<Packet> for Flows {
    fn write(&self, p: &Packet, out: &mut [u8; LONGEST]) -> Option<usize> {
        self.of(p)?.write(p, out)
    }
}

/// One station's side.
pub struct Client {
    inner: wavetank_hack::Client<Packet>,
    /// Packets for the transmit queue.
    pub back: Vec<Packet>,
    /// Responses so long that DIFS would not protect them from who does not hear them.
    pub beyond_difs: u64,
}

/// Where a packet goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sent {
    /// Down, as ever.
    Passes,
    /// Into the chain.
    Held,
}

impl Params {
    fn rules(&self) -> Rules {
        let waits = match self.policy {
            Policy::Off | Policy::Native | Policy::Opportunistic => Waits::Never,
            Policy::Timer => Waits::Always,
            Policy::MoreData => Waits::Promised,
        };
        let [timer, guard, load] = [self.timer, self.guard, self.load].map(|s| s.ns() as u64);
        Rules { rides: self.policy.rides(), waits, timer, guard, load, bytes: self.bytes }
    }
}

impl Client {
    /// Of a station that has just associated.
    pub fn new(par: &Params) -> Client {
        Client { inner: wavetank_hack::Client::new(par.rules()), back: Vec::with_capacity(240), beyond_difs: 0 }
    }
    /// What happened.
    pub fn seen(&self) -> Seen {
        Seen { beyond_difs: self.beyond_difs, ..self.inner.seen }
    }
    /// When the chain's oldest has waited too long.
    pub fn deadline(&self) -> Time {
        if self.inner.deadline == NEVER { Time::NEVER } else { Time::from_ns(self.inner.deadline) }
    }
    /// The stack hands `p` down.
    pub fn sent(&mut self, now: Time, p: &Packet, flows: &Flows) -> Sent {
        if p.kind != Kind::Tcp || !p.is_pure_ack() {
            return Sent::Passes;
        }
        let mut bytes = [0; LONGEST];
        let n = if self.inner.rides() { flows.write(p, &mut bytes) } else { None };
        let packet = Packet { owner: Owner::NONE, ..*p };
        if self.inner.sent(now.ns(), packet, n.map(|n| &bytes[..n])) { Sent::Held } else { Sent::Passes }
    }
    /// A frame of the AP is answered now. What rides is put behind `air`.
    pub fn answer(&mut self, now: Time, mark: Mark, repeats: bool, air: &mut Vec<u8>, flows: &Flows) {
        let back = |p| self.back.push(p);
        self.inner.answer(now.ns(), mark, repeats, air, flows, back, |_| {});
    }
    /// Nothing came for too long.
    pub fn timer(&mut self, now: Time, node: NodeId, ap: NodeId, flows: &Flows) {
        let back = |p| self.back.push(p);
        let Some(f) = self.inner.timer(now.ns(), flows, back) else { return };
        let flow = self.inner.oldest().map_or_else(Default::default, |p| p.flow);
        let p = Packet::blank(Kind::Chain, flow, node, ap);
        self.back.push(Packet { born: now, seq: f.end as u32, payload: f.bytes, truesize: 768, ..p });
    }
    /// What a flush that arrives now holds, behind `air`.
    pub fn flush(&self, p: &Packet, air: &mut Vec<u8>) {
        self.inner.flush(p.seq, air);
    }
    /// A packet of ours was acknowledged on the air, or (`!arrived`) came to an end otherwise.
    pub fn ended(&mut self, p: &Packet, arrived: bool, flows: &Flows) {
        if p.kind == Kind::Chain {
            self.inner.flushed(p.seq, arrived, |_| {});
            return;
        }
        let mut bytes = [0; LONGEST];
        if p.is_pure_ack() && self.inner.rides() {
            if let Some(n) = flows.write(p, &mut bytes) {
                self.inner.ended(&bytes[..n], arrived);
            }
        }
    }
    /// The number of the chain's first, and one past its last.
    pub fn kept(&self) -> (u64, u64) {
        self.inner.kept()
    }
    /// Opportunistic: a native ACK that waits in the transmit queue. True: it is in the chain now, at once in the NIC.
    pub fn seize(&mut self, now: Time, p: &Packet, flows: &Flows) -> bool {
        let mut bytes = [0; LONGEST];
        let packet = Packet { owner: Owner::NONE, ..*p };
        flows.write(p, &mut bytes).is_some_and(|n| self.inner.seize(now.ns(), packet, &bytes[..n]))
    }
}
