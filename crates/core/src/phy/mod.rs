//! Rates and durations of 802.11a, b, n, ac and ax: what a PPDU costs on the air, from the standard's formulas.
//!
//! In: a transmit [`Mode`] and a number of PSDU bytes. Out: integer-nanosecond durations, symbols rounded up as the
//! standard rounds them. Who sends when is `wifi`'s business; which mode is chosen is `rate`'s.

pub mod channel;
pub mod dsss;
pub mod duration;
mod fields;
pub mod he;
mod he_duration;
mod mcs_loss;
mod mode;
#[cfg(test)]
pub(crate) mod modes;
pub mod vht;

pub use dsss::{Dsss, Hr};
pub use duration::{ppdu, psdu_within};
pub use he::{Gi, He};
pub use he_duration::he_preamble;
pub use mcs_loss::McsLoss;
pub use mode::{Band, Ht, Mode, Ofdm};
pub use vht::{Vht, Width};
