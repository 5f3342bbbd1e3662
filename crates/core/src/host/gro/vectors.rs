//! GRO against net/core/gro.c, net/ipv4/tcp_offload.c and af_inet.c of 6.12.117, with all flows in one list: see
//! [`vectors`](crate::qdisc::vectors). Segments of a flow are of one size, or empty: D1.

use super::Gro;
use crate::qdisc::vectors::{Draw, Fold};
use crate::sim::{Ecn, FlowId, Kind, NodeId, Packet, Time, flags};
use std::collections::VecDeque;

/// 1000 polls of frames of up to twelve flows, in which something differs now and then.
fn gave(n: usize) -> Fold {
    let (mut x, mut fold) = (Draw::setting(n), Fold::default());
    let (flows, odd, push) = (x.pick(&[1, 2, 8, 12]), x.pick(&[5, 30, 1000]), x.pick(&[3, 20, 1000]));
    let (run, most) = (x.pick(&[1, 1, 8]), x.pick(&[4, 16, 64]));
    let mut next = Vec::new();
    for i in 0..flows {
        let mut p = Packet::blank(Kind::Tcp, FlowId(i as u16), NodeId(0), NodeId(1));
        (p.seq, p.ack, p.tsval, p.tsecr, p.wnd) = (1000 * i, 7, 1, 9, 1000);
        (p.payload, p.ecn) = (x.pick(&[1448, 536, 8948, 100]), Ecn::Ect0);
        (p.sack[0], p.headers) = ((1, 2), 52);
        next.push(p);
    }
    let (mut gro, mut merged, mut cur) = (Gro::default(), 0, 0);
    for _ in 0..1000 {
        let mut ring = VecDeque::new();
        for _ in 0..=x.below(most) {
            let (a, b, c) = (x.next(), x.next(), x.next());
            if a % run == 0 {
                cur = (b % flows) as usize;
            }
            let f = &mut next[cur];
            match b / flows % odd {
                0 => f.ack = f.ack.wrapping_add(1448),
                1 => f.wnd = f.wnd.wrapping_sub(1) & 0xffff,
                2 => f.tsval = f.tsval.wrapping_add(1),
                3 => f.seq = f.seq.wrapping_add(f.payload),
                4 => f.seq = f.seq.wrapping_sub(f.payload),
                5 => f.ident = f.ident.wrapping_add(1),
                _ => {}
            }
            let what = if c % odd == 1 { c / odd % 7 } else { 7 };
            match what {
                1 => f.ecn = if f.ecn == Ecn::Ce { Ecn::Ect0 } else { Ecn::Ce },
                2 => (f.n_sack, f.headers) = (1 - f.n_sack, 52 + 64 - f.headers),
                _ => {}
            }
            let mut p = *f;
            p.flags = flags::ACK;
            match what {
                0 => p.payload = 0,
                3 => p.flags |= flags::CWR,
                4 => p.flags |= flags::ECE,
                5 => p.flags |= flags::FIN,
                6 => p.kind = Kind::Udp,
                _ => {}
            }
            if a / 8 % push == 0 && p.payload > 0 {
                p.flags |= flags::PSH;
            }
            p.truesize = if p.payload > 0 { 2304 } else { 768 };
            if p.kind == Kind::Tcp {
                (f.seq, f.ident) = (f.seq.wrapping_add(p.payload), f.ident.wrapping_add(1));
            }
            ring.push_back((Time::ZERO, p));
        }
        let n = ring.len();
        merged += gro.poll(&mut ring, n, |_, p| {
            fold.add(p.flow.0.into());
            fold.add(p.seq.into());
            fold.add(p.segs.into());
            fold.add(u64::from(p.headers) + u64::from(p.payload));
            fold.add(p.truesize.into());
            fold.add(u64::from(p.flags & flags::PSH != 0) * 8 + u64::from(p.flags & flags::FIN != 0) * 2);
        });
        fold.add(merged);
    }
    fold
}

const KERNEL: [Fold; 32] = [
    Fold(53_080, 3_935_957_149_610_838_123),
    Fold(12_016, 18_170_552_554_476_312_030),
    Fold(13_462, 16_256_541_524_788_927_663),
    Fold(11_806, 1_599_955_479_217_325_631),
    Fold(30_910, 2_510_892_668_853_174_489),
    Fold(53_278, 14_424_768_576_579_300_893),
    Fold(193_198, 9_225_285_107_137_303_871),
    Fold(15_430, 11_979_034_375_818_648_695),
    Fold(15_232, 5_562_007_963_911_638_948),
    Fold(33_994, 13_207_495_381_441_914_686),
    Fold(15_202, 7_438_096_502_284_733_818),
    Fold(53_086, 5_752_641_663_476_685_657),
    Fold(70_336, 2_216_118_065_710_037_684),
    Fold(52_864, 6_670_973_347_636_528_132),
    Fold(32_926, 3_468_564_229_745_894_119),
    Fold(90_490, 16_509_841_423_740_403_163),
    Fold(53_494, 14_940_505_362_686_402_809),
    Fold(192_238, 8_089_572_389_403_866_634),
    Fold(16_846, 9_573_992_809_374_318_833),
    Fold(29_422, 6_736_707_761_278_478_183),
    Fold(98_398, 6_382_622_303_222_264_217),
    Fold(10_534, 9_480_719_043_991_824_323),
    Fold(7402, 13_835_409_732_831_124_091),
    Fold(193_780, 10_777_681_530_474_776_109),
    Fold(52_948, 14_245_016_250_754_907_427),
    Fold(29_140, 2_654_844_745_908_062_894),
    Fold(69_304, 12_750_965_740_184_162_083),
    Fold(9652, 15_245_264_032_942_931_177),
    Fold(14_578, 4_818_165_455_576_825_111),
    Fold(16_804, 10_731_220_055_739_739_769),
    Fold(22_762, 15_258_054_505_080_933_701),
    Fold(52_804, 15_909_481_295_997_035_948),
];

#[test]
fn every_packet_that_goes_up_is_the_kernels() {
    for (n, row) in KERNEL.iter().enumerate() {
        assert_eq!(gave(n), *row, "setting {n}");
    }
}
