//! ath9k before 4.10 (3.18, 4.4): a qdisc above, and below it the driver's own queue of each (peer, TID).
//!
//! ```text
//! qdisc --until 124 frames are below--> TID queue, retry queue --form--> hardware queue: 2 aggregates --> air
//!   ^----------------- woken below 123 ------------------'  ^--------- not acknowledged -----------------'
//! ```
//!
//! A frame that comes down joins its TID's queue, and the TIDs are scheduled at once; so an aggregate is what happens to be in the
//! TID's queue when the hardware has room. What that is, the qdisc's order decides: the driver takes whatever comes next until it
//! holds 124 frames of the category, whomever they are for. On completion the next aggregates are formed first; the qdisc runs
//! after that, in a softirq of its own.
//!
//! Under a discipline that listens (AAQ), the driver asks for one aggregate's frames at a time. It says PAUSE when the frames of a TID
//! fill an aggregate or the Block Ack window has no room for the next number, RESUME when frames have left and there is room again;
//! and it does not schedule a TID of which more frames are announced ([`tid`]). The number that counts is the next that the driver
//! would give: frames in the TID's queue have none yet. So with one station, which is resumed while its frames are on the air,
//! the next aggregate is formed from what the window leaves, 22 after 42, as the thesis has it; with more, another station fills the
//! hardware first. Where the whole hardware queue is empty and the netdev queue stopped, announced frames are not waited for.
//!
//! Stands for: the thesis's changes to ath9k (section 4.8.1) and linux@3.18 and @4.4 drivers/net/wireless/ath/ath9k/xmit.c ath_tx_start, ath_txq_schedule, ath_tx_sched_aggr,
//! ath_tx_form_aggr, ath_tx_form_burst, ath_txq_skb_done ([`tid`]: ath_tx_get_tid_subframe; [`turns`]: ath_tx_queue_tid). What the
//! kernels share is ath9k's: [`limits`](super::limits), completion, receive interrupts.
//! Differs: D1 to D4 of [`ath9k`](super); D5 a BAR that fails is kept by the TID, not by mac80211; D6 a BAR is not counted as pending,
//! and goes though the queue is stopped; D7 the Block Ack window is `window` to every peer (ath_tx_aggr_resume: eight times two to its A-MPDU length exponent).

mod tid;
mod turns;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;

use super::complete::{Told, settle_aggregate};
use super::hw::{self, Hw};
use super::rx::{Beaconing, Mitigation};
use super::tid::{counted, fail};
use super::{Params, RX_INTERRUPT, limits};
use crate::driver::ath9k_htc::Above;
use crate::driver::holds::{Holds, HwQueue, TidHeld};
use crate::phy::channel::Feedback;
use crate::phy::{Band, Mode};
use crate::qdisc::Message;
use crate::rate::aasrc::Counts;
use crate::rate::{Control, Rates};
use crate::sim::{Lane, Named, Packet, Span, Time};
use crate::wifi::response::lowest;
use crate::wifi::{Ac, Burst, Came, Device, End, Framing, Mark, Mpdu, Report, Seq, Sink, StaIx, Tid, What};
use core::marker::PhantomData;
use tid::SwTid;
use turns::Turns;

/// A frame's transmissions are counted in seven bits. src: linux@3.18 ath9k/ath9k.h struct ath_frame_info `retries`
const COUNT: u8 = 127;

/// One access category: its hardware queue, whose turn it is, and the frames below the qdisc.
#[derive(Clone, Debug)]
struct Category {
    hw: Hw,
    turns: Turns,
    /// Frames that the driver holds (`txq->pending_frames`).
    pending: u16,
    /// The netdev queue is stopped.
    stopped: bool,
}

