//! BBR against numbers by hand and the reference's traces.

use super::*;
use crate::sim::Time;
use crate::tcp::profile::{V4_14, V4_19, V5_10, V6_12};

/// 10 segments a millisecond.
const BW: u32 = (BW_UNIT / 100) as u32;

/// A connection of 1448-byte segments and 1 ms of RTT, `ms` after the run's start.
fn at(profile: &'static Profile, ms: u64) -> (Bbr, Tp) {
    let mut tp = Tp::new(100, 0);
    tp.clock.set(Time::from_ms(ms));
    (tp.mss_cache, tp.srtt_us, tp.delivered, tp.app_limited) = (1_448, 8_000, 1, 0);
    tp.rtt_min.reset(tp.clock.j32(), 1_000);
    let b = Bbr::new(&Params::default(), profile, &mut tp);
    (b, tp)
}

/// An ACK of `n` segments, `us` microseconds after the last, that delivered `delivered` in a millisecond.
fn ack(b: &mut Bbr, tp: &mut Tp, us: u64, n: u32, rs: RateSample) {
    tp.clock.set(Time::from_us(tp.clock.us + us));
    tp.delivered += n;
    tp.delivered_mstamp = tp.clock.us;
    b.cong_control(tp, &RateSample { acked_sacked: n, interval_us: 1_000, rtt_us: 20_000, ..rs });
}

/// A round trip at 10 segments a millisecond: one ACK.
fn round(b: &mut Bbr, tp: &mut Tp, delivered: i32) {
    let rs = RateSample { prior_delivered: tp.delivered, delivered, ..RateSample::default() };
    ack(b, tp, 1_000, 10, rs);
}

#[test]
fn gains() {
    // 2/ln 2 = 2.8854 and its inverse, 0.3466, in 1/256.
    assert_eq!((HIGH_GAIN, DRAIN_GAIN, CYCLE[0], CYCLE[1]), (739, 88, 320, 192));
}

#[test]
fn the_first_rate_is_the_first_window_a_round_trip() {
    // By hand: 10 segments of 1448 bytes in 1 ms, times 739/256, less 1 %: 41.38 Mbyte/s.
    let (_, tp) = at(&V6_12, 0);
    assert!(tp.pacing_rate.abs_diff(41_381_000) < 2_000, "{}", tp.pacing_rate);
    assert_eq!(tp.pacing_status, Pacing::Needed);
}

#[test]
fn before_4_20_the_rate_is_of_whole_packets() {
    use Pacing::{Fq, Needed};
    // 10 segments a millisecond: 10 * 1500 bytes a millisecond, from 4.18 on under fq alone; from 4.20 on 10 * 1448, less 1 %.
    for (profile, by, rate) in [
        (&V4_14, Needed, 15_000_000),
        (&V4_19, Fq, 15_000_000),
        (&V4_19, Needed, 14_480_000),
        (&V6_12, Needed, 14_335_200),
    ] {
        let (mut b, mut tp) = at(profile, 0);
        tp.pacing_status = by;
        b.full_bw_reached = true;
        b.set_pacing_rate(&mut tp, BW, UNIT);
        assert!(tp.pacing_rate.abs_diff(rate) < 2_000, "{} {}", profile.name, tp.pacing_rate);
        // Without timestamps a packet has 12 bytes more of payload, and is no longer.
        (tp.mss_cache, tp.header_len) = (1_460, 40);
        b.set_pacing_rate(&mut tp, BW, UNIT);
        let rate = if rate == 15_000_000 { rate } else { rate * 1_460 / 1_448 };
        assert!(tp.pacing_rate.abs_diff(rate) < 2_000, "{} {}", profile.name, tp.pacing_rate);
    }
}

#[test]
fn rates_of_the_reference() {
    // R100M-pfifo1000-rtt1-bbr: delivery 95650840 bit/s, pacing 94699792 and 71041248 bit/s: less 1 %, and three quarters of that.
    let (_, tp) = at(&V6_12, 0);
    let bw = (95_650_840 * BW_UNIT / 8 / 1_448 / 1_000_000) as u32;
    assert!((window::rate(&tp, bw, UNIT) * 8).abs_diff(94_694_332) < 1_000);
    assert!((window::rate(&tp, bw, CYCLE[1]) * 8).abs_diff(71_020_749) < 1_000);
}

