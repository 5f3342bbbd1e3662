//! Hierarchical token bucket with one class: a rate limit whose tokens are nanoseconds of sending.
//!
//! Stands for: Linux 6.12 net/sched/sch_htb.c and `psched_ratecfg_precompute` (net/sched/sch_generic.c). A packet of n
//! bytes costs `n * mult >> shift` ns; a class whose tokens are negative waits, by a timer of nanoseconds, until they
//! are zero. Depths come from `tc`, which hands them over in ticks of 64 ns.
//! Differs: D1 one class at the root (ceil = rate): no borrowing, priorities or deficits between classes, so `quantum`
//! has nobody to divide with. D2 no hysteresis (the kernel's default). D3 the kernel also wakes about once a second for
//! nothing (`near_ev_cache` of empty levels); we do not.

use super::{Discipline, Leaf, LeafKind, Setup};
use crate::sim::{Bin, Bytes, Owner, Packet, Rate, Span, Time, Verdict};

crate::params! {
    /// What a user sets of `htb`.
    pub struct Params {
        /// Rate of the class, counted in Ethernet frames without FCS.
        rate: Rate = Rate::from_mbit(100), in Rate::from_kbit(8) => Rate::from_mbit(100_000), src "the kernel reference, docs/reference-data.md: 10 and 100 Mbit/s";
        /// Depth of the bucket.
        burst: Bytes = Bytes::new(1600), in Bytes::new(1) => Bytes::from_mib(64), src "the kernel reference, docs/reference-data.md";
        /// Depth of the bucket of the ceiling rate, which is the rate.
        cburst: Bytes = Bytes::new(1600), in Bytes::new(1) => Bytes::from_mib(64), src "the kernel reference, docs/reference-data.md";
        /// Bytes that a class sends in its turn; without effect for one class.
        quantum: Bytes = Bytes::new(1514), in Bytes::new(1) => Bytes::from_mib(1), src "the kernel reference, docs/reference-data.md";
        /// `tc` is older than iproute2 6.15: it cuts a depth to whole microseconds, so that a burst of one frame is less than that from some 700 Mbit/s on.
        whole_us: bool = false, src "iproute2@6.15 tc/tc_core.c tc_calc_xmittime: rounded up to a tick; what Debian 13 has beside Linux 6.12";
        /// The discipline that holds the class's packets.
        leaf: LeafKind = LeafKind::Pfifo, src "linux@6.12 net/sched/sch_htb.c htb_change_class: pfifo_qdisc_ops";
    }
}

/// The kernel's fixed-point cost of bytes at a rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RateCfg {
    mult: u32,
    shift: u8,
}

impl RateCfg {
    /// src: linux@6.12 net/sched/sch_generic.c `psched_ratecfg_precompute__`
    fn new(bytes_per_s: u64) -> RateCfg {
        let (mut factor, mut shift) = (1_000_000_000_u64, 0);
        loop {
            let mult = (factor / bytes_per_s) as u32;
            if mult & (1 << 31) != 0 || factor & (1 << 63) != 0 {
                return RateCfg { mult, shift };
            }
            factor <<= 1;
            shift += 1;
        }
    }
    /// src: linux@6.12 include/net/sch_generic.h `psched_l2t_ns`
    fn ns(self, bytes: u32) -> i64 {
        ((u64::from(bytes) * u64::from(self.mult)) >> self.shift) as i64
    }
}

/// Whether the class may send: `HTB_CAN_SEND`, or one of the other two modes, which wait alike without a parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    CanSend,
    /// Until this instant (`pq_key`).
    Wait(Time),
}

/// A token bucket over a leaf.
#[derive(Clone, Debug)]
pub struct Htb {
    cost: RateCfg,
    /// Depths, nanoseconds.
    buffer: i64,
    cbuffer: i64,
    /// Tokens at `t_c`, nanoseconds.
    tokens: i64,
    ctokens: i64,
    t_c: Time,
    mode: Mode,
    leaf: Leaf,
}

/// src: linux@6.12 net/sched/sch_htb.c htb_change_class: one minute
const MBUFFER: i64 = 60_000_000_000;

/// A depth as `tc` hands it over: ticks of 64 ns, rounded up. src: iproute2@6.15 tc/tc_core.c `tc_calc_xmittime`
fn depth_ns(bytes: Bytes, bytes_per_s: u64) -> i64 {
    let ticks = (u128::from(bytes.get()) * 1_000_000_000).div_ceil(u128::from(bytes_per_s) * 64);
    (ticks.min(u128::from(u32::MAX)) as i64) << 6
}

/// The same as it was: cut to whole microseconds, then to whole ticks. Doubles, since a quotient just below a microsecond loses it.
/// src: iproute2@6.1 tc/tc_core.c `tc_calc_xmittime`, `tc_core_time2tick`
fn depth_ns_in_us(bytes: Bytes, bytes_per_s: u64) -> i64 {
    let us = 1e6 * (bytes.get() as f64 / bytes_per_s as f64);
    let ticks = us.floor() * (1000.0 / 64.0);
    i64::from(ticks as u32) << 6
}

