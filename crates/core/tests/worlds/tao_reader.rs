//! The program that reads under TAO runs when TAO has looked: what it has acknowledged, the odd segment with PSH, goes behind the others.

use crate::given::{counted, scenario};

const FOUR: &str = r#"
name = "four"
[topology]
kind = "wifi"
[time]
lead_in = "0 s"
flows = "6 s"
warmup = "1 s"
[wifi]
standard = "n"
mcs = 7
width_mhz = 40
stations = 4
[tao]
enabled = true
[traffic]
tcp_up = 0
tcp_down = 1
ping = "off"
"#;

/// The share of the stations' PPDUs that are of one frame.
fn singles(set: &[(&str, &str)]) -> f64 {
    let (_, out) = counted(&scenario(FOUR, set));
    let sum = |from: usize| out.nodes[1..].iter().flat_map(|n| &n.ampdu_hist[from..]).sum::<u64>() as f64;
    (sum(0) - sum(2)) / sum(0)
}

#[test]
fn an_odd_segment_with_psh_is_acknowledged_alone() {
    // Linux 6.12 over the virtual radio: 9 to 15 % of each station's.
    let s = singles(&[]);
    assert!((0.07..0.2).contains(&s), "{s}");
    // The same read within the softirq, which no kernel does.
    let s = singles(&[("host.softirq_first", "false")]);
    assert!(s < 0.04, "{s}");
    // Before 6.6 the segments that GSO cut have no PSH, and nobody answers the odd one.
    let s = singles(&[("kernel", "4.19")]);
    assert!(s < 0.04, "{s}");
}
