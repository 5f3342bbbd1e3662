//! Delivery-rate samples: how fast the network delivered between the sending of a segment and its acknowledgement.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_rate.c; draft-cheng-iccrg-delivery-rate-estimation; which segment makes the sample by
//! profile. Differs: nothing.

use crate::tcp::cc::RateSample;
use crate::tcp::rtx::{Seg, sent_after, tag};
use crate::tcp::seq::after;
use crate::tcp::tp::Tp;

/// `tcp_rate_skb_sent`: what a segment remembers of delivery as it is sent. Call before it counts in `packets_out`.
#[inline]
pub fn sent(tp: &mut Tp, s: &mut Seg) {
    if tp.packets_out == 0 {
        tp.first_tx_mstamp = s.sent_us();
        tp.delivered_mstamp = s.sent_us();
    }
    s.first_tx_us = tp.first_tx_mstamp;
    s.delivered_us = tp.delivered_mstamp;
    s.delivered = tp.delivered;
    s.delivered_ce = tp.delivered_ce;
    s.tx_lost = tp.lost;
    s.tx_in_flight = (tp.in_flight() + 1).min(u32::from(u16::MAX)) as u16;
    s.app_limited = tp.app_limited != 0;
}

/// `tcp_rate_skb_delivered`: a segment was acknowledged or SACKed.
#[inline]
pub fn delivered(tp: &mut Tp, s: &mut Seg, rs: &mut RateSample) {
    sample(tp, s, rs);
    if s.has(tag::SACKED) {
        s.delivered_us = 0;
    }
}

/// The same of a segment that goes now. The one sent last makes the sample, or before 5.18 the first of those that
/// were sent at the highest count of what was delivered.
#[inline]
pub fn sample(tp: &mut Tp, s: &Seg, rs: &mut RateSample) {
    if s.delivered_us == 0 {
        return;
    }
    let sent = s.sent_us();
    let newer = if tp.rate_by_newest {
        sent_after(sent, tp.first_tx_mstamp, s.end_seq, rs.last_end_seq)
    } else {
        after(s.delivered, rs.prior_delivered)
    };
    if rs.prior_delivered == 0 || newer {
        rs.prior_delivered_ce = s.delivered_ce;
        rs.prior_delivered = s.delivered;
        rs.prior_lost = s.tx_lost;
        rs.tx_in_flight = u32::from(s.tx_in_flight);
        rs.prior_mstamp = s.delivered_us;
        rs.is_app_limited = s.app_limited;
        rs.is_retrans = s.has(tag::ANY_RETRANS);
        rs.last_end_seq = s.end_seq;
        tp.first_tx_mstamp = sent;
        rs.interval_us = sent.saturating_sub(s.first_tx_us) as i64;
    }
}

/// `tcp_rate_gen`: completes the sample of an ACK that delivered `delivered` segments and showed `lost` as lost.
pub fn generate(tp: &mut Tp, delivered: u32, lost: u32, reneged: bool, rs: &mut RateSample) {
    if tp.app_limited != 0 && after(tp.delivered, tp.app_limited) {
        tp.app_limited = 0;
    }
    if delivered != 0 {
        tp.delivered_mstamp = tp.clock.us;
    }
    rs.acked_sacked = delivered;
    rs.losses = lost;
    if rs.prior_mstamp == 0 || reneged {
        rs.delivered = -1;
        rs.interval_us = -1;
        return;
    }
    rs.delivered = tp.delivered.wrapping_sub(rs.prior_delivered) as i32;
    rs.lost = tp.lost.wrapping_sub(rs.prior_lost);
    rs.delivered_ce = tp.delivered_ce.wrapping_sub(rs.prior_delivered_ce) as i32;
    // ACKs may come compressed, segments may have been sent in a burst: the longer phase is the honest one.
    let (snd, ack) = (rs.interval_us as u32, tp.clock.us_since(rs.prior_mstamp));
    rs.interval_us = i64::from(snd.max(ack));
    rs.snd_interval_us = snd;
    rs.rcv_interval_us = ack;
    if rs.interval_us < i64::from(tp.min_rtt_us()) {
        rs.interval_us = -1;
        return;
    }
    let faster =
        rs.delivered as u64 * u64::from(tp.rate_interval_us) >= u64::from(tp.rate_delivered) * rs.interval_us as u64;
    if !rs.is_app_limited || faster {
        tp.rate_delivered = rs.delivered as u32;
        tp.rate_interval_us = rs.interval_us as u32;
        tp.rate_app_limited = rs.is_app_limited;
    }
}

