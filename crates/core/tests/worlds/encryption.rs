//! Encryption's air, worked by hand: 16 bytes an MPDU, and ten delimiters of old cards.

use crate::given::scenario;
use wavetank_core::net::{Outcome, World};

const SCENARIO: &str = r#"
name = "encryption"
[topology]
kind = "wifi"
[wifi]
band = "5 GHz"
width_mhz = 20
short_gi = false
[beacon]
interval = 0
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
udp_up = "100 Mbit/s"
udp_payload = 1472
ping = "off"
"#;

fn run(sets: &[(&str, &str)]) -> Outcome {
    World::simulate(&scenario(SCENARIO, sets)).unwrap()
}

/// Microseconds that a packet of 1500 bytes took of a saturated station.
fn each_us(sets: &[(&str, &str)]) -> f64 {
    let o = run(sets);
    8.0 * 1472.0 / o.flows[0].goodput_mbit(o.window)
}

/// 802.11a at 54 Mbit/s, 216 bits a symbol: 22 + 8 * 1536 bits are 57 symbols, with 16 bytes more 58. DIFS 34, 7.5 slots of 9, SIFS 16,
/// an ACK at 24 Mbit/s of 28.
#[test]
fn one_symbol_more_a_frame() {
    let around = 34.0 + 7.5 * 9.0 + 16.0 + 28.0 + 20.0;
    for (encryption, symbols) in [("none", 57.0), ("ccmp", 58.0)] {
        let us = each_us(&[("wifi.standard", "a"), ("wifi.encryption", encryption)]);
        let hand = around + 4.0 * symbols;
        assert!((us / hand - 1.0).abs() < 0.004, "{encryption}: {us} us for {hand}");
    }
}

/// MCS 7 at 20 MHz, 260 bits a symbol of 4 us. Aggregates of 16: open ones 16 subframes of 1544 bytes with padding but the last's
/// (1542): 24702 bytes, 22 + 8 * 24702 bits, 761 symbols. Encrypted 16 of 1560 (the last 1558): 24958 bytes, 769 symbols; with ten
/// delimiters behind each but the last 600 bytes more: 25558, 787 symbols. Preamble 36; AIFS 43, 7.5 slots of 9, SIFS 16,
/// a Block Ack of 32 bytes at 24 Mbit/s of 32.
#[test]
fn an_aggregate_of_sixteen() {
    let around = 36.0 + 43.0 + 7.5 * 9.0 + 16.0 + 32.0;
    let cases = [("none", "false", 761.0), ("ccmp", "true", 769.0), ("ccmp", "false", 787.0)];
    for (encryption, edma, symbols) in cases {
        let us = each_us(&[("ath9k.ampdu_frames", "16"), ("wifi.encryption", encryption), ("ath9k.edma", edma)]);
        let hand = (around + 4.0 * symbols) / 16.0;
        assert!((us / hand - 1.0).abs() < 0.002, "{encryption}, EDMA {edma}: {us} us for {hand}");
    }
}

/// Each driver's frames grow; what they carry falls, and none by more than its cards' delimiters and a frame or two of the limits make.
#[test]
fn every_driver_pays() {
    for driver in ["ath9k", "ath9k_tidq", "ath9k_htc", "ath10k", "mt76", "iwlwifi"] {
        let with = |e| each_us(&[("sta.driver", driver), ("ap.driver", driver), ("wifi.encryption", e)]);
        let share = with("ccmp") / with("none");
        assert!((1.003..1.06).contains(&share), "{driver}: {share}");
    }
}
