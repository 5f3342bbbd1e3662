//! Who looks at a run's state changes nothing; and what is shown adds up: with what a run holds, with its ledger, with what samples say.

use wavetank_core::net::state::{HostState, QdiscState, State};
use wavetank_core::net::{Outcome, World};
use wavetank_core::sim::{Named, Time};
use wavetank_core::workloads;

/// Set-ups in which packets wait in every kind of place.
const PLACES: [&[(&str, &str)]; 13] = [
    &[],
    &[
        ("ap.driver", "ath10k"),
        ("sta.driver", "ath10k"),
        ("wifi.mcs", "9"),
        ("wifi.standard", "ac"),
        ("wifi.width_mhz", "80"),
        ("traffic.tcp_down", "2"),
    ],
    &[("sta.driver", "ath9k_htc"), ("wifi.mcs", "7")],
    &[("sta.driver", "ath9k_htc"), ("sta.above", "qdisc"), ("sta.qdisc", "fq_codel"), ("wifi.mcs", "7")],
    &[("sta.driver", "ath9k_tidq"), ("sta.qdisc", "htb"), ("htb.rate", "20 Mbit/s")],
    &[
        ("backhaul.qdisc", "fq_codel"),
        ("backhaul.delay", "5 ms"),
        ("ethernet.rate", "50 Mbit/s"),
        ("traffic.tcp_down", "3"),
    ],
    &[
        ("topology.kind", "wired"),
        ("htb.leaf", "fq_codel"),
        ("netem.delay", "20 ms"),
        ("traffic.tcp_up", "3"),
        ("htb.rate", "20 Mbit/s"),
    ],
    &[("ap.driver", "linksys"), ("wifi.width_mhz", "20"), ("traffic.tcp_down", "2")],
    &[("tao.enabled", "true"), ("traffic.tcp_down", "1")],
    &[("sta.driver", "ath9k_htc"), ("sta.above", "qdisc"), ("sta.qdisc", "cake"), ("cake.ack_filter", "enabled")],
    &[
        ("topology.kind", "wired"),
        ("bottleneck.qdisc", "cake"),
        ("netem.delay", "20 ms"),
        ("traffic.tcp_up", "3"),
        ("cake.bandwidth", "20 Mbit/s"),
        ("cake.memlimit", "64 KiB"),
    ],
    &[
        ("kernel", "6.12"),
        ("ap.driver", "mt76"),
        ("sta.driver", "mt76"),
        ("wifi.mcs", "11"),
        ("wifi.standard", "ax"),
        ("wifi.width_mhz", "80"),
        ("wifi.error_rate", "0.05"),
        ("traffic.tcp_down", "2"),
    ],
    &[
        ("kernel", "6.12"),
        ("ap.driver", "iwlwifi"),
        ("sta.driver", "iwlwifi"),
        ("iwlwifi.tfds", "32"),
        ("iwlwifi.tso", "false"),
        ("wifi.mcs", "11"),
        ("wifi.standard", "ax"),
        ("wifi.width_mhz", "80"),
        ("wifi.error_rate", "0.05"),
        ("traffic.tcp_down", "2"),
        ("traffic.tcp_up", "1"),
        ("traffic.udp_up", "300 Mbit/s"),
    ],
];
/// No instant of a sample or of anybody's clock.
const AT: [u64; 3] = [1_100_000_001, 1_787_654_321, 2_400_000_123];

fn world(set: &[(&str, &str)]) -> World {
    let short = [("time.lead_in", "1 s"), ("time.flows", "2 s"), ("time.tail", "0 s"), ("time.warmup", "1 s")];
    let set: Vec<_> = short.iter().chain(set).copied().collect();
    World::new(&workloads::ALL[0].scenario(&set)).unwrap()
}

fn get(of: &Named, name: &str) -> u64 {
    of.iter().find(|x| x.0 == name).unwrap_or_else(|| panic!("{name} in {of:?}")).1
}

fn watched(set: &[(&str, &str)]) -> (Vec<State>, Outcome) {
    let mut w = world(set);
    let states = AT
        .map(|ns| {
            let s = w.state_at(Time::from_ns(ns));
            assert_eq!(s.sum(), s.held, "{set:?} at {ns}: {s:#?}");
            assert_eq!(w.unaccounted(), 0, "{set:?}");
            s
        })
        .into();
    w.run_until(Time::NEVER);
    assert_eq!(w.unaccounted(), 0, "{set:?}");
    (states, w.finish())
}

#[test]
fn looking_changes_nothing_and_nothing_is_overlooked() {
    for set in PLACES {
        let plain = world(set).run();
        let (states, out) = watched(set);
        assert_eq!((out.digest, out.events), (plain.digest, plain.events), "{set:?}");
        assert!(states[2].held > 0, "{set:?}: nothing is under way");
    }
}

/// The TCP sender.
fn sender(h: &HostState) -> &Named {
    &h.sockets[0].info
}

