//! Minstrel-HT of a device: one a peer, asked for each frame, each burst and told of each status.
//!
//! Stands for: linux@6.12 net/mac80211/rc80211_minstrel_ht.c minstrel_ht_get_rate, minstrel_ht_set_rate, minstrel_ht_txstat_valid;
//! net/mac80211/rate.c rate_control_fill_sta_table and ath9k/xmit.c ath_merge_ratetbl (a probe's rate stands before the station's
//! table, whose first rate it replaces), rate_control_apply_mask; rate_fixup_ratelist (the preamble of CCK rates, until ath9k has a table of its own).
//!
//! Of management frames it hears as of any others (net/mac80211/status.c ieee80211_tx_status_ext: rate_control_tx_status asks what station a frame
//! went to, not what it is; ath9k/xmit.c ath_tx_status tells of each), and they go at the lowest rate of the band (rate.c rate_control_send_low).
//! Which of them there are before a run: [`Control::before`].

use super::groups::{CCK, RATES};
use super::rules::Rules;
use super::{
    Cck, Hardware, MinstrelHt, Overhead, Params, Rate, RateStats, RateTable, Status, Supports, Table, V318, Version,
};
use crate::phy::{Ht, Mode, Width};
use crate::rate::{Choice, Went};
use crate::sim::{Stream, Time};
use crate::wifi::{Attempt, Chain, Mark, StaIx};

/// What knows a peer.
#[derive(Clone, Debug)]
enum Minstrel {
    V6_12(Box<MinstrelHt>),
    Old(Box<V318>),
}

impl Minstrel {
    fn probe(&mut self, jiffies: u32, short: bool) -> Option<Rate> {
        match self {
            Minstrel::V6_12(m) => m.probe(jiffies, short),
            Minstrel::Old(m) => m.probe(short),
        }
    }
    fn status(&mut self, jiffies: u32, status: &Status<'_>) -> bool {
        match self {
            Minstrel::V6_12(m) => m.status(jiffies, status),
            Minstrel::Old(m) => m.status(jiffies, status),
        }
    }
    fn associated(&mut self, jiffies: u32) {
        match self {
            Minstrel::V6_12(m) => m.associated(jiffies),
            Minstrel::Old(m) => m.associated(jiffies),
        }
    }
    fn chain(&self) -> &RateTable {
        match self {
            Minstrel::V6_12(m) => m.chain(),
            Minstrel::Old(m) => m.chain(),
        }
    }
}

/// One peer.
#[derive(Clone, Debug)]
struct Peer {
    minstrel: Minstrel,
    /// What frames that are no probes are sent with.
    choice: Choice,
    /// How often that was made anew.
    tables: u32,
}

/// The rate control of one device.
#[derive(Clone, Debug)]
pub struct Control {
    hz: u32,
    early: bool,
    /// `[minstrel_ht] bitrates`.
    only: Option<u8>,
    cck: Option<Cck>,
    peers: Vec<Peer>,
}

/// Which management frames a device has sent to a peer before a run begins, since its rate control began. All were acknowledged, or the run could not
/// begin as it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Before {
    /// It is the access point, which answers an association. hostapd makes the station an associated one first, so that its rate control has
    /// begun; a station's begins with that answer, so that its own authentication and association are not heard of.
    /// src: linux@6.12 net/mac80211/cfg.c sta_apply_auth_flags, mlme.c ieee80211_assoc_success (both: rate_control_rate_init)
    pub access_point: bool,
    /// It asked for an agreement (agg-tx.c ieee80211_send_addba_request).
    pub asked: bool,
    /// It answered a request for one (agg-rx.c ieee80211_send_addba_resp).
    pub answered: bool,
}

