//! A cable without delay: what the device is through with arrives at the same instant, and what leaves next has one arrival too.

use wavetank_core::net::World;
use wavetank_core::sim::Time;
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
    let mut world = World::new(&workloads::ALL[0].scenario(&set)).unwrap();
    world.run_until(Time::NEVER);
    assert_eq!(world.unaccounted(), 0);
    let out = world.finish();
    assert!(out.flows.iter().all(|f| f.goodput_mbit(out.window) > 5.0), "four downloads share an idle link");
}
