//! The rates, in groups of equal width, guard interval and streams, and how long an average packet takes at each.
//!
//! Stands for: linux@6.12 net/mac80211/rc80211_minstrel_ht.c `minstrel_mcs_groups`. The order matters: sampling walks it.

use std::sync::LazyLock;

/// Rates of a group; HT has eight.
pub const RATES: usize = 10;
/// Groups: HT 16, CCK, OFDM, VHT 24.
pub const GROUPS: usize = 42;
/// Index of the CCK group.
pub const CCK: u8 = 16;
/// Index of the OFDM group.
pub const OFDM: u8 = 17;
/// Index of the first VHT group.
pub const VHT: u8 = 18;

/// What a group's rates are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// 802.11n.
    Ht,
    /// 802.11b; indices 4 to 7 are those of the short preamble.
    Cck,
    /// 802.11a/g.
    Ofdm,
    /// 802.11ac.
    Vht,
}

/// A group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// What its rates are.
    pub kind: Kind,
    /// Spatial streams.
    pub streams: u8,
    /// Short guard interval.
    pub short_gi: bool,
    /// 0: 20 MHz, 1: 40, 2: 80.
    pub bw: u8,
    /// Nanoseconds of an average packet's data, as coarse as 16 bits can hold them; 0: no such rate.
    duration: [u32; RATES],
}

/// A rate: group and index in it. The kernel's number is `group << 4 | index`, in which 0 also means none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Rate(u16);

impl Rate {
    /// `index` of `group`.
    pub const fn new(group: u8, index: u8) -> Rate {
        Rate((group as u16) << 4 | index as u16)
    }
    /// From the kernel's number.
    pub const fn from_number(n: u16) -> Rate {
        Rate(n)
    }
    /// The kernel's number.
    pub const fn number(self) -> u16 {
        self.0
    }
    /// Its group.
    pub const fn group(self) -> u8 {
        (self.0 >> 4) as u8
    }
    /// Its place in the group.
    pub const fn index(self) -> u8 {
        (self.0 & 15) as u8
    }
    /// Nanoseconds of an average packet's data.
    pub fn duration(self) -> u32 {
        table()[usize::from(self.group())].duration[usize::from(self.index())]
    }
    /// Its group's properties.
    pub fn of(self) -> &'static Group {
        &table()[usize::from(self.group())]
    }
    /// Whether it is of CCK or OFDM, which do not aggregate.
    pub const fn is_legacy(self) -> bool {
        self.group() == CCK || self.group() == OFDM
    }
    /// A CCK rate as it stands in a chain or status: with its place in mac80211's band, and apart from that its preamble.
    pub const fn long(self) -> Rate {
        if self.group() == CCK { Rate::new(CCK, self.index() % 4) } else { self }
    }
    /// Whether a probe of it may go out in a BSS with such preambles. src: minstrel_ht_get_rate
    pub(super) const fn has_preamble(self, short: bool) -> bool {
        self.group() != CCK || (self.index() >= 4) == short
    }
    /// No rate: also HT group 0's MCS 0, which is therefore never sampled.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

pub(super) const PACKET_BYTES: u32 = 1200;
const AGGREGATE: u32 = 16;

/// Data bits a symbol and stream at 20, 40 and 80 MHz.
const BITS: [[u32; RATES]; 3] = [
    [26, 52, 78, 104, 156, 208, 234, 260, 312, 346],
    [54, 108, 162, 216, 324, 432, 486, 540, 648, 720],
    [117, 234, 351, 468, 702, 936, 1053, 1170, 1404, 1560],
];

/// Data bits a symbol and stream of an MCS.
pub(super) fn bits(bw: u8, index: u8) -> u32 {
    BITS[usize::from(bw)][usize::from(index)]
}

/// One packet's share of an aggregate's data symbols.
pub(super) fn data(streams: u32, short_gi: bool, bits: u32) -> u32 {
    let symbols = (PACKET_BYTES * AGGREGATE * 8).div_ceil(streams * bits);
    let time = if short_gi { (symbols * 18_000 + 4_000) / 5 } else { symbols * 4_000 };
    time / AGGREGATE
}

