//! Whether a capture's frames come in the order of time.

/// Time may go back by this much, ns. A frame is stamped where the host hands it up: two CPUs that do so, and a file's interfaces that are
/// written in turns, swap frames of some us to some hundred; and neither a response (SIFS) nor a round trip in ms is misjudged by less than this.
const SLACK: u64 = 1_000_000;

/// Counts how often time goes back.
#[derive(Default)]
pub(super) struct Order {
    latest: u64,
}

impl Order {
    /// The next frame's time. True: time went back, and goes on from there.
    pub fn goes_back(&mut self, time: u64) -> bool {
        let back = time.saturating_add(SLACK) < self.latest;
        self.latest = if back { time } else { self.latest.max(time) };
        back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backs(us: &[u64]) -> usize {
        let mut order = Order::default();
        us.iter().filter(|&&t| order.goes_back(t * 1_000)).count()
    }

    #[test]
    fn what_is_swapped_by_little_is_in_order() {
        assert_eq!(backs(&[0, 50, 20, 1_020, 30, 5_000]), 0);
        assert_eq!(backs(&[0, 1_031, 30, 1_000]), 1, "counted once, not for each frame behind it");
    }

    #[test]
    fn halves_that_are_swapped_are_one_jump() {
        assert_eq!(backs(&[9_000, 9_100, 12_000, 0, 100, 200, 8_000]), 1);
    }

    #[test]
    fn a_single_stamp_far_ahead_hides_no_later_jump() {
        assert_eq!(backs(&[0, 100, 1 << 50, 200, 300, 9_000, 400]), 2);
    }

    #[test]
    fn a_file_from_its_end_goes_back_all_the_time() {
        let us: Vec<u64> = (0..1_000).rev().map(|k| k * 40).collect();
        assert!(backs(&us) > 30);
    }
}
