//! `htb` of one class over `pfifo`, `fq_codel` and `fq` against 6.12.117's own sch_htb.c over sch_fq_codel.c and sch_fq.c: see
//! [`vectors`](super::super::vectors). The kernel's watchdog is what the class waits for, its leaf's where the class may send (D3).

use super::super::vectors::{Draw, Gave, Load, Row, asks_for_ecn, holds, run};
use super::*;

fn drawn(x: &mut Draw) -> Setup {
    let mut setup = Setup::default();
    setup.htb.rate = Rate::from_kbit(x.pick(&[1000, 7300, 100_000, 875_001, 10_000_000]));
    setup.htb.burst = Bytes::new(x.pick(&[1, 1600, 5000, 100_000]));
    setup.htb.cburst = Bytes::new(x.pick(&[1, 1600, 5000, 100_000]));
    setup.htb.leaf = x.pick(&[LeafKind::Pfifo, LeafKind::FqCodel, LeafKind::Fq]);
    setup.pfifo.limit = x.pick(&[1, 50, 1000]);
    setup.fq_codel.limit = x.pick(&[20, 10_240]);
    setup
}

/// Senders with odd numbers are paced.
fn gave(n: usize) -> Gave {
    let mut x = Draw::setting(n);
    let mut q = Htb::build(&drawn(&mut x), 3);
    let load = Load::drawn(&mut x);
    let mut edt = [Time::ZERO; 300];
    let mut gave = run(&mut q, &mut x, &load, |p, c, now| {
        let f = usize::from(p.flow.0);
        asks_for_ecn(p);
        (p.owner, p.born) = (Owner(p.flow.0), now);
        if f % 2 == 1 {
            p.born = edt[f].max(now);
            edt[f] = p.born + Span::from_ns(i64::from((c >> 4) % 3_000_000));
        }
    });
    gave.fold(q.tokens as u64);
    gave.fold(q.ctokens as u64);
    gave
}

const KERNEL: [Row; 32] = [
    (3_573, 7_594, 17_057_319_884_334_760_481),
    (5_816, 5_770, 3_437_031_576_652_211_788),
    (11_552, 0, 3_268_273_621_841_522_977),
    (5_078, 0, 5_109_657_619_556_370_381),
    (8_759, 1_796, 16_387_485_607_884_471_485),
    (2_054, 9_374, 4_884_195_387_574_966_012),
    (5_351, 4_984, 11_902_695_210_907_928_932),
    (3_410, 8_005, 13_119_579_796_667_236_321),
    (4_560, 6_891, 948_468_075_105_817_907),
    (10_195, 0, 10_261_551_059_232_022_210),
    (8_831, 2_649, 9_433_310_311_772_220_624),
    (10_060, 628, 3_859_338_734_219_905_882),
    (3_420, 7_781, 3_459_087_978_682_518_696),
    (9_779, 1_726, 6_879_335_584_502_863_298),
    (11_621, 0, 3_829_529_263_965_170_826),
    (9_558, 983, 14_639_938_207_692_618_008),
    (11_518, 0, 16_592_182_851_114_884_175),
    (11_553, 0, 14_338_401_549_601_992_228),
    (5_836, 5_666, 14_651_798_062_411_446_514),
    (3_328, 8_142, 10_224_072_894_728_265_336),
    (3_404, 5_246, 7_448_782_819_092_330_451),
    (11_551, 0, 13_213_145_166_865_468_649),
    (4_959, 6_429, 5_872_084_216_798_767_100),
    (9_768, 1_658, 5_785_809_026_024_266_285),
    (3_282, 8_147, 8_987_611_011_029_404_673),
    (9_697, 0, 17_982_216_962_410_122_964),
    (9_994, 0, 17_793_217_167_048_234_402),
    (5_120, 4_401, 7_495_606_810_026_889_969),
    (8_717, 1_872, 10_430_364_118_579_063_342),
    (2_660, 8_891, 1_973_149_609_359_494_675),
    (3_529, 8_076, 3_812_623_374_864_152_990),
    (9_912, 1_502, 6_347_950_009_546_580_666),
];

#[test]
fn every_packet_and_counter_is_the_kernels() {
    holds(&KERNEL, gave);
}
