//! When each link handed packets up, and of which size: what a trace of a link for emulators is made of.
//!
//! Stands for: the IP layer behind the receiver's reorder buffer (`wavetank_core::wifi::reorder`). Differs: D1 what the monitor decoded,
//! the receiver did: a capture does not say more; of ours it holds. D2 the agreement of a TID begins with the first A-MPDU that is seen on
//! it. D3 what cannot be read of an A-MSDU (cut by the capture, or encrypted) is one packet, with the headers of all MSDUs in it but the
//! first. D4 the buffer is as large as mac80211 makes it for such a peer: another driver's may be smaller, or give holes up at another time.

use crate::frame::{Frame, Kind, Mac, Msdu};
use crate::phy::Phy;
use std::collections::HashMap;
use wavetank_core::sim::{self, FlowId, NodeId, Packet, Time};
use wavetank_core::wifi::Seq;
use wavetank_core::wifi::block_ack::{WIDE_WINDOW, WINDOW};
use wavetank_core::wifi::reorder::{Params, Reorder};

/// Ticks a second of the receiver's host, as a scenario has them unless it says otherwise: by them a hole's timeout is rounded.
const HZ: u32 = 300;
/// Links that are kept; frames of more are not counted.
const MOST: usize = 4096;
const LLC: u32 = 8;
const FCS: u32 = 4;
/// Of a subframe of an A-MSDU.
const SUBFRAME: u32 = 14;
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
    /// Its first packet, and where the others are.
    first: Packet,
    more: (usize, usize),
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
    /// The further packets of these.
    more: Vec<Packet>,
}

fn carried(bytes: u32) -> Packet {
    Packet { payload: bytes, ..Packet::blank(sim::Kind::Udp, FlowId(0), NodeId(0), NodeId(0)) }
}

/// Bytes of each packet in a frame.
fn sizes(f: &Frame, msdus: &[Msdu]) -> impl Iterator<Item = u32> {
    let header = 24 + if f.tid.is_some() { 2 } else { 0 } + if f.protected { CCMP } else { 0 };
    let body = f.len.saturating_sub(header + FCS);
    let read: u32 = msdus.iter().map(|m| (SUBFRAME + u32::from(m.len)).next_multiple_of(4)).sum();
    let rest = match f.amsdu {
        Some(a) if a.unread == 0 || body < read + SUBFRAME + LLC => None,
        Some(_) if !f.protected => Some(body - read - SUBFRAME - LLC),
        _ => Some(body.saturating_sub(LLC)),
    };
    msdus.iter().map(|m| u32::from(m.len).saturating_sub(LLC)).chain(rest)
}

impl Deliveries {
    /// The next frame, and its MSDUs if it is an A-MSDU.
    pub fn frame(&mut self, f: &Frame, msdus: &[Msdu]) {
        let part_of = f.ta.zip(f.subframe.map(|s| s.reference));
        match &mut self.ampdu {
            Some((ta, reference, end)) if part_of == Some((*ta, *reference)) => *end = f.time,
            Some(_) => self.over(),
            None => {}
        }
        let (Some(ta), false, 0) = (f.ta, f.bad, f.ra.0[0] & 1) else { return };
        match f.kind {
            Kind::Data => self.data(f, msdus, ta),
            Kind::Bar => self.bar(f, ta),
            _ => {}
        }
    }

    fn data(&mut self, f: &Frame, msdus: &[Msdu], ta: Mac) {
        let Some(down) = f.from_ds else { return };
        let Some(link) = self.link(ta, f.ra, down) else { return };
        let tid = usize::from(f.tid.unwrap_or(16)).min(16);
        let mut packets = sizes(f, msdus).map(carried);
        let Some(first) = packets.next() else { return };
        let at = self.more.len();
        self.more.extend(packets);
        let part = Part { link, tid, seq: Seq::new(f.seq), first, more: (at, self.more.len()) };
        match f.subframe {
            Some(s) => {
                self.ampdu = Some((ta, s.reference, f.time));
                // src: linux@6.12 net/mac80211/agg-rx.c __ieee80211_start_rx_ba_session
                let size = if matches!(f.phy, Some(Phy::He(_))) { WIDE_WINDOW } else { WINDOW };
                self.links[link].queues[tid]
                    .buffer
                    .get_or_insert_with(|| Reorder::new(part.seq, size, Params::default().timeout, HZ));
                self.parts.push(part);
            }
            None => {
                self.come(part, f.time);
                self.more.truncate(at);
            }
        }
    }

    /// The A-MPDU under way has ended.
    fn over(&mut self) {
        let Some((_, _, end)) = self.ampdu.take() else { return };
        for i in 0..self.parts.len() {
            self.come(self.parts[i], end);
        }
        self.parts.clear();
        self.more.clear();
    }

