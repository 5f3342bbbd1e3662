//! A qdisc that lets time pass, above a radio: its watchdog fires when it asked for that, whatever else happens meanwhile.

use wavetank_core::net::{Outcome, World};
use wavetank_core::sim::Time;
use wavetank_core::workloads;

fn run(set: &[(&str, &str)]) -> Outcome {
    World::simulate(&workloads::ALL[0].scenario(set)).unwrap()
}

const DRIVERS: [&[(&str, &str)]; 3] = [
    &[("sta.driver", "ath9k_tidq")],
    &[("sta.driver", "ath9k_htc"), ("sta.above", "qdisc"), ("wifi.mcs", "7")],
    &[("sta.driver", "ath10k"), ("sta.above", "qdisc")],
];

#[test]
fn netem_above_a_radio_adds_its_delay_and_no_more() {
    let idle = [("time.flows", "3 s"), ("traffic.tcp_up", "0"), ("traffic.tcp_down", "0"), ("host.wake", "0")];
    for driver in DRIVERS {
        let ping = |delay| {
            let netem = [("sta.qdisc", "netem"), ("netem.delay", delay)];
            let out = run(&[&idle[..], driver, &netem].concat());
            let mut rtts: Vec<f64> = out.echoes[0].rtt_ms.iter().copied().filter(|r| !r.is_nan()).collect();
            rtts.sort_by(f64::total_cmp);
            rtts[rtts.len() / 2]
        };
        let more = ping("10 ms") - ping("0");
        assert!((more - 10.0).abs() < 0.2, "{driver:?}: {more} ms more");
    }
}

#[test]
fn a_shaper_above_a_radio_gives_its_rate() {
    for driver in DRIVERS {
        for (kind, key) in [("htb", "htb.rate"), ("cake", "cake.bandwidth")] {
            let out = run(&[driver, &[("time.flows", "4 s"), ("sta.qdisc", kind), (key, "20 Mbit/s")]].concat());
            let mbit = out.flows[0].goodput_mbit(out.window);
            assert!((mbit - 20.0 * 1448.0 / 1514.0).abs() < 0.4, "{driver:?}, {kind}: {mbit} Mbit/s of 20 on the wire");
        }
    }
}

/// CAKE has a GSO skb's segments one by one, so that an echo waits for one frame of 1514 bytes at most, 0.6 ms at 20 Mbit/s; uncut for a whole
/// skb, a third of the window of 64 segments.
#[test]
fn cake_cuts_super_packets() {
    let late = |split| {
        let out = run(&[
            ("topology.kind", "wired"),
            ("bottleneck.qdisc", "cake"),
            ("bottleneck.place", "local"),
            ("cake.bandwidth", "20 Mbit/s"),
            ("cake.split_gso", split),
            ("netem.delay", "40 ms"),
            ("tcp.gso_max_segs", "44"),
            ("tcp.min_tso_segs", "44"),
            ("tcp.tsq", "off"),
            ("traffic.ping", "53 ms"),
            ("time.flows", "10 s"),
        ]);
        let mbit = out.flows[0].goodput_mbit(out.window);
        assert!(mbit > 15.0, "{split}: {mbit} Mbit/s");
        let rtts = out.echoes[0].rtt_ms.iter().copied().filter(|r| !r.is_nan());
        rtts.fold(0.0, f64::max) - 40.0
    };
    let (cut, whole) = (late("true"), late("false"));
    assert!(cut < 0.7 && whole > 4.0, "{cut} and {whole} ms");
}

/// A socket writes departure times ahead of the clock wherever an `fq` is its own host's, at the root or inside HTB, and `fq` holds what is not due.
#[test]
fn fq_paces_at_the_root_and_inside_htb() {
    let throttled = |set: &[(&str, &str)]| {
        let early = [("time.lead_in", "1 s"), ("time.flows", "4 s")];
        let mut world = World::new(&workloads::ALL[0].scenario(&[&early[..], set].concat())).unwrap();
        let state = world.state_at(Time::from_s(4));
        let qdiscs = state.hosts.iter().flat_map(|h| &h.devices).flat_map(|d| &d.qdiscs);
        let told = qdiscs.filter(|q| q.kind == "fq").flat_map(|q| &q.told.stats);
        told.filter(|s| s.0 == "throttled").map(|s| s.1).sum::<u64>()
    };
    let down =
        [("traffic.tcp_up", "0"), ("traffic.tcp_down", "1"), ("backhaul.at", "server"), ("htb.rate", "1 Gbit/s")];
    let up = [("sta.driver", "ath9k_tidq"), ("htb.rate", "1 Gbit/s")];
    for (place, key) in [(&down[..], "backhaul.qdisc"), (&up[..], "sta.qdisc")] {
        assert!(throttled(&[place, &[(key, "fq")]].concat()) > 1_000, "{key}");
        assert!(throttled(&[place, &[(key, "htb"), ("htb.leaf", "fq")]].concat()) > 1_000, "{key}, inside htb");
    }
}
