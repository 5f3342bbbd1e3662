//! End to end, for tests: two sockets over one ideal bottleneck, with a fault for every packet that a test wants to touch.
//!
//! The forward link is a FIFO of `limit` packets at the sender itself (its own queue: a refusal is `NET_XMIT_DROP`) served at `rate`, then
//! a fault (pass, drop, delay, duplicate, mark), then half the RTT. The way back has half the RTT and a fault of its own.

use super::*;
use crate::sim::{
    Blind, Ecn, EventQueue, FlowId, Kind, Lane, Lower, NodeId, Owner, Packet, Rate, Span, Time, Verdict, flags,
};
use proptest::prelude::*;
use std::collections::{BTreeSet, VecDeque};

/// What happens to a packet.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    Pass,
    Drop,
    Late(Span),
    Twice,
    Mark,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Serve,
    ToServer(Packet),
    ToClient(Packet),
    Tasklet,
    Wake,
}

/// The client's own queue and link.
struct Link {
    q: VecDeque<Packet>,
    limit: usize,
    refused: Vec<Packet>,
    sent: u64,
    /// Segments with payload that went in, by number: (seq, payload, retransmission).
    log: Vec<(Time, u32, u32, bool)>,
}

impl Lower for Link {
    fn xmit(&mut self, now: Time, p: Packet) -> Verdict {
        if self.q.len() >= self.limit {
            self.refused.push(p);
            return Verdict::Drop;
        }
        if p.payload > 0 {
            self.log.push((now, p.seq, p.payload, p.retransmission));
        }
        self.sent += 1;
        self.q.push_back(p);
        Verdict::Ok
    }
}

/// The server's link: nothing stands in its way.
#[derive(Default)]
struct Back(Vec<Packet>);
impl Lower for Back {
    fn xmit(&mut self, _: Time, p: Packet) -> Verdict {
        self.0.push(p);
        Verdict::Ok
    }
}

struct Pair {
    c: Socket,
    s: Socket,
    link: Link,
    back: Back,
    q: EventQueue<Event>,
    rate: Rate,
    half: Span,
    busy: bool,
    fwd: Box<dyn FnMut(Time, u64, &Packet) -> Fault>,
    rev: Box<dyn FnMut(Time, u64, &Packet) -> Fault>,
    n_fwd: u64,
    n_rev: u64,
    armed: Time,
    acks: u64,
    max_cwnd: u32,
}

fn params(cc: Cc) -> Params {
    Params { cc, gso_max_segs: Auto::Set(1), ..Params::default() }
}

