//! A wired port: a queueing discipline above a device above a cable.
//!
//! Stands for: linux@6.12 net/core/dev.c __dev_queue_xmit, net/sched/sch_generic.c __qdisc_run, sch_direct_xmit and dev_requeue_skb (the
//! device says beforehand whether it can take a packet), drivers/net/veth.c veth_xmit.
//! Differs: D1 no lock contention and no deferral to ksoftirqd: a qdisc runs at once until it is empty or its device full.
//!
//! An Ethernet device's completions are events only where somebody waits for them: a socket whose memory they free (TSQ), or a
//! qdisc that watches the clock. Where a port only forwards, they are caught up with, each at its own time, before anything else
//! looks: the next packet down, the next packet out at the far end, an observer. That is one event a packet instead of three.

use super::accounts::{Accounts, Cutter};
use super::event::{Event, Events};
use super::parked::Parked;
use super::state::{DeviceState, QdiscState};
use crate::driver::ethernet::Ethernet;
use crate::host::{Host, nic};
use crate::qdisc::{Old, Qdisc};
use crate::sim::{Lane, NodeId, Owner, Packet, Span, Time, Verdict};
use std::collections::VecDeque;

/// What is below the qdisc.
#[derive(Clone)]
pub(super) enum Link {
    /// A veth pair: no rate, no queue; memory stays charged until the receiving IP layer orphans it.
    Veth,
    /// An Ethernet device with BQL on a cable.
    Ethernet {
        /// The device.
        device: Box<Ethernet>,
        /// Propagation delay.
        delay: Span,
        /// Memory of a receive buffer of the card at the other end, bytes.
        memory: u32,
    },
}

/// A port of a node.
#[derive(Clone)]
pub(super) struct Port {
    pub(super) peer: NodeId,
    pub(super) qdisc: Option<Qdisc>,
    pub(super) link: Link,
    /// The watchdog that is set, or never.
    wake: Time,
    /// Bytes and segments that have left the qdisc, or passed it by (`bstats`).
    sent: (u64, u64),
    /// What the device had no room for yet: segments of a super-packet, or a packet that passed the empty qdisc by (`q->gso_skb`).
    requeued: Parked,
    /// Packets in the device and on the cable, with the time of their arrival at the peer. Only the first has an event.
    cable: VecDeque<(Time, Packet)>,
    /// Completions are events: a packet came that a socket is charged for, or the qdisc does more than pass packets on.
    on_time: bool,
    /// The next completion has its event.
    armed: bool,
}

/// Where a port puts what happens.
pub(super) struct PortCtx<'a> {
    pub(super) q: &'a mut Events,
    pub(super) bin: &'a mut Accounts,
    pub(super) hosts: &'a mut [Host],
    pub(super) index: u16,
}

impl Port {
    pub(super) fn new(peer: NodeId, qdisc: Option<Qdisc>, link: Link, old: Old) -> Port {
        let on_time = qdisc.as_ref().is_some_and(Qdisc::timed);
        Port {
            peer,
            on_time,
            armed: false,
            qdisc,
            link,
            wake: Time::NEVER,
            sent: (0, 0),
            requeued: Parked::new(old),
            cable: VecDeque::with_capacity(64),
        }
    }

    /// The stack hands `p` to this port's device.
    #[inline(never)]
    pub(super) fn xmit(&mut self, now: Time, p: &Packet, ctx: &mut PortCtx) -> Verdict {
        let orphaned;
        let p = if self.qdisc.as_ref().is_some_and(|q| q.orphans(p)) {
            orphaned = ctx.bin.orphan_in_part(p);
            &orphaned
        } else {
            p
        };
        self.catch_up(now, ctx);
        if p.owner.is_charged() && !self.on_time {
            self.on_time = true;
            self.arm(ctx);
        }
        let full = !self.can_take();
        let verdict = match &mut self.qdisc {
            Some(q) if q.splits(p) => q.enqueue_cut(now, ctx.bin.segment(p, Cutter::Discipline), ctx.bin),
            // src: linux@6.12 net/core/dev.c __dev_xmit_skb: TCQ_F_CAN_BYPASS, an empty qdisc; nobody asks the device
            Some(q) if !(self.requeued.is_empty() && q.can_bypass()) => {
                self.requeued.tell(q);
                q.enqueue(now, *p, ctx.bin)
            }
            Some(_) if p.segs == 1 && full => {
                self.count(p);
                self.requeued.push(p);
                return Verdict::Ok;
            }
            _ => {
                self.send(now, p, ctx);
                return Verdict::Ok;
            }
        };
        self.run(now, ctx);
        verdict
    }

