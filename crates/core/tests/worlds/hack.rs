//! TCP/HACK in whole worlds: what rides, what it gives, and that nothing gets lost.

use crate::given::scenario;
use wavetank_core::net::World;
use wavetank_core::net::outcome::Outcome;
use wavetank_core::sim::Streams;
use wavetank_core::theory::tcp_dcf::TcpDcf;
use wavetank_core::traffic::Direction;

/// Downloads at an access point: 802.11n at 150 Mbit/s, or 802.11a at 54.
fn run(standard: &str, set: &[(&str, &str)]) -> Outcome {
    let text = format!(
        "name = \"hack\"\n[topology]\nkind = \"wifi\"\n[time]\nlead_in = \"0 ms\"\nflows = \"6 s\"\ntail = \"1 s\"\n\
         [wifi]\nstandard = \"{standard}\"\n[traffic]\ntcp_up = 0\ntcp_down = 1\nping = \"off\"\n"
    );
    let mut w = World::new(&scenario(&text, set)).unwrap();
    w.run_until(wavetank_core::sim::Time::from_s(100));
    assert_eq!(w.unaccounted(), 0, "packets are missing");
    w.finish()
}

fn goodput(o: &Outcome) -> f64 {
    o.flows.iter().map(|f| f.goodput_mbit(o.window)).sum()
}

fn carried(o: &Outcome) -> f64 {
    let (up, all) = o.nodes.iter().filter_map(|n| n.acks).fold((0, 0), |(r, n), a| (r + a.restored, n + a.client.acks));
    up as f64 / all as f64
}

/// Every flow delivers in each second: the longest time without progress is below that.
fn flows_move(o: &Outcome, what: &str) {
    for f in &o.flows {
        let at: Vec<f64> = f.series.t.iter().copied().filter(|&t| t > 1.0 && t < 6.0).step_by(5).collect();
        let got: Vec<f64> =
            f.series.t.iter().zip(&f.series.received).filter(|(t, _)| at.contains(t)).map(|(_, &r)| r).collect();
        assert!(got.windows(2).all(|w| w[1] > w[0]), "{what}: a flow stands still: {got:?}");
    }
}

#[test]
fn one_station_gains_and_nearly_all_acks_ride() {
    let plain = run("n", &[("hack.policy", "native")]);
    let hack = run("n", &[("hack.policy", "more-data")]);
    let gain = goodput(&hack) / goodput(&plain);
    assert!((1.12..1.30).contains(&gain), "{gain}");
    assert!(carried(&hack) > 0.99, "{}", carried(&hack));
    assert_eq!(carried(&plain), 0.0);
    let a = hack.nodes[1].acks.unwrap();
    let bytes = a.client.compressed_bytes as f64 / a.client.compressed as f64;
    assert!((4.0..4.5).contains(&bytes), "{bytes} bytes an ACK");
    assert_eq!((a.refused, a.client.failures), (0, 0), "{a:?}");
}

#[test]
fn counting_changes_nothing() {
    let (off, native) = (run("n", &[]), run("n", &[("hack.policy", "native")]));
    assert_eq!((off.digest, off.nodes[1].acks), (native.digest, None));
}

#[test]
fn several_stations_wait_for_their_turn() {
    for standard in ["a", "n"] {
        let set = |p| [("hack.policy", p), ("wifi.stations", "4")];
        let (plain, hack) = (run(standard, &set("native")), run(standard, &set("more-data")));
        assert!(goodput(&hack) > 1.12 * goodput(&plain), "{standard}: {} {}", goodput(&hack), goodput(&plain));
        assert!(carried(&hack) > 0.97, "{standard}: {}", carried(&hack));
    }
}

/// Whoever has the medium first decides, so some ride; the timer is long enough for one station.
#[test]
fn the_other_policies_carry_what_they_can() {
    for standard in ["a", "n"] {
        let some = carried(&run(standard, &[("hack.policy", "opportunistic")]));
        assert!((0.1..0.98).contains(&some), "{standard}: {some}");
        let one = carried(&run(standard, &[("hack.policy", "timer")]));
        assert!(one > 0.97, "{standard}: {one}");
        let short = carried(&run("n", &[("hack.policy", "timer"), ("hack.timer", "1 ms")]));
        assert!(short < 0.5, "{short}: an A-MPDU takes 3.5 ms");
    }
}

