//! The firmware: one FIFO a (peer, TID), aggregates formed when the hardware has room, retries, BARs.
//!
//! A frame that finds no PPDU of its peer and TID in hardware is sent at once; behind one, what comes gathers. Nothing holds a
//! frame back: there is no limit but the descriptors', and no flow is told from another.
//!
//! Stands for: what the host's headers say of it (linux@6.12 drivers/net/wireless/ath/ath10k/htt.h htt_aggr_conf, hw.h) and what
//! the same maker's published firmware does (open-ath9k-htc-firmware: windows, retries, BARs); the rest is the standard's.
//! Whether an A-MPDU keeps to its category's TXOP limit, the makers' hardware tells apart: ath10k's does ([`Opportunities`]), mt76's does not
//! (docs/devices/ath10k.md, mt76.md).
//! Differs: D1 stations and TIDs of a category take turns aggregate by aggregate (how the firmware schedules is not public);
//! D2 an agreement stands from the start; D3 an A-MSDU is filled with what waits, and does not wait for more; D4 the
//! firmware's own time is not modelled.

use super::chosen::Chosen;
use super::descriptors::{Descriptors, Slot};
use super::rate_set::RateSet;
use super::{Limits, Peer};
use crate::driver::holds::{Holds, HwQueue, TidHeld};
use crate::phy::{Band, Mode};
use crate::rate::{Control, Rates, Went};
use crate::sim::{Span, Time};
use crate::wifi::amsdu::{self, Aggregator, MSDUS};
use crate::wifi::block_ack::WINDOW;
use crate::wifi::burst::DELIMITER;
use crate::wifi::limits;
use crate::wifi::{Ac, Attempt, Burst, Encryption, Mark, Mpdu, Opportunities, Report, Seq, StaIx, Tid, TxWindow, What};
use std::collections::VecDeque;

/// A-MPDU bytes that an HT peer takes. src: linux@6.12 ath10k/mac.c ath10k_get_ht_cap: IEEE80211_HT_MAX_AMPDU_64K; mt76/mac80211.c the same
const HT_AMPDU: u32 = 65_535;
/// Tries of a BAR by hardware, and by software, after which the agreement goes on without it.
const BAR_TRIES: (u8, u8) = (11, 10);

/// An MPDU with its number, that was sent or did not fit.
#[derive(Clone, Copy, Debug)]
struct Buf {
    slots: [Slot; MSDUS],
    n: u8,
    seq: Seq,
    len: u16,
    retries: u8,
    sent: bool,
    received: bool,
}

#[derive(Debug)]
struct Queue {
    to: StaIx,
    tid: Tid,
    /// What the host has pushed down, in order.
    fresh: VecDeque<Slot>,
    /// What has a number already.
    redo: VecDeque<Buf>,
    window: TxWindow,
    agreement: bool,
    /// The agreement permits A-MSDUs.
    amsdus: bool,
    /// How close together its peer takes MPDUs.
    density: Span,
    scheduled: bool,
    /// Waits for a BAR.
    paused: bool,
    /// PPDUs with data in hardware.
    in_hw: u8,
}

/// A PPDU in a hardware queue.
#[derive(Debug)]
struct Unit {
    burst: Burst,
    /// What its MPDUs are made of.
    bufs: Vec<Buf>,
    queue: usize,
    bar_retries: u8,
    /// What it was sent with, where mac80211 chooses.
    set: Option<RateSet>,
}

/// All queues of the firmware.
#[derive(Debug)]
pub struct Firmware {
    par: Limits,
    band: Band,
    encryption: Encryption,
    opportunities: Option<Opportunities>,
    rates: Rates,
    queues: Vec<Queue>,
    turn: [VecDeque<usize>; Ac::COUNT],
    hw: [VecDeque<Unit>; Ac::COUNT],
    chosen: Chosen,
    /// By peer, how the last PPDU that is over went out.
    last: Vec<Mode>,
    spare: Vec<Unit>,
    again: Vec<Buf>,
    /// Completions that the host has not been told of: the descriptor, and whether it was acknowledged.
    pub done: Vec<(Slot, bool)>,
}

