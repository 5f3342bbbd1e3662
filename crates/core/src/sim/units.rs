//! Rates and byte counts as types, and the conversions between them, each with its rounding named.

use super::time::Span;
use core::ops::{Add, AddAssign, Sub, SubAssign};

/// Bits a second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Rate(u64);

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Bytes(u64);

impl Rate {
    /// `bps` bits a second.
    pub const fn from_bps(bps: u64) -> Rate {
        Rate(bps)
    }
    /// `kbit` kilobits (1000 bits) a second.
    pub const fn from_kbit(kbit: u64) -> Rate {
        Rate(kbit * 1_000)
    }
    /// `mbit` megabits (10^6 bits) a second.
    pub const fn from_mbit(mbit: u64) -> Rate {
        Rate(mbit * 1_000_000)
    }
    /// Bits a second.
    pub const fn bps(self) -> u64 {
        self.0
    }
    /// Bytes a second, rounded down.
    pub const fn bytes_per_s(self) -> u64 {
        self.0 / 8
    }
    /// The time `bytes` take at this rate, rounded up to a nanosecond.
    pub const fn time_for(self, bytes: u64) -> Span {
        // A 128-bit division is a call; a packet does not need it.
        match bytes.checked_mul(8_000_000_000) {
            Some(n) => Span::from_ns(n.div_ceil(self.0) as i64),
            None => Span::from_ns(((bytes as u128 * 8_000_000_000).div_ceil(self.0 as u128)) as i64),
        }
    }
    /// The bytes that pass in `span`, rounded down.
    pub const fn bytes_in(self, span: Span) -> u64 {
        (self.0 as u128 * span.ns() as u128 / 8_000_000_000) as u64
    }
}

impl Bytes {
    /// `n` bytes.
    pub const fn new(n: u64) -> Bytes {
        Bytes(n)
    }
    /// `k` times 1024 bytes.
    pub const fn from_kib(k: u64) -> Bytes {
        Bytes(k << 10)
    }
    /// `m` times 2^20 bytes.
    pub const fn from_mib(m: u64) -> Bytes {
        Bytes(m << 20)
    }
    /// The count.
    pub const fn get(self) -> u64 {
        self.0
    }
}
impl Add for Bytes {
    type Output = Bytes;
    fn add(self, o: Bytes) -> Bytes {
        Bytes(self.0 + o.0)
    }
}
impl AddAssign for Bytes {
    fn add_assign(&mut self, o: Bytes) {
        self.0 += o.0;
    }
}
impl Sub for Bytes {
    type Output = Bytes;
    fn sub(self, o: Bytes) -> Bytes {
        Bytes(self.0 - o.0)
    }
}
impl SubAssign for Bytes {
    fn sub_assign(&mut self, o: Bytes) {
        self.0 -= o.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_frame_at_gigabit() {
        // 1538 bytes on the wire at 1 Gbit/s: 12.304 us.
        assert_eq!(Rate::from_mbit(1000).time_for(1538), Span::from_ns(12_304));
        assert_eq!(Rate::from_mbit(3).time_for(1), Span::from_ns(2_667), "rounded up");
        assert_eq!(Rate::from_mbit(8_000).time_for(5_000_000_000), Span::from_s(5), "more than 64 bits hold");
        assert_eq!(Rate::from_mbit(100).bytes_in(Span::from_ms(1)), 12_500);
    }
}
