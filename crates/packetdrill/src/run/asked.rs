//! What a program asked of a descriptor before it had a connection: kept for that.

use crate::fastopen::Keys;
use wavetank_core::tcp::{Cc, Keepalive};

/// What was set on a descriptor before it had a connection.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Asked {
    pub sndbuf: Option<u32>,
    pub rcvbuf: Option<u64>,
    pub max_seg: Option<u32>,
    pub nodelay: Option<bool>,
    pub cork: Option<bool>,
    pub cc: Option<Cc>,
    pub notsent_lowat: Option<u32>,
    pub user_timeout: Option<u32>,
    pub linger_0: bool,
    /// `TCP_SYNCNT`.
    pub syn_retries: Option<u32>,
    /// `SO_KEEPALIVE`.
    pub keepalive: bool,
    /// `TCP_KEEPIDLE`, `TCP_KEEPINTVL`, seconds, and `TCP_KEEPCNT`.
    pub keep_idle: Option<u32>,
    pub keep_interval: Option<u32>,
    pub keep_probes: Option<u32>,
    /// `TCP_LINGER2`.
    pub linger2: i32,
    /// `SO_RCVLOWAT`.
    pub rcvlowat: Option<u32>,
    /// `SO_MAX_PACING_RATE`.
    pub max_pacing_rate: Option<u64>,
    /// `TCP_FASTOPEN_CONNECT`.
    pub fastopen_connect: bool,
    /// `TCP_FASTOPEN_NO_COOKIE`.
    pub no_cookie: bool,
    /// `TCP_FASTOPEN_KEY`.
    pub keys: Option<Keys>,
    /// `TCP_INQ`.
    pub inq: bool,
    /// `SO_ZEROCOPY`.
    pub zerocopy: bool,
    /// `SO_TIMESTAMPING`.
    pub timestamping: u32,
}

impl Asked {
    /// `keepalive_time_when` and its like: what it did not say is the host's.
    pub fn keepalive(&self, host: &Keepalive) -> Keepalive {
        Keepalive {
            on: self.keepalive,
            idle_s: self.keep_idle.unwrap_or(host.idle_s),
            interval_s: self.keep_interval.unwrap_or(host.interval_s),
            probes: self.keep_probes.unwrap_or(host.probes),
        }
    }
}
