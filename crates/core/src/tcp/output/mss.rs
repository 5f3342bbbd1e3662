//! How long a segment is: what the path takes, less options, and at most half of the peer's largest window.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_sync_mss`, `tcp_mtu_to_mss`, `tcp_current_mss`; include/net/tcp.h
//! `tcp_bound_to_half_wnd`.

use crate::tcp::options::{BARE_HEADERS, HEADERS, sack_len};
use crate::tcp::socket::Socket;
use crate::tcp::tp::Tp;

/// A segment where nothing is known of the peer's, and what tells a tiny window from others, bytes. src: linux@6.12 include/net/tcp.h
/// TCP_MSS_DEFAULT
pub(in crate::tcp) const DEFAULT: u32 = 536;
/// The shortest segment with its TCP header, bytes (`tcp_bound_to_half_wnd`).
const LEAST: u32 = 68;

/// `tcp_bound_to_half_wnd`: of `bytes`, what goes into half of the largest window that the peer has offered.
pub(in crate::tcp) fn bound_to_half_window(tp: &Tp, bytes: u32) -> u32 {
    let half = if tp.max_window > DEFAULT { tp.max_window >> 1 } else { tp.max_window };
    if half == 0 { bytes } else { bytes.min(half.max(LEAST + 20 - tp.header_len)) }
}

impl Socket {
    /// Bytes of IPv4 and TCP headers without SACK blocks.
    #[inline]
    pub(in crate::tcp) const fn header_len(&self) -> u32 {
        if self.opts.timestamps { HEADERS } else { BARE_HEADERS }
    }

    /// `tcp_sync_mss`: after a change of the path's MTU or of the peer's largest window.
    pub(in crate::tcp) fn sync_mss(&mut self) {
        self.tp.header_len = self.header_len();
        let mut mtu = self.mtu;
        if let Some(m) = &mut self.mtup {
            m.range.1 = m.range.1.min(m.cookie);
            mtu = m.cookie;
        }
        self.tp.mss_cache = bound_to_half_window(&self.tp, self.mtu_to_mss(mtu));
        if let Some(low) = self.mtup.as_ref().filter(|m| m.enabled).map(|m| m.range.0) {
            self.tp.mss_cache = self.tp.mss_cache.min(self.mtu_to_mss(low));
        }
    }

    /// The same while our SYN has no answer: the peer's segments are taken for small, unless the program said how long ours are to be.
    /// src: linux@6.12 net/ipv4/tcp_ipv4.c tcp_v4_connect, net/ipv4/tcp_output.c tcp_connect_init
    pub(in crate::tcp) fn sync_mss_alone(&mut self) {
        let path = self.mss_clamp;
        self.mss_clamp = self.user_mss.unwrap_or(DEFAULT).min(path);
        self.sync_mss();
        self.mss_clamp = path;
    }

    /// The peer offers a window of this size.
    #[inline]
    pub(in crate::tcp) fn largest_window(&mut self, offered: u32) {
        if offered > self.tp.max_window {
            self.tp.max_window = offered;
            self.sync_mss();
        }
    }

    /// `tcp_current_mss`: the segment size less what SACK blocks in this direction's packets need.
    #[inline]
    pub(in crate::tcp) fn current_mss(&self) -> u32 {
        self.tp.mss_cache - sack_len(self.rcv.sack_blocks())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_largest_window_bounds_a_segment() {
        let of = |max_window| {
            let mut tp = Tp::new(1000, 0);
            tp.max_window = max_window;
            bound_to_half_window(&tp, 1448)
        };
        let bare = {
            let mut tp = Tp::new(1000, 0);
            (tp.max_window, tp.header_len) = (19, BARE_HEADERS);
            bound_to_half_window(&tp, 1448)
        };
        assert_eq!(bare, 48);
        assert_eq!([65_160, 2_896, 1_152, 536, 40, 0].map(of), [1448, 1448, 576, 536, 40, 1448]);
    }
}
