//! The firmware's queues: one a (peer, TID), each with its Block Ack window, and the hardware queue of each category.
//!
//! Stands for: open-ath9k-htc-firmware target_firmware/wlan/if_owl.c ath_tgt_handle_aggr, ath_tgt_txq_schedule,
//! ath_tgt_tx_sched_aggr, ath_tgt_tx_form_aggr, ath_tgt_tx_comp_aggr, ath_tx_retry_subframe, ath_bar_tx.
//!
//! A frame that finds the hardware queue empty is sent at once and alone (`ATH_AGGR_MIN_QDEPTH` is 1); the others gather until a unit is
//! completed, by which one is formed, whatever else stands in hardware: behind a BAR, too, and two by one that was answered. Else there is never a
//! second aggregate ready in hardware. An aggregate has at most 17 frames. Of the 33 buffers 17 are thus in the air and 16 wait, then 16 and 17.
//!
//! A BAR goes on counting from the frame that was given up, whose ten retries are all that it has: the first that nobody answers (44 tries) ends
//! the agreement. The host is told (WMI_DELBA_EVENTID) and does not listen (ath9k/wmi.c ath9k_wmi_event_tasklet), so that the TID's frames
//! are single from then on, without retries by software.
//!
//! Differs: D1 a Block Ack agreement exists from the start for every TID at HT rates (the driver asks for one at the first TX
//! status, voice included); D2 what is sent after an agreement has ended goes up past the receiver's reorder buffer, which still has it.

use super::host::Slot;
use super::params::Params;
use super::rates;
use crate::driver::holds::{Holds, HwQueue, TidHeld};
use crate::phy::{Mode, Ofdm};
use crate::sim::Packet;
use crate::wifi::encryption::EXTRA_DELIMITERS;
use crate::wifi::{
    Ac, Attempt, Burst, Chain, Encryption, Framing, Mark, Mpdu, Report, Seq, StaIx, Tid, TxWindow, What,
};
use std::collections::VecDeque;

/// The Block Ack window. src: fw wlan/if_athvar.h WME_MAX_BA
const WINDOW: u16 = 64;
/// Aggregates in a hardware queue that the firmware is content with. src: fw wlan/if_athvar.h ATH_AGGR_MIN_QDEPTH
const DEPTH: u8 = 1;
/// A shorter subframe gets empty delimiters up to this size. src: fw wlan/if_athvar.h ATH_AGGR_MINPLEN, ATH_AGGR_GET_NDELIM
const MIN_SUBFRAME: u32 = 256;
/// Tries of a BAR by hardware, and the count from which on it is not sent again. src: fw wlan/if_athvar.h ATH_TXMAXTRY, OWLMAX_BAR_RETRIES
const BAR_TRIES: (u8, u8) = (11, 10);

/// A frame in a transmit buffer of the device.
#[derive(Clone, Copy, Debug)]
struct Buf {
    slot: Slot,
    seq: Seq,
    p: Packet,
    len: u16,
    retries: u8,
    sent: bool,
    /// The receiver has it already: for accounting only.
    received: bool,
}

#[derive(Debug)]
struct TidQueue {
    to: StaIx,
    tid: Tid,
    bufs: VecDeque<Buf>,
    window: TxWindow,
    /// Stands in the schedule of its category.
    scheduled: bool,
    /// Waits for a BAR, or for what was in hardware when its agreement ended.
    paused: bool,
    /// Its agreement has ended (TID_AGGR_ENABLED is off).
    ended: bool,
    /// Its frames that were in hardware then and are yet to be completed (`incomp`).
    incomplete: u16,
}

/// A transmit unit in a hardware queue, with what the firmware remembers of it.
#[derive(Debug)]
pub(super) struct Unit {
    pub burst: Burst,
    /// The slots of its MPDUs.
    pub slots: Vec<Slot>,
    q: usize,
    bar_retries: u8,
}

/// What completion leaves for the host and the buffer pool.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// TX statuses, in order.
    pub statuses: Vec<(Slot, bool)>,
    /// Frames that an agreement's end took off their queue, of which the host hears nothing; whether the receiver has them.
    pub discarded: Vec<(Slot, bool)>,
    /// Buffers that are free again.
    pub buffers: u8,
}

