//! The SACK scoreboard: what the sender remembers of what the receiver already has. The marks themselves are the segments'
//! ([`rtx`](crate::tcp::rtx)).
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_highest_sack_seq`, `tcp_mark_skb_lost`, `struct tcp_sacktag_state`; `recv_sack_cache`.
//! Differs: nothing.

use crate::tcp::cc::{Algorithm, Control};
use crate::tcp::profile::Profile;
use crate::tcp::rtx::{Rtx, tag};
use crate::tcp::tp::Tp;

/// A SACK block.
pub type Block = (u32, u32);

/// What the scoreboard remembers between ACKs.
#[derive(Clone, Copy, Debug)]
pub struct Scoreboard {
    /// Number after the highest SACKed segment.
    pub highest: u32,
    forgets: bool,
    /// It was the last of what was out, or there never was one, and what is sent later does not follow it
    /// ([`Profile::highest_sack_forgets`](crate::tcp::profile::Profile::highest_sack_forgets)).
    forgotten: bool,
    /// Where to look for the next segment to retransmit.
    pub hint: Option<u32>,
    hint_from_none: bool,
    lost_is_not_out: bool,
    /// Blocks of the last ACK that had any, in order.
    pub cache: [Block; 4],
    /// How many.
    pub cached: u8,
    /// DSACKed segments, ever.
    pub dsack_dups: u64,
    /// The receiver dropped what it had SACKed.
    pub reneged: bool,
}

impl Scoreboard {
    /// Nothing SACKed.
    pub const fn new(profile: &Profile) -> Scoreboard {
        let (forgets, hint_from_none) = (profile.highest_sack_forgets, profile.hint_from_none);
        Scoreboard {
            highest: 0,
            forgets,
            // Before there was a block there is none either.
            forgotten: forgets,
            hint: None,
            hint_from_none,
            lost_is_not_out: profile.lost_is_not_out,
            cache: [(0, 0); 4],
            cached: 0,
            dsack_dups: 0,
            reneged: false,
        }
    }

    /// `tcp_advance_highest_sack`: segment `id` is SACKed, which may lie above all that were.
    pub fn advance(&mut self, rtx: &Rtx, id: u32) {
        let first = rtx.first();
        if !self.forgotten && id.wrapping_sub(first) >= self.highest.wrapping_sub(first) {
            self.highest = id.wrapping_add(1);
            self.forgotten = self.forgets && !rtx.contains(self.highest);
        }
    }

    /// `tcp_highest_sack_reset`.
    pub fn restart(&mut self, rtx: &Rtx) {
        (self.highest, self.forgotten) = (rtx.first(), false);
    }

    /// Something is sent where nothing was out (`tcp_event_new_data_sent`).
    pub fn begin(&mut self, rtx: &Rtx) {
        if !self.forgets {
            self.restart(rtx);
        }
    }

    /// `tcp_highest_sack_seq`.
    pub fn highest_seq(&self, tp: &Tp, rtx: &Rtx) -> u32 {
        if tp.sacked_out == 0 {
            tp.snd_una
        } else if rtx.contains(self.highest) && !self.forgotten {
            rtx.get(self.highest).seq
        } else {
            tp.snd_nxt
        }
    }

    /// `tcp_mark_skb_lost`.
    pub fn mark_lost(&mut self, tp: &mut Tp, rtx: &mut Rtx, ca: &mut Algorithm, id: u32) {
        self.mark_counted(tp, rtx, ca, id);
        if self.lost_is_not_out && rtx.get(id).has(tag::RETRANS) && !rtx.get(id).has(tag::SACKED) {
            rtx.get_mut(id).tags &= !tag::RETRANS;
            tp.retrans_out -= 1;
        }
    }

    /// `tcp_skb_mark_lost`: the same of what counting finds, where a retransmission that is out stays believed in.
    pub fn mark_counted(&mut self, tp: &mut Tp, rtx: &mut Rtx, ca: &mut Algorithm, id: u32) {
        let first = rtx.first();
        let s = rtx.get_mut(id);
        if s.has(tag::SACKED) {
            return;
        }
        // The next to be retransmitted may now lie before the one we had in mind.
        let earlier = self.hint.is_some_and(|h| id.wrapping_sub(first) < h.wrapping_sub(first));
        if (self.hint.is_none() && (tp.retrans_out >= tp.lost_out || self.hint_from_none)) || earlier {
            self.hint = Some(id);
        }
        if s.has(tag::LOST) {
            if !s.has(tag::RETRANS) {
                return;
            }
            s.tags &= !tag::RETRANS;
            tp.retrans_out -= 1;
        } else {
            s.tags |= tag::LOST;
            tp.lost_out += 1;
        }
        tp.lost = tp.lost.wrapping_add(1);
        ca.seg_lost(tp, s);
    }
}

/// What the SACKs of one ACK told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tagged {
    /// When the first and the last of the newly SACKed never-retransmitted segments were sent, microseconds; 0: none.
    pub first_us: u64,
    /// See `first_us`.
    pub last_us: u64,
    /// Segments newly delivered.
    pub delivered: u32,
    /// Flags for the ACK.
    pub flags: u32,
    /// Lowest never-retransmitted segment that was SACKed below something SACKed before.
    pub reord: u32,
    /// The segment that the walk has come to.
    pub at: Option<u32>,
    /// A block of what came twice, within the one that is looked at.
    pub next_dup: Option<(u32, u32)>,
    /// The last skb sent again that came twice.
    pub dup_skb: Option<u32>,
}