/// The rates of 802.11a: all of them in CI, else three of them.
fn rates() -> impl Iterator<Item = f64> {
    let all = std::env::var_os("CI").is_some();
    [6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0].into_iter().filter(move |r| all || [6.0, 18.0, 54.0].contains(r))
}

/// What the equations suppose: one TCP ACK for two segments (no PSH at the end of each skb, no loss), hosts and wires that take no time.
fn as_supposed(set: &[(&str, &str)], rate: f64) -> Outcome {
    let mbit = rate.to_string() + " Mbit/s";
    let mut all = vec![
        ("kernel", "4.14"),
        ("wifi.rate", &mbit),
        ("time.warmup", "1 s"),
        ("time.flows", "61 s"),
        ("tcp.gso_max_segs", "1"),
        ("mac80211.target", "10 s"),
        ("backhaul.present", "false"),
        ("beacon.interval", "0"),
        ("ath9k.rimt_first", "0 us"),
        ("ath9k.rimt_last", "0 us"),
        ("host.sta_rx", "0 ns"),
        ("host.ap_rx", "0 ns"),
        ("host.server_rx", "0 ns"),
        ("hack.policy", "native"),
    ];
    all.retain(|(k, _)| set.iter().all(|(other, _)| other != k));
    all.extend(set);
    let o = run("a", &all);
    assert_eq!(o.flows[0].retransmits, 0, "{rate}: something was lost");
    o
}

fn segments_an_ack(o: &Outcome) -> f64 {
    let segments = o.flows[0].series.received.last().unwrap() / 1448.0;
    segments / o.nodes[1].acks.unwrap().client.acks as f64
}

/// Equation 3.1, no frame lost at all, not by collision either: two segments and their TCP ACK take turns. What it leaves out then is that
/// a station counts its next backoff while the other sends: 1.4 of the 22.5 slots that it has for three frames. Told the average backoff that
/// is left (`T_BO`: 63.2 us, where Table 3.1 has 67.5), it holds.
#[test]
fn the_strictly_lossless_case_is_equation_3_1() {
    for rate in rates() {
        let o = as_supposed(&[("tcp.rcvbuf", "5000 B")], rate);
        assert!(o.nodes.iter().all(|n| n.unanswered == 0), "{rate}: collisions");
        assert!(o.flows[0].series.unacked.iter().all(|&n| n.is_nan() || n <= 2.0));
        let form = TcpDcf { rate, window: 2.0, ..Default::default() };
        let (turns, got) = (form.solve(), goodput(&o));
        assert_eq!(turns.collided, 0.0);
        assert!((got / turns.goodput - 1.0).abs() < 0.001, "{rate}: {got}, the chain has {}", turns.goodput);
        let excess = got / form.in_turns() - 1.0;
        let most = if rate < 36.0 { 0.01 } else { 0.0135 };
        assert!((0.0..most).contains(&excess), "{rate}: {excess} above equation 3.1");
        let told = got / form.in_turns_after(turns.backoff) - 1.0;
        assert!(told.abs() < 0.001, "{rate}: {told} beside equation 3.1 with the average backoff that there is");
    }
}

