//! ath9k's own airtime scheduler (4.11 to 4.20): two lists of TIDs a category, new ones first, and a deficit a station.
//!
//! A TID whose station has credit joins the new ones, others the old; at its turn a station without credit gets a quantum and goes behind the
//! old ones. The head stays head until its credit is used up, and the driver stops at the first head that has nothing to send: a
//! TXQ that has just run empty, or one beyond its Block Ack window, keeps all others waiting until the driver looks again.
//!
//! Stands for: linux@4.19 drivers/net/wireless/ath/ath9k/xmit.c __ath_tx_queue_tid, ath_txq_schedule, ath_tid_has_buffered,
//! ath_tx_count_airtime; recv.c ath_rx_count_airtime; ath9k.h ATH_AIRTIME_QUANTUM.
//! Differs: D1 airtime is that of the medium's account, as under the other rules.

use super::category::{Ac, ac_of};
use crate::sim::Span;
use std::collections::VecDeque;

/// Microseconds. src: ATH_AIRTIME_QUANTUM
const QUANTUM: i64 = 300;

/// Whose turn it is.
#[derive(Clone, Debug)]
pub struct Own {
    /// Whether airtime counts; without, who has sent goes behind the old ones.
    fairness: bool,
    /// By station and category (`airtime_deficit`).
    deficits: Vec<[i64; 4]>,
    /// Of each category: new, old; eight TIDs a station.
    lists: [[VecDeque<u32>; 2]; 4],
    /// Whether its TXQ was not yet found empty (`has_queued`).
    queued: Vec<bool>,
    on_list: Vec<bool>,
    /// The head that was found last of each category, as long as nothing has changed by which it was found: a driver asks with every packet.
    found: [Option<(u16, u8)>; 4],
}

