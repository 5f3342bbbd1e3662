//! What a profile's fields choose among, where a kernel had more than two ways.

/// What an ACK says of a recovery that has sent nothing again yet (`tcp_packet_delayed`, where `retrans_stamp` is 0): small queues may hold
/// its retransmissions back, and what was to go again may still be in this host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unstamped {
    /// That it was late, so that all is undone. Only what went again is stamped. src: linux@4.19 net/ipv4/tcp_output.c tcp_retransmit_skb
    Late,
    /// Nothing; and what was tried is stamped, too, by when it went first: from 5.1 (7ae189759cc4).
    Silent,
    /// That it was late, but without SACK and in a handshake; a recovery forgets the stamp of what was retransmitted before it: the series of
    /// late 2024 ("tcp: fix tcp_enter_recovery() to zero retrans_stamp when it's safe"), in 6.12.y and late stable kernels.
    LateBySack,
}

/// How a sender with SACK finds out what is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detection {
    /// FACK: what lies more than the degree of reordering below the highest SACKed segment, and retransmissions by what was sent after them.
    /// From the first reordering on as `Count`. Early retransmit (RFC 5827) and forward retransmissions. Until 4.12 (94bdc9785a turned FACK
    /// off, bec41a11dd3d and 840a3cbe8969 removed the other two).
    Fack,
    /// As many SACKed segments above it as the degree of reordering (RFC 6675); RACK of its first form beside it (4.12 to 4.17).
    Count,
    /// RACK, with that number in it (4.18, 20b654dfe1be and b38a51fec1c1).
    Rack,
}

/// When a timeout at a window that the peer has shut over what is out ends the connection (`tcp_retransmit_timer`,
/// `tcp_rtx_probe0_timed_out`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShutEnds {
    /// Nothing was heard for two minutes. Until e89688e3e978 (6.6 and stable).
    Silent,
    /// Nothing was heard for four minutes by the time of the timer, and nothing acknowledged for as long: 5.15.148. The time is unsigned there.
    SilentTwice,
    /// The same, or as long as `TCP_USER_TIMEOUT` says, which alone is enough where nothing is acknowledged for so many *jiffies* as it has
    /// milliseconds: from 97a9063518f1 (6.10 and stable; 6.1.192 and 6.6.129 read, 5.10.262 taken to be so).
    UserJiffies,
    /// So many milliseconds: 6.12.
    User,
}

/// How many bytes a round trip must bring for the receive buffer to grow, at first (`rcvq_space.space`; `tcp_init_buffer_space`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstSpace {
    /// The first window. Until 5.0 and 4.19.86.
    Window,
    /// That, or ten segments: 041a14d26715, 5.0.
    Segments,
    /// That, or as far as the window may grow by what has come: 72d05c00d7ec, 5.10.
    Threshold,
}

/// When a tail loss probe is armed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProbeRule {
    /// In Open, where the RTO's timer runs and no more can be sent; after two RTTs, 10 ms at least, a lone segment's after one and a half and
    /// 200 ms (3.10 to 4.12).
    Early,
    /// In Open, where no more can be sent; a lone segment's 200 ms after two RTTs (4.13 to 4.15).
    NoRoom,
    /// In Open and CWR (b4f70c3d4ec3, 4.16).
    Any,
}

/// When TSQ lets an skb pass although the limit is exceeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exempt {
    /// The skb is the first or second that is not yet acknowledged (4.11-4.14, 75eefc6c59fd).
    FirstOrSecond,
    /// Nothing is in flight (4.15-6.6, 75c119afe14f).
    Empty,
    /// None (before 4.11).
    Nobody,
    /// At most one skb is in flight (6.7 and stable of late 2023, f921a4a5bffa).
    EmptyOrSingle,
}

/// How much a PRR round may send below ssthresh.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prr {
    /// Slow start, always (before 3759824da87b, 4.3).
    SlowStart,
    /// Slow start only when a retransmission was acknowledged and none was lost (before 5.16).
    RetransAcked,
    /// Slow start while `snd_una` advances and nothing is newly lost, else what was delivered (7e901ee7b6ab, in 5.15).
    SndUnaOnly,
    /// The same; what earlier ACKs let go and was not sent may go at any time (9ad084d66619, of 2022: in 6.1).
    SndUnaAdvanced,
}

/// How many pages are set aside for a socket that has too little left for what is to be charged (`sk_forward_alloc`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetsAside {
    /// As many as that takes, whatever is left; and pages stay (`__sk_mem_schedule`, until 2022).
    Whole,
    /// As many as are missing (7c80b038d23e, c4ee118561a0; 6.0 and stable of mid 2022).
    Missing,
    /// The same, and no whole page stays (`sk_mem_uncharge`, from 4890b686f408, 6.0).
    Returned,
}

/// What `SO_RCVLOWAT` does, of a reader that waits in a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lowat {
    /// It says when the call returns, no more: every segment wakes the reader, who takes it (before 4.18; seen on 4.14.67 as it runs).
    Returns,
    /// Less does not wake the reader, and what is asked for before a connection bounds its window (4.18, 03f45c883c6f and d1361840f8c5).
    Clamps,
    /// Less does not wake the reader; a window's bound grows with it only where there is one already (`tcp_set_rcvlowat`, 6.12.y of late 2025).
    Waits,
}

