//! ath9k: aggregates are formed in the driver, two of them stand in the hardware queue of each access category.
//!
//! ```text
//! TXQ (fq, CoDel) --pull--> retry queue of the TID, window --form--> hardware queue: 2 aggregates --> air
//!                               ^------------------ not acknowledged -----------------------------'
//! ```
//!
//! It schedules on every packet that is queued, until two aggregates stand in the hardware; the next is formed while one is
//! on the air. On completion it forms the next aggregate before the skbs that were acknowledged are freed and wake TCP, and before
//! rate control hears of them. What was not acknowledged keeps its number and stays charged to its socket, for up to 30 transmissions.
//!
//! Stands for: linux@6.12 drivers/net/wireless/ath/ath9k/xmit.c (scheduling: this file; [`limits`]; [`tid`]; the hardware queues: [`hw`];
//! completion: [`complete`]), main.c ath9k_conf_tx.
//! Differs: D1 completion takes no time (transmit interrupts are not mitigated; received frames are: [`rx`]); D2 the hardware queue's descriptors are never
//! short (512 of them); D3 no power save, no off-channel, no hardware reset; D4 voice has no agreement
//! (minstrel_aggr_check), all else has one from the start; D5 a BAR has no
//! links of the station's own table behind its ten tries (ath_merge_ratetbl); D6 where a chain of an agreement begins with a rate of
//! 802.11a, the RTS threshold is not for its links of 802.11n (ath_buf_set_rate: from the first of them on; no rate control has such a
//! chain); D7 until 4.14 a frame's count of transmissions has a bit more ([`complete`]); D8 the second of two frames outside any
//! agreement has its own rates: in ath_tx_fill_desc it inherits the width and the guard interval of the first's links, too.

pub mod airtime;
mod complete;
mod hw;
mod limits;
mod rx;
mod seize;
mod tid;
pub mod tidq;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;

use crate::driver::holds::{Holds, HwQueue, TidHeld};
use crate::phy::channel::Feedback;
use crate::phy::{Band, Mode};
use crate::rate::aasrc::Counts;
use crate::rate::{Control, Rates};
use crate::sim::{Lane, Named, Span, Time};
use crate::wifi::response::lowest;
use crate::wifi::{Ac, Burst, Came, Device, End, Framing, Mark, Mpdu, Report, Seq, Sink, StaIx, Tid};
use hw::Hw;
use rx::Mitigation;
pub use rx::{Beaconing, SWBA};
use tid::{TidState, Txqs};

/// The tag of the receive interrupt.
const RX_INTERRUPT: u32 = 0;