#[test]
fn startup_ends_after_three_rounds_without_growth() {
    let (mut b, mut tp) = at(&V6_12, 0);
    tp.packets_out = 500;
    round(&mut b, &mut tp, 10);
    round(&mut b, &mut tp, 12);
    // 12 is below 1.25 * 10, 13 is not: that begins the count again.
    round(&mut b, &mut tp, 13);
    assert_eq!((b.mode, b.full_bw_cnt), (Mode::Startup, 0));
    for _ in 0..2 {
        round(&mut b, &mut tp, 13);
    }
    assert_eq!(b.mode, Mode::Startup);
    round(&mut b, &mut tp, 13);
    assert_eq!((b.mode, b.pacing_gain, b.cwnd_gain), (Mode::Drain, DRAIN_GAIN, HIGH_GAIN));
    // By hand: bdp 13, three skbs at Startup's 53.8 Mbyte/s (36 segments a 1/1024 s): 121, even.
    assert_eq!(tp.snd_ssthresh, 122);
    // Drain lasts until what is in flight fits. At its 6.4 Mbyte/s an skb has 4 segments: 13 + 12, even.
    tp.packets_out = 27;
    round(&mut b, &mut tp, 13);
    assert_eq!(b.mode, Mode::Drain);
    tp.packets_out = 26;
    round(&mut b, &mut tp, 13);
    assert_eq!((b.mode, b.cwnd_gain), (Mode::ProbeBw, CWND_GAIN));
    assert_ne!(b.pacing_gain, CYCLE[1], "never begins with the phase that drains");
}

/// In a phase of ProbeBw whose gain is 1, at 10 segments a millisecond and 10 ms of least RTT; nothing is in flight.
fn probing(profile: &'static Profile) -> (Bbr, Tp) {
    let (mut b, mut tp) = at(profile, 0);
    b.bw.reset(0, BW);
    (b.full_bw_reached, b.mode, b.cycle_idx, b.min_rtt_us) = (true, Mode::ProbeBw, 2, 10_000);
    b.set_gains();
    b.set_pacing_rate(&mut tp, BW, UNIT);
    (b, tp)
}

#[test]
fn the_window_is_two_bdp_and_three_skbs() {
    let (b, mut tp) = probing(&V6_12);
    // 14.3 Mbyte/s >> 10 is 9 segments an skb: 2 * 100 + 27, even.
    assert_eq!((b.inflight(&tp, BW, CWND_GAIN), tp.pacing_rate >> 10), (228, 13_999));
    // mac80211's shift of 7: 8 ms, 77 segments, cut to 64 KiB: 45.
    tp.pacing_shift = 7;
    assert_eq!(b.inflight(&tp, BW, CWND_GAIN), 200 + 3 * 45 + 1);
    // Rounded up before it is made even: 100.4 us of RTT at 10 a millisecond is 1.004, so 2.
    let mut b = b;
    (b.min_rtt_us, tp.pacing_shift) = (104, 10);
    assert_eq!(b.inflight(&tp, BW, UNIT), 2 + 27 + 1);
    // The phase that probes has two more.
    b.cycle_idx = 0;
    assert_eq!(b.inflight(&tp, BW, UNIT), 2 + 27 + 1 + 2);
    // Before 5.4 every gain above 1 had them: 2.08 is 3.
    (b.cycle_idx, b.profile) = (2, &V4_19);
    assert_eq!((b.inflight(&tp, BW, UNIT), b.inflight(&tp, BW, CWND_GAIN)), (2 + 27 + 1, 3 + 27 + 2));
}

#[test]
fn aggregation_widens_the_window_from_5_1_on() {
    for (profile, more) in [(&V6_12, 11 + 40 - 9), (&V4_19, 0)] {
        let (mut b, mut tp) = probing(profile);
        tp.snd_cwnd = 200;
        // 11 segments, where none was expected yet, then 40 after 1 ms, for which 9.99 were expected, rounded down.
        b.aggregation.begin_epoch(0);
        tp.clock.set(Time::from_ms(1));
        let rs = RateSample { prior_delivered: 0, delivered: 10, ..RateSample::default() };
        ack(&mut b, &mut tp, 0, 11, rs);
        ack(&mut b, &mut tp, 1_000, 40, rs);
        assert_eq!(b.aggregation.cwnd(b.bandwidth()), more);
    }
}

