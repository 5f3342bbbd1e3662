//! A-MSDUs in the TXQs' fair queue against `ieee80211_amsdu_aggregate` and `ieee80211_amsdu_prepare_head` of net/mac80211/tx.c and
//! include/net/fq_impl.h of 6.12.117, in the way of [`vectors`](crate::qdisc::vectors).

use super::Most;
use crate::mac80211::fq::Fq;
use crate::mac80211::profile::Pays;
use crate::qdisc::vectors::Draw;
use crate::sim::{FlowId, Kind, NodeId, Packet, Time};

/// What a setting gave: packets out, packets dropped, packets that joined another, and a checksum of all there is to see, in its order.
type Row = (u32, u32, u32, u64);

const OPERATIONS: u32 = 5_000;

fn gave(n: usize) -> Row {
    let mut x = Draw::setting(n);
    let flows = x.pick(&[1, 2, 7, 64, 4_096]);
    let quantum = x.pick(&[1, 300, 1_514, 20_000]);
    let limit = x.pick(&[1, 5, 60, 300, 8_192]);
    let memory_limit = x.pick(&[20_000, 178_000, 4_194_304]);
    let tins = x.pick(&[1, 2, 16]);
    let bytes = x.pick(&[0, 3_839, 7_935, 7_991, 11_454]);
    let most = Most { bytes, msdus: x.pick(&[1, 2, 3, 7, 255]) };
    let header = x.pick(&[34, 42]);
    let sizes = x.below(4);
    let super_packets = x.pick(&[1, 7, 1_000_000]);
    let mut fq = Fq::new(flows, tins, quantum, limit, memory_limit, Pays::Half, header);
    let (mut out, mut drops, mut joins, mut sum) = (0, 0, 0, 0_u64);
    let fold = |sum: &mut u64, v: u64| *sum = sum.wrapping_mul(31).wrapping_add(v);
    for op in 0..OPERATIONS {
        let (a, b, c) = (x.next(), x.next(), x.next());
        let (tin, dice) = (a % tins, (a >> 5) % 100);
        if dice < [45, 70][op as usize / 500 % 2] {
            let mut p = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(1));
            p.headers = 28;
            p.payload = [b % 1_473, 1_472, 0, b % 2 * 1_472][sizes as usize];
            (p.seq, p.truesize) = (op, 768 + p.ip_len());
            p.segs = if super_packets > 1 && (b >> 16) % super_packets == 0 { 2 } else { 1 };
            if fq.join(tin, c % flows, &p, most) {
                joins += 1;
            } else {
                fq.enqueue(tin, c % flows, &p, Time::ZERO, |p, _| {
                    drops += 1;
                    fold(&mut sum, p.seq.into());
                });
            }
        }
        if dice < 40 {
            continue;
        }
        let Some(i) = fq.dequeue(tin, |fq, flow| fq.pop(flow)) else {
            fold(&mut sum, 7);
            continue;
        };
        fold(&mut sum, fq.pool.get(i).seq.into());
        fold(&mut sum, fq.len_at(i).into());
        out += 1;
        while let Some(p) = fq.next_joined(i) {
            fold(&mut sum, p.seq.into());
            out += 1;
        }
        fq.pool.release(i);
    }
    for v in [fq.packets.into(), fq.memory, fq.overlimit, fq.overmemory] {
        fold(&mut sum, v);
    }
    for t in &fq.tins {
        for v in [t.bytes, t.packets.into(), t.overlimit, t.collisions, t.flows, t.tx_bytes, t.tx_packets] {
            fold(&mut sum, v);
        }
    }
    fq.flows[..flows as usize].iter().for_each(|f| fold(&mut sum, f.backlog.into()));
    (out, drops, joins, sum)
}

const KERNEL: [Row; 40] = [
    (2_767, 33, 0, 8_179_992_888_983_221_201),
    (2_887, 16, 580, 13_388_018_100_719_929_043),
    (1_320, 1_533, 0, 9_503_872_756_879_892_312),
    (2_790, 0, 0, 15_303_610_004_101_673_234),
    (2_058, 759, 259, 2_627_286_923_216_559_311),
    (2_495, 405, 0, 17_492_545_477_052_014_228),
    (1_275, 1_633, 126, 7_550_017_868_477_466_208),
    (2_885, 0, 1_171, 3_613_487_067_596_564_755),
    (2_894, 0, 588, 5_236_710_034_322_573_460),
    (2_520, 289, 4, 9_939_323_950_856_408_503),
    (2_473, 460, 0, 3_827_727_961_936_374_808),
    (1_335, 1_539, 14, 7_272_150_118_256_529_843),
    (2_869, 0, 1_140, 17_655_522_409_571_346_472),
    (2_871, 0, 702, 11_947_802_969_015_928_663),
    (2_358, 560, 0, 6_751_294_642_443_037_764),
    (1_419, 1_487, 472, 16_743_021_691_325_042_866),
    (1_274, 1_591, 5, 7_600_801_262_073_587_904),
    (2_774, 0, 1_042, 7_887_785_200_810_212_362),
    (2_569, 286, 0, 13_476_374_237_299_424_488),
    (2_323, 525, 0, 7_479_090_741_495_902_733),
    (518, 2_357, 69, 17_635_344_917_967_959_837),
    (2_799, 1, 10, 12_643_087_112_552_107_382),
    (2_880, 0, 829, 11_303_538_686_408_113_302),
    (1_289, 1_574, 95, 6_013_227_432_674_728_341),
    (2_840, 12, 938, 15_567_831_317_595_428_736),
    (1_364, 1_533, 90, 13_424_496_982_226_237_688),
    (2_811, 0, 597, 6_479_301_242_276_972_637),
    (2_791, 73, 0, 5_764_818_289_003_531_262),
    (1_219, 1_638, 28, 8_788_923_591_050_617_132),
    (2_195, 740, 858, 15_888_214_430_917_327_577),
    (2_837, 60, 627, 10_901_196_127_278_107_047),
    (2_835, 0, 26, 5_004_776_730_780_045_927),
    (2_814, 10, 776, 17_792_250_288_710_833_196),
    (1_316, 1_561, 10, 12_833_104_093_753_291_622),
    (327, 2_553, 127, 4_315_138_689_996_379_881),
    (2_792, 0, 0, 10_437_551_461_636_627_426),
    (2_703, 0, 0, 6_007_519_110_209_638_641),
    (1_389, 1_506, 343, 8_122_372_703_447_199_574),
    (1_750, 1_161, 2, 14_045_862_650_403_876_780),
    (2_823, 0, 753, 13_016_142_276_714_067_884),
];

#[test]
fn as_the_kernel_joins_them() {
    for (n, row) in KERNEL.iter().enumerate() {
        assert_eq!(gave(n), *row, "setting {n}");
    }
}
