//! Fair queue and CoDel of the TXQs against include/net/fq_impl.h and net/mac80211/tx.c of 6.12.117 (6.1.192 gives the same),
//! 5.15.148 and 5.10.262: see [`vectors`](crate::qdisc::vectors).

use super::super::profile::{Profile, V5_4, V5_15, V6_12};
use super::super::{Params, Txqs};
use crate::qdisc::vectors::{Binned, Draw, Gave, Load, Queue, Row, asks_for_ecn, holds, run};
use crate::sim::{Auto, Bytes, Packet, Span, Time, Verdict};

/// The driver asks one TXQ after the other; a packet's is in its DSCP.
struct Turns {
    txqs: Txqs,
    stations: u16,
    all: u16,
    turn: u16,
}

impl Turns {
    fn of(&self, i: u16) -> (u16, u8) {
        (i % self.stations, (i / self.stations) as u8)
    }
}

impl Queue for Turns {
    fn put(&mut self, now: Time, p: Packet, bin: &mut Binned) -> Verdict {
        let (sta, tid) = self.of(p.dscp.into());
        self.txqs.enqueue(now, sta, tid, &p, bin);
        Verdict::Ok
    }
    fn take(&mut self, now: Time, bin: &mut Binned) -> Option<Packet> {
        self.turn = (self.turn + 1) % self.all;
        let (sta, tid) = self.of(self.turn);
        self.txqs.dequeue(now, sta, tid, bin)
    }
    fn due(&self, _now: Time) -> Option<Time> {
        None
    }
    /// All TXQs' bytes and drops are among what each TXQ tells.
    fn ends(&self) -> [u64; 3] {
        [self.txqs.packets().into(), 0, 0]
    }
}

fn gave(n: usize, kernel: &Profile) -> Gave {
    let mut x = Draw::setting(n);
    let ms = |x: &mut Draw, of: &[i64]| Span::from_ms(x.pick(of));
    let set = Params {
        flows: x.pick(&[1, 2, 7, 64, 4096]),
        quantum: x.pick(&[1, 300, 1514, 20_000]),
        limit: x.pick(&[1, 5, 60, 300, 8192]),
        memory_limit: Auto::Set(Bytes::new(x.pick(&[20_000, 178_000, 4_194_304]))),
        target: ms(&mut x, &[1, 5, 20]),
        interval: ms(&mut x, &[1, 20, 100]),
        ecn: x.below(2) == 1,
        ..Params::default()
    };
    let (stations, tids) = (x.pick(&[1, 3, 16]), x.pick(&[1, 2, 8]));
    let mut q = Turns { txqs: Txqs::new(&set, kernel, stations, 3, 34), stations, all: stations * tids, turn: 0 };
    let mixed = x.below(2) == 1;
    let load = Load::drawn(&mut x);
    let all = u32::from(q.all);
    let mut gave = run(&mut q, &mut x, &load, |p, c, _| {
        asks_for_ecn(p);
        p.dscp = (if mixed { c >> 4 } else { p.flow.0.into() } % all) as u8;
    });
    let fq = q.txqs.fair_queue();
    [fq.memory, fq.overlimit, fq.overmemory].into_iter().for_each(|v| gave.fold(v));
    for i in 0..q.all {
        let (sta, tid) = q.of(i);
        let t = q.txqs.tin(sta, tid);
        for v in
            [t.bytes, t.packets.into(), t.overlimit, t.collisions, t.flows, t.tx_bytes, t.tx_packets, t.marks, t.drops]
        {
            gave.fold(v);
        }
    }
    for codel in &q.txqs.vars[..fq.table() as usize] {
        gave.fold(codel.count);
        gave.fold(codel.sojourn().ns() as u64 >> 10);
    }
    gave
}

