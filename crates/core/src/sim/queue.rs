//! The event queue: events leave in the order of time, then lane, then the order in which they were put in.
//!
//! The order is total, so equal times never depend on a heap's whims. Nothing is cancelled: an event that may be stale
//! carries a generation, or its owner looks at its own deadline when called.

use super::time::Time;
use dary_heap::QuaternaryHeap;

/// What goes first among events of one instant. Lower goes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Lane {
    /// A frame or packet arrives.
    Arrival = 0,
    /// A device is done with something (completion interrupts).
    Completion = 1,
    /// A host does deferred work (softirqs, the TSQ tasklet).
    Softirq = 2,
    /// A timer of a protocol or a queueing discipline fires.
    Timer = 3,
    /// A station's access to the medium is decided.
    Medium = 4,
    /// An application or a traffic generator acts.
    App = 5,
    /// Somebody looks at the world: after everything else of the instant.
    Sample = 6,
}

struct Entry<E> {
    key: u128,
    event: E,
}
impl<E> PartialEq for Entry<E> {
    fn eq(&self, o: &Self) -> bool {
        self.key == o.key
    }
}
impl<E> Eq for Entry<E> {}
impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, o: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(o))
    }
}
impl<E> Ord for Entry<E> {
    fn cmp(&self, o: &Self) -> core::cmp::Ordering {
        o.key.cmp(&self.key) // the heap is a maximum heap; the earliest key is the greatest
    }
}

/// Events in the order of (time, lane, insertion).
pub struct EventQueue<E> {
    heap: QuaternaryHeap<Entry<E>>,
    now: Time,
    seq: u64,
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        EventQueue { heap: QuaternaryHeap::with_capacity(1024), now: Time::ZERO, seq: 0 }
    }
}

impl<E> EventQueue<E> {
    /// The instant of the last event taken out.
    pub fn now(&self) -> Time {
        self.now
    }
    /// Events put in so far.
    pub fn scheduled(&self) -> u64 {
        self.seq
    }
    /// Events that wait.
    pub fn len(&self) -> usize {
        self.heap.len()
    }
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
    /// Puts `event` at `at`. Panics if `at` is in the past: a stage that asks for that is broken.
    pub fn push(&mut self, at: Time, lane: Lane, event: E) {
        assert!(at >= self.now, "an event at {at:?} was asked for at {:?}", self.now);
        // 56 bits of sequence: enough for 10^16 events.
        let key = (u128::from(at.ns()) << 64) | (u128::from(lane as u8) << 56) | u128::from(self.seq);
        self.seq += 1;
        self.heap.push(Entry { key, event });
    }
    /// When the next event is due, if there is one.
    pub fn peek(&self) -> Option<Time> {
        self.heap.peek().map(|e| Time::from_ns((e.key >> 64) as u64))
    }
    /// Takes the next event out if it is due at or before `end`.
    pub fn pop_until(&mut self, end: Time) -> Option<(Time, E)> {
        if self.peek()? > end {
            return None;
        }
        let e = self.heap.pop()?;
        self.now = Time::from_ns((e.key >> 64) as u64);
        Some((self.now, e.event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_leave_by_lane_then_by_insertion() {
        let mut q = EventQueue::default();
        let t = Time::from_us(1);
        q.push(t, Lane::Timer, "timer");
        q.push(t, Lane::Arrival, "first");
        q.push(Time::from_us(2), Lane::Arrival, "later");
        q.push(t, Lane::Arrival, "second");
        let all: Vec<_> = core::iter::from_fn(|| q.pop_until(Time::NEVER)).map(|x| x.1).collect();
        assert_eq!(all, ["first", "second", "timer", "later"]);
        assert_eq!(q.now(), Time::from_us(2));
    }

    #[test]
    #[should_panic(expected = "was asked for at")]
    fn the_past_is_closed() {
        let mut q = EventQueue::default();
        q.push(Time::from_us(2), Lane::App, ());
        q.pop_until(Time::NEVER);
        q.push(Time::from_us(1), Lane::App, ());
    }
}
