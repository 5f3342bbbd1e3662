//! Every version against net/mac80211/rc80211_minstrel_ht.c of its kernel (3.18.63, 4.4.178, 4.9.115, 4.14.67, 5.4.59, 5.10.262, 5.15.148, 6.12.117):
//! see [`vectors`](crate::qdisc::vectors). A file was asked and told the same, with the same sample table. 3.18's and 4.4's look up a group's robust rate
//! as 4.9 does (see [`v3_18`](super::v3_18), D1). 1000 settings a version were compared, and 1000 with CCK rates; here are the first of both, and such as few
//! others are like.

use super::groups::{self, GROUPS, RATES};
use super::rules::Rules;
use super::*;
use crate::qdisc::vectors::{Draw, Row};

/// A station's Minstrel-HT.
enum Mac {
    New(Box<MinstrelHt>),
    Old(Box<V318>),
}

impl Mac {
    fn probe(&mut self, jiffies: u32, short: bool) -> Option<Rate> {
        match self {
            Mac::New(m) => m.probe(jiffies, short),
            Mac::Old(m) => m.probe(short),
        }
    }
    fn status(&mut self, jiffies: u32, status: &Status<'_>) -> bool {
        match self {
            Mac::New(m) => m.status(jiffies, status),
            Mac::Old(m) => m.status(jiffies, status),
        }
    }
    fn chain(&self) -> RateTable {
        match self {
            Mac::New(m) => *m.chain(),
            Mac::Old(m) => *m.chain(),
        }
    }
    /// All that later decisions depend on.
    fn shown(&self) -> Vec<u64> {
        match self {
            Mac::New(m) => m.shown(),
            Mac::Old(m) => m.shown(),
        }
    }
    fn kbit(&self) -> u32 {
        match self {
            Mac::New(m) => m.station.expected_kbit(),
            Mac::Old(m) => m.expected_kbit(),
        }
    }
}

/// Tries of a link, or that they were not counted since the last update.
pub(super) fn counted(tries: Option<Tries>) -> u64 {
    tries.map_or(0, |t| u64::from(t.plain) * 256 + u64::from(t.rts))
}

impl MinstrelHt {
    fn shown(&self) -> Vec<u64> {
        let (s, mut all) = (&self.station, vec![]);
        for g in (0..GROUPS as u8).filter(|&g| s.has_group(g)) {
            all.push(u64::from(g));
            for r in (0..RATES as u8).map(|i| Rate::new(g, i)).filter(|&r| s.supports(r)) {
                let of = s.stats(r);
                all.extend([of.attempts, of.success, of.prob, of.prob_before()].map(u64::from));
                all.extend([of.attempts_ever, of.success_ever, of.last.0.into(), of.last.1.into()].map(u64::from));
                all.extend([counted(of.tries), s.throughput(r, of.prob).into()]);
            }
            all.extend(s.best_of(g).map(|r| u64::from(r.number())));
            let (column, row) = self.sampling.place(g);
            all.extend([row, column].map(u64::from));
        }
        all.push(s.stats(Rate::default()).attempts.into());
        all.extend([s.ampdu[0], s.ampdu[1], s.avg_ampdu_len].map(u64::from));
        all.extend(s.best.into_iter().chain([s.robust]).map(|r| u64::from(r.number())));
        all.extend([self.updated, self.sampled, self.sampling.next().into()].map(u64::from));
        for (group, rates) in self.sampling.buckets() {
            all.push(group.into());
            all.extend(rates.map(|r| u64::from(r.number())));
        }
        all
    }
}

impl V318 {
    fn shown(&self) -> Vec<u64> {
        let mut all = vec![];
        for (g, of) in self.groups.iter().enumerate().filter(|(_, of)| of.mask != 0) {
            all.push(g as u64);
            for i in (0..RATES).filter(|i| of.mask >> i & 1 == 1) {
                let s = &of.rates[i];
                all.extend([s.attempts, s.success, s.prob].map(u64::from));
                if self.rules.average == rules::Average::LowPass {
                    all.push(s.prob_before.into());
                }
                all.extend([
                    s.skipped.into(),
                    counted(s.tries),
                    self.throughput_now(Rate::new(g as u8, i as u8)).into(),
                ]);
            }
            all.extend(of.best.into_iter().chain([of.robust]).map(|r| u64::from(r.number())));
            all.extend([of.row, of.column].map(u64::from));
        }
        all.push(self.groups[0].rates[0].attempts.into());
        all.extend([self.ampdu[0], self.ampdu[1], self.avg_ampdu_len].map(u64::from));
        all.extend(self.best.into_iter().chain([self.robust]).map(|r| u64::from(r.number())));
        all.push(self.updated.into());
        all.extend([self.wait, self.tries, self.count, self.slow, self.sample_group].map(u64::from));
        all
    }
}

