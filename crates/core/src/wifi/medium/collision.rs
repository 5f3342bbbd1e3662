//! Transmissions that begin together. The departures are [`medium`](super)'s.

use super::Medium;
use crate::sim::{Bitmap, Span, Time};
use crate::wifi::exchange::Exchange;
use crate::wifi::stations::{Exchanged, Seen, Stations};

impl Medium {
    /// Several contenders send at once: nobody decodes anything.
    pub(super) fn collide<S: Stations>(&mut self, now: Time, stations: &mut S) {
        self.collide_until(now, now, stations);
    }

    /// The same where something else is on the air until `end` at least.
    pub(super) fn collide_until<S: Stations>(&mut self, now: Time, mut end: Time, stations: &mut S) {
        let eifs = if self.params.collision_eifs { self.responses.eifs_less_difs() } else { Span::ZERO };
        // What began while something else was on the air to the access point.
        let late = self.flight.is_some() || self.hidden.as_ref().is_some_and(|h| now < h.noise());
        for k in 0..self.winners.len() {
            let (i, at) = self.winners[k];
            let c = &mut self.contenders[i as usize];
            stations.sends(c.sta, c.ac);
            let b = stations.head(c.sta, c.ac).expect("a contender that is ready has a head");
            let x = Exchange::plan(b, c.link, 0, &self.responses, self.band);
            c.waited += (at - c.idle_since()).max(Span::ZERO);
            let (on_air, timeout) = x.collides(&self.responses);
            let timeout = timeout + self.stas[c.sta.ix()].patience;
            let rts = x.asks();
            let seen = Seen {
                from: c.sta,
                to: b.to,
                tid: b.tid.get(),
                mpdus: b.mpdus.len() as u16,
                bad: b.mpdus.len() as u16,
                bytes: b.psdu,
                mode: b.chain[c.link as usize].mode,
                end: b.end,
                start: at,
                airtime: on_air,
                answered: false,
                collided: true,
            };
            let chain = b.chain;
            stations.aired(&Exchanged {
                from: c.sta,
                ac: c.ac,
                mode: chain[c.link as usize].mode,
                again: c.tries > 0 || c.link > 0,
                idle_since: c.idle_since(),
                aifs: c.aifs,
                start: at,
                protection: x.protection.map(|p| p.aired()),
                data: if rts { Span::ZERO } else { x.data },
                lead: x.data_end - x.data,
                sifs: self.band.sifs(),
                response: (x.response.kind, x.response.duration),
                control: self.responses.rate(chain[c.link as usize].mode),
                decoded: Bitmap::NONE,
                heard: false,
                answered: false,
                collided: true,
            });
            if rts {
                c.rts_failures += 1;
            } else {
                c.tries += 1;
                c.airtime += x.data;
            }
            let sta = c.sta;
            self.airtime[sta.ix()] += on_air;
            end = end.max(at + on_air);
            if let Some(h) = &mut self.hidden {
                let nav = at + on_air + eifs;
                h.spoilt(sta, None, at + on_air, nav, &mut self.reference);
            }
            self.fail(i, at + timeout, &chain, rts, stations);
            self.winners[k].1 = at + timeout;
            seen.tell(rts, stations);
        }
        (self.busy_until, self.undecoded) = (end, None);
        if let Some(h) = &mut self.hidden {
            let wait = if late { self.responses.eifs_less_difs() } else { eifs };
            h.garbled(wait, &mut self.reference);
            for &(i, timeout) in &self.winners {
                h.from(self.contenders[i as usize].sta, timeout, &mut self.reference);
            }
            return self.idle(stations);
        }
        self.reference.fill(end + eifs);
        for &(i, timeout) in &self.winners {
            self.reference[self.contenders[i as usize].sta.ix()] = timeout.max(end);
        }
        self.idle(stations);
    }
}
