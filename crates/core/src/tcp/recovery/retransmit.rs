//! Sending again: which of the lost segments, and how.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_xmit_retransmit_queue`, `tcp_retransmit_skb`, `__tcp_retransmit_skb`,
//! `skb_still_in_host_queue`. Differs: D1 with rtx.rs's D1; D2 a segment counts as still in this host only where the world says
//! that it reports freed packets ([`Socket::host_tells`]); D3 of a segment's copies in this host those that were cut up are taken to leave
//! first, since what is sent again alone goes behind them.

use crate::sim::{Freed, Lower, flags};
use crate::tcp::output::{Failed, Load};
use crate::tcp::profile::Unstamped;
use crate::tcp::rtx::{Seg, tag};
use crate::tcp::sender::delivery_rate;
use crate::tcp::sender::timers::Pending;
use crate::tcp::seq::before;
use crate::tcp::socket::Socket;
use crate::tcp::tp::CaState;

impl Socket {
    /// `__tcp_retransmit_skb`: sends segment `id` again, and up to `segs` of the same skb with it. How many were sent.
    pub(in crate::tcp) fn transmit_again<L: Lower>(&mut self, id: u32, segs: u32, low: &mut L) -> Result<u32, Failed> {
        if let Some(m) = &mut self.mtup {
            m.ends(None); // inconclusive
        }
        let mut head = *self.rtx.get(id);
        if self.is_still_in_host(&head) {
            return Err(Failed::Busy);
        }
        if before(head.seq, self.tp.snd_una) {
            // tcp_trim_head, where the ACK found a single segment.
            head.seq = self.tp.snd_una;
            self.rtx.get_mut(id).seq = head.seq;
        }
        if self.mtup.is_some() {
            self.takes_route(); // inet_sk_rebuild_header
            self.look_at_route();
        }
        let mut room = self.tp.wnd_end().wrapping_sub(head.seq) as i32;
        if room <= 0 {
            // A window that was closed over what is out: the head serves as a probe.
            if head.seq != self.tp.snd_una {
                return Err(Failed::Window);
            }
            room = self.current_mss() as i32;
        }
        if !self.profile.retransmits_within_window {
            room = i32::MAX;
        }
        let mss = self.current_mss();
        if head.data() != mss {
            self.fragment(id);
            head = *self.rtx.get(id);
        }
        let n = self.same_skb(id, segs).min((room as u32 / mss).max(1));
        if (room as u32) < mss && head.data() > room as u32 {
            // Of a window shorter than a segment all is used.
            self.split_off(id, room as u32);
        } else {
            let space = mss.min(room as u32);
            if n == 1 && head.data() < space && self.same_skb(id, 2) == 1 {
                self.try_collapse(id, space);
            }
            self.own_skb(id, n);
        }
        head = *self.rtx.get(id);
        let last = *self.rtx.get(id.wrapping_add(n - 1));
        let payload = last.seq.wrapping_sub(head.seq).wrapping_add(last.data());
        self.stats.retransmits += u64::from(n);
        self.stats.bytes_retrans += u64::from(payload);
        let prior = self.tp.wstamp_ns;
        let load = Load {
            seq: head.seq,
            payload,
            segs: n,
            mss: head.len(),
            flags: flags::ACK | last.flags,
            truesize: self.cost.of(payload),
            again: true,
            answers: None,
            acks: None,
        };
        let sent = self.transmit(load, low);
        let sent_ns = self.tp.wstamp_ns;
        if sent.is_ok() {
            self.pace_after(payload, prior);
        }
        for i in 0..n {
            let id = id.wrapping_add(i);
            let s = self.rtx.get_mut(id);
            s.sent_ns = sent_ns;
            s.tags |= tag::EVER;
            if sent.is_ok() {
                s.in_host = s.in_host.saturating_add(1);
                delivery_rate::sent(&mut self.tp, s);
                self.rtx.list_tail(id);
            }
        }
        sent.map(|()| n)
    }

    /// `skb_still_in_host_queue`: it is not sent again, and the copy's end wakes the socket.
    pub(in crate::tcp) fn is_still_in_host(&mut self, s: &Seg) -> bool {
        let waits = s.in_host > 0 && self.counts_host_copies;
        if waits {
            self.stats.host_queued += 1;
            if self.profile.busy_wakes {
                self.tsq.throttle();
            }
        }
        waits
    }

    /// `tcp_retransmit_skb`.
    pub(in crate::tcp) fn retransmit<L: Lower>(&mut self, id: u32, segs: u32, low: &mut L) -> Result<u32, Failed> {
        let sent = self.transmit_again(id, segs, low);
        let n = *sent.as_ref().unwrap_or(&0);
        for i in 0..n {
            // One whose retransmission is thought to be in flight (a timeout after an undo) counts twice, and the second is taken back only
            // when nothing is out any more ("retrans_out leaked").
            self.tp.retrans_out += 1;
            self.rtx.get_mut(id.wrapping_add(i)).tags |= tag::ANY_RETRANS;
        }
        let stamps = sent.is_ok() || self.profile.unstamped != Unstamped::Late;
        if self.undo.retrans_stamp == 0 && stamps {
            self.undo.retrans_stamp = crate::tcp::clock::Clock::timestamp(self.rtx.get(id).sent_ns);
        }
        // What was tried counts, too: where nothing was even handed down the whole skb, which was not split yet.
        let tried = match sent {
            Ok(n) => n,
            Err(Failed::Congested) => self.same_skb(id, segs),
            Err(Failed::Busy | Failed::Window) => self.same_skb(id, u32::MAX),
        };
        self.undo.retrans = self.undo.retrans.max(0) + tried as i32;
        sent
    }

