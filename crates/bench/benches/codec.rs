//! ACKs a second, one way, on one core.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use wavetank_rohc::{Compressor, Decompressor, FiveTuple, Outcome, PureAck, Sack, ack::LONGEST};

const N: u32 = 10_000;

fn packets() -> Vec<Vec<u8>> {
    let flow = FiveTuple { src: [10, 0, 0, 2], dst: [10, 0, 0, 1], sport: 5000, dport: 5001 };
    let one = |n: u32| {
        let a = PureAck {
            flow,
            ttl: 64,
            tos: 0,
            df: true,
            ip_id: n as u16,
            seq: 1,
            ack: n.wrapping_mul(2896),
            ece: false,
            cwr: false,
            window: 500,
            ts: Some((n / 2, n / 2)),
            sack: Sack::default(),
        };
        let mut bytes = [0; LONGEST];
        let len = a.write(&mut bytes);
        bytes[..len].to_vec()
    };
    (0..=N).map(one).collect()
}

fn ready(first: &[u8]) -> (Compressor, Decompressor) {
    let (mut tx, mut rx) = (Compressor::new(), Decompressor::new());
    tx.compress(first);
    rx.native(first);
    tx.native_done(first, true);
    (tx, rx)
}

#[divan::bench]
fn compress(bencher: Bencher) {
    let packets = packets();
    bencher.counter(ItemsCount::new(N)).with_inputs(|| ready(&packets[0]).0).bench_local_values(|mut tx| {
        for p in &packets[1..] {
            let Outcome::Ride(r) = tx.compress(black_box(p)) else { unreachable!() };
            tx.confirm(r.cid, r.epoch, r.msn);
            black_box(&r.bytes);
        }
        tx
    });
}

#[divan::bench]
fn decompress(bencher: Bencher) {
    let packets = packets();
    let (mut tx, _) = ready(&packets[0]);
    let rides: Vec<Vec<u8>> = packets[1..]
        .iter()
        .map(|p| {
            let Outcome::Ride(r) = tx.compress(p) else { unreachable!() };
            tx.confirm(r.cid, r.epoch, r.msn);
            r.bytes.to_vec()
        })
        .collect();
    bencher.counter(ItemsCount::new(N)).with_inputs(|| ready(&packets[0]).1).bench_local_values(|mut rx| {
        for r in &rides {
            assert!(rx.next(black_box(r)).0.is_ok());
        }
        rx
    });
}

fn main() {
    divan::main();
}
