//! COBALT: CoDel and BLUE side by side. CoDel answers flows that yield to a signal; BLUE drops by chance where a queue ran over, and
//! ends when it ran dry.
//!
//! Stands for: Linux 6.12 net/sched/sch_cake.c `cobalt_*`, whose integers are kept; times are nanoseconds. Unlike `codel.rs` it
//! has no first interval of grace: the time of the next signal is kept while a queue is below its target, and `count` falls by one at each.

/// What a rate and a round trip make of it. src: `struct cobalt_params`
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Config {
    /// Time to the first signal, ns.
    pub interval: u64,
    /// Sojourn that is tolerated, ns.
    pub target: u64,
    /// Time that a packet of an MTU takes, ns.
    pub mtu_time: u64,
    /// Where its first roots are from.
    pub roots: Roots,
}

/// Where `rec_inv_sqrt` is from while `count` is below 16.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Roots {
    /// Four Newton steps each, from the root before: to 6.6.129. The second interval is 0.06 % shorter by them. src: `cobalt_cache_init`
    Steps,
    /// A table. src: `inv_sqrt_cache`
    #[default]
    Table,
}

/// How BLUE's probability rises and falls, in 2^-32. src: `cake_set_rate`
const P_INC: u32 = 1 << 24;
const P_DEC: u32 = 1 << 20;

/// What packets change: one for each flow. src: `struct cobalt_vars`
#[derive(Clone, Copy, Default, Debug)]
pub struct Vars {
    /// Signals since signalling began.
    pub count: u32,
    rec_inv_sqrt: u32,
    /// When the next signal is due, or the last was given, ns.
    pub drop_next: i64,
    blue_timer: i64,
    /// BLUE's probability, in 2^-32.
    pub p_drop: u32,
    dropping: bool,
    /// The last packet was marked.
    pub ecn_marked: bool,
}

/// src: `inv_sqrt_cache`
const INV_SQRT: [u32; 16] = [
    u32::MAX,
    u32::MAX,
    3_037_000_500,
    2_479_700_525,
    2_147_483_647,
    1_920_767_767,
    1_753_413_056,
    1_623_345_051,
    1_518_500_250,
    1_431_655_765,
    1_358_187_914,
    1_294_981_364,
    1_239_850_263,
    1_191_209_601,
    1_147_878_294,
    1_108_955_788,
];

/// A step towards `u32::MAX / sqrt(count)`. src: `cobalt_newton_step`
const fn newton_step(root: u32, count: u32) -> u32 {
    let invsqrt = root as u64;
    let invsqrt2 = (invsqrt * invsqrt) >> 32;
    let val = (3_u64 << 32).wrapping_sub((count as u64).wrapping_mul(invsqrt2)) >> 2;
    (val.wrapping_mul(invsqrt) >> (32 - 2 + 1)) as u32
}

/// src: linux@5.15 net/sched/sch_cake.c `cobalt_cache_init`
const STEPPED: [u32; 16] = {
    let mut all = [u32::MAX; 16];
    let mut count = 1;
    while count < 16 {
        let mut root = all[count - 1];
        let mut step = 0;
        while step < 4 {
            root = newton_step(root, count as u32);
            step += 1;
        }
        all[count] = root;
        count += 1;
    }
    all
};

impl Vars {
    /// src: `cobalt_invsqrt`
    fn inv_sqrt(&mut self, from: Roots) {
        let known = if from == Roots::Table { &INV_SQRT } else { &STEPPED };
        self.rec_inv_sqrt = match known.get(self.count as usize) {
            Some(&known) => known,
            None => newton_step(self.rec_inv_sqrt, self.count),
        };
    }

    /// The next signal after `t`. The interval is cut to 32 bits, as `reciprocal_scale` takes it. src: `cobalt_control`
    const fn control(&self, t: i64, interval: u64) -> i64 {
        t + super::skb::reciprocal_scale(interval as u32, self.rec_inv_sqrt) as i64
    }

