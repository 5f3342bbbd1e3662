//! One battery for every registered congestion control: whatever ACKs, losses, timeouts, marks and pauses come, the window stays between one
//! segment and its clamp, a reduction leaves two, pacing rates stay finite, and the same numbers come out again.

use super::{AckSample, Algorithm, Cc, Control, Event, InAck, RateSample, Tunables};
use crate::sim::{Stream, Streams, Time};
use crate::tcp::profile::Profile;
use crate::tcp::rtx::Seg;
use crate::tcp::tp::{CaState, Tp};

const MSS: u32 = 1_448;

/// As little of a sender as a control needs around it.
struct Sender {
    tp: Tp,
    ca: Algorithm,
    r: Stream,
    ns: u64,
    base_us: u32,
    cc: Cc,
}

impl Sender {
    fn new(cc: Cc, profile: &'static Profile, hz: u32, seed: u64) -> Sender {
        let mut r = Streams::new(seed).get("battery", cc.name());
        let mut tp = Tp::new(hz, r.bits() as u32);
        let base_us = [50, 900, 12_000, 250_000][r.below(4) as usize];
        tp.mss_cache = MSS;
        let ns = 5_000_000_000;
        tp.clock.set(Time::from_ns(ns));
        tp.srtt_us = base_us * 8;
        tp.rtt_min.reset(tp.clock.j32(), base_us);
        tp.app_limited = 0;
        tp.delivered = 1;
        tp.cwnd_usage_seq = tp.snd_nxt;
        tp.ecn.ok = true;
        let ca = Algorithm::new(cc, &Tunables::default(), profile, &mut tp);
        Sender { tp, ca, r, ns, base_us, cc }
    }

    fn state(&mut self, new: CaState) {
        self.ca.set_state(&mut self.tp, new);
        self.tp.ca_state = new;
    }

    fn reduce(&mut self) {
        self.tp.prior_cwnd = self.tp.snd_cwnd;
        self.tp.prior_ssthresh = self.tp.current_ssthresh();
        self.tp.snd_ssthresh = self.ca.ssthresh(&mut self.tp);
        assert!(self.tp.snd_ssthresh >= 2, "{:?}: threshold {}", self.cc, self.tp.snd_ssthresh);
        self.tp.snd_cwnd_cnt = 0;
    }

    fn send(&mut self) {
        if self.tp.packets_out == 0 && self.r.below(8) == 0 {
            self.tp.app_limited = self.tp.delivered.max(1);
            self.ca.event(&mut self.tp, Event::TxStart);
        }
        let room = self.tp.snd_cwnd.saturating_sub(self.tp.in_flight()).min(4_000);
        self.tp.packets_out += room;
        self.tp.snd_nxt = self.tp.snd_nxt.wrapping_add(room * MSS);
        self.tp.max_packets_out = self.tp.packets_out;
        self.tp.is_cwnd_limited = self.r.below(10) > 0;
    }

    fn ack(&mut self) {
        let max = self.tp.packets_out.min(64);
        let n = if max == 0 { 0 } else { self.r.below(max + 1) };
        let prior_in_flight = self.tp.in_flight();
        self.tp.snd_una = self.tp.snd_una.wrapping_add(n * MSS);
        self.tp.packets_out -= n;
        self.tp.delivered += n;
        if self.r.below(3) == 0 {
            self.tp.delivered_ce += n;
        }
        let came = if self.r.below(2) == 0 { Event::EcnIsCe } else { Event::EcnNoCe };
        self.ca.event(&mut self.tp, came);
        let rtt = i64::from(self.base_us) + i64::from(self.r.below(self.base_us * 3));
        let rtt_us = if n > 0 { rtt } else { -1 };
        if n > 0 {
            let s = i64::from(self.tp.srtt_us);
            self.tp.srtt_us = (s + rtt - (s >> 3)) as u32;
            self.tp.delivered_mstamp = self.tp.clock.us;
        }
        let in_flight = self.r.below(prior_in_flight.min(3_000) + 1) * MSS;
        self.ca.pkts_acked(&mut self.tp, &AckSample { pkts_acked: n, rtt_us, in_flight });
        let slow = self.r.below(4) == 0;
        self.ca.in_ack(&mut self.tp, InAck::plain(slow));
        let losses = if self.r.below(50) == 0 { self.r.below(20) } else { 0 };
        for _ in 0..losses {
            self.tp.lost += 1;
            let mut s = Seg::new(self.tp.snd_una, self.tp.snd_una.wrapping_add(MSS), 0, 0);
            (s.tx_in_flight, s.tx_lost) =
                (self.r.below(300) as u16, self.tp.lost - 1 - self.r.below(self.tp.lost.min(30)));
            (s.delivered_us, s.app_limited) = (u64::from(self.r.below(2)), self.r.below(8) == 0);
            self.ca.seg_lost(&mut self.tp, &s);
        }
        let rs = RateSample {
            prior_delivered: self.tp.delivered.saturating_sub(self.r.below(200)),
            delivered: if n == 0 { -1 } else { n as i32 + self.r.below(100) as i32 },
            interval_us: if n == 0 { -1 } else { i64::from(self.base_us + self.r.below(self.base_us)) },
            rtt_us,
            losses,
            acked_sacked: n,
            prior_in_flight,
            tx_in_flight: self.r.below(400),
            lost: losses,
            is_app_limited: self.r.below(20) == 0,
            is_ack_delayed: self.r.below(20) == 0,
            ..RateSample::default()
        };
        if self.ca.has_cong_control() {
            self.ca.cong_control(&mut self.tp, &rs);
            assert!((1..u64::MAX).contains(&self.tp.pacing_rate), "{:?}: rate {}", self.cc, self.tp.pacing_rate);
        } else if n > 0 && !self.tp.in_cwnd_reduction() {
            let ack = self.tp.snd_una;
            self.ca.cong_avoid(&mut self.tp, ack, n);
            if self.ca.wants_cwr() {
                self.reduce();
                self.state(CaState::Cwr);
            }
        }
    }

