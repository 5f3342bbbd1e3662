//! Airtime: deficit round robin among the stations of an access category, and airtime queue limits (AQL).
//!
//! Stands for: Linux 6.12 net/mac80211/tx.c `ieee80211_next_txq`, `__ieee80211_schedule_txq`,
//! `ieee80211_txq_schedule_start`, `ieee80211_txq_airtime_check`; net/mac80211/sta_info.c
//! `ieee80211_sta_register_airtime`, `ieee80211_sta_update_pending_airtime`. Airtime counts in whole microseconds.
//! How 5.0 to 5.11 differ: [`Turns::Owed`], linux@5.4 and @5.10 of the same functions; 5.15: [`vtime`].
//! Differs: D1 "active in the last 100 ms" is exact, not in jiffies. D2 no `ieee80211_txq_may_transmit` (drivers whose
//! firmware picks the station). D3 AQL's estimate of a frame's airtime is the caller's, who knows the rate.

use super::category::{Ac, ac_of};
use super::{profile::Turns, vtime};
use crate::sim::{Span, Time};
use std::collections::VecDeque;

/// src: linux@6.12 net/mac80211/ieee80211_i.h `ieee80211_sta_keep_active`: HZ / 10
const ACTIVE: Span = Span::from_ms(100);

/// src: linux@6.12 include/net/cfg80211.h IEEE80211_DEFAULT_AIRTIME_WEIGHT
const EVEN: i32 = 256;

/// Airtime queue limits, microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Aql {
    /// That a station may have in the device in any case.
    pub low: i32,
    /// While all together stay below the threshold.
    pub high: i32,
    /// Of all stations together.
    pub threshold: i32,
    /// Whether they hold a station back; what stands in the device is counted all the same. src: `aql_disable`
    pub enabled: bool,
}

/// What a user sets, already in the kernel's units.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Whether airtime that the driver reports counts (`airtime_flags`).
    pub fairness: bool,
    /// None where the driver does not ask for AQL.
    pub aql: Option<Aql>,
    /// How long a debt lasts, and what counts as one.
    pub turns: Turns,
}

impl Config {
    /// What stands in the device is owed, debts keep a station on the list for a while, and a category's stations share a limit.
    fn keeps(&self) -> bool {
        self.turns == Turns::Kept
    }
    /// What a station has left. src: `ieee80211_sta_deficit`; linux@5.10 `ieee80211_next_txq`: the deficit alone
    #[inline]
    fn left(&self, a: &Account) -> i32 {
        if self.keeps() { a.deficit - a.pending } else { a.deficit }
    }
}

/// A station's account in one access category. src: `struct airtime_info`
#[derive(Clone, Copy, Debug, Default)]
pub struct Account {
    /// Microseconds that it may yet use before others; by virtual time, how far it was behind its category when it was
    /// last charged.
    pub deficit: i32,
    last_active: Option<Time>,
    /// Estimated microseconds in the device (`aql_tx_pending`).
    pub pending: i32,
    /// Microseconds sent.
    pub tx: u64,
    /// Microseconds received.
    pub rx: u64,
}

impl Account {
    /// See [`Scheduler::aql_allows`].
    #[inline]
    fn aql_allows(&self, config: &Config, total_pending: i32) -> bool {
        let Some(l) = config.aql.filter(|l| l.enabled) else { return true };
        self.pending < l.low || (total_pending < l.threshold && self.pending < l.high)
    }
}

#[derive(Clone, Debug)]
struct Station {
    weight: i32,
    acs: [Account; 4],
}

#[derive(Clone, Copy, Debug, Default)]
struct Txq {
    scheduled: bool,
    round: u16,
}

/// Who may send next.
#[derive(Clone, Debug)]
pub struct Scheduler {
    config: Config,
    stations: Vec<Station>,
    /// Eight a station.
    txqs: Vec<Txq>,
    active: [VecDeque<u32>; 4],
    round: [u16; 4],
    total_pending: i32,
    ac_pending: [i32; 4],
    /// Whose turn it is by virtual time, in place of `active` and `round`.
    virtual_time: Option<Box<vtime::Turns>>,
}