/// `tcp_rate_check_app_limited`: marks a bubble where the application leaves the pipe half empty; `nothing_below`: no skb waits below the
/// socket.
pub fn check_app_limited(tp: &mut Tp, nothing_below: bool) {
    if tp.unsent() < tp.mss_cache && nothing_below && tp.in_flight() < tp.snd_cwnd && tp.lost_out <= tp.retrans_out {
        tp.app_limited = tp.delivered.wrapping_add(tp.in_flight()).max(1);
    }
}

/// `tcp_compute_delivery_rate`, bytes a second.
pub fn estimate(tp: &Tp) -> u64 {
    if tp.rate_interval_us == 0 {
        return 0;
    }
    u64::from(tp.rate_delivered) * u64::from(tp.mss_cache) * 1_000_000 / u64::from(tp.rate_interval_us)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Time;

    #[test]
    fn ten_segments_in_ten_milliseconds() {
        // Segments leave at 0, 1, ... 9 ms; each comes back 20 ms later. The ACK of the 11th (sent at 20 ms with 0 delivered before ...)
        let mut tp = Tp::new(1000, 0);
        tp.app_limited = 0;
        tp.delivered = 1; // the SYN
        tp.rtt_min.reset(0, 20_000);
        let mut segs: Vec<Seg> = (0..10)
            .map(|i: u32| {
                let mut s = Seg::new(i * 1000, i * 1000 + 1000, 0, i);
                s.sent_ns = 1_000_000_000 + u64::from(i) * 1_000_000;
                tp.clock.set(Time::from_ns(s.sent_ns));
                sent(&mut tp, &mut s);
                tp.packets_out += 1;
                s
            })
            .collect();
        for (i, s) in segs.iter_mut().enumerate() {
            tp.clock.set(Time::from_ms(1_020 + i as u64));
            let mut rs = RateSample::default();
            tp.delivered += 1;
            delivered(&mut tp, s, &mut rs);
            generate(&mut tp, 1, 0, false, &mut rs);
            assert_eq!((rs.delivered, rs.interval_us), (i as i32 + 1, 20_000 + i as i64 * 1_000));
        }
        // 10 segments in 29 ms since the first was sent.
        assert_eq!((tp.rate_delivered, tp.rate_interval_us), (10, 29_000));
    }

    /// Two segments that were sent 2 ms apart, before anything more was delivered, come back in one ACK: the sending phase is to the last, or, before
    /// 5.18, to the first.
    #[test]
    fn which_segment_makes_the_sample() {
        for (rate_by_newest, us) in [(true, 3_000), (false, 1_000)] {
            let mut tp = Tp::new(1000, 0);
            (tp.rate_by_newest, tp.first_tx_mstamp, tp.delivered_mstamp) = (rate_by_newest, 5_000, 5_000);
            (tp.delivered, tp.packets_out) = (7, 1);
            let mut rs = RateSample::default();
            let mut segs = [(6_000u64, 0), (8_000, 1)].map(|(us, i)| {
                let mut s = Seg::new(i * 1448, (i + 1) * 1448, 0, i);
                s.sent_ns = us * 1_000;
                sent(&mut tp, &mut s);
                s
            });
            tp.clock.set(Time::from_ms(20));
            segs.iter_mut().for_each(|s| delivered(&mut tp, s, &mut rs));
            assert_eq!((rs.interval_us, rs.prior_delivered), (us, 7));
        }
    }
}
