//! The driver's own queues against drivers/net/wireless/ath/ath9k/xmit.c of 4.2.6, between 3.18 and 4.4: see
//! [`vectors`](crate::driver::ath9k::vectors). Above is a queue for each category.

use super::super::vectors::{Driven, Set, holds, shown};
use super::*;
use crate::qdisc::vectors::Row;
use core::sync::atomic::{AtomicU16, Ordering::Relaxed};
use std::collections::VecDeque;
use std::sync::Arc;

/// Queues of packets and for whom they are; rate control hears of the marks of those that are pulled.
struct Fifos([VecDeque<(Packet, StaIx, Tid)>; Ac::COUNT], Arc<AtomicU16>);

impl Above for Fifos {
    fn pull(&mut self, _now: Time, ac: Ac, _sink: &mut Sink<'_>) -> Option<(Packet, StaIx, Tid)> {
        let next = self.0[ac.ix()].pop_front()?;
        self.1.store(next.0.mark, Relaxed);
        Some(next)
    }
}

struct Then(Ath9kTidq<Fifos>, Fifos);

impl Driven for Then {
    const OLD: bool = true;
    fn new(s: Set) -> Then {
        let Rates::Given(g) = &s.rates else { unreachable!() };
        let q = Fifos(Default::default(), g.pulled.clone());
        Then(Ath9kTidq::new(&s.par, s.rates, s.densities, s.framing, s.aggregates, s.txop), q)
    }
    fn put(&mut self, now: Time, to: StaIx, tid: Tid, p: &Packet, sink: &mut Sink<'_>) {
        self.1.0[Ac::of(tid).ix()].push_back((*p, to, tid));
        self.0.wake(now, to, tid, &mut self.1, sink);
    }
    fn head(&self, ac: Ac) -> Option<&Burst> {
        self.0.head(ac)
    }
    fn done(&mut self, now: Time, ac: Ac, r: &Report, sink: &mut Sink<'_>) {
        self.0.done(now, ac, r, &mut self.1, sink);
    }
    fn rates(&mut self) -> &mut Rates {
        &mut self.0.rates
    }
    fn units(&self, ac: usize) -> (u32, u8) {
        (self.0.acs[ac].hw.queue.len() as u32, self.0.acs[ac].hw.ampdus)
    }
    fn outstanding(&self) -> u64 {
        self.0.held() + self.1.0.iter().map(|q| q.len() as u64).sum::<u64>()
    }
    fn shown(&self, to: StaIx, tid: Tid) -> Vec<u64> {
        let t = &self.0.tids[to.ix() * Tid::COUNT + tid.ix()];
        let ac = Ac::of(tid).ix();
        let c = &self.0.acs[ac];
        let mut all = shown(&t.state);
        let fresh = t.holds().fresh;
        all.extend([fresh.into(), c.pending.into(), c.stopped.into(), self.1.0[ac].len() as u64]);
        all
    }
}

const KERNEL: [Row; 32] = [
    (855, 13_576, 15_322_337_886_900_874_451),
    (325, 1_004, 4_972_988_226_709_161_631),
    (14_654, 0, 3_249_866_961_503_608_347),
    (1_338, 0, 17_488_249_686_304_532_883),
    (10_973, 1_815, 17_853_481_219_631_658_658),
    (1_972, 613, 2_570_866_790_503_709_801),
    (2_693, 0, 14_307_959_616_625_965_896),
    (7_828, 1_090, 13_867_356_981_675_705_823),
    (11_438, 1_797, 17_797_509_493_792_127_824),
    (6_159, 24, 4_164_244_692_461_773_507),
    (5_363, 220, 6_711_336_446_366_768_003),
    (1_243, 84, 8_663_144_030_551_021_687),
    (4_701, 178, 8_487_757_808_435_337_557),
    (2_250, 517, 5_790_010_418_695_063_422),
    (4_816, 58, 8_235_796_635_132_668_837),
    (1_472, 1_168, 5_784_302_631_919_028_860),
    (788, 555, 13_048_547_113_870_782_751),
    (7_631, 290, 12_459_183_320_272_219_630),
    (2_571, 174, 17_930_822_612_891_039_043),
    (2_619, 154, 4_006_233_467_877_172_767),
    (4_311, 1_249, 10_991_499_446_243_749_732),
    (312, 2_466, 17_151_537_120_423_382_187),
    (2_680, 530, 15_577_518_531_093_490_647),
    (2_657, 0, 8_859_536_083_250_318_389),
    (5_531, 0, 17_118_318_804_032_811_003),
    (2_217, 330, 7_456_171_209_616_130_370),
    (6_229, 0, 11_443_620_784_013_290_115),
    (2_199, 529, 15_281_266_015_656_645_902),
    (4_216, 1_313, 4_468_929_276_322_801_235),
    (475, 2_098, 12_393_323_130_499_917_560),
    (7_389, 0, 10_339_817_648_902_413_544),
    (2_794, 0, 13_403_679_928_952_758_095),
];

#[test]
fn every_unit_is_the_kernels() {
    holds::<Then>(&KERNEL);
}
