//! The firmware's queues against open-ath9k-htc-firmware's if_owl.c (`e888634`): see [`vectors`](crate::qdisc::vectors). Its hardware took
//! descriptors and gave statuses as drawn; what its rate search lets an aggregate have is each station's, and fixed.

use super::*;
use crate::phy::Ht;
use crate::qdisc::vectors::{Draw, Fold};
use crate::sim::{Bitmap, FlowId, Kind, NodeId};

/// The categories of the firmware's hardware queues. src: fw wlan/ieee80211.h TID_TO_WME_AC
const QUEUES: [Ac; Ac::COUNT] = [Ac::Be, Ac::Bk, Ac::Vi, Ac::Vo];

/// The queues with hardware that does what is drawn.
struct Bench {
    fold: Fold,
    tids: Tids,
    par: Params,
    free: u8,
}

impl Bench {
    /// A unit that is new in a hardware queue.
    fn show(&mut self, q: usize, nth: usize) {
        let u = &self.tids.hw[QUEUES[q].ix()][nth];
        let b = &u.burst;
        let bar = if let What::Bar(start) = b.what { Some(start) } else { None };
        let head = [q as u64, bar.is_some().into(), b.to.ix() as u64, b.tid.get().into()];
        head.into_iter().for_each(|v| self.fold.add(v));
        if let Some(start) = bar {
            return self.fold.add(start.get().into());
        }
        self.fold.add(if u.slots.len() > 1 { b.psdu.into() } else { 0 });
        for (m, &slot) in b.mpdus.iter().zip(&u.slots) {
            [u64::from(slot), m.seq.get().into(), m.attempts.into()].into_iter().for_each(|v| self.fold.add(v));
        }
        self.fold.add(u.slots.len() as u64);
    }
    fn push(&mut self, q: usize, u: Unit) {
        self.tids.push(QUEUES[q], u);
        self.show(q, self.tids.hw[QUEUES[q].ix()].len() - 1);
    }
    /// The hardware is done with the first unit of a queue.
    fn done(&mut self, q: usize, r: &Report) {
        let ac = QUEUES[q];
        let mut out = Settled::default();
        let u = self.tids.done(ac);
        let before = self.tids.hw[ac.ix()].len();
        let forms = self.tids.complete(ac, u, r, &self.par, &mut out);
        (before..self.tids.hw[ac.ix()].len()).for_each(|nth| self.show(q, nth));
        for _ in 0..forms {
            if let Some(u) = self.tids.form(ac, &self.par) {
                self.push(q, u);
            }
        }
        self.free += out.buffers;
        self.fold.add(out.statuses.len() as u64);
        for (slot, ok) in out.statuses {
            [u64::from(slot), ok.into()].into_iter().for_each(|v| self.fold.add(v));
        }
    }
    /// Whether a frame with this cookie is in the device.
    fn has(&self, slot: Slot) -> bool {
        let hw = self.tids.hw.iter().flatten();
        self.tids.queues.iter().flat_map(|q| &q.bufs).any(|b| b.slot == slot)
            || hw.filter(|u| !matches!(u.burst.what, What::Bar(_))).any(|u| u.slots.contains(&slot))
    }
}

