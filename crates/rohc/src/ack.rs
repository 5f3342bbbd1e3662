//! A pure TCP ACK over IPv4: read from a packet's bytes, and written back, bit for bit.

use crate::checksum;
use crate::cid::FiveTuple;

/// Bytes of the longest header: IPv4 20, TCP 60.
pub const LONGEST: usize = 80;
const IP: usize = 20;
const TCP: usize = 20;

/// Up to four SACK blocks, `[start, end)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sack {
    n: u8,
    blocks: [(u32, u32); 4],
}

impl Sack {
    /// Of these blocks. More than four are an error.
    pub fn new(blocks: &[(u32, u32)]) -> Option<Sack> {
        let mut s = Sack { n: blocks.len() as u8, blocks: [(0, 0); 4] };
        s.blocks.get_mut(..blocks.len())?.copy_from_slice(blocks);
        Some(s)
    }
    /// The blocks.
    pub fn blocks(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.n)]
    }
}

/// Everything that is in a pure ACK, except what follows from the rest (lengths, checksums, layout of options).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PureAck {
    /// Of which flow.
    pub flow: FiveTuple,
    /// Time to live.
    pub ttl: u8,
    /// Type of service: DSCP and, in the two low bits, ECN.
    pub tos: u8,
    /// Don't Fragment.
    pub df: bool,
    /// IP identification.
    pub ip_id: u16,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number.
    pub ack: u32,
    /// ECN-Echo.
    pub ece: bool,
    /// Congestion Window Reduced.
    pub cwr: bool,
    /// Window field, unscaled.
    pub window: u16,
    /// Timestamps, TSval and TSecr.
    pub ts: Option<(u32, u32)>,
    /// SACK blocks.
    pub sack: Sack,
}

/// Why a packet is not one that can be compressed. It goes natively.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotPure {
    /// Shorter than its headers, or not as long as its IP header says.
    Length,
    /// Not IPv4 without options.
    Ip,
    /// A fragment, or the reserved flag set.
    Fragment,
    /// Not TCP.
    Protocol,
    /// It carries data.
    Payload,
    /// Flags other than ACK, ECE and CWR, reserved bits, or an urgent pointer.
    Flags,
    /// Options other than timestamps and SACK, or laid out in another way than `NOP NOP option`.
    Options,
    /// A checksum is wrong (it could not be restored).
    Checksum,
}

fn be16(b: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([b[at], b[at + 1]])
}
fn be32(b: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]])
}
fn array4(b: &[u8], at: usize) -> [u8; 4] {
    [b[at], b[at + 1], b[at + 2], b[at + 3]]
}

/// Sum over TCP's pseudo header. src: RFC 9293 3.1
fn pseudo(ip: &[u8], tcp_len: usize) -> u32 {
    checksum::sum(&ip[12..20], 6 + tcp_len as u32)
}

/// The five-tuple of a TCP packet over IPv4, whatever else is in it.
pub fn flow_of(p: &[u8]) -> Option<FiveTuple> {
    let tcp = usize::from(p.first()? & 15) * 4;
    if p[0] >> 4 != 4 || tcp < IP || p.len() < tcp + TCP || p[9] != 6 || be16(p, 6) & 0x1fff != 0 {
        return None;
    }
    Some(FiveTuple { src: array4(p, 12), dst: array4(p, 16), sport: be16(p, tcp), dport: be16(p, tcp + 2) })
}

