//! A station as Minstrel-HT sees it: what it supports, statistics by rate, and the rates that are best now.

use super::groups::{self, CCK, GROUPS, OFDM, RATES, Rate, VHT, table};
use super::stats::{self, ONE, Stats, frac};

/// Rates kept in the order of their throughput.
pub const BEST: usize = 4;

/// What a station can receive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Supports {
    /// 802.11n: MCS by stream, as `ieee80211_mcs_info.rx_mask`.
    pub ht: Option<[u8; 4]>,
    /// 802.11ac: by stream, the highest MCS (7, 8 or 9), or none. With it, HT rates are not used.
    pub vht: Option<[Option<u8>; 4]>,
    /// Bandwidth in MHz.
    pub width_mhz: u8,
    /// Short guard interval at 20, 40 and 80 MHz.
    pub short_gi: [bool; 3],
    /// CCK rates by bit, 4 to 7 those that know the short preamble, too (802.11n: only if the driver says SUPPORTS_HT_CCK_RATES).
    pub cck: u16,
    /// OFDM rates by bit; unused with 802.11n.
    pub ofdm: u16,
}

impl Supports {
    /// Whether a rate is among them.
    pub fn takes(&self, r: Rate) -> bool {
        self.masks()[usize::from(r.group())] >> r.index() & 1 == 1
    }
    /// Rates of each group, by bit.
    pub fn masks(&self) -> [u16; GROUPS] {
        let width = match self.width_mhz {
            80 => 2,
            40 => 1,
            _ => 0,
        };
        std::array::from_fn(|i| {
            let g = &table()[i];
            // src: minstrel_ht_update_caps, which asks the groups of 80 MHz for the short guard interval at 20 MHz, too
            let short_gi = self.short_gi[usize::from(g.bw)] && (g.bw != 2 || self.short_gi[0]);
            let fits = g.bw <= width && (!g.short_gi || short_gi);
            let stream = usize::from(g.streams - 1);
            match (g.kind, self.vht) {
                (groups::Kind::Cck, _) => self.cck,
                (groups::Kind::Ofdm, _) => {
                    if self.ht.is_some() {
                        0
                    } else {
                        self.ofdm
                    }
                }
                (groups::Kind::Ht, None) if fits => self.ht.map_or(0, |m| u16::from(m[stream])),
                (groups::Kind::Vht, Some(top)) if fits => top[stream].map_or(0, |top| vht_mask(g.bw, g.streams, top)),
                _ => 0,
            }
        })
    }
}

/// MCS up to `top` without those whose bits a symbol and encoder are no integer. src: 802.11ac, minstrel_get_valid_vht_rates
fn vht_mask(bw: u8, streams: u8, top: u8) -> u16 {
    let invalid = match (bw, streams) {
        (0, s) if s != 3 => 1 << 9,
        (2, 3) => 1 << 6,
        _ => 0,
    };
    ((1u16 << (top + 1)) - 1) & !invalid
}

/// Microseconds that a frame costs beside its data. src: `minstrel_ht_update_caps`, `ieee80211_frame_duration`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overhead {
    /// A-MPDU, without and with RTS/CTS.
    pub ht: [u32; 2],
    /// Legacy frame, without and with RTS/CTS.
    pub legacy: [u32; 2],
}

impl Overhead {
    /// Where the lowest rate is `lowest` (in 100 kbit/s), and it is an OFDM rate if `erp`.
    pub fn new(lowest: u32, erp: bool) -> Overhead {
        let ofdm = |bytes: u32, rate: u32| 16 + 16 + 4 + 4 * ((16 + 8 * (bytes + 4) + 6) * 10).div_ceil(4 * rate);
        let ack = ofdm(10, 60);
        let legacy = if erp { ofdm(10, lowest) } else { 10 + 72 + 24 + (8 * (10 + 4) * 10u32).div_ceil(lowest) };
        let ht = ofdm(0, 60) + ack;
        Overhead { ht: [ht, ht + 2 * ack], legacy: [legacy, legacy + 2 * legacy] }
    }
}

/// Minstrel-HT's knowledge of one station.
#[derive(Clone, Debug)]
pub struct Station {
    pub(super) masks: [u16; GROUPS],
    ht: bool,
    pub(super) overhead: Overhead,
    /// Statistics by group and rate.
    pub(super) rates: Box<[[Stats; RATES]; GROUPS]>,
    /// Best throughput first.
    pub best: [Rate; BEST],
    /// Most likely to get through, fast enough.
    pub robust: Rate,
    group_best: Box<[[Rate; BEST]; GROUPS]>,
    group_robust: Box<[Rate; GROUPS]>,
    /// Frames of A-MPDUs in this interval, and A-MPDUs.
    pub(super) ampdu: [u32; 2],
    /// Smoothed frames an A-MPDU, fixed point; 0: nobody tells.
    pub avg_ampdu_len: u32,
    pub(super) tells_length: bool,
}

