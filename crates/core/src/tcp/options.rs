//! The options of TCP's header, and the bytes that headers take.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_syn_options`, `tcp_established_options`; net/ipv4/tcp_input.c `tcp_parse_options`;
//! include/net/tcp.h TCPOLEN_*. Differs: nothing.

use crate::sim::{Packet, flags};

/// Headers of IPv4 and TCP with timestamps, bytes.
pub const HEADERS: u32 = BARE_HEADERS + TIMESTAMPS;
/// The same without options.
pub const BARE_HEADERS: u32 = 20 + 20;
/// The timestamp option with its padding.
pub const TIMESTAMPS: u32 = 12;
/// The same of a SYN: MSS, SACK permitted, timestamps, window scale.
pub const SYN_HEADERS: u32 = 20 + 40;
/// A SACK option's own bytes, and a block's. src: linux@6.12 include/net/tcp.h TCPOLEN_SACK_*
const SACK_BASE: u32 = 4;
/// See `SACK_BASE`.
const SACK_BLOCK: u32 = 8;

/// What the SACK option takes of a packet with so many blocks, bytes.
pub const fn sack_len(blocks: u32) -> u32 {
    if blocks == 0 { 0 } else { SACK_BASE + SACK_BLOCK * blocks }
}

/// What a SYN offers; what both ends offered is agreed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offer {
    /// `tcp_timestamps`.
    pub timestamps: bool,
    /// `tcp_sack`.
    pub sack: bool,
    /// `tcp_window_scaling`.
    pub window_scaling: bool,
    /// `tcp_ecn` is not 0: ECN is accepted where it is asked for.
    pub ecn: bool,
}

impl Default for Offer {
    /// Everything, as Linux does.
    fn default() -> Offer {
        Offer { timestamps: true, sack: true, window_scaling: true, ecn: true }
    }
}

impl Offer {
    /// The options of a SYN that leaves a device of this MTU.
    pub fn put(&self, p: &mut Packet, mtu: u32) {
        p.mss = (mtu - BARE_HEADERS).min(u32::from(u16::MAX)) as u16;
        p.flags |= if self.sack { 0 } else { flags::NO_SACK } | if self.window_scaling { 0 } else { flags::NO_WSCALE };
    }
    /// The peer's SYN says what it takes.
    pub fn meet(&mut self, p: &Packet) {
        self.timestamps &= p.tsval != 0;
        self.sack &= p.flags & flags::NO_SACK == 0;
        self.window_scaling &= p.flags & flags::NO_WSCALE == 0;
    }
}