/// Nanoseconds of a CCK frame of `bytes` behind SIFS; indices from 4 on have the short preamble. src: CCK_DURATION
pub(super) const fn cck_frame(index: u8, bytes: u32) -> u32 {
    let preamble = if index < 4 { 144 + 48 } else { 72 + 24 };
    1000 * (10 + preamble + 8 * (bytes + 4) * 10 / CCK_RATES[index as usize % 4])
}

/// CCK's rates in 100 kbit/s.
pub(super) const CCK_RATES: [u32; 4] = [10, 20, 55, 110];

/// Durations are kept in 16 bits, shifted as the group's slowest needs it; the bits shifted out are lost.
fn coarse(mut duration: [u32; RATES]) -> [u32; RATES] {
    let shift = 16u32.saturating_sub(duration[0].leading_zeros());
    for d in &mut duration {
        *d = *d >> shift << shift;
    }
    duration
}

fn mcs(kind: Kind, streams: u8, short_gi: bool, bw: u8) -> Group {
    let n = if kind == Kind::Ht { 8 } else { RATES };
    let mut duration = [0; RATES];
    for (d, &bits) in duration.iter_mut().zip(&BITS[usize::from(bw)][..n]) {
        *d = data(u32::from(streams), short_gi, bits);
    }
    Group { kind, streams, short_gi, bw, duration: coarse(duration) }
}

fn cck() -> Group {
    let mut duration = [0; RATES];
    for (i, d) in duration[..8].iter_mut().enumerate() {
        *d = cck_frame(i as u8, PACKET_BYTES);
    }
    Group { kind: Kind::Cck, streams: 1, short_gi: false, bw: 0, duration: coarse(duration) }
}

fn ofdm() -> Group {
    let mut duration = [0; RATES];
    for (d, rate) in duration.iter_mut().zip([60, 90, 120, 180, 240, 360, 480, 540]) {
        *d = 1000 * (16 + 16 + 4 + 4 * ((16 + 80 * (PACKET_BYTES + 4) + 6) / (rate * 4)));
    }
    Group { kind: Kind::Ofdm, streams: 1, short_gi: false, bw: 0, duration: coarse(duration) }
}

/// All groups, in order.
pub fn table() -> &'static [Group; GROUPS] {
    static TABLE: LazyLock<[Group; GROUPS]> = LazyLock::new(|| {
        let of = |kind, first: usize| {
            move |i: usize| {
                let k = i - first;
                mcs(kind, (k % 4 + 1) as u8, k / 4 % 2 == 1, (k / 8) as u8)
            }
        };
        std::array::from_fn(|i| match i as u8 {
            CCK => cck(),
            OFDM => ofdm(),
            VHT.. => of(Kind::Vht, usize::from(VHT))(i),
            _ => of(Kind::Ht, 0)(i),
        })
    });
    &TABLE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // MCS 7, 20 MHz, long GI: 153600 bits / 260 = 590.8 -> 591 symbols of 4 us; a sixteenth: 147.75 us.
        // The group's slowest is 153600 / 26 = 5908 symbols: 1477 us = 1477000 ns, 21 bits: shifted by 5.
        assert_eq!(data(1, false, 260), 147_750);
        assert_eq!(Rate::new(0, 7).duration(), 147_750 >> 5 << 5);
        // MCS 15, 40 MHz, short GI: 153600 / 1080 = 142.2 -> 143 symbols of 3.6 us, plus 0.8, a sixteenth
        assert_eq!(data(2, true, 540), (143 * 18_000 + 4_000) / 5 / 16);
        // 1 Mbit/s: 10 + 192 + 9632 us = 9834000 ns, 24 bits: shifted by 8
        assert_eq!(Rate::new(CCK, 0).duration(), 9_834_000 >> 8 << 8);
        // 6 Mbit/s: 36 + 4 * (96342 / 240 = 401) us
        assert_eq!(Rate::new(OFDM, 0).duration(), 1_640_000 >> 5 << 5);
    }
    #[test]
    fn order() {
        let g = |i: usize| (table()[i].kind, table()[i].streams, table()[i].short_gi, table()[i].bw);
        assert_eq!(g(0), (Kind::Ht, 1, false, 0));
        assert_eq!(g(5), (Kind::Ht, 2, true, 0));
        assert_eq!(g(14), (Kind::Ht, 3, true, 1));
        assert_eq!(g(18), (Kind::Vht, 1, false, 0));
        assert_eq!(g(41), (Kind::Vht, 4, true, 2));
    }
}
