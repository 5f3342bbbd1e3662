//! Stretch ACKs: a receiver of a stream acknowledges every eighth segment, as macOS does.
//!
//! Stands for: XNU (macOS 10.9 to 10.13) bsd/netinet/tcp_input.c `tcp_stretch_ack_enable`, `tcp_reset_stretch_ack`; tcp_cc.c
//! `tcp_cc_delay_ack` with `net.inet.tcp.delayed_ack` 3, its default. It takes the place of Linux's rule "every second segment"
//! ([`delack`](super::delack)) where `tcp.stretch_acks` is set; all else of that receiver stays Linux's.
//! Differs: D1 a CWR mark does not end it (only loss does); D2 idleness ends it after one window of 100 ms, not after `tcp_maxrcvidle`.

/// Segments that may stay unacknowledged in a stream. src: xnu tcp_input.c maxseg_unacked
const UNACKED: u32 = 8;
/// A stream is so many segments within this time, nanoseconds. src: xnu tcp_timer.h TCPTV_UNACKWIN
const WINDOW_NS: u64 = 100_000_000;
/// After a loss, and at the start, so many segments must come first. src: xnu tcp_var.h TCP_RCV_SS_PKTCOUNT
const SLOW_START: u32 = 512;
/// The delayed ACK's timeout, milliseconds. src: xnu tcp_timer.h TCPTV_DELACK
pub const TIMEOUT_MS: u32 = 100;

/// What is known of the stream.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// Bytes since the window began.
    bytes: u64,
    /// When the window ends, nanoseconds.
    until: u64,
    /// Segments since the start or a loss, where that still counts.
    waits: Option<u32>,
    on: bool,
}

impl Stretch {
    /// Nothing came.
    pub const NEW: Stretch = Stretch { bytes: 0, until: 0, waits: Some(0), on: false };

    /// `payload` bytes of segments of `mss` came, in order or not.
    pub fn came(&mut self, now_ns: u64, payload: u32, mss: u32, in_order: bool) {
        if !in_order {
            *self = Stretch { until: now_ns + WINDOW_NS, ..Stretch::NEW };
            return;
        }
        if let Some(n) = &mut self.waits {
            *n += payload.div_ceil(mss.max(1));
        }
        let stream = self.bytes >= u64::from(UNACKED * mss) && now_ns <= self.until;
        self.on = stream && self.waits.is_none_or(|n| n >= SLOW_START);
        if self.on {
            self.waits = None;
        }
        if now_ns < self.until {
            self.bytes += u64::from(payload);
        } else {
            (self.until, self.bytes) = (now_ns + WINDOW_NS, u64::from(payload));
        }
    }
    /// Whether `unacked` bytes are reason for an ACK at once; `pushed`: the last segment had PSH.
    pub const fn due(&self, unacked: u32, mss: u32, pushed: bool) -> bool {
        let segments = unacked.div_ceil(if mss == 0 { 1 } else { mss });
        pushed || segments >= if self.on { UNACKED } else { 2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1448;
    const MS: u64 = 1_000_000;

    /// So many segments, one a millisecond from `from` on; the number of ACKs at once.
    fn run(s: &mut Stretch, from: u64, n: u64) -> u32 {
        let (mut unacked, mut acks) = (0, 0);
        for i in 0..n {
            s.came((from + i) * MS, MSS, MSS, true);
            unacked += MSS;
            if s.due(unacked, MSS, false) {
                (unacked, acks) = (0, acks + 1);
            }
        }
        acks
    }

    #[test]
    fn a_stream_is_acknowledged_every_eighth_segment_once_it_runs() {
        let mut s = Stretch::NEW;
        assert_eq!(run(&mut s, 0, 500), 250, "512 segments must come first");
        run(&mut s, 500, 100);
        // In each window of 100 ms the first nine (eight that make a stream) are acknowledged by twos: 5 ACKs and then every eighth.
        let acks = run(&mut s, 600, 1_000);
        assert!((130..=190).contains(&acks), "{acks}");
    }

    #[test]
    fn a_hole_ends_it_for_512_segments() {
        let mut s = Stretch::NEW;
        run(&mut s, 0, 700);
        s.came(700 * MS, MSS, MSS, false);
        assert_eq!(run(&mut s, 701, 400), 200);
    }

    #[test]
    fn a_push_is_answered_at_once() {
        let mut s = Stretch::NEW;
        run(&mut s, 0, 650);
        assert!(!s.due(3 * MSS, MSS, false) && s.due(3 * MSS, MSS, true));
    }
}
