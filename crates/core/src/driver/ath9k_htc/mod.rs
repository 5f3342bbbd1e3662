//! ath9k_htc: the AR9271, a USB device whose firmware aggregates. Not ath9k with other numbers.
//!
//! Enters: packets from the netdev queues' qdiscs ([`Above`]), frames from the air ([`Ath9kHtc::rx`]). Leaves: transmit units
//! for the MAC ([`Device::head`]), freed skbs, received packets in batches ([`Ath9kHtc::take_up`]).
//!
//! ```text
//! qdisc -> netdev queue (stops at 246) -> skb queue -> one USB request of up to 20 frames
//!       -> 33 buffers: CPU -> TID queue -> A-MPDU of up to 17, one in hardware -> air
//! air   -> CPU -> status event of up to 12 -> USB interrupt pipe -> skb freed, netdev queue woken
//! air   -> CPU -> upload stream (10 frames, 16 KiB, or 171 us of silence) -> host
//! ```
//!
//! What follows from it: without TCP small queues, 246 full frames stand below the qdisc, about 31 ms at the rate they leave;
//! a flow that has only a few frames below sends the first alone; TSQ sees the air, one status event behind it; received
//! TCP ACKs come in bunches.
//!
//! Stands for: Linux drivers/net/wireless/ath/ath9k/{htc_drv_txrx,htc_drv_main,hif_usb,htc_hst,wmi}.c, and
//! open-ath9k-htc-firmware. What is fact, what is calibrated, what is unknown: docs/devices/ath9k_htc.md. It leaves the qdisc
//! to `qdisc`, contention and airtime to `wifi`, TSQ to `tcp`, the host's own time to `host`.
//!
//! Differs: numbered in each file.

mod cleanup;
mod firmware;
mod host;
mod params;
pub mod rates;
mod rx;
mod tids;
mod usb;

#[cfg(test)]
mod tests;

pub use params::Params;

use crate::driver::holds::Holds;
use crate::phy::Mode;
use crate::qdisc::Message;
use crate::sim::{Lane, Packet, Time};
use crate::wifi::{Ac, Burst, Came, Device, Encryption, Report, Sink, StaIx, Tid};
use cleanup::Cleanup;
use core::marker::PhantomData;
use firmware::Firmware;
use host::Host;
use rx::Upload;
use usb::{Inbox, Usb};

/// Stations that an access point has at most. src: linux@6.12 drivers/net/wireless/ath/ath9k/htc.h ATH9K_HTC_MAX_STA; htc_drv_main.c
/// ath9k_htc_add_station, which the access point's own interface goes through, too (ath9k_htc_add_interface)
pub const MOST_STATIONS: usize = 7;

