//! What a driver and the hardware below it hold: for whoever looks at a run's state. No algorithm reads it.
//!
//! Stands for: what linux@6.12 drivers/net/wireless/ath/ath9k/debug.c (`read_file_queues`), debug_sta.c (`read_file_node_aggr`) and
//! htc_drv_debug.c (`read_file_queue`, `read_file_slot`) show.

use crate::sim::Named;
use crate::wifi::{Ac, Burst, StaIx, Tid, TxWindow};

/// A hardware queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HwQueue {
    /// Units in it: aggregates, single frames, Block Ack requests (`axq_depth`).
    pub units: u32,
    /// Of these, units under an agreement that are no probes (`axq_ampdu_depth`).
    pub agreements: u32,
    /// MPDUs in them.
    pub mpdus: u32,
    /// Packets in them that their receiver has not got.
    pub packets: u32,
}

impl HwQueue {
    /// Of these units.
    pub fn of<'a>(units: impl Iterator<Item = &'a Burst>) -> HwQueue {
        let mut q = HwQueue::default();
        for b in units {
            q.units += 1;
            q.agreements += u32::from(b.agreement && !b.probe);
            q.mpdus += b.mpdus.len() as u32;
            q.packets += b.mpdus.iter().filter(|m| !m.received).map(|m| 1 + u32::from(m.more)).sum::<u32>();
        }
        q
    }
}

/// What is kept for a (peer, TID), and its Block Ack window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TidHeld {
    /// The peer.
    pub to: StaIx,
    /// The TID.
    pub tid: Tid,
    /// A Block Ack agreement stands.
    pub agreement: bool,
    /// The lowest number that is not settled (`seq_start`).
    pub start: u16,
    /// The number that the next new MPDU gets (`seq_next`).
    pub next: u16,
    /// The window's width (`baw_size`).
    pub size: u16,
    /// Numbers from `start` on that were handed out: the last that is open, and those before it (`baw_tail - baw_head`).
    pub open: u16,
    /// Packets that came from above and have no number yet.
    pub fresh: u32,
    /// MPDUs with a number that wait: failed ones, and what did not fit.
    pub retry: u32,
    /// Packets of both that their receiver has not got.
    pub packets: u32,
    /// A BAR is out, and it waits.
    pub paused: bool,
}

impl TidHeld {
    /// An empty one with this window.
    pub fn of(to: StaIx, tid: Tid, agreement: bool, w: &TxWindow) -> TidHeld {
        TidHeld {
            to,
            tid,
            agreement,
            start: w.start().get(),
            next: w.next().get(),
            size: w.size(),
            open: w.handed_out(),
            fresh: 0,
            retry: 0,
            packets: 0,
            paused: false,
        }
    }
    /// Whether it was ever used.
    pub const fn is_used(&self) -> bool {
        self.next != 0 || self.start != 0 || self.fresh + self.retry > 0
    }
}

/// A driver and its hardware.
#[derive(Clone, Debug, Default)]
pub struct Holds {
    /// Hardware queues, voice first.
    pub hardware: [HwQueue; Ac::COUNT],
    /// Every (peer, TID) that was used.
    pub tids: Vec<TidHeld>,
    /// The driver's own numbers.
    pub counts: Named,
}
