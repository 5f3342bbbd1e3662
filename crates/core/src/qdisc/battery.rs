//! One battery of random operations for every registered discipline: nothing is lost, counters are true, the watchdog
//! is honest, flows stay in order, and everything held can be had.

use super::{Kind, LeafKind, Qdisc, Setup};
use crate::sim::{FlowId, Kind as What, NodeId, Packet, Place, Reason, Span, Time, Verdict};
use proptest::prelude::*;

/// A TCP segment with timestamps (52 bytes of headers), so that 1448 bytes of payload are a frame of 1514.
pub fn packet(flow: u16, seq: u32, payload: u32) -> Packet {
    let mut p = Packet::blank(What::Tcp, FlowId(flow), NodeId(1), NodeId(2));
    (p.seq, p.payload, p.headers) = (seq, payload, 52);
    p.truesize = 768 + payload;
    p
}

#[derive(Clone, Debug)]
enum Op {
    Enqueue { flow: u16, payload: u32 },
    Dequeue(u8),
    Pass(u32),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        6 => (0u16..12, 0u32..1448).prop_map(|(flow, payload)| Op::Enqueue { flow, payload }),
        3 => (1u8..4).prop_map(Op::Dequeue),
        2 => (0u32..40_000_000).prop_map(Op::Pass),
    ];
    prop::collection::vec(op, 1..400)
}

/// Small limits, so that each is met.
fn tight(leaf: LeafKind) -> Setup {
    use crate::sim::{Auto, Bytes, Rate};
    let mut s = Setup::default();
    (s.pfifo.limit, s.pfifo_fast.limit, s.bfifo.limit) = (20, 8, Bytes::new(20_000));
    (s.netem.limit, s.netem.delay) = (20, Span::from_ms(7));
    (s.fq_codel.limit, s.fq_codel.memory_limit, s.fq_codel.drop_batch) = (24, Bytes::new(40_000), 4);
    (s.fq.limit, s.fq.flow_limit) = (20, 6);
    s.aaq.limit = 20;
    (s.cake.memlimit, s.cake.bandwidth) = (Auto::Set(Bytes::new(40_000)), Some(Rate::from_mbit(5)));
    (s.htb.rate, s.htb.leaf) = (Rate::from_mbit(5), leaf);
    s
}

type Binned = Vec<(Packet, Place, Reason)>;

fn run(kind: Kind, leaf: LeafKind, ops: &[Op]) {
    let name = (kind.name(), leaf.name());
    let mut q = Qdisc::new(kind, &tight(leaf), 7);
    let (mut now, mut bin): (Time, Binned) = (Time::from_s(1), Vec::new());
    let (mut put, mut got, mut bytes, mut seq) = (0u64, 0u64, 0u64, 0u32);
    let mut last = [None; 12];
    let mut take = |q: &mut Qdisc, now: Time, bin: &mut Binned, got: &mut u64, bytes: &mut u64| {
        let from = bin.len();
        let out = q.dequeue(now, bin);
        *bytes -= bin[from..].iter().map(|d| u64::from(d.0.eth_len())).sum::<u64>();
        let Some(p) = out else { return false };
        *got += 1;
        *bytes -= u64::from(p.eth_len());
        assert!(last[p.flow.0 as usize] < Some(p.seq), "{name:?}: a flow was reordered");
        last[p.flow.0 as usize] = Some(p.seq);
        true
    };
    for op in ops {
        match *op {
            Op::Pass(ns) => now += Span::from_ns(i64::from(ns)),
            Op::Enqueue { flow, payload } => {
                let (mut p, from) = (packet(flow, seq, payload), bin.len());
                if flow >= 9 {
                    p.born = now + Span::from_ms(3); // paced: matters to fq only
                }
                (seq, put, bytes) = (seq + 1, put + 1, bytes + u64::from(p.eth_len()));
                let verdict = q.enqueue(now, p, &mut bin);
                let gone = &bin[from..];
                bytes -= gone.iter().map(|d| u64::from(d.0.eth_len())).sum::<u64>();
                match verdict {
                    Verdict::Drop => {
                        assert!(gone.len() == 1 && gone[0].0.seq == p.seq, "{name:?}: Drop is of p itself")
                    }
                    Verdict::Cn => assert!(!gone.is_empty(), "{name:?}: Cn without a drop"),
                    Verdict::Ok => assert!(gone.iter().all(|d| d.0.seq != p.seq), "{name:?}: Ok, but p is gone"),
                }
            }
            Op::Dequeue(n) => {
                for _ in 0..n {
                    if !take(&mut q, now, &mut bin, &mut got, &mut bytes) {
                        let wake = q.wake_at(now);
                        assert!(q.packets() == 0 || wake.is_some_and(|w| w > now), "{name:?}: waits for nothing");
                        break;
                    }
                }
            }
        }
        assert_eq!(put, got + bin.len() as u64 + u64::from(q.packets()), "{name:?}: conservation");
        assert_eq!((q.dropped(), q.bytes()), (bin.len() as u64, bytes), "{name:?}: counters");
        assert!(bin.iter().all(|d| d.1 == Place::Qdisc));
    }
    let mut patience = 10_000;
    while q.packets() > 0 {
        if !take(&mut q, now, &mut bin, &mut got, &mut bytes) && q.packets() > 0 {
            let wake = q.wake_at(now).expect("packets are held, so a time is due");
            assert!(wake > now, "{name:?}: asks to be woken in the past");
            now = wake;
        }
        patience -= 1;
        assert!(patience > 0, "{name:?}: never empties");
    }
    assert_eq!((put, q.bytes()), (got + bin.len() as u64, 0), "{name:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_discipline_conserves_packets(ops in ops()) {
        for &kind in Kind::ALL {
            run(kind, LeafKind::Pfifo, &ops);
        }
        for &leaf in LeafKind::ALL {
            run(Kind::Htb, leaf, &ops);
        }
    }
}

#[test]
fn each_kind_has_a_schema_and_keeps_what_is_set() {
    use crate::sim::params::Raw;
    for &kind in Kind::ALL {
        let rows = Setup::schema(kind);
        assert!(!rows.is_empty(), "{}", kind.name());
        let mut s = Setup::default();
        assert!(s.set(kind, "no such key", &Raw::Int(1)).is_none());
        for row in rows {
            assert!(!row.doc.is_empty() && !row.source.is_empty(), "{} {}", kind.name(), row.key);
        }
    }
}
