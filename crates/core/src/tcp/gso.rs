//! GSO: how many segments an skb takes, when a small one waits to grow, and how software cuts a large one up.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_tso_autosize`, `tcp_tso_segs`, `tcp_tso_should_defer`, `tcp_mss_split_point`;
//! net/ipv4/tcp_offload.c `tcp_gso_segment`.
//! Differs: D1 the write queue is a string of bytes: an skb grows to what may be sent whatever the boundaries of the application's skbs
//! (6.9's `tcp_grow_skb` does nearly this; earlier kernels left a smaller skb at each boundary). D2 a cut segment's truesize is worked
//! out from the super-packet's, whose head room may be a cache line more than was reserved.

use super::cc::Control;
use super::profile::TsoDefer;
use super::rtx::Seg;
use super::socket::Socket;
use super::tp::CaState;
use super::truesize;
use crate::sim::{Packet, flags};

/// One millisecond, nanoseconds.
const MS: u64 = 1_000_000;

/// Why the rest of the queue stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Defer {
    /// It may go.
    SendNow,
    /// It waits, and the congestion window is why.
    Cwnd,
    /// It waits, for another reason.
    Other,
}

impl Socket {
    /// `tcp_tso_segs`: segments in the next skb.
    #[inline]
    pub(super) fn tso_segs(&self, mss: u32) -> u32 {
        if self.gso_max_segs == 1 {
            return 1;
        }
        let tp = &self.tp;
        if let Some(segs) = self.ca.tso_segs(tp, mss, tp.gso_max_size) {
            return segs.min(self.gso_max_segs);
        }
        let min = self.ca.min_tso_segs(tp).unwrap_or(self.params.min_tso_segs);
        let mut bytes = tp.pacing_rate >> tp.pacing_shift;
        if let Some(log) = self.profile.tso_rtt_log {
            // A near peer repairs losses soon: larger bursts, halved with every 2^log microseconds of RTT.
            let r = tp.min_rtt_us() >> log;
            if r < u32::BITS {
                bytes = bytes.saturating_add(u64::from(tp.gso_max_size >> r));
            }
        }
        let bytes = bytes.min(u64::from(tp.gso_max_size)) as u32;
        (bytes / mss).max(min).min(self.gso_max_segs)
    }

    /// `tcp_tso_should_defer`: whether the skb at the head of the write queue had better wait for an ACK that lets it grow.
    pub(super) fn tso_defer(&self, max_segs: u32) -> Defer {
        let tp = &self.tp;
        let (len, is_tail) = self.app.head_skb(tp);
        // Nothing was sent of late: a burst would be no help.
        let pause = match self.profile.tso_defer {
            TsoDefer::HalfRttInJiffy => tp.clock.j32() != tp.lsndtime,
            _ => tp.clock.ns > tp.wstamp_ns + MS,
        };
        if tp.ca_state >= CaState::Recovery || pause {
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
        } else if send_win <= len {
            return Defer::Other;
        }
        if is_tail && self.app.fin_is_last() { Defer::SendNow } else { Defer::Other }
    }

    /// How many segments from `id` on go into one retransmission of `segs` at most: neighbours of the same skb with the same marks.
    pub(super) fn same_skb(&self, id: u32, segs: u32) -> u32 {
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

/// `tcp_gso_segment`: cuts a super-packet into its segments. A packet of one segment comes out as it is. `sg`: the device gathers, so the
/// payload stays in pages; without, each segment is copied into a head of its own. The sum of their truesize replaces the
/// super-packet's: tell the socket by [`Socket::on_gso`].
pub fn gso_segment(p: &Packet, sg: bool) -> impl Iterator<Item = Packet> + use<> {
    let (whole, payload) = (p.truesize, p.payload);
    segments(p, move |part| truesize::cut(whole - payload, part, sg))
}

/// The same of what GRO merged and a router sends on: each segment weighs what its frame weighed when it came.
pub fn gro_segment(p: &Packet) -> impl Iterator<Item = Packet> + use<> {
    let frame = p.truesize / u32::from(p.segs.max(1));
    segments(p, move |_| frame)
}

fn segments<W: Fn(u32) -> u32>(p: &Packet, weigh: W) -> impl Iterator<Item = Packet> + use<W> {
    let p = *p;
    let segs = u32::from(p.segs.max(1));
    let mss = u32::from(p.mss);
    (0..segs).map(move |i| {
        if segs == 1 {
            return p;
        }
        let mut s = p;
        let last = i + 1 == segs;
        s.segs = 1;
        s.seq = p.seq.wrapping_add(i * mss);
        s.ident = p.ident.wrapping_add(i as u16);
        s.payload = if last { p.payload - mss * (segs - 1) } else { mss };
        s.truesize = weigh(s.payload);
        if !last {
            s.flags &= !(flags::FIN | flags::PSH);
        }
        if i > 0 {
            s.flags &= !flags::CWR;
        }
        s
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    #[test]
    fn the_segments_are_the_super_packet() {
        let mut p = Packet::blank(Kind::Tcp, FlowId(1), NodeId(0), NodeId(1));
        (p.seq, p.payload, p.segs, p.headers) = (u32::MAX - 1447, 3 * 1448 + 100, 4, 52);
        p.mss = 1448;
        p.truesize = 896 + p.payload;
        p.flags = flags::ACK | flags::PSH | flags::CWR;
        let v: Vec<Packet> = gso_segment(&p, true).collect();
        assert_eq!(v.iter().map(|s| s.seq).collect::<Vec<_>>(), [u32::MAX - 1447, 0, 1448, 2896]);
        assert_eq!(v.iter().map(|s| s.payload).collect::<Vec<_>>(), [1448, 1448, 1448, 100]);
        assert!(v.iter().all(|s| s.segs == 1 && s.truesize == 896 + s.payload));
        assert_eq!(v.iter().map(|s| s.flags & flags::PSH).sum::<u8>(), flags::PSH);
        assert_eq!(v[3].flags & flags::PSH, flags::PSH);
        assert_eq!((v[0].flags & flags::CWR, v[1].flags & flags::CWR), (flags::CWR, 0));
        // On a device that cannot gather every segment is copied into 4096 bytes.
        assert!(gso_segment(&p, false).take(3).all(|s| s.truesize == 4352));
    }
}