const KERNEL: [Row; 40] = [
    (78, 11_340, 17_394_118_094_106_483_393),
    (2_966, 8_622, 10_898_224_863_462_899_974),
    (395, 11_159, 9_156_017_536_030_472_310),
    (663, 10_688, 16_483_277_382_695_902_817),
    (11_410, 141, 11_452_384_323_266_243_518),
    (2_123, 9_357, 6_440_666_771_807_991_445),
    (3_508, 7_824, 444_021_178_176_605_483),
    (1_081, 10_353, 13_391_410_902_803_815_410),
    (1_259, 10_112, 1_490_896_134_043_412_878),
    (9_758, 1_714, 15_210_710_344_154_629_159),
    (2_777, 8_716, 3_713_569_104_012_132_919),
    (628, 10_823, 4_258_886_534_889_360_273),
    (11_453, 39, 2_025_379_673_048_900_877),
    (11_558, 0, 12_791_541_997_738_734_981),
    (626, 10_989, 45_120_491_755_562_003),
    (5_605, 5_928, 14_948_795_717_168_674_607),
    (1_836, 9_683, 9_486_222_993_182_708_825),
    (8_149, 3_398, 7_244_200_912_095_523_894),
    (236, 11_254, 10_614_771_587_280_159_395),
    (8_594, 2_922, 13_602_387_070_553_132_494),
    (1_778, 9_865, 6_903_960_080_998_740_813),
    (3_321, 8_128, 3_169_702_122_027_934_499),
    (2_275, 9_110, 4_484_695_113_400_495_277),
    (11_239, 454, 9_605_551_960_734_362_022),
    (434, 11_085, 1_776_866_210_415_971_417),
    (929, 10_629, 10_630_582_833_352_310_826),
    (11_348, 116, 11_405_803_783_880_051_326),
    (9_659, 1_812, 14_054_751_276_270_864_851),
    (3_247, 8_332, 15_891_947_446_313_728_121),
    (3_430, 8_122, 11_082_184_909_652_280_746),
    (542, 11_109, 11_414_971_655_494_619_597),
    (9_666, 1_728, 16_632_412_612_347_981_360),
    (8_464, 3_126, 15_705_212_560_599_254_582),
    (553, 11_018, 16_104_270_154_290_950_004),
    (90, 11_494, 4_631_459_035_430_595_708),
    (11_568, 1, 16_250_171_320_290_938_641),
    (11_595, 0, 7_097_005_288_016_925_505),
    (3_045, 8_435, 10_462_685_043_755_087_774),
    (890, 10_618, 1_270_261_745_767_655_095),
    (3_689, 7_957, 10_229_673_869_545_311_271),
];
const KERNEL_5_15: [Row; 16] = [
    (78, 11_340, 17_394_118_094_106_483_393),
    (2_966, 8_622, 10_898_224_863_462_899_974),
    (395, 11_159, 9_156_017_536_030_472_310),
    (663, 10_688, 16_483_277_382_695_902_817),
    (11_410, 141, 11_452_384_323_266_243_518),
    (2_123, 9_357, 6_440_666_771_807_991_445),
    (3_508, 7_824, 444_021_178_176_605_483),
    (1_081, 10_353, 13_391_410_902_803_815_410),
    (1_259, 10_112, 1_490_896_134_043_412_878),
    (9_758, 1_714, 15_210_710_344_154_629_159),
    (2_778, 8_715, 16_136_402_072_110_776_186),
    (628, 10_823, 4_258_886_534_889_360_273),
    (11_453, 39, 2_025_379_673_048_900_877),
    (11_558, 0, 12_791_541_997_738_734_981),
    (626, 10_989, 45_120_491_755_562_003),
    (5_605, 5_928, 14_948_795_717_168_674_607),
];
const KERNEL_5_10: [Row; 16] = [
    (78, 11_328, 14_996_611_492_359_951_844),
    (2_966, 8_622, 10_898_224_863_462_899_974),
    (395, 11_159, 13_034_251_945_451_381_272),
    (663, 10_661, 14_070_898_403_986_184_553),
    (11_411, 140, 8_460_300_968_056_674_505),
    (2_123, 9_357, 5_243_241_034_968_719_232),
    (3_511, 7_821, 10_057_566_460_049_070_942),
    (1_076, 10_358, 9_103_904_475_303_614_843),
    (1_259, 10_095, 13_227_089_895_074_066_630),
    (9_758, 1_714, 13_162_354_057_843_016_009),
    (2_779, 8_714, 2_037_770_080_267_664_831),
    (628, 10_823, 4_258_886_534_889_360_273),
    (11_453, 39, 2_025_379_673_048_900_877),
    (11_558, 0, 12_791_541_997_738_734_981),
    (629, 10_986, 7_904_267_644_364_130_026),
    (5_769, 5_767, 13_724_349_068_756_896_013),
];

#[test]
fn every_packet_and_counter_is_the_kernels() {
    holds(&KERNEL, |n| gave(n, &V6_12));
}

/// CoDel keeps what a flow has waited that a full queue emptied.
#[test]
fn and_before_2026() {
    holds(&KERNEL_5_15, |n| gave(n, &V5_15));
}

/// One packet of the fattest flow pays, and a sorted list says which that is.
#[test]
fn and_before_5_12() {
    holds(&KERNEL_5_10, |n| gave(n, &V5_4));
}
