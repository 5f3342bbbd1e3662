//! The small queue at work: what waits for room below the socket, and who sends when skbs are freed. Its rule: [`tsq`].
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_small_queue_check`, `tcp_wfree`, `tcp_tasklet_func`, `tcp_tsq_write`. Differs: with
//! the rule's D1 and D2.

use super::Xmit;
use crate::sim::{Freed, Lower, Probe, Time};
use crate::tcp::sender::tsq;
use crate::tcp::socket::{Socket, State};

impl Socket {
    /// `tcp_small_queue_check`: true, an skb of this truesize must wait. `again` is the segment if it is a retransmission, whose limit is
    /// doubled.
    #[inline(always)] // one hot caller; the other sends again
    pub(in crate::tcp) fn small_queue_full(&mut self, truesize: u32, again: Option<u32>) -> bool {
        let limit = tsq::limit(&self.tp, &self.params, self.profile, &self.cost, self.limit_output_bytes, truesize);
        let Some(limit) = limit else { return false };
        let limit = if again.is_some() { limit << 1 } else { limit };
        if !self.tsq.reached(limit) || tsq::exempt(self.profile, &self.rtx, again) {
            return false;
        }
        self.tsq.throttle();
        self.stats.tsq_throttled += 1;
        true
    }

    /// `tcp_wfree`: an skb charged to this socket was freed. True: the tasklet must be scheduled; call [`Socket::on_tsq`] in a later event of
    /// the same instant. Every packet that went down with this socket as its owner is freed once, whatever became of it: here, or within the
    /// call that sent ([`Lower::freed`]).
    #[inline]
    pub fn on_free(&mut self, truesize: u32) -> bool {
        self.tsq.free(truesize)
    }

    /// Something was freed within a call that sent ([`Lower::freed`]), and that call is over: as [`Socket::on_free`].
    pub fn on_freed_within(&mut self) -> bool {
        self.tsq.wakes_after()
    }

    /// A super-packet below was cut into segments whose truesize sums up differently (`tcp_gso_segment`). Unless the card did, they are other
    /// skbs, and TCP's clone is gone.
    pub fn on_gso(&mut self, p: &Freed) {
        self.tsq.recharge(p.truesize, p.parts);
        if !p.by_card {
            self.clone_is_gone(p);
        }
    }

    /// `sk_pacing_shift_update`: mac80211 does this to every packet's socket.
    #[inline]
    pub fn on_pacing_shift(&mut self, shift: u8) {
        self.tp.pacing_shift = shift;
    }

    /// The tasklet (`tcp_tsq_handler`).
    pub fn on_tsq<L: Lower, P: Probe>(&mut self, now: Time, low: &mut L, _probe: &mut P) {
        self.tp.clock.set(now);
        self.tsq.runs(now);
        self.tsq_write(low);
        self.app_run(low);
    }

    /// The same while a program owns the socket (`TCP_TSQ_DEFERRED`).
    pub fn on_tsq_owned(&mut self, now: Time) {
        self.tp.clock.set(now);
        self.tsq.runs(now);
        self.app.tsq_deferred = true;
    }

    /// The program lets go (`tcp_release_cb`).
    pub fn on_release<L: Lower>(&mut self, now: Time, low: &mut L) {
        self.miss_compressed(now);
        if core::mem::take(&mut self.app.tsq_deferred) {
            self.tp.clock.set(now);
            self.tsq_write(low);
        }
        if core::mem::take(&mut self.ack.deferred) && self.ack.scheduled {
            self.tp.clock.set(now);
            self.send_ack(low);
        }
    }

    /// `tcp_tsq_write`.
    pub(in crate::tcp) fn tsq_write<L: Lower>(&mut self, low: &mut L) {
        let sends = matches!(
            self.state,
            State::Established | State::FinWait1 | State::Closing | State::CloseWait | State::LastAck
        );
        if !sends {
            return;
        }
        if self.tp.lost_out > self.tp.retrans_out && self.tp.snd_cwnd > self.tp.in_flight() {
            self.xmit_retransmit_queue(low);
        }
        self.write_xmit(low, Xmit::All);
    }
}
