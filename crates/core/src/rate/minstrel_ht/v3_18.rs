//! Minstrel-HT as kernels up to 5.11 had it: 3.18's, the thesis's, and by [`rules`](super::rules) what came later.
//!
//! Stands for: linux@3.18 net/mac80211/rc80211_minstrel_ht.c, rc80211_minstrel.{c,h}. What differs from 6.12:
//!
//! 1. Probes are counted in frames, not in time: after a probe, 16 frames and twice the mean A-MPDU go by before the next; a station
//!    probes eight times a group and interval at most. Every rate of every group is tried in the table's order, but for those in use,
//!    those that get through more than 95 % of the time, and slower ones, which wait 20 intervals.
//! 2. The probability is a plain moving average (3/4 old), in 16 fractional bits; a slower rate learns nothing from a faster one.
//! 3. A packet's duration is its own, not a sixteenth of an aggregate's (4.4), and is kept whole (until 5.4).
//! 4. The chain has three links: the two best rates and the robust one. What was robust stays so until another is better, whether it
//!    may follow the best rate is decided by the best rate of the interval before.
//! 5. A rate is left at once below 20 % (6.12: a quarter).
//! 6. Three streams at most, no 802.11ac (both from 5.4); stations without 802.11n have plain Minstrel.
//!
//! From 5.12 on kernels do as 6.12 does.
//!
//! Differs: D1 3.18 and 4.4 take a group's robust rate for a place in that group when they compare with it (`mg->rates[mg->max_group_prob_rate]`,
//! minstrel_ht_set_best_prob_rate), which from the second group on reads what lies behind it in memory; here it is compared as 4.9 does; it decides
//! nothing on one stream; D2 devices of one link, which 5.4 lets switch rates instead of probing
//! (minstrel_ht_rate_sample_switch), are asked as the others.

use super::groups::{self, CCK, GROUPS, Kind, RATES, Rate, VHT, table};
use super::rules::{Average, Preambles, Rules};
use super::sampling::{COLUMNS, Table};
use super::stats::{self, Tries};
use super::{Hardware, Overhead, RateTable, Status, Supports, after, retries};

const BEST: usize = 4;
/// Bits of an average packet. src: MCS_NBITS
const PACKET: u32 = 1200 * 8;
/// Packets that an aggregate is taken to have where statuses do not tell. src: linux@5.4 minstrel_ht_avg_ampdu_len
const AGGREGATE: u32 = 16;

/// What is known of a rate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stats {
    pub attempts: u32,
    pub success: u32,
    attempts_ever: u64,
    /// As it was at the last update (`cur_tp`).
    throughput: u32,
    pub prob: u32,
    pub prob_before: u32,
    /// Intervals in which it was not tried; 256 are 0 again.
    pub skipped: u8,
    pub tries: Option<Tries>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    pub mask: u16,
    pub best: [Rate; BEST],
    pub robust: Rate,
    pub column: u8,
    pub row: u8,
    pub rates: [Stats; RATES],
}

/// Minstrel-HT of a kernel up to 5.11 for one station.
#[derive(Clone, Debug)]
pub struct V318 {
    pub(super) rules: &'static Rules,
    pub(super) groups: Box<[Group; GROUPS]>,
    overhead: [u32; 2],
    /// CCK rates that know the short preamble (`cck_supported_short`).
    short: u16,
    hardware: Hardware,
    columns: Table,
    hz: u32,
    pub(super) updated: u32,
    pub(super) best: [Rate; BEST],
    pub(super) robust: Rate,
    pub(super) ampdu: [u32; 2],
    pub(super) avg_ampdu_len: u32,
    chain: RateTable,
    pub(super) sample_group: u8,
    pub(super) wait: u8,
    pub(super) tries: u8,
    pub(super) count: u8,
    pub(super) slow: u8,
}

/// A group's number in kernels without groups of four streams.
const fn rank(group: usize) -> usize {
    group / 4 * 3 + group % 4
}