/// What a peer takes that can be sent at most `fastest`.
fn supports(fastest: Mode) -> Supports {
    let streams = fastest.streams() as usize;
    let mut s = Supports { width_mhz: fastest.mhz().min(80), short_gi: [fastest.short_gi(); 3], ..Supports::default() };
    match fastest {
        Mode::Dsss(_) => unreachable!("an 802.11b station has a fixed rate (BssConfig::check)"),
        Mode::Ofdm(_) => s.ofdm = 0xff,
        Mode::Ht(_) => s.ht = Some(core::array::from_fn(|i| if i < streams { 0xff } else { 0 })),
        // It has no groups of HE: a peer that does HE is one of its VHT capabilities to it.
        Mode::Vht(_) | Mode::He(_) => s.vht = Some(core::array::from_fn(|i| (i < streams).then_some(9))),
    }
    s
}

/// `rate_control_apply_mask` with one HT MCS allowed: no other part of an HT rate changes.
fn masked(mode: Mode, only: Option<u8>) -> Mode {
    match (mode, only) {
        (Mode::Ht(h), Some(mcs)) => Ht::new(mcs, h.mhz40, h.sgi).map_or(mode, Mode::Ht),
        _ => mode,
    }
}

impl Cck {
    /// The mode in which a rate goes out: whether a CCK rate has the short preamble is not the rate's affair, but the frame's and the driver's.
    fn mode(of: Option<Cck>, r: Rate) -> Mode {
        let short = r.group() == CCK && r.long().index() > 0 && of.is_some_and(|c| c.short && c.flagged);
        Rate::new(r.group(), r.long().index() + if short { 4 } else { 0 }).mode()
    }
}

/// What a frame that is no probe is sent with.
fn chosen(m: &Minstrel, only: Option<u8>, cck: Option<Cck>) -> Choice {
    let (mut chain, mut first_rts) = ([Attempt::NONE; 4], 0);
    for (i, (a, link)) in chain.iter_mut().zip(m.chain()).enumerate() {
        let Some((rate, tries)) = link else { break };
        let mode = masked(Cck::mode(cck, *rate), only);
        *a = if i == 0 {
            first_rts = tries.rts;
            Attempt { mode, tries: tries.plain }
        } else {
            Attempt { mode, tries: tries.rts }
        };
    }
    Choice { chain, probe: false, rts_fallback: true, first_rts }
}

