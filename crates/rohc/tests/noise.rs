//! Bytes that nobody compressed, and compressed ones that were damaged.

use proptest::prelude::*;
use wavetank_rohc::{Compressor, Decompressor, FiveTuple, Outcome, PureAck, Refused, Sack, ack::LONGEST};

fn ack(n: u32) -> ([u8; LONGEST], usize) {
    let flow = FiveTuple { src: [10, 0, 0, 2], dst: [10, 0, 0, 1], sport: 1, dport: 2 };
    let mut bytes = [0; LONGEST];
    let a = PureAck {
        flow,
        ttl: 64,
        tos: 0,
        df: true,
        ip_id: n as u16,
        seq: 1,
        ack: n * 2896,
        ece: false,
        cwr: false,
        window: 500,
        ts: Some((n, n)),
        sack: Sack::default(),
    };
    let len = a.write(&mut bytes);
    (bytes, len)
}

/// A pair with an open, confirmed context; the next ACK is number 3.
fn opened() -> (Compressor, Decompressor) {
    let (mut tx, mut rx) = (Compressor::new(), Decompressor::new());
    let (b, n) = ack(0);
    assert!(matches!(tx.compress(&b[..n]), Outcome::Native(_)));
    rx.native(&b[..n]);
    tx.native_done(&b[..n], true);
    for k in 1..3 {
        let (b, n) = ack(k);
        let Outcome::Ride(r) = tx.compress(&b[..n]) else { panic!() };
        assert!(rx.next(&r.bytes).0.is_ok());
        tx.confirm(r.cid, r.epoch, r.msn);
    }
    (tx, rx)
}

/// Damage that the frame's own FCS let through: eight bits of CRC find all but one in 256.
#[test]
fn a_damaged_bit_is_found_and_leaves_the_context_alone() {
    let (mut tries, mut accepted) = (0, 0);
    for jump in 0..200 {
        let (mut tx, _) = opened();
        let (b, n) = ack(3 + jump * 7);
        let Outcome::Ride(r) = tx.compress(&b[..n]) else { panic!() };
        for bit in 16..8 * r.bytes.len() {
            let (_, mut rx) = opened();
            let mut damaged = r.bytes.to_vec();
            damaged[bit / 8] ^= 1 << (bit % 8);
            tries += 1;
            match rx.next(&damaged).0 {
                // fields that would have been sent needlessly, or habits: the ACK itself is right
                Ok(x) if *x.header == b[..n] => {}
                Ok(_) => accepted += 1,
                Err(why) => {
                    assert!(matches!(why, Refused::Crc | Refused::Malformed), "jump {jump} bit {bit}: {why:?}");
                    assert_eq!(*rx.next(&r.bytes).0.unwrap().header, b[..n]);
                }
            }
        }
    }
    assert!(tries > 5000 && accepted * 128 < tries, "{accepted} of {tries}");
}
#[test]
fn a_repeated_chain_is_seen_and_its_new_end_is_restored() {
    let (mut tx, mut rx) = opened();
    let mut chain = Vec::new();
    for k in 3..6 {
        let (b, n) = ack(k);
        let Outcome::Ride(r) = tx.compress(&b[..n]) else { panic!() };
        chain.extend_from_slice(&r.bytes);
        let mut rest = &chain[..];
        let mut fresh = 0;
        while !rest.is_empty() {
            let (got, after) = rx.next(rest);
            match got {
                Ok(r) => {
                    assert_eq!(*r.header, b[..n]);
                    fresh += 1;
                }
                Err(why) => assert_eq!(why, Refused::Seen),
            }
            rest = after;
        }
        assert_eq!(fresh, 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]
    #[test]
    fn noise_is_survived(noise in proptest::collection::vec(any::<u8>(), 0..120), own_cid: bool) {
        let (mut tx, mut rx) = opened();
        let (b, n) = ack(3);
        let Outcome::Ride(r) = tx.compress(&b[..n]) else { panic!() };
        let mut noise = noise;
        if own_cid && !noise.is_empty() {
            noise[0] = r.cid.0;
        }
        let mut rest = &noise[..];
        while !rest.is_empty() {
            let before = rest.len();
            rest = rx.next(rest).1;
            prop_assert!(rest.len() < before);
        }
        rx.native(&noise);
        let _ = tx.compress(&noise);
        tx.native_done(&noise, true);
    }
}