fn cfg(p: Params, client: bool, start_seq: u32) -> Config {
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
    fn with(p: Params, rate: Rate, rtt: Span, limit: usize) -> Pair {
        Pair::new(cfg(p, true, 1_000), cfg(p, false, 5_000), rate, rtt, limit)
    }
    fn new(c: Config, s: Config, rate: Rate, rtt: Span, limit: usize) -> Pair {
        Pair {
            c: Socket::client(&c),
            s: Socket::server(&s),
            link: Link { q: VecDeque::new(), limit, refused: Vec::new(), sent: 0, log: Vec::new() },
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
    fn start(&mut self, bytes: Option<u64>) {
        self.c.set_bulk(bytes);
        self.c.connect(Time::ZERO, &mut self.link, &mut Blind);
        self.after();
    }
    fn free(&mut self, p: &Packet) {
        if p.owner != Owner::NONE && self.c.on_free_packet(self.q.now(), p) {
            self.q.push(self.q.now(), Lane::Softirq, Event::Tasklet);
        }
    }
    /// What every event leaves behind.
    fn after(&mut self) {
        let now = self.q.now();
        for p in std::mem::take(&mut self.link.refused) {
            self.free(&p);
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
    fn until(&mut self, end: Time) {
        while let Some((now, e)) = self.q.pop_until(end) {
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
    fn info(&self) -> Info {
        self.c.info(self.q.now())
    }
}

const R100: Rate = Rate::from_mbit(100);

#[test]
fn a_transfer_ends_with_every_byte_there_and_nothing_charged() {
    let mut p = Pair::with(params(Cc::Cubic), R100, Span::from_ms(10), 1000);
    p.start(Some(3_000_001));
    p.until(Time::from_s(5));
    assert_eq!(p.s.info(Time::ZERO).bytes_received, 3_000_001);
    assert_eq!((p.c.state(), p.s.state()), (State::FinWait2, State::CloseWait));
    assert_eq!((p.info().wmem_alloc, p.info().unacked, p.info().retransmits), (0, 0, 0));
    assert!(p.c.wake_at().is_never() && p.s.wake_at().is_never(), "no timer is left");
}

#[test]
fn a_lone_loss_costs_one_retransmission_and_half_the_window() {
    let mut p = Pair::with(params(Cc::Reno), R100, Span::from_ms(20), 10_000);
    let mut cwnd = 0;
    p.fwd = Box::new(|_, n, _| if n == 700 { Fault::Drop } else { Fault::Pass });
    p.start(None);
    while p.c.info(Time::ZERO).ca_state == CaState::Open && p.q.now() < Time::from_s(1) {
        cwnd = p.c.cwnd();
        p.until(p.q.peek().unwrap());
    }
    assert_eq!(p.c.info(Time::ZERO).ca_state, CaState::Disorder, "the first SACK");
    p.until(Time::from_s(2));
    let i = p.info();
    assert_eq!((i.retransmits, i.rtos, p.c.stats().recoveries), (1, 0, 1));
    assert!(i.snd_ssthresh.unwrap().abs_diff(cwnd / 2) <= 2, "{:?} of {cwnd}", i.snd_ssthresh);
    assert_eq!(i.ca_state, CaState::Open);
}

#[test]
fn a_lost_tail_is_probed_and_needs_no_timeout() {
    // The last 3 segments of 20 are lost: the probe is the last one; its SACK shows the other two.
    let mut p = Pair::with(params(Cc::Reno), R100, Span::from_ms(20), 1000);
    let mut seen = BTreeSet::new();
    p.fwd = Box::new(move |_, _, p: &Packet| {
        let first = p.payload > 0 && seen.insert(p.seq);
        if first && p.seq.wrapping_sub(1_001) >= 17 * 1448 { Fault::Drop } else { Fault::Pass }
    });
    p.start(Some(20 * 1448));
    p.until(Time::from_ms(600));
    assert_eq!(p.s.info(Time::ZERO).bytes_received, 20 * 1448);
    assert_eq!((p.info().rtos, p.c.stats().probes), (0, 1));
    assert_eq!(p.info().retransmits, 3);
}

#[test]
fn a_blackout_backs_off_and_recovers() {
    let mut p = Pair::with(params(Cc::Reno), R100, Span::from_ms(20), 1000);
    p.fwd = Box::new(
        |now, _, _| {
            if now > Time::from_ms(500) && now < Time::from_ms(2_500) { Fault::Drop } else { Fault::Pass }
        },
    );
    p.start(None);
    p.until(Time::from_ms(2_500));
    // RTO at least 200 ms: 0.2, 0.4, 0.8 s later; the fourth would come at 3.0 s.
    assert!((3..=4).contains(&p.info().rtos), "{}", p.info().rtos);
    let before = p.info().bytes_acked;
    p.until(Time::from_s(6));
    assert!(p.info().bytes_acked > before + 10_000_000, "{} {before}", p.info().bytes_acked);
    assert_eq!(p.info().ca_state, CaState::Open);
}

#[test]
fn a_delay_spike_is_not_a_loss() {
    // Everything is 600 ms late for a while, in order: the timeout is spurious and undone.
    let mut p = Pair::with(params(Cc::Reno), Rate::from_mbit(20), Span::from_ms(20), 60);
    p.fwd = Box::new(|now, _, _| {
        let (from, to) = (Time::from_ms(1_000), Time::from_ms(1_600));
        if now >= from && now < to { Fault::Late(to - now) } else { Fault::Pass }
    });
    p.start(None);
    p.until(Time::from_ms(999));
    let cwnd = p.c.cwnd();
    p.until(Time::from_ms(1_600));
    assert_eq!(p.info().ca_state, CaState::Loss);
    assert!(p.c.cwnd() <= 2, "{}", p.c.cwnd());
    p.until(Time::from_ms(1_700));
    assert!(p.c.stats().undos >= 1);
    assert!(p.c.cwnd() + 1 >= cwnd, "{} < {cwnd}", p.c.cwnd());
}

#[test]
fn reordering_beyond_the_threshold_is_undone_by_dsack() {
    // One segment overtaken by 20 others: it is retransmitted in vain; timestamps or DSACK prove it.
    let mut p = Pair::with(params(Cc::Reno), R100, Span::from_ms(20), 60);
    p.fwd = Box::new(|now, n, p: &Packet| {
        let hit = n == 3_000 && now > Time::ZERO && !p.retransmission;
        if hit { Fault::Late(Span::from_ms(3)) } else { Fault::Pass }
    });
    p.start(None);
    let mut before = 0;
    while p.n_fwd < 2_990 {
        before = p.c.cwnd();
        p.until(p.q.peek().unwrap());
    }
    let at = p.q.now();
    p.until(at + Span::from_ms(100));
    let st = p.c.stats();
    assert!(st.recoveries >= 1 && st.undos >= 1, "{st:?}");
    assert_eq!(p.info().rtos, 0);
    assert!(p.c.cwnd() >= before, "{} < {before}", p.c.cwnd());
    assert!(p.c.tp.reordering > 3 || p.c.rack.reord_seen > 0);
}

#[test]
fn a_drop_by_the_own_queue_is_not_a_loss() {
    let p0 = Params { tsq: Tsq::Off, ..params(Cc::Reno) };
    let mut p = Pair::with(p0, Rate::from_mbit(50), Span::from_ms(10), 100);
    p.start(None);
    p.until(Time::from_s(10));
    let st = p.c.stats();
    assert!(st.own_drops > 1, "{st:?}");
    assert_eq!((st.retransmits, st.recoveries, st.rtos), (0, 0, 0));
    assert!(p.info().snd_ssthresh.is_some());
    // 50 Mbit/s of frames of 1514 bytes carry 47.82 Mbit/s of payload; slow start takes its share.
    let goodput = p.info().bytes_acked as f64 * 8.0 / 10e6;
    assert!(goodput > 47.0, "{goodput}");
}

#[test]
fn marks_shrink_the_window_without_a_retransmission() {
    let p0 = Params { ecn: true, ..params(Cc::Reno) };
    let mut p = Pair::with(p0, R100, Span::from_ms(20), 10_000);
    p.fwd = Box::new(|_, n, _| if n % 2_000 == 0 { Fault::Mark } else { Fault::Pass });
    p.start(None);
    p.until(Time::from_s(3));
    assert!(p.info().snd_ssthresh.is_some());
    assert_eq!(p.info().retransmits, 0);
    assert!(p.link.q.iter().all(|p| p.payload == 0 || p.ecn == Ecn::Ect0));
}

#[test]
fn a_lost_syn_and_a_lost_syn_ack_only_take_time() {
    let mut p = Pair::with(params(Cc::Cubic), R100, Span::from_ms(20), 1000);
    p.fwd = Box::new(|_, n, _| if n == 1 { Fault::Drop } else { Fault::Pass });
    p.rev = Box::new(|_, n, _| if n == 1 { Fault::Drop } else { Fault::Pass });
    p.start(Some(100_000));
    p.until(Time::from_s(10));
    assert_eq!(p.s.info(Time::ZERO).bytes_received, 100_000);
}

#[test]
fn a_first_small_segment_is_acknowledged_at_once() {
    let mut p = Pair::with(params(Cc::Reno), R100, Span::from_ms(20), 1000);
    p.start(Some(1));
    p.until(Time::from_ms(45));
    // In quick-ack mode at the start: at once.
    assert_eq!(p.info().unacked, 0, "{:?}", p.info());
}

#[test]
fn the_window_grows_with_the_path() {
    // 100 Mbit/s and 100 ms need 1.2 MB of window; the receiver starts with 64 kB.
    let mut p = Pair::with(params(Cc::Cubic), R100, Span::from_ms(100), 2_000);
    p.start(None);
    p.until(Time::from_s(20));
    let goodput = p.info().bytes_acked as f64 * 8.0 / 20e6;
    assert!(goodput > 80.0, "{goodput}");
    assert!(p.info().snd_wnd > 1_300_000);
}

#[test]
fn tsq_holds_no_more_than_its_limit() {
    for (mode, most) in [(Tsq::Packets, 4), (Tsq::Bytes, 10)] {
        let p0 =
            Params { tsq: mode, tsq_pkts: 4, tsq_bytes: Some(crate::sim::Bytes::new(10 * 2408)), ..params(Cc::Reno) };
        let mut p = Pair::with(p0, Rate::from_mbit(20), Span::from_ms(40), 1000);
        p.start(None);
        let mut seen = 0;
        while p.q.now() < Time::from_s(3) {
            p.until(p.q.peek().unwrap());
            if p.q.now() > Time::from_ms(500) {
                seen = seen.max(p.link.q.len());
            }
        }
        assert_eq!(seen, most, "{mode:?}");
    }
}

#[test]
fn cotsq_holds_milliseconds_of_the_rate() {
    // At 20 Mbit/s in slow start's freeze the pacing rate is a multiple of the real one; the limit follows Equation 1 to the byte.
    let p0 = Params { tsq: Tsq::Cotsq, tsq_ms: 6, ..params(Cc::Reno) };
    let mut p = Pair::with(p0, Rate::from_mbit(20), Span::from_ms(10), 10_000);
    p.start(None);
    p.until(Time::from_s(4));
    let i = p.info();
    let limit = i.pacing_rate.unwrap().bps() / 8 * 6 / 1000;
    assert!(u64::from(i.wmem_alloc) <= limit + 2408, "{} > {limit}", i.wmem_alloc);
    assert!(u64::from(i.wmem_alloc) + 3 * 2408 >= limit, "{} < {limit}", i.wmem_alloc);
}

#[test]
fn pacing_is_enforced_only_where_asked() {
    let gaps = |enforce| {
        // Without TSQ: at these rates its two skbs would hold the bursts back as well.
        let p0 = Params { enforce_pacing: enforce, tsq: Tsq::Off, ..params(Cc::Reno) };
        let mut p = Pair::with(p0, Rate::from_mbit(1000), Span::from_ms(20), 10_000);
        p.start(None);
        p.until(Time::from_ms(75));
        // Data sent in the same instant as the one before.
        p.link.log.windows(2).filter(|w| w[0].0 == w[1].0).count()
    };
    assert!(gaps(false) > 30);
    assert!(gaps(true) < 15, "the first ten leave unpaced: {}", gaps(true));
}

#[test]
fn gso_builds_super_packets_and_one_segment_stops_it() {
    for (segs, many) in [(Auto::Auto, true), (Auto::Set(1), false)] {
        let p0 = Params { gso_max_segs: segs, ..params(Cc::Cubic) };
        let mut p = Pair::with(p0, Rate::from_mbit(1000), Span::from_ms(1), 10_000);
        p.start(Some(20_000_000));
        p.until(Time::from_s(2));
        let most = p.link.log.iter().map(|l| l.2).max().unwrap();
        assert_eq!(most > 1448, many, "{most}");
        assert_eq!(p.s.info(Time::ZERO).bytes_received, 20_000_000);
    }
}

#[test]
fn an_idle_window_decays() {
    let mut p = Pair::with(params(Cc::Reno), R100, Span::from_ms(20), 1000);
    p.start(Some(2_000_000));
    p.until(Time::from_s(3));
    let cwnd = p.c.cwnd();
    assert!(cwnd > 100);
    p.c.tp.clock.set(Time::from_s(5));
    p.c.restart_after_idle();
    assert_eq!(p.c.cwnd(), 10);
    assert!(p.c.tp.snd_ssthresh >= cwnd * 3 / 4, "the path is remembered");
}

fn random_fault(x: u32, per_mille: u32) -> Fault {
    let hit = x % 1000;
    match x >> 16 & 7 {
        _ if hit >= per_mille => Fault::Pass,
        0..=3 => Fault::Drop,
        4 | 5 => Fault::Late(Span::from_us(i64::from(x >> 20 & 0xfff) * 3)),
        6 => Fault::Twice,
        _ => Fault::Mark,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The battery: whatever the network does, every control delivers every byte once and in order, its counts agree with the marks, and its
    /// window never closes.
    #[test]
    fn every_control_survives_every_network(
        cc in 0..Cc::ALL.len(),
        seed in any::<u64>(),
        start in any::<u32>(),
        per_mille in 0u32..60,
        limit in 5usize..400,
        rtt_ms in 1i64..60,
        profile in 0..Profile::ALL.len(),
        gso in any::<bool>(),
        ecn in any::<bool>(),
        paced in any::<bool>(),
        hz in prop::sample::select(vec![100u32, 250, 300, 1000]),
    ) {
        let auto = if gso { Auto::Auto } else { Auto::Set(1) };
        let p0 = Params { cc: Cc::ALL[cc], gso_max_segs: auto, ecn, enforce_pacing: paced, ..Params::default() };
        let tune = |client| Config { profile: Profile::ALL[profile], hz, ..cfg(p0, client, start) };
        let mut p = Pair::new(tune(true), tune(false), Rate::from_mbit(30), Span::from_ms(rtt_ms), limit);
        let mut a = crate::sim::Streams::new(seed).get("net", "forward");
        let mut b = crate::sim::Streams::new(seed).get("net", "back");
        p.fwd = Box::new(move |_, _, _| random_fault(a.bits() as u32, per_mille));
        p.rev = Box::new(move |_, _, _| random_fault(b.bits() as u32, per_mille));
        p.start(Some(700_000));
        p.until(Time::from_s(300));
        prop_assert_eq!(p.s.info(Time::ZERO).bytes_received, 700_000, "{:?} {:?}", p.info(), p.c.stats());
        prop_assert_eq!(p.info().wmem_alloc, 0);
        prop_assert_eq!(p.info().unacked, 0);
        prop_assert!(p.max_cwnd < 100_000);
    }

    /// The scoreboard against a plain set: whatever blocks come, in whatever order, the SACKed segments are those that some block covered.
    #[test]
    fn the_scoreboard_agrees_with_a_plain_set(
        start in any::<u32>(),
        acks in prop::collection::vec((0u32..20, prop::collection::vec((0u32..40, 1u32..8), 0..4)), 1..40),
    ) {
        let p0 = Params { init_cwnd: 40, tsq: Tsq::Off, reordering: 300, ..params(Cc::Reno) };
        let mut p = Pair::new(cfg(p0, true, start), cfg(p0, false, 0), R100, Span::from_ms(20), 1000);
        p.rev = Box::new(|_, n, _| if n == 1 { Fault::Pass } else { Fault::Drop });
        p.start(Some(40 * 1448));
        p.until(Time::from_ms(40));
        let first = start.wrapping_add(1);
        // The last one ends with FIN.
        let at = |i: u32| first.wrapping_add(i * 1448 + i / 40);
        let mut una = 0u32;
        let mut sacked = BTreeSet::new();
        for (ms, (step, blocks)) in acks.into_iter().enumerate() {
            let mut a = Packet::blank(Kind::Tcp, FlowId(0), NodeId(1), NodeId(0));
            una = (una + step / 10).min(39);
            (a.seq, a.ack, a.wnd, a.flags) = (p.c.rcv.rcv_nxt, at(una), 100_000_000, flags::ACK);
            a.tsval = p.c.rcv.ts_recent;
            a.tsecr = p.c.tp.clock.now_ts();
            for (i, &(from, len)) in blocks.iter().enumerate() {
                let (from, to) = (from.max(una + 1), (from + len).min(40));
                if i < 3 && from < to {
                    a.sack[usize::from(a.n_sack)] = (at(from), at(to));
                    a.n_sack += 1;
                    sacked.extend(from..to);
                }
            }
            sacked = sacked.split_off(&una);
            let now = Time::from_ms(41 + ms as u64 / 8);
            p.c.on_packet(now, &a, &mut p.link, &mut Blind);
            p.c.check();
            let mut id = p.c.rtx.first();
            while id != p.c.rtx.end() {
                let s = p.c.rtx.get(id);
                let i = s.seq.wrapping_sub(first) / 1448;
                prop_assert_eq!(s.has(super::rtx::tag::SACKED), sacked.contains(&i), "segment {}", i);
                id = id.wrapping_add(1);
            }
        }
    }
}

impl Socket {
    /// What must hold between any two events.
    fn check(&self) {
        use super::rtx::tag;
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
        assert_eq!(tp.sacked_out, count(tag::SACKED), "sacked");
        assert_eq!(tp.lost_out, count(tag::LOST), "lost");
        assert_eq!(tp.retrans_out, count(tag::RETRANS), "retransmitted");
        assert!(tp.left_out() <= tp.packets_out);
        assert!(tp.snd_cwnd >= 1 && tp.snd_ssthresh >= 2);
        assert!(!super::seq::after(tp.snd_una, tp.snd_nxt) && !super::seq::after(tp.snd_nxt, tp.write_seq));
        if tp.packets_out > 0 && self.state != State::SynSent {
            assert!(!self.wake_at().is_never(), "something is out and no timer runs");
        }
    }
}
