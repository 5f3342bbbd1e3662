//! Drives the model's TCP socket by packetdrill scripts, the field's own test language.
//!
//! What enters: a script's text. What leaves: a [`Report`]. It stands for google/packetdrill (its language and its rules for time, sequence
//! numbers and options were read in its sources), with Linux 6.12 replaced by [`wavetank_core::tcp::Socket`], in virtual time.
//! It leaves TCP to the core: nothing here decides what a socket does.
//!
//! In order: `script` (what a script says), `known` and `constants` (what the language has), `scan` and `parse` (from text to that), `expr` (the expressions of `%{ }%`), `fastopen` (its
//! sysctls and cookies), `setup` (sysctls and `tc` lines), `wire` (between a script's packets and the model's), `link` (the device below the socket), `run`, `report`.
//!
//! Differs: D1 connections follow each other: packets are those of the one that opened last, and each has the device to itself; D2 no UDP,
//! urgent data, MD5, IPv6 addresses or encapsulation, no ICMP once a connection is open; D3 a call that blocks completes in the instant in which it can. Whatever is not
//! supported is named and counted as skipped.

mod constants;
mod expr;
mod fastopen;
mod known;
mod link;
mod parse;
mod report;
mod run;
mod scan;
mod script;
mod setup;
mod wire;

pub use parse::parse;
pub use report::{Failure, Report, Skipped, Verdict};
pub use run::{Options, run, run_script};
pub use script::{Arg, Call, Command, Direction, Event, IcmpSpec, PacketSpec, Script, TcpOption, What, When};
