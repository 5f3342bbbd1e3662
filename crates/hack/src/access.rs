//! The AP's driver: takes opaque bytes from transmit reports and from flushes, restores TCP ACKs, and marks its frames.
//!
//! Stands for: thesis section 3.3.3.1 (the AP) and the rules of the crate.

use super::ap::Ap;
use super::client::{Mark, NATIVES};
use wavetank_rohc::{Decompressor, Header, PureAck, Refused};

/// Native ACKs that are remembered a flow: a window's that were on their way when a context was opened, and those that pass its first
/// packets while these wait, for a response that is not lost or in a flush: 40 ms of a link of 600 Mbit/s.
const REMEMBERED: usize = 16 * NATIVES;

/// The AP's side for one station.
pub struct Access {
    ap: Ap,
    rohc: Decompressor,
    /// Something could not be restored, and the station has not been told for sure.
    repair: bool,
    /// The latest frame told it.
    told: bool,
    /// ACKs that were restored.
    pub restored: u64,
    /// ACKs that could not be.
    pub refused: u64,
}

impl Default for Access {
    /// Of a station that has just associated.
    fn default() -> Access {
        let rohc = Decompressor::remembering(REMEMBERED);
        Access { ap: Ap::new(), rohc, repair: false, told: false, restored: 0, refused: 0 }
    }
}

impl Access {
    /// The mark of the frame that is about to be sent.
    pub fn mark(&mut self, more_data: bool) -> Mark {
        self.told = self.repair;
        Mark { heard: self.ap.mark(), repair: self.repair, more_data }
    }
    /// A pure ACK came natively; `header` are its bytes.
    pub fn native(&mut self, header: &[u8]) {
        self.rohc.native(header);
    }
    /// A chain came: on a response to the latest frame, or in a flush. `up` gets what is new of it, and says whether it knows the flow.
    /// No bytes: a bare response.
    pub fn chain(&mut self, bytes: &[u8], response: bool, mut up: impl FnMut(&Header, &PureAck) -> bool) {
        if response && self.told {
            self.repair = false;
        }
        let taken = self.ap.taken();
        let Some((&low, mut rest)) = bytes.split_first() else {
            let _ = self.ap.takes(taken, taken, response);
            return;
        };
        // The chain's first is at most 240 behind what was taken, and never ahead.
        let first = taken - u64::from((taken as u8).wrapping_sub(low));
        let mut end = first;
        let mut walk = rest;
        while let (false, Some(next)) = (walk.is_empty(), Decompressor::skip(walk)) {
            (walk, end) = (next, end + 1);
        }
        let new = self.ap.takes(first, end, response).expect("a chain begins with what is not confirmed");
        for n in first..end {
            if n < new {
                rest = Decompressor::skip(rest).unwrap_or(&[]);
                continue;
            }
            let (restored, next) = self.rohc.next(rest);
            rest = next;
            let known = restored.and_then(|r| {
                let ack = PureAck::parse(&r.header).map_err(|_| Refused::Crc)?;
                if up(&r.header, &ack) { Ok(()) } else { Err(Refused::NoContext) }
            });
            match known {
                Ok(()) => self.restored += 1,
                Err(_) => {
                    self.refused += 1;
                    self.repair = true;
                    self.rohc.close_all();
                }
            }
        }
    }
    /// Forgets all contexts, as an AP that was started anew.
    pub fn forget(&mut self) {
        self.rohc = Decompressor::remembering(REMEMBERED);
    }
    /// One past the newest number that was taken.
    pub fn taken(&self) -> u64 {
        self.ap.taken()
    }
}
