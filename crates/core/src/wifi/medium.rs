//! The medium: who sends when, what collides, what is decoded and answered.
//!
//! All stations hear each other, unless some are hidden ([`hidden`](super::hidden)). Between two transmissions the medium only knows, for each station, from when its AIFS
//! counts; the earliest access of all contenders is computed and scheduled once, with a generation that makes an older one
//! stale. An exchange that succeeds takes three events: access, arrival of the data, end of the response. One that
//! collides takes one.
//!
//! Stands for: 802.11-2020 10.3.4 (DCF), 10.23.2 (EDCA), 10.3.2.11 (acknowledgement), 10.3.7 (EIFS), 10.3.2.4 (NAV).
//! Differs: D1 two transmissions that begin within aCCATime collide, and nothing of either is decoded (no capture);
//! D2 bystanders decode what its receiver does not, so that they hold their NAV where only the receiver has an error;
//! D3 responses are lost only by `response_error`; D4 a frame that loses inside its own station does not count
//! a retry; D5 after a collision bystanders wait DIFS unless `collision_eifs`.

mod apart;
mod beacons;
mod collision;
mod on_air;

use super::ac::Ac;
use super::beacon::Beacons;
use super::burst::StaIx;
use super::contention::Contender;
use super::hidden::Hidden;
use super::loss::Loss;
use super::response::{Erp, Responses};
pub use super::stations::{Arrival, Bare, Exchanged, MediumEvent, Seen, StaMac, Stations};
use crate::phy::channel::{Channel, Feedback};
use crate::phy::{Band, McsLoss, Mode, Ofdm, duration};
use crate::sim::{Bitmap, Lane, Span, Stream, Streams, Time};

crate::params! {
    /// What the medium is like.
    pub struct Params {
        /// Bystanders synchronise on one of the frames that collide, fail to decode it and wait EIFS; otherwise they only see
        /// energy, and wait DIFS (two frames of like power that begin together hide each other's preamble).
        collision_eifs: bool = false, src "802.11-2020 10.3.7 (EIFS follows PHY-RXEND with an error); ns-3.44 phy-entity.cc EndPreambleDetectionPeriod";
        /// Probability that an ACK or Block Ack is not decoded by the station it is for.
        response_error: f64 = 0.0, in 0.0 => 1.0, src "model: responses go at robust rates";
        /// Places in which stations stand, in turn (station 1 in the first, 2 in the second, ...): those of different places do not
        /// hear each other. All hear the access point.
        places: u8 = 1, in 1 => 254, src "this project, crates/core/src/wifi/hidden.rs";
    }
}

/// The exchange on the air that will reach its receiver.
#[derive(Clone, Copy, Debug)]
struct Flight {
    contender: u16,
    to: StaIx,
    decoded: Bitmap,
    airtime: Span,
    mode: Mode,
    answered: bool,
    /// When its data end.
    data_end: Time,
    /// What its receiver tells of it.
    feedback: Option<Feedback>,
    /// Until when the opportunity lasts (only where there is a TXOP limit).
    txop_end: Time,
    /// Something may ride on the response, or it is late: its length and its end are known when it begins, and so is what
    /// observers are told of the exchange.
    open: Option<(Exchanged, Seen)>,
}

/// A response that nobody waits for any more (SoRa without numbers).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stray {
    /// None.
    #[default]
    None,
    /// To a frame that is sent again: it will be taken for the answer to that.
    Again,
    /// To the frame that was sent again: it will meet the next one.
    Next,
}