crate::params! {
    /// An Atheros 802.11n PCIe card and its driver.
    pub struct Params {
        /// Aggregates (and frames sent alone under an agreement) that stand in one hardware queue.
        depth: u8 = 2, in 1 => 16, src "linux@6.12 ath9k/ath9k.h ATH_AGGR_MIN_QDEPTH";
        /// Frames outside any agreement that stand in one hardware queue.
        plain_depth: u8 = 8, in 1 => 64, src "linux@6.12 ath9k/ath9k.h ATH_NON_AGGR_MIN_QDEPTH";
        /// Frames in an aggregate at most: half the Block Ack window (the thesis's patched 3.18 had 42).
        ampdu_frames: u16 = 32, in 1 => 64, src "linux@6.12 ath9k/xmit.c ath_tx_form_aggr h_baw";
        /// Block Ack window.
        window: u16 = 64, in 1 => 64, src "linux@6.12 include/linux/ieee80211.h IEEE80211_MAX_AMPDU_BUF_HT";
        /// Bytes in an aggregate at most: what the peer takes.
        ampdu_bytes: u32 = 65_535, in 1_000 => 65_535, unit "bytes", src "linux@6.12 ath9k/common-init.c IEEE80211_HT_MAX_AMPDU_64K";
        /// Airtime of an aggregate at most, at the slowest rate of its chain.
        airtime: Span = Span::from_us(4_096), in Span::from_us(100) => Span::from_us(4_096), src "linux@6.12 ath9k/xmit.c ath_update_max_aggr_framelen";
        /// Shortest time from the start of one MPDU of an aggregate to the next that the card takes as a receiver: what it announces to its peers.
        density: Span = Span::from_us(8), in Span::ZERO => Span::from_us(16), src "linux@6.12 ath9k/common-init.c IEEE80211_HT_MPDU_DENSITY_8";
        /// A receive interrupt comes when no frame came for this long ...
        rimt_last: Span = Span::from_us(500), in Span::ZERO => Span::from_ms(65), src "linux@6.12 ath9k/hw.c ath9k_hw_init_config: AR9300 and later (before: 250 us)";
        /// ... or this long after the first that it tells of.
        rimt_first: Span = Span::from_us(2_000), in Span::ZERO => Span::from_ms(65), src "linux@6.12 ath9k/hw.c ath9k_hw_init_config: AR9300 and later (before: 700 us)";
        /// Shortest MPDU in an aggregate; shorter ones are followed by empty delimiters.
        subframe_bytes: u32 = 256, in 0 => 1_500, unit "bytes", src "linux@6.12 ath9k/ath9k.h ATH_AGGR_MINPLEN";
        /// The card is an AR9300 or later, which takes frames by EDMA. Those before want ten empty delimiters more behind each encrypted
        /// MPDU of an aggregate, and have no interrupt for a beacon that was sent.
        edma: bool = true, src "linux@6.12 ath9k/hw.c ath9k_hw_fill_cap_info ATH9K_HW_CAP_EDMA; xmit.c ath_compute_num_delims; mac.c ath9k_hw_beaconq_setup";
        /// Transmissions of an MPDU after which it is given up.
        retries: u8 = 30, in 0 => 63, src "linux@6.12 ath9k/ath9k.h ATH_MAX_SW_RETRIES";
        /// Where the driver has queues of its own (`ath9k_tidq`): frames it holds of one category, above which it stops the queue.
        max_pending: u16 = 123, in 1 => 4_096, src "linux@3.18 ath9k/ath9k.h ATH_MAX_QDEPTH: ATH_TXBUF / 4 - ATH_TXBUF_RESERVE";
        /// Where the driver has queues of its own: a TID whose turn came while the hardware was full stays first (the thesis's fix),
        /// else it goes to the end.
        keep_turn: bool = false, src "linux@3.18 ath9k/xmit.c ath_txq_schedule, ath_tx_queue_tid; the fix: thesis section 4.8.2";
        /// PSDUs of more bytes are protected by RTS/CTS.
        rts_threshold: Option<u32> = None, in Some(0) => Some(65_535), unit "bytes", src "linux@6.12 ath9k/xmit.c ath_tx_fill_desc, wiphy->rts_threshold";
        /// How RTS is sent: at the band's `lowest` rate (1 Mbit/s at 2.4 GHz, 6 at 5 GHz), or at the highest `basic` rate that is not above
        /// the frame's.
        rts_rate: RtsRate = RtsRate::Lowest, src "linux@6.12 ath9k/xmit.c setup_frame_info: rts_cts_rate_idx, which net/mac80211/rate.c rate_control_get_rate leaves at 0 for drivers with a table of rates";
    }
}

crate::choices! {
    /// How RTS is sent.
    pub enum RtsRate {
        /// At the band's lowest rate.
        Lowest = "lowest",
        /// As 802.11 has it (10.6.6.2).
        Basic = "basic",
    }
}

/// The driver and its hardware queues.
#[derive(Clone, Debug)]
pub struct Ath9k {
    par: Params,
    /// How close together each peer takes MPDUs.
    densities: Vec<Span>,
    /// See [`Profile`](crate::mac80211::Profile).
    frame_protection: bool,
    rates: Rates,
    band: Band,
    /// What BARs go at.
    lowest: Mode,
    framing: Framing,
    txop: [Span; Ac::COUNT],
    hw: [Hw; Ac::COUNT],
    /// Eight TIDs a peer.
    tids: Vec<TidState>,
    /// Empty bursts, to be used again.
    pool: Vec<Burst>,
    /// MPDUs of a burst that is being completed, and the next one's state.
    failed: Vec<Mpdu>,
    rx: Mitigation,
}

