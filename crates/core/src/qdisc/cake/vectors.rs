//! CAKE against 6.12's own sch_cake.c, compiled outside the kernel (with our hash and random numbers) and given the same random packets.

use super::super::Old;
use super::super::battery::packet;
use super::super::vectors::{Draw, Fold};
use super::*;
use crate::sim::{Ecn, NodeId, flags};

/// What 60000 operations gave.
#[derive(PartialEq, Debug)]
struct Gave {
    came: u32,
    out: Fold,
    drops: Fold,
    /// Packets and bytes that are left, packets whose own flow paid, and marked ones.
    left: (u32, u64, u32, u64),
    /// Drops for want of memory, by COBALT, by the filter.
    why: [u32; 3],
    /// A checksum of when the watchdog was to fire.
    wakes: u64,
    /// Of all tins.
    unresponsive: u32,
    ways: [u32; 3],
    net: (u32, u32),
    adjusted: (u32, u32),
    memory_max: u64,
    /// Of the first tin: mean, peak, base, ns.
    delay: [u64; 3],
}

/// Flows 0 to 9 send data, the others TCP ACKs with time stamps, SACK, ECN echoes and a FIN now and then; three sources, five destinations, any DSCP.
fn next_packet(seq: u32, b: u32, e: u32, acks: &mut [u32]) -> Packet {
    let flow = b % acks.len() as u32;
    let mut p = packet(flow as u16, seq, (b >> 5) % 1449);
    (p.src, p.dst) = (NodeId(1 + (flow % 3) as u16), NodeId(4 + (flow % 5) as u16));
    p.dscp = ((e >> 10) % 64) as u8;
    p.flags = flags::ACK;
    (p.tsval, p.tsecr) = (seq + 1, 1);
    if flow % 4 == 0 {
        p.ecn = Ecn::Ect0;
    }
    if flow >= 10 {
        p.payload = 0;
        let ack = &mut acks[flow as usize];
        *ack += e % 3;
        p.ack = *ack * 1000;
        p.flags |= if e % 17 == 0 { flags::ECE } else { 0 } | if e % 101 == 0 { flags::FIN } else { 0 };
        p.tsval = (seq + 1).wrapping_sub(if e % 7 == 0 { 5 } else { 0 });
        p.tsecr = seq / 2 + 1;
        let n = (e >> 5) % 4;
        p.n_sack = n as u8;
        for k in 0..n {
            let left = (p.ack + 1000 * (k * 2 + 1)).wrapping_sub(if e % 37 == 0 { 3000 } else { 0 });
            p.sack[k as usize] = (left, p.ack + 1000 * (k * 2 + 2 + e % 2));
        }
        p.headers = 52 + if n > 0 { 4 + 8 * n as u16 } else { 0 };
    }
    p.truesize = 768 + p.payload;
    p
}

