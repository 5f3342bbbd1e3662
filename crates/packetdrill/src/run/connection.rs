//! The connections of a script: one is in hand, the one that a call names or that packets are for; the others wait, and their time passes too.

use super::asked::Asked;
use super::ready::Look;
use super::{Run, Stop, skip};
use crate::link::{Link, Qdisc};
use crate::wire::Wire;
use std::collections::VecDeque;
use wavetank_core::sim::{Packet, Time};
use wavetank_core::tcp::{Queue, Socket, State};

/// How far a program has come with a socket (`sock->state`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// `SS_UNCONNECTED`.
    Unconnected,
    /// `SS_CONNECTING`; `deferred`: the SYN waits for the first write (`TCP_FASTOPEN_CONNECT`).
    Connecting { deferred: bool },
    /// `SS_CONNECTED`.
    Connected,
}

/// A socket, what it was told before it had a connection, and the device below it.
#[derive(Debug)]
pub(super) struct Conn {
    pub sock: Option<Socket>,
    pub link: Link,
    pub wire: Wire,
    /// What left, until the script looks at it.
    pub seen: VecDeque<(Time, Packet)>,
    pub asked: Asked,
    /// `shutdown` of receiving and of sending.
    pub shut: (bool, bool),
    /// What was last seen of the socket.
    pub look: Look,
    pub stage: Stage,
    /// It has a port: by `bind`, or because it listens.
    pub bound: bool,
    /// The request of a fast opening is kept (`fastopen_req`): another one is refused.
    pub keeps_request: bool,
    /// Of a listener: those that begin at once.
    pub queue: Queue,
    /// It came to this listener.
    pub listener: Option<usize>,
    /// Its descriptor is closed.
    pub closed: bool,
    /// A program has accepted it.
    pub taken: bool,
    /// Pages that the packets took which came since somebody spliced, at most.
    pub pages_in: u32,
}

impl Conn {
    pub(super) fn new(qdisc: Qdisc, wire: &Wire) -> Conn {
        Conn {
            sock: None,
            link: Link::new(qdisc),
            wire: wire.clone(),
            seen: VecDeque::new(),
            asked: Asked::default(),
            shut: (false, false),
            look: Look::default(),
            stage: Stage::Unconnected,
            bound: false,
            keeps_request: false,
            queue: Queue::default(),
            listener: None,
            closed: false,
            taken: false,
            pages_in: 0,
        }
    }
    /// When it has something to do next.
    pub(super) fn next(&self) -> Time {
        self.sock.as_ref().map_or(Time::NEVER, Socket::wake_at).min(self.link.next())
    }
    /// Its handshake is through, or it began before that, or it has ended.
    pub(super) fn open(&self) -> bool {
        self.sock
            .as_ref()
            .is_some_and(|s| !matches!(s.state(), State::Listen | State::SynSent | State::SynRecv) || s.began_at_once())
    }
    /// It waits for its first write.
    pub(super) fn deferred(&self) -> bool {
        self.stage == Stage::Connecting { deferred: true }
    }
}

impl Run<'_> {
    /// Takes a connection in hand.
    pub(super) fn take(&mut self, id: usize) {
        if id != self.hand {
            let next = self.others.remove(&id).expect("it waits");
            self.others.insert(self.hand, std::mem::replace(&mut self.c, next));
            self.hand = id;
        }
    }
    /// A new one, in hand.
    pub(super) fn new_connection(&mut self) -> Result<usize, Stop> {
        let busy = |c: &Conn| !c.link.is_empty();
        if busy(&self.c) || self.others.values().any(busy) {
            return skip("a second connection while the device holds packets of the first");
        }
        let id = self.others.keys().max().map_or(self.hand, |&m| m.max(self.hand)) + 1;
        let new = Conn::new(self.setup.qdisc, &self.wire);
        self.others.insert(id, new);
        self.take(id);
        Ok(id)
    }
    /// The connection that packets are for, and assertions about, is the one in hand.
    pub(super) fn test_this(&mut self) {
        self.under_test = Some(self.hand);
        // What others sent is of no interest any more.
        self.others.values_mut().for_each(|c| c.seen.clear());
    }
    /// One that a listener can give to a program: what was given up before its handshake was through is gone.
    pub(super) fn acceptable(&self, listener: usize) -> Option<usize> {
        let opened = |c: &Conn| c.sock.as_ref().is_some_and(Socket::has_opened);
        let fits = |c: &Conn| c.listener == Some(listener) && !c.taken && c.open() && opened(c);
        let of = |(id, c): (&usize, &Conn)| fits(c).then_some(*id);
        self.others.iter().find_map(of).or_else(|| fits(&self.c).then_some(self.hand))
    }
    /// The one that has something to do first, and when.
    pub(super) fn earliest(&self) -> (Time, usize) {
        let first = (self.c.next(), self.hand);
        self.others.iter().map(|(id, c)| (c.next(), *id)).fold(first, |a, b| if b.0 < a.0 { b } else { a })
    }
}
