//! Which rates to try out: a little faster (increase), much faster at random (jump), and slower ones that might be better (slow).
//!
//! Stands for: linux@6.12 net/mac80211/rc80211_minstrel_ht.c `minstrel_ht_refill_sample_rates` and what it calls.
//! Differs: nothing. Its habit of dropping a bucket's first rate where it stays in place (`minstrel_ht_move_sample_rates`) is kept, and that rate number 0 (MCS 0
//! of one stream, 20 MHz, long guard interval), which is slower than no rate in use but CCK's, is no other than a hole.

use super::groups::{GROUPS, RATES, Rate};
use super::station::Station;
use super::stats::frac;

/// Columns of the sample table.
pub const COLUMNS: usize = 10;
/// Rates of a bucket.
const ROOM: usize = 5;

/// A random order of the indices, by column: made once a boot. src: `init_sample_table`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Table(pub [[u8; RATES]; COLUMNS]);

impl Table {
    /// From random bytes, ten a column.
    pub fn new(random: impl FnMut() -> u8) -> Table {
        Table::of(RATES, random)
    }
    /// The same with `rates` indices a column; the places behind them are not used.
    pub(super) fn of(rates: usize, mut random: impl FnMut() -> u8) -> Table {
        let mut t = [[u8::MAX; RATES]; COLUMNS];
        for column in &mut t {
            for i in 0..rates {
                let mut at = (i + usize::from(random())) % rates;
                while column[at] != u8::MAX {
                    at = (at + 1) % rates;
                }
                column[at] = i as u8;
            }
        }
        Table(t)
    }
}

/// Why a rate is sampled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sample {
    /// The next faster one.
    Increase,
    /// Any faster one.
    Jump,
    /// A slower one that does not get through so well yet.
    Slow,
}

/// The order of probes.
const ORDER: [Sample; 6] =
    [Sample::Increase, Sample::Jump, Sample::Increase, Sample::Jump, Sample::Increase, Sample::Slow];

/// Rates waiting to be sampled; none is a hole.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    rates: [Rate; ROOM],
    /// The group at which the search goes on.
    group: u8,
}

impl Bucket {
    /// Behind a hole nobody looks. src: minstrel_ht_find_sample_rate
    fn has(&self, r: Rate) -> bool {
        self.rates.iter().find(|&&x| x == r || x.is_none()).is_some_and(|&x| x == r)
    }
    /// Keeps those that are still of use; returns where filling begins.
    fn tidy(&mut self, of_use: impl Fn(u32) -> bool) -> usize {
        let mut kept = 0;
        for i in 0..ROOM {
            let r = self.rates[i];
            if r.is_none() {
                continue;
            }
            if !of_use(r.duration()) {
                self.rates[i] = Rate::default();
            } else if i != kept {
                self.rates[kept] = r;
                self.rates[i] = Rate::default();
                kept += 1;
            }
        }
        kept
    }
    fn take(&mut self) -> Option<Rate> {
        self.rates.iter_mut().find(|r| !r.is_none()).map(std::mem::take)
    }
}

/// A station's buckets.
#[derive(Clone, Debug)]
pub struct Sampling {
    buckets: [Bucket; 3],
    /// Where each group stands in the table: column and row.
    places: [(u8, u8); GROUPS],
    next: u8,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling { buckets: [Bucket::default(); 3], places: [(0, 0); GROUPS], next: 0 }
    }
}

