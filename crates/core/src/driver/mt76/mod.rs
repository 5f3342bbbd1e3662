//! mt76: MediaTek's 802.11ax cards (mt7915, mt7916, mt7921), whose firmware aggregates what AQL lets down to it.
//!
//! Enters: packets that the driver's worker pulls from mac80211's TXQs ([`Above`]). Leaves: PPDUs for the MAC ([`Device::head`]), freed skbs,
//! airtime that the hardware has counted, received packets.
//!
//! ```text
//! TXQs -> worker: from each in turn as long as AQL lets it -> tokens (8192) -> firmware: FIFO a (peer, TID) -> A-MSDU -> A-MPDU of up to 256 -> air
//! air -> tx-free event: skbs freed, AQL credited, airtime read -> worker
//! ```
//!
//! What follows from it: no budget ends a turn but AQL's, so what stands in the device is AQL's limit of each station, 5 or 12 ms of air, and
//! that is what aggregates are made of.
//!
//! Stands for: linux@6.12 drivers/net/wireless/mediatek/mt76/tx.c mt76_wake_tx_queue, mt76_tx_worker_run, mt76_txq_schedule_all,
//! mt76_txq_schedule_list, mt76_txq_send_burst, mt76_token_consume; mt7915/mac.c mt7915_mac_tx_free, mt7915_mac_sta_poll. The firmware:
//! [`offload`](super::offload). Fact and assumption: docs/devices/mt76.md.
//! Differs: D1 the worker, a kernel thread of real-time priority, and the polling threads run at once, when the softirqs of the instant are through;
//! D2 AQL knows a rate from the start, and it is the present one; once there is one, an estimate is never below 4 us, so that no packet is one of those of which
//! the driver lets 16 a station down (MT_MAX_NON_AQL_PKT); D3 the transmit ring is never full (2048 descriptors, free again when the card
//! has read them); D4 airtime is read at each tx-free event for all stations (the driver: for those that the event or a received frame has named);
//! D5 fixed rates, or ideal ones: what the firmware's rate control does is not public. With Minstrel-HT it is a card of the generation before, MT7603 or MT7615
//! ([`rate_set`](super::offload), [`Params::mt7615`]), and AQL is charged for a frame that is to probe as for the others; D6 no packet asks for a status of its own (one in 250 ms a station, which is
//! in no A-MSDU); D7 TAO is told where an A-MPDU ends, which mt76 does not tell mac80211 (RX_FLAG_AMPDU_IS_LAST).

mod params;
pub mod reorder;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;

pub use params::Params;

use super::holds::Holds;
use super::offload::{Above, Descriptors, Firmware, Peer};
use crate::phy::{Band, Mode};
use crate::rate::Rates;
use crate::sim::{Lane, Span, Time};
use crate::wifi::{Ac, Burst, Came, Device, Encryption, Report, Sink, StaIx, Tid};
use core::marker::PhantomData;

/// The card and its driver. `Q` is what stands above.
#[derive(Debug)]
pub struct Mt76<Q> {
    report: Span,
    tokens: Descriptors,
    fw: Firmware,
    /// Airtime of each station and category since it was read: sent to it, and received from it.
    counted: Vec<[(Span, Span); Ac::COUNT]>,
    /// When the host will be told of completions.
    report_at: Time,
    /// The worker was woken and has not run yet.
    woken: bool,
    up: Vec<Came>,
    above: PhantomData<fn(&mut Q)>,
}

/// The tag of the tx-free event.
const TX_FREE: u32 = 0;
/// The tag of the worker.
const WORKER: u32 = 1;

impl<Q: Above> Mt76<Q> {
    /// A card that talks to these stations. `aggregates`: false where aggregation is off.
    pub fn new(par: &Params, rates: Rates, peers: &[Peer], aggregates: bool, band: Band) -> Self {
        Mt76 {
            report: par.report,
            tokens: Descriptors::new(par.tokens),
            fw: Firmware::new(par.limits(band), rates, peers, aggregates, band),
            counted: vec![Default::default(); peers.len()],
            report_at: Time::NEVER,
            woken: false,
            up: Vec::with_capacity(256),
            above: PhantomData,
        }
    }
    /// Data frames are protected: the hardware makes header and MIC (`IEEE80211_TX_CTL_HW_80211_ENCAP`).
    pub fn protect(&mut self, encryption: Encryption) {
        self.fw.protect(encryption);
    }
    /// What it holds: tokens in use, and completions that the host has not been told of.
    pub fn holds(&self) -> Holds {
        let counts = vec![("token_count", self.tokens.pending().into()), ("unreported", self.fw.done.len() as u64)];
        Holds { counts, ..self.fw.holds(&self.tokens) }
    }
    /// What knows the peers' rates.
    pub fn rates(&self) -> &Rates {
        self.fw.rates()
    }
    /// Whether the firmware has more for station `to`, beside the head of `ac`.
    pub fn more_for(&self, to: StaIx, ac: Ac) -> bool {
        self.fw.more_for(to, ac)
    }
    /// A PPDU came from station `from`.
    pub fn heard(&mut self, from: StaIx, tid: Tid, airtime: Span) {
        self.counted[from.ix()][Ac::of(tid).ix()].1 += airtime;
    }
    /// A frame came.
    pub fn rx(&mut self, c: &Came) {
        self.up.push(*c);
    }
    /// Hands the frames to `up`, as they came.
    pub fn take_up(&mut self, up: &mut Vec<Came>) {
        up.append(&mut self.up);
    }
    /// Packets between the air and the host's stack.
    pub fn held_up(&self) -> u64 {
        self.up.iter().filter(|c| c.is_packet()).count() as u64
    }

