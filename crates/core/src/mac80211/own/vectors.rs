//! ath9k's own turns against drivers/net/wireless/ath/ath9k/xmit.c of 4.19.48: see [`vectors`](crate::qdisc::vectors).

use super::Own;
use crate::mac80211::ac_of;
use crate::qdisc::vectors::{Draw, Fold};
use crate::sim::Span;

/// A driver that holds some packets back, and a device that is full when it likes.
fn gave(n: usize) -> Fold {
    let (mut x, mut fold) = (Draw::setting(n), Fold::default());
    let stations: u16 = x.pick(&[1, 2, 5, 30]);
    let sets: [&[u8]; 3] = [&[0], &[0, 3, 5], &[0, 1, 2, 3, 4, 5, 6, 7]];
    let tids = sets[x.below(3) as usize];
    let fairness = x.below(5) != 0;
    let (burst, air) = (x.pick(&[1, 4, 64]), x.pick(&[100, 1000, 5000]));
    let mut o = Own::new(stations, fairness);
    let ix = |sta: u16, tid: u8| Own::ix(sta, tid) as usize;
    let (mut frames, mut held) = (vec![0_u32; usize::from(stations) * 8], vec![0_u32; usize::from(stations) * 8]);
    for _ in 0..4000 {
        let (a, b, c) = (x.next(), x.next(), x.next());
        let (sta, tid) = ((b % u32::from(stations)) as u16, tids[(b >> 8) as usize % tids.len()]);
        let (ac, i) = (ac_of(tid), ix(sta, tid));
        match a % 16 {
            0..=5 => {
                frames[i] += 1 + c % burst;
                o.wake(sta, tid);
            }
            6 | 7 => {
                held[i] += c % 3;
                o.queue(sta, tid);
            }
            8..=11 => {
                let mut room = c % 5;
                while let Some((sta, tid)) = o.head(ac, |sta, tid| held[ix(sta, tid)] > 0) {
                    let i = ix(sta, tid);
                    fold.add(1 + i as u64);
                    if room == 0 || x.below(6) == 0 {
                        // What was pulled for hardware that is full is held.
                        if held[i] == 0 && frames[i] > 0 {
                            (frames[i], held[i]) = (frames[i] - 1, 1);
                        } else if held[i] == 0 {
                            o.ran_empty(sta, tid);
                        }
                        break;
                    }
                    room -= 1;
                    let (most, mut k) = (1 + x.below(8), 0);
                    while k < most {
                        if held[i] > 0 {
                            held[i] -= 1;
                        } else if o.queued[i] && frames[i] > 0 {
                            frames[i] -= 1;
                        } else {
                            o.ran_empty(sta, tid);
                            break;
                        }
                        k += 1;
                    }
                    fold.add(k.into());
                    if k == 0 {
                        break;
                    }
                    o.served(ac);
                }
                fold.add(0);
            }
            _ => o.charge(sta, tid, Span::from_us(x.below(air).into())),
        }
        fold.add((o.deficits[usize::from(sta)][usize::from(ac)] as u32).into());
        fold.add(o.queued[i].into());
        fold.add(o.on_list[i].into());
    }
    for i in 0..frames.len() {
        fold.add((frames[i] + held[i]).into());
        fold.add(o.on_list[i].into());
    }
    fold
}

const KERNEL: [Fold; 24] = [
    Fold(17_012, 424_766_035_814_666_281),
    Fold(15_565, 10_051_319_865_159_890_696),
    Fold(15_777, 495_946_304_997_620_388),
    Fold(16_870, 2_026_088_650_981_156_893),
    Fold(15_779, 13_649_484_894_540_849_003),
    Fold(15_925, 16_006_025_235_591_593_300),
    Fold(15_990, 7_158_422_701_380_165_465),
    Fold(16_696, 10_831_399_326_590_181_771),
    Fold(16_757, 7_223_910_963_243_450_835),
    Fold(16_666, 4_283_467_338_318_965_317),
    Fold(16_750, 17_756_352_332_099_678_730),
    Fold(16_541, 1_757_465_894_866_134_592),
    Fold(17_380, 11_534_851_113_704_114_304),
    Fold(17_077, 9_442_258_699_048_501_676),
    Fold(17_391, 2_600_613_165_856_276_174),
    Fold(17_170, 6_659_676_941_592_085_349),
    Fold(17_308, 9_320_821_214_747_176_248),
    Fold(17_186, 4_423_890_011_861_096_071),
    Fold(16_986, 9_544_793_217_559_314_830),
    Fold(15_191, 6_243_926_911_718_582_167),
    Fold(15_958, 10_531_792_166_465_033_444),
    Fold(16_062, 16_078_590_026_129_926_423),
    Fold(16_298, 11_146_783_623_145_105_801),
    Fold(16_926, 2_514_706_291_635_722_130),
];

#[test]
fn every_turn_and_debt_is_the_kernels() {
    for (n, row) in KERNEL.iter().enumerate() {
        assert_eq!(gave(n), *row, "setting {n}");
    }
}
