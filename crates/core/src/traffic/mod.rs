//! Bulk TCP, UDP floods, echoes: the shapes of Flent's tests.
//!
//! Enters: the scenario's `[traffic]` and the list of stations. Leaves: a plan (which flows, from whom to whom, marked how,
//! when), and the small state machines of the generators. Sockets belong to `tcp`, the network to `net`.

pub mod echo;
pub mod icmp;
pub mod plan;
pub mod udp;

pub use echo::{Answers, Echo};
pub use icmp::IcmpSocket;
pub use plan::{Direction, FlowPlan, Plan, Proto};
pub use udp::{Delivery, Flood};
