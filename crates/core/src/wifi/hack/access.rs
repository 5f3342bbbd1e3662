//! The AP's driver: takes opaque bytes from transmit reports and from flushes, restores TCP ACKs, and marks its frames.
//!
//! Stands for: thesis section 3.3.3.1 (the AP) and the rules of [`super`].

use super::ap::Ap;
use super::client::{Mark, NATIVES};
use super::fields::Flows;
use crate::sim::{Packet, Time};
use wavetank_rohc::ack::LONGEST;
use wavetank_rohc::{Decompressor, PureAck, Refused};

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
        let rohc = Decompressor::remembering(NATIVES);
        Access { ap: Ap::new(), rohc, repair: false, told: false, restored: 0, refused: 0 }
    }
}

impl Access {
    /// The mark of the frame that is about to be sent.
    pub fn mark(&mut self, more_data: bool) -> Mark {
        self.told = self.repair;
        Mark { heard: self.ap.mark(), repair: self.repair, more_data }
    }
    /// A pure ACK came natively.
    pub fn native(&mut self, p: &Packet, flows: &Flows) {
        let mut bytes = [0; LONGEST];
        if let Some(n) = flows.of(p).and_then(|f| f.write(p, &mut bytes)) {
            self.rohc.native(&bytes[..n]);
        }
    }
    /// A chain came: on a response to the latest frame, or in a flush. `up` gets what is new of it. No bytes: a bare response.
    pub fn chain(&mut self, now: Time, bytes: &[u8], response: bool, flows: &Flows, mut up: impl FnMut(&Packet)) {
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
            let packet = restored.and_then(|r| {
                let ack = PureAck::parse(&r.header).map_err(|_| Refused::Crc)?;
                let flow = flows.named(&ack.flow).ok_or(Refused::NoContext)?;
                Ok(flow.read(now, &r.header, &ack))
            });
            match packet {
                Ok(p) => {
                    self.restored += 1;
                    up(&p);
                }
                Err(_) => {
                    self.refused += 1;
                    self.repair = true;
                }
            }
        }
    }
    /// Forgets all contexts.
    #[cfg(test)]
    pub fn forget(&mut self) {
        self.rohc = Decompressor::remembering(NATIVES);
    }
    /// One past the newest number that was taken.
    pub fn taken(&self) -> u64 {
        self.ap.taken()
    }
}