impl Station {
    /// Nothing is known yet; the first ranking is made.
    pub fn new(supports: &Supports, overhead: Overhead) -> Station {
        let none = Rate::default();
        let mut s = Station {
            masks: supports.masks(),
            ht: supports.ht.is_some(),
            overhead,
            rates: Box::new([[Stats::default(); RATES]; GROUPS]),
            best: [none; BEST],
            robust: none,
            group_best: Box::new([[none; BEST]; GROUPS]),
            group_robust: Box::new([none; GROUPS]),
            ampdu: [0; 2],
            avg_ampdu_len: ONE,
            tells_length: true,
        };
        s.rank();
        s
    }
    /// A rate's statistics.
    pub fn stats(&self, r: Rate) -> &Stats {
        &self.rates[usize::from(r.group())][usize::from(r.index())]
    }
    pub(super) fn stats_mut(&mut self, r: Rate) -> &mut Stats {
        &mut self.rates[usize::from(r.group())][usize::from(r.index())]
    }
    /// Whether a rate can be used.
    pub fn supports(&self, r: Rate) -> bool {
        self.masks[usize::from(r.group())] >> r.index() & 1 == 1
    }
    /// The rate that a status of `r` is counted at: a CCK rate with the short preamble as such, if the station has it. src: minstrel_ht_get_stats
    pub(super) fn counted_at(&self, r: Rate) -> Rate {
        match r.long() {
            long if r.group() == CCK && !self.supports(long) => Rate::new(OFDM, 0),
            long if r != long && !self.supports(r) => long,
            _ => r,
        }
    }
    pub(super) fn has_group(&self, group: u8) -> bool {
        self.masks[usize::from(group)] != 0
    }
    /// A group's rates in the order of their throughput, then its robust one.
    pub(super) fn best_of(&self, group: u8) -> impl Iterator<Item = Rate> {
        let g = usize::from(group);
        self.group_best[g].into_iter().chain([self.group_robust[g]])
    }
    /// Frames that an A-MPDU has on average, in 4096ths.
    pub fn avg_ampdu_len(&self) -> u32 {
        self.avg_ampdu_len
    }
    /// Frames that an A-MPDU is expected to have. src: `minstrel_ht_avg_ampdu_len`
    pub(super) fn ampdu_len(&self) -> u32 {
        match self.best[0] {
            _ if self.avg_ampdu_len != 0 => self.avg_ampdu_len >> 12,
            top if top.is_legacy() => 1,
            top => match top.duration() {
                400_001.. => 2,
                250_001.. => 4,
                150_001.. => 8,
                _ => 16,
            },
        }
    }
    /// Packets a second (by a hundred, scaled) at a rate that gets through with probability `prob`. src: `minstrel_ht_get_tp_avg`
    pub fn throughput(&self, r: Rate, prob: u16) -> u32 {
        let prob = u32::from(prob);
        if prob < frac(10, 100) {
            return 0;
        }
        let (overhead, frames) =
            if r.is_legacy() { (self.overhead.legacy[0], 1) } else { (self.overhead.ht[0], self.ampdu_len()) };
        let nsecs = 1000 * overhead / frames + r.duration();
        // Collisions are not the rate's fault: no rate is taken to be better than 90 %.
        let prob = prob.min(frac(90, 100));
        (100 * (prob * 1_000_000 / nsecs)) >> 12
    }
    fn throughput_now(&self, r: Rate) -> u32 {
        self.throughput(r, self.stats(r).prob)
    }
    /// Expected throughput of the best rate, kbit/s. src: linux@6.1 `minstrel_ht_get_expected_throughput`
    pub(super) fn expected_kbit(&self) -> u32 {
        self.throughput_now(self.best[0]) * 10 * (8 * groups::PACKET_BYTES) / 1024
    }
    /// An interval is over: smooths and ranks.
    pub(super) fn update(&mut self) {
        let [frames, aggregates] = std::mem::take(&mut self.ampdu);
        if aggregates > 0 {
            self.avg_ampdu_len =
                if self.tells_length { stats::ewma(self.avg_ampdu_len, frac(frames, aggregates)) } else { 0 };
        }
        self.rank();
    }
    fn lowest(&self, wanted: &[u8]) -> Rate {
        let group = wanted.iter().copied().find(|&g| self.masks[usize::from(g)] != 0);
        Rate::new(group.unwrap_or(0), 0)
    }
    /// src: `minstrel_ht_update_stats`
    fn rank(&mut self) {
        let mut legacy = [self.lowest(&[CCK, OFDM]); BEST];
        let start = if self.masks[usize::from(VHT)] != 0 {
            Rate::new(VHT, 0)
        } else if self.ht {
            Rate::new(0, 0)
        } else if self.masks[usize::from(CCK)] != 0 {
            Rate::new(CCK, 0)
        } else {
            Rate::new(OFDM, 0)
        };
        let mut best = [start; BEST];
        for g in 0..GROUPS {
            if self.masks[g] == 0 {
                continue;
            }
            let mut of_group = [Rate::new(g as u8, 0); BEST];
            // What a faster rate of the group achieved, a slower one is believed to achieve.
            let mut faster = 0;
            for i in (0..RATES).rev().filter(|&i| self.masks[g] >> i & 1 == 1) {
                let r = Rate::new(g as u8, i as u8);
                let s = &mut self.rates[g][i];
                s.tries = None;
                s.update();
                if s.attempts_ever > 0 {
                    faster = s.prob.max(faster);
                } else {
                    s.prob = s.prob.max(faster);
                }
                if self.throughput_now(r) == 0 {
                    continue;
                }
                let list = if g == usize::from(CCK) && self.ht { &mut legacy } else { &mut best };
                self.insert(r, list);
                self.insert(r, &mut of_group);
            }
            self.group_best[g] = of_group;
        }
        if self.throughput_now(legacy[0]) > self.throughput_now(best[0]) {
            for r in legacy {
                self.insert(r, &mut best);
            }
        }
        self.best = best;
        self.robust = self.most_robust(start);
        if self.ht {
            self.fewer_streams();
        }
    }
    /// Puts `r` where it belongs; a tie goes to the rate that gets through more often, then to the one that was there.
    fn insert(&self, r: Rate, list: &mut [Rate; BEST]) {
        let key = |r: Rate| (self.throughput_now(r), self.stats(r).prob);
        let at = list.iter().rposition(|&other| key(r) <= key(other)).map_or(0, |i| i + 1);
        if at < BEST {
            list[at..].rotate_right(1);
            list[at] = r;
        }
    }
    /// src: `minstrel_ht_set_best_prob_rate` over all rates
    fn most_robust(&mut self, start: Rate) -> Rate {
        let top = self.best[0];
        let mut all = start;
        for g in 0..GROUPS {
            if self.masks[g] == 0 {
                continue;
            }
            let mut of_group = Rate::new(g as u8, 0);
            for i in (0..RATES).filter(|&i| self.masks[g] >> i & 1 == 1) {
                let r = Rate::new(g as u8, i as u8);
                let prob = self.stats(r).prob;
                let aggregates_no_more = r.is_legacy() && !top.is_legacy();
                let faster_and_worse = top.duration() > r.duration() && prob < self.stats(top).prob;
                if aggregates_no_more || faster_and_worse {
                    continue;
                }
                // Above three quarters, throughput decides; below, probability.
                let better = |than: Rate| {
                    if u32::from(prob) > frac(75, 100) {
                        self.throughput_now(r) > self.throughput_now(than)
                    } else {
                        prob > self.stats(than).prob
                    }
                };
                let (over_all, over_group) = (better(all), better(of_group));
                if over_all {
                    all = r;
                }
                if over_group {
                    of_group = r;
                }
            }
            self.group_robust[g] = of_group;
        }
        all
    }
    /// src: `minstrel_ht_prob_rate_reduce_streams`
    fn fewer_streams(&mut self) {
        let streams = self.best[0].of().streams;
        let mut most = 0;
        for g in (0..GROUPS).filter(|&g| self.masks[g] != 0 && g != usize::from(CCK)) {
            let r = self.group_robust[g];
            let throughput = self.throughput_now(r);
            if most < throughput && table()[g].streams < streams {
                self.robust = r;
                most = throughput;
            }
        }
    }
    /// A rate that dies suddenly is left at once, for one with as few streams. src: `minstrel_ht_tx_status`, `minstrel_downgrade_rate`
    pub(super) fn flee(&mut self) -> bool {
        let mut fled = false;
        for place in 0..2 {
            let s = self.stats(self.best[place]);
            if s.attempts > 30 && s.success < s.attempts / 4 {
                let from = usize::from(self.best[place].group());
                let to = (0..from).rev().find(|&g| self.masks[g] != 0 && table()[g].streams <= table()[from].streams);
                if let Some(g) = to {
                    self.best[place] = self.group_best[g][place];
                }
                fled = true;
            }
        }
        fled
    }
}
