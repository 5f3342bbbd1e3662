//! The sending application and the send buffer: what was written and where in it skbs end.
//!
//! Stands for: the write queue of Linux 6.12's `struct sock`, whose skbs are told apart as far as where they end, PSH, FIN
//! and their number matter; net/ipv4/tcp_output.c `tcp_grow_skb`, `tso_fragment`.
//! `program` has what the application does. Differs: with that folder's D1 to D3.

use super::keepalive::Keepalive;
use super::patience::Patience;
use super::told::Told;
use crate::tcp::seq::{after, before, later};
use crate::tcp::sysctls::Sysctls;
use crate::tcp::tp::Tp;
use std::collections::VecDeque;

/// The application's and the send buffer's state.
#[derive(Clone, Debug)]
pub struct App {
    /// It writes; so many bytes are left (none: without end).
    pub bulk: Option<Option<u64>>,
    /// A program says when it writes and reads (calls.rs).
    pub calls: bool,
    /// `TCP_NODELAY`.
    pub nodelay: bool,
    /// `TCP_CORK`.
    pub corked: bool,
    /// `TCP_NAGLE_PUSH`: what waits may go, whatever Nagle says, until an skb is begun.
    pub push: bool,
    /// What is short does not wait now, whatever the program has set (`TCP_NAGLE_OFF` of a call).
    pub forced: bool,
    /// The write under way has `MSG_MORE`.
    pub more: bool,
    /// The write under way has `MSG_EOR`.
    pub eor: bool,
    /// `SO_SNDBUF` was set: not tuned.
    pub locked: bool,
    /// FIN stands at the end of what was written.
    pub fin: bool,
    /// Its sequence number.
    pub fin_seq: Option<u32>,
    /// `sk_sndbuf`, bytes of truesize.
    pub sndbuf: u32,
    /// It waits for space (`SOCK_NOSPACE`).
    pub no_space: bool,
    /// It is to run.
    pub wake: bool,
    /// The world says when it runs ([`on_writer`](crate::tcp::Socket::on_writer)), not the socket.
    pub scheduled: bool,
    /// It is in the middle of a call.
    pub interrupted: bool,
    /// What it is handing down.
    pub pushing: Option<Push>,
    /// Skbs that it has filled since it last looked into its backlog.
    pub filled: u8,
    /// The small queue's tasklet came meanwhile; what it would send goes once the program waits (`tcp_release_cb`).
    pub tsq_deferred: bool,
    /// Skbs on the retransmission queue.
    pub rtx_skbs: u32,
    /// Number of the next skb.
    pub next_skb: u32,
    /// Bytes that it puts in an skb.
    pub size_goal: u32,
    /// Up to here PSH is set or was (`pushed_seq`).
    pub pushed_seq: u32,
    /// Ends of skbs that carry PSH, in order.
    pub marks: VecDeque<u32>,
    /// Where the last skb begins, as far as it is not sent.
    pub tail: u32,
    /// Ends of the skbs in line but for the last's, in order; none where an skb has one segment at most.
    pub ends: VecDeque<u32>,
    /// End of the skb at the head of the queue that was counted as one segment (`tcp_skb_pcount`), before 6.10.
    pub single: Option<u32>,
    /// Bytes that the call under way still has to write.
    pub call_left: u32,
    /// It has written some.
    pub copied: bool,
    /// Ends of skbs that nothing may be added to (`MSG_EOR`), in order, as far as they are not sent.
    pub eors: VecDeque<u32>,
    /// `TCP_NOTSENT_LOWAT`: with so many bytes unsent, no more skbs are begun.
    pub notsent_lowat: u32,
    /// What a program is told of its sends, if it asks.
    pub told: Option<Box<Told>>,
    /// `TCP_USER_TIMEOUT`, milliseconds; 0: none.
    pub user_timeout: u32,
    /// SYNs that are sent again at most (`tcp_syn_retries`, `TCP_SYNCNT`); none: without end.
    pub syn_retries: Option<u32>,
    /// When its host gives up; none: never.
    pub patience: Patience,
    /// What else its host is set to.
    pub sysctls: Sysctls,
    /// A SYN that goes again asks for ECN no more (`tcp_ecn_fallback`).
    pub ecn_fallback: bool,
    /// `SO_KEEPALIVE`.
    pub keepalive: Keepalive,
    /// `TCP_LINGER2`, seconds; 0: as the host says; negative: FIN_WAIT2 ends at once.
    pub linger2: i32,
    /// The program has closed the descriptor (`SOCK_DEAD`).
    pub orphan: bool,
    /// Its first call to read takes what is there, however little (`tcp_recvmsg_locked`); later ones begin where nothing is.
    pub begins: bool,
    /// The reader was woken and has not run since.
    pub woken: bool,
    /// The program reads no more (`RCV_SHUTDOWN`).
    pub rcv_shutdown: bool,
    /// `SO_LINGER` with a time of 0: a close resets.
    pub linger_0: bool,
    /// Both directions were closed in order: FINs that come again are acknowledged.
    pub time_wait: bool,
    /// Why the connection ended before its time, until a call was told.
    pub error: Option<Error>,
}

