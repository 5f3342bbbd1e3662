//! Echo latency: a request every step, its reply's round-trip time.

use crate::sim::{FlowId, Kind, NodeId, Packet, Span, Time};

/// One series of echoes from `from` to `to`.
#[derive(Debug)]
pub struct Echo {
    flow: FlowId,
    from: NodeId,
    to: NodeId,
    dscp: u8,
    payload: u16,
    step: Span,
    /// When each request left, s; in step with `rtt_ms`.
    pub sent: Vec<f64>,
    /// Its round-trip time in ms; NaN while, or if, no reply came.
    pub rtt_ms: Vec<f64>,
}

/// Bytes of an IP and ICMP (or UDP) header.
const HEADERS: u16 = 28;
/// `truesize` of a small skb: SKB_TRUESIZE of a 128-byte head.
/// src: linux@6.12 include/linux/skbuff.h SKB_TRUESIZE
const TRUESIZE: u32 = 768;

impl Echo {
    /// A series with room for `n` requests.
    pub fn new(flow: FlowId, from: NodeId, to: NodeId, dscp: u8, payload: u16, step: Span, n: usize) -> Echo {
        Echo { flow, from, to, dscp, payload, step, sent: Vec::with_capacity(n), rtt_ms: Vec::with_capacity(n) }
    }

    /// Who asks.
    pub fn from(&self) -> NodeId {
        self.from
    }

    /// The next request, and when the one after it is due.
    pub fn request(&mut self, now: Time) -> (Packet, Time) {
        let mut p = Packet::blank(Kind::EchoRequest, self.flow, self.from, self.to);
        p.born = now;
        p.seq = self.sent.len() as u32;
        p.payload = u32::from(self.payload);
        p.headers = HEADERS;
        p.truesize = TRUESIZE;
        p.dscp = self.dscp;
        self.sent.push(now.as_s());
        self.rtt_ms.push(f64::NAN);
        (p, now + self.step)
    }

    /// What the other host answers.
    pub fn reply_to(request: &Packet) -> Packet {
        let mut p = *request;
        p.kind = Kind::EchoReply;
        (p.src, p.dst) = (request.dst, request.src);
        p
    }

    /// A reply came.
    pub fn replied(&mut self, now: Time, p: &Packet) {
        if let Some(r) = self.rtt_ms.get_mut(p.seq as usize) {
            *r = (now - p.born).as_ms();
        }
    }
}
