//! Byte queue limits against lib/dynamic_queue_limits.c of 6.12.117: see [`vectors`](crate::qdisc::vectors).

use super::{Dql, Params};
use crate::qdisc::vectors::{Draw, Fold};
use crate::sim::{Bytes, Span, Time};
use std::collections::VecDeque;

/// 5000 completions, as many or as few as they may be, of frames of one size or many; a quarter of the senders now and then ignores the limit.
fn gave(n: usize) -> Fold {
    let (mut x, mut fold) = (Draw::setting(n), Fold::default());
    let bytes = |x: &mut Draw, of: &[u64]| Bytes::new(x.pick(of));
    let min_limit = bytes(&mut x, &[0, 0, 3000, 30_000]);
    let max_limit = bytes(&mut x, &[1_879_048_192, 1_879_048_192, 100_000, 30_000]);
    let hold_time = Span::from_ms(x.pick(&[1000, 10, 100]));
    let (sizes, per, done, step) = (x.below(4), x.pick(&[1, 12, 64]), x.pick(&[2, 9, 64]), x.pick(&[1, 2, 20]));
    let (base, deaf) = (x.pick(&[0, 4_294_900_000, 2_147_400_000]), x.below(4) == 0);
    let mut d = Dql::new(&Params { min_limit, max_limit, hold_time });
    // Counters about to wrap.
    (d.num_queued, d.num_completed, d.prev_num_queued) = (base, base, base);
    d.adj_limit = base.wrapping_add(d.limit);
    let (mut ms, mut ring) = (0, VecDeque::new());
    for op in 0..5000 {
        ms += u64::from(x.below(step));
        let k = x.next() % per + 1;
        for _ in 0..if op / 500 % 3 == 2 { k / 8 } else { k } {
            if d.avail() < 0 && !(deaf && x.below(8) == 0) || ring.len() >= 2000 {
                break;
            }
            let v = x.next();
            let bytes = match sizes {
                0 => 1514,
                1 => 60 + v % 1455,
                2 if v % 8 != 0 => 60,
                2 => 65_226,
                _ => 1 + v % 65_535,
            };
            d.queued(bytes);
            ring.push_back(bytes);
        }
        let m = ring.len().min((x.next() % done) as usize);
        let bytes = ring.drain(..m).sum();
        if bytes > 0 {
            d.completed(Time::from_ms(ms), bytes);
        }
        fold.add(d.limit().into());
        fold.add(u64::from(d.avail() as u32));
    }
    fold
}

const KERNEL: [Fold; 40] = [
    Fold(10_000, 1_655_276_770_526_975_168),
    Fold(10_000, 10_571_986_908_282_848_557),
    Fold(10_000, 1_863_340_932_528_829_261),
    Fold(10_000, 8_807_007_955_601_279_613),
    Fold(10_000, 5_316_539_976_109_894_338),
    Fold(10_000, 10_332_384_402_426_960_416),
    Fold(10_000, 5_144_042_458_635_155_568),
    Fold(10_000, 6_069_126_599_156_889_136),
    Fold(10_000, 960_150_946_473_692_294),
    Fold(10_000, 10_779_043_364_229_344_064),
    Fold(10_000, 18_137_720_357_324_437_824),
    Fold(10_000, 14_516_519_936_971_842_162),
    Fold(10_000, 5_270_452_885_175_687_162),
    Fold(10_000, 10_915_289_772_371_147_442),
    Fold(10_000, 8_043_352_579_635_506_973),
    Fold(10_000, 12_073_819_259_699_811_242),
    Fold(10_000, 3_304_737_310_663_194_922),
    Fold(10_000, 16_581_364_679_205_589_058),
    Fold(10_000, 3_614_080_957_219_555_902),
    Fold(10_000, 2_463_529_566_322_783_541),
    Fold(10_000, 5_246_387_182_987_326_960),
    Fold(10_000, 13_901_377_312_810_894_716),
    Fold(10_000, 16_556_197_416_191_779_480),
    Fold(10_000, 11_032_067_008_283_258_208),
    Fold(10_000, 6_954_179_301_542_973_598),
    Fold(10_000, 2_030_908_266_589_558_612),
    Fold(10_000, 14_872_062_434_123_501_368),
    Fold(10_000, 11_361_929_287_165_103_356),
    Fold(10_000, 10_131_737_667_044_120_057),
    Fold(10_000, 6_987_518_196_357_093_866),
    Fold(10_000, 426_153_912_043_350_849),
    Fold(10_000, 10_887_684_545_333_768_340),
    Fold(10_000, 15_173_190_110_352_317_224),
    Fold(10_000, 7_440_456_982_695_023_613),
    Fold(10_000, 7_547_567_205_037_086_618),
    Fold(10_000, 16_337_946_048_077_856_498),
    Fold(10_000, 15_542_927_643_663_901_210),
    Fold(10_000, 294_823_238_028_250_342),
    Fold(10_000, 12_058_865_163_112_714_230),
    Fold(10_000, 8_692_710_448_636_249_874),
];

#[test]
fn every_limit_is_the_kernels() {
    for (n, row) in KERNEL.iter().enumerate() {
        assert_eq!(gave(n), *row, "setting {n}");
    }
}
