//! The programs of a host, by what wakes them, and how long one has the CPU: what [`sched`](super::sched) remembers of each host.

use super::event::Event;
use crate::sim::Span;
use std::collections::VecDeque;

/// A program reads the clock so long: before what a reader or a writer sends, and between two packets that a writer hands down, which are
/// therefore behind what the softirqs that woke it sent, at the next queue, too.
/// src: linux@6.12 net/ipv4/tcp_input.c tcp_rcv_space_adjust, tcp_output.c tcp_write_xmit: tcp_mstamp_refresh
pub(super) const STEP: Span = Span::from_ns(256);

/// A host's programs, each by the event that it is to act on.
#[derive(Clone, Default)]
pub(super) struct Programs {
    pub(super) runs: Option<Event>,
    pub(super) waiting: VecDeque<Event>,
}

impl Programs {
    /// One is woken. True: it has the CPU.
    pub(super) fn wake(&mut self, event: Event) -> bool {
        if self.runs.is_some() {
            self.waiting.push_back(event);
            return false;
        }
        self.runs = Some(event);
        true
    }

    /// Whoever had it waits for something; the next one has it.
    pub(super) fn next(&mut self) -> Option<Event> {
        self.runs = self.waiting.pop_front();
        self.runs
    }
}