impl Firmware {
    /// That talks to these stations. `aggregates`: false where aggregation is off.
    pub fn new(par: Limits, mut rates: Rates, peers: &[Peer], aggregates: bool, band: Band) -> Firmware {
        // What AQL reckons with before anything was sent.
        let last = (0..peers.len()).map(|i| Chosen::first(&mut rates, StaIx(i as u8))).collect();
        let chosen = Chosen::new(&rates, peers.len());
        let queues = peers.len() * Tid::COUNT;
        let queue = |i: usize| {
            let (tid, peer) = (Tid::new((i % Tid::COUNT) as u8), peers[i / Tid::COUNT]);
            Queue {
                to: StaIx((i / Tid::COUNT) as u8),
                tid,
                fresh: VecDeque::with_capacity(64),
                redo: VecDeque::with_capacity(64),
                window: TxWindow::new(Seq::default(), peer.window),
                agreement: aggregates && Ac::of(tid) != Ac::Vo,
                amsdus: peer.amsdus,
                density: peer.density,
                scheduled: false,
                paused: false,
                in_hw: 0,
            }
        };
        Firmware {
            par,
            band,
            encryption: Encryption::None,
            opportunities: None,
            rates,
            queues: (0..queues).map(queue).collect(),
            turn: core::array::from_fn(|_| VecDeque::with_capacity(queues)),
            hw: core::array::from_fn(|_| VecDeque::with_capacity(usize::from(par.depth) + 1)),
            chosen,
            last,
            spare: Vec::new(),
            again: Vec::with_capacity(64),
            done: Vec::with_capacity(usize::from(par.msdus)),
        }
    }
    /// Data frames are protected from now on.
    pub fn protect(&mut self, encryption: Encryption) {
        self.encryption = encryption;
    }
    /// A-MPDUs keep to these limits from now on.
    pub fn within(&mut self, opportunities: Opportunities) {
        self.opportunities = Some(opportunities);
    }
    /// See [`Rates::learn`].
    pub fn learn(&mut self, to: StaIx, best: Mode) {
        self.rates.learn(to, best);
    }
    /// mac80211 hands a packet to `to` down.
    pub fn pulled(&mut self, now: Time, to: StaIx) {
        self.chosen.pulled(now, to, &mut self.rates);
    }
    /// mac80211 is told of the MPDUs that are over, where it chooses.
    pub fn tell(&mut self, now: Time) {
        self.chosen.tell(now, &mut self.rates);
    }
    /// What AQL reckons with (`last_rate`): how the last PPDU to `to` that is over went out; where mac80211 chooses, the first of its table, since it notes
    /// what it has chosen for a frame as that leaves its queues, and hears of none that was sent. src: linux@6.12 net/mac80211/tx.c ieee80211_tx_h_rate_ctrl
    pub fn last_mode(&self, to: StaIx) -> Mode {
        self.rates.table(to).map_or(self.last[to.ix()], |(table, _)| table[0].mode)
    }
    /// What stands first in the hardware queue.
    pub fn head(&self, ac: Ac) -> Option<&Burst> {
        self.hw[ac.ix()].front().map(|u| &u.burst)
    }
    /// Whether there is more for station `to`, beside the head of `ac`.
    pub fn more_for(&self, to: StaIx, ac: Ac) -> bool {
        let waits = |q: &Queue| !q.fresh.is_empty() || !q.redo.is_empty();
        let head = |(k, hw): (usize, &VecDeque<Unit>)| {
            hw.iter().skip(usize::from(k == ac.ix())).any(|u| u.burst.to == to && !u.bufs.is_empty())
        };
        self.queues[to.ix() * Tid::COUNT..][..Tid::COUNT].iter().any(waits) || self.hw.iter().enumerate().any(head)
    }
    /// What it holds.
    pub fn holds(&self, host: &Descriptors) -> Holds {
        let owed = |slots: &[Slot]| slots.iter().filter(|&&s| !host.has_landed(s)).count() as u32;
        let bufs = |bufs: &mut dyn Iterator<Item = &Buf>| bufs.map(|b| owed(&b.slots[..b.n.into()])).sum::<u32>();
        let hardware = core::array::from_fn(|k| {
            let packets = bufs(&mut self.hw[k].iter().flat_map(|u| &u.bufs));
            HwQueue { packets, ..HwQueue::of(self.hw[k].iter().map(|u| &u.burst)) }
        });
        let of = |q: &Queue| TidHeld {
            fresh: q.fresh.len() as u32,
            retry: q.redo.len() as u32,
            packets: q.fresh.len() as u32 + bufs(&mut q.redo.iter()),
            paused: q.paused,
            ..TidHeld::of(q.to, q.tid, q.agreement, &q.window)
        };
        Holds { hardware, tids: self.queues.iter().map(of).filter(TidHeld::is_used).collect(), ..Holds::default() }
    }
    /// What knows the peers' rates.
    pub fn rates(&self) -> &Rates {
        &self.rates
    }
    /// A frame comes from the host.
    pub fn take(&mut self, slot: Slot, to: StaIx, tid: Tid) {
        let i = to.ix() * Tid::COUNT + tid.ix();
        self.queues[i].fresh.push_back(slot);
        self.enqueue(i);
    }
    fn enqueue(&mut self, i: usize) {
        let q = &mut self.queues[i];
        let waits = !q.fresh.is_empty() || !q.redo.is_empty();
        if waits && !q.paused && !q.scheduled {
            q.scheduled = true;
            self.turn[Ac::of(q.tid).ix()].push_back(i);
        }
    }
    /// Fills the hardware queue.
    pub fn fill(&mut self, now: Time, ac: Ac, host: &Descriptors) {
        while self.hw[ac.ix()].len() < usize::from(self.par.depth) {
            let Some(i) = self.turn[ac.ix()].pop_front() else { return };
            self.queues[i].scheduled = false;
            if self.queues[i].paused || self.queues[i].in_hw >= self.par.tid_depth {
                continue; // a completion schedules it
            }
            let u = self.form(now, i, ac, host);
            if u.bufs.is_empty() {
                self.spare.push(u); // the window is closed; a completion schedules it
            } else {
                self.queues[i].in_hw += 1;
                self.hw[ac.ix()].push_back(u);
                self.enqueue(i);
            }
        }
    }
    fn unit(&mut self, i: usize, ac: Ac) -> Unit {
        let new = || Unit { burst: Burst::new(), bufs: Vec::with_capacity(64), queue: 0, bar_retries: 0, set: None };
        let mut u = self.spare.pop().unwrap_or_else(new);
        u.burst.mpdus.clear();
        u.burst.more.clear();
        u.bufs.clear();
        (u.queue, u.bar_retries) = (i, 0);
        (u.burst.to, u.burst.tid, u.burst.ac) = (self.queues[i].to, self.queues[i].tid, ac);
        (u.burst.rts, u.burst.psdu) = (false, 0);
        u.burst.wide = self.queues[i].window.size() > WINDOW;
        u
    }
    /// One PPDU of what queue `i` has: all that the window and the limits let in.
    fn form(&mut self, now: Time, i: usize, ac: Ac, host: &Descriptors) -> Unit {
        let mut u = self.unit(i, ac);
        let choice = self.rates.choose(now, u.burst.to, Mark::NONE);
        let before = self.queues[i].redo.front().map_or(0, |b| b.retries);
        u.set = self.chosen.set(u.burst.to);
        let mode = u.set.map_or(choice.chain[0].mode, |set| set.at(before));
        u.burst.chain = choice.chain;
        u.burst.rts_fallback = choice.rts_fallback;
        if let (Some(set), false) = (u.set, self.queues[i].agreement) {
            u.burst.chain = set.status(set.tries(), set.at(set.tries() - 1)).0;
        } else if self.par.once {
            let tries = if self.queues[i].agreement { 1 } else { self.par.retries + 1 };
            u.burst.chain = [Attempt { mode, tries }, Attempt::NONE, Attempt::NONE, Attempt::NONE];
        }
        let room = self.opportunities.as_ref().map_or(u32::MAX, |o| o.room(&u.burst, self.par.rts_threshold));
        let Firmware { queues, par, encryption, .. } = self;
        let (q, encryption) = (&mut queues[i], *encryption);
        let longest = match mode {
            Mode::He(_) => par.he_bytes,
            Mode::Vht(_) => par.vht_bytes,
            _ => HT_AMPDU,
        };
        let frames = if q.agreement { par.ampdu_frames } else { 1 };
        let limit = limits::Limits::new(mode, longest.min(room), par.airtime, frames, q.density, self.band);
        let (mut bytes, mut last) = (0, 0);
        while let Some(mut b) = q.next(mode, host, par, encryption) {
            let with = limit.append(bytes, last, b.len);
            if !limit.allow(u.bufs.len() as u16 + 1, with) {
                q.redo.push_front(b);
                break;
            }
            if !b.sent {
                q.window.open(b.seq);
                b.sent = true;
            }
            (bytes, last) = (with, b.len);
            u.add(b, host);
            if !q.agreement {
                break;
            }
        }
        u.burst.agreement = q.agreement;
        u.burst.what = if u.bufs.len() > 1 { What::Ampdu } else { What::Single };
        u.burst.psdu = match mode {
            // Every VHT and HE PPDU is an A-MPDU, padded to its last word.
            Mode::Vht(_) | Mode::He(_) => bytes.next_multiple_of(4),
            _ if u.bufs.len() > 1 => bytes,
            _ => bytes.saturating_sub(DELIMITER),
        };
        u.burst.rts = u.burst.exceeds(par.rts_threshold);
        u
    }

