use super::*;
use crate::phy::{Mode, Vht, Width};
use crate::rate::fixed;
use crate::sim::{FlowId, Freed, Kind, NodeId, Owner, Packet, Place, Reason};
use crate::wifi::What;
use std::collections::VecDeque;

/// A FIFO that stands above; whether a round is on, and how many it has yet to miss.
#[derive(Default)]
struct Fifo(VecDeque<Packet>, bool, u8);

impl Above for Fifo {
    fn start(&mut self, _ac: Ac) {
        self.1 = self.2 == 0;
        self.2 = self.2.saturating_sub(1);
    }
    fn turn(&mut self, _now: Time, ac: Ac) -> bool {
        core::mem::take(&mut self.1) && ac == Ac::Be
    }
    fn pull(&mut self, _now: Time, _ac: Ac, _sink: &mut Sink<'_>) -> Option<(Packet, StaIx, Tid, Span)> {
        self.0.pop_front().map(|p| (p, StaIx::AP, Tid::new(0), Span::ZERO))
    }
    fn give_back(&mut self, _now: Time, _ac: Ac) {}
    fn completed(&mut self, _now: Time, _p: &Packet, _to: StaIx, _tid: Tid, _charged: Span) {}
    fn polls(&self) -> bool {
        true
    }
    fn resumes(&self, pending: u16, most: u16) -> bool {
        pending < most / 2
    }
}

struct Bench {
    dev: Ath10k<Fifo>,
    above: Fifo,
    freed: Vec<Freed>,
    dropped: Vec<(Packet, Place, Reason)>,
    wants: Vec<(Time, Lane, u32)>,
}

impl Bench {
    fn new(par: Params) -> Bench {
        Bench::with(par, true)
    }
    /// `amsdus`: whether the peer's agreement permits A-MSDUs.
    fn with(par: Params, amsdus: bool) -> Bench {
        let mode = Mode::Vht(Vht::new(9, 2, Width::Mhz80, true).unwrap());
        let rates = Rates::fixed(&fixed::Params::default(), vec![mode]);
        let dev = Ath10k::new(&par, rates, &[Peer { amsdus, window: 64, density: par.density }], true, Band::Ghz5);
        Bench { dev, above: Fifo::default(), freed: vec![], dropped: vec![], wants: vec![] }
    }
    fn send(&mut self, now: Time, n: u32) {
        for seq in 0..n {
            let mut p = Packet::blank(Kind::Udp, FlowId(0), NodeId(1), NodeId(0));
            (p.payload, p.headers, p.seq, p.owner) = (1_472, 28, seq, Owner(0));
            self.above.0.push_back(p);
            let Bench { dev, above, freed, dropped, wants } = self;
            dev.wake(now, StaIx::AP, Tid::new(0), above, &mut Sink { freed, dropped, wants });
        }
    }
    fn head(&self) -> &Burst {
        self.dev.head(Ac::Be).unwrap()
    }
    fn done(&mut self, now: Time, acked: u64) {
        let frames = self.dev.head(Ac::Be).map_or(0, |b| b.mpdus.len());
        let acked = acked & u64::MAX.checked_shr(64 - frames as u32).unwrap_or(0);
        let r =
            Report { answered: acked != 0, acked: acked.into(), received: acked.into(), tries: 1, ..Report::default() };
        let Bench { dev, above, freed, dropped, wants } = self;
        dev.done(now, Ac::Be, &r, above, &mut Sink { freed, dropped, wants });
    }
    fn timer(&mut self, now: Time) {
        let Bench { dev, above, freed, dropped, wants } = self;
        dev.timer(now, REPORT, above, &mut Sink { freed, dropped, wants });
    }
}

/// Completions told of at once.
fn at_once() -> Params {
    Params { report: Span::ZERO, ..Params::default() }
}

const ALL: u64 = u64::MAX;

/// The first frame goes to the hardware alone; the rest gathers until it is through.
#[test]
fn what_comes_gathers_behind_a_ppdu() {
    for (tid_depth, second) in [(1, 64), (2, 1)] {
        let mut b = Bench::new(Params { amsdu_msdus: 1, tid_depth, ..at_once() });
        b.send(Time::ZERO, 100);
        assert_eq!((b.head().mpdus.len(), b.head().what), (1, What::Single));
        // 1538 bytes behind a delimiter, padded: a VHT PPDU is always an A-MPDU.
        assert_eq!(b.head().psdu, 1_544);
        b.done(Time::ZERO, 1);
        assert_eq!(b.head().mpdus.len(), second);
        b.done(Time::ZERO, ALL);
        // With two in hardware the window, which begins with what is still on the air, keeps the next one smaller.
        assert_eq!(b.head().mpdus.len(), if second == 64 { 35 } else { 63 });
    }
}

