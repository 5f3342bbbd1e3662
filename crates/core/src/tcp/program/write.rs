//! A program writes into the send buffer: one that always has more to write (iperf, netperf), blocked while the buffer is
//! full and woken when a third of it is free.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp.c `tcp_sendmsg_locked`, `tcp_push`, `tcp_xmit_size_goal`; net/core/stream.c
//! `sk_stream_write_space`; net/ipv4/tcp_input.c `tcp_sndbuf_expand`, `tcp_check_space`.
//! Differs: D1 the application runs in the instant that wakes it, after the softirq that did, or, where the world says when
//! (`schedules_programs`), after all of the instant's, and is interrupted by those of each packet that it hands down;
//! D2 what a program writes in calls of its own is not corked; D3 nothing is written in pages, so the buffer is full to the byte.

use crate::sim::{Lower, Time};
use crate::tcp::cc::Control;
use crate::tcp::output::Xmit;
use crate::tcp::output::mss::bound_to_half_window;
use crate::tcp::sender::app::{Nagle, Push};
use crate::tcp::sender::chrono::What;
use crate::tcp::sender::delivery_rate;
use crate::tcp::seq::{after, before};
use crate::tcp::socket::{Socket, State};
use crate::tcp::truesize;

/// Flags of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WriteFlags {
    /// `MSG_MORE`: more will follow.
    pub more: bool,
    /// `MSG_EOR`: nothing is added to its last skb.
    pub eor: bool,
    /// `MSG_ZEROCOPY`: tell when it is through ([`Socket::take_notice`]).
    pub zerocopy: bool,
}

/// How far a program gets that writes where that takes time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// It has read the clock: it is about to hand something down (`tcp_write_xmit`).
    Clock,
    /// The softirqs of what it has handed down are through.
    Softirqs,
    /// It has looked into its backlog (`sk_flush_backlog`).
    Backlog,
    /// Its call has returned, and the next one begins.
    Call,
    /// There is room in its buffer, or more to write.
    Room,
}

/// Skbs that a program fills before it looks into its backlog. src: linux@6.12 net/ipv4/tcp.c tcp_sendmsg_locked (`process_backlog`)
const LOOKS_AFTER: u8 = 16;

/// Bytes that a bulk sender writes in a call.
const BLOCK: u32 = 1 << 20;

impl Socket {
    /// An application that always has data (it writes 1 MiB blocks), or this many bytes and then ends. It starts once the connection is
    /// established.
    pub fn set_bulk(&mut self, bytes: Option<u64>) {
        self.app.bulk = Some(bytes);
        self.app.wake = true;
    }

    /// The application ends: what is in the send buffer still goes, then FIN.
    pub fn stop_bulk(&mut self) {
        if self.app.bulk.is_some() {
            self.app.bulk = Some(Some(0));
            self.app.call_left = 0;
            self.app.wake = true;
        }
    }

    /// `sk_wmem_queued`: truesize of everything written and not acknowledged.
    pub(in crate::tcp) fn wmem_queued(&self) -> u32 {
        let skbs = self.app.rtx_skbs + self.app.in_line(&self.tp);
        // A SYN or a FIN takes a number, and no memory beside its skb's.
        let syn = matches!(self.state, State::SynSent | State::SynRecv) && self.syns_crossed();
        let numbers = self.tp.write_seq.wrapping_sub(self.tp.snd_una);
        self.cost.queued(numbers.saturating_sub(u32::from(self.app.fin) + u32::from(syn)), skbs)
    }

    /// `tcp_sndbuf_expand`: room for two windows of what a segment may cost.
    pub(in crate::tcp) fn sndbuf_expand(&mut self) {
        if self.app.locked {
            return;
        }
        let per_mss = truesize::per_mss(self.params.max_header, self.mss_clamp.max(self.tp.mss_cache));
        let segs = self.tp.snd_cwnd.max(10).max(self.tp.reordering + 1);
        let want = u64::from(self.ca.sndbuf_expand()) * u64::from(segs) * u64::from(per_mss);
        if u64::from(self.app.sndbuf) < want {
            self.app.sndbuf = want.min(self.params.wmem_max.get()) as u32;
        }
    }

    /// `tcp_check_space`: something left the send buffer; wakes the application when it is worth while.
    #[inline]
    pub(in crate::tcp) fn app_check_space(&mut self) {
        if !self.app.no_space {
            return;
        }
        if self.tp.in_flight() < self.tp.snd_cwnd {
            self.sndbuf_expand();
            self.tp.snd_cwnd_stamp = self.tp.clock.j32();
        }
        if self.is_writeable() {
            self.app.no_space = false;
            self.app.wake = true;
            self.chrono_stop(What::SndbufLimited);
        }
    }

