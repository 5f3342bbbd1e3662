use super::*;
use crate::phy::{Gi, He, Mode, Width};
use crate::rate::fixed;
use crate::sim::{FlowId, Freed, Kind, NodeId, Owner, Packet, Place, Reason};
use crate::wifi::What;
use std::collections::VecDeque;

/// FIFOs of stations, of which AQL lets so many packets down each; what they were told.
#[derive(Default)]
struct Txqs {
    queues: Vec<VecDeque<Packet>>,
    pending: Vec<usize>,
    limit: usize,
    round: VecDeque<usize>,
    turn: Option<usize>,
    spent: Vec<(StaIx, Ac, Span, Span)>,
}

impl Above for Txqs {
    fn start(&mut self, ac: Ac) {
        self.round = if ac == Ac::Be { (0..self.queues.len()).collect() } else { VecDeque::new() };
    }
    fn turn(&mut self, _now: Time, _ac: Ac) -> bool {
        let may = |&i: &usize| !self.queues[i].is_empty() && self.pending[i] < self.limit;
        self.round.retain(may);
        self.turn = self.round.pop_front();
        self.turn.is_some()
    }
    fn pull(&mut self, _now: Time, _ac: Ac, _sink: &mut Sink<'_>) -> Option<(Packet, StaIx, Tid, Span)> {
        let i = self.turn?;
        if self.pending[i] == self.limit {
            return None;
        }
        let p = self.queues[i].pop_front()?;
        self.pending[i] += 1;
        Some((p, StaIx(i as u8), Tid::new(0), Span::from_us(8)))
    }
    fn give_back(&mut self, _now: Time, _ac: Ac) {}
    fn completed(&mut self, _now: Time, _p: &Packet, _to: StaIx, _tid: Tid, _charged: Span) {
        unreachable!("the hardware counts airtime");
    }
    fn freed(&mut self, to: StaIx, _tid: Tid, charged: Span) {
        assert_eq!(charged, Span::from_us(8));
        self.pending[to.ix()] -= 1;
    }
    fn spent(&mut self, _now: Time, sta: StaIx, ac: Ac, tx: Span, rx: Span) {
        self.spent.push((sta, ac, tx, rx));
    }
    fn resumes(&self, _pending: u16, _most: u16) -> bool {
        unreachable!("the worker always runs");
    }
}

struct Bench {
    dev: Mt76<Txqs>,
    above: Txqs,
    freed: Vec<Freed>,
    dropped: Vec<(Packet, Place, Reason)>,
    wants: Vec<(Time, Lane, u32)>,
}

