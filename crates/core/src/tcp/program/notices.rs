//! What a program asks to be told of its sends, and what it is told.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp.c `tcp_tx_timestamp`; net/socket.c `SO_TIMESTAMPING`. Differs: D1 whoever stands below says what left
//! ([`Socket::tell`]), after the call that sent it: no packet of a simulation pays for it.

use crate::sim::Time;
use crate::tcp::sender::told::{Left, Notice};
use crate::tcp::socket::{Socket, State};

impl Socket {
    /// `SO_TIMESTAMPING`. False: these flags may not be set (`EINVAL`).
    pub fn set_timestamping(&mut self, flags: u32) -> bool {
        let open = !matches!(self.state, State::Closed | State::Listen);
        let (una, end) = (self.tp.snd_una, self.tp.write_seq);
        self.app.told.get_or_insert_default().stamps.set(flags, open, una, end)
    }
    /// What was set so.
    pub fn timestamping(&self) -> u32 {
        self.app.told.as_ref().map_or(0, |t| t.stamps.flags)
    }
    /// A send has ended: its last byte, and the skb that this is in.
    pub(in crate::tcp) fn stamp_send(&mut self) {
        if self.app.told.is_none() {
            return;
        }
        let left = self.tp.unsent() == 0;
        let from = if left {
            self.rtx.last_skb_begins().unwrap_or(self.tp.snd_nxt)
        } else {
            self.app.last_begins(&self.tp, self.gso_max_segs == 1)
        };
        if let Some(told) = &mut self.app.told {
            told.stamps.wrote(from, self.tp.write_seq, left);
        }
    }
    /// What was written without a copy so far is a send.
    pub fn sent_without_copy(&mut self) {
        let end = self.tp.write_seq;
        self.app.told.get_or_insert_default().zerocopy.sent(end);
    }
    /// What is acknowledged, and what has left since the last time, is put on the error queue.
    pub fn tell(&mut self, now: Time, left: impl Iterator<Item = Left>) {
        let Some(told) = &mut self.app.told else { return };
        told.acked(now, self.tp.snd_una);
        left.for_each(|l| told.left(&l));
        told.stamps.told();
    }
    /// Whether the error queue has a notice.
    pub fn has_notice(&self) -> bool {
        self.app.told.as_ref().is_some_and(|t| t.any())
    }
    /// How often the error queue was reported.
    pub fn notices(&self) -> u32 {
        self.app.told.as_ref().map_or(0, |t| t.reports)
    }
    /// Takes the oldest notice of the error queue.
    pub fn take_notice(&mut self) -> Option<Notice> {
        self.app.told.as_mut().and_then(|t| t.take())
    }
}
