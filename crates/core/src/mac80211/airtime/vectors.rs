//! Turns and airtime queue limits against net/mac80211/tx.c and sta_info.c of 6.12.117 (6.1.192 gives the same), 5.15.148
//! and 5.10.262: see [`vectors`](crate::qdisc::vectors).

use super::super::{ac_of, profile::Turns};
use super::{Aql, Config, Scheduler};
use crate::qdisc::vectors::{Draw, Fold};
use crate::sim::{Span, Time};

/// A driver that holds packets of several stations and TIDs, and a device that is done with them in any order.
fn gave(n: usize, turns: Turns) -> Fold {
    let (mut x, mut fold) = (Draw::setting(n), Fold::default());
    let stations: u16 = x.pick(&[1, 2, 5, 30]);
    let by_time = turns == Turns::Virtual;
    // By virtual time with one TID a category: what an order that is not sorted gives hangs on the tree (`vtime`, D1).
    let sets: [[&[u8]; 3]; 2] = [[&[0], &[0, 3, 5], &[0, 1, 2, 3, 4, 5, 6, 7]], [&[0], &[0, 5], &[0, 1, 4, 6]]];
    let tids = sets[usize::from(by_time)][x.below(3) as usize];
    let fairness = x.below(5) != 0;
    let aql = x.below(3);
    let (low, high, threshold) =
        (x.pick(&[0, 1000, 5000, 20_000]), x.pick(&[5000, 12_000]), x.pick(&[0, 6000, 24_000, 1_000_000]));
    let (step, burst, estimate) = (x.pick(&[1, 3, 30]), x.pick(&[1, 4, 64]), x.pick(&[100, 1000, 5000]));
    let (mut ms, round) = (x.pick(&[1000, 4_294_962_296]), x.pick(&[0, 65_530]));
    // 5.10 cannot switch AQL off.
    let enabled = aql == 2 || turns == Turns::Owed;
    let aql = (aql > 0).then_some(Aql { low, high, threshold, enabled });
    let mut s = Scheduler::new(Config { fairness, aql, turns }, stations, 256);
    s.round = [round; 4];
    let weight = |x: &mut Draw| x.pick(&[256, 256, 64, 1024, 40_000]);
    (0..stations).for_each(|i| s.set_weight(i, weight(&mut x)));
    let us = |v: u32| Span::from_us(v.into());
    let (mut frames, mut sent) = (vec![[0_u32; 8]; usize::from(stations)], Vec::new());
    for _ in 0..4000 {
        ms += u64::from(x.below(step));
        let (a, b, c) = (x.next(), x.next(), x.next());
        if c % 997 == 0 {
            ms += u64::from(c % 499);
        }
        let now = Time::from_ms(ms);
        let (sta, tid) = ((b % u32::from(stations)) as u16, tids[(b >> 8) as usize % tids.len()]);
        let ac = ac_of(tid);
        let holds = &mut frames[usize::from(sta)][usize::from(tid)];
        match a % 16 {
            0..=4 => {
                *holds += 1 + c % burst;
                s.put_back(now, sta, tid, true);
            }
            5 => s.put_back(now, sta, tid, c % 2 == 1 || *holds > 0),
            6..=9 => {
                s.start(ac);
                for _ in 0..=c % 40 {
                    let Some((sta, tid)) = s.next(ac) else {
                        fold.add(0);
                        break;
                    };
                    fold.add(1 + u64::from(sta) * 8 + u64::from(tid));
                    let (most, mut k) = (x.below(5), 0);
                    let most = if c >> 6 & 1 == 1 { 1000 } else { most };
                    let holds = &mut frames[usize::from(sta)][usize::from(tid)];
                    while *holds > 0 && k < most && sent.len() < 2000 && s.aql_allows(sta, ac) {
                        (*holds, k) = (*holds - 1, k + 1);
                        sent.push((sta, tid, s.aql_charge(sta, tid, us(x.below(estimate)))));
                    }
                    fold.add(k.into());
                    s.give_back(now, sta, tid, x.below(8) == 0 || *holds > 0);
                }
            }
            10..=13 => {
                for _ in 0..=c % (burst * 2) {
                    if sent.is_empty() {
                        break;
                    }
                    let i = if c & 64 != 0 { x.below(sent.len() as u32) } else { 0 };
                    let (sta, tid, charged) = sent.remove(i as usize);
                    s.aql_done(sta, tid, charged);
                    s.register(now, sta, tid, us(x.below(estimate)), Span::ZERO);
                }
            }
            14 => {
                let received = us(x.below(3000));
                s.register(now, sta, tid, if c % 50 == 0 { us(20_000) } else { Span::ZERO }, received);
            }
            _ if c % 2 == 1 => {
                if !by_time {
                    s.set_weight(sta, weight(&mut x));
                }
            }
            _ => {
                let leader = s.leader(ac);
                if leader.is_some() {
                    s.pass(now, ac);
                }
                fold.add(leader.map_or(0, |(sta, tid)| 1 + u64::from(sta) * 8 + u64::from(tid)));
            }
        }
        let a = s.account(sta, ac);
        for v in [a.deficit as u32, a.pending as u32] {
            fold.add(v.into());
        }
        for v in [s.is_scheduled(sta, tid), s.aql_allows(sta, ac)] {
            fold.add(v.into());
        }
        fold.add(s.total_pending as u64);
    }
    for sta in 0..stations {
        for ac in 0..4 {
            let a = s.account(sta, ac);
            [u64::from(a.deficit as u32), a.tx, a.rx].into_iter().for_each(|v| fold.add(v));
        }
        for tid in 0..8 {
            fold.add(s.is_scheduled(sta, tid).into());
            fold.add(frames[usize::from(sta)][usize::from(tid)].into());
        }
    }
    fold
}

