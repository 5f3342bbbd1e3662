//! Random ACKs, losses and pauses that a control and its C file are driven through alike: what `cdg/vectors.rs` and `lp/vectors.rs` hold
//! was printed by the kernel's file between headers of its own, in the way of [`vectors`](crate::qdisc::vectors).

use super::{AckSample, Control, Event};
use crate::qdisc::vectors::Draw;
use crate::sim::Time;
use crate::tcp::tp::{CaState, INFINITE_SSTHRESH, Tp};

/// What a setting gave: the last window, reductions by the control's own wish, and a checksum of each window and threshold.
pub type Row = (u32, u32, u64);

const OPERATIONS: u32 = 4_000;
const MSS: u32 = 1_448;
/// What the timestamp clock has more than the other.
const CLOCK_MS: u32 = 300_000;

/// The path, and the peer's clock.
pub struct Path {
    base: u32,
    noise: u32,
    queue: u32,
    peer: u32,
    /// Offset of the peer's timestamps.
    pub offset: u32,
}

impl Path {
    pub fn drawn(x: &mut Draw) -> Path {
        Path {
            base: x.pick(&[30, 300, 5_000, 40_000, 300_000]),
            noise: x.pick(&[0, 1, 20, 200, 3_000]),
            queue: x.pick(&[0, 5, 100, 2_000]),
            peer: x.pick(&[0, 0, 1, 2]),
            offset: x.pick(&[0, 1_000, 0x1000_0000, 0x7fff_ffff, 0xf000_0000]),
        }
    }
}

/// A sender before its first ACK.
pub fn sender(x: &mut Draw) -> Tp {
    let start = x.next();
    let mut tp = Tp::new(1_000, start);
    tp.clock.set(Time::from_ns(5_000_000_000));
    tp.snd_ssthresh = x.pick(&[INFINITE_SSTHRESH, 40]);
    tp.snd_cwnd_clamp = x.pick(&[u32::MAX, 300]);
    tp
}

fn reduce(tp: &mut Tp, ca: &mut impl Control) {
    tp.prior_cwnd = tp.snd_cwnd;
    tp.snd_cwnd_cnt = 0;
    tp.snd_ssthresh = ca.ssthresh(tp);
    tp.ca_state = CaState::Cwr;
}

/// Drives `ca` through its setting.
pub fn drive(x: &mut Draw, path: &Path, mut tp: Tp, ca: &mut impl Control) -> Row {
    let (mut us, mut backlog, mut reductions, mut sum) = (tp.clock.us, 0_u32, 0, 0_u64);
    for op in 0..OPERATIONS {
        us += 1 + u64::from(x.below(1 + path.base / (1 + tp.snd_cwnd) * 2));
        tp.clock.set(Time::from_us(us));
        let (a, b, d) = (x.next(), x.next(), x.next());
        let mut acked = 1 + a % 3;
        tp.snd_nxt = tp.snd_nxt.wrapping_add((a >> 4) % 5 * MSS);
        let end = tp.snd_una.wrapping_add(acked * MSS);
        if (a >> 8) % 7 == 0 && end.wrapping_sub(tp.snd_nxt) as i32 > 0 {
            tp.snd_nxt = end;
        }
        if tp.snd_nxt.wrapping_sub(tp.snd_una) < acked * MSS {
            acked = 0;
        }
        tp.max_packets_out = tp.snd_nxt.wrapping_sub(tp.snd_una) / MSS;
        tp.is_cwnd_limited = (b >> 3) % 8 != 0;
        tp.sacked_out = u32::from((b >> 6) % 20 == 0);
        backlog = if op / 600 % 2 == 1 { backlog - (backlog >> 5) } else { backlog + path.queue * tp.snd_cwnd / 64 };
        backlog = backlog.min(4 * path.base + 100_000);
        tp.snd_una = tp.snd_una.wrapping_add(acked * MSS);
        let rtt = path.base + backlog + d.checked_rem(path.noise).unwrap_or(0);
        let ms = (us / 1_000) as u32 + CLOCK_MS;
        let theirs = [ms, ms + ms / 500, ms - ms / 300][path.peer as usize];
        let echo = if acked > 0 { rtt / 1_000 } else { (path.base + backlog) / 2_000 };
        let before = tp.snd_cwnd;
        ca.timestamps(theirs, ms - echo);
        let rtt_us = if acked > 0 { i64::from(rtt) } else { -1 };
        ca.pkts_acked(&mut tp, &AckSample { pkts_acked: acked, rtt_us, in_flight: 0 });
        reductions += u32::from(tp.snd_cwnd < before);
        if acked > 0 && tp.ca_state == CaState::Open {
            let una = tp.snd_una;
            ca.cong_avoid(&mut tp, una, acked);
            if ca.wants_cwr() {
                reduce(&mut tp, ca);
                reductions += 1;
            }
        }
        let reducing = tp.ca_state == CaState::Cwr;
        match x.next() % 2_000 {
            0 | 1 if !reducing => reduce(&mut tp, ca),
            1_651.. if reducing => {
                tp.snd_cwnd = tp.snd_cwnd.min(tp.snd_ssthresh);
                ca.event(&mut tp, Event::CompleteCwr);
                tp.ca_state = CaState::Open;
            }
            3 => ca.event(&mut tp, Event::CwndRestart),
            4 if reducing => tp.snd_cwnd = ca.undo_cwnd(&mut tp),
            _ => {}
        }
        for v in [tp.snd_cwnd, tp.snd_ssthresh] {
            sum = sum.wrapping_mul(31).wrapping_add(v.into());
        }
    }
    (tp.snd_cwnd, reductions, sum)
}
