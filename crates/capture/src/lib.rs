//! What goes over the air, as frames: from the model's exchanges or from a capture, to a capture, a picture or an analysis.
//!
//! [`Frame`] stands in the middle. [`Air`] makes frames of what the model's medium tells, or what the virtual radio wrote down
//! ([`read_radio_log`]); [`read`] makes the same of a capture's bytes; [`write`] makes bytes of them; [`Analysis`] counts them. So runs
//! and captures are counted by the same code. [`delivery`] collects when packets came out of each link. [`acks`] runs header compression
//! over a capture's TCP ACKs.

pub mod acks;
mod air;
pub mod analysis;
mod block_ack;
pub mod delivery;
mod frame;
pub mod he;
mod names;
mod origin;
mod phy;
mod radio_log;
pub mod read;
mod scoreboard;
mod timeline;
mod views;
pub mod write;

pub use air::{Air, Fate, Inside, Sent};
pub use analysis::{Analysis, Media, Report};
pub use block_ack::{BlockAck, Told, Unread};
pub use frame::{AckPolicy, Amsdu, Frame, Kind, Mac, Msdu, Packet, Subframe, Transport};
pub use names::Names;
pub use origin::Origin;
pub use phy::Phy;
pub use radio_log::{BadLog, read_radio_log};
pub use timeline::Timeline;
pub use views::{BadView, Only, Views};
