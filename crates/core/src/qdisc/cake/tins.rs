//! CAKE's tins: which DSCP goes where, what share of the rate each is promised, and how its AQM is set for it.
//!
//! Stands for: Linux 6.12 net/sched/sch_cake.c `cake_config_*`, `cake_set_rate`, and its tables by DSCP.

use super::super::cobalt::Config;

crate::choices! {
    /// Into how many classes traffic is sorted by its DSCP.
    pub enum Diffserv {
        /// Bulk, best effort, voice.
        Three = "diffserv3",
        /// Bulk, best effort, video, voice.
        Four = "diffserv4",
        /// Eight of them.
        Eight = "diffserv8",
        /// By the three bits of IP precedence.
        Precedence = "precedence",
        /// One, whatever the DSCP.
        BestEffort = "besteffort",
    }
}

const PRECEDENCE: [u8; 64] = {
    let mut t = [0; 64];
    let mut dscp = 0;
    while dscp < 64 {
        t[dscp] = dscp as u8 >> 3;
        dscp += 1;
    }
    t
};
const DIFFSERV8: [u8; 64] = [
    2, 0, 1, 2, 4, 2, 2, 2, 1, 2, 1, 2, 1, 2, 1, 2, 5, 2, 4, 2, 4, 2, 4, 2, 3, 2, 3, 2, 3, 2, 3, 2, 6, 2, 3, 2, 3, 2,
    3, 2, 6, 2, 2, 2, 6, 2, 6, 2, 7, 2, 2, 2, 2, 2, 2, 2, 7, 2, 2, 2, 2, 2, 2, 2,
];
const DIFFSERV4: [u8; 64] = [
    0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 3, 0, 2, 0, 2, 0,
    2, 0, 3, 0, 0, 0, 3, 0, 3, 0, 3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
];
const DIFFSERV3: [u8; 64] = [
    0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
];

/// How one tin is set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Setting {
    /// Rate up to which it goes before the others, bytes a second; 0: no rate.
    pub rate_bps: u64,
    /// The same as time a byte: `len * rate_ns >> rate_shift` ns.
    pub rate_ns: u64,
    /// See `rate_ns`.
    pub rate_shift: u8,
    /// Bytes of a flow's turn.
    pub flow_quantum: u16,
    /// Its weight where there is no rate.
    pub quantum: u16,
    /// Its AQM.
    pub cobalt: Config,
}

impl Setting {
    /// src: `cake_set_rate`
    fn new(rate: u64, mtu: u32, target: u64, interval: u64, quantum: u32) -> Setting {
        const MIN_RATE: u64 = 64;
        let mut s = Setting { rate_bps: rate, flow_quantum: 1514, quantum: quantum as u16, ..Setting::default() };
        if rate > 0 {
            s.flow_quantum = (rate >> 12).clamp(300, 1514) as u16;
            s.rate_shift = 34;
            s.rate_ns = (1_000_000_000_u64 << 34) / rate.max(MIN_RATE);
            while s.rate_ns >> 34 != 0 {
                s.rate_ns >>= 1;
                s.rate_shift -= 1;
            }
        }
        let mtu_time = s.ns(mtu);
        s.cobalt.target = (mtu_time * 3 / 2).max(target);
        s.cobalt.interval = (interval + s.cobalt.target - target).max(s.cobalt.target * 2);
        s.cobalt.mtu_time = mtu_time;
        s
    }

    /// Time that so many bytes take, ns.
    pub const fn ns(&self, bytes: u32) -> u64 {
        (bytes as u64 * self.rate_ns) >> self.rate_shift
    }
}

impl Diffserv {
    /// The tin of a DSCP. `le`: the tables know LE (RFC 8622), as 5.10.13 does and 5.4.59 does not.
    pub const fn tin(self, dscp: u8, le: bool) -> usize {
        if !le {
            match (self, dscp) {
                (Diffserv::Three, 1) | (Diffserv::Eight, 8) => return 0,
                (Diffserv::Four, 1) => return 2,
                (Diffserv::Eight, 1) => return 5,
                _ => {}
            }
        }
        let table = match self {
            Diffserv::Three => &DIFFSERV3,
            Diffserv::Four => &DIFFSERV4,
            Diffserv::Eight => &DIFFSERV8,
            Diffserv::Precedence => &PRECEDENCE,
            Diffserv::BestEffort => return 0,
        };
        table[(dscp & 63) as usize] as usize
    }

