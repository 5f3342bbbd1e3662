//! A snapshot of a connection like `TCP_INFO`, typed; [`tcp_info`](super::tcp_info) has the kernel's own names. No algorithm reads it.

use crate::sim::{Bytes, Rate, Span, Time};
use crate::tcp::sender::delivery_rate;
use crate::tcp::socket::{Socket, State};
use crate::tcp::stats::Stats;
use crate::tcp::tp::CaState;

/// A snapshot, as `ss -i` shows it.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// State of the connection.
    pub state: State,
    /// State of loss recovery.
    pub ca_state: CaState,
    /// Congestion window, segments.
    pub snd_cwnd: u32,
    /// Slow-start threshold, segments; none while infinite.
    pub snd_ssthresh: Option<u32>,
    /// Smoothed RTT; zero: none yet.
    pub srtt: Span,
    /// RTT variation.
    pub rttvar: Span,
    /// Minimum RTT; zero: none yet.
    pub min_rtt: Span,
    /// Retransmission timeout.
    pub rto: Span,
    /// Segments sent and not cumulatively acknowledged.
    pub unacked: u32,
    /// Of these, SACKed.
    pub sacked: u32,
    /// Of these, deemed lost.
    pub lost: u32,
    /// Retransmissions in flight.
    pub retrans_out: u32,
    /// Payload acknowledged, ever.
    pub bytes_acked: u64,
    /// Payload received in order, ever.
    pub bytes_received: u64,
    /// Segments retransmitted, ever.
    pub retransmits: u64,
    /// Retransmission timeouts, ever.
    pub rtos: u64,
    /// Segments that ACKs with ECE acknowledged (`tcpi_delivered_ce`): with RFC 3168's ECN all that follow a mark until CWR arrives.
    pub delivered_ce: u32,
    /// Pacing rate; none while unlimited.
    pub pacing_rate: Option<Rate>,
    /// Rate of the last full delivery sample.
    pub delivery_rate: Rate,
    /// Bytes written and not sent.
    pub notsent: u32,
    /// Segment size.
    pub mss: u32,
    /// Peer's window.
    pub snd_wnd: u32,
    /// Own window.
    pub rcv_wnd: u32,
    /// Memory charged below the socket (`sk_wmem_alloc`).
    pub wmem_alloc: u32,
    /// Send buffer.
    pub sndbuf: Bytes,
    /// Receive buffer.
    pub rcvbuf: Bytes,
}

impl Socket {
    /// Everything that `TCP_INFO` tells, and a little more.
    pub fn info(&self, _now: Time) -> Info {
        let tp = &self.tp;
        let us = |v: u32| Span::from_us(i64::from(v));
        let min = tp.min_rtt_us();
        let rate = |bytes: u64| Rate::from_bps(bytes.saturating_mul(8));
        Info {
            state: self.state,
            ca_state: tp.ca_state,
            snd_cwnd: tp.snd_cwnd,
            snd_ssthresh: (!tp.in_initial_slow_start()).then_some(tp.snd_ssthresh),
            srtt: us(tp.srtt_us >> 3),
            rttvar: us(self.rtt.mdev_us >> 2),
            min_rtt: us(if min == u32::MAX { 0 } else { min }),
            rto: us(tp.clock.jiffies_to_us(self.rtt.rto)),
            unacked: tp.packets_out,
            sacked: tp.sacked_out,
            lost: tp.lost_out,
            retrans_out: tp.retrans_out,
            bytes_acked: self.bytes_acked,
            bytes_received: self.rcv.payload(),
            retransmits: self.stats.retransmits,
            rtos: self.stats.rtos,
            delivered_ce: tp.delivered_ce,
            pacing_rate: (tp.pacing_rate != u64::MAX).then(|| rate(tp.pacing_rate)),
            delivery_rate: rate(delivery_rate::estimate(tp)),
            notsent: tp.unsent(),
            mss: tp.mss_cache,
            snd_wnd: tp.snd_wnd,
            rcv_wnd: self.rcv.window(),
            wmem_alloc: self.tsq.wmem_alloc(),
            sndbuf: Bytes::new(u64::from(self.app.sndbuf)),
            rcvbuf: Bytes::new(u64::from(self.rcv.rcvbuf)),
        }
    }
    /// The counters.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }
    /// The congestion window, segments: for sampling on every ACK without a whole [`Info`].
    pub fn cwnd(&self) -> u32 {
        self.tp.snd_cwnd
    }
}
