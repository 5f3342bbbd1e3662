//! Chronographs: how long a sender had something to send, and of that time, how long the peer's window or its own buffer held it back.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_chrono_set`, `tcp_chrono_start`, `tcp_chrono_stop`; net/ipv4/tcp.c
//! `tcp_get_info_chrono_stats`. Differs: nothing.

/// What time is spent on; a later one rules over an earlier one. src: linux@6.12 include/net/tcp.h enum tcp_chrono
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum What {
    /// There is nothing to send.
    Idle,
    /// There is.
    Busy,
    /// The peer's window is too small.
    RwndLimited,
    /// The send buffer is.
    SndbufLimited,
}

/// The chronographs, jiffies.
#[derive(Clone, Copy, Debug)]
pub struct Chrono {
    now: What,
    since: u32,
    spent: [u32; 3],
}

impl Chrono {
    /// Nothing to send yet.
    pub const NEW: Chrono = Chrono { now: What::Idle, since: 0, spent: [0; 3] };

    fn set(&mut self, what: What, j32: u32) {
        if self.now != What::Idle {
            self.spent[self.now as usize - 1] += j32.wrapping_sub(self.since);
        }
        (self.now, self.since) = (what, j32);
    }
    /// Whether time is spent on this now.
    #[inline]
    pub fn is(&self, what: What) -> bool {
        self.now == what
    }
    /// From now on time is spent on this, unless something rules over it.
    #[inline]
    pub fn start(&mut self, what: What, j32: u32) {
        if what > self.now {
            self.set(what, j32);
        }
    }
    /// No longer; `idle`: nothing is queued or out.
    #[inline]
    pub fn stop(&mut self, what: What, idle: bool, j32: u32) {
        if idle {
            if self.now != What::Idle {
                self.set(What::Idle, j32);
            }
        } else if what == self.now {
            self.set(What::Busy, j32);
        }
    }
    /// Time spent on this until `j32`, jiffies.
    pub fn spent(&self, what: What, j32: u32) -> u32 {
        let now = if what == self.now { j32.wrapping_sub(self.since) } else { 0 };
        now + match what {
            What::Idle => 0,
            w => self.spent[w as usize - 1],
        }
    }
    /// Time in which there was something to send.
    pub fn busy(&self, j32: u32) -> u32 {
        [What::Busy, What::RwndLimited, What::SndbufLimited].iter().map(|&w| self.spent(w, j32)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stronger_reason_rules_and_busy_is_all_of_them() {
        let mut c = Chrono::NEW;
        c.start(What::Busy, 10);
        c.start(What::RwndLimited, 15);
        c.start(What::Busy, 18);
        c.start(What::SndbufLimited, 20);
        c.stop(What::RwndLimited, false, 22);
        c.stop(What::SndbufLimited, false, 25);
        c.stop(What::Busy, true, 31);
        let at = |w| c.spent(w, 99);
        assert_eq!((at(What::Busy), at(What::RwndLimited), at(What::SndbufLimited), c.busy(99)), (11, 5, 5, 21));
    }
}