/// What a push does with a short segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nagle {
    /// As the program has set it (`tp->nonagle`).
    Asked,
    /// It goes (`TCP_NAGLE_PUSH`).
    Off,
}

/// What a program hands down, once it has read the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Push {
    /// What becomes of a short segment.
    pub nagle: Nagle,
    /// The first skb in line alone (`tcp_push_one`).
    pub first: bool,
    /// It has read it.
    pub begun: bool,
    /// It waits for room after that.
    pub last: bool,
}

/// Why a connection ended (`sk_err`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// `ETIMEDOUT`.
    TimedOut,
    /// `ECONNRESET`.
    Reset,
    /// `ECONNREFUSED`.
    Refused,
    /// `EPIPE`.
    Pipe,
    /// `ENETUNREACH`.
    NetUnreachable,
    /// `EHOSTUNREACH`.
    HostUnreachable,
}

impl Error {
    /// As errno(3) has it.
    pub const fn name(self) -> &'static str {
        match self {
            Error::TimedOut => "ETIMEDOUT",
            Error::Reset => "ECONNRESET",
            Error::Refused => "ECONNREFUSED",
            Error::Pipe => "EPIPE",
            Error::NetUnreachable => "ENETUNREACH",
            Error::HostUnreachable => "EHOSTUNREACH",
        }
    }
}

