//! What goes to the hardware as one unit, and the hardware queue of an access category: the same under TXQs and under a qdisc.
//!
//! Stands for: linux@6.12 drivers/net/wireless/ath/ath9k/xmit.c ath_tx_fill_desc, ath_tx_txqaddbuf, bf_is_ampdu_not_probing; the same in
//! 3.18 and 4.4.

use super::tid::fail;
use super::{Params, RtsRate, limits};
use crate::phy::Mode;
use crate::rate::Choice;
use crate::wifi::{Ac, Attempt, Burst, End, Mpdu, Seq, Sink, StaIx, Tid, What};
use std::collections::VecDeque;

/// One hardware queue.
#[derive(Clone, Debug, Default)]
pub(super) struct Hw {
    pub queue: VecDeque<Burst>,
    /// Of these, bursts under an agreement (`axq_ampdu_depth`).
    pub ampdus: u8,
    /// MPDUs that were given up by the number of a BAR: they are freed with the next (`complete_q`).
    pub ended: Vec<Mpdu>,
}

impl Hw {
    /// Whether it has no room for another unit: under an agreement, or not.
    #[inline]
    pub fn full(&self, agreement: bool, par: &Params) -> bool {
        if agreement { self.ampdus >= par.depth } else { self.queue.len() >= par.plain_depth.into() }
    }
    /// Whether it has frames for `to`, the first burst left out or not.
    pub fn more_for(&self, to: StaIx, but_first: bool) -> bool {
        self.queue.iter().skip(usize::from(but_first)).any(|b| b.to == to && !b.mpdus.is_empty())
    }
    /// Takes a unit (`ath_tx_txqaddbuf`); `protects`: the RTS threshold is for it.
    pub fn put(&mut self, mut b: Burst, par: &Params, protects: bool) {
        b.rts = protects && b.exceeds(par.rts_threshold);
        b.rts_lowest = par.rts_rate == RtsRate::Lowest;
        self.ampdus += u8::from(b.agreement && !b.probe); // src: bf_is_ampdu_not_probing
        self.queue.push_back(b);
    }
    /// The first has been on the air.
    pub fn done(&mut self) -> Burst {
        self.remove(0).expect("the hardware is done with a burst")
    }
    /// Frees what was given up (`ath_txq_unlock_complete`).
    pub fn free_ended(&mut self, sink: &mut Sink<'_>) {
        self.ended.drain(..).for_each(|m| fail(&m, sink));
    }
    /// Gives up unit `i`, if it has so many.
    pub fn remove(&mut self, i: usize) -> Option<Burst> {
        let b = self.queue.remove(i)?;
        self.ampdus -= u8::from(b.agreement && !b.probe);
        Some(b)
    }
}

/// An empty unit to a (peer, TID), from the pool.
pub(super) fn empty(pool: &mut Vec<Burst>, to: StaIx, tid: Tid, ac: Ac) -> Burst {
    let mut b = pool.pop().unwrap_or_default();
    b.mpdus.clear();
    (b.to, b.tid, b.ac) = (to, tid, ac);
    b
}

/// `b`, which has its MPDUs, becomes an aggregate of this size, or a frame alone under the agreement.
pub(super) fn aggregate(b: &mut Burst, choice: &Choice, size: &limits::Size, end: End, par: &Params) {
    let single = b.mpdus.len() == 1;
    b.what = if single { What::Single } else { What::Ampdu };
    b.psdu = if single { b.mpdus[0].len.into() } else { size.bytes };
    b.end = end;
    b.agreement = true;
    sent_with(b, choice, par);
}

/// `b`, which has one MPDU, becomes a frame outside any agreement.
pub(super) fn plain(b: &mut Burst, choice: &Choice, par: &Params) {
    b.what = What::Single;
    b.psdu = b.mpdus[0].len.into();
    b.end = End::Single;
    b.agreement = false;
    sent_with(b, choice, par);
}

/// `b`, which is empty, becomes a BAR, in this mode (`ath_send_bar`, `ath_tx_start`).
pub(super) fn bar(b: &mut Burst, start: Seq, mode: Mode) {
    b.what = What::Bar(start);
    b.psdu = crate::wifi::response::BAR;
    b.agreement = false;
    b.chain = [Attempt::NONE; 4];
    b.chain[0] = Attempt { mode, tries: 10 }; // src: hw->max_rate_tries
    b.probe = false;
    b.rts_fallback = false;
}

/// What it is sent with. The first frame decides whether the first link has fewer tries, for RTS before each.
/// src: linux@6.12 net/mac80211/tx.c ieee80211_tx_h_rate_ctrl (use_rts); ath9k/xmit.c ath_merge_ratetbl; linux@3.18 net/mac80211/rate.c
/// rate_control_fill_sta_table
fn sent_with(b: &mut Burst, choice: &Choice, par: &Params) {
    b.chain = choice.chain;
    if par.rts_threshold.is_some_and(|t| u32::from(b.mpdus[0].len) > t) {
        b.chain[0].tries = choice.first_rts;
    }
    b.probe = choice.probe;
    b.rts_fallback = choice.rts_fallback;
}