impl Control {
    /// A device that sends to station `i` with at most the streams, the width and the guard interval of `fastest[i]`, and has CCK rates if it has them to all.
    /// `random`: the sample table.
    pub fn new(
        par: &Params,
        hardware: Hardware,
        cck: Option<Cck>,
        fastest: &[Mode],
        hz: u32,
        random: &mut Stream,
    ) -> Control {
        // All four, and those with the short preamble, which 1 Mbit/s has not. src: ath9k/common-init.c ath9k_legacy_rates
        let rates = if cck.is_some() { 0xef } else { 0 };
        Control::knowing(|m| Supports { cck: rates, ..supports(m) }, par, hardware, cck, fastest, hz, random)
    }
    /// The same where what it chooses is not asked for, and everything to station `i` goes out at the MCS of `fixed[i]`: of no other it hears.
    pub fn told(par: &Params, hardware: Hardware, fixed: &[Mode], hz: u32, random: &mut Stream) -> Control {
        let only = |mode: Mode| {
            let (streams, mcs) = (mode.streams() as usize, mode.mcs() % 8);
            Supports {
                ht: Some(core::array::from_fn(|i| if i + 1 == streams { 1 << mcs } else { 0 })),
                ..supports(mode)
            }
        };
        Control::knowing(only, par, hardware, None, fixed, hz, random)
    }
    fn knowing(
        supports: impl Fn(Mode) -> Supports,
        par: &Params,
        hardware: Hardware,
        cck: Option<Cck>,
        fastest: &[Mode],
        hz: u32,
        random: &mut Stream,
    ) -> Control {
        let mut random = || random.bits() as u8;
        // A frame that does not aggregate is taken to be answered at the lowest rate of the band.
        let overhead = if cck.is_some() { Overhead::new(10, false) } else { Overhead::new(60, true) };
        let only = par.bitrates.map(|mcs| mcs as u8);
        let version = par.version.or(Version::V6_12);
        let (old, hardware) = (Rules::of(version), version.fills(hardware));
        let columns = Table::of(old.map_or(RATES, |rules| rules.rows), &mut random);
        let peer = |&mode| {
            let s = supports(mode);
            let minstrel = match old {
                Some(rules) => Minstrel::Old(Box::new(V318::new(rules, &s, overhead, hardware, columns, hz, 0))),
                None => Minstrel::V6_12(Box::new(MinstrelHt::new(&s, overhead, hardware, columns, hz, 0))),
            };
            Peer { choice: chosen(&minstrel, only, cck), tables: 0, minstrel }
        };
        Control { hz, early: old.is_some(), only, cck, peers: fastest.iter().map(peer).collect() }
    }
    /// It is asked for a frame that enters a TXQ, not for one that leaves it: before 5.14.
    /// src: linux@5.10 net/mac80211/tx.c ieee80211_xmit_fast; linux@6.12 ieee80211_tx_dequeue
    pub fn asks_early(&self) -> bool {
        self.early
    }
    /// See [`Rates::expected_kbit`](crate::rate::Rates::expected_kbit).
    pub fn expected_kbit(&self, to: StaIx) -> Option<u32> {
        match &self.peers[to.ix()].minstrel {
            Minstrel::Old(m) => Some(m.expected_kbit()),
            Minstrel::V6_12(m) => Some(m.station().expected_kbit()),
        }
    }
    /// See [`Rates::rc_stats`](crate::rate::Rates::rc_stats).
    pub fn rc_stats(&self, to: StaIx) -> Option<(Vec<RateStats>, u32)> {
        match &self.peers[to.ix()].minstrel {
            Minstrel::V6_12(m) => Some((m.rc_stats(), m.station().avg_ampdu_len())),
            Minstrel::Old(_) => None,
        }
    }
    /// See [`Rates::table`](crate::rate::Rates::table).
    pub fn table(&self, to: StaIx) -> (Chain, u32) {
        let p = &self.peers[to.ix()];
        (p.choice.chain, p.tables)
    }
    /// See [`Rates::bar`](crate::rate::Rates::bar).
    pub fn bar(&mut self, now: Time, to: StaIx, tries: u8, acked: bool) {
        // It goes at the lowest rate of the band (rate_control_send_low), which is one of a station's if that has CCK rates.
        let lowest = [(Rate::new(CCK, 0), tries)];
        let tried = if self.cck.is_some() { &lowest[..] } else { &[] };
        self.status(now, to, &Status { tried, frames: 1, acked: acked.into() });
    }
    /// Before a run it sent `frames` to `to`. An agreement is asked for by the first frame of data, and a station is the first to have some: so the
    /// request goes in the interval in which the run begins, which that frame's status began, while at an access point that has sent no data
    /// it is the answer whose status ends the interval of the association. (tx.c ieee80211_aggr_check, when the frame has been handed on)
    /// Nothing becomes of it where the lowest rate of the band is none of the station's: at 5 GHz 802.11n's have no 6 Mbit/s. (802.11a's have, and begin
    /// at it; that it arrived they are not told here.)
    pub fn before(&mut self, to: StaIx, frames: Before) {
        if self.cck.is_none() {
            return;
        }
        let sent = |c: &mut Control, jiffies, is: bool| {
            let frame = Status { tried: &[(Rate::new(CCK, 0), 1)], frames: 1, acked: 1 };
            is.then(|| c.status_at(jiffies, to, &frame));
        };
        if frames.access_point {
            // A second: any time that is longer than an interval comes to the same.
            let associated = 0u32.wrapping_sub(self.hz);
            self.peers[to.ix()].minstrel.associated(associated);
            sent(self, associated, true);
        }
        sent(self, 0, frames.answered);
        sent(self, 0, frames.asked);
    }
    fn status(&mut self, now: Time, to: StaIx, status: &Status<'_>) {
        self.status_at(self.jiffies(now), to, status);
    }
    fn status_at(&mut self, jiffies: u32, to: StaIx, status: &Status<'_>) {
        let p = &mut self.peers[to.ix()];
        if p.minstrel.status(jiffies, status) {
            p.choice = chosen(&p.minstrel, self.only, self.cck);
            p.tables += 1;
        }
    }
    fn jiffies(&self, now: Time) -> u32 {
        (now.ns() * u64::from(self.hz) / 1_000_000_000) as u32
    }
}

