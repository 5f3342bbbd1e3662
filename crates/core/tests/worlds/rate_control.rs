//! Minstrel-HT in a whole world: it finds what a channel that stands still carries.

use wavetank_core::net::World;
use wavetank_core::net::outcome::Outcome;
use wavetank_core::scenario::{Source, read};
use wavetank_core::sim::Time;

fn world(text: &str, set: &[(&str, &str)]) -> Result<World, String> {
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    let s = read(&Source { path: "rc.toml", text }, &set).map_err(|e| e.to_string())?;
    World::new(&s).map_err(|e| e.to_string())
}

/// One download of 12 s over a channel with this loss by MCS.
fn run(mcs_error: &str, more: &[(&str, &str)]) -> Outcome {
    let text = "name = \"rc\"\n[topology]\nkind = \"wifi\"\n[traffic]\ntcp_up = 0\ntcp_down = 1\n";
    let mut set = vec![
        ("time.lead_in", "0 s"),
        ("time.flows", "12 s"),
        ("time.tail", "0 s"),
        ("time.warmup", "2 s"),
        ("wifi.mcs_error", mcs_error),
    ];
    set.extend_from_slice(more);
    let mut w = world(text, &set).unwrap();
    w.run_until(Time::NEVER);
    assert_eq!(w.unaccounted(), 0, "packets are lost sight of");
    w.finish()
}

const MINSTREL: [(&str, &str); 2] = [("ap.rate_control", "minstrel_ht"), ("sta.rate_control", "minstrel_ht")];

/// MPDUs of the access point's data by MCS.
fn by_mcs(o: &Outcome) -> [u64; 8] {
    let mut all = [0; 8];
    for (m, _, mpdus) in &o.nodes[0].modes {
        all[usize::from(m.mcs())] += mpdus;
    }
    all
}

#[test]
fn minstrel_finds_what_the_channel_carries() {
    // Up to MCS 4 nothing is lost, above it everything.
    let o = run("0*5, 1", &MINSTREL);
    let n = by_mcs(&o);
    assert!(n[4] * 10 > n.iter().sum::<u64>() * 9, "{n:?}");
    assert!(n[5..].iter().sum::<u64>() > 50, "it probes: {n:?}");
    let goodput = o.flows[0].goodput_mbit(o.window);
    let fixed =
        run("0*5, 1", &[("wifi.mcs", "4")]).flows[0].goodput_mbit((Time::from_ms(2_000), Time::from_ms(12_000)));
    assert!(goodput > 0.85 * fixed && goodput < fixed, "{goodput} of {fixed} Mbit/s");
}

/// Before 5.14 rate control is asked as a frame enters its TXQ (net/mac80211/tx.c `ieee80211_xmit_fast`), where a reply's worth of frames comes at
/// once: its next probe waits for the next status, behind them all, and not for that of the single frame that the last one was. The real 5.10.262
/// sends 0.37 % of its MPDUs at each of MCS 5, 6 and 7; asked as frames leave, it would be 0.58 %.
#[test]
fn old_kernels_choose_probes_as_frames_come() {
    let o = run("0*5, 1", &[MINSTREL[0], MINSTREL[1], ("kernel", "5.10")]);
    let n = by_mcs(&o);
    let share = 100.0 * n[5..].iter().sum::<u64>() as f64 / n.iter().sum::<u64>() as f64;
    assert!(share > 0.9 && share < 1.4, "{share} % of the MPDUs are probes above MCS 4");
}

/// At -1 dB nothing of 802.11n arrives, and of 802.11b's rates 1 Mbit/s does: a BAR tells of it, and a download goes on at it. From 4.11 to 5.11 it carries nothing to
/// Minstrel-HT, which then reckons in 12 bits: 3686 * 1000 / 10548000 is none. At 5 GHz it is not there.
#[test]
fn a_link_too_weak_for_802_11n_goes_on_at_1_mbit() {
    use wavetank_core::phy::{Dsss, Mode};
    let weak = [
        ("wifi.width_mhz", "20"),
        ("channel.on", "true"),
        ("channel.snr", "-1"),
        ("channel.delay_spread", "0 s"),
        ("channel.k_db", "60"),
    ];
    let of = |band, version| {
        let o = run("0", &[&MINSTREL[..], &weak, &[("wifi.band", band), ("minstrel_ht.version", version)]].concat());
        let slow = |m: Mode| matches!(m, Mode::Dsss(h) if h.rate == Dsss::R1);
        let at: u64 = o.nodes[0].modes.iter().filter(|m| slow(m.0)).map(|m| m.2).sum();
        (o.flows[0].goodput_mbit(o.window), at)
    };
    for (version, used) in [("3.18", true), ("4.9", true), ("4.14", false), ("5.10", false), ("6.12", true)] {
        let (goodput, at) = of("2.4 GHz", version);
        let range = if used { 0.4..0.9 } else { 0.0..0.01 };
        assert!(range.contains(&goodput) && (at > 300) == used, "{version}: {goodput} Mbit/s, {at} MPDUs at 1 Mbit/s");
        assert_eq!(of("5 GHz", version), (0.0, 0), "{version} at 5 GHz");
    }
}

