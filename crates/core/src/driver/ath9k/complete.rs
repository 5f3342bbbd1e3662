//! Completion: what is freed, what is sent again, what is given up.
//!
//! Stands for: linux@6.12 drivers/net/wireless/ath/ath9k/xmit.c ath_tx_process_buffer, ath_tx_count_airtime,
//! ath_tx_complete_aggr, ath_tx_set_retry. A BAR that failed is not sent again: mac80211 would with the next frame that is acknowledged
//! (net/mac80211/status.c ieee80211_check_pending_bar), but is given no skb of data frames (ath_tx_status: ieee80211_tx_status_noskb).

use super::tid::{TidState, Txqs, fail};
use super::{Ath9k, airtime};
use crate::rate::{Control, Rates, Went};
use crate::sim::{Span, Time};
use crate::wifi::{Attempt, Burst, Chain, Mpdu, Report, Seq, Sink, StaIx, Tid, What};

impl Ath9k {
    /// The hardware is done with `b`. Afterwards the caller schedules; the freed skbs are told of last of all, because `sink`
    /// is looked at when the whole call is over (`ath_txq_unlock_complete`). Answers what rate control is told, if anything.
    pub(super) fn complete(
        &mut self,
        now: Time,
        mut b: Burst,
        r: &Report,
        q: &mut Txqs,
        sink: &mut Sink<'_>,
    ) -> Option<Told> {
        let (to, tid) = (b.to, b.tid);
        q.register_airtime(now, u16::from(to.0), tid.get(), airtime::sent(&b, r, self.band), Span::ZERO);
        if let What::Bar(_) = b.what {
            self.pool.push(b);
            return Some(Told::of_bar(to, r));
        }
        let mut bar = None;
        if b.agreement {
            let limit = self.par.retries;
            let Ath9k { tids, failed, .. } = self;
            let t = &mut tids[to.ix() * Tid::COUNT + tid.ix()];
            bar = settle_aggregate(t, (limit, COUNT), &mut b, r, failed, sink);
            if !self.failed.is_empty() {
                let failed = core::mem::take(&mut self.failed);
                self.tid_mut(to, tid).retry.extend(&failed);
                self.failed = failed;
                self.failed.clear();
                q.schedule_txq(now, u16::from(to.0), tid.get());
            }
        } else {
            for (i, m) in b.mpdus.iter_mut().enumerate() {
                m.received |= r.received.has(i);
                if r.acked.has(i) { sink.free(&m.packet) } else { fail(m, sink) }
            }
        }
        let told = Told::of(&b, r, bar.is_some());
        if let Some(start) = bar {
            self.send_bar(to, tid, start);
        }
        b.mpdus.clear();
        self.pool.push(b);
        told
    }
}

/// What rate control is told of a unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    pub to: StaIx,
    chain: Chain,
    frames: u16,
    bad: u16,
    /// It was a BAR.
    bar: bool,
}

impl Told {
    /// mac80211 asks for a BAR's status (net/mac80211/agg-tx.c ieee80211_send_bar: IEEE80211_TX_CTL_REQ_TX_STATUS), and has it counted as any frame's.
    pub fn of_bar(to: StaIx, r: &Report) -> Told {
        Told { to, chain: [Attempt::NONE; 4], frames: 1, bad: u16::from(!r.answered), bar: true }
    }
    /// Of a unit under an agreement of which no MPDU was acknowledged or given up, it is told nothing: the status goes with the first
    /// that leaves the driver (ath_tx_complete_aggr: `rc_update`).
    pub fn of(b: &Burst, r: &Report, given_up: bool) -> Option<Told> {
        let frames = b.mpdus.len() as u16;
        let bad = frames - r.acked.len() as u16;
        (!b.agreement || bad < frames || given_up).then_some(Told { to: b.to, chain: b.chain, frames, bad, bar: false })
    }
    /// Tells it.
    pub fn tell(&self, now: Time, report: &Report, rates: &mut Rates) {
        if self.bar {
            return rates.bar(now, self.to, report.tries, self.bad == 0);
        }
        rates.report(now, self.to, &Went { chain: &self.chain, report, frames: self.frames, bad: self.bad });
    }
}

/// A frame's transmissions are counted in six bits: a chain of many tries may begin the count anew before it gives a frame up.
/// src: linux@6.12 ath9k/ath9k.h struct ath_frame_info `retries`
const COUNT: u8 = 63;

/// Each MPDU of a unit under an agreement: acknowledged, to be sent again (into `failed`), or given up after `limit`
/// transmissions, which are counted modulo `count` + 1. Answers where the receiver's window must be moved to, if something was given up (`ath_tx_complete_aggr`).
pub(super) fn settle_aggregate(
    t: &mut TidState,
    (limit, count): (u8, u8),
    b: &mut Burst,
    r: &Report,
    failed: &mut Vec<Mpdu>,
    sink: &mut Sink<'_>,
) -> Option<Seq> {
    let attempts = r.attempts(&b.chain);
    let first = t.window.start();
    let mut given_up = None;
    for (i, m) in b.mpdus.iter_mut().enumerate() {
        m.received |= r.received.has(i);
        if !t.window.allows(m.seq) {
            fail(m, sink); // of an earlier session
            continue;
        }
        if r.acked.has(i) {
            t.settle(m.seq);
            sink.free(&m.packet);
        } else if m.attempts < limit {
            m.attempts = m.attempts.wrapping_add(attempts) & count;
            failed.push(*m);
        } else {
            given_up = given_up.max(Some(m.seq.ahead_of(first)));
            t.settle(m.seq);
            fail(m, sink);
        }
    }
    let last = first.plus(given_up?);
    if t.window.allows(last) {
        t.bar = Some(last);
    }
    Some(last.plus(1))
}
