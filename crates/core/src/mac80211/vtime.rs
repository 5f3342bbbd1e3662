//! Turns by virtual time: mac80211's airtime fairness of 5.15, for which 6.0 took the deficits back.
//!
//! Stands for: Linux 5.15 net/mac80211/tx.c `ieee80211_next_txq`, `ieee80211_schedule_txq`, `ieee80211_return_txq`,
//! `ieee80211_resort_txq`, `ieee80211_update_airtime_weight`; net/mac80211/sta_info.c `ieee80211_register_airtime`;
//! net/mac80211/ieee80211_i.h `airtime_*`. A station's time goes on by what it uses, a category's by that divided among
//! the stations that were active in the last 100 ms; TXQs stand in the order of their stations' times, and whoever is
//! not ahead of the category has a turn in each round. Its integers are kept.
//! Differs: D1 the order is a list, not a tree: they are the same as long as it is sorted, which a second TXQ of a
//! station and a category breaks (only the one that is charged moves), and with mt76 one that it never charges (2, 3, 5, 7).
//! D2 a station's weight that is set later counts for the sum with the next station that becomes active.

use super::category::{Ac, ac_of};
use crate::sim::{Span, Time};

/// src: linux@5.15 net/mac80211/ieee80211_i.h `AIRTIME_ACTIVE_DURATION`
const ACTIVE: Span = Span::from_ms(100);
/// How far a station may fall behind its category, microseconds. src: `AIRTIME_MAX_BEHIND`
const BEHIND: u64 = 20_000;

/// A station in a category. src: `struct airtime_info`
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    v_t: u64,
    scheduled: Option<Time>,
    /// Its weight is in the sum (`active_list`).
    listed: bool,
}

impl Own {
    /// src: `airtime_is_active`
    fn is_active(&self, now: Time) -> bool {
        self.scheduled.is_some_and(|t| now - t <= ACTIVE)
    }
}

/// A category. src: `struct airtime_sched_info`
#[derive(Clone, Debug, Default)]
struct Category {
    v_t: u64,
    /// TXQs with packets, by their stations' times. src: `active_txqs`
    order: Vec<u32>,
    /// Whose turn it was last in this round. src: `schedule_pos`
    pos: Option<u32>,
    weight_sum: u64,
    weighed: Option<Time>,
}

impl Category {
    fn place(&self, txq: u32) -> Option<usize> {
        self.order.iter().position(|&t| t == txq)
    }
    /// Takes a TXQ out of the order; a round that stands there goes on from the one before. src:
    /// `__ieee80211_unschedule_txq`
    fn remove(&mut self, i: usize) {
        let txq = self.order.remove(i);
        if self.pos == Some(txq) {
            self.pos = i.checked_sub(1).map(|i| self.order[i]);
        }
    }
}

/// Who may send next.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    stations: Vec<[Own; 4]>,
    categories: [Category; 4],
}

impl Turns {
    /// Nobody active.
    pub fn new(stations: u16) -> Turns {
        Turns { stations: vec![[Own::default(); 4]; usize::from(stations)], categories: Default::default() }
    }
    fn time_of(stations: &[[Own; 4]], txq: u32, a: usize) -> u64 {
        stations[txq as usize / 8][a].v_t
    }
    /// Before all that are not behind it. src: `__ieee80211_insert_txq`
    fn insert(&mut self, a: usize, txq: u32) {
        let v_t = Turns::time_of(&self.stations, txq, a);
        let order = &mut self.categories[a].order;
        let i = order.iter().position(|&t| v_t <= Turns::time_of(&self.stations, t, a)).unwrap_or(order.len());
        order.insert(i, txq);
    }

    /// Starts a round. src: `ieee80211_txq_schedule_start`
    pub fn start(&mut self, ac: Ac) {
        self.categories[usize::from(ac)].pos = None;
    }

    /// The next in order who is not ahead; the first is never, as the category catches up with it. `aql`: whether a
    /// station may have more in the device. It stays in the order until it is given back empty. src:
    /// `ieee80211_next_txq`
    pub fn next(&mut self, ac: Ac, aql: impl Fn(u16) -> bool) -> Option<(u16, u8)> {
        let a = usize::from(ac);
        let c = &mut self.categories[a];
        let mut at = c.pos.and_then(|t| c.place(t));
        let mut first = false;
        loop {
            let i = match at {
                None => {
                    first = true;
                    0
                }
                Some(i) => i + 1,
            };
            let &txq = c.order.get(i)?;
            let v_t = Turns::time_of(&self.stations, txq, a);
            if v_t > c.v_t {
                if !first {
                    return None;
                }
                c.v_t = v_t;
            }
            let (sta, tid) = ((txq / 8) as u16, (txq % 8) as u8);
            if aql(sta) {
                c.pos = Some(txq);
                return Some((sta, tid));
            }
            first = false;
            at = Some(i);
        }
    }

