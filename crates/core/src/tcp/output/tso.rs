//! GSO: how many segments an skb takes, and when a small one waits to grow. How software cuts a large one up: [`gso`](crate::tcp::gso).
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_tso_autosize`, `tcp_tso_segs`, `tcp_tso_should_defer`, `tcp_mss_split_point`. Where
//! skbs end in the write queue, and how the first of them grows and is split, is [`app`](crate::tcp::sender::app)'s.

use crate::sim::Auto;
use crate::tcp::cc::Control;
use crate::tcp::profile::TsoDefer;
use crate::tcp::rtx::Seg;
use crate::tcp::socket::Socket;
use crate::tcp::tp::CaState;

/// One millisecond, nanoseconds.
const MS: u64 = 1_000_000;

/// Why the rest of the queue stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tcp) enum Defer {
    /// It may go.
    SendNow,
    /// It waits, and the congestion window is why.
    Cwnd,
    /// It waits, and the peer's window is why.
    Rwnd,
    /// It waits, for another reason.
    Other,
}

impl Socket {
    /// `tcp_tso_segs`: segments in the next skb.
    #[inline]
    pub(in crate::tcp) fn tso_segs(&self, mss: u32) -> u32 {
        if self.gso_max_segs == 1 {
            return 1;
        }
        let tp = &self.tp;
        if let Some(segs) = self.ca.tso_segs(tp, mss, tp.gso_max_size) {
            return segs.min(self.gso_max_segs);
        }
        if self.profile.sized_when_written {
            return self.gso_max_segs;
        }
        let min = self.ca.min_tso_segs(tp).unwrap_or(self.params.min_tso_segs);
        let mut bytes = tp.pacing_rate >> tp.pacing_shift;
        let log = match self.params.tso_rtt_log {
            Auto::Set(log) => Some(u32::from(log)),
            Auto::Auto => self.profile.tso_rtt_log,
        };
        if let Some(log) = log {
            // A near peer repairs losses soon: larger bursts, halved with every 2^log microseconds of RTT.
            let r = tp.min_rtt_us() >> log;
            if r < u32::BITS {
                bytes = bytes.saturating_add(u64::from(tp.gso_payload >> r));
            }
        }
        let bytes = bytes.min(u64::from(tp.gso_payload)) as u32;
        (bytes / mss).max(min).min(self.gso_max_segs)
    }

    /// `tcp_tso_should_defer`: whether the skb at the head of the write queue, of `len` bytes, had better wait for an ACK that lets it grow.
    pub(in crate::tcp) fn tso_defer(&mut self, max_segs: u32, len: u32, is_tail: bool) -> Defer {
        if self.profile.tso_defer == TsoDefer::TwoTicks {
            return self.tso_defer_ticks(len, is_tail);
        }
        let tp = &self.tp;
        // Nothing was sent of late: a burst would be no help.
        let pause = match self.profile.tso_defer {
            TsoDefer::HalfRttInJiffy => tp.clock.j32() != tp.lsndtime,
            _ => tp.clock.ns > tp.wstamp_ns + MS,
        };
        let fin = is_tail && self.app.fin_is_last();
        if tp.ca_state >= CaState::Recovery || pause || (fin && !self.profile.fin_defers) {
            return Defer::SendNow;
        }
        let send_win = tp.wnd_end().wrapping_sub(tp.snd_nxt);
        let cong_win = (tp.snd_cwnd - tp.in_flight()) * tp.mss_cache;
        let limit = send_win.min(cong_win);
        if limit >= max_segs * tp.mss_cache || (!is_tail && limit >= len) {
            return Defer::SendNow;
        }
        if limit >= tp.snd_wnd.min(tp.snd_cwnd * tp.mss_cache) / self.params.tso_win_divisor {
            return Defer::SendNow;
        }
        let Some(head) = self.rtx.head() else { return Defer::SendNow };
        let srtt_ns = u64::from(tp.srtt_us) * 125;
        let late = match self.profile.tso_defer {
            TsoDefer::NextAck => {
                (head.sent_ns + srtt_ns).wrapping_sub(tp.clock.ns) as i64 > (srtt_ns >> 1).min(MS) as i64
            }
            _ => tp.clock.us_since(head.sent_us()) < tp.srtt_us >> 4,
        };
        if late {
            return Defer::SendNow;
        }
        if cong_win < send_win {
            if cong_win <= len {
                return Defer::Cwnd;
            }
        } else if send_win <= len && self.profile.fin_defers {
            // 4.14 does not tell this from other reasons.
            return Defer::Rwnd;
        }
        // Until 4.19 an skb that MSG_EOR ends waits like others.
        let eor = self.profile.tso_defer != TsoDefer::HalfRttInJiffy
            && self.app.eors.front() == Some(&tp.snd_nxt.wrapping_add(len));
        if fin || eor { Defer::SendNow } else { Defer::Other }
    }

    /// The same before 4.0: for less than two jiffies since one first had to wait.
    fn tso_defer_ticks(&mut self, len: u32, is_tail: bool) -> Defer {
        let tp = &self.tp;
        let late = self.tso_deferred.is_some_and(|since| tp.clock.j32().wrapping_sub(since) > 1);
        let send_win = tp.wnd_end().wrapping_sub(tp.snd_nxt);
        let cong_win = (tp.snd_cwnd - tp.in_flight()) * tp.mss_cache;
        let limit = send_win.min(cong_win);
        let share = tp.snd_wnd.min(tp.snd_cwnd * tp.mss_cache) / self.params.tso_win_divisor;
        let full = limit >= tp.gso_max_size.min(self.app.size_goal);
        let whole = !is_tail && limit >= len;
        let fin = is_tail && self.app.fin_is_last();
        if fin || tp.ca_state != CaState::Open || late || full || whole || limit >= share {
            self.tso_deferred = None;
            return Defer::SendNow;
        }
        let now = tp.clock.j32();
        let cwnd = cong_win < send_win && cong_win < len;
        self.tso_deferred.get_or_insert(now);
        if cwnd { Defer::Cwnd } else { Defer::Other }
    }

    /// How many segments from `id` on go into one retransmission of `segs` at most: neighbours of the same skb with the same marks.
    pub(in crate::tcp) fn same_skb(&self, id: u32, segs: u32) -> u32 {
        let Seg { skb, tags, .. } = *self.rtx.get(id);
        let mut n = 1;
        while n < segs {
            let next = id.wrapping_add(n);
            if !self.rtx.contains(next) {
                break;
            }
            let s = self.rtx.get(next);
            if s.skb != skb || s.tags != tags {
                break;
            }
            n += 1;
        }
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::cc::Cc;
    use crate::tcp::profile::{Profile, V5_10_262, V6_12};
    use crate::tcp::tests::pair::sender;

    #[test]
    fn skbs_grow_where_the_peer_is_near() {
        // A least RTT of 1 ms and a pacing rate that gives no segment: half of the payload of a GSO skb, or none of it, or all.
        let segs = |profile: &'static Profile, log| {
            let mut s = sender(Cc::Reno, profile);
            s.params.tso_rtt_log = log;
            s.gso_max_segs = 65_535;
            (s.tp.pacing_rate, s.tp.gso_payload) = (0, 65_160);
            s.tp.rtt_min.reset(s.tp.clock.j32(), 1_000);
            s.tso_segs(1_448)
        };
        assert_eq!([segs(&V6_12, Auto::Auto), segs(&V5_10_262, Auto::Auto)], [22, 2]);
        assert_eq!([0, 9, 10].map(|log| segs(&V5_10_262, Auto::Set(log))), [2, 22, 45]);
        assert_eq!(segs(&V6_12, Auto::Set(0)), 2);
    }
}
