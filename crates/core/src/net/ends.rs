//! Sockets in their places, and what flows are made of.

use super::owned::Owned;
use crate::sim::{NodeId, Time};
use crate::tcp::Socket;

/// A socket, where it lives, and the timer that is set for it.
pub(super) struct Sock {
    pub(super) socket: Socket,
    pub(super) node: NodeId,
    pub(super) wake: Time,
    /// The program that reads from it has been woken.
    pub(super) reads: bool,
    /// The program that writes to it has been woken, or was interrupted.
    pub(super) writes: bool,
    /// What a program that owns it is at, where packets take its host no time.
    pub(super) owned: Owned,
}

impl Sock {
    /// Whether it asks for an event that it has not: its program is to write, a timer is due earlier than the one that is set, or an `fq` looks
    /// its rate up.
    #[inline]
    pub(super) fn asks(&self) -> bool {
        let s = &self.socket;
        s.wake_at() < self.wake || (s.writer_wakes() && !self.writes) || s.rate_for_fq().is_some()
    }
}

/// What a flow is made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ends {
    /// A TCP connection: the socket that connects, the one that listens, and which of them sends.
    Tcp {
        /// Connects.
        client: u16,
        /// Listens.
        server: u16,
        /// Has the data.
        sender: u16,
    },
    /// A UDP flood.
    Udp(u16),
    /// A series of echoes.
    Echo(u16),
}

impl Ends {
    /// The socket that connects.
    pub(super) const fn client(&self) -> Option<u16> {
        if let Ends::Tcp { client, .. } = *self { Some(client) } else { None }
    }
}
