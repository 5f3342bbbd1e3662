//! DCTCP: the window gives way by as much as the part of packets that is marked says, not by half.
//!
//! Once a round trip the marked part of what was delivered goes into a running mean, `alpha`; the first echo of a mark in a window takes
//! `alpha / 2` of it away, a loss half. Between, it grows as Reno's. It needs marks one by one: its connections ask for ECN, all their
//! packets are capable of being marked (SYNs and ACKs, too), and their receivers echo each mark ([`Cc::needs_ecn`](super::Cc::needs_ecn),
//! `Socket::check_ce`). A peer that does not agree to ECN leaves Reno.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_dctcp.c, tcp_dctcp.h; RFC 8257; Alizadeh et al.: Data Center TCP (SIGCOMM 2010).
//! Differs: D1 no protective load balancing (`tcp_plb_*`; off by default there). D2 where ECN was declined it is still named `dctcp`,
//! not `dctcp-reno`. What older kernels count and do otherwise is in their profiles ([`DctcpMarks`]).

use super::{Control, Event, InAck, reno_cong_avoid, reno_ssthresh};
use crate::tcp::profile::{DctcpMarks, Profile};
use crate::tcp::seq::before;
use crate::tcp::tp::{CaState, Tp};

/// `alpha` where everything is marked: 1. src: linux@6.12 net/ipv4/tcp_dctcp.c DCTCP_MAX_ALPHA
const MAX_ALPHA: u32 = 1024;
/// Its binary places. src: linux@6.12 net/ipv4/tcp_dctcp.c dctcp_update_alpha
const PLACES: u32 = 10;

crate::params! {
    /// `[dctcp]`: the module's parameters, by their names.
    pub struct Params {
        /// Weight of a round trip in the mean of the marked part, as a power of a half.
        dctcp_shift_g: u32 = 4, in 0 => 10, src "linux@6.12 net/ipv4/tcp_dctcp.c dctcp_shift_g; rfc8257#4.2";
        /// The mean that a connection begins with, in 1/1024.
        dctcp_alpha_on_init: u32 = MAX_ALPHA, in 0 => 1024, src "linux@6.12 net/ipv4/tcp_dctcp.c dctcp_alpha_on_init; rfc8257#3.3";
    }
}

/// All of something, and the part of it that was marked.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    all: u32,
    marked: u32,
}

/// DCTCP.
#[derive(Clone, Debug)]
pub struct Dctcp {
    shift_g: u32,
    /// The peer did not agree to ECN: Reno (`dctcp_reno`).
    reno: bool,
    /// Mean of the marked part, in 1/1024.
    alpha: u32,
    /// End of the round trip.
    next_seq: u32,
    /// What was counted when it began, and marked of that: segments or bytes, by kernel.
    old: Counted,
    /// Bytes that ACKs have acknowledged, and those with ECE (`acked_bytes_total`, `acked_bytes_ecn`; here they are not set to 0 with each round trip).
    bytes: Counted,
    /// What the ACK before acknowledged (`prior_snd_una`).
    prior_una: u32,
    counts: DctcpMarks,
    /// Window before the last reduction, segments.
    loss_cwnd: u32,
}

impl Dctcp {
    /// `dctcp_init`.
    pub fn new(p: &Params, profile: &'static Profile, tp: &mut Tp) -> Dctcp {
        let alpha = p.dctcp_alpha_on_init.min(MAX_ALPHA);
        let mut c = Dctcp {
            shift_g: p.dctcp_shift_g,
            reno: !tp.ecn.ok,
            alpha,
            next_seq: 0,
            old: Counted::default(),
            bytes: Counted::default(),
            prior_una: tp.snd_una,
            counts: profile.dctcp,
            loss_cwnd: 0,
        };
        c.reset(tp);
        c
    }

    /// `dctcp_reset`: a round trip begins.
    fn reset(&mut self, tp: &Tp) {
        self.next_seq = tp.snd_nxt;
        self.old = self.counted(tp);
    }

    /// What the marked part is one of.
    fn counted(&self, tp: &Tp) -> Counted {
        match self.counts {
            DctcpMarks::Segments => Counted { all: tp.delivered, marked: tp.delivered_ce },
            DctcpMarks::Bytes | DctcpMarks::BytesAndLosses => self.bytes,
        }
    }

