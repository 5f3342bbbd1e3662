//! The medium where stations are hidden from each other: what differs from one that all hear. What each senses is
//! [`hidden`](crate::wifi::hidden)'s.

use super::{Hidden, Medium, StaIx, Stations};
use crate::sim::{Bitmap, Span, Time};
use crate::wifi::exchange::Exchange;

impl Medium {
    /// The same where stations are hidden: only who has a new reference is told, and who senses the exchange on the air waits.
    pub(super) fn idle_apart<S: Stations>(&mut self, stations: &mut S) {
        let mut next = self.beacon_from();
        let h = self.hidden.as_mut().expect("stations are hidden");
        for &i in &self.active {
            let c = &mut self.contenders[i as usize];
            if h.moved(c.sta) {
                c.idle_from(self.reference[c.sta.ix()]);
            }
            if c.ready && !(self.flight.is_some() && h.senses(c.sta)) {
                next = next.min(c.access(self.slot));
            }
        }
        h.told();
        self.access_at(next, stations);
    }

    /// `from` goes on within its TXOP: who did not sense the response before hears this.
    pub(super) fn hush(&mut self, now: Time, from: StaIx) {
        let Some(h) = &self.hidden else { return };
        for &k in &self.active {
            let c = &mut self.contenders[k as usize];
            if h.hears(c.sta, from) && !h.moved(c.sta) {
                c.freeze(now, self.slot);
            }
        }
    }

    /// Whether `s` hears one of the winners begin, and has counted until then.
    pub(super) fn notices(&self, h: &Hidden, s: StaIx) -> bool {
        !(self.flight.is_some() && h.senses(s))
            && self.winners.iter().any(|w| h.hears(s, self.contenders[w.0 as usize].sta))
    }

    /// The access point answers an RTS or a frame: whoever did not hear that hears this.
    pub(super) fn answers<S: Stations>(&mut self, now: Time, stations: &mut S) {
        let (Some(h), Some(f)) = (&mut self.hidden, &self.flight) else { return };
        // Of an RTS that was spoilt there is no flight, or a later one.
        let asked = f.open.is_some_and(|(x, _)| x.protection.is_none_or(|p| x.start + p.first <= now));
        if f.to != StaIx::AP || !asked {
            return;
        }
        for &i in &self.active {
            let c = &mut self.contenders[i as usize];
            if !h.senses(c.sta) {
                c.freeze(now, self.slot);
            }
        }
        h.answers();
        self.idle(stations);
    }

    /// Somebody who does not hear the exchange on the air sends into it.
    pub(super) fn spoil<S: Stations>(&mut self, stations: &mut S) {
        let f = self.flight.as_mut().expect("an exchange on the air");
        let from = self.contenders[f.contender as usize].sta;
        if from == StaIx::AP {
            if core::mem::take(&mut f.answered) {
                stations.hit(f.to);
            }
            return;
        }
        let (mut x, mut seen) = f.open.take().expect("it is told of when it is over");
        let i = f.contender;
        self.flight = None;
        let c = &mut self.contenders[i as usize];
        let b = stations.head(from, c.ac).expect("what is on the air is still at the head");
        let chain = b.chain;
        let plan = Exchange::plan(b, c.link, 0, &self.responses, self.band);
        let (on_air, timeout) = plan.collides(&self.responses);
        let (end, rts) = (x.start + on_air, plan.asks());
        self.airtime[StaIx::AP.ix()] -= plan.answered();
        if rts {
            self.airtime[from.ix()] -= plan.data;
            c.airtime -= plan.data;
            c.tries -= 1;
            c.rts_failures += 1;
            x.data = Span::ZERO;
        }
        (x.decoded, x.heard, x.answered, x.collided) = (Bitmap::NONE, false, false, true);
        (seen.bad, seen.airtime, seen.answered, seen.collided) = (seen.mpdus, on_air, false, true);
        stations.aired(&x);
        seen.tell(rts, stations);
        let knows = x.start + timeout + self.stas[from.ix()].patience;
        self.fail(i, knows, &chain, rts, stations);
        let h = self.hidden.as_mut().expect("somebody is hidden");
        h.over(end, &mut self.reference);
        h.spoilt(from, None, end, end, &mut self.reference);
        h.from(from, knows, &mut self.reference);
    }
}
