//! Two sockets over one ideal bottleneck, for tests, with a fault for every packet that a test wants to touch.
//!
//! The forward link is a FIFO of `limit` packets at the sender itself (its own queue: a refusal is `NET_XMIT_DROP`) served at `rate`, then
//! a fault (pass, drop, delay, duplicate, mark), then half the RTT. The way back has half the RTT and a fault of its own.

use crate::sim::{Auto, Blind, Ecn, EventQueue, FlowId, Lane, Lower, NodeId, Owner, Packet, Rate, Span, Time, Verdict};
use crate::tcp::*;
use std::collections::VecDeque;

/// What happens to a packet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Fault {
    Pass,
    Drop,
    Late(Span),
    Twice,
    Mark,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Serve,
    ToServer(Packet),
    ToClient(Packet),
    Tasklet,
    Wake,
}

/// What a test does to each packet, by time and number.
type Faults = Box<dyn FnMut(Time, u64, &Packet) -> Fault>;

/// The client's own queue and link.
pub(in crate::tcp) struct Link {
    pub(in crate::tcp) q: VecDeque<Packet>,
    pub(super) limit: usize,
    /// Truesize of what was refused in the last call.
    refused: u32,
    pub(super) sent: u64,
    /// Segments with payload that went in, by number: (seq, payload, retransmission).
    pub(in crate::tcp) log: Vec<(Time, u32, u32, bool)>,
}

impl Link {
    /// A queue that takes all and serves nothing.
    pub(in crate::tcp) fn idle() -> Link {
        Link { q: VecDeque::new(), limit: usize::MAX, refused: 0, sent: 0, log: Vec::new() }
    }
}

impl Lower for Link {
    fn xmit(&mut self, now: Time, p: &Packet) -> Verdict {
        let p = *p;
        if self.q.len() >= self.limit {
            self.refused += p.truesize;
            return Verdict::Drop;
        }
        if p.payload > 0 {
            self.log.push((now, p.seq, p.payload, p.retransmission));
        }
        self.sent += 1;
        self.q.push_back(p);
        Verdict::Ok
    }
    fn freed(&mut self) -> u32 {
        std::mem::take(&mut self.refused)
    }
}

/// The server's link: nothing stands in its way.
#[derive(Default)]
pub(super) struct Back(Vec<Packet>);
impl Lower for Back {
    fn xmit(&mut self, _: Time, p: &Packet) -> Verdict {
        self.0.push(*p);
        Verdict::Ok
    }
}

pub(super) struct Pair {
    pub(super) c: Socket,
    pub(super) s: Socket,
    pub(super) link: Link,
    pub(super) back: Back,
    pub(super) q: EventQueue<Event>,
    pub(super) rate: Rate,
    pub(super) half: Span,
    pub(super) busy: bool,
    pub(super) fwd: Faults,
    pub(super) rev: Faults,
    pub(super) n_fwd: u64,
    pub(super) n_rev: u64,
    pub(super) armed: Time,
    pub(super) acks: u64,
    pub(super) max_cwnd: u32,
}

pub(in crate::tcp) fn params(cc: Cc) -> Params {
    Params { cc, gso_max_segs: Auto::Set(1), ..Params::default() }
}

/// A sender of one kernel, of its own, not connected.
pub(in crate::tcp) fn sender(cc: Cc, profile: &'static Profile) -> Socket {
    Socket::client(&Config { profile, ..cfg(params(cc), true, 1) })
}

pub(in crate::tcp) fn cfg(p: Params, client: bool, start_seq: u32) -> Config {
    let (a, b) = (NodeId(0), NodeId(1));
    Config {
        flow: FlowId(0),
        local: if client { a } else { b },
        remote: if client { b } else { a },
        owner: if client { Owner(0) } else { Owner::NONE },
        params: p,
        cc: Tunables::default(),
        profile: Profile::named("6.12").unwrap(),
        hz: 1000,
        dscp: 0,
        mtu: 1500,
        tso: true,
        start_seq,
    }
}

