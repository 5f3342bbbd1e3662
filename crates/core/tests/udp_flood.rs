//! A UDP flood over the air: datagrams have an owner, as TCP's segments do, and no segments to be cut into.

use wavetank_core::net::World;
use wavetank_core::sim::Time;
use wavetank_core::workloads;

#[test]
fn a_flood_reaches_the_server() {
    let short = [("time.flows", "4 s"), ("traffic.udp_up", "20 Mbit/s"), ("traffic.tcp_up", "0")];
    let mut world = World::new(&workloads::ALL[0].scenario(&short)).unwrap();
    world.run_until(Time::NEVER);
    assert_eq!(world.unaccounted(), 0);
    let out = world.finish();
    let flood = out.flows.iter().find(|f| !f.is_tcp()).expect("the flood is a flow");
    let mbit = flood.goodput_mbit(out.window);
    assert!((mbit - 20.0).abs() < 0.1, "{mbit} Mbit/s of 20 on an idle link of 300");
}