impl Ath9k {
    /// A card that talks to a peer for each of `densities`, how close together it takes MPDUs. `aggregates`: false for 802.11a, or where aggregation is
    /// off. `framing`: what data frames have around them. `txop`: by access category, as the BSS announces it.
    pub fn new(
        par: &Params,
        rates: Rates,
        densities: Vec<Span>,
        framing: Framing,
        aggregates: bool,
        txop: [Span; Ac::COUNT],
        frame_protection: bool,
    ) -> Ath9k {
        let tids = (0..densities.len() as u8)
            .flat_map(|s| (0..Tid::COUNT as u8).map(move |t| (StaIx(s), Tid::new(t))))
            .map(|(s, t)| TidState::new(s, t, aggregates && Ac::of(t) != Ac::Vo, par.window, framing))
            .collect();
        Ath9k {
            par: *par,
            densities,
            frame_protection,
            rates,
            band: Band::Ghz5,
            lowest: lowest(Band::Ghz5),
            framing,
            txop,
            hw: Default::default(),
            tids,
            pool: Vec::new(),
            failed: Vec::with_capacity(64),
            rx: Mitigation::new(),
        }
    }
    /// Its band, at whose lowest rate BARs go. src: linux@6.12 net/mac80211/rate.c __rate_control_send_low
    pub fn on(&mut self, band: Band) {
        (self.band, self.lowest) = (band, lowest(band));
    }
    /// What rate control marks a frame with that comes to the TXQs now, if it is asked then.
    #[inline]
    pub fn marks(&mut self, now: Time, to: StaIx) -> Option<Mark> {
        self.rates.enters(now, to)
    }
    /// A frame from the air whose last bit was there at `ended`.
    pub fn receive(&mut self, now: Time, ended: Time, c: impl FnOnce() -> Came, sink: &mut Sink<'_>) {
        if self.rx.receive(ended, c) {
            sink.wants.push((self.rx.due(&self.par).max(now), Lane::Completion, RX_INTERRUPT));
        }
    }
    /// A beacon: received frames reach the host by it, or wait longer.
    pub fn beacon(&mut self, now: Time, what: Beaconing, sink: &mut Sink<'_>) {
        if self.rx.beacon(now, what, &self.par) {
            sink.wants.push((self.rx.due(&self.par).max(now), Lane::Completion, RX_INTERRUPT));
        }
    }
    /// A PPDU comes in, whose first frame is there at `first` and whose last at `until`.
    pub fn lands(&mut self, first: Time, until: Time) {
        self.rx.lands(first, until);
    }
    /// Hands the frames that the host has been told of to `up`, as they came.
    pub fn take_up(&mut self, up: &mut Vec<Came>) {
        self.rx.take_up(up);
    }
    /// Packets between the air and the host.
    pub fn held_up(&self) -> u64 {
        self.rx.held()
    }
    fn tid_mut(&mut self, to: StaIx, tid: Tid) -> &mut TidState {
        &mut self.tids[to.ix() * Tid::COUNT + tid.ix()]
    }
    fn burst(&mut self, to: StaIx, tid: Tid) -> Burst {
        let ac = self.category(tid);
        hw::empty(&mut self.pool, to, tid, ac)
    }
    /// Whether it holds more for station `to`, beside the head of `ac`.
    pub fn more_for(&self, to: StaIx, ac: Ac) -> bool {
        let tids = &self.tids[to.ix() * Tid::COUNT..][..Tid::COUNT];
        tids.iter().any(|t| !t.retry.is_empty())
            || self.hw.iter().enumerate().any(|(k, h)| h.more_for(to, k == ac.ix()))
    }
    /// What it holds.
    pub fn holds(&self) -> Holds {
        Holds {
            hardware: core::array::from_fn(|k| HwQueue::of(self.hw[k].queue.iter())),
            tids: self.tids.iter().map(TidState::holds).filter(TidHeld::is_used).collect(),
            counts: Named::new(),
        }
    }
    /// What knows the peers' rates.
    pub fn rates(&self) -> &Rates {
        &self.rates
    }
    /// A station without QoS has one queue.
    pub fn category(&self, tid: Tid) -> Ac {
        if self.framing.qos { Ac::of(tid) } else { Ac::Be }
    }

    /// Fills the hardware queue from the TIDs whose turn it is (`ath_txq_schedule`).
    #[inline(never)] // seldom, beside the packets that find it full
    fn schedule(&mut self, now: Time, ac: Ac, q: &mut Txqs, sink: &mut Sink<'_>) {
        if q.has_own_turns() {
            return self.schedule_own(now, ac, q, sink);
        }
        if let Some((sta, tid)) = q.leader(ac as u8) {
            // Most packets come while the hardware is full.
            let t = &self.tids[usize::from(sta) * Tid::COUNT + usize::from(tid)];
            if self.full(ac, t) && t.waits() {
                q.pass(now, ac as u8);
                return;
            }
        }
        q.schedule_start(ac as u8);
        while let Some((sta, tid)) = q.next_txq(ac as u8) {
            let (to, tid) = (StaIx(sta as u8), Tid::new(tid));
            self.schedule_tid(now, ac, to, tid, q, sink);
            let held = !self.tid_mut(to, tid).retry.is_empty();
            q.return_txq(now, sta, tid.get(), held);
        }
    }

