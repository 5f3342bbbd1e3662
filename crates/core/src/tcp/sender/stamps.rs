//! Which bytes of a program's sends it is to be told about, and when: as they are handed down, as they leave the device, as they are
//! acknowledged (`SO_TIMESTAMPING`).
//!
//! Stands for: Linux 6.12 net/core/sock.c `sock_set_timestamping`; net/ipv4/tcp.c `tcp_tx_timestamp`; net/ipv4/tcp_output.c `tcp_fragment_tstamp`,
//! `tcp_skb_collapse_tstamp`; net/ipv4/tcp_offload.c `tcp_gso_tstamp`; net/ipv4/tcp_input.c `tcp_ack_tstamp`.
//! Differs: D1 an skb that is acknowledged beyond its key, but not to its end, forgets the key: what is left of it may go again untold.

use crate::tcp::seq::{after, before};
use std::collections::VecDeque;

/// What a program may set. src: linux@6.12 include/uapi/linux/net_tstamp.h
pub mod sof {
    /// Tell of what a device says has left.
    pub const TX_HARDWARE: u32 = 1;
    /// Tell of what leaves for the device.
    pub const TX_SOFTWARE: u32 = 1 << 1;
    /// Notices number their bytes.
    pub const OPT_ID: u32 = 1 << 7;
    /// Tell of what is handed down.
    pub const TX_SCHED: u32 = 1 << 8;
    /// Tell of what is acknowledged.
    pub const TX_ACK: u32 = 1 << 9;
    /// Notices come without their packet.
    pub const OPT_TSONLY: u32 = 1 << 11;
    /// Notices come with numbers of the connection.
    pub const OPT_STATS: u32 = 1 << 12;
    /// They count from what is written, not from what is acknowledged.
    pub const OPT_ID_TCP: u32 = 1 << 16;
    /// All that there is (`SOF_TIMESTAMPING_MASK`).
    pub const ALL: u32 = (1 << 18) - 1;
    /// What makes a send tell (`SOF_TIMESTAMPING_TX_RECORD_MASK`).
    pub const RECORD: u32 = TX_HARDWARE | TX_SOFTWARE | TX_SCHED | TX_ACK;
}

/// What became of a byte. The numbers are the kernel's. src: linux@6.12 include/uapi/linux/errqueue.h
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It left for the device (`SCM_TSTAMP_SND`).
    Sent = 0,
    /// It was handed down to the qdisc (`SCM_TSTAMP_SCHED`).
    Queued = 1,
    /// It was acknowledged (`SCM_TSTAMP_ACK`).
    Acked = 2,
}

impl Step {
    /// What asks for it.
    const fn flag(self) -> u32 {
        match self {
            Step::Sent => sof::TX_SOFTWARE,
            Step::Queued => sof::TX_SCHED,
            Step::Acked => sof::TX_ACK,
        }
    }
}

/// An skb's key.
#[derive(Clone, Copy, Debug)]
struct Ask {
    /// The byte (`tskey`).
    key: u32,
    /// What is asked.
    flags: u32,
    /// It had left when that was asked, and nobody has been told since of what left before.
    late: bool,
}

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Stamps {
    /// `sk_tsflags`.
    pub flags: u32,
    /// What notices count from (`sk_tskey`).
    base: u32,
    /// One an skb, in order.
    asked: VecDeque<Ask>,
}

