//! Both reorder buffers against net/mac80211/rx.c and mt76/agg-rx.c of 6.12.117 (6.1.192, 5.15.148 and 5.10.262 give the same), with the
//! buckets of kernel/time/timer.c: see [`vectors`](crate::qdisc::vectors). Sizes are powers of two, as those of agreements are here: with
//! others the kernel's slots collide where the numbers wrap.

use super::{Params, Reorder};
use crate::qdisc::vectors::{Draw, Gave, Row, holds};
use crate::sim::{FlowId, Kind, NodeId, Packet, Time, wheel};
use crate::wifi::Seq;

/// What both buffers are asked.
pub trait Buffer {
    fn put(&mut self, now: Time, seq: Seq, p: &[Packet], up: &mut impl FnMut(&Packet)) -> bool;
    fn bar(&mut self, start: Seq, up: &mut impl FnMut(&Packet));
    fn due(&self) -> Option<Time>;
    fn expire(&mut self, now: Time, up: &mut impl FnMut(&Packet));
    fn held(&self) -> u32;
}

impl Buffer for Reorder {
    fn put(&mut self, now: Time, seq: Seq, p: &[Packet], up: &mut impl FnMut(&Packet)) -> bool {
        self.put(now, seq, &p[0], &p[1..], up)
    }
    fn bar(&mut self, start: Seq, up: &mut impl FnMut(&Packet)) {
        self.bar(start, up);
    }
    fn due(&self) -> Option<Time> {
        self.due()
    }
    fn expire(&mut self, now: Time, up: &mut impl FnMut(&Packet)) {
        self.expire(now, up);
    }
    fn held(&self) -> u32 {
        self.held()
    }
}

/// 5000 frames, BARs and pauses; `of`: a buffer of this head, size, TID and HZ. What went up is `out`.
pub fn gave<B: Buffer>(n: usize, of: impl Fn(Seq, u16, u8, u32) -> B) -> Gave {
    let (mut x, mut gave) = (Draw::setting(n), Gave::default());
    let hz: u32 = x.pick(&[100, 250, 1000]);
    let size: u16 = x.pick(&[1, 2, 8, 64, 64, 256, 256]);
    let (tid, head) = (x.pick(&[0, 4]), Seq::new(x.below(4096) as u16));
    // The lower half of jiffies is about to wrap, too.
    let mut ns: u64 = x.pick(&[1_000_000_000, 4_294_960_000_000_000]);
    let (step, holes) = (x.pick(&[200_000, 2_000_000, 30_000_000]), x.pick(&[3, 20, 200]));
    let wild = x.below(3) == 0;
    let mut buffer = of(head, size, tid, hz);
    let (mut hi, mut id) = (head.minus(1), 1);
    for _ in 0..5000 {
        ns += u64::from(x.below(step));
        let (a, b, c) = (x.next(), x.next(), x.next());
        if c % 499 == 0 {
            ns += u64::from(c % 150) * 1_000_000;
        }
        let now = Time::from_ns(ns);
        while let Some(at) = buffer.due().filter(|&at| at <= now) {
            buffer.expire(at, &mut |p| gave.up(p));
            gave.fold((wheel::jiffies(at, hz) & 0xff_ffff) as u32);
        }
        let s = u32::from(size);
        if a % 16 == 0 {
            let near = hi.plus(8).minus((b % (s + 8)) as u16);
            let start = if c % 8 == 0 && wild { Seq::new((b % 4096) as u16) } else { near };
            buffer.bar(start, &mut |p| gave.up(p));
        } else {
            let back = |n: u32| hi.minus((b % n) as u16);
            let seq = match a >> 4 & 7 {
                0..=4 => hi.plus(1 + u16::from(b % holes == 0)),
                5 => back(s),
                6 => back(2 * s + 20),
                _ if b % 40 != 0 => back(s),
                _ if wild => Seq::new((b >> 8) as u16),
                _ => hi.plus((b % (2 * s)) as u16),
            };
            if hi.before(seq) {
                hi = seq;
            }
            let more = if c % 5 == 0 { c % 3 } else { 0 };
            let blank = Packet::blank(Kind::Udp, FlowId(0), NodeId(1), NodeId(2));
            let p: [Packet; 3] = core::array::from_fn(|i| Packet { seq: id + i as u32, ..blank });
            id += 1 + more;
            let kept = buffer.put(now, seq, &p[..=more as usize], &mut |p| gave.up(p));
            gave.drops += u32::from(!kept);
            gave.fold(!kept);
        }
        gave.fold(buffer.held());
        gave.fold(buffer.due().map_or(0xfff_ffff, |at| (wheel::jiffies(at, hz) & 0xff_ffff) as u32));
    }
    gave
}

impl Gave {
    fn up(&mut self, p: &Packet) {
        self.out += 1;
        self.fold(p.seq);
    }
}

const KERNEL: [Row; 40] = [
    (3448, 1807, 5_777_731_395_385_782_250),
    (1479, 3420, 16_059_376_517_523_101_838),
    (2635, 2501, 4_361_304_718_287_737_949),
    (3469, 1807, 6_238_528_415_300_511_533),
    (1191, 3699, 10_443_361_316_263_844_199),
    (1976, 3011, 6_430_166_986_130_355_349),
    (3563, 1671, 11_105_625_609_503_864_217),
    (3035, 2188, 12_690_448_770_569_120_305),
    (1880, 3089, 3_992_742_925_205_026_310),
    (3650, 1653, 10_886_583_145_752_539_844),
    (2883, 2342, 6_036_578_606_957_469_998),
    (3645, 1620, 17_403_344_417_912_336_355),
    (1707, 3248, 5_877_013_370_522_727_608),
    (3549, 1711, 4_092_733_992_505_550_160),
    (3403, 1813, 7_796_271_568_718_502_336),
    (3038, 2164, 1_951_943_426_386_148_410),
    (1600, 3382, 5_268_779_505_557_002_119),
    (3353, 1866, 14_039_380_773_880_811_611),
    (2572, 2547, 11_608_790_603_831_564_262),
    (1703, 3312, 9_655_124_998_611_950_974),
    (1391, 3521, 7_129_643_887_133_785_865),
    (2667, 2464, 5_455_785_552_487_473_569),
    (3628, 1653, 16_737_135_608_879_507_051),
    (1671, 3289, 11_746_042_829_316_899_436),
    (2517, 2544, 7_722_307_631_804_452_680),
    (3580, 1706, 17_444_600_366_451_717_642),
    (3374, 1857, 7_823_596_225_212_388_831),
    (1962, 2989, 14_192_658_655_413_122_044),
    (3471, 1822, 8_802_075_518_985_128_145),
    (2844, 2306, 1_282_074_973_188_896_308),
    (2582, 2548, 6_351_450_038_477_107_668),
    (3542, 1714, 10_220_145_330_967_511_761),
    (1225, 3658, 17_965_398_032_807_021_958),
    (3605, 1665, 7_266_371_919_902_090_939),
    (3437, 1822, 9_837_133_415_512_012_756),
    (1400, 3550, 4_709_956_842_278_535_441),
    (2155, 2848, 7_556_416_128_436_229_845),
    (3413, 1808, 14_241_050_279_553_155_379),
    (2814, 2347, 12_458_057_829_706_146_831),
    (2048, 2918, 2_873_622_167_986_019_009),
];

#[test]
fn every_frame_and_timer_is_the_kernels() {
    holds(&KERNEL, |n| gave(n, |head, size, _, hz| Reorder::new(head, size, Params::default().timeout, hz)));
}
