//! Instants and spans: integer nanoseconds, and two types so that they cannot be mixed.
//!
//! `Time` is an instant since the start of the run, `Span` a signed difference: an early event shows as a negative
//! span, it does not turn positive. `Time + Time` does not compile.

use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// An instant, in nanoseconds since the run began.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Time(u64);

/// A signed length of time, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Span(i64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// Later than everything; a timer that is off.
    pub const NEVER: Time = Time(u64::MAX);

    /// The instant `ns` nanoseconds after the start.
    pub const fn from_ns(ns: u64) -> Time {
        Time(ns)
    }
    /// The instant `us` microseconds after the start.
    pub const fn from_us(us: u64) -> Time {
        Time(us * 1_000)
    }
    /// The instant `ms` milliseconds after the start.
    pub const fn from_ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }
    /// The instant `s` seconds after the start.
    pub const fn from_s(s: u64) -> Time {
        Time(s * 1_000_000_000)
    }
    /// Nanoseconds since the start.
    pub const fn ns(self) -> u64 {
        self.0
    }
    /// Whole microseconds since the start, as `tcp_clock_us` counts.
    pub const fn us(self) -> u64 {
        self.0 / 1_000
    }
    /// Whole milliseconds since the start.
    pub const fn ms(self) -> u64 {
        self.0 / 1_000_000
    }
    /// Seconds since the start, for output only.
    pub fn as_s(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// Whether this instant is `NEVER`.
    pub const fn is_never(self) -> bool {
        self.0 == u64::MAX
    }
    /// What never comes comes no sooner or later; whatever else leaves the instants is a bug.
    #[cold]
    fn never(self) -> Time {
        assert!(self.is_never(), "an instant before the run or after the end of time");
        self
    }
    /// The span since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0) as i64)
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// The longest span that can be written.
    pub const MAX: Span = Span(i64::MAX);

    /// `ns` nanoseconds.
    pub const fn from_ns(ns: i64) -> Span {
        Span(ns)
    }
    /// `us` microseconds.
    pub const fn from_us(us: i64) -> Span {
        Span(us * 1_000)
    }
    /// `ms` milliseconds.
    pub const fn from_ms(ms: i64) -> Span {
        Span(ms * 1_000_000)
    }
    /// `s` seconds.
    pub const fn from_s(s: i64) -> Span {
        Span(s * 1_000_000_000)
    }
    /// Nanoseconds.
    pub const fn ns(self) -> i64 {
        self.0
    }
    /// Whole microseconds, rounded towards zero.
    pub const fn us(self) -> i64 {
        self.0 / 1_000
    }
    /// Whole milliseconds, rounded towards zero.
    pub const fn ms(self) -> i64 {
        self.0 / 1_000_000
    }
    /// Milliseconds, for output only.
    pub fn as_ms(self) -> f64 {
        self.0 as f64 / 1e6
    }
    /// Seconds, for output and `theory` only.
    pub fn as_s(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// The larger of two spans.
    pub fn max(self, o: Span) -> Span {
        Span(self.0.max(o.0))
    }
    /// The smaller of two spans.
    pub fn min(self, o: Span) -> Span {
        Span(self.0.min(o.0))
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, s: Span) -> Time {
        // Instants are below 2^63: never, and whatever leaves them at either end, has the sign bit.
        let sum = self.0.wrapping_add_signed(s.0);
        if (self.0 | sum) as i64 >= 0 { Time(sum) } else { self.never() }
    }
}
impl AddAssign<Span> for Time {
    fn add_assign(&mut self, s: Span) {
        *self = *self + s;
    }
}
impl Sub<Span> for Time {
    type Output = Time;
    fn sub(self, s: Span) -> Time {
        self + Span(-s.0)
    }
}
impl Sub for Time {
    type Output = Span;
    fn sub(self, o: Time) -> Span {
        Span(self.0.wrapping_sub(o.0) as i64)
    }
}
impl Add for Span {
    type Output = Span;
    fn add(self, o: Span) -> Span {
        Span(self.0 + o.0)
    }
}
impl AddAssign for Span {
    fn add_assign(&mut self, o: Span) {
        self.0 += o.0;
    }
}
impl Sub for Span {
    type Output = Span;
    fn sub(self, o: Span) -> Span {
        Span(self.0 - o.0)
    }
}
impl SubAssign for Span {
    fn sub_assign(&mut self, o: Span) {
        self.0 -= o.0;
    }
}
impl Neg for Span {
    type Output = Span;
    fn neg(self) -> Span {
        Span(-self.0)
    }
}
impl Mul<i64> for Span {
    type Output = Span;
    fn mul(self, k: i64) -> Span {
        Span(self.0 * k)
    }
}
impl Div<i64> for Span {
    type Output = Span;
    fn div(self, k: i64) -> Span {
        Span(self.0 / k)
    }
}
impl Div for Span {
    type Output = i64;
    /// How many whole times `o` fits.
    fn div(self, o: Span) -> i64 {
        self.0 / o.0
    }
}
impl core::iter::Sum for Span {
    fn sum<I: Iterator<Item = Span>>(i: I) -> Span {
        i.fold(Span::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_early_event_is_a_negative_span() {
        assert_eq!(Time::from_us(3) - Time::from_us(5), Span::from_us(-2));
        assert_eq!(Time::from_us(3).since(Time::from_us(5)), Span::ZERO);
    }

    #[test]
    fn never_stays_never() {
        assert!((Time::NEVER + Span::from_s(1)).is_never());
    }

    #[test]
    #[should_panic(expected = "an instant before the run")]
    fn before_the_run_is_a_bug() {
        let _ = Time::from_ns(1) - Span::from_ns(2);
    }
}
