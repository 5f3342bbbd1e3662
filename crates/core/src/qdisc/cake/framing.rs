//! What a packet takes on the link behind: the shaper's own idea of its length, with overhead, a least size, and ATM's or PTM's cells.
//!
//! Stands for: Linux 6.12 net/sched/sch_cake.c `cake_overhead`, `cake_calc_overhead`.

use crate::sim::Packet;

crate::choices! {
    /// How the link behind divides what it carries.
    pub enum Atm {
        /// Not at all.
        None = "noatm",
        /// Into cells of 53 bytes, 48 of them payload.
        Atm = "atm",
        /// One byte more for each 64.
        Ptm = "ptm",
    }
}

/// Bytes before the IP header on an Ethernet device (`skb_network_offset`).
const NETWORK_OFFSET: u32 = 14;

/// How lengths are reckoned, and the lengths that there were.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    /// Bytes beyond the IP packet; `None`: the frame as the device has it (`raw`).
    overhead: Option<i64>,
    mpu: u32,
    atm: Atm,
    /// Least and most before and after.
    pub net: (u32, u32),
    /// See `net`.
    pub adjusted: (u32, u32),
    /// Moving average of the bytes before the IP header, in 2^-16.
    avg_netoff: u32,
}

impl Framing {
    /// Nothing seen yet.
    pub const fn new(overhead: Option<i64>, mpu: u32, atm: Atm) -> Framing {
        Framing { overhead, mpu, atm, net: (0xffff, 0), adjusted: (0xffff, 0), avg_netoff: 0 }
    }

    const fn bare(&self, len: u32) -> u32 {
        if self.overhead.is_some() { len - NETWORK_OFFSET } else { len }
    }

    /// One frame's length on the link. src: `cake_calc_overhead`
    fn of_frame(&self, len: u32) -> u32 {
        let len = (i64::from(self.bare(len)) + self.overhead.unwrap_or(0)).max(i64::from(self.mpu)) as u32;
        match self.atm {
            Atm::None => len,
            Atm::Atm => len.div_ceil(48) * 53,
            Atm::Ptm => len + len.div_ceil(64),
        }
    }

    /// The lengths of a packet's frames: of all but the last, how many these are, and of the last. src: `cake_overhead`
    fn frames(p: &Packet) -> (u32, u32, u32) {
        let header = u32::from(p.headers) + NETWORK_OFFSET;
        let before = u32::from(p.segs) - 1;
        (u32::from(p.mss) + header, before, p.payload - u32::from(p.mss) * before + header)
    }

    /// A packet's length on the link.
    pub fn of(&self, p: &Packet) -> u32 {
        if p.segs == 1 {
            return self.of_frame(p.eth_len());
        }
        let (len, before, last) = Framing::frames(p);
        self.of_frame(len) * before + self.of_frame(last)
    }

    /// Mean number of bytes before the IP header. src: `cake_dump_stats`
    pub fn offset(&self) -> u64 {
        ((self.avg_netoff + 0x8000) >> 16).into()
    }

    /// Takes a packet into the statistics.
    pub fn note(&mut self, p: &Packet) {
        self.avg_netoff = self.avg_netoff - (self.avg_netoff >> 8) + (NETWORK_OFFSET << 16 >> 8);
        let (len, before, last) = if p.segs == 1 { (0, 0, p.eth_len()) } else { Framing::frames(p) };
        for frame in [(before > 0).then_some(len), Some(last)].into_iter().flatten() {
            let spread = |(least, most): (u32, u32), x: u32| (x.min(least), x.max(most));
            self.net = spread(self.net, self.bare(frame));
            self.adjusted = spread(self.adjusted, self.of_frame(frame));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::battery::packet;
    use super::*;

    /// A frame of 1514 bytes, 1500 of them IP's. Raw: as it is. On ATM with 32 bytes more 1532: 31.9 cells, so 32, of 53 bytes. On PTM with
    /// 30: 1530 and 24. A TCP ACK of 52 bytes is 66 raw; with 18 more it is 70, and 84 where nothing is shorter.
    #[test]
    fn lengths_by_hand() {
        let full = packet(0, 0, 1448);
        assert_eq!(Framing::new(None, 0, Atm::None).of(&full), 1514);
        assert_eq!(Framing::new(Some(32), 0, Atm::Atm).of(&full), 32 * 53);
        assert_eq!(Framing::new(Some(30), 0, Atm::Ptm).of(&full), 1530 + 24);
        assert_eq!(Framing::new(Some(-14), 0, Atm::None).of(&full), 1486);
        let ack = packet(0, 0, 0);
        assert_eq!(Framing::new(None, 0, Atm::None).of(&ack), 66);
        assert_eq!(Framing::new(Some(18), 84, Atm::None).of(&ack), 84);
    }

    /// Three segments, the last one shorter, in one packet: 2 of 1500 and one of 552, each with its overhead.
    #[test]
    fn a_super_packet_is_as_long_as_its_segments() {
        let mut p = packet(0, 0, 2 * 1448 + 500);
        (p.segs, p.mss) = (3, 1448);
        let mut f = Framing::new(Some(38), 0, Atm::None);
        assert_eq!(f.of(&p), 2 * 1538 + 590);
        f.note(&p);
        assert_eq!((f.net, f.adjusted), ((552, 1500), (590, 1538)));
    }
}
