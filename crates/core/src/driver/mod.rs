//! Device drivers: Ethernet with BQL, ath9k, ath9k_htc.

pub mod ath9k;
pub mod ath9k_htc;
pub mod bql;
pub mod ethernet;