/// The settings from here on are of a station at 2.4 GHz that has CCK rates.
const CCK: usize = 10_000;

/// A station, the frames for it, and what becomes of them.
struct Bench {
    x: Draw,
    m: Mac,
    hardware: Hardware,
    takes: Vec<Rate>,
    legacy: bool,
    cck: bool,
    /// The BSS has short preambles; statuses tell of them.
    short: bool,
    flagged: bool,
    streams: u32,
    jiffies: u32,
    step: u32,
    burst: u32,
    limit: u32,
    /// How the medium treats rates: by their order, each as it may be, all alike.
    mode: u32,
    level: u32,
    seed: u32,
    updates: u32,
    probes: u32,
    sum: u64,
}

impl Bench {
    fn drawn(version: Version, n: usize) -> Bench {
        let mut x = Draw::setting(n);
        let rules = Rules::of(version);
        let four = version <= Version::V5_4;
        let (max_rates, max_rate_tries) = (x.pick(&[4, 4, 3, 2]), x.pick(&[10, 11, 4, 18, 7]));
        let hz = x.pick(&[1000, 250, 100, 300]);
        let tells_length = !(four && x.below(4) == 0);
        let hardware = Hardware { max_rates, max_rate_tries, tells_length };
        let most = if four { 4 } else { 3 };
        let streams = 1 + x.below(most) as usize;
        let width_mhz = x.pick(&[20, 40, 80]);
        let short_gi = core::array::from_fn(|_| x.below(3) != 0);
        let full = x.below(4) != 0;
        let mut mask: [u8; 4] = core::array::from_fn(|i| match i < streams {
            true if full => 0xff,
            true => x.below(256) as u8,
            false => 0,
        });
        mask[0] |= 1 << x.below(8);
        let mut vht =
            (four && x.below(2) == 1).then(|| core::array::from_fn(|i| (i < streams).then(|| x.pick(&[7, 8, 9, 9]))));
        let legacy = rules.is_none() && x.below(8) == 0;
        let (mut ht, mut ofdm) = (Some(mask), 0);
        if legacy {
            (ht, vht) = (None, None);
            ofdm = (if x.below(2) == 1 { 0xff } else { x.below(256) as u16 }) | 1 << x.below(8);
        }
        let cck = n >= CCK;
        let rates = match cck {
            true if x.below(4) != 0 => 0xf,
            true => x.below(16) as u16,
            false => 0,
        };
        let (short, flagged) = (cck && x.below(2) == 1, cck && x.below(2) == 1);
        // 1 Mbit/s has the long preamble alone.
        let supports = Supports { ht, vht, width_mhz, short_gi, cck: rates | (rates & 0xe) << 4, ofdm };
        let overhead = match (rates, legacy) {
            (0, false) => Overhead::new(60, true),
            (0, true) => Overhead::new([60, 90, 120, 180, 240, 360, 480, 540][ofdm.trailing_zeros() as usize], true),
            _ => Overhead::new(groups::CCK_RATES[rates.trailing_zeros() as usize], false),
        };
        let jiffies = x.pick(&[1000, 4_000_000]);
        let mut random = || x.next() as u8;
        let m = match rules {
            Some(r) => {
                let columns = Table::of(r.rows, &mut random);
                Mac::Old(Box::new(V318::new(r, &supports, overhead, hardware, columns, hz, jiffies)))
            }
            None => {
                let columns = Table::new(&mut random);
                Mac::New(Box::new(MinstrelHt::new(&supports, overhead, version.fills(hardware), columns, hz, jiffies)))
            }
        };
        let step = if version <= Version::V4_14 { x.pick(&[1, 2, 12, 60]) } else { x.pick(&[2, 2, 12, 60]) };
        let all = (0..GROUPS as u8).flat_map(|g| (0..RATES as u8).map(move |i| Rate::new(g, i)));
        // Up to 4.19 the station starts with the long preambles.
        let starts = |r: Rate| version < Version::V4_14 || r == r.long();
        let takes: Vec<Rate> = all.filter(|&r| supports.takes(r) && starts(r)).collect();
        let (burst, limit) = (x.pick(&[1, 4, 64, 600]), x.pick(&[64, 32, 16, 1]));
        let (mode, level, seed) = (x.below(4), x.below(40), x.next());
        let (updates, probes, sum) = (1, 0, 0);
        let streams = most;
        let mut b = Bench {
            x,
            m,
            hardware,
            takes,
            legacy,
            cck,
            short,
            flagged,
            streams,
            jiffies,
            step,
            burst,
            limit,
            mode,
            level,
            seed,
            updates,
            probes,
            sum,
        };
        b.fold(b.takes.len() as u64);
        b.show();
        b
    }
    fn fold(&mut self, v: u64) {
        self.sum = self.sum.wrapping_mul(31).wrapping_add(v);
    }
    fn show(&mut self) {
        self.m.shown().into_iter().for_each(|v| self.fold(v));
        for (i, (r, tries)) in self.m.chain().into_iter().flatten().enumerate() {
            self.fold(r.long().number().into());
            self.fold(if i == 0 { tries.plain } else { tries.rts }.into());
            self.fold(tries.rts.into());
            self.fold((i > 0).into());
        }
        self.fold(self.m.kbit().into());
    }
    /// How much of what is sent at a rate gets through.
    fn percent(&self, r: Rate) -> u32 {
        let (g, i) = (u32::from(r.group()), u32::from(r.index()));
        let k = if r.group() >= groups::VHT { g - u32::from(groups::VHT) } else { g };
        match self.mode {
            0 => {
                let s = i * 3 + if r.is_legacy() { 0 } else { k % 4 * 2 + k / 8 * 4 + k / 4 % 2 };
                97_u32.saturating_sub(30 * s.saturating_sub(self.level))
            }
            1 => (u32::from(r.number()).wrapping_mul(2_654_435_761).wrapping_add(self.seed) >> 8) % 101,
            2 => 100,
            _ => self.level * 2,
        }
    }
    fn ask(&mut self) -> Option<Rate> {
        let mut pending = None;
        for _ in 0..1 + self.x.below(self.burst) {
            let probe = self.m.probe(self.jiffies, self.short).map(Rate::long);
            self.fold(probe.map_or(0, |r| u64::from(r.number()) + 1));
            self.probes += u32::from(probe.is_some());
            pending = probe.or(pending);
        }
        pending
    }
    /// As its status tells of a rate of the chain, or of a probe.
    fn marked(&self, r: Rate) -> Rate {
        let short = r.group() == groups::CCK && r.index() > 0 && self.short && self.flagged;
        if short { Rate::new(groups::CCK, r.index() + 4) } else { r }
    }
    fn any(&mut self, kind: u32) -> Rate {
        if kind == 15 && self.x.below(4) == 0 && !self.legacy {
            let g = self.x.below(4) * 4;
            let g = g + self.x.below(self.streams);
            return Rate::new(g as u8, self.x.below(8) as u8);
        }
        self.takes[self.x.below(self.takes.len() as u32) as usize]
    }
    fn tell(&mut self, pending: Option<Rate>) {
        let kind = self.x.below(16);
        let mut tried: Vec<(Rate, u8)> = vec![];
        if kind >= 14 {
            for _ in 0..1 + self.x.below(4) {
                let r = self.any(kind);
                tried.push((r, 1 + self.x.below(self.hardware.max_rate_tries.into()) as u8));
            }
        } else {
            let links = self.m.chain().into_iter().flatten().enumerate();
            tried.extend(links.map(|(i, (r, t))| (self.marked(r.long()), if i == 0 { t.plain } else { t.rts })));
        }
        let probe = pending.filter(|_| kind < 12);
        if let Some(r) = probe {
            tried[0] = (self.marked(r), 1);
        }
        let link = if self.x.below(3) == 0 { self.x.below(tried.len() as u32) as usize } else { 0 };
        let mut last = 1 + self.x.below(tried[link].1.into());
        if self.x.below(2) == 1 {
            last = 1;
        }
        let frames = if probe.is_some() && kind < 8 { 1 } else { 1 + self.x.below(self.limit) };
        let acked = (frames * self.percent(tried[link].0) + self.x.below(100)) / 100;
        if frames == 1 {
            self.x.below(2); // an A-MPDU of one, or none
        }
        tried.truncate(link + 1);
        tried[link].1 = last as u8;
        let status = Status { tried: &tried, frames: frames as u16, acked: acked as u16 };
        self.updates += u32::from(self.m.status(self.jiffies, &status));
        self.show();
    }
}

