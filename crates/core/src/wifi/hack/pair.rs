//! A station's driver and an AP's, real headers and the real codec between them, over a bad channel: random steps.

use super::access::Access;
use super::client::{Client, Sent};
use super::fields::{Flow, Flows};
use super::params::{Params, Policy};
use crate::sim::packet::flags;
use crate::sim::{FlowId, Kind, NodeId, Packet, Span, Stream, Streams, Time};
use std::collections::VecDeque;

const STA: NodeId = NodeId(1);
const AP: NodeId = NodeId(0);
const SERVER: NodeId = NodeId(2);

struct World {
    rng: Stream,
    now: Time,
    flows: Flows,
    client: Client,
    access: Access,
    /// The station's transmit queue.
    queue: VecDeque<Packet>,
    next: [Packet; 3],
    /// What came out at the AP, by flow: identifications in order; and everything that TCP made.
    out: Vec<Packet>,
    made: Vec<Packet>,
    native: u64,
    air: Vec<u8>,
}

impl World {
    fn new(seed: u64, policy: Policy) -> World {
        let par = Params { policy, timer: Span::from_ms(3), guard: Span::from_ms(20), ..Params::default() };
        let mut flows = Flows::default();
        let next = [0u16, 1, 2].map(|i| {
            flows.add(Flow::new(FlowId(i), (STA, SERVER), i != 1, 7));
            let p = Packet::blank(Kind::Tcp, FlowId(i), STA, SERVER);
            Packet { flags: flags::ACK, ack: u32::MAX - 40_000, wnd: 128 << 10, tsval: 9, tsecr: 7, headers: 52, ..p }
        });
        World {
            rng: Streams::new(seed).get("pair", "dice"),
            now: Time::ZERO,
            flows,
            client: Client::new(&par),
            access: Access::default(),
            queue: VecDeque::new(),
            next,
            out: Vec::new(),
            made: Vec::new(),
            native: 0,
            air: Vec::new(),
        }
    }
    fn one_in(&mut self, n: u32) -> bool {
        self.rng.below(n) == 0
    }
    /// TCP makes an ACK of some flow.
    fn ack(&mut self) {
        let i = self.rng.below(3) as usize;
        let (step, tick, hole, close) = (self.rng.below(3), self.rng.below(4), self.one_in(20), self.one_in(50));
        let p = &mut self.next[i];
        p.ack = p.ack.wrapping_add(1448 * step);
        p.ident = p.ident.wrapping_add(1);
        p.tsval = p.tsval.wrapping_add(tick).max(1);
        p.tsecr = p.tsecr.wrapping_add(tick / 2).max(1);
        p.wnd = if close { 0 } else { 128 << 10 };
        (p.sack[0], p.n_sack) =
            if hole { ((p.ack.wrapping_add(1448), p.ack.wrapping_add(5792)), 1) } else { ((0, 0), 0) };
        p.headers = if hole { 64 } else { 52 };
        let p = *p;
        let held = self.client.sent(self.now, &p, &self.flows) == Sent::Held;
        self.made.push(p);
        if !held {
            self.queue.push_back(p);
        }
    }
    fn up(&mut self, restored: Vec<Packet>) {
        self.out.extend(restored);
    }
    /// The AP sends, the station answers if it hears it, the AP may hear that.
    fn frame(&mut self, understood: bool, heard: bool) {
        let more = !self.one_in(8);
        let mark = self.access.mark(more);
        self.air.clear();
        if !understood {
            return;
        }
        self.client.answer(self.now, mark, false, &mut self.air, &self.flows);
        self.queue.extend(self.client.back.drain(..));
        if heard {
            let mut got = Vec::new();
            self.access.chain(self.now, &self.air, true, &self.flows, |p| got.push(*p));
            self.up(got);
        }
    }
    /// The station sends what stands first in its queue; 0: it arrives, 1: it arrives in vain and goes again, 2: it is given up.
    fn sends(&mut self, fate: u32) {
        let Some(p) = self.queue.pop_front() else { return };
        if fate < 2 {
            if p.kind == Kind::Chain {
                self.air.clear();
                self.client.flush(&p, &mut self.air);
                let mut got = Vec::new();
                self.access.chain(self.now, &self.air, false, &self.flows, |p| got.push(*p));
                self.up(got);
            } else {
                self.access.native(&p, &self.flows);
                self.native += u64::from(fate == 0);
            }
        }
        match fate {
            0 => self.client.ended(&p, true, &self.flows),
            1 => self.queue.push_front(p),
            _ => self.client.ended(&p, false, &self.flows),
        }
    }
    fn step(&mut self) {
        self.now += Span::from_us(i64::from(self.rng.below(200)));
        match self.rng.below(10) {
            0..=3 => self.ack(),
            4..=6 => {
                let (understood, heard) = (!self.one_in(6), !self.one_in(5));
                self.frame(understood, heard);
            }
            7 | 8 => {
                let fate = if self.one_in(8) { 1 + self.rng.below(2) } else { 0 };
                self.sends(fate);
            }
            _ => {
                self.client.timer(self.now, STA, AP, &self.flows);
                self.queue.extend(self.client.back.drain(..));
            }
        }
    }
    /// Every restored ACK is one that TCP made, bit for bit, once, and a flow's come in order.
    fn check(&self) {
        let of =
            |p: &Packet| (p.flow, p.ident, p.seq, p.ack, p.wnd, p.tsval, p.tsecr, p.sack, p.n_sack, p.flags, p.headers);
        for flow in 0..3 {
            let mut made = self.made.iter().filter(|p| p.flow == FlowId(flow));
            for p in self.out.iter().filter(|p| p.flow == FlowId(flow)) {
                assert!(made.any(|m| of(m) == of(p)), "{p:?} was not made, came twice, or out of order");
            }
        }
    }
}

#[test]
fn random_histories_restore_what_was_made() {
    for policy in [Policy::MoreData, Policy::Timer] {
        for seed in 0..40 {
            let mut w = World::new(seed, policy);
            for _ in 0..20_000 {
                w.step();
            }
            assert_eq!(w.access.refused(), 0, "{policy:?} {seed}");
            assert!(w.out.len() > 1_000, "{policy:?} {seed}: only {} rode", w.out.len());
            w.check();
            // Silence: whatever still waits gets through by the station's own means.
            for _ in 0..200 {
                w.now += Span::from_ms(10);
                w.client.timer(w.now, STA, AP, &w.flows);
                w.queue.extend(w.client.back.drain(..));
                w.sends(0);
            }
            let (first, end) = w.client.kept();
            assert_eq!((first, w.queue.len()), (end, 0), "{policy:?} {seed}: something is stuck");
            w.check();
        }
    }
}

/// An AP that has forgotten everything is told apart within a frame or two, and the flow goes on by native ACKs.
#[test]
fn lost_contexts_are_mended() {
    for seed in 0..20 {
        let mut w = World::new(seed, Policy::MoreData);
        for round in 0..10 {
            (0..2_000).for_each(|_| w.step());
            w.access.forget();
            let before = (w.access.refused(), w.out.len());
            (0..2_000).for_each(|_| w.step());
            let lost = w.access.refused() - before.0;
            assert!(lost < 60, "{seed}, {round}: {lost} ACKs were lost");
            assert!(w.out.len() > before.1 + 100, "{seed}, {round}: nothing rides any more");
        }
        w.check();
    }
}
