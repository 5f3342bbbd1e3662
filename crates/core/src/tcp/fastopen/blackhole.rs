//! Middle boxes that swallow connections which opened fast: after a sign of one the host opens none so for a while, doubled each time.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_fastopen.c `tcp_fastopen_active_disable`, `tcp_fastopen_active_should_disable`,
//! `tcp_fastopen_active_disable_ofo_check`. Differs: nothing.

use crate::sim::{Span, Time};

/// Doublings at most.
const DOUBLINGS: u32 = 6;

/// Whether Fast Open is trusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trust {
    /// It is.
    Full,
    /// It was given up, and that time is over: a connection that works brings trust back.
    OnTrial,
    /// It is given up for now.
    None,
}

/// What a host has seen of them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Blackhole {
    /// `tcp_fastopen_blackhole_timeout_sec`, seconds; 0: the host never gives up.
    pub timeout_s: u32,
    times: u32,
    last: Time,
}

impl Blackhole {
    /// A sign of one.
    pub fn suspect(&mut self, now: Time) {
        if self.timeout_s != 0 {
            self.times += 1;
            self.last = now;
        }
    }
    /// A connection that opened on trial carried data.
    pub fn works(&mut self) {
        self.times = 0;
    }
    /// Whether Fast Open is trusted.
    pub fn trust(&self, now: Time) -> Trust {
        if self.timeout_s == 0 || self.times == 0 {
            return Trust::Full;
        }
        let long = Span::from_s(i64::from(self.timeout_s) << (self.times - 1).min(DOUBLINGS));
        if now < self.last + long { Trust::None } else { Trust::OnTrial }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_twice_as_long_until_it_works() {
        let s = |n: u64| Time::from_ms(n * 1_000);
        let mut b = Blackhole { timeout_s: 10, ..Blackhole::default() };
        assert_eq!(b.trust(s(0)), Trust::Full);
        b.suspect(s(100));
        assert_eq!([b.trust(s(109)), b.trust(s(110))], [Trust::None, Trust::OnTrial]);
        b.suspect(s(110));
        assert_eq!([b.trust(s(129)), b.trust(s(130))], [Trust::None, Trust::OnTrial]);
        for _ in 0..9 {
            b.suspect(s(200));
        }
        assert_eq!([b.trust(s(839)), b.trust(s(840))], [Trust::None, Trust::OnTrial], "64 times at most");
        b.works();
        assert_eq!(b.trust(s(841)), Trust::Full);
        let mut never = Blackhole::default();
        never.suspect(s(1));
        assert_eq!(never.trust(s(1)), Trust::Full);
    }
}