/// The medium of one BSS.
pub struct Medium {
    params: Params,
    band: Band,
    slot: Span,
    responses: Responses,
    stas: Vec<StaMac>,
    /// How late each station's responses are.
    late: Vec<Stream>,
    /// Responses without numbers that came too late, and what is taken for what because of them: by receiver of the data, of the access
    /// point by sender.
    stray: Vec<[Stray; 2]>,
    loss: Loss,
    /// The channel, if there is one, and by sender whether its rate control hears of it.
    channel: Option<Box<Channel>>,
    guided: Vec<bool>,
    /// By sender whose rate control is the ideal one, and receiver: the most that it may send with; else empty.
    ideal: Vec<Vec<Mode>>,
    contenders: Vec<Contender>,
    /// Contenders that take part, in no order that matters; and where each one stands in it.
    active: Vec<u16>,
    place: Vec<u16>,
    /// The access point's beacons, if it sends any.
    beacons: Option<Box<Beacons>>,
    /// From when AIFS counts, by station.
    reference: Vec<Time>,
    airtime: Vec<Span>,
    /// Carrier sense, physical or virtual, says busy until then.
    busy_until: Time,
    /// Of a PPDU of which nothing was decoded: its sender, its receiver, and its end. Neither has a NAV to keep.
    undecoded: Option<(StaIx, StaIx, Time)>,
    /// Where some stations are hidden from others: what each senses.
    hidden: Option<Box<Hidden>>,
    flight: Option<Flight>,
    next: Time,
    generation: u32,
    winners: Vec<(u16, Time)>,
    internal: Vec<u16>,
}

const NOWHERE: u16 = u16::MAX;

impl Medium {
    /// A medium with these stations; 0 is the access point.
    pub fn new(params: Params, band: Band, basic: &[Ofdm], stas: Vec<StaMac>, streams: &Streams) -> Medium {
        Medium::beside(params, band, basic, None, stas, McsLoss::default(), streams)
    }
    /// The same where MPDUs are lost by their modes, and where some stations are of 802.11b.
    pub fn beside(
        params: Params,
        band: Band,
        basic: &[Ofdm],
        erp: Option<Erp>,
        stas: Vec<StaMac>,
        by_mcs: McsLoss,
        streams: &Streams,
    ) -> Medium {
        let responses = Responses::beside(band, basic, erp);
        let (sifs, slot) = (band.sifs(), responses.slot());
        let mut contenders = Vec::with_capacity(stas.len() * Ac::COUNT);
        for (i, s) in stas.iter().enumerate() {
            for ac in Ac::ALL {
                let rng = streams.get(&s.name, ["backoff/vo", "backoff/vi", "backoff/be", "backoff/bk"][ac.ix()]);
                contenders.push(Contender::new(StaIx(i as u8), ac, s.access[ac.ix()], s.qos, sifs, slot, rng));
            }
        }
        let n = stas.len();
        Medium {
            params,
            band,
            slot,
            responses,
            loss: Loss::new(&stas, by_mcs, params.response_error, streams),
            channel: None,
            guided: vec![false; n],
            ideal: Vec::new(),
            beacons: None,
            place: vec![NOWHERE; contenders.len()],
            active: Vec::with_capacity(contenders.len()),
            contenders,
            late: stas.iter().map(|s| streams.get(&s.name, "sora/llack")).collect(),
            stray: vec![Default::default(); n],
            stas,
            reference: vec![Time::ZERO; n],
            airtime: vec![Span::ZERO; n],
            busy_until: Time::ZERO,
            undecoded: None,
            hidden: Hidden::new(params.places, n),
            flight: None,
            next: Time::NEVER,
            generation: 0,
            winners: Vec::with_capacity(n),
            internal: Vec::with_capacity(4),
        }
    }
    /// Frames are lost by this channel, too; the stations that are `guided` hear of it from their receivers.
    pub fn set_channel(&mut self, channel: Channel, guided: Vec<bool>, ideal: Vec<Vec<Mode>>) {
        (self.channel, self.guided, self.ideal) = (Some(Box::new(channel)), guided, ideal);
    }
    /// What `s` has put on the air so far.
    pub fn airtime(&self, s: StaIx) -> Span {
        self.airtime[s.ix()]
    }
    /// From now on every RTS goes at `rate`, whatever it protects.
    pub const fn set_rts_rate(&mut self, rate: Ofdm) {
        self.responses.set_rts_rate(rate);
    }
    /// Rates and durations of responses.
    pub fn responses(&self) -> &Responses {
        &self.responses
    }
    /// Packets that stand in a hardware queue though their receiver has got them since, in heads between arrival and report.
    /// `count`: the packets in these MPDUs of the head of that queue.
    pub fn received(&self, count: impl Fn(StaIx, Ac, Bitmap) -> u64) -> u64 {
        self.contenders.iter().filter(|c| !c.received.is_empty()).map(|c| count(c.sta, c.ac, c.received)).sum()
    }