/// Which of what came early is given up where memory is short (tcp_input.c `tcp_prune_ofo_queue`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prune {
    /// All of it (before 4.9).
    All,
    /// From its end on, until there is room (36a6503fedda, 4.9).
    Each,
    /// From its end on by an eighth of the buffer at once; what runs of neighbours are one small skb is not copied (58152ecbbcc6 and 3d4bf93ac120,
    /// 4.18 and stable).
    Eighth,
    /// The same, but nothing that begins before what comes (6.6 so, 6.1 not).
    Behind,
}

impl Prune {
    /// Runs that are one skb of less than a page are not collapsed.
    pub const fn spares_tiny(self) -> bool {
        matches!(self, Prune::Eighth | Prune::Behind)
    }
}

/// How DCTCP knows what part was marked, and what a loss does to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DctcpMarks {
    /// By the bytes that ACKs with and without ECE acknowledge, a duplicate's an MSS; a loss takes what the mean says: in 4.14.67.
    Bytes,
    /// The same; a loss takes a half (`dctcp_react_to_loss`): in 4.19.48.
    BytesAndLosses,
    /// By the segments that were delivered: in 5.4.59.
    Segments,
}

/// Where HyStart looks whether a round is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HystartRounds {
    /// Where the window may grow (`bictcp_cong_avoid`, before 5.16).
    Growth,
    /// On every ACK that it judges, so from `hystart_low_window` on: 4e1fddc98d25 (5.16) as 5.10.262 and 5.15.148 have it.
    Judged,
    /// On every ACK: in 6.1.192, 6.6.129 and 6.12.117 `hystart_update` asks for the window afterwards.
    Ack,
}

/// What a control's window grows by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growth {
    /// What is acknowledged (from 4.0). Before, slow start held at the threshold too and ended one above it, whatever an ACK had left over
    /// (until 4.3, 76174004a0f1), and a step above it took one ACK more than segments in the window.
    Segments,
    /// That in slow start (9f9843a751d0, 3.13), ACKs above (before 814d488c6126 and c22bdca94782, 4.0).
    AcksAbove,
    /// ACKs, whatever each acknowledges.
    Acks,
}

/// When a window limits, so that it may grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Limits {
    /// As an ACK comes: what was in flight filled it but for what GSO may hold back (before 3.16, e114a710aa50).
    OnAck,
    /// It stopped the sender as the window was last measured; in slow start, if less than twice what was out.
    Measured,
    /// Either of the two, and the former is remembered for a whole window (f4ce91ce12a7, 6.1 and stable of late 2022).
    #[default]
    Remembered,
}

/// When an skb that could grow does not wait for more window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TsoDefer {
    /// In Open, for less than two jiffies (before 4.0, 5f852eb536ad).
    TwoTicks,
    /// The head was sent less than half an RTT ago, or nothing was sent in this jiffy (4.14, 4.19).
    HalfRttInJiffy,
    /// The head was sent less than half an RTT ago, or nothing was sent for a millisecond (5.x, EDT).
    HalfRtt,
    /// The next ACK is due in more than half an RTT or a millisecond ("tcp: fix tcp_tso_should_defer() vs large RTT", 2025, in 6.12.y).
    NextAck,
}

/// How much `tcp_rcv_space_adjust` makes a receive buffer larger than what was read in a round trip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RightSizing {
    /// Half as much again where that grew by a quarter, twice where it grew by half (until 4.15).
    Steps,
    /// In proportion to its growth (c3916ad9320e, 4.16).
    Growth,
    /// The same; what is not read yet does not count ("tcp: receive side improvements", a series of May 2025, in 6.12.y).
    GrowthLessUnread,
}

/// Which round trips a receiver takes from timestamps, and which lower its estimate at once (`tcp_rcv_rtt_measure_ts`, `tcp_rcv_rtt_update`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RcvRtt {
    /// One of less than a millisecond counts as one; only a window's time lowers at once.
    Windows,
    /// The same floor; whatever is less lowers (stable releases of 2025).
    Any,
    /// That of less than a millisecond is left out; whatever is less lowers (6.16, and 6.12.y of 2025).
    AnyMeasured,
}

/// How long an ACK is delayed at most, what is remembered of the delay (`tcp_send_delayed_ack`, `tcp_event_data_recv`, `tcp_delack_timer_handler`) and
/// what is told of it (`tcp_get_info`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DelayedAcks {
    /// Half a second, 200 ms after a PSH or in pingpong mode; up to the retransmission timeout is remembered (before 5.10).
    Half,
    /// 200 ms (`icsk_delack_max`), and what is remembered is as before: from 5.10 to 6.1.192.
    Max,
    /// The same, and no more than 200 ms are told of as `tcpi_ato`: in 6.6.129.
    MaxTold,
    /// Less than the least timeout (`tcp_delack_max`), and at most 200 ms are remembered: in 6.12. (6.6.129 has that function, too, but a route's least
    /// timeout alone counts there.)
    BelowLeastTimeout,
}