/// What stands above the device: the qdisc of each of its four netdev queues (kernels before 6.2), or mac80211's TXQs, from
/// which `ieee80211_handle_wake_tx_queue` pulls under the same stop (6.2 and later).
pub trait Above {
    /// The next packet of this category's queue, with its next hop and TID. What the queue drops goes to the sink.
    fn pull(&mut self, now: Time, ac: Ac, sink: &mut Sink<'_>) -> Option<(Packet, StaIx, Tid)>;
    /// Whether it wants to be told ([`Above::message`]), and tells whether more follows.
    fn listens(&self, _ac: Ac) -> bool {
        false
    }
    /// Whether the queue that the last packet came from holds more.
    fn more_data(&self, _ac: Ac) -> bool {
        false
    }
    /// The driver's word on its queue `id`.
    fn message(&mut self, _ac: Ac, _id: u32, _m: Message) {}
}

/// The smallest contention window that the driver programs for the standard's `cw_min`: half of it, rounded down, then up to
/// the next 2^n - 1 (15 becomes 7, 7 becomes 3, 3 becomes 1).
/// src: linux@6.12 drivers/net/wireless/ath/ath9k/htc_drv_txrx.c ath_htc_txq_update; mac.c ath9k_hw_set_txq_props
pub const fn cw_min(standard: u16) -> u16 {
    (standard / 2 + 1).next_power_of_two() - 1
}

/// The device and its driver. `Q` is what stands above.
///
/// The caller hands over whatever calls the [`Sink`] wants back, to [`Device::timer`], with any tag; a call too many does
/// nothing. After [`Device::timer`] it looks for received packets ([`Ath9kHtc::take_up`]).
#[derive(Debug)]
pub struct Ath9kHtc<Q> {
    par: Params,
    host: Host,
    usb: Usb,
    fw: Firmware,
    upload: Upload,
    up: Vec<Came>,
    timer: Cleanup,
    /// Its next run, while the driver holds frames.
    cleanup: Time,
    armed: Time,
    above: PhantomData<fn(&mut Q)>,
}

impl<Q: Above> Ath9kHtc<Q> {
    /// A device that knows `stations` stations (itself included) and sends to each beginning with `mode`.
    pub fn new(par: Params, stations: usize, mode: Mode) -> Self {
        Ath9kHtc {
            host: Host::new(),
            usb: Usb::new(&par),
            fw: Firmware::new(&par, stations, mode),
            upload: Upload::new(),
            up: Vec::with_capacity(64),
            timer: Cleanup::new(&par, 1000),
            cleanup: Time::NEVER,
            armed: Time::NEVER,
            par,
            above: PhantomData,
        }
    }
    /// From now on transmit units for `to` begin their chain with `mode`.
    pub fn set_mode(&mut self, to: StaIx, mode: Mode) {
        self.fw.tids.set_mode(&self.par, to, mode);
    }
    /// Data frames are protected from now on.
    pub fn protect(&mut self, encryption: Encryption) {
        self.host.encryption = encryption;
        self.upload.encryption = encryption;
        self.fw.tids.encryption = encryption;
    }
    /// Its host has `hz` ticks a second.
    pub fn ticks(&mut self, hz: u32) {
        self.timer = Cleanup::new(&self.par, hz);
    }
    /// It is an access point's: the buffer that a beacon came in is free when the next has come, so one is never.
    /// src: fw wlan/if_ath.c ath_tgt_send_beacon (av_bcbuf's skb)
    pub fn beacons(&mut self) {
        self.fw.buffers -= 1;
    }
    /// The netdev queues are awake: a packet can be taken.
    pub fn can_take(&self) -> bool {
        self.host.awake()
    }
    /// `ath9k_htc_tx`: takes a packet. Panics unless [`can_take`](Self::can_take).
    pub fn take(&mut self, now: Time, p: Packet, to: StaIx, tid: Tid) {
        assert!(self.can_take(), "the netdev queue is stopped");
        self.host.take(&self.par, p, to, tid);
        if self.usb.idle() {
            self.usb.fill(&mut self.host, &self.par);
            self.begin(now);
        }
    }
    /// A frame from the air whose last bit was there at `ended`; of an A-MPDU each has its own.
    pub fn rx(&mut self, now: Time, ended: Time, c: &Came, sink: &mut Sink<'_>) {
        self.upload.receive(ended, c, self.usb.busy_until(now), &self.par);
        self.arm(now, sink);
    }
    /// Hands the frames that the host has received to `up`, as they came.
    pub fn take_up(&mut self, up: &mut Vec<Came>) {
        up.append(&mut self.up);
    }
    /// Packets between the air and the host's stack.
    pub fn held_up(&self) -> u64 {
        (self.upload.held() + self.up.iter().filter(|c| c.is_packet()).count()) as u64
    }
    /// skbs that the driver holds (`tx.queued_cnt`), those included whose packets the receiver has.
    pub fn queued(&self) -> u16 {
        self.host.held()
    }
    /// What it holds, from the skb queue (`slots`: `read_file_slot`; `queued_cnt`: `read_file_queue`) to the hardware.
    pub fn holds(&self) -> Holds {
        let counts = vec![
            ("slots", self.host.held().into()),
            ("queued_cnt", self.host.held().into()),
            ("stopped", (!self.host.awake()).into()),
            ("skb_queue", self.host.skbs.len() as u64),
            ("request", self.usb.frames() as u64),
            ("buffers_free", self.fw.buffers.into()),
            ("cpu_inbox", self.fw.waiting() as u64),
            ("status_events", self.fw.unfetched() as u64),
        ];
        Holds { counts, ..self.fw.tids.holds() }
    }
    /// When something happens next by itself.
    pub fn wake_at(&self) -> Time {
        let u = self.upload.due(&self.par);
        [self.usb.due, self.usb.irq, self.fw.due, self.fw.poll, u, self.cleanup]
            .into_iter()
            .fold(Time::NEVER, Time::min)
    }

