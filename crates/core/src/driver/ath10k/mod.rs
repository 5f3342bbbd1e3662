//! ath10k: 802.11ac cards whose firmware takes over a thousand packets and aggregates by itself.
//!
//! Enters: packets that the driver pushes from what stands above ([`Above`]). Leaves: PPDUs for the MAC ([`Device::head`]), freed
//! skbs in batches, received packets.
//!
//! ```text
//! TXQs or qdisc -> descriptors (1424 or 1056) -> firmware: FIFO a (peer, TID) -> A-MSDU -> A-MPDU of up to 64 -> 2 PPDUs -> air
//! air -> firmware: completions gather -> interrupt, NAPI: skbs freed, more is pushed
//! ```
//!
//! What follows from it: without AQL a sender's TCP is held by nothing but its window and TSQ, and TSQ sees the air late,
//! by as long as completions gather; a ping queues behind whatever the firmware has.
//!
//! Stands for: linux@6.12 drivers/net/wireless/ath/ath10k/mac.c ath10k_mac_op_wake_tx_queue, ath10k_mac_tx_push_pending,
//! ath10k_mac_tx_push_txq; htt_rx.c ath10k_htt_txrx_compl_task, which ends with a push whatever the interrupt was for; before 4.15 mac.c ath10k_mac_op_tx under a qdisc. The firmware:
//! [`offload`](super::offload). Fact, assumption, calibration: docs/devices/ath10k.md.
//! Differs: D1 an interrupt's own way to the host takes no time beside `report`; D2 received frames are handed up at once (to
//! [`Napi`](crate::host::Napi)), since nothing is known of how the firmware gathers them; D3 push mode only; D4 the push of a poll for received
//! frames comes when the stack has had those that take it no time: a host that takes time is at the others still.

mod params;

#[cfg(test)]
mod tests;

pub use params::Params;

use crate::driver::holds::Holds;
use crate::driver::offload::{Above, Descriptors, Firmware, Peer};
use crate::phy::{Band, Mode};
use crate::rate::Rates;
use crate::sim::{Lane, Span, Time};
use crate::wifi::{Ac, Burst, Came, Device, Encryption, Opportunities, Report, Sink, StaIx, Tid};
use core::marker::PhantomData;

/// The card and its driver. `Q` is what stands above.
#[derive(Debug)]
pub struct Ath10k<Q> {
    par: Params,
    host: Descriptors,
    fw: Firmware,
    /// When the host will be told of completions.
    report_at: Time,
    /// The poll that received frames brought has not pushed yet.
    polled: bool,
    up: Vec<Came>,
    above: PhantomData<fn(&mut Q)>,
}

/// The tag of the report.
const REPORT: u32 = 0;
/// The tag of the end of a poll that frames or a beacon brought.
const POLL: u32 = 1;

impl<Q: Above> Ath10k<Q> {
    /// A card that talks to these stations. `aggregates`: false where aggregation is off.
    pub fn new(par: &Params, rates: Rates, peers: &[Peer], aggregates: bool, band: Band) -> Self {
        Ath10k {
            host: Descriptors::new(par.msdus),
            fw: Firmware::new(par.limits(), rates, peers, aggregates, band),
            par: *par,
            report_at: Time::NEVER,
            polled: false,
            up: Vec::with_capacity(256),
            above: PhantomData,
        }
    }
    /// Data frames are protected: the firmware makes header and MIC (frames come to it without either).
    /// src: linux@6.12 ath10k/mac.c ath10k_send_key, which asks for no IV but in raw mode
    pub fn protect(&mut self, encryption: Encryption) {
        self.fw.protect(encryption);
    }
    /// The firmware is told of the limits of its transmission opportunities (`ath10k_conf_tx`).
    pub fn within(&mut self, opportunities: Opportunities) {
        self.fw.within(opportunities);
    }
    /// Descriptors in use (`num_pending_tx`).
    pub fn pending(&self) -> u16 {
        self.host.pending()
    }
    /// What it holds: descriptors in use, of so many, and completions that the host has not been told of.
    pub fn holds(&self) -> Holds {
        let counts = vec![
            ("num_pending_tx", self.pending().into()),
            ("max_num_pending_tx", self.par.msdus.into()),
            ("unreported", self.fw.done.len() as u64),
        ];
        Holds { counts, ..self.fw.holds(&self.host) }
    }
    /// What knows the peers' rates.
    pub fn rates(&self) -> &Rates {
        self.fw.rates()
    }
    /// Whether the firmware has more for station `to`, beside the head of `ac`.
    pub fn more_for(&self, to: StaIx, ac: Ac) -> bool {
        self.fw.more_for(to, ac)
    }
    /// A frame came: the poll that hands it up ends with a push.
    pub fn rx(&mut self, now: Time, c: &Came, q: &Q, sink: &mut Sink<'_>) {
        self.up.push(*c);
        self.interrupt(now, q, sink);
    }
    /// The card has something for the host, completions aside.
    pub fn interrupt(&mut self, now: Time, q: &Q, sink: &mut Sink<'_>) {
        if q.polls() && !core::mem::replace(&mut self.polled, true) {
            sink.wants.push((now, Lane::Tasklet, POLL)); // when the stack has had the frames
        }
    }
    /// Hands the frames to `up`, as they came.
    pub fn take_up(&mut self, up: &mut Vec<Came>) {
        up.append(&mut self.up);
    }
    /// Packets between the air and the host's stack.
    pub fn held_up(&self) -> u64 {
        self.up.iter().filter(|c| c.is_packet()).count() as u64
    }