impl Bench {
    fn new(par: Params, stations: usize, window: u16, limit: usize) -> Bench {
        let mode = Mode::He(He::new(11, 2, Width::Mhz80, Gi::Us0_8).unwrap());
        let rates = Rates::fixed(&fixed::Params::default(), vec![mode; stations]);
        let dev = Mt76::new(
            &par,
            rates,
            &vec![Peer { amsdus: true, window, density: par.density }; stations],
            true,
            Band::Ghz5,
        );
        let queues = vec![VecDeque::new(); stations];
        let above = Txqs { queues, pending: vec![0; stations], limit, ..Txqs::default() };
        Bench { dev, above, freed: vec![], dropped: vec![], wants: vec![] }
    }
    fn call(&mut self, f: impl FnOnce(&mut Mt76<Txqs>, &mut Txqs, &mut Sink<'_>)) {
        let Bench { dev, above, freed, dropped, wants } = self;
        f(dev, above, &mut Sink { freed, dropped, wants });
    }
    fn send(&mut self, to: usize, n: u32) {
        for seq in 0..n {
            let mut p = Packet::blank(Kind::Udp, FlowId(0), NodeId(1), NodeId(0));
            (p.payload, p.headers, p.seq, p.owner) = (1_472, 28, seq, Owner(0));
            self.above.queues[to].push_back(p);
        }
        self.call(|d, q, sink| d.wake(Time::ZERO, StaIx(to as u8), Tid::new(0), q, sink));
        self.work();
    }
    /// The worker, if it was woken.
    fn work(&mut self) {
        let before = self.wants.len();
        self.wants.retain(|w| w.2 != WORKER);
        if self.wants.len() < before {
            self.call(|d, q, sink| d.timer(Time::ZERO, WORKER, q, sink));
        }
    }
    fn head(&self) -> &Burst {
        self.dev.head(Ac::Be).unwrap()
    }
    fn done(&mut self, ok: bool) {
        let acked = crate::sim::Bitmap::first(if ok { self.head().mpdus.len() } else { 0 });
        let airtime = Span::from_us(500);
        assert_eq!(self.head().chain.map(|a| a.tries), [1, 0, 0, 0], "formed anew each time");
        let r = Report { answered: ok, acked, received: acked, tries: 1, airtime, ..Report::default() };
        self.call(|d, q, sink| d.done(Time::ZERO, Ac::Be, &r, q, sink));
        self.work();
    }
}

/// Five MSDUs of 1500 bytes fill an MPDU of 7991: 7648, 7652 with its delimiter. 5.484 ms hold 398 symbols of 16333 bits, 106 of those. The
/// doorbell comes when the whole burst is there.
#[test]
fn a_burst_is_one_aggregate() {
    let mut b = Bench::new(Params::default(), 1, 256, usize::MAX);
    b.send(0, 900);
    assert_eq!((b.head().mpdus.len(), b.head().mpdus[0].more, b.head().wide), (106, 4, true));
    assert_eq!(b.head().psdu % 4, 0);
    let limit = crate::phy::duration::ppdu(b.head().chain[0].mode, b.head().psdu, Band::Ghz5);
    assert!(limit <= Params::default().airtime && limit > Span::from_us(5_400), "{limit:?}");
    b.done(true);
    assert_eq!(b.freed.len(), 530);
}

#[test]
fn the_window_bounds_it() {
    for (window, mpdus) in [(256, 256), (64, 64)] {
        let mut b = Bench::new(Params { amsdu_msdus: 1, ..Params::default() }, 1, window, usize::MAX);
        b.send(0, 600);
        assert_eq!((b.head().mpdus.len(), b.head().wide), (mpdus, window == 256));
    }
}

/// What AQL lets down is what stands in the device; a tx-free event credits it, and the worker fetches as much again.
#[test]
fn aql_is_all_that_holds_back() {
    let mut b = Bench::new(Params::default(), 2, 256, 100);
    b.send(0, 300);
    b.send(1, 300);
    assert_eq!((b.dev.tokens.pending(), &b.above.pending[..]), (200, &[100, 100][..]));
    assert_eq!((b.head().mpdus.len(), b.head().to), (20, StaIx(0)));
    b.done(true);
    assert_eq!((b.freed.len(), b.dev.tokens.pending(), b.above.queues[0].len()), (100, 200, 100));
    assert_eq!(b.head().to, StaIx(1), "in turn");
}

#[test]
fn tokens_block_the_queues() {
    let mut b = Bench::new(Params { tokens: 50, ..Params::default() }, 1, 256, usize::MAX);
    b.send(0, 80);
    assert_eq!((b.dev.tokens.pending(), b.above.queues[0].len()), (50, 30));
    b.done(true);
    assert_eq!((b.dev.tokens.pending(), b.dev.held()), (30, 30));
}

/// 15 transmissions, each of a unit of its own; then a BAR.
#[test]
fn transmissions_are_counted() {
    let mut b = Bench::new(Params::default(), 1, 256, usize::MAX);
    b.send(0, 1);
    for n in 1..=15 {
        assert_eq!((b.head().what, b.dropped.len()), (What::Single, 0), "transmission {n}");
        b.done(false);
    }
    assert_eq!((b.dropped.len(), matches!(b.head().what, What::Bar(_))), (1, true));
}

/// Airtime is read with the tx-free event: of what was sent, and what was received until then.
#[test]
fn airtime_is_read_at_tx_free() {
    let mut b = Bench::new(Params::default(), 1, 256, usize::MAX);
    b.send(0, 5);
    b.dev.heard(StaIx(0), Tid::new(0), Span::from_us(70));
    b.dev.heard(StaIx(0), Tid::new(6), Span::from_us(30));
    assert!(b.above.spent.is_empty());
    b.done(true);
    let (zero, us) = (Span::ZERO, Span::from_us);
    assert_eq!(b.above.spent, [(StaIx(0), Ac::Vo, zero, us(30)), (StaIx(0), Ac::Be, us(500), us(70))]);
}

#[test]
fn completions_may_gather() {
    let mut b = Bench::new(Params { report: Span::from_us(800), ..Params::default() }, 1, 256, 10);
    b.send(0, 20);
    b.done(true);
    assert_eq!((b.freed.len(), &b.wants[..]), (0, &[(Time::from_us(800), Lane::Completion, TX_FREE)][..]));
    b.call(|d, q, sink| d.timer(Time::from_us(800), TX_FREE, q, sink));
    b.work();
    assert_eq!((b.freed.len(), b.dev.tokens.pending()), (10, 10));
}

/// Packets that come in one instant are there when the worker runs; it is woken once.
#[test]
fn the_worker_runs_when_all_have_come() {
    let mut b = Bench::new(Params::default(), 1, 256, usize::MAX);
    for _ in 0..3 {
        b.above.queues[0].extend((0..5).map(|_| Packet {
            payload: 1_472,
            headers: 28,
            owner: Owner(0),
            ..Packet::blank(Kind::Udp, FlowId(0), NodeId(1), NodeId(0))
        }));
        b.call(|d, q, sink| d.wake(Time::ZERO, StaIx(0), Tid::new(0), q, sink));
    }
    assert!(b.dev.head(Ac::Be).is_none());
    assert_eq!(b.wants, [(Time::ZERO, Lane::Worker, WORKER)]);
    b.work();
    assert_eq!((b.head().mpdus.len(), b.dev.tokens.pending()), (3, 15));
}