/// The same with as many segments under way as there is room for: data and TCP ACKs contend, which gains and costs.
#[test]
fn the_lossless_case_is_the_chain() {
    // And where hosts, wires and ath9k's receive interrupts take the time that they take.
    let real = [
        ("backhaul.present", "true"),
        ("ath9k.rimt_first", "2 ms"),
        ("ath9k.rimt_last", "500 us"),
        ("host.sta_rx", "4 us"),
        ("host.ap_rx", "4 us"),
        ("host.server_rx", "2 us"),
    ];
    for rate in rates() {
        let form = TcpDcf { rate, ..Default::default() };
        let chain = form.solve();
        for (set, most) in [(&real[..0], 0.003), (&real[..], 0.0075)] {
            let o = as_supposed(&[&[("tcp.rcvbuf", "262144 B")], set].concat(), rate);
            let per = segments_an_ack(&o);
            assert!((1.98..2.01).contains(&per), "{rate}: {per} segments an ACK");
            let off = goodput(&o) / chain.goodput - 1.0;
            assert!(off.abs() < most, "{rate}: {off} beside the chain");
            let ap = &o.nodes[0];
            let collided = ap.unanswered as f64 / ap.ampdu_hist.iter().sum::<u64>() as f64;
            assert!((collided / chain.collided - 1.0).abs() < 0.1, "{rate}: {collided} of {}", chain.collided);
        }
    }
}

/// Equation 3.2, told how long the frames are here: whole symbols, with MAC headers; half the responses carry an ACK.
#[test]
fn the_lossless_case_is_equation_3_2() {
    for rate in rates() {
        let symbols = |bytes: f64, rate: f64| ((bytes * 8.0 + 22.0) / (rate * 4.0)).ceil() * 4.0;
        let basic = [24.0, 12.0, 6.0].into_iter().find(|&b| b <= rate).unwrap();
        let form = wavetank_core::theory::hack::Hack {
            rate,
            data: symbols(1536.0, rate) * rate / 8.0,
            user: 1448.0,
            dack_hack: (symbols(14.0, basic) + symbols(14.0 + 5.0, basic)) / 2.0,
            ..Default::default()
        };
        let expected = form.hack_utilisation() * rate;
        for set in [&[][..], &[("kernel", "6.12")][..]] {
            let set = [&[("hack.policy", "more-data"), ("tcp.rcvbuf", "262144 B")], set].concat();
            let off = goodput(&as_supposed(&set, rate)) / expected - 1.0;
            assert!(off.abs() < 0.001, "{rate}: {off} beside equation 3.2");
        }
    }
}

#[test]
fn lost_responses_stall_nobody() {
    for standard in ["a", "n"] {
        for stations in ["1", "4"] {
            let set = |p| [("hack.policy", p), ("wifi.stations", stations), ("medium.response_error", "0.1")];
            let plain = goodput(&run(standard, &set("native")));
            for policy in ["more-data", "timer", "opportunistic"] {
                let o = run(standard, &set(policy));
                let what = format!("{standard} {policy} {stations}");
                flows_move(&o, &what);
                assert!(goodput(&o) > 0.98 * plain, "{what}: {} of {plain}", goodput(&o));
                assert!(o.nodes.iter().filter_map(|n| n.acks).all(|a| a.refused == 0), "{what}");
            }
        }
    }
}

/// An AP that gives frames up, and whose stations' flushes are lost too.
#[test]
fn an_ap_that_gives_up_loses_no_ack() {
    // Repeated chains come more often than new ones.
    let lossy = [
        ("hack.policy", "more-data"),
        ("medium.response_error", "0.3"),
        ("wifi.error_rate", "0.3"),
        ("ath9k.retries", "1"),
        ("fixed.tries", "1"),
        ("fixed.links", "2"),
        ("wifi.stations", "2"),
    ];
    for standard in ["a", "n"] {
        let o = run(standard, &lossy);
        let acks: Vec<_> = o.nodes.iter().filter_map(|n| n.acks).collect();
        assert!(o.ledger.named().any(|(_, r, n)| r.name() == "retries" && n > 10), "nothing was given up");
        assert!(acks.iter().all(|a| a.refused == 0 && a.restored > 100), "{standard}: {acks:?}");
        assert!(acks.iter().all(|a| a.client.riding_bytes > a.client.compressed_bytes), "nothing rode twice: {acks:?}");
    }
}

