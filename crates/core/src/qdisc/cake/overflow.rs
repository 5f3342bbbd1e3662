//! Which queue is the longest: a heap over all queues of all tins, made when first asked for and kept while drops go on.
//!
//! Stands for: Linux 6.12 net/sched/sch_cake.c `cake_heapify`, `cake_heapify_up` and `overflow_timeout`, whose order among equals is kept.

use super::flows::QUEUES;

const TINS: usize = 8;
const ALL: usize = TINS * QUEUES;

/// Backlogs of all queues in bytes, and the heap over them. A queue's number is `tin * QUEUES + flow`.
#[derive(Clone, Debug)]
pub struct Overflow {
    backlogs: Vec<u32>,
    /// The queue at each place, and the place of each queue.
    heap: Vec<u16>,
    place: Vec<u16>,
    /// Packets until the heap is forgotten; 0: there is none.
    timeout: u16,
}

impl Default for Overflow {
    /// All empty.
    fn default() -> Overflow {
        // src: `cake_init`: the first flow of each tin, the second of each, ...
        let heap: Vec<u16> = (0..ALL).map(|k| ((k % TINS) * QUEUES + k / TINS) as u16).collect();
        let mut place = vec![0; ALL];
        for (k, &q) in heap.iter().enumerate() {
            place[usize::from(q)] = k as u16;
        }
        Overflow { backlogs: vec![0; ALL], heap, place, timeout: 0 }
    }
}

impl Overflow {
    fn at(&self, k: usize) -> u32 {
        self.backlogs[usize::from(self.heap[k])]
    }

    fn swap(&mut self, i: usize, j: usize) {
        self.heap.swap(i, j);
        self.place[usize::from(self.heap[i])] = i as u16;
        self.place[usize::from(self.heap[j])] = j as u16;
    }

    /// src: `cake_heapify`
    fn down(&mut self, mut i: usize) {
        let mut most = self.at(i);
        loop {
            let mut m = i;
            for child in [2 * i + 1, 2 * i + 2] {
                if child < ALL && self.at(child) > most {
                    (m, most) = (child, self.at(child));
                }
            }
            if m == i {
                return;
            }
            self.swap(i, m);
            // `most` stays the larger child's, as the kernel's `mb` does: what sinks seldom sinks further.
            i = m;
        }
    }

    /// src: `cake_heapify_up`
    fn up(&mut self, mut i: usize) {
        while i > 0 {
            let parent = (i - 1) >> 1;
            if self.at(i) <= self.at(parent) {
                return;
            }
            self.swap(i, parent);
            i = parent;
        }
    }

    /// Queue `q` has so many bytes more.
    #[inline]
    pub fn grow(&mut self, q: usize, bytes: u32) {
        self.backlogs[q] += bytes;
    }

    /// Queue `q` has so many bytes less, by an older packet that a new one replaces.
    #[inline]
    pub fn lighten(&mut self, q: usize, bytes: u32) {
        self.backlogs[q] -= bytes;
    }

    /// Its packet is in; it may stand higher in the heap.
    #[inline]
    pub fn settle(&mut self, q: usize) {
        if self.timeout > 0 {
            self.up(usize::from(self.place[q]));
        }
    }

    /// Queue `q` has so many bytes less, by a packet that left it.
    #[inline]
    pub fn shrink(&mut self, q: usize, bytes: u32) {
        self.backlogs[q] -= bytes;
        if self.timeout > 0 {
            self.down(usize::from(self.place[q]));
        }
    }

    /// A packet has left CAKE: without drops for a while the heap is forgotten.
    #[inline]
    pub fn age(&mut self) {
        self.timeout = self.timeout.saturating_sub(1);
    }

    /// The longest queue.
    pub fn longest(&mut self) -> usize {
        if self.timeout == 0 {
            for i in (0..ALL / 2).rev() {
                self.down(i);
            }
        }
        self.timeout = 65_535;
        usize::from(self.heap[0])
    }

    /// The longest was empty: the heap is made anew.
    pub fn mistrust(&mut self) {
        self.timeout = 0;
    }

    /// The longest has so many bytes less, by a packet that was dropped.
    pub fn prune(&mut self, q: usize, bytes: u32) {
        self.backlogs[q] -= bytes;
        self.down(0);
    }
}
