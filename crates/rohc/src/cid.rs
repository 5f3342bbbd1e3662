//! A flow's identity, and the byte that stands for it on the air.

use alloc::boxed::Box;
use md5::{Digest, Md5};

/// Source and destination of a TCP flow over IPv4, in network byte order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct FiveTuple {
    /// Who sends the ACKs.
    pub src: [u8; 4],
    /// Who receives them.
    pub dst: [u8; 4],
    /// Source port.
    pub sport: u16,
    /// Destination port.
    pub dport: u16,
}

/// Context identifier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Cid(pub u8);

impl FiveTuple {
    /// The lowest (last) byte of MD5 over source, destination, both ports and the protocol number. src: thesis 3.3.3.2
    /// (which leaves the order open; this one is the header's)
    pub fn cid(&self) -> Cid {
        let mut h = Md5::new();
        h.update(self.src);
        h.update(self.dst);
        h.update(self.sport.to_be_bytes());
        h.update(self.dport.to_be_bytes());
        h.update([6]);
        Cid(h.finalize()[15])
    }
    /// A cheap mix of all bits, for tables. Not for the air.
    pub(crate) fn mix(&self) -> u64 {
        let a = u64::from(u32::from_ne_bytes(self.src)) << 32 | u64::from(u32::from_ne_bytes(self.dst));
        let b = u64::from(self.sport) << 16 | u64::from(self.dport);
        (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }
}

/// CIDs of flows seen, so that MD5 runs once a flow.
pub(crate) struct Cids {
    seen: Box<[Option<(FiveTuple, Cid)>; 256]>,
}

impl Cids {
    pub fn new() -> Cids {
        Cids { seen: Box::new([None; 256]) }
    }
    pub fn of(&mut self, flow: &FiveTuple) -> Cid {
        let slot = &mut self.seen[(flow.mix() >> 56) as usize];
        match slot {
            Some((of, cid)) if of == flow => *cid,
            _ => slot.insert((*flow, flow.cid())).1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_byte_of_md5() {
        // printf '\x0a\0\0\2\x0a\0\0\1\x13\x88\xc0\0\x06' | md5sum
        let flow = FiveTuple { src: [10, 0, 0, 2], dst: [10, 0, 0, 1], sport: 5000, dport: 49152 };
        assert_eq!(flow.cid(), Cid(0x37));
        let mut cids = Cids::new();
        assert_eq!((cids.of(&flow), cids.of(&flow)), (Cid(0x37), Cid(0x37)));
    }
}
