//! GRO at the ends of the wire and under ath10k's polls, in a whole world: the books balance, what a router merged is cut again, and ACKs
//! become fewer.

use crate::given::counted;
use wavetank_core::workloads;

/// Packets made and goodput of each flow, Mbit/s, of three seconds of `up` uploads and `down` downloads.
fn run(gro: &str, up: &str, down: &str) -> (u64, Vec<f64>) {
    let set = [("time.flows", "3 s"), ("nic.gro", gro), ("traffic.tcp_up", up), ("traffic.tcp_down", down)];
    let (made, out) = counted(&workloads::ALL[0].scenario(&set));
    (made, out.flows.iter().map(|f| f.goodput_mbit(out.window)).collect())
}

#[test]
fn a_server_that_merges_acknowledges_less_often() {
    let ((on, fast), (off, slow)) = (run("true", "1", "0"), run("false", "1", "0"));
    assert!(fast[0] > 0.97 * slow[0], "{fast:?} {slow:?}");
    assert!(4 * on < 3 * off, "two or three segments are one packet at the server: {on} packets, not {off}");
}

#[test]
fn a_router_that_merges_cuts_again_before_the_air() {
    let ((on, with), (off, without)) = (run("true", "0", "2"), run("false", "0", "2"));
    let sum = |v: &[f64]| v.iter().sum::<f64>();
    assert!((sum(&with) / sum(&without) - 1.0).abs() < 0.05, "{with:?} {without:?}");
    assert!(on.abs_diff(off) < off / 20, "what was merged is as many packets again behind the router: {on}, {off}");
}

/// The same over ath10k at both ends, without GRO on the wire.
fn over_ath10k(kernel: &str, gro: &str, up: &str, down: &str) -> (u64, Vec<f64>) {
    let (flows, wire) =
        ([("traffic.tcp_up", up), ("traffic.tcp_down", down)], [("time.flows", "3 s"), ("nic.gro", "false")]);
    let card = [("kernel", kernel), ("ap.driver", "ath10k"), ("sta.driver", "ath10k"), ("ath10k.gro", gro)];
    let (made, out) = counted(&workloads::ALL[0].scenario(&[&flows[..], &wire, &card].concat()));
    (made, out.flows.iter().map(|f| f.goodput_mbit(out.window)).collect())
}

#[test]
fn a_station_whose_driver_polls_acknowledges_what_a_ppdu_brought_once() {
    let ((on, fast), (off, slow)) = (over_ath10k("4.14", "true", "0", "1"), over_ath10k("4.14", "false", "0", "1"));
    assert!(fast[0] > slow[0], "{fast:?} {slow:?}");
    assert!(5 * on < 4 * off, "an ACK for a PPDU, not for every other segment: {on} packets, not {off}");
}

#[test]
fn an_access_point_whose_driver_polls_cuts_again_before_the_wire() {
    let ((on, with), (off, without)) = (over_ath10k("4.14", "true", "2", "0"), over_ath10k("4.14", "false", "2", "0"));
    let sum = |v: &[f64]| v.iter().sum::<f64>();
    assert!((sum(&with) / sum(&without) - 1.0).abs() < 0.05, "{with:?} {without:?}");
    assert!(on.abs_diff(off) < off / 20, "{on}, {off}");
}

#[test]
fn ath10k_did_not_poll_before_4_9() {
    assert_eq!(over_ath10k("3.18", "true", "0", "1"), over_ath10k("3.18", "false", "0", "1"));
}
