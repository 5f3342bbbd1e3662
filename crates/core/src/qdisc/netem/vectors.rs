//! `netem` against 6.12.117's own sch_netem.c with the tables of iproute2 6.1, given our random numbers: see [`vectors`](super::super::vectors).

use super::super::vectors::{Draw, Gave, Load, Row, asks_for_ecn, holds, run};
use super::*;

fn drawn(x: &mut Draw) -> Params {
    let us = |x: &mut Draw, of: &[i64]| Span::from_us(x.pick(of));
    let (delay, jitter) = (us(x, &[0, 1, 1000, 20_000, 300_000]), us(x, &[0, 0, 3, 3000, 100_000, 2_000_000]));
    let delay_correlation = x.pick(&[0.0, 0.25, 0.9, 1.0]);
    let distribution = x.pick(Distribution::ALL);
    let losses = x.below(3);
    let (loss, loss_correlation) = (x.pick(&[0.01, 0.2, 1.0]), x.pick(&[0.0, 0.3, 0.99]));
    let gemodel_p = Some(x.pick(&[0.02, 0.3, 1.0])).filter(|_| losses == 2);
    let (loss, loss_correlation) = if losses == 1 { (loss, loss_correlation) } else { (0.0, 0.0) };
    Params {
        delay,
        jitter,
        delay_correlation,
        distribution,
        loss,
        loss_correlation,
        gemodel_p,
        gemodel_r: x.pick(&[0.1, 0.3, 1.0]),
        gemodel_1h: x.pick(&[1.0, 0.8, 0.0]),
        gemodel_1k: x.pick(&[0.0, 0.01, 0.5]),
        ecn: x.below(2) == 1,
        duplicate: x.pick(&[0.0, 0.0, 0.1, 0.5, 1.0]),
        duplicate_correlation: x.pick(&[0.0, 0.4]),
        reorder: x.pick(&[0.0, 0.0, 0.1, 0.5, 1.0]),
        reorder_correlation: x.pick(&[0.0, 0.5]),
        gap: x.pick(&[1, 2, 5]),
        rate: Some(x.pick(&[0, 0, 1000, 20_000, 40_001, 10_000_000])).filter(|k| *k > 0).map(Rate::from_kbit),
        rate_overhead: x.pick(&[0, 24, -14]),
        limit: x.pick(&[1, 30, 1000, 100_000]),
    }
}

fn gave(n: usize) -> Gave {
    let mut x = Draw::setting(n);
    let setup = Setup { netem: drawn(&mut x), ..Setup::default() };
    let mut q = Netem::build(&setup, n as u32);
    let mut load = Load::drawn(&mut x);
    load.start = load.start.max(Time::from_s(10)); // a packet's time is never before the clock began, which for the kernel is far ahead
    let mut gave = run(&mut q, &mut x, &load, |p, _, _| {
        asks_for_ecn(p);
    });
    gave.fold(q.made);
    gave
}

const KERNEL: [Row; 40] = [
    (5_404, 6_591, 15_892_423_031_635_292_806),
    (5_842, 4_577, 12_224_860_383_913_059_268),
    (2_653, 8_851, 10_637_388_117_724_328_404),
    (8_315, 2_164, 1_046_961_684_095_935_706),
    (3_099, 9_689, 13_655_328_448_310_184_865),
    (10_133, 303, 1_588_463_306_239_183_761),
    (4_054, 8_746, 5_954_860_914_965_380_215),
    (13_110, 0, 10_576_674_215_984_644_691),
    (11_586, 0, 7_609_931_971_859_555_099),
    (10_401, 1_104, 10_040_495_740_224_615_631),
    (11_458, 0, 5_452_817_856_328_292_272),
    (9_921, 76, 13_784_087_954_746_686_552),
    (9_824, 1_594, 3_673_390_567_736_811_684),
    (9_899, 0, 12_088_052_851_178_773_354),
    (5_718, 7_060, 13_359_541_744_478_892_127),
    (3_161, 9_130, 18_396_592_203_204_877_109),
    (17_107, 119, 6_397_755_626_373_960_439),
    (3_259, 8_258, 851_088_793_143_781_735),
    (9_940, 695, 840_666_169_196_149_558),
    (2_278, 9_211, 12_324_573_331_070_604_275),
    (10_104, 300, 13_389_930_099_735_878_128),
    (2_793, 8_684, 8_851_389_316_419_286_809),
    (23_198, 0, 9_935_529_300_454_765_030),
    (11_179, 3_784, 9_101_074_535_312_227_160),
    (17_173, 0, 1_220_561_331_256_712_825),
    (9_996, 4_789, 15_817_657_844_990_049_279),
    (8_599, 3_396, 8_534_060_387_561_126_103),
    (3_888, 7_643, 9_716_741_853_952_201_481),
    (9_578, 1_475, 15_774_161_125_800_132_055),
    (11_405, 0, 1_564_777_651_249_183_069),
    (5_569, 0, 17_692_488_395_768_812_275),
    (17_058, 2_584, 216_250_910_958_431_225),
    (4_953, 8_111, 7_592_250_197_428_378_087),
    (9_386, 3_830, 755_987_346_637_686_220),
    (5_773, 6_348, 12_310_295_280_609_983_719),
    (5_193, 5_734, 15_133_782_246_351_860_896),
    (5_319, 6_096, 13_487_968_592_166_488_128),
    (9_365, 2_178, 14_615_421_785_248_999_699),
    (2_694, 8_758, 13_847_626_383_259_758_785),
    (10_068, 116, 3_005_716_888_857_321_275),
];

#[test]
fn every_packet_and_counter_is_the_kernels() {
    holds(&KERNEL, gave);
}
