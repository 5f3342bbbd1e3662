//! A station's network device: the driver and what stands above it. One variant and one line in each match a device.

use super::above::Queues;
use super::config::{BssConfig, DriverConfig};
use crate::driver::Name;
use crate::driver::ath9k::tidq::Ath9kTidq;
use crate::driver::ath9k::{Ath9k, Beaconing};
use crate::driver::ath9k_htc::{self, Ath9kHtc};
use crate::driver::ath10k::Ath10k;
use crate::driver::linksys::{Fifos, Linksys};
use crate::driver::mt76::Mt76;
use crate::driver::offload::Peer;
use crate::mac80211::{self, Txqs};
use crate::net::state::{AirtimeState, PhyState, QdiscState, RadioState, StationState, TxqState};
use crate::phy::Mode;
use crate::phy::channel::Feedback;
use crate::qdisc::Setup;
use crate::rate::aasrc::Counts;
use crate::rate::minstrel_ht::Before;
use crate::rate::{self, Rates};
use crate::sim::{NodeId, Owner, Packet, Span, Streams, Time, Verdict};
use crate::wifi::response::Responses;
use crate::wifi::{Ac, Burst, Came, Device, Framing, Mark, Opportunities, Report, Sink, StaIx, Tid};

/// A device with its queues.
pub(super) enum Netdev {
    /// mac80211's TXQs, pulled by ath9k.
    Ath9k(Box<Txqs>, Box<Ath9k>),
    /// Qdiscs, and ath9k with queues of its own.
    Ath9kTidq(Box<Queues>, Box<Ath9kTidq<Queues>>),
    /// Qdiscs or TXQs, and the AR9271.
    Ath9kHtc(Box<Queues>, Box<Ath9kHtc<Queues>>),
    /// Qdiscs or TXQs, and ath10k.
    Ath10k(Box<Queues>, Box<Ath10k<Queues>>),
    /// TXQs, and mt76.
    Mt76(Box<Queues>, Box<Mt76<Queues>>),
    /// The Linksys access point.
    Linksys(Box<Fifos>, Box<Linksys>),
}

/// The tag of a qdisc's watchdog among a driver's own.
const WATCHDOG: u32 = u32::MAX;
/// An Ethernet header, bytes.
const ETHERNET: u16 = 14;
/// A TID of each netdev queue, voice first.
const EVERY: [u8; Ac::COUNT] = [6, 5, 0, 1];

/// Bytes that a frame has in front of the IP packet while it waits in a TXQ: what mac80211 has made of it. The CCMP header is part of it for ath9k
/// and ath9k_htc, not for ath10k; mt76's hardware makes 802.11's, too.
/// src: linux@6.12 net/mac80211/tx.c ieee80211_check_fast_xmit (gen_iv), __ieee80211_xmit_fast, ieee80211_8023_xmit; ath9k/main.c ath9k_set_key,
/// ath10k/mac.c ath10k_send_key (IEEE80211_KEY_FLAG_GENERATE_IV)
fn waiting_header(driver: &DriverConfig, chosen: bool, framing: Framing) -> u16 {
    match driver {
        DriverConfig::Mt76(p) if p.encap && !chosen => ETHERNET,
        DriverConfig::Mt76(_) | DriverConfig::Ath10kTxqs(_) => Framing::open(framing.qos).header(),
        _ => framing.header(),
    }
}

