//! GRO at the ends of the wire, in a whole world: the books balance, what a router merged is cut again, and ACKs become fewer.

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
