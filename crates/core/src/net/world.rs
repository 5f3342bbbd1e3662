//! The world: takes the next event, calls the stage it is for, and puts what comes of it back into the queue.

use super::accounts::Charge;
use super::census::{Census, Conversation};
use super::ends::{Ends, Sock};
use super::event::Event;
use super::fabric::{Below, Fabric};
use super::observe::{Observer, Remains};
use super::outcome::Outcome;
use super::programs::Programs;
use crate::sim::{Auto, Blind, Due, Kind, Lane, NodeId, Owner, Packet, Place, Probe, Reason, Span, Time};
use crate::tcp::Socket;
use crate::traffic::{Answers, Echo, Flood, IcmpSocket};
use crate::wifi::Encryption;

/// A run: everything there is, and the time. `T` is told of all that happens.
pub struct World<T = Blind> {
    pub(super) fabric: Fabric,
    pub(super) socks: Vec<Sock>,
    pub(super) floods: Vec<Flood>,
    pub(super) echoes: Vec<Echo>,
    /// By node.
    pub(super) icmp: Vec<IcmpSocket>,
    /// By flow number.
    pub(super) flows: Vec<Ends>,
    pub(super) observer: Observer<T>,
    pub(super) plan: Timetable,
    pub(super) events: u64,
    pub(super) charges: Vec<(Owner, Charge)>,
    /// Programs read when their host has processed what it received; `auto`: where that takes no time.
    pub(super) softirq_first: Auto<bool>,
    /// How long a blocked program takes to run once it is woken.
    pub(super) wake: Span,
    /// By node: who of a host's programs runs, where packets take that no time.
    pub(super) programs: Vec<Programs>,
    /// What protects data frames on the air, if there is one.
    pub(super) encryption: Encryption,
}

/// When things happen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timetable {
    pub(super) flows_end: Time,
    pub(super) end: Time,
    pub(super) sample: Span,
}

impl<T: Probe> World<T> {
    /// Runs to the end and tells what was seen.
    pub fn run(self) -> Outcome {
        self.run_tapped().0
    }

    /// Runs to the end; gives the tap back.
    pub fn run_tapped(mut self) -> (Outcome, T) {
        self.run_until(Time::NEVER);
        self.close()
    }

    /// Runs the events up to `until`, or to the scenario's end if that comes first.
    pub fn run_until(&mut self, until: Time) {
        let until = until.min(self.plan.end);
        self.advance(until);
        if !until.is_never() {
            self.fabric.catch_up(until);
        }
    }

    /// The same, and no more: what is caught up with when somebody looks, is not. In as many steps as one likes, it is the same run.
    pub fn advance(&mut self, until: Time) {
        let until = until.min(self.plan.end);
        while let Some((now, event)) = self.fabric.q.pop_until(until) {
            if let Some((at, node)) = self.on(now, event, until) {
                self.on_host_rx(at, node, until);
            }
        }
    }

    /// Who is told of all that happens.
    pub fn tap(&mut self) -> &mut T {
        &mut self.observer.tap
    }

    /// Packets made so far.
    pub fn packets_made(&self) -> u64 {
        self.fabric.ledger().made
    }

    /// What was seen so far.
    pub fn finish(self) -> Outcome {
        self.close().0
    }

    fn close(self) -> (Outcome, T) {
        self.observer.outcome(Remains {
            simulated: self.plan.end - Time::ZERO,
            events: self.events,
            fabric: &self.fabric,
            socks: &self.socks,
            echoes: self.echoes,
            floods: &self.floods,
        })
    }

    /// When it ends.
    pub const fn end(&self) -> Time {
        self.plan.end
    }

    /// The window of judgement.
    pub fn window(&self) -> (Time, Time) {
        self.observer.judged()
    }
    /// Who is there.
    pub fn census(&self) -> Census {
        let conversation = |e: &Ends| match *e {
            Ends::Tcp { client, server, .. } => {
                let (c, s) = (&self.socks[usize::from(client)], &self.socks[usize::from(server)]);
                Conversation::Tcp {
                    client: c.node,
                    server: s.node,
                    client_scale: c.socket.scale_to_come(),
                    server_scale: s.socket.scale_to_come(),
                }
            }
            Ends::Udp(_) => Conversation::Udp,
            Ends::Echo(i) => match self.echoes[usize::from(i)].answers() {
                Answers::Kernel(_) => Conversation::Ping,
                Answers::Program(_) => Conversation::UdpEcho,
            },
        };
        Census {
            parties: self.observer.parties(),
            conversations: self.flows.iter().map(conversation).collect(),
            encryption: self.encryption,
        }
    }

