//! Where mac80211 chooses for a card of MT7603's and MT7615's kind: each peer's [`RateSet`], and what becomes of its MPDUs.
//!
//! In: packets that come down (one of them may bring a rate to probe), MPDUs that are over. Out: the set that a PPDU goes out with, statuses for
//! Minstrel-HT, after which its new table, if there is one, makes a new set.
//! Stands for: linux@6.12 mt76/mt7615/pci_mac.c mt7615_tx_prepare_skb; mac.c mt7615_mac_add_txs; main.c mt7615_sta_rate_tbl_update.
//! Differs: D1 statuses are told once the next PPDU is formed, as linux/radio does; nothing says how soon the card tells of them.

use super::rate_set::RateSet;
use crate::phy::Mode;
use crate::rate::{Control, Rates, Went};
use crate::sim::Time;
use crate::wifi::{Chain, Mark, Report, StaIx};

/// Of one MPDU: the links that were tried, and which was the last.
#[derive(Debug)]
struct Status {
    to: StaIx,
    chain: Chain,
    link: u8,
    acked: bool,
}

/// All peers'; none where nobody but the card chooses.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// By peer: the set, and which of its tables it is of.
    sets: Vec<(RateSet, u32)>,
    statuses: Vec<Status>,
}

impl Chosen {
    /// Of a device's rate control, for so many peers.
    pub fn new(rates: &Rates, peers: usize) -> Chosen {
        let set = |i: usize| rates.table(StaIx(i as u8)).map(|(table, n)| (RateSet::new(&table, None), n));
        Chosen { sets: (0..peers).map_while(set).collect(), statuses: Vec::new() }
    }
    /// What goes out to `to` from now on.
    pub fn set(&self, to: StaIx) -> Option<RateSet> {
        self.sets.get(to.ix()).map(|(set, _)| *set)
    }
    /// A packet to `to` comes down (`rate_control_get_rate`).
    pub fn pulled(&mut self, now: Time, to: StaIx, rates: &mut Rates) {
        let Some(set) = self.sets.get_mut(to.ix()) else { return };
        let mark = rates.frame(now, to);
        if let (true, Some((table, _))) = (mark.probes(), rates.table(to)) {
            let probe = rates.choose(now, to, mark).chain[0].mode;
            set.0 = RateSet::new(&table, Some(probe));
        }
    }
    /// An MPDU of an aggregate is over, after so many attempts, the last of them at `last`, with `set`.
    pub fn over(&mut self, to: StaIx, set: &RateSet, count: u8, last: Mode, acked: bool) {
        let (chain, link) = set.status(count, last);
        self.statuses.push(Status { to, chain, link, acked });
    }
    /// The first status of what was sent with a probe ends it.
    pub fn probed(&mut self, to: StaIx, with: &RateSet, rates: &Rates) {
        if !with.probes() {
            return;
        }
        if let (Some(set), Some((table, _))) = (self.sets.get_mut(to.ix()), rates.table(to)) {
            if set.0.probes() {
                set.0 = RateSet::new(&table, None);
            }
        }
    }
    /// mac80211 is told; what it makes of it is taken over.
    pub fn tell(&mut self, now: Time, rates: &mut Rates) {
        for s in self.statuses.drain(..) {
            let report = Report { link: s.link, tries: s.chain[usize::from(s.link)].tries, ..Report::default() };
            rates.report(now, s.to, &Went { chain: &s.chain, report: &report, frames: 1, bad: u16::from(!s.acked) });
        }
        for (i, set) in self.sets.iter_mut().enumerate() {
            if let Some((table, n)) = rates.table(StaIx(i as u8)).filter(|&(_, n)| n != set.1) {
                *set = (RateSet::new(&table, None), n);
            }
        }
    }
    /// A rate to begin with, for whoever asks before anything was sent.
    pub fn first(rates: &mut Rates, to: StaIx) -> Mode {
        rates.choose(Time::ZERO, to, Mark::NONE).chain[0].mode
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Vht, Width};
    use crate::rate::{Name, Setup, minstrel_ht::Hardware};
    use crate::sim::Streams;

    /// On a link where MCS 5 of two streams is the fastest that arrives, five seconds of MPDUs that come one by one.
    #[test]
    fn finds_the_fastest_rate_that_arrives() {
        let most = Mode::Vht(Vht::new(9, 2, Width::Mhz80, true).unwrap());
        let setup = Setup { control: Name::MinstrelHt, hardware: Hardware::MT7615, ..Setup::default() };
        let mut rates = Rates::new(&setup, vec![most], &mut Streams::new(3).get("ap", "rate/samples"));
        let (mut c, to) = (Chosen::new(&rates, 1), StaIx(0));
        let mut probed = 0;
        for ms in 0..5_000 {
            let now = Time::from_ms(ms);
            c.pulled(now, to, &mut rates);
            let set = c.set(to).unwrap();
            probed += u32::from(set.probes());
            let arrives = |m: Mode| m.streams() < 2 && m.mcs() < 8 || m.mcs() <= 5;
            let count = (0..set.tries()).find(|&k| arrives(set.at(k))).map_or(set.tries(), |k| k + 1);
            c.over(to, &set, count, set.at(count - 1), arrives(set.at(count - 1)));
            c.probed(to, &set, &rates);
            assert!(!c.set(to).unwrap().probes(), "one status is enough");
            c.tell(now, &mut rates);
        }
        let best = c.set(to).unwrap().at(0);
        assert_eq!((best.mcs(), best.streams(), best.mhz()), (5, 2, 80));
        assert!(probed > 100, "{probed}");
    }
}
