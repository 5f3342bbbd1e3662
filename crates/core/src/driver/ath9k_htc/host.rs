//! The host's half: the driver's slots, when it stops the netdev queues, and when an skb is freed.
//!
//! Stands for: Linux 6.12 drivers/net/wireless/ath/ath9k/htc_drv_txrx.c (ath9k_htc_tx_get_slot, ath9k_htc_check_stop_queues,
//! ath9k_htc_txep, ath9k_htc_txstatus, ath9k_htc_tx_process, ath9k_htc_tx_cleanup_timer) and hif_usb.c's tx_skb_queue.
//!
//! A frame's skb lives from the netdev queue until *both* its USB request is complete and its TX status has come: URB
//! completion only moves it to its endpoint's queue, the status frees it (`ieee80211_tx_status_skb`). So TCP small queues see
//! the air, not the USB bus. A status that comes first finds no skb; it is kept for the cleanup timer, up to 60 ms away.
//!
//! Differs: D1 no management frames, so the ten slots in reserve stay unused; D2 a frame that the device still has when its
//! status is given up is freed then, but its slot only when the device is done with it.

use super::cleanup::Cleanup;
use super::params::Params;
use crate::sim::{Bin, Owner, Packet, Place, Reason, Time};
use crate::wifi::{Ac, Encryption, Sink, StaIx, Tid};
use std::collections::VecDeque;

/// Slots there are: a slot's number is the cookie that the status carries. src: ath9k/hif_usb.h MAX_TX_BUF_NUM
const SLOTS: usize = 256;
/// In which order the cleanup timer goes through the endpoints' queues, voice's first here. src: ath9k_htc_tx_cleanup_timer
const QUEUES: [u8; Ac::COUNT] = [3, 2, 0, 1];
/// Runs of the cleanup timer that an early status survives. src: ath9k/htc.h ATH9K_HTC_TX_TIMEOUT_COUNT
const EARLY_RUNS: u8 = 40;

/// A slot's number: the cookie.
pub(super) type Slot = u8;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum At {
    /// In the skb queue, or in a USB request that is not complete.
    Usb,
    /// Its USB request is complete, since then and as the so many-th frame; it waits for its status.
    Waiting(Time, u64),
}

/// A frame that the driver holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The packet.
    pub p: Packet,
    /// The next hop.
    pub to: StaIx,
    /// Its TID.
    pub tid: Tid,
    at: At,
    /// What became of it on the air, where the status itself was lost: for accounting only.
    fate: Option<bool>,
    /// The receiver has it: for accounting only.
    landed: bool,
}

/// The driver's transmit side.
#[derive(Debug)]
pub(super) struct Host {
    /// What protects data frames.
    pub encryption: Encryption,
    frames: Vec<Option<Frame>>,
    used: [u64; SLOTS / 64],
    queued: u16,
    /// Of these, frames that the receiver has.
    landed: u16,
    /// Frames whose requests were complete so far.
    sent: u64,
    stopped: bool,
    /// Frames for the next USB request (`tx_skb_queue`).
    pub skbs: VecDeque<Slot>,
    /// Statuses that came before their request was complete (`pending_tx_events`), with the timer's runs they survived.
    early: VecDeque<(Slot, bool, u8)>,
}

