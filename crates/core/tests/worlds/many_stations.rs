//! A hundred stations: every packet is accounted for, all get their share, and a run does not do more for each station than for one.

use wavetank_core::net::{Outcome, World};
use wavetank_core::workloads;

/// Downloads of two seconds to `n` stations.
fn down(n: &str, more: &[(&str, &str)]) -> Outcome {
    let short = [
        ("wifi.stations", n),
        ("time.lead_in", "200 ms"),
        ("time.flows", "2 s"),
        ("time.warmup", "500 ms"),
        ("time.tail", "0 ms"),
    ];
    let w = workloads::ALL.iter().find(|w| w.name == "down-14").expect("a standard workload");
    World::simulate(&w.scenario(&[&short[..], more].concat())).unwrap()
}

#[test]
fn a_hundred_stations_lose_no_packet_from_sight() {
    let tidq = [("ap.driver", "ath9k_tidq"), ("sta.driver", "ath9k_tidq")];
    for more in
        [&[][..], &[("ap.qdisc", "aaq"), tidq[0], tidq[1]], &[("traffic.tcp_up", "1"), ("traffic.tcp_down", "0")]]
    {
        let out = down("100", more);
        let got: Vec<f64> = out.flows.iter().map(|f| f.goodput_mbit(out.window)).collect();
        assert_eq!(got.len(), 100);
        assert!(got.iter().sum::<f64>() > 5.0, "{more:?}: {got:?}");
    }
}

#[test]
fn events_grow_with_the_air_and_not_with_the_stations() {
    // The air is shared: a hundred stations cause hardly more events than ten, their echoes and start aside.
    let (few, many) = (down("10", &[]).events, down("100", &[]).events);
    assert!(many < 2 * few, "{many} events, {few} with ten stations");
}

#[test]
fn more_sockets_than_have_numbers_are_an_error() {
    let set = [("wifi.stations", "254"), ("traffic.tcp_up", "256"), ("traffic.tcp_down", "0")];
    let error = World::new(&workloads::ALL[0].scenario(&set)).err().expect("it is refused");
    assert!(error.starts_with("traffic: 65024 flows"), "{error}");
}