    /// The hardware is done with the first unit of `ac`.
    pub fn complete(&mut self, now: Time, ac: Ac, r: &Report, host: &mut Descriptors) {
        let mut u = self.hw[ac.ix()].pop_front().expect("a unit in hardware");
        let i = u.queue;
        if matches!(u.burst.what, What::Bar(_)) {
            if !r.answered && u.bar_retries < BAR_TRIES.1 {
                u.bar_retries += 1;
                return self.hw[ac.ix()].push_front(u);
            }
            self.queues[i].paused = false;
            self.enqueue(i);
            return self.spare.push(u);
        }
        self.queues[i].in_hw -= 1;
        let frames = u.bufs.len() as u16;
        let bad = frames - r.acked.len() as u16;
        self.last[u.burst.to.ix()] = u.burst.chain[usize::from(r.link)].mode;
        if u.set.is_none() || !self.queues[i].agreement {
            self.rates.report(now, u.burst.to, &Went { chain: &u.burst.chain, report: r, frames, bad });
        }
        let (q, par, mut given_up) = (&mut self.queues[i], &self.par, false);
        let done = self.done.len();
        for (k, b) in u.bufs.iter_mut().enumerate() {
            let slots = &b.slots[..usize::from(b.n)];
            b.received |= r.received.has(k);
            if b.received {
                slots.iter().for_each(|&s| host.landed(s));
            }
            let ok = r.acked.has(k);
            if ok || !q.agreement || b.retries >= par.retries {
                if let (Some(set), true) = (&u.set, q.agreement) {
                    self.chosen.over(u.burst.to, set, b.retries + 1, u.burst.chain[0].mode, ok);
                }
                q.window.settle(b.seq);
                self.done.extend(slots.iter().map(|&s| (s, ok)));
                given_up |= !ok && q.agreement;
            } else {
                b.retries += 1;
                self.again.push(*b);
            }
        }
        if !self.again.is_empty() {
            q.redo.extend(self.again.drain(..));
            let start = q.window.start();
            q.redo.make_contiguous().sort_unstable_by_key(|b| b.seq.ahead_of(start));
        }
        if let Some(set) = u.set.as_ref().filter(|_| self.done.len() > done) {
            self.chosen.probed(u.burst.to, set, &self.rates);
        }
        self.spare.push(u);
        if given_up {
            self.send_bar(ac, i);
        }
        self.enqueue(i);
    }
    /// Tells the receiver to move its window past what was given up; until it answers, the queue pauses. It goes out behind what
    /// stands ready.
    fn send_bar(&mut self, ac: Ac, i: usize) {
        self.queues[i].paused = true;
        let mut u = self.unit(i, ac);
        u.burst.what = What::Bar(self.queues[i].window.start());
        u.burst.agreement = true;
        u.burst.psdu = crate::wifi::response::BAR;
        u.burst.chain = [Attempt::NONE; 4];
        u.burst.chain[0].tries = BAR_TRIES.0;
        u.burst.rts_fallback = false;
        self.hw[ac.ix()].push_back(u);
    }
}

