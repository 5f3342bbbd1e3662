//! Which flows a capture's snap length hides: of a packet whose header is cut only the addresses are known, so all flows between these have
//! lost some of theirs.

use crate::frame::{Packet, Transport};
use std::collections::HashMap;

/// Pairs of addresses that are kept; with more, everything counts as hidden.
const MOST: usize = 4096;

/// What cannot be told of a flow.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Hidden {
    #[default]
    Nothing,
    /// TCP's time stamps, and so round trips.
    RoundTrips,
    /// Which packets are its.
    All,
}

/// Two addresses in their order, and IP's protocol.
type Pair = ([u128; 2], u8);

/// All that is hidden.
#[derive(Default)]
pub(super) struct Cuts {
    pairs: HashMap<Pair, Hidden>,
    last: Option<(Pair, Hidden)>,
    /// Not even IP's header was there.
    everything: bool,
}

fn pair(src: u128, dst: u128, protocol: u8) -> Pair {
    ([src.min(dst), src.max(dst)], protocol)
}

impl Cuts {
    /// A frame that is cut before its headers end, with what was read of its packet.
    pub fn frame(&mut self, packet: Option<&Packet>) -> Hidden {
        let (key, hidden) = match packet.map(|p| (p, p.transport)) {
            Some((p, Transport::Tcp { .. })) => (pair(p.src, p.dst, 6), Hidden::RoundTrips),
            Some((p, Transport::Other(58))) => (pair(p.src, p.dst, 1), Hidden::All),
            Some((p, Transport::Other(protocol))) => (pair(p.src, p.dst, protocol), Hidden::All),
            _ => {
                self.everything = true;
                return Hidden::All;
            }
        };
        if self.last != Some((key, hidden)) {
            self.last = Some((key, hidden));
            if self.pairs.len() < MOST || self.pairs.contains_key(&key) {
                let known = self.pairs.entry(key).or_default();
                *known = hidden.max(*known);
            } else {
                self.everything = true;
            }
        }
        hidden
    }

    /// What cannot be told of flows of a protocol between two addresses.
    pub fn hidden(&self, a: u128, b: u128, protocol: &str) -> Hidden {
        let number = match protocol {
            "tcp" => 6,
            "udp" => 17,
            _ => 1,
        };
        match self.everything {
            true => Hidden::All,
            false => self.pairs.get(&pair(a, b, number)).copied().unwrap_or_default(),
        }
    }
}
