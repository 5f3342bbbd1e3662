//! The stations as the medium calls them: what is at the head of a queue, what arrived, what became of what was sent.

use super::hack::Hack;
use super::out::{BssEvent, HandedUp, Out};
use super::receive::Receiver;
use super::station::Station;
use crate::driver::ath9k;
use crate::phy::channel::Feedback;
use crate::phy::{Band, Mode};
use crate::sim::{BareSeen, Bitmap, Kind, Lane, Packet, Place, PpduSeen, Probe, Reason, Span, Time};
use crate::wifi::beacon::Beaconed;
use crate::wifi::came::{Came, Frame};
use crate::wifi::medium::{Arrival, Bare, Exchanged, Seen};
use crate::wifi::{Ac, Aired, Burst, MediumEvent, Report, Sink, StaIx, Stations, Tid, What};

/// ACKs that could not be restored end at the AP; frames that pass for acknowledged, nowhere.
fn lose(n: u64, why: Reason, out: &mut Out) {
    for _ in 0..n {
        let p = Packet::blank(Kind::Tcp, Default::default(), Default::default(), Default::default());
        out.dropped.push((p, Place::Wifi, why));
    }
}

/// The station that sends and the one that it sends to, which are two.
fn apart(stations: &mut [Station], from: StaIx, to: StaIx) -> (&Station, &mut Station) {
    let (low, high) = stations.split_at_mut(from.max(to).ix());
    if from < to { (&low[from.ix()], &mut high[0]) } else { (&high[0], &mut low[to.ix()]) }
}

/// A PPDU is over, `whole` or without its last MPDU: the `latest` packet of the TID that goes `up` tells the station.
fn ends(station: &mut Station, up: &mut [HandedUp], tid: Tid, whole: bool, latest: Option<usize>) {
    let ends = match &mut station.tao {
        Some(t) => t.ends(tid, whole, whole && latest.is_none()),
        None => whole,
    };
    if let Some(i) = latest {
        up[i].packet.ends_ampdu = ends;
    }
}

/// The stations as the medium calls them, with where the effects go.
pub(super) struct View<'a, P> {
    pub(super) band: Band,
    pub(super) stations: &'a mut [Station],
    pub(super) receivers: &'a mut [Receiver],
    pub(super) wants: &'a mut Vec<(Time, Lane, u32)>,
    pub(super) out: &'a mut Out,
    pub(super) probe: &'a mut P,
    pub(super) hack: &'a mut Option<Box<Hack>>,
}

