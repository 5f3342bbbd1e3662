//! The worker against mt76/tx.c of 6.12.117 (6.1.192 gives the same), 5.15.148 and 5.10.262, over each kernel's own turns
//! (net/mac80211/tx.c, sta_info.c): see [`vectors`](crate::qdisc::vectors). An estimate of airtime is 4 us at least, as `ieee80211_calc_expected_tx_airtime`'s.

use super::*;
use crate::mac80211::profile::{self, Profile};
use crate::mac80211::{self, Txqs, ac_of};
use crate::phy::modes;
use crate::qdisc::vectors::{Draw, Fold};
use crate::rate::fixed;
use crate::sim::{Auto, FlowId, Kind, NodeId, Packet};

/// The TID for which a category's airtime is registered. src: mt7915_mac_sta_poll `ac_to_tid`
const TID_OF: [u8; Ac::COUNT] = [6, 4, 0, 1];

/// A packet that the card has.
#[derive(Clone, Copy)]
struct Out {
    sta: u16,
    tid: u8,
    token: u16,
}

/// mac80211's turns over TXQs of which nothing but the length counts.
struct Stack {
    txqs: Txqs,
    frames: Vec<[u32; 8]>,
    next: Vec<[u32; 8]>,
    turn: (u16, u8),
    out: Vec<Out>,
    /// The card's tokens, in the order in which it takes them.
    tokens: Vec<u16>,
    estimate: u32,
    x: Draw,
    fold: Fold,
}

impl Stack {
    fn holds(&mut self, (sta, tid): (u16, u8)) -> &mut u32 {
        &mut self.frames[usize::from(sta)][usize::from(tid)]
    }
}

impl Above for Stack {
    fn start(&mut self, ac: Ac) {
        self.txqs.schedule_start(ac as u8);
    }
    fn turn(&mut self, _now: Time, ac: Ac) -> bool {
        let turn = self.txqs.next_txq(ac as u8);
        self.turn = turn.unwrap_or_default();
        turn.is_some()
    }
    fn pull(&mut self, _now: Time, ac: Ac, _sink: &mut Sink<'_>) -> Option<(Packet, StaIx, Tid, Span)> {
        let (sta, tid) = self.turn;
        if !self.txqs.scheduler().aql_allows(sta, ac as u8) || *self.holds(self.turn) == 0 {
            return None;
        }
        *self.holds(self.turn) -= 1;
        let estimate = Span::from_us(i64::from(4 + self.x.below(self.estimate)));
        let charged = self.txqs.aql_charge(sta, tid, estimate);
        let id = &mut self.next[usize::from(sta)][usize::from(tid)];
        self.fold.add(1 + u64::from(sta) * 8 + u64::from(tid));
        self.fold.add((*id).into());
        let p = Packet { seq: *id, ..Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(0)) };
        *id += 1;
        let token = self.tokens.pop().expect("it pulls no more than it has tokens for");
        self.out.push(Out { sta, tid, token });
        Some((p, StaIx(sta as u8), Tid::new(tid), charged))
    }
    fn give_back(&mut self, now: Time, _ac: Ac) {
        let (sta, tid) = self.turn;
        let force = *self.holds(self.turn) > 0;
        self.fold.add(9);
        self.txqs.return_txq(now, sta, tid, force);
    }
    fn completed(&mut self, _now: Time, _p: &Packet, _to: StaIx, _tid: Tid, _charged: Span) {
        unreachable!("the hardware counts airtime");
    }
    fn freed(&mut self, to: StaIx, tid: Tid, charged: Span) {
        self.txqs.aql_done(to.0.into(), tid.get(), charged);
    }
    fn spent(&mut self, now: Time, sta: StaIx, ac: Ac, tx: Span, rx: Span) {
        self.txqs.register_airtime(now, sta.0.into(), TID_OF[ac.ix()], tx, rx);
    }
    fn resumes(&self, _pending: u16, _most: u16) -> bool {
        unreachable!("the worker always runs");
    }
}