    /// Something out of the ordinary.
    fn trouble(&mut self) {
        match (self.tp.ca_state, self.r.below(6)) {
            (CaState::Open | CaState::Disorder, 0) => {
                self.reduce();
                self.state(CaState::Cwr);
            }
            (CaState::Open | CaState::Disorder, 1) => {
                self.reduce();
                self.state(CaState::Recovery);
            }
            (CaState::Open, 2) => self.state(CaState::Disorder),
            (CaState::Cwr | CaState::Recovery, 0 | 1) => {
                if !self.ca.has_cong_control() {
                    self.tp.snd_cwnd = self.tp.snd_ssthresh.min(self.tp.snd_cwnd.max(2));
                }
                self.ca.event(&mut self.tp, Event::CompleteCwr);
                self.state(CaState::Open);
            }
            (CaState::Recovery | CaState::Loss, 2) => {
                self.tp.snd_cwnd = self.ca.undo_cwnd(&mut self.tp);
                self.tp.snd_ssthresh = self.tp.snd_ssthresh.max(self.tp.prior_ssthresh);
                self.state(CaState::Open);
            }
            (CaState::Loss, _) => self.state(CaState::Open),
            (_, 3) => {
                self.reduce();
                self.ca.event(&mut self.tp, Event::Loss);
                self.tp.snd_cwnd = self.tp.in_flight() + 1;
                self.state(CaState::Loss);
            }
            (_, 4) => {
                self.ns += 2_000_000_000;
                self.tp.clock.set(Time::from_ns(self.ns));
                self.ca.event(&mut self.tp, Event::CwndRestart);
            }
            _ => {}
        }
    }

    fn run(&mut self, steps: u32) -> (u32, u32, u64) {
        for step in 0..steps {
            self.ns += u64::from(self.r.below(self.base_us)) * 1_000;
            self.tp.clock.set(Time::from_ns(self.ns));
            self.send();
            self.ack();
            if self.r.below(40) == 0 {
                self.trouble();
            }
            let cwnd = self.tp.snd_cwnd;
            assert!(cwnd >= 1 && cwnd <= self.tp.snd_cwnd_clamp, "{:?}: window {cwnd} after {step}", self.cc);
            let _ = (self.ca.min_tso_segs(&self.tp), self.ca.sndbuf_expand());
            assert_ne!(self.ca.tso_segs(&self.tp, MSS, 65_536), Some(0), "{:?}: an empty skb", self.cc);
        }
        (self.tp.snd_cwnd, self.tp.snd_ssthresh, self.tp.pacing_rate)
    }
}

#[test]
fn every_control_keeps_its_bounds_and_repeats() {
    for &cc in Cc::ALL {
        for profile in Profile::ALL {
            for (i, hz) in [100, 250, 1_000].into_iter().enumerate() {
                let seed = i as u64 + 1;
                let once = Sender::new(cc, profile, hz, seed).run(6_000);
                assert_eq!(once, Sender::new(cc, profile, hz, seed).run(6_000), "{cc:?} {} {hz} Hz", profile.name);
            }
        }
    }
}

#[test]
fn every_control_grows_an_open_window() {
    for &cc in Cc::ALL {
        let mut s = Sender::new(cc, Profile::named("6.12").unwrap(), 1_000, 1);
        let first = s.tp.snd_cwnd;
        for i in 1..=40u64 {
            s.tp.clock.set(Time::from_ms(5_000 + i * 10));
            s.send();
            s.tp.is_cwnd_limited = true;
            let n = s.tp.packets_out.min(10);
            s.tp.snd_una = s.tp.snd_una.wrapping_add(n * MSS);
            s.tp.packets_out -= n;
            s.tp.delivered += n;
            s.tp.delivered_mstamp = s.tp.clock.us;
            let rtt = i64::from(s.base_us);
            s.ca.pkts_acked(&mut s.tp, &AckSample { pkts_acked: n, rtt_us: rtt, in_flight: n * MSS });
            let rs = RateSample {
                prior_delivered: s.tp.delivered - n,
                delivered: n as i32 * i as i32,
                interval_us: 10_000,
                rtt_us: rtt,
                acked_sacked: n,
                ..RateSample::default()
            };
            if s.ca.has_cong_control() {
                s.ca.cong_control(&mut s.tp, &rs);
            } else {
                let ack = s.tp.snd_una;
                s.ca.cong_avoid(&mut s.tp, ack, n);
            }
        }
        assert!(s.tp.snd_cwnd > first, "{cc:?}: {first} to {}", s.tp.snd_cwnd);
    }
}

#[test]
fn the_guide_shows_the_example_that_is_compiled() {
    let guide = include_str!("../../../../../CONTRIBUTING.md");
    assert!(guide.contains(include_str!("example.rs")), "CONTRIBUTING.md does not show cc/example.rs as it is");
}
