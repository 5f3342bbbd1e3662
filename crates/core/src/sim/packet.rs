//! The packet: a small Copy value that stands for an skb. It goes by value through rings; no layer keeps a pointer to it.

use super::time::Time;

/// A node of the topology.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct NodeId(pub u16);

/// A flow: one five-tuple, both directions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FlowId(pub u16);

/// The socket that is charged for a packet (`skb->sk` with `skb->destructor`), or nobody after `skb_orphan`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Owner(pub u16);

impl Owner {
    /// Nobody is charged.
    pub const NONE: Owner = Owner(u16::MAX);
    /// Set in those of packets whose memory was given back before they left their host.
    const LATE: u16 = 1 << 15;
    /// There are so many at most.
    pub const MOST: usize = Owner::LATE as usize;

    /// Whose the packet still is, though its memory was given back to it: netem does so with what it holds.
    /// src: linux@6.12 net/core/sock.c skb_orphan_partial, skb_set_owner_sk_safe: `sock_efree`
    pub const fn orphaned_in_part(self) -> Owner {
        Owner(self.0 | Owner::LATE)
    }
    /// Who that is, if it is so.
    pub fn in_part(self) -> Option<Owner> {
        (self != Owner::NONE && self.0 & Owner::LATE != 0).then_some(Owner(self.0 & !Owner::LATE))
    }
    /// Whether somebody is charged for the packet.
    pub const fn is_charged(self) -> bool {
        self.0 & Owner::LATE == 0
    }
}

/// What a packet is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// A TCP segment of any sort; `Packet::payload` is 0 for a pure ACK.
    Tcp,
    /// A UDP datagram of a flood.
    Udp,
    /// A UDP or ICMP echo request.
    EchoRequest,
    /// Its reply.
    EchoReply,
    /// TCP/HACK: compressed TCP ACKs in a frame of their own, from driver to driver (`wifi::hack`). `seq` is the number of the
    /// last one and one.
    Chain,
}

/// TCP flags, as bits.
pub mod flags {
    /// Opens a connection.
    pub const SYN: u8 = 1 << 0;
    /// Closes a direction.
    pub const FIN: u8 = 1 << 1;
    /// The acknowledgement number counts.
    pub const ACK: u8 = 1 << 2;
    /// Pushes.
    pub const PSH: u8 = 1 << 3;
    /// ECN echo.
    pub const ECE: u8 = 1 << 4;
    /// Congestion window reduced.
    pub const CWR: u8 = 1 << 5;
    /// A SYN without the SACK-permitted option.
    pub const NO_SACK: u8 = 1 << 6;
    /// On a packet without SYN, in the same place: resets the connection.
    pub const RST: u8 = 1 << 6;
    /// A SYN without the window-scale option.
    pub const NO_WSCALE: u8 = 1 << 7;
}

/// The two ECN bits of the IP header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN capable.
    NotEct = 0,
    /// ECN capable, codepoint ECT(0).
    Ect0 = 2,
    /// Congestion experienced.
    Ce = 3,
}