    /// Whether `s` senses the exchange on the air.
    #[inline]
    fn senses(&self, s: StaIx) -> bool {
        self.flight.is_some() && self.hidden.as_ref().is_none_or(|h| h.senses(s))
    }

    /// Something may have come to a hardware queue of `s`.
    pub fn look<S: Stations>(&mut self, now: Time, s: StaIx, stations: &mut S) {
        for ac in Ac::ALL {
            self.look_at(now, s, ac, stations);
        }
    }

    /// Something may have come to hardware queue `ac` of `s`.
    #[inline]
    pub fn look_at<S: Stations>(&mut self, now: Time, s: StaIx, ac: Ac, stations: &mut S) {
        let i = s.ix() * Ac::COUNT + ac.ix();
        let c = &self.contenders[i];
        if !(c.ready || c.giving_up || stations.head(s, ac).is_none()) {
            self.enter(now, i, stations);
        }
    }

    /// Until when carrier sense says busy to `s`, where all hear each other.
    fn busy_for(&self, s: StaIx) -> Time {
        match self.undecoded {
            Some((from, to, end)) if s == from || s == to => end,
            _ => self.busy_until,
        }
    }

    /// Contender `i` has something to send.
    #[inline(never)] // seldom, beside the looks
    fn enter<S: Stations>(&mut self, now: Time, i: usize, stations: &mut S) {
        let sta = self.contenders[i].sta;
        let (senses, busy_until) = match &self.hidden {
            None => (self.flight.is_some(), self.busy_for(sta)),
            Some(h) => (self.flight.is_some() && h.senses(sta), h.busy_until(sta)),
        };
        let c = &mut self.contenders[i];
        let counted = c.backoff == 0 || (!senses && c.access(self.slot) < now);
        c.begin();
        let reference = self.reference[sta.ix()];
        if counted {
            c.backoff = 0;
            if senses || now < busy_until {
                c.draw();
                c.idle_from(reference);
            } else {
                c.arrive(now, reference, self.slot);
            }
        }
        let at = c.access(self.slot);
        self.enlist(i);
        if !senses && at < self.next {
            self.access_at(at, stations);
        }
    }

    /// An event that was asked for.
    pub fn on<S: Stations>(&mut self, now: Time, ev: MediumEvent, stations: &mut S) {
        match ev {
            MediumEvent::Access(g) if g == self.generation => self.access(now, stations),
            MediumEvent::Access(_) => {}
            MediumEvent::Tbtt => self.tbtt(now, stations),
            MediumEvent::Asked => self.answers(now, stations),
            MediumEvent::Arrive => {
                if self.hidden.is_some() {
                    let Some(f) = self.flight.as_mut().filter(|f| f.data_end == now) else { return }; // it was spoilt
                    f.data_end = Time::NEVER;
                    self.answers(now, stations);
                }
                let f = self.flight.as_ref().expect("data arrives of an exchange on the air");
                let open = f.open.is_some();
                let c = &mut self.contenders[f.contender as usize];
                let a = Arrival {
                    from: c.sta,
                    ac: c.ac,
                    decoded: f.decoded,
                    before: c.received,
                    airtime: f.airtime,
                    mode: f.mode,
                };
                c.received |= stations.arrived(now, &a);
                if open {
                    self.answer(now, &a, stations);
                }
            }
            MediumEvent::Done => self.done(now, stations),
            MediumEvent::GiveUp(i) => {
                let c = &mut self.contenders[i as usize];
                c.giving_up = false;
                c.received = Bitmap::NONE;
                let (sta, ac, report) = (c.sta, c.ac, c.pending);
                stations.done(now, sta, ac, &report);
                self.follow(now, i as usize, stations);
                self.look(now, sta, stations);
            }
        }
    }

