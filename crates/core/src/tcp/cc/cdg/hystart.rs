//! CDG's own HyStart: ends slow start where a train of ACKs lasts half the least round trip, or where round trips get an eighth longer.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_cdg.c `tcp_cdg_hystart_update`. Unlike CUBIC's it speaks at any window, measures ACK trains in microseconds, and
//! begins them anew where the window does not limit. Differs: nothing.

use crate::tcp::seq::{after, before};
use crate::tcp::tp::Tp;

/// The detectors, as bits.
const ACK_TRAIN: u8 = 1;
const DELAY: u8 = 2;
/// ACKs that follow each other sooner are one train, microseconds. src: linux@6.12 net/ipv4/tcp_cdg.c tcp_cdg_hystart_update
const TRAIN_GAP_US: u32 = 3_000;
/// The least train and the least delay that count, microseconds. src: the same
const LEAST_US: u32 = 125;
/// Samples of a round before its delay is judged. src: the same
const SAMPLES: u16 = 8;

/// State of a slow start.
#[derive(Clone, Debug, Default)]
pub struct Train {
    samples: u16,
    /// Least RTT ever, microseconds; 0: none.
    delay_min: i32,
    last_ack: u32,
    round_start: u32,
}

impl Train {
    /// The next round begins.
    pub fn next_round(&mut self) {
        self.last_ack = 0;
        self.samples = 0;
    }
    /// An ACK in slow start: whether that is over. `rtt_min`: least RTT of this round, microseconds; 0: none yet. `detect`: the detectors.
    pub fn ends(&mut self, tp: &Tp, rtt_min: i32, detect: u8) -> bool {
        self.delay_min = match (self.delay_min, rtt_min) {
            (0, other) | (other, 0) => other,
            (a, b) => a.min(b),
        };
        if self.delay_min == 0 {
            return false;
        }
        let least = self.delay_min as u32;
        detect & ACK_TRAIN != 0 && self.is_long(tp, least) || detect & DELAY != 0 && self.is_late(rtt_min, least)
    }
    /// This ACK's train lasts too long.
    fn is_long(&mut self, tp: &Tp, least: u32) -> bool {
        let now = tp.clock.us as u32;
        if self.last_ack == 0 || !tp.cwnd_limits() {
            (self.last_ack, self.round_start) = (now, now);
        } else if before(now, self.last_ack.wrapping_add(TRAIN_GAP_US)) {
            self.last_ack = now;
            return after(now, self.round_start.wrapping_add((least / 2).max(LEAST_US)));
        }
        false
    }
    /// This round's least delay is too long.
    fn is_late(&mut self, rtt_min: i32, least: u32) -> bool {
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        rtt_min > (least + least / 8).max(LEAST_US) as i32
    }
}
