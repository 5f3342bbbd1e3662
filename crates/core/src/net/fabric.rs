//! The network below the sockets: hosts' receive paths, wired ports, the BSS, routes, and the ledger of packets.

use super::accounts::{Accounts, Cutter};
use super::bss::{AckOutcome, Bss, BssEvent, HandedUp, Out, StaIx};
use super::event::{Event, Events};
use super::far::Far;
use super::port::{Port, PortCtx};
use super::routes::{Route, Routes};
use crate::host::Host;
use crate::host::backlog::Turn;
use crate::rate::aasrc::Counts;
use crate::sim::{Bin, Due, Kind, Lane, Ledger, Lower, NodeId, Owner, Packet, Place, Probe, Reason, Time, Verdict};
use crate::tcp::Linearised;

/// Everything below the sockets.
pub(super) struct Fabric {
    pub(super) q: Events,
    pub(super) hosts: Vec<Host>,
    pub(super) ports: Vec<Port>,
    /// Whose device each port is, and its name.
    pub(super) devices: Vec<(NodeId, &'static str)>,
    pub(super) bss: Option<Box<Bss>>,
    pub(super) out: Out,
    pub(super) routes: Routes,
    /// The node of each station of the BSS.
    pub(super) stations: Vec<NodeId>,
    pub(super) accounts: Accounts,
    /// Stations hold ACKs back.
    pub(super) tao: bool,
    /// Memory of a receive buffer of a radio, bytes: short frames are not copied out of it.
    pub(super) rx_memory: u32,
    /// Flows that are farther away than others.
    pub(super) far: Option<Box<Far>>,
    /// What comes to the access point over a veth pair weighs so on the air's side.
    pub(super) linearised: Option<Linearised>,
}

/// An skb that no socket is charged for, as the device below takes it; none where that makes it no larger.
fn weigh(by: Linearised, p: &Packet) -> Option<Packet> {
    let truesize = match p.kind {
        Kind::Tcp if p.payload > 0 => by.segment(p.payload),
        Kind::Udp => by.datagram(p.payload),
        _ => return None,
    };
    Some(Packet { truesize, ..*p })
}

/// A radio hands `p` up to the host of `node`, which takes as long for it as for its frames.
#[inline(always)]
fn hand_up(now: Time, node: NodeId, host: &mut Host, p: &Packet, q: &mut Events) {
    if let Some(at) = host.arrive(now, p, p.segs) {
        q.push(at, Lane::Softirq, Event::HostRx(node));
    }
}

/// A radio that polls has given its driver what it has for the host of `node`.
#[inline(never)]
fn poll(now: Time, node: NodeId, host: &mut Host, q: &mut Events, bin: &mut Accounts) {
    let Some(mut napi) = host.napi.take() else { return };
    bin.merged += napi.poll(|p| hand_up(now, node, host, p, q));
    host.napi = Some(napi);
}

impl Fabric {
    /// `node` sends or forwards `p` towards `p.dst`.
    #[inline(always)] // of its callers two are hot, and what it calls is not within it
    pub(super) fn send(&mut self, now: Time, node: NodeId, p: &Packet) -> Verdict {
        match self.routes.way(node, p.dst) {
            Route::Port(i) => {
                let (port, mut ctx) = self.port(i);
                port.xmit(now, p, &mut ctx)
            }
            Route::Air(from, to) => {
                let verdict = if p.segs == 1 && self.linearised.is_none() {
                    let bss = self.bss.as_mut().expect("a route over the air needs a BSS");
                    bss.xmit(now, from, to, p, &mut self.out)
                } else {
                    self.send_air(now, from, to, p)
                };
                if !self.out.is_empty() {
                    self.drain();
                }
                verdict
            }
            Route::None => {
                self.accounts.drop(*p, Place::Host, Reason::NoSocket);
                Verdict::Ok
            }
        }
    }

    /// The same over the air, of a super-packet or a packet that may weigh something else there.
    #[inline(never)]
    fn send_air(&mut self, now: Time, from: StaIx, to: StaIx, p: &Packet) -> Verdict {
        let bss = self.bss.as_mut().expect("a route over the air needs a BSS");
        let weighed = self.linearised.filter(|_| !p.owner.is_charged()).and_then(|by| weigh(by, p));
        let p = weighed.as_ref().unwrap_or(p);
        if p.segs == 1 || bss.keeps_whole(from) {
            return bss.xmit(now, from, to, p, &mut self.out);
        }
        // No Wi-Fi device here gathers but iwlwifi: super-packets are cut before they reach mac80211, behind the device's qdisc if it has one.
        let mut verdict = Verdict::Ok;
        for s in self.accounts.segment(p, Cutter::Stack) {
            let v = bss.xmit(now, from, to, &s, &mut self.out);
            if v != Verdict::Ok {
                verdict = v;
            }
        }
        verdict
    }

    /// What `node` sends as `p` has farther to go: it waits, and is nobody's.
    #[inline(never)] // few have such flows
    fn send_far(&mut self, now: Time, node: NodeId, p: &Packet) -> bool {
        let Some(far) = self.far.as_mut().filter(|far| far.holds(node, p)) else { return false };
        far.take(now, self.accounts.orphan_in_part(p), &mut self.q);
        true
    }

