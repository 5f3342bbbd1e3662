//! What goes first where a path takes no time, as the real kernel's veth pairs have it: qdiscs send before anything is received, TSQ's
//! tasklet runs after that, programs last; and a program's packets are where they get to before it hands down the next.
//!
//! The numbers are Linux 6.12's (`linux/run-wired`, segments that `ss` shows), in the set-ups that the scenarios name.

use crate::given::scenario;
use wavetank_core::net::World;
use wavetank_core::net::outcome::FlowSeries;

/// The wired reference's machine (docs/reference-data.md): offloads off, buffers that do not limit.
const MACHINE: &str = r#"
name = "softirq-order"
kernel = "6.12"
topology.kind = "wired"
host.hz = 100
netem.limit = 100000
tcp.gso_max_segs = 1
tcp.max_header = 80
tcp.rcvbuf = "64 MiB"
tcp.rcvlowat = "128 KiB"
tcp.rmem_max = "32 MiB"
tcp.rx_truesize = "2344 B"
tcp.rx_pages = true
tcp.rx_per_buffer = 17
tcp.wmem_max = "32 MiB"
tcp.pacing_shift = 10
time.tail = 0
time.lead_in = "1 s"
time.sample = "200 ms"
time.warmup = 0
traffic.ping = "100 ms"
traffic.ping_payload = 64
traffic.start_jitter = 0
"#;

fn run(set: &[(&str, &str)]) -> Vec<FlowSeries> {
    let world: World = World::new(&scenario(MACHINE, set)).unwrap();
    world.run().flows.into_iter().map(|f| f.series).collect()
}

/// (cwnd, retransmissions, acknowledged segments) of each flow at `t` seconds.
fn at(t: f64, flows: &[FlowSeries]) -> Vec<(u64, u64, u64)> {
    let i = flows[0].t.iter().position(|x| (x - 1.0 - t).abs() < 1e-3).unwrap();
    flows.iter().map(|s| (s.snd_cwnd[i] as u64, s.retrans[i] as u64, s.acked[i] as u64 / 1448)).collect()
}

#[test]
fn a_loss_that_shows_at_once_is_mended_before_the_tasklet_sends() {
    // fq_codel drops the head and sends what is behind it; that segment's SACK is back before TSQ's tasklet runs, so that the
    // retransmission is the next to join the queue. Where the tasklet goes first, two new segments do, and each flow retransmits twice.
    let seen = run(&[
        ("tcp.cc", "reno"),
        ("htb.rate", "10 Mbit/s"),
        ("htb.leaf", "fq_codel"),
        ("bottleneck.place", "local"),
        ("netem.delay", "0 ms"),
        ("traffic.tcp_up", "6"),
        ("tcp.limit_output_bytes", "64 KiB"),
        ("tcp.pacing_ca_ratio", "150"),
        ("time.flows", "300 ms"),
    ]);
    assert_eq!(at(0.2, &seen)[1..], [(12, 1, 28), (11, 1, 28), (5, 1, 28), (5, 1, 27), (5, 1, 27)]);
}

#[test]
fn two_flows_share_a_queue_as_their_programs_and_watchdogs_take_turns() {
    // How the flows' packets lie in one queue decides who loses how many of them: to the segment, two seconds later.
    let seen = run(&[
        ("tcp.cc", "highspeed"),
        ("htb.rate", "30 Mbit/s"),
        ("bottleneck.place", "remote"),
        ("netem.delay", "70 ms"),
        ("traffic.tcp_up", "2"),
        ("tcp.limit_output_bytes", "512 KiB"),
        ("time.flows", "2100 ms"),
    ]);
    assert_eq!(at(0.6, &seen), [(447, 0, 437), (320, 0, 310)]);
    assert_eq!(at(1.0, &seen), [(990, 0, 980), (768, 0, 758)]);
    assert_eq!(at(2.0, &seen), [(641, 641, 2031), (532, 531, 1723)]);
}

#[test]
fn a_program_whose_own_queue_refuses_its_packets_waits_like_any_other() {
    let seen = run(&[
        ("tcp.cc", "reno"),
        ("htb.rate", "10 Mbit/s"),
        ("pfifo.limit", "5"),
        ("bottleneck.place", "local"),
        ("netem.delay", "1 ms"),
        ("tcp.tsq", "off"),
        ("traffic.tcp_up", "2"),
        ("time.flows", "2 s"),
    ]);
    assert!(at(1.8, &seen).iter().map(|f| f.2).sum::<u64>() > 1_000);
}

#[test]
fn a_path_of_no_time_has_a_least_rtt_nevertheless() {
    // New Vegas leaves slow start by its base RTT, which is a microsecond or three there, not a jiffy.
    let seen = run(&[
        ("tcp.cc", "nv"),
        ("htb.rate", "15 Mbit/s"),
        ("pfifo.limit", "1500"),
        ("bottleneck.place", "remote"),
        ("netem.delay", "0 ms"),
        ("time.flows", "300 ms"),
    ]);
    assert_eq!(at(0.2, &seen), [(22, 0, 249)]);
    assert_eq!(seen[0].min_rtt_ms[6], 0.001);
}

#[test]
fn programs_have_the_cpu_in_the_order_in_which_they_were_woken() {
    // Three connections come to be a moment apart; each first window is one behind the other's.
    let seen = run(&[
        ("tcp.cc", "bbr"),
        ("htb.rate", "30 Mbit/s"),
        ("pfifo.limit", "80"),
        ("bottleneck.place", "local"),
        ("netem.delay", "70 ms"),
        ("tcp.tsq", "off"),
        ("tcp.pacing_ss_ratio", "150"),
        ("traffic.tcp_up", "3"),
        ("time.flows", "300 ms"),
    ]);
    let i = seen[0].t.iter().position(|t| (t - 1.2).abs() < 1e-3).unwrap();
    for (s, kernel) in seen.iter().zip([71.394, 74.352, 77.325]) {
        assert!((s.srtt_ms[i] - kernel).abs() < 0.003, "{} {kernel}", s.srtt_ms[i]);
    }
}

#[test]
fn who_is_connected_as_its_call_returns_writes_before_another_program_connects() {
    // The second SYN stands behind the first flow's first window (1.68 ms in Linux, where the first segment's ACK has let go of one more).
    let seen = run(&[
        ("tcp.cc", "cubic"),
        ("htb.rate", "80 Mbit/s"),
        ("pfifo.limit", "200"),
        ("bottleneck.place", "local"),
        ("netem.delay", "0 ms"),
        ("traffic.tcp_up", "3"),
        ("time.flows", "300 ms"),
    ]);
    let least: Vec<f64> = seen.iter().map(|s| s.min_rtt_ms[6]).collect();
    assert!(least[0] < 0.01 && (1.5..1.7).contains(&least[1]) && (1.5..1.7).contains(&least[2]), "{least:?}");
}
