//! How often a link of a chain is tried: what fits into 6 ms, two at least.
//!
//! Stands for: linux@6.12 net/mac80211/rc80211_minstrel_ht.c `minstrel_calc_retransmit`, `minstrel_ht_set_rate`.

use super::groups::Rate;
use super::station::Station;
use super::stats::{Tries, frac};

/// Longest time in one link, microseconds (`segment_size`).
const SEGMENT: u32 = 6000;
const SLOT: u32 = 9;
const CW: (u32, u32) = (15, 1023);

/// Tries of `r`; at most `most`.
fn count(s: &Station, r: Rate, most: u8) -> Tries {
    let data = r.duration().wrapping_mul(s.ampdu_len()) / 1000;
    fitting(data, if r.is_legacy() { s.overhead.legacy } else { s.overhead.ht }, most)
}

/// Tries that fit, with `data` microseconds of data each and `overhead` without and with RTS/CTS; at most `most`.
pub(super) fn fitting(data: u32, [overhead, overhead_rts]: [u32; 2], most: u8) -> Tries {
    let mut cw = CW.0;
    let mut contention = || {
        let time = (SLOT * cw) >> 1;
        cw = (cw << 1 | 1).min(CW.1);
        time
    };
    let first_two = contention() + contention();
    let mut time = first_two + 2 * (overhead + data);
    let mut time_rts = first_two + 2 * (overhead_rts + data);
    let mut tries = Tries { plain: 2, rts: 2 };
    loop {
        let wait = contention();
        time += wait + overhead + data;
        time_rts += wait + overhead_rts + data;
        if time_rts < SEGMENT {
            tries.rts += 1;
        }
        if time >= SEGMENT {
            return tries;
        }
        tries.plain += 1;
        if tries.plain >= most {
            return tries;
        }
    }
}

/// Tries of a link: counted once an interval, two for a rate that hardly gets through.
pub(super) fn tries(s: &mut Station, r: Rate, most: u8) -> Tries {
    let prob = u32::from(s.stats(r).prob);
    let counted = match s.stats(r).tries {
        Some(t) => t,
        None if prob < frac(1, 10) => {
            s.stats_mut(r).retry = 1;
            Tries { plain: 1, rts: 1 }
        }
        None => {
            let t = count(s, r, most);
            (s.stats_mut(r).tries, s.stats_mut(r).retry) = (Some(t), t.plain);
            t
        }
    };
    if prob < frac(20, 100) { Tries { plain: 2, rts: 2 } } else { counted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_rts_before_each_fewer_fit_into_a_segment() {
        // The first two with their contention, 206 us; the third waits 283 us, the fourth 571: it ends after 5660 us, or 6060.
        assert_eq!(fitting(1_050, [100, 200], 7), Tries { plain: 4, rts: 3 });
        assert_eq!(fitting(1_000, [100, 200], 7), Tries { plain: 4, rts: 4 });
        assert_eq!(fitting(1_000, [100, 200], 3), Tries { plain: 3, rts: 3 }, "no more than the hardware has");
        assert_eq!(fitting(6_000, [100, 200], 7), Tries { plain: 2, rts: 2 }, "two whatever they take");
    }
}
