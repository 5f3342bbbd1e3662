//! What a run has shown: flows, echoes, stations, queues, and the ledger of packets.

use super::bss::AckOutcome;
use crate::phy::Mode;
use crate::rate::aasrc::Counts;
use crate::sim::{Ledger, Span, Time};
use crate::tcp::Error;
use crate::traffic::{Delivery, Direction, FlowPlan, Proto};
use crate::wifi::End;

/// Columns of one flow, one row a sample. Names and units follow the kernel's TCP_INFO; times in s, RTTs in ms, windows in
/// segments, rates in bit/s. Of a connection that is not there yet, or has ended, all but what adds up is NaN.
#[derive(Clone, Default, Debug)]
pub struct FlowSeries {
    /// Time since the run began, s.
    pub t: Vec<f64>,
    /// Payload delivered to the receiver, cumulative bytes.
    pub received: Vec<f64>,
    /// Of UDP: mean delay one way of what arrived since the sample before, ms; NaN where nothing did.
    pub delay_ms: Vec<f64>,
    /// Payload acknowledged at the sender, cumulative bytes.
    pub acked: Vec<f64>,
    /// Congestion window, segments.
    pub snd_cwnd: Vec<f64>,
    /// Slow start threshold, segments; NaN while infinite.
    pub snd_ssthresh: Vec<f64>,
    /// Smoothed RTT, ms.
    pub srtt_ms: Vec<f64>,
    /// Minimum RTT, ms.
    pub min_rtt_ms: Vec<f64>,
    /// Segments in flight.
    pub unacked: Vec<f64>,
    /// Retransmitted segments so far.
    pub retrans: Vec<f64>,
    /// Pacing rate, bit/s; NaN while unlimited.
    pub pacing_bps: Vec<f64>,
    /// Delivery rate, bit/s.
    pub delivery_bps: Vec<f64>,
    /// Bytes written but not sent.
    pub notsent: Vec<f64>,
}

/// A flow's results.
#[derive(Clone, Debug)]
pub struct FlowOutcome {
    /// The plan it followed.
    pub plan: FlowPlan,
    /// Payload that arrived within the window, bytes.
    pub bytes_window: u64,
    /// Retransmitted segments in all.
    pub retransmits: u64,
    /// Retransmission timeouts in all.
    pub rtos: u64,
    /// Segments that ACKs with ECE acknowledged, in all.
    pub delivered_ce: u32,
    /// The error in which its connection ended.
    pub error: Option<Error>,
    /// Of a UDP flow: what became of its datagrams.
    pub delivery: Option<Delivery>,
    /// The sampled series.
    pub series: FlowSeries,
}

/// One echo series' results.
#[derive(Clone, Debug)]
pub struct EchoOutcome {
    /// Its name.
    pub name: String,
    /// Index of the station.
    pub station: usize,
    /// When each request left, s.
    pub t: Vec<f64>,
    /// Round-trip times, ms; NaN: lost.
    pub rtt_ms: Vec<f64>,
}

/// What a station did on the air.
#[derive(Clone, Debug)]
pub struct NodeOutcome {
    /// Its name.
    pub name: String,
    /// Data PPDUs in the window by the number of their MPDUs; 65 entries, with 802.11ax 257.
    pub ampdu_hist: Vec<u64>,
    /// Data PPDUs sent to it within the window by the number of their MPDUs; 65 entries, with 802.11ax 257.
    pub rx_hist: Vec<u64>,
    /// The same by the number of MPDUs that were not decoded.
    pub rx_bad: Vec<u64>,
    /// What it sent within the window by why no more MPDUs were in it ([`End`]).
    pub ends: [u64; End::COUNT],
    /// Data PPDUs that it sent within the window, and the MPDUs in them, by the mode they went at; modes that it did not use are left
    /// out.
    pub modes: Vec<(Mode, u64, u64)>,
    /// The same of what was sent to it.
    pub rx_modes: Vec<(Mode, u64, u64)>,
    /// What its rate control did in the whole run, if that counts it.
    pub rate: Option<Counts>,
    /// How often it sent so many further data PPDUs after a first one before another station sent one; 65 entries, the last is "64
    /// or more". What collided ends a run, since others sent too, and is none itself: nothing of it is decoded.
    pub runs: Vec<u64>,
    /// Share of the window in which something was sent to it, its responses included.
    pub airtime_rx_fraction: f64,
    /// Of what it sent, PPDUs that no response came to: collisions, above all.
    pub unanswered: u64,
    /// Share of the window in which it transmitted or was answered.
    pub airtime_fraction: f64,
    /// What became of its TCP ACKs in all of the run, where TCP/HACK is on or they are counted.
    pub acks: Option<AckOutcome>,
    /// Sample times, s.
    pub t: Vec<f64>,
    /// Airtime of its transmissions in each step, us.
    pub airtime_tx_us: Vec<f64>,
    /// Airtime of transmissions to it in each step, us.
    pub airtime_rx_us: Vec<f64>,
    /// Mean MPDUs a PPDU in each step; NaN where there was none.
    pub avg_aggr_size: Vec<f64>,
    /// Mean rate of the PHY over the MPDUs that it sent in each step, Mbit/s; NaN where there was none.
    pub tx_bitrate_mbit: Vec<f64>,
    /// The same over the MPDUs that were sent to it.
    pub rx_bitrate_mbit: Vec<f64>,
    /// Share of the MPDUs sent to it in each step that it did not get; NaN where there was none.
    pub rx_bad_share: Vec<f64>,
}

/// A queue's series.
#[derive(Clone, Debug)]
pub struct QueueOutcome {
    /// Its name.
    pub name: String,
    /// Sample times, s.
    pub t: Vec<f64>,
    /// Packets that wait.
    pub backlog_packets: Vec<f64>,
    /// Bytes that wait.
    pub backlog_bytes: Vec<f64>,
    /// Packets dropped so far.
    pub dropped: Vec<f64>,
}

/// All that a run has shown.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Length of the run.
    pub simulated: Span,
    /// Events handled.
    pub events: u64,
    /// The window of judgement.
    pub window: (Time, Time),
    /// The flows, in the order of the plan.
    pub flows: Vec<FlowOutcome>,
    /// The echoes.
    pub echoes: Vec<EchoOutcome>,
    /// The stations.
    pub nodes: Vec<NodeOutcome>,
    /// The queues of wired ports.
    pub queues: Vec<QueueOutcome>,
    /// Packets made, delivered and dropped.
    pub ledger: Ledger,
    /// Packets still somewhere.
    pub held: u64,
    /// Digest of every delivery and every PPDU, in order.
    pub digest: u64,
}

impl FlowOutcome {
    /// Payload a second in the window, Mbit/s.
    pub fn goodput_mbit(&self, window: (Time, Time)) -> f64 {
        self.bytes_window as f64 * 8.0 / (window.1 - window.0).as_s() / 1e6
    }
    /// Whether it is TCP.
    pub fn is_tcp(&self) -> bool {
        self.plan.proto == Proto::Tcp
    }
    /// Which way the data went.
    pub fn direction(&self) -> Direction {
        self.plan.direction
    }
}