impl Scheduler {
    /// Nobody active.
    pub fn new(config: Config, stations: u16, weight: u16) -> Scheduler {
        let weight = i32::from(weight);
        // A weight is set when the station is there already, and what it begins with is that of an even one.
        // src: linux@6.12 net/mac80211/sta_info.c `__sta_info_alloc`; cfg.c `sta_apply_parameters`
        let account = Account { deficit: EVEN, ..Account::default() };
        Scheduler {
            config,
            stations: vec![Station { weight, acs: [account; 4] }; usize::from(stations)],
            txqs: vec![Txq::default(); usize::from(stations) * 8],
            active: Default::default(),
            round: [0; 4],
            total_pending: 0,
            ac_pending: [0; 4],
            virtual_time: (config.turns == Turns::Virtual).then(|| Box::new(vtime::Turns::new(stations))),
        }
    }
    /// A station's weight.
    pub fn weight(&self, sta: u16) -> i32 {
        self.stations[usize::from(sta)].weight
    }
    /// Airtime queue limits, if the driver asked for them.
    pub fn aql(&self) -> Option<Aql> {
        self.config.aql
    }
    /// Whether airtime that is reported counts.
    pub fn is_fair(&self) -> bool {
        self.config.fairness
    }
    /// Estimated microseconds of all stations in the device, by category.
    pub fn pending(&self) -> [i32; 4] {
        self.ac_pending
    }
    /// A station's account.
    pub fn account(&self, sta: u16, ac: Ac) -> &Account {
        &self.stations[usize::from(sta)].acs[usize::from(ac)]
    }
    fn account_mut(&mut self, sta: u16, ac: Ac) -> &mut Account {
        &mut self.stations[usize::from(sta)].acs[usize::from(ac)]
    }
    /// Sets a station's weight (256 is even).
    pub fn set_weight(&mut self, sta: u16, weight: u16) {
        self.stations[usize::from(sta)].weight = i32::from(weight);
    }
    /// Whether a TXQ waits for its turn.
    pub fn is_scheduled(&self, sta: u16, tid: u8) -> bool {
        match &self.virtual_time {
            Some(v) => v.is_scheduled(sta, tid),
            None => self.txqs[usize::from(sta) * 8 + usize::from(tid)].scheduled,
        }
    }

    fn sta_deficit(&self, sta: u16, ac: Ac) -> i32 {
        self.config.left(self.account(sta, ac))
    }
    fn recently_active(&self, now: Time, sta: u16, ac: Ac) -> bool {
        self.account(sta, ac).last_active.is_some_and(|t| now - t <= ACTIVE)
    }

    /// Whether AQL lets the TXQ give a packet. src: `ieee80211_txq_airtime_check`
    #[inline]
    pub fn aql_allows(&self, sta: u16, ac: Ac) -> bool {
        self.config.aql.is_none() || self.account(sta, ac).aql_allows(&self.config, self.total_pending)
    }

    /// Starts a round of [`Scheduler::next`]. src: `ieee80211_txq_schedule_start`
    #[inline]
    pub fn start(&mut self, ac: Ac) {
        if let Some(v) = &mut self.virtual_time {
            return v.start(ac);
        }
        let a = usize::from(ac);
        let open = self.config.aql.filter(|_| self.config.keeps()).is_none_or(|l| {
            // Unsigned as there: where no TXQ waits, the limit is half of all numbers.
            // src: linux@6.12 net/mac80211/tx.c ieee80211_txq_schedule_airtime_check
            let others = (self.active[a].len() as u32).wrapping_sub(1);
            (self.ac_pending[a] as u32) < others.wrapping_mul(l.low as u32) / 2 + l.high as u32
        });
        let next = self.round[a].wrapping_add(1);
        self.round[a] = match open {
            true if self.config.keeps() => next.max(1),
            true => next, // a round as others is 0, too: src: linux@5.10 `ieee80211_txq_schedule_start`
            false => 0,
        };
    }

