//! Probes of the path's MTU: when one is sent, of what, and what its end means.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_mtu_probe`, `tcp_can_coalesce_send_queue_head`; net/ipv4/tcp_input.c
//! `tcp_mtup_probe_success`, `tcp_mtup_probe_failed`, `tcp_simple_retransmit`; net/ipv4/tcp_timer.c `tcp_mtu_probing`; of routes net/ipv4/route.c
//! `ipv4_default_advmss`, `ipv4_mtu`, net/core/dst.c `dst_dev_put`. Off unless somebody gave the socket a route
//! ([`Socket::set_route`]): simulations have none. Differs: D1 what is lost with a probe goes again after the rest of the ACK was taken. D2 a route
//! that is no more is at once the dead one's; Linux takes a moment (RCU).

use crate::sim::Lower;
use crate::tcp::options::BARE_HEADERS;
use crate::tcp::sender::mtup::{Held, Mtup, Out, Probing, Route};
use crate::tcp::seq::{after, before};
use crate::tcp::socket::Socket;
use crate::tcp::tp::CaState;

/// src: linux@6.12 include/net/tcp.h TCP_MIN_SND_MSS
const LEAST_MSS: u32 = 48;
/// What a route announces at least, where it does not say. src: linux@6.12 net/ipv4/route.c DEFAULT_MIN_ADVMSS (`ip_rt_min_advmss`)
const LEAST_ADVMSS: u32 = 256;
/// A probe takes the place of so many segments of a window, at least.
const LEAST_WINDOW: u32 = 11;

/// What came of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tcp) enum Probed {
    /// Nothing is sent until there is room for it.
    Waits,
    /// It was sent.
    Sent,
    /// This is not the time.
    No,
}

impl Socket {
    /// The route to the peer, and whether its MTU is searched. Call this before the connection opens.
    pub fn set_route(&mut self, r: Route, probing: Probing) {
        let host = self.params.init_cwnd;
        let held = self.held(&r, host);
        self.mtup = Some(Box::new(Mtup { init_cwnd: host, ..Mtup::new(probing, held, r.advmss) }));
        self.params.init_cwnd = held.init_cwnd;
    }
    fn held(&self, r: &Route, host_window: u32) -> Held {
        let mtu = r.mtu.unwrap_or(self.mtu).min(self.mtu);
        Held { mtu, own: r.mtu.is_some(), init_cwnd: r.init_cwnd.unwrap_or(host_window) }
    }
    /// The route has changed: the socket sees it once something has left. Until then it holds the old one, which is no device's any more: its MTU
    /// is that of a device that stands for none, unless the route itself had one.
    pub fn route_changes(&mut self, r: &Route) {
        let old = self.held(&Route::default(), self.params.init_cwnd);
        let host = self.mtup.as_ref().map_or(old.init_cwnd, |m| m.init_cwnd);
        let new = self.held(r, host);
        let m = self.mtup.get_or_insert_with(|| Box::new(Mtup::new(Probing::default(), old, None)));
        m.route.1 = new;
        if !m.route.0.own {
            m.route.0.mtu = self.profile.no_device_mtu;
        }
    }
    /// Something leaves by the route that there is (`ip_queue_xmit`).
    #[inline]
    pub(in crate::tcp) fn takes_route(&mut self) {
        if let Some(m) = self.mtup.as_mut().filter(|m| m.route.0 != m.route.1) {
            m.route.0 = m.route.1;
            self.params.init_cwnd = m.route.1.init_cwnd;
        }
    }
    /// Nothing was heard for longer still: the socket holds no route (`tcp_retransmit_timer`).
    pub(in crate::tcp) fn drops_route(&mut self) {
        if let Some(m) = &mut self.mtup {
            m.drop_route();
        }
    }
    /// `tcp_mtu_probing`: nothing was heard for as long as `tcp_retries1` timeouts, so that the path may take less than what goes again. Then the
    /// route is looked up anew, which is not looked at before something leaves by it (`ipv4_negative_advice`).
    pub(in crate::tcp) fn suspect_mtu(&mut self) {
        let (header, now) = (self.header_len(), self.tp.clock.j32());
        let Some(mut m) = self.mtup.take() else { return };
        if m.probing.detects && !m.enabled {
            (m.enabled, m.stamp) = (true, now);
        } else if m.probing.detects {
            let mss = (self.mtu_to_mss(m.range.0) >> 1).min(m.probing.base_mss);
            let least = if self.profile.mtu_probe_floor { LEAST_MSS } else { 68 + 20 - header };
            m.range.0 = mss.max(least) + header;
        }
        if m.route.0 != m.route.1 {
            m.drop_route();
        }
        let detects = m.probing.detects;
        self.mtup = Some(m);
        if detects {
            self.sync_mss();
        }
    }

    /// What a SYN announces, as the MTU that it would be of.
    pub(in crate::tcp) fn announced(&self) -> u32 {
        let Some(m) = &self.mtup else { return self.mtu };
        let of_route = m.advmss.unwrap_or_else(|| m.route.1.mtu.saturating_sub(BARE_HEADERS).max(LEAST_ADVMSS));
        self.mtu.min(of_route + BARE_HEADERS)
    }

    /// `tcp_mtu_to_mss`.
    pub(in crate::tcp) fn mtu_to_mss(&self, mtu: u32) -> u32 {
        let bare = mtu.saturating_sub(BARE_HEADERS).min(self.mss_clamp).max(LEAST_MSS);
        bare - (self.header_len() - BARE_HEADERS)
    }