/// All queues of the firmware.
#[derive(Debug)]
pub(super) struct Tids {
    queues: Vec<TidQueue>,
    chains: Vec<Chain>,
    limits: Vec<u32>,
    rts: Vec<bool>,
    /// Queues in the order of their turn, by category (`axq_tidq`).
    turn: [VecDeque<usize>; Ac::COUNT],
    /// Units in hardware, by category (`axq_q`).
    hw: [VecDeque<Unit>; Ac::COUNT],
    /// Units that the firmware has not yet taken off the queue, those that are done included (`axq_depth`).
    depth: [u8; Ac::COUNT],
    spare: Vec<Unit>,
    redo: VecDeque<Buf>,
    /// What protects data frames.
    pub encryption: Encryption,
}

impl Tids {
    pub fn new(par: &Params, stations: usize, mode: Mode) -> Tids {
        let room = usize::from(par.target_buffers);
        let queue = |i| TidQueue {
            to: StaIx((i / Tid::COUNT) as u8),
            tid: Tid::new((i % Tid::COUNT) as u8),
            bufs: VecDeque::with_capacity(room),
            window: TxWindow::new(Seq::new(0), WINDOW),
            scheduled: false,
            paused: false,
            ended: false,
            incomplete: 0,
        };
        let mut t = Tids {
            queues: (0..stations * Tid::COUNT).map(queue).collect(),
            chains: vec![rates::chain(mode); stations],
            limits: vec![0; stations],
            rts: vec![false; stations],
            turn: core::array::from_fn(|_| VecDeque::with_capacity(stations * Tid::COUNT)),
            hw: core::array::from_fn(|_| VecDeque::with_capacity(room)),
            depth: [0; Ac::COUNT],
            spare: Vec::new(),
            redo: VecDeque::with_capacity(room),
            encryption: Encryption::None,
        };
        for s in 0..stations {
            t.set_mode(par, StaIx(s as u8), mode);
        }
        t
    }
    /// From now on frames to `to` begin their chain with `mode`.
    pub fn set_mode(&mut self, par: &Params, to: StaIx, mode: Mode) {
        let chain = rates::chain(mode);
        self.chains[to.ix()] = chain;
        self.limits[to.ix()] = rates::aggregate_limit(&chain, par.ampdu_bytes);
        // At 2.4 GHz, the only band of the AR9271. src: fw wlan/ratectrl_11n_ln.c rcRateFind_11n, the block of 2009/02/06
        self.rts[to.ix()] = matches!(mode, Mode::Ht(h) if h.mcs() <= 3);
    }
    /// What the queues and the hardware hold.
    pub fn holds(&self) -> Holds {
        let of = |q: &TidQueue| TidHeld {
            retry: q.bufs.len() as u32,
            packets: q.bufs.iter().filter(|b| !b.received).count() as u32,
            paused: q.paused,
            ..TidHeld::of(q.to, q.tid, self.limits[q.to.ix()] > 0 && !q.ended, &q.window)
        };
        Holds {
            hardware: core::array::from_fn(|k| HwQueue::of(self.hw[k].iter().map(|u| &u.burst))),
            tids: self.queues.iter().map(of).filter(TidHeld::is_used).collect(),
            ..Holds::default()
        }
    }
    /// What stands first in the hardware queue.
    pub fn head(&self, ac: Ac) -> Option<&Burst> {
        self.hw[ac.ix()].front().map(|u| &u.burst)
    }
    /// The hardware is done with the first unit of `ac`.
    pub fn done(&mut self, ac: Ac) -> Unit {
        self.hw[ac.ix()].pop_front().expect("a unit in hardware")
    }

