//! What a host is set to and no scenario sets: the sysctls that scripts ask for.
//!
//! Stands for: `struct netns_ipv4` of Linux 6.12 and its first values, net/ipv4/tcp_ipv4.c `tcp_sk_init`. Differs: nothing; what else a
//! host has is with those who use it (`patience`, `mtup`, `config`).

use crate::sim::Span;

/// The sysctls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sysctls {
    /// How long an ACK of what came early is held back at most (`tcp_comp_sack_delay_ns`).
    pub comp_sack_delay: Span,
    /// How much later its timer may fire (`tcp_comp_sack_slack_ns`); none: as the kernel profile says.
    pub comp_sack_slack: Option<Span>,
    /// So many are held back in a row (`tcp_comp_sack_nr`).
    pub comp_sack_nr: u8,
    /// Segments that the degree of reordering may reach (`tcp_max_reordering`).
    pub max_reordering: u32,
    /// Receive buffers follow what their program reads (`tcp_moderate_rcvbuf`).
    pub moderate_rcvbuf: bool,
    /// The receive buffer, halved this often, is the program's (`tcp_app_win`); 0: nothing, and no segment is reserved.
    pub app_win: u8,
    /// How long a least round trip counts, seconds (`tcp_min_rtt_wlen`).
    pub min_rtt_wlen_s: u32,
    /// What came twice is told (`tcp_dsack`).
    pub dsack: bool,
    /// Short segments go again together (`tcp_retrans_collapse`).
    pub retrans_collapse: bool,
    /// What a call to write leaves short waits while other skbs are below (`tcp_autocorking`).
    pub autocorking: bool,
    /// Replies in a row after which ACKs ride on data (`tcp_pingpong_thresh`); none: as the kernel profile says.
    pub pingpong_thresh: Option<u8>,
    /// What is out of the window is answered once in so many milliseconds (`tcp_invalid_ratelimit`).
    pub invalid_ratelimit_ms: u32,
}

impl Default for Sysctls {
    /// src: linux@6.12 net/ipv4/tcp_ipv4.c tcp_sk_init
    fn default() -> Sysctls {
        Sysctls {
            comp_sack_delay: Span::from_ms(1),
            comp_sack_slack: None,
            comp_sack_nr: 44,
            max_reordering: 300,
            moderate_rcvbuf: true,
            app_win: 31,
            min_rtt_wlen_s: 300,
            dsack: true,
            retrans_collapse: true,
            autocorking: true,
            pingpong_thresh: None,
            invalid_ratelimit_ms: 500,
        }
    }
}
