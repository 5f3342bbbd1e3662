//! Echo latency: a request every step, its reply's round-trip time.

use crate::sim::{FlowId, Kind, NodeId, Packet, Span, Time};
use std::collections::VecDeque;

/// One series of echoes from `from` to `to`.
#[derive(Debug)]
pub struct Echo {
    flow: FlowId,
    from: NodeId,
    to: NodeId,
    dscp: u8,
    payload: u16,
    weight: u32,
    answers: Answers,
    step: Span,
    /// Requests that the program has not read yet.
    unread: VecDeque<Packet>,
    /// When each request left, s; in step with `rtt_ms`.
    pub sent: Vec<f64>,
    /// Its round-trip time in ms; NaN while, or if, no reply came.
    pub rtt_ms: Vec<f64>,
}

/// Who answers, and the truesize of an answer, bytes.
#[derive(Clone, Copy, Debug)]
pub enum Answers {
    /// The other host's kernel, through its ICMP socket, where the request is in line.
    Kernel(u32),
    /// A program: when the softirq that brought the request is through with all that came with it.
    Program(u32),
}

/// Bytes of an IP and ICMP (or UDP) header.
const HEADERS: u16 = 28;
/// Requests that wait for a program, as a rule.
const FEW: usize = 16;

impl Echo {
    /// A series with room for `n` requests. One has `payload` bytes and weighs `weight` (`tcp::truesize::datagram`).
    pub fn new(
        flow: FlowId,
        (from, to): (NodeId, NodeId),
        dscp: u8,
        (payload, weight, answers): (u16, u32, Answers),
        step: Span,
        n: usize,
    ) -> Echo {
        let (sent, rtt_ms) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let unread = VecDeque::with_capacity(if matches!(answers, Answers::Program(_)) { FEW } else { 0 });
        Echo { flow, from, to, dscp, payload, weight, answers, step, unread, sent, rtt_ms }
    }

    /// Who asks.
    pub fn from(&self) -> NodeId {
        self.from
    }

    /// Who is asked.
    pub fn to(&self) -> NodeId {
        self.to
    }

    /// Who answers.
    pub fn answers(&self) -> Answers {
        self.answers
    }

    /// The next request, and when the one after it is due.
    pub fn request(&mut self, now: Time) -> (Packet, Time) {
        let mut p = Packet::blank(Kind::EchoRequest, self.flow, self.from, self.to);
        p.born = now;
        p.seq = self.sent.len() as u32;
        p.payload = u32::from(self.payload);
        p.headers = HEADERS;
        p.truesize = self.weight;
        p.dscp = self.dscp;
        self.sent.push(now.as_s());
        self.rtt_ms.push(f64::NAN);
        (p, now + self.step)
    }

    /// The answer to a request.
    pub fn reply_to(request: &Packet, truesize: u32) -> Packet {
        let mut p = *request;
        p.kind = Kind::EchoReply;
        (p.src, p.dst) = (request.dst, request.src);
        p.truesize = truesize;
        p
    }

    /// A request came for the program. True: it is to be woken.
    pub fn asked(&mut self, p: &Packet) -> bool {
        self.unread.push_back(*p);
        self.unread.len() == 1
    }

    /// What the program answers next; none: it has read all.
    pub fn answer(&mut self) -> Option<Packet> {
        let (Answers::Kernel(truesize) | Answers::Program(truesize)) = self.answers;
        Some(Echo::reply_to(&self.unread.pop_front()?, truesize))
    }

    /// A reply came; where netem made two of it, or of the request, the first counts.
    pub fn replied(&mut self, now: Time, p: &Packet) {
        if let Some(r) = self.rtt_ms.get_mut(p.seq as usize).filter(|r| r.is_nan()) {
            *r = (now - p.born).as_ms();
        }
    }
}
