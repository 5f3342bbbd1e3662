//! Clock, event queue, named random streams, the packet and its sequence numbers, parameters, probes: what every layer stands on.
//!
//! Nothing of TCP, queues or Wi-Fi is here. Time is integer nanoseconds ([`Time`], [`Span`]); rates and sizes are types
//! ([`Rate`], [`Bytes`]).

mod auto;
mod bitmap;
pub mod drops;
mod dscp;
pub mod packet;
pub mod params;
pub mod probe;
pub mod quantiles;
mod queue;
pub mod random;
pub mod seq;
mod time;
mod units;
pub mod wheel;
pub mod xmit;

pub use auto::Auto;
pub use bitmap::Bitmap;
pub use drops::{Bin, Ledger, Place, Reason};
pub use dscp::Dscp;
pub use packet::{Ecn, FlowId, Freed, Kind, NodeId, Owner, Packet, flags};
pub use probe::{BareSeen, Blind, PpduSeen, Probe};
pub use queue::{Due, EventQueue, Lane};
pub use random::{Stream, Streams};
pub use time::{Span, Time};
pub use units::{Bytes, Rate};
pub use xmit::{Lower, Verdict};

/// Numbers by name, in the order in which they are shown: what a run's state is told in.
pub type Named = Vec<(&'static str, u64)>;

/// A kernel's version without its stable release: (5, 10) of "5.10.262". Later ones are greater.
pub type Series = (u8, u8);