/// Packets that come, tx-free events of any of them, received airtime; the worker, woken, runs at once or later.
fn gave(n: usize, kernel: &Profile) -> Fold {
    let mut x = Draw::setting(n);
    let stations: u16 = x.pick(&[1, 2, 5, 30]);
    let by_time = kernel.turns == profile::Turns::Virtual;
    // By virtual time with one TID a category, as in the turns' own vectors.
    let sets: [[&[u8]; 3]; 2] = [[&[0], &[0, 3, 5], &[0, 1, 2, 3, 4, 5, 6, 7]], [&[0], &[0, 4], &[0, 1, 4, 6]]];
    let tids = sets[usize::from(by_time)][x.below(3) as usize];
    let fairness = x.below(5) != 0;
    // 5.10 cannot switch AQL off, nor has its driver a stop by tokens.
    let old = kernel.turns == profile::Turns::Owed;
    let aql = x.below(4) != 0 || old;
    let us = |v: u32| Span::from_us(v.into());
    let queues = mac80211::Params {
        airtime_fairness: fairness,
        aql: Auto::Set(aql),
        aql_low: us(x.pick(&[0, 1000, 5000, 20_000])),
        aql_high: us(x.pick(&[5000, 12_000])),
        aql_threshold: us(x.pick(&[0, 6000, 24_000, 1_000_000])),
        ..Default::default()
    };
    let (step, burst, estimate) = (x.pick(&[1, 3, 30]), x.pick(&[1, 4, 64, 256]), x.pick(&[8, 100, 1000, 5000]));
    let tokens = x.pick(&[2, 16, 200, 8128]);
    let tokens = if old { 8192 } else { tokens };
    let par = Params { tokens, ..Params::default() };
    let mode = modes::dsss()[0];
    let rates = Rates::fixed(&fixed::Params::default(), vec![mode; usize::from(stations)]);
    let peer = Peer { amsdus: true, window: 64, density: par.density };
    let mut dev = Mt76::new(&par, rates, &vec![peer; usize::from(stations)], true, Band::Ghz5);
    let mut q = Stack {
        txqs: Txqs::new(&queues, kernel, stations, 1, 14),
        frames: vec![[0; 8]; usize::from(stations)],
        next: vec![[0; 8]; usize::from(stations)],
        turn: (0, 0),
        out: Vec::new(),
        tokens: (0..tokens).rev().collect(),
        estimate,
        x,
        fold: Fold::default(),
    };
    let (mut freed, mut dropped, mut wants) = (vec![], vec![], vec![]);
    let (mut ms, mut woken) = (1000, 0_u64);
    for _ in 0..4000 {
        ms += u64::from(q.x.below(step));
        let (a, b, c) = (q.x.next(), q.x.next(), q.x.next());
        let now = Time::from_ms(ms);
        let txq @ (sta, tid) = ((b % u32::from(stations)) as u16, tids[(b >> 8) as usize % tids.len()]);
        let ac = ac_of(tid);
        let mut sink = Sink { freed: &mut freed, dropped: &mut dropped, wants: &mut wants };
        match a % 16 {
            0..=6 if *q.holds(txq) < 2000 => {
                for _ in 0..=c % burst {
                    *q.holds(txq) += 1;
                    q.txqs.schedule_txq(now, sta, tid);
                    dev.wake(now, StaIx(sta as u8), Tid::new(tid), &mut q, &mut sink);
                }
            }
            0..=6 => {}
            7..=12 => {
                for _ in 0..=c % (burst * 2) {
                    if q.out.is_empty() {
                        break;
                    }
                    let any = c >> 16 & 1 == 1;
                    let i = if any { q.x.below(q.out.len() as u32) } else { 0 };
                    let o = q.out.remove(i as usize);
                    q.tokens.push(o.token);
                    dev.fw.done.push((o.token, true));
                    dev.counted[usize::from(o.sta)][usize::from(ac_of(o.tid))].0 += us(q.x.below(estimate));
                }
                dev.free(now, &mut q, &mut sink);
            }
            13 | 14 => dev.heard(StaIx(sta as u8), Tid::new(tid), us(q.x.below(3000))),
            _ => {}
        }
        woken += wants.len() as u64;
        assert!(wants.drain(..).all(|w| w == (now, Lane::Worker, WORKER)));
        if c >> 17 & 1 == 1 && dev.woken {
            let mut sink = Sink { freed: &mut freed, dropped: &mut dropped, wants: &mut wants };
            dev.timer(now, WORKER, &mut q, &mut sink);
            q.fold.add(7);
        }
        let a = q.txqs.account(sta, ac);
        let s = q.txqs.scheduler();
        let seen = [
            u64::from(a.deficit as u32),
            u64::from(a.pending as u32),
            s.is_scheduled(sta, tid).into(),
            s.aql_allows(sta, ac).into(),
            dev.tokens.pending().into(),
            woken,
            u64::from(q.frames[usize::from(sta)][usize::from(tid)]),
        ];
        seen.into_iter().for_each(|v| q.fold.add(v));
    }
    q.fold
}

