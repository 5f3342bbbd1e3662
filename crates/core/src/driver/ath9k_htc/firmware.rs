//! The device's CPU: one loop that takes frames from USB, then completes and forms transmit units, then reports.
//!
//! Stands for: open-ath9k-htc-firmware target_firmware/magpie_fw_dev/target/init/init.c wlan_task (the loop), hif
//! _HIFusb_isr_handler (USB first, until nothing is left), wlan/if_owl.c owl_tgt_tx_tasklet (complete, schedule, and only
//! then send the statuses), ath_tx_status_get (two events' worth of statuses a pass; what is beyond is never reported).
//!
//! The loop does one thing at a time, so an aggregate's completion, the forming of the next and the frames that come by USB
//! share one CPU of 117 MHz, and the radio is idle from the end of one exchange to the end of the next forming.
//!
//! Differs: D1 a pass's effects come at its end; D2 which work comes first is decided when work comes to an idle CPU, not when
//! the loop's turn ends.

use super::host::{Frame, Slot};
use super::params::{MICROFRAME, Params};
use super::tids::{Settled, Tids, Unit};
use crate::phy::Mode;
use crate::sim::{Span, Time};
use crate::wifi::{Ac, Report};
use std::collections::VecDeque;

/// Status events that one pass of the tasklet can fill. src: fw wlan/if_athvar.h tx_status[2]
const EVENTS_A_PASS: usize = 2;
/// The most statuses in an event.
pub(super) const STATUSES: usize = 12;

/// A TX status event (WMI_TXSTATUS_EVENT).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Event {
    pub n: u8,
    pub status: [(Slot, bool); STATUSES],
}

/// What the CPU is busy with.
#[derive(Debug)]
enum Job {
    Idle,
    /// Handles a frame from USB.
    Receive(Slot, Frame),
    /// Completes a unit.
    Complete(Ac, Unit, Report),
    /// Forms the next unit of this category, or sends a frame at once.
    Form(Ac, Unit),
    /// Writes the statuses into events.
    Report,
}

/// The device, but for its receive side.
#[derive(Debug)]
pub(super) struct Firmware {
    pub tids: Tids,
    /// Free transmit buffers.
    pub buffers: u8,
    /// Frames that came by USB and wait for the CPU.
    inbox: VecDeque<(Slot, Frame)>,
    /// Units that the hardware is done with.
    done: VecDeque<(Ac, Unit, Report)>,
    job: Job,
    /// Since when the loop turns idly.
    idle: Time,
    /// When the CPU is done with its job.
    pub due: Time,
    settled: Settled,
    /// Units that are yet to be formed for one that was completed.
    forms: u8,
    /// Events that the host has not fetched.
    events: VecDeque<Event>,
    /// Statuses that found no room in an event, and of frames that an agreement's end discarded; the driver frees those frames by its timeout.
    pub lost: Vec<(Slot, bool)>,
    /// When the first of them is fetched: at a microframe's begin, one a microframe.
    pub poll: Time,
}

