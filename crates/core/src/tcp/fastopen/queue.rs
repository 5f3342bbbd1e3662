//! How many connections of a listener may have opened fast and not be through their handshake, and the listener's side of the cookie: is a SYN to
//! make a connection at once?
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_fastopen.c `tcp_try_fastopen`, `tcp_fastopen_queue_check`; net/core/request_sock.c
//! `reqsk_fastopen_remove`. Differs: with mod.rs's D1.

use super::cookie::Cookie;
use crate::sim::{Span, Time};
use std::collections::VecDeque;

/// A connection that was reset counts so much longer (RFC 7413, 5.1).
const RESET_COUNTS: Span = Span::from_s(60);

/// What is answered to a SYN.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Answer {
    /// The connection begins at once, with the SYN's data.
    pub at_once: bool,
    /// What goes with the SYN-ACK.
    pub cookie: Option<Cookie>,
}

/// The listener's queue (`struct fastopen_queue`).
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// `TCP_FASTOPEN`: how many at most; 0: Fast Open is off.
    pub most: u32,
    /// How many there are.
    len: u32,
    /// Until when those count that were reset.
    resets: VecDeque<Time>,
}

impl Queue {
    /// `tcp_fastopen_queue_check`.
    pub fn has_room(&mut self, now: Time) -> bool {
        if self.most == 0 {
            return false;
        }
        if self.len >= self.most {
            if self.resets.front().is_none_or(|&t| t > now) {
                return false;
            }
            self.resets.pop_front();
            self.len -= 1;
        }
        true
    }
    /// A SYN whose option is `cookie` asks, and there is room. `valid` are the cookies that the peer may have, by the key in use first;
    /// none are asked for if `cookieless`.
    pub fn answer(&mut self, cookie: Option<Cookie>, valid: &[Cookie], cookieless: bool) -> Answer {
        let at_once = |cookie| Answer { at_once: true, cookie };
        let a = match cookie {
            _ if cookieless => at_once(None),
            None => Answer::default(),
            Some(c) => {
                let newest = valid.first().and_then(|v| Cookie::new(v.bytes(), c.experimental));
                match valid.iter().position(|v| !c.is_request() && v.bytes() == c.bytes()) {
                    Some(0) => at_once(None),
                    // An old key's: it holds, and the answer brings a new one.
                    Some(_) => at_once(newest),
                    None => Answer { at_once: false, cookie: newest },
                }
            }
        };
        self.len += u32::from(a.at_once);
        a
    }
    /// `reqsk_fastopen_remove`: a handshake is through; `reset`: by a reset of a connection that a program has accepted.
    pub fn leaves(&mut self, now: Time, reset: bool) {
        if reset {
            self.resets.push_back(now + RESET_COUNTS);
        } else {
            self.len -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cookie(b: u8) -> Cookie {
        Cookie::new(&[b; 8], false).unwrap()
    }

    #[test]
    fn a_valid_cookie_opens_and_any_other_brings_a_new_one() {
        let mut q = Queue { most: 9, ..Queue::default() };
        let valid = [cookie(1), cookie(2)];
        let none = Answer::default();
        let fresh = |at_once| Answer { at_once, cookie: Some(cookie(1)) };
        assert_eq!(q.answer(None, &valid, false), none);
        assert_eq!(q.answer(Some(Cookie::request(false)), &valid, false), fresh(false));
        assert_eq!(q.answer(Some(cookie(3)), &valid, false), fresh(false));
        assert_eq!(q.answer(Some(cookie(1)), &valid, false), Answer { at_once: true, cookie: None });
        assert_eq!(q.answer(Some(cookie(2)), &valid, false), fresh(true));
        assert_eq!(q.answer(None, &valid, true), Answer { at_once: true, cookie: None });
        let experimental = q.answer(Some(Cookie::request(true)), &valid, false).cookie.unwrap();
        assert_eq!((experimental.bytes(), experimental.experimental), (&[1; 8][..], true));
    }

    #[test]
    fn a_full_queue_turns_it_off_and_a_reset_counts_a_minute() {
        let s = |n: u64| Time::from_ms(n * 1_000);
        let mut q = Queue::default();
        assert!(!q.has_room(s(0)), "off");
        q.most = 1;
        assert!(q.has_room(s(0)));
        q.answer(None, &[], true);
        assert!(!q.has_room(s(0)));
        q.leaves(s(1), false);
        assert!(q.has_room(s(1)));
        q.answer(None, &[], true);
        q.leaves(s(2), true);
        assert!(!q.has_room(s(61)));
        assert!(q.has_room(s(62)));
    }
}