#[test]
fn a_nic_that_gets_its_chain_late_answers_plainly() {
    let soon = run("a", &[("hack.policy", "more-data")]);
    let late = run("a", &[("hack.policy", "more-data"), ("hack.load", "2 ms")]);
    let not_ready = |o: &Outcome| o.nodes[1].acks.unwrap().client.not_ready;
    assert!(not_ready(&late) > 20 * not_ready(&soon), "{} {}", not_ready(&late), not_ready(&soon));
    assert!(goodput(&late) > 0.98 * goodput(&soon) && carried(&late) > 0.95);
}

#[test]
fn sora_is_slower_by_its_late_acknowledgements() {
    let radios = [("ap.driver", "sora"), ("sta.driver", "sora")];
    let udp = [("traffic.tcp_down", "0"), ("traffic.udp_down", "40 Mbit/s")];
    let (ideal, sora) = (run("a", &udp), run("a", &[&udp[..], &radios[..]].concat()));
    // A mean of 36 us more for each frame of 394 us.
    let slower = goodput(&sora) / goodput(&ideal);
    assert!((0.89..0.93).contains(&slower), "{slower}");
}

/// Without the bit a late acknowledgement passes for the next frame's, which is lost: one frame in a hundred, and TCP halves its window for it.
#[test]
fn sora_without_numbers_loses_frames_that_pass_for_acknowledged() {
    let numbered = [("ap.driver", "sora"), ("sta.driver", "sora")];
    let radios = [&numbered[..], &[("sora.numbered", "false")]].concat();
    let mistaken = |o: &Outcome| o.ledger.named().filter(|(_, r, _)| r.name() == "mistaken").map(|x| x.2).sum::<u64>();
    let udp = [("traffic.tcp_down", "0"), ("traffic.udp_down", "40 Mbit/s")];
    let (bad, good) = (run("a", &[&udp[..], &radios].concat()), run("a", &[&udp[..], &numbered].concat()));
    let share = mistaken(&bad) as f64 * 1448.0 / (bad.flows[0].bytes_window as f64);
    assert!((0.005..0.025).contains(&share), "{share} of the frames");
    assert!(goodput(&bad) < 0.995 * goodput(&good), "{} {}", goodput(&bad), goodput(&good));
    assert_eq!(mistaken(&good), 0);
    let (bad, good) = (run("a", &radios), run("a", &numbered));
    // 3 to 6 % less by eight seeds
    assert!(goodput(&bad) < 0.98 * goodput(&good), "{} {}", goodput(&bad), goodput(&good));
    assert!(bad.flows[0].retransmits > 50 && mistaken(&bad) > bad.flows[0].retransmits, "TCP ACKs are lost so, too");
}

/// Clients that do not hear each other hit responses that outlast NAV and DIFS; MORE DATA leaves next to nobody who could.
#[test]
fn hidden_stations_hit_what_outlasts_nav_and_difs() {
    let of = |rate, places, policy| {
        let rate =
            [("wifi.basic_rate", rate), ("wifi.stations", "4"), ("medium.places", places), ("hack.policy", policy)];
        let o = run("n", &rate);
        let all = || o.nodes.iter().filter_map(|n| n.acks);
        assert!(all().all(|a| a.refused == 0));
        flows_move(&o, policy);
        (goodput(&o), all().map(|a| a.hit).sum::<u64>() as f64 / all().map(|a| a.client.responses).sum::<u64>() as f64)
    };
    for policy in ["more-data", "timer"] {
        assert_eq!(of("6 Mbit/s", "1", policy).1, 0.0, "all hear each other");
    }
    let (slow, quick) = (of("6 Mbit/s", "2", "timer"), of("24 Mbit/s", "2", "timer"));
    assert!(slow.1 > 0.15 && quick.1 < slow.1 / 2.0, "{slow:?} {quick:?}");
    assert!(slow.0 < of("6 Mbit/s", "1", "timer").0, "{slow:?}");
    let more = of("6 Mbit/s", "2", "more-data");
    assert!(more.1 < 0.04 && more.0 > 0.97 * of("6 Mbit/s", "1", "more-data").0, "{more:?}");
    assert!(of("24 Mbit/s", "2", "more-data").1 < 0.005);
}

