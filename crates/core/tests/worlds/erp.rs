//! 802.11b and g stations on one medium: what a saturated one carries is the closed form's, and OFDM frames beside 802.11b stations are
//! protected.

use crate::given::scenario;
use wavetank_core::net::{Outcome, World};
use wavetank_core::phy::dsss::cts_to_self;
use wavetank_core::phy::{Band, Dsss, Ofdm};
use wavetank_core::sim::Span;
use wavetank_core::theory::exchange::{exchange_11b, exchange_ofdm};

const SCENARIO: &str = r#"
name = "erp"
[topology]
kind = "wifi"
[wifi]
standard = "g"
band = "2.4 GHz"
width_mhz = 20
[beacon]
interval = 0 # the closed forms have none
[ap]
driver = "ath9k"
[sta]
driver = "ath9k"
[backhaul]
present = false
[time]
lead_in = "100 ms"
flows = "4 s"
warmup = "500 ms"
tail = 0
[traffic]
tcp_up = 0
udp_up = "60 Mbit/s"
udp_payload = 1472
ping = "off"
"#;

fn run(sets: &[(&str, &str)]) -> Outcome {
    World::simulate(&scenario(SCENARIO, sets)).unwrap()
}

/// Packets of 1500 bytes a second that a flow carried.
fn packets(o: &Outcome, flow: usize) -> f64 {
    o.flows[flow].goodput_mbit(o.window) * 1e6 / 8.0 / 1472.0
}

/// One saturated sender: an exchange takes what the closed form says, at the mean backoff.
fn agrees(o: &Outcome, exchange: Span) {
    let share = packets(o, 0) * exchange.as_s();
    assert!((share - 1.0).abs() < 0.01, "{share}: {} packets/s of exchanges of {} us", packets(o, 0), exchange.us());
}

#[test]
fn a_station_alone_has_the_closed_forms_exchanges() {
    let mpdu = 1536;
    for (rate, r) in
        [("11 Mbit/s", Dsss::R11), ("5.5 Mbit/s", Dsss::R5_5), ("2 Mbit/s", Dsss::R2), ("1 Mbit/s", Dsss::R1)]
    {
        for short in ["true", "false"] {
            let o = run(&[("wifi.standard", "b"), ("wifi.rate", rate), ("wifi.short_preamble", short)]);
            agrees(&o, exchange_11b(r, mpdu, short == "true"));
        }
    }
    let o = run(&[("wifi.rate", "54 Mbit/s")]);
    agrees(&o, exchange_ofdm(Ofdm::R54, mpdu, Band::Ghz2, Span::from_us(9), None));
}

/// A second station, of 802.11b, that sends nothing: long slots, and a CTS-to-self before every OFDM frame.
#[test]
fn an_idle_802_11b_station_costs_the_others() {
    let beside = [
        ("wifi.stations", "2"),
        ("stations.rate", "54 Mbit/s, 11 Mbit/s"),
        ("traffic.udp_up", "off"),
        ("traffic.udp_down", "60 Mbit/s"),
        ("traffic.ping_stations", "0"),
    ];
    let silent = [("wifi.stations", "1"), ("wifi.rate", "54 Mbit/s")];
    let alone = packets(&run(&silent), 0);
    let long = Span::from_us(20);
    let guard = cts_to_self(Dsss::R11, true);
    let by_hand = exchange_ofdm(Ofdm::R54, 1536, Band::Ghz2, long, Some(guard));
    let bare = exchange_ofdm(Ofdm::R54, 1536, Band::Ghz2, long, None);
    let old = exchange_11b(Dsss::R11, 1536, true);
    // Downlink: the access point alternates between the two, packet by packet, with its own window of 15 slots.
    let old = old - Span::from_us(20) * 31 / 2 + Span::from_us(20) * 15 / 2;
    for (protects, ofdm) in [("true", by_hand), ("false", bare)] {
        let o = run(&[&beside[..], &[("wifi.erp_protection", protects)]].concat());
        let busy = packets(&o, 0) * ofdm.as_s() + packets(&o, 1) * old.as_s();
        assert!((busy - 1.0).abs() < 0.01, "protection {protects}: {busy}");
        assert!(packets(&o, 0) < alone / 2.0);
    }
}