    /// `tcp_xmit_retransmit_queue`.
    pub(in crate::tcp) fn xmit_retransmit_queue<L: Lower>(&mut self, low: &mut L) {
        if self.tp.packets_out == 0 {
            return;
        }
        // One segment, whatever TSQ says, before 4.7 (10d3be569243, f9616c35a0d7).
        let classic = self.is_classic();
        if self.mtup.is_some() {
            self.look_at_route();
        }
        let max_segs = if classic { 1 } else { self.tso_segs(self.current_mss()) };
        let first = self.rtx.first();
        let mut id = self.sb.hint.filter(|&h| self.rtx.contains(h)).unwrap_or(first);
        let mut hole = false;
        let mut rearm = false;
        while id != self.rtx.end() {
            if self.pacing_holds() {
                break;
            }
            if !hole {
                self.sb.hint = Some(id);
            }
            let room = self.tp.snd_cwnd.saturating_sub(self.tp.in_flight());
            if room == 0 || (self.tp.retrans_out >= self.tp.lost_out && !classic) {
                break;
            }
            let s = *self.rtx.get(id);
            if !s.has(tag::LOST) {
                hole |= !s.has(tag::RETRANS | tag::SACKED);
                id = id.wrapping_add(1);
                continue;
            }
            if s.has(tag::SACKED | tag::RETRANS) {
                id = id.wrapping_add(1);
                continue;
            }
            let segs = room.min(max_segs);
            // The whole skb, of which only a part may be sent.
            let n = self.same_skb(id, u32::MAX);
            let truesize = self.cost.of(self.rtx.get(id.wrapping_add(n - 1)).end_seq.wrapping_sub(s.seq));
            if !classic && self.small_queue_full(truesize, Some(id)) {
                break;
            }
            let Ok(n) = self.retransmit(id, segs, low) else { break };
            if self.tp.in_cwnd_reduction() {
                self.tp.prr_out += n;
            }
            if id == first && self.timers.pending != Pending::Reorder {
                rearm = true;
            }
            id = id.wrapping_add(n);
        }
        if classic && id == self.rtx.end() {
            rearm |= self.forward_retransmit(low);
        }
        if rearm {
            let (rto, max) = (self.rtt.rto, self.rto_max());
            self.reset_xmit_timer(Pending::Retrans, rto, max);
        }
    }

    /// Before 4.12 (840a3cbe8969), where nothing new can be sent and all that is lost is, a recovery sends again what lies below the highest
    /// SACKed segment and is not lost yet (RFC 6675's rule 3). True: the first segment was among it.
    fn forward_retransmit<L: Lower>(&mut self, low: &mut L) -> bool {
        if self.tp.ca_state != CaState::Recovery || self.is_reno() || self.tp.sacked_out == 0 || self.may_send_now() {
            return false;
        }
        let mut headed = false;
        let mut id = self.rtx.first();
        while before(id, self.sb.highest) && self.tp.snd_cwnd > self.tp.in_flight() {
            if !self.rtx.get(id).has(tag::SACKED | tag::RETRANS) {
                let Ok(n) = self.retransmit(id, 1, low) else { break };
                self.tp.prr_out += n;
                headed |= id == self.rtx.first();
            }
            id = id.wrapping_add(1);
        }
        headed
    }

    /// The world will tell of each packet that is freed by [`Socket::on_free_packet`]: a segment whose original has not left this host is
    /// then not sent again (`skb_still_in_host_queue`).
    pub fn host_tells(&mut self) {
        self.counts_host_copies = true;
    }

    /// [`Socket::on_free`] for a world that knows the packet.
    pub fn on_free_packet(&mut self, p: &Freed) -> bool {
        self.on_left(p);
        self.on_free(p.truesize)
    }

    /// A packet is in this host no more; its memory was given back before (`skb_orphan_partial`), or is now.
    pub fn on_left(&mut self, p: &Freed) {
        // A SYN or a FIN alone has no payload, but a sequence number.
        self.each_out(p.seq, p.payload.max(1), |s| match s.cut {
            0 => s.in_host = s.in_host.saturating_sub(1),
            _ => s.cut -= 1,
        });
    }