    /// The same of 4.11 to 4.20: the head goes on until it has no credit, and who has nothing to send ends it (linux@4.19 `ath_txq_schedule`).
    fn schedule_own(&mut self, now: Time, ac: Ac, q: &mut Txqs, sink: &mut Sink<'_>) {
        loop {
            let tids = &self.tids;
            let held = |sta: u16, tid: u8| !tids[usize::from(sta) * Tid::COUNT + usize::from(tid)].retry.is_empty();
            let Some((sta, tid)) = q.own_head(ac as u8, held) else { return };
            if !self.schedule_tid(now, ac, StaIx(sta as u8), Tid::new(tid), q, sink) {
                return;
            }
            q.own_served(ac as u8);
        }
    }

    /// Whether it is known whose turn it is in the own lists, and the hardware has no room for it: most packets come then, and nothing is to be
    /// scheduled.
    #[inline]
    fn is_busy_with_head(&self, ac: Ac, q: &Txqs) -> bool {
        q.own_known(ac as u8).is_some_and(|(sta, tid)| {
            let t = &self.tids[usize::from(sta) * Tid::COUNT + usize::from(tid)];
            self.full(ac, t) && t.waits()
        })
    }
    /// Whether the hardware queue has no room for a unit of this TID.
    #[inline]
    fn full(&self, ac: Ac, t: &TidState) -> bool {
        self.hw[ac.ix()].full(t.active, &self.par)
    }

    /// Forms the next unit of one TID if there is room (`ath_tx_sched_aggr`), and says whether it did.
    #[inline]
    fn schedule_tid(&mut self, now: Time, ac: Ac, to: StaIx, tid: Tid, q: &mut Txqs, sink: &mut Sink<'_>) -> bool {
        let t = &self.tids[to.ix() * Tid::COUNT + tid.ix()];
        let full = self.full(ac, t);
        // Most packets come while the hardware is full.
        !(full && t.waits()) && self.form(now, full, to, tid, q, sink)
    }
    /// The same, where more is to be done than to see that the hardware is full.
    #[inline(never)]
    fn form(&mut self, now: Time, full: bool, to: StaIx, tid: Tid, q: &mut Txqs, sink: &mut Sink<'_>) -> bool {
        let i = to.ix() * Tid::COUNT + tid.ix();
        let active = self.tids[i].active;
        let mut b = self.burst(to, tid);
        let t = &mut self.tids[i];
        let ended = &mut self.hw[b.ac.ix()].ended;
        if !t.subframe(now, &mut self.rates, q, sink, ended, &mut b.mpdus) {
            self.pool.push(b);
            return false;
        }
        if full {
            t.retry.extend(b.mpdus.pop());
            self.pool.push(b);
            return false;
        }
        if active {
            self.form_aggregate(now, b, q, sink);
        } else {
            self.form_plain(now, b, q, sink);
        }
        true
    }

    /// `ath_tx_form_aggr`: from the first, which `b` has, until a limit, the window or the queue ends it.
    fn form_aggregate(&mut self, now: Time, mut b: Burst, q: &mut Txqs, sink: &mut Sink<'_>) {
        let choice = self.rates.choose(now, b.to, b.mpdus[0].mark);
        let limit = limits::aggr_limit(&self.par, &choice, self.txop[b.ac.ix()]);
        let density = self.densities[b.to.ix()];
        let t = &mut self.tids[b.to.ix() * Tid::COUNT + b.tid.ix()];
        let ended = &mut self.hw[b.ac.ix()].ended;
        let mut size = limits::Size::default();
        loop {
            let next = &b.mpdus[usize::from(size.n)];
            let len = u32::from(next.len);
            // A probe goes out alone.
            if !size.takes(limit, self.par.ampdu_frames, len) || (size.n > 0 && next.mark.probes()) {
                t.retry.extend(b.mpdus.pop());
                break;
            }
            size.add(len, limits::delimiters(&self.par, &choice, len, density, self.framing.encryption));
            if !t.subframe(now, &mut self.rates, q, sink, ended, &mut b.mpdus) {
                break;
            }
        }
        let full = !size.takes(limit, self.par.ampdu_frames, b.mpdus[b.mpdus.len() - 1].len.into());
        let closed = t.retry.front().is_some_and(|m| !t.window.allows(m.seq));
        let end = End::of(b.mpdus.len(), full, closed);
        hw::aggregate(&mut b, &choice, &size, end, &self.par);
        // The threshold is for 802.11n's rates (ath_buf_set_rate).
        let protects = matches!(choice.chain[0].mode, Mode::Ht(_));
        self.hw[b.ac.ix()].put(b, &self.par, protects);
    }