    /// The TXQ whose turn it is: (station, TID). It is off the list until [`Scheduler::put_back`]; each is given once
    /// a round. src: `ieee80211_next_txq`
    pub fn next(&mut self, ac: Ac) -> Option<(u16, u8)> {
        let a = usize::from(ac);
        if let Some(v) = &mut self.virtual_time {
            let (stations, config, total) = (&self.stations, &self.config, self.total_pending);
            return v.next(ac, |sta| stations[usize::from(sta)].acs[a].aql_allows(config, total));
        }
        let (mut head, mut eligible) = (None, false);
        let round = self.round[a];
        if round == 0 && self.config.keeps() {
            return None;
        }
        let list = &mut self.active[a];
        loop {
            let &txq = list.front()?;
            if head == Some(txq) {
                if !eligible {
                    return None;
                }
                eligible = false;
            }
            head = head.or(Some(txq));
            let s = &mut self.stations[txq as usize / 8];
            let account = &mut s.acs[a];
            let aql = account.aql_allows(&self.config, self.total_pending);
            let deficit = self.config.left(account);
            eligible |= aql;
            if deficit < 0 {
                account.deficit += s.weight;
            }
            if deficit < 0 || !aql {
                list.rotate_left(1);
                continue;
            }
            let t = &mut self.txqs[txq as usize];
            if t.round == round {
                return None;
            }
            *t = Txq { scheduled: false, round };
            list.pop_front();
            return Some(((txq / 8) as u16, (txq % 8) as u8));
        }
    }

    /// Whose turn it would be in a new round, if it could be given back ([`Scheduler::put_back`]) with nothing changed but the time:
    /// it stands first, owes nothing, and comes back to the front.
    #[inline]
    pub fn leader(&self, ac: Ac) -> Option<(u16, u8)> {
        // By virtual time nobody is in this list, and a round never ends with its first.
        let &txq = self.active[usize::from(ac)].front()?;
        let account = &self.stations[txq as usize / 8].acs[usize::from(ac)];
        let stays = self.config.fairness && self.config.aql.is_none() && self.config.left(account) >= 0;
        stays.then_some(((txq / 8) as u16, (txq % 8) as u8))
    }

    /// The round in which the [`Scheduler::leader`] has its turn, sends nothing, and is put back with packets waiting: what
    /// [`Scheduler::start`], [`Scheduler::next`], [`Scheduler::put_back`] and a last `next`, which finds it first again, would do.
    #[inline]
    pub fn pass(&mut self, now: Time, ac: Ac) {
        let a = usize::from(ac);
        self.start(ac);
        let Some(&txq) = self.active[a].front() else { return };
        self.txqs[txq as usize].round = self.round[a];
        self.stations[txq as usize / 8].acs[a].last_active = Some(now);
    }

    /// The driver gives back a TXQ whose turn it was; `has_queue`: it has packets, here or in the driver. src:
    /// `ieee80211_return_txq`
    #[inline]
    pub fn give_back(&mut self, now: Time, sta: u16, tid: u8, has_queue: bool) {
        match &mut self.virtual_time {
            Some(v) => v.give_back(now, sta, tid, has_queue),
            None => self.put_back(now, sta, tid, has_queue),
        }
    }