impl crate::rate::Control for Control {
    fn frame(&mut self, now: Time, to: StaIx) -> Mark {
        let jiffies = self.jiffies(now);
        let short = self.cck.is_some_and(|c| c.short);
        self.peers[to.ix()].minstrel.probe(jiffies, short).map_or(Mark::NONE, |r| Mark(r.number()))
    }
    fn choose(&mut self, _now: Time, to: StaIx, mark: Mark) -> Choice {
        let mut choice = self.peers[to.ix()].choice;
        if mark.probes() {
            let mode = Cck::mode(self.cck, Rate::from_number(mark.0));
            choice.chain[0] = Attempt { mode: masked(mode, self.only), tries: 1 };
            (choice.probe, choice.first_rts) = (true, 1);
        }
        choice
    }
    fn report(&mut self, now: Time, to: StaIx, went: &Went<'_>) {
        let last = usize::from(went.report.link);
        let mut tried = [(Rate::default(), 0); 4];
        for (i, (t, a)) in tried.iter_mut().zip(went.chain).enumerate().take(last + 1) {
            *t = (Rate::of_mode(a.mode).unwrap_or_default(), if i == last { went.report.tries } else { a.tries });
        }
        let status = Status { tried: &tried[..=last], frames: went.frames, acked: went.frames - went.bad };
        self.status(now, to, &status);
    }
}

