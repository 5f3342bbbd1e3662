//! Minstrel-HT as Linux 3.18 had it, the thesis's kernel.
//!
//! Stands for: linux@3.18 net/mac80211/rc80211_minstrel_ht.c, rc80211_minstrel.{c,h}. What differs from 6.12:
//!
//! 1. Probes are counted in frames, not in time: after a probe, 16 frames and twice the mean A-MPDU go by before the next; a station
//!    probes eight times a group and interval at most. Every rate of every group is tried in the table's order, but for those in use,
//!    those that get through more than 95 % of the time, and slower ones, which wait 20 intervals.
//! 2. The probability is a plain moving average (3/4 old), in 16 fractional bits; a slower rate learns nothing from a faster one.
//! 3. A packet's duration is its own, not a sixteenth of an aggregate's, and is kept whole.
//! 4. The chain has three links: the two best rates and the robust one. What was robust stays so until another is better, whether it
//!    may follow the best rate is decided by the best rate of the interval before.
//! 5. A rate is left at once below 20 % (6.12: a quarter).
//! 6. Three streams at most, no 802.11ac; stations without 802.11n have plain Minstrel.
//!
//! Kernels up to 5.11 probe in much the same way; from 5.12 on they do as 6.12 does.
//!
//! Differs: D1 a group's robust rate is compared within its group, as is meant (3.18 indexes the group's rates by the rate's number,
//! which reads beyond them; it decides nothing on one stream); D2 no CCK group.

use super::groups::{self, Kind, Rate, table};
use super::sampling::{COLUMNS, Table};
use super::stats::Tries;
use super::{Hardware, Overhead, RateTable, Status, Supports, after, retries};

/// Rates of an HT group.
const HT_RATES: usize = 8;
/// Groups of HT, four-stream ones (which 3.18 has not) included.
const HT_GROUPS: usize = groups::CCK as usize;
const STREAMS: u8 = 3;
/// src: MINSTREL_SCALE
const SCALE: u32 = 16;
const BEST: usize = 4;
/// Bits of an average packet. src: MCS_NBITS
const PACKET: u32 = 1200 * 8;

const fn frac(num: u32, den: u32) -> u32 {
    (num << SCALE) / den
}

/// src: minstrel_ewma, EWMA_LEVEL 96 of 128
const fn ewma(old: u32, new: u32) -> u32 {
    (new * (128 - 96) + old * 96) / 128
}