impl Queue {
    /// The next MPDU: one that has a number, else what waits, several MSDUs of it together.
    fn next(&mut self, mode: Mode, host: &Descriptors, par: &Limits, encryption: Encryption) -> Option<Buf> {
        if let Some(&b) = self.redo.front() {
            let allowed = b.sent || self.window.allows(b.seq);
            return if allowed { self.redo.pop_front() } else { None };
        }
        if self.agreement && !self.window.allows(self.window.next()) {
            return None;
        }
        let most = if self.agreement && self.amsdus && mode.aggregates() { par.amsdu_msdus } else { 1 };
        let limit = match par.amsdus_by_host {
            true => u32::MAX, // who formed it has seen to that
            false => amsdu::limit(mode, par.amsdu_bytes, par.mpdu_bytes, encryption),
        };
        let mut a = Aggregator::new(limit, most, encryption);
        let mut b =
            Buf { slots: [0; MSDUS], n: 0, seq: Seq::default(), len: 0, retries: 0, sent: false, received: false };
        while let Some(&slot) = self.fresh.front() {
            if par.amsdus_by_host && b.n > 0 && !host.is_joined(slot) {
                break;
            }
            if !a.add(host.packet(slot).ip_len()) {
                break;
            }
            b.slots[usize::from(b.n)] = slot;
            b.n += 1;
            self.fresh.pop_front();
            if b.n >= most {
                break;
            }
        }
        if b.n == 0 {
            return None;
        }
        b.len = a.mpdu_len();
        b.seq = self.window.assign();
        Some(b)
    }
}

impl Unit {
    fn add(&mut self, b: Buf, host: &Descriptors) {
        self.burst.mpdus.push(Mpdu {
            mark: Mark::NONE,
            packet: *host.packet(b.slots[0]),
            seq: b.seq,
            len: b.len,
            attempts: b.retries,
            received: b.received,
            more: b.n - 1,
        });
        self.burst.more.extend(b.slots[1..usize::from(b.n)].iter().map(|&s| *host.packet(s)));
        self.bufs.push(b);
    }
}
