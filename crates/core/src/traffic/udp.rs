//! A UDP flood: datagrams of one size at an even rate, as `iperf -u -b` sends them, held back by the socket's send buffer.
//!
//! Stands for: iperf's sender over linux@6.12 net/core/sock.c sock_alloc_send_pskb (wait while `sk_wmem_alloc` reaches
//! `sk_sndbuf`) and sock_def_write_space (woken when half of it is free).
//! Differs: D1 evenly spaced to the nanosecond, where iperf bursts by its timer; D2 time lost while blocked is not made good.

use crate::sim::{Bytes, FlowId, Kind, NodeId, Owner, Packet, Rate, Span, Time};

/// Bytes of an IP and UDP header.
const HEADERS: u16 = 28;

/// A flood from `from` to `to`.
#[derive(Debug)]
pub struct Flood {
    flow: FlowId,
    from: NodeId,
    to: NodeId,
    owner: Owner,
    dscp: u8,
    payload: u16,
    truesize: u32,
    step: Span,
    sndbuf: u32,
    sent: u32,
    charged: u32,
    blocked: bool,
    /// Bytes of payload that arrived.
    pub received: u64,
}

impl Flood {
    /// A flood of `rate` bits of payload a second, from a socket that is charged as `owner` and may hold `sndbuf` bytes.
    /// A datagram is `payload` bytes, and is charged as the second of the pair (`tcp::truesize::datagram`).
    pub fn new(
        flow: FlowId,
        ends: (NodeId, NodeId),
        owner: Owner,
        sndbuf: Bytes,
        (payload, truesize): (u16, u32),
        rate: Rate,
    ) -> Flood {
        Flood {
            flow,
            from: ends.0,
            to: ends.1,
            owner,
            dscp: 0,
            payload,
            truesize,
            step: rate.time_for(u64::from(payload)),
            sndbuf: sndbuf.get() as u32,
            sent: 0,
            charged: 0,
            blocked: false,
            received: 0,
        }
    }

    /// The same with this mark.
    pub fn marked(self, dscp: u8) -> Flood {
        Flood { dscp, ..self }
    }

    /// Who sends.
    pub fn from(&self) -> NodeId {
        self.from
    }

    /// The next datagram and when the one after it is due; none if the send buffer is full: the writer sleeps until
    /// [`Flood::on_free`] says otherwise.
    pub fn next(&mut self, now: Time) -> Option<(Packet, Time)> {
        if self.charged >= self.sndbuf {
            self.blocked = true;
            return None;
        }
        let mut p = Packet::blank(Kind::Udp, self.flow, self.from, self.to);
        p.born = now;
        p.seq = self.sent;
        p.payload = u32::from(self.payload);
        p.headers = HEADERS;
        p.truesize = self.truesize;
        p.owner = self.owner;
        p.dscp = self.dscp;
        self.sent += 1;
        self.charged += self.truesize;
        Some((p, now + self.step))
    }

    /// A datagram's memory was freed. True: the writer wakes and sends at once.
    pub fn on_free(&mut self, truesize: u32) -> bool {
        self.charged -= truesize;
        let wake = self.blocked && self.charged * 2 <= self.sndbuf;
        if wake {
            self.blocked = false;
        }
        wake
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_send_buffer_blocks_and_wakes_at_half() {
        let mut f = Flood::new(
            FlowId(0),
            (NodeId(0), NodeId(1)),
            Owner(0),
            Bytes::new(212_992),
            (1470, 2304),
            Rate::from_mbit(250),
        );
        let mut n = 0;
        while f.next(Time::ZERO).is_some() {
            n += 1;
        }
        assert_eq!(n, 93, "212992 / 2304 = 92.4: the last one may overshoot");
        let woken = (1..=n).find(|_| f.on_free(2304)).unwrap();
        assert_eq!(woken, 47, "46 of 93 are left when 2 x charged fits");
    }
}
