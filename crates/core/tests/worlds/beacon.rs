//! Beacons in whole worlds: when they come, what they cost, what collides with them.

use crate::given::scenario;
use wavetank_core::net::{Outcome, World};
use wavetank_core::sim::{NodeId, Probe, Span, Time};
use wavetank_core::wifi::Beaconed;

#[derive(Default)]
struct Heard(Vec<Beaconed>);

impl Probe for Heard {
    const AIR: bool = true;
    fn beacon(&mut self, _from: NodeId, b: &Beaconed) {
        self.0.push(*b);
    }
}

const TU: i64 = 1_024_000;

fn run(sets: &[(&str, &str)]) -> (Outcome, Vec<Beaconed>) {
    let text = "name = \"beacon\"\n[topology]\nkind = \"wifi\"\n[time]\nlead_in = 0\nflows = \"10 s\"\ntail = 0\nwarmup = \"1 s\"\n\
                [backhaul]\npresent = false\n[traffic]\ntcp_up = 0\nping = \"off\"\n";
    let mut w = World::tapped(&scenario(text, sets), Heard::default()).unwrap();
    w.run_until(Time::NEVER);
    assert_eq!(w.unaccounted(), 0);
    let (o, heard) = w.run_tapped();
    (o, heard.0)
}

fn goodput(o: &Outcome) -> f64 {
    o.flows.iter().map(|f| f.goodput_mbit(o.window)).sum()
}

/// From one to the next, less the interval: ns.
fn late(heard: &[Beaconed], tu: i64) -> Vec<i64> {
    heard.windows(2).map(|w| (w[1].start - w[0].start).ns() - tu * TU).collect()
}

#[test]
fn on_an_idle_medium_each_comes_at_its_time() {
    let ping = ("traffic.ping", "5 s");
    let (_, heard) = run(&[ping]);
    assert!((97..=98).contains(&heard.len()), "{} in 10 s", heard.len());
    assert!(late(&heard, 100).iter().all(|l| l.abs() < 9_000), "a slot's boundary at most: {:?}", late(&heard, 100));
    assert!(heard.iter().all(|b| b.airtime == Span::from_us(236) && !b.collided));
    assert_eq!(run(&[ping, ("beacon.interval", "0")]).1, []);
    assert!((48..=49).contains(&run(&[ping, ("beacon.interval", "200")]).1.len()));
}

/// A saturated sender loses the beacons' time and what a beacon waits for; and no more.
#[test]
fn they_cost_their_time() {
    for (band, us) in [("5 GHz", 236.0), ("2.4 GHz", 1_520.0)] {
        let of = |interval| {
            run(&[
                ("traffic.udp_up", "200 Mbit/s"),
                ("wifi.aggregation", "false"),
                ("wifi.band", band),
                ("beacon.interval", interval),
            ])
        };
        let ((with, heard), (without, _)) = (of("20"), of("0"));
        let cost = 1.0 - goodput(&with) / goodput(&without);
        // PIFS in place of AIFS and the backoff that goes on: 25 us at most on top
        let (least, most) = (us / 20_480.0, (us + 25.0) / 20_480.0);
        assert!((least - 0.002..most + 0.002).contains(&cost), "{band}: {cost}, {least} to {most}");
        let late = late(&heard, 20);
        assert!(late.iter().all(|l| l.abs() < 800_000), "an exchange is waited for: {late:?}");
        assert!(late.iter().any(|&l| l.abs() > 100_000), "they wait");
    }
}

#[test]
fn what_begins_in_its_slot_collides() {
    let (_, heard) = run(&[("wifi.stations", "20"), ("traffic.udp_up", "10 Mbit/s"), ("beacon.interval", "5")]);
    let hit = heard.iter().filter(|b| b.collided).count();
    assert!(hit > 0 && hit * 5 < heard.len(), "{hit} of {}", heard.len());
}

#[test]
fn stations_that_are_hidden_from_each_other_hear_them() {
    let sets =
        [("wifi.stations", "6"), ("medium.places", "3"), ("traffic.udp_up", "10 Mbit/s"), ("beacon.interval", "10")];
    let (o, heard) = run(&sets);
    assert!(heard.len() > 800 && goodput(&o) > 0.0);
    assert!(heard.windows(2).all(|w| w[1].start >= w[0].start + w[0].airtime));
}

#[test]
fn a_rate_that_a_band_lacks_is_refused() {
    let text = "name = \"x\"\n[topology]\nkind = \"wifi\"\n[beacon]\nrate = \"1 Mbit/s\"\n";
    let s = scenario(text, &[]);
    assert!(World::new(&s).err().unwrap().contains("beacons at 5 GHz go at 6, 9"));
}
