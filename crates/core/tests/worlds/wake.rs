//! A program that waits for data takes a while to run once it is woken: what comes in meanwhile is read, and acknowledged, with the rest.

use crate::given::counted;
use wavetank_core::workloads;

/// Packets made, and goodput, Mbit/s, of eight seconds of one download.
///
/// The station is told of each A-MPDU as it ends, so that what is processed in one go is one A-MPDU.
fn run(host: (&str, &str)) -> (f64, f64) {
    let set = [
        ("time.flows", "8 s"),
        ("traffic.tcp_up", "0"),
        ("traffic.tcp_down", "1"),
        ("ath9k.rimt_last", "0 ns"),
        ("ath9k.rimt_first", "0 ns"),
        host,
    ];
    let (made, out) = counted(&workloads::ALL[0].scenario(&set));
    (made as f64, out.flows.iter().map(|f| f.goodput_mbit(out.window)).sum())
}

#[test]
fn the_longer_a_reader_takes_to_wake_the_fewer_acks_and_the_more_data() {
    // A frame takes the host 4 us: 20 us are five frames, 200 us more than an A-MPDU of 32.
    let runs = ["0 ns", "20 us", "200 us"].map(|wake| run(("host.wake", wake)));
    for pair in runs.windows(2) {
        let ((more, slow), (fewer, fast)) = (pair[0], pair[1]);
        assert!(fast > slow, "{fast} {slow}");
        assert!(fewer / fast < 0.93 * more / slow, "{fewer} {more}");
    }
}

#[test]
fn a_reader_that_wakes_when_all_is_processed_reads_all_of_it() {
    // One CPU for packets and programs, or another that takes longer to wake than the packets of an A-MPDU: the same ACKs.
    let ((waits, fast), (after, slow)) = (run(("host.wake", "200 us")), run(("host.softirq_first", "true")));
    let ratio = (waits / fast) / (after / slow);
    assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
}