    /// Pushes from whoever has the turn, as long as descriptors are free (`ath10k_mac_tx_push_txq`).
    fn push(&mut self, now: Time, ac: Ac, q: &mut Q, sink: &mut Sink<'_>) {
        while self.host.has_room() {
            let Some((p, to, tid, charged)) = q.pull(now, ac, sink) else { break };
            let slot = self.host.take(&p, to, tid, charged);
            self.fw.take(slot, to, tid);
        }
        q.give_back(now, ac);
        self.fw.fill(now, ac, &self.host);
    }
    /// `ath10k_mac_tx_push_pending`: every category, everybody.
    fn push_pending(&mut self, now: Time, q: &mut Q, sink: &mut Sink<'_>) {
        if !q.resumes(self.host.pending(), self.par.msdus) {
            return;
        }
        for ac in Ac::ALL {
            q.start(ac);
            while self.host.has_room() && q.turn(now, ac) {
                self.push(now, ac, q, sink);
            }
        }
    }
    /// The host is told: skbs are freed, and more is pushed (`ath10k_htt_txrx_compl_task`).
    fn report(&mut self, now: Time, q: &mut Q, sink: &mut Sink<'_>) {
        let mut done = core::mem::take(&mut self.fw.done);
        for (slot, ok) in done.drain(..) {
            let d = self.host.complete(slot, ok, sink);
            q.sent_at(d.to, self.fw.last_mode(d.to));
            q.completed(now, &d.packet, d.to, d.tid, d.charged);
        }
        self.fw.done = done;
        self.push_pending(now, q, sink);
    }
}

impl<Q: Above> Device for Ath10k<Q> {
    type Queues = Q;

    fn wake(&mut self, now: Time, _to: StaIx, tid: Tid, q: &mut Q, sink: &mut Sink<'_>) {
        let ac = Ac::of(tid);
        if !q.pushes(self.host.pending(), self.par.msdus) {
            return;
        }
        q.start(ac);
        if q.turn(now, ac) {
            self.push(now, ac, q, sink);
        }
    }
    fn learn(&mut self, to: StaIx, best: Mode) {
        self.fw.learn(to, best);
    }
    fn head(&self, ac: Ac) -> Option<&Burst> {
        self.fw.head(ac)
    }
    fn done(&mut self, now: Time, ac: Ac, report: &Report, q: &mut Q, sink: &mut Sink<'_>) {
        self.fw.complete(now, ac, report, &mut self.host);
        self.fw.fill(now, ac, &self.host);
        if self.fw.done.is_empty() {
            return;
        }
        if self.par.report == Span::ZERO {
            self.report(now, q, sink);
        } else if self.report_at.is_never() {
            self.report_at = now + self.par.report;
            sink.wants.push((self.report_at, Lane::Completion, REPORT));
        }
    }
    fn timer(&mut self, now: Time, tag: u32, q: &mut Q, sink: &mut Sink<'_>) {
        if tag == POLL {
            self.polled = false;
            self.push_pending(now, q, sink);
        } else if now >= self.report_at {
            self.report_at = Time::NEVER;
            self.report(now, q, sink);
        }
    }
    fn held(&self) -> u64 {
        self.host.owed()
    }
}