impl Own {
    /// Nobody waits.
    pub fn new(stations: u16, fairness: bool) -> Own {
        let n = usize::from(stations);
        Own {
            fairness,
            deficits: vec![[QUANTUM; 4]; n],
            lists: Default::default(),
            queued: vec![false; n * 8],
            on_list: vec![false; n * 8],
            found: [None; 4],
        }
    }
    const fn ix(sta: u16, tid: u8) -> u32 {
        sta as u32 * 8 + (tid & 7) as u32
    }
    fn deficit(&mut self, i: u32, ac: usize) -> &mut i64 {
        &mut self.deficits[i as usize / 8][ac]
    }
    /// Packets came into a TXQ. src: ath9k_wake_tx_queue
    #[inline]
    pub fn wake(&mut self, sta: u16, tid: u8) {
        self.queued[Self::ix(sta, tid) as usize] = true;
        self.queue(sta, tid);
    }
    /// The TXQ was found empty. src: ath_tid_pull
    pub fn ran_empty(&mut self, sta: u16, tid: u8) {
        self.queued[Self::ix(sta, tid) as usize] = false;
        self.found[usize::from(ac_of(tid))] = None;
    }
    /// Puts a TID on a list, if it is on none. src: __ath_tx_queue_tid
    #[inline]
    pub fn queue(&mut self, sta: u16, tid: u8) {
        if !self.on_list[Self::ix(sta, tid) as usize] {
            self.enlist(sta, tid);
        }
    }
    #[inline(never)]
    fn enlist(&mut self, sta: u16, tid: u8) {
        let (i, ac) = (Self::ix(sta, tid), usize::from(ac_of(tid)));
        let old = usize::from(*self.deficit(i, ac) <= 0);
        self.lists[ac][old].push_back(i);
        self.on_list[i as usize] = true;
        self.found[ac] = None;
    }
    /// Charges airtime; a station without credit comes onto the list even with nothing to send.
    pub fn charge(&mut self, sta: u16, tid: u8, airtime: Span) {
        if !self.fairness {
            return;
        }
        let (i, ac) = (Self::ix(sta, tid), usize::from(ac_of(tid)));
        self.found[ac] = None;
        *self.deficit(i, ac) -= airtime.us();
        if *self.deficit(i, ac) <= 0 {
            self.queue(sta, tid);
        }
    }
    /// The head that has credit and something to send; `held`: whether the driver holds frames of (station, TID). It stays head.
    /// src: ath_txq_schedule
    #[inline]
    pub fn head(&mut self, ac: Ac, held: impl Fn(u16, u8) -> bool) -> Option<(u16, u8)> {
        self.known(ac).or_else(|| self.find(usize::from(ac), held))
    }
    /// The same, if it was found before and nothing has changed since that could make it another's turn.
    #[inline]
    pub fn known(&self, ac: Ac) -> Option<(u16, u8)> {
        self.found[usize::from(ac)]
    }
    #[inline(never)]
    fn find(&mut self, ac: usize, held: impl Fn(u16, u8) -> bool) -> Option<(u16, u8)> {
        loop {
            let which = usize::from(self.lists[ac][0].is_empty());
            let &i = self.lists[ac][which].front()?;
            if self.fairness && *self.deficit(i, ac) <= 0 {
                *self.deficit(i, ac) += QUANTUM;
                self.lists[ac][which].pop_front();
                self.lists[ac][1].push_back(i);
                continue;
            }
            let (sta, tid) = ((i / 8) as u16, (i % 8) as u8);
            if self.queued[i as usize] {
                self.found[ac] = Some((sta, tid));
                return Some((sta, tid));
            }
            if held(sta, tid) {
                return Some((sta, tid));
            }
            self.lists[ac][which].pop_front();
            if which == 0 && !self.lists[ac][1].is_empty() {
                self.lists[ac][1].push_back(i);
            } else {
                self.on_list[i as usize] = false;
            }
        }
    }
    /// The head has sent. src: ath_txq_schedule
    pub fn served(&mut self, ac: Ac) {
        if self.fairness {
            return;
        }
        self.found[usize::from(ac)] = None;
        let [new, old] = &mut self.lists[usize::from(ac)];
        let i = new.pop_front().or_else(|| old.pop_front()).expect("the head is on a list");
        old.push_back(i);
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::*;

    const BE: Ac = 2;
    fn us(n: i64) -> Span {
        Span::from_us(n)
    }

    /// By hand: 0 and 1 are new (credit 300). 0 is charged 700: 300 - 700 = -400; at its turn it gets 300 and goes to the old list; 1 leads.
    /// 1 is charged 301: -1. At its turn it gets 300 (299) and goes behind 0; 0 gets another 300 (200) and goes behind 1, which has credit.
    #[test]
    fn who_has_credit_stays_head() {
        let mut o = Own::new(2, true);
        o.wake(0, 0);
        o.wake(1, 0);
        let head = |o: &mut Own| o.head(BE, |_, _| false);
        assert_eq!(head(&mut o), Some((0, 0)));
        o.charge(0, 0, us(299));
        assert_eq!(head(&mut o), Some((0, 0)), "1 us is credit");
        o.charge(0, 0, us(401));
        assert_eq!(head(&mut o), Some((1, 0)));
        assert_eq!(o.deficits[0][2], -100);
        o.charge(1, 0, us(301));
        assert_eq!(head(&mut o), Some((1, 0)));
        assert_eq!((o.deficits[0][2], o.deficits[1][2]), (200, 299));
    }

    /// A new TID that runs empty goes once round the old ones, as fq_codel's flows do; an old one leaves. By hand: 0 has credit and is
    /// new; 1 has none when it joins, so it is old.
    #[test]
    fn an_empty_one_leaves_by_the_old_list() {
        let mut o = Own::new(2, true);
        o.charge(1, 0, us(300));
        o.wake(1, 0);
        o.wake(0, 0);
        assert_eq!(o.head(BE, |_, _| false), Some((0, 0)), "new before old");
        o.ran_empty(0, 0);
        assert!(o.on_list[0]);
        assert_eq!(o.head(BE, |_, _| false), Some((1, 0)), "1 got a quantum behind 0, which left in passing");
        assert_eq!((o.on_list[0], o.deficits[1][2]), (false, 300));
        o.ran_empty(1, 0);
        assert_eq!(o.head(BE, |sta, _| sta == 1), Some((1, 0)), "what the driver holds counts");
        assert_eq!(o.head(BE, |_, _| false), None);
        o.charge(1, 0, us(300));
        assert!(o.on_list[8], "in debt, it is listed with nothing to send");
        assert_eq!(o.head(BE, |_, _| false), None, "it gets its quantum and leaves");
        assert_eq!(o.deficits[1][2], 300);
    }
}
