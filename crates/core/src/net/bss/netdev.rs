//! A station's network device: the driver and what stands above it. One variant and one line in each match a device.

use super::config::{BssConfig, DriverConfig};
use crate::driver::ath9k::Ath9k;
use crate::mac80211::Txqs;
use crate::rate::Rates;
use crate::sim::{Packet, Span, Streams, Time, Verdict};
use crate::wifi::{Ac, Burst, Device, Hops, Report, Sink, StaIx, Tid};

/// A device with its queues.
pub(super) enum Netdev {
    /// mac80211's TXQs, pulled by ath9k.
    Ath9k(Box<Txqs>, Box<Ath9k>),
}

impl Netdev {
    /// The device of station `i`.
    pub fn new(cfg: &BssConfig, i: usize, streams: &Streams) -> Netdev {
        let s = &cfg.stations[i];
        // The access point knows everybody; a station knows the access point.
        let peers = if i == 0 { cfg.stations.len() } else { 1 };
        let modes = if i == 0 { cfg.stations.iter().map(|s| s.mode).collect() } else { vec![s.mode] };
        let seed = streams.get(&s.name, "txq/hash").bits() as u32;
        let txop = cfg.access_set(i).all().map(|a| a.txop);
        match &s.driver {
            DriverConfig::Ath9k(p) => {
                let rates = Rates::fixed(&s.rate, modes);
                let driver = Ath9k::new(p, rates, peers as u8, cfg.qos, s.aggregates, txop);
                Netdev::Ath9k(Box::new(Txqs::new(&s.queues, peers as u16, seed)), Box::new(driver))
            }
        }
    }
    /// The stack hands a packet down.
    #[inline]
    pub fn xmit(&mut self, now: Time, to: StaIx, tid: Tid, p: Packet, _hops: &Hops, sink: &mut Sink<'_>) -> Verdict {
        match self {
            Netdev::Ath9k(q, d) => {
                q.enqueue(now, u16::from(to.0), tid.get(), p, sink);
                d.wake(now, to, tid, q, sink);
                Verdict::Ok
            }
        }
    }
    #[inline]
    pub fn head(&self, ac: Ac) -> Option<&Burst> {
        match self {
            Netdev::Ath9k(_, d) => d.head(ac),
        }
    }
    pub fn done(&mut self, now: Time, ac: Ac, r: &Report, _hops: &Hops, sink: &mut Sink<'_>) {
        match self {
            Netdev::Ath9k(q, d) => d.done(now, ac, r, q, sink),
        }
    }
    pub fn timer(&mut self, now: Time, tag: u32, _hops: &Hops, sink: &mut Sink<'_>) {
        match self {
            Netdev::Ath9k(q, d) => d.timer(now, tag, q, sink),
        }
    }
    pub fn heard(&mut self, now: Time, from: StaIx, tid: Tid, airtime: Span) {
        match self {
            Netdev::Ath9k(q, d) => d.heard(now, from, tid, airtime, q),
        }
    }
    /// Whether received packets wait in the device before the host gets them.
    pub fn receives_slowly(&self) -> bool {
        match self {
            Netdev::Ath9k(..) => false,
        }
    }
    /// A received packet, in order, whose last bit was there at `ended`.
    pub fn receive(&mut self, _now: Time, _ended: Time, _p: Packet, _sink: &mut Sink<'_>) {
        match self {
            Netdev::Ath9k(..) => unreachable!("ath9k hands up at once"),
        }
    }
    /// Received packets that are ready for the host.
    pub fn take_up(&mut self, _up: impl FnMut(&Packet)) {
        match self {
            Netdev::Ath9k(..) => {}
        }
    }
    /// Packets inside.
    pub fn held(&self) -> u64 {
        match self {
            Netdev::Ath9k(q, d) => u64::from(q.packets()) + d.held(),
        }
    }
}
