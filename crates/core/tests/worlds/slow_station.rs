//! Kernels from 4.12 to 5.11 have CoDel wait 50 ms for a station that Minstrel-HT expects little of, at a fixed rate, too.

use crate::given::{counted, scenario};

const DOWN: &str = "name = \"x\"\n[topology]\nkind = \"wifi\"\n[wifi]\nstations = 2\nwidth_mhz = 40\nshort_gi = true\nband = \"5 GHz\"\n\
                [time]\nlead_in = \"1 s\"\nflows = \"12 s\"\nwarmup = \"4 s\"\ntail = 0\n[traffic]\ntcp_up = 0\ntcp_down = 1\n";

fn srtt(kernel: &str, mcs: &str) -> f64 {
    let (_, out) = counted(&scenario(DOWN, &[("kernel", kernel), ("stations.mcs", mcs)]));
    let s = &out.flows[1].series;
    let mut late: Vec<f64> = s.t.iter().zip(&s.srtt_ms).filter(|(t, _)| **t > 5.0).map(|(_, v)| *v).collect();
    late.sort_by(f64::total_cmp);
    late[late.len() / 2]
}

/// src: linux@5.10 net/mac80211/sta_info.c `sta_update_codel_params`: below 6 Mbit/s a station, twelve here. Of MCS 0 at 40 MHz 0.9 of 1200 bytes
/// are expected in 640 us and a share of the overhead, some 12 of these Mbit/s; of MCS 1 some 24. The real 5.10.262 over the virtual radio has
/// a median srtt of 54 ms, 6.12 of 38 to 40.
#[test]
fn codel_waits_longer_for_a_slow_station_of_old_kernels() {
    let (old, new) = (srtt("5.10", "15, 0"), srtt("6.12", "15, 0"));
    assert!(old > 1.25 * new, "5.10: {old} ms, 6.12: {new} ms");
    let (old, new) = (srtt("5.10", "15, 1"), srtt("6.12", "15, 1"));
    assert!((old / new - 1.0).abs() < 0.1, "MCS 1: 5.10: {old} ms, 6.12: {new} ms");
}