    /// A frame came from the host. The unit, if it goes to the hardware at once and alone.
    pub fn receive(&mut self, slot: Slot, p: &Packet, to: StaIx, tid: Tid) -> Option<Unit> {
        let (ac, i) = (Ac::of(tid), to.ix() * Tid::COUNT + tid.ix());
        let q = &mut self.queues[i];
        let aggregates = self.limits[to.ix()] > 0 && !q.ended;
        let b = Buf {
            slot,
            seq: q.window.assign(),
            p: *p,
            len: Framing { qos: true, encryption: self.encryption }.mpdu_len(p.ip_len()),
            retries: 0,
            sent: false,
            received: false,
        };
        if !aggregates {
            q.window.open(b.seq);
            q.window.settle(b.seq);
        } else if self.depth[ac.ix()] >= DEPTH || !q.bufs.is_empty() || q.paused || !q.window.allows(b.seq) {
            q.bufs.push_back(b);
            self.enqueue(ac, i);
            return None;
        } else {
            q.window.open(b.seq);
        }
        let mut u = self.unit(i, ac);
        Tids::add(&mut u, b);
        u.burst.what = What::Single;
        u.burst.agreement = aggregates;
        Some(u)
    }
    fn enqueue(&mut self, ac: Ac, i: usize) {
        let q = &mut self.queues[i];
        if !q.paused && !q.scheduled {
            q.scheduled = true;
            self.turn[ac.ix()].push_back(i);
        }
    }
    /// Puts a unit into the hardware queue.
    pub fn push(&mut self, ac: Ac, u: Unit) {
        self.depth[ac.ix()] += 1;
        self.hw[ac.ix()].push_back(u);
    }
    fn unit(&mut self, i: usize, ac: Ac) -> Unit {
        let (to, tid) = (self.queues[i].to, self.queues[i].tid);
        let new = || Unit { burst: Burst::new(), slots: Vec::with_capacity(32), q: 0, bar_retries: 0 };
        let mut u = self.spare.pop().unwrap_or_else(new);
        u.burst.mpdus.clear();
        u.slots.clear();
        (u.q, u.bar_retries) = (i, 0);
        (u.burst.to, u.burst.tid, u.burst.ac) = (to, tid, ac);
        (u.burst.chain, u.burst.psdu) = (self.chains[to.ix()], 0);
        (u.burst.rts, u.burst.rts_fallback) = (self.rts[to.ix()], true);
        u
    }
    fn add(u: &mut Unit, b: Buf) {
        u.burst.psdu = u32::from(b.len);
        u.burst.mpdus.push(Mpdu {
            mark: Mark::NONE,
            packet: b.p,
            seq: b.seq,
            len: b.len,
            attempts: b.retries,
            received: b.received,
            more: 0,
        });
        u.slots.push(b.slot);
    }

    /// The next unit, formed from the queue whose turn it is. src: ath_tgt_txq_schedule
    pub fn form(&mut self, ac: Ac, par: &Params) -> Option<Unit> {
        let i = loop {
            let i = self.turn[ac.ix()].pop_front()?;
            self.queues[i].scheduled = false;
            if !self.queues[i].paused {
                break i;
            }
        };
        let mut u = self.unit(i, ac);
        let mut bytes = 0;
        while let Some(&b) = self.queues[i].bufs.front() {
            let next = Burst::psdu_of(bytes, b.len);
            let full = u.slots.len() >= usize::from(par.ampdu_frames);
            let (q, limit) = (&mut self.queues[i], self.limits[u.burst.to.ix()]);
            if !q.window.allows(b.seq) || full || (!u.slots.is_empty() && limit < next) {
                break;
            }
            q.bufs.pop_front();
            if !b.sent {
                q.window.open(b.seq);
            }
            Tids::add(&mut u, b);
            (u.burst.psdu, bytes) = (next, next);
            let extra = if self.encryption.is_on() { EXTRA_DELIMITERS } else { 0 };
            let short = MIN_SUBFRAME.saturating_sub(u32::from(b.len) + crate::wifi::burst::DELIMITER) / 4 + extra;
            if short > 0 {
                bytes = bytes.next_multiple_of(4) + 4 * short;
            }
        }
        if !self.queues[i].bufs.is_empty() {
            self.enqueue(ac, i);
        }
        if u.slots.is_empty() {
            self.spare.push(u);
            return None; // the window is closed; a completion opens it
        }
        u.burst.agreement = true;
        u.burst.what = What::Ampdu;
        if u.slots.len() == 1 {
            u.burst.what = What::Single;
            u.burst.psdu = u32::from(u.burst.mpdus[0].len);
        }
        Some(u)
    }