    /// Packets made but neither delivered, dropped nor held anywhere: 0 in a world that loses nothing.
    pub fn unaccounted(&self) -> i64 {
        let l = self.fabric.ledger();
        l.made as i64 - l.delivered as i64 - l.drops() as i64 - self.fabric.held() as i64
    }

    /// Something happens. Which host is done with a packet next and when, if that is what happens now or right after.
    // One place calls it: what an event is, and what becomes of it, is one jump.
    #[inline(always)]
    fn on(&mut self, now: Time, event: Event, until: Time) -> Option<(Time, NodeId)> {
        match event {
            Event::HostRx(node) => return Some((now, node)),
            Event::HostPoll(node) => {
                let first = self.fabric.on_poll(now, node);
                self.over(now);
                return self.next_rx(first?, node, until).map(|at| (at, node));
            }
            Event::HostAgain(node) => self.fabric.on_again(now, node),
            Event::Far(flow) => self.fabric.on_far(now, flow),
            Event::PortArrive(i) => self.fabric.on_port_arrive(now, i),
            Event::PortDone(i) => {
                let (port, mut ctx) = self.fabric.port(i);
                port.on_done(now, &mut ctx);
            }
            Event::PortWake(i) => {
                let (port, mut ctx) = self.fabric.port(i);
                port.on_wake(now, &mut ctx);
            }
            Event::SockTimer(i) => {
                let s = &mut self.socks[usize::from(i)];
                if s.wake == now {
                    s.wake = Time::NEVER;
                    if !s.owned.is_owned() {
                        if s.socket.wake_at() <= now {
                            let mut below = Below::new(&mut self.fabric, s.node);
                            s.socket.on_timer(now, &mut below, &mut self.observer);
                        }
                        self.arm(i);
                    }
                }
            }
            Event::SockTsq(i) => {
                let s = &mut self.socks[usize::from(i)];
                if s.owned.is_owned() {
                    s.socket.on_tsq_owned(now);
                } else {
                    self.call(i, |s, low, probe| s.on_tsq(now, low, probe));
                }
            }
            Event::SockRead(i) => {
                let node = self.socks[usize::from(i)].node;
                if self.in_no_time(node) { self.wake_program(now, node, event) } else { self.read(now, i) }
            }
            Event::SockWrite(i) => self.wake_program(now, self.socks[usize::from(i)].node, event),
            Event::Program(node) => self.on_program(now, node),
            Event::Bss(ev) => self.fabric.on_bss(now, ev, &mut self.observer),
            Event::FlowStart(i) => match self.flows[usize::from(i)].client() {
                Some(client) if self.in_no_time(self.socks[usize::from(client)].node) => {
                    self.wake_program(now, self.socks[usize::from(client)].node, event);
                }
                _ => self.start_flow(now, i),
            },
            Event::FlowsEnd => self.end_flows(now),
            Event::Window => self.observer.window(now, &self.socks, &self.floods),
            Event::Echo(i) => self.on_echo(now, i),
            Event::EchoAnswer(i) => self.on_answering(now, i),
            Event::Flood(i) => self.flood(now, i),
            Event::Sample => {
                self.fabric.catch_up(now);
                self.observer.sample(now, &self.socks, &mut self.floods, &self.fabric);
                self.fabric.q.push(now + self.plan.sample, Lane::Sample, Event::Sample);
            }
        }
        self.over(now);
        None
    }

    /// An event is over.
    #[inline(always)]
    fn over(&mut self, now: Time) {
        self.events += 1;
        if !self.fabric.accounts.charges.is_empty() {
            self.settle(now);
        }
    }

    /// Calls a socket and sets its timer anew.
    pub(super) fn call(&mut self, i: u16, f: impl FnOnce(&mut Socket, &mut Below, &mut Observer<T>)) {
        let s = &mut self.socks[usize::from(i)];
        let mut below = Below::new(&mut self.fabric, s.node);
        f(&mut s.socket, &mut below, &mut self.observer);
        self.arm(i);
    }

