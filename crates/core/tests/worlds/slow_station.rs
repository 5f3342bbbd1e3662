//! Kernels from 4.12 to 6.6 have CoDel wait 50 ms for a station that Minstrel-HT expects little of, at a fixed rate, too.

use crate::given::{counted, scenario};

const DOWN: &str = "name = \"x\"\n[topology]\nkind = \"wifi\"\n[wifi]\nstations = 2\nwidth_mhz = 40\nshort_gi = true\nband = \"5 GHz\"\n\
                [time]\nlead_in = \"1 s\"\nflows = \"12 s\"\nwarmup = \"4 s\"\ntail = 0\n[traffic]\ntcp_up = 0\ntcp_down = 1\n";

fn srtt(kernel: &str, mcs: &str, mhz: &str) -> f64 {
    let (_, out) = counted(&scenario(DOWN, &[("kernel", kernel), ("stations.mcs", mcs), ("wifi.width_mhz", mhz)]));
    let s = &out.flows[1].series;
    let mut late: Vec<f64> = s.t.iter().zip(&s.srtt_ms).filter(|(t, _)| **t > 5.0).map(|(_, v)| *v).collect();
    late.sort_by(f64::total_cmp);
    late[late.len() / 2]
}

/// src: linux@5.10 net/mac80211/sta_info.c `sta_update_codel_params`: below 6 Mbit/s a station, twelve here. Of MCS 0 at 40 MHz 0.9 of 1200 bytes
/// are expected in 640 us and a share of the overhead, some 12 of these Mbit/s; of MCS 1 some 24. The real 5.10.262 over the virtual radio has
/// a median srtt of 54 ms, 6.12 of 38 to 40. Minstrel-HT since 5.12 reckons more finely, and expects some 13 of MCS 0 at 40 MHz.
#[test]
fn codel_waits_longer_for_a_slow_station_of_old_kernels() {
    for (kernel, mcs, mhz, slow) in [
        ("5.10", "15, 0", "40", true),
        ("5.10", "15, 1", "40", false),
        ("5.15.148", "15, 0", "20", true),
        ("6.1.192", "15, 0", "20", true),
        ("6.1.192", "15, 0", "40", false),
        ("6.6.129", "15, 0", "20", true),
    ] {
        let (old, new) = (srtt(kernel, mcs, mhz), srtt("6.12", mcs, mhz));
        let told = format!("{kernel}, MCS {mcs}, {mhz} MHz: {old} ms, 6.12: {new} ms");
        assert!(if slow { old > 1.25 * new } else { (old / new - 1.0).abs() < 0.1 }, "{told}");
    }
}
