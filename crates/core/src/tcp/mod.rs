//! The Linux TCP sender and receiver, sans IO.
//!
//! What enters: packets from the network ([`Socket::on_packet`]), freed skbs ([`Socket::on_free`]), time ([`Socket::on_timer`],
//! [`Socket::on_tsq`]). What leaves: packets, through [`Lower`](crate::sim::Lower), synchronously. It stands for Linux 6.12's
//! net/ipv4/tcp*.c (older kernels by [`Profile`]); each file opens with the functions it stands for and its numbered departures.
//! It leaves to its neighbours: queues, devices and who frees an skb when (`qdisc`, `mac80211`, `driver`), the time that a host takes
//! (`host`), and when flows start and end (`traffic`).
//!
//! In the order in which a connection meets them: `socket` and `handshake`; the application and its buffer (`app`, and `calls` for
//! one that says itself when it writes and reads, with `tcp_info`); what may go
//! out (`output`, `gso`, `tsq`, `pacing`, `cwnd`); what is out (`rtx`); what an ACK tells (`ack`, `sack`, `rtt`, `delivery_rate`); what is lost
//! (`recovery`, `rack`, `tlp`, `rto`, `retransmit`), and what that costs (`prr`, `undo`, `cc`); the receiver (`receive`, `ofo`,
//! `rcv_window`, `delack`).

mod ack;
mod app;
mod calls;
pub mod cc;
mod clock;
mod config;
mod cwnd;
mod delack;
mod delivery_rate;
#[cfg(test)]
mod e2e;
mod ecn;
mod gso;
mod handshake;
mod minmax;
mod ofo;
mod output;
mod pacing;
#[cfg(test)]
mod pair;
mod profile;
#[cfg(test)]
mod properties;
mod prr;
mod rack;
mod rcv_window;
mod receive;
mod recovery;
#[cfg(test)]
mod refpath;
mod retransmit;
mod rto;
mod rtt;
mod rtx;
mod sack;
mod seq;
mod socket;
mod stats;
mod stretch;
mod tcp_info;
mod timers;
mod tlp;
mod tp;
mod truesize;
mod tsq;
mod undo;

pub use calls::Offer;
pub use cc::{Cc, Tunables};
pub use clock::Clock;
pub use config::{Config, Params, Tsq};
pub use gso::{gro_segment, gso_segment};
pub use minmax::Minmax;
pub use profile::{Exempt, Profile, Prr, TsoDefer};
pub use socket::{Socket, State};
pub use stats::{Info, Stats};
pub use tp::{CaState, INFINITE_SSTHRESH, Pacing, Tp};
