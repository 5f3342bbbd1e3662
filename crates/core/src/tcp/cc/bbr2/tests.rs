//! BBR v2 against numbers worked by hand from its source.

use super::*;
use crate::sim::Time;
use crate::tcp::profile::{V5_4, V6_12};

/// 10 segments a millisecond.
const BW: u32 = (BW_UNIT / 100) as u32;

/// Past Startup, at 10 segments a millisecond and 10 ms of least RTT; nothing is in flight.
fn steady(profile: &'static Profile) -> (Bbr2, Tp) {
    let mut tp = Tp::new(1_000, 0);
    tp.clock.set(Time::from_ms(1_000));
    (tp.mss_cache, tp.srtt_us, tp.delivered, tp.app_limited) = (1_448, 80_000, 1_000, 0);
    tp.rtt_min.reset(tp.clock.j32(), 10_000);
    let mut b = Bbr2::new(&Params::default(), profile, &mut tp);
    b.max_bw = [BW, BW];
    (b.full_bw_reached, b.mode, b.phase) = (true, Mode::ProbeBw, Phase::Cruise);
    b.next_rtt_delivered = 1_000_000;
    b.probe_wait_us = 10_000_000;
    b.cycle_mstamp = tp.clock.us;
    b.set_gains();
    b.set_pacing_rate(&mut tp, BW, UNIT);
    (b, tp)
}

/// A sample of a flight of 200, `lost` of which were.
fn sample(lost: u32) -> RateSample {
    RateSample {
        delivered: 10,
        interval_us: 1_000,
        rtt_us: 20_000,
        acked_sacked: 1,
        tx_in_flight: 200,
        lost,
        prior_delivered: 0,
        ..RateSample::default()
    }
}

#[test]
fn the_window_is_two_products_and_not_less_than_three_skbs() {
    let (mut b, mut tp) = steady(&V5_4);
    tp.snd_cwnd = 500;
    b.set_cwnd(&mut tp, 1, BW, b.cwnd_gain);
    assert_eq!(tp.snd_cwnd, 200, "no padding: a floor");
    // 14.3 Mbyte/s >> 10 is 9 segments; three of them are more than 2 * 5.
    b.min_rtt_us = 500;
    tp.snd_cwnd = 500;
    b.set_cwnd(&mut tp, 1, BW, b.cwnd_gain);
    assert_eq!(tp.snd_cwnd, 27);
    // With the alpha's later rule an skb has 64 KiB / 2^(500 >> 9 = 0) more: all that fits, 65215 / 1448 = 45.
    let (mut b, tp) = steady(&V6_12);
    b.min_rtt_us = 500;
    assert_eq!(b.skb_segs(&tp, 1_448, 65_536), 45);
    // At 1.1 ms, 2^-2 of it: (13999 + 16384) / 1448 = 20.98.
    b.min_rtt_us = 1_100;
    assert_eq!(b.skb_segs(&tp, 1_448, 65_536), 20);
}

#[test]
fn a_probe_that_loses_too_much_sets_the_bound() {
    // 2 % of 200 in 1/256: 200 * 5 / 256 = 3.9, so 3 are tolerated.
    for (lost, bound) in [(3, NONE), (4, 200)] {
        let (mut b, mut tp) = steady(&V5_4);
        (b.phase, b.probe_samples, tp.snd_cwnd) = (Phase::Up, true, 250);
        b.adapt_upper_bounds(&tp, &sample(lost));
        assert_eq!((b.inflight_hi, b.phase == Phase::Down), (bound, lost == 4), "{lost} lost");
    }
}

#[test]
fn the_bound_is_where_in_the_flight_the_share_was_crossed() {
    // By hand: 199 before it, 3 lost before: the budget is (199 * 5 + 255) >> 8 = 4, so (4 - 3) * 256 / 251 = 1 more: 200.
    let (b, _) = steady(&V5_4);
    assert_eq!(b.inflight_at_loss(200, 4), 200);
    // 20 lost before: crossed already.
    assert_eq!(b.inflight_at_loss(200, 21), 199);
}

#[test]
fn a_loss_outside_a_probe_takes_three_tenths() {
    let (mut b, mut tp) = steady(&V5_4);
    tp.snd_cwnd = 200;
    b.loss_round_delivered = 0;
    let mut rs = sample(1);
    (rs.losses, rs.delivered) = (1, 5);
    b.take_sample(&tp, &rs);
    b.update_congestion_signals(&tp, &rs);
    // 200 * 180 / 256 = 140.6; the rate likewise, and neither below what was delivered (5 a millisecond).
    assert_eq!(b.inflight_lo, 140);
    assert_eq!(b.bw_lo, (u64::from(BW) * 180 / 256) as u32);
    b.bound_cwnd(&mut tp);
    assert_eq!(tp.snd_cwnd, 140);
    // A second time: 98, and the floor does not hold yet.
    b.loss_in_round = true;
    b.adapt_lower_bounds(&tp);
    assert_eq!(b.inflight_lo, 98);
}

#[test]
fn cruising_leaves_headroom() {
    let (mut b, mut tp) = steady(&V5_4);
    (b.inflight_hi, tp.snd_cwnd) = (200, 500);
    // 200 * 38 / 256 = 29.
    b.bound_cwnd(&mut tp);
    assert_eq!(tp.snd_cwnd, 171);
    (b.phase, tp.snd_cwnd) = (Phase::Up, 500);
    b.bound_cwnd(&mut tp);
    assert_eq!(tp.snd_cwnd, 200);
}