    /// The stack has cut up a super-packet on its way to a card that cannot (net/core/dev.c `validate_xmit_skb`), or a discipline has: to
    /// `skb_still_in_host_queue` nothing of it is in this host any more.
    pub(in crate::tcp) fn clone_is_gone(&mut self, p: &Freed) {
        self.each_out(p.seq, p.payload, |s| {
            s.in_host = s.in_host.saturating_sub(1);
            s.cut = s.cut.saturating_add(1);
        });
    }

    /// What is out of so many bytes from `seq` on.
    fn each_out(&mut self, seq: u32, bytes: u32, mut call: impl FnMut(&mut Seg)) {
        let end = seq.wrapping_add(bytes);
        if before(self.tp.snd_una, end) {
            let mut id = self.rtx.find(seq);
            while self.rtx.contains(id) && before(self.rtx.get(id).seq, end) {
                call(self.rtx.get_mut(id));
                id = id.wrapping_add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId, Packet};
    use crate::tcp::cc::Cc;
    use crate::tcp::profile::{Profile, V4_14, V4_19, V5_4, V6_12};
    use crate::tcp::socket::State;
    use crate::tcp::tests::pair::{Link, sender};

    /// A super-packet of two segments of 1000 bytes, one that was sent alone, and one that has left already.
    fn waiting() -> Socket {
        waiting_of(&V6_12)
    }

    /// The same of this kernel.
    fn waiting_of(profile: &'static Profile) -> Socket {
        let mut s = sender(Cc::Reno, profile);
        s.host_tells();
        s.state = State::Established;
        (s.tp.mss_cache, s.tp.snd_wnd, s.tp.snd_cwnd, s.tp.snd_una) = (1_000, 1 << 20, 10, 0);
        for (i, skb) in [0, 0, 1, 2].into_iter().enumerate() {
            let seq = i as u32 * 1_000;
            let mut seg = Seg::new(seq, seq + 1_000, 0, skb);
            seg.in_host = 1;
            s.rtx.push(seg);
        }
        (s.tp.packets_out, s.tp.snd_nxt, s.tp.write_seq) = (4, 4_000, 4_000);
        free(&mut s, 3_000);
        s
    }

    /// So many bytes from there on.
    fn packet(seq: u32, payload: u32) -> Packet {
        Packet { seq, payload, ..Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1)) }
    }

    /// A segment leaves the host.
    fn free(s: &mut Socket, seq: u32) {
        s.on_free_packet(&(&packet(seq, 1_000)).into());
    }

    #[test]
    fn what_the_stack_has_cut_is_not_seen_waiting() {
        let mut s = waiting();
        let first = s.rtx.first();
        let mut low = Link::idle();
        for i in 0..3 {
            assert_eq!(s.retransmit(first + i, 1, &mut low), Err(Failed::Busy), "{i}");
        }
        s.on_gso(&Freed::cut(&packet(0, 2_000), 0, true));
        assert_eq!(s.retransmit(first, 1, &mut low), Err(Failed::Busy), "a card that cuts has it until it is sent");
        s.on_gso(&Freed::cut(&packet(0, 2_000), 0, false));
        assert_eq!(s.retransmit(first, 1, &mut low), Ok(1));
        assert_eq!(s.retransmit(first + 2, 1, &mut low), Err(Failed::Busy), "it was sent alone, and waits");
        // Its copy was not cut, and is seen until it has left, which the segment before it does first.
        assert_eq!(s.retransmit(first, 1, &mut low), Err(Failed::Busy));
        free(&mut s, 0);
        assert_eq!(s.retransmit(first, 1, &mut low), Err(Failed::Busy));
        free(&mut s, 0);
        assert_eq!(s.retransmit(first, 1, &mut low), Ok(1));
        assert_eq!(low.log.iter().map(|l| l.1).collect::<Vec<_>>(), [0, 0]);
    }

    #[test]
    fn an_attempt_is_stamped_from_5_1_on() {
        for (profile, stamped) in [(&V4_14, false), (&V4_19, false), (&V5_4, true), (&V6_12, true)] {
            let (mut s, mut low) = (waiting_of(profile), Link::idle());
            let first = s.rtx.first();
            s.rtx.get_mut(first).sent_ns = 7_000_000;
            assert_eq!(s.retransmit(first, 1, &mut low), Err(Failed::Busy), "{}", profile.name);
            assert_eq!(s.undo.retrans_stamp != 0, stamped, "{}", profile.name);
            s.on_left(&(&packet(0, 2_000)).into());
            assert_eq!(s.retransmit(first, 1, &mut low), Ok(1), "{}", profile.name);
            assert_ne!(s.undo.retrans_stamp, 0, "{}", profile.name);
        }
    }

    #[test]
    fn what_netem_holds_waits_though_its_memory_is_back_and_was_tried() {
        let mut s = waiting();
        let (first, mut low) = (s.rtx.first(), Link::idle());
        assert_eq!(s.retransmit(first, 1, &mut low), Err(Failed::Busy));
        assert!(s.undo.retrans > 0, "an attempt counts, so that no ACK undoes the recovery");
        s.on_left(&(&packet(0, 2_000)).into());
        assert_eq!(s.retransmit(first, 1, &mut low), Ok(1));
    }
}
