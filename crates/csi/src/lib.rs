//! Channel state information (CSI) to effective SNR.
//!
//! In: what a radio reports of a received PPDU, a complex gain for each sub-carrier relative to an unknown power, and the SNR of its
//! 20 MHz halves. Out: for each modulation the SNR of a flat channel with the same mean bit error rate. No state but [`Ewma`], no
//! allocation, the same bits on every machine.
//!
//! Stands for: Halperin et al., "Predictable 802.11 packet delivery from wireless channel measurements" (SIGCOMM 2010), as A. Zhushi's thesis
//! has it: section 5.6.2 (normalising, scaling), Table 5.2, equations 5.6 to 5.8. The table's Q is the upper tail of the normal
//! distribution (the thesis's text says its CDF, with which the error rate would rise with SNR).
//! Differs: D1 one stream, one antenna a side (a matrix of several is taken row by row); D2 `f32` for the sum over sub-carriers, relative
//! error of a BER below 1e-5, and no underflow: the sum is taken relative to the weakest sub-carrier.

mod effective;
mod modulation;
mod report;

pub use effective::{effective_db, effective_of_powers, ln_bhattacharyya, ln_effective_ber, powers};
pub use modulation::Modulation;
pub use report::{Ewma, FeedbackBits, db, linear, mean_snr_db};
