//! One slab of packet nodes with index links, for every queue that is many small lists: no allocation per packet.
//!
//! Stands for the kernel's `skb->next`. The slab grows to the most packets ever held and never shrinks.

use crate::sim::{Packet, Time};

/// No node, no list.
pub const NIL: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Node {
    p: Packet,
    next: u32,
}

/// The slab.
#[derive(Clone, Debug)]
pub struct Pool {
    nodes: Vec<Node>,
    free: u32,
}

/// A first-in-first-out list in a [`Pool`].
#[derive(Clone, Copy, Debug)]
pub struct List {
    head: u32,
    tail: u32,
    len: u32,
}

impl Default for Pool {
    fn default() -> Self {
        Pool { nodes: Vec::new(), free: NIL }
    }
}

impl Default for List {
    fn default() -> Self {
        List { head: NIL, tail: NIL, len: 0 }
    }
}

impl List {
    /// Packets in it.
    pub const fn len(&self) -> u32 {
        self.len
    }
    /// Whether nothing is in it.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Pool {
    /// Puts `p` at the end of `list`.
    #[inline]
    pub fn push(&mut self, list: &mut List, p: Packet) {
        self.put(list, &p, p.enqueued);
    }
    /// Puts a copy of `p` at the end of `list`, taken in at `enqueued`. (The time goes into the copy: a packet that is written to and
    /// then copied makes the processor wait for the write.)
    #[inline]
    pub fn put(&mut self, list: &mut List, p: &Packet, enqueued: Time) {
        let i = match self.free {
            NIL => {
                self.nodes.push(Node { p: *p, next: NIL });
                (self.nodes.len() - 1) as u32
            }
            i => {
                let node = &mut self.nodes[i as usize];
                self.free = node.next;
                node.p = *p;
                node.next = NIL;
                i
            }
        };
        self.nodes[i as usize].p.enqueued = enqueued;
        match list.tail {
            NIL => list.head = i,
            t => self.nodes[t as usize].next = i,
        }
        list.tail = i;
        list.len += 1;
    }
    /// Takes the first packet off `list` and leaves it where it is, until [`Pool::take`].
    #[inline]
    pub fn detach(&mut self, list: &mut List) -> Option<u32> {
        let i = list.head;
        if i == NIL {
            return None;
        }
        list.head = self.nodes[i as usize].next;
        if list.head == NIL {
            list.tail = NIL;
        }
        list.len -= 1;
        Some(i)
    }
    /// A packet that was detached.
    #[inline]
    pub fn get(&self, i: u32) -> &Packet {
        &self.nodes[i as usize].p
    }
    /// A packet that was detached.
    #[inline]
    pub fn get_mut(&mut self, i: u32) -> &mut Packet {
        &mut self.nodes[i as usize].p
    }
    /// Ends the stay of a packet that was detached.
    #[inline]
    pub fn take(&mut self, i: u32) -> Packet {
        self.release(i);
        self.nodes[i as usize].p
    }
    /// The same, for who has looked at it already.
    #[inline]
    pub fn release(&mut self, i: u32) {
        self.nodes[i as usize].next = self.free;
        self.free = i;
    }
    /// Puts `p` behind the last packet that is not later, by [`Packet::enqueued`]; at once if that is the last of all.
    pub fn insert_by_time(&mut self, list: &mut List, p: Packet) {
        if list.tail == NIL || self.nodes[list.tail as usize].p.enqueued <= p.enqueued {
            return self.push(list, p);
        }
        let (mut before, mut at) = (NIL, list.head);
        while self.nodes[at as usize].p.enqueued <= p.enqueued {
            (before, at) = (at, self.nodes[at as usize].next);
        }
        let mut alone = List::default();
        self.push(&mut alone, p);
        self.nodes[alone.head as usize].next = at;
        match before {
            NIL => list.head = alone.head,
            b => self.nodes[b as usize].next = alone.head,
        }
        list.len += 1;
    }
    /// Where the packets of `list` are, the first one first.
    pub fn places(&self, list: &List) -> impl Iterator<Item = u32> {
        core::iter::successors(Some(list.head).filter(|&i| i != NIL), |&i| {
            Some(self.nodes[i as usize].next).filter(|&n| n != NIL)
        })
    }
    /// Takes the packet at `i` out of `list`; `before`: the place of the one before it.
    pub fn remove(&mut self, list: &mut List, before: Option<u32>, i: u32) -> Packet {
        let after = self.nodes[i as usize].next;
        match before {
            None => list.head = after,
            Some(b) => self.nodes[b as usize].next = after,
        }
        if list.tail == i {
            list.tail = before.unwrap_or(NIL);
        }
        list.len -= 1;
        self.take(i)
    }
    /// Takes the first packet of `list`.
    #[inline]
    pub fn pop(&mut self, list: &mut List) -> Option<Packet> {
        let i = self.detach(list)?;
        Some(self.take(i))
    }
    /// Where the last packet of `list` is.
    #[inline]
    pub fn last(&self, list: &List) -> Option<u32> {
        Some(list.tail).filter(|&i| i != NIL)
    }
    /// Looks at the first packet of `list`.
    #[inline]
    pub fn first(&self, list: &List) -> Option<&Packet> {
        self.nodes.get(list.head as usize).map(|n| &n.p)
    }
}