    fn come(&mut self, p: Part, now: u64) {
        let Open { link, queues } = &mut self.links[p.link];
        let more = &self.more[p.more.0..p.more.1];
        let queue = &mut queues[p.tid];
        let Some(buffer) = &mut queue.buffer else {
            // src: 802.11-2020 10.3.2.14.3: a copy has the number of the last
            if queue.last.replace(p.seq) != Some(p.seq) {
                link.packets.extend(core::iter::once(&p.first).chain(more).map(|x| (now, x.payload)));
            }
            return;
        };
        expire(buffer, Some(now), &mut link.packets);
        let up = &mut |x: &Packet| link.packets.push((now, x.payload));
        buffer.put(Time::from_ns(now), p.seq, &p.first, more, up);
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
    use crate::frame::{Amsdu, Subframe};
    use crate::he::{He, Tones};

    const AP: Mac = Mac([2, 0, 0, 0, 0, 1]);
    const STA: Mac = Mac([2, 0, 0, 0, 0, 2]);
    const MS: u64 = 1_000_000;

    /// A QoS data frame around an IP packet of `ip` bytes, in the A-MPDU `reference`.
    fn data(time: u64, seq: u16, ip: u32, reference: Option<u32>) -> Frame {
        let subframe = reference.map(|reference| Subframe { reference, last: false });
        let ends = Frame { ra: STA, ta: Some(AP), far: AP, from_ds: Some(true), ..Frame::EMPTY };
        Frame { time, kind: Kind::Data, tid: Some(0), seq, len: ip + 26 + LLC + FCS, subframe, ..ends }
    }
    fn deliveries(frames: &[Frame]) -> Vec<Delivery> {
        delivered(frames.iter().map(|f| (f, &[][..])))
    }
    fn delivered<'a>(frames: impl IntoIterator<Item = (&'a Frame, &'a [Msdu])>) -> Vec<Delivery> {
        let mut d = Deliveries::default();
        frames.into_iter().for_each(|(f, msdus)| d.frame(f, msdus));
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

    /// When what came in the first jiffy is not waited for any longer: 1 and 30 jiffies later the timer is asked for, and fires in the next, 32 at HZ 300.
    const GIVEN_UP: u64 = 106_666_667;

    /// HE's buffer still waits for a frame that is 64 behind, where HT's has moved on.
    #[test]
    fn the_buffer_is_as_large_as_the_ppdus_let_it() {
        let tones = Tones::Channel(80);
        let he = He {
            mcs: 11,
            streams: 2,
            tones,
            gi: 1,
            ltf: 2,
            dcm: false,
            multi_user: false,
            triggered: false,
            extended: false,
        };
        let of = |phy| {
            let one = |time, seq, ip, reference| Frame { phy, ..data(time, seq, ip, Some(reference)) };
            deliveries(&[one(MS, 1, 1, 1), one(2 * MS, 3, 3, 1), one(3 * MS, 66, 66, 2), one(4 * MS, 2, 2, 3)])
        };
        assert_eq!(of(None), [(2 * MS, 1), (3 * MS, 3), (GIVEN_UP, 66)]);
        assert_eq!(of(Some(Phy::He(he))), [(2 * MS, 1), (4 * MS, 2), (4 * MS, 3), (GIVEN_UP, 66)]);
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
        assert_eq!(deliveries(&[ampdu[0], ampdu[1]]), [(2 * MS, 1500), (GIVEN_UP, 1500)]);
        let next = data(150 * MS, 4, 1500, None);
        assert_eq!(deliveries(&[ampdu[0], ampdu[1], next]), [(2 * MS, 1500), (GIVEN_UP, 1500), (150 * MS, 1500)]);
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
    /// An A-MSDU of packets of 1500, 52 and 100 bytes, of which so many are told of.
    fn amsdu(time: u64, seq: u16, reference: Option<u32>, told: u16) -> (Frame, Vec<Msdu>) {
        let lens = [1508, 60, 108]; // with LLC; subframes of 1524 (two of padding), 76 (two) and 122 bytes
        let msdu = |len| Msdu { da: STA, sa: AP, len, packet: None };
        let unread = [1722, 198, 122, 0][usize::from(told)];
        let f =
            Frame { len: 26 + 1722 + FCS, amsdu: Some(Amsdu { msdus: told, unread }), ..data(time, seq, 0, reference) };
        (f, lens[..told.into()].iter().map(|&len| msdu(len)).collect())
    }

    #[test]
    fn an_amsdus_packets_come_together_and_in_order() {
        let frames = [amsdu(MS, 1, None, 3), amsdu(2 * MS, 2, Some(1), 3), amsdu(3 * MS, 3, Some(1), 3)];
        let got = delivered(frames.iter().map(|(f, m)| (f, &m[..])));
        let three = |t| [(t, 1500), (t, 52), (t, 100)];
        assert_eq!(got, [three(MS), three(3 * MS), three(3 * MS)].concat());
        // Behind a hole they wait for it together.
        let late = data(9 * MS, 2, 7, None);
        let frames = [amsdu(MS, 1, Some(1), 3), amsdu(2 * MS, 3, Some(1), 3), (late, vec![])];
        let got = delivered(frames.iter().map(|(f, m)| (f, &m[..])));
        assert_eq!(got, [&three(2 * MS)[..], &[(9 * MS, 7)], &three(9 * MS)].concat());
    }

    #[test]
    fn what_cannot_be_read_of_an_amsdu_is_one_packet() {
        let one = |told, protected| {
            let (f, msdus) = amsdu(MS, 1, None, told);
            let f = Frame { protected, len: f.len + if protected { CCMP } else { 0 }, ..f };
            delivered([(&f, &msdus[..])])
        };
        assert_eq!(one(2, false), [(MS, 1500), (MS, 52), (MS, 100)]);
        assert_eq!(one(1, false), [(MS, 1500), (MS, 198 - 22)]);
        assert_eq!(one(0, false), [(MS, 1722 - 22)]);
        assert_eq!(one(0, true), [(MS, 1722 - LLC)]);
    }
}
