//! The model's TCP ACKs as the headers that the codec reads, and back.
//!
//! Addresses and ports are those of captures (`crates/capture`): 10.0.0.1 is the access point. The IP identification counts per
//! socket, as Linux has it (net/ipv4/ip_output.c ip_select_ident_segs; include/net/ip.h: `inet_id` of a connected socket).
//! Differs: D1 the window that a scaled field cannot say is not compressed (Linux announces none).

use crate::sim::packet::flags;
use crate::sim::{Ecn, FlowId, Kind, NodeId, Packet, Time};
use wavetank_rohc::ack::LONGEST;
use wavetank_rohc::{FiveTuple, PureAck, Sack};

/// What a flow's ACKs have beside what a [`Packet`] says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    /// Its number.
    pub id: FlowId,
    /// Addresses and ports, from who sends the ACKs.
    pub tuple: FiveTuple,
    /// By how many bits its windows are scaled.
    pub scale: u8,
    /// Who sends the ACKs.
    pub src: NodeId,
    /// To whom.
    pub dst: NodeId,
    /// Memory of an skb that holds one.
    pub truesize: u32,
}

fn address(n: NodeId) -> [u8; 4] {
    (0x0a00_0001 + u32::from(n.0)).to_be_bytes()
}

impl Flow {
    /// The ACKs from `src` to `dst`; `opens`: `src` opened the connection.
    pub fn new(id: FlowId, (src, dst): (NodeId, NodeId), opens: bool, scale: u8) -> Flow {
        let (opener, other) = (33_000 + id.0 % 16_000, 49_200 + id.0 % 16_000);
        let (sport, dport) = if opens { (opener, other) } else { (other, opener) };
        // src: linux@6.12 net/core/skbuff.c: the smallest head (512) and struct sk_buff (256), as a driver's copy has them
        let truesize = 768;
        let tuple = FiveTuple { src: address(src), dst: address(dst), sport, dport };
        Flow { id, tuple, scale, src, dst, truesize }
    }
    /// Writes the ACK's header; its length. None: it cannot be one.
    pub fn write(&self, p: &Packet, out: &mut [u8; LONGEST]) -> Option<usize> {
        let window = u16::try_from(p.wnd >> self.scale).ok().filter(|&w| u32::from(w) << self.scale == p.wnd)?;
        let ack = PureAck {
            flow: self.tuple,
            ttl: 64,
            tos: p.dscp << 2 | p.ecn as u8,
            df: true,
            ip_id: p.ident,
            seq: p.seq,
            ack: p.ack,
            ece: p.flags & flags::ECE != 0,
            cwr: p.flags & flags::CWR != 0,
            window,
            ts: (p.tsval != 0).then_some((p.tsval, p.tsecr)),
            sack: Sack::new(&p.sack[..usize::from(p.n_sack)])?,
        };
        Some(ack.write(out))
    }
    /// The packet that a restored header is.
    pub fn read(&self, now: Time, header: &[u8], ack: &PureAck) -> Packet {
        let mut p = Packet::blank(Kind::Tcp, self.id, self.src, self.dst);
        let bit = |on: bool, flag: u8| if on { flag } else { 0 };
        let blocks = ack.sack.blocks();
        p.sack[..blocks.len()].copy_from_slice(blocks);
        p.n_sack = blocks.len() as u8;
        (p.tsval, p.tsecr) = ack.ts.unwrap_or((0, 0));
        p.ecn = match ack.tos & 3 {
            2 => Ecn::Ect0,
            3 => Ecn::Ce,
            _ => Ecn::NotEct,
        };
        Packet {
            born: now,
            seq: ack.seq,
            ack: ack.ack,
            wnd: u32::from(ack.window) << self.scale,
            truesize: self.truesize,
            headers: header.len() as u16,
            ident: ack.ip_id,
            flags: flags::ACK | bit(ack.ece, flags::ECE) | bit(ack.cwr, flags::CWR),
            dscp: ack.tos >> 2,
            ..p
        }
    }
}

/// All flows of a BSS by number.
#[derive(Clone, Debug, Default)]
pub struct Flows(Vec<Option<Flow>>);

impl Flows {
    /// One more.
    pub fn add(&mut self, f: Flow) {
        let i = usize::from(f.id.0);
        if i >= self.0.len() {
            self.0.resize(i + 1, None);
        }
        self.0[i] = Some(f);
    }
    /// That of a packet, if it is an ACK that goes the way that is known.
    pub fn of(&self, p: &Packet) -> Option<&Flow> {
        self.0.get(usize::from(p.flow.0))?.as_ref().filter(|f| f.src == p.src)
    }
    /// That of a header.
    pub fn named(&self, t: &FiveTuple) -> Option<&Flow> {
        self.0.iter().flatten().find(|f| f.tuple == *t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ack_comes_back() {
        let f = Flow::new(FlowId(3), (NodeId(1), NodeId(2)), true, 9);
        let mut p = Packet::blank(Kind::Tcp, FlowId(3), NodeId(1), NodeId(2));
        p = Packet {
            seq: 7,
            ack: 1_000,
            wnd: 512 * 501,
            tsval: 9,
            tsecr: 8,
            ident: 77,
            flags: flags::ACK | flags::ECE,
            ..p
        };
        (p.sack[0], p.n_sack, p.headers) = ((2_000, 3_448), 1, 64);
        let mut bytes = [0; LONGEST];
        let n = f.write(&p, &mut bytes).unwrap();
        assert_eq!(n, 64);
        let back = f.read(Time::ZERO, &bytes[..n], &PureAck::parse(&bytes[..n]).unwrap());
        let of = |p: &Packet| (p.seq, p.ack, p.wnd, p.tsval, p.tsecr, p.ident, p.flags, p.sack, p.n_sack, p.headers);
        assert_eq!(of(&back), of(&p));
        p.wnd += 1;
        assert_eq!(f.write(&p, &mut bytes), None, "a window that the field cannot say");
    }
}