    /// `ath_tx_form_burst`: up to two frames outside any agreement, each a unit of its own; `b` has the first.
    fn form_plain(&mut self, now: Time, b: Burst, q: &mut Txqs, sink: &mut Sink<'_>) {
        let (to, tid) = (b.to, b.tid);
        self.put_plain(now, b);
        let mut b = self.burst(to, tid);
        let t = &mut self.tids[to.ix() * Tid::COUNT + tid.ix()];
        if t.subframe(now, &mut self.rates, q, sink, &mut self.hw[b.ac.ix()].ended, &mut b.mpdus) {
            self.put_plain(now, b);
        } else {
            self.pool.push(b);
        }
    }

    /// One frame outside any agreement onto the hardware queue.
    fn put_plain(&mut self, now: Time, mut b: Burst) {
        let choice = self.rates.choose(now, b.to, b.mpdus[0].mark);
        hw::plain(&mut b, &choice, &self.par);
        self.hw[b.ac.ix()].put(b, &self.par, self.frame_protection);
    }

    /// A BAR goes to the end of the hardware queue.
    fn send_bar(&mut self, to: StaIx, tid: Tid, start: Seq) {
        let mut b = self.burst(to, tid);
        hw::bar(&mut b, start, self.lowest);
        self.hw[b.ac.ix()].put(b, &self.par, self.frame_protection);
    }
}

impl Device for Ath9k {
    type Queues = Txqs;

    #[inline]
    fn wake(&mut self, now: Time, _to: StaIx, tid: Tid, q: &mut Txqs, sink: &mut Sink<'_>) {
        let ac = self.category(tid);
        if !self.is_busy_with_head(ac, q) {
            self.schedule(now, ac, q, sink);
        }
    }
    fn feedback(&mut self, now: Time, to: StaIx, mode: Mode, answered: bool, f: &Feedback) {
        self.rates.feedback(now, to, mode, answered, f);
    }
    fn learn(&mut self, to: StaIx, best: Mode) {
        self.rates.learn(to, best);
    }
    fn rate_counts(&self) -> Option<Counts> {
        self.rates.counts()
    }
    fn head(&self, ac: Ac) -> Option<&Burst> {
        self.hw[ac.ix()].queue.front()
    }
    fn done(&mut self, now: Time, ac: Ac, report: &Report, q: &mut Txqs, sink: &mut Sink<'_>) {
        self.rx.interrupt();
        let b = self.hw[ac.ix()].done();
        self.hw[ac.ix()].free_ended(sink);
        let told = self.complete(now, b, report, q, sink);
        self.schedule(now, ac, q, sink);
        self.hw[ac.ix()].free_ended(sink);
        // mac80211 is told when the queue's lock is dropped (ath_txq_unlock_complete).
        if let Some(t) = told {
            t.tell(now, report, &mut self.rates);
            let expected = if q.has_slow_stations() { self.rates.expected_kbit(t.to) } else { None };
            if let Some(kbit) = expected {
                q.set_expected_throughput(u16::from(t.to.0), kbit);
            }
        }
    }
    /// The only clock is the receive interrupt's; frames that came since have moved it.
    fn timer(&mut self, now: Time, _tag: u32, _q: &mut Txqs, sink: &mut Sink<'_>) {
        let again = self.rx.timer(now, &self.par);
        if !again.is_never() {
            sink.wants.push((again, Lane::Completion, RX_INTERRUPT));
        }
    }
    /// Whatever its TID, it is best effort that is charged: `skb->priority` is not set yet.
    /// src: linux@6.12 ath9k/recv.c ath_rx_count_airtime
    fn heard(&mut self, now: Time, from: StaIx, _tid: Tid, airtime: Span, q: &mut Txqs) {
        q.register_airtime(now, u16::from(from.0), 0, Span::ZERO, airtime);
    }
    fn held(&self) -> u64 {
        let retry: u64 = self.tids.iter().flat_map(|t| &t.retry).map(tid::counted).sum();
        let hw: u64 = self.hw.iter().flat_map(|h| &h.queue).flat_map(|b| &b.mpdus).map(tid::counted).sum();
        let ended: u64 = self.hw.iter().flat_map(|h| &h.ended).map(tid::counted).sum();
        retry + hw + ended
    }
}