impl PureAck {
    /// Reads a packet that begins with its IPv4 header. What is refused can still be sent, natively.
    pub fn parse(p: &[u8]) -> Result<PureAck, NotPure> {
        if p.len() < IP + TCP {
            return Err(NotPure::Length);
        }
        if p[0] != 0x45 {
            return Err(NotPure::Ip);
        }
        if p[9] != 6 {
            return Err(NotPure::Protocol);
        }
        let fragment = be16(p, 6);
        if fragment & 0xbfff != 0 {
            return Err(NotPure::Fragment);
        }
        if usize::from(be16(p, 2)) != p.len() {
            return Err(NotPure::Length);
        }
        let t = &p[IP..];
        let header = usize::from(t[12] >> 4) * 4;
        if header < TCP || header > t.len() {
            return Err(NotPure::Length);
        }
        if header < t.len() {
            return Err(NotPure::Payload);
        }
        // ACK set; ECE and CWR may be; no other flag, no reserved bit, no urgent pointer
        if t[12] & 15 != 0 || t[13] & 0x3f != 0x10 || be16(t, 18) != 0 {
            return Err(NotPure::Flags);
        }
        let (ts, sack) = options(&t[TCP..]).ok_or(NotPure::Options)?;
        if checksum::finish(checksum::sum(&p[..IP], 0)) != 0
            || checksum::finish(checksum::sum(t, pseudo(p, t.len()))) != 0
            // 0xffff and 0 check alike; only the one that we would write comes back
            || be16(p, 10) == 0xffff
            || be16(t, 16) == 0xffff
        {
            return Err(NotPure::Checksum);
        }
        Ok(PureAck {
            flow: FiveTuple { src: array4(p, 12), dst: array4(p, 16), sport: be16(t, 0), dport: be16(t, 2) },
            ttl: p[8],
            tos: p[1],
            df: fragment & 0x4000 != 0,
            ip_id: be16(p, 4),
            seq: be32(t, 4),
            ack: be32(t, 8),
            ece: t[13] & 0x40 != 0,
            cwr: t[13] & 0x80 != 0,
            window: be16(t, 14),
            ts,
            sack,
        })
    }
    /// Writes the packet; returns its length in bytes.
    pub fn write(&self, out: &mut [u8; LONGEST]) -> usize {
        let sacks = usize::from(self.sack.n);
        let options = 12 * usize::from(self.ts.is_some()) + if sacks > 0 { 4 + 8 * sacks } else { 0 };
        let len = IP + TCP + options;
        let p = &mut out[..len];
        p[0] = 0x45;
        p[1] = self.tos;
        p[2..4].copy_from_slice(&(len as u16).to_be_bytes());
        p[4..6].copy_from_slice(&self.ip_id.to_be_bytes());
        p[6..8].copy_from_slice(&(if self.df { 0x4000u16 } else { 0 }).to_be_bytes());
        p[8] = self.ttl;
        p[9] = 6;
        p[10..12].fill(0);
        p[12..16].copy_from_slice(&self.flow.src);
        p[16..20].copy_from_slice(&self.flow.dst);
        let check = checksum::finish(checksum::sum(&p[..IP], 0));
        p[10..12].copy_from_slice(&check.to_be_bytes());
        let start = pseudo(p, len - IP);
        let t = &mut p[IP..];
        t[0..2].copy_from_slice(&self.flow.sport.to_be_bytes());
        t[2..4].copy_from_slice(&self.flow.dport.to_be_bytes());
        t[4..8].copy_from_slice(&self.seq.to_be_bytes());
        t[8..12].copy_from_slice(&self.ack.to_be_bytes());
        t[12] = (((TCP + options) / 4) << 4) as u8;
        t[13] = 0x10 | u8::from(self.ece) << 6 | u8::from(self.cwr) << 7;
        t[14..16].copy_from_slice(&self.window.to_be_bytes());
        t[16..20].fill(0);
        let mut at = TCP;
        if let Some((val, ecr)) = self.ts {
            t[at..at + 4].copy_from_slice(&[1, 1, 8, 10]);
            t[at + 4..at + 8].copy_from_slice(&val.to_be_bytes());
            t[at + 8..at + 12].copy_from_slice(&ecr.to_be_bytes());
            at += 12;
        }
        if sacks > 0 {
            t[at..at + 4].copy_from_slice(&[1, 1, 5, (2 + 8 * sacks) as u8]);
            for (block, (start, end)) in t[at + 4..].chunks_exact_mut(8).zip(self.sack.blocks()) {
                block[..4].copy_from_slice(&start.to_be_bytes());
                block[4..].copy_from_slice(&end.to_be_bytes());
            }
        }
        let check = checksum::finish(checksum::sum(t, start));
        t[16..18].copy_from_slice(&check.to_be_bytes());
        len
    }
    /// Whether the parts that no compressed packet carries are the same.
    pub(crate) fn same_static(&self, other: &PureAck) -> bool {
        self.flow == other.flow
            && self.ttl == other.ttl
            && self.df == other.df
            && self.tos >> 2 == other.tos >> 2
            && self.ts.is_some() == other.ts.is_some()
    }
}

