//! Programs wait until their host has processed what it received: a whole A-MPDU is read, and acknowledged, in one go.

use crate::given::counted;
use wavetank_core::workloads;

/// Packets made, and goodput of all flows together, Mbit/s, of three seconds.
fn run(first: &str, set: &[(&str, &str)]) -> (u64, f64) {
    let mut set = set.to_vec();
    set.extend([("time.flows", "3 s"), ("host.softirq_first", first)]);
    let (made, out) = counted(&workloads::ALL[0].scenario(&set));
    (made, out.flows.iter().map(|f| f.goodput_mbit(out.window)).sum())
}

#[test]
fn a_station_that_reads_an_a_mpdu_at_once_acknowledges_it_at_once() {
    let down = [("traffic.tcp_up", "0"), ("traffic.tcp_down", "1")];
    let ((late, fast), (between, slow)) = (run("true", &down), run("false", &down));
    // One ACK for two segments is a third of all packets; one for an A-MPDU is next to nothing.
    assert!(fast > 1.04 * slow, "{fast} {slow}");
    assert!((late as f64 / fast) < 0.75 * (between as f64 / slow), "{late} {between}");
}

#[test]
fn every_program_of_a_host_gets_its_turn() {
    let down = [("traffic.tcp_up", "0"), ("traffic.tcp_down", "4")];
    let ((late, fast), (between, slow)) = (run("true", &down), run("false", &down));
    assert!(fast > 0.97 * slow, "{fast} {slow}");
    assert!(late as f64 / fast < between as f64 / slow, "{late} {between}");
}
