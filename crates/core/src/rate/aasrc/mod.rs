//! AASRC: Aggregation Aware Source Rate Control. It probes the next higher rate with a whole aggregate, and waits longer after each probe that
//! fails.
//!
//! Stands for: A. Zhushi's thesis, section 5.5, equations 5.1 to 5.5; what it leaves open is decided in docs/mechanisms/aasrc.md, for this half and the
//! kernel's alike. With a [`Guide`] it is AARC ([`super::aarc`]).
//! Differs: D1 several streams are a ladder by PHY rate (the thesis has one stream); D2 the driver's own question for the size of an aggregate
//! (AAQ's) is answered with the normal chain.

mod known;

pub use known::Known;

use super::aarc::Guide;
use super::{Choice, Went};
use crate::phy::Mode;
use crate::phy::channel::Feedback;
use crate::sim::{Span, Time};
use crate::wifi::{Attempt, Chain, Mark, StaIx};
use known::Tuning;

crate::params! {
    /// `[aasrc]`.
    pub struct Params {
        /// A rate that failed again and again is probed every so many milliseconds; rounded down to a power of two.
        max_backoff: Span = Span::from_ms(32), in Span::from_ms(1) => Span::from_ms(4096), src "thesis figure 5.3";
        /// Length of a packet in equation 5.3, bytes.
        pkt_bytes: u16 = 1200, in 64 => 2304, unit "bytes", src "thesis 5.5";
        /// MAC overhead in equation 5.2.
        overhead: Span = Span::from_ns(117_500), in Span::from_us(1) => Span::from_ms(10), src "thesis 5.5: mean contention, DIFS, SIFS: 67.5 + 34 + 16 us";
        /// Frames after which a rate's counts are halved.
        window: u16 = 256, in 16 => 32_768, src "this project, docs/mechanisms/aasrc.md";
        /// Units were given out and nothing was reported for so long: those that follow go at the rate below, until the next report.
        silence: Span = Span::from_ms(50), in Span::from_ms(1) => Span::from_s(10), src "this project: ath9k says nothing of aggregates that are wholly lost";
    }
}

/// Frames that a judgement of the current rate needs.
const ENOUGH: u32 = 32;
/// The link of a chain that is behind all that a unit may have, and so free to bear a mark: drivers hand a chain back as they were given it.
const MARK: usize = 3;

/// What it did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Units reported, and frames in them.
    pub units: u64,
    /// Frames reported.
    pub frames: u64,
    /// Probes, and frames in those that were reported.
    pub probes: u64,
    /// Frames in probes.
    pub probe_frames: u64,
    /// Probes after which the rate was used.
    pub probes_ok: u64,
    /// Probes that other reports overtook for longer than `silence`.
    pub probes_lost: u64,
    /// Of the probes, those that feedback called for.
    pub forced: u64,
    /// Of these, those after which the rate was used.
    pub forced_ok: u64,
    /// Steps down.
    pub downs: u64,
    /// PPDUs that a receiver reported.
    pub reports: u64,
    /// Those of these reports that were heard.
    pub heard: u64,
    /// How old they were then, all together: since the end of the PPDU.
    pub age_ns: u64,
    /// Bars that they lifted.
    pub lifted: u64,
}

/// A probe that is out.
#[derive(Clone, Copy, Debug)]
struct Probe {
    rate: usize,
    at: Time,
    forced: bool,
}

/// One peer: the state machine. Told the time and an event; owns no clock.
#[derive(Clone, Debug)]
pub struct Machine {
    tuning: Tuning,
    silence: Span,
    max_b: u8,
    /// The ladder, slowest first.
    modes: Vec<Mode>,
    rates: Vec<Known>,
    current: usize,
    probe: Option<Probe>,
    /// Since when units are out of which nothing was reported, or since the last silence of these.
    unheard: Option<Time>,
    /// There was one: units go at the rate below the current one.
    lowered: bool,
    guide: Option<Guide>,
    counts: Counts,
}

/// The rates of `fastest`'s width and guard interval with at most its streams, by PHY rate, each faster than the one before.
fn ladder(fastest: Mode) -> Vec<Mode> {
    let mut all: Vec<Mode> = (0..Mode::COUNT)
        .filter_map(Mode::from_number)
        .filter(|m| match (m, fastest) {
            (Mode::Ofdm(_), Mode::Ofdm(_)) => true,
            (Mode::Ht(_), Mode::Ht(_)) | (Mode::Vht(_), Mode::Vht(_)) => {
                m.mhz() == fastest.mhz() && m.short_gi() == fastest.short_gi() && m.streams() <= fastest.streams()
            }
            (Mode::He(h), Mode::He(f)) => h.width == f.width && h.gi == f.gi && h.streams() <= f.streams(),
            _ => false,
        })
        .collect();
    all.sort_by_key(|m| (m.rate().bps(), m.streams()));
    all.dedup_by_key(|m| m.rate().bps());
    all
}

