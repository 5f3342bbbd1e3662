use super::*;

const HARDWARE: Hardware = Hardware::ATH9K;

/// Two streams, 40 MHz, short guard interval, 5 GHz.
fn new() -> MinstrelHt {
    let supports = Supports { ht: Some([0xff, 0xff, 0, 0]), width_mhz: 40, short_gi: [true; 3], ..Supports::default() };
    let mut n = 0u8;
    let columns = Table::new(|| {
        n = n.wrapping_mul(5).wrapping_add(3);
        n
    });
    MinstrelHt::new(&supports, Overhead::new(60, true), HARDWARE, columns, 250, 0)
}

/// A channel that carries rates up to so many Mbit/s: what Minstrel uses after `seconds`.
fn settle(limit_ns: u32, seconds: u32) -> (MinstrelHt, u32) {
    let mut m = new();
    let mut probes = 0;
    for ms in 0..seconds * 1000 {
        let jiffies = ms / 4;
        let (rate, frames) = match m.probe(jiffies, false) {
            Some(r) => {
                probes += 1;
                (r, 1)
            }
            None => (m.chain()[0].unwrap().0, 16),
        };
        let acked = if rate.duration() >= limit_ns { frames } else { 0 };
        m.status(jiffies, &Status { tried: &[(rate, 1)], frames, acked });
    }
    (m, probes)
}

#[test]
fn starts_low_and_climbs_to_the_top() {
    assert_eq!(new().chain()[0].unwrap().0, Rate::new(0, 0));
    let (m, _) = settle(0, 10);
    assert_eq!(m.station().best[0], Rate::new(13, 7)); // MCS 15, 40 MHz, short GI
    assert_eq!(m.station().robust.of().streams, 1);
}
/// MCS 0, 20 MHz: 153600 bits in 5908 symbols, a sixteenth of it 1476992 ns (with five bits less); 3686 * 10^6 / (108000 + 1476992) = 2325 at
/// nine tenths; 232500 >> 12 = 56, and 56 * 10 * 9600 / 1024.
#[test]
fn what_is_expected_by_hand() {
    let supports = Supports { ht: Some([1, 0, 0, 0]), width_mhz: 20, ..Supports::default() };
    let mut s = Station::new(&supports, Overhead::new(60, true));
    assert_eq!(s.expected_kbit(), 0, "nothing is known");
    s.stats_mut(Rate::new(0, 0)).prob = 1 << 12;
    assert_eq!(s.expected_kbit(), 5_250);
}
#[test]
fn stays_below_what_the_channel_carries() {
    let limit = Rate::new(8, 4).duration(); // MCS 4, 40 MHz, long GI
    let (m, probes) = settle(limit, 20);
    let best = m.station().best[0];
    assert!(best.duration() >= limit, "{best:?}");
    assert!(best.duration() <= limit * 5 / 4, "{best:?}");
    assert!(probes > 100, "a Minstrel that never probes would not have found it: {probes}");
}
#[test]
fn probes_are_20_ms_apart_or_follow_an_update() {
    let mut m = new();
    let (mut last, mut probes) = (None, 0);
    for jiffies in 0..2000 {
        if m.probe(jiffies, false).is_some() {
            assert!(last.is_none_or(|l| jiffies - l >= 5), "{jiffies}");
            last = Some(jiffies);
        }
        if m.status(jiffies, &Status { tried: &[(m.chain()[0].unwrap().0, 1)], frames: 8, acked: 8 }) {
            last = None;
        }
        probes += u32::from(last == Some(jiffies));
    }
    // every 13 jiffies an update, and three probes at most between two
    assert!((100..=462).contains(&probes), "{probes}");
}
#[test]
fn a_rate_that_dies_is_left_at_once() {
    let (mut m, _) = settle(0, 10);
    let best = m.station().best[0];
    // an update, so that the interval is empty
    assert!(m.status(2600, &Status { tried: &[(best, 1)], frames: 1, acked: 1 }));
    assert_eq!(m.station().best[0], best);
    assert!(!m.status(2601, &Status { tried: &[(best, 1)], frames: 30, acked: 0 }));
    assert!(m.status(2601, &Status { tried: &[(best, 1)], frames: 1, acked: 0 }));
    assert_ne!(m.station().best[0], best);
}
#[test]
fn overheads_by_hand() {
    // 6 Mbit/s: an ACK 36 + 4 * 6 us, an empty frame 36 + 4 * 3
    assert_eq!(Overhead::new(60, true), Overhead { ht: [108, 228], legacy: [60, 180] });
    // 1 Mbit/s, short preamble: 10 + 96 + 112
    assert_eq!(Overhead::new(10, false).legacy, [218, 654]);
}
#[test]
fn tries_fit_into_six_milliseconds() {
    let (m, _) = settle(0, 10);
    let [first, .., last] = *m.chain();
    let ((_, fast), (_, robust)) = (first.unwrap(), last.unwrap());
    assert!((2..=10).contains(&fast.plain) && fast.rts <= fast.plain, "{fast:?}");
    assert!(robust.plain >= 2);
}
