//! Channels on which several interfaces of a file listened, and what they heard of the same: counted, not merged (media.rs, D3).

use crate::frame::{Frame, Kind, Mac};
use serde::Serialize;
use std::collections::{HashMap, VecDeque};

/// Frames of a channel that are remembered, to be found again on another interface.
const RECENT: usize = 1 << 14;
/// Two interfaces stamp a frame no further apart than that, ns: clocks of several hosts, and what a host takes to hand it up.
const APART: u64 = 100_000_000;

/// A channel on which several interfaces listened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shared {
    /// Its centre frequency.
    pub mhz: u16,
    /// Who listened.
    pub interfaces: Vec<u32>,
    /// Data and management frames on it since the second one listened, each counted once, and those of them that several heard.
    pub frames: u64,
    /// See `frames`.
    pub by_several: u64,
}

/// Who heard a frame last, when, and whether another had before.
struct Heard {
    interface: u32,
    time: u64,
    several: bool,
}

/// What tells a frame from others: its ends, TID and number, its length, and whether it is sent again.
type Key = (Mac, Mac, Option<u8>, u16, u32, bool);

/// A channel of several interfaces.
pub(super) struct Channel {
    pub(super) shared: Shared,
    recent: HashMap<Key, Heard>,
    /// Their keys, the oldest first.
    order: VecDeque<Key>,
}

impl Channel {
    pub(super) fn new(mhz: u16, interfaces: Vec<u32>) -> Channel {
        let shared = Shared { mhz, interfaces, frames: 0, by_several: 0 };
        Channel { shared, recent: HashMap::new(), order: VecDeque::new() }
    }

    /// A frame on it: what has no number of its own, or came damaged, is like others and tells nothing.
    pub(super) fn frame(&mut self, f: &Frame) {
        let (Some(ta), false, Kind::Data | Kind::Beacon | Kind::Management) = (f.ta, f.bad, f.kind) else { return };
        let key = (ta, f.ra, f.tid, f.seq, f.len, f.retry);
        match self.recent.get_mut(&key) {
            Some(h) if h.interface != f.interface && h.time.abs_diff(f.time) <= APART => {
                self.shared.by_several += u64::from(!h.several);
                h.several = true;
            }
            known => {
                self.shared.frames += 1;
                let heard = Heard { interface: f.interface, time: f.time, several: false };
                if let Some(h) = known {
                    *h = heard;
                    return;
                }
                let oldest = if self.order.len() == RECENT { self.order.pop_front() } else { None };
                if let Some(oldest) = oldest {
                    self.recent.remove(&oldest);
                }
                self.order.push_back(key);
                self.recent.insert(key, heard);
            }
        }
    }
}
