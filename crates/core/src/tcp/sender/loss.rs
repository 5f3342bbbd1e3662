//! What loss recovery remembers between ACKs: what an undo needs, the tail loss probe that is out, and the timeouts in a row.
//! `recovery` says what is done with them.

/// What an undo needs to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undo {
    /// `snd_una` when the reduction began; none: nothing to undo.
    pub marker: Option<u32>,
    /// Retransmissions whose DSACK is missing; negative: none was made yet.
    pub retrans: i32,
    /// Timestamp of the first retransmission; 0: none.
    pub retrans_stamp: u32,
}

/// The probe under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tlp {
    /// `snd_nxt` when it was sent; none: no probe is out.
    pub high_seq: Option<u32>,
    /// It was a retransmission.
    pub retrans: bool,
}

/// What timeouts remember.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rto {
    /// Timeouts in a row without progress.
    pub retransmits: u32,
    /// Window probes in a row without an answer (`icsk_probes_out`).
    pub probes: u32,
    /// When the first of them was sent, jiffies.
    pub probed_since: Option<u64>,
    /// When the peer last acknowledged anything, jiffies (`rcv_tstamp`).
    pub heard: u64,
    /// When the first timeout of a row was, by the clock of timestamps (`rto_stamp`).
    pub since: Option<u32>,
    /// How long earlier rows took to get over, milliseconds (`total_rto_time`).
    pub spent_ms: u64,
    /// F-RTO is under way.
    pub frto: bool,
}
