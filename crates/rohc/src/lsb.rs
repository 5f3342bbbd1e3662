//! Least significant bits of values that only grow. src: RFC 4995 4.5.1 (W-LSB with p = 0)

/// Whether `bits` low bits of `value` tell it apart for whoever holds `reference`.
pub fn fits(value: u32, reference: u32, bits: u32) -> bool {
    value.wrapping_sub(reference) >> bits == 0
}

/// The first value from `reference` on with these low bits.
pub fn decode(low: u32, reference: u32, bits: u32) -> u32 {
    let mask = (1u32 << bits) - 1;
    reference.wrapping_add(low.wrapping_sub(reference) & mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        assert_eq!(decode(0b01, 10, 2), 13);
        assert_eq!(decode(0b10, 10, 2), 10);
        assert_eq!(decode(0x3, u32::MAX, 4), 3);
        assert!(fits(3, u32::MAX, 4) && !fits(20, u32::MAX, 4) && !fits(9, 10, 4));
    }
    proptest! {
        #[test]
        fn what_fits_comes_back(reference: u32, ahead in 0u32..1 << 16, bits in 1u32..17) {
            let value = reference.wrapping_add(ahead);
            if fits(value, reference, bits) {
                prop_assert_eq!(decode(value & ((1 << bits) - 1), reference, bits), value);
            } else {
                prop_assert!(ahead >> bits != 0);
            }
        }
    }
}