/// The driver and its hardware queues. `Q` is what stands above.
#[derive(Clone, Debug)]
pub struct Ath9kTidq<Q> {
    par: Params,
    /// How close together each peer takes MPDUs.
    densities: Vec<Span>,
    rates: Rates,
    /// What BARs go at.
    lowest: Mode,
    framing: Framing,
    txop: [Span; Ac::COUNT],
    acs: [Category; Ac::COUNT],
    /// Eight TIDs a peer.
    tids: Vec<SwTid>,
    /// Empty bursts, to be used again.
    pool: Vec<Burst>,
    failed: Vec<Mpdu>,
    rx: Mitigation,
    /// A category in which several frames come down as one.
    corked: Option<Ac>,
    above: PhantomData<fn(&mut Q)>,
}

impl<Q: Above> Ath9kTidq<Q> {
    /// A card that talks to a peer for each of `densities`; see [`Ath9k::new`](super::Ath9k::new).
    pub fn new(
        par: &Params,
        rates: Rates,
        densities: Vec<Span>,
        framing: Framing,
        aggregates: bool,
        txop: [Span; Ac::COUNT],
    ) -> Self {
        let peers = densities.len() as u8;
        let tids = (0..peers)
            .flat_map(|s| (0..Tid::COUNT as u8).map(move |t| (StaIx(s), Tid::new(t))))
            .map(|(s, t)| SwTid::new(s, t, aggregates && Ac::of(t) != Ac::Vo, par.window, framing))
            .collect();
        let category = || Category { hw: Hw::default(), turns: Turns::new(peers), pending: 0, stopped: false };
        Ath9kTidq {
            par: *par,
            densities,
            rates,
            lowest: lowest(Band::Ghz5),
            framing,
            txop,
            acs: [(); Ac::COUNT].map(|()| category()),
            tids,
            pool: Vec::new(),
            failed: Vec::with_capacity(64),
            rx: Mitigation::new(),
            corked: None,
            above: PhantomData,
        }
    }
    /// Its band, at whose lowest rate BARs go. src: linux@6.12 net/mac80211/rate.c __rate_control_send_low
    pub fn on(&mut self, band: Band) {
        self.lowest = lowest(band);
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
    /// Whether it holds more for station `to`, beside the head of `ac`.
    pub fn more_for(&self, to: StaIx, ac: Ac) -> bool {
        let head = |(k, c): (usize, &Category)| c.hw.more_for(to, k == ac.ix());
        self.tids[to.ix() * Tid::COUNT..][..Tid::COUNT].iter().any(SwTid::has_more)
            || self.acs.iter().enumerate().any(head)
    }
    /// What it holds.
    pub fn holds(&self) -> Holds {
        let pending = ["pending_VO", "pending_VI", "pending_BE", "pending_BK"];
        let stopped = ["stopped_VO", "stopped_VI", "stopped_BE", "stopped_BK"];
        let each = |names: [&'static str; Ac::COUNT], of: fn(&Category) -> u64| {
            names.into_iter().zip(self.acs.iter().map(of)).collect::<Named>()
        };
        Holds {
            hardware: core::array::from_fn(|k| HwQueue::of(self.acs[k].hw.queue.iter())),
            tids: self.tids.iter().map(SwTid::holds).filter(TidHeld::is_used).collect(),
            counts: [each(pending, |c| c.pending.into()), each(stopped, |c| c.stopped.into())].concat(),
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
    fn ix(to: StaIx, tid: Tid) -> usize {
        to.ix() * Tid::COUNT + tid.ix()
    }
    fn burst(&mut self, to: StaIx, tid: Tid) -> Burst {
        let ac = self.category(tid);
        hw::empty(&mut self.pool, to, tid, ac)
    }

    /// Runs the qdisc while the netdev queue is awake (`__qdisc_run`).
    fn run(&mut self, now: Time, ac: Ac, q: &mut Q, sink: &mut Sink<'_>) {
        while !self.acs[ac.ix()].stopped {
            let Some((p, to, tid)) = q.pull(now, ac, sink) else { break };
            self.start(now, ac, p, to, tid, q);
        }
        let c = &self.acs[ac.ix()];
        if !c.stopped && c.hw.queue.is_empty() && q.listens(ac) {
            self.nothing_follows(now, ac, q);
        }
    }

    /// A frame comes down (`ath_tx_start`).
    fn start(&mut self, now: Time, ac: Ac, packet: Packet, to: StaIx, tid: Tid, q: &mut Q) {
        let c = &mut self.acs[ac.ix()];
        c.pending += 1;
        c.stopped |= c.pending > self.par.max_pending;
        let len = self.framing.mpdu_len(packet.ip_len());
        let m = Mpdu {
            packet,
            seq: Seq::default(),
            len,
            attempts: 0,
            received: false,
            more: 0,
            mark: self.rates.frame(now, to),
        };
        let i = Self::ix(to, tid);
        self.tids[i].push(m);
        c.turns.queue(to, tid);
        if q.listens(ac) && self.tids[i].state.active {
            if self.tids[i].told.allowed == 0 {
                let choice = self.rates.expect(now, to);
                self.tids[i].told.allowed = limits::aggr_limit(&self.par, &choice, self.txop[ac.ix()]);
            }
            let t = &mut self.tids[i];
            (t.told.more, t.told.len) = (q.more_data(ac), len);
            if !t.told.paused && !t.has_room(self.par.ampdu_frames) {
                t.told.paused = true;
                q.message(ac, i as u32 + 1, Message::Pause);
            }
        }
        if self.corked.is_none() {
            self.schedule(now, ac, q);
        }
    }

    /// Frames have left the TID, or the window has opened: the discipline above may go on.
    fn resume(&mut self, ac: Ac, i: usize, q: &mut Q) {
        let t = &mut self.tids[i];
        if t.told.paused && t.has_room(self.par.ampdu_frames) {
            t.told.paused = false;
            q.message(ac, i as u32 + 1, Message::Resume);
        }
    }

    /// The hardware is idle, and the discipline above has nothing for any station that may go on: what it had announced was dropped since.
    fn nothing_follows(&mut self, now: Time, ac: Ac, q: &mut Q) {
        let mut waited = false;
        for (i, t) in self.tids.iter_mut().enumerate().filter(|(_, t)| t.waits()) {
            if Ac::of(Tid::new((i % Tid::COUNT) as u8)) == ac {
                t.told.more = false;
                waited = true;
            }
        }
        if waited {
            self.schedule(now, ac, q);
        }
    }

    /// Until [`Ath9kTidq::uncork`], frames that come down are queued and not scheduled.
    pub fn cork(&mut self, tid: Tid) {
        self.corked = Some(self.category(tid));
    }
    /// What came meanwhile is scheduled.
    pub fn uncork(&mut self, now: Time, q: &mut Q) {
        if let Some(ac) = self.corked.take() {
            self.schedule(now, ac, q);
        }
    }

    /// So many frames are no longer the driver's (`ath_txq_skb_done`). The qdisc runs later.
    fn skbs_done(&mut self, ac: Ac, n: u16) {
        let c = &mut self.acs[ac.ix()];
        c.pending -= n;
        c.stopped &= c.pending >= self.par.max_pending;
    }

    /// Fills the hardware queue from the TIDs, station by station (`ath_txq_schedule`).
    fn schedule(&mut self, now: Time, ac: Ac, q: &mut Q) {
        self.walk(now, ac, false, q);
        let c = &self.acs[ac.ix()];
        if c.stopped && c.hw.queue.is_empty() {
            self.walk(now, ac, true, q);
        }
    }

    /// A walk over the round; `all`: with the TIDs of which more frames are announced.
    fn walk(&mut self, now: Time, ac: Ac, all: bool, q: &mut Q) {
        let (mut last, mut sent) = (self.acs[ac.ix()].turns.last(), false);
        while let Some(sta) = self.acs[ac.ix()].turns.next_station() {
            let last_tid = self.acs[ac.ix()].turns.last_tid(sta);
            let mut stop = false;
            while let Some(tid) = self.acs[ac.ix()].turns.next_tid(sta) {
                if all || !self.tids[Self::ix(sta, tid)].waits() {
                    sent |= self.schedule_tid(now, ac, (sta, tid), &mut stop, q);
                }
                if self.tids[Self::ix(sta, tid)].buffers() {
                    let first = stop && self.par.keep_turn;
                    let turns = &mut self.acs[ac.ix()].turns;
                    if first { turns.queue_first(sta, tid) } else { turns.queue(sta, tid) }
                }
                if stop || Some(tid) == last_tid {
                    break;
                }
            }
            self.acs[ac.ix()].turns.again(sta);
            if stop {
                break;
            }
            if Some(sta) == last {
                if !sent {
                    break;
                }
                (last, sent) = (self.acs[ac.ix()].turns.last(), false);
            }
        }
    }

    /// Forms the next unit of one TID (`ath_tx_sched_aggr`). True: something went to the hardware; `stop`: the hardware is full.
    fn schedule_tid(&mut self, now: Time, ac: Ac, (to, tid): (StaIx, Tid), stop: &mut bool, q: &mut Q) -> bool {
        let i = Self::ix(to, tid);
        let stale = self.tids[i].skip_given_up(&mut self.acs[ac.ix()].hw.ended);
        self.skbs_done(ac, stale);
        let Some(first) = self.tids[i].head() else {
            self.resume(ac, i, q);
            return false;
        };
        let first = (u32::from(first.len), first.mark);
        let t = &self.tids[i];
        *stop = self.acs[ac.ix()].hw.full(t.state.active, &self.par);
        if *stop {
            return false;
        }
        if t.state.active {
            self.form_aggregate(now, to, tid, first, q);
        } else {
            self.form_burst(now, to, tid);
        }
        true
    }

    /// `ath_tx_form_aggr`: until a limit, the window or the queue ends it.
    fn form_aggregate(&mut self, now: Time, to: StaIx, tid: Tid, first: (u32, Mark), q: &mut Q) {
        let mut b = self.burst(to, tid);
        let choice = self.rates.choose(now, to, first.1);
        let limit = limits::aggr_limit(&self.par, &choice, self.txop[b.ac.ix()]);
        let density = self.densities[to.ix()];
        let t = &mut self.tids[Self::ix(to, tid)];
        let mut size = limits::Size::default();
        let mut next = Some(first);
        let mut stale = 0;
        if !choice.probe {
            t.told.allowed = limit;
        }
        while let Some((len, mark)) = next {
            // A probe goes out alone.
            if !size.takes(limit, self.par.ampdu_frames, len) || (size.n > 0 && mark.probes()) {
                break;
            }
            size.add(len, limits::delimiters(&self.par, &choice, len, density, self.framing.encryption));
            b.mpdus.extend(t.take());
            stale += t.skip_given_up(&mut self.acs[b.ac.ix()].hw.ended);
            next = t.head().map(|m| (m.len.into(), m.mark));
        }
        let full = !size.takes(limit, self.par.ampdu_frames, b.mpdus[b.mpdus.len() - 1].len.into());
        let end = End::of(b.mpdus.len(), full, t.buffers() && t.head().is_none());
        hw::aggregate(&mut b, &choice, &size, end, &self.par);
        let ac = b.ac;
        self.skbs_done(ac, stale);
        self.acs[ac.ix()].hw.put(b, &self.par, true);
        self.resume(ac, Self::ix(to, tid), q);
    }

    /// `ath_tx_form_burst`: up to two frames outside any agreement, each a unit of its own.
    fn form_burst(&mut self, now: Time, to: StaIx, tid: Tid) {
        for _ in 0..2 {
            let t = &mut self.tids[Self::ix(to, tid)];
            if t.head().is_none() {
                break;
            }
            let m = t.take();
            let mut b = self.burst(to, tid);
            b.mpdus.extend(m);
            let choice = self.rates.choose(now, to, b.mpdus[0].mark);
            hw::plain(&mut b, &choice, &self.par);
            self.acs[b.ac.ix()].hw.put(b, &self.par, true);
        }
    }

    /// A BAR goes to the end of the hardware queue.
    fn send_bar(&mut self, to: StaIx, tid: Tid, start: Seq) {
        let mut b = self.burst(to, tid);
        hw::bar(&mut b, start, self.lowest);
        self.acs[b.ac.ix()].hw.put(b, &self.par, true);
    }

    /// The hardware is done with `b` (`ath_tx_process_buffer`).
    fn complete(&mut self, mut b: Burst, r: &Report, q: &mut Q, sink: &mut Sink<'_>) -> Option<Told> {
        let (to, tid, ac) = (b.to, b.tid, b.ac);
        let i = Self::ix(to, tid);
        if let What::Bar(start) = b.what {
            if !r.answered {
                self.tids[i].bar_failed = Some(start);
            }
            self.pool.push(b);
            return Some(Told::of_bar(to, r));
        }
        let frames = b.mpdus.len() as u16;
        let mut bar = None;
        let mut again = 0;
        if b.agreement {
            let Ath9kTidq { par, tids, failed, acs, .. } = self;
            let t = &mut tids[i].state;
            bar = settle_aggregate(t, (par.retries, COUNT), &mut b, r, failed, sink);
            if !failed.is_empty() {
                again = failed.len() as u16;
                tids[i].again(failed.drain(..));
                acs[ac.ix()].turns.queue(to, tid);
            }
        } else {
            for (i, m) in b.mpdus.iter_mut().enumerate() {
                m.received |= r.received.has(i);
                if r.acked.has(i) { sink.free(&m.packet) } else { fail(m, sink) }
            }
        }
        self.skbs_done(ac, frames - again);
        let told = Told::of(&b, r, bar.is_some());
        if let Some(start) = bar {
            self.send_bar(to, tid, start);
        }
        self.resume(ac, i, q);
        b.mpdus.clear();
        self.pool.push(b);
        told
    }
}

impl<Q: Above> Device for Ath9kTidq<Q> {
    type Queues = Q;

    fn wake(&mut self, now: Time, _to: StaIx, tid: Tid, q: &mut Q, sink: &mut Sink<'_>) {
        self.run(now, self.category(tid), q, sink);
    }
    fn feedback(&mut self, now: Time, to: StaIx, mode: Mode, answered: bool, f: &Feedback) {
        self.rates.feedback(now, to, mode, answered, f);
    }
    fn rate_counts(&self) -> Option<Counts> {
        self.rates.counts()
    }
    fn head(&self, ac: Ac) -> Option<&Burst> {
        self.acs[ac.ix()].hw.queue.front()
    }
    fn done(&mut self, now: Time, ac: Ac, report: &Report, q: &mut Q, sink: &mut Sink<'_>) {
        self.rx.interrupt();
        let b = self.acs[ac.ix()].hw.done();
        self.acs[ac.ix()].hw.free_ended(sink);
        let (to, tid) = (b.to, b.tid);
        let told = self.complete(b, report, q, sink);
        self.schedule(now, ac, q);
        self.acs[ac.ix()].hw.free_ended(sink);
        if let Some(t) = told {
            t.tell(now, report, &mut self.rates);
        }
        if !report.acked.is_empty() {
            // src: linux@3.18 net/mac80211/status.c ieee80211_check_pending_bar
            if let Some(start) = self.tids[Self::ix(to, tid)].bar_failed.take() {
                self.send_bar(to, tid, start);
            }
        }
        self.run(now, ac, q, sink);
    }
    /// The only clock is the receive interrupt's; frames that came since have moved it.
    fn timer(&mut self, now: Time, _tag: u32, _q: &mut Q, sink: &mut Sink<'_>) {
        let again = self.rx.timer(now, &self.par);
        if !again.is_never() {
            sink.wants.push((again, Lane::Completion, RX_INTERRUPT));
        }
    }
    fn held(&self) -> u64 {
        let above: u64 = self.tids.iter().map(SwTid::held).sum();
        let hw: u64 = self.acs.iter().flat_map(|c| &c.hw.queue).flat_map(|b| &b.mpdus).map(counted).sum();
        let ended: u64 = self.acs.iter().flat_map(|c| &c.hw.ended).map(counted).sum();
        above + hw + ended
    }
}
