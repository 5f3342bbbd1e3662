//! Access categories and traffic identifiers.
//!
//! Stands for: 802.11-2020 table 10-1; Linux net/mac80211/wme.c ieee802_1d_to_ac, and mac80211's numbering (VO is 0).

/// A traffic identifier: a user priority, 0 to 7.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Tid(u8);

impl Tid {
    /// TIDs there are (HCCA's TSIDs are not modelled).
    pub const COUNT: usize = 8;
    /// The TID `n` modulo 8.
    pub const fn new(n: u8) -> Tid {
        Tid(n & 7)
    }
    /// The user priority of a DSCP: its three upper bits, or with `rfc8325` what that says of a handful of code points.
    /// src: linux@6.12 net/wireless/util.c cfg80211_classify8021d (RFC 8325's since 6.8)
    pub const fn of_dscp(dscp: u8, rfc8325: bool) -> Tid {
        Tid(match dscp & 0x3f {
            10 | 12 | 14 | 16 if rfc8325 => 0,
            18 | 20 | 22 if rfc8325 => 3,
            24 | 26 | 28 | 30 if rfc8325 => 4,
            44 | 46 if rfc8325 => 6,
            48 if rfc8325 => 7,
            d => d >> 3,
        })
    }
    /// As a number.
    pub const fn get(self) -> u8 {
        self.0
    }
    /// As an index.
    pub const fn ix(self) -> usize {
        self.0 as usize
    }
}

/// An access category, in mac80211's order: a lower number goes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Ac {
    /// Voice.
    Vo = 0,
    /// Video.
    Vi = 1,
    /// Best effort.
    Be = 2,
    /// Background.
    Bk = 3,
}

impl Ac {
    /// How many there are.
    pub const COUNT: usize = 4;
    /// All, the one that goes first first.
    pub const ALL: [Ac; 4] = [Ac::Vo, Ac::Vi, Ac::Be, Ac::Bk];
    /// The category of a TID.
    pub const fn of(tid: Tid) -> Ac {
        match tid.0 {
            1 | 2 => Ac::Bk,
            0 | 3 => Ac::Be,
            4 | 5 => Ac::Vi,
            _ => Ac::Vo,
        }
    }
    /// A TID of it.
    pub const fn tid(self) -> Tid {
        Tid([6, 5, 0, 1][self as usize])
    }
    /// As an index.
    pub const fn ix(self) -> usize {
        self as usize
    }
    /// The name in results.
    pub const fn name(self) -> &'static str {
        ["vo", "vi", "be", "bk"][self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CS0, CS1, CS5 and EF, which Flent's RRUL marks: EF is video before 6.8 and voice since.
    #[test]
    fn rrul() {
        let of = |new| [0, 8, 40, 46].map(|d| Ac::of(Tid::of_dscp(d, new)));
        assert_eq!(of(false), [Ac::Be, Ac::Bk, Ac::Vi, Ac::Vi]);
        assert_eq!(of(true), [Ac::Be, Ac::Bk, Ac::Vi, Ac::Vo]);
    }

    #[test]
    fn table_10_1() {
        let of = |n| Ac::of(Tid::new(n));
        assert_eq!(Ac::ALL.map(|ac| Ac::of(ac.tid())), Ac::ALL);
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(of), [Ac::Be, Ac::Bk, Ac::Bk, Ac::Be, Ac::Vi, Ac::Vi, Ac::Vo, Ac::Vo]);
    }
}
