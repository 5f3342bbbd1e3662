//! What a client's host remembers of a server: its cookie, its segment size, and by which number it understands the option.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_metrics.c `tcp_fastopen_cache_get`, `tcp_fastopen_cache_set`; net/ipv4/tcp_fastopen.c
//! `tcp_fastopen_cookie_check`. Differs: with mod.rs's D2.

use super::blackhole::{Blackhole, Trust};
use super::cookie::Cookie;
use crate::sim::Time;

/// What a SYN may carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Permit {
    /// Data, and this cookie; none: no cookie is needed.
    Data(Option<Cookie>),
    /// No data, but the request of a cookie.
    Ask(Cookie),
    /// Neither: Fast Open is given up for now.
    Plain,
}

/// A permit, and what goes with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leave {
    /// What the SYN may carry.
    pub permit: Permit,
    /// Segment size that the server announced last, bytes.
    pub mss: Option<u16>,
    /// It was given up once: whether it works now is to be told.
    pub on_trial: bool,
}

/// What an answer to a SYN taught.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Learned {
    /// Segment size that it announced, bytes; 0: none.
    pub mss: u16,
    /// The cookie in it.
    pub cookie: Option<Cookie>,
    /// Only the SYN without data seems to have arrived.
    pub syn_lost: bool,
    /// 1: the request had no answer, try the experimental number; 2: nor had that.
    pub try_experimental: u8,
}

/// What is known of one server.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cache {
    mss: Option<u16>,
    cookie: Option<Cookie>,
    try_experimental: u8,
    /// SYNs with data in a row that seem to be lost.
    pub syn_losses: u32,
}

impl Cache {
    /// What a SYN to it may carry; `cookieless`: no cookie is asked for.
    pub fn leave(&self, now: Time, cookieless: bool, blackhole: &Blackhole) -> Leave {
        let trust = blackhole.trust(now);
        let permit = match self.cookie {
            _ if trust == Trust::None => Permit::Plain,
            _ if cookieless => Permit::Data(None),
            Some(c) => Permit::Data(Some(c)),
            None => Permit::Ask(Cookie::request(self.try_experimental == 1)),
        };
        Leave { permit, mss: self.mss, on_trial: trust == Trust::OnTrial }
    }
    /// An answer came.
    pub fn learn(&mut self, l: &Learned) {
        if l.mss != 0 {
            self.mss = Some(l.mss);
        }
        match l.cookie.filter(|c| !c.is_request()) {
            Some(c) => self.cookie = Some(c),
            None if l.try_experimental > self.try_experimental && self.cookie.is_none() => {
                self.try_experimental = l.try_experimental;
            }
            None => {}
        }
        self.syn_losses = if l.syn_lost { self.syn_losses + 1 } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(cookie: Option<Cookie>, try_experimental: u8) -> Learned {
        Learned { mss: 940, cookie, syn_lost: false, try_experimental }
    }

    #[test]
    fn a_cookie_is_asked_for_once_and_then_used() {
        let (mut c, b) = (Cache::default(), Blackhole::default());
        assert_eq!(c.leave(Time::ZERO, false, &b).permit, Permit::Ask(Cookie::request(false)));
        assert_eq!(c.leave(Time::ZERO, true, &b).permit, Permit::Data(None));
        let cookie = Cookie::new(&[1, 2, 3, 4], false).unwrap();
        c.learn(&answer(Some(cookie), 0));
        // An answer without one leaves it; an empty one is none.
        c.learn(&answer(None, 1));
        c.learn(&answer(Some(Cookie::request(false)), 0));
        let leave = c.leave(Time::ZERO, false, &b);
        assert_eq!((leave.permit, leave.mss), (Permit::Data(Some(cookie)), Some(940)));
    }

    #[test]
    fn without_an_answer_the_experimental_number_is_tried_once() {
        let (mut c, b) = (Cache::default(), Blackhole::default());
        let mut asked = Vec::new();
        for _ in 0..4 {
            let Permit::Ask(cookie) = c.leave(Time::ZERO, false, &b).permit else { panic!() };
            asked.push(cookie.experimental);
            c.learn(&answer(None, if cookie.experimental { 2 } else { 1 }));
        }
        assert_eq!(asked, [false, true, false, false]);
    }

    #[test]
    fn lost_syns_are_counted_in_a_row() {
        let mut c = Cache::default();
        for (syn_lost, n) in [(true, 1), (true, 2), (false, 0), (true, 1)] {
            c.learn(&Learned { syn_lost, ..answer(None, 0) });
            assert_eq!(c.syn_losses, n);
        }
    }
}