const KERNEL: [Fold; 40] = [
    Fold(23_060, 7_561_254_873_305_166_157),
    Fold(23_336, 2_467_104_966_052_661_427),
    Fold(24_406, 3_857_422_537_792_795_039),
    Fold(23_525, 15_162_085_150_851_214_713),
    Fold(23_597, 16_832_275_232_902_233_913),
    Fold(23_681, 3_122_994_897_382_449_651),
    Fold(23_693, 8_171_974_338_839_834_020),
    Fold(24_107, 6_865_531_209_994_931_826),
    Fold(24_787, 11_595_688_628_189_759_012),
    Fold(24_424, 6_697_513_619_051_672_455),
    Fold(24_423, 9_907_561_508_340_585_464),
    Fold(23_724, 5_916_555_790_887_235_130),
    Fold(32_727, 12_641_087_683_952_754_632),
    Fold(21_884, 15_024_855_924_764_140_816),
    Fold(29_363, 17_451_624_274_923_227_980),
    Fold(25_224, 9_228_579_678_978_782_937),
    Fold(26_822, 747_657_308_644_378_122),
    Fold(25_348, 11_634_989_261_861_944_793),
    Fold(25_403, 2_404_079_938_513_045_973),
    Fold(22_788, 10_840_067_406_578_724_511),
    Fold(22_017, 1_023_517_376_767_870_512),
    Fold(22_784, 3_612_393_199_866_771_537),
    Fold(22_517, 7_697_561_243_473_012_898),
    Fold(22_492, 8_961_459_704_030_503_394),
    Fold(22_178, 9_571_446_587_237_490_306),
    Fold(22_954, 10_969_386_889_491_844_608),
    Fold(23_051, 10_000_543_541_697_498_852),
    Fold(23_550, 12_578_509_103_748_809_860),
    Fold(23_590, 17_038_271_102_436_711_900),
    Fold(23_041, 7_936_640_104_655_227_328),
    Fold(23_336, 16_541_648_443_941_675_697),
    Fold(23_024, 8_851_283_924_189_911_623),
    Fold(22_272, 15_541_977_227_059_487_446),
    Fold(23_609, 5_665_010_257_268_255_744),
    Fold(22_295, 18_315_218_053_166_157_457),
    Fold(22_143, 10_880_644_994_374_739_944),
    Fold(23_898, 10_313_955_735_309_265_963),
    Fold(25_121, 17_590_298_146_038_406_987),
    Fold(24_120, 5_795_064_397_100_003_340),
    Fold(24_156, 2_495_908_274_456_192_241),
];
const KERNEL_5_15: [Fold; 24] = [
    Fold(23_230, 2_426_464_841_886_682_224),
    Fold(23_126, 11_388_532_471_847_217_464),
    Fold(23_601, 1_168_576_853_407_167_847),
    Fold(23_051, 9_120_528_991_490_897_950),
    Fold(23_055, 10_336_902_950_087_572_676),
    Fold(23_877, 4_769_401_101_961_580_507),
    Fold(24_409, 16_462_328_506_795_431_670),
    Fold(24_033, 13_846_125_226_465_869_212),
    Fold(24_446, 10_787_026_921_211_154_393),
    Fold(24_012, 11_781_051_634_910_491_190),
    Fold(24_505, 3_767_757_114_875_637_115),
    Fold(23_956, 6_216_502_098_880_897_506),
    Fold(27_358, 3_135_567_016_059_592_075),
    Fold(21_974, 12_598_551_601_374_790_565),
    Fold(44_577, 3_648_162_707_878_355_613),
    Fold(25_406, 16_457_815_870_020_651_024),
    Fold(27_088, 4_824_070_606_568_372_938),
    Fold(25_401, 8_352_316_119_842_174_494),
    Fold(26_995, 14_762_839_354_765_595_596),
    Fold(22_488, 15_641_829_513_378_510_007),
    Fold(22_533, 9_213_330_903_809_623_048),
    Fold(22_435, 6_880_105_705_739_478_753),
    Fold(22_685, 327_591_534_064_741_548),
    Fold(22_211, 14_952_514_869_653_490_854),
];
const KERNEL_5_10: [Fold; 24] = [
    Fold(23_062, 8_427_856_864_589_600_322),
    Fold(23_266, 14_973_663_599_481_493_710),
    Fold(24_327, 18_340_355_890_473_528_365),
    Fold(23_436, 16_049_262_117_989_007_776),
    Fold(23_552, 1_369_550_797_835_492_980),
    Fold(23_695, 3_544_485_377_413_584_374),
    Fold(23_676, 9_586_343_197_742_019_895),
    Fold(24_101, 14_538_898_900_029_614_799),
    Fold(24_170, 13_142_361_733_867_048_907),
    Fold(23_975, 8_934_597_868_567_703_278),
    Fold(24_502, 656_658_472_610_430_122),
    Fold(23_745, 17_206_532_136_203_439_791),
    Fold(33_309, 10_710_192_875_334_758_565),
    Fold(21_884, 6_518_667_166_866_245_560),
    Fold(35_264, 5_725_815_958_044_496_503),
    Fold(25_234, 12_311_431_601_810_829_392),
    Fold(26_822, 747_657_308_644_378_122),
    Fold(25_060, 13_294_904_801_060_277_415),
    Fold(25_297, 7_005_691_265_263_128_579),
    Fold(22_781, 8_879_707_598_898_061_801),
    Fold(22_855, 12_935_181_097_312_841_546),
    Fold(22_607, 12_586_488_966_422_910_468),
    Fold(22_895, 14_683_642_287_964_160_277),
    Fold(22_360, 7_565_135_941_711_342_008),
];

fn holds(kernel: &[Fold], turns: Turns) {
    for (n, row) in kernel.iter().enumerate() {
        assert_eq!(gave(n, turns), *row, "setting {n}");
    }
}

#[test]
fn every_turn_and_debt_is_the_kernels() {
    holds(&KERNEL, Turns::Kept);
}

/// Who has used less than its share.
#[test]
fn and_by_virtual_time() {
    holds(&KERNEL_5_15, Turns::Virtual);
}

/// A debt lasts, a round has the number 0, and nothing holds a category back.
#[test]
fn and_before_5_12() {
    holds(&KERNEL_5_10, Turns::Owed);
}