    /// After a call: whatever the socket asks for gets its event.
    #[inline]
    pub(super) fn arm(&mut self, i: u16) {
        if self.socks[usize::from(i)].asks() {
            self.arm_anew(i);
        }
    }
    #[inline(never)] // most calls leave the timer where it is, or move it later
    fn arm_anew(&mut self, i: u16) {
        let s = &mut self.socks[usize::from(i)];
        if s.socket.writer_wakes() && !s.writes {
            s.writes = true;
            self.fabric.q.push(self.fabric.q.now(), Lane::App, Event::SockWrite(i));
        }
        if let Some(rate) = s.socket.rate_for_fq() {
            self.fabric.paced(s.node, s.socket.remote(), Owner(i), rate);
        }
        let at = s.socket.wake_at();
        if at < s.wake {
            // Timers that move later are not rescheduled: the old event finds nothing due and sets the new one.
            s.wake = at.max(self.fabric.q.now());
            let lane = if s.socket.counts_jiffies(at) { Lane::Jiffies } else { Lane::Timer };
            self.fabric.q.push(s.wake, lane, Event::SockTimer(i));
        }
    }

    /// Hands freed memory back to sockets, floods and the kernels' ICMP sockets, whose owners are numbered in this order; whoever TSQ held
    /// back runs in an event of its own.
    #[inline(never)] // most events free nothing
    fn settle(&mut self, now: Time) {
        core::mem::swap(&mut self.charges, &mut self.fabric.accounts.charges);
        let (n_socks, n_floods) = (self.socks.len() as u16, self.floods.len() as u16);
        for i in 0..self.charges.len() {
            let (owner, charge) = self.charges[i];
            match (charge, owner.0.checked_sub(n_socks)) {
                (charge, None) => {
                    let socket = &mut self.socks[usize::from(owner.0)].socket;
                    let woken = match charge {
                        Charge::Freed(f) => socket.on_free_packet(&f),
                        Charge::Returned(f) => socket.on_free(f.truesize),
                        Charge::Within => socket.on_freed_within(),
                        Charge::Left(f) => {
                            socket.on_left(&f);
                            socket.on_freed_within()
                        }
                        Charge::Cut(f) => {
                            socket.on_gso(&f);
                            false
                        }
                    };
                    if woken {
                        self.fabric.q.push(now, Lane::Tasklet, Event::SockTsq(owner.0));
                    }
                }
                (Charge::Left(_) | Charge::Within, Some(_)) => {}
                (Charge::Freed(f) | Charge::Returned(f), Some(i)) if i >= n_floods => {
                    self.icmp[usize::from(i - n_floods)].on_free(f.truesize);
                }
                (Charge::Freed(f) | Charge::Returned(f), Some(i)) => {
                    if self.floods[usize::from(i)].on_free(f.truesize) {
                        self.fabric.q.push(now, Lane::App, Event::Flood(i));
                    }
                }
                (Charge::Cut(_), Some(_)) => unreachable!("datagrams are not cut"),
            }
        }
        self.charges.clear();
    }

    pub(super) fn originate(&mut self, now: Time, node: NodeId, p: Packet) {
        self.fabric.accounts.ledger.made += 1;
        self.fabric.send(now, node, &p);
    }

    /// A host is done with a packet, and with what waits behind it as long as nothing else happens meanwhile: each is an event, though not
    /// each goes through the queue.
    fn on_host_rx(&mut self, mut now: Time, node: NodeId, until: Time) {
        loop {
            let next = self.receive(now, node);
            self.over(now);
            match next.and_then(|due| self.next_rx(due, node, until)) {
                Some(at) => now = at,
                None => return,
            }
        }
    }

    /// It will be done with a packet: at that time, if that is what happens next. Else it is put into the queue.
    #[inline]
    fn next_rx(&mut self, due: Due, node: NodeId, until: Time) -> Option<Time> {
        if self.fabric.q.comes_next(due, until) {
            return Some(due.at());
        }
        self.fabric.q.push_due(due, Event::HostRx(node));
        None
    }

