//! A BSS: an access point and its stations on one medium. Glue only: queues, driver, MAC and reorder buffers meet here.
//!
//! A packet goes down by [`Bss::xmit`]: queues of the netdev, driver, medium. It comes up in [`Out::up`] at the station that
//! the medium carried it to. Each station has a [`netdev::Netdev`]: a driver and what stands above it.
//!
//! Stands for: net/mac80211 between the netdev and the driver, as far as `mac80211` and `driver` leave it.
//! Differs: D1 association and ADDBA do not happen; D2 stations talk to the access point only; D3 the MPDUs of an
//! A-MPDU are taken as spread evenly over its airtime.

mod above;
mod config;
mod hack;
mod netdev;
mod out;
mod receive;
mod station;
mod view;

#[cfg(test)]
mod tests;

pub use config::{BadConfig, BssConfig, DriverConfig, StaConfig};
pub use hack::AckOutcome;
pub use out::{BssEvent, HandedUp, Out};
pub use receive::Receiver;

use hack::Hack;

use super::state::{QdiscState, RadioState};
use crate::driver::ath9k::Beaconing;
use crate::mac80211::tao::{Sent, Tao};
use crate::phy::Band;
use crate::rate::aasrc::Counts;
use crate::sim::{Blind, Freed, Lane, NodeId, Owner, Packet, Probe, Span, Streams, Time, Verdict};
pub use crate::wifi::StaIx;
use crate::wifi::beacon::Beacons;
use crate::wifi::hack as tcp_hack;
use crate::wifi::{Medium, Sink, Tid};
use netdev::Netdev;
use station::Station;
use view::View;

/// An access point and its stations.
pub struct Bss {
    medium: Medium,
    stations: Vec<Station>,
    receivers: Vec<Receiver>,
    wants: Vec<(Time, Lane, u32)>,
    /// ACKs on their way from TAO to the netdev.
    held: Vec<Packet>,
    hack: Option<Box<Hack>>,
    band: Band,
    qos: bool,
    rfc8325: bool,
    first_beacon: Option<Time>,
    window: u16,
}

impl Bss {
    /// Builds it. Panics on a configuration that [`BssConfig::check`] refuses.
    pub fn new(cfg: &BssConfig, streams: &Streams) -> Bss {
        cfg.check().expect("a configuration that was checked");
        let macs = cfg.stations.iter().map(|s| s.mac(cfg)).collect();
        let n = cfg.stations.len();
        let mut medium =
            Medium::beside(cfg.medium, cfg.band, &cfg.basic, cfg.erp(), macs, cfg.mcs_loss.clone(), streams);
        if let Some(c) = cfg.channel(streams) {
            let guided = cfg.stations.iter().map(|s| s.rate.control.is_guided()).collect();
            medium.set_channel(c, guided, (0..n).map(|i| cfg.ideal(i)).collect());
        }
        let beacons = Beacons::new(&cfg.beacon, &cfg.told(), medium.responses().slot(), streams.get("ap", "beacon"));
        let first_beacon = beacons.map(|b| medium.set_beacons(b));
        Bss {
            first_beacon,
            medium,
            stations: (0..n)
                .map(|i| Station {
                    netdev: Netdev::new(cfg, i, streams),
                    driver: cfg.stations[i].driver.name(),
                    node: cfg.stations[i].node,
                    tao: cfg.stations[i].tao.map(|p| Box::new(Tao::new(&p))),
                })
                .collect(),
            receivers: (0..n).map(|i| cfg.receiver(i)).collect(),
            wants: Vec::new(),
            held: Vec::new(),
            hack: Hack::new(&cfg.hack, cfg.stations.iter().map(|s| s.node).collect()),
            band: cfg.band,
            qos: cfg.qos,
            rfc8325: cfg.rfc8325,
            window: cfg.widest(),
        }
    }

    /// When [`MediumEvent::Tbtt`] is wanted first, if the access point sends beacons.
    pub fn first_beacon(&self) -> Option<Time> {
        self.first_beacon
    }

    /// MPDUs of its widest Block Ack window.
    pub fn window(&self) -> u16 {
        self.window
    }

    /// What the rate control of `s` did, if it counts that.
    pub fn rate_counts(&self, s: StaIx) -> Option<Counts> {
        self.stations[s.ix()].netdev.rate_counts()
    }

