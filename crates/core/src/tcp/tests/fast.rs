//! Fast Open, end to end: two sockets of programs that call, whose packets a test carries by hand or loses.

use super::pair::{cfg, params};
use crate::sim::{Blind, FlowId, Kind, Lower, NodeId, Packet, Span, Time, Verdict, flags};
use crate::tcp::*;
use proptest::prelude::*;
use std::collections::VecDeque;

/// A device that takes everything at once, and lets go of it; what the last weighed.
#[derive(Default)]
struct Out(VecDeque<Packet>, u32);

impl Lower for Out {
    fn xmit(&mut self, _: Time, p: &Packet) -> Verdict {
        self.0.push_back(*p);
        self.1 = p.truesize;
        Verdict::Ok
    }
    fn freed(&mut self) -> u32 {
        self.1
    }
}

/// A client and a server, their devices, and the time.
struct Two {
    c: Socket,
    s: Socket,
    up: Out,
    down: Out,
    now: Time,
}

const COOKIE: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

fn cookie() -> Cookie {
    Cookie::new(&COOKIE, false).unwrap()
}

fn leave(permit: Permit) -> Leave {
    Leave { permit, mss: Some(1_000), on_trial: false }
}

impl Two {
    /// They begin with these numbers.
    fn new(client: u32, server: u32) -> Two {
        let mut c = Socket::client(&cfg(params(Cc::Reno), true, client));
        let mut s = Socket::server(&cfg(params(Cc::Reno), false, server));
        c.by_calls(Offer::default());
        c.set_syn_retries(6);
        s.by_calls(Offer::default());
        Two { c, s, up: Out::default(), down: Out::default(), now: Time::from_ms(5_000) }
    }
    fn pass(&mut self, ms: i64) {
        self.now += Span::from_ms(ms);
    }
    fn opens(&mut self, permit: Permit, bytes: u32) -> u32 {
        self.c.connect_fast(self.now, &leave(permit), bytes, false, &mut self.up)
    }
    /// The server gets the oldest packet that is under way to it; the packet.
    fn serve(&mut self) -> Packet {
        let p = self.up.0.pop_front().expect("the client sent something");
        self.s.on_packet(self.now, &p, &mut self.down, &mut Blind);
        p
    }
    fn answer_client(&mut self) -> Packet {
        let p = self.down.0.pop_front().expect("the server sent something");
        self.c.on_packet(self.now, &p, &mut self.up, &mut Blind);
        p
    }
    fn info(&self, field: &str) -> u64 {
        self.c.tcp_info(self.now, field).expect("the model keeps it")
    }
    /// The client's timers run for so long.
    fn client_waits(&mut self, s: i64) {
        let until = self.now + Span::from_s(s);
        while self.c.wake_at() <= until {
            self.now = self.now.max(self.c.wake_at());
            self.c.on_timer(self.now, &mut self.up, &mut Blind);
        }
        self.now = until;
    }
}

#[test]
fn a_request_brings_a_cookie_and_no_data_go() {
    let mut t = Two::new(100, 900);
    assert_eq!(t.opens(Permit::Ask(Cookie::request(false)), 700), 0);
    t.s.answer_syn(Answer { at_once: false, cookie: Some(cookie()) });
    let syn = t.serve();
    assert_eq!((syn.payload, Cookie::of(&syn), syn.headers), (0, Some(Cookie::request(false)), 60 + 4));
    let answer = t.answer_client();
    assert_eq!((Cookie::of(&answer), answer.ack, answer.headers), (Some(cookie()), 101, 60 + 12));
    t.serve();
    assert_eq!((t.c.state(), t.s.state()), (State::Established, State::Established));
    let learned = Learned { mss: 1460, cookie: Some(cookie()), syn_lost: false, try_experimental: 0 };
    assert_eq!(t.c.take_news().learned, Some(learned));
    assert_eq!((t.info("tcpi_options") & 32, t.info("tcpi_fastopen_client_fail")), (0, 1));
}

/// SYN, its data and their answer cross a wrap of both ends' numbers.
#[test]
fn data_are_read_and_answered_before_the_handshake_is_through() {
    for (client, server) in [(100, 900), (u32::MAX - 300, u32::MAX), (u32::MAX, u32::MAX - 100)] {
        let mut t = Two::new(client, server);
        // The last segment size less the room for options.
        assert_eq!(t.opens(Permit::Data(Some(cookie())), 2_000), 960);
        t.s.answer_syn(Answer { at_once: true, cookie: None });
        t.pass(10);
        t.serve();
        assert_eq!((t.s.state(), t.s.unread(), t.s.began_at_once()), (State::SynRecv, 960, true));
        assert_eq!(t.s.read(t.now, 2_000, &mut t.down), 960);
        t.s.write(t.now, 400, WriteFlags::default(), &mut t.down);
        t.pass(10);
        let answer = t.answer_client();
        assert_eq!((answer.seq, answer.ack), (server, client.wrapping_add(961)));
        assert_eq!((t.info("tcpi_options") & 32, t.info("tcpi_fastopen_client_fail")), (32, 0));
        assert_eq!((t.info("tcpi_delivered"), t.info("tcpi_unacked")), (1, 0));
        t.answer_client();
        assert_eq!(t.c.unread(), 400);
        t.serve();
        assert_eq!((t.s.state(), t.s.take_news().through), (State::Established, Some(false)));
        let rtt = t.s.tcp_info(t.now, "tcpi_rtt").unwrap();
        assert_eq!(rtt, 10_000, "measured by the SYN-ACK");
    }
}