    /// `mt76_worker_schedule`: the worker's thread runs when the softirqs of the instant are through, so that packets that come together are there,
    /// and what TCP sends for the skbs that were freed.
    fn wake_worker(&mut self, now: Time, sink: &mut Sink<'_>) {
        if !core::mem::replace(&mut self.woken, true) {
            sink.wants.push((now, Lane::Worker, WORKER));
        }
    }
    /// `mt76_txq_schedule_all`: every category, in rounds until one brings nothing.
    fn work(&mut self, now: Time, q: &mut Q, sink: &mut Sink<'_>) {
        for ac in Ac::ALL {
            while self.schedule(now, ac, q, sink) > 0 {}
        }
    }
    /// `mt76_txq_schedule_list`: one round over the category's TXQs. Answers how many packets it brought.
    fn schedule(&mut self, now: Time, ac: Ac, q: &mut Q, sink: &mut Sink<'_>) -> u32 {
        let mut all = 0;
        q.start(ac);
        while q.turn(now, ac) {
            let burst = self.burst(now, ac, q, sink);
            q.give_back(now, ac);
            if burst > 0 {
                self.fw.fill(now, ac, &self.tokens); // one doorbell a burst
            }
            all += burst;
        }
        all
    }
    /// `mt76_txq_send_burst`: all that the TXQ whose turn it is gives, tokens permitting.
    fn burst(&mut self, now: Time, ac: Ac, q: &mut Q, sink: &mut Sink<'_>) -> u32 {
        let mut n = 0;
        while self.tokens.has_room() {
            let Some((p, to, tid, charged)) = q.pull(now, ac, sink) else { break };
            self.fw.pulled(now, to);
            let token = self.tokens.take(&p, to, tid, charged);
            self.fw.take(token, to, tid);
            n += 1;
        }
        n
    }
    /// `mt7915_mac_tx_free`: tokens and skbs are freed, the counters of airtime read, and the worker is woken.
    fn free(&mut self, now: Time, q: &mut Q, sink: &mut Sink<'_>) {
        let mut done = core::mem::take(&mut self.fw.done);
        for (token, ok) in done.drain(..) {
            let d = self.tokens.complete(token, ok, sink);
            q.sent_at(d.to, self.fw.last_mode(d.to));
            q.freed(d.to, d.tid, d.charged);
        }
        self.fw.done = done;
        for (i, station) in self.counted.iter_mut().enumerate() {
            for (ac, spent) in Ac::ALL.into_iter().zip(station) {
                let (tx, rx) = core::mem::take(spent);
                if tx + rx > Span::ZERO {
                    q.spent(now, StaIx(i as u8), ac, tx, rx);
                }
            }
        }
        self.wake_worker(now, sink);
    }
}

impl<Q: Above> Device for Mt76<Q> {
    type Queues = Q;

    fn wake(&mut self, now: Time, _to: StaIx, _tid: Tid, _q: &mut Q, sink: &mut Sink<'_>) {
        self.wake_worker(now, sink);
    }
    fn learn(&mut self, to: StaIx, best: Mode) {
        self.fw.learn(to, best);
    }
    fn head(&self, ac: Ac) -> Option<&Burst> {
        self.fw.head(ac)
    }
    fn done(&mut self, now: Time, ac: Ac, report: &Report, q: &mut Q, sink: &mut Sink<'_>) {
        let to = self.fw.head(ac).expect("what is done is still at the head").to;
        self.counted[to.ix()][ac.ix()].0 += report.airtime;
        self.fw.complete(now, ac, report, &mut self.tokens);
        self.fw.fill(now, ac, &self.tokens);
        self.fw.tell(now);
        if self.fw.done.is_empty() {
            return;
        }
        if self.report == Span::ZERO {
            self.free(now, q, sink);
        } else if self.report_at.is_never() {
            self.report_at = now + self.report;
            sink.wants.push((self.report_at, Lane::Completion, TX_FREE));
        }
    }
    fn timer(&mut self, now: Time, tag: u32, q: &mut Q, sink: &mut Sink<'_>) {
        if tag == WORKER {
            self.woken = false;
            self.work(now, q, sink);
        } else if now >= self.report_at {
            self.report_at = Time::NEVER;
            self.free(now, q, sink);
        }
    }
    fn held(&self) -> u64 {
        self.tokens.owed()
    }
}