/// Before a run the access point has answered the association and a request for an agreement, and asked for one of its own; the station has sent two
/// frames of agreements. The access point's first interval ended with the second of these, the station's has not ended.
#[test]
fn what_went_before_a_run_is_known_as_it_begins() {
    let of = |band: &str, driver: &str| {
        let text = "name = \"rc\"\n[topology]\nkind = \"wifi\"\n";
        let set = [MINSTREL[0], MINSTREL[1], ("wifi.band", band), ("ap.driver", driver), ("sta.driver", driver)];
        let state = world(text, &set).unwrap().state_at(Time::ZERO);
        let radios = state.hosts.iter().flat_map(|h| &h.devices).filter_map(|d| d.radio.as_ref());
        let rates = radios.flat_map(|r| &r.stations).map(|s| &s.rates.as_ref().unwrap().0);
        rates.map(|all| (all[0].ever, all.iter().map(|r| r.ever.1).sum::<u32>())).collect::<Vec<_>>()
    };
    for driver in ["ath9k", "ath9k_tidq"] {
        assert_eq!(of("2.4 GHz", driver), [((2, 2), 2), ((0, 0), 0)], "{driver}");
        assert_eq!(of("5 GHz", driver), [((0, 0), 0); 2], "{driver}");
    }
}

#[test]
fn probes_go_out_alone() {
    let fixed = run("0", &[]);
    let minstrel = run("0", &MINSTREL);
    let singles = |o: &Outcome| o.nodes[0].ampdu_hist[1] as f64 / o.nodes[0].ampdu_hist.iter().sum::<u64>() as f64;
    assert!(singles(&minstrel) > singles(&fixed), "{} {}", singles(&minstrel), singles(&fixed));
}

#[test]
fn it_is_the_same_twice_and_another_with_another_seed() {
    let digest = |seed| run("0*4, 0.1, 0.3, 0.6, 0.9", &[MINSTREL[0], MINSTREL[1], ("seed", seed)]).digest;
    assert_eq!(digest("1"), digest("1"));
    assert_ne!(digest("1"), digest("2"));
}

#[test]
fn older_standards_have_it_too() {
    let a = [MINSTREL[0], MINSTREL[1], ("wifi.standard", "a"), ("wifi.aggregation", "false")];
    // 802.11a: 24 Mbit/s is the fastest that arrives.
    let n = by_mcs(&run("0*5, 1", &a));
    assert!(n[4] * 10 > n.iter().sum::<u64>() * 9, "{n:?}");
}

#[test]
fn cards_that_choose_by_themselves_refuse_it() {
    let text = "name = \"rc\"\n[topology]\nkind = \"wifi\"\n";
    let set = [MINSTREL[1], ("sta.driver", "ath9k_htc")];
    let e = world(text, &set).err().expect("refused");
    assert!(e.contains("sta1") && e.contains("rate_control = \"fixed\""), "{e}");
}

#[test]
fn the_thesiss_kernel_probes_more() {
    let old = [
        MINSTREL[0],
        MINSTREL[1],
        ("minstrel_ht.version", "3.18"),
        ("ap.driver", "ath9k_tidq"),
        ("sta.driver", "ath9k_tidq"),
    ];
    let o = run("0*5, 1", &old);
    let n = by_mcs(&o);
    assert!(n[4] * 10 > n.iter().sum::<u64>() * 9, "{n:?}");
    let new = by_mcs(&run("0*5, 1", &[&old[..2], &old[3..]].concat()));
    let failing = |n: [u64; 8]| n[5..].iter().sum::<u64>() as f64 / n.iter().sum::<u64>() as f64;
    assert!(failing(n) > failing(new), "{n:?} {new:?}");
}

#[test]
fn the_version_follows_the_kernel() {
    let digest = |more: &[(&str, &str)]| run("0*5, 0.5", &[&MINSTREL[..], more].concat()).digest;
    for kernel in ["3.18", "4.14", "5.4", "5.10"] {
        assert_eq!(digest(&[("kernel", kernel)]), digest(&[("kernel", kernel), ("minstrel_ht.version", kernel)]));
    }
    assert_ne!(digest(&[]), digest(&[("minstrel_ht.version", "3.18")]));
}

#[test]
fn the_old_version_is_of_802_11n() {
    let text = "name = \"rc\"\n[topology]\nkind = \"wifi\"\n[wifi]\nstandard = \"a\"\naggregation = false\n";
    let e = world(text, &[MINSTREL[0], ("kernel", "4.14")]).err().expect("refused");
    assert!(e.contains("minstrel_ht.version"), "{e}");
}
