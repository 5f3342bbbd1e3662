//! An exchange that has the medium to itself: its data are decoded or not, answered or not, and it ends. The departures are
//! [`medium`](super)'s.

use super::{Flight, Medium, Stray};
use crate::phy::channel::Way;
use crate::sim::{Bitmap, Lane, Span, Time};
use crate::wifi::ac::Ac;
use crate::wifi::burst::{Chain, Report, StaIx, What};
use crate::wifi::exchange::Exchange;
use crate::wifi::stations::{Arrival, Exchanged, MediumEvent, Seen, Stations};

impl Medium {
    /// One contender has the medium to itself from `at` on.
    pub(super) fn send<S: Stations>(&mut self, i: u16, at: Time, txop_end: Time, stations: &mut S) {
        if self.hidden.as_ref().is_some_and(|h| at < h.noise() && self.contenders[i as usize].sta != StaIx::AP) {
            // The access point receives something else.
            self.winners.clear();
            self.winners.push((i, at));
            return self.collide(at, stations);
        }
        let c = &mut self.contenders[i as usize];
        let b = stations.head(c.sta, c.ac).expect("a contender that is ready has a head");
        let (from, to, n) = (c.sta, b.to, b.mpdus.len());
        let mode = b.chain[c.link as usize].mode;
        let mut decoded = self.loss.decoded(from, to, mode, n);
        let mut best = None;
        let (station, way, back) = link(from, to);
        if let Some(ch) = &mut self.channel {
            decoded &= ch.survivors(at, station, way, mode, b.mpdus.iter().map(|m| m.len));
            if let Some(&most) = self.ideal[from.ix()].get(to.ix()).filter(|_| n > 0) {
                best = Some(ch.best(at, station, way, most));
            }
        }
        // src: thesis section 3.4.2; driver::sora, D3
        let again = c.tries > 0 || c.link > 0;
        let mut mistaken = false;
        if self.stas[to.ix()].late.is_some() {
            let stray = &mut self.stray[station + 1][way as usize];
            mistaken = core::mem::take(stray) != Stray::None;
            if mistaken && again && !decoded.is_empty() {
                *stray = Stray::Next;
            } else if mistaken && !again {
                decoded = Bitmap::NONE; // it meets the response on the air
            }
        }
        let heard = !decoded.is_empty() || mistaken || matches!(b.what, What::Bar(_));
        if let Some(best) = best {
            stations.learn(from, to, best);
        }
        // What rides on a response, and how late it is, is known when it begins.
        let rides = stations.sends(from, c.ac);
        let b = stations.head(c.sta, c.ac).expect("it is still there");
        let open = heard && (rides || self.stas[to.ix()].late.is_some() || self.hidden.is_some());
        let mut x = Exchange::plan(b, c.link, 0, &self.responses, self.band);
        x.timeout += self.stas[from.ix()].patience;
        let mut answered = heard && (!self.loss.response(to) || mistaken);
        let mut feedback = None;
        if let Some(ch) = self.channel.as_mut().filter(|_| heard) {
            let rate = self.responses.rate(mode);
            answered &= ch.survivors(at + x.data_end, station, back, rate, [x.response.kind.bytes()]).has(0);
            if n > 0 && self.guided[from.ix()] {
                feedback = Some(ch.feedback(at, station, way));
            }
        }
        if at + c.txop == txop_end {
            c.waited += (at - c.idle_since()).max(Span::ZERO); // a further exchange of a TXOP has not waited
        }
        let seen = Seen {
            from,
            to,
            tid: b.tid.get(),
            mpdus: n as u16,
            bad: (n - decoded.len()) as u16,
            bytes: b.psdu,
            mode,
            end: b.end,
            start: at,
            airtime: x.end,
            answered,
            collided: false,
        };
        let chain = b.chain;
        let exchanged = Exchanged {
            from,
            ac: c.ac,
            mode,
            again,
            idle_since: if at + c.txop == txop_end { c.idle_since() } else { at },
            aifs: c.aifs,
            start: at,
            protection: x.protection.map(|p| p.aired()),
            data: x.data,
            lead: x.data_end - x.data,
            sifs: self.band.sifs(),
            response: (x.response.kind, x.response.duration),
            control: self.responses.rate(mode),
            decoded,
            heard,
            answered,
            collided: false,
        };
        if !open {
            stations.aired(&exchanged);
        }
        c.tries += 1;
        c.airtime += x.data;
        self.airtime[from.ix()] += x.sent();
        self.airtime[to.ix()] += if heard { x.answered() } else { x.answered() - x.response.duration };
        if heard {
            c.pending = Report {
                answered,
                acked: if mistaken { Bitmap::first(n) } else { decoded },
                link: c.link,
                tries: c.tries,
                airtime: c.airtime,
                payload: 0,
                received: Bitmap::NONE,
                waited: c.waited,
                late: Span::ZERO,
                mistaken,
            };
            let told = open.then_some((exchanged, seen));
            self.flight = Some(Flight {
                contender: i,
                to,
                decoded,
                airtime: x.data,
                mode,
                answered,
                data_end: at + x.data_end,
                feedback,
                txop_end,
                open: told,
            });
            (self.busy_until, self.undecoded) = (at + x.end, None);
            if let Some(h) = &mut self.hidden {
                h.exchange(from, to, at + x.end, &mut self.reference);
                if x.asks() && from != StaIx::AP {
                    stations.schedule(at + x.sent() - x.data, Lane::Arrival, MediumEvent::Asked);
                }
                self.idle(stations);
            } else {
                self.access_at(Time::NEVER, stations);
            }
            if let Some(lowest) = decoded.lowest() {
                let behind = (n - 1 - lowest) as i64;
                stations.lands(to, at + x.data_end - x.data * behind / n as i64, at + x.data_end);
            }
            stations.schedule(at + x.data_end, Lane::Arrival, MediumEvent::Arrive);
            if !open {
                stations.schedule(at + x.end, Lane::Completion, MediumEvent::Done);
            }
        } else {
            self.fail(i, at + x.timeout, &chain, false, stations);
            // Bystanders keep out until the response would have ended; the receiver could not decode and keeps EIFS.
            (self.busy_until, self.undecoded) = (at + x.end, Some((from, to, at + x.data_end)));
            let (knows, eifs) = (at + x.timeout, at + x.data_end + self.responses.eifs_less_difs());
            if let Some(h) = &mut self.hidden {
                h.spoilt(from, Some(to), at + x.data_end, at + x.end, &mut self.reference);
                h.from(from, knows, &mut self.reference);
                h.from(to, eifs, &mut self.reference);
            } else {
                self.reference.fill(at + x.end);
                self.reference[from.ix()] = knows;
                self.reference[to.ix()] = eifs;
            }
            self.idle(stations);
        }
        if !open {
            seen.tell(false, stations);
        }
    }

