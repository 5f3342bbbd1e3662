//! Nodes, links, topologies: the only place where stages meet.
//!
//! [`World`] owns the event queue and calls each stage with the time and an event; [`topology`] builds it from a scenario;
//! `observe` looks at it, and [`outcome`] is what was seen; `look` tells its [`state`] at a time. Packets of a socket wait while a program owns it
//! (`owned`, `owners`), and programs for one another (`programs`, `sched`). Packets enter at sockets and generators and leave at the host they are for.

mod accounts;
mod air;
pub mod bss;
mod census;
mod channel_trace;
mod echoes;
mod ends;
mod event;
mod fabric;
mod far;
mod floor_plan;
mod look;
mod observe;
pub mod outcome;
mod owned;
mod owners;
mod parked;
mod port;
mod programs;
mod routes;
mod sched;
pub mod state;
mod topology;
mod world;

pub use bss::AckOutcome;
pub use census::{Census, Conversation, Party};
pub use channel_trace::channel_trace;
pub use floor_plan::floor_plan;
pub use outcome::Outcome;
pub use state::State;
pub use topology::{check, modelled};
pub use world::World;
