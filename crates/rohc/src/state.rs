//! What both sides remember of a flow: the last few ACKs, as far as the next one is coded against them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::ack::PureAck;

/// How a host numbers its packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IpId {
    /// One more each packet of the flow.
    Counts,
    /// Always the same.
    Stays,
    /// Sent each time.
    Any,
}

impl IpId {
    pub fn bits(self) -> u8 {
        self as u8
    }
    pub fn from_bits(bits: u8) -> Option<IpId> {
        [IpId::Counts, IpId::Stays, IpId::Any].get(usize::from(bits)).copied()
    }
}

/// An ACK, its place in the epoch, and what was learnt of the flow's habits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    pub msn: u32,
    pub ack: PureAck,
    /// Bytes between acknowledgement numbers; 0: not known.
    pub stride: u16,
    pub ip_id: IpId,
}

impl State {
    /// An epoch's ground: a native ACK.
    pub fn ground(ack: PureAck) -> State {
        State { msn: 0, ack, stride: 0, ip_id: IpId::Counts }
    }
    /// The IP identification that would not need to be sent.
    pub fn expected_ip_id(&self, msn: u32) -> Option<u16> {
        match self.ip_id {
            IpId::Counts => Some(self.ack.ip_id.wrapping_add(msn.wrapping_sub(self.msn) as u16)),
            IpId::Stays => Some(self.ack.ip_id),
            IpId::Any => None,
        }
    }
}

/// How many lost packets in a row a code survives, plus one: the states it is made against. src: RFC 4995 4.5.2
pub const WINDOW: usize = 4;

/// The last [`WINDOW`] states, newest last.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    states: [State; WINDOW],
    n: usize,
}

impl Window {
    pub fn new(ground: State) -> Window {
        Window { states: [ground; WINDOW], n: 1 }
    }
    pub fn push(&mut self, s: State) {
        if self.n < WINDOW {
            self.states[self.n] = s;
            self.n += 1;
        } else {
            self.states.rotate_left(1);
            self.states[WINDOW - 1] = s;
        }
    }
    pub fn last(&self, most: usize) -> &[State] {
        &self.states[self.n.saturating_sub(most)..self.n]
    }
    pub fn newest(&self) -> &State {
        &self.states[self.n - 1]
    }
}

/// What names a native ACK in an opening packet: FNV-1a over its header.
pub fn name(header: &[u8]) -> u32 {
    header.iter().fold(0x811c_9dc5, |h, &b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

/// One a CID, made where they stay: a kernel's stack would not hold them.
pub fn each<T: Default>() -> Box<[T; 256]> {
    let all: Vec<T> = (0..256).map(|_| T::default()).collect();
    all.into_boxed_slice().try_into().ok().expect("256 were made")
}
