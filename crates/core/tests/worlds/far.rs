//! Servers at different distances (`traffic.tcp_delay`).

use wavetank_core::net::World;
use wavetank_core::scenario::{Source, read};
use wavetank_core::sim::Time;

/// Goodput and least round trip of each flow, Mbit/s and ms.
fn flows(set: &[(&str, &str)]) -> Vec<(f64, f64)> {
    let set: Vec<_> = set.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
    let s = read(&Source { path: "x.toml", text: "name = \"x\"\n" }, &set).unwrap_or_else(|e| panic!("{e}"));
    let mut world = World::new(&s).unwrap();
    world.run_until(Time::from_s(9));
    assert_eq!(world.unaccounted(), 0);
    world.run_until(Time::NEVER);
    assert_eq!(world.unaccounted(), 0);
    let out = world.finish();
    let least =
        |f: &wavetank_core::net::outcome::FlowOutcome| f.series.min_rtt_ms.iter().copied().fold(f64::NAN, f64::min);
    out.flows.iter().map(|f| (f.goodput_mbit(out.window), least(f))).collect()
}

/// Both ways: what the server sends, data or ACKs, waits once a round trip. By the bottleneck's FIFO the nearer flow of Reno's has more.
#[test]
fn each_flow_has_the_round_trip_of_its_own_server() {
    let wired = [
        ("topology.kind", "wired"),
        ("htb.rate", "50 Mbit/s"),
        ("pfifo.limit", "100"),
        ("netem.delay", "10 ms"),
        ("tcp.cc", "reno"),
        ("traffic.tcp_up", "2"),
        ("traffic.tcp_delay", "[\"0 ms\", \"40 ms\"]"),
        ("time.flows", "20 s"),
    ];
    let up = flows(&wired);
    assert!((10.0..11.0).contains(&up[0].1) && (50.0..51.0).contains(&up[1].1), "{up:?}");
    assert!(up[0].0 > 1.3 * up[1].0 && up[0].0 + up[1].0 > 44.0, "{up:?}");
    let wifi = [
        ("topology.kind", "wifi"),
        ("backhaul.present", "true"),
        ("traffic.tcp_up", "0"),
        ("traffic.tcp_down", "3"),
        ("traffic.tcp_delay", "[\"0 ms\", \"40 ms\"]"),
        ("time.flows", "12 s"),
    ];
    let down = flows(&wifi);
    assert!(down[0].1 < 20.0 && (40.0..60.0).contains(&down[1].1) && down[2].1 < 20.0, "{down:?}");
}
