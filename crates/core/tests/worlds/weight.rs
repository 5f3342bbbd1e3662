//! Shares of airtime by weight (`stations.weight`).

use wavetank_core::net::World;
use wavetank_core::workloads;

#[test]
fn air_is_shared_by_weight() {
    let flood = [
        ("kernel", "6.12"), // before 5.0 ath9k has its own lists
        ("time.flows", "3 s"),
        ("time.warmup", "1 s"),
        ("wifi.stations", "2"),
        ("wifi.mcs", "7"),
        ("stations.weight", "512, 256"),
        ("traffic.tcp_up", "0"),
        ("traffic.udp_down", "200 Mbit/s"),
    ];
    let out = World::simulate(&workloads::ALL[0].scenario(&flood)).unwrap();
    let got: Vec<f64> = out.flows.iter().filter(|f| !f.is_tcp()).map(|f| f.goodput_mbit(out.window)).collect();
    let [heavy, light] = got[..] else { panic!("{got:?}") };
    assert!(light > 10.0 && (heavy / light - 2.0).abs() < 0.1, "{got:?}");
}