/// Nanoseconds of an average packet's data.
fn duration(rules: &Rules, r: Rate) -> u32 {
    let g = r.of();
    let whole = |index: u8| {
        if g.kind == Kind::Cck {
            // Its ACK's share, which has 60 bytes there: CCK_ACK_DURATION
            return groups::cck_frame(u8::from(index % 4 > 0), 60) + groups::cck_frame(index, groups::PACKET_BYTES);
        }
        let symbols = (PACKET * rules.packets).div_ceil(u32::from(g.streams) * groups::bits(g.bw, index));
        (if g.short_gi { (symbols * 18_000 + 4_000) / 5 } else { symbols * 4_000 }) / rules.packets
    };
    let shift = if rules.coarse { 16u32.saturating_sub(whole(0).leading_zeros()) } else { 0 };
    whole(r.index()) >> shift << shift
}

impl V318 {
    /// A station that has just associated. `columns`: of the rules' rows.
    pub(super) fn new(
        rules: &'static Rules,
        supports: &Supports,
        overhead: Overhead,
        hardware: Hardware,
        columns: Table,
        hz: u32,
        now: u32,
    ) -> V318 {
        let masks = supports.masks();
        let of = |g: usize| {
            let kind = table()[g].kind;
            if kind == Kind::Cck {
                let both = rules.preambles == Preambles::Both;
                return Group { mask: if both { masks[g] } else { masks[g] & 0xf }, ..Group::default() };
            }
            let fits = kind == Kind::Ht || kind == Kind::Vht && rules.vht;
            Group { mask: if fits && table()[g].streams <= rules.streams { masks[g] } else { 0 }, ..Group::default() }
        };
        let mut m = V318 {
            rules,
            groups: Box::new(std::array::from_fn(of)),
            overhead: overhead.ht,
            short: masks[usize::from(CCK)] >> 4,
            hardware,
            columns,
            hz,
            updated: now,
            best: [Rate::default(); BEST],
            robust: Rate::default(),
            ampdu: [0; 2],
            avg_ampdu_len: 1 << rules.scale,
            chain: [None; 4],
            sample_group: 0,
            // src: `has_mrr`, which is of four links
            wait: if hardware.max_rates >= 4 { 0 } else { 8 },
            tries: 4,
            count: 0,
            slow: 0,
        };
        m.update(now);
        m.chain = m.make_chain();
        m
    }
    /// It associated at `jiffies`, and nothing has been told since.
    pub(super) fn associated(&mut self, jiffies: u32) {
        self.updated = jiffies;
    }
    fn stats(&self, r: Rate) -> &Stats {
        &self.groups[usize::from(r.group())].rates[usize::from(r.index())]
    }
    fn streams(&self, group: u8) -> u8 {
        if group == CCK { self.rules.cck_streams } else { table()[usize::from(group)].streams }
    }
    /// The rate that a status of `r` is counted at. src: minstrel_ht_get_stats
    fn counted_at(&self, r: Rate) -> Rate {
        let long = r.long();
        let has = |r: Rate| self.groups[usize::from(CCK)].mask >> r.index() & 1 == 1;
        match self.rules.preambles {
            _ if r.group() != CCK => r,
            Preambles::Both if has(r) => r,
            Preambles::Both => long,
            Preambles::Switched | Preambles::Long if has(long) => long,
            Preambles::Switched | Preambles::Long => Rate::new(CCK, long.index() + 4),
        }
    }
    fn stats_mut(&mut self, r: Rate) -> &mut Stats {
        &mut self.groups[usize::from(r.group())].rates[usize::from(r.index())]
    }
    /// src: linux@5.4 minstrel_ht_avg_ampdu_len
    fn ampdu_len(&self) -> u32 {
        if self.avg_ampdu_len == 0 { AGGREGATE } else { self.avg_ampdu_len >> self.rules.scale }
    }
    /// src: minstrel_ht_calc_tp; from 4.4 on minstrel_ht_get_tp_avg
    pub(super) fn throughput(&self, r: Rate, prob: u32) -> u32 {
        let rules = self.rules;
        if prob < rules.frac(1, 10) {
            return 0;
        }
        // A CCK frame's duration has its own in it.
        let share = if r.is_legacy() { 0 } else { 1000 * self.overhead[0] / self.ampdu_len() };
        let nsecs = share + duration(rules, r);
        (rules.factor * (prob.min(rules.frac(9, 10)) * 1000 / nsecs)) >> rules.scale
    }
    /// The throughput that a rate is ranked by: 3.18 has what it was at the rate's last update, later kernels reckon it anew whenever they compare.
    pub(super) fn throughput_now(&self, r: Rate) -> u32 {
        let s = self.stats(r);
        if self.rules.keeps_throughput { s.throughput } else { self.throughput(r, s.prob) }
    }
    /// Expected throughput of the best rate, kbit/s. src: minstrel_ht_get_expected_throughput
    pub(super) fn expected_kbit(&self) -> u32 {
        self.throughput_now(self.best[0]) * (1_000_000 / self.rules.factor) * PACKET / 1024
    }
    /// src: minstrel_ht_update_stats
    fn update(&mut self, jiffies: u32) {
        let rules = self.rules;
        let [frames, aggregates] = std::mem::take(&mut self.ampdu);
        if aggregates > 0 {
            let tells = self.hardware.tells_length || !rules.guesses_length;
            self.avg_ampdu_len = if tells { rules.ewma(self.avg_ampdu_len, rules.frac(frames, aggregates)) } else { 0 };
        }
        (self.slow, self.count) = (0, 0);
        let start = if self.groups[usize::from(VHT)].mask != 0 { Rate::new(VHT, 0) } else { Rate::default() };
        let mut best = [start; BEST];
        let has_cck = self.groups[usize::from(CCK)].mask != 0;
        let mut cck = [if has_cck && !rules.numbers_group { Rate::new(CCK, 0) } else { Rate::default() }; BEST];
        for g in 0..GROUPS {
            let mask = self.groups[g].mask;
            if mask == 0 {
                continue;
            }
            self.count += 1;
            // The group's number where its first rate is meant: rates of the first two groups.
            let first = if rules.numbers_group { rank(g) } else { g * rules.rows };
            let mut of_group = [Rate::new((first / rules.rows) as u8, (first % rules.rows) as u8); BEST];
            for i in (0..RATES).filter(|&i| mask >> i & 1 == 1) {
                let r = Rate::new(g as u8, i as u8);
                let s = self.stats_mut(r);
                s.tries = None;
                s.update(rules);
                let throughput = self.throughput(r, self.stats(r).prob);
                self.stats_mut(r).throughput = throughput;
                if throughput == 0 {
                    continue;
                }
                self.insert(r, if r.group() == CCK { &mut cck } else { &mut best });
                self.insert(r, &mut of_group);
                self.most_robust(r);
            }
            self.groups[g].best = of_group;
        }
        // Rates that do not aggregate stand in a chain only where the best is one of them. src: minstrel_ht_assign_best_tp_rates
        if self.throughput_now(cck[0]) > self.throughput_now(best[0]) {
            for r in cck {
                self.insert(r, &mut best);
            }
        }
        self.best = best;
        self.fewer_streams();
        self.count *= 8;
        if rules.average == Average::LowPass {
            self.count /= 2;
        }
        self.updated = jiffies;
    }
    fn insert(&self, r: Rate, list: &mut [Rate; BEST]) {
        let key = |r: Rate| (self.throughput_now(r), self.stats(r).prob);
        let at = list.iter().rposition(|&other| key(r) <= key(other)).map_or(0, |i| i + 1);
        if at < BEST {
            list[at..].rotate_right(1);
            list[at] = r;
        }
    }
    /// A group has the first group's first rate until one of its own is better. src: minstrel_ht_set_best_prob_rate
    fn most_robust(&mut self, r: Rate) {
        if r.is_legacy() && !self.best[0].is_legacy() {
            return;
        }
        let g = usize::from(r.group());
        let prob = self.stats(r).prob;
        let better = |than: Rate| match prob > self.rules.frac(75, 100) {
            true => self.throughput_now(r) > self.throughput_now(than),
            false => prob > self.stats(than).prob,
        };
        let (over_all, over_group) = (better(self.robust), better(self.groups[g].robust));
        if over_all {
            self.robust = r;
        }
        if over_group {
            self.groups[g].robust = r;
        }
    }
    /// src: minstrel_ht_prob_rate_reduce_streams
    fn fewer_streams(&mut self) {
        let streams = self.streams(self.best[0].group());
        let mut most = 0;
        let fewer = |g: usize| g != usize::from(CCK) && table()[g].streams < streams;
        for g in (0..GROUPS).filter(|&g| self.groups[g].mask != 0 && fewer(g)) {
            let robust = self.groups[g].robust;
            // From 4.4 on its place is looked up in the group, whosever it is.
            let at = if self.rules.keeps_throughput { robust } else { Rate::new(g as u8, robust.index()) };
            let throughput = self.throughput_now(at);
            if most < throughput {
                (self.robust, most) = (robust, throughput);
            }
        }
    }
    /// A frame or A-MPDU is over. Returns whether a new chain was made.
    pub fn status(&mut self, jiffies: u32, status: &Status<'_>) -> bool {
        self.ampdu[0] += u32::from(status.frames);
        self.ampdu[1] += 1;
        if self.wait == 0 && self.tries == 0 && self.count > 0 {
            self.wait = (16 + 2 * self.ampdu_len()) as u8;
            self.tries = 1;
            self.count -= 1;
        }
        let rules = self.rules;
        for (i, &(rate, tries)) in status.tried.iter().enumerate() {
            let s = self.stats_mut(self.counted_at(rate));
            s.attempts = rules.counter(s.attempts + u32::from(tries) * u32::from(status.frames));
            if i + 1 == status.tried.len() {
                s.success = rules.counter(s.success + u32::from(status.acked));
            }
        }
        let mut changed = false;
        for place in 0..2 {
            let s = self.stats(self.best[place]);
            let fails = match rules.average {
                Average::Moving => s.attempts > 0 && rules.frac(s.success, s.attempts) < rules.frac(20, 100),
                Average::LowPass => s.success < s.attempts / 4,
            };
            if s.attempts > 30 && fails {
                self.downgrade(place);
                changed = true;
            }
        }
        let interval = match rules.average {
            Average::Moving => 50 * self.hz / 1000,
            Average::LowPass => self.hz / 10 / 2 / 2,
        };
        if after(jiffies, self.updated.wrapping_add(interval)) {
            self.update(jiffies);
            changed = true;
        }
        if changed {
            self.chain = self.make_chain();
        }
        changed
    }
    /// src: minstrel_downgrade_rate
    fn downgrade(&mut self, place: usize) {
        let from = usize::from(self.best[place].group());
        let most = self.streams(from as u8);
        let to = (0..from).rev().find(|&g| self.groups[g].mask != 0 && self.streams(g as u8) <= most);
        if let Some(g) = to {
            self.best[place] = self.groups[g].best[place];
        }
    }
    /// The rate to probe with the frame that is about to be sent, if it is its turn. `short`: see [`MinstrelHt::probe`](super::MinstrelHt::probe).
    /// src: minstrel_ht_get_rate
    pub fn probe(&mut self, short: bool) -> Option<Rate> {
        if self.rules.preambles == Preambles::Switched {
            self.switch_preamble(short);
        }
        self.sample().filter(|r| self.rules.preambles != Preambles::Both || r.has_preamble(short))
    }
    /// The CCK group's rates are those with the BSS's preamble now. src: linux@3.18 minstrel_ht_check_cck_shortpreamble
    fn switch_preamble(&mut self, short: bool) {
        let (of, known) = (self.short, &mut self.groups[usize::from(CCK)].mask);
        if *known != 0 && of != 0 && *known & (of << (4 * u16::from(short))) == 0 {
            *known ^= of | of << 4;
        }
    }
    /// src: minstrel_get_sample_rate
    fn sample(&mut self) -> Option<Rate> {
        if self.wait > 0 {
            self.wait -= 1;
            return None;
        }
        if self.tries == 0 {
            return None;
        }
        let at = self.sample_group;
        let g = &self.groups[usize::from(at)];
        let r = Rate::new(at, self.columns.0[usize::from(g.column)][usize::from(g.row)]);
        let supported = g.mask >> r.index() & 1 == 1;
        self.next_sample();
        let s = *self.stats(r);
        let rules = self.rules;
        let duration = |r| duration(rules, r);
        let used = r == self.best[0] || r == self.robust || (r == self.best[1] && !rules.probes_second);
        if !supported || used || s.prob > rules.frac(95, 100) {
            return None;
        }
        let (mut fast, mut slow) = (self.best[0], self.best[1]);
        if rules.probes_second && duration(fast) > duration(slow) {
            (fast, slow) = (slow, fast);
        }
        let tried = s.attempts > 0 && duration(r) >= duration(fast);
        if rules.spares_slow && (duration(self.robust) * 3 < duration(r) || tried) {
            return None;
        }
        // Unsigned: of a group with no streams (CCK's, until 5.4) no group has more than one less.
        let one_less = u32::from(self.streams(fast.group())).wrapping_sub(1);
        let no_fewer = one_less < u32::from(self.streams(r.group()));
        let slower_and_no_safer = no_fewer || duration(r) >= duration(self.robust);
        if duration(r) >= duration(slow) && slower_and_no_safer {
            if s.skipped < 20 {
                return None;
            }
            self.slow = self.slow.wrapping_add(1);
            if !(1..=3).contains(&self.slow) {
                return None;
            }
        }
        self.tries -= 1;
        Some(r)
    }
    /// The next group's turn. src: minstrel_next_sample_idx
    fn next_sample(&mut self) {
        for _ in 0..GROUPS {
            self.sample_group = (self.sample_group + 1) % GROUPS as u8;
            let g = &mut self.groups[usize::from(self.sample_group)];
            if g.mask == 0 {
                continue;
            }
            g.row += 1;
            if usize::from(g.row) >= self.rules.rows {
                g.row = 0;
                g.column = (g.column + 1) % COLUMNS as u8;
            }
            return;
        }
    }
    /// The chain of a frame that is no probe.
    pub fn chain(&self) -> &RateTable {
        &self.chain
    }
    /// src: minstrel_ht_update_rates
    fn make_chain(&mut self) -> RateTable {
        let mut links = [Some(self.best[0]), None, None, None];
        match self.hardware.max_rates {
            0 | 1 => {}
            2 => links[1] = Some(self.robust),
            _ => (links[1], links[2]) = (Some(self.best[1]), Some(self.robust)),
        }
        links.map(|r| r.map(|r| (r, self.tries_of(r))))
    }
    /// src: minstrel_calc_retransmit, minstrel_ht_set_rate
    fn tries_of(&mut self, r: Rate) -> Tries {
        let (prob, counted) = (self.stats(r).prob, self.stats(r).tries);
        let tries = match counted {
            Some(t) => t,
            None if prob < self.rules.frac(1, 10) => Tries { plain: 1, rts: 1 },
            None => {
                let data = duration(self.rules, r) * self.ampdu_len() / 1000;
                let overhead = if r.is_legacy() { [0; 2] } else { self.overhead };
                let t = retries::fitting(data, overhead, self.hardware.max_rate_tries);
                self.stats_mut(r).tries = Some(t);
                t
            }
        };
        if prob < self.rules.frac(20, 100) { Tries { plain: 2, rts: 2 } } else { tries }
    }
}

