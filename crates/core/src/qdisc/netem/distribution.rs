//! How delays spread around their mean.
//!
//! Stands for: linux@6.12 net/sched/sch_netem.c tabledist; the tables of iproute2 netem/normal.c, pareto.c, paretonormal.c, which `tc` hands the
//! kernel (tc/q_netem.c get_distribution). They are computed here from what they are tables of, and equal iproute2 6.1.0's in each of their values.

use crate::sim::Span;
use std::sync::LazyLock;

crate::choices! {
    /// How delays spread.
    pub enum Distribution {
        /// Evenly from `delay - jitter` to `delay + jitter`.
        Uniform = "uniform",
        /// A normal distribution.
        Normal = "normal",
        /// Pareto's, of shape 3: most a little less than the mean, a few much more.
        Pareto = "pareto",
        /// A quarter of the normal one and three of Pareto's.
        ParetoNormal = "paretonormal",
    }
}

/// Values of a table, at even steps of probability.
const SIZE: usize = 4096;
/// One standard deviation. src: linux@6.12 include/uapi/linux/pkt_sched.h NETEM_DIST_SCALE
const SCALE: i32 = 8192;

/// A table.
pub(super) type Table = [i16; SIZE];

static NORMAL: LazyLock<Table> = LazyLock::new(|| core::array::from_fn(|i| clipped(normal(i))));
static PARETO: LazyLock<Table> = LazyLock::new(|| core::array::from_fn(|i| clipped(pareto(i))));
static PARETO_NORMAL: LazyLock<Table> =
    LazyLock::new(|| core::array::from_fn(|i| clipped((normal(i) + 3 * pareto(i)) / 4)));

impl Distribution {
    /// Its table; the even distribution has none.
    pub(super) fn table(self) -> Option<&'static Table> {
        match self {
            Distribution::Uniform => None,
            Distribution::Normal => Some(&NORMAL),
            Distribution::Pareto => Some(&PARETO),
            Distribution::ParetoNormal => Some(&PARETO_NORMAL),
        }
    }
}

/// Table values are the kernel's `s16`.
fn clipped(value: i32) -> i16 {
    value.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// The `i`-th quantile of the normal distribution: the last x in steps of 1/20000 whose probability, counted in 1/16384, still rounds to 4 i.
fn normal(i: usize) -> i32 {
    const STEPS: i32 = 20_000;
    let bound = (4.0 * i as f64 + 0.5) / 16_384.0;
    let below = |k: i32| 0.5 + 0.5 * libm::erf(f64::from(k) / f64::from(STEPS) / core::f64::consts::SQRT_2) < bound;
    let (mut low, mut high) = (-10 * STEPS, 10 * STEPS);
    while high - low > 1 {
        let k = (low + high) / 2;
        if below(k) { low = k } else { high = k }
    }
    libm::rint(f64::from(low) / f64::from(STEPS) * f64::from(SCALE)) as i32
}

/// The `i`-th quantile of Pareto's distribution of shape 3, less its mean of 3/2, by 4/3.
fn pareto(i: usize) -> i32 {
    let rest = (SIZE - i) as f64 / SIZE as f64;
    let x = (1.0 / libm::cbrt(rest) - 1.5) * 4.0 / 3.0 * f64::from(SCALE);
    libm::rint(x.min(i16::MAX.into())) as i32
}

/// A delay: around `mu`, by `sigma`, as the number `rnd` has it. src: `tabledist`
#[inline]
pub(super) fn spread(mu: Span, sigma: Span, rnd: u32, table: Option<&Table>) -> Span {
    let sigma = sigma.ns();
    let Some(table) = table else {
        return mu + Span::from_ns(i64::from(rnd) % (2 * sigma) - sigma);
    };
    let (t, scale) = (i64::from(table[rnd as usize % SIZE]), i64::from(SCALE));
    let x = sigma % scale * t;
    let x = if x >= 0 { x + scale / 2 } else { x - scale / 2 };
    mu + Span::from_ns(x / scale + sigma / scale * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table's sum, and that of its values' squares, and a checksum of their order: of iproute2 6.1.0's own files.
    #[test]
    fn tables_are_those_of_iproute2() {
        let of = |d: Distribution| {
            let t = d.table().expect("it has one");
            let order = t.iter().fold(0_u64, |s, &v| s.wrapping_mul(31).wrapping_add(v as u16 as u64));
            (t.iter().map(|&v| i64::from(v)).sum::<i64>(), t.iter().map(|&v| i64::from(v).pow(2)).sum::<i64>(), order)
        };
        assert_eq!(of(Distribution::Normal), (-26_163, 274_907_053_073, 2_071_521_600_762_034_715));
        assert_eq!(of(Distribution::Pareto), (-1_123_786, 184_990_749_388, 14_602_668_283_420_784_132));
        assert_eq!(of(Distribution::ParetoNormal), (-848_968, 191_343_507_090, 627_196_761_968_770_208));
        assert!(Distribution::Uniform.table().is_none());
    }

    #[test]
    fn delays_spread_as_their_distribution_has_it() {
        let (mu, sigma) = (Span::from_ms(100), Span::from_ms(10));
        // Of iproute2's files: Pareto's is cut off at four times its scale, so that it is narrower than its name says.
        let of = [
            (Distribution::Normal, 99.992, 10.0),
            (Distribution::Pareto, 99.665, 8.197),
            (Distribution::ParetoNormal, 99.747, 8.339),
        ];
        for (d, mean, deviation) in of {
            let x: Vec<f64> = (0..4096).map(|rnd| spread(mu, sigma, rnd, d.table()).ns() as f64 / 1e6).collect();
            let m = x.iter().sum::<f64>() / 4096.0;
            let s = (x.iter().map(|v| (v - m).powi(2)).sum::<f64>() / 4096.0).sqrt();
            assert!((m - mean).abs() < 0.001 && (s - deviation).abs() < 0.001, "{} {m} {s}", d.name());
        }
        // By hand from the kernel's expression: 3 ns of jitter are 3 * -28307 / 8192, rounded away from 0.
        assert_eq!(spread(Span::from_ns(50), Span::from_ns(3), 1, Distribution::Normal.table()), Span::from_ns(40));
        assert_eq!(spread(mu, Span::from_ns(8192), 1, Distribution::Normal.table()), mu - Span::from_ns(28_307));
    }
}