    /// Puts a TXQ on the list of those that wait for their turn, if it has packets (here, or in the driver: `has_queue`)
    /// or was active lately and is in debt. src: `__ieee80211_schedule_txq`
    pub fn put_back(&mut self, now: Time, sta: u16, tid: u8, has_queue: bool) {
        if let Some(v) = &mut self.virtual_time {
            let stations = &self.stations;
            return v.schedule(now, sta, tid, |i| stations[i].weight as u64);
        }
        let (txq, ac) = (usize::from(sta) * 8 + usize::from(tid), ac_of(tid));
        let keep = || self.config.keeps() && self.sta_deficit(sta, ac) < 0 && self.recently_active(now, sta, ac);
        if self.txqs[txq].scheduled || !(has_queue || keep()) {
            return;
        }
        self.txqs[txq].scheduled = true;
        let list = &mut self.active[usize::from(ac)];
        if self.config.fairness && has_queue {
            list.push_front(txq as u32);
        } else {
            list.push_back(txq as u32);
        }
        if has_queue {
            self.account_mut(sta, ac).last_active = Some(now);
        }
    }

    /// Charges airtime used. src: `ieee80211_sta_register_airtime`
    pub fn register(&mut self, now: Time, sta: u16, tid: u8, tx: Span, rx: Span) {
        let ac = ac_of(tid);
        let charge = self.config.fairness && (!self.config.keeps() || self.recently_active(now, sta, ac));
        let behind = self.virtual_time.as_mut().map(|v| {
            let us = if self.config.fairness { (tx + rx).us() as u32 } else { 0 };
            v.register(sta, tid, us, self.stations[usize::from(sta)].weight as u16) as i32
        });
        let a = self.account_mut(sta, ac);
        let (tx, rx) = (tx.us(), rx.us());
        a.tx += tx as u64;
        a.rx += rx as u64;
        match behind {
            Some(us) => a.deficit = us,
            None if charge => a.deficit -= (tx + rx) as i32,
            None => {}
        }
    }

    /// Whether the driver asked for AQL.
    pub fn has_aql(&self) -> bool {
        self.config.aql.is_some()
    }
    /// A packet of this estimated airtime goes to the device; gives what was charged (steps of 4 us, below 4.096 ms),
    /// to be handed back to [`Scheduler::aql_done`]. src: `ieee80211_info_set_tx_time_est`,
    /// `ieee80211_sta_update_pending_airtime`
    pub fn aql_charge(&mut self, sta: u16, tid: u8, airtime: Span) -> Span {
        if self.config.aql.is_none() {
            return Span::ZERO;
        }
        let (us, ac) = ((airtime.us().clamp(0, 4095) & !3) as i32, ac_of(tid));
        self.account_mut(sta, ac).pending += us;
        self.total_pending += us;
        self.ac_pending[usize::from(ac)] += us;
        Span::from_us(i64::from(us))
    }