    /// A packet of `flow` has come so far.
    pub(super) fn on_far(&mut self, now: Time, flow: u16) {
        let far = self.far.as_mut().expect("its event");
        let (server, p) = (far.server(), far.give(flow, &mut self.q).expect("one event a packet that is first"));
        self.send(now, server, &p);
    }

    /// The pacing rate of a socket of `node` that sends to `dst`, for an `fq` that looks it up.
    #[inline(never)] // kernels before 4.20 alone
    pub(super) fn paced(&mut self, node: NodeId, dst: NodeId, owner: Owner, rate: u64) {
        match self.routes.way(node, dst) {
            Route::Port(i) => self.ports[usize::from(i)].paced(owner, rate),
            Route::Air(from, _) => {
                self.bss.as_mut().expect("a route over the air needs a BSS").paced(from, owner, rate)
            }
            Route::None => {}
        }
    }

    /// A port and what it may touch.
    pub(super) fn port(&mut self, i: u16) -> (&mut Port, PortCtx<'_>) {
        let ctx = PortCtx { q: &mut self.q, bin: &mut self.accounts, hosts: &mut self.hosts, index: i };
        (&mut self.ports[usize::from(i)], ctx)
    }

    /// Brings the books of every wired device up to `now`.
    pub(super) fn catch_up(&mut self, now: Time) {
        for i in 0..self.ports.len() as u16 {
            let (port, mut ctx) = self.port(i);
            port.catch_up(now, &mut ctx);
        }
    }

    /// A packet arrives at the far end of a port's cable.
    pub(super) fn on_port_arrive(&mut self, now: Time, i: u16) {
        let port = &self.ports[usize::from(i)];
        let (peer, veth) = (port.peer, port.is_veth());
        if veth {
            match self.hosts[usize::from(peer.0)].backlog.arrive(now, i) {
                Turn::Now => {}
                Turn::Next => return self.q.push(now, Lane::Again, Event::HostAgain(peer)),
                Turn::Behind => return,
            }
        }
        let (port, mut ctx) = self.port(i);
        let p = port.arrive(now, &mut ctx);
        let host = &mut self.hosts[usize::from(peer.0)];
        if veth && !host.in_no_time() {
            host.pass(&p);
            self.q.push(now, Lane::Softirq, Event::HostRx(peer));
        } else {
            self.up(now, peer, &p);
        }
    }

    /// The next round of what veth pairs have brought to `node`.
    pub(super) fn on_again(&mut self, now: Time, node: NodeId) {
        let Fabric { hosts, q, .. } = self;
        let more = hosts[usize::from(node.0)].backlog.next_round(|i| q.push(now, Lane::Arrival, Event::PortArrive(i)));
        if more {
            q.push(now, Lane::Again, Event::HostAgain(node));
        }
    }

    /// The host of `node`, which is done with a packet now.
    #[inline]
    pub(super) fn host(&mut self, now: Time, node: NodeId) -> &mut Host {
        let host = &self.hosts[usize::from(node.0)];
        if let (Some(i), None) = (host.wire, &host.nic) {
            // What the wire let through meanwhile is next in line.
            let (port, mut ctx) = self.port(i);
            port.catch_up(now, &mut ctx);
        }
        &mut self.hosts[usize::from(node.0)]
    }

    /// A wired card's interrupt: its host polls. When it will be done with the first packet, if none was waiting before.
    pub(super) fn on_poll(&mut self, now: Time, node: NodeId) -> Option<Due> {
        let n = usize::from(node.0);
        // Else an earlier interrupt replaced it.
        let i = self.hosts[n].nic.as_ref().filter(|nic| nic.due() == now)?.port;
        let (port, mut ctx) = self.port(i);
        port.catch_up(now, &mut ctx);
        let polled = self.hosts[n].poll(now);
        self.accounts.merged += polled.merged;
        let first = polled.first.map(|at| self.q.due(at, Lane::Softirq));
        if let Some(at) = polled.next {
            self.q.push(at.max(now), Lane::Softirq, Event::HostPoll(node));
        }
        first
    }

    /// A wired device hands `p` up to `node`.
    pub(super) fn up(&mut self, now: Time, node: NodeId, p: &Packet) {
        if let Some(at) = self.hosts[usize::from(node.0)].arrive(now, p, 1) {
            self.q.push(at, Lane::Softirq, Event::HostRx(node));
        }
    }

    /// The stack of a node is about to take `p`, or (`done`) has: TAO counts.
    pub(super) fn taking(&mut self, now: Time, node: NodeId, p: &Packet, done: bool) {
        let (Some(bss), Some(i)) = (self.bss.as_mut(), self.stations.iter().position(|s| *s == node)) else { return };
        if !done {
            return bss.taking(StaIx(i as u8), p);
        }
        bss.taken(now, StaIx(i as u8), p, &mut self.out);
        if !self.out.is_empty() {
            self.drain();
        }
    }