    fn begin(&mut self, now: Time) {
        self.usb.begin(now, &self.host, &mut self.fw.buffers, self.upload.busy_until(), &self.par);
    }
    /// Runs the qdiscs while the netdev queues are awake: voice first (`ieee80211_wake_queues` goes by queue number).
    fn pull(&mut self, now: Time, acs: &[Ac], q: &mut Q, sink: &mut Sink<'_>) {
        for &ac in acs {
            while self.host.awake() {
                let Some((p, to, tid)) = q.pull(now, ac, sink) else { break };
                self.take(now, p, to, tid);
            }
        }
    }
    /// The host is interrupted.
    fn interrupt(&mut self, now: Time, q: &mut Q, sink: &mut Sink<'_>) {
        self.usb.interrupt(now);
        while let Some(what) = self.usb.inbox.pop_front() {
            match what {
                Inbox::Request => {
                    let host = &mut self.host;
                    self.usb.completed(|s| host.sent(now, s));
                    self.usb.fill(&mut self.host, &self.par);
                    self.begin(now);
                }
                Inbox::Status(e) => {
                    for &(s, ok) in &e.status[..usize::from(e.n)] {
                        self.host.status(s, ok, sink);
                    }
                    self.wake_queues(now, q, sink);
                }
                Inbox::Frames(n) => self.upload.take(n, &mut self.up),
            }
        }
    }
    fn wake_queues(&mut self, now: Time, q: &mut Q, sink: &mut Sink<'_>) {
        if self.host.wake(&self.par) {
            self.pull(now, &Ac::ALL, q, sink);
        }
    }
    /// Does everything that is due.
    fn on(&mut self, now: Time, q: &mut Q, sink: &mut Sink<'_>) {
        loop {
            if self.usb.due <= now {
                let (slot, last) = self.usb.arrived();
                // The device has a copy of its own: a late status can free the skb of another frame in the same slot.
                self.fw.take_in(now, slot, *self.host.frame(slot), &self.par);
                if last {
                    self.usb.post(now, Inbox::Request, &self.par);
                }
                self.begin(now);
            } else if self.fw.due <= now {
                let freed = self.fw.step(now, &self.par);
                for (s, ok) in self.fw.lost.drain(..) {
                    self.host.lost(s, ok);
                }
                if freed {
                    self.begin(now);
                }
            } else if self.fw.poll <= now {
                let e = self.fw.fetch(now);
                self.usb.post(now, Inbox::Status(e), &self.par);
            } else if self.upload.due(&self.par) <= now {
                let n = self.upload.ready(now, &self.par);
                self.usb.post(now, Inbox::Frames(n), &self.par);
            } else if self.usb.irq <= now {
                self.interrupt(now, q, sink);
            } else if self.cleanup <= now {
                self.cleanup = Time::NEVER;
                self.host.cleanup(now, &self.timer, &self.par, sink);
                self.wake_queues(now, q, sink);
            } else {
                break;
            }
        }
    }
    /// Asks to be called when the next thing is due.
    fn arm(&mut self, now: Time, sink: &mut Sink<'_>) {
        if self.cleanup.is_never() && self.host.held() > 0 {
            self.cleanup = self.timer.after(now, &self.par);
        }
        let due = self.wake_at();
        if due < self.armed {
            self.armed = due;
            sink.wants.push((due.max(now), Lane::Completion, 0));
        }
    }
}

impl<Q: Above> Device for Ath9kHtc<Q> {
    type Queues = Q;

    fn wake(&mut self, now: Time, _to: StaIx, tid: Tid, q: &mut Q, sink: &mut Sink<'_>) {
        self.pull(now, &[Ac::of(tid)], q, sink);
        self.arm(now, sink);
    }
    fn head(&self, ac: Ac) -> Option<&Burst> {
        self.fw.tids.head(ac)
    }
    fn done(&mut self, now: Time, ac: Ac, report: &Report, q: &mut Q, sink: &mut Sink<'_>) {
        let host = &mut self.host;
        self.fw.hardware_done(now, ac, report, &self.par, |s| host.landed(s));
        self.on(now, q, sink);
        self.arm(now, sink);
    }
    fn timer(&mut self, now: Time, _tag: u32, q: &mut Q, sink: &mut Sink<'_>) {
        if now >= self.armed {
            self.armed = Time::NEVER;
        }
        self.on(now, q, sink);
        self.arm(now, sink);
    }
    /// Packets that the driver holds and that the receiver has not: a frame's skb outlives its way through the air by the way
    /// of its status. What was received and is not yet with the host's stack is [`Ath9kHtc::held_up`].
    fn held(&self) -> u64 {
        u64::from(self.host.owed())
    }
}