    /// src: `airtime_set_active`
    fn set_active(&mut self, now: Time, sta: u16, a: usize) {
        let own = &mut self.stations[usize::from(sta)][a];
        (own.scheduled, own.listed) = (Some(now), true);
    }

    /// A TXQ has packets. Who was not active in the last 100 ms, or has fallen far behind, begins where its category
    /// is. `weights`: of a station. src: `ieee80211_schedule_txq`
    pub fn schedule(&mut self, now: Time, sta: u16, tid: u8, weights: impl Fn(usize) -> u64) {
        let (txq, a) = (u32::from(sta) * 8 + u32::from(tid), usize::from(ac_of(tid)));
        let was_active = self.stations[usize::from(sta)][a].is_active(now);
        self.set_active(now, sta, a);
        let c = &self.categories[a];
        if c.place(txq).is_some() {
            return;
        }
        let own = &mut self.stations[usize::from(sta)][a];
        // Unsigned as there: while the category's time is below 20 ms, everybody counts as far behind.
        if (!was_active && own.v_t < c.v_t) || own.v_t < c.v_t.wrapping_sub(BEHIND) {
            own.v_t = c.v_t;
        }
        self.weigh(now, a, !was_active, weights);
        self.insert(a, txq);
    }

    /// The sum of the weights of who is active. Without force only where it is no older than 100 ms, as the condition
    /// stands there. src: `ieee80211_update_airtime_weight`
    fn weigh(&mut self, now: Time, a: usize, force: bool, weights: impl Fn(usize) -> u64) {
        let c = &mut self.categories[a];
        if !force && c.weighed.is_none_or(|t| now - t > ACTIVE) {
            return;
        }
        let mut sum = 0;
        for (i, s) in self.stations.iter_mut().enumerate().filter(|(_, s)| s[a].listed) {
            s[a].listed = s[a].is_active(now);
            sum += if s[a].listed { weights(i) } else { 0 };
        }
        (c.weight_sum, c.weighed) = (sum, Some(now));
    }

    /// The driver is done with a TXQ and holds nothing of it; an empty one leaves the order. src:
    /// `ieee80211_return_txq`
    pub fn give_back(&mut self, now: Time, sta: u16, tid: u8, has_queue: bool) {
        let (txq, a) = (u32::from(sta) * 8 + u32::from(tid), usize::from(ac_of(tid)));
        if let Some(i) = self.categories[a].place(txq).filter(|_| !has_queue) {
            self.categories[a].remove(i);
            self.set_active(now, sta, a);
        }
    }

    /// Charges microseconds to a station of this weight. Gives how far it is behind its category then. src:
    /// `ieee80211_register_airtime`
    pub fn register(&mut self, sta: u16, tid: u8, us: u32, weight: u16) -> i64 {
        let (txq, a) = (u32::from(sta) * 8 + u32::from(tid), usize::from(ac_of(tid)));
        let (airtime, weight) = (us.wrapping_shl(8), u32::from(weight));
        // 2^19 and 2^32 divided by the weights; the former's product has 32 bits, which 8192 us of a weight of 256
        // overflow.
        let reciprocal = 0x8_0000_u32.checked_div(weight).unwrap_or(0);
        let c = &mut self.categories[a];
        let (sum, share) = match c.weight_sum {
            0 => (u64::from(weight), u64::from(reciprocal)),
            sum => (sum, (1 << 32) / sum),
        };
        c.v_t += (u64::from(airtime) + (sum >> 1)).wrapping_mul(share) >> 32;
        let own = &mut self.stations[usize::from(sta)][a];
        own.v_t += u64::from(airtime.wrapping_add(weight >> 1).wrapping_mul(reciprocal) >> 19);
        let ahead = c.v_t as i64 - own.v_t as i64;
        self.resort(a, txq);
        ahead
    }

    /// src: `ieee80211_resort_txq`
    fn resort(&mut self, a: usize, txq: u32) {
        let Some(i) = self.categories[a].place(txq) else { return };
        let order = &self.categories[a].order;
        let v_t = |t: u32| Turns::time_of(&self.stations, t, a);
        let mine = v_t(txq);
        let stays = (i == 0 || v_t(order[i - 1]) <= mine) && order.get(i + 1).is_none_or(|&t| v_t(t) > mine);
        if !stays {
            self.categories[a].remove(i);
            self.insert(a, txq);
        }
    }

