//! What an ACK turned out to be. src: linux@6.12 net/ipv4/tcp_input.c FLAG_*

/// It carries data.
pub const DATA: u32 = 0x01;
/// It updates the peer's window.
pub const WIN_UPDATE: u32 = 0x02;
/// It acknowledges new data.
pub const DATA_ACKED: u32 = 0x04;
/// Some of it was retransmitted.
pub const RETRANS_DATA_ACKED: u32 = 0x08;
/// It acknowledges the SYN.
pub const SYN_ACKED: u32 = 0x10;
/// It SACKs new data.
pub const DATA_SACKED: u32 = 0x20;
/// It has ECE.
pub const ECE: u32 = 0x40;
/// It shows that a retransmission was lost.
pub const LOST_RETRANS: u32 = 0x80;
/// It acknowledges or SACKs what was never retransmitted.
pub const ORIG_SACK_ACKED: u32 = 0x200;
/// `snd_una` moved.
pub const SND_UNA_ADVANCED: u32 = 0x400;
/// It DSACKs.
pub const DSACKING_ACK: u32 = 0x800;
/// The transmit timer is to be set.
pub const SET_XMIT_TIMER: u32 = 0x1000;
/// The head is SACKed and not acknowledged.
pub const SACK_RENEGING: u32 = 0x2000;
/// It was probably delayed.
pub const MAYBE_DELAYED: u32 = 0x10000;
/// It DSACKs a tail loss probe.
pub const DSACK_TLP: u32 = 0x20000;
/// Something was acknowledged.
pub const ACKED: u32 = DATA_ACKED | SYN_ACKED;
/// It is not a duplicate.
pub const NOT_DUP: u32 = DATA | WIN_UPDATE | ACKED;
/// Congestion control must look.
pub const CA_ALERT: u32 = DATA_SACKED | ECE | DSACKING_ACK;
/// Something was delivered.
pub const FORWARD_PROGRESS: u32 = ACKED | DATA_SACKED;