impl Htb {
    /// The discipline below.
    pub fn leaf(&self) -> &Leaf {
        &self.leaf
    }

    /// The mode after `diff` nanoseconds. src: `htb_class_mode`, `htb_add_to_wait_tree`
    fn mode_after(&self, now: Time, diff: i64) -> Mode {
        let short = self.ctokens + diff;
        let short = if short < 0 { short } else { self.tokens + diff };
        if short >= 0 { Mode::CanSend } else { Mode::Wait(now + Span::from_ns(-short)) }
    }

    /// src: `htb_charge_class`
    fn charge(&mut self, now: Time, bytes: u32) {
        let diff = (now - self.t_c).ns().min(MBUFFER);
        let cost = self.cost.ns(bytes);
        let account = |tokens: i64, depth: i64| ((tokens + diff).min(depth) - cost).max(1 - MBUFFER);
        self.tokens = account(self.tokens, self.buffer);
        self.ctokens = account(self.ctokens, self.cbuffer);
        self.t_c = now;
        self.mode = self.mode_after(now, 0);
    }
}

impl Discipline for Htb {
    type Params = Params;
    const TIMED: bool = true;
    fn build(setup: &Setup, seed: u32) -> Self {
        let p = setup.htb;
        let bps = p.rate.bytes_per_s();
        let depth = |b| if p.whole_us { depth_ns_in_us(b, bps) } else { depth_ns(b, bps) };
        let (buffer, cbuffer) = (depth(p.burst), depth(p.cburst));
        Htb {
            cost: RateCfg::new(bps),
            buffer,
            cbuffer,
            tokens: buffer,
            ctokens: cbuffer,
            t_c: Time::ZERO,
            mode: Mode::CanSend,
            leaf: Leaf::new(p.leaf, setup, seed),
        }
    }
    #[inline]
    fn enqueue(&mut self, now: Time, p: Packet, bin: &mut impl Bin) -> Verdict {
        self.leaf.enqueue(now, p, bin)
    }
    #[inline]
    fn dequeue(&mut self, now: Time, bin: &mut impl Bin) -> Option<Packet> {
        if self.leaf.packets() == 0 {
            return None;
        }
        if let Mode::Wait(until) = self.mode {
            if until > now {
                return None;
            }
            self.mode = self.mode_after(now, (now - self.t_c).ns().min(MBUFFER)); // htb_do_events
            if self.mode != Mode::CanSend {
                return None;
            }
        }
        let p = self.leaf.dequeue(now, bin)?;
        self.charge(now, p.eth_len());
        Some(p)
    }
    /// src: a GSO skb goes to the leaf whole, which may cut it (`cake_enqueue`)
    fn splits(&self, p: &Packet) -> bool {
        self.leaf.splits(p)
    }
    #[inline]
    fn wake_at(&self, now: Time) -> Option<Time> {
        match self.mode {
            _ if self.leaf.packets() == 0 => None,
            Mode::Wait(until) => Some(until),
            Mode::CanSend => self.leaf.wake_at(now),
        }
    }
    fn packets(&self) -> u32 {
        self.leaf.packets()
    }
    fn bytes(&self) -> u64 {
        self.leaf.bytes()
    }
    fn dropped(&self) -> u64 {
        self.leaf.dropped()
    }
    fn paced(&mut self, owner: Owner, rate: u64) {
        self.leaf.paced(owner, rate);
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::super::battery::packet;
    use super::*;

    fn at(mbit: u64) -> Htb {
        let mut setup = Setup::default();
        setup.htb.rate = Rate::from_mbit(mbit);
        Htb::build(&setup, 0)
    }

    #[test]
    fn costs_are_the_kernels() {
        // By hand: 10^9 << 25 over 12.5e6 is 80 << 25 = 2684354560, the first with bit 31 set.
        assert_eq!(RateCfg::new(12_500_000), RateCfg { mult: 80 << 25, shift: 25 });
        assert_eq!(RateCfg::new(12_500_000).ns(1514), 121_120, "exact: 80 ns a byte");
        // 7 Mbit/s = 875000 B/s: mult = floor(1e9 * 2^21 / 875000) = 2396745142, 1514 bytes = 1730285 ns (and .71).
        let odd = RateCfg::new(875_000);
        assert_eq!((odd.mult, odd.shift), (2_396_745_142, 21));
        assert_eq!(odd.ns(1514), 1_730_285);
    }

    #[test]
    fn depths_are_ticks_of_64_ns() {
        assert_eq!(depth_ns(Bytes::new(1600), 12_500_000), 128_000, "128 us are 2000 ticks");
        assert_eq!(depth_ns(Bytes::new(1600), 875_000), 1_828_608, "1828571.4 ns are 28571.4 ticks");
        // What `tc -r class show` of iproute2 6.1 prints at 100 Mbit/s, 1 Gbit/s, 2.5 and 40: 7d0, bb, 4e and 0 ticks.
        for (bytes_per_s, ns) in
            [(12_500_000, 128_000), (125_000_000, 11_968), (312_500_000, 4_992), (5_000_000_000, 0)]
        {
            assert_eq!(depth_ns_in_us(Bytes::new(1600), bytes_per_s), ns);
        }
    }

    #[test]
    fn a_depth_in_whole_microseconds_parts_two_frames_at_a_gigabit() {
        for (whole_us, at_once) in [(false, 2), (true, 1)] {
            let (mut setup, mut bin) = (Setup::default(), Vec::new());
            (setup.htb.rate, setup.htb.whole_us) = (Rate::from_mbit(1000), whole_us);
            let (mut q, t) = (Htb::build(&setup, 0), Time::from_s(1));
            for n in 0..4 {
                q.enqueue(t, packet(0, n, 1448), &mut bin);
            }
            // A frame is 12112 ns; of 12800 or 11968 that leaves 688 or -144.
            let sent = (0..4).filter(|_| q.dequeue(t, &mut bin).is_some()).count();
            assert_eq!(sent, at_once);
        }
    }

    #[test]
    fn a_full_bucket_lets_one_frame_go_and_a_second_as_soon_as_tokens_are_not_negative() {
        let (mut q, mut bin) = (at(100), Vec::new());
        let t = Time::from_s(1);
        for n in 0..4 {
            q.enqueue(t, packet(0, n, 1448), &mut bin);
        }
        // By hand: 128000 - 121120 = 6880, not negative: the second frame leaves at once; 6880 - 121120 = -114240.
        assert!(q.dequeue(t, &mut bin).is_some());
        assert!(q.dequeue(t, &mut bin).is_some());
        assert!(q.dequeue(t, &mut bin).is_none());
        let next = t + Span::from_ns(114_240);
        assert_eq!(q.wake_at(t), Some(next));
        assert!(q.dequeue(next - Span::from_ns(1), &mut bin).is_none());
        assert!(q.dequeue(next, &mut bin).is_some());
        assert_eq!(q.wake_at(next), Some(next + Span::from_ns(121_120)), "then every 121.12 us");
    }

    #[test]
    fn the_rate_is_met_to_the_frame() {
        let (mut q, mut bin) = (at(10), Vec::new());
        let (mut now, mut sent) = (Time::from_s(1), 0_u64);
        let end = now + Span::from_s(10);
        while now < end {
            q.enqueue(now, packet(0, 0, 1448), &mut bin);
            while q.dequeue(now, &mut bin).is_some() {
                sent += 1;
            }
            now = q.wake_at(now).unwrap_or(now);
        }
        // 10 s at 1.25 MB/s are 8256.3 frames; the full bucket lets one more go at the start, the last starts early.
        assert_eq!(sent, 8258);
    }

    /// 40000 random operations at 7.3 Mbit/s, bursts of 5000 and 1600 bytes over a pfifo of 50; the numbers are what
    /// 6.12's sch_htb.c itself gave on the same, compiled outside the kernel.
    #[test]
    fn departures_and_wakes_are_the_kernels() {
        let mut setup = Setup::default();
        (setup.htb.rate, setup.htb.burst, setup.pfifo.limit) = (Rate::from_kbit(7300), Bytes::new(5000), 50);
        let (mut q, mut bin) = (Htb::build(&setup, 0), Vec::new());
        let mut x = 11_u32;
        let mut draw = || {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            x >> 8
        };
        let (mut now, mut seq, mut out, mut wakes, mut wake) = (Time::from_s(1), 0, (0, 0_u64), 0_u64, Time::ZERO);
        for op in 0..40_000 {
            let (step, a, b) = (draw(), draw(), draw());
            now += Span::from_ns(i64::from(step % if op / 4000 % 2 == 1 { 400_000 } else { 2_500_000 }));
            if a % 3 == 0 && q.packets() > 0 {
                now = now.max(wake);
            }
            if a % 100 < 60 {
                q.enqueue(now, packet(0, seq, (b >> 5) % 1449), &mut bin);
                seq += 1;
            }
            for _ in 0..3 {
                match q.dequeue(now, &mut bin) {
                    Some(p) => out = (out.0 + 1, out.1.wrapping_mul(31).wrapping_add(u64::from(p.seq) + now.ns())),
                    None => {
                        wake = q.wake_at(now).unwrap_or_default();
                        if q.packets() > 0 {
                            wakes = wakes.wrapping_mul(31).wrapping_add(wake.ns());
                        }
                        break;
                    }
                }
            }
        }
        assert_eq!((seq, out, bin.len(), q.packets()), (24_005, (20_837, 3_089_420_576_853_872_286), 3_120, 48));
        assert_eq!(
            (wakes, q.tokens, q.ctokens, now.ns()),
            (2_299_946_885_428_161_336, 3_339_167, -386_849, 32_725_105_966)
        );
    }
}
