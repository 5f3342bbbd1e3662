//! `exp(-x)` in integers.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_cdg.c `nexp_u32`, whose table is what it says of itself: `exp(-x) * 65536 - 1` for x = 256 us * 2^i. Differs: nothing.

/// `exp(-x) * 65536 - 1`, rounded down, for x = 256e-6 * 2^i.
const POWERS: [u16; 16] = [
    65_518, 65_501, 65_468, 65_401, 65_267, 65_001, 64_470, 63_422, 61_378, 57_484, 50_423, 38_795, 22_965, 8_047, 987,
    14,
];

/// `exp(-x * 1e-6)` times `u32::MAX`, x in millionths.
pub fn nexp(x: u32) -> u32 {
    let mut high = x >> 8;
    if high > u32::from(u16::MAX) {
        return 0;
    }
    // The lowest eight bits on a line, of each further one its factor.
    let mut y = u32::MAX - (x & 0xff) * (u32::MAX / 1_000_000);
    for power in POWERS {
        if high & 1 == 1 {
            y = ((u64::from(y) * (u64::from(power) + 1)) >> 16) as u32;
        }
        high >>= 1;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_exponential() {
        for (i, &p) in POWERS.iter().enumerate() {
            let exact = (-256e-6 * f64::from(1 << i)).exp() * 65_536.0 - 1.0;
            assert!((f64::from(p) - exact).abs() <= 1.0, "{i}: {p} for {exact}");
        }
    }

    /// By hand: e^-0.1 = 0.904837, e^-1 = 0.367879; from 2^24 millionths on it is cut off.
    #[test]
    fn it_is_as_exact_as_its_table() {
        for (x, exact) in
            [(0, 1.0), (100, 0.9999), (100_000, 0.904_837), (1_000_000, 0.367_879), (5_000_000, 0.006_738)]
        {
            let got = f64::from(nexp(x)) / f64::from(u32::MAX);
            assert!((got - exact).abs() < 3e-5, "{x}: {got} for {exact}");
        }
        assert_eq!((nexp((1 << 24) - 1) > 0, nexp(1 << 24), nexp(u32::MAX)), (true, 0, 0));
    }
}
