//! Tests of the TXQs as a whole: who pays, who is served, and that nothing is lost.

use super::profile::V6_12;
use super::*;
use crate::sim::{FlowId, Kind, NodeId};
use proptest::prelude::*;

fn packet(flow: u16, seq: u32, payload: u32) -> Packet {
    let mut p = Packet::blank(Kind::Tcp, FlowId(flow), NodeId(1), NodeId(2));
    (p.seq, p.payload, p.headers, p.truesize) = (seq, payload, 52, 2304);
    p
}

/// A QoS data header and LLC/SNAP.
const HEADER: u32 = 34;

type Binned = Vec<(Packet, Place, Reason)>;

/// Flows that have no more than ACKs: the longer what stands before the IP packet, the fewer of them go for one full packet.
#[test]
fn what_stands_before_a_packet_counts() {
    let par = Params { memory_limit: Auto::Set(Bytes::from_mib(64)), ..Params::default() };
    let acks = |header| {
        let (mut q, mut bin): (_, Binned) = (Txqs::new(&par, &V6_12, 1, 1, header), Vec::new());
        for n in 0..2000 {
            q.enqueue(Time::ZERO, 0, 0, &packet(1, n, 0), &mut bin);
            q.enqueue(Time::ZERO, 0, 0, &packet(2, n, 1448), &mut bin);
        }
        let first = q.frame_len(&packet(1, 0, 0));
        assert_eq!(q.frame_bytes(0, 0), 2000 * u64::from(2 * first + 1448));
        let mut next = || q.dequeue(Time::ZERO, 0, 0, &mut bin).expect("4000 packets are held");
        (0..2000).filter(|_| next().payload == 0).count()
    };
    // 1534 for 86 bytes, 1542 for 94.
    assert_eq!((acks(34) as f64 / 2000.0 * 1e3).round(), 947.0);
    assert_eq!((acks(42) as f64 / 2000.0 * 1e3).round(), 943.0);
}

#[test]
fn flows_of_a_txq_take_turns_by_bytes() {
    let (mut q, mut bin): (_, Binned) = (Txqs::new(&Params::default(), &V6_12, 1, 1, HEADER), Vec::new());
    for n in 0..60 {
        q.enqueue(Time::ZERO, 0, 0, &packet(1, n, 1448), &mut bin);
        q.enqueue(Time::ZERO, 0, 0, &packet(2, n, 448), &mut bin);
    }
    let mut bytes = [0, 0];
    for _ in 0..60 {
        let p = q.dequeue(Time::ZERO, 0, 0, &mut bin).expect("120 packets are held");
        bytes[usize::from(p.flow.0) - 1] += q.frame_len(&p) as i64;
    }
    assert!((bytes[0] - bytes[1]).abs() <= 2 * 1534, "{bytes:?}");
}

#[test]
fn a_sparse_flow_passes_a_full_queue() {
    let (mut q, mut bin): (_, Binned) = (Txqs::new(&Params::default(), &V6_12, 1, 1, HEADER), Vec::new());
    for n in 0..100 {
        q.enqueue(Time::ZERO, 0, 0, &packet(1, n, 1448), &mut bin);
    }
    q.dequeue(Time::ZERO, 0, 0, &mut bin);
    q.enqueue(Time::ZERO, 0, 0, &packet(2, 0, 64), &mut bin);
    assert_eq!(q.dequeue(Time::ZERO, 0, 0, &mut bin).map(|p| p.flow.0), Some(2));
}

#[test]
fn four_mebibytes_are_1820_full_segments_and_the_fattest_flow_pays() {
    let (mut q, mut bin): (_, Binned) = (Txqs::new(&Params::default(), &V6_12, 2, 1, HEADER), Vec::new());
    for n in 0..1820 {
        q.enqueue(Time::ZERO, 0, 0, &packet(1, n, 1448), &mut bin);
    }
    assert_eq!((bin.len(), q.packets()), (0, 1820), "1820 * 2304 = 4193280 <= 4194304");
    q.enqueue(Time::ZERO, 1, 0, &packet(2, 0, 64), &mut bin);
    // One over: 32 packets go from the head of station 0's flow, though the packet was station 1's.
    assert_eq!((bin.len(), q.frames(0, 0), q.frames(1, 0)), (32, 1788, 1));
    assert!(
        bin.iter().enumerate().all(|(i, d)| d.0.seq == i as u32 && d.1 == Place::Mac80211 && d.2 == Reason::Memory)
    );
}

#[test]
fn a_flow_taken_by_another_txq_sends_a_packet_to_the_default_flow() {
    let (mut q, mut bin): (_, Binned) =
        (Txqs::new(&Params { flows: 1, ..Params::default() }, &V6_12, 2, 1, HEADER), Vec::new());
    q.enqueue(Time::ZERO, 0, 0, &packet(1, 0, 100), &mut bin);
    q.enqueue(Time::ZERO, 1, 0, &packet(2, 0, 100), &mut bin);
    assert_eq!(q.fq.tins[8].collisions, 1);
    assert_eq!(q.dequeue(Time::ZERO, 1, 0, &mut bin).map(|p| p.flow.0), Some(2));
    assert_eq!(q.dequeue(Time::ZERO, 0, 0, &mut bin).map(|p| p.flow.0), Some(1));
    assert!(!q.has_frames(0, 0) && !q.has_frames(1, 0));
    // Emptied and passed by once, the flow is free for whoever comes.
    assert!(q.dequeue(Time::ZERO, 0, 0, &mut bin).is_none());
    q.enqueue(Time::ZERO, 1, 0, &packet(2, 1, 100), &mut bin);
    assert_eq!(q.fq.tins[8].collisions, 1);
}

