//! The receiving side of a station's mac80211: duplicates, reorder buffers by (peer, TID), their timers. mt76 has buffers of its own.
//!
//! Behind the driver, which hands frames up as they came.
//!
//! Stands for: Linux net/mac80211/rx.c ieee80211_rx_h_check_dup, ieee80211_rx_reorder_ampdu, ieee80211_rx_h_ctrl;
//! drivers/net/wireless/mediatek/mt76/mac80211.c mt76_rx_poll_complete.

use crate::driver::mt76;
use crate::sim::{Bitmap, Owner, Packet, Place, Reason, Span, Time};
use crate::wifi::came::Frame;
use crate::wifi::medium::Arrival;
use crate::wifi::reorder::{self, Reorder};
use crate::wifi::{Burst, Came, Seq, StaIx, Tid};

/// Whose buffer it is.
enum Order {
    Mac80211(Reorder),
    Mt76(mt76::reorder::Reorder),
}

/// A buffer with its timer.
struct Buffer {
    order: Order,
    /// When the timer will fire; never if it is off.
    armed: Time,
}

/// One station's receiving side.
pub struct Receiver {
    /// By peer and TID; made when first needed.
    buffers: Vec<Option<Box<Buffer>>>,
    /// By peer: MPDUs of a Block Ack window.
    windows: Vec<u16>,
    timeout: Span,
    /// Ticks a second.
    hz: u32,
    /// Its driver has buffers of its own.
    mt76: bool,
}

impl Receiver {
    /// Of a station whose Block Ack windows with each peer are so wide, on a host with `hz` ticks a second; `mt76`: its driver has buffers of its own.
    pub(super) fn new(windows: Vec<u16>, p: &reorder::Params, hz: u32, mt76: bool) -> Receiver {
        let buffers = (0..windows.len() * Tid::COUNT).map(|_| None).collect();
        Receiver { buffers, windows, timeout: p.timeout, hz, mt76 }
    }

    /// Which of the MPDUs of `b` that were decoded its receiver had not had before.
    pub(super) fn fresh(b: &Burst, a: &Arrival) -> Bitmap {
        let had = b.mpdus.iter().enumerate().filter(|(_, m)| m.received).map(|(i, _)| i);
        a.decoded.without(a.before).without(had.collect())
    }

    /// The frames of a PPDU, which is no BAR, as the card gets them, each with the part of the airtime that was left behind it, in `n`-ths: MPDUs come
    /// evenly. `came` makes of a packet what comes, where the card puts it.
    #[inline]
    pub(super) fn frames(
        b: &Burst,
        a: &Arrival,
        fresh: Bitmap,
        mut came: impl FnMut(u16, &Packet, Frame, Option<bool>),
    ) {
        let n = b.mpdus.len();
        let (whole, last) = (a.decoded.has(n - 1), a.decoded.highest());
        for (i, (m, more)) in b.msdus().enumerate().filter(|&(i, _)| a.decoded.has(i)) {
            let (mut frame, more) = match (fresh.has(i), b.agreement) {
                (false, _) => (Frame::Duplicate, &[][..]),
                (true, false) => (Frame::Plain, more),
                (true, true) => (Frame::Numbered(m.seq), more),
            };
            let behind = (n - 1 - i) as u16;
            let ends = |msdu: usize| (last == Some(i) && msdu == more.len()).then_some(whole);
            // One call, so that what becomes of a frame stands in this loop.
            let (mut p, mut msdu) = (&m.packet, 0);
            loop {
                came(behind, p, frame, ends(msdu));
                let Some(next) = more.get(msdu) else { break };
                frame = if b.agreement { Frame::Further } else { Frame::Plain };
                (p, msdu) = (next, msdu + 1);
            }
        }
    }

    /// The driver hands a frame of one MSDU to mac80211. True: it goes up at once, as most do, and nothing else is to be done. Else nothing
    /// is done yet, and [`Receiver::take`] takes it.
    #[inline]
    pub(super) fn take_next(&mut self, c: &Came) -> bool {
        let Frame::Numbered(seq) = c.frame else { return false };
        match self.buffers[c.from.ix() * Tid::COUNT + c.tid.ix()].as_mut().map(|b| &mut b.order) {
            Some(Order::Mac80211(r)) => r.take_next(seq),
            _ => false,
        }
    }

