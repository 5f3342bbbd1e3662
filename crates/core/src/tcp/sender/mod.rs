//! What a sender remembers, each with the arithmetic that is its own: machines that are told of segments and ACKs, and know the clock,
//! the variables ([`Tp`](super::tp::Tp)) and the queue of what is out ([`Rtx`](super::rtx::Rtx)), but nothing of the socket.
//!
//! In the order in which a segment meets them: `app` (what is written; `told`: what is said of it, by `zerocopy` and `stamps`), `tsq` (how much may wait below), `timers`; what an ACK turned out
//! to be (`flag`), `rtt`, `delivery_rate`, `scoreboard`; how long packets may be (`mtup`); what is lost (`rack`, before it `counted`) and what that means (`loss`); when it gives up (`patience`), and whether it asks for a silent peer (`keepalive`); where the time went (`chrono`).

pub mod app;
#[cfg(test)]
mod app_tests;
pub mod chrono;
pub mod counted;
pub mod delivery_rate;
pub mod flag;
pub mod keepalive;
pub mod loss;
pub mod mtup;
pub mod patience;
pub mod rack;
pub mod rtt;
pub mod scoreboard;
pub mod stamps;
pub mod timers;
pub mod told;
pub mod tsq;
pub mod zerocopy;