#[test]
fn a_phase_lasts_the_least_rtt() {
    let (mut b, mut tp) = probing(&V6_12);
    b.min_rtt_us = 1_000;
    let rs = RateSample { prior_delivered: 0, delivered: 10, ..RateSample::default() };
    b.next_rtt_delivered = 1_000;
    ack(&mut b, &mut tp, 1_000, 10, rs);
    assert_eq!(b.cycle_idx, 2, "exactly the least RTT is not over");
    ack(&mut b, &mut tp, 1, 1, rs);
    assert_eq!(b.cycle_idx, 3);
    // The phase that probes waits for 1.25 bdp (12.5, so 13; 9 segments an skb; even; two more: 42) in flight, or a loss.
    for (in_flight, losses, over) in [(32, 0, false), (33, 0, true), (0, 1, true)] {
        let mut b = b.clone();
        let mut tp = tp.clone();
        (b.cycle_idx, b.pacing_gain) = (0, CYCLE[0]);
        let rs = RateSample { prior_in_flight: in_flight, losses, ..rs };
        ack(&mut b, &mut tp, 1_001, 10, rs);
        assert_eq!(b.cycle_idx == 1, over, "{in_flight} in flight (and 9 that depart), {losses} lost");
    }
}

#[test]
fn a_dip_every_ten_seconds() {
    let (mut b, mut tp) = probing(&V6_12);
    (b.min_rtt_us, tp.snd_cwnd, tp.packets_out) = (1_000, 60, 30);
    let rs = RateSample { prior_delivered: 0, delivered: 10, ..RateSample::default() };
    b.next_rtt_delivered = 1_000_000;
    let slow = |b: &mut Bbr, tp: &mut Tp, ms: u64| {
        tp.clock.set(Time::from_ms(ms));
        tp.delivered_mstamp = tp.clock.us;
        tp.delivered += 1;
        b.cong_control(tp, &RateSample { acked_sacked: 1, interval_us: 1_000, rtt_us: 3_000, ..rs });
    };
    // HZ 100: at 10.00 s exactly ten seconds have passed, not more.
    slow(&mut b, &mut tp, 10_009);
    assert_eq!((b.mode, b.min_rtt_us), (Mode::ProbeBw, 1_000));
    slow(&mut b, &mut tp, 10_010);
    assert_eq!((b.mode, b.min_rtt_us, tp.snd_cwnd), (Mode::ProbeRtt, 3_000, 4));
    assert_eq!(tp.app_limited, tp.delivered + 30, "rates of the dip do not count");
    let before = b.prior_cwnd;
    // 200 ms count from when four are in flight, and last a round trip at least.
    tp.packets_out = 4;
    slow(&mut b, &mut tp, 10_020);
    b.next_rtt_delivered = 0;
    slow(&mut b, &mut tp, 10_220);
    assert_eq!((b.mode, tp.snd_cwnd), (Mode::ProbeRtt, 4));
    slow(&mut b, &mut tp, 10_230);
    // Twice 10, three skbs of 9, even: 48 before the dip; after it again, and the one that was acknowledged.
    assert_eq!((b.mode, before, tp.snd_cwnd), (Mode::ProbeBw, 48, 49));
}

#[test]
fn a_policer_is_believed_after_two_lossy_intervals() {
    let (mut b, mut tp) = probing(&V6_12);
    let interval = |b: &mut Bbr, tp: &mut Tp, delivered: u32| {
        // Four round trips of 25 ms, the last with a loss; a fifth of what is delivered is lost.
        for i in 0..4 {
            tp.clock.set(Time::from_us(tp.clock.us + 25_000));
            tp.delivered_mstamp = tp.clock.us;
            tp.delivered += delivered / 4;
            tp.lost += delivered / 20;
            b.round_start = true;
            b.sample_policer(tp, &RateSample { losses: u32::from(i == 3), delivered: 1, ..RateSample::default() });
        }
    };
    b.sample_policer(&tp, &RateSample { losses: 1, ..RateSample::default() });
    interval(&mut b, &mut tp, 1_000);
    assert_eq!(b.policer.rate(), None);
    // 1000 and 1100 in 100 ms differ by less than an eighth: their mean, 10.5 a millisecond, is the rate.
    interval(&mut b, &mut tp, 1_100);
    let mean = (10_500 * BW_UNIT / 1_000_000) as u32;
    assert!(b.policer.rate().is_some_and(|r| r.abs_diff(mean) < 2), "{:?}", b.policer);
    // For 48 round trips.
    b.round_start = true;
    for _ in 0..47 {
        b.sample_policer(&tp, &RateSample::default());
    }
    assert!(b.policer.rate().is_some());
    b.sample_policer(&tp, &RateSample::default());
    assert_eq!(b.policer.rate(), None);
}