impl Stats {
    /// src: minstrel_calc_rate_ewma, minstrel_calc_rate_stats
    fn update(&mut self, rules: &Rules) {
        if self.attempts > 0 {
            self.skipped = 0;
            let now = rules.frac(self.success, self.attempts);
            match rules.average {
                Average::LowPass => (self.prob, self.prob_before) = stats::low_pass(self.prob, self.prob_before, now),
                Average::Moving if self.attempts_ever == 0 => self.prob = now,
                Average::Moving => self.prob = rules.ewma(self.prob, now),
            }
            self.attempts_ever += u64::from(self.attempts);
        } else {
            self.skipped = self.skipped.wrapping_add(1);
        }
        (self.attempts, self.success) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Version;
    use super::*;

    const HARDWARE: Hardware = Hardware::ATH9K;

    /// One stream, 40 MHz, short guard interval; columns of one order each.
    fn new() -> V318 {
        of(Version::V3_18)
    }
    fn of(version: Version) -> V318 {
        let supports =
            Supports { ht: Some([0xff, 0, 0, 0]), width_mhz: 40, short_gi: [true; 3], ..Supports::default() };
        let columns = Table::of(rules(version).rows, || 0);
        V318::new(rules(version), &supports, Overhead::new(60, true), HARDWARE, columns, 1000, 0)
    }

    fn rules(version: Version) -> &'static Rules {
        Rules::of(version).expect("it is up to 5.11")
    }
    fn rate(mcs: u8) -> Rate {
        Rate::new(12, mcs) // 40 MHz, short guard interval
    }

