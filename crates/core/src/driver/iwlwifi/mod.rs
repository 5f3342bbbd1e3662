//! iwlwifi: Intel's 802.11ax cards (AX200, AX210), whose driver takes TCP's super-packets whole and cuts them into A-MSDUs.
//!
//! Enters: packets of the stack ([`Iwlwifi::xmit`]), through mac80211's TXQs. Leaves: PPDUs for the MAC ([`Device::head`]), freed skbs, received packets.
//!
//! ```text
//! TXQ a (peer, TID) -> as long as its ring is not stopped -> A-MSDUs, each a TFD -> ring a (peer, TID) of 256 -> firmware: A-MPDU of up to 63 -> air
//! air -> Block Ack notification: an index -> the ring's front is taken off, the TXQ pulled from if the ring was stopped -> skbs freed, in order
//! ```
//!
//! What follows from it: nothing but the ring's marks holds packets in a TXQ, where fair queueing, CoDel and mac80211's A-MSDUs are. AQL is not asked for, nor
//! airtime fairness, and no station is told from another above the firmware. A lost MPDU keeps the memory of all that stand behind it from its sockets.
//!
//! Stands for: linux@6.12 drivers/net/wireless/intel/iwlwifi/mvm/mac80211.c iwl_mvm_mac_wake_tx_queue, iwl_mvm_mac_itxq_xmit; mvm/tx.c iwl_mvm_tx_skb_sta
//! ([`tso`]), iwl_mvm_rx_ba_notif, iwl_mvm_tx_reclaim; mvm/ops.c iwl_mvm_queue_state_change; pcie/tx-gen2.c, pcie/tx.c ([`ring`]). The same in 5.4 and 5.15.
//! The firmware: [`offload`](super::offload). Fact and assumption: docs/devices/iwlwifi.md.
//! Differs: D1 the firmware looks at its rings when the softirqs of the instant are through, so that what a burst brings is in one aggregate;
//! D2 a queue exists from the start (the kernel allocates it when the first packet comes, in a work); D3 rates are fixed or ideal, and A-MSDUs are permitted at
//! any of them under an agreement (the firmware tells for which TIDs, iwl_mvm_tlc_update_notif); D4 an MPDU that is given up is one of an A-MPDU (the
//! firmware sends it without aggregation once, as the driver's comment has it); D5 one receive queue (RSS has one a CPU); D6 TAO is told where an A-MPDU ends;
//! D7 received frames are put in order by mac80211's rule and [`Params::reorder_timeout`]: the driver's timer of up to 6.6 has that rule, but that only the
//! timer gives a hole up, and not the next frame (mvm/rxmq.c iwl_mvm_reorder_timer_expired).

mod params;
mod ring;
mod tso;

#[cfg(test)]
mod tests;

pub use params::Params;

use super::holds::Holds;
use super::offload::{Descriptors, Firmware, Peer, Slot};
use crate::mac80211::{Txqs, fq};
use crate::phy::{Band, Mode};
use crate::rate::Rates;
use crate::sim::{Freed, Lane, Owner, Packet, Span, Time};
use crate::tcp;
use crate::wifi::{Ac, Burst, Came, Device, Encryption, Report, Sink, StaIx, Tid};
use ring::Ring;

/// Stations that an access point has at most: three of the firmware's are the driver's own (broadcast, multicast, and one beside the network). src: linux@6.12
/// iwlwifi/fw/api/mac.h IWL_STATION_COUNT_MAX; mvm/mvm.h aux_sta, bcast_sta, mcast_sta
pub const MOST_STATIONS: usize = 13;
/// Descriptors of MSDUs that there are from the start for each of the first peers: more are made when they are needed.
const DESCRIPTORS: u16 = 2_048;
/// With fewer descriptors left than a super-packet may need, all rings count as full.
const SPARE: u32 = 1_024;

