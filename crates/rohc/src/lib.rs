//! Header compression for pure TCP ACKs: bytes in, bytes out.
//!
//! Stands for: the codec of TCP/HACK (thesis section 3.3.3.2): ROHC (RFC 6846 for TCP, RFC 4995 for the framework) cut
//! down to packets that carry an acknowledgement and nothing else. An ACK of 40 to 76 bytes becomes 4 in a bulk download.
//! Differs from RFC 6846:
//!  D1 no IR packets: ACKs sent natively open and repair a context, on both sides, and an *opening* packet names the
//!     native ACK that it builds on;
//!  D2 no negotiated CIDs: the lowest byte of MD5 over the five-tuple; a second flow of that byte goes natively;
//!  D3 no feedback packets: the link confirms what arrived ([`Compressor::confirm`]), as TCP/HACK's retention does;
//!  D4 packet formats of our own ([`wire`]); W-LSB, scaled acknowledgement numbers, the master sequence number and the CRC over
//!     the original header are RFC 6846's ideas;
//!  D5 the CRC is 8 bits always, over the whole original header and the epoch;
//!  D6 IPv4 without options only; anything else goes natively.
//!
//! What is guaranteed, and by what: an ACK is decoded only against a state that the compressor had in its window when it
//! encoded it, for a packet's sequence number is 6 bits and the compressor stops 48 packets after the last confirmed one.
//! The CRC guards against damage only. The link may lose, repeat and reorder, but must not hold a packet back while
//! more than ten others of its flow pass it (a MAC's sequence numbers see to that).
#![forbid(unsafe_code)]
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod ack;
mod checksum;
pub mod cid;
mod compressor;
mod crc8;
mod decompressor;
mod lsb;
mod state;
pub mod wire;

pub use ack::{NotPure, PureAck, Sack};
pub use cid::{Cid, FiveTuple};
pub use compressor::{Compressor, Native, Outcome, Ride};
pub use decompressor::{Decompressor, Header, Refused, Restored};
pub use wire::Short;