    /// A host is done with a packet. When it is the next one's turn.
    #[inline(always)]
    fn receive(&mut self, now: Time, node: NodeId) -> Option<Due> {
        let host = self.fabric.host(now, node);
        let mut p = *host.done();
        let next = host.taken().map(|at| self.fabric.q.due(at, Lane::Softirq));
        // src: linux@6.12 net/ipv4/ip_input.c ip_rcv_core: skb_orphan
        self.fabric.accounts.credit(&p);
        p.owner = Owner::NONE;
        let tao = self.fabric.tao && p.dst == node;
        if tao {
            self.fabric.taking(now, node, &p, false);
        }
        (p.ends_ampdu, p.ringed) = (false, 0); // it may come to other hosts
        if p.dst == node {
            self.deliver(now, node, &p);
        } else {
            self.fabric.send(now, node, &p);
        }
        if tao {
            self.fabric.taking(now, node, &p, true);
        }
        next
    }

    /// The program that reads from socket `i` runs, unless it shares its host's CPU with what that has still to process.
    pub(super) fn read(&mut self, now: Time, i: u16) {
        let node = self.socks[usize::from(i)].node;
        if let Some(at) = self.behind_softirq(now, node) {
            return self.fabric.q.push(at, Lane::App, Event::SockRead(i));
        }
        self.socks[usize::from(i)].reads = false;
        self.call(i, |s, low, _| s.on_reader(now, low));
    }

    pub(super) fn deliver(&mut self, now: Time, node: NodeId, p: &Packet) {
        let ends = self.flows.get(usize::from(p.flow.0)).copied();
        match (p.kind, ends) {
            (Kind::Tcp, Some(Ends::Tcp { client, server, .. })) => {
                let i = if self.socks[usize::from(client)].node == node { client } else { server };
                self.fabric.accounts.ledger.delivered += 1;
                self.observer.delivered(now, node, p);
                let s = &mut self.socks[usize::from(i)];
                if s.owned.is_owned() {
                    s.owned.backlog.add(p, &s.socket);
                    return;
                }
                let (at_once, in_no_time) = (self.wake == Span::ZERO, self.in_no_time(node));
                let mut reader = false;
                // TAO looks when the softirq is through with a packet, and its reader runs after that.
                if at_once && !self.softirq_first.or(in_no_time || self.fabric.tao) {
                    self.call(i, |s, low, probe| s.on_packet(now, p, low, probe));
                } else {
                    self.call(i, |s, low, probe| reader = s.on_packet_unread(now, p, low, probe));
                }
                let s = &mut self.socks[usize::from(i)];
                if (reader || s.socket.reader_begins()) && !s.reads {
                    s.reads = true;
                    let woken = self.until_woken(node);
                    self.fabric.q.push(now + woken, Lane::App, Event::SockRead(i));
                }
            }
            (Kind::Udp, Some(Ends::Udp(i))) => {
                self.fabric.accounts.ledger.delivered += 1;
                self.observer.delivered(now, node, p);
                self.floods[usize::from(i)].arrived(now, p);
            }
            (Kind::EchoRequest, Some(Ends::Echo(i))) => self.on_echo_request(now, node, p, i),
            (Kind::EchoReply, Some(Ends::Echo(i))) => self.on_echo_reply(now, node, p, i),
            _ => {
                use crate::sim::Bin;
                self.fabric.accounts.drop(*p, Place::Socket, Reason::NoSocket);
            }
        }
    }

    pub(super) fn start_flow(&mut self, now: Time, i: u16) {
        match self.flows[usize::from(i)] {
            Ends::Tcp { client, sender, .. } => {
                self.socks[usize::from(sender)].socket.set_bulk(None);
                self.call(client, |s, low, probe| s.connect(now, low, probe));
            }
            Ends::Udp(f) => self.flood(now, f),
            Ends::Echo(_) => unreachable!("echoes start by themselves"),
        }
    }

    fn flood(&mut self, now: Time, i: u16) {
        if now >= self.plan.flows_end {
            return;
        }
        let flood = &mut self.floods[usize::from(i)];
        let node = flood.from();
        if let Some((p, next)) = flood.next(now) {
            self.fabric.q.push(next, Lane::App, Event::Flood(i));
            self.originate(now, node, p);
        }
    }

    fn end_flows(&mut self, now: Time) {
        for i in 0..self.flows.len() {
            if let Ends::Tcp { sender, .. } = self.flows[i] {
                self.call(sender, |s, low, probe| {
                    s.stop_bulk();
                    s.on_timer(now, low, probe);
                });
            }
        }
    }
}