/// The card and its driver.
#[derive(Debug)]
pub struct Iwlwifi {
    par: Params,
    host: Descriptors,
    fw: Firmware,
    /// By (peer, TID).
    rings: Vec<Ring>,
    /// By peer: bytes of an A-MSDU to it; 0: it takes none.
    amsdu: Vec<u32>,
    aggregates: bool,
    /// Rings of which something is over, within a notification.
    told: Vec<usize>,
    gone: Vec<(Slot, bool)>,
    /// A ring was stopped because there were no descriptors left.
    starved: bool,
    /// When the host will be told of completions.
    report_at: Time,
    /// The firmware was told of something in its rings, and has not looked yet.
    rung: bool,
    /// Packets that cutting has made.
    cut: u64,
    up: Vec<Came>,
}

/// The tag of the notification.
const NOTIFICATION: u32 = 0;
/// The tag of the firmware's look at its rings.
const DOORBELL: u32 = 1;

impl Iwlwifi {
    /// A card that talks to these stations, sent to with `modes`. `aggregates`: false where aggregation is off.
    pub fn new(par: &Params, rates: Rates, peers: &[Peer], modes: &[Mode], aggregates: bool, band: Band) -> Self {
        let window = par.window();
        let known: Vec<Peer> = peers.iter().map(|p| Peer { window: p.window.min(window), ..*p }).collect();
        let amsdu = |(p, &mode): (&Peer, &Mode)| {
            if p.amsdus && mode.aggregates() { tso::limit(mode, par.mpdu_bytes, par.amsdu_bytes) } else { 0 }
        };
        Iwlwifi {
            par: *par,
            host: Descriptors::new(DESCRIPTORS * peers.len().min(8) as u16),
            fw: Firmware::new(par.limits(band), rates, &known, aggregates, band),
            rings: (0..peers.len() * Tid::COUNT).map(|_| Ring::default()).collect(),
            amsdu: peers.iter().zip(modes).map(amsdu).collect(),
            aggregates,
            told: Vec::new(),
            gone: Vec::with_capacity(1_024),
            starved: false,
            report_at: Time::NEVER,
            rung: false,
            cut: 0,
            up: Vec::with_capacity(256),
        }
    }
    /// Data frames are protected: the hardware makes header and MIC. src: linux@6.12 iwlwifi/mvm/mac80211.c `__iwl_mvm_mac_set_key`, which asks for no
    /// room for the header where the card has the new transmit API
    pub fn protect(&mut self, encryption: Encryption) {
        self.fw.protect(encryption);
    }
    /// What it holds: descriptors, what waits beside full rings, rings that are stopped, and completions that the host has not been told of.
    pub fn holds(&self) -> Holds {
        let sum = |of: fn(&Ring) -> u64| self.rings.iter().map(of).sum::<u64>();
        let counts = vec![
            ("tfds", sum(|r| r.used().into())),
            ("overflow_q", sum(|r| r.overflowed() as u64)),
            ("queue_stopped", sum(|r| r.stopped.into())),
            ("unreported", self.fw.done.len() as u64),
        ];
        Holds { counts, ..self.fw.holds(&self.host) }
    }
    /// What knows the peers' rates.
    pub fn rates(&self) -> &Rates {
        self.fw.rates()
    }
    /// Whether it has more for station `to`, beside the head of `ac`.
    pub fn more_for(&self, to: StaIx, ac: Ac) -> bool {
        self.fw.more_for(to, ac)
    }
    /// Packets that cutting has made.
    pub fn cut(&self) -> u64 {
        self.cut
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

    /// The stack hands a packet down: a super-packet whole, or with TSO off the segments that it cuts for a device that gathers.
    pub fn xmit(&mut self, now: Time, to: StaIx, tid: Tid, p: &Packet, q: &mut Txqs, sink: &mut Sink<'_>) {
        if p.segs == 1 || self.par.tso {
            return self.enqueue(now, to, tid, p, q, sink);
        }
        self.charge(p, tcp::weight(p, None), sink);
        for s in tcp::segment(&owned(p), None) {
            self.enqueue(now, to, tid, &s, q, sink);
        }
    }
    /// What was a super-packet weighs `parts` now, and is so many packets.
    fn charge(&mut self, p: &Packet, parts: u32, sink: &mut Sink<'_>) {
        self.cut += u64::from(p.segs) - 1;
        if p.owner != Owner::NONE {
            sink.freed.push(Freed::cut(p, parts, false));
        }
    }
    /// Into mac80211's TXQ: what joins a packet that waits wakes nobody.
    fn enqueue(&mut self, now: Time, to: StaIx, tid: Tid, p: &Packet, q: &mut Txqs, sink: &mut Sink<'_>) {
        let sta = u16::from(to.0);
        let most = fq::Most { bytes: self.amsdu_to(to, tid), msdus: self.par.amsdu_msdus };
        if most.bytes > 0 && q.join(sta, tid.get(), p, most) {
            return;
        }
        q.enqueue(now, sta, tid.get(), p, sink);
        self.pull(now, to, tid, q, sink);
    }
    /// Bytes of an A-MSDU to this peer with this TID; 0: none.
    fn amsdu_to(&self, to: StaIx, tid: Tid) -> u32 {
        let agreement = self.aggregates && Ac::of(tid) != Ac::Vo;
        if agreement { self.amsdu[to.ix()] } else { 0 }
    }
    /// `iwl_mvm_mac_itxq_xmit`: all that the TXQ gives, until its ring is stopped.
    fn pull(&mut self, now: Time, to: StaIx, tid: Tid, q: &mut Txqs, sink: &mut Sink<'_>) {
        let i = to.ix() * Tid::COUNT + tid.ix();
        while !self.rings[i].stopped {
            if self.host.left() < SPARE {
                (self.rings[i].stopped, self.starved) = (true, true);
                return;
            }
            let Some(at) = q.pull(now, u16::from(to.0), tid.get(), sink) else { return };
            let p = *q.pulled(at);
            if p.segs > 1 {
                self.push_super(to, tid, &p, sink);
            } else {
                self.push(to, tid, &p, true);
            }
            while let Some(further) = q.next_joined(at) {
                self.push(to, tid, &further, false);
            }
            q.release(at);
            self.ring_bell(now, sink);
        }
    }
    /// `iwl_mvm_tx_tso`: a super-packet as A-MSDUs, or segment by segment where its receiver takes none. What fits into one stays the skb that it is.
    fn push_super(&mut self, to: StaIx, tid: Tid, p: &Packet, sink: &mut Sink<'_>) {
        let limit = self.amsdu_to(to, tid);
        let n = if limit > 0 { tso::subframes(p, limit, self.par.amsdu_msdus) } else { 1 };
        if n < p.segs {
            self.charge(p, tso::weight(p, n), sink);
        } else {
            self.cut += u64::from(p.segs) - 1;
        }
        for amsdu in tso::amsdus(&owned(p), n) {
            for (k, msdu) in tso::msdus(&amsdu).enumerate() {
                self.push(to, tid, &msdu, k == 0);
            }
        }
    }
    /// An MSDU for the ring; `first`: it begins an MPDU.
    fn push(&mut self, to: StaIx, tid: Tid, p: &Packet, first: bool) {
        let slot = self.host.take_more(p, to, tid);
        if !first {
            self.host.join(slot);
        }
        if self.rings[to.ix() * Tid::COUNT + tid.ix()].push(slot, first, &self.par) {
            self.fw.take(slot, to, tid);
        }
    }
    /// The hardware is told where the ring ends now.
    fn ring_bell(&mut self, now: Time, sink: &mut Sink<'_>) {
        if !core::mem::replace(&mut self.rung, true) {
            sink.wants.push((now, Lane::Worker, DOORBELL));
        }
    }

    /// `iwl_mvm_rx_ba_notif`: of each ring that something of is over, the front is taken off.
    fn notify(&mut self, now: Time, q: &mut Txqs, sink: &mut Sink<'_>) {
        let mut done = core::mem::take(&mut self.fw.done);
        for (slot, ok) in done.drain(..) {
            let (to, tid) = self.host.of(slot);
            let i = to.ix() * Tid::COUNT + tid.ix();
            self.rings[i].over(slot, ok);
            if !self.told.contains(&i) {
                self.told.push(i);
            }
        }
        self.fw.done = done;
        while let Some(i) = self.told.pop() {
            self.reclaim(now, i, q, sink);
        }
        if core::mem::take(&mut self.starved) {
            (0..self.rings.len()).for_each(|i| self.wake_ring(now, i, q, sink));
        }
    }
    /// `iwl_mvm_tx_reclaim`: what is over up to the first that is not leaves the ring; the TXQ is pulled from, if that was stopped; then the skbs are freed.
    fn reclaim(&mut self, now: Time, i: usize, q: &mut Txqs, sink: &mut Sink<'_>) {
        while let Some(over) = self.rings[i].pop() {
            self.gone.push(over);
        }
        self.wake_ring(now, i, q, sink);
        let Iwlwifi { host, gone, .. } = self;
        for (slot, ok) in gone.drain(..) {
            host.complete(slot, ok, sink);
        }
    }
    /// `iwl_pcie_reclaim`: what waits beside the ring goes first; the queue stays stopped if that fills it again.
    fn wake_ring(&mut self, now: Time, i: usize, q: &mut Txqs, sink: &mut Sink<'_>) {
        if !self.rings[i].wakes(&self.par) {
            return;
        }
        let (to, tid) = (StaIx((i / Tid::COUNT) as u8), Tid::new((i % Tid::COUNT) as u8));
        while let Some(slot) = self.rings[i].refill(&self.par) {
            self.fw.take(slot, to, tid);
            self.ring_bell(now, sink);
        }
        if self.rings[i].wakes(&self.par) {
            self.rings[i].stopped = false;
            self.pull(now, to, tid, q, sink);
        }
    }
}

/// A super-packet whose pieces are charged as it is: of one that was orphaned in part they are nobody's.
fn owned(p: &Packet) -> Packet {
    Packet { owner: if p.owner.is_charged() { p.owner } else { Owner::NONE }, ..*p }
}

impl Device for Iwlwifi {
    type Queues = Txqs;

