//! A wired port: a queueing discipline above a device above a cable.
//!
//! Stands for: linux@6.12 net/core/dev.c __dev_queue_xmit, net/sched/sch_generic.c __qdisc_run and dev_requeue_skb's
//! avoidance (the device says beforehand whether it can take a packet), drivers/net/veth.c veth_xmit.
//! Differs: D1 no lock contention and no deferral to ksoftirqd: a qdisc runs at once until it is empty or its device full.

use super::fabric::{Accounts, Event};
use crate::driver::ethernet::Ethernet;
use crate::qdisc::Qdisc;
use crate::sim::{EventQueue, Lane, NodeId, Packet, Span, Time, Verdict};
use std::collections::VecDeque;

/// What is below the qdisc.
pub(super) enum Link {
    /// A veth pair: no rate, no queue; memory stays charged until the receiving IP layer orphans it.
    Veth,
    /// An Ethernet device with BQL on a cable.
    Ethernet {
        /// The device.
        device: Box<Ethernet>,
        /// Propagation delay.
        delay: Span,
    },
}

/// A port of a node.
pub(super) struct Port {
    pub(super) peer: NodeId,
    pub(super) qdisc: Option<Qdisc>,
    pub(super) link: Link,
    /// The watchdog that is set, or never.
    wake: Time,
    /// Segments of a super-packet that the device had no room for yet (`q->gso_skb`).
    requeued: VecDeque<Packet>,
    /// Packets on the cable.
    cable: VecDeque<Packet>,
}

/// Where a port puts what happens.
pub(super) struct PortCtx<'a> {
    pub(super) q: &'a mut EventQueue<Event>,
    pub(super) bin: &'a mut Accounts,
    pub(super) index: u16,
}

impl Port {
    pub(super) fn new(peer: NodeId, qdisc: Option<Qdisc>, link: Link) -> Port {
        Port {
            peer,
            qdisc,
            link,
            wake: Time::NEVER,
            requeued: VecDeque::with_capacity(64),
            cable: VecDeque::with_capacity(64),
        }
    }

    /// The stack hands `p` to this port's device.
    pub(super) fn xmit(&mut self, now: Time, mut p: Packet, ctx: &mut PortCtx) -> Verdict {
        if self.qdisc.as_ref().is_some_and(|q| q.orphans(&p)) {
            ctx.bin.credit(&p);
            p.owner = crate::sim::Owner::NONE;
        }
        let idle = self.can_take();
        let verdict = match &mut self.qdisc {
            // src: linux@6.12 net/core/dev.c __dev_xmit_skb: TCQ_F_CAN_BYPASS, an empty qdisc, a device with room
            Some(q) if !(idle && self.requeued.is_empty() && q.can_bypass()) => q.enqueue(now, p, ctx.bin),
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
    pub(super) fn run(&mut self, now: Time, ctx: &mut PortCtx) {
        loop {
            if !self.can_take() {
                return;
            }
            if let Some(p) = self.requeued.pop_front() {
                self.put(now, p, ctx);
                continue;
            }
            let Some(q) = &mut self.qdisc else { return };
            let Some(p) = q.dequeue(now, ctx.bin) else { break };
            self.send(now, p, ctx);
        }
        let Some(at) = self.qdisc.as_ref().and_then(|q| q.wake_at(now)) else { return };
        if at < self.wake {
            self.wake = at;
            ctx.q.push(at.max(now), Lane::Timer, Event::PortWake(ctx.index));
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

    /// To the device; a super-packet is cut up first.
    /// src: linux@6.12 net/core/dev.c validate_xmit_skb
    fn send(&mut self, now: Time, p: Packet, ctx: &mut PortCtx) {
        if p.segs == 1 {
            return self.put(now, p, ctx);
        }
        for s in ctx.bin.segment(&p, true) {
            if self.can_take() && self.requeued.is_empty() {
                self.put(now, s, ctx);
            } else {
                self.requeued.push_back(s);
            }
        }
    }

    fn put(&mut self, now: Time, p: Packet, ctx: &mut PortCtx) {
        match &mut self.link {
            Link::Veth => {
                self.cable.push_back(p);
                ctx.q.push(now, Lane::Arrival, Event::PortArrive(ctx.index));
            }
            Link::Ethernet { device, .. } => {
                if let Some(at) = device.xmit(now, p) {
                    ctx.q.push(at, Lane::Completion, Event::PortDone(ctx.index));
                }
            }
        }
    }

    /// The device has put a packet on the cable: its memory is free, and there is room for the next. Returns what was
    /// freed, as the packet with its owner.
    pub(super) fn on_done(&mut self, now: Time, ctx: &mut PortCtx) -> Packet {
        let Link::Ethernet { device, delay } = &mut self.link else { unreachable!("only Ethernet completes") };
        let (p, next) = device.complete(now);
        if let Some(at) = next {
            ctx.q.push(at, Lane::Completion, Event::PortDone(ctx.index));
        }
        let mut copy = p;
        copy.owner = crate::sim::Owner::NONE;
        self.cable.push_back(copy);
        ctx.q.push(now + *delay, Lane::Arrival, Event::PortArrive(ctx.index));
        self.run(now, ctx);
        p
    }

    /// The packet that arrives at the peer now.
    pub(super) fn arrive(&mut self) -> Packet {
        self.cable.pop_front().expect("one arrival a packet on the cable")
    }

    /// Packets in the qdisc, in the device and on the cable.
    pub(super) fn held(&self) -> u64 {
        let device = match &self.link {
            Link::Veth => 0,
            Link::Ethernet { device, .. } => u64::from(device.packets()),
        };
        self.qdisc.as_ref().map_or(0, |q| u64::from(q.packets()))
            + device
            + self.requeued.len() as u64
            + self.cable.len() as u64
    }
}