impl Stamps {
    /// The option is set; `state`: of the connection, if it is one. False: it may not be.
    pub fn set(&mut self, flags: u32, open: bool, snd_una: u32, write_seq: u32) -> bool {
        let has = |f| flags & f != 0;
        if flags & !sof::ALL != 0
            || (has(sof::OPT_ID_TCP) && !has(sof::OPT_ID))
            || (has(sof::OPT_STATS) && !has(sof::OPT_TSONLY))
        {
            return false;
        }
        if has(sof::OPT_ID) && self.flags & sof::OPT_ID == 0 {
            if !open {
                return false;
            }
            self.base = if has(sof::OPT_ID_TCP) { write_seq } else { snd_una };
        }
        self.flags = flags;
        true
    }
    /// A send ends at `end`, in an skb that begins at `from`; `left`: that was sent already.
    pub fn wrote(&mut self, from: u32, end: u32, left: bool) {
        if self.flags & sof::RECORD != 0 {
            let flags = self.take_from(from) | (self.flags & sof::RECORD);
            self.asked.push_back(Ask { key: end.wrapping_sub(1), flags, late: left });
        }
    }
    /// What is between the two is one skb now: the last key is its key.
    pub fn merged(&mut self, from: u32, end: u32) {
        let first = self.asked.partition_point(|a| before(a.key, from));
        let n = self.asked.iter().skip(first).take_while(|a| before(a.key, end)).count();
        for _ in 1..n {
            let gone = self.asked.remove(first).map_or(0, |a| a.flags);
            self.asked[first].flags |= gone;
        }
    }
    fn take_from(&mut self, from: u32) -> u32 {
        let mut flags = 0;
        while self.asked.back().is_some_and(|a| !before(a.key, from)) {
            flags |= self.asked.pop_back().map_or(0, |a| a.flags);
        }
        flags
    }
    /// Bytes from `from` to before `end` have come to `step`: the key among them, if that was to be told.
    pub fn reached(&self, step: Step, from: u32, end: u32, again: bool) -> Option<u32> {
        let a = self.asked.get(self.asked.partition_point(|a| before(a.key, from)))?;
        (before(a.key, end) && a.flags & step.flag() != 0 && (again || !a.late)).then_some(a.key)
    }
    /// What left until now was told.
    pub fn told(&mut self) {
        for a in self.asked.iter_mut().rev().take_while(|a| a.late) {
            a.late = false;
        }
    }
    /// Whether a byte from `from` to before `end` is a key.
    pub fn any_between(&self, from: u32, end: u32) -> bool {
        self.asked.iter().any(|a| !before(a.key, from) && before(a.key, end))
    }
    /// The first key, if it is acknowledged.
    pub fn first_acked(&self, snd_una: u32) -> Option<u32> {
        self.asked.front().map(|a| a.key).filter(|k| after(snd_una, *k))
    }
    /// Forgets it: whether that was to be told.
    pub fn forget(&mut self) -> bool {
        self.asked.pop_front().is_some_and(|a| a.flags & sof::TX_ACK != 0)
    }
    /// A key as it is told (`ee_data`).
    pub fn number(&self, key: u32) -> u32 {
        if self.flags & sof::OPT_ID != 0 { key.wrapping_sub(self.base) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_skb_has_one_key_the_last() {
        let mut s = Stamps::default();
        assert!(s.set(sof::TX_ACK | sof::TX_SCHED | sof::OPT_ID, true, u32::MAX - 9, 0));
        // Two calls into one skb, a third into its own.
        s.wrote(u32::MAX - 9, u32::MAX - 4, false);
        s.wrote(u32::MAX - 9, 5, false);
        s.wrote(5, 10, false);
        assert_eq!(s.reached(Step::Queued, u32::MAX - 9, u32::MAX - 4, false), None);
        assert_eq!(s.reached(Step::Queued, u32::MAX - 9, 5, false).map(|k| s.number(k)), Some(14));
        assert_eq!(s.reached(Step::Sent, u32::MAX - 9, 5, false), None, "not asked");
        s.merged(u32::MAX - 9, 10);
        assert_eq!(s.first_acked(9), None);
        assert_eq!((s.first_acked(10), s.forget(), s.first_acked(10)), (Some(9), true, None));
    }

    #[test]
    fn what_had_left_is_told_when_it_goes_again() {
        let mut s = Stamps::default();
        assert!(s.set(sof::TX_SCHED, false, 0, 0));
        s.wrote(0, 100, true);
        assert_eq!(s.reached(Step::Queued, 0, 100, false), None);
        s.told();
        assert_eq!(s.reached(Step::Queued, 0, 100, true), Some(99));
        assert_eq!(s.number(99), 0, "without OPT_ID");
    }

    #[test]
    fn what_may_be_set() {
        let set = |flags, open| Stamps::default().set(flags, open, 0, 0);
        assert!(set(sof::TX_ACK, false) && set(sof::OPT_ID, true) && set(sof::OPT_TSONLY | sof::OPT_STATS, true));
        assert!(!set(sof::OPT_ID, false) && !set(sof::OPT_ID_TCP, true) && !set(sof::OPT_STATS, true));
        assert!(!set(1 << 18, true));
    }
}