    /// A packet was dropped because all was full; true if BLUE begins. src: `cobalt_queue_full`
    pub fn queue_full(&mut self, c: &Config, now: i64) -> bool {
        let mut up = false;
        if (now - self.blue_timer) as u64 > c.target {
            up = self.p_drop == 0;
            self.p_drop = self.p_drop.saturating_add(P_INC);
            self.blue_timer = now;
        }
        self.dropping = true;
        self.drop_next = now;
        if self.count == 0 {
            self.count = 1;
        }
        up
    }

    /// The queue had its turn and was empty; true if BLUE ends. src: `cobalt_queue_empty`
    pub fn queue_empty(&mut self, c: &Config, now: i64) -> bool {
        let mut down = false;
        if self.p_drop > 0 && (now - self.blue_timer) as u64 > c.target {
            self.p_drop = self.p_drop.saturating_sub(P_DEC);
            self.blue_timer = now;
            down = self.p_drop == 0;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.step_down(c);
        }
        down
    }

    fn step_down(&mut self, c: &Config) {
        self.count -= 1;
        self.inv_sqrt(c.roots);
        self.drop_next = self.control(self.drop_next, c.interval);
    }

    /// Whether a packet that came at `enqueued` and is taken out `now` is to be dropped. `bulk_flows`: flows whose MTUs are tolerated, too;
    /// `mark`: marks it if it can be marked; `random`: 32 random bits, drawn while BLUE is on. src: `cobalt_should_drop`
    pub fn should_drop(
        &mut self,
        c: &Config,
        now: i64,
        enqueued: i64,
        bulk_flows: u32,
        mark: impl FnOnce() -> bool,
        random: impl FnOnce() -> u32,
    ) -> bool {
        let sojourn = (now - enqueued) as u64;
        let mut schedule = now - self.drop_next;
        let over_target =
            sojourn > c.target && sojourn > c.mtu_time * u64::from(bulk_flows) * 2 && sojourn > c.mtu_time * 4;
        let mut next_due = self.count > 0 && schedule >= 0;
        self.ecn_marked = false;
        if over_target {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = self.control(now, c.interval);
            }
            if self.count == 0 {
                self.count = 1;
            }
        } else {
            self.dropping = false;
        }
        let mut drop = false;
        if next_due && self.dropping {
            self.ecn_marked = mark();
            drop = !self.ecn_marked;
            self.count = self.count.saturating_add(1);
            self.inv_sqrt(c.roots);
            self.drop_next = self.control(self.drop_next, c.interval);
            schedule = now - self.drop_next;
        } else {
            while next_due {
                self.step_down(c);
                schedule = now - self.drop_next;
                next_due = self.count > 0 && schedule >= 0;
            }
        }
        if self.p_drop > 0 {
            drop |= random() < self.p_drop;
        }
        // `drop_next` is how long the state is kept, too
        if self.count == 0 {
            self.drop_next = now + c.interval as i64;
        } else if schedule > 0 && !drop {
            self.drop_next = now;
        }
        drop
    }

    /// Whether anything is left to decay. src: `cake_dequeue`, where a queue was empty
    pub const fn at_rest(&self, now: i64) -> bool {
        self.p_drop == 0 && self.count == 0 && now >= self.drop_next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `cobalt_cache_init` of 5.15.148, carried out apart: three roots of the later table are others, the second one by 0.06 %.
    #[test]
    fn four_newton_steps_are_few_at_the_second_signal() {
        let differ: Vec<_> = (0..16).filter(|&n| STEPPED[n] != INV_SQRT[n]).map(|n| (n, STEPPED[n])).collect();
        assert_eq!(differ, [(2, 3_035_289_760), (3, 2_479_700_455), (6, 1_753_413_055)]);
        let mut v = Vars { count: 1, ..Vars::default() };
        let c = Config { interval: 100_000_000, target: 5_000_000, mtu_time: 0, roots: Roots::Steps };
        v.dropping = true;
        assert!(v.should_drop(&c, 1_000_000_000, 900_000_000, 0, || false, || 0));
        assert_eq!(v.drop_next, 70_670_846, "the kernel's 70710678 with the later table");
    }
}