    /// Completes a unit that the hardware is done with. Gives how many are to be formed for it. src: owltgt_tx_processq
    pub fn complete(&mut self, ac: Ac, mut u: Unit, r: &Report, par: &Params, out: &mut Settled) -> u8 {
        self.depth[ac.ix()] -= 1;
        let i = u.q;
        if matches!(u.burst.what, What::Bar(_)) {
            if !r.answered && u.bar_retries < BAR_TRIES.1 {
                u.bar_retries += 1;
                self.push(ac, u);
                return 1;
            }
            self.spare.push(u);
            out.buffers += 1;
            if !r.answered {
                self.end(i, out);
                return 1;
            }
            self.queues[i].paused = false;
            if self.queues[i].bufs.is_empty() {
                return 1;
            }
            self.enqueue(ac, i);
            return 2; // one by ath_aggr_resume_tid, one as for every unit
        }
        if self.queues[i].incomplete > 0 {
            self.complete_late(u, r, out);
            return 1;
        }
        let mut bar = None;
        for (k, m) in u.burst.mpdus.iter().enumerate() {
            let (slot, ok) = (u.slots[k], r.acked.has(k));
            let received = m.received || r.received.has(k);
            let q = &mut self.queues[i];
            if ok || !u.burst.agreement || m.attempts >= par.retries {
                if u.burst.agreement {
                    q.window.settle(m.seq);
                }
                out.statuses.push((slot, ok || received)); // received but never acknowledged: not a drop
                if ok || !u.burst.agreement || bar.is_some() {
                    out.buffers += 1;
                } else {
                    bar = Some(m.attempts); // its buffer becomes the BAR
                }
            } else {
                self.redo.push_back(Buf {
                    slot,
                    seq: m.seq,
                    p: m.packet,
                    len: m.len,
                    retries: m.attempts + 1,
                    sent: true,
                    received,
                });
            }
        }
        self.spare.push(u);
        if let Some(retries) = bar {
            self.send_bar(ac, i, retries);
        }
        if !self.redo.is_empty() {
            while let Some(b) = self.redo.pop_back() {
                self.queues[i].bufs.push_front(b);
            }
            self.enqueue(ac, i);
        }
        1
    }
    /// The same of one whose agreement ended while it was in hardware: its frames are done with; those of an aggregate as if nobody had answered.
    /// src: ath_tx_comp_cleanup, ath_tgt_tx_comp_normal
    fn complete_late(&mut self, u: Unit, r: &Report, out: &mut Settled) {
        let single = u.slots.len() == 1;
        for (k, m) in u.burst.mpdus.iter().enumerate() {
            let received = m.received || r.received.has(k);
            out.statuses.push((u.slots[k], received || (single && r.acked.has(k))));
        }
        out.buffers += u.slots.len() as u8;
        let q = &mut self.queues[u.q];
        q.incomplete = q.incomplete.saturating_sub(u.slots.len() as u16);
        q.paused &= q.incomplete > 0;
        self.spare.push(u);
    }
    /// The agreement ends: what waits is lost without a status. src: ath_tgt_delba_send, ath_tgt_tx_cleanup, ath_tgt_tid_drain
    fn end(&mut self, i: usize, out: &mut Settled) {
        let q = &mut self.queues[i];
        out.buffers += q.bufs.len() as u8;
        for b in q.bufs.drain(..) {
            if b.sent {
                q.window.settle(b.seq);
            }
            out.discarded.push((b.slot, b.received));
        }
        q.ended = true;
        q.incomplete += q.window.unsettled();
        q.paused = q.incomplete > 0;
        q.window = TxWindow::new(q.window.start().plus(q.window.handed_out()), WINDOW);
    }
    /// Tells the receiver to move its window past what was abandoned, a frame after `retries`; until it answers, the queue pauses.
    fn send_bar(&mut self, ac: Ac, i: usize, retries: u8) {
        self.queues[i].paused = true;
        let mut u = self.unit(i, ac);
        u.bar_retries = retries;
        u.burst.what = What::Bar(self.queues[i].window.start());
        u.burst.agreement = true;
        (u.burst.rts, u.burst.rts_fallback) = (false, false);
        u.burst.chain = [Attempt { mode: Mode::Ofdm(Ofdm::R6), tries: BAR_TRIES.0 }; 4];
        self.push(ac, u);
    }
}

#[cfg(test)]
mod vectors;
