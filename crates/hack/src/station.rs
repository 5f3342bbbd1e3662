//! The station: which ACKs wait for a response to ride on, and when they are done with.

use alloc::collections::VecDeque;

/// How a station learns that its response was heard.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Confirmation {
    /// The AP's mark says so.
    Marked,
    /// A frame that is not a repetition says so. Only true where the AP never gives up.
    Implicit,
}

/// A frame from the AP, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Incoming {
    /// The AP's mark.
    pub heard: bool,
    /// It is a Block Ack request, or holds an MPDU that had been received before.
    pub repeats: bool,
    /// The AP has more for this station.
    pub more_data: bool,
}

/// What the response to a frame carries, and what is to be done beside it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Riding {
    /// Number of the first ACK that rides.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Queue a flush: nothing is promised that these could ride on.
    pub flush: bool,
}

/// A station's chain for one AP. `T` is whatever stands for a compressed ACK.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Station<T> {
    confirmation: Confirmation,
    chain: VecDeque<T>,
    /// Number of the chain's first.
    first: u64,
    /// One past the last that the NIC holds: the race of thesis section 3.3.3.1.
    in_nic: u64,
    /// One past the last that rode on the latest response.
    rode: u64,
    /// One past the last that ever rode or went into a flush: what has not may still be taken back.
    committed: u64,
    more_data: bool,
}

impl<T: Copy> Station<T> {
    /// Newly associated.
    pub fn new(confirmation: Confirmation) -> Station<T> {
        Station { confirmation, chain: VecDeque::new(), first: 0, in_nic: 0, rode: 0, committed: 0, more_data: false }
    }
    /// TCP made an ACK that could be compressed, and the policy lets it wait: with MORE DATA latched there will be a response to ride
    /// on; without, somebody must take it back in time. Its number.
    pub fn hold(&mut self, ack: T) -> u64 {
        self.chain.push_back(ack);
        self.first + self.chain.len() as u64 - 1
    }
    /// Takes back what has neither ridden nor gone into a flush, oldest first: it goes natively. Their numbers are given again.
    pub fn take_back(&mut self, mut each: impl FnMut(T)) {
        let keep = self.committed.saturating_sub(self.first) as usize;
        self.chain.drain(keep.min(self.chain.len())..).for_each(&mut each);
        self.in_nic = self.in_nic.min(self.end());
    }
    /// The driver has given the NIC everything up to here.
    pub fn loaded(&mut self, end: u64) {
        self.in_nic = self.in_nic.max(end);
    }
    /// A frame came of which at least one MPDU (or the request) was understood; it is answered now. `fits` is asked of each ACK
    /// that could ride, oldest first, until it says no.
    /// `done` is told of each that is confirmed now.
    pub fn ppdu(&mut self, frame: Incoming, mut fits: impl FnMut(&T) -> bool, done: impl FnMut(T)) -> Riding {
        let confirmed = match self.confirmation {
            Confirmation::Marked => frame.heard,
            Confirmation::Implicit => !frame.repeats,
        };
        if confirmed {
            self.confirm(self.rode, done);
        }
        let there = self.in_nic.saturating_sub(self.first) as usize;
        self.rode = self.first + self.chain.iter().take(there).take_while(|&t| fits(t)).count() as u64;
        self.committed = self.committed.max(self.rode);
        self.more_data = frame.more_data;
        Riding { first: self.first, end: self.rode, flush: !frame.more_data && !self.chain.is_empty() }
    }
    /// A flush with everything that is unconfirmed is queued. One past its last.
    pub fn flush(&mut self) -> u64 {
        self.committed = self.end();
        self.committed
    }
    /// The oldest that has neither ridden nor gone into a flush.
    pub fn fresh(&self) -> Option<&T> {
        self.chain.get(self.committed.saturating_sub(self.first) as usize)
    }
    /// How many are unconfirmed.
    pub fn len(&self) -> usize {
        self.chain.len()
    }
    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.chain.is_empty()
    }
    /// How many of the unconfirmed the NIC holds.
    pub fn in_nic(&self) -> usize {
        self.in_nic.saturating_sub(self.first) as usize
    }
    /// A flush with all up to here was acknowledged; `done` is told of each that this confirms.
    pub fn flushed(&mut self, end: u64, done: impl FnMut(T)) {
        self.confirm(end, done);
    }
    /// Unconfirmed ACKs, with the number of the first.
    pub fn unconfirmed(&self) -> (u64, impl Iterator<Item = T>) {
        (self.first, self.chain.iter().copied())
    }
    /// One past the newest in the chain.
    pub fn end(&self) -> u64 {
        self.first + self.chain.len() as u64
    }
    /// Everything before this is known to have arrived.
    pub fn confirmed(&self) -> u64 {
        self.first
    }
    /// Whether the AP promised more.
    pub fn more_data(&self) -> bool {
        self.more_data
    }
    fn confirm(&mut self, end: u64, mut done: impl FnMut(T)) {
        while self.first < end {
            let Some(t) = self.chain.pop_front() else { break };
            self.first += 1;
            done(t);
        }
    }
}
