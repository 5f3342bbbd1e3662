//! Streams of ACKs over a link that loses, repeats and reorders: whatever comes out went in.
//!
//! `STEPS=100000000 cargo test --release -p wavetank-rohc --test link` walks further.

use std::collections::{HashMap, VecDeque};

use wavetank_rohc::{Cid, Compressor, Decompressor, FiveTuple, Native, Outcome, PureAck, Sack};

/// xorshift64*: the tests' own, so that a seed is one walk for ever.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 33) % n
    }
    fn one_in(&mut self, n: u64) -> bool {
        n != 0 && self.below(n) == 0
    }
}

/// A receiver of a download, as far as its ACKs go.
struct Flow {
    ack: PureAck,
    step: u32,
    id_step: u16,
}

impl Flow {
    fn new(dice: &mut Dice, i: u64) -> Flow {
        let flow =
            FiveTuple { src: [10, 0, 0, 2], dst: [10, 0, 0, 1], sport: 5000 + i as u16, dport: dice.next() as u16 };
        let ack = PureAck {
            flow,
            ttl: 64,
            tos: 0,
            df: true,
            ip_id: dice.next() as u16,
            seq: dice.next() as u32,
            // near the wrap, so that walks cross it
            ack: 0u32.wrapping_sub(dice.below(1 << 22) as u32),
            ece: false,
            cwr: false,
            window: 501,
            ts: if dice.one_in(4) {
                None
            } else {
                Some((0u32.wrapping_sub(dice.below(2000) as u32), dice.next() as u32))
            },
            sack: Sack::default(),
        };
        Flow { ack, step: 1448, id_step: [1, 1, 1, 0, 257][dice.below(5) as usize] }
    }
    fn next(&mut self, dice: &mut Dice) -> PureAck {
        let a = &mut self.ack;
        a.ip_id = a.ip_id.wrapping_add(self.id_step);
        let mut sack = Sack::default();
        match dice.below(40) {
            0 => {} // a duplicate
            1 => a.ack = a.ack.wrapping_add(dice.below(1448) as u32 + 1),
            2 => a.ack = a.ack.wrapping_add(dice.below(1 << 20) as u32),
            3 => a.window = dice.next() as u16,
            4 => a.ece = !a.ece,
            5 => a.cwr = !a.cwr,
            6 => a.tos = a.tos & !3 | dice.below(4) as u8,
            7 if dice.one_in(8) => a.tos ^= 4 << dice.below(6),
            8 if dice.one_in(8) => a.ttl = a.ttl.wrapping_sub(1),
            9 if dice.one_in(8) => a.seq = a.seq.wrapping_add(dice.below(2000) as u32),
            10 if dice.one_in(16) => a.ts = a.ts.xor(Some((dice.next() as u32, 1))),
            11 if dice.one_in(8) => self.step = 500 + dice.below(1000) as u32,
            12..=14 => {
                let n = dice.below(3) + 1;
                let at = |k: u64| a.ack.wrapping_add((k * 20_000) as u32);
                let blocks: Vec<_> = (1..=n).map(|k| (at(k), at(k).wrapping_add(dice.below(9000) as u32))).collect();
                sack = Sack::new(&blocks).unwrap();
            }
            _ => a.ack = a.ack.wrapping_add(self.step * (1 + dice.below(2) as u32)),
        }
        if let Some((val, ecr)) = &mut a.ts {
            let ms = if dice.one_in(50) { dice.below(1 << 18) as u32 } else { dice.below(2) as u32 };
            *val = val.wrapping_add(ms);
            *ecr = ecr.wrapping_add(ms);
        }
        PureAck { sack, ..*a }
    }
}

/// Something on its way.
enum Sent {
    Native(Vec<u8>),
    Ride { bytes: Vec<u8>, of: (Cid, u8, u32) },
}

#[derive(Default, Debug)]
struct Counts {
    rides: u64,
    ride_bytes: u64,
    natives: u64,
    restored: u64,
    refused: u64,
}