impl<P: Probe> View<'_, P> {
    /// After a call into the driver of `s`: what it wants, and what it has received meanwhile, which mac80211 takes.
    pub(super) fn after(&mut self, now: Time, s: StaIx) {
        for (at, lane, tag) in self.wants.drain(..) {
            self.out.schedule.push((at, lane, BssEvent::Driver(s, tag)));
        }
        self.watch(now, s);
        let mut came = core::mem::take(&mut self.out.came);
        self.stations[s.ix()].netdev.take_up(&mut came);
        if !came.is_empty() {
            self.take(now, s, &came);
            came.clear();
        }
        self.out.came = came;
    }
    /// mac80211 of `s` takes frames.
    fn take(&mut self, now: Time, s: StaIx, came: &[Came]) {
        let (station, receiver) = (&mut self.stations[s.ix()], &mut self.receivers[s.ix()]);
        let Out { up, dropped, schedule, more, .. } = &mut *self.out;
        let mut latest = [None; Tid::COUNT];
        let (mut rest, mut frame) = (came, 0);
        while let Some((c, others)) = rest.split_first() {
            let n = others.iter().take_while(|c| c.frame == Frame::Further).count();
            let (further, next) = others.split_at(n);
            rest = next;
            if n == 0 && receiver.take_next(c) {
                // Made in its place, so that the packet is copied once.
                up.extend(core::iter::once_with(|| HandedUp { to: s, frame: Some(frame), packet: c.p }));
                frame += 1;
                latest[c.tid.ix()] = Some(up.len() - 1);
                if let Some(whole) = c.last {
                    ends(station, up, c.tid, whole, latest[c.tid.ix()]);
                }
                continue;
            }
            more.clear();
            if n > 0 {
                more.extend(further.iter().map(|c| c.p));
            }
            let before = up.len();
            let mut msdu = 0;
            let timer = receiver.take(
                now,
                c,
                more,
                |p| {
                    // What was held back goes with the frame's last MSDU.
                    up.push(HandedUp { to: s, frame: Some(frame + msdu.min(n as u16)), packet: *p });
                    msdu += 1;
                },
                dropped,
            );
            frame += 1 + n as u16;
            if up.len() > before {
                latest[c.tid.ix()] = Some(up.len() - 1);
            }
            if let Some((at, i)) = timer {
                schedule.push((at, Lane::Timer, BssEvent::Reorder(s, i)));
            }
            if let Some(whole) = further.last().unwrap_or(c).last {
                ends(station, up, c.tid, whole, latest[c.tid.ix()]);
            }
        }
        if let Some(h) = self.hack.as_mut().filter(|_| s == StaIx::AP) {
            let before = self.out.up.len() as u64;
            self.out.up.retain(|u| u.packet.kind != Kind::Chain); // for the driver, not for the host
            h.flushes -= before - self.out.up.len() as u64;
        }
    }
    /// A beacon, as the driver of `s` has to do with it.
    pub(super) fn on_beacon(&mut self, now: Time, s: StaIx, what: ath9k::Beaconing) {
        let mut sink = Sink { freed: &mut self.out.freed, dropped: &mut self.out.dropped, wants: self.wants };
        self.stations[s.ix()].netdev.beacon(now, what, &mut sink);
        self.after(now, s);
    }
    /// The watchdog of the qdiscs of `s` is set.
    #[inline]
    pub(super) fn watch(&mut self, now: Time, s: StaIx) {
        if let Some((at, tag)) = self.stations[s.ix()].netdev.watch(now) {
            self.out.schedule.push((at, Lane::Timer, BssEvent::Driver(s, tag)));
        }
    }
    /// What HACK restored from a frame of `from` goes through the receive side of the driver of `s` as if it had come itself.
    fn restored(&mut self, now: Time, s: StaIx, from: StaIx, tid: Tid) {
        let Some(h) = self.hack else { return };
        let mut sink = Sink { freed: &mut self.out.freed, dropped: &mut self.out.dropped, wants: self.wants };
        for p in h.restored() {
            self.stations[s.ix()].netdev.receive(now, now, || Came::plain(p, from, tid), &mut sink);
        }
    }
}

