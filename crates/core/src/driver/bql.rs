//! Byte queue limits: how many bytes a device's ring may hold so that it is just never starved.
//!
//! Stands for: Linux 6.12 lib/dynamic_queue_limits.c (`dql_completed`), include/linux/dynamic_queue_limits.h.
//! Differs: D1 the hold time is counted in nanoseconds, not jiffies. D2 no stall detection, which only reports.

use crate::sim::{Bytes, Span, Time};

crate::params! {
    /// What a user sets of BQL.
    pub struct Params {
        /// Least limit.
        min_limit: Bytes = Bytes::new(0), in Bytes::new(0) => Bytes::from_mib(64), src "linux@6.12 lib/dynamic_queue_limits.c dql_init";
        /// Greatest limit.
        max_limit: Bytes = Bytes::new(1_879_048_192), in Bytes::new(0) => Bytes::new(1_879_048_192), src "linux@6.12 include/linux/dynamic_queue_limits.h DQL_MAX_LIMIT";
        /// How long slack is watched before the limit shrinks.
        hold_time: Span = Span::from_s(1), in Span::from_ms(1) => Span::from_s(60), src "linux@6.12 net/core/dev.c netdev_init_one_queue: HZ";
    }
}

/// The limit of one queue, in bytes; counters wrap as the kernel's do.
#[derive(Clone, Debug)]
pub struct Dql {
    params: (u32, u32, Span),
    num_queued: u32,
    adj_limit: u32,
    last_obj_cnt: u32,
    limit: u32,
    num_completed: u32,
    prev_ovlimit: u32,
    prev_num_queued: u32,
    prev_last_obj_cnt: u32,
    lowest_slack: u32,
    slack_start: Time,
}

/// `POSDIFF` of the kernel.
const fn posdiff(a: u32, b: u32) -> u32 {
    let d = a.wrapping_sub(b);
    if d as i32 > 0 { d } else { 0 }
}

