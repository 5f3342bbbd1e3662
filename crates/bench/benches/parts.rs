//! Small parts under steady load: `cargo bench --bench parts`. The items are events or packets.

use divan::{Bencher, black_box, counter::ItemsCount};
use std::collections::VecDeque;
use wavetank_core::mac80211::{self, Txqs};
use wavetank_core::qdisc::{Kind as Discipline, Qdisc, Setup};
use wavetank_core::sim::{
    Bin, Blind, EventQueue, FlowId, Kind, Lane, Lower, NodeId, Owner, Packet, Place, Reason, Span, Time, Verdict,
};
use wavetank_core::tcp::{Config, Profile, Socket};
use wavetank_core::workloads;

fn main() {
    divan::main();
}

const N: u32 = 10_000;

struct Nowhere;
impl Bin for Nowhere {
    fn drop(&mut self, p: Packet, _: Place, _: Reason) {
        black_box(p.seq);
    }
}

fn frame(flow: u16, seq: u32) -> Packet {
    let mut p = Packet::blank(Kind::Tcp, FlowId(flow), NodeId(0), NodeId(1));
    (p.seq, p.payload, p.headers, p.truesize) = (seq, 1448, 52, 2304);
    p
}

/// So many chains of events, each of which puts in its successor 1 to 40 us away; every hundredth one 50 ms away.
#[divan::bench(args = [4, 16, 64, 1024])]
fn event_queue(bencher: Bencher<'_, '_>, chains: u32) {
    let mut q = EventQueue::default();
    for i in 0..chains {
        q.push(Time::from_ns(u64::from(i) * 977), Lane::Softirq, u64::from(i));
    }
    let mut x = 1_u64;
    bencher.counter(ItemsCount::new(N)).bench_local(|| {
        for _ in 0..N {
            let (now, e) = q.pop_until(Time::NEVER).expect("chains do not end");
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let ns = if x >> 57 == 0 { 50_000_000 } else { 1_000 + (x >> 33) % 40_000 };
            q.push(now + Span::from_ns(ns as i64), Lane::Softirq, e);
        }
    });
}

/// In and out of a queue that holds 200 packets of so many flows.
#[divan::bench(args = [1, 16])]
fn fq_codel(bencher: Bencher<'_, '_>, flows: u16) {
    let mut q = Qdisc::new(Discipline::FqCodel, &Setup::default(), 7);
    let (mut now, mut seq) = (Time::ZERO, 0);
    for _ in 0..200 {
        q.enqueue(now, frame(seq as u16 % flows, seq), &mut Nowhere);
        seq += 1;
    }
    bencher.counter(ItemsCount::new(N)).bench_local(|| {
        for _ in 0..N {
            now += Span::from_ns(500);
            q.enqueue(now, frame(seq as u16 % flows, seq), &mut Nowhere);
            black_box(q.dequeue(now, &mut Nowhere));
            seq = seq.wrapping_add(1);
        }
    });
}

/// mac80211's queues to so many stations, 32 packets in and then, station by station, out.
#[divan::bench(args = [1, 14])]
fn txqs(bencher: Bencher<'_, '_>, stations: u16) {
    let mut q = Txqs::new(&mac80211::Params::default(), &mac80211::profile::V6_12, stations, 7, 34);
    let (mut now, mut seq) = (Time::ZERO, 0_u32);
    bencher.counter(ItemsCount::new(N)).bench_local(|| {
        for _ in 0..N / 32 {
            now += Span::from_us(50);
            for _ in 0..32 {
                q.enqueue(now, seq as u16 % stations, 0, &frame(seq as u16 % stations, seq), &mut Nowhere);
                seq = seq.wrapping_add(1);
            }
            q.schedule_start(2);
            while let Some((sta, tid)) = q.next_txq(2) {
                while let Some(p) = q.dequeue(now, sta, tid, &mut Nowhere) {
                    black_box(p.seq);
                }
                q.return_txq(now, sta, tid, false);
            }
        }
    });
}

/// A cable of no length: what is sent arrives when the sender has returned.
#[derive(Default)]
struct Cable(VecDeque<Packet>);
impl Lower for Cable {
    fn xmit(&mut self, _: Time, p: &Packet) -> Verdict {
        self.0.push_back(*p);
        Verdict::Ok
    }
}

/// Segments of a bulk transfer and their ACKs, between two sockets that stand side by side: sending, receiving, acknowledging, cleaning
/// the retransmission queue, CUBIC. 100 us of time pass every 20 packets.
#[divan::bench]
fn tcp_segment_and_ack(bencher: Bencher<'_, '_>) {
    let s = workloads::ALL[0].scenario(&[]);
    let config = |local, remote, owner| Config {
        flow: FlowId(0),
        local: NodeId(local),
        remote: NodeId(remote),
        owner: Owner(owner),
        params: s.tcp,
        cc: s.tunables,
        profile: Profile::named(s.kernel.name()).expect("a kernel of the schema"),
        hz: 300,
        dscp: 0,
        mtu: 1500,
        tso: false,
        start_seq: 1,
    };
    let mut ends = [Socket::client(&config(0, 1, 0)), Socket::server(&config(1, 0, 1))];
    let (mut now, mut cable) = (Time::from_ms(1), Cable::default());
    ends[0].set_bulk(None);
    ends[0].connect(now, &mut cable, &mut Blind);
    bencher.counter(ItemsCount::new(N)).bench_local(|| {
        for i in 0..N {
            if i % 20 == 0 {
                now += Span::from_us(100);
            }
            let Some(p) = cable.0.pop_front() else {
                // Everything is delivered: timers go on (a delayed ACK, the pacing or probe timer).
                now = now.max(ends[0].wake_at().min(ends[1].wake_at()));
                for e in &mut ends {
                    if e.wake_at() <= now {
                        e.on_timer(now, &mut cable, &mut Blind);
                    }
                }
                continue;
            };
            ends[usize::from(p.dst.0)].on_packet(now, &p, &mut cable, &mut Blind);
            if p.owner != Owner::NONE && ends[usize::from(p.owner.0)].on_free(p.truesize) {
                ends[usize::from(p.owner.0)].on_tsq(now, &mut cable, &mut Blind);
            }
        }
    });
}
