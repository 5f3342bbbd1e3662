//! The transmit state of one (peer, TID): Block Ack window, retry queue, pending BAR.
//!
//! Stands for: linux@6.12 drivers/net/wireless/ath/ath9k/xmit.c `struct ath_atx_tid`, ath_tid_dequeue,
//! ath_tx_get_tid_subframe.
//! Differs: D1 an agreement stands from the start (no ADDBA, no frames before it), D2 and never ends.

use crate::driver::holds::TidHeld;
use crate::rate::Rates;
use crate::sim::{Bin, Place, Reason, Time};
use crate::wifi::{Framing, Mark, Mpdu, Seq, Sink, StaIx, Tid, TxWindow};
use std::collections::VecDeque;

/// What stands above: mac80211's TXQs.
pub(super) use crate::mac80211::Txqs;

/// One (peer, TID).
#[derive(Clone, Debug)]
pub(super) struct TidState {
    pub to: StaIx,
    pub tid: Tid,
    /// A Block Ack agreement stands (`tid->active`).
    pub active: bool,
    pub window: TxWindow,
    /// Frames to be sent before new ones are pulled: failed ones, and one that did not fit into an aggregate.
    pub retry: VecDeque<Mpdu>,
    /// The last BAR asked the receiver to move to the number after this one: what lies before it is given up.
    pub bar: Option<Seq>,
    framing: Framing,
}

impl TidState {
    pub fn new(to: StaIx, tid: Tid, active: bool, window: u16, framing: Framing) -> TidState {
        TidState {
            to,
            tid,
            active,
            window: TxWindow::new(Seq::default(), window),
            retry: VecDeque::new(),
            bar: None,
            framing,
        }
    }
    /// What it holds.
    pub fn holds(&self) -> TidHeld {
        let packets = self.retry.iter().map(counted).sum::<u64>() as u32;
        let retry = self.retry.len() as u32;
        TidHeld {
            retry,
            packets,
            paused: self.bar.is_some(),
            ..TidHeld::of(self.to, self.tid, self.active, &self.window)
        }
    }
    /// Whether its next frame is taken already: with the hardware full, it would be taken and put back with nothing changed. A number
    /// that the window has reached since is handed out by that (`ath_tx_addto_baw`).
    #[inline]
    pub fn waits(&self) -> bool {
        self.retry.len() == 1 && self.bar.is_none() && !self.window.has_reached_next()
    }
    /// The next frame, onto the end of `to`: from the retry queue, else from the TXQ, which is when it gets its number
    /// and rate control sees it (`ath_tid_dequeue`, `ieee80211_tx_h_rate_ctrl`) if it did not as it came. False: there is none.
    #[inline(always)] // of its two callers one is seldom
    fn dequeue(&mut self, now: Time, rates: &mut Rates, q: &mut Txqs, sink: &mut Sink<'_>, to: &mut Vec<Mpdu>) -> bool {
        if let Some(m) = self.retry.pop_front() {
            to.push(m);
            return true;
        }
        let Some(i) = q.pull(now, u16::from(self.to.0), self.tid.get(), sink) else { return false };
        let packet = q.pulled(i);
        let (seq, mark) = (self.window.assign(), rates.leaves(now, self.to, Mark(packet.mark)));
        let len = self.framing.mpdu_len(packet.ip_len());
        // Made in its place, so that the packet is copied once.
        to.extend(core::iter::once_with(|| Mpdu {
            packet: *packet,
            seq,
            len,
            attempts: 0,
            received: false,
            more: 0,
            mark,
        }));
        q.release(i);
        true
    }
    /// The next frame that may be sent now, onto the end of `to` (`ath_tx_get_tid_subframe`). False: there is none. What lies beyond
    /// the window waits in the retry queue; what a BAR gave up goes to `done`.
    #[inline(always)] // of its callers one is not seldom
    pub fn subframe(
        &mut self,
        now: Time,
        rates: &mut Rates,
        q: &mut Txqs,
        sink: &mut Sink<'_>,
        done: &mut Vec<Mpdu>,
        to: &mut Vec<Mpdu>,
    ) -> bool {
        if !self.dequeue(now, rates, q, sink, to) {
            return false;
        }
        if !self.active {
            return true;
        }
        // Mostly the first will do.
        let seq = to.last().expect("it was just put there").seq;
        if self.bar.is_none() && self.window.allows(seq) {
            self.window.open(seq);
            return true;
        }
        self.subframe_among(now, rates, q, sink, done, to)
    }
    /// The same, where the first, at the end of `to`, perhaps is not the one.
    #[inline(never)]
    fn subframe_among(
        &mut self,
        now: Time,
        rates: &mut Rates,
        q: &mut Txqs,
        sink: &mut Sink<'_>,
        done: &mut Vec<Mpdu>,
        to: &mut Vec<Mpdu>,
    ) -> bool {
        let mut first_beyond = None;
        loop {
            let seq = to.last().expect("it was just put there").seq;
            if !self.window.allows(seq) {
                let others = !self.retry.is_empty();
                self.retry.extend(to.pop());
                // Others in the retry queue probably lie within the window.
                if !others || first_beyond == Some(seq) {
                    return false;
                }
                first_beyond = first_beyond.or(Some(seq));
            } else if self.bar.is_some_and(|b| seq.before(b)) {
                self.settle(seq);
                done.extend(to.pop());
            } else {
                self.window.open(seq);
                return true;
            }
            if !self.dequeue(now, rates, q, sink, to) {
                return false;
            }
        }
    }
    /// `seq` is acknowledged or given up.
    pub fn settle(&mut self, seq: Seq) {
        self.window.settle(seq);
        if self.bar.is_some_and(|b| b.before(self.window.start())) {
            self.bar = None;
        }
    }
}

/// An MPDU ends without an acknowledgement. If its receiver has it all the same, only the sender's memory is freed.
pub(super) fn fail(m: &Mpdu, sink: &mut Sink<'_>) {
    if m.received {
        sink.free(&m.packet);
    } else {
        sink.drop(m.packet, Place::Driver, Reason::Retries);
    }
}

/// An MPDU's packet as it is counted for conservation.
pub(super) fn counted(m: &Mpdu) -> u64 {
    u64::from(!m.received)
}
