//! Whether a packet of a connection is acceptable, and what is answered to one that is not, which may be a lost ACK's fault, or an attacker's.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_validate_incoming`, `tcp_disordered_ack`, `tcp_reset_check`, `tcp_send_dupack`,
//! `tcp_send_challenge_ack`, `tcp_oow_rate_limited`; RFC 5961.
//! Differs: D1 a host answers as many challenges as its connections do (`tcp_challenge_ack_limit` is without bound at boot).

use crate::sim::{Lower, Packet, flags};
use crate::tcp::clock::Clock;
use crate::tcp::input::ack_snd::MAX_QUICKACKS;
use crate::tcp::seq::{after, before};
use crate::tcp::socket::{Socket, State};

/// `__tcp_oow_rate_limited`: whether what was answered at `last` (jiffies) is not to be answered again yet, before
/// `ms` are over (`tcp_invalid_ratelimit`); if it is, it is now.
fn is_limited(clock: &Clock, ms: u32, last: &mut Option<u64>) -> bool {
    let limited = last.is_some_and(|t| clock.jiffies - t < (u64::from(ms) * u64::from(clock.hz)).div_ceil(1_000));
    if !limited {
        *last = Some(clock.jiffies);
    }
    limited
}

/// `tcp_oow_rate_limited`: the same for a packet's answer. Data and a FIN, but for those of a SYN, are answered always: they make no loop.
fn oow_rate_limited(clock: &Clock, ms: u32, p: &Packet, last: &mut Option<u64>) -> bool {
    let loops = (p.payload == 0 && p.flags & flags::FIN == 0) || p.flags & flags::SYN != 0;
    loops && is_limited(clock, ms, last)
}

/// Whether it is a reset. A SYN is none: there the bit is another's ([`flags::NO_SACK`]).
pub(super) const fn is_reset(p: &Packet) -> bool {
    p.flags & (flags::RST | flags::SYN) == flags::RST
}

impl Socket {
    /// `tcp_validate_incoming`: timestamps and window. What fails is answered, for it may be a lost ACK's fault.
    #[inline(always)] // one hot caller; the others open connections
    pub(in crate::tcp) fn acceptable<L: Lower>(&mut self, p: &Packet, low: &mut L) -> bool {
        let r = &self.rcv;
        let len = p.payload + u32::from(p.flags & flags::FIN != 0) + u32::from(p.flags & flags::SYN != 0);
        let end = p.seq.wrapping_add(len);
        let old_ts = if p.tsval == 0 { 0 } else { r.ts_recent.wrapping_sub(p.tsval) as i32 };
        // src: linux@6.12 include/net/tcp.h TCP_PAWS_WINDOW; net/ipv4/tcp_input.c tcp_disordered_ack. A reset's does not matter.
        if old_ts > 1 && !is_reset(p) {
            let rto = u64::from(self.rtt.rto) * 1_200 / u64::from(self.tp.clock.hz);
            let late_dup = len == 0
                && p.seq == r.rcv_nxt
                && p.ack == self.tp.snd_una
                && p.wnd <= self.tp.snd_wnd
                && old_ts as u64 <= rto;
            if !late_dup {
                self.answer_unacceptable(p, end, low);
                return false;
            }
        }
        if before(end, r.rcv_wup) || after(p.seq, r.rcv_nxt.wrapping_add(r.window())) {
            self.answer_unacceptable(p, end, low);
            return false;
        }
        let kind = p.flags & (flags::SYN | flags::RST | flags::ACK);
        if kind != flags::ACK {
            if kind & flags::SYN != 0 {
                // Perhaps our ACK of the SYN-ACK was lost.
                self.challenge(low);
            } else if kind != 0 {
                self.take_reset(p, low);
            }
            return false;
        }
        true
    }

    /// Old, or beyond the window: a reset counts right behind the FIN alone, a SYN is challenged, and all else told what is expected
    /// (`tcp_send_dupack`).
    fn answer_unacceptable<L: Lower>(&mut self, p: &Packet, end: u32, low: &mut L) {
        if is_reset(p) {
            if self.resets_behind_fin(p) {
                self.reset();
            }
            return;
        }
        if p.flags & flags::SYN != 0 {
            self.challenge(low);
            return;
        }
        if p.flags & flags::ACK == 0
            || oow_rate_limited(&self.tp.clock, self.app.sysctls.invalid_ratelimit_ms, p, &mut self.last_oow_ack)
        {
            return;
        }
        if end != p.seq && before(p.seq, self.rcv.rcv_nxt) {
            self.enter_quickack(MAX_QUICKACKS);
            let end = if after(end, self.rcv.rcv_nxt) { self.rcv.rcv_nxt } else { end };
            self.rcv.ofo.set_dsack(p.seq, end);
        }
        self.send_ack(low);
    }

    /// `tcp_reset_check`: a reset by a peer that does not count the FIN that it sent.
    pub(in crate::tcp) fn resets_behind_fin(&self, p: &Packet) -> bool {
        p.seq.wrapping_add(1) == self.rcv.rcv_nxt
            && matches!(self.state, State::CloseWait | State::LastAck | State::Closing)
    }

    /// `tcp_oow_rate_limited` of what answers `p` before the connection is there.
    pub(super) fn request_oow_limited(&mut self, p: &Packet) -> bool {
        oow_rate_limited(&self.tp.clock, self.app.sysctls.invalid_ratelimit_ms, p, &mut self.request_oow_ack)
    }

    /// The same whatever came (`__tcp_oow_rate_limited`).
    pub(super) fn request_is_limited(&mut self) -> bool {
        is_limited(&self.tp.clock, self.app.sysctls.invalid_ratelimit_ms, &mut self.request_oow_ack)
    }

    /// `tcp_send_challenge_ack`: a true peer's answer to it will be believed (rfc5961#3). At most one in half a second.
    #[cold]
    pub(in crate::tcp) fn challenge<L: Lower>(&mut self, low: &mut L) {
        if !is_limited(&self.tp.clock, self.app.sysctls.invalid_ratelimit_ms, &mut self.last_oow_ack) {
            self.send_ack(low);
        }
    }
}
