//! The windowed minimum (and maximum) that Linux shares among min RTT and BBR: the best of a window in three samples.
//!
//! Stands for: Linux 6.12 lib/win_minmax.c (Kathleen Nichols' algorithm). Differs: nothing.

/// A value and when it was seen, in the caller's unit of time.
#[derive(Clone, Copy, Debug)]
struct Sample {
    t: u32,
    v: u32,
}

/// The filter. Time and window are in any unit, the same for both; time may wrap.
#[derive(Clone, Copy, Debug)]
pub struct Minmax {
    s: [Sample; 3],
}

impl Minmax {
    /// A filter that has seen `v` at `t`.
    pub const fn new(t: u32, v: u32) -> Minmax {
        Minmax { s: [Sample { t, v }; 3] }
    }
    /// The best value of the window.
    #[inline]
    pub const fn get(&self) -> u32 {
        self.s[0].v
    }
    /// Forgets all and starts with `v`.
    pub fn reset(&mut self, t: u32, v: u32) {
        *self = Minmax::new(t, v);
    }
    /// Adds a sample; the minimum of the last `window`.
    pub fn min(&mut self, window: u32, t: u32, v: u32) -> u32 {
        self.update(window, Sample { t, v }, |new, old| new <= old)
    }
    /// Adds a sample; the maximum of the last `window`.
    pub fn max(&mut self, window: u32, t: u32, v: u32) -> u32 {
        self.update(window, Sample { t, v }, |new, old| new >= old)
    }

    fn update(&mut self, window: u32, val: Sample, better: impl Fn(u32, u32) -> bool) -> u32 {
        if better(val.v, self.s[0].v) || val.t.wrapping_sub(self.s[2].t) > window {
            self.reset(val.t, val.v);
            return val.v;
        }
        if better(val.v, self.s[1].v) {
            self.s[1] = val;
            self.s[2] = val;
        } else if better(val.v, self.s[2].v) {
            self.s[2] = val;
        }
        self.age(window, val)
    }

    /// As time passes, the second and third choices move up, and new ones are taken from the second and last half.
    fn age(&mut self, window: u32, val: Sample) -> u32 {
        let dt = val.t.wrapping_sub(self.s[0].t);
        if dt > window {
            self.s = [self.s[1], self.s[2], val];
            if val.t.wrapping_sub(self.s[0].t) > window {
                self.s = [self.s[1], self.s[2], val];
            }
        } else if self.s[1].t == self.s[0].t && dt > window / 4 {
            self.s[1] = val;
            self.s[2] = val;
        } else if self.s[2].t == self.s[1].t && dt > window / 2 {
            self.s[2] = val;
        }
        self.s[0].v
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_expires_with_its_window() {
        let mut m = Minmax::new(0, u32::MAX);
        assert_eq!(m.min(100, 0, 50), 50);
        assert_eq!(m.min(100, 30, 70), 50);
        assert_eq!(m.min(100, 60, 60), 50);
        // At 101 the 50 is 101 old; the 60 of t=60 is the best that is left.
        assert_eq!(m.min(100, 101, 80), 60);
        assert_eq!(m.min(100, 102, 10), 10);
    }

    #[test]
    fn the_maximum_likewise() {
        let mut m = Minmax::new(0, 0);
        assert_eq!(m.max(10, 1, 5), 5);
        assert_eq!(m.max(10, 4, 3), 5);
        assert_eq!(m.max(10, 12, 2), 3);
    }
}