fn run(flows: usize, change: impl Fn(&mut Params)) -> Gave {
    let mut setup = Setup::default();
    setup.cake.memlimit = Auto::Set(Bytes::new(178_000));
    change(&mut setup.cake);
    let (mut q, mut bin) = (Cake::build(&setup, 3), Vec::new());
    let (mut x, mut acks) = (Draw(5), vec![0; flows]);
    let (mut out, mut drops, mut why, mut wakes) = (Fold::default(), Fold::default(), [0; 3], 0_u64);
    let (mut now, mut seq, mut cn) = (Time::from_s(1), 0, 0);
    for op in 0..60_000 {
        now += Span::from_ns(i64::from(x.next() % 600_000));
        let (a, b, e) = (x.next(), x.next(), x.next());
        if a % 100 < [70, 52, 60, 45][op / 3000 % 4] {
            let p = next_packet(seq, b, e, &mut acks);
            seq += 1;
            cn += u32::from(q.enqueue(now, p, &mut bin) == Verdict::Cn);
        }
        if a % 100 >= 50 {
            if let Some(p) = q.dequeue(now, &mut bin) {
                let ce = if p.ecn == Ecn::Ce { 1_000_000 } else { 0 };
                out.add(u64::from(p.seq) + ce + u64::from(p.dscp) * 10_000_000);
            } else if q.packets() > 0 {
                wakes = wakes.wrapping_mul(31).wrapping_add(q.wake_at(now).map_or(0, Time::ns));
            }
        }
        for (p, _, reason) in bin.drain(..) {
            drops.add(u64::from(p.seq));
            why[[Reason::Memory, Reason::Codel, Reason::AckFilter]
                .iter()
                .position(|&r| r == reason)
                .expect("one of three")] += 1;
        }
    }
    let of = |f: fn(&Tin) -> u64| q.tins.iter().map(f).sum::<u64>();
    Gave {
        came: seq,
        out,
        drops,
        left: (q.packets(), q.bytes(), cn, of(|t| t.marked)),
        why,
        wakes,
        unresponsive: of(|t| t.flows.unresponsive.into()) as u32,
        ways: [0, 1, 2].map(|i| q.tins.iter().map(|t| t.flows.ways[i]).sum()),
        net: q.framing.net,
        adjusted: q.framing.adjusted,
        memory_max: q.memory_max,
        delay: q.tins[0].delay,
    }
}

#[test]
fn a_shaper_with_three_tins() {
    let gave = run(20, |c| c.bandwidth = Some(Rate::from_mbit(10)));
    let kernel = Gave {
        came: 34_203,
        out: Fold(28_987, 10_946_707_031_610_017_686),
        drops: Fold(5213, 985_096_376_655_041_079),
        left: (3, 258, 142, 2065),
        why: [769, 4444, 0],
        wakes: 2_662_200_588_595_213_461,
        unresponsive: 3,
        ways: [0, 60, 0],
        net: (66, 1514),
        adjusted: (66, 1514),
        memory_max: 180_137,
        delay: [4_105_632, 11_421_558, 239_025],
    };
    assert_eq!(gave, kernel);
}

#[test]
fn four_tins_without_a_rate_whose_flows_share_by_source() {
    let gave = run(20, |c| (c.diffserv, c.flowmode) = (Diffserv::Four, FlowMode::DualSrcHost));
    let kernel = Gave {
        came: 34_203,
        out: Fold(29_161, 18_251_429_952_626_910_048),
        drops: Fold(5039, 10_643_683_783_684_519_189),
        left: (3, 258, 205, 1790),
        why: [1160, 3879, 0],
        wakes: 0,
        unresponsive: 8,
        ways: [0, 80, 0],
        net: (66, 1514),
        adjusted: (66, 1514),
        memory_max: 180_132,
        delay: [5_735_054, 20_586_947, 296_920],
    };
    assert_eq!(gave, kernel);
}

#[test]
fn eight_tins_at_ingress_on_atm_with_the_aggressive_filter() {
    let gave = run(20, |c| {
        (c.bandwidth, c.diffserv, c.flowmode) = (Some(Rate::from_mbit(10)), Diffserv::Eight, FlowMode::Hosts);
        (c.ingress, c.ack_filter, c.wash) = (true, AckFilter::Aggressive, true);
        (c.overhead, c.mpu, c.atm) = (Some(44), 84, Atm::Atm);
    });
    let kernel = Gave {
        came: 34_203,
        out: Fold(29_349, 6_314_013_877_931_596_231),
        drops: Fold(4851, 11_415_740_034_660_246_701),
        left: (3, 266, 242, 518),
        why: [1759, 2192, 900],
        wakes: 3_635_107_363_106_105_045,
        unresponsive: 26,
        ways: [0, 120, 0],
        net: (52, 1500),
        adjusted: (106, 1749),
        memory_max: 180_124,
        delay: [479_334_685, 1_464_073_065, 40_715_408],
    };
    assert_eq!(gave, kernel);
}

