//! How long a packet the path takes, found by sending longer ones: the search between what is known to get through and what the peer takes.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_mtup_init`, `tcp_mtu_probe`, `tcp_mtu_check_reprobe`, `tcp_sync_mss`; net/ipv4/tcp_input.c
//! `tcp_mtup_probe_failed`, `tcp_mtup_probe_success`. Differs: nothing. Which packets are sent is `output`'s.

/// `net.ipv4.tcp_mtu_probing` and its like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probing {
    /// It searches from the beginning (`tcp_mtu_probing` of 2).
    pub on: bool,
    /// It searches, in shorter segments, once timeouts tell of a black hole (`tcp_mtu_probing` of 1 or 2).
    pub detects: bool,
    /// Segment size that it begins with (`tcp_base_mss`).
    pub base_mss: u32,
    /// A range so small is not searched any more, bytes (`tcp_probe_threshold`).
    pub threshold: u32,
    /// After so many seconds it searches anew (`tcp_probe_interval`).
    pub interval_s: u32,
}

impl Default for Probing {
    /// src: linux@6.12 include/net/tcp.h TCP_BASE_MSS, TCP_PROBE_THRESHOLD, TCP_PROBE_INTERVAL
    fn default() -> Probing {
        Probing { on: false, detects: false, base_mss: 1_024, threshold: 8, interval_s: 600 }
    }
}

/// What the host's route to the peer says.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Route {
    /// What the path takes, bytes.
    pub mtu: Option<u32>,
    /// The segment size that is announced.
    pub advmss: Option<u32>,
    /// The first window, segments.
    pub init_cwnd: Option<u32>,
}

/// A route as a socket holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// What the path takes, bytes.
    pub mtu: u32,
    /// The route says so itself: else it is the device's.
    pub own: bool,
    /// The first window, segments, and that after a pause.
    pub init_cwnd: u32,
}

/// A probe that is out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Out {
    /// Its length, bytes of IP (`probe_size`).
    pub size: u32,
    /// Its first sequence number, and one past its last.
    pub seq: (u32, u32),
}

/// The search, and the route.
#[derive(Clone, Debug)]
pub struct Mtup {
    /// What the host says.
    pub probing: Probing,
    /// The segment size that is announced, if the route says.
    pub advmss: Option<u32>,
    /// What the path takes by the route that the socket holds, and by the one that it will hold once something leaves.
    pub route: (Held, Held),
    /// The host's first window, where a route says nothing of it.
    pub init_cwnd: u32,
    /// The former when the segment size was last worked out (`icsk_pmtu_cookie`).
    pub cookie: u32,
    /// A write is under way, which goes on with the segment size that it began with (`tcp_sendmsg`).
    pub writes: bool,
    /// It searches.
    pub enabled: bool,
    /// What gets through, and what may (`search_low`, `search_high`).
    pub range: (u32, u32),
    /// The probe.
    pub out: Option<Out>,
    /// When a search began, jiffies.
    pub stamp: u32,
}

impl Mtup {
    /// On a path that takes so much.
    pub fn new(probing: Probing, route: Held, advmss: Option<u32>) -> Mtup {
        Mtup {
            probing,
            advmss,
            route: (route, route),
            init_cwnd: route.init_cwnd,
            cookie: route.mtu,
            writes: false,
            enabled: false,
            range: (0, u32::MAX),
            out: None,
            stamp: 0,
        }
    }
    /// The socket holds no route any more (`sk_dst_reset`): none is looked at before something leaves.
    pub const fn drop_route(&mut self) {
        (self.route.0.mtu, self.route.0.own) = (self.cookie, true);
    }
    /// The length to try next; none: there is nothing worth trying.
    pub fn next(&self) -> Option<u32> {
        let (low, high) = self.range;
        (high.saturating_sub(low) >= self.probing.threshold).then_some((high + low) >> 1)
    }
    /// The probe is through, or lost: its length. Nobody knows: it went again.
    pub fn ends(&mut self, through: Option<bool>) -> u32 {
        let Some(p) = self.out.take() else { return 0 };
        match through {
            Some(true) => self.range.0 = p.size,
            Some(false) => self.range.1 = p.size - 1,
            None => {}
        }
        p.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_halves_its_range() {
        let mut m =
            Mtup::new(Probing { on: true, ..Probing::default() }, Held { mtu: 1_500, own: false, init_cwnd: 10 }, None);
        m.range = (552, 1_500);
        let mut tried = vec![];
        while let Some(size) = m.next() {
            tried.push(size);
            m.out = Some(Out { size, seq: (0, 0) });
            // The path takes 1200.
            m.ends(Some(size <= 1_200));
        }
        assert_eq!(tried, [1_026, 1_263, 1_144, 1_203, 1_173, 1_187, 1_194, 1_198]);
        assert_eq!(m.range, (1_198, 1_202), "what is left is less than the threshold");
    }
}