impl Firmware {
    pub fn new(par: &Params, stations: usize, mode: Mode) -> Firmware {
        let room = usize::from(par.target_buffers);
        Firmware {
            tids: Tids::new(par, stations, mode),
            buffers: par.target_buffers,
            inbox: VecDeque::with_capacity(room),
            done: VecDeque::with_capacity(room),
            job: Job::Idle,
            idle: Time::ZERO,
            due: Time::NEVER,
            settled: Settled { statuses: Vec::with_capacity(2 * room), ..Settled::default() },
            forms: 0,
            events: VecDeque::with_capacity(usize::from(par.status_events)),
            lost: Vec::with_capacity(2 * room),
            poll: Time::NEVER,
        }
    }
    /// A frame has come by USB; its buffer was taken when its transfer began.
    pub fn take_in(&mut self, now: Time, slot: Slot, frame: Frame, par: &Params) {
        self.inbox.push_back((slot, frame));
        self.next(now, par);
    }
    /// The hardware is done with the first unit of `ac`. `landed` is told of each slot whose packet the receiver has.
    pub fn hardware_done(&mut self, now: Time, ac: Ac, r: &Report, par: &Params, mut landed: impl FnMut(Slot)) {
        let u = self.tids.done(ac);
        u.slots.iter().enumerate().filter(|&(k, _)| r.received.has(k)).for_each(|(_, s)| landed(*s));
        self.done.push_back((ac, u, *r));
        self.next(now, par);
    }
    fn start(&mut self, now: Time, job: Job, takes: Span) {
        self.job = job;
        self.due = now + takes;
    }
    /// If the CPU is idle, it turns to what its loop finds first.
    fn next(&mut self, now: Time, par: &Params) {
        if !matches!(self.job, Job::Idle) {
            return;
        }
        // Inside the tasklet: what completed since is taken along, and the statuses come last.
        let in_tasklet = !self.settled.statuses.is_empty();
        // What comes to an idle loop is noticed when its turn ends; what waits already, at once.
        let turns = (now - self.idle).ns().div_euclid(par.cpu_turn.ns())
            + i64::from((now - self.idle).ns() % par.cpu_turn.ns() > 0);
        let now = self.idle + par.cpu_turn * turns;
        if !in_tasklet {
            if let Some((s, f)) = self.inbox.pop_front() {
                return self.start(now, Job::Receive(s, f), par.cpu_frame);
            }
        }
        if let Some((ac, u, r)) = self.done.pop_front() {
            let n = u.burst.mpdus.len() as i64;
            return self.start(now, Job::Complete(ac, u, r), par.cpu_ppdu + par.cpu_frame * n);
        }
        if in_tasklet {
            let events = self.settled.statuses.len().div_ceil(usize::from(par.status_frames)).min(EVENTS_A_PASS);
            self.start(now, Job::Report, par.cpu_frame * events as i64);
        }
    }
    /// The CPU is done with its job. True if buffers were freed.
    pub fn step(&mut self, now: Time, par: &Params) -> bool {
        self.due = Time::NEVER;
        self.idle = now;
        let before = self.buffers;
        match core::mem::replace(&mut self.job, Job::Idle) {
            Job::Idle => {}
            Job::Receive(s, f) => {
                // It looks for a rate as for an aggregate (ath_tgt_tx_send_normal), but puts the frame into none.
                if let Some(u) = self.tids.receive(s, &f.p, f.to, f.tid) {
                    self.start(now, Job::Form(u.burst.ac, u), par.cpu_ppdu);
                }
            }
            Job::Complete(ac, u, r) => {
                self.forms = self.tids.complete(ac, u, &r, par, &mut self.settled);
                self.buffers += core::mem::take(&mut self.settled.buffers);
                self.lost.append(&mut self.settled.discarded);
                self.form(now, ac, par);
            }
            Job::Form(ac, u) => {
                self.tids.push(ac, u);
                self.form(now, ac, par);
            }
            Job::Report => self.report(now, par),
        }
        self.next(now, par);
        self.buffers != before
    }
    /// Begins to form a unit for one that was completed.
    fn form(&mut self, now: Time, ac: Ac, par: &Params) {
        while self.forms > 0 {
            self.forms -= 1;
            if let Some(u) = self.tids.form(ac, par) {
                let n = u.burst.mpdus.len() as i64;
                return self.start(now, Job::Form(ac, u), par.cpu_ppdu + par.cpu_frame * n);
            }
        }
    }
    fn report(&mut self, now: Time, par: &Params) {
        for (i, part) in self.settled.statuses.chunks(usize::from(par.status_frames)).enumerate() {
            if i < EVENTS_A_PASS && self.events.len() < usize::from(par.status_events) {
                let mut e = Event { n: part.len() as u8, ..Event::default() };
                e.status[..part.len()].copy_from_slice(part);
                self.events.push_back(e);
            } else {
                self.lost.extend_from_slice(part);
            }
        }
        self.settled.statuses.clear();
        if self.poll.is_never() && !self.events.is_empty() {
            self.poll = next_microframe(now);
        }
    }
    /// Frames that wait for the CPU.
    pub fn waiting(&self) -> usize {
        self.inbox.len()
    }
    /// Events that the host has not fetched.
    pub fn unfetched(&self) -> usize {
        self.events.len()
    }
    /// The host fetches the first event.
    pub fn fetch(&mut self, now: Time) -> Event {
        let e = self.events.pop_front().expect("an event is due");
        self.poll = if self.events.is_empty() { Time::NEVER } else { now + MICROFRAME };
        e
    }
}

/// The begin of the next microframe.
fn next_microframe(now: Time) -> Time {
    let m = MICROFRAME.ns() as u64;
    Time::from_ns((now.ns() / m + 1) * m)
}