/// One walk. `loss`: one in so many is lost (0: none).
fn walk(seed: u64, steps: u64, flows: u64, loss: u64, disorder: bool) -> Counts {
    let mut dice = Dice(seed * 2 + 1);
    let mut flows: Vec<Flow> = (0..flows).map(|i| Flow::new(&mut dice, i)).collect();
    let (mut tx, mut rx) = (Compressor::new(), Decompressor::new());
    let mut link: VecDeque<Sent> = VecDeque::new();
    let mut originals: HashMap<(Cid, u8, u32), Vec<u8>> = HashMap::new();
    let mut counts = Counts::default();
    for step in 0..steps {
        let i = dice.below(flows.len() as u64) as usize;
        let ack = flows[i].next(&mut dice);
        let mut bytes = [0; wavetank_rohc::ack::LONGEST];
        let n = ack.write(&mut bytes);
        let packet = bytes[..n].to_vec();
        match tx.compress(&packet) {
            Outcome::Native(why) => {
                assert!(!matches!(why, Native::NotPure(_)), "{why:?}");
                counts.natives += 1;
                link.push_back(Sent::Native(packet));
            }
            Outcome::Ride(r) => {
                counts.rides += 1;
                counts.ride_bytes += r.bytes.len() as u64;
                let of = (r.cid, r.epoch, r.msn);
                originals.insert(of, packet);
                link.push_back(Sent::Ride { bytes: r.bytes.to_vec(), of });
            }
        }
        if dice.one_in(5000) {
            tx.abandon(flows[i].ack.flow.cid());
        }
        while link.len() > 6 || !link.is_empty() && dice.one_in(2) {
            let at = if disorder && dice.one_in(10) { dice.below(link.len().min(6) as u64) as usize } else { 0 };
            let Some(sent) = link.remove(at) else { break };
            let lost = dice.one_in(loss);
            match sent {
                Sent::Native(p) => {
                    if !lost {
                        rx.native(&p);
                    }
                    tx.native_done(&p, !lost);
                }
                Sent::Ride { bytes, of } => {
                    for _ in 0..if lost {
                        0
                    } else if disorder && dice.one_in(20) {
                        2
                    } else {
                        1
                    } {
                        let (got, rest) = rx.next(&bytes);
                        assert!(rest.is_empty());
                        match got {
                            Ok(r) => {
                                assert_eq!((r.cid, r.epoch, r.msn), of, "seed {seed} step {step}");
                                assert_eq!(*r.header, **originals.get(&of).unwrap(), "seed {seed} step {step}");
                                counts.restored += 1;
                                // the other side may learn of it late, or not at all
                                if !dice.one_in(loss) {
                                    tx.confirm(of.0, of.1, of.2);
                                }
                            }
                            Err(_) => counts.refused += 1,
                        }
                    }
                    if !disorder {
                        originals.remove(&of);
                    }
                }
            }
        }
        if originals.len() > 10_000 {
            originals.clear();
            link.clear();
            (tx, rx) = (Compressor::new(), Decompressor::new());
        }
    }
    counts
}

fn steps() -> u64 {
    std::env::var("STEPS").ok().and_then(|s| s.parse().ok()).unwrap_or(400_000)
}

#[test]
fn a_perfect_link_restores_every_ride() {
    let c = walk(1, steps(), 3, 0, false);
    assert_eq!((c.refused, c.restored), (0, c.restored));
    assert!(c.rides > 9 * c.natives, "{c:?}");
    assert!(c.rides - c.restored <= 6, "{c:?}");
}
#[test]
fn losses() {
    for (seed, loss) in [(2, 100), (3, 10), (4, 3)] {
        let c = walk(seed, steps(), 3, loss, false);
        assert!(c.restored > c.rides / 3, "{c:?}");
    }
}
#[test]
fn disorder_and_repetition() {
    for (seed, loss) in [(5, 0), (6, 20), (7, 3)] {
        let c = walk(seed, steps(), 5, loss, true);
        assert!(c.restored > c.rides / 3, "{c:?}");
    }
}
#[test]
fn many_flows_collide_and_all_get_through() {
    let c = walk(8, steps(), 400, 20, true);
    assert!(c.natives > 0 && c.restored > 0, "{c:?}");
}
#[test]
fn a_bulk_download_takes_four_bytes() {
    let mut dice = Dice(9);
    let mut flow = Flow::new(&mut dice, 0);
    flow.ack.ts = Some((1, 1));
    flow.id_step = 1;
    let (mut tx, mut rx) = (Compressor::new(), Decompressor::new());
    let (mut rides, mut bytes_sent) = (0u32, 0u32);
    for n in 0..10_000u32 {
        // the thesis's download: every second segment is acknowledged, 480 us apart
        let mut ack = flow.ack;
        ack.ack = ack.ack.wrapping_add(n * 2896);
        ack.ip_id = ack.ip_id.wrapping_add(n as u16);
        ack.ts = Some((1 + n * 480 / 1000, 1 + n * 480 / 1000));
        let mut bytes = [0; wavetank_rohc::ack::LONGEST];
        let len = ack.write(&mut bytes);
        match tx.compress(&bytes[..len]) {
            Outcome::Native(_) => {
                rx.native(&bytes[..len]);
                tx.native_done(&bytes[..len], true);
            }
            Outcome::Ride(r) => {
                rides += 1;
                bytes_sent += r.bytes.len() as u32;
                let (got, _) = rx.next(&r.bytes);
                assert_eq!(*got.unwrap().header, bytes[..len]);
                tx.confirm(r.cid, r.epoch, r.msn);
            }
        }
    }
    assert_eq!(rides, 9_999);
    let mean = f64::from(bytes_sent) / f64::from(rides);
    assert!((4.0..4.1).contains(&mean), "{mean}");
}