    fn wake(&mut self, now: Time, to: StaIx, tid: Tid, q: &mut Txqs, sink: &mut Sink<'_>) {
        self.pull(now, to, tid, q, sink);
    }
    fn learn(&mut self, to: StaIx, best: Mode) {
        self.fw.learn(to, best);
    }
    fn head(&self, ac: Ac) -> Option<&Burst> {
        self.fw.head(ac)
    }
    fn done(&mut self, now: Time, ac: Ac, report: &Report, q: &mut Txqs, sink: &mut Sink<'_>) {
        self.fw.complete(now, ac, report, &mut self.host);
        self.fw.fill(now, ac, &self.host);
        if self.fw.done.is_empty() {
            return;
        }
        if self.par.report == Span::ZERO {
            self.notify(now, q, sink);
        } else if self.report_at.is_never() {
            self.report_at = now + self.par.report;
            sink.wants.push((self.report_at, Lane::Completion, NOTIFICATION));
        }
    }
    fn timer(&mut self, now: Time, tag: u32, q: &mut Txqs, sink: &mut Sink<'_>) {
        if tag == DOORBELL {
            self.rung = false;
            Ac::ALL.iter().for_each(|&ac| self.fw.fill(now, ac, &self.host));
        } else if now >= self.report_at {
            self.report_at = Time::NEVER;
            self.notify(now, q, sink);
        }
    }
    fn held(&self) -> u64 {
        self.host.owed()
    }
}