#[test]
fn recovery_conserves_packets_and_then_restores_the_window() {
    let (mut b, mut tp) = probing(&V6_12);
    (tp.snd_cwnd, tp.packets_out) = (100, 80);
    b.next_rtt_delivered = 1_000;
    b.ssthresh(&mut tp);
    tp.ca_state = CaState::Recovery;
    (tp.sacked_out, tp.lost_out) = (10, 5);
    let rs = RateSample { prior_delivered: 0, delivered: 10, losses: 5, ..RateSample::default() };
    ack(&mut b, &mut tp, 100, 2, rs);
    assert_eq!(tp.snd_cwnd, 80 - 15 + 2, "what is in flight and what was delivered");
    (tp.ca_state, tp.sacked_out, tp.lost_out) = (CaState::Open, 0, 0);
    ack(&mut b, &mut tp, 100, 2, RateSample { losses: 0, ..rs });
    assert_eq!(tp.snd_cwnd, 102);
}

#[test]
fn an_equal_rtt_is_a_new_least_before_5_10() {
    for (profile, stamp) in [(&V4_19, 500), (&V6_12, 0)] {
        let (mut b, mut tp) = probing(profile);
        tp.clock.set(Time::from_ms(5_000));
        b.min_rtt_stamp = 0;
        b.update_min_rtt(&mut tp, &RateSample { rtt_us: 10_000, ..RateSample::default() });
        assert_eq!(b.min_rtt_stamp, stamp, "HZ 100: jiffy 500 is 5 s");
    }
}

#[test]
fn a_scaled_window_while_it_probes() {
    // BBRp: two products of 100 segments times 1.5, three skbs of 9, even, and the probe's two more.
    let (mut b, mut tp) = probing(&V6_12);
    b.t.cycle[0] = UNIT * 6 / 4;
    b.t.probe_window = ProbeWindow::Scaled;
    (b.cycle_idx, tp.snd_cwnd) = (0, 400);
    b.set_gains();
    assert_eq!((b.pacing_gain, b.cwnd_gain), (384, 768));
    b.set_cwnd(&mut tp, &RateSample { acked_sacked: 1, ..RateSample::default() }, BW, b.cwnd_gain);
    assert_eq!(tp.snd_cwnd, 300 + 27 + 1 + 2);
}

#[test]
fn draining_lasts_as_long_as_the_queue() {
    let (mut b, mut tp) = probing(&V6_12);
    b.t.drain_to_target = true;
    // A first segment waits and the peer's window is open, so that the probe is not limited by the application.
    (tp.write_seq, tp.snd_wnd) = (1 << 20, 1 << 20);
    b.enter_probe_bw(&tp);
    assert_ne!(b.cycle_idx, 1, "any phase of BBR's but the one that drains");
    let rs = RateSample { prior_delivered: 0, delivered: 10, ..RateSample::default() };
    b.next_rtt_delivered = 1_000_000;
    // The first cycle had no length: the next ACK begins one of two to eight least RTTs, in the phase that probes.
    ack(&mut b, &mut tp, 1, 1, rs);
    assert!((2..=8).contains(&b.cycle_len));
    assert_eq!((b.cycle_idx, b.pacing_gain), (0, CYCLE[0]));
    // Exactly its length is not over, a microsecond more is.
    (b.cycle_idx, b.pacing_gain) = (2, UNIT);
    let us = u64::from(b.cycle_len) * 10_000;
    ack(&mut b, &mut tp, us, 1, rs);
    assert_eq!(b.cycle_idx, 2);
    ack(&mut b, &mut tp, 1, 1, rs);
    assert_eq!((b.cycle_idx, b.pacing_gain), (0, CYCLE[0]));
    // A least RTT and a little more, with 125 + 27, even, and two more in flight (nine depart): the gain's worth.
    b.cycle_len = 8;
    ack(&mut b, &mut tp, 10_001, 1, RateSample { prior_in_flight: 153 - 9, ..rs });
    assert_eq!(b.cycle_idx, 0);
    ack(&mut b, &mut tp, 1, 1, RateSample { prior_in_flight: 190, ..rs });
    assert_eq!(b.cycle_idx, 1);
    // It drains beyond the least RTT, until one product and three skbs are in flight.
    ack(&mut b, &mut tp, 20_000, 1, RateSample { prior_in_flight: 190, ..rs });
    assert_eq!(b.cycle_idx, 1);
    ack(&mut b, &mut tp, 1, 1, RateSample { prior_in_flight: 100, ..rs });
    assert_eq!((b.cycle_idx, b.pacing_gain), (2, UNIT));
}