    /// The stack of `from` hands a packet to its netdev; `to` is the next hop. A probe hears of nothing on the way down: PPDUs are told of when they
    /// are on the air.
    pub fn xmit(&mut self, now: Time, from: StaIx, to: StaIx, p: &Packet, out: &mut Out) -> Verdict {
        let tid = self.tid(p);
        let s = &mut self.stations[from.ix()];
        if let Some(tao) = &mut s.tao {
            match tao.sent(tid, p, self.receivers[from.ix()].behind(StaIx::AP, tid)) {
                Sent::Passes => {}
                Sent::Held => return Verdict::Ok,
                Sent::Released => {
                    self.release(now, from, to, tid, out);
                    return Verdict::Ok;
                }
            }
        }
        if let Some(h) = self.hack.as_mut().filter(|_| from != StaIx::AP) {
            if h.sent(now, from, p) == tcp_hack::Sent::Held {
                out.freed.extend((p.owner != Owner::NONE).then(|| Freed::from(p)));
                self.settle(now, out);
                return Verdict::Ok;
            }
        }
        let s = &mut self.stations[from.ix()];
        let mut sink = Sink { freed: &mut out.freed, dropped: &mut out.dropped, wants: &mut self.wants };
        let v = s.netdev.xmit(now, to, tid, p, &mut sink);
        match s.netdev.category(tid) {
            // A driver that acts at once and on this category's queue alone.
            Some(ac) => {
                let Bss { band, medium, stations, receivers, wants, hack, .. } = self;
                debug_assert!(wants.is_empty(), "it wants nothing");
                let mut v = View { band: *band, stations, receivers, wants, out, probe: &mut Blind, hack };
                v.watch(now, from);
                medium.look_at(now, from, ac, &mut v);
            }
            None => self.look(now, from, out),
        }
        self.settle(now, out);
        v
    }

    /// The ACKs of a TCP flow, as HACK reads them.
    pub fn flow(&mut self, f: tcp_hack::Flow) {
        self.hack.iter_mut().for_each(|h| h.add(f));
    }

    /// After a call: what HACK learns of drops, and what it has for transmit queues.
    #[inline]
    fn settle(&mut self, now: Time, out: &mut Out) {
        if self.hack.as_ref().is_some_and(|h| h.is_pending()) {
            self.settle_hack(now, out);
        }
    }
    #[inline(never)]
    fn settle_hack(&mut self, now: Time, out: &mut Out) {
        let Some(h) = self.hack.as_mut() else { return };
        h.dropped(&out.dropped);
        let mut from = 1;
        while let Some((h, s)) = self.hack.as_mut().and_then(|h| h.next_pending(from).map(|s| (h, s))) {
            from = u16::from(s.0) + 1;
            if let Some(at) = h.wants(s) {
                out.schedule.push((at, Lane::Timer, BssEvent::Hack(s)));
            }
            if h.back(s).is_empty() {
                continue;
            }
            let mut back = core::mem::take(h.back(s));
            for p in &back {
                let tid = self.tid(p);
                let mut sink = Sink { freed: &mut out.freed, dropped: &mut out.dropped, wants: &mut self.wants };
                self.stations[s.ix()].netdev.xmit(now, StaIx::AP, tid, p, &mut sink);
            }
            back.clear();
            if let Some(h) = &mut self.hack {
                *h.back(s) = back;
            }
            self.look(now, s, out);
        }
    }

    fn tid(&self, p: &Packet) -> Tid {
        if self.qos { Tid::of_dscp(p.dscp, self.rfc8325) } else { Tid::default() }
    }

    /// The stack of `s` is about to take `p`, which came from the access point: TAO counts it.
    pub fn taking(&mut self, s: StaIx, p: &Packet) {
        let tid = self.tid(p);
        self.stations[s.ix()].tao.iter_mut().for_each(|t| t.received(tid, p, p.ends_ampdu));
    }
    /// It has taken it.
    pub fn taken(&mut self, now: Time, s: StaIx, p: &Packet, out: &mut Out) {
        let tid = self.tid(p);
        let receiver = &self.receivers[s.ix()];
        if self.stations[s.ix()].tao.as_ref().is_some_and(|t| t.done(tid, receiver.behind(StaIx::AP, tid))) {
            self.release(now, s, StaIx::AP, tid, out);
        }
    }

    /// The ACKs that `from` holds go down together.
    fn release(&mut self, now: Time, from: StaIx, to: StaIx, tid: Tid, out: &mut Out) {
        let s = &mut self.stations[from.ix()];
        s.tao.iter_mut().for_each(|t| t.release(tid, &mut self.held));
        if let Some(h) = self.hack.as_mut().filter(|_| from != StaIx::AP) {
            self.held.retain(|p| h.sent(now, from, p) == tcp_hack::Sent::Passes);
        }
        let mut sink = Sink { freed: &mut out.freed, dropped: &mut out.dropped, wants: &mut self.wants };
        s.netdev.xmit_all(now, to, tid, &self.held, &mut sink);
        self.held.clear();
        self.look(now, from, out);
        self.settle(now, out);
    }

