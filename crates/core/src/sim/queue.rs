//! The event queue: events leave in the order of time, then lane, then the order in which they were put in; timers that count jiffies the last
//! one first.
//!
//! The order is total, so equal times never depend on a heap's whims. Nothing is cancelled: an event that may be stale
//! carries a generation, or its owner looks at its own deadline when called.

use super::time::Time;
use dary_heap::QuaternaryHeap;

/// What goes first among events of one instant. Lower goes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Lane {
    /// A timer of a protocol that counts jiffies fires: the tick's softirq goes before all others.
    /// src: linux@6.12 include/linux/interrupt.h `TIMER_SOFTIRQ` < `NET_TX_SOFTIRQ` < `NET_RX_SOFTIRQ` < `TASKLET_SOFTIRQ` <
    /// `HRTIMER_SOFTIRQ`; kernel/softirq.c handle_softirqs. Of one jiffy the last that was set goes first, so that those which set
    /// themselves again take turns. src: linux@6.12 kernel/time/timer.c enqueue_timer (`hlist_add_head`), expire_timers
    Jiffies = 0,
    /// A queueing discipline's watchdog: all that are due have sent before anything of it is received.
    Watchdog = 1,
    /// A frame or packet arrives.
    Arrival = 2,
    /// A device is done with something (completion interrupts).
    Completion = 3,
    /// A host does deferred work (softirqs).
    Softirq = 4,
    /// A host's tasklets (TSQ's): a softirq of their own, after those that send and receive.
    Tasklet = 5,
    /// A driver's worker that softirqs have woken: it finds what TSQ's tasklet has sent.
    Worker = 6,
    /// A host goes on with what one round of softirqs has left. src: linux@6.12 kernel/softirq.c handle_softirqs (restart)
    Again = 7,
    /// A timer of a protocol fires that does not count jiffies (pacing, compressed ACKs), or is of a BSS.
    Timer = 8,
    /// A station's access to the medium is decided.
    Medium = 9,
    /// A program goes on that softirqs have interrupted.
    Program = 10,
    /// An application or a traffic generator acts.
    App = 11,
    /// Somebody looks at the world: after everything else of the instant.
    Sample = 12,
}

/// What waits in the heap.
#[derive(Clone, Copy)]
struct Entry<E> {
    time: u64,
    rank: u64,
    event: E,
}
impl<E> Entry<E> {
    fn key(&self) -> (u64, u64) {
        (self.time, self.rank)
    }
}
impl<E> PartialEq for Entry<E> {
    fn eq(&self, o: &Self) -> bool {
        self.key() == o.key()
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
        o.key().cmp(&self.key()) // the heap is a maximum heap; the earliest key is the greatest
    }
}

/// When it is an event's turn: after all that leave before it by time, lane and insertion.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    at: Time,
    rank: u64,
}

impl Due {
    /// Its instant.
    #[inline]
    pub const fn at(self) -> Time {
        self.at
    }
}

/// Which of two is later, by time and rank. Times are seldom equal, and ranks are looked at only then.
#[inline]
const fn later(a: (u64, u64), b: (u64, u64)) -> bool {
    a.0 > b.0 || (a.0 == b.0 && a.1 > b.1)
}

/// Events at the near end at most. When it is full, the later half moves to the heap.
const NEAR: usize = 32;

/// Events in the order of (time, lane, insertion).
///
/// Nearly every event is among the next few when it is put in (a host's next packet, a frame on a wire); the few others are timers,
/// most of them tens of milliseconds away. So the next few stand in a short sorted row, where putting in and taking out touch one or two
/// entries, and the rest in a heap behind it. Whatever the load, an entry moves past at most `NEAR` others.
///
/// `E` had better be one word: entries are moved soon after they were written, and a processor stalls where it must gather a wide load
/// from several narrow stores. As an enum that was written field by field, events cost a quarter of a whole run.
#[derive(Clone)]
pub struct EventQueue<E> {
    /// The row: the earliest events, the earliest of all last. Three arrays, so that each move is of one word.
    time: [u64; NEAR],
    /// Lane and insertion.
    rank: [u64; NEAR],
    /// As long as the other two from the first event on.
    event: Vec<E>,
    /// How many stand in it.
    near: usize,
    /// All others: none is earlier than one of the row.
    far: QuaternaryHeap<Entry<E>>,
    /// Time and rank of the first in `far`; what is earlier goes to the row.
    bound: (u64, u64),
    now: Time,
    seq: u64,
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        EventQueue {
            time: [0; NEAR],
            rank: [0; NEAR],
            event: Vec::with_capacity(NEAR),
            near: 0,
            far: QuaternaryHeap::with_capacity(256),
            bound: (u64::MAX, u64::MAX),
            now: Time::ZERO,
            seq: 0,
        }
    }
}