impl Pair {
    pub(super) fn with(p: Params, rate: Rate, rtt: Span, limit: usize) -> Pair {
        Pair::new(cfg(p, true, 1_000), cfg(p, false, 5_000), rate, rtt, limit)
    }
    pub(super) fn new(c: Config, s: Config, rate: Rate, rtt: Span, limit: usize) -> Pair {
        let mut client = Socket::client(&c);
        client.host_tells();
        Pair {
            c: client,
            s: Socket::server(&s),
            link: Link { limit, ..Link::idle() },
            back: Back::default(),
            q: EventQueue::default(),
            rate,
            half: rtt / 2,
            busy: false,
            fwd: Box::new(|_, _, _| Fault::Pass),
            rev: Box::new(|_, _, _| Fault::Pass),
            n_fwd: 0,
            n_rev: 0,
            armed: Time::NEVER,
            acks: 0,
            max_cwnd: 0,
        }
    }
    pub(super) fn start(&mut self, bytes: Option<u64>) {
        self.c.set_bulk(bytes);
        self.c.connect(Time::ZERO, &mut self.link, &mut Blind);
        self.after();
    }
    fn free(&mut self, p: &Packet) {
        if p.owner != Owner::NONE && self.c.on_free_packet(&p.into()) {
            self.q.push(self.q.now(), Lane::Softirq, Event::Tasklet);
        }
    }
    /// What every event leaves behind.
    fn after(&mut self) {
        let now = self.q.now();
        if self.c.on_freed_within() {
            self.q.push(now, Lane::Softirq, Event::Tasklet);
        }
        if !self.busy && !self.link.q.is_empty() {
            self.busy = true;
            let len = u64::from(self.link.q[0].eth_len());
            self.q.push(now + self.rate.time_for(len), Lane::Completion, Event::Serve);
        }
        for p in std::mem::take(&mut self.back.0) {
            self.n_rev += 1;
            let f = (self.rev)(now, self.n_rev, &p);
            self.deliver(p, f, self.half, false);
        }
        let wake = self.c.wake_at().min(self.s.wake_at());
        if wake < self.armed {
            self.armed = wake;
            self.q.push(wake.max(now), Lane::Timer, Event::Wake);
        }
        self.c.check();
        self.s.check();
        self.max_cwnd = self.max_cwnd.max(self.c.cwnd());
    }
    fn deliver(&mut self, mut p: Packet, f: Fault, delay: Span, forward: bool) {
        p.owner = Owner::NONE;
        let ev = |p| if forward { Event::ToServer(p) } else { Event::ToClient(p) };
        let at = self.q.now() + delay;
        match f {
            Fault::Pass => self.q.push(at, Lane::Arrival, ev(p)),
            Fault::Drop => {}
            Fault::Late(d) => self.q.push(at + d, Lane::Arrival, ev(p)),
            Fault::Twice => {
                self.q.push(at, Lane::Arrival, ev(p));
                self.q.push(at, Lane::Arrival, ev(p));
            }
            Fault::Mark => {
                if p.ecn == Ecn::Ect0 {
                    p.ecn = Ecn::Ce;
                }
                self.q.push(at, Lane::Arrival, ev(p));
            }
        }
    }
    pub(super) fn until(&mut self, end: Time) {
        let (mut instant, mut events) = (Time::ZERO, 0);
        while let Some((now, e)) = self.q.pop_until(end) {
            events = if now == instant { events + 1 } else { 0 };
            instant = now;
            assert!(events < 100_000, "time stands still at {now:?}: {e:?}\n{:?}\n{:?}", self.c.timers, self.info());
            match e {
                Event::Serve => {
                    self.busy = false;
                    let p = self.link.q.pop_front().expect("it was being sent");
                    self.free(&p);
                    self.n_fwd += 1;
                    let f = (self.fwd)(now, self.n_fwd, &p);
                    self.deliver(p, f, self.half, true);
                }
                Event::ToServer(p) => self.s.on_packet(now, &p, &mut self.back, &mut Blind),
                Event::ToClient(p) => {
                    self.acks += 1;
                    self.c.on_packet(now, &p, &mut self.link, &mut Blind);
                }
                Event::Tasklet => self.c.on_tsq(now, &mut self.link, &mut Blind),
                Event::Wake => {
                    self.armed = Time::NEVER;
                    self.c.on_timer(now, &mut self.link, &mut Blind);
                    self.s.on_timer(now, &mut self.back, &mut Blind);
                }
            }
            self.after();
        }
    }
    pub(super) fn info(&self) -> Info {
        self.c.info(self.q.now())
    }
}

impl Socket {
    /// What must hold between any two events.
    pub(super) fn check(&self) {
        use crate::tcp::rtx::tag;
        let tp = &self.tp;
        let count = |t: u8| {
            let mut n = 0;
            let mut id = self.rtx.first();
            while id != self.rtx.end() {
                n += u32::from(self.rtx.get(id).has(t));
                id = id.wrapping_add(1);
            }
            n
        };
        assert_eq!(tp.packets_out, self.rtx.len());
        let (mut skbs, mut last, mut id) = (0, None, self.rtx.first());
        while id != self.rtx.end() {
            let skb = Some(self.rtx.get(id).skb);
            skbs += u32::from(skb != last);
            (last, id) = (skb, id.wrapping_add(1));
        }
        assert_eq!(skbs, self.app.sent_skbs(), "skbs on the retransmission queue");
        assert_eq!(tp.sacked_out, count(tag::SACKED), "sacked");
        assert_eq!(tp.lost_out, count(tag::LOST), "lost");
        assert!(tp.retrans_out >= count(tag::RETRANS), "retransmitted");
        assert!(tp.left_out() <= tp.packets_out);
        assert!(tp.snd_cwnd >= 1 && tp.snd_ssthresh >= 2);
        assert!(!crate::tcp::seq::after(tp.snd_una, tp.snd_nxt) && !crate::tcp::seq::after(tp.snd_nxt, tp.write_seq));
        if tp.packets_out > 0 && self.state != State::SynSent {
            assert!(!self.wake_at().is_never(), "something is out and no timer runs");
        }
    }
}