/// 800 times: frames are asked for, some statuses come; now and then nothing happens, or the medium is another.
fn gave(version: Version, n: usize) -> Row {
    let mut b = Bench::drawn(version, n);
    for _ in 0..800 {
        b.jiffies += b.x.below(b.step);
        let v = b.x.next();
        if v % 499 == 0 {
            b.jiffies += v % 300;
        }
        if b.x.below(100) < 3 {
            (b.level, b.seed) = (b.x.below(40), b.x.next());
            if b.cck && b.x.below(4) == 0 {
                b.short = !b.short;
            }
        }
        let mut pending = b.ask();
        for _ in 0..b.x.below(4) {
            b.tell(pending.take());
        }
    }
    (b.updates, b.probes, b.sum)
}

/// Each version's settings, and what its kernel's file gave.
const KERNEL: [(Version, &[(usize, Row)]); 8] = [
    (
        Version::V3_18,
        &[
            (0, (110, 41, 13_449_372_292_076_221_392)),
            (1, (933, 38, 17_144_132_583_862_768_610)),
            (2, (210, 414, 5_270_687_697_158_519_006)),
            (3, (99, 508, 6_930_850_571_501_904_515)),
            (4, (192, 26, 17_676_246_105_110_281_747)),
            (5, (341, 538, 13_134_475_109_399_074_850)),
            (6, (325, 343, 4_078_990_702_297_843_231)),
            (7, (567, 42, 1_727_200_960_020_014_130)),
            (8, (330, 20, 2_815_644_650_861_932_361)),
            (9, (482, 548, 11_117_154_116_997_343_166)),
            (10, (395, 370, 11_150_566_905_249_377_349)),
            (11, (212, 35, 14_741_868_410_243_057_310)),
            (12, (570, 14, 2_956_082_693_585_831_867)),
            (13, (63, 475, 27_174_751_474_474_692)),
            (14, (104, 93, 17_444_066_304_962_870_259)),
            (15, (405, 13, 12_442_107_633_727_027_193)),
            (21, (343, 384, 10_249_994_522_205_155_758)),
            (30, (480, 44, 17_933_245_373_854_929_962)),
            (54, (422, 546, 14_479_497_162_411_910_428)),
            (70, (453, 601, 17_516_913_137_799_138_719)),
            (72, (177, 39, 285_793_103_263_594_809)),
            (287, (489, 547, 15_065_560_867_860_373_178)),
            (290, (134, 570, 13_451_352_421_403_168_626)),
            (CCK, (375, 547, 5_293_493_742_569_355_098)),
            (CCK + 1, (136, 58, 9_370_362_722_377_112_889)),
            (CCK + 2, (226, 318, 17_328_480_458_196_668_230)),
            (CCK + 3, (177, 576, 398_637_935_599_829_539)),
            (CCK + 4, (105, 76, 16_876_044_452_128_711_362)),
            (CCK + 5, (151, 385, 9_434_824_568_739_047_947)),
            (CCK + 6, (544, 44, 12_837_040_521_588_614_258)),
            (CCK + 7, (425, 28, 8_215_845_421_988_896_386)),
            (CCK + 8, (628, 349, 3_721_909_634_534_129_198)),
            (CCK + 9, (284, 574, 3_075_957_954_974_459_201)),
            (CCK + 29, (644, 26, 16_390_667_740_760_288_890)),
            (CCK + 231, (502, 461, 7_361_024_550_588_848_142)),
        ],
    ),
    (
        Version::V4_4,
        &[
            (0, (153, 41, 13_625_889_063_839_145_014)),
            (1, (933, 55, 10_754_123_593_986_403_549)),
            (2, (214, 409, 7_743_376_314_070_828_501)),
            (3, (99, 498, 10_012_033_583_306_239_839)),
            (4, (231, 29, 8_630_749_190_557_986_061)),
            (5, (359, 504, 16_107_693_019_746_848_106)),
            (6, (354, 344, 7_265_212_161_054_830_385)),
            (7, (567, 42, 18_264_960_996_889_703_439)),
            (8, (337, 20, 8_401_129_619_848_959_442)),
            (9, (469, 542, 9_804_301_965_209_500_265)),
            (10, (365, 385, 6_204_952_788_599_269_279)),
            (11, (212, 34, 8_540_599_033_681_592_991)),
            (12, (577, 14, 6_872_190_495_390_486_107)),
            (13, (64, 477, 14_992_086_395_128_771_838)),
            (14, (94, 94, 11_602_579_991_242_301_512)),
            (15, (395, 13, 6_874_963_241_550_261_366)),
            (21, (300, 389, 6_550_887_317_239_393_371)),
            (70, (454, 600, 4_190_151_831_444_602_994)),
            (72, (128, 43, 1_193_419_123_826_438_204)),
            (78, (326, 350, 11_182_505_506_065_753_037)),
            (284, (499, 493, 10_757_776_988_008_976_262)),
            (287, (515, 539, 18_071_638_863_897_989_387)),
            (306, (96, 406, 10_673_964_661_772_918_471)),
            (CCK, (377, 547, 1_476_867_456_141_704_668)),
            (CCK + 1, (113, 60, 17_440_154_741_869_421_297)),
            (CCK + 2, (254, 306, 15_219_539_245_673_986_901)),
            (CCK + 3, (186, 576, 10_362_905_868_864_054_605)),
            (CCK + 4, (109, 71, 15_807_527_683_042_414_185)),
            (CCK + 5, (127, 379, 15_793_135_555_592_339_788)),
            (CCK + 6, (546, 44, 7_920_764_514_025_158_287)),
            (CCK + 7, (396, 28, 1_601_805_077_179_258_778)),
            (CCK + 8, (611, 354, 5_500_310_882_654_993_414)),
            (CCK + 9, (315, 573, 6_231_411_958_808_917_759)),
            (CCK + 10, (273, 40, 844_823_193_331_365_511)),
            (CCK + 29, (640, 26, 7_833_498_837_216_828_499)),
            (CCK + 231, (502, 461, 11_251_320_861_000_805_629)),
        ],
    ),
    (
        Version::V4_9,
        &[
            (0, (104, 42, 17_937_891_131_827_029_248)),
            (1, (1_022, 73, 11_877_399_770_394_504_379)),
            (2, (213, 453, 10_518_362_346_614_376_565)),
            (3, (99, 543, 9_979_619_688_791_121_314)),
            (4, (210, 32, 13_673_456_689_638_495_167)),
            (5, (289, 566, 7_795_808_302_346_812_963)),
            (6, (366, 357, 16_734_406_335_512_121_043)),
            (7, (567, 42, 14_759_173_534_164_046_394)),
            (8, (353, 20, 16_988_643_015_709_405_766)),
            (9, (542, 562, 12_431_474_865_090_244_750)),
            (10, (415, 406, 13_737_254_404_904_855_688)),
            (11, (215, 36, 3_942_231_014_223_414_203)),
            (12, (578, 14, 2_964_680_618_829_784_398)),
            (13, (79, 479, 16_015_396_321_178_575_765)),
            (14, (89, 95, 6_818_069_582_733_899_363)),
            (15, (410, 13, 1_361_555_630_334_741_040)),
            (21, (351, 416, 13_370_528_618_622_066_573)),
            (54, (407, 558, 14_961_258_273_768_230_683)),
            (70, (456, 599, 9_282_215_563_548_556_361)),
            (72, (223, 43, 9_488_827_760_674_166_111)),
            (136, (215, 474, 11_181_346_174_310_002_856)),
            (401, (106, 583, 13_318_410_921_089_436_057)),
            (523, (135, 534, 6_219_878_273_224_169_574)),
            (CCK, (422, 549, 8_842_042_132_565_578_362)),
            (CCK + 1, (87, 74, 7_827_705_287_535_830_380)),
            (CCK + 2, (208, 350, 13_763_176_732_531_484_324)),
            (CCK + 3, (216, 580, 5_572_492_898_648_777_798)),
            (CCK + 4, (94, 78, 16_036_283_867_521_743_793)),
            (CCK + 5, (153, 437, 16_310_116_953_800_439_661)),
            (CCK + 6, (546, 44, 7_920_764_514_025_158_287)),
            (CCK + 7, (406, 28, 3_934_012_048_645_155_843)),
            (CCK + 8, (536, 368, 9_981_743_992_224_490_547)),
            (CCK + 9, (226, 587, 18_053_582_931_431_076_566)),
            (CCK + 10, (204, 40, 13_682_240_174_438_235_731)),
            (CCK + 29, (640, 26, 12_873_745_283_368_198_378)),
        ],
    ),
    (
        Version::V4_14,
        &[
            (0, (3, 44, 187_773_508_065_471_566)),
            (1, (980, 88, 3_816_428_912_006_994_788)),
            (2, (213, 452, 13_865_611_600_365_373_658)),
            (3, (1, 76, 4_280_068_185_205_823_012)),
            (4, (1, 20, 17_761_536_481_049_331_935)),
            (5, (352, 561, 14_765_566_529_333_311_117)),
            (6, (379, 362, 11_667_810_398_376_945_235)),
            (7, (570, 42, 9_513_217_517_865_613_375)),
            (8, (40, 24, 16_632_279_838_972_239_533)),
            (9, (516, 563, 1_758_928_288_428_369_889)),
            (10, (446, 400, 4_647_220_806_979_847_265)),
            (11, (216, 37, 13_165_219_038_403_240_272)),
            (12, (578, 14, 9_365_843_100_498_495_926)),
            (13, (58, 478, 11_614_634_494_181_214_309)),
            (14, (94, 94, 17_772_947_442_610_675_414)),
            (15, (393, 13, 9_039_503_299_784_459_756)),
            (21, (283, 417, 12_636_000_931_235_794_364)),
            (22, (349, 60, 2_475_412_936_262_042_640)),
            (40, (1, 52, 2_662_752_271_984_990_368)),
            (70, (455, 601, 12_888_186_909_346_674_680)),
            (180, (1, 20, 15_575_315_486_484_369_333)),
            (629, (504, 43, 5_551_720_407_483_558_158)),
            (942, (699, 43, 6_638_052_219_139_803_220)),
            (CCK, (347, 550, 4_559_125_607_443_110_813)),
            (CCK + 1, (1, 28, 5_755_398_955_982_704_291)),
            (CCK + 2, (244, 327, 18_265_186_596_963_739_152)),
            (CCK + 3, (706, 277, 9_157_282_733_842_513_163)),
            (CCK + 4, (132, 83, 44_924_837_688_875_814)),
            (CCK + 5, (184, 453, 17_094_992_112_277_976_847)),
            (CCK + 6, (554, 44, 9_807_074_878_159_334_743)),
            (CCK + 7, (412, 28, 8_359_915_750_368_532_070)),
            (CCK + 8, (637, 116, 5_706_662_159_443_123_268)),
            (CCK + 9, (275, 587, 7_815_771_230_122_727_858)),
            (CCK + 10, (263, 42, 13_276_870_123_953_282_650)),
            (CCK + 16, (609, 415, 15_348_267_410_494_896_909)),
        ],
    ),
    (
        Version::V5_4,
        &[
            (0, (853, 555, 9_198_349_191_613_769_318)),
            (1, (264, 238, 1_914_777_450_859_613_253)),
            (2, (481, 43, 1_209_918_597_442_141_386)),
            (3, (606, 196, 9_127_712_036_290_662_178)),
            (4, (784, 41, 15_201_362_037_057_062_423)),
            (5, (614, 83, 2_010_586_723_463_722_690)),
            (6, (1_193, 76, 3_963_110_330_025_388_393)),
            (7, (576, 26, 2_585_780_520_568_326_064)),
            (8, (247, 578, 15_321_528_202_003_262_664)),
            (9, (246, 143, 11_612_375_694_575_186_465)),
            (10, (299, 43, 13_983_096_897_962_043_407)),
            (11, (281, 17, 10_776_259_800_296_758_255)),
            (12, (251, 55, 11_562_044_618_235_825_762)),
            (13, (556, 331, 6_462_510_391_792_677_631)),
            (14, (368, 58, 11_121_732_664_963_501_742)),
            (15, (305, 587, 6_801_331_642_661_374_118)),
            (35, (549, 148, 8_140_299_997_764_626_942)),
            (41, (81, 583, 17_414_490_374_873_869_162)),
            (463, (682, 325, 1_489_931_534_412_744_290)),
            (487, (1_083, 148, 6_929_551_566_302_966_194)),
            (494, (1, 36, 18_080_297_193_349_825_267)),
            (662, (43, 340, 17_625_625_949_979_463_951)),
            (CCK, (164, 146, 15_077_522_600_342_969_475)),
            (CCK + 1, (545, 446, 521_198_817_869_559_882)),
            (CCK + 2, (250, 27, 6_583_300_306_643_194_775)),
            (CCK + 3, (641, 41, 2_366_142_714_037_069_947)),
            (CCK + 4, (121, 91, 1_557_485_800_204_861_587)),
            (CCK + 5, (560, 200, 14_931_444_205_474_469_844)),
            (CCK + 6, (273, 52, 13_985_655_721_505_847_237)),
            (CCK + 7, (339, 36, 2_097_259_112_559_125_755)),
            (CCK + 8, (1, 60, 6_242_902_314_063_113_879)),
            (CCK + 9, (1109, 209, 9_988_121_766_527_676_544)),
            (CCK + 15, (650, 28, 13_230_325_341_429_887_604)),
            (CCK + 18, (10, 37, 11_342_384_893_756_405_357)),
            (CCK + 21, (241, 333, 8_710_673_727_769_929_675)),
            (CCK + 31, (303, 438, 15_685_313_393_886_396_027)),
            (CCK + 37, (495, 478, 10_693_133_648_482_768_740)),
        ],
    ),
    (
        Version::V5_10,
        &[
            (0, (852, 553, 17_978_078_917_173_348_461)),
            (1, (464, 213, 13_939_111_388_542_263_783)),
            (2, (536, 44, 7_537_496_467_369_090_591)),
            (3, (921, 100, 4_426_145_361_585_930_781)),
            (4, (846, 42, 18_399_173_337_444_388_918)),
            (5, (1_069, 70, 1_455_483_635_585_959_154)),
            (6, (1_237, 40, 10_871_292_500_190_882_767)),
            (7, (652, 26, 8_572_715_570_445_416_555)),
            (8, (333, 580, 15_894_077_695_481_374_640)),
            (9, (259, 124, 8_284_713_089_648_604_199)),
            (10, (437, 43, 1_222_681_017_889_024_551)),
            (11, (768, 18, 4_530_219_536_941_109_851)),
            (12, (263, 57, 3_372_570_786_498_926_479)),
            (13, (604, 328, 11_321_854_605_442_541_568)),
            (14, (495, 60, 16_103_914_099_481_910_103)),
            (15, (433, 607, 10_460_481_504_964_201_089)),
            (35, (598, 76, 18_425_265_467_724_450_110)),
            (41, (49, 580, 8_349_735_101_094_528_234)),
            (58, (162, 546, 4_533_927_884_392_406_653)),
            (64, (421, 363, 10_806_230_746_443_413_573)),
            (129, (686, 19, 13_007_024_010_164_948_168)),
            (168, (670, 606, 3_669_959_531_434_319_693)),
            (205, (3, 28, 651_103_695_049_791_788)),
            (494, (1, 20, 6_641_572_050_819_238_176)),
            (CCK, (197, 74, 15_766_675_236_650_454_482)),
            (CCK + 1, (579, 454, 8_771_625_261_085_985_277)),
            (CCK + 2, (305, 27, 9_103_908_505_298_399_226)),
            (CCK + 3, (685, 41, 5_462_111_623_140_650_939)),
            (CCK + 4, (149, 93, 2_744_870_895_172_381_358)),
            (CCK + 5, (899, 132, 5_963_220_599_817_188_453)),
            (CCK + 6, (1036, 28, 14_963_219_333_293_840_107)),
            (CCK + 7, (453, 37, 13_651_781_963_619_884_134)),
            (CCK + 8, (1, 32, 13_741_427_910_759_297_334)),
            (CCK + 9, (1218, 56, 15_878_823_032_592_948_780)),
            (CCK + 15, (651, 28, 2_877_098_481_541_200_171)),
            (CCK + 20, (581, 83, 8_132_873_358_017_331_921)),
            (CCK + 21, (363, 320, 15_249_908_196_360_671_803)),
        ],
    ),
    (
        Version::V5_15,
        &[
            (0, (507, 621, 16_686_761_884_793_067_485)),
            (1, (393, 107, 2_800_146_400_732_329_290)),
            (2, (745, 3, 5_723_587_089_475_955_943)),
            (3, (598, 646, 104_601_250_108_997_241)),
            (4, (222, 30, 14_630_207_409_377_068_771)),
            (5, (135, 72, 9_410_374_752_186_734_599)),
            (6, (300, 258, 6_976_846_263_203_665_719)),
            (7, (123, 7, 12_808_828_640_907_979_279)),
            (8, (771, 585, 15_168_058_340_207_374_968)),
            (9, (544, 241, 13_616_808_882_731_902_902)),
            (10, (1, 1, 10_978_972_274_514_327_901)),
            (11, (710, 3, 3_175_385_864_998_530_868)),
            (12, (499, 128, 14_103_975_900_214_525_017)),
            (13, (333, 352, 10_734_287_614_133_850_723)),
            (14, (792, 19, 3_929_507_570_824_007_905)),
            (15, (407, 522, 1_830_074_993_483_579_743)),
            (35, (756, 557, 13_246_534_046_785_304_152)),
            (41, (295, 629, 1_015_143_508_839_629_289)),
            (CCK, (505, 400, 15_296_849_112_536_407_115)),
            (CCK + 1, (568, 556, 12_431_508_113_618_134_435)),
            (CCK + 2, (503, 5, 6_049_475_636_843_846_818)),
            (CCK + 3, (161, 60, 5_905_401_758_730_986_510)),
            (CCK + 4, (394, 26, 588_654_436_362_315_603)),
            (CCK + 5, (590, 312, 9_273_399_366_706_602_477)),
            (CCK + 6, (637, 439, 7_912_860_563_848_176_920)),
            (CCK + 7, (241, 54, 6_181_744_134_380_760_142)),
            (CCK + 8, (680, 684, 10_143_671_041_729_410_376)),
            (CCK + 9, (93, 227, 15_382_844_069_619_238_604)),
            (CCK + 37, (476, 647, 11_185_112_252_773_316_634)),
            (CCK + 64, (189, 70, 10_394_380_287_745_706_558)),
            (CCK + 84, (532, 402, 14_334_677_799_378_917_997)),
            (CCK + 91, (90, 91, 13_690_204_059_316_084_084)),
        ],
    ),
    (
        Version::V6_12,
        &[
            (0, (506, 655, 14_994_824_656_550_646_129)),
            (1, (444, 153, 16_086_285_768_017_317_307)),
            (2, (865, 3, 10_558_555_739_548_616_229)),
            (3, (602, 582, 9_497_671_211_705_737_354)),
            (4, (335, 49, 3_450_950_635_568_700_250)),
            (5, (135, 72, 9_410_374_752_186_734_599)),
            (6, (300, 258, 6_976_846_263_203_665_719)),
            (7, (123, 7, 12_808_828_640_907_979_279)),
            (8, (771, 585, 15_168_058_340_207_374_968)),
            (9, (544, 241, 13_616_808_882_731_902_902)),
            (10, (1, 1, 10_978_972_274_514_327_901)),
            (11, (710, 3, 3_175_385_864_998_530_868)),
            (12, (499, 128, 14_103_975_900_214_525_017)),
            (13, (333, 352, 10_734_287_614_133_850_723)),
            (14, (792, 19, 3_929_507_570_824_007_905)),
            (15, (407, 522, 1_830_074_993_483_579_743)),
            (35, (756, 557, 13_246_534_046_785_304_152)),
            (41, (295, 629, 1_015_143_508_839_629_289)),
            (CCK, (531, 396, 2_828_251_073_432_376_321)),
            (CCK + 1, (597, 588, 5_604_770_430_402_440_733)),
            (CCK + 2, (491, 5, 4_789_301_543_659_848_942)),
            (CCK + 3, (314, 61, 14_121_847_861_389_064_371)),
            (CCK + 4, (565, 26, 2_754_638_396_346_759_299)),
            (CCK + 5, (610, 347, 17_825_848_137_341_422_140)),
            (CCK + 6, (658, 405, 9_445_434_043_089_554_795)),
            (CCK + 7, (288, 58, 15_576_455_080_619_875_253)),
            (CCK + 8, (689, 699, 4_848_422_353_900_017_672)),
            (CCK + 9, (98, 227, 13_488_062_735_697_696_269)),
            (CCK + 31, (136, 155, 4_062_309_234_652_306_160)),
            (CCK + 37, (496, 653, 2_064_859_220_635_146_087)),
            (CCK + 64, (228, 70, 13_025_328_182_262_323_185)),
            (CCK + 84, (597, 410, 13_375_075_226_729_705_205)),
        ],
    ),
];

#[test]
fn every_version_is_its_kernels() {
    for (version, settings) in KERNEL {
        for &(n, row) in settings {
            assert_eq!(gave(version, n), row, "{}, setting {n}", version.name());
        }
    }
}