#[test]
fn at_a_sample_it_says_what_the_sample_says() {
    let mut w = world(&[]);
    let out = world(&[]).run();
    let (flow, i) = (&out.flows[0].series, 8);
    let s = w.state_at(Time::from_ns((flow.t[i] * 1e9).round() as u64));
    let sta = s.hosts.iter().find(|h| h.name == "sta1").unwrap();
    let info = sender(sta);
    for (name, column) in [
        ("tcpi_snd_cwnd", &flow.snd_cwnd),
        ("tcpi_unacked", &flow.unacked),
        ("tcpi_bytes_acked", &flow.acked),
        ("tcpi_total_retrans", &flow.retrans),
        ("tcpi_notsent_bytes", &flow.notsent),
    ] {
        assert_eq!(get(info, name) as f64, column[i], "{name}");
    }
    assert!(flow.acked[i] > 1e6, "the flow is under way");
    // What was sent is acknowledged, out, or was sent again.
    let (sent, again) = (get(info, "tcpi_bytes_sent"), get(info, "tcpi_bytes_retrans"));
    let out = get(info, "tcpi_unacked") * get(info, "tcpi_snd_mss");
    assert_eq!(
        sent - again,
        get(info, "tcpi_bytes_acked") - 1 + out,
        "all segments are full; the SYN counts as acknowledged"
    );
    assert_eq!(get(info, "tcpi_data_segs_out") * get(info, "tcpi_snd_mss"), sent);
    assert_eq!(get(info, "tcpi_segs_out"), get(info, "tcpi_data_segs_out") + 2, "the SYN, and the ACK that opens");
}

#[test]
fn queues_count_what_left_them() {
    // A station's TXQ: what was pulled and what waits is what its socket, its pings and nobody else sent.
    let (states, _) = watched(&[]);
    let s = &states[2];
    let sta = s.hosts.iter().find(|h| h.name == "sta1").unwrap();
    let radio = sta.devices[0].radio.as_ref().unwrap();
    assert_eq!((radio.driver, radio.stations.len()), ("ath9k", 1));
    let be = &radio.stations[0].txqs[0];
    let tcp = get(sender(sta), "tcpi_segs_out");
    let through = be.tx_packets + be.backlog_packets;
    assert!((tcp..tcp + 20).contains(&through), "{through} through the queue, {tcp} of TCP");
    assert!(be.ampdu && be.tx_bytes > 1_400 * (tcp - 2));
    // ath9k's hardware holds two aggregates, within a window of 64.
    let hw = radio.holds.hardware[2];
    assert_eq!(hw.units, 2);
    let t = radio.holds.tids.iter().find(|t| t.tid.get() == 0).unwrap();
    assert!(t.open <= t.size && u32::from(t.open) >= hw.mpdus.max(t.retry), "{t:?} {hw:?}");
    assert_eq!(u64::from(hw.packets + t.packets), radio.held);
    // The access point received what it lets the server have: its wired queue counts each.
    let (states, out) = watched(PLACES[6]);
    let q: Vec<&QdiscState> = states[2].hosts.iter().flat_map(|h| &h.devices).flat_map(|d| &d.qdiscs).collect();
    let kinds: Vec<_> = q.iter().map(|q| (q.kind, q.parent)).collect();
    assert_eq!(
        kinds,
        [("htb", None), ("pfifo", Some("1:1")), ("htb", None), ("fq_codel", Some("1:1")), ("netem", None)]
    );
    let leaf = q[3];
    assert_eq!(leaf.backlog, q[2].backlog);
    assert_eq!(get(&leaf.told.options, "target"), 5_000);
    assert!(get(&leaf.told.stats, "memory_used") >= leaf.backlog.0 && leaf.backlog.1 > 0);
    let series = out.queues.iter().find(|q| q.name == "bottleneck").unwrap();
    assert!(leaf.dropped <= *series.dropped.last().unwrap() as u64);
    assert_eq!(
        q[0].sent.unwrap().1,
        q[2].sent.unwrap().1 + leaf.backlog.1 + leaf.dropped,
        "what left C stands at R, or went on"
    );
}

/// TCP ACKs that wait for a narrow wire behind the access point: each lies in the buffer of 2304 bytes that the card received it into, whatever it
/// weighed at the station.
#[test]
fn what_came_over_the_air_lies_in_the_cards_memory() {
    let narrow = [
        ("traffic.tcp_up", "0"),
        ("traffic.tcp_down", "1"),
        ("backhaul.qdisc", "htb"),
        ("backhaul.at", "ap"),
        ("htb.rate", "500 kbit/s"),
        ("htb.leaf", "fq_codel"),
    ];
    let s = world(&narrow).state_at(Time::from_ns(AT[2]));
    let ap = s.hosts.iter().find(|h| h.name == "ap").unwrap();
    let q = &ap.devices.iter().find(|d| d.name == "apw").unwrap().qdiscs[1];
    assert!(q.backlog.1 > 0, "{q:?}");
    assert_eq!(get(&q.told.stats, "memory_used"), q.backlog.1 * 2304);
}