/// `NOP NOP timestamps`, then `NOP NOP SACK`, each if present: what Linux writes (net/ipv4/tcp_output.c
/// `tcp_options_write`). The blocks must fit in 40 bytes of options.
fn options(mut o: &[u8]) -> Option<(Option<(u32, u32)>, Sack)> {
    let mut ts = None;
    if o.len() >= 12 && o[..4] == [1, 1, 8, 10] {
        ts = Some((be32(o, 4), be32(o, 8)));
        o = &o[12..];
    }
    if o.is_empty() {
        return Some((ts, Sack::default()));
    }
    if o.len() < 12 || o[..3] != [1, 1, 5] || usize::from(o[3]) != o.len() - 2 || (o.len() - 4) % 8 != 0 {
        return None;
    }
    let mut blocks = [(0, 0); 4];
    let n = (o.len() - 4) / 8;
    for (block, bytes) in blocks.get_mut(..n)?.iter_mut().zip(o[4..].chunks_exact(8)) {
        *block = (be32(bytes, 0), be32(bytes, 4));
    }
    Some((ts, Sack { n: n as u8, blocks }))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub fn sample() -> PureAck {
        PureAck {
            flow: FiveTuple { src: [10, 0, 0, 2], dst: [10, 0, 0, 1], sport: 5000, dport: 49152 },
            ttl: 64,
            tos: 0,
            df: true,
            ip_id: 7,
            seq: 1000,
            ack: 2000,
            ece: false,
            cwr: false,
            window: 501,
            ts: Some((100, 90)),
            sack: Sack::default(),
        }
    }

    prop_compose! {
        pub fn any_ack()(
            flow in (any::<[u8; 4]>(), any::<[u8; 4]>(), any::<u16>(), any::<u16>()),
            (ttl, tos, df, ip_id) in any::<(u8, u8, bool, u16)>(),
            (seq, ack, ece, cwr, window) in any::<(u32, u32, bool, bool, u16)>(),
            ts in any::<Option<(u32, u32)>>(),
            blocks in proptest::collection::vec(any::<(u32, u32)>(), 0..4),
        ) -> PureAck {
            let flow = FiveTuple { src: flow.0, dst: flow.1, sport: flow.2, dport: flow.3 };
            PureAck { flow, ttl, tos, df, ip_id, seq, ack, ece, cwr, window, ts, sack: Sack::new(&blocks).unwrap() }
        }
    }

    #[test]
    fn a_captured_ack_is_read() {
        // 10.0.0.2:5000 > 10.0.0.1:49152, ack 2000, win 501, TS val 100 ecr 90; the words sum to d944
        let mut bytes = [0; LONGEST];
        let n = sample().write(&mut bytes);
        assert_eq!(n, 52);
        assert_eq!(bytes[..20], *b"\x45\0\0\x34\0\x07\x40\0\x40\x06\x26\xbb\x0a\0\0\x02\x0a\0\0\x01");
        assert_eq!(PureAck::parse(&bytes[..n]), Ok(sample()));
        assert_eq!(flow_of(&bytes[..n]), Some(sample().flow));
    }
    #[test]
    fn what_is_no_pure_ack_says_why() {
        let mut whole = [0; LONGEST];
        let n = sample().write(&mut whole);
        let with = |at: usize, v: u8| {
            let mut b = whole;
            b[at] = v;
            PureAck::parse(&b[..n])
        };
        assert_eq!(with(0, 0x46), Err(NotPure::Ip));
        assert_eq!(with(9, 17), Err(NotPure::Protocol));
        assert_eq!(with(6, 0x20), Err(NotPure::Fragment));
        assert_eq!(with(3, 53), Err(NotPure::Length));
        assert_eq!(with(33, 0x11), Err(NotPure::Flags)); // FIN
        assert_eq!(with(33, 0x18), Err(NotPure::Flags)); // PSH
        assert_eq!(with(39, 1), Err(NotPure::Flags)); // urgent pointer
        assert_eq!(with(40, 0), Err(NotPure::Options));
        assert_eq!(with(35, 0xff), Err(NotPure::Checksum));
        assert_eq!(with(8, 63), Err(NotPure::Checksum));
        assert_eq!(with(32, 0x70), Err(NotPure::Payload));
        assert_eq!(PureAck::parse(&whole[..39]), Err(NotPure::Length));
    }
    proptest! {
        #[test]
        fn what_is_written_is_read(ack in any_ack()) {
            let mut bytes = [0; LONGEST];
            let n = ack.write(&mut bytes);
            prop_assert_eq!(PureAck::parse(&bytes[..n]), Ok(ack));
        }
        /// Whatever is accepted is restored bit for bit.
        #[test]
        fn what_is_read_is_written(mut ack in any_ack(), at in 0usize..80, flip in 1u8..) {
            ack.ts = ack.ts.map(|_| (1, 2));
            let mut bytes = [0; LONGEST];
            let n = ack.write(&mut bytes);
            bytes[at % n] ^= flip;
            if let Ok(read) = PureAck::parse(&bytes[..n]) {
                let mut again = [0; LONGEST];
                let m = read.write(&mut again);
                prop_assert_eq!(&again[..m], &bytes[..n]);
            }
        }
        #[test]
        fn noise_does_no_harm(noise in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = PureAck::parse(&noise);
            let _ = flow_of(&noise);
        }
    }
}