    /// MCS 7, 40 MHz, SGI: 9600 / 540 -> 18 symbols, 64800 + 800 = 65600 ns. With aggregates of one: 108000 + 65600; nine tenths of
    /// 65536 is 58982; 58982000 / 173600 = 339; 339000000 >> 16 = 5172.
    #[test]
    fn throughput_by_hand() {
        let old = rules(Version::V3_18);
        assert_eq!(duration(old, rate(7)), 65_600);
        assert_eq!(duration(old, Rate::new(0, 0)), 370 * 4_000, "9600 / 26 -> 370");
        assert_eq!(new().throughput(rate(7), 1 << 16), 5_172);
        assert_eq!(new().throughput(rate(7), old.frac(1, 10) - 1), 0);
    }

    #[test]
    fn the_average_is_three_quarters_old() {
        let mut s = Stats { attempts: 10, success: 10, ..Stats::default() };
        s.update(rules(Version::V3_18));
        assert_eq!(s.prob, 65_536, "the first is taken as it is");
        (s.attempts, s.success) = (10, 5);
        s.update(rules(Version::V3_18));
        // (32768 * 32 + 65536 * 96) / 128
        assert_eq!((s.prob, s.skipped), (57_344, 0));
        s.update(rules(Version::V3_18));
        assert_eq!((s.prob, s.skipped), (57_344, 1));
    }

