//! TCP connections, datagrams and pings, as far as a listener on the air can tell.
//!
//! Goodput is what the receiver acknowledged; where no acknowledgement was seen, the payload that was. A round trip is put together of
//! two halves: from a TSval on the air to its echo on the air, of the data and of the ACKs (Linux's own estimate needs no more than the
//! same echoes). The half that begins with data is the receiver's side of the air, the other half the sender's with its queues.
//! D1 a segment that came before in an MPDU of its own counts as TCP's retransmission; one that was also sent again by the MAC does not.

use super::Quantiles;
use super::series::Series;
use crate::frame::{Frame, Packet, Transport, tcp};
use std::collections::{HashMap, VecDeque};

/// Flows that are kept; packets of more are not counted.
const MOST: usize = 4096;
/// Time stamps that wait for their echo.
const WAITING: usize = 1024;
/// A longer way to an echo is none: the clock was set, or captures were joined. src: linux@6.12 TCP_RTO_MAX, ns
const LONGEST: u64 = 120_000_000_000;

type End = (u128, u16);

/// One direction.
#[derive(Default)]
pub(super) struct Direction {
    /// Transmitter that was first seen to send it: a packet that an access point forwards is counted once.
    pub station: Option<usize>,
    pub packets: u64,
    pub payload: u64,
    pub acked: u64,
    pub retransmissions: u64,
    pub series: Series,
    /// The end of the highest segment; the highest number that it acknowledges.
    end: Option<u32>,
    ack: Option<u32>,
    /// Its time stamps, and when each was first on the air.
    stamps: VecDeque<(u32, u64)>,
    /// From its time stamps to their echoes.
    pub half: Quantiles,
    last_half: Option<u64>,
    /// Whole round trips as its sender sees them.
    pub rtt: Quantiles,
    pub rtt_series: (Series, Series),
}

/// A connection, or what passes for one.
pub(super) struct Flow {
    pub ends: [End; 2],
    pub protocol: &'static str,
    /// From the first end to the second, and back.
    pub ways: [Direction; 2],
    /// Echo requests that wait.
    asked: VecDeque<(u16, u64)>,
}

/// All.
#[derive(Default)]
pub(super) struct Flows {
    pub all: Vec<Flow>,
    index: HashMap<([End; 2], u8), usize>,
    last: Option<([End; 2], u8, usize)>,
    /// Packets of flows beyond the table.
    pub beyond: u64,
}

fn after(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) > 0
}

fn time(f: &Frame) -> Option<u64> {
    (!f.untimed).then_some(f.time)
}

impl Flows {
    /// A good data frame with a packet, sent by `station`, that is no copy. `counted`: it lies in the window.
    pub fn packet(&mut self, p: &Packet, f: &Frame, station: usize, counted: bool) {
        let (protocol, number, ports) = match p.transport {
            Transport::Tcp { .. } => ("tcp", 6, p.ports),
            Transport::Udp => ("udp", 17, p.ports),
            Transport::Echo(_, id, _) => ("icmp", 1, (id, id)),
            Transport::Other(_) => return,
        };
        let (a, b) = ((p.src, ports.0), (p.dst, ports.1));
        let ends = if a <= b { [a, b] } else { [b, a] };
        let way = usize::from(ends[0] != a);
        let i = match self.last {
            Some((e, n, i)) if e == ends && n == number => i,
            _ => match self.index.get(&(ends, number)) {
                Some(&i) => i,
                None if self.all.len() == MOST => {
                    self.beyond += 1;
                    return;
                }
                None => {
                    self.index.insert((ends, number), self.all.len());
                    self.all.push(Flow { ends, protocol, ways: Default::default(), asked: VecDeque::new() });
                    self.all.len() - 1
                }
            },
        };
        self.last = Some((ends, number, i));
        let flow = &mut self.all[i];
        if *flow.ways[way].station.get_or_insert(station) != station {
            return;
        }
        let d = &mut flow.ways[way];
        if counted {
            d.packets += 1;
        }
        match p.transport {
            Transport::Tcp { seq, ack, flags, ts, .. } => {
                flow.segment(way, p.payload, f, counted, (seq, ack, flags, ts))
            }
            Transport::Udp => d.data(p.payload, time(f), counted),
            // Without times there is no way to tell how long it took.
            Transport::Echo(..) if f.untimed => {}
            Transport::Echo(request, _, n) => flow.echo(way, request, n, f.time, counted),
            Transport::Other(_) => {}
        }
    }
}