    /// `tcp_mtup_init`.
    pub(in crate::tcp) fn mtup_init(&mut self) {
        let header = self.header_len();
        let Some(m) = &mut self.mtup else { return };
        m.enabled = m.probing.on;
        m.range = (m.probing.base_mss + header, self.mss_clamp + BARE_HEADERS);
        m.out = None;
        m.stamp = self.tp.clock.j32();
    }

    /// `tcp_current_mss`, where the route has changed.
    pub(in crate::tcp) fn look_at_route(&mut self) {
        let Some(m) = self.mtup.as_mut().filter(|m| m.cookie != m.route.0.mtu && !m.writes) else { return };
        m.cookie = m.route.0.mtu;
        self.sync_mss();
    }

    /// `tcp_mtu_probe`.
    pub(in crate::tcp) fn mtu_probe<L: Lower>(&mut self, low: &mut L) -> Probed {
        let Some(m) = self.mtup.as_ref().filter(|m| m.enabled && m.out.is_none()) else { return Probed::No };
        if self.tp.ca_state != CaState::Open || self.tp.snd_cwnd < LEAST_WINDOW || self.rcv.sack_blocks() > 0 {
            return Probed::No;
        }
        let (next, top) = (m.next(), self.mtu_to_mss(m.range.1));
        let size = next.map(|n| self.mtu_to_mss(n)).filter(|s| *s <= top);
        let Some(size) = size else {
            self.search_anew();
            return Probed::No;
        };
        let needed = u64::from(size) + u64::from(self.tp.reordering + 1) * u64::from(self.tp.mss_cache);
        if u64::from(self.tp.unsent()) < needed || u64::from(self.tp.snd_wnd) < needed {
            return Probed::No;
        }
        if after(self.tp.snd_nxt.wrapping_add(needed as u32), self.tp.wnd_end()) {
            return Probed::Waits;
        }
        let in_flight = self.tp.in_flight();
        if in_flight + 2 > self.tp.snd_cwnd {
            return if in_flight == 0 { Probed::No } else { Probed::Waits };
        }
        self.app.sent(&self.tp);
        let seq = self.tp.snd_nxt;
        let end = seq.wrapping_add(size);
        if !self.one_skb_may_reach(end) {
            return Probed::No;
        }
        let truesize = self.cost.of(size);
        if self.send_new(size, size, truesize, low).is_err() {
            return Probed::No;
        }
        // It stands for two packets.
        self.tp.snd_cwnd -= 1;
        let size = size + self.header_len();
        if let Some(m) = &mut self.mtup {
            m.out = Some(Out { size, seq: (seq, end) });
        }
        Probed::Sent
    }

    /// `tcp_can_coalesce_send_queue_head`.
    fn one_skb_may_reach(&self, end: u32) -> bool {
        let (first, _) = self.app.head_skb(&self.tp);
        let first = self.tp.snd_nxt.wrapping_add(first);
        if !before(first, end) {
            return true;
        }
        let eor = self.app.eors.iter().any(|e| before(*e, end));
        let told = self.app.told.as_ref().is_some_and(|t| t.stamps.any_between(self.tp.snd_nxt, end));
        !eor && !told
    }

    /// `tcp_mtu_check_reprobe`.
    fn search_anew(&mut self) {
        let now = self.tp.clock.j32();
        let (low, high) = (self.current_mss() + self.header_len(), self.mss_clamp + BARE_HEADERS);
        let hz = self.tp.clock.hz;
        let Some(m) = &mut self.mtup else { return };
        if now.wrapping_sub(m.stamp) >= m.probing.interval_s.saturating_mul(hz) {
            (m.range, m.stamp) = ((low, high), now);
        }
    }

    /// Something was acknowledged: perhaps the probe (`tcp_mtup_probe_success`).
    pub(in crate::tcp) fn probe_is_through(&mut self) {
        let una = self.tp.snd_una;
        let header = self.header_len();
        let Some(m) = self.mtup.as_mut().filter(|m| m.out.is_some_and(|o| !after(o.seq.1, una))) else { return };
        let size = u64::from(m.ends(Some(true)));
        let tp = &mut self.tp;
        tp.prior_ssthresh = tp.current_ssthresh();
        // As many bytes, in longer packets.
        let cwnd = u64::from(tp.snd_cwnd) * u64::from(tp.mss_cache + header) / size;
        tp.snd_cwnd = (cwnd as u32).max(1);
        tp.snd_cwnd_cnt = 0;
        tp.snd_cwnd_stamp = tp.clock.j32();
        tp.snd_ssthresh = tp.current_ssthresh();
        self.sync_mss();
    }

    /// Where something is lost: true, it is the probe, which was too long, and says nothing of the network (`tcp_mtup_probe_failed`).
    pub(in crate::tcp) fn probe_is_lost(&mut self) -> bool {
        let (una, state) = (self.tp.snd_una, self.tp.ca_state);
        let Some(m) = self.mtup.as_mut().filter(|m| state < CaState::Cwr && m.out.is_some_and(|o| o.seq.0 == una))
        else {
            return false;
        };
        m.ends(Some(false));
        self.tp.snd_cwnd += 1;
        self.look_at_route();
        let mss = self.current_mss();
        let mut id = self.rtx.first();
        while id != self.rtx.end() {
            if self.rtx.get(id).len() > mss {
                self.sb.mark_lost(&mut self.tp, &mut self.rtx, &mut self.ca, id);
            }
            id = id.wrapping_add(1);
        }
        if self.tp.lost_out > 0 {
            self.lost_without_congestion();
        }
        true
    }
}
