//! A station's network device: the driver and what stands above it. One variant a device; `each!` is what all do alike.

mod new;
mod state;

use super::above::Queues;
use crate::driver::ath9k::tidq::Ath9kTidq;
use crate::driver::ath9k::{Ath9k, Beaconing};
use crate::driver::ath9k_htc::Ath9kHtc;
use crate::driver::ath10k::Ath10k;
use crate::driver::iwlwifi::Iwlwifi;
use crate::driver::linksys::{Fifos, Linksys};
use crate::driver::mt76::Mt76;
use crate::mac80211::Txqs;
use crate::phy::Mode;
use crate::phy::channel::Feedback;
use crate::rate::aasrc::Counts;
use crate::sim::{Owner, Packet, Span, Time, Verdict};
use crate::wifi::{Ac, Burst, Came, Device, Mark, Report, Sink, StaIx, Tid};

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
    /// TXQs, and iwlwifi.
    Iwlwifi(Box<Txqs>, Box<Iwlwifi>),
    /// The Linksys access point.
    Linksys(Box<Fifos>, Box<Linksys>),
}

/// The tag of a qdisc's watchdog among a driver's own.
const WATCHDOG: u32 = u32::MAX;

/// The same of each device: `$above` is what stands above the driver, `$driver` the driver.
macro_rules! each {
    ($netdev:expr, $above:pat, $driver:pat => $what:expr) => {
        match $netdev {
            Netdev::Ath9k($above, $driver) => $what,
            Netdev::Ath9kTidq($above, $driver) => $what,
            Netdev::Ath9kHtc($above, $driver) => $what,
            Netdev::Ath10k($above, $driver) => $what,
            Netdev::Mt76($above, $driver) => $what,
            Netdev::Iwlwifi($above, $driver) => $what,
            Netdev::Linksys($above, $driver) => $what,
        }
    };
}
use each;

