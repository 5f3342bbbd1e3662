//! The AP's driver (`wavetank_hack::Access`), in the model's packets.

use super::fields::Flows;
use crate::sim::{Packet, Time};
use wavetank_hack::Mark;
use wavetank_rohc::ack::LONGEST;

/// The AP's side for one station.
#[derive(Default)]
pub struct Access(wavetank_hack::Access);

impl Access {
    /// The mark of the frame that is about to be sent.
    pub fn mark(&mut self, more_data: bool) -> Mark {
        self.0.mark(more_data)
    }
    /// A pure ACK came natively.
    pub fn native(&mut self, p: &Packet, flows: &Flows) {
        let mut bytes = [0; LONGEST];
        if let Some(n) = flows.of(p).and_then(|f| f.write(p, &mut bytes)) {
            self.0.native(&bytes[..n]);
        }
    }
    /// A chain came: on a response to the latest frame, or in a flush. `up` gets what is new of it. No bytes: a bare response.
    pub fn chain(&mut self, now: Time, bytes: &[u8], response: bool, flows: &Flows, mut up: impl FnMut(&Packet)) {
        self.0.chain(bytes, response, |header, ack| {
            let Some(flow) = flows.named(&ack.flow) else { return false };
            up(&flow.read(now, header, ack));
            true
        });
    }
    /// Forgets all contexts.
    #[cfg(test)]
    pub fn forget(&mut self) {
        self.0.forget();
    }
    /// One past the newest number that was taken.
    pub fn taken(&self) -> u64 {
        self.0.taken()
    }
    /// ACKs that were restored.
    pub fn restored(&self) -> u64 {
        self.0.restored
    }
    /// ACKs that could not be.
    pub fn refused(&self) -> u64 {
        self.0.refused
    }
}
