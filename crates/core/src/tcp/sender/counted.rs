//! What finding losses by counting remembers: whether FACK holds, how far was marked, and what was looked at last.
//!
//! Stands for: `tcp_is_fack`, `do_early_retrans`, `lost_skb_hint` and `lost_cnt_hint` of Linux 3.10 to 4.14 include/linux/tcp.h.
//! Differs: nothing. `recovery::counted` says what is done with them.

use crate::tcp::profile::Detection;

/// Loss detection before RACK.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// What lies far enough below the highest SACKed segment is lost (`tcp_is_fack`).
    pub fack: bool,
    /// Three segments or fewer that are out need fewer duplicates (`do_early_retrans`).
    pub early: bool,
    /// The first segment that was not looked at yet, if any was (`lost_skb_hint`).
    pub next: Option<u32>,
    /// SACKed segments before it (`lost_cnt_hint`), where FACK does not hold.
    pub sacked: u32,
    /// Number after the highest SACKed segment when retransmissions were last looked at.
    pub seen: u32,
    /// Recovery was entered by this ACK (`fast_rexmit`).
    pub entered: bool,
    /// Segments that the latest ACK took off the queue (`acked`).
    pub acked: u32,
}

impl Counted {
    /// A connection begins.
    pub const fn new(detection: Detection) -> Counted {
        let on = matches!(detection, Detection::Fack);
        Counted { fack: on, early: on, next: None, sacked: 0, seen: 0, entered: false, acked: 0 }
    }
    /// `tcp_update_reordering`: the network reorders; by more than was known, or not.
    pub fn reordered(&mut self, more: bool) {
        if more && self.fack {
            self.fack = false;
            self.next = None;
        }
        self.early = false;
    }
    /// `tcp_clear_all_retrans_hints`.
    pub fn restart(&mut self) {
        self.next = None;
    }
}
