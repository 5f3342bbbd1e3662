//! All modes of a kind, for tests that hold something to the kernel for each.

use super::{Dsss, Gi, He, Hr, Ht, Mode, Ofdm, Vht, Width};

/// 802.11b's, each but the first with the long preamble and the short one.
pub fn dsss() -> Vec<Mode> {
    let of = |rate, short: bool| (rate != Dsss::R1 || !short).then_some(Mode::Dsss(Hr { rate, short }));
    Dsss::ALL.into_iter().flat_map(|rate| [false, true].map(|short| of(rate, short))).flatten().collect()
}
/// 802.11a's.
pub fn ofdm() -> Vec<Mode> {
    Ofdm::ALL.map(Mode::Ofdm).to_vec()
}
/// 802.11n's.
pub fn ht() -> Vec<Mode> {
    (0..128).filter_map(|n| Ht::new(n / 4, n & 2 != 0, n & 1 != 0)).map(Mode::Ht).collect()
}
/// 802.11ac's of up to four streams.
pub fn vht() -> Vec<Mode> {
    let of = |n: usize| Vht::new((n / 8 % 10) as u8, (n / 80 + 1) as u8, Width::ALL[n / 2 % 4], n % 2 == 1);
    (0..4 * 80).filter_map(of).map(Mode::Vht).collect()
}
/// 802.11ax's of up to eight.
pub fn he() -> Vec<Mode> {
    let of = |n: usize| He::new((n / 12 % 12) as u8, (n / 144 + 1) as u8, Width::ALL[n / 3 % 4], Gi::ALL[n % 3]);
    (0..8 * 144).filter_map(of).map(Mode::He).collect()
}