#[test]
fn precedence_on_ptm_at_30_ms_with_the_filter() {
    let gave = run(20, |c| {
        (c.bandwidth, c.diffserv, c.rtt) = (Some(Rate::from_mbit(12)), Diffserv::Precedence, Span::from_ms(30));
        (c.ack_filter, c.overhead, c.atm) = (AckFilter::Enabled, Some(22), Atm::Ptm);
    });
    let kernel = Gave {
        came: 34_203,
        out: Fold(29_353, 5_206_196_624_800_581_196),
        drops: Fold(4847, 14_858_086_764_743_976_171),
        left: (3, 246, 300, 1058),
        why: [2346, 2166, 335],
        wakes: 17_727_792_502_170_275_144,
        unresponsive: 34,
        ways: [0, 160, 0],
        net: (52, 1500),
        adjusted: (76, 1546),
        memory_max: 180_109,
        delay: [211_365_503, 646_685_613, 764_394],
    };
    assert_eq!(gave, kernel);
}

#[test]
fn one_queue_at_ingress() {
    let gave = run(20, |c| {
        (c.bandwidth, c.diffserv) = (Some(Rate::from_mbit(9)), Diffserv::BestEffort);
        (c.flowmode, c.ingress) = (FlowMode::Blind, true);
    });
    let kernel = Gave {
        came: 34_203,
        out: Fold(26_680, 9_882_244_065_347_582_867),
        drops: Fold(7520, 17_417_009_192_629_243_667),
        left: (3, 238, 241, 140),
        why: [298, 7222, 0],
        wakes: 13_429_361_773_148_475_621,
        unresponsive: 1,
        ways: [0, 0, 0],
        net: (66, 1514),
        adjusted: (66, 1514),
        memory_max: 180_072,
        delay: [1_620_708, 3_742_834, 288_397],
    };
    assert_eq!(gave, kernel);
}

/// Three thousand flows in 1024 queues: ways are found, taken and shared.
#[test]
fn more_flows_than_queues() {
    let gave = run(3000, |c| {
        (c.bandwidth, c.diffserv) = (Some(Rate::from_mbit(3)), Diffserv::BestEffort);
        c.memlimit = Auto::Set(Bytes::new(1_600_000));
    });
    let kernel = Gave {
        came: 34_203,
        out: Fold(29_828, 5_854_734_949_227_894_635),
        drops: Fold(4144, 15_140_773_417_609_730_619),
        left: (231, 41_234, 0, 3183),
        why: [0, 4144, 0],
        wakes: 1_000_622_406,
        unresponsive: 0,
        ways: [4935, 13_432, 9312],
        net: (66, 1511),
        adjusted: (66, 1511),
        memory_max: 677_101,
        delay: [210_172_974, 2_218_917_000, 4_193_860],
    };
    assert_eq!(gave, kernel);
}

/// A queue that is full of one flow's packets drops one of them for each that comes: until 2025 who sends is not told, in the papers' kernels
/// and in 5.15.148.
#[test]
fn before_2025_nobody_is_told_that_room_was_made() {
    let told = |kernel, stable| {
        let mut setup = Setup::default();
        setup.cake.memlimit = Auto::Set(Bytes::new(20_000));
        setup.old = Old::of(kernel, stable);
        let (mut q, mut bin, mut acks) = (Cake::build(&setup, 3), Vec::new(), vec![0; 1]);
        let came = (0..40).map(|seq| q.enqueue(Time::from_s(1), next_packet(seq, 0, 0, &mut acks), &mut bin));
        let cn = came.filter(|&v| v == Verdict::Cn).count();
        assert!(!bin.is_empty());
        cn > 0
    };
    for (kernel, stable, tells) in [
        ((4, 19), None, false),
        ((5, 4), None, false),
        ((5, 10), None, false),
        ((5, 10), Some(262), true),
        ((5, 15), Some(148), false),
        ((6, 1), Some(192), true),
        ((6, 6), Some(129), true),
        ((6, 12), None, true),
    ] {
        assert_eq!(told(kernel, stable), tells, "{kernel:?}");
    }
}
