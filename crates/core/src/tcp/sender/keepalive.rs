//! Whether and how a program has asked that a connection on which nothing happens be probed.
//!
//! Stands for: Linux 6.12 `SO_KEEPALIVE`, `TCP_KEEPIDLE`, `TCP_KEEPINTVL`, `TCP_KEEPCNT`. Differs: nothing. What is sent is `recovery::idle`'s.

/// What it has asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keepalive {
    /// `SO_KEEPALIVE`.
    pub on: bool,
    /// Silence before the first probe, seconds.
    pub idle_s: u32,
    /// Between probes, seconds.
    pub interval_s: u32,
    /// Probes without an answer that end it.
    pub probes: u32,
}

impl Default for Keepalive {
    /// src: linux@6.12 include/net/tcp.h TCP_KEEPALIVE_TIME, TCP_KEEPALIVE_INTVL, TCP_KEEPALIVE_PROBES
    fn default() -> Keepalive {
        Keepalive { on: false, idle_s: 7_200, interval_s: 75, probes: 9 }
    }
}
