//! The 12-bit sequence number of an MPDU, and comparison across its wrap.
//!
//! Stands for: 802.11-2020 9.2.4.4.2; Linux include/linux/ieee80211.h ieee80211_sn_less, ieee80211_sn_add.

/// A sequence number, 0 to 4095.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seq(u16);

impl Seq {
    /// Numbers there are.
    pub const SPACE: u16 = 4096;
    /// The number `n` modulo 4096.
    pub const fn new(n: u16) -> Seq {
        Seq(n & (Seq::SPACE - 1))
    }
    /// As a plain number.
    pub const fn get(self) -> u16 {
        self.0
    }
    /// `n` numbers on.
    pub const fn plus(self, n: u16) -> Seq {
        Seq::new(self.0.wrapping_add(n))
    }
    /// `n` numbers back.
    pub const fn minus(self, n: u16) -> Seq {
        Seq::new(self.0.wrapping_sub(n))
    }
    /// How far this lies ahead of `start`, 0 to 4095 (`ATH_BA_INDEX(start, self)`).
    pub const fn ahead_of(self, start: Seq) -> u16 {
        self.0.wrapping_sub(start.0) & (Seq::SPACE - 1)
    }
    /// Whether this comes before `other`: half of the space lies before, half after (`ieee80211_sn_less`).
    pub const fn before(self, other: Seq) -> bool {
        self.ahead_of(other) > Seq::SPACE / 2
    }
    /// Whether this lies in the `size` numbers from `start` on (`BAW_WITHIN`).
    pub const fn within(self, start: Seq, size: u16) -> bool {
        self.ahead_of(start) < size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps() {
        assert_eq!(Seq::new(4095).plus(1), Seq::new(0));
        assert_eq!(Seq::new(0).minus(1), Seq::new(4095));
        assert_eq!(Seq::new(2).ahead_of(Seq::new(4094)), 4);
        assert!(Seq::new(4094).before(Seq::new(2)));
        assert!(!Seq::new(2).before(Seq::new(4094)));
        assert!(Seq::new(5).within(Seq::new(4090), 64));
        assert!(!Seq::new(4089).within(Seq::new(4090), 64));
        assert!(!Seq::new(2048).before(Seq::new(0)), "exactly half is not before, as in ieee80211_sn_less");
    }
}