impl Netdev {
    /// The device of station `i`.
    pub fn new(cfg: &BssConfig, i: usize, streams: &Streams) -> Netdev {
        let s = &cfg.stations[i];
        // The access point knows everybody; a station knows the access point.
        let peers = if i == 0 { cfg.stations.len() } else { 1 };
        let modes = if i == 0 { cfg.stations.iter().map(|s| s.mode).collect() } else { vec![s.mode_up] };
        // ath9k_htc reports no airtime, and asks for no fairness by it. src: linux@6.12 ath9k/htc_drv_init.c ath9k_set_hw_capab
        let airtime_fairness = s.queues.airtime_fairness && !matches!(s.driver, DriverConfig::Ath9kHtcTxqs(_));
        let queues = mac80211::Params { airtime_fairness, ..s.queues };
        let framing = Framing { qos: cfg.qos, encryption: cfg.encryption };
        let txqs = || {
            let seed = streams.get(&s.name, "txq/hash").bits() as u32;
            let mut q = Txqs::new(
                &queues,
                &s.kernel,
                peers as u16,
                seed,
                waiting_header(&s.driver, s.rate.control == rate::Name::MinstrelHt, framing).into(),
            );
            let weights = cfg.stations[..peers].iter().enumerate().filter_map(|(i, s)| Some((i as u16, s.weight?)));
            weights.for_each(|(i, w)| q.set_weight(i, w));
            q
        };
        let samples = || streams.get(&s.name, "rate/samples");
        let qdiscs = |kind, setup: &Setup| {
            let mut rng = streams.get(&s.name, "qdisc/hash");
            let seeds = [0; Ac::COUNT].map(|_| rng.bits() as u32);
            Queues::qdiscs(kind, setup, seeds, cfg.head_room, cfg.qos, cfg.rfc8325)
        };
        let txop = cfg.access(i).map(|a| a.txop);
        let opportunities =
            || Opportunities::new(cfg.access(i), Responses::beside(cfg.band, &cfg.basic, cfg.erp()), cfg.band);
        let known = || {
            cfg.stations[..peers]
                .iter()
                .enumerate()
                .map(|(k, s)| Peer {
                    amsdus: s.driver.permits_amsdus(),
                    window: cfg.window(i, k),
                    density: s.driver.density(),
                })
                .collect::<Vec<_>>()
        };
        let densities = || cfg.stations[..peers].iter().map(|s| s.driver.density()).collect::<Vec<_>>();
        // Rate control has heard of the frames that made peers of them, and of those of the agreements, which stand from the start.
        let rates = |modes: &[Mode]| {
            let mut rates = Rates::new(&s.rate, modes.to_vec(), &mut samples());
            for k in (0..peers).filter(|&k| k != i) {
                let theirs = &cfg.stations[k];
                let link = if i == 0 { theirs.mode } else { s.mode_up };
                let agreements = link.aggregates();
                rates.before(
                    StaIx(k as u8),
                    Before {
                        access_point: i == 0,
                        asked: agreements && s.aggregates,
                        answered: agreements && theirs.aggregates,
                    },
                );
            }
            rates
        };
        let ath10k = |p, above: Queues, modes: Vec<Mode>| {
            let rates = rates(&modes);
            let mut driver = Ath10k::new(p, rates, &known(), s.aggregates, cfg.band);
            driver.protect(cfg.encryption);
            driver.within(opportunities());
            Netdev::Ath10k(Box::new(above.at(modes)), Box::new(driver))
        };
        match &s.driver {
            DriverConfig::Ath10k(p, kind, setup) => ath10k(p, qdiscs(*kind, setup), modes),
            DriverConfig::Ath10kTxqs(p) => ath10k(p, Queues::txqs(txqs(), cfg.qos, cfg.rfc8325), modes),
            DriverConfig::Mt76(p) => {
                let rates = rates(&modes);
                let p = if s.rate.control == rate::Name::MinstrelHt { p.mt7615() } else { **p };
                let mut driver = Mt76::new(&p, rates, &known(), s.aggregates, cfg.band);
                driver.protect(cfg.encryption);
                let above = Queues::txqs(txqs(), cfg.qos, cfg.rfc8325).at(modes);
                Netdev::Mt76(Box::new(above), Box::new(driver))
            }
            DriverConfig::Linksys(p) => {
                let rates = rates(&modes);
                let mut driver = Linksys::new(&p.machinery(), rates, &known(), s.aggregates, cfg.band);
                driver.protect(cfg.encryption);
                Netdev::Linksys(Box::new(Fifos::new(p, peers)), Box::new(driver))
            }
            DriverConfig::Ath9k(p) | DriverConfig::Sora(p, _) => {
                let (above, mut rates) = (txqs(), rates(&modes));
                if above.has_slow_stations() {
                    rates.tell_minstrel(&s.rate, &modes, &mut samples());
                }
                let mut driver =
                    Ath9k::new(p, rates, densities(), framing, s.aggregates, txop, s.kernel.frame_protection);
                driver.on(cfg.band);
                Netdev::Ath9k(Box::new(above), Box::new(driver))
            }
            DriverConfig::Ath9kTidq(p, kind, setup) => {
                let rates = rates(&modes);
                let mut driver = Ath9kTidq::new(p, rates, densities(), framing, s.aggregates, txop);
                driver.on(cfg.band);
                Netdev::Ath9kTidq(Box::new(qdiscs(*kind, setup)), Box::new(driver))
            }
            DriverConfig::Ath9kHtc(p, kind, setup) => Netdev::htc(p, qdiscs(*kind, setup), cfg, i, &modes),
            DriverConfig::Ath9kHtcTxqs(p) => Netdev::htc(p, Queues::txqs(txqs(), cfg.qos, cfg.rfc8325), cfg, i, &modes),
        }
    }
    fn htc(p: &ath9k_htc::Params, above: Queues, cfg: &BssConfig, i: usize, modes: &[Mode]) -> Netdev {
        let mut driver = Ath9kHtc::new(*p, cfg.stations.len(), cfg.stations[i].mode_up);
        driver.ticks(cfg.stations[i].rate.hz);
        if i == 0 && cfg.beacon.is_on() {
            driver.beacons();
        }
        driver.protect(cfg.encryption);
        for (to, &mode) in modes.iter().enumerate() {
            driver.set_mode(StaIx(to as u8), mode);
        }
        Netdev::Ath9kHtc(Box::new(above), Box::new(driver))
    }
    /// The stack hands a packet down.
    #[inline(always)] // of its callers one calls often
    pub fn xmit(&mut self, now: Time, to: StaIx, tid: Tid, p: &Packet, sink: &mut Sink<'_>) -> Verdict {
        match self {
            Netdev::Ath9k(q, d) => {
                let marked;
                let p = match d.marks(now, to) {
                    None => p,
                    Some(Mark(mark)) => {
                        marked = Packet { mark, ..*p };
                        &marked
                    }
                };
                q.enqueue(now, u16::from(to.0), tid.get(), p, sink);
                d.wake(now, to, tid, q, sink);
                Verdict::Ok
            }
            Netdev::Ath9kTidq(q, d) => {
                let v = q.enqueue(now, to, *p, sink);
                d.wake(now, to, tid, q, sink);
                v
            }
            Netdev::Ath9kHtc(q, d) => {
                let v = q.enqueue(now, to, *p, sink);
                d.wake(now, to, tid, q, sink);
                v
            }
            Netdev::Linksys(q, d) => {
                let v = q.enqueue(to, tid, p, sink);
                d.wake(now, to, tid, q, sink);
                v
            }
            Netdev::Ath10k(q, d) => {
                let v = q.enqueue(now, to, *p, sink);
                d.wake(now, to, tid, q, sink);
                v
            }
            Netdev::Mt76(q, d) => {
                let v = q.enqueue(now, to, *p, sink);
                d.wake(now, to, tid, q, sink);
                v
            }
        }
    }
    /// Packets to one station that go down as one: the driver looks at its queues when all are there.
    pub fn xmit_all(&mut self, now: Time, to: StaIx, tid: Tid, all: &[Packet], sink: &mut Sink<'_>) {
        match self {
            Netdev::Ath9k(q, d) => {
                all.iter().for_each(|p| q.enqueue(now, u16::from(to.0), tid.get(), p, sink));
                d.wake(now, to, tid, q, sink);
            }
            Netdev::Ath9kTidq(q, d) => {
                d.cork(tid);
                for p in all {
                    q.enqueue(now, to, *p, sink);
                    d.wake(now, to, tid, q, sink);
                }
                d.uncork(now, q);
            }
            Netdev::Ath9kHtc(..) | Netdev::Ath10k(..) | Netdev::Mt76(..) | Netdev::Linksys(..) => {
                for p in all {
                    self.xmit(now, to, tid, p, sink);
                }
            }
        }
    }
    /// The hardware queue that handing down a packet of `tid` may fill, if it is that one alone, and at once.
    #[inline]
    pub fn category(&self, tid: Tid) -> Option<Ac> {
        match self {
            Netdev::Ath9k(_, d) => Some(d.category(tid)),
            Netdev::Ath9kTidq(_, d) => Some(d.category(tid)),
            Netdev::Ath10k(..) | Netdev::Linksys(..) => Some(Ac::of(tid)),
            Netdev::Ath9kHtc(..) | Netdev::Mt76(..) => None,
        }
    }
    /// What the hardware would send next.
    #[inline]
    pub fn head(&self, ac: Ac) -> Option<&Burst> {
        match self {
            Netdev::Ath9k(_, d) => d.head(ac),
            Netdev::Ath9kTidq(_, d) => d.head(ac),
            Netdev::Ath9kHtc(_, d) => d.head(ac),
            Netdev::Ath10k(_, d) => d.head(ac),
            Netdev::Mt76(_, d) => d.head(ac),
            Netdev::Linksys(_, d) => d.head(ac),
        }
    }
    /// The hardware is done with the head.
    pub fn done(&mut self, now: Time, ac: Ac, r: &Report, sink: &mut Sink<'_>) {
        match self {
            Netdev::Ath9k(q, d) => d.done(now, ac, r, q, sink),
            Netdev::Ath9kTidq(q, d) => d.done(now, ac, r, q, sink),
            Netdev::Ath9kHtc(q, d) => d.done(now, ac, r, q, sink),
            Netdev::Ath10k(q, d) => d.done(now, ac, r, q, sink),
            Netdev::Mt76(q, d) => d.done(now, ac, r, q, sink),
            Netdev::Linksys(q, d) => d.done(now, ac, r, q, sink),
        }
    }
    /// A call that was wanted.
    pub fn timer(&mut self, now: Time, tag: u32, sink: &mut Sink<'_>) {
        match self {
            Netdev::Ath9k(q, d) => d.timer(now, tag, q, sink),
            Netdev::Ath9kTidq(q, d) if tag == WATCHDOG => {
                if q.watched(now) {
                    EVERY.iter().for_each(|&t| d.wake(now, StaIx::AP, Tid::new(t), q, sink));
                }
            }
            Netdev::Ath9kTidq(q, d) => d.timer(now, tag, q, sink),
            Netdev::Ath9kHtc(q, d) if tag == WATCHDOG => {
                if q.watched(now) {
                    EVERY.iter().for_each(|&t| d.wake(now, StaIx::AP, Tid::new(t), q, sink));
                }
            }
            Netdev::Ath9kHtc(q, d) => d.timer(now, tag, q, sink),
            Netdev::Ath10k(q, d) if tag == WATCHDOG => {
                if q.watched(now) {
                    EVERY.iter().for_each(|&t| d.wake(now, StaIx::AP, Tid::new(t), q, sink));
                }
            }
            Netdev::Ath10k(q, d) => d.timer(now, tag, q, sink),
            Netdev::Mt76(q, d) => d.timer(now, tag, q, sink),
            Netdev::Linksys(q, d) => d.timer(now, tag, q, sink),
        }
    }
    /// After every call: when a qdisc that waits for time to pass wants a [`Self::timer`] of this tag, if that is news.
    #[inline]
    pub fn watch(&mut self, now: Time) -> Option<(Time, u32)> {
        match self {
            Netdev::Ath9k(..) | Netdev::Mt76(..) | Netdev::Linksys(..) => None,
            Netdev::Ath9kTidq(q, _) | Netdev::Ath9kHtc(q, _) | Netdev::Ath10k(q, _) => {
                q.watch(now).map(|at| (at, WATCHDOG))
            }
        }
    }
    /// The receiver of a PPDU tells of it.
    pub fn feedback(&mut self, now: Time, to: StaIx, mode: Mode, answered: bool, f: &Feedback) {
        match self {
            Netdev::Ath9k(_, d) => d.feedback(now, to, mode, answered, f),
            Netdev::Ath9kTidq(_, d) => d.feedback(now, to, mode, answered, f),
            Netdev::Ath9kHtc(..) | Netdev::Ath10k(..) | Netdev::Mt76(..) | Netdev::Linksys(..) => {} // fixed rates only
        }
    }
    /// `best` would be the ideal mode for what goes on the air to `to`.
    pub fn learn(&mut self, to: StaIx, best: Mode) {
        match self {
            Netdev::Ath9k(_, d) => d.learn(to, best),
            Netdev::Ath10k(_, d) => d.learn(to, best),
            Netdev::Mt76(_, d) => d.learn(to, best),
            Netdev::Ath9kTidq(..) | Netdev::Ath9kHtc(..) | Netdev::Linksys(..) => {}
        }
    }
    /// What its rate control did, if that counts it.
    pub fn rate_counts(&self) -> Option<Counts> {
        match self {
            Netdev::Ath9k(_, d) => d.rate_counts(),
            Netdev::Ath9kTidq(_, d) => d.rate_counts(),
            Netdev::Ath9kHtc(..) | Netdev::Ath10k(..) | Netdev::Mt76(..) | Netdev::Linksys(..) => None,
        }
    }
    /// A PPDU came.
    pub fn heard(&mut self, now: Time, from: StaIx, tid: Tid, airtime: Span) {
        match self {
            Netdev::Ath9k(q, d) => d.heard(now, from, tid, airtime, q),
            Netdev::Ath9kTidq(q, d) => d.heard(now, from, tid, airtime, q),
            Netdev::Ath9kHtc(q, d) => d.heard(now, from, tid, airtime, q),
            Netdev::Ath10k(q, d) => d.heard(now, from, tid, airtime, q),
            Netdev::Mt76(_, d) => d.heard(from, tid, airtime),
            Netdev::Linksys(q, d) => d.heard(now, from, tid, airtime, q),
        }
    }
    /// A PPDU comes in, whose first frame is there at `first` and whose last at `until`.
    pub fn lands(&mut self, first: Time, until: Time) {
        match self {
            Netdev::Ath9k(_, d) => d.lands(first, until),
            Netdev::Ath9kTidq(_, d) => d.lands(first, until),
            Netdev::Ath9kHtc(..) | Netdev::Ath10k(..) | Netdev::Mt76(..) | Netdev::Linksys(..) => {}
        }
    }
    /// A beacon: ath9k's cards hold frames back until an interrupt, and ath10k's poll ends with a push. When its firmware asks for one is not
    /// known.
    pub fn beacon(&mut self, now: Time, what: Beaconing, sink: &mut Sink<'_>) {
        match self {
            Netdev::Ath9k(_, d) => d.beacon(now, what, sink),
            Netdev::Ath9kTidq(_, d) => d.beacon(now, what, sink),
            Netdev::Ath10k(q, d) if what == Beaconing::Came => d.interrupt(now, q, sink),
            Netdev::Ath9kHtc(..) | Netdev::Ath10k(..) | Netdev::Mt76(..) | Netdev::Linksys(..) => {}
        }
    }
    /// A received frame, whose last bit was there at `ended`: a card that keeps it makes it in its place.
    #[inline(always)] // one hot caller
    pub fn receive(&mut self, now: Time, ended: Time, c: impl FnOnce() -> Came, sink: &mut Sink<'_>) {
        match self {
            Netdev::Ath9k(_, d) => d.receive(now, ended, c, sink),
            Netdev::Ath9kTidq(_, d) => d.receive(now, ended, c, sink),
            Netdev::Ath9kHtc(_, d) => d.rx(now, ended, &c(), sink),
            Netdev::Ath10k(q, d) => d.rx(now, &c(), q, sink),
            Netdev::Mt76(_, d) => d.rx(&c()),
            Netdev::Linksys(q, d) => d.rx(now, &c(), q, sink),
        }
    }
    /// Received frames that are with the host, as they came.
    pub fn take_up(&mut self, up: &mut Vec<Came>) {
        match self {
            Netdev::Ath9k(_, d) => d.take_up(up),
            Netdev::Ath9kTidq(_, d) => d.take_up(up),
            Netdev::Ath9kHtc(_, d) => d.take_up(up),
            Netdev::Ath10k(_, d) => d.take_up(up),
            Netdev::Mt76(_, d) => d.take_up(up),
            Netdev::Linksys(_, d) => d.take_up(up),
        }
    }
    /// Whether more waits for station `to`, beside the head of `ac`: in queues that tell stations apart.
    pub fn more_for(&self, to: StaIx, ac: Ac) -> bool {
        let txqs = |q: &Txqs| (0..Tid::COUNT as u8).any(|t| q.has_frames(u16::from(to.0), t));
        match self {
            Netdev::Ath9k(q, d) => txqs(q) || d.more_for(to, ac),
            Netdev::Ath9kTidq(_, d) => d.more_for(to, ac),
            Netdev::Ath9kHtc(q, _) => q.more_for(to), // what the firmware has, it does not say
            Netdev::Ath10k(q, d) => q.more_for(to) || d.more_for(to, ac),
            Netdev::Mt76(q, d) => q.more_for(to) || d.more_for(to, ac),
            Netdev::Linksys(q, d) => q.more_for(to) || d.more_for(to, ac),
        }
    }
    /// Gives up pure ACKs that wait and were never on the air, oldest first, as long as `takes` takes them. Only ath9k can. `tried`: a bit
    /// for each category whose head was on the air.
    pub fn seize(&mut self, now: Time, tried: u8, takes: impl FnMut(&Packet) -> bool, sink: &mut Sink<'_>) {
        if let Netdev::Ath9k(q, d) = self {
            d.seize(now, tried, q, takes, sink);
        }
    }
    /// Packets that wait to be sent: above the driver, and in it and its hardware.
    pub fn waiting(&self) -> (u64, u64) {
        match self {
            Netdev::Ath9k(q, d) => (u64::from(q.packets()), d.held()),
            Netdev::Ath9kTidq(q, d) => (q.packets(), d.held()),
            Netdev::Ath9kHtc(q, d) => (q.packets(), d.held()),
            Netdev::Ath10k(q, d) => (q.packets(), d.held()),
            Netdev::Mt76(q, d) => (q.packets(), d.held()),
            Netdev::Linksys(q, d) => (q.packets(), d.held()),
        }
    }
    /// Whether super-packets are handed down whole.
    pub fn keeps_whole(&self) -> bool {
        match self {
            Netdev::Ath9kTidq(q, _) => q.keeps_whole(),
            Netdev::Ath9kHtc(q, _) => q.keeps_whole(),
            Netdev::Ath10k(q, _) => q.keeps_whole(),
            Netdev::Ath9k(..) | Netdev::Mt76(..) | Netdev::Linksys(..) => false,
        }
    }
    /// A socket's pacing rate from now on, bytes a second.
    pub fn paced(&mut self, owner: Owner, rate: u64) {
        match self {
            Netdev::Ath9kTidq(q, _) | Netdev::Ath9kHtc(q, _) | Netdev::Ath10k(q, _) => q.paced(owner, rate),
            Netdev::Ath9k(..) | Netdev::Mt76(..) | Netdev::Linksys(..) => {}
        }
    }
    /// Packets that cutting has made.
    pub fn cut(&self) -> u64 {
        match self {
            Netdev::Ath9kTidq(q, _) => q.cut(),
            Netdev::Ath9kHtc(q, _) => q.cut(),
            Netdev::Ath10k(q, _) => q.cut(),
            Netdev::Ath9k(..) | Netdev::Mt76(..) | Netdev::Linksys(..) => 0,
        }
    }
    /// Its disciplines and its state, but for what stands above the driver on the way up. `driver`: its name; `of`: whose it is; `peers`: those it knows.
    pub fn state(&self, driver: Name, of: NodeId, peers: &[NodeId]) -> (Vec<QdiscState>, RadioState) {
        let (txqs, qdiscs, cut, fifo) = match self {
            Netdev::Ath9k(q, _) => (Some(&**q), Vec::new(), 0, 0),
            Netdev::Ath9kTidq(q, _) | Netdev::Ath9kHtc(q, _) | Netdev::Ath10k(q, _) | Netdev::Mt76(q, _) => {
                (q.txqs_above(), q.disciplines(), q.rest(), 0)
            }
            Netdev::Linksys(q, _) => (None, Vec::new(), 0, q.packets()),
        };
        let (holds, held, received) = match self {
            Netdev::Ath9k(_, d) => (d.holds(), d.held(), d.held_up()),
            Netdev::Ath9kTidq(_, d) => (d.holds(), d.held(), d.held_up()),
            Netdev::Ath9kHtc(_, d) => (d.holds(), d.held(), d.held_up()),
            Netdev::Ath10k(_, d) => (d.holds(), d.held(), d.held_up()),
            Netdev::Mt76(_, d) => (d.holds(), d.held(), d.held_up()),
            Netdev::Linksys(_, d) => (d.holds(), d.held(), d.held_up()),
        };
        // ath10k's firmware agrees on Block Ack without mac80211.
        let own = matches!(self, Netdev::Ath9k(..) | Netdev::Ath9kHtc(..) | Netdev::Mt76(..));
        let session =
            |to: StaIx, tid: u8| own && holds.tids.iter().any(|t| (t.to, t.tid.get(), t.agreement) == (to, tid, true));
        let stations = (peers.iter().enumerate().filter(|&(_, &p)| p != of))
            .map(|(i, &peer)| StationState {
                peer,
                txqs: txqs.map_or_else(Vec::new, |q| {
                    (0..Tid::COUNT as u8).map(|t| txq(q, i as u16, t, session(StaIx(i as u8), t))).collect()
                }),
                airtime: txqs.map(|q| airtime(q, i as u16)),
                rates: self.rates().and_then(|r| r.rc_stats(StaIx(i as u8))),
            })
            .collect();
        let phy = txqs.map(phy);
        let radio = RadioState {
            driver: driver.name(),
            peers: peers.to_vec(),
            phy,
            stations,
            holds,
            cut,
            fifo,
            held,
            received,
            reorder: 0,
            tao: 0,
        };
        (qdiscs, radio)
    }
    /// What knows the peers' rates; ath9k_htc's firmware does.
    fn rates(&self) -> Option<&Rates> {
        match self {
            Netdev::Ath9k(_, d) => Some(d.rates()),
            Netdev::Ath9kTidq(_, d) => Some(d.rates()),
            Netdev::Ath9kHtc(..) => None,
            Netdev::Ath10k(_, d) => Some(d.rates()),
            Netdev::Mt76(_, d) => Some(d.rates()),
            Netdev::Linksys(_, d) => Some(d.rates()),
        }
    }
    /// Packets inside.
    pub fn held(&self) -> u64 {
        match self {
            Netdev::Ath9k(q, d) => u64::from(q.packets()) + d.held() + d.held_up(),
            Netdev::Ath9kTidq(q, d) => q.packets() + d.held() + d.held_up(),
            Netdev::Ath9kHtc(q, d) => q.packets() + d.held() + d.held_up(),
            Netdev::Ath10k(q, d) => q.packets() + d.held() + d.held_up(),
            Netdev::Mt76(q, d) => q.packets() + d.held() + d.held_up(),
            Netdev::Linksys(q, d) => q.packets() + d.held() + d.held_up(),
        }
    }
}