    /// The bytes of an ACK. src: linux@4.19 net/ipv4/tcp_dctcp.c dctcp_update_alpha
    fn count_bytes(&mut self, tp: &Tp, ack: InAck) {
        let mut n = tp.snd_una.wrapping_sub(self.prior_una);
        if n == 0 && !ack.window {
            n = ack.rcv_mss;
        }
        self.prior_una = tp.snd_una;
        self.bytes.all = self.bytes.all.wrapping_add(n);
        if ack.ece {
            self.bytes.marked = self.bytes.marked.wrapping_add(n);
        }
    }

    /// `dctcp_react_to_loss`.
    fn react_to_loss(&mut self, tp: &mut Tp) {
        if self.counts == DctcpMarks::Bytes {
            return;
        }
        self.loss_cwnd = tp.snd_cwnd;
        tp.snd_ssthresh = reno_ssthresh(tp);
    }
}

impl Control for Dctcp {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        if self.reno {
            return reno_ssthresh(tp);
        }
        self.loss_cwnd = tp.snd_cwnd;
        (tp.snd_cwnd - (tp.snd_cwnd.wrapping_mul(self.alpha) >> (PLACES + 1))).max(2)
    }
    fn cong_avoid(&mut self, tp: &mut Tp, _ack: u32, acked: u32) {
        reno_cong_avoid(tp, acked);
    }
    /// `dctcp_update_alpha`.
    fn in_ack(&mut self, tp: &mut Tp, ack: InAck) {
        if self.reno {
            return;
        }
        if self.counts != DctcpMarks::Segments {
            self.count_bytes(tp, ack);
        }
        if before(tp.snd_una, self.next_seq) {
            return;
        }
        let now = self.counted(tp);
        let (delivered, marked) = (now.all.wrapping_sub(self.old.all), now.marked.wrapping_sub(self.old.marked));
        // alpha = (1 - g) alpha + g F; what is too small to be shifted goes as a whole (min_not_zero).
        let part = self.alpha >> self.shift_g;
        self.alpha -= if part == 0 { self.alpha } else { part };
        if marked > 0 {
            let part = (u64::from(marked) << (PLACES - self.shift_g)) / u64::from(delivered.max(1));
            self.alpha = self.alpha.saturating_add(part as u32).min(MAX_ALPHA);
        }
        self.reset(tp);
    }
    fn set_state(&mut self, tp: &mut Tp, new: CaState) {
        if !self.reno && new == CaState::Recovery && tp.ca_state != new {
            self.react_to_loss(tp);
        }
    }
    fn event(&mut self, tp: &mut Tp, event: Event) {
        // The receiver's part, of EcnIsCe and EcnNoCe, is the socket's (`Socket::check_ce`).
        if !self.reno && event == Event::Loss {
            self.react_to_loss(tp);
        }
    }
    fn undo_cwnd(&mut self, tp: &mut Tp) -> u32 {
        tp.snd_cwnd.max(if self.reno { tp.prior_cwnd } else { self.loss_cwnd })
    }
    fn hears_acks(&self) -> bool {
        !self.reno
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::{V4_14, V4_19, V6_12};

    fn start_of(profile: &'static Profile, ecn: bool) -> (Dctcp, Tp) {
        let mut tp = Tp::new(1000, 0);
        (tp.ecn.ok, tp.snd_cwnd) = (ecn, 100);
        (Dctcp::new(&Params::default(), profile, &mut tp), tp)
    }

    fn start(ecn: bool) -> (Dctcp, Tp) {
        start_of(&V6_12, ecn)
    }

    /// A round trip in which `n` were delivered, `ce` of them marked.
    fn round(c: &mut Dctcp, tp: &mut Tp, n: u32, ce: u32) {
        tp.snd_nxt += n;
        tp.delivered += n;
        tp.delivered_ce += ce;
        tp.snd_una = c.next_seq;
        c.in_ack(tp, InAck::plain(false));
    }

    /// By hand, from RFC 8257's equation in 1/1024.
    #[test]
    fn the_mean_follows_the_marked_part() {
        let (mut c, mut tp) = start(true);
        assert_eq!(c.ssthresh(&mut tp), 50, "it begins as if all were marked");
        round(&mut c, &mut tp, 100, 0);
        assert_eq!(c.alpha, 1024 - 64);
        round(&mut c, &mut tp, 100, 50);
        // 960 - 60 + 50 * 64 / 100
        assert_eq!(c.alpha, 932);
        assert_eq!(c.ssthresh(&mut tp), 100 - 45);
        for _ in 0..200 {
            round(&mut c, &mut tp, 100, 0);
        }
        assert_eq!((c.alpha, c.ssthresh(&mut tp)), (0, 100), "the last sixteenth goes at once");
        for _ in 0..200 {
            round(&mut c, &mut tp, 100, 100);
        }
        // 64 of each 1024 are added; sixteen times 64 and one less goes away again.
        assert_eq!(c.alpha, 1024);
    }

    #[test]
    fn within_a_round_trip_nothing_moves() {
        let (mut c, mut tp) = start(true);
        round(&mut c, &mut tp, 100, 100);
        (tp.snd_una, tp.delivered, tp.delivered_ce) = (c.next_seq - 1, 150, 150);
        let alpha = c.alpha;
        c.in_ack(&mut tp, InAck::plain(false));
        assert_eq!(c.alpha, alpha);
    }

    #[test]
    fn a_loss_halves_whatever_is_marked() {
        let (mut c, mut tp) = start(true);
        c.alpha = 0;
        tp.snd_ssthresh = c.ssthresh(&mut tp);
        assert_eq!(tp.snd_ssthresh, 100);
        c.set_state(&mut tp, CaState::Recovery);
        assert_eq!(tp.snd_ssthresh, 50);
        tp.snd_cwnd = 60;
        assert_eq!(c.undo_cwnd(&mut tp), 100);
        c.event(&mut tp, Event::Loss);
        assert_eq!(tp.snd_ssthresh, 30);
    }

    /// By hand: 30 segments of 100 marked, but what ECE acknowledges is 20 of 100 of their bytes; then ten duplicates with ECE, of an MSS each,
    /// and one that moves the window and counts nothing.
    #[test]
    fn in_4_19_bytes_count() {
        let (mut c, mut tp) = start_of(&V4_19, true);
        c.alpha = 0;
        let ack = |tp: &mut Tp, c: &mut Dctcp, bytes: u32, ece: bool, window: bool| {
            tp.snd_una += bytes;
            c.in_ack(tp, InAck { slow_path: true, window, ece, rcv_mss: 1_000 });
        };
        let flight = |tp: &mut Tp, c: &mut Dctcp| {
            tp.snd_nxt += 100_000;
            c.next_seq = tp.snd_nxt;
        };
        flight(&mut tp, &mut c);
        tp.delivered_ce = 30;
        ack(&mut tp, &mut c, 80_000, false, true);
        assert_eq!(c.alpha, 0, "the round trip is not over");
        ack(&mut tp, &mut c, 20_000, true, true);
        assert_eq!(c.alpha, 64 * 20 / 100);
        c.alpha = 0;
        flight(&mut tp, &mut c);
        (0..10).for_each(|_| ack(&mut tp, &mut c, 0, true, false));
        ack(&mut tp, &mut c, 0, true, true);
        ack(&mut tp, &mut c, 100_000, false, true);
        assert_eq!(c.alpha, 64 * 10 / 110);
    }

    #[test]
    fn a_loss_halves_since_4_19_in_its_stable_branch() {
        for (profile, ssthresh) in [(&V4_14, 90), (&V4_19, 50), (&V6_12, 50)] {
            let (mut c, mut tp) = start_of(profile, true);
            c.alpha = 205; // a fifth, of which a half goes: a tenth
            tp.snd_ssthresh = c.ssthresh(&mut tp);
            c.set_state(&mut tp, CaState::Recovery);
            assert_eq!(tp.snd_ssthresh, ssthresh, "{}", profile.name);
            c.event(&mut tp, Event::Loss);
            assert_eq!(tp.snd_ssthresh, ssthresh, "{}", profile.name);
        }
    }

    #[test]
    fn without_ecn_it_is_reno() {
        let (mut c, mut tp) = start(false);
        c.alpha = 0;
        assert_eq!(c.ssthresh(&mut tp), 50);
        (tp.snd_cwnd, tp.prior_cwnd) = (50, 80);
        assert_eq!(c.undo_cwnd(&mut tp), 80);
    }
}
