//! The Internet checksum. src: RFC 1071

/// One's complement sum of 16-bit words, not folded.
pub fn sum(bytes: &[u8], mut acc: u32) -> u32 {
    let mut words = bytes.chunks_exact(2);
    for w in &mut words {
        acc += u32::from(u16::from_be_bytes([w[0], w[1]]));
    }
    if let [last] = words.remainder() {
        acc += u32::from(*last) << 8;
    }
    acc
}

/// Folded and complemented.
pub fn finish(mut acc: u32) -> u16 {
    while acc >> 16 != 0 {
        acc = (acc & 0xffff) + (acc >> 16);
    }
    !(acc as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc_1071_example() {
        // section 3: 00 01 f2 03 f4 f5 f6 f7 sum to ddf2
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(!finish(sum(&bytes, 0)), 0xddf2);
    }
    #[test]
    fn an_odd_byte_counts_as_the_high_one() {
        assert_eq!(sum(&[0x12], 0), 0x1200);
    }
}