#[test]
fn a_cycle_is_down_cruise_refill_up() {
    let (mut b, mut tp) = steady(&V5_4);
    let rs = RateSample { tx_in_flight: 100, prior_in_flight: 90, ..sample(0) };
    b.start_down(&tp);
    assert!((2_000_000..3_000_000).contains(&b.probe_wait_us) && b.rounds_since_probe < 2);
    b.update_cycle(&tp, &RateSample { prior_in_flight: 101, ..rs });
    assert_eq!(b.phase, Phase::Down, "101 are more than the product");
    b.update_cycle(&tp, &rs);
    assert_eq!(b.phase, Phase::Cruise);
    // Reno's time: as many round trips as segments in the product, 63 at most.
    (tp.snd_cwnd, b.rounds_since_probe) = (500, 62);
    b.update_cycle(&tp, &rs);
    assert_eq!(b.phase, Phase::Cruise);
    b.rounds_since_probe = 63;
    b.update_cycle(&tp, &rs);
    assert_eq!(b.phase, Phase::Refill);
    b.round_start = true;
    b.update_cycle(&tp, &rs);
    assert_eq!((b.phase, b.probe_samples), (Phase::Up, true));
    // Up ends after the least RTT with 1.25 products (and two) in flight, nine of which are about to go.
    b.round_start = false;
    b.set_gains();
    tp.clock.set(Time::from_us(tp.clock.us + 10_000));
    let rs = RateSample { prior_in_flight: 127 - 9, ..rs };
    b.update_cycle(&tp, &rs);
    assert_eq!(b.phase, Phase::Up, "exactly the least RTT is not over");
    tp.clock.set(Time::from_us(tp.clock.us + 1));
    b.update_cycle(&tp, &RateSample { prior_in_flight: 126 - 9, ..rs });
    assert_eq!(b.phase, Phase::Up);
    b.update_cycle(&tp, &rs);
    assert_eq!(b.phase, Phase::Down);
}

#[test]
fn a_probe_raises_the_bound_twice_as_fast_every_round_trip() {
    let (mut b, mut tp) = steady(&V5_4);
    (tp.snd_cwnd, tp.is_cwnd_limited, b.inflight_hi) = (100, true, 100);
    b.start_up(&tp);
    assert_eq!(b.up_count, 100, "one segment in the first round trip");
    let rs = RateSample { tx_in_flight: 100, acked_sacked: 100, ..sample(0) };
    b.round_start = true;
    b.adapt_upper_bounds(&tp, &rs);
    assert_eq!((b.inflight_hi, b.up_count), (101, 50));
    tp.snd_cwnd = 101;
    b.adapt_upper_bounds(&tp, &rs);
    assert_eq!((b.inflight_hi, b.up_count), (103, 25));
}

#[test]
fn a_dip_every_five_seconds_to_half_the_product() {
    let (mut b, mut tp) = steady(&V5_4);
    (tp.snd_cwnd, tp.packets_out) = (200, 150);
    let rs = RateSample { rtt_us: 20_000, delivered: 10, ..sample(0) };
    tp.clock.set(Time::from_ms(6_000));
    b.update_min_rtt(&mut tp, &rs);
    assert_eq!(b.mode, Mode::ProbeBw, "exactly five seconds are not over");
    tp.clock.set(Time::from_ms(6_001));
    b.update_min_rtt(&mut tp, &rs);
    assert_eq!((b.mode, b.min_rtt_us), (Mode::ProbeRtt, 10_000), "the least RTT is kept for ten seconds");
    b.set_cwnd(&mut tp, 1, BW, UNIT);
    assert_eq!(tp.snd_cwnd, 50);
}

#[test]
fn a_timeouts_bound_is_the_window_before_it() {
    for (timeout_window, bound) in [(false, 100), (true, 150)] {
        let (mut b, mut tp) = steady(&V5_4);
        b.t.timeout_window = timeout_window;
        (b.prior_cwnd, tp.snd_cwnd) = (100, 150);
        b.set_state(&mut tp, CaState::Loss);
        assert_eq!(b.inflight_lo, bound);
    }
}

#[test]
fn v3_knows_what_a_lossy_round_trip_of_startup_delivered() {
    // 300 were delivered in the round trip, 10 with its last ACK. The product, of a rate that is rounded up, is less: 101.
    for (latest_stays, bound) in [(true, 300), (false, 101)] {
        let (mut b, mut tp) = steady(&V5_4);
        (b.t.latest_stays, b.t.startup_latest, b.t.gso_payload) = (latest_stays, true, true);
        (b.mode, b.full_bw_reached, b.loss_events) = (Mode::Startup, false, 15);
        (b.inflight_latest, b.loss_round_delivered, tp.ca_state) = (300, 0, CaState::Recovery);
        b.cong_control(&mut tp, &RateSample { losses: 1, ..sample(9) });
        assert_eq!((b.full_bw_reached, b.inflight_hi), (true, bound));
        // Drain began with nothing known, and then the next round trip's first sample.
        assert_eq!(b.inflight_latest, if latest_stays { 10 } else { 0 });
    }
}