    /// An event that was asked for.
    pub fn on(&mut self, now: Time, ev: BssEvent, out: &mut Out, probe: &mut impl Probe) {
        match ev {
            BssEvent::Medium(m) => {
                let Bss { band, medium, stations, receivers, wants, hack, .. } = self;
                medium.on(now, m, &mut View { band: *band, stations, receivers, wants, out, probe, hack });
            }
            BssEvent::BeaconAsked => self.view(out, probe).on_beacon(now, StaIx::AP, Beaconing::Asked),
            BssEvent::BeaconSent { collided } => {
                let n = self.stations.len() as u8;
                let mut v = self.view(out, probe);
                v.on_beacon(now, StaIx::AP, Beaconing::Sent);
                let hear = if collided { 1..1 } else { 1..n };
                hear.for_each(|s| v.on_beacon(now, StaIx(s), Beaconing::Came));
            }
            BssEvent::Hack(s) => {
                if let Some(h) = &mut self.hack {
                    h.timer(now, s);
                }
            }
            BssEvent::Reorder(s, i) => {
                let first = out.up.len();
                if let Some(at) =
                    self.receivers[s.ix()].timer(now, i, |p| out.up.push(HandedUp { to: s, frame: None, packet: *p }))
                {
                    out.schedule.push((at, Lane::Timer, ev));
                }
                out.up[first..].iter_mut().next_back().into_iter().for_each(|u| u.packet.ends_ampdu = true);
            }
            BssEvent::Driver(s, tag) => {
                let st = &mut self.stations[s.ix()];
                let mut sink = Sink { freed: &mut out.freed, dropped: &mut out.dropped, wants: &mut self.wants };
                st.netdev.timer(now, tag, &mut sink);
                self.look(now, s, out);
            }
        }
        self.settle(now, out);
    }

    /// The stations, as the medium calls them.
    fn view<'a, P>(&'a mut self, out: &'a mut Out, probe: &'a mut P) -> View<'a, P> {
        let Bss { band, stations, receivers, wants, hack, .. } = self;
        View { band: *band, stations, receivers, wants, out, probe, hack }
    }

    /// The medium looks at the hardware queues of `s`; what its driver wants is scheduled.
    fn look(&mut self, now: Time, s: StaIx, out: &mut Out) {
        let Bss { band, medium, stations, receivers, wants, hack, .. } = self;
        let mut v = View { band: *band, stations, receivers, wants, out, probe: &mut Blind, hack };
        v.after(now, s);
        medium.look(now, s, &mut v);
    }

    /// Whether super-packets go whole to the netdev of `s`, which cuts them behind its qdisc.
    pub fn keeps_whole(&self, s: StaIx) -> bool {
        self.stations[s.ix()].netdev.keeps_whole()
    }
    /// Packets that were made in here: by cutting, and HACK's flushes that are on their way.
    pub fn made(&self) -> u64 {
        self.stations.iter().map(|s| s.netdev.cut()).sum::<u64>() + self.hack.as_ref().map_or(0, |h| h.flushes)
    }
    /// What became of the TCP ACKs of `s`, where they are counted.
    pub fn acks(&self, s: StaIx) -> Option<AckOutcome> {
        self.hack.as_ref().map(|h| h.outcome(s))
    }
    /// Packets inside: in queues, drivers, and reorder buffers, each counted once.
    pub fn held(&self) -> u64 {
        let held = |s: &Station| s.netdev.held() + s.tao.as_ref().map_or(0, |t| t.held());
        let below: u64 = self.stations.iter().map(held).sum();
        let above: u64 = self.receivers.iter().map(|r| u64::from(r.held())).sum();
        below + above + self.held_by_hack() - self.landed()
    }
    /// The pacing rate of a socket at `s` from now on, bytes a second.
    pub fn paced(&mut self, s: StaIx, owner: Owner, rate: u64) {
        self.stations[s.ix()].netdev.paced(owner, rate);
    }
    /// Each radio's disciplines and state, the access point's first.
    pub(super) fn radios(&self) -> impl Iterator<Item = (Vec<QdiscState>, RadioState)> {
        self.stations.iter().zip(&self.receivers).enumerate().map(|(i, (s, r))| {
            // The access point knows everybody; a station knows the access point.
            let peers = if i == 0 { &self.stations[..] } else { &self.stations[..1] };
            let peers: Vec<NodeId> = peers.iter().map(|p| p.node).collect();
            let (qdiscs, mut radio) = s.netdev.state(s.driver, s.node, &peers);
            radio.reorder = r.held().into();
            radio.tao = s.tao.as_ref().map_or(0, |t| t.held());
            (qdiscs, radio)
        })
    }
    /// Packets in hardware queues that their receiver has got since.
    pub fn landed(&self) -> u64 {
        self.medium.received(|s, ac, which| self.stations[s.ix()].netdev.head(ac).map_or(0, |b| b.packets(which)))
    }
    /// Packets that TCP/HACK holds.
    pub fn held_by_hack(&self) -> u64 {
        self.hack.as_ref().map_or(0, |h| h.held())
    }
    /// What `s` has put on the air so far.
    pub fn airtime(&self, s: StaIx) -> Span {
        self.medium.airtime(s)
    }
}