    /// A sixteenth of 16 packets, 4.4: 153600 / 540 -> 285 symbols; (285 * 18000 + 4000) / 5 = 1026800, / 16 = 64175. 5.4 keeps 16 bits of the
    /// group's slowest, 153600 / 54 -> 2845 symbols, 640175 (20 bits): shifted by 4, 64160. Throughput with aggregates of one: 4.4 has
    /// 58982 * 1000 / (108000 + 64175) = 342, 34200000 >> 16 = 521; 4.14's 12 bits 3686 * 1000 / 172175 = 21, 2100000 >> 12 = 512.
    #[test]
    fn later_throughputs_by_hand() {
        let [v4_4, v4_14, v5_4] = [Version::V4_4, Version::V4_14, Version::V5_4].map(rules);
        assert_eq!([v4_4, v4_14, v5_4].map(|v| duration(v, rate(7))), [64_175, 64_175, 64_160]);
        assert_eq!(of(Version::V4_4).throughput(rate(7), v4_4.frac(1, 1)), 521);
        assert_eq!(of(Version::V4_14).throughput(rate(7), v4_14.frac(1, 1)), 512);
        let mut m = of(Version::V4_14);
        m.best[0] = rate(7);
        m.stats_mut(rate(7)).prob = 1 << 12;
        assert_eq!(m.expected_kbit(), 48_000, "512 * 10 * 9600 / 1024");
        // In so few steps MCS 0 with either guard interval is the same, 20 MHz: 1477 and 1329 us of data, 2 each.
        let slow = [Rate::new(0, 0), Rate::new(4, 0)];
        let both = |v| slow.map(|r| of(v).throughput(r, rules(v).frac(1, 1)));
        assert_eq!(both(Version::V4_14), [48, 48]);
        assert_eq!(both(Version::V4_9), [56, 62], "58982000 / 1585000 = 37, / 1437350 = 41");
    }