impl App {
    /// Nothing to send.
    pub fn new(sndbuf: u32, seq: u32) -> App {
        App {
            bulk: None,
            calls: false,
            nodelay: false,
            corked: false,
            forced: false,
            push: false,
            more: false,
            eor: false,
            locked: false,
            fin: false,
            fin_seq: None,
            sndbuf,
            no_space: false,
            wake: false,
            scheduled: false,
            interrupted: false,
            pushing: None,
            filled: 0,
            tsq_deferred: false,
            rtx_skbs: 0,
            next_skb: 0,
            size_goal: 0,
            pushed_seq: seq,
            marks: VecDeque::with_capacity(16),
            tail: seq,
            ends: VecDeque::with_capacity(16),
            single: None,
            call_left: 0,
            copied: false,
            eors: VecDeque::new(),
            notsent_lowat: u32::MAX,
            told: None,
            user_timeout: 0,
            syn_retries: None,
            patience: Patience::default(),
            sysctls: Sysctls::default(),
            ecn_fallback: true,
            keepalive: Keepalive::default(),
            linger2: 0,
            orphan: false,
            begins: false,
            woken: false,
            rcv_shutdown: false,
            linger_0: false,
            time_wait: false,
            error: None,
        }
    }
    /// The connection begins at `seq`.
    pub fn written(&mut self, seq: u32) {
        (self.pushed_seq, self.tail) = (seq, seq);
    }
    /// Bytes of payload written and not sent.
    #[inline]
    pub fn unsent_data(&self, tp: &Tp) -> u32 {
        tp.unsent().saturating_sub(u32::from(self.fin))
    }
    /// How much of `data` unsent bytes may go into one skb, whatever else limits it.
    #[inline]
    pub fn until_eor(&self, tp: &Tp, data: u32) -> u32 {
        if self.eors.is_empty() {
            return data;
        }
        data.min(self.eors[0].wrapping_sub(tp.snd_nxt))
    }
    /// What was sent is no longer in line.
    #[inline]
    pub fn sent(&mut self, tp: &Tp) {
        while self.ends.front().is_some_and(|&e| !after(e, tp.snd_nxt)) {
            self.ends.pop_front();
        }
    }
    /// Where the last skb in line begins. `single`: an skb has one segment at most.
    #[inline]
    pub fn last_begins(&mut self, tp: &Tp, single: bool) -> u32 {
        if single {
            return later(self.tail, tp.snd_nxt);
        }
        self.sent(tp);
        self.ends.back().copied().unwrap_or(tp.snd_nxt)
    }
    /// Skbs in line.
    #[inline]
    pub fn in_line(&self, tp: &Tp) -> u32 {
        match (self.ends.len() as u32, tp.unsent()) {
            (0, 0) => 0,
            (0, unsent) => unsent.div_ceil(self.size_goal.max(1)),
            // The last has grown beyond the goal, and none is begun behind it.
            (n, _) if self.ends.back() == Some(&tp.snd_nxt.wrapping_add(self.unsent_data(tp))) => n,
            (n, _) => n + 1,
        }
    }
    /// Length of the skb at the head of the write queue, as the application filled it and sending has split it, and whether it is the
    /// last.
    #[inline]
    pub fn head_skb(&self, tp: &Tp) -> (u32, bool) {
        if let Some(&end) = self.ends.front() {
            return (end.wrapping_sub(tp.snd_nxt), end == tp.snd_nxt.wrapping_add(self.unsent_data(tp)));
        }
        let data = self.unsent_data(tp);
        let head = self.until_eor(tp, data);
        (head.min(self.size_goal.max(1)), head == data && data <= self.size_goal)
    }
    /// Whether FIN follows the byte before `end`.
    #[inline]
    pub fn fin_at(&self, end: u32) -> bool {
        self.fin && self.fin_seq == Some(end)
    }
    /// `TCP_NODELAY`.
    pub const fn nodelay(&self) -> bool {
        self.nodelay || self.push || self.forced
    }
    /// What is short waits for more (`TCP_NAGLE_CORK`).
    pub const fn corked(&self) -> bool {
        (self.more || (self.corked && !self.push)) && !self.forced
    }
    /// Whether FIN is the last of what is written.
    pub const fn fin_is_last(&self) -> bool {
        self.fin
    }
    /// Whether it waits for space.
    pub const fn no_space(&self) -> bool {
        self.no_space
    }
    /// A number for an skb that goes on the retransmission queue.
    #[inline]
    pub fn new_skb(&mut self) -> u32 {
        self.rtx_skbs += 1;
        self.next_skb = self.next_skb.wrapping_add(1);
        self.next_skb
    }
    /// A segment of `skb` was acknowledged; `next` is the skb of the one after it.
    #[inline]
    pub fn acked(&mut self, skb: u32, next: Option<u32>) {
        if next != Some(skb) {
            self.rtx_skbs -= 1;
        }
    }
    /// Skbs that were sent and are not acknowledged.
    #[cfg(test)]
    pub const fn sent_skbs(&self) -> u32 {
        self.rtx_skbs
    }
    /// An skb was merged with the one before it.
    #[inline]
    pub fn merged(&mut self) {
        self.rtx_skbs -= 1;
    }
    /// `tcp_grow_skb`: the first skb in line, which is not the last, takes up to `room` bytes from the next.
    #[inline]
    pub fn grow_head(&mut self, tp: &Tp, room: u32) {
        let Some(&end) = self.ends.front() else { return };
        if self.eors.front() == Some(&end) {
            return;
        }
        let tail = self.ends.len() == 1;
        let next = self.ends.get(1).copied().unwrap_or(tp.snd_nxt.wrapping_add(self.unsent_data(tp)));
        let grown = end.wrapping_add(room.min(next.wrapping_sub(end)));
        if grown == next {
            self.ends.pop_front();
            if tail && grown.wrapping_sub(tp.snd_nxt) > self.size_goal {
                self.ends.push_front(grown); // too long for anything to be written behind it
            }
            if let Some(t) = &mut self.told {
                t.stamps.merged(tp.snd_nxt, grown);
            }
        } else {
            self.ends[0] = grown;
        }
        self.carry_push(grown);
    }
    /// `tso_fragment`: the first skb in line ends at `end`, and what it had behind is an skb of its own.
    #[inline]
    pub fn split_head(&mut self, end: u32) {
        self.ends.push_front(end);
    }
    /// The first skb in line reaches up to `end` now. A PSH that it carries goes along.
    #[inline]
    pub fn carry_push(&mut self, end: u32) {
        if self.marks.front().is_some_and(|&m| before(m, end)) {
            while self.marks.front().is_some_and(|&m| before(m, end)) {
                self.marks.pop_front();
            }
            if self.marks.front() != Some(&end) {
                self.marks.push_front(end);
            }
        }
    }
    /// The next skb, which ends at `end`, carries PSH.
    pub fn push_end(&mut self, end: u32) {
        self.carry_push(end);
        if self.marks.front() != Some(&end) {
            self.marks.push_front(end);
        }
    }
    /// Whether the skb that ends at `end` carries PSH.
    #[inline]
    pub fn push_at(&mut self, end: u32) -> bool {
        let mut push = false;
        while self.marks.front().is_some_and(|&m| !after(m, end)) {
            self.marks.pop_front();
            push = true;
        }
        while !self.eors.is_empty() && !after(self.eors[0], end) {
            self.eors.pop_front();
        }
        push
    }
    /// The host's own queue refused the skb that ends at `end`: it stays the first in line, with the PSH and the end of record that it has.
    #[cold]
    pub fn kept(&mut self, end: u32, push: bool, eor: bool) {
        if push {
            self.push_end(end);
        }
        if eor {
            self.eors.push_front(end);
        }
    }
    /// `tcp_stream_memory_free`: few enough bytes are unsent; `wake`: so few that it is worth waking who waits.
    #[inline]
    pub fn lowat_allows(&self, tp: &Tp, wake: bool) -> bool {
        self.notsent_lowat == u32::MAX || u64::from(tp.unsent()) << u32::from(wake) < u64::from(self.notsent_lowat)
    }
}
