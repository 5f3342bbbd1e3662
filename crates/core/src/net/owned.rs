//! Who owns a socket, and what waits for it meanwhile: what [`owners`](super::owners) remember of each.

use crate::sim::Time;
use crate::tcp::Backlog;

/// What a program is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum At {
    /// It does not own the socket.
    #[default]
    Nothing,
    /// It is about to look for the first time, when the connection is new.
    Opens,
    /// It copies what is there; it has the first skb at that time.
    Copies { first: Time },
    /// It writes.
    Writes,
    /// It takes out of the backlog, one by one, and then does this.
    Takes { then: Then },
    /// It has said what it has read, and lets go.
    Leaves,
}

/// What a program does when its backlog is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Then {
    /// Look for what else there is to read.
    Read,
    /// Write on.
    Write,
    /// Let go.
    Leave(Who),
}

/// Who lets go of a socket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Who {
    Reader,
    /// A writer that waits for room.
    Writer,
    /// A writer whose call returns, and who makes the next one.
    Caller,
}

/// Who owns a socket, and what waits for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Owned {
    pub(super) at: At,
    /// Bytes that the reader's call has copied.
    pub(super) copied: u32,
    pub(super) backlog: Backlog,
}

impl Owned {
    /// A program owns the socket: packets, timers and TSQ's tasklet wait until it lets go.
    /// src: linux@6.12 net/ipv4/tcp_timer.c tcp_delack_timer, tcp_compressed_ack_kick, tcp_write_timer; tcp_output.c tcp_tsq_handler, tcp_release_cb
    #[inline]
    pub(super) fn is_owned(&self) -> bool {
        !matches!(self.at, At::Nothing | At::Opens)
    }

    /// The reader's call has copied so many bytes more. A call that never finds its socket empty, on a way without a limit, copies more than can be counted.
    pub(super) fn adds(&mut self, bytes: u32) {
        self.copied = self.copied.saturating_add(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_copies_without_an_end_has_copied_enough() {
        let mut owned = Owned::default();
        owned.adds(u32::MAX - 1);
        owned.adds(1448);
        assert_eq!(owned.copied, u32::MAX);
    }
}
