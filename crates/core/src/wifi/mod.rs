//! The 802.11 MAC: the medium (DCF/EDCA), A-MPDU, Block Ack, reordering.
//!
//! In: bursts that a driver's hardware queues hold ([`burst`], [`device`]). Out: a report for each, and at the receiver
//! MSDUs in order. Forming aggregates, software retries and rate chains belong to `driver`; durations to `phy`.

pub mod ac;
mod account;
pub mod amsdu;
pub mod beacon;
pub mod block_ack;
pub mod burst;
pub mod came;
mod contention;
pub mod device;
pub mod edca;
pub mod encryption;
mod exchange;
pub mod framing;
pub mod hack;
mod hidden;
pub mod limits;
mod loss;
pub mod medium;
#[cfg(test)]
mod medium_tests;
pub mod opportunity;
mod protection;
pub mod reorder;
pub mod response;
pub mod saturation;
pub mod seq;
pub mod slots;
mod stations;

pub use ac::{Ac, Tid};
pub use account::AirAccount;
pub use beacon::Beaconed;
pub use block_ack::TxWindow;
pub use burst::{Attempt, Burst, Chain, End, Mark, Mpdu, Report, StaIx, What};
pub use came::Came;
pub use device::{Device, Hops, Sink};
pub use encryption::Encryption;
pub use framing::Framing;
pub use medium::{Medium, MediumEvent, StaMac, Stations};
pub use opportunity::Opportunities;
pub use seq::Seq;
pub use stations::{Aired, Exchanged, Guard};
