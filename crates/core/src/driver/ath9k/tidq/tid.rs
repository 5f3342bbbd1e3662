//! The driver's own queue of one (peer, TID): frames from above, and before them those that go again.
//!
//! Stands for: linux@3.18 drivers/net/wireless/ath/ath9k/xmit.c `struct ath_atx_tid` (buf_q, retry_q), ath_tx_get_tid_subframe.
//! The queue is looked into, not taken from, until a frame fits: unlike with TXQs, what does not fit or lies beyond the window
//! stays where it is, and its number with it.

use super::super::tid::{TidState, counted};
use crate::driver::holds::TidHeld;
use crate::wifi::burst::DELIMITER;
use crate::wifi::{Framing, Mpdu, Seq, StaIx, Tid};
use std::collections::VecDeque;

/// One (peer, TID).
#[derive(Clone, Debug)]
pub(super) struct SwTid {
    /// Window, retries, BARs.
    pub state: TidState,
    /// A BAR that was not answered: sent again after the next acknowledged frame (mac80211's `bar_pending`).
    pub bar_failed: Option<Seq>,
    /// Frames from above (`buf_q`).
    queue: VecDeque<Mpdu>,
    /// The first of them has its number (`ath_tx_setup_buffer`).
    numbered: bool,
    /// What it would take on the air: frames from above and those that go again, with delimiters (`bytes_in_tid`).
    size: Load,
    /// What the discipline above knows, where it listens.
    pub told: Told,
}

/// Frames and bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    n: u16,
    bytes: u32,
}

/// Between an AAQ above and this queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    /// It was told to PAUSE.
    pub paused: bool,
    /// It has said with the last frame that more of this station follow.
    pub more: bool,
    /// Bytes of an aggregate at most at the present rate (`bytes_allowed`).
    pub allowed: u32,
    /// Length of the last frame from above.
    pub len: u16,
}

/// What a frame takes in an aggregate: delimiter, frame, padding.
fn subframe(m: &Mpdu) -> u32 {
    (DELIMITER + u32::from(m.len)).next_multiple_of(4)
}

impl SwTid {
    pub fn new(to: StaIx, tid: Tid, active: bool, window: u16, framing: Framing) -> SwTid {
        SwTid {
            state: TidState::new(to, tid, active, window, framing),
            bar_failed: None,
            queue: VecDeque::new(),
            numbered: false,
            size: Load::default(),
            told: Told::default(),
        }
    }
    /// Whether there are frames in it, or announced.
    pub fn has_more(&self) -> bool {
        !self.queue.is_empty() || !self.state.retry.is_empty() || self.told.more
    }
    /// A frame from above.
    pub fn push(&mut self, m: Mpdu) {
        self.count(&m);
        self.queue.push_back(m);
    }
    /// Frames that go again.
    pub fn again(&mut self, failed: impl Iterator<Item = Mpdu>) {
        for m in failed {
            self.count(&m);
            self.state.retry.push_back(m);
        }
    }
    fn count(&mut self, m: &Mpdu) {
        self.size.n += 1;
        self.size.bytes += subframe(m);
    }
    /// The discipline above may go on: another frame like the last would still fit into the aggregate of `frames` that this queue
    /// makes, in which a first one always fits, and the Block Ack window has room for the next number.
    pub fn has_room(&self, frames: u16) -> bool {
        let bytes = self.size.bytes + DELIMITER + u32::from(self.told.len);
        let fits = self.size.n == 0 || self.size.n < frames && bytes <= self.told.allowed;
        fits && self.state.window.allows(self.state.window.next())
    }
    /// More frames for it come at once (`dont_sched_yet`).
    pub const fn waits(&self) -> bool {
        self.told.more && !self.told.paused
    }
    /// Whether it holds frames (`ath_tid_has_buffered`).
    pub fn buffers(&self) -> bool {
        !self.queue.is_empty() || !self.state.retry.is_empty()
    }
    /// The next frame, numbered, if it lies within the window.
    pub fn head(&mut self) -> Option<&Mpdu> {
        if self.state.retry.is_empty() && !self.numbered {
            let first = self.queue.front_mut()?;
            first.seq = self.state.window.assign();
            self.numbered = true;
        }
        let m = self.state.retry.front().or(self.queue.front())?;
        (!self.state.active || self.state.window.allows(m.seq)).then_some(m)
    }
    /// Takes what [`SwTid::head`] shows; it counts in the window from now on.
    pub fn take(&mut self) -> Option<Mpdu> {
        let m = match self.state.retry.pop_front() {
            Some(m) => m,
            None => {
                self.numbered = false;
                self.queue.pop_front()?
            }
        };
        self.size.n -= 1;
        self.size.bytes -= subframe(&m);
        if self.state.active {
            self.state.window.open(m.seq);
        }
        Some(m)
    }
    /// Frames that the last BAR has told the receiver to give up go to `ended`; answers how many.
    pub fn skip_given_up(&mut self, ended: &mut Vec<Mpdu>) -> u16 {
        let mut n = 0;
        while let Some(bar) = self.state.bar {
            let Some(seq) = self.head().map(|m| m.seq).filter(|s| self.state.active && s.before(bar)) else { break };
            let m = self.take().expect("there is a head");
            self.state.settle(seq);
            ended.push(m);
            n += 1;
        }
        n
    }
    /// What it holds.
    pub fn holds(&self) -> TidHeld {
        let (t, fresh) = (self.state.holds(), self.queue.len() as u32);
        TidHeld { fresh, packets: t.packets + fresh, paused: t.paused || self.bar_failed.is_some(), ..t }
    }
    /// Packets that it holds, as they are counted for conservation.
    pub fn held(&self) -> u64 {
        self.queue.len() as u64 + self.state.retry.iter().map(counted).sum::<u64>()
    }
}