    /// `__sk_stream_is_writeable`: there is so much room that it is worth waking who waits.
    #[inline]
    pub(in crate::tcp) fn is_writeable(&self) -> bool {
        let queued = self.wmem_queued();
        queued < self.app.sndbuf && self.app.sndbuf - queued >= queued >> 1 && self.app.lowat_allows(&self.tp, true)
    }

    /// Runs the application if it was woken.
    #[inline]
    pub(in crate::tcp) fn app_run<L: Lower>(&mut self, low: &mut L) {
        if !self.app.scheduled && self.app_ready() {
            self.app.wake = false;
            self.app_write(low);
        }
    }

    /// Data may go out: it is open, or began with its SYN (`tcp_passive_fastopen`).
    #[inline]
    pub fn may_send(&self) -> bool {
        matches!(self.state, State::Established | State::CloseWait)
            || (self.state == State::SynRecv && self.began_at_once())
    }

    fn app_ready(&self) -> bool {
        self.app.wake && self.may_send()
    }

    /// From now on the world calls [`Socket::on_writer`] where [`Socket::writer_wakes`] asks for it.
    pub fn schedules_programs(&mut self) {
        self.app.scheduled = true;
    }

    /// The application is to run.
    #[inline]
    pub fn writer_wakes(&self) -> bool {
        self.app.scheduled && self.app_ready()
    }

    /// It runs, and owns the socket: until what.
    pub fn on_writer<L: Lower>(&mut self, now: Time, low: &mut L) -> Until {
        self.tp.clock.set(now);
        if !self.app.interrupted && !self.app_ready() {
            return Until::Room;
        }
        self.app.wake = false;
        self.app.interrupted = false;
        let until = self.app_write(low);
        self.app.interrupted = until != Until::Room;
        until
    }

    /// It had no room, and has let go of the socket: whether there is some now, so that it writes on (`sk_stream_wait_memory`).
    pub fn writer_goes_on(&mut self) -> bool {
        let waits = self.may_send() && self.app.bulk.is_some_and(|b| b != Some(0)) && !self.app.fin;
        let room = waits && self.wmem_queued() < self.app.sndbuf && self.app.lowat_allows(&self.tp, false);
        self.app.wake |= room;
        room
    }

    /// `tcp_xmit_size_goal`: what an skb may hold, within half of the peer's window.
    fn size_goal(&self, mss: u32) -> u32 {
        if self.gso_max_segs == 1 {
            return mss;
        }
        let mut most = self.tp.gso_payload;
        if self.profile.sized_when_written {
            // Half a millisecond at the pacing rate.
            let paced = (self.tp.pacing_rate / 2_000).max(u64::from(self.params.min_tso_segs * mss));
            most = paced.min(u64::from(most)) as u32;
        }
        let goal = bound_to_half_window(&self.tp, most);
        ((goal / mss).min(self.gso_max_segs) * mss).max(mss)
    }