impl Direction {
    fn data(&mut self, payload: u32, time: Option<u64>, counted: bool) {
        if counted {
            self.payload += u64::from(payload);
            if let Some(t) = time {
                self.series.add(t, payload.into());
            }
        }
    }
    /// A round trip, or half of one, ended.
    fn round_trip(&mut self, time: u64, ns: u64) {
        self.rtt.add(ns);
        self.rtt_series.0.add(time, ns / 1_000);
        self.rtt_series.1.add(time, 1);
    }
}

impl Flow {
    fn segment(
        &mut self,
        way: usize,
        payload: u32,
        f: &Frame,
        counted: bool,
        (seq, ack, flags, ts): (u32, u32, u8, Option<(u32, u32)>),
    ) {
        let (first, second) = self.ways.split_at_mut(1);
        let (ours, theirs) = if way == 0 { (&mut first[0], &mut second[0]) } else { (&mut second[0], &mut first[0]) };
        if flags & tcp::SYN != 0 {
            (ours.end, ours.ack) = (Some(seq.wrapping_add(1)), (flags & tcp::ACK != 0).then_some(ack));
            return;
        }
        if payload > 0 {
            let end = seq.wrapping_add(payload);
            match ours.end {
                Some(highest) if !after(end, highest) => {
                    ours.retransmissions += u64::from(counted && !f.retry);
                }
                _ => {
                    ours.end = Some(end);
                    if counted {
                        ours.payload += u64::from(payload);
                    }
                }
            }
        }
        if flags & tcp::ACK != 0 {
            match ours.ack {
                Some(before) if after(ack, before) => {
                    let fresh = ack.wrapping_sub(before);
                    ours.ack = Some(ack);
                    // A jump beyond what any window allows is a gap in the capture or another connection with these ports.
                    if counted && fresh < 1 << 30 {
                        theirs.acked += u64::from(fresh);
                        if let Some(t) = time(f) {
                            theirs.series.add(t, fresh.into());
                        }
                    }
                }
                None => ours.ack = Some(ack),
                _ => {}
            }
        }
        let Some((val, ecr)) = ts.filter(|_| !f.untimed) else { return };
        if ours.stamps.back().is_none_or(|&(v, _)| after(val, v)) {
            if ours.stamps.len() == WAITING {
                ours.stamps.pop_front();
            }
            ours.stamps.push_back((val, f.time));
        }
        let mut sent = None;
        while let Some(&(v, t)) = theirs.stamps.front() {
            if after(v, ecr) {
                break;
            }
            sent = (v == ecr).then_some(t);
            theirs.stamps.pop_front();
        }
        if let Some(t) = sent.filter(|_| counted) {
            let half = f.time.saturating_sub(t);
            if half > LONGEST {
                return;
            }
            theirs.half.add(half);
            theirs.last_half = Some(half);
            if let Some(other) = ours.last_half {
                theirs.round_trip(f.time, half + other);
            }
        }
    }

    fn echo(&mut self, way: usize, request: bool, n: u16, time: u64, counted: bool) {
        if request {
            if self.asked.len() == WAITING {
                self.asked.pop_front();
            }
            self.asked.push_back((n, time));
        } else if let Some(i) = self.asked.iter().position(|a| a.0 == n) {
            let (_, t) = self.asked.remove(i).expect("it was just found");
            if counted {
                self.ways[1 - way].round_trip(time, time.saturating_sub(t));
            }
        }
    }
}