    fn can_take(&self) -> bool {
        match &self.link {
            Link::Veth => true,
            Link::Ethernet { device, .. } => device.can_take(),
        }
    }

    /// Takes from the qdisc what the device has room for; sets the watchdog if the qdisc wants to be asked later.
    #[inline]
    pub(super) fn run(&mut self, now: Time, ctx: &mut PortCtx) {
        // Mostly the device is full, or nothing waits.
        if self.can_take() && (!self.requeued.is_empty() || self.qdisc.as_ref().is_some_and(|q| !q.rests())) {
            self.feed(now, ctx);
        }
    }
    #[inline(never)]
    fn feed(&mut self, now: Time, ctx: &mut PortCtx) {
        loop {
            if !self.can_take() {
                return;
            }
            if !self.requeued.is_empty() {
                self.put_requeued(now, ctx);
                continue;
            }
            let Some(q) = &mut self.qdisc else { return };
            let next = q.dequeue(now, ctx.bin);
            let Some(p) = &next else { break };
            self.send(now, p, ctx);
        }
        let Some(at) = self.qdisc.as_ref().and_then(|q| q.wake_at(now)) else { return };
        if at < self.wake {
            self.wake = at;
            ctx.q.push(at.max(now), Lane::Watchdog, Event::PortWake(ctx.index));
        }
    }

    /// The watchdog fires.
    pub(super) fn on_wake(&mut self, now: Time, ctx: &mut PortCtx) {
        if self.wake != now {
            return; // an earlier watchdog replaced it
        }
        self.wake = Time::NEVER;
        self.run(now, ctx);
    }

    /// A socket's pacing rate from now on.
    pub(super) fn paced(&mut self, owner: Owner, rate: u64) {
        if let Some(q) = &mut self.qdisc {
            q.paced(owner, rate);
        }
    }

    /// `qdisc_bstats_update`.
    #[inline]
    fn count(&mut self, p: &Packet) {
        self.sent.0 += u64::from(p.eth_len());
        self.sent.1 += u64::from(p.segs);
    }

    /// To the device; a super-packet is cut up first.
    /// src: linux@6.12 net/core/dev.c validate_xmit_skb
    #[inline]
    fn send(&mut self, now: Time, p: &Packet, ctx: &mut PortCtx) {
        self.count(p);
        if p.segs == 1 { self.put(now, p, ctx) } else { self.send_cut(now, p, ctx) }
    }
    #[inline(never)]
    fn send_cut(&mut self, now: Time, p: &Packet, ctx: &mut PortCtx) {
        self.requeued.push_carded(p, ctx.bin.segment(p, Cutter::Card));
        while self.can_take() && !self.requeued.is_empty() {
            self.put_requeued(now, ctx);
        }
    }
    #[inline(never)]
    fn put_requeued(&mut self, now: Time, ctx: &mut PortCtx) {
        if let Some(s) = self.requeued.pop() {
            self.put(now, &s, ctx);
        }
    }

    fn put(&mut self, now: Time, p: &Packet, ctx: &mut PortCtx) {
        match &mut self.link {
            Link::Veth => {
                self.cable.push_back((now, *p));
                ctx.q.push(now, Lane::Arrival, Event::PortArrive(ctx.index));
            }
            Link::Ethernet { device, delay, memory } => {
                let at = device.xmit(now, p) + *delay;
                let peer = &mut ctx.hosts[usize::from(self.peer.0)];
                if let Some(nic) = &mut peer.nic {
                    if let Some(by) = nic.arrive(ctx.q.now(), at, p, *memory) {
                        ctx.q.push(by, Lane::Softirq, Event::HostPoll(self.peer));
                    }
                    return self.arm(ctx);
                }
                let mut arrived = *p;
                nic::take_in(&mut arrived, *memory);
                if peer.wire.is_some() {
                    if let Some(done) = peer.arrive(at, &arrived, 1) {
                        ctx.q.push(done, Lane::Softirq, Event::HostRx(self.peer));
                    }
                } else {
                    if self.cable.is_empty() {
                        ctx.q.push(at, Lane::Arrival, Event::PortArrive(ctx.index));
                    }
                    self.cable.push_back((at, arrived));
                }
                self.arm(ctx);
            }
        }
    }

    /// Sees to it that the next completion has its event, if completions have events here.
    #[inline]
    fn arm(&mut self, ctx: &mut PortCtx) {
        if !self.on_time || self.armed {
            return;
        }
        let Link::Ethernet { device, .. } = &self.link else { return };
        let at = device.due();
        if !at.is_never() {
            self.armed = true;
            ctx.q.push(at, Lane::Completion, Event::PortDone(ctx.index));
        }
    }

