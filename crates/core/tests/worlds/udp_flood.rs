//! A UDP flood over the air: datagrams have an owner, as TCP's segments do, and no segments to be cut into.

use wavetank_core::net::World;
use wavetank_core::workloads;

#[test]
fn a_flood_reaches_the_server() {
    let short = [("time.flows", "4 s"), ("traffic.udp_up", "20 Mbit/s"), ("traffic.tcp_up", "0")];
    let out = World::simulate(&workloads::ALL[0].scenario(&short)).unwrap();
    let flood = out.flows.iter().find(|f| !f.is_tcp()).expect("the flood is a flow");
    let mbit = flood.goodput_mbit(out.window);
    assert!((mbit - 20.0).abs() < 0.1, "{mbit} Mbit/s of 20 on an idle link of 300");
}