impl Host {
    pub fn new() -> Host {
        Host {
            encryption: Encryption::None,
            frames: vec![None; SLOTS],
            used: [0; SLOTS / 64],
            queued: 0,
            landed: 0,
            sent: 0,
            stopped: false,
            skbs: VecDeque::with_capacity(SLOTS),
            early: VecDeque::with_capacity(SLOTS),
        }
    }
    /// The netdev queues are awake.
    pub fn awake(&self) -> bool {
        !self.stopped
    }
    /// Frames held (`tx.queued_cnt`).
    pub fn held(&self) -> u16 {
        self.queued
    }
    /// Frames held whose packets are nowhere else yet.
    pub fn owed(&self) -> u16 {
        self.queued - self.landed
    }
    /// The receiver has the packet of `s`.
    pub fn landed(&mut self, s: Slot) {
        if let Some(f) = self.frames[usize::from(s)].as_mut().filter(|f| !f.landed) {
            f.landed = true;
            self.landed += 1;
        }
    }
    pub fn frame(&self, s: Slot) -> &Frame {
        self.frames[usize::from(s)].as_ref().expect("a slot in use")
    }
    /// Takes a frame from the netdev queue; the caller has seen that it is awake.
    pub fn take(&mut self, par: &Params, p: Packet, to: StaIx, tid: Tid) {
        let s = self.free_slot();
        self.used[usize::from(s) / 64] |= 1 << (s % 64);
        self.frames[usize::from(s)] = Some(Frame { p, to, tid, at: At::Usb, fate: None, landed: false });
        self.skbs.push_back(s);
        self.queued += 1;
        self.stopped |= self.queued >= par.tx_threshold;
    }
    fn free_slot(&self) -> Slot {
        let w = self.used.iter().position(|w| *w != u64::MAX).expect("the queue stops before the slots run out");
        (w * 64 + self.used[w].trailing_ones() as usize) as Slot
    }
    /// The USB request that carried `s` is complete.
    pub fn sent(&mut self, now: Time, s: Slot) {
        self.sent += 1;
        self.frames[usize::from(s)].as_mut().expect("a slot in use").at = At::Waiting(now, self.sent);
    }
    /// A status came for `s`.
    pub fn status(&mut self, s: Slot, ok: bool, sink: &mut Sink<'_>) {
        if !self.settle(s, ok, sink) {
            self.early.push_back((s, ok, 0));
        }
    }
    /// The device lost the status of `s`.
    pub fn lost(&mut self, s: Slot, ok: bool) {
        if let Some(f) = &mut self.frames[usize::from(s)] {
            f.fate = Some(ok);
        }
    }
    /// Frees the frame if its request is complete.
    fn settle(&mut self, s: Slot, ok: bool, sink: &mut Sink<'_>) -> bool {
        let Some(f) = self.frames[usize::from(s)] else { return false };
        if f.at == At::Usb {
            return false;
        }
        self.frames[usize::from(s)] = None;
        self.used[usize::from(s) / 64] &= !(1 << (s % 64));
        self.queued -= 1;
        self.landed -= u16::from(f.landed);
        if ok {
            sink.free(&f.p);
        } else {
            sink.drop(f.p, Place::Driver, Reason::Retries);
        }
        true
    }
    /// Wakes the netdev queues if there is room; true if they were asleep (`ath9k_htc_check_wake_queues`).
    pub fn wake(&mut self, par: &Params) -> bool {
        let wakes = self.stopped && self.queued < par.tx_threshold;
        self.stopped &= !wakes;
        wakes
    }
    /// Statuses that came before their request was complete and wait for the cleanup timer.
    #[cfg(test)]
    pub fn early(&self) -> usize {
        self.early.len()
    }
    /// The cleanup timer. What is given up goes queue by queue, best effort first, in the order of its requests.
    /// src: ath9k_htc_tx_cleanup_timer, ath9k_htc_tx_cleanup_queue
    pub fn cleanup(&mut self, now: Time, timer: &Cleanup, par: &Params, sink: &mut Sink<'_>) {
        for _ in 0..self.early.len() {
            let (s, ok, runs) = self.early.pop_front().expect("counted");
            if self.settle(s, ok, sink) {
                continue;
            }
            if runs + 1 < EARLY_RUNS {
                self.early.push_back((s, ok, runs + 1));
            } else {
                self.lost(s, ok);
            }
        }
        let late = |(i, f): (usize, &Option<Frame>)| {
            let &Frame { at: At::Waiting(since, nth), tid, .. } = f.as_ref()? else { return None };
            timer.gives_up(now, since, par).then_some(((QUEUES[Ac::of(tid).ix()], nth), i))
        };
        let mut late: Vec<_> = self.frames.iter().enumerate().filter_map(late).collect();
        late.sort_unstable();
        for (_, i) in late {
            let f = self.frames[i].as_mut().expect("just seen");
            match f.fate {
                Some(ok) => drop(self.settle(i as Slot, ok, sink)),
                None => {
                    sink.free(&f.p);
                    f.p.owner = Owner::NONE;
                }
            }
        }
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    fn packet() -> Packet {
        Packet { truesize: 2304, owner: Owner(1), ..Packet::blank(Kind::Tcp, FlowId(1), NodeId(1), NodeId(2)) }
    }
    type Lists = (Vec<crate::sim::Freed>, Vec<(Packet, Place, Reason)>, Vec<(Time, crate::sim::Lane, u32)>);
    fn timer(par: &Params) -> Cleanup {
        Cleanup::new(par, 1000)
    }
    fn sink(l: &mut Lists) -> Sink<'_> {
        Sink { freed: &mut l.0, dropped: &mut l.1, wants: &mut l.2 }
    }