impl Machine {
    /// A peer that can be sent to with at most the streams, the width and the guard interval of `fastest`.
    pub fn new(p: &Params, fastest: Mode, guide: Option<Guide>) -> Machine {
        let modes = ladder(fastest);
        let max = guide.as_ref().map_or(p.max_backoff, Guide::max_backoff);
        Machine {
            tuning: Tuning::new(p),
            silence: p.silence,
            max_b: (max.us() / 1000).max(1).ilog2() as u8,
            rates: modes.iter().map(|m| Known::new((m.rate().bps() / 1000) as u32)).collect(),
            modes,
            current: 0,
            probe: None,
            unheard: None,
            lowered: false,
            guide,
            counts: Counts::default(),
        }
    }
    /// What it did so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }
    /// The rate in use.
    pub fn current(&self) -> Mode {
        self.modes[self.current]
    }

    /// The chain of a unit that is no probe.
    pub fn normal(&self) -> Chain {
        let at = self.current - usize::from(self.lowered);
        let mut chain = [Attempt::NONE; 4];
        self.fall_back(at, &mut chain);
        if at == 0 {
            chain[0].tries = 4;
        }
        if self.lowered {
            chain[MARK] = self.mark();
        }
        chain
    }
    fn fall_back(&self, at: usize, chain: &mut [Attempt]) {
        chain[0] = Attempt { mode: self.modes[at], tries: 2 };
        if let Some(below) = at.checked_sub(1) {
            chain[1] = Attempt { mode: self.modes[below], tries: 2 };
        }
    }
    /// What a unit bears that goes at the rate below the current one: a link that is not tried.
    fn mark(&self) -> Attempt {
        Attempt { mode: self.modes[self.current], tries: 0 }
    }

    /// What the next unit is sent with.
    pub fn choose(&mut self, now: Time) -> Chain {
        self.hear(now);
        self.listen(now);
        self.unheard.get_or_insert(now);
        let up = self.current + 1;
        if self.lowered || self.probe.is_some() || self.rates.get(up).is_none_or(|r| now < r.barred_until) {
            return self.normal();
        }
        let forced = core::mem::take(&mut self.rates[up].forced);
        self.counts.probes += 1;
        self.counts.forced += u64::from(forced);
        self.probe = Some(Probe { rate: up, at: now, forced });
        let mut chain = [Attempt::NONE; 4];
        chain[0] = Attempt { mode: self.modes[up], tries: 1 };
        self.fall_back(self.current, &mut chain[1..]);
        chain
    }

    /// A unit is over: `tried` links of `chain` were, the last of which left `bad` of its `frames` unacknowledged.
    pub fn report(&mut self, now: Time, chain: &Chain, tried: usize, frames: u16, bad: u16) {
        self.hear(now);
        self.listen(now);
        self.unheard = None;
        if self.lowered && chain[MARK] == self.mark() {
            self.step_down(); // formed in silence, and heard before those formed earlier: they were lost
        }
        self.lowered = false;
        self.counts.units += 1;
        self.counts.frames += u64::from(frames);
        let links = &chain[..tried];
        let probe = self.probe.take_if(|p| links[0].tries == 1 && links[0].mode == self.modes[p.rate]);
        if let Some(p) = probe.filter(|p| p.forced) {
            self.rates[p.rate].forget_counts();
        }
        if let Some(p) = self.probe.take_if(|p| now >= p.at + self.silence) {
            self.counts.probes_lost += 1;
            self.fail(now, p.rate); // others are reported, it is not
        }
        for (i, link) in links.iter().enumerate() {
            if let Some(r) = self.modes.iter().position(|m| *m == link.mode) {
                let failed = if i + 1 < tried { frames } else { bad };
                self.rates[r].add(frames, failed, &self.tuning);
            }
        }
        if let Some(p) = probe {
            self.counts.probe_frames += u64::from(frames);
            if p.rate == self.current + 1 {
                if tried == 1 && bad < frames && self.rates[p.rate].sent << 9 < self.rates[self.current].avg {
                    return; // too few frames to tell: the next unit goes on with it
                }
                if tried == 1 && bad < frames && self.beats(p.rate, self.current) {
                    self.counts.probes_ok += 1;
                    self.counts.forced_ok += u64::from(p.forced);
                    self.rates[p.rate].b = 0;
                    self.current = p.rate;
                    return;
                }
                self.fail(now, p.rate);
            }
        }
        for (i, link) in links.iter().enumerate() {
            if link.mode == self.modes[self.current] {
                let through = i + 1 == tried && bad < frames;
                let below = self.current.checked_sub(1);
                let poor =
                    self.rates[self.current].sent >= ENOUGH && below.is_some_and(|b| self.beats(b, self.current));
                if !through || poor {
                    self.step_down();
                }
            }
        }
    }

