//! CRC-8 with RFC 3095's polynomial, x^8 + x^2 + x + 1 (5.9.1 of that RFC), reflected, starting at all ones.

const POLYNOMIAL: u8 = 0xe0;

/// `TABLES[k][b]`: what byte `b` contributes when `k` bytes follow it.
const TABLES: [[u8; 256]; 8] = {
    let mut t = [[0u8; 256]; 8];
    let mut b = 0;
    while b < 256 {
        let mut crc = b as u8;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 };
            bit += 1;
        }
        t[0][b] = crc;
        b += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut b = 0;
        while b < 256 {
            t[k][b] = t[0][t[k - 1][b] as usize];
            b += 1;
        }
        k += 1;
    }
    t
};

/// CRC of `bytes`, from `start` (0xff, or another run's result).
pub fn crc8(start: u8, bytes: &[u8]) -> u8 {
    let mut crc = start;
    let mut eight = bytes.chunks_exact(8);
    for c in &mut eight {
        let at = |k: usize, b: u8| TABLES[k][usize::from(b)];
        crc = at(7, c[0] ^ crc)
            ^ at(6, c[1])
            ^ at(5, c[2])
            ^ at(4, c[3])
            ^ at(3, c[4])
            ^ at(2, c[5])
            ^ at(1, c[6])
            ^ at(0, c[7]);
    }
    for &b in eight.remainder() {
        crc = TABLES[0][usize::from(crc ^ b)];
    }
    crc
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit, from the polynomial.
    fn plain(start: u8, bytes: &[u8]) -> u8 {
        bytes
            .iter()
            .fold(start, |crc, b| (0..8).fold(crc ^ b, |c, _| if c & 1 == 1 { (c >> 1) ^ POLYNOMIAL } else { c >> 1 }))
    }

    #[test]
    fn tables_equal_the_plain_division() {
        let bytes: Vec<u8> = (0u8..=255).map(|b| b.wrapping_mul(37)).collect();
        for n in 0..bytes.len() {
            assert_eq!(crc8(0xff, &bytes[..n]), plain(0xff, &bytes[..n]));
        }
    }
    #[test]
    fn check_value() {
        // CRC-8/ROHC in the catalogue of parametrised CRC algorithms: check("123456789") = 0xd0
        assert_eq!(crc8(0xff, b"123456789"), 0xd0);
    }
}
