//! The receiving side of a station's mac80211: duplicates, reorder buffers by (peer, TID), their timers.
//!
//! Stands for: Linux net/mac80211/rx.c ieee80211_rx_h_check_dup, ieee80211_rx_reorder_ampdu, ieee80211_rx_h_ctrl.

use crate::sim::{Owner, Packet, Place, Reason, Span, Time};
use crate::wifi::medium::Arrival;
use crate::wifi::reorder::{self, Reorder};
use crate::wifi::{Burst, Seq, StaIx, Tid, What};

/// A buffer with its timer.
struct Buffer {
    reorder: Reorder,
    /// When the timer will fire; never if it is off.
    armed: Time,
}

/// One station's receiving side.
pub struct Receiver {
    /// By peer and TID; made when first needed.
    buffers: Vec<Option<Box<Buffer>>>,
    timeout: Span,
}

/// What an arrival was to the receiver.
pub(super) struct Got {
    /// Which MPDUs it had not had before.
    pub fresh: u64,
    /// A timer is wanted: when, and for which buffer.
    pub timer: Option<(Time, u16)>,
}

impl Receiver {
    pub(super) fn new(peers: usize, p: &reorder::Params) -> Receiver {
        Receiver { buffers: (0..peers * Tid::COUNT).map(|_| None).collect(), timeout: p.timeout }
    }

    /// A PPDU came.
    pub(super) fn arrived(
        &mut self,
        now: Time,
        b: &Burst,
        a: &Arrival,
        mut up: impl FnMut(&Packet),
        dropped: &mut Vec<(Packet, Place, Reason)>,
    ) -> Got {
        let mut fresh = 0;
        let index = a.from.ix() * Tid::COUNT + b.tid.ix();
        let bar = matches!(b.what, What::Bar(_));
        if !b.agreement && !bar {
            for (i, (m, more)) in b.msdus().enumerate() {
                let bit = a.decoded & 1 << i;
                if bit != 0 && !m.received && a.before & bit == 0 {
                    fresh |= bit;
                    up(&m.packet);
                    more.iter().for_each(&mut up);
                }
            }
            return Got { fresh, timer: None };
        }
        let timeout = self.timeout;
        // An agreement begins with number 0: see driver::ath9k, D4.
        let buffer = self.buffers[index].get_or_insert_with(|| {
            Box::new(Buffer { reorder: Reorder::new(Seq::default(), 64, timeout), armed: Time::NEVER })
        });
        if let What::Bar(start) = b.what {
            buffer.reorder.bar(start, &mut up); // the timer stays as it is
            return Got { fresh, timer: None };
        }
        for (i, (m, more)) in b.msdus().enumerate() {
            let bit = a.decoded & 1 << i;
            if bit == 0 {
                continue;
            }
            let taken = buffer.reorder.put(now, m.seq, &m.packet, more, &mut up);
            if m.received || a.before & bit != 0 {
                debug_assert!(!taken, "a duplicate was taken for new");
                continue;
            }
            fresh |= bit;
            if !taken {
                // Too late: the window has moved on. The sender's own copy is what its socket is charged for.
                for p in core::iter::once(&m.packet).chain(more) {
                    dropped.push((Packet { owner: Owner::NONE, ..*p }, Place::Wifi, Reason::Stale));
                }
            }
        }
        Got { fresh, timer: buffer.arm().map(|at| (at, index as u16)) }
    }

    /// The timer of buffer `i`; answers when it wants to be called again.
    pub(super) fn timer(&mut self, now: Time, i: u16, mut up: impl FnMut(&Packet)) -> Option<Time> {
        let b = self.buffers[usize::from(i)].as_mut().expect("the timer of a buffer that is in use");
        b.armed = Time::NEVER;
        b.reorder.expire(now, &mut up);
        b.arm()
    }

    /// Packets of `peer` and `tid` held back.
    pub(super) fn behind(&self, peer: StaIx, tid: Tid) -> u32 {
        self.buffers[peer.ix() * Tid::COUNT + tid.ix()].as_ref().map_or(0, |b| b.reorder.held())
    }
    /// Packets held back.
    pub fn held(&self) -> u32 {
        self.buffers.iter().flatten().map(|b| b.reorder.held()).sum()
    }
}

impl Buffer {
    fn arm(&mut self) -> Option<Time> {
        let due = self.reorder.due()?;
        if due >= self.armed {
            return None; // it fires early and looks again
        }
        self.armed = due;
        Some(due)
    }
}