/// linux@6.12 htt_rx.c ath10k_htt_txrx_compl_task: a poll hands up what was received, tells of completions and pushes. A round that gave nobody
/// a turn (airtime.rs: the one after AQL's limit of the category) is made up for by the next frame's.
#[test]
fn a_poll_for_received_frames_pushes() {
    let mut b = Bench::new(at_once());
    b.above.2 = 2;
    b.send(Time::ZERO, 2);
    assert_eq!((b.dev.pending(), b.above.0.len()), (0, 2));
    let now = Time::from_us(300);
    for _ in 0..3 {
        let p = Packet::blank(Kind::Tcp, FlowId(1), NodeId(0), NodeId(1));
        let Bench { dev, above, freed, dropped, wants } = &mut b;
        dev.rx(now, &Came::plain(&p, StaIx::AP, Tid::new(0)), above, &mut Sink { freed, dropped, wants });
    }
    assert_eq!(b.wants, [(now, Lane::Tasklet, POLL)], "one poll for all");
    let Bench { dev, above, freed, dropped, wants } = &mut b;
    dev.timer(now, POLL, above, &mut Sink { freed, dropped, wants });
    assert_eq!((b.dev.pending(), b.above.0.len()), (2, 0));
}

/// Three MSDUs an MPDU, if the peer's agreement permits it: mac80211's, which other drivers leave it to, does not.
#[test]
fn amsdus_are_the_peers_to_permit() {
    for (permits, second) in [(true, (33, 2)), (false, (64, 0))] {
        let mut b = Bench::with(at_once(), permits);
        b.send(Time::ZERO, 100);
        b.done(Time::ZERO, 1);
        assert_eq!((b.head().mpdus.len(), b.head().mpdus[0].more), second);
    }
}

/// 1424 descriptors; more waits above until more than half of them are free.
#[test]
fn descriptors_are_all_that_limits() {
    let mut b = Bench::new(at_once());
    b.send(Time::ZERO, 2_000);
    assert_eq!((b.dev.pending(), b.above.0.len()), (1_424, 576));
    while b.above.0.len() == 576 {
        assert!(b.freed.len() <= 712, "half of them are free, and nothing was pushed");
        b.done(Time::ZERO, ALL);
    }
    assert_eq!((b.above.0.len(), b.dev.pending() as usize), (0, 2_000 - b.freed.len()));
    while b.dev.head(Ac::Be).is_some() {
        b.done(Time::ZERO, ALL);
    }
    assert_eq!((b.freed.len(), b.dev.pending(), b.dev.held()), (2_000, 0, 0));
}

#[test]
fn completions_gather() {
    let mut b = Bench::new(Params { report: Span::from_us(800), ..at_once() });
    b.send(Time::ZERO, 3);
    b.done(Time::from_us(200), 1);
    b.done(Time::from_us(400), ALL);
    assert!(b.freed.is_empty());
    assert_eq!(b.wants, [(Time::from_us(1_000), Lane::Completion, REPORT)], "from the first on");
    b.timer(Time::from_us(1_000));
    assert_eq!((b.freed.len(), b.dev.pending()), (3, 0));
}

/// What was not acknowledged keeps its number and its MSDUs, and goes first; after so many retries a BAR follows.
#[test]
fn retries_then_a_bar() {
    let mut b = Bench::new(Params { retries: 1, ..at_once() });
    b.send(Time::ZERO, 13); // one, and four A-MSDUs of three
    b.done(Time::ZERO, 1);
    assert_eq!((b.head().mpdus.len(), b.head().more.len(), b.head().psdu), (4, 8, 4 * 4_604));
    assert_eq!(b.head().mpdus[0].len, 4_600);
    b.done(Time::ZERO, 0b1011);
    let again = &b.head().mpdus;
    assert_eq!((again.len(), again[0].packet.seq, again[0].more, again[0].attempts), (1, 7, 2, 1));
    b.done(Time::ZERO, 0);
    assert_eq!(b.dropped.len(), 3, "the A-MSDU's three packets");
    assert!(matches!(b.head().what, What::Bar(_)));
    b.done(Time::ZERO, 0);
    assert!(matches!(b.head().what, What::Bar(_)), "the BAR is sent again");
}