    /// Notes what silence there was by now. It alone decides nothing: a rate that does not carry, and a unit that waits long for the air, are
    /// alike until the next report. Where units go at the rate below already, they were heard of as little: that step is taken.
    fn listen(&mut self, now: Time) {
        while let Some(since) = self.unheard.filter(|&t| self.current > 0 && now >= t + self.silence) {
            self.unheard = Some(since + self.silence);
            if self.lowered {
                self.step_down();
            }
            self.lowered = self.current > 0;
        }
    }

    /// Feedback of a PPDU to the peer: when it was sent, at which mode, and whether its response came.
    pub fn feedback(&mut self, now: Time, mode: Mode, answered: bool, f: &Feedback) {
        let higher = self.modes.iter().position(|m| *m == mode).map(|i| self.modes[(i + 1).min(self.modes.len() - 1)]);
        if let Some(g) = &mut self.guide {
            self.counts.reports += 1;
            g.sent(now, higher.unwrap_or(mode), answered, f);
        }
    }
    /// Takes in what feedback has arrived by now.
    fn hear(&mut self, now: Time) {
        let Some(g) = &mut self.guide else { return };
        while let Some(told) = g.arrived(now) {
            self.counts.heard += 1;
            self.counts.age_ns += (now - told.measured()).ns() as u64;
            let up = self.current + 1;
            let Some(rate) = self.rates.get_mut(up) else { continue };
            if now >= rate.barred_until {
                continue;
            }
            let Some(value) = g.of(&told, self.modes[up]) else { continue };
            match rate.reference {
                None => rate.reference = Some(value),
                Some(reference) if value - reference > g.threshold() => {
                    rate.barred_until = now;
                    rate.forced = true;
                    self.counts.lifted += 1;
                }
                Some(_) => {}
            }
        }
    }
    fn last(&self, rate: usize) -> Option<i32> {
        let g = self.guide.as_ref()?;
        g.last(self.modes[rate])
    }

    /// Whether rate `a` carries more than rate `b`; one of which nothing is known is taken as without losses and with the other's aggregates.
    fn beats(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.rates[a], &self.rates[b]);
        a.throughput(b.avg, &self.tuning) > b.throughput(a.avg, &self.tuning)
    }
    /// A probe of `rate` has failed.
    fn fail(&mut self, now: Time, rate: usize) {
        let reference = self.last(rate);
        self.rates[rate].bar(now, reference, self.max_b);
    }
    /// The current rate does not carry: what was counted at it and at the one above is of another channel.
    fn step_down(&mut self) {
        let Some(below) = self.current.checked_sub(1) else { return };
        self.counts.downs += 1;
        for rate in self.rates.iter_mut().skip(self.current).take(2) {
            rate.forget();
            rate.forced = false;
        }
        self.current = below;
    }
}

/// AASRC or AARC of one device: a machine a peer.
#[derive(Clone, Debug)]
pub struct Control {
    peers: Vec<Machine>,
}

impl Control {
    /// A device that sends to station `i` with at most `fastest[i]`'s streams, width and guard interval.
    pub fn new(p: &Params, fastest: &[Mode], mut guide: impl FnMut() -> Option<Guide>) -> Control {
        Control { peers: fastest.iter().map(|&m| Machine::new(p, m, guide())).collect() }
    }
    /// What it did, over all peers.
    pub fn counts(&self) -> Counts {
        self.peers.iter().fold(Counts::default(), |a, p| {
            let b = p.counts;
            Counts {
                units: a.units + b.units,
                frames: a.frames + b.frames,
                probes: a.probes + b.probes,
                probe_frames: a.probe_frames + b.probe_frames,
                probes_ok: a.probes_ok + b.probes_ok,
                probes_lost: a.probes_lost + b.probes_lost,
                forced: a.forced + b.forced,
                forced_ok: a.forced_ok + b.forced_ok,
                downs: a.downs + b.downs,
                reports: a.reports + b.reports,
                heard: a.heard + b.heard,
                age_ns: a.age_ns + b.age_ns,
                lifted: a.lifted + b.lifted,
            }
        })
    }
    /// Feedback from a peer.
    pub fn feedback(&mut self, now: Time, to: StaIx, mode: Mode, answered: bool, f: &Feedback) {
        self.peers[to.ix()].feedback(now, mode, answered, f);
    }
}

fn sent_with(chain: Chain) -> Choice {
    Choice { chain, probe: false, rts_fallback: false, first_rts: chain[0].tries }
}

impl super::Control for Control {
    fn choose(&mut self, now: Time, to: StaIx, _mark: Mark) -> Choice {
        sent_with(self.peers[to.ix()].choose(now))
    }
    fn expect(&mut self, now: Time, to: StaIx) -> Choice {
        let peer = &mut self.peers[to.ix()];
        peer.listen(now);
        sent_with(peer.normal())
    }
    fn report(&mut self, now: Time, to: StaIx, went: &Went<'_>) {
        let tried = usize::from(went.report.link) + 1;
        self.peers[to.ix()].report(now, went.chain, tried, went.frames, went.bad);
    }
}

#[cfg(test)]
mod tests;
