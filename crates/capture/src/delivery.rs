//! When each link handed packets up, and of which size: what a trace of a link for emulators is made of.
//!
//! Stands for: the IP layer behind the receiver's reorder buffer (`wavetank_core::wifi::reorder`). Differs: D1 what the monitor decoded,
//! the receiver did: a capture does not say more; of ours it holds. D2 the agreement of a TID begins with the first A-MPDU that is seen on
//! it. D3 an A-MSDU is one packet, with the headers of its second MSDU and those behind it. D4 the buffer has 64 frames, 802.11ax or not.

use crate::frame::{Frame, Kind, Mac};
use std::collections::HashMap;
use wavetank_core::sim::{self, FlowId, NodeId, Packet, Time};
use wavetank_core::wifi::Seq;
use wavetank_core::wifi::reorder::{Params, Reorder, SIZE};

/// Links that are kept; frames of more are not counted.
const MOST: usize = 4096;
/// LLC/SNAP and the frame check sequence.
const AROUND: u32 = 8 + 4;
/// Header and MIC of CCMP.
const CCMP: u32 = 8 + 8;

/// A packet handed up: when, ns, and its bytes from IP's header on.
pub type Delivery = (u64, u32);

/// What one link carried.
#[derive(Clone, Debug)]
pub struct Link {
    /// From whom.
    pub from: Mac,
    /// To whom.
    pub to: Mac,
    /// From an access point (or to one).
    pub down: bool,
    /// In the order of time.
    pub packets: Vec<Delivery>,
}

/// One (link, TID).
#[derive(Default)]
struct Queue {
    buffer: Option<Reorder>,
    last: Option<Seq>,
}

struct Open {
    link: Link,
    queues: [Queue; 17],
}

/// A frame of the A-MPDU that is under way.
#[derive(Clone, Copy)]
struct Part {
    link: usize,
    tid: usize,
    seq: Seq,
    bytes: u32,
}

/// Collects deliveries; frames come in the order of a capture.
#[derive(Default)]
pub struct Deliveries {
    links: Vec<Open>,
    index: HashMap<(Mac, Mac), usize>,
    /// The A-MPDU under way: its transmitter and reference, and when its last frame ended.
    ampdu: Option<(Mac, u32, u64)>,
    /// What of it was decoded: it is handed up when the A-MPDU is over.
    parts: Vec<Part>,
}

fn carried(bytes: u32) -> Packet {
    Packet { payload: bytes, ..Packet::blank(sim::Kind::Udp, FlowId(0), NodeId(0), NodeId(0)) }
}

impl Deliveries {
    /// The next frame.
    pub fn frame(&mut self, f: &Frame) {
        let part_of = f.ta.zip(f.subframe.map(|s| s.reference));
        match &mut self.ampdu {
            Some((ta, reference, end)) if part_of == Some((*ta, *reference)) => *end = f.time,
            Some(_) => self.over(),
            None => {}
        }
        let (Some(ta), false, 0) = (f.ta, f.bad, f.ra.0[0] & 1) else { return };
        match f.kind {
            Kind::Data => self.data(f, ta),
            Kind::Bar => self.bar(f, ta),
            _ => {}
        }
    }

    fn data(&mut self, f: &Frame, ta: Mac) {
        let Some(down) = f.from_ds else { return };
        let Some(link) = self.link(ta, f.ra, down) else { return };
        let header = 24 + if f.tid.is_some() { 2 } else { 0 } + if f.protected { CCMP } else { 0 };
        let tid = usize::from(f.tid.unwrap_or(16)).min(16);
        let part = Part { link, tid, seq: Seq::new(f.seq), bytes: f.len.saturating_sub(header + AROUND) };
        match f.subframe {
            Some(s) => {
                self.ampdu = Some((ta, s.reference, f.time));
                self.links[link].queues[tid]
                    .buffer
                    .get_or_insert_with(|| Reorder::new(part.seq, SIZE as u16, Params::default().timeout));
                self.parts.push(part);
            }
            None => self.come(part, f.time),
        }
    }

    /// The A-MPDU under way has ended.
    fn over(&mut self) {
        let Some((_, _, end)) = self.ampdu.take() else { return };
        for i in 0..self.parts.len() {
            self.come(self.parts[i], end);
        }
        self.parts.clear();
    }

    fn come(&mut self, p: Part, now: u64) {
        let Open { link, queues } = &mut self.links[p.link];
        let queue = &mut queues[p.tid];
        let Some(buffer) = &mut queue.buffer else {
            // src: 802.11-2020 10.3.2.14.3: a copy has the number of the last
            if queue.last.replace(p.seq) != Some(p.seq) {
                link.packets.push((now, p.bytes));
            }
            return;
        };
        expire(buffer, Some(now), &mut link.packets);
        let up = &mut |x: &Packet| link.packets.push((now, x.payload));
        buffer.put(Time::from_ns(now), p.seq, &carried(p.bytes), &[], up);
    }

    fn bar(&mut self, f: &Frame, ta: Mac) {
        let Some(&i) = self.index.get(&(ta, f.ra)) else { return };
        let Open { link, queues } = &mut self.links[i];
        if let Some(buffer) = f.tid.and_then(|t| queues[usize::from(t).min(16)].buffer.as_mut()) {
            expire(buffer, Some(f.time), &mut link.packets);
            buffer.bar(Seq::new(f.seq), &mut |x| link.packets.push((f.time, x.payload)));
        }
    }