impl Sampling {
    /// The next rate to sample, if its bucket has one. `chains`: the hardware tries several rates a frame.
    pub(super) fn take(&mut self, chains: bool) -> Option<Rate> {
        let mut which = Sample::Increase;
        if chains {
            which = ORDER[usize::from(self.next)];
            self.next = (self.next + 1) % ORDER.len() as u8;
        }
        self.buckets[which as usize].take()
    }
    /// The rates that wait, by bucket.
    pub fn waiting(&self) -> [[Rate; 5]; 3] {
        self.buckets.map(|b| b.rates)
    }
    /// Where a group stands in the table: column and row.
    pub(super) fn place(&self, group: u8) -> (u8, u8) {
        self.places[usize::from(group)]
    }
    /// Of each bucket the group at which its search goes on, and its rates.
    pub(super) fn buckets(&self) -> impl Iterator<Item = (u8, [Rate; ROOM])> {
        self.buckets.iter().map(|b| (b.group, b.rates))
    }
    /// The next place in the order of probes.
    pub(super) fn next(&self) -> u8 {
        self.next
    }
    pub(super) fn refill(&mut self, s: &Station, table: &Table) {
        let durations = [s.best[0], s.best[1], s.robust].map(Rate::duration);
        let fastest = durations.into_iter().min().unwrap_or(0);
        let slowest = durations.into_iter().max().unwrap_or(0);
        let mut i = self.buckets[Sample::Increase as usize].tidy(|d| d < fastest);
        while i < ROOM {
            let r = self.faster(s, durations[0]);
            self.buckets[Sample::Increase as usize].rates[i] = r;
            if r.is_none() {
                break;
            }
            i += 1;
        }
        let mut i = self.buckets[Sample::Jump as usize].tidy(|d| d < fastest);
        let mut slow = self.buckets[Sample::Slow as usize].tidy(|d| d > fastest && d < slowest);
        while i < ROOM {
            let r = self.any(s, table, fastest, slowest, &mut slow);
            self.buckets[Sample::Jump as usize].rates[i] = r;
            if r.is_none() {
                break;
            }
            i += 1;
        }
    }
    /// The first rate, group after group, that is faster. src: `minstrel_ht_next_inc_rate`
    fn faster(&mut self, s: &Station, than: u32) -> Rate {
        let bucket = &mut self.buckets[Sample::Increase as usize];
        for _ in 0..GROUPS {
            bucket.group = (bucket.group + 1) % GROUPS as u8;
            if let Some(r) = first_below(s, bucket.group, than).filter(|&r| !bucket.has(r)) {
                return r;
            }
        }
        Rate::default()
    }
    /// A random rate that is faster; slower ones met on the way go to their bucket. src: `minstrel_ht_next_jump_rate`
    fn any(&mut self, s: &Station, table: &Table, fastest: u32, slowest: u32, slow: &mut usize) -> Rate {
        let mut below = if *slow < ROOM { slowest } else { fastest };
        for _ in 0..GROUPS {
            let g = (self.buckets[Sample::Jump as usize].group + 1) % GROUPS as u8;
            self.buckets[Sample::Jump as usize].group = g;
            let Some(first) = first_below(s, g, below) else { continue };
            let Some(r) = self.draw(s, table, first) else { continue };
            let jump = r.duration() < fastest;
            let bucket = if jump { Sample::Jump } else { Sample::Slow };
            if self.buckets[bucket as usize].has(r) {
                continue;
            }
            if jump {
                return r;
            }
            if *slow >= ROOM || r.duration() >= slowest || u32::from(s.stats(r).prob) > frac(95, 100) {
                continue;
            }
            self.buckets[Sample::Slow as usize].rates[*slow] = r;
            *slow += 1;
            if *slow >= ROOM {
                below = fastest;
            }
        }
        Rate::default()
    }
    /// The next index of the group's column from `first` on. src: `minstrel_ht_next_group_sample_rate`
    fn draw(&mut self, s: &Station, table: &Table, first: Rate) -> Option<Rate> {
        let (column, row) = &mut self.places[usize::from(first.group())];
        for _ in 0..RATES {
            let index = table.0[usize::from(*column)][usize::from(*row)];
            *row += 1;
            if usize::from(*row) >= RATES {
                *row = 0;
                *column = (*column + 1) % COLUMNS as u8;
            }
            let r = Rate::new(first.group(), index);
            if index >= first.index() && s.supports(r) {
                return Some(r);
            }
        }
        None
    }
}

/// The lowest rate of a group that takes less time.
fn first_below(s: &Station, group: u8, duration: u32) -> Option<Rate> {
    (0..RATES as u8).map(|i| Rate::new(group, i)).find(|&r| s.supports(r) && r.duration() < duration)
}