#[test]
fn what_was_not_taken_goes_again_in_segments_of_the_peers_size() {
    let mut t = Two::new(100, 900);
    assert_eq!(t.opens(Permit::Data(Some(cookie())), 900), 900);
    t.s.set_max_seg(412);
    t.s.answer_syn(Answer { at_once: false, cookie: Some(cookie()) });
    t.serve();
    assert_eq!((t.s.state(), t.s.unread()), (State::SynRecv, 0));
    t.answer_client();
    // 412 less the timestamps: two segments in one packet, or two; and a short one.
    let again: Vec<_> = t.up.0.iter().map(|p| (p.seq, p.payload)).collect();
    assert_eq!(again.iter().map(|p| p.1).sum::<u32>(), 900);
    assert_eq!((again[0].0, t.info("tcpi_unacked"), t.info("tcpi_snd_mss")), (101, 3, 400));
    assert_eq!((t.info("tcpi_fastopen_client_fail"), t.info("tcpi_snd_cwnd")), (2, 10));
    while !t.up.0.is_empty() {
        t.serve();
    }
    assert_eq!(t.s.unread(), 900);
}

#[test]
fn a_syn_that_is_lost_goes_again_alone_and_the_host_hears_of_it() {
    let mut t = Two::new(100, 900);
    t.opens(Permit::Data(Some(cookie())), 500);
    t.up.0.clear();
    t.client_waits(2);
    let again = t.up.0.pop_front().unwrap();
    assert_eq!((again.payload, Cookie::of(&again), again.flags & flags::SYN), (0, None, flags::SYN));
    t.up.0.clear();
    assert!(!t.c.take_news().blackhole, "one timeout is no sign");
    t.client_waits(3);
    assert!(t.c.take_news().blackhole, "three are");
    t.s.on_packet(t.now, &again, &mut t.down, &mut Blind);
    t.up.0.clear();
    t.answer_client();
    assert!(t.c.take_news().learned.unwrap().syn_lost);
    assert_eq!((t.info("tcpi_fastopen_client_fail"), t.up.0.front().unwrap().payload), (3, 500));
}

#[test]
fn a_reset_of_what_began_at_once_is_told_to_the_listener() {
    let mut t = Two::new(100, 900);
    t.opens(Permit::Data(Some(cookie())), 500);
    t.s.answer_syn(Answer { at_once: true, cookie: None });
    t.serve();
    let mut reset = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
    reset.flags = flags::RST | flags::ACK;
    // In the window, but not where it is expected: asked for again.
    (reset.seq, reset.ack) = (602, 901);
    t.s.on_packet(t.now, &reset, &mut t.down, &mut Blind);
    assert_eq!(t.s.state(), State::SynRecv);
    reset.seq = 601;
    t.s.on_packet(t.now, &reset, &mut t.down, &mut Blind);
    assert_eq!((t.s.state(), t.s.take_news().through), (State::Closed, Some(true)));
    assert_eq!((t.s.unread(), t.s.take_error()), (500, Some(Error::Reset)));
}

#[test]
fn an_end_out_of_order_before_any_data_is_a_sign_of_a_black_hole() {
    for (data, sign) in [(0, true), (300, false)] {
        let mut t = Two::new(100, 900);
        t.opens(Permit::Data(Some(cookie())), 500);
        t.s.answer_syn(Answer { at_once: true, cookie: None });
        t.serve();
        let answer = t.answer_client();
        let mut fin = Packet::blank(Kind::Tcp, FlowId(0), NodeId(1), NodeId(0));
        (fin.flags, fin.seq, fin.ack, fin.wnd) = (flags::FIN | flags::ACK, 1_901, 601, 60_000);
        (fin.tsval, fin.payload) = (answer.tsval + 9, data);
        t.c.on_packet(t.now, &fin, &mut t.up, &mut Blind);
        t.c.close(t.now, &mut t.up);
        assert_eq!(t.c.take_news().blackhole, sign, "{data} bytes with it");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is lost of the first packets, and whether the server takes the SYN's data or not, all bytes come through both ways.
    #[test]
    fn every_byte_comes_through(
        bytes in 1u32..5_000,
        reply in 1u32..5_000,
        at_once: bool,
        lost in prop::collection::vec(prop::bool::weighted(0.3), 0..24),
        start in any::<(u32, u32)>(),
    ) {
        let mut t = Two::new(start.0, start.1);
        let gone = t.opens(Permit::Data(Some(cookie())), bytes);
        let (mut wrote, mut replied) = (gone, false);
        let (mut came, mut back) = (0, 0);
        let mut lost = lost.into_iter();
        t.s.answer_syn(Answer { at_once, cookie: None });
        while (came, back) != (bytes, reply) {
            prop_assert!(t.now < Time::from_s(3_000), "{came} of {bytes}, {back} of {reply}");
            if t.c.state() == State::Established && wrote < bytes {
                t.c.write(t.now, bytes - wrote, WriteFlags::default(), &mut t.up);
                wrote = bytes;
            }
            if t.s.may_send() && !replied {
                t.s.write(t.now, reply, WriteFlags::default(), &mut t.down);
                replied = true;
            }
            came += t.s.read(t.now, u32::MAX, &mut t.down);
            back += t.c.read(t.now, u32::MAX, &mut t.up);
            t.pass(1);
            if !t.up.0.is_empty() {
                if lost.next() == Some(true) { t.up.0.pop_front(); } else { t.serve(); }
            } else if !t.down.0.is_empty() {
                if lost.next() == Some(true) { t.down.0.pop_front(); } else { t.answer_client(); }
            } else if (came, back) != (bytes, reply) {
                let next = t.c.wake_at().min(t.s.wake_at());
                prop_assert!(!next.is_never(), "nothing is due: {came} of {bytes}, {back} of {reply}");
                t.now = t.now.max(next);
                t.c.on_timer(t.now, &mut t.up, &mut Blind);
                t.s.on_timer(t.now, &mut t.down, &mut Blind);
            }
        }
    }
}
