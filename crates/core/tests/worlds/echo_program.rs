//! A program answers what it was asked when the softirq is through; the kernel answers a ping where it is in line.

use crate::given::{counted, scenario};

const UPLOAD: &str = "name = \"x\"\n[topology]\nkind = \"wifi\"\n[host]\nsta_rx = 0\nap_rx = 0\nserver_rx = 0\n[ath9k]\nrimt_first = 0\nrimt_last = 0\n\
                [nic]\ngro = false\nrx_usecs = 0\n[backhaul]\nveth = true\ndelay = 0\n[wifi]\ntx_sk_pacing_shift = 7\n\
                [time]\nlead_in = \"1 s\"\nflows = \"30 s\"\nwarmup = \"4 s\"\ntail = 0\n[traffic]\ntcp_up = 1\nping = \"20 ms\"\n";

/// The mean over three runs: how full the queue is hangs on a run's losses.
fn ping(udp: &str) -> f64 {
    ["1", "2", "3"].iter().map(|seed| median(udp, seed)).sum::<f64>() / 3.0
}

fn median(udp: &str, seed: &str) -> f64 {
    let (_, out) = counted(&scenario(UPLOAD, &[("traffic.ping_udp", udp), ("seed", seed)]));
    let echo = &out.echoes[0];
    assert_eq!(echo.name, if udp == "true" { "udp" } else { "icmp" });
    let mut rtt: Vec<f64> = echo.rtt_ms[250..].iter().copied().filter(|v| v.is_finite()).collect();
    rtt.sort_by(f64::total_cmp);
    rtt[rtt.len() / 2]
}

/// An upload in A-MPDUs: an echo comes amid segments, whose first two ACKs the access point sends as single frames (ath9k/xmit.c
/// `ath_txq_schedule`, on every wake). The kernel's answer goes among them; a program's comes behind both, and waits for what they wait for, an
/// exchange of 2 ms now and then. The real kernel, five runs: 14.3 ms by ICMP, 15.5 by UDP.
#[test]
fn a_program_answers_behind_the_batch() {
    let (icmp, udp) = (ping("false"), ping("true"));
    assert!(udp > icmp + 0.2 && udp < icmp + 2.0, "ICMP {icmp} ms, UDP {udp} ms");
}
