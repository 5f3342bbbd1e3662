//! wavetank's model: a deterministic discrete-event model of the Linux sender, queueing disciplines, mac80211, drivers and
//! the 802.11 MAC and PHY.
//!
//! The modules stand in the order in which a packet crosses them.

pub mod sim;

pub mod tcp;

pub mod qdisc;

pub mod mac80211;

pub mod driver;

pub mod wifi;

pub mod phy;

pub mod rate;

pub mod host;

pub mod net;

pub mod traffic;

pub mod theory;

pub mod scenario;

pub mod workloads;