impl Netdev {
    /// The stack hands a packet down.
    #[inline(always)] // of its callers one calls often
    pub fn xmit(&mut self, now: Time, to: StaIx, tid: Tid, p: &Packet, sink: &mut Sink<'_>) -> Verdict {
        let verdict = match self {
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
                Verdict::Ok
            }
            Netdev::Ath9kTidq(q, _) | Netdev::Ath9kHtc(q, _) | Netdev::Ath10k(q, _) | Netdev::Mt76(q, _) => {
                q.enqueue(now, to, *p, sink)
            }
            Netdev::Iwlwifi(q, d) => {
                d.xmit(now, to, tid, p, q, sink);
                return Verdict::Ok; // what joins a packet that waits wakes no driver
            }
            Netdev::Linksys(q, _) => q.enqueue(to, tid, p, sink),
        };
        each!(self, q, d => d.wake(now, to, tid, q, sink));
        verdict
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
            Netdev::Ath9kHtc(..)
            | Netdev::Ath10k(..)
            | Netdev::Mt76(..)
            | Netdev::Iwlwifi(..)
            | Netdev::Linksys(..) => {
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
            Netdev::Ath9kHtc(..) | Netdev::Mt76(..) | Netdev::Iwlwifi(..) => None,
        }
    }
    /// What the hardware would send next.
    #[inline]
    pub fn head(&self, ac: Ac) -> Option<&Burst> {
        each!(self, _, d => d.head(ac))
    }
    /// The hardware is done with the head.
    pub fn done(&mut self, now: Time, ac: Ac, r: &Report, sink: &mut Sink<'_>) {
        each!(self, q, d => d.done(now, ac, r, q, sink))
    }
    /// A call that was wanted.
    pub fn timer(&mut self, now: Time, tag: u32, sink: &mut Sink<'_>) {
        if tag != WATCHDOG {
            return each!(self, q, d => d.timer(now, tag, q, sink));
        }
        let passed = match self {
            Netdev::Ath9kTidq(q, _) | Netdev::Ath9kHtc(q, _) | Netdev::Ath10k(q, _) => q.watched(now),
            Netdev::Ath9k(..) | Netdev::Mt76(..) | Netdev::Iwlwifi(..) | Netdev::Linksys(..) => false, // see `watch`
        };
        if passed {
            each!(self, q, d => Ac::ALL.iter().for_each(|ac| d.wake(now, StaIx::AP, ac.tid(), q, sink)));
        }
    }
    /// After every call: when a qdisc that waits for time to pass wants a [`Self::timer`] of this tag, if that is news.
    #[inline]
    pub fn watch(&mut self, now: Time) -> Option<(Time, u32)> {
        match self {
            Netdev::Ath9k(..) | Netdev::Mt76(..) | Netdev::Iwlwifi(..) | Netdev::Linksys(..) => None,
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
            Netdev::Ath9kHtc(..)
            | Netdev::Ath10k(..)
            | Netdev::Mt76(..)
            | Netdev::Iwlwifi(..)
            | Netdev::Linksys(..) => {} // fixed rates only
        }
    }
    /// `best` would be the ideal mode for what goes on the air to `to`.
    pub fn learn(&mut self, to: StaIx, best: Mode) {
        match self {
            Netdev::Ath9k(_, d) => d.learn(to, best),
            Netdev::Ath10k(_, d) => d.learn(to, best),
            Netdev::Mt76(_, d) => d.learn(to, best),
            Netdev::Iwlwifi(_, d) => d.learn(to, best),
            Netdev::Ath9kTidq(..) | Netdev::Ath9kHtc(..) | Netdev::Linksys(..) => {}
        }
    }
    /// What its rate control did, if that counts it.
    pub fn rate_counts(&self) -> Option<Counts> {
        match self {
            Netdev::Ath9k(_, d) => d.rate_counts(),
            Netdev::Ath9kTidq(_, d) => d.rate_counts(),
            Netdev::Ath9kHtc(..)
            | Netdev::Ath10k(..)
            | Netdev::Mt76(..)
            | Netdev::Iwlwifi(..)
            | Netdev::Linksys(..) => None,
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
            Netdev::Iwlwifi(..) => {} // it registers no airtime
            Netdev::Linksys(q, d) => d.heard(now, from, tid, airtime, q),
        }
    }
    /// A PPDU comes in, whose first frame is there at `first` and whose last at `until`.
    pub fn lands(&mut self, first: Time, until: Time) {
        match self {
            Netdev::Ath9k(_, d) => d.lands(first, until),
            Netdev::Ath9kTidq(_, d) => d.lands(first, until),
            Netdev::Ath9kHtc(..)
            | Netdev::Ath10k(..)
            | Netdev::Mt76(..)
            | Netdev::Iwlwifi(..)
            | Netdev::Linksys(..) => {}
        }
    }
    /// A beacon: ath9k's cards hold frames back until an interrupt, and ath10k's poll ends with a push. When its firmware asks for one is not
    /// known.
    pub fn beacon(&mut self, now: Time, what: Beaconing, sink: &mut Sink<'_>) {
        match self {
            Netdev::Ath9k(_, d) => d.beacon(now, what, sink),
            Netdev::Ath9kTidq(_, d) => d.beacon(now, what, sink),
            Netdev::Ath10k(q, d) if what == Beaconing::Came => d.interrupt(now, q, sink),
            Netdev::Ath9kHtc(..)
            | Netdev::Ath10k(..)
            | Netdev::Mt76(..)
            | Netdev::Iwlwifi(..)
            | Netdev::Linksys(..) => {}
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
            Netdev::Iwlwifi(_, d) => d.rx(&c()),
            Netdev::Linksys(q, d) => d.rx(now, &c(), q, sink),
        }
    }
    /// Received frames that are with the host, as they came.
    pub fn take_up(&mut self, up: &mut Vec<Came>) {
        each!(self, _, d => d.take_up(up))
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
            Netdev::Iwlwifi(q, d) => txqs(q) || d.more_for(to, ac),
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
    /// Packets above the driver.
    fn above(&self) -> u64 {
        match self {
            Netdev::Ath9k(q, _) | Netdev::Iwlwifi(q, _) => q.packets().into(),
            Netdev::Ath9kTidq(q, _) | Netdev::Ath9kHtc(q, _) | Netdev::Ath10k(q, _) | Netdev::Mt76(q, _) => q.packets(),
            Netdev::Linksys(q, _) => q.packets(),
        }
    }
    /// Packets that wait to be sent: above the driver, and in it and its hardware.
    pub fn waiting(&self) -> (u64, u64) {
        (self.above(), each!(self, _, d => d.held()))
    }
    /// Whether super-packets are handed down whole.
    pub fn keeps_whole(&self) -> bool {
        match self {
            Netdev::Ath9kTidq(q, _) | Netdev::Ath9kHtc(q, _) | Netdev::Ath10k(q, _) => q.keeps_whole(),
            Netdev::Iwlwifi(..) => true, // it cuts them itself, if the stack does not above it
            Netdev::Ath9k(..) | Netdev::Mt76(..) | Netdev::Linksys(..) => false,
        }
    }
    /// A socket's pacing rate from now on, bytes a second.
    pub fn paced(&mut self, owner: Owner, rate: u64) {
        match self {
            Netdev::Ath9kTidq(q, _) | Netdev::Ath9kHtc(q, _) | Netdev::Ath10k(q, _) => q.paced(owner, rate),
            Netdev::Ath9k(..) | Netdev::Mt76(..) | Netdev::Iwlwifi(..) | Netdev::Linksys(..) => {}
        }
    }
    /// Packets that cutting has made.
    pub fn cut(&self) -> u64 {
        match self {
            Netdev::Ath9kTidq(q, _) | Netdev::Ath9kHtc(q, _) | Netdev::Ath10k(q, _) => q.cut(),
            Netdev::Iwlwifi(_, d) => d.cut(),
            Netdev::Ath9k(..) | Netdev::Mt76(..) | Netdev::Linksys(..) => 0,
        }
    }
    /// Packets inside.
    pub fn held(&self) -> u64 {
        self.above() + each!(self, _, d => d.held() + d.held_up())
    }
}