    /// The tins, the first of which has the whole rate. `rate`: bytes a second, 0 for none; `target`, `interval`: ns; `mtu`: a frame's bytes.
    pub fn settings(self, rate: u64, mtu: u32, target: u64, interval: u64) -> Vec<Setting> {
        let tin = |rate, quantum| Setting::new(rate, mtu, target, interval, quantum);
        match self {
            Diffserv::BestEffort => vec![tin(rate, 65_535)],
            Diffserv::Three => [0, 4, 2].map(|s| tin(rate >> s, 1024 >> s)).into(),
            Diffserv::Four => [0, 4, 1, 2].map(|s| tin(rate >> s, 1024 >> s)).into(),
            Diffserv::Eight | Diffserv::Precedence => {
                let eighth = |x: u64| (x * 7) >> 3;
                let (mut rate, mut quantum) = (rate, 256_u64);
                let mut all = Vec::new();
                for _ in 0..8 {
                    all.push(tin(rate, quantum.max(1) as u32));
                    (rate, quantum) = (eighth(rate), eighth(quantum));
                }
                all
            }
        }
    }

    /// The kernel's number. src: linux@6.12 include/uapi/linux/pkt_sched.h CAKE_DIFFSERV_*
    pub const fn number(self) -> u64 {
        match self {
            Diffserv::Three => 0,
            Diffserv::Four => 1,
            Diffserv::Eight => 2,
            Diffserv::BestEffort => 3,
            Diffserv::Precedence => 4,
        }
    }

    /// The order in which `tc` shows them: the least first. src: `bulk_order`, `normal_order`
    pub const fn order(self) -> &'static [usize] {
        match self {
            Diffserv::BestEffort => &[0],
            Diffserv::Three => &[1, 0, 2],
            Diffserv::Four => &[1, 0, 2, 3],
            Diffserv::Eight | Diffserv::Precedence => &[0, 1, 2, 3, 4, 5, 6, 7],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 8 Mbit/s are 10^6 bytes a second, so that a byte takes 1000 ns, an MTU 1.514 ms: half as much again is below the
    /// target. A sixteenth of it has 24.2 ms an MTU: its target is 36.3 ms, by which its interval is longer.
    #[test]
    fn a_slow_tin_tolerates_more() {
        let all = Diffserv::Three.settings(1_000_000, 1514, 5_000_000, 100_000_000);
        let of = |s: &Setting| (s.rate_bps, s.ns(1000), s.flow_quantum, s.quantum, s.cobalt.target, s.cobalt.interval);
        assert_eq!(of(&all[0]), (1_000_000, 1_000_000, 300, 1024, 5_000_000, 100_000_000));
        assert_eq!(of(&all[1]), (62_500, 16_000_000, 300, 64, 36_336_000, 131_336_000));
        assert_eq!(all[2].rate_bps, 250_000);
        assert_eq!(Diffserv::Three.tin(46, true), 2, "EF");
        assert_eq!(
            (Diffserv::Three.tin(8, true), Diffserv::Three.tin(34, true)),
            (1, 0),
            "CS1 is bulk, AF41 best effort"
        );
    }

    /// By the tables of 5.4 and of 5.10: LE (1) is below CS1 (8) in eight tins from the latter on, and with it in three and four; else they are the same.
    #[test]
    fn in_5_4_le_is_nothing() {
        let tins = |dscp, le| {
            [Diffserv::Three, Diffserv::Four, Diffserv::Eight, Diffserv::Precedence].map(|d| d.tin(dscp, le))
        };
        assert_eq!((tins(1, false), tins(1, true)), ([0, 2, 5, 0], [1, 1, 0, 0]));
        assert_eq!((tins(8, false), tins(8, true)), ([1, 1, 0, 1], [1, 1, 1, 1]));
        assert!((0..64).filter(|d| ![1, 8].contains(d)).all(|d| tins(d, false) == tins(d, true)));
    }

    #[test]
    fn each_seventh_eighth_rounds_down_as_the_kernels() {
        let all = Diffserv::Eight.settings(12_500_000, 1514, 5_000_000, 100_000_000);
        let rates: Vec<u64> = all.iter().map(|s| s.rate_bps).collect();
        assert_eq!(rates[..4], [12_500_000, 10_937_500, 9_570_312, 8_374_023]);
        assert_eq!(all.iter().map(|s| s.quantum).collect::<Vec<_>>(), [256, 224, 196, 171, 149, 130, 113, 98]);
    }
}