    /// 5.10: an interval has 25 ms; the low pass as 6.12's ((1173 * 2048 + 5273 * 4096 - 2350 * 4096) >> 12 = 3509).
    #[test]
    fn the_low_pass_of_5_10() {
        let v = rules(Version::V5_10);
        let mut s = Stats { attempts: 10, success: 10, ..Stats::default() };
        s.update(v);
        (s.attempts, s.success) = (10, 5);
        s.update(v);
        assert_eq!(s.prob, 3_509);
        let at = |version, ms| of(version).status(ms, &Status { tried: &[(rate(7), 1)], frames: 1, acked: 1 });
        assert_eq!([at(Version::V5_10, 25), at(Version::V5_10, 26), at(Version::V5_4, 26)], [false, true, false]);
        assert_eq!((of(Version::V5_4).count, of(Version::V5_10).count), (32, 16), "four groups of eight, or half");
    }

    /// What may be probed: MCS 7 is best and robust, MCS 6 second. 4.4 leaves out the three in use, 4.9 may probe the second, 5.4 no rate that takes
    /// three times as long as the robust one: MCS 0, 1 and 2, with 54, 108 and 162 bits a symbol for 540.
    #[test]
    fn what_is_probed() {
        let probed = |version| {
            let mut m = of(version);
            (m.best[0], m.best[1], m.robust) = (rate(7), rate(6), rate(7));
            let all = (0..8).filter(|&mcs| {
                (m.wait, m.tries, m.slow) = (0, 1, 0);
                m.sample_group = 12;
                (m.groups[12].column, m.groups[12].row) = (0, 0);
                while m.columns.0[0][usize::from(m.groups[12].row)] != mcs {
                    m.groups[12].row += 1;
                }
                m.stats_mut(rate(mcs)).skipped = 20;
                m.probe(false) == Some(rate(mcs))
            });
            all.collect::<Vec<_>>()
        };
        assert_eq!(probed(Version::V4_4), [0, 1, 2, 3, 4, 5]);
        assert_eq!(probed(Version::V4_9), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(probed(Version::V5_4), [3, 4, 5, 6]);
    }

    #[test]
    fn every_version_climbs() {
        for v in [Version::V4_4, Version::V4_9, Version::V4_14, Version::V5_4, Version::V5_10] {
            let (m, _) = settle_as(v, 7, 5);
            assert_eq!(m.best[0], rate(7), "{v:?}");
        }
    }

    /// A channel that carries rates up to an MCS; an A-MPDU of 16 every 2 ms. Probes in the last second.
    fn settle(top: u8, seconds: u32) -> (V318, u32) {
        settle_as(Version::V3_18, top, seconds)
    }
    fn settle_as(version: Version, top: u8, seconds: u32) -> (V318, u32) {
        let mut m = of(version);
        let mut probes = 0;
        for ms in (0..seconds * 1000).step_by(2) {
            let mut frames = 0;
            while frames < 16 {
                if let Some(r) = m.probe(false) {
                    probes += u32::from(ms >= (seconds - 1) * 1000);
                    let acked = u16::from(r.index() <= top);
                    m.status(ms, &Status { tried: &[(r, 1)], frames: 1, acked });
                    break;
                }
                frames += 1;
            }
            let r = m.chain()[0].unwrap().0;
            let acked = if r.index() <= top { 16 } else { 0 };
            m.status(ms, &Status { tried: &[(r, 1)], frames: 16, acked });
        }
        (m, probes)
    }

    #[test]
    fn climbs_and_stays_below_what_fails() {
        let (m, _) = settle(7, 5);
        assert_eq!(m.best[0], rate(7));
        let (m, probes) = settle(4, 5);
        assert_eq!(m.best[0], rate(4));
        assert!(probes > 20, "it goes on probing what fails: {probes}");
        assert_eq!(m.chain().iter().flatten().count(), 3, "two best rates and the robust one");
    }

    #[test]
    fn a_probe_is_followed_by_16_frames_and_two_aggregates() {
        let (mut m, _) = settle(4, 5);
        let status = |m: &mut V318| m.status(5_000, &Status { tried: &[(rate(4), 1)], frames: 16, acked: 16 });
        let mut n = 0;
        while m.probe(false).is_none() {
            n += 1;
            status(&mut m);
            assert!(n < 10_000);
        }
        // The next status counts the wait out anew: 16 + 2 * the mean, and no frame of those probes.
        status(&mut m);
        let wait = m.wait;
        assert!((16 + 2..=16 + 2 * 16).contains(&wait), "{wait}");
        for _ in 0..wait {
            assert_eq!(m.probe(false), None);
        }
        assert_eq!(m.wait, 0);
    }

    #[test]
    fn a_rate_that_dies_is_left_at_once() {
        let (mut m, _) = settle(7, 5);
        let best = m.best[0];
        assert!(m.status(5_060, &Status { tried: &[(best, 1)], frames: 1, acked: 1 }), "an update");
        assert!(!m.status(5_061, &Status { tried: &[(best, 1)], frames: 30, acked: 5 }));
        // 6 of 31 are below 20 %.
        assert!(m.status(5_061, &Status { tried: &[(best, 1)], frames: 1, acked: 1 }));
        assert_ne!(m.best[0], best);
    }

    #[test]
    fn columns_are_orders_of_eight() {
        let mut n = 7u8;
        let t = Table::of(rules(Version::V3_18).rows, || {
            n = n.wrapping_mul(5).wrapping_add(3);
            n
        });
        for c in &t.0 {
            let mut sorted = c[..8].to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..8).collect::<Vec<u8>>());
            assert_eq!(c[8..RATES], [u8::MAX; RATES - 8]);
        }
    }
}