#[test]
fn codel_waits_20_and_100_ms_and_old_kernels_50_and_300_for_a_slow_station() {
    let first_drop = |p: &Params, kbit| {
        let (mut q, mut bin): (_, Binned) = (Txqs::new(p, &V6_12, 1, 1, HEADER), Vec::new());
        q.set_expected_throughput(0, kbit);
        let (mut now, mut seq) = (Time::ZERO, 0);
        while bin.is_empty() && now < Time::from_s(2) {
            for _ in 0..2 {
                q.enqueue(now, 0, 0, &packet(1, seq, 1448), &mut bin);
                seq += 1;
            }
            q.dequeue(now, 0, 0, &mut bin);
            now += Span::from_ms(1);
        }
        now.ms() - 1
    };
    // Two in and one out each ms: the packet out at t ms had waited ceil(t / 2) ms, 20 ms first at t = 39 and 50 ms at
    // t = 99. In ticks of 1024 ns, 39 ms are 38085 and 100 ms are 97656; 139 ms are 135742, the first past their sum.
    let new = Params::default();
    let old = Params { slow_stations: Auto::Set(true), ..Params::default() };
    assert_eq!([first_drop(&new, 5000), first_drop(&old, 6000), first_drop(&old, 5999)], [139, 139, 399]);
}

#[derive(Clone, Debug)]
enum Op {
    Enqueue { sta: u16, tid: u8, flow: u16, payload: u32 },
    Serve { ac: u8, n: u8 },
    Pass(u32),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        6 => (0u16..3, 0u8..8, 0u16..9, 0u32..1448).prop_map(|(sta, tid, flow, payload)| Op::Enqueue { sta, tid, flow, payload }),
        3 => (0u8..4, 1u8..9).prop_map(|(ac, n)| Op::Serve { ac, n }),
        1 => (0u32..40_000_000).prop_map(Op::Pass),
    ];
    prop::collection::vec(op, 1..400)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn packets_are_conserved_and_a_txq_with_packets_always_gets_its_turn(ops in ops(), aql: bool, flows in 1u32..64) {
        let params = Params { flows, limit: 60, memory_limit: crate::sim::Auto::Set(Bytes::new(100_000)), aql: crate::sim::Auto::Set(aql), ..Params::default() };
        let (mut q, mut bin): (_, Binned) = (Txqs::new(&params, &V6_12, 3, 9, HEADER), Vec::new());
        let (mut now, mut put, mut got, mut got_bytes) = (Time::from_s(1), 0u64, 0u64, 0u64);
        let mut pending = Vec::new();
        for op in &ops {
            match *op {
                Op::Pass(ns) => {
                    now += Span::from_ns(i64::from(ns));
                    for (sta, tid, air) in pending.drain(..) {
                        q.aql_done(sta, tid, air);
                    }
                }
                Op::Enqueue { sta, tid, flow, payload } => {
                    q.enqueue(now, sta, tid, &packet(flow, put as u32, payload), &mut bin);
                    put += 1;
                }
                Op::Serve { ac, n } => {
                    q.schedule_start(ac);
                    if let Some((sta, tid)) = q.next_txq(ac) {
                        for _ in 0..n {
                            if let Some(p) = q.dequeue(now, sta, tid, &mut bin) {
                                got += 1;
                                got_bytes += u64::from(q.frame_len(&p));
                                pending.push((sta, tid, q.aql_charge(sta, tid, Span::from_us(2000))));
                            }
                        }
                        q.register_airtime(now, sta, tid, Span::from_us(i64::from(n) * 200), Span::from_us(50));
                        q.return_txq(now, sta, tid, false);
                    }
                }
            }
            let held = q.packets();
            prop_assert_eq!(put, got + bin.len() as u64 + u64::from(held));
            prop_assert!(held <= 60 && q.fq.memory == u64::from(held) * 2304 && q.fq.memory <= 100_000);
            prop_assert_eq!(q.dropped(), bin.len() as u64);
            let codel = bin.iter().filter(|d| d.2 == Reason::Codel).count() as u64;
            let shown = q.fq.tins.iter().fold((0, 0, 0), |s, t| (s.0 + t.tx_packets, s.1 + t.tx_bytes, s.2 + t.drops));
            prop_assert_eq!(shown, (got, got_bytes, codel));
            for sta in 0..3 {
                for tid in 0..8 {
                    prop_assert!(!q.has_frames(sta, tid) || q.sched.is_scheduled(sta, tid), "has packets and no turn");
                }
            }
        }
        for (sta, tid, air) in pending.drain(..) {
            q.aql_done(sta, tid, air);
        }
        for ac in 0..4 {
            let mut patience = 1000;
            while (0..3).any(|s| (0..8).any(|t| ac_of(t) == ac && q.has_frames(s, t))) {
                q.schedule_start(ac);
                if let Some((sta, tid)) = q.next_txq(ac) {
                    got += u64::from(q.dequeue(now, sta, tid, &mut bin).is_some());
                    q.return_txq(now, sta, tid, false);
                }
                patience -= 1;
                prop_assert!(patience > 0, "never empties");
            }
        }
        prop_assert_eq!((q.packets(), q.bytes(), put), (0, 0, got + bin.len() as u64));
    }
}
