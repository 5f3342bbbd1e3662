//! What a receiver remembers of acknowledging: what is due, how quick, and the timers.
//!
//! Stands for: `icsk_ack` of Linux 6.12 include/net/inet_connection_sock.h, and `compressed_ack`, `dup_ack_counter` of `struct tcp_sock`.

use super::stretch::Stretch;
use crate::sim::Time;

/// The state of acknowledging (`icsk_ack`).
#[derive(Clone, Copy, Debug)]
pub struct Delack {
    /// An ACK is due.
    pub scheduled: bool,
    /// Now.
    pub now: bool,
    /// Data found no memory: the ACK shuts the window (`ICSK_ACK_NOMEM`).
    pub no_memory: bool,
    pub timer: bool,
    pub pushed: bool,
    pub pushed2: bool,
    /// ACKs that still go out at once.
    pub quick: u32,
    /// Replies in a row.
    pub pingpong: u8,
    /// So many make ACKs wait for the next.
    pub pingpong_thresh: u8,
    /// Timeout, jiffies; 0: no data came yet.
    pub ato: u32,
    /// When data last came, jiffies.
    pub lrcvtime: u32,
    pub timeout: u64,
    pub fires: Time,
    /// The same of a timer that was turned off since: it stands in the wheel all the same.
    pub stands: Time,
    pub compressed: u8,
    pub comp_fires: Time,
    pub dup_acks: u8,
    pub dup_nxt: u32,
    pub last_seg_size: u32,
    /// Where the receiver stretches its ACKs.
    pub stretch: Option<Stretch>,
    /// The last segment had PSH.
    pub push: bool,
    /// What is taken waited for a program that owns the socket.
    pub of_backlog: bool,
    /// An ACK waits for that program to let go (`TCP_ACK_DEFERRED`).
    pub deferred: bool,
}

impl Delack {
    /// Nothing came; `stretches`: every eighth segment of a stream is acknowledged; `pingpong_thresh` replies in a row make ACKs wait.
    pub const fn new(stretches: bool, pingpong_thresh: u8) -> Delack {
        Delack { stretch: if stretches { Some(Stretch::NEW) } else { None }, pingpong_thresh, ..Delack::NEW }
    }
    const NEW: Delack = Delack {
        scheduled: false,
        now: false,
        no_memory: false,
        timer: false,
        pushed: false,
        pushed2: false,
        quick: 0,
        pingpong: 0,
        pingpong_thresh: 1,
        ato: 0,
        lrcvtime: 0,
        timeout: 0,
        fires: Time::NEVER,
        stands: Time::NEVER,
        compressed: 0,
        comp_fires: Time::NEVER,
        dup_acks: 0,
        dup_nxt: 0,
        last_seg_size: 0,
        stretch: None,
        push: false,
        of_backlog: false,
        deferred: false,
    };
    /// `sk_reset_timer` of the delayed ACK's timer.
    #[inline]
    pub fn arm(&mut self, at: Time) {
        (self.fires, self.stands) = (at, at);
    }
    /// `icsk_ack.quick |= 1`: the window opened, tell at once.
    #[inline]
    pub fn quick_one(&mut self) {
        self.quick |= 1;
    }
    /// `__tcp_select_window`: `may` is false where the window has begun to close; ACKs are then not quick any more.
    #[inline]
    pub fn quick_if(&mut self, may: bool) {
        if !may {
            self.quick = 0;
        }
    }
    /// `inet_csk_enter_pingpong_mode`: ACKs ride on replies.
    pub fn enter_pingpong(&mut self) {
        self.pingpong = self.pingpong_thresh;
    }
    /// Nothing more will be acknowledged.
    pub fn clear_timers(&mut self) {
        (self.fires, self.comp_fires, self.timer, self.compressed) = (Time::NEVER, Time::NEVER, false, 0);
    }
    /// When its timers fire.
    #[inline]
    pub fn wake_at(&self) -> Time {
        self.fires.min(self.comp_fires)
    }
}