    /// The device is through with whatever was due by `now`: memory is freed, and the qdisc runs, each time at the time it was due.
    #[inline]
    pub(super) fn catch_up(&mut self, now: Time, ctx: &mut PortCtx) {
        if matches!(&self.link, Link::Ethernet { device, .. } if device.due() <= now) {
            self.complete(now, ctx);
        }
    }

    #[inline(never)]
    fn complete(&mut self, now: Time, ctx: &mut PortCtx) {
        loop {
            let Link::Ethernet { device, .. } = &mut self.link else { return };
            if device.due() > now {
                return;
            }
            let sent = device.complete();
            self.run(sent.done, ctx);
            ctx.bin.credit(sent.freed);
        }
    }

    /// A completion that had its event.
    pub(super) fn on_done(&mut self, now: Time, ctx: &mut PortCtx) {
        self.armed = false;
        self.catch_up(now, ctx);
        self.arm(ctx);
    }

    /// The packet that arrives at the peer now.
    pub(super) fn arrive(&mut self, now: Time, ctx: &mut PortCtx) -> Packet {
        let (at, p) = self.cable.pop_front().expect("one arrival a packet on the cable");
        debug_assert_eq!(at, now);
        if matches!(self.link, Link::Ethernet { .. }) {
            // before catching up: what that puts on an empty cable has its event already
            if let Some(&(at, _)) = self.cable.front() {
                ctx.q.push(at, Lane::Arrival, Event::PortArrive(ctx.index));
            }
            self.catch_up(now, ctx);
        }
        p
    }

    /// Whether it is one end of a veth pair.
    #[inline]
    pub(super) fn is_veth(&self) -> bool {
        matches!(self.link, Link::Veth)
    }

    /// What it is and holds; `name`: its device's.
    pub(super) fn state(&self, name: &str) -> DeviceState {
        let qdiscs = self.qdisc.as_ref().map_or_else(Vec::new, |q| QdiscState::of(q, None, self.sent));
        let mut counts = vec![("requeued", self.requeued.len()), ("cable", self.cable.len() as u64)];
        if let Link::Ethernet { device, .. } = &self.link {
            counts.push(("ring", device.packets().into()));
            counts.extend(device.bql_limit().map(|l| ("bql_limit", l.into())));
        }
        DeviceState { name: name.into(), qdiscs, counts, radio: None }
    }

    /// Packets that its qdisc made.
    pub(super) fn made(&self) -> u64 {
        self.qdisc.as_ref().map_or(0, Qdisc::made)
    }

    /// Packets in the qdisc, in the device and on the cable, but for those that the peer was told of.
    pub(super) fn held(&self) -> u64 {
        self.qdisc.as_ref().map_or(0, |q| u64::from(q.packets())) + self.requeued.len() + self.cable.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use crate::net::World;
    use crate::scenario::{Source, read};
    use crate::sim::{Place, Reason};

    /// Every packet twice, handshakes' too, on a wired way back and above radios: none is missing, TCP goes on, and calls hear both.
    #[test]
    fn what_comes_twice_is_in_the_books() {
        let all = "[netem]\nduplicate = 0.999\ndelay = \"2 ms\"\nlimit = 100000\n[time]\nflows = \"4 s\"\nwarmup = \"1 s\"\n\
                   [traffic]\ntcp_up = 1\ntcp_down = 1\nudp_down = \"1 Mbit/s\"\nudp_up = \"1 Mbit/s\"\n";
        let wired = "name = \"x\"\n[topology]\nkind = \"wired\"\n[htb]\nrate = \"20 Mbit/s\"\n";
        let wifi = "name = \"x\"\n[topology]\nkind = \"wifi\"\n[wifi]\nmcs = 7\n[sta]\ndriver = \"ath9k_htc\"\nabove = \"qdisc\"\nqdisc = \"netem\"\n";
        for (text, at_least) in [(wired, 10.0), (wifi, 5.0)] {
            let text = format!("{text}{all}");
            let s = read(&Source { path: "x.toml", text: &text }, &[]).unwrap_or_else(|e| panic!("{e}"));
            let out = World::simulate(&s).unwrap();
            let twice = out.flows.iter().filter_map(|f| f.delivery.as_ref()).filter(|d| d.arrived > d.sent * 3 / 2);
            assert_eq!(twice.count(), 1, "one of two calls goes through netem");
            let of = |i: usize| out.flows[i].goodput_mbit(out.window);
            assert!(of(0) > at_least && of(1) > at_least, "{} {}", of(0), of(1));
            assert_eq!(out.ledger.dropped[Place::Qdisc as usize][Reason::Loss as usize], 0);
        }
    }
}