const KERNEL: [Fold; 24] = [
    Fold(35_448, 15_125_872_515_721_347_700),
    Fold(480_777, 3_906_232_049_506_267_535),
    Fold(87_431, 16_388_151_478_032_001_592),
    Fold(40_102, 9_519_496_139_553_944_546),
    Fold(36_270, 2_222_547_044_646_908_148),
    Fold(40_601, 11_185_980_940_689_933_582),
    Fold(40_736, 7_000_938_864_065_273_616),
    Fold(146_841, 16_691_391_698_569_565_760),
    Fold(43_313, 13_849_000_886_113_618_302),
    Fold(486_727, 6_539_406_006_713_156_519),
    Fold(77_790, 8_919_585_405_078_286_596),
    Fold(45_123, 4_631_332_456_717_855_681),
    Fold(34_962, 4_140_070_189_291_557_048),
    Fold(29_797, 13_245_410_748_286_765_017),
    Fold(41_568, 17_499_613_131_174_573_489),
    Fold(156_391, 12_350_967_000_083_532_671),
    Fold(116_244, 12_204_892_188_068_423_817),
    Fold(391_161, 5_601_589_192_359_562_652),
    Fold(29_288, 13_059_265_001_033_365_959),
    Fold(36_866, 12_555_906_283_943_204_150),
    Fold(34_842, 10_525_720_184_971_357_690),
    Fold(41_953, 10_401_232_956_239_639_651),
    Fold(41_489, 6_129_431_862_995_118_776),
    Fold(37_069, 2_353_860_079_878_489_348),
];
const KERNEL_5_15: [Fold; 12] = [
    Fold(35_583, 2_969_693_069_528_664_207),
    Fold(483_745, 5_005_432_464_358_194_136),
    Fold(75_243, 6_160_639_710_148_247_156),
    Fold(40_017, 13_783_597_866_618_209_758),
    Fold(34_907, 4_520_188_844_939_451_323),
    Fold(40_868, 8_985_646_759_458_254_362),
    Fold(40_660, 4_529_195_423_389_087_877),
    Fold(144_845, 14_426_852_224_323_984_369),
    Fold(53_618, 13_043_910_018_516_983_601),
    Fold(478_388, 3_971_100_611_196_320_846),
    Fold(91_467, 10_252_953_792_635_297_366),
    Fold(41_088, 1_330_082_726_194_752_995),
];
const KERNEL_5_10: [Fold; 12] = [
    Fold(143_022, 1_578_096_908_945_081_538),
    Fold(472_075, 6_670_928_963_872_541_579),
    Fold(498_715, 1_343_161_929_264_811_779),
    Fold(35_032, 7_800_957_086_488_856_743),
    Fold(35_111, 2_629_294_905_948_205_937),
    Fold(40_676, 14_871_719_494_507_733_612),
    Fold(40_660, 10_071_133_511_465_667_483),
    Fold(141_757, 12_660_061_320_298_751_584),
    Fold(145_520, 8_719_213_852_302_510_599),
    Fold(500_083, 17_918_492_227_979_007_635),
    Fold(112_945, 3_584_570_573_314_915_576),
    Fold(35_001, 8_883_680_580_603_407_652),
];

fn holds(kernel: &[Fold], of: &Profile) {
    for (n, row) in kernel.iter().enumerate() {
        assert_eq!(gave(n, of), *row, "setting {n}");
    }
}

#[test]
fn every_packet_and_wake_up_is_the_kernels() {
    holds(&KERNEL, &profile::V6_12);
}

#[test]
fn and_under_virtual_time() {
    holds(&KERNEL_5_15, &profile::V5_15);
}

#[test]
fn and_before_5_12() {
    holds(&KERNEL_5_10, &profile::V5_4);
}