    /// The driver was told of contender `i`, whose backoff is drawn already: what stands behind the old head comes next.
    fn follow<S: Stations>(&mut self, now: Time, i: usize, stations: &mut S) {
        let c = &self.contenders[i];
        let (sta, ac) = (c.sta, c.ac);
        if stations.head(sta, ac).is_none() {
            return;
        }
        let senses = self.senses(sta);
        let c = &mut self.contenders[i];
        c.begin();
        // An ACKTimeout that allows for late answers (SoRa) outlasts AIFS and a short backoff.
        if c.backoff == 0 || (!senses && c.access(self.slot) < now) {
            c.backoff = 0;
            c.arrive(now, self.reference[sta.ix()], self.slot);
        }
        let at = c.access(self.slot);
        self.enlist(i);
        if !senses && at < self.next {
            self.access_at(at, stations);
        }
    }

    fn enlist(&mut self, i: usize) {
        if self.place[i] == NOWHERE {
            self.place[i] = self.active.len() as u16;
            self.active.push(i as u16);
        }
    }

    fn access_at<S: Stations>(&mut self, at: Time, stations: &mut S) {
        self.next = at;
        self.generation = self.generation.wrapping_add(1);
        if !at.is_never() {
            stations.schedule(at, Lane::Medium, MediumEvent::Access(self.generation));
        }
    }

    /// References have changed: AIFS counts anew for everybody, and the earliest access is found.
    fn idle<S: Stations>(&mut self, stations: &mut S) {
        if self.hidden.is_some() {
            return self.idle_apart(stations);
        }
        let mut next = self.beacon_from();
        let mut k = 0;
        while k < self.active.len() {
            let i = self.active[k] as usize;
            let c = &mut self.contenders[i];
            if !c.is_active() {
                self.place[i] = NOWHERE;
                self.active.swap_remove(k);
                if let Some(&moved) = self.active.get(k) {
                    self.place[moved as usize] = k as u16;
                }
                continue;
            }
            c.idle_from(self.reference[c.sta.ix()]);
            if c.ready {
                next = next.min(c.access(self.slot));
            }
            k += 1;
        }
        self.access_at(next, stations);
    }

    /// The earliest access has come: finds who sends, freezes everybody else.
    fn access<S: Stations>(&mut self, now: Time, stations: &mut S) {
        self.winners.clear();
        self.internal.clear();
        let unnoticed = now + duration::CCA_TIME;
        for &i in &self.active {
            let c = &self.contenders[i as usize];
            let at = c.access(self.slot);
            if !c.ready || at >= unnoticed || self.senses(c.sta) {
                continue;
            }
            let rival = self.winners.iter_mut().find(|w| self.contenders[w.0 as usize].sta == c.sta);
            match rival {
                None => self.winners.push((i, at)),
                Some(w) => {
                    let other = &self.contenders[w.0 as usize];
                    let loser = if (at, c.ac) < (w.1, other.ac) { core::mem::replace(w, (i, at)).0 } else { i };
                    if self.contenders[loser as usize].access(self.slot) == w.1 {
                        self.internal.push(loser);
                    }
                }
            }
        }
        let beacon = self.beacon_goes(unnoticed);
        match self.hidden.take() {
            None => {
                for k in 0..self.active.len() {
                    self.contenders[self.active[k] as usize].freeze(now, self.slot);
                }
            }
            Some(h) => {
                for k in 0..self.active.len() {
                    let i = self.active[k] as usize;
                    if beacon.is_some() || self.notices(&h, self.contenders[i].sta) {
                        self.contenders[i].freeze(now, self.slot);
                    }
                }
                self.hidden = Some(h);
            }
        }
        for &(i, _) in &self.winners {
            self.contenders[i as usize].backoff = 0;
        }
        for &i in &self.internal {
            let limit = self.stas[self.contenders[i as usize].sta.ix()].window_limit;
            self.contenders[i as usize].failed(limit);
        }
        if let Some(at) = beacon {
            self.beacon(now, at, stations);
        } else if self.flight.is_some() {
            self.spoil(stations);
            self.collide(now, stations);
        } else if let [(i, at)] = self.winners[..] {
            let txop = self.contenders[i as usize].txop;
            self.send(i, at, at + txop, stations);
        } else {
            self.collide(now, stations);
        }
    }
}
