//! TCP Small Queues: how much of a socket's data may wait below it, counted in truesize, in every variant that the papers compare.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_small_queue_check`, `tcp_wfree`, `tcp_tasklet_func`, `tcp_tsq_write`; the
//! fixed limits of hard-times figure 6 and bbrp figure 5; CoTSQ (cotsq, Equation 1) as its authors' kernel tree has it
//! (github.com/kronat/linux@12fa68798233, net/ipv4/tcp_output.c `tcp_small_queue_check` and ip-sysctl.txt):
//! `tcp_limit_output_ms` x (`sk_pacing_rate` >> 10), at least `tcp_limit_output_pkt` x truesize, at most `tcp_limit_output_bytes`,
//! negative: off; what is below the socket is compared in truesize.
//! Differs: D1 pure ACKs are not charged (Linux charges 2 bytes each and frees them without waking anybody). D2 that tree is of 4.15 to
//! 4.16, the paper's kernel is 4.14.14: who passes a full small queue is the profile's.

use super::config::Tsq as Mode;
use super::profile::Exempt;
use super::socket::{Socket, State};
use super::tp::Pacing;
use crate::sim::{Lower, Probe, Time};

/// What the small queue remembers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tsq {
    /// Truesize of the skbs below the socket (`sk_wmem_alloc` without its base of 1).
    wmem: u32,
    /// Something was held back.
    throttled: bool,
    /// The tasklet is scheduled.
    queued: bool,
    /// When the own queue last refused a packet.
    refused: Option<Time>,
}

impl Tsq {
    /// Truesize below the socket (`sk_wmem_alloc_get`).
    #[inline]
    pub const fn wmem_alloc(&self) -> u32 {
        self.wmem
    }
    /// An skb goes down.
    #[inline]
    pub fn charge(&mut self, truesize: u32) {
        self.wmem += truesize;
    }
    /// The own queue refused a packet.
    pub fn refuse(&mut self, now: Time) {
        self.refused = Some(now);
    }
    /// Something is held back: the next freed skb schedules the tasklet.
    pub fn throttle(&mut self) {
        self.throttled = true;
    }
}

impl Socket {
    /// The limit for an skb of this truesize, bytes. None: there is none.
    #[inline]
    fn small_queue_limit(&self, truesize: u32) -> Option<u64> {
        let (tp, p) = (&self.tp, &self.params);
        match p.tsq {
            Mode::Kernel => {
                let limit = (tp.pacing_rate >> tp.pacing_shift).max(2 * u64::from(truesize));
                if tp.pacing_status == Pacing::None || !self.profile.paced_unlimited {
                    Some(limit.min(self.limit_output_bytes))
                } else {
                    Some(limit)
                }
            }
            Mode::Cotsq => {
                let ms = (tp.pacing_rate >> 10).saturating_mul(u64::from(p.tsq_ms));
                let pkts = u64::from(p.tsq_pkts) * u64::from(truesize);
                p.tsq_bytes.map(|b| b.get().min(ms.max(pkts)))
            }
            Mode::Packets => Some(u64::from(p.tsq_pkts) * u64::from(self.cost.of(tp.mss_cache))),
            Mode::Bytes => p.tsq_bytes.map(|b| b.get()),
            Mode::Off => None,
        }
    }

    /// `tcp_small_queue_check`: true, an skb of this truesize must wait. `again` is the segment if it is a retransmission, whose limit is
    /// doubled.
    #[inline]
    pub(super) fn small_queue_full(&mut self, truesize: u32, again: Option<u32>) -> bool {
        let Some(limit) = self.small_queue_limit(truesize) else { return false };
        let limit = if again.is_some() { limit << 1 } else { limit };
        // sk_wmem_alloc has a base of 1, so that exactly the limit is too much.
        if u64::from(self.tsq.wmem) < limit {
            return false;
        }
        let exempt = match (self.profile.exempt, again) {
            (Exempt::Empty, _) => self.rtx.is_empty(),
            (Exempt::EmptyOrSingle, _) | (Exempt::FirstOrSecond, None) => self.rtx.at_most_one_skb(),
            (Exempt::FirstOrSecond, Some(id)) => id.wrapping_sub(self.rtx.first()) < 2,
        };
        if exempt {
            return false;
        }
        self.tsq.throttled = true;
        self.stats.tsq_throttled += 1;
        true
    }

    /// `tcp_wfree`: an skb charged to this socket was freed. True: the tasklet must be scheduled; call [`Socket::on_tsq`] in a later event of
    /// the same instant. Every packet that went down with this socket as its owner is freed once, whatever became of it: also one that the
    /// own queue refused.
    #[inline]
    pub fn on_free(&mut self, now: Time, truesize: u32) -> bool {
        debug_assert!(self.tsq.wmem >= truesize, "more freed than charged");
        self.tsq.wmem = self.tsq.wmem.saturating_sub(truesize);
        if !self.tsq.throttled || self.tsq.queued {
            return false;
        }
        // Linux frees what its queue refuses within the call that sent it, before TSQ sees that there is too much; here it comes back
        // afterwards, and must not wake the socket to send it once more in the same instant.
        if self.tsq.refused == Some(now) && self.tp.packets_out > 0 {
            return false;
        }
        self.tsq.throttled = false;
        self.tsq.queued = true;
        true
    }

    /// A super-packet below was cut into segments whose truesize sums up differently (`tcp_gso_segment`).
    pub fn on_gso(&mut self, super_packet: u32, segments: u32) {
        self.tsq.wmem = (self.tsq.wmem + segments).saturating_sub(super_packet);
    }

    /// `sk_pacing_shift_update`: mac80211 does this to every packet's socket.
    #[inline]
    pub fn on_pacing_shift(&mut self, shift: u8) {
        self.tp.pacing_shift = shift;
    }

    /// The tasklet (`tcp_tsq_handler`).
    pub fn on_tsq<L: Lower, P: Probe>(&mut self, now: Time, low: &mut L, _probe: &mut P) {
        self.tp.clock.set(now);
        self.tsq.queued = false;
        self.tsq_write(low);
        self.app_run(low);
    }

    /// `tcp_tsq_write`.
    pub(super) fn tsq_write<L: Lower>(&mut self, low: &mut L) {
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
        self.write_xmit(low, 0);
    }
}