    /// The device is done with what was charged.
    pub fn aql_done(&mut self, sta: u16, tid: u8, charged: Span) {
        let (us, ac) = (charged.us() as i32, ac_of(tid));
        let a = self.account_mut(sta, ac);
        a.pending = (a.pending - us).max(0);
        self.total_pending -= us;
        self.ac_pending[usize::from(ac)] -= us;
        debug_assert!(self.ac_pending[usize::from(ac)] >= 0);
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::*;

    const AQL: Aql = Aql { low: 5000, high: 12_000, threshold: 24_000, enabled: true };
    const PLAIN: Config = Config { fairness: true, aql: None, turns: Turns::Kept };

    /// Every station always has packets; one aggregate of its airtime each turn.
    fn shares(airtimes: &[i64], weights: &[u16]) -> Vec<f64> {
        let mut s = Scheduler::new(PLAIN, airtimes.len() as u16, 256);
        for (i, &w) in weights.iter().enumerate() {
            s.set_weight(i as u16, w);
            s.put_back(Time::ZERO, i as u16, 0, true);
        }
        let (mut now, mut used) = (Time::ZERO, vec![0; airtimes.len()]);
        while now < Time::from_s(5) {
            s.start(2);
            let (sta, tid) = s.next(2).expect("somebody always has packets");
            s.put_back(now, sta, tid, true);
            let air = Span::from_us(airtimes[usize::from(sta)]);
            now += air;
            used[usize::from(sta)] += air.us();
            s.register(now, sta, tid, air, Span::ZERO);
        }
        used.iter().map(|&u| u as f64 / 5e6).collect()
    }

    #[test]
    fn airtime_not_turns_is_shared() {
        for share in shares(&[4000, 400, 150], &[256; 3]) {
            assert!((share - 1.0 / 3.0).abs() < 0.01, "{share}");
        }
        assert_eq!(Scheduler::new(PLAIN, 1, 2000).account(0, 2).deficit, 256, "a weight gives no credit in advance");
        let w = shares(&[1000, 1000], &[512, 256]);
        assert!((w[0] - 2.0 / 3.0).abs() < 0.01, "{w:?}");
    }

    #[test]
    fn who_has_credit_stays_at_the_head() {
        let mut s = Scheduler::new(PLAIN, 2, 256);
        s.put_back(Time::ZERO, 0, 0, true);
        s.put_back(Time::ZERO, 1, 0, true);
        s.start(2);
        assert_eq!(s.next(2), Some((1, 0)), "the last one scheduled stands first");
        s.put_back(Time::ZERO, 1, 0, true);
        assert_eq!(s.next(2), None, "once a round: it stands at the head again, and has had its turn");
        s.start(2);
        s.register(Time::ZERO, 1, 0, Span::from_us(257), Span::ZERO);
        assert_eq!(s.next(2), Some((0, 0)), "256 - 257 < 0: to the back");
    }

    #[test]
    fn aql_holds_back_at_its_two_limits() {
        let mut s = Scheduler::new(Config { aql: Some(AQL), ..PLAIN }, 3, 256);
        assert_eq!(s.aql_charge(0, 0, Span::from_us(1003)), Span::from_us(1000), "steps of 4 us");
        for _ in 0..10 {
            s.aql_charge(0, 0, Span::from_us(1000));
        }
        assert!(s.aql_allows(0, 2), "11 ms are below 12 ms while all together are below 24 ms");
        s.aql_charge(0, 0, Span::from_us(1000));
        assert!(!s.aql_allows(0, 2), "12 ms are not");
        for _ in 0..6 {
            s.aql_charge(1, 0, Span::from_us(1000));
            s.aql_charge(2, 0, Span::from_us(1000));
        }
        assert!(!s.aql_allows(1, 2), "24 ms altogether: the low limit holds");
        s.aql_done(0, 0, Span::from_us(8000));
        assert!(s.aql_allows(0, 2) && s.aql_allows(1, 2));
    }

    /// A station without packets is charged 1000 us a second after its last. 5.10 has it owe them whenever it comes back; 6.12 forgives.
    #[test]
    fn a_debt_of_old_lasts() {
        for (turns, first, kept) in [(Turns::Kept, (1, 0), true), (Turns::Owed, (0, 0), false)] {
            let mut s = Scheduler::new(Config { turns, ..PLAIN }, 2, 256);
            s.put_back(Time::ZERO, 1, 0, true);
            s.start(2);
            assert_eq!(s.next(2), Some((1, 0)));
            s.put_back(Time::ZERO, 1, 0, false);
            s.register(Time::from_s(1), 1, 0, Span::ZERO, Span::from_us(1000));
            s.put_back(Time::from_s(1), 0, 0, true);
            s.put_back(Time::from_s(1), 1, 0, true);
            s.start(2);
            assert_eq!(s.next(2), Some(first), "{turns:?}: 1 stands at the head");
            // In debt and with nothing to send, it stays on 6.12's list for 100 ms.
            s.register(Time::from_s(1), first.0, 0, Span::from_us(5000), Span::ZERO);
            s.put_back(Time::from_s(1), first.0, 0, false);
            assert_eq!(s.is_scheduled(first.0, 0), kept, "{turns:?}");
        }
    }

    /// 12 ms of three stations in the device: with 5.10 the round goes on, 6.12's stops it where (3 - 1) * 5000 / 2 + 12000 us are reached.
    #[test]
    fn a_category_shares_a_limit_of_late() {
        for (turns, open) in [(Turns::Kept, false), (Turns::Owed, true)] {
            let mut s = Scheduler::new(Config { aql: Some(Aql { threshold: 99_000, ..AQL }), turns, ..PLAIN }, 4, 256);
            for sta in 0..3 {
                s.put_back(Time::ZERO, sta, 0, true);
            }
            for _ in 0..11 {
                s.aql_charge(3, 0, Span::from_us(2000));
            }
            s.start(2);
            assert_eq!(s.next(2).is_some(), open, "{turns:?}");
        }
    }

    /// mt76's worker goes round until a round brings nothing. Where AQL ends each run by shutting the round, its number is 0, and 1 in the next
    /// run: after turns in rounds 1 and 2 the TXQ is taken to have had its turn in 1.
    #[test]
    fn every_third_run_that_aql_ends_is_in_vain() {
        let mut s = Scheduler::new(Config { aql: Some(AQL), fairness: false, ..PLAIN }, 1, 256);
        s.put_back(Time::ZERO, 0, 0, true);
        let mut run = || {
            let (mut turns, mut below) = (0, vec![]);
            loop {
                s.start(2);
                let Some((sta, tid)) = s.next(2) else { break };
                below.extend([4_000; 3].map(|us| s.aql_charge(sta, tid, Span::from_us(us))));
                s.put_back(Time::ZERO, sta, tid, true);
                turns += 1;
            }
            below.into_iter().for_each(|charged| s.aql_done(0, 0, charged));
            turns
        };
        assert_eq!([(); 9].map(|()| run()), [1, 0, 1, 1, 0, 1, 1, 0, 1]);
    }

    /// 22 ms in the device and nobody in line: the round begins all the same, so that who comes now has a turn.
    #[test]
    fn an_empty_line_is_never_shut() {
        let mut s = Scheduler::new(Config { aql: Some(Aql { threshold: 99_000, ..AQL }), ..PLAIN }, 2, 256);
        for _ in 0..11 {
            s.aql_charge(1, 0, Span::from_us(2000));
        }
        s.start(2);
        s.put_back(Time::ZERO, 0, 0, true);
        assert_eq!(s.next(2), Some((0, 0)));
    }

    /// `airtime_flags` 0: nobody owes anything, and who gives its turn back comes last in line.
    #[test]
    fn airtime_that_does_not_count_is_not_owed() {
        let mut s = Scheduler::new(Config { fairness: false, ..PLAIN }, 2, 256);
        s.put_back(Time::ZERO, 0, 0, true);
        s.put_back(Time::ZERO, 1, 0, true);
        s.register(Time::ZERO, 0, 0, Span::from_us(5000), Span::ZERO);
        assert_eq!((s.account(0, 2).tx, s.account(0, 2).deficit), (5000, 256));
        s.start(2);
        assert_eq!(s.next(2), Some((0, 0)), "the first one scheduled stands first");
        s.put_back(Time::ZERO, 0, 0, true);
        assert_eq!(s.next(2), Some((1, 0)));
    }

    /// `aql_enable` 0: the limits hold nobody back, but what stands in the device is a debt as ever.
    #[test]
    fn aql_that_is_switched_off_counts_all_the_same() {
        let mut s = Scheduler::new(Config { aql: Some(Aql { enabled: false, ..AQL }), ..PLAIN }, 2, 256);
        s.aql_charge(0, 0, Span::from_us(4000));
        s.aql_charge(0, 0, Span::from_us(4000));
        assert!(s.aql_allows(0, 2));
        s.put_back(Time::ZERO, 1, 0, true);
        s.put_back(Time::ZERO, 0, 0, true);
        s.start(2);
        assert_eq!(s.next(2), Some((1, 0)), "0 stands first, and owes 8000 us");
    }

    #[test]
    fn categories_of_the_tids() {
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(ac_of), [2, 3, 3, 2, 1, 1, 0, 0]);
    }
}
