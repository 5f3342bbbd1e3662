//! A cable without delay: what the device is through with arrives at the same instant, and what leaves next has one arrival too.

use wavetank_core::net::World;
use wavetank_core::workloads;

#[test]
fn every_packet_arrives_once_over_a_cable_without_delay() {
    let set = [
        ("time.flows", "3 s"),
        ("traffic.tcp_up", "0"),
        ("traffic.tcp_down", "4"),
        ("backhaul.delay", "0"),
        ("backhaul.qdisc", "netem"),
        ("netem.delay", "500 us"),
        ("netem.limit", "100000"),
    ];
    let out = World::simulate(&workloads::ALL[0].scenario(&set)).unwrap();
    assert!(out.flows.iter().all(|f| f.goodput_mbit(out.window) > 5.0), "four downloads share an idle link");
}

/// Median ping of an idle link whose wire is a veth pair, ms.
fn idle_ping(set: &[(&str, &str)]) -> f64 {
    let idle = [("time.flows", "3 s"), ("traffic.tcp_up", "0"), ("traffic.tcp_down", "0"), ("backhaul.veth", "true")];
    let all: Vec<_> = idle.iter().chain(set).copied().collect();
    let out = World::simulate(&workloads::ALL[0].scenario(&all)).unwrap();
    let mut rtts = out.echoes[0].rtt_ms.clone();
    rtts.retain(|r| !r.is_nan());
    rtts.sort_by(f64::total_cmp);
    rtts[rtts.len() / 2]
}

#[test]
fn netem_delays_at_the_end_that_has_it() {
    let none = idle_ping(&[("backhaul.delay", "0")]);
    let at =
        |end| [("backhaul.delay", "0"), ("backhaul.qdisc", "netem"), ("netem.delay", "10 ms"), ("backhaul.at", end)];
    for (end, ms) in [("both", 20.0), ("ap", 10.0), ("server", 10.0)] {
        let more = idle_ping(&at(end)) - none;
        assert!((more - ms).abs() < 0.3, "{end}: {more} ms more");
    }
    let more = idle_ping(&[("backhaul.delay", "10 ms")]) - none;
    assert!((more - 20.0).abs() < 0.3, "a veth pair's delay is netem's at both ends: {more} ms more");
}