    /// A response begins on which something may ride, or that may be late: now its length is known, and whether its sender waits.
    pub(super) fn answer<S: Stations>(&mut self, now: Time, a: &Arrival, stations: &mut S) {
        let f = self.flight.as_mut().expect("an exchange on the air");
        let (mut x, mut seen) = f.open.take().expect("it is open");
        let to = f.to;
        let mistaken = self.contenders[f.contender as usize].pending.mistaken;
        let radio = self.stas[to.ix()].late.as_ref().filter(|_| !mistaken);
        let late = radio.map_or(Span::ZERO, |l| l.sample(&mut self.late[to.ix()]));
        if late > self.stas[a.from.ix()].patience {
            f.answered = false; // it is on the air all the same
            if radio.is_some_and(|l| !l.numbered) {
                let (station, way, _) = link(a.from, to);
                self.stray[station + 1][way as usize] = Stray::Again;
            }
        }
        let bare = self.responses.answer(x.response.0, x.mode, 0).duration;
        // The data's NAV ends with the bare response, and who has not heard this one waits DIFS at least.
        let difs = self.band.sifs() + self.slot * 2;
        let longer = |n| (self.responses.answer(x.response.0, x.mode, n).duration - bare, difs);
        let payload = stations.riding(now, to, a, &longer);
        for ac in Ac::ALL {
            let c = &mut self.contenders[to.ix() * Ac::COUNT + ac.ix()];
            c.ready &= stations.head(to, ac).is_some(); // it may ride instead
        }
        let response = self.responses.answer(x.response.0, x.mode, payload);
        let end = now + self.band.sifs() + late + response.duration;
        let c = &mut self.contenders[f.contender as usize];
        c.pending.answered = f.answered;
        c.pending.payload = payload;
        c.pending.late = late;
        (x.response.1, x.answered) = (response.duration, f.answered);
        (seen.airtime, seen.answered) = (end - x.start, f.answered);
        self.airtime[to.ix()] += response.duration - bare;
        self.busy_until = end;
        stations.schedule(end, Lane::Completion, MediumEvent::Done);
        if self.hidden.is_some() {
            f.open = Some((x, seen)); // it may still be hit
            return;
        }
        stations.aired(&x);
        seen.tell(false, stations);
    }