impl<P: Probe> Stations for View<'_, P> {
    fn head(&self, s: StaIx, ac: Ac) -> Option<&Burst> {
        self.stations[s.ix()].netdev.head(ac)
    }
    fn lands(&mut self, to: StaIx, first: Time, until: Time) {
        self.stations[to.ix()].netdev.lands(first, until);
    }
    fn arrived(&mut self, now: Time, a: &Arrival) -> Bitmap {
        let b = self.head(a.from, a.ac).expect("what arrives is still at the head");
        let (to, tid, n) = (b.to, b.tid, b.mpdus.len());
        let heard = ath9k::airtime::received(b, a, self.band);
        let fresh = Receiver::fresh(b, a);
        let restores = self.hack.is_some() && to == StaIx::AP;
        if let Some(h) = self.hack.as_mut().filter(|_| restores) {
            let b = self.stations[a.from.ix()].netdev.head(a.ac).expect("it still is");
            let refused = h.refused();
            h.came(now, a.from, b, a.decoded.without(a.before));
            lose(h.refused() - refused, Reason::Unreadable, self.out);
        }
        // From one card into the other: a frame is copied once.
        let (sender, receiver) = apart(self.stations, a.from, to);
        receiver.netdev.heard(now, a.from, tid, heard);
        let b = sender.netdev.head(a.ac).expect("it still is");
        let mut sink = Sink { freed: &mut self.out.freed, dropped: &mut self.out.dropped, wants: self.wants };
        if let What::Bar(start) = b.what {
            receiver.netdev.receive(now, now, || Came::bar(a.from, tid, start), &mut sink);
        } else {
            Receiver::frames(b, a, fresh, |behind, p, frame, last| {
                let ended = now - a.airtime * i64::from(behind) / n.max(1) as i64;
                receiver.netdev.receive(now, ended, || Came { p: *p, from: a.from, tid, frame, last }, &mut sink);
            });
        }
        if restores {
            self.restored(now, to, a.from, tid);
        }
        self.after(now, to);
        fresh
    }
    fn feedback(&mut self, now: Time, from: StaIx, to: StaIx, mode: Mode, answered: bool, f: &Feedback) {
        self.stations[from.ix()].netdev.feedback(now, to, mode, answered, f);
    }
    fn learn(&mut self, from: StaIx, to: StaIx, best: Mode) {
        self.stations[from.ix()].netdev.learn(to, best);
    }
    fn done(&mut self, now: Time, s: StaIx, ac: Ac, report: &Report) {
        if let Some(h) = self.hack.as_mut() {
            let b = self.stations[s.ix()].netdev.head(ac).expect("what is done is still at the head");
            if s != StaIx::AP {
                h.done(s, ac, b, report);
            } else if report.answered && b.to != StaIx::AP {
                let (refused, to, tid) = (h.refused(), b.to, b.tid);
                h.answered(now, to);
                lose(h.refused() - refused, Reason::Unreadable, self.out);
                if !h.restored().is_empty() {
                    self.restored(now, s, to, tid);
                    self.after(now, s);
                }
            }
        }
        if report.mistaken {
            let b = self.stations[s.ix()].netdev.head(ac).expect("what is done is still at the head");
            let gone = b.mpdus.iter().enumerate().filter(|&(i, m)| !m.received && !report.received.has(i)).count();
            lose(gone as u64, Reason::Mistaken, self.out);
        }
        let st = &mut self.stations[s.ix()];
        let mut sink = Sink { freed: &mut self.out.freed, dropped: &mut self.out.dropped, wants: self.wants };
        st.netdev.done(now, ac, report, &mut sink);
        self.after(now, s);
    }
    fn schedule(&mut self, at: Time, lane: Lane, ev: MediumEvent) {
        self.out.schedule.push((at, lane, BssEvent::Medium(ev)));
    }
    #[inline]
    fn sends(&mut self, s: StaIx, ac: Ac) -> bool {
        let Some(h) = self.hack.as_mut() else { return false };
        if s != StaIx::AP {
            h.tried[s.ix()] |= 1 << ac.ix();
            return false;
        }
        let netdev = &self.stations[s.ix()].netdev;
        let to = netdev.head(ac).expect("what is sent is at the head").to;
        h.sends(to, netdev.more_for(to, ac))
    }
    fn riding(&mut self, now: Time, s: StaIx, a: &Arrival, longer: &dyn Fn(u16) -> (Span, Span)) -> u16 {
        let Some(h) = self.hack.as_mut().filter(|_| a.from == StaIx::AP) else { return 0 };
        if h.opportunistic() {
            let mut sink = Sink { freed: &mut self.out.freed, dropped: &mut self.out.dropped, wants: self.wants };
            self.stations[s.ix()].netdev.seize(now, h.tried[s.ix()], |p| h.seize(now, s, p), &mut sink);
        }
        let b = self.stations[0].netdev.head(a.ac).expect("what arrives is still at the head");
        let repeats = matches!(b.what, What::Bar(_)) || !(a.decoded & a.before).is_empty();
        h.answers(now, s, repeats, longer)
    }
    fn hit(&mut self, s: StaIx) {
        self.hack.iter_mut().for_each(|h| h.hit(s));
    }
    #[inline]
    fn aired(&mut self, x: &Exchanged) {
        if P::AIR {
            let depths: Vec<_> = self.stations.iter().map(|s| s.netdev.waiting()).collect();
            let s = &self.stations[x.from.ix()];
            let burst = s.netdev.head(x.ac).expect("what is on the air is still at the head");
            let to = self.stations[burst.to.ix()].node;
            self.probe.aired(&Aired { x: *x, from: s.node, to, burst, depths: &depths });
        }
    }
    fn tbtt(&mut self, now: Time, next: Time) {
        self.out.schedule.push((next.max(now + ath9k::SWBA) - ath9k::SWBA, Lane::Completion, BssEvent::BeaconAsked));
    }
    #[inline]
    fn beacon(&mut self, b: &Beaconed) {
        self.out.schedule.push((b.start + b.airtime, Lane::Completion, BssEvent::BeaconSent { collided: b.collided }));
        if P::AIR {
            self.probe.beacon(self.stations[0].node, b);
        }
    }
    fn seen(&mut self, s: &Seen) {
        self.probe.ppdu(&PpduSeen {
            from: self.stations[s.from.ix()].node,
            to: self.stations[s.to.ix()].node,
            tid: s.tid,
            mpdus: s.mpdus,
            bad: s.bad,
            bytes: s.bytes,
            mode: s.mode,
            end: s.end as u8,
            start: s.start,
            airtime: s.airtime,
            answered: s.answered,
            collided: s.collided,
        });
    }
    fn bare(&mut self, x: &Bare) {
        let node = |s: StaIx| self.stations[s.ix()].node;
        self.probe.bare(&BareSeen { from: node(x.from), to: node(x.to), start: x.start, airtime: x.airtime });
    }
}
