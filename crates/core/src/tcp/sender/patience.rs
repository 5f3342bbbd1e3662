//! How long a connection goes on without hearing anything: what its host says of that.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_timer.c `tcp_model_timeout`, `tcp_orphan_retries`; `net.ipv4.tcp_retries2` and its like. Differs: D1
//! `tcp_orphan_retries` knows nothing of ICMP (`sk_err_soft`). What is done at the end is `recovery::rto`'s.

use super::rtt::RTO_MAX_S;

/// The sysctls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// Timeouts in a row that data are sent again for, counted as from 200 ms (`tcp_retries2`); window probes without an answer.
    pub retries: u32,
    /// After so many, counted likewise, the route and the path's MTU are doubted (`tcp_retries1`).
    pub doubts: u32,
    /// As `retries` once the program has closed (`tcp_orphan_retries`); 0: eight.
    pub orphan_retries: u32,
    /// A SYN-ACK goes again so often at most (`tcp_synack_retries`).
    pub synack_retries: u32,
    /// So many timeouts of a SYN do not double (`tcp_syn_linear_timeouts`); none: as the kernel profile says.
    pub syn_linear_timeouts: Option<u32>,
    /// FIN_WAIT2 of a program that has closed lasts so long, seconds (`tcp_fin_timeout`).
    pub fin_timeout_s: u32,
}

impl Default for Patience {
    /// src: linux@6.12 net/ipv4/tcp_ipv4.c tcp_sk_init
    fn default() -> Patience {
        Patience {
            retries: 15,
            doubts: 3,
            orphan_retries: 0,
            synack_retries: 5,
            syn_linear_timeouts: None,
            fin_timeout_s: 60,
        }
    }
}

impl Patience {
    /// `tcp_orphan_retries`, and `tcp_retries2` for who has not closed. `alive`: the timeout has not reached its maximum.
    pub const fn most(&self, orphan: bool, alive: bool) -> u32 {
        match (orphan, self.orphan_retries) {
            (false, _) => self.retries,
            (true, 0) if alive => 8,
            (true, n) => n,
        }
    }
}

/// `tcp_model_timeout`: how long so many timeouts take that double from `base_ms` on, milliseconds.
pub const fn model_timeout_ms(boundary: u32, base_ms: u32) -> u64 {
    let most = RTO_MAX_S as u64 * 1_000;
    let doubling = (most as u32 / base_ms).ilog2();
    let n = if boundary < doubling { boundary } else { doubling };
    ((2 << n) - 1) * base_ms as u64 + (boundary - n) as u64 * most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// src: linux@6.12 Documentation/networking/ip-sysctl.rst tcp_retries2, tcp_syn_retries
    #[test]
    fn the_default_is_that_of_the_manual() {
        assert_eq!(model_timeout_ms(Patience::default().retries, 200), 924_600);
        assert_eq!(model_timeout_ms(6, 1_000), 127_000);
        assert_eq!([0, 1, 2].map(|n| model_timeout_ms(n, 200)), [200, 600, 1_400]);
    }

    #[test]
    fn who_has_closed_waits_less() {
        let p = Patience::default();
        assert_eq!([p.most(false, true), p.most(true, true), p.most(true, false)], [15, 8, 0]);
        assert_eq!(Patience { orphan_retries: 3, ..p }.most(true, true), 3);
    }
}
