//! Aggregation Aware Queueing: a queue for each destination, and one after the other they fill the driver's aggregates.
//!
//! Packets enter by destination and wait. They leave from one queue until the driver says PAUSE: it has what one aggregate takes,
//! or the Block Ack window is closed. RESUME puts the queue behind all others. So an aggregate is not what happens to lie in the
//! driver, but as much as it takes; and stations take turns by whole aggregates. [`Aaq::more_data`] tells the driver that the
//! packet it was just given is not the queue's last: it waits for the rest before it forms an aggregate.
//!
//! Stands for: the thesis's section 4.7.1, Algorithms 1 to 3, and 4.8.1 (`fq_aaq`). The driver's side: `driver::ath9k::tidq`.
//! Where the algorithms as printed leave something open:
//! * Algorithm 3, line 2, lets a queue that has its id never be paused again. Here every PAUSE notes the driver's id on the
//!   current queue, moves it to the paused ones and leaves none current; that is what the text around it says, and an id that
//!   changes (a new Block Ack session) is followed.
//! * Where none is current, a PAUSE is for the queue that bears its id: what GRO merged is one packet here and is cut behind this discipline, so its
//!   segments go on after a PAUSE, and after a RESUME that their leaving brings, until they fill the aggregate again.
//! * Algorithm 1 clears `is_new` when a queue becomes active and nothing sets it again, so that a queue that once ran empty
//!   would be served never more. Here `is_new` means: on neither list.
//! * Algorithm 1 drops when the packets held *reach* the limit: at most `limit - 1` stay. Kept as printed.
//!
//! Differs: D1 a destination's MAC address is its node's number: the last octet picks the chain, the whole decides in it; where
//! destinations lie behind one next hop, they have queues of their own. D2 a queue has one id: two TIDs of one category to one
//! destination share it, and the last one's word counts. D3 which packet a verdict is about: as in fq_codel (the paper is silent).

use super::pool::{List, Pool};
use super::{Discipline, Message, Setup, Told};
use crate::sim::{Bin, NodeId, Packet, Place, Reason, Time, Verdict};
use std::collections::VecDeque;

crate::params! {
    /// What a user sets of AAQ.
    pub struct Params {
        /// Packets in all queues at which one is dropped from the head of the longest.
        limit: u32 = 1000, in 2 => 10_000_000, src "thesis section 4.8.1: fq_aaq limit 1000";
    }
}

/// Chains there are: one for each last octet.
const CHAINS: usize = 256;
/// End of a chain.
const END: u16 = u16::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum On {
    /// On neither list (`is_new`).
    Neither,
    /// On the active list, or current.
    Active,
    Paused,
}

