//! What is looked at from outside: counters. No algorithm reads them.

/// Counters of one socket; Linux's names (`nstat`) beside them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// Segments with payload sent, retransmissions included (`data_segs_out`).
    pub data_segs_out: u64,
    /// Pure ACKs sent.
    pub acks_out: u64,
    /// Segments retransmitted (`TCP_MIB_RETRANSSEGS`).
    pub retransmits: u64,
    /// Retransmission timeouts (`TcpExtTCPTimeouts`).
    pub rtos: u64,
    /// Rows of them (`total_rto_recoveries`).
    pub rto_recoveries: u64,
    /// Other hashes drawn after them (`timeout_rehash`).
    pub rehashes: u64,
    /// Tail loss probes (`TcpExtTCPLossProbes`).
    pub probes: u64,
    /// Fast recoveries (`TcpExtTCPSackRecovery`).
    pub recoveries: u64,
    /// Reductions that were undone.
    pub undos: u64,
    /// Reductions that F-RTO undid (`TcpExtTCPSpuriousRTOs`).
    pub spurious_rtos: u64,
    /// Packets that this host's own queue refused (`NET_XMIT_DROP`).
    pub own_drops: u64,
    /// Congestion that this host's own queue signalled (`NET_XMIT_CN`).
    pub own_cn: u64,
    /// Times that TSQ stopped a transmission.
    pub tsq_throttled: u64,
    /// Retransmissions that waited because the original was still in this host (`TcpExtTCPSpuriousRtxHostQueues`).
    pub host_queued: u64,
    /// DSACKs received.
    pub dsacks: u64,
    /// Delayed ACKs sent by their timer (`TcpExtDelayedACKs`).
    pub delayed_acks: u64,
    /// ACKs that were compressed away (`TcpExtTCPAckCompressed`).
    pub compressed_acks: u64,
    /// Segments without payload sent, but for SYN-ACKs, which belong to the request, and resets (`segs_out - data_segs_out`).
    pub bare_out: u64,
    /// Payload sent, retransmissions included (`bytes_sent`).
    pub bytes_sent: u64,
    /// Payload sent again (`bytes_retrans`).
    pub bytes_retrans: u64,
    /// Segments that came in (`segs_in`).
    pub segs_in: u64,
    /// Of these, with payload (`data_segs_in`).
    pub data_segs_in: u64,
    /// Of these, before what was expected (`rcv_ooopack`).
    pub early_segs_in: u64,
    /// Packets dropped for want of receive memory.
    pub rcv_drops: u64,
}