    /// `tcp_sendmsg`: fills the send buffer skb by skb, and pushes.
    fn app_write<L: Lower>(&mut self, low: &mut L) -> Until {
        let Some(mut left) = self.app.bulk else { return Until::Room };
        if self.app.fin {
            return Until::Room;
        }
        let scheduled = self.app.scheduled && !self.app.calls;
        self.mem_settle();
        let goal = self.size_goal(self.current_mss());
        self.app.size_goal = goal;
        while left != Some(0) {
            if let Some(push) = self.app.pushing {
                let until = self.go_on_pushing(push, low);
                if until != Until::Room || push.last {
                    self.app.bulk = Some(left);
                    return until;
                }
            }
            if self.app.call_left == 0 {
                if scheduled && self.app.copied {
                    (self.app.copied, self.app.filled) = (false, 0);
                    self.app.bulk = Some(left);
                    return Until::Call;
                }
                // As a call begins; one that waits for room in the buffer goes on without.
                let nothing_below = self.tsq.wmem_alloc() < self.cost.control();
                delivery_rate::check_app_limited(&mut self.tp, nothing_below);
                // Without calls of its own a program writes block after block.
                self.app.call_left =
                    left.map_or(BLOCK, |l| if self.app.calls { l as u32 } else { l.min(BLOCK.into()) as u32 });
                self.app.copied = false;
            }
            let unsent = self.tp.unsent();
            let start = self.app.last_begins(&self.tp, self.gso_max_segs == 1);
            if unsent == 0 {
                self.chrono.start(What::Busy, self.tp.clock.j32());
            }
            // Nothing is added behind an end of record, nor to an skb that has grown beyond the goal (`size_goal - skb->len <= 0`).
            let ended = self.app.ends.back() == Some(&self.tp.write_seq);
            let full = unsent == 0 || ended || (self.app.calls && self.app.eors.back() == Some(&self.tp.write_seq));
            let queued = self.wmem_queued();
            let mut tail = if full { goal } else { self.tp.write_seq.wrapping_sub(start) };
            if tail >= goal {
                if queued >= self.app.sndbuf || !self.app.lowat_allows(&self.tp, false) {
                    if self.app.copied {
                        self.mark_push();
                    }
                    self.app.no_space = true;
                    break;
                }
                if scheduled {
                    if self.app.filled >= LOOKS_AFTER {
                        self.app.filled = 0;
                        self.app.bulk = Some(left);
                        return Until::Backlog;
                    }
                    self.app.filled += 1;
                }
                (tail, self.app.tail) = (0, self.tp.write_seq);
                self.app.push = false; // tcp_skb_entail
                if unsent > 0 && !ended && self.gso_max_segs > 1 {
                    self.app.sent(&self.tp);
                    self.app.ends.push_back(self.tp.write_seq);
                }
                self.restart_after_idle();
            }
            // PSH is the skb's: it goes on to its new end, or is taken back where another call goes on with what the last one left open.
            let marked = tail > 0 && self.app.marks.back() == Some(&self.tp.write_seq);
            if marked {
                self.app.marks.pop_back();
            }
            let mut n = (goal - tail).min(self.app.call_left);
            if self.app.calls {
                n = n.min(self.until_cut());
            }
            self.sets_aside_to_write(queued, tail == 0, n);
            self.tp.write_seq = self.tp.write_seq.wrapping_add(n);
            if marked && self.app.copied {
                self.app.marks.push_back(self.tp.write_seq);
            }
            self.app.copied = true;
            self.app.call_left -= n;
            left = left.map(|l| l - u64::from(n));
            if self.app.calls && self.app.call_left > 0 && self.cuts() {
                continue;
            }
            if self.app.call_left == 0 {
                if !self.app.more || self.forced_push() {
                    self.mark_push();
                }
                if self.app.calls {
                    if self.app.eor {
                        self.app.eors.push_back(self.tp.write_seq);
                    }
                    self.stamp_send();
                }
                if !self.app.calls && left != Some(0) && !self.autocorks() {
                    if scheduled {
                        self.pushes(Nagle::Asked, false);
                    } else {
                        self.push_pending(low);
                    }
                }
            } else if self.forced_push() {
                self.mark_push();
                if scheduled {
                    self.pushes(Nagle::Off, false);
                } else {
                    self.push_as(Nagle::Off, Xmit::All, low);
                }
            } else if !before(self.tp.snd_nxt, self.app.last_begins(&self.tp, self.gso_max_segs == 1)) {
                // It is the first in line (tcp_push_one).
                if scheduled {
                    self.pushes(Nagle::Off, true);
                } else {
                    self.without_nagle(|s| s.write_xmit(low, Xmit::First));
                }
            }
        }
        self.app.bulk = Some(left);
        if left == Some(0) {
            self.app.pushing = None;
            if self.app.calls {
                self.app.bulk = None;
            } else {
                self.queue_fin();
            }
        }
        if left == Some(0) {
            self.push_pending(low);
        } else if scheduled {
            self.app.filled = 0;
            if self.app.copied && self.tp.unsent() > 0 {
                self.app.pushing = Some(Push { nagle: Nagle::Off, first: false, begun: true, last: true });
                return Until::Clock;
            }
        } else {
            self.push_as(Nagle::Off, Xmit::All, low);
        }
        Until::Room
    }

    fn pushes(&mut self, nagle: Nagle, first: bool) {
        self.app.pushing = Some(Push { nagle, first, begun: false, last: false });
    }

    /// One skb of what is to be handed down; until `Room`: that is all of it.
    fn go_on_pushing<L: Lower>(&mut self, push: Push, low: &mut L) -> Until {
        if !push.begun {
            self.app.pushing = Some(Push { begun: true, ..push });
            return Until::Clock;
        }
        let nxt = self.tp.snd_nxt;
        if push.first {
            self.without_nagle(|s| s.write_xmit(low, Xmit::First));
        } else {
            self.push_as(push.nagle, Xmit::Next, low);
        }
        let sent = self.tp.snd_nxt != nxt;
        if !sent || push.first {
            self.app.pushing = None;
        }
        if sent { Until::Softirqs } else { Until::Room }
    }

    fn push_as<L: Lower>(&mut self, nagle: Nagle, what: Xmit, low: &mut L) {
        match nagle {
            Nagle::Asked => self.push(what, low),
            Nagle::Off => self.without_nagle(|s| s.push(what, low)),
        }
    }

