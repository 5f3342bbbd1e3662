//! A connection that has ended leaves no samples of a state that it does not have any more.

use wavetank_core::net::World;
use wavetank_core::scenario::{Source, read};
use wavetank_core::sim::Time;

/// Eight uploads over a queue of twelve packets: fifteen window probes in a row that the own queue refuses end some of them
/// (net/ipv4/tcp_timer.c `tcp_probe_timer`). What adds up stays in their samples; windows, round trips and rates end with them.
#[test]
fn samples_of_a_state_end_with_the_connection() {
    let text = "name = \"x\"\n[topology]\nkind = \"wired\"\n[bottleneck]\nplace = \"local\"\n[htb]\nrate = \"56 kbit/s\"\nleaf = \"pfifo\"\n[pfifo]\nlimit = 12\n\
                [netem]\ndelay = \"20 ms\"\nlimit = 100000\n[tcp]\ncc = \"reno\"\nmin_tso_segs = 8\n\
                [time]\nlead_in = \"1 s\"\nflows = \"60 s\"\nwarmup = \"5 s\"\ntail = \"0 s\"\n[traffic]\ntcp_up = 8\n";
    let s = read(&Source { path: "x.toml", text }, &[]).unwrap();
    let mut world = World::new(&s).unwrap();
    world.run_until(Time::NEVER);
    let out = world.finish();
    let (ended, rest): (Vec<_>, Vec<_>) = out.flows.iter().partition(|f| f.error.is_some());
    assert!(!ended.is_empty() && !rest.is_empty(), "{} ended, {} did not", ended.len(), rest.len());
    for flow in &out.flows {
        let s = &flow.series;
        let (first, last) = (s.snd_cwnd.iter().position(|v| v.is_finite()).unwrap(), s.t.len() - 1);
        for state in [&s.snd_cwnd, &s.srtt_ms, &s.min_rtt_ms, &s.unacked, &s.pacing_bps, &s.delivery_bps, &s.notsent] {
            let lives = state.iter().rposition(|v| v.is_finite()).unwrap();
            assert_eq!(lives == last, flow.error.is_none(), "known to {} s", s.t[lives]);
            assert!(state[first..=lives].iter().all(|v| v.is_finite()));
        }
        assert!(s.retrans[first..].iter().all(|v| v.is_finite()) && s.acked.iter().all(|v| v.is_finite()));
        assert_eq!(s.retrans[last], flow.retransmits as f64);
    }
}