/// What is known of a rate.
#[derive(Clone, Copy, Debug, Default)]
struct Stats {
    attempts: u32,
    success: u32,
    attempts_ever: u64,
    throughput: u32,
    prob: u32,
    /// Intervals in which it was not tried; 256 are 0 again.
    skipped: u8,
    tries: Option<Tries>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Group {
    mask: u8,
    best: [Rate; BEST],
    robust: Rate,
    column: u8,
    row: u8,
    rates: [Stats; HT_RATES],
}

/// Minstrel-HT of 3.18 for one station.
#[derive(Clone, Debug)]
pub struct V318 {
    groups: Box<[Group; HT_GROUPS]>,
    overhead: [u32; 2],
    hardware: Hardware,
    columns: Table,
    hz: u32,
    updated: u32,
    best: [Rate; BEST],
    robust: Rate,
    ampdu: [u32; 2],
    avg_ampdu_len: u32,
    chain: RateTable,
    sample_group: u8,
    wait: u32,
    tries: u32,
    count: u32,
    slow: u32,
}

/// A group's number in 3.18, which has no groups of four streams.
const fn rank(group: usize) -> usize {
    group / 4 * 3 + group % 4
}

/// Nanoseconds of an average packet's data.
fn duration(r: Rate) -> u32 {
    let g = r.of();
    let symbols = PACKET.div_ceil(u32::from(g.streams) * groups::bits(g.bw, r.index()));
    if g.short_gi { (symbols * 18_000 + 4_000) / 5 } else { symbols * 4_000 }
}

impl V318 {
    /// A station that has just associated. `columns`: of eight rows; see [`V318::columns`].
    pub fn new(supports: &Supports, overhead: Overhead, hardware: Hardware, columns: Table, hz: u32, now: u32) -> V318 {
        let masks = supports.masks();
        let of = |g: usize| {
            let fits = table()[g].kind == Kind::Ht && table()[g].streams <= STREAMS;
            Group { mask: if fits { masks[g] as u8 } else { 0 }, ..Group::default() }
        };
        let mut m = V318 {
            groups: Box::new(std::array::from_fn(of)),
            overhead: overhead.ht,
            hardware,
            columns,
            hz,
            updated: now,
            best: [Rate::default(); BEST],
            robust: Rate::default(),
            ampdu: [0; 2],
            avg_ampdu_len: 1 << SCALE,
            chain: [None; 4],
            sample_group: 0,
            wait: 0,
            tries: 4,
            count: 16,
            slow: 0,
        };
        m.update(now);
        m.chain = m.make_chain();
        m
    }
    /// A sample table of columns of eight. src: init_sample_table
    pub fn columns(random: impl FnMut() -> u8) -> Table {
        Table::of(HT_RATES, random)
    }
    fn stats(&self, r: Rate) -> &Stats {
        &self.groups[usize::from(r.group())].rates[usize::from(r.index())]
    }
    fn stats_mut(&mut self, r: Rate) -> &mut Stats {
        &mut self.groups[usize::from(r.group())].rates[usize::from(r.index())]
    }
    fn ampdu_len(&self) -> u32 {
        self.avg_ampdu_len >> SCALE
    }
    /// src: minstrel_ht_calc_tp
    fn throughput(&self, r: Rate, prob: u32) -> u32 {
        if prob < frac(1, 10) {
            return 0;
        }
        let nsecs = 1000 * self.overhead[0] / self.ampdu_len() + duration(r);
        (1_000_000 * (prob.min(frac(9, 10)) * 1000 / nsecs)) >> SCALE
    }
    /// src: minstrel_ht_update_stats
    fn update(&mut self, jiffies: u32) {
        let [frames, aggregates] = std::mem::take(&mut self.ampdu);
        if aggregates > 0 {
            self.avg_ampdu_len = ewma(self.avg_ampdu_len, frac(frames, aggregates));
        }
        (self.slow, self.count) = (0, 0);
        let mut best = [Rate::default(); BEST];
        for g in 0..HT_GROUPS {
            let mask = self.groups[g].mask;
            if mask == 0 {
                continue;
            }
            self.count += 1;
            // The group's number where its first rate is meant (later 3.18.y: mended): rates of the first two groups.
            let first = rank(g);
            let mut of_group = [Rate::new((first / HT_RATES) as u8, (first % HT_RATES) as u8); BEST];
            for i in (0..HT_RATES).filter(|&i| mask >> i & 1 == 1) {
                let r = Rate::new(g as u8, i as u8);
                let s = self.stats_mut(r);
                s.tries = None;
                s.update();
                let throughput = self.throughput(r, self.stats(r).prob);
                self.stats_mut(r).throughput = throughput;
                if throughput == 0 {
                    continue;
                }
                self.insert(r, &mut best);
                self.insert(r, &mut of_group);
                self.most_robust(r);
            }
            self.groups[g].best = of_group;
        }
        self.best = best;
        self.fewer_streams();
        self.count *= 8;
        self.updated = jiffies;
    }
    fn insert(&self, r: Rate, list: &mut [Rate; BEST]) {
        let key = |r: Rate| (self.stats(r).throughput, self.stats(r).prob);
        let at = list.iter().rposition(|&other| key(r) <= key(other)).map_or(0, |i| i + 1);
        if at < BEST {
            list[at..].rotate_right(1);
            list[at] = r;
        }
    }
    /// src: minstrel_ht_set_best_prob_rate
    fn most_robust(&mut self, r: Rate) {
        let g = usize::from(r.group());
        let (s, all, own) = (*self.stats(r), *self.stats(self.robust), *self.stats(self.groups[g].robust));
        let better = |than: Stats| {
            if s.prob > frac(75, 100) { s.throughput > than.throughput } else { s.prob > than.prob }
        };
        if better(all) {
            self.robust = r;
        }
        if usize::from(self.groups[g].robust.group()) != g || better(own) {
            self.groups[g].robust = r;
        }
    }
    /// src: minstrel_ht_prob_rate_reduce_streams
    fn fewer_streams(&mut self) {
        let streams = self.best[0].of().streams;
        let mut most = 0;
        for g in (0..HT_GROUPS).filter(|&g| self.groups[g].mask != 0 && table()[g].streams < streams) {
            let throughput = self.stats(self.groups[g].robust).throughput;
            if most < throughput {
                (self.robust, most) = (self.groups[g].robust, throughput);
            }
        }
    }
    /// A frame or A-MPDU is over. Returns whether a new chain was made.
    pub fn status(&mut self, jiffies: u32, status: &Status<'_>) -> bool {
        self.ampdu[0] += u32::from(status.frames);
        self.ampdu[1] += 1;
        if self.wait == 0 && self.tries == 0 && self.count > 0 {
            self.wait = 16 + 2 * self.ampdu_len();
            self.tries = 1;
            self.count -= 1;
        }
        for (i, &(rate, tries)) in status.tried.iter().enumerate() {
            let s = self.stats_mut(rate);
            s.attempts += u32::from(tries) * u32::from(status.frames);
            if i + 1 == status.tried.len() {
                s.success += u32::from(status.acked);
            }
        }
        let mut changed = false;
        for place in 0..2 {
            let s = self.stats(self.best[place]);
            if s.attempts > 30 && frac(s.success, s.attempts) < frac(20, 100) {
                self.downgrade(place);
                changed = true;
            }
        }
        if after(jiffies, self.updated.wrapping_add(50 * self.hz / 1000)) {
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
        let to = (0..from).rev().find(|&g| self.groups[g].mask != 0 && table()[g].streams <= table()[from].streams);
        if let Some(g) = to {
            self.best[place] = self.groups[g].best[place];
        }
    }
    /// The rate to probe with the frame that is about to be sent, if it is its turn. src: minstrel_get_sample_rate
    pub fn probe(&mut self) -> Option<Rate> {
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
        let used = [self.best[0], self.best[1], self.robust].contains(&r);
        if !supported || used || s.prob > frac(95, 100) {
            return None;
        }
        let streams = self.best[0].of().streams;
        let slower_and_no_safer = streams - 1 < r.of().streams || duration(r) >= duration(self.robust);
        if duration(r) >= duration(self.best[1]) && slower_and_no_safer {
            if s.skipped < 20 {
                return None;
            }
            self.slow += 1;
            if self.slow > 3 {
                return None;
            }
        }
        self.tries -= 1;
        Some(r)
    }
    /// The next group's turn. src: minstrel_next_sample_idx
    fn next_sample(&mut self) {
        for _ in 0..HT_GROUPS {
            self.sample_group = (self.sample_group + 1) % HT_GROUPS as u8;
            let g = &mut self.groups[usize::from(self.sample_group)];
            if g.mask == 0 {
                continue;
            }
            g.row += 1;
            if usize::from(g.row) >= HT_RATES {
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
            None if prob < frac(1, 10) => Tries { plain: 1, rts: 1 },
            None => {
                let data = duration(r) * self.ampdu_len() / 1000;
                let t = retries::fitting(data, self.overhead, self.hardware.max_rate_tries);
                self.stats_mut(r).tries = Some(t);
                t
            }
        };
        if prob < frac(20, 100) { Tries { plain: 2, rts: 2 } } else { tries }
    }
}

impl Stats {
    /// src: minstrel_calc_rate_ewma
    fn update(&mut self) {
        if self.attempts > 0 {
            self.skipped = 0;
            let now = frac(self.success, self.attempts);
            self.prob = if self.attempts_ever == 0 { now } else { ewma(self.prob, now) };
            self.attempts_ever += u64::from(self.attempts);
        } else {
            self.skipped = self.skipped.wrapping_add(1);
        }
        (self.attempts, self.success) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::groups::RATES;
    use super::*;

    const HARDWARE: Hardware = Hardware { max_rates: 4, max_rate_tries: 10 };

    /// One stream, 40 MHz, short guard interval; columns of one order each.
    fn new() -> V318 {
        let supports =
            Supports { ht: Some([0xff, 0, 0, 0]), width_mhz: 40, short_gi: [true; 3], ..Supports::default() };
        let columns = V318::columns(|| 0);
        V318::new(&supports, Overhead::new(60, true), HARDWARE, columns, 1000, 0)
    }

    fn rate(mcs: u8) -> Rate {
        Rate::new(12, mcs) // 40 MHz, short guard interval
    }

    /// MCS 7, 40 MHz, SGI: 9600 / 540 -> 18 symbols, 64800 + 800 = 65600 ns. With aggregates of one: 108000 + 65600; nine tenths of
    /// 65536 is 58982; 58982000 / 173600 = 339; 339000000 >> 16 = 5172.
    #[test]
    fn throughput_by_hand() {
        assert_eq!(duration(rate(7)), 65_600);
        assert_eq!(duration(Rate::new(0, 0)), 370 * 4_000, "9600 / 26 -> 370");
        assert_eq!(new().throughput(rate(7), 1 << 16), 5_172);
        assert_eq!(new().throughput(rate(7), frac(1, 10) - 1), 0);
    }

    #[test]
    fn the_average_is_three_quarters_old() {
        let mut s = Stats { attempts: 10, success: 10, ..Stats::default() };
        s.update();
        assert_eq!(s.prob, 65_536, "the first is taken as it is");
        (s.attempts, s.success) = (10, 5);
        s.update();
        // (32768 * 32 + 65536 * 96) / 128
        assert_eq!((s.prob, s.skipped), (57_344, 0));
        s.update();
        assert_eq!((s.prob, s.skipped), (57_344, 1));
    }

    /// A channel that carries rates up to an MCS; an A-MPDU of 16 every 2 ms. Probes in the last second.
    fn settle(top: u8, seconds: u32) -> (V318, u32) {
        let mut m = new();
        let mut probes = 0;
        for ms in (0..seconds * 1000).step_by(2) {
            let mut frames = 0;
            while frames < 16 {
                if let Some(r) = m.probe() {
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
        while m.probe().is_none() {
            n += 1;
            status(&mut m);
            assert!(n < 10_000);
        }
        // The next status counts the wait out anew: 16 + 2 * the mean, and no frame of those probes.
        status(&mut m);
        let wait = m.wait;
        assert!((16 + 2..=16 + 2 * 16).contains(&wait), "{wait}");
        for _ in 0..wait {
            assert_eq!(m.probe(), None);
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
        let t = V318::columns(|| {
            n = n.wrapping_mul(5).wrapping_add(3);
            n
        });
        for c in &t.0 {
            let mut sorted = c[..HT_RATES].to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..8).collect::<Vec<u8>>());
            assert_eq!(c[HT_RATES..RATES], [u8::MAX; RATES - HT_RATES]);
        }
    }
}