fn gave(n: usize) -> Fold {
    let mut x = Draw::setting(n);
    let buffers = x.pick(&[33, 33, 8, 2]);
    let stations: u32 = x.pick(&[1, 2, 4]);
    let (kind, sizes, encrypted) = (x.below(3), x.below(3), x.below(2) == 1);
    let retries = x.pick(&[10, 10, 0, 3]);
    let ampdu_bytes = x.pick(&[65_535, 65_535, 20_000]);
    let par = Params { target_buffers: buffers, retries, ampdu_bytes, ..Params::default() };
    let mut tids = Tids::new(&par, stations as usize, Mode::Ht(Ht::new(7, true, true).expect("MCS 7")));
    tids.encryption = if encrypted { Encryption::Ccmp } else { Encryption::None };
    let mut loss = vec![];
    for s in 0..stations as usize {
        tids.limits[s] = x.pick(&[6684, 20_052, 60_156, 3216, 65_535, 0]).min(ampdu_bytes);
        loss.push(x.pick(&[0, 10, 50, 95]));
    }
    let (bar_loss, outage) = (x.pick(&[0, 20, 80]), x.pick(&[0, 5, 30]));
    let mut d = Bench { fold: Fold::default(), tids, par, free: buffers };
    for _ in 0..3000 {
        let (a, b, c) = (x.next(), x.next(), x.next());
        let sta = b % stations;
        if a % 4 < 2 {
            for _ in 0..=(c & 7) * (c >> 3 & 1) {
                if d.free == 0 {
                    break;
                }
                let tid = match kind {
                    0 => 0,
                    1 => (b >> 8) % 2 * 3,
                    _ => (b >> 8) % 8,
                };
                let len = match sizes {
                    0 => 1500,
                    1 => 20 + x.below(1481),
                    _ => 40,
                };
                let slot = (0..=255).find(|&s| !d.has(s)).expect("more slots than buffers");
                let p = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(0));
                let p = Packet { headers: 20, payload: len - 20, ..p };
                d.free -= 1;
                if let Some(u) = d.tids.receive(slot, &p, StaIx(sta as u8), Tid::new(tid as u8)) {
                    let q = QUEUES.iter().position(|&ac| ac == u.burst.ac).expect("one of four");
                    d.push(q, u);
                }
            }
        } else if let Some(q) = (0..5).map(|k| (c as usize + k) % 4).find(|&q| d.tids.head(QUEUES[q]).is_some()) {
            let head = d.tids.head(QUEUES[q]).expect("just seen");
            let (what, n, lost) = (head.what, head.mpdus.len(), loss[head.to.ix()]);
            let mut acked = Bitmap::NONE;
            let answered = match what {
                What::Bar(_) => x.below(100) >= bar_loss,
                _ if x.below(100) < outage => false,
                What::Single => {
                    let ok = x.below(100) >= lost;
                    if ok {
                        acked.put(0);
                    }
                    ok
                }
                What::Ampdu => {
                    (0..n).filter(|_| x.below(100) >= lost).for_each(|k| acked.put(k));
                    true
                }
            };
            d.done(q, &Report { answered, acked, ..Report::default() });
        }
        let t = &d.tids.queues[sta as usize * Tid::COUNT + (b >> 8) as usize % 8];
        let seen = [
            d.free.into(),
            t.window.start().get().into(),
            t.window.next().get().into(),
            t.window.handed_out().into(),
            t.paused.into(),
            t.bufs.len() as u64,
            d.tids.depth[QUEUES[c as usize % 4].ix()].into(),
        ];
        seen.into_iter().for_each(|v| d.fold.add(v));
    }
    d.fold
}

const FIRMWARE: [Fold; 32] = [
    Fold(39_312, 4_972_498_225_174_675_182),
    Fold(39_944, 2_375_793_377_385_464_578),
    Fold(39_006, 15_920_272_544_665_105_329),
    Fold(44_584, 6_075_140_369_886_359_224),
    Fold(42_444, 1_375_994_393_635_221_850),
    Fold(40_576, 9_143_658_382_752_185_715),
    Fold(42_024, 2_284_917_606_835_837_272),
    Fold(37_575, 12_778_646_640_692_770_289),
    Fold(39_323, 5_793_272_370_624_879_405),
    Fold(38_500, 1_902_701_753_650_593_842),
    Fold(39_455, 12_331_046_608_789_883_894),
    Fold(42_078, 9_195_130_287_836_078_170),
    Fold(35_695, 17_724_862_639_907_276_543),
    Fold(34_146, 6_354_126_458_260_608_991),
    Fold(35_634, 17_296_493_179_025_180_190),
    Fold(34_710, 9_638_316_642_923_341_396),
    Fold(35_621, 9_261_145_611_002_391_143),
    Fold(36_294, 3_782_191_544_477_922_485),
    Fold(33_285, 9_035_442_215_930_899_304),
    Fold(41_034, 14_762_006_282_258_402_874),
    Fold(41_349, 18_312_788_000_624_245_729),
    Fold(55_898, 5_320_746_795_996_244_782),
    Fold(40_160, 9_232_997_547_161_136_554),
    Fold(53_080, 10_122_526_848_210_418_354),
    Fold(49_435, 16_669_940_105_530_742_572),
    Fold(39_743, 14_921_811_519_694_661_291),
    Fold(56_826, 8_864_695_912_916_453_423),
    Fold(42_781, 15_861_132_548_968_750_876),
    Fold(40_908, 17_624_691_011_558_010_727),
    Fold(51_657, 14_509_907_748_243_307_282),
    Fold(36_223, 259_925_100_120_509_180),
    Fold(48_906, 6_461_630_195_426_052_703),
];

#[test]
fn every_unit_and_status_is_the_firmwares() {
    for (n, row) in FIRMWARE.iter().enumerate() {
        assert_eq!(gave(n), *row, "setting {n}");
    }
}