/// A round-robin list of flows by index, whose links stand in the flows themselves.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    head: u32,
    tail: u32,
}

/// A flow's place in at most one [`Chain`].
#[derive(Clone, Copy, Debug)]
pub struct Link {
    next: u32,
    /// Whether it is in a chain.
    pub on: bool,
}

/// Something with a [`Link`].
pub trait Linked {
    /// The link.
    fn link(&mut self) -> &mut Link;
}

impl Default for Chain {
    fn default() -> Self {
        Chain { head: NIL, tail: NIL }
    }
}

impl Default for Link {
    fn default() -> Self {
        Link { next: NIL, on: false }
    }
}

impl Chain {
    /// The first flow.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        (self.head != NIL).then_some(self.head)
    }
    /// Whether no flow is in it.
    pub fn is_empty(&self) -> bool {
        self.head == NIL
    }
    /// How many are in it, by walking; `link`: a flow's.
    pub fn count(&self, link: impl Fn(u32) -> Link) -> u32 {
        core::iter::successors(self.first(), |&i| Some(link(i).next).filter(|&n| n != NIL)).count() as u32
    }
    /// Whether flow `i`, its first, is its last, too.
    #[inline]
    pub const fn is_only(&self, i: u32) -> bool {
        self.tail == i
    }
    /// Puts flow `i`, which is in no chain, at the end.
    #[inline]
    pub fn push<F: Linked>(&mut self, flows: &mut [F], i: u32) {
        let l = flows[i as usize].link();
        debug_assert!(!l.on);
        *l = Link { next: NIL, on: true };
        match self.tail {
            NIL => self.head = i,
            t => flows[t as usize].link().next = i,
        }
        self.tail = i;
    }
    /// Puts the first flow, which is not its last, at the end.
    #[inline]
    pub fn rotate<F: Linked>(&mut self, flows: &mut [F]) {
        let i = self.head;
        self.head = core::mem::replace(&mut flows[i as usize].link().next, NIL);
        flows[self.tail as usize].link().next = i;
        self.tail = i;
    }
    /// Takes flow `i` out, wherever it stands; walks up to it.
    pub fn remove<F: Linked>(&mut self, flows: &mut [F], i: u32) {
        if self.head == i {
            self.pop(flows);
            return;
        }
        let mut before = self.head;
        while flows[before as usize].link().next != i {
            before = flows[before as usize].link().next;
        }
        let after = core::mem::take(flows[i as usize].link()).next;
        flows[before as usize].link().next = after;
        if self.tail == i {
            self.tail = before;
        }
    }
    /// Takes the first flow out.
    #[inline]
    pub fn pop<F: Linked>(&mut self, flows: &mut [F]) -> Option<u32> {
        let i = self.first()?;
        let l = flows[i as usize].link();
        self.head = l.next;
        *l = Link::default();
        if self.head == NIL {
            self.tail = NIL;
        }
        Some(i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};
    use std::collections::VecDeque;

    #[test]
    fn lists_in_one_slab_behave_as_separate_queues() {
        let (mut pool, mut lists, mut twins) = (Pool::default(), [List::default(); 3], vec![VecDeque::new(); 3]);
        let mut x = 12345u32;
        for seq in 0..10_000 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let k = (x >> 24) as usize % 3;
            if x >> 31 == 0 || twins[k].len() > 20 {
                assert_eq!(pool.first(&lists[k]).map(|p| p.seq), twins[k].front().copied());
                assert_eq!(pool.pop(&mut lists[k]).map(|p| p.seq), twins[k].pop_front());
            } else {
                let mut p = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(1));
                p.seq = seq;
                pool.push(&mut lists[k], p);
                twins[k].push_back(seq);
            }
            assert_eq!(lists[k].len() as usize, twins[k].len());
        }
        assert!(pool.nodes.len() <= 63, "the slab holds no more than was ever held at once");
    }

    #[test]
    fn insertion_by_time_is_stable() {
        let (mut pool, mut list) = (Pool::default(), List::default());
        for (seq, us) in [5, 9, 7, 7, 1, 9, 12].into_iter().enumerate() {
            let mut p = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(1));
            (p.seq, p.enqueued) = (seq as u32, Time::from_us(us));
            pool.insert_by_time(&mut list, p);
        }
        let order: Vec<_> = core::iter::from_fn(|| pool.pop(&mut list)).map(|p| p.seq).collect();
        assert_eq!(order, [4, 0, 2, 3, 1, 5, 6]);
    }
}