impl<E: Copy> EventQueue<E> {
    /// The instant of the last event taken out.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }
    /// Events put in so far.
    pub fn scheduled(&self) -> u64 {
        self.seq
    }
    /// Events that wait.
    pub fn len(&self) -> usize {
        self.near + self.far.len()
    }
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.near == 0
    }
    /// Puts `event` at `at`. Panics if `at` is in the past: a stage that asks for that is broken.
    // The lane is known where it is called, so that most of the turn is put together by the compiler.
    #[inline(always)]
    pub fn push(&mut self, at: Time, lane: Lane, event: E) {
        let due = self.due(at, lane);
        self.push_due(due, event);
    }
    /// The turn of an event at `at` that is told of now, and may be put in later or not at all.
    #[inline(always)]
    pub fn due(&mut self, at: Time, lane: Lane) -> Due {
        // 56 bits of insertion: enough for 10^16 events.
        let order = if matches!(lane, Lane::Jiffies) { !self.seq & (u64::MAX >> 8) } else { self.seq };
        self.seq += 1;
        Due { at, rank: u64::from(lane as u8) << 56 | order }
    }
    /// Puts `event` in at its turn.
    pub fn push_due(&mut self, due: Due, event: E) {
        assert!(due.at >= self.now, "an event at {:?} was asked for at {:?}", due.at, self.now);
        let key = (due.at.ns(), due.rank);
        if self.near == self.event.len() || later(key, self.bound) {
            self.put_far(key, event);
        } else {
            self.put_near(key, event);
        }
    }
    /// Whether an event of this turn, which is not in the queue, is the next and due at or before `end`. If so, its instant has come, as if it
    /// had been put in and taken out.
    #[inline]
    pub fn comes_next(&mut self, due: Due, end: Time) -> bool {
        let next = match self.near.checked_sub(1) {
            Some(i) => later((self.time[i], self.rank[i]), (due.at.ns(), due.rank)),
            None => true,
        };
        let comes = next && due.at <= end;
        if comes {
            self.now = due.at;
        }
        comes
    }
    /// Into the row, which has room.
    #[inline]
    fn put_near(&mut self, key: (u64, u64), event: E) {
        let (time, rank, events) = (&mut self.time, &mut self.rank, &mut self.event[..NEAR]);
        let mut i = self.near;
        assert!(i < NEAR, "the row has room"); // said once, it need not be looked at with every move
        self.near += 1;
        while i > 0 && !later((time[i - 1], rank[i - 1]), key) {
            (time[i], rank[i], events[i]) = (time[i - 1], rank[i - 1], events[i - 1]);
            i -= 1;
        }
        (time[i], rank[i], events[i]) = (key.0, key.1, event);
    }
    /// To the heap, or into a row that is full or was never used.
    #[inline(never)]
    fn put_far(&mut self, key: (u64, u64), event: E) {
        if self.event.is_empty() {
            self.event.resize(NEAR, event);
        }
        if self.near == NEAR {
            self.spill();
        }
        if later(key, self.bound) {
            self.far.push(Entry { time: key.0, rank: key.1, event });
        } else {
            self.put_near(key, event);
        }
    }
    /// The later half of the row goes to the heap.
    #[cold]
    #[inline(never)]
    fn spill(&mut self) {
        let half = NEAR / 2;
        for i in 0..half {
            self.far.push(Entry { time: self.time[i], rank: self.rank[i], event: self.event[i] });
        }
        self.bound = (self.time[half - 1], self.rank[half - 1]);
        self.time.copy_within(half.., 0);
        self.rank.copy_within(half.., 0);
        self.event.copy_within(half.., 0);
        self.near = half;
    }
    /// The row is empty: takes the next few from the heap.
    #[inline(never)]
    fn refill(&mut self) {
        let n = self.far.len().min(NEAR / 4);
        for i in (0..n).rev() {
            let Some(e) = self.far.pop() else { break };
            (self.time[i], self.rank[i], self.event[i]) = (e.time, e.rank, e.event);
        }
        self.near = n;
        self.bound = self.far.peek().map_or((u64::MAX, u64::MAX), Entry::key);
    }
    /// When the next event is due, if there is one.
    #[inline]
    pub fn peek(&self) -> Option<Time> {
        Some(Time::from_ns(self.time[self.near.checked_sub(1)?]))
    }
    /// Takes the next event out if it is due at or before `end`.
    #[inline]
    pub fn pop_until(&mut self, end: Time) -> Option<(Time, E)> {
        let at = self.peek()?;
        if at > end {
            return None;
        }
        self.near -= 1;
        let event = self.event[self.near];
        if self.near == 0 {
            self.refill();
        }
        self.now = at;
        Some((at, event))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Span;
    use super::*;

    #[test]
    fn equal_times_leave_by_lane_then_by_insertion() {
        let mut q = EventQueue::default();
        let t = Time::from_us(1);
        q.push(t, Lane::Timer, 3);
        q.push(t, Lane::Arrival, 1);
        q.push(Time::from_us(2), Lane::Arrival, 4);
        q.push(t, Lane::Arrival, 2_u64);
        let all: Vec<_> = core::iter::from_fn(|| q.pop_until(Time::NEVER)).map(|x| x.1).collect();
        assert_eq!(all, [1, 2, 3, 4]);
        assert_eq!(q.now(), Time::from_us(2));
    }

    #[test]
    fn timers_of_one_jiffy_take_turns() {
        // As hlists do: whoever is added last is the first to be called, and the first to be added again.
        let mut q = EventQueue::default();
        let tick = |n: u64| Time::from_us(10_000 * n);
        for who in 0..40_u64 {
            q.push(tick(1), Lane::Jiffies, who);
        }
        q.push(tick(1), Lane::Watchdog, 99);
        for round in 1..4 {
            let mut called = Vec::new();
            while let Some((_, who)) = q.pop_until(tick(round)) {
                called.push(who);
                if who != 99 {
                    q.push(tick(round + 1), Lane::Jiffies, who);
                }
            }
            let mut due: Vec<u64> = (0..40).collect();
            if round % 2 == 1 {
                due.reverse();
            }
            due.extend((round == 1).then_some(99));
            assert_eq!(called, due);
        }
    }

    /// Pushes at random distances, near and far, in bursts and lulls: what comes out is what sorting would give.
    #[test]
    fn the_order_is_that_of_sorting() {
        let mut q = EventQueue::default();
        let (mut all, mut out) = (Vec::new(), Vec::new());
        let mut x = 5_u64;
        let mut draw = |n: u64| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 33) % n
        };
        for round in 0..2_000 {
            for _ in 0..draw(if round % 100 < 50 { 8 } else { 3 }) {
                let reach = [1, 10, 1_000, 1_000_000][draw(4) as usize];
                let at = Time::from_ns(q.now().ns() + draw(reach));
                let lane = [Lane::Arrival, Lane::Softirq, Lane::Sample][draw(3) as usize];
                q.push(at, lane, all.len() as u64);
                all.push((at, lane, all.len() as u64));
            }
            for _ in 0..draw(4) {
                out.extend(q.pop_until(Time::NEVER).map(|(at, e)| (at, all[e as usize].1, e)));
            }
            assert_eq!(q.len(), all.len() - out.len());
        }
        out.extend(core::iter::from_fn(|| q.pop_until(Time::NEVER)).map(|(at, e)| (at, all[e as usize].1, e)));
        assert!(q.is_empty());
        // Taken out in the order of time; and whatever was in the queue together, in the order of its key.
        assert!(out.is_sorted_by_key(|e| e.0));
        all.sort_unstable();
        out.sort_unstable();
        assert_eq!(out, all, "each of them once");
    }

    /// Each event but those from `LONE` on tells of one more, which either is put in at its turn or acts at once where it comes next: the order
    /// is the same.
    #[test]
    fn what_comes_next_need_not_be_put_in() {
        const LONE: u64 = 1_000_000;
        let run = |at_once: bool, end: Time| {
            let (mut q, mut called, mut x) = (EventQueue::default(), Vec::new(), 9_u64);
            (0..6_u64).for_each(|i| q.push(Time::from_ns(i), Lane::Timer, i));
            while let Some((mut now, mut e)) = q.pop_until(end) {
                loop {
                    called.push((now, e));
                    if e >= LONE {
                        break;
                    }
                    x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let told = now + Span::from_ns((x >> 33) as i64 % 4);
                    let (due, next) = (q.due(told, Lane::Softirq), called.len() as u64 + 100);
                    if called.len() % 3 == 0 {
                        q.push(told, [Lane::Arrival, Lane::Softirq, Lane::App][called.len() % 9 / 3], LONE + next);
                    }
                    if !at_once || !q.comes_next(due, end) {
                        q.push_due(due, next);
                        break;
                    }
                    (now, e) = (told, next);
                    assert_eq!(q.now(), now);
                }
            }
            called
        };
        let (one, other) = (run(false, Time::from_ns(600)), run(true, Time::from_ns(600)));
        assert!(one.len() > 1_000 && one == other);
    }

    /// All put in first: the order is the whole key's.
    #[test]
    fn many_at_once_leave_by_their_keys() {
        let mut q = EventQueue::default();
        let mut all: Vec<_> = (0..500_u64).map(|i| (Time::from_ns(i * 7919 % 97), i)).collect();
        all.iter().for_each(|&(at, i)| q.push(at, Lane::App, i));
        all.sort_unstable();
        let out: Vec<_> = core::iter::from_fn(|| q.pop_until(Time::NEVER)).collect();
        assert_eq!(out, all);
    }

    #[test]
    #[should_panic(expected = "was asked for at")]
    fn the_past_is_closed() {
        let mut q = EventQueue::default();
        q.push(Time::from_us(2), Lane::App, 0_u64);
        q.pop_until(Time::NEVER);
        q.push(Time::from_us(1), Lane::App, 0);
    }
}