    #[test]
    fn the_queue_stops_at_246_and_wakes_below() {
        let (par, mut h, mut l) = (Params::default(), Host::new(), Lists::default());
        let mut n = 0;
        while h.awake() {
            h.take(&par, packet(), StaIx::AP, Tid::new(0));
            n += 1;
        }
        assert_eq!(n, 246);
        assert!(!h.wake(&par), "246 is not below 246");
        h.sent(Time::ZERO, 7);
        h.status(7, true, &mut sink(&mut l));
        assert!(h.wake(&par) && h.awake());
        assert_eq!(l.0, [(&packet()).into()]);
        h.take(&par, packet(), StaIx::AP, Tid::new(0));
        assert_eq!(h.skbs.back(), Some(&7), "the lowest free slot is taken");
    }

    #[test]
    fn an_early_status_waits_for_the_cleanup_timer() {
        let (par, mut h, mut l) = (Params::default(), Host::new(), Lists::default());
        h.take(&par, packet(), StaIx::AP, Tid::new(0));
        h.status(0, true, &mut sink(&mut l));
        h.sent(Time::from_us(10), 0);
        assert!(l.0.is_empty(), "nobody looks again when the request completes");
        h.cleanup(Time::from_ms(50), &timer(&par), &par, &mut sink(&mut l));
        assert_eq!((l.0.len(), h.held()), (1, 0));
    }

    #[test]
    fn a_lost_status_frees_its_frame_after_three_seconds() {
        let (par, mut h, mut l) = (Params::default(), Host::new(), Lists::default());
        h.take(&par, packet(), StaIx::AP, Tid::new(0));
        h.sent(Time::ZERO, 0);
        h.lost(0, true);
        h.cleanup(Time::from_s(3), &timer(&par), &par, &mut sink(&mut l));
        assert_eq!(h.held(), 1);
        h.cleanup(Time::from_ms(3_050), &timer(&par), &par, &mut sink(&mut l));
        assert_eq!((l.0.len(), h.held()), (1, 0));
    }

    #[test]
    fn a_frame_that_the_device_keeps_for_three_seconds_is_freed_once() {
        let (par, mut h, mut l) = (Params::default(), Host::new(), Lists::default());
        h.take(&par, packet(), StaIx::AP, Tid::new(0));
        h.sent(Time::ZERO, 0);
        h.cleanup(Time::from_ms(3_050), &timer(&par), &par, &mut sink(&mut l));
        assert_eq!((l.0[0].owner, h.held()), (Owner(1), 1), "TCP may go on; the device still has it");
        h.status(0, false, &mut sink(&mut l));
        assert_eq!((l.1[0].0.owner, h.held()), (Owner::NONE, 0), "the drop credits nobody");
    }
}
