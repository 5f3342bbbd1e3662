//! The Linux TCP sender and receiver, sans IO.
//!
//! What enters: packets from the network ([`Socket::on_packet`]), freed skbs ([`Socket::on_free`]), time ([`Socket::on_timer`],
//! [`Socket::on_tsq`]). What leaves: packets, through [`Lower`](crate::sim::Lower), synchronously. It stands for Linux 6.12's
//! net/ipv4/tcp*.c (older kernels by [`Profile`]); each file opens with the functions it stands for and its numbered departures.
//! It leaves to its neighbours: queues, devices and who frees an skb when (`qdisc`, `mac80211`, `driver`), the time that a host takes
//! (`host`), and when flows start and end (`traffic`).
//!
//! From the ground up, and no file imports one of a later line:
//! `seq`, `clock`, `minmax`, `profile`, `truesize`, `forward_alloc`, `gso`, `options`, `ecn`, `sysctls`, `fastopen` (data in a SYN), `tp` (the kernel's variables), `rtx` (what is
//! out), `stats`;
//! `cc` (what the window does), `config`;
//! `sender` and `receiver`: what a socket remembers, in machines that know nothing of it;
//! `socket`: it has them all;
//! `output` (what may go out, and how), `recovery` (what is lost, what that costs, what goes again), `input` (what comes in),
//! `timer` (what is due), `program` (what an application does).

pub mod cc;
mod clock;
mod config;
mod ecn;
mod fastopen;
mod forward_alloc;
mod gso;
mod input;
mod minmax;
mod options;
mod output;
mod profile;
mod program;
mod receiver;
mod recovery;
mod rtx;
mod sender;
mod socket;
mod stats;
mod sysctls;
#[cfg(test)]
mod tests;
mod timer;
mod tp;
mod truesize;

use crate::sim::seq;
pub use cc::{Cc, Tunables};
pub use clock::Clock;
pub use config::{Config, Params, Tsq};
pub use fastopen::blackhole::Blackhole;
pub use fastopen::cache::{Cache, Learned, Leave, Permit};
pub use fastopen::cookie::Cookie;
pub use fastopen::queue::{Answer, Queue};
pub use fastopen::state::News;
pub use gso::{Segments, gso_segment, segment, weight};
pub use input::{Backlog, Heard, Unreachable};
pub use minmax::Minmax;
pub use options::Offer;
pub use profile::{Exempt, Profile, Prr, TsoDefer};
pub use program::{FIELDS, Info, Until, WriteFlags};
pub use sender::app::Error;
pub use sender::keepalive::Keepalive;
pub use sender::mtup::{Probing, Route};
pub use sender::patience::Patience;
pub use sender::stamps::{Stamps, Step, sof};
pub use sender::told::{Left, Notice};
pub use socket::{Socket, State};
pub use stats::Stats;
pub use sysctls::Sysctls;
pub use tp::{CaState, INFINITE_SSTHRESH, Pacing, Tp};
pub use truesize::{Linearised, datagram, head_room};