    fn link(&mut self, from: Mac, to: Mac, down: bool) -> Option<usize> {
        if let Some(&i) = self.index.get(&(from, to)) {
            return Some(i);
        }
        if self.links.len() == MOST {
            return None;
        }
        let link = Link { from, to, down, packets: Vec::new() };
        self.links.push(Open { link, queues: std::array::from_fn(|_| Queue::default()) });
        self.index.insert((from, to), self.links.len() - 1);
        Some(self.links.len() - 1)
    }

    /// All links that were seen. What still waits for an earlier frame is handed up when its time is over.
    pub fn end(mut self) -> Vec<Link> {
        self.over();
        let close = |mut open: Open| {
            for buffer in open.queues.iter_mut().filter_map(|q| q.buffer.as_mut()) {
                expire(buffer, None, &mut open.link.packets);
            }
            open.link.packets.sort_by_key(|p| p.0); // TIDs are in order, each by itself
            open.link
        };
        self.links.into_iter().map(close).collect()
    }
}

/// Hands up what has waited too long by `now` (none: everything), at the time at which the receiver's timer did.
fn expire(buffer: &mut Reorder, now: Option<u64>, packets: &mut Vec<Delivery>) {
    while let Some(due) = buffer.due().filter(|d| now.is_none_or(|n| d.ns() <= n)) {
        buffer.expire(due, &mut |x| packets.push((due.ns(), x.payload)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Subframe;

    const AP: Mac = Mac([2, 0, 0, 0, 0, 1]);
    const STA: Mac = Mac([2, 0, 0, 0, 0, 2]);
    const MS: u64 = 1_000_000;

    /// A QoS data frame around an IP packet of `ip` bytes, in the A-MPDU `reference`.
    fn data(time: u64, seq: u16, ip: u32, reference: Option<u32>) -> Frame {
        let subframe = reference.map(|reference| Subframe { reference, last: false });
        let ends = Frame { ra: STA, ta: Some(AP), far: AP, from_ds: Some(true), ..Frame::EMPTY };
        Frame { time, kind: Kind::Data, tid: Some(0), seq, len: ip + 26 + 12, subframe, ..ends }
    }
    fn deliveries(frames: &[Frame]) -> Vec<Delivery> {
        let mut d = Deliveries::default();
        frames.iter().for_each(|f| d.frame(f));
        let links = d.end();
        assert_eq!(links.len(), 1);
        assert!(links[0].down);
        links[0].packets.clone()
    }

    #[test]
    fn an_ampdu_goes_up_as_it_ends_and_behind_a_hole_when_that_is_filled() {
        let hole = Frame { bad: true, ..data(2 * MS, 2, 1500, Some(1)) };
        let got = deliveries(&[
            data(MS, 1, 1500, Some(1)),
            hole,
            data(3 * MS, 3, 52, Some(1)),
            data(5 * MS, 2, 1500, Some(2)),
            data(6 * MS, 4, 1500, Some(2)),
        ]);
        assert_eq!(got, [(3 * MS, 1500), (6 * MS, 1500), (6 * MS, 52), (6 * MS, 1500)]);
    }

    #[test]
    fn a_copy_is_not_handed_up_twice() {
        let again = |f: Frame| Frame { retry: true, ..f };
        let single = data(MS, 7, 100, None);
        assert_eq!(deliveries(&[single, again(Frame { time: 2 * MS, ..single })]), [(MS, 100)]);
        let first = data(MS, 7, 100, Some(1));
        let copy = again(Frame { time: 2 * MS, ..data(0, 7, 100, Some(2)) });
        assert_eq!(deliveries(&[first, copy]), [(MS, 100)]);
    }

    #[test]
    fn what_is_given_up_lets_the_rest_go_at_a_bar_or_after_100_ms() {
        let ampdu = [data(MS, 1, 1500, Some(1)), data(2 * MS, 3, 1500, Some(1))];
        let bar = Frame { time: 9 * MS, kind: Kind::Bar, seq: 3, tid: Some(0), ra: STA, ta: Some(AP), ..Frame::EMPTY };
        assert_eq!(deliveries(&[ampdu[0], ampdu[1]]), [(2 * MS, 1500), (102 * MS, 1500)]);
        let next = data(150 * MS, 4, 1500, None);
        assert_eq!(deliveries(&[ampdu[0], ampdu[1], next]), [(2 * MS, 1500), (102 * MS, 1500), (150 * MS, 1500)]);
        // a BAR moves the window; what then stands first waits for the next frame or the timer, as in mac80211
        let next = data(10 * MS, 4, 1500, None);
        let got = deliveries(&[ampdu[0], ampdu[1], bar, next]);
        assert_eq!(got, [(2 * MS, 1500), (10 * MS, 1500), (10 * MS, 1500)]);
    }

    #[test]
    fn ciphers_headers_are_no_bytes_of_the_packet() {
        let f = Frame { protected: true, ..data(MS, 1, 1500 + 16, None) };
        assert_eq!(deliveries(&[f]), [(MS, 1500)]);
    }
}
