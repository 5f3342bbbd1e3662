//! Sequence numbers that wrap at 2^32, as `before()` and `after()` of Linux 6.12 include/net/tcp.h compare them.

/// `a` comes before `b`.
#[inline]
pub const fn before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

/// `a` comes after `b`.
#[inline]
pub const fn after(a: u32, b: u32) -> bool {
    before(b, a)
}

/// The later of two.
#[inline]
pub const fn later(a: u32, b: u32) -> u32 {
    if after(a, b) { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_survives_the_wrap() {
        assert!(before(u32::MAX, 0) && after(5, u32::MAX - 5));
        assert!(!before(7, 7) && !after(7, 7));
        assert_eq!(later(u32::MAX, 3), 3);
    }
}
