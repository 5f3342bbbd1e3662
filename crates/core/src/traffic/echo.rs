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
    weight: Weight,
    step: Span,
    /// When each request left, s; in step with `rtt_ms`.
    pub sent: Vec<f64>,
    /// Its round-trip time in ms; NaN while, or if, no reply came.
    pub rtt_ms: Vec<f64>,
}

/// What a series' skbs weigh (`tcp::truesize::datagram`).
#[derive(Clone, Copy, Debug)]
pub struct Weight {
    /// A request.
    pub request: u32,
    /// The answer that the other host's kernel gives through its ICMP socket; none where a program answers.
    pub icmp_reply: Option<u32>,
}

/// Bytes of an IP and ICMP (or UDP) header.
const HEADERS: u16 = 28;

impl Echo {
    /// A series with room for `n` requests. One has `payload` bytes.
    pub fn new(
        flow: FlowId,
        (from, to): (NodeId, NodeId),
        dscp: u8,
        (payload, weight): (u16, Weight),
        step: Span,
        n: usize,
    ) -> Echo {
        let (sent, rtt_ms) = (Vec::with_capacity(n), Vec::with_capacity(n));
        Echo { flow, from, to, dscp, payload, weight, step, sent, rtt_ms }
    }

    /// Who asks.
    pub fn from(&self) -> NodeId {
        self.from
    }

    /// The weight of a kernel's answer, where it is the kernel that answers.
    pub fn icmp_reply(&self) -> Option<u32> {
        self.weight.icmp_reply
    }

    /// The next request, and when the one after it is due.
    pub fn request(&mut self, now: Time) -> (Packet, Time) {
        let mut p = Packet::blank(Kind::EchoRequest, self.flow, self.from, self.to);
        p.born = now;
        p.seq = self.sent.len() as u32;
        p.payload = u32::from(self.payload);
        p.headers = HEADERS;
        p.truesize = self.weight.request;
        p.dscp = self.dscp;
        self.sent.push(now.as_s());
        self.rtt_ms.push(f64::NAN);
        (p, now + self.step)
    }

    /// What another host's program answers.
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
