//! TCP-LP: gives way to all others: halves its window as soon as one-way delays rise, and keeps still for a while after that.
//!
//! The one-way delay is the difference of both ends' timestamps, smoothed by eighths. Above 15 % of the span between the least and the largest one
//! the window is halved, or becomes one segment where that comes within three round trips (`inference`) of the last time, in which nor does it grow.
//!
//! Since 4.10 that is so in few connections: the peer's timestamps have a random offset (95a22caee396), and what is smoothed has no room for
//! the highest three bits of their difference, so that it lies below the least one for ever in seven of eight, which are Reno. Where the peer's clock
//! seems to be faster than ours (1001 ticks a second or more) its timestamps count nothing at all.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_lp.c, whose 32 bits are kept; Kuzmanovic, Knightly: TCP-LP (INFOCOM 2003). Differs: D1 the peer's offset is drawn
//! here, from a stream seeded by the connection's first sequence number; D2 before 4.13 Linux counts all of it in jiffies, which are milliseconds at HZ 1000.

use super::{AckSample, Control, reno_cong_avoid, reno_ssthresh};
use crate::sim::Streams;
use crate::tcp::profile::Profile;
use crate::tcp::tp::Tp;

#[cfg(test)]
mod vectors;

/// Ticks of our timestamps a second. src: linux@6.12 include/net/tcp.h TCP_TS_HZ
const TS_HZ: u32 = 1_000;

crate::params! {
    /// `[lp]`: nothing to set.
    pub struct Params {}
}

/// TCP-LP.
#[derive(Clone, Debug)]
pub struct Lp {
    /// What the peer's timestamps have more than its clock, ms (`tsoffset`).
    offset: u32,
    tsval: u32,
    tsecr: u32,
    within_inference: bool,
    /// Smoothed one-way delay, ms << 3.
    sowd: u32,
    owd_min: u32,
    owd_max: u32,
    /// The largest one of all, which `owd_max` is one behind.
    owd_max_rsv: u32,
    /// Ticks of the peer's clock a second; 0: not known.
    remote_hz: u32,
    remote_ref_time: u32,
    local_ref_time: u32,
    /// When the window was cut, ms; 0: never.
    last_drop: u32,
    /// How long that counts, ms.
    inference: u32,
}

impl Lp {
    /// Starts.
    pub fn new(_: &Params, profile: &'static Profile, tp: &mut Tp) -> Lp {
        let drawn = Streams::new(u64::from(tp.snd_una)).get("tcp", "lp tsoffset").bits() as u32;
        Lp {
            offset: if profile.timestamps_offset { drawn } else { 0 },
            tsval: 0,
            tsecr: 0,
            within_inference: false,
            sowd: 0,
            owd_min: u32::MAX,
            owd_max: 0,
            owd_max_rsv: 0,
            remote_hz: 0,
            remote_ref_time: 0,
            local_ref_time: 0,
            last_drop: 0,
            inference: 0,
        }
    }

    /// `tcp_lp_remote_hz_estimator`: 63/64 of what was believed, 1/64 of what the last two ACKs say.
    fn estimate_hz(&mut self) {
        let mut hz = i64::from(self.remote_hz << 6);
        let known = self.remote_ref_time != 0 && self.local_ref_time != 0;
        if known && self.tsval != self.remote_ref_time && self.tsecr != self.local_ref_time {
            let theirs = self.tsval.wrapping_sub(self.remote_ref_time);
            let now = i64::from(TS_HZ.wrapping_mul(theirs) / self.tsecr.wrapping_sub(self.local_ref_time));
            if hz > 0 {
                hz += now - (hz >> 6);
            } else {
                hz = now << 6;
            }
        }
        self.remote_hz = (hz >> 6) as u32;
        (self.remote_ref_time, self.local_ref_time) = (self.tsval, self.tsecr);
    }

    /// `tcp_lp_owd_calculator`: the difference of both clocks, ms; 0: not known.
    fn owd(&mut self) -> u32 {
        self.estimate_hz();
        if self.remote_hz == 0 {
            return 0;
        }
        self.tsval.wrapping_mul(TS_HZ / self.remote_hz).wrapping_sub(self.tsecr)
    }

    /// `tcp_lp_rtt_sample`.
    fn sample(&mut self) {
        let owd = self.owd();
        if owd == 0 {
            return;
        }
        self.owd_min = self.owd_min.min(owd);
        if owd > self.owd_max {
            self.owd_max = owd;
            if owd > self.owd_max_rsv {
                if self.owd_max_rsv != 0 {
                    self.owd_max = self.owd_max_rsv;
                }
                self.owd_max_rsv = owd;
            }
        }
        self.sowd = if self.sowd == 0 { owd << 3 } else { self.sowd.wrapping_add(owd.wrapping_sub(self.sowd >> 3)) };
    }

    /// The smoothed delay is below its threshold.
    fn within_threshold(&self) -> bool {
        let span = self.owd_max.wrapping_sub(self.owd_min);
        self.sowd >> 3 < self.owd_min.wrapping_add(span.wrapping_mul(15) / 100)
    }
}

impl Control for Lp {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        reno_ssthresh(tp)
    }
    fn cong_avoid(&mut self, tp: &mut Tp, _ack: u32, acked: u32) {
        if !self.within_inference {
            reno_cong_avoid(tp, acked);
        }
    }
    fn timestamps(&mut self, tsval: u32, tsecr: u32) {
        self.tsval = if tsval == 0 { 0 } else { tsval.wrapping_add(self.offset) };
        self.tsecr = tsecr;
    }
    fn pkts_acked(&mut self, tp: &mut Tp, sample: &AckSample) {
        let now = tp.clock.now_ts();
        if sample.rtt_us > 0 {
            self.sample();
        }
        let since = now.wrapping_sub(self.tsecr);
        if since as i32 > 0 {
            self.inference = since.wrapping_mul(3);
        }
        self.within_inference = self.last_drop != 0 && now.wrapping_sub(self.last_drop) < self.inference;
        if self.within_threshold() {
            return;
        }
        self.owd_min = self.sowd >> 3;
        self.owd_max = self.sowd >> 2;
        self.owd_max_rsv = self.sowd >> 2;
        tp.snd_cwnd = if self.within_inference { 1 } else { (tp.snd_cwnd >> 1).max(1) };
        self.last_drop = now;
    }
}