/// A TXQ.
fn txq(q: &Txqs, sta: u16, tid: u8, ampdu: bool) -> TxqState {
    let t = q.tin(sta, tid);
    TxqState {
        tid,
        ac: mac80211::ac_of(tid),
        backlog_bytes: t.bytes,
        backlog_packets: t.packets.into(),
        new_flows: t.flows,
        drops: t.drops,
        marks: t.marks,
        overlimit: t.overlimit,
        collisions: t.collisions,
        tx_bytes: t.tx_bytes,
        tx_packets: t.tx_packets,
        ampdu,
    }
}

/// A peer's airtime.
fn airtime(q: &Txqs, sta: u16) -> AirtimeState {
    let accounts: [_; 4] = core::array::from_fn(|ac| q.account(sta, ac as u8));
    AirtimeState {
        rx: accounts.iter().map(|a| a.rx).sum(),
        tx: accounts.iter().map(|a| a.tx).sum(),
        weight: q.scheduler().weight(sta),
        deficit: accounts.map(|a| a.deficit),
        pending: accounts.map(|a| a.pending),
    }
}

/// A device's TXQs as a whole.
fn phy(q: &Txqs) -> PhyState {
    let (f, s) = (q.fair_queue(), q.scheduler());
    let (limit, memory_limit, quantum) = f.limits();
    PhyState {
        fq: vec![
            ("fq_flows_cnt", f.table().into()),
            ("fq_backlog", f.packets.into()),
            ("fq_overlimit", f.overlimit),
            ("fq_overmemory", f.overmemory),
            ("fq_collisions", f.tins.iter().map(|t| t.collisions).sum()),
            ("fq_memory_usage", f.memory),
            ("fq_memory_limit", memory_limit),
            ("fq_limit", limit.into()),
            ("fq_quantum", quantum as u64),
        ],
        aql: s.aql(),
        pending: s.pending(),
        fair: s.is_fair(),
    }
}