    /// The driver hands a frame to mac80211, and the further MSDUs that came in it: what may go on goes `up`. Answers when a buffer's timer is
    /// wanted, and which buffer's.
    pub(super) fn take(
        &mut self,
        now: Time,
        c: &Came,
        more: &[Packet],
        mut up: impl FnMut(&Packet),
        dropped: &mut Vec<(Packet, Place, Reason)>,
    ) -> Option<(Time, u16)> {
        let index = c.from.ix() * Tid::COUNT + c.tid.ix();
        if self.buffers[index].is_none() && matches!(c.frame, Frame::Bar(_) | Frame::Numbered(_)) {
            self.begin(index, c);
        }
        match c.frame {
            Frame::Plain | Frame::Further => up(&c.p),
            Frame::Duplicate => {}
            Frame::Bar(start) => self.buffers[index].as_mut()?.bar(start, &mut up), // the timer stays as it is
            Frame::Numbered(seq) => {
                let buffer = self.buffers[index].as_mut()?;
                if !buffer.put(now, seq, &c.p, more, &mut up) {
                    // Too late: the window has moved on. The sender's own copy is what its socket is charged for.
                    for p in core::iter::once(&c.p).chain(more) {
                        dropped.push((Packet { owner: Owner::NONE, ..*p }, Place::Wifi, Reason::Stale));
                    }
                }
                return buffer.arm().map(|at| (at, index as u16));
            }
        }
        None
    }

    /// The buffer of an agreement that a frame was the first to come under. An agreement begins with number 0: see driver::ath9k, D4.
    #[cold]
    #[inline(never)]
    fn begin(&mut self, index: usize, c: &Came) {
        let (size, hz) = (self.windows[c.from.ix()], self.hz);
        let order = match self.mt76 {
            false => Order::Mac80211(Reorder::new(Seq::default(), size, self.timeout, hz)),
            true => Order::Mt76(mt76::reorder::Reorder::new(Seq::default(), size, c.tid, hz)),
        };
        self.buffers[index] = Some(Box::new(Buffer { order, armed: Time::NEVER }));
    }

    /// The timer of buffer `i`; answers when it wants to be called again.
    pub(super) fn timer(&mut self, now: Time, i: u16, mut up: impl FnMut(&Packet)) -> Option<Time> {
        let b = self.buffers[usize::from(i)].as_mut().expect("the timer of a buffer that is in use");
        b.armed = Time::NEVER;
        b.expire(now, &mut up);
        b.arm()
    }

    /// Packets of `peer` and `tid` held back.
    pub(super) fn behind(&self, peer: StaIx, tid: Tid) -> u32 {
        self.buffers[peer.ix() * Tid::COUNT + tid.ix()].as_ref().map_or(0, |b| b.held())
    }
    /// Packets held back.
    pub fn held(&self) -> u32 {
        self.buffers.iter().flatten().map(|b| b.held()).sum()
    }
}

impl Buffer {
    #[inline]
    fn put(&mut self, now: Time, seq: Seq, p: &Packet, more: &[Packet], up: &mut impl FnMut(&Packet)) -> bool {
        match &mut self.order {
            Order::Mac80211(r) => r.put(now, seq, p, more, up),
            Order::Mt76(r) => r.put(now, seq, p, more, up),
        }
    }
    fn bar(&mut self, start: Seq, up: &mut impl FnMut(&Packet)) {
        match &mut self.order {
            Order::Mac80211(r) => r.bar(start, up),
            Order::Mt76(r) => r.bar(start, up),
        }
    }
    fn expire(&mut self, now: Time, up: &mut impl FnMut(&Packet)) {
        match &mut self.order {
            Order::Mac80211(r) => r.expire(now, up),
            Order::Mt76(r) => r.expire(now, up),
        }
    }
    fn held(&self) -> u32 {
        match &self.order {
            Order::Mac80211(r) => r.held(),
            Order::Mt76(r) => r.held(),
        }
    }
    #[inline]
    fn due(&self) -> Option<Time> {
        match &self.order {
            Order::Mac80211(r) => r.due(),
            Order::Mt76(r) => r.due(),
        }
    }
    #[inline]
    fn arm(&mut self) -> Option<Time> {
        let due = self.due()?;
        if due >= self.armed {
            return None; // it fires early and looks again
        }
        self.armed = due;
        Some(due)
    }
}