    /// Whether a TXQ waits for its turn.
    pub fn is_scheduled(&self, sta: u16, tid: u8) -> bool {
        self.categories[usize::from(ac_of(tid))].place(u32::from(sta) * 8 + u32::from(tid)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn even(_: usize) -> u64 {
        256
    }

    /// By hand: 1000 us of 0 take it to 1000 and the category of two to 500, so that 1 alone has turns until 0 is
    /// reached.
    #[test]
    fn who_is_ahead_waits_for_the_category() {
        let mut t = Turns::new(2);
        for sta in [1, 0] {
            t.schedule(Time::ZERO, sta, 0, even);
        }
        t.start(2);
        let round: Vec<_> = core::iter::from_fn(|| t.next(2, |_| true)).collect();
        assert_eq!(round, [(0, 0), (1, 0)], "the later before the earlier of the same time, and each once a round");
        assert_eq!(t.register(0, 0, 1000, 256), -500);
        t.start(2);
        assert_eq!((t.next(2, |_| true), t.next(2, |_| true)), (Some((1, 0)), None));
        assert_eq!(t.register(1, 0, 1000, 256), 0);
        t.start(2);
        assert_eq!(t.next(2, |_| true), Some((1, 0)), "the same time: who comes to it stands before");
        assert_eq!(t.next(2, |_| true), Some((0, 0)));
    }

    /// Alone, one is never ahead, though its category's time would stay behind: it catches up with the first in order.
    #[test]
    fn the_first_in_order_is_never_ahead() {
        let mut t = Turns::new(3);
        for sta in 0..3 {
            t.schedule(Time::ZERO, sta, 0, even);
            t.give_back(Time::ZERO, sta, 0, sta == 0);
        }
        assert_eq!(t.register(0, 0, 3000, 256), -2000, "a third for each that was active");
        t.start(2);
        assert_eq!(t.next(2, |_| true), Some((0, 0)));
        assert_eq!(t.register(0, 0, 0, 256), 0);
        t.register(0, 0, 3000, 256);
        t.start(2);
        assert_eq!(t.next(2, |_| false), None);
    }

    /// Its time stands still while it has nothing to send: after 100 ms it begins where the others are, and within them
    /// it may be 20 ms behind.
    #[test]
    fn who_comes_back_begins_with_the_others() {
        for (ms, behind) in [(101, 0), (99, 20_000)] {
            let mut t = Turns::new(2);
            t.schedule(Time::ZERO, 0, 0, even);
            t.schedule(Time::ZERO, 1, 0, even);
            t.give_back(Time::ZERO, 1, 0, false);
            for _ in 0..8 {
                t.register(0, 0, 5000, 256);
            }
            assert_eq!(t.categories[2].v_t, 20_000);
            t.schedule(Time::from_ms(ms), 1, 0, even);
            assert_eq!(t.categories[2].v_t - t.stations[1][2].v_t, behind, "{ms} ms");
        }
    }

    /// 8192 us and more of a weight of 256 do not fit into 32 bits: what is over counts alone.
    #[test]
    fn eight_milliseconds_at_once_are_too_many() {
        let mut t = Turns::new(1);
        t.schedule(Time::ZERO, 0, 0, even);
        for (us, v_t) in [(8191, 8191), (8192, 8191), (10_000, 8191 + 1808)] {
            t.register(0, 0, us, 256);
            assert_eq!(t.stations[0][2].v_t, v_t);
        }
    }

    /// A round that stands at a TXQ which moves goes on from the one before it, or from the beginning.
    #[test]
    fn a_round_goes_on_from_who_stood_before() {
        let mut t = Turns::new(3);
        for sta in [2, 1, 0] {
            t.schedule(Time::ZERO, sta, 0, even);
        }
        t.start(2);
        assert_eq!((t.next(2, |_| true), t.next(2, |_| true)), (Some((0, 0)), Some((1, 0))));
        t.give_back(Time::ZERO, 1, 0, false);
        assert_eq!(t.next(2, |_| true), Some((2, 0)));
        t.start(2);
        assert_eq!(t.next(2, |_| true), Some((0, 0)));
        t.give_back(Time::ZERO, 0, 0, false);
        assert_eq!(t.next(2, |_| true), Some((2, 0)), "from the beginning");
    }
}