    /// What the rate control of a station did, if it counts that.
    pub(super) fn rate_counts(&self, node: NodeId) -> Option<Counts> {
        let i = self.stations.iter().position(|s| *s == node)?;
        self.bss.as_ref()?.rate_counts(StaIx(i as u8))
    }
    /// An event of the BSS.
    pub(super) fn on_bss(&mut self, now: Time, ev: BssEvent, probe: &mut impl Probe) {
        let bss = self.bss.as_mut().expect("an event of a BSS");
        bss.on(now, ev, &mut self.out, probe);
        self.drain();
    }

    /// Takes what the BSS put out.
    fn drain(&mut self) {
        let now = self.q.now();
        for &(at, lane, ev) in &self.out.schedule {
            self.q.push(at, lane, Event::Bss(ev));
        }
        for &f in &self.out.freed {
            self.accounts.credit(f);
        }
        for &(p, place, reason) in &self.out.dropped {
            self.accounts.drop(p, place, reason);
        }
        let Fabric { q, hosts, accounts, rx_memory, out, stations, .. } = self;
        let mut polls = false;
        for together in out.up.chunk_by_mut(|a, b| a.to == b.to) {
            let node = stations[usize::from(together[0].to.0)];
            let host = &mut hosts[usize::from(node.0)];
            // Whether there is room is asked once for what comes together: it came over a while, in which the CPU was at it.
            let (full, mut came) = (host.is_full(), None);
            for HandedUp { frame, packet: p, .. } in together {
                // What came over the air is a copy that nobody is charged for: it has the hash of its headers, by whichever way it left
                // the reorder buffer, and lies in the card's memory. A frame stands in the card's ring, what else it lets go up does
                // not, nor what a timer does.
                let ringed = u8::from(*frame != came && frame.is_some());
                (p.txhash, p.truesize, p.owner, p.ringed) = (0, *rx_memory, Owner::NONE, ringed);
                came = *frame;
                match (&mut host.napi, *frame) {
                    (_, Some(_)) if full => {
                        host.refuse(p);
                        accounts.drop(*p, Place::Host, Reason::Overlimit);
                    }
                    (Some(napi), Some(frame)) => {
                        napi.receive(frame, p);
                        polls = true;
                    }
                    _ => hand_up(now, node, host, p, q),
                }
            }
        }
        if polls {
            for together in out.up.chunk_by(|a, b| a.to == b.to) {
                let node = stations[usize::from(together[0].to.0)];
                poll(now, node, &mut hosts[usize::from(node.0)], q, accounts);
            }
        }
        out.clear();
    }

    /// What became of the TCP ACKs of a station.
    pub(super) fn acks(&self, node: NodeId) -> Option<AckOutcome> {
        let i = self.stations.iter().position(|s| *s == node).filter(|&i| i > 0)?;
        self.bss.as_ref()?.acks(StaIx(i as u8))
    }

    /// The books, with what the BSS made (cut behind a qdisc, or HACK's flushes) and what disciplines did (netem's duplicates), and without what was merged.
    pub(super) fn ledger(&self) -> Ledger {
        let mut l = self.accounts.ledger;
        l.made += self.bss.as_ref().map_or(0, |b| b.made());
        l.made += self.ports.iter().map(Port::made).sum::<u64>();
        l.made -= self.accounts.merged;
        l
    }

    /// Packets that are somewhere below the sockets.
    pub(super) fn held(&self) -> u64 {
        self.hosts.iter().map(|h| h.held() as u64).sum::<u64>()
            + self.ports.iter().map(Port::held).sum::<u64>()
            + self.bss.as_ref().map_or(0, |b| b.held())
            + self.far.as_ref().map_or(0, |f| f.held())
    }
}

/// The layer below the sockets of one node.
pub(super) struct Below<'a> {
    pub(super) fabric: &'a mut Fabric,
    pub(super) node: NodeId,
    weighs: Option<u32>,
    freed: u32,
}

impl<'a> Below<'a> {
    pub(super) fn new(fabric: &'a mut Fabric, node: NodeId) -> Below<'a> {
        Below { fabric, node, weighs: None, freed: 0 }
    }
}

impl Lower for Below<'_> {
    fn xmit(&mut self, now: Time, p: &Packet) -> Verdict {
        self.fabric.accounts.ledger.made += 1;
        let before = self.fabric.accounts.charges.len();
        let verdict = if self.fabric.far.is_some() && self.fabric.send_far(now, self.node, p) {
            Verdict::Ok
        } else {
            self.fabric.send(now, self.node, p)
        };
        let accounts = &mut self.fabric.accounts;
        if accounts.charges.len() > before {
            self.weighs = (p.segs > 1).then(|| accounts.cut_since(before, p)).flatten();
            self.freed = accounts.freed_since(before, p, verdict);
        }
        verdict
    }
    fn paced(&mut self, owner: Owner, dst: NodeId, rate: u64) {
        self.fabric.paced(self.node, dst, owner, rate);
    }
    fn weighs(&mut self) -> Option<u32> {
        self.weighs.take()
    }
    fn freed(&mut self) -> u32 {
        core::mem::take(&mut self.freed)
    }
}
