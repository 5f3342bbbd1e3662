//! ath9k against drivers/net/wireless/ath/ath9k/xmit.c of 6.12, and whose turn it is against net/mac80211/tx.c: see
//! [`vectors`](crate::qdisc::vectors). The kernel's hardware took descriptors and gave statuses as [`Bench::complete`] draws them, by EDMA
//! or not.

use super::*;
use crate::mac80211::{self, profile::V6_12};
use crate::phy::{Ht, Ofdm};
use crate::qdisc::vectors::{Draw, Row};
use crate::rate::Choice;
use crate::rate::given::Given;
use crate::sim::{Auto, Bitmap, Bytes, FlowId, Freed, Kind, NodeId, Owner, Packet, Place, Reason};
use crate::wifi::{Attempt, Chain, Encryption, What};

const TIDS: [u8; 8] = [0, 5, 1, 3, 4, 2, 6, 7];
const STATIONS: usize = 4;

/// How a driver is set up.
pub(super) struct Set {
    pub par: Params,
    pub rates: Rates,
    pub densities: Vec<Span>,
    pub framing: Framing,
    pub aggregates: bool,
    pub txop: [Span; Ac::COUNT],
}

/// A driver with what stands above it.
pub(super) trait Driven: Sized {
    /// It has a queue for each category above, and no RTS threshold here.
    const OLD: bool;
    fn new(set: Set) -> Self;
    /// A packet comes from above.
    fn put(&mut self, now: Time, to: StaIx, tid: Tid, p: &Packet, sink: &mut Sink<'_>);
    fn head(&self, ac: Ac) -> Option<&Burst>;
    fn done(&mut self, now: Time, ac: Ac, r: &Report, sink: &mut Sink<'_>);
    fn heard(&mut self, _now: Time, _from: StaIx, _airtime: Span) {}
    fn rates(&mut self) -> &mut Rates;
    /// Units in a hardware queue, and of these such as are under an agreement.
    fn units(&self, ac: usize) -> (u32, u8);
    /// Packets that have come and not left.
    fn outstanding(&self) -> u64;
    /// What a TID has and counts, to the last.
    fn shown(&self, to: StaIx, tid: Tid) -> Vec<u64>;
}

/// Window, retry queue and BAR of a TID.
pub(super) fn shown(t: &TidState) -> Vec<u64> {
    let start = t.window.start();
    let bar = t.bar.map_or(0, |b| b.ahead_of(start) + 1);
    [start.get(), t.window.next().get(), t.retry.len() as u16, bar, t.window.handed_out()].map(u64::from).to_vec()
}

/// Below TXQs, each a queue here.
struct Today(Ath9k, Txqs);

impl Driven for Today {
    const OLD: bool = false;
    fn new(s: Set) -> Today {
        let queues = mac80211::Params {
            flows: 65_536,
            limit: 10_000_000,
            memory_limit: Auto::Set(Bytes::from_mib(1024)),
            target: Span::from_s(10),
            interval: Span::from_s(100),
            ..mac80211::Params::default()
        };
        let q = Txqs::new(&queues, &V6_12, s.densities.len() as u16, 1, s.framing.header().into());
        Today(Ath9k::new(&s.par, s.rates, s.densities, s.framing, s.aggregates, s.txop, false), q)
    }
    fn put(&mut self, now: Time, to: StaIx, tid: Tid, p: &Packet, sink: &mut Sink<'_>) {
        self.1.enqueue(now, to.0.into(), tid.get(), p, sink);
        self.0.wake(now, to, tid, &mut self.1, sink);
    }
    fn head(&self, ac: Ac) -> Option<&Burst> {
        self.0.head(ac)
    }
    fn done(&mut self, now: Time, ac: Ac, r: &Report, sink: &mut Sink<'_>) {
        self.0.done(now, ac, r, &mut self.1, sink);
    }
    fn heard(&mut self, now: Time, from: StaIx, airtime: Span) {
        self.0.heard(now, from, Tid::new(0), airtime, &mut self.1);
    }
    fn rates(&mut self) -> &mut Rates {
        &mut self.0.rates
    }
    fn units(&self, ac: usize) -> (u32, u8) {
        (self.0.hw[ac].queue.len() as u32, self.0.hw[ac].ampdus)
    }
    fn outstanding(&self) -> u64 {
        self.0.held() + u64::from(self.1.packets())
    }
    fn shown(&self, to: StaIx, tid: Tid) -> Vec<u64> {
        let a = self.1.account(to.0.into(), mac80211::ac_of(tid.get()));
        let frames = self.1.frames(to.0.into(), tid.get());
        let mut all = shown(&self.0.tids[to.ix() * Tid::COUNT + tid.ix()]);
        all.extend([u64::from(a.deficit as u32), a.tx, a.rx, frames.into()]);
        all
    }
}

/// A card whose hardware and rates do what is drawn.
struct Bench<D> {
    x: Draw,
    d: D,
    freed: Vec<Freed>,
    dropped: Vec<(Packet, Place, Reason)>,
    now: Time,
    stations: u32,
    tids: u32,
    burst: u32,
    /// How the medium treats each station's frames.
    loss: [usize; STATIONS],
    max_tries: u32,
    rts_fallback: bool,
    /// RTS by the threshold: no link of 802.11a stands before one of 802.11n.
    one_sort: bool,
    /// One in so many, or none: frames that are probes, and rates that are not of 802.11n.
    probes: u32,
    legacy: u32,
    sizes: u32,
    /// Packets that came.
    came: u32,
    out: u32,
    drops: u32,
    sum: u64,
}

/// A mode's number for the checksum.
fn code(m: Mode) -> u32 {
    match m {
        Mode::Ht(h) => u32::from(h.mcs()) | u32::from(h.mhz40) << 5 | u32::from(h.sgi) << 6,
        Mode::Ofdm(r) => 1000 + Ofdm::ALL.iter().position(|&o| o == r).unwrap() as u32,
        _ => unreachable!(),
    }
}

/// What a PPDU takes: of 802.11n as `ath_pkt_duration` rounds it.
fn takes(m: Mode, len: u32) -> Span {
    let Mode::Ht(h) = m else { return crate::phy::ppdu(m, len, crate::phy::Band::Ghz5) };
    let symbols = (len * 8 + 22).div_ceil(h.bits_per_symbol());
    let data = if h.sgi { (symbols * 18).div_ceil(5) } else { symbols * 4 };
    Span::from_us(i64::from(data + 32 + 4 * h.streams()))
}

/// Links of a chain.
fn links(c: &Chain) -> u32 {
    c.iter().take_while(|a| a.tries > 0).count() as u32
}

impl<D: Driven> Bench<D> {
    fn drawn(n: usize) -> Bench<D> {
        let mut x = Draw::setting(n);
        let (stations, tids) = (x.pick(&[1, 1, 2, 4]), x.pick(&[1, 1, 3, 8]));
        let aggregates = x.below(8) != 0;
        let window: u16 = x.pick(&[64, 64, 64, 32, 8, 2]);
        let ampdu_bytes = x.pick(&[8191, 16_383, 32_767, 65_535, 65_535]);
        let densities = (0..stations).map(|_| Span::from_us(x.pick(&[0, 1, 2, 4, 8, 8, 16]))).collect();
        let subframe_bytes = x.pick(&[256, 256, 256, 0, 100]);
        let edma = x.below(2) == 1;
        let encryption = if x.below(2) == 1 { Encryption::Ccmp } else { Encryption::None };
        let (depth, plain_depth) = (x.pick(&[2, 2, 2, 1, 4]), x.pick(&[8, 8, 3]));
        let retries = x.pick(&[30, 30, 5, 0, 63]);
        let txop = core::array::from_fn(|_| Span::from_us(x.pick(&[0, 0, 1504, 3008, 4096, 32, 64])));
        let (mut rts_threshold, mut max_pending) = (None, 123);
        if D::OLD {
            max_pending = x.pick(&[123, 123, 40, 10]);
        } else {
            rts_threshold = x.pick(&[None, None, Some(0), Some(500), Some(3000)]);
        }
        let rts_fallback = x.below(2) == 1;
        let max_tries = x.pick(&[2, 4, 7, 13]);
        let (probes, legacy) = (x.pick(&[0, 0, 16, 4]), x.pick(&[0, 0, 12, 3]));
        let (sizes, burst) = (x.below(5), x.pick(&[1, 3, 20, 64]));
        let par = Params {
            depth,
            plain_depth,
            ampdu_frames: window / 2,
            window,
            ampdu_bytes,
            subframe_bytes,
            edma,
            retries,
            rts_threshold,
            max_pending,
            ..Params::default()
        };
        let none = Choice { chain: [Attempt::NONE; 4], probe: false, rts_fallback, first_rts: 0 };
        let rates = Rates::Given(Given { tables: vec![none; stations], ..Given::default() });
        let framing = Framing { qos: true, encryption };
        let mut b = Bench {
            x,
            d: D::new(Set { par, rates, densities, framing, aggregates, txop }),
            freed: vec![],
            dropped: vec![],
            now: Time::from_s(10),
            stations: stations as u32,
            tids,
            burst,
            loss: [0; STATIONS],
            max_tries,
            rts_fallback,
            one_sort: rts_threshold.is_some(),
            probes,
            legacy,
            sizes,
            came: 0,
            out: 0,
            drops: 0,
            sum: 0,
        };
        for s in 0..stations {
            b.loss[s] = b.x.below(4) as usize;
            b.draw_table(s);
        }
        b
    }
    fn fold(&mut self, v: impl Into<u64>) {
        self.sum = self.sum.wrapping_mul(31).wrapping_add(v.into());
    }
    fn given(&mut self) -> &mut Given {
        match self.d.rates() {
            Rates::Given(g) => g,
            _ => unreachable!(),
        }
    }
    /// Of `ht`'s sort, or of any.
    fn draw_mode(&mut self, ht: Option<bool>) -> Mode {
        if !ht.unwrap_or_else(|| self.legacy == 0 || self.x.below(self.legacy) > 0) {
            return Mode::Ofdm(Ofdm::ALL[self.x.below(8) as usize]);
        }
        let mcs = self.x.below(16) as u8;
        let mhz40 = self.x.below(2) == 1;
        Mode::Ht(Ht::new(mcs, mhz40, self.x.below(2) == 1).unwrap())
    }
    fn draw_table(&mut self, sta: usize) {
        let mut chain = [Attempt::NONE; 4];
        let n = 1 + self.x.below(4) as usize;
        let ht = self.one_sort.then(|| self.legacy == 0 || self.x.below(self.legacy) > 0);
        for a in &mut chain[..n] {
            *a = Attempt { mode: self.draw_mode(ht), tries: (1 + self.x.below(self.max_tries)) as u8 };
        }
        let first_rts = (1 + self.x.below(self.max_tries)) as u8;
        let rts_fallback = self.rts_fallback;
        self.given().tables[sta] = Choice { chain, probe: false, rts_fallback, first_rts };
    }
    fn size(&mut self) -> u32 {
        let v = self.x.next();
        match self.sizes {
            0 => v % 1473,
            1 => 1472,
            2 => 0,
            3 => v % 2 * 1472,
            _ => v % 150,
        }
    }
    fn enqueue(&mut self, sta: u32, tid: u8) {
        // A flow to each TXQ: they are queues.
        let mut p = Packet::blank(Kind::Udp, FlowId((sta * 8) as u16 + u16::from(tid)), NodeId(1), NodeId(0));
        (p.payload, p.headers, p.truesize, p.seq, p.owner) = (self.size(), 28, 2304, self.came, Owner(0));
        self.came += 1;
        if self.probes > 0 && self.x.below(self.probes) == 0 {
            let mode = self.draw_mode(self.one_sort.then_some(true));
            let probes = &mut self.given().probes;
            probes.push(mode);
            p.mark = probes.len() as u16;
        }
        let Bench { d, freed, dropped, now, .. } = self;
        let mut sink = Sink { freed, dropped, wants: &mut vec![] };
        d.put(*now, StaIx(sta as u8), Tid::new(tid), &p, &mut sink);
        self.events();
    }
    /// What has left, of it first what was acknowledged; what rate control was told, how many stand in the hardware.
    fn events(&mut self) {
        for f in core::mem::take(&mut self.freed) {
            self.fold(f.seq);
            self.out += 1;
        }
        for (p, ..) in core::mem::take(&mut self.dropped) {
            self.fold(p.seq + 1_000_000);
            self.drops += 1;
        }
        for (to, chain, link, tries, frames, bad) in core::mem::take(&mut self.given().told) {
            self.fold(to.0);
            for (i, a) in chain[..=usize::from(link)].iter().enumerate() {
                self.fold(code(a.mode));
                let tries = if i == usize::from(link) { tries } else { a.tries };
                self.fold(tries);
            }
            self.fold(frames);
            self.fold(bad);
        }
        for ac in 0..Ac::COUNT {
            let (units, agreements) = self.d.units(ac);
            self.fold(units);
            self.fold(agreements);
        }
    }
    fn show(&mut self, sta: u32, tid: u8) {
        let shown = self.d.shown(StaIx(sta as u8), Tid::new(tid));
        shown.into_iter().for_each(|v| self.fold(v));
    }
    /// A hardware queue's first unit ends as is drawn; false: there is none.
    fn complete(&mut self, all: bool) -> bool {
        let (first, o) = (self.x.below(4) as usize, self.x.below(16));
        let Some(ac) = (0..4).map(|k| Ac::ALL[(first + k) % 4]).find(|ac| self.d.head(*ac).is_some()) else {
            return false;
        };
        let b = self.d.head(ac).unwrap().clone();
        let (to, tid) = (u32::from(b.to.0), b.tid.get());
        let what = match b.what {
            What::Single => 0,
            What::Ampdu => 1_u32,
            What::Bar(_) => 2,
        };
        for v in [to, u32::from(tid), what, b.agreement.into(), b.psdu] {
            self.fold(v);
        }
        let mut n = links(&b.chain);
        if let What::Bar(start) = b.what {
            self.fold(start.get());
            n = 1;
        } else {
            for (i, a) in b.chain[..n as usize].iter().enumerate() {
                let rts = b.rts || (b.rts_fallback && i > 0);
                self.fold(code(a.mode));
                self.fold(a.tries);
                self.fold(rts);
            }
            for m in &b.mpdus {
                self.fold(m.packet.seq);
                self.fold(m.seq.get());
                self.fold(m.attempts);
                self.fold(m.len);
            }
        }
        let loss = if all { 3 } else { self.loss[to as usize] };
        let lost = o < [1, 6, 12, 0][loss];
        let (mut link, mut tries) = (n - 1, u32::from(b.chain[n as usize - 1].tries));
        if !lost || o & 1 == 1 {
            link = self.x.below(n);
            tries = 1 + self.x.below(b.chain[link as usize].tries.into());
        }
        let mut acked = Bitmap::NONE;
        if !lost {
            for i in 0..b.mpdus.len() {
                if what != 1 || self.x.below(8) < [7, 4, 2, 8][loss] {
                    acked.put(i);
                }
            }
        }
        let airtime = |(i, a): (usize, &Attempt)| {
            takes(a.mode, b.psdu) * i64::from(if i == link as usize { tries } else { a.tries.into() })
        };
        let airtime = b.chain[..=link as usize].iter().enumerate().map(airtime).fold(Span::ZERO, |sum, t| sum + t);
        let (link, tries) = (link as u8, tries as u8);
        let r = Report { answered: !lost, acked, received: acked, link, tries, airtime, ..Report::default() };
        let Bench { d, freed, dropped, now, .. } = self;
        d.done(*now, ac, &r, &mut Sink { freed, dropped, wants: &mut vec![] });
        self.events();
        self.show(to, tid);
        true
    }
}

/// 3000 operations: packets come to a station, units end, its rates change, frames are heard from it. Then all that is left goes.
pub(super) fn gave<D: Driven>(n: usize) -> Row {
    let mut b = Bench::<D>::drawn(n);
    for op in 0..3000 {
        b.now += Span::from_ms(b.x.below(3).into());
        let (a, to, c) = (b.x.below(100), b.x.next(), b.x.next());
        if c % 499 == 0 {
            b.now += Span::from_ms(i64::from(c % 300));
        }
        let (sta, tid) = (to % b.stations, TIDS[((to >> 8) % b.tids) as usize]);
        if a < [45, 60, 30][op / 300 % 3] {
            for _ in 0..1 + b.x.below(b.burst) {
                if b.d.outstanding() >= 2000 {
                    break;
                }
                b.enqueue(sta, tid);
            }
            b.show(sta, tid);
        } else if a < 92 {
            (0..=c % 4).for_each(|_| _ = b.complete(false));
        } else if a < 96 {
            b.draw_table(sta as usize);
        } else {
            b.d.heard(b.now, StaIx(sta as u8), Span::from_us(i64::from(c % 5000)));
            b.show(sta, 0);
        }
    }
    while b.complete(true) {}
    for sta in 0..b.stations {
        (0..8).for_each(|tid| b.show(sta, tid));
    }
    b.fold(b.d.outstanding());
    (b.out, b.drops, b.sum)
}

const KERNEL: [Row; 40] = [
    (947, 13_095, 6_496_349_355_901_903_413),
    (325, 1_004, 9_489_791_992_880_724_062),
    (14_521, 0, 1_649_384_071_436_042_422),
    (1_351, 0, 2_125_489_166_103_975_239),
    (9_724, 1_485, 11_279_465_958_039_745_811),
    (2_437, 275, 13_387_726_263_520_118_000),
    (2_735, 0, 8_595_701_822_699_682_044),
    (12_159, 2_400, 2_388_867_005_792_009_984),
    (11_640, 2_059, 179_549_192_337_610_461),
    (4_824, 709, 530_811_681_739_454_986),
    (5_363, 220, 11_344_280_462_255_842_295),
    (1_248, 82, 15_460_511_884_498_492_700),
    (4_814, 165, 16_864_660_216_158_453_628),
    (2_296, 478, 14_172_869_140_240_002_676),
    (5_328, 6, 17_756_788_927_359_712_763),
    (1_472, 1_271, 6_737_371_884_750_403_504),
    (758, 559, 4_744_263_234_646_639_553),
    (8_629, 2_073, 14_606_465_371_846_748_213),
    (2_643, 86, 3_001_442_858_201_247_721),
    (2_619, 154, 15_230_472_664_370_018_481),
    (4_655, 1_574, 7_534_008_591_724_263_631),
    (329, 2_393, 10_241_916_774_432_544_184),
    (2_793, 223, 17_487_152_448_078_994_004),
    (2_657, 0, 12_504_772_847_979_053_808),
    (5_448, 0, 12_201_370_925_583_720_703),
    (2_240, 348, 17_134_636_623_493_418_016),
    (9_120, 0, 4_164_990_490_009_665_104),
    (2_259, 542, 2_878_512_067_446_407_118),
    (4_216, 1_313, 6_920_863_330_806_395_485),
    (491, 2_161, 231_228_602_628_446_607),
    (7_828, 0, 17_740_157_226_358_429_505),
    (2_673, 0, 14_862_096_447_561_351_589),
    (8_688, 0, 16_954_775_794_162_363_330),
    (2_500, 313, 13_263_182_374_188_789_171),
    (1_911, 819, 5_254_430_157_815_499_200),
    (2_608, 22, 14_640_297_595_966_162_215),
    (3_472, 16, 5_767_763_167_750_945_638),
    (3_945, 1_660, 18_409_232_257_028_136_432),
    (8_838, 1_405, 5_116_441_900_288_614_642),
    (1_239, 68, 16_692_529_893_902_931_465),
];

/// Holds what each setting gives to what the kernel's gave; the first that differs is named.
pub(super) fn holds<D: Driven>(kernel: &[Row]) {
    for (n, row) in kernel.iter().enumerate() {
        assert_eq!(gave::<D>(n), *row, "setting {n}");
    }
}

#[test]
fn every_unit_is_the_kernels() {
    holds::<Today>(&KERNEL);
}