    /// Nothing answered contender `i`, which knows it at `known`: doubles its window, moves on in the chain.
    pub(super) fn fail<S: Stations>(&mut self, i: u16, known: Time, chain: &Chain, rts: bool, stations: &mut S) {
        let c = &mut self.contenders[i as usize];
        let limits = &self.stas[c.sta.ix()];
        let last = Report {
            answered: false,
            acked: Bitmap::NONE,
            link: c.link,
            tries: c.tries.max(1), // src: ath9k counts `ts_longretry + 1` even if only RTSs went out
            airtime: c.airtime,
            received: c.received,
            waited: c.waited,
            ..Report::default()
        };
        if c.tries >= chain[c.link as usize].tries && !rts {
            c.link += 1;
            c.tries = 0;
        }
        let exhausted = c.link as usize == chain.len() || chain[c.link as usize].tries == 0;
        let given_up = exhausted || c.rts_failures >= limits.rts_limit;
        if given_up && limits.resets_window {
            c.reset();
        } else {
            c.failed(limits.window_limit);
        }
        if given_up {
            c.ready = false;
            c.giving_up = true;
            c.pending = last;
            stations.schedule(known, Lane::Completion, MediumEvent::GiveUp(i));
        }
    }

    /// The exchange on the air ends.
    pub(super) fn done<S: Stations>(&mut self, now: Time, stations: &mut S) {
        let f = self.flight.take().expect("an exchange ends that is on the air");
        let i = f.contender as usize;
        let c = &mut self.contenders[i];
        let (sta, ac) = (c.sta, c.ac);
        if let Some(h) = &self.hidden {
            self.reference[sta.ix()] = now.max(h.busy_until(sta));
            let (mut x, mut seen) = f.open.expect("it is told of when it is over");
            (x.answered, seen.answered) = (f.answered, f.answered);
            stations.aired(&x);
            seen.tell(false, stations);
        } else {
            self.reference.fill(now);
        }
        if let Some(told) = &f.feedback {
            stations.feedback(now, sta, f.to, f.mode, f.answered, told);
        }
        if !f.answered {
            let chain = stations.head(sta, ac).expect("the head stays until its report").chain;
            // It heard a response that it could not decode.
            self.fail(f.contender, now, &chain, false, stations);
            let eifs = self.responses.eifs_less_difs();
            if let Some(h) = &mut self.hidden {
                h.over(now, &mut self.reference);
                let heard = if sta == StaIx::AP { now.max(h.noise()) } else { now };
                h.from(sta, heard + eifs, &mut self.reference);
            } else {
                self.reference[sta.ix()] = now + eifs;
                self.reference[f.to.ix()] = now;
            }
            return self.idle(stations);
        }
        c.reset();
        c.ready = false;
        let report = Report { received: c.received, ..c.pending };
        c.received = Bitmap::NONE;
        stations.done(now, sta, ac, &report);
        // Marked as still on the air, so that what comes in now counts as come while the medium was busy.
        self.flight = Some(f);
        self.follow(now, i, stations);
        self.look(now, sta, stations);
        self.flight = None;
        self.hidden.iter_mut().for_each(|h| h.over(now, &mut self.reference));
        let c = &self.contenders[i];
        if c.ready && c.txop > Span::ZERO {
            let at = now + self.band.sifs();
            stations.left(sta, ac, f.txop_end - at);
            let b = stations.head(sta, ac).expect("a contender that is ready has a head");
            let x = Exchange::plan(b, 0, 0, &self.responses, self.band);
            if at + x.end <= f.txop_end {
                self.hush(now, sta);
                self.send(f.contender, at, f.txop_end, stations);
                return;
            }
        }
        self.idle(stations);
    }
}

/// The station whose link to the access point a PPDU goes over, its way, and the way of its response.
fn link(from: StaIx, to: StaIx) -> (usize, Way, Way) {
    if from == StaIx::AP {
        (to.ix().saturating_sub(1), Way::Down, Way::Up)
    } else {
        (from.ix() - 1, Way::Up, Way::Down)
    }
}