#[derive(Clone, Debug)]
struct Queue {
    to: NodeId,
    list: List,
    on: On,
    /// The driver's; 0: it has not told any.
    id: u32,
    /// The next queue of the same last octet.
    next: u16,
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct Aaq {
    limit: u32,
    pool: Pool,
    queues: Vec<Queue>,
    chains: Box<[u16; CHAINS]>,
    active: VecDeque<u16>,
    /// Whose packets leave now; it is not on the list meanwhile.
    current: Option<u16>,
    packets: u32,
    bytes: u64,
    dropped: u64,
}

impl Aaq {
    /// The queue of a destination, made when first needed (`get_queue_for`).
    fn queue_of(&mut self, to: NodeId) -> u16 {
        let chain = &mut self.chains[usize::from(to.0) % CHAINS];
        let mut i = *chain;
        while i != END {
            let q = &self.queues[usize::from(i)];
            if q.to == to {
                return i;
            }
            i = q.next;
        }
        let new = self.queues.len() as u16;
        self.queues.push(Queue { to, list: List::default(), on: On::Neither, id: 0, next: *chain });
        *chain = new;
        new
    }
    /// Takes the driver's queue `id` off the active ones.
    fn resumed(&mut self, id: u32) -> Option<u16> {
        let at = self.active.iter().position(|i| self.queues[usize::from(*i)].id == id)?;
        self.active.remove(at)
    }
    fn longest(&self) -> usize {
        // The first of the longest, as a walk over the queues in their order finds it.
        let all = self.queues.iter().enumerate();
        all.max_by_key(|(i, q)| (q.list.len(), core::cmp::Reverse(*i))).map_or(0, |(i, _)| i)
    }
    fn pop(&mut self, i: usize) -> Option<Packet> {
        let node = self.pool.detach(&mut self.queues[i].list)?;
        let p = self.pool.take(node);
        self.packets -= 1;
        self.bytes -= u64::from(p.eth_len());
        Some(p)
    }
}

impl Discipline for Aaq {
    type Params = Params;
    fn build(setup: &Setup, _seed: u32) -> Self {
        Aaq {
            limit: setup.aaq.limit,
            pool: Pool::default(),
            queues: Vec::new(),
            chains: Box::new([END; CHAINS]),
            active: VecDeque::new(),
            current: None,
            packets: 0,
            bytes: 0,
            dropped: 0,
        }
    }
    /// Algorithm 1.
    fn enqueue(&mut self, now: Time, p: Packet, bin: &mut impl Bin) -> Verdict {
        let i = self.queue_of(p.dst);
        let q = &mut self.queues[usize::from(i)];
        self.pool.put(&mut q.list, &p, now);
        self.packets += 1;
        self.bytes += u64::from(p.eth_len());
        if q.on == On::Neither {
            q.on = On::Active;
            self.active.push_back(i);
        }
        if self.packets < self.limit {
            return Verdict::Ok;
        }
        let fat = self.longest();
        let alone = self.queues[fat].list.len() == 1;
        let Some(dropped) = self.pop(fat) else { return Verdict::Ok };
        self.dropped += 1;
        bin.drop(dropped, Place::Qdisc, Reason::Overlimit);
        match (fat == usize::from(i), alone) {
            (true, true) => Verdict::Drop,
            (true, false) => Verdict::Cn,
            (false, _) => Verdict::Ok,
        }
    }
    /// Algorithm 2.
    fn dequeue(&mut self, _now: Time, _bin: &mut impl Bin) -> Option<Packet> {
        loop {
            let i = match self.current {
                Some(i) => i,
                None => self.active.pop_front()?,
            };
            self.current = Some(i);
            if let Some(p) = self.pop(usize::from(i)) {
                return Some(p);
            }
            self.queues[usize::from(i)].on = On::Neither;
            self.current = None;
        }
    }
    fn packets(&self) -> u32 {
        self.packets
    }
    fn bytes(&self) -> u64 {
        self.bytes
    }
    fn dropped(&self) -> u64 {
        self.dropped
    }
    fn told(&self) -> Told {
        Told { options: vec![("limit", self.limit.into())], ..Told::default() }
    }
    fn listens(&self) -> bool {
        true
    }
    fn more_data(&self) -> bool {
        self.current.is_some_and(|i| !self.queues[usize::from(i)].list.is_empty())
    }
    /// Algorithm 3.
    fn message(&mut self, id: u32, m: Message) {
        match m {
            Message::Pause => {
                let Some(i) = self.current.take().or_else(|| self.resumed(id)) else { return };
                let q = &mut self.queues[usize::from(i)];
                q.id = id;
                q.on = On::Paused;
            }
            Message::Resume => {
                let Some(i) = self.queues.iter().position(|q| q.on == On::Paused && q.id == id) else { return };
                self.queues[i].on = On::Active;
                self.active.push_back(i as u16);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::battery::packet;
    use super::*;

    struct Bench(Aaq, Vec<(Packet, Place, Reason)>);

    impl Bench {
        fn new(limit: u32) -> Bench {
            let mut s = Setup::default();
            s.aaq.limit = limit;
            Bench(Aaq::build(&s, 0), Vec::new())
        }
        fn put(&mut self, to: u16, n: u32) -> Verdict {
            self.0.enqueue(Time::ZERO, Packet { dst: NodeId(to), ..packet(0, n, 1448) }, &mut self.1)
        }
        fn get(&mut self) -> Option<(u16, u32)> {
            self.0.dequeue(Time::ZERO, &mut self.1).map(|p| (p.dst.0, p.seq))
        }
    }

    #[test]
    fn it_stays_on_a_queue_until_it_is_paused() {
        let mut b = Bench::new(1000);
        for n in 0..3 {
            b.put(1, n);
            b.put(2, n);
        }
        assert_eq!((b.get(), b.0.more_data()), (Some((1, 0)), true));
        assert_eq!(b.get(), Some((1, 1)));
        b.0.message(77, Message::Pause);
        assert!(!b.0.more_data());
        assert_eq!([b.get(), b.get()], [Some((2, 0)), Some((2, 1))]);
        b.0.message(77, Message::Resume);
        assert_eq!((b.get(), b.0.more_data()), (Some((2, 2)), false), "the last of its queue");
        assert_eq!(b.get(), Some((1, 2)), "behind all others");
        assert_eq!(b.get(), None);
    }

    /// Algorithm 3 as printed would not pause a queue whose id is known.
    #[test]
    fn a_queue_is_paused_again_and_runs_empty_and_comes_back() {
        let mut b = Bench::new(1000);
        for round in 0..3 {
            b.put(1, 2 * round);
            b.put(1, 2 * round + 1);
            assert_eq!(b.get(), Some((1, 2 * round)));
            b.0.message(5, Message::Pause);
            assert_eq!(b.get(), None, "round {round}");
            b.0.message(6, Message::Resume); // nobody's
            assert_eq!(b.get(), None);
            b.0.message(5, Message::Resume);
            assert_eq!(b.get(), Some((1, 2 * round + 1)));
            assert_eq!(b.get(), None);
        }
    }

    /// Segments of what was one packet here fill the aggregate after a RESUME, when the discipline has no queue current.
    #[test]
    fn a_queue_that_was_resumed_is_paused_by_its_id() {
        let mut b = Bench::new(1000);
        for n in 0..2 {
            b.put(1, n);
            b.put(2, n);
        }
        assert_eq!(b.get(), Some((1, 0)));
        for m in [Message::Pause, Message::Resume, Message::Pause] {
            b.0.message(5, m);
        }
        b.0.message(6, Message::Pause); // nobody's
        assert_eq!([b.get(), b.get(), b.get()], [Some((2, 0)), Some((2, 1)), None]);
        b.0.message(5, Message::Resume);
        assert_eq!([b.get(), b.get()], [Some((1, 1)), None]);
    }

    #[test]
    fn the_longest_loses_its_oldest() {
        let mut b = Bench::new(6);
        for n in 0..3 {
            b.put(1, n);
        }
        assert_eq!([b.put(2, 0), b.put(2, 1)], [Verdict::Ok; 2]);
        assert_eq!(b.put(3, 0), Verdict::Ok, "the sixth reaches the limit");
        assert_eq!((b.1.len(), b.1[0].0.dst, b.1[0].0.seq, b.1[0].2), (1, NodeId(1), 0, Reason::Overlimit));
        assert_eq!(b.put(1, 3), Verdict::Cn, "another of its own queue");
        assert_eq!((b.1[1].0.seq, b.0.packets(), b.0.dropped()), (1, 5, 2));
        let mut b = Bench::new(1);
        assert_eq!(b.put(1, 0), Verdict::Drop);
    }

    #[test]
    fn one_octet_two_destinations() {
        let mut b = Bench::new(1000);
        for n in 0..2 {
            b.put(1, n);
            b.put(257, n);
        }
        assert_eq!(b.get(), Some((1, 0)));
        b.0.message(1, Message::Pause);
        assert_eq!([b.get(), b.get(), b.get()], [Some((257, 0)), Some((257, 1)), None]);
    }
}