/// A probe is none of the aggregates that the hardware holds, when it is given back, too.
#[test]
fn what_rate_control_probes_with_can_be_given_back() {
    for stations in ["1", "4"] {
        let set = [("hack.policy", "opportunistic"), ("sta.rate_control", "minstrel_ht"), ("wifi.stations", stations)];
        let o = run("n", &[&set[..], &[("time.flows", "4 s")]].concat());
        assert!(o.flows.iter().all(|f| f.goodput_mbit(o.window) > 10.0), "{stations}");
    }
}

#[test]
fn uplinks_pass_untouched() {
    let set = |p| [("hack.policy", p), ("traffic.tcp_up", "1"), ("traffic.tcp_down", "1")];
    for standard in ["a", "n"] {
        let o = run(standard, &set("more-data"));
        assert!(o.flows.iter().all(|f| f.goodput_mbit(o.window) > 1.0));
    }
}

/// Whatever it is combined with: no packet is missing, no ACK comes back wrong, and data flow.
#[test]
fn odd_company() {
    let mut rng = Streams::new(7).get("hack", "company");
    let draws = if std::env::var_os("CI").is_some() { 60 } else { 20 };
    for i in 0..draws {
        let mut of = |all: &[&'static str]| all[rng.below(all.len() as u32) as usize];
        let standard = of(&["a", "n", "n", "ac", "ax"]);
        let policy = of(&["more-data", "timer", "opportunistic"]);
        let (ap, sta) = match standard {
            // Who does not wait for SoRa's late ACKs hears none.
            "a" => *[("ath9k", "ath9k"), ("ath9k_tidq", "ath9k"), ("sora", "sora")]
                .get(of(&["0", "1", "2"]).parse::<usize>().expect("a digit"))
                .expect("one of three"),
            "ac" => ("ath10k", "ath10k"),
            "ax" => ("mt76", "mt76"),
            _ => (
                of(&["ath9k", "ath9k_tidq", "ath9k_htc", "ath10k", "linksys"]),
                of(&["ath9k", "ath9k_tidq", "ath9k_htc", "ath10k"]),
            ),
        };
        let policy = if policy == "opportunistic" && !["ath9k", "sora"].contains(&sta) { "more-data" } else { policy };
        let set = [
            ("hack.policy", policy),
            ("hack.bytes", of(&["512", "60", "12"])),
            ("hack.load", of(&["5 us", "500 us"])),
            ("hack.guard", of(&["100 ms", "5 ms"])),
            ("ap.driver", ap),
            ("sta.driver", sta),
            ("ap.qdisc", of(&["fq_codel", "pfifo", "aaq"])),
            ("kernel", if standard == "ax" { "6.12" } else { of(&["4.14", "6.12"]) }),
            ("wifi.stations", of(&["1", "3", "7"])),
            ("wifi.error_rate", of(&["0", "0.05", "0.4"])),
            ("medium.response_error", of(&["0", "0.2"])),
            ("medium.places", of(&["1", "1", "2", "3"])),
            ("tao.enabled", of(&["false", "true"])),
            ("traffic.tcp_down", of(&["1", "2"])),
            ("traffic.tcp_up", of(&["0", "1"])),
            ("traffic.ping", of(&["off", "50 ms"])),
            ("tcp.cc", of(&["cubic", "bbr", "reno"])),
            ("time.flows", "4 s"),
        ];
        let o = run(standard, &set);
        let acks: Vec<_> = o.nodes.iter().filter_map(|n| n.acks).collect();
        assert!(acks.iter().all(|a| a.refused == 0), "{i}: {standard} {set:?}: {acks:?}");
        let down = |o: &Outcome| -> u64 {
            o.flows.iter().filter(|f| f.plan.direction == Direction::Down).map(|f| f.bytes_window).sum()
        };
        let plain = run(standard, &[&set[1..], &[("hack.policy", "native")]].concat());
        assert!(4 * down(&o) >= down(&plain), "{i}: {standard} {set:?}: {} of {} bytes", down(&o), down(&plain));
    }
}
