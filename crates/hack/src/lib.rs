//! TCP/HACK: a station's TCP ACKs ride on its link-layer responses.
//!
//! Stands for: thesis chapter 3: compressed ACKs are kept and repeated on every response until the other side is known to
//! have them; the AP's MORE DATA bit says when it is worth to wait for the next response. For 802.11n the thesis points to work
//! outside it; the rules for Block Ack here are our own, and `check` searches all their short histories.
//!
//! The two machines, [`Station`] and [`Ap`], say what rides and what is confirmed; they see neither bytes nor time. Around them stand
//! the two drivers, [`Client`] and [`Access`], which make and read the bytes (`wavetank-rohc`). All four know no packet but by what
//! [`Headers`] writes of it, and need neither a standard library nor a clock: the model (`wavetank-core`, `wifi/hack`) and the virtual
//! radio's kernel module (`linux/radio/ack/hack.c`) run this same code.
//!
//! Rules, and what has to be true for them to hold:
//!  R1 A response carries every unconfirmed ACK that is in the NIC, oldest first ([`Station::ppdu`]).
//!  R2 The AP takes each ACK once, in order ([`Ap::takes`]); numbers tell repeated ones.
//!  R3 *Marked* confirmation: every frame of the AP says whether the response to the frame just before it was heard, be it a PPDU or a
//!     Block Ack request ([`Ap::mark`]). If so, what rode on the station's latest response is confirmed.
//!  R4 *Implicit* confirmation (the thesis's, 802.11a): a frame that is no repetition confirms. It lies once the AP gives a
//!     frame up, so it is for a MAC that never does.
//!  R5 When no more data is promised, or nothing came for too long, all unconfirmed ACKs go in a *flush*: an ordinary frame with
//!     the same chain; its LL ACK confirms them. They stay in the chain until then, so what overtakes the flush repeats them.
//!  R6 What has neither ridden nor gone into a flush may be taken back at any time and go natively ([`Station::take_back`]): so a NIC
//!     that was not ready fails harmlessly, and so do the policies that do not wait for MORE DATA.
//!
//! Proof obligations, each an assertion of the search: nothing is confirmed that the AP has not taken (no ACK is lost); nothing is
//! taken twice or out of order; everything gets through even if the AP falls silent for ever (nothing waits without bound).
//!
//! Differs: D1 the mark and the flush are ours; no 802.11 frame has them. D2 one access category, one AP.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod access;
mod ap;
#[cfg(test)]
mod check;
mod client;
mod station;

pub use access::Access;
pub use ap::Ap;
pub use client::{Client, Flush, Headers, Mark, Rules, Seen, Waits};
pub use station::{Confirmation, Incoming, Riding, Station};

/// Nanoseconds of the caller's clock.
pub type Ns = u64;
/// Later than everything.
pub const NEVER: Ns = Ns::MAX;
