//! What a program sends is behind what the softirqs that woke it sent, also where packets take their hosts no time: an upload's ACK, sent
//! by who reads, comes to the access point behind the data that a download's ACK of the same PPDU let go.

use crate::given::counted;
use wavetank_core::traffic::Direction;
use wavetank_core::workloads;

/// Goodput of the upload, Mbit/s, beside two downloads, all bound by their receivers' windows.
fn upload(wake: &str) -> f64 {
    let set = [
        ("kernel", "6.12"),
        ("wifi.standard", "ac"),
        ("wifi.mcs", "9"),
        ("wifi.streams", "3"),
        ("ap.driver", "mt76"),
        ("sta.driver", "mt76"),
        ("host.ap_rx", "0"),
        ("host.sta_rx", "4 us"),
        ("host.server_rx", "0"),
        ("host.wake", wake),
        ("backhaul.veth", "true"),
        ("backhaul.delay", "0"),
        ("backhaul.qdisc", "netem"),
        ("netem.delay", "1 ms"),
        ("tcp.rcvbuf", "256 KiB"),
        ("traffic.tcp_up", "1"),
        ("traffic.tcp_down", "2"),
        ("time.flows", "5 s"),
    ];
    let (_, out) = counted(&workloads::ALL[0].scenario(&set));
    out.flows.iter().find(|f| f.plan.direction == Direction::Up).expect("an upload").goodput_mbit(out.window)
}

#[test]
fn a_reader_that_runs_at_once_acknowledges_behind_what_softirqs_sent() {
    let (at_once, later) = (upload("0"), upload("2 us"));
    assert!((at_once / later - 1.0).abs() < 0.04, "{at_once} {later}");
}
