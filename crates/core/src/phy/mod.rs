//! Rates and durations of 802.11a and 802.11n: what a PPDU costs on the air, from the standard's formulas.
//!
//! In: a transmit [`Mode`] and a number of PSDU bytes. Out: integer-nanosecond durations, symbols rounded up as the
//! standard rounds them. Who sends when is `wifi`'s business; which mode is chosen is `rate`'s.

pub mod dsss;
pub mod duration;
mod mode;

pub use duration::{ppdu, psdu_within};
pub use mode::{Band, Ht, Mode, Ofdm};
