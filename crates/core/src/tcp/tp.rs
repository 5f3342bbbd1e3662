//! The sender's variables: what Linux keeps in `struct tcp_sock` (and a little of `struct sock`), with the kernel's names.
//!
//! Stands for: Linux 6.12 include/linux/tcp.h. These are what a congestion control may read and change; everything else of a socket
//! (queues, timers, receiver) is out of its reach. Units are in the names or beside the fields.

use super::clock::Clock;
use super::ecn::Ecn;
use super::minmax::Minmax;
use super::profile::Limits;

/// `TCP_INFINITE_SSTHRESH`. src: linux@6.12 include/net/tcp.h
pub const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

/// State of the loss recovery machine. src: linux@6.12 include/uapi/linux/tcp.h tcp_ca_state
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
#[repr(u8)]
pub enum CaState {
    /// Nothing dubious happened.
    #[default]
    Open,
    /// Something was SACKed or retransmitted.
    Disorder,
    /// cwnd is being reduced after a congestion signal without loss.
    Cwr,
    /// cwnd is being reduced and losses are retransmitted.
    Recovery,
    /// A timeout fired.
    Loss,
}

/// Who enforces the pacing rate. src: linux@6.12 include/net/sock.h sk_pacing
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pacing {
    /// Nobody.
    #[default]
    None,
    /// A timer of the socket.
    Needed,
    /// An `fq` qdisc below.
    Fq,
}

/// The variables.
#[derive(Clone, Debug)]
pub struct Tp {
    /// The clocks.
    pub clock: Clock,
    /// First unacknowledged sequence number.
    pub snd_una: u32,
    /// Next to be sent.
    pub snd_nxt: u32,
    /// Next that the application writes.
    pub write_seq: u32,
    /// Window of the peer, bytes.
    pub snd_wnd: u32,
    /// Largest window that the peer ever offered, bytes.
    pub max_window: u32,
    /// Segment size now, bytes of payload, without SACK blocks.
    pub mss_cache: u32,

    /// Congestion window, segments.
    pub snd_cwnd: u32,
    /// Slow-start threshold, segments.
    pub snd_ssthresh: u32,
    /// Acknowledged segments counted towards the next step of `snd_cwnd`.
    pub snd_cwnd_cnt: u32,
    /// Largest window allowed, segments.
    pub snd_cwnd_clamp: u32,
    /// Window used since the last validation, segments.
    pub snd_cwnd_used: u32,
    /// When the window was last changed or validated, jiffies.
    pub snd_cwnd_stamp: u32,
    /// Window before the reduction under way, segments.
    pub prior_cwnd: u32,
    /// Threshold to return to on undo; 0: no undo.
    pub prior_ssthresh: u32,
    /// How it grew before 4.0 (`Profile::growth`).
    pub counts_acks: bool,
    /// When it limits (`Profile::limits`).
    pub limits: Limits,
    /// Which segment makes a rate sample (`Profile::rate_by_newest`).
    pub rate_by_newest: bool,
    /// The window limited sending in this window.
    pub is_cwnd_limited: bool,
    /// Most segments in flight in this window.
    pub max_packets_out: u32,
    /// End of the window for which the two fields above hold.
    pub cwnd_usage_seq: u32,
    /// Recovery state.
    pub ca_state: CaState,
    /// Delivered in this reduction, segments.
    pub prr_delivered: u32,
    /// Sent in this reduction, segments.
    pub prr_out: u32,
    /// `snd_nxt` when recovery began.
    pub high_seq: u32,

    /// Segments sent and not cumulatively acknowledged.
    pub packets_out: u32,
    /// Of these, SACKed.
    pub sacked_out: u32,
    /// Of these, deemed lost.
    pub lost_out: u32,
    /// Retransmissions in flight.
    pub retrans_out: u32,
    /// Segments delivered, ever.
    pub delivered: u32,
    /// Of these, acknowledged with ECE.
    pub delivered_ce: u32,
    /// Segments marked lost, ever.
    pub lost: u32,
    /// Degree of reordering seen, segments.
    pub reordering: u32,

    /// Smoothed RTT, microseconds << 3.
    pub srtt_us: u32,
    /// Minimum RTT of the last five minutes, microseconds.
    pub rtt_min: Minmax,
    /// `delivered` until which samples are application-limited; 0: none.
    pub app_limited: u32,
    /// When data were last delivered, microseconds.
    pub delivered_mstamp: u64,
    /// When the most recently delivered segment was sent, microseconds.
    pub first_tx_mstamp: u64,
    /// Last full rate sample: segments.
    pub rate_delivered: u32,
    /// Last full rate sample: microseconds.
    pub rate_interval_us: u32,
    /// The last sample was application-limited.
    pub rate_app_limited: bool,
    /// When data were last sent, jiffies.
    pub lsndtime: u32,
    /// Earliest departure time of the next packet, nanoseconds.
    pub wstamp_ns: u64,