/// A packet. 104 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// When its maker made it (echo: when the request left the application).
    pub born: Time,
    /// When the queue that holds it took it in (CoDel's `enqueue_time`); each queue writes its own.
    pub enqueued: Time,
    /// TCP sequence number (wraps as on the wire); number of the datagram otherwise.
    pub seq: u32,
    /// TCP acknowledgement number.
    pub ack: u32,
    /// Timestamp value, in the sender's timestamp clock; 0: the packet has no timestamps.
    pub tsval: u32,
    /// Timestamp echo.
    pub tsecr: u32,
    /// SACK blocks (left, right), `n_sack` of them valid, of which three fit beside timestamps; a DSACK comes first, as RFC 2883 has it.
    pub sack: [(u32, u32); 4],
    /// Advertised window in bytes, scaling undone.
    pub wnd: u32,
    /// Memory charged for it (`skb->truesize`), bytes.
    pub truesize: u32,
    /// Bytes of payload above TCP/UDP/ICMP.
    pub payload: u32,
    /// Bytes of IP and transport headers (of one segment, if it is a GSO super-packet).
    pub headers: u16,
    /// The MSS option of a SYN (0: it has none); the segment size of a super-packet (`gso_size`).
    pub mss: u16,
    /// Segments in it (`gso_segs`); 1 for everything that is on a wire.
    pub segs: u16,
    /// IP identification, of TCP; 0 elsewhere.
    pub ident: u16,
    /// The flow.
    pub flow: FlowId,
    /// The node that made it.
    pub src: NodeId,
    /// The node that shall get it.
    pub dst: NodeId,
    /// The socket charged.
    pub owner: Owner,
    /// What it is.
    pub kind: Kind,
    /// TCP flags.
    pub flags: u8,
    /// SACK blocks in use.
    pub n_sack: u8,
    /// DSCP (six bits).
    pub dscp: u8,
    /// ECN field.
    pub ecn: Ecn,
    /// The sender marks a retransmission, for counting only: no algorithm may read it.
    pub retransmission: bool,
    /// What rate control has marked it with as it entered the queue that holds it; 0: with nothing. Each such queue writes its own.
    pub mark: u16,
    /// How often its socket had drawn another `sk_txhash`; 0 behind a card, which gives an skb the hash of its headers.
    pub txhash: u8,
    /// It came over the air and is the last packet that its PPDU let go up.
    pub ends_ampdu: bool,
    /// It came over the air, and so many frames of its card's receive ring wait with it for the host's CPU: none if a frame that came later let it
    /// go.
    pub ringed: u8,
}

impl Packet {
    /// A packet with nothing in it, to fill in.
    pub const fn blank(kind: Kind, flow: FlowId, src: NodeId, dst: NodeId) -> Packet {
        Packet {
            born: Time::ZERO,
            enqueued: Time::ZERO,
            seq: 0,
            ack: 0,
            tsval: 0,
            tsecr: 0,
            sack: [(0, 0); 4],
            wnd: 0,
            truesize: 0,
            payload: 0,
            headers: 0,
            mss: 0,
            segs: 1,
            ident: 0,
            flow,
            src,
            dst,
            owner: Owner::NONE,
            kind,
            flags: 0,
            n_sack: 0,
            dscp: 0,
            ecn: Ecn::NotEct,
            retransmission: false,
            txhash: 0,
            ends_ampdu: false,
            ringed: 0,
            mark: 0,
        }
    }
    /// Bytes of the IP packet (`skb->len` at the network layer; of all segments with their headers, as a qdisc that
    /// accounts for GSO counts them).
    pub const fn ip_len(&self) -> u32 {
        self.payload + self.headers as u32 * self.segs as u32
    }
    /// Bytes of the Ethernet frame without preamble and FCS (`skb->len` at a qdisc): the IP packet and 14.
    pub const fn eth_len(&self) -> u32 {
        self.payload + (self.headers as u32 + 14) * self.segs as u32
    }
    /// A TCP segment without payload, SYN or FIN.
    pub const fn is_pure_ack(&self) -> bool {
        matches!(self.kind, Kind::Tcp) && self.payload == 0 && self.flags & (flags::SYN | flags::FIN) == 0
    }
}

/// What an skb's destructor sees, or `tcp_gso_segment` where it cuts one: whose memory it was and which part of the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Freed {
    /// Who was charged.
    pub owner: Owner,
    /// How much.
    pub truesize: u32,
    /// Its first sequence number.
    pub seq: u32,
    /// Its payload, bytes.
    pub payload: u32,
    /// 0, or it was a super-packet and was cut into segments of so much memory in all, which are charged in its stead.
    pub parts: u32,
    /// Of a super-packet: the card cuts it up, so that the skb itself is there until it is sent; else the stack has made others of it.
    pub by_card: bool,
}

impl Freed {
    /// A super-packet in whose stead its segments are charged, so much in all.
    pub fn cut(p: &Packet, parts: u32, by_card: bool) -> Freed {
        Freed { parts, by_card, ..p.into() }
    }
}

impl From<&Packet> for Freed {
    fn from(p: &Packet) -> Freed {
        Freed { owner: p.owner, truesize: p.truesize, seq: p.seq, payload: p.payload, parts: 0, by_card: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_enough_to_go_by_value() {
        assert!(core::mem::size_of::<Packet>() <= 104, "{}", core::mem::size_of::<Packet>());
    }
}