impl Dql {
    /// A limit that has seen nothing.
    pub fn new(p: &Params) -> Dql {
        let (min, max) = (p.min_limit.get() as u32, p.max_limit.get() as u32);
        Dql {
            params: (min, max.max(min), p.hold_time),
            num_queued: 0,
            adj_limit: 0,
            last_obj_cnt: 0,
            limit: min,
            num_completed: 0,
            prev_ovlimit: 0,
            prev_num_queued: 0,
            prev_last_obj_cnt: 0,
            lowest_slack: u32::MAX,
            slack_start: Time::ZERO,
        }
    }
    /// The present limit in bytes, for who looks on.
    pub const fn limit(&self) -> u32 {
        self.limit
    }
    /// Bytes that may yet be queued; negative: over the limit. src: `dql_avail`
    pub const fn avail(&self) -> i32 {
        self.adj_limit.wrapping_sub(self.num_queued) as i32
    }
    /// `bytes` went to the device. src: `dql_queued`
    pub fn queued(&mut self, bytes: u32) {
        self.last_obj_cnt = bytes;
        self.num_queued = self.num_queued.wrapping_add(bytes);
    }
    /// The device is done with `bytes`. src: `dql_completed`
    pub fn completed(&mut self, now: Time, bytes: u32) {
        let completed = self.num_completed.wrapping_add(bytes);
        let (mut limit, done) = (self.limit, self.num_completed);
        let mut ovlimit = posdiff(self.num_queued.wrapping_sub(done), limit);
        let inprogress = self.num_queued.wrapping_sub(completed);
        let prev_inprogress = self.prev_num_queued.wrapping_sub(done);
        let all_prev_completed = completed.wrapping_sub(self.prev_num_queued) as i32 >= 0;

        if (ovlimit != 0 && inprogress == 0) || (self.prev_ovlimit != 0 && all_prev_completed) {
            // Starved: more by what was sent and completed in the last interval, and what was over.
            limit = limit.wrapping_add(posdiff(completed, self.prev_num_queued)).wrapping_add(self.prev_ovlimit);
            (self.slack_start, self.lowest_slack) = (now, u32::MAX);
        } else if inprogress != 0 && prev_inprogress != 0 && !all_prev_completed {
            // Busy throughout: the least slack seen over the hold time may go.
            let slack = posdiff(limit.wrapping_add(self.prev_ovlimit), 2 * completed.wrapping_sub(done));
            let last = if self.prev_ovlimit != 0 { posdiff(self.prev_last_obj_cnt, self.prev_ovlimit) } else { 0 };
            self.lowest_slack = self.lowest_slack.min(slack.max(last));
            if now - self.slack_start > self.params.2 {
                limit = posdiff(limit, self.lowest_slack);
                (self.slack_start, self.lowest_slack) = (now, u32::MAX);
            }
        }
        limit = limit.clamp(self.params.0, self.params.1);
        if limit != self.limit {
            self.limit = limit;
            ovlimit = 0;
        }
        self.adj_limit = limit.wrapping_add(completed);
        self.prev_ovlimit = ovlimit;
        self.prev_last_obj_cnt = self.last_obj_cnt;
        self.num_completed = completed;
        self.prev_num_queued = self.num_queued;
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_steps_by_hand() {
        let mut d = Dql::new(&Params::default());
        assert_eq!(d.avail(), 0, "not negative: the queue is open");
        d.queued(1514);
        assert_eq!(d.avail(), -1514, "stopped: the limit is 0");
        // ovlimit 1514, nothing in progress: starved. limit = 0 + posdiff(1514, prev_num_queued 0) + 0.
        d.completed(Time::from_us(12), 1514);
        assert_eq!((d.limit(), d.avail()), (1514, 1514));
        // Two frames fit now: 1514 is not over the limit, 3028 is.
        d.queued(1514);
        assert_eq!(d.avail(), 0);
        d.queued(1514);
        assert_eq!(d.avail(), -1514);
        // One done: ovlimit = posdiff(3028, 1514) = 1514, one in progress, prev_ovlimit 0, prev_inprogress 0: stays.
        d.completed(Time::from_us(24), 1514);
        assert_eq!((d.limit(), d.avail()), (1514, 0));
        d.queued(1514);
        // prev_ovlimit 1514, completed 4542 = prev_num_queued 4542: all done, starved by the rule; += 0 + 1514.
        d.completed(Time::from_us(36), 1514);
        assert_eq!((d.limit(), d.avail()), (3028, 3028 - 1514));
    }

    #[test]
    fn slack_goes_after_the_hold_time() {
        let p = Params { min_limit: Bytes::new(30_000), ..Params::default() };
        let mut d = Dql::new(&p);
        d.params.0 = 0; // from here on it may shrink
        (d.limit, d.adj_limit) = (30_000, 30_000);
        let mut now = Time::ZERO;
        for _ in 0..20 {
            d.queued(1514);
        }
        // Kept busy with one frame a completion: slack is limit + prev_ovlimit - 2 * 1514.
        while now < Time::from_ms(1_001) {
            now += Span::from_us(12);
            d.completed(now, 1514);
            while d.avail() >= 0 {
                d.queued(1514);
            }
        }
        assert!(d.limit() < 6_056, "about two frames a completion suffice, not {}", d.limit());
    }

    /// Random enqueues and completions, one of each a ms; the limits are what 6.12's dynamic_queue_limits.c itself
    /// gave on the same, compiled outside the kernel with HZ 1000.
    #[test]
    fn limits_are_the_kernels() {
        let (mut d, mut q) = (Dql::new(&Params::default()), std::collections::VecDeque::new());
        let mut x = 7_u32;
        let mut draw = || {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            x >> 8
        };
        let (mut sum, mut seen) = (0_u64, Vec::new());
        for ms in 1..=20_000 {
            for _ in 0..draw() % 12 {
                if d.avail() < 0 {
                    break;
                }
                let bytes = 60 + draw() % 1455;
                d.queued(bytes);
                q.push_back(bytes);
            }
            let n = q.len().min(draw() as usize % 9);
            let bytes = q.drain(..n).sum::<u32>();
            if bytes > 0 {
                d.completed(Time::from_ms(ms), bytes);
            }
            sum = sum.wrapping_mul(31).wrapping_add(u64::from(d.limit()));
            if ms <= 8 || ms % 4000 == 0 {
                seen.push(d.limit());
            }
        }
        assert_eq!(seen, [418, 418, 1093, 1093, 1093, 2592, 2592, 5524, 16465, 16465, 16721, 16656, 16656]);
        assert_eq!(sum, 14_879_982_875_081_995_526);
    }
}
