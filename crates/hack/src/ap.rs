//! The AP: what it says of the responses, and which of the riding ACKs are new.

/// An AP's side for one station.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Ap {
    heard: bool,
    taken: u64,
}

impl Ap {
    /// Of a station that has just associated.
    pub fn new() -> Ap {
        Ap::default()
    }
    /// The mark of the frame that is about to be sent. Until its own response comes, none has.
    pub fn mark(&mut self) -> bool {
        core::mem::take(&mut self.heard)
    }
    /// A response to the latest frame came, or a flush. `[first, end)` ride; returns the first that is new.
    /// A first above what was taken would be a gap: the station confirmed what had not come.
    pub fn takes(&mut self, first: u64, end: u64, response: bool) -> Result<u64, Gap> {
        self.heard |= response;
        if first > self.taken {
            return Err(Gap { expected: self.taken, first });
        }
        let new = self.taken.min(end);
        self.taken = self.taken.max(end);
        Ok(new)
    }
    /// One past the newest that was taken.
    pub fn taken(&self) -> u64 {
        self.taken
    }
}

/// Numbers that never came.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Gap {
    /// The next in order.
    pub expected: u64,
    /// What came.
    pub first: u64,
}
