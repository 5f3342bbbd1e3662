//! The USB side of the host: one request in flight, its transfer over the bus, and the controller's interrupts.
//!
//! Stands for: Linux 6.12 drivers/net/wireless/ath/ath9k/hif_usb.c hif_usb_send_tx, __hif_usb_tx, hif_usb_tx_cb;
//! drivers/usb/host/xhci*.c (interrupt moderation); USB 2.0 chapter 5.
//!
//! Eight requests are allocated, but a frame is only sent at once if all eight are free, and otherwise a request leaves when
//! one completes: so one is in flight at a time. It carries what has gathered meanwhile, up to 20 frames. A device without a
//! free buffer refuses (NAK), and the request waits in the middle.
//!
//! Differs: D1 a frame's bus time is its bytes' share of a microframe, without rounding to packets; D2 downloads and uploads
//! share the bus evenly, seen from the moment a frame's transfer begins; D3 host software takes no time here (see `host`).

use super::host::{Host, Slot};
use super::params::{Params, out_bytes};
use crate::sim::Time;
use std::collections::VecDeque;

/// The request in flight, and the interrupt line.
#[derive(Debug)]
pub(super) struct Usb {
    /// Its frames, all of them.
    request: Vec<Slot>,
    /// How many have arrived, or are arriving.
    begun: usize,
    /// When the one that is arriving has arrived.
    pub due: Time,
    /// When the controller interrupts next.
    pub irq: Time,
    last_irq: Option<Time>,
    /// What the interrupt will find, in the order of the bus.
    pub inbox: VecDeque<Inbox>,
}

/// What the host finds when it is interrupted.
#[derive(Debug)]
pub(super) enum Inbox {
    /// The request is complete.
    Request,
    /// A status event.
    Status(super::firmware::Event),
    /// Uploaded frames.
    Frames(u16),
}

impl Usb {
    pub fn new(par: &Params) -> Usb {
        Usb {
            request: Vec::with_capacity(usize::from(par.urb_frames)),
            begun: 0,
            due: Time::NEVER,
            irq: Time::NEVER,
            last_irq: None,
            inbox: VecDeque::with_capacity(64),
        }
    }
    /// Frames of the request in flight.
    pub fn frames(&self) -> usize {
        self.request.len()
    }
    /// Which they are.
    #[cfg(test)]
    pub fn carries(&self) -> &[Slot] {
        &self.request
    }
    /// No request is in flight.
    pub fn idle(&self) -> bool {
        self.request.is_empty()
    }
    /// Fills a request from the skb queue, if there is none in flight.
    pub fn fill(&mut self, host: &mut Host, par: &Params) {
        if !self.idle() {
            return;
        }
        let mut bytes = 0;
        while self.request.len() < usize::from(par.urb_frames) {
            let Some(&s) = host.skbs.front() else { break };
            bytes += out_bytes(host.frame(s).p.ip_len(), host.encryption);
            if bytes > par.urb_bytes && !self.request.is_empty() {
                break;
            }
            host.skbs.pop_front();
            self.request.push(s);
        }
        self.begun = 0;
    }
    /// Begins the next frame's transfer, if one waits and the device has a buffer for it.
    pub fn begin(&mut self, now: Time, host: &Host, buffers: &mut u8, in_busy: Time, par: &Params) {
        if !self.due.is_never() || self.begun == self.request.len() || *buffers == 0 {
            return;
        }
        *buffers -= 1;
        let alone = par.bus_time(out_bytes(host.frame(self.request[self.begun]).p.ip_len(), host.encryption));
        self.begun += 1;
        self.due = now + alone + in_busy.since(now).min(alone);
    }
    /// The frame that was arriving has arrived. The second value: it was the request's last.
    pub fn arrived(&mut self) -> (Slot, bool) {
        self.due = Time::NEVER;
        (self.request[self.begun - 1], self.begun == self.request.len())
    }
    /// Downloads occupy the bus until then, as far as is known.
    pub fn busy_until(&self, now: Time) -> Time {
        if self.due.is_never() { now } else { self.due }
    }
    /// The completed request's frames, one at a time, the first first; afterwards the request is free.
    pub fn completed(&mut self, mut each: impl FnMut(Slot)) {
        self.request.drain(..).for_each(&mut each);
        self.begun = 0;
    }
    /// Something happened on the bus that the host is to be told.
    pub fn post(&mut self, now: Time, what: Inbox, par: &Params) {
        self.inbox.push_back(what);
        let free = self.last_irq.map_or(Time::ZERO, |t| t + par.host_irq);
        self.irq = self.irq.min(now.max(free));
    }
    /// The controller interrupts.
    pub fn interrupt(&mut self, now: Time) {
        self.irq = Time::NEVER;
        self.last_irq = Some(now);
    }
}