    /// `sk_pacing_rate`, bytes a second; `u64::MAX`: unlimited.
    pub pacing_rate: u64,
    /// What it may be at most (`SO_MAX_PACING_RATE`).
    pub max_pacing_rate: u64,
    /// `sk_pacing_shift`.
    pub pacing_shift: u8,
    /// `sk_pacing_status`.
    pub pacing_status: Pacing,
    /// `gso_max_size` of the device, bytes.
    pub gso_max_size: u32,
    /// What of it is not headers: 6.12's `sk_gso_max_size`. src: linux@6.12 net/core/sock.c sk_dst_gso_max_size; linux@4.14 net/ipv4/tcp_output.c
    /// tcp_tso_autosize takes as much off
    pub gso_payload: u32,
    /// `tcp_min_tso_segs`.
    pub min_tso_segs: u32,
    /// Bytes of IPv4 and TCP headers without SACK blocks: what makes `mss_cache` a packet (`tcp_mss_to_mtu`).
    pub header_len: u32,
    /// What both ends have promised of congestion marks (`ecn_flags`).
    pub ecn: Ecn,
}

impl Tp {
    /// A socket that has not connected. src: linux@6.12 net/ipv4/tcp.c tcp_init_sock
    pub fn new(hz: u32, start_seq: u32) -> Tp {
        Tp {
            clock: Clock::new(hz),
            snd_una: start_seq,
            snd_nxt: start_seq,
            write_seq: start_seq,
            snd_wnd: 0,
            max_window: 0,
            mss_cache: 536,
            snd_cwnd: 10,
            snd_ssthresh: INFINITE_SSTHRESH,
            snd_cwnd_cnt: 0,
            snd_cwnd_clamp: u32::MAX,
            snd_cwnd_used: 0,
            snd_cwnd_stamp: 0,
            prior_cwnd: 0,
            prior_ssthresh: 0,
            counts_acks: false,
            rate_by_newest: true,
            limits: Limits::Remembered,
            is_cwnd_limited: false,
            max_packets_out: 0,
            cwnd_usage_seq: start_seq,
            ca_state: CaState::Open,
            prr_delivered: 0,
            prr_out: 0,
            high_seq: start_seq,
            packets_out: 0,
            sacked_out: 0,
            lost_out: 0,
            retrans_out: 0,
            delivered: 0,
            delivered_ce: 0,
            lost: 0,
            reordering: 3,
            srtt_us: 0,
            rtt_min: Minmax::new(0, u32::MAX),
            app_limited: u32::MAX,
            delivered_mstamp: 0,
            first_tx_mstamp: 0,
            rate_delivered: 0,
            rate_interval_us: 0,
            rate_app_limited: true,
            lsndtime: 0,
            wstamp_ns: 0,
            pacing_rate: u64::MAX,
            max_pacing_rate: u64::MAX,
            pacing_shift: 10,
            pacing_status: Pacing::None,
            gso_max_size: 65_536,
            gso_payload: 65_536,
            min_tso_segs: 2,
            header_len: 52,
            ecn: Ecn::default(),
        }
    }
    /// Segments that have left the network without being cumulatively acknowledged.
    #[inline]
    pub const fn left_out(&self) -> u32 {
        self.sacked_out + self.lost_out
    }
    /// `tcp_packets_in_flight`, segments.
    #[inline]
    pub const fn in_flight(&self) -> u32 {
        (self.packets_out + self.retrans_out).saturating_sub(self.left_out())
    }
    /// `tcp_in_slow_start`.
    #[inline]
    pub const fn in_slow_start(&self) -> bool {
        self.snd_cwnd < self.snd_ssthresh + self.counts_acks as u32
    }
    /// `tcp_in_initial_slowstart`.
    pub const fn in_initial_slow_start(&self) -> bool {
        self.snd_ssthresh >= INFINITE_SSTHRESH
    }
    /// `tcp_in_cwnd_reduction`.
    #[inline]
    pub fn in_cwnd_reduction(&self) -> bool {
        matches!(self.ca_state, CaState::Cwr | CaState::Recovery)
    }
    /// `tcp_is_cwnd_limited`: only a window that limits may grow; in slow start, half of it in use is enough.
    #[inline]
    pub const fn cwnd_limits(&self) -> bool {
        let half = self.snd_cwnd < 2 * self.max_packets_out;
        match self.limits {
            Limits::Remembered => self.is_cwnd_limited || (self.in_slow_start() && half),
            Limits::Measured if self.in_slow_start() => half,
            Limits::Measured | Limits::OnAck => self.is_cwnd_limited,
        }
    }
    /// `tcp_current_ssthresh`: what to remember of the path when sending pauses.
    pub fn current_ssthresh(&self) -> u32 {
        if self.in_cwnd_reduction() {
            self.snd_ssthresh
        } else {
            self.snd_ssthresh.max((self.snd_cwnd >> 1) + (self.snd_cwnd >> 2))
        }
    }
    /// Minimum RTT, microseconds.
    #[inline]
    pub const fn min_rtt_us(&self) -> u32 {
        self.rtt_min.get()
    }
    /// End of the peer's window (`tcp_wnd_end`).
    #[inline]
    pub const fn wnd_end(&self) -> u32 {
        self.snd_una.wrapping_add(self.snd_wnd)
    }
    /// Bytes (and FIN) written and not sent.
    #[inline]
    pub const fn unsent(&self) -> u32 {
        self.write_seq.wrapping_sub(self.snd_nxt)
    }
}