#[test]
fn before_4_20_a_policed_startup_paces_at_the_bandwidth() {
    for (profile, gain) in [(&V4_19, UNIT), (&V6_12, HIGH_GAIN)] {
        let (mut b, mut tp) = at(profile, 0);
        round(&mut b, &mut tp, 10);
        assert_eq!((b.mode, b.pacing_gain), (Mode::Startup, HIGH_GAIN), "{}", profile.name);
        // The second of two lossy intervals of one rate, here by hand.
        b.policer_interval(&tp, BW);
        b.policer_interval(&tp, BW);
        assert_eq!(b.pacing_gain, UNIT);
        b.cong_control(&mut tp, &RateSample { delivered: -1, rtt_us: -1, ..RateSample::default() });
        assert_eq!((b.mode, b.pacing_gain), (Mode::Startup, gain), "{}", profile.name);
        // A change of mode brings its own.
        b.enter_probe_bw(&tp);
        b.leave_probe_rtt(&tp);
        b.policer.reset(&tp);
        b.cong_control(&mut tp, &RateSample { delivered: -1, rtt_us: -1, ..RateSample::default() });
        assert_eq!((b.mode, b.pacing_gain), (Mode::Startup, HIGH_GAIN));
    }
}

#[test]
fn a_dip_of_4_14_ends_with_an_ack_that_delivers() {
    for (profile, after_silence, capped) in [(&V4_14, (Mode::ProbeRtt, 20), 20), (&V4_19, (Mode::ProbeBw, 60), 4)] {
        let (mut b, mut tp) = probing(profile);
        (b.mode, b.prior_cwnd, tp.snd_cwnd) = (Mode::ProbeRtt, 60, 20);
        let nothing = RateSample { delivered: -1, rtt_us: -1, ..RateSample::default() };
        let mut other = (b.clone(), tp.clone());
        other.0.cong_control(&mut other.1, &nothing);
        assert_eq!(other.1.snd_cwnd, capped, "{}: an ACK that delivers nothing", profile.name);
        b.probe_rtt_done = Some(0);
        tp.clock.set(Time::from_ms(1_000));
        tp.app_limited = 1;
        b.event(&mut tp, Event::TxStart);
        assert_eq!((b.mode, tp.snd_cwnd), after_silence, "{}", profile.name);
        b.probe_rtt_round_done = true;
        b.min_rtt_stamp = tp.clock.j32();
        ack(&mut b, &mut tp, 0, 1, RateSample { prior_delivered: 0, delivered: 1, ..RateSample::default() });
        assert_eq!((b.mode, tp.snd_cwnd), (Mode::ProbeBw, 61), "{}", profile.name);
    }
}

#[test]
fn in_4_14_a_delayed_ack_tells_the_least_rtt_and_startup_has_no_threshold() {
    for (profile, least, threshold) in [(&V4_14, 40_000, true), (&V4_19, 10_000, false)] {
        let (mut b, mut tp) = probing(profile);
        tp.clock.set(Time::from_ms(10_020));
        b.update_min_rtt(&mut tp, &RateSample { rtt_us: 40_000, is_ack_delayed: true, ..RateSample::default() });
        assert_eq!(b.min_rtt_us, least, "{}", profile.name);
        b.mode = Mode::Startup;
        b.check_drain(&mut tp);
        assert_eq!(tp.snd_ssthresh == INFINITE_SSTHRESH, threshold, "{}", profile.name);
        // One that is remembered of an earlier connection (`tcp_init_metrics`).
        tp.snd_ssthresh = 30;
        Bbr::new(&Params::default(), profile, &mut tp);
        assert_eq!(tp.snd_ssthresh, if threshold { 30 } else { INFINITE_SSTHRESH }, "{}", profile.name);
    }
}

#[test]
fn the_budget_of_4_14_asks_the_device() {
    for (profile, payload, window) in [(&V4_14, u32::MAX, 392), (&V4_14, 14_480, 40), (&V4_19, 14_480, 146)] {
        let (b, mut tp) = at(profile, 0);
        // A MiB a millisecond, 724 segments: 127 are the most that the kernel's field holds, 45 go into 64 KiB. The product is 10.
        (tp.pacing_rate, tp.gso_payload) = (1 << 30, payload);
        assert_eq!(b.inflight(&tp, BW, UNIT), window, "{} {payload}", profile.name);
    }
}

#[test]
fn a_connection_that_sends_already_begins_a_round_trip_as_its_kernel_does() {
    for (profile, begins) in [(&V5_10, true), (&V6_12, false)] {
        let (_, mut tp) = at(profile, 0);
        tp.delivered = 500;
        let mut b = Bbr::new(&Params::default(), profile, &mut tp);
        // Sent before it began.
        ack(&mut b, &mut tp, 1_000, 1, RateSample { prior_delivered: 490, delivered: 10, ..RateSample::default() });
        assert_eq!(b.round_start, begins, "{}", profile.name);
        ack(&mut b, &mut tp, 1_000, 1, RateSample { prior_delivered: 501, delivered: 1, ..RateSample::default() });
        assert!(b.round_start, "{}", profile.name);
    }
}