    /// `tcp_should_autocork`: what a call leaves short waits for more, since other skbs are below, and goes once these are freed.
    fn autocorks(&mut self) -> bool {
        let tail = self.tp.write_seq.wrapping_sub(self.app.last_begins(&self.tp, self.gso_max_segs == 1));
        let corks = self.profile.autocorks
            && self.app.sysctls.autocorking
            && tail < self.app.size_goal
            && !self.rtx.is_empty()
            && self.tsq.wmem_alloc() >= self.cost.of(tail);
        if corks {
            self.tsq.throttle();
        }
        corks
    }

    /// `tcp_send_fin`: nothing more will be written.
    fn queue_fin(&mut self) {
        if self.tp.unsent() == 0 {
            self.chrono.start(What::Busy, self.tp.clock.j32());
        }
        if self.tp.unsent() == 0 {
            self.sets_aside_for_head();
        }
        self.app.fin = true;
        self.app.fin_seq = Some(self.tp.write_seq);
        self.tp.write_seq = self.tp.write_seq.wrapping_add(1);
        self.state = if self.state == State::CloseWait { State::LastAck } else { State::FinWait1 };
    }

    /// `tcp_sendmsg`: so many bytes more are to be written; what the buffer has no room for waits.
    pub(in crate::tcp) fn app_call_write<L: Lower>(&mut self, bytes: u32, how: WriteFlags, low: &mut L) {
        if self.mtup.is_some() {
            self.look_at_route();
        }
        self.mtup.iter_mut().for_each(|m| m.writes = true);
        (self.app.more, self.app.eor) = (how.more, how.eor);
        let before = self.app.bulk.flatten().unwrap_or(0);
        self.app.bulk = Some(Some(before + u64::from(bytes)));
        self.app.call_left = 0;
        if self.may_send() {
            self.app_write(low);
        } else {
            self.app.wake = true;
        }
        self.app.more = false;
        self.mtup.iter_mut().for_each(|m| m.writes = false);
    }

    /// A program looks whether it may write (`tcp_poll`), and waits if not.
    pub(in crate::tcp) fn app_poll(&mut self) -> bool {
        let room = self.is_writeable();
        self.app.no_space |= !room;
        room
    }

    /// Bytes that the buffer had no room for.
    pub(in crate::tcp) fn app_waiting(&self) -> u32 {
        self.app.bulk.flatten().unwrap_or(0) as u32
    }

    /// The program gives up on them (a call that does not block).
    pub(in crate::tcp) fn app_give_up(&mut self) {
        self.app.bulk = None;
        self.app.call_left = 0;
    }

    /// `tcp_close`, `tcp_shutdown`: FIN after what is written.
    pub(in crate::tcp) fn app_close<L: Lower>(&mut self, low: &mut L) {
        if !self.app.fin && self.may_send() {
            self.queue_fin();
            self.push_pending(low);
        }
    }

    /// `TCP_NODELAY`, `TCP_CORK`: what waited for more may go.
    pub(in crate::tcp) fn app_nagle<L: Lower>(&mut self, nodelay: Option<bool>, corked: Option<bool>, low: &mut L) {
        self.app.nodelay = nodelay.unwrap_or(self.app.nodelay);
        self.app.corked = corked.unwrap_or(self.app.corked);
        if nodelay == Some(true) || corked == Some(false) {
            self.app.push |= self.app.nodelay;
            self.push_pending(low);
        }
    }

    /// `SO_SNDBUF`, which the kernel doubles.
    pub(in crate::tcp) fn app_sndbuf(&mut self, bytes: u32) {
        self.app.locked = true;
        self.app.sndbuf = bytes.saturating_mul(2).max(4_608);
    }

    /// Bytes until an skb has as many buffers as it takes.
    fn until_cut(&self) -> u32 {
        let cut = self.app.told.as_ref().and_then(|t| t.zerocopy.cuts.front());
        cut.map_or(u32::MAX, |c| c.wrapping_sub(self.tp.write_seq))
    }

    /// The skb has as many buffers as it takes: what follows goes into another (`skb_zerocopy_iter_stream` fails by `EMSGSIZE`).
    fn cuts(&mut self) -> bool {
        let end = self.tp.write_seq;
        let Some(told) = self.app.told.as_mut().filter(|t| t.zerocopy.cuts.front() == Some(&end)) else { return false };
        told.zerocopy.cuts.pop_front();
        self.app.eors.push_back(end);
        self.mark_push();
        true
    }

    /// `tcp_mark_push`: the end of what is written carries PSH.
    fn mark_push(&mut self) {
        self.app.pushed_seq = self.tp.write_seq;
        if self.app.marks.back() != Some(&self.tp.write_seq) {
            self.app.marks.push_back(self.tp.write_seq);
        }
    }

    /// `forced_push`: half of the peer's largest window was written since the last PSH.
    fn forced_push(&self) -> bool {
        after(self.tp.write_seq, self.app.pushed_seq.wrapping_add(self.tp.max_window >> 1))
    }
}