impl Rate {
    /// The rate as it is sent, a CCK rate with the preamble that its index says. Panics for one that the standard has not.
    pub fn mode(self) -> Mode {
        use super::groups::{Group, Kind};
        use crate::phy::{Dsss, Hr, Ht, Ofdm, Vht};
        let &Group { kind, streams, short_gi, bw, .. } = self.of();
        let mode = match kind {
            Kind::Ofdm => Some(Mode::Ofdm(Ofdm::ALL[usize::from(self.index())])),
            Kind::Ht => Ht::new((streams - 1) * 8 + self.index(), bw == 1, short_gi).map(Mode::Ht),
            Kind::Vht => Vht::new(self.index(), streams, Width::ALL[usize::from(bw)], short_gi).map(Mode::Vht),
            Kind::Cck => {
                let rate = Dsss::ALL[usize::from(self.long().index())];
                Some(Mode::Dsss(Hr { rate, short: self.index() >= 4 }))
            }
        };
        mode.unwrap_or_else(|| panic!("{self:?} is a rate that the standard has"))
    }
    /// The rate of a mode; none of HE. Panics where Minstrel-HT has none (160 MHz, five streams).
    pub fn of_mode(mode: Mode) -> Option<Rate> {
        use super::groups::{OFDM, VHT};
        let group = |bw: u8, sgi: bool, streams: u32| bw * 8 + 4 * u8::from(sgi) + streams as u8 - 1;
        Some(match mode {
            Mode::Dsss(h) => Rate::new(CCK, h.rate as u8 + if h.short { 4 } else { 0 }),
            Mode::Ofdm(r) => Rate::new(OFDM, r as u8),
            Mode::Ht(h) => Rate::new(group(u8::from(h.mhz40), h.sgi, h.streams()), h.mcs() % 8),
            Mode::Vht(v) => Rate::new(VHT + group(v.width as u8, v.sgi, v.streams()), v.mcs()),
            Mode::He(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::groups::{GROUPS, table};
    use super::*;

    #[test]
    fn with_one_mcs_left_every_rate_goes_out_at_it() {
        use crate::rate::Control as _;
        use crate::wifi::Report;
        let fastest = Mode::Ht(Ht::new(15, false, true).unwrap());
        for version in [Version::V6_12, Version::V5_10, Version::V4_9, Version::V3_18] {
            let par = Params { version: crate::sim::Auto::Set(version), bitrates: Some(4) };
            let mut random = crate::sim::Streams::new(1).get("ap", "rate/samples");
            let mut c = Control::new(&par, Hardware::ATH9K, None, &[fastest], 250, &mut random);
            let mut probes = 0;
            for ms in 0..2_000 {
                let now = Time::from_ms(ms);
                let mark = c.frame(now, StaIx(0));
                probes += u32::from(mark.probes());
                let chain = c.choose(now, StaIx(0), mark).chain;
                let used = chain.iter().take_while(|a| a.tries > 0);
                for a in used {
                    assert!(matches!(a.mode, Mode::Ht(h) if h.mcs() == 4 && !h.mhz40), "{version:?} {:?}", a.mode);
                }
                let report = Report { link: 0, tries: 1, ..Report::default() };
                c.report(now, StaIx(0), &Went { chain: &chain, report: &report, frames: 1, bad: 0 });
            }
            // A probe of a rate with the short guard interval told it of this MCS, which it is faster at.
            let first = c.choose(Time::from_ms(2_000), StaIx(0), Mark::NONE).chain[0];
            assert!(first.mode.short_gi() && probes > 20, "{version:?}: {first:?}, {probes} probes");
        }
    }

    /// Up to 5.15 the third best rate has no place in the chain, though ath9k has room for four.
    #[test]
    fn a_chain_of_5_15_has_three_rates() {
        use crate::rate::Control as _;
        for (version, rates) in [(Version::V5_15, 3), (Version::V6_12, 4)] {
            let par = Params { version: crate::sim::Auto::Set(version), bitrates: None };
            let mut random = crate::sim::Streams::new(1).get("ap", "rate/samples");
            let mut c = Control::new(
                &par,
                Hardware::ATH9K,
                None,
                &[Mode::Ht(Ht::new(15, false, true).unwrap())],
                250,
                &mut random,
            );
            let chain = c.choose(Time::ZERO, StaIx(0), Mark::NONE).chain;
            assert_eq!(chain.iter().take_while(|a| a.tries > 0).count(), rates, "{version:?}");
        }
    }

    /// An interval of one A-MPDU of 31 frames and a BAR has 16 a unit: the mean moves from one by a quarter of 15.
    #[test]
    fn a_bar_counts_as_an_aggregate_of_one() {
        use crate::rate::Control as _;
        use crate::wifi::Report;
        for bars in [0, 1] {
            let mut random = crate::sim::Streams::new(1).get("ap", "rate/samples");
            let top = Mode::Ht(Ht::new(7, false, false).unwrap());
            let mut c = Control::new(&Params::default(), Hardware::ATH9K, None, &[top], 1000, &mut random);
            let chain = c.choose(Time::ZERO, StaIx(0), Mark::NONE).chain;
            let report = Report { link: 0, tries: 1, ..Report::default() };
            (0..bars).for_each(|_| c.bar(Time::from_ms(1), StaIx(0), 1, true));
            c.report(Time::from_ms(60), StaIx(0), &Went { chain: &chain, report: &report, frames: 31, bad: 0 });
            let mean = 4096 * (31 + bars) / (1 + bars);
            assert_eq!(c.rc_stats(StaIx(0)).unwrap().1, 4096 + (mean - 4096) / 4);
            let tried: u32 = c.rc_stats(StaIx(0)).unwrap().0.iter().map(|r| r.ever.1).sum();
            assert_eq!(tried, 31, "of its rate nothing is counted");
        }
    }

    /// Nothing of 802.11n gets through, CCK does: each version comes to 11 Mbit/s, with the preamble that the frame and the driver have it with. An MPDU
    /// of 802.11n that fails is one of 32; a CCK frame goes alone.
    #[test]
    fn where_only_cck_gets_through_it_is_found() {
        use crate::phy::{Dsss, Hr};
        use crate::rate::Control as _;
        use crate::wifi::Report;
        let top = Mode::Ht(Ht::new(15, false, true).unwrap());
        let old = [Version::V3_18, Version::V4_4, Version::V4_9, Version::V4_14, Version::V5_4, Version::V5_10];
        let new = [Version::V5_15, Version::V6_12];
        for version in old.into_iter().chain(new) {
            for (short, flagged) in [(false, true), (true, true), (true, false)] {
                let par = Params { version: crate::sim::Auto::Set(version), bitrates: None };
                let mut random = crate::sim::Streams::new(1).get("ap", "rate/samples");
                let cck = Some(Cck { short, flagged });
                let mut c = Control::new(&par, Hardware::ATH9K, cck, &[top], 250, &mut random);
                for ms in 0..20_000 {
                    let now = Time::from_ms(ms);
                    let mark = c.frame(now, StaIx(0));
                    let choice = c.choose(now, StaIx(0), mark);
                    let Attempt { mode, tries } = choice.chain[0];
                    let heard = matches!(mode, Mode::Dsss(_));
                    let (frames, tries) = if heard { (1, 1) } else { (if choice.probe { 1 } else { 32 }, tries) };
                    let report = Report { link: 0, tries, ..Report::default() };
                    let bad = if heard { 0 } else { frames };
                    c.report(now, StaIx(0), &Went { chain: &choice.chain, report: &report, frames, bad });
                }
                let chain = c.choose(Time::from_ms(20_000), StaIx(0), Mark::NONE).chain;
                let wanted = Mode::Dsss(Hr { rate: Dsss::R11, short: short && flagged });
                assert_eq!(chain[0].mode, wanted, "{version:?} {short} {flagged}: {chain:?}");
                let all = chain.iter().take_while(|a| a.tries > 0);
                for a in all.filter(|a| a.mode.mcs() == 0) {
                    assert!(!matches!(a.mode, Mode::Dsss(h) if h.short), "1 Mbit/s has no short preamble");
                }
            }
        }
    }

    /// At 2.4 GHz a BAR goes at 1 Mbit/s, which is one of the rates there.
    #[test]
    fn a_bar_tells_of_the_lowest_cck_rate() {
        let mut random = crate::sim::Streams::new(1).get("ap", "rate/samples");
        let top = [Mode::Ht(Ht::new(7, false, false).unwrap())];
        let cck = Some(Cck { short: true, flagged: false });
        let mut c = Control::new(&Params::default(), Hardware::ATH9K, cck, &top, 1000, &mut random);
        c.bar(Time::from_ms(60), StaIx(0), 3, true);
        let first = c.rc_stats(StaIx(0)).unwrap().0[0];
        assert_eq!((first.rate, first.ever), (Rate::new(CCK, 0), (1, 3)));
        assert_eq!(c.rc_stats(StaIx(0)).unwrap().0.iter().filter(|r| r.rate.group() == CCK).count(), 7);
        assert_eq!(first.airtime_us, 9_834, "10 + 192 + 9632 us, in steps of 256 ns");
    }

    /// Of what went before a run the access point knows 1 Mbit/s when it begins, and a station after its first interval with a status; without CCK rates
    /// nobody learns anything. As the running 6.12 has it: `cck` in the recordings, whose decisions at jiffies 96 are these.
    #[test]
    fn what_went_before_a_run_tells_of_the_lowest_cck_rate() {
        use crate::phy::{Dsss, Hr};
        use crate::rate::Control as _;
        use crate::wifi::Report;
        let top = [Mode::Ht(Ht::new(15, false, true).unwrap())];
        let lowest = Mode::Dsss(Hr { rate: Dsss::R1, short: false });
        let mcs0 = Mode::Ht(Ht::new(0, false, false).unwrap());
        let (ap, sta) = (
            Before { access_point: true, asked: true, answered: true },
            Before { access_point: false, asked: true, answered: true },
        );
        let of = |version, cck, before| {
            let par = Params { version: crate::sim::Auto::Set(version), bitrates: None };
            let mut random = crate::sim::Streams::new(1).get("ap", "rate/samples");
            let mut c = Control::new(&par, Hardware::ATH9K, cck, &top, 100, &mut random);
            c.before(StaIx(0), before);
            c
        };
        let cck = Some(Cck { short: false, flagged: false });
        for version in [Version::V6_12, Version::V5_15, Version::V4_9, Version::V3_18] {
            let first = |c: &mut Control, ms| c.choose(Time::from_ms(ms), StaIx(0), Mark::NONE).chain;
            let mut c = of(version, cck, ap);
            assert_eq!(first(&mut c, 0)[0].mode, lowest, "{version:?}");
            let mut c = of(version, cck, sta);
            let chain = first(&mut c, 0);
            assert_eq!(chain[0].mode, mcs0, "{version:?}");
            let report = Report { link: 0, tries: 2, ..Report::default() };
            c.report(Time::from_ms(70), StaIx(0), &Went { chain: &chain, report: &report, frames: 1, bad: 1 });
            assert_eq!(first(&mut c, 70)[0].mode, lowest, "{version:?}");
        }
        let mut c = of(Version::V6_12, cck, Before { asked: false, answered: false, ..ap });
        assert_eq!(c.choose(Time::ZERO, StaIx(0), Mark::NONE).chain[0].mode, mcs0, "an answer alone ends no interval");
        let ever = |c: &Control| c.rc_stats(StaIx(0)).unwrap().0.iter().map(|r| r.ever.1).sum::<u32>();
        let mut c = of(Version::V6_12, None, ap);
        assert_eq!((c.choose(Time::ZERO, StaIx(0), Mark::NONE).chain[0].mode, ever(&c)), (mcs0, 0));
        assert_eq!(c.table(StaIx(0)).1, 0, "no table is made anew");
    }

    /// With RTS before each try fewer fit into the time that a segment has.
    #[test]
    fn the_first_link_has_fewer_tries_behind_rts() {
        use crate::rate::Control as _;
        let mut random = crate::sim::Streams::new(1).get("ap", "rate/samples");
        let slow = Mode::Ht(Ht::new(0, false, false).unwrap());
        let mut c = Control::new(&Params::default(), Hardware::ATH9K, None, &[slow], 1000, &mut random);
        let choice = c.choose(Time::ZERO, StaIx(0), Mark::NONE);
        assert!((1..=choice.chain[0].tries).contains(&choice.first_rts), "{choice:?}");
    }

    #[test]
    fn every_rate_is_a_mode_and_back() {
        for g in 0..GROUPS as u8 {
            let of = &table()[usize::from(g)];
            // 1 Mbit/s has no short preamble.
            let all = (0..RATES as u8).map(|i| Rate::new(g, i));
            let all = all.filter(|&r| r.duration() != 0 && r != Rate::new(CCK, 4));
            for r in all.filter(|r| {
                let top = supports(Mode::Vht(crate::phy::Vht::new(0, 4, Width::Mhz80, true).unwrap()));
                of.kind != super::super::groups::Kind::Vht || top.takes(*r)
            }) {
                assert_eq!(Rate::of_mode(r.mode()), Some(r));
                assert_eq!((r.mode().streams(), r.mode().short_gi()), (of.streams.into(), of.short_gi));
            }
        }
    }
}
