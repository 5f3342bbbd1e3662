//! A UDP flood: datagrams of one size at an even rate, as `iperf -u -b` sends them, held back by the socket's send buffer.
//!
//! Stands for: iperf's sender over linux@6.12 net/core/sock.c sock_alloc_send_pskb (wait while `sk_wmem_alloc` reaches
//! `sk_sndbuf`) and sock_def_write_space (woken when half of it is free).
//! Differs: D1 evenly spaced to the nanosecond, where iperf bursts by its timer; D2 time lost while blocked is not made good.

use crate::sim::quantiles::Quantiles;
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
    /// Datagrams that arrived since the last sample, and their delays in all, ns.
    lately: (u64, i64),
    seen: Seen,
}

/// A delay up to which counting one allocates nothing.
const LONG: u64 = 100_000_000_000;

/// What became of the datagrams that were handed to the socket within a window.
#[derive(Clone, Debug)]
struct Seen {
    window: (Time, Time),
    sent: u64,
    delay: Quantiles,
    /// The delay of the last that arrived, ns.
    last: Option<i64>,
    /// RFC 3550's estimate, ns in 1/16.
    jitter: i64,
}

/// What became of the datagrams that a program handed to its socket within the window: the figures that a call is judged by.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// How many there were.
    pub sent: u64,
    /// How many of them arrived until the run's end.
    pub arrived: u64,
    /// From the socket to the program at the other end, ns.
    pub delay: Quantiles,
    /// Interarrival jitter as an RTP receiver reports it, at the window's end, ms. src: RFC 3550 section 6.4.1, appendix A.8
    pub jitter_ms: f64,
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
            lately: (0, 0),
            seen: Seen {
                window: (Time::ZERO, Time::NEVER),
                sent: 0,
                delay: Quantiles::up_to(LONG),
                last: None,
                jitter: 0,
            },
        }
    }

    /// The same, judged by what it sends within `window`.
    pub fn judged(mut self, window: (Time, Time)) -> Flood {
        self.seen.window = window;
        self
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
        self.seen.sent += u64::from(self.seen.counts(now));
        self.charged += self.truesize;
        Some((p, now + self.step))
    }

    /// A datagram arrived.
    pub fn arrived(&mut self, now: Time, p: &Packet) {
        self.received += u64::from(p.payload);
        let delay = (now - p.born).ns();
        self.lately = (self.lately.0 + 1, self.lately.1 + delay);
        if !self.seen.counts(p.born) {
            return;
        }
        self.seen.delay.add(delay as u64);
        // RFC 3550 A.8: the difference of transit times of two packets as they come, smoothed by 1/16, in whole numbers.
        if let Some(last) = self.seen.last.replace(delay) {
            self.seen.jitter += (delay - last).abs() - ((self.seen.jitter + 8) >> 4);
        }
    }

    /// Mean delay of what arrived since this was asked before, ms; NaN where nothing did.
    pub fn delay_since(&mut self) -> f64 {
        let (n, sum) = core::mem::take(&mut self.lately);
        sum as f64 / n as f64 / 1e6
    }

    /// What became of what it sent.
    pub fn delivery(&self) -> Delivery {
        let s = &self.seen;
        let jitter_ms = (s.jitter >> 4) as f64 / 1e6;
        Delivery { sent: s.sent, arrived: s.delay.count(), delay: s.delay.clone(), jitter_ms }
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

impl Seen {
    fn counts(&self, born: Time) -> bool {
        born >= self.window.0 && born < self.window.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_judged_by_loss_delay_and_jitter() {
        let ends = (NodeId(0), NodeId(1));
        let ms = |n: u64| Time::from_ns(n * 1_000_000);
        let mut f = Flood::new(FlowId(0), ends, Owner(0), Bytes::from_mib(1), (100, 896), Rate::from_kbit(80));
        f = f.judged((ms(10), ms(50)));
        // Sent at 0, 10, .. 50 ms: 10 to 40 count. That of 20 is lost, the others take 5, 21 and 5 ms.
        for (sent, took) in [(0, Some(1)), (10, Some(5)), (20, None), (30, Some(21)), (40, Some(5)), (50, Some(90))] {
            let (p, next) = f.next(ms(sent)).unwrap();
            assert_eq!(next, ms(sent + 10));
            if let Some(took) = took {
                f.arrived(ms(sent + took), &p);
            }
        }
        let d = f.delivery();
        assert_eq!((d.sent, d.arrived, f.received), (4, 3, 500));
        assert!((d.delay.quantile(0.5).unwrap() / 5e6 - 1.0).abs() < 0.01);
        // |21 - 5| = 16 adds 1 ms, |5 - 21| = 16 another, less a sixteenth of the first.
        assert!((d.jitter_ms - (1.0 + 15.0 / 16.0)).abs() < 1e-5, "{}", d.jitter_ms);
    }

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
