//! Packets that a radio hands up faster than its host's CPU takes them.

use crate::given::{counted, scenario};
use wavetank_core::sim::{Place, Reason};

/// Packets that take a host no time do not wait for it, however many an A-MPDU brings.
#[test]
fn a_host_that_takes_no_time_drops_nothing() {
    let text = "name = \"x\"\n[topology]\nkind = \"wifi\"\n[wifi]\nmcs = 15\n[backhaul]\npresent = false\n[host]\nsta_rx = \"0 ns\"\nbacklog = 1\n\
                [time]\nlead_in = \"0 s\"\nflows = \"1 s\"\nwarmup = \"500 ms\"\ntail = \"1 s\"\n[traffic]\nudp_down = \"50 Mbit/s\"\n";
    let (_, out) = counted(&scenario(text, &[]));
    assert!(out.ledger.named().all(|(p, ..)| p != Place::Host));
}

/// A station takes 100 us a packet, and six times as many short datagrams come: it takes 10,000 a second, `host.backlog` of them wait, which is what a
/// datagram is late by, and the rest is dropped. The real kernel over the virtual radio takes in 16.0 Mbit/s, too, and drops 209,326 (209,329 here).
#[test]
fn what_a_slow_host_has_no_time_for_is_dropped() {
    let text = "name = \"x\"\n[topology]\nkind = \"wifi\"\n[wifi]\nmcs = 15\nwidth_mhz = 40\n[backhaul]\npresent = false\n[stations]\nrx = \"100 us\"\n\
                [time]\nlead_in = \"1 s\"\nflows = \"4 s\"\nwarmup = \"2 s\"\ntail = \"1 s\"\n[traffic]\nudp_down = \"100 Mbit/s\"\nudp_payload = 200\n";
    for backlog in [1000, 100] {
        let (_, out) = counted(&scenario(text, &[("host.backlog", &backlog.to_string())]));
        let goodput = out.flows[0].goodput_mbit(out.window);
        assert!((goodput - 16.0).abs() < 0.1, "{goodput} Mbit/s");
        let late = out.flows[0].delivery.as_ref().unwrap().delay.quantile(0.5).unwrap() / 1e6;
        let waited = f64::from(backlog) / 10.0;
        assert!((waited..waited + 10.0).contains(&late), "{late} ms for {backlog} packets");
        assert!(out.ledger.named().any(|(p, r, n)| (p, r) == (Place::Host, Reason::Overlimit) && n > 10_000));
    }
}
